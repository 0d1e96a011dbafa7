/* Checks of soft solids (P3). */
#ifndef FILUM_TOOLS_VALIDATE_SOLID_H
#define FILUM_TOOLS_VALIDATE_SOLID_H

#include "validate/check.h"

/* solid_statics.c */
void fil_check_solid_rest(FilCheck* check);
void fil_check_solid_cantilever(FilCheck* check);
void fil_check_solid_cantilever_fine(FilCheck* check);

/* solid_scenes.c */
void fil_check_solid_cylinder(FilCheck* check);
void fil_check_solid_cylinder_fine(FilCheck* check);
void fil_check_solid_cylinder_load(FilCheck* check);
void fil_check_solid_gripper(FilCheck* check);
void fil_check_solid_torus(FilCheck* check);
void fil_check_solid_hand(FilCheck* check);
void fil_check_solid_arch(FilCheck* check);
void fil_check_solid_belt(FilCheck* check);
void fil_check_solid_arch_limits(FilCheck* check);
void fil_check_solid_rigid_arch_limits(FilCheck* check);
/* A scene of the installation with settings; dt 0: its own. NULL, and the check fails, where it does not load. */
FilWorld* fil_check_solid_load(FilCheck* check, const char* name, const FilSetting* settings, int count, double dt);

/* solid_hertz.c */
void fil_check_solid_hertz(FilCheck* check);
void fil_check_solid_hertz_areas(FilCheck* check);
void fil_check_solid_hertz_fine(FilCheck* check);

/* solid_gas.c */
void fil_check_solid_finger(FilCheck* check);
void fil_check_solid_membrane(FilCheck* check);

#endif
