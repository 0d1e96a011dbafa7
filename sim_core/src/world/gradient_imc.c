/* Contacts in the derivative of a step under IMC: m(v) + dt dE/dx(x1) + dt J' f(J v) = 0. Two rods have an energy E of the distance of their edges at
 * the step's end, a function of four nodes; a rod and a shape one of a distance that is linear over the step, a law of J v. Friction is static, at
 * the contact's point of the start, bounded by the normal force there or at an earlier solution. What E holds fixed, and that bound, are numbers with
 * slopes: gradient_imc_lag.c. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/imc.h"
#include "linalg/buffer.h"
#include "world/gradient_imc.h"

enum { MOTION = FIL_PART_MOTION, ENDS = FIL_IMC_ENDS };

/* For each unknown of a contact: its column of both sides' twists, and of J. */
enum { NUMBERS = MOTION + 3 };

bool fil_gradient_pairs_adapt(const FilWorld* world)
{
    const FilImcSettings* s = &world->solver.settings.model.imc;
    return world->solver.model->pair != NULL && (!(s->stiffness > 0.0) || s->rate > 0.0 || s->dissipation > 0.0);
}

FilStatus fil_gradient_pairs_check(FilWorld* world)
{
    const FilImcSettings* s = &world->solver.settings.model.imc;
    if (s->local_stiffness) {
        return fil_world_fail(world, FIL_BAD_INPUT, "gradients under imc are known with one stiffness only: set no local_stiffness in world.imc");
    }
    if (!s->contact_points && fil_gradient_pairs_adapt(world)) {
        return fil_world_fail(
            world, FIL_BAD_INPUT,
            "gradients under imc are known without contact_points only where its stiffness stays: set contact_points, or stiffness, "
            "rate: 0 and dissipation: 0 in world.imc");
    }
    return FIL_OK;
}

/* ---- edges ---- */

/* The energy's Hessian over the four nodes. */
static void take_energy(const FilGradient* gradient, const FilPotentialContact* c, FilGradientBarrier* out)
{
    const FilImcSettings* s = &gradient->world->solver.settings.model.imc;
    const double dt = gradient->world->def.dt;
    FilSmoothDistance d;
    double x[ENDS], slope[ENDS], first, second;
    out->size = ENDS;
    for (int i = 0; i < ENDS; i++) {
        out->unknown[i] = fil_imc_end_unknown(c, i);
        x[i] = c->x[i] + dt * gradient->v[out->unknown[i]];
    }
    fil_smooth_distance_second(x, s->smoothing, &d);
    fil_smooth_distance_gradient(&d, slope);
    const double over = d.distance - c->thickness;
    (void)fil_imc_energy(s, c->stiffness, c->radius, over + c->ahead * (over - c->start), &first, &second);
    fil_smooth_distance_hessian(&d, slope, (1.0 + c->ahead) * second, first, out->by_end);
    for (int k = 0; k < ENDS * ENDS; k++) {
        out->by_end[k] *= dt;
    }
}

/* ---- laws of the velocity at the contact's point ---- */

/* Bounds of friction are numbers that are held fixed; the distance of a shape is not. */
static void find_law(const FilGradient* gradient, const FilPotentialContact* c, const double* u, FilGradientLaw* law)
{
    const FilImcSettings* s = &gradient->world->solver.settings.model.imc;
    const double dt = gradient->world->def.dt, mu = c->contact->mu;
    *law = (FilGradientLaw){.impulse = {0.0}};
    if (!c->nodes) {
        double first, second;
        (void)fil_imc_energy(s, c->stiffness, c->radius, c->contact->distance + (1.0 + c->ahead) * dt * u[2], &first, &second);
        law->impulse[2] = -dt * first;
        law->hessian[8] = (1.0 + c->ahead) * dt * dt * second;
        law->by_distance[2] = -dt * second;
    }
    if (!(mu > 0.0)) {
        return;
    }
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1] + s->static_speed * s->static_speed), max = dt * mu * c->normal_force;
    for (int i = 0; i < 2; i++) {
        law->impulse[i] = -max * u[i] / speed;
        for (int j = 0; j < 2; j++) {
            law->hessian[3 * i + j] = max / speed * ((i == j ? 1.0 : 0.0) - u[i] * u[j] / (speed * speed));
        }
    }
}

