/* Contacts in the derivative of a step under IMC: m(v) + dt dE/dx(x1) + dt J' f(J v) = 0. Two rods have an energy E of the distance of their edges at
 * the step's end, a function of four nodes; a rod and a shape one of a distance that is linear over the step, a law of J v. Friction is static, at
 * the contact's point of the start, bounded by the normal force there: F = -E'(d) |dD/dx| of edges, whose derivative needs the Hessian of the
 * distance D. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/imc.h"
#include "linalg/buffer.h"
#include "world/gradient.h"
#include "world/gradient_side.h"

enum { MOTION = FIL_PART_MOTION, ENDS = 12 };

FilStatus fil_gradient_pairs_check(FilWorld* world)
{
    const FilImcSettings* s = &world->solver.settings.model.imc;
    if (!(s->stiffness > 0.0) || s->rate > 0.0 || s->dissipation > 0.0 || s->local_stiffness) {
        return fil_world_fail(
            world, FIL_BAD_INPUT,
            "gradients under imc are known where its stiffness stays: set stiffness, rate: 0 and dissipation: 0 in world.imc, and no "
            "local_stiffness");
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
        out->unknown[i] = 4 * c->variable[i / 3] + i % 3;
        x[i] = c->x[i] + dt * gradient->v[out->unknown[i]];
    }
    fil_smooth_distance_second(x, s->smoothing, &d);
    fil_smooth_distance_gradient(&d, slope);
    (void)fil_imc_energy(s, c->stiffness, c->radius, d.distance - c->thickness, &first, &second);
    fil_smooth_distance_hessian(&d, slope, second, first, out->by_end);
    for (int k = 0; k < ENDS * ENDS; k++) {
        out->by_end[k] *= dt;
    }
}

/* How the bound of friction follows the nodes at the step's start. */
static void vary_bound(const FilImcSettings* s, const FilPotentialContact* c, double* by_ends)
{
    FilSmoothDistance d;
    double slope[ENDS], hessian[ENDS * ENDS], normal[3], first, second;
    fil_smooth_distance_second(c->x, s->smoothing, &d);
    fil_smooth_distance_gradient(&d, slope);
    fil_smooth_distance_hessian(&d, slope, 0.0, 1.0, hessian);
    (void)fil_imc_energy(s, c->stiffness, c->radius, c->start, &first, &second);
    fil_v3_add(normal, slope, slope + 3);
    const double size = fil_v3_normalise(normal);
    for (int j = 0; j < ENDS; j++) {
        double longer = 0.0;
        for (int k = 0; k < 3; k++) {
            longer += normal[k] * (hessian[k * ENDS + j] + hessian[(3 + k) * ENDS + j]);
        }
        by_ends[j] = -second * size * slope[j] - first * longer;
    }
}

/* ---- laws of the velocity at the contact's point ---- */

static void find_law(const FilGradient* gradient, const FilPotentialContact* c, const double* u, FilGradientLaw* law)
{
    const FilImcSettings* s = &gradient->world->solver.settings.model.imc;
    const double dt = gradient->world->def.dt, mu = c->contact->mu;
    double first, second;
    *law = (FilGradientLaw){.impulse = {0.0}};
    if (!c->nodes) {
        (void)fil_imc_energy(s, c->stiffness, c->radius, c->contact->distance + dt * u[2], &first, &second);
        law->impulse[2] = -dt * first;
        law->hessian[8] = dt * dt * second;
        law->by_distance[2] = -dt * second;
    }
    if (!(mu > 0.0)) {
        return;
    }
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1] + s->static_speed * s->static_speed), most = dt * mu * c->normal_force;
    (void)fil_imc_energy(s, c->stiffness, c->radius, c->start, &first, &second);
    for (int i = 0; i < 2; i++) {
        law->impulse[i] = -most * u[i] / speed;
        law->by_distance[i] = c->nodes ? 0.0 : dt * mu * second * u[i] / speed;
        for (int j = 0; j < 2; j++) {
            law->hessian[3 * i + j] = most / speed * ((i == j ? 1.0 : 0.0) - u[i] * u[j] / (speed * speed));
        }
    }
}

/* by_place += what the bound of friction does, of edges. */
static void add_bound(const FilGradient* gradient, const FilPotentialContact* c, const FilGradientLaw* law, FilGradientContact* out)
{
    const int m = out->size;
    double by_ends[ENDS];
    vary_bound(&gradient->world->solver.settings.model.imc, c, by_ends);
    for (int j = 0; j < ENDS; j++) {
        int at = 0;
        while (out->unknown[at] != 4 * c->variable[j / 3] + j % 3) {
            at++;
        }
        for (int i = 0; i < m; i++) {
            const double share = out->jacobian[i] * law->impulse[0] + out->jacobian[m + i] * law->impulse[1];
            out->by_place[i * m + at] += share * by_ends[j] / c->normal_force;
        }
    }
}

