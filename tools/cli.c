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
