#include "motion.h"

#include <math.h>
#include <string.h>

FilVec3 fil_vector(const double* numbers)
{
    return (FilVec3){numbers[0], numbers[1], numbers[2]};
}

FilVec3 fil_vector_sum(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

FilVec3 fil_vector_difference(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

FilVec3 fil_vector_scaled(double factor, FilVec3 a)
{
    return (FilVec3){factor * a.x, factor * a.y, factor * a.z};
}

FilVec3 fil_vector_cross(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double fil_vector_dot(FilVec3 a, FilVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double fil_vector_length(FilVec3 a)
{
    return sqrt(fil_vector_dot(a, a));
}

FilQuat fil_quat_from_axes(const double x[3], const double y[3], const double z[3])
{
    // Shepperd: divide by the largest of the four components; 4 w^2 = 1 + trace, 4 x^2 = 1 + 2 x_x - trace, ...
    const double trace = x[0] + y[1] + z[2];
    const double four[4] = {1.0 + 2.0 * x[0] - trace, 1.0 + 2.0 * y[1] - trace, 1.0 + 2.0 * z[2] - trace, 1.0 + trace};
    int largest = 3;
    for (int i = 0; i < 3; i++) {
        largest = four[i] > four[largest] ? i : largest;
    }
    const double root = sqrt(four[largest]);
    const double scale = 0.5 / root;
    switch (largest) {
        case 0:
            return (FilQuat){0.5 * root, (x[1] + y[0]) * scale, (z[0] + x[2]) * scale, (y[2] - z[1]) * scale};
        case 1:
            return (FilQuat){(x[1] + y[0]) * scale, 0.5 * root, (y[2] + z[1]) * scale, (z[0] - x[2]) * scale};
        case 2:
            return (FilQuat){(z[0] + x[2]) * scale, (y[2] + z[1]) * scale, 0.5 * root, (x[1] - y[0]) * scale};
        default:
            return (FilQuat){(y[2] - z[1]) * scale, (z[0] - x[2]) * scale, (x[1] - y[0]) * scale, 0.5 * root};
    }
}

FilQuat fil_quat_product(FilQuat a, FilQuat b)
{
    return (FilQuat){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

FilQuat fil_quat_conjugate(FilQuat q)
{
    return (FilQuat){-q.x, -q.y, -q.z, q.w};
}

FilVec3 fil_quat_rotate(FilQuat q, FilVec3 v)
{
    // v + 2 u x (u x v + w v), u the quaternion's vector part
    const FilVec3 u = {q.x, q.y, q.z};
    const FilVec3 c = fil_vector_cross(u, v);
    const FilVec3 inner = {c.x + q.w * v.x, c.y + q.w * v.y, c.z + q.w * v.z};
    const FilVec3 twice = fil_vector_cross(u, inner);
    return (FilVec3){v.x + 2.0 * twice.x, v.y + 2.0 * twice.y, v.z + 2.0 * twice.z};
}

FilQuat fil_motion_turn(const FilEntityState* now, const FilEntityState* pose)
{
    return pose != NULL ? fil_quat_product(pose->orientation, fil_quat_conjugate(now->orientation)) : (FilQuat){0.0, 0.0, 0.0, 1.0};
}

void fil_motion_move_points(const FilEntityState* now, const FilEntityState* pose, const FilEntityState* twist, int count, double* positions,
                            double* velocities)
{
    const FilQuat turn = fil_motion_turn(now, pose);
    const FilVec3 goal = pose != NULL ? pose->position : now->position;
    for (int i = 0; i < count; i++) {
        // x = goal + R (x - start), v = velocity + omega x (x - goal)
        const FilVec3 lever = fil_quat_rotate(turn, fil_vector_difference(fil_vector(positions + 3 * i), now->position));
        const FilVec3 place = fil_vector_sum(goal, lever);
        FilVec3 velocity = fil_quat_rotate(turn, fil_vector(velocities + 3 * i));
        if (twist != NULL) {
            velocity = fil_vector_sum(twist->velocity, fil_vector_cross(twist->angular_velocity, lever));
        }
        memcpy(positions + 3 * i, (double[3]){place.x, place.y, place.z}, 3 * sizeof(double));
        memcpy(velocities + 3 * i, (double[3]){velocity.x, velocity.y, velocity.z}, 3 * sizeof(double));
    }
}
