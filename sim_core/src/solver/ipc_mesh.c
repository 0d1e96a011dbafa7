/* Points of rigid shapes against triangles that deform: barriers of the distances to triangles, less those to inner edges, plus those to inner
 * vertices (inclusion and exclusion; Li et al. 2023, Convergent incremental potential contact):
 *     E(p) = sum_t B(d(p, t)) - sum_e c_e B(d(p, e)) + sum_v c_v B(d(p, v)).
 * With c = 1 that counts the pieces of the mesh that are as near as that: where it is flat or convex there is one, and E = B(d) of the nearest
 * place, smooth across edges and vertices; the faces of a valley both count. A mesh that wraps a ball is near everywhere around, which would be
 * one piece as well, or none with a hole: there each triangle bears by itself. So c falls from 1 to 0 as the mesh bends towards the point as fast
 * as a sphere around it does: of an edge between triangles of mean height l that bend by delta, d sin(delta) / l is 0 where they are flat, 2/3 to
 * 1 where they wrap. A vertex has the least c of its edges, so that what is left of triangles, edges and vertices is never less than nothing.
 *
 * Edges and vertices are pairs beside those of triangles. Most of these cancel, where the nearest place of several of them is one: of those that
 * share it in a sum of one the first triangle counts, and the others push nothing (`beside`). */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "geometry/closest.h"
#include "solver/solver.h"

/* Bends by which c begins and ends to fall: chosen between flat and 2/3. */
static const double FLAT_BEND = 0.2, WRAPPED_BEND = 0.5;

/* Share of a corner in the nearest place up to which that counts as on the edge or vertex without it (as for shapes, ipc_pairs.c). */
static const double ON_EDGE = 1e-9;

bool fil_ipc_meets_mesh(const FilIpcSurface* s, int point, int corner)
{
    return s->node_q[point] < 0 && s->node_q[corner] >= 0 && s->fan_first[corner] < s->fan_first[corner + 1];
}

bool fil_ipc_of_mesh(const FilSolver* solver, const FilIpcPair* pair)
{
    return pair->plane < 0 && pair->repulsion.pair != FIL_SEGMENT_SEGMENT && fil_ipc_meets_mesh(&solver->ipc.surface, pair->point[0], pair->point[1]);
}

/* ---- the mesh ---- */

static bool has_corner(const FilIpcTriangle* triangle, int point)
{
    return triangle->point[0] == point || triangle->point[1] == point || triangle->point[2] == point;
}

/* The two triangles at an edge, the first first; false: it is not inner. */
static bool find_sides(const FilIpcSurface* s, int a, int b, int side[2])
{
    int count = 0;
    for (int f = s->fan_first[a]; f < s->fan_first[a + 1]; f++) {
        if (has_corner(&s->triangles[s->fan[f]], b)) {
            if (count < 2) {
                side[count] = s->fan[f];
            }
            count++;
        }
    }
    return count == 2;
}

/* The corner of a triangle that is neither. */
static int third_corner(const FilIpcTriangle* triangle, int a, int b)
{
    int k = 0;
    while (triangle->point[k] == a || triangle->point[k] == b) {
        k++;
    }
    return triangle->point[k];
}

/* Twice the area of a triangle, as a vector. */
static void area_of(const double* a, const double* b, const double* c, double* area)
{
    double ab[3], ac[3];
    fil_v3_sub(ab, b, a);
    fil_v3_sub(ac, c, a);
    fil_v3_cross(area, ab, ac);
}

