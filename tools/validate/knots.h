/* Topology of curves made of straight edges: what stays as long as no strand passes through another. */
#ifndef FILUM_TOOLS_VALIDATE_KNOTS_H
#define FILUM_TOOLS_VALIDATE_KNOTS_H

#include <stdbool.h>

typedef struct FilCrossing {
    double at[2]; /* edge + share along it, of the strand above and of the one below */
    int sign;     /* +1 or -1: handedness */
} FilCrossing;

/* Crossings of curve a (na nodes, 3 coordinates each) with curve b, seen along a fixed direction near the x axis; of a
 * curve with itself if b is a (each once). Writes at most `room`; returns how many there are. */
int fil_knots_crossings(const double* a, int na, bool a_closed, const double* b, int nb, bool b_closed, FilCrossing* crossings, int room);

/* Linking number of two closed curves. */
int fil_knots_linking(const double* a, int na, const double* b, int nb);

/* Determinant of an open curve closed far away after its ends have been drawn on along -y (first) and +y (last): 1 for
 * the unknot, q for the torus knot (2, q). Negative if it has too many crossings to tell. */
double fil_knots_determinant(const double* nodes, int count);

#endif
