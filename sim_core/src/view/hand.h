/* A hand that pulls on what a page shows: a spring from a point of an object to where the pointer is, as a load of the world
 * (drives named "hand_<k>"), so that whatever records the world's loads records it. */
#ifndef FILUM_VIEW_HAND_H
#define FILUM_VIEW_HAND_H

#include "filum/filum.h"

/* Grips that have been made and stay in the world with no force: room for one on each of so many objects. */
enum { FIL_HAND_GRIPS = 64 };

/* Where the hand has held once: its drives stay, at zero. */
typedef struct FilHandGrip {
    int object, part;
    FilId force, torque; /* torque: null where the part takes none */
} FilHandGrip;

typedef struct FilHand {
    FilHandGrip grips[FIL_HAND_GRIPS];
    int grip_count;
    int held;                 /* of the grips; -1: none */
    double local[3];          /* m, of a shape: the point in its own frame */
    double target[3];         /* m */
    double last[3];           /* m, where the point was a step ago */
    double stiffness;         /* N/m */
    double damping;           /* N s/m */
    double point[3], pull[3]; /* m, N */
} FilHand;

FilHand fil_hand_open(void);

/* Takes hold of part `part` (node, shape or vertex) of the object counted as in the description. `local` is the point of a shape
 * in its frame, `strength` scales the spring. FIL_BAD_INPUT, with a message in the world, for what cannot be held. */
FIL_MUST_CHECK FilStatus fil_hand_grab(FilHand* hand, FilWorld* world, int object, int part, const double* local, double strength);
void fil_hand_move(FilHand* hand, const double* target);
void fil_hand_release(FilHand* hand, FilWorld* world);

/* To be called before each step: sets the force that the step shall feel. */
FIL_MUST_CHECK FilStatus fil_hand_pull(FilHand* hand, FilWorld* world);

#endif
