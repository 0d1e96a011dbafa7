#include "contact/sap_constraint.h"

#include <math.h>
#include <string.h>

#include "base/extrema.h"
#include "base/vec3.h"

void fil_sap_constraint_of_contact(const FilContact* contact, FilSapKind kind, FilSapConstraint* constraint)
{
    *constraint = (FilSapConstraint){
        .kind = kind,
        .first_block = contact->first_block,
        .block_count = contact->block_count,
        .contact = {.distance = contact->distance,
                    .mu = contact->mu,
                    .stiffness = contact->stiffness,
                    .dissipation_time = contact->dissipation_time,
                    .hunt_crossley = contact->hunt_crossley,
                    .normal_velocity = contact->normal_velocity,
                    .redundant = contact->redundant,
                    .depth = contact->depth},
    };
    fil_v3_copy(constraint->bias, contact->bias);
}

/* Below this compliance a constraint is stiffer than one step can resolve: beta^2/(4 pi^2) w. */
static double near_rigid(double compliance, const FilSapScales* scales)
{
    return scales->rigidity * scales->rigidity / (4.0 * FIL_PI * FIL_PI) * compliance;
}

/* The same for a contact. w is that of the lighter body: under a heavy load, or a fast impact, a contact regularised by it would
 * sink or let through as far as the ratio of masses or the speed says. Beyond the depth that is allowed, the compliance falls:
 * with the predicted penetration, so that dt R gamma <= depth beta^2/(4 pi^2) for any speed, and with `power` of the depth
 * reached, so that a load L times the usual one sinks by L^(1/(1 + power)) only. */
double fil_sap_near_rigid(const FilSapContact* contact, double rigid, double dt, int power)
{
    const double reached = -contact->distance, predicted = reached - dt * contact->normal_velocity;
    if (!(contact->depth > 0.0) || !(fmax(reached, predicted) > contact->depth)) {
        return rigid;
    }
    const double deep = fmin(contact->depth / reached, 1.0), hard = fmin(contact->depth / predicted, 1.0);
    return rigid * fmin(reached > 0.0 ? fmax(pow(deep, power), FIL_SAP_HARDEST) : 1.0, predicted > 0.0 ? hard : 1.0);
}

/* Spring and damper, implicit: impulse = -dt (k (g + dt v) + c v) = -(v - v_hat)/R with
 *     R = 1/(dt (dt k + c)),   v_hat = -k g/(dt k + c). */
static void spring(double k, double c, double g, double dt, double rigid, double* r, double* v_hat)
{
    if (isinf(k)) {
        *r = rigid;
        *v_hat = -g / dt;
    } else {
        *r = fmax(rigid, 1.0 / (dt * (dt * k + c)));
        *v_hat = -k * g / (dt * k + c);
    }
}

static void set_regularisation(FilSapLaw* law, int row, double r)
{
    law->r[row] = r;
    law->r_inverse[row] = 1.0 / r;
}

/* ---- hardening ---- */

/* Contact that is near-rigid hardens beyond its depth: n = (linear u + quadratic u^2) h, where h = (x/depth)^3, from 1 to `hardest`, and x = dt (u +
 * harden_offset) is how deep, or stretched, it is where the step ends. With x of the step's start what lies still would go to and fro: where h has
 * the power p of it, a deviation from rest is multiplied by -p in every step, and by -(1 + sqrt 2) with what the velocity at the start predicts and p
 * = 1. A load L times the usual one sinks by L^(1/4). */
static double hardening(const FilSapLaw* law, double u, double* slope)
{
    const double s = u + law->harden_offset;
    *slope = 0.0;
    if (!(s > law->harden_from)) {
        return 1.0;
    }
    const double share = s / law->harden_from, h = share * share * share;
    if (!(h < law->hardest)) {
        return law->hardest;
    }
    *slope = 3.0 * h / s;
    return h;
}

