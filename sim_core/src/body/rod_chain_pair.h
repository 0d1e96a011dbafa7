/* Loops of two chains at once: between rod_chain_assemble.c and rod_chain_pair_avx2.c. */
#ifndef FILUM_BODY_ROD_CHAIN_PAIR_H
#define FILUM_BODY_ROD_CHAIN_PAIR_H

#include "body/rod_chain.h"

#if defined(FIL_LANE_PAIRS)
/* Frames of both; the smallest length and the smallest cosine of a turn of each. */
void fil_rod_chain_find_frames_pair(FilRodChain* const* chains, FilLanes* length, FilLanes* turn);
/* Gradients and, if `hessian`, columns of nodes; energies of each. */
void fil_rod_chain_sweep_pair(FilRodChain* const* chains, const FilLanes* scale, const FilLanes* min, bool hessian, FilLanes* energy);
#endif

#endif
