#include "body/rigid.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/quat.h"

FilShapeDef fil_shape_def_default(void)
{
    return (FilShapeDef){.type = FIL_SHAPE_SPHERE, .scale = 1.0, .orientation = {0.0, 0.0, 0.0, 1.0}};
}

FilRigidDef fil_rigid_def_default(void)
{
    // kg/m^3: water's
    return (FilRigidDef){.motion = FIL_DYNAMIC, .orientation = {0.0, 0.0, 0.0, 1.0}, .density = 1000.0, .collision = fil_collision_default()};
}

/* ---- state ---- */

static int dofs(const void* pointer)
{
    return ((const FilRigidBody*)pointer)->motion == FIL_DYNAMIC ? 6 : 0;
}

static void init_state(const void* pointer, double* q, double* v, double* h)
{
    (void)h;
    const FilRigidBody* body = pointer;
    memcpy(q, body->initial_q, sizeof body->initial_q);
    memcpy(v, body->initial_v, sizeof body->initial_v);
}

/* ---- a step ---- */

/* Free rotation in the body frame over dt, I (w - w0) / dt + w_m x I w_m = torque, with w_m = w0 + share (w - w0). Half-way it is
 * the midpoint rule, which keeps the energy when the torque is zero; a stage of a step takes the end. Newton from w0; the step is
 * short, so few iterations do. */
static void rotate_freely(const FilRigidBody* body, const double* w0, const double* torque, double share, double dt, double* w)
{
    const double* inertia = body->inertia;
    fil_v3_copy(w, w0);
    for (int iteration = 0; iteration < 8; iteration++) {
        double middle[3], momentum[3], gyro[3], change[3], residual[3], jacobian[9], inverse[9], step[3];
        for (int k = 0; k < 3; k++) {
            middle[k] = w0[k] + share * (w[k] - w0[k]);
            change[k] = w[k] - w0[k];
        }
        fil_m3_apply(momentum, inertia, middle);
        fil_v3_cross(gyro, middle, momentum);
        fil_m3_apply(residual, inertia, change);
        fil_v3_axpy(residual, dt, gyro);
        fil_v3_axpy(residual, -dt, torque);
        // d(w x I w)/dw = [w] I - [I w]
        const double cross_w[9] = {0.0, -middle[2], middle[1], middle[2], 0.0, -middle[0], -middle[1], middle[0], 0.0};
        const double cross_m[9] = {0.0, -momentum[2], momentum[1], momentum[2], 0.0, -momentum[0], -momentum[1], momentum[0], 0.0};
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                const double product = cross_w[3 * j] * inertia[k] + cross_w[3 * j + 1] * inertia[3 + k] + cross_w[3 * j + 2] * inertia[6 + k];
                jacobian[3 * j + k] = inertia[3 * j + k] + share * dt * (product - cross_m[3 * j + k]);
            }
        }
        if (!fil_m3_invert(inverse, jacobian)) {
            return;
        }
        fil_m3_apply(step, inverse, residual);
        fil_v3_axpy(w, -1.0, step);
        if (fil_v3_norm(step) <= 1e-15 * (1.0 + fil_v3_norm(w))) {  // rounding
            return;
        }
    }
}

/* w x I w of a step that ends with w1: half-way, or that of a stage's end. */
static void gyroscopic(const FilRigidBody* body, const double* w1, double* torque)
{
    double w[3], momentum[3];
    for (int k = 0; k < 3; k++) {
        w[k] = body->setup.staged ? w1[k] : 0.5 * (body->v0[4 + k] + w1[k]);
    }
    fil_m3_apply(momentum, body->inertia, w);
    fil_v3_cross(torque, w, momentum);
}

