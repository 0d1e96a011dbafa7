#include "solver/followers.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "solver/joint_rows.h"
#include "solver/solver.h"

void fil_followers_free(FilFollowers* f)
{
    FilInts* ints[] = {&f->part_variable, &f->of_variable, &f->pattern_variables, &f->start, &f->row, &f->slots};
    FilDoubles* doubles[] = {&f->part_jacobian, &f->values, &f->v_free, &f->push, &f->v, &f->momentum, &f->apart};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++) {
        fil_free(doubles[k]->at);
    }
    fil_free(f->items);
    fil_free(f->folded);
    fil_free(f->constraints);
    fil_free(f->keys);
    fil_contact_set_free(&f->rows);
}

bool fil_followers_hold(const FilFollowers* followers, int joint)
{
    return followers->count > 0 && followers->folded[joint];
}

/* ---- who follows ---- */

/* Welds of many vertices to what moves, whose vertices nothing else holds. */
static bool can_fold(const FilSolver* solver, const FilJoint* joint)
{
    const FilBodySide *a = &joint->side[0], *b = &joint->side[1];
    if (joint->point_count == 0 || joint->kind != FIL_JOINT_PIN || b->body < 0 || b->body == a->body || b->point >= 0 ||
        !solver->system->bodies[b->body].moves) {
        return false;
    }
    const FilBody* body = &solver->system->bodies[a->body];
    for (int k = -1; k < joint->point_count; k++) {
        const int point = k < 0 ? a->point : joint->points[k].point;
        const int variable = solver->contact.offset[a->body] + point;
        if (solver->followers.of_variable.at[variable] >= 0 || (body->ops->held != NULL && body->ops->held(body->impl, point))) {
            return false;
        }
    }
    return true;
}

static void add_follower(FilSolver* solver, int j, int point, const double* at, double dt)
{
    FilFollowers* f = &solver->followers;
    const FilJoint* joint = &solver->joints.items[j];
    const FilBodySide* side = &joint->side[1];
    const FilBody *solid = &solver->system->bodies[joint->side[0].body], *body = &solver->system->bodies[side->body];
    const double* x = solver->system->state.q + solid->q + 4 * point;
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS];
    FilFollower* item = &f->items[f->count];
    *item = (FilFollower){.variable = solver->contact.offset[joint->side[0].body] + point, .joint = j, .point = point, .first = f->part_count};
    item->count = body->ops->point_jacobian(body->impl, side->index, side->edge, x, solver->system->state.q + body->q, blocks, jacobian, item->bias);
    for (int k = 0; k < item->count; k++) {
        double* part = f->part_jacobian.at + 16 * (size_t)f->part_count;
        memset(part, 0, 16 * sizeof *part);
        memcpy(part, jacobian + 12 * k, 12 * sizeof *part);
        f->part_variable.at[f->part_count++] = solver->contact.offset[side->body] + blocks[k];
    }
    item->auxiliary = solid->ops->auxiliary != NULL && solid->ops->auxiliary(solid->impl, point);
    if (item->auxiliary) {
        double* part = f->part_jacobian.at + 16 * (size_t)f->part_count;
        memset(part, 0, 16 * sizeof *part);
        part[15] = 1.0;
        f->part_variable.at[f->part_count++] = item->variable;
        item->count++;
    }
    for (int k = 0; k < 3; k++) {
        item->bias[k] += (at[k] - x[k]) / dt;  // back to its place
    }
    f->of_variable.at[item->variable] = f->count++;
}

static void fold_joint(FilSolver* solver, int j, double dt)
{
    const FilJoint* joint = &solver->joints.items[j];
    FilPose body, frame[2];
    double at[3];
    fil_joint_side_pose(solver->system, &joint->side[1], &body);
    fil_joint_frames(solver->system, joint, frame);
    add_follower(solver, j, joint->side[0].point, frame[1].p, dt);
    for (int k = 0; k < joint->point_count; k++) {
        fil_pose_apply(at, &body, joint->points[k].at);
        add_follower(solver, j, joint->points[k].point, at, dt);
    }
    solver->followers.folded[j] = true;
}

