/* The server of an action: goals, where they are on their way, feedback and results.
 *
 * An action is three services (send_goal, cancel_goal, get_result) and two topics (feedback, status) under <name>/_action/, with the
 * types that rosidl makes of its definition. rclc has servers of actions on top of rcl_action; services and publishers of the same
 * names, types and QoS are the same on the wire, need nothing more of the embedded layer, and answer between steps. */
#ifndef FILUM_NODE_ACTION_SERVER_H
#define FILUM_NODE_ACTION_SERVER_H

#include "action_msgs/msg/goal_status.h"
#include "action_msgs/msg/goal_status_array.h"
#include "action_msgs/srv/cancel_goal.h"
#include "rcl/rcl.h"
#include "rosidl_runtime_c/service_type_support_struct.h"
#include "topic.h"
#include "view/simulation.h"

typedef unique_identifier_msgs__msg__UUID FilGoalId;

/* What rosidl makes of an action's definition; FIL_ACTION_TYPE() fills it. */
typedef struct FilActionType {
    const rosidl_service_type_support_t* (*send_goal)(void), *(*get_result)(void);
    const rosidl_message_type_support_t* (*feedback)(void);
    FilMessageType request;          /* <Name>_SendGoal_Request */
    FilMessageType response;         /* <Name>_SendGoal_Response */
    FilMessageType ask;              /* <Name>_GetResult_Request */
    FilMessageType result;           /* <Name>_GetResult_Response */
    FilMessageType feedback_message; /* <Name>_FeedbackMessage */
    FilGoalId (*id_of_request)(const void* request);
    FilGoalId (*id_of_ask)(const void* ask);
    void (*set_response)(void* response, bool accepted, builtin_interfaces__msg__Time stamp);
    void (*set_status)(void* result, int8_t status);
    void (*set_id)(void* feedback_message, FilGoalId id);
} FilActionType;

/* Goals that are remembered, and who waits for the result of one: bounds of ours; the oldest that has ended goes. */
enum { FIL_ACTION_GOALS = 16, FIL_ACTION_CALLERS = 8 };

typedef struct FilActionGoal {
    int8_t status; /* of action_msgs/GoalStatus; UNKNOWN: the place is free */
    FilGoalId id;
    builtin_interfaces__msg__Time stamp;          /* simulated time at which it was accepted */
    void* result;                                 /* <Name>_GetResult_Response, to be filled before the goal ends */
    void* work;                                   /* of whoever pursues it */
    uint64_t ended;                               /* counts the goals that have; the oldest are forgotten */
    rmw_request_id_t callers[FIL_ACTION_CALLERS]; /* that wait for the result */
    int caller_count;
} FilActionGoal;

/* Who pursues the goals. */
typedef struct FilActionHandler {
    /* Whether a goal is accepted; if it is, it is executed from now on. */
    bool (*begin)(void* context, FilActionGoal* goal, const void* request);
    /* Somebody wants it to end: it does so by fil_action_end(), now or later. */
    void (*cancel)(void* context, FilActionGoal* goal);
} FilActionHandler;

typedef struct FilActionServer {
    const FilActionType* type;
    FilActionHandler handler;
    void* context;
    rcl_node_t* node;
    const FilSimulation* simulation;
    const char* logger;
    char name[160];
    rcl_service_t send_goal, cancel_goal, get_result;
    rcl_publisher_t feedback, status;
    void *request, *response, *ask, *feedback_message; /* messages in use, made once */
    action_msgs__srv__CancelGoal_Request cancel_request;
    action_msgs__srv__CancelGoal_Response cancel_response;
    action_msgs__msg__GoalStatusArray status_message;
    FilActionGoal goals[FIL_ACTION_GOALS];
    uint64_t ended;
} FilActionServer;

/* `name` is that of the action. Failures are logged; fil_action_server_fini() is due in any case. */
bool fil_action_server_init(FilActionServer* server, const FilActionType* type, const char* name, rcl_node_t* node, const FilSimulation* simulation,
                            FilActionHandler handler, void* context);
void fil_action_server_fini(FilActionServer* server);

/* Takes and answers what has arrived. Once per turn of the main loop. */
void fil_action_server_update(FilActionServer* server);

/* Whether it is being executed, or on its way to being cancelled. */
bool fil_action_is_active(const FilActionGoal* goal);

