/* The laws of the SAP constraints: impulse and Hessian against differences of cost and impulse, in every region and
 * close to its borders; the cone projection against a search; the published regularisation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sap_laws.h"

/* ---- contact ---- */

static FilSapLaw random_cone(Random* random)
{
    FilSapLaw law = {.mu = random_between(random, 0.05, 2.0)};
    const double rt = exp(random_between(random, -10.0, 2.0)), rn = exp(random_between(random, -10.0, 2.0));
    for (int k = 0; k < 3; k++) {
        law.r[k] = k < 2 ? rt : rn;
        law.r_inverse[k] = 1.0 / law.r[k];
    }
    law.v_hat[2] = rn * random_between(random, -1.0, 1.0);
    return law;
}

/* v_c of the unprojected impulse y with |y_t| = yr */
static void velocity_of(Random* random, const FilSapLaw* law, double yr, double yn, double* v_c)
{
    const double angle = random_between(random, 0.0, two_pi);
    v_c[0] = -law->r[0] * yr * cos(angle);
    v_c[1] = -law->r[1] * yr * sin(angle);
    v_c[2] = law->v_hat[2] - law->r[2] * yn;
}

enum Region { STICK, SLIDE, SEPARATE };

static enum Region region_of(const FilSapLaw* law, const double* v_c)
{
    const FilSapResponse response = respond(FIL_SAP_CONTACT, law, v_c);
    if (response.hessian[8] == 0.0) {
        return SEPARATE;
    }
    return response.hessian[8] == law->r_inverse[2] ? STICK : SLIDE;
}

static void contact_derivatives(void** state)
{
    (void)state;
    Random random = {11};
    // relative distance to the border, and difference steps that stay on this side of it
    const double distances[] = {0.5, 1e-3, 1e-6};
    for (int trial = 0; trial < 300; trial++) {
        const FilSapLaw law = random_cone(&random);
        const double mu_hat = law.mu * law.r[0] / law.r[2], size = exp(random_between(&random, -3.0, 3.0));
        for (int d = 0; d < 3; d++) {
            const double delta = distances[d];
            // points beside the two borders, and how far y_t and y_n are from crossing them
            const struct {
                enum Region region;
                double yr, yn, room_t, room_n;
            } points[] = {
                {STICK, law.mu * size * (1.0 - delta), size, law.mu * size, size},
                {SLIDE, law.mu * size * (1.0 + delta), size, law.mu * size, size},
                {SLIDE, size, -mu_hat * size * (1.0 - delta), size, mu_hat * size},
                {SEPARATE, size, -mu_hat * size * (1.0 + delta), size, mu_hat * size},
            };
            for (int p = 0; p < 4; p++) {
                double v_c[3], step[3];
                velocity_of(&random, &law, points[p].yr, points[p].yn, v_c);
                assert_int_equal(region_of(&law, v_c), points[p].region);
                for (int k = 0; k < 3; k++) {
                    step[k] = 0.1 * fmin(delta, 1e-3) * law.r[k] * (k < 2 ? points[p].room_t : points[p].room_n);
                }
                check_derivatives(FIL_SAP_CONTACT, &law, v_c, step);
                check_semidefinite(&random, respond(FIL_SAP_CONTACT, &law, v_c).hessian);
            }
        }
    }
}

/* min over the cone of 1/2 |g - y|_R^2: for given g_n the best g_t is y_t cut to mu g_n, and what remains is convex in
 * g_n */
static double distance_for(const FilSapLaw* law, const double* y, double gn, double* gamma)
{
    const double yr = hypot(y[0], y[1]), gr = fmin(yr, law->mu * gn);
    gamma[0] = yr > 0.0 ? y[0] * gr / yr : 0.0;
    gamma[1] = yr > 0.0 ? y[1] * gr / yr : 0.0;
    gamma[2] = gn;
    return 0.5 * law->r[0] * (yr - gr) * (yr - gr) + 0.5 * law->r[2] * (gn - y[2]) * (gn - y[2]);
}

