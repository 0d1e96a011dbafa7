/* How a step of a soft arm with a fixed base varies with its start. With a = (v - v0) / dt the step solves
 *     m = dt (tau(q, v, a) + K q1 + B v1 - drive) = 0,
 * where tau is inverse dynamics at the start (semi-implicit), or at the end (implicit). Its derivatives P by q and Q by v are found section by
 * section, in the axes of the section's base: what comes before a section acts on it by the spin W, acceleration A (less gravity) and angular
 * acceleration a' of its base alone, what comes after by the force and torque at its tip. A slice at p(y), y = (bending, length), turned by omega =
 * rho y', has A_s = A + a' x p + W x (W x p) + 2 W x p' + p'',   W_s = W + omega,   a_s = a' + omega' + W x omega. So each section has a matrix from
 * 15 variations (base motion, y, y') to its share of force, torque and tau, and to the motion of its tip; the columns of P and Q follow from these.
 */
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "body/derivative.h"
#include "body/soft_arm.h"
#include "body/soft_arm_jet.h"

/* Variations of a section: spin, acceleration and angular acceleration of its base, its shape, and the shape's rates. */
enum { BASE = 9, SHAPE = BASE, RATE = BASE + 3, VARIATIONS = BASE + 6 };

typedef struct Section {
    double local[9][VARIATIONS]; /* force and torque at its base, tau by its shape: of its slices */
    double tip[9][VARIATIONS];   /* motion of its tip, in the tip's axes */
    FilArcJet end;
    double force[3], torque[3]; /* of what the tip carries, in the axes of the base */
    double motion[9];           /* W, A, a' of the base */
} Section;

typedef struct FilArmDerivative {
    double *by_place, *by_rate; /* P and Q, by rows */
    FilArcJet* jets;            /* of each section's slices, and of its tip */
    double *place, *change;     /* in contact: where M is taken, and v - v^ */
    bool bends;                 /* what follows has been made, for products forward: */
    double* bent;               /* M (v - v^) by the place, by rows ... */
    double* blocks;             /* ... and columns of M's diagonal blocks: 3 rows for each unknown */
    Section sections[];
} FilArmDerivative;

/* ---- one place of a section ---- */

/* A slice's motion and what it takes. */
typedef struct Slice {
    double mass, across, along;
    double spin[3], acceleration[3], turning[3]; /* W_s, A_s, a_s */
    double force[3], torque[3], momentum[3];     /* f, n, I W_s */
} Slice;

static void add_cross(double* out, double s, const double* a, const double* b)
{
    double product[3];
    fil_v3_cross(product, a, b);
    fil_v3_axpy(out, s, product);
}

/* out += a x (b x c) */
static void add_cross_twice(double* out, const double* a, const double* b, const double* c)
{
    double inner[3];
    fil_v3_cross(inner, b, c);
    add_cross(out, 1.0, a, inner);
}

static void axis_of(const FilArcJet* arc, double* t)
{
    fil_v3_set(t, arc->rotation[2], arc->rotation[5], arc->rotation[8]);
}

static void apply_inertia(double* out, const Slice* slice, const FilArcJet* arc, const double* x)
{
    double t[3];
    axis_of(arc, t);
    fil_v3_scale(out, slice->across, x);
    fil_v3_axpy(out, (slice->along - slice->across) * fil_v3_dot(t, x), t);
}

static void move_slice(Slice* slice, const FilArcJet* arc, const double* motion)
{
    const double *w = motion, *a = motion + 3, *turning = motion + 6;
    fil_v3_add(slice->spin, w, arc->spin);
    fil_v3_add(slice->acceleration, a, arc->acceleration);
    add_cross(slice->acceleration, 1.0, turning, arc->p);
    add_cross_twice(slice->acceleration, w, w, arc->p);
    add_cross(slice->acceleration, 2.0, w, arc->velocity);
    fil_v3_add(slice->turning, turning, arc->turning);
    add_cross(slice->turning, 1.0, w, arc->spin);
    fil_v3_scale(slice->force, slice->mass, slice->acceleration);
    apply_inertia(slice->torque, slice, arc, slice->turning);
    apply_inertia(slice->momentum, slice, arc, slice->spin);
    add_cross(slice->torque, 1.0, slice->spin, slice->momentum);
}

