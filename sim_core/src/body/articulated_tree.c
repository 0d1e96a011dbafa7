/* Kinematics and dynamics of a tree of links: places, composite rigid bodies, recursive Newton-Euler, and the sparse
 * factorisation that fits a tree (Featherstone 2008, ch. 5, 6 and 8). */
#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "body/articulated.h"
#include "body/spatial.h"

/* ---- places ---- */

/* Rotation about a unit axis. */
static void axis_rotation(double* r, const double* axis, double angle)
{
    const double c = cos(angle);
    fil_m3_rodrigues(r, axis, sin(angle), 1.0 - c, c);
}

static FilQuat quat_at(const double* q)
{
    return (FilQuat){q[0], q[1], q[2], q[3]};
}

/* Pose of the child in the joint's frame. */
static void joint_pose(const FilTreeBody* body, const double* q, FilPose* pose)
{
    *pose = fil_pose_identity();
    switch (body->type) {
        case FIL_ROBOT_PRISMATIC:
            fil_v3_scale(pose->p, q[0], body->axis);
            break;
        case FIL_ROBOT_BALL:
            fil_m3_from_quat(pose->r, quat_at(q));
            break;
        case FIL_ROBOT_FLOATING:
            fil_v3_copy(pose->p, q);
            fil_m3_from_quat(pose->r, quat_at(q + 3));
            break;
        default:
            axis_rotation(pose->r, body->axis, q[0]);
    }
}

/* Turning about the unit vector w through p: (w, w x (o - p)). */
static void turn_about(double* motion, const double* w, const double* p, const double* o)
{
    const double arm[3] = {o[0] - p[0], o[1] - p[1], o[2] - p[2]};
    fil_v3_copy(motion, w);
    fil_v3_cross(motion + 3, w, arm);
}

static void slide_along(double* motion, const double* direction)
{
    fil_v3_set(motion, 0.0, 0.0, 0.0);
    fil_v3_copy(motion + 3, direction);
}

/* Motions of a body's unknowns; `frame` is the joint's frame in the world. */
static void joint_motions(const FilTreeBody* body, const FilPose* frame, const FilPose* pose, const double* o, double* motion)
{
    double axis[3];
    if (body->dofs == 1) {
        fil_m3_apply(axis, pose->r, body->axis);
        if (body->type == FIL_ROBOT_PRISMATIC) {
            slide_along(motion, axis);
        } else {
            turn_about(motion, axis, pose->p, o);
        }
        return;
    }
    for (int k = 0; k < 3; k++) {
        fil_pose_axis(axis, pose, k);
        turn_about(motion + 6 * (body->dofs - 3 + k), axis, pose->p, o);
        if (body->type == FIL_ROBOT_FLOATING) {
            fil_pose_axis(axis, frame, k);
            slide_along(motion + 6 * k, axis);
        }
    }
}

void fil_articulated_place(const FilArticulated* robot, const double* q)
{
    const size_t bytes = sizeof(double) * (size_t)robot->q_count;
    if (robot->seen && memcmp(robot->seen_q, q, bytes) == 0) {
        return;
    }
    FilArticulated* memory = (FilArticulated*)robot;  // what is remembered is no part of what the robot is
    memcpy(memory->seen_q, q, bytes);
    memory->seen = true;
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        FilPose frame = body->rest, turn;
        if (body->parent >= 0) {
            fil_pose_compose(&frame, &robot->poses[body->parent], &body->rest);
        }
        joint_pose(body, q + body->q, &turn);
        fil_pose_compose(&robot->poses[b], &frame, &turn);
        if (b == 0) {
            fil_v3_copy(memory->origin, robot->poses[0].p);
        }
        joint_motions(body, &frame, &robot->poses[b], robot->origin, robot->motion + 6 * body->v);
    }
}

void fil_articulated_link_pose(const FilArticulated* robot, const double* q, int link, FilPose* pose)
{
    const FilTreeLink* l = &robot->links[link];
    *pose = l->pose;
    if (l->body >= 0) {
        fil_articulated_place(robot, q);
        fil_pose_compose(pose, &robot->poses[l->body], &l->pose);
    }
}

