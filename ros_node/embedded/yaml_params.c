/* Parameter values from YAML text: `-p name:=value` and parameter files.
 *
 * A file maps node names to `ros__parameters`, which map parameter names to values. Mappings above join to a node name
 * with '/', mappings below join to a parameter name with '.'. Plain scalars are bool, integer, double or
 * string, in this order; a sequence holds one of these types. Memory comes from malloc().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "rcl/error_handling.h"
#include "rcl_yaml_param_parser/parser.h"

/* bounds for hostile files: aliases can make a small file describe a huge tree */
enum { MAX_DEPTH = 64, MAX_VALUES = 10000, MAX_NAME = 1024 };

typedef struct Parser {
    yaml_document_t document;
    const char* source; /* for messages */
    rcl_params_t* params;
    size_t values;
} Parser;

static bool fail(const Parser* parser, const yaml_node_t* node, const char* what)
{
    RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("%s:%zu: %s", parser->source, node->start_mark.line + 1, what);
    return false;
}

/* ---- the tree of values ---- */

rcl_params_t* rcl_yaml_node_struct_init(const rcutils_allocator_t allocator)
{
    rcl_params_t* params = calloc(1, sizeof *params);
    if (params != NULL) {
        params->allocator = allocator;
    }
    return params;
}

static void free_variant(rcl_variant_t* value)
{
    free(value->bool_value);
    free(value->integer_value);
    free(value->double_value);
    free(value->string_value);
    if (value->byte_array_value != NULL) {
        free(value->byte_array_value->values);
    }
    if (value->bool_array_value != NULL) {
        free(value->bool_array_value->values);
    }
    if (value->integer_array_value != NULL) {
        free(value->integer_array_value->values);
    }
    if (value->double_array_value != NULL) {
        free(value->double_array_value->values);
    }
    if (value->string_array_value != NULL && rcutils_string_array_fini(value->string_array_value) != RCUTILS_RET_OK) {
        rcutils_reset_error();
    }
    free(value->byte_array_value);
    free(value->bool_array_value);
    free(value->integer_array_value);
    free(value->double_array_value);
    free(value->string_array_value);
    *value = (rcl_variant_t){0};
}

void rcl_yaml_node_struct_fini(rcl_params_t* params)
{
    if (params == NULL) {
        return;
    }
    for (size_t i = 0; i < params->num_nodes; i++) {
        rcl_node_params_t* node = &params->params[i];
        for (size_t k = 0; k < node->num_params; k++) {
            free(node->parameter_names[k]);
            free_variant(&node->parameter_values[k]);
        }
        free(node->parameter_names);
        free(node->parameter_values);
        free(params->node_names[i]);
    }
    free(params->node_names);
    free(params->params);
    free(params);
}

/* appends a name and a zeroed value to two parallel arrays; the value, or NULL without memory */
static void* append(char*** names, void** values, size_t value_size, size_t* count, size_t* capacity, const char* name)
{
    if (*count >= *capacity) {
        const size_t wanted = *capacity > 0 ? 2 * *capacity : 8;
        char** new_names = realloc(*names, wanted * sizeof **names);
        if (new_names != NULL) {
            *names = new_names;
        }
        void* new_values = realloc(*values, wanted * value_size);
        if (new_values != NULL) {
            *values = new_values;
        }
        if (new_names == NULL || new_values == NULL) {
            return NULL;
        }
        *capacity = wanted;
    }
    char* copy = strdup(name);
    if (copy == NULL) {
        return NULL;
    }
    (*names)[*count] = copy;
    return memset((char*)*values + value_size * (*count)++, 0, value_size);
}

static rcl_node_params_t* find_or_add_node(rcl_params_t* params, const char* name)
{
    for (size_t i = 0; i < params->num_nodes; i++) {
        if (strcmp(params->node_names[i], name) == 0) {
            return &params->params[i];
        }
    }
    void* nodes = params->params;
    rcl_node_params_t* node = append(&params->node_names, &nodes, sizeof *node, &params->num_nodes, &params->capacity_nodes, name);
    params->params = nodes;
    return node;
}

