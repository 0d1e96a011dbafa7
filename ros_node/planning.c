#include "planning.h"

#include <string.h>

#include "arm_kind.h"
#include "frames.h"
#include "messages.h"
#include "rclc/publisher.h"
#include "rclc/service.h"
#include "rmw/qos_profiles.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "topic.h"

#define PROGRESS_PERIOD 0.1  /* s of wall time */
#define FEEDBACK_PERIOD 1e-3 /* s, as `filum plan --track` has it */

static const rosidl_message_type_support_t* type_of_progress(void)
{
    return ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, PlanProgress);
}

static const rosidl_message_type_support_t* type_of_trajectory(void)
{
    return ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, PlanTrajectory);
}

/* the trajectory stays for those who join later */
static const FilOutputTopic progress_topic = {"plan_progress", 10, false, "filum/msg/PlanProgress", type_of_progress};
static const FilOutputTopic trajectory_topic = {"plan_trajectory", 1, true, "filum/msg/PlanTrajectory", type_of_trajectory};

/* ---- services ---- */

static void answer(std_srvs__srv__Trigger_Response* response, bool success, const char* message)
{
    FIL_MESSAGE_RENEW(std_srvs__srv__Trigger_Response, response);
    response->success = success;
    rosidl_runtime_c__String__assign(&response->message, message);
}

static void begin_plan(const void* request, void* response, void* context)
{
    FilPlanning* planning = context;
    FilSimulation* simulation = planning->simulation;
    FilError error = {""};
    (void)request;
    if (simulation->world == NULL || !simulation->scene.has_plan) {
        answer(response, false, simulation->world == NULL ? "there is no world" : "the scene has no section `plan`");
        return;
    }
    if (planning->task != NULL) {
        answer(response, false, "a plan is being sought; ~/cancel_plan ends it");
        return;
    }
    planning->def = simulation->scene.plan;
    planning->load_count = simulation->load_count;
    planning->trajectory.header.stamp = fil_stamp_of(simulation->world);
    const FilStatus status = fil_plan_task_begin(simulation->world, &planning->def, &planning->task, &error);
    planning->next_progress = 0.0;
    answer(response, status == FIL_OK, status == FIL_OK ? "planning; plan_progress tells how far it is" : error.text);
}

static void cancel_plan(const void* request, void* response, void* context)
{
    FilPlanning* planning = context;
    (void)request;
    if (planning->task != NULL) {
        fil_plan_task_cancel(planning->task);
    }
    answer(response, planning->task != NULL, planning->task != NULL ? "cancelled; its best point is published" : "no plan is being sought");
}

static void follow_plan(const void* request, void* response, void* context)
{
    FilPlanning* planning = context;
    FilSimulation* simulation = planning->simulation;
    (void)request;
    if (planning->plan == NULL || simulation->world == NULL || planning->load_count != simulation->load_count) {
        answer(response, false, planning->plan == NULL ? "there is no plan; ~/plan seeks one" : "the plan is for another world");
        return;
    }
    fil_plan_tracker_destroy(planning->tracker);
    planning->tracker = fil_plan_tracker_create(planning->plan, FEEDBACK_PERIOD);
    planning->begin = planning->last_time = fil_world_time(simulation->world);
    answer(response, planning->tracker != NULL, planning->tracker != NULL ? "following from now on" : "out of memory");
}

/* ---- life ---- */

static const struct {
    const char* name;
    rclc_service_callback_with_context_t call;
} service_rows[FIL_PLANNING_SERVICES] = {{"~/plan", begin_plan}, {"~/cancel_plan", cancel_plan}, {"~/follow_plan", follow_plan}};

static bool make_publisher(FilPlanning* planning, rcl_node_t* node, const FilOutputTopic* topic, rcl_publisher_t* publisher)
{
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = topic->depth;
    qos.durability = topic->transient_local ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
    return fil_ros_ok(rclc_publisher_init(publisher, node, topic->type(), topic->name, &qos), planning->logger, topic->name);
}

