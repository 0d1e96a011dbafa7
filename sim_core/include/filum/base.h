/* Status codes, messages and small value types used by every public function. */
#ifndef FILUM_BASE_H
#define FILUM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whoever calls must look at the result; arguments are those of printf. */
#if defined(__GNUC__)
#define FIL_MUST_CHECK __attribute__((warn_unused_result))
#define FIL_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define FIL_MUST_CHECK
#define FIL_PRINTF(format_index, first_index)
#endif

/* Around the declarations of every public header: C linkage, and seen from outside the shared libraries, which hide
 * everything else. */
#if defined(__cplusplus)
#define FIL_LINKAGE_BEGIN extern "C" {
#define FIL_LINKAGE_END }
#else
#define FIL_LINKAGE_BEGIN
#define FIL_LINKAGE_END
#endif
#if defined(__GNUC__)
#define FIL_API_BEGIN FIL_LINKAGE_BEGIN _Pragma("GCC visibility push(default)")
#define FIL_API_END _Pragma("GCC visibility pop") FIL_LINKAGE_END
#else
#define FIL_API_BEGIN FIL_LINKAGE_BEGIN
#define FIL_API_END FIL_LINKAGE_END
#endif

FIL_API_BEGIN

/* Of headers and library, which belong together. */
#define FIL_VERSION "0.1.0"

/* How a call ended. */
typedef enum FilStatus {
    FIL_OK = 0,        /* done */
    FIL_BAD_INPUT,     /* a value, name or file that cannot be used; the message says which and why */
    FIL_OUT_OF_MEMORY, /* nothing was changed */
    FIL_NOT_CONVERGED, /* a step failed; the state is that of the last good step */
    FIL_IO,            /* a file could not be read or written */
    FIL_INTERRUPTED,   /* a step was ended from outside, or by its time limit; the state is that of the last good step */
} FilStatus;

/* A short lower-case name of a status, such as "bad input". */
const char* fil_status_name(FilStatus status);

/* A message for people. Written by the function that fails, empty otherwise. */
typedef struct FilError {
    char text[512]; /* terminated */
} FilError;

/* A vector, world frame unless a comment says otherwise. */
typedef struct FilVec3 {
    double x, y, z; /* in the unit of what it is of */
} FilVec3;

/* Unit quaternion, scalar last as in geometry_msgs. */
typedef struct FilQuat {
    double x, y, z, w; /* cos(angle/2) is w */
} FilQuat;

/* Handle of an object inside a world. A zero id is null. An id that is null, stale, of another world or of another kind is
 * refused in every build, never followed, and so is a number of a part (node, disk, joint, ...) that there is none of:
 * functions with a status return FIL_BAD_INPUT and change nothing; getters answer with not-a-number, 0, false, NULL, a null id
 * or, for the number of a part, -1, and leave arrays as they were; fil_world_error() then says what was wrong. Only names,
 * fil_*_find*() and fil_*_at() take any question: NULL or a null id is their answer, and no error.
 *
 * Pointers to outputs may be NULL where that output is not wanted, ids of what is added included. Definitions, values and
 * names that are NULL are refused unless their comment gives NULL a meaning. A NULL world is not looked for. */
typedef struct FilId {
    uint32_t index;      /* 1-based */
    uint32_t generation; /* of the world that made it */
} FilId;

FIL_API_END

#endif
