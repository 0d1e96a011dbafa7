/* Derivatives of a step, body by body: m(v) = 0 holds at its end, so dm = 0 gives the end's variation. Bodies say how dm is made (body/derivative.h);
 * the factors are those of Newton's tangent A at the end. Where A is not all of dm/dv = J (gyroscopic forces, transport of frames), x = J^-1 b is
 * found by x <- x + A^-1 (b - J x), which converges as fast as Newton itself does near a solution. Motors and stops of robots are springs on single
 * unknowns that the step solved with: each adds a number to the diagonal of both, and one product to A^-1 (Sherman and Morrison). */
#include "world/gradient.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/buffer.h"

/* A bound only: corrections are below the last bits after a few rounds, as A lacks terms of order dt only. */
enum { MAX_ROUNDS = 60 };

/* A correction of this share ends the search, or one after which the next would be: that is smaller by as much again as this one was than the one
 * before, but for its direction. Of a hanging rod it was 2e4 times that; CAUTION leaves errors below 1e-11 there. */
static const double ENOUGH = 1e-12, CAUTION = 1e4;

/* Corrections below this share that do not become smaller are rounding. Others may grow at first, where what A lacks turns one motion into another
 * that weighs more (848, 1112, 1e-1, ... of that rod): so often. */
static const double ROUNDING = 1e-9;
enum { MAX_GROWTHS = 4 };

/* ---- making ---- */

static FilStatus check(FilWorld* world)
{
    const FilStatus status = fil_world_check(world);
    if (status != FIL_OK) {
        return status;
    }
    static const char* const models[] = {"none", "sap", "imc", "ipc"};
    bool known = false;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        known |= strcmp(world->solver.model->name, models[k]) == 0;
    }
    if (!known) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients under the contact model %s are not known yet, only under none, sap, imc and ipc",
                              world->solver.model->name);
    }
    if (world->solver.model->pair != NULL && fil_gradient_pairs_check(world) != FIL_OK) {
        return FIL_BAD_INPUT;
    }
    if (world->def.integrator != FIL_BACKWARD_EULER) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients are known of backward Euler only: choose the integrator backward_euler");
    }
    if (world->def.sleep_time > 0.0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients of worlds whose bodies sleep are not known: switch sleep off");
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

/* Whether the last step's contacts decide where those of the next are linear. */
static bool remembers(const FilWorld* world)
{
    bool deforms = false;
    for (int b = 0; b < world->system.body_count; b++) {
        deforms |= world->system.bodies[b].moves && world->system.bodies[b].ops->deforms;
    }
    return deforms && world->solver.model->contacts && world->solver.model->velocity != NULL;
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
    double* numbers = fil_alloc(17 * n + 1, sizeof *numbers);
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
                          .diagonal = numbers + 5 * n,
                          .v_free = numbers + 6 * n,
                          .free_rate = numbers + 7 * n,
                          .at_free = numbers + 8 * n,
                          .bent = numbers + 9 * n,
                          .end = numbers + 10 * n,
                          .lags = {.guess = numbers + 11 * n,
                                   .diagonal = numbers + 12 * n,
                                   .adapts = fil_gradient_pairs_adapt(world),
                                   .guesses = fil_gradient_guesses(world)},
                          .blocks = numbers + 13 * n,
                          .potential = world->solver.model->velocity == NULL,
                          .remembers = remembers(world)};
    world->solver.potential.keeps_rounds = true;
    *gradient = made;
    return FIL_OK;
}

void fil_gradient_destroy(FilGradient* gradient)
{
    if (gradient != NULL) {
        fil_free(gradient->v);
        fil_free(gradient->springs);
        fil_free(gradient->columns);
        fil_free(gradient->bends);
        fil_gradient_contacts_free(&gradient->contacts);
        fil_gradient_barriers_free(&gradient->barriers);
        fil_gradient_barriers_free(&gradient->births);
        fil_gradient_lags_free(&gradient->lags);
        fil_free(gradient->passed);
        fil_free(gradient);
    }
}

