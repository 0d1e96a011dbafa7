/* How a step of a robot varies with its start. With a = (v - v0) / dt the step solves
 *     m = dt (tau(q0, v0, a) + D v - effort) = 0,
 * where tau is inverse dynamics (recursive Newton-Euler). Along a variation every body moves by the spatial displacement eta, and everything that is
 * fixed to it moves with it (Featherstone 2008; Carpentier and Mansard 2018):
 *     dS = eta x S,   dI X = eta x* (I X) - I (eta x X).
 * The recursion is differentiated line by line, forward and in reverse: a product costs as much as a few evaluations. */
#include <string.h>

#include "base/memory.h"
#include "body/articulated.h"
#include "body/derivative.h"
#include "body/spatial.h"

/* A body's numbers at the start, about the common point, and its variation or, in reverse, the weights of it. */
typedef struct TreeState {
    double motion[6];                    /* of its one unknown: S */
    double velocity[6], acceleration[6]; /* V; A, less gravity */
    double wrench[6];                    /* of it and all that it carries: F */
    FilSpatialInertia inertia;
    double eta[6], d_velocity[6], d_acceleration[6], d_wrench[6], d_motion[6];
} TreeState;

typedef struct FilTreeDerivative {
    double origin[3];
    TreeState* bodies;
    double (*arms)[3]; /* per link: from the common point to where its load acts */
    double* rate;      /* per unknown: a */
    double* start_v;   /* v0 */
} FilTreeDerivative;

static const double none[6];

/* ---- preparation ---- */

static bool allocate(FilArticulated* robot)
{
    const size_t bodies = sizeof(TreeState) * (size_t)robot->body_count, arms = 3 * sizeof(double) * (size_t)robot->link_count;
    const size_t numbers = sizeof(double) * (size_t)robot->dof_count;
    char* block = fil_alloc(1, sizeof(FilTreeDerivative) + bodies + arms + 2 * numbers);
    if (block == NULL) {
        return false;
    }
    FilTreeDerivative* d = (FilTreeDerivative*)(void*)block;
    d->bodies = (TreeState*)(void*)(block + sizeof *d);
    d->arms = (double(*)[3])(void*)(block + sizeof *d + bodies);
    d->rate = (double*)(void*)(block + sizeof *d + bodies + arms);
    d->start_v = d->rate + robot->dof_count;
    robot->derivative = d;
    return true;
}

static const char* prepare(void* pointer, const double* v)
{
    FilArticulated* robot = pointer;
    for (int b = 0; b < robot->body_count; b++) {
        if (robot->bodies[b].dofs != 1) {
            return "has a floating base or a ball joint, of which gradients are not known yet";
        }
    }
    for (int c = 0; c < robot->constraint_count; c++) {
        if (robot->constraints[c].part == FIL_PART_FRICTION || robot->constraints[c].part == FIL_PART_MIMIC) {
            return "has joints with dry friction or that mimic others, of which gradients are not known yet";
        }
    }
    if (robot->derivative == NULL && !allocate(robot)) {
        return "needs more memory than there is";
    }
    FilTreeDerivative* d = robot->derivative;
    for (int k = 0; k < robot->dof_count; k++) {
        d->rate[k] = (v[k] - robot->v0[k]) / robot->setup.dt;
        d->start_v[k] = robot->v0[k];
    }
    fil_articulated_inverse(robot, robot->q0, robot->v0, d->rate, robot->setup.gravity, robot->scratch);
    fil_v3_copy(d->origin, robot->origin);
    for (int b = 0; b < robot->body_count; b++) {
        TreeState* s = &d->bodies[b];
        memcpy(s->motion, robot->motion + 6 * robot->bodies[b].v, sizeof s->motion);
        memcpy(s->velocity, robot->velocity + 6 * b, sizeof s->velocity);
        memcpy(s->acceleration, robot->acceleration + 6 * b, sizeof s->acceleration);
        memcpy(s->wrench, robot->wrenches + 6 * b, sizeof s->wrench);
        s->inertia = robot->inertia[b];
    }
    for (int l = 0; l < robot->link_count; l++) {
        const FilTreeLink* link = &robot->links[l];
        if (link->body >= 0) {
            fil_pose_apply(d->arms[l], &robot->poses[link->body], link->pose.p);
            fil_v3_sub(d->arms[l], d->arms[l], d->origin);
        }
    }
    return NULL;
}

/* ---- forward ---- */

