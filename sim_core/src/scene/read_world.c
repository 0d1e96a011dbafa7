/* world: gravity, time stepping, Newton, and the contact model. */
#include <string.h>

#include "scene/scene_build.h"

static const char* const integrators[] = {
    [FIL_BACKWARD_EULER] = "backward_euler", [FIL_MIDPOINT] = "midpoint", [FIL_SYMPLECTIC_EULER] = "symplectic_euler", [FIL_SDIRK2] = "sdirk2", NULL,
};

static const FilKey newton_keys[] = {
    FIL_KEY_NUMBER("tolerance", FIL_POSITIVE, "1", "1e-6", "of the residual, relative to the forces at work"),
    FIL_KEY_WHOLE("max_iterations", FIL_POSITIVE, "50", "before a step is halved"),
    FIL_KEY_END,
};

static const FilKey adaptive_keys[] = {
    FIL_KEY_WHOLE("iterations", FIL_POSITIVE, "8", "of Newton, from 2 on, beyond which steps are divided"),
    FIL_KEY_END,
};

static const FilKey sleep_keys[] = {
    FIL_KEY_NUMBER("time", FIL_POSITIVE, "s", "0.5", "at rest, after which bodies sleep"),
    FIL_KEY_NUMBER("speed", FIL_POSITIVE, "m/s", "1e-3", "of all points of a body, below which it rests"),
    FIL_KEY_END,
};

static const char* model_word(int number)
{
    return fil_contact_model_name(number);
}

const FilKey* fil_scene_world_keys(FilReader* reader)
{
    static const FilKey own[] = {
        FIL_KEY_VECTOR("gravity", 3, 0, "m/s^2", "[0, 0, -9.81]", ""),
        FIL_KEY_NUMBER("dt", FIL_POSITIVE, "s", "0.001", "time step; `--dt` overrides it"),
        FIL_KEY_WORD("integrator", integrators, "backward_euler",
                     "backward_euler: first order, robust, damps; midpoint: second order, keeps energy; symplectic_euler: explicit "
                     "forces, small steps only; sdirk2: second order, damps what steps do not resolve, costs two steps, with contact "
                     "models `none` and `ipc`"),
        FIL_KEY_NUMBER(
            "euler_dt", FIL_NOT_NEGATIVE, "s", "0",
            "`sdirk2` has the error, and the damping, that `backward_euler` has with this step: for comparing with results of small steps"),
        FIL_KEY_NUMBER("accuracy", FIL_NOT_NEGATIVE, "m", "0",
                       "`sdirk2` divides, and repeats, steps while its own estimate of the error of places in one is larger: mean over a "
                       "body, worst body; 0: it does not look"),
        FIL_KEY_MAPPING("newton", newton_keys, 0, ""),
        FIL_KEY_WHOLE("max_halvings", FIL_NOT_NEGATIVE, "8", "how often a failing step may be halved inside itself, up to 30"),
        FIL_KEY_MAPPING("adaptive", adaptive_keys, 0, "divide steps while Newton needs many iterations"),
        FIL_KEY_MAPPING("sleep", sleep_keys, 0,
                        "rigid bodies that rest are no longer stepped, with all that they touch, until something touches, loads or moves them; under "
                        "`sap`, `sap_lagged` and `lcp`; what is joined stays awake"),
        FIL_KEY_WHOLE("threads", FIL_NOT_NEGATIVE, "1",
                      "that share a step, up to 256; 0: one for each processor; results are the same bits for any number"),
    };
    enum { OWN = sizeof own / sizeof *own };
    int models = 0;
    while (fil_scene_models[models].key != NULL) {
        models++;
    }
    const char* const* words = fil_make_words(reader, fil_contact_model_count(), model_word);
    FilKey* keys = fil_reader_alloc(reader, OWN + (size_t)models + 1, sizeof *keys);
    for (int k = 0; k < OWN + models && keys != NULL; k++) {
        const FilSceneModel* model = &fil_scene_models[k < OWN ? 0 : k - OWN];
        keys[k] = k < OWN ? own[k] : (FilKey)FIL_KEY_MAPPING(model->key, model->keys, 0, model->text);
        if (strcmp(keys[k].name, "contact") == 0) {  // a model's name, or a mapping with its name and settings
            keys[k].types |= FIL_IS_WORD;
            keys[k].words = words;
            keys[k].keys = fil_keys_with_words(reader, keys[k].keys, "model", words);
        }
    }
    return reader->status == FIL_OK ? keys : NULL;
}

/* A model's name, or a mapping with its name and settings. */
static void read_contact(FilReader* reader, const FilYaml* world, FilWorldDef* def)
{
    const FilYaml* node = fil_read_node(reader, world, "contact", FIL_OPTIONAL);
    const char* const* words = node != NULL ? fil_make_words(reader, fil_contact_model_count(), model_word) : NULL;
    if (words == NULL) {
        return;
    }
    const bool settings = node->kind == FIL_YAML_MAPPING;
    int model = 0;
    if (settings && !fil_check_keys(reader, node, fil_scene_models[0].keys)) {
        return;
    }
    if (fil_read_choice(reader, settings ? node : world, settings ? "model" : "contact", words, &model)) {
        def->contact_model = words[model];
    }
    if (settings) {
        int linearisation = (int)def->linearisation;
        fil_read_choice(reader, node, "linearisation", fil_scene_linearisations, &linearisation);
        def->linearisation = (FilLinearisation)linearisation;
        fil_read_integer(reader, node, "relinearisations", FIL_OPTIONAL, 0, 100, &def->relinearisations);
        fil_read_number(reader, node, "max_depth", FIL_NOT_NEGATIVE, &def->max_depth);
    }
}

/* Steps are divided while Newton needs more than so many iterations. */
static void read_adaptive(FilReader* reader, const FilYaml* world, FilWorldDef* def)
{
    const FilYaml* node = fil_read_node(reader, world, "adaptive", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, adaptive_keys)) {
        def->adaptive_iterations = 8;  // twice what smooth motion takes (three or four): half of it would divide steps that converge
        fil_read_integer(reader, node, "iterations", FIL_OPTIONAL, 2, 10000, &def->adaptive_iterations);
    }
}

static void read_sleep(FilReader* reader, const FilYaml* world, FilWorldDef* def)
{
    const FilYaml* node = fil_read_node(reader, world, "sleep", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, sleep_keys)) {
        def->sleep_time = 0.5;  // as Box2D and others have it: longer than what rocks stays near rest
        fil_read_number(reader, node, "time", FIL_POSITIVE, &def->sleep_time);
        fil_read_number(reader, node, "speed", FIL_POSITIVE, &def->sleep_speed);
    }
}

void fil_scene_read_world(FilReader* reader, const FilYaml* node, FilWorldDef* def)
{
    const FilKey* keys = fil_scene_world_keys(reader);
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
    read_sleep(reader, node, def);
    const FilYaml* newton = fil_read_node(reader, node, "newton", FIL_OPTIONAL);
    if (newton != NULL && fil_check_keys(reader, newton, newton_keys)) {
        fil_read_number(reader, newton, "tolerance", FIL_POSITIVE, &def->newton_tolerance);
        fil_read_integer(reader, newton, "max_iterations", FIL_OPTIONAL, 1, 10000, &def->newton_max_iterations);
    }
    fil_read_integer(reader, node, "max_halvings", FIL_OPTIONAL, 0, 30, &def->max_halvings);
    fil_read_integer(reader, node, "threads", FIL_OPTIONAL, 0, 256, &def->threads);
}
