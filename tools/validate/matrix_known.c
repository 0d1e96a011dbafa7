/* What is known to fail, and why. Whoever mends something takes its lines out: a line about one property of one cell that holds
 * is reported. */
#include <string.h>

#include "validate/matrix.h"

typedef struct Known {
    const char *model, *a, *b; /* NULL: any; of a and b any kind, but not the ground */
    int property;              /* -1: any */
    const char* reason;
} Known;

static const Known table[] = {
    {"imc", NULL, "ground", FIL_MATRIX_RESTS, "the stiffness adapts step by step, and rest is anywhere within its band"},
    {"imc", NULL, "ground", FIL_MATRIX_CONVERGES, "the stiffness adapts step by step, and rest is anywhere within its band"},
    {"spt", NULL, "ground", -1, "explicit forces found by repeated solves are corrected to and fro"},
    {NULL, "cloth", "cloth", -1, "sheets and solids do not touch each other at velocity level: use ipc"},
    {NULL, "cloth", "solid", -1, "sheets and solids do not touch each other at velocity level: use ipc"},
    {NULL, "solid", "solid", -1, "sheets and solids do not touch each other at velocity level: use ipc"},
    {NULL, "cloth", NULL, FIL_MATRIX_KEEPS, "edges of cloth take no couple about themselves: 1e-3 of angular momentum is lost"},
    {NULL, "net", "solid", FIL_MATRIX_KEEPS, "triangles take no couple of a cord that does not twist: up to 1e-2 is lost"},
    {"sap_lagged", "sphere", NULL, FIL_MATRIX_RUBS, "the first step of a contact has its bound of friction from a guess"},
    {"imc", NULL, NULL, -1, "the stiffness adapts step by step, and rest is anywhere within its band"},
    {"spt", NULL, NULL, -1, "explicit forces found by repeated solves are corrected to and fro"},
    {"ipc", NULL, "ground", FIL_MATRIX_CONVERGES, "barriers are as stiff as steps resolve and lose nothing, so smaller steps bounce more"},
    {"ipc", "net", "capsule", FIL_MATRIX_KEEPS, "Newton's method stops at 7e-6 of the momentum"},
    {"ipc", "rod", "box", FIL_MATRIX_COLLIDES, "Newton's method does not reach 1e-10"},
    {"ipc", "rod", "hull", FIL_MATRIX_COLLIDES, "Newton's method does not reach 1e-10"},
    {"ipc", "rod", "mesh", FIL_MATRIX_COLLIDES, "Newton's method does not reach 1e-10"},
    {"ipc", "solid", "cylinder", FIL_MATRIX_RESTS, "barriers lose nothing: it still sways after half a second"},
    {"ipc", "sphere", "sphere", FIL_MATRIX_RUBS, "friction follows the normal force one step behind, which counts in a bounce of few steps"},
    {"ipc", "soft arm", "sphere", FIL_MATRIX_RUBS, "friction follows the normal force one step behind, which counts in a bounce of few steps"},
    {"ipc", "soft arm", "cylinder", FIL_MATRIX_RUBS, "friction follows the normal force one step behind, which counts in a bounce of few steps"},
    {"ipc", "cloth", "rod", FIL_MATRIX_RUBS, "friction follows the normal force one step behind, which counts in a bounce of few steps"},
};

static bool matches(const char* pattern, const char* name)
{
    return pattern == NULL || strcmp(pattern, name) == 0;
}

const char* fil_matrix_known(const char* model, const char* a, const char* b, FilMatrixProperty property, bool* exact)
{
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        const Known* known = &table[k];
        const bool ground = strcmp(b, "ground") == 0;
        const bool pair = (matches(known->a, a) && matches(known->b, b) && (known->b != NULL || !ground)) ||
                          (matches(known->a, b) && matches(known->b, a) && !ground);
        if (matches(known->model, model) && pair && (known->property < 0 || known->property == (int)property)) {
            *exact = known->model != NULL && known->a != NULL && known->b != NULL && known->property >= 0;
            return known->reason;
        }
    }
    *exact = false;
    return NULL;
}
