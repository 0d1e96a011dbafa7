/* From a file to a world: the head of the scene, the world, and the sections one after the other. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/kinds.h"

/* ---- keys ---- */

/* Keys of a scene besides its sections. */
static const FilKey head_keys[] = {
    FIL_KEY_TEXT("title", 0, "", "what the scene shows"),
    FIL_KEY_NUMBER("duration", FIL_POSITIVE, "s", "1", "how long `filum run` runs"),
    FIL_KEY_NUMBER("output_period", FIL_POSITIVE, "s", "0.01", "between two rows of CSV"),
    FIL_KEY_WHOLE("seed", FIL_NOT_NEGATIVE, "1", "of random numbers (`noise`, `random()`, `normal()`); `--seed` overrides it"),
    FIL_KEY_MANY("parameters", FIL_IS_TREE, 0, 0, "", "", "numbers that expressions use and `--set` changes"),
    FIL_KEY_MAPPING("world", NULL, 0, "gravity, time step, contact model"),
};

enum { HEAD_KEYS = sizeof head_keys / sizeof *head_keys };

/* Names of all keys that a scene may have, NULL at the end; NULL when out of memory. */
static const char** scene_keys(FilPool* pool)
{
    const char** keys = fil_pool_alloc(pool, HEAD_KEYS + (size_t)fil_scene_kind_count + 1, sizeof *keys);
    int count = 0;
    for (int k = 0; k < HEAD_KEYS && keys != NULL; k++) {
        keys[count++] = head_keys[k].name;
    }
    for (int k = 0; k < fil_scene_kind_count && keys != NULL; k++) {
        if (fil_scene_kinds[k]->section != NULL) {
            keys[count++] = fil_scene_kinds[k]->section;
        }
    }
    return keys;
}

static const FilKey* root_keys(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    FilKey* keys = fil_reader_alloc(reader, HEAD_KEYS + (size_t)fil_scene_kind_count + 1, sizeof *keys);
    int count = 0;
    for (int k = 0; k < HEAD_KEYS && keys != NULL; k++) {
        keys[count] = head_keys[k];
        keys[count].keys = head_keys[k].types == FIL_IS_MAPPING ? fil_scene_world_keys(reader) : NULL;
        count++;
    }
    for (int k = 0; k < fil_scene_kind_count && keys != NULL; k++) {
        const FilSceneKind* kind = fil_scene_kinds[k];
        if (kind->section != NULL) {
            keys[count++] = (FilKey){.name = kind->section,
                                     .types = kind->form != 0 ? kind->form : FIL_IS_LIST,
                                     .flags = kind->form != 0 ? 0 : FIL_REPEATED,
                                     .keys = kind->make_keys != NULL ? kind->make_keys(scene) : kind->keys,
                                     .other = kind->other,
                                     .words = kind->make_words != NULL ? kind->make_words(scene) : NULL,
                                     .text = kind->text};
        }
    }
    return reader->status == FIL_OK ? keys : NULL;
}

/* ---- the world ---- */

