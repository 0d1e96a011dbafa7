/* Rings in a step: their potential, their friction, and where they are at its end (P4 sec. 2.3). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "body/ring.h"
#include "contact/ipc_barrier.h"
#include "contact/ring_hole.h"
#include "solver/solver.h"

/* A ring against its rod. */
typedef struct Sight {
    FilTrackPlace place;
    FilTrackPoint point;
    bool lost;          /* the rod does not pass the hole any more */
    double rotation[9]; /* of the hole's body, if it has one */
    double axis[3];     /* of the hole */
} Sight;

static FilRingBody* ring_of(const FilSolver* solver, const FilRingTerm* term)
{
    const FilBody* body = &solver->system->bodies[term->body];
    return body->ops->ring(body->impl);
}

/* Looks from the term's place on, at positions in an array like q. */
static void see_ring(const FilSolver* solver, const FilRingTerm* term, const double* q, Sight* sight)
{
    const FilRingBody* ring = ring_of(solver, term);
    const double *rods = q + solver->system->bodies[ring->rod_body].q, *carrier = q + solver->system->bodies[ring->carrier_body].q;
    sight->place = term->place;
    sight->lost = false;
    if (!ring->holed) {
        fil_track_closest(&ring->track, rods, carrier + 4 * ring->carrier_node, &sight->place, &sight->point);
        return;
    }
    double center[3];
    fil_m3_from_quat(sight->rotation, (FilQuat){carrier[4], carrier[5], carrier[6], carrier[7]});
    fil_hole_place(&ring->hole, carrier, sight->rotation, center, sight->axis);
    sight->lost = !fil_track_crossing(&ring->track, rods, center, sight->axis, &sight->place, &sight->point);
}

/* Its potential, with derivatives over 3 numbers a block. */
static double energy_of(const FilRingBody* ring, const Sight* sight, double* gradient, double* hessian, bool positive)
{
    if (!ring->holed) {
        return fil_ring_energy(ring->offset, ring->range, ring->stiffness, &sight->point, gradient, hessian, positive);
    }
    const FilHoleBarrier barrier = {&ring->hole, ring->range, ring->stiffness};
    return sight->lost ? INFINITY : fil_hole_energy(&barrier, sight->rotation, &sight->point, gradient, hessian, positive);
}

static int own_blocks(const FilRingBody* ring)
{
    return ring->holed ? 2 : 1;
}

/* Blocks of the world's velocities: of the ring, and of the nodes of a piece. */
static void blocks_of(const FilSolver* solver, const FilRingTerm* term, const FilTrackPoint* point, int* blocks)
{
    const FilRingBody* ring = ring_of(solver, term);
    const int own = own_blocks(ring);
    for (int i = 0; i < term->count; i++) {
        blocks[i] = i < own ? solver->system->bodies[ring->carrier_body].v / 4 + ring->carrier_node + i
                            : solver->system->bodies[ring->rod_body].v / 4 + point->node[i - own];
    }
}

/* Column of the matrix for block i of a ring; -1: it takes no part. */
static int column_of(const FilSolver* solver, const FilRingTerm* term, int i, int block)
{
    const FilRingBody* ring = ring_of(solver, term);
    const int body = i < own_blocks(ring) ? ring->carrier_body : ring->rod_body, offset = solver->contact.offset[body];
    return offset < 0 ? -1 : offset + block - solver->system->bodies[body].v / 4;
}

/* Ends that are held stop the ring; free ones let it pass. */
static void open_ends(const FilSolver* solver, FilRingBody* ring)
{
    const FilBody* rods = &solver->system->bodies[ring->rod_body];
    for (int end = 0; end < 2; end++) {
        const int node = ring->nodes[end == 0 ? 0 : ring->track.count - 1];
        ring->track.open[end] = !rods->ops->held(rods->impl, node);
    }
}

/* ---- friction ---- */

/* The rod at `arm` from its line: what turns with it moves by arm x its turning, that of its direction t and its twist,
 *     v = c_dot + (t . arm) t_dot - t (t_dot . arm) + gamma_dot t x arm,   t_dot = dc_dot/du / |dc/du|.
 * Adds all but the first to the Jacobian of the slip, which is the ring's velocity less that. */
