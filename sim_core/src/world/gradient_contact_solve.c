/* Products and solutions with the contacts of a step that bear (gradient_contact.c makes them). */
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "linalg/buffer.h"
#include "world/gradient.h"
#include "world/gradient_side.h"

/* ---- products ---- */

/* u = J x, and out += J' f. */
static void multiply(const FilGradientContact* contact, const double* x, double* u)
{
    const int m = contact->size;
    const double* j = contact->jacobian;
    double sum[3] = {0.0};
    for (int i = 0; i < m; i++) {
        const double own = x[contact->unknown[i]];
        sum[0] += j[i] * own;
        sum[1] += j[m + i] * own;
        sum[2] += j[2 * m + i] * own;
    }
    fil_v3_copy(u, sum);
}

static void add_transposed(const FilGradientContact* contact, const double* f, double* out)
{
    const int m = contact->size;
    for (int i = 0; i < m; i++) {
        out[contact->unknown[i]] += contact->jacobian[i] * f[0] + contact->jacobian[m + i] * f[1] + contact->jacobian[2 * m + i] * f[2];
    }
}

static void apply_one(const FilGradientContact* contact, const double* x, double* out)
{
    double u[3], f[3];
    multiply(contact, x, u);
    fil_m3_apply(f, contact->hessian, u);
    add_transposed(contact, f, out);
}

void fil_gradient_contacts_apply(const FilGradient* gradient, const double* x, double* out)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        apply_one(&gradient->contacts.items[c], x, out);
    }
}

void fil_gradient_contacts_mark(FilGradient* gradient)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        FilGradientContact* contact = &gradient->contacts.items[c];
        const int m = contact->size;
        const double* j = contact->jacobian;
        contact->held = false;
        for (int i = 0; i < m; i++) {
            contact->held |= !(gradient->diagonal[contact->unknown[i]] > 0.0) && (j[i] != 0.0 || j[m + i] != 0.0 || j[2 * m + i] != 0.0);
        }
    }
}

void fil_gradient_contacts_apply_held(const FilGradient* gradient, const double* x, double* out)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        if (gradient->contacts.items[c].held) {
            apply_one(&gradient->contacts.items[c], x, out);
        }
    }
}

/* How the compliance follows the tangents of bodies that deform: sum over four unknowns each. */
static double compliance_change(const FilGradient* gradient, const FilGradientContact* contact)
{
    double sum = 0.0;
    for (int k = 0; k < 4 * contact->size && contact->by_block != NULL; k++) {
        sum += contact->by_block[k] * gradient->blocks[4 * contact->unknown[k / 16 * 4] + k % 16];
    }
    return sum;
}

void fil_gradient_contacts_vary(const FilGradient* gradient, const double* place, const double* rate, double* out)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        const int m = contact->size;
        double u[3], f[3];
        for (int i = 0; i < m && place != NULL; i++) {
            for (int j = 0; j < m; j++) {
                out[contact->unknown[i]] += contact->by_place[i * m + j] * place[contact->unknown[j]];
            }
        }
        fil_v3_set(u, 0.0, 0.0, 0.0);
        if (rate != NULL) {
            multiply(contact, rate, u);
        }
        fil_v3_scale(f, u[2], contact->by_velocity);
        fil_v3_axpy(f, compliance_change(gradient, contact), contact->by_compliance);
        add_transposed(contact, f, out);
    }
}

void fil_gradient_contacts_vary_back(FilGradient* gradient, const double* weight, double* place, double* rate)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        const int m = contact->size;
        double u[3];
        multiply(contact, weight, u);
        if (contact->by_place == NULL) {
            fil_gradient_touch_back(gradient, contact, weight, u, gradient->contacts.numbers, place);
        }
        for (int i = 0; i < m && contact->by_place != NULL; i++) {
            for (int j = 0; j < m; j++) {
                place[contact->unknown[j]] += contact->by_place[i * m + j] * weight[contact->unknown[i]];
            }
        }
        const double f[3] = {0.0, 0.0, fil_v3_dot(u, contact->by_velocity)}, w = fil_v3_dot(u, contact->by_compliance);
        if (f[2] != 0.0) {
            add_transposed(contact, f, rate);
        }
        for (int b = 0; b < m / 4 && contact->by_block != NULL; b++) {
            double* restrict block = gradient->blocks + 4 * contact->unknown[4 * b];
            const double* restrict by = contact->by_block + 16 * (size_t)b;
            for (int k = 0; k < 16; k++) {
                block[k] += w * by[k];
            }
        }
    }
}

/* ---- solutions ---- */

/* The problem that the step has solved, of which A and J stay. */
static FilSapProblem problem_of(const FilGradient* gradient)
{
    const FilContactStage* stage = &gradient->world->solver.contact;
    return (FilSapProblem){.dt = gradient->world->def.dt,
                           .pattern = {stage->column_count, stage->start, stage->row},
                           .a = stage->values,
                           .constraint_count = stage->constraint_count,
                           .constraints = stage->constraints,
                           .block = stage->rows.variable,
                           .jacobian = stage->rows.jacobian,
                           .v_free = gradient->contacts.zero,
                           .push = gradient->contacts.push};
}

