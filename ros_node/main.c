/* The program filum_node: runs the node until it is interrupted. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounded_start.h"
#include "base/roff.h"
#include "host.h"
#include "node_parameters.h"

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

static const char usage[] = "filum_node [--status] [--duration S] --ros-args -p scene:=SCENE [...]";
static const struct {
    const char *name, *argument, *text;
} rows[] = {
    {"--status", "", "show a line with time, speed, contacts and subscriptions"},
    {"--duration", "S", "end after S seconds of simulated time"},
    {"--ros-args", "", "arguments of ROS 2 follow: -p NAME:=VALUE, -r FROM:=TO, --params-file FILE, --log-level LEVEL"},
};
static const char more[] = "SCENE is a path, or the name of a scene in config/scenes. docs/ros.md lists topics, services and parameters.";

enum { ROWS = sizeof rows / sizeof *rows };

static void print_help(void)
{
    printf("usage: %s\n", usage);
    for (int i = 0; i < ROWS; i++) {
        char left[32];
        snprintf(left, sizeof left, "%s %s", rows[i].name, rows[i].argument);
        printf("  %-15s%s\n", left, rows[i].text);
    }
    printf("%s\n", more);
}

/* the page for `man` */
static void print_page(void)
{
    fil_roff_open(stdout, "filum_node", "runs a scene of Filum as a ROS 2 node");
    fil_roff_heading(stdout, "SYNOPSIS");
    fil_roff_text(stdout, usage);
    fil_roff_heading(stdout, "DESCRIPTION");
    fil_roff_text(stdout, more);
    fil_roff_heading(stdout, "OPTIONS");
    for (int i = 0; i < ROWS; i++) {
        fil_roff_term(stdout, rows[i].name, rows[i].argument, rows[i].text);
    }
    fil_roff_heading(stdout, "PARAMETERS");
    fil_node_describe_parameters(stdout);
    fil_roff_heading(stdout, "SEE ALSO");
    fil_roff_text(stdout, "filum(1)");
}

typedef struct Options {
    bool status;
    double duration; /* s, simulated */
} Options;

/* reads what stands in front of --ros-args; false: the program is to end, with the exit code */
static bool read_options(int argc, char** argv, Options* options, int* exit_code)
{
    *options = (Options){.duration = INFINITY};
    *exit_code = 2;
    for (int i = 1; i < argc && strcmp(argv[i], "--ros-args") != 0; i++) {
        char* end = NULL;
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            print_help();
            *exit_code = EXIT_SUCCESS;
            return false;
        }
        if (strcmp(argv[i], "--man") == 0) {
            print_page();
            *exit_code = EXIT_SUCCESS;
            return false;
        }
        if (strcmp(argv[i], "--status") == 0) {
            options->status = true;
        } else if (strcmp(argv[i], "--duration") == 0 && i + 1 < argc) {
            options->duration = strtod(argv[++i], &end);
            if (end == argv[i] || *end != '\0' || !(options->duration > 0.0)) {
                fprintf(stderr, "filum_node: --duration: '%s' is not a positive number\n", argv[i]);
                return false;
            }
        } else {
            fprintf(stderr, "filum_node: no option '%s' (filum_node --help lists them)\n", argv[i]);
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv)
{
    fil_bounded_start(argv);
    struct sigaction action = {.sa_handler = on_signal};
    Options options;
    int exit_code;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, &action, NULL) != 0 || sigaction(SIGTERM, &action, NULL) != 0) {
        perror("filum_node");
        return EXIT_FAILURE;
    }
    if (!read_options(argc, argv, &options, &exit_code)) {
        return exit_code;
    }
    FilHost host;
    if (!fil_host_init(&host, argc, (const char* const*)argv, &stop)) {
        return EXIT_FAILURE;
    }
    for (int i = 0; i < host.count; i++) {
        host.nodes[i]->duration = options.duration;
    }
    host.nodes[0]->status_line = fil_status_line_start(options.status);
    fil_host_run(&host);
    fil_host_fini(&host);
    return EXIT_SUCCESS;
}
