/* Joints, motors, limits and friction of joints as terms of the potential: each is the convex cost l(v_c) of its
 * velocity v_c = J v + b that SAP knows (contact/sap_constraint.h), with the Jacobian of the step's start. To the
 * residual it adds -J' gamma, to the tangent J' G J. */
#include "solver/potential_stage.h"

#include <string.h>

#include "base/vec3.h"
#include "contact/sap_system.h"
#include "solver/own_constraint.h"
#include "solver/solver.h"

/* ---- a step's laws ---- */

static FilStatus set_laws(FilSolver* solver, double dt)
{
    FilPotentialStage* stage = &solver->potential;
    const FilContactStage* all = &solver->contact;
    const FilSapOptions settings = fil_sap_options_default();
    const FilSapScales scales = {dt, settings.rigidity, settings.stick, settings.slip_velocity};
    const FilSapProblem problem = {
        .pattern = {all->column_count, all->start, all->row}, .a = all->values, .block = all->rows.variable, .jacobian = all->rows.jacobian};
    const size_t count = (size_t)all->constraint_count;
    if (!fil_buffer_reserve((void**)&stage->laws, &stage->law_capacity, count, sizeof *stage->laws)) {
        return FIL_OUT_OF_MEMORY;
    }
    memset(stage->laws, 0, count * sizeof *stage->laws);
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        if (fil_potential_takes_part(solver, b)) {
            body->ops->tangent(body->impl, all->values + (size_t)FIL_BLOCK_SIZE * (size_t)all->first_block[b]);
        }
    }
    for (int k = 0; k < all->constraint_count; k++) {
        const FilSapConstraint* constraint = &all->constraints[k];
        double compliance;
        if (!fil_sap_compliance_of(&problem, constraint, &compliance)) {
            return FIL_NOT_CONVERGED;
        }
        fil_sap_kinds[constraint->kind].prepare(constraint, compliance, &scales, &stage->laws[k]);
    }
    return FIL_OK;
}

/* Which block of the world's velocities each column of the matrix stands for. */
static FilStatus map_columns(FilSolver* solver)
{
    FilInts* block = &solver->potential.column_block;
    if (!fil_ints_reserve(block, (size_t)solver->contact.column_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int b = 0; b < solver->system->body_count; b++) {
        const FilBody* body = &solver->system->bodies[b];
        for (int k = 0; fil_potential_takes_part(solver, b) && k < body->v_count / 4; k++) {
            block->at[solver->contact.offset[b] + k] = body->v / 4 + k;
        }
    }
    return FIL_OK;
}

FilStatus fil_potential_joints_begin(FilSolver* solver, double dt)
{
    FilContactStage* all = &solver->contact;
    all->constraint_count = 0;
    fil_contact_set_clear(&all->rows);
    FilStatus status = fil_joints_add(solver, dt);
    status = status == FIL_OK ? fil_own_constraints_add(solver) : status;
    status = status == FIL_OK ? map_columns(solver) : status;
    return status == FIL_OK && all->constraint_count > 0 ? set_laws(solver, dt) : status;
}

/* ---- one constraint ---- */

/* Cost, impulse and Hessian of constraint k at the world's velocities v. */
static void respond(const FilSolver* solver, int k, const double* v, FilSapResponse* response)
{
    const FilContactSet* rows = &solver->contact.rows;
    const FilSapConstraint* constraint = &solver->contact.constraints[k];
    double v_c[3];
    fil_v3_copy(v_c, constraint->bias);
    for (int b = constraint->first_block; b < constraint->first_block + constraint->block_count; b++) {
        const double *j = rows->jacobian + 12 * (size_t)b, *x = v + 4 * (size_t)solver->potential.column_block.at[rows->variable[b]];
        for (int row = 0; row < 3; row++) {
            v_c[row] += j[4 * row] * x[0] + j[4 * row + 1] * x[1] + j[4 * row + 2] * x[2] + j[4 * row + 3] * x[3];
        }
    }
    fil_sap_kinds[constraint->kind].evaluate(&solver->potential.laws[k], v_c, response);
}

/* Adds scale J' gamma to a vector over the world's velocities. */
static void add_impulse(const FilSolver* solver, int k, const double* gamma, double scale, double* sum)
{
    const FilContactSet* rows = &solver->contact.rows;
    const FilSapConstraint* constraint = &solver->contact.constraints[k];
    for (int b = constraint->first_block; b < constraint->first_block + constraint->block_count; b++) {
        const double* j = rows->jacobian + 12 * (size_t)b;
        double* to = sum + 4 * (size_t)solver->potential.column_block.at[rows->variable[b]];
        for (int m = 0; m < 4; m++) {
            to[m] += scale * (j[m] * gamma[0] + j[4 + m] * gamma[1] + j[8 + m] * gamma[2]);
        }
    }
}

/* ---- all of them ---- */

double fil_potential_joints_add(const FilSolver* solver, const double* v, double* residual)
{
    double cost = 0.0;
    for (int k = 0; k < solver->contact.constraint_count; k++) {
        FilSapResponse response;
        respond(solver, k, v, &response);
        cost += response.cost;
        add_impulse(solver, k, response.impulse, -1.0, residual);
    }
    return cost;
}

FilStatus fil_potential_joints_list(FilSolver* solver, FilInts* end, FilInts* variable, int* count)
{
    const FilContactStage* all = &solver->contact;
    int used = *count > 0 ? end->at[*count - 1] : 0;
    if (!fil_ints_extend(end, (size_t)*count, (size_t)all->constraint_count) ||
        !fil_ints_extend(variable, (size_t)used, (size_t)all->rows.block_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    solver->potential.first_joint_list = *count;
    for (int k = 0; k < all->constraint_count; k++) {
        const FilSapConstraint* constraint = &all->constraints[k];
        for (int b = 0; b < constraint->block_count; b++) {
            variable->at[used++] = all->rows.variable[constraint->first_block + b];
        }
        end->at[(*count)++] = used;
    }
    return FIL_OK;
}

void fil_potential_joints_hessian(const FilSolver* solver, const double* v, FilBlockSum* sum)
{
    const FilContactStage* all = &solver->contact;
    double block[FIL_BLOCK_SIZE];
    for (int k = 0; k < all->constraint_count; k++) {
        const FilSapConstraint* constraint = &all->constraints[k];
        const double* j = all->rows.jacobian + 12 * (size_t)constraint->first_block;
        FilSapResponse response;
        respond(solver, k, v, &response);
        for (int r = 0; r < constraint->block_count; r++) {
            for (int c = 0; c < constraint->block_count; c++) {
                fil_potential_row_block(j + 12 * r, response.hessian, j + 12 * c, 1.0, block);
                fil_block_sum_add(sum, solver->potential.first_joint_list + k, r, c, block);
            }
        }
    }
}

void fil_potential_joints_finish(FilSolver* solver, const double* v, double* impulse)
{
    const FilContactStage* all = &solver->contact;
    for (int k = 0; k < all->constraint_count; k++) {
        FilSapResponse response;
        respond(solver, k, v, &response);
        fil_v3_copy(all->impulses + 3 * k, response.impulse);
        add_impulse(solver, k, response.impulse, 1.0, impulse);
    }
    if (all->constraint_count > 0) {
        fil_joints_collect(solver, solver->potential.problem.dt);
        fil_own_constraints_collect(solver);
    }
}
