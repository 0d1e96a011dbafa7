/* SPT, explicit contact forces found by solving again until the strands just touch: Spillmann and Teschner, An adaptive
 * contact model for the robust simulation of knots, 2008. The rival of P2's Table 1; simple on purpose. */
#ifndef FILUM_CONTACT_SPT_H
#define FILUM_CONTACT_SPT_H

#include "contact/potential.h"

extern const FilPairPotential fil_spt_pair;

#endif
