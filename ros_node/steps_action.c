/* The action ~/simulate_steps of simulation_interfaces: steps of a paused simulation, each one reported. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "action_server.h"
#include "actions.h"
#include "messages.h"
#include "node.h"
#include "simulation_interfaces/action/simulate_steps.h"
#include "simulation_interfaces/msg/result.h"

FIL_ACTION_TYPE(simulation_interfaces, SimulateSteps, type)

#define STATUS(name) action_msgs__msg__GoalStatus__STATUS_##name
#define RESULT(name) simulation_interfaces__msg__Result__RESULT_##name

typedef struct Steps {
    FilActionServer server;
    FilNode* node;
    FilActionGoal* goal;         /* NULL: none is pursued */
    uint64_t asked, first, load; /* how many, from which step of which world */
} Steps;

static void end(Steps* steps, FilActionGoal* goal, int8_t status, uint8_t code, const char* message)
{
    simulation_interfaces__action__SimulateSteps_GetResult_Response* response = goal->result;
    response->result.result.result = code;
    rosidl_runtime_c__String__assign(&response->result.result.error_message, message);
    steps->goal = goal == steps->goal ? NULL : steps->goal;
    fil_action_end(&steps->server, goal, status);
}

/* What cannot be done is accepted and fails: that way the reason reaches who has asked. */
static bool begin(void* context, FilActionGoal* goal, const void* request)
{
    Steps* steps = context;
    FilSimulation* simulation = &steps->node->simulation;
    const uint64_t asked = ((const simulation_interfaces__action__SimulateSteps_SendGoal_Request*)request)->goal.steps;
    if (fil_simulation_step_refusal(simulation) != NULL) {
        end(steps, goal, STATUS(ABORTED), RESULT(OPERATION_FAILED), fil_simulation_step_refusal(simulation));
    } else if (simulation->steps_wanted > 0) {
        end(steps, goal, STATUS(ABORTED), RESULT(OPERATION_FAILED), "steps of an earlier request are being made; ~/pause true ends them");
    } else if (asked == 0) {
        end(steps, goal, STATUS(SUCCEEDED), RESULT(OK), "");
    } else {
        steps->goal = goal;
        steps->asked = simulation->steps_wanted = asked;
        steps->first = fil_world_step_count(simulation->world);
        steps->load = simulation->load_count;
    }
    return true;
}

static void cancel(void* context, FilActionGoal* goal)
{
    Steps* steps = context;
    steps->node->simulation.steps_wanted = 0;
    steps->node->control.changed = true;
    end(steps, goal, STATUS(CANCELED), RESULT(OPERATION_FAILED), "cancelled");
}

static uint64_t completed(const Steps* steps)
{
    const FilSimulation* simulation = &steps->node->simulation;
    const uint64_t count = simulation->world != NULL ? fil_world_step_count(simulation->world) : 0;
    return simulation->load_count == steps->load && count >= steps->first ? count - steps->first : 0;
}

static void follow(void* part)
{
    Steps* steps = part;
    if (steps->goal != NULL) {
        simulation_interfaces__action__SimulateSteps_FeedbackMessage* feedback_message = steps->server.feedback_message;
        feedback_message->feedback.completed_steps = completed(steps);
        feedback_message->feedback.remaining_steps = steps->asked - feedback_message->feedback.completed_steps;
        fil_action_report(&steps->server, steps->goal);
    }
}

static void update(void* part)
{
    Steps* steps = part;
    const FilSimulation* simulation = &steps->node->simulation;
    if (steps->goal != NULL && simulation->steps_wanted == 0) {
        char message[96];
        const uint64_t made = completed(steps);
        snprintf(message, sizeof message, "ended after %" PRIu64 " of %" PRIu64 " steps", made, steps->asked);
        const bool all = made == steps->asked && !simulation->failed;
        steps->node->control.changed = true;
        end(steps, steps->goal, all ? STATUS(SUCCEEDED) : STATUS(ABORTED), all ? RESULT(OK) : RESULT(OPERATION_FAILED),
            all                  ? ""
            : simulation->failed ? simulation->failure
                                 : message);
    }
    fil_action_server_update(&steps->server);
}

static void destroy(void* part)
{
    Steps* steps = part;
    fil_action_server_fini(&steps->server);
    free(steps);
}

static void* create(FilNode* node)
{
    Steps* steps = calloc(1, sizeof *steps);
    if (steps == NULL) {
        RCUTILS_LOG_ERROR_NAMED(node->logger, "out of memory");
        return NULL;
    }
    steps->node = node;
    if (!fil_action_server_init(&steps->server, &type, "~/simulate_steps", &node->node, &node->simulation, (FilActionHandler){begin, cancel},
                                steps)) {
        destroy(steps);
        return NULL;
    }
    return steps;
}

const FilActionPart fil_steps_action = {create, destroy, update, follow};
