#include "contact/surface.h"

#include <math.h>

#include "base/error.h"

FilSurface fil_surface_default(void)
{
    return (FilSurface){.friction = 0.5};
}

FilCollision fil_collision_default(void)
{
    return (FilCollision){.enabled = true, .self = true, .groups = 1, .mask = UINT32_MAX, .surface = fil_surface_default()};
}

FilStatus fil_surface_check(const FilSurface* s, FilError* error)
{
    const double numbers[] = {s->friction, s->stiffness, s->dissipation_time, s->dissipation, s->modulus, s->resolution, s->margin, s->thickness};
    static const char* const names[] = {"friction", "stiffness", "dissipation_time", "dissipation", "modulus", "resolution", "margin", "thickness"};
    for (int k = 0; k < 8; k++) {
        if (!(isfinite(numbers[k]) && numbers[k] >= 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "surface: %s must not be negative, got %g", names[k], numbers[k]);
        }
    }
    return FIL_OK;
}

FilSurface fil_surface_combine(const FilSurface* a, const FilSurface* b)
{
    const double friction = a->friction + b->friction;
    FilSurface s = {.friction = friction > 0.0 ? 2.0 * a->friction * b->friction / friction : 0.0,
                    .dissipation_time = a->dissipation_time + b->dissipation_time,
                    .single_point = a->single_point || b->single_point};
    // the share of the deformation that each side takes is its compliance
    const bool soft_a = a->stiffness > 0.0, soft_b = b->stiffness > 0.0;
    const double sum = a->stiffness + b->stiffness;
    const double share_a = soft_a && soft_b ? b->stiffness / sum : (soft_a ? 1.0 : (soft_b ? 0.0 : 0.5));
    s.stiffness = soft_a && soft_b ? a->stiffness * b->stiffness / sum : sum;
    s.dissipation = share_a * a->dissipation + (1.0 - share_a) * b->dissipation;
    return s;
}
