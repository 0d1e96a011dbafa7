/* Contacts in the derivative of a step under SAP. With u = F (V_1 - V_0) the velocity of side 1 against side 0 at the contact's point x, in its frame
 * F, m(v) = J' gamma,  gamma = law(u(v), phi, w, u_n(v0)), and the start's place moves x, F, phi, the parts, and the compliance w = mean over rows r
 * of J_r D^-1 J_r', D the diagonal blocks of the tangents. All that is made of numbers f . u(z), z fixed: J' gamma of gamma . u(e_k), w of e_r .
 * u(D^-1 J_r'). By the motion of the sides, x by dx and F by the turn theta, d(f . u) = theta . (g x (V_1 - V_0)) + dx . (g x (W_1 - W_0)) + g .
 * (dV_1 - dV_0),  g = F' f. */
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "body/derivative.h"
#include "collision/contact_variation.h"
#include "contact/sap.h"
#include "contact/sap_derivative.h"
#include "contact/sap_system.h"
#include "linalg/buffer.h"
#include "linalg/dense.h"
#include "world/gradient.h"

/* One side, its motion about the contact's point by its unknowns. */
typedef struct Side {
    const FilBody* body;
    int index, size;             /* of its collider, of unknowns */
    double* twist;               /* 6 rows: velocity at the point, spin */
    double velocity[3], spin[3]; /* of what has no unknowns */
} Side;

typedef struct Maker {
    const FilContact* contact;
    Side sides[2];
    int size; /* unknowns of both */
    FilContactVariation variation;
} Maker;

void fil_gradient_contacts_free(FilGradientContacts* contacts)
{
    fil_free(contacts->items);
    fil_free(contacts->numbers);
    fil_free(contacts->columns);
    fil_free(contacts->schur);
    fil_free(contacts->work);
    fil_free(contacts->pivots);
}

/* ---- making ---- */

static FilStatus take_side(const FilGradient* gradient, const FilContact* contact, int s, double* twist, Side* side)
{
    FilWorld* world = gradient->world;
    const FilState* start = &world->system.next;
    const FilWorldCollider* c = &world->collision.colliders[contact->collider[s]];
    const FilBody* body = &world->system.bodies[c->body];
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS];
    *side = (Side){.body = body, .index = c->index, .size = c->collider.movable && body->moves ? body->v_count : 0, .twist = twist};
    if (side->size > 0 && body->ops->derivative->sweep == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' touches something, and gradients of a body of kind %s in contact are not known yet",
                              body->name, body->ops->kind);
    }
    memset(twist, 0, 6 * sizeof(double) * (size_t)side->size);
    for (int turn = 0; turn < 2; turn++) {
        double* bias = turn == 0 ? side->velocity : side->spin;
        const double* q = start->q + body->q;
        const int count = turn == 0 ? body->ops->point_jacobian(body->impl, c->index, contact->part[s], contact->point, q, blocks, jacobian, bias)
                                    : body->ops->turn_jacobian(body->impl, c->index, contact->part[s], q, blocks, jacobian, bias);
        for (int b = 0; b < count && side->size > 0; b++) {
            for (int k = 0; k < 12; k++) {
                twist[(3 * turn + k / 4) * side->size + 4 * blocks[b] + k % 4] = jacobian[12 * b + k];
            }
        }
    }
    return FIL_OK;
}

static FilStatus take_shapes(const FilGradient* gradient, Maker* maker)
{
    FilWorld* world = gradient->world;
    const FilContact* contact = maker->contact;
    const FilState* start = &world->system.next;
    const FilWorldCollider* colliders = world->collision.colliders;
    FilShape shapes[2];
    FilPose poses[2];
    const char* why = contact->area > 0.0 ? "touch by pressure, of which gradients are not known yet" : NULL;
    for (int s = 0; s < 2 && why == NULL; s++) {
        const FilWorldCollider* c = &colliders[contact->collider[s]];
        const FilBody* body = &world->system.bodies[c->body];
        why = c->sheet >= 0 ? "touch by a mesh, of which gradients are not known yet" : NULL;
        body->ops->part(body->impl, c->index, contact->part[s], start->q + body->q, start->h + body->h, &shapes[s], &poses[s]);
    }
    why = why == NULL
              ? fil_contact_vary(contact, shapes, poses, (const bool[2]){maker->sides[0].size > 0, maker->sides[1].size > 0}, &maker->variation)
              : why;
    return why == NULL ? FIL_OK
                       : fil_world_fail(world, FIL_BAD_INPUT, "'%s' and '%s' %s", colliders[contact->collider[0]].name,
                                        colliders[contact->collider[1]].name, why);
}

