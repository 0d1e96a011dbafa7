/* Derivatives of a step, body by body: m(v) = 0 holds at its end, so dm = 0 gives the end's variation. Bodies say how dm is made (body/derivative.h);
 * the factors are those of Newton's tangent A at the end. Where A is not all of dm/dv = J (gyroscopic forces, transport of frames), x = J^-1 b is
 * found by x <- x + A^-1 (b - J x), which converges as fast as Newton itself does near a solution. Motors and stops of robots are springs on single
 * unknowns that the step solved with: each adds a number to the diagonal of both, and one product to A^-1 (Sherman and Morrison). */
#include "world/gradient.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "body/derivative.h"

/* Corrections are below the last bits after a few rounds, as A lacks terms of order dt only. Chosen. */
enum { MOST_ROUNDS = 60 };

/* A correction of this share ends the search: what is left is smaller by as much again as the correction was than the one before. */
static const double ENOUGH = 1e-12;

/* ---- making ---- */

static FilStatus check(FilWorld* world)
{
    const FilStatus status = fil_world_check(world);
    if (status != FIL_OK) {
        return status;
    }
    if (strcmp(world->solver.model->name, "none") != 0 && strcmp(world->solver.model->name, "sap") != 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients under the contact model %s are not known yet, only under none and sap",
                              world->solver.model->name);
    }
    if (world->def.integrator != FIL_BACKWARD_EULER) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients are known of backward Euler only: choose the integrator backward_euler");
    }
    if (world->solver.joints.count > 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients of worlds with joints between bodies are not known yet");
    }
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        if (body->moves && body->ops->derivative == NULL) {
            return fil_world_fail(world, FIL_BAD_INPUT, "'%s' is a body of kind %s, of which gradients are not known yet", body->name,
                                  body->ops->kind);
        }
    }
    return FIL_OK;
}

