/* Following plans that replace each other. */
#ifndef FILUM_PLAN_TRACKER_H
#define FILUM_PLAN_TRACKER_H

#include "filum/plan.h"

/* Follows another plan of the same objects from a time of the world (s) on; what is known of loads stays. */
void fil_tracker_switch(FilPlanTracker* tracker, const FilPlan* plan, double time);

#endif
