/* Owns `filum schema`: the keys of scenes as a JSON schema for editors, or as the tables of docs/keys.md. Both come from the tables
 * that the reader checks scenes with. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli.h"
#include "command_table.h"
#include "scene/scene_build.h"

/* ---- tables ---- */

/* A table of keys that has a name of its own: that of the path where it was met first, such as rods.shape. */
typedef struct Named {
    const FilKey* keys;
    bool repeated; /* its mappings may have `repeat` and `parameters` */
    bool merged;   /* an included file may have what is missing: nothing is required */
    char path[120];
} Named;

typedef struct Tables {
    Named* items;
    int count, capacity;
    bool full; /* out of memory */
} Tables;

static const Named* find_table(const Tables* tables, const FilKey* keys)
{
    for (int k = 0; k < tables->count; ++k) {
        if (tables->items[k].keys == keys) {
            return &tables->items[k];
        }
    }
    return NULL;
}

/* Names a table and all within it; the first path stays. */
static void collect(Tables* tables, const FilKey* keys, const FilKey* from, bool merged, const char* path)
{
    if (keys == NULL || find_table(tables, keys) != NULL) {
        return;
    }
    if (tables->count == tables->capacity) {
        const int capacity = 2 * tables->capacity + 32;
        Named* grown = realloc(tables->items, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            tables->full = true;
            return;
        }
        tables->items = grown;
        tables->capacity = capacity;
    }
    Named* named = &tables->items[tables->count++];
    named->keys = keys;
    named->repeated = from != NULL && (from->flags & FIL_REPEATED) != 0;
    named->merged = merged;
    snprintf(named->path, sizeof named->path, "%s", path);
    for (const FilKey* key = keys; key->name != NULL; ++key) {
        char inner[120];
        snprintf(inner, sizeof inner, "%s%s%s", path, path[0] != '\0' ? "." : "", key->name);
        const bool within = merged && (key->types & FIL_IS_LIST) == 0;
        collect(tables, key->keys, key, within, inner);
        strncat(inner, ".other", sizeof inner - strlen(inner) - 1);
        collect(tables, key->other, key, within, inner);
    }
}

/* ---- JSON schema ---- */

/* Where a number may stand an expression may. */
static void write_definitions(FilJson* json)
{
    fil_json_open(json, "expression", '{');
    fil_json_text(json, "type", "string");
    fil_json_text(json, "pattern", "^\\$\\(.*\\)$");
    fil_json_close(json, '}');
    fil_json_open(json, "name", '{');
    fil_json_open(json, "type", '[');
    fil_json_text(json, NULL, "string");
    fil_json_text(json, NULL, "boolean");
    fil_json_close(json, ']');
    fil_json_text(json, "pattern", "^([A-Za-z_][A-Za-z0-9_-]{0,62}|.*\\$\\(.*\\).*)$");
    fil_json_close(json, '}');
    fil_json_open(json, "text", '{');  // YAML has 1 for a number, the reader for a text
    fil_json_open(json, "type", '[');
    fil_json_text(json, NULL, "string");
    fil_json_text(json, NULL, "number");
    fil_json_text(json, NULL, "boolean");
    fil_json_close(json, ']');
    fil_json_close(json, '}');
    fil_json_open(json, "tree", '{');
    fil_json_text(json, "type", "object");
    fil_json_open(json, "additionalProperties", '{');
    fil_json_open(json, "anyOf", '[');
    static const char* const leaves[] = {"number", "expression", "tree"};
    for (int k = 0; k < 3; ++k) {
        char reference[32];
        snprintf(reference, sizeof reference, k == 0 ? "%s" : "#/$defs/%s", leaves[k]);
        fil_json_open(json, NULL, '{');
        fil_json_text(json, k == 0 ? "type" : "$ref", reference);
        fil_json_close(json, '}');
    }
    fil_json_close(json, ']');
    fil_json_close(json, '}');
    fil_json_close(json, '}');
}

static void write_reference(FilJson* json, const char* name)
{
    char reference[160];
    snprintf(reference, sizeof reference, "#/$defs/%s", name);
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "$ref", reference);
    fil_json_close(json, '}');
}

/* A number, within its bounds. */
static void write_plain_number(FilJson* json, const FilKey* key)
{
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "type", (key->types & FIL_IS_WHOLE) != 0 ? "integer" : "number");
    if ((key->flags & FIL_POSITIVE) != 0) {
        fil_json_integer(json, "exclusiveMinimum", 0);
    } else if ((key->flags & FIL_NOT_NEGATIVE) != 0) {
        fil_json_integer(json, "minimum", 0);
    }
    fil_json_close(json, '}');
}