static void create_world(FilScene* scene, const FilSceneOptions* options)
{
    if (scene->world != NULL) {
        return;  // it is extended
    }
    FilReader* reader = &scene->reader;
    FilWorldDef def = fil_world_def_default();
    const FilYaml* node = fil_read_node(reader, scene->root, "world", FIL_OPTIONAL);
    if (node != NULL) {
        fil_scene_read_world(reader, node, &def);
    }
    if (reader->status != FIL_OK) {
        return;
    }
    if (options->dt != 0.0) {
        def.dt = options->dt;
    }
    if (options->budget.contacts > 0) {
        def.max_contacts = options->budget.contacts;
    }
    if (options->contact_model != NULL) {
        def.contact_model = options->contact_model;
    }
    const FilYaml absent = fil_absent(scene->root, "world");
    FilError error = {{0}};
    fil_reader_take(reader, fil_world_create(&def, &scene->world, &error), node != NULL ? node : &absent, error.text);
    if (reader->status == FIL_OK && node != NULL) {
        fil_scene_read_models(reader, node, scene->world);
    }
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
    // two billion fit an int
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

/* A list for each section. */
static void make_lists(FilScene* scene)
{
    FilSceneList* lists = fil_reader_alloc(&scene->reader, (size_t)fil_scene_kind_count, sizeof *lists);
    for (int k = 0; k < fil_scene_kind_count && lists != NULL; k++) {
        const char* section = fil_scene_kinds[k]->section;
        lists[k].kind = fil_scene_kinds[k];
        lists[k].node = section != NULL ? fil_yaml_find(scene->root, section) : NULL;
    }
    scene->lists = lists;
    scene->list_count = lists != NULL ? fil_scene_kind_count : 0;
}

/* Whether the scene is to be built on. */
static bool goes_on(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilSceneOptions* options = scene->options;
    if (reader->status == FIL_OK && options->stop != NULL && options->stop(options->stop_context)) {
        reader->status = fil_error(reader->error, FIL_INTERRUPTED, "%.300s: the loading was interrupted", scene->path);
    }
    return reader->status == FIL_OK;
}

/* Has the kinds read their sections, or add what they have read to the world. */
static void go_through(FilScene* scene, bool adds)
{
    for (int k = 0; k < scene->list_count && goes_on(scene); k++) {
        FilSceneList* list = &scene->lists[k];
        void (*const step)(FilScene*, FilSceneList*) = adds ? list->kind->add : list->kind->read;
        if (step != NULL) {
            step(scene, list);
            fil_scene_index_lists(scene);
        }
    }
}

static void read_sections(FilScene* scene)
{
    go_through(scene, false);
    if (scene->reader.status == FIL_OK) {
        fil_scene_check_objects(scene);
    }
}

static void add_sections(FilScene* scene)
{
    go_through(scene, true);
}

/* Objects, and what is made of several. */
static bool is_entity(const FilSceneList* list)
{
    return list->kind->is_object || list->kind->brings_objects;
}

/* Gives the only object another name. */
static void name_object(FilScene* scene, const char* name)
{
    FilReader* reader = &scene->reader;
    FilYaml* only = NULL;
    int count = 0;
    for (int k = 0; k < scene->list_count && name != NULL && reader->status == FIL_OK; k++) {
        const FilSceneList* list = &scene->lists[k];
        if (is_entity(list) && list->node != NULL && list->node->count > 0) {
            only = list->node->first;
            count += list->node->count;
        }
    }
    if (name == NULL || reader->status != FIL_OK) {
        return;
    }
    if (count != 1) {
        fil_reader_fail(reader, scene->root, "a scene of %d objects cannot be called '%.60s'", count, name);
        return;
    }
    FilYaml* node = fil_reader_alloc(reader, 1, sizeof *node);
    FilYaml* old = fil_yaml_find(only, "name");
    if (node == NULL) {
        return;
    }
    *node = (FilYaml){.kind = FIL_YAML_SCALAR, .line = only->line, .file = only->file, .key = "name", .text = name};
    if (old != NULL) {
        fil_yaml_replace(old, node);
    } else {
        fil_yaml_append(only, node);
    }
}

/* Takes objects out of the lists once all are read, so that the others draw the same random numbers. */
static void leave_out(FilScene* scene, const FilSceneOptions* options)
{
    for (int k = 0; k < scene->list_count && scene->reader.status == FIL_OK; k++) {
        FilSceneList* list = &scene->lists[k];
        int kept = 0;
        for (int i = 0; i < list->count; i++) {
            bool out = false;
            for (int w = 0; w < options->without_count && is_entity(list); w++) {
                out = out || strcmp(list->items[i]->name, options->without[w]) == 0;
            }
            list->items[kept] = list->items[i];
            kept += !out;
        }
        list->count = kept;
    }
    fil_scene_index_lists(scene);
}

/* Contact models are not right for everything. */
static void check_world(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    if (reader->status == FIL_OK) {
        const FilYaml absent = fil_absent(scene->root, "world");
        const FilYaml* node = fil_read_node(reader, scene->root, "world", FIL_OPTIONAL);
        fil_reader_take(reader, fil_world_check(scene->world), node != NULL ? node : &absent, fil_world_error(scene->world));
    }
}

static void build(FilScene* scene, const FilSceneOptions* options, FilSceneInfo* info)
{
    FilReader* reader = &scene->reader;
    // of scenes that say nothing: long enough to see something move, short enough to wait for, and a hundred rows to plot
    *info = (FilSceneInfo){.duration = 1.0, .output_period = 0.01, .seed = 1, .plan = fil_plan_def_default()};
    scene->info = info;
    scene->root->parameters = fil_yaml_find(scene->root, "parameters");
    make_lists(scene);
    const FilKey* keys = root_keys(scene);
    if (keys == NULL || !fil_check_keys(reader, scene->root, keys)) {
        return;
    }
    read_seed(scene, options, info);
    if (scene->root->parameters != NULL) {
        fil_scene_check_parameters(reader, scene->root->parameters);
    }
    read_head(scene, info);
    fil_scene_expand_repeats(scene);
    fil_scene_read_groups(scene);
    name_object(scene, options->object_name);
    read_sections(scene);
    leave_out(scene, options);
    create_world(scene, options);
    add_sections(scene);
    fil_scene_apply_looks(scene);
    check_world(scene);
}

FilStatus fil_scene_keys(FilPool* pool, const FilKey** keys, FilError* error)
{
    FilYaml root = {.kind = FIL_YAML_MAPPING};
    FilScene scene = {.reader = {.error = error, .pool = pool}, .root = &root};
    make_lists(&scene);
    *keys = root_keys(&scene);
    return scene.reader.status;
}

static int min_of(int asked, int allowed)
{
    return asked > 0 && asked < allowed ? asked : allowed;
}

/* Into *world if there is one, else into one that is made. */
static FilStatus load(const FilSource* source, const FilSceneLimits* limits, const FilSceneOptions* options, FilWorld** world, FilSceneInfo* info,
                      FilError* error)
{
    const FilSceneOptions no_options = {0};
    FilSceneInfo own_info;
    FilError own_error;
    FilPool pool = {0};
    options = options != NULL ? options : &no_options;
    error = error != NULL ? error : &own_error;
    error->text[0] = '\0';
    FilScene scene = {.reader = {.error = error, .pool = &pool}, .limits = *limits, .path = source->path, .options = options, .world = *world};
    scene.limits.nodes = min_of(options->budget.nodes, limits->nodes);
    scene.limits.elements = min_of(options->budget.elements, limits->elements);
    FilMemoryBudget budget = {.limit = options->budget.bytes};
    FilMemoryBudget* outer = budget.limit > 0 ? fil_memory_enter(&budget) : NULL;
    FilYaml* root = NULL;
    const char** keys = scene_keys(&pool);
    FilStatus status = keys != NULL ? fil_document_load(source, limits, &pool, &root, error) : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    if (status == FIL_OK) {
        status = fil_document_set(root, options->settings, options->setting_count, keys, limits, &pool, error);
    }
    if (status == FIL_OK) {
        scene.root = root;
        build(&scene, options, info != NULL ? info : &own_info);
        status = scene.reader.status;
    }
    fil_pool_free(&pool);
    if (budget.limit > 0) {
        fil_memory_enter(outer);
    }
    const bool made = scene.world != *world;
    if (status == FIL_OK && made) {
        *world = scene.world;
        fil_world_set_memory_limit(scene.world, budget.limit, budget.used);
    } else if (made) {
        fil_world_destroy(scene.world);
    }
    return status != FIL_OUT_OF_MEMORY || !budget.exceeded
               ? status
               : fil_error(error, status, "%s: the scene needs more than the %zu bytes that it may take", source->path, budget.limit);
}

FilStatus fil_scene_load_limited(const FilSource* source, const FilSceneLimits* limits, const FilSceneOptions* options, FilWorld** world,
                                 FilSceneInfo* info, FilError* error)
{
    *world = NULL;
    return load(source, limits, options, world, info, error);
}

FilStatus fil_scene_load(const char* path, const FilSceneOptions* options, FilWorld** world, FilSceneInfo* info, FilError* error)
{
    const FilSceneLimits limits = fil_scene_limits_default();
    const FilSource source = {.path = path, .folders = options != NULL ? options->folders : NULL};
    return fil_scene_load_limited(&source, &limits, options, world, info, error);
}

FilStatus fil_scene_load_text(const char* name, const char* text, size_t size, const FilSceneOptions* options, FilWorld** world, FilSceneInfo* info,
                              FilError* error)
{
    const FilSceneLimits limits = fil_scene_limits_default();
    const FilSource source = {.path = name, .text = text, .size = size, .folders = options != NULL ? options->folders : NULL};
    return fil_scene_load_limited(&source, &limits, options, world, info, error);
}

FilStatus fil_scene_extend(FilWorld* world, const char* name, const char* text, size_t size, const FilSceneOptions* options, FilError* error)
{
    const FilSceneLimits limits = fil_scene_limits_default();
    const FilSource source = {.path = name, .text = text, .size = size, .folders = options != NULL ? options->folders : NULL};
    return load(&source, &limits, options, &world, NULL, error);
}
