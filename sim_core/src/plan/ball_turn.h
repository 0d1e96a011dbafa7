/* A soft arm turns a ball with the face of its tip's disk (P1 sec. IV): the transcription as a stage problem.
 *
 * A stage is one implicit Euler step of length h. Its variables, in this order:
 *     l, v (3 a section), q (4: the ball's orientation), w (3: its spin),            determined by the equations of motion
 *     gap, cone = mu f - sum b, slip_i = d_i . c_t + g, face = 1 - (y1^2 + y2^2)/R^2,       and by their definitions
 *     tau (3 a section), f, b_i, g                                                                             controls
 * Pairs: gap _|_ f, cone _|_ g, slip_i _|_ b_i (P1 eq. 19); face >= 0 keeps the contact on the disk's face, whose plane it
 * touches at y, the ball's centre seen from the disk. The ball turns about its centre, which is fixed. */
#ifndef FILUM_PLAN_BALL_TURN_H
#define FILUM_PLAN_BALL_TURN_H

#include "plan/plan_arm.h"
#include "plan/stage_problem.h"

/* Of the friction pyramid, at most: 16 are within 2 % of the cone, 1 - cos(pi/16). */
enum { FIL_PLAN_DIRECTIONS = 16 };

/* Weights of P1 eq. 20, all but the terminal one times h. */
typedef struct FilBallWeights {
    double orientation, terminal, normal_force, force_rate, speed_rate, spin_rate, effort, unit;
} FilBallWeights;

typedef struct FilBallTurn {
    FilPlanArm arm;
    double centre[3], radius, inertia, damping; /* m, m, kg m^2, N m s */
    double friction;
    int directions;
    double target[4]; /* orientation x, y, z, w */
    FilBallWeights weights;
    int stages;
    double step;    /* s */
    bool kinematic; /* the arm's equations of motion are v = tau: P1's first stage */
} FilBallTurn;

/* Where variables and rows begin. Rows: one for each of the first `rows` variables, in their order. */
typedef struct FilBallLayout {
    int l, v, q, w, gap, cone, slip, face, tau, f, b, g;
    int joints, variables, rows, carried;
} FilBallLayout;

FilBallLayout fil_ball_layout(const FilBallTurn* turn);

/* Directions d_i of friction in the disk's axes; room for turn->directions. */
void fil_ball_directions(const FilBallTurn* turn, double (*out)[2]);

/* A stage problem's evaluate; data is a FilBallTurn. */
bool fil_ball_evaluate(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order,
                       FilPlanStage* out);

/* The gap between the disk's plane and the ball, m, and its gradient by the elongations. */
double fil_ball_gap(const FilBallTurn* turn, const double* l, double* gradient);

/* The disk's axes in the world: axis 0, axis 1, normal. */
void fil_ball_axes(const FilBallTurn* turn, const double* l, double axes[3][3]);

/* Elongations of least energy with which the disk touches the ball at the place (m) from its centre, in its axes; false if
 * there are none. */
bool fil_ball_touch(const FilBallTurn* turn, const double place[2], double* l);

#endif
