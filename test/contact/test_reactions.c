/* What holds a rod or a sheet bears what lies on it: reactions of attachments with contact. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample.h"

enum { NODES = 21 };

static const FilVec3 still = {0.0, 0.0, 0.0};

static FilId hold(FilWorld* world, FilId rod, FilAttachmentKind kind, int first)
{
    FilAttachmentDef def = fil_attachment_def_default();
    def.kind = kind;
    def.object = rod;
    def.first = first;
    def.stiffness = 1e4;
    def.damping = 10.0;
    FilId id;
    assert_int_equal(fil_world_add_attachment(world, &def, &id), FIL_OK);
    return id;
}

/* A rod along x held at both ends, a ball on its middle: the ends bear both. */
static void ends_bear_what_lies_on_a_rod(void** state)
{
    (void)state;
    static const FilAttachmentKind kinds[] = {FIL_ATTACH_PIN, FIL_ATTACH_CLAMP, FIL_ATTACH_HANDLE};
    for (int k = 0; k < 3; k++) {
        FilWorld* world = sample_world("sap", 1e-2);  // long steps take the swing out
        const FilId rod = sample_rod(world, NODES, 5e-3, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){0.01, 0.0, 0.0}, still);
        const FilId ball = sample_ball(world, 0.01, 0.0, 0.0, 0.015);
        const FilId first = hold(world, rod, kinds[k], 0), last = hold(world, rod, kinds[k], -1);
        sample_run(world, 500);
        const FilVec3 a = fil_attachment_force(world, first), b = fil_attachment_force(world, last);
        // the mass of the held nodes counts too
        const double rod_weight = 1000.0 * M_PI * 25e-6 * 0.2 * 9.81, ball_weight = fil_rigid_mass(world, ball) * 9.81;
        assert_true(ball_weight > 0.1 * rod_weight);
        // within what a step linear about its free motion leaves
        assert_true(fabs(a.z + b.z - rod_weight - ball_weight) < 1e-2 * ball_weight);
        assert_true(fabs(a.x + b.x) < 1e-3 * ball_weight && fabs(a.z - b.z) < 1e-3 * ball_weight);
        fil_world_destroy(world);
    }
}

/* A held node that contact presses on passes that on to its hold: the pinned rod lies under a cube, all of it held. */
static void held_nodes_bear_contact_themselves(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    const FilId rod = sample_rod(world, NODES, 5e-3, (FilVec3){-0.1, 0.0, 0.0}, (FilVec3){0.01, 0.0, 0.0}, still);
    const FilId other = sample_rod(world, NODES, 5e-3, (FilVec3){-0.1, 0.03, 0.0}, (FilVec3){0.01, 0.0, 0.0}, still);
    const FilId cube = sample_cube(world, 0.05, 0.0, 0.015, 0.03);
    FilId holds[2];
    for (int k = 0; k < 2; k++) {
        FilAttachmentDef def = fil_attachment_def_default();
        def.kind = FIL_ATTACH_PIN;
        def.object = k == 0 ? rod : other;
        def.count = NODES;
        assert_int_equal(fil_world_add_attachment(world, &def, &holds[k]), FIL_OK);
    }
    sample_run(world, 1000);
    const double weight = fil_rigid_mass(world, cube) * 9.81, rod_weight = 1000.0 * M_PI * 25e-6 * 0.2 * 9.81;
    for (int k = 0; k < 2; k++) {
        assert_true(fabs(fil_attachment_force(world, holds[k]).z - 0.5 * weight - rod_weight) < 1e-3 * weight);
    }
    fil_world_destroy(world);
}