static void turn_rod(const FilRingBody* ring, const Sight* sight, const double* arm, FilRingTerm* term)
{
    const int own = own_blocks(ring), count = ring->track.count, last = ring->track.loop ? count - 1 : count - 2;
    const double n = fil_v3_norm(sight->point.slope);
    double t[3], across[3], spin[3];
    fil_v3_scale(t, -1.0 / n, sight->point.slope);  // r = p - c runs against the curve
    const double ahead = fil_v3_dot(t, arm);
    fil_v3_copy(across, arm);
    fil_v3_axpy(across, -ahead, t);
    fil_v3_cross(spin, t, arm);
    for (int i = own; i < term->count; i++) {
        const double rate = sight->point.change[1 + i - own] / n;  // r runs against the curve here, too
        for (int k = 0; k < 9; k++) {
            term->jacobian[i][4 * (k / 3) + k % 3] += rate * ((k / 3 == k % 3 ? ahead : 0.0) - t[k / 3] * across[k % 3]);
        }
    }
    if (!ring->holed) {  // friction along the rod alone does not twist it
        return;
    }
    // the curve's piece is between the two middle nodes, and belongs to the edge there
    const int edge = (int)fmin(fmax(floor(sight->place.piece + sight->place.u - 0.5), 0.0), last);
    if (ring->angles[edge] == sight->point.node[1]) {  // not where the edge begins at a copy of a shared node, which is none of the blocks
        for (int k = 0; k < 3; k++) {
            term->jacobian[own + 1][4 * k + 3] -= spin[k];
        }
    }
}

/* The rim's point that touches the rod, how it moves, and the direction of slip across the rod; from the rod's line to there. */
static void touch_rim(const FilSolver* solver, const Sight* sight, FilRingTerm* term, double* arm)
{
    const FilRingBody* ring = ring_of(solver, term);
    const FilBody* carrier = &solver->system->bodies[ring->carrier_body];
    const double *q = fil_start_q(solver->system) + carrier->q, d = fil_v3_norm(sight->point.r);
    double rim[3], normal[3], center[3], axis[3], jacobian[12 * FIL_JACOBIAN_BLOCKS];
    int blocks[FIL_JACOBIAN_BLOCKS];
    fil_hole_place(&ring->hole, q, sight->rotation, center, axis);
    fil_v3_copy(rim, center);
    fil_v3_axpy(rim, d > 0.0 ? -ring->hole.radius / d : 0.0, sight->point.r);
    fil_v3_sub(arm, rim, center);
    fil_v3_add(arm, arm, sight->point.r);
    const int count = carrier->ops->point_jacobian(carrier->impl, 0, 0, rim, q, blocks, jacobian, term->friction.bias);
    memcpy(term->jacobian, jacobian, sizeof(double) * 12 * (size_t)count);
    // the normal is across the rod and the rim
    const double* along = term->friction.tangent[0];
    fil_v3_copy(normal, sight->point.r);
    fil_v3_axpy(normal, -fil_v3_dot(sight->point.r, along) / fil_v3_dot(axis, along), axis);
    fil_v3_normalise(normal);
    fil_v3_cross(term->friction.tangent[1], normal, along);
}

