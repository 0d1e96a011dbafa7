/* Makes the whitened complementarity problem of a step, and velocities and impulses of its solution.
 *
 * Equations without bounds are springs and dampers: with their laws gamma_b = -R^-1 (J_b v + b - v_hat) they join A,
 *     (A + J_b' R^-1 J_b) (v - v*) = J_b' R^-1 (v_hat - b - J_b v*) + J_c' gamma_c = L L' (v - v*)
 * Variables that nothing touches are eliminated first (contact/sap_system.h), so that bodies enter by their factors. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/lcp_problem.h"
#include "linalg/qr.h"

bool fil_lcp_assembly_init(FilLcpAssembly* assembly)
{
    *assembly = (FilLcpAssembly){.units = NULL};
    return fil_sap_system_init(&assembly->system);
}

void fil_lcp_assembly_free(FilLcpAssembly* assembly)
{
    fil_sap_system_free(&assembly->system);
    FilDoubles* const numbers[] = {&assembly->hessians, &assembly->laws, &assembly->spring, &assembly->x,
                                   &assembly->row,      &assembly->rows, &assembly->numbers};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        fil_free(numbers[k]->at);
    }
    fil_free(assembly->units);
    fil_free(assembly->indices.at);
}

/* ---- springs: equations without bounds ---- */

static bool bounded(const FilSapConstraint* constraint, int row)
{
    return isfinite(constraint->bounded.lower[row]) || isfinite(constraint->bounded.upper[row]);
}

/* The law of every bounded constraint: v_hat and R^-1 of its rows; R^-1 of rows without bounds goes to the Hessian. */
static bool prepare_springs(FilLcpAssembly* assembly, const FilSapProblem* from)
{
    const FilSapOptions sap = fil_sap_options_default();
    const FilSapScales scales = {from->dt, sap.rigidity, sap.stick, sap.slip_velocity};
    memset(assembly->hessians.at, 0, 9 * (size_t)from->constraint_count * sizeof(double));
    memset(assembly->laws.at, 0, 6 * (size_t)from->constraint_count * sizeof(double));
    for (int i = 0; i < from->constraint_count; i++) {
        const FilSapConstraint* constraint = &from->constraints[i];
        double compliance = 0.0;
        if (constraint->kind != FIL_SAP_BOUNDED) {
            continue;
        }
        if (!fil_sap_compliance_of(from, constraint, &compliance)) {
            return false;
        }
        FilSapLaw law = {.mu = 0.0};
        fil_sap_kinds[FIL_SAP_BOUNDED].prepare(constraint, compliance, &scales, &law);
        fil_sap_linearise(&law);
        for (int row = 0; row < 3; row++) {
            assembly->laws.at[6 * i + row] = law.v_hat[row];
            assembly->laws.at[6 * i + 3 + row] = law.r_inverse[row];
            assembly->hessians.at[9 * i + 4 * row] = bounded(constraint, row) ? 0.0 : law.r_inverse[row];
        }
    }
    return true;
}

/* v* of the participants, in the order of elimination. */
static void gather_free(FilLcpAssembly* assembly, const FilSapProblem* from, double* v)
{
    for (int column = 0; column < from->pattern.columns; column++) {
        const int place = fil_sap_system_participant(&assembly->system, column);
        if (place >= 0) {
            memcpy(v + FIL_BLOCK * place, from->v_free + FIL_BLOCK * column, FIL_BLOCK * sizeof *v);
        }
    }
}

/* Impulses of the springs when the rows move with `velocity` (J v, without bias). */
static void spring_impulses(const FilLcpAssembly* assembly, const FilSapProblem* from, const double* velocity, double* impulse)
{
    for (int i = 0; i < from->constraint_count; i++) {
        for (int row = 0; row < 3; row++) {
            const double stiff = assembly->hessians.at[9 * i + 4 * row];
            const double v = velocity[3 * i + row] + from->constraints[i].bias[row];
            impulse[3 * i + row] = stiff * (assembly->laws.at[6 * i + row] - v);
        }
    }
}

/* ---- units: contacts and bounded rows ---- */

