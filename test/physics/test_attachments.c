/* Pins, handles and twist holds: where they keep a rod, and what force they report. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "near.h"
#include "sample.h"

enum { EDGES = 10, NODES = EDGES + 1 };

typedef struct Bench {
    FilWorld* world;
    FilId rod;
} Bench;

/* a horizontal rod of 1 m and 0.1 kg */
static Bench make_bench(double gravity, double dt)
{
    Bench bench;
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, -gravity};
    def.dt = dt;
    def.newton_tolerance = 1e-10;
    def.newton_max_iterations = 200;
    bench.world = sample_world_of(&def);
    FilRodDef rod = fil_rod_def_default();
    rod.director = (FilVec3){0.0, 1.0, 0.0};
    rod.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                               .radius = 5e-3,
                               .ea = 1e4,
                               .ei1 = 0.1,
                               .ei2 = 0.1,
                               .gj = 0.08,
                               .mass_per_length = 0.1,
                               .inertia_per_length = 1e-5};
    rod.damping_mass = 2.0;
    bench.rod = sample_straight_rod(bench.world, &rod, NODES, 0.1);
    return bench;
}

static FilId attach(Bench* bench, FilAttachmentDef def)
{
    def.object = bench->rod;
    return sample_attach(bench->world, &def);
}

static FilId attach_kind(Bench* bench, FilAttachmentKind kind, int first, int count)
{
    FilAttachmentDef def = fil_attachment_def_default();
    def.kind = kind;
    def.first = first;
    def.count = count;
    return attach(bench, def);
}

static void run(Bench* bench, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(fil_world_step(bench->world, NULL), FIL_OK);
    }
}

static FilVec3 node(const Bench* bench, int i)
{
    double nodes[3 * NODES];
    fil_rod_get_positions(bench->world, bench->rod, nodes);
    return (FilVec3){nodes[3 * i], nodes[3 * i + 1], nodes[3 * i + 2]};
}

/* two handles carry a level rod: each reads k times its extension, together the weight */
static void handle_reads_stiffness_times_extension(void** state)
{
    (void)state;
    Bench bench = make_bench(9.81, 0.05);
    FilAttachmentDef def = fil_attachment_def_default();
    def.kind = FIL_ATTACH_HANDLE;
    def.stiffness = 20.0;
    def.damping = 2.0;
    FilId left = attach(&bench, def);
    def.first = -1;
    FilId right = attach(&bench, def);
    run(&bench, 2000);
    double extension = -node(&bench, 0).z;
    FilVec3 force = fil_attachment_force(bench.world, left);
    /* at rest the damper is silent; Newton's tolerance remains */
    assert_near(force.z, 20.0 * extension, 1e-7);
    assert_near(force.z + fil_attachment_force(bench.world, right).z, 0.981, 1e-7);
    fil_world_destroy(bench.world);
}

/* a handle pulled away faster than its limit allows pulls with that limit, along the way to its target */
static void handle_force_is_limited(void** state)
{
    (void)state;
    Bench bench = make_bench(0.0, 0.01);
    FilAttachmentDef def = fil_attachment_def_default();
    def.kind = FIL_ATTACH_HANDLE;
    def.stiffness = 100.0;
    def.max_force = 0.5;
    FilId handle = attach(&bench, def);
    const FilId id = sample_drive(bench.world, handle, FIL_DRIVE_POSITION, 0, NULL, NULL);
    double away[3] = {-50.0, 0.0, 0.0};
    assert_int_equal(fil_drive_set(bench.world, id, away, 3), FIL_OK);
    run(&bench, 10);
    assert_near(fil_attachment_force(bench.world, handle).x, -0.5, 1e-9);
    fil_world_destroy(bench.world);
}

/* a pin follows its drive exactly and reports the force of the motion */
static void pin_follows_its_drive(void** state)
{
    (void)state;
    Bench bench = make_bench(0.0, 0.01);
    FilId pin = attach_kind(&bench, FIL_ATTACH_PIN, 0, 1);
    (void)sample_drive(bench.world, pin, FIL_DRIVE_POSITION, 2, (double[]){0.0, 1.0}, (double[]){0.0, 0.0, 0.0, -0.3, 0.2, 0.1});
    for (int i = 1; i <= 100; ++i) {
        run(&bench, 1);
        FilVec3 x = node(&bench, 0);
        assert_near(x.x, -0.3 * i / 100.0, 1e-12);
        assert_near(x.y, 0.2 * i / 100.0, 1e-12);
        assert_near(x.z, 0.1 * i / 100.0, 1e-12);
    }
    run(&bench, 20);
    assert_near(node(&bench, 0).x, -0.3, 1e-12);
    fil_world_destroy(bench.world);
}

