/* Joint positions that bring a link to a pose: damped least squares (Levenberg 1944; Wampler 1986) on
 *
 *     e(q) = (p* - p, log(R* R')),   dq = J' (J J' + lambda^2 1)^-1 e
 *
 * of metres and radians alike. Joints that would pass a limit stay at it, and the others take over what they cannot do.
 * What the pose leaves free follows a posture: (1 - J^+ J)(posture - q). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/quat.h"
#include "body/articulated.h"
#include "linalg/dense.h"

static const double MAX_STEP = 0.3;       /* rad or m of a joint in an iteration; chosen, 0.1 to 1 tried */
static const double FIRST_DAMPING = 1e-4; /* lambda^2 (m^2/rad^2); grows where the error does not fall */
static const double MIN_DAMPING = 1e-14, MAX_DAMPING = 1e4;

/* Joints that may move, and the linear problem in them. */
typedef struct Reach {
    const FilArticulated* robot;
    const FilReachDef* def; /* of a motion: its link and joints */
    double target[3];
    FilQuat orientation;
    int count;
    int joint[FIL_ROBOT_UNKNOWNS];
    bool held[FIL_ROBOT_UNKNOWNS];
    double jacobian[6 * FIL_ROBOT_UNKNOWNS]; /* by columns: linear at the link's origin, angular */
    double error[6];
    double change[FIL_ROBOT_UNKNOWNS];
} Reach;

static double* coordinate(const Reach* reach, double* q, int k)
{
    return &q[reach->robot->bodies[reach->robot->joints[reach->joint[k]].body].q];
}

/* Joints between the root and the link that take positions, or those given. */
static void list_joints(Reach* reach)
{
    const FilArticulated* robot = reach->robot;
    for (int j = 0; j < robot->joint_count; j++) {
        bool wanted = robot->joints[j].mimic < 0;
        int link = reach->def->link;
        while (link >= 0 && robot->links[link].body != robot->joints[j].body) {
            link = robot->links[link].parent;
        }
        bool given = reach->def->joints == NULL;
        for (int k = 0; k < reach->def->joint_count && !given; k++) {
            given = reach->def->joints[k] == j;
        }
        wanted = wanted && link >= 0 && given;
        if (wanted) {
            reach->joint[reach->count++] = j;
        }
    }
}

/* Error at q, and its size. */
static double measure(Reach* reach, const double* q)
{
    FilPose pose;
    fil_articulated_link_pose(reach->robot, q, reach->def->link, &pose);
    fil_v3_sub(reach->error, reach->target, pose.p);
    const FilQuat own = fil_quat_from_m3(pose.r);
    fil_quat_logarithm(fil_quat_multiply(reach->orientation, (FilQuat){-own.x, -own.y, -own.z, own.w}), reach->error + 3);
    return fil_v3_dot(reach->error, reach->error) + fil_v3_dot(reach->error + 3, reach->error + 3);
}

static void linearise(Reach* reach, const double* q)
{
    const FilArticulated* robot = reach->robot;
    FilPose pose;
    fil_articulated_link_pose(robot, q, reach->def->link, &pose);
    for (int k = 0; k < reach->count; k++) {
        const double* motion = robot->motion + 6 * robot->bodies[robot->joints[reach->joint[k]].body].v;
        double *column = reach->jacobian + 6 * k, arm[3];
        fil_v3_sub(arm, pose.p, robot->origin);
        fil_v3_cross(column, motion, arm);
        fil_v3_add(column, column, motion + 3);
        fil_v3_copy(column + 3, motion);
    }
}

/* x <- (J J' + damping 1)^-1 x over the joints that are not held. */
static bool solve_damped(const Reach* reach, double damping, double* x)
{
    double a[36] = {0.0};
    for (int r = 0; r < 6; r++) {
        a[7 * r] = damping;
    }
    for (int k = 0; k < reach->count; k++) {
        const double* c = reach->jacobian + 6 * k;
        for (int i = 0; i < 36 && !reach->held[k]; i++) {
            a[i] += c[i % 6] * c[i / 6];
        }
    }
    if (!fil_dense_cholesky(6, a)) {
        return false;
    }
    fil_dense_cholesky_solve(6, a, 1, x);
    return true;
}

/* The change that takes the error away, within limits; false where it cannot be found. */
static bool find_change(Reach* reach, double* q, double damping)
{
    memset(reach->held, 0, sizeof reach->held);
    memset(reach->change, 0, sizeof reach->change);
    double rest[6];
    memcpy(rest, reach->error, sizeof rest);
    for (bool again = true; again;) {
        double x[6];
        memcpy(x, rest, sizeof x);
        if (!solve_damped(reach, damping, x)) {
            return false;
        }
        again = false;
        for (int k = 0; k < reach->count; k++) {
            if (reach->held[k]) {
                continue;
            }
            const double* c = reach->jacobian + 6 * k;
            const FilRobotJointDef* def = &reach->robot->joints[reach->joint[k]].def;
            const double at = *coordinate(reach, q, k);
            double d = fil_v3_dot(c, x) + fil_v3_dot(c + 3, x + 3);
            const double room = d < 0.0 ? fmin(def->lower - at, 0.0) : fmax(def->upper - at, 0.0);
            if (fabs(d) > fabs(room)) {
                // it goes as far as it can, the others do the rest
                reach->held[k] = again = true;
                d = room;
                for (int r = 0; r < 6; r++) {
                    rest[r] -= c[r] * d;
                }
            }
            reach->change[k] = d;
        }
    }
    return true;
}

