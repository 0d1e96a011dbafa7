/* From a file to a world: the head of the scene, its parameters, the world, and the order of everything else. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/scene_build.h"

static const char* const scene_keys[] = {
    "title",     "duration", "output_period", "seed",         "parameters", "world",
    "materials", "rods",     "junctions",     "rigid_bodies", "chains",     "arms",
    "nets",      "shells",   "rings",
    "pairs",     "joints",   "attachments",   "drives",       "probes",     "robots",
    "trajectories", NULL,
};

/* ---- names ---- */

void fil_scene_index_names(FilScene* scene, const char* const* names, const FilYaml* const* ats, int count,
                           FilNames* index)
{
    FilReader* reader = &scene->reader;
    if (reader->status != FIL_OK) {
        return;
    }
    if (!fil_names_build(index, reader->pool, names, count)) {
        reader->status = fil_error(reader->error, FIL_OUT_OF_MEMORY, "out of memory while reading the scene");
        return;
    }
    const int duplicate = fil_names_duplicate(index);
    if (duplicate >= 0) {
        const FilYaml* name = fil_yaml_find(ats[duplicate], "name");
        fil_reader_fail(reader, name != NULL ? name : ats[duplicate], "the name '%s' is given twice", names[duplicate]);
    }
}

bool fil_scene_read_names(FilScene* scene, const char* section, const char* kind, const FilYaml** list,
                          const char*** names)
{
    FilReader* reader = &scene->reader;
    *list = fil_read_node(reader, scene->root, section, FIL_OPTIONAL);
    if (*list == NULL || !fil_check_list(reader, *list, section)) {
        return false;
    }
    *names = fil_reader_alloc(reader, (size_t)(*list)->count, sizeof **names);
    const FilYaml** ats = fil_reader_alloc(reader, (size_t)(*list)->count, sizeof *ats);
    int count = 0;
    for (const FilYaml* node = (*list)->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        char standard[32];
        const int length = snprintf(standard, sizeof standard, "%s%d", kind, count);
        const char* name = NULL;
        if (!fil_read_name(reader, node, "name", FIL_OPTIONAL, &name) && reader->status == FIL_OK) {
            char* copy = fil_reader_alloc(reader, (size_t)length + 1, 1);
            name = copy != NULL ? memcpy(copy, standard, (size_t)length + 1) : NULL;
        }
        (*names)[count] = name;
        ats[count++] = node;
    }
    FilNames index;
    fil_scene_index_names(scene, *names, ats, count, &index);
    return reader->status == FIL_OK;
}

/* Rods, rigid bodies and arms share their names. */
static void index_things(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const size_t most = (size_t)scene->rod_count + (size_t)scene->body_count + (size_t)scene->arm_count;
    const char** names = fil_reader_alloc(reader, most, sizeof *names);
    const FilYaml** ats = fil_reader_alloc(reader, most, sizeof *ats);
    if (reader->status != FIL_OK) {
        return;
    }
    if (most + (size_t)scene->shell_count + (size_t)scene->robot_count == 0) {
        fil_reader_fail(reader, scene->root, "a scene needs at least one rod, rigid body or arm");
    }
    for (int k = 0; k < scene->rod_count; k++) {
        names[k] = scene->rods[k].def.name;
        ats[k] = scene->rods[k].at;
    }
    for (int k = 0; k < scene->body_count; k++) {
        names[scene->rod_count + k] = scene->bodies[k].def.name;
        ats[scene->rod_count + k] = scene->bodies[k].at;
    }
    for (int k = 0; k < scene->arm_count; k++) {
        names[scene->rod_count + scene->body_count + k] = scene->arms[k].def.name;
        ats[scene->rod_count + scene->body_count + k] = scene->arms[k].at;
    }
    fil_scene_index_names(scene, names, ats, (int)most, &scene->thing_names);
}

FilId fil_scene_object(const FilScene* scene, int index)
{
    const int body = index - scene->rod_count, arm = body - scene->body_count;
    return body < 0 ? scene->rods[index].id : (arm < 0 ? scene->bodies[body].id : scene->arms[arm].id);
}

