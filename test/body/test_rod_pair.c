/* Two rods at once have the bits that each has alone: evaluated, factored and solved, and moved by Newton's method, where the processor has the
 * registers. Bodies differ in all but how their chains are folded; of some one alone is out of reach, not definite, or beyond a series. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/rod.h"
#include "random_rod.h"
#include "solver/free_motion.h"

enum {
    MAX_NODES = 41,
    MAX_UNKNOWNS = 4 * MAX_NODES,
    MAX_BLOCKS = 6 * MAX_NODES,
    MAX_HISTORY = MAX_NODES * (int)(sizeof(FilRodHistory) / sizeof(double))
};

typedef struct Bench {
    FilArena arena;
    FilBody body;
    FilRodBody* rod;
    double q[MAX_UNKNOWNS], v[MAX_UNKNOWNS], h[MAX_HISTORY];
} Bench;

/* What one body finds. */
typedef struct Found {
    bool in_reach, definite, converged;
    double potential, residual[MAX_UNKNOWNS], tangent[16 * MAX_BLOCKS], solution[MAX_UNKNOWNS];
    double q[MAX_UNKNOWNS], v[MAX_UNKNOWNS], h[MAX_HISTORY];
    FilNewtonReport report;
} Found;

static void hold(Bench* bench, FilAttachmentKind kind, int first)
{
    FilAttachmentDef def = fil_attachment_def_default();
    FilError error;
    FilTarget target = {.active = true, .displacement = {{0.02, 0.01, 0.0}, {0.02, 0.01, 0.0}}};
    int slot;
    def.kind = kind;
    def.first = first;
    def.count = 1;
    def.stiffness = 30.0;
    def.damping = 2.0;
    assert_int_equal(fil_rod_ops.attach(bench->rod, 0, &def, bench->q, bench->h, &slot, &error), FIL_OK);
    fil_rod_ops.set_target(bench->rod, slot, &target);
}

/* The same rod for the same seed; held and damped according to it. */
static void make_bench(Bench* bench, int nodes, bool closed, uint64_t seed)
{
    Random random = {seed};
    ReferenceRod reference;
    double q[REFERENCE_MAX_DOFS], places[3 * MAX_NODES];
    FilError error;
    random_rod(&random, nodes, closed, &reference, q);
    for (int i = 0; i < nodes; ++i) {
        memcpy(places + 3 * i, q + 4 * i, 3 * sizeof(double));
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = nodes;
    def.closed = closed;
    def.nodes = places;
    def.damping_mass = 0.3;
    def.damping_stiffness = seed % 3 == 0 ? 0.01 : 0.0;
    def.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                               .radius = 0.01,
                               .ea = 50.0,
                               .ei1 = 0.05,
                               .ei2 = 0.15,
                               .gj = 0.08,
                               .mass_per_length = 0.3,
                               .inertia_per_length = 1e-4};
    memset(bench, 0, sizeof *bench);
    assert_int_equal(fil_rod_body_create(&bench->arena, &def, 1, NULL, 0, &bench->rod, &error), FIL_OK);
    fil_rod_ops.init_state(bench->rod, bench->q, bench->v, bench->h);
    for (int k = 0; k < 4 * nodes; ++k) {
        bench->v[k] = random_between(&random, -0.1, 0.1);
    }
    if (seed % 2 == 0) {
        hold(bench, FIL_ATTACH_PIN, 0);
        hold(bench, FIL_ATTACH_HANDLE, nodes - 1);
    }
    if (seed % 5 == 0) {
        hold(bench, FIL_ATTACH_CLAMP, nodes / 3);
    }
    bench->body = (FilBody){.ops = &fil_rod_ops, .impl = bench->rod, .q_count = 4 * nodes, .v_count = 4 * nodes, .moves = true};
}

static void free_bench(Bench* bench)
{
    fil_rod_ops.destroy(bench->rod);
    fil_arena_free(&bench->arena);
}

/* Where a body is asked: near the start, far from it (edges turn and twist by more than half a radian), pressed together, and nowhere. */
enum { NEAR, FAR, PRESSED, NOWHERE, PLACES };

static void choose(const Bench* bench, int place, double dt, double* v)
{
    Random random = {77};
    const double size[PLACES] = {0.01, 0.6, 0.01, 0.01};
    for (int k = 0; k < bench->body.v_count; ++k) {
        const double moved = size[place] * random_between(&random, -1.0, 1.0) * (k % 4 == 3 ? 1.0 : 0.1);
        const double pressed = place == PRESSED && k % 4 != 3 ? -0.5 * bench->q[k] : 0.0;
        v[k] = (moved + pressed) / dt;
    }
    if (place == NOWHERE) {
        v[4] = INFINITY;
    }
}

static void begin(Bench* bench, const FilStepSetup* setup)
{
    fil_rod_ops.begin(bench->rod, setup, bench->q, bench->v, bench->h);
}

static void take_tangent(Bench* bench, Found* found)
{
    assert_in_range(fil_rod_ops.tangent_pattern(bench->rod, NULL, NULL), 1, MAX_BLOCKS);
    fil_rod_ops.tangent(bench->rod, found->tangent);
}

