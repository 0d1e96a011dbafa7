/* What time stepping keeps (energy, momentum) and how fast it converges. */
#include <math.h>
#include <stdio.h>

#include "validate/rod.h"
#include "validate/trial.h"

static double norm(FilVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static double distance(FilVec3 a, FilVec3 b)
{
    return norm((FilVec3){a.x - b.x, a.y - b.y, a.z - b.z});
}

/* an arc of unit length in the x-z plane that turns by `angle`, lifted out of the plane into a helix of slope 0.2 */
static void bend(int edges, double angle, double* nodes)
{
    for (int i = 0; i <= edges; ++i) {
        double a = angle * i / edges;
        nodes[3 * i] = 0.98 * sin(a) / angle;
        nodes[3 * i + 1] = 0.2 * i / edges;
        nodes[3 * i + 2] = 0.98 * (1.0 - cos(a)) / angle;
    }
}

/* a bent rod let go: midpoint keeps the total energy within 0.1 % over 1,000 steps at dt 2 sqrt(E/rho)/l = 2 */
void fil_check_midpoint_energy(FilCheck* check)
{
    enum { EDGES = 30 };
    double nodes[3 * (EDGES + 1)];
    bend(EDGES, 2.0, nodes);
    FilTrialDef def = fil_trial_def(EDGES, 1.0);
    def.rod.nodes = nodes;
    def.rod.section = fil_trial_round_section(1.0, 1.0, 0.02);
    def.world.integrator = FIL_MIDPOINT;
    def.world.newton_tolerance = 1e-10;
    def.world.dt = 1.0 / EDGES * sqrt(def.rod.section.density / def.rod.section.young);
    FilTrial trial = fil_trial_begin(check, &def);
    if (trial.failed) {
        fil_trial_end(&trial);
        return;
    }
    FilEnergy start = fil_world_energy(trial.world);
    double worst = 0.0, kinetic = 0.0;
    for (int i = 0; i < 1000 && !trial.failed; ++i) {
        fil_trial_run(&trial, 1);
        FilEnergy now = fil_world_energy(trial.world);
        worst = fmax(worst, fabs(now.kinetic + now.elastic - start.elastic) / start.elastic);
        kinetic = fmax(kinetic, now.kinetic / start.elastic);
    }
    if (!trial.failed) {
        fil_check_below(check, "energy drift, relative", worst, 1e-3);
        /* it must have moved: a tenth of the energy became motion */
        fil_check_above(check, "largest kinetic energy, share", kinetic, 0.1);
    }
    fil_trial_end(&trial);
}

/* tip of a thick cantilever that swings far out, after half a time unit in `steps` steps. It starts with a smooth
 * velocity so that slow modes carry the motion: those that backward Euler damps at once would hide its order. */
static FilVec3 swinging_tip(FilCheck* check, FilIntegrator integrator, int steps, bool* good)
{
    enum { EDGES = 8 };
    double velocities[3 * (EDGES + 1)] = {0};
    for (int i = 0; i <= EDGES; ++i) {
        velocities[3 * i + 2] = 3.0 * i * i / (EDGES * EDGES);
    }
    FilTrialDef def = fil_trial_def(EDGES, 1.0);
    def.rod.velocities = velocities;
    def.world.integrator = integrator;
    def.world.newton_tolerance = 1e-11;
    def.world.dt = 0.5 / steps;
    def.rod.section = fil_trial_round_section(1.0, 1.0, 0.1);
    FilTrial trial = fil_trial_begin(check, &def);
    fil_trial_attach(&trial, FIL_ATTACH_CLAMP, 0);
    fil_trial_run(&trial, steps);
    FilVec3 tip = fil_trial_node(&trial, -1);
    if (trial.failed) {
        *good = false;
    }
    fil_trial_end(&trial);
    return tip;
}

/* backward Euler is of first order in dt, midpoint and SDIRK2 of second; 0.2 is the room left for the next term. The coarsest step
 * resolves the fastest axial mode, of 400 rad/s, by half a radian. */
void fil_check_time_order(FilCheck* check)
{
    enum { COARSEST = 400 };
    bool good = true;
    FilVec3 exact = swinging_tip(check, FIL_MIDPOINT, 25600, &good);
    static const FilIntegrator integrators[3] = {FIL_BACKWARD_EULER, FIL_MIDPOINT, FIL_SDIRK2};
    static const char* const names[3] = {"backward Euler", "midpoint", "SDIRK2"};
    static const double orders[3] = {1.0, 2.0, 2.0};
    for (int i = 0; i < 3 && good; ++i) {
        double error[3];
        for (int k = 0; k < 3; ++k) {
            error[k] = distance(swinging_tip(check, integrators[i], COARSEST << k, &good), exact);
        }
        for (int k = 0; k < 2 && good; ++k) {
            char what[64];
            snprintf(what, sizeof what, "order of %s, dt T/%d to T/%d", names[i], COARSEST << k, 2 * COARSEST << k);
            fil_check_near(check, what, log2(error[k] / error[k + 1]), orders[i], 0.2 / orders[i]);
        }
    }
    /* symplectic Euler's velocities lag by half a step, so its places are off by less than what the tip, which starts
     * with 3 m/s, moves in that time; from an unstressed start they are even of second order */
    FilVec3 explicit = swinging_tip(check, FIL_SYMPLECTIC_EULER, 4 * COARSEST, &good);
    if (good) {
        double half_step = 0.5 * 0.5 / (4 * COARSEST) * 3.0;
        fil_check_below(check, "symplectic Euler's tip from the exact one (m)", distance(explicit, exact), half_step);
    }
}

/* a bent rod thrown with a turn, its edges spinning: linear momentum to 1e-10, angular momentum to 1e-6 */
void fil_check_free_flight(FilCheck* check)
{
    enum { EDGES = 20 };
    double nodes[3 * (EDGES + 1)], velocities[3 * (EDGES + 1)], spins[EDGES];
    bend(EDGES, 1.5, nodes);
    for (int i = 0; i <= EDGES; ++i) {
        /* v = v0 + w x x */
        static const double v0[3] = {0.5, -0.3, 1.0}, w[3] = {2.0, 3.0, -1.5};
        for (int k = 0; k < 3; ++k) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            velocities[3 * i + k] = v0[k] + w[l] * nodes[3 * i + m] - w[m] * nodes[3 * i + l];
        }
        if (i < EDGES) {
            spins[i] = 40.0;
        }
    }
    FilTrialDef def = fil_trial_def(EDGES, 1.0);
    def.world.integrator = FIL_MIDPOINT;
    def.world.dt = 1e-3;
    def.world.newton_tolerance = 1e-10;
    def.rod.nodes = nodes;
    def.rod.velocities = velocities;
    def.rod.spins = spins;
    def.rod.gyroscopic = true;
    def.rod.section = fil_trial_round_section(1.0, 1.0, 0.02);
    FilTrial trial = fil_trial_begin(check, &def);
    if (trial.failed) {
        fil_trial_end(&trial);
        return;
    }
    FilVec3 linear = fil_world_momentum(trial.world), angular = fil_world_angular_momentum(trial.world);
    double linear_drift = 0.0, angular_drift = 0.0;
    for (int i = 0; i < 1000 && !trial.failed; ++i) {
        fil_trial_run(&trial, 1);
        linear_drift = fmax(linear_drift, distance(fil_world_momentum(trial.world), linear));
        angular_drift = fmax(angular_drift, distance(fil_world_angular_momentum(trial.world), angular));
    }
    if (!trial.failed) {
        /* the rod has unit mass, so p = v0 + w x centre; checks the measure itself */
        FilVec3 centre = {0.0, 0.0, 0.0};
        for (int i = 0; i <= EDGES; ++i) {
            double share = (i == 0 || i == EDGES ? 0.5 : 1.0) / EDGES;
            centre.x += share * velocities[3 * i];
            centre.y += share * velocities[3 * i + 1];
            centre.z += share * velocities[3 * i + 2];
        }
        /* 2 %: edges are rest lengths of a helix sampled by chords, so ends weigh a little less */
        fil_check_near(check, "linear momentum (kg m/s)", norm(linear), norm(centre), 0.02);
        fil_check_below(check, "drift of linear momentum, relative", linear_drift / norm(linear), 1e-10);
        fil_check_below(check, "drift of angular momentum, relative", angular_drift / norm(angular), 1e-6);
    }
    fil_trial_end(&trial);
}

/* a level rod that falls through a viscous medium (P2 eq. 23) reaches rho A g/eta, exactly for any integrator */
void fil_check_drag(FilCheck* check)
{
    const double eta = 2.0;
    FilTrialDef def = fil_trial_def(10, 1.0);
    def.world.gravity.z = -9.81;
    def.world.dt = 0.01;
    def.world.newton_tolerance = 1e-10; /* of the momentum: leaves 1e-10/(dt eta/m) = 5e-9 of the velocity open */
    def.rod.drag = eta;
    def.rod.section = fil_trial_round_section(1.0, 1.0, 0.01);
    FilTrial trial = fil_trial_begin(check, &def);
    fil_trial_run(&trial, 1000);
    if (!trial.failed) {
        double velocities[33];
        fil_rod_get_velocities(trial.world, trial.rod, velocities);
        /* after 20 relaxation times exp(-20) = 2e-9 is left */
        fil_check_near(check, "terminal velocity at the middle (m/s)", velocities[3 * 5 + 2], -9.81 / eta, 1e-6);
        fil_check_near(check, "terminal velocity at the end (m/s)", velocities[2], -9.81 / eta, 1e-6);
    }
    fil_trial_end(&trial);
}
