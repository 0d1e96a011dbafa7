/* `--set path=value`: settings of the command line, put into a scene's tree before it is read. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/document.h"
#include "scene/names.h"

/* Paths tried for a guess; a scene with more is too large to guess in. */
#define MAX_CANDIDATES 5000

typedef struct Setter {
    FilYaml* root;
    const FilYaml* parameters; /* or NULL */
    const char* const* root_keys;
    const FilSceneLimits* limits;
    FilPool* pool;
    FilError* error;
} Setter;

/* Copies the part before the next dot and returns what follows it; NULL: nothing follows. */
static const char* next_part(const char* path, char* part, size_t size)
{
    const size_t length = strcspn(path, ".");
    snprintf(part, size, "%.*s", (int)length, path);
    return path[length] == '.' ? path + length + 1 : NULL;
}

/* Tries the paths of a mapping's children, and of what is inside them. */
static void guess_paths(FilGuess* guess, FilPool* pool, const FilYaml* node, const char* prefix, int* budget)
{
    for (const FilYaml* child = node->first; child != NULL && *budget > 0; child = child->next) {
        const FilYaml* name = fil_yaml_find(child, "name");
        const char* part = child->key != NULL ? child->key : name != NULL ? name->text : NULL;
        if (part == NULL) {
            continue;
        }
        --*budget;
        char path[96];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix != '\0' ? "." : "", part);
        const char* old = guess->best;
        fil_guess_try(guess, path);
        if (guess->best == path) {
            const char* kept = fil_pool_text(pool, path, strlen(path));
            guess->best = kept != NULL ? kept : old;
        }
        guess_paths(guess, pool, child, path, budget);
    }
}

static FilStatus unknown_path(const Setter* setter, const FilYaml* at, const char* path)
{
    FilGuess guess = fil_guess_start(path);
    int budget = MAX_CANDIDATES;
    if (setter->parameters != NULL) {
        guess_paths(&guess, setter->pool, setter->parameters, "", &budget);
    }
    guess_paths(&guess, setter->pool, setter->root, "", &budget);
    for (int k = 0; setter->root_keys[k] != NULL; k++) {
        fil_guess_try(&guess, setter->root_keys[k]);
    }
    if (guess.best != NULL) {
        return fil_yaml_error(setter->error, at, "no such path '%.60s'; did you mean '%.90s'?", path, guess.best);
    }
    return fil_yaml_error(setter->error, at, "no such path '%.60s'", path);
}

static bool is_root_key(const Setter* setter, const char* key)
{
    int k = 0;
    while (setter->root_keys[k] != NULL && strcmp(setter->root_keys[k], key) != 0) {
        k++;
    }
    return setter->root_keys[k] != NULL;
}

/* A value of the command line stands in no line. */
static void forget_lines(FilYaml* node)
{
    node->line = 0;
    for (FilYaml* child = node->first; child != NULL; child = child->next) {
        forget_lines(child);
    }
}

static FilStatus parse_value(const Setter* setter, const FilYaml* at, const char* value, FilYaml** node)
{
    if (value[strspn(value, " \t")] == '\0') {
        return fil_yaml_error(setter->error, at, "has no value");
    }
    int values = 0;
    const FilStatus status = fil_yaml_parse(at->file, value, strlen(value), setter->limits, &values, setter->pool, node, setter->error);
    if (status == FIL_OK) {
        forget_lines(*node);
    }
    return status;
}

/* A key that the mapping does not have yet: the value itself, or a mapping on the way to it. */
static FilYaml* add_key(const Setter* setter, FilYaml* mapping, const char* key, const char* file, FilYaml* value)
{
    FilYaml* child = value != NULL ? value : fil_pool_alloc(setter->pool, 1, sizeof *child);
    const char* copy = fil_pool_text(setter->pool, key, strlen(key));
    if (child == NULL || copy == NULL) {
        return NULL;
    }
    if (value == NULL) {
        child->kind = FIL_YAML_MAPPING;
        child->file = file;
    }
    child->key = copy;
    fil_yaml_append(mapping, child);
    return child;
}

/* Follows the path from `node`; below a known key of the scene, what is missing is added and left to the reader to
 * judge. Lists and parameters are closed: *known is false where a name in the path is none of theirs. */
static FilStatus put(const Setter* setter, FilYaml* node, const char* path, bool open, FilYaml* value, bool* known)
{
    *known = true;
    while (path != NULL) {
        char part[96];
        path = next_part(path, part, sizeof part);
        FilYaml* child = fil_yaml_child(node, part);
        open = open && (child == NULL || child != setter->parameters);
        if (child != NULL && path == NULL) {
            fil_yaml_replace(child, value);
        } else if (child == NULL) {
            *known = open && node->kind == FIL_YAML_MAPPING && (node != setter->root || is_root_key(setter, part));
            if (!*known) {
                return FIL_OK;
            }
            child = add_key(setter, node, part, value->file, path == NULL ? value : NULL);
            if (child == NULL) {
                return fil_error(setter->error, FIL_OUT_OF_MEMORY, "out of memory");
            }
        }
        node = child;
    }
    return FIL_OK;
}

static FilStatus apply(const Setter* setter, const FilSetting* setting)
{
    char* file = fil_pool_alloc(setter->pool, 128, 1);
    if (file == NULL) {
        return fil_error(setter->error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    snprintf(file, 128, "--set %.60s=%.40s", setting->path, setting->value);
    FilYaml place = {.kind = FIL_YAML_SCALAR, .file = file, .key = setting->path, .parent = setter->root};
    FilYaml* value = NULL;
    FilStatus status = parse_value(setter, &place, setting->value, &value);
    bool known = false;
    if (status == FIL_OK && setter->parameters != NULL) {
        status = put(setter, (FilYaml*)setter->parameters, setting->path, false, value, &known);
    }
    if (status == FIL_OK && !known) {
        status = put(setter, setter->root, setting->path, true, value, &known);
    }
    return status == FIL_OK && !known ? unknown_path(setter, &place, setting->path) : status;
}

FilStatus fil_document_set(FilYaml* root, const FilSetting* settings, int count, const char* const* root_keys, const FilSceneLimits* limits,
                           FilPool* pool, FilError* error)
{
    Setter setter = {.root = root, .root_keys = root_keys, .limits = limits, .pool = pool, .error = error};
    FilStatus status = FIL_OK;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        setter.parameters = fil_yaml_find(root, "parameters");
        status = apply(&setter, &settings[k]);
    }
    return status;
}
