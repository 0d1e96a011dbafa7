/* Distance between simple features as a smooth function of their corners: value, gradient and Hessian.
 *
 * A pair of features has up to four corners, those of the first feature before those of the second. The vector between
 * their closest points is r = sum w_i x_i with weights that depend on the corners; half its square, f, has
 *     grad f = w_i r,   Hessian f = w_i w_j 1 - F' (E' E)^-1 F,   F_k = w_i e_k + (dw_i/du_k) r,   E = (e_k),
 * where u are the parameters of the closest points that are free, not held at an end, and e_k = sum (dw_i/du_k) x_i.
 * Nothing here allocates. */
#ifndef FILUM_GEOMETRY_FEATURE_H
#define FILUM_GEOMETRY_FEATURE_H

#include <stdbool.h>

typedef enum FilFeature {
    FIL_POINT_POINT,     /* p, q */
    FIL_POINT_SEGMENT,   /* p, q0, q1 */
    FIL_SEGMENT_SEGMENT, /* p0, p1, q0, q1 */
    FIL_POINT_TRIANGLE,  /* p, a, b, c */
} FilFeature;

/* A point and a triangle, or two edges: four corners of three coordinates. */
enum { FIL_FEATURE_CORNERS = 4, FIL_FEATURE_SIZE = 12 };

/* Corners of a pair, and how many of them belong to the first feature. */
int fil_feature_corners(FilFeature pair);
int fil_feature_split(FilFeature pair);

typedef struct FilClosest {
    double weight[FIL_FEATURE_CORNERS];    /* r = sum w_i x_i points from the first feature to the second */
    double r[3];                           /* m */
    double half_square;                    /* m^2: f */
    int free_count;                        /* parameters that are not held */
    double change[2][FIL_FEATURE_CORNERS]; /* dw/du of those */
} FilClosest;

/* Closest points of the pair with corners x, 3 numbers each. */
FilClosest fil_feature_closest(FilFeature pair, const double* x);

/* grad f, 3 numbers per corner. */
void fil_feature_gradient(FilFeature pair, const FilClosest* closest, double* gradient);

/* Hessian of f, by rows; n x n with n = 3 corners. */
void fil_feature_hessian(FilFeature pair, const FilClosest* closest, const double* x, double* hessian);

#endif
