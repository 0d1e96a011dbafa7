/* Rings in a step: their potential, their friction, and where they are at its end (P4 sec. 2.3). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "body/ring.h"
#include "body/rod.h"
#include "contact/ipc_barrier.h"
#include "world/world.h"

/* Blocks that one ring couples: its point and three nodes, now and where friction lags. */
enum { RING_BLOCKS = 8 };

static FilRingBody* ring_of(const FilWorld* world, const FilRingTerm* term)
{
    return world->bodies[term->body].impl;
}

/* The point of a ring in an array like q. */
static const double* point_in(const FilWorld* world, const FilRingBody* ring, const double* q)
{
    return q + world->bodies[ring->carrier_body].q + 4 * ring->carrier_node;
}

static const double* rods_in(const FilWorld* world, const FilRingBody* ring, const double* q)
{
    return q + world->bodies[ring->rod_body].q;
}

/* Blocks of the world's velocities: of the point, and of the nodes of a piece. */
static void blocks_of(const FilWorld* world, const FilRingBody* ring, const FilTrackPoint* point, int blocks[4])
{
    blocks[0] = world->bodies[ring->carrier_body].v / 4 + ring->carrier_node;
    for (int k = 0; k < 3; k++) {
        blocks[1 + k] = world->bodies[ring->rod_body].v / 4 + point->node[k];
    }
}

/* Ends that are held stop the ring; free ones let it pass. */
static void open_ends(const FilWorld* world, FilRingBody* ring)
{
    const FilRodBody* rods = world->bodies[ring->rod_body].impl;
    for (int end = 0; end < 2; end++) {
        const int node = ring->nodes[end == 0 ? 0 : ring->track.count - 1];
        ring->track.open[end] = !rods->held[4 * node];
    }
}

/* Speed of the ring along the rod. */
static double slip_of(const FilRingTerm* term, const double* v)
{
    double slip = 0.0;
    for (int i = 0; i < 4; i++) {
        slip += term->weight[i] * fil_v3_dot(term->tangent, v + 4 * term->lagged[i]);
    }
    return slip;
}

/* Friction of this step: normal force, tangent and weights at its start. */
static void lag(FilWorld* world, FilRingTerm* term)
{
    const FilRingBody* ring = ring_of(world, term);
    const FilTrackPoint point = fil_track_closest(&ring->track, rods_in(world, ring, world->state.q),
                                                  point_in(world, ring, world->state.q), &term->place);
    const double gap = sqrt(2.0 * point.half_square) - ring->offset;
    term->normal_force = fil_ring_barrier(gap, ring->range, ring->stiffness).first;
    fil_v3_copy(term->tangent, point.slope);
    fil_v3_normalise(term->tangent);
    memcpy(term->weight, point.weight, sizeof term->weight);
    blocks_of(world, ring, &point, term->lagged);
    memcpy(term->block, term->lagged, sizeof term->block);
}

FilStatus fil_rings_begin(FilWorld* world)
{
    FilIpcField* field = &world->ipc;
    field->ring_count = 0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (body->ops != fil_body_kinds[FIL_BODY_RING] || world->state.h[body->h + FIL_RING_THREADED] == 0.0) {
            continue;
        }
        const FilStatus status =
            fil_world_reserve(world, (void**)&field->rings, field->ring_count, &field->ring_capacity, sizeof *field->rings);
        if (status != FIL_OK) {
            return status;
        }
        FilRingTerm* term = &field->rings[field->ring_count++];
        const double* h = world->state.h + body->h;
        *term = (FilRingTerm){.body = b, .place = {(int)h[FIL_RING_PIECE], h[FIL_RING_U]}};
        open_ends(world, ring_of(world, term));
        lag(world, term);
    }
    return FIL_OK;
}

/* The ring against its rod at the trial positions. */
static FilTrackPoint see_ring(const FilWorld* world, const FilRingTerm* term, FilTrackPlace* place)
{
    const FilRingBody* ring = ring_of(world, term);
    const double* x = world->ipc.x.at;
    *place = term->place;
    return fil_track_closest(&ring->track, rods_in(world, ring, x), point_in(world, ring, x), place);
}

