#include "collision/rays.h"

#include "base/memory.h"

/* An edge of a row, a shape, or a triangle of a sheet. */
typedef struct Surface {
    const FilWorldCollider* collider;
    int part; /* as reported */
    FilShape shape;
    FilPose pose;
    const double* corners[3]; /* of a triangle; else NULL */
    double radius;            /* m, around it */
} Surface;

/* All there is: those with bounds in front, half-spaces behind. */
typedef struct Scenery {
    Surface* surfaces;
    FilAabb* boxes;
    double** vertices; /* per sheet, 3 numbers each */
    int count, bounded;
    FilBvh tree;
} Scenery;

static bool is_vertex(const FilCollisionStage* stage, const FilWorldCollider* c)
{
    return c->sheet >= 0 && stage->sheets[c->sheet].mesh == NULL;
}

/* Vertices of sheets are not looked at: triangles have their radius around them. */
static int parts_of(const FilCollisionStage* stage, const FilWorldCollider* c)
{
    return is_vertex(stage, c) ? 0 : c->collider.kind == FIL_COLLIDER_ROW ? c->collider.edge_count : 1;
}

static void add_collider(const FilCollisionStage* stage, const FilWorldCollider* c, Scenery* scenery)
{
    const FilSystem* system = stage->system;
    const FilBody* body = &system->bodies[c->body];
    for (int part = 0; part < parts_of(stage, c); part++) {
        Surface* surface = &scenery->surfaces[scenery->count];
        *surface = (Surface){.collider = c, .part = c->collider.kind == FIL_COLLIDER_ROW ? part : c->collider.part};
        body->ops->part(body->impl, c->index, part, system->state.q + body->q, system->state.h + body->h, &surface->shape, &surface->pose);
        if (!c->unbounded) {
            scenery->boxes[scenery->count] = fil_shape_aabb(&surface->shape, &surface->pose);
        }
        scenery->count++;
    }
}

static bool add_sheet(const FilCollisionStage* stage, int index, Scenery* scenery)
{
    const FilCollisionSheet* sheet = &stage->sheets[index];
    const FilSystem* system = stage->system;
    const FilBody* body = &system->bodies[sheet->body];
    double* x = scenery->vertices[index] = fil_alloc(3 * (size_t)sheet->facets.vertex_count, sizeof *x);
    for (int v = 0; v < sheet->facets.vertex_count && x != NULL; v++) {
        FilPlacement place;
        body->ops->place(body->impl, stage->colliders[sheet->first + v].index, system->state.q + body->q, system->state.v + body->v, &place);
        fil_v3_copy(x + 3 * v, place.pose.p);
    }
    for (int t = 0; t < sheet->facets.triangle_count && x != NULL; t++) {
        Surface* surface = &scenery->surfaces[scenery->count];
        FilAabb box = fil_aabb_empty();
        *surface = (Surface){.collider = &stage->colliders[sheet->first], .part = t, .radius = sheet->facets.radius};
        for (int k = 0; k < 3; k++) {
            surface->corners[k] = x + 3 * sheet->facets.triangles[3 * t + k];
            fil_aabb_add_point(&box, surface->corners[k]);
        }
        scenery->boxes[scenery->count++] = fil_aabb_fattened(&box, surface->radius);
    }
    return x != NULL;
}

static void scenery_free(const FilCollisionStage* stage, Scenery* scenery)
{
    for (int k = 0; k < stage->sheet_count && scenery->vertices != NULL; k++) {
        fil_free(scenery->vertices[k]);
    }
    fil_free(scenery->vertices);
    fil_free(scenery->surfaces);
    fil_free(scenery->boxes);
    fil_bvh_free(&scenery->tree);
}

static FilStatus scenery_make(const FilCollisionStage* stage, Scenery* scenery)
{
    size_t room = 0;
    for (int k = 0; k < stage->collider_count; k++) {
        room += (size_t)parts_of(stage, &stage->colliders[k]);
    }
    for (int k = 0; k < stage->sheet_count; k++) {
        room += stage->sheets[k].mesh == NULL ? (size_t)stage->sheets[k].facets.triangle_count : 0;
    }
    scenery->surfaces = fil_alloc(room, sizeof *scenery->surfaces);
    scenery->boxes = fil_alloc(room, sizeof *scenery->boxes);
    scenery->vertices = fil_alloc((size_t)stage->sheet_count, sizeof *scenery->vertices);
    bool good = scenery->surfaces != NULL && scenery->boxes != NULL && scenery->vertices != NULL;
    for (int k = 0; k < stage->collider_count && good; k++) {
        if (!stage->colliders[k].unbounded) {
            add_collider(stage, &stage->colliders[k], scenery);
        }
    }
    for (int k = 0; k < stage->sheet_count && good; k++) {
        good = stage->sheets[k].mesh != NULL || add_sheet(stage, k, scenery);
    }
    scenery->bounded = scenery->count;
    for (int k = 0; k < stage->collider_count && good; k++) {
        if (stage->colliders[k].unbounded) {
            add_collider(stage, &stage->colliders[k], scenery);
        }
    }
    return good ? fil_bvh_build(&scenery->tree, scenery->boxes, scenery->bounded) : FIL_OUT_OF_MEMORY;
}

typedef struct Look {
    const Scenery* scenery;
    const FilHalfLine* ray;
    int ignored;
    double limit;
    FilRayFound* found;
} Look;

static double look_at(void* context, int item)
{
    Look* look = context;
    const Surface* s = &look->scenery->surfaces[item];
    if (s->collider->carrier == look->ignored) {
        return look->limit;
    }
    const FilRayMeeting met = s->corners[0] != NULL ? fil_ray_triangle(look->ray, s->corners[0], s->corners[1], s->corners[2], s->radius)
                                                    : fil_ray_shape(look->ray, &s->shape, &s->pose);
    if (met.distance < INFINITY && met.distance <= look->limit) {
        *look->found = (FilRayFound){met, s->collider->object, s->part};
        look->limit = met.distance;
    }
    return look->limit;
}

FilStatus fil_collision_cast(const FilCollisionStage* stage, const FilHalfLine* rays, const double* reach, int count, int ignored, FilRayFound* found)
{
    Scenery scenery = {0};
    const FilStatus status = scenery_make(stage, &scenery);
    for (int k = 0; k < count && status == FIL_OK; k++) {
        found[k] = (FilRayFound){{.distance = INFINITY}, -1, -1};
        Look look = {&scenery, &rays[k], ignored, reach[k], &found[k]};
        for (int plane = scenery.bounded; plane < scenery.count; plane++) {
            look_at(&look, plane);
        }
        fil_ray_walk(&rays[k], &scenery.tree, look.limit, look_at, &look);
    }
    scenery_free(stage, &scenery);
    return status;
}
