/* The public face of solids. */
#include <math.h>
#include <string.h>

#include "api/chambers.h"
#include "api/kinds.h"
#include "api/vertices.h"
#include "base/vec3.h"
#include "body/solid.h"
#include "contact/surface.h"
#include "geometry/tet_quality.h"
#include "world/world.h"

/* ---- adding ---- */

static double mean_edge(const FilSolidBody* body)
{
    double sum = 0.0;
    for (int e = 0; e < body->edge_count; e++) {
        const int *ends = body->surface_edges + 2 * e, a = body->surface[ends[0]], b = body->surface[ends[1]];
        sum += fil_v3_distance(body->initial_q + 4 * a, body->initial_q + 4 * b);
    }
    return sum / body->edge_count;
}

FilStatus fil_world_add_solid(FilWorld* world, const FilSolidDef* def, FilId* id)
{
    if (def == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a solid needs a definition");
    }
    char made[64];
    const char* name;
    FilStatus status = fil_world_name_object(world, def->name, "solid", made, &name);
    if (status == FIL_OK && (def->vertex_count > FIL_COUNT_MAX || def->tet_count > FIL_COUNT_MAX)) {
        status =
            fil_world_fail(world, FIL_BAD_INPUT, "solid '%s': %d vertices and %d elements are too many", name, def->vertex_count, def->tet_count);
    }
    if (status != FIL_OK) {
        return status;
    }
    FilError inner;
    FilSolidBody* impl = NULL;
    status = fil_surface_check(&def->collision.surface, &inner);
    status = status == FIL_OK ? fil_solid_create(def, &impl, &inner) : status;
    if (status != FIL_OK) {
        return fil_world_fail(world, status, "solid '%s': %s", name, inner.text);
    }
    int body, object;
    const int unknowns = 4 * impl->mesh.vertex_count;
    status = fil_world_add_body(world, FIL_BODY_SOLID, impl, unknowns, unknowns, FIL_CHAMBER_HISTORY * impl->chambers.count, name, &body);
    status = status == FIL_OK ? fil_world_add_object(world, name, FIL_BODY_SOLID, body, 0, &object) : status;
    status = status == FIL_OK ? fil_world_add_colliders(world, body, &object, 1) : status;
    if (status == FIL_OK) {
        // the mean edge, if its surface has no thickness
        const double reach = impl->radius > 0.0 ? impl->radius : mean_edge(impl);
        fil_collision_note_length(&world->collision, reach);
        fil_give_id(world, FIL_ID_OBJECT, object, id);
    }
    return status;
}

int fil_world_solid_count(const FilWorld* world)
{
    return fil_kind_count(world, FIL_BODY_SOLID);
}

FilId fil_world_solid_at(const FilWorld* world, int index)
{
    return fil_kind_at(world, FIL_BODY_SOLID, index);
}

FilId fil_world_find_solid(const FilWorld* world, const char* name)
{
    return fil_kind_find(world, FIL_BODY_SOLID, name);
}

/* ---- state ---- */

static bool see(const FilWorld* world, FilId id, FilView* view)
{
    return fil_kind_view(world, FIL_BODY_SOLID, "solid", id, view);
}

/* The solid's own data, NULL and a message if the id is of no solid. */
static const FilSolidBody* body_of(const FilWorld* world, FilId id)
{
    FilView view;
    return see(world, id, &view) ? view.impl : NULL;
}

const char* fil_solid_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_SOLID, id);
}

int fil_solid_vertex_count(const FilWorld* world, FilId id)
{
    const FilSolidBody* body = body_of(world, id);
    return body != NULL ? body->mesh.vertex_count : 0;
}

int fil_solid_tet_count(const FilWorld* world, FilId id)
{
    const FilSolidBody* body = body_of(world, id);
    return body != NULL ? body->mesh.tet_count : 0;
}

int fil_solid_triangle_count(const FilWorld* world, FilId id)
{
    const FilSolidBody* body = body_of(world, id);
    return body != NULL ? body->mesh.triangle_count : 0;
}

FilSolidModel fil_solid_model(const FilWorld* world, FilId id)
{
    const FilSolidBody* body = body_of(world, id);
    return body != NULL ? body->model : FIL_SOLID_MODEL_COUNT;
}

double fil_solid_mass(const FilWorld* world, FilId id)
{
    const FilSolidBody* body = body_of(world, id);
    return body != NULL ? fil_solid_ops.mass(body) : NAN;
}

void fil_solid_get_triangle(const FilWorld* world, FilId id, int triangle, int vertices[3])
{
    const FilSolidBody* body = body_of(world, id);
    if (body != NULL && vertices != NULL &&
        fil_world_has_part(world, "solid", fil_solid_name(world, id), "triangle", triangle, body->mesh.triangle_count)) {
        memcpy(vertices, body->mesh.triangles + 3 * (size_t)triangle, 3 * sizeof *vertices);
    }
}

static FilVertexView vertices_of(const FilWorld* world, FilId id)
{
    FilVertexView of = {.kind = "solid"};
    of.count = see(world, id, &of.view) ? ((const FilSolidBody*)of.view.impl)->mesh.vertex_count : 0;
    return of;
}

void fil_solid_get_positions(const FilWorld* world, FilId id, double* vertices)
{
    const FilVertexView of = vertices_of(world, id);
    fil_vertex_view_positions(&of, vertices);
}

void fil_solid_get_position(const FilWorld* world, FilId id, int vertex, double* position)
{
    const FilVertexView of = vertices_of(world, id);
    fil_vertex_view_position(world, &of, vertex, position);
}

