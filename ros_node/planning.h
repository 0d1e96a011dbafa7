/* Planning through contact beside a running simulation: ~/plan begins to seek what the scene's section `plan` asks for, from the
 * state of that moment, in a thread of its own; plan_progress tells how far it is, plan_trajectory what was found;
 * ~/cancel_plan ends it early and keeps its best point; ~/follow_plan replays the last plan with feedback. The simulation's
 * clock does not stop for any of these. */
#ifndef FILUM_NODE_PLANNING_H
#define FILUM_NODE_PLANNING_H

#include "filum/msg/plan_progress.h"
#include "filum/msg/plan_trajectory.h"
#include "rcl/rcl.h"
#include "rclc/executor.h"
#include "std_srvs/srv/trigger.h"
#include "tap.h"
#include "view/simulation.h"

/* plan, cancel_plan, follow_plan. */
enum { FIL_PLANNING_SERVICES = 3 };

/* One of the three services. */
typedef struct FilPlanningService {
    rcl_service_t service;
    std_srvs__srv__Trigger_Request request;
    std_srvs__srv__Trigger_Response response;
} FilPlanningService;

typedef struct FilPlanning {
    const char* logger;
    FilSimulation* simulation;
    const FilTap* tap;
    FilPlanningService services[FIL_PLANNING_SERVICES];
    rcl_publisher_t progress_publisher, trajectory_publisher;
    filum__msg__PlanProgress progress;
    filum__msg__PlanTrajectory trajectory;
    FilPlanTask* task;       /* NULL: none is sought */
    double next_progress;    /* wall time, s */
    FilPlanDef def;          /* of the task, and of the plan found */
    uint64_t load_count;     /* the world that it was for */
    FilPlan* plan;           /* the last one found; NULL: none */
    FilPlanTracker* tracker; /* NULL: nothing is followed */
    double begin, last_time; /* of what is followed: the world's time at its beginning, and at the last step */
} FilPlanning;

/* Failures are logged. */
bool fil_planning_init(FilPlanning* planning, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation, const FilTap* tap);
void fil_planning_fini(FilPlanning* planning, rcl_node_t* node);

/* Tells how far the plan is, and takes it when it is found. To be called once per turn of the main loop. */
void fil_planning_update(FilPlanning* planning, double now);

/* Before each step: pressures and efforts of the plan that is followed. */
void fil_planning_follow(FilPlanning* planning);

#endif
