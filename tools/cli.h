/* What the commands of `filum` share: exit codes, option parsing, stopping. */
#ifndef FILUM_TOOLS_CLI_H
#define FILUM_TOOLS_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "filum/filum.h"
#include "scene/names.h"

enum {
    FIL_EXIT_DONE = 0,
    FIL_EXIT_FAILED = 1, /* while running */
    FIL_EXIT_USAGE = 2,  /* bad usage or bad scene */
};

/* Prints "filum COMMAND: message" on stderr and returns the exit code, so that a failure is one line. */
int fil_cli_fail(const char* command, int exit_code, const char* format, ...) FIL_PRINTF(3, 4);

/* Flushes stdout; FIL_EXIT_FAILED with a message if something could not be written, else `exit_code`. */
int fil_cli_finish(const char* command, int exit_code);

/* Asked of a command, it prints its part of the page for `man`, and a command with subcommands lets them print theirs. */
#define FIL_CLI_PAGE "--man"

/* As fil_cli_fail() for what this build does not have; it has no part in the page, which is then none the worse. */
int fil_cli_absent(const char* command, char** argv, const char* format, ...) FIL_PRINTF(3, 4);

/* ---- commands ---- */

/* One command of `filum`, or a subcommand of one. */
typedef struct FilCommand {
    const char* name;
    const char* arguments;
    const char* summary;
    int (*run)(int argc, char** argv);
} FilCommand;

/* Runs the subcommand of `filum GROUP` that argv[1] names, or helps; `note` ends the help. */
int fil_cli_dispatch(const char* group, const FilCommand* commands, int count, const char* note, int argc, char** argv);

/* ---- options ---- */

typedef enum FilOptionKind {
    FIL_OPTION_FLAG,      /* bool */
    FIL_OPTION_TEXT,      /* const char* */
    FIL_OPTION_POSITIVE,  /* double, finite and > 0 */
    FIL_OPTION_DURATION,  /* double, finite and >= 0 */
    FIL_OPTION_COUNT,     /* int, >= 1 */
    FIL_OPTION_SEED,      /* FilSeed */
    FIL_OPTION_SETTING,   /* FilSettings, may be repeated */
    FIL_OPTION_DIRECTION, /* FilVec3, not zero */
} FilOptionKind;

typedef struct FilSeed {
    uint64_t value;
    bool given;
} FilSeed;

/* `path=value` pairs; the texts belong to argv, the array to the list. */
typedef struct FilSettings {
    FilSetting* items;
    int count;
} FilSettings;

typedef struct FilOption {
    const char* name; /* with its dashes */
    FilOptionKind kind;
    void* value;          /* where it goes */
    const char* argument; /* what the help calls it; NULL for flags */
    const char* help;
} FilOption;

typedef struct FilUsage {
    const char* command;
    const char* arguments; /* as in "SCENE" or "[NAME]..." */
    const char* about;     /* a paragraph */
    int min_arguments, max_arguments;
    const FilOption* options;
    int option_count;
} FilUsage;

/* Reads argv[1..]; leaves the arguments that are not options in argv[1..*argument_count]. Returns true to go on;
 * otherwise (help was asked for, or the usage is bad) it has printed what there is to say, and *exit_code says how to
 * end. */
bool fil_options_parse(const FilUsage* usage, int argc, char** argv, int* argument_count, int* exit_code);

void fil_settings_free(FilSettings* settings);

/* What every command that makes a world of a scene lets people change of it. */
typedef struct FilSceneChoice {
    double dt; /* s; 0: the scene's */
    const char* contact;
    FilSettings settings;
    FilSeed seed;
} FilSceneChoice;

/* Rows of option tables that commands share. */
#define FIL_SET_ROW(settings)                                                                        \
    {                                                                                                \
        "--set", FIL_OPTION_SETTING, settings, "KEY.PATH=VALUE", "change the scene; may be repeated" \
    }
#define FIL_JSON_ROW(flag)                                                            \
    {                                                                                 \
        "--json", FIL_OPTION_FLAG, flag, NULL, "print the summary as one JSON object" \
    }
#define FIL_QUIET_ROW(flag)                                                   \
    {                                                                         \
        "--quiet", FIL_OPTION_FLAG, flag, NULL, "no summary, no progress bar" \
    }
/* For `choice`, a FilSceneChoice*. */
#define FIL_SCENE_CHOICE_ROWS(choice)                                                                                                           \
    {"--dt", FIL_OPTION_POSITIVE, &(choice)->dt, "S", "time step in seconds, instead of the scene's"},                                          \
        {"--contact", FIL_OPTION_TEXT, &(choice)->contact, "MODEL", "contact model, instead of the scene's"}, FIL_SET_ROW(&(choice)->settings), \
    {                                                                                                                                           \
        "--seed", FIL_OPTION_SEED, &(choice)->seed, "N", "of the scene's random numbers"                                                        \
    }

/* Whether an argument is a bag: a directory, or a file that ends as they do. Scenes are names or YAML files. */
bool fil_is_bag(const char* argument);

FilSceneOptions fil_scene_choice_options(const FilSceneChoice* choice); /* borrows its texts */

/* ---- the process ---- */

/* Ctrl-C and SIGTERM from now on only ask to stop. */
void fil_stop_on_signals(void);
bool fil_stop_requested(void);

/* The same for fil_world_set_stop(). */
bool fil_stop_asked(void* context);

/* A bar on stderr, only on a terminal, and only for runs that last. */
typedef struct FilProgress {
    bool shown;   /* stderr is a terminal and the user did not ask for quiet */
    bool drawn;   /* there is something to clear */
    double start; /* s */
    double last;  /* s, when it was drawn */
} FilProgress;

FilProgress fil_progress_start(bool quiet);
void fil_progress_update(FilProgress* progress, double fraction, const char* format, ...) FIL_PRINTF(3, 4);
void fil_progress_clear(FilProgress* progress);

#endif
