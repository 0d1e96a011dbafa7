/* Couples that cords leave to what they touch (collision/contacts.c). A cord does not turn about its axis t, so that the couple (f . u) t of friction
 * at its surface, u = t x (x - node), is its partner's, which moves by V - u (t . omega) there. Of two cords each takes what is across it, E = -sum
 * over sides s: sign_s U_s W_s,  W_s = t_o . omega_s,  U_s = u_o, or of two cords (u_o - c u_s) / (1 - c^2),  c = t_0 . t_1, o being the other side.
 * What is wanted are E with some z, and the derivative of g . E at fixed g and z. */
#include <string.h>

#include "base/vec3.h"
#include "world/gradient_side.h"

/* As in collision/contacts.c: 1 - c^2 below which two cords take what is along them, too. */
static const double PARALLEL = 0.05;

static bool is_cord(const FilGradient* gradient, const FilContact* contact, int side)
{
    const FilCollider* c = &gradient->world->collision.colliders[contact->collider[side]].collider;
    return c->kind == FIL_COLLIDER_ROW && !c->twists;
}

void fil_gradient_couple_take(const FilGradient* gradient, const FilContact* contact, FilGradientMaker* maker)
{
    FilGradientCouple* couple = &maker->couple;
    couple->any = false;
    if (!is_cord(gradient, contact, 0) && !is_cord(gradient, contact, 1)) {
        return;
    }
    *couple = (FilGradientCouple){.any = false};
    for (int s = 0; s < maker->count; s++) {
        const FilGradientSide* side = &maker->sides[s];
        const int c = side->which;
        if (!is_cord(gradient, contact, c) || side->size == 0) {
            continue;
        }
        const double half = side->shape.half[2];
        couple->cord[c] = true;
        couple->at[c] = side->at;
        couple->over[c] = 0.5 / half;
        fil_v3_copy(couple->t[c], side->axis);
        fil_v3_sub(couple->arm[c], maker->point, side->pose.p);
        fil_v3_axpy(couple->arm[c], half, side->axis);
        fil_v3_cross(couple->u[c], couple->t[c], couple->arm[c]);
    }
    for (int s = 0; s < maker->count; s++) {  // partners that can turn
        const FilGradientSide* side = &maker->sides[s];
        couple->any |= couple->cord[1 - side->which] && (side->size > 0 || fil_v3_dot(side->spin, side->spin) > 0.0);
    }
    if (!couple->any) {
        return;
    }
    const double cosine = fil_v3_dot(couple->t[0], couple->t[1]);
    couple->across = couple->cord[0] && couple->cord[1] && 1.0 - cosine * cosine > PARALLEL ? 1.0 - cosine * cosine : 0.0;
    couple->cosine = couple->across > 0.0 ? cosine : 0.0;
    for (int s = 0; s < 2; s++) {
        fil_v3_copy(couple->moves[s], couple->u[1 - s]);
        fil_v3_axpy(couple->moves[s], -couple->cosine, couple->u[s]);
        fil_v3_scale(couple->moves[s], couple->across > 0.0 ? 1.0 / couple->across : 1.0, couple->moves[s]);
    }
}

/* omega of a side that moves with z, its own. */
static void spin_of(const FilGradientSide* side, const double* z, double whole, double* spin)
{
    fil_v3_scale(spin, whole, side->spin);
    for (int i = 0; i < side->size && z != NULL; i++) {
        for (int k = 0; k < 3; k++) {
            spin[k] += side->twist[(3 + k) * side->size + i] * z[i];
        }
    }
}

void fil_gradient_couple_add(const FilGradientMaker* maker, const double* z, double whole, double* apart)
{
    const FilGradientCouple* couple = &maker->couple;
    for (int s = 0; s < maker->count; s++) {
        const FilGradientSide* side = &maker->sides[s];
        double spin[3];
        if (couple->cord[1 - side->which]) {
            spin_of(side, z != NULL ? z + side->at : NULL, whole, spin);
            fil_v3_axpy(apart, -side->share * fil_v3_dot(couple->t[1 - side->which], spin), couple->moves[side->which]);
        }
    }
}

void fil_gradient_couple_jacobian(const FilGradientMaker* maker, const double* v, const int* unknown, double* jacobian, double* u)
{
    const FilGradientCouple* couple = &maker->couple;
    double outside[3] = {0.0}, own[3];
    fil_gradient_couple_add(maker, NULL, 1.0, outside);
    fil_m3_apply(own, maker->frame, outside);
    fil_v3_add(u, u, own);
    for (int s = 0; s < maker->count; s++) {
        const FilGradientSide* side = &maker->sides[s];
        const double* t = couple->t[1 - side->which];
        for (int i = 0; i < side->size && couple->cord[1 - side->which]; i++) {
            const double* twist = side->twist + 3 * side->size + i;
            const double turn = t[0] * twist[0] + t[1] * twist[side->size] + t[2] * twist[2 * side->size];
            double move[3];
            fil_v3_scale(move, -side->share * turn, couple->moves[side->which]);
            fil_m3_apply(own, maker->frame, move);
            for (int r = 0; r < 3; r++) {
                jacobian[r * maker->size + side->at + i] += own[r];
            }
            fil_v3_axpy(u, v[unknown[side->at + i]], own);
        }
    }
}

