/* P2's hybrid scheme: directions by the bodies' own tangents, which are banded, until that is slow, then by the whole; factors serve
 * while bodies move little, corrected by Broyden's updates. */
#include <math.h>

#include "solver/solver.h"

/* A Newton step that leaves more than this share of the residual was too little: the contacts' tangent joins in. */
static const double SLOW = 0.25;

/* Share of the residual that a linear system solved by iteration may leave. */
static const double ACCURACY = 0.01;

/* Newton's direction at v, with the factors at hand or with new ones. */
static FilStatus find_direction(FilSolver* solver, FilPotentialIteration* newton, const double* v, FilStepInfo* info)
{
    FilPotentialStage* stage = &solver->potential;
    FilNewtonScratch* s = &solver->system->scratch;
    const FilPotentialFactors wanted = newton->tangent ? FIL_FACTORS_ALL : FIL_FACTORS_BODIES;
    // joints' costs have kinks, beyond which old factors are no help
    const bool serves = solver->contact.constraint_count == 0 && stage->factors == wanted && !fil_broyden_full(&stage->broyden);
    if (serves && fil_potential_solve(solver, s->residual, s->direction)) {
        fil_broyden_correct(&stage->broyden, s->direction);
        return FIL_OK;
    }
    double potential;
    if (!newton->fresh && !fil_potential_evaluate_bodies(solver, v, true, s->direction, &potential)) {
        return FIL_NOT_CONVERGED;
    }
    newton->fresh = true;
    FilStatus status = FIL_OK;
    if (newton->tangent) {
        const FilPotentialAim aim = {.definite = newton->definite, .accuracy = ACCURACY, .norm = newton->norm, .tolerance = newton->tolerance};
        status = fil_potential_solve_all(solver, newton->field, &aim, v, s->residual, s->direction, info);
    } else if (!fil_potential_factor_bodies(solver, v, s->direction, info) || !fil_potential_solve(solver, s->residual, s->direction)) {
        status = FIL_NOT_CONVERGED;
    }
    fil_broyden_start(&stage->broyden, s->direction);
    return status;
}

/* Walks along the direction until the residual or the potential has fallen; v and the residual follow. */
static bool search(FilSolver* solver, FilPotentialIteration* newton, double* v)
{
    FilNewtonScratch* s = &solver->system->scratch;
    const FilPotentialNewton* options = &newton->options;
    const double slope = fil_potential_slope(solver, s->residual, s->direction);
    // P2 section 2.5: halved every other iteration, whatever comes of it
    const double longest = newton->field->longest != NULL ? newton->field->longest(solver, v, s->direction) : 1.0;
    const bool damping = options->damping;
    const double first = damping ? ldexp(1.0, -(newton->iterations - 1) / 2) : longest;
    // without the contacts' tangent directions are poor, and two halvings (0.25) show it; with it, 13, as of free
    // motion (free_motion.c)
    const double shortest = damping ? first : (newton->tangent ? 1e-4 : 0.2);
    // friction as published has no potential; static friction's is sharp, and a smaller residual may lead away from rest
    const double rise = options->descends ? 1e-12 * fabs(newton->potential) + newton->noise : INFINITY;
    const bool kinks = solver->contact.constraint_count > 0;
    for (double step = first; step >= shortest; step *= 0.5) {
        double potential;
        fil_potential_try(solver, v, s->direction, step, s->trial);
        if (!fil_potential_evaluate_all(solver, newton->field, s->trial, s->residual, &potential)) {
            continue;
        }
        const double norm = fil_potential_size(solver, s->residual, newton->as_force);
        // 1e-4: Armijo
        const bool lower = (norm <= (1.0 - 1e-4 * step) * newton->norm && potential <= newton->potential + rise) ||
                           potential <= newton->potential + 1e-4 * step * slope;
        // kinks of joints' friction: not far beyond
        const bool leapt = kinks && fil_potential_slope(solver, s->residual, s->direction) > 0.5 * fabs(slope);
        if (damping || (lower && !leapt) || norm <= newton->tolerance) {
            fil_potential_try(solver, v, s->direction, step, v);
            const bool slow = norm > SLOW * newton->norm;
            // static friction: the true tangent leaps about far from rest and is quick near it, the larger one is safe and slow
            newton->definite = !options->full_tangent && (step < 1.0 || !slow || !newton->tangent);
            newton->tangent = newton->tangent || (options->tangent_after < 0 && slow);
            // objects move little in a step: factors serve while they do
            solver->potential.factors = slow || step < 1.0 ? FIL_FACTORS_NONE : solver->potential.factors;
            newton->norm = norm;
            newton->potential = potential;
            return true;
        }
    }
    return false;
}

const FilPotentialScheme fil_scheme_hybrid = {.quasi_newton = true, .direction = find_direction, .search = search};
