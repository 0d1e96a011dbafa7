/* Contacts in the derivative of a step under SAP: m(v) = J' gamma,  gamma = law(u(v), phi, w, u_n(v0)). The start's place moves the contact
 * (world/gradient_side.h), its distance phi, and the compliance w = mean over rows r of J_r D^-1 J_r', D the diagonal blocks of the tangents: that is
 * made of numbers e_r . u(D^-1 J_r'). */
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "body/derivative.h"
#include "contact/sap.h"
#include "contact/sap_derivative.h"
#include "contact/sap_system.h"
#include "linalg/buffer.h"
#include "linalg/dense.h"
#include "world/gradient.h"
#include "world/gradient_side.h"

enum { MOTION = FIL_PART_MOTION };

/* z <- D^-1 z of three z at once, m numbers each, on the diagonal blocks of the tangents, as the solver's estimate of w has them. */
static bool scale_by_blocks(const FilSolver* solver, const FilSapProblem* problem, const FilGradientMaker* maker, double* z)
{
    for (int s = 0, at = 0; s < maker->count; at += maker->sides[s++].size) {
        const FilGradientSide* side = &maker->sides[s];
        const int b = (int)(side->body - solver->system->bodies);
        for (int k = 0; k < side->size / 4; k++) {
            double w[16];
            const double* block = fil_sap_diagonal_block(problem, solver->contact.offset[b] + fil_gradient_side_block(side, k));
            if (block == NULL || !fil_block_inverse_factor(block, w)) {
                return false;
            }
            for (int r = 0; r < 3; r++) {
                double half[4] = {0.0}, *x = z + r * maker->size + at + 4 * k;
                for (int j = 0; j < 4; j++) {
                    for (int i = j; i < 4; i++) {
                        half[i] += w[4 * j + i] * x[j];
                    }
                }
                for (int j = 0; j < 4; j++) {
                    x[j] = 0.0;
                    for (int i = j; i < 4; i++) {
                        x[j] += w[4 * j + i] * half[i];
                    }
                }
            }
        }
    }
    return true;
}

/* How the tangent of a side that deforms changes w, with its share of the rows' D^-1 J'. False if there is no room. */
static bool take_slopes(const FilGradientMaker* maker, int s, int at, double share, const double* z, FilGradientContact* out)
{
    const FilGradientSide* side = &maker->sides[s];
    double u[12 * FIL_JACOBIAN_BLOCKS];
    for (int b = 0; b < side->size / 4; b++) {
        for (int r = 0; r < 3; r++) {
            memcpy(u + 12 * b + 4 * r, z + r * maker->size + at + 4 * b, 4 * sizeof(double));
        }
    }
    out->slope_count[s] = side->body->ops->derivative->stiffen(side->body->impl, share, side->block, side->size / 4, u, out->slopes[s]);
    return out->slope_count[s] <= FIL_TANGENT_SLOPES;
}

/* place = the derivative of w, but for what goes into slopes. `z` is scratch. */
static bool vary_compliance(const FilSolver* solver, const FilSapProblem* problem, const FilGradientMaker* maker, FilGradientContact* out, double* z,
                            double* place)
{
    const double* jacobian = out->jacobian;
    int rows = 0;
    for (int r = 0; r < 3; r++) {
        bool counts = false;
        for (int i = 0; i < maker->size; i++) {
            counts |= jacobian[r * maker->size + i] != 0.0;
        }
        rows += counts;
    }
    memset(place, 0, sizeof(double) * (size_t)maker->size);
    memcpy(z, jacobian, 3 * sizeof(double) * (size_t)maker->size);
    if (!scale_by_blocks(solver, problem, maker, z)) {
        return false;
    }
    double* own = z + 3 * maker->size;
    for (int s = 0, at = 0; s < maker->count; at += maker->sides[s++].size) {
        if (maker->sides[s].size > 0 && maker->sides[s].body->ops->deforms && !take_slopes(maker, s, at, -1.0 / rows, z, out)) {
            return false;
        }
    }
    for (int r = 0; r < 3 && rows > 0; r++, z += maker->size) {
        double unit[3] = {0.0};
        unit[r] = 1.0;
        fil_gradient_maker_vary(maker, 2.0 / rows, unit, z, false, place);
        for (int s = 0, at = 0; s < maker->count; at += maker->sides[s++].size) {
            const FilGradientSide* side = &maker->sides[s];
            if (side->size == 0 || side->body->ops->derivative->vary_tangent == NULL) {
                continue;
            }
            for (int k = 0; k < side->size / 4; k++) {  // block by block
                memset(own, 0, sizeof(double) * (size_t)side->size);
                memcpy(own + 4 * k, z + at + 4 * k, 4 * sizeof(double));
                side->body->ops->derivative->vary_tangent(side->body->impl, -1.0 / rows, own, place + at);
            }
        }
    }
    return true;
}