/* ---- parameters ---- */

void fil_scene_check_parameters(FilReader* reader, FilYaml* mapping)
{
    if (mapping->kind != FIL_YAML_MAPPING) {
        fil_reader_fail(reader, mapping, "expected a mapping of names to numbers");
    }
    for (FilYaml* node = mapping->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        if (strchr(node->key, '-') != NULL) {
            fil_reader_fail(reader, node, "a parameter's name must not contain '-'");
        }
        double value = 0.0;
        if (!fil_check_name(reader, node, node->key)) {
            return;
        }
        if (node->kind == FIL_YAML_MAPPING) {
            fil_scene_check_parameters(reader, node);
        } else {
            fil_value_number(reader, node, FIL_OPTIONAL, &value);
        }
    }
}

/* ---- the world ---- */

/* A model's name, or a mapping with its name and settings. */
static void read_contact(FilReader* reader, const FilYaml* world, FilWorldDef* def)
{
    static const char* const keys[] = {"model", "tolerance", "max_iterations", "relinearisations", NULL};
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
        fil_read_number(reader, node, "tolerance", FIL_POSITIVE, &def->contact_tolerance);
        fil_read_integer(reader, node, "max_iterations", FIL_OPTIONAL, 1, 10000, &def->contact_max_iterations);
        fil_read_integer(reader, node, "relinearisations", FIL_OPTIONAL, 0, 100, &def->relinearisations);
    }
}

/* Settings of the model "imc". */
static void read_imc(FilReader* reader, const FilYaml* world, FilImcSettings* imc)
{
    static const char* const frictions[] = {[FIL_IMC_SLIDING] = "sliding", [FIL_IMC_STATIC] = "static", NULL};
    const struct {
        const char* key;
        unsigned flags;
        double* value;
    } numbers[] = {
        {"stiffness", FIL_NOT_NEGATIVE, &imc->stiffness},
        {"sharpness", FIL_POSITIVE, &imc->sharpness},
        {"smoothing", FIL_POSITIVE, &imc->smoothing},
        {"reach", FIL_POSITIVE, &imc->reach},
        {"closest", FIL_OPTIONAL, &imc->closest},
        {"farthest", FIL_OPTIONAL, &imc->farthest},
        {"rate", FIL_NOT_NEGATIVE, &imc->rate},
        {"force_tolerance", FIL_NOT_NEGATIVE, &imc->force_tolerance},
        {"reduction", FIL_NOT_NEGATIVE, &imc->reduction},
        {"slip_speed", FIL_NOT_NEGATIVE, &imc->slip_speed},
        {"static_speed", FIL_POSITIVE, &imc->static_speed},
    };
    const struct {
        const char* key;
        bool* flag;
    } flags[] = {
        {"full_tangent", &imc->full_tangent}, {"damping", &imc->damping},       {"contact_points", &imc->contact_points},
        {"local_stiffness", &imc->local_stiffness}, {"rectangles", &imc->rectangles},
        {"adaptive_dt", &imc->adaptive_dt},
    };
    enum { NUMBERS = sizeof numbers / sizeof *numbers, FLAGS = sizeof flags / sizeof *flags };
    const char* keys[NUMBERS + FLAGS + 4] = {"friction", "tangent_after", "adaptive_iterations"};
    for (int k = 0; k < NUMBERS + FLAGS; k++) {
        keys[3 + k] = k < NUMBERS ? numbers[k].key : flags[k - NUMBERS].key;
    }
    const FilYaml* node = fil_read_node(reader, world, "imc", FIL_OPTIONAL);
    if (node == NULL || !fil_check_keys(reader, node, keys)) {
        return;
    }
    for (int k = 0; k < NUMBERS; k++) {
        fil_read_number(reader, node, numbers[k].key, numbers[k].flags, numbers[k].value);
    }
    for (int k = 0; k < FLAGS; k++) {
        fil_read_flag(reader, node, flags[k].key, flags[k].flag);
    }
    int friction = (int)imc->friction;
    fil_read_choice(reader, node, "friction", frictions, &friction);
    imc->friction = (FilImcFriction)friction;
    fil_read_integer(reader, node, "tangent_after", FIL_OPTIONAL, -1, 10000, &imc->tangent_after);
    fil_read_integer(reader, node, "adaptive_iterations", FIL_OPTIONAL, 2, 10000, &imc->adaptive_iterations);
}

