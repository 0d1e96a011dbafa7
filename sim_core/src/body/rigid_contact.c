/* What a rigid body shows to collision and joints: its shapes, its frame, its centre. */
#include <string.h>

#include "base/vec3.h"
#include "body/rigid.h"

int fil_rigid_collider_count(const void* pointer)
{
    return ((const FilRigidBody*)pointer)->shape_count;
}

void fil_rigid_collider(const void* pointer, int index, FilCollider* out)
{
    const FilRigidBody* body = pointer;
    *out = (FilCollider){.kind = FIL_COLLIDER_SHAPE,
                         .part = index,
                         .movable = body->motion == FIL_DYNAMIC,
                         .collision = body->collision,
                         .shape = body->shapes[index].shape};
}

void fil_rigid_place(const void* pointer, int index, const double* q, const double* v, FilPlacement* out)
{
    const FilRigidBody* body = pointer;
    FilPose pose;
    fil_rigid_pose(body, q, &pose);
    const double spin = body->reach * fil_v3_norm(v + 4);
    *out = (FilPlacement){.speed = fil_v3_norm(v) + spin, .has_velocity = true, .velocity = {v[0], v[1], v[2]}, .spin = spin};
    fil_pose_compose(&out->pose, &pose, &body->shapes[index].pose);
    if (body->shapes[index].shape.kind == FIL_PRIMITIVE_HALF_SPACE) {
        double arm[3], more[3];
        fil_m3_apply(out->turning, pose.r, v + 4);
        out->turns = fil_v3_dot(out->turning, out->turning) > 0.0;
        fil_v3_sub(arm, out->pose.p, q);
        fil_v3_cross(more, out->turning, arm);
        fil_v3_add(out->velocity, out->velocity, more);
    }
}

void fil_rigid_part(const void* pointer, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose)
{
    (void)part;
    (void)h;
    const FilRigidBody* body = pointer;
    FilPose own;
    fil_rigid_pose(body, q, &own);
    *shape = body->shapes[index].shape;
    fil_pose_compose(pose, &own, &body->shapes[index].pose);
}

void fil_rigid_frame(const void* pointer, int index, int part, const double* q, const double* h, FilPose* pose)
{
    (void)index, (void)part, (void)h;
    fil_rigid_pose(pointer, q, pose);
}

bool fil_rigid_joined(const void* pointer, int index_a, int part_a, int index_b, int part_b)
{
    (void)pointer, (void)index_a, (void)part_a, (void)index_b, (void)part_b;
    return true;  // shapes of one body
}

/* Blocks of velocity and angular velocity: v + w x arm with w = R w_body. */
int fil_rigid_point_jacobian(const void* pointer, int index, int part, const double* point, const double* q, int* blocks, double* jacobian,
                             double* bias)
{
    (void)index;
    (void)part;
    const FilRigidBody* body = pointer;
    double arm[3], r[9];
    if (body->motion == FIL_STATIC) {
        fil_v3_set(bias, 0.0, 0.0, 0.0);
        return 0;
    }
    fil_v3_sub(arm, point, q);
    fil_m3_from_quat(r, fil_rigid_orientation(q));
    const double cross[9] = {0.0, arm[2], -arm[1], -arm[2], 0.0, arm[0], arm[1], -arm[0], 0.0};  // -[arm]
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
            jacobian[4 * j + k] = j == k ? 1.0 : 0.0;
            jacobian[12 + 4 * j + k] = cross[3 * j] * r[k] + cross[3 * j + 1] * r[3 + k] + cross[3 * j + 2] * r[6 + k];
        }
        jacobian[4 * j + 3] = jacobian[12 + 4 * j + 3] = 0.0;
    }
    blocks[0] = 0;
    blocks[1] = 1;
    for (int j = 0; j < 3; j++) {
        bias[j] = body->motion == FIL_DYNAMIC ? 0.0 : body->v_free[j] + fil_v3_dot(jacobian + 12 + 4 * j, body->v_free + 4);
    }
    return body->motion == FIL_DYNAMIC ? 2 : 0;
}

int fil_rigid_turn_jacobian(const void* pointer, int index, int part, const double* q, int* blocks, double* jacobian, double* bias)
{
    (void)index;
    (void)part;
    const FilRigidBody* body = pointer;
    double r[9];
    fil_m3_from_quat(r, fil_rigid_orientation(q));
    for (int j = 0; j < 3; j++) {
        fil_v3_copy(jacobian + 4 * j, r + 3 * j);
        jacobian[4 * j + 3] = 0.0;
        bias[j] = body->motion == FIL_DYNAMIC ? 0.0 : fil_v3_dot(r + 3 * j, body->v_free + 4);
    }
    blocks[0] = 1;
    return body->motion == FIL_DYNAMIC ? 1 : 0;
}

/* ---- as one place ---- */

int fil_rigid_place_count(const void* pointer)
{
    (void)pointer;
    return 1;
}

void fil_rigid_place_velocity(const void* pointer, int place, const double* q, const double* v, double* velocity)
{
    (void)pointer, (void)place, (void)q;
    fil_v3_copy(velocity, v);
}

double fil_rigid_pace(const void* pointer, const double* v)
{
    return fil_v3_norm(v) + ((const FilRigidBody*)pointer)->reach * fil_v3_norm(v + 4);
}

double fil_rigid_mass_of(const void* pointer)
{
    return ((const FilRigidBody*)pointer)->mass;
}

FilStatus fil_rigid_side(const void* pointer, int object, int node, const double* q, FilBodySide* side, FilError* error)
{
    (void)pointer, (void)node, (void)q, (void)error;
    side->carrier = object;
    return FIL_OK;
}

void fil_rigid_center(const void* pointer, double* center)
{
    fil_v3_copy(center, ((const FilRigidBody*)pointer)->center);
}