bool fil_planning_init(FilPlanning* planning, rcl_node_t* node, rclc_executor_t* executor, FilSimulation* simulation, const FilTap* tap)
{
    memset(planning, 0, sizeof *planning);
    planning->logger = rcl_node_get_logger_name(node);
    planning->simulation = simulation;
    planning->tap = tap;
    planning->progress_publisher = rcl_get_zero_initialized_publisher();
    planning->trajectory_publisher = rcl_get_zero_initialized_publisher();
    bool ok = filum__msg__PlanProgress__init(&planning->progress) && filum__msg__PlanTrajectory__init(&planning->trajectory) &&
              fil_set_frame(&planning->progress.header) && fil_set_frame(&planning->trajectory.header);
    for (int i = 0; i < FIL_PLANNING_SERVICES; i++) {
        FilPlanningService* s = &planning->services[i];
        s->service = rcl_get_zero_initialized_service();
        ok = std_srvs__srv__Trigger_Request__init(&s->request) && std_srvs__srv__Trigger_Response__init(&s->response) && ok;
    }
    if (!ok) {
        RCUTILS_LOG_ERROR_NAMED(planning->logger, "out of memory");
        return false;
    }
    const rosidl_service_type_support_t* trigger = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger);
    ok = make_publisher(planning, node, &progress_topic, &planning->progress_publisher) &&
         make_publisher(planning, node, &trajectory_topic, &planning->trajectory_publisher);
    for (int i = 0; i < FIL_PLANNING_SERVICES && ok; i++) {
        FilPlanningService* s = &planning->services[i];
        const char* name = service_rows[i].name;
        ok = fil_ros_ok(rclc_service_init(&s->service, node, trigger, name, &rmw_qos_profile_services_default), planning->logger, name) &&
             fil_ros_ok(rclc_executor_add_service_with_context(executor, &s->service, &s->request, &s->response, service_rows[i].call, planning),
                        planning->logger, name);
    }
    return ok;
}

static void forget_plan(FilPlanning* planning)
{
    fil_plan_tracker_destroy(planning->tracker);
    fil_plan_destroy(planning->plan);
    planning->tracker = NULL;
    planning->plan = NULL;
}

void fil_planning_fini(FilPlanning* planning, rcl_node_t* node)
{
    if (planning->task != NULL) {
        FilError error;
        fil_plan_task_cancel(planning->task);
        (void)!fil_plan_task_end(planning->task, NULL, &error);
    }
    forget_plan(planning);
    for (int i = FIL_PLANNING_SERVICES; i-- > 0;) {
        FilPlanningService* s = &planning->services[i];
        fil_ros_ok(rcl_service_fini(&s->service, node), planning->logger, service_rows[i].name);
        std_srvs__srv__Trigger_Response__fini(&s->response);
        std_srvs__srv__Trigger_Request__fini(&s->request);
    }
    fil_ros_ok(rcl_publisher_fini(&planning->trajectory_publisher, node), planning->logger, trajectory_topic.name);
    fil_ros_ok(rcl_publisher_fini(&planning->progress_publisher, node), planning->logger, progress_topic.name);
    filum__msg__PlanTrajectory__fini(&planning->trajectory);
    filum__msg__PlanProgress__fini(&planning->progress);
}

/* ---- what is published ---- */

static void report_progress(FilPlanning* planning, const FilPlanReport* report, const char* state, const char* message)
{
    filum__msg__PlanProgress* p = &planning->progress;
    const FilWorld* world = planning->simulation->world;
    if (world != NULL) {
        p->header.stamp = fil_stamp_of(world);
    }
    p->start = report->seed;
    p->stages = report->stages;
    p->iteration = report->iteration;
    p->cost = report->cost;
    p->violation = report->violation;
    p->pairs = report->pairs;
    if (rosidl_runtime_c__String__assign(&p->state, state) && rosidl_runtime_c__String__assign(&p->message, message)) {
        fil_ros_ok(rcl_publish(&planning->progress_publisher, p, NULL), planning->logger, progress_topic.name);
        fil_tap_pass(planning->tap, &progress_topic, p);
    }
}

/* Room for a plan's channels and knots. */
static bool size_trajectory(filum__msg__PlanTrajectory* t, const FilPlan* plan)
{
    const size_t knots = (size_t)fil_plan_knot_count(plan);
    size_t chambers = 0, joints = 0;
    for (int c = 0; c < fil_plan_channel_count(plan); c++) {
        *(fil_plan_channel(plan, c).joint == NULL ? &chambers : &joints) += 1;
    }
    rosidl_runtime_c__double__Sequence* const numbers[] = {&t->times, &t->pressures, &t->positions, &t->velocities, &t->efforts};
    const size_t sizes[] = {knots, knots * chambers, knots * joints, knots * joints, knots * joints};
    bool ok = true;
    for (int k = 0; k < 5; k++) {
        rosidl_runtime_c__double__Sequence__fini(numbers[k]);
        ok = rosidl_runtime_c__double__Sequence__init(numbers[k], sizes[k]) && ok;
    }
    rosidl_runtime_c__String__Sequence__fini(&t->chambers);
    rosidl_runtime_c__String__Sequence__fini(&t->joints);
    ok = rosidl_runtime_c__String__Sequence__init(&t->chambers, chambers) && ok;
    return rosidl_runtime_c__String__Sequence__init(&t->joints, joints) && ok;
}