FilStatus fil_followers_choose(FilSolver* solver, double dt)
{
    FilFollowers* f = &solver->followers;
    const int joints = solver->joints.count;
    int max = 0, others = solver->collision->set.count + solver->contact.own_total;
    f->count = f->part_count = 0;
    for (int j = 0; j < joints; j++) {
        const FilJoint* joint = &solver->joints.items[j];
        max += joint->point_count > 0 ? joint->point_count + 1 : 0;
        others += joint->point_count == 0;
    }
    // without any constraint there is no problem to fold them into
    if (max == 0 || others == 0 || !solver->model->folds) {
        return FIL_OK;
    }
    if (!fil_buffer_reserve((void**)&f->items, &f->capacity, (size_t)max, sizeof *f->items) ||
        !fil_buffer_reserve((void**)&f->folded, &f->folded_capacity, (size_t)joints, sizeof *f->folded) ||
        !fil_ints_reserve(&f->part_variable, (size_t)(FIL_JACOBIAN_BLOCKS + 1) * (size_t)max) ||
        !fil_doubles_reserve(&f->part_jacobian, 16 * (size_t)(FIL_JACOBIAN_BLOCKS + 1) * (size_t)max) ||
        !fil_ints_reserve(&f->of_variable, (size_t)solver->contact.column_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    memset(f->of_variable.at, -1, sizeof(int) * (size_t)solver->contact.column_count);
    for (int j = 0; j < joints; j++) {
        f->folded[j] = false;
        if (can_fold(solver, &solver->joints.items[j])) {
            fold_joint(solver, j, dt);
        }
    }
    return FIL_OK;
}

/* ---- free motion with them ---- */

bool fil_followers_lead(FilSolver* solver, int b)
{
    const FilFollowers* f = &solver->followers;
    const FilSystem* system = solver->system;
    const FilBody* body = &system->bodies[b];
    bool any = false;
    for (int k = 0; k < f->count && body->ops->lead != NULL; k++) {
        const FilFollower* item = &f->items[k];
        const FilBodySide* side = solver->joints.items[item->joint].side;
        if (side[0].body != b) {
            continue;
        }
        const double* v = system->state.v + system->bodies[side[1].body].v;
        double velocity[3];
        fil_v3_copy(velocity, item->bias);
        for (int p = item->first; p < item->first + item->count - (item->auxiliary ? 1 : 0); p++) {
            const double *j = f->part_jacobian.at + 16 * (size_t)p, *x = v + 4 * (f->part_variable.at[p] - solver->contact.offset[side[1].body]);
            for (int i = 0; i < 3; i++) {
                velocity[i] += j[4 * i] * x[0] + j[4 * i + 1] * x[1] + j[4 * i + 2] * x[2] + j[4 * i + 3] * x[3];
            }
        }
        body->ops->lead(body->impl, item->point, velocity);
        any = true;
    }
    return any;
}

bool fil_followers_let_go(FilSolver* solver, int b)
{
    FilSystem* system = solver->system;
    const FilBody* body = &system->bodies[b];
    double potential;
    body->ops->let_go(body->impl);
    solver->contact.pushed[b] = true;
    return body->ops->evaluate(body->impl, system->scratch.solution + body->v, 0.0, system->scratch.push + body->v, &potential);
}

/* ---- the folded pattern ---- */

/* What a variable of the stage is in the folded problem: one variable with a unit Jacobian (NULL), or a follower's parts. */
static int parts_of(const FilFollowers* f, const int* variable, const int** variables, const double** jacobians)
{
    const int at = f->of_variable.at[*variable];
    *variables = at < 0 ? variable : f->part_variable.at + f->items[at].first;
    *jacobians = at < 0 ? NULL : f->part_jacobian.at + 16 * (size_t)f->items[at].first;
    return at < 0 ? 1 : f->items[at].count;
}

static int by_key(const void* a, const void* b)
{
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static uint64_t key_of(int u, int v)
{
    const int column = u < v ? u : v, row = u < v ? v : u;
    return (uint64_t)(uint32_t)column << 32 | (uint32_t)row;
}

/* Block of a pair in the folded pattern. */
static int find_block(const FilFollowers* f, int u, int v)
{
    const FilBlockPattern pattern = {.start = f->start.at, .row = f->row.at};
    return fil_block_find(&pattern, u, v);
}

/* Pairs of variables that the stage's blocks come to stand for, with the diagonal of all; returns their number. */
static size_t list_keys(const FilFollowers* f, const FilContactStage* stage, uint64_t* keys)
{
    size_t count = 0;
    for (int c = 0; c < stage->column_count; c++) {
        if (keys != NULL) {
            keys[count] = key_of(c, c);
        }
        count++;
        for (int k = stage->start[c]; k < stage->start[c + 1]; k++) {
            const int *columns, *rows;
            const double* jacobian;
            const int nc = parts_of(f, &c, &columns, &jacobian), nr = parts_of(f, &stage->row[k], &rows, &jacobian);
            for (int i = 0; i < nc; i++) {
                for (int j = 0; j < nr; j++) {
                    if (keys != NULL) {
                        keys[count] = key_of(columns[i], rows[j]);
                    }
                    count++;
                }
            }
        }
    }
    return count;
}

/* Whether followers and their parts are those that the pattern was made for. */
static bool is_same(const FilFollowers* f)
{
    if (f->pattern_variable_count != f->count + f->part_count) {
        return false;
    }
    for (int k = 0; k < f->count; k++) {
        if (f->pattern_variables.at[k] != f->items[k].variable) {
            return false;
        }
    }
    return memcmp(f->pattern_variables.at + f->count, f->part_variable.at, sizeof(int) * (size_t)f->part_count) == 0;
}

static FilStatus build_pattern(FilSolver* solver)
{
    FilFollowers* f = &solver->followers;
    const FilContactStage* stage = &solver->contact;
    if (f->patterns == stage->patterns && is_same(f)) {
        return FIL_OK;
    }
    const size_t columns = (size_t)stage->column_count, max = list_keys(f, stage, NULL);
    if (!fil_buffer_reserve(&f->keys, &f->key_capacity, max, sizeof(uint64_t)) || !fil_ints_reserve(&f->start, columns + 1) ||
        !fil_ints_reserve(&f->row, max) || !fil_ints_reserve(&f->slots, (size_t)stage->block_count) ||
        !fil_ints_reserve(&f->pattern_variables, (size_t)(f->count + f->part_count))) {
        return FIL_OUT_OF_MEMORY;
    }
    uint64_t* keys = f->keys;
    list_keys(f, stage, keys);
    qsort(keys, max, sizeof *keys, by_key);
    int count = 0, column = 0;
    f->start.at[0] = 0;
    for (size_t k = 0; k < max; k++) {
        if (k > 0 && keys[k] == keys[k - 1]) {
            continue;
        }
        while (column < (int)(keys[k] >> 32)) {
            f->start.at[++column] = count;
        }
        f->row.at[count++] = (int)(uint32_t)keys[k];
    }
    f->start.at[stage->column_count] = count;  // every column has its diagonal
    for (int c = 0; c < stage->column_count; c++) {
        for (int k = stage->start[c]; k < stage->start[c + 1]; k++) {
            const bool kept = f->of_variable.at[c] < 0 && f->of_variable.at[stage->row[k]] < 0;
            f->slots.at[k] = kept ? find_block(f, c, stage->row[k]) : -1;
        }
    }
    for (int k = 0; k < f->count; k++) {
        f->pattern_variables.at[k] = f->items[k].variable;
    }
    memcpy(f->pattern_variables.at + f->count, f->part_variable.at, sizeof(int) * (size_t)f->part_count);
    f->pattern_variable_count = f->count + f->part_count;
    f->patterns = stage->patterns;
    return FIL_OK;
}

/* ---- the folded tangent ---- */

/* m = Jr' B Jc, all blocks by columns but Jacobians, by rows; NULL: the unit matrix. */
static void multiply(const double* b, const double* jc, const double* jr, double* m)
{
    double t[16];
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            t[4 * c + r] = jc == NULL ? b[4 * c + r] : b[r] * jc[c] + b[4 + r] * jc[4 + c] + b[8 + r] * jc[8 + c] + b[12 + r] * jc[12 + c];
        }
    }
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            m[4 * c + r] =
                jr == NULL ? t[4 * c + r] : jr[r] * t[4 * c] + jr[4 + r] * t[4 * c + 1] + jr[8 + r] * t[4 * c + 2] + jr[12 + r] * t[4 * c + 3];
        }
    }
}

