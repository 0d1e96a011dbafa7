#include "solver/ipc_friction.h"

#include <math.h>

#include "base/vector.h"

static int friction_count(const FilIpcField* field)
{
    return field->ring_count + field->slides.count;
}

static FilFriction* friction_at(FilIpcField* field, int k, FilSlipping* slipping)
{
    if (k < field->ring_count) {
        *slipping = fil_ring_slipping(&field->rings[k]);
        return &field->rings[k].friction;
    }
    FilIpcSlide* slide = &field->slides.at[k - field->ring_count];
    *slipping = fil_slide_slipping(&field->slides, slide);
    return &slide->friction;
}

void fil_ipc_friction_begin(FilSolver* solver, const double* v)
{
    for (int k = 0; k < friction_count(&solver->ipc); k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&solver->ipc, k, &slipping);
        // rings remember: where their rods turn, what stuck would not seem so
        const bool stuck = k < solver->ipc.ring_count
                               ? solver->ipc.rings[k].stuck
                               : fil_friction_sticks(friction, &slipping, solver->settings.model.ipc.slip_speed, fil_start_v(solver->system));
        fil_friction_begin(friction, &slipping, solver->settings.model.ipc.slip_speed, stuck, v);
    }
}

double fil_ipc_friction_lead(FilSolver* solver, const double* v, double* residual)
{
    double square = 0.0;
    for (int k = 0; k < friction_count(&solver->ipc); k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&solver->ipc, k, &slipping);
        fil_friction_look(friction, &slipping, v);
        square += fil_friction_add_lead(friction, &slipping, solver->settings.model.ipc.slip_speed, residual);
    }
    return sqrt(square);
}

typedef struct Review {
    FilSolver* solver;
    const double *v, *direction; /* as far as one of them is looked at */
} Review;

/* Contacts reviewed at a time: some 3 us. */
enum { GRAIN = 16 };

static void review_some(void* context, int first, int end, int worker)
{
    const Review* own = context;
    FilSolver* solver = own->solver;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&solver->ipc, k, &slipping);
        fil_friction_review(friction, &slipping, solver->settings.model.ipc.slip_speed, solver->system->scratch.weight, own->direction);
    }
}

double fil_ipc_friction_review(FilSolver* solver, const double* direction)
{
    const int count = friction_count(&solver->ipc);
    Review own = {.solver = solver, .direction = direction};
    double square = 0.0;
    fil_workers_run(solver->system->workers, count, GRAIN, review_some, &own);
    for (int k = 0; k < count; k++) {
        FilSlipping slipping;
        square += fil_friction_wrong(friction_at(&solver->ipc, k, &slipping));
    }
    return sqrt(square);
}

void fil_ipc_friction_revise(FilSolver* solver, double negligible)
{
    const int count = friction_count(&solver->ipc);
    for (int k = 0; k < count; k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&solver->ipc, k, &slipping);
        if (count * fil_friction_wrong(friction) >= negligible * negligible) {
            fil_friction_revise(friction);
        }
    }
}

/* Slips below the bound are nothing to other forces, but all of friction's is in them: what sticks goes on to the slip that has the force it took,
 * which else takes another iteration. Where nodes are shared that takes some rounds, three to seven of rings that have gathered. */
void fil_ipc_friction_settle(FilSolver* solver, double negligible, double* direction)
{
    enum { ROUNDS = 10 };  // ends what contradicts itself
    const int count = friction_count(&solver->ipc);
    bool moved = true;
    for (int round = 0; round < ROUNDS && moved; round++) {
        moved = false;
        for (int k = 0; k < count; k++) {
            FilSlipping slipping;
            const FilFriction* friction = friction_at(&solver->ipc, k, &slipping);
            moved = fil_friction_settle(friction, &slipping, solver->settings.model.ipc.slip_speed, solver->system->scratch.weight,
                                        negligible / sqrt(count), direction) ||
                    moved;
        }
    }
}

void fil_ipc_friction_center(FilSolver* solver, const double* v)
{
    for (int k = 0; k < friction_count(&solver->ipc); k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&solver->ipc, k, &slipping);
        fil_friction_center(friction, &slipping, v);
    }
}

