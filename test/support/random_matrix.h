/* Random 3 x 3 matrices (row-major) of every kind that a deformation gradient can be. */
#ifndef TEST_RANDOM_MATRIX_H
#define TEST_RANDOM_MATRIX_H

#include <math.h>

#include "base/svd3.h"
#include "base/vec3.h"
#include "random.h"

static inline void random_rotation(Random* random, double* r)
{
    double w[3];
    for (int k = 0; k < 3; k++) {
        w[k] = random_between(random, -3.0, 3.0);
    }
    fil_m3_from_rotation_vector(r, w);
}

/* U diag(s) V' with random rotations */
static inline void random_with_stretches(Random* random, const double* s, double* f)
{
    double u[9], v[9], us[9];
    random_rotation(random, u);
    random_rotation(random, v);
    for (int k = 0; k < 9; k++) {
        us[k] = u[k] * s[k % 3];
    }
    fil_m3_multiply_right_transposed(f, us, v);
}

/* In turn: mild, large, inverted, nearly singular, of equal singular values, a rotation, of rank two and of rank one.
 */
enum {
    MATRIX_MILD,
    MATRIX_LARGE,
    MATRIX_INVERTED,
    MATRIX_NEARLY_SINGULAR,
    MATRIX_EQUAL,
    MATRIX_ROTATION,
    MATRIX_RANK_TWO,
    MATRIX_RANK_ONE,
    MATRIX_KINDS
};

static inline void random_matrix(Random* random, int kind, double* f)
{
    double s[3];
    for (int k = 0; k < 3; k++) {
        s[k] = random_between(random, 0.7, 1.4);
    }
    if (kind == MATRIX_LARGE) {
        for (int k = 0; k < 3; k++) {
            s[k] = exp(random_between(random, -1.2, 1.2));
        }
    } else if (kind == MATRIX_INVERTED) {
        s[2] = -random_between(random, 0.05, 0.6);
    } else if (kind == MATRIX_NEARLY_SINGULAR) {
        s[2] = (random_bits(random) % 2 == 0 ? 1.0 : -1.0) * pow(10.0, random_between(random, -16.0, -3.0));
    } else if (kind == MATRIX_EQUAL) {
        s[1] = s[0];
        s[2] = random_bits(random) % 2 == 0 ? s[0] : s[2];
    } else if (kind == MATRIX_ROTATION) {
        s[0] = s[1] = s[2] = 1.0;
    } else if (kind == MATRIX_RANK_TWO || kind == MATRIX_RANK_ONE) {
        s[2] = 0.0;
        s[1] = kind == MATRIX_RANK_ONE ? 0.0 : s[1];
    }
    random_with_stretches(random, s, f);
}

#endif
