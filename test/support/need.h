/* What must hold in a fuzzer, in every build. */
#ifndef FILUM_TEST_NEED_H
#define FILUM_TEST_NEED_H

#include <stdbool.h>
#include <stdlib.h>

static inline void need(bool condition)
{
    if (!condition) {
        abort();
    }
}

#endif
