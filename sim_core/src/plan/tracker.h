/* Following plans that replace each other. */
#ifndef FILUM_PLAN_TRACKER_H
#define FILUM_PLAN_TRACKER_H

#include "filum/plan.h"
#include "plan/tracking.h"

/* Follows another plan of the same arm from a time of the world (s) on; what is known of loads stays. */
void fil_tracker_switch(FilPlanTracker* tracker, const FilPlan* plan, double time);

/* The arm's and the ball's state, without forces. */
void fil_tracker_observe(const FilWorld* world, FilId arm, FilId body, FilReference* now);

#endif