static void add_to(double* block, const double* m, bool transposed)
{
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            block[4 * c + r] += transposed ? m[4 * r + c] : m[4 * c + r];
        }
    }
}

/* One block of the stage, of column c and row r, at the places of their parts. */
static void fold_block(FilFollowers* f, int c, int r, const double* block)
{
    const int *columns, *rows;
    const double *jc, *jr;
    const int nc = parts_of(f, &c, &columns, &jc), nr = parts_of(f, &r, &rows, &jr);
    for (int i = 0; i < nc; i++) {
        for (int j = 0; j < nr; j++) {
            double m[16];
            const int u = columns[i], v = rows[j];
            if (c == r && v < u) {
                continue;  // the other half of a symmetric product
            }
            multiply(block, jc != NULL ? jc + 16 * i : NULL, jr != NULL ? jr + 16 * j : NULL, m);
            double* to = f->values.at + FIL_BLOCK_SIZE * (size_t)find_block(f, u, v);
            add_to(to, m, v < u);
            if (u == v && c != r) {
                add_to(to, m, true);
            }
        }
    }
}

static void fold_values(FilSolver* solver)
{
    FilFollowers* f = &solver->followers;
    const FilContactStage* stage = &solver->contact;
    memset(f->values.at, 0, sizeof(double) * FIL_BLOCK_SIZE * (size_t)f->start.at[stage->column_count]);
    for (int c = 0; c < stage->column_count; c++) {
        for (int k = stage->start[c]; k < stage->start[c + 1]; k++) {
            const double* block = stage->values + FIL_BLOCK_SIZE * (size_t)k;
            if (f->slots.at[k] >= 0) {
                memcpy(f->values.at + FIL_BLOCK_SIZE * (size_t)f->slots.at[k], block, sizeof(double) * FIL_BLOCK_SIZE);
            }
        }
    }
    for (int c = 0; c < stage->column_count; c++) {
        for (int k = stage->start[c]; k < stage->start[c + 1]; k++) {
            if (f->slots.at[k] < 0) {
                fold_block(f, c, stage->row[k], stage->values + FIL_BLOCK_SIZE * (size_t)k);
            }
        }
    }
    for (int k = 0; k < f->count; k++) {  // followers stand alone
        double* block = f->values.at + FIL_BLOCK_SIZE * (size_t)f->start.at[f->items[k].variable];
        block[0] = block[5] = block[10] = 1.0;
        block[15] = f->items[k].auxiliary ? block[15] : 1.0;
    }
}

