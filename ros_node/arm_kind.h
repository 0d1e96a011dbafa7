/* How the parts of soft arms are called outside. */
#ifndef FILUM_NODE_ARM_KIND_H
#define FILUM_NODE_ARM_KIND_H

#include "frames.h"

/* "<arm>/chamber_<i>", chambers counted through all sections. */
void fil_chamber_name(const char* arm, int chamber, char name[FIL_FRAME_NAME]);

#endif
