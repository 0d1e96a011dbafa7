/* Derivatives of the law of a contact point (sap_constraint.c). With c = R_n + mu^2 R_t,
 *     stick:  gamma_t = -v_t / R_t,  gamma_n = -(v_n - v_hat) / R_n;
 *     slide:  gamma_n = (v_hat - v_n + mu |v_t|) / c,  gamma_t = -mu gamma_n v_t / |v_t|,
 * v_hat = -phi / (dt + tau), R_t = sigma w; R_n does not depend on w where the stiffness of the surfaces decides. */
#include "contact/sap_derivative.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

/* How R_n varies with distance, compliance and normal velocity, where near-rigid contact decides: a share of w, less beyond the depth. The share is
 * a product of powers, so that it is enough to know which of them is at work. */
static void normal_slopes(const FilSapContact* contact, const FilSapScales* scales, double compliance, double r, double* by)
{
    by[0] = by[2] = 0.0;
    by[1] = r / compliance;
    const double reached = -contact->distance, predicted = reached - scales->dt * contact->normal_velocity;
    if (!(contact->depth > 0.0) || !(fmax(reached, predicted) > contact->depth)) {
        return;
    }
    // r = rigid * min(max(deep^power, hardest), hard)
    const double rigid = scales->rigidity * scales->rigidity / (4.0 * FIL_PI * FIL_PI) * compliance;
    const double hard = predicted > 0.0 ? fmin(contact->depth / predicted, 1.0) : 1.0;
    if (r == rigid * hard && hard < 1.0) {
        by[0] = r / predicted;
        by[2] = scales->dt * r / predicted;
    } else if (reached > contact->depth && r > FIL_SAP_HARDEST * rigid) {
        by[0] = FIL_SAP_DAMPED_POWER * r / reached;
    }
}

void fil_sap_contact_slopes(const FilSapConstraint* constraint, double compliance, const FilSapScales* scales, const double* v_c, FilSapSlopes* out)
{
    const FilSapContact* contact = &constraint->contact;
    FilSapLaw law;
    FilSapResponse response;
    memset(&law, 0, sizeof law);
    fil_sap_kinds[FIL_SAP_CONTACT].prepare(constraint, compliance, scales, &law);
    fil_sap_kinds[FIL_SAP_CONTACT].evaluate(&law, v_c, &response);
    memset(out, 0, sizeof *out);
    fil_v3_copy(out->impulse, response.impulse);
    memcpy(out->hessian, response.hessian, sizeof out->hessian);
    if (!(response.impulse[2] > 0.0)) {
        return;
    }
    const double tau = contact->distance > 0.0 ? 0.0 : contact->dissipation_time, mu = contact->mu;
    const double rt = law.r[0], rn = law.r[2], soft = 1.0 / (scales->dt * (scales->dt + tau) * contact->stiffness);
    double by_rt[3] = {0.0}, by_rn[3] = {0.0}, by_hat[3] = {0.0}, rn_by[3] = {0.0};
    const double* gamma = response.impulse;
    const bool sticks = response.hessian[0] == law.r_inverse[0] && response.hessian[4] == law.r_inverse[1] && response.hessian[8] == law.r_inverse[2];
    if (sticks) {
        by_hat[2] = 1.0 / rn;
        by_rn[2] = -gamma[2] / rn;
        by_rt[0] = -gamma[0] / rt;
        by_rt[1] = -gamma[1] / rt;
    } else {
        // gamma is gamma_n times a direction that stays
        const double c = rn + mu * mu * rt;
        for (int k = 0; k < 3; k++) {
            const double direction = gamma[k] / gamma[2];
            by_hat[k] = direction / c;
            by_rn[k] = -gamma[k] / c;
            by_rt[k] = -mu * mu * gamma[k] / c;
        }
    }
    if (rn > soft) {
        normal_slopes(contact, scales, compliance, rn, rn_by);
    }
    for (int k = 0; k < 3; k++) {
        out->by_distance[k] = -by_hat[k] / (scales->dt + tau) + by_rn[k] * rn_by[0];
        out->by_compliance[k] = by_rt[k] * scales->stick + by_rn[k] * rn_by[1];
        out->by_velocity[k] = by_rn[k] * rn_by[2];
    }
}