static void contact_projection(void** state)
{
    (void)state;
    Random random = {12};
    int seen[3] = {0};
    for (int trial = 0; trial < 2000; trial++) {
        FilSapLaw law = random_cone(&random);
        law.mu = trial % 10 == 0 ? 0.0 : law.mu;
        double v_c[3], y[3], gamma[3], low = 0.0;
        velocity_of(&random, &law, exp(random_between(&random, -3.0, 3.0)), random_between(&random, -5.0, 5.0), v_c);
        for (int k = 0; k < 3; k++) {
            y[k] = -(v_c[k] - law.v_hat[k]) / law.r[k];
        }
        // golden section; the minimum is not beyond where sticking to y_t alone would put it
        double high = fabs(y[2]) + (law.mu > 0.0 ? hypot(y[0], y[1]) / law.mu : 0.0) + 1.0;
        const double golden = 0.61803398874989485;
        for (int k = 0; k < 200; k++) {
            const double a = high - golden * (high - low), b = low + golden * (high - low);
            if (distance_for(&law, y, a, gamma) < distance_for(&law, y, b, gamma)) {
                high = b;
            } else {
                low = a;
            }
        }
        distance_for(&law, y, 0.5 * (low + high), gamma);
        const FilSapResponse response = respond(FIL_SAP_CONTACT, &law, v_c);
        seen[region_of(&law, v_c)]++;
        for (int k = 0; k < 3; k++) {
            // a search over values finds the place of a minimum to the square root of round-off, 1e-8 of the interval;
            // a component whose R is small against the other's is seen less sharply by the square root of their ratio
            const double blur = fmax(1.0, sqrt(law.r[0] / law.r[2])) * fmax(1.0, law.mu);
            assert_true(fabs(response.impulse[k] - gamma[k]) <= 1e-6 * blur * (max3(y) + 1e-3));
        }
    }
    assert_true(seen[STICK] > 100 && seen[SLIDE] > 100 && seen[SEPARATE] > 100);
}

/* Rn, Rt and v_hat as published; tau counts only in touch */
static void contact_regularisation(void** state)
{
    (void)state;
    const FilSapScales scales = {.dt = 0.01, .rigidity = 1.0, .stick = 1e-3, .slip_velocity = 1e-4};
    FilSapConstraint c = {.kind = FIL_SAP_CONTACT, .contact = {.distance = -1e-3, .mu = 0.5, .stiffness = 1e4, .dissipation_time = 0.02}};
    FilSapLaw law = {0};
    fil_sap_kinds[FIL_SAP_CONTACT].prepare(&c, 2.0, &scales, &law);
    // 1/(dt (dt + tau) k) = 1/(0.01 * 0.03 * 1e4) is softer than 2/(4 pi^2)
    assert_true(fabs(law.r[2] - 1.0 / 3.0) < 1e-15);
    assert_true(law.r[0] == 2e-3 && law.r[1] == 2e-3);
    assert_true(fabs(law.v_hat[2] - 1e-3 / 0.03) < 1e-15);
    c.contact.stiffness = INFINITY;
    c.contact.distance = 1e-3;
    fil_sap_kinds[FIL_SAP_CONTACT].prepare(&c, 2.0, &scales, &law);
    assert_true(fabs(law.r[2] - 2.0 / (two_pi * two_pi)) < 1e-15);
    assert_true(fabs(law.v_hat[2] + 1e-3 / 0.01) < 1e-15);
}

