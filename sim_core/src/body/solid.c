#include "body/solid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "body/triangle.h"

FilSolidDef fil_solid_def_default(void)
{
    return (FilSolidDef){.model = FIL_SOLID_COROTATED_LAGGED, .gas = fil_gas_default(), .collision = fil_collision_default()};
}

/* ---- making ---- */

static void destroy(void* pointer)
{
    FilSolidBody* body = pointer;
    if (body == NULL) {
        return;
    }
    fil_vertex_holds_free(&body->holds);
    fil_solid_free_pressure(&body->pressure);
    fil_chambers_free(&body->chambers);
    fil_supernodal_destroy(body->factor);
    fil_tet_mesh_free(&body->mesh);
    void* blocks[] = {
        body->initial_q,     body->initial_v, body->mass,        body->elements,          body->batches,      body->batch_slots, body->surface,
        body->surface_edges, body->load,      body->block_start, body->surface_triangles, body->block_column, body->block_row,   body->block_mass,
        body->used,          body->values,    body->stiffness,   body->rotations,         body->held,         body->held_q,      body->q_theta,
        body->v_theta,       body->change,    body->momentum,    body->gradient,          body->damped,       body->reaction,    body->scratch};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
    fil_free(body);
}

static FilStatus check_def(const FilSolidDef* def, FilError* error)
{
    if (def->vertex_count < 4 || def->tet_count < 1 || def->vertices == NULL || def->tets == NULL) {
        return fil_error(error, FIL_BAD_INPUT, "a solid needs at least 4 vertices and 1 element, not %d and %d", def->vertex_count, def->tet_count);
    }
    if ((int)def->model < 0 || def->model >= FIL_SOLID_MODEL_COUNT) {
        return fil_error(error, FIL_BAD_INPUT, "there is no model %d", (int)def->model);
    }
    if (def->plane_strain < 0 || def->plane_strain > 3) {
        return fil_error(error, FIL_BAD_INPUT, "plane_strain is 0, or 1, 2 or 3 for x, y or z, not %d", def->plane_strain);
    }
    const FilCheckedNumber numbers[] = {{"density", def->density, true},
                                        {"damping_mass", def->damping_mass, false},
                                        {"damping_stiffness", def->damping_stiffness, false},
                                        {"radius", def->radius, false},
                                        {"bedding", def->bedding, false}};
    const FilStatus status = fil_check_numbers(numbers, sizeof numbers / sizeof numbers[0], error);
    if (status != FIL_OK) {
        return status;
    }
    if (def->velocities != NULL && !fil_all_finite(def->velocities, 3 * def->vertex_count)) {
        return fil_error(error, FIL_BAD_INPUT, "velocities must be finite");
    }
    return FIL_OK;
}

/* Checks the mesh and finds its surface. */
static FilStatus take_mesh(const FilSolidDef* def, FilTetMesh* mesh, FilError* error)
{
    FilTetBuilder builder = {0};
    bool ok = true;
    for (int i = 0; i < def->vertex_count && ok; i++) {
        ok = fil_tet_builder_add_vertex(&builder, def->vertices + 3 * i);
    }
    for (int e = 0; e < def->tet_count && ok; e++) {
        ok = fil_tet_builder_add_tet(&builder, def->tets + 4 * e, 0);
    }
    const FilStatus status =
        ok ? fil_tet_builder_finish(&builder, "mesh", mesh, error) : fil_error(error, FIL_OUT_OF_MEMORY, "no memory for its mesh");
    fil_tet_builder_free(&builder);
    return status;
}

static FilStatus allocate(FilSolidBody* body, FilError* error)
{
    const size_t vertices = (size_t)body->mesh.vertex_count, unknowns = 4 * vertices;
    double** vectors[] = {&body->initial_q, &body->initial_v, &body->load,   &body->held_q,   &body->q_theta, &body->v_theta,
                          &body->change,    &body->momentum,  &body->damped, &body->gradient, &body->reaction};
    bool ok = true;
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++) {
        *vectors[k] = fil_alloc(unknowns, sizeof(double));
        ok = ok && *vectors[k] != NULL;
    }
    body->scratch = fil_alloc(3 * unknowns, sizeof(double));  // a right side and what refining it takes
    body->held = fil_alloc(unknowns, sizeof(bool));
    ok = ok && body->scratch != NULL && body->held != NULL;
    return ok ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
}

