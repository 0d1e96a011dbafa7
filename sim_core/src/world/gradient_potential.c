/* Systems of the derivative of a step under a model of potentials. All bodies are solved together: the factor is that of the model's own Newton
 * iteration at the step's end, A. What A leaves out (how contacts turn with bodies, gyroscopic forces, transport of frames) is found by GMRES on
 * A^-1 J x = A^-1 b, which needs as many products as A differs from J in directions. */
#include <math.h>
#include <string.h>

#include "linalg/buffer.h"
#include "world/gradient.h"

/* Products at most, and the share of the first residual that is left: rounding. */
enum { DIRECTIONS = 60, CYCLES = 3 };
static const double ENOUGH = 1e-15;

void fil_gradient_multiply(FilGradient* gradient, bool back, const double* x, double* out)
{
    const FilSystem* system = &gradient->world->system;
    const size_t bytes = sizeof(double) * (size_t)gradient->n;
    double *end = gradient->end, *ignored = gradient->end_rate;
    memset(end, 0, bytes);
    memset(out, 0, bytes);
    memset(ignored, 0, bytes);
    if (back) {
        fil_gradient_barriers_apply(gradient, true, x, end);
    }
    for (int b = 0; b < system->body_count; b++) {
        const FilBody* body = &system->bodies[b];
        if (!body->moves) {
            continue;
        }
        double *own = out + body->v, *unused = ignored + body->v;
        if (back) {
            body->ops->derivative->vary_back(body->impl, x + body->v, end + body->v, unused, unused, own);
        } else {
            body->ops->derivative->vary(body->impl, NULL, NULL, x + body->v, own, end + body->v);
        }
        fil_gradient_add_springs(gradient, body, x + body->v, false, own);
    }
    if (!back) {
        fil_gradient_barriers_apply(gradient, false, end, out);
    }
    fil_gradient_contacts_apply(gradient, x, out);
}

FilStatus fil_gradient_potential_factor(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    FilSolver* solver = &world->solver;
    const FilPotentialField* field = solver->model->field;
    const size_t n = (size_t)gradient->n;
    const FilPotentialAim aim = {.centred = true, .factored = true};
    FilStepInfo info = {0};
    if (!fil_buffer_reserve((void**)&gradient->barriers.krylov, &gradient->barriers.krylov_capacity, (DIRECTIONS + 2) * n + 1, sizeof(double))) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    if (n == 0 || !solver->contact.active) {
        return FIL_OK;
    }
    if (field->center != NULL) {
        field->center(solver, gradient->v);
    }
    solver->potential.bound = false;
    memset(gradient->residual, 0, n * sizeof(double));
    const FilStatus status = fil_potential_solve_all(solver, field, &aim, gradient->v, gradient->residual, gradient->correction, &info);
    for (int b = 0; b < world->system.body_count && info.regularised > 0; b++) {  // they were evaluated with more mass
        const FilBody* body = &world->system.bodies[b];
        double potential;
        if (body->moves) {
            (void)body->ops->evaluate(body->impl, gradient->v + body->v, 0.0, gradient->residual + body->v, &potential);
        }
    }
    return status == FIL_OK ? FIL_OK : fil_world_fail(world, FIL_BAD_INPUT, "the contacts of this step have no derivative");
}

/* x <- A^-1 x, on what is free. */
static void precondition(FilGradient* gradient, double* x)
{
    for (int k = 0; k < gradient->n; k++) {
        gradient->correction[k] = gradient->diagonal[k] > 0.0 ? x[k] : 0.0;
    }
    memset(x, 0, sizeof(double) * (size_t)gradient->n);
    (void)fil_potential_solve(&gradient->world->solver, gradient->correction, x);
    for (int k = 0; k < gradient->n; k++) {
        x[k] = gradient->diagonal[k] > 0.0 ? x[k] : 0.0;
    }
}

