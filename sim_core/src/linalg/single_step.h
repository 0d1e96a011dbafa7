/* A step of conjugate gradients in single precision, as preconditioners make it on their way. */
#ifndef FILUM_LINALG_SINGLE_STEP_H
#define FILUM_LINALG_SINGLE_STEP_H

#include <stddef.h>

#include "base/vector.h"

/* What conjugate gradients are made of in single precision, in the order of variables: residual, what is preconditioned of it, the product with
 * that, direction, product with that, solution; and what an iteration takes of the last direction, and how far it goes. */
typedef struct FilSingleStep {
    float *r, *z, *w, *p, *s, *x;
    float turn, length;
} FilSingleStep;

/* Takes a variable a step further: p = z + turn p, s = w + turn s, x = x + length p, r = r - length s. Its residual there. */
static inline FilFloat4 fil_single_step_advance(const FilSingleStep* step, int variable)
{
    const ptrdiff_t at = (ptrdiff_t)4 * variable;
    const FilFloat4 turn = fil_float4_all(step->turn), length = fil_float4_all(step->length);
    const FilFloat4 p = fil_float4_add_product(fil_float4_load(step->z + at), turn, fil_float4_load(step->p + at));
    const FilFloat4 s = fil_float4_add_product(fil_float4_load(step->w + at), turn, fil_float4_load(step->s + at));
    const FilFloat4 r = fil_float4_sub_product(fil_float4_load(step->r + at), length, s);
    fil_float4_store(step->p + at, p);
    fil_float4_store(step->s + at, s);
    fil_float4_store(step->x + at, fil_float4_add_product(fil_float4_load(step->x + at), length, p));
    fil_float4_store(step->r + at, r);
    return r;
}

#endif