double fil_rings_add(FilWorld* world, const double* v, double* residual)
{
    const FilIpcField* field = &world->ipc;
    double energy = 0.0;
    for (int k = 0; k < field->ring_count; k++) {
        const FilRingTerm* term = &field->rings[k];
        const FilRingBody* ring = ring_of(world, term);
        FilTrackPlace place;
        const FilTrackPoint point = see_ring(world, term, &place);
        double gradient[12];
        int blocks[4];
        energy += fil_ring_energy(ring->offset, ring->range, ring->stiffness, &point, gradient, NULL, true);
        if (!isfinite(energy)) {
            return INFINITY;
        }
        blocks_of(world, ring, &point, blocks);
        const double slip = slip_of(term, v), most = field->dt * ring->friction * term->normal_force;
        const FilJet friction = fil_slip(fabs(slip), world->def.ipc.slip_speed);
        energy += most * friction.value;
        for (int i = 0; i < 4; i++) {
            fil_v3_axpy(residual + 4 * blocks[i], field->dt, gradient + 3 * i);
            fil_v3_axpy(residual + 4 * term->lagged[i], copysign(most * friction.first, slip) * term->weight[i], term->tangent);
        }
    }
    return energy;
}

/* ---- second derivatives ---- */

void fil_rings_list(FilWorld* world, int* list_end, int* variable, int* lists, int* variables)
{
    FilIpcField* field = &world->ipc;
    for (int k = 0; k < field->ring_count; k++) {
        FilRingTerm* term = &field->rings[k];
        const int first = *variables;
        for (int i = 0; i < RING_BLOCKS; i++) {
            const int block = i < 4 ? term->block[i] : term->lagged[i - 4];
            const FilRingBody* ring = ring_of(world, term);
            const int body = i % 4 == 0 ? ring->carrier_body : ring->rod_body;
            const int column = world->contact.offset[body] + block - world->bodies[body].v / 4;
            int at = first;
            while (at < *variables && variable[at] != column) {
                at++;
            }
            if (at == *variables) {
                variable[(*variables)++] = column;
            }
            term->local[i] = at - first;
        }
        list_end[(*lists)++] = *variables;
    }
}

/* Adds scale times a 3 x 3 part (rows and columns of a matrix with `stride`) to the block of two variables. */
static void add_part(FilBlockSum* sum, int list, int row, int column, double scale, const double* h, int stride)
{
    double block[FIL_BLOCK_SIZE] = {0.0};
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            block[4 * c + r] = scale * h[stride * r + c];
        }
    }
    fil_block_sum_add(sum, list, row, column, block);
}

void fil_rings_hessian(FilWorld* world, const double* v, bool positive, FilBlockSum* sum, int first_list)
{
    const FilIpcField* field = &world->ipc;
    for (int k = 0; k < field->ring_count; k++) {
        const FilRingTerm* term = &field->rings[k];
        const FilRingBody* ring = ring_of(world, term);
        FilTrackPlace place;
        const FilTrackPoint point = see_ring(world, term, &place);
        double hessian[144], along[9];
        fil_ring_energy(ring->offset, ring->range, ring->stiffness, &point, NULL, hessian, positive);
        const double slip = slip_of(term, v), most = field->dt * ring->friction * term->normal_force;
        const double bound = world->def.ipc.slip_speed;
        const double curve = most * (positive ? fil_slip_bound_curvature(fabs(slip), bound) : fil_slip(fabs(slip), bound).second);
        for (int j = 0; j < 9; j++) {
            along[j] = curve * term->tangent[j / 3] * term->tangent[j % 3];
        }
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) {
                add_part(sum, first_list + k, term->local[i], term->local[j], field->dt * field->dt,
                         hessian + 36 * i + 3 * j, 12);
                add_part(sum, first_list + k, term->local[4 + i], term->local[4 + j], term->weight[i] * term->weight[j], along, 3);
            }
        }
    }
}

/* ---- between iterations, and at the end ---- */

void fil_rings_accept(FilWorld* world, bool* changed)
{
    FilIpcField* field = &world->ipc;
    for (int k = 0; k < field->ring_count; k++) {
        FilRingTerm* term = &field->rings[k];
        FilTrackPlace place;
        int blocks[4];
        const FilTrackPoint point = see_ring(world, term, &place);
        blocks_of(world, ring_of(world, term), &point, blocks);
        *changed = *changed || memcmp(blocks, term->block, sizeof blocks) != 0;
        memcpy(term->block, blocks, sizeof blocks);
        term->place = place;
    }
}

void fil_rings_finish(FilWorld* world)
{
    FilIpcField* field = &world->ipc;
    for (int k = 0; k < field->ring_count; k++) {
        const FilRingTerm* term = &field->rings[k];
        FilRingBody* ring = ring_of(world, term);
        FilTrackPlace place;
        const FilTrackPoint point = see_ring(world, term, &place);
        ring->place[FIL_RING_THREADED] = point.past ? 0.0 : 1.0;
        ring->place[FIL_RING_PIECE] = place.piece;
        ring->place[FIL_RING_U] = place.u;
    }
}