/* Friction of this step: normal force, tangents and velocities as at its start. False if the ring is out of reach there. */
static bool lag(FilSolver* solver, FilRingTerm* term)
{
    const FilRingBody* ring = ring_of(solver, term);
    Sight sight;
    see_ring(solver, term, fil_start_q(solver->system), &sight);
    const int own = own_blocks(ring);
    double gradient[FIL_HOLE_SIZE] = {0.0};
    if (!isfinite(energy_of(ring, &sight, gradient, NULL, true))) {
        return false;
    }
    term->friction.max = solver->ipc.dt * ring->friction * fil_v3_norm(gradient);
    term->place = sight.place;
    fil_v3_copy(term->friction.tangent[0], sight.point.slope);
    fil_v3_normalise(term->friction.tangent[0]);
    double arm[3];
    fil_v3_copy(arm, sight.point.r);  // a point feels friction where it is, and so must the rod: neither gains angular momentum
    if (ring->holed) {
        touch_rim(solver, &sight, term, arm);
    }
    for (int i = ring->holed ? own : 0; i < term->count; i++) {
        double* jacobian = term->jacobian[i];
        jacobian[0] = jacobian[5] = jacobian[10] = i < own ? 1.0 : sight.point.weight[1 + i - own];
    }
    turn_rod(ring, &sight, arm, term);
    blocks_of(solver, term, &sight.point, term->lagged);
    for (int i = 0; i < term->count; i++) {
        term->column[i] = column_of(solver, term, i, term->lagged[i]);
    }
    memcpy(term->block, term->lagged, sizeof term->block);
    return true;
}

/* ---- a step's begin; the potential ---- */

/* Rings at a time: some five microseconds. */
enum { RING_GRAIN = 2 };

static void lag_some(void* context, int first, int end, int worker)
{
    FilSolver* solver = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilRingTerm* term = &solver->ipc.rings[k];
        open_ends(solver, ring_of(solver, term));
        term->within = lag(solver, term);
    }
}

FilStatus fil_rings_begin(FilSolver* solver)
{
    FilIpcField* field = &solver->ipc;
    field->ring_count = 0;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (body->ops->ring == NULL || solver->system->state.h[body->h + FIL_RING_THREADED] == 0.0) {
            continue;
        }
        const FilStatus status = fil_solver_reserve((void**)&field->rings, field->ring_count, &field->ring_capacity, sizeof *field->rings);
        if (status != FIL_OK) {
            return status;
        }
        FilRingTerm* term = &field->rings[field->ring_count++];
        const double* h = solver->system->state.h + body->h;
        *term = (FilRingTerm){.body = b, .place = {(int)h[FIL_RING_PIECE], h[FIL_RING_U]}, .stuck = h[FIL_RING_STUCK] != 0.0};
        term->count = ring_of(solver, term)->holed ? 6 : 4;
    }
    fil_workers_run(solver->system->workers, field->ring_count, RING_GRAIN, lag_some, solver);
    for (int k = 0; k < field->ring_count; k++) {
        if (!field->rings[k].within) {  // somebody has set it or its rod elsewhere
            return fil_solver_refuse(solver, "ring '%s' is not where its rod could hold it: set both, or neither",
                                     solver->system->bodies[field->rings[k].body].name);
        }
    }
    return FIL_OK;
}

_Static_assert(FIL_HOLE_SIZE == 3 * FIL_RING_BLOCKS, "a ring has room for the gradient of a hole");

static void see_some(void* context, int first, int end, int worker)
{
    const FilSolver* solver = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilRingTerm* term = &solver->ipc.rings[k];
        Sight sight;
        see_ring(solver, term, solver->ipc.x.at, &sight);
        term->energy = energy_of(ring_of(solver, term), &sight, term->gradient, NULL, true);
        term->seen = sight.place;
        term->past = sight.point.past;
        if (isfinite(term->energy)) {
            blocks_of(solver, term, &sight.point, term->seen_block);
        }
    }
}

double fil_rings_add(FilSolver* solver, const double* v, double* residual)
{
    const FilIpcField* field = &solver->ipc;
    double energy = 0.0;
    fil_workers_run(solver->system->workers, field->ring_count, RING_GRAIN, see_some, solver);
    for (int k = 0; k < field->ring_count; k++) {
        const FilRingTerm* term = &field->rings[k];
        energy += term->energy;
        if (!isfinite(energy)) {
            return INFINITY;
        }
        for (int i = 0; i < term->count; i++) {
            fil_v3_axpy(residual + 4 * term->seen_block[i], field->dt, term->gradient + 3 * i);
        }
        const FilSlipping slipping = fil_ring_slipping(term);
        energy += fil_friction_add(&term->friction, &slipping, solver->settings.model.ipc.slip_speed, v, residual);
    }
    return energy;
}