void fil_articulated_link_velocity(const FilArticulated* robot, const double* q, const double* v, int link, const double* point, double* velocity,
                                   double* angular)
{
    const int body = robot->links[link].body;
    double sum[6] = {0.0};
    fil_articulated_place(robot, q);
    const int last = body >= 0 ? robot->bodies[body].v + robot->bodies[body].dofs - 1 : -1;
    for (int d = last; d >= 0; d = robot->dof_parent[d]) {
        for (int k = 0; k < 6; k++) {
            sum[k] += robot->motion[6 * d + k] * v[d];
        }
    }
    double arm[3];
    fil_v3_sub(arm, point, robot->origin);
    fil_v3_cross(velocity, sum, arm);
    fil_v3_add(velocity, velocity, sum + 3);
    fil_v3_copy(angular, sum);
}

void fil_articulated_move(const FilArticulated* robot, const double* q, const double* v, double time, double* out)
{
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        const double *from = q + body->q, *rate = v + body->v;
        double* to = out + body->q;
        int linear = body->dofs == 1 ? 1 : 0;
        if (body->type == FIL_ROBOT_FLOATING) {
            linear = 3;
        }
        for (int k = 0; k < linear; k++) {
            to[k] = from[k] + time * rate[k];
        }
        if (body->dofs > 1) {
            const double turn[3] = {time * rate[linear], time * rate[linear + 1], time * rate[linear + 2]};
            FilQuat end = fil_quat_multiply(quat_at(from + linear), fil_quat_exponential(turn));
            (void)fil_quat_normalise(&end);  // a product of unit quaternions
            to[linear] = end.x, to[linear + 1] = end.y, to[linear + 2] = end.z, to[linear + 3] = end.w;
        }
    }
}

/* ---- recursions ---- */

/* Inertia of every body, about the common point. Bodies have been placed. */
static void place_inertias(const FilArticulated* robot)
{
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        const double *r = robot->poses[b].r, *i = body->inertia;
        FilSpatialInertia* out = &robot->inertia[b];
        double c[3], ri[9];
        fil_pose_apply(c, &robot->poses[b], body->center);
        fil_v3_sub(c, c, robot->origin);
        for (int k = 0; k < 3; k++) {
            for (int m = 0; m < 3; m++) {
                ri[3 * k + m] = r[3 * k] * i[m] + r[3 * k + 1] * i[3 + m] + r[3 * k + 2] * i[6 + m];
            }
        }
        const double m = body->mass, x = c[0], y = c[1], z = c[2];
        out->m = m;
        fil_v3_scale(out->h, m, c);
        out->j[0] = fil_v3_dot(ri, r) + m * (y * y + z * z);
        out->j[1] = fil_v3_dot(ri + 3, r + 3) + m * (x * x + z * z);
        out->j[2] = fil_v3_dot(ri + 6, r + 6) + m * (x * x + y * y);
        out->j[3] = fil_v3_dot(ri, r + 3) - m * x * y;
        out->j[4] = fil_v3_dot(ri, r + 6) - m * x * z;
        out->j[5] = fil_v3_dot(ri + 3, r + 6) - m * y * z;
    }
}

/* Composite rigid bodies: M_kt = S_t . (I_c S_k) for the unknowns t below k. */
static void assemble_mass(const FilArticulated* robot, double* mass)
{
    memcpy(robot->composite, robot->inertia, sizeof *robot->inertia * (size_t)robot->body_count);
    for (int b = robot->body_count - 1; b >= 0; b--) {
        const FilTreeBody* body = &robot->bodies[b];
        const FilSpatialInertia* own = &robot->composite[b];
        if (body->parent >= 0) {
            FilSpatialInertia* sum = &robot->composite[body->parent];
            sum->m += own->m;
            fil_v3_add(sum->h, sum->h, own->h);
            for (int k = 0; k < 6; k++) {
                sum->j[k] += own->j[k];
            }
        }
        for (int d = body->v; d < body->v + body->dofs; d++) {
            double momentum[6];
            fil_spatial_apply(momentum, own, robot->motion + 6 * d);
            const int *below = robot->below + robot->row[d], depth = robot->depth[d];
            double* row = mass + robot->row[d];
            for (int t = 0; t <= depth; t++) {
                row[t] = fil_spatial_dot(robot->motion + 6 * below[t], momentum);
            }
            row[depth] += robot->armature[d];
        }
    }
}

/* Adds to a body's velocity and acceleration what `count` unknowns from d on do, one joint after the other. */
static void add_rates(const FilArticulated* robot, int d, int count, const double* v, const double* acceleration, double* velocity, double* rate)
{
    double own[6] = {0.0};
    for (int i = d; i < d + count; i++) {
        for (int k = 0; k < 6; k++) {
            own[k] += robot->motion[6 * i + k] * v[i];
            rate[k] += acceleration != NULL ? robot->motion[6 * i + k] * acceleration[i] : 0.0;
        }
    }
    // whether the axes ride on the parent or on the child, S' v = V_parent x S v
    fil_spatial_add_cross(rate, velocity, own);
    for (int k = 0; k < 6; k++) {
        velocity[k] += own[k];
    }
}

