/* Lets Node.js read the bags of a folder; see test/record/node/run. */
#ifndef TEST_NODE_REFEREE_H
#define TEST_NODE_REFEREE_H

#include <libgen.h>
#include <sys/wait.h>

#include "record/sample_bag.h"

/* Skips the test where Node.js or its packages cannot be had; they are kept in the build directory. */
static inline void let_node_judge(const char* folder)
{
    enum { SKIPPED = 77 };
    char program[] = FILUM_CLI;
    char command[1024];
    snprintf(command, sizeof command, "bash '" FILUM_SOURCE_DIR "/test/record/node/run' '%s' '%s/referee'", folder, dirname(program));
    const int result = system(command);
    assert_true(WIFEXITED(result));
    if (WEXITSTATUS(result) == SKIPPED) {
        skip();
    }
    assert_int_equal(WEXITSTATUS(result), 0);
}

#endif
