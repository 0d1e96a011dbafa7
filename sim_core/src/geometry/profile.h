/* Profiles of surfaces of revolution: the radius r(z) around the z axis for |z| <= half_length, closed by flat discs.
 *
 * A profile is sampled once, from a function, a polynomial or a table, and read back by cubic Hermite interpolation:
 * radius and slope are continuous, and smooth profiles are met to O(step^4). Distances are closed up to a Newton
 * iteration in one unknown. */
#ifndef FILUM_GEOMETRY_PROFILE_H
#define FILUM_GEOMETRY_PROFILE_H

#include "base/vec3.h"

typedef struct FilProfile {
    int count;          /* samples, evenly spaced from -half_length to half_length */
    double half_length; /* m */
    double* radius;     /* m */
    double* slope;      /* dr/dz */
    double highest;     /* m, the largest radius */
} FilProfile;

void fil_profile_free(FilProfile* profile); /* its arrays; a zeroed one is fine */

/* From `count` radii (m), at least two, all positive, evenly spaced along z. Allocates. */
FIL_MUST_CHECK FilStatus fil_profile_create(const double* radii, int count, double half_length, FilProfile* profile, FilError* error);

/* From a function of z, at `count` places. Allocates. */
FIL_MUST_CHECK FilStatus fil_profile_sample(double (*radius)(const void* context, double z), const void* context, int count, double half_length,
                                            FilProfile* profile, FilError* error);

/* Radius at z, held at the ends; `slope` takes dr/dz. */
double fil_profile_radius(const FilProfile* profile, double z, double* slope);

/* Signed distance of p to the solid, negative inside; `normal` is the outward unit normal at the closest surface point
 * p - distance normal. */
double fil_profile_distance(const FilProfile* profile, const double* p, double* normal);

#endif
