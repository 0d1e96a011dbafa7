/* Checks of planning through contact: group "plan". */
#ifndef FILUM_TOOLS_VALIDATE_PLAN_H
#define FILUM_TOOLS_VALIDATE_PLAN_H

#include "validate/check.h"

void fil_check_plan_coarse(FilCheck* check);
void fil_check_plan_rotations(FilCheck* check);
void fil_check_plan_seeds(FilCheck* check);
void fil_check_plan_recipes(FilCheck* check);
void fil_check_plan_tracking(FilCheck* check);
void fil_check_plan_disturbed(FilCheck* check);
void fil_check_plan_rolled(FilCheck* check);
void fil_check_plan_rolled_disturbed(FilCheck* check);
void fil_check_plan_rolled_open_loop(FilCheck* check);
void fil_check_plan_open_loop(FilCheck* check);
void fil_check_plan_receding(FilCheck* check);
void fil_check_plan_tasks(FilCheck* check);
void fil_check_plan_referee(FilCheck* check);

#endif
