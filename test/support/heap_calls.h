/* Counts heap calls. A test whose first lines contain "ctest: wrap-malloc" is linked so that every heap call of the
 * program goes through the counter (see CMakeLists.txt). */
#ifndef FILUM_TEST_HEAP_CALLS_H
#define FILUM_TEST_HEAP_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>

extern atomic_int heap_calls; /* malloc, calloc, realloc, aligned_alloc, posix_memalign and free since it was last set to zero */

/* Allocations until one fails: that one and all after it do. Below zero, as at the start: none does. */
extern atomic_int heap_left;

/* The one fails, those after it do not. */
extern bool heap_once;

/* What test/support/faults.h tells a program that is linked so (see test/tools/faulty.c). */
#define HEAP_LEFT_VARIABLE "FILUM_TEST_HEAP_LEFT"
#define HEAP_ONCE_VARIABLE "FILUM_TEST_HEAP_ONCE"

#endif