FilLcpUnit fil_lcp_contact_unit(const FilSapProblem* from, const FilLcpSettings* settings, int index)
{
    const FilSapContact* contact = &from->constraints[index].contact;
    FilLcpUnit unit = {.kind = contact->mu > 0.0 ? FIL_LCP_CONTACT : FIL_LCP_LIMIT,
                       .constraint = index,
                       .row = 2,
                       .mu = contact->mu,
                       .sign = 1.0,
                       .range = INFINITY};
    const double phi = contact->distance, dt = from->dt;
    if (isfinite(contact->stiffness)) {
        // f = dt k (-phi - (dt + tau) c_n)+, a speculative contact without tau
        const double tau = phi > 0.0 ? 0.0 : contact->dissipation_time;
        unit.compliance = 1.0 / (dt * (dt + tau) * contact->stiffness);
        unit.target = -phi / (dt + tau);
    } else {
        double own;
        if (contact->redundant && fil_sap_compliance_of(from, &from->constraints[index], &own)) {
            unit.compliance = fil_sap_near_rigid(contact, FIL_LCP_SOFT * own, dt, 1);
        }
        // gap stabilisation (P1 sec. V-A): a gap may close, a penetration opens by a share
        unit.target = phi > 0.0 ? -phi / dt : fmin(-settings->stabilisation * phi / dt, settings->recovery_speed);
    }
    return unit;
}

/* A row whose impulse lies in [lower, upper]: counted from the bound that is finite, the lower if both are. */
static FilLcpUnit bounded_unit(const FilLcpAssembly* assembly, const FilSapConstraint* constraint, int index, int row)
{
    const double lower = constraint->bounded.lower[row], upper = constraint->bounded.upper[row];
    const double sign = isfinite(lower) ? 1.0 : -1.0;
    return (FilLcpUnit){.kind = FIL_LCP_LIMIT,
                        .constraint = index,
                        .row = row,
                        .compliance = 1.0 / assembly->laws.at[6 * index + 3 + row],
                        .target = sign * assembly->laws.at[6 * index + row],
                        .sign = sign,
                        .offset = isfinite(lower) ? lower : upper,
                        .range = upper - lower};
}

/* Lists the units; returns their number. */
static int list_units(FilLcpAssembly* assembly, const FilSapProblem* from, const FilLcpSettings* settings)
{
    FilLcpUnit* units = assembly->units;
    int count = 0;
    for (int i = 0; i < from->constraint_count; i++) {
        const FilSapConstraint* constraint = &from->constraints[i];
        if (constraint->kind != FIL_SAP_BOUNDED) {
            units[count++] = fil_lcp_contact_unit(from, settings, i);
            continue;
        }
        for (int row = 0; row < 3; row++) {
            // rows that are not there have no stiffness
            if (bounded(constraint, row) && assembly->laws.at[6 * i + 3 + row] > 0.0) {
                units[count++] = bounded_unit(assembly, constraint, i, row);
            }
        }
    }
    return count;
}

/* Rows of a unit as (t1, t2, n): those of the constraint, or a bounded one in the last place. */
static int source_row(const FilLcpUnit* unit, int row)
{
    return unit->kind == FIL_LCP_CONTACT ? row : (row == 2 ? unit->row : -1);
}

/* L^-1 j of one row of the Jacobian, over all participants. */
static void whiten(FilLcpAssembly* assembly, const FilSapProblem* from, const FilLcpUnit* unit, int row, double* out)
{
    const FilSapConstraint* constraint = &from->constraints[unit->constraint];
    const int first = unit->constraint == 0 ? 0 : assembly->system.constraint_end.at[unit->constraint - 1];
    memset(out, 0, FIL_BLOCK * (size_t)assembly->system.participants * sizeof *out);
    if (row < 0) {
        return;
    }
    for (int k = 0; k < constraint->block_count; k++) {
        const double* j = from->jacobian + FIL_SAP_JACOBIAN * (size_t)(constraint->first_block + k) + 4 * row;
        double* x = out + FIL_BLOCK * (size_t)assembly->system.participant.at[first + k];
        for (int c = 0; c < FIL_BLOCK; c++) {
            x[c] += unit->sign * j[c];
        }
    }
    fil_sap_system_whiten(&assembly->system, out);
}

/* Drops coordinates that no row has a part in; returns how many are left. */
static int squeeze(double* rows, int row_count, int width, int* kept)
{
    int used = 0;
    for (int c = 0; c < width; c++) {
        bool any = false;
        for (int r = 0; r < row_count && !any; r++) {
            any = rows[(size_t)r * (size_t)width + (size_t)c] != 0.0;
        }
        if (any) {
            kept[used++] = c;
        }
    }
    for (int r = 0; r < row_count && used < width; r++) {
        for (int c = 0; c < used; c++) {
            rows[(size_t)r * (size_t)used + (size_t)c] = rows[(size_t)r * (size_t)width + (size_t)kept[c]];
        }
    }
    return used;
}