static FilStatus take_rows(FilGradient* gradient, const FilPotentialContact* c, double* numbers, double* work)
{
    FilGradientContact* out = &gradient->contacts.items[gradient->contacts.count];
    FilGradientMaker maker;
    FilGradientLaw law;
    FilTouching touching;
    double u[3];
    FilStatus status = fil_gradient_contact_sides(gradient, c->contact, work, &maker, out);
    status = status == FIL_OK ? fil_gradient_contact_touching(gradient, c->contact, &touching) : status;
    if (status != FIL_OK) {
        return status;
    }
    const size_t m = (size_t)maker.size;
    *out = (FilGradientContact){.constraint = -1, .body = {-1, -1}, .size = maker.size, .unknown = out->unknown, .jacobian = numbers};
    out->by_place = numbers + 3 * m;
    maker.moves = work + MOTION * m;
    work += (MOTION + FIL_CONTACT_MOTION) * m;
    fil_gradient_maker_move(&maker, &touching);
    fil_gradient_maker_jacobian(&maker, gradient->v, out->unknown, out->jacobian, u);
    find_law(gradient, c, u, &law);
    memcpy(out->hessian, law.hessian, sizeof law.hessian);
    fil_gradient_maker_law(gradient, &maker, &law, out->unknown, work + 3 * m, work);
    fil_gradient_maker_rows(&maker, law.impulse, work, work + 3 * m, out);
    if (c->nodes && c->normal_force > 0.0) {
        add_bound(gradient, c, &law, out);
    }
    return FIL_OK;
}

/* ---- all of them ---- */

static FilStatus make_room(FilGradient* gradient, size_t* work)
{
    const FilPotentialProblem* p = &gradient->world->solver.potential.problem;
    FilGradientContacts* contacts = &gradient->contacts;
    FilGradientBarriers* barriers = &gradient->barriers;
    size_t numbers = 0, most = 0, all = 0;
    const size_t count = (size_t)p->count;
    for (int k = 0; k < p->count; k++) {
        const size_t m = p->contacts[k].rows ? (size_t)fil_gradient_contact_size(gradient->world, p->contacts[k].contact) : 0;
        numbers += m * (m + 3);
        all += m;
        most = m > most ? m : most;
    }
    *work = (MOTION + FIL_CONTACT_MOTION + 6) * most + 1;
    const bool room = fil_buffer_reserve((void**)&contacts->items, &contacts->capacity, count, sizeof *contacts->items) &&
                      fil_buffer_reserve((void**)&contacts->unknowns, &contacts->unknown_capacity, all + 1, sizeof(int)) &&
                      fil_buffer_reserve((void**)&contacts->numbers, &contacts->number_capacity, numbers + *work, sizeof(double)) &&
                      fil_buffer_reserve((void**)&barriers->items, &barriers->capacity, count, sizeof *barriers->items) &&
                      fil_buffer_reserve((void**)&barriers->numbers, &barriers->number_capacity, ENDS * ENDS * count, sizeof(double)) &&
                      fil_buffer_reserve((void**)&barriers->unknowns, &barriers->unknown_capacity, ENDS * count, sizeof(int));
    return room ? FIL_OK : fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
}

/* Why a contact has no gradient, to be read after its sides' names; NULL: it has. */
static const char* refusal(const FilWorld* world, const FilPotentialContact* c)
{
    const FilImcSettings* s = &world->solver.settings.model.imc;
    if (c->share > 0.0 && c->share < 1.0) {
        return "touch at a node whose edges share the contact, of which gradients are not known yet";
    }
    if (c->contact->mu > 0.0 && (s->friction != FIL_IMC_STATIC || !c->rows)) {
        return "rub at mid-edge, or against the slip of the last step, of which gradients are not known yet: set friction: static and contact_points";
    }
    if (c->contact->mu > 0.0 && world->solver.potential.problem.round > 0) {
        return "rub with the force of a later solution of the step, of which gradients are not known yet: set friction_iterations of world.imc to 1";
    }
    return NULL;
}

FilStatus fil_gradient_pairs_take(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    const FilPotentialProblem* p = &world->solver.potential.problem;
    FilGradientContacts* contacts = &gradient->contacts;
    FilGradientBarriers* barriers = &gradient->barriers;
    contacts->count = barriers->count = 0;
    if (!world->solver.contact.active || world->collision.set.count == 0) {
        return FIL_OK;
    }
    size_t work;
    FilStatus status = make_room(gradient, &work);
    double* next = contacts->numbers + work;
    int* unknown = contacts->unknowns;
    for (int k = 0; k < p->count && status == FIL_OK; k++) {
        const FilPotentialContact* c = &p->contacts[k];
        const char* why = refusal(world, c);
        if (why != NULL) {
            return fil_world_fail(world, FIL_BAD_INPUT, "'%s' and '%s' %s", world->collision.colliders[c->contact->collider[0]].name,
                                  world->collision.colliders[c->contact->collider[1]].name, why);
        }
        if (c->nodes) {
            FilGradientBarrier* out = &barriers->items[barriers->count];
            *out = (FilGradientBarrier){.unknown = barriers->unknowns + ENDS * barriers->count,
                                        .by_end = barriers->numbers + ENDS * ENDS * barriers->count};
            take_energy(gradient, c, out);
            barriers->count++;
        }
        if (c->rows) {
            FilGradientContact* out = &contacts->items[contacts->count];
            out->unknown = unknown;
            status = take_rows(gradient, c, next, contacts->numbers);
            next += (size_t)out->size * ((size_t)out->size + 3);
            unknown += out->size;
            contacts->count++;
        }
    }
    return status;
}
