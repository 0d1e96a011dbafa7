/* Checks of contact by pressure patches (P0 III-B2). */
#ifndef FILUM_TOOLS_VALIDATE_PATCH_H
#define FILUM_TOOLS_VALIDATE_PATCH_H

#include "validate/check.h"

/* patch_forms.c */
void fil_check_patch_sphere(FilCheck* check);
void fil_check_patch_rod(FilCheck* check);
void fil_check_patch_torsion(FilCheck* check);
void fil_check_patch_convex_lift(FilCheck* check);
void fil_check_patch_flat(FilCheck* check);
/* patch_machines.c */
void fil_check_tackle(FilCheck* check);
void fil_check_conveyor(FilCheck* check);
void fil_check_patch_tilt(FilCheck* check);
/* patch_lace.c */
void fil_check_lace_grip(FilCheck* check);
void fil_check_lace_wrap(FilCheck* check);
/* patch_shoelace.c */
void fil_check_shoelace_overhand(FilCheck* check);
void fil_check_shoelace(FilCheck* check);
void fil_check_shoelace_step(FilCheck* check);
void fil_check_shoelace_points(FilCheck* check);
/* contact_capstan.c */
void fil_check_patch_capstan(FilCheck* check);
/* patch_pulley.c */
void fil_check_patch_pulley(FilCheck* check);
void fil_check_patch_pulley_crown(FilCheck* check);
void fil_check_patch_pulley_reduction(FilCheck* check);
void fil_check_patch_pulley_ablation(FilCheck* check);

/* A scene by name, with settings; NULL after a failure, which the check has. */
FilWorld* fil_patch_load(FilCheck* check, const char* name, const FilSetting* settings, int count);

#endif