/* Integral of n from 0 to u. */
static double normal_cost(const FilSapLaw* law, double u)
{
    static const double gauss[3] = {-0.7745966692414834, 0.0, 0.7745966692414834}, weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    const double linear = law->linear / 2.0, quadratic = law->quadratic / 3.0;
    if (!(u + law->harden_offset > law->harden_from)) {
        return (linear + law->quadratic * u / 3.0) * u * u;
    }
    const double from = fmax(law->harden_from - law->harden_offset, 0.0);
    const double to = fmin(fmax(law->harden_from * cbrt(law->hardest) - law->harden_offset, from), u);
    double cost = (linear + quadratic * from) * from * from, slope;
    for (int k = 0; k < 3; k++) {  // exact for the fifth power
        const double at = 0.5 * (from + to) + 0.5 * gauss[k] * (to - from);
        cost += weight[k] * (to - from) * (law->linear + law->quadratic * at) * at * hardening(law, at, &slope);
    }
    return cost + law->hardest * ((linear + quadratic * u) * u * u - (linear + quadratic * to) * to * to);
}

/* What comes is met by as much harder contact as a step would take it deeper than its depth, so that it stops there instead of parting with a
 * fortieth of its speed. What lies still does not come: nothing here follows small deviations from rest. */
static double hardening_by_speed(const FilSapContact* contact, double dt)
{
    const double ahead = -dt * contact->normal_velocity;
    return contact->depth > 0.0 && ahead > contact->depth ? fmin(ahead / contact->depth, 1.0 / FIL_SAP_HARDEST) : 1.0;
}

/* Beyond `depth`, m or rad, and up to what the material gives, where a step resolves no more than `rigid`. */
static void set_hardening(FilSapLaw* law, double depth, double dt, double rigid, double given)
{
    law->hardest = fmin(given > 0.0 ? rigid / given : INFINITY, 1.0 / FIL_SAP_HARDEST);
    law->harden_from = depth > 0.0 && law->hardest > 1.0 ? depth / dt : INFINITY;
}

/* ---- contact point, convex approximation ---- */

static void prepare_contact(const FilSapConstraint* constraint, double compliance, const FilSapScales* scales, FilSapLaw* law)
{
    const FilSapContact* contact = &constraint->contact;
    // a speculative contact must not brake before it touches
    const double tau = contact->distance > 0.0 ? 0.0 : contact->dissipation_time;
    // Rn = max(beta^2/(4 pi^2) w, 1/(dt (dt + tau) k)), v_hat_n = -phi0/(dt + tau), Rt = sigma w
    const double soft = 1.0 / (scales->dt * (scales->dt + tau) * contact->stiffness);
    set_regularisation(law, 0, scales->stick * compliance);
    set_regularisation(law, 1, scales->stick * compliance);
    set_regularisation(law, 2, fmax(fil_sap_near_rigid(contact, near_rigid(compliance, scales), scales->dt, FIL_SAP_DAMPED_POWER), soft));
    fil_v3_set(law->v_hat, 0.0, 0.0, -contact->distance / (scales->dt + tau));
    law->mu = contact->mu;
}

/* gamma is the projection of y = -R^-1 (v_c - v_hat) on the cone |gamma_t| <= mu gamma_n in the norm of R;
 * cost = 1/2 gamma' R gamma. */
