/* Checks of soft solids (P3). */
#ifndef FILUM_TOOLS_VALIDATE_SOLID_H
#define FILUM_TOOLS_VALIDATE_SOLID_H

#include "validate/check.h"

/* solid_statics.c */
void fil_check_solid_rest(FilCheck* check);

#endif
