/* Lists of what the sections of a scene make, and who is called what. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "scene/scene_build.h"

/* ---- names ---- */

void fil_scene_index_names(FilScene* scene, const char* const* names, const FilYaml* const* ats, int count, FilNames* index)
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

const char* fil_scene_number_name(FilReader* reader, const char* name, int number)
{
    const size_t size = strlen(name) + 12;
    char* text = fil_reader_alloc(reader, size, 1);
    if (text != NULL) {
        snprintf(text, size, "%s%d", name, number);
    }
    return text;
}

void fil_scene_count(FilScene* scene, const FilYaml* at, int nodes, int elements)
{
    FilReader* reader = &scene->reader;
    if (reader->status != FIL_OK) {
        return;
    }
    if (nodes > scene->limits.nodes - scene->node_count) {
        fil_reader_fail(reader, at, "more than %d nodes in one scene", scene->limits.nodes);
    } else if (elements > scene->limits.elements - scene->element_count) {
        fil_reader_fail(reader, at, "more than %d elements in one scene", scene->limits.elements);
    } else {
        scene->node_count += nodes;
        scene->element_count += elements;
    }
}

/* ---- files ---- */

const char* fil_scene_file(FilScene* scene, const FilYaml* at, const char* name)
{
    FilReader* reader = &scene->reader;
    FilError reason;
    if (reader->status != FIL_OK) {
        return NULL;
    }
    // a setting of the command line stands in no file: then it is the scene's folder
    const char* path = fil_document_path(reader->pool, at->line > 0 ? at->file : scene->path, name);
    if (path == NULL) {
        reader->status = fil_error(reader->error, FIL_OUT_OF_MEMORY, "out of memory while reading the scene");
    } else if (!fil_file_check(path, scene->options->folders, &reason)) {
        fil_reader_fail(reader, at, "'%.200s' cannot be opened: %s", path, reason.text);
    }
    return reader->status == FIL_OK ? path : NULL;
}

/* ---- lists ---- */

FilSceneList* fil_scene_list(const FilScene* scene, const char* word)
{
    for (int k = 0; k < scene->list_count; k++) {
        if (scene->lists[k].kind->word != NULL && strcmp(scene->lists[k].kind->word, word) == 0) {
            return &scene->lists[k];
        }
    }
    FIL_ASSERT(false && "a word of a kind");
    return NULL;
}

FilSceneItem* fil_scene_new_item(FilScene* scene, FilSceneList* list, const char* name, const FilYaml* at, size_t size)
{
    FilReader* reader = &scene->reader;
    if (list->count == list->capacity) {
        const int capacity = 2 * list->capacity + 8;
        FilSceneItem** items = fil_reader_alloc(reader, (size_t)capacity, sizeof *items);
        if (items == NULL) {
            return NULL;
        }
        if (list->count > 0) {
            memcpy(items, list->items, (size_t)list->count * sizeof *items);
        }
        list->items = items;
        list->capacity = capacity;
    }
    FilSceneItem* item = fil_reader_alloc(reader, 1, sizeof *item);
    void* def = size > 0 ? fil_reader_alloc(reader, 1, size) : NULL;
    if (reader->status != FIL_OK) {
        return NULL;
    }
    *item = (FilSceneItem){.name = name, .at = at, .def = def};
    list->items[list->count++] = item;
    return item;
}

/* All items of some lists behind each other. */
static void index_items(FilScene* scene, const FilSceneList* lists, int list_count, bool objects_only, FilNames* index)
{
    FilReader* reader = &scene->reader;
    int total = 0;
    for (int k = 0; k < list_count; k++) {
        total += lists[k].kind->is_object || !objects_only ? lists[k].count : 0;
    }
    const char** names = fil_reader_alloc(reader, (size_t)total, sizeof *names);
    const FilYaml** ats = fil_reader_alloc(reader, (size_t)total, sizeof *ats);
    int count = 0;
    for (int k = 0; k < list_count && reader->status == FIL_OK; k++) {
        for (int i = 0; i < lists[k].count && (lists[k].kind->is_object || !objects_only); i++) {
            names[count] = lists[k].items[i]->name;
            ats[count++] = lists[k].items[i]->at;
        }
    }
    fil_scene_index_names(scene, names, ats, count, index);
}

void fil_scene_index_lists(FilScene* scene)
{
    for (int k = 0; k < scene->list_count && scene->reader.status == FIL_OK; k++) {
        FilSceneList* list = &scene->lists[k];
        if (list->names.count != list->count) {
            index_items(scene, list, 1, false, &list->names);
        }
    }
}

