/* A soft arm as the planner sees it: constants of its equations of motion (docs/soft_arm.md). */
#ifndef FILUM_PLAN_PLAN_ARM_H
#define FILUM_PLAN_PLAN_ARM_H

#include "body/soft_arm.h"
#include "geometry/pose.h"

/* Variables of one chain of frames; coordinates of all chains of a problem. */
enum { FIL_PLAN_SECTIONS = 4, FIL_PLAN_SHAPES = 3 * FIL_PLAN_SECTIONS, FIL_PLAN_COORDINATES = 24 };

typedef struct FilPlanArm {
    int sections, slices; /* slices of each section: particles of its mass */
    FilPose base;
    double gravity[3];
    double length[FIL_PLAN_SECTIONS];    /* m, at rest */
    double mass[FIL_PLAN_SECTIONS];      /* kg */
    double moment[FIL_PLAN_SECTIONS];    /* kg m^2: m R^2 / 4, 0 without rotational energy */
    double stiffness[FIL_PLAN_SECTIONS]; /* N/m, of a coordinate */
    double damping[FIL_PLAN_SECTIONS];   /* N s/m */
    double shape[FIL_PLAN_SECTIONS][9];  /* by rows: (b_x, b_y, e) = shape q */
    double disk_radius, disk_thickness;  /* m, of the tip's disk */
} FilPlanArm;

/* Of an arm with a fixed base, full Coriolis terms and few sections; others are refused with a message. */
FilStatus fil_plan_arm_from(const FilSoftArm* arm, const double* gravity, FilPlanArm* out, FilError* error);

#endif
