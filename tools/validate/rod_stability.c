/* Where straight and round shapes give way: thresholds from the tangent's eigenvalues, growth or decay in time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/rod.h"
#include "validate/spectrum.h"
#include "validate/trial.h"

/* ---- Euler column ---- */

/* largest sideways deflection of the tip in the second half of a run, relative to the first push */
static double column_growth(FilCheck* check, double load_ratio)
{
    const double critical = 0.25 * M_PI * M_PI; /* clamped and free: pi^2 EI/(4 L^2) */
    const double push = 1e-6;
    FilTrialDef def = fil_trial_def(50, 1.0);
    def.world.integrator = FIL_MIDPOINT;
    def.world.newton_tolerance = 1e-9;
    def.world.dt = 0.02;
    def.rod.section = fil_trial_round_section(1.0, 1.0, 5e-3);
    def.rod.damping_mass = 0.2;
    FilTrial trial = fil_trial_begin(check, &def);
    fil_trial_attach(&trial, FIL_ATTACH_CLAMP, 0);
    FilId load = fil_trial_load(&trial, FIL_DRIVE_FORCE, -1, 1);
    fil_trial_set(&trial, load, (double[3]){-load_ratio * critical, 0.0, 0.0}, 3);
    double nodes[3 * 51] = {0};
    for (int i = 0; i <= 50; ++i) {
        nodes[3 * i] = i / 50.0;
        nodes[3 * i + 2] = push * (1.0 - cos(0.5 * M_PI * i / 50.0));
    }
    fil_trial_set_nodes(&trial, nodes);
    double largest = 0.0;
    for (int i = 0; i < 1000 && !trial.failed; ++i) {
        fil_trial_run(&trial, 1);
        if (i >= 500) {
            largest = fmax(largest, fabs(fil_trial_node(&trial, -1).z));
        }
    }
    double growth = trial.failed ? -1.0 : largest / push;
    fil_trial_end(&trial);
    return growth;
}

/* Above the threshold a push grows a hundred times and more, below it does not; negative: the run failed, and has said so. */
static void check_growth(FilCheck* check, const char* what_above, double above, const char* what_below, double below)
{
    if (above >= 0.0) {
        fil_check_above(check, what_above, above, 100.0);
    }
    if (below >= 0.0) {
        fil_check_below(check, what_below, below, 1.0);
    }
}

/* the first mode's growth rate is 3.52 sqrt(P/Pc - 1) = 0.6 at 1.03 Pc, less half of the damping: e^10 in 20 s; at
 * 0.97 Pc it swings and decays by e^-1 in the first half */
void fil_check_euler_column(FilCheck* check)
{
    double above = column_growth(check, 1.03), below = column_growth(check, 0.97);
    check_growth(check, "growth of a push at 1.03 Pc", above, "growth of a push at 0.97 Pc", below);
}

/* ---- Michell's ring ---- */

enum { RING_EDGES = 80 };

/* EI = 1, GJ = 0.8, unit radius; stiff in stretch so that the ring keeps its length */
static const double ring_ei = 1.0, ring_gj = 0.8;

/* critical twist of the continuous ring: 2 pi sqrt(3) EI/GJ */
static double michell_angle(void)
{
    return 2.0 * M_PI * sqrt(3.0) * ring_ei / ring_gj;
}

/* a twist of Phi in all is put in as a rest twist of -Phi per circumference: the stresses are the same */
static FilTrial ring_trial(FilCheck* check, double phi, double bump, double alpha)
{
    double nodes[3 * RING_EDGES], rest_twist[RING_EDGES];
    for (int i = 0; i < RING_EDGES; ++i) {
        double a = 2.0 * M_PI * i / RING_EDGES;
        nodes[3 * i] = cos(a);
        nodes[3 * i + 1] = sin(a);
        nodes[3 * i + 2] = bump * cos(2.0 * a);
        rest_twist[i] = -phi / (2.0 * M_PI);
    }
    FilTrialDef def = fil_trial_def(RING_EDGES, 2.0 * M_PI);
    def.world.integrator = FIL_MIDPOINT;
    def.world.newton_tolerance = 1e-9;
    def.world.dt = 0.02;
    def.rod.closed = true;
    def.rod.nodes = nodes;
    def.rod.director = (FilVec3){0.0, 0.0, 1.0};
    def.rod.rest_twist = rest_twist;
    def.rod.damping_mass = alpha;
    def.rod.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                                   .radius = 0.05,
                                   .ea = 1600.0,
                                   .ei1 = ring_ei,
                                   .ei2 = ring_ei,
                                   .gj = ring_gj,
                                   .mass_per_length = 1.0,
                                   .inertia_per_length = 1.25e-3};
    return fil_trial_begin(check, &def);
}

/* six rigid motions and the spin of the isotropic section about its axis cost nothing; one eigenvalue below zero more
 * means that the ring leaves the plane */
static int unstable_modes(FilCheck* check, double phi)
{
    FilTrial trial = ring_trial(check, phi, 0.0, 0.0);
    int count = trial.failed ? -1 : fil_spectrum_negative(&trial, 1e-9);
    fil_trial_end(&trial);
    return count;
}

/* None at 0.7 of the threshold, some at 1.3 of it; false: a run has failed. */
static bool check_modes(FilCheck* check, const char* low, int at_low, const char* high, int at_high)
{
    if (at_low < 0 || at_high < 0) {
        return false;
    }
    fil_check_near(check, low, at_low, 0.0, 0.0);
    fil_check_above(check, high, at_high, 1.0);
    return true;
}

