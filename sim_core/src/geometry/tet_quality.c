#include "geometry/tet_quality.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* At the edge i j: the angle between the directions to the other two vertices, as seen along the edge. By sine and
 * cosine, so that angles near 0 and pi keep their digits. */
void fil_tet_dihedrals(const double* const x[4], double* angles)
{
    for (int e = 0; e < 6; e++) {
        const int i = edges[e][0], j = edges[e][1], k = edges[5 - e][0], l = edges[5 - e][1];
        double axis[3], to_k[3], to_l[3], nk[3], nl[3], cross[3];
        fil_v3_sub(axis, x[j], x[i]);
        fil_v3_sub(to_k, x[k], x[i]);
        fil_v3_sub(to_l, x[l], x[i]);
        fil_v3_cross(nk, axis, to_k);
        fil_v3_cross(nl, axis, to_l);
        fil_v3_cross(cross, nk, nl);
        angles[e] = atan2(fil_v3_norm(cross), fil_v3_dot(nk, nl));
    }
}

/* Inradius 3 V/A; circumradius |a2 (b x c) + b2 (c x a) + c2 (a x b)|/(12 V) with edges a, b, c from one vertex. */
double fil_tet_radius_ratio(const double* const x[4])
{
    double a[3], b[3], c[3], bc[3], ca[3], ab[3], d[3], e[3], last[3], sum[3];
    fil_v3_sub(a, x[1], x[0]);
    fil_v3_sub(b, x[2], x[0]);
    fil_v3_sub(c, x[3], x[0]);
    fil_v3_cross(bc, b, c);
    fil_v3_cross(ca, c, a);
    fil_v3_cross(ab, a, b);
    fil_v3_sub(d, x[2], x[1]);
    fil_v3_sub(e, x[3], x[1]);
    fil_v3_cross(last, d, e);
    const double six = fabs(fil_v3_dot(a, bc));
    const double area = 0.5 * (fil_v3_norm(bc) + fil_v3_norm(ca) + fil_v3_norm(ab) + fil_v3_norm(last));
    for (int k = 0; k < 3; k++) {
        sum[k] = fil_v3_dot(a, a) * bc[k] + fil_v3_dot(b, b) * ca[k] + fil_v3_dot(c, c) * ab[k];
    }
    const double inradius = 0.5 * six / area, circumradius = fil_v3_norm(sum) / (2.0 * six);
    return six > 0.0 ? 3.0 * inradius / circumradius : 0.0;
}

static void look_at_tet(const FilTetMesh* mesh, int t, FilTetQuality* out)
{
    const double* x[4];
    double angles[6];
    for (int k = 0; k < 4; k++) {
        x[k] = mesh->vertices + 3 * (size_t)mesh->tets[4 * (size_t)t + (size_t)k];
    }
    fil_tet_dihedrals(x, angles);
    for (int e = 0; e < 6; e++) {
        const double length = fil_v3_distance(x[edges[e][0]], x[edges[e][1]]);
        out->min_edge = fmin(out->min_edge, length);
        out->max_edge = fmax(out->max_edge, length);
        if (angles[e] < out->min_dihedral) {
            out->min_dihedral = angles[e];
            out->min_dihedral_tet = t;
        }
        if (angles[e] > out->max_dihedral) {
            out->max_dihedral = angles[e];
            out->max_dihedral_tet = t;
        }
    }
    const double ratio = fil_tet_radius_ratio(x), volume = fil_v3_determinant(x[0], x[1], x[2], x[3]) / 6.0;
    if (ratio < out->min_radius_ratio) {
        out->min_radius_ratio = ratio;
        out->min_radius_ratio_tet = t;
    }
    if (volume < out->min_volume) {
        out->min_volume = volume;
        out->min_volume_tet = t;
    }
    out->max_volume = fmax(out->max_volume, volume);
    out->mean_radius_ratio += ratio;
    out->volume += volume;
}

typedef struct Edge {
    int lo, hi;
} Edge;

static int by_ends(const void* a, const void* b)
{
    const Edge *x = a, *y = b;
    if (x->lo != y->lo) {
        return x->lo < y->lo ? -1 : 1;
    }
    return (x->hi > y->hi) - (x->hi < y->hi);
}

static bool look_at_surface(const FilTetMesh* mesh, FilTetQuality* out)
{
    const size_t count = 3 * (size_t)mesh->triangle_count;
    Edge* sides = fil_alloc(count, sizeof *sides);
    if (sides == NULL) {
        return false;
    }
    for (size_t k = 0; k < count; k++) {
        const int from = mesh->triangles[k], to = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        sides[k] = from < to ? (Edge){from, to} : (Edge){to, from};
        if (k % 3 == 0) {
            const double* a = mesh->vertices + 3 * (size_t)from;
            double ab[3], ac[3], n[3];
            fil_v3_sub(ab, mesh->vertices + 3 * (size_t)to, a);
            fil_v3_sub(ac, mesh->vertices + 3 * (size_t)mesh->triangles[k + 2], a);
            fil_v3_cross(n, ab, ac);
            out->area += 0.5 * fil_v3_norm(n);
        }
    }
    qsort(sides, count, sizeof *sides, by_ends);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && by_ends(&sides[i], &sides[end]) == 0) {
            end++;
        }
        out->touching_edges += end - i > 2 ? 1 : 0;
        i = end;
    }
    fil_free(sides);
    return true;
}

// parts of the mesh, by walking along links from every vertex not yet seen
static bool count_pieces(const FilTetMesh* mesh, FilTetQuality* out)
{
    bool* seen = fil_alloc((size_t)mesh->vertex_count, sizeof *seen);
    int* stack = fil_alloc((size_t)mesh->vertex_count, sizeof *stack);
    const bool ok = seen != NULL && stack != NULL;
    for (int v = 0; ok && v < mesh->vertex_count; v++) {
        int top = 0;
        if (seen[v]) {
            continue;
        }
        out->pieces++;
        seen[v] = true;
        stack[top++] = v;
        while (top > 0) {
            const int at = stack[--top];
            for (int i = mesh->link_start[at]; i < mesh->link_start[at + 1]; i++) {
                if (!seen[mesh->links[i]]) {
                    seen[mesh->links[i]] = true;
                    stack[top++] = mesh->links[i];
                }
            }
        }
    }
    fil_free(seen);
    fil_free(stack);
    return ok;
}

FilStatus fil_tet_mesh_quality(const FilTetMesh* mesh, FilTetQuality* out, FilError* error)
{
    *out = (FilTetQuality){.min_dihedral = HUGE_VAL, .min_radius_ratio = HUGE_VAL, .min_volume = HUGE_VAL, .min_edge = HUGE_VAL};
    for (int t = 0; t < mesh->tet_count; t++) {
        look_at_tet(mesh, t, out);
    }
    out->mean_radius_ratio /= mesh->tet_count;
    if (!look_at_surface(mesh, out) || !count_pieces(mesh, out)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "no memory to judge %d elements", mesh->tet_count);
    }
    return FIL_OK;
}
