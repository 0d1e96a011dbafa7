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
    fil_composition_destroy(node->composition);
    node->composition = fil_composition_create(node->simulation.scene_path, NULL, 0, !node->scene_by_peer);
    node->composed_load = node->simulation.load_count;
    if (node->composition == NULL) {
        RCUTILS_LOG_FATAL_NAMED(node->logger, "out of memory");
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
    fil_node_record(node, "", NULL, reason);
    fil_commands_await(&node->commands, -1);
    fil_simulation_unload(&node->simulation);
    fil_composition_destroy(node->composition);
    node->composition = NULL;
    node->loaded = false;
    fil_parameters_find(&node->parameters, "record")->value = fil_parameter_string("");
}

static void swap_compositions(FilComposition** a, FilComposition** b)
{
    FilComposition* old = *a;
    *a = *b;
    *b = old;
}

void fil_node_take_world(FilNode* node, FilLoaded* loaded, bool keeps_state)
{
    FilSimulation* simulation = &node->simulation;
    if (keeps_state) {
        const FilWorld* old = simulation->world;
        // all of these were taken by a world before
        bool taken = fil_world_set_gravity(loaded->world, fil_world_gravity(old)) == FIL_OK;
        taken = fil_world_set_friction(loaded->world, fil_world_friction(old)) == FIL_OK && taken;
        taken = fil_world_set_threads(loaded->world, fil_world_threads_asked(old)) == FIL_OK && taken;
        taken = fil_world_take_state(loaded->world, old) == FIL_OK && taken;
        if (!taken) {
            RCUTILS_LOG_WARN_NAMED(node->logger, "%s", fil_world_error(loaded->world));
        }
        loaded->info = simulation->scene;
    }
    fil_simulation_adopt(simulation, loaded->world, &loaded->info, loaded->path);
    loaded->world = NULL;
    swap_compositions(&node->composition, &loaded->composition);
    node->composed_load = simulation->load_count;
    node->control.changed = true;
}

bool fil_node_is_composed(const FilNode* node)
{
    return node->composition != NULL && node->composed_load == node->simulation.load_count && fil_composition_is_changed(node->composition);
}

FilStatus fil_node_restore_world(FilNode* node, FilError* error)
{
    const FilComposition* now = node->composition;
    const FilWorld* world = node->simulation.world;
    const FilLoadingDef def = {.composition = fil_composition_create(now->scene, now->text, now->size, now->trusted),
                               .folders = node->boundary.read_folders,
                               .budget = node->boundary.budget,
                               .dt = fil_world_dt(world),
                               .contact_model = fil_world_contact_model(world)};
    FilLoading* loading = fil_loading_start(&def, error);
    if (loading == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    FilLoaded loaded = fil_loading_take(loading);
    *error = loaded.error;
    if (loaded.status == FIL_OK) {
        fil_node_take_world(node, &loaded, true);
        fil_node_changed_by_hand(node, "spawned entities were removed");
    }
    fil_world_destroy(loaded.world);
    fil_composition_destroy(loaded.composition);
    return loaded.status;
}
