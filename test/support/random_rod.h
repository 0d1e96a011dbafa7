/* Random bent, twisted and stretched rods with sections of their own on every edge. */
#ifndef RANDOM_ROD_H
#define RANDOM_ROD_H

#include "random.h"
#include "rod_reference.h"

/* Fills a rod and its unknowns q, rebased at q. Edges are about 0.1 long, turn by up to about 1 rad and twist by up
 * to 1 rad from one to the next; stiffnesses of the two bending directions differ by up to ten times. */
void random_rod(Random* random, int node_count, bool closed, ReferenceRod* rod, double* q);

#endif