/* Variation k of the slice's motion: dW_s, dA_s, da_s; `turn` is how it turns and `move` how it moves. */
static void vary_motion(const FilArcJet* arc, const double* motion, int k, double* spin, double* acceleration, double* turning, double* move,
                        double* turn)
{
    static const double zero[3];
    const double *w = motion, *about = motion + 6, *velocity = zero, *own_spin = zero;
    memset(move, 0, 3 * sizeof(double));
    memset(turn, 0, 3 * sizeof(double));
    memset(spin, 0, 3 * sizeof(double));
    memset(acceleration, 0, 3 * sizeof(double));
    memset(turning, 0, 3 * sizeof(double));
    if (k < BASE) {
        double unit[3] = {0.0};
        unit[k % 3] = 1.0;
        if (k < 3) {
            fil_v3_copy(spin, unit);
            add_cross_twice(acceleration, unit, w, arc->p);
            add_cross_twice(acceleration, w, unit, arc->p);
            add_cross(acceleration, 2.0, unit, arc->velocity);
            add_cross(turning, 1.0, unit, arc->spin);
        } else if (k < 6) {
            fil_v3_copy(acceleration, unit);
        } else {
            fil_v3_cross(acceleration, unit, arc->p);
            fil_v3_copy(turning, unit);
        }
        return;
    }
    const int c = k - (k < RATE ? SHAPE : RATE);
    const double(*by)[3][3] = k < RATE ? arc->by_shape : arc->by_rate;
    velocity = by[FIL_ARC_VELOCITY][c];
    own_spin = by[FIL_ARC_SPIN][c];
    fil_v3_copy(spin, own_spin);
    fil_v3_copy(acceleration, by[FIL_ARC_ACCELERATION][c]);
    fil_v3_copy(turning, by[FIL_ARC_TURNING][c]);
    if (k < RATE) {
        fil_v3_copy(move, arc->move[c]);
        fil_v3_copy(turn, arc->turn[c]);
        add_cross(acceleration, 1.0, about, move);
        add_cross_twice(acceleration, w, w, move);
    }
    add_cross(acceleration, 2.0, w, velocity);
    add_cross(turning, 1.0, w, own_spin);
}

/* d(I x) = I dx + (I_p - I_t) (dt (t . x) + t (dt . x)) */
static void vary_inertia(double* out, const Slice* slice, const FilArcJet* arc, const double* turn, const double* x, const double* dx)
{
    double t[3], dt[3];
    axis_of(arc, t);
    fil_v3_cross(dt, turn, t);
    apply_inertia(out, slice, arc, dx);
    fil_v3_axpy(out, (slice->along - slice->across) * fil_v3_dot(t, x), dt);
    fil_v3_axpy(out, (slice->along - slice->across) * fil_v3_dot(dt, x), t);
}

/* Adds the slice's share of variation k. */
static void vary_slice(Section* section, const Slice* slice, const FilArcJet* arc, int k)
{
    double spin[3], acceleration[3], turning[3], move[3], turn[3], force[3], torque[3] = {0.0}, momentum[3], moment[3];
    vary_motion(arc, section->motion, k, spin, acceleration, turning, move, turn);
    fil_v3_scale(force, slice->mass, acceleration);
    if (slice->across > 0.0) {
        vary_inertia(torque, slice, arc, turn, slice->turning, turning);
        vary_inertia(momentum, slice, arc, turn, slice->spin, spin);
        add_cross(torque, 1.0, spin, slice->momentum);
        add_cross(torque, 1.0, slice->spin, momentum);
    }
    fil_v3_copy(moment, torque);
    add_cross(moment, 1.0, arc->p, force);
    add_cross(moment, 1.0, move, slice->force);
    for (int i = 0; i < 3; i++) {
        section->local[i][k] += force[i];
        section->local[3 + i][k] += moment[i];
        section->local[6 + i][k] += fil_v3_dot(arc->move[i], force) + fil_v3_dot(arc->turn[i], torque);
        if (k >= SHAPE && k < RATE) {
            section->local[6 + i][k] += fil_v3_dot(arc->move2[i][k - SHAPE], slice->force) + fil_v3_dot(arc->turn_by[i][k - SHAPE], slice->torque);
        }
    }
}

