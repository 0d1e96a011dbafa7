#include "contact/spt.h"

#include <math.h>

#include "base/vec3.h"

/* Touching: surfaces that overlap by less than this share of the radius. */
static const double TOUCHING = 1e-3;

/* Share of a pair's correction done at once: neighbours correct the same nodes. */
static const double SHARE = 0.3;

/* How often the equations of motion are solved again in a step. */
enum { MAX_ROUNDS = 60 };

static void begin(FilPotentialProblem* problem)
{
    for (int k = 0; k < problem->count; k++) {
        FilPotentialContact* c = &problem->contacts[k];
        c->nodes = false;
        c->rows = true;
        c->normal_force = 0.0;
        fil_v3_copy(c->push, c->slip);
        c->push[2] = 0.0;
        const double speed = fil_v3_norm(c->push);
        fil_v3_scale(c->push, speed > 0.0 ? c->contact->mu / speed : 0.0, c->push);
    }
}

static void evaluate(const FilPotentialProblem* problem, const FilPotentialContact* c, const double* x, const double* u, FilPotentialOrder order,
                     FilPotentialTerm* term)
{
    (void)x;
    (void)order;
    // a constant force: along the normal, and against the slip of the last step
    fil_v3_scale(term->row_gradient, c->normal_force, c->push);
    term->row_gradient[2] = -c->normal_force;
    term->energy = problem->dt * fil_v3_dot(term->row_gradient, u);
}

/* Adds the force that would bring each overlapping pair to touch if it were alone. */
static bool refine(FilPotentialProblem* problem, const double* distances)
{
    bool again = false;
    for (int k = 0; k < problem->count; k++) {
        FilPotentialContact* c = &problem->contacts[k];
        const bool overlaps = distances[k] < -TOUCHING * c->radius;
        const bool pulled = distances[k] > TOUCHING * c->radius && c->normal_force > 0.0;
        if ((overlaps || pulled) && c->compliance > 0.0) {
            // to its middle, not its edge
            const double impulse = -SHARE * distances[k] / (problem->dt * c->compliance);
            c->normal_force = fmax(c->normal_force + impulse / problem->dt, 0.0);
            again = true;
        }
    }
    return again && problem->round < MAX_ROUNDS;
}

const FilPairPotential fil_spt_pair = {.begin = begin, .evaluate = evaluate, .refine = refine};
