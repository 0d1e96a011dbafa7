#include "solver/ipc_field.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "world/world.h"

FilIpcSettings fil_ipc_settings_default(void)
{
    return (FilIpcSettings){.range = 1e-3, .slip_speed = 1e-6};
}

void fil_ipc_field_free(FilIpcField* field)
{
    void* blocks[] = {field->x.at,          field->rings,          field->points.at,       field->ends.at,   field->x_end.at,
                      field->listed.at,     field->listed_end.at,  field->slack.at,        field->astray.at, field->boxes,
                      field->courses,       field->pairs,          field->active.at,       field->was_active.at, field->slides,
                      field->slide_variable.at, field->slide_column.at, field->slide_jacobian.at};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
    fil_ipc_near_free(&field->near);
    fil_pairs_free(&field->chosen);
    fil_pairs_free(&field->sorting);
    fil_ipc_surface_free(&field->surface);
}

/* Bodies that are no points, at the end of the step if it went with v. Velocities and history there are written again when the
 * step is over. */
static void place_shapes(FilWorld* world, const double* v, double* q)
{
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (!body->ops->points) {
            body->ops->finish(body->impl, v + body->v, q + body->q, world->next.v + body->v, world->next.h + body->h);
        }
    }
}

/* Configuration at the end of the step if it went with v, and the points of surfaces there. */
static void place(FilWorld* world, const double* v, double* q, double* points)
{
    const FilIpcField* field = &world->ipc;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        for (int k = 0; k < body->q_count && body->ops->points; k++) {
            q[body->q + k] = world->state.q[body->q + k] + field->dt * v[body->v + k];
        }
    }
    place_shapes(world, v, q);
    fil_ipc_surface_place(world, q, points);
}

static double add(FilWorld* world, const double* v, double* residual)
{
    FilIpcField* field = &world->ipc;
    place(world, v, field->x.at, field->points.at);
    const double contacts = fil_ipc_contacts_add(world, v, residual);
    return isfinite(contacts) ? contacts + fil_rings_add(world, v, residual) : INFINITY;
}

/* ---- friction of rings and pairs alike ---- */

static int friction_count(const FilIpcField* field)
{
    return field->ring_count + field->slide_count;
}

static FilFriction* friction_at(FilIpcField* field, int k, FilSlipping* slipping)
{
    if (k < field->ring_count) {
        *slipping = fil_ring_slipping(&field->rings[k]);
        return &field->rings[k].friction;
    }
    FilIpcSlide* slide = &field->slides[k - field->ring_count];
    *slipping = fil_slide_slipping(field, slide);
    return &slide->friction;
}

static void begin_friction(FilWorld* world, const double* v)
{
    for (int k = 0; k < friction_count(&world->ipc); k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&world->ipc, k, &slipping);
        // rings remember: where their rods turn, what stuck would not seem so
        const bool stuck = k < world->ipc.ring_count
                               ? world->ipc.rings[k].stuck
                               : fil_friction_sticks(friction, &slipping, world->def.ipc.slip_speed, fil_start_v(world));
        fil_friction_begin(friction, &slipping, world->def.ipc.slip_speed, stuck, v);
    }
}

static double add_lead(FilWorld* world, const double* v, double* residual)
{
    double square = 0.0;
    for (int k = 0; k < friction_count(&world->ipc); k++) {
        FilSlipping slipping;
        const FilFriction* friction = friction_at(&world->ipc, k, &slipping);
        square += fil_friction_add_lead(friction, &slipping, world->def.ipc.slip_speed, v, residual);
    }
    return sqrt(square);
}

static double review(FilWorld* world, const double* v, const double* direction)
{
    double square = 0.0;
    for (int k = 0; k < friction_count(&world->ipc); k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&world->ipc, k, &slipping);
        fil_friction_review(friction, &slipping, world->def.ipc.slip_speed, world->scratch.weight, v, direction);
        square += fil_friction_wrong(friction);
    }
    return sqrt(square);
}

static void revise(FilWorld* world, double negligible)
{
    const int count = friction_count(&world->ipc);
    for (int k = 0; k < count; k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&world->ipc, k, &slipping);
        if (count * fil_friction_wrong(friction) >= negligible * negligible) {
            fil_friction_revise(friction);
        }
    }
}

static void accept_friction(FilWorld* world, const double* v)
{
    for (int k = 0; k < friction_count(&world->ipc); k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&world->ipc, k, &slipping);
        fil_friction_accept(friction, &slipping, world->def.ipc.slip_speed, v);
    }
}

/* ---- the first guess ---- */

/* `share` of the way from where the step begins, for everything that is not held. */
static void shorten(FilWorld* world, double share, double* v)
{
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        for (int k = body->v; k < body->v + body->v_count; k++) {
            const double begin = fil_start_rate(world, k);
            world->scratch.trial[k] = begin + share * (v[k] - begin) - world->state.v[k];
        }
        if (body->moves) {
            fil_potential_guess(world, b, world->scratch.trial, v);
        }
    }
}

