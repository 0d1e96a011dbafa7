/* `filum` run by a test: its exit code, and all that it said. */
#ifndef TEST_RECORD_COMMAND_H
#define TEST_RECORD_COMMAND_H

#include <sys/wait.h>

#include "record/sample_bag.h"

static char output[16384]; /* of the last command, both streams */

static inline int filum(const char* arguments)
{
    char command[1024];
    // the search for leaks takes seconds in each process of a build with sanitizers
    snprintf(command, sizeof command, "ASAN_OPTIONS=detect_leaks=0 '" FILUM_CLI "' %s 2>&1", arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    output[fread(output, 1, sizeof output - 1, pipe)] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

#endif