/* Velocity of every body, and its acceleration less gravity. */
static void pass_out(const FilArticulated* robot, const double* v, const double* acceleration, const double* gravity)
{
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        double *velocity = robot->velocity + 6 * b, *rate = robot->acceleration + 6 * b;
        if (body->parent >= 0) {
            memcpy(velocity, robot->velocity + 6 * body->parent, 6 * sizeof(double));
            memcpy(rate, robot->acceleration + 6 * body->parent, 6 * sizeof(double));
        } else {
            memset(velocity, 0, 6 * sizeof(double));
            fil_v3_set(rate, 0.0, 0.0, 0.0);
            fil_v3_scale(rate + 3, -1.0, gravity);
        }
        const int sliding = body->type == FIL_ROBOT_FLOATING ? 3 : 0;
        if (sliding > 0) {  // slides first, then turns
            add_rates(robot, body->v, sliding, v, acceleration, velocity, rate);
        }
        add_rates(robot, body->v + sliding, body->dofs - sliding, v, acceleration, velocity, rate);
    }
}

/* Loads of the links on their bodies, taken off the wrenches that the joints must give. */
static void subtract_loads(const FilArticulated* robot)
{
    for (int l = 0; l < robot->link_count; l++) {
        const FilTreeLink* link = &robot->links[l];
        if (link->body < 0) {
            continue;
        }
        const double* load = robot->wrench + 6 * l;
        double *wrench = robot->wrenches + 6 * link->body, arm[3], moment[3];
        fil_pose_apply(arm, &robot->poses[link->body], link->pose.p);
        fil_v3_sub(arm, arm, robot->origin);
        fil_v3_cross(moment, arm, load);
        for (int k = 0; k < 3; k++) {
            wrench[k] -= moment[k] + load[3 + k];
            wrench[3 + k] -= load[k];
        }
    }
}

/* Wrenches from the tips to the foot; a joint's force is the part along its motion. */
static void pass_in(const FilArticulated* robot, double* force)
{
    for (int b = 0; b < robot->body_count; b++) {
        const double *velocity = robot->velocity + 6 * b, *rate = robot->acceleration + 6 * b;
        double momentum[6], *wrench = robot->wrenches + 6 * b;
        fil_spatial_apply(momentum, &robot->inertia[b], velocity);
        fil_spatial_apply(wrench, &robot->inertia[b], rate);
        fil_spatial_add_cross_force(wrench, velocity, momentum);
    }
    if (robot->loaded) {
        subtract_loads(robot);
    }
    for (int b = robot->body_count - 1; b >= 0; b--) {
        const FilTreeBody* body = &robot->bodies[b];
        const double* wrench = robot->wrenches + 6 * b;
        for (int d = body->v; d < body->v + body->dofs; d++) {
            force[d] = fil_spatial_dot(robot->motion + 6 * d, wrench);
        }
        for (int k = 0; k < 6 && body->parent >= 0; k++) {
            robot->wrenches[6 * body->parent + k] += wrench[k];
        }
    }
}

void fil_articulated_mass(const FilArticulated* robot, const double* q, double* mass)
{
    fil_articulated_place(robot, q);
    place_inertias(robot);
    assemble_mass(robot, mass);
}

void fil_articulated_inverse(const FilArticulated* robot, const double* q, const double* v, const double* acceleration, const double* gravity,
                             double* force)
{
    fil_articulated_place(robot, q);
    place_inertias(robot);
    pass_out(robot, v, acceleration, gravity);
    pass_in(robot, force);
    for (int d = 0; d < robot->dof_count && acceleration != NULL; d++) {
        force[d] += robot->armature[d] * acceleration[d];
    }
}

void fil_articulated_dynamics(const FilArticulated* robot, const double* q, const double* v, const double* gravity, double* mass, double* bias)
{
    fil_articulated_place(robot, q);
    place_inertias(robot);
    assemble_mass(robot, mass);
    pass_out(robot, v, NULL, gravity);
    pass_in(robot, bias);
}