static void add_scaled(double* out, double s, const double* a)
{
    for (int k = 0; k < 6; k++) {
        out[k] += s * a[k];
    }
}

static void scale(double* out, double s, const double* a)
{
    for (int k = 0; k < 6; k++) {
        out[k] = s * a[k];
    }
}

/* out += I X */
static void add_applied(double* out, const FilSpatialInertia* inertia, const double* x)
{
    double product[6];
    fil_spatial_apply(product, inertia, x);
    add_scaled(out, 1.0, product);
}

/* out = dI X */
static void moved_inertia(double* out, const TreeState* s, const double* x)
{
    double product[6], turned[6] = {0.0};
    fil_spatial_apply(product, &s->inertia, x);
    memset(out, 0, 6 * sizeof(double));
    fil_spatial_add_cross_force(out, s->eta, product);
    fil_spatial_add_cross(turned, s->eta, x);
    fil_spatial_apply(product, &s->inertia, turned);
    add_scaled(out, -1.0, product);
}

/* dF of the body alone. */
static void vary_wrench(TreeState* s)
{
    double momentum[6], change[6];
    moved_inertia(s->d_wrench, s, s->acceleration);
    add_applied(s->d_wrench, &s->inertia, s->d_acceleration);
    fil_spatial_apply(momentum, &s->inertia, s->velocity);
    fil_spatial_add_cross_force(s->d_wrench, s->d_velocity, momentum);
    moved_inertia(change, s, s->velocity);
    add_applied(change, &s->inertia, s->d_velocity);
    fil_spatial_add_cross_force(s->d_wrench, s->velocity, change);
}

/* Loads keep their force while the place where they act moves: moment arm x f. */
static void vary_loads(const FilArticulated* robot)
{
    const FilTreeDerivative* d = robot->derivative;
    for (int l = 0; l < robot->link_count && robot->loaded; l++) {
        if (robot->links[l].body >= 0) {
            TreeState* s = &d->bodies[robot->links[l].body];
            double way[3], moment[3];
            fil_v3_cross(way, s->eta, d->arms[l]);
            fil_v3_add(way, way, s->eta + 3);
            fil_v3_cross(moment, way, robot->wrench + 6 * l);
            fil_v3_axpy(s->d_wrench, -1.0, moment);
        }
    }
}

/* d tau = (d tau / dq) dq + (d tau / dv) dv, at the same acceleration. */
static void vary_inverse(const FilArticulated* robot, const double* dq, const double* dv, double* out)
{
    const FilTreeDerivative* d = robot->derivative;
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        TreeState *s = &d->bodies[b], *p = body->parent >= 0 ? &d->bodies[body->parent] : NULL;
        const int k = body->v;
        const double* parent_velocity = p != NULL ? p->velocity : none;
        double own[6], change[6];
        memcpy(s->eta, p != NULL ? p->eta : none, sizeof s->eta);
        add_scaled(s->eta, dq != NULL ? dq[k] : 0.0, s->motion);
        memset(s->d_motion, 0, sizeof s->d_motion);
        fil_spatial_add_cross(s->d_motion, s->eta, s->motion);
        // V = V_p + S v,  A = A_p + S a + V_p x S v
        scale(change, d->start_v[k], s->d_motion);
        add_scaled(change, dv != NULL ? dv[k] : 0.0, s->motion);
        scale(own, d->start_v[k], s->motion);
        memcpy(s->d_velocity, p != NULL ? p->d_velocity : none, sizeof s->d_velocity);
        memcpy(s->d_acceleration, p != NULL ? p->d_acceleration : none, sizeof s->d_acceleration);
        fil_spatial_add_cross(s->d_acceleration, s->d_velocity, own);
        fil_spatial_add_cross(s->d_acceleration, parent_velocity, change);
        add_scaled(s->d_acceleration, d->rate[k], s->d_motion);
        add_scaled(s->d_velocity, 1.0, change);
        vary_wrench(s);
    }
    vary_loads(robot);
    for (int b = robot->body_count - 1; b >= 0; b--) {
        const FilTreeBody* body = &robot->bodies[b];
        const TreeState* s = &d->bodies[b];
        out[body->v] = fil_spatial_dot(s->d_motion, s->wrench) + fil_spatial_dot(s->motion, s->d_wrench);
        if (body->parent >= 0) {
            add_scaled(d->bodies[body->parent].d_wrench, 1.0, s->d_wrench);
        }
    }
}

