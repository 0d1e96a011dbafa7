/* One Newton iteration of a rod: assembly of gradient and Hessian, factorisation and solve, in plain order in and out. */
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "bench.h"
#include "body/rod_chain.h"
#include "rod_newton.h"

typedef struct Case {
    int nodes;
    bool closed;
} Case;

/* The chain and its data, in one place to free. */
typedef struct Specimen {
    FilArena arena;
    FilRodChain chain;
    double *q, *diagonal, *gradient, *solution;
    FilRodHistory* history;
    FilRodLaw* law;
} Specimen;

static bool allocate(Specimen* s, Case c)
{
    const size_t n = (size_t)c.nodes;
    s->q = fil_alloc(4 * n, sizeof(double));
    s->diagonal = fil_alloc(4 * n, sizeof(double));
    s->gradient = fil_alloc(4 * n, sizeof(double));
    s->solution = fil_alloc(4 * n, sizeof(double));
    s->history = fil_alloc(n, sizeof *s->history);
    s->law = fil_alloc(n, sizeof *s->law);
    return fil_rod_chain_init(&s->chain, &s->arena, c.nodes, c.closed) && s->q != NULL && s->diagonal != NULL && s->gradient != NULL &&
           s->solution != NULL && s->history != NULL && s->law != NULL;
}

static void release(Specimen* s)
{
    fil_arena_free(&s->arena);
    fil_free(s->q);
    fil_free(s->diagonal);
    fil_free(s->gradient);
    fil_free(s->solution);
    fil_free(s->history);
    fil_free(s->law);
}

/* A helix, or a wavy ring: bent everywhere, twisted, with unit edges. */
static void place_node(Case c, int i, double* x)
{
    if (c.closed) {
        const double angle = 2.0 * FIL_PI * i / c.nodes, radius = c.nodes / (2.0 * FIL_PI);
        fil_v3_set(x, radius * cos(angle), radius * sin(angle), 0.2 * sin(0.05 * i * floor(1.0 + c.nodes / 63.0)));
    } else {
        fil_v3_set(x, 5.0 * cos(0.19 * i), 5.0 * sin(0.19 * i), 0.3 * i);
    }
}

static void prepare(Specimen* s, Case c)
{
    const int n = c.nodes, edges = c.closed ? n : n - 1;
    for (int i = 0; i < n; i++) {
        place_node(c, i, s->q + 4 * i);
        s->q[4 * i + 3] = i < edges ? 0.05 * sin(0.3 * i) : 0.0;
        for (int k = 0; k < 4; k++) {
            s->diagonal[4 * i + k] = k < 3 ? 20.0 : 5.0;  // mass over dt^2
        }
    }
    for (int i = 0; i < n; i++) {
        FilRodHistory* h = &s->history[i];
        fil_v3_sub(h->tangent, s->q + 4 * ((i + 1) % n), s->q + 4 * i);
        h->rest_length = i < edges ? fil_v3_normalise(h->tangent) : 1.0;
        h->cosine = 1.0;
        if (i == 0) {
            fil_v3_orthogonal(h->director, h->tangent);
        } else if (i < edges) {
            fil_v3_transport(h->director, h[-1].director, h[-1].tangent, h->tangent);
        }
        const bool hinge = c.closed || (i > 0 && i < n - 1);
        s->law[i] = (FilRodLaw){.ea = 1000.0, .k1 = hinge ? 1.0 : 0.0, .k2 = hinge ? 1.2 : 0.0, .kt = hinge ? 0.8 : 0.0};
    }
    fil_rod_chain_begin(&s->chain, s->q, s->history, s->law, 0.0, s->diagonal);
}

/* Returns false if the matrix could not be factored. */
static bool iterate(Specimen* s, int n)
{
    for (int k = 0; k < 4 * n; k++) {
        s->gradient[k] = 0.0;
    }
    if (!fil_rod_chain_assemble(&s->chain, s->q, 0.0, true)) {
        return false;
    }
    fil_rod_chain_add_gradient(&s->chain, s->gradient);
    if (!fil_rod_chain_factor(&s->chain)) {
        return false;
    }
    for (int k = 0; k < 4 * n; k++) {
        s->solution[k] = s->gradient[k];
    }
    fil_rod_chain_solve(&s->chain, s->solution);
    return true;
}

typedef struct Residual {
    const double* x;
    double* r;
} Residual;

static void multiply(void* context, int row, int column, double value)
{
    Residual* p = context;
    p->r[row] -= value * p->x[column];
    if (row != column) {
        p->r[column] -= value * p->x[row];
    }
}

/* |g - H x| / |g| of the last solution. */
static double solve_error(Specimen* s, int n)
{
    double error = 0.0, size = 0.0;
    (void)fil_rod_chain_assemble(&s->chain, s->q, 0.0, true);  // it was assembled before
    for (int k = 0; k < 4 * n; k++) {
        size += s->gradient[k] * s->gradient[k];
    }
    Residual residual = {s->solution, s->gradient};
    fil_rod_chain_visit(&s->chain, multiply, &residual);
    for (int k = 0; k < 4 * n; k++) {
        error += s->gradient[k] * s->gradient[k];
    }
    return sqrt(error / size);
}

static FilStatus measure_case(FilBench* bench, Case c, FilError* error)
{
    Specimen specimen = {0};
    bool ok = allocate(&specimen, c);
    if (!ok) {
        release(&specimen);
        snprintf(error->text, sizeof error->text, "out of memory");
        return FIL_OUT_OF_MEMORY;
    }
    prepare(&specimen, c);
    FilBenchResult result = fil_bench_result("rod_newton");
    result.nodes = c.nodes;
    result.closed = c.closed;
    result.wall_time = result.cpu_time = INFINITY;
    // batches of some milliseconds: clocks are too coarse for one iteration
    const int batch = 1 + 20000 / c.nodes, batches = 20 * fil_bench_repeats(bench);
    for (int k = 0; k < batches && ok; k++) {
        const FilBenchClock start = fil_bench_clock();
        for (int j = 0; j < batch && ok; j++) {
            ok = iterate(&specimen, c.nodes);
        }
        const FilBenchClock spent = fil_bench_since(start);
        result.wall_time = fmin(result.wall_time, spent.wall / batch);
        result.cpu_time = fmin(result.cpu_time, spent.cpu / batch);
    }
    result.us_per_iteration = 1e6 * result.cpu_time;
    result.ns_per_node = 1e9 * result.cpu_time / c.nodes;
    fil_bench_result_accuracy(&result, "solve_error", ok ? solve_error(&specimen, c.nodes) : NAN);
    release(&specimen);
    if (!ok) {
        snprintf(error->text, sizeof error->text, "rod_newton: the matrix of %d nodes is not positive definite", c.nodes);
        return FIL_NOT_CONVERGED;
    }
    return fil_bench_report(bench, &result);
}

FilStatus fil_bench_rod_newton(FilBench* bench, FilError* error)
{
    static const Case cases[] = {{101, false}, {301, false}, {301, true}, {1001, false}, {10001, false}, {100001, false}};
    FilStatus status = FIL_OK;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0] && status == FIL_OK; k++) {
        status = measure_case(bench, cases[k], error);
    }
    return status;
}
