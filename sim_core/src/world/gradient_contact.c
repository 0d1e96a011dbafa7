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

enum { MOTION = FIL_PART_MOTION };

/* One side, its motion about the contact's point by its unknowns: all of its body, or, of one that deforms, those that move the part. */
typedef struct Side {
    const FilBody* body;
    int index, size;                /* of its collider, of unknowns */
    int block[FIL_JACOBIAN_BLOCKS]; /* of a body that deforms: its blocks, in the order of the unknowns */
    double axis[3];                 /* what the part stretches along */
    double* twist;                  /* rows: velocity at the point (3), spin (3), stretch */
    double velocity[3], spin[3];    /* of what has no unknowns */
} Side;

typedef struct Maker {
    const FilContact* contact;
    Side sides[2];
    int size; /* unknowns of both */
    FilContactVariation variation;
    double* moves; /* 7 rows: the contact's point, turn and distance by the unknowns */
} Maker;

/* ---- making ---- */

/* Blocks of unknowns of one side of a contact, and of a body that deforms, which they are. */
static int side_blocks(const FilWorld* world, const FilContact* contact, int s, int* blocks)
{
    const FilWorldCollider* c = &world->collision.colliders[contact->collider[s]];
    const FilBody* body = &world->system.bodies[c->body];
    if (!c->collider.movable || !body->moves) {
        return 0;
    }
    if (body->ops->deforms) {
        double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
        return body->ops->point_jacobian(body->impl, c->index, contact->part[s], contact->point, world->system.next.q + body->q, blocks, jacobian,
                                         bias);
    }
    return body->v_count / 4;
}

/* The block of the body that block k of a side is, and the other way round. */
static int block_of(const Side* side, int k)
{
    return side->body->ops->deforms ? side->block[k] : k;
}

static int place_of(const Side* side, int block)
{
    int k = side->body->ops->deforms ? 0 : block;
    while (block_of(side, k) != block) {
        k++;
    }
    return k;
}

/* How a part stretches along its axis: by how much faster what is a metre further along it moves that way. */
static void take_stretch(const FilState* start, const FilContact* contact, int s, Side* side)
{
    const FilBody* body = side->body;
    FilShape shape;
    FilPose pose;
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3], further[3];
    body->ops->part(body->impl, side->index, contact->part[s], start->q + body->q, start->h + body->h, &shape, &pose);
    fil_pose_axis(side->axis, &pose, 2);
    fil_v3_add(further, contact->point, side->axis);
    const int count = body->ops->point_jacobian(body->impl, side->index, contact->part[s], further, start->q + body->q, blocks, jacobian, bias);
    for (int b = 0; b < count; b++) {
        for (int k = 0; k < 12; k++) {
            const int at = 4 * place_of(side, blocks[b]) + k % 4;
            const double here = side->twist[k / 4 * side->size + at];
            side->twist[6 * side->size + at] += side->axis[k / 4] * (jacobian[12 * b + k] - here);
        }
    }
}

static FilStatus take_side(const FilGradient* gradient, const FilContact* contact, int s, double* twist, Side* side)
{
    FilWorld* world = gradient->world;
    const FilState* start = &world->system.next;
    const FilWorldCollider* c = &world->collision.colliders[contact->collider[s]];
    const FilBody* body = &world->system.bodies[c->body];
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS];
    *side = (Side){.body = body, .index = c->index, .twist = twist};
    side->size = 4 * side_blocks(world, contact, s, side->block);
    if (side->size > 0 && body->ops->derivative->sweep == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' touches something, and gradients of a body of kind %s in contact are not known yet",
                              body->name, body->ops->kind);
    }
    memset(twist, 0, MOTION * sizeof(double) * (size_t)side->size);
    for (int turn = 0; turn < 2; turn++) {
        double* bias = turn == 0 ? side->velocity : side->spin;
        const double* q = start->q + body->q;
        const int count = turn == 0 ? body->ops->point_jacobian(body->impl, c->index, contact->part[s], contact->point, q, blocks, jacobian, bias)
                                    : body->ops->turn_jacobian(body->impl, c->index, contact->part[s], q, blocks, jacobian, bias);
        for (int b = 0; b < count && side->size > 0; b++) {
            const int at = 4 * place_of(side, blocks[b]);
            for (int k = 0; k < 12; k++) {
                twist[(3 * turn + k / 4) * side->size + at + k % 4] = jacobian[12 * b + k];
            }
        }
    }
    if (side->size > 0 && body->ops->deforms) {
        take_stretch(start, contact, s, side);
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
        const FilCollider* other = &colliders[contact->collider[1 - s]].collider;
        why = c->sheet >= 0 ? "touch by a mesh, of which gradients are not known yet" : NULL;
        if (why == NULL && c->collider.kind == FIL_COLLIDER_ROW && !c->collider.twists && other->movable) {
            why = "touch, a cord and something that moves, of which gradients are not known yet";
        }
        body->ops->part(body->impl, c->index, contact->part[s], start->q + body->q, start->h + body->h, &shapes[s], &poses[s]);
    }
    why = why == NULL
              ? fil_contact_vary(contact, shapes, poses, (const bool[2]){maker->sides[0].size > 0, maker->sides[1].size > 0}, &maker->variation)
              : why;
    return why == NULL ? FIL_OK
                       : fil_world_fail(world, FIL_BAD_INPUT, "'%s' and '%s' %s", colliders[contact->collider[0]].name,
                                        colliders[contact->collider[1]].name, why);
}