/* the place of a value; one that is there already is emptied, so that the last one said wins */
static rcl_variant_t* place(rcl_params_t* params, const char* node_name, const char* name)
{
    rcl_node_params_t* node = find_or_add_node(params, node_name);
    for (size_t i = 0; node != NULL && i < node->num_params; i++) {
        if (strcmp(node->parameter_names[i], name) == 0) {
            free_variant(&node->parameter_values[i]);
            return &node->parameter_values[i];
        }
    }
    if (node == NULL) {
        return NULL;
    }
    void* values = node->parameter_values;
    rcl_variant_t* value = append(&node->parameter_names, &values, sizeof *value, &node->num_params, &node->capacity_params, name);
    node->parameter_values = values;
    return value;
}

/* ---- scalars ---- */

typedef enum ScalarType { SCALAR_BOOL, SCALAR_INTEGER, SCALAR_DOUBLE, SCALAR_STRING } ScalarType;

typedef struct Scalar {
    ScalarType type;
    bool boolean;
    int64_t integer;
    double real;
    const char* text;
} Scalar;

static bool is_one_of(const char* text, const char* const* words)
{
    while (*words != NULL && strcmp(*words, text) != 0) {
        words++;
    }
    return *words != NULL;
}

static Scalar read_scalar(const yaml_node_t* node)
{
    static const char* const yes[] = {"Y", "y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", NULL};
    static const char* const no[] = {"N", "n", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", NULL};
    static const char* const nan_words[] = {".nan", ".NaN", ".NAN", NULL};
    static const char* const inf_words[] = {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", NULL};
    static const char* const minus_inf_words[] = {"-.inf", "-.Inf", "-.INF", NULL};

    Scalar scalar = {.type = SCALAR_STRING, .text = (const char*)node->data.scalar.value};
    const char* text = scalar.text;
    // what is quoted is a string, whatever it looks like
    if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || text[0] == '\0') {
        return scalar;
    }
    if (is_one_of(text, yes) || is_one_of(text, no)) {
        scalar.type = SCALAR_BOOL;
        scalar.boolean = is_one_of(text, yes);
        return scalar;
    }
    char* end;
    errno = 0;
    const long long integer = strtoll(text, &end, 0);
    if (errno == 0 && *end == '\0') {
        scalar.type = SCALAR_INTEGER;
        scalar.integer = integer;
        return scalar;
    }
    const char* number = is_one_of(text, nan_words)            ? "nan"
                         : is_one_of(text, inf_words)          ? "inf"
                         : is_one_of(text, minus_inf_words)    ? "-inf"
                         : strpbrk(text, "0123456789") != NULL ? text
                                                               : "";
    scalar.real = strtod(number, &end);
    if (number[0] != '\0' && *end == '\0') {
        scalar.type = SCALAR_DOUBLE;
    }
    return scalar;
}

/* a value of its own on the heap; NULL when out of memory */
static void* copy_of(const void* value, size_t size)
{
    void* copy = malloc(size);
    if (copy != NULL) {
        memcpy(copy, value, size);
    }
    return copy;
}

static bool store_scalar(const yaml_node_t* node, rcl_variant_t* value)
{
    const Scalar scalar = read_scalar(node);
    switch (scalar.type) {
        case SCALAR_BOOL:
            return (value->bool_value = copy_of(&scalar.boolean, sizeof scalar.boolean)) != NULL;
        case SCALAR_INTEGER:
            return (value->integer_value = copy_of(&scalar.integer, sizeof scalar.integer)) != NULL;
        case SCALAR_DOUBLE:
            return (value->double_value = copy_of(&scalar.real, sizeof scalar.real)) != NULL;
        default:
            return (value->string_value = strdup(scalar.text)) != NULL;
    }
}

/* ---- sequences ---- */

/* an array struct {values, size} on the heap; rcl's arrays of numbers all look like this */
static void* new_array(size_t count, size_t element_size, void** values)
{
    struct {
        void* values;
        size_t size;
    } array = {calloc(count > 0 ? count : 1, element_size), count};
    void* copy = array.values != NULL ? copy_of(&array, sizeof array) : NULL;
    if (copy == NULL) {
        free(array.values);
        array.values = NULL;
    }
    *values = array.values;
    return copy;
}

static bool store_strings(Parser* parser, const yaml_node_t* sequence, size_t count, rcl_variant_t* value)
{
    value->string_array_value = calloc(1, sizeof *value->string_array_value);
    if (value->string_array_value == NULL ||
        rcutils_string_array_init(value->string_array_value, count, &parser->params->allocator) != RCUTILS_RET_OK) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const yaml_node_t* item = yaml_document_get_node(&parser->document, sequence->data.sequence.items.start[i]);
        value->string_array_value->data[i] = strdup((const char*)item->data.scalar.value);
        if (value->string_array_value->data[i] == NULL) {
            return false;
        }
    }
    return true;
}

