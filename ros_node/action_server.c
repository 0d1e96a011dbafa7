#include "action_server.h"

#include <stdio.h>
#include <string.h>

#include "action_msgs/msg/goal_info.h"
#include "messages.h"
#include "rclc/publisher.h"
#include "rclc/service.h"
#include "rmw/qos_profiles.h"

/* requests that one turn of the main loop takes of each service at most, so that steps keep their time */
enum { MAX_TAKE = 8 };

#define STATUS(name) action_msgs__msg__GoalStatus__STATUS_##name

typedef builtin_interfaces__msg__Time Time;

bool fil_action_is_active(const FilActionGoal* goal)
{
    return goal->status == STATUS(ACCEPTED) || goal->status == STATUS(EXECUTING) || goal->status == STATUS(CANCELING);
}

static bool is_same(FilGoalId a, FilGoalId b)
{
    return memcmp(a.uuid, b.uuid, sizeof a.uuid) == 0;
}

static FilActionGoal* find(FilActionServer* server, FilGoalId id)
{
    for (int i = 0; i < FIL_ACTION_GOALS; i++) {
        if (server->goals[i].status != STATUS(UNKNOWN) && is_same(server->goals[i].id, id)) {
            return &server->goals[i];
        }
    }
    return NULL;
}

static void forget(FilActionServer* server, FilActionGoal* goal)
{
    fil_message_destroy(&server->type->result, goal->result);
    memset(goal, 0, sizeof *goal);
}

/* A place for a goal: a free one, or that of the goal which has ended first; NULL: all are being pursued. */
static FilActionGoal* find_place(FilActionServer* server)
{
    FilActionGoal* place = NULL;
    for (int i = 0; i < FIL_ACTION_GOALS; i++) {
        FilActionGoal* goal = &server->goals[i];
        if (!fil_action_is_active(goal) && (place == NULL || goal->ended < place->ended)) {
            place = goal;
        }
    }
    if (place != NULL) {
        forget(server, place);
    }
    return place;
}

/* ---- what is published ---- */

static void report_status(FilActionServer* server)
{
    action_msgs__msg__GoalStatusArray* message = &server->status_message;
    message->status_list.size = 0;  // its places are kept
    for (int i = 0; i < FIL_ACTION_GOALS; i++) {
        const FilActionGoal* goal = &server->goals[i];
        if (goal->status != STATUS(UNKNOWN)) {
            message->status_list.data[message->status_list.size++] =
                (action_msgs__msg__GoalStatus){.goal_info = {.goal_id = goal->id, .stamp = goal->stamp}, .status = goal->status};
        }
    }
    fil_ros_ok(rcl_publish(&server->status, message, NULL), server->logger, server->name);
}

static void send_result(FilActionServer* server, FilActionGoal* goal)
{
    for (int i = 0; i < goal->caller_count; i++) {
        fil_ros_ok(rcl_send_response(&server->get_result, &goal->callers[i], goal->result), server->logger, server->name);
    }
    goal->caller_count = 0;
}

void fil_action_end(FilActionServer* server, FilActionGoal* goal, int8_t status)
{
    goal->status = status;
    goal->work = NULL;
    goal->ended = ++server->ended;
    server->type->set_status(goal->result, status);
    send_result(server, goal);
    report_status(server);
}

void fil_action_report(FilActionServer* server, const FilActionGoal* goal)
{
    server->type->set_id(server->feedback_message, goal->id);
    fil_ros_ok(rcl_publish(&server->feedback, server->feedback_message, NULL), server->logger, server->name);
}

/* ---- what is asked ---- */

static Time now_of(const FilActionServer* server)
{
    return server->simulation->world != NULL ? fil_stamp_of(server->simulation->world) : (Time){0, 0};
}

/* Whether a goal is accepted. One that was sent before is the same goal. */
static bool begin(FilActionServer* server, FilGoalId id)
{
    FilActionGoal* goal = find(server, id);
    if (goal != NULL) {
        return true;
    }
    goal = find_place(server);
    if (goal == NULL) {
        RCUTILS_LOG_WARN_NAMED(server->logger, "%s: a goal is rejected: %d are pursued already", server->name, FIL_ACTION_GOALS);
        return false;
    }
    goal->id = id;
    goal->stamp = now_of(server);
    goal->result = fil_message_create(&server->type->result);
    goal->status = STATUS(EXECUTING);
    if (goal->result == NULL || !server->handler.begin(server->context, goal, server->request)) {
        forget(server, goal);
        return false;
    }
    if (fil_action_is_active(goal)) {
        report_status(server);
    }
    return true;
}

