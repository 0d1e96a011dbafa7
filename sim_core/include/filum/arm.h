/* Soft arms: pneumatic sections of piecewise constant curvature. docs/soft_arm.md has the model. */
#ifndef FILUM_ARM_H
#define FILUM_ARM_H

#include "filum/base.h"
#include "filum/contact.h"

FIL_API_BEGIN

/* A section leaves its base along z. Its coordinates are the elongations of three chambers 120 degrees apart, the first
 * at `chamber_angle`: of the chambers themselves if there are three. */
typedef struct FilArmSection {
    double length;         /* m, of the backbone at rest */
    double mass;           /* kg, even along the section */
    int chambers;          /* 3 or more, evenly around the backbone */
    double chamber_offset; /* m, from the backbone to the chambers' axes */
    double chamber_angle;  /* rad, of the first chamber, from the x axis of the section's base */
    double chamber_area;   /* m^2, that the pressure acts on */
    double stiffness;      /* N/m, of one chamber */
    double damping;        /* N s/m, of one chamber */
    int disks;             /* inside the section, evenly spaced; one more is at its tip */
    double disk_radius;    /* m */
    double disk_thickness; /* m */
    double elongation[3];  /* m, coordinates at the start */
    double rate[3];        /* m/s, their rates at the start */
} FilArmSection;

/* What of the terms that are quadratic in the rates is counted. */
typedef enum FilArmCoriolis {
    FIL_ARM_CORIOLIS_FULL,   /* of every mass point */
    FIL_ARM_CORIOLIS_LUMPED, /* of the sections' masses, each at the middle of its section */
    FIL_ARM_CORIOLIS_NONE,
} FilArmCoriolis;

/* How the arm's free motion is found, inside of what the world's integrator says. */
typedef enum FilArmScheme {
    FIL_ARM_SEMI_IMPLICIT, /* stiffness and damping implicit, the rest from the step's start (midpoint: as IMPLICIT) */
    FIL_ARM_IMPLICIT,      /* inertia, Coriolis terms and gravity at the step's theta-point too */
    FIL_ARM_RK23,          /* explicit Runge-Kutta sub-steps with error control; contact impulses come on top */
} FilArmScheme;

/* Pointers are borrowed for the call only. */
typedef struct FilArmDef {
    const char* name;    /* unique among rods, rigid bodies and arms; NULL gets "arm<k>" */
    FilVec3 position;    /* m, of the base */
    FilQuat orientation; /* unit; the arm leaves along the base's z axis */
    FilId base;          /* rigid body that it is welded to; null: none */
    bool free_base;      /* the base moves, held by nothing but joints; true if `base` is given */
    double base_mass;    /* kg, of the disk of a base that moves */
    const FilArmSection* sections;
    int section_count;      /* 1 to 30 */
    int mass_points;        /* per section: equal slices, each a thin disk at its middle */
    bool rotational_energy; /* of the slices, with the disks' radius */
    FilArmCoriolis coriolis;
    FilArmScheme scheme;
    double rk_tolerance;    /* RK23: error of one sub-step, relative to elongations and rates, or to 0.01 m and m/s */
    double valve_time;      /* s, time constant of the pressures behind their commands; 0: none */
    FilCollision collision; /* of the disks; with `self` those meet that are far enough apart along the arm */
} FilArmDef;

FilArmSection fil_arm_section_default(void);
FilArmDef fil_arm_def_default(void);
FIL_MUST_CHECK FilStatus fil_world_add_arm(FilWorld* world, const FilArmDef* def, FilId* arm);

int fil_world_arm_count(const FilWorld* world);
FilId fil_world_arm_at(const FilWorld* world, int index);
FilId fil_world_find_arm(const FilWorld* world, const char* name); /* null id if there is none */

const char* fil_arm_name(const FilWorld* world, FilId arm);
int fil_arm_section_count(const FilWorld* world, FilId arm);
bool fil_arm_base_moves(const FilWorld* world, FilId arm);   /* FilArmDef.free_base */
int fil_arm_chamber_count(const FilWorld* world, FilId arm); /* of all sections: the range of FIL_DRIVE_PRESSURE */
int fil_arm_disk_count(const FilWorld* world, FilId arm);    /* base, then inner ones and tip of each section: the range of
                                                                FIL_DRIVE_FORCE and FIL_DRIVE_TORQUE */

/* ---- state ---- */

/* Three coordinates (m) and rates (m/s) per section; either may be NULL: it is not read, or kept as it is. */
void fil_arm_get_state(const FilWorld* world, FilId arm, double* elongations, double* rates);
FIL_MUST_CHECK FilStatus fil_arm_set_state(FilWorld* world, FilId arm, const double* elongations, const double* rates);

double fil_arm_chamber_length(const FilWorld* world, FilId arm, int chamber); /* m */
double fil_arm_pressure(const FilWorld* world, FilId arm, int chamber);       /* Pa, behind its valve */

/* Takes a chamber over from the scene's drives: the command (Pa, gauge) holds from the next step on, behind the valve.
 * Release gives the chamber back. */
FIL_MUST_CHECK FilStatus fil_arm_set_pressure(FilWorld* world, FilId arm, int chamber, double pressure);
FIL_MUST_CHECK FilStatus fil_arm_release_pressure(FilWorld* world, FilId arm, int chamber);

/* A section's arc. */
typedef struct FilArmShape {
    double length;    /* m, of the backbone */
    double angle;     /* rad, between the tangents of its ends; not negative */
    double curvature; /* rad/m */
    double plane;     /* rad, direction it bends towards, from the x axis of the section's base; 0 when straight */
} FilArmShape;

/* Of section `section`, from 0, at the current state; numbers are NaN if refused. */
FilArmShape fil_arm_shape(const FilWorld* world, FilId arm, int section);

/* Pose of the backbone at the fraction s of a section, world frame; z is its tangent. */
void fil_arm_pose(const FilWorld* world, FilId arm, int section, double s, FilVec3* position, FilQuat* orientation);
void fil_arm_tip_pose(const FilWorld* world, FilId arm, FilVec3* position, FilQuat* orientation);
void fil_arm_disk_pose(const FilWorld* world, FilId arm, int disk, FilVec3* position, FilQuat* orientation);
void fil_arm_disk_velocity(const FilWorld* world, FilId arm, int disk, FilVec3* velocity, FilVec3* angular);
void fil_arm_disk_size(const FilWorld* world, FilId arm, int disk, double* radius, double* thickness); /* m */

FIL_API_END

#endif
