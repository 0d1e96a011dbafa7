/* Axis-aligned boxes. */
#ifndef FILUM_GEOMETRY_AABB_H
#define FILUM_GEOMETRY_AABB_H

#include "base/vec3.h"

typedef struct FilAabb {
    double lo[3], hi[3]; /* m; lo > hi is the empty box */
} FilAabb;

static inline FilAabb fil_aabb_empty(void)
{
    return (FilAabb){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
}

static inline FilAabb fil_aabb_union(const FilAabb* a, const FilAabb* b)
{
    FilAabb u;
    for (int k = 0; k < 3; k++) {
        u.lo[k] = a->lo[k] < b->lo[k] ? a->lo[k] : b->lo[k];
        u.hi[k] = a->hi[k] > b->hi[k] ? a->hi[k] : b->hi[k];
    }
    return u;
}

static inline void fil_aabb_add_point(FilAabb* a, const double* p)
{
    for (int k = 0; k < 3; k++) {
        a->lo[k] = p[k] < a->lo[k] ? p[k] : a->lo[k];
        a->hi[k] = p[k] > a->hi[k] ? p[k] : a->hi[k];
    }
}

/* Of the segment p q with a radius around it. */
static inline FilAabb fil_aabb_of_segment(const double* p, const double* q, double radius)
{
    FilAabb a;
    for (int k = 0; k < 3; k++) {
        a.lo[k] = (p[k] < q[k] ? p[k] : q[k]) - radius;
        a.hi[k] = (p[k] > q[k] ? p[k] : q[k]) + radius;
    }
    return a;
}

static inline FilAabb fil_aabb_fattened(const FilAabb* a, double margin)
{
    FilAabb fat;
    for (int k = 0; k < 3; k++) {
        fat.lo[k] = a->lo[k] - margin;
        fat.hi[k] = a->hi[k] + margin;
    }
    return fat;
}

/* Squared distance from a point, 0 inside. */
static inline double fil_aabb_distance2(const FilAabb* box, const double* p)
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double d = fmax(0.0, fmax(box->lo[k] - p[k], p[k] - box->hi[k]));
        sum += d * d;
    }
    return sum;
}

/* Touching counts. Branch-free on purpose: tree walks live on it. */
static inline bool fil_aabb_overlap(const FilAabb* a, const FilAabb* b)
{
    return (a->lo[0] <= b->hi[0]) & (b->lo[0] <= a->hi[0]) & (a->lo[1] <= b->hi[1]) & (b->lo[1] <= a->hi[1]) & (a->lo[2] <= b->hi[2]) &
           (b->lo[2] <= a->hi[2]);
}

static inline bool fil_aabb_contains(const FilAabb* outer, const FilAabb* inner)
{
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        inside = inside && outer->lo[k] <= inner->lo[k] && inner->hi[k] <= outer->hi[k];
    }
    return inside;
}

/* Half the surface area. */
static inline double fil_aabb_area(const FilAabb* a)
{
    const double x = a->hi[0] - a->lo[0], y = a->hi[1] - a->lo[1], z = a->hi[2] - a->lo[2];
    return x * y + y * z + z * x;
}

#endif
