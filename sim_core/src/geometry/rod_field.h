/* The pressure fields of rods: closed forms over their sections, 0 on the outline and the modulus on the axis, of a
 * rectangle on its medial line:
 *
 *     circle     p = E_h (1 - rho/r)
 *     rectangle  p = E_h min(a - |x|, b - |y|)/min(a, b)     half sides a, b
 *
 * Const once it is made; one per rod. */
#ifndef FILUM_GEOMETRY_ROD_FIELD_H
#define FILUM_GEOMETRY_ROD_FIELD_H

#include "base/vec3.h"

/* Most rays around a section. */
#define FIL_ROD_RAYS 64

/* The section's field, in its plane: x along m1, y along m2. */
typedef struct FilRodField {
    bool round;
    double half[2];    /* m: half the sides; both the radius if round */
    double modulus;    /* Pa */
    double resolution; /* m: cells are at most this long */
    int ray_count;     /* of a rectangle: rays around it, the first one again at the end */
    double outline[FIL_ROD_RAYS][2];
    double foot[FIL_ROD_RAYS][2];
} FilRodField;

/* A round section has two equal half sides and `round` set. FIL_BAD_INPUT if a number is not positive. */
FIL_MUST_CHECK FilStatus fil_rod_field_init(FilRodField* field, bool round, double half_x, double half_y, double modulus, double resolution,
                                            FilError* error);

/* The section's largest depth H, m. */
static inline double fil_rod_field_depth(const FilRodField* field)
{
    return fmin(field->half[0], field->half[1]);
}

/* Pressure at the point (x, y) of the section plane, going on linearly outside, and its gradient, whose third component
 * is 0. */
double fil_rod_field_pressure(const FilRodField* field, const double* x, double* gradient);

/* How far the section, made smaller by `inset` on all sides, reaches against the unit vector n: its third component
 * counts for nothing. */
double fil_rod_field_reach(const FilRodField* field, const double* n, double inset);

/* Parts of a length, each at most `resolution` long, within bounds. */
int fil_rod_field_cells(double length, double resolution, int min, int max);

/* Least cells around what touches: four are within 0.1 % of the force of a rod that lies 0.3 r deep in a plane. */
#define FIL_ROD_MIN_AROUND 4

#endif
