/* The checks of potential contact (IMC, SPT) on knots, by topic. */
#ifndef FILUM_TOOLS_VALIDATE_KNOTS_IMC_H
#define FILUM_TOOLS_VALIDATE_KNOTS_IMC_H

#include "validate/check.h"

/* knots_imc.c: P2's experiments */
void fil_check_knots_start(FilCheck* check);
void fil_check_knots_tightening(FilCheck* check);
void fil_check_knots_speeds(FilCheck* check);
void fil_check_knots_trefoil(FilCheck* check);
void fil_check_knots_friction(FilCheck* check);
void fil_check_knots_fast(FilCheck* check);
void fil_check_knots_spt(FilCheck* check);

/* knots_models.c: IMC against SAP */
void fil_check_knots_models(FilCheck* check);
void fil_check_knots_middle(FilCheck* check);
void fil_check_knots_finer(FilCheck* check);
void fil_check_knots_finer_three(FilCheck* check);
void fil_check_knots_two_models(FilCheck* check);

/* knots_turned.c: which way a knot lies */
void fil_check_knots_turned(FilCheck* check);

/* knots_beyond.c: what P2 leaves open */
void fil_check_imc_incline(FilCheck* check);
void fil_check_imc_twist(FilCheck* check);
void fil_check_imc_local(FilCheck* check);
void fil_check_imc_rectangle(FilCheck* check);
void fil_check_imc_steps(FilCheck* check);
void fil_check_imc_rods(FilCheck* check);

#endif