int fil_gradient_size(const FilGradient* gradient)
{
    return gradient->n;
}

int fil_gradient_variation_size(const FilGradient* gradient)
{
    return (gradient->remembers ? 3 : 2) * gradient->n + fil_gradient_lags_size(gradient);
}

/* ---- a step ---- */

/* Which bodies deform in contact. */
static FilStatus choose_bending(FilGradient* gradient, const FilStepInfo* info)
{
    FilWorld* world = gradient->world;
    const FilContactStage* stage = &world->solver.contact;
    const int count = world->system.body_count;
    bool any = false;
    if (!fil_buffer_reserve((void**)&gradient->bends, &gradient->bend_capacity, (size_t)count, sizeof(bool))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    for (int b = 0; b < count; b++) {
        const FilBody* body = &world->system.bodies[b];
        gradient->bends[b] = gradient->remembers && body->moves && body->ops->deforms && stage->active && stage->offset[b] >= 0;
        any |= gradient->bends[b];
    }
    return !any || info->regularised == 0
               ? FIL_OK
               : fil_world_fail(world, FIL_BAD_INPUT, "a tangent was not positive definite in this step, which has no derivative here");
}

FilStatus fil_gradient_step(FilGradient* gradient, FilStepInfo* info)
{
    FilWorld* world = gradient->world;
    FilStepInfo own;
    info = info != NULL ? info : &own;
    gradient->ready = false;
    gradient->products = 0;
    if (gradient->n != world->system.v_count) {
        return fil_world_fail(world, FIL_BAD_INPUT, "something was added to the world after its gradient was made");
    }
    FilStatus status = check(world);
    if (status == FIL_OK && (gradient->lags.adapts != fil_gradient_pairs_adapt(world) || gradient->lags.guesses != fil_gradient_guesses(world))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the contact model was changed after the gradient was made");
    }
    status = status == FIL_OK ? fil_world_step(world, info) : status;
    if (status == FIL_OK && info->halvings > 0) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "the step to t = %g s was divided inside, and its parts' gradients are not kept; try a smaller dt", world->time);
    }
    if (status == FIL_OK && gradient->n > 0) {
        memcpy(gradient->v, world->system.state.v, sizeof(double) * (size_t)gradient->n);
    }
    status = status == FIL_OK ? choose_bending(gradient, info) : status;
    gradient->round = gradient->round_count = gradient->potential && world->solver.contact.active ? world->solver.potential.round_count : 0;
    gradient->finish = &world->system.state;
    const size_t passed = 2 * (size_t)gradient->n * (size_t)gradient->round_count + 1;
    if (status == FIL_OK && !fil_buffer_reserve((void**)&gradient->passed, &gradient->passed_capacity, passed, sizeof(double))) {
        status = fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    status = status == FIL_OK ? fil_gradient_prepare(gradient) : status;
    for (int r = 0; r < gradient->round_count && status == FIL_OK; r++) {  // whether these are known, too
        status = fil_gradient_turn_to(gradient, r);
    }
    status = status == FIL_OK ? fil_gradient_turn_to(gradient, gradient->round_count) : status;
    gradient->ready = status == FIL_OK;
    gradient->step = world->step;
    gradient->varied = world->varied;
    return status;
}

