#include "body/rod.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

FilRodDef fil_rod_def_default(void)
{
    return (FilRodDef){
        .section = {.shape = FIL_SECTION_CIRCLE}, .rest_shape = FIL_REST_STRAIGHT, .collision = fil_collision_default(), .gyroscopic = true};
}

int fil_rod_body_q_size(const FilRodBody* body)
{
    return 4 * body->node_count;
}

int fil_rod_body_h_size(const FilRodBody* body)
{
    return body->node_count * (int)(sizeof(FilRodHistory) / sizeof(double));
}

/* ---- making ---- */

static FilStatus join(FilRodBody* body, const FilRodDef* defs, const FilRodJunction* junctions, int count, FilError* error)
{
    for (int j = 0; j < count; j++) {
        const FilRodJunction* joint = &junctions[j];
        const int rods[2] = {joint->rod_a, joint->rod_b};
        int nodes[2] = {joint->node_a, joint->node_b};
        for (int s = 0; s < 2; s++) {
            if (rods[s] < 0 || rods[s] >= body->rod_count || nodes[s] < 0 || nodes[s] >= body->rods[rods[s]].node_count) {
                return fil_error(error, FIL_BAD_INPUT, "junction %d: rod %d has no node %d", j, rods[s], nodes[s]);
            }
        }
        const double* a = defs[rods[0]].nodes + 3 * nodes[0];
        const double* b = defs[rods[1]].nodes + 3 * nodes[1];
        const double size = body->rods[rods[0]].voronoi[nodes[0]];
        // of lengths and places, a million times rounding: two paths that lead to one point
        if (fil_v3_distance(a, b) > 1e-9 * (size + fil_v3_norm(a))) {
            return fil_error(error, FIL_BAD_INPUT, "junction %d: its two nodes are %g m apart, they must coincide", j, fil_v3_distance(a, b));
        }
        // union by smallest owner
        int first = body->rods[rods[0]].first_node + nodes[0], second = body->rods[rods[1]].first_node + nodes[1];
        while (body->owner[first] != first) {
            first = body->owner[first];
        }
        while (body->owner[second] != second) {
            second = body->owner[second];
        }
        body->owner[first > second ? first : second] = first > second ? second : first;
    }
    for (int i = 0, r = 0; i < body->node_count; i++) {
        while (r < body->rod_count && body->rods[r].first_node <= i) {
            body->rods[r++].first_copy = body->copy_count;
        }
        body->owner[i] = body->owner[body->owner[i]];  // owners stand before their copies
        if (body->owner[i] != i) {
            body->copies[body->copy_count++] = i;
        }
        for (int k = 0; k < 3 && body->owner[i] != i; k++) {
            const double mass = body->mass[4 * body->owner[i] + k], added = body->mass[4 * i + k];
            if (k == 0) {  // the mean, by mass
                double* alpha = &body->alpha[body->owner[i]];
                *alpha = (mass * *alpha + added * body->alpha[i]) / (mass + added);
            }
            body->mass[4 * body->owner[i] + k] += added;
            body->drag[4 * body->owner[i] + k] += body->drag[4 * i + k];
            body->mass[4 * i + k] = body->drag[4 * i + k] = 0.0;
        }
    }
    return FIL_OK;
}

static void destroy(void* pointer)
{
    FilRodBody* body = pointer;
    if (body == NULL) {
        return;
    }
    for (int a = 0; a < body->attachment_count; a++) {
        fil_free(body->attachments[a].origin);
    }
    fil_free(body->attachments);
    fil_sparse_destroy(body->sparse);
}

static bool allocate(FilRodBody* body)
{
    const size_t n = (size_t)body->node_count;
    double** quads[] = {&body->mass,      &body->drag,    &body->load,     &body->held_q,   &body->diagonal,
                        &body->q_theta,   &body->v_theta, &body->gradient, &body->reaction, &body->initial_q,
                        &body->initial_v, &body->is_free, &body->force,    &body->damping,  &body->held_v};
    bool ok = true;
    for (size_t k = 0; k < sizeof quads / sizeof quads[0]; k++) {
        *quads[k] = fil_arena_alloc(body->arena, 4 * n, sizeof(double));
        ok = ok && *quads[k] != NULL;
    }
    body->alpha = fil_arena_alloc(body->arena, n, sizeof(double));
    body->torque = fil_arena_alloc(body->arena, 3 * n, sizeof(double));
    body->owner = fil_arena_alloc(body->arena, n, sizeof(int));
    body->copies = fil_arena_alloc(body->arena, n, sizeof(int));
    body->held = fil_arena_alloc(body->arena, 4 * n, sizeof(bool));
    body->held_at = fil_arena_alloc(body->arena, 4 * n, sizeof(int));
    return ok && body->alpha != NULL && body->torque != NULL && body->owner != NULL && body->copies != NULL && body->held != NULL &&
           body->held_at != NULL;
}

