#include "geometry/feature.h"

#include "base/vec3.h"
#include "geometry/closest.h"

/* Edges whose angle has a sine below this are parallel: one free parameter then says it all. */
static const double PARALLEL = 1e-7;

int fil_feature_corners(FilFeature pair)
{
    static const int corners[] = {[FIL_POINT_POINT] = 2, [FIL_POINT_SEGMENT] = 3, [FIL_SEGMENT_SEGMENT] = 4, [FIL_POINT_TRIANGLE] = 4};
    return corners[pair];
}

int fil_feature_split(FilFeature pair)
{
    return pair == FIL_SEGMENT_SEGMENT ? 2 : 1;
}

/* Adds a free parameter that moves weight from one corner to another. */
static void set_free(FilClosest* c, int from, int to, double sign)
{
    double* change = c->change[c->free_count++];
    for (int i = 0; i < FIL_FEATURE_CORNERS; i++) {
        change[i] = i == from ? -sign : i == to ? sign : 0.0;
    }
}

static bool inside(double parameter)
{
    return parameter > 0.0 && parameter < 1.0;
}

static void close_segments(const double* x, FilClosest* c)
{
    double s, t, e[3], f[3], cross[3];
    fil_segment_segment(x, x + 3, x + 6, x + 9, &s, &t);
    c->weight[0] = s - 1.0;
    c->weight[1] = -s;
    c->weight[2] = 1.0 - t;
    c->weight[3] = t;
    fil_v3_sub(e, x + 3, x);
    fil_v3_sub(f, x + 9, x + 6);
    fil_v3_cross(cross, e, f);
    const bool parallel = fil_v3_dot(cross, cross) <= PARALLEL * PARALLEL * fil_v3_dot(e, e) * fil_v3_dot(f, f);
    if (inside(s) && !(parallel && inside(t))) {
        set_free(c, 0, 1, -1.0);
    }
    if (inside(t)) {
        set_free(c, 2, 3, 1.0);
    }
}

static void close_triangle(const double* x, FilClosest* c)
{
    double w[3];
    int used[3], count = 0;
    fil_point_triangle(x, x + 3, x + 6, x + 9, w);
    c->weight[0] = -1.0;
    for (int k = 0; k < 3; k++) {
        c->weight[1 + k] = w[k];
        if (w[k] > 0.0) {
            used[count++] = 1 + k;
        }
    }
    for (int k = 1; k < count; k++) {
        set_free(c, used[0], used[k], 1.0);
    }
}

FilClosest fil_feature_closest(FilFeature pair, const double* x)
{
    FilClosest c = {.weight = {-1.0, 1.0}};
    double s;
    switch (pair) {
        case FIL_POINT_SEGMENT:
            fil_point_segment(x, x + 3, x + 6, &s);
            c.weight[1] = 1.0 - s;
            c.weight[2] = s;
            if (inside(s)) {
                set_free(&c, 1, 2, 1.0);
            }
            break;
        case FIL_SEGMENT_SEGMENT:
            close_segments(x, &c);
            break;
        case FIL_POINT_TRIANGLE:
            close_triangle(x, &c);
            break;
        default:
            break;
    }
    for (int i = 0; i < fil_feature_corners(pair); i++) {
        fil_v3_axpy(c.r, c.weight[i], x + 3 * i);
    }
    c.half_square = 0.5 * fil_v3_dot(c.r, c.r);
    return c;
}

void fil_feature_gradient(FilFeature pair, const FilClosest* closest, double* gradient)
{
    for (int i = 0; i < fil_feature_corners(pair); i++) {
        fil_v3_scale(gradient + 3 * i, closest->weight[i], closest->r);
    }
}

void fil_feature_hessian(FilFeature pair, const FilClosest* c, const double* x, double* hessian)
{
    const int corners = fil_feature_corners(pair), n = 3 * corners, m = c->free_count;
    double e[2][3] = {{0.0}}, mixed[2][FIL_FEATURE_SIZE] = {{0.0}};
    for (int u = 0; u < m; u++) {
        for (int i = 0; i < corners; i++) {
            fil_v3_axpy(e[u], c->change[u][i], x + 3 * i);
        }
        for (int i = 0; i < corners; i++) {
            fil_v3_scale(mixed[u] + 3 * i, c->weight[i], e[u]);
            fil_v3_axpy(mixed[u] + 3 * i, c->change[u][i], c->r);
        }
    }
    // inverse of E' E
    double a = 0.0, b = 0.0, d = 0.0;
    if (m == 1) {
        a = 1.0 / fil_v3_dot(e[0], e[0]);
    } else if (m == 2) {
        const double aa = fil_v3_dot(e[0], e[0]), ab = fil_v3_dot(e[0], e[1]), bb = fil_v3_dot(e[1], e[1]);
        double cross[3];
        fil_v3_cross(cross, e[0], e[1]);
        const double det = fil_v3_dot(cross, cross);
        a = bb / det;
        b = -ab / det;
        d = aa / det;
    }
    for (int j = 0; j < n; j++) {
        const double left[2] = {a * mixed[0][j] + b * mixed[1][j], b * mixed[0][j] + d * mixed[1][j]};
        for (int k = 0; k < n; k++) {
            const double same = j % 3 == k % 3 ? c->weight[j / 3] * c->weight[k / 3] : 0.0;
            hessian[n * j + k] = same - left[0] * mixed[0][k] - left[1] * mixed[1][k];
        }
    }
}
