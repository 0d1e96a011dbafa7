#include "body/collider.h"

#include "base/vec3.h"

/* Of a shape, at x. */
static void velocity_at(const FilPlacement* place, const double* x, double* out)
{
    fil_v3_copy(out, place->velocity);
    if (place->turns) {
        double arm[3], more[3];
        fil_v3_sub(arm, x, place->pose.p);
        fil_v3_cross(more, place->turning, arm);
        fil_v3_add(out, out, more);
    }
}

double fil_placement_speed_near(const FilPlacement* place, const double* x, double around)
{
    double velocity[3];
    velocity_at(place, x, velocity);
    return place->turns ? fil_v3_norm(velocity) + fil_v3_norm(place->turning) * around : place->speed;
}

double fil_placement_closing(const FilPlacement* a, const FilPlacement* b)
{
    if (!a->has_velocity || !b->has_velocity) {
        return a->speed + b->speed;
    }
    double first[3], second[3];
    velocity_at(a, b->pose.p, first);
    velocity_at(b, a->pose.p, second);
    return fil_v3_distance(first, second) + a->spin + b->spin;
}
