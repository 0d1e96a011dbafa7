/* Owns how commands end: failures in one line, and what could not be written. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>

static void say(const char* command, const char* format, va_list arguments)
{
    fflush(stdout);
    fprintf(stderr, command ? "filum %s: " : "filum: ", command);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int fil_cli_fail(const char* command, int exit_code, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    return exit_code;
}

int fil_cli_absent(const char* command, char** argv, const char* format, ...)
{
    if (argv[1] != NULL && strcmp(argv[1], FIL_CLI_PAGE) == 0) {
        return FIL_EXIT_DONE;
    }
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    return FIL_EXIT_USAGE;
}

int fil_cli_finish(const char* command, int exit_code)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        return fil_cli_fail(command, exit_code == FIL_EXIT_DONE ? FIL_EXIT_FAILED : exit_code, "cannot write to standard output");
    }
    return exit_code;
}

static void print_help(const char* group, const FilCommand* commands, int count, const char* note, FILE* out)
{
    fprintf(out, "usage:\n");
    for (int i = 0; i < count; i++) {
        char line[80];
        snprintf(line, sizeof line, "filum %s %s %s", group, commands[i].name, commands[i].arguments);
        fprintf(out, "  %-42s %s\n", line, commands[i].summary);  // 42: the longest, of `topic pub`
    }
    fprintf(out, "%s\n", note);
}

int fil_cli_dispatch(const char* group, const FilCommand* commands, int count, const char* note, int argc, char** argv)
{
    if (argc < 2) {
        print_help(group, commands, count, note, stderr);
        return FIL_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(group, commands, count, note, stdout);
        return FIL_EXIT_DONE;
    }
    if (strcmp(argv[1], FIL_CLI_PAGE) == 0) {
        int exit_code = FIL_EXIT_DONE;
        for (int i = 0; i < count && exit_code == FIL_EXIT_DONE; i++) {
            exit_code = commands[i].run(argc, argv);
        }
        return exit_code;
    }
    FilGuess guess = fil_guess_start(argv[1]);
    for (int i = 0; i < count; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
        fil_guess_try(&guess, commands[i].name);
    }
    return fil_cli_fail(group, FIL_EXIT_USAGE, "no subcommand '%s'%s (filum %s --help lists them)", argv[1], fil_hint(&guess).text, group);
}
