#include "body/system.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"

void fil_system_free(FilSystem* system)
{
    for (int b = 0; b < system->body_count; b++) {
        system->bodies[b].ops->destroy(system->bodies[b].impl);
        fil_free(system->bodies[b].name);
    }
    fil_free(system->bodies);
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        FilState* state = &system->states[s];
        fil_free(state->q);
        fil_free(state->v);
        fil_free(state->h);
        fil_free(state->change);
        fil_free(state->push);
        fil_free(state->controls);
    }
    double* scratch[] = {system->scratch.residual, system->scratch.direction, system->scratch.trial,   system->scratch.weight,
                         system->scratch.scale,    system->scratch.push,      system->scratch.solution};
    for (size_t k = 0; k < sizeof scratch / sizeof scratch[0]; k++) {
        fil_free(scratch[k]);
    }
}

/* ---- growing ---- */

/* Grows arrays that share one capacity from `count` to `wanted` numbers, and then by doubling: a world of many bodies is not
 * copied for each. */
static bool reserve(double** const* arrays, int array_count, int count, int wanted, int* capacity)
{
    if (wanted <= *capacity) {
        return true;
    }
    const int target = wanted > 2 * *capacity ? wanted : 2 * *capacity;
    for (int k = 0; k < array_count; k++) {
        if (!fil_grow((void**)arrays[k], (size_t)count, (size_t)target, sizeof(double))) {
            return false;
        }
    }
    *capacity = target;
    return true;
}

static bool reserve_history(FilSystem* system, int count)
{
    double** arrays[FIL_STATE_COUNT];
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        arrays[s] = &system->states[s].h;
    }
    return reserve(arrays, FIL_STATE_COUNT, system->h_count, system->h_count + count, &system->h_capacity);
}

FilStatus fil_system_add_controls(FilSystem* system, int at, int count)
{
    const int old = system->control_count;
    double** arrays[FIL_STATE_COUNT];
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        arrays[s] = &system->states[s].controls;
    }
    if (!reserve(arrays, FIL_STATE_COUNT, old, old + count, &system->control_capacity)) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        double* from = system->states[s].controls + at;
        memmove(from + count, from, sizeof(double) * (size_t)(old - at));
        memset(from, 0, sizeof(double) * (size_t)count);
    }
    system->control_count += count;
    return FIL_OK;
}

FilStatus fil_system_add_memory(FilSystem* system, int count, int* first)
{
    const int rounded = (count + 7) / 8 * 8;  // histories of bodies stay aligned
    if (!reserve_history(system, rounded)) {
        return FIL_OUT_OF_MEMORY;
    }
    *first = system->h_count;
    system->h_count += rounded;
    return FIL_OK;
}

/* Room for the body's share of every state and of the scratch. */
static bool make_room(FilSystem* system, const FilBody* body)
{
    double** q[FIL_STATE_COUNT];
    double** v[3 * FIL_STATE_COUNT];
    double** scratch[] = {&system->scratch.residual, &system->scratch.direction, &system->scratch.trial,   &system->scratch.weight,
                          &system->scratch.scale,    &system->scratch.push,      &system->scratch.solution};
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        q[s] = &system->states[s].q;
        v[3 * s] = &system->states[s].v;
        v[3 * s + 1] = &system->states[s].change;
        v[3 * s + 2] = &system->states[s].push;
    }
    return reserve(q, FIL_STATE_COUNT, system->q_count, system->q_count + body->q_count, &system->q_capacity) &&
           reserve(v, 3 * FIL_STATE_COUNT, system->v_count, system->v_count + body->v_count, &system->v_capacity) &&
           reserve(scratch, 7, system->v_count, system->v_count + body->v_count, &system->scratch_capacity) && reserve_history(system, body->h_count);
}

FilStatus fil_system_begin(FilSystem* system)
{
    system->largest = -1;
    return make_room(system, &(FilBody){.q_count = 4, .v_count = 4}) ? FIL_OK : FIL_OUT_OF_MEMORY;
}

FilStatus fil_system_add_body(FilSystem* system, FilBodyKind kind, void* impl, int q_count, int v_count, int h_count, const char* name, int* index)
{
    FilBody body = {.ops = fil_body_kinds[kind],
                    .impl = impl,
                    .q = system->q_count,
                    .q_count = q_count,
                    .v = system->v_count,
                    .v_count = v_count,
                    .h = system->h_count,
                    .h_count = h_count,
                    .quiet = -1,
                    .moves = fil_body_kinds[kind]->dofs(impl) > 0};
    const bool ok = fil_array_reserve((void**)&system->bodies, system->body_count, &system->body_capacity, sizeof body) &&
                    (body.name = fil_strdup(name)) != NULL && make_room(system, &body);
    if (!ok) {
        body.ops->destroy(impl);
        fil_free(body.name);
        return FIL_OUT_OF_MEMORY;
    }
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        FilState* state = &system->states[s];
        body.ops->init_state(impl, state->q + body.q, state->v + body.v, state->h + body.h);
    }
    system->q_count += q_count;
    system->v_count += v_count;
    system->h_count += h_count;
    system->bodies[system->body_count] = body;
    if (body.ops->share != NULL && (system->largest < 0 || v_count > system->bodies[system->largest].v_count)) {
        system->largest = system->body_count;
    }
    *index = system->body_count++;
    return FIL_OK;
}

