/* Owns `filum list`: the scenes that have a name, with a line each. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "command_table.h"

typedef struct Entry {
    char *name, *title;
} Entry;

typedef struct List {
    Entry* entries;
    size_t count;
    bool full; /* out of memory */
} List;

static char* copy(const char* text, size_t length)
{
    char* out = malloc(length + 1);
    if (out != NULL) {
        memcpy(out, text, length);
        out[length] = '\0';
    }
    return out;
}

/* Without the numbers that parameters would give: `A pile of $(side^3) boxes` is a pile of boxes. */
static void drop_expressions(char* text)
{
    for (char* start = text; (start = strstr(start, "$(")) != NULL;) {
        char* end = start + 2;
        for (int depth = 1; depth > 0 && *end != '\0'; ++end) {
            depth += (*end == '(') - (*end == ')');
        }
        end += *end == ' ';
        memmove(start, end, strlen(end) + 1);
    }
}

/* What follows `title:` at the start of a line, without quotes; empty if nothing does. A scene is not built for that. */
static char* read_title(const char* path)
{
    char line[512];
    const char* title = "";
    size_t length = 0;
    FILE* file = fopen(path, "r");
    while (file != NULL && length == 0 && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, "title:", 6) == 0) {
            title = line + 6 + strspn(line + 6, " \"'");
            length = strcspn(title, "\n");
            while (length > 0 && strchr(" \"'", title[length - 1]) != NULL) {
                --length;
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    char* out = copy(title, length);
    if (out != NULL) {
        drop_expressions(out);
    }
    return out;
}

static void add(void* context, const char* name, const char* path)
{
    List* list = context;
    for (size_t i = 0; i < list->count; ++i) {
        if (strcmp(list->entries[i].name, name) == 0) {
            return;  // an earlier folder has it
        }
    }
    Entry* grown = realloc(list->entries, (list->count + 1) * sizeof *grown);
    if (grown == NULL) {
        list->full = true;
        return;
    }
    list->entries = grown;
    list->entries[list->count] = (Entry){copy(name, strlen(name)), read_title(path)};
    list->full |= list->entries[list->count].name == NULL || list->entries[list->count].title == NULL;
    list->count += !list->full;
}

static int by_name(const void* a, const void* b)
{
    return strcmp(((const Entry*)a)->name, ((const Entry*)b)->name);
}

int fil_command_list(int argc, char** argv)
{
    const FilUsage usage = {
        .command = "list",
        .arguments = "[WORD]",
        .about =
            "Lists the scenes that can be run by name: of FILUM_SCENE_PATH, of the installation and of the source tree; with a word,\n"
            "those that have it in their name or title.",
        .max_arguments = 1,
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    const char* word = count > 0 ? argv[1] : "";
    List list = {0};
    fil_scene_each(add, &list);
    if (list.count > 0) {
        qsort(list.entries, list.count, sizeof *list.entries, by_name);
    }
    int width = 0, shown = 0;
    for (size_t i = 0; i < list.count; ++i) {
        width = (int)strlen(list.entries[i].name) > width ? (int)strlen(list.entries[i].name) : width;
    }
    for (size_t i = 0; i < list.count; ++i) {
        const Entry* entry = &list.entries[i];
        if (strstr(entry->name, word) != NULL || strstr(entry->title, word) != NULL) {
            printf("%-*s  %s\n", width, entry->name, entry->title);
            ++shown;
        }
        free(entry->name);
        free(entry->title);
    }
    free(list.entries);
    if (list.full) {
        return fil_cli_fail("list", FIL_EXIT_FAILED, "out of memory");
    }
    return shown > 0 ? FIL_EXIT_DONE : fil_cli_fail("list", FIL_EXIT_FAILED, "no scene%s%s", word[0] != '\0' ? " has " : " is found", word);
}