static void evaluate_contact(const FilSapLaw* law, const double* v_c, FilSapResponse* out)
{
    const double rt_inverse = law->r_inverse[0], rn_inverse = law->r_inverse[2], mu = law->mu;
    const double y0 = -v_c[0] * rt_inverse, y1 = -v_c[1] * rt_inverse;
    const double yn = -(v_c[2] - law->v_hat[2]) * rn_inverse;
    const double yr = sqrt(y0 * y0 + y1 * y1);
    const double mu_hat = mu * law->r[0] * rn_inverse;  // mu Rt/Rn
    double* gamma = out->impulse;
    double* g = out->hessian;
    memset(out, 0, sizeof *out);
    if (yn <= -mu_hat * yr) {
        // separate: gamma = 0
        return;
    }
    if (yr < mu * yn) {
        // stick: gamma = y, G = R^-1
        fil_v3_set(gamma, y0, y1, yn);
        g[0] = g[4] = rt_inverse;
        g[8] = rn_inverse;
    } else {
        // slide: gamma_n = (y_n + mu_hat y_r)/(1 + mu_tilde^2), gamma_t = mu gamma_n t, with t = y_t/y_r
        const double inverse = 1.0 / (1.0 + mu * mu_hat);     // mu_tilde^2 = mu^2 Rt/Rn
        const double yr_inverse = yr > 0.0 ? 1.0 / yr : 0.0;  // y_r = 0 comes here only without friction
        const double t0 = y0 * yr_inverse, t1 = y1 * yr_inverse;
        const double gamma_n = (yn + mu_hat * yr) * inverse;
        fil_v3_set(gamma, mu * gamma_n * t0, mu * gamma_n * t1, gamma_n);
        // along t and across it: G_tt = along t t' + across (1 - t t')
        const double along = mu * mu * inverse * rn_inverse;
        const double across = mu * gamma_n * yr_inverse * rt_inverse;
        g[0] = along * t0 * t0 + across * t1 * t1;
        g[4] = along * t1 * t1 + across * t0 * t0;
        g[1] = g[3] = (along - across) * t0 * t1;
        g[2] = g[6] = mu * inverse * rn_inverse * t0;
        g[5] = g[7] = mu * inverse * rn_inverse * t1;
        g[8] = inverse * rn_inverse;
    }
    out->cost = 0.5 * (law->r[0] * (gamma[0] * gamma[0] + gamma[1] * gamma[1]) + law->r[2] * gamma[2] * gamma[2]);
}

static bool soften_contact(FilSapLaw* law, double factor)
{
    set_regularisation(law, 0, factor * law->r[0]);
    set_regularisation(law, 1, factor * law->r[1]);
    return law->mu > 0.0;
}

/* gamma = y, inside the cone or not */
static void stick_at_any_force(const FilSapLaw* law, const double* v_c, FilSapResponse* response)
{
    *response = (FilSapResponse){0};
    for (int row = 0; row < 3; row++) {
        response->impulse[row] = -(v_c[row] - law->v_hat[row]) * law->r_inverse[row];
        response->hessian[4 * row] = law->r_inverse[row];
    }
}

static void harden_contact(FilSapLaw* law, double factor, const double* v_c, FilSapResponse* response)
{
    const double* g = response->hessian;
    const bool stuck = g[0] == law->r_inverse[0] && g[4] == law->r_inverse[1] && g[8] == law->r_inverse[2];
    soften_contact(law, 1.0 / factor);
    if (stuck) {
        stick_at_any_force(law, v_c, response);
    } else {
        evaluate_contact(law, v_c, response);
    }
}

/* As near as contacts that bear lie deep: what stands on each other when a world begins */
static bool stand_contact(const FilSapConstraint* constraint, const FilSapLaw* law, const double* v_c, FilSapResponse* response)
{
    const bool touches = constraint->contact.distance <= constraint->contact.depth;
    if (touches) {
        stick_at_any_force(law, v_c, response);
    }
    return touches;
}

/* As for lagged friction, below, with s = max(|v_t|, stick radius Rt mu y_n): gamma_t = -mu gamma_n u with s u = v_t, linearised about u and v_t
 * (Hintermueller and Stadler 2006, for the same regularisation). */
static double stick_radius(const FilSapLaw* law, const double* v_c)
{
    return law->r[0] * law->mu * fmax(-(v_c[2] - law->v_hat[2]) * law->r_inverse[2], 0.0);
}

static void bound_dual(FilSapLaw* law, double u0, double u1)
{
    const double bound = 1.0 / fmax(1.0, sqrt(u0 * u0 + u1 * u1));
    law->dual[0] = bound * u0;
    law->dual[1] = bound * u1;
}

static void begin_dual_contact(FilSapLaw* law, const double* v_c)
{
    const double s = fmax(sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1]), stick_radius(law, v_c));
    const double inverse = s > 0.0 ? 1.0 / s : 0.0;
    bound_dual(law, v_c[0] * inverse, v_c[1] * inverse);
}

