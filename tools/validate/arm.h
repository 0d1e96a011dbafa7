/* The checks of soft arms and of the LCP contact model, by topic. */
#ifndef FILUM_TOOLS_VALIDATE_ARM_H
#define FILUM_TOOLS_VALIDATE_ARM_H

#include "validate/check.h"

/* arm_motion.c: without contact */
void fil_check_arm_bending(FilCheck* check);
void fil_check_arm_energy(FilCheck* check);

/* arm_scenes.c: P1's scenarios A and B */
void fil_check_arm_box(FilCheck* check);
void fil_check_arm_spheres(FilCheck* check);
void fil_check_arm_solvers(FilCheck* check);

/* arm_ablation.c: P1's scenario C */
void fil_check_ablation_pipeline(FilCheck* check);
void fil_check_ablation_table(FilCheck* check);

#endif
