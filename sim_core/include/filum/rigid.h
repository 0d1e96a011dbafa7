/* Rigid bodies. */
#ifndef FILUM_RIGID_H
#define FILUM_RIGID_H

#include "filum/base.h"
#include "filum/contact.h"

FIL_API_BEGIN

/* Shapes that rigid bodies and links are made of. */
typedef enum FilShapeType {
    FIL_SHAPE_SPHERE,     /* radius */
    FIL_SHAPE_CAPSULE,    /* radius, length between the cap centres, along z */
    FIL_SHAPE_CYLINDER,   /* radius, length, along z */
    FIL_SHAPE_BOX,        /* size: full edge lengths */
    FIL_SHAPE_HALF_SPACE, /* everything below z = 0 of its frame; static bodies only */
    FIL_SHAPE_HULL,       /* convex hull of points */
    FIL_SHAPE_MESH,       /* the closed surface in an STL or OBJ file, convex or not */
    FIL_SHAPE_REVOLUTION, /* radii, evenly spaced over `length` along z. Pressure patches touch the smooth surface through them, points
                            of contact a convex hull of 64 facets around */
} FilShapeType;

/* A shape in the body's frame. */
typedef struct FilShapeDef {
    FilShapeType type;
    double radius, length; /* m */
    FilVec3 size;          /* m */
    const double* points;  /* 3 per point, m */
    int point_count;
    const int* triangles; /* 3 points per triangle: of a MESH that is not convex, from those who are asked for its shape */
    int triangle_count;
    const double* radii; /* m, positive; REVOLUTION */
    int radius_count;    /* 2 at least */
    const char* file;    /* STL or OBJ, of a MESH; NULL: points are given */
    const char* folders; /* that the file must lie below, wherever links lead, separated by colons; NULL: anywhere */
    double scale;        /* of the file's coordinates */
    bool convex;         /* a mesh: its convex hull instead */
    FilVec3 position;    /* m */
    FilQuat orientation; /* unit */
    double density;      /* kg/m^3; 0: the body's */
} FilShapeDef;

FilShapeDef fil_shape_def_default(void);

/* What moves a rigid body. */
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
    double density;         /* kg/m^3 of shapes that name none */
    double mass;            /* kg; 0: from densities. Scales the inertia of the shapes unless that is given too */
    FilVec3 center_of_mass; /* m, body frame; used when inertia is given */
    double inertia[6];      /* kg m^2 about the centre of mass: xx, yy, zz, xy, xz, yz; all zero: from the shapes */
    FilCollision collision;
    double damping_linear, damping_angular; /* 1/s */
} FilRigidDef;

FilRigidDef fil_rigid_def_default(void);
FIL_MUST_CHECK FilStatus fil_world_add_rigid(FilWorld* world, const FilRigidDef* def, FilId* body);

int fil_world_rigid_count(const FilWorld* world);
FilId fil_world_rigid_at(const FilWorld* world, int index);
FilId fil_world_find_rigid(const FilWorld* world, const char* name); /* null id if there is none */

const char* fil_rigid_name(const FilWorld* world, FilId body);
FilMotion fil_rigid_motion(const FilWorld* world, FilId body);    /* as it was made */
double fil_rigid_mass(const FilWorld* world, FilId body);         /* kg; 0 unless dynamic */
FilVec3 fil_rigid_mass_center(const FilWorld* world, FilId body); /* m, world */
int fil_rigid_shape_count(const FilWorld* world, FilId body);
/* Sizes and place of a shape, body frame; `points` are borrowed until the world is destroyed. */
FilShapeDef fil_rigid_shape(const FilWorld* world, FilId body, int shape);

void fil_rigid_get_pose(const FilWorld* world, FilId body, FilVec3* position, FilQuat* orientation); /* body frame */
void fil_rigid_get_velocity(const FilWorld* world, FilId body, FilVec3* velocity, FilVec3* angular); /* centre of mass */
/* Of a dynamic body: pose of its frame, velocity of its centre of mass, angular velocity in the world frame. */
FIL_MUST_CHECK FilStatus fil_rigid_set_state(FilWorld* world, FilId body, FilVec3 position, FilQuat orientation, FilVec3 velocity, FilVec3 angular);

FIL_API_END

#endif
