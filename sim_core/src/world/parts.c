/* Into how long parts a step is divided from its start on: as long as those before have shown to be good. */
#include <math.h>

#include "world/world.h"

static bool by_iterations(const FilWorld* world)
{
    return world->def.adaptive_iterations > 0;
}

static bool by_error(const FilWorld* world)
{
    return world->def.integrator == FIL_SDIRK2 && world->def.accuracy > 0.0;
}

/* As many as there may be: no finer than failing steps may become. */
static double within_limits(const FilWorld* world, double parts)
{
    return fmax(fmin(parts, ldexp(1.0, world->def.max_halvings)), 1.0);
}

static double parts_of(const FilWorld* world)
{
    // a restored state may be that of a world with other limits
    return by_iterations(world) || by_error(world) ? within_limits(world, world->system.state.h[world->solver.memory + FIL_MEMORY_PARTS]) : 1.0;
}

static void keep_parts(FilWorld* world, double parts)
{
    world->system.state.h[world->solver.memory + FIL_MEMORY_PARTS] = within_limits(world, parts);
}

double fil_world_part(const FilWorld* world, double left)
{
    const double parts = ceil(left * parts_of(world));
    return parts > 1.0 ? left / parts : left;
}

/* Errors grow with the cube of the length. */
void fil_world_learn_from_part(FilWorld* world, double length, double error)
{
    /* Of the length that would have met the accuracy so much, as usual, since the next part may be worse (0.73 of the error; parts of equal length
     * for what is left of a step are shorter still); at most so much longer than the last one at once, which may have been an easy one. */
    static const double STEADY = 0.9, LONGER = 1.5;
    if (by_error(world) && error > 0.0) {
        const double ideal = length * cbrt(world->def.accuracy / error);
        keep_parts(world, 1.0 / fmin(STEADY * ideal, LONGER * length));
    }
}

/* Parts that need less than half as many iterations could be twice as long. */
void fil_world_learn_from_step(FilWorld* world, const FilStepInfo* info)
{
    if (by_iterations(world)) {
        const double used = parts_of(world), mean = info->newton_iterations / used;
        const int max = world->def.adaptive_iterations;
        keep_parts(world, mean > max ? 2.0 * used : mean < 0.4 * max ? 0.5 * used : used);  // below a half, so that it does not go to and fro
    }
}

bool fil_world_is_inaccurate(const FilWorld* world, double error)
{
    return by_error(world) && error > world->def.accuracy;
}

/* Squares of what velocities of places from the first on are off a line. */
typedef struct Bend {
    const FilSystem* system;
    const FilBody* body;
    double gamma, *square;
    int first;
} Bend;

/* Places at a time: some 5 us; and of bodies that have few. */
enum { PLACES = 512, FEW = 16 };

static void look_at_bend(void* context, int first, int end, int worker)
{
    const Bend* bend = context;
    const FilBody* body = bend->body;
    const FilState *start = &bend->system->state, *middle = &bend->system->middle, *next = &bend->system->next;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int place = bend->first + k;
        double before[3], between[3], last[3];
        body->ops->place_velocity(body->impl, place, start->q + body->q, start->v + body->v, before);
        body->ops->place_velocity(body->impl, place, middle->q + body->q, middle->v + body->v, between);
        body->ops->place_velocity(body->impl, place, next->q + body->q, next->v + body->v, last);
        for (int j = 0; j < 3; j++) {
            const double off = last[j] - before[j] - (between[j] - before[j]) / bend->gamma;
            bend->square[3 * k + j] = off * off;
        }
    }
}

double fil_world_local_error(const FilWorld* world, double gamma, double dt)
{
    /* Velocities at the start, after gamma dt and at the end: the parabola through them covers a way that differs from the
     * step's by dt (gamma - 1/2 + 1 / (6 (1 - gamma))) times what the three are off a line. For Alexander's gamma. */
    static const double ERROR_FACTOR = 0.0286;
    const FilSystem* system = &world->system;
    double worst = 0.0;
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        const int places = body->moves ? body->ops->place_count(body->impl) : 0;
        double sum = 0.0, few[3 * FEW];
        Bend bend = {system, body, gamma, 4 * places <= body->v_count ? system->scratch.trial + body->v : few, 0};
        // places of large bodies at once, in what is theirs of the scratch
        const int at_once = bend.square == few ? FEW : places;
        for (int k = 0; k < places; k += at_once) {
            bend.first = k;
            const int count = places - k < at_once ? places - k : at_once;
            fil_workers_run(count > PLACES ? system->workers : NULL, count, PLACES, look_at_bend, &bend);
            for (int i = 0; i < 3 * count; i++) {
                sum += bend.square[i];
            }
        }
        worst = places > 0 ? fmax(worst, sqrt(sum / places)) : worst;
    }
    return ERROR_FACTOR * dt * worst;
}
