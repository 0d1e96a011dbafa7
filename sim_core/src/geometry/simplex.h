/* The point of a simplex nearest to the origin, by signed volumes: the inner step of GJK. */
#ifndef FILUM_GEOMETRY_SIMPLEX_H
#define FILUM_GEOMETRY_SIMPLEX_H

/* Finds the point of the hull of `count` (1 to 4) points nearest to the origin: `nearest` = sum of weight_i point_i.
 * Weights of points that do not take part are 0. Returns the squared distance, 0 when the origin is inside. */
double fil_simplex_nearest(const double (*points)[3], int count, double* weights, double* nearest);

#endif
