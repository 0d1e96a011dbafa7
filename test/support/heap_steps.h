/* Steps that must not touch the heap, for tests that are linked with the counter of heap_calls.h. Needs cmocka.h before it. */
#ifndef FILUM_TEST_HEAP_STEPS_H
#define FILUM_TEST_HEAP_STEPS_H

#include "filum/filum.h"
#include "heap_calls.h"

/* Each of `count` steps succeeds without a heap call. */
static inline void step_without_heap(FilWorld* world, int count)
{
    for (int k = 0; k < count; k++) {
        heap_calls = 0;
        const FilStatus status = fil_world_step(world, NULL);
        const int counted = heap_calls;
        assert_int_equal(status, FIL_OK);
        assert_int_equal(counted, 0);
    }
}

#endif
