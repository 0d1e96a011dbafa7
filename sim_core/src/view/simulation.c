#include "view/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* a simulation that lags more than this does not try to catch up: it starts a new schedule */
#define MAX_LAG 0.1       /* s */
#define RATE_INTERVAL 0.5 /* s of wall time between measurements of the rate */

void fil_simulation_init(FilSimulation* simulation)
{
    *simulation = (FilSimulation){.real_time_factor = 1.0, .next_deadline = -1.0, .rate_wall = -1.0};
}

void fil_simulation_fini(FilSimulation* simulation)
{
    fil_world_destroy(simulation->world);
    fil_simulation_init(simulation);
}

/* forgets the schedule: the next step is due at once, and the rate is measured anew */
static void restart_schedule(FilSimulation* simulation)
{
    simulation->next_deadline = -1.0;
    simulation->rate_wall = -1.0;
}

void fil_simulation_watch(FilSimulation* simulation, bool (*stop)(void* context), void* context, double limit)
{
    simulation->stop = stop;
    simulation->stop_context = context;
    simulation->step_limit = limit > 0.0 ? limit : 0.0;
    if (simulation->world != NULL) {
        fil_world_set_stop(simulation->world, stop, context);
        const FilStatus status = fil_world_set_time_limit(simulation->world, simulation->step_limit);
        (void)status;  // a limit that is not negative is taken
    }
}

static void replace_world(FilSimulation* simulation, FilWorld* world)
{
    fil_world_destroy(simulation->world);
    simulation->world = world;
    fil_simulation_watch(simulation, simulation->stop, simulation->stop_context, simulation->step_limit);
    simulation->last_step = (FilStepInfo){0};
    simulation->last_status = FIL_OK;
    fil_simulation_forgive(simulation);
    simulation->steps_wanted = 0;
    simulation->load_count++;
    restart_schedule(simulation);
}

void fil_simulation_adopt(FilSimulation* simulation, FilWorld* world, const FilSceneInfo* info, const char* path)
{
    replace_world(simulation, world);
    simulation->scene = *info;
    snprintf(simulation->scene_path, sizeof simulation->scene_path, "%s", path);
}

void fil_simulation_unload(FilSimulation* simulation)
{
    replace_world(simulation, NULL);
    simulation->scene = (FilSceneInfo){0};
    simulation->scene_path[0] = '\0';
}
FilStatus fil_simulation_load(FilSimulation* simulation, const char* scene, const FilSceneOptions* options, FilError* error)
{
    char path[sizeof simulation->scene_path];
    FilWorld* world = NULL;
    FilSceneInfo info;
    if (!fil_scene_find(scene, path, sizeof path, error)) {
        return FIL_BAD_INPUT;
    }
    const FilStatus status = fil_scene_load(path, options, &world, &info, error);
    if (status == FIL_OK) {
        fil_simulation_adopt(simulation, world, &info, path);
    }
    return status;
}

FilStatus fil_simulation_load_text(FilSimulation* simulation, const char* name, const char* text, size_t size, const FilSceneOptions* options,
                                   FilError* error)
{
    FilWorld* world = NULL;
    FilSceneInfo info;
    const FilStatus status = fil_scene_load_text(name, text, size, options, &world, &info, error);
    if (status == FIL_OK) {
        fil_simulation_adopt(simulation, world, &info, name);
    }
    return status;
}

void fil_simulation_forgive(FilSimulation* simulation)
{
    simulation->failed = false;
    simulation->failure[0] = '\0';
}

const char* fil_simulation_word(const FilSimulation* simulation)
{
    return simulation->world == NULL ? "no world"
           : simulation->failed      ? simulation->failure
           : simulation->held        ? "inactive"
           : simulation->paused      ? "paused"
                                     : "running";
}