/* Softer and back: the same bits; what stuck when soft is answered by a law that sticks at any force, all else by the law itself. */
static void softened_friction(void** state)
{
    (void)state;
    const FilSapScales scales = {.dt = 0.01, .rigidity = 1.0, .stick = 1e-3, .slip_velocity = 1e-4};
    const FilSapConstraint c = {.kind = FIL_SAP_CONTACT, .contact = {.distance = -1e-3, .mu = 0.5, .stiffness = INFINITY}};
    const FilSapKindOps* kind = &fil_sap_kinds[FIL_SAP_CONTACT];
    FilSapLaw law = {0};
    kind->prepare(&c, 0.3, &scales, &law);
    // y_t = v_t/Rt over mu y_n, with y_n = 0.1/Rn: 0.5 when 32 times softer, so 16 now; 1.5 when softer; apart
    const double yn = 0.1 * law.r_inverse[2],
                 velocities[3][3] = {{16.0 * 0.5 * yn * law.r[0], 0, 0}, {0, 48.0 * 0.5 * yn * law.r[0], 0}, {0, 0, 0.2}};
    for (int k = 0; k < 3; k++) {
        FilSapLaw soft = law;
        assert_true(kind->soften(&soft, 32.0));
        assert_true(soft.r[0] == 32.0 * law.r[0] && soft.r[1] == 32.0 * law.r[1] && soft.r[2] == law.r[2]);
        FilSapResponse response = respond(FIL_SAP_CONTACT, &soft, velocities[k]);
        kind->harden(&soft, 32.0, velocities[k], &response);
        assert_memory_equal(&soft, &law, sizeof law);
        const FilSapResponse now = respond(FIL_SAP_CONTACT, &law, velocities[k]);
        if (k > 0) {
            assert_memory_equal(&response, &now, sizeof now);
            continue;
        }
        assert_true(now.impulse[0] == -0.5 * now.impulse[2]);  // by itself it would slide
        for (int row = 0; row < 3; row++) {
            assert_true(response.impulse[row] == -(velocities[k][row] - law.v_hat[row]) * law.r_inverse[row]);
            assert_true(response.hessian[4 * row] == law.r_inverse[row]);
        }
    }
    law.mu = 0.0;
    assert_false(kind->soften(&law, 32.0));
}

/* What touches, within the depth that contacts may sink in, holds any force; what does not is as evaluated. */
static void standing_contact(void** state)
{
    (void)state;
    const FilSapScales scales = {.dt = 0.01, .rigidity = 1.0, .stick = 1e-3, .slip_velocity = 1e-4};
    const double distances[3] = {-1e-5, 1e-5, 1e-3}, v_c[3] = {0.3, -0.2, 0.1};
    const FilSapKindOps* kind = &fil_sap_kinds[FIL_SAP_CONTACT];
    for (int k = 0; k < 3; k++) {
        const FilSapConstraint c = {.kind = FIL_SAP_CONTACT, .contact = {.distance = distances[k], .mu = 0.5, .stiffness = INFINITY, .depth = 1e-4}};
        FilSapLaw law = {0};
        kind->prepare(&c, 0.3, &scales, &law);
        const FilSapResponse before = respond(FIL_SAP_CONTACT, &law, v_c);
        FilSapResponse response = before;
        assert_true(kind->stand(&c, &law, v_c, &response) == (k < 2));
        if (k == 2) {
            assert_memory_equal(&response, &before, sizeof before);
            continue;
        }
        for (int row = 0; row < 3; row++) {
            assert_true(response.impulse[row] == -(v_c[row] - law.v_hat[row]) * law.r_inverse[row]);
            assert_true(response.hessian[4 * row] == law.r_inverse[row]);
        }
    }
}

/* ---- lagged contact ---- */

static void lagged_derivatives(void** state)
{
    (void)state;
    Random random = {13};
    int ends[2] = {0};
    for (int trial = 0; trial < 1000; trial++) {
        const FilSapContact contact = {.distance = random_between(&random, -1e-3, 2e-4),
                                       .mu = random_between(&random, 0.1, 2.0),
                                       .stiffness = exp(random_between(&random, 5.0, 12.0)),
                                       .hunt_crossley = trial % 4 == 0 ? 0.0 : random_between(&random, 0.0, 20.0),
                                       .normal_velocity = random_between(&random, -0.2, 0.05)};
        const FilSapLaw law = lagged_law(&contact, 1e-3, 1.0);
        ends[contact.hunt_crossley * -contact.distance / 1e-3 > 1.0]++;
        const double slips[] = {0.01, 1.0, 100.0};
        const double gaps[] = {-0.1, -1e-4, 1e-4, 0.3};
        for (int s = 0; s < 3; s++) {
            for (int g = 0; g < 4; g++) {
                const double angle = random_between(&random, 0.0, two_pi), vt = slips[s] * law.slip;
                const double v_c[3] = {vt * cos(angle), vt * sin(angle), law.v_end + gaps[g]};
                const double vt_step = 1e-5 * fmax(vt, law.slip), vn_step = 1e-3 * fabs(gaps[g]);
                // friction and normal force are added up in one cost: look at each alone, or the smaller drowns
                FilSapLaw normal = law, tangential = law;
                normal.friction = 0.0;
                tangential.linear = tangential.quadratic = 0.0;
                const double step[3] = {vt_step, vt_step, vn_step};
                check_derivatives(FIL_SAP_LAGGED_CONTACT, &normal, v_c, step);
                check_derivatives(FIL_SAP_LAGGED_CONTACT, &tangential, v_c, step);
                check_semidefinite(&random, respond(FIL_SAP_LAGGED_CONTACT, &law, v_c).hessian);
            }
        }
    }
    assert_true(ends[0] > 50 && ends[1] > 50);
}

