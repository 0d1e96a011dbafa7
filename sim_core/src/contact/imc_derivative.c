#include "contact/imc_derivative.h"

#include <math.h>

/* The factor of fil_imc_adapt(), and how it follows its arguments; and the relative change of what it leaves with that of the stiffness, whose root
 * `follows` goes with while it is below 1. */
static double adapt_slopes(const FilImcSettings* s, double min, double speed, double follows, double* by_min, double* by_speed, double* by_stiffness)
{
    const double width = s->farthest - s->closest, near = min - FIL_IMC_LOOK_AHEAD * fabs(speed);
    *by_min = *by_speed = 0.0;
    *by_stiffness = 1.0;
    if (near < s->closest) {
        const double off = (s->closest - near) / width, change = 1.0 + s->rate * fmin(off, FIL_IMC_MAX_GROWTH);
        const double still = s->dissipation > 0.0 ? FIL_IMC_STILL * width : 0.0;
        const double slope = off < FIL_IMC_MAX_GROWTH ? -s->rate / width : 0.0;  // of the change, by `near`
        const double near_by_speed = -FIL_IMC_LOOK_AHEAD * (speed > 0.0 ? 1.0 : -1.0);
        if (speed > still && speed <= FIL_IMC_FAST * width) {
            return 1.0;
        }
        const double factor = speed <= still ? change : 1.0 / change, outer = speed <= still ? 1.0 : -1.0 / (change * change);
        *by_min = outer * slope;
        *by_speed = outer * slope * near_by_speed;
        return factor;
    }
    if (min > s->farthest) {
        const double off = (min - s->farthest) / width, rate = follows * s->rate, change = 1.0 + rate * fmin(off, FIL_IMC_MAX_FALL);
        *by_min = off < FIL_IMC_MAX_FALL ? -rate / width / (change * change) : 0.0;
        *by_stiffness = follows < 1.0 ? 1.0 - 0.5 * (change - 1.0) / change : 1.0;
        return 1.0 / change;
    }
    return 1.0;
}

/* Of what stops a contact that is coming: of M v^2/room, where M goes with the time, 2 room/|v|, too. */
static void stopping_slopes(const FilPotentialProblem* problem, const FilPotentialContact* c, double scale, double* by)
{
    const FilImcStop stop = fil_imc_stop(problem, c);
    const double u = stop.speed / stop.room, m = scale * stop.inertia.kg, by_log = scale * stop.inertia.by_log_steps;
    by[FIL_IMC_BY_INERTIA] = scale * stop.inertia.by_diagonal * u * stop.speed;
    by[FIL_IMC_BY_VELOCITY] = (2.0 * m - by_log) * u;
    by[FIL_IMC_BY_DISTANCE] = c->contact->distance > 0.0 ? (by_log - m) * u * u : 0.0;
}

/* What the stiffness begins with where nothing is remembered. */
static double begin_with(const FilPotentialProblem* problem, FilImcGlobalSlopes* out)
{
    double max = 0.0;
    out->by_memory[FIL_IMC_STIFFNESS] = 0.0;
    if (problem->settings->stiffness > 0.0) {
        return problem->settings->stiffness;
    }
    for (int k = 0; k < problem->count; k++) {
        const FilPotentialContact* c = &problem->contacts[k];
        const double needed = fil_imc_starting_stiffness(problem, c);
        if (needed > max) {
            max = needed;
            out->contact[FIL_IMC_FIRST] = k;
            out->by[FIL_IMC_FIRST][FIL_IMC_BY_INERTIA] =
                problem->gravity > 0.0 ? 2.0 * problem->gravity * fil_imc_borne(problem, c).by_diagonal : 0.0;
        }
    }
    return max > 0.0 ? max : 1.0;
}

/* Adapted to the closest contact. */
static double adapt(const FilPotentialProblem* problem, double stiffness, double last_speed, FilImcGlobalSlopes* out)
{
    const FilImcSettings* s = problem->settings;
    double by_min, by_speed, by_stiffness;
    out->closest = fil_imc_closest(problem);
    const FilPotentialContact* c = &problem->contacts[out->closest];
    const double min = c->contact->distance / c->radius;
    out->speed_scale = problem->dt / c->radius;
    if (!(min < s->reach)) {
        return stiffness;
    }
    const double speed = c->contact->normal_velocity * out->speed_scale, mean = 0.5 * (speed + last_speed);
    const double follows = fil_imc_follows(problem, c, stiffness);
    const double factor = adapt_slopes(s, min, fmin(speed, mean), follows, &by_min, &by_speed, &by_stiffness);
    out->by_memory[FIL_IMC_STIFFNESS] *= factor * by_stiffness;
    out->by_memory[FIL_IMC_SPEED] = mean < speed ? 0.5 * stiffness * by_speed : 0.0;
    out->by[FIL_IMC_FIRST][FIL_IMC_BY_INERTIA] *= factor * by_stiffness;
    out->contact[FIL_IMC_CLOSEST] = out->closest;
    out->by[FIL_IMC_CLOSEST][FIL_IMC_BY_INERTIA] = by_stiffness < 1.0 ? stiffness * factor * (1.0 - by_stiffness) / c->diagonal : 0.0;
    out->by[FIL_IMC_CLOSEST][FIL_IMC_BY_DISTANCE] = stiffness * by_min / c->radius;
    out->by[FIL_IMC_CLOSEST][FIL_IMC_BY_VELOCITY] = (mean < speed ? 0.5 : 1.0) * stiffness * by_speed * out->speed_scale;
    return factor * stiffness;
}

void fil_imc_global_slopes(const FilPotentialProblem* problem, const double* memory, FilImcGlobalSlopes* out)
{
    *out = (FilImcGlobalSlopes){.by_memory = {1.0}, .contact = {-1, -1, -1}, .closest = -1};
    if (problem->count == 0) {
        return;
    }
    double stiffness = memory[FIL_IMC_STIFFNESS];
    if (!(stiffness > 0.0)) {
        stiffness = begin_with(problem, out);
    }
    stiffness = adapt(problem, stiffness, memory[FIL_IMC_SPEED], out);
    for (int k = 0; k < problem->count && !(problem->settings->stiffness > 0.0); k++) {
        const double enough = fil_imc_stopping_stiffness(problem, &problem->contacts[k]) / FIL_IMC_STIFFEST_COMING;
        if (enough > stiffness) {
            const FilImcGlobalSlopes only = {.contact = {-1, -1, k}, .closest = out->closest, .speed_scale = out->speed_scale};
            stiffness = enough;
            *out = only;
            stopping_slopes(problem, &problem->contacts[k], 1.0 / FIL_IMC_STIFFEST_COMING, out->by[FIL_IMC_COMING]);
        }
    }
}

void fil_imc_contact_slopes(const FilPotentialProblem* problem, const FilPotentialContact* c, double global, FilImcContactSlopes* out)
{
    const double stopping = problem->settings->stiffness > 0.0 ? 0.0 : fil_imc_stopping_stiffness(problem, c);
    *out = (FilImcContactSlopes){.by_share = fmax(global, stopping)};
    if (stopping > global) {
        stopping_slopes(problem, c, c->share, out->by);
    } else {
        out->by_global = c->share;
    }
    if (c->ahead > 0.0) {
        out->ahead_by_stiffness = -0.5 * c->ahead / c->stiffness;
        out->ahead_by_inertia = 0.5 * c->ahead / c->diagonal;
        out->ahead_by_tilt = -fil_imc_steps_ahead(problem, c) / FIL_IMC_MAX_TILT;
    }
}
