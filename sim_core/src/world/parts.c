/* Into how many equal parts a step is divided from its start on: as many as the last steps have shown to be good. */
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
static int within_limits(const FilWorld* world, double parts)
{
    // 2^30 parts still fit an int
    return (int)fmax(fmin(parts, ldexp(1.0, world->def.max_halvings < 30 ? world->def.max_halvings : 30)), 1.0);
}

int fil_world_parts(const FilWorld* world)
{
    // a restored state may be that of a world with other limits
    return by_iterations(world) || by_error(world) ? within_limits(world, world->system.state.h[world->solver.memory + FIL_MEMORY_PARTS]) : 1;
}

/* Parts that need less than half as many iterations could be twice as long. */
static int parts_by_iterations(const FilWorld* world, int used, int iterations)
{
    const double mean = (double)iterations / used;
    const int max = world->def.adaptive_iterations;
    return mean > max ? 2 * used : mean < 0.4 * max ? used / 2 : used;  // below a half, so that it does not go to and fro
}

/* Errors grow with the cube of the length: what would have met the accuracy, and a little more; fewer only by and by, and not for
 * what the next step may take back. Margins: 5 % where more are needed, as a step that is repeated
 * costs all of its parts; 15 % and no more than 30 % fewer at once, so that parts do not go to and fro. */
static int parts_by_error(const FilWorld* world, int used, double error)
{
    // see above
    static const double MORE = 1.05, FEWER = 1.15, AT_ONCE = 0.7;
    const double length = cbrt(error / world->def.accuracy);
    if (length > 1.0) {
        return (int)fmin(ceil(used * length * MORE), 2.0 * used);
    }
    return (int)fmin(fmax(ceil(used * length * FEWER), AT_ONCE * used), used);
}

int fil_world_next_parts(const FilWorld* world, int used, const FilStepInfo* info)
{
    const int wanted = by_error(world)        ? parts_by_error(world, used, info->local_error)
                       : by_iterations(world) ? parts_by_iterations(world, used, info->newton_iterations)
                                              : 1;
    return within_limits(world, wanted);
}

void fil_world_keep_parts(FilWorld* world, int parts)
{
    world->system.state.h[world->solver.memory + FIL_MEMORY_PARTS] = parts;
}

bool fil_world_is_inaccurate(const FilWorld* world, const FilStepInfo* info)
{
    return by_error(world) && info->local_error > world->def.accuracy;
}

double fil_world_local_error(const FilWorld* world, double gamma, double dt)
{
    /* Velocities at the start, after gamma dt and at the end: the parabola through them covers a way that differs from the
     * step's by dt (gamma - 1/2 + 1 / (6 (1 - gamma))) times what the three are off a line. For Alexander's gamma. */
    static const double ERROR_FACTOR = 0.0286;
    const FilSystem* system = &world->system;
    const FilState *start = &system->state, *middle = &system->middle, *end = &system->next;
    double worst = 0.0;
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        const int places = body->moves ? body->ops->place_count(body->impl) : 0;
        double sum = 0.0;
        for (int k = 0; k < places; k++) {
            double first[3], between[3], last[3];
            body->ops->place_velocity(body->impl, k, start->q + body->q, start->v + body->v, first);
            body->ops->place_velocity(body->impl, k, middle->q + body->q, middle->v + body->v, between);
            body->ops->place_velocity(body->impl, k, end->q + body->q, end->v + body->v, last);
            for (int j = 0; j < 3; j++) {
                const double off = last[j] - first[j] - (between[j] - first[j]) / gamma;
                sum += off * off;
            }
        }
        worst = places > 0 ? fmax(worst, sqrt(sum / places)) : worst;
    }
    return ERROR_FACTOR * dt * worst;
}
