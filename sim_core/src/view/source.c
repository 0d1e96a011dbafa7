#include "view/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "scene/yaml_tree.h"
#include "view/text.h"

/* Settings of the command line and of the page together: room on the stack. */
enum { MAX_SETTINGS = 256 };

/* ---- parameters ---- */

static void list_parameters(FilSource* source, const FilYaml* node, const char* path)
{
    for (const FilYaml* child = node->first; child != NULL; child = child->next) {
        char name[120];
        const int length = snprintf(name, sizeof name, "%s%s%s", path, path[0] != '\0' ? "." : "", child->key);
        if (length < 0 || (size_t)length >= sizeof name || source->parameter_count == FIL_SOURCE_PARAMETERS) {
            continue;
        }
        if (child->kind == FIL_YAML_MAPPING) {
            list_parameters(source, child, name);
        }
        char* end = NULL;
        const double value = child->kind == FIL_YAML_SCALAR && child->plain ? strtod(child->text, &end) : NAN;
        if (end != NULL && end != child->text && *end == '\0' && isfinite(value)) {
            FilSourceParameter* parameter = &source->parameters[source->parameter_count++];
            *parameter = (FilSourceParameter){.value = value, .whole = value != 0.0 && strpbrk(child->text, ".eE") == NULL};
            snprintf(parameter->path, sizeof parameter->path, "%s", name);
        }
    }
}

static void find_parameters(FilSource* source)
{
    const FilSceneLimits limits = fil_scene_limits_default();
    FilPool pool = {0};
    FilYaml* root = NULL;
    FilError error = {""};
    int values = 0;
    source->parameter_count = 0;
    if (fil_yaml_parse(source->name, source->text, source->size, &limits, &values, &pool, &root, &error) == FIL_OK && root != NULL &&
        root->kind == FIL_YAML_MAPPING && fil_yaml_find(root, "parameters") != NULL) {
        list_parameters(source, fil_yaml_find(root, "parameters"), "");
    }
    fil_pool_free(&pool);
    // what the command line has set is what they are
    for (int i = 0; i < source->parameter_count; ++i) {
        for (int k = 0; k < source->options.setting_count; ++k) {
            char* end = NULL;
            const FilSetting* setting = &source->options.settings[k];
            const double value = strtod(setting->value, &end);
            if (strcmp(setting->path, source->parameters[i].path) == 0 && end != setting->value && isfinite(value)) {
                source->parameters[i].value = value;
            }
        }
    }
}

/* ---- the text ---- */

void fil_source_read(FilSource* source, const FilSimulation* simulation, const FilSceneOptions* options)
{
    *source = (FilSource){.options = options != NULL ? *options : (FilSceneOptions){0}};
    snprintf(source->name, sizeof source->name, "%s", simulation->scene_path);
    FILE* file = fopen(source->name, "rb");
    char* text = malloc(FIL_SOURCE_BYTES + 1);
    const size_t size = file != NULL && text != NULL ? fread(text, 1, FIL_SOURCE_BYTES + 1, file) : 0;
    if (size > 0 && size <= FIL_SOURCE_BYTES && !ferror(file)) {
        source->text = fil_view_copy_text(text, size);
        source->size = size;
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
    if (source->text != NULL) {
        find_parameters(source);
    }
}

void fil_source_free(FilSource* source)
{
    free(source->text);
    source->text = NULL;
}

/* ---- changes ---- */

/* The options of the command line, with the parameters' values of now where `parameters` is true. */
static FilStatus load(FilSource* source, FilSimulation* simulation, const char* text, size_t size, bool parameters, FilError* error)
{
    FilSetting settings[MAX_SETTINGS];
    char values[FIL_SOURCE_PARAMETERS][32];
    FilSceneOptions options = source->options;
    options.settings = settings;
    options.setting_count = 0;
    for (int i = 0; i < source->options.setting_count && i < MAX_SETTINGS - FIL_SOURCE_PARAMETERS; ++i) {
        settings[options.setting_count++] = source->options.settings[i];
    }
    for (int i = 0; parameters && i < source->parameter_count; ++i) {
        snprintf(values[i], sizeof values[i], "%.17g", source->parameters[i].value);
        settings[options.setting_count++] = (FilSetting){source->parameters[i].path, values[i]};
    }
    return fil_simulation_load_text(simulation, source->name, text, size, &options, error);
}

FilStatus fil_source_change_text(FilSource* source, FilSimulation* simulation, const char* text, size_t size, FilError* error)
{
    char* copy = source->text != NULL && size <= FIL_SOURCE_BYTES ? fil_view_copy_text(text, size) : NULL;
    if (copy == NULL) {
        return fil_error(error, FIL_BAD_INPUT, source->text == NULL ? "this scene has no text to be changed" : "the text is too long");
    }
    const FilStatus status = load(source, simulation, copy, size, false, error);
    if (status != FIL_OK) {
        free(copy);
        return status;
    }
    free(source->text);
    source->text = copy;
    source->size = size;
    find_parameters(source);
    return FIL_OK;
}

FilStatus fil_source_change_parameter(FilSource* source, FilSimulation* simulation, int index, double value, FilError* error)
{
    if (index < 0 || index >= source->parameter_count || !isfinite(value)) {
        return fil_error(error, FIL_BAD_INPUT, "there is no such parameter");
    }
    const double before = source->parameters[index].value;
    source->parameters[index].value = source->parameters[index].whole ? round(value) : value;
    const FilStatus status = load(source, simulation, source->text, source->size, true, error);
    if (status != FIL_OK) {
        source->parameters[index].value = before;
    }
    return status;
}