/* n(v_n) = dt (-k phi0 - dt k v_n)+ (1 - d v_n)+ and |gamma_t| <= mu n0, zero while apart */
static void lagged_forces(void** state)
{
    (void)state;
    Random random = {14};
    for (int trial = 0; trial < 1000; trial++) {
        const double dt = 1e-3, k = 1e4, d = random_between(&random, 0.0, 5.0), phi = random_between(&random, -1e-3, 1e-3);
        const FilSapContact contact = {
            .distance = phi, .mu = 0.7, .stiffness = k, .hunt_crossley = d, .normal_velocity = random_between(&random, -0.5, 0.5)};
        const FilSapLaw law = lagged_law(&contact, dt, 1e-3);
        const double v_c[3] = {random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 1.0)};
        const FilSapResponse response = respond(FIL_SAP_LAGGED_CONTACT, &law, v_c);
        const double n = dt * fmax(-k * phi - dt * k * v_c[2], 0.0) * fmax(1.0 - d * v_c[2], 0.0);
        const double n0 = dt * k * fmax(-phi, 0.0) * fmax(1.0 - d * contact.normal_velocity, 0.0);
        // a few products of numbers of order dt k: round-off only
        assert_true(fabs(response.impulse[2] - n) <= 1e-13 * dt * k);
        assert_true(hypot(response.impulse[0], response.impulse[1]) <= 0.7 * n0 * (1.0 + 1e-15));
        assert_true(response.impulse[0] * v_c[0] + response.impulse[1] * v_c[1] <= 0.0);
    }
}

/* however stiff the material, dt^2 k never exceeds what the step can resolve */
static void lagged_near_rigid(void** state)
{
    (void)state;
    const FilSapContact contact = {.distance = -1e-4, .mu = 0.5, .stiffness = INFINITY};
    const FilSapLaw law = lagged_law(&contact, 1e-3, 2.0);
    assert_true(fabs(law.linear - two_pi * two_pi / 2.0) < 1e-12);
    assert_true(isfinite(law.friction) && law.friction > 0.0);
}

/* ---- bounded equations ---- */

static void bounded_derivatives(void** state)
{
    (void)state;
    Random random = {15};
    for (int trial = 0; trial < 1000; trial++) {
        FilSapLaw law = {0};
        double v_c[3], step[3];
        for (int k = 0; k < 3; k++) {
            law.r[k] = exp(random_between(&random, -5.0, 2.0));
            law.r_inverse[k] = 1.0 / law.r[k];
            law.v_hat[k] = random_between(&random, -1.0, 1.0);
            law.lower[k] = random_between(&random, -2.0, 0.0);
            law.upper[k] = random_between(&random, 0.0, 2.0);
            // inside, or beyond either bound, as close as 1e-4
            const double bound = random_between(&random, 0.0, 1.0) < 0.5 ? law.lower[k] : law.upper[k];
            const double y = bound + (trial % 2 == 0 ? 1e-4 : 1.0) * (random_between(&random, 0.0, 1.0) < 0.5 ? -1.0 : 1.0);
            v_c[k] = law.v_hat[k] - law.r[k] * y;
            step[k] = 1e-5 * law.r[k];
        }
        check_derivatives(FIL_SAP_BOUNDED, &law, v_c, step);
    }
}