bool fil_articulated_forward(FilArticulated* robot, const double* q, const double* v, const double* force, const double* gravity,
                             double* acceleration)
{
    fil_articulated_dynamics(robot, q, v, gravity, robot->factor, robot->scratch);
    for (int d = 0; d < robot->dof_count; d++) {
        acceleration[d] = force[d] - robot->scratch[d];
    }
    if (!fil_articulated_factor_entries(robot, robot->factor)) {
        return false;
    }
    fil_articulated_solve_entries(robot, robot->factor, acceleration);
    return true;
}

/* ---- A = L' D L, L with ones on its diagonal: from the tips to the foot nothing fills in ---- */

bool fil_articulated_factor_entries(const FilArticulated* robot, double* entries)
{
    for (int k = robot->dof_count - 1; k >= 0; k--) {
        double* row = entries + robot->row[k];
        const int *below = robot->below + robot->row[k], depth = robot->depth[k];
        if (!(row[depth] > 0.0)) {
            return false;
        }
        const double inverse = 1.0 / row[depth];
        for (int t = depth - 1; t >= 0; t--) {
            const double a = row[t] * inverse;
            double* other = entries + robot->row[below[t]];  // the first t + 1 unknowns are below both
            for (int s = 0; s <= t; s++) {
                other[s] -= a * row[s];
            }
            row[t] = a;
        }
        row[depth] = inverse;
    }
    return true;
}

void fil_articulated_solve_entries(const FilArticulated* robot, const double* factor, double* x)
{
    // L' y = x from the tips down, D, then L from the foot up
    for (int k = robot->dof_count - 1; k >= 0; k--) {
        const double* row = factor + robot->row[k];
        const int *below = robot->below + robot->row[k], depth = robot->depth[k];
        for (int t = 0; t < depth; t++) {
            x[below[t]] -= row[t] * x[k];
        }
    }
    for (int k = 0; k < robot->dof_count; k++) {
        const double* row = factor + robot->row[k];
        const int *below = robot->below + robot->row[k], depth = robot->depth[k];
        double sum = x[k] * row[depth];
        for (int t = 0; t < depth; t++) {
            sum -= row[t] * x[below[t]];
        }
        x[k] = sum;
    }
}

void fil_articulated_multiply(const FilArticulated* robot, const double* entries, const double* x, double* out)
{
    memset(out, 0, sizeof(double) * (size_t)robot->dof_count);
    for (int k = 0; k < robot->dof_count; k++) {
        const double* row = entries + robot->row[k];
        const int *below = robot->below + robot->row[k], depth = robot->depth[k];
        for (int t = 0; t < depth; t++) {
            out[below[t]] += row[t] * x[k];
            out[k] += row[t] * x[below[t]];
        }
        out[k] += row[depth] * x[k];
    }
}

/* ---- measures ---- */

/* Inertia and velocity of every body. */
static void see_motion(const FilArticulated* robot, const double* q, const double* v)
{
    static const double weightless[3] = {0.0, 0.0, 0.0};
    fil_articulated_place(robot, q);
    place_inertias(robot);
    pass_out(robot, v, NULL, weightless);
}

void fil_articulated_energy(const void* pointer, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to)
{
    (void)h;
    const FilArticulated* robot = pointer;
    see_motion(robot, q, v);
    for (int b = 0; b < robot->body_count; b++) {
        double momentum[6];
        fil_spatial_apply(momentum, &robot->inertia[b], robot->velocity + 6 * b);
        add_to->kinetic += 0.5 * fil_spatial_dot(robot->velocity + 6 * b, momentum);
        add_to->gravity -= fil_v3_dot(gravity, robot->inertia[b].h) + robot->inertia[b].m * fil_v3_dot(gravity, robot->origin);
    }
    for (int d = 0; d < robot->dof_count; d++) {
        add_to->kinetic += 0.5 * robot->armature[d] * v[d] * v[d];
    }
}

void fil_articulated_momentum(const void* pointer, const double* q, const double* v, const double* h, double* linear, double* angular)
{
    (void)h;
    const FilArticulated* robot = pointer;
    see_motion(robot, q, v);
    for (int b = 0; b < robot->body_count; b++) {
        double momentum[6], moment[3];
        fil_spatial_apply(momentum, &robot->inertia[b], robot->velocity + 6 * b);
        fil_v3_add(linear, linear, momentum + 3);
        fil_v3_cross(moment, robot->origin, momentum + 3);
        fil_v3_add(angular, angular, momentum);
        fil_v3_add(angular, angular, moment);
    }
}