static void initial_state(FilRodBody* body, const FilRod* rod, const FilRodDef* def)
{
    double *q = body->initial_q + 4 * rod->first_node, *v = body->initial_v + 4 * rod->first_node;
    for (int i = 0; i < rod->node_count; i++) {
        fil_v3_copy(q + 4 * i, def->nodes + 3 * i);
        if (def->velocities != NULL) {
            fil_v3_copy(v + 4 * i, def->velocities + 3 * i);
        }
        q[4 * i + 3] = def->angles != NULL && i < rod->edge_count ? def->angles[i] : 0.0;
        v[4 * i + 3] = def->spins != NULL && i < rod->edge_count ? def->spins[i] : 0.0;
        for (int k = 0; k < 3; k++) {
            body->drag[4 * (rod->first_node + i) + k] = rod->drag * rod->voronoi[i];
        }
        body->alpha[rod->first_node + i] = rod->damping_mass;
    }
}

/* Rows and columns of every entry of the assembled matrix, in the order in which rods are visited. */
typedef struct Pattern {
    const FilRodBody* body;
    int first_node, count;
    int *rows, *columns;
} Pattern;

static void note_entry(void* context, int row, int column, double value)
{
    (void)value;
    Pattern* p = context;
    if (p->rows != NULL) {
        const int r = fil_rod_owner(p->body, 4 * p->first_node + row), c = fil_rod_owner(p->body, 4 * p->first_node + column);
        p->rows[p->count] = r > c ? r : c;
        p->columns[p->count] = r > c ? c : r;
    }
    p->count++;
}

static FilStatus build_sparse(FilRodBody* body, FilError* error)
{
    const int unknowns = 4 * body->node_count;
    Pattern pattern = {.body = body};
    for (int r = 0; r < body->rod_count; r++) {
        fil_rod_chain_visit(&body->rods[r].chain, note_entry, &pattern);
    }
    const size_t total = (size_t)pattern.count + (size_t)unknowns;
    pattern.rows = fil_alloc(total, sizeof(int));
    pattern.columns = fil_alloc(total, sizeof(int));
    body->slots = fil_arena_alloc(body->arena, total, sizeof(int));
    if (pattern.rows != NULL && pattern.columns != NULL && body->slots != NULL) {
        pattern.count = 0;
        for (int r = 0; r < body->rod_count; r++) {
            pattern.first_node = body->rods[r].first_node;
            fil_rod_chain_visit(&body->rods[r].chain, note_entry, &pattern);
        }
        // every unknown has a diagonal, idle ones too
        for (int k = 0; k < unknowns; k++) {
            pattern.rows[pattern.count] = pattern.columns[pattern.count] = k;
            pattern.count++;
        }
        body->sparse = fil_sparse_create(unknowns, pattern.count, pattern.rows, pattern.columns, body->slots);
    }
    fil_free(pattern.rows);
    fil_free(pattern.columns);
    return body->sparse != NULL ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "rod network: out of memory");
}

