/* world: gravity, time stepping, Newton, and the contact model. */
#include "scene/scene_build.h"

/* The keys of the section: its own and those of the models. */
static const char* const* world_keys(FilReader* reader)
{
    static const char* const own[] = {"gravity", "dt",     "integrator",   "euler_dt", "accuracy",
                                      "newton",  "max_halvings", "adaptive"};
    enum { OWN = sizeof own / sizeof *own };
    int models = 0;
    while (fil_scene_models[models].key != NULL) {
        models++;
    }
    const char** keys = fil_reader_alloc(reader, OWN + (size_t)models + 1, sizeof *keys);
    for (int k = 0; k < OWN + models && keys != NULL; k++) {
        keys[k] = k < OWN ? own[k] : fil_scene_models[k - OWN].key;
    }
    return keys;
}

/* A model's name, or a mapping with its name and settings. */
static void read_contact(FilReader* reader, const FilYaml* world, FilWorldDef* def)
{
    static const char* const keys[] = {"model", "tolerance", "max_iterations", "stick", "slip_velocity", "relinearisations", "max_depth", NULL};
    const FilYaml* node = fil_read_node(reader, world, "contact", FIL_OPTIONAL);
    const int count = fil_contact_model_count();
    const char** words = node != NULL ? fil_reader_alloc(reader, (size_t)count + 1, sizeof *words) : NULL;
    for (int k = 0; k < count && words != NULL; k++) {
        words[k] = fil_contact_model_name(k);
    }
    if (words == NULL) {
        return;
    }
    const bool settings = node->kind == FIL_YAML_MAPPING;
    int model = 0;
    if (settings && !fil_check_keys(reader, node, keys)) {
        return;
    }
    if (fil_read_choice(reader, settings ? node : world, settings ? "model" : "contact", words, &model)) {
        def->contact_model = words[model];
    }
    if (settings) {
        fil_read_integer(reader, node, "relinearisations", FIL_OPTIONAL, 0, 100, &def->relinearisations);
        fil_read_number(reader, node, "max_depth", FIL_NOT_NEGATIVE, &def->max_depth);
    }
}

/* Steps are divided while Newton needs more than so many iterations. */
static void read_adaptive(FilReader* reader, const FilYaml* world, FilWorldDef* def)
{
    static const char* const keys[] = {"iterations", NULL};
    const FilYaml* node = fil_read_node(reader, world, "adaptive", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, keys)) {
        def->adaptive_iterations = 8; // chosen: twice what smooth motion takes
        fil_read_integer(reader, node, "iterations", FIL_OPTIONAL, 2, 10000, &def->adaptive_iterations);
    }
}

void fil_scene_read_world(FilReader* reader, const FilYaml* node, FilWorldDef* def)
{
    static const char* const newton_keys[] = {"tolerance", "max_iterations", NULL};
    static const char* const integrators[] = {
        [FIL_BACKWARD_EULER] = "backward_euler",
        [FIL_MIDPOINT] = "midpoint",
        [FIL_SYMPLECTIC_EULER] = "symplectic_euler",
        [FIL_SDIRK2] = "sdirk2",
        NULL,
    };
    const char* const* keys = world_keys(reader);
    if (keys == NULL || !fil_check_keys(reader, node, keys)) {
        return;
    }
    double gravity[3] = {0};
    if (fil_read_vector(reader, node, "gravity", FIL_OPTIONAL, 3, gravity)) {
        def->gravity = (FilVec3){gravity[0], gravity[1], gravity[2]};
    }
    fil_read_number(reader, node, "dt", FIL_POSITIVE, &def->dt);
    int integrator = (int)def->integrator;
    fil_read_choice(reader, node, "integrator", integrators, &integrator);
    def->integrator = (FilIntegrator)integrator;
    fil_read_number(reader, node, "euler_dt", FIL_NOT_NEGATIVE, &def->euler_dt);
    fil_read_number(reader, node, "accuracy", FIL_NOT_NEGATIVE, &def->accuracy);
    read_contact(reader, node, def);
    read_adaptive(reader, node, def);
    const FilYaml* newton = fil_read_node(reader, node, "newton", FIL_OPTIONAL);
    if (newton != NULL && fil_check_keys(reader, newton, newton_keys)) {
        fil_read_number(reader, newton, "tolerance", FIL_POSITIVE, &def->newton_tolerance);
        fil_read_integer(reader, newton, "max_iterations", FIL_OPTIONAL, 1, 10000, &def->newton_max_iterations);
    }
    fil_read_integer(reader, node, "max_halvings", FIL_OPTIONAL, 0, 30, &def->max_halvings);
}
