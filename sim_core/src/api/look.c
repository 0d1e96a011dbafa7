/* How objects look: kept for those who draw, and of no use to anybody else. */
#include "filum/look.h"

#include <math.h>
#include <string.h>

#include "api/give.h"
#include "base/memory.h"
#include "world/world.h"

FilLook fil_look_default(void)
{
    return (FilLook){.visible = true, .color = {0.5, 0.5, 0.5, 1.0}};
}

static bool is_color(const FilColor* c)
{
    const double parts[4] = {c->r, c->g, c->b, c->a};
    for (int k = 0; k < 4; k++) {
        if (!(parts[k] >= 0.0 && parts[k] <= 1.0)) {
            return false;
        }
    }
    return true;
}

FilStatus fil_world_set_look(FilWorld* world, FilId id, const FilLook* look)
{
    const int index = fil_id_find(world, FIL_ID_OBJECT, id);
    if (index < 0) {
        return FIL_BAD_INPUT;
    }
    if (look == NULL || (look->colored && !is_color(&look->color))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a look needs colours from 0 to 1");
    }
    world->objects[index].look = *look;
    return FIL_OK;
}

FilLook fil_world_look(const FilWorld* world, FilId id)
{
    const int index = fil_id_find(world, FIL_ID_OBJECT, id);
    return index >= 0 ? world->objects[index].look : fil_look_default();
}

/* ---- visuals ---- */

static bool is_shape(const FilShapeDef* shape)
{
    switch (shape->type) {
        case FIL_SHAPE_SPHERE:
            return shape->radius > 0.0;
        case FIL_SHAPE_CAPSULE:
        case FIL_SHAPE_CYLINDER:
            return shape->radius > 0.0 && shape->length > 0.0;
        case FIL_SHAPE_BOX:
            return shape->size.x > 0.0 && shape->size.y > 0.0 && shape->size.z > 0.0;
        case FIL_SHAPE_HULL:
            return shape->points != NULL && shape->point_count > 0;
        case FIL_SHAPE_MESH:
            return shape->points != NULL && shape->point_count > 0 && shape->triangles != NULL && shape->triangle_count > 0;
        case FIL_SHAPE_HALF_SPACE:
        case FIL_SHAPE_REVOLUTION:
            return false;
    }
    return false;
}

/* Corners must be points that there are. */
static bool has_corners(const FilShapeDef* shape)
{
    for (int k = 0; k < 3 * shape->triangle_count; k++) {
        if (shape->triangles[k] < 0 || shape->triangles[k] >= shape->point_count) {
            return false;
        }
    }
    return true;
}

static void* copy_array(const void* array, size_t count, size_t size)
{
    void* copy = fil_alloc(count, size);
    if (copy != NULL && count > 0) {
        memcpy(copy, array, count * size);
    }
    return copy;
}

FilStatus fil_world_add_visual(FilWorld* world, FilId id, const FilVisual* visual)
{
    const int index = fil_id_find(world, FIL_ID_OBJECT, id);
    if (index < 0) {
        return FIL_BAD_INPUT;
    }
    FilObject* object = &world->objects[index];
    if (object->kind != FIL_BODY_RIGID && object->kind != FIL_BODY_ROBOT) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' is no rigid body and no link: it is seen as it is", object->name);
    }
    if (visual == NULL || !is_shape(&visual->shape) || (visual->colored && !is_color(&visual->color))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a visual of '%s': no shape to be seen, or a colour that is none", object->name);
    }
    FilVisual copy = *visual;
    const bool meshed = copy.shape.type == FIL_SHAPE_MESH, pointed = meshed || copy.shape.type == FIL_SHAPE_HULL;
    copy.shape.point_count = pointed ? copy.shape.point_count : 0;
    copy.shape.triangle_count = meshed ? copy.shape.triangle_count : 0;
    copy.shape.radius_count = 0;
    copy.shape.radii = NULL;
    copy.shape.file = NULL;
    if (!has_corners(&copy.shape)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a visual of '%s': a triangle has a corner that is no point", object->name);
    }
    void* block = object->visuals;
    double* points = copy_array(visual->shape.points, (size_t)copy.shape.point_count, 3 * sizeof(double));
    int* triangles = copy_array(visual->shape.triangles, (size_t)copy.shape.triangle_count, 3 * sizeof(int));
    if (points == NULL || triangles == NULL ||
        !fil_grow(&block, (size_t)object->visual_count, (size_t)object->visual_count + 1, sizeof *object->visuals)) {
        fil_free(points);
        fil_free(triangles);
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    copy.shape.points = points;
    copy.shape.triangles = triangles;
    object->visuals = block;
    object->visuals[object->visual_count++] = copy;
    return FIL_OK;
}

int fil_world_visual_count(const FilWorld* world, FilId id)
{
    const int index = fil_id_find(world, FIL_ID_OBJECT, id);
    return index >= 0 ? world->objects[index].visual_count : 0;
}

FilVisual fil_world_visual(const FilWorld* world, FilId id, int visual)
{
    const int index = fil_id_find(world, FIL_ID_OBJECT, id);
    if (index < 0 || visual < 0 || visual >= world->objects[index].visual_count) {
        return (FilVisual){.shape = fil_refused_shape()};
    }
    return world->objects[index].visuals[visual];
}