/* Velocity and spin of a side that moves with z; `whole`: with what moves it from outside. */
static void move_side(const Side* side, const double* z, bool whole, double* velocity, double* spin)
{
    for (int k = 0; k < 3; k++) {
        velocity[k] = whole ? side->velocity[k] : 0.0;
        spin[k] = whole ? side->spin[k] : 0.0;
        for (int i = 0; i < side->size; i++) {
            velocity[k] += side->twist[k * side->size + i] * z[i];
            spin[k] += side->twist[(3 + k) * side->size + i] * z[i];
        }
    }
}

/* place += share * the derivative of f . u(z) by the place of both sides. */
static void vary_velocity(const Maker* maker, double share, const double* f, const double* z, bool whole, double* place)
{
    double g[3], apart[3] = {0.0}, weight[7] = {0.0}, velocity[3], spin[3], turn[3];
    fil_m3_apply_transposed(g, maker->contact->frame, f);
    fil_v3_scale(g, share, g);
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        const Side* side = &maker->sides[s];
        const double sign = s == 1 ? 1.0 : -1.0;
        double force[3];
        move_side(side, z + at, whole, velocity, spin);
        fil_v3_axpy(apart, sign, velocity);
        fil_v3_cross(turn, g, spin);
        fil_v3_axpy(weight, sign, turn);
        fil_v3_scale(force, sign, g);
        if (side->size > 0) {
            side->body->ops->derivative->sweep(side->body->impl, side->index, maker->contact->point, force, z + at, place + at);
        }
    }
    fil_v3_cross(weight + 3, g, apart);
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        const Side* side = &maker->sides[s];
        for (int k = 0; k < 6 && side->size > 0; k++) {
            double sum = 0.0;
            for (int i = 0; i < 6; i++) {
                sum += maker->variation.map[i][6 * s + k] * weight[i];
            }
            for (int i = 0; i < side->size; i++) {
                place[at + i] += sum * side->twist[k * side->size + i];
            }
        }
    }
}

/* place = the derivative of the distance. */
static void vary_distance(const Maker* maker, double* place)
{
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        const Side* side = &maker->sides[s];
        for (int i = 0; i < side->size; i++) {
            place[at + i] = 0.0;
            for (int k = 0; k < 6; k++) {
                place[at + i] += maker->variation.map[6][6 * s + k] * side->twist[k * side->size + i];
            }
        }
    }
}