/* Where it slides, across (1 - t t') becomes across (1 - (u t' + t u')/2); what sticks, at whatever force, or is apart has no kink. */
static void dual_hessian_contact(const FilSapLaw* law, const double* v_c, double* g)
{
    const double vt2 = v_c[0] * v_c[0] + v_c[1] * v_c[1];
    if (!(g[8] > 0.0 && g[8] < law->r_inverse[2]) || vt2 == 0.0) {
        return;
    }
    const double inverse = 1.0 / sqrt(vt2), t0 = v_c[0] * inverse, t1 = v_c[1] * inverse;
    const double across = g[0] * t1 * t1 + g[4] * t0 * t0 - 2.0 * g[1] * t0 * t1;
    g[0] += across * (t0 - law->dual[0]) * t0;
    g[4] += across * (t1 - law->dual[1]) * t1;
    g[1] += across * (t0 * t1 - 0.5 * (law->dual[0] * t1 + law->dual[1] * t0));
    g[3] = g[1];
}

static void move_dual_contact(FilSapLaw* law, const double* v_c, const double* dv_c)
{
    const double vt = sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1]), radius = stick_radius(law, v_c), s = fmax(vt, radius);
    if (s == 0.0) {
        return;
    }
    // within the radius s does not depend on v_t
    const double along = vt > radius ? (v_c[0] * dv_c[0] + v_c[1] * dv_c[1]) / vt : 0.0;
    bound_dual(law, (v_c[0] + dv_c[0] - law->dual[0] * along) / s, (v_c[1] + dv_c[1] - law->dual[1] * along) / s);
}

/* It bears from v_n = mu |v_t| on: where it slides, before it touches. What touches, as for stand_contact(), is not apart. */
static double clearance_contact(const FilSapConstraint* constraint, double dt, const double* v_c)
{
    const FilSapContact* contact = &constraint->contact;
    const double lift = contact->mu * sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1]);
    return contact->distance > contact->depth ? contact->distance + dt * (v_c[2] - lift) : contact->distance - contact->depth;
}

/* ---- contact point, lagged friction ---- */

static double slip_of(const FilSapLaw* law, double friction)
{
    return fmax(law->slip_velocity, law->slip_compliance * friction);
}

static void limit_friction(FilSapLaw* law, double normal_impulse)
{
    law->bound = normal_impulse;
    law->friction = law->mu * normal_impulse;
    law->slip = slip_of(law, law->friction);
}

static void prepare_lagged(const FilSapConstraint* constraint, double compliance, const FilSapScales* scales, FilSapLaw* law)
{
    const FilSapContact* contact = &constraint->contact;
    const double dt = scales->dt, d = contact->hunt_crossley, phi0 = contact->distance;
    // dt^2 k, no stiffer than a step can resolve
    const double given = dt * dt * contact->stiffness, faster = hardening_by_speed(contact, dt);
    const double rigid = near_rigid(compliance, scales) / faster;
    const double stiff = fmin(given, 1.0 / rigid);
    set_hardening(law, contact->depth, dt, rigid, 1.0 / given);
    law->hardest = fmin(law->hardest, 1.0 / (FIL_SAP_HARDEST * faster));
    // n(v) = dt^2 k (v_zero - v)+ (1 - d v)+ with v_zero = -phi0/dt, rewritten in u = (v_end - v)+
    const double v_zero = -phi0 / dt;
    if (d * v_zero <= 1.0) {
        law->v_end = v_zero;
        law->linear = stiff * (1.0 - d * v_zero);
    } else {
        law->v_end = 1.0 / d;
        law->linear = stiff * (d * v_zero - 1.0);
    }
    law->quadratic = stiff * d;
    law->harden_offset = v_zero - law->v_end;
    // friction from n0 = dt k (-phi0)+ (1 - d vn0)+
    double slope;
    const double start = stiff * fmax(v_zero, 0.0) * fmax(1.0 - d * contact->normal_velocity, 0.0) * hardening(law, law->v_end, &slope);
    const double n0 = contact->bounded ? contact->bound : start;
    law->mu = contact->mu;
    law->slip_velocity = scales->slip_velocity;
    law->slip_compliance = scales->stick * compliance;
    limit_friction(law, n0);
    law->bound_before = law->wanted_before = n0;
}

/* |gamma_t| <= mu gamma_n with the gamma_n found: a contact that begins, or passes from one edge to the next, has no state to take
 * it from. Weighted by how much of friction the bound decides, vt^2/(vt^2 + e^2): none where objects stick. */
