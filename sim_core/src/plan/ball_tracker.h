/* Feedback on an arm that turns a ball, in a world. */
#ifndef FILUM_PLAN_BALL_TRACKER_H
#define FILUM_PLAN_BALL_TRACKER_H

#include "plan/plan_data.h"

/* Rows of the transcription: what the contact did since the last command, and the efforts of the next. */
void fil_ball_tracker_listen(FilPlanTracker* tracker, const FilWorld* world);
FilStatus fil_ball_tracker_command(FilPlanTracker* tracker, FilWorld* world, double time);

/* The arm's and the ball's state, without forces. */
void fil_ball_tracker_observe(const FilPlan* plan, const FilWorld* world, FilReference* now);

#endif