/* Velocity, spin and stretch of a side that moves with z; `whole`: with what moves it from outside. False if z is zero. */
static bool move_side(const Side* side, const double* z, bool whole, double* motion)
{
    bool moves = false;
    for (int k = 0; k < MOTION; k++) {
        motion[k] = !whole || k == 6 ? 0.0 : k < 3 ? side->velocity[k] : side->spin[k - 3];
    }
    for (int i = 0; i < side->size; i++) {
        moves |= z[i] != 0.0;
        for (int k = 0; k < MOTION && z[i] != 0.0; k++) {
            motion[k] += side->twist[k * side->size + i] * z[i];
        }
    }
    return moves;
}

/* place += share * the derivative of f . u(z) by the place of both sides. */
static void vary_velocity(const Maker* maker, double share, const double* f, const double* z, bool whole, double* place)
{
    double g[3], apart[3] = {0.0}, weight[7] = {0.0}, motion[MOTION], turn[3];
    fil_m3_apply_transposed(g, maker->contact->frame, f);
    fil_v3_scale(g, share, g);
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        const Side* side = &maker->sides[s];
        const double sign = s == 1 ? 1.0 : -1.0;
        double force[3];
        const bool moves = move_side(side, z + at, whole, motion);
        fil_v3_axpy(apart, sign, motion);
        fil_v3_cross(turn, g, motion + 3);
        fil_v3_axpy(weight, sign, turn);
        fil_v3_axpy(weight, sign * motion[6] * fil_v3_dot(g, side->axis), side->axis);
        fil_v3_scale(force, sign, g);
        if (moves) {
            side->body->ops->derivative->sweep(side->body->impl, side->index, maker->contact->part[s], maker->contact->point, force, z + at,
                                               place + at);
        }
    }
    fil_v3_cross(weight + 3, g, apart);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < maker->size; k++) {
            place[k] += weight[i] * maker->moves[i * maker->size + k];
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
            const double* block = fil_sap_diagonal_block(problem, solver->contact.offset[b] + block_of(side, k));
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
static bool take_slopes(const Maker* maker, int s, int at, double share, const double* z, FilGradientContact* out)
{
    const Side* side = &maker->sides[s];
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
static bool vary_compliance(const FilSolver* solver, const FilSapProblem* problem, const Maker* maker, FilGradientContact* out, double* z,
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
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        if (maker->sides[s].size > 0 && maker->sides[s].body->ops->deforms && !take_slopes(maker, s, at, -1.0 / rows, z, out)) {
            return false;
        }
    }
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
    for (int k = 0; k < MOTION; k++) {
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
            v[at + k] = gradient->v[out->unknown[at + k]];
            v0[at + k] = world->system.next.v[out->unknown[at + k]];
        }
    }
    // gamma by the place
    memset(change, 0, 3 * sizeof(double) * (size_t)m);
    for (int r = 0; r < 3; r++) {
        vary_velocity(maker, -1.0, slopes->hessian + 3 * r, v, true, change + r * m);
    }
    for (int r = 0; r < 3; r++) {
        for (int i = 0; i < m; i++) {
            change[r * m + i] += slopes->by_distance[r] * maker->moves[6 * m + i];
        }
    }
    if (!vary_compliance(&world->solver, problem, maker, out, scratch, row)) {
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
static void make_jacobian(const FilGradient* gradient, const Maker* maker, const int* unknown, double* jacobian, double* u)
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
                u[r] += sign * sum * gradient->v[unknown[at + i]];
            }
        }
    }
}

/* Unknowns of both sides of a contact. */
static int size_of(const FilWorld* world, const FilContact* contact)
{
    int blocks[FIL_JACOBIAN_BLOCKS];
    return 4 * (side_blocks(world, contact, 0, blocks) + side_blocks(world, contact, 1, blocks));
}

/* The contact's variation by the unknowns of both sides. */
static void make_moves(Maker* maker)
{
    memset(maker->moves, 0, 7 * sizeof(double) * (size_t)maker->size);
    for (int s = 0, at = 0; s < 2; at += maker->sides[s++].size) {
        const Side* side = &maker->sides[s];
        for (int r = 0; r < 7 && side->size > 0; r++) {
            double* row = maker->moves + r * maker->size + at;
            for (int k = 0; k < MOTION; k++) {
                const double share = maker->variation.map[r][MOTION * s + k];
                for (int i = 0; i < side->size; i++) {
                    row[i] += share * side->twist[k * side->size + i];
                }
            }
        }
    }
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
        Side* side = &maker.sides[s];
        status = take_side(gradient, maker.contact, s, work + MOTION * (size_t)at, side);
        out->body[s] = side->size > 0 ? (int)(side->body - world->system.bodies) : -1;
        out->slope_count[s] = 0;
        for (int i = 0; i < side->size; i++) {
            out->unknown[at + i] = side->body->v + 4 * block_of(side, i / 4) + i % 4;
        }
    }
    out->size = maker.size;
    out->constraint = k;
    double u[3], compliance;
    FilSapSlopes slopes;
    out->jacobian = numbers;
    out->by_place = numbers + 3 * m;
    if (status != FIL_OK) {
        return status;
    }
    make_jacobian(gradient, &maker, out->unknown, out->jacobian, u);
    bool good = fil_sap_compliance_of(problem, &problem->constraints[k], &compliance);
    if (good) {
        fil_sap_contact_slopes(&problem->constraints[k], compliance, &scales, u, &slopes);
    }
    *bears = good && slopes.impulse[2] > 0.0;
    if (*bears) {
        memcpy(out->hessian, slopes.hessian, sizeof out->hessian);
        fil_v3_copy(out->by_velocity, slopes.by_velocity);
        fil_v3_copy(out->by_compliance, slopes.by_compliance);
        status = take_shapes(gradient, &maker);
        maker.moves = work + MOTION * m;
        if (status == FIL_OK) {
            make_moves(&maker);
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
        const size_t m = (size_t)size_of(world, &set->contacts[k]);
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
