/* What is known to fail, and why. Whoever mends something takes its lines out: a line about one property of one cell that holds
 * is reported. */
#include <string.h>

#include "validate/matrix.h"

typedef struct Known {
    const char *model, *a, *b; /* NULL: any; of a and b any kind, but not the ground */
    int property;              /* -1: any */
    const char* reason;
} Known;

/* such as {"lcp", "net", "cloth", FIL_MATRIX_RESTS, "finds no solution"}; without a reason: the end */
static const Known table[] = {
    {NULL, NULL, NULL, -1, NULL},
};

static bool matches(const char* pattern, const char* name)
{
    return pattern == NULL || strcmp(pattern, name) == 0;
}

const char* fil_matrix_known(const char* model, const char* a, const char* b, FilMatrixProperty property, bool* exact)
{
    for (const Known* known = table; known->reason != NULL; known++) {
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