/* Everything that stands in what was found. */
static void finish(Bench* bench, Found* found)
{
    memcpy(found->solution, found->residual, sizeof found->solution);
    fil_rod_ops.finish(bench->rod, found->v, found->q, found->v, found->h);
}

static void ask_alone(Bench* bench, int place, double dt, double shift, Found* found)
{
    memset(found, 0, sizeof *found);
    choose(bench, place, dt, found->v);
    found->in_reach = fil_rod_ops.evaluate(bench->rod, found->v, shift, found->residual, &found->potential);
    if (found->in_reach) {
        take_tangent(bench, found);
        finish(bench, found);
        found->definite = fil_rod_ops.factor(bench->rod);
    }
    if (found->definite) {
        fil_rod_ops.solve(bench->rod, found->solution);
    }
}

static void ask_both(Bench* benches, const int* places, double dt, const double* shifts, Found* found)
{
    const FilBodyPairOps* ops = fil_rod_ops.pair;
    void* const bodies[2] = {benches[0].rod, benches[1].rod};
    const double* const v[2] = {found[0].v, found[1].v};
    double *const residuals[2] = {found[0].residual, found[1].residual}, *const solutions[2] = {found[0].solution, found[1].solution};
    double potentials[2] = {0.0, 0.0};
    bool in_reach[2], definite[2];
    memset(found, 0, 2 * sizeof *found);
    for (int k = 0; k < 2; ++k) {
        choose(&benches[k], places[k], dt, found[k].v);
    }
    ops->evaluate(bodies, v, shifts, residuals, potentials, in_reach);
    for (int k = 0; k < 2; ++k) {
        found[k].in_reach = in_reach[k];
        found[k].potential = potentials[k];
        if (in_reach[k]) {
            take_tangent(&benches[k], &found[k]);
            finish(&benches[k], &found[k]);
        }
    }
    if (in_reach[0] && in_reach[1]) {
        ops->factor(bodies, definite);
        found[0].definite = definite[0];
        found[1].definite = definite[1];
    }
    if (found[0].definite && found[1].definite) {
        ops->solve(bodies, solutions);
    }
}

static int halves_out_of_reach, halves_not_definite, solved;

static void compare(Found* alone, Found* both)
{
    const bool reached = both[0].in_reach && both[1].in_reach, definite = both[0].definite && both[1].definite;
    halves_out_of_reach += both[0].in_reach != both[1].in_reach;
    halves_not_definite += both[0].definite != both[1].definite;
    solved += definite;
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(both[k].in_reach, alone[k].in_reach);
        if (!both[k].in_reach) {
            continue;
        }
        assert_memory_equal(&both[k].potential, &alone[k].potential, sizeof both[k].potential);
        assert_memory_equal(both[k].residual, alone[k].residual, sizeof both[k].residual);
        assert_memory_equal(both[k].tangent, alone[k].tangent, sizeof both[k].tangent);
        assert_memory_equal(both[k].h, alone[k].h, sizeof both[k].h);
        if (reached) {
            assert_int_equal(both[k].definite, alone[k].definite);
        }
        if (definite) {
            assert_memory_equal(both[k].solution, alone[k].solution, sizeof both[k].solution);
        }
    }
}

/* Two bodies and each of them again. */
typedef struct Benches {
    Bench both[2], alone[2];
} Benches;

static Benches benches;
static Found found[2], alone[2];

static void make_benches(int nodes, bool closed, uint64_t seed)
{
    for (int k = 0; k < 2; ++k) {
        make_bench(&benches.both[k], nodes, closed, seed + (uint64_t)k);
        make_bench(&benches.alone[k], nodes, closed, seed + (uint64_t)k);
    }
}

static void free_benches(void)
{
    for (int k = 0; k < 2; ++k) {
        free_bench(&benches.both[k]);
        free_bench(&benches.alone[k]);
    }
}

/* Long steps, in which stiffness outweighs mass. */
static const FilStepSetup setup = {.dt = 0.3, .theta = 0.8, .theta_vq = 0.9, .gravity = {0.0, 0.0, -9.81}};

static void at_all_places(int nodes, bool closed, uint64_t seed)
{
    static const double shifts[4][2] = {{0.0, 0.0}, {0.1, 0.0}, {0.0, 10.0}, {1.0, 1e3}};
    make_benches(nodes, closed, seed);
    for (int k = 0; k < 2; ++k) {
        begin(&benches.both[k], &setup);
        begin(&benches.alone[k], &setup);
    }
    assert_true(fil_rod_ops.pair->goes_with(benches.both[0].rod, benches.both[1].rod));
    for (int p = 0; p < PLACES * PLACES; ++p) {
        const int places[2] = {p / PLACES, p % PLACES};
        for (int s = 0; s < 4; ++s) {
            ask_both(benches.both, places, setup.dt, shifts[s], found);
            ask_alone(&benches.alone[0], places[0], setup.dt, shifts[s][0], &alone[0]);
            ask_alone(&benches.alone[1], places[1], setup.dt, shifts[s][1], &alone[1]);
            compare(alone, found);
        }
    }
    free_benches();
}