/* Velocity of a follower when all others move by v. */
static void follow(const FilFollowers* f, const FilFollower* item, const double* v, double* out)
{
    fil_v3_copy(out, item->bias);
    for (int p = item->first; p < item->first + item->count; p++) {
        const double *j = f->part_jacobian.at + 16 * (size_t)p, *x = v + 4 * f->part_variable.at[p];
        for (int k = 0; k < 3; k++) {
            out[k] += j[4 * k] * x[0] + j[4 * k + 1] * x[1] + j[4 * k + 2] * x[2] + j[4 * k + 3] * x[3];
        }
    }
}

/* P' of a momentum: followers' go to who they follow. */
static void hand_on(const FilFollowers* f, const FilFollower* item, const double* momentum, double sign, double* to)
{
    for (int p = item->first; p < item->first + item->count; p++) {
        const double* j = f->part_jacobian.at + 16 * (size_t)p;
        double* at = to + 4 * f->part_variable.at[p];
        for (int k = 0; k < 4; k++) {
            at[k] += sign * (j[k] * momentum[0] + j[4 + k] * momentum[1] + j[8 + k] * momentum[2] + j[12 + k] * momentum[3]);
        }
    }
}

static void fold_momenta(FilSolver* solver)
{
    FilFollowers* f = &solver->followers;
    const FilContactStage* stage = &solver->contact;
    const size_t bytes = sizeof(double) * 4 * (size_t)stage->column_count;
    const FilBlockPattern pattern = {stage->column_count, stage->start, stage->row};
    memset(f->apart.at, 0, bytes);
    for (int k = 0; k < f->count; k++) {
        double* d = f->apart.at + 4 * f->items[k].variable;
        follow(f, &f->items[k], stage->v_free, d);
        fil_v3_sub(d, d, stage->v_free + 4 * f->items[k].variable);
    }
    memcpy(f->push.at, stage->push, bytes);
    fil_block_multiply_add(&pattern, stage->values, f->apart.at, f->push.at);
    memcpy(f->v_free.at, stage->v_free, bytes);
    memcpy(f->v.at, stage->v, bytes);
    for (int k = 0; k < f->count; k++) {
        const int at = 4 * f->items[k].variable;
        double own[4];
        memcpy(own, f->push.at + at, sizeof own);
        memset(f->push.at + at, 0, sizeof own);
        hand_on(f, &f->items[k], own, 1.0, f->push.at);
        memset(f->v_free.at + at, 0, 4 * sizeof(double));
        memset(f->v.at + at, 0, 4 * sizeof(double));
    }
}