/* required: within 2 %; a ring of 80 edges stands 0.5 % above the continuous one */
void fil_check_michell(FilCheck* check)
{
    double low = 0.7 * michell_angle(), high = 1.3 * michell_angle();
    if (!check_modes(check, "unstable modes at 0.7 of the threshold", unstable_modes(check, low), "unstable modes at 1.3 of the threshold",
                     unstable_modes(check, high))) {
        return;
    }
    for (int i = 0; i < 12; ++i) {
        double middle = 0.5 * (low + high);
        if (unstable_modes(check, middle) > 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    fil_check_near(check, "critical twist (rad)", 0.5 * (low + high), michell_angle(), 0.02);
}

/* height of the ring in the second half of a run, relative to the first bump */
static double ring_growth(FilCheck* check, double ratio)
{
    const double bump = 1e-5;
    FilTrial trial = ring_trial(check, ratio * michell_angle(), bump, 0.1);
    double largest = 0.0;
    for (int i = 0; i < 2000 && !trial.failed; ++i) {
        fil_trial_run(&trial, 1);
        if (i < 1000) {
            continue;
        }
        double nodes[3 * RING_EDGES], top = -INFINITY, bottom = INFINITY;
        fil_rod_get_positions(trial.world, trial.rod, nodes);
        for (int k = 0; k < RING_EDGES; ++k) {
            top = fmax(top, nodes[3 * k + 2]);
            bottom = fmin(bottom, nodes[3 * k + 2]);
        }
        largest = fmax(largest, 0.5 * (top - bottom));
    }
    double growth = trial.failed ? -1.0 : largest / bump;
    fil_trial_end(&trial);
    return growth;
}

/* 5 % above the bump grows by many times, 5 % below it swings and decays */
void fil_check_michell_dynamic(FilCheck* check)
{
    double above = ring_growth(check, 1.05), below = ring_growth(check, 0.95);
    check_growth(check, "growth of a bump at 1.05", above, "growth of a bump at 0.95", below);
}

/* ---- lateral buckling ---- */

/* a strip on edge, thin along m1 = y and 20 times as high along m2 = z, loaded down at the tip */
static const double strip_thickness = 2e-3, strip_height = 4e-2, strip_young = 1e9;

static FilTrialDef strip_trial(void)
{
    FilTrialDef def = fil_trial_def(60, 1.0);
    def.world.integrator = FIL_BACKWARD_EULER;
    def.world.newton_tolerance = 1e-9;
    def.world.dt = 1.0;
    def.rod.section = (FilSection){
        .shape = FIL_SECTION_RECTANGLE, .width = strip_thickness, .height = strip_height, .young = strip_young, .poisson = 0.3, .density = 1000.0};
    return def;
}

/* eigenvalues below zero of the strip bent in its own plane by a tip load */
static int strip_unstable_modes(FilCheck* check, double load)
{
    FilTrialDef def = strip_trial();
    FilTrial trial = fil_trial_begin(check, &def);
    fil_trial_attach(&trial, FIL_ATTACH_CLAMP, 0);
    FilId tip = fil_trial_load(&trial, FIL_DRIVE_FORCE, -1, 1);
    fil_trial_set(&trial, tip, (double[3]){0.0, 0.0, -load}, 3);
    fil_trial_settle(&trial);
    int count = trial.failed ? -1 : fil_spectrum_negative(&trial, 0.0);
    fil_trial_end(&trial);
    return count;
}

/* 4.013 sqrt(EI2 GJ)/L^2 within 3 %; the deflection before buckling, which the formula leaves out, raises the load by
 * about (EI2 + GJ)/(2 EI1) = 0.4 % at b/t = 20 */
void fil_check_lateral_buckling(FilCheck* check)
{
    FilTrialDef def = strip_trial();
    FilStiffness stiffness;
    FilError error;
    if (fil_section_stiffness(&def.rod.section, &stiffness, &error) != FIL_OK) {
        fil_check_fail(check, "section: %s", error.text);
        return;
    }
    /* Saint-Venant: J = b t^3/3 (1 - 0.630 t/b) up to 1e-4 for b/t = 20 */
    double ratio = strip_thickness / strip_height;
    double torsion = strip_height * pow(strip_thickness, 3.0) / 3.0 * (1.0 - 0.630 * ratio);
    fil_check_near(check, "torsion stiffness GJ (N m^2)", stiffness.gj, strip_young / 2.6 * torsion, 1e-3);

    double weak = strip_young * strip_height * pow(strip_thickness, 3.0) / 12.0;
    double expected = 4.013 * sqrt(weak * strip_young / 2.6 * torsion);
    double low = 0.7 * expected, high = 1.3 * expected;
    if (!check_modes(check, "unstable modes at 0.7 of the load", strip_unstable_modes(check, low), "unstable modes at 1.3 of the load",
                     strip_unstable_modes(check, high))) {
        return;
    }
    for (int i = 0; i < 10; ++i) {
        double middle = 0.5 * (low + high);
        int count = strip_unstable_modes(check, middle);
        if (count < 0) {
            return;
        }
        if (count > 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    fil_check_near(check, "critical tip load (N)", 0.5 * (low + high), expected, 0.03);
}