static void take_goals(FilActionServer* server)
{
    rmw_request_id_t caller;
    for (int i = 0; i < MAX_TAKE && rcl_take_request(&server->send_goal, &caller, server->request) == RCL_RET_OK; i++) {
        const bool accepted = begin(server, server->type->id_of_request(server->request));
        server->type->set_response(server->response, accepted, now_of(server));
        fil_ros_ok(rcl_send_response(&server->send_goal, &caller, server->response), server->logger, server->name);
        fil_message_renew(&server->type->request, server->request);
    }
    rcl_reset_error();
}

static bool is_zero(FilGoalId id)
{
    return is_same(id, (FilGoalId){.uuid = {0}});
}

static int64_t nanoseconds(Time time)
{
    return (int64_t)time.sec * 1000000000 + time.nanosec;
}

/* Cancels what the request names, and fills the response. */
static void cancel(FilActionServer* server)
{
    const action_msgs__msg__GoalInfo* wanted = &server->cancel_request.goal_info;
    action_msgs__srv__CancelGoal_Response* response = &server->cancel_response;
    const bool any = is_zero(wanted->goal_id);
    const int64_t until = nanoseconds(wanted->stamp);
    const FilActionGoal* named = any ? NULL : find(server, wanted->goal_id);
    response->goals_canceling.size = 0;
    for (int i = 0; i < FIL_ACTION_GOALS; i++) {
        FilActionGoal* goal = &server->goals[i];
        const bool meant = (any && until == 0) || goal == named || (until != 0 && nanoseconds(goal->stamp) <= until);
        if (meant && fil_action_is_active(goal)) {
            response->goals_canceling.data[response->goals_canceling.size++] =
                (action_msgs__msg__GoalInfo){.goal_id = goal->id, .stamp = goal->stamp};
            goal->status = STATUS(CANCELING);
        }
    }
    // as rcl_action answers: who asks for all goals, or for all up to a time, is not wrong if there are none
    response->return_code = response->goals_canceling.size > 0 || any || until != 0 ? action_msgs__srv__CancelGoal_Response__ERROR_NONE
                            : named == NULL                                         ? action_msgs__srv__CancelGoal_Response__ERROR_UNKNOWN_GOAL_ID
                                                                                    : action_msgs__srv__CancelGoal_Response__ERROR_GOAL_TERMINATED;
}

static void take_cancels(FilActionServer* server)
{
    rmw_request_id_t caller;
    for (int i = 0; i < MAX_TAKE && rcl_take_request(&server->cancel_goal, &caller, &server->cancel_request) == RCL_RET_OK; i++) {
        cancel(server);
        fil_ros_ok(rcl_send_response(&server->cancel_goal, &caller, &server->cancel_response), server->logger, server->name);
        report_status(server);
        for (int k = 0; k < FIL_ACTION_GOALS; k++) {
            if (server->goals[k].status == STATUS(CANCELING)) {
                server->handler.cancel(server->context, &server->goals[k]);
            }
        }
    }
    rcl_reset_error();
}

/* Who asks for the result of a goal that runs waits for it; of one that is not known, there is none. */
static void take_asks(FilActionServer* server)
{
    rmw_request_id_t caller;
    for (int i = 0; i < MAX_TAKE && rcl_take_request(&server->get_result, &caller, server->ask) == RCL_RET_OK; i++) {
        FilActionGoal* goal = find(server, server->type->id_of_ask(server->ask));
        if (goal == NULL) {
            void* nothing = fil_message_create(&server->type->result);
            if (nothing != NULL) {
                server->type->set_status(nothing, STATUS(UNKNOWN));
                fil_ros_ok(rcl_send_response(&server->get_result, &caller, nothing), server->logger, server->name);
            }
            fil_message_destroy(&server->type->result, nothing);
            continue;
        }
        if (goal->caller_count == FIL_ACTION_CALLERS) {  // who asks again and again has given up on the first ones
            memmove(goal->callers, goal->callers + 1, (FIL_ACTION_CALLERS - 1) * sizeof *goal->callers);
            goal->caller_count--;
        }
        goal->callers[goal->caller_count++] = caller;
        if (!fil_action_is_active(goal)) {
            send_result(server, goal);
        }
    }
    rcl_reset_error();
}

void fil_action_server_update(FilActionServer* server)
{
    take_goals(server);
    take_cancels(server);
    take_asks(server);
}

/* ---- life ---- */