/* Velocities that take a kinematic body to its target over the step. */
static void scripted_velocity(FilRigidBody* body)
{
    double q1[FIL_RIGID_UNKNOWNS];
    memset(body->v_free, 0, sizeof body->v_free);
    if (!body->attached || !body->target.active) {
        return;
    }
    double position[3], rotation[3];
    const double* turn = body->target.rotation[1];
    fil_v3_add(position, body->origin, body->target.displacement[1]);
    const FilQuat end = fil_quat_multiply(fil_quat_exponential(turn), body->origin_orientation);
    fil_rigid_from_pose(body, position, end, q1);
    const FilQuat now = fil_rigid_orientation(body->q0);
    const FilQuat back = {-now.x, -now.y, -now.z, now.w};
    fil_quat_logarithm(fil_quat_multiply(back, end), rotation);  // in the body frame
    for (int k = 0; k < 3; k++) {
        body->v_free[k] = (q1[k] - body->q0[k]) / body->setup.dt;
        body->v_free[4 + k] = rotation[k] / body->setup.dt;
    }
}

static void begin(void* pointer, const FilStepSetup* setup, const double* q, const double* v, const double* h)
{
    (void)h;
    FilRigidBody* body = pointer;
    const double dt = setup->dt;
    body->setup = *setup;
    body->q0 = q;
    body->v0 = v;
    if (body->motion != FIL_DYNAMIC) {
        scripted_velocity(body);
        return;
    }
    double rotation[9], torque[3];
    FilQuat orientation = fil_rigid_orientation(q);
    if (setup->staged) {  // where a stage ends, to second order
        const double turn[3] = {dt * v[4], dt * v[5], dt * v[6]};
        orientation = fil_quat_multiply(orientation, fil_quat_exponential(turn));
    }
    fil_m3_from_quat(rotation, orientation);
    fil_m3_apply_transposed(torque, rotation, body->torque);
    rotate_freely(body, v + 4, torque, setup->staged ? 1.0 : 0.5, dt, body->v_free + 4);
    gyroscopic(body, body->v_free + 4, body->gyro_free);
    const double slow[2] = {1.0 + dt * body->damping_linear, 1.0 + dt * body->damping_angular};
    for (int k = 0; k < 3; k++) {
        body->v_free[k] = (v[k] + dt * (setup->gravity[k] + body->force[k] / body->mass)) / slow[0];
        body->v_free[4 + k] /= slow[1];
    }
    body->v_free[3] = body->v_free[7] = 0.0;
    for (int k = 0; k < 9; k++) {
        body->tangent[0][k] = k % 4 == 0 ? body->mass * slow[0] : 0.0;
        body->inverse[0][k] = k % 4 == 0 ? 1.0 / (body->mass * slow[0]) : 0.0;
        body->tangent[1][k] = body->inertia[k] * slow[1];
        body->inverse[1][k] = body->inverse_inertia[k] / slow[1];
    }
}

static void guess(const void* pointer, const double* change, double* v)
{
    (void)change;  // free motion is known
    memcpy(v, ((const FilRigidBody*)pointer)->v_free, sizeof(double) * FIL_RIGID_UNKNOWNS);
}

static bool evaluate(void* pointer, const double* v, double shift, double* residual, double* potential)
{
    (void)shift;  // the tangent is mass
    const FilRigidBody* body = pointer;
    double change[3];
    *potential = 0.0;
    memset(residual, 0, sizeof(double) * FIL_RIGID_UNKNOWNS);
    for (int part = 0; part < 2 && body->motion == FIL_DYNAMIC; part++) {
        fil_v3_sub(change, v + 4 * part, body->v_free + 4 * part);
        fil_m3_apply(residual + 4 * part, body->tangent[part], change);
        *potential += 0.5 * fil_v3_dot(change, residual + 4 * part);
    }
    const bool second_order = body->setup.staged || body->setup.theta == 0.5;
    if (second_order && body->motion == FIL_DYNAMIC) {
        // forces are those of the stage's end, or half-way, as contact and joints leave it: with w x I w of free motion bodies that are pushed
        // turn by first order
        double gyro[3];
        gyroscopic(body, v + 4, gyro);
        fil_v3_axpy(residual + 4, body->setup.dt, gyro);
        fil_v3_axpy(residual + 4, -body->setup.dt, body->gyro_free);
    }
    return isfinite(*potential);
}