static bool make_room(FilWorld* world)
{
    FilIpcField* field = &world->ipc;
    const size_t points = 3 * (size_t)field->surface.point_count, q = (size_t)world->q_count;
    return fil_doubles_reserve(&field->x, q) && fil_doubles_reserve(&field->x_end, q) &&
           fil_doubles_reserve(&field->points, points) && fil_doubles_reserve(&field->ends, points);
}

/* `points` to where the step begins, `ends` to where it goes with v. */
static void place_step(FilWorld* world, const double* v)
{
    FilIpcField* field = &world->ipc;
    memcpy(field->x_end.at, world->state.q, sizeof(double) * (size_t)world->q_count);
    place(world, v, field->x_end.at, field->ends.at);
    memcpy(field->x.at, fil_start_q(world), sizeof(double) * (size_t)world->q_count);
    fil_ipc_surface_place(world, field->x.at, field->points.at);
}

/* What would meet moves on together, as after an inelastic impact. */
static FilStatus part(FilWorld* world, double* v)
{
    enum { ROUNDS = 4 };
    FilIpcField* field = &world->ipc;
    bool met = false;
    for (int round = 0; round < ROUNDS && fil_ipc_keep_apart(world); round++) {
        met = true;
    }
    if (!met) {
        return FIL_OK;
    }
    for (int p = 0; p < field->surface.point_count; p++) {
        const FilIpcPoint* point = &field->surface.points[p];
        const FilBody* body = &world->bodies[world->collision.colliders[point->collider].body];
        for (int k = 0; k < 3 && point->node >= 0; k++) {
            const int own = 4 * point->node + k;
            v[body->v + own] = (field->ends.at[3 * p + k] - world->state.q[body->q + own]) / field->dt;
        }
    }
    shorten(world, 1.0, v); // what is held stays so
    place_step(world, v);
    return fil_ipc_relist(world);
}

/* Shortens the wish until nothing meets on the way and nothing is out of reach: from where the step starts that is always
 * possible, unless what is held moves too far. */
static FilStatus make_feasible(FilWorld* world, double* v)
{
    FilStatus status = part(world, v);
    for (int attempt = 0; attempt < 30 && status == FIL_OK; attempt++) {
        if (fil_ipc_sweep(world) >= 1.0) {
            memset(world->scratch.trial, 0, sizeof(double) * (size_t)world->v_count);
            if (isfinite(add(world, v, world->scratch.trial))) {
                return FIL_OK;
            }
        }
        shorten(world, 0.5, v);
        place_step(world, v);
        status = fil_ipc_list(world);
    }
    return status == FIL_OK ? FIL_NOT_CONVERGED : status;
}

static FilStatus begin(FilWorld* world, double dt, double* v, FilStepInfo* info)
{
    (void)info;
    FilIpcField* field = &world->ipc;
    field->dt = dt;
    FilStatus status = fil_ipc_surface_build(world);
    if (status != FIL_OK) {
        world->potential.refused = status == FIL_BAD_INPUT;
        return status;
    }
    if (!make_room(world)) {
        return FIL_OUT_OF_MEMORY;
    }
    field->scale = fil_ipc_scale(world);
    status = fil_rings_begin(world);
    // everything that is near on the way to the wish
    place_step(world, v);
    status = status == FIL_OK ? fil_ipc_list(world) : status;
    status = status == FIL_OK && world->step == 0 ? fil_ipc_check_start(world) : status;
    status = status == FIL_OK ? fil_ipc_contacts_begin(world) : status;
    status = status == FIL_OK ? make_feasible(world, v) : status;
    bool changed = false;
    if (status == FIL_OK) {
        begin_friction(world, v);
        fil_rings_accept(world, &changed);
        status = fil_ipc_contacts_accept(world, &changed);
    }
    return status;
}

/* ---- second derivatives, steps, the end ---- */

static FilStatus list(FilWorld* world, FilInts* end, FilInts* variable, int* count)
{
    FilIpcField* field = &world->ipc;
    size_t most = FIL_RING_BLOCKS * (size_t)field->ring_count;
    const size_t lists = (size_t)field->ring_count + (size_t)fil_ipc_contacts_lists(world, &most);
    int variables = 0;
    *count = 0;
    if (!fil_ints_reserve(end, lists) || !fil_ints_reserve(variable, most)) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_rings_list(world, end->at, variable->at, count, &variables);
    fil_ipc_contacts_list(world, end->at, variable->at, count, &variables);
    return FIL_OK;
}

