/* What a step holds fixed of its contacts, in its derivative: stiffness and how far ahead forces look, which follow the start, the tangents at the
 * first guess and what the model remembers; and the bound of friction, which follows the start or an earlier solution of the step. Each is a number
 * with its slopes, and pushes on the unknowns of its contact. */
#include <string.h>

#include "base/memory.h"
#include "world/gradient.h"

/* In a variation, behind its first two parts: n changes of velocity, and what the model remembers. */
enum { MEMORY = 2 };

int fil_gradient_lags_size(const FilGradient* gradient)
{
    return (gradient->lags.guesses ? gradient->n : 0) + (gradient->lags.adapts ? MEMORY : 0);
}

/* What a slope's variables are. */
typedef struct Variables {
    const double *place, *rate, *last_place, *last_rate;
} Variables;

static Variables variables_of(const FilGradient* gradient, const double* start, const double* last)
{
    return (Variables){start, start + gradient->n, last, last != NULL ? last + gradient->n : NULL};
}

static double value_of(const FilGradientLags* lags, const FilGradientSlope* slopes, int count, const Variables* v)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++) {
        const FilGradientSlope* s = &slopes[k];
        sum += s->by_place * v->place[s->unknown] + s->by_rate * v->rate[s->unknown];
        sum += lags->guesses ? s->by_guess * lags->guess[s->unknown] : 0.0;
        sum += v->last_place != NULL ? s->by_last_place * v->last_place[s->unknown] + s->by_last_rate * v->last_rate[s->unknown] : 0.0;
    }
    return sum;
}

static void add_back(FilGradientLags* lags, const FilGradientSlope* slopes, int count, double weight, int n, double* start, double* last)
{
    for (int k = 0; k < count; k++) {
        const FilGradientSlope* s = &slopes[k];
        start[s->unknown] += weight * s->by_place;
        start[n + s->unknown] += weight * s->by_rate;
        if (lags->guesses) {
            lags->guess[s->unknown] += weight * s->by_guess;
        }
        if (last != NULL) {
            last[s->unknown] += weight * s->by_last_place;
            last[n + s->unknown] += weight * s->by_last_rate;
        }
    }
}

/* The first guess goes on as the last step did; what is held goes to its place. */
static void find_guess(FilGradient* gradient, const double* start)
{
    const FilSystem* system = &gradient->world->system;
    const int n = gradient->n;
    double* guess = gradient->lags.guess;
    memset(guess, 0, sizeof(double) * (size_t)n);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->moves && body->ops->derivative->lead != NULL) {
            body->ops->derivative->lead(body->impl, start + body->v, guess + body->v);
        }
    }
    const double goes_on = gradient->world->solver.potential.goes_on;
    for (int k = 0; k < n; k++) {
        guess[k] = gradient->diagonal[k] > 0.0 ? start[n + k] + goes_on * start[2 * n + k] : guess[k];
    }
}

static void take_guess_back(FilGradient* gradient, double* start)
{
    const FilSystem* system = &gradient->world->system;
    const double goes_on = gradient->world->solver.potential.goes_on;
    const int n = gradient->n;
    double* guess = gradient->lags.guess;
    for (int k = 0; k < n; k++) {
        if (gradient->diagonal[k] > 0.0) {
            start[n + k] += guess[k];
            start[2 * n + k] += goes_on * guess[k];
            guess[k] = 0.0;
        }
    }
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (body->moves && body->ops->derivative->lead_back != NULL) {
            body->ops->derivative->lead_back(body->impl, guess + body->v, start + body->v);
        }
    }
}

/* ---- tangents at the first guess ---- */

void fil_gradient_clear_tangents(FilGradient* gradient)
{
    const size_t n = (size_t)gradient->n;
    memset(gradient->at_free, 0, sizeof(double) * n);
    memset(gradient->blocks, 0, 4 * sizeof(double) * n);
}

/* How their diagonals vary, from a variation of the start and of the guess: a third derivative of the elastic energy, one sweep for all contacts. */
static void find_diagonals(FilGradient* gradient, const double* start)
{
    const FilSystem* system = &gradient->world->system;
    double *diagonal = gradient->lags.diagonal, *blocks = gradient->blocks, *place = gradient->at_free;
    fil_gradient_clear_tangents(gradient);
    memset(gradient->bent, 0, sizeof(double) * (size_t)gradient->n);
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (gradient->lags.bends[b]) {
            const FilDerivativeOps* ops = body->ops->derivative;
            ops->at_free(body->impl, start + body->v, gradient->lags.guess + body->v, place + body->v);
            ops->bend(body->impl, place + body->v, start + body->v, gradient->bent + body->v, blocks + 4 * body->v);
        }
    }
    for (int k = 0; k < gradient->n; k++) {
        diagonal[k] = blocks[4 * (k - k % 4) + 5 * (k % 4)];
    }
}

