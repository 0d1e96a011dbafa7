/* Writing what a getter was asked for: outputs that are NULL are left out, and what was refused is not a number. */
#ifndef FILUM_API_GIVE_H
#define FILUM_API_GIVE_H

#include <math.h>
#include <stddef.h>

#include "filum/rigid.h"

static inline void fil_give_vec3(FilVec3* out, const double* a)
{
    if (out != NULL) {
        *out = (FilVec3){a[0], a[1], a[2]};
    }
}

static inline void fil_give_quat(FilQuat* out, FilQuat q)
{
    if (out != NULL) {
        *out = q;
    }
}

/* A pair of vectors: velocity and spin, force and torque. */
static inline void fil_give_no_vectors(FilVec3* a, FilVec3* b)
{
    static const double none[3] = {NAN, NAN, NAN};
    fil_give_vec3(a, none);
    fil_give_vec3(b, none);
}

static inline void fil_give_no_pose(FilVec3* position, FilQuat* orientation)
{
    static const double none[3] = {NAN, NAN, NAN};
    fil_give_vec3(position, none);
    fil_give_quat(orientation, (FilQuat){NAN, NAN, NAN, NAN});
}

/* A shape that is none: without points, and its sizes not numbers. */
static inline FilShapeDef fil_refused_shape(void)
{
    return (FilShapeDef){.radius = NAN, .length = NAN, .size = {NAN, NAN, NAN}};
}

#endif