/* A list of numbers; `count` 0: any number of them. */
static void write_numbers(FilJson* json, const char* name, int count)
{
    fil_json_open(json, name, '{');
    fil_json_text(json, "type", "array");
    fil_json_open(json, "items", '{');
    fil_json_open(json, "anyOf", '[');
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "type", "number");
    fil_json_close(json, '}');
    write_reference(json, "expression");
    fil_json_close(json, ']');
    fil_json_close(json, '}');
    if (count > 0) {
        fil_json_integer(json, "minItems", (uint64_t)count);
        fil_json_integer(json, "maxItems", (uint64_t)count);
    }
    fil_json_close(json, '}');
}

static void write_words(FilJson* json, const char* name, const char* const* words)
{
    fil_json_open(json, name, '{');
    fil_json_open(json, "enum", '[');
    for (int k = 0; words[k] != NULL; ++k) {
        fil_json_text(json, NULL, words[k]);
    }
    fil_json_close(json, ']');
    fil_json_close(json, '}');
}

static void write_table_reference(FilJson* json, const Tables* tables, const FilKey* keys)
{
    if (keys != NULL) {
        write_reference(json, find_table(tables, keys)->path);
    }
}

/* A mapping with the keys of a row, in one form or the other. */
static void write_mapping(FilJson* json, const char* name, const Tables* tables, const FilKey* key)
{
    fil_json_open(json, name, '{');
    fil_json_open(json, "anyOf", '[');
    write_table_reference(json, tables, key->keys);
    write_table_reference(json, tables, key->other);
    if ((key->types & FIL_IS_NAMED) != 0 && key->words != NULL) {
        write_words(json, NULL, key->words);
    }
    fil_json_close(json, ']');
    fil_json_close(json, '}');
}

static void write_scalars(FilJson* json, const FilKey* key)
{
    if ((key->types & (FIL_IS_NUMBER | FIL_IS_WHOLE | FIL_IS_FUNCTION)) != 0) {
        write_plain_number(json, key);
        write_reference(json, "expression");
    }
    if ((key->types & FIL_IS_FLAG) != 0) {
        fil_json_open(json, NULL, '{');
        fil_json_text(json, "type", "boolean");
        fil_json_close(json, '}');
    }
    if ((key->types & FIL_IS_TEXT) != 0) {
        write_reference(json, "text");
    }
    if ((key->types & FIL_IS_NAME) != 0) {
        write_reference(json, "name");
    }
    if ((key->types & FIL_IS_WORD) != 0) {
        write_words(json, NULL, key->words);
    }
}

static void open_collection(FilJson* json, const char* type)
{
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "type", type);
}

static void write_collections(FilJson* json, const Tables* tables, const FilKey* key)
{
    if ((key->types & FIL_IS_VECTOR) != 0) {
        write_numbers(json, NULL, key->count);
    }
    if ((key->types & FIL_IS_ROWS) != 0) {
        // scripts have a time in front
        const bool timed = (key->types & FIL_IS_VECTOR) != 0 && (key->flags & FIL_VARIANT) != 0;
        open_collection(json, "array");
        write_numbers(json, "items", key->count > 0 && timed ? key->count + 1 : key->count);
        fil_json_close(json, '}');
    }
    if ((key->types & FIL_IS_TEXTS) != 0) {
        open_collection(json, "array");
        if (key->words != NULL) {
            write_words(json, "items", key->words);
        } else {
            fil_json_open(json, "items", '{');
            fil_json_text(json, "$ref", "#/$defs/text");
            fil_json_close(json, '}');
        }
        fil_json_close(json, '}');
    }
    if ((key->types & FIL_IS_MAPPING) != 0) {
        write_mapping(json, NULL, tables, key);
    }
    if ((key->types & FIL_IS_LIST) != 0) {
        open_collection(json, "array");
        write_mapping(json, "items", tables, key);
        fil_json_close(json, '}');
    }
    if ((key->types & FIL_IS_NAMED) != 0) {
        open_collection(json, "object");
        write_mapping(json, "additionalProperties", tables, key);
        fil_json_close(json, '}');
    }
    if ((key->types & FIL_IS_TREE) != 0) {
        write_reference(json, "tree");
    }
}

/* "of the circle (m, default 0.1)" */
static void describe(const FilKey* key, char* text, size_t size)
{
    const bool unit = key->unit != NULL && key->unit[0] != '\0', standard = key->standard != NULL && key->standard[0] != '\0';
    const bool said = key->text != NULL && key->text[0] != '\0';
    snprintf(text, size, "%s%s%s%s%s%s%s", said ? key->text : "", said && (unit || standard) ? " " : "", unit || standard ? "(" : "",
             unit ? key->unit : "", unit && standard ? ", " : "", standard ? "default: " : "", standard ? key->standard : "");
    if (unit || standard) {
        strncat(text, ")", size - strlen(text) - 1);
    }
}

