/* A contact's derivative in reverse: with weights x of J' gamma, what is wanted is the derivative of x' J' gamma = gamma . u(x) by the places of both
 * sides, gamma following them. All of it is a sum of numbers f . u(z) at fixed f and z (world/gradient_side.h),
 *     gamma . u(x),  -(G' u(x)) . u(v),  (u(x) . gamma_v) n . u(v0),  (u(x) . gamma_w) 2 / rows sum_r e_r . u(D^-1 J_r'),
 * (under IMC of n . u of the solution before, too) and of the distance, so that the contact's own motion and those of both sides are gone back
 * through once. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "world/gradient_side.h"

/* Rows of a motion; numbers that are differentiated together, at most: room. */
enum { MOTION = FIL_PART_MOTION, PAIRS = 6 };

/* Numbers f . u(z) to be differentiated: f in the contact's frame, z of all sides. */
typedef struct Pairs {
    int count;
    double force[PAIRS][3];
    const double* z[PAIRS]; /* those that are not there point to others */
    double whole[PAIRS];    /* 1: with what moves sides from outside */
} Pairs;

static void add_pair(Pairs* pairs, double share, const double* force, const double* z, double whole)
{
    fil_v3_scale(pairs->force[pairs->count], share, force);
    pairs->whole[pairs->count] = whole;
    for (int p = pairs->count++; p < PAIRS; p++) {
        pairs->z[p] = z;
    }
}

void fil_gradient_touch_tangents(const FilGradientTouch* touch, double share, double* own, double* place)
{
    const FilGradientMaker* maker = &touch->maker;
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        if (side->size == 0 || side->body->ops->derivative->vary_tangent == NULL) {
            continue;
        }
        for (int k = 0; k < 3 * side->size / 4; k++) {  // row by row, block by block
            const int block = k % (side->size / 4), row = k / (side->size / 4);
            memset(own, 0, sizeof(double) * (size_t)side->size);
            memcpy(own + 4 * block, touch->z + row * maker->size + at + 4 * block, 4 * sizeof(double));
            side->body->ops->derivative->vary_tangent(side->body->impl, share, own, place + at);
        }
    }
}

/* Velocity, spin and stretch of a side that moves with the z of all pairs, whose numbers begin at `at`. */
static void move_side(const FilGradientSide* side, const Pairs* pairs, int at, double motion[MOTION][PAIRS])
{
    for (int k = 0; k < MOTION; k++) {
        const double velocity = k == 6 ? 0.0 : k < 3 ? side->velocity[k] : side->spin[k - 3];
        for (int p = 0; p < PAIRS; p++) {
            motion[k][p] = pairs->whole[p] * velocity;
        }
    }
    const int rows = side->is_end ? 3 : MOTION;
    for (int i = 0; i < side->size; i++) {
        double z[PAIRS];
        for (int p = 0; p < PAIRS; p++) {
            z[p] = pairs->z[p][at + i];
        }
        for (int k = 0; k < rows; k++) {
            const double share = side->twist[k * side->size + i];
            for (int p = 0; p < PAIRS; p++) {
                motion[k][p] += share * z[p];
            }
        }
    }
}

