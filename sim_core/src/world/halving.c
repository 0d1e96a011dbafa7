/* Into how many halves of halves a step is divided from its start on: as many as the last steps have shown to be good. */
#include <math.h>

#include "world/world.h"

static bool by_iterations(const FilWorld* world)
{
    return fil_contact_models[world->contact_model].potential != NULL && world->def.imc.adaptive_dt;
}

static bool by_error(const FilWorld* world)
{
    return world->def.integrator == FIL_SDIRK2 && world->def.accuracy > 0.0;
}

int fil_world_halvings(const FilWorld* world)
{
    const bool adapts = by_iterations(world) || by_error(world);
    const int wanted = adapts ? (int)world->state.h[world->memory + FIL_MEMORY_HALVINGS] : 0;
    return wanted < world->def.max_halvings ? wanted : world->def.max_halvings;
}

void fil_world_adapt_halvings(FilWorld* world, const FilStepInfo* info)
{
    if (!by_iterations(world) && !by_error(world)) {
        return;
    }
    const int used = info->halvings, most = world->def.imc.adaptive_iterations;
    const double iterations = ldexp((double)info->newton_iterations, -used), accuracy = world->def.accuracy;
    // halves that need less than half as many iterations could be wholes again; errors of wholes are eight times as large,
    // and with as much again steps do not go to and fro
    const bool finer = by_error(world) ? info->local_error > accuracy : iterations > most;
    const bool coarser = by_error(world) ? 16.0 * info->local_error < accuracy : iterations < 0.4 * most;
    const int wanted = finer && used < world->def.max_halvings ? used + 1 : coarser ? used - 1 : used;
    world->state.h[world->memory + FIL_MEMORY_HALVINGS] = wanted > 0 ? wanted : 0;
}

/* Unknowns of a body that are velocities of places, 4 apart. */
static int place_count(const FilBody* body)
{
    enum { RIGID = 8 };
    return body->ops->points ? body->v_count / 4 : body->v_count == RIGID ? 1 : 0;
}

double fil_world_local_error(const FilWorld* world, double gamma, double dt)
{
    /* Velocities at the start, after gamma dt and at the end: the parabola through them covers a way that differs from the
     * step's by dt (gamma - 1/2 + 1 / (6 (1 - gamma))) times what the three are off a line. For Alexander's gamma. */
    static const double OFF_LINE = 0.0286;
    const double *first = world->state.v, *middle = world->middle.v, *last = world->next.v;
    double worst = 0.0;
    for (int b = 0; b < world->body_count; b++) {
        const FilBody* body = &world->bodies[b];
        const int places = body->moves ? place_count(body) : 0;
        double sum = 0.0;
        for (int k = body->v; k < body->v + 4 * places; k++) {
            const double off = k % 4 < 3 ? last[k] - first[k] - (middle[k] - first[k]) / gamma : 0.0;
            sum += off * off;
        }
        worst = places > 0 ? fmax(worst, sqrt(sum / places)) : worst;
    }
    return OFF_LINE * dt * worst;
}