/* impulse = -dt (k (g + dt v) + c v) clamped: the implicit spring and damper, equation by equation */
static void bounded_spring(void** state)
{
    (void)state;
    const FilSapScales scales = {.dt = 0.01, .rigidity = 1.0, .stick = 1e-3, .slip_velocity = 1e-4};
    const FilSapConstraint c = {
        .kind = FIL_SAP_BOUNDED,
        .bounded = {.equations = 2, .error = {0.2, -0.1}, .stiffness = 50.0, .damping = 3.0, .lower = {-INFINITY, -0.04}, .upper = {INFINITY, 0.04}}};
    FilSapLaw law = {0};
    fil_sap_kinds[FIL_SAP_BOUNDED].prepare(&c, 1e-6, &scales, &law);
    const double v_c[3] = {0.3, 0.4, 0.5};
    const FilSapResponse response = respond(FIL_SAP_BOUNDED, &law, v_c);
    assert_true(fabs(response.impulse[0] + 0.01 * (50.0 * (0.2 + 0.01 * 0.3) + 3.0 * 0.3)) < 1e-14);
    assert_true(fabs(response.impulse[1] - 0.01 * (50.0 * (0.1 - 0.01 * 0.4) - 3.0 * 0.4)) < 1e-14);
    const double fast[3] = {0.3, -4.0, 0.5};
    assert_true(respond(FIL_SAP_BOUNDED, &law, fast).impulse[1] == 0.04);
    // the third equation is not there
    assert_true(response.impulse[2] == 0.0 && response.hessian[8] == 0.0);
    // neither spring nor damper: no impulse, no cost, no division by zero
    FilSapConstraint idle = c;
    idle.bounded.stiffness = idle.bounded.damping = 0.0;
    law = (FilSapLaw){0};
    fil_sap_kinds[FIL_SAP_BOUNDED].prepare(&idle, 1e-6, &scales, &law);
    const FilSapResponse nothing = respond(FIL_SAP_BOUNDED, &law, v_c);
    assert_true(nothing.cost == 0.0 && max3(nothing.impulse) == 0.0);
}

/* u = v_t/s as an unknown of its own: Newton's matrix where u is that, positive semi-definite for any |u| <= 1, and the step of both solves
 * s u = v_t up to second order. */
static void lagged_duals(void** state)
{
    (void)state;
    const FilSapKindOps* kind = &fil_sap_kinds[FIL_SAP_LAGGED_CONTACT];
    const double v[3] = {3e-3, -1e-3, -0.02}, dv[3] = {-2e-3, 5e-4, 0.0};
    FilSapLaw law = {.friction = 0.7, .slip = 1e-3, .linear = 3.0, .v_end = 0.01};
    const FilSapResponse at = respond(FIL_SAP_LAGGED_CONTACT, &law, v);
    double g[9];
    memcpy(g, at.hessian, sizeof g);
    kind->begin_dual(&law, v);
    kind->dual_hessian(&law, v, g);
    for (int k = 0; k < 9; k++) {
        assert_true(fabs(g[k] - at.hessian[k]) <= 1e-12 * at.hessian[0]);
    }
    for (int k = 0; k < 64; k++) {
        law.dual[0] = cos(0.1 * k);
        law.dual[1] = sin(0.1 * k);
        kind->dual_hessian(&law, v, g);
        assert_true(g[0] >= 0.0 && g[4] >= 0.0 && g[0] * g[4] >= g[1] * g[3] - 1e-12 * g[0] * g[0]);
    }
    // what is left of s u = v_t after a step of h falls as h^2
    double rest[2];
    for (int n = 0; n < 2; n++) {
        const double h = n == 0 ? 1e-2 : 5e-3, step[3] = {h * dv[0], h * dv[1], 0.0}, there[2] = {v[0] + step[0], v[1] + step[1]};
        kind->begin_dual(&law, v);
        kind->move_dual(&law, v, step);
        const double s = sqrt(there[0] * there[0] + there[1] * there[1] + law.slip * law.slip);
        rest[n] = hypot(s * law.dual[0] - there[0], s * law.dual[1] - there[1]);
    }
    assert_true(rest[0] / rest[1] > 3.8 && rest[0] / rest[1] < 4.2);
    // far steps stay within the bound
    kind->move_dual(&law, v, (const double[3]){-1.0, 2.0, 0.0});
    assert_true(hypot(law.dual[0], law.dual[1]) <= 1.0 + 1e-15);
}

