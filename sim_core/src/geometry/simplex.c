/* Signs of volumes, areas and lengths tell which sub-simplex holds the nearest point; comparing them with the whole,
 * instead of dividing first, keeps thin simplices honest. */
#include "geometry/simplex.h"

#include "base/vec3.h"

typedef struct Nearest {
    double weight[4];
    double point[3];
    double distance2;
} Nearest;

static Nearest nearest_of_point(const double (*p)[3], int i)
{
    Nearest out = {.weight = {0.0}};
    out.weight[i] = 1.0;
    fil_v3_copy(out.point, p[i]);
    out.distance2 = fil_v3_dot(p[i], p[i]);
    return out;
}

static Nearest nearest_of_segment(const double (*p)[3], int i, int j)
{
    double u[3];
    fil_v3_sub(u, p[j], p[i]);
    const double uu = fil_v3_dot(u, u), along = -fil_v3_dot(u, p[i]);
    if (along <= 0.0 || uu <= 0.0) {
        return nearest_of_point(p, i);
    }
    if (along >= uu) {
        return nearest_of_point(p, j);
    }
    Nearest out = {.weight = {0.0}};
    out.weight[j] = along / uu;
    out.weight[i] = 1.0 - out.weight[j];
    // from the nearer end, which keeps more digits
    if (out.weight[j] < 0.5) {
        fil_v3_copy(out.point, p[i]);
        fil_v3_axpy(out.point, out.weight[j], u);
    } else {
        fil_v3_copy(out.point, p[j]);
        fil_v3_axpy(out.point, -out.weight[i], u);
    }
    out.distance2 = fil_v3_dot(out.point, out.point);
    return out;
}

static void keep_nearer(Nearest* best, Nearest other)
{
    if (other.distance2 < best->distance2) {
        *best = other;
    }
}

static Nearest nearest_of_triangle(const double (*p)[3], int i, int j, int k)
{
    const int corner[3] = {i, j, k};
    double u[3], v[3], n[3], foot[3];
    fil_v3_sub(u, p[j], p[i]);
    fil_v3_sub(v, p[k], p[i]);
    fil_v3_cross(n, u, v);
    const double nn = fil_v3_dot(n, n);
    bool inside = nn > 0.0;
    double area[3] = {0.0, 0.0, 0.0};
    if (inside) {
        // foot of the origin on the plane, then the areas that it makes with the edges, along n
        fil_v3_scale(foot, fil_v3_dot(p[i], n) / nn, n);
        for (int c = 0; c < 3; c++) {
            double a[3], b[3], cross[3];
            fil_v3_sub(a, p[corner[(c + 1) % 3]], foot);
            fil_v3_sub(b, p[corner[(c + 2) % 3]], foot);
            fil_v3_cross(cross, a, b);
            area[c] = fil_v3_dot(cross, n);
            inside = inside && area[c] > 0.0;
        }
    }
    Nearest out = {.distance2 = HUGE_VAL};
    if (inside) {
        const double sum = area[0] + area[1] + area[2];
        for (int c = 0; c < 4; c++) {
            out.weight[c] = 0.0;
        }
        for (int c = 0; c < 3; c++) {
            out.weight[corner[c]] = area[c] / sum;
        }
        fil_v3_copy(out.point, foot);
        out.distance2 = fil_v3_dot(foot, foot);
        return out;
    }
    for (int c = 0; c < 3; c++) {
        if (area[c] <= 0.0) {
            keep_nearer(&out, nearest_of_segment(p, corner[(c + 1) % 3], corner[(c + 2) % 3]));
        }
    }
    return out;
}

static Nearest nearest_of_tetrahedron(const double (*p)[3])
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    // the volume with each corner in turn moved to the origin
    const double whole = fil_v3_determinant(p[0], p[1], p[2], p[3]);
    const double part[4] = {fil_v3_determinant(origin, p[1], p[2], p[3]), fil_v3_determinant(p[0], origin, p[2], p[3]),
                            fil_v3_determinant(p[0], p[1], origin, p[3]), fil_v3_determinant(p[0], p[1], p[2], origin)};
    Nearest out = {.distance2 = HUGE_VAL};
    bool inside = whole != 0.0;
    for (int k = 0; k < 4; k++) {
        if (whole > 0.0 ? part[k] > 0.0 : part[k] < 0.0) {
            continue;
        }
        // the origin is beyond the face opposite to corner k
        inside = false;
        keep_nearer(&out, nearest_of_triangle(p, k == 0 ? 1 : 0, k <= 1 ? 2 : 1, k <= 2 ? 3 : 2));
    }
    if (inside) {
        out = (Nearest){.distance2 = 0.0};
        for (int k = 0; k < 4; k++) {
            out.weight[k] = part[k] / whole;
        }
    }
    return out;
}

double fil_simplex_nearest(const double (*points)[3], int count, double* weights, double* nearest)
{
    const Nearest found = count == 1   ? nearest_of_point(points, 0)
                          : count == 2 ? nearest_of_segment(points, 0, 1)
                          : count == 3 ? nearest_of_triangle(points, 0, 1, 2)
                                       : nearest_of_tetrahedron(points);
    for (int k = 0; k < count; k++) {
        weights[k] = found.weight[k];
    }
    fil_v3_copy(nearest, found.point);
    return found.distance2;
}
