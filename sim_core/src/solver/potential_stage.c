#include "solver/potential_stage.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "world/world.h"

/* A Newton step that leaves more than this share of the residual was too little: the contacts' tangent joins in. */
static const double SLOW = 0.25;

/* Share of the residual that linear systems solved by iteration leave: half of what the last iteration left, within bounds. */
static const double FINEST = 0.01, COARSEST = 0.05, FIRST_FALL = 0.06;

static double accuracy_after(double fall)
{
    return fmin(fmax(0.5 * fall, FINEST), COARSEST);
}

/* The contacts' tangent takes part from the start after a step that could not do without, not for ever. */
enum { HINT_STEPS = 20 };

void fil_potential_stage_free(FilPotentialStage* stage)
{
    fil_free(stage->contacts);
    fil_free(stage->forces);
    fil_free(stage->edges);
    fil_free(stage->distances.at);
    fil_free(stage->impulse.at);
    fil_broyden_free(&stage->broyden);
    fil_free(stage->edge_scratch.at);
    fil_block_cholesky_destroy(stage->cholesky);
    fil_block_pcg_free(&stage->pcg);
    fil_block_sum_free(&stage->hessian);
    fil_block_sum_free(&stage->friction);
    fil_free(stage->vectors.at);
    fil_free(stage->laws);
    fil_free(stage->column_block.at);
    fil_free(stage->list_end.at);
    fil_free(stage->list_variable.at);
}

void fil_potential_begin(FilPotentialStage* stage)
{
    stage->begins = true;
    stage->settled = false;
}

bool fil_potential_takes_part(const FilWorld* world, int b)
{
    return world->contact.active && world->contact.offset[b] >= 0;
}

/* ---- the residual ---- */

/* Residual of the bodies that take part, without contact; false if v leads out of reach. Prepares their tangents, if asked to:
 * else those that have been factored stay. */
static bool evaluate_bodies(FilWorld* world, const double* v, bool tangent, double* residual, double* potential)
{
    *potential = 0.0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        double own;
        if (!fil_potential_takes_part(world, b)) {
            continue;
        }
        if (!(tangent || body->ops->residual == NULL
                  ? body->ops->evaluate(body->impl, v + body->v, world->potential.shift, residual + body->v, &own)
                  : body->ops->residual(body->impl, v + body->v, residual + body->v, &own))) {
            return false;
        }
        *potential += own;
    }
    return true;
}

void fil_potential_spare_held(const FilWorld* world, double* residual)
{
    const double* weight = world->scratch.weight;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        const int end = body->v + (fil_potential_takes_part(world, b) ? body->v_count : 0);
        for (int k = body->v; k < end; k++) {
            residual[k] = weight[k] > 0.0 ? residual[k] : 0.0;
        }
    }
}

/* Adds contacts and joints to what evaluate_bodies() has found. */
static bool evaluate_contacts(FilWorld* world, const FilPotentialModel* model, const double* v, double* residual,
                              double* potential)
{
    *potential += model->field != NULL ? model->field->add(world, v, residual) : fil_potential_add(world, model, v, residual);
    *potential += fil_potential_joints_add(world, v, residual);
    fil_potential_spare_held(world, residual);
    return isfinite(*potential);
}

/* Both; fields need the bodies' tangents in every iteration. */
static bool evaluate(FilWorld* world, const FilPotentialModel* model, const double* v, double* residual, double* potential)
{
    return evaluate_bodies(world, v, model->field != NULL, residual, potential) && evaluate_contacts(world, model, v, residual, potential);
}

/* ---- the measure ---- */

