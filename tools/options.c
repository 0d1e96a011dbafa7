/* Owns the reading of options: one table per command serves parsing, help and suggestions. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/roff.h"
#include "cli.h"

static void print_usage(const FilUsage* usage)
{
    printf("usage: filum %s %s%s\n\n%s\n", usage->command, usage->option_count > 0 ? "[OPTION]... " : "", usage->arguments, usage->about);
    printf("\noptions:\n");
    for (int i = 0; i < usage->option_count; ++i) {
        const FilOption* option = &usage->options[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
        printf("  %-24s %s\n", left, option->help);
    }
    printf("  %-24s %s\n", "--help", "this text");
}

/* The same as a part of the page for `man`. */
static void print_page(const FilUsage* usage)
{
    char line[200];
    snprintf(line, sizeof line, "filum %s %s%s", usage->command, usage->option_count > 0 ? "[OPTION]... " : "", usage->arguments);
    fil_roff_part(stdout, line);
    fil_roff_text(stdout, usage->about);
    for (int i = 0; i < usage->option_count; ++i) {
        fil_roff_term(stdout, usage->options[i].name, usage->options[i].argument, usage->options[i].help);
    }
}

static bool read_positive(const char* text, double* value)
{
    char* end = NULL;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value) && *value > 0.0;
}

static bool read_unsigned(const char* text, uint64_t* value)
{
    char* end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static bool read_direction(const char* text, FilVec3* value)
{
    int end = 0;
    const int count = sscanf(text, "%lf,%lf,%lf%n", &value->x, &value->y, &value->z, &end);
    const double size = fabs(value->x) + fabs(value->y) + fabs(value->z);
    return count == 3 && text[end] == '\0' && isfinite(size) && size > 0.0;
}

static bool add_setting(FilSettings* settings, char* text)
{
    char* equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return false;
    }
    FilSetting* items = realloc(settings->items, (size_t)(settings->count + 1) * sizeof *items);
    if (items == NULL) {
        return false;
    }
    *equals = '\0';
    items[settings->count] = (FilSetting){.path = text, .value = equals + 1};
    settings->items = items;
    settings->count += 1;
    return true;
}

void fil_settings_free(FilSettings* settings)
{
    free(settings->items);
    *settings = (FilSettings){0};
}

/* Stores the text of an option; NULL if it suits, otherwise what it should have been. */
static const char* store(const FilOption* option, char* text)
{
    uint64_t whole = 0;
    switch (option->kind) {
        case FIL_OPTION_FLAG:
            *(bool*)option->value = true;
            return NULL;
        case FIL_OPTION_TEXT:
            *(const char**)option->value = text;
            return text[0] != '\0' ? NULL : "a text that is not empty";
        case FIL_OPTION_POSITIVE:
            return read_positive(text, option->value) ? NULL : "a number above zero";
        case FIL_OPTION_DURATION:
            if (strcmp(text, "0") == 0) {
                *(double*)option->value = 0.0;
                return NULL;
            }
            return read_positive(text, option->value) ? NULL : "a number, zero or above";
        case FIL_OPTION_COUNT:
            // a million: chosen, an int in any case
            if (!read_unsigned(text, &whole) || whole < 1 || whole > 1000000) {
                return "a whole number from 1 to 1000000";
            }
            *(int*)option->value = (int)whole;
            return NULL;
        case FIL_OPTION_SEED:
            if (!read_unsigned(text, &whole)) {
                return "a whole number from 0 to 18446744073709551615";
            }
            *(FilSeed*)option->value = (FilSeed){.value = whole, .given = true};
            return NULL;
        case FIL_OPTION_SETTING:
            return add_setting(option->value, text) ? NULL : "key.path=value";
        case FIL_OPTION_DIRECTION:
            return read_direction(text, option->value) ? NULL : "a direction x,y,z";
    }
    return NULL;
}

/* The option named by the first `length` letters of `text`; NULL after a message. */
static const FilOption* find_option(const FilUsage* usage, const char* text, size_t length)
{
    char typed[64];
    snprintf(typed, sizeof typed, "%.*s", (int)length, text);
    FilGuess guess = fil_guess_start(typed);
    for (int i = 0; i < usage->option_count; ++i) {
        if (strcmp(typed, usage->options[i].name) == 0) {
            return &usage->options[i];
        }
        fil_guess_try(&guess, usage->options[i].name);
    }
    fil_cli_fail(usage->command, 0, "no option '%s'%s (filum %s --help lists them)", typed, fil_hint(&guess).text, usage->command);
    return NULL;
}

/* Reads the option at argv[*index] and moves the index over what it took; false after a message. */
static bool read_option(const FilUsage* usage, int argc, char** argv, int* index)
{
    char* text = argv[*index];
    char* equals = strchr(text, '=');
    const FilOption* option = find_option(usage, text, equals ? (size_t)(equals - text) : strlen(text));
    if (option == NULL) {
        return false;
    }
    char* value = equals ? equals + 1 : NULL;
    if (option->kind == FIL_OPTION_FLAG && value != NULL) {
        fil_cli_fail(usage->command, 0, "%s takes no value", option->name);
        return false;
    }
    if (option->kind != FIL_OPTION_FLAG && value == NULL) {
        if (*index + 1 >= argc) {
            fil_cli_fail(usage->command, 0, "%s needs %s", option->name, option->argument);
            return false;
        }
        *index += 1;
        value = argv[*index];
    }
    const char* wanted = store(option, value);
    if (wanted != NULL) {
        fil_cli_fail(usage->command, 0, "%s: '%s' is not %s", option->name, value, wanted);
        return false;
    }
    return true;
}

bool fil_options_parse(const FilUsage* usage, int argc, char** argv, int* argument_count, int* exit_code)
{
    int count = 0;
    bool only_arguments = false;
    *exit_code = FIL_EXIT_USAGE;
    for (int i = 1; i < argc; ++i) {
        char* text = argv[i];
        // "-" alone is an argument, as is a negative number and all that follows "--"
        if (only_arguments || text[0] != '-' || text[1] == '\0' || strchr("0123456789.", text[1]) != NULL) {
            argv[++count] = text;
        } else if (strcmp(text, "--") == 0) {
            only_arguments = true;
        } else if (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0) {
            print_usage(usage);
            *exit_code = FIL_EXIT_DONE;
            return false;
        } else if (strcmp(text, FIL_CLI_PAGE) == 0) {
            print_page(usage);
            *exit_code = FIL_EXIT_DONE;
            return false;
        } else if (!read_option(usage, argc, argv, &i)) {
            return false;
        }
    }
    if (count < usage->min_arguments || count > usage->max_arguments) {
        fil_cli_fail(usage->command, 0, "%s: filum %s %s (filum %s --help says more)",
                     count < usage->min_arguments ? "something is missing" : "too many arguments", usage->command, usage->arguments, usage->command);
        return false;
    }
    *argument_count = count;
    *exit_code = FIL_EXIT_DONE;
    return true;
}

FilSceneOptions fil_scene_choice_options(const FilSceneChoice* choice)
{
    return (FilSceneOptions){
        .settings = choice->settings.items,
        .setting_count = choice->settings.count,
        .seed = choice->seed.value,
        .seed_given = choice->seed.given,
        .dt = choice->dt,
        .contact_model = choice->contact,
    };
}

bool fil_is_bag(const char* path)
{
    struct stat status;
    const char* end = strrchr(path, '.');
    const bool named = end != NULL && (strcmp(end, ".mcap") == 0 || strcmp(end, ".db3") == 0);
    return named || (stat(path, &status) == 0 && S_ISDIR(status.st_mode));
}