double fil_ipc_bend(const double* p, const double* a, const double* b, const double* c, const double* d)
{
    double first[3], second[3], normal[3], arm[3], ac[3], ad[3], s;
    area_of(a, b, c, first);
    area_of(b, a, d, second);
    const double size[2] = {fil_v3_norm(first), fil_v3_norm(second)}, length = fil_v3_distance(a, b);
    if (!(size[0] > 0.0 && size[1] > 0.0)) {
        return 0.0;
    }
    for (int k = 0; k < 3; k++) {
        normal[k] = first[k] / size[0] + second[k] / size[1];
    }
    fil_v3_sub(arm, p, a);
    fil_v3_sub(ac, c, a);
    fil_v3_sub(ad, d, a);
    // how high each third corner is above the other triangle, on the side of p, to its own height: twice the sine of the bend
    const double height[2] = {size[0] / length, size[1] / length};
    const double rise = fil_v3_dot(ad, first) / (size[0] * height[1]) + fil_v3_dot(ac, second) / (size[1] * height[0]);
    const double sine = 0.5 * (fil_v3_dot(arm, normal) < 0.0 ? -rise : rise);
    return sqrt(fil_point_segment(p, a, b, &s)) * sine / (0.5 * (height[0] + height[1]));
}

/* c of an edge, of a step: 0 if it is not inner. */
static double edge_share(const FilSolver* solver, int p, int a, int b)
{
    const FilIpcSurface* s = &solver->ipc.surface;
    const double* x = solver->ipc.ahead.at;
    int side[2];
    if (!find_sides(s, a, b, side)) {
        return 0.0;
    }
    const int c = third_corner(&s->triangles[side[0]], a, b), d = third_corner(&s->triangles[side[1]], a, b);
    const double bend = fil_ipc_bend(x + 3 * p, x + 3 * a, x + 3 * b, x + 3 * c, x + 3 * d);
    const double y = fmin(fmax((bend - FLAT_BEND) / (WRAPPED_BEND - FLAT_BEND), 0.0), 1.0);
    return 1.0 - y * y * (3.0 - 2.0 * y);
}

/* c of a vertex: the least of its edges. */
static double vertex_share(const FilSolver* solver, int p, int v)
{
    const FilIpcSurface* s = &solver->ipc.surface;
    double share = 1.0;
    for (int f = s->fan_first[v]; f < s->fan_first[v + 1] && share > 0.0; f++) {
        const int* corner = s->triangles[s->fan[f]].point;
        for (int k = 0; k < 3 && share > 0.0; k++) {
            share = corner[k] != v ? fmin(share, edge_share(solver, p, v, corner[k])) : share;
        }
    }
    return share;
}

double fil_ipc_inner_share(const FilSolver* solver, int p, const int* corners, int count)
{
    return count == 1 ? vertex_share(solver, p, corners[0]) : edge_share(solver, p, corners[0], corners[1]);
}

int fil_ipc_inner_owner(const FilIpcSurface* s, const int* corners, int count)
{
    int side[2];
    return count == 1 ? s->fan[s->fan_first[corners[0]]] : find_sides(s, corners[0], corners[1], side) ? side[0] : -1;
}

/* ---- nearest places ---- */

/* Which corners of a feature, up to a triangle, have a part in the place that is nearest to p: their number. */
static int corners_at(const double* x, int p, const int* corners, int count, int* used)
{
    double weight[3] = {1.0, 0.0, 0.0};
    int found = 0;
    if (count == 3) {
        (void)fil_point_triangle(x + 3 * p, x + 3 * corners[0], x + 3 * corners[1], x + 3 * corners[2], weight);
    } else if (count == 2) {
        (void)fil_point_segment(x + 3 * p, x + 3 * corners[0], x + 3 * corners[1], &weight[1]);
        weight[0] = 1.0 - weight[1];
    }
    for (int k = 0; k < count; k++) {
        if (weight[k] > ON_EDGE) {
            used[found++] = corners[k];
        }
    }
    return found;
}

/* Whether the nearest place of a feature is within the edge or at the vertex `at`. */
static bool is_at(const double* x, int p, const int* corners, int count, const int* at, int at_count)
{
    int used[3] = {-1, -1, -1};
    return corners_at(x, p, corners, count, used) == at_count && (used[0] == at[0] || used[0] == at[at_count - 1]) &&
           (used[at_count - 1] == at[0] || used[at_count - 1] == at[at_count - 1]);
}

