/* repeat: elements of the scene's lists that stand for many, and parameters of their own.
 *
 * An element with `repeat: N` is replaced by N copies before anything else is read. Each has the parameter `index`,
 * from 0 to N - 1, and its own copy of the element's `parameters`; a plain name gets the index appended.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/scene_build.h"

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

/* ---- repeated elements ---- */

/* Takes a key out of a mapping; NULL if it has none. */
static FilYaml* take_key(const FilYaml* mapping, const char* key)
{
    FilYaml* node = mapping->kind == FIL_YAML_MAPPING ? fil_yaml_find(mapping, key) : NULL;
    if (node != NULL) {
        fil_yaml_remove(node);
    }
    return node;
}

/* Makes `parameters` those of the element; they stay inside of it for messages and for what they use themselves. */
static void own_parameters(FilYaml* element, FilYaml* parameters)
{
    parameters->parent = element;
    element->parameters = parameters;
}

/* The parameter `index`, in front of the copy's own ones. */
static void add_index(FilReader* reader, FilYaml* element, const FilYaml* repeat, int index)
{
    FilYaml* own = element->parameters;
    FilYaml* node = fil_reader_alloc(reader, 1, sizeof *node);
    if (own == NULL) {
        own = fil_reader_alloc(reader, 1, sizeof *own);
    }
    if (reader->status != FIL_OK) {
        return;
    }
    if (element->parameters == NULL) {
        *own = (FilYaml){.kind = FIL_YAML_MAPPING, .file = repeat->file, .line = repeat->line, .key = "parameters"};
        own_parameters(element, own);
    }
    const FilYaml* taken = fil_yaml_find(own, "index");
    if (taken != NULL) {
        fil_reader_fail(reader, taken, "the name 'index' is that of the copy's own number");
    }
    *node = (FilYaml){
        .kind = FIL_YAML_SCALAR, .file = repeat->file, .line = repeat->line, .key = "index", .text = "", .memo = FIL_YAML_KNOWN, .value = index};
    fil_yaml_append(own, node);
}

/* ring becomes ring3; a name with an expression in it is left to that. */
static void number_name(FilReader* reader, FilYaml* element, int index)
{
    FilYaml* name = fil_yaml_find(element, "name");
    if (name == NULL || name->kind != FIL_YAML_SCALAR || strstr(name->text, "$(") != NULL) {
        return;
    }
    const size_t size = strlen(name->text) + 12;
    char* text = fil_reader_alloc(reader, size, 1);
    if (text != NULL) {
        snprintf(text, size, "%s%d", name->text, index);
        name->text = text;
    }
}

/* Appends the copies of a template to its list. */
static void copy_element(FilScene* scene, FilYaml* list, FilYaml* element, FilYaml* repeat)
{
    FilReader* reader = &scene->reader;
    double count = 0.0;
    repeat->parent = element;
    if (!fil_value_number(reader, repeat, FIL_NOT_NEGATIVE, &count)) {
        return;
    }
    // an expression may miss a whole number by rounding
    const double whole = round(count);
    if (count > scene->limits.values || fabs(count - whole) > 1e-9 * fmax(1.0, count)) {
        fil_reader_fail(reader, repeat, "expected a whole number up to %d, got %g", scene->limits.values, count);
    }
    for (int k = 0; k < (int)whole && reader->status == FIL_OK; k++) {
        FilYaml* copy = fil_yaml_copy(element, reader->pool, &scene->copies_left);
        FilYaml* own = copy != NULL && element->parameters != NULL ? fil_yaml_copy(element->parameters, reader->pool, &scene->copies_left) : NULL;
        if (scene->copies_left < 0) {
            fil_reader_fail(reader, repeat, "copies of more than %d values in one scene", scene->limits.values);
        } else if (copy == NULL || (own == NULL && element->parameters != NULL)) {
            reader->status = fil_error(reader->error, FIL_OUT_OF_MEMORY, "out of memory while reading the scene");
        }
        if (reader->status != FIL_OK) {
            return;
        }
        fil_yaml_append(list, copy);
        if (own != NULL) {
            own_parameters(copy, own);
        }
        add_index(reader, copy, repeat, k);
        number_name(reader, copy, k);
        if (reader->status == FIL_OK) {
            fil_scene_check_parameters(reader, copy->parameters);
        }
    }
}

void fil_scene_expand_list(FilScene* scene, FilYaml* list)
{
    FilReader* reader = &scene->reader;
    FilYaml* next = list->first;
    list->first = list->last = NULL;
    list->count = 0;
    for (FilYaml* element = next; element != NULL && reader->status == FIL_OK; element = next) {
        next = element->next;
        FilYaml* repeat = take_key(element, "repeat");
        FilYaml* own = take_key(element, "parameters");
        if (own != NULL) {
            own_parameters(element, own);
        }
        if (repeat != NULL) {
            copy_element(scene, list, element, repeat);
            continue;
        }
        fil_yaml_append(list, element);
        if (own != NULL) {
            fil_scene_check_parameters(reader, own);
        }
    }
}

void fil_scene_expand_repeats(FilScene* scene)
{
    scene->copies_left = scene->limits.values;
    for (FilYaml* section = scene->root->first; section != NULL && scene->reader.status == FIL_OK; section = section->next) {
        if (section->kind == FIL_YAML_LIST) {
            fil_scene_expand_list(scene, section);
        }
    }
}