/* Settings of the model "ipc". */
static void read_ipc(FilReader* reader, const FilYaml* world, FilIpcSettings* ipc)
{
    static const char* const keys[] = {"range", "stiffness", "slip_speed", NULL};
    const FilYaml* node = fil_read_node(reader, world, "ipc", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, keys)) {
        fil_read_number(reader, node, "range", FIL_POSITIVE, &ipc->range);
        fil_read_number(reader, node, "stiffness", FIL_NOT_NEGATIVE, &ipc->stiffness);
        fil_read_number(reader, node, "slip_speed", FIL_POSITIVE, &ipc->slip_speed);
    }
}

static void read_world(FilReader* reader, const FilYaml* node, FilWorldDef* def)
{
    static const char* const keys[] = {"gravity", "dt",  "integrator", "euler_dt",     "accuracy", "contact", "lcp",
                                       "imc",     "ipc", "newton",     "max_halvings", NULL};
    static const char* const newton_keys[] = {"tolerance", "max_iterations", NULL};
    static const char* const integrators[] = {
        [FIL_BACKWARD_EULER] = "backward_euler",
        [FIL_MIDPOINT] = "midpoint",
        [FIL_SYMPLECTIC_EULER] = "symplectic_euler",
        [FIL_SDIRK2] = "sdirk2",
        NULL,
    };
    if (!fil_check_keys(reader, node, keys)) {
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
    fil_scene_read_lcp(reader, node, &def->lcp);
    read_imc(reader, node, &def->imc);
    read_ipc(reader, node, &def->ipc);
    const FilYaml* newton = fil_read_node(reader, node, "newton", FIL_OPTIONAL);
    if (newton != NULL && fil_check_keys(reader, newton, newton_keys)) {
        fil_read_number(reader, newton, "tolerance", FIL_POSITIVE, &def->newton_tolerance);
        fil_read_integer(reader, newton, "max_iterations", FIL_OPTIONAL, 1, 10000, &def->newton_max_iterations);
    }
    fil_read_integer(reader, node, "max_halvings", FIL_OPTIONAL, 0, 30, &def->max_halvings);
}

static void create_world(FilScene* scene, const FilSceneOptions* options)
{
    FilReader* reader = &scene->reader;
    FilWorldDef def = fil_world_def_default();
    const FilYaml* node = fil_read_node(reader, scene->root, "world", FIL_OPTIONAL);
    if (node != NULL) {
        read_world(reader, node, &def);
    }
    if (reader->status != FIL_OK) {
        return;
    }
    if (options->dt != 0.0) {
        def.dt = options->dt;
    }
    if (options->contact_model != NULL) {
        def.contact_model = options->contact_model;
    }
    const FilYaml absent = fil_absent(scene->root, "world");
    FilError error = {{0}};
    fil_reader_take(reader, fil_world_create(&def, &scene->world, &error), node != NULL ? node : &absent, error.text);
}

/* ---- the head ---- */

/* File name without folder and extension. */
static void write_name(const char* path, char* name, size_t size)
{
    const char* slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash != NULL ? slash + 1 : path);
    char* dot = strrchr(name, '.');
    if (dot != NULL && dot != name) {
        *dot = '\0';
    }
}

/* Comes first: everything else may use random numbers. */
static void read_seed(FilScene* scene, const FilSceneOptions* options, FilSceneInfo* info)
{
    int seed = 1;
    fil_read_integer(&scene->reader, scene->root, "seed", FIL_OPTIONAL, 0, 2000000000, &seed);
    info->seed = options->seed_given ? options->seed : (uint64_t)seed;
    scene->random = info->seed;
    scene->reader.random = &scene->random;
}