static bool make_service(FilActionServer* server, rcl_service_t* service, const rosidl_service_type_support_t* type, const char* part)
{
    char name[256];
    snprintf(name, sizeof name, "%s/_action/%s", server->name, part);
    return fil_ros_ok(rclc_service_init(service, server->node, type, name, &rmw_qos_profile_services_default), server->logger, name);
}

static bool make_publisher(FilActionServer* server, rcl_publisher_t* publisher, const rosidl_message_type_support_t* type, const char* part,
                           size_t depth, bool kept)
{
    char name[256];
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = depth;
    qos.durability = kept ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
    snprintf(name, sizeof name, "%s/_action/%s", server->name, part);
    return fil_ros_ok(rclc_publisher_init(publisher, server->node, type, name, &qos), server->logger, name);
}

bool fil_action_server_init(FilActionServer* server, const FilActionType* type, const char* name, rcl_node_t* node, const FilSimulation* simulation,
                            FilActionHandler handler, void* context)
{
    memset(server, 0, sizeof *server);
    server->type = type;
    server->handler = handler;
    server->context = context;
    server->node = node;
    server->simulation = simulation;
    server->logger = rcl_node_get_logger_name(node);
    server->send_goal = server->cancel_goal = server->get_result = rcl_get_zero_initialized_service();
    server->feedback = server->status = rcl_get_zero_initialized_publisher();
    if (snprintf(server->name, sizeof server->name, "%s", name) >= (int)sizeof server->name) {
        RCUTILS_LOG_ERROR_NAMED(server->logger, "the name of the action '%.40s...' is too long", name);
        return false;
    }
    server->request = fil_message_create(&type->request);
    server->response = fil_message_create(&type->response);
    server->ask = fil_message_create(&type->ask);
    server->feedback_message = fil_message_create(&type->feedback_message);
    if (server->request == NULL || server->response == NULL || server->ask == NULL || server->feedback_message == NULL ||
        !action_msgs__srv__CancelGoal_Request__init(&server->cancel_request) ||
        !action_msgs__srv__CancelGoal_Response__init(&server->cancel_response) ||
        !action_msgs__msg__GoalInfo__Sequence__init(&server->cancel_response.goals_canceling, FIL_ACTION_GOALS) ||
        !action_msgs__msg__GoalStatusArray__init(&server->status_message) ||
        !action_msgs__msg__GoalStatus__Sequence__init(&server->status_message.status_list, FIL_ACTION_GOALS)) {
        RCUTILS_LOG_ERROR_NAMED(server->logger, "out of memory");
        return false;
    }
    const bool made = make_service(server, &server->send_goal, type->send_goal(), "send_goal") &&
                      make_service(server, &server->cancel_goal, ROSIDL_GET_SRV_TYPE_SUPPORT(action_msgs, srv, CancelGoal), "cancel_goal") &&
                      make_service(server, &server->get_result, type->get_result(), "get_result") &&
                      make_publisher(server, &server->feedback, type->feedback(), "feedback", 10, false) &&
                      make_publisher(server, &server->status, ROSIDL_GET_MSG_TYPE_SUPPORT(action_msgs, msg, GoalStatusArray), "status", 1, true);
    if (made) {
        report_status(server);
    }
    return made;
}

void fil_action_server_fini(FilActionServer* server)
{
    if (server->type == NULL) {
        return;
    }
    fil_ros_ok(rcl_publisher_fini(&server->status, server->node), server->logger, server->name);
    fil_ros_ok(rcl_publisher_fini(&server->feedback, server->node), server->logger, server->name);
    fil_ros_ok(rcl_service_fini(&server->get_result, server->node), server->logger, server->name);
    fil_ros_ok(rcl_service_fini(&server->cancel_goal, server->node), server->logger, server->name);
    fil_ros_ok(rcl_service_fini(&server->send_goal, server->node), server->logger, server->name);
    for (int i = 0; i < FIL_ACTION_GOALS; i++) {
        forget(server, &server->goals[i]);
    }
    fil_message_destroy(&server->type->request, server->request);
    fil_message_destroy(&server->type->response, server->response);
    fil_message_destroy(&server->type->ask, server->ask);
    fil_message_destroy(&server->type->feedback_message, server->feedback_message);
    action_msgs__srv__CancelGoal_Request__fini(&server->cancel_request);
    action_msgs__srv__CancelGoal_Response__fini(&server->cancel_response);
    action_msgs__msg__GoalStatusArray__fini(&server->status_message);
    server->type = NULL;
}
