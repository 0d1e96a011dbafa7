/* What pairs of features are to each other: how near, how far a Newton step may go before they meet */
#include <math.h>
#include <string.h>

#include "base/extrema.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "base/vector.h"
#include "geometry/closest.h"
#include "geometry/sweep.h"
#include "solver/solver.h"

/* What is left of a gap at the end of the longest step; and at least where a shorter one ends, beside that line: chosen, so that few are shortened
 * again for as little as turning leads away from it. */
static const double KEEP = 0.1, KEEP_BESIDE = 0.05;

/* How much of what brings two features together is left to them, of what does not. */
static const double TANGENTIAL_SHARE = 0.8;

/* Shares of all corners in the nearest point of a triangle, beyond which no other triangle can be as near, nor rounding make it seem so. */
static const double WITHIN = 1e-4;

/* ... up to which the nearest point counts as on the edge beside, lest rounding took it now for one triangle's, now for the other's. */
static const double ON_EDGE = 1e-9;

/* ---- two features ---- */

/* Numbers of corners that compilers know make one stretch of code of this. */
FIL_VECTOR_INLINE double approach_of(const int* points, int split, int count, const double* from, const double* to, const double* slack)
{
    double mean[3] = {0.0}, motion[4][3], square[2] = {0.0}, beside[2] = {0.0};
    for (int i = 0; i < count; i++) {
        fil_v3_sub(motion[i], to + 3 * points[i], from + 3 * points[i]);
        fil_v3_axpy(mean, 1.0 / count, motion[i]);
    }
    for (int i = 0; i < count; i++) {
        fil_v3_sub(motion[i], motion[i], mean);
        square[i >= split] = fil_max(fil_v3_dot(motion[i], motion[i]), square[i >= split]);
        beside[i >= split] = fil_max(slack != NULL ? slack[points[i]] : 0.0, beside[i >= split]);
    }
    return sqrt(square[0]) + beside[0] + sqrt(square[1]) + beside[1];
}

double fil_ipc_approach(FilFeature kind, const int* points, int count, const double* from, const double* to, const double* slack)
{
    switch (kind) {
        case FIL_SEGMENT_SEGMENT:
            return approach_of(points, 2, 4, from, to, slack);
        case FIL_POINT_TRIANGLE:
            return approach_of(points, 1, 4, from, to, slack);
        default:
            return approach_of(points, 1, count, from, to, slack);
    }
}

double fil_ipc_distance(FilFeature kind, const int* points, int count, const double* x)
{
    double between[3];
    return fil_ipc_nearest(kind, points, count, x, between);
}

double fil_ipc_nearest(FilFeature kind, const int* points, int count, const double* x, double* between)
{
    const double *a = x + 3 * points[0], *b = x + 3 * points[1], *c = x + 3 * points[count > 2 ? 2 : 1], *d = x + 3 * points[count - 1];
    double s = 0.0, t = 0.0, w[3], square;
    switch (kind) {
        case FIL_POINT_SEGMENT:
            square = fil_point_segment(a, b, c, &s);
            for (int k = 0; k < 3; k++) {
                between[k] = (b[k] + s * (c[k] - b[k])) - a[k];
            }
            return sqrt(square);
        case FIL_SEGMENT_SEGMENT:
            square = fil_segment_segment(a, b, c, d, &s, &t);
            for (int k = 0; k < 3; k++) {
                between[k] = (c[k] + t * (d[k] - c[k])) - (a[k] + s * (b[k] - a[k]));
            }
            return sqrt(square);
        case FIL_POINT_TRIANGLE:
            square = fil_point_triangle(a, b, c, d, w);
            for (int k = 0; k < 3; k++) {
                between[k] = w[0] * (b[k] - a[k]) + w[1] * (c[k] - a[k]) + w[2] * (d[k] - a[k]);
            }
            return sqrt(square);
        default:
            fil_v3_sub(between, b, a);
            return fil_v3_norm(between);
    }
}

