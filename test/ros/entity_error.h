/* How far an entity is from where it was set. */
#ifndef FILUM_TEST_ENTITY_ERROR_H
#define FILUM_TEST_ENTITY_ERROR_H

#include <math.h>

#include "entities.h"

/* The sum of differences of places and rates, and of the orientations' product from one; NaN if one is. */
static inline double entity_error(const FilEntityState* a, const FilEntityState* b)
{
    const double errors[] = {a->position.x - b->position.x,
                             a->position.y - b->position.y,
                             a->position.z - b->position.z,
                             a->velocity.x - b->velocity.x,
                             a->velocity.y - b->velocity.y,
                             a->velocity.z - b->velocity.z,
                             a->angular_velocity.x - b->angular_velocity.x,
                             a->angular_velocity.y - b->angular_velocity.y,
                             a->angular_velocity.z - b->angular_velocity.z,
                             fabs(a->orientation.x * b->orientation.x + a->orientation.y * b->orientation.y + a->orientation.z * b->orientation.z +
                                  a->orientation.w * b->orientation.w) -
                                 1.0};
    double sum = 0.0;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        sum += fabs(errors[i]);
    }
    return sum;
}

#endif
