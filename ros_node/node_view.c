#include "node_view.h"

#include "messages.h"
#include "node_recording.h"

bool fil_node_open_view(FilNode* node)
{
    const int64_t port = fil_parameters_find(&node->parameters, "view_port")->value.integer;
    const char* address = fil_parameters_find(&node->parameters, "view_address")->value.text;
    FilViewSessionDef def = {
        .simulation = &node->simulation,
        .address = address[0] != '\0' ? address : "127.0.0.1",
        .port = (int)port,
        .read_only = fil_parameters_find(&node->parameters, "view_read_only")->value.boolean,
        .origins = fil_parameters_find(&node->parameters, "view_origins")->value.text,
    };
    FilError error = {{0}};
    if (port == 0) {
        return true;
    }
    const FilViewersDef viewers = {
        .node = &node->node,
        .simulation = &node->simulation,
        .control = &node->control,
        .parameters = &node->parameter_server,
    };
    node->viewers = fil_viewers_create(&viewers);
    node->tap.viewer = fil_viewers_listener(node->viewers);
    def.foxglove = fil_viewers_foxglove(node->viewers);
    if (fil_view_session_open(&def, &node->view, &error) != FIL_OK) {
        // what nobody can look at runs as well
        RCUTILS_LOG_ERROR_NAMED(node->logger, "view_port: %s", error.text);
        return true;
    }
    RCUTILS_LOG_INFO_NAMED(node->logger, "to look at it: http://%s:%d/", def.address, fil_view_session_port(node->view));
    return true;
}

void fil_node_close_view(FilNode* node)
{
    fil_view_session_close(node->view);
    node->tap.viewer = (FilTapListener){0};
    fil_viewers_destroy(node->viewers);
    node->view = NULL;
    node->viewers = NULL;
}

static void set_parameter(FilNode* node, const char* name, const FilParameterValue* value)
{
    char reason[FIL_REASON_TEXT] = "";
    const bool set = fil_parameter_server_set(&node->parameter_server, name, value, reason);
    fil_view_session_say(node->view, set ? "" : reason);
}

static void obey(FilNode* node, const FilViewCommand* command)
{
    FilParameterValue value;
    switch ((FilViewAsk)command->ask) {
        case FIL_VIEW_SPEED:
            value = fil_parameter_double(command->numbers[0]);
            set_parameter(node, "real_time_factor", &value);
            break;
        case FIL_VIEW_MODEL:
            value = fil_parameter_string((int)command->part < fil_contact_model_count() ? fil_contact_model_name((int)command->part) : "");
            set_parameter(node, "contact_model", &value);
            break;
        default:
            if (command->ask == FIL_VIEW_GRAB) {
                fil_node_changed_by_hand(node, "a page pulls on something");
            }
            fil_view_session_obey(node->view, command);
            node->control.changed |= command->ask == FIL_VIEW_RESET;
            break;
    }
}

void fil_node_obey_pages(FilNode* node)
{
    FilViewCommand command;
    // as many as a queue holds: pages that never stop asking do not stop the simulation
    for (int i = 0; node->view != NULL && i < FIL_VIEW_QUEUE && fil_view_session_take(node->view, 0.0, &command); i++) {
        obey(node, &command);
    }
    fil_viewers_serve(node->viewers);
    node->publishers.looked_at = fil_viewers_want_markers(node->viewers);
}

void fil_node_pull(FilNode* node)
{
    if (node->view != NULL && fil_view_session_pull(node->view) != FIL_OK) {
        fil_view_session_say(node->view, fil_world_error(node->simulation.world));
    }
}

void fil_node_show_pages(FilNode* node, double now)
{
    if (node->view != NULL && fil_view_session_show(node->view, now) != FIL_OK) {
        RCUTILS_LOG_WARN_THROTTLE_NAMED(RCUTILS_STEADY_TIME, 1000, node->logger, "out of memory: pages miss a frame");
    }
}