FilStatus fil_gradient_create(FilWorld* world, FilGradient** gradient)
{
    if (world == NULL || gradient == NULL) {
        return FIL_BAD_INPUT;
    }
    *gradient = NULL;
    const FilStatus status = check(world);
    if (status != FIL_OK) {
        return status;
    }
    FilGradient* made = fil_alloc(1, sizeof *made);
    const size_t n = (size_t)world->system.v_count;
    double* numbers = fil_alloc(6 * n + 1, sizeof *numbers);
    if (made == NULL || numbers == NULL) {
        fil_free(made);
        fil_free(numbers);
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    *made = (FilGradient){.world = world,
                          .n = (int)n,
                          .v = numbers,
                          .end_rate = numbers + n,
                          .residual = numbers + 2 * n,
                          .solution = numbers + 3 * n,
                          .correction = numbers + 4 * n,
                          .diagonal = numbers + 5 * n};
    *gradient = made;
    return FIL_OK;
}

void fil_gradient_destroy(FilGradient* gradient)
{
    if (gradient != NULL) {
        fil_free(gradient->v);
        fil_free(gradient->springs);
        fil_free(gradient->columns);
        fil_gradient_contacts_free(&gradient->contacts);
        fil_free(gradient);
    }
}

int fil_gradient_size(const FilGradient* gradient)
{
    return gradient->n;
}

/* ---- a step ---- */

/* x <- (A + springs)^-1 x */
static void precondition(const FilGradient* gradient, const FilBody* body, double* x)
{
    body->ops->solve(body->impl, x);
    for (int s = 0; s < gradient->spring_count; s++) {
        const FilGradientSpring* spring = &gradient->springs[s];
        if (&gradient->world->system.bodies[spring->body] == body) {
            const double share = spring->scale * x[spring->unknown];
            for (int k = 0; k < body->v_count; k++) {
                x[k] -= share * spring->column[k];
            }
        }
    }
}

/* Room for so many more springs of a body of n unknowns. */
static bool make_room(FilGradient* gradient, int count)
{
    const int wanted = gradient->spring_count + count, n = gradient->n;
    if (wanted <= gradient->spring_capacity) {
        return true;
    }
    FilGradientSpring* springs = fil_alloc((size_t)wanted, sizeof *springs);
    double* columns = fil_alloc((size_t)wanted * (size_t)n, sizeof *columns);
    if (springs == NULL || columns == NULL) {
        fil_free(springs);
        fil_free(columns);
        return false;
    }
    for (int s = 0; s < gradient->spring_count; s++) {
        springs[s] = gradient->springs[s];
        springs[s].column = memcpy(columns + (size_t)s * (size_t)n, gradient->springs[s].column, sizeof(double) * (size_t)n);
    }
    fil_free(gradient->springs);
    fil_free(gradient->columns);
    gradient->springs = springs;
    gradient->columns = columns;
    gradient->spring_capacity = wanted;
    return true;
}

/* Motors and stops of the body that are at work: impulse -dt (k (g + dt g') + d g') within its bounds, g' = v + bias. */
static FilStatus take_springs(FilGradient* gradient, const FilBody* body)
{
    FilWorld* world = gradient->world;
    const FilState* start = &world->system.next;
    const int count =
        body->ops->constraint_count == NULL ? 0 : body->ops->constraint_count(body->impl, start->q + body->q, start->v + body->v, start->h + body->h);
    const double dt = world->def.dt;
    if (!make_room(gradient, count)) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    for (int c = 0; c < count; c++) {
        FilBodyConstraint own;
        body->ops->constraint(body->impl, c, &own);
        if (own.count != 1 || !own.exact) {
            return fil_world_fail(world, FIL_BAD_INPUT,
                                  "'%s' is at a rigid limit of a joint, or joints are coupled, of which gradients are not known yet", body->name);
        }
        const double k = own.stiffness, rate = own.rate[0] * gradient->v[body->v + own.unknown[0]] + own.bias;
        const double slope = dt * (dt * k + own.damping), impulse = -dt * k * own.error - slope * rate;
        if (!(slope > 0.0) || !(impulse > own.lower && impulse < own.upper)) {
            continue;  // idle, or at its bound, which is constant
        }
        FilGradientSpring* spring = &gradient->springs[gradient->spring_count];
        const double square = own.rate[0] * own.rate[0];
        *spring = (FilGradientSpring){
            .body = (int)(body - world->system.bodies), .unknown = own.unknown[0], .pull = dt * k * square, .slope = slope * square};
        spring->column = gradient->columns + (size_t)gradient->spring_count * (size_t)gradient->n;
        memset(spring->column, 0, sizeof(double) * (size_t)body->v_count);
        spring->column[spring->unknown] = 1.0;
        precondition(gradient, body, spring->column);
        spring->scale = 1.0 / (1.0 / spring->slope + spring->column[spring->unknown]);
        gradient->spring_count++;
    }
    return FIL_OK;
}

/* Adds what springs do to dm, which is symmetric: pull of the start's place and slope of the end's velocity. */
static void add_springs(const FilGradient* gradient, const FilBody* body, const double* x, bool pull, double* out)
{
    for (int s = 0; s < gradient->spring_count; s++) {
        const FilGradientSpring* spring = &gradient->springs[s];
        if (&gradient->world->system.bodies[spring->body] == body) {
            out[spring->unknown] += (pull ? spring->pull : spring->slope) * x[spring->unknown];
        }
    }
}

/* The body at the end of its step, evaluated and factored there. */
static FilStatus prepare(FilGradient* gradient, const FilBody* body)
{
    FilWorld* world = gradient->world;
    double potential;
    const double* v = gradient->v + body->v;
    if (!body->ops->evaluate(body->impl, v, 0.0, gradient->residual + body->v, &potential)) {
        return fil_world_fail(world, FIL_NOT_CONVERGED, "'%s' cannot be evaluated at the end of its step", body->name);
    }
    const char* why = body->ops->derivative->prepare(body->impl, v);
    if (why != NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' %s", body->name, why);
    }
    body->ops->diagonal(body->impl, v, gradient->diagonal + body->v, gradient->correction + body->v);
    if (!body->ops->factor(body->impl)) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "'%s' buckles in this step: its tangent is not positive definite there, and it has no derivative here", body->name);
    }
    return take_springs(gradient, body);
}

FilStatus fil_gradient_step(FilGradient* gradient, FilStepInfo* info)
{
    FilWorld* world = gradient->world;
    FilStepInfo own;
    info = info != NULL ? info : &own;
    gradient->ready = false;
    gradient->spring_count = 0;
    if (gradient->n != world->system.v_count) {
        return fil_world_fail(world, FIL_BAD_INPUT, "something was added to the world after its gradient was made");
    }
    FilStatus status = check(world);
    status = status == FIL_OK ? fil_world_step(world, info) : status;
    if (status == FIL_OK && info->halvings > 0) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "the step to t = %g s was divided inside, and its parts' gradients are not kept; try a smaller dt", world->time);
    }
    if (status == FIL_OK && gradient->n > 0) {
        memcpy(gradient->v, world->system.state.v, sizeof(double) * (size_t)gradient->n);
    }
    for (int b = 0; b < world->system.body_count && status == FIL_OK; b++) {
        if (world->system.bodies[b].moves) {
            status = prepare(gradient, &world->system.bodies[b]);
        }
    }
    status = status == FIL_OK ? fil_gradient_contacts_take(gradient) : status;
    status = status == FIL_OK ? fil_gradient_contacts_factor(gradient, precondition) : status;
    gradient->ready = status == FIL_OK;
    gradient->step = world->step;
    gradient->varied = world->varied;
    return status;
}