/* More coordinates than rows: Y' = Q R leaves Y Y' = R' R with as many coordinates as rows. */
static void fold(const FilLcpAssembly* assembly, int row_count, int* dimension)
{
    const int d = *dimension;
    double* y = assembly->rows.at;  // d x row_count by columns
    fil_qr_factor(y, d, row_count);
    for (int r = 0; r < row_count; r++) {
        for (int c = 0; c < row_count; c++) {
            y[(size_t)r * (size_t)row_count + (size_t)c] = c <= r ? y[(size_t)r * (size_t)d + (size_t)c] : 0.0;
        }
    }
    *dimension = row_count;
}

/* The rows Y of all units, in as few coordinates as will do, and each one's own block of Y Y'. */
static bool build_rows(FilLcpAssembly* assembly, const FilSapProblem* from, FilLcpProblem* problem)
{
    const int width = FIL_BLOCK * assembly->system.participants, row_count = 3 * problem->unit_count;
    if (!fil_doubles_reserve(&assembly->rows, (size_t)width * (size_t)row_count) ||
        !fil_ints_reserve(&assembly->indices, (size_t)(width > problem->unit_count ? width : problem->unit_count))) {
        return false;
    }
    for (int r = 0; r < row_count; r++) {
        const FilLcpUnit* unit = &problem->units[r / 3];
        whiten(assembly, from, unit, source_row(unit, r % 3), assembly->rows.at + (size_t)r * (size_t)width);
    }
    problem->dimension = squeeze(assembly->rows.at, row_count, width, assembly->indices.at);
    if (problem->dimension > row_count) {
        fold(assembly, row_count, &problem->dimension);
    }
    problem->rows = assembly->rows.at;
    const int d = problem->dimension;
    for (int i = 0; i < problem->unit_count; i++) {
        const double* y = problem->rows + 3 * (size_t)i * (size_t)d;
        for (int k = 0; k < 9; k++) {
            double sum = 0.0;
            for (int c = 0; c < d; c++) {
                sum += y[(k / 3) * d + c] * y[(k % 3) * d + c];
            }
            problem->units[i].own[k] = sum;
        }
    }
    return true;
}

/* Where the solution and the scales of a problem stand. */
static bool lay_out(FilLcpAssembly* assembly, FilLcpProblem* problem)
{
    const size_t all = (size_t)problem->size * (size_t)problem->unit_count, m = (size_t)problem->unit_count;
    if (!fil_doubles_reserve(&assembly->numbers, 3 * all + m + (size_t)problem->dimension)) {
        return false;
    }
    problem->z = assembly->numbers.at;
    problem->row_scale = problem->z + all;
    problem->column_scale = problem->row_scale + all;
    problem->softness = problem->column_scale + all;
    problem->u = problem->softness + m;
    problem->active = assembly->indices.at;
    memset(problem->z, 0, sizeof(double) * all);
    memset(problem->softness, 0, sizeof(double) * m);
    memset(problem->u, 0, sizeof(double) * (size_t)problem->dimension);
    return true;
}

static bool reserve(FilLcpAssembly* assembly, const FilSapProblem* from)
{
    const size_t m = (size_t)from->constraint_count, n = FIL_BLOCK * (size_t)assembly->system.participants;
    size_t units = 0;
    for (size_t i = 0; i < m; i++) {
        units += from->constraints[i].kind == FIL_SAP_BOUNDED ? 3 : 1;
    }
    return fil_doubles_reserve(&assembly->hessians, 9 * m) && fil_doubles_reserve(&assembly->laws, 6 * m) &&
           fil_doubles_reserve(&assembly->spring, n) && fil_doubles_reserve(&assembly->x, n) && fil_doubles_reserve(&assembly->row, 6 * m) &&
           fil_buffer_reserve(&assembly->units, &assembly->unit_capacity, units, sizeof(FilLcpUnit));
}

