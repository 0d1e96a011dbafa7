#include "geometry/polygon.h"

// weights that differ by less than this from 0 lie in a face: of the size of what rounding leaves of coordinates
#define IN_FACE 1e-11

static double height_of(const double* plane, const double* x)
{
    return fil_v3_dot(plane, x) + plane[3];
}

static void add_crossing(FilPolygon* out, const double* a, double ha, const double* b, double hb)
{
    const double t = ha / (ha - hb);
    double* c = out->corner[out->count++];
    for (int k = 0; k < 3; k++) {
        c[k] = a[k] + t * (b[k] - a[k]);
    }
}

// Sutherland-Hodgman, with the heights of the corners known
static void cut(const FilPolygon* in, const double* height, FilPolygon* out)
{
    out->count = 0;
    for (int i = 0; i < in->count; i++) {
        const int j = i + 1 < in->count ? i + 1 : 0;
        if (height[i] >= 0.0 && out->count < FIL_POLYGON_CORNERS) {
            fil_v3_copy(out->corner[out->count++], in->corner[i]);
        }
        if ((height[i] >= 0.0) != (height[j] >= 0.0) && out->count < FIL_POLYGON_CORNERS) {
            add_crossing(out, in->corner[i], height[i], in->corner[j], height[j]);
        }
    }
}

void fil_polygon_cut(const FilPolygon* in, const double* plane, FilPolygon* out)
{
    double height[FIL_POLYGON_CORNERS];
    for (int i = 0; i < in->count; i++) {
        height[i] = height_of(plane, in->corner[i]);
    }
    cut(in, height, out);
}

bool fil_polygon_cut_by_cell(FilPolygon* polygon, const double* faces, const double* normal)
{
    for (int f = 0; f < 4; f++) {
        double height[FIL_POLYGON_CORNERS], lowest = HUGE_VAL, highest = -HUGE_VAL;
        for (int i = 0; i < polygon->count; i++) {
            height[i] = height_of(faces + 4 * f, polygon->corner[i]);
            lowest = fmin(lowest, height[i]);
            highest = fmax(highest, height[i]);
        }
        if (lowest >= -IN_FACE && highest <= IN_FACE) {
            // weights rise into the tetrahedron: it is behind where they fall along the normal
            if (fil_v3_dot(faces + 4 * f, normal) >= 0.0) {
                return false;
            }
            continue;
        }
        if (highest <= 0.0) {
            return false;
        }
        if (lowest < 0.0) {
            FilPolygon rest;
            cut(polygon, height, &rest);
            *polygon = rest;
            if (rest.count < 3) {
                return false;
            }
        }
    }
    return true;
}

void fil_polygon_slice(const double* corners, const double* height, FilPolygon* out)
{
    int above[4], below[4], up = 0, down = 0;
    for (int i = 0; i < 4; i++) {
        if (height[i] >= 0.0) {
            above[up++] = i;
        } else {
            below[down++] = i;
        }
    }
    out->count = 0;
    if (up == 0 || down == 0) {
        return;
    }
    // crossed edges one after the other around the slice: those of a lone corner, or a ring of four
    int from[4], to[4], count = 0;
    if (up == 2) {
        const int ring[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
        for (int k = 0; k < 4; k++) {
            from[count] = above[ring[k][0]];
            to[count++] = below[ring[k][1]];
        }
    } else {
        for (int k = 0; k < 3; k++) {
            from[count] = up == 1 ? above[0] : above[k];
            to[count++] = up == 1 ? below[k] : below[0];
        }
    }
    for (int k = 0; k < count; k++) {
        add_crossing(out, corners + 3 * from[k], height[from[k]], corners + 3 * to[k], height[to[k]]);
    }
}

double fil_polygon_area(const FilPolygon* polygon, const double* normal, double* centroid)
{
    double sum = 0.0, moment[3] = {0.0, 0.0, 0.0};
    const double* a = polygon->corner[0];
    // a fan of triangles from the first corner, positions counted from it: no cancellation far from the origin
    for (int i = 2; i < polygon->count; i++) {
        double u[3], v[3], n[3];
        fil_v3_sub(u, polygon->corner[i - 1], a);
        fil_v3_sub(v, polygon->corner[i], a);
        fil_v3_cross(n, u, v);
        const double twice = fil_v3_dot(n, normal);
        sum += twice;
        for (int k = 0; k < 3; k++) {
            moment[k] += twice * (u[k] + v[k]);
        }
    }
    fil_v3_copy(centroid, a);
    if (sum != 0.0) {
        fil_v3_axpy(centroid, 1.0 / (3.0 * sum), moment);
    }
    return 0.5 * fabs(sum);
}