/* The same of the cone, with s = max(|v_t|, stick radius): the matrix of the law at u = v_t/s, semi-definite for any |u| <= 1, and what sticks or is
 * apart keeps its own. */
static void contact_duals(void** state)
{
    (void)state;
    const FilSapKindOps* kind = &fil_sap_kinds[FIL_SAP_CONTACT];
    Random random = {33};
    int slid = 0;
    for (int trial = 0; trial < 300; trial++) {
        FilSapLaw law = random_cone(&random);
        const double size = exp(random_between(&random, -3.0, 3.0)), yn = size * random_between(&random, -0.5, 1.0);
        double v[3], g[9];
        velocity_of(&random, &law, law.mu * size * exp(random_between(&random, -2.0, 3.0)), yn, v);
        const FilSapResponse at = respond(FIL_SAP_CONTACT, &law, v);
        const bool slides = region_of(&law, v) == SLIDE && law.mu > 0.0;
        slid += slides;
        memcpy(g, at.hessian, sizeof g);
        kind->begin_dual(&law, v);
        kind->dual_hessian(&law, v, g);
        for (int k = 0; k < 9; k++) {
            assert_true(fabs(g[k] - at.hessian[k]) <= 1e-9 * (at.hessian[0] + at.hessian[4] + at.hessian[8]));
        }
        for (int k = 0; k < 16; k++) {
            law.dual[0] = cos(0.4 * k);
            law.dual[1] = sin(0.4 * k);
            memcpy(g, at.hessian, sizeof g);
            kind->dual_hessian(&law, v, g);
            check_semidefinite(&random, g);
            assert_true(slides || memcmp(g, at.hessian, sizeof g) == 0);
        }
        // what is left of s u = v_t after a step of h along v_t and across falls as h^2; s is |v_t| where it slides
        double rest[2] = {0.0, 0.0};
        for (int n = 0; n < 2 && slides; n++) {
            const double h = n == 0 ? 1e-2 : 5e-3, step[3] = {h * (0.3 * v[0] - v[1]), h * (0.3 * v[1] + v[0]), 0.0};
            kind->begin_dual(&law, v);
            kind->move_dual(&law, v, step);
            const double there[2] = {v[0] + step[0], v[1] + step[1]}, s = hypot(there[0], there[1]);
            // u ends on the bound, |u| = 1: its length is cut
            rest[n] = fabs(law.dual[0] * there[1] - law.dual[1] * there[0]) / s;
        }
        assert_true(!slides || rest[1] <= 0.3 * rest[0] + 1e-14);
        kind->move_dual(&law, v, (const double[3]){-1.0, 2.0, 0.0});
        assert_true(hypot(law.dual[0], law.dual[1]) <= 1.0 + 1e-15);
    }
    assert_true(slid > 50);
}

/* Open as far as the clearance says: no impulse above 0, whatever the stiffness. */
static void contact_clearance(void** state)
{
    (void)state;
    const FilSapKindOps* kind = &fil_sap_kinds[FIL_SAP_CONTACT];
    const FilSapScales scales = {.dt = 1e-3, .rigidity = 1.0, .stick = 1e-3};
    Random random = {34};
    int open = 0;
    for (int trial = 0; trial < 1000; trial++) {
        FilSapConstraint c = {.kind = FIL_SAP_CONTACT,
                              .contact = {.distance = random_between(&random, -1e-3, 1e-3),
                                          .mu = random_between(&random, 0.0, 1.5),
                                          .stiffness = trial % 2 == 0 ? INFINITY : 1e4,
                                          .dissipation_time = 0.01,
                                          .depth = 1e-4}};
        const double v[3] = {random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 2.0)};
        const bool apart = kind->clearance(&c, scales.dt, v) > 0.0;
        FilSapLaw law;
        kind->prepare(&c, 1.0, &scales, &law);
        const FilSapResponse at = respond(FIL_SAP_CONTACT, &law, v);
        assert_true(!apart || max3(at.impulse) == 0.0);
        assert_true(apart || c.contact.distance <= c.contact.depth || at.impulse[2] > 0.0);
        open += apart;
    }
    assert_true(open > 100);
}