const char* fil_simulation_step_refusal(const FilSimulation* simulation)
{
    return simulation->world == NULL ? "there is no world"
           : simulation->held        ? "the node is inactive"
           : !simulation->paused     ? "the simulation is not paused"
                                     : NULL;
}

bool fil_simulation_set_paused(FilSimulation* simulation, bool paused)
{
    if ((simulation->failed || simulation->held) && !paused) {
        return false;
    }
    simulation->stopped = simulation->stopped && paused;
    simulation->steps_wanted = 0;  // to pause a simulation that makes single steps ends these
    if (simulation->paused != paused) {
        simulation->paused = paused;
        restart_schedule(simulation);
    }
    return true;
}

void fil_simulation_set_pace(FilSimulation* simulation, double real_time_factor)
{
    simulation->real_time_factor = real_time_factor;
    simulation->next_deadline = -1.0;  // a new schedule
}

double fil_simulation_period(const FilSimulation* simulation)
{
    const bool paced = simulation->world != NULL && !simulation->paused && simulation->real_time_factor > 0.0;
    return paced ? fil_world_dt(simulation->world) / simulation->real_time_factor : INFINITY;
}

double fil_simulation_wait(const FilSimulation* simulation, double now)
{
    if (simulation->world == NULL || (simulation->paused && simulation->steps_wanted == 0)) {
        return INFINITY;
    }
    const bool paced = !simulation->paused && simulation->real_time_factor > 0.0 && simulation->next_deadline >= 0.0;
    return paced ? fmax(0.0, simulation->next_deadline - now) : 0.0;
}

/* the deadline of the step after this one, and whether this one kept its own */
static void advance_schedule(FilSimulation* simulation, double now)
{
    const double period = fil_simulation_period(simulation);
    if (simulation->next_deadline < 0.0) {
        simulation->next_deadline = now;
    }
    simulation->next_deadline += period;
    if (now > simulation->next_deadline) {
        simulation->missed_deadlines++;
    }
    if (now > simulation->next_deadline + MAX_LAG) {
        simulation->next_deadline = now;
    }
}

static void measure_rate(FilSimulation* simulation, double now)
{
    const double time = fil_world_time(simulation->world);
    if (simulation->rate_wall >= 0.0 && now < simulation->rate_wall + RATE_INTERVAL) {
        return;
    }
    if (simulation->rate_wall >= 0.0) {
        simulation->real_time_rate = (time - simulation->rate_time) / (now - simulation->rate_wall);
    }
    simulation->rate_wall = now;
    simulation->rate_time = time;
}

FilStatus fil_simulation_step(FilSimulation* simulation, double now)
{
    const FilStatus status = fil_world_step(simulation->world, &simulation->last_step);
    simulation->last_status = status;
    simulation->stopped = false;
    if (status != FIL_OK) {
        fil_simulation_set_paused(simulation, true);
        simulation->steps_wanted = 0;
        simulation->failed = true;
        simulation->failed_at = now;
        snprintf(simulation->failure, sizeof simulation->failure, "failed at %.9g s: %s", fil_world_time(simulation->world),
                 fil_world_error(simulation->world));
        return status;
    }
    fil_simulation_forgive(simulation);
    if (simulation->paused) {
        simulation->steps_wanted--;
        return FIL_OK;
    }
    measure_rate(simulation, now);
    if (simulation->real_time_factor > 0.0) {
        advance_schedule(simulation, now);
    }
    return FIL_OK;
}

FilStatus fil_simulation_reset(FilSimulation* simulation)
{
    simulation->steps_wanted = 0;
    simulation->last_step = (FilStepInfo){0};
    fil_simulation_forgive(simulation);
    restart_schedule(simulation);
    return fil_world_reset(simulation->world);
}

FilStatus fil_simulation_stop(FilSimulation* simulation)
{
    const FilStatus status = fil_simulation_reset(simulation);
    fil_simulation_set_paused(simulation, true);
    simulation->stopped = status == FIL_OK;
    return status;
}
