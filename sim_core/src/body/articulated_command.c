/* What drives the joints of a robot: commands and a trajectory, kept in h, and what follows from them and from limits,
 * dry friction and couplings for a step: forces and constraints.
 *
 * h: number of points, interpolation and whether the end is open; per joint mode, position, velocity, effort and whether it follows the trajectory;
 * then times (of the world) of the points, their positions, their velocities and their efforts, each for all joints. What lies beyond the number
 * of points is zero. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/script.h"
#include "base/vec3.h"
#include "body/articulated.h"

/* Numbers of the history: how many points and how they are joined; of each joint the five below. */
enum { HEAD = 2, COMMAND = 5 };
enum { OPEN = 2 }; /* added to the interpolation */
enum { MODE, POSITION, VELOCITY, EFFORT, FOLLOWS };

/* Dry friction that holds slips by this part of what the load would give the joint in a step without it. Creep is in proportion: 4.5e-7 rad/s of a
 * bar in `robots.joint_friction`, which ten times as much fails; a tenth was tried, too. */
static const double STICTION = 1e-4;

/* Limits are in force where the joint could come in this time, or that near in parts of its range. Chosen: 0.03 to 0.5 s and 0.01 to 0.2 give
 * `robots.joint_limits` the same bits. */
static const double AHEAD = 0.1; /* s */
static const double AROUND = 0.05;

typedef struct Script {
    int count, joints;
    FilInterpolation interpolation;
    bool open;
    double *times, *positions, *velocities, *efforts;
} Script;

/* One point more than asked for: where the trajectory is set out from. */
static int max_points(const FilArticulated* robot)
{
    return robot->trajectory_points > 0 ? robot->trajectory_points + 1 : 0;
}

int fil_articulated_history(const FilArticulated* robot)
{
    return HEAD + COMMAND * robot->joint_count + max_points(robot) * (1 + 3 * robot->joint_count);
}

static Script script_of(const FilArticulated* robot, const double* h)
{
    double* times = (double*)h + HEAD + COMMAND * robot->joint_count;
    const int each = max_points(robot) * robot->joint_count;
    double* positions = times + max_points(robot);
    return (Script){.count = (int)fmin(fmax(h[0], 0.0), (double)max_points(robot)),
                    .joints = robot->joint_count,
                    .interpolation = (FilInterpolation)((int)h[1] % OPEN),
                    .open = h[1] >= OPEN,
                    .times = times,
                    .positions = positions,
                    .velocities = positions + each,
                    .efforts = positions + 2 * each};
}

static double* command_of(const double* h, int joint)
{
    return (double*)h + HEAD + COMMAND * joint;
}

/* ---- commands ---- */

void fil_articulated_init_commands(const FilArticulated* robot, double* h)
{
    memset(h, 0, sizeof(double) * (size_t)fil_articulated_history(robot));
    for (int j = 0; j < robot->joint_count; j++) {
        const FilTreeJoint* joint = &robot->joints[j];
        const unsigned modes = joint->def.modes;
        double* command = command_of(h, j);
        command[MODE] = joint->mimic >= 0 ? 0.0 : (double)(modes & (~modes + 1u));  // the lowest bit
        command[POSITION] = joint->def.start_position;
    }
}

void fil_articulated_set_command(const FilArticulated* robot, double* h, int joint, const FilJointCommand* command)
{
    (void)robot;
    double* to = command_of(h, joint);
    to[MODE] = (double)command->mode;
    to[POSITION] = command->position;
    to[VELOCITY] = command->velocity;
    to[EFFORT] = command->effort;
    to[FOLLOWS] = 0.0;
}

/* With n points here and m there, what lies beyond the larger of both numbers is zero in both. */
void fil_articulated_carry_commands(const FilArticulated* robot, const double* h, double* to)
{
    const Script from = script_of(robot, h), old = script_of(robot, to);
    const size_t points = (size_t)(from.count > old.count ? from.count : old.count), each = points * (size_t)from.joints * sizeof(double);
    memcpy(to, h, sizeof(double) * (size_t)(HEAD + COMMAND * robot->joint_count));
    if (points > 0) {
        memcpy(old.times, from.times, points * sizeof(double));
        memcpy(old.positions, from.positions, each);
        memcpy(old.velocities, from.velocities, each);
        memcpy(old.efforts, from.efforts, each);
    }
}