/* The contact of a pair as collision found it, and of what it has rows the law. */
static FilStatus take_rows(FilGradient* gradient, FilGradientPair* pair, double* numbers, double* work)
{
    const FilPotentialContact* c = pair->contact;
    FilGradientContact* out = &gradient->contacts.items[gradient->contacts.count];
    FilGradientTouch* touch = &gradient->contacts.touches[gradient->contacts.count];
    FilGradientMaker* maker = &touch->maker;
    FilStatus status = fil_gradient_contact_sides(gradient, c->contact, false, numbers, maker, out);
    status = status == FIL_OK ? fil_gradient_contact_touching(gradient, c->contact, maker, &touch->touching) : status;
    if (status != FIL_OK) {
        return status;
    }
    const size_t m = (size_t)maker->size;
    *out = (FilGradientContact){.constraint = -1, .body = {-1, -1}, .size = maker->size, .unknown = out->unknown, .touch = touch};
    out->jacobian = touch->z = numbers + MOTION * m;  // no compliance: z has no rows
    touch->rows = 0;
    fil_v3_set(touch->by_compliance, 0.0, 0.0, 0.0);
    touch->law = (FilGradientLaw){.impulse = {0.0}};
    maker->moves = work;
    fil_gradient_maker_jacobian(maker, gradient->v, out->unknown, out->jacobian, pair->u);
    pair->touch = touch;
    pair->work = work + FIL_CONTACT_MOTION * m;
    pair->unknown = out->unknown;
    pair->jacobian = out->jacobian;
    if (c->rows) {
        find_law(gradient, c, pair->u, &touch->law);
        memcpy(out->hessian, touch->law.hessian, sizeof out->hessian);
    }
    return FIL_OK;
}

/* ---- all of them ---- */

static FilStatus make_room(FilGradient* gradient, size_t* work)
{
    const FilPotentialProblem* p = &gradient->world->solver.potential.problem;
    FilGradientContacts* contacts = &gradient->contacts;
    FilGradientBarriers* barriers = &gradient->barriers;
    FilGradientLags* lags = &gradient->lags;
    size_t numbers = 0, max = 0, all = 0;
    const size_t count = (size_t)p->count;
    for (int k = 0; k < p->count; k++) {
        const size_t m = (size_t)fil_gradient_contact_size(gradient->world, p->contacts[k].contact);
        numbers += NUMBERS * m;
        all += m;
        max = m > max ? m : max;
    }
    *work = (FIL_CONTACT_MOTION + 7) * max + 1;  // as fil_gradient_contacts_rows() needs it
    const bool room = fil_buffer_reserve((void**)&contacts->items, &contacts->capacity, count + 1, sizeof *contacts->items) &&
                      fil_buffer_reserve((void**)&contacts->touches, &contacts->touch_capacity, count + 1, sizeof *contacts->touches) &&
                      fil_buffer_reserve((void**)&contacts->unknowns, &contacts->unknown_capacity, all + 1, sizeof(int)) &&
                      fil_buffer_reserve((void**)&contacts->numbers, &contacts->number_capacity, numbers + *work, sizeof(double)) &&
                      fil_buffer_reserve((void**)&barriers->items, &barriers->capacity, count, sizeof *barriers->items) &&
                      fil_buffer_reserve((void**)&barriers->numbers, &barriers->number_capacity, ENDS * ENDS * count, sizeof(double)) &&
                      fil_buffer_reserve((void**)&barriers->unknowns, &barriers->unknown_capacity, ENDS * count, sizeof(int)) &&
                      fil_buffer_reserve((void**)&lags->items, &lags->capacity, count, sizeof *lags->items) &&
                      fil_buffer_reserve((void**)&lags->numbers, &lags->number_capacity, FIL_PAIR_ROWS * all + 1, sizeof(double)) &&
                      fil_buffer_reserve((void**)&lags->unknowns, &lags->unknown_capacity, all + 1, sizeof(int));
    return room ? FIL_OK : fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
}

