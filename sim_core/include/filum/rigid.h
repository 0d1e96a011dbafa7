/* Rigid bodies and joints. */
#ifndef FILUM_RIGID_H
#define FILUM_RIGID_H

#include "filum/base.h"
#include "filum/contact.h"

FIL_API_BEGIN

typedef enum FilShapeType {
    FIL_TYPE_SPHERE,     /* radius */
    FIL_TYPE_CAPSULE,    /* radius, length between the cap centres, along z */
    FIL_TYPE_CYLINDER,   /* radius, length, along z */
    FIL_TYPE_BOX,        /* size: full edge lengths */
    FIL_TYPE_HALF_SPACE, /* everything below z = 0 of its frame; static bodies only */
    FIL_TYPE_HULL,       /* convex hull of points */
    FIL_TYPE_MESH,       /* convex hull of the mesh in an STL or OBJ file */
} FilShapeType;

/* A shape in the body's frame. */
typedef struct FilShapeDef {
    FilShapeType type;
    double radius, length; /* m */
    FilVec3 size;          /* m */
    const double* points;  /* 3 per point, m */
    int point_count;
    const char* file;
    double scale;        /* of the file's coordinates */
    FilVec3 position;    /* m */
    FilQuat orientation; /* unit */
    double density;      /* kg/m^3; 0: the body's */
} FilShapeDef;

FilShapeDef fil_shape_def_default(void);

typedef enum FilMotion {
    FIL_STATIC,    /* never moves */
    FIL_KINEMATIC, /* moved by drives of its attachment, which bears the body's name */
    FIL_DYNAMIC,   /* six degrees of freedom */
} FilMotion;

/* Pointers are borrowed for the call only. */
typedef struct FilRigidDef {
    const char* name; /* unique among rods and rigid bodies; NULL gets "body<k>" */
    FilMotion motion;
    FilVec3 position;         /* m, of the body's frame */
    FilQuat orientation;      /* unit */
    FilVec3 velocity;         /* m/s, of the centre of mass */
    FilVec3 angular_velocity; /* rad/s, world frame */
    const FilShapeDef* shapes;
    int shape_count;
    double density;          /* kg/m^3 of shapes that name none */
    double mass;             /* kg; 0: from densities. Scales the inertia of the shapes unless that is given too */
    FilVec3 center_of_mass;  /* m, body frame; used when inertia is given */
    double inertia[6];       /* kg m^2 about the centre of mass: xx, yy, zz, xy, xz, yz; all zero: from the shapes */
    FilCollision collision;
    double damping_linear, damping_angular; /* 1/s */
} FilRigidDef;

FilRigidDef fil_rigid_def_default(void);
FIL_MUST_CHECK FilStatus fil_world_add_rigid_body(FilWorld* world, const FilRigidDef* def, FilId* body);

int fil_world_rigid_count(const FilWorld* world);
FilId fil_world_rigid_at(const FilWorld* world, int index);
FilId fil_world_find_rigid(const FilWorld* world, const char* name); /* null id if there is none */

const char* fil_rigid_name(const FilWorld* world, FilId body);
FilMotion fil_rigid_motion(const FilWorld* world, FilId body);
double fil_rigid_mass(const FilWorld* world, FilId body); /* kg; 0 unless dynamic */
int fil_rigid_shape_count(const FilWorld* world, FilId body);
/* Sizes and place of a shape, body frame; `points` are borrowed until the world is destroyed. */
FilShapeDef fil_rigid_shape(const FilWorld* world, FilId body, int shape);

void fil_rigid_get_pose(const FilWorld* world, FilId body, FilVec3* position, FilQuat* orientation);     /* body frame */
void fil_rigid_get_velocity(const FilWorld* world, FilId body, FilVec3* velocity, FilVec3* angular);     /* centre of mass */
FIL_MUST_CHECK FilStatus fil_rigid_set_state(FilWorld* world, FilId body, FilVec3 position, FilQuat orientation,
                                             FilVec3 velocity, FilVec3 angular);

/* ---- joints: holonomic constraints between rods, rigid bodies and the world, solved with the contacts ----
 * Rigid bodies that are joined do not collide with each other, nor does what a rod is joined to with the rod's edges at
 * the joint. */

typedef enum FilJointKind {
    FIL_JOINT_PIN,     /* one point stays together */
    FIL_JOINT_WELD,    /* the point and the orientation (a rod: of its cross-section, through half an edge's stiffness) */
    FIL_JOINT_BUSHING, /* springs and dampers, linear and angular */
} FilJointKind;

typedef struct FilJointDef {
    const char* name; /* unique; NULL gets "joint<k>" */
    FilJointKind kind;
    FilId a, b;         /* rods, rigid bodies, arms, links, rings or shells, not one place with itself; a null b is the world */
    int node_a, node_b; /* of rods; vertex of shells; disk of arms, -1 the tip; negative counts from the end */
    FilVec3 point;      /* m, world frame: where bodies are joined; ignored if one side is a rod, a ring or a shell, whose node,
                         * point or vertex it is. Those of rings and shells do not turn: a weld is a pin there */
    bool aligned;       /* WELD, BUSHING of rigid bodies: at rest their own axes are parallel; false: as they are now */
    double stiffness, damping;                 /* N/m, N s/m: bushing */
    double angular_stiffness, angular_damping; /* N m/rad, N m s/rad: bushing */
} FilJointDef;

FilJointDef fil_joint_def_default(void);
FIL_MUST_CHECK FilStatus fil_world_add_joint(FilWorld* world, const FilJointDef* def, FilId* joint);
FilId fil_world_find_joint(const FilWorld* world, const char* name);

/* What the joint did to b (to the world: what the world did to a, negated) in the last step, world frame. */
FilVec3 fil_joint_force(const FilWorld* world, FilId joint);  /* N */
FilVec3 fil_joint_torque(const FilWorld* world, FilId joint); /* N m */

FIL_API_END

#endif