FilStatus fil_gradient_need_step(const FilGradient* gradient, const double* from, const double* to)
{
    FilWorld* world = gradient->world;
    if (from == NULL || to == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a gradient takes and gives variations of %d numbers", 2 * gradient->n);
    }
    return gradient->ready && gradient->step == world->step && gradient->varied == world->varied
               ? FIL_OK
               : fil_world_fail(world, FIL_BAD_INPUT,
                                "there is no step to differentiate: call fil_gradient_step() first, and nothing else that steps the world");
}

/* ---- solving ---- */

static double norm_of(const double* a, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
        sum += a[k] * a[k];
    }
    return sqrt(sum);
}

/* J x, or J' x. */
static void apply(FilGradient* gradient, const FilBody* body, bool back, const double* x, double* out)
{
    const FilDerivativeOps* ops = body->ops->derivative;
    if (!back) {
        ops->vary(body->impl, NULL, NULL, x, out, NULL);
        add_springs(gradient, body, x, false, out);
        return;
    }
    double* ignored = gradient->end_rate + body->v;  // of what the start does nothing is wanted
    memset(out, 0, sizeof(double) * (size_t)body->v_count);
    memset(ignored, 0, sizeof(double) * (size_t)body->v_count);
    ops->vary_back(body->impl, x, NULL, ignored, ignored, out);
    add_springs(gradient, body, x, false, out);
}

/* Bodies that are solved for together: all that move where something touches, else one. */
typedef struct Group {
    int first, end;
} Group;

static double group_norm(const FilGradient* gradient, Group group, const double* x)
{
    double sum = 0.0;
    for (int b = group.first; b < group.end; b++) {
        const FilBody* body = &gradient->world->system.bodies[b];
        const double size = body->moves ? norm_of(x + body->v, body->v_count) : 0.0;
        sum += size * size;
    }
    return sqrt(sum);
}

/* step <- A^-1 (b - J x), or with J', on what is free; x NULL: zero. */
static void correct(FilGradient* gradient, Group group, bool back, const double* b, const double* x, double* step)
{
    const bool touch = gradient->contacts.count > 0;
    const FilSystem* system = &gradient->world->system;
    if (touch) {
        memset(step, 0, sizeof(double) * (size_t)gradient->n);
    }
    for (int k = group.first; k < group.end; k++) {
        const FilBody* body = &system->bodies[k];
        if (body->moves && x != NULL) {
            apply(gradient, body, back, x + body->v, step + body->v);
        } else if (body->moves) {
            memset(step + body->v, 0, sizeof(double) * (size_t)body->v_count);
        }
    }
    if (touch && x != NULL) {
        fil_gradient_contacts_apply(gradient, x, step);
    }
    for (int k = group.first; k < group.end; k++) {
        const FilBody* body = &system->bodies[k];
        for (int i = body->v; i < body->v + body->v_count && body->moves; i++) {
            step[i] = gradient->diagonal[i] > 0.0 ? b[i] - step[i] : 0.0;
        }
        if (body->moves) {
            precondition(gradient, body, step + body->v);
        }
    }
    if (touch) {
        fil_gradient_contacts_correct(gradient, step);
    }
}

/* x <- J^-1 b or J'^-1 b on what is free, zero where held or idle. */
static FilStatus solve_group(FilGradient* gradient, Group group, bool back, const double* b, double* x)
{
    double *step = gradient->correction, last = INFINITY;
    correct(gradient, group, back, b, NULL, x);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        correct(gradient, group, back, b, x, step);
        const double size = group_norm(gradient, group, step), all = group_norm(gradient, group, x);
        if (!(size < last) && size > 1e-9 * all) {
            break;
        }
        for (int k = group.first; k < group.end; k++) {
            const FilBody* body = &gradient->world->system.bodies[k];
            for (int i = body->v; i < body->v + body->v_count && body->moves; i++) {
                x[i] += step[i];
            }
        }
        if (size <= ENOUGH * all || !(size < 0.9 * last)) {  // or rounding is all that is left
            return FIL_OK;
        }
        last = size;
    }
    return fil_world_fail(gradient->world, FIL_NOT_CONVERGED, "the gradient of '%s' was not found: the step is too long for its motion",
                          gradient->world->system.bodies[group.first].name);
}

FilStatus fil_gradient_solve(FilGradient* gradient, bool back, const double* b, double* x)
{
    const int count = gradient->world->system.body_count;
    if (gradient->contacts.count > 0) {
        return solve_group(gradient, (Group){0, count}, back, b, x);
    }
    FilStatus status = FIL_OK;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        status = gradient->world->system.bodies[k].moves ? solve_group(gradient, (Group){k, k + 1}, back, b, x) : FIL_OK;
    }
    return status;
}

