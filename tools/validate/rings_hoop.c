/* A ring that is a rigid body: a thin hoop on a bar (beyond P4). R is its radius, r the bar's, k its radius of
 * gyration. */
#include <math.h>
#include <stdio.h>

#include "validate/rings.h"

static const double GRAVITY = 10.0, RADIUS = 0.1, BAR = 0.005, SLOPE = 0.5235987755982988; /* the scene's, and 30 degrees */

static FilWorld* hoop(FilCheck* check, double mu, double slope, double lean, double swing, double spin)
{
    const double values[5] = {mu, slope, lean, swing, spin};
    char text[5][32];
    const char* const settings[5][2] = {{"mu", text[0]}, {"slope", text[1]}, {"lean", text[2]}, {"swing", text[3]}, {"spin", text[4]}};
    for (int k = 0; k < 5; k++) {
        snprintf(text[k], sizeof text[k], "%.17g", values[k]);
    }
    return fil_rings_load(check, "ring_hoop", settings, 5, 0.0);
}

/* Hangs at rest, its centre R - r below the bar, bearing its weight. */
void fil_check_hoop_hangs(FilCheck* check)
{
    FilWorld* world = hoop(check, 0.3, 0.0, 0.0, 0.0, 0.0);
    if (world != NULL && fil_check_run(check, world, 1.0)) {
        const FilId ring = fil_world_find_ring(world, "ring");
        const FilVec3 x = fil_ring_position(world, ring), v = fil_ring_velocity(world, ring);
        // the barrier holds the rim a range, 0.1 mm, away at most; the bar bends by a thousandth of that
        fil_check_near(check, "depth of the centre below the bar, m", -x.z, RADIUS - BAR, 0.0011);
        fil_check_near(check, "force between bar and rim, N", fil_ring_force(world, ring), 0.1 * GRAVITY, 1e-3);
        fil_check_below(check, "speed after 1 s, m/s", sqrt(v.x * v.x + v.y * v.y + v.z * v.z), 1e-4);
    }
    fil_world_destroy(world);
}

/* Angular frequency of a hoop that swings through its lowest place: across the bar, or along it; 1 s of it. */
static double frequency(FilCheck* check, double mu, bool across)
{
    enum { MAX_COUNT = 64 };
    FilWorld* world = hoop(check, mu, 0.0, across ? 0.0 : 0.05, across ? 0.05 : 0.0, 0.0);
    double last = 0.0, times[MAX_COUNT];
    int count = 0;
    while (world != NULL && fil_world_time(world) < 2.0 && count < MAX_COUNT) {
        if (!fil_check_run(check, world, fil_world_time(world) + fil_world_dt(world))) {
            break;
        }
        FilVec3 position;
        FilQuat turn;
        const FilId body = fil_world_find_rigid(world, "hoop");
        fil_rigid_get_pose(world, body, &position, &turn);
        const double now = across ? position.y : turn.y;
        if (last * now < 0.0) {
            times[count++] = fil_world_time(world) - fil_world_dt(world) * now / (now - last);
        }
        last = now;
    }
    fil_world_destroy(world);
    return count > 2 ? M_PI * (count - 1) / (times[count - 1] - times[0]) : NAN;
}

void fil_check_hoop_swings(FilCheck* check)
{
    const double way = RADIUS - BAR, across = RADIUS * RADIUS, along = 0.5 * RADIUS * RADIUS;  // k^2
    // swings of 0.05 rad are slower than small ones by 1.6e-4 or so, the step (1 ms) makes as little; the gap of a
    // tenth of a millimetre is 1e-3 of R
    const double near = 0.003;
    // without friction nothing turns it: a pendulum of length R - r
    fil_check_near(check, "swing across a smooth bar, rad/s", frequency(check, 0.0, true), sqrt(GRAVITY / way), near);
    // rolling: its centre moves R times its turn, on a circle of radius R - r
    fil_check_near(check, "swing across a rough bar, rolling, rad/s", frequency(check, 1.0, true),
                   sqrt(GRAVITY / (way * (1.0 + across / (RADIUS * RADIUS)))), near);
    // without friction the centre only rises and sinks
    fil_check_near(check, "swing along a smooth bar, rad/s", frequency(check, 0.0, false), sqrt(GRAVITY * RADIUS / along), near);
    // about the point of the rim that sticks
    fil_check_near(check, "swing along a rough bar, rad/s", frequency(check, 1.0, false), sqrt(GRAVITY * RADIUS / (RADIUS * RADIUS + along)), near);
}

/* Down a slope like a point (P4 eq. 13), when it starts with the lean that friction asks for; sticks if mu >
 * tan(slope). */
void fil_check_hoop_slides(FilCheck* check)
{
    static const double frictions[] = {0.0, 0.1, 0.3};
    for (int k = 0; k < 3; k++) {
        const double mu = frictions[k];
        FilWorld* world = hoop(check, mu, SLOPE, atan(mu), 0.0, 0.0);
        double worst = 0.0;
        for (double t = 0.3; world != NULL && t < 0.61 && fil_check_run(check, world, t); t += 0.05) {
            const double travel = fil_ring_travel(world, fil_world_find_ring(world, "ring")) - 0.3;
            worst = fmax(worst, fabs(travel / (0.5 * GRAVITY * t * t * (sin(SLOPE) - mu * cos(SLOPE))) - 1.0));
        }
        char what[96];
        snprintf(what, sizeof what, "largest error of s(t) from 0.3 s on, mu = %g", mu);
        if (world != NULL) {
            fil_check_below(check, what, worst, 0.01);  // as for a point; backward Euler's own is dt / t = 0.0033
        }
        fil_world_destroy(world);
    }
    FilWorld* world = hoop(check, 0.7, SLOPE, SLOPE, 0.0, 0.0);
    if (world != NULL && fil_check_run(check, world, 0.6)) {
        // friction, lagged, misses the first step: g dt^2 sin(slope) = 5e-6 m; then it creeps below the slip speed,
        // 1e-6 m/s
        fil_check_below(check, "travel of a hoop with mu = 0.7 > tan(slope) in 0.6 s, m",
                        fabs(fil_ring_travel(world, fil_world_find_ring(world, "ring")) - 0.3), 2e-5);
    }
    fil_world_destroy(world);
}

/* Spinning about a fixed bar, friction holds its centre aside at atan(mu) and slows the spin by mu m g R / sqrt(1 +
 * mu^2). */
void fil_check_hoop_spins(FilCheck* check)
{
    const double mu = 0.2, spin = 40.0, time = 0.5;
    FilWorld* world = hoop(check, mu, 0.0, 0.0, atan(mu), spin);
    if (world != NULL && fil_check_run(check, world, time)) {
        FilVec3 velocity, turning;
        const FilId body = fil_world_find_rigid(world, "hoop");
        fil_rigid_get_velocity(world, body, &velocity, &turning);
        const FilVec3 x = fil_ring_position(world, fil_world_find_ring(world, "ring"));
        // the gap (1e-3 of R) makes the lever longer than the way to the centre
        fil_check_near(check, "spin lost in 0.5 s, rad/s", spin - turning.x, time * mu * GRAVITY / (RADIUS * sqrt(1.0 + mu * mu)), 0.01);
        fil_check_near(check, "how far aside its centre is held, of its depth", -x.y / x.z, mu, 0.02);
    }
    fil_world_destroy(world);
}

/* Energy of a hoop that swings, leans, spins and slides on a smooth slope, its barrier included. */
void fil_check_hoop_energy(FilCheck* check)
{
    fil_rings_watch_energy(check, hoop(check, 0.0, 0.2, 0.2, 0.2, 20.0), 0.7);
}
