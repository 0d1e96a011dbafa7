/* Continuous collision of features that move in straight lines during a step.
 *
 * Four points each: segments p0 p1 and q0 q1 (in this order), or a point and the triangle abc. `start` and `end` hold
 * their positions, 3 doubles each; time runs from 0 to 1. Nothing here allocates. */
#ifndef FILUM_GEOMETRY_SWEEP_H
#define FILUM_GEOMETRY_SWEEP_H

#include "base/vec3.h"

/* A time up to which the features surely keep more than `min` plus `slack` times what they had above it at the start
 * (0 < slack < 1): conservative advancement, so never too late. Returns 1 when that holds for the whole step, and 0
 * when they start at `min` or closer. */
double fil_sweep_segments(const double start[12], const double end[12], double min, double slack);
double fil_sweep_point_triangle(const double start[12], const double end[12], double min, double slack);

/* Whether the segments, or the point and the triangle, meet at some time of the step; `time` (may be NULL) takes the
 * first such time. Features that only touch count as meeting, to within 1e-9 of their size. */
bool fil_sweep_segments_cross(const double start[12], const double end[12], double* time);
bool fil_sweep_point_triangle_cross(const double start[12], const double end[12], double* time);

#endif
