/* Solids as the node shows them: by the triangles of their surface; solid_states. */
#include "triangles.h"

FIL_TRIANGLES_KIND(solid);