/* G of every constraint at the step's end: of contacts that bear, and of motors and stops. */
static bool find_hessians(const FilGradient* gradient, const FilSapProblem* problem, double* hessians)
{
    const FilSapSettings* settings = &gradient->world->solver.settings.model.sap;
    const FilSapScales scales = {problem->dt, fil_sap_options_default().rigidity, settings->stick, settings->slip_velocity};
    const double* v = gradient->contacts.push;  // that of the problem's variables, for now
    memset(hessians, 0, 9 * sizeof(double) * (size_t)problem->constraint_count);
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        memcpy(hessians + 9 * (size_t)contact->constraint, contact->hessian, sizeof contact->hessian);
    }
    for (int c = gradient->world->solver.contact.first_own; c < problem->constraint_count; c++) {
        const FilSapConstraint* constraint = &problem->constraints[c];
        double u[3], compliance;
        fil_v3_copy(u, constraint->bias);
        for (int k = constraint->first_block; k < constraint->first_block + constraint->block_count; k++) {
            const double *j = problem->jacobian + 12 * (size_t)k, *own = v + 4 * problem->block[k];
            for (int r = 0; r < 3; r++) {
                u[r] += j[4 * r] * own[0] + j[4 * r + 1] * own[1] + j[4 * r + 2] * own[2] + j[4 * r + 3] * own[3];
            }
        }
        if (!fil_sap_compliance_of(problem, constraint, &compliance)) {
            return false;
        }
        FilSapLaw law;
        FilSapResponse response;
        memset(&law, 0, sizeof law);
        fil_sap_kinds[constraint->kind].prepare(constraint, compliance, &scales, &law);
        fil_sap_kinds[constraint->kind].evaluate(&law, u, &response);
        memcpy(hessians + 9 * (size_t)c, response.hessian, sizeof response.hessian);
    }
    return true;
}

/* From the world's unknowns to the problem's variables, and back. */
static void to_problem(const FilGradient* gradient, const double* x, double* out)
{
    const FilSystem* system = &gradient->world->system;
    for (int b = 0; b < system->body_count; b++) {
        const int offset = gradient->world->solver.contact.offset[b];
        if (offset >= 0) {
            memcpy(out + 4 * offset, x + system->bodies[b].v, sizeof(double) * (size_t)system->bodies[b].v_count);
        }
    }
}

static void from_problem(const FilGradient* gradient, const double* x, double* out)
{
    const FilSystem* system = &gradient->world->system;
    for (int b = 0; b < system->body_count; b++) {
        const int offset = gradient->world->solver.contact.offset[b];
        for (int k = 0; offset >= 0 && k < system->bodies[b].v_count; k++) {
            const int i = system->bodies[b].v + k;
            out[i] = gradient->diagonal[i] > 0.0 ? x[4 * offset + k] : 0.0;
        }
    }
}

FilStatus fil_gradient_contacts_factor(FilGradient* gradient)
{
    FilGradientContacts* contacts = &gradient->contacts;
    FilWorld* world = gradient->world;
    const FilContactStage* stage = &world->solver.contact;
    const size_t n = 4 * (size_t)stage->column_count;
    if (contacts->count == 0) {
        return FIL_OK;
    }
    bool room = fil_buffer_reserve((void**)&contacts->work, &contacts->work_capacity, 4 * n + 9 * (size_t)stage->constraint_count, sizeof(double));
    if (room && contacts->system == NULL) {
        contacts->system = fil_alloc(1, sizeof *contacts->system);
        room = contacts->system != NULL && fil_sap_system_init(contacts->system);
    }
    if (!room) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    contacts->zero = contacts->work;
    contacts->push = contacts->work + n;
    contacts->v = contacts->work + 2 * n;
    contacts->reduced = contacts->work + 3 * n;
    double* hessians = contacts->work + 4 * n;
    memset(contacts->work, 0, 4 * n * sizeof(double));
    to_problem(gradient, gradient->v, contacts->push);
    const FilSapProblem problem = problem_of(gradient);
    const FilStatus status = fil_sap_system_begin(contacts->system, &problem);
    if (status != FIL_OK) {
        return fil_world_fail(world, status, "the contacts of this step cannot be differentiated");
    }
    return find_hessians(gradient, &problem, hessians) && fil_sap_system_eliminate(contacts->system, &problem) &&
                   fil_sap_system_factor(contacts->system, &problem, hessians)
               ? FIL_OK
               : fil_world_fail(world, FIL_BAD_INPUT, "the contacts of this step have no derivative");
}

void fil_gradient_contacts_solve(const FilGradient* gradient, double* x)
{
    const FilGradientContacts* contacts = &gradient->contacts;
    const FilSapProblem problem = problem_of(gradient);
    const int n = 4 * gradient->world->solver.contact.column_count;
    to_problem(gradient, x, contacts->v);
    for (int k = 0; k < n; k++) {  // what does not participate follows the rest, and its own share
        contacts->push[k] = -contacts->v[k];
    }
    fil_sap_system_reduce(contacts->system, contacts->v, contacts->reduced);
    fil_sap_system_solve(contacts->system, contacts->reduced);
    fil_sap_system_expand(contacts->system, &problem, contacts->reduced, contacts->v);
    from_problem(gradient, contacts->v, x);
}

void fil_gradient_contacts_free(FilGradientContacts* contacts)
{
    if (contacts->system != NULL) {
        fil_sap_system_free(contacts->system);
    }
    fil_free(contacts->system);
    fil_free(contacts->items);
    fil_free(contacts->numbers);
    fil_free(contacts->unknowns);
    fil_free(contacts->work);
    fil_free(contacts->touches);
    fil_free(contacts->inverses);
    fil_free(contacts->inverted);
    fil_free(contacts->rows);
}