/* J' gamma by the place. */
static bool make_rows(const FilGradient* gradient, const FilSapProblem* problem, const FilGradientMaker* maker, const FilSapSlopes* slopes,
                      double* work, FilGradientContact* out)
{
    const int m = maker->size;
    double *change = work, *row = work + 3 * m, *scratch = work + 4 * m;
    FilGradientLaw law;
    fil_v3_copy(law.impulse, slopes->impulse);
    memcpy(law.hessian, slopes->hessian, sizeof law.hessian);
    fil_v3_copy(law.by_distance, slopes->by_distance);
    fil_v3_copy(law.by_velocity, slopes->by_velocity);
    fil_gradient_maker_law(gradient, maker, &law, out->unknown, scratch, change);
    if (!vary_compliance(&gradient->world->solver, problem, maker, out, scratch, row)) {
        return false;
    }
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < m; i++) {
            change[r * m + i] += slopes->by_compliance[r] * row[i];
        }
    }
    fil_gradient_maker_rows(maker, slopes->impulse, change, scratch, out);
    return true;
}

static FilStatus take_one(FilGradient* gradient, const FilSapProblem* problem, int k, double* numbers, double* work, bool* bears)
{
    FilWorld* world = gradient->world;
    const FilSapSettings* settings = &world->solver.settings.model.sap;
    const FilSapScales scales = {world->def.dt, fil_sap_options_default().rigidity, settings->stick, settings->slip_velocity};
    const FilContact* contact = &world->collision.set.contacts[k];
    FilGradientMaker maker;
    const size_t m = (size_t)fil_gradient_contact_size(world, contact);
    FilGradientContact* out = &gradient->contacts.items[gradient->contacts.count];
    FilTouching touching;
    FilStatus status = FIL_OK;
    status = fil_gradient_contact_sides(gradient, contact, work, &maker, out);
    out->size = maker.size;
    out->constraint = k;
    double u[3], compliance;
    FilSapSlopes slopes;
    out->jacobian = numbers;
    out->by_place = numbers + 3 * m;
    if (status != FIL_OK) {
        return status;
    }
    fil_gradient_maker_jacobian(&maker, gradient->v, out->unknown, out->jacobian, u);
    bool good = fil_sap_compliance_of(problem, &problem->constraints[k], &compliance);
    if (good) {
        fil_sap_contact_slopes(&problem->constraints[k], compliance, &scales, u, &slopes);
    }
    *bears = good && slopes.impulse[2] > 0.0;
    if (*bears) {
        memcpy(out->hessian, slopes.hessian, sizeof out->hessian);
        fil_v3_copy(out->by_velocity, slopes.by_velocity);
        fil_v3_copy(out->by_compliance, slopes.by_compliance);
        status = fil_gradient_contact_touching(gradient, contact, &touching);
        maker.moves = work + MOTION * m;
        if (status == FIL_OK) {
            fil_gradient_maker_move(&maker, &touching);
        }
        good = status == FIL_OK && make_rows(gradient, problem, &maker, &slopes, work + (MOTION + 7) * m, out);
    }
    return status != FIL_OK || good ? status : fil_world_fail(world, FIL_BAD_INPUT, "a tangent is not positive definite, and has no derivative here");
}

FilStatus fil_gradient_contacts_take(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    FilGradientContacts* contacts = &gradient->contacts;
    const FilContactSet* set = &world->collision.set;
    const FilContactStage* stage = &world->solver.contact;
    const FilSapProblem problem = {.dt = world->def.dt,
                                   .pattern = {stage->column_count, stage->start, stage->row},
                                   .a = stage->values,
                                   .constraint_count = stage->constraint_count,
                                   .constraints = stage->constraints,
                                   .block = stage->rows.variable,
                                   .jacobian = stage->rows.jacobian};
    contacts->count = 0;
    if (!world->solver.model->contacts || set->count == 0) {
        return FIL_OK;
    }
    size_t numbers = 0, most = 0, all = 0;
    for (int k = 0; k < set->count; k++) {
        const size_t m = (size_t)fil_gradient_contact_size(world, &set->contacts[k]);
        numbers += m * (m + 3);
        all += m;
        most = m > most ? m : most;
    }
    // twists of both sides (7), the contact's moves (7), velocities (2), gamma's changes (3), a row, and four of scratch
    const size_t work = (MOTION + 17) * most + 1, slopes = 2 * FIL_TANGENT_SLOPES * (size_t)set->count;
    if (!fil_buffer_reserve((void**)&contacts->items, &contacts->capacity, (size_t)set->count, sizeof *contacts->items) ||
        !fil_buffer_reserve((void**)&contacts->unknowns, &contacts->unknown_capacity, all + 1, sizeof(int)) ||
        !fil_buffer_reserve((void**)&contacts->slopes, &contacts->slope_capacity, slopes, sizeof *contacts->slopes) ||
        !fil_buffer_reserve((void**)&contacts->numbers, &contacts->number_capacity, numbers + work, sizeof(double))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    FilStatus status = FIL_OK;
    double* next = contacts->numbers + work;
    int* unknown = contacts->unknowns;
    for (int k = 0; k < set->count && status == FIL_OK; k++) {
        bool bears = false;
        FilGradientContact* out = &contacts->items[contacts->count];
        out->unknown = unknown;
        for (int s = 0; s < 2; s++) {
            out->slopes[s] = contacts->slopes + FIL_TANGENT_SLOPES * (size_t)(2 * contacts->count + s);
        }
        status = take_one(gradient, &problem, k, next, contacts->numbers, &bears);
        if (bears) {
            contacts->count++;
            next += (size_t)out->size * ((size_t)out->size + 3);
            unknown += out->size;
        }
    }
    return status;
}
