/* Full Newton steps for fields whose friction stands apart: a new tangent in every iteration, linear systems solved as accurately as
 * pays. */
#include <math.h>

#include "solver/solver.h"

/* Share of the residual that linear systems solved by iteration leave: half of what the last iteration left, within bounds. What else an iteration
 * of cloth does takes as long as 50 iterations of conjugate gradients: with 0.05 it takes 2 % more of the former, with 0.02 as many as with this. */
static const double FINEST = 0.01, COARSEST = 0.03;

/* Newton's decrement, the distance to the solution in the norm of the tangent, as a share of the tolerance: below it a step moves nothing,
 * although the residual is above the tolerance still, up to five times at 1e-13. The tangent of the paraboloid from above gets past that
 * where the true one goes round in circles; where it does not, either, what is left is rounding of positions times stiff barriers. */
static const double NO_STEP = 0.01, ROUNDED = 100.0;

static bool is_stalled(const FilPotentialIteration* newton, double slope, double norm)
{
    const double decrement = sqrt(fmax(-slope, 0.0));
    return norm > 0.5 * newton->norm && norm < ROUNDED * newton->tolerance && decrement < NO_STEP * newton->tolerance;
}

/* Of what is negligible: what friction may be off by where it sticks. */
static const double SETTLED = 0.1;

static double accuracy_after(double fall)
{
    return fmin(fmax(0.5 * fall, FINEST), COARSEST);
}

/* Iterations after which models about what is expected of terms are given up: where they are of use, four are enough; where a rope lies on a sharp
 * edge, each term expects to hold it alone. */
enum { EXPECTANT = 8 };

/* The residual of a field's model about what is expected of its terms, or of the one about v, which is the true one. */
static const double* residual_of(FilSolver* solver, const FilPotentialField* field, bool expected)
{
    const double* residual = solver->system->scratch.residual;
    double* right = expected && field->anticipate != NULL ? solver->potential.impulse.at : NULL;
    if (right != NULL) {
        fil_system_copy(solver->system, right, residual, solver->system->v_count);
    }
    if (field->anticipate != NULL) {
        field->anticipate(solver, right);
    }
    if (right != NULL) {
        fil_potential_spare_held(solver, right);
    }
    return right != NULL ? right : residual;
}

/* Times the tolerance: below it the last direction's matrix serves once more. Of nets it leaves a quarter, four times of five less than the
 * tolerance, and costs half as much as a new one; with 2.5 and 10 there is less to gain. */
static const double NEARLY = 4.0, LEFT_AGAIN = 0.1; /* of what that leaves, the linear system's share is small */

/* Iterations after which worlds with solids of up to so many columns are factored as a whole, whatever the fill: most steps take two to five, and
 * those with conjugate gradients may go round in circles, where friction at stiff vertices is found with a preconditioner that knows little of what
 * holds them. With 8 box, ropes and blocks on a block take half as many iterations and up to four times as long. */
enum { PATIENCE = 20, MAX_FACTORED = 2000 };

/* Direction of a field's full model. Where that leads uphill, because friction's is made about slips that are not there yet: of
 * the model about v itself, which never does while it is positive definite. */
static FilStatus find_direction(FilSolver* solver, FilPotentialIteration* newton, const double* v, FilStepInfo* info)
{
    FilNewtonScratch* s = &solver->system->scratch;
    FilPotentialAim aim = {.definite = newton->definite, .accuracy = newton->accuracy, .norm = newton->norm, .tolerance = newton->tolerance};
    const bool solids = fil_potential_has_solids(solver);
    aim.factored = solids && newton->iterations > PATIENCE && solver->contact.column_count <= MAX_FACTORED;
    aim.again = solver->potential.serves && !aim.definite && aim.norm < NEARLY * aim.tolerance;
    aim.accuracy = aim.again ? fmax(aim.accuracy, LEFT_AGAIN) : aim.accuracy;
    FilStatus status = aim.again ? FIL_OK : fil_potential_prepare(solver, newton->field, &aim, info);
    if (status != FIL_OK) {
        return status;
    }
    const double* right = residual_of(solver, newton->field, !aim.definite && !aim.again && !newton->plain);
    status = fil_potential_solve_all(solver, newton->field, &aim, v, right, s->direction, info);
    // not after direct solutions, which change momentum by no more than rounding, and not where other vertices would be pulled along
    if (status == FIL_OK && !aim.definite && solver->potential.apart && !solids && newton->field->settle != NULL) {
        newton->field->settle(solver, SETTLED * fil_potential_negligible(&aim), s->direction);
    }
    newton->slope = status == FIL_OK ? fil_potential_slope(solver, s->residual, s->direction) : 0.0;
    if (status == FIL_OK && !aim.definite && newton->slope >= 0.0) {
        aim.again = false;
        aim.accuracy = newton->accuracy;
        if (solver->potential.apart) {  // of sheets: of the paraboloid from above
            aim.definite = true;
        } else {
            newton->field->center(solver, v);
            aim.centred = true;
        }
        right = residual_of(solver, newton->field, false);
        status = fil_potential_solve_all(solver, newton->field, &aim, v, right, s->direction, info);
        newton->slope = status == FIL_OK ? fil_potential_slope(solver, s->residual, s->direction) : 0.0;
    }
    return status;
}