/* Sum of a b weight (NULL: a b) over a body's velocities, which come in blocks of four: four sums do not wait for each other. */
static double sum_products(const double* a, const double* b, const double* weight, int count)
{
    double sum[4] = {0.0};
    for (int k = 0; k < count; k += 4) {
        for (int m = 0; m < 4; m++) {
            sum[m] += a[k + m] * b[k + m] * (weight != NULL ? weight[k + m] : 1.0);
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Inverse diagonals as weights, diagonals as Broyden's metric; returns the size of momenta at work, and what rounding leaves. */
static double set_measure(FilWorld* world, double dt, const double* v, double* rounding)
{
    double sum = 0.0, stiffness = 0.0, reach = 0.0;
    FilNewtonScratch* s = &world->scratch;
    double* metric = world->potential.broyden.metric.at;
    const bool steps = world->potential.broyden.size > 0;
    if (steps) {
        memset(metric, 0, sizeof(double) * (size_t)world->v_count);
    }
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (!fil_potential_takes_part(world, b)) {
            continue;
        }
        body->ops->diagonal(body->impl, v + body->v, s->weight + body->v, s->scale + body->v);
        double *weight = s->weight + body->v, *scale = s->scale + body->v;
        if (steps) {
            memcpy(metric + body->v, weight, sizeof(double) * (size_t)body->v_count);
        }
        for (int k = 0; k < body->v_count; k++) {
            stiffness += weight[k];
        }
        for (int k = 0; k < body->v_count; k++) {
            const double inverse = 1.0 / (weight[k] > 0.0 ? weight[k] : 1.0);
            weight[k] = weight[k] > 0.0 ? inverse : 0.0;
        }
        sum += sum_products(scale, scale, weight, body->v_count);
        for (int k = body->q; k < body->q + body->q_count; k++) {
            reach = fmax(reach, fabs(world->state.q[k]));
        }
    }
    *rounding = 4.0 * DBL_EPSILON * reach / dt * sqrt(stiffness);
    return sqrt(sum);
}

/* Size of a residual: weighted, or as plain force where a force is what Newton shall stop at. */
static double size_of(const FilWorld* world, const double* residual, bool as_force)
{
    double sum = 0.0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        const double* own = residual + body->v;
        const int count = fil_potential_takes_part(world, b) ? body->v_count : 0;
        sum += sum_products(own, own, as_force ? NULL : world->scratch.weight + body->v, count);
    }
    return sqrt(sum) / (as_force ? world->potential.problem.dt : 1.0);
}

/* ---- Newton ---- */

typedef struct Newton {
    bool as_force;    /* the residual is measured in N */
    double tolerance; /* of its size */
    double norm, potential;
    int iterations;
    bool tangent;  /* the contacts' tangent takes part */
    bool cautious; /* the last line had a kink */
    bool fresh;    /* the bodies' tangents are those of the present velocities */
    double accuracy; /* of the next direction */
} Newton;

/* v - step * direction of everything that takes part. */
static void try_step(FilWorld* world, const double* v, const double* direction, double step, double* trial)
{
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        const int end = body->v + (fil_potential_takes_part(world, b) ? body->v_count : 0);
        for (int k = body->v; k < end; k++) {
            trial[k] = v[k] - step * direction[k];
        }
    }
}

/* The largest step along the direction that the model allows. */
static double longest_step(FilWorld* world, const FilPotentialModel* model, const double* v, const double* direction)
{
    const FilPotentialProblem* p = &world->potential.problem;
    double longest = model->field != NULL ? model->field->longest(world, v, direction) : 1.0;
    for (int k = 0; model->step_limit != NULL && k < p->count; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        double x[12], moved[12];
        fil_potential_place(c, v, p->dt, x);
        for (int i = 0; i < 12; i++) {
            moved[i] = -p->dt * direction[4 * c->variable[i / 3] + i % 3];
        }
        longest = fmin(longest, model->step_limit(p, c, x, moved));
    }
    return longest;
}

/* Slope of the potential along -direction where the residual is known. */
static double slope_along(const FilWorld* world, const double* residual, const double* direction)
{
    double slope = 0.0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        const int count = fil_potential_takes_part(world, b) ? body->v_count : 0;
        slope -= sum_products(residual + body->v, direction + body->v, NULL, count);
    }
    return slope;
}