/* ---- sweeps ---- */

/* Four corners for sweeps: lone points count as segments of no length. */
static void four_corners(const FilIpcPair* pair, const double* x, double* corners)
{
    const int *p = pair->point, n = pair->corner_count;
    const int four[4] = {p[0], n == 4 ? p[1] : p[0], n == 4 ? p[2] : p[1], n == 2 ? p[1] : p[n - 1]};
    for (int i = 0; i < 4; i++) {
        fil_v3_copy(corners + 3 * i, x + 3 * four[i]);
    }
}

static double plane_gap(const FilSolver* solver, const FilIpcPair* pair, const double* x, const double* q)
{
    double normal[3], at[3], arm[3];
    fil_ipc_plane(solver, pair->plane, q, normal, at);
    fil_v3_sub(arm, x + 3 * pair->point[0], at);
    return fil_v3_dot(arm, normal) - pair->repulsion.offset;
}

double fil_ipc_gap(const FilSolver* solver, const FilIpcPair* pair)
{
    const FilIpcField* field = &solver->ipc;
    return pair->plane >= 0 ? plane_gap(solver, pair, field->points.at, field->x.at)
                            : fil_ipc_distance(pair->repulsion.pair, pair->point, pair->corner_count, field->points.at) - pair->repulsion.offset;
}

static double square_to(const double* x, int point, const int* corners, double* weight)
{
    return fil_point_triangle(x + 3 * point, x + 3 * corners[0], x + 3 * corners[1], x + 3 * corners[2], weight);
}

/* Which triangle of a surface has these corners. */
static int triangle_of(const FilIpcSurface* s, const int* corners)
{
    int f = s->fan_first[corners[0]];
    while (memcmp(s->triangles[s->fan[f]].point, corners, 3 * sizeof(int)) != 0) {
        f++;
    }
    return s->fan[f];
}

static bool has_corner(const int* corners, int point)
{
    return corners[0] == point || corners[1] == point || corners[2] == point;
}

/* The first triangle that has the place which these weights of a triangle's corners give: itself, or one at the same edge or corner; of a face,
 * unless that is negative. */
static int first_at(const FilIpcSurface* s, const int* corners, const double* weight, int face)
{
    int used[3], count = 0;
    for (int k = 0; k < 3; k++) {
        if (weight[k] > ON_EDGE) {
            used[count++] = corners[k];
        }
    }
    int f = s->fan_first[used[0]];
    while (!has_corner(s->triangles[s->fan[f]].point, used[count - 1]) || !has_corner(s->triangles[s->fan[f]].point, used[count / 2]) ||
           (face >= 0 && s->triangles[s->fan[f]].face != face)) {
        f++;
    }
    return s->fan[f];
}

bool fil_ipc_beside(const FilSolver* solver, const FilIpcPair* pair)
{
    const FilIpcSurface* s = &solver->ipc.surface;
    const double* x = solver->ipc.points.at;
    const int* corners = pair->point + 1;
    double weight[3], other_weight[3];
    if (fil_ipc_of_mesh(solver, pair)) {
        return fil_ipc_beside_mesh(solver, pair);
    }
    if (pair->repulsion.pair != FIL_POINT_TRIANGLE || s->points[corners[0]].node >= 0) {
        return false;
    }
    double square = square_to(x, pair->point[0], corners, weight);
    if (fmin(fmin(weight[0], weight[1]), weight[2]) > WITHIN) {
        return false;
    }
    // one place of a convex shape is nearest: triangles that have it, or lead there, meet this one
    const int own = triangle_of(s, corners), face = s->points[pair->point[0]].rim > 0 ? s->triangles[own].face : -1;  // a rim is for one face
    int nearest = own;
    for (int k = 0; k < 3; k++) {
        for (int f = s->fan_first[corners[k]]; f < s->fan_first[corners[k] + 1]; f++) {
            const FilIpcTriangle* triangle = &s->triangles[s->fan[f]];
            const double other = face < 0 || triangle->face == face ? square_to(x, pair->point[0], triangle->point, other_weight) : INFINITY;
            if (other < square || (other == square && s->fan[f] < nearest)) {
                square = other;
                nearest = s->fan[f];
                memcpy(weight, other_weight, sizeof weight);
            }
        }
    }
    return first_at(s, s->triangles[nearest].point, weight, face) != own;
}

