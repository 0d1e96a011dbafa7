/* Counts heap calls. A test whose first lines contain "ctest: wrap-malloc" is linked so that every heap call of the
 * program goes through the counter (see CMakeLists.txt). */
#ifndef FILUM_TEST_HEAP_CALLS_H
#define FILUM_TEST_HEAP_CALLS_H

extern int heap_calls; /* malloc, calloc, realloc, aligned_alloc, posix_memalign and free since it was last set to zero */

/* Allocations until one fails: that one and all after it do. Below zero, as at the start: none does. */
extern int heap_left;

#endif