static void accept_some(void* context, int first, int end, int worker)
{
    const Review* own = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilSlipping slipping;
        FilFriction* friction = friction_at(&own->solver->ipc, k, &slipping);
        fil_friction_accept(friction, &slipping, own->solver->settings.model.ipc.slip_speed, own->v);
    }
}

void fil_ipc_friction_accept(FilSolver* solver, const double* v)
{
    Review own = {.solver = solver, .v = v};
    fil_workers_run(solver->system->workers, friction_count(&solver->ipc), 2 * GRAIN, accept_some, &own);
}

FilStatus fil_ipc_friction_list(FilSolver* solver, FilInts* end, FilInts* variable, int* count)
{
    const int terms = friction_count(&solver->ipc);
    FilSlipping slipping;
    int variables = *count > 0 ? end->at[*count - 1] : 0;
    size_t max = 0;
    for (int k = 0; k < terms; k++) {
        (void)friction_at(&solver->ipc, k, &slipping);
        max += (size_t)slipping.count;
    }
    if (!fil_ints_extend(end, (size_t)*count, (size_t)terms) || !fil_ints_extend(variable, (size_t)variables, max)) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int k = 0; k < terms; k++) {
        const int first = variables;
        (void)friction_at(&solver->ipc, k, &slipping);
        for (int i = 0; i < slipping.count; i++) {
            (void)fil_block_list_put(variable->at, first, &variables, slipping.column[i]);
        }
        end->at[(*count)++] = variables;
    }
    return FIL_OK;
}

/* Whether some column that it reaches is of the part. */
static bool reaches(const FilSlipping* slipping, FilFrictionPart part)
{
    bool some = part.count == 1;
    for (int i = 0; i < slipping->count && !some; i++) {
        some = slipping->column[i] >= 0 && fil_friction_part_has(part, slipping->column[i]);
    }
    return some;
}

/* Adds R' H R of one contact or ring, R the rates of slip along the tangents by blocks. */
static void add_friction_hessian(const FilFriction* friction, const FilSlipping* slipping, const double* h, FilBlockSum* sum, int list,
                                 FilFrictionPart part)
{
    int local[4 * FIL_JACOBIAN_BLOCKS];
    double rates[4 * FIL_JACOBIAN_BLOCKS][8], turned[8];
    for (int i = 0; i < slipping->count; i++) {
        local[i] = fil_block_sum_find(sum, list, slipping->column[i]);
        fil_friction_rates(friction, slipping->jacobian + 12 * i, rates[i]);
    }
    for (int j = 0; j < slipping->count; j++) {
        if (local[j] < 0 || !fil_friction_part_has(part, slipping->column[j])) {
            continue;
        }
        for (int k = 0; k < 4; k++) {
            turned[k] = h[0] * rates[j][k] + h[1] * rates[j][4 + k];
            turned[4 + k] = h[2] * rates[j][k] + h[3] * rates[j][4 + k];
        }
        for (int i = 0; i < slipping->count; i++) {
            double* block = local[i] >= 0 ? fil_block_sum_at(sum, list, local[i], local[j]) : NULL;
            if (block == NULL) {
                continue;
            }
            FilDouble2 first[2], second[2];
            for (int m = 0; m < 2; m++) {
                first[m] = fil_double2_load(rates[i] + 2 * m);
                second[m] = fil_double2_load(rates[i] + 4 + 2 * m);
            }
            for (int k = 0; k < FIL_BLOCK_SIZE; k += 2) {
                const FilDouble2 more = first[k / 2 % 2] * fil_double2_all(turned[k / 4]) + second[k / 2 % 2] * fil_double2_all(turned[4 + k / 4]);
                fil_double2_store(block + k, fil_double2_load(block + k) + more);
            }
        }
    }
}

void fil_ipc_friction_hessian(FilSolver* solver, const double* v, FilPotentialOrder order, FilBlockSum* sum, int first_list, FilFrictionPart part)
{
    const bool definite = order == FIL_POTENTIAL_DEFINITE;
    for (int k = 0; k < friction_count(&solver->ipc); k++) {
        FilSlipping slipping;
        const FilFriction* friction = friction_at(&solver->ipc, k, &slipping);
        double curvature[4];
        if (reaches(&slipping, part)) {
            fil_friction_curvature(friction, &slipping, solver->settings.model.ipc.slip_speed, definite, v, curvature);
            add_friction_hessian(friction, &slipping, curvature, sum, first_list + k, part);
        }
    }
}
