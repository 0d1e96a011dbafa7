/* Steps of a rod that begin as the last one did keep masses, forces, stiffnesses and diagonals: a body that has gone through all kinds of steps has
 * the bits of a new one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "body/rod.h"
#include "body/rod_inspect.h"

enum { NODES = 12, UNKNOWNS = 4 * NODES };

typedef struct Bench {
    FilArena arena;
    FilRodBody* body;
    int pin, clamp;
    double q[UNKNOWNS], v[UNKNOWNS];
    FilRodHistory h[NODES];
} Bench;

/* A helix with an idle pin and an idle clamp. */
static void make_bench(Bench* bench, double damping)
{
    double nodes[3 * NODES];
    for (int i = 0; i < NODES; ++i) {
        nodes[3 * i] = 0.1 * cos(0.5 * i);
        nodes[3 * i + 1] = 0.1 * sin(0.5 * i);
        nodes[3 * i + 2] = 0.03 * i;
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = NODES;
    def.nodes = nodes;
    def.damping_mass = 0.3;
    def.damping_stiffness = damping;
    def.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                               .radius = 0.01,
                               .ea = 50.0,
                               .ei1 = 0.05,
                               .ei2 = 0.15,
                               .gj = 0.08,
                               .mass_per_length = 0.3,
                               .inertia_per_length = 1e-4};
    memset(bench, 0, sizeof *bench);
    FilError error;
    assert_int_equal(fil_rod_body_create(&bench->arena, &def, 1, NULL, 0, &bench->body, &error), FIL_OK);
    assert_int_equal(fil_rod_body_q_size(bench->body), UNKNOWNS);
    fil_rod_ops.init_state(bench->body, bench->q, bench->v, (double*)bench->h);
    FilAttachmentDef hold = fil_attachment_def_default();
    hold.count = 1;
    hold.kind = FIL_ATTACH_PIN;
    hold.first = 2;
    assert_int_equal(fil_rod_ops.attach(bench->body, 0, &hold, bench->q, (double*)bench->h, &bench->pin, &error), FIL_OK);
    hold.kind = FIL_ATTACH_CLAMP;
    hold.first = 7;
    assert_int_equal(fil_rod_ops.attach(bench->body, 0, &hold, bench->q, (double*)bench->h, &bench->clamp, &error), FIL_OK);
}

static void free_bench(Bench* bench)
{
    fil_rod_ops.destroy(bench->body);
    fil_arena_free(&bench->arena);
}

/* What is unlike in a step; nothing is in kind 0. */
enum { PLAIN, LOADED, PINNED, CLAMPED, LONGER, BENT, TWISTED, SLOWER, HEAVIER, EXPLICIT, KINDS };

typedef struct Found {
    double residual[UNKNOWNS], potential, diagonal[UNKNOWNS], scale[UNKNOWNS];
} Found;

static void step(Bench* bench, int kind, Found* found)
{
    static const double force[3] = {1.0, -2.0, 0.5}, longer = 1.1, curvature[2] = {3.0, -1.0}, twist = 0.7;
    FilRodHistory h[NODES];
    double* live = (double*)h;
    memcpy(h, bench->h, sizeof h);
    fil_rod_ops.clear_loads(bench->body);
    if (kind == LOADED) {
        fil_rod_ops.load(bench->body, 0, FIL_DRIVE_FORCE, 3, 2, force, live);
    } else if (kind == LONGER) {
        fil_rod_ops.load(bench->body, 0, FIL_DRIVE_REST_LENGTH, 1, 8, &longer, live);
    } else if (kind == BENT) {
        fil_rod_ops.load(bench->body, 0, FIL_DRIVE_CURVATURE, 0, NODES, curvature, live);
    } else if (kind == TWISTED) {
        fil_rod_ops.load(bench->body, 0, FIL_DRIVE_REST_TWIST, 0, NODES, &twist, live);
    }
    const FilTarget pin = {.active = kind == PINNED}, clamp = {.active = kind == CLAMPED};
    fil_rod_ops.set_target(bench->body, bench->pin, &pin);
    fil_rod_ops.set_target(bench->body, bench->clamp, &clamp);
    FilStepSetup setup = {.dt = kind == SLOWER ? 2e-3 : 1e-3, .theta = 1.0, .theta_vq = 1.0, .gravity = {0.0, 0.0, kind == HEAVIER ? -20.0 : -9.81}};
    if (kind == EXPLICIT) {
        setup.theta = 0.0;
    }
    double v[UNKNOWNS];
    for (int k = 0; k < UNKNOWNS; ++k) {
        v[k] = 0.1 * sin(k);
    }
    memset(found, 0, sizeof *found);
    fil_rod_ops.begin(bench->body, &setup, bench->q, bench->v, live);
    assert_true(fil_rod_ops.evaluate(bench->body, v, 0.0, found->residual, &found->potential));
    fil_rod_ops.diagonal(bench->body, v, found->diagonal, found->scale);
}

/* All pairs of kinds follow each other, the same kind twice as well. */
static void check_steps(double damping, bool inspected)
{
    Bench worn;
    make_bench(&worn, damping);
    for (int k = 0; k < KINDS * KINDS * 2; ++k) {
        const int kind = k % 2 == 0 ? k / 2 % KINDS : k / 2 / KINDS;
        Bench fresh;
        Found expected, found;
        make_bench(&fresh, damping);
        step(&fresh, kind, &expected);
        if (inspected) {
            static double matrix[UNKNOWNS * UNKNOWNS];
            bool is_free[UNKNOWNS];
            fil_rod_body_stiffness(worn.body, worn.q, (const double*)worn.h, matrix, is_free);
        }
        step(&worn, kind, &found);
        assert_memory_equal(&found, &expected, sizeof found);
        free_bench(&fresh);
    }
    free_bench(&worn);
}

static void steps_of_all_kinds(void** state)
{
    (void)state;
    check_steps(0.0, false);
    check_steps(0.01, false);
}

static void steps_after_a_look(void** state)
{
    (void)state;
    check_steps(0.0, true);
}

/* Angles of a rod that does not twist are held, also before there was a step. */
static void a_look_before_all_steps(void** state)
{
    (void)state;
    static double matrix[UNKNOWNS * UNKNOWNS];
    double nodes[3 * NODES] = {0.0}, q[UNKNOWNS], v[UNKNOWNS];
    FilRodHistory h[NODES];
    bool is_free[UNKNOWNS];
    FilArena arena = {0};
    FilRodBody* body;
    FilError error;
    for (int i = 0; i < NODES; ++i) {
        nodes[3 * i] = 0.1 * i;
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = NODES;
    def.nodes = nodes;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 0.01, .young = 1e6, .density = 1000.0};
    def.twist_free = true;
    def.gyroscopic = false;
    assert_int_equal(fil_rod_body_create(&arena, &def, 1, NULL, 0, &body, &error), FIL_OK);
    fil_rod_ops.init_state(body, q, v, (double*)h);
    fil_rod_body_stiffness(body, q, (const double*)h, matrix, is_free);
    for (int i = 0; i < NODES; ++i) {
        for (int d = 0; d < 4; ++d) {
            assert_int_equal(is_free[4 * i + d], d < 3);
        }
    }
    assert_true(matrix[0] > 0.0);
    fil_rod_ops.destroy(body);
    fil_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_all_kinds),
        cmocka_unit_test(steps_after_a_look),
        cmocka_unit_test(a_look_before_all_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
