/* A YAML document as a small tree that remembers where everything was written.
 *
 * Only what a scene needs: scalars, lists and mappings with scalar keys. Anchors, aliases, tags and a second document
 * are refused, and so is a mapping that gives a key twice. Nodes live in a pool and are freed with it.
 */
#ifndef FILUM_SCENE_YAML_TREE_H
#define FILUM_SCENE_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "filum/base.h"
#include "scene/pool.h"

typedef enum FilYamlKind {
    FIL_YAML_SCALAR,
    FIL_YAML_LIST,
    FIL_YAML_MAPPING,
} FilYamlKind;

/* How far the number behind a scalar is known; see fil_value_number(). */
typedef enum FilYamlMemo {
    FIL_YAML_UNKNOWN,
    FIL_YAML_EVALUATING,
    FIL_YAML_KNOWN,
} FilYamlMemo;

typedef struct FilYaml {
    FilYamlKind kind;
    bool plain;       /* a scalar without quotes */
    int line;         /* of the key where there is one, 1-based; 0: not from a file */
    const char* file; /* as shown in messages */
    const char* key;  /* in a mapping; else NULL */
    const char* text; /* of a scalar; else NULL */
    struct FilYaml* parent;
    struct FilYaml *first, *last, *next; /* children in order of appearance, next sibling */
    int count;                           /* of children */
    struct FilYaml* parameters;          /* that expressions inside of this node may use; NULL: none of its own */
    FilYamlMemo memo;
    double value; /* when memo is FIL_YAML_KNOWN */
} FilYaml;

/* Bounds that keep a hostile or mistaken file from taking the machine with it. */
typedef struct FilSceneLimits {
    size_t file_bytes;
    size_t line_bytes;
    int values; /* scalars, lists and mappings, over all files of a scene */
    int keys;   /* of one mapping */
    int depth;  /* of nesting */
    int files;
    int nodes;    /* of everything together */
    int elements; /* of cloth and solids together */
} FilSceneLimits;

FilSceneLimits fil_scene_limits_default(void);

/* Checks the text against the limits and parses it. `values` counts on over several documents. */
FIL_MUST_CHECK FilStatus fil_yaml_parse(const char* file, const char* text, size_t size, const FilSceneLimits* limits, int* values, FilPool* pool,
                                        FilYaml** root, FilError* error);

/* The value of a key, or NULL. */
FilYaml* fil_yaml_find(const FilYaml* mapping, const char* key);

/* The child called `part`: a mapping's key, a list's element by its `name` or by its number; or NULL. */
FilYaml* fil_yaml_child(const FilYaml* node, const char* part);

/* Appends a child, puts `replacement` in place of `old` under the same key, takes a child out of its parent. */
void fil_yaml_append(FilYaml* parent, FilYaml* child);
void fil_yaml_replace(FilYaml* old, FilYaml* replacement);
void fil_yaml_remove(FilYaml* child);

/* A copy of a node and everything in it, without a parent. Takes as many from `values` as there are nodes; NULL when
 * out of memory, or when *values gets negative. */
FilYaml* fil_yaml_copy(const FilYaml* node, FilPool* pool, int* values);

/* Dotted path from the root, such as rods.cable.shape.straight.nodes; "scene" for the root itself. */
void fil_yaml_path(const FilYaml* node, char* path, size_t size);

/* Writes "file:line: key.path: message" and returns FIL_BAD_INPUT. */
FilStatus fil_yaml_error(FilError* error, const FilYaml* at, const char* format, ...) FIL_PRINTF(3, 4);

#endif
