/* Small vibrations of a clamped rod: frequencies and decay rates against beam theory.
 *
 * The rod starts at rest in a mode of the continuous beam; its motion is projected on that mode again, which keeps the
 * other modes out, and timed by the zero crossings. Unit length, stiffness and mass per length.
 */
#include <math.h>
#include <stdio.h>

#include "validate/rod.h"
#include "validate/trial.h"

enum { EDGES = 50, STEPS_PER_PERIOD = 200 };

/* what a ring-down tells: circular frequency and decay rate of the amplitude */
typedef struct Ringing {
    double frequency; /* rad/s */
    double decay;     /* 1/s */
} Ringing;

/* times of the zero crossings of a sampled motion, with the speed there */
typedef struct Crossings {
    int count;
    double first_time, last_time;
    double first_speed, last_speed;
    double previous, previous_time;
} Crossings;

static void sample(Crossings* c, double time, double value)
{
    if (time > 0.0 && (c->previous < 0.0) != (value < 0.0)) {
        /* at a crossing the motion is straight to third order, so a line through two samples finds it */
        double speed = (value - c->previous) / (time - c->previous_time);
        double when = c->previous_time - c->previous / speed;
        if (c->count == 0) {
            c->first_time = when;
            c->first_speed = fabs(speed);
        }
        c->last_time = when;
        c->last_speed = fabs(speed);
        ++c->count;
    }
    c->previous = value;
    c->previous_time = time;
}

static Ringing ringing(const Crossings* c)
{
    double span = c->last_time - c->first_time;
    return (Ringing){.frequency = M_PI * (c->count - 1) / span, .decay = log(c->first_speed / c->last_speed) / span};
}

static FilTrialDef midpoint_trial(void)
{
    FilTrialDef def = fil_trial_def(EDGES, 1.0);
    def.world.integrator = FIL_MIDPOINT;
    def.world.newton_tolerance = 1e-10;
    def.rod.section = fil_trial_round_section(1.0, 1.0, 5e-3);
    return def;
}

/* ---- bending ---- */

/* roots of cos(b) cosh(b) = -1: the frequency of mode k is b_k^2 sqrt(EI/(rho A))/L^2 */
static const double bending_roots[3] = {1.87510406871196, 4.69409113297418, 7.85475743823761};

static double bending_mode(double root, double s)
{
    double sigma = (cosh(root) + cos(root)) / (sinh(root) + sin(root));
    double b = root * s;
    return cosh(b) - cos(b) - sigma * (sinh(b) - sin(b));
}

static void ring_bending(FilTrial* trial, double root, int periods, Ringing* result)
{
    const double amplitude = 1e-5; /* far below the radius: geometry stays linear */
    double nodes[3 * (EDGES + 1)] = {0}, shape[EDGES + 1];
    for (int i = 0; i <= EDGES; ++i) {
        shape[i] = bending_mode(root, (double)i / EDGES);
        nodes[3 * i] = (double)i / EDGES;
        nodes[3 * i + 2] = amplitude * shape[i];
    }
    fil_trial_set_nodes(trial, nodes);
    Crossings crossings = {0};
    for (int step = 0; step <= periods * STEPS_PER_PERIOD && !trial->failed; ++step) {
        if (step > 0) {
            fil_trial_run(trial, 1);
        }
        fil_rod_get_positions(trial->world, trial->rod, nodes);
        double projection = 0.0;
        for (int i = 0; i <= EDGES; ++i) {
            projection += (i < EDGES ? 1.0 : 0.5) * shape[i] * nodes[3 * i + 2];
        }
        sample(&crossings, fil_world_time(trial->world), projection);
    }
    if (!trial->failed) {
        *result = ringing(&crossings);
    }
}

