/* Whether the contact model is right for what is in the world. */
#include "world/world.h"

/* Rings slide, and surfaces have pressure, under some models only. */
static FilStatus check_kinds(FilWorld* world, const FilContactModel* model)
{
    for (int b = 0; b < world->system.body_count && !model->rings; b++) {
        const FilBody* body = &world->system.bodies[b];
        if (body->ops->ring != NULL) {
            return fil_world_fail(world, FIL_BAD_INPUT, "rings, such as '%s', slide under contact model 'ipc' only: use it", body->name);
        }
    }
    if (world->collision.patches.compliant > 0 && !model->patches) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "surfaces with a modulus, such as that of '%s', touch by pressure patches, which contact model '%s' does "
                              "not know: use 'sap', 'sap_lagged' or 'lcp', or leave the modulus out",
                              world->collision.patches.name, model->name);
    }
    return FIL_OK;
}

/* Whether two colliders, or the parts of one, may touch. */
static bool may_touch(const FilCollisionStage* stage, const FilWorldCollider* a, const FilWorldCollider* b)
{
    if (a == b) {
        return a->collider.kind == FIL_COLLIDER_ROW && a->collider.collision.enabled && a->collider.collision.self;
    }
    const bool shapes = a->collider.kind != FIL_COLLIDER_ROW && b->collider.kind != FIL_COLLIDER_ROW;
    return fil_collision_may_meet(stage, a, b) && !(shapes && fil_collision_kept_apart(stage, a, b));
}

static FilStatus check_pairs(FilWorld* world, const FilContactModel* model)
{
    const FilCollisionStage* stage = &world->collision;
    for (int i = 0; i < stage->collider_count && model->misfit != NULL; i++) {
        const FilWorldCollider* a = &stage->colliders[i];
        for (int j = i; j < stage->collider_count; j++) {
            const FilWorldCollider* b = &stage->colliders[j];
            const char* reason = model->misfit(&world->solver.settings.model, &a->collider, &b->collider);
            if (reason != NULL && may_touch(stage, a, b)) {
                return fil_world_fail(world, FIL_BAD_INPUT, "contact model '%s' is not right for '%s' on '%s': %s, or switch off their collision",
                                      model->name, a->name, b->name, reason);
            }
        }
    }
    return FIL_OK;
}

/* Cloth touches itself by its triangles, which models of vertices do not look at. */
static FilStatus check_own_sheets(FilWorld* world, const FilContactModel* model)
{
    const FilCollisionStage* stage = &world->collision;
    FilCollisionWants wants = {.around = 0.0};
    if (model->want != NULL) {
        model->want(&world->solver.settings.model, &wants);
    }
    for (int k = 0; k < stage->sheet_count && wants.vertices; k++) {
        const FilWorldCollider* vertex = &stage->colliders[stage->sheets[k].first];
        if (stage->sheets[k].own != NULL && vertex->collider.collision.enabled) {
            return fil_world_fail(world, FIL_BAD_INPUT,
                                  "contact model '%s' does not know cloth that touches itself, such as '%s': use 'sap_lagged' or 'ipc', "
                                  "or set its collision.self to false",
                                  model->name, vertex->name);
        }
    }
    return FIL_OK;
}

FilStatus fil_world_check(FilWorld* world)
{
    const FilContactModel* model = world->solver.model;
    FilStatus status = check_kinds(world, model);
    const bool known = world->suitable.model == model && world->suitable.colliders == world->collision.collider_count &&
                       world->suitable.apart == world->collision.apart_count;
    if (status == FIL_OK && !known) {
        status = check_pairs(world, model);
        status = status == FIL_OK ? check_own_sheets(world, model) : status;
        world->suitable.model = status == FIL_OK ? model : NULL;
        world->suitable.colliders = world->collision.collider_count;
        world->suitable.apart = world->collision.apart_count;
    }
    return status;
}
