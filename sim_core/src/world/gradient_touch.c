/* A contact's derivative in reverse: with weights x of J' gamma, what is wanted is the derivative of x' J' gamma = gamma . u(x) by the places of both
 * sides, gamma following them. All of it is a sum of numbers f . u(z) at fixed f and z (world/gradient_side.h),
 *     gamma . u(x),  -(G' u(x)) . u(v),  (u(x) . gamma_v) n . u(v0),  (u(x) . gamma_w) 2 / rows sum_r e_r . u(D^-1 J_r'),
 * (under IMC of n . u of the solution before, too) and of the distance. As f . u(z) is linear in both, that is sum_r e_r . u(z_r) over the three axes
 * of the contact's frame, z_r the sum of all f_r z, so that the contact's own motion and those of both sides are gone back through once. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "world/gradient_side.h"

/* Rows of a motion; axes of a contact's frame. */
enum { MOTION = FIL_PART_MOTION, AXES = 3 };

/* The numbers e_r . u(z_r) to be differentiated. */
typedef struct Axes {
    const double* z[AXES]; /* of all sides */
    double whole[AXES];    /* how much of what moves sides from outside is in it */
} Axes;

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

/* By halves, which do not wait for each other. */
static inline double product_of(const double* a, const double* b, int count)
{
    double even = 0.0, odd = 0.0;
    for (int k = 1; k < count; k += 2) {
        even += a[k - 1] * b[k - 1];
        odd += a[k] * b[k];
    }
    return even + odd + (count % 2 > 0 ? a[count - 1] * b[count - 1] : 0.0);
}

/* Velocity, spin and stretch of a side that moves with the z of all axes, whose numbers begin at `at`. */
static inline void move_side(const FilGradientSide* side, const Axes* axes, int at, double motion[AXES][MOTION])
{
    const int rows = side->is_end ? 3 : MOTION;
    for (int k = 0; k < rows; k++) {
        const double* row = side->twist + k * side->size;
        const double velocity = k == 6 ? 0.0 : k < 3 ? side->velocity[k] : side->spin[k - 3];
        for (int r = 0; r < AXES; r++) {
            motion[r][k] = axes->whole[r] * velocity + product_of(row, axes->z[r] + at, side->size);
        }
    }
}

/* place += the derivative of all numbers, and of `nearer` times the distance. */
static void vary_axes(const FilGradientTouch* touch, const double* jacobian, const Axes* axes, double nearer, double* place)
{
    const FilGradientMaker* maker = &touch->maker;
    double contact[FIL_CONTACT_MOTION] = {0.0}, back[2][MOTION], apart[AXES][3] = {{0.0}}, turn[3];
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        const double* z[AXES];
        double forces[AXES][3], motion[AXES][MOTION];
        if (side->size == 0 && !(fil_v3_dot(side->velocity, side->velocity) + fil_v3_dot(side->spin, side->spin) > 0.0)) {
            continue;  // it stands
        }
        const bool known = !side->is_end || !maker->later;
        if (known) {
            move_side(side, axes, at, motion);
        }
        for (int r = 0; r < AXES; r++) {
            z[r] = axes->z[r] + at;
            fil_v3_scale(forces[r], side->share, maker->frame + 3 * r);
            if (known) {
                fil_v3_axpy(apart[r], side->share, motion[r]);
            }
            if (!side->is_end) {
                fil_v3_cross(turn, forces[r], motion[r] + 3);
                fil_v3_add(contact, contact, turn);
                fil_v3_axpy(contact, motion[r][6] * fil_v3_dot(forces[r], side->axis), side->axis);
            }
        }
        if (side->size > 0) {
            side->body->ops->derivative->sweep(side->body->impl, side->index, side->part, maker->point, AXES, (const double(*)[3])forces, z,
                                               place + at, side->is_end ? contact : NULL);
        }
    }
    for (int r = 0; r < AXES && maker->later && maker->node_side >= 0; r++) {
        double slip[3], own[3];
        for (int k = 0; k < 3; k++) {
            slip[k] = product_of(jacobian + k * maker->size, axes->z[r], maker->size);
        }
        fil_m3_apply_transposed(own, maker->frame, slip);
        fil_v3_add(apart[r], apart[r], own);
    }
    for (int r = 0; r < AXES && maker->couple.any; r++) {
        fil_gradient_couple_add(maker, axes->z[r], axes->whole[r], apart[r]);
        fil_gradient_couple_vary(maker, maker->frame + 3 * r, axes->z[r], axes->whole[r], contact, place);
    }
    for (int r = 0; r < AXES; r++) {
        fil_v3_cross(turn, maker->frame + 3 * r, apart[r]);
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

void fil_gradient_touch_back(const FilGradient* gradient, const FilGradientContact* contact, const double* weight, const double* u, double* work,
                             double* place)
{
    const FilGradientTouch* touch = contact->touch;
    const FilGradientLaw* law = &touch->law;
    const int m = contact->size;
    const double *v0 = gradient->world->system.next.v, *before = NULL;
    double *z = work, *out = work + AXES * m, force[3], lagged[FIL_LAG_NUMBERS] = {0.0};
    fil_m3_apply_transposed(force, law->hessian, u);
    if (contact->lag != NULL && !contact->lag->made) {
        fil_gradient_lag_weigh(contact->lag, weight, lagged);
    }
    const double by_rate = fil_v3_dot(law->by_velocity, u) + lagged[FIL_IMC_BY_VELOCITY], by_last = lagged[FIL_LAG_BY_LAST];
    if (by_last != 0.0) {
        before = fil_gradient_before(gradient);
    }
    const double by_compliance = fil_v3_dot(touch->by_compliance, u), share = touch->rows > 0 ? 2.0 * by_compliance / touch->rows : 0.0;
    for (int k = 0; k < m; k++) {
        const int unknown = contact->unknown[k];
        const double x = weight[unknown], v = gradient->v[unknown];
        const double along = by_rate * v0[unknown] + (before != NULL ? by_last * before[unknown] : 0.0);
        for (int r = 0; r < AXES; r++) {
            z[r * m + k] = law->impulse[r] * x - force[r] * v + (r == 2 ? along : 0.0) + (touch->rows > 0 ? share * touch->z[r * m + k] : 0.0);
        }
        out[k] = 0.0;
    }
    const Axes axes = {{z, z + m, z + 2 * m}, {-force[0], -force[1], by_rate + by_last - force[2]}};
    vary_axes(touch, contact->jacobian, &axes, fil_v3_dot(law->by_distance, u) + lagged[FIL_IMC_BY_DISTANCE], out);
    if (touch->rows > 0) {
        fil_gradient_touch_tangents(touch, -by_compliance / touch->rows, work + (AXES + 1) * m, out);
    }
    for (int k = 0; k < m; k++) {
        place[contact->unknown[k]] += out[k];
    }
}