/* ---- second derivatives ---- */

void fil_rings_list(FilSolver* solver, int* list_end, int* variable, int* lists, int* variables)
{
    FilIpcField* field = &solver->ipc;
    for (int k = 0; k < field->ring_count; k++) {
        FilRingTerm* term = &field->rings[k];
        const int first = *variables;
        for (int i = 0; i < term->count; i++) {
            const int column = column_of(solver, term, i, term->block[i]);
            term->local[i] = fil_block_list_put(variable, first, variables, column);
        }
        list_end[(*lists)++] = *variables;
    }
}

/* Second derivatives of a batch of rings, in parallel. */
typedef struct Bending {
    const FilSolver* solver;
    int first;
    bool positive;
} Bending;

/* Those of the k-th of a batch. */
static double* bending_of(const FilIpcField* field, int k)
{
    return field->work.at + (ptrdiff_t)FIL_HOLE_SIZE * FIL_HOLE_SIZE * k;
}

static void bend_some(void* context, int first, int end, int worker)
{
    const Bending* bending = context;
    const FilIpcField* field = &bending->solver->ipc;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilRingTerm* term = &field->rings[bending->first + k];
        Sight sight;
        see_ring(bending->solver, term, field->x.at, &sight);
        energy_of(ring_of(bending->solver, term), &sight, NULL, bending_of(field, k), bending->positive);
    }
}

void fil_rings_hessian(FilSolver* solver, bool positive, FilBlockSum* sum, int first_list)
{
    enum { BATCH = FIL_IPC_BATCH * FIL_IPC_WORK / (FIL_HOLE_SIZE * FIL_HOLE_SIZE) };
    const FilIpcField* field = &solver->ipc;
    const double scale = field->dt * field->dt;
    Bending bending = {.solver = solver, .positive = positive};
    for (int k = 0; k < field->ring_count; k++) {
        if (k % BATCH == 0) {
            const int left = field->ring_count - k;
            bending.first = k;
            fil_workers_run(solver->system->workers, left < BATCH ? left : BATCH, RING_GRAIN, bend_some, &bending);
        }
        const FilRingTerm* term = &field->rings[k];
        const double* hessian = bending_of(field, k - bending.first);
        const int n = term->count;
        for (int e = 0; e < n * n; e++) {
            const int i = e / n, j = e % n;
            double* block = term->local[i] >= 0 && term->local[j] >= 0 ? fil_block_sum_at(sum, first_list + k, term->local[i], term->local[j]) : NULL;
            for (int m = 0; m < 9 && block != NULL; m++) {
                block[4 * (m % 3) + m / 3] += scale * hessian[3 * n * (3 * i + m / 3) + 3 * j + m % 3];
            }
        }
    }
}

/* ---- between iterations, and at the end ---- */

void fil_rings_accept(FilSolver* solver, bool* changed)
{
    FilIpcField* field = &solver->ipc;
    for (int k = 0; k < field->ring_count; k++) {
        FilRingTerm* term = &field->rings[k];
        *changed = *changed || memcmp(term->seen_block, term->block, sizeof term->block) != 0;
        memcpy(term->block, term->seen_block, sizeof term->block);
        term->place = term->seen;
    }
}

void fil_rings_finish(FilSolver* solver, const double* v)
{
    FilIpcField* field = &solver->ipc;
    for (int k = 0; k < field->ring_count; k++) {
        const FilRingTerm* term = &field->rings[k];
        FilRingBody* ring = ring_of(solver, term);
        ring->place[FIL_RING_THREADED] = term->past ? 0.0 : 1.0;
        ring->place[FIL_RING_PIECE] = term->seen.piece;
        ring->place[FIL_RING_U] = term->seen.u;
        const FilSlipping slipping = fil_ring_slipping(term);
        ring->place[FIL_RING_STUCK] = fil_friction_sticks(&term->friction, &slipping, solver->settings.model.ipc.slip_speed, v) ? 1.0 : 0.0;
    }
}
