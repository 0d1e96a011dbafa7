/* Cross-sections: what shape and material amount to. */
#include <math.h>

#include "base/error.h"
#include "base/vec3.h"
#include "filum/rod.h"

static FilStatus need_positive(double value, const char* what, FilError* error)
{
    if (isfinite(value) && value > 0.0) {
        return FIL_OK;
    }
    return fil_error(error, FIL_BAD_INPUT, "section: %s must be a positive number, not %g", what, value);
}

/* Saint-Venant torsion constant of a rectangle with sides a >= b:
 * a b^3 (1/3 - 64/pi^5 b/a sum over odd k of tanh(k pi a / (2 b)) / k^5). Terms from 61 on are 1.5e-8 of it. */
static double rectangle_torsion(double width, double height)
{
    const double a = fmax(width, height), b = fmin(width, height);
    double sum = 0.0;
    for (int k = 1; k < 60; k += 2) {
        sum += tanh(k * FIL_PI * a / (2.0 * b)) / pow(k, 5);
    }
    return a * b * b * b * (1.0 / 3.0 - 64.0 / pow(FIL_PI, 5) * b / a * sum);
}

/* Area, second moments towards m1 and m2, torsion constant, polar moment. */
typedef struct Moments {
    double area, i1, i2, torsion;
} Moments;

static FilStatus section_moments(const FilSection* s, Moments* out, FilError* error)
{
    FilStatus status;
    switch (s->shape) {
        case FIL_SECTION_CIRCLE:
        case FIL_SECTION_TUBE: {
            if ((status = need_positive(s->radius, "radius", error)) != FIL_OK) {
                return status;
            }
            const double inner = s->shape == FIL_SECTION_TUBE ? s->inner_radius : 0.0;
            if (!(inner >= 0.0 && inner < s->radius)) {
                return fil_error(error, FIL_BAD_INPUT, "section: inner_radius must be at least 0 and below radius (%g), not %g", s->radius, inner);
            }
            out->area = FIL_PI * (s->radius * s->radius - inner * inner);
            out->i1 = out->i2 = FIL_PI / 4.0 * (pow(s->radius, 4) - pow(inner, 4));
            out->torsion = out->i1 + out->i2;
            return FIL_OK;
        }
        case FIL_SECTION_RECTANGLE:
            if ((status = need_positive(s->width, "width", error)) != FIL_OK || (status = need_positive(s->height, "height", error)) != FIL_OK) {
                return status;
            }
            out->area = s->width * s->height;
            out->i1 = s->height * pow(s->width, 3) / 12.0;  // bending towards m1, along which the width lies
            out->i2 = s->width * pow(s->height, 3) / 12.0;
            out->torsion = rectangle_torsion(s->width, s->height);
            return FIL_OK;
        default:
            return fil_error(error, FIL_BAD_INPUT, "section: unknown shape %d", (int)s->shape);
    }
}

static FilStatus direct_stiffness(const FilSection* s, FilStiffness* out, FilError* error)
{
    FilStatus status;
    if ((status = need_positive(s->ea, "ea", error)) != FIL_OK || (status = need_positive(s->ei1, "ei1", error)) != FIL_OK ||
        (status = need_positive(s->ei2, "ei2", error)) != FIL_OK || (status = need_positive(s->gj, "gj", error)) != FIL_OK ||
        (status = need_positive(s->mass_per_length, "mass_per_length", error)) != FIL_OK ||
        (status = need_positive(s->inertia_per_length, "inertia_per_length", error)) != FIL_OK) {
        return status;
    }
    if (!(isfinite(s->radius) && s->radius >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "section: radius must not be negative, got %g", s->radius);
    }
    *out = (FilStiffness){s->ea, s->ei1, s->ei2, s->gj, s->mass_per_length, s->inertia_per_length};
    return FIL_OK;
}

FilStatus fil_section_stiffness(const FilSection* section, FilStiffness* out, FilError* error)
{
    if (section->shape == FIL_SECTION_STIFFNESS) {
        return direct_stiffness(section, out, error);
    }
    Moments m = {0};
    FilStatus status = section_moments(section, &m, error);
    if (status != FIL_OK || (status = need_positive(section->young, "young", error)) != FIL_OK ||
        (status = need_positive(section->density, "density", error)) != FIL_OK) {
        return status;
    }
    double shear = section->shear;
    if (shear == 0.0) {
        if (!(section->poisson > -1.0 && section->poisson <= 0.5)) {
            return fil_error(error, FIL_BAD_INPUT, "section: poisson must be above -1 and at most 0.5, not %g", section->poisson);
        }
        shear = section->young / (2.0 * (1.0 + section->poisson));
    }
    if ((status = need_positive(shear, "shear", error)) != FIL_OK) {
        return status;
    }
    if (!(section->ea >= 0.0 && isfinite(section->ea)) || !(section->gj >= 0.0 && isfinite(section->gj))) {
        return fil_error(error, FIL_BAD_INPUT, "section: ea and gj must be positive, or 0 for those of the shape");
    }
    // stretching and torsion may be given apart from the shape: ropes are laid, belts have cords
    out->ea = section->ea > 0.0 ? section->ea : section->young * m.area;
    out->ei1 = section->young * m.i1;
    out->ei2 = section->young * m.i2;
    out->gj = section->gj > 0.0 ? section->gj : shear * m.torsion;
    out->mass_per_length = section->density * m.area;
    out->inertia_per_length = section->density * (m.i1 + m.i2);
    return FIL_OK;
}
