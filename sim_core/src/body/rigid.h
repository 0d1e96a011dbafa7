/* The body kind "rigid": static, kinematic or free.
 *
 * q holds the centre of mass, an idle number and the orientation of the body frame (quaternion x, y, z, w); v holds the
 * velocity of the centre of mass and the angular velocity in the body frame, each followed by an idle number. In the body
 * frame the inertia is constant and free rotation keeps its energy whatever the step. */
#ifndef FILUM_BODY_RIGID_H
#define FILUM_BODY_RIGID_H

#include "body/body.h"
#include "body/rigid_shape.h"

/* Two blocks of four: position and rotation vector, each with one that is not used. */
enum { FIL_RIGID_UNKNOWNS = 8 };

typedef struct FilRigidBody {
    FilMotion motion;
    int shape_count;
    FilRigidShape* shapes;
    FilCollision collision;
    double mass, inertia[9], inverse_inertia[9]; /* body frame, about the centre of mass */
    double center[3];                            /* of mass, body frame */
    double reach;                                /* m, from the centre of mass to the farthest point of any shape */
    double damping_linear, damping_angular;
    double initial_q[FIL_RIGID_UNKNOWNS], initial_v[FIL_RIGID_UNKNOWNS];

    double force[3], torque[3]; /* loads, world frame */
    bool attached;              /* kinematic: its attachment exists */
    double origin[3];           /* of the body frame, where that was made */
    FilQuat origin_orientation;
    FilTarget target;

    /* the step */
    FilStepSetup setup;
    const double *q0, *v0;
    double v_free[FIL_RIGID_UNKNOWNS];
    double gyro_free[3];  /* N m, w x I w of free motion, in the body frame */
    double tangent[2][9]; /* of v and omega: mass and inertia with damping */
    double inverse[2][9];

    /* for its derivative */
    struct {
        double free_turn[9], free_rate[9]; /* of free motion's angular velocity, by the orientation and the angular velocity at the start */
        double end_turn[9], end_rate[9];   /* of the orientation at the end, by that at the start and by the angular velocity */
    } varied;
} FilRigidBody;

extern const FilBodyOps fil_rigid_ops;

FilStatus fil_rigid_create(const FilRigidDef* def, FilRigidBody** body, FilError* error);

/* ---- below the table: rigid_build.c ---- */

void fil_rigid_destroy(void* body);
/* Pose of the body frame at q. */
void fil_rigid_pose(const FilRigidBody* body, const double* q, FilPose* pose);
/* q for a pose of the body frame. */
void fil_rigid_from_pose(const FilRigidBody* body, const double* position, FilQuat orientation, double* q);

/* Orientation of the body frame in q. */
static inline FilQuat fil_rigid_orientation(const double* q)
{
    return (FilQuat){q[4], q[5], q[6], q[7]};
}

/* ---- rigid_contact.c: parts of the table ---- */

int fil_rigid_collider_count(const void* body);
void fil_rigid_collider(const void* body, int index, FilCollider* out);
void fil_rigid_place(const void* body, int index, const double* q, const double* v, FilPlacement* out);
void fil_rigid_part(const void* body, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose);
void fil_rigid_frame(const void* body, int index, int part, const double* q, const double* h, FilPose* pose);
bool fil_rigid_joined(const void* body, int index_a, int part_a, int index_b, int part_b);
int fil_rigid_point_jacobian(const void* body, int index, int part, const double* point, const double* q, int* blocks, double* jacobian,
                             double* bias);
int fil_rigid_turn_jacobian(const void* body, int index, int part, const double* q, int* blocks, double* jacobian, double* bias);
int fil_rigid_place_count(const void* body);
void fil_rigid_place_velocity(const void* body, int place, const double* q, const double* v, double* velocity);
double fil_rigid_pace(const void* body, const double* v);
double fil_rigid_mass_of(const void* body);
FilStatus fil_rigid_side(const void* body, int object, int node, const double* q, FilBodySide* side, FilError* error);
void fil_rigid_center(const void* body, double* center);

/* rigid_derivative.c */
extern const struct FilDerivativeOps fil_rigid_derivative_ops;

#endif