/* How much of the way from `points` to `ends` leaves a pair so much of the gap. */
static double sweep_pair(const FilSolver* solver, const FilIpcPair* pair, double keep)
{
    const FilIpcField* field = &solver->ipc;
    const double *from = field->points.at, *to = field->ends.at, gap = pair->gap, offset = pair->repulsion.offset;
    const FilFeature kind = pair->repulsion.pair;
    if (pair->plane >= 0) {
        const double later = plane_gap(solver, pair, to, field->x_end.at);
        return later >= keep * gap ? 1.0 : gap > 0.0 ? (1.0 - keep) * gap / (gap - later) : 0.0;
    }
    // nine tenths: for rounding
    if (0.9 * (1.0 - keep) * gap > fil_ipc_approach(kind, pair->point, pair->corner_count, from, to, NULL)) {
        return 1.0;
    }
    double start[12], end[12];
    four_corners(pair, from, start);
    four_corners(pair, to, end);
    return kind == FIL_POINT_TRIANGLE ? fil_sweep_point_triangle(start, end, offset, keep) : fil_sweep_segments(start, end, offset, keep);
}

/* Whether all corners are nodes, which go where their velocities say. */
static bool of_nodes(const FilSolver* solver, const FilIpcPair* pair)
{
    bool nodes = pair->plane < 0;
    for (int i = 0; i < pair->corner_count; i++) {
        nodes = nodes && solver->ipc.surface.points[pair->point[i]].node >= 0;
    }
    return nodes;
}

typedef struct Sweep {
    const FilSolver* solver;
    double keep;  /* of gaps */
    bool turning; /* only of pairs with corners on shapes */
    int first;    /* pair of the batch */
} Sweep;

static void sweep_some(void* context, int first, int end, int worker)
{
    const Sweep* sweep = context;
    const FilIpcField* field = &sweep->solver->ipc;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilIpcPair* pair = &field->pairs[sweep->first + k];
        // planes have a side: their barriers know what is beyond them
        const bool spared = sweep->turning && (pair->plane >= 0 || of_nodes(sweep->solver, pair));
        field->work.at[k] = spared ? 1.0 : sweep_pair(sweep->solver, pair, sweep->keep);
    }
}

static double sweep_all(Sweep sweep)
{
    const FilIpcField* field = &sweep.solver->ipc;
    double longest = 1.0;
    for (; sweep.first < field->pair_count; sweep.first += FIL_IPC_BATCH) {
        const int left = field->pair_count - sweep.first, count = left < FIL_IPC_BATCH ? left : FIL_IPC_BATCH;
        fil_workers_run(sweep.solver->system->workers, count, FIL_IPC_GRAIN, sweep_some, &sweep);
        for (int k = 0; k < count; k++) {
            longest = fmin(longest, field->work.at[k]);
        }
    }
    return longest;
}

double fil_ipc_sweep(const FilSolver* solver)
{
    return sweep_all((Sweep){.solver = solver, .keep = KEEP});
}

double fil_ipc_sweep_turning(const FilSolver* solver)
{
    return sweep_all((Sweep){.solver = solver, .keep = KEEP_BESIDE, .turning = true});
}

static void find_some_gaps(void* context, int first, int end, int worker)
{
    const FilSolver* solver = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilIpcPair* pair = &solver->ipc.pairs[k];
        pair->gap = fil_ipc_gap(solver, pair);
        pair->beside = pair->gap < pair->repulsion.range && fil_ipc_beside(solver, pair);
    }
}