/* Walks along the direction until the residual or the potential has fallen; v and the residual follow. */
static bool search(FilWorld* world, const FilPotentialModel* model, Newton* newton, double* v)
{
    FilNewtonScratch* s = &world->scratch;
    const FilImcSettings* settings = &world->def.imc;
    const double slope = slope_along(world, s->residual, s->direction);
    // P2 section 2.5: halved every other iteration, whatever comes of it
    const double longest = longest_step(world, model, v, s->direction);
    const bool damping = settings->damping && model->field == NULL;
    const double first = damping ? ldexp(1.0, -(newton->iterations - 1) / 2) : longest;
    const double shortest = damping ? first : (newton->tangent ? 1e-4 : 0.2);
    // friction as published has no potential; static friction's is sharp, and a smaller residual may lead away from rest
    const double rise = settings->friction == FIL_IMC_STATIC ? 1e-12 * fabs(newton->potential) : INFINITY;
    const bool kinks = world->contact.constraint_count > 0;
    for (double step = first; step >= shortest; step *= 0.5) {
        double potential;
        try_step(world, v, s->direction, step, s->trial);
        if (!evaluate(world, model, s->trial, s->residual, &potential)) {
            continue;
        }
        const double norm = size_of(world, s->residual, newton->as_force);
        const bool lower = (norm <= (1.0 - 1e-4 * step) * newton->norm && potential <= newton->potential + rise) ||
                           potential <= newton->potential + 1e-4 * step * slope;
        // kinks of joints' friction: not far beyond
        const bool leapt = kinks && slope_along(world, s->residual, s->direction) > 0.5 * fabs(slope);
        if (damping || (lower && !leapt) || norm <= newton->tolerance) {
            try_step(world, v, s->direction, step, v);
            const bool slow = norm > SLOW * newton->norm;
            // static friction: the true tangent leaps about far from rest and is quick near it, the larger one is safe and slow
            newton->cautious = !settings->full_tangent && (step < 1.0 || !slow || !newton->tangent);
            newton->tangent = newton->tangent || (settings->tangent_after < 0 && slow);
            // things move little in a step: factors serve while they do
            world->potential.factors = slow || step < 1.0 ? FIL_FACTORS_NONE : world->potential.factors;
            newton->norm = norm;
            newton->potential = potential;
            return true;
        }
    }
    return false;
}

/* The same for fields, whose slope jumps where friction turns round and grows without bound where things touch: looks for
 * a step at which the slope has fallen to a half, between the last that was too short and the last that was too long. */
