/* The public face of shells. */
#include <math.h>
#include <string.h>

#include "api/chambers.h"
#include "api/kinds.h"
#include "api/vertices.h"
#include "base/vec3.h"
#include "body/shell.h"
#include "contact/surface.h"
#include "world/world.h"

/* ---- adding ---- */

FilStatus fil_world_add_shell(FilWorld* world, const FilShellDef* def, FilId* id)
{
    if (def == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a shell needs a definition");
    }
    char made[64];
    const char* name;
    FilStatus status = fil_world_name_object(world, def->name, "shell", made, &name);
    if (status == FIL_OK && (unsigned)def->bending > FIL_BENDING_HINGES) {
        status = fil_world_fail(world, FIL_BAD_INPUT, "shell '%s': unknown bending %d", name, (int)def->bending);
    }
    if (status == FIL_OK && (def->vertex_count > FIL_COUNT_MAX || def->triangle_count > FIL_COUNT_MAX)) {
        status = fil_world_fail(world, FIL_BAD_INPUT, "shell '%s': %d vertices and %d triangles are too many", name, def->vertex_count,
                                def->triangle_count);
    }
    if (status != FIL_OK) {
        return status;
    }
    FilError inner;
    FilShellBody* impl = NULL;
    status = fil_surface_check(&def->collision.surface, &inner);
    status = status == FIL_OK ? fil_shell_create(def, &impl, &inner) : status;
    if (status != FIL_OK) {
        return fil_world_fail(world, status, "shell '%s': %s", name, inner.text);
    }
    int body, object;
    const int unknowns = 4 * impl->vertex_count;
    status = fil_world_add_body(world, FIL_BODY_SHELL, impl, unknowns, unknowns, FIL_CHAMBER_HISTORY * impl->chambers.count, name, &body);
    status = status == FIL_OK ? fil_world_add_object(world, name, FIL_BODY_SHELL, body, 0, &object) : status;
    status = status == FIL_OK ? fil_world_add_colliders(world, body, &object, 1) : status;
    if (status == FIL_OK) {
        const double reach = 0.5 * impl->thickness;
        fil_collision_note_length(&world->collision, reach);
        fil_give_id(world, FIL_ID_OBJECT, object, id);
    }
    return status;
}

int fil_world_shell_count(const FilWorld* world)
{
    return fil_kind_count(world, FIL_BODY_SHELL);
}

FilId fil_world_shell_at(const FilWorld* world, int index)
{
    return fil_kind_at(world, FIL_BODY_SHELL, index);
}

FilId fil_world_find_shell(const FilWorld* world, const char* name)
{
    return fil_kind_find(world, FIL_BODY_SHELL, name);
}

/* ---- state ---- */

static bool see(const FilWorld* world, FilId id, FilView* view)
{
    return fil_kind_view(world, FIL_BODY_SHELL, "shell", id, view);
}

/* The shell's own data, NULL and a message if the id is of no shell. */
static const FilShellBody* body_of(const FilWorld* world, FilId id)
{
    FilView view;
    return see(world, id, &view) ? view.impl : NULL;
}

const char* fil_shell_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_SHELL, id);
}

int fil_shell_vertex_count(const FilWorld* world, FilId id)
{
    const FilShellBody* body = body_of(world, id);
    return body != NULL ? body->vertex_count : 0;
}

int fil_shell_triangle_count(const FilWorld* world, FilId id)
{
    const FilShellBody* body = body_of(world, id);
    return body != NULL ? body->triangle_count : 0;
}

int fil_shell_edge_count(const FilWorld* world, FilId id)
{
    const FilShellBody* body = body_of(world, id);
    return body != NULL ? body->edge_count : 0;
}

double fil_shell_thickness(const FilWorld* world, FilId id)
{
    const FilShellBody* body = body_of(world, id);
    return body != NULL ? body->thickness : NAN;
}

void fil_shell_get_triangles(const FilWorld* world, FilId id, int* triangles)
{
    const FilShellBody* body = body_of(world, id);
    if (body != NULL && triangles != NULL) {
        memcpy(triangles, body->triangles, sizeof(int) * 3 * (size_t)body->triangle_count);
    }
}