/* The motion of the tip in its own axes, and its variations: d(R' x) = R' (dx - turn x x). */
static void move_tip(Section* section, double* motion)
{
    const FilArcJet* arc = &section->end;
    Slice slice = {.mass = 0.0};
    move_slice(&slice, arc, section->motion);
    const double* values[3] = {slice.spin, slice.acceleration, slice.turning};
    for (int m = 0; m < 3; m++) {
        fil_m3_apply_transposed(motion + 3 * m, arc->rotation, values[m]);
    }
    for (int k = 0; k < VARIATIONS; k++) {
        double change[3][3], move[3], turn[3], turned[3];
        vary_motion(arc, section->motion, k, change[0], change[1], change[2], move, turn);
        for (int m = 0; m < 3; m++) {
            add_cross(change[m], -1.0, turn, values[m]);
            fil_m3_apply_transposed(turned, arc->rotation, change[m]);
            for (int i = 0; i < 3; i++) {
                section->tip[3 * m + i][k] = turned[i];
            }
        }
    }
}

/* Slices of a section and its tip; `wrench` receives force and torque of its slices about its base. `motion` goes from the base's to the tip's. */
static void make_section(const FilSoftArm* arm, int k, const double* y, const double* rate, const double* acceleration, Section* section,
                         double* motion, double* wrench)
{
    const double mass = arm->sections[k].mass / arm->mass_points, radius = arm->sections[k].disk_radius;
    const double across = arm->rotational_energy ? 0.25 * mass * radius * radius : 0.0;
    Slice slice = {.mass = mass, .across = across, .along = 2.0 * across};
    FilArcJet* jets = arm->derivative->jets + (size_t)k * (size_t)(arm->mass_points + 1);
    memset(section->local, 0, sizeof section->local);
    memcpy(section->motion, motion, sizeof section->motion);
    memset(wrench, 0, 6 * sizeof(double));
    for (int i = 0; i < arm->mass_points; i++) {
        const FilArcJet* arc = &jets[i];
        fil_arc_jet(&jets[i], (i + 0.5) / arm->mass_points, y, rate, acceleration);
        move_slice(&slice, arc, motion);
        fil_v3_axpy(wrench, 1.0, slice.force);
        fil_v3_axpy(wrench + 3, 1.0, slice.torque);
        add_cross(wrench + 3, 1.0, arc->p, slice.force);
        for (int v = 0; v < VARIATIONS; v++) {
            vary_slice(section, &slice, arc, v);
        }
    }
    fil_arc_jet(&section->end, 1.0, y, rate, acceleration);
    jets[arm->mass_points] = section->end;
    move_tip(section, motion);
}

/* ---- columns ---- */

/* tau by shapes of sections from `first` on, for variation `column` (of shape or rate) of section `from`. */
static void make_column(const FilArmDerivative* d, int first, int count, int from, int column, double* tau)
{
    double motion[FIL_ARM_SECTIONS + 1][9] = {{0.0}}, force[3] = {0.0}, torque[3] = {0.0};
    for (int k = from; k < count; k++) {
        for (int i = 0; i < 9; i++) {
            double sum = k == from ? d->sections[k].tip[i][column] : 0.0;
            for (int j = 0; j < 9 && k > from; j++) {
                sum += d->sections[k].tip[i][j] * motion[k][j];
            }
            motion[k + 1][i] = sum;
        }
    }
    for (int k = count - 1; k >= first; k--) {
        const Section* section = &d->sections[k];
        const FilArcJet* end = &section->end;
        const bool bends = k == from && column < RATE;
        const int c = column - SHAPE;
        double local[9] = {0.0}, f[3], n[3];
        for (int i = 0; i < 9 && k >= from; i++) {
            local[i] = k == from ? section->local[i][column] : 0.0;
            for (int j = 0; j < 9 && k > from; j++) {
                local[i] += section->local[i][j] * motion[k][j];
            }
        }
        fil_m3_apply(f, end->rotation, force);
        fil_m3_apply(n, end->rotation, torque);
        if (bends) {
            add_cross(f, 1.0, end->turn[c], section->force);
            add_cross(n, 1.0, end->turn[c], section->torque);
        }
        for (int j = 0; j < 3; j++) {
            tau[3 * k + j] = local[6 + j] + fil_v3_dot(end->move[j], f) + fil_v3_dot(end->turn[j], n);
            if (bends) {
                tau[3 * k + j] += fil_v3_dot(end->move2[j][c], section->force) + fil_v3_dot(end->turn_by[j][c], section->torque);
            }
        }
        fil_v3_add(force, local, f);
        fil_v3_add(torque, local + 3, n);
        add_cross(torque, 1.0, end->p, f);
        if (bends) {
            add_cross(torque, 1.0, end->move[c], section->force);
        }
    }
}