/* ---- folded constraints ---- */

/* Adds rows on a variable to those that the constraint has there already. */
static FilStatus add_rows(FilFollowers* f, FilSapConstraint* constraint, int variable, const double* rows)
{
    for (int k = constraint->first_block; k < f->rows.block_count; k++) {
        if (f->rows.variable[k] == variable) {
            for (int e = 0; e < 12; e++) {
                f->rows.jacobian[12 * (size_t)k + (size_t)e] += rows[e];
            }
            return FIL_OK;
        }
    }
    constraint->block_count++;
    return fil_contact_set_push_block(&f->rows, variable, rows);
}

static FilStatus fold_constraint(FilFollowers* f, const FilContactStage* stage, const FilSapConstraint* from, FilSapConstraint* to)
{
    *to = *from;
    to->first_block = f->rows.block_count;
    to->block_count = 0;
    FilStatus status = FIL_OK;
    for (int b = from->first_block; b < from->first_block + from->block_count && status == FIL_OK; b++) {
        const double* g = stage->rows.jacobian + 12 * (size_t)b;
        const int at = f->of_variable.at[stage->rows.variable[b]];
        if (at < 0) {
            status = add_rows(f, to, stage->rows.variable[b], g);
            continue;
        }
        const FilFollower* item = &f->items[at];
        for (int i = 0; i < 3; i++) {
            to->bias[i] += fil_v3_dot(g + 4 * i, item->bias);
        }
        const int moved = item->first + item->count - (item->auxiliary ? 1 : 0);  // rows have nothing on the fourth number
        for (int p = item->first; p < moved && status == FIL_OK; p++) {
            const double* j = f->part_jacobian.at + 16 * (size_t)p;
            double rows[12];
            for (int i = 0; i < 3; i++) {
                for (int k = 0; k < 4; k++) {
                    rows[4 * i + k] = g[4 * i] * j[k] + g[4 * i + 1] * j[4 + k] + g[4 * i + 2] * j[8 + k];
                }
            }
            status = add_rows(f, to, f->part_variable.at[p], rows);
        }
    }
    return status;
}