/* Why a contact has no gradient, to be read after its sides' names; NULL: it has. */
static const char* refusal(const FilWorld* world, const FilPotentialContact* c)
{
    const FilImcSettings* s = &world->solver.settings.model.imc;
    if (c->contact->mu > 0.0 && (s->friction != FIL_IMC_STATIC || !c->rows)) {
        return "rub at mid-edge, or against the slip of the last step, of which gradients are not known yet: set friction: static and contact_points";
    }
    return NULL;
}

/* Where the next contact's numbers go. */
typedef struct Room {
    double *next, *work, *push;
    int *unknown, *pushed;
} Room;

static FilStatus take_pair(FilGradient* gradient, int k, Room* room)
{
    FilWorld* world = gradient->world;
    FilGradientContacts* contacts = &gradient->contacts;
    FilGradientBarriers* barriers = &gradient->barriers;
    const FilPotentialContact* c = &world->solver.potential.problem.contacts[k];
    const char* why = refusal(world, c);
    if (why != NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "'%s' and '%s' %s", world->collision.colliders[c->contact->collider[0]].name,
                              world->collision.colliders[c->contact->collider[1]].name, why);
    }
    // what a pair leaves to its neighbours along the rods pushes nothing, but may be the closest
    const bool pushes = c->stiffness > 0.0, shared = c->share > 0.0 && c->share < 1.0;
    if (c->nodes && pushes) {
        FilGradientBarrier* out = &barriers->items[barriers->count];
        *out =
            (FilGradientBarrier){.unknown = barriers->unknowns + ENDS * barriers->count, .by_end = barriers->numbers + ENDS * ENDS * barriers->count};
        take_energy(gradient, c, out);
        barriers->count++;
    }
    const bool rows = c->rows && pushes;
    if (!rows && !shared && !fil_gradient_leads(gradient, k) && !(gradient->lags.adapts && pushes)) {
        return FIL_OK;
    }
    FilGradientContact* out = &contacts->items[contacts->count];
    FilGradientPair pair = {.contact = c, .index = k, .out = rows ? out : NULL, .push = room->push, .pushed = room->pushed};
    out->unknown = room->unknown;
    FilStatus status = take_rows(gradient, &pair, room->next, room->work);
    status = status == FIL_OK ? fil_gradient_pair_lag(gradient, &pair) : status;
    if (status == FIL_OK) {
        const size_t m = (size_t)out->size;
        room->push += FIL_PAIR_ROWS * m;
        room->pushed += m;
        contacts->count += rows;
        room->next += rows ? NUMBERS * m : 0;
        room->unknown += rows ? m : 0;
    }
    return status;
}

FilStatus fil_gradient_pairs_take(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    const FilPotentialProblem* p = &world->solver.potential.problem;
    FilGradientContacts* contacts = &gradient->contacts;
    contacts->count = gradient->barriers.count = 0;
    fil_gradient_lags_begin(gradient);
    if (!world->solver.contact.active || world->collision.set.count == 0) {
        return FIL_OK;
    }
    size_t work;
    FilStatus status = make_room(gradient, &work);
    Room room = {contacts->numbers + work, contacts->numbers, gradient->lags.numbers, contacts->unknowns, gradient->lags.unknowns};
    for (int k = 0; k < p->count && status == FIL_OK; k++) {
        status = take_pair(gradient, k, &room);
    }
    return status == FIL_OK && p->count > 0 ? fil_gradient_lags_end(gradient) : status;
}