FilStatus fil_gradient_forward(FilGradient* gradient, const double* start, const double* force, double* end)
{
    FilStatus status = fil_gradient_need_step(gradient, start, end);
    if (status != FIL_OK) {
        return status;
    }
    const FilSystem* system = &gradient->world->system;
    const double dt = gradient->world->def.dt;
    const int n = gradient->n;
    double *r = gradient->residual, *x = gradient->solution;
    memset(end, 0, 2 * sizeof(double) * (size_t)n);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (!body->moves) {
            continue;
        }
        const FilDerivativeOps* ops = body->ops->derivative;
        const double* place = start + body->v;
        if (ops->lead != NULL) {
            ops->lead(body->impl, place, end + n + body->v);
        }
        ops->vary(body->impl, place, start + n + body->v, end + n + body->v, r + body->v, NULL);
        add_springs(gradient, body, place, true, r + body->v);
        for (int k = body->v; k < body->v + body->v_count; k++) {
            r[k] = (force != NULL ? dt * force[k] : 0.0) - r[k];
        }
    }
    fil_gradient_contacts_vary(gradient, start, start + n, r);
    status = fil_gradient_solve(gradient, false, r, x);
    for (int b = 0; b < system->body_count && status == FIL_OK; b++) {
        const FilBody* body = &system->bodies[b];
        for (int k = body->v; k < body->v + body->v_count && body->moves; k++) {
            end[n + k] += x[k];
        }
        if (body->moves) {
            body->ops->derivative->vary(body->impl, start + body->v, start + n + body->v, end + n + body->v, NULL, end + body->v);
        }
    }
    return status;
}

FilStatus fil_gradient_backward(FilGradient* gradient, const double* end, double* start, double* force)
{
    FilStatus status = fil_gradient_need_step(gradient, end, start);
    if (status != FIL_OK) {
        return status;
    }
    const FilSystem* system = &gradient->world->system;
    const double dt = gradient->world->def.dt;
    const int n = gradient->n;
    double *r = gradient->residual, *x = gradient->solution;
    memset(start, 0, 2 * sizeof(double) * (size_t)n);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->moves) {
            // weights of the end's velocity: its own, and through the end's place
            memcpy(r + body->v, end + n + body->v, sizeof(double) * (size_t)body->v_count);
            body->ops->derivative->vary_back(body->impl, NULL, end + body->v, start + body->v, start + n + body->v, r + body->v);
        }
    }
    status = fil_gradient_solve(gradient, true, r, x);
    if (status != FIL_OK) {
        return status;
    }
    fil_gradient_contacts_vary_back(gradient, x, start, start + n);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (!body->moves) {
            continue;
        }
        const FilDerivativeOps* ops = body->ops->derivative;
        double *place = start + body->v, *own = x + body->v;
        // dm, which x answers for; what held unknowns do to it adds to their weights
        for (int k = 0; k < body->v_count; k++) {
            if (force != NULL) {
                force[body->v + k] = dt * own[k];
            }
            own[k] = -own[k];
        }
        ops->vary_back(body->impl, own, NULL, place, start + n + body->v, r + body->v);
        add_springs(gradient, body, own, true, place);
        if (ops->lead_back != NULL) {
            ops->lead_back(body->impl, r + body->v, place);
        }
    }
    return FIL_OK;
}

/* ---- variations of a state ---- */

FilStatus fil_world_vary(FilWorld* world, const double* variation)
{
    if (world == NULL || variation == NULL) {
        return world == NULL ? FIL_BAD_INPUT : fil_world_fail(world, FIL_BAD_INPUT, "there is no variation");
    }
    FilSystem* system = &world->system;
    const int n = system->v_count;
    if (!fil_all_finite(variation, 2 * n)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a variation has numbers that are not finite");
    }
    // a step of a unit of time that ends with these velocities
    const FilStepSetup setup = {.time = world->time, .dt = 1.0, .theta = 1.0, .theta_vq = 1.0};
    fil_system_copy_state(system, &system->next, &system->state);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->moves) {
            body->ops->begin(body->impl, &setup, system->state.q + body->q, system->state.v + body->v, system->state.h + body->h);
            body->ops->finish(body->impl, variation + body->v, system->next.q + body->q, system->next.v + body->v, system->next.h + body->h);
        }
    }
    for (int k = 0; k < n; k++) {
        system->next.v[k] = system->state.v[k] + variation[n + k];
    }
    if (!fil_system_is_finite(system, &system->next)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the state cannot be moved that far");
    }
    fil_state_swap(&system->state, &system->next);
    world->varied++;
    return FIL_OK;
}
