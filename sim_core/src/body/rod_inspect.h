/* A rod body's stiffness as a dense matrix, for stability checks and tests. Small bodies only. */
#ifndef FILUM_BODY_ROD_INSPECT_H
#define FILUM_BODY_ROD_INSPECT_H

#include "body/rod.h"

/* Hessian of the elastic energy with clamps and handles at configuration q (frames and rest values from h), dense,
 * symmetric, 4 unknowns a node. is_free[k] is false for unknowns that are held or belong to nothing. The attachments' last
 * targets apply: take one step before. Must not be called inside a step. */
void fil_rod_body_stiffness(FilRodBody* body, const double* q, const double* h, double* matrix, bool* is_free);

#endif
