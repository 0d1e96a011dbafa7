/* What is known to fail, and why. Whoever mends something takes its lines out: a line about one property of one cell that holds
 * is reported. */
#include <string.h>

#include "validate/matrix.h"

typedef struct Known {
    const char *model, *a, *b; /* NULL: any; of a and b any kind, but not the ground */
    int property;              /* -1: any */
    const char* reason;
} Known;

#define FEW "finds no solution for some dozens of contacts that depend on each other, and says so; use sap or sap_lagged"

static const Known table[] = {
    {"lcp", "net", "cloth", FIL_MATRIX_RESTS, FEW},
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
