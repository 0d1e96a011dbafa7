/* Rings on rods (P4 sections 3.1 and 3.2), and their energy. */
#include <math.h>
#include <stdio.h>

#include "cli.h"
#include "validate/rings.h"

FilWorld* fil_rings_load(FilCheck* check, const char* name, const char* const (*settings)[2], int count, double dt)
{
    char path[4096];
    FilError error;
    FilSetting given[8];
    FilWorld* world = NULL;
    for (int k = 0; k < count; k++) {
        given[k] = (FilSetting){settings[k][0], settings[k][1]};
    }
    const FilSceneOptions options = {.settings = given, .setting_count = count, .dt = dt};
    if (!fil_scene_find(name, path, sizeof path, &error) || fil_scene_load(path, &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return NULL;
    }
    return world;
}

/* s(t) of the inclined bar against P4 eq. 13, from 0.3 s on. */
void fil_check_ring_bar(FilCheck* check)
{
    static const char* const frictions[] = {"0", "0.1", "0.3"};
    const double angle = M_PI / 6.0;
    for (int k = 0; k < 3; k++) {
        FilWorld* world = fil_rings_load(check, "ring_bar", (const char* const[][2]){{"mu", frictions[k]}}, 1, 0.0);
        double worst = 0.0, mu = 0.0;
        sscanf(frictions[k], "%lf", &mu);
        for (double t = 0.3; world != NULL && t < 0.61 && fil_check_run(check, world, t); t += 0.05) {
            const double travel = fil_ring_travel(world, fil_world_find_ring(world, "ring")) - 0.1;
            const double expected = 0.5 * 10.0 * t * t * (sin(angle) - mu * cos(angle));
            worst = fmax(worst, fabs(travel / expected - 1.0));
        }
        char what[96];
        snprintf(what, sizeof what, "largest error of s(t) from 0.3 s on, mu = %s", frictions[k]);
        if (world != NULL) {
            fil_check_below(check, what, worst, 0.01);  // the issue's own bound
        }
        fil_world_destroy(world);
    }
    FilWorld* world = fil_rings_load(check, "ring_bar", (const char* const[][2]){{"mu", "0.7"}}, 1, 0.0);
    if (world != NULL && fil_check_run(check, world, 0.6)) {
        // creeps by at most the slip speed, 1e-6 m/s, after the step in which friction sets in
        fil_check_below(check, "travel of a ring with mu = 0.7 > tan(theta) in 0.6 s, m",
                        fabs(fil_ring_travel(world, fil_world_find_ring(world, "ring")) - 0.1), 1e-5);
    }
    fil_world_destroy(world);
}

/* When ring k passes the bottom, x = pi r. */
static double time_to_bottom(FilCheck* check, FilWorld* world, double* times)
{
    double last[5], worst = 0.0;
    int done = 0;
    for (int k = 0; k < 5; k++) {
        last[k] = fil_ring_position(world, fil_world_ring_at(world, k)).x;
        times[k] = 0.0;
    }
    while (done < 5 && fil_world_time(world) < 0.5) {
        const double t = fil_world_time(world);
        if (!fil_check_run(check, world, t + fil_world_dt(world))) {
            return INFINITY;
        }
        for (int k = 0; k < 5; k++) {
            const double x = fil_ring_position(world, fil_world_ring_at(world, k)).x, bottom = 0.1 * M_PI;
            if (times[k] == 0.0 && x >= bottom) {
                times[k] = t + fil_world_dt(world) * (bottom - last[k]) / (x - last[k]);
                worst = fmax(worst, fabs(times[k] / (M_PI * sqrt(0.1 / 10.0)) - 1.0));
                done++;
            }
            last[k] = x;
        }
    }
    return done == 5 ? worst : INFINITY;
}

void fil_check_ring_tautochrone(FilCheck* check)
{
    double times[5];
    FilWorld* world = fil_rings_load(check, "ring_tautochrone", NULL, 0, 0.0);
    if (world != NULL) {
        // the issue's own bound, with a tight barrier
        fil_check_below(check, "largest error of five times to the bottom, range 1 mm, K = 100", time_to_bottom(check, world, times), 0.01);
    }
    fil_world_destroy(world);
    world = fil_rings_load(check, "ring_tautochrone", (const char* const[][2]){{"range", "0.01"}, {"stiffness", "1"}}, 2, 0.0);
    if (world != NULL) {
        fil_check_note(check, "the same with the barrier of P4's Table 1", time_to_bottom(check, world, times));
    }
    fil_world_destroy(world);
}

void fil_rings_watch_energy(FilCheck* check, FilWorld* world, double t)
{
    double last = NAN, growth = 0.0;
    while (world != NULL && fil_world_time(world) < t && fil_check_run(check, world, fil_world_time(world) + fil_world_dt(world))) {
        const FilEnergy e = fil_world_energy(world);
        const double total = e.kinetic + e.elastic + e.gravity + fil_ring_energy_stored(world, fil_world_find_ring(world, "ring"));
        growth = isnan(last) ? 0.0 : fmax(growth, total - last);
        last = total;
    }
    if (world != NULL) {
        fil_check_below(check, "largest growth of the energy in a step, J", growth, 1e-6);
    }
    fil_world_destroy(world);
}

void fil_check_ring_energy(FilCheck* check)
{
    fil_rings_watch_energy(check, fil_rings_load(check, "ring_catenary", NULL, 0, 0.0), 1.0);
}