static void diagonal(const void* pointer, const double* v, double* out, double* scale)
{
    const FilRigidBody* body = pointer;
    for (int k = 0; k < FIL_RIGID_UNKNOWNS; k++) {
        const bool used = body->motion == FIL_DYNAMIC && k % 4 < 3;
        out[k] = used ? body->tangent[k / 4][4 * (k % 4)] : 0.0;
        scale[k] = used ? out[k] * (fabs(v[k]) + fabs(body->v_free[k] - body->v0[k])) : 0.0;
    }
}

static bool factor(void* pointer)
{
    (void)pointer;  // inverted in begin
    return true;
}

static void solve(void* pointer, double* x)
{
    const FilRigidBody* body = pointer;
    double out[FIL_RIGID_UNKNOWNS] = {0.0};
    for (int part = 0; part < 2 && body->motion == FIL_DYNAMIC; part++) {
        fil_m3_apply(out + 4 * part, body->inverse[part], x + 4 * part);
    }
    memcpy(x, out, sizeof out);
}

static void finish(void* pointer, const double* v, double* q1, double* v1, double* h1)
{
    (void)h1;
    const FilRigidBody* body = pointer;
    const double dt = body->setup.dt;
    // a scripted body arrives: its velocity is that of the whole step
    const double vq = body->motion == FIL_DYNAMIC ? body->setup.theta_vq : 1.0;
    double turn[3];
    memcpy(v1, v, sizeof(double) * FIL_RIGID_UNKNOWNS);
    for (int k = 0; k < 3; k++) {
        q1[k] = body->q0[k] + dt * (vq * v[k] + (1.0 - vq) * body->v0[k]);
        turn[k] = dt * (vq * v[4 + k] + (1.0 - vq) * body->v0[4 + k]);
    }
    FilQuat orientation = fil_quat_multiply(fil_rigid_orientation(body->q0), fil_quat_exponential(turn));
    (void)fil_quat_normalise(&orientation);  // a product of unit quaternions
    q1[3] = 0.0;
    q1[4] = orientation.x, q1[5] = orientation.y, q1[6] = orientation.z, q1[7] = orientation.w;
}

/* ---- measures ---- */

static void energy(const void* pointer, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to)
{
    (void)h;
    const FilRigidBody* body = pointer;
    if (body->motion == FIL_DYNAMIC) {
        double momentum[3];
        fil_m3_apply(momentum, body->inertia, v + 4);
        add_to->kinetic += 0.5 * (body->mass * fil_v3_dot(v, v) + fil_v3_dot(v + 4, momentum));
        add_to->gravity -= body->mass * fil_v3_dot(gravity, q);
    }
}

static void momentum_of(const void* pointer, const double* q, const double* v, const double* h, double* linear, double* angular)
{
    (void)h;
    const FilRigidBody* body = pointer;
    if (body->motion == FIL_DYNAMIC) {
        double rotation[9], spin[3], world[3], moment[3];
        fil_v3_axpy(linear, body->mass, v);
        fil_v3_cross(moment, q, v);
        fil_v3_axpy(angular, body->mass, moment);
        fil_m3_from_quat(rotation, fil_rigid_orientation(q));
        fil_m3_apply(spin, body->inertia, v + 4);
        fil_m3_apply(world, rotation, spin);
        fil_v3_axpy(angular, 1.0, world);
    }
}

/* ---- boundary ---- */