static double bound_change_lagged(const FilSapLaw* law, const double* v_c, const FilSapResponse* response, double* weight)
{
    const double friction = law->mu * response->impulse[2], before = law->friction;
    if (friction == 0.0 && before == 0.0) {
        return 0.0;
    }
    const double vt2 = v_c[0] * v_c[0] + v_c[1] * v_c[1], slip = slip_of(law, friction);
    const double slides = vt2 / (vt2 + slip * slip);
    *weight += slides;
    return slides * fabs(friction - before) / fmax(friction, before);
}

/* A bound that grows so much makes most of its contact's friction, the direction of which is not known then: u = 0, whose matrix is a majoriser.
 * From 1 to 8 were tried on rope_heap. */
#define GROWS 2.0

/* Where a larger bound makes the contact bear less, it would go to and fro between two values, in a heap one contact of thousands to the last round.
 * There the secant's zero of mu gamma_n - bound is taken, which lies between the two. */
static void follow_lagged(FilSapLaw* law, const FilSapResponse* response)
{
    const double wanted = response->impulse[2], now = law->bound, change = now - law->bound_before, rises = wanted - law->wanted_before;
    const double relaxation = rises * change < 0.0 ? change / (change - rises) : 1.0;
    if (wanted > GROWS * now) {
        law->dual[0] = law->dual[1] = 0.0;
    }
    law->bound_before = now;
    law->wanted_before = wanted;
    limit_friction(law, now + relaxation * (wanted - now));
}

/* cost = -N(v_n) + mu n0 (sqrt(|v_t|^2 + e^2) - e) with N' = n, up to the constant that makes it vanish when apart */
static void evaluate_lagged(const FilSapLaw* law, const double* v_c, FilSapResponse* out)
{
    const double u = fil_max(law->v_end - v_c[2], 0.0), friction = law->friction;
    if (u == 0.0 && friction == 0.0) {  // apart, and apart before
        *out = (FilSapResponse){0};
        return;
    }
    double harder_by;
    const double soft = (law->linear + law->quadratic * u) * u, harder = hardening(law, u, &harder_by), normal = soft * harder;
    const double stiffness = u > 0.0 ? (law->linear + 2.0 * law->quadratic * u) * harder + soft * harder_by : 0.0;

    // soft |v_t|: s = sqrt(|v_t|^2 + e^2); s - e without cancellation
    const double vt2 = v_c[0] * v_c[0] + v_c[1] * v_c[1];
    const double s = sqrt(vt2 + law->slip * law->slip), inverse = 1.0 / s;
    const double scale = friction * inverse;
    const double t0 = v_c[0] * inverse, t1 = v_c[1] * inverse;
    const double across = -scale * t0 * t1;
    *out = (FilSapResponse){
        .cost = normal_cost(law, u) + friction * vt2 / (s + law->slip),
        .impulse = {-scale * v_c[0], -scale * v_c[1], normal},
        .hessian = {scale * (1.0 - t0 * t0), across, 0.0, across, scale * (1.0 - t1 * t1), 0.0, 0.0, 0.0, stiffness},
    };
}

/* gamma_n = linear (v_end - v_n) beyond the gap, too */
static void presume_lagged(FilSapLaw* law, double share, const double* v_c, FilSapResponse* response)
{
    law->dual[0] = law->dual[1] = 0.0;
    const double open = v_c[2] - law->v_end;
    if (open >= 0.0 && open < share * sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1] + v_c[2] * v_c[2])) {
        response->impulse[2] = -law->linear * open;
        response->hessian[8] = law->linear;
    }
}

/* Friction's bound is that of the step's start: what overlaps then may still rub where it parts. */
static double clearance_lagged(const FilSapConstraint* constraint, double dt, const double* v_c)
{
    const double phi0 = constraint->contact.distance;
    return phi0 > 0.0 ? phi0 + dt * v_c[2] : phi0;
}

/* s u = v_t about u and v_t:  s du + u (v_t . dv)/s - dv = v_t - s u, so that
 *     u + du = (v_t + dv - u (v_t . dv)/s)/s,   G = friction/s (1 - (u v_t' + v_t u')/(2 s)).
 * At u = v_t/s that is Newton on the cost; at u = 0 it is the majoriser friction/(2 s) |v_t|^2, which no kink stops. */