static bool can_pair(void)
{
    return fil_lanes_pair() && fil_rod_ops.pair != NULL;
}

static void test_bits(void** state)
{
    (void)state;
    if (!can_pair()) {
        skip();
    }
    for (int nodes = 3; nodes <= 16; ++nodes) {
        at_all_places(nodes, false, 10 + (uint64_t)nodes);
    }
    for (int nodes = 7; nodes <= 16; ++nodes) {
        at_all_places(nodes, true, 20 + (uint64_t)nodes);
    }
    at_all_places(41, false, 3);
    at_all_places(40, true, 4);
    // every case was among them
    assert_true(halves_out_of_reach > 0 && halves_not_definite > 0 && solved > 0);
}

/* ---- Newton's method ---- */

static double numbers[2][6][MAX_UNKNOWNS];

static FilNewton newton(const Bench* bench, int k, const FilStepSetup* step, double* push)
{
    static const double change[MAX_UNKNOWNS];
    double(*n)[MAX_UNKNOWNS] = numbers[k];
    const FilNewtonScratch scratch = {.residual = n[0], .direction = n[1], .trial = n[2], .weight = n[3], .scale = n[4], .solution = n[5]};
    return (FilNewton){.task = {.body = &bench->body, .setup = step, .tolerance = 1e-8, .max = 40, .q = bench->q, .change = change, .push = push},
                       .v = scratch.solution,
                       .scratch = scratch};
}

static void move(Bench* const* of, int count, const FilStepSetup* step, double size, Found* out)
{
    FilNewton motions[2];
    FilNewton* const pointers[2] = {&motions[0], &motions[1]};
    static double push[2][MAX_UNKNOWNS];
    for (int k = 0; k < count; ++k) {
        begin(of[k], step);
        for (int u = 0; u < of[k]->body.v_count; ++u) {
            push[k][u] = size * sin((double)u);
        }
        motions[k] = newton(of[k], k, step, size > 0.0 ? push[k] : NULL);
    }
    fil_free_motions(pointers, count);
    for (int k = 0; k < count; ++k) {
        out[k].report = motions[k].report;
        out[k].converged = motions[k].converged;
        memcpy(out[k].v, motions[k].v, sizeof(double) * (size_t)of[k]->body.v_count);
    }
}

static int iterations_apart, regularised, moved;

static void move_all(int nodes, bool closed, uint64_t seed, double dt, double size)
{
    const FilStepSetup step = {.dt = dt, .theta = 1.0, .theta_vq = 1.0, .gravity = {0.0, 0.0, -9.81}};
    make_benches(nodes, closed, seed);
    memset(found, 0, sizeof found);
    memset(alone, 0, sizeof alone);
    move((Bench* const[2]){&benches.both[0], &benches.both[1]}, 2, &step, size, found);
    for (int k = 0; k < 2; ++k) {
        move((Bench* const[1]){&benches.alone[k]}, 1, &step, size, &alone[k]);
        assert_int_equal(found[k].converged, alone[k].converged);
        assert_int_equal(found[k].report.iterations, alone[k].report.iterations);
        assert_int_equal(found[k].report.regularised, alone[k].report.regularised);
        assert_memory_equal(&found[k].report.residual, &alone[k].report.residual, sizeof(double));
        assert_memory_equal(found[k].v, alone[k].v, sizeof found[k].v);
        regularised += found[k].report.regularised;
        moved += found[k].converged;
    }
    iterations_apart += found[0].report.iterations != found[1].report.iterations;
    free_benches();
}

static void test_motion(void** state)
{
    (void)state;
    if (!can_pair()) {
        skip();
    }
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        const int nodes = 8 + (int)seed;
        move_all(nodes, seed % 2 == 0, seed, seed % 3 == 0 ? 1e-3 : 0.1, 0.0);
        move_all(nodes, seed % 2 == 0, seed, 1e-2, 1e-4);
    }
    assert_true(moved > 0 && regularised > 0 && iterations_apart > 0);
}

/* Bodies whose chains are folded otherwise go alone, and so do explicit steps. */
static void test_who_goes(void** state)
{
    (void)state;
    Bench a, b, c;
    if (!can_pair()) {
        skip();
    }
    FilStepSetup explicit = setup;
    explicit.theta = 0.0;
    make_bench(&a, 9, false, 1);
    make_bench(&b, 9, true, 1);
    make_bench(&c, 12, false, 1);
    Bench* all[3] = {&a, &b, &c};
    for (int k = 0; k < 3; ++k) {
        begin(all[k], &setup);
    }
    assert_false(fil_rod_ops.pair->goes_with(a.rod, b.rod));
    assert_false(fil_rod_ops.pair->goes_with(a.rod, c.rod));
    assert_true(fil_rod_ops.pair->goes_with(a.rod, a.rod));
    begin(&a, &explicit);
    assert_false(fil_rod_ops.pair->goes_with(a.rod, a.rod));
    for (int k = 0; k < 3; ++k) {
        free_bench(all[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_motion), cmocka_unit_test(test_who_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