FilStatus fil_followers_fold(FilSolver* solver, FilSapProblem* problem)
{
    FilFollowers* f = &solver->followers;
    FilContactStage* stage = &solver->contact;
    if (f->count == 0) {
        return FIL_OK;
    }
    FilStatus status = build_pattern(solver);
    const size_t numbers = 4 * (size_t)stage->column_count;
    if (status != FIL_OK || !fil_doubles_reserve(&f->values, FIL_BLOCK_SIZE * (size_t)f->start.at[stage->column_count]) ||
        !fil_doubles_reserve(&f->v_free, numbers) || !fil_doubles_reserve(&f->push, numbers) || !fil_doubles_reserve(&f->v, numbers) ||
        !fil_doubles_reserve(&f->momentum, numbers) || !fil_doubles_reserve(&f->apart, numbers) ||
        !fil_buffer_reserve((void**)&f->constraints, &f->constraint_capacity, (size_t)stage->constraint_count, sizeof *f->constraints)) {
        return FIL_OUT_OF_MEMORY;
    }
    fold_values(solver);
    fold_momenta(solver);
    fil_contact_set_clear(&f->rows);
    for (int k = 0; k < stage->constraint_count && status == FIL_OK; k++) {
        status = fold_constraint(f, stage, &stage->constraints[k], &f->constraints[k]);
    }
    problem->pattern = (FilBlockPattern){stage->column_count, f->start.at, f->row.at};
    problem->a = f->values.at;
    problem->v_free = f->v_free.at;
    problem->push = f->push.at;
    problem->constraints = f->constraints;
    problem->block = f->rows.variable;
    problem->jacobian = f->rows.jacobian;
    return status;
}

/* ---- after the solution ---- */

void fil_followers_unfold(FilSolver* solver)
{
    FilFollowers* f = &solver->followers;
    FilContactStage* stage = &solver->contact;
    if (f->count == 0) {
        return;
    }
    const size_t numbers = 4 * (size_t)stage->column_count;
    const FilBlockPattern pattern = {stage->column_count, stage->start, stage->row};
    memcpy(stage->v, f->v.at, sizeof(double) * numbers);
    for (int k = 0; k < f->count; k++) {
        follow(f, &f->items[k], f->v.at, stage->v + 4 * f->items[k].variable);
    }
    for (size_t k = 0; k < numbers; k++) {
        f->apart.at[k] = stage->v[k] - stage->v_free[k];
    }
    fil_block_multiply(&pattern, stage->values, f->apart.at, f->momentum.at);
    for (size_t k = 0; k < numbers; k++) {
        f->momentum.at[k] += stage->push[k];  // what all impulses on it together are
    }
}

void fil_followers_react(FilSolver* solver, double* impulses)
{
    FilFollowers* f = &solver->followers;
    for (int k = 0; k < f->count; k++) {
        FilFollower* item = &f->items[k];
        fil_v3_sub(item->reaction, f->momentum.at + 4 * item->variable, impulses + 4 * item->variable);
        fil_v3_axpy(impulses + 4 * item->variable, 1.0, item->reaction);
        const double to_parts[4] = {item->reaction[0], item->reaction[1], item->reaction[2], 0.0};
        hand_on(f, item, to_parts, -1.0, impulses);
    }
}

void fil_followers_collect(FilSolver* solver, double dt)
{
    const FilFollowers* f = &solver->followers;
    for (int k = 0; k < f->count; k++) {
        const FilFollower* item = &f->items[k];
        FilJoint* joint = &solver->joints.items[item->joint];
        const double* q = solver->system->state.q + solver->system->bodies[joint->side[0].body].q;
        double force[3], arm[3], moment[3];
        fil_v3_scale(force, -1.0 / dt, item->reaction);
        fil_v3_sub(arm, q + 4 * item->point, q + 4 * joint->side[0].point);
        fil_v3_cross(moment, arm, force);
        fil_v3_axpy(joint->force, 1.0, force);
        fil_v3_axpy(joint->torque, 1.0, moment);
    }
}