/* Transposed: adds to the start and to the weights of the guess. */
static void take_diagonals_back(FilGradient* gradient, double* start)
{
    const FilSystem* system = &gradient->world->system;
    double *diagonal = gradient->lags.diagonal, *blocks = gradient->blocks, *place = gradient->at_free, *none = gradient->bent;
    bool any = false;
    for (int k = 0; k < gradient->n; k++) {
        any |= diagonal[k] != 0.0;
    }
    if (!any) {
        return;
    }
    fil_gradient_clear_tangents(gradient);
    for (int k = 0; k < gradient->n; k++) {
        blocks[4 * (k - k % 4) + 5 * (k % 4)] = diagonal[k];
        diagonal[k] = none[k] = 0.0;
    }
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (gradient->lags.bends[b]) {
            const FilDerivativeOps* ops = body->ops->derivative;
            ops->bend_back(body->impl, none + body->v, blocks + 4 * body->v, place + body->v, start + body->v);
            ops->at_free_back(body->impl, place + body->v, start + body->v, gradient->lags.guess + body->v);
        }
    }
}

/* By the inertia of the contacts that lead it. */
static double leads_of(const FilGradientLags* lags)
{
    double sum = 0.0;
    for (int k = 0; k < FIL_IMC_LEADERS; k++) {
        const int unknown = lags->global.contact[k] >= 0 ? lags->inertia[lags->global.contact[k]] : -1;
        sum += unknown >= 0 ? lags->global.by[k][FIL_IMC_BY_INERTIA] * lags->diagonal[unknown] : 0.0;
    }
    return sum;
}

static void add_leads_back(FilGradientLags* lags, double weight)
{
    for (int k = 0; k < FIL_IMC_LEADERS; k++) {
        const int unknown = lags->global.contact[k] >= 0 ? lags->inertia[lags->global.contact[k]] : -1;
        if (unknown >= 0) {
            lags->diagonal[unknown] += weight * lags->global.by[k][FIL_IMC_BY_INERTIA];
        }
    }
}

/* ---- products ---- */

/* The stiffness that all follow. */
static double global_of(const FilGradient* gradient, const double* start, const Variables* v)
{
    const FilGradientLags* lags = &gradient->lags;
    if (!lags->adapts) {
        return 0.0;
    }
    const double* memory = start + 3 * gradient->n;
    return lags->global.by_memory[0] * memory[0] + lags->global.by_memory[1] * memory[1] +
           value_of(lags, lags->stiffness.at, lags->stiffness.count, v) + leads_of(lags);
}

static void add_global_back(FilGradient* gradient, double weight, double* start)
{
    FilGradientLags* lags = &gradient->lags;
    double* memory = start + 3 * gradient->n;
    memory[0] += weight * lags->global.by_memory[0];
    memory[1] += weight * lags->global.by_memory[1];
    add_leads_back(lags, weight);
    add_back(lags, lags->stiffness.at, lags->stiffness.count, weight, gradient->n, start, NULL);
}

/* How what a contact is varies, of which slopes have been made. */
static void find_numbers(const FilGradientLags* lags, const FilGradientLag* lag, const Variables* v, double* number)
{
    const int m = lag->size;
    number[FIL_IMC_BY_INERTIA] = lags->adapts && lag->inertia >= 0 ? lags->diagonal[lag->inertia] : 0.0;
    for (int i = 0; i < m && lag->normal != NULL; i++) {
        const int k = lag->unknown[i];
        const double place = v->place[k], last = v->last_rate != NULL ? v->last_rate[k] : 0.0;
        number[FIL_IMC_BY_DISTANCE] += lag->by_place[i] * place;
        number[FIL_IMC_BY_VELOCITY] += lag->by_place[m + i] * place + lag->normal[i] * v->rate[k];
        number[FIL_LAG_BY_LAST] += lag->by_place[2 * m + i] * place + lag->normal[i] * last;
    }
}

void fil_gradient_lags_vary(FilGradient* gradient, const double* start, const double* last, double* out)
{
    FilGradientLags* lags = &gradient->lags;
    if (lags->count == 0) {
        return;
    }
    if (lags->guesses) {
        find_guess(gradient, start);
    }
    if (lags->adapts) {
        find_diagonals(gradient, start);
    }
    const Variables v = variables_of(gradient, start, last);
    const double global = global_of(gradient, start, &v);
    for (int k = 0; k < lags->count; k++) {
        const FilGradientLag* lag = &lags->items[k];
        double number[FIL_LAG_NUMBERS] = {0.0};
        find_numbers(lags, lag, &v, number);
        for (int s = 0; s < FIL_LAGS; s++) {
            double value = lag->by_global[s] * global + value_of(lags, lags->slopes + lag->first[s], lag->first[s + 1] - lag->first[s], &v);
            for (int i = 0; i < FIL_LAG_NUMBERS; i++) {
                value += lag->by[s][i] * number[i];
            }
            for (int i = 0; i < lag->size && value != 0.0; i++) {
                out[lag->unknown[i]] += lag->push[s * lag->size + i] * value;
            }
        }
    }
}

