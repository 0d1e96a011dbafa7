#include "scene/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "scene/expression.h"

/* Names are parts of topics and frames, and of fixed arrays of 64. */
#define LONGEST_NAME 63

/* ---- failures ---- */

void fil_reader_fail(FilReader* reader, const FilYaml* at, const char* format, ...)
{
    if (reader->status != FIL_OK) {
        return;
    }
    char message[280];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    reader->status = fil_yaml_error(reader->error, at, "%s", message);
}

void fil_reader_take(FilReader* reader, FilStatus status, const FilYaml* at, const char* message)
{
    if (status != FIL_OK && reader->status == FIL_OK) {
        fil_yaml_error(reader->error, at, "%s", message);
        reader->status = status;
    }
}

void* fil_reader_alloc(FilReader* reader, size_t count, size_t size)
{
    void* block = reader->status == FIL_OK ? fil_pool_alloc(reader->pool, count, size) : NULL;
    if (block == NULL && reader->status == FIL_OK) {
        reader->status = fil_error(reader->error, FIL_OUT_OF_MEMORY, "out of memory while reading the scene");
    }
    return block;
}

FilYaml fil_absent(const FilYaml* mapping, const char* key)
{
    return (FilYaml){.file = mapping->file, .line = mapping->line, .key = key, .parent = (FilYaml*)mapping};
}

FilYaml* fil_read_node(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags)
{
    if (reader->status != FIL_OK) {
        return NULL;
    }
    FilYaml* node = fil_yaml_find(mapping, key);
    if (node == NULL && (flags & FIL_REQUIRED) != 0) {
        const FilYaml absent = fil_absent(mapping, key);
        fil_reader_fail(reader, &absent, "missing");
    }
    return node;
}

/* What a node is, in words; `buffer` holds up to 64 characters. */
static const char* describe(const FilYaml* node, char* buffer)
{
    if (node->kind != FIL_YAML_SCALAR) {
        return node->kind == FIL_YAML_LIST ? "a list" : "a mapping";
    }
    if (node->plain && *node->text == '\0') {
        return "nothing";
    }
    snprintf(buffer, 64, "%s'%.40s'", node->plain ? "" : "the text ", node->text);
    return buffer;
}

static void fail_type(FilReader* reader, const FilYaml* node, const char* expected)
{
    char buffer[64];
    fil_reader_fail(reader, node, "expected %s, got %s", expected, describe(node, buffer));
}

/* "unknown <what> '...'", with the nearest candidate. */
static void fail_unknown(FilReader* reader, const FilYaml* at, const char* what, const FilGuess* guess)
{
    if (guess->best != NULL) {
        fil_reader_fail(reader, at, "unknown %s '%.40s'; did you mean '%.60s'?", what, guess->wanted, guess->best);
    } else {
        fil_reader_fail(reader, at, "unknown %s '%.40s'", what, guess->wanted);
    }
}

/* "a, b, c", cut off where the buffer ends. */
static void join_words(const char* const* words, char* list, size_t size)
{
    size_t length = 0;
    list[0] = '\0';
    for (int k = 0; words[k] != NULL && length < size; k++) {
        const int written = snprintf(list + length, size - length, "%s%s", k > 0 ? ", " : "", words[k]);
        length += written > 0 ? (size_t)written : 0;
    }
}

void fil_fail_word(FilReader* reader, const FilYaml* at, const char* what, const char* wanted, const char* const* words)
{
    FilGuess guess = fil_guess_start(wanted);
    for (int k = 0; words[k] != NULL; k++) {
        fil_guess_try(&guess, words[k]);
    }
    if (guess.best != NULL) {
        fail_unknown(reader, at, what, &guess);
    } else {
        char list[160];
        join_words(words, list, sizeof list);
        fil_reader_fail(reader, at, "unknown %s '%.40s'; known: %s", what, wanted, list);
    }
}

/* ---- structure ---- */

