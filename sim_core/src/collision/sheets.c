/* The triangles of bodies as collision keeps them. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "collision/collision.h"

void fil_collision_free_sheets(FilCollisionStage* stage)
{
    for (int k = 0; k < stage->sheet_count; k++) {
        FilCollisionSheet* s = &stage->sheets[k];
        fil_facets_free(&s->facets);
        fil_bvh_free(&s->tree);
        if (s->own != NULL) {
            fil_bvh_free(&s->own->tree);
            fil_free(s->own->boxes);
            fil_free(s->own->normals);
            fil_free(s->own->motion);
            fil_free(s->own->reach);
            fil_free(s->own->flat);
            fil_free(s->own);
        }
        fil_free(s->joined);
        fil_free(s->speed);
        fil_free(s->ahead);
        fil_free(s->boxes);
    }
    fil_free(stage->sheets);
    fil_free(stage->touches.items);
    fil_free(stage->meetings.items);
    fil_pairs_free(&stage->near_sheet);
    fil_pairs_free(&stage->faces);
    fil_pairs_free(&stage->sorted);
}

/* Room for contact of a sheet with itself. Bent no tighter than its radius, points half a turn apart touch, as of rods
 * (fil_collision_neighbours()). */
static FilStatus make_own(FilCollisionSheet* s, const FilBodyMesh* mesh)
{
    FilOwnSheet* own = s->own = fil_alloc(1, sizeof *own);
    if (own == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    own->boxes = fil_alloc((size_t)mesh->triangle_count, sizeof *own->boxes);
    own->normals = fil_alloc(3 * (size_t)mesh->triangle_count, sizeof *own->normals);
    own->flat = fil_alloc((size_t)mesh->vertex_count, sizeof *own->flat);
    own->reach = fil_alloc((size_t)mesh->triangle_count, sizeof *own->reach);
    own->motion = fil_alloc((size_t)mesh->triangle_count, sizeof *own->motion);
    if (own->boxes == NULL || own->normals == NULL || own->flat == NULL || own->reach == NULL || own->motion == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    return fil_facets_link(&s->facets, mesh->edges, mesh->lengths, mesh->edge_count, FIL_PI * mesh->radius);
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
    *s = (FilCollisionSheet){.body = body_index, .first = first, .bedding = mesh.bedding};
    FilStatus status = fil_facets_init(&s->facets, mesh.vertex_count, mesh.triangles, mesh.triangle_count, mesh.closed, mesh.radius);
    if (status == FIL_OK && mesh.lengths != NULL && stage->colliders[first].collider.collision.self) {
        status = make_own(s, &mesh);
    }
    s->speed = fil_alloc((size_t)mesh.vertex_count, sizeof *s->speed);
    s->ahead = fil_alloc(3 * (size_t)mesh.vertex_count, sizeof *s->ahead);
    s->boxes = fil_alloc((size_t)mesh.triangle_count, sizeof *s->boxes);
    s->joined = fil_alloc((size_t)mesh.vertex_count, sizeof *s->joined);
    stage->sheet_count++;  // from here on freed with the others
    for (int v = 0; v < mesh.vertex_count; v++) {
        stage->colliders[first + v].sheet = stage->sheet_count - 1;
        if (s->joined != NULL) {
            s->joined[v] = -1;
        }
    }
    return status == FIL_OK && s->speed != NULL && s->ahead != NULL && s->boxes != NULL && s->joined != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
}

/* ---- rigid shapes ---- */

FilStatus fil_collision_add_mesh(FilCollisionStage* stage, int collider)
{
    const FilTriMesh* mesh = stage->colliders[collider].collider.shape.mesh;
    if (!fil_array_reserve((void**)&stage->sheets, stage->sheet_count, &stage->sheet_capacity, sizeof *stage->sheets)) {
        return FIL_OUT_OF_MEMORY;
    }
    FilCollisionSheet* s = &stage->sheets[stage->sheet_count];
    *s = (FilCollisionSheet){.body = stage->colliders[collider].body, .first = collider, .mesh = mesh, .pace = -1.0};
    const FilStatus status = fil_facets_init(&s->facets, mesh->mesh.vertex_count, mesh->mesh.triangles, mesh->mesh.triangle_count, true, 0.0);
    s->boxes = fil_alloc((size_t)mesh->mesh.triangle_count, sizeof *s->boxes);
    stage->colliders[collider].sheet = stage->sheet_count++;
    return status == FIL_OK && s->boxes != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
}

/* Its vertices where it is; false if they and its speed are the same as before. */
static bool pose_mesh(const FilCollisionStage* stage, FilCollisionSheet* s)
{
    const FilPlacement* place = &stage->colliders[s->first].place;
    if (place->speed == s->pace && memcmp(&place->pose, &s->pose, sizeof s->pose) == 0) {
        return false;
    }
    s->pose = place->pose;
    s->pace = place->speed;
    for (int k = 0; k < s->facets.vertex_count; k++) {
        fil_pose_apply(s->facets.x + 3 * k, &s->pose, s->mesh->mesh.vertices + 3 * k);
    }
    return true;
}

int fil_collision_sheet_collider(const FilCollisionSheet* s, int vertex)
{
    return s->mesh != NULL ? s->first : s->first + vertex;
}

int fil_collision_sheet_part(const FilCollisionSheet* s, int triangle)
{
    return s->mesh != NULL ? 0 : 1 + triangle;
}

/* ---- bounds ---- */

void fil_collision_place_sheet(FilCollisionStage* stage, FilCollisionSheet* s, double dt)
{
    if (s->mesh != NULL) {
        const FilWorldCollider* c = &stage->colliders[s->first];
        s->bounds = c->collider.collision.enabled ? stage->tree.tight[s->first] : fil_aabb_empty();
        s->ready = false;
        return;
    }
    const double* v = stage->system->state.v + stage->system->bodies[s->body].v;
    FilBodyMesh mesh = {0};
    stage->system->bodies[s->body].ops->mesh(stage->system->bodies[s->body].impl, &mesh);
    s->bounds = fil_aabb_empty();
    s->ready = false;
    for (int k = 0; k < s->facets.vertex_count; k++) {
        const int block = mesh.blocks != NULL ? mesh.blocks[k] : k;
        double ahead[3];
        fil_v3_copy(s->facets.x + 3 * k, stage->colliders[s->first + k].place.pose.p);
        s->speed[k] = stage->colliders[s->first + k].place.speed;
        fil_v3_copy(ahead, s->facets.x + 3 * k);
        fil_v3_axpy(ahead, FIL_LOOK_AHEAD * dt, v + 4 * block);
        fil_aabb_add_point(&s->bounds, s->facets.x + 3 * k);
        fil_aabb_add_point(&s->bounds, ahead);
    }
    s->bounds = fil_aabb_fattened(&s->bounds, s->facets.radius + FIL_SHEETS_AT_REST * fil_v3_distance(s->bounds.lo, s->bounds.hi));
}

FilStatus fil_collision_ready_sheet(const FilCollisionStage* stage, FilCollisionSheet* s, double dt)
{
    const FilFacets* facets = &s->facets;
    if (s->ready || (s->mesh != NULL && !pose_mesh(stage, s))) {
        return FIL_OK;
    }
    for (int t = 0; t < facets->triangle_count; t++) {
        FilAabb box = fil_aabb_empty();
        for (int k = 0; k < 3; k++) {
            fil_aabb_add_point(&box, fil_facets_corner(facets, t, k));
        }
        const double around =
            facets->radius + FIL_SHEETS_AT_REST * fil_facets_size(facets, t) + FIL_LOOK_AHEAD * dt * fil_collision_sheet_speed(s, t);
        s->boxes[t] = fil_aabb_fattened(&box, around);
    }
    s->ready = true;
    return fil_bvh_update(&s->tree, s->boxes, facets->triangle_count);
}

void fil_collision_note_join(FilCollisionStage* stage, const FilBodySide* side, const FilBodySide* other)
{
    for (int k = 0; k < stage->sheet_count && side->point >= 0 && other->body >= 0; k++) {
        FilCollisionSheet* s = &stage->sheets[k];
        if (s->body != side->body || s->mesh != NULL) {
            continue;
        }
        const FilBody* own = &stage->system->bodies[s->body];
        FilBodyMesh mesh = {0};
        own->ops->mesh(own->impl, &mesh);
        for (int v = 0; v < mesh.vertex_count; v++) {
            if (side->point == (mesh.blocks != NULL ? mesh.blocks[v] : v)) {
                s->joined[v] = s->joined[v] == -1 || s->joined[v] == other->body ? other->body : FIL_JOINED_TO_MANY;
            }
        }
    }
}

/* The same from the joins themselves. */
static bool find_join(const FilCollisionStage* stage, const FilCollisionSheet* s, int vertex, int body)
{
    const FilBody* own = &stage->system->bodies[s->body];
    FilBodyMesh mesh = {0};
    own->ops->mesh(own->impl, &mesh);
    const int point = mesh.blocks != NULL ? mesh.blocks[vertex] : vertex;
    for (int j = 0; j < stage->join_count; j++) {
        for (int first = 0; first < 2; first++) {
            const FilBodySide *side = &stage->joins[j].side[first], *other = &stage->joins[j].side[1 - first];
            if (side->body == s->body && side->point == point && other->body == body) {
                return true;
            }
        }
    }
    return false;
}

bool fil_collision_vertex_joined(const FilCollisionStage* stage, const FilCollisionSheet* s, int vertex, int body)
{
    return s->mesh == NULL && (s->joined[vertex] == body || (s->joined[vertex] == FIL_JOINED_TO_MANY && find_join(stage, s, vertex, body)));
}

bool fil_collision_sheet_joined(const FilCollisionStage* stage, const FilCollisionSheet* s, int triangle, int body)
{
    const int* corner = s->facets.triangles + 3 * triangle;
    return fil_collision_vertex_joined(stage, s, corner[0], body) || fil_collision_vertex_joined(stage, s, corner[1], body) ||
           fil_collision_vertex_joined(stage, s, corner[2], body);
}

double fil_collision_sheet_speed(const FilCollisionSheet* s, int triangle)
{
    const int* corner = s->facets.triangles + 3 * triangle;
    if (s->mesh != NULL) {
        return s->pace;
    }
    return fmax(fmax(s->speed[corner[0]], s->speed[corner[1]]), s->speed[corner[2]]);
}

double fil_collision_sheet_closing(const FilCollisionStage* stage, const FilCollisionSheet* s, int t, const FilPlacement* place)
{
    double closing = 0.0;
    for (int k = 0; k < 3; k++) {
        const int vertex = s->first + s->facets.triangles[3 * t + k];
        closing = fmax(closing, fil_placement_closing(&stage->colliders[vertex].place, place));
    }
    return closing;
}

/* m/s, at which two triangles come closer, at most: no faster than any two of their vertices. */
static double closing_speed(const FilCollisionStage* stage, const FilCollisionSheet* a, int s, const FilCollisionSheet* b, int t)
{
    double closing = 0.0;
    if (a->mesh != NULL || b->mesh != NULL) {
        return fil_collision_sheet_speed(a, s) + fil_collision_sheet_speed(b, t);
    }
    for (int k = 0; k < 9; k++) {
        const int u = a->first + a->facets.triangles[3 * s + k / 3], v = b->first + b->facets.triangles[3 * t + k % 3];
        closing = fmax(closing, fil_placement_closing(&stage->colliders[u].place, &stage->colliders[v].place));
    }
    return closing;
}

double fil_collision_sheet_margin(const FilCollisionStage* stage, const FilCollisionSheet* a, int s, const FilCollisionSheet* b, int t, double dt)
{
    const double sizes = fmin(fil_facets_size(&a->facets, s), fil_facets_size(&b->facets, t));
    return FIL_LOOK_AHEAD * dt * closing_speed(stage, a, s, b, t) + FIL_SHEETS_AT_REST * sizes;
}
