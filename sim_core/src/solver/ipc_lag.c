/* Friction within a step: what it was found with, set against what it should have been.
 *
 * Bound, tangents and place of friction are those of the step's start to begin with. In a bounce of a few steps normal forces come
 * and go within one: friction would follow a step behind. So the solution is asked what its own friction is; where that differs, the
 * solution is found again with it (as friction iterations of Li et al. 2020, Incremental Potential Contact, sec. 5), each time leaving
 * about mu of the difference. What rests or slides steadily does not differ. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "solver/solver.h"

/* Force of friction at v, N s; what sticks keeps what it has, as far as there is so much now. */
static void force_of(const FilSolver* solver, const FilIpcSlides* slides, const FilIpcSlide* slide, const double* v, double* force)
{
    const FilSlipping slipping = fil_slide_slipping(slides, slide);
    (void)fil_friction_energy(&slide->friction, &slipping, solver->settings.model.ipc.slip_speed, v, force);
}

/* By how much friction of a pair changes from `was` (NULL: there was none) to `is`, N s. */
static double change_of(const FilSolver* solver, const FilIpcSlide* was, const FilIpcSlide* is, const double* v)
{
    const FilIpcField* field = &solver->ipc;
    double now[3], before[3] = {0.0, 0.0, 0.0};
    force_of(solver, &field->slides, is, v, now);
    if (was == NULL) {
        return fil_v3_norm(now);
    }
    const FilSlipping slipping = fil_slide_slipping(&field->other_slides, was);
    force_of(solver, &field->other_slides, was, v, before);
    if (fil_friction_sticks(&was->friction, &slipping, solver->settings.model.ipc.slip_speed, v)) {
        return fmax(fil_v3_norm(before) - is->friction.max, 0.0);
    }
    fil_v3_sub(now, now, before);
    return fil_v3_norm(now);
}

/* Sums that over all pairs, and the most friction that there could be. */
static double sum_changes(FilSolver* solver, const double* v, double* max)
{
    FilIpcField* field = &solver->ipc;
    double change = 0.0, force[3];
    int from = 0;
    *max = 0.0;
    for (int k = 0; k < field->slides.count; k++) {
        FilIpcSlide* is = &field->slides.at[k];
        const int s = fil_ipc_slide_find(&field->other_slides, &is->pair, from);
        FilIpcSlide* was = s >= 0 ? &field->other_slides.at[s] : NULL;
        change += change_of(solver, was, is, v);
        *max += fmax(is->friction.max, was != NULL ? was->friction.max : 0.0);
        if (was != NULL) {
            was->reported = true;
            from = s + 1;
        }
    }
    for (int s = 0; s < field->other_slides.count; s++) {
        FilIpcSlide* was = &field->other_slides.at[s];
        if (!was->reported) {  // has left
            force_of(solver, &field->other_slides, was, v, force);
            change += fil_v3_norm(force);
            *max += was->friction.max;
        }
        was->reported = false;
    }
    return change;
}

static void swap_slides(FilIpcField* field)
{
    const FilIpcSlides swap = field->slides;
    field->slides = field->other_slides;
    field->other_slides = swap;
}

/* Keeps what the last solution was found with. */
static FilStatus keep_round(FilIpcField* field, int round)
{
    if (fil_solver_reserve((void**)&field->rounds, round, &field->round_room, sizeof *field->rounds) != FIL_OK) {
        return FIL_OUT_OF_MEMORY;
    }
    FilIpcRound* kept = &field->rounds[round];
    const FilIpcSlides* from = &field->other_slides;
    FilIpcSlides* to = &kept->slides;
    const FilIpcSlide* last = from->count > 0 ? &from->at[from->count - 1] : NULL;
    const size_t blocks = last != NULL ? (size_t)(last->first + last->count) : 0;
    size_t capacity = (size_t)to->capacity;
    if (!fil_buffer_reserve((void**)&kept->pairs, &kept->pair_capacity, (size_t)field->active_count, sizeof *kept->pairs) ||
        !fil_buffer_reserve((void**)&to->at, &capacity, (size_t)from->count, sizeof *to->at) || !fil_ints_reserve(&to->variable, blocks) ||
        !fil_ints_reserve(&to->column, blocks) || !fil_doubles_reserve(&to->jacobian, 12 * blocks)) {
        return FIL_OUT_OF_MEMORY;
    }
    to->capacity = (int)capacity;
    to->count = from->count;
    kept->pair_count = field->active_count;
    for (int k = 0; k < field->active_count; k++) {
        kept->pairs[k] = field->pairs[field->active.at[k]];
    }
    if (from->count > 0) {
        memcpy(to->at, from->at, sizeof *to->at * (size_t)from->count);
        memcpy(to->variable.at, from->variable.at, sizeof(int) * blocks);
        memcpy(to->column.at, from->column.at, sizeof(int) * blocks);
        memcpy(to->jacobian.at, from->jacobian.at, 12 * sizeof(double) * blocks);
    }
    return FIL_OK;
}

FilStatus fil_ipc_follow_friction(FilSolver* solver, const double* v, bool* again, FilStepInfo* info)
{
    FilIpcField* field = &solver->ipc;
    const FilIpcSettings* settings = &solver->settings.model.ipc;
    swap_slides(field);
    const FilStatus status = fil_ipc_contacts_follow(solver);
    if (status != FIL_OK) {
        return status;
    }
    double max;
    const double change = sum_changes(solver, v, &max), share = max > 0.0 ? change / max : 0.0;
    *again = share > settings->friction_tolerance && field->lag_round + 1 < settings->friction_iterations;
    field->lag_round++;
    if (!*again) {  // v is the solution with what it was found with
        swap_slides(field);
        info->friction_iterations = info->friction_iterations > field->lag_round ? info->friction_iterations : field->lag_round;
        info->friction_change = fmax(info->friction_change, share);
        return FIL_OK;
    }
    for (int k = 0; k < field->slides.count; k++) {
        FilFriction* friction = &field->slides.at[k].friction;
        const FilSlipping slipping = fil_slide_slipping(&field->slides, &field->slides.at[k]);
        const bool stuck = fil_friction_sticks(friction, &slipping, settings->slip_speed, v);
        fil_friction_begin(friction, &slipping, settings->slip_speed, stuck, v);
    }
    // what friction couples is another pattern now
    solver->potential.bound = false;
    solver->potential.factors = FIL_FACTORS_NONE;
    return solver->potential.keeps_rounds ? keep_round(field, solver->potential.round_count) : FIL_OK;
}