bool fil_check_mapping(FilReader* reader, const FilYaml* node)
{
    if (reader->status == FIL_OK && node->kind != FIL_YAML_MAPPING) {
        fail_type(reader, node, "a mapping");
    }
    return reader->status == FIL_OK;
}

bool fil_check_list(FilReader* reader, const FilYaml* node, const char* elements)
{
    if (node->kind != FIL_YAML_LIST) {
        char expected[64];
        snprintf(expected, sizeof expected, "a list of %s", elements);
        fail_type(reader, node, expected);
    }
    return reader->status == FIL_OK;
}

bool fil_check_name(FilReader* reader, const FilYaml* at, const char* name)
{
    const size_t length = strlen(name);
    bool good = length > 0 && length <= LONGEST_NAME && (isalpha((unsigned char)name[0]) || name[0] == '_');
    for (size_t k = 0; k < length && good; k++) {
        good = isalnum((unsigned char)name[k]) || name[k] == '_' || name[k] == '-';
    }
    if (!good) {
        fil_reader_fail(reader, at, "'%.40s' is not a name: a letter, then letters, digits, _ or -, up to %d", name, LONGEST_NAME);
    }
    return reader->status == FIL_OK;
}

int fil_read_variant(FilReader* reader, const FilYaml* mapping, const char* const* words, FilYaml** body)
{
    int found = -1;
    *body = NULL;
    if (reader->status != FIL_OK) {
        return -1;
    }
    for (int k = 0; words[k] != NULL; k++) {
        FilYaml* node = fil_yaml_find(mapping, words[k]);
        if (node != NULL && found >= 0) {
            fil_reader_fail(reader, node, "only one of '%s' and '%s' may be given", words[found], words[k]);
            return -1;
        }
        if (node != NULL) {
            found = k;
            *body = node;
        }
    }
    if (found < 0) {
        char list[200];
        join_words(words, list, sizeof list);
        fil_reader_fail(reader, mapping, "one of these is missing: %s", list);
    }
    return found;
}

/* ---- numbers ---- */

typedef struct LookupContext {
    FilReader* reader;
    const FilYaml* at;
    const char* variable; /* of a function, and its value; NULL: there is none */
    double value;
} LookupContext;

static bool evaluate(FilReader* reader, FilYaml* node, double* value);

/* Tries the dotted paths of all parameters as the name that was meant. */
static void guess_parameters(FilGuess* guess, FilPool* pool, const FilYaml* mapping, const char* prefix)
{
    for (const FilYaml* child = mapping->first; child != NULL; child = child->next) {
        char path[96];
        snprintf(path, sizeof path, "%s%s%s", prefix, *prefix != '\0' ? "." : "", child->key);
        if (child->kind == FIL_YAML_MAPPING) {
            guess_parameters(guess, pool, child, path);
            continue;
        }
        const char* old = guess->best;
        fil_guess_try(guess, path);
        if (guess->best == path) {
            const char* kept = fil_pool_text(pool, path, strlen(path));
            guess->best = kept != NULL ? kept : old;
        }
    }
}

/* The node that a dotted path leads to from a mapping of parameters, or NULL. */
static FilYaml* follow(const FilYaml* mapping, const char* path)
{
    FilYaml* found = NULL;
    while (mapping != NULL) {
        char part[64];
        const size_t length = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        found = fil_yaml_find(mapping, part);
        mapping = path[length] == '.' ? found : NULL;
        path += length + (path[length] == '.');
    }
    return found;
}

