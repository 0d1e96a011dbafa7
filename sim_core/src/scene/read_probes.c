/* probes: named numbers to measure. A vector without a component gives one probe per component. */
#include <stdio.h>
#include <string.h>

#include "scene/kinds.h"

static const char* const component_words[] = {"x", "y", "z", "norm", NULL};

/* ---- what is measured ---- */

/* What a quantity is measured of: any object by the word of its kind, one of a certain kind, or the world. */
static bool is_of(const FilQuantityInfo* info, const char* subject)
{
    return strcmp(info->subject, subject) == 0;
}

/* Keys that a quantity takes. */
static const FilKey* target_keys(FilScene* scene, const char* const* objects, const FilQuantityInfo* info)
{
    FilKey* keys = fil_reader_alloc(&scene->reader, FIL_SCENE_MAX_KINDS + 4, sizeof *keys);
    if (keys == NULL) {
        return NULL;
    }
    int count = 0;
    for (int k = 0; objects[k] != NULL && is_of(info, "object"); k++) {
        keys[count++] = (FilKey)FIL_KEY_TEXT(objects[k], FIL_VARIANT, "", fil_scene_list(scene, objects[k])->kind->title);
    }
    if (count == 0 && !is_of(info, "world")) {
        keys[count++] = (FilKey)FIL_KEY_TEXT(info->subject, FIL_REQUIRED, "", "");
    }
    if (info->part != NULL) {
        const bool named = fil_scene_list(scene, info->subject)->kind->find_part != NULL;
        keys[count++] = (FilKey)FIL_KEY_MANY(info->part, named ? FIL_IS_TEXT : FIL_IS_WHOLE, 0, FIL_REQUIRED, "", "", "");
    }
    keys[count] = (FilKey)FIL_KEY_WORD("component", component_words, "one probe for each", "of what has several numbers");
    return keys;
}

/* Rows of a probe: all quantities. */
static const FilKey* make_keys(FilScene* scene)
{
    const int count = fil_quantity_count();
    const char* const* objects = fil_scene_object_words(scene);
    FilKey* keys = fil_reader_alloc(&scene->reader, (size_t)count + 1, sizeof *keys);
    for (int k = 0; k < count && keys != NULL && objects != NULL; k++) {
        const FilQuantityInfo info = fil_quantity_info(k);
        keys[k] = (FilKey)FIL_KEY_MAPPING(info.name, target_keys(scene, objects, &info), FIL_VARIANT, "");
    }
    return keys;
}

/* What the whole world has needs no mapping. */
static const char* const* make_words(FilScene* scene)
{
    const int count = fil_quantity_count();
    const char** words = fil_reader_alloc(&scene->reader, (size_t)count + 1, sizeof *words);
    int used = 0;
    for (int k = 0; k < count && words != NULL; k++) {
        const FilQuantityInfo info = fil_quantity_info(k);
        if (is_of(&info, "world")) {
            words[used++] = info.name;
        }
    }
    return words;
}

/* What the probe measures on. */
static void read_target(FilScene* scene, const FilYaml* body, const char* const* objects, const FilQuantityInfo* info, FilProbeDef* def)
{
    FilReader* reader = &scene->reader;
    const char* word = info->subject;
    if (is_of(info, "world")) {
        return;
    }
    if (is_of(info, "object")) {
        FilYaml* given = NULL;
        const int found = fil_read_variant(reader, body, objects, &given);
        if (found < 0) {
            return;
        }
        word = objects[found];
    }
    const FilSceneItem* item = fil_scene_read_item(scene, body, word, word, FIL_REQUIRED);
    if (item == NULL) {
        return;
    }
    def->of = item->id;
    if (info->part != NULL) {
        fil_scene_read_part(scene, body, fil_scene_list(scene, word)->kind, item, info->part, &def->index);
    }
}

/* ---- probes ---- */

static void add_probe(FilScene* scene, const FilYaml* at, const FilProbeDef* def)
{
    FilId id = {0};
    fil_scene_take(scene, fil_world_add_probe(scene->world, def, &id), at);
}

/* One probe for the component asked for, or one for each. */
static void add_components(FilScene* scene, const FilYaml* node, const FilYaml* body, int dimension, FilProbeDef* def)
{
    FilReader* reader = &scene->reader;
    int component = 0;
    if (body != NULL && fil_read_choice(reader, body, "component", component_words, &component)) {
        const bool norm = component == 3;
        if (dimension == 1 || (!norm && component >= dimension)) {
            fil_reader_fail(reader, fil_yaml_find(body, "component"), "'%s' has %d component%s", node->key, dimension,
                            dimension == 1 ? " only" : "s");
            return;
        }
        def->component = norm ? -1 : component;
        add_probe(scene, node, def);
        return;
    }
    if (dimension == 1) {
        def->component = 0;
        add_probe(scene, node, def);
        return;
    }
    char* name = fil_reader_alloc(reader, strlen(node->key) + 3, 1);
    for (int k = 0; k < dimension && reader->status == FIL_OK; k++) {
        sprintf(name, "%s_%s", node->key, component_words[k]);
        def->name = name;
        def->component = k;
        add_probe(scene, node, def);
    }
}

static const char* quantity_word(int number)
{
    return fil_quantity_info(number).name;
}

/* name: {quantity: {...}}, or name: quantity where the world as a whole is measured. */
static void read_probe(FilScene* scene, const FilYaml* node, const char* const* words, const char* const* objects, const FilKey* keys)
{
    FilReader* reader = &scene->reader;
    FilProbeDef def = fil_probe_def_default();
    FilYaml* body = NULL;
    int quantity = 0;
    if (node->kind == FIL_YAML_SCALAR) {
        if (!fil_read_choice(reader, node->parent, node->key, words, &quantity)) {
            return;
        }
        const FilQuantityInfo chosen = fil_quantity_info(quantity);
        if (!is_of(&chosen, "world")) {
            fil_reader_fail(reader, node, "'%s' needs to know of what: {%s: {...}}", words[quantity], words[quantity]);
            return;
        }
    } else {
        quantity = fil_check_keys(reader, node, keys) ? fil_read_variant(reader, node, words, &body) : -1;
    }
    if (quantity < 0) {
        return;
    }
    const FilQuantityInfo info = fil_quantity_info(quantity);
    def.name = node->key;
    def.quantity = info.name;
    if (body != NULL && fil_check_keys(reader, body, keys[quantity].keys)) {
        read_target(scene, body, objects, &info, &def);
    }
    if (reader->status == FIL_OK) {
        add_components(scene, node, body, fil_quantity_components(scene->world, quantity, def.of), &def);
    }
}

static void add_probes(FilScene* scene, FilSceneList* section)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = section->node;
    if (list == NULL) {
        return;
    }
    if (list->kind != FIL_YAML_MAPPING) {
        fil_reader_fail(reader, list, "expected a mapping of names to probes");
    }
    const char *const *words = fil_make_words(reader, fil_quantity_count(), quantity_word), *const *objects = fil_scene_object_words(scene);
    const FilKey* keys = make_keys(scene);
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        if (fil_check_name(reader, node, node->key)) {
            read_probe(scene, node, words, objects, keys);
        }
    }
}

const FilSceneKind fil_scene_probes = {.section = "probes",
                                       .title = "probe",
                                       .text = "named numbers to measure",
                                       .form = FIL_IS_NAMED,
                                       .make_keys = make_keys,
                                       .make_words = make_words,
                                       .add = add_probes};
