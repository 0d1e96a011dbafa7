/* The triangles of bodies as collision keeps them. */
#include "base/memory.h"
#include "collision/collision.h"

void fil_collision_free_sheets(FilCollisionStage* stage)
{
    for (int k = 0; k < stage->sheet_count; k++) {
        FilCollisionSheet* s = &stage->sheets[k];
        fil_facets_free(&s->facets);
        fil_bvh_free(&s->tree);
        fil_free(s->speed);
        fil_free(s->boxes);
    }
    fil_free(stage->sheets);
    fil_free(stage->touches.items);
    fil_pairs_free(&stage->near_sheet);
    fil_pairs_free(&stage->faces);
    fil_pairs_free(&stage->sorted);
}

FilStatus fil_collision_add_sheet(FilCollisionStage* stage, int body_index, int first)
{
    const FilBody* body = &stage->system->bodies[body_index];
    FilBodyMesh mesh = {0};
    body->ops->mesh(body->impl, &mesh);
    if (!fil_array_reserve((void**)&stage->sheets, stage->sheet_count, &stage->sheet_capacity, sizeof *stage->sheets)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilCollisionSheet* s = &stage->sheets[stage->sheet_count];
    *s = (FilCollisionSheet){.body = body_index, .first = first};
    const FilStatus status =
        fil_facets_init(&s->facets, mesh.vertex_count, mesh.triangles, mesh.triangle_count, mesh.closed, mesh.radius);
    s->speed = fil_alloc((size_t)mesh.vertex_count, sizeof *s->speed);
    s->boxes = fil_alloc((size_t)mesh.triangle_count, sizeof *s->boxes);
    stage->sheet_count++; // from here on freed with the others
    for (int v = 0; v < mesh.vertex_count; v++) {
        stage->colliders[first + v].sheet = stage->sheet_count - 1;
    }
    return status == FIL_OK && s->speed != NULL && s->boxes != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
}