/* Finds the parameter `knot.n` and its value: the nearest one around the place where it is used. */
static bool look_up(void* context, const char* name, double* value)
{
    LookupContext* lookup = context;
    FilReader* reader = lookup->reader;
    if (lookup->variable != NULL && strcmp(name, lookup->variable) == 0) {
        *value = lookup->value;
        return true;
    }
    for (const FilYaml* around = lookup->at; around != NULL; around = around->parent) {
        FilYaml* found = around->parameters != NULL ? follow(around->parameters, name) : NULL;
        if (found != NULL) {
            return evaluate(reader, found, value);
        }
    }
    FilGuess guess = fil_guess_start(name);
    for (const FilYaml* around = lookup->at; around != NULL; around = around->parent) {
        if (around->parameters != NULL) {
            guess_parameters(&guess, reader->pool, around->parameters, "");
        }
    }
    fail_unknown(reader, lookup->at, "parameter", &guess);
    return false;
}

/* Text of the expression inside $( ), or NULL. */
static const char* expression_text(FilReader* reader, const FilYaml* node)
{
    const size_t length = strlen(node->text);
    if (length < 3 || strncmp(node->text, "$(", 2) != 0 || node->text[length - 1] != ')') {
        return NULL;
    }
    return fil_pool_text(reader->pool, node->text + 2, length - 3);
}

static bool evaluate_function(LookupContext* context, FilYaml* node, const char* text, double* value)
{
    FilReader* reader = context->reader;
    FilExpression expression = {.lookup = look_up, .context = context, .random = reader->random, .depth = &reader->depth};
    node->memo = FIL_YAML_EVALUATING;
    const bool ok = fil_expression_evaluate(&expression, text, value);
    if (!ok) {
        fil_reader_fail(reader, node, "cannot evaluate '%.60s': %s", node->text, expression.problem);
    }
    return ok;
}

static bool evaluate_expression(FilReader* reader, FilYaml* node, const char* text, double* value)
{
    LookupContext context = {.reader = reader, .at = node};
    return evaluate_function(&context, node, text, value);
}

static bool is_nonfinite_word(const char* text)
{
    text += *text == '-' || *text == '+';
    text += *text == '.';
    char lower[10];
    size_t length = 0;
    for (; length < sizeof lower - 1 && text[length] != '\0'; length++) {
        lower[length] = (char)tolower((unsigned char)text[length]);
    }
    lower[length] = '\0';
    return strcmp(lower, "nan") == 0 || strcmp(lower, "inf") == 0 || strcmp(lower, "infinity") == 0;
}

/* The number behind a scalar, computed once. */
static bool evaluate(FilReader* reader, FilYaml* node, double* value)
{
    if (reader->status != FIL_OK) {
        return false;
    }
    if (node->kind != FIL_YAML_SCALAR) {
        fail_type(reader, node, "a number");
        return false;
    }
    if (node->memo == FIL_YAML_EVALUATING) {
        fil_reader_fail(reader, node, "depends on itself");
        return false;
    }
    if (node->memo == FIL_YAML_UNKNOWN) {
        const char* text = expression_text(reader, node);
        if (text != NULL) {
            if (!evaluate_expression(reader, node, text, &node->value)) {
                return false;
            }
        } else if (!node->plain || !fil_parse_number(node->text, &node->value)) {
            const bool nonfinite = node->plain && is_nonfinite_word(node->text);
            fail_type(reader, node, nonfinite ? "a finite number" : "a number");
            return false;
        }
        if (!isfinite(node->value)) {
            fail_type(reader, node, "a finite number");
            return false;
        }
        node->memo = FIL_YAML_KNOWN;
    }
    *value = node->value;
    return true;
}

bool fil_value_function(FilReader* reader, FilYaml* node, const char* variable, double at, double* value)
{
    const char* text = reader->status == FIL_OK && node->kind == FIL_YAML_SCALAR ? expression_text(reader, node) : NULL;
    if (text == NULL) {
        return evaluate(reader, node, value);  // a constant
    }
    LookupContext context = {.reader = reader, .at = node, .variable = variable, .value = at};
    const bool ok = evaluate_function(&context, node, text, value);
    node->memo = FIL_YAML_UNKNOWN;  // another time it has another value
    return ok;
}

