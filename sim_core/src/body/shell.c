#include "body/shell.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "body/triangle.h"

FilShellDef fil_shell_def_default(void)
{
    return (FilShellDef){.bending = FIL_BENDING_NORMALS, .gas = fil_gas_default(), .collision = fil_collision_default()};
}

/* ---- making ---- */

static void destroy(void* pointer)
{
    FilShellBody* body = pointer;
    if (body == NULL) {
        return;
    }
    fil_vertex_holds_free(&body->holds);
    fil_chambers_free(&body->chambers);
    fil_block_cholesky_destroy(body->cholesky);
    void* blocks[] = {body->triangles,   body->edges,         body->folds,
                      body->edge_ends,   body->edge_lengths,  body->mass,
                      body->initial_q,   body->initial_v,     body->load,
                      body->block_start, body->block_column,  body->block_row,
                      body->edge_slots,  body->fold_slots,    body->values,
                      body->damping,     body->held,          body->held_q,
                      body->q_theta,     body->v_theta,       body->gradient,
                      body->reaction,    body->damped,        body->bends,
                      body->pulls,       body->part_elements, body->block_terms_start,
                      body->block_terms, body->light,         body->stretching,
                      body->heavy};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
    fil_free(body);
}

static FilStatus check_def(const FilShellDef* def, FilError* error)
{
    if (def->vertex_count < 3 || def->triangle_count < 1 || def->vertices == NULL || def->triangles == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "a shell needs at least 3 vertices and 1 triangle, not %d and %d", def->vertex_count,
                         def->triangle_count);
    }
    const FilCheckedNumber numbers[] = {{"thickness", def->thickness, true},
                                        {"young", def->young, true},
                                        {"density", def->density, true},
                                        {"damping_mass", def->damping_mass, false},
                                        {"damping_stiffness", def->damping_stiffness, false}};
    const FilStatus status = fil_check_numbers(numbers, sizeof numbers / sizeof numbers[0], error);
    if (status != FIL_OK) {
        return status;
    }
    if (!(def->poisson > -1.0 && def->poisson < 1.0)) {
        return fil_error(error, FIL_BAD_INPUT, "poisson must lie between -1 and 1, not %g", def->poisson);
    }
    if (!fil_all_finite(def->vertices, 3 * def->vertex_count) ||
        (def->velocities != NULL && !fil_all_finite(def->velocities, 3 * def->vertex_count))) {
        return fil_error(error, FIL_BAD_INPUT, "vertices and velocities must be finite");
    }
    return FIL_OK;
}

static FilStatus allocate(FilShellBody* body, FilError* error)
{
    const size_t vertices = (size_t)body->vertex_count, unknowns = 4 * vertices;
    double** vectors[] = {&body->initial_q, &body->initial_v, &body->load,     &body->held_q, &body->q_theta,
                          &body->v_theta,   &body->gradient,  &body->reaction, &body->damped};
    bool ok = true;
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        *vectors[k] = fil_alloc(unknowns, sizeof(double));
        ok = ok && *vectors[k] != NULL;
    }
    body->mass = fil_alloc(vertices, sizeof(double));
    body->held = fil_alloc(unknowns, sizeof(bool));
    body->triangles = fil_alloc(3 * (size_t)body->triangle_count, sizeof(int));
    ok = ok && body->mass != NULL && body->held != NULL && body->triangles != NULL;
    return ok ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
}

static FilStatus build_chambers(FilShellBody* body, const FilShellDef* def, FilError* error)
{
    if (def->gas.law != FIL_GAS_NONE && body->fold_count < body->edge_count) {
        return fil_error(error, FIL_BAD_INPUT, "gas needs a closed shell, but %d of its %d edges belong to one triangle only",
                         body->edge_count - body->fold_count, body->edge_count);
    }
    return fil_chambers_build(&body->chambers, &def->gas, def->vertex_count, def->vertices, 3, def->triangles, def->triangle_count, false, error);
}