/* Weights of one of a contact's numbers, from those of what they push on. */
static double value_of_push(const FilGradientLag* lag, int s, const double* weight)
{
    double value = 0.0;
    for (int i = 0; i < lag->size; i++) {
        value += lag->push[s * lag->size + i] * weight[lag->unknown[i]];
    }
    return value;
}

void fil_gradient_lag_weigh(const FilGradientLag* lag, const double* weight, double* to)
{
    for (int s = 0; s < FIL_LAGS; s++) {
        const double value = value_of_push(lag, s, weight);
        for (int i = 0; i < FIL_LAG_NUMBERS; i++) {
            to[i] += value * lag->by[s][i];
        }
    }
}

/* Transposed; what distance and velocities do by the place is gone back through with the contact itself, if slopes have not been made. */
static void add_numbers_back(FilGradient* gradient, const FilGradientLag* lag, const double* to, double* start, double* last)
{
    const int n = gradient->n, m = lag->size;
    const double distance = to[FIL_IMC_BY_DISTANCE], velocity = to[FIL_IMC_BY_VELOCITY], before = to[FIL_LAG_BY_LAST];
    if (gradient->lags.adapts && lag->inertia >= 0) {
        gradient->lags.diagonal[lag->inertia] += to[FIL_IMC_BY_INERTIA];
    }
    for (int i = 0; i < m && lag->normal != NULL; i++) {
        start[n + lag->unknown[i]] += velocity * lag->normal[i];
        if (last != NULL) {
            last[n + lag->unknown[i]] += before * lag->normal[i];
        }
    }
    for (int i = 0; i < m && lag->made; i++) {
        start[lag->unknown[i]] += distance * lag->by_place[i] + velocity * lag->by_place[m + i] + before * lag->by_place[2 * m + i];
    }
}

void fil_gradient_lags_vary_back(FilGradient* gradient, const double* weight, double* start, double* last)
{
    FilGradientLags* lags = &gradient->lags;
    double global = 0.0;
    if (lags->count == 0) {
        return;
    }
    if (lags->guesses) {
        memset(lags->guess, 0, sizeof(double) * (size_t)gradient->n);
    }
    if (lags->adapts) {
        memset(lags->diagonal, 0, sizeof(double) * (size_t)gradient->n);
    }
    for (int k = 0; k < lags->count; k++) {
        const FilGradientLag* lag = &lags->items[k];
        double to[FIL_LAG_NUMBERS] = {0.0};
        for (int s = 0; s < FIL_LAGS; s++) {
            const double value = value_of_push(lag, s, weight);
            global += lag->by_global[s] * value;
            for (int i = 0; i < FIL_LAG_NUMBERS; i++) {
                to[i] += value * lag->by[s][i];
            }
            add_back(lags, lags->slopes + lag->first[s], lag->first[s + 1] - lag->first[s], value, gradient->n, start, last);
        }
        add_numbers_back(gradient, lag, to, start, last);
    }
    if (lags->adapts) {
        add_global_back(gradient, global, start);
        take_diagonals_back(gradient, start);
    }
    if (lags->guesses) {
        take_guess_back(gradient, start);
    }
}

void fil_gradient_lags_keep(FilGradient* gradient, const double* start, double* end)
{
    FilGradientLags* lags = &gradient->lags;
    const int n = gradient->n;
    if (!lags->guesses) {
        return;
    }
    find_guess(gradient, start);
    for (int k = 0; k < n; k++) {
        end[2 * n + k] = gradient->diagonal[k] > 0.0 ? end[n + k] - start[n + k] : 0.0;
    }
    if (!lags->adapts) {
        return;
    }
    const Variables v = variables_of(gradient, start, NULL);
    find_diagonals(gradient, start);
    end[3 * n] = global_of(gradient, start, &v);
    end[3 * n + 1] = lags->keeps_speed * start[3 * n + 1] + value_of(lags, lags->speed.at, lags->speed.count, &v);
}

void fil_gradient_lags_keep_back(FilGradient* gradient, const double* end, double* start, double* end_rate)
{
    FilGradientLags* lags = &gradient->lags;
    const int n = gradient->n;
    if (!lags->guesses) {
        return;
    }
    memset(lags->guess, 0, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++) {
        const double weight = gradient->diagonal[k] > 0.0 ? end[2 * n + k] : 0.0;
        end_rate[k] += weight;
        start[n + k] -= weight;
    }
    if (!lags->adapts) {
        return;
    }
    memset(lags->diagonal, 0, sizeof(double) * (size_t)n);
    add_global_back(gradient, end[3 * n], start);
    take_diagonals_back(gradient, start);
    start[3 * n + 1] += lags->keeps_speed * end[3 * n + 1];
    add_back(lags, lags->speed.at, lags->speed.count, end[3 * n + 1], n, start, NULL);
    take_guess_back(gradient, start);
}

void fil_gradient_lags_free(FilGradientLags* lags)
{
    fil_free(lags->items);
    fil_free(lags->numbers);
    fil_free(lags->unknowns);
    fil_free(lags->inertia);
    fil_free(lags->bends);
    fil_free(lags->slopes);
}