/* ---- in reverse: names are of what is weighted ---- */

/* What a weight u of dF gives to eta, dV and dA: (X x* f) . Y = -f . (X x Y). */
static void weigh_wrench(TreeState* s)
{
    const double* u = s->d_wrench;
    double u_weight[6], momentum[6], force[6], turned[6] = {0.0}, turned_momentum[6];
    fil_spatial_apply(u_weight, &s->inertia, u);
    fil_spatial_apply(momentum, &s->inertia, s->velocity);
    fil_spatial_apply(force, &s->inertia, s->acceleration);
    fil_spatial_add_cross(turned, s->velocity, u);  // V x u
    fil_spatial_apply(turned_momentum, &s->inertia, turned);
    memcpy(s->d_acceleration, u_weight, sizeof u_weight);
    double sum[6] = {0.0};
    fil_spatial_add_cross_force(sum, u, momentum);
    add_scaled(sum, 1.0, turned_momentum);
    scale(s->d_velocity, -1.0, sum);
    memset(sum, 0, sizeof sum);
    fil_spatial_add_cross_force(sum, u, force);
    fil_spatial_add_cross_force(sum, s->acceleration, u_weight);
    scale(s->eta, -1.0, sum);
    fil_spatial_add_cross_force(s->eta, turned, momentum);
    fil_spatial_add_cross_force(s->eta, s->velocity, turned_momentum);
}

static void weigh_loads(const FilArticulated* robot)
{
    const FilTreeDerivative* d = robot->derivative;
    for (int l = 0; l < robot->link_count && robot->loaded; l++) {
        if (robot->links[l].body >= 0) {
            TreeState* s = &d->bodies[robot->links[l].body];
            double pull[3], turn[3];
            fil_v3_cross(pull, robot->wrench + 6 * l, s->d_wrench);
            fil_v3_cross(turn, d->arms[l], pull);
            fil_v3_axpy(s->eta, -1.0, turn);
            fil_v3_axpy(s->eta + 3, -1.0, pull);
        }
    }
}

/* Adds (d tau / dq)' w and (d tau / dv)' w, times `share`. */
static void weigh_inverse(const FilArticulated* robot, double share, const double* w, double* dq, double* dv)
{
    const FilTreeDerivative* d = robot->derivative;
    for (int b = 0; b < robot->body_count; b++) {
        const FilTreeBody* body = &robot->bodies[b];
        TreeState* s = &d->bodies[b];
        memcpy(s->d_wrench, body->parent >= 0 ? d->bodies[body->parent].d_wrench : none, sizeof s->d_wrench);
        add_scaled(s->d_wrench, w[body->v], s->motion);
        scale(s->d_motion, w[body->v], s->wrench);
        weigh_wrench(s);
    }
    weigh_loads(robot);
    for (int b = robot->body_count - 1; b >= 0; b--) {
        const FilTreeBody* body = &robot->bodies[b];
        TreeState *s = &d->bodies[b], *p = body->parent >= 0 ? &d->bodies[body->parent] : NULL;
        const int k = body->v;
        double own[6], change[6] = {0.0};
        scale(own, d->start_v[k], s->motion);
        // of dS v + S dv: through V, and through V_p x S v of A
        fil_spatial_add_cross_force(change, p != NULL ? p->velocity : none, s->d_acceleration);
        scale(change, -1.0, change);
        add_scaled(change, 1.0, s->d_velocity);
        add_scaled(s->d_motion, d->start_v[k], change);
        add_scaled(s->d_motion, d->rate[k], s->d_acceleration);
        dv[k] += share * fil_spatial_dot(s->motion, change);
        // dS = eta x S
        fil_spatial_add_cross_force(s->eta, s->motion, s->d_motion);
        dq[k] += share * fil_spatial_dot(s->motion, s->eta);
        if (p != NULL) {
            add_scaled(p->eta, 1.0, s->eta);
            add_scaled(p->d_velocity, 1.0, s->d_velocity);
            fil_spatial_add_cross_force(p->d_velocity, own, s->d_acceleration);
            add_scaled(p->d_acceleration, 1.0, s->d_acceleration);
        }
    }
}

/* ---- the step ---- */