static void write_property(FilJson* json, const Tables* tables, const FilKey* key)
{
    char text[600];
    const unsigned numbers = FIL_IS_NUMBER | FIL_IS_WHOLE | FIL_IS_FUNCTION;
    const bool single = (key->types & numbers) == 0 && (key->types & (key->types - 1)) == 0;
    describe(key, text, sizeof text);
    fil_json_open(json, key->name, '{');
    if (text[0] != '\0') {
        fil_json_text(json, "description", text);
    }
    fil_json_open(json, single ? "allOf" : "anyOf", '[');
    write_scalars(json, key);
    write_collections(json, tables, key);
    fil_json_close(json, ']');
    fil_json_close(json, '}');
}

static bool any_flag(const FilKey* keys, unsigned flag)
{
    while (keys->name != NULL && (keys->flags & flag) == 0) {
        ++keys;
    }
    return keys->name != NULL;
}

/* "required": [...], of all rows with a flag. */
static void write_required(FilJson* json, const FilKey* keys, unsigned flag)
{
    fil_json_open(json, "required", '[');
    for (const FilKey* key = keys; key->name != NULL; ++key) {
        if ((key->flags & flag) != 0) {
            fil_json_text(json, NULL, key->name);
        }
    }
    fil_json_close(json, ']');
}

/* All that is required, and exactly one of the variants. */
static void write_needs(FilJson* json, const FilKey* keys)
{
    static const unsigned groups[] = {FIL_VARIANT, FIL_OBJECT};
    if (any_flag(keys, FIL_REQUIRED)) {
        write_required(json, keys, FIL_REQUIRED);
    }
    if (!any_flag(keys, FIL_VARIANT | FIL_OBJECT)) {
        return;
    }
    fil_json_open(json, "allOf", '[');
    for (int g = 0; g < 2; ++g) {
        if (!any_flag(keys, groups[g])) {
            continue;
        }
        fil_json_open(json, NULL, '{');
        fil_json_open(json, "oneOf", '[');
        for (const FilKey* key = keys; key->name != NULL; ++key) {
            if ((key->flags & groups[g]) != 0) {
                const FilKey one[] = {*key, FIL_KEY_END};
                fil_json_open(json, NULL, '{');
                write_required(json, one, groups[g]);
                fil_json_close(json, '}');
            }
        }
        fil_json_close(json, ']');
        fil_json_close(json, '}');
    }
    fil_json_close(json, ']');
}

static void write_table(FilJson* json, const char* name, const Tables* tables, const Named* table)
{
    static const FilKey repeats[] = {
        FIL_KEY_WHOLE("repeat", FIL_NOT_NEGATIVE, "", "so many copies, with the parameter `index` from 0 on"),
        FIL_KEY_MANY("parameters", FIL_IS_TREE, 0, 0, "", "", "of this element alone"),
        FIL_KEY_END,
    };
    if (name != NULL) {
        fil_json_open(json, name, '{');
    }
    fil_json_text(json, "type", "object");
    fil_json_open(json, "properties", '{');
    for (const FilKey* key = table->keys; key->name != NULL; ++key) {
        write_property(json, tables, key);
    }
    for (const FilKey* key = repeats; table->repeated && key->name != NULL; ++key) {
        write_property(json, tables, key);
    }
    if (table->path[0] == '\0') {
        const FilKey include = FIL_KEY_MANY("include", FIL_IS_TEXT | FIL_IS_TEXTS, 0, 0, "", "", "files whose keys are merged under these");
        write_property(json, tables, &include);
    }
    fil_json_close(json, '}');
    fil_json_boolean(json, "additionalProperties", false);
    if (!table->merged) {
        write_needs(json, table->keys);
    }
    if (name != NULL) {
        fil_json_close(json, '}');
    }
}