/* The slope along a line jumps where friction turns round and grows without bound where objects touch: looks for
 * a step at which the slope has fallen to a half, between the last that was too short and the last that was too long. */
static bool search(FilSolver* solver, FilPotentialIteration* newton, double* v)
{
    // 60: bisection is at rounding then, 2^-53; how long the slope has to fall: 10 to 40 give rings on rods the same bits
    enum { LOOKS = 60, ENOUGH = 20 };
    FilNewtonScratch* s = &solver->system->scratch;
    const double start = newton->slope, longest = newton->field->longest(solver, v, s->direction);
    // dry friction of joints makes kinks that steps must not leap over: the slope itself has to fall, for a while
    const bool kinks = solver->contact.constraint_count > 0;
    // of sums over some thousand contacts and elements
    const double rounding = 1e-12 * (fabs(newton->potential) + fabs(start));
    double low = 0.0, low_slope = start, high = 0.0, high_slope = INFINITY, step = longest;
    int side = 0;  // which end moved last
    for (int look = 0; look < LOOKS; look++) {
        double potential, slope = INFINITY, norm = INFINITY;
        const bool is_free = newton->field->is_free == NULL || newton->field->is_free(solver, v, s->direction, step);
        fil_potential_try(solver, v, s->direction, step, s->trial);
        if (is_free && fil_potential_evaluate_all(solver, newton->field, s->trial, s->residual, &potential)) {
            slope = fil_potential_slope_and_size(solver, s->residual, s->direction, &norm);
            const bool farthest = step == longest && slope <= 0.0;  // still downhill at the end of the line
            const bool flat = (fabs(slope) <= 0.5 * fabs(start) || farthest) && potential <= newton->potential + rounding;
            // near the solution potentials differ by less than they are rounded by (gaps of 1e-17 m times forces): slope and residual tell
            const bool half = fabs(slope) <= 0.5 * fabs(start), askew = newton->options.askew;
            const bool level = askew || potential <= newton->potential + newton->noise;
            const bool near = (half || (askew && farthest)) && norm < newton->norm && level;
            const bool steep = kinks && look < ENOUGH && fabs(slope) > 0.5 * fabs(start);
            // 1e-4: Armijo
            if (flat || near || (!steep && potential <= newton->potential + 1e-4 * step * start) || norm <= newton->tolerance) {
                const bool stalled = is_stalled(newton, start, norm);
                newton->exhausted = stalled && newton->definite;
                newton->definite = look > 1 || stalled;
                newton->plain = newton->plain || look > 1 || newton->iterations >= EXPECTANT;
                newton->accuracy = accuracy_after(norm / newton->norm);
                fil_potential_try(solver, v, s->direction, step, v);
                newton->norm = norm;
                newton->potential = potential;
                return true;
            }
        }
        const int before = side;
        side = slope > 0.0 ? 1 : -1;
        if (slope > 0.0) {
            high = step;
            high_slope = slope;
        } else {
            low = step;
            low_slope = slope;
        }
        // where the line between the two slopes is zero, but well between; midway where that comes from one side only
        const bool stuck = kinks && side == before;
        const double share = isfinite(high_slope) && !stuck ? low_slope / (low_slope - high_slope) : 0.5;
        // a tenth from either end: safeguarded regula falsi, as usual
        step = low + fmin(fmax(share, 0.1), 0.9) * (high - low);
    }
    return false;
}

const FilPotentialScheme fil_scheme_full = {.direction = find_direction, .search = search};
