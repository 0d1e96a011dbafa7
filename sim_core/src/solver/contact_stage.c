/* Who takes part in the contact problem, and the block pattern of their tangents. */
#include "solver/contact_stage.h"

#include <string.h>

#include "solver/own_constraint.h"
#include "solver/solver.h"

void fil_contact_stage_free(FilContactStage* stage)
{
    void* blocks[] = {stage->offset, stage->first_block, stage->start,  stage->row,         stage->values,
                      stage->v_free, stage->push,        stage->v,      stage->constraints, stage->impulses,
                      stage->weak,   stage->takes_part,  stage->pushed, stage->column_of,   stage->own_count.at};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
    fil_contact_set_free(&stage->rows);
}

/* Room for `count` items, old ones not kept. Allocates only to grow, and then by half more. */
static bool room(void** array, int count, int* capacity, size_t size)
{
    if (count <= *capacity && *array != NULL) {
        return true;
    }
    const int wanted = count + count / 2 + 16;
    fil_free(*array);
    *array = fil_alloc((size_t)wanted, size);
    *capacity = *array != NULL ? wanted : 0;
    return *array != NULL;
}

/* ---- who takes part ---- */

/* Marks bodies with contacts or joints; returns whether the set differs from that of the last problem. */
static bool choose_bodies(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    bool changed = !stage->pattern_ready;
    const bool everyone = solver->model->everyone;
    for (int b = 0; b < solver->system->body_count; b++) {
        stage->takes_part[b] = (everyone && solver->system->bodies[b].moves) || stage->own_count.at[b] > 0;
    }
    for (int k = 0; k < solver->collision->set.count; k++) {
        for (int side = 0; side < 2; side++) {
            const FilContact* contact = &solver->collision->set.contacts[k];
            const int b = contact->body[side];
            stage->takes_part[b] |=
                solver->collision->colliders[contact->collider[side]].collider.movable && solver->system->bodies[b].rest == FIL_AWAKE;
        }
    }
    for (int j = 0; j < solver->joints.count; j++) {
        for (int side = 0; side < 2; side++) {
            const int b = solver->joints.items[j].side[side].body;
            if (b >= 0) {
                stage->takes_part[b] |= solver->system->bodies[b].moves;
            }
        }
    }
    for (int b = 0; b < solver->system->body_count && !changed; b++) {
        changed = (stage->offset[b] >= 0) != stage->takes_part[b];
    }
    return changed;
}

/* Columns of all blocks of velocities. */
static bool map_blocks(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    if (!room((void**)&stage->column_of, solver->system->v_count / 4, &stage->column_of_capacity, sizeof(int))) {
        return false;
    }
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        for (int k = 0; k < body->v_count / 4; k++) {
            stage->column_of[body->v / 4 + k] = stage->offset[b] >= 0 ? stage->offset[b] + k : -1;
        }
    }
    return true;
}