void fil_solid_get_velocities(const FilWorld* world, FilId id, double* vertices)
{
    const FilVertexView of = vertices_of(world, id);
    fil_vertex_view_velocities(&of, vertices);
}

FilStatus fil_solid_set_state(FilWorld* world, FilId id, const double* vertices, const double* velocities)
{
    const FilVertexView of = vertices_of(world, id);
    return fil_vertex_view_set(world, &of, vertices, velocities);
}

FilVec3 fil_solid_center(const FilWorld* world, FilId id)
{
    FilView view;
    double sum[3] = {NAN, NAN, NAN};
    if (see(world, id, &view)) {
        const FilSolidBody* body = view.impl;
        const double whole = fil_solid_ops.mass(body);
        fil_v3_set(sum, 0.0, 0.0, 0.0);
        for (int i = 0; i < body->mesh.vertex_count; i++) {
            fil_v3_axpy(sum, body->mass[i] / whole, view.q + 4 * i);
        }
    }
    return (FilVec3){sum[0], sum[1], sum[2]};
}

FilSolidMeasure fil_solid_measure(const FilWorld* world, FilId id)
{
    FilView view;
    return see(world, id, &view) ? fil_solid_measure_at(view.impl, view.q) : (FilSolidMeasure){NAN, NAN, NAN, NAN, NAN};
}

FilStatus fil_solid_quality(const FilWorld* world, FilId id, FilSolidQuality* quality)
{
    FilView view;
    FilTetQuality found;
    if (!see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    const FilStatus status = fil_tet_mesh_quality(&((const FilSolidBody*)view.impl)->mesh, &found, NULL);
    if (status == FIL_OK) {
        *quality = (FilSolidQuality){found.min_dihedral, found.max_dihedral, found.min_radius_ratio, found.min_radius_ratio_tet, found.pieces};
    }
    return status;
}

/* ---- gas ---- */

static FilChamberView chambers_of(const FilWorld* world, FilId id)
{
    FilChamberView of = {.kind = "solid"};
    of.chambers = see(world, id, &of.view) ? &((const FilSolidBody*)of.view.impl)->chambers : NULL;
    return of;
}

int fil_solid_chamber_count(const FilWorld* world, FilId id)
{
    const FilChamberView of = chambers_of(world, id);
    return of.chambers != NULL ? of.chambers->count : 0;
}

double fil_solid_chamber_volume(const FilWorld* world, FilId id, int chamber)
{
    const FilChamberView of = chambers_of(world, id);
    return fil_chamber_view_volume(world, &of, chamber);
}

double fil_solid_chamber_pressure(const FilWorld* world, FilId id, int chamber)
{
    const FilChamberView of = chambers_of(world, id);
    return fil_chamber_view_pressure(world, &of, chamber);
}

FilStatus fil_solid_set_pressure(FilWorld* world, FilId id, int chamber, double pressure)
{
    const FilChamberView of = chambers_of(world, id);
    return fil_chamber_view_command(world, &of, chamber, true, pressure);
}

FilStatus fil_solid_release_pressure(FilWorld* world, FilId id, int chamber)
{
    const FilChamberView of = chambers_of(world, id);
    return fil_chamber_view_command(world, &of, chamber, false, 0.0);
}

/* ---- what can be measured ---- */

static void measure_chamber_volume(const FilWorld* world, FilId of, int index, double* out)
{
    *out = fil_solid_chamber_volume(world, of, index);
}

static void measure_chamber_pressure(const FilWorld* world, FilId of, int index, double* out)
{
    *out = fil_solid_chamber_pressure(world, of, index);
}

static void measure_center(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    const FilVec3 center = fil_solid_center(world, of);
    fil_v3_set(out, center.x, center.y, center.z);
}

static FilSolidVolumes volumes_of(const FilWorld* world, FilId of)
{
    FilView view;
    return see(world, of, &view) ? fil_solid_volumes_at(view.impl, view.q) : (FilSolidVolumes){NAN, NAN};
}

static void measure_volume(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    *out = volumes_of(world, of).volume;
}

static void measure_strain_energy(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    *out = fil_solid_measure(world, of).strain_energy;
}

static void measure_max_strain(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    *out = fil_solid_measure(world, of).max_strain;
}

static void measure_max_stress(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    *out = fil_solid_measure(world, of).max_stress;
}

static void measure_min_jacobian(const FilWorld* world, FilId of, int index, double* out)
{
    (void)index;
    *out = volumes_of(world, of).min_jacobian;
}

static const FilPart parts[] = {{"vertex", "vertices", fil_solid_vertex_count}, {"chamber", "chambers", fil_solid_chamber_count}};

static const FilQuantity quantities[] = {
    {"solid_vertex_position", &parts[0], 3, "m", fil_solid_get_position, NULL},
    {"solid_center", NULL, 3, "m", measure_center, NULL},
    {"volume", NULL, 1, "m^3", measure_volume, NULL},
    {"strain_energy", NULL, 1, "J", measure_strain_energy, NULL},
    {"max_strain", NULL, 1, "1", measure_max_strain, NULL},
    {"max_stress", NULL, 1, "Pa", measure_max_stress, NULL},
    {"min_jacobian", NULL, 1, "1", measure_min_jacobian, NULL},
    {"cavity_volume", &parts[1], 1, "m^3", measure_chamber_volume, NULL},
    {"cavity_pressure", &parts[1], 1, "Pa", measure_chamber_pressure, NULL},
};

const FilKindRow fil_solid_row = {"solid", "a solid", fil_solid_name, fil_world_find_solid, FIL_ROWS(parts), FIL_ROWS(quantities)};