static void read_head(FilScene* scene, FilSceneInfo* info)
{
    FilReader* reader = &scene->reader;
    write_name(scene->path, info->name, sizeof info->name);
    const char* title = "";
    fil_read_text(reader, scene->root, "title", FIL_OPTIONAL, &title);
    snprintf(info->title, sizeof info->title, "%s", title);
    fil_read_number(reader, scene->root, "duration", FIL_POSITIVE, &info->duration);
    fil_read_number(reader, scene->root, "output_period", FIL_POSITIVE, &info->output_period);
}

/* ---- all together ---- */

static void build(FilScene* scene, const FilSceneOptions* options, FilSceneInfo* info)
{
    FilReader* reader = &scene->reader;
    *info = (FilSceneInfo){.duration = 1.0, .output_period = 0.01, .seed = 1};
    scene->root->parameters = fil_yaml_find(scene->root, "parameters");
    if (!fil_check_keys(reader, scene->root, scene_keys)) {
        return;
    }
    read_seed(scene, options, info);
    if (scene->root->parameters != NULL) {
        fil_scene_check_parameters(reader, scene->root->parameters);
    }
    read_head(scene, info);
    fil_scene_expand_repeats(scene);
    fil_scene_read_materials(scene);
    fil_scene_read_groups(scene);
    fil_scene_read_rods(scene);
    fil_scene_read_chains(scene);
    fil_scene_read_bodies(scene);
    fil_scene_read_arms(scene);
    fil_scene_read_shells(scene);
    fil_scene_read_robots(scene);
    index_things(scene);
    create_world(scene, options);
    fil_scene_add_rods(scene);
    fil_scene_add_bodies(scene);
    fil_scene_add_arms(scene);
    fil_scene_add_shells(scene);
    fil_scene_add_robots(scene);
    fil_scene_read_rings(scene);
    fil_scene_read_pairs(scene);
    fil_scene_read_joints(scene);
    fil_scene_read_attachments(scene);
    fil_scene_read_drives(scene);
    fil_scene_read_trajectories(scene);
    fil_scene_read_probes(scene);
}

FilStatus fil_scene_load_limited(const FilSource* source, const FilSceneLimits* limits, const FilSceneOptions* options,
                                 FilWorld** world, FilSceneInfo* info, FilError* error)
{
    const FilSceneOptions no_options = {0};
    FilSceneInfo own_info;
    FilError own_error;
    FilPool pool = {0};
    options = options != NULL ? options : &no_options;
    error = error != NULL ? error : &own_error;
    error->text[0] = '\0';
    *world = NULL;
    FilScene scene = {.reader = {.error = error, .pool = &pool}, .limits = *limits, .path = source->path};
    FilYaml* root = NULL;
    FilStatus status = fil_document_load(source, limits, &pool, &root, error);
    if (status == FIL_OK) {
        status = fil_document_set(root, options->settings, options->setting_count, scene_keys, limits, &pool, error);
    }
    if (status == FIL_OK) {
        scene.root = root;
        build(&scene, options, info != NULL ? info : &own_info);
        status = scene.reader.status;
    }
    fil_pool_free(&pool);
    if (status == FIL_OK) {
        *world = scene.world;
    } else {
        fil_world_destroy(scene.world);
    }
    return status;
}

FilStatus fil_scene_load(const char* path, const FilSceneOptions* options, FilWorld** world, FilSceneInfo* info,
                         FilError* error)
{
    const FilSceneLimits limits = fil_scene_limits_default();
    const FilSource source = {.path = path};
    return fil_scene_load_limited(&source, &limits, options, world, info, error);
}

FilStatus fil_scene_load_text(const char* name, const char* text, size_t size, const FilSceneOptions* options,
                              FilWorld** world, FilSceneInfo* info, FilError* error)
{
    const FilSceneLimits limits = fil_scene_limits_default();
    const FilSource source = {.path = name, .text = text, .size = size};
    return fil_scene_load_limited(&source, &limits, options, world, info, error);
}