static void begin_dual_lagged(FilSapLaw* law, const double* v_c)
{
    const double inverse = 1.0 / sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1] + law->slip * law->slip);
    law->dual[0] = v_c[0] * inverse;
    law->dual[1] = v_c[1] * inverse;
}

static void dual_hessian_lagged(const FilSapLaw* law, const double* v_c, double* hessian)
{
    const double inverse = 1.0 / sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1] + law->slip * law->slip);
    const double scale = law->friction * inverse, t0 = v_c[0] * inverse, t1 = v_c[1] * inverse;
    hessian[0] = scale * (1.0 - law->dual[0] * t0);
    hessian[4] = scale * (1.0 - law->dual[1] * t1);
    hessian[1] = hessian[3] = -0.5 * scale * (law->dual[0] * t1 + law->dual[1] * t0);
}

static void move_dual_lagged(FilSapLaw* law, const double* v_c, const double* dv_c)
{
    const double inverse = 1.0 / sqrt(v_c[0] * v_c[0] + v_c[1] * v_c[1] + law->slip * law->slip);
    const double along = (v_c[0] * dv_c[0] + v_c[1] * dv_c[1]) * inverse;
    const double u0 = (v_c[0] + dv_c[0] - law->dual[0] * along) * inverse, u1 = (v_c[1] + dv_c[1] - law->dual[1] * along) * inverse;
    bound_dual(law, u0, u1);
}

/* ---- equations with bounded impulses ---- */

static void prepare_bounded(const FilSapConstraint* constraint, double compliance, const FilSapScales* scales, FilSapLaw* law)
{
    const FilSapBounded* bounded = &constraint->bounded;
    const double rigid = bounded->exact ? 0.0 : near_rigid(compliance, scales);
    const bool idle = bounded->stiffness <= 0.0 && bounded->damping <= 0.0 && !bounded->sticks;
    *law = (FilSapLaw){0};  // rows that are no equations bear nothing
    for (int row = 0; row < bounded->equations && !idle; row++) {
        double r = scales->stick * compliance;
        if (!bounded->sticks) {
            spring(bounded->stiffness, bounded->damping, bounded->error[row], scales->dt, rigid, &r, &law->v_hat[row]);
        }
        set_regularisation(law, row, r);
        law->lower[row] = bounded->lower[row];
        law->upper[row] = bounded->upper[row];
    }
    if (bounded->depth > 0.0 && !idle && rigid > 0.0) {
        const double stiff = scales->dt * (scales->dt * bounded->stiffness + bounded->damping);
        set_hardening(law, bounded->depth, scales->dt, rigid, fmax(1.0 / stiff, rigid / bounded->hardest));
    }
}

/* Beyond its depth, a stretch dt u at the step's end with u = |y| R, an equation is `hardest` times as stiff:
 *     gamma = (u_d + hardest (u - u_d)) y/u,   so that a load L times what stretches it to the depth stretches it (L - 1)/hardest times as far again.
 * Errors that no load holds are of the step's start, and taken back in it. */
static void harden_bounded(const FilSapLaw* law, FilSapResponse* out)
{
    const double r = law->r[0], from = law->harden_from, hard = law->hardest, *y = out->impulse;
    const double u2 = from > 0.0 ? r * r * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) : 0.0;
    if (!(u2 > from * from)) {
        return;
    }
    const double u = sqrt(u2), beyond = u - from, secant = (from + hard * beyond) / u, along = (hard - secant) * r / (u * u);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->hessian[3 * i + j] = secant * out->hessian[3 * i + j] + along * (y[i] * y[j]);
        }
    }
    fil_v3_scale(out->impulse, secant, y);
    out->cost = (0.5 * from * from + (from + 0.5 * hard * beyond) * beyond) / r;
}

void fil_sap_linearise(FilSapLaw* law)
{
    double g[3];
    for (int row = 0; row < 3; row++) {
        g[row] = fmin(fmax(law->v_hat[row], law->lower[row]), law->upper[row]);
    }
    const double u = fil_v3_norm(g), from = law->harden_from, hard = law->hardest;
    law->harden_from = 0.0;
    if (!(from > 0.0) || !(u > from)) {
        return;
    }
    for (int row = 0; row < 3; row++) {
        law->r[row] /= hard;
        law->r_inverse[row] *= hard;
        law->v_hat[row] *= (from / hard + 0.25 * (u - from)) / u;
    }
}

