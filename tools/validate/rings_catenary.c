/* A ring on a flexible catenary (P4 section 3.3, Fig. 7, appendices A and B). */
#include <math.h>
#include <stdio.h>

#include "validate/rings.h"

static const double GRAVITY = 10.0, CATENARY = 0.6763816, START = -0.9; /* m along the cable; as in the scene */
static const double HALF_SPAN = 0.8;

enum { SAMPLES = 300 }; /* of 3 s */

/* The ring's x, 100 times a second. */
static bool ride(FilCheck* check, const char* const (*settings)[2], int count, double dt, double* x)
{
    FilWorld* world = fil_rings_load(check, "ring_catenary", settings, count, dt);
    bool good = world != NULL;
    for (int k = 0; k < SAMPLES && good; k++) {
        good = fil_check_run(check, world, 0.01 * (k + 1));
        x[k] = good ? fil_ring_position(world, fil_world_find_ring(world, "ring")).x : NAN;
    }
    fil_world_destroy(world);
    return good;
}

static double largest_difference(const double* a, const double* b)
{
    double max = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
        max = fmax(max, fabs(a[k] - b[k]));
    }
    return max;
}

/* The ring's x at 1 s, where P4's appendices look (eq. 17). */
static double x_of(FilCheck* check, const char* const (*settings)[2], int count, double dt)
{
    FilWorld* world = fil_rings_load(check, "ring_catenary", settings, count, dt);
    double x = NAN;
    if (world != NULL && fil_check_run(check, world, 1.0)) {
        x = fil_ring_position(world, fil_world_find_ring(world, "ring")).x;
    }
    fil_world_destroy(world);
    return x;
}

static double x_with_nodes(FilCheck* check, const char* nodes, double dt)
{
    return x_of(check, (const char* const[][2]){{"nodes", nodes}}, 1, dt);
}

/* ---- appendix A ---- */

/* Space and time each by itself: an error of both shows that of time alone, which is the larger and has the other sign.
 */
void fil_check_catenary_refined(FilCheck* check)
{
    static const char* const nodes[] = {"50", "100", "200"};
    static const double steps[] = {2e-3, 1e-3, 5e-4};
    double in_space[3], in_time[3];
    const double dense = x_with_nodes(check, "400", 1e-3), brief = x_with_nodes(check, "100", 1e-4);
    for (int k = 0; k < 3; k++) {
        char what[96];
        in_space[k] = fabs(x_with_nodes(check, nodes[k], 1e-3) / dense - 1.0);
        in_time[k] = fabs(x_with_nodes(check, "100", steps[k]) / brief - 1.0);
        snprintf(what, sizeof what, "error of x(1 s), N = %s against 400, h = 1 ms", nodes[k]);
        fil_check_below(check, what, in_space[k], 0.02);
        snprintf(what, sizeof what, "error of x(1 s), h = %g ms against 0.1 ms, N = 100", 1e3 * steps[k]);
        fil_check_below(check, what, in_time[k], 0.02);
    }
    for (int k = 0; k < 2; k++) {
        char what[96];
        // rods are of second order: 4.2 and 5 with the error of N = 400 itself; tracks and bends leave some of that
        snprintf(what, sizeof what, "the error falls by, from N = %s to %s", nodes[k], nodes[k + 1]);
        fil_check_above(check, what, in_space[k] / in_space[k + 1], 3.0);
        // backward Euler is of first order: 2.1 and 2.25 with the error of 0.1 ms itself
        snprintf(what, sizeof what, "the error falls by, from h = %g to %g ms", 1e3 * steps[k], 1e3 * steps[k + 1]);
        fil_check_above(check, what, in_time[k] / in_time[k + 1], 2.0);
    }
}

/* Both at once, against P4's own reference. */
void fil_check_catenary_fine(FilCheck* check)
{
    static const char* const nodes[] = {"50", "100", "200", "400"};
    static const double steps[] = {2e-3, 1e-3, 5e-4, 2.5e-4};
    const double fine = x_with_nodes(check, "400", 1e-4);
    double last = INFINITY, min = INFINITY;
    for (int k = 0; k < 4; k++) {
        char what[96];
        const double error = fabs(x_with_nodes(check, nodes[k], steps[k]) - fine);
        snprintf(what, sizeof what, "error of x(1 s), N = %s, h = %g ms, of x", nodes[k], 1e3 * steps[k]);
        if (k == 0) {
            fil_check_note(check, what, error / fabs(fine));
        } else {
            fil_check_below(check, what, error / fabs(fine), 0.02);
            min = fmin(min, last / error);
        }
        if (k == 1) {
            fil_check_below(check, "the same, of the half span", error / HALF_SPAN, 0.02);
        }
        last = error;
    }
    fil_check_above(check, "smallest fall of the error from one to the next", min, 1.8);
}

/* ---- appendix B ---- */

