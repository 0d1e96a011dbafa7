#include "node_world.h"

#include "messages.h"
#include "node_parameters.h"
#include "node_recording.h"
#include "node_view.h"

bool fil_node_load(FilNode* node)
{
    if (!fil_node_start_parameters(node)) {
        fil_node_unload(node);
        return false;
    }
    fil_node_open_view(node);
    const FilSimulation* simulation = &node->simulation;
    RCUTILS_LOG_INFO_NAMED(node->logger, "%s: %d objects, %d degrees of freedom, contact %s, dt %g s", simulation->scene_path,
                           fil_world_object_count(simulation->world), fil_world_dofs(simulation->world), fil_world_contact_model(simulation->world),
                           fil_world_dt(simulation->world));
    return true;
}

void fil_node_unload(FilNode* node)
{
    char reason[FIL_REASON_TEXT];
    fil_node_close_view(node);
    fil_node_record(node, "", reason);
    fil_commands_await(&node->commands, -1);
    fil_simulation_unload(&node->simulation);
    node->loaded = false;
    fil_parameters_find(&node->parameters, "record")->value = fil_parameter_string("");
}
