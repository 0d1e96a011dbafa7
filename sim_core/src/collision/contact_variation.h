/* How a contact point, its normal and its distance vary with the motion of the two parts that touch. */
#ifndef FILUM_COLLISION_CONTACT_VARIATION_H
#define FILUM_COLLISION_CONTACT_VARIATION_H

#include "collision/collision.h"

/* How a part moves: what lies at the contact's point (3), its turn (3), how it stretches along its third axis (1). World frame. */
enum { FIL_PART_MOTION = 7 };

/* Rows: the contact's point (3), its frame's turn (a vector, 3), its distance. Columns: the motion of side 0, then of side 1. */
typedef struct FilContactVariation {
    double map[7][2 * FIL_PART_MOTION];
} FilContactVariation;

/* With the shapes of both sides where they stood when the contact was found; columns of a side that does not move are not written. NULL, or why that
 * is not known, to be read after the names of both. */
const char* fil_contact_vary(const FilContact* contact, const FilShape shapes[2], const FilPose poses[2], const bool moves[2],
                             FilContactVariation* out);

#endif