static bool store_sequence(Parser* parser, const yaml_node_t* sequence, rcl_variant_t* value)
{
    const size_t count = (size_t)(sequence->data.sequence.items.top - sequence->data.sequence.items.start);
    ScalarType type = SCALAR_STRING;
    for (size_t i = 0; i < count; i++) {
        const yaml_node_t* item = yaml_document_get_node(&parser->document, sequence->data.sequence.items.start[i]);
        if (item->type != YAML_SCALAR_NODE) {
            return fail(parser, item, "a sequence may hold scalars only");
        }
        const ScalarType item_type = read_scalar(item).type;
        if (i > 0 && item_type != type) {
            return fail(parser, item, "a sequence may hold values of one type only");
        }
        type = item_type;
    }
    if (type == SCALAR_STRING) {
        return store_strings(parser, sequence, count, value) || fail(parser, sequence, "out of memory");
    }
    void* values = NULL;
    if (type == SCALAR_BOOL) {
        value->bool_array_value = new_array(count, sizeof(bool), &values);
    } else if (type == SCALAR_INTEGER) {
        value->integer_array_value = new_array(count, sizeof(int64_t), &values);
    } else {
        value->double_array_value = new_array(count, sizeof(double), &values);
    }
    if (value->bool_array_value == NULL && value->integer_array_value == NULL && value->double_array_value == NULL) {
        return fail(parser, sequence, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        const Scalar item = read_scalar(yaml_document_get_node(&parser->document, sequence->data.sequence.items.start[i]));
        if (type == SCALAR_BOOL) {
            ((bool*)values)[i] = item.boolean;
        } else if (type == SCALAR_INTEGER) {
            ((int64_t*)values)[i] = item.integer;
        } else {
            ((double*)values)[i] = item.real;
        }
    }
    return true;
}

static bool store_value(Parser* parser, const yaml_node_t* node, const char* node_name, const char* name)
{
    if (++parser->values > MAX_VALUES) {
        return fail(parser, node, "too many values");
    }
    rcl_variant_t* value = place(parser->params, node_name, name);
    if (value == NULL) {
        return fail(parser, node, "out of memory");
    }
    if (node->type == YAML_SEQUENCE_NODE) {
        return store_sequence(parser, node, value);
    }
    return store_scalar(node, value) || fail(parser, node, "out of memory");
}

/* ---- files ---- */

/* prefix + separator + key; false if that is too long */
static bool join(char joined[MAX_NAME], const char* prefix, char separator, const char* key)
{
    int length;
    if (prefix[0] == '\0' || key[0] == separator) {
        length = snprintf(joined, MAX_NAME, "%s%s", prefix, key);
    } else {
        length = snprintf(joined, MAX_NAME, "%s%c%s", prefix, separator, key);
    }
    return length >= 0 && length < MAX_NAME;
}

static bool is_key(const yaml_node_t* key)
{
    return key->type == YAML_SCALAR_NODE && key->data.scalar.length > 0;
}

static bool read_parameters(Parser* parser, const yaml_node_t* mapping, const char* node_name, const char* prefix, int depth)
{
    if (mapping->type != YAML_MAPPING_NODE) {
        return fail(parser, mapping, "expected parameter names and values");
    }
    const yaml_node_pair_t* end = mapping->data.mapping.pairs.top;
    for (const yaml_node_pair_t* pair = mapping->data.mapping.pairs.start; pair < end; pair++) {
        const yaml_node_t* key = yaml_document_get_node(&parser->document, pair->key);
        const yaml_node_t* value = yaml_document_get_node(&parser->document, pair->value);
        char name[MAX_NAME];
        if (!is_key(key) || depth > MAX_DEPTH || !join(name, prefix, '.', (const char*)key->data.scalar.value)) {
            return fail(parser, key, "not a parameter name, or nested too deeply");
        }
        const bool done = value->type == YAML_MAPPING_NODE ? read_parameters(parser, value, node_name, name, depth + 1)
                                                           : store_value(parser, value, node_name, name);
        if (!done) {
            return false;
        }
    }
    return true;
}

static bool read_nodes(Parser* parser, const yaml_node_t* mapping, const char* prefix, int depth)
{
    if (mapping->type != YAML_MAPPING_NODE) {
        return fail(parser, mapping, "expected node names and ros__parameters");
    }
    const yaml_node_pair_t* end = mapping->data.mapping.pairs.top;
    for (const yaml_node_pair_t* pair = mapping->data.mapping.pairs.start; pair < end; pair++) {
        const yaml_node_t* key = yaml_document_get_node(&parser->document, pair->key);
        const yaml_node_t* value = yaml_document_get_node(&parser->document, pair->value);
        if (++parser->values > MAX_VALUES) {
            return fail(parser, key, "too many values");
        }
        char name[MAX_NAME];
        if (!is_key(key) || depth > MAX_DEPTH || !join(name, prefix, '/', (const char*)key->data.scalar.value)) {
            return fail(parser, key, "not a node name, or nested too deeply");
        }
        const bool parameters = strcmp((const char*)key->data.scalar.value, "ros__parameters") == 0;
        if (parameters && prefix[0] == '\0') {
            return fail(parser, key, "ros__parameters needs a node name above it");
        }
        if (!(parameters ? read_parameters(parser, value, prefix, "", depth + 1) : read_nodes(parser, value, name, depth + 1))) {
            return false;
        }
    }
    return true;
}

/* loads the only document of an open YAML parser; true with a NULL root for an empty one */
static bool load(yaml_parser_t* yaml, Parser* parser, yaml_node_t** root)
{
    if (!yaml_parser_load(yaml, &parser->document)) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("%s:%zu: %s", parser->source, yaml->problem_mark.line + 1,
                                             yaml->problem != NULL ? yaml->problem : "not YAML");
        return false;
    }
    *root = yaml_document_get_root_node(&parser->document);
    return true;
}

