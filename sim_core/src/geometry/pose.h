/* Poses: where a shape stands. A local point x lies at p + r x in the world; r is a row-major rotation matrix. */
#ifndef FILUM_GEOMETRY_POSE_H
#define FILUM_GEOMETRY_POSE_H

#include "base/vec3.h"

typedef struct FilPose {
    double p[3]; /* m */
    double r[9]; /* columns are the local axes in the world */
} FilPose;

static inline FilPose fil_pose_identity(void)
{
    return (FilPose){.p = {0.0, 0.0, 0.0}, .r = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
}

/* Local point to world; out must not alias. */
static inline void fil_pose_apply(double* out, const FilPose* pose, const double* local)
{
    fil_m3_apply(out, pose->r, local);
    fil_v3_add(out, out, pose->p);
}

/* World point to local; out must not alias. */
static inline void fil_pose_apply_inverse(double* out, const FilPose* pose, const double* world)
{
    double d[3];
    fil_v3_sub(d, world, pose->p);
    fil_m3_apply_transposed(out, pose->r, d);
}

/* Axis k of the pose in the world. */
static inline void fil_pose_axis(double* out, const FilPose* pose, int k)
{
    fil_v3_set(out, pose->r[k], pose->r[3 + k], pose->r[6 + k]);
}

/* outer o inner: the pose of something posed by `inner` inside `outer`; out must not alias. */
static inline void fil_pose_compose(FilPose* out, const FilPose* outer, const FilPose* inner)
{
    fil_pose_apply(out->p, outer, inner->p);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->r[3 * i + j] = outer->r[3 * i] * inner->r[j] + outer->r[3 * i + 1] * inner->r[3 + j] + outer->r[3 * i + 2] * inner->r[6 + j];
        }
    }
}

/* The pose of b seen from a: a^-1 o b; out must not alias. */
static inline void fil_pose_relative(FilPose* out, const FilPose* a, const FilPose* b)
{
    fil_pose_apply_inverse(out->p, a, b->p);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->r[3 * i + j] = a->r[i] * b->r[j] + a->r[3 + i] * b->r[3 + j] + a->r[6 + i] * b->r[6 + j];
        }
    }
}

#endif
