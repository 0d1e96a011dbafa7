/* Shells as the node shows them: by the triangles of their surface; shell_states. */
#include "triangles.h"

FIL_TRIANGLES_KIND(shell);