/* Bounds follow the solution; where a larger one makes the contact bear less, gamma_n = 1 - 4 bound, and they would go to and fro further and
 * further, the secant finds bound = gamma_n at once. */
static void lagged_bounds(void** state)
{
    (void)state;
    const FilSapKindOps* kind = &fil_sap_kinds[FIL_SAP_LAGGED_CONTACT];
    const FilSapContact contact = {.distance = -1e-3, .mu = 0.5, .stiffness = 1e3};
    FilSapLaw law = lagged_law(&contact, 1e-3, 1e-3);
    for (int k = 0; k < 3; k++) {
        const double bound = law.friction / law.mu;
        kind->follow(&law, &(FilSapResponse){.impulse = {0.0, 0.0, 1.0 - 4.0 * bound}});
    }
    assert_true(fabs(law.friction / law.mu - 0.2) <= 1e-12);
    // where it makes it bear more, as on a capstan, the whole way
    law = lagged_law(&contact, 1e-3, 1e-3);
    for (int k = 0; k < 3; k++) {
        const double bound = law.friction / law.mu;
        kind->follow(&law, &(FilSapResponse){.impulse = {0.0, 0.0, 1.0 + 0.5 * bound}});
        assert_true(law.friction / law.mu == 1.0 + 0.5 * bound);
    }
}

/* Contacts within a share of their motion from touching pull, with the stiffness of closed ones; all others are as they are. */
static void lagged_presumption(void** state)
{
    (void)state;
    const FilSapKindOps* kind = &fil_sap_kinds[FIL_SAP_LAGGED_CONTACT];
    FilSapLaw law = {.friction = 0.7, .slip = 1e-3, .linear = 3.0, .quadratic = 2.0, .v_end = 0.01, .dual = {0.6, 0.8}};
    const struct {
        double v[3];
        bool presumed;
    } cases[] = {{{0.4, -0.3, 0.05}, true}, {{0.4, -0.3, 0.07}, false}, {{0.4, -0.3, 0.005}, false}, {{0.0, 0.0, 0.05}, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const FilSapResponse at = respond(FIL_SAP_LAGGED_CONTACT, &law, cases[k].v);
        FilSapResponse now = at;
        kind->presume(&law, 0.1, cases[k].v, &now);
        assert_true(now.impulse[0] == at.impulse[0] && now.impulse[1] == at.impulse[1] && now.hessian[0] == at.hessian[0]);
        assert_true(now.impulse[2] == (cases[k].presumed ? -law.linear * (cases[k].v[2] - law.v_end) : at.impulse[2]));
        assert_true(now.hessian[8] == (cases[k].presumed ? law.linear : at.hessian[8]));
        assert_true(law.dual[0] == 0.0 && law.dual[1] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lagged_presumption),     cmocka_unit_test(contact_derivatives), cmocka_unit_test(contact_projection),
        cmocka_unit_test(contact_regularisation), cmocka_unit_test(softened_friction),   cmocka_unit_test(standing_contact),
        cmocka_unit_test(lagged_derivatives),     cmocka_unit_test(lagged_forces),       cmocka_unit_test(lagged_near_rigid),
        cmocka_unit_test(bounded_derivatives),    cmocka_unit_test(bounded_spring),      cmocka_unit_test(lagged_duals),
        cmocka_unit_test(contact_duals),          cmocka_unit_test(contact_clearance),   cmocka_unit_test(lagged_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