/* A sheet held all over, and one held at its border only, under a ball: the holds bear both. */
static void held_sheets_bear_what_lies_on_them(void** state)
{
    (void)state;
    enum { SIDE = 5, VERTICES = SIDE * SIDE, CELLS = (SIDE - 1) * (SIDE - 1) };
    for (int rim = 0; rim < 2; rim++) {
        FilWorld* world = sample_world("sap", 5e-3);
        double x[3 * VERTICES];
        int triangles[6 * CELLS], count = 0;
        FilId sheet, holds[VERTICES], ball = sample_ball(world, 0.01, 0.003, 0.002, 0.0106);
        for (int i = 0; i < VERTICES; i++) {
            x[3 * i] = 0.02 * (i % SIDE - SIDE / 2);
            x[3 * i + 1] = 0.02 * (i / SIDE - SIDE / 2);
            x[3 * i + 2] = 0.0;
        }
        for (int c = 0; c < CELLS; c++) {
            const int a = c / (SIDE - 1) * SIDE + c % (SIDE - 1), corners[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            for (int k = 0; k < 6; k++) {
                triangles[6 * c + k] = corners[k];
            }
        }
        FilShellDef def = fil_shell_def_default();
        def.vertex_count = VERTICES;
        def.vertices = x;
        def.triangle_count = 2 * CELLS;
        def.triangles = triangles;
        def.thickness = 1e-3;
        def.young = 1e6;
        def.density = 300.0;
        def.damping_mass = 20.0;
        assert_int_equal(fil_world_add_shell(world, &def, &sheet), FIL_OK);
        for (int i = 0; i < VERTICES; i++) {
            const bool border = i % SIDE == 0 || i % SIDE == SIDE - 1 || i / SIDE == 0 || i / SIDE == SIDE - 1;
            if (rim == 0 || border) {
                holds[count++] = hold(world, sheet, FIL_ATTACH_PIN, i);
            }
        }
        sample_run(world, 400);
        double carried = 0.0;
        for (int k = 0; k < count; k++) {
            carried += fil_attachment_force(world, holds[k]).z;
        }
        const double weight = 9.81 * fil_rigid_mass(world, ball), own = 9.81 * 300.0 * 1e-3 * 0.08 * 0.08;
        assert_true(weight > own);
        assert_true(fabs(carried - weight - own) < 1e-2 * weight);
        fil_world_destroy(world);
    }
}

/* A rod drawn along the ground by one end: the hold pulls as hard as friction does, and the node moves as commanded. */
static void drawn_rods_feel_friction(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged"};
    for (int m = 0; m < 2; m++) {
        FilWorld* world = sample_world(models[m], 1e-3);
        sample_ground(world);
        // the end is held a little above the gap of dt mu v on which the convex model slides
        const FilId rod = sample_rod(world, NODES, 5e-3, (FilVec3){-0.1, 0.0, 5.1e-3}, (FilVec3){0.01, 0.0, 0.0}, still);
        const FilId end = hold(world, rod, FIL_ATTACH_PIN, -1);
        FilDriveDef drive = fil_drive_def_default();
        drive.kind = FIL_DRIVE_VELOCITY;
        drive.attachment = end;
        FilId id;
        assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_OK);
        const double velocity[3] = {0.05, 0.0, 0.0};
        assert_int_equal(fil_drive_set(world, id, velocity, 3), FIL_OK);
        sample_run(world, 1000);
        assert_true(sample_distance(sample_node(world, rod, NODES - 1), (FilVec3){0.15, 0.0, 5.1e-3}) < 1e-9);
        // what the held end carries itself does not rub
        double pull = 0.0, carried = 0.0;
        for (int k = 0; k < 200; k++) {
            sample_run(world, 1);
            pull += fil_attachment_force(world, end).x / 200.0;
            carried += fil_attachment_force(world, end).z / 200.0;
        }
        const double weight = 1000.0 * M_PI * 25e-6 * 0.2 * 9.81;
        assert_true(carried > 0.0 && carried < 0.5 * weight);
        assert_true(fabs(pull - 0.5 * (weight - carried)) < 0.01 * pull);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_bear_what_lies_on_a_rod),
        cmocka_unit_test(held_nodes_bear_contact_themselves),
        cmocka_unit_test(held_sheets_bear_what_lies_on_them),
        cmocka_unit_test(drawn_rods_feel_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