/* The rate at the last point, with which an open script goes on. */
static double last_rate(const Script* script, int joint)
{
    const int n = script->joints, last = script->count - 1;
    const double *t = script->times + last, *y = script->positions + n * last + joint;
    if (script->interpolation == FIL_INTERPOLATE_SPLINE) {
        return script->velocities[n * last + joint];
    }
    return last > 0 ? (y[0] - y[-n]) / (t[0] - t[-1]) : 0.0;
}

/* A joint's place, rate and effort on the script at a time. */
static void follow(const Script* script, int joint, double time, double* position, double* velocity, double* effort)
{
    const int n = script->joints, last = script->count - 1;
    const int k = fil_script_knot(script->times, script->count, time);
    const double *y = script->positions + n * k + joint, *s = script->velocities + n * k + joint;
    const double* f = script->efforts + n * k + joint;
    *position = y[0];
    *effort = f[0];
    *velocity = 0.0;
    if (k == last && script->open && time >= script->times[k]) {
        *velocity = last_rate(script, joint);
        *position += (time - script->times[k]) * *velocity;
        return;
    }
    if (k == last || time < script->times[k]) {
        return;
    }
    const double length = script->times[k + 1] - script->times[k], u = (time - script->times[k]) / length;
    *effort = (1.0 - u) * f[0] + u * f[n];
    if (script->interpolation == FIL_INTERPOLATE_LINEAR) {
        *position += u * (y[n] - y[0]);
        *velocity = (y[n] - y[0]) / length;
        return;
    }
    fil_script_cubic(length, u, y[0], y[n], s[0], s[n], position, velocity);
}

FilJointCommand fil_articulated_command(const FilArticulated* robot, const double* h, int joint, double time)
{
    const double* from = command_of(h, joint);
    FilJointCommand command = {(FilJointMode)from[MODE], from[POSITION], from[VELOCITY], from[EFFORT]};
    if (from[FOLLOWS] != 0.0) {
        const Script script = script_of(robot, h);
        follow(&script, joint, time, &command.position, &command.velocity, &command.effort);
    }
    return command;
}

bool fil_articulated_follows(const double* h, int joint)
{
    return command_of(h, joint)[FOLLOWS] != 0.0;
}

/* ---- trajectories ---- */

double fil_articulated_trajectory_end(const FilArticulated* robot, const double* h)
{
    const Script script = script_of(robot, h);
    return script.count > 0 ? script.times[script.count - 1] : -INFINITY;
}

static FilStatus check_trajectory(const FilArticulated* robot, const FilTrajectoryDef* def, FilError* error)
{
    if (def->point_count < 1 || def->point_count > robot->trajectory_points) {
        return fil_error(error, FIL_BAD_INPUT, "a trajectory of this robot has 1 to %d points, not %d", robot->trajectory_points, def->point_count);
    }
    if (!isfinite(def->start) || !fil_all_finite(def->times, def->point_count) ||
        !fil_all_finite(def->positions, def->point_count * def->joint_count) ||
        (def->velocities != NULL && !fil_all_finite(def->velocities, def->point_count * def->joint_count)) ||
        (def->efforts != NULL && !fil_all_finite(def->efforts, def->point_count * def->joint_count))) {
        return fil_error(error, FIL_BAD_INPUT, "a number of the trajectory is not finite");
    }
    for (int k = 1; k < def->point_count; k++) {
        if (!(def->times[k] > def->times[k - 1])) {
            return fil_error(error, FIL_BAD_INPUT, "a trajectory's times must increase, but %g follows %g", def->times[k], def->times[k - 1]);
        }
    }
    for (int k = 0; k < def->joint_count; k++) {
        const int j = def->joints[k];
        if (j < 0 || j >= robot->joint_count) {
            return fil_error(error, FIL_BAD_INPUT, "there is no joint %d", j);
        }
        const FilTreeJoint* joint = &robot->joints[j];
        if (joint->mimic >= 0 || (joint->def.modes != 0 && (joint->def.modes & FIL_JOINT_POSITION) == 0)) {
            return fil_error(error, FIL_BAD_INPUT, "joint '%s' takes no positions", joint->name);
        }
        for (int i = 0; i < k; i++) {
            if (def->joints[i] == j) {
                return fil_error(error, FIL_BAD_INPUT, "joint '%s' is named twice", joint->name);
            }
        }
    }
    return FIL_OK;
}