/* Block pattern of the tangents of all bodies that take part, one after the other. */
static bool build_pattern(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    int columns = 0, blocks = 0;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        stage->offset[b] = stage->takes_part[b] ? columns : -1;
        stage->first_block[b] = blocks;
        if (stage->takes_part[b]) {
            const int own = body->ops->tangent_pattern(body->impl, NULL, NULL);
            if (own < 0) {
                return false;
            }
            columns += body->v_count / 4;
            blocks += own;
        }
    }
    int start_capacity = 0, v_capacity = 0, row_capacity = 0, weak_capacity = 0, value_capacity = 0, free_capacity = 0, push_capacity = 0;
    if (columns + 1 > stage->column_capacity || blocks > stage->block_capacity) {
        fil_free(stage->start), fil_free(stage->v_free), fil_free(stage->push), fil_free(stage->v), fil_free(stage->row), fil_free(stage->weak),
            fil_free(stage->values);
        stage->start = stage->row = NULL;
        stage->weak = NULL;
        stage->v = stage->v_free = stage->push = stage->values = NULL;
        if (!room((void**)&stage->start, columns + 1, &start_capacity, sizeof(int)) ||
            !room((void**)&stage->v, columns + 1, &v_capacity, 4 * sizeof(double)) ||
            !room((void**)&stage->v_free, columns + 1, &free_capacity, 4 * sizeof(double)) ||
            !room((void**)&stage->push, columns + 1, &push_capacity, 4 * sizeof(double)) ||
            !room((void**)&stage->row, 2 * blocks, &row_capacity, sizeof(int)) || !room((void**)&stage->weak, blocks, &weak_capacity, sizeof(bool)) ||
            !room((void**)&stage->values, blocks, &value_capacity, 16 * sizeof(double))) {
            return false;
        }
        stage->column_capacity = start_capacity;
        stage->block_capacity = value_capacity;
    }
    stage->column_count = columns;
    stage->block_count = blocks;
    stage->patterns++;
    memset(stage->start, 0, sizeof(int) * (size_t)(columns + 1));
    memset(stage->weak, 0, sizeof(bool) * (size_t)blocks);
    int* scratch = stage->row + blocks;  // columns of the blocks, which come sorted by column within each body
    int first = 0;
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (!stage->takes_part[b]) {
            continue;
        }
        const int own = body->ops->tangent_pattern(body->impl, scratch, stage->row + first);
        for (int k = 0; k < own; k++) {
            stage->row[first + k] += stage->offset[b];
            stage->start[stage->offset[b] + scratch[k] + 1]++;
        }
        if (body->ops->weak_blocks != NULL) {
            body->ops->weak_blocks(body->impl, stage->weak + first);
        }
        first += own;
    }
    for (int c = 0; c < columns; c++) {
        stage->start[c + 1] += stage->start[c];
    }
    stage->pattern_ready = map_blocks(solver);
    return stage->pattern_ready;
}

void fil_contacts_take(FilSolver* solver, int b)
{
    FilContactStage* stage = &solver->contact;
    const FilBody* body = &solver->system->bodies[b];
    if (!stage->active || stage->offset[b] < 0) {
        return;
    }
    const size_t bytes = sizeof(double) * (size_t)body->v_count;
    body->ops->tangent(body->impl, stage->values + (size_t)16 * (size_t)stage->first_block[b]);
    memcpy(stage->v_free + 4 * stage->offset[b], solver->system->scratch.solution + body->v, bytes);
    memcpy(stage->v + 4 * stage->offset[b], solver->system->state.v + body->v, bytes);  // warm start
    if (stage->pushed[b]) {
        memcpy(stage->push + 4 * stage->offset[b], solver->system->scratch.push + body->v, bytes);
    } else {
        memset(stage->push + 4 * stage->offset[b], 0, bytes);
    }
}

/* Makes room for the constraints of this step. */
static bool make_room(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    const int max = solver->collision->set.count + fil_joints_constraints(solver) + stage->own_total;
    if (stage->offset_capacity < solver->system->body_count) {
        if (!room((void**)&stage->offset, solver->system->body_count, &stage->offset_capacity, sizeof(int)) ||
            !room((void**)&stage->first_block, solver->system->body_count, &stage->first_block_capacity, sizeof(int)) ||
            !room((void**)&stage->takes_part, solver->system->body_count, &stage->takes_part_capacity, sizeof(bool)) ||
            !room((void**)&stage->pushed, solver->system->body_count, &stage->pushed_capacity, sizeof(bool))) {
            return false;
        }
        stage->pattern_ready = false;
    }
    return room((void**)&stage->constraints, max, &stage->constraint_capacity, sizeof *stage->constraints) &&
           room((void**)&stage->impulses, max, &stage->impulse_capacity, 3 * sizeof(double));
}

FilStatus fil_contacts_prepare(FilSolver* solver)
{
    FilContactStage* stage = &solver->contact;
    stage->constraint_count = 0;
    if (!fil_own_constraints_count(solver)) {
        return FIL_OUT_OF_MEMORY;
    }
    stage->active = solver->collision->set.count > 0 || solver->joints.count > 0 || stage->own_total > 0 || solver->model->everyone;
    if (stage->active && (!make_room(solver) || (choose_bodies(solver) && !build_pattern(solver)))) {
        return FIL_OUT_OF_MEMORY;
    }
    return FIL_OK;
}
