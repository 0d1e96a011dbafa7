/* Owns the table of commands and the general help. */
#include "command_table.h"

#include <string.h>

#include "base/roff.h"
#include "cli.h"

static const FilCommand commands[] = {
    {"run", "SCENE", "simulate a scene", fil_command_run},
    {"list", "[WORD]", "the scenes that can be run by name", fil_command_list},
    {"info", "SCENE...", "what a scene contains: bodies, degrees of freedom, shapes", fil_command_info},
    {"schema", "", "the keys of scenes, as a JSON schema for editors", fil_command_schema},
    {"view", "SCENE|BAG", "watch a scene in the browser, and pull on it", fil_command_view},
    {"render", "SCENE|BAG", "draw a run: a picture, pictures or a film", fil_command_render},
    {"plan", "SCENE", "find a motion through contact, and try it", fil_command_plan},
    {"sweep", "SCENE", "run a scene many times: grids, draws, seeds; a table", fil_command_sweep},
    {"fit", "SCENE", "find keys of a scene from measurements of it", fil_command_fit},
    {"validate", "[NAME]...", "physics checks: measured, expected, tolerance", fil_command_validate},
    {"bench", "[NAME]...", "timings per phase, real-time rate, accuracy beside speed", fil_command_bench},
    {"bag", "SUBCOMMAND", "recordings: record, play, info, export, repair and more", fil_command_bag},
    {"topic", "SUBCOMMAND", "topics of a running ROS 2 graph: list, echo, hz, pub", fil_command_topic},
    {"param", "SUBCOMMAND", "parameters of a running node: list, get, set", fil_command_param},
    {"service", "SUBCOMMAND", "services of a running ROS 2 graph: list, call", fil_command_service},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const char about[] = "simulates slender and soft bodies in contact";
static const char codes[] = "0 done, 1 failed while running, 2 bad usage or bad scene";

static void print_help(FILE* out)
{
    fprintf(out, "Filum %s.\n\nusage:\n", about);
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        char line[64];
        snprintf(line, sizeof line, "filum %s %s", commands[i].name, commands[i].arguments);
        fprintf(out, "  %-26s %s\n", line, commands[i].summary);
    }
    fprintf(out, "  %-26s %s\n", "filum COMMAND --help", "the options of a command");
    fprintf(out, "  %-26s %s\n", "filum --version", "the version");
    fprintf(out, "\nexit codes: %s\n", codes);
}

/* The page for `man`: the table, then each command's own part. */
static int print_page(void)
{
    fil_roff_open(stdout, "filum", about);
    fil_roff_heading(stdout, "SYNOPSIS");
    fil_roff_text(stdout, "filum COMMAND [OPTION]... [ARGUMENT]...");
    fil_roff_heading(stdout, "DESCRIPTION");
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        fil_roff_term(stdout, commands[i].name, commands[i].arguments, commands[i].summary);
    }
    fil_roff_heading(stdout, "COMMANDS");
    int exit_code = FIL_EXIT_DONE;
    for (int i = 0; i < COMMAND_COUNT && exit_code == FIL_EXIT_DONE; ++i) {
        char name[32], page[] = FIL_CLI_PAGE;
        snprintf(name, sizeof name, "%s", commands[i].name);
        char* arguments[] = {name, page, NULL};
        exit_code = commands[i].run(2, arguments);
    }
    fil_roff_heading(stdout, "EXIT STATUS");
    fil_roff_text(stdout, codes);
    fil_roff_heading(stdout, "ENVIRONMENT");
    fil_roff_term(stdout, "FILUM_SCENE_PATH", NULL, "folders where scenes are looked for by name, separated by colons");
    fil_roff_heading(stdout, "SEE ALSO");
    fil_roff_text(stdout, "filum_node(1)");
    return exit_code;
}

int fil_cli_main(int argc, char** argv)
{
    if (argc < 2) {
        print_help(stderr);
        return FIL_EXIT_USAGE;
    }
    const char* name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return fil_cli_finish(NULL, FIL_EXIT_DONE);
    }
    if (strcmp(name, FIL_CLI_PAGE) == 0) {
        return fil_cli_finish(NULL, print_page());
    }
    if (strcmp(name, "--version") == 0) {
        printf("filum %s\n", FIL_VERSION);
        return fil_cli_finish(NULL, FIL_EXIT_DONE);
    }
    FilGuess guess = fil_guess_start(name);
    for (int i = 0; i < COMMAND_COUNT; ++i) {
        if (strcmp(name, commands[i].name) == 0) {
            return fil_cli_finish(name, commands[i].run(argc - 1, argv + 1));
        }
        fil_guess_try(&guess, commands[i].name);
    }
    return fil_cli_fail(NULL, FIL_EXIT_USAGE, "no command '%s'%s (filum --help lists them)", name, fil_hint(&guess).text);
}
