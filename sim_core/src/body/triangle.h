/* Points that move with a triangle of vertices: what touches cloth and the skins of solids between their vertices. */
#ifndef FILUM_BODY_TRIANGLE_H
#define FILUM_BODY_TRIANGLE_H

/* Velocity of the point that goes with the triangle of three vertices, `vertex` of q and of the unknowns, four numbers each:
 * three blocks and 3 x 4 Jacobians by rows. The point may lie above the triangle, or beside. Returns their number. */
int fil_triangle_jacobian(const int vertex[3], const double* point, const double* q, int* blocks, double* jacobian);

/* Angular velocity of the triangle, that which fits its vertices' velocities best, likewise. A couple becomes forces at the vertices that sum
 * up to nothing but it. Zero where the triangle has no area. */
int fil_triangle_turn_jacobian(const int vertex[3], const double* q, int* blocks, double* jacobian);

#endif