FilStatus fil_shell_create(const FilShellDef* def, FilShellBody** out, FilError* error)
{
    *out = NULL;
    FilStatus status = check_def(def, error);
    FilShellBody* body = status == FIL_OK ? fil_alloc(1, sizeof *body) : NULL;
    if (body == NULL) {
        return status != FIL_OK ? status : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    body->vertex_count = def->vertex_count;
    body->triangle_count = def->triangle_count;
    body->bending = def->bending;
    body->thickness = def->thickness;
    body->damping_mass = def->damping_mass;
    body->damping_stiffness = def->damping_stiffness;
    body->collision = def->collision;
    status = allocate(body, error);
    status = status == FIL_OK ? fil_shell_build_mesh(body, def, error) : status;
    status = status == FIL_OK ? build_chambers(body, def, error) : status;
    status = status == FIL_OK ? fil_shell_build_pattern(body, error) : status;
    if (status != FIL_OK) {
        destroy(body);
        return status;
    }
    memcpy(body->triangles, def->triangles, sizeof(int) * 3 * (size_t)def->triangle_count);
    for (int i = 0; i < def->vertex_count; i++) {
        fil_v3_copy(body->initial_q + 4 * i, def->vertices + 3 * i);
        if (def->velocities != NULL) {
            fil_v3_copy(body->initial_v + 4 * i, def->velocities + 3 * i);
        }
    }
    *out = body;
    return FIL_OK;
}

static int dofs(const void* pointer)
{
    return 3 * ((const FilShellBody*)pointer)->vertex_count;
}

static void init_state(const void* pointer, double* q, double* v, double* h)
{
    const FilShellBody* body = pointer;
    fil_chambers_init(&body->chambers, h);
    memcpy(q, body->initial_q, sizeof(double) * 4 * (size_t)body->vertex_count);
    memcpy(v, body->initial_v, sizeof(double) * 4 * (size_t)body->vertex_count);
}

/* ---- measures ---- */

static void energy(const void* pointer, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to)
{
    const FilShellBody* body = pointer;
    for (int i = 0; i < body->vertex_count; i++) {
        add_to->kinetic += 0.5 * body->mass[i] * fil_v3_dot(v + 4 * i, v + 4 * i);
        add_to->gravity -= body->mass[i] * fil_v3_dot(gravity, q + 4 * i);
    }
    add_to->elastic += fil_shell_elastic_energy(body, q) + fil_chambers_energy(&body->chambers, q, h);
}

static void momentum(const void* pointer, const double* q, const double* v, const double* h, double* linear, double* angular)
{
    (void)h;
    const FilShellBody* body = pointer;
    for (int i = 0; i < body->vertex_count; i++) {
        double moment[3];
        fil_v3_cross(moment, q + 4 * i, v + 4 * i);
        fil_v3_axpy(linear, body->mass[i], v + 4 * i);
        fil_v3_axpy(angular, body->mass[i], moment);
    }
}

/* ---- contact at the level of velocities: vertices as spheres (part 0), and triangles (part 1 on) ---- */

static int collider_count(const void* pointer)
{
    return ((const FilShellBody*)pointer)->vertex_count;
}

static void collider(const void* pointer, int index, FilCollider* out)
{
    const FilShellBody* body = pointer;
    *out = (FilCollider){
        .kind = FIL_COLLIDER_SHAPE, .part = index, .movable = true, .collision = body->collision, .shape = fil_shape_sphere(0.5 * body->thickness)};
}

static void mesh_of(const void* pointer, FilBodyMesh* out)
{
    const FilShellBody* body = pointer;
    *out = (FilBodyMesh){.vertex_count = body->vertex_count,
                         .edge_count = body->edge_count,
                         .triangle_count = body->triangle_count,
                         .edges = body->edge_ends,
                         .lengths = body->edge_lengths,
                         .triangles = body->triangles,
                         .radius = 0.5 * body->thickness};
}

static void frame(const void* pointer, int index, int part, const double* q, const double* h, FilPose* pose)
{
    static const double axes[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    (void)pointer, (void)part, (void)h;
    memcpy(pose->r, axes, sizeof axes);
    fil_v3_copy(pose->p, q + 4 * index);
}

static void place(const void* pointer, int index, const double* q, const double* v, FilPlacement* out)
{
    const double* own = v + 4 * index;
    *out = (FilPlacement){.speed = fil_v3_norm(own), .has_velocity = true, .velocity = {own[0], own[1], own[2]}};
    frame(pointer, index, 0, q, NULL, &out->pose);
}

static void part_of(const void* pointer, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose)
{
    *shape = fil_shape_sphere(0.5 * ((const FilShellBody*)pointer)->thickness);
    frame(pointer, index, part, q, h, pose);
}

static bool joined(const void* pointer, int index_a, int part_a, int index_b, int part_b)
{
    (void)pointer, (void)index_a, (void)part_a, (void)index_b, (void)part_b;
    return true;  // spheres at vertices say nothing about a sheet's contact with itself
}

static int point_jacobian(const void* pointer, int index, int part, const double* point, const double* q, int* blocks, double* jacobian, double* bias)
{
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    if (part > 0) {
        return fil_triangle_jacobian(((const FilShellBody*)pointer)->triangles + 3 * (part - 1), point, q, blocks, jacobian);
    }
    memset(jacobian, 0, 12 * sizeof(double));
    jacobian[0] = jacobian[5] = jacobian[10] = 1.0;
    blocks[0] = index;
    return 1;
}

static int turn_jacobian(const void* pointer, int index, int part, const double* q, int* blocks, double* jacobian, double* bias)
{
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    if (part > 0) {
        return fil_triangle_turn_jacobian(((const FilShellBody*)pointer)->triangles + 3 * (part - 1), q, blocks, jacobian);
    }
    memset(jacobian, 0, 12 * sizeof(double));  // a vertex has no orientation
    blocks[0] = index;
    return 1;
}

static int tangent_pattern(void* pointer, int* columns, int* rows)
{
    const FilShellBody* body = pointer;
    if (columns != NULL && rows != NULL) {
        memcpy(columns, body->block_column, sizeof(int) * (size_t)body->block_count);
        memcpy(rows, body->block_row, sizeof(int) * (size_t)body->block_count);
    }
    return body->block_count;
}

/* The far corners of folds, which no edge joins. */
static void weak_blocks(const void* pointer, bool* weak)
{
    const FilShellBody* body = pointer;
    for (int f = 0; f < body->fold_count; f++) {
        weak[body->fold_slots[6 * f + 5]] = true;
    }
    for (int e = 0; e < body->edge_count; e++) {
        weak[body->edge_slots[e]] = false;
    }
    for (int k = 0; k < body->chambers.sibling_count; k++) {
        weak[body->chambers.sibling_slots[k]] = false;
    }
}

/* ---- vertices as points ---- */

static int place_count(const void* pointer)
{
    return ((const FilShellBody*)pointer)->vertex_count;
}

static void place_velocity(const void* pointer, int place, const double* q, const double* v, double* velocity)
{
    (void)pointer, (void)q;
    fil_v3_copy(velocity, v + 4 * place);
}

static double mass_of(const void* pointer)
{
    const FilShellBody* body = pointer;
    double mass = 0.0;
    for (int i = 0; i < body->vertex_count; i++) {
        mass += body->mass[i];
    }
    return mass;
}

static int point_count(const void* pointer, int object)
{
    (void)object;
    return ((const FilShellBody*)pointer)->vertex_count;
}

static int point_of(const void* pointer, int object, int node)
{
    (void)pointer, (void)object;
    return node;
}

static bool is_held(const void* pointer, int block)
{
    const bool* held = ((const FilShellBody*)pointer)->held + 4 * block;
    return held[0] && held[1] && held[2];
}

static void mark_held(const void* pointer, unsigned char* axes)
{
    fil_vertex_holds_mark(&((const FilShellBody*)pointer)->holds, axes);
}

static bool has_auxiliary(const void* pointer, int block)
{
    return fil_chambers_has(&((const FilShellBody*)pointer)->chambers, block);
}

static FilStatus side_of(const void* pointer, int object, int node, const double* q, FilBodySide* side, FilError* error)
{
    (void)object, (void)q;
    const FilShellBody* body = pointer;
    side->point = fil_counted(node, body->vertex_count);
    return side->point >= 0 ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "has %d vertices, no vertex %d", body->vertex_count, node);
}

const FilBodyOps fil_shell_ops = {
    .kind = "shell",
    .deforms = true,
    .points = true,
    .destroy = destroy,
    .dofs = dofs,
    .init_state = init_state,
    .begin = fil_shell_begin,
    .guess = fil_shell_guess,
    .share = fil_shell_share,
    .evaluate = fil_shell_evaluate,
    .diagonal = fil_shell_diagonal,
    .factor = fil_shell_factor,
    .solve = fil_shell_solve,
    .finish = fil_shell_finish,
    .energy = energy,
    .momentum = momentum,
    .place_count = place_count,
    .place_velocity = place_velocity,
    .mass = mass_of,
    .attach = fil_shell_attach,
    .set_target = fil_shell_set_target,
    .reaction = fil_shell_reaction,
    .clear_loads = fil_shell_clear_loads,
    .load = fil_shell_load,
    .load_range = fil_shell_load_range,
    .collider_count = collider_count,
    .collider = collider,
    .mesh = mesh_of,
    .place = place,
    .part = part_of,
    .joined = joined,
    .frame = frame,
    .side = side_of,
    .point_count = point_count,
    .point = point_of,
    .held = is_held,
    .mark_held = mark_held,
    .auxiliary = has_auxiliary,
    .lead = fil_shell_lead,
    .let_go = fil_shell_let_go,
    .point_jacobian = point_jacobian,
    .turn_jacobian = turn_jacobian,
    .tangent_pattern = tangent_pattern,
    .weak_blocks = weak_blocks,
    .tangent = fil_shell_tangent,
    .push = fil_shell_push,
};
