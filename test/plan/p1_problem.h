/* P1's arm and ball (sec. V-C) as a problem of the planner. */
#ifndef FILUM_TEST_P1_PROBLEM_H
#define FILUM_TEST_P1_PROBLEM_H

#include <math.h>
#include <string.h>

#include "body/soft_arm.h"
#include "plan/ball_turn.h"

static inline FilSoftArm* p1_arm(int mass_points, bool rotational)
{
    static const double masses[3] = {1.17, 0.54, 0.265};
    FilArmSection sections[3];
    FilArmDef def = fil_arm_def_default();
    FilSoftArm* arm = NULL;
    FilError error;
    for (int k = 0; k < 3; k++) {
        sections[k] = fil_arm_section_default();
        sections[k].mass = masses[k];
    }
    def.position = (FilVec3){0.0, 0.0, 0.2};
    def.sections = sections;
    def.section_count = 3;
    def.mass_points = mass_points;
    def.rotational_energy = rotational;
    def.scheme = FIL_ARM_IMPLICIT;
    return fil_soft_arm_create(&def, &arm, &error) == FIL_OK ? arm : NULL;
}

static inline FilBallTurn p1_turn(const FilSoftArm* arm, int stages)
{
    static const double gravity[3] = {0.0, 0.0, -9.81};
    FilBallTurn turn = {.centre = {0.0, 0.1, 0.7},
                        .radius = 0.05,
                        .inertia = 2e-4,
                        .damping = 1e-3,
                        .friction = 0.6,
                        .directions = 10,
                        .target = {sqrt(0.5), 0.0, 0.0, sqrt(0.5)},
                        .weights = {10.0, 100.0, -1e-3, 0.2, 1e-3, 1e-3, 1e-2, 10.0},
                        .stages = stages,
                        .step = 4.0 / stages};
    FilError error;
    return fil_plan_arm_from(arm, gravity, &turn.arm, &error) == FIL_OK ? turn : (FilBallTurn){.stages = 0};
}

#endif
