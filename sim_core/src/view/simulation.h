/* A simulation that runs beside a clock on the wall, as the node and `filum view` have it: one world, its pace, and whether it runs. */
#ifndef FILUM_VIEW_SIMULATION_H
#define FILUM_VIEW_SIMULATION_H

#include "filum/filum.h"

typedef struct FilSimulation {
    FilWorld* world; /* NULL until one is loaded */
    FilSceneInfo scene;
    char scene_path[512];
    FilStepInfo last_step; /* zero before the first step */
    FilStatus last_status; /* of the last step */
    bool failed;           /* paused since a step failed; ends with a reset, a load, or whatever changes the world by hand */
    char failure[512];     /* what failed and when, in simulated time; empty: nothing has */
    double failed_at;      /* wall time of that step */
    uint64_t load_count;   /* worlds loaded so far: what is sized by the world is sized anew when it changes */
    bool paused;
    bool stopped;          /* paused in the initial state, since a stop or a load by service */
    uint64_t steps_wanted; /* to be made while paused */
    bool held;             /* paused, and nobody who asks makes it go on or step: its lifecycle does */

    bool (*stop)(void* context); /* ends steps; see fil_world_set_stop() */
    void* stop_context;
    double step_limit; /* s of wall time that a step may take; 0: any */

    double real_time_factor; /* simulated seconds per second; 0: as fast as it can */
    double real_time_rate;   /* measured, smoothed over about half a second of wall time */
    uint64_t missed_deadlines;

    double next_deadline;        /* wall time at which the next step is due; negative: from now on */
    double rate_wall, rate_time; /* where the rate's current interval began: wall time, simulated time */
} FilSimulation;

void fil_simulation_init(FilSimulation* simulation);
void fil_simulation_fini(FilSimulation* simulation);

/* Replaces the world by a scene, by path or by name. On failure the old world stays. Time step and contact model are
 * the scene's where `options` does not say otherwise. */
FIL_MUST_CHECK FilStatus fil_simulation_load(FilSimulation* simulation, const char* scene, const FilSceneOptions* options, FilError* error);

/* The same from text; `name` stands for the file. */
FIL_MUST_CHECK FilStatus fil_simulation_load_text(FilSimulation* simulation, const char* name, const char* text, size_t size,
                                                  const FilSceneOptions* options, FilError* error);

/* The same with a world that is there already; it belongs to the simulation from now on. */
void fil_simulation_adopt(FilSimulation* simulation, FilWorld* world, const FilSceneInfo* info, const char* path);

/* Back to no world. */
void fil_simulation_unload(FilSimulation* simulation);

/* What may end a step, of this world and of those to come; `limit` in s of wall time, 0: none. */
void fil_simulation_watch(FilSimulation* simulation, bool (*stop)(void* context), void* context, double limit);

/* One that has failed, or is held, does not run on: false. */
bool fil_simulation_set_paused(FilSimulation* simulation, bool paused);

/* Simulated seconds per second, from now on; 0: as fast as it can. */
void fil_simulation_set_pace(FilSimulation* simulation, double real_time_factor);

/* What made the last step fail may be gone: a failed simulation is one that was paused. */
void fil_simulation_forgive(FilSimulation* simulation);

/* "no world", "failed: ...", "inactive", "paused", "running" */
const char* fil_simulation_word(const FilSimulation* simulation);

/* Why no single steps can be asked for now; NULL: they can. */
const char* fil_simulation_step_refusal(const FilSimulation* simulation);

/* Seconds from `now` (wall time) until a step is due: 0 when it is, infinity when none is wanted. */
double fil_simulation_wait(const FilSimulation* simulation, double now);

/* Wall time between steps, s; infinity when none is paced. */
double fil_simulation_period(const FilSimulation* simulation);

/* Makes one step. `now` is the wall time. When the step fails, the state stays and the simulation pauses. */
FIL_MUST_CHECK FilStatus fil_simulation_step(FilSimulation* simulation, double now);

/* Pauses in the initial state. */
FIL_MUST_CHECK FilStatus fil_simulation_stop(FilSimulation* simulation);

/* Back to the initial state, exactly. */
FIL_MUST_CHECK FilStatus fil_simulation_reset(FilSimulation* simulation);

#endif