/* place += the derivative of all numbers, and of `nearer` times the distance. */
static void vary_pairs(const FilGradientTouch* touch, const Pairs* pairs, double nearer, double* place)
{
    const FilGradientMaker* maker = &touch->maker;
    double contact[FIL_CONTACT_MOTION] = {0.0}, back[2][MOTION], apart[PAIRS][3] = {{0.0}}, g[PAIRS][3], turn[3];
    for (int p = 0; p < pairs->count; p++) {
        fil_m3_apply_transposed(g[p], maker->frame, pairs->force[p]);
    }
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        const double* z[PAIRS];
        double forces[PAIRS][3], motion[MOTION][PAIRS];
        if (side->size == 0 && !(fil_v3_dot(side->velocity, side->velocity) + fil_v3_dot(side->spin, side->spin) > 0.0)) {
            continue;  // it stands
        }
        move_side(side, pairs, at, motion);
        for (int p = 0; p < pairs->count; p++) {
            const double spin[3] = {motion[3][p], motion[4][p], motion[5][p]};
            z[p] = pairs->z[p] + at;
            fil_v3_scale(forces[p], side->share, g[p]);
            for (int k = 0; k < 3; k++) {
                apart[p][k] += side->share * motion[k][p];
            }
            if (!side->is_end) {
                fil_v3_cross(turn, forces[p], spin);
                fil_v3_add(contact, contact, turn);
                fil_v3_axpy(contact, motion[6][p] * fil_v3_dot(forces[p], side->axis), side->axis);
            }
        }
        if (side->size > 0) {
            side->body->ops->derivative->sweep(side->body->impl, side->index, side->part, maker->point, pairs->count, (const double(*)[3])forces, z,
                                               place + at, side->is_end ? contact : NULL);
        }
    }
    for (int p = 0; p < pairs->count && maker->couple.any; p++) {
        fil_gradient_couple_add(maker, pairs->z[p], pairs->whole[p] > 0.0, apart[p]);
        fil_gradient_couple_vary(maker, g[p], pairs->z[p], pairs->whole[p] > 0.0, contact, place);
    }
    for (int p = 0; p < pairs->count; p++) {
        fil_v3_cross(turn, g[p], apart[p]);
        fil_v3_add(contact + 3, contact + 3, turn);
    }
    contact[6] = nearer;
    fil_touching_vary_back(&touch->touching, contact, back);
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        for (int k = 0; k < MOTION && side->which != maker->node_side; k++) {
            const double *row = side->twist + k * side->size, share = fabs(side->share) * back[side->which][k];
            for (int i = 0; i < side->size; i++) {
                place[at + i] += share * row[i];
            }
        }
    }
    if (maker->node_at >= 0) {
        fil_v3_add(place + maker->node_at, place + maker->node_at, back[maker->node_side]);
    }
}

void fil_gradient_touch_back(const FilGradient* gradient, const FilGradientContact* contact, const double* weight, double* work, double* place)
{
    static const double normal[3] = {0.0, 0.0, 1.0};
    const FilGradientTouch* touch = contact->touch;
    const FilGradientLaw* law = &touch->law;
    const int m = contact->size;
    double *x = work, *v = work + m, *v0 = work + 2 * m, *out = work + 3 * m, *last = work + 4 * m, u[3] = {0.0}, force[3];
    double lagged[FIL_LAG_NUMBERS] = {0.0};
    for (int k = 0; k < m; k++) {
        x[k] = weight[contact->unknown[k]];
        v[k] = gradient->v[contact->unknown[k]];
        v0[k] = gradient->world->system.next.v[contact->unknown[k]];
        out[k] = 0.0;
        for (int r = 0; r < 3; r++) {
            u[r] += contact->jacobian[r * m + k] * x[k];
        }
    }
    Pairs pairs = {.count = 0};
    fil_m3_apply_transposed(force, law->hessian, u);
    add_pair(&pairs, 1.0, law->impulse, x, 0.0);
    add_pair(&pairs, -1.0, force, v, 1.0);
    if (contact->lag != NULL && !contact->lag->made) {
        fil_gradient_lag_weigh(contact->lag, weight, lagged);
    }
    if (law->by_velocity[2] != 0.0 || lagged[FIL_IMC_BY_VELOCITY] != 0.0) {
        add_pair(&pairs, fil_v3_dot(law->by_velocity, u) + lagged[FIL_IMC_BY_VELOCITY], normal, v0, 1.0);
    }
    if (lagged[FIL_LAG_BY_LAST] != 0.0) {
        const double* before = fil_gradient_before(gradient);
        for (int k = 0; k < m; k++) {
            last[k] = before[contact->unknown[k]];
        }
        add_pair(&pairs, lagged[FIL_LAG_BY_LAST], normal, last, 1.0);
    }
    const double by_compliance = fil_v3_dot(touch->by_compliance, u);
    for (int r = 0; r < 3 && touch->rows > 0; r++) {
        const double unit[3] = {r == 0, r == 1, r == 2};
        add_pair(&pairs, 2.0 * by_compliance / touch->rows, unit, touch->z + r * m, 0.0);
    }
    vary_pairs(touch, &pairs, fil_v3_dot(law->by_distance, u) + lagged[FIL_IMC_BY_DISTANCE], out);
    if (touch->rows > 0) {
        fil_gradient_touch_tangents(touch, -by_compliance / touch->rows, x, out);
    }
    for (int k = 0; k < m; k++) {
        place[contact->unknown[k]] += out[k];
    }
}
