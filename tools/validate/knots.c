#include "validate/knots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seen along this direction, in which nothing lines up by design; u and v span the picture. */
static const double AXIS[3] = {0.99910, 0.01723, 0.03874};

enum { MAX_CROSSINGS = 400 };

static void project(const double* x, double* out)
{
    // u = AXIS x z / |.|, v = AXIS x u; depth along AXIS
    const double size = hypot(AXIS[0], AXIS[1]);
    const double u[3] = {AXIS[1] / size, -AXIS[0] / size, 0.0};
    const double v[3] = {AXIS[1] * u[2] - AXIS[2] * u[1], AXIS[2] * u[0] - AXIS[0] * u[2], AXIS[0] * u[1] - AXIS[1] * u[0]};
    out[0] = u[0] * x[0] + u[1] * x[1] + u[2] * x[2];
    out[1] = v[0] * x[0] + v[1] * x[1] + v[2] * x[2];
    out[2] = AXIS[0] * x[0] + AXIS[1] * x[1] + AXIS[2] * x[2];
}

/* Whether edges p and q cross in the picture; s and t say where on each, `turn` the sign of p's direction times q's. */
static bool cross(const double* p0, const double* p1, const double* q0, const double* q1, double* s, double* t, double* turn)
{
    const double d[2] = {p1[0] - p0[0], p1[1] - p0[1]}, e[2] = {q1[0] - q0[0], q1[1] - q0[1]};
    const double r[2] = {q0[0] - p0[0], q0[1] - p0[1]};
    *turn = d[0] * e[1] - d[1] * e[0];
    if (*turn == 0.0) {
        return false;
    }
    *s = (r[0] * e[1] - r[1] * e[0]) / *turn;
    *t = (r[0] * d[1] - r[1] * d[0]) / *turn;
    return *s >= 0.0 && *s < 1.0 && *t >= 0.0 && *t < 1.0;
}

int fil_knots_crossings(const double* a, int na, bool a_closed, const double* b, int nb, bool b_closed, FilCrossing* crossings, int room)
{
    const int ea = a_closed ? na : na - 1, eb = b_closed ? nb : nb - 1;
    int count = 0;
    for (int i = 0; i < ea; i++) {
        double p0[3], p1[3];
        project(a + 3 * i, p0);
        project(a + 3 * ((i + 1) % na), p1);
        for (int j = a == b ? i + 2 : 0; j < eb; j++) {
            double q0[3], q1[3], s, t, turn;
            project(b + 3 * j, q0);
            project(b + 3 * ((j + 1) % nb), q1);
            const bool neighbours = a == b && a_closed && i == 0 && j == na - 1;
            if (neighbours || !cross(p0, p1, q0, q1, &s, &t, &turn)) {
                continue;
            }
            // the viewer looks along AXIS: less depth is above
            const double depth = p0[2] + s * (p1[2] - p0[2]) - q0[2] - t * (q1[2] - q0[2]);
            const bool a_above = depth < 0.0;
            if (count < room) {
                crossings[count] = (FilCrossing){.at = {a_above ? i + s : j + t, a_above ? j + t : i + s}, .sign = (turn > 0.0) == a_above ? 1 : -1};
            }
            count++;
        }
    }
    return count;
}

int fil_knots_linking(const double* a, int na, const double* b, int nb)
{
    FilCrossing crossings[MAX_CROSSINGS];
    const int count = fil_knots_crossings(a, na, true, b, nb, true, crossings, MAX_CROSSINGS);
    int sum = 0;
    for (int k = 0; k < count && k < MAX_CROSSINGS; k++) {
        sum += crossings[k].sign;
    }
    return sum / 2;
}

/* |determinant| of a square matrix by elimination with pivoting; destroys it. */
static double determinant(double* m, int n)
{
    double product = 1.0;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = fabs(m[i * n + k]) > fabs(m[pivot * n + k]) ? i : pivot;
        }
        product *= fabs(m[pivot * n + k]);
        if (product == 0.0) {
            return 0.0;
        }
        for (int j = 0; j < n; j++) {
            const double swap = m[k * n + j];
            m[k * n + j] = m[pivot * n + j];
            m[pivot * n + j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            const double factor = m[i * n + k] / m[k * n + k];
            for (int j = k; j < n; j++) {
                m[i * n + j] -= factor * m[k * n + j];
            }
        }
    }
    return product;
}

static int by_place_below(const void* a, const void* b)
{
    const double x = ((const FilCrossing*)a)->at[1], y = ((const FilCrossing*)b)->at[1];
    return (x > y) - (x < y);
}

/* Fox's colouring matrix without its last row and column: an arc runs from one passage below to the next, and at each
 * crossing twice the arc above equals the sum of the two below. */
static double colouring_determinant(FilCrossing* crossings, int count)
{
    const int n = count - 1;
    if (n < 1) {
        return 1.0;
    }
    double* matrix = calloc((size_t)n * (size_t)n, sizeof *matrix);
    if (matrix == NULL) {
        return -1.0;
    }
    qsort(crossings, (size_t)count, sizeof *crossings, by_place_below);
    for (int row = 0; row < n; row++) {
        int over = 0;  // arcs are numbered by the passages below that they follow; the closed curve makes the last the first
        while (over < count && crossings[over].at[1] < crossings[row].at[0]) {
            over++;
        }
        const int arcs[3] = {over % count, row, row + 1};
        static const double weights[3] = {2.0, -1.0, -1.0};
        for (int k = 0; k < 3; k++) {
            if (arcs[k] < n) {
                matrix[row * n + arcs[k]] += weights[k];
            }
        }
    }
    const double result = determinant(matrix, n);
    free(matrix);
    return result;
}

double fil_knots_determinant(const double* nodes, int count)
{
    double* longer = malloc(sizeof *longer * 3 * (size_t)(count + 2));
    if (longer == NULL) {
        return -1.0;
    }
    // far along y on both sides, beyond the whole curve
    double size = 0.0;
    for (int k = 0; k < 3 * count; k++) {
        size = fmax(size, fabs(nodes[k]));
    }
    memcpy(longer + 3, nodes, sizeof *nodes * 3 * (size_t)count);
    memcpy(longer, nodes, sizeof *nodes * 3);
    memcpy(longer + 3 * (count + 1), nodes + 3 * (count - 1), sizeof *nodes * 3);
    longer[1] -= 10.0 * size;
    longer[3 * (count + 1) + 1] += 10.0 * size;
    FilCrossing crossings[MAX_CROSSINGS];
    const int found = fil_knots_crossings(longer, count + 2, false, longer, count + 2, false, crossings, MAX_CROSSINGS);
    free(longer);
    return found <= MAX_CROSSINGS ? colouring_determinant(crossings, found) : -1.0;
}