FilStatus fil_rod_body_create(FilArena* arena, const FilRodDef* defs, int count, const FilRodJunction* junctions, int junction_count,
                              FilRodBody** out, FilError* error)
{
    *out = NULL;
    FilRodBody* body = fil_arena_alloc(arena, 1, sizeof *body);
    if (body == NULL || (body->rods = fil_arena_alloc(arena, (size_t)count, sizeof *body->rods)) == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    body->arena = arena;
    body->rod_count = count;
    FilStatus status = FIL_OK;
    for (int r = 0; r < count && status == FIL_OK; r++) {
        status = fil_rod_check(&defs[r], error);
        body->rods[r].first_node = body->node_count;
        body->node_count += defs[r].node_count;
        if (status == FIL_OK && body->node_count > FIL_ROD_MAX_NODES) {
            status = fil_error(error, FIL_BAD_INPUT, "a rod network may have at most %d nodes", FIL_ROD_MAX_NODES);
        }
    }
    if (status == FIL_OK && !allocate(body)) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory for %d nodes", body->node_count);
    }
    for (int r = 0; r < count && status == FIL_OK; r++) {
        FilRod* rod = &body->rods[r];
        status = fil_rod_build(rod, arena, &defs[r], body->mass + 4 * rod->first_node, error);
        if (status == FIL_OK) {
            initial_state(body, rod, &defs[r]);
            body->network = body->network || !rod->chain.solvable;
        }
    }
    for (int i = 0; i < body->node_count && status == FIL_OK; i++) {
        body->owner[i] = i;
    }
    if (status == FIL_OK && junction_count > 0) {
        body->network = true;
        status = join(body, defs, junctions, junction_count, error);
    }
    if (status == FIL_OK && body->network) {
        status = build_sparse(body, error);
    }
    if (status != FIL_OK) {
        destroy(body);
        return status;
    }
    *out = body;
    return FIL_OK;
}

static int dofs(const void* pointer)
{
    const FilRodBody* body = pointer;
    int count = 0;
    for (int r = 0; r < body->rod_count; r++) {
        count += body->rods[r].edge_count;
    }
    for (int i = 0; i < body->node_count; i++) {
        count += body->owner[i] == i ? 3 : 0;
    }
    return count;
}

static void init_state(const void* pointer, double* q, double* v, double* h)
{
    const FilRodBody* body = pointer;
    const size_t n = (size_t)body->node_count;
    memcpy(q, body->initial_q, 4 * n * sizeof(double));
    memcpy(v, body->initial_v, 4 * n * sizeof(double));
    for (int i = 0; i < body->node_count; i++) {  // copies follow their owner to the last bit
        fil_v3_copy(q + 4 * i, q + 4 * body->owner[i]);
        fil_v3_copy(v + 4 * i, v + 4 * body->owner[i]);
    }
    for (int r = 0; r < body->rod_count; r++) {
        const FilRod* rod = &body->rods[r];
        memcpy((FilRodHistory*)h + rod->first_node, rod->initial, (size_t)rod->node_count * sizeof(FilRodHistory));
    }
}

const FilBodyOps fil_rod_ops = {
    .kind = "rod",
    .deforms = true,
    .points = true,
    .destroy = destroy,
    .dofs = dofs,
    .init_state = init_state,
    .begin = fil_rod_begin,
    .guess = fil_rod_guess,
    .share = fil_rod_share,
    .evaluate = fil_rod_evaluate,
    .residual = fil_rod_residual,
    .diagonal = fil_rod_diagonal,
    .factor = fil_rod_factor,
    .solve = fil_rod_solve,
    .pair = FIL_ROD_PAIR_OPS,
    .finish = fil_rod_finish,
    .push = fil_rod_push,
    .energy = fil_rod_energy,
    .momentum = fil_rod_momentum,
    .place_count = fil_rod_place_count,
    .place_velocity = fil_rod_place_velocity,
    .mass = fil_rod_mass,
    .inertia = fil_rod_inertia,
    .attach = fil_rod_attach,
    .set_target = fil_rod_set_target,
    .reaction = fil_rod_reaction,
    .clear_loads = fil_rod_clear_loads,
    .load = fil_rod_load,
    .load_range = fil_rod_load_range,
    .collider_count = fil_rod_collider_count,
    .collider = fil_rod_collider,
    .place = fil_rod_place,
    .part = fil_rod_part,
    .joined = fil_rod_joined,
    .frame = fil_rod_frame,
    .side = fil_rod_side,
    .point_count = fil_rod_point_count,
    .point = fil_rod_point,
    .held = fil_rod_is_held,
    .mark_held = fil_rod_mark_held,
    .point_jacobian = fil_rod_point_jacobian,
    .edge_jacobian = fil_rod_edge_jacobian,
    .node_jacobian = fil_rod_node_jacobian,
    .turn_jacobian = fil_rod_turn_jacobian,
    .edge_blocks = fil_rod_edge_blocks,
    .tangent_pattern = fil_rod_tangent_pattern,
    .weak_blocks = fil_rod_weak_blocks,
    .tangent = fil_rod_tangent,
    .derivative = &fil_rod_derivative_ops,
};
