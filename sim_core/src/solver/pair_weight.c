#include "solver/pair_weight.h"

#include <math.h>

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

static double mass_of(const FilBody* body)
{
    return body->ops->inertia != NULL && body->ops->mass != NULL ? body->ops->mass(body->impl) : 0.0;
}

void fil_pair_share_masses(FilSolver* solver)
{
    const FilPotentialProblem* p = &solver->potential.problem;
    const FilBody* bodies = solver->system->bodies;
    for (int first = 0, end; first < p->count; first = end) {
        const int* body = p->contacts[first].contact->body;
        double count = 0.0;
        for (end = first; end < p->count && p->contacts[end].contact->body[0] == body[0] && p->contacts[end].contact->body[1] == body[1]; end++) {
            count += p->contacts[end].share;
        }
        // round: shares vary with where things are, what is differentiated by that shall not
        const double mass = fmax(mass_of(&bodies[body[0]]), mass_of(&bodies[body[1]])), part = mass / fmax(round(count), 1.0);
        for (int k = first; k < end; k++) {
            p->contacts[k].part = part;
        }
    }
}
