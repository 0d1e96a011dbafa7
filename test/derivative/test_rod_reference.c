/* The plain rod itself: textbook derivatives against numerical ones, so that it may judge the fast kernel. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dense.h"
#include "random_rod.h"

static void compare(Random* random, int node_count, bool closed)
{
    ReferenceRod rod;
    double q[REFERENCE_MAX_DOFS], gradient[REFERENCE_MAX_DOFS], numerical[REFERENCE_MAX_DOFS];
    random_rod(random, node_count, closed, &rod, q);
    int n = reference_dof_count(&rod);
    double* hessian = malloc((size_t)(n * n) * sizeof(double));
    double* difference = malloc((size_t)(n * n) * sizeof(double));
    assert_non_null(hessian);
    assert_non_null(difference);
    reference_derivatives(&rod, q, gradient, hessian);
    numerical_gradient(&rod, q, numerical);
    numerical_hessian(&rod, q, 0.1, difference);

    /* the complex step is exact to rounding; unwrapped twists of up to 4 pi cost a digit */
    assert_true(dense_mismatch(gradient, numerical, n) < 1e-14);
    /* fourth-order differences with steps of 5e-4 reach 1e-11 */
    assert_true(dense_mismatch(hessian, difference, n * n) < 1e-10);
    /* transposed blocks are summed in another order: rounding only */
    assert_true(dense_asymmetry(hessian, n) < 1e-12);
    free(hessian);
    free(difference);
}

static void open_rods(void** state)
{
    (void)state;
    Random random = {1};
    for (int n = 2; n <= 12; ++n) {
        compare(&random, n, false);
    }
}

static void closed_rods(void** state)
{
    (void)state;
    Random random = {2};
    for (int n = 3; n <= 12; ++n) {
        compare(&random, n, true);
    }
}

/* the textbook gradient belongs to frames based at q: about any other base the holonomy of the two-leg transport adds a
 * term of first order, which is why a time step measures twist against frames carried along the motion */
static void gradient_needs_its_own_base(void** state)
{
    (void)state;
    Random random = {3};
    ReferenceRod rod;
    double q[REFERENCE_MAX_DOFS], gradient[REFERENCE_MAX_DOFS], numerical[REFERENCE_MAX_DOFS];
    static double hessian[REFERENCE_MAX_DOFS * REFERENCE_MAX_DOFS];
    random_rod(&random, 8, false, &rod, q);
    int n = reference_dof_count(&rod);
    for (int i = 0; i < n; ++i) {
        q[i] += random_between(&random, -0.02, 0.02);
    }
    reference_derivatives(&rod, q, gradient, hessian);
    numerical_gradient(&rod, q, numerical);
    assert_true(dense_mismatch(gradient, numerical, n) > 1e-4);
    double energy = reference_energy(&rod, q);
    reference_rebase(&rod, q);
    /* rebasing changes no frame, so no energy: the same sums, rounded a little differently */
    assert_true(fabs(reference_energy(&rod, q) - energy) < 1e-13 * energy);
    numerical_gradient(&rod, q, numerical);
    assert_true(dense_mismatch(gradient, numerical, n) < 1e-14);
}

/* rigid motions leave the energy alone: zero net force and zero net torque on nodes plus edges */
static void energy_is_objective(void** state)
{
    (void)state;
    Random random = {4};
    ReferenceRod rod;
    double q[REFERENCE_MAX_DOFS], gradient[REFERENCE_MAX_DOFS];
    static double hessian[REFERENCE_MAX_DOFS * REFERENCE_MAX_DOFS];
    random_rod(&random, 9, true, &rod, q);
    reference_derivatives(&rod, q, gradient, hessian);
    double force[3] = {0}, torque[3] = {0}, size = 0.0;
    for (int i = 0; i < rod.node_count; ++i) {
        const double* x = q + 4 * i;
        const double* g = gradient + 4 * i;
        double frame[9];
        reference_frame(&rod, q, i, frame);
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            force[k] += g[k];
            torque[k] += x[l] * g[m] - x[m] * g[l] + g[3] * frame[6 + k];
            size += fabs(g[k]);
        }
    }
    /* sums of about 50 terms: a few rounding errors each */
    for (int k = 0; k < 3; ++k) {
        assert_true(fabs(force[k]) < 1e-13 * size);
        assert_true(fabs(torque[k]) < 1e-13 * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_rods),
        cmocka_unit_test(closed_rods),
        cmocka_unit_test(gradient_needs_its_own_base),
        cmocka_unit_test(energy_is_objective),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