/* What has its nearest place within an edge or at a vertex. */
typedef struct Sharing {
    int triangles, first; /* how many, and the first of them */
    double sum;           /* of all their barriers, in barriers of that distance */
    bool whole;           /* no edge or vertex counts in part */
} Sharing;

static Sharing sharing_at(const FilSolver* solver, int p, const int* at, int count)
{
    const FilIpcSurface* s = &solver->ipc.surface;
    const double* x = solver->ipc.points.at;
    const int v = at[0];
    Sharing own = {.first = -1, .whole = true};
    for (int f = s->fan_first[v]; f < s->fan_first[v + 1]; f++) {
        const int t = s->fan[f], *corner = s->triangles[t].point;
        if (is_at(x, p, corner, 3, at, count)) {
            own.first = own.triangles == 0 ? t : own.first;
            own.triangles++;
            own.sum += 1.0;
        }
        for (int k = 0; k < 3 && count == 1; k++) {
            const int edge[2] = {v, corner[k]};
            if (corner[k] != v && fil_ipc_inner_owner(s, edge, 2) == t && is_at(x, p, edge, 2, at, 1)) {
                const double share = edge_share(solver, p, v, corner[k]);
                own.sum -= share;
                own.whole = own.whole && (share == 0.0 || share == 1.0);
            }
        }
    }
    const double share = fil_ipc_inner_share(solver, p, at, count);
    own.sum += count == 1 ? share : -share;
    own.whole = own.whole && (share == 0.0 || share == 1.0);
    return own;
}

bool fil_ipc_beside_mesh(const FilSolver* solver, const FilIpcPair* pair)
{
    const FilIpcSurface* s = &solver->ipc.surface;
    const int p = pair->point[0], *corners = pair->point + 1, count = pair->corner_count - 1;
    int at[3] = {-1, -1, -1};
    const int found = corners_at(solver->ipc.points.at, p, corners, count, at);
    if (found == 3) {
        return false;
    }
    const Sharing sharing = sharing_at(solver, p, at, found);
    if (!sharing.whole || sharing.sum < 0.0 || sharing.sum > 1.0) {
        return false;
    }
    const bool first = count == 3 ? sharing.triangles > 0 && memcmp(s->triangles[sharing.first].point, corners, 3 * sizeof(int)) == 0
                                  : sharing.triangles == 0 && count == found;
    return sharing.sum < 1.0 || !first;
}

double fil_ipc_mesh_force(const FilSolver* solver, const FilIpcPair* pair, double gap)
{
    const FilRepulsion* r = &pair->repulsion;
    const double* x = solver->ipc.points.at;
    const int p = pair->point[0], *corners = pair->point + 1;
    int at[3] = {-1, -1, -1};
    double force = -fil_barrier(gap, r->range, r->stiffness).first;
    if (pair->corner_count < 4) {
        return sharing_at(solver, p, corners, pair->corner_count - 1).triangles == 0 ? force : 0.0;
    }
    const int found = corners_at(x, p, corners, 3, at);
    if (found < 3) {
        const Sharing sharing = sharing_at(solver, p, at, found);
        return sharing.whole && sharing.sum == 1.0 ? force : force * fmax(sharing.sum, 0.0) / sharing.triangles;
    }
    // what edges take back where a valley has two nearest places, half of each
    for (int k = 0; k < 3; k++) {
        const int edge[2] = {corners[k], corners[(k + 1) % 3]};
        const double share = edge_share(solver, p, edge[0], edge[1]);
        double s;
        const double away = sqrt(fil_point_segment(x + 3 * p, x + 3 * edge[0], x + 3 * edge[1], &s)) - r->offset;
        if (share > 0.0 && away < r->range && corners_at(x, p, edge, 2, at) == 2 && sharing_at(solver, p, edge, 2).triangles == 0) {
            force += 0.5 * share * fil_barrier(away, r->range, r->stiffness).first;
        }
    }
    return fmax(force, 0.0);
}