void fil_shell_get_triangle(const FilWorld* world, FilId id, int triangle, int vertices[3])
{
    const FilShellBody* body = body_of(world, id);
    if (body != NULL && vertices != NULL &&
        fil_world_has_part(world, "shell", fil_shell_name(world, id), "triangle", triangle, body->triangle_count)) {
        memcpy(vertices, body->triangles + 3 * (size_t)triangle, 3 * sizeof *vertices);
    }
}

static FilVertexView vertices_of(const FilWorld* world, FilId id)
{
    FilVertexView of = {.kind = "shell"};
    of.count = see(world, id, &of.view) ? ((const FilShellBody*)of.view.impl)->vertex_count : 0;
    return of;
}

void fil_shell_get_positions(const FilWorld* world, FilId id, double* vertices)
{
    const FilVertexView of = vertices_of(world, id);
    fil_vertex_view_positions(&of, vertices);
}

void fil_shell_get_position(const FilWorld* world, FilId id, int vertex, double* position)
{
    const FilVertexView of = vertices_of(world, id);
    fil_vertex_view_position(world, &of, vertex, position);
}

void fil_shell_get_velocities(const FilWorld* world, FilId id, double* vertices)
{
    const FilVertexView of = vertices_of(world, id);
    fil_vertex_view_velocities(&of, vertices);
}

FilStatus fil_shell_set_state(FilWorld* world, FilId id, const double* vertices, const double* velocities)
{
    const FilVertexView of = vertices_of(world, id);
    return fil_vertex_view_set(world, &of, vertices, velocities);
}

/* ---- gas ---- */

static FilChamberView chambers_of(const FilWorld* world, FilId id)
{
    FilChamberView of = {.kind = "shell"};
    of.chambers = see(world, id, &of.view) ? &((const FilShellBody*)of.view.impl)->chambers : NULL;
    return of;
}

int fil_shell_chamber_count(const FilWorld* world, FilId id)
{
    const FilChamberView of = chambers_of(world, id);
    return of.chambers != NULL ? of.chambers->count : 0;
}

double fil_shell_chamber_volume(const FilWorld* world, FilId id, int chamber)
{
    const FilChamberView of = chambers_of(world, id);
    return fil_chamber_view_volume(world, &of, chamber);
}

double fil_shell_chamber_pressure(const FilWorld* world, FilId id, int chamber)
{
    const FilChamberView of = chambers_of(world, id);
    return fil_chamber_view_pressure(world, &of, chamber);
}

FilStatus fil_shell_set_pressure(FilWorld* world, FilId id, int chamber, double pressure)
{
    const FilChamberView of = chambers_of(world, id);
    return fil_chamber_view_command(world, &of, chamber, true, pressure);
}

FilStatus fil_shell_release_pressure(FilWorld* world, FilId id, int chamber)
{
    const FilChamberView of = chambers_of(world, id);
    return fil_chamber_view_command(world, &of, chamber, false, 0.0);
}

/* ---- what can be measured ---- */

static void measure_chamber_volume(const FilWorld* world, FilId of, int index, double* out)
{
    *out = fil_shell_chamber_volume(world, of, index);
}

static void measure_chamber_pressure(const FilWorld* world, FilId of, int index, double* out)
{
    *out = fil_shell_chamber_pressure(world, of, index);
}

static const FilPart parts[] = {{"vertex", "vertices", fil_shell_vertex_count}, {"chamber", "chambers", fil_shell_chamber_count}};

static const FilQuantity quantities[] = {
    {"vertex_position", &parts[0], 3, "m", fil_shell_get_position, NULL},
    {"chamber_volume", &parts[1], 1, "m^3", measure_chamber_volume, NULL},
    {"chamber_pressure", &parts[1], 1, "Pa", measure_chamber_pressure, NULL},
};

const FilKindRow fil_shell_row = {"shell", "a shell", fil_shell_name, fil_world_find_shell, FIL_ROWS(parts), FIL_ROWS(quantities)};