bool rcl_parse_yaml_file(const char* file_path, rcl_params_t* params_st)
{
    FILE* file = fopen(file_path, "rb");
    if (file == NULL) {
        RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("%s: %s", file_path, strerror(errno));
        return false;
    }
    Parser parser = {.source = file_path, .params = params_st};
    yaml_parser_t yaml;
    yaml_node_t* root = NULL;
    bool done = yaml_parser_initialize(&yaml) == 1;
    if (done) {
        yaml_parser_set_input_file(&yaml, file);
        done = load(&yaml, &parser, &root);
        if (done) {
            done = root == NULL || read_nodes(&parser, root, "", 0);
            yaml_document_delete(&parser.document);
        }
        yaml_parser_delete(&yaml);
    }
    fclose(file);
    return done;
}

bool rcl_parse_yaml_value(const char* node_name, const char* param_name, const char* yaml_value, rcl_params_t* params_st)
{
    Parser parser = {.source = param_name, .params = params_st};
    yaml_parser_t yaml;
    yaml_node_t* root = NULL;
    if (yaml_parser_initialize(&yaml) == 0) {
        RCL_SET_ERROR_MSG("out of memory");
        return false;
    }
    yaml_parser_set_input_string(&yaml, (const unsigned char*)yaml_value, strlen(yaml_value));
    bool done = load(&yaml, &parser, &root);
    if (done) {
        if (root == NULL || root->type == YAML_MAPPING_NODE) {
            RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("%s: expected a scalar or a sequence after :=", param_name);
            done = false;
        } else {
            done = store_value(&parser, root, node_name, param_name);
        }
        yaml_document_delete(&parser.document);
    }
    yaml_parser_delete(&yaml);
    return done;
}

