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

/* For each unknown of a contact: its column of both sides' twists, of J and of D^-1 J', and its row of the blocks that change w. */
enum { NUMBERS = MOTION + 10 };

/* The inverse of a diagonal block of the tangents, made when first asked for; NULL if there is none. */
static const double* inverse_block(FilGradientContacts* contacts, const FilSapProblem* problem, int column)
{
    double* out = contacts->inverses + 16 * (size_t)column;
    if (contacts->inverted[column]) {
        return out;
    }
    double w[16];
    const double* block = fil_sap_diagonal_block(problem, column);
    if (block == NULL || !fil_block_inverse_factor(block, w)) {
        return NULL;
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j <= i; j++) {  // W' W, W lower triangular, by columns
            double sum = 0.0;
            for (int k = i; k < 4; k++) {
                sum += w[4 * i + k] * w[4 * j + k];
            }
            out[4 * i + j] = out[4 * j + i] = sum;
        }
    }
    contacts->inverted[column] = true;
    return out;
}

/* Where the unknowns of block k of side s stand once more: those of a node are of both of its edges. -1: nowhere. */
static int again_at(const FilGradientMaker* maker, int s, int k)
{
    const FilGradientSide* side = &maker->sides[s];
    for (int o = 0; o < maker->count && maker->node_twice && side->which == maker->node_side; o++) {
        const FilGradientSide* other = &maker->sides[o];
        for (int i = 0; i < other->size / 4 && o != s && other->which == side->which; i++) {
            if (other->block[i] == side->block[k]) {
                return other->at + 4 * i;
            }
        }
    }
    return -1;
}

/* z = D^-1 J', three rows, on the diagonal blocks of the tangents, as the solver's estimate of w has them; and w itself. */
static bool scale_by_blocks(FilGradient* gradient, const FilSapProblem* problem, const double* jacobian, FilGradientTouch* touch, double* compliance)
{
    const FilSolver* solver = &gradient->world->solver;
    const FilGradientMaker* maker = &touch->maker;
    double sum[3] = {0.0};
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const FilGradientSide* side = &maker->sides[s];
        const int b = (int)(side->body - solver->system->bodies);
        for (int k = side->shared / 4; k < side->size / 4; k++) {
            const double* inverse = inverse_block(&gradient->contacts, problem, solver->contact.offset[b] + fil_gradient_side_block(side, k));
            if (inverse == NULL) {
                return false;
            }
            const int again = again_at(maker, s, k);
            for (int r = 0; r < 3; r++) {
                const double* own = jacobian + r * maker->size + at + 4 * k;
                double j[4] = {own[0], own[1], own[2], own[3]}, *z = touch->z + r * maker->size + at + 4 * k;
                for (int i = 0; i < 4 && again >= 0; i++) {
                    j[i] += jacobian[r * maker->size + again + i];
                }
                for (int i = 0; i < 4; i++) {  // by columns, which are the rows
                    z[i] = inverse[i] * j[0] + inverse[4 + i] * j[1] + inverse[8 + i] * j[2] + inverse[12 + i] * j[3];
                }
                sum[r] += (own[0] * z[0] + own[1] * z[1]) + (own[2] * z[2] + own[3] * z[3]);
            }
        }
    }
    touch->rows = (sum[0] > 0.0) + (sum[1] > 0.0) + (sum[2] > 0.0);
    *compliance = touch->rows > 0 ? (sum[0] + sum[1] + sum[2]) / touch->rows : 1.0;  // as fil_sap_estimate_compliance()
    return true;
}

/* Whether a contact's blocks in the step's problem are those of its sides, in the same order: then J and u(v) follow from their Jacobians. */
static bool take_jacobian(const FilGradient* gradient, const FilSapProblem* problem, const FilSapConstraint* constraint,
                          const FilGradientMaker* maker, const int* unknown, double* jacobian, double* u)
{
    const FilSolver* solver = &gradient->world->solver;
    bool same = 4 * constraint->block_count == maker->size && !maker->couple.any && !maker->node_twice;
    for (int s = 0; s < maker->count && same; s++) {
        const FilGradientSide* side = &maker->sides[s];
        const int *blocks = problem->block + constraint->first_block + side->at / 4, b = (int)(side->body - solver->system->bodies);
        same = side->size == 0 || (side->body->ops->deforms && side->at % 4 == 0);
        for (int k = 0; k < side->size / 4 && same; k++) {
            same = blocks[k] == solver->contact.offset[b] + side->block[k];
        }
    }
    if (!same) {
        return false;
    }
    double apart[3] = {0.0};
    for (int s = 0; s < maker->count; s++) {
        fil_v3_axpy(apart, maker->sides[s].share, maker->sides[s].velocity);
    }
    fil_m3_apply(u, maker->frame, apart);
    for (int k = 0; k < constraint->block_count; k++) {
        const double* own = problem->jacobian + FIL_SAP_JACOBIAN * (size_t)(constraint->first_block + k);
        const double* v = gradient->v + unknown[4 * k];
        for (int r = 0; r < 3; r++) {
            memcpy(jacobian + r * maker->size + 4 * k, own + 4 * r, 4 * sizeof(double));
            u[r] += own[4 * r] * v[0] + own[4 * r + 1] * v[1] + own[4 * r + 2] * v[2] + own[4 * r + 3] * v[3];
        }
    }
    return true;
}