FilStatus fil_solid_create(const FilSolidDef* def, FilSolidBody** out, FilError* error)
{
    *out = NULL;
    FilSolidMaterial material;
    FilStatus status = check_def(def, error);
    if (status == FIL_OK) {
        status = def->model == FIL_SOLID_MOONEY_RIVLIN ? fil_solid_material_mooney_rivlin(def->c1, def->c2, def->bulk, &material, error)
                                                       : fil_solid_material_make(def->model, def->young, def->poisson, &material, error);
    }
    FilSolidBody* body = status == FIL_OK ? fil_alloc(1, sizeof *body) : NULL;
    if (body == NULL) {
        return status != FIL_OK ? status : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    body->model = def->model;
    body->material = material;
    body->density = def->density;
    body->lumped = def->lumped;
    body->nodal = def->nodal_pressure;
    body->plane_strain = def->plane_strain;
    body->damping_mass = def->damping_mass;
    body->damping_stiffness = def->damping_stiffness;
    body->radius = def->radius;
    body->bedding = def->bedding;
    body->collision = def->collision;
    status = take_mesh(def, &body->mesh, error);
    status = status == FIL_OK ? allocate(body, error) : status;
    status = status == FIL_OK ? fil_chambers_build(&body->chambers, &def->gas, body->mesh.vertex_count, body->mesh.vertices, 3, body->mesh.triangles,
                                                   body->mesh.triangle_count, true, error)
                              : status;
    status = status == FIL_OK ? fil_solid_build(body, error) : status;
    if (status != FIL_OK) {
        destroy(body);
        return status;
    }
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
    return 3 * ((const FilSolidBody*)pointer)->mesh.vertex_count;
}

static void init_state(const void* pointer, double* q, double* v, double* h)
{
    const FilSolidBody* body = pointer;
    fil_chambers_init(&body->chambers, h);
    memcpy(q, body->initial_q, sizeof(double) * 4 * (size_t)body->mesh.vertex_count);
    memcpy(v, body->initial_v, sizeof(double) * 4 * (size_t)body->mesh.vertex_count);
}

/* ---- measures ---- */

static void energy(const void* pointer, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to)
{
    const FilSolidBody* body = pointer;
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        add_to->gravity -= body->mass[i] * fil_v3_dot(gravity, q + 4 * i);
    }
    add_to->kinetic += fil_solid_kinetic_energy(body, v);
    add_to->elastic += fil_solid_elastic_energy(body, q) + fil_chambers_energy(&body->chambers, q, h);
}

static void momentum(const void* pointer, const double* q, const double* v, const double* h, double* linear, double* angular)
{
    (void)h;
    const FilSolidBody* body = pointer;
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        fil_v3_axpy(linear, body->mass[i], v + 4 * i);
    }
    fil_solid_angular_momentum(body, q, v, angular);
}

/* ---- contact at the level of velocities: vertices of the surface as spheres (part 0), and triangles (part 1 on) ---- */

static int collider_count(const void* pointer)
{
    return ((const FilSolidBody*)pointer)->surface_count;
}

static void collider(const void* pointer, int index, FilCollider* out)
{
    const FilSolidBody* body = pointer;
    *out = (FilCollider){
        .kind = FIL_COLLIDER_SHAPE, .part = index, .movable = true, .collision = body->collision, .shape = fil_shape_sphere(body->radius)};
}

static void mesh_of(const void* pointer, FilBodyMesh* out)
{
    const FilSolidBody* body = pointer;
    *out = (FilBodyMesh){.vertex_count = body->surface_count,
                         .edge_count = body->edge_count,
                         .triangle_count = body->mesh.triangle_count,
                         .edges = body->surface_edges,
                         .triangles = body->surface_triangles,
                         .radius = body->radius,
                         .blocks = body->surface,
                         .bedding = body->bedding,
                         .closed = true};
}

