/* Two bodies of one rod each at once, whose chains are folded alike. */
#include <string.h>

#include "body/rod.h"

#if defined(FIL_LANE_PAIRS)
static bool is_one_chain(const FilRodBody* body)
{
    return body->rod_count == 1 && !body->network && body->setup.theta > 0.0;
}

static bool goes_with(const void* first, const void* second)
{
    const FilRodBody *a = first, *b = second;
    return is_one_chain(a) && is_one_chain(b) && fil_rod_chain_goes_with(&a->rods[0].chain, &b->rods[0].chain);
}

static void evaluate(void* const* bodies, const double* const* v, const double* shift, double* const* residual, double* potential, bool* in_reach)
{
    FilRodBody* const body[2] = {bodies[0], bodies[1]};
    FilRodChain* const chains[2] = {&body[0]->rods[0].chain, &body[1]->rods[0].chain};
    const double* const q[2] = {body[0]->q_theta, body[1]->q_theta};
    for (int k = 0; k < 2; k++) {
        fil_rod_begin_trial(body[k], v[k]);
        memset(body[k]->gradient, 0, sizeof(double) * 4 * (size_t)body[k]->node_count);
    }
    fil_rod_chain_assemble_pair(chains, q, shift, true, in_reach);
    for (int k = 0; k < 2; k++) {
        in_reach[k] = in_reach[k] && fil_rod_end_trial(body[k], v[k], chains[k]->energy, residual[k], &potential[k]);
    }
}

static void factor(void* const* bodies, bool* definite)
{
    FilRodBody *a = bodies[0], *b = bodies[1];
    FilRodChain* const chains[2] = {&a->rods[0].chain, &b->rods[0].chain};
    fil_rod_chain_factor_pair(chains, definite);
}

static void solve(void* const* bodies, double* const* x)
{
    FilRodBody *a = bodies[0], *b = bodies[1];
    FilRodChain* const chains[2] = {&a->rods[0].chain, &b->rods[0].chain};
    fil_rod_chain_solve_pair(chains, x);
    fil_rod_scale_solution(a, x[0]);
    fil_rod_scale_solution(b, x[1]);
}

const FilBodyPairOps fil_rod_pair_ops = {goes_with, evaluate, factor, solve};
#else
typedef int FilNoRodPairs; /* a file may not be empty */
#endif