/* Rows of sections `first` to `last` of P or Q from its columns by shapes: rows and columns go to elongations, d tau_q / dq = shape' (d tau_y / dy)
 * shape. */
static void fill(const FilSoftArm* arm, int kind, int first, int last, double* out)
{
    const FilArmDerivative* d = arm->derivative;
    const int n = fil_soft_arm_unknowns(arm);
    double by_shape[3][3 * FIL_ARM_SECTIONS];
    memset(out, 0, sizeof(double) * 4 * (size_t)(last - first + 1) * (size_t)n);
    for (int k = first; k < arm->section_count; k++) {
        for (int c = 0; c < 3; c++) {
            make_column(d, first, arm->section_count, k, kind + c, by_shape[c]);
        }
        for (int row = 3 * first; row < 3 * last + 3; row++) {
            const int j = row / 3, i = row % 3;
            for (int column = 0; column < 3; column++) {
                double sum = 0.0;
                for (int a = 0; a < 3; a++) {
                    for (int b = 0; b < 3; b++) {
                        sum += arm->arcs[j].shape[3 * a + i] * by_shape[b][3 * j + a] * arm->arcs[k].shape[3 * b + column];
                    }
                }
                out[(4 * (j - first) + i) * n + 4 * k + column] = sum;
            }
        }
    }
}

/* Inverse dynamics of sections from `first` on, whose base is at rest: what all sections do at q with rates v (NULL: none) and accelerations;
 * `gravity` in the axes of that base. */
static void follow(const FilSoftArm* arm, int first, const double* q, const double* v, const double* change, const double* gravity)
{
    FilArmDerivative* d = arm->derivative;
    double motion[9] = {0.0}, wrench[FIL_ARM_SECTIONS][6], force[3] = {0.0}, torque[3] = {0.0};
    fil_v3_scale(motion + 3, -1.0, gravity);
    for (int k = first; k < arm->section_count; k++) {
        double y[3], rate[3] = {0.0}, acceleration[3];
        fil_arc_shape(&arm->arcs[k], q + 4 * k, y, &y[2]);
        if (v != NULL) {
            fil_m3_apply(rate, arm->arcs[k].shape, v + 4 * k);
        }
        fil_m3_apply(acceleration, arm->arcs[k].shape, change + 4 * k);
        make_section(arm, k, y, rate, acceleration, &d->sections[k], motion, wrench[k]);
    }
    for (int k = arm->section_count - 1; k >= first; k--) {
        Section* section = &d->sections[k];
        fil_m3_apply(section->force, section->end.rotation, force);
        fil_m3_apply(section->torque, section->end.rotation, torque);
        fil_v3_add(force, wrench[k], section->force);
        fil_v3_add(torque, wrench[k] + 3, section->torque);
        add_cross(torque, 1.0, section->end.p, section->force);
    }
}

/* ---- the table ---- */

static bool follows(const FilSoftArm* arm)
{
    return arm->scheme == FIL_ARM_IMPLICIT;
}

/* Where the mass matrix is taken. */
static const double* place_of_mass(const FilSoftArm* arm)
{
    return follows(arm) ? arm->q_theta : arm->q0;
}

static bool allocate(FilSoftArm* arm)
{
    const size_t n = (size_t)fil_soft_arm_unknowns(arm), sections = sizeof(Section) * (size_t)arm->section_count;
    const size_t jets = sizeof(FilArcJet) * (size_t)arm->section_count * (size_t)(arm->mass_points + 1);
    char* block = fil_alloc(1, sizeof(FilArmDerivative) + sections + jets + (7 * n + 2) * n * sizeof(double));
    if (block == NULL) {
        return false;
    }
    arm->derivative = (FilArmDerivative*)(void*)block;
    arm->derivative->jets = (FilArcJet*)(void*)(block + sizeof(FilArmDerivative) + sections);
    arm->derivative->by_place = (double*)(void*)(block + sizeof(FilArmDerivative) + sections + jets);
    arm->derivative->by_rate = arm->derivative->by_place + n * n;
    arm->derivative->bent = arm->derivative->by_rate + n * n;
    arm->derivative->blocks = arm->derivative->bent + n * n;
    arm->derivative->place = arm->derivative->blocks + 4 * n * n;
    arm->derivative->change = arm->derivative->place + n;
    return true;
}