FilStatus fil_gradient_need_step(const FilGradient* gradient, const double* from, const double* to)
{
    FilWorld* world = gradient->world;
    if (from == NULL || to == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a gradient takes and gives variations of %d numbers", fil_gradient_variation_size(gradient));
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

/* Bodies that are solved for together: all that move where something touches, else one. `free`: in its motion without contact. */
typedef struct Group {
    int first, end;
    bool free;
} Group;

/* J x, or J' x. */
static void apply(FilGradient* gradient, Group group, int b, bool back, const double* x, double* out)
{
    const FilBody* body = &gradient->world->system.bodies[b];
    const FilDerivativeOps* ops = body->ops->derivative;
    if (gradient->bends[b] && !group.free) {
        ops->tangent(body->impl, x, out);
        return;
    }
    if (!back) {
        ops->vary(body->impl, NULL, NULL, x, out, NULL);
        fil_gradient_add_springs(gradient, body, x, false, out);
        return;
    }
    memset(out, 0, sizeof(double) * (size_t)body->v_count);
    ops->vary_back(body->impl, x, NULL, NULL, NULL, out);  // of what the start does nothing is wanted
    fil_gradient_add_springs(gradient, body, x, false, out);
}

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
    const bool touch = gradient->contacts.count > 0 && !group.free;
    const FilSystem* system = &gradient->world->system;
    if (touch) {
        memset(step, 0, sizeof(double) * (size_t)gradient->n);
    }
    for (int k = group.first; k < group.end; k++) {
        const FilBody* body = &system->bodies[k];
        if (body->moves && x != NULL) {
            apply(gradient, group, k, back, x + body->v, step + body->v);
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
        if (body->moves && !(touch && gradient->world->solver.contact.offset[k] >= 0)) {
            fil_gradient_precondition(gradient, body, step + body->v);
        }
    }
    if (touch) {
        fil_gradient_contacts_solve(gradient, step);
    }
}

/* Whether A, with contacts, is all of J. */
static bool is_factored(const FilGradient* gradient, Group group)
{
    bool all = gradient->contacts.count > 0 && !group.free;
    for (int k = group.first; k < group.end && all; k++) {
        const FilBody* body = &gradient->world->system.bodies[k];
        all = !body->moves || (gradient->bends[k] && body->ops->derivative->is_factored);
    }
    return all;
}

/* x <- J^-1 b or J'^-1 b on what is free, zero where held or idle. */
static FilStatus solve_group(FilGradient* gradient, Group group, bool back, const double* b, double* x)
{
    double *step = gradient->correction, last = INFINITY;
    correct(gradient, group, back, b, NULL, x);
    if (is_factored(gradient, group)) {
        return FIL_OK;
    }
    for (int round = 0, growths = 0; round < MAX_ROUNDS && growths <= MAX_GROWTHS; round++) {
        correct(gradient, group, back, b, x, step);
        const double size = group_norm(gradient, group, step), all = group_norm(gradient, group, x);
        const double next = CAUTION * size * size / (round == 0 ? all : last);
        for (int k = group.first; k < group.end; k++) {
            const FilBody* body = &gradient->world->system.bodies[k];
            for (int i = body->v; i < body->v + body->v_count && body->moves; i++) {
                x[i] += step[i];
            }
        }
        const bool grows = !(size < 0.9 * last);
        if (size <= ENOUGH * all || next <= ENOUGH * all || (grows && size <= ROUNDING * all)) {
            return FIL_OK;
        }
        growths += grows;
        last = size;
    }
    return fil_world_fail(gradient->world, FIL_NOT_CONVERGED, "the gradient of '%s' was not found: the step is too long for its motion",
                          gradient->world->system.bodies[group.first].name);
}

FilStatus fil_gradient_solve(FilGradient* gradient, bool back, const double* b, double* x)
{
    const int count = gradient->world->system.body_count;
    if (gradient->potential) {
        return fil_gradient_potential_solve(gradient, back, b, x);
    }
    if (gradient->contacts.count > 0) {
        return solve_group(gradient, (Group){0, count, false}, back, b, x);
    }
    FilStatus status = FIL_OK;
    for (int k = 0; k < count && status == FIL_OK; k++) {
        status = gradient->world->system.bodies[k].moves ? solve_group(gradient, (Group){k, k + 1, false}, back, b, x) : FIL_OK;
    }
    return status;
}

FilStatus fil_gradient_solve_free(FilGradient* gradient, int body, bool back, const double* b, double* x)
{
    return solve_group(gradient, (Group){body, body + 1, true}, back, b, x);
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