void fil_ipc_find_gaps(FilSolver* solver)
{
    fil_workers_run(solver->system->workers, solver->ipc.pair_count, FIL_IPC_GRAIN, find_some_gaps, solver);
}

/* Lets the corners of a pair that would meet after a share `time` of the way move more alike. */
static void move_alike(FilIpcField* field, const FilIpcPair* pair, double time)
{
    double mean[3] = {0.0};
    for (int i = 0; i < pair->corner_count; i++) {
        fil_v3_axpy(mean, 1.0 / pair->corner_count, field->ends.at + 3 * pair->point[i]);
        fil_v3_axpy(mean, -1.0 / pair->corner_count, field->points.at + 3 * pair->point[i]);
    }
    for (int i = 0; i < pair->corner_count; i++) {
        double *end = field->ends.at + 3 * pair->point[i], rest[3];
        const double* from = field->points.at + 3 * pair->point[i];
        fil_v3_sub(rest, end, from);
        fil_v3_sub(rest, rest, mean);
        fil_v3_copy(end, from);
        fil_v3_axpy(end, 1.0, mean);
        fil_v3_axpy(end, TANGENTIAL_SHARE * time, rest);
    }
}

/* Of a pair: when one of its corners was moved last, counted by moves. */
static int last_move(const FilIpcPair* pair, const int* moved)
{
    int last = 0;
    for (int i = 0; i < pair->corner_count; i++) {
        last = moved[pair->point[i]] > last ? moved[pair->point[i]] : last;
    }
    return last;
}

/* Looks at a pair whose way is free for a share `time`, and moves its corners if need be. */
static void keep_pair_apart(FilSolver* solver, int k, double time, int* moves, bool* met)
{
    FilIpcField* field = &solver->ipc;
    const FilIpcPair* pair = &field->pairs[k];
    int* moved = field->moved.at;
    moved[field->surface.point_count + k] = *moves;
    if (time >= 1.0 || !of_nodes(solver, pair)) {
        return;
    }
    *met = true;
    move_alike(field, pair, time);
    ++*moves;
    for (int i = 0; i < pair->corner_count; i++) {
        moved[pair->point[i]] = *moves;
    }
}

bool fil_ipc_keep_apart(FilSolver* solver, int rounds, bool* free)
{
    FilIpcField* field = &solver->ipc;
    const int *moved = field->moved.at, *seen = moved + field->surface.point_count;
    int moves = 0;
    bool met = false, again = true;
    memset(field->moved.at, 0, sizeof(int) * (size_t)field->surface.point_count);
    *free = true;
    // pairs are looked at one after the other; what is found before that, in parallel, holds unless a corner has been moved since
    for (Sweep sweep = {.solver = solver, .keep = KEEP}; sweep.first < field->pair_count; sweep.first += FIL_IPC_BATCH) {
        const int left = field->pair_count - sweep.first, count = left < FIL_IPC_BATCH ? left : FIL_IPC_BATCH, before = moves;
        fil_workers_run(solver->system->workers, count, FIL_IPC_GRAIN, sweep_some, &sweep);
        for (int k = 0; k < count; k++) {
            const FilIpcPair* pair = &field->pairs[sweep.first + k];
            const double time = last_move(pair, moved) > before ? sweep_pair(solver, pair, KEEP) : field->work.at[k];
            *free = *free && time >= 1.0;
            keep_pair_apart(solver, sweep.first + k, time, &moves, &met);
        }
    }
    for (int round = 1; round < rounds && again && met; round++) {
        again = false;
        for (int k = 0; k < field->pair_count; k++) {
            if (last_move(&field->pairs[k], moved) > seen[k]) {
                keep_pair_apart(solver, k, sweep_pair(solver, &field->pairs[k], KEEP), &moves, &again);
            }
        }
    }
    return met;
}