static const char* prepare(void* pointer, const double* v)
{
    FilSoftArm* arm = pointer;
    if (arm->free_base || arm->loaded) {
        return "has a base that moves, or loads on its disks, of which gradients are not known yet";
    }
    if (arm->scheme == FIL_ARM_RK23 || arm->coriolis == FIL_ARM_CORIOLIS_LUMPED) {
        return "is stepped by Runge and Kutta's method, or has lumped Coriolis terms, of which gradients are not known yet";
    }
    if (arm->derivative == NULL && !allocate(arm)) {
        return "needs more memory than there is";
    }
    const double *q = place_of_mass(arm), *now = follows(arm) ? v : arm->v0;
    double gravity[3], change[4 * FIL_ARM_SECTIONS];
    fil_m3_apply_transposed(gravity, arm->base.r, arm->setup.gravity);
    for (int k = 0; k < fil_soft_arm_unknowns(arm); k++) {
        change[k] = (v[k] - arm->v0[k]) / arm->setup.dt;
    }
    follow(arm, 0, q, arm->coriolis == FIL_ARM_CORIOLIS_FULL ? now : NULL, change, gravity);
    fill(arm, SHAPE, 0, arm->section_count - 1, arm->derivative->by_place);
    fill(arm, RATE, 0, arm->section_count - 1, arm->derivative->by_rate);
    return NULL;
}

/* dm by the start's place and velocity and by the end's velocity, row r and column c. */
static void entries(const FilSoftArm* arm, int r, int c, double* place, double* rate, double* end_rate)
{
    const int n = fil_soft_arm_unknowns(arm), k = r * n + c;
    const double dt = arm->setup.dt, p = arm->derivative->by_place[k], q = arm->derivative->by_rate[k], mass = arm->mass[k];
    const double stiffness = r == c ? fil_soft_arm_stiffness(arm, r / 4) : 0.0, damping = r == c ? fil_soft_arm_damping(arm, r / 4) : 0.0;
    *place = dt * (p + stiffness);
    *rate = -mass + (follows(arm) ? 0.0 : dt * q);
    *end_rate = mass + dt * (damping + dt * stiffness) + (follows(arm) ? dt * (q + dt * p) : 0.0);
}

static void vary(void* pointer, const double* place, const double* rate, const double* end_rate, double* residual, double* end_place)
{
    const FilSoftArm* arm = pointer;
    for (int r = 0; r < fil_soft_arm_unknowns(arm); r++) {
        double sum = 0.0, by[3];
        for (int c = 0; c < fil_soft_arm_unknowns(arm) && residual != NULL && r % 4 != 3; c++) {
            if (c % 4 != 3) {
                entries(arm, r, c, &by[0], &by[1], &by[2]);
                sum += (place != NULL ? by[0] * place[c] : 0.0) + (rate != NULL ? by[1] * rate[c] : 0.0) + by[2] * end_rate[c];
            }
        }
        if (residual != NULL) {
            residual[r] = sum;
        }
        if (end_place != NULL) {
            end_place[r] = r % 4 == 3 ? 0.0 : (place != NULL ? place[r] : 0.0) + arm->setup.dt * end_rate[r];
        }
    }
}

static void vary_back(void* pointer, const double* residual, const double* end_place, double* place, double* rate, double* end_rate)
{
    const FilSoftArm* arm = pointer;
    for (int c = 0; c < fil_soft_arm_unknowns(arm); c++) {
        double by[3];
        for (int r = 0; r < fil_soft_arm_unknowns(arm) && residual != NULL && c % 4 != 3; r++) {
            if (r % 4 != 3) {
                entries(arm, r, c, &by[0], &by[1], &by[2]);
                end_rate[c] += by[2] * residual[r];
                if (place != NULL) {
                    place[c] += by[0] * residual[r];
                    rate[c] += by[1] * residual[r];
                }
            }
        }
        if (end_place != NULL && c % 4 != 3) {
            place[c] += end_place[c];
            end_rate[c] += arm->setup.dt * end_place[c];
        }
    }
}

/* ---- in contact: A = M + dt (B + dt K), M at the start or, of implicit arms, in free motion ---- */