/* How the tangents of sides that deform change w, with its share of the rows' D^-1 J'. */
static void take_blocks(const FilGradientMaker* maker, double share, const double* z, double* by_block)
{
    const int m = maker->size;
    memset(by_block, 0, 4 * sizeof(double) * (size_t)m);
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        const bool deforms = maker->sides[s].size > 0 && maker->sides[s].body->ops->deforms;
        for (int k = maker->sides[s].shared / 4; k < maker->sides[s].size / 4 && deforms; k++) {
            const int again = again_at(maker, s, k);
            if (again >= 0 && again < at) {
                continue;  // counted
            }
            const double *a = z + at + 4 * k, *b = a + m, *c = b + m;
            double* block = by_block + 4 * (size_t)(at + 4 * k);
            for (int i = 0; i < 4; i++) {
                const double own[3] = {share * a[i], share * b[i], share * c[i]};
                for (int j = 0; j < 4; j++) {
                    block[4 * i + j] = own[0] * a[j] + own[1] * b[j] + own[2] * c[j];
                }
            }
        }
    }
}

/* place = the derivative of w by the places of both sides, but for the tangents of bodies that deform. */
static void vary_compliance(const FilGradientTouch* touch, double* own, double* place)
{
    const FilGradientMaker* maker = &touch->maker;
    memset(place, 0, sizeof(double) * (size_t)maker->size);
    for (int r = 0; r < 3 && touch->rows > 0; r++) {
        double unit[3] = {0.0};
        unit[r] = 1.0;
        fil_gradient_maker_vary(maker, 2.0 / touch->rows, unit, touch->z + r * maker->size, false, place);
    }
    if (touch->rows > 0) {
        fil_gradient_touch_tangents(touch, -1.0 / touch->rows, own, place);
    }
}

