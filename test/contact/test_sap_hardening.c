/* The laws of the SAP constraints beyond the depth that they may sink in: impulse and Hessian against differences, and forces in closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sap_laws.h"

/* Beyond its depth: impulse and Hessian in all of its ranges, from both ends of n, lying still and coming, and up to what the material gives. */
static void lagged_hardening(void** state)
{
    (void)state;
    Random random = {29};
    const double dt = 1e-3, depth = 1e-5, w = 2.0;
    int harder = 0, hardest = 0, inside = 0;
    for (int trial = 0; trial < 2000; trial++) {
        const FilSapContact contact = {.distance = trial % 2 == 0 ? random_between(&random, -1e-4, 0.0) : random_between(&random, -1e-2, -1e-3),
                                       .stiffness = trial % 3 == 0 ? 1e9 : INFINITY,
                                       .hunt_crossley = trial % 5 == 0 ? 0.0 : random_between(&random, 0.0, 20.0),
                                       .depth = depth,
                                       .normal_velocity = trial % 4 == 0 ? -random_between(&random, 0.0, 1.0) : 0.0};
        const FilSapLaw law = lagged_law(&contact, dt, w);
        const double deep = depth * exp(random_between(&random, -1.0, 5.0)), v_n = -contact.distance / dt - deep / dt, v_c[3] = {0.0, 0.0, v_n};
        // not across the ends of a range
        const double share = deep / depth, limit = cbrt(law.hardest);
        if (fabs(share - 1.0) < 0.02 || fabs(share - limit) < 0.02 * limit || law.v_end - v_n < 0.02 * deep / dt) {
            continue;
        }
        const double step[3] = {1e-6, 1e-6, 1e-3 * fmin(law.v_end - v_n, deep / dt)};
        check_derivatives(FIL_SAP_LAGGED_CONTACT, &law, v_c, step);
        FilSapContact any = contact;
        any.depth = 0.0;
        const FilSapLaw soft = lagged_law(&any, dt, w);
        const double ratio = respond(FIL_SAP_LAGGED_CONTACT, &law, v_c).impulse[2] / respond(FIL_SAP_LAGGED_CONTACT, &soft, v_c).impulse[2];
        // what a step resolves, 4 pi^2/w, up to dt^2 k or 1e4 times that; as much more as it comes deeper than the depth in a step
        const double faster = fmin(fmax(-dt * contact.normal_velocity / depth, 1.0), 1e4);
        const double top = contact.stiffness < INFINITY ? dt * dt * contact.stiffness * w / (two_pi * two_pi) : 1e4;
        assert_true(fabs(ratio - fmin(faster * fmax(share * share * share, 1.0), top)) < 1e-9 * ratio);
        *(share < 1.0 ? &inside : share < limit ? &harder : &hardest) += 1;
    }
    assert_true(inside > 50 && harder > 50 && hardest > 50);
}

/* Equations beyond their depth, together and one by one, and a limit: impulse and Hessian on either side of it, (1 + hardest (share - 1)) times what
 * stretches it to the depth, or as much as a spring gives; about the stretch of the start, what is linear has a quarter of what is beyond. */
static void bounded_hardening(void** state)
{
    (void)state;
    Random random = {31};
    const FilSapScales scales = {.dt = 0.01, .rigidity = 1.0, .stick = 1e-3, .slip_velocity = 1e-4};
    const double w = 2.0, r = w / (two_pi * two_pi), depth = 1e-3, u = depth / scales.dt;
    for (int trial = 0; trial < 1000; trial++) {
        FilSapConstraint c = {.kind = FIL_SAP_BOUNDED,
                              .bounded = {.equations = 1 + trial % 3, .depth = depth, .hardest = trial % 4 == 0 ? 50.0 : INFINITY}};
        const bool limit = trial % 3 == 0 && trial % 2 == 0, spring = trial % 5 == 0;
        double v_c[3], way[3] = {0.0}, sum = 0.0;
        c.bounded.stiffness = spring ? 100.0 / (r * scales.dt * scales.dt) : INFINITY;
        for (int k = 0; k < 3; k++) {
            c.bounded.lower[k] = limit ? 0.0 : -INFINITY;
            c.bounded.upper[k] = INFINITY;
            c.bounded.error[k] = random_between(&random, -0.01, 0.01);
            way[k] = k < c.bounded.equations ? random_between(&random, limit ? 0.1 : -1.0, 1.0) : 0.0;
            sum += way[k] * way[k];
        }
        FilSapLaw law = {0};
        fil_sap_kinds[FIL_SAP_BOUNDED].prepare(&c, w, &scales, &law);
        const double share = trial % 7 < 3 ? random_between(&random, 0.1, 0.9) : random_between(&random, 1.1, 20.0);
        for (int k = 0; k < 3; k++) {
            v_c[k] = law.v_hat[k] - share * u * way[k] / sqrt(sum);
        }
        const double step[3] = {1e-4 * u, 1e-4 * u, 1e-4 * u}, rigid = fmin(c.bounded.hardest, 1e4), top = spring ? fmin(rigid, 100.0) : rigid;
        check_derivatives(FIL_SAP_BOUNDED, &law, v_c, step);
        const FilSapResponse response = respond(FIL_SAP_BOUNDED, &law, v_c);
        check_semidefinite(&random, response.hessian);
        const double expected = (share > 1.0 ? 1.0 + top * (share - 1.0) : share) * u / r;
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(response.impulse[k] - expected * way[k] / sqrt(sum)) < 1e-9 * expected);
        }
        for (int k = 0; k < 3; k++) {
            c.bounded.error[k] = -share * depth * way[k] / sqrt(sum);
        }
        c.bounded.stiffness = INFINITY;
        fil_sap_kinds[FIL_SAP_BOUNDED].prepare(&c, w, &scales, &law);
        fil_sap_linearise(&law);
        const FilSapResponse linear = respond(FIL_SAP_BOUNDED, &law, (const double[3]){0.0, 0.0, 0.0});
        const double force = (share > 1.0 ? 1.0 + 0.25 * rigid * (share - 1.0) : share) * u / r;
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(linear.impulse[k] - force * way[k] / sqrt(sum)) < 1e-9 * force);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lagged_hardening),
        cmocka_unit_test(bounded_hardening),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