static FilStatus attach(void* pointer, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error)
{
    (void)object;
    (void)def;
    (void)h;
    FilRigidBody* body = pointer;
    if (body->motion != FIL_KINEMATIC) {
        return fil_error(error, FIL_BAD_INPUT, "only a kinematic body has an attachment; hold a dynamic one by a joint");
    }
    if (body->attached) {
        return fil_error(error, FIL_BAD_INPUT, "a kinematic body has one attachment, which bears its name");
    }
    FilPose pose;
    fil_rigid_pose(body, q, &pose);
    fil_v3_copy(body->origin, pose.p);
    body->origin_orientation = fil_rigid_orientation(q);
    body->attached = true;
    *slot = 0;
    return FIL_OK;
}

static void set_target(void* pointer, int slot, const FilTarget* target)
{
    (void)slot;
    ((FilRigidBody*)pointer)->target = *target;
}

static void reaction(const void* pointer, int slot, double* force, double* torque)
{
    (void)pointer;
    (void)slot;  // a scripted body takes whatever force it meets: see its contact wrench
    fil_v3_set(force, 0.0, 0.0, 0.0);
    fil_v3_set(torque, 0.0, 0.0, 0.0);
}

static void clear_loads(void* pointer)
{
    FilRigidBody* body = pointer;
    fil_v3_set(body->force, 0.0, 0.0, 0.0);
    fil_v3_set(body->torque, 0.0, 0.0, 0.0);
}

static void load(void* pointer, int object, FilDriveKind kind, int first, int count, const double* value, double* h)
{
    (void)object;
    (void)first;
    (void)count;
    (void)h;
    FilRigidBody* body = pointer;
    fil_v3_axpy(kind == FIL_DRIVE_FORCE ? body->force : body->torque, 1.0, value);
}

static int load_range(const void* pointer, int object, FilDriveKind kind)
{
    (void)object;
    const bool takes = kind == FIL_DRIVE_FORCE || kind == FIL_DRIVE_TORQUE;
    return takes && ((const FilRigidBody*)pointer)->motion == FIL_DYNAMIC ? 1 : 0;
}

/* ---- contact ---- */

static int tangent_pattern(void* pointer, int* columns, int* rows)
{
    if (((const FilRigidBody*)pointer)->motion != FIL_DYNAMIC) {
        return 0;
    }
    for (int b = 0; b < 2 && columns != NULL && rows != NULL; b++) {
        columns[b] = rows[b] = b;
    }
    return 2;
}

static void tangent(void* pointer, double* values)
{
    const FilRigidBody* body = pointer;
    memset(values, 0, sizeof(double) * 32);
    for (int b = 0; b < 2; b++) {
        for (int k = 0; k < 9; k++) {
            values[16 * b + 4 * (k / 3) + k % 3] = body->tangent[b][k];
        }
        values[16 * b + 15] = 1.0;
    }
}

const FilBodyOps fil_rigid_ops = {
    .kind = "rigid",
    .destroy = fil_rigid_destroy,
    .dofs = dofs,
    .init_state = init_state,
    .begin = begin,
    .guess = guess,
    .evaluate = evaluate,
    .diagonal = diagonal,
    .factor = factor,
    .solve = solve,
    .finish = finish,
    .energy = energy,
    .momentum = momentum_of,
    .place_count = fil_rigid_place_count,
    .place_velocity = fil_rigid_place_velocity,
    .pace = fil_rigid_pace,
    .mass = fil_rigid_mass_of,
    .attach = attach,
    .set_target = set_target,
    .reaction = reaction,
    .clear_loads = clear_loads,
    .load = load,
    .load_range = load_range,
    .collider_count = fil_rigid_collider_count,
    .collider = fil_rigid_collider,
    .place = fil_rigid_place,
    .part = fil_rigid_part,
    .joined = fil_rigid_joined,
    .frame = fil_rigid_frame,
    .side = fil_rigid_side,
    .center = fil_rigid_center,
    .point_jacobian = fil_rigid_point_jacobian,
    .turn_jacobian = fil_rigid_turn_jacobian,
    .tangent_pattern = tangent_pattern,
    .tangent = tangent,
    .derivative = &fil_rigid_derivative_ops,
};
