/* Closest points between points, segments, triangles, boxes and cylinders, in closed form.
 *
 * Distances between thin features are squared; distances to solids are signed, negative inside. Boxes and cylinders
 * are given in their own frame, centred at the origin, the cylinder along z. Degenerate inputs (segments of no
 * length, triangles of no area) are served by their lower-dimensional shape. Nothing here allocates. */
#ifndef FILUM_GEOMETRY_CLOSEST_H
#define FILUM_GEOMETRY_CLOSEST_H

#include "base/vec3.h"

/* Point p to segment a b: closest point a + s (b - a). Returns the squared distance. */
double fil_point_segment(const double* p, const double* a, const double* b, double* s);

/* Segment p0 p1 to segment q0 q1: closest points p0 + s (p1 - p0) and q0 + t (q1 - q0). Returns the squared distance.
 */
double fil_segment_segment(const double* p0, const double* p1, const double* q0, const double* q1, double* s, double* t);

/* Stretch over which two nearly parallel segments lie side by side: its two ends, as parameters on both. Returns false
 * when the angle's sine is at least `sine`, or the stretch is empty or shorter than `sine` times the shorter one. */
bool fil_segment_overlap(const double* p0, const double* p1, const double* q0, const double* q1, double sine, double s[2], double t[2]);

/* Point p to triangle abc: closest point with barycentric weights w. Returns the squared distance. */
double fil_point_triangle(const double* p, const double* a, const double* b, const double* c, double w[3]);

/* Segment p q to triangle abc: closest points p + s (q - p) and w0 a + w1 b + w2 c. Returns the squared distance. */
double fil_segment_triangle(const double* p, const double* q, const double* a, const double* b, const double* c, double* s, double w[3]);

/* Signed distance of p to the solid box |x_k| <= half_k; `normal` is the outward unit normal at the closest surface
 * point p - distance normal. */
double fil_point_box(const double* p, const double* half, double* normal);

/* Signed distance of p to the solid cylinder of `radius` and |z| <= half. */
double fil_point_cylinder(const double* p, double radius, double half, double* normal);

/* Parameter s of the point of segment p q closest to the solid box; the middle one of several. Returns the squared
 * distance, 0 when they meet. */
double fil_segment_box(const double* p, const double* q, const double* half, double* s);

/* Parameter s of a point of segment p q closest to the solid cylinder. Returns the squared distance, 0 when they
 * meet. */
double fil_segment_cylinder(const double* p, const double* q, double radius, double half, double* s);

/* Of a segment that meets the solid cylinder: the shortest way out, along n by the depth returned, from the parameter s that is deepest. Negative
 * where a rim may be nearer than barrel and caps. */
double fil_segment_in_cylinder(const double* p, const double* q, double radius, double half, double* s, double* n);

#endif