static const char* linearised(void* pointer, const double* v_free, const double* v)
{
    const FilSoftArm* arm = pointer;
    FilArmDerivative* d = arm->derivative;
    for (int k = 0; k < fil_soft_arm_unknowns(arm); k++) {
        d->change[k] = v[k] - v_free[k];
        d->place[k] = place_of_mass(arm)[k];
    }
    d->bends = false;
    return NULL;
}

/* The derivatives of M (v - v^) and of M's diagonal blocks, as matrices. */
static void take_bends(const FilSoftArm* arm)
{
    static const double none[3];
    FilArmDerivative* d = arm->derivative;
    const int n = fil_soft_arm_unknowns(arm);
    double change[4 * FIL_ARM_SECTIONS];
    // inverse dynamics of an arm at rest without gravity is M times its acceleration
    follow(arm, 0, d->place, NULL, d->change, none);
    fill(arm, SHAPE, 0, arm->section_count - 1, d->bent);
    for (int k = 0; k < n; k++) {
        if (k % 4 != 3) {
            memset(change, 0, sizeof change);
            change[k] = 1.0;
            follow(arm, k / 4, d->place, NULL, change, none);
            fill(arm, SHAPE, k / 4, k / 4, d->blocks + 4 * n * k);
        }
    }
    d->bends = true;
}

static void tangent(const void* pointer, const double* x, double* out)
{
    const FilSoftArm* arm = pointer;
    const int n = fil_soft_arm_unknowns(arm);
    for (int r = 0; r < n; r++) {
        out[r] = 0.0;
        for (int c = 0; c < n && r % 4 != 3; c++) {
            out[r] += c % 4 == 3 ? 0.0 : (r >= c ? arm->tangent[r * n + c] : arm->tangent[c * n + r]) * x[c];
        }
    }
}

static void tangent_diagonal(const void* pointer, double* out)
{
    const FilSoftArm* arm = pointer;
    const int n = fil_soft_arm_unknowns(arm);
    for (int k = 0; k < n; k++) {
        out[k] = k % 4 == 3 ? 0.0 : arm->tangent[k * n + k];
    }
}

static void at_free(void* pointer, const double* start, const double* free_rate, double* place)
{
    const FilSoftArm* arm = pointer;
    for (int k = 0; k < fil_soft_arm_unknowns(arm); k++) {
        place[k] = k % 4 == 3 ? 0.0 : start[k] + arm->setup.dt * free_rate[k];
    }
}

static void at_free_back(void* pointer, double* place, double* start, double* free_rate)
{
    const FilSoftArm* arm = pointer;
    for (int k = 0; k < fil_soft_arm_unknowns(arm); k++) {
        start[k] += k % 4 == 3 ? 0.0 : place[k];
        free_rate[k] += k % 4 == 3 ? 0.0 : arm->setup.dt * place[k];
    }
}

static void bend(const void* pointer, const double* place, const double* start, double* out, double* blocks)
{
    const FilSoftArm* arm = pointer;
    const int n = fil_soft_arm_unknowns(arm);
    const double* y = follows(arm) ? place : start;
    if (!arm->derivative->bends) {
        take_bends(arm);
    }
    for (int k = 0; k < n * n; k++) {
        out[k / n] += arm->derivative->bent[k] * y[k % n];
    }
    for (int c = 0; c < n; c++) {
        for (int k = 0; k < 3 * n && c % 4 != 3; k++) {
            blocks[4 * c + k / n] += arm->derivative->blocks[4 * n * c + k] * y[k % n];
        }
    }
}

static void bend_back(const void* pointer, const double* weight, double* blocks, double* place, double* start)
{
    const FilSoftArm* arm = pointer;
    fil_soft_arm_mass_back(arm, arm->derivative->jets, weight, arm->derivative->change, blocks, follows(arm) ? place : start);
}

const FilDerivativeOps fil_soft_arm_derivative_ops = {.prepare = prepare,
                                                      .vary = vary,
                                                      .vary_back = vary_back,
                                                      .sweep = fil_soft_arm_sweep,
                                                      .linearised = linearised,
                                                      .tangent = tangent,
                                                      .tangent_diagonal = tangent_diagonal,
                                                      .at_free = at_free,
                                                      .at_free_back = at_free_back,
                                                      .bend = bend,
                                                      .bend_back = bend_back};
