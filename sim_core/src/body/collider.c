#include "body/collider.h"

#include "base/vec3.h"

double fil_placement_closing(const FilPlacement* a, const FilPlacement* b)
{
    if (!a->has_velocity || !b->has_velocity) {
        return a->speed + b->speed;
    }
    return fil_v3_distance(a->velocity, b->velocity) + a->spin + b->spin;
}