/* Slopes of the cubic spline with continuous second derivative through a column of points, given the first and the
 * last: s_(i-1)/l_(i-1) + 2 (1/l_(i-1) + 1/l_i) s_i + s_(i+1)/l_i = 3 ((y_i - y_(i-1))/l_(i-1)^2 + (y_(i+1) -
 * y_i)/l_i^2). */
static void spline_slopes(const Script* script, int joint, double* upper)
{
    const int n = script->joints, last = script->count - 1;
    const double *t = script->times, *y = script->positions + joint;
    double* s = script->velocities + joint;
    upper[0] = 0.0;
    for (int i = 1; i < last; i++) {
        const double a = 1.0 / (t[i] - t[i - 1]), b = 1.0 / (t[i + 1] - t[i]);
        const double pivot = 2.0 * (a + b) - a * upper[i - 1];
        const double right = 3.0 * ((y[n * i] - y[n * (i - 1)]) * a * a + (y[n * (i + 1)] - y[n * i]) * b * b);
        upper[i] = b / pivot;
        s[n * i] = (right - a * s[n * (i - 1)]) / pivot;
    }
    for (int i = last - 1; i > 0; i--) {
        s[n * i] -= upper[i] * s[n * (i + 1)];
    }
}

/* Joints that follow the present trajectory stop where it has them now. */
static void leave_trajectory(const FilArticulated* robot, double* h, double now)
{
    for (int j = 0; j < robot->joint_count; j++) {
        if (command_of(h, j)[FOLLOWS] != 0.0) {
            FilJointCommand hold = fil_articulated_command(robot, h, j, now);
            hold.velocity = hold.effort = 0.0;
            fil_articulated_set_command(robot, h, j, &hold);
        }
    }
}

/* Points of a longer trajectory before this one. */
static void clear_beyond(const FilArticulated* robot, const Script* script)
{
    const size_t points = (size_t)(max_points(robot) - script->count), used = (size_t)script->count * (size_t)script->joints;
    double* const columns[] = {script->positions, script->velocities, script->efforts};
    memset(script->times + script->count, 0, points * sizeof(double));
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        memset(columns[c] + used, 0, points * (size_t)script->joints * sizeof(double));
    }
}

