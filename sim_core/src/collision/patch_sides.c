/* What shapes are to pressure patches: fields of compliant ones, surfaces of all, made once and shared by equals. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "collision/collision.h"

/* Cells of a field, if the surface does not say: a fifth of the depth makes a ball of about 2,000 tetrahedra. Thin shapes
 * would be cut too finely by that: a sixtieth of their size at least, so that a plate has 60 x 60 of them
 * in a layer at most. */
static const double CELLS_DEEP = 5.0, CELLS_WIDE = 60.0;

/* The margin at rest: flat faces that lie on each other rock by dt^2 g unless a hundredth to a tenth of that is seen ahead,
 * 1e-4 m at 10 ms. */
static const double MARGIN_DEEP = 0.01, MIN_MARGIN = 1e-4;

/* Fields go on outside as far as motion may ask for, in depths: who comes faster than that in a step is seen later. */
static const double LAYER = 0.5;

void fil_collision_free_sides(FilCollisionStage* stage)
{
    FilPatchStage* patches = &stage->patches;
    for (int k = 0; k < patches->side_count; k++) {
        fil_field_free(&patches->sides[k].field);
        fil_boundary_free(&patches->sides[k].boundary);
    }
    fil_free(patches->sides);
    fil_free(patches->records);
    fil_patch_free(&patches->work);
    *patches = (FilPatchStage){0};
}

static bool is_compliant(const FilWorldCollider* c)
{
    return c->collider.collision.enabled && c->collider.collision.surface.modulus > 0.0;
}

double fil_collision_patch_margin(const FilCollisionStage* stage, const FilWorldCollider* c)
{
    if (!is_compliant(c)) {
        return 0.0;
    }
    return c->side >= 0 ? stage->patches.sides[c->side].margin : c->collider.collision.surface.margin;
}

static bool same_shape(const FilShape* a, const FilShape* b)
{
    return a->kind == b->kind && a->radius == b->radius && a->half[0] == b->half[0] && a->half[1] == b->half[1] && a->half[2] == b->half[2] &&
           a->hull == b->hull && a->profile == b->profile;
}

/* Settings of a bounded shape's side, defaults filled in. */
static void settle(const FilShape* shape, const FilSurface* surface, FilPatchSide* side)
{
    static const FilPose origin = {.r = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    const FilAabb box = fil_shape_aabb(shape, &origin);
    const double depth = fil_skin_depth(shape), size = fil_v3_distance(box.lo, box.hi);
    *side = (FilPatchSide){.shape = *shape,
                           .def = {.modulus = surface->modulus, .resolution = surface->resolution},
                           .stiffness = surface->modulus / depth,
                           .margin = surface->margin};
    if (!(side->def.resolution > 0.0)) {
        side->def.resolution = fmax(depth / CELLS_DEEP, size / CELLS_WIDE);
    }
    if (!(side->margin > 0.0)) {
        side->margin = fmax(MARGIN_DEEP * depth, MIN_MARGIN);
    }
    side->def.margin = fmax(side->margin, LAYER * depth);
}

/* Settings of a half-space's side, which is a plane to cut by. */
static FilStatus settle_half_space(const FilWorldCollider* c, FilPatchSide* side, FilError* error)
{
    const FilSurface* surface = &c->collider.collision.surface;
    *side = (FilPatchSide){.shape = c->collider.shape, .def = {.modulus = surface->modulus, .resolution = surface->thickness}};
    if (surface->modulus > 0.0 && !(surface->thickness > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "'%s': a half-space with a modulus needs a thickness", c->name);
    }
    side->stiffness = surface->modulus > 0.0 ? surface->modulus / surface->thickness : 0.0;
    side->margin = surface->margin;
    return FIL_OK;
}

static FilStatus make_side(FilCollisionStage* stage, FilWorldCollider* c, FilError* error)
{
    FilPatchStage* patches = &stage->patches;
    FilPatchSide side;
    FilStatus status = FIL_OK;
    if (c->collider.shape.profile != NULL && is_compliant(c)) {
        return fil_error(error, FIL_BAD_INPUT, "'%s': a surface of revolution is rigid: give the modulus to what it meets", c->name);
    }
    if (c->unbounded) {
        status = settle_half_space(c, &side, error);
    } else {
        settle(&c->collider.shape, &c->collider.collision.surface, &side);
    }
    for (int k = 0; k < patches->side_count && status == FIL_OK; k++) {
        const FilPatchSide* other = &patches->sides[k];
        if (same_shape(&side.shape, &other->shape) && side.def.modulus == other->def.modulus && side.def.resolution == other->def.resolution &&
            side.margin == other->margin) {
            c->side = k;
            return FIL_OK;
        }
    }
    if (status == FIL_OK && !fil_array_reserve((void**)&patches->sides, patches->side_count, &patches->side_capacity, sizeof *patches->sides)) {
        return FIL_OUT_OF_MEMORY;
    }
    if (status == FIL_OK && side.def.modulus > 0.0 && !c->unbounded) {
        status = fil_field_create(&side.shape, &side.def, &side.field, error);
    }
    if (status == FIL_OK && (status = fil_boundary_create(&side.shape, side.def.resolution, &side.boundary, error)) != FIL_OK) {
        fil_field_free(&side.field);
    }
    if (status == FIL_OK) {
        c->side = patches->side_count;
        patches->sides[patches->side_count++] = side;
    }
    return status;
}

FilStatus fil_collision_make_sides(FilCollisionStage* stage, FilError* error)
{
    FilPatchStage* patches = &stage->patches;
    int compliant = 0;
    for (int k = patches->compliant > 0 ? patches->prepared : 0; k < stage->collider_count; k++) {
        if (is_compliant(&stage->colliders[k])) {
            patches->name = patches->compliant + compliant == 0 ? stage->colliders[k].name : patches->name;
            compliant++;
        }
    }
    patches->compliant += compliant;
    // without anyone compliant nobody needs a side
    FilStatus status = FIL_OK;
    for (; patches->compliant > 0 && patches->prepared < stage->collider_count && status == FIL_OK; patches->prepared++) {
        FilWorldCollider* c = &stage->colliders[patches->prepared];
        const bool vertex = c->sheet >= 0 && c->collider.shape.mesh == NULL;  // triangles press, see sheet_areas.c
        if (c->collider.kind == FIL_COLLIDER_SHAPE && c->collider.collision.enabled && !vertex) {
            status = make_side(stage, c, error);
        }
    }
    return status;
}