static bool search_field(FilWorld* world, const FilPotentialModel* model, Newton* newton, double* v)
{
    enum { LOOKS = 60, ENOUGH = 20 };
    FilNewtonScratch* s = &world->scratch;
    const double start = slope_along(world, s->residual, s->direction), longest = longest_step(world, model, v, s->direction);
    // dry friction of joints makes kinks that steps must not leap over: the slope itself has to fall, for a while
    const bool kinks = world->contact.constraint_count > 0;
    const double rounding = 1e-12 * (fabs(newton->potential) + fabs(start));
    double low = 0.0, low_slope = start, high = 0.0, high_slope = INFINITY, step = longest;
    int side = 0; // which end moved last
    for (int look = 0; look < LOOKS; look++) {
        double potential, slope = INFINITY, norm = INFINITY;
        try_step(world, v, s->direction, step, s->trial);
        if (evaluate(world, model, s->trial, s->residual, &potential)) {
            slope = slope_along(world, s->residual, s->direction);
            norm = size_of(world, s->residual, false);
            const bool farthest = step == longest && slope <= 0.0; // still downhill at the end of the line
            const bool flat = (fabs(slope) <= 0.5 * fabs(start) || farthest) && potential <= newton->potential + rounding;
            const bool steep = kinks && look < ENOUGH && fabs(slope) > 0.5 * fabs(start);
            if (flat || (!steep && potential <= newton->potential + 1e-4 * step * start) || norm <= newton->tolerance) {
                newton->cautious = look > 1;
                newton->accuracy = accuracy_after(norm / newton->norm);
                try_step(world, v, s->direction, step, v);
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
        step = low + fmin(fmax(share, 0.1), 0.9) * (high - low);
    }
    return false;
}

/* Direction of a field's full model; of the cautious one where that leads uphill. */
static FilStatus model_direction(FilWorld* world, const FilPotentialModel* model, const Newton* newton, const double* v,
                                 FilStepInfo* info)
{
    FilNewtonScratch* s = &world->scratch;
    FilPotentialAim aim = {newton->cautious, newton->accuracy, newton->norm, newton->tolerance};
    FilStatus status = fil_potential_solve_all(world, model, &aim, v, s->residual, s->direction, info);
    if (status == FIL_OK && !aim.cautious && slope_along(world, s->residual, s->direction) >= 0.0) {
        aim.cautious = true;
        status = fil_potential_solve_all(world, model, &aim, v, s->residual, s->direction, info);
    }
    return status;
}

/* Newton's direction at v, with the factors at hand or with new ones. */
static FilStatus find_direction(FilWorld* world, const FilPotentialModel* model, Newton* newton, const double* v, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    FilNewtonScratch* s = &world->scratch;
    const FilPotentialFactors wanted = newton->tangent ? FIL_FACTORS_ALL : FIL_FACTORS_BODIES;
    // joints' costs have kinks, beyond which old factors are no help
    const bool serves = world->contact.constraint_count == 0 && stage->factors == wanted && !fil_broyden_full(&stage->broyden);
    if (serves && fil_potential_solve(world, s->residual, s->direction)) {
        fil_broyden_correct(&stage->broyden, s->direction);
        return FIL_OK;
    }
    double potential;
    if (!newton->fresh && !evaluate_bodies(world, v, true, s->direction, &potential)) {
        return FIL_NOT_CONVERGED;
    }
    newton->fresh = true;
    FilStatus status = FIL_OK;
    if (newton->tangent) {
        const FilPotentialAim aim = {newton->cautious, FINEST, newton->norm, newton->tolerance};
        status = fil_potential_solve_all(world, model, &aim, v, s->residual, s->direction, info);
    } else if (!fil_potential_factor_bodies(world, v, s->direction, info) ||
               !fil_potential_solve(world, s->residual, s->direction)) {
        status = FIL_NOT_CONVERGED;
    }
    fil_broyden_start(&stage->broyden, s->direction);
    return status;
}

/* Newton's method from v; the residual at the solution is left evaluated. */
static FilStatus iterate(FilWorld* world, const FilPotentialModel* model, Newton* newton, double* v, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    FilNewtonScratch* s = &world->scratch;
    const int after = world->def.imc.tangent_after;
    const bool has_tangent = model->tangent || world->contact.constraint_count > 0;
    for (int first = newton->iterations; newton->norm > newton->tolerance || newton->iterations == first;) {
        if (newton->iterations == world->def.newton_max_iterations) {
            return FIL_NOT_CONVERGED;
        }
        newton->tangent = has_tangent && (newton->tangent || (after >= 0 && newton->iterations - first >= after));
        newton->iterations++;
        FilStatus status = model->field != NULL ? model_direction(world, model, newton, v, info)
                                                : find_direction(world, model, newton, v, info);
        if (status != FIL_OK) {
            return status;
        }
        newton->fresh = false;
        if (!(model->field != NULL ? search_field : search)(world, model, newton, v)) {
            // with old factors, or without the contacts' tangent, the direction may be a bad one
            double potential;
            const bool better = stage->broyden.count > 1 || (!newton->tangent && has_tangent);
            if (!better || !evaluate(world, model, v, s->residual, &potential)) {
                return FIL_NOT_CONVERGED;
            }
            newton->tangent = has_tangent;
            stage->factors = FIL_FACTORS_NONE;
        } else if (model->field != NULL) {
            bool changed = false;
            status = model->field->accept(world, v, &changed);
            if (status != FIL_OK) {
                return status;
            }
            stage->bound = stage->bound && !changed;
            stage->factors = FIL_FACTORS_NONE;
        }
    }
    return FIL_OK;
}

/* Size of the contacts' impulses, as evaluated last. */
static double contacts_at_work(FilWorld* world, const FilPotentialModel* model)
{
    if (model->field != NULL) {
        return 0.0;
    }
    double* impulse = world->potential.impulse.at;
    memset(impulse, 0, sizeof(double) * (size_t)world->v_count);
    fil_potential_add_kept(world, impulse);
    return size_of(world, impulse, false);
}

/* What Newton stops at; `at_work`: the size of the bodies' momenta. */
static Newton start_newton(FilWorld* world, const FilPotentialModel* model, double at_work, double rounding)
{
    const FilImcSettings* settings = &world->def.imc;
    // joints are stiff and mix forces with torques: what P2 stops at would be too little
    const bool plain = model->field == NULL && world->contact.constraint_count == 0;
    Newton newton = {.as_force = plain && (settings->reduction > 0.0 || settings->force_tolerance > 0.0),
                     .accuracy = accuracy_after(FIRST_FALL)};
    newton.norm = size_of(world, world->scratch.residual, newton.as_force);
    if (newton.as_force) {
        newton.tolerance = fmax(settings->force_tolerance, settings->reduction * newton.norm);
    } else {
        // a second stage need not be more exact than what it leans on
        const double share = world->def.newton_tolerance * (world->in_second ? fmax(world->leaning, 1.0) : 1.0);
        newton.tolerance = share * fmax(hypot(at_work, contacts_at_work(world, model)), newton.norm) + rounding;
    }
    return newton;
}

void fil_potential_guess(const FilWorld* world, int b, const double* change, double* v)
{
    const FilBody* body = &world->bodies[b];
    if (body->ops->points) {
        body->ops->guess(body->impl, change + body->v, v + body->v);
        return;
    }
    // nothing holds it, and its free motion is far from what contacts and joints leave of it
    for (int k = body->v; k < body->v + body->v_count; k++) {
        v[k] = world->state.v[k] + change[k];
    }
}

/* First guess of all velocities: changing on as in the last step, or not at all. */
static void guess(FilWorld* world, bool change, double* v)
{
    memset(world->scratch.direction, 0, sizeof(double) * (size_t)world->v_count);
    for (int b = 0; b < world->body_count; b++) {
        if (fil_potential_takes_part(world, b)) {
            fil_potential_guess(world, b, change ? world->state.change : world->scratch.direction, v);
        }
    }
}

/* Lets a field find its pairs; v keeps things apart from then on. */
static FilStatus set_up_field(FilWorld* world, const FilPotentialModel* model, double dt, double* v, FilStepInfo* info)
{
    return model->field != NULL ? model->field->begin(world, dt, v, info) : FIL_OK;
}

/* Names a body whose equations of motion are no gradient. */
static FilStatus refuse_body(FilWorld* world, const double* v)
{
    const char* name = "?";
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        double own = 0.0;
        if (fil_potential_takes_part(world, b) && body->ops->evaluate(body->impl, v + body->v, 0.0, world->scratch.residual + body->v, &own) &&
            isnan(own)) {
            name = body->name;
        }
    }
    world->potential.refused = true;
    return fil_world_fail(world, FIL_BAD_INPUT, "contact model '%s' needs a potential, which '%s' has not with its scheme: use semi_implicit",
                          world->def.contact_model, name);
}

/* All bodies that touch something, together. */
static FilStatus solve_touching(FilWorld* world, const FilPotentialModel* model, double dt, FilStepInfo* info)
{
    FilPotentialStage* stage = &world->potential;
    double *v = world->scratch.solution, potential, rounding;
    // cords of a net are slack more often than not: what pressure takes from their stiffness only misleads
    stage->shift = fil_potential_is_sheet(world, model) ? FIL_SHIFT_LEAST : 0.0;
    guess(world, true, v);
    FilStatus status = set_up_field(world, model, dt, v, info);
    if (status != FIL_OK) {
        return status;
    }
    stage->factors = FIL_FACTORS_NONE;
    if (!evaluate_bodies(world, v, true, world->scratch.residual, &potential)) {
        guess(world, false, v); // that was too far
        status = set_up_field(world, model, dt, v, info);
        if (status != FIL_OK || !evaluate_bodies(world, v, true, world->scratch.residual, &potential)) {
            return FIL_NOT_CONVERGED;
        }
    }
    if (isnan(potential)) {
        return refuse_body(world, v);
    }
    if (!fil_broyden_begin(&stage->broyden, model->field == NULL ? (size_t)world->v_count : 0)) {
        return FIL_OUT_OF_MEMORY;
    }
    // contacts are weighed by the tangent's diagonal
    const double at_work = set_measure(world, dt, v, &rounding);
    status = fil_potential_joints_begin(world, dt);
    status = status == FIL_OK ? fil_potential_set_up(world, model, dt) : status;
    if (status != FIL_OK) {
        return status;
    }
    double* hint = &stage->problem.memory[FIL_MEMORY_TANGENT];
    if (!evaluate_contacts(world, model, v, world->scratch.residual, &potential)) {
        return FIL_NOT_CONVERGED;
    }
    Newton newton = start_newton(world, model, at_work, rounding);
    newton.potential = potential;
    newton.fresh = true;
    newton.cautious = model->field == NULL && !world->def.imc.full_tangent;
    // joints are stiff: without their tangent Newton would not get anywhere
    newton.tangent = model->field != NULL || world->contact.constraint_count > 0 || (world->def.imc.tangent_after < 0 && *hint > 0.0);
    bool again;
    do {
        status = iterate(world, model, &newton, v, info);
        if (status != FIL_OK) {
            return status;
        }
        again = false;
        if (model->refine != NULL) {
            fil_potential_measure(world, v);
            stage->problem.round++;
            again = model->refine(&stage->problem, stage->distances.at);
            if (again && !evaluate(world, model, v, world->scratch.residual, &newton.potential)) {
                return FIL_NOT_CONVERGED;
            }
            newton.norm = size_of(world, world->scratch.residual, newton.as_force);
        }
    } while (again);
    stage->problem.memory[FIL_MEMORY_STIFF] = fmax(stage->problem.memory[FIL_MEMORY_STIFF] - 1.0, 0.0);
    *hint = *hint > 0.0 ? *hint - 1.0 : newton.tangent ? HINT_STEPS : 0.0;
    info->newton_iterations += newton.iterations;
    info->residual = fmax(info->residual, newton.norm);
    fil_potential_spread(world, model, v, info);
    return FIL_OK;
}

FilStatus fil_solve_potential(FilWorld* world, const FilPotentialModel* model, double dt, FilStepInfo* info)
{
    const FilContactSet* set = &world->collision.set;
    info->contacts = set->count;
    for (int k = 0; k < set->count; k++) {
        info->max_penetration = fmax(info->max_penetration, -set->contacts[k].distance);
        info->least_distance = fmin(info->least_distance, set->contacts[k].distance);
    }
    FilStatus status = FIL_OK;
    world->potential.refused = false;
    if (world->contact.active) {
        status = solve_touching(world, model, dt, info);
    }
    for (int b = 0; b < world->body_count && status == FIL_OK; b++) {
        const FilBody* body = &world->bodies[b];
        double *v = world->scratch.solution + body->v, *change = world->next.change + body->v;
        for (int k = 0; k < body->v_count; k++) {
            change[k] = v[k] - world->state.v[body->v + k];
        }
    }
    return status;
}