static void vary(void* pointer, const double* place, const double* rate, const double* end_rate, double* residual, double* end_place)
{
    FilArticulated* robot = pointer;
    const int n = robot->dof_count;
    const double dt = robot->setup.dt;
    if (residual != NULL) {
        memset(residual, 0, sizeof(double) * (size_t)robot->v_count);
        fil_articulated_multiply(robot, robot->tangent, end_rate, residual);
        if (rate != NULL) {
            fil_articulated_multiply(robot, robot->mass, rate, robot->scratch);
            for (int k = 0; k < n; k++) {
                residual[k] -= robot->scratch[k];
            }
        }
        if (place != NULL || rate != NULL) {
            vary_inverse(robot, place, rate, robot->scratch);
            for (int k = 0; k < n; k++) {
                residual[k] += dt * robot->scratch[k];
            }
        }
    }
    for (int k = 0; k < robot->v_count && end_place != NULL; k++) {
        end_place[k] = k < n ? (place != NULL ? place[k] : 0.0) + dt * end_rate[k] : 0.0;
    }
}

static void vary_back(void* pointer, const double* residual, const double* end_place, double* place, double* rate, double* end_rate)
{
    FilArticulated* robot = pointer;
    const int n = robot->dof_count;
    const double dt = robot->setup.dt;
    if (residual != NULL) {  // tangent and mass are symmetric
        fil_articulated_multiply(robot, robot->tangent, residual, robot->scratch);
        for (int k = 0; k < n; k++) {
            end_rate[k] += robot->scratch[k];
        }
    }
    if (residual != NULL && place != NULL) {
        fil_articulated_multiply(robot, robot->mass, residual, robot->scratch);
        for (int k = 0; k < n; k++) {
            rate[k] -= robot->scratch[k];
        }
        weigh_inverse(robot, dt, residual, place, rate);
    }
    for (int k = 0; k < n && end_place != NULL; k++) {
        place[k] += end_place[k];
        end_rate[k] += dt * end_place[k];
    }
}

/* ---- contacts ---- */

/* F . sum_j S_j z_j of those that carry the link, dS_j = eta_j x S_j: by unknown i it is F . (S_i x what moves beyond i). */
static void sweep(const void* pointer, int index, int part, const double* point, int count, const double (*forces)[3], const double* const* z,
                  double* place, double* by_point)
{
    (void)by_point;
    const FilArticulated* robot = pointer;
    const FilTreeDerivative* d = robot->derivative;
    double arm[3];
    (void)part;
    fil_v3_sub(arm, point, d->origin);
    for (int i = 0; i < count; i++) {
        double wrench[6], beyond[6] = {0.0};
        fil_v3_cross(wrench, arm, forces[i]);
        fil_v3_copy(wrench + 3, forces[i]);
        for (int b = robot->links[fil_articulated_collider_link(robot, index)].body; b >= 0; b = robot->bodies[b].parent) {
            const int k = robot->bodies[b].v;
            double change[6] = {0.0};
            fil_spatial_add_cross(change, d->bodies[b].motion, beyond);
            place[k] += fil_spatial_dot(wrench, change);
            add_scaled(beyond, z[i][k], d->bodies[b].motion);
        }
    }
}

/* z' M z = sum V' I V: by unknown i it is -2 H_i . (S_i x V_parent), H_i the momentum of all that i carries. */
static void vary_tangent(const void* pointer, double share, const double* z, double* place)
{
    const FilArticulated* robot = pointer;
    const FilTreeDerivative* d = robot->derivative;
    for (int b = 0; b < robot->body_count; b++) {
        TreeState* s = &d->bodies[b];
        const int parent = robot->bodies[b].parent;
        memcpy(s->d_velocity, parent >= 0 ? d->bodies[parent].d_velocity : none, sizeof s->d_velocity);
        add_scaled(s->d_velocity, z[robot->bodies[b].v], s->motion);
        fil_spatial_apply(s->d_wrench, &s->inertia, s->d_velocity);
    }
    for (int b = robot->body_count - 1; b >= 0; b--) {
        TreeState* s = &d->bodies[b];
        const int parent = robot->bodies[b].parent;
        if (parent >= 0) {
            double change[6] = {0.0};
            fil_spatial_add_cross(change, s->motion, d->bodies[parent].d_velocity);
            place[robot->bodies[b].v] -= 2.0 * share * fil_spatial_dot(s->d_wrench, change);
            add_scaled(d->bodies[parent].d_wrench, 1.0, s->d_wrench);
        }
    }
}

const FilDerivativeOps fil_articulated_derivative_ops = {
    .prepare = prepare, .vary = vary, .vary_back = vary_back, .sweep = sweep, .vary_tangent = vary_tangent};