static void frame(const void* pointer, int index, int part, const double* q, const double* h, FilPose* pose)
{
    static const double axes[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    (void)part, (void)h;
    memcpy(pose->r, axes, sizeof axes);
    fil_v3_copy(pose->p, q + 4 * ((const FilSolidBody*)pointer)->surface[index]);
}

static void place(const void* pointer, int index, const double* q, const double* v, FilPlacement* out)
{
    const double* own = v + 4 * ((const FilSolidBody*)pointer)->surface[index];
    *out = (FilPlacement){.speed = fil_v3_norm(own), .has_velocity = true, .velocity = {own[0], own[1], own[2]}};
    frame(pointer, index, 0, q, NULL, &out->pose);
}

static void part_of(const void* pointer, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose)
{
    *shape = fil_shape_sphere(((const FilSolidBody*)pointer)->radius);
    frame(pointer, index, part, q, h, pose);
}

static bool joined(const void* pointer, int index_a, int part_a, int index_b, int part_b)
{
    (void)pointer, (void)index_a, (void)part_a, (void)index_b, (void)part_b;
    return true;  // spheres at vertices say nothing about a surface's contact with itself
}

static int point_jacobian(const void* pointer, int index, int part, const double* point, const double* q, int* blocks, double* jacobian, double* bias)
{
    const FilSolidBody* body = pointer;
    int count = 1;
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    if (part > 0) {
        count = fil_triangle_jacobian(body->mesh.triangles + 3 * (part - 1), point, q, blocks, jacobian);
    } else {
        memset(jacobian, 0, 12 * sizeof(double));
        jacobian[0] = jacobian[5] = jacobian[10] = 1.0;
        blocks[0] = body->surface[index];
    }
    for (int k = 0; k < count && body->plane_strain > 0; k++) {
        jacobian[12 * k + 5 * (body->plane_strain - 1)] = 0.0;  // that component does not move
    }
    return count;
}

static int turn_jacobian(const void* pointer, int index, int part, const double* q, int* blocks, double* jacobian, double* bias)
{
    const FilSolidBody* body = pointer;
    int count = 1;
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    if (part > 0) {
        count = fil_triangle_turn_jacobian(body->mesh.triangles + 3 * (part - 1), q, blocks, jacobian);
    } else {
        memset(jacobian, 0, 12 * sizeof(double));  // a vertex has no orientation
        blocks[0] = body->surface[index];
    }
    for (int k = 0; k < 3 * count && body->plane_strain > 0; k++) {
        jacobian[4 * k + body->plane_strain - 1] = 0.0;  // that component does not move
    }
    return count;
}

static int tangent_pattern(void* pointer, int* columns, int* rows)
{
    const FilSolidBody* body = pointer;
    if (columns != NULL && rows != NULL) {
        memcpy(columns, body->block_column, sizeof(int) * (size_t)body->block_count);
        memcpy(rows, body->block_row, sizeof(int) * (size_t)body->block_count);
    }
    return body->block_count;
}

/* ---- vertices as points ---- */

static int place_count(const void* pointer)
{
    return ((const FilSolidBody*)pointer)->mesh.vertex_count;
}

static void place_velocity(const void* pointer, int place, const double* q, const double* v, double* velocity)
{
    (void)pointer, (void)q;
    fil_v3_copy(velocity, v + 4 * place);
}

static double mass_of(const void* pointer)
{
    const FilSolidBody* body = pointer;
    double mass = 0.0;
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        mass += body->mass[i];
    }
    return mass;
}

static int point_count(const void* pointer, int object)
{
    (void)object;
    return ((const FilSolidBody*)pointer)->mesh.vertex_count;
}

static int point_of(const void* pointer, int object, int node)
{
    (void)pointer, (void)object;
    return node;
}

static bool is_held(const void* pointer, int block)
{
    const bool* held = ((const FilSolidBody*)pointer)->held + 4 * block;
    return held[0] && held[1] && held[2];
}

static void mark_held(const void* pointer, unsigned char* axes)
{
    const FilSolidBody* body = pointer;
    fil_vertex_holds_mark(&body->holds, axes);
    for (int i = 0; i < body->mesh.vertex_count && body->plane_strain > 0; i++) {
        axes[i] |= (unsigned char)(1u << (body->plane_strain - 1));
    }
}

static bool has_auxiliary(const void* pointer, int block)
{
    return fil_chambers_has(&((const FilSolidBody*)pointer)->chambers, block);
}

static FilStatus side_of(const void* pointer, int object, int node, const double* q, FilBodySide* side, FilError* error)
{
    (void)object, (void)q;
    const FilSolidBody* body = pointer;
    side->point = fil_counted(node, body->mesh.vertex_count);
    return side->point >= 0 ? FIL_OK : fil_error(error, FIL_BAD_INPUT, "has %d vertices, no vertex %d", body->mesh.vertex_count, node);
}

const FilBodyOps fil_solid_ops = {
    .kind = "solid",
    .deforms = true,
    .points = true,
    .destroy = destroy,
    .dofs = dofs,
    .init_state = init_state,
    .begin = fil_solid_begin,
    .guess = fil_solid_guess,
    .evaluate = fil_solid_evaluate,
    .linear = fil_solid_linear,
    .diagonal = fil_solid_diagonal,
    .factor = fil_solid_factor,
    .solve = fil_solid_solve,
    .finish = fil_solid_finish,
    .energy = energy,
    .momentum = momentum,
    .place_count = place_count,
    .place_velocity = place_velocity,
    .mass = mass_of,
    .attach = fil_solid_attach,
    .set_target = fil_solid_set_target,
    .reaction = fil_solid_reaction,
    .clear_loads = fil_solid_clear_loads,
    .load = fil_solid_load,
    .load_range = fil_solid_load_range,
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
    .lead = fil_solid_lead,
    .let_go = fil_solid_let_go,
    .point_jacobian = point_jacobian,
    .turn_jacobian = turn_jacobian,
    .tangent_pattern = tangent_pattern,
    .tangent = fil_solid_tangent,
    .push = fil_solid_push,
};