/* z <- D^-1 z of three z at once, m numbers each, on the diagonal blocks of the tangents, as the solver's estimate of w has them. */
static bool scale_by_blocks(const FilSolver* solver, const FilSapProblem* problem, const Maker* maker, double* z)
{
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        const Side* side = &maker->sides[s];
        const int b = (int)(side->body - solver->system->bodies);
        for (int k = 0; k < side->size / 4; k++) {
            double w[16];
            const double* block = fil_sap_diagonal_block(problem, solver->contact.offset[b] + k);
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

/* place = the derivative of w. `z` is scratch. */
static bool vary_compliance(const FilSolver* solver, const FilSapProblem* problem, const Maker* maker, const double* jacobian, double* z,
                            double* place)
{
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
    for (int r = 0; r < 3 && rows > 0; r++, z += maker->size) {
        double unit[3] = {0.0};
        unit[r] = 1.0;
        vary_velocity(maker, 2.0 / rows, unit, z, false, place);
        for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
            const Side* side = &maker->sides[s];
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

/* Whether an unknown moves neither side. */
static bool idle(const Maker* maker, int i)
{
    const Side* side = &maker->sides[i < maker->sides[0].size ? 0 : 1];
    const int own = i < maker->sides[0].size ? i : i - maker->sides[0].size;
    bool moves = false;
    for (int k = 0; k < 6; k++) {
        moves |= side->twist[k * side->size + own] != 0.0;
    }
    return !moves;
}

/* J' gamma by the place, row by row of the unknowns: its own change, and what changes gamma. */
static bool make_rows(const FilGradient* gradient, const FilSapProblem* problem, const Maker* maker, const FilSapSlopes* slopes, double* work,
                      FilGradientContact* out)
{
    const FilWorld* world = gradient->world;
    const int m = maker->size;
    double *v = work, *v0 = work + m, *change = work + 2 * m, *row = work + 5 * m, *scratch = work + 6 * m;
    static const double normal[3] = {0.0, 0.0, 1.0};
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        for (int k = 0; k < maker->sides[s].size; k++) {
            v[at + k] = gradient->v[maker->sides[s].body->v + k];
            v0[at + k] = world->system.next.v[maker->sides[s].body->v + k];
        }
    }
    // gamma by the place
    memset(change, 0, 3 * sizeof(double) * (size_t)m);
    for (int r = 0; r < 3; r++) {
        vary_velocity(maker, -1.0, slopes->hessian + 3 * r, v, true, change + r * m);
    }
    vary_distance(maker, row);
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < m; i++) {
            change[r * m + i] += slopes->by_distance[r] * row[i];
        }
    }
    if (!vary_compliance(&world->solver, problem, maker, out->jacobian, scratch, row)) {
        return false;
    }
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < m; i++) {
            change[r * m + i] += slopes->by_compliance[r] * row[i];
        }
    }
    memset(row, 0, sizeof(double) * (size_t)m);
    if (slopes->by_velocity[2] != 0.0) {
        vary_velocity(maker, 1.0, normal, v0, true, row);
    }
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < m; i++) {
            change[r * m + i] += slopes->by_velocity[r] * row[i];
        }
    }
    memset(out->by_place, 0, sizeof(double) * (size_t)m * (size_t)m);
    for (int i = 0; i < m; i++) {
        double* to = out->by_place + (size_t)i * (size_t)m;
        if (idle(maker, i)) {
            continue;
        }
        memset(scratch, 0, sizeof(double) * (size_t)m);
        scratch[i] = 1.0;
        vary_velocity(maker, 1.0, slopes->impulse, scratch, false, to);
        for (int r = 0; r < 3; r++) {
            for (int j = 0; j < m; j++) {
                to[j] += out->jacobian[r * m + i] * change[r * m + j];
            }
        }
    }
    return true;
}

/* J = F (twist_1 - twist_0), and u(v). */
static void make_jacobian(const FilGradient* gradient, const Maker* maker, double* jacobian, double* u)
{
    double apart[3];
    fil_v3_sub(apart, maker->sides[1].velocity, maker->sides[0].velocity);
    fil_m3_apply(u, maker->contact->frame, apart);
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        const Side* side = &maker->sides[s];
        const double sign = s == 1 ? 1.0 : -1.0;
        for (int r = 0; r < 3; r++) {
            const double* axis = maker->contact->frame + 3 * r;
            for (int i = 0; i < side->size; i++) {
                double sum = 0.0;
                for (int k = 0; k < 3; k++) {
                    sum += axis[k] * side->twist[k * side->size + i];
                }
                jacobian[r * maker->size + at + i] = sign * sum;
                u[r] += sign * sum * gradient->v[side->body->v + i];
            }
        }
    }
}

/* Unknowns of both sides of a contact. */
static int size_of(const FilWorld* world, const FilContact* contact)
{
    int size = 0;
    for (int s = 0; s < 2; s++) {
        const FilWorldCollider* c = &world->collision.colliders[contact->collider[s]];
        size += c->collider.movable && world->system.bodies[c->body].moves ? world->system.bodies[c->body].v_count : 0;
    }
    return size;
}

