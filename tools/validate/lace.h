/* What is asked of laces in hands: how far they slip, how hard fingers press, and what knot they make. */
#ifndef FILUM_TOOLS_VALIDATE_LACE_H
#define FILUM_TOOLS_VALIDATE_LACE_H

#include "validate/patch.h"

/* One grasp: which hand holds which lace ("left" or "right"), from closed fingers until they open or the scene ends. */
typedef struct FilGrasp {
    const char *hand, *lace;
    double from, to; /* s */
    bool begun;
    int node;             /* of the lace, nearest to the hand when the grasp begins */
    double rest[3], slip; /* m, in the hand's frame */
    int count;
    double sum, squares; /* of the force with which fingers press (N), half the difference of both */
} FilGrasp;

/* To be called after each step. */
void fil_grasp_watch(const FilWorld* world, FilGrasp* grasp);
double fil_grasp_force(const FilGrasp* grasp);                       /* N, mean of what fingers press with */
double fil_grasp_spread(const FilGrasp* grasp);                      /* its standard deviation over its mean */
double fil_grasp_pull(const FilWorld* world, const FilGrasp* grasp); /* N, of the lace on the hand, now */

/* By how many half-turns the laces wind around each other, seen from above: the sum of the signs of their crossings. */
int fil_lace_half_turns(const FilWorld* world);

/* Determinant of both laces, joined inside the shoe, the left one until node `left` and the right one until `right`
 * (negative: to its end), drawn on from there to the sides where they point, the side of the left lace being `side` (+1 or
 * -1, along x). 1 for the unknot, 3 for the overhand knot, 9 for the reef or granny knot. */
double fil_lace_determinant(const FilWorld* world, int left, int right, double side);

#endif
