/* Typed access to a YAML tree, with messages that name file, line and key.
 *
 * The first failure is kept in `status`; later calls then do nothing and leave values at their defaults, so that code
 * reads one key after the other and looks at the status once per block.
 */
#ifndef FILUM_SCENE_READER_H
#define FILUM_SCENE_READER_H

#include <stdint.h>

#include "scene/names.h"
#include "scene/yaml_tree.h"

typedef struct FilReader {
    FilStatus status;
    FilError* error; /* not NULL */
    FilPool* pool;
    uint64_t* random; /* state of the generator; NULL: expressions have no random numbers */
    int depth;        /* of the expression being evaluated */
} FilReader;

/* How a key is read. */
enum {
    FIL_OPTIONAL = 0,
    FIL_REQUIRED = 1,
    FIL_POSITIVE = 2,
    FIL_NOT_NEGATIVE = 4,
};

void fil_reader_fail(FilReader* reader, const FilYaml* at, const char* format, ...) FIL_PRINTF(3, 4);

/* Takes over the status of another call; a failure gets the place `at` in front of `message`. */
void fil_reader_take(FilReader* reader, FilStatus status, const FilYaml* at, const char* message);

/* Zeroed memory from the pool; NULL after a failure. */
void* fil_reader_alloc(FilReader* reader, size_t count, size_t size);

/* "unknown <what> '...'", with the nearest of `words`, or all of them where none is near; NULL ends them. */
void fil_fail_word(FilReader* reader, const FilYaml* at, const char* what, const char* wanted, const char* const* words);

/* Fails unless the node is a mapping (a list). */
bool fil_check_mapping(FilReader* reader, const FilYaml* node);
bool fil_check_list(FilReader* reader, const FilYaml* node, const char* elements);

/* Fails unless `name` is one that a path, a message and a file can carry. */
bool fil_check_name(FilReader* reader, const FilYaml* at, const char* name);

/* A finite number, or $(expression) of parameters. */
bool fil_value_number(FilReader* reader, FilYaml* node, unsigned flags, double* value);

/* The same as a function of a variable, which the expression may name like a parameter. */
bool fil_value_function(FilReader* reader, FilYaml* node, const char* variable, double at, double* value);

/* A list of exactly `count` numbers. */
bool fil_value_vector(FilReader* reader, FilYaml* node, int count, double* values);

/* The value of a key, whatever it is; NULL if there is none, or after a failure. */
FilYaml* fil_read_node(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags);

/* Each returns whether the key was given (and well); if not, *value stays as it is. Where no sense of a number gives its bounds, those of integers
 * that readers pass are far beyond what scenes have, so that a slip of a key is refused and sizes do not overflow. */
bool fil_read_number(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, double* value);
bool fil_read_vector(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, int count, double* values);
bool fil_read_integer(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, int smallest, int largest, int* value);

/* In texts, and so in names, $(expression) is replaced by its value: ring$(index + 1) is ring4 where index is 3. */
bool fil_value_text(FilReader* reader, FilYaml* node, const char** text);
bool fil_read_text(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, const char** text);
bool fil_read_name(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, const char** text);
bool fil_read_flag(FilReader* reader, const FilYaml* mapping, const char* key, bool* flag);

/* Index of the given word among `words`. */
bool fil_read_choice(FilReader* reader, const FilYaml* mapping, const char* key, const char* const* words, int* choice);

/* Index of an element (node or edge) out of `count`; negative numbers count from the end, *index never is. */
bool fil_read_index(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, int count, int* index);

/* Index of the object that the node (the key) names; `kind` is what it is called in messages. */
bool fil_value_reference(FilReader* reader, FilYaml* node, const FilNames* names, const char* kind, int* index);
bool fil_read_reference(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, const FilNames* names, const char* kind,
                        int* index);

/* The one key of `words` that the mapping has: its index, or -1 and a failure. *body is its value. */
int fil_read_variant(FilReader* reader, const FilYaml* mapping, const char* const* words, FilYaml** body);

/* A node that stands for a key that is not there, for messages. */
FilYaml fil_absent(const FilYaml* mapping, const char* key);

#endif