static void write_schema(const Tables* tables)
{
    FilJson json = {.out = stdout};
    fil_json_open(&json, NULL, '{');
    fil_json_text(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    fil_json_text(&json, "title", "Filum scene");
    write_table(&json, NULL, tables, &tables->items[0]);
    fil_json_open(&json, "$defs", '{');
    write_definitions(&json);
    for (int k = 1; k < tables->count; ++k) {
        write_table(&json, tables->items[k].path, tables, &tables->items[k]);
    }
    fil_json_close(&json, '}');
    fil_json_close(&json, '}');
}

/* ---- Markdown ---- */

/* What a value is, in words. */
static void name_type(const FilKey* key, char* text, size_t size)
{
    const char* bound = (key->flags & FIL_POSITIVE) != 0 ? " > 0" : (key->flags & FIL_NOT_NEGATIVE) != 0 ? " >= 0" : "";
    size_t used = 0;
    text[0] = '\0';
#define SAY(bit, ...)                                                                      \
    if ((key->types & (bit)) != 0 && used < size) {                                        \
        used += (size_t)snprintf(text + used, size - used, "%s", used > 0 ? " or " : "");  \
        used += used < size ? (size_t)snprintf(text + used, size - used, __VA_ARGS__) : 0; \
    }
    SAY(FIL_IS_NUMBER, "number%s", bound)
    SAY(FIL_IS_WHOLE, "whole number%s", bound)
    SAY(FIL_IS_FUNCTION, "number or expression")
    SAY(FIL_IS_FLAG, "true, false")
    SAY(FIL_IS_TEXT, "text")
    SAY(FIL_IS_NAME, "name")
    for (int k = 0; (key->types & FIL_IS_WORD) != 0 && key->words[k] != NULL && used < size; ++k) {
        used += (size_t)snprintf(text + used, size - used, "%s`%s`", used > 0 ? ", " : "", key->words[k]);
    }
    if (key->count > 0) {
        SAY(FIL_IS_VECTOR, "%d numbers", key->count)
    } else {
        SAY(FIL_IS_VECTOR, "list of numbers")
    }
    SAY(FIL_IS_ROWS, "list of lists of numbers")
    SAY(FIL_IS_TEXTS, "list of texts")
    SAY(FIL_IS_MAPPING, "mapping")
    SAY(FIL_IS_LIST, "list of mappings")
    SAY(FIL_IS_NAMED, "mapping of names")
    SAY(FIL_IS_TREE, "mapping of names to numbers")
#undef SAY
}

/* A heading's anchor: dots are left out of it. */
static void print_anchor(const char* path)
{
    for (; *path != '\0'; ++path) {
        if (*path != '.') {
            putchar(*path);
        }
    }
}

static void print_row(const Tables* tables, const FilKey* key)
{
    char type[300];
    name_type(key, type, sizeof type);
    const bool standard = key->standard != NULL && key->standard[0] != '\0';
    const char* need = (key->flags & FIL_REQUIRED) != 0 ? "required" : (key->flags & (FIL_VARIANT | FIL_OBJECT)) != 0 ? "one of these" : "";
    printf("| `%s` | %s | %s | %s | %s", key->name, type, key->unit != NULL ? key->unit : "", standard ? key->standard : need,
           key->text != NULL ? key->text : "");
    const FilKey* const forms[] = {key->keys, key->other};
    for (int k = 0; k < 2; ++k) {
        const Named* table = forms[k] != NULL ? find_table(tables, forms[k]) : NULL;
        if (table != NULL && table->keys[0].name != NULL) {
            printf("%s[%s](#", k > 0 ? " or " : key->text != NULL && key->text[0] != '\0' ? ": " : "", table->path);
            print_anchor(table->path);
            printf(")");
        }
    }
    printf(" |\n");
}

static void print_markdown(const Tables* tables)
{
    printf(
        "# Keys of scenes\n\n"
        "All keys that a scene may have, from the tables that the reader checks scenes with (`filum schema --markdown` prints this\n"
        "page, `filum schema` the same for editors). [scenes.md](scenes.md) explains them. Where a number may stand `$(expression)`\n"
        "may. Elements of sections that are lists may have `repeat` and `parameters` besides.\n");
    for (int k = 0; k < tables->count; ++k) {
        const Named* table = &tables->items[k];
        if (table->keys[0].name == NULL) {
            continue;
        }
        const bool inner = strchr(table->path, '.') != NULL;
        printf("\n%s %s\n\n| key | type | unit | default | |\n|---|---|---|---|---|\n", inner ? "###" : "##",
               table->path[0] != '\0' ? table->path : "the scene");
        for (const FilKey* key = table->keys; key->name != NULL; ++key) {
            print_row(tables, key);
        }
    }
}

/* ---- the command ---- */

int fil_command_schema(int argc, char** argv)
{
    bool markdown = false;
    const FilOption options[] = {
        {"--markdown", FIL_OPTION_FLAG, &markdown, NULL, "print the tables of docs/keys.md instead"},
    };
    const FilUsage usage = {
        .command = "schema",
        .arguments = "",
        .about = "Prints the JSON schema of scenes, for editors that complete and check keys while a scene is written.",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    FilPool pool = {0};
    FilError error = {{0}};
    Tables tables = {0};
    const FilKey* keys = NULL;
    const FilStatus status = fil_scene_keys(&pool, &keys, &error);
    if (status == FIL_OK) {
        collect(&tables, keys, NULL, true, "");
    }
    if (status != FIL_OK || tables.full) {
        exit_code = fil_cli_fail("schema", FIL_EXIT_FAILED, "%s", tables.full ? "out of memory" : error.text);
    } else if (markdown) {
        print_markdown(&tables);
    } else {
        write_schema(&tables);
    }
    free(tables.items);
    fil_pool_free(&pool);
    return exit_code;
}
