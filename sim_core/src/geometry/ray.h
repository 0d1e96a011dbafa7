/* Rays: where one first meets a surface, from outside or from inside. Nothing here allocates. */
#ifndef FILUM_GEOMETRY_RAY_H
#define FILUM_GEOMETRY_RAY_H

#include "geometry/boundary.h"

typedef struct FilHalfLine {
    double origin[3];    /* m */
    double direction[3]; /* unit */
} FilHalfLine;

/* A surface that was met: INFINITY and no normal if none was. */
typedef struct FilRayMeeting {
    double distance;  /* m, from the ray's origin */
    double normal[3]; /* unit, against the ray */
} FilRayMeeting;

/* A posed shape; of one with a mesh that surface. A surface of revolution is its hull. */
FilRayMeeting fil_ray_shape(const FilHalfLine* ray, const FilShape* shape, const FilPose* pose);

/* A triangle with a radius (m) around it, seen from both sides. */
FilRayMeeting fil_ray_triangle(const FilHalfLine* ray, const double* a, const double* b, const double* c, double radius);

/* Where the ray enters a box, m: 0 if it begins inside, INFINITY if it passes by or `limit` (m) comes first. */
double fil_ray_box(const FilHalfLine* ray, const FilAabb* box, double limit);

/* Looks at an item of a tree; returns how far (m) it is still worth looking, at most the limit so far. */
typedef double FilRayVisit(void* context, int item);

/* Visits the items whose boxes the ray meets within `limit` (m), near ones first by and large. */
void fil_ray_walk(const FilHalfLine* ray, const FilBvh* tree, double limit, FilRayVisit* visit, void* context);

#endif