/* q + change, all alike shortened so that no joint moves by more than the longest step nor, in a period, faster than it may. */
static void move(const Reach* reach, const double* q, double period, double* out)
{
    double scale = 1.0;
    for (int k = 0; k < reach->count; k++) {
        const double max = fmin(MAX_STEP, period * reach->robot->joints[reach->joint[k]].def.max_velocity);
        const double size = fabs(reach->change[k]);
        scale = size * scale > max ? max / size : scale;
    }
    memcpy(out, q, sizeof(double) * (size_t)reach->robot->q_count);
    for (int k = 0; k < reach->count; k++) {
        *coordinate(reach, out, k) += scale * reach->change[k];
    }
}

/* A share of the way to the posture, in what the pose leaves free: y - J' (J J')^-1 J y. */
static void move_towards_posture(Reach* reach, double* q)
{
    double y[FIL_ROBOT_UNKNOWNS], x[6] = {0.0};
    memset(reach->held, 0, sizeof reach->held);
    linearise(reach, q);
    for (int k = 0; k < reach->count; k++) {
        y[k] = reach->def->posture_share * (reach->def->posture[reach->joint[k]] - *coordinate(reach, q, k));
        fil_v3_axpy(x, y[k], reach->jacobian + 6 * k);
        fil_v3_axpy(x + 3, y[k], reach->jacobian + 6 * k + 3);
    }
    // lambda of 1 mm/rad: only keeps the matrix regular where joints line up; the link is off by its square, 1e-6 m for a posture 1 rad away, which
    // the next iteration sees
    if (!solve_damped(reach, 1e-6, x)) {
        return;
    }
    for (int k = 0; k < reach->count; k++) {
        const double* c = reach->jacobian + 6 * k;
        const FilRobotJointDef* def = &reach->robot->joints[reach->joint[k]].def;
        double* at = coordinate(reach, q, k);
        *at = fmin(fmax(*at + y[k] - fil_v3_dot(c, x) - fil_v3_dot(c + 3, x + 3), def->lower), def->upper);
    }
}

FilStatus fil_articulated_reach(const FilArticulated* robot, const FilReachDef* def, double* q, double* trial, FilError* error)
{
    Reach reach = {.robot = robot, .def = def, .orientation = def->orientation, .target = {def->position.x, def->position.y, def->position.z}};
    list_joints(&reach);
    for (int k = 0; k < reach.count; k++) {
        const FilRobotJointDef* joint = &robot->joints[reach.joint[k]].def;
        double* at = coordinate(&reach, q, k);
        *at = fmin(fmax(*at, joint->lower), joint->upper);
    }
    if (def->posture != NULL && def->posture_share > 0.0) {
        move_towards_posture(&reach, q);
    }
    double size = measure(&reach, q), damping = FIRST_DAMPING;
    for (int k = 0; k < def->max_iterations && size > def->tolerance * def->tolerance && damping < MAX_DAMPING; k++) {
        linearise(&reach, q);
        if (!find_change(&reach, q, damping)) {
            damping *= 10.0;
            continue;
        }
        move(&reach, q, INFINITY, trial);
        const double next = measure(&reach, trial);
        if (next < size) {
            memcpy(q, trial, sizeof(double) * (size_t)robot->q_count);
            size = next;
            // Marquardt's scheme, up by ten; down by some thirty, so that three steps from FIRST_DAMPING are Newton's but for
            // 1e-8
            damping = fmax(0.03 * damping, MIN_DAMPING);
        } else {
            damping *= 10.0;
        }
        size = measure(&reach, q);
    }
    if (!(size <= def->tolerance * def->tolerance)) {
        return fil_error(error, FIL_BAD_INPUT, "link '%s' does not reach (%g, %g, %g) m within its joints' limits: %.3g m and %.3g rad remain",
                         robot->links[def->link].name, def->position.x, def->position.y, def->position.z, fil_v3_norm(reach.error),
                         fil_v3_norm(reach.error + 3));
    }
    return FIL_OK;
}

bool fil_articulated_move_link(const FilArticulated* robot, const FilLinkMotionDef* def, double* q, double* trial)
{
    const FilReachDef whole = {.link = def->link, .joints = def->joints, .joint_count = def->joint_count};
    Reach reach = {.robot = robot, .def = &whole};
    fil_v3_set(reach.error, def->period * def->velocity.x, def->period * def->velocity.y, def->period * def->velocity.z);
    fil_v3_set(reach.error + 3, def->period * def->angular.x, def->period * def->angular.y, def->period * def->angular.z);
    list_joints(&reach);
    linearise(&reach, q);
    if (!find_change(&reach, q, def->damping * def->damping)) {
        return false;
    }
    move(&reach, q, def->period, trial);
    memcpy(q, trial, sizeof(double) * (size_t)robot->q_count);
    return true;
}