bool fil_value_number(FilReader* reader, FilYaml* node, unsigned flags, double* value)
{
    double number = 0.0;
    if (!evaluate(reader, node, &number)) {
        return false;
    }
    if ((flags & FIL_POSITIVE) != 0 && !(number > 0.0)) {
        fil_reader_fail(reader, node, "must be positive, got %g", number);
    }
    if ((flags & FIL_NOT_NEGATIVE) != 0 && number < 0.0) {
        fil_reader_fail(reader, node, "must not be negative, got %g", number);
    }
    if (reader->status != FIL_OK) {
        return false;
    }
    *value = number;
    return true;
}

bool fil_value_vector(FilReader* reader, FilYaml* node, int count, double* values)
{
    if (reader->status != FIL_OK || !fil_check_list(reader, node, "numbers")) {
        return false;
    }
    if (node->count != count) {
        fil_reader_fail(reader, node, "expected %d numbers, got %d", count, node->count);
        return false;
    }
    int k = 0;
    for (FilYaml* child = node->first; child != NULL; child = child->next) {
        fil_value_number(reader, child, FIL_OPTIONAL, &values[k++]);
    }
    return reader->status == FIL_OK;
}

bool fil_read_number(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, double* value)
{
    FilYaml* node = fil_read_node(reader, mapping, key, flags);
    return node != NULL && fil_value_number(reader, node, flags, value);
}

bool fil_read_vector(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, int count, double* values)
{
    FilYaml* node = fil_read_node(reader, mapping, key, flags);
    return node != NULL && fil_value_vector(reader, node, count, values);
}

bool fil_read_integer(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, int smallest, int largest, int* value)
{
    FilYaml* node = fil_read_node(reader, mapping, key, flags);
    double number = 0.0;
    if (node == NULL || !fil_value_number(reader, node, flags, &number)) {
        return false;
    }
    // an expression may miss a whole number by rounding
    const double whole = round(number);
    if (fabs(number - whole) > 1e-9 * fmax(1.0, fabs(number))) {
        fil_reader_fail(reader, node, "expected a whole number, got %g", number);
    } else if (whole < smallest || whole > largest) {
        fil_reader_fail(reader, node, "must be from %d to %d, got %.0f", smallest, largest, whole);
    } else {
        *value = (int)whole;
    }
    return reader->status == FIL_OK;
}

/* ---- words ---- */

/* The ')' that closes the '(' at the beginning, or NULL. */
static const char* closing_bracket(const char* text)
{
    int depth = 0;
    for (; *text != '\0'; text++) {
        depth += (*text == '(') - (*text == ')');
        if (depth == 0) {
            return text;
        }
    }
    return NULL;
}

/* Writes the value of the $(...) that `text` begins with and returns where it ends; NULL after a failure. */
static const char* expand_one(FilReader* reader, FilYaml* node, const char* text, char* number, size_t size)
{
    const char* end = closing_bracket(text + 1);
    if (end == NULL) {
        fil_reader_fail(reader, node, "the bracket of '%.40s' is not closed", text);
        return NULL;
    }
    const char* inside = fil_pool_text(reader->pool, text + 2, (size_t)(end - text) - 2);
    double value = 0.0;
    if (inside == NULL || !evaluate_expression(reader, node, inside, &value)) {
        return NULL;
    }
    node->memo = FIL_YAML_UNKNOWN;
    snprintf(number, size, "%.9g", value);
    return end + 1;
}