/* The result does not depend on small barriers and slip speeds. */
void fil_check_catenary_bounds(FilCheck* check)
{
    static const char* const ranges[] = {"0.05", "0.01", "0.005"};
    static const char* const speeds[] = {"1e-3", "1e-4", "1e-5", "1e-7"};  // P4 names none but 1e-6
    const double tight = x_of(check, (const char* const[][2]){{"range", "0.001"}}, 1, 1e-3);
    double last = INFINITY;
    for (int k = 0; k < 3; k++) {
        char what[96];
        const double change = fabs(x_of(check, (const char* const[][2]){{"range", ranges[k]}}, 1, 1e-3) / tight - 1.0);
        snprintf(what, sizeof what, "change of x(1 s) with range %s m instead of 0.001 m", ranges[k]);
        fil_check_below(check, what, change, fmin(last, 0.02));  // as small as the discretisation's own error, and falling
        last = change;
    }
    double base[SAMPLES], x[SAMPLES];
    if (!ride(check, NULL, 0, 1e-3, base)) {
        return;
    }
    for (int k = 0; k < 4; k++) {
        char what[96];
        if (ride(check, (const char* const[][2]){{"slip_speed", speeds[k]}}, 1, 1e-3, x)) {
            snprintf(what, sizeof what, "largest change of x in 3 s with slip speed %s m/s instead of 1e-6, m", speeds[k]);
            fil_check_below(check, what, largest_difference(x, base),
                            1e-3);  // a creep at the largest of them would be 3e-3
        }
    }
}

/* ---- Fig. 7 ---- */

/* x of a bead on a rigid catenary, 100 times a second: dv/dt = -g sin a - mu (g cos a + v^2 kappa) sign v. */
static void ride_rigid(double mu, double* x)
{
    enum { PARTS = 1000 };
    const double dt = 0.01 / PARTS;
    double s = START, v = 0.0;
    for (int k = 0; k < SAMPLES; k++) {
        for (int part = 0; part < PARTS; part++) {
            const double root = sqrt(CATENARY * CATENARY + s * s), kappa = CATENARY / (root * root);
            const double pull = -GRAVITY * s / root, normal = GRAVITY * CATENARY / root + v * v * kappa;
            if (v == 0.0 && fabs(pull) <= mu * normal) {
                break;  // it sticks
            }
            const double next = v + dt * (pull - mu * normal * (v > 0.0 || (v == 0.0 && pull > 0.0) ? 1.0 : -1.0));
            v = v * next < 0.0 ? 0.0 : next;
            s += dt * v;
        }
        x[k] = CATENARY * asinh(s / CATENARY);
    }
}

static double largest(const double* x, int count)
{
    double max = x[0];
    for (int k = 1; k < count; k++) {
        max = fmax(max, x[k]);
    }
    return max;
}

static double spread(const double* x, int count)
{
    double low = x[0];
    for (int k = 1; k < count; k++) {
        low = fmin(low, x[k]);
    }
    return largest(x, count) - low;
}

static const char* const moduli[] = {"100e9", "1e9", "0.01e9"};
static const char* const frictions[] = {"0", "0.1", "0.3"};

/* All nine cases: a softer cable takes more of the ring's height, a rougher one ends its motion sooner. */
void fil_check_catenary_cases(FilCheck* check)
{
    double reach[3][3], swing[3][3], x[SAMPLES];
    char what[96];
    for (int e = 0; e < 3; e++) {
        for (int m = 0; m < 3; m++) {
            if (!ride(check, (const char* const[][2]){{"young", moduli[e]}, {"mu", frictions[m]}}, 2, 1e-3, x)) {
                return;
            }
            reach[e][m] = largest(x, 150);  // first turn, within 1.5 s
            swing[e][m] = spread(x + 200, SAMPLES - 200);
            snprintf(what, sizeof what, "farthest x on the other side, E = %s Pa, mu = %s, m", moduli[e], frictions[m]);
            fil_check_note(check, what, reach[e][m]);
        }
    }
    // without friction, on what is nearly rigid: as high as it began, x = -0.745, but for what the step (1 ms) damps
    fil_check_near(check, "of them, E = 100e9, mu = 0", reach[0][0], -CATENARY * asinh(START / CATENARY), 0.02);
    for (int e = 0; e < 3; e++) {
        snprintf(what, sizeof what, "E = %s: mu = 0.1 and 0.3 reach less far, largest ratio", moduli[e]);
        fil_check_below(check, what, fmax(reach[e][1] / reach[e][0], reach[e][2] / reach[e][1]), 0.9);
        snprintf(what, sizeof what, "E = %s: and move less in the last second, largest ratio", moduli[e]);
        fil_check_below(check, what, fmax(swing[e][1] / swing[e][0], swing[e][2] / swing[e][1]), 0.8);
        snprintf(what, sizeof what, "mu = %s: softer cables let it reach less far, largest ratio", frictions[e]);
        fil_check_below(check, what, fmax(reach[1][e] / reach[0][e], reach[2][e] / reach[1][e]), 0.95);
    }
}

/* The stiffest cable is rigid: x(t) of all three frictions for 3 s, with a tight barrier and a short step. */
void fil_check_catenary_rigid(FilCheck* check)
{
    double x[SAMPLES], expected[SAMPLES];
    for (int m = 0; m < 3; m++) {
        const char* const settings[][2] = {{"young", moduli[0]}, {"mu", frictions[m]}, {"range", "0.001"}, {"stiffness", "100"}};
        char what[96];
        double mu = 0.0;
        sscanf(frictions[m], "%lf", &mu);
        ride_rigid(mu, expected);
        if (!ride(check, settings, 4, 1e-4, x)) {
            return;
        }
        snprintf(what, sizeof what, "largest error of x in 3 s, mu = %s, of the half span", frictions[m]);
        fil_check_below(check, what, largest_difference(x, expected) / HALF_SPAN,
                        0.02);  // P4's own bound of convergence
    }
}
