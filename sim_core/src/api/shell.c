/* The public face of shells. */
#include <math.h>
#include <string.h>

#include "api/kinds.h"
#include "base/error.h"
#include "base/vec3.h"
#include "body/shell.h"
#include "contact/surface.h"
#include "world/world.h"

/* ---- adding ---- */

FilStatus fil_world_add_shell(FilWorld* world, const FilShellDef* def, FilId* id)
{
    char made[64];
    const char* name;
    FilStatus status = fil_world_name_object(world, def->name, "shell", made, &name);
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
    status = fil_world_add_body(world, FIL_BODY_SHELL, impl, unknowns, unknowns, 0, name, &body);
    status = status == FIL_OK ? fil_world_add_object(world, name, FIL_BODY_SHELL, body, 0, &object) : status;
    status = status == FIL_OK ? fil_world_add_colliders(world, body, &object, 1) : status;
    if (status == FIL_OK) {
        const double reach = 0.5 * impl->thickness;
        fil_collision_note_length(&world->collision, reach);
        *id = fil_make_id(world, FIL_ID_OBJECT, object);
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

/* A shell and its part of the state arrays. */
typedef struct View {
    const FilShellBody* body;
    double *q, *v;
} View;

static bool view_of(const FilWorld* world, FilId id, View* view)
{
    const FilBody* body = fil_kind_body(world, FIL_BODY_SHELL, id);
    if (body == NULL) {
        return false;
    }
    *view = (View){body->impl, world->system.state.q + body->q, world->system.state.v + body->v};
    return true;
}

static View see(const FilWorld* world, FilId id)
{
    View view = {0};
    const bool known = view_of(world, id, &view);
    FIL_ASSERT(known && "a shell's id of this world");
    (void)known;
    return view;
}

const char* fil_shell_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_SHELL, id);
}

int fil_shell_vertex_count(const FilWorld* world, FilId id)
{
    return see(world, id).body->vertex_count;
}

int fil_shell_triangle_count(const FilWorld* world, FilId id)
{
    return see(world, id).body->triangle_count;
}

int fil_shell_edge_count(const FilWorld* world, FilId id)
{
    return see(world, id).body->edge_count;
}

double fil_shell_thickness(const FilWorld* world, FilId id)
{
    return see(world, id).body->thickness;
}

void fil_shell_get_triangles(const FilWorld* world, FilId id, int* triangles)
{
    const FilShellBody* body = see(world, id).body;
    memcpy(triangles, body->triangles, sizeof(int) * 3 * (size_t)body->triangle_count);
}

void fil_shell_get_triangle(const FilWorld* world, FilId id, int triangle, int vertices[3])
{
    memcpy(vertices, see(world, id).body->triangles + 3 * (size_t)triangle, 3 * sizeof *vertices);
}

static void copy_out(const double* from, int count, double* to)
{
    for (int i = 0; i < count; i++) {
        fil_v3_copy(to + 3 * i, from + 4 * i);
    }
}

void fil_shell_get_positions(const FilWorld* world, FilId id, double* vertices)
{
    const View view = see(world, id);
    copy_out(view.q, view.body->vertex_count, vertices);
}

void fil_shell_get_position(const FilWorld* world, FilId id, int vertex, double* position)
{
    fil_v3_copy(position, see(world, id).q + 4 * vertex);
}

void fil_shell_get_velocities(const FilWorld* world, FilId id, double* vertices)
{
    const View view = see(world, id);
    copy_out(view.v, view.body->vertex_count, vertices);
}

FilStatus fil_shell_set_state(FilWorld* world, FilId id, const double* vertices, const double* velocities)
{
    View view;
    if (!view_of(world, id, &view)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "no such shell");
    }
    const int n = view.body->vertex_count;
    if ((vertices != NULL && !fil_all_finite(vertices, 3 * n)) || (velocities != NULL && !fil_all_finite(velocities, 3 * n))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the given state of the shell is not finite");
    }
    for (int i = 0; i < n; i++) {
        if (vertices != NULL) {
            fil_v3_copy(view.q + 4 * i, vertices + 3 * i);
        }
        if (velocities != NULL) {
            fil_v3_copy(view.v + 4 * i, velocities + 3 * i);
        }
    }
    return FIL_OK;
}

/* ---- what can be measured ---- */

static const FilPart parts[] = {{"vertex", "vertices", fil_shell_vertex_count}};

static const FilQuantity quantities[] = {{"vertex_position", &parts[0], 3, "m", fil_shell_get_position, NULL}};

const FilKindRow fil_shell_row = {"shell", "a shell", fil_shell_name, fil_world_find_shell, FIL_ROWS(parts), FIL_ROWS(quantities)};
