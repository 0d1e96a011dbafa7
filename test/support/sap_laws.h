/* Looks at the laws of SAP constraints: their responses, and impulse and Hessian against differences. */
#ifndef TEST_SAP_LAWS_H
#define TEST_SAP_LAWS_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact/sap_constraint.h"
#include "random.h"

static const double two_pi = 6.28318530717958647692;

static inline double max3(const double* a)
{
    return fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2])));
}

static inline FilSapResponse respond(FilSapKind kind, const FilSapLaw* law, const double* v_c)
{
    FilSapResponse response;
    fil_sap_kinds[kind].evaluate(law, v_c, &response);
    return response;
}

/* Fourth-order central differences with steps of step[k] and twice that in component k, which must not cross a border
 * of the law. The steps are at most 1e-3 of the scale on which the law changes, so truncation is below 1e-10; what
 * remains is round-off of costs and velocities over the step, allowed for, and of impulses, covered by 1e-6. */
static inline void check_derivatives(FilSapKind kind, const FilSapLaw* law, const double* v_c, const double* step)
{
    const FilSapResponse at = respond(kind, law, v_c);
    for (int k = 0; k < 3; k++) {
        // f' = (8 (f(h) - f(-h)) - (f(2h) - f(-2h)))/(12 h)
        FilSapResponse there[4];
        for (int p = 0; p < 4; p++) {
            static const double offset[4] = {-2.0, -1.0, 1.0, 2.0};
            double moved[3];
            memcpy(moved, v_c, sizeof moved);
            moved[k] += offset[p] * step[k];
            there[p] = respond(kind, law, moved);
        }
        const double width = 12.0 * step[k];
        const double impulse = -(8.0 * (there[2].cost - there[1].cost) - (there[3].cost - there[0].cost)) / width;
        // round-off of the cost over the step, and of the velocity itself
        const double speed = max3(v_c) + max3(law->v_hat);
        const double round_off = 8.0 * DBL_EPSILON * (at.cost / step[k] + at.hessian[4 * k] * speed);
        assert_true(fabs(impulse - at.impulse[k]) <= 1e-6 * max3(at.impulse) + round_off);
        for (int r = 0; r < 3; r++) {
            const double near = there[2].impulse[r] - there[1].impulse[r], far = there[3].impulse[r] - there[0].impulse[r];
            const double hessian = -(8.0 * near - far) / width;
            // entries of one column differ in size by the regularisation: judge each by the diagonal
            const double size = sqrt(at.hessian[4 * r] * at.hessian[4 * k]) + 1e-9 * at.hessian[4 * k];
            assert_true(fabs(hessian - at.hessian[3 * r + k]) <= 1e-6 * size + 8.0 * DBL_EPSILON * size * speed / step[k]);
            assert_true(at.hessian[3 * r + k] == at.hessian[3 * k + r]);
        }
    }
}

/* x' G x >= 0 for random x, down to round-off of its terms */
static inline void check_semidefinite(Random* random, const double* g)
{
    for (int trial = 0; trial < 20; trial++) {
        double value = 0.0, size = 0.0, x[3];
        for (int k = 0; k < 3; k++) {
            x[k] = random_between(random, -1.0, 1.0) / sqrt(g[4 * k] > 0.0 ? g[4 * k] : 1.0);
        }
        for (int k = 0; k < 9; k++) {
            value += x[k / 3] * x[k % 3] * g[k];
            size += fabs(x[k / 3] * x[k % 3] * g[k]);
        }
        assert_true(value >= -1e-14 * size);
    }
}

static inline FilSapLaw lagged_law(const FilSapContact* contact, double dt, double compliance)
{
    const FilSapScales scales = {.dt = dt, .rigidity = 1.0, .stick = 1e-3, .slip_velocity = 1e-4};
    const FilSapConstraint c = {.kind = FIL_SAP_LAGGED_CONTACT, .contact = *contact};
    FilSapLaw law = {0};
    fil_sap_kinds[FIL_SAP_LAGGED_CONTACT].prepare(&c, compliance, &scales, &law);
    return law;
}

#endif
