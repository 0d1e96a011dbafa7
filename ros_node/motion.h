/* Poses and velocities of objects, and the few formulas about rotations that the node needs. No ROS. */
#ifndef FILUM_NODE_MOTION_H
#define FILUM_NODE_MOTION_H

#include "filum/filum.h"

/* Where an object is and how it moves, seen by one frame of it. */
typedef struct FilEntityState {
    FilVec3 position;         /* m */
    FilQuat orientation;      /* of a rod: z along the first edge; of a shell: z along the first triangle's normal */
    FilVec3 velocity;         /* m/s */
    FilVec3 angular_velocity; /* rad/s */
} FilEntityState;

FilVec3 fil_vector(const double* numbers);
FilVec3 fil_vector_sum(FilVec3 a, FilVec3 b);
FilVec3 fil_vector_difference(FilVec3 a, FilVec3 b);
FilVec3 fil_vector_scaled(double factor, FilVec3 a);
FilVec3 fil_vector_cross(FilVec3 a, FilVec3 b);
double fil_vector_dot(FilVec3 a, FilVec3 b);
double fil_vector_length(FilVec3 a);

/* The rotation whose matrix has these columns (orthonormal, right-handed). */
FilQuat fil_quat_from_axes(const double x[3], const double y[3], const double z[3]);
FilQuat fil_quat_product(FilQuat a, FilQuat b); /* first b, then a */
FilQuat fil_quat_conjugate(FilQuat q);
FilVec3 fil_quat_rotate(FilQuat q, FilVec3 v);

/* The rotation that leads an object from the pose `now` to `pose`; none if `pose` is NULL. */
FilQuat fil_motion_turn(const FilEntityState* now, const FilEntityState* pose);

/* Moves points with their object as if it were rigid: from where it is `now` to `pose`, with the velocities of `twist`.
 * NULL keeps the pose, or the velocities, which turn along. Three numbers per point each. */
void fil_motion_move_points(const FilEntityState* now, const FilEntityState* pose, const FilEntityState* twist, int count, double* positions,
                            double* velocities);

#endif
