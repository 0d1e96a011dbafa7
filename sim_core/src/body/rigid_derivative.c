/* How a step of a free rigid body varies with its start. Free motion is v_free = (v0 + dt (g + f / m)) / (1 + dt d); in the body frame
 *     I (w - w0) + dt w_m x I w_m = dt R' torque,  w_m = (w + w0) / 2,   w_free = w / (1 + dt d),
 * and m(v) = A (v - v_free). Orientations vary in the body frame, R exp([phi]):
 *     R1 = R0 exp([dt w]),   phi1 = exp(-[dt w]) phi0 + dt Jr(dt w) dw. */
#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "base/vec3.h"
#include "body/derivative.h"
#include "body/rigid.h"

static void multiply(double* out, const double* a, const double* b)
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
        }
    }
}

static void cross_matrix(double* out, const double* w)
{
    const double m[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
    memcpy(out, m, sizeof m);
}

/* Right Jacobian of the exponential: 1 - (1 - cos a)/a^2 [w] + (a - sin a)/a^3 [w]^2. */
static void right_jacobian(double* out, const double* w)
{
    const double a2 = fil_v3_dot(w, w), a = sqrt(a2);
    // series below 0.01 rad: the next terms are below 1e-14
    const double first = a > 1e-2 ? (1.0 - cos(a)) / a2 : 0.5 - a2 / 24.0 + a2 * a2 / 720.0;
    const double second = a > 1e-2 ? (a - sin(a)) / (a2 * a) : 1.0 / 6.0 - a2 / 120.0 + a2 * a2 / 5040.0;
    double cross[9], square[9];
    cross_matrix(cross, w);
    multiply(square, cross, cross);
    for (int k = 0; k < 9; k++) {
        out[k] = (k % 4 == 0 ? 1.0 : 0.0) - first * cross[k] + second * square[k];
    }
}

static const char* prepare(void* pointer, const double* v)
{
    FilRigidBody* body = pointer;
    const double dt = body->setup.dt, slow = 1.0 + dt * body->damping_angular;
    const double* w0 = body->v0 + 4;
    if (body->motion != FIL_DYNAMIC) {
        return NULL;
    }
    // d(w x I w)/dw = [w] I - [I w], half-way
    double middle[3], momentum[3], cross_w[9], cross_m[9], gyro[9], left[9], right[9], inverse[9];
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (slow * body->v_free[4 + k] + w0[k]);
    }
    fil_m3_apply(momentum, body->inertia, middle);
    cross_matrix(cross_w, middle);
    cross_matrix(cross_m, momentum);
    multiply(gyro, cross_w, body->inertia);
    for (int k = 0; k < 9; k++) {
        gyro[k] -= cross_m[k];
        left[k] = slow * (body->inertia[k] + 0.5 * dt * gyro[k]);
        right[k] = body->inertia[k] - 0.5 * dt * gyro[k];
    }
    if (!fil_m3_invert(inverse, left)) {
        return "turns so fast that its free motion has no derivative";
    }
    multiply(body->varied.free_rate, inverse, right);
    // d(R' torque) = (R' torque) x phi
    double rotation[9], torque[3], turned[9];
    fil_m3_from_quat(rotation, fil_rigid_orientation(body->q0));
    fil_m3_apply_transposed(torque, rotation, body->torque);
    fil_v3_scale(torque, dt, torque);
    cross_matrix(turned, torque);
    multiply(body->varied.free_turn, inverse, turned);

    const double back[3] = {-dt * v[4], -dt * v[5], -dt * v[6]}, turn[3] = {dt * v[4], dt * v[5], dt * v[6]};
    fil_m3_from_rotation_vector(body->varied.end_turn, back);
    right_jacobian(body->varied.end_rate, turn);
    for (int k = 0; k < 9; k++) {
        body->varied.end_rate[k] *= dt;
    }
    return NULL;
}

static const double zeros[FIL_RIGID_UNKNOWNS];

