#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "contact/imc.h"
#include "contact/spt.h"
#include "world/joint.h"
#include "solver/own_constraint.h"
#include "world/world.h"

static FilVelocitySolver solve_sap, solve_lcp;

const FilContactModel fil_contact_models[] = {
    {"none", false, FIL_SAP_CONTACT, NULL, solve_sap},
    {"sap", true, FIL_SAP_CONTACT, NULL, solve_sap},
    {"sap_lagged", true, FIL_SAP_LAGGED_CONTACT, NULL, solve_sap},
    {"lcp", true, FIL_SAP_CONTACT, NULL, solve_lcp},
    {"imc", true, FIL_SAP_CONTACT, &fil_imc_model, NULL},
    {"spt", true, FIL_SAP_CONTACT, &fil_spt_model, NULL},
    {"ipc", false, FIL_SAP_CONTACT, &fil_ipc_model, NULL},
};
const int fil_contact_models_count = (int)(sizeof fil_contact_models / sizeof fil_contact_models[0]);

void fil_contact_stage_free(FilContactStage* stage)
{
    fil_sap_destroy(stage->sap);
    fil_lcp_destroy(stage->lcp);
    for (int j = 0; j < stage->joint_count; j++) {
        fil_free(stage->joints[j].name);
    }
    void* blocks[] = {stage->joints, stage->offset, stage->first_block, stage->start,       stage->row,     stage->values,
                      stage->v_free, stage->v,      stage->constraints, stage->impulses,    stage->weak};
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
static bool choose_bodies(FilWorld* world)
{
    FilContactStage* stage = &world->contact;
    bool changed = !stage->pattern_ready;
    const FilPotentialModel* potential = fil_contact_models[world->contact_model].potential;
    const bool everyone = potential != NULL && potential->field != NULL;
    for (int b = 0; b < world->body_count; b++) {
        world->takes_part[b] = (everyone && world->bodies[b].moves) || fil_own_constraints_of(world, b) > 0;
    }
    for (int k = 0; k < world->collision.set.count; k++) {
        for (int side = 0; side < 2; side++) {
            const FilContact* contact = &world->collision.set.contacts[k];
            world->takes_part[contact->body[side]] |= world->collision.colliders[contact->collider[side]].collider.movable;
        }
    }
    for (int j = 0; j < stage->joint_count; j++) {
        for (int side = 0; side < 2; side++) {
            const int b = stage->joints[j].side[side].body;
            if (b >= 0) {
                world->takes_part[b] |= world->bodies[b].moves;
            }
        }
    }
    for (int b = 0; b < world->body_count && !changed; b++) {
        changed = (stage->offset[b] >= 0) != world->takes_part[b];
    }
    return changed;
}

/* Block pattern of the tangents of all bodies that take part, one after the other. */
static bool build_pattern(FilWorld* world)
{
    FilContactStage* stage = &world->contact;
    int columns = 0, blocks = 0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        stage->offset[b] = world->takes_part[b] ? columns : -1;
        stage->first_block[b] = blocks;
        if (world->takes_part[b]) {
            const int own = body->ops->tangent_pattern(body->impl, NULL, NULL);
            if (own < 0) {
                return false;
            }
            columns += body->v_count / 4;
            blocks += own;
        }
    }
    int start_capacity = 0, v_capacity = 0, row_capacity = 0, weak_capacity = 0, value_capacity = 0, free_capacity = 0;
    if (columns + 1 > stage->column_capacity || blocks > stage->block_capacity) {
        fil_free(stage->start), fil_free(stage->v_free), fil_free(stage->v), fil_free(stage->row), fil_free(stage->weak),
            fil_free(stage->values);
        stage->start = stage->row = NULL;
        stage->weak = NULL;
        stage->v = stage->v_free = stage->values = NULL;
        if (!room((void**)&stage->start, columns + 1, &start_capacity, sizeof(int)) ||
            !room((void**)&stage->v, columns + 1, &v_capacity, 4 * sizeof(double)) ||
            !room((void**)&stage->v_free, columns + 1, &free_capacity, 4 * sizeof(double)) ||
            !room((void**)&stage->row, 2 * blocks, &row_capacity, sizeof(int)) ||
            !room((void**)&stage->weak, blocks, &weak_capacity, sizeof(bool)) ||
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
    int* scratch = stage->row + blocks; // columns of the blocks, which come sorted by column within each body
    int first = 0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (!world->takes_part[b]) {
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
    stage->pattern_ready = true;
    return true;
}

/* ---- the problem ---- */

void fil_contacts_take(FilWorld* world, int b)
{
    FilContactStage* stage = &world->contact;
    const FilBody* body = &world->bodies[b];
    if (!stage->active || stage->offset[b] < 0) {
        return;
    }
    const size_t bytes = sizeof(double) * (size_t)body->v_count;
    body->ops->tangent(body->impl, stage->values + (size_t)16 * (size_t)stage->first_block[b]);
    memcpy(stage->v_free + 4 * stage->offset[b], world->scratch.solution + body->v, bytes);
    memcpy(stage->v + 4 * stage->offset[b], world->state.v + body->v, bytes); // warm start
}

/* The problem's variable of a block of the world's velocities. */
static int variable_of(const FilWorld* world, int body, int world_block)
{
    return world->contact.offset[body] + world_block - world->bodies[body].v / 4;
}

/* Contacts as constraints; their Jacobians move on to the problem's variables. */
static FilStatus add_contacts(FilWorld* world, FilSapKind kind)
{
    FilContactStage* stage = &world->contact;
    FilContactSet* set = &world->collision.set;
    FilStatus status = FIL_OK;
    for (int k = 0; k < set->count && status == FIL_OK; k++) {
        FilContact* contact = &set->contacts[k];
        FilSapConstraint* constraint = &stage->constraints[stage->constraint_count++];
        *constraint = fil_sap_constraint_of_contact(contact, kind);
        constraint->first_block = stage->rows.block_count;
        for (int b = contact->first_block; b < contact->first_block + contact->block_count && status == FIL_OK; b++) {
            // the owner of the block: one of the two bodies
            const FilBody* first = &world->bodies[contact->body[0]];
            const bool is_first = set->variable[b] >= first->v / 4 && set->variable[b] < (first->v + first->v_count) / 4;
            const int variable = variable_of(world, contact->body[is_first ? 0 : 1], set->variable[b]);
            status = fil_contact_set_push_block(&stage->rows, variable, set->jacobian + 12 * (size_t)b);
        }
    }
    return status;
}

/* Velocities back to the bodies, impulses to contacts and joints. */
static void spread_solution(FilWorld* world, double dt, FilStepInfo* info)
{
    FilContactStage* stage = &world->contact;
    for (int b = 0; b < world->body_count; b++) {
        if (stage->offset[b] >= 0) {
            memcpy(world->scratch.solution + world->bodies[b].v, stage->v + 4 * stage->offset[b],
                   sizeof(double) * (size_t)world->bodies[b].v_count);
        }
    }
    FilContactSet* set = &world->collision.set;
    for (int k = 0; k < set->count; k++) {
        fil_v3_copy(set->contacts[k].impulse, stage->impulses + 3 * k);
        info->max_penetration = fmax(info->max_penetration, -set->contacts[k].distance);
    }
    fil_joints_collect(world, dt);
    fil_own_constraints_collect(world);
}

/* J' gamma of all constraints, on the problem's unknowns; takes the place of the free velocities, which have served. */
static void gather_impulses(FilContactStage* stage)
{
    memset(stage->v_free, 0, 4 * sizeof(double) * (size_t)stage->column_count);
    for (int c = 0; c < stage->constraint_count; c++) {
        const FilSapConstraint* constraint = &stage->constraints[c];
        const double* gamma = stage->impulses + 3 * c;
        for (int k = constraint->first_block; k < constraint->first_block + constraint->block_count; k++) {
            const double* j = stage->rows.jacobian + 12 * (size_t)k;
            for (int m = 0; m < 4; m++) {
                stage->v_free[4 * stage->rows.variable[k] + m] += j[m] * gamma[0] + j[4 + m] * gamma[1] + j[8 + m] * gamma[2];
            }
        }
    }
}

/* Tells bodies what they were pushed by: the reactions of their holds follow from it. */
static void push_bodies(FilWorld* world)
{
    const FilContactStage* stage = &world->contact;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (stage->offset[b] >= 0 && body->ops->push != NULL) {
            body->ops->push(body->impl, world->scratch.solution + body->v, stage->v_free + 4 * stage->offset[b],
                            world->scratch.residual);
        }
    }
}

/* Momentum residual of the full equations of motion with the impulses gathered, in the measure of the contact solver.
 * Leaves each body's tangent at the solution. */
static double nonlinear_residual(FilWorld* world)
{
    const FilContactStage* stage = &world->contact;
    double error = 0.0, size = 0.0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (stage->offset[b] < 0) {
            continue;
        }
        double potential, *residual = world->scratch.residual, *v = world->scratch.solution + body->v;
        if (!body->ops->evaluate(body->impl, v, 0.0, residual, &potential)) {
            return INFINITY;
        }
        const double* momentum = stage->v_free + 4 * stage->offset[b];
        body->ops->diagonal(body->impl, v, world->scratch.weight, world->scratch.scale);
        for (int k = 0; k < body->v_count; k++) {
            if (world->scratch.weight[k] > 0.0) {
                const double off = residual[k] - momentum[k];
                error += off * off / world->scratch.weight[k];
                size += (world->scratch.scale[k] * world->scratch.scale[k] + momentum[k] * momentum[k]) / world->scratch.weight[k];
            }
        }
    }
    return size > 0.0 ? sqrt(error / size) : 0.0;
}

/* Free velocities of the problem linearised about the present solution: v - A^-1 m(v), for every body. */
static bool relinearise(FilWorld* world)
{
    FilContactStage* stage = &world->contact;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        if (stage->offset[b] < 0) {
            continue;
        }
        double potential, *residual = world->scratch.residual, *v = world->scratch.solution + body->v;
        if (!body->ops->evaluate(body->impl, v, 0.0, residual, &potential) || !body->ops->factor(body->impl)) {
            return false;
        }
        body->ops->solve(body->impl, residual);
        for (int k = 0; k < body->v_count; k++) {
            world->scratch.trial[k] = v[k];
            v[k] -= residual[k];
        }
        // the tangent again: factoring used it up
        if (!body->ops->evaluate(body->impl, world->scratch.trial, 0.0, residual, &potential)) {
            return false;
        }
    }
    return true;
}