/* a velocity drive moves the target by its integral, and the target stays where it was brought */
static void velocity_drive_moves_the_target(void** state)
{
    (void)state;
    Bench bench = make_bench(0.0, 0.01);
    FilId pin = attach_kind(&bench, FIL_ATTACH_PIN, 0, 1);
    const FilId id = sample_drive(bench.world, pin, FIL_DRIVE_VELOCITY, 0, NULL, NULL);
    assert_int_equal(fil_drive_set(bench.world, id, (double[]){0.1, -0.2, 0.3}, 3), FIL_OK);
    run(&bench, 50);
    /* 0.5 s; a sum of 50 equal steps */
    assert_near(node(&bench, 0).x, 0.05, 1e-14);
    assert_near(node(&bench, 0).y, -0.10, 1e-14);
    assert_near(node(&bench, 0).z, 0.15, 1e-14);
    assert_int_equal(fil_drive_set(bench.world, id, (double[]){0.0, 0.0, 0.0}, 3), FIL_OK);
    run(&bench, 10);
    assert_near(node(&bench, 0).z, 0.15, 1e-14);
    fil_world_destroy(bench.world);
}

/* a group of pinned nodes turns rigidly about its first node */
static void pins_turn_about_their_first_node(void** state)
{
    (void)state;
    Bench bench = make_bench(0.0, 0.01);
    FilId pin = attach_kind(&bench, FIL_ATTACH_PIN, 2, 3);
    (void)sample_drive(bench.world, pin, FIL_DRIVE_ROTATION, 2, (double[]){0.0, 0.5}, (double[]){0.0, 0.0, 0.0, 0.0, 0.0, 0.5});
    run(&bench, 60);
    assert_near(node(&bench, 2).x, 0.2, 1e-14);
    assert_near(node(&bench, 2).y, 0.0, 1e-14);
    assert_near(node(&bench, 4).x, 0.2 + 0.2 * cos(0.5), 1e-13);
    assert_near(node(&bench, 4).y, 0.2 * sin(0.5), 1e-13);
    fil_world_destroy(bench.world);
}

/* a clamp turned about the rod's axis by more than a turn counts every turn: torque GJ phi/L */
static void clamps_count_turns(void** state)
{
    (void)state;
    Bench bench = make_bench(0.0, 0.05);
    attach_kind(&bench, FIL_ATTACH_CLAMP, 0, 1);
    FilId turned = attach_kind(&bench, FIL_ATTACH_CLAMP, -1, 1);
    /* below the twist at which the rod would writhe: 8.99 EI/GJ = 11 rad */
    (void)sample_drive(bench.world, turned, FIL_DRIVE_ROTATION, 2, (double[]){0.0, 2.0}, (double[]){0.0, 0.0, 0.0, 9.0, 0.0, 0.0});
    run(&bench, 200);
    assert_near(fil_attachment_torque(bench.world, turned).x, 0.08 * 9.0, 1e-6);
    fil_world_destroy(bench.world);
}

/* impulse of a pin = change of momentum: the reaction is the true force, also while the rod swings */
/* a rod clamped at its middle is two cantilevers: a load on one does not reach the other, and its tip bends as
 * F l^3 / (3 EI), which five edges and half hinges exceed by their second-order error, (1/5)^2 / 2 = 2 % */
static void inner_clamps_part_the_rod(void** state)
{
    (void)state;
    Bench bench = make_bench(0.0, 100.0);
    attach_kind(&bench, FIL_ATTACH_CLAMP, NODES / 2, 1);
    FilDriveDef drive = fil_drive_def_default();
    const double start = 0.0, force[3] = {0.0, 0.0, -1e-3};
    FilId id;
    drive.object = bench.rod;
    drive.first = NODES - 1;
    drive.count = 1;
    drive.knot_count = 1;
    drive.times = &start;
    drive.values = force;
    assert_int_equal(fil_world_add_drive(bench.world, &drive, &id), FIL_OK);
    run(&bench, 10);
    double nodes[3 * NODES];
    fil_rod_get_positions(bench.world, bench.rod, nodes);
    assert_near(nodes[3 * NODES - 1], -1.02 * 1e-3 * 0.125 / (3.0 * 0.1), 1e-3 * 4.2e-4);
    assert_near(nodes[2], 0.0, 1e-12);
    const FilEnergy energy = fil_world_energy(bench.world);
    assert_near(energy.elastic, 0.5 * 1e-3 * -nodes[3 * NODES - 1], 1e-3 * energy.elastic);
    fil_world_destroy(bench.world);
}

static void pin_reaction_balances_momentum(void** state)
{
    (void)state;
    Bench bench = make_bench(9.81, 1e-3);
    FilId pin = attach_kind(&bench, FIL_ATTACH_PIN, 0, 1);
    double before = fil_world_momentum(bench.world).z, impulse = 0.0, drag = 0.0;
    for (int i = 0; i < 200; ++i) {
        run(&bench, 1);
        impulse += 1e-3 * fil_attachment_force(bench.world, pin).z;
        /* Rayleigh's alpha takes alpha p dt, at the end of the step with backward Euler */
        drag += 1e-3 * 2.0 * fil_world_momentum(bench.world).z;
    }
    double expected = before - 0.981 * 0.2 + impulse - drag;
    /* a pinned node neither moves nor drags: what is left is Newton's tolerance over 200 steps */
    assert_near(fil_world_momentum(bench.world).z, expected, 1e-6);
    fil_world_destroy(bench.world);
}