/* Weighed by the tangent's diagonal: the angles of thin rods have inertias of 1e-7 kg m^2, and all else would be lost beside their velocities. */
static double dot(const FilGradient* gradient, const double* a, const double* b)
{
    double sum = 0.0;
    for (int k = 0; k < gradient->n; k++) {
        sum += gradient->diagonal[k] * a[k] * b[k];
    }
    return sum;
}

/* Turns column j of the Hessenberg matrix and the right hand side so that it is upper triangular. */
static void turn(double (*h)[DIRECTIONS + 1], double (*turns)[2], double* g, int j)
{
    for (int i = 0; i < j; i++) {
        const double up = h[j][i], down = h[j][i + 1];
        h[j][i] = turns[i][0] * up + turns[i][1] * down;
        h[j][i + 1] = -turns[i][1] * up + turns[i][0] * down;
    }
    const double size = hypot(h[j][j], h[j][j + 1]);
    turns[j][0] = size > 0.0 ? h[j][j] / size : 1.0;
    turns[j][1] = size > 0.0 ? h[j][j + 1] / size : 0.0;
    h[j][j] = size;
    g[j + 1] = -turns[j][1] * g[j];
    g[j] *= turns[j][0];
}

/* One cycle of GMRES from x; `first` is the size of the first residual, 0: this is it. Returns what it leaves. */
static double cycle(FilGradient* gradient, bool back, const double* b, double* x, double* first)
{
    const int n = gradient->n;
    double *basis = gradient->barriers.krylov, *product = basis + (size_t)(DIRECTIONS + 1) * (size_t)n;
    double h[DIRECTIONS][DIRECTIONS + 1], turns[DIRECTIONS][2], g[DIRECTIONS + 1] = {0.0};
    fil_gradient_multiply(gradient, back, x, basis);
    for (int k = 0; k < n; k++) {
        basis[k] = b[k] - basis[k];
    }
    precondition(gradient, basis);
    g[0] = sqrt(dot(gradient, basis, basis));
    *first = *first > 0.0 ? *first : g[0];
    int count = 0;
    while (count < DIRECTIONS && fabs(g[count]) > ENOUGH * *first) {
        double *last = basis + (size_t)count * (size_t)n, *next = last + n;
        const double size = count == 0 ? g[0] : h[count - 1][count];
        for (int k = 0; k < n; k++) {
            last[k] /= size;
        }
        fil_gradient_multiply(gradient, back, last, product);
        precondition(gradient, product);
        memcpy(next, product, sizeof(double) * (size_t)n);
        for (int i = 0; i <= count; i++) {
            const double* other = basis + (size_t)i * (size_t)n;
            h[count][i] = dot(gradient, next, other);
            for (int k = 0; k < n; k++) {
                next[k] -= h[count][i] * other[k];
            }
        }
        const double left = sqrt(dot(gradient, next, next));
        h[count][count + 1] = left;
        turn(h, turns, g, count++);
        h[count - 1][count] = left;  // what the next direction is divided by
        if (!(left > 0.0)) {
            break;
        }
    }
    for (int i = count - 1; i >= 0; i--) {
        for (int j = i + 1; j < count; j++) {
            g[i] -= h[j][i] * g[j];
        }
        g[i] /= h[i][i];
        for (int k = 0; k < n; k++) {
            x[k] += g[i] * basis[(size_t)i * (size_t)n + (size_t)k];
        }
    }
    return fabs(g[count]);
}

FilStatus fil_gradient_potential_solve(FilGradient* gradient, bool back, const double* b, double* x)
{
    double first = 0.0, left = INFINITY;
    memset(x, 0, sizeof(double) * (size_t)gradient->n);
    for (int k = 0; k < CYCLES; k++) {
        const double now = cycle(gradient, back, b, x, &first);
        if (now <= 10.0 * ENOUGH * first) {
            return FIL_OK;
        }
        if (!(now < left)) {
            break;
        }
        left = now;
    }
    return left <= 1e-9 * first ? FIL_OK : fil_world_fail(gradient->world, FIL_NOT_CONVERGED, "the gradient of this step was not found");
}
