/* What is known to fail, and why. Whoever mends something takes its lines out: a line about one property of one cell that holds
 * is reported. */
#include <string.h>

#include "validate/matrix.h"

typedef struct Known {
    const char *model, *a, *b; /* NULL: any */
    int property;              /* -1: any */
    const char* reason;
} Known;

static const Known table[] = {
    {"imc", "rod", "ground", FIL_MATRIX_CONVERGES, "the stiffness adapts step by step, and rest is anywhere within its band"},
    {"imc", "closed rod", "ground", FIL_MATRIX_RESTS, "the stiffness adapts step by step, and rest is anywhere within its band"},
    {"spt", NULL, "ground", -1, "explicit forces found by repeated solves are corrected to and fro"},
    {"ipc", NULL, "ground", FIL_MATRIX_CONVERGES, "barriers are as stiff as steps resolve and lose nothing, so smaller steps bounce more"},
    {"sap_lagged", "hull", "ground", FIL_MATRIX_SLIDES, "lagged friction depends on the penetration of single contacts"},
};

static bool matches(const char* pattern, const char* name)
{
    return pattern == NULL || strcmp(pattern, name) == 0;
}

const char* fil_matrix_known(const char* model, const char* a, const char* b, FilMatrixProperty property, bool* exact)
{
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        const Known* known = &table[k];
        const bool pair = (matches(known->a, a) && matches(known->b, b)) || (matches(known->a, b) && matches(known->b, a));
        if (matches(known->model, model) && pair && (known->property < 0 || known->property == (int)property)) {
            *exact = known->model != NULL && known->a != NULL && known->b != NULL && known->property >= 0;
            return known->reason;
        }
    }
    *exact = false;
    return NULL;
}