FilStatus fil_articulated_set_trajectory(const FilArticulated* robot, const double* q, double* h, const FilTrajectoryDef* def, double now,
                                         FilError* error)
{
    const FilStatus status = check_trajectory(robot, def, error);
    double* upper = status == FIL_OK ? fil_alloc((size_t)max_points(robot) + (size_t)def->joint_count, sizeof(double)) : NULL;
    if (upper == NULL) {
        return status != FIL_OK ? status : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    // how fast each joint is sent now: it does not stop for a new trajectory
    double* speed = upper + max_points(robot);
    for (int k = 0; k < def->joint_count; k++) {
        const FilJointCommand command = fil_articulated_command(robot, h, def->joints[k], now);
        speed[k] = command.mode == FIL_JOINT_POSITION ? command.velocity : 0.0;
    }
    leave_trajectory(robot, h, now);
    const bool leads = def->start + def->times[0] > now;  // it sets out from the present command
    h[0] = def->point_count + (leads ? 1 : 0);
    h[1] = (double)def->interpolation + (def->open ? OPEN : 0);
    const Script script = script_of(robot, h);
    const int n = script.joints, first = leads ? 1 : 0;
    clear_beyond(robot, &script);
    script.times[0] = now;
    for (int k = 0; k < def->point_count; k++) {
        script.times[first + k] = def->start + def->times[k];
    }
    for (int c = 0; c < def->joint_count; c++) {
        const int j = def->joints[c];
        double* command = command_of(h, j);
        if (command[MODE] != (double)FIL_JOINT_POSITION) {
            command[POSITION] = q[robot->bodies[robot->joints[j].body].q];
        }
        script.positions[j] = command[POSITION];
        script.velocities[j] = speed[c];
        script.efforts[j] = 0.0;
        for (int k = 0; k < def->point_count; k++) {
            script.positions[n * (first + k) + j] = def->positions[def->joint_count * k + c];
            script.velocities[n * (first + k) + j] = def->velocities != NULL ? def->velocities[def->joint_count * k + c] : 0.0;
            script.efforts[n * (first + k) + j] = def->efforts != NULL ? def->efforts[def->joint_count * k + c] : 0.0;
        }
        if (def->velocities == NULL) {
            spline_slopes(&script, j, upper);
        }
        command[MODE] = (double)FIL_JOINT_POSITION;
        command[VELOCITY] = command[EFFORT] = 0.0;
        command[FOLLOWS] = 1.0;
    }
    fil_free(upper);
    return FIL_OK;
}

/* ---- a step ---- */

/* Lists what is in force; `list` may be NULL. */
static int list_constraints(const FilArticulated* robot, const double* q, const double* v, const double* h, FilJointConstraint* list)
{
    int count = 0;
    for (int j = 0; j < robot->joint_count; j++) {
        const FilTreeJoint* joint = &robot->joints[j];
        const FilTreeBody* body = &robot->bodies[joint->body];
        const double lower = joint->def.lower, upper = joint->def.upper;
        const double range = isfinite(upper - lower) ? upper - lower : 1.0;
        const double near = AROUND * range + AHEAD * fabs(v[body->v]);
        const int mode = (int)command_of(h, j)[MODE];
        const bool in_force[] = {
            [FIL_PART_ACTUATOR] = (mode == FIL_JOINT_POSITION || mode == FIL_JOINT_VELOCITY) && joint->def.max_effort > 0.0,
            [FIL_PART_LOWER] = q[body->q] - lower <= near,
            [FIL_PART_UPPER] = upper - q[body->q] <= near,
            [FIL_PART_FRICTION] = joint->def.friction > 0.0,
            [FIL_PART_MIMIC] = joint->mimic >= 0,
        };
        for (int p = FIL_PART_ACTUATOR; p <= FIL_PART_MIMIC; p++) {
            if (in_force[p]) {
                if (list != NULL) {
                    list[count] = (FilJointConstraint){j, (FilJointPart)p};
                }
                count++;
            }
        }
    }
    return count;
}

int fil_articulated_constraint_count(const void* pointer, const double* q, const double* v, const double* h)
{
    return list_constraints(pointer, q, v, h, NULL);
}

/* What a joint on a trajectory is sent to in a step of one stage. Places move by q + dt (w v + (1 - w) v0), w = theta_vq, so that of Euler's rules, w
 * = 1, v is the mean velocity of the step and its change the acceleration at the start; of the midpoint rule they are those at the end and half-way.
 * Velocity and effort are taken where these are: else a joint would be off by c dt a / 2 k, and by m dt (da/dt) / k. */
static void aim_along(const FilArticulated* robot, int j, FilJointCommand* target)
{
    const FilStepSetup* setup = &robot->setup;
    target->effort = fil_articulated_command(robot, robot->h0, j, setup->time + (1.0 - setup->theta_vq) * setup->dt).effort;
    if (setup->theta_vq == 1.0) {
        target->velocity = (target->position - fil_articulated_command(robot, robot->h0, j, setup->time).position) / setup->dt;
    }
}

void fil_articulated_aim(FilArticulated* robot)
{
    for (int j = 0; j < robot->joint_count; j++) {
        const FilRobotJointDef* def = &robot->joints[j].def;
        FilJointCommand* target = &robot->target[j];
        *target = fil_articulated_command(robot, robot->h0, j, robot->setup.time + robot->setup.dt);
        if (fil_articulated_follows(robot->h0, j) && !robot->setup.staged) {
            aim_along(robot, j, target);
        }
        target->velocity = fmin(fmax(target->velocity, -def->max_velocity), def->max_velocity);
        target->effort = target->mode == FIL_JOINT_PASSIVE ? 0.0 : fmin(fmax(target->effort, -def->max_effort), def->max_effort);
        robot->effort[j] = target->effort;
    }
    robot->constraint_count = list_constraints(robot, robot->q0, robot->v0, robot->h0, robot->constraints);
}

/* Force k (target - q) + c (rate - v) at the end of the step, within the effort that the feed-forward part leaves. */
static void actuate(const FilArticulated* robot, int j, double q, FilBodyConstraint* out)
{
    const FilRobotJointDef* def = &robot->joints[j].def;
    const FilJointCommand* target = &robot->target[j];
    const double dt = robot->setup.dt;
    out->stiffness = target->mode == FIL_JOINT_POSITION ? def->stiffness_gain : 0.0;
    out->damping = def->damping_gain;
    out->bias = -target->velocity;
    // g + dt (v - rate) = q + dt v - target
    out->error = target->mode == FIL_JOINT_POSITION ? q - target->position + dt * target->velocity : 0.0;
    out->lower = dt * (-def->max_effort - target->effort);
    out->upper = dt * (def->max_effort - target->effort);
}

static void stop(const FilRobotJointDef* def, double gap, double rate, FilBodyConstraint* out)
{
    out->rate[0] = rate;
    out->error = gap;
    out->stiffness = def->limit_stiffness;
    out->damping = gap > 0.0 || isinf(def->limit_stiffness) ? 0.0 : def->limit_damping;  // no braking before it touches
    out->exact = isfinite(def->limit_stiffness);
    out->lower = 0.0;
}

void fil_articulated_constraint(const void* pointer, int index, FilBodyConstraint* out)
{
    const FilArticulated* robot = pointer;
    const FilJointConstraint* constraint = &robot->constraints[index];
    const FilTreeJoint* joint = &robot->joints[constraint->joint];
    const FilTreeBody* body = &robot->bodies[joint->body];
    const double q = robot->q0[body->q], dt = robot->setup.dt;
    *out = (FilBodyConstraint){.count = 1, .unknown = {body->v}, .rate = {1.0}, .exact = true, .lower = -INFINITY, .upper = INFINITY};
    switch (constraint->part) {
        case FIL_PART_ACTUATOR:
            actuate(robot, constraint->joint, q, out);
            break;
        case FIL_PART_LOWER:
            stop(&joint->def, q - joint->def.lower, 1.0, out);
            break;
        case FIL_PART_UPPER:
            stop(&joint->def, joint->def.upper - q, -1.0, out);
            break;
        case FIL_PART_FRICTION:
            out->damping = robot->mass[robot->row[body->v] + robot->depth[body->v]] / (STICTION * dt);
            out->lower = -dt * joint->def.friction;
            out->upper = dt * joint->def.friction;
            break;
        case FIL_PART_MIMIC: {
            const FilTreeBody* leader = &robot->bodies[robot->joints[joint->mimic].body];
            out->count = 2;
            out->unknown[1] = leader->v;
            out->rate[1] = -joint->def.multiplier;
            out->error = q - joint->def.multiplier * robot->q0[leader->q] - joint->def.offset;
            out->stiffness = INFINITY;
            out->exact = false;
            break;
        }
    }
}

void fil_articulated_constrained(void* pointer, int index, double impulse)
{
    FilArticulated* robot = pointer;
    const FilJointConstraint* constraint = &robot->constraints[index];
    if (constraint->part == FIL_PART_ACTUATOR) {
        robot->effort[constraint->joint] = robot->target[constraint->joint].effort + impulse / robot->setup.dt;
    }
}