/* place += the derivative of weight t . omega of a side with z, t held. */
static void vary_spin(const FilGradientMaker* maker, const FilGradientSide* side, double weight, const double* t, const double* z, double* place)
{
    const FilDerivativeOps* ops = side->body->ops->derivative;
    if (ops->stretch != NULL) {
        // an edge: omega = rate a + a x (v1 - v0) / l
        const double *a = side->axis, over = 0.5 / side->shape.half[2];
        double spin[3], apart[3], to_axis[3], turned[3];
        spin_of(side, z, 0.0, spin);
        fil_v3_sub(apart, z + 4, z);
        fil_v3_cross(turned, apart, t);
        fil_v3_scale(to_axis, weight * fil_v3_dot(a, spin), t);
        fil_v3_axpy(to_axis, weight * over, turned);
        const double longer = -weight * over * over * fil_v3_dot(a, turned), along = fil_v3_dot(to_axis, a);
        for (int k = 0; k < 3; k++) {
            const double to_edge = over * (to_axis[k] - along * a[k]) + longer * a[k];
            place[k] -= to_edge;
            place[4 + k] += to_edge;
        }
        return;
    }
    // what is rigid: force . (V(x) - V(x - d)) = omega . (d x force), d across t
    double d[3], force[2][3], other[3];
    fil_v3_orthogonal(d, t);
    fil_v3_cross(force[0], t, d);
    fil_v3_scale(force[0], weight, force[0]);
    fil_v3_scale(force[1], -1.0, force[0]);
    fil_v3_sub(other, maker->point, d);
    for (int k = 0; k < 2; k++) {
        ops->sweep(side->body->impl, side->index, side->part, k == 0 ? maker->point : other, 1, (const double(*)[3]) & force[k], &z, place, NULL);
    }
}

/* What weighs on directions and arms of both sides. */
typedef struct Weights {
    double t[2][3], arm[2][3];
} Weights;

/* Of `weight` times (g . U_s) W_s, by U_s. */
static void weigh_moves(const FilGradientCouple* couple, int s, double weight, const double* g, Weights* to)
{
    const double over = couple->across > 0.0 ? 1.0 / couple->across : 1.0;
    for (int c = 0; c < 2; c++) {
        double h[3], turn[3];
        fil_v3_scale(h, weight * over * (c == s ? -couple->cosine : 1.0), g);
        fil_v3_cross(turn, couple->arm[c], h);
        fil_v3_add(to->t[c], to->t[c], turn);
        fil_v3_cross(turn, h, couple->t[c]);
        fil_v3_add(to->arm[c], to->arm[c], turn);
    }
    if (couple->across > 0.0) {
        const double by_cosine = weight * over * (2.0 * couple->cosine * fil_v3_dot(g, couple->moves[s]) - fil_v3_dot(g, couple->u[s]));
        fil_v3_axpy(to->t[0], by_cosine, couple->t[1]);
        fil_v3_axpy(to->t[1], by_cosine, couple->t[0]);
    }
}

void fil_gradient_couple_vary(const FilGradientMaker* maker, const double* g, const double* z, double whole, double* point, double* place)
{
    const FilGradientCouple* couple = &maker->couple;
    Weights to;
    memset(&to, 0, sizeof to);
    for (int s = 0; s < maker->count; s++) {
        const FilGradientSide* side = &maker->sides[s];
        const int o = 1 - side->which;
        double spin[3];
        if (!couple->cord[o]) {
            continue;
        }
        spin_of(side, z + side->at, whole, spin);
        const double by_turn = -side->share * fil_v3_dot(g, couple->moves[side->which]);
        weigh_moves(couple, side->which, -side->share * fil_v3_dot(couple->t[o], spin), g, &to);
        fil_v3_axpy(to.t[o], by_turn, spin);
        if (side->size > 0) {
            vary_spin(maker, side, by_turn, couple->t[o], z + side->at, place + side->at);
        }
    }
    for (int c = 0; c < 2; c++) {
        const double* t = couple->t[c];
        const double along = fil_v3_dot(to.t[c], t);
        double* node = place + couple->at[c];
        for (int k = 0; k < 3 && couple->cord[c]; k++) {
            const double to_edge = couple->over[c] * (to.t[c][k] - along * t[k]);
            node[k] -= to_edge + to.arm[c][k];
            node[4 + k] += to_edge;
            point[k] += to.arm[c][k];
        }
    }
}