/* The goal ends as SUCCEEDED, CANCELED or ABORTED, with the result that it has now. */
void fil_action_end(FilActionServer* server, FilActionGoal* goal, int8_t status);

/* Sends server->feedback_message, which the caller has filled but for the goal. */
void fil_action_report(FilActionServer* server, const FilActionGoal* goal);

/* Defines `static const FilActionType <variable>` for an action of a package. */
#define FIL_ACTION_MESSAGE(package, Name, part)                  \
    static bool init_##Name##part(void* message)                 \
    {                                                            \
        return package##__action__##Name##part##__init(message); \
    }                                                            \
    static void fini_##Name##part(void* message)                 \
    {                                                            \
        package##__action__##Name##part##__fini(message);        \
    }
#define FIL_ACTION_ROW(package, Name, part)                                           \
    {                                                                                 \
        sizeof(package##__action__##Name##part), init_##Name##part, fini_##Name##part \
    }
#define FIL_ACTION_TYPE(package, Name, variable)                                                                \
    FIL_ACTION_MESSAGE(package, Name, _SendGoal_Request)                                                        \
    FIL_ACTION_MESSAGE(package, Name, _SendGoal_Response)                                                       \
    FIL_ACTION_MESSAGE(package, Name, _GetResult_Request)                                                       \
    FIL_ACTION_MESSAGE(package, Name, _GetResult_Response)                                                      \
    FIL_ACTION_MESSAGE(package, Name, _FeedbackMessage)                                                         \
    static const rosidl_service_type_support_t* send_type_of_##Name(void)                                       \
    {                                                                                                           \
        return ROSIDL_GET_SRV_TYPE_SUPPORT(package, action, Name##_SendGoal);                                   \
    }                                                                                                           \
    static const rosidl_service_type_support_t* result_type_of_##Name(void)                                     \
    {                                                                                                           \
        return ROSIDL_GET_SRV_TYPE_SUPPORT(package, action, Name##_GetResult);                                  \
    }                                                                                                           \
    static const rosidl_message_type_support_t* feedback_type_of_##Name(void)                                   \
    {                                                                                                           \
        return ROSIDL_GET_MSG_TYPE_SUPPORT(package, action, Name##_FeedbackMessage);                            \
    }                                                                                                           \
    static FilGoalId id_of_request_##Name(const void* request)                                                  \
    {                                                                                                           \
        return ((const package##__action__##Name##_SendGoal_Request*)request)->goal_id;                         \
    }                                                                                                           \
    static FilGoalId id_of_ask_##Name(const void* ask)                                                          \
    {                                                                                                           \
        return ((const package##__action__##Name##_GetResult_Request*)ask)->goal_id;                            \
    }                                                                                                           \
    static void set_response_##Name(void* message, bool accepted, builtin_interfaces__msg__Time stamp)          \
    {                                                                                                           \
        package##__action__##Name##_SendGoal_Response* response = message;                                      \
        response->accepted = accepted;                                                                          \
        response->stamp = stamp;                                                                                \
    }                                                                                                           \
    static void set_status_##Name(void* result, int8_t status)                                                  \
    {                                                                                                           \
        ((package##__action__##Name##_GetResult_Response*)result)->status = status;                             \
    }                                                                                                           \
    static void set_id_##Name(void* feedback_message, FilGoalId id)                                             \
    {                                                                                                           \
        ((package##__action__##Name##_FeedbackMessage*)feedback_message)->goal_id = id;                         \
    }                                                                                                           \
    static const FilActionType variable = {.send_goal = send_type_of_##Name,                                    \
                                           .get_result = result_type_of_##Name,                                 \
                                           .feedback = feedback_type_of_##Name,                                 \
                                           .request = FIL_ACTION_ROW(package, Name, _SendGoal_Request),         \
                                           .response = FIL_ACTION_ROW(package, Name, _SendGoal_Response),       \
                                           .ask = FIL_ACTION_ROW(package, Name, _GetResult_Request),            \
                                           .result = FIL_ACTION_ROW(package, Name, _GetResult_Response),        \
                                           .feedback_message = FIL_ACTION_ROW(package, Name, _FeedbackMessage), \
                                           .id_of_request = id_of_request_##Name,                               \
                                           .id_of_ask = id_of_ask_##Name,                                       \
                                           .set_response = set_response_##Name,                                 \
                                           .set_status = set_status_##Name,                                     \
                                           .set_id = set_id_##Name};

#endif
