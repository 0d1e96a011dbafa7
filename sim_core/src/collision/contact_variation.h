/* How a contact point, its normal and its distance vary with the motion of the two parts that touch. */
#ifndef FILUM_COLLISION_CONTACT_VARIATION_H
#define FILUM_COLLISION_CONTACT_VARIATION_H

#include "collision/collision.h"

/* How a part moves: what lies at the contact's point (3), its turn (3), how it stretches along its third axis (1). World frame. */
enum { FIL_PART_MOTION = 7, FIL_CONTACT_MOTION = 7 };

/* What a side touches with: a point of its core, an edge along `axis`, straight or round, or a face. */
typedef enum FilTouchFeature { FIL_TOUCH_POINT, FIL_TOUCH_EDGE, FIL_TOUCH_FACE } FilTouchFeature;

typedef struct FilTouch {
    FilTouchFeature feature;
    double rounding;
    double axis[3];    /* of an edge, or the face's normal, outward */
    double curving[3]; /* of an edge: how its axis turns along it, 1/m */
    double along[3];   /* what it stretches along; the axis of a cylinder */
    double center[3];  /* of a point of a rim over a plane, which goes around `along` with what is lowest; */
    bool goes_around;  /* such a one */
} FilTouch;

/* Two sides that touch. */
typedef struct FilTouching {
    FilTouch touch[2];
    double normal[3]; /* from side 0 to side 1 */
    double middle[3]; /* between both surfaces, which are `distance` apart */
    double distance;
    double point[3]; /* the contact's, `beyond` distances from there along the normal: where motions are given, and which varies */
    double beyond;
    bool across[2]; /* then the normal is turned across the edge of side 0, of side 1: at nodes between edges of rods (collision/collide.c) */
    double edge[2][3];
} FilTouching;

/* Of a contact with the shapes of both sides where they stood when it was found. NULL, or why that is not known, to be read after the names of both.
 */
const char* fil_contact_touching(const FilContact* contact, const FilShape shapes[2], const FilPose poses[2], FilTouching* out);
/* NULL, or why such a contact has no derivative here. */
const char* fil_touching_check(const FilTouching* touching);

/* Rows: the contact's point (3), its frame's turn (a vector, 3), its distance. Columns: the motion of one side, which stretches along `along`. */
void fil_touching_vary(const FilTouching* touching, int side, const double* along, double map[FIL_CONTACT_MOTION][FIL_PART_MOTION]);
/* Transposed: motion of side 0, then of side 1, from the contact's numbers; each side stretches along its own `along`. */
void fil_touching_vary_back(const FilTouching* touching, const double* contact, double motion[2][FIL_PART_MOTION]);

#endif