static FilStatus take_one(FilGradient* gradient, const FilSapProblem* problem, int k, double* numbers, double* work, bool* bears)
{
    FilWorld* world = gradient->world;
    const FilSapSettings* settings = &world->solver.settings.model.sap;
    const FilSapScales scales = {world->def.dt, fil_sap_options_default().rigidity, settings->stick, settings->slip_velocity};
    Maker maker = {.contact = &world->collision.set.contacts[k]};
    maker.size = size_of(world, maker.contact);
    const size_t m = (size_t)maker.size;
    FilGradientContact* out = &gradient->contacts.items[gradient->contacts.count];
    FilStatus status = FIL_OK;
    for (int s = 0, at = 0; s < 2 && status == FIL_OK; at += maker.sides[s++].size) {
        status = take_side(gradient, maker.contact, s, work + 6 * (size_t)at, &maker.sides[s]);
        out->body[s] = (int)(maker.sides[s].body - world->system.bodies);
        out->first[s] = maker.sides[s].body->v;
        out->size[s] = maker.sides[s].size;
    }
    double u[3], compliance;
    FilSapSlopes slopes;
    out->jacobian = numbers;
    out->by_place = numbers + 3 * m;
    if (status != FIL_OK) {
        return status;
    }
    make_jacobian(gradient, &maker, out->jacobian, u);
    bool good = fil_sap_compliance_of(problem, &problem->constraints[k], &compliance);
    if (good) {
        fil_sap_contact_slopes(&problem->constraints[k], compliance, &scales, u, &slopes);
    }
    *bears = good && slopes.impulse[2] > 0.0;
    if (*bears) {
        memcpy(out->hessian, slopes.hessian, sizeof out->hessian);
        fil_v3_copy(out->by_velocity, slopes.by_velocity);
        status = take_shapes(gradient, &maker);
        good = status == FIL_OK && make_rows(gradient, problem, &maker, &slopes, work + 6 * m, out);
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
    size_t numbers = 0, most = 0;
    for (int k = 0; k < set->count; k++) {
        const size_t m = (size_t)size_of(world, &set->contacts[k]);
        numbers += m * (m + 3);
        most = m > most ? m : most;
    }
    // twists of both sides (6), velocities (2), gamma's changes (3), a row, and four of scratch
    const size_t work = 16 * most + 1;
    if (!fil_buffer_reserve((void**)&contacts->items, &contacts->capacity, (size_t)set->count, sizeof *contacts->items) ||
        !fil_buffer_reserve((void**)&contacts->numbers, &contacts->number_capacity, numbers + work, sizeof(double))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    FilStatus status = FIL_OK;
    double* next = contacts->numbers + work;
    for (int k = 0; k < set->count && status == FIL_OK; k++) {
        bool bears = false;
        status = take_one(gradient, &problem, k, next, contacts->numbers, &bears);
        if (bears) {
            const size_t m = (size_t)(contacts->items[contacts->count].size[0] + contacts->items[contacts->count].size[1]);
            contacts->count++;
            next += m * (m + 3);
        }
    }
    return status;
}

/* ---- products ---- */

/* Unknown i of a contact, of the world's. */
static int unknown(const FilGradientContact* contact, int i)
{
    return i < contact->size[0] ? contact->first[0] + i : contact->first[1] + i - contact->size[0];
}

static int unknowns(const FilGradientContact* contact)
{
    return contact->size[0] + contact->size[1];
}

/* u = J x, and out += J' f. */
static void multiply(const FilGradientContact* contact, const double* x, double* u)
{
    const int m = unknowns(contact);
    for (int r = 0; r < 3; r++) {
        u[r] = 0.0;
        for (int i = 0; i < m; i++) {
            u[r] += contact->jacobian[r * m + i] * x[unknown(contact, i)];
        }
    }
}

static void add_transposed(const FilGradientContact* contact, const double* f, double* out)
{
    const int m = unknowns(contact);
    for (int i = 0; i < m; i++) {
        out[unknown(contact, i)] += contact->jacobian[i] * f[0] + contact->jacobian[m + i] * f[1] + contact->jacobian[2 * m + i] * f[2];
    }
}

void fil_gradient_contacts_apply(const FilGradient* gradient, const double* x, double* out)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        double u[3], f[3];
        multiply(contact, x, u);
        fil_m3_apply(f, contact->hessian, u);
        add_transposed(contact, f, out);
    }
}