/* Tangents about the free velocities again, with their mass part enlarged. */
static bool enlarge(FilWorld* world, double shift)
{
    bool ok = true;
    for (int b = 0; b < world->body_count && ok; b++) {
        const FilBody* body = &world->bodies[b];
        double potential;
        if (world->contact.offset[b] >= 0) {
            ok = body->ops->evaluate(body->impl, world->scratch.solution + body->v, shift, world->scratch.residual, &potential);
        }
    }
    return ok;
}

static FilStatus solve_sap(FilWorld* world, const FilSapProblem* problem, FilSolverReport* report)
{
    FilContactStage* stage = &world->contact;
    FilSapSettings settings = fil_sap_settings_default();
    settings.tolerance = world->def.contact_tolerance;
    settings.max_factorisations = world->def.contact_max_iterations;
    FilSapStats stats = {0};
    if (stage->sap == NULL && (stage->sap = fil_sap_create()) == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilStatus status = fil_sap_solve(stage->sap, problem, &settings, stage->v, stage->impulses, &stats);
    *report = (FilSolverReport){stats.iterations, stats.analyses, 0, stats.indefinite, stats.residual};
    return status;
}

static FilStatus solve_lcp(FilWorld* world, const FilSapProblem* problem, FilSolverReport* report)
{
    FilContactStage* stage = &world->contact;
    FilLcpStats stats = {0};
    if (stage->lcp == NULL && (stage->lcp = fil_lcp_create()) == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    const FilStatus status = fil_lcp_solve(stage->lcp, problem, &world->def.lcp, stage->v, stage->impulses, &stats);
    *report = (FilSolverReport){stats.iterations, stats.analyses, stats.fallbacks, stats.indefinite, stats.residual};
    return status;
}

/* Solves the problem about the velocities in the scratch; `again`: the tangents have changed since they were taken. Where
 * the tangent is not positive definite its mass part is enlarged until it is. */
static FilStatus solve_once(FilWorld* world, double dt, bool again, FilStepInfo* info)
{
    FilContactStage* stage = &world->contact;
    const FilSapProblem problem = {.dt = dt,
                                   .pattern = {stage->column_count, stage->start, stage->row},
                                   .a = stage->values,
                                   .v_free = stage->v_free,
                                   .constraint_count = stage->constraint_count,
                                   .constraints = stage->constraints,
                                   .block = stage->rows.variable,
                                   .jacobian = stage->rows.jacobian};
    FilSolverReport report;
    FilStatus status;
    double shift = 0.0;
    do {
        for (int b = 0; b < world->body_count && (shift > 0.0 || again); b++) {
            fil_contacts_take(world, b);
        }
        report = (FilSolverReport){0};
        status = fil_contact_models[world->contact_model].solve(world, &problem, &report);
        info->contact_solves++;
        info->contact_failures += status == FIL_NOT_CONVERGED && !report.indefinite;
        info->contact_fallbacks += report.fallbacks;
        info->contact_iterations += report.iterations;
        info->analyses += report.analyses;
        info->regularised += report.indefinite;
        shift = shift == 0.0 ? 0.1 : 10.0 * shift;
    } while (report.indefinite && shift < 1e9 && enlarge(world, shift));
    info->contact_residual = fmax(info->contact_residual, report.residual);
    return status;
}

/* Makes room for the constraints of this step. */
static bool make_room(FilWorld* world)
{
    FilContactStage* stage = &world->contact;
    const int most = world->collision.set.count + fil_joints_constraints(world) + fil_own_constraints(world);
    if (stage->offset_capacity < world->body_count) {
        if (!room((void**)&stage->offset, world->body_count, &stage->offset_capacity, sizeof(int)) ||
            !room((void**)&stage->first_block, world->body_count, &stage->first_block_capacity, sizeof(int))) {
            return false;
        }
        stage->pattern_ready = false;
    }
    return room((void**)&stage->constraints, most, &stage->constraint_capacity, sizeof *stage->constraints) &&
           room((void**)&stage->impulses, most, &stage->impulse_capacity, 3 * sizeof(double));
}

FilStatus fil_contacts_prepare(FilWorld* world)
{
    FilContactStage* stage = &world->contact;
    stage->constraint_count = 0;
    const FilPotentialModel* potential = fil_contact_models[world->contact_model].potential;
    const bool field = potential != NULL && potential->field != NULL;
    stage->active = world->collision.set.count > 0 || stage->joint_count > 0 || fil_own_constraints(world) > 0 || field;
    if (stage->active && (!make_room(world) || (choose_bodies(world) && !build_pattern(world)))) {
        return FIL_OUT_OF_MEMORY;
    }
    return FIL_OK;
}

FilStatus fil_solve_contacts(FilWorld* world, double dt, FilStepInfo* info)
{
    FilContactStage* stage = &world->contact;
    const FilContactModel* model = &fil_contact_models[world->contact_model];
    info->contacts = world->collision.set.count;
    if (!stage->active) {
        return FIL_OK;
    }
    FilStatus status = FIL_OK;
    for (int pass = 0; pass <= world->def.relinearisations && status == FIL_OK; pass++) {
        if (pass > 0 && !relinearise(world)) {
            spread_solution(world, dt, info); // what was found before stays
            break;
        }
        stage->constraint_count = 0;
        fil_contact_set_clear(&stage->rows);
        status = add_contacts(world, model->kind);
        status = status == FIL_OK ? fil_joints_add(world) : status;
        status = status == FIL_OK ? fil_own_constraints_add(world) : status;
        status = status == FIL_OK ? solve_once(world, dt, pass > 0, info) : status;
        if (status == FIL_OK) {
            spread_solution(world, dt, info);
        }
    }
    if (status == FIL_OK) {
        gather_impulses(stage);
        if (world->def.check_nonlinear) {
            info->nonlinear_residual = fmax(info->nonlinear_residual, nonlinear_residual(world));
        }
        push_bodies(world);
    }
    return status;
}