/* Replaces every $(...) of a text by its value. */
static void expand(FilReader* reader, FilYaml* node)
{
    // of 17 digits: -2.2250738585072014e-308
    enum { LONGEST_NUMBER = 24 };
    size_t size = strlen(node->text) + 1;
    for (const char* at = node->text; (at = strstr(at, "$(")) != NULL; at++) {
        size += LONGEST_NUMBER;
    }
    char* expanded = fil_reader_alloc(reader, size, 1);
    char* out = expanded;
    const char* begin = NULL;
    for (const char* at = node->text; out != NULL && at != NULL; at = begin) {
        begin = strstr(at, "$(");
        const size_t length = begin != NULL ? (size_t)(begin - at) : strlen(at);
        memcpy(out, at, length);
        out += length;
        if (begin != NULL) {
            begin = expand_one(reader, node, begin, out, LONGEST_NUMBER);
            out += strlen(out);
        }
    }
    if (reader->status == FIL_OK) {
        node->text = expanded;
    }
}

bool fil_value_text(FilReader* reader, FilYaml* node, const char** text)
{
    if (reader->status == FIL_OK && (node->kind != FIL_YAML_SCALAR || (node->plain && *node->text == '\0'))) {
        fail_type(reader, node, "a text");
    }
    if (reader->status == FIL_OK && strstr(node->text, "$(") != NULL) {
        expand(reader, node);
    }
    if (reader->status == FIL_OK) {
        *text = node->text;
    }
    return reader->status == FIL_OK;
}

bool fil_read_text(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, const char** text)
{
    FilYaml* node = fil_read_node(reader, mapping, key, flags);
    return node != NULL && fil_value_text(reader, node, text);
}

bool fil_read_name(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, const char** text)
{
    const char* name = NULL;
    if (!fil_read_text(reader, mapping, key, flags, &name) || !fil_check_name(reader, fil_yaml_find(mapping, key), name)) {
        return false;
    }
    *text = name;
    return true;
}

bool fil_read_flag(FilReader* reader, const FilYaml* mapping, const char* key, bool* flag)
{
    const FilYaml* node = fil_read_node(reader, mapping, key, FIL_OPTIONAL);
    if (node == NULL) {
        return false;
    }
    const bool word = node->kind == FIL_YAML_SCALAR && node->plain;
    if (word && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)) {
        *flag = strcmp(node->text, "true") == 0;
        return true;
    }
    fail_type(reader, node, "true or false");
    return false;
}

bool fil_read_choice(FilReader* reader, const FilYaml* mapping, const char* key, const char* const* words, int* choice)
{
    const char* text = NULL;
    if (!fil_read_text(reader, mapping, key, FIL_OPTIONAL, &text)) {
        return false;
    }
    for (int k = 0; words[k] != NULL; k++) {
        if (strcmp(words[k], text) == 0) {
            *choice = k;
            return true;
        }
    }
    fil_fail_word(reader, fil_yaml_find(mapping, key), "value", text, words);
    return false;
}

/* ---- references ---- */

bool fil_read_index(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, int count, int* index)
{
    int given = 0;
    // any int of nine digits: the count is what bounds it
    if (!fil_read_integer(reader, mapping, key, flags, -1000000000, 1000000000, &given)) {
        return false;
    }
    if (given < -count || given >= count) {
        fil_reader_fail(reader, fil_yaml_find(mapping, key), "%d is out of range: 0 to %d, or %d to -1 from the end", given, count - 1, -count);
        return false;
    }
    *index = given < 0 ? given + count : given;
    return true;
}

bool fil_value_reference(FilReader* reader, FilYaml* node, const FilNames* names, const char* kind, int* index)
{
    const char* text = NULL;
    if (!fil_value_text(reader, node, &text)) {
        return false;
    }
    const int found = fil_names_find(names, text);
    if (found < 0) {
        FilGuess guess = fil_guess_start(text);
        for (int k = 0; k < names->count; k++) {
            fil_guess_try(&guess, names->names[k].text);
        }
        fail_unknown(reader, node, kind, &guess);
        return false;
    }
    *index = found;
    return true;
}

bool fil_read_reference(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, const FilNames* names, const char* kind,
                        int* index)
{
    FilYaml* node = fil_read_node(reader, mapping, key, flags);
    return node != NULL && fil_value_reference(reader, node, names, kind, index);
}
