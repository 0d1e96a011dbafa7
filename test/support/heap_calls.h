/* Counts heap calls. A test whose first lines contain "ctest: wrap-malloc" is linked so that every heap call of the
 * program goes through the counter (see CMakeLists.txt). */
#ifndef FILUM_TEST_HEAP_CALLS_H
#define FILUM_TEST_HEAP_CALLS_H

extern int heap_calls; /* malloc, calloc, realloc, aligned_alloc and free since it was last set to zero */

#endif