/* ---- two bodies at once ---- */

bool fil_bodies_go_together(const FilBody* a, const FilBody* b)
{
    return a->ops == b->ops && a->ops->pair != NULL && a->ops->pair->goes_with(a->impl, b->impl);
}

void fil_bodies_evaluate(const FilBody* const* bodies, int count, const double* const* v, const double* shift, double* const* residual,
                         double* potential, bool* in_reach)
{
    if (count == 2) {
        bodies[0]->ops->pair->evaluate((void* const[2]){bodies[0]->impl, bodies[1]->impl}, v, shift, residual, potential, in_reach);
    } else {
        in_reach[0] = bodies[0]->ops->evaluate(bodies[0]->impl, v[0], shift[0], residual[0], potential);
    }
}

/* ---- work on all bodies ---- */

/* Below so many unknowns a step is over before others have come to help. */
enum { ALONE = 256 };

/* Chunks of small bodies: few enough that taking one costs nothing, enough for all to get the same. */
enum { MAX_CHUNKS = 128 };

/* Bodies from which on chunks have even numbers of them, of which two may go together (FilBodyPairOps): fewer are better shared one by one. */
enum { FEW = 8 };

/* Unknowns from which on a body's own loops are worth sharing. */
enum { LARGE = 4000 };

typedef struct Others {
    FilWork* work;
    void* context;
    int but;
} Others;

/* Work on all bodies but one. */
static void work_on_others(void* context, int first, int end, int worker)
{
    const Others* others = context;
    const int but = others->but < first || others->but >= end ? end : others->but;
    if (first < but) {
        others->work(others->context, first, but, worker);
    }
    if (but + 1 < end) {
        others->work(others->context, but + 1, end, worker);
    }
}

void fil_system_run(FilSystem* system, FilWork* work, void* context)
{
    FilWorkers* workers = system->v_count < ALONE ? NULL : system->workers;
    const int alone = system->body_count > 0 ? system->body_count : 1;
    const int grain = workers == NULL ? alone : system->body_count < FEW ? 1 : 2 * (1 + (system->body_count - 1) / (2 * MAX_CHUNKS));
    const FilBody* body = workers != NULL && system->largest >= 0 ? &system->bodies[system->largest] : NULL;
    if (body == NULL || body->v_count < LARGE || 2 * body->v_count < system->v_count || !body->ops->share(body->impl, workers)) {
        fil_workers_run(workers, system->body_count, grain, work, context);
        return;
    }
    work(context, system->largest, system->largest + 1, 0);
    (void)body->ops->share(body->impl, NULL);
    Others others = {work, context, system->largest};
    fil_workers_run(workers, system->body_count, grain, work_on_others, &others);
}

FilNewtonScratch fil_system_scratch(const FilSystem* system, int b, int used)
{
    const FilNewtonScratch* all = &system->scratch;
    const int v = system->bodies[b].v;
    const int own = system->workers != NULL ? v : used;  // alone, all use the same, which stays in the cache
    return (FilNewtonScratch){.residual = all->residual + own,
                              .direction = all->direction + own,
                              .trial = all->trial + own,
                              .weight = all->weight + own,
                              .scale = all->scale + own,
                              .push = all->push + v,
                              .solution = all->solution + v};
}

/* ---- states ---- */

static void copy_numbers(double* to, const double* from, int count)
{
    if (count > 0) {
        memcpy(to, from, sizeof(double) * (size_t)count);
    }
}

/* Numbers that are copied or looked at at a time, some 5 us, and below which nobody helps. */
enum { PIECE = 4096, FEW_NUMBERS = 16384 };

/* Arrays of a state that are copied, or looked at. */
typedef struct Arrays {
    double* to[6];
    const double* from[6];
    int size[6];
    int count;
    atomic_bool strange; /* one is not finite */
} Arrays;

/* Pieces of all arrays, in their order. */
static void work_on_pieces(void* context, int first, int end, int worker)
{
    Arrays* a = context;
    (void)worker;
    for (int k = 0, begin = 0; k < a->count; k++) {
        const int pieces = (a->size[k] + PIECE - 1) / PIECE;
        for (int p = first > begin ? first - begin : 0; p < pieces && begin + p < end; p++) {
            const int at = PIECE * p, size = a->size[k] - at < PIECE ? a->size[k] - at : PIECE;
            if (a->to[k] != NULL) {
                copy_numbers(a->to[k] + at, a->from[k] + at, size);
            } else if (!fil_all_finite(a->from[k] + at, size)) {
                atomic_store_explicit(&a->strange, true, memory_order_relaxed);
            }
        }
        begin += pieces;
    }
}