FilStatus fil_gradient_contacts_rows(FilGradient* gradient)
{
    FilGradientContacts* contacts = &gradient->contacts;
    if (contacts->count == 0 || contacts->items[0].by_place != NULL) {
        return FIL_OK;
    }
    size_t numbers = 0;
    for (int c = 0; c < contacts->count; c++) {
        numbers += (size_t)contacts->items[c].size * (size_t)contacts->items[c].size;
    }
    if (!fil_buffer_reserve((void**)&contacts->rows, &contacts->row_capacity, numbers + 1, sizeof(double))) {
        return fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    double* next = contacts->rows;
    for (int c = 0; c < contacts->count; c++) {
        FilGradientContact* out = &contacts->items[c];
        FilGradientTouch* touch = out->touch;
        const int m = out->size;
        double *change = contacts->numbers + 7 * m, *row = change + 3 * m, *scratch = row + m;
        touch->maker.moves = contacts->numbers;
        fil_gradient_maker_twists(gradient, &touch->maker);
        out->by_place = next;
        next += (size_t)m * (size_t)m;
        fil_gradient_maker_move(&touch->maker, &touch->touching);
        fil_gradient_maker_law(gradient, &touch->maker, &touch->law, out->unknown, scratch, change);
        vary_compliance(touch, scratch, row);
        for (int k = 0; k < 3 * m; k++) {
            change[k] += touch->by_compliance[k / m] * row[k % m];
        }
        fil_gradient_maker_rows(&touch->maker, touch->law.impulse, change, scratch, out);
        if (out->lag != NULL) {
            fil_gradient_lag_slopes(gradient, out->lag, &touch->maker, change);
        }
    }
    return FIL_OK;
}

static FilStatus take_one(FilGradient* gradient, const FilSapProblem* problem, int k, double* numbers, bool* bears)
{
    FilWorld* world = gradient->world;
    const FilSapSettings* settings = &world->solver.settings.model.sap;
    const FilSapScales scales = {world->def.dt, fil_sap_options_default().rigidity, settings->stick, settings->slip_velocity};
    const FilContact* contact = &world->collision.set.contacts[k];
    const FilSapConstraint* constraint = &problem->constraints[k];
    FilGradientContact* out = &gradient->contacts.items[gradient->contacts.count];
    FilGradientTouch* touch = &gradient->contacts.touches[gradient->contacts.count];
    FilGradientMaker* maker = &touch->maker;
    *out = (FilGradientContact){.constraint = k, .touch = touch, .unknown = out->unknown};
    FilStatus status = fil_gradient_contact_sides(gradient, contact, true, numbers, maker, out);
    if (status != FIL_OK) {
        return status;
    }
    const size_t m = (size_t)maker->size;
    double u[3], compliance, *by_block = numbers + (MOTION + 6) * m;
    FilSapSlopes slopes;
    out->size = maker->size;
    out->jacobian = numbers + MOTION * m;
    touch->z = numbers + (MOTION + 3) * m;
    if (!take_jacobian(gradient, problem, constraint, maker, out->unknown, out->jacobian, u)) {
        fil_gradient_maker_twists(gradient, maker);
        fil_gradient_maker_jacobian(maker, gradient->v, out->unknown, out->jacobian, u);
    }
    if (!scale_by_blocks(gradient, problem, out->jacobian, touch, &compliance)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a tangent is not positive definite, and has no derivative here");
    }
    fil_sap_contact_slopes(constraint, constraint->compliance > 0.0 ? constraint->compliance : compliance, &scales, u, &slopes);
    *bears = slopes.impulse[2] > 0.0;
    if (!*bears) {
        return FIL_OK;
    }
    memcpy(out->hessian, slopes.hessian, sizeof out->hessian);
    fil_v3_copy(out->by_velocity, slopes.by_velocity);
    fil_v3_copy(out->by_compliance, slopes.by_compliance);
    fil_v3_copy(touch->by_compliance, slopes.by_compliance);
    fil_v3_copy(touch->law.impulse, slopes.impulse);
    memcpy(touch->law.hessian, slopes.hessian, sizeof slopes.hessian);
    fil_v3_copy(touch->law.by_distance, slopes.by_distance);
    fil_v3_copy(touch->law.by_velocity, slopes.by_velocity);
    for (int s = 0; s < maker->count; s++) {
        out->by_block = maker->sides[s].size > 0 && maker->sides[s].body->ops->deforms ? by_block : out->by_block;
    }
    if (out->by_block != NULL && touch->rows > 0) {
        take_blocks(maker, -1.0 / touch->rows, touch->z, out->by_block);
    }
    return fil_gradient_contact_touching(gradient, contact, maker, &touch->touching);
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
    size_t numbers = 0, max = 0, all = 0;
    for (int k = 0; k < set->count; k++) {
        const size_t m = (size_t)fil_gradient_contact_size(world, &set->contacts[k]);
        numbers += NUMBERS * m;
        all += m;
        max = m > max ? m : max;
    }
    // scratch of fil_gradient_contacts_rows(): the contact's moves (7), gamma's changes (3), a row, and three more
    const size_t work = (FIL_CONTACT_MOTION + 7) * max + 1, columns = (size_t)stage->column_count;
    if (!fil_buffer_reserve((void**)&contacts->items, &contacts->capacity, (size_t)set->count, sizeof *contacts->items) ||
        !fil_buffer_reserve((void**)&contacts->touches, &contacts->touch_capacity, (size_t)set->count, sizeof *contacts->touches) ||
        !fil_buffer_reserve((void**)&contacts->inverses, &contacts->inverse_capacity, 16 * columns, sizeof(double)) ||
        !fil_buffer_reserve((void**)&contacts->inverted, &contacts->inverted_capacity, columns, sizeof(bool)) ||
        !fil_buffer_reserve((void**)&contacts->unknowns, &contacts->unknown_capacity, all + 1, sizeof(int)) ||
        !fil_buffer_reserve((void**)&contacts->numbers, &contacts->number_capacity, numbers + work, sizeof(double))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    memset(contacts->inverted, 0, columns * sizeof(bool));
    FilStatus status = FIL_OK;
    double* next = contacts->numbers + work;
    int* unknown = contacts->unknowns;
    for (int k = 0; k < set->count && status == FIL_OK; k++) {
        bool bears = false;
        FilGradientContact* out = &contacts->items[contacts->count];
        out->unknown = unknown;
        status = take_one(gradient, &problem, k, next, &bears);
        if (bears) {
            contacts->count++;
            next += NUMBERS * (size_t)out->size;
            unknown += out->size;
        }
    }
    return status;
}
