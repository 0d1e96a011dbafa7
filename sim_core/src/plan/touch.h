/* Where two blocks of a forest may touch: a ball (or, of radius zero, a corner) that moves with one of them against a plane face or a cylinder
 * that moves with the other, or stands in the world.
 *
 * In the frame of the face y is the ball's centre. Plane: gap = y_3 - r. Cylinder about the third axis: gap = |(y_1, y_2)| - R - r. The slip nu is
 * the velocity of the ball's material at the contact against that of the face, along two tangents. nu = T v, and virtual work gives the
 * generalised force f grad gap + F T of a normal force f and friction F on the ball's side. */
#ifndef FILUM_PLAN_TOUCH_H
#define FILUM_PLAN_TOUCH_H

#include "plan/plan_tree.h"

/* Pairs that may touch, at most: room in a struct. */
enum { FIL_PLAN_TOUCHES = 16 };

typedef struct FilPlanTouch {
    int a, b;        /* blocks; -1: the world, of the face only */
    double point[3]; /* m, the ball's centre in a's frame */
    double radius;   /* m, of the ball; 0: a corner */
    FilPose face;    /* in b's frame: tangents and the normal, which points out of b; or the cylinder's axis last */
    double cylinder; /* m, radius of the cylinder; 0: a plane */
    double half[2];  /* m, how far from the face's middle it may be touched along its tangents; a cylinder: along its axis first; 0: anywhere */
    double friction;
} FilPlanTouch;

#endif