void fil_system_run_short(FilSystem* system, FilWork* work, void* context)
{
    const int pieces = 1 + system->v_count / PIECE;
    fil_workers_run(system->v_count < FEW_NUMBERS ? NULL : system->workers, system->body_count, 1 + (system->body_count - 1) / pieces, work, context);
}

static void work_on(const FilSystem* system, Arrays* arrays)
{
    int numbers = 0, pieces = 0;
    for (int k = 0; k < arrays->count; k++) {
        numbers += arrays->size[k];
        pieces += (arrays->size[k] + PIECE - 1) / PIECE;
    }
    fil_workers_run(numbers < FEW_NUMBERS ? NULL : system->workers, pieces, 1, work_on_pieces, arrays);
}

void fil_system_copy(const FilSystem* system, double* to, const double* from, int count)
{
    Arrays arrays = {.to = {to}, .from = {from}, .size = {count}, .count = 1};
    work_on(system, &arrays);
}

void fil_system_copy_state(const FilSystem* system, const FilState* to, const FilState* from)
{
    const int v = system->v_count;
    Arrays arrays = {.to = {to->q, to->v, to->h, to->change, to->push, to->controls},
                     .from = {from->q, from->v, from->h, from->change, from->push, from->controls},
                     .size = {system->q_count, v, system->h_count, v, v, system->control_count},
                     .count = 6};
    work_on(system, &arrays);
}

void fil_system_copy_body(const FilSystem* system, int b, const FilState* to, const FilState* from)
{
    const FilBody* body = &system->bodies[b];
    copy_numbers(to->q + body->q, from->q + body->q, body->q_count);
    copy_numbers(to->v + body->v, from->v + body->v, body->v_count);
    copy_numbers(to->h + body->h, from->h + body->h, body->h_count);
    copy_numbers(to->change + body->v, from->change + body->v, body->v_count);
    copy_numbers(to->push + body->v, from->push + body->v, body->v_count);
}

void fil_state_swap(FilState* a, FilState* b)
{
    const FilState old = *a;
    *a = *b;
    *b = old;
}

bool fil_system_is_finite(const FilSystem* system, const FilState* state)
{
    Arrays arrays = {.from = {state->q, state->v, state->h}, .size = {system->q_count, system->v_count, system->h_count}, .count = 3};
    work_on(system, &arrays);
    return !atomic_load(&arrays.strange);
}

/* ---- the end of a step ---- */

typedef struct Ending {
    const FilSystem* system;
    atomic_bool strange; /* a number is not finite */
} Ending;

static void finish_bodies(void* context, int first, int end, int worker)
{
    Ending* ending = context;
    const FilSystem* system = ending->system;
    const FilState* next = &system->next;
    (void)worker;
    for (int b = first; b < end; b++) {
        const FilBody* body = &system->bodies[b];
        // what is kept before its history, behind the last one
        const int from = b > 0 ? system->bodies[b - 1].h + system->bodies[b - 1].h_count : 0;
        if (!fil_all_finite(next->h + from, body->h - from)) {
            atomic_store_explicit(&ending->strange, true, memory_order_relaxed);
        }
        if (body->moves && body->rest != FIL_AWAKE) {
            fil_system_copy_body(system, b, next, &system->state);
            continue;
        }
        double *q = next->q + body->q, *v = next->v + body->v, *h = next->h + body->h;
        body->ops->finish(body->impl, system->scratch.solution + body->v, q, v, h);
        // while they are at hand; of large ones all look at pieces in the end
        if (body->v_count < FEW_NUMBERS && (!fil_all_finite(q, body->q_count) || !fil_all_finite(v, body->v_count) ||
                                            (!body->ops->given_history && !fil_all_finite(h, body->h_count)))) {
            atomic_store_explicit(&ending->strange, true, memory_order_relaxed);
        }
    }
}

/* Whether large bodies that were finished have finite numbers. */
static bool are_large_finite(const FilSystem* system)
{
    const FilState* next = &system->next;
    bool finite = true;
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->v_count >= FEW_NUMBERS) {
            Arrays arrays = {
                .from = {next->q + body->q, next->v + body->v, next->h + body->h}, .size = {body->q_count, body->v_count, body->h_count}, .count = 3};
            work_on(system, &arrays);
            finite = finite && !atomic_load(&arrays.strange);
        }
    }
    return finite;
}

bool fil_system_finish(FilSystem* system)
{
    Ending ending = {.system = system};
    fil_system_run(system, finish_bodies, &ending);
    const FilBody* last = system->body_count > 0 ? &system->bodies[system->body_count - 1] : NULL;
    const int from = last != NULL ? last->h + last->h_count : 0;
    return !atomic_load(&ending.strange) && are_large_finite(system) && fil_all_finite(system->next.h + from, system->h_count - from);
}