/* ---- copies ---- */

static bool copy_numbers(void* to_array, const void* from_values, size_t size, size_t element_size)
{
    void* values;
    void* array = new_array(size, element_size, &values);
    if (array != NULL) {
        memcpy(values, from_values, size * element_size);
    }
    memcpy(to_array, &array, sizeof array);
    return array != NULL;
}

static bool copy_strings(const rcutils_string_array_t* from, const rcutils_allocator_t* allocator, rcl_variant_t* to)
{
    to->string_array_value = calloc(1, sizeof *to->string_array_value);
    bool done = to->string_array_value != NULL && rcutils_string_array_init(to->string_array_value, from->size, allocator) == RCUTILS_RET_OK;
    for (size_t i = 0; done && i < from->size; i++) {
        done = (to->string_array_value->data[i] = strdup(from->data[i])) != NULL;
    }
    return done;
}

static bool copy_variant(const rcl_variant_t* from, const rcutils_allocator_t* allocator, rcl_variant_t* to)
{
    if (from->bool_value != NULL) {
        return (to->bool_value = copy_of(from->bool_value, sizeof *from->bool_value)) != NULL;
    }
    if (from->integer_value != NULL) {
        return (to->integer_value = copy_of(from->integer_value, sizeof *from->integer_value)) != NULL;
    }
    if (from->double_value != NULL) {
        return (to->double_value = copy_of(from->double_value, sizeof *from->double_value)) != NULL;
    }
    if (from->string_value != NULL) {
        return (to->string_value = strdup(from->string_value)) != NULL;
    }
    if (from->bool_array_value != NULL) {
        return copy_numbers(&to->bool_array_value, from->bool_array_value->values, from->bool_array_value->size, sizeof(bool));
    }
    if (from->integer_array_value != NULL) {
        return copy_numbers(&to->integer_array_value, from->integer_array_value->values, from->integer_array_value->size, sizeof(int64_t));
    }
    if (from->double_array_value != NULL) {
        return copy_numbers(&to->double_array_value, from->double_array_value->values, from->double_array_value->size, sizeof(double));
    }
    return from->string_array_value == NULL || copy_strings(from->string_array_value, allocator, to);
}

rcl_params_t* rcl_yaml_node_struct_copy(const rcl_params_t* params_st)
{
    rcl_params_t* copy = rcl_yaml_node_struct_init(params_st->allocator);
    bool done = copy != NULL;
    for (size_t i = 0; done && i < params_st->num_nodes; i++) {
        const rcl_node_params_t* node = &params_st->params[i];
        for (size_t k = 0; done && k < node->num_params; k++) {
            rcl_variant_t* value = place(copy, params_st->node_names[i], node->parameter_names[k]);
            done = value != NULL && copy_variant(&node->parameter_values[k], &params_st->allocator, value);
        }
    }
    if (!done) {
        rcl_yaml_node_struct_fini(copy);
        return NULL;
    }
    return copy;
}