/* Velocities of the rows under springs alone, and what impulses that are there from the start add to them. */
static void set_free(FilLcpAssembly* assembly, const FilSapProblem* from, FilLcpProblem* problem)
{
    double *velocity = assembly->row.at, *impulse = velocity + 3 * from->constraint_count;
    double *x = assembly->x.at, *v = assembly->spring.at;
    gather_free(assembly, from, v);
    fil_sap_system_multiply(&assembly->system, from, v, velocity);
    spring_impulses(assembly, from, velocity, impulse);
    for (int i = 0; i < problem->unit_count; i++) {
        const FilLcpUnit* unit = &problem->units[i];
        if (unit->kind == FIL_LCP_LIMIT) {
            impulse[3 * unit->constraint + unit->row] += unit->offset;
        }
    }
    fil_sap_system_multiply_transposed(&assembly->system, from, impulse, x);
    memcpy(assembly->spring.at, x, FIL_BLOCK * (size_t)assembly->system.participants * sizeof *x);
    fil_sap_system_solve(&assembly->system, x);
    fil_sap_system_multiply(&assembly->system, from, x, impulse);  // change of the rows' velocities
    for (int i = 0; i < problem->unit_count; i++) {
        FilLcpUnit* unit = &problem->units[i];
        const double* bias = from->constraints[unit->constraint].bias;
        for (int row = 0; row < 3; row++) {
            const int source = source_row(unit, row), at = 3 * unit->constraint + source;
            unit->free[row] = source < 0 ? 0.0 : unit->sign * (velocity[at] + impulse[at] + bias[source]);
        }
        unit->target -= unit->compliance * unit->sign * unit->offset;  // R acts on the whole impulse
    }
}

FilStatus fil_lcp_assemble(FilLcpAssembly* assembly, const FilSapProblem* from, const FilLcpSettings* settings, FilLcpProblem* problem)
{
    FilStatus status = fil_sap_system_begin(&assembly->system, from);
    if (status != FIL_OK) {
        return status;
    }
    if (!reserve(assembly, from)) {
        return FIL_OUT_OF_MEMORY;
    }
    if (!prepare_springs(assembly, from) || !fil_sap_system_eliminate(&assembly->system, from) ||
        !fil_sap_system_factor(&assembly->system, from, assembly->hessians.at)) {
        return FIL_NOT_CONVERGED;
    }
    fil_lcp_set_directions(problem, settings->directions);
    problem->unit_count = list_units(assembly, from, settings);
    problem->units = assembly->units;
    set_free(assembly, from, problem);
    return build_rows(assembly, from, problem) && lay_out(assembly, problem) ? FIL_OK : FIL_OUT_OF_MEMORY;
}

/* ---- the solution ---- */

void fil_lcp_recover(FilLcpAssembly* assembly, const FilSapProblem* from, const FilLcpProblem* problem, double* v, double* impulse)
{
    const int n = FIL_BLOCK * assembly->system.participants;
    double *x = assembly->x.at, *velocity = assembly->row.at, *springs = velocity + 3 * from->constraint_count;
    memset(impulse, 0, 3 * (size_t)from->constraint_count * sizeof *impulse);
    for (int i = 0; i < problem->unit_count; i++) {
        const FilLcpUnit* unit = &problem->units[i];
        double gamma[3];
        fil_lcp_impulse(problem, i, problem->z + (size_t)problem->size * (size_t)i, gamma);
        for (int row = 0; row < 3; row++) {
            const int source = source_row(unit, row);
            if (source >= 0) {
                impulse[3 * unit->constraint + source] = unit->sign * gamma[row];
            }
        }
    }
    // the springs' and the offsets' momentum is in `spring` already
    fil_sap_system_multiply_transposed(&assembly->system, from, impulse, x);
    for (int k = 0; k < n; k++) {
        x[k] += assembly->spring.at[k];
    }
    fil_sap_system_solve(&assembly->system, x);
    fil_sap_system_expand(&assembly->system, from, x, v);
    // rows of the springs at the new velocities
    double* moving = assembly->spring.at;
    gather_free(assembly, from, moving);
    for (int k = 0; k < n; k++) {
        moving[k] += x[k];
    }
    fil_sap_system_multiply(&assembly->system, from, moving, velocity);
    spring_impulses(assembly, from, velocity, springs);
    for (int k = 0; k < 3 * from->constraint_count; k++) {
        impulse[k] += springs[k];
    }
    for (int i = 0; i < problem->unit_count; i++) {
        const FilLcpUnit* unit = &problem->units[i];
        if (unit->kind == FIL_LCP_LIMIT) {
            impulse[3 * unit->constraint + unit->row] += unit->offset;
        }
    }
}