void fil_scene_start_items(FilScene* scene, FilSceneList* list, size_t size)
{
    FilReader* reader = &scene->reader;
    if (list->node == NULL || !fil_check_list(reader, list->node, list->kind->section)) {
        return;
    }
    int number = 0;
    for (const FilYaml* node = list->node->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        const char* name = NULL;
        if (!fil_read_name(reader, node, "name", FIL_OPTIONAL, &name) && reader->status == FIL_OK) {
            name = fil_scene_number_name(reader, list->kind->word, number);
        }
        number++;
        fil_scene_new_item(scene, list, name, node, size);
    }
    fil_scene_index_lists(scene);
}

void fil_scene_check_objects(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    FilNames index = {0};
    index_items(scene, scene->lists, scene->list_count, true, &index);
    char words[200] = "";
    size_t length = 0;
    int count = 0;
    for (int k = 0; k < scene->list_count; k++) {
        const FilSceneKind* kind = scene->lists[k].kind;
        count += scene->lists[k].count;
        if (kind->word != NULL && kind->read != NULL && length < sizeof words) {
            length += (size_t)snprintf(words + length, sizeof words - length, "%s%s", length > 0 ? ", " : "", kind->title);
        }
    }
    if (count == 0) {
        fil_reader_fail(reader, scene->root, "a scene needs at least one object: %s", words);
    }
}

void fil_scene_apply_looks(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    for (int l = 0; l < scene->list_count; l++) {
        const FilSceneList* list = &scene->lists[l];
        for (int k = 0; k < list->count && list->kind->is_object && reader->status == FIL_OK; k++) {
            const FilSceneItem* item = list->items[k];
            const char* text = NULL;
            FilLook look = fil_look_default();
            fil_read_flag(reader, item->at, "visible", &look.visible);
            look.colored = fil_read_text(reader, item->at, "color", FIL_OPTIONAL, &text);
            if (look.colored && !fil_color_parse(text, &look.color)) {
                fil_reader_fail(reader, fil_yaml_find(item->at, "color"),
                                "'%.40s' is no colour: #rrggbb, #rrggbbaa or a name of CSS such as steelblue", text);
            }
            if (reader->status == FIL_OK && (look.colored || !look.visible)) {
                fil_scene_take(scene, fil_world_set_look(scene->world, item->id, &look), item->at);
            }
        }
    }
}

void fil_scene_take(FilScene* scene, FilStatus status, const FilYaml* at)
{
    if (status != FIL_OK) {
        fil_reader_take(&scene->reader, status, at, fil_world_error(scene->world));
    }
}

/* ---- references ---- */

const FilSceneItem* fil_scene_value_item(FilScene* scene, FilYaml* node, const char* word)
{
    const FilSceneList* list = fil_scene_list(scene, word);
    int index = 0;
    return fil_value_reference(&scene->reader, node, &list->names, list->kind->title, &index) ? list->items[index] : NULL;
}

const FilSceneItem* fil_scene_read_item(FilScene* scene, const FilYaml* mapping, const char* key, const char* word, unsigned flags)
{
    FilYaml* node = fil_read_node(&scene->reader, mapping, key, flags);
    return node != NULL ? fil_scene_value_item(scene, node, word) : NULL;
}

const FilSceneItem* fil_scene_read_object(FilScene* scene, const FilYaml* mapping, const char* key)
{
    FilReader* reader = &scene->reader;
    const char* name = NULL;
    if (!fil_read_text(reader, mapping, key, FIL_REQUIRED, &name)) {
        return NULL;
    }
    for (int k = 0; k < scene->list_count; k++) {
        const FilSceneList* list = &scene->lists[k];
        const int index = list->kind->is_object ? fil_names_find(&list->names, name) : -1;
        if (index >= 0) {
            return list->items[index];
        }
    }
    FilGuess guess = fil_guess_start(name);
    for (int k = 0; k < scene->list_count; k++) {
        const FilSceneList* list = &scene->lists[k];
        for (int i = 0; i < list->count && list->kind->is_object; i++) {
            fil_guess_try(&guess, list->items[i]->name);
        }
    }
    fil_reader_fail(reader, fil_yaml_find(mapping, key), "unknown object '%.40s'%s", name, fil_hint(&guess).text);
    return NULL;
}

const char* const* fil_scene_object_words(FilScene* scene)
{
    const char** words = fil_reader_alloc(&scene->reader, (size_t)scene->list_count + 1, sizeof *words);
    int count = 0;
    for (int k = 0; k < scene->list_count && words != NULL; k++) {
        if (scene->lists[k].kind->is_object) {
            words[count++] = scene->lists[k].kind->word;
        }
    }
    return words;
}
