/* Knots as geometry: the open overhand knot of any unknotting number.
 *
 * It is tied as people tie it: a tail, two strands wound about each other with 2n + 1 crossings (the braid), a loop
 * that joins them, and the other tail. Closing the tails gives the torus knot (2, 2n + 1), whose unknotting number is
 * n.
 */
#ifndef FILUM_SCENE_KNOT_H
#define FILUM_SCENE_KNOT_H

#include "filum/base.h"

typedef struct FilKnotDef {
    int n;           /* unknotting number, at least 1 */
    int node_count;  /* of the rod */
    double length;   /* m, of the rod: node_count - 1 edges of equal length */
    double diameter; /* m: no two strands come closer than this */
} FilKnotDef;

/* The trefoil of 301 nodes on 1 m of 3 mm. */
FilKnotDef fil_knot_def_default(void);

/* Fills 3 * node_count coordinates. The tails lie along y, 0.3 lengths from end to end; the loop stands in the plane
 * x = 0 above the braid, whose axis is the y axis. Curvature is continuous. FIL_BAD_INPUT if the crossings do not fit.
 * `error` may be NULL. Allocates while it runs. */
FIL_MUST_CHECK FilStatus fil_knot_build(const FilKnotDef* def, double* nodes, FilError* error);

#endif