/* gamma = y clamped; cost = R (gamma y - gamma^2/2), which is 1/2 R gamma^2 inside the bounds */
static void evaluate_bounded(const FilSapLaw* law, const double* v_c, FilSapResponse* out)
{
    memset(out, 0, sizeof *out);
    for (int row = 0; row < 3; row++) {
        const double y = -(v_c[row] - law->v_hat[row]) * law->r_inverse[row];
        const double gamma = fil_min(fil_max(y, law->lower[row]), law->upper[row]);
        out->impulse[row] = gamma;
        out->cost += law->r[row] * gamma * (y - 0.5 * gamma);
        out->hessian[4 * row] = gamma == y ? law->r_inverse[row] : 0.0;
    }
    harden_bounded(law, out);
}

const FilSapKindOps fil_sap_kinds[FIL_SAP_KIND_COUNT] = {
    [FIL_SAP_CONTACT] = {"contact", prepare_contact, evaluate_contact, NULL, NULL, soften_contact, harden_contact, stand_contact, begin_dual_contact,
                         dual_hessian_contact, move_dual_contact, clearance_contact, NULL},
    [FIL_SAP_LAGGED_CONTACT] = {"lagged contact", prepare_lagged, evaluate_lagged, bound_change_lagged, follow_lagged, NULL, NULL, NULL,
                                begin_dual_lagged, dual_hessian_lagged, move_dual_lagged, clearance_lagged, presume_lagged},
    [FIL_SAP_BOUNDED] = {"bounded", prepare_bounded, evaluate_bounded, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

double fil_sap_bounds_change(const FilSapConstraint* constraints, int count, const FilSapLaw* laws, const double* v_c,
                             const FilSapResponse* responses)
{
    double change = 0.0, weight = 0.0;
    for (int i = 0; i < count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[constraints[i].kind];
        if (kind->bound_change != NULL) {
            change += kind->bound_change(&laws[i], v_c + 3 * i, &responses[i], &weight);
        }
    }
    return weight > 0.0 ? change / weight : 0.0;
}

void fil_sap_bounds_follow(const FilSapConstraint* constraints, int count, FilSapLaw* laws, const FilSapResponse* responses)
{
    for (int i = 0; i < count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[constraints[i].kind];
        if (kind->follow != NULL) {
            kind->follow(&laws[i], &responses[i]);
        }
    }
}

void fil_sap_bounds_read(const FilSapConstraint* constraints, int count, const FilSapLaw* laws, const FilSapResponse* responses, double* bounds,
                         double* errors)
{
    for (int i = 0; i < count; i++) {
        const bool follows = fil_sap_kinds[constraints[i].kind].follow != NULL;
        bounds[i] = follows ? laws[i].bound : 0.0;
        errors[i] = follows ? responses[i].impulse[2] - laws[i].bound : 0.0;
    }
}

void fil_sap_bounds_set(const FilSapConstraint* constraints, int count, FilSapLaw* laws, const double* bounds)
{
    for (int i = 0; i < count; i++) {
        if (fil_sap_kinds[constraints[i].kind].follow != NULL) {
            limit_friction(&laws[i], fmax(bounds[i], 0.0));
        }
    }
}

void fil_sap_duals_begin(const FilSapConstraint* constraints, int count, FilSapLaw* laws, const double* v_c)
{
    for (int i = 0; i < count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[constraints[i].kind];
        if (kind->begin_dual != NULL) {
            kind->begin_dual(&laws[i], v_c + 3 * i);
        }
    }
}

void fil_sap_duals_move(const FilSapConstraint* constraints, int count, FilSapLaw* laws, const double* v_c, const double* dv_c)
{
    for (int i = 0; i < count; i++) {
        const FilSapKindOps* kind = &fil_sap_kinds[constraints[i].kind];
        if (kind->move_dual != NULL) {
            kind->move_dual(&laws[i], v_c + 3 * i, dv_c + 3 * i);
        }
    }
}
