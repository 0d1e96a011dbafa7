/* Attachments: registering them with their body, and reading what they did. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "world/world.h"

FilAttachmentDef fil_attachment_def_default(void)
{
    return (FilAttachmentDef){.kind = FIL_ATTACH_PIN, .count = 1};
}

/* What every body can rely on: a kind that there is, and a range whose ends can be counted. */
static FilStatus check_def(FilWorld* world, const FilAttachmentDef* def, const char* shown)
{
    if ((unsigned)def->kind > FIL_ATTACH_HANDLE) {
        return fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s': unknown kind %d", shown, (int)def->kind);
    }
    if (def->first < -FIL_COUNT_MAX || def->first > FIL_COUNT_MAX || def->count < 0 || def->count > FIL_COUNT_MAX) {
        return fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s': there is no range from %d, %d long", shown, def->first,
                              def->count);
    }
    return isnan(def->until) ? fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s': until is not a number", shown) : FIL_OK;
}

FilStatus fil_world_add_attachment(FilWorld* world, const FilAttachmentDef* def, FilId* id)
{
    if (def == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "an attachment needs a definition");
    }
    const char* shown = def->name != NULL ? def->name : "?";
    const int index = fil_id_index(world, FIL_ID_OBJECT, def->object);
    if (index < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s': needs a rod of this world", shown);
    }
    FilStatus status = check_def(world, def, shown);
    status = status == FIL_OK ? fil_world_reserve(world, (void**)&world->attachments, world->attachment_count,
                                                  &world->attachment_capacity, sizeof *world->attachments)
                              : status;
    if (status != FIL_OK) {
        return status;
    }
    char* name =
        fil_world_new_name(world, def->name, "attachment", world->attachment_count + 1, fil_world_find_attachment);
    if (name == NULL) {
        return FIL_BAD_INPUT;
    }
    const FilObject* object = &world->objects[index];
    const FilBody* body = &world->system.bodies[object->body];
    FilError inner;
    int slot;
    if (def->axes > 7 || (def->axes != 0 && body->ops->mesh == NULL)) {
        fil_free(name);
        return fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s' on '%s': only pins of shells and solids hold single components, x, y or z",
                              shown, object->name);
    }
    status = body->ops->attach(body->impl, object->local, def, world->system.state.q + body->q, world->system.state.h + body->h, &slot,
                               &inner);
    if (status != FIL_OK) {
        status = fil_world_fail(world, status, "attachment '%s' on '%s': %s", name, object->name, inner.text);
    } else {
        status = fil_world_grow_controls(world, 1, 0);
    }
    if (status != FIL_OK) {
        fil_free(name);
        return status;
    }
    // active from the start, in every copy of the controls
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        fil_attachment_control(world, &world->system.states[s], world->attachment_count)[0] = 1.0;
    }
    world->attachments[world->attachment_count] = (FilAttachment){name, object->body, slot, def->until > 0.0 ? def->until : INFINITY};
    fil_give_id(world, FIL_ID_ATTACHMENT, world->attachment_count++, id);
    fil_world_place_targets(world);
    return FIL_OK;
}

FilId fil_world_find_attachment(const FilWorld* world, const char* name)
{
    for (int a = 0; a < world->attachment_count && name != NULL; a++) {
        if (strcmp(world->attachments[a].name, name) == 0) {
            return fil_make_id(world, FIL_ID_ATTACHMENT, a);
        }
    }
    return (FilId){0};
}

FilStatus fil_attachment_set_active(FilWorld* world, FilId id, bool active)
{
    const int index = fil_id_find(world, FIL_ID_ATTACHMENT, id);
    if (index < 0) {
        return FIL_BAD_INPUT;
    }
    fil_attachment_control(world, &world->system.state, index)[0] = active ? 1.0 : 0.0;
    return FIL_OK;
}

/* Not a number for what is no attachment. */
static void reaction(const FilWorld* world, FilId id, double* force, double* torque)
{
    const int index = fil_id_find(world, FIL_ID_ATTACHMENT, id);
    if (index < 0) {
        fil_v3_set(force, NAN, NAN, NAN);
        fil_v3_set(torque, NAN, NAN, NAN);
        return;
    }
    const FilAttachment* attachment = &world->attachments[index];
    const FilBody* body = &world->system.bodies[attachment->body];
    body->ops->reaction(body->impl, attachment->slot, force, torque);
}

FilVec3 fil_attachment_force(const FilWorld* world, FilId attachment)
{
    double force[3], torque[3];
    reaction(world, attachment, force, torque);
    return (FilVec3){force[0], force[1], force[2]};
}

FilVec3 fil_attachment_torque(const FilWorld* world, FilId attachment)
{
    double force[3], torque[3];
    reaction(world, attachment, force, torque);
    return (FilVec3){torque[0], torque[1], torque[2]};
}