static void hessian(FilWorld* world, FilPotentialOrder order, FilBlockSum* sum)
{
    const bool cautious = order == FIL_POTENTIAL_DEFINITE;
    fil_rings_hessian(world, cautious, sum, 0);
    fil_ipc_contacts_hessian(world, cautious, sum, world->ipc.ring_count);
}

static FilStatus list_friction(FilWorld* world, FilInts* end, FilInts* variable, int* count)
{
    const int terms = friction_count(&world->ipc);
    FilSlipping slipping;
    int variables = *count > 0 ? end->at[*count - 1] : 0;
    size_t most = 0;
    for (int k = 0; k < terms; k++) {
        (void)friction_at(&world->ipc, k, &slipping);
        most += (size_t)slipping.count;
    }
    if (!fil_ints_extend(end, (size_t)*count, (size_t)terms) || !fil_ints_extend(variable, (size_t)variables, most)) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int k = 0; k < terms; k++) {
        const int first = variables;
        (void)friction_at(&world->ipc, k, &slipping);
        for (int i = 0; i < slipping.count; i++) {
            (void)fil_block_list_put(variable->at, first, &variables, slipping.column[i]);
        }
        end->at[(*count)++] = variables;
    }
    return FIL_OK;
}

/* Adds R' H R of one contact or ring, R the rates of slip along the tangents by blocks. */
static void add_friction_hessian(const FilFriction* friction, const FilSlipping* slipping, const double* h, FilBlockSum* sum, int list)
{
    int local[4 * FIL_JACOBIAN_BLOCKS];
    double rates[4 * FIL_JACOBIAN_BLOCKS][8], turned[8];
    for (int i = 0; i < slipping->count; i++) {
        local[i] = fil_block_sum_find(sum, list, slipping->column[i]);
        fil_friction_rates(friction, slipping->jacobian + 12 * i, rates[i]);
    }
    for (int j = 0; j < slipping->count; j++) {
        for (int k = 0; k < 4; k++) {
            turned[k] = h[0] * rates[j][k] + h[1] * rates[j][4 + k];
            turned[4 + k] = h[2] * rates[j][k] + h[3] * rates[j][4 + k];
        }
        for (int i = 0; i < slipping->count; i++) {
            double* block = local[i] >= 0 && local[j] >= 0 ? fil_block_sum_at(sum, list, local[i], local[j]) : NULL;
            for (int k = 0; k < FIL_BLOCK_SIZE && block != NULL; k++) {
                block[k] += rates[i][k % 4] * turned[k / 4] + rates[i][4 + k % 4] * turned[4 + k / 4];
            }
        }
    }
}

static void friction_hessian(FilWorld* world, const double* v, FilPotentialOrder order, FilBlockSum* sum, int first_list)
{
    const bool cautious = order == FIL_POTENTIAL_DEFINITE;
    for (int k = 0; k < friction_count(&world->ipc); k++) {
        FilSlipping slipping;
        const FilFriction* friction = friction_at(&world->ipc, k, &slipping);
        double curvature[4];
        fil_friction_curvature(friction, &slipping, world->def.ipc.slip_speed, cautious, v, curvature);
        add_friction_hessian(friction, &slipping, curvature, sum, first_list + k);
    }
}

static double longest(FilWorld* world, const double* v, const double* direction)
{
    FilIpcField* field = &world->ipc;
    if (field->surface.point_count == 0) {
        return 1.0;
    }
    double* end = world->scratch.trial;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        for (int k = body->v; k < body->v + body->v_count; k++) {
            end[k] = v[k] - (body->moves ? direction[k] : 0.0);
        }
    }
    place(world, end, field->x_end.at, field->ends.at);
    place_shapes(world, v, field->x.at); // points are there since add()
    if (fil_ipc_relist(world) != FIL_OK) {
        return 0.0;
    }
    return fil_ipc_sweep(world);
}

static FilStatus accept(FilWorld* world, const double* v, bool* changed)
{
    accept_friction(world, v);
    fil_rings_accept(world, changed);
    return fil_ipc_contacts_accept(world, changed);
}

static void finish(FilWorld* world, const double* v, double* impulse, FilStepInfo* info)
{
    memset(world->scratch.trial, 0, sizeof(double) * (size_t)world->v_count);
    add(world, v, world->scratch.trial);
    for (int k = 0; k < world->v_count; k++) {
        impulse[k] -= world->scratch.trial[k];
    }
    fil_rings_finish(world, v);
    (void)fil_ipc_contacts_finish(world, v, info); // reports only: what does not fit into memory is not told
}

static const FilPotentialField field_table = {
    .begin = begin,
    .add = add,
    .list = list,
    .hessian = hessian,
    .list_friction = list_friction,
    .friction_hessian = friction_hessian,
    .add_lead = add_lead,
    .review = review,
    .revise = revise,
    .longest = longest,
    .accept = accept,
    .finish = finish,
};

const FilPotentialModel fil_ipc_model = {.tangent = true, .field = &field_table};