/* required: within 1 % at 50 edges; the midpoint rule itself lags by (omega dt)^2/12 = 8e-5 */
void fil_check_bending_frequencies(FilCheck* check)
{
    for (int mode = 0; mode < 3; ++mode) {
        double expected = bending_roots[mode] * bending_roots[mode];
        FilTrialDef def = midpoint_trial();
        def.world.dt = 2.0 * M_PI / expected / STEPS_PER_PERIOD;
        FilTrial trial = fil_trial_begin(check, &def);
        fil_trial_attach(&trial, FIL_ATTACH_CLAMP, 0);
        Ringing result = {0};
        ring_bending(&trial, bending_roots[mode], 5, &result);
        char what[64];
        snprintf(what, sizeof what, "bending frequency %d (rad/s)", mode + 1);
        if (!trial.failed) {
            fil_check_near(check, what, result.frequency, expected, 0.01);
        }
        fil_trial_end(&trial);
    }
}

/* Rayleigh damping: zeta = alpha/(2 omega) + beta omega/2 in the first bending mode. 2 %: the speeds come from
 * differences over 1/200 of a period, and the mode's frequency is 1e-3 off the beam's */
void fil_check_damping(FilCheck* check)
{
    double omega = bending_roots[0] * bending_roots[0];
    static const double ratio = 0.01;
    static const char* const names[3] = {"mass", "stiffness", "both"};
    for (int kind = 0; kind < 3; ++kind) {
        FilTrialDef def = midpoint_trial();
        def.world.dt = 2.0 * M_PI / omega / STEPS_PER_PERIOD;
        if (kind != 1) {
            def.rod.damping_mass = 2.0 * omega * ratio;
        }
        if (kind != 0) {
            def.rod.damping_stiffness = 2.0 * ratio / omega;
        }
        FilTrial trial = fil_trial_begin(check, &def);
        fil_trial_attach(&trial, FIL_ATTACH_CLAMP, 0);
        Ringing result = {0};
        ring_bending(&trial, bending_roots[0], 5, &result);
        char what[64];
        snprintf(what, sizeof what, "damping ratio, %s", names[kind]);
        if (!trial.failed) {
            fil_check_near(check, what, result.decay / omega, kind == 2 ? 2.0 * ratio : ratio, 0.02);
        }
        fil_trial_end(&trial);
    }
}

/* ---- torsion ---- */

/* clamped-free: omega = pi/(2 L) sqrt(GJ/(rho Ip)), the angle a quarter sine wave; required within 1 % */
void fil_check_torsion_frequency(FilCheck* check)
{
    FilTrialDef def = midpoint_trial();
    FilStiffness stiffness = {0};
    FilError error;
    if (fil_section_stiffness(&def.rod.section, &stiffness, &error) != FIL_OK) {
        fil_check_fail(check, "section: %s", error.text);
        return;
    }
    double expected = 0.5 * M_PI * sqrt(stiffness.gj / stiffness.inertia_per_length);
    def.world.dt = 2.0 * M_PI / expected / STEPS_PER_PERIOD;
    FilTrial trial = fil_trial_begin(check, &def);
    fil_trial_attach(&trial, FIL_ATTACH_CLAMP, 0);
    double angles[EDGES], shape[EDGES];
    for (int i = 0; i < EDGES; ++i) {
        shape[i] = sin(0.5 * M_PI * (i + 0.5) / EDGES);
        angles[i] = 1e-3 * shape[i];
    }
    if (!trial.failed) {
        fil_trial_expect(&trial, fil_rod_set_state(trial.world, trial.rod, NULL, NULL, angles, NULL), "twisting");
    }
    Crossings crossings = {0};
    for (int step = 0; step <= 5 * STEPS_PER_PERIOD && !trial.failed; ++step) {
        if (step > 0) {
            fil_trial_run(&trial, 1);
        }
        fil_rod_get_angles(trial.world, trial.rod, angles);
        double projection = 0.0;
        for (int i = 0; i < EDGES; ++i) {
            projection += shape[i] * angles[i];
        }
        sample(&crossings, fil_world_time(trial.world), projection);
    }
    if (!trial.failed) {
        fil_check_near(check, "torsion frequency 1 (rad/s)", ringing(&crossings).frequency, expected, 0.01);
    }
    fil_trial_end(&trial);
}
