/* Energies and momenta of rods at a committed state. */
#include <math.h>

#include "base/vec3.h"
#include "body/rod.h"

static double elastic_energy(const FilRod* rod, const double* q, const FilRodHistory* h)
{
    double energy = 0.0;
    for (int i = 0; i < rod->edge_count; i++) {
        const double length = fil_v3_distance(q + 4 * ((i + 1) % rod->node_count), q + 4 * i);
        const double strain = length / h[i].rest_length - 1.0;
        energy += 0.5 * rod->law[i].ea * strain * strain * h[i].rest_length;
    }
    for (int i = 0; i < rod->node_count; i++) {
        double kappa1, kappa2;
        if (fil_rod_node_strains(rod, q, h, i, &kappa1, &kappa2)) {
            const FilRodLaw* law = &rod->law[i];
            kappa1 -= h[i].rest1;
            kappa2 -= h[i].rest2;
            const double twist = h[i].twist - h[i].rest_twist;
            energy += 0.5 * (law->k1 * kappa1 * kappa1 + law->k2 * kappa2 * kappa2 + law->kt * twist * twist);
        }
    }
    return energy;
}

/* Energy of the half hinges at clamps. */
static double clamp_energy(const FilRodBody* body, const double* q, const FilRodHistory* h)
{
    double energy = 0.0;
    for (int s = 0; s < body->attachment_count; s++) {
        const FilRodAttachment* a = &body->attachments[s];
        const FilRod* rod = &body->rods[a->rod];
        for (int which = 0; which < 2 && a->kind == FIL_ATTACH_CLAMP && a->target.active; which++) {
            const FilClampSide* side = &a->side[which];
            if (side->edge < 0) {
                continue;
            }
            const Frame1 section = fil_rod_clamp_section(side, a->target.rotation[1]);
            const HingeLaw1 law = fil_rod_clamp_law(side, h + rod->first_node + a->first);
            Frame1 edge;
            fil_rod_edge_frame(rod, q + 4 * rod->first_node, h + rod->first_node, side->edge, &edge);
            const Frame1 *e = which == 0 ? &section : &edge, *f = which == 0 ? &edge : &section;
            HingeTerms1 terms;
            static const KnownTwist1 untwisted = {0.0, 1.0, 0.0};  // half an edge twists by less than pi
            hinge1(e, f, &law, &untwisted, &terms);
            energy += terms.energy;
        }
    }
    return energy;
}

void fil_rod_energy(const void* pointer, const double* q, const double* v, const double* h, const double* gravity, FilEnergy* add_to)
{
    const FilRodBody* body = pointer;
    for (int k = 0; k < 4 * body->node_count; k++) {
        add_to->kinetic += 0.5 * body->mass[k] * v[k] * v[k];
        if (k % 4 < 3) {
            add_to->gravity -= body->mass[k] * gravity[k % 4] * q[k];
        }
    }
    for (int r = 0; r < body->rod_count; r++) {
        const FilRod* rod = &body->rods[r];
        add_to->elastic += elastic_energy(rod, q + 4 * rod->first_node, (const FilRodHistory*)h + rod->first_node);
    }
    add_to->elastic += clamp_energy(body, q, (const FilRodHistory*)h);
}

void fil_rod_momentum(const void* pointer, const double* q, const double* v, const double* h, double* linear, double* angular)
{
    const FilRodBody* body = pointer;
    const FilRodHistory* history = (const FilRodHistory*)h;
    for (int i = 0; i < body->node_count; i++) {
        double moment[3];
        fil_v3_axpy(linear, body->mass[4 * i], v + 4 * i);
        fil_v3_cross(moment, q + 4 * i, v + 4 * i);
        fil_v3_axpy(angular, body->mass[4 * i], moment);
        fil_v3_axpy(angular, body->mass[4 * i + 3] * v[4 * i + 3], history[i].tangent);
    }
}
