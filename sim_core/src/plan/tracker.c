/* Following a plan in a world with feedback, whatever its task. */
#include "plan/tracker.h"

#include "base/memory.h"
#include "plan/plan_data.h"

FilPlanTracker* fil_plan_tracker_create(const FilPlan* plan, double period)
{
    FilPlanTracker* tracker = plan->steered ? fil_alloc(1, sizeof *tracker) : NULL;
    if (tracker != NULL) {
        tracker->plan = plan;
        tracker->period = period;
    }
    return tracker;
}

void fil_plan_tracker_destroy(FilPlanTracker* tracker)
{
    fil_free(tracker);
}

void fil_tracker_switch(FilPlanTracker* tracker, const FilPlan* plan, double time)
{
    tracker->plan = plan;
    tracker->begin = time;
}

FilStatus fil_plan_follow(FilPlanTracker* tracker, FilWorld* world)
{
    const FilTranscription* kind = tracker->plan->kind;
    const double time = fil_world_time(world);
    if (!tracker->started) {
        tracker->begin = tracker->next = time;
    } else if (kind->listen != NULL) {
        kind->listen(tracker, world);
    }
    // s: rounding of a sum of steps
    if (time >= tracker->next - 1e-9) {
        const FilStatus status = kind->command(tracker, world, time);
        if (status != FIL_OK) {
            return status;
        }
        tracker->started = true;
        tracker->next += tracker->period;
    }
    return fil_plan_channels_set(&tracker->plan->start->channels, world, tracker->commands);
}
