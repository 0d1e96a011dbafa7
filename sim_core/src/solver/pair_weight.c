#include "solver/pair_weight.h"

#include <math.h>
#include <string.h>

/* What of a diagonal is no inertia, over what is. */
static double elastic_part(const FilSolver* solver, const FilContact* contact, int unknown, double diagonal)
{
    for (int side = 0; side < 2; side++) {
        const FilBody* body = &solver->system->bodies[contact->body[side]];
        if (unknown >= body->v && unknown < body->v + body->v_count && body->ops->inertia != NULL) {
            return fmax(diagonal / body->ops->inertia(body->impl, unknown - body->v) - 1.0, 0.0);
        }
    }
    return 0.0;
}

void fil_pair_weigh(const FilSolver* solver, FilPotentialContact* c)
{
    const FilContactSet* set = &solver->collision->set;
    const double* inverse = solver->system->scratch.weight;
    double largest = 0.0;
    int lightest = -1;
    c->compliance = 0.0;
    for (int b = c->contact->first_block; b < c->contact->first_block + c->contact->block_count; b++) {
        const double* w = inverse + 4 * set->variable[b];
        for (int k = 0; k < 3; k++) {
            lightest = w[k] > largest ? 4 * set->variable[b] + k : lightest;
            largest = fmax(largest, w[k]);
        }
        for (int k = 0; k < 4 && !c->contact->plain; k++) {
            const double normal = set->jacobian[12 * (size_t)b + 8 + (size_t)k];
            c->compliance += normal * normal * w[k];
        }
    }
    c->diagonal = largest > 0.0 ? 1.0 / largest : 0.0;
    c->elastic = lightest >= 0 ? elastic_part(solver, c->contact, lightest, c->diagonal) : 0.0;
}

void fil_pair_share_masses(const FilSolver* solver, double* part)
{
    const FilPotentialProblem* p = &solver->potential.problem;
    const FilSystem* system = solver->system;
    memset(part, 0, sizeof(double) * (size_t)system->body_count);
    for (int k = 0; k < p->count; k++) {
        const int* body = p->contacts[k].contact->body;
        for (int side = 0; side < (body[0] == body[1] ? 1 : 2); side++) {
            part[body[side]] += p->contacts[k].share;
        }
    }
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        // round: shares vary with where things are, what is differentiated by that shall not
        const double count = fmax(round(part[b]), 1.0);
        part[b] = part[b] > 0.0 && body->ops->inertia != NULL && body->ops->mass != NULL ? body->ops->mass(body->impl) / count : 0.0;
    }
    for (int k = 0; k < p->count; k++) {
        FilPotentialContact* c = &p->contacts[k];
        c->part = fmax(part[c->contact->body[0]], part[c->contact->body[1]]);
    }
}
