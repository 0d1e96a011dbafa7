#include "plan/ball_turn.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

#define REAL double
#define STAGE FilPlanStage
#define NAME(x) real_##x
#include "plan/arm_jet.inc"
#include "plan/ball_turn.inc"

bool fil_ball_evaluate(const void* data, int stage, const double* p, const double* x, const double* multiplier, FilPlanOrder order, FilPlanStage* out)
{
    const FilBallTurn* turn = data;
    const FilBallLayout o = fil_ball_layout(turn);
    for (int s = 0; s < turn->arm.sections; s++) {  // a section has a length
        const double *m = turn->arm.shape[s] + 6, *l = x + o.l + 3 * s;
        if (!(turn->arm.length[s] + m[0] * l[0] + m[1] * l[1] + m[2] * l[2] > 0.0)) {
            return false;
        }
    }
    return real_evaluate(turn, stage, p, x, multiplier, order, out);
}

/* Solves a 3 x 3 system by Cramer's rule; false if it is singular. */
static bool solve_three(const double* m, const double* right, double* x)
{
    double c0[3], c1[3], c2[3];
    const double a[3] = {m[0], m[3], m[6]}, b[3] = {m[1], m[4], m[7]}, c[3] = {m[2], m[5], m[8]};
    fil_v3_cross(c0, b, c);
    fil_v3_cross(c1, c, a);
    fil_v3_cross(c2, a, b);
    const double det = fil_v3_dot(a, c0);
    if (!(fabs(det) > 1e-30)) {  // of lengths in m, cubed: (1e-10 m)^3
        return false;
    }
    x[0] = fil_v3_dot(right, c0) / det;
    x[1] = fil_v3_dot(right, c1) / det;
    x[2] = fil_v3_dot(right, c2) / det;
    return true;
}

/* The tip's frame and its gradients by the shapes. */
static void see_tip(const FilPlanArm* arm, const double* l, real_Frame* tip)
{
    double shape[FIL_PLAN_SECTIONS][3];
    real_Directions d[FIL_PLAN_SECTIONS];
    real_Motion motion;
    memset(d, 0, sizeof d);
    for (int s = 0; s < arm->sections; s++) {
        fil_m3_apply(shape[s], arm->shape[s], l + 3 * s);
    }
    real_arm_motion(arm, shape, d, FIL_PLAN_VALUES, false, &motion, tip);
}

void fil_ball_axes(const FilBallTurn* turn, const double* l, double axes[3][3])
{
    real_Frame tip;
    see_tip(&turn->arm, l, &tip);
    for (int c = 0; c < 3; c++) {
        fil_v3_copy(axes[c], tip.axis[c].value[real_ONE]);
    }
}

/* The ball's centre seen from the disk, in its axes, with gradients by the elongations. */
static void see_ball(const FilBallTurn* turn, const double* l, double y[3], double gradient[3][FIL_PLAN_SHAPES])
{
    const FilPlanArm* arm = &turn->arm;
    const FilBallLayout o = fil_ball_layout(turn);
    const double x[128] = {0.0};
    real_Frame tip;
    real_Contact c;
    see_tip(arm, l, &tip);
    real_see_contact(turn, &o, &tip, x, FIL_PLAN_VALUES, &c);
    for (int a = 0; a < 3; a++) {
        y[a] = c.y[a];
        real_to_joints(arm, c.y_i[a], gradient[a]);
    }
}

double fil_ball_gap(const FilBallTurn* turn, const double* l, double* gradient)
{
    double y[3], all[3][FIL_PLAN_SHAPES];
    see_ball(turn, l, y, all);
    memcpy(gradient, all[2], sizeof(double) * (size_t)(3 * turn->arm.sections));
    return y[2] - 0.5 * turn->arm.disk_thickness - turn->radius;
}

bool fil_ball_touch(const FilBallTurn* turn, const double place[2], double* l)
{
    const FilPlanArm* arm = &turn->arm;
    const FilBallLayout o = fil_ball_layout(turn);
    memset(l, 0, sizeof(double) * (size_t)o.joints);
    // a bound only, of Newton's method: a ball that is not reached by then is out of reach
    for (int iteration = 0; iteration < 50; iteration++) {
        double y[3], gradient[3][FIL_PLAN_SHAPES], matrix[9] = {0.0}, step[3];
        see_ball(turn, l, y, gradient);
        const double residual[3] = {y[0] - place[0], y[1] - place[1], y[2] - 0.5 * arm->disk_thickness - turn->radius};
        // the shortest step to the linearised conditions: dl = -J' (J J')^-1 residual
        for (int k = 0; k < 9; k++) {
            for (int i = 0; i < o.joints; i++) {
                matrix[k] += gradient[k / 3][i] * gradient[k % 3][i];
            }
        }
        // a point far off is approached by steps of at most 5 cm, a third of a section of P1's, within which the arm's shape hardly changes
        const double far = fil_v3_norm(residual), part = far > 0.05 ? 0.05 / far : 1.0;
        if (far < 1e-12) {  // m: no direction
            return true;
        }
        if (!solve_three(matrix, residual, step)) {
            return false;
        }
        for (int i = 0; i < o.joints; i++) {
            for (int a = 0; a < 3; a++) {
                l[i] -= part * gradient[a][i] * step[a];
            }
        }
    }
    return false;
}