static void vary(void* pointer, const double* place, const double* rate, const double* end_rate, double* residual, double* end_place)
{
    const FilRigidBody* body = pointer;
    const double dt = body->setup.dt, slow = 1.0 + dt * body->damping_linear;
    place = place != NULL ? place : zeros;
    rate = rate != NULL ? rate : zeros;
    if (residual != NULL) {
        double change[2][3], part[3];
        fil_m3_apply(change[1], body->varied.free_turn, place + 4);
        fil_m3_apply(part, body->varied.free_rate, rate + 4);
        for (int k = 0; k < 3; k++) {
            change[0][k] = end_rate[k] - rate[k] / slow;
            change[1][k] = end_rate[4 + k] - change[1][k] - part[k];
        }
        for (int b = 0; b < 2; b++) {
            fil_m3_apply(residual + 4 * b, body->tangent[b], change[b]);
            residual[4 * b + 3] = 0.0;
        }
    }
    if (end_place != NULL) {
        double turn[3], more[3];
        fil_m3_apply(turn, body->varied.end_turn, place + 4);
        fil_m3_apply(more, body->varied.end_rate, end_rate + 4);
        for (int k = 0; k < 3; k++) {
            end_place[k] = place[k] + dt * end_rate[k];
            end_place[4 + k] = turn[k] + more[k];
        }
        end_place[3] = end_place[7] = 0.0;
    }
}

static void vary_back(void* pointer, const double* residual, const double* end_place, double* place, double* rate, double* end_rate)
{
    const FilRigidBody* body = pointer;
    const double dt = body->setup.dt, slow = 1.0 + dt * body->damping_linear;
    double part[3], weight[2][3];
    for (int b = 0; b < 2 && residual != NULL; b++) {  // tangents are symmetric
        fil_m3_apply(weight[b], body->tangent[b], residual + 4 * b);
        fil_v3_axpy(end_rate + 4 * b, 1.0, weight[b]);
    }
    if (residual != NULL && place != NULL) {
        fil_v3_axpy(rate, -1.0 / slow, weight[0]);
        fil_m3_apply_transposed(part, body->varied.free_rate, weight[1]);
        fil_v3_axpy(rate + 4, -1.0, part);
        fil_m3_apply_transposed(part, body->varied.free_turn, weight[1]);
        fil_v3_axpy(place + 4, -1.0, part);
    }
    if (end_place != NULL) {
        fil_v3_axpy(place, 1.0, end_place);
        fil_v3_axpy(end_rate, dt, end_place);
        fil_m3_apply_transposed(part, body->varied.end_turn, end_place + 4);
        fil_v3_axpy(place + 4, 1.0, part);
        fil_m3_apply_transposed(part, body->varied.end_rate, end_place + 4);
        fil_v3_axpy(end_rate + 4, 1.0, part);
    }
}

/* v + w x (point - q), w = R z: when the body turns by phi and moves by d, phi x w takes w's place, and the arm is shorter by d. */
static void sweep(const void* pointer, int index, int part, const double* point, int count, const double (*forces)[3], const double* const* z,
                  double* place, double* by_point)
{
    (void)by_point;
    const FilRigidBody* body = pointer;
    double rotation[9], w[3], arm[3], moment[3], change[3], turned[3], sum[3] = {0.0};
    (void)index, (void)part;
    fil_m3_from_quat(rotation, fil_rigid_orientation(body->q0));
    fil_v3_sub(arm, point, body->q0);
    for (int i = 0; i < count; i++) {
        fil_m3_apply(w, rotation, z[i] + 4);
        fil_v3_cross(moment, arm, forces[i]);
        fil_v3_cross(change, w, forces[i]);
        fil_v3_axpy(place, 1.0, change);
        fil_v3_cross(change, w, moment);
        fil_v3_add(sum, sum, change);
    }
    fil_m3_apply_transposed(turned, rotation, sum);
    fil_v3_axpy(place + 4, 1.0, turned);
}

const FilDerivativeOps fil_rigid_derivative_ops = {.prepare = prepare, .vary = vary, .vary_back = vary_back, .sweep = sweep};
