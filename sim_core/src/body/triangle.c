/* The point x = sum w_i x_i + h n, with its weights w and height h kept, goes along with v = sum w_i v_i + h dn/dt. The unit
 * normal turns by dn/dt = -sum grad w_i (n . v_i), grad w_i being those of the weights in the plane, so that
 *
 *     J_i = w_i 1 - h grad w_i n'.
 *
 * A force f there becomes F_i = J_i' f with sum F_i = f and sum x_i x F_i = x x f: momentum and angular momentum of a contact
 * are kept whatever its height. */
#include "body/triangle.h"

#include <string.h>

#include "base/vec3.h"

int fil_triangle_jacobian(const int vertex[3], const double* point, const double* q, int* blocks, double* jacobian)
{
    const double* x[3] = {q + 4 * vertex[0], q + 4 * vertex[1], q + 4 * vertex[2]};
    double ab[3], ac[3], n[3], to[3];
    fil_v3_sub(ab, x[1], x[0]);
    fil_v3_sub(ac, x[2], x[0]);
    fil_v3_cross(n, ab, ac);
    const double area2 = fil_v3_normalise(n);
    fil_v3_sub(to, point, x[0]);
    const double height = fil_v3_dot(n, to);
    memset(jacobian, 0, 36 * sizeof *jacobian);
    for (int i = 0; i < 3; i++) {
        const double *next = x[(i + 1) % 3], *last = x[(i + 2) % 3];
        double across[3], gradient[3] = {0.0};
        double w = 1.0 / 3.0;  // of a triangle without area
        if (area2 > 0.0) {
            fil_v3_sub(across, last, next);
            fil_v3_cross(gradient, n, across);
            fil_v3_scale(gradient, 1.0 / area2, gradient);
            fil_v3_sub(to, point, next);
            w = fil_v3_dot(gradient, to);
        }
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                jacobian[12 * i + 4 * j + k] = (j == k ? w : 0.0) - height * gradient[j] * n[k];
            }
        }
        blocks[i] = vertex[i];
    }
    return 3;
}

/* omega = I^-1 sum r_i x v_i with I = sum (r_i . r_i 1 - r_i r_i'), r_i from the middle: J_i = I^-1 [r_i x]. A couple c becomes F_i = (I^-1 c) x r_i,
 * of which sum r_i x F_i = c. */
int fil_triangle_turn_jacobian(const int vertex[3], const double* q, int* blocks, double* jacobian)
{
    double middle[3] = {0.0}, r[3][3], inertia[9] = {0.0}, inverse[9];
    memset(jacobian, 0, 36 * sizeof *jacobian);
    for (int i = 0; i < 3; i++) {
        blocks[i] = vertex[i];
        fil_v3_axpy(middle, 1.0 / 3.0, q + 4 * vertex[i]);
    }
    for (int i = 0; i < 3; i++) {
        fil_v3_sub(r[i], q + 4 * vertex[i], middle);
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                inertia[3 * j + k] += (j == k ? fil_v3_dot(r[i], r[i]) : 0.0) - r[i][j] * r[i][k];
            }
        }
    }
    if (!fil_m3_invert(inverse, inertia)) {
        return 3;
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const double axis[3] = {k == 0, k == 1, k == 2};
            double moment[3], turn[3];
            fil_v3_cross(moment, r[i], axis);
            fil_m3_apply(turn, inverse, moment);
            for (int j = 0; j < 3; j++) {
                jacobian[12 * i + 4 * j + k] = turn[j];
            }
        }
    }
    return 3;
}