/* let go, a rod falls */
/* Held for k steps, whatever rounding the sum of so many has, and free from then on. */
static void pins_let_go_in_time(void** state)
{
    (void)state;
    for (int k = 1; k <= 30; k += k < 5 ? 1 : 5) {
        Bench bench = make_bench(9.81, 0.1 / 3.0);
        FilAttachmentDef def = fil_attachment_def_default();
        def.kind = FIL_ATTACH_PIN;
        def.first = 0;
        def.count = NODES;
        def.until = k * 0.1 / 3.0;
        attach(&bench, def);
        int held = 0;
        for (run(&bench, 1); node(&bench, 5).z == 0.0 && held < 100; run(&bench, 1)) {
            held++;
        }
        assert_int_equal(held, k);
        fil_world_destroy(bench.world);
    }
}

static void released_pins_hold_nothing(void** state)
{
    (void)state;
    Bench bench = make_bench(9.81, 1e-3);
    FilId pin = attach_kind(&bench, FIL_ATTACH_PIN, 0, NODES);
    run(&bench, 10);
    assert_near(node(&bench, 5).z, 0.0, 0.0);
    /* all nodes held: the pin carries the whole weight */
    assert_near(fil_attachment_force(bench.world, pin).z, 0.981, 1e-9);
    assert_int_equal(fil_attachment_set_active(bench.world, pin, false), FIL_OK);
    run(&bench, 100);
    assert_true(node(&bench, 5).z < -0.04);
    assert_near(fil_attachment_force(bench.world, pin).z, 0.0, 0.0);
    /* caught again where it is */
    FilVec3 where = node(&bench, 5);
    assert_int_equal(fil_attachment_set_active(bench.world, pin, true), FIL_OK);
    run(&bench, 10);
    assert_true(isfinite(where.z) && isfinite(node(&bench, 5).z));
    fil_world_destroy(bench.world);
}

/* edges 0 and 9 held in twist, one turned: the angle grows linearly between, the torque is GJ phi over the nine hinges
 */
static void others_hold_beside_what_holds_nothing(void** state)
{
    (void)state;
    for (int handle = 0; handle < 2; handle++) {
        Bench bench = make_bench(9.81, 0.01);
        FilAttachmentDef def = fil_attachment_def_default();
        def.kind = handle == 1 ? FIL_ATTACH_HANDLE : FIL_ATTACH_PIN;
        def.stiffness = def.damping = handle;
        const FilId first = attach(&bench, def);
        attach_kind(&bench, FIL_ATTACH_PIN, NODES - 1, 1);
        if (handle == 0) {
            assert_int_equal(fil_attachment_set_active(bench.world, first, false), FIL_OK);
        }
        run(&bench, 20);
        assert_true(node(&bench, 0).z < -1e-3);  // g t^2 / 2 is 0.2 m
        assert_true(node(&bench, NODES - 1).z == 0.0);
        fil_world_destroy(bench.world);
    }
}

static void twist_holds_turn_edges(void** state)
{
    (void)state;
    Bench bench = make_bench(0.0, 100.0);
    FilId fixed = attach_kind(&bench, FIL_ATTACH_TWIST, 0, 1);
    FilId turned = attach_kind(&bench, FIL_ATTACH_TWIST, -1, 1);
    attach_kind(&bench, FIL_ATTACH_PIN, 0, 1);
    attach_kind(&bench, FIL_ATTACH_PIN, -1, 1);
    const FilId id = sample_drive(bench.world, turned, FIL_DRIVE_ANGLE, 0, NULL, NULL);
    double angle = 0.9;
    assert_int_equal(fil_drive_set(bench.world, id, &angle, 1), FIL_OK);
    run(&bench, 10);
    double angles[EDGES];
    fil_rod_get_angles(bench.world, bench.rod, angles);
    for (int i = 0; i < EDGES; ++i) {
        assert_near(angles[i], 0.1 * i, 1e-7);
    }
    assert_near(fil_attachment_torque(bench.world, turned).x, 0.08 * 0.9 / 0.9, 1e-7);
    assert_near(fil_attachment_torque(bench.world, fixed).x, -0.08 * 0.9 / 0.9, 1e-7);
    fil_world_destroy(bench.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handle_reads_stiffness_times_extension),
        cmocka_unit_test(handle_force_is_limited),
        cmocka_unit_test(pin_follows_its_drive),
        cmocka_unit_test(velocity_drive_moves_the_target),
        cmocka_unit_test(pins_turn_about_their_first_node),
        cmocka_unit_test(clamps_count_turns),
        cmocka_unit_test(inner_clamps_part_the_rod),
        cmocka_unit_test(pin_reaction_balances_momentum),
        cmocka_unit_test(pins_let_go_in_time),
        cmocka_unit_test(released_pins_hold_nothing),
        cmocka_unit_test(others_hold_beside_what_holds_nothing),
        cmocka_unit_test(twist_holds_turn_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
