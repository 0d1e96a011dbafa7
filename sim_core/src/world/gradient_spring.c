/* Motors and stops of robots in gradients: springs on single unknowns. */
#include <string.h>

#include "base/memory.h"
#include "world/gradient.h"

void fil_gradient_precondition(const FilGradient* gradient, const FilBody* body, double* x)
{
    body->ops->solve(body->impl, x);
    for (int s = 0; s < gradient->spring_count; s++) {
        const FilGradientSpring* spring = &gradient->springs[s];
        if (&gradient->world->system.bodies[spring->body] == body) {
            const double share = spring->scale * x[spring->unknown];
            for (int k = 0; k < body->v_count; k++) {
                x[k] -= share * spring->column[k];
            }
        }
    }
}

/* Room for so many more springs of a body of n unknowns. */
static bool make_room(FilGradient* gradient, int count)
{
    const int wanted = gradient->spring_count + count, n = gradient->n;
    if (wanted <= gradient->spring_capacity) {
        return true;
    }
    FilGradientSpring* springs = fil_alloc((size_t)wanted, sizeof *springs);
    double* columns = fil_alloc((size_t)wanted * (size_t)n, sizeof *columns);
    if (springs == NULL || columns == NULL) {
        fil_free(springs);
        fil_free(columns);
        return false;
    }
    for (int s = 0; s < gradient->spring_count; s++) {
        springs[s] = gradient->springs[s];
        springs[s].column = memcpy(columns + (size_t)s * (size_t)n, gradient->springs[s].column, sizeof(double) * (size_t)n);
    }
    fil_free(gradient->springs);
    fil_free(gradient->columns);
    gradient->springs = springs;
    gradient->columns = columns;
    gradient->spring_capacity = wanted;
    return true;
}

/* Motors and stops of the body that are at work: impulse -dt (k (g + dt g') + d g') within its bounds, g' = v + bias. */
FilStatus fil_gradient_springs_take(FilGradient* gradient, const FilBody* body)
{
    FilWorld* world = gradient->world;
    const FilState* start = &world->system.next;
    const int count =
        body->ops->constraint_count == NULL ? 0 : body->ops->constraint_count(body->impl, start->q + body->q, start->v + body->v, start->h + body->h);
    const double dt = world->def.dt;
    if (!make_room(gradient, count)) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    for (int c = 0; c < count; c++) {
        FilBodyConstraint own;
        body->ops->constraint(body->impl, c, &own);
        if (own.count != 1 || !own.exact) {
            return fil_world_fail(world, FIL_BAD_INPUT,
                                  "'%s' is at a rigid limit of a joint, or joints are coupled, of which gradients are not known yet", body->name);
        }
        const double k = own.stiffness, rate = own.rate[0] * gradient->v[body->v + own.unknown[0]] + own.bias;
        const double slope = dt * (dt * k + own.damping), impulse = -dt * k * own.error - slope * rate;
        if (!(slope > 0.0) || !(impulse > own.lower && impulse < own.upper)) {
            continue;  // idle, or at its bound, which is constant
        }
        FilGradientSpring* spring = &gradient->springs[gradient->spring_count];
        const double square = own.rate[0] * own.rate[0];
        *spring = (FilGradientSpring){
            .body = (int)(body - world->system.bodies), .unknown = own.unknown[0], .pull = dt * k * square, .slope = slope * square};
        spring->column = gradient->columns + (size_t)gradient->spring_count * (size_t)gradient->n;
        if (!gradient->potential) {  // where they are in the factor of all
            memset(spring->column, 0, sizeof(double) * (size_t)body->v_count);
            spring->column[spring->unknown] = 1.0;
            fil_gradient_precondition(gradient, body, spring->column);
            spring->scale = 1.0 / (1.0 / spring->slope + spring->column[spring->unknown]);
        }
        gradient->spring_count++;
    }
    return FIL_OK;
}

void fil_gradient_add_springs(const FilGradient* gradient, const FilBody* body, const double* x, bool pull, double* out)
{
    for (int s = 0; s < gradient->spring_count; s++) {
        const FilGradientSpring* spring = &gradient->springs[s];
        if (&gradient->world->system.bodies[spring->body] == body) {
            out[spring->unknown] += (pull ? spring->pull : spring->slope) * x[spring->unknown];
        }
    }
}