static bool fill_trajectory(filum__msg__PlanTrajectory* t, const FilPlan* plan)
{
    bool ok = size_trajectory(t, plan);
    for (int c = 0, chamber = 0, joint = 0; c < fil_plan_channel_count(plan) && ok; c++) {
        const FilPlanChannel channel = fil_plan_channel(plan, c);
        for (int k = 0; k < fil_plan_knot_count(plan); k++) {
            FilPlanCommand command;
            const size_t at = (size_t)k * t->chambers.size + (size_t)chamber, on = (size_t)k * t->joints.size + (size_t)joint;
            t->times.data[k] = fil_plan_knot(plan, k, c, &command);
            if (channel.joint == NULL) {
                t->pressures.data[at] = command.pressure;
            } else {
                t->positions.data[on] = command.position;
                t->velocities.data[on] = command.velocity;
                t->efforts.data[on] = command.effort;
            }
        }
        if (channel.joint == NULL) {
            char name[FIL_FRAME_NAME];
            fil_chamber_name(channel.object, channel.index, name);
            ok = rosidl_runtime_c__String__assign(&t->chambers.data[chamber++], name);
        } else {
            ok = rosidl_runtime_c__String__assign(&t->joints.data[joint++], channel.joint);
        }
    }
    return ok;
}

static void report_trajectory(FilPlanning* planning)
{
    filum__msg__PlanTrajectory* t = &planning->trajectory;
    const FilPlanInfo info = fil_plan_info(planning->plan);
    if (!fill_trajectory(t, planning->plan) || !rosidl_runtime_c__String__assign(&t->state, fil_plan_verdict_name(info.verdict))) {
        RCUTILS_LOG_ERROR_NAMED(planning->logger, "out of memory");
        return;
    }
    t->cost = info.cost;
    t->away = info.miss;
    t->missed = info.turn_miss;
    fil_ros_ok(rcl_publish(&planning->trajectory_publisher, t, NULL), planning->logger, trajectory_topic.name);
    fil_tap_pass(planning->tap, &trajectory_topic, t);
}

void fil_planning_update(FilPlanning* planning, double now)
{
    FilPlanReport report;
    if (planning->task == NULL) {
        return;
    }
    if (!fil_plan_task_poll(planning->task, &report)) {
        if (now >= planning->next_progress) {
            planning->next_progress = now + PROGRESS_PERIOD;
            report_progress(planning, &report, "planning", "");
        }
        return;
    }
    FilError error = {""};
    FilPlan* plan = NULL;
    const FilStatus status = fil_plan_task_end(planning->task, &plan, &error);
    planning->task = NULL;
    if (status != FIL_OK) {
        RCUTILS_LOG_WARN_NAMED(planning->logger, "%s", error.text);
        report_progress(planning, &report, "failed", error.text);
        return;
    }
    forget_plan(planning);
    planning->plan = plan;
    report_trajectory(planning);
    const FilPlanInfo info = fil_plan_info(plan);
    report_progress(planning, &report, fil_plan_verdict_name(info.verdict), info.reason);
}

/* ---- replay ---- */

void fil_planning_follow(FilPlanning* planning)
{
    FilWorld* world = planning->simulation->world;
    if (planning->tracker == NULL) {
        return;
    }
    const double time = fil_world_time(world);
    // a reset, another world, or the plan's end: the last pressures and efforts stay
    bool follows =
        planning->load_count == planning->simulation->load_count && time >= planning->last_time && time < planning->begin + planning->def.horizon;
    if (follows && fil_plan_follow(planning->tracker, world) != FIL_OK) {
        RCUTILS_LOG_ERROR_NAMED(planning->logger, "%s; the plan is not followed any more", fil_world_error(world));
        follows = false;
    }
    planning->last_time = time;
    if (!follows) {
        fil_plan_tracker_destroy(planning->tracker);
        planning->tracker = NULL;
    }
}