void fil_gradient_contacts_vary(const FilGradient* gradient, const double* place, const double* rate, double* out)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        const int m = unknowns(contact);
        double u[3], f[3];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                out[unknown(contact, i)] += contact->by_place[i * m + j] * place[unknown(contact, j)];
            }
        }
        multiply(contact, rate, u);
        fil_v3_scale(f, u[2], contact->by_velocity);
        add_transposed(contact, f, out);
    }
}

void fil_gradient_contacts_vary_back(const FilGradient* gradient, const double* weight, double* place, double* rate)
{
    for (int c = 0; c < gradient->contacts.count; c++) {
        const FilGradientContact* contact = &gradient->contacts.items[c];
        const int m = unknowns(contact);
        double u[3];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < m; j++) {
                place[unknown(contact, j)] += contact->by_place[i * m + j] * weight[unknown(contact, i)];
            }
        }
        multiply(contact, weight, u);
        const double f[3] = {0.0, 0.0, fil_v3_dot(u, contact->by_velocity)};
        add_transposed(contact, f, rate);
    }
}

/* ---- solutions ---- */

static bool share_body(const FilGradientContact* a, const FilGradientContact* b)
{
    bool shared = false;
    for (int k = 0; k < 4; k++) {
        shared |= a->size[k / 2] > 0 && b->size[k % 2] > 0 && a->first[k / 2] == b->first[k % 2];
    }
    return shared;
}

FilStatus fil_gradient_contacts_factor(FilGradient* gradient, void (*solve)(const FilGradient* gradient, const FilBody* body, double* x))
{
    FilGradientContacts* contacts = &gradient->contacts;
    const size_t n = (size_t)gradient->n, rows = 3 * (size_t)contacts->count;
    if (rows == 0) {
        return FIL_OK;
    }
    if (contacts->column_capacity < rows) {
        fil_free(contacts->columns), fil_free(contacts->schur), fil_free(contacts->work), fil_free(contacts->pivots);
        contacts->columns = fil_alloc(rows * n, sizeof(double));
        contacts->schur = fil_alloc(rows * rows, sizeof(double));
        contacts->work = fil_alloc(rows, sizeof(double));
        contacts->pivots = fil_alloc(rows, sizeof(int));
        contacts->column_capacity = rows;
        if (contacts->columns == NULL || contacts->schur == NULL || contacts->work == NULL || contacts->pivots == NULL) {
            contacts->column_capacity = 0;
            return fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
        }
    }
    for (size_t k = 0; k < rows; k++) {
        double unit[3] = {0.0}, *column = contacts->columns + k * n;
        unit[k % 3] = 1.0;
        memset(column, 0, n * sizeof(double));
        const FilGradientContact* own = &contacts->items[k / 3];
        add_transposed(own, unit, column);
        for (int s = 0; s < 2; s++) {
            if (own->size[s] > 0 && (s == 0 || own->size[0] == 0 || own->first[0] != own->first[1])) {
                solve(gradient, &gradient->world->system.bodies[own->body[s]], column + own->first[s]);
            }
        }
        for (int c = 0; c < contacts->count; c++) {
            double u[3] = {0.0}, *to = contacts->schur + k * rows + 3 * (size_t)c;
            if (share_body(own, &contacts->items[c])) {
                multiply(&contacts->items[c], column, u);
            }
            fil_m3_apply(to, contacts->items[c].hessian, u);
        }
        contacts->schur[k * rows + k] += 1.0;
    }
    return fil_dense_lu((int)rows, contacts->schur, contacts->pivots)
               ? FIL_OK
               : fil_world_fail(gradient->world, FIL_BAD_INPUT, "the contacts of this step have no derivative");
}

void fil_gradient_contacts_correct(const FilGradient* gradient, double* x)
{
    const FilGradientContacts* contacts = &gradient->contacts;
    const int rows = 3 * contacts->count;
    for (int c = 0; c < contacts->count; c++) {
        double u[3];
        multiply(&contacts->items[c], x, u);
        fil_m3_apply(contacts->work + 3 * c, contacts->items[c].hessian, u);
    }
    if (rows > 0) {
        fil_dense_lu_solve(rows, contacts->schur, contacts->pivots, 1, contacts->work);
        fil_dense_apply(gradient->n, rows, -1.0, contacts->columns, gradient->n, contacts->work, x);
    }
}
