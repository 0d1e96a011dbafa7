/* Shapes of many sides under "ipc": a point feels them once, at the nearest place, wherever their triangles, edges and corners are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "random.h"
#include "sample.h"
#include "scenes.h"

/* A ball that rolls or slides slowly over the middle of a table, across the diagonals of its faces, and off its edge. It was thrown back there at
 * 1 cm/s, and at 2 cm/s with steps of 4 ms; beside diagonals balls at rest rolled off, 5 mm in 0.5 s. */
static void slow_balls_leave_a_table(void** state)
{
    static const double speeds[] = {0.01, 0.02, 0.05}, steps[] = {1e-3, 4e-3};
    (void)state;
    for (int k = 0; k < 12; k++) {
        const double speed = speeds[k / 4], dt = steps[k % 2], friction = k % 4 < 2 ? 0.0 : 0.5;
        char text[1024];
        snprintf(
            text, sizeof text,
            "parameters: {speed: %g, mu: %g}\n"
            "world: {dt: %g, contact: ipc}\n"
            "materials: {m: {density: 500, friction: $(mu)}}\n"
            "rigid_bodies:\n"
            "  - {name: table, motion: static, material: m, position: [-0.02, 0, -0.05], shapes: [{box: {size: [0.04, 0.06, 0.1]}}]}\n"
            "  - {name: ball, material: m, position: [-0.03, 0.002, 0.02089], velocity: [$(speed), 0, 0],\n"
            "     angular_velocity: [0, $(ceil(mu) * speed / 0.02), 0], shapes: [{sphere: {radius: 0.02}}]}\n"
            "probes: {x: {body_position: {body: ball, component: x}}, y: {body_position: {body: ball, component: y}}, vx: {body_velocity: {body: "
            "ball, component: x}}, vz: {body_velocity: {body: ball, component: z}}}\n",
            speed, friction, dt);
        FilWorld* world = load_text(text);
        (void)sample_run(world, (int)lround(0.028 / speed / dt));
        const double way = probe_value(world, "x") + 0.03, across = probe_value(world, "y") - 0.002, kept = probe_value(world, "vx");
        if (!(fabs(way - 0.028) < 5e-5) || !(fabs(across) < 2e-6) || !(fabs(kept - speed) < 2e-3 * speed)) {
            fail_msg("%g m/s, %g s, friction %g: %g m on, %g m across, then %g m/s", speed, dt, friction, way, across, kept);
        }
        (void)sample_run(world, (int)lround(1.0 / dt));
        assert_true(probe_value(world, "x") > 0.02 && probe_value(world, "vz") < -2.0);
        fil_world_destroy(world);
    }
}

/* The force of a ball that is 0.3 mm from a box, which is given as one or as a hull, off a face, an edge or a corner of it: towards each axis below,
 * within or above the box. */
static void meet_once(Random* random, bool hull, const int* side, double jitter, double* force)
{
    static const double half[3] = {0.05, 0.04, 0.03}, gap = 3e-4, radius = 0.01;
    double points[24], at[3], along[3], size = 0.0, turn[4];
    FilWorldDef def = fil_world_def_default();
    def.contact_model = "ipc";
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    FilWorld* world = sample_world_of(&def);
    FilIpcSettings settings = fil_world_ipc_settings(world);
    settings.stiffness = 1e-3;  // the ball hardly moves
    assert_int_equal(fil_world_set_ipc_settings(world, &settings), FIL_OK);
    for (int k = 0; k < 24; k++) {
        points[k] = (k / 3 >> k % 3 & 1 ? 1.0 : -1.0) * half[k % 3];
    }
    random_fill(random, turn, 4);
    const double length = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3]);
    FilShapeDef shape = fil_shape_def_default();
    shape.type = hull ? FIL_SHAPE_HULL : FIL_SHAPE_BOX;
    shape.size = (FilVec3){2.0 * half[0], 2.0 * half[1], 2.0 * half[2]};
    shape.points = points;
    shape.point_count = hull ? 8 : 0;
    FilRigidDef box = sample_rigid_def(&shape);
    box.motion = FIL_STATIC;
    box.orientation = (FilQuat){turn[0] / length, turn[1] / length, turn[2] / length, turn[3] / length};
    FilId id;
    assert_int_equal(fil_world_add_rigid(world, &box, &id), FIL_OK);
    // faces are met on their diagonals every other time
    const double share = random_between(random, -0.9, 0.9), sign = random_bits(random) % 2 == 0 ? 1.0 : -1.0;
    for (int k = 0; k < 3; k++) {
        at[k] = half[k] * (side[k] != 0 ? side[k] : k == 0 || side[0] != 0 ? share : sign * share);
        along[k] = side[k] * random_between(random, 0.1, 1.0);
        size += along[k] * along[k];
    }
    for (int k = 0; k < 3; k++) {
        at[k] += (gap + radius) * along[k] / sqrt(size) + jitter * random_between(random, -1.0, 1.0);
    }
    double axes[9], place[3];
    fil_m3_from_quat(axes, box.orientation);
    fil_m3_apply(place, axes, at);
    (void)sample_ball(world, radius, place[0], place[1], place[2]);
    const FilStepInfo info = sample_run(world, 1);
    if (info.contacts != 1) {
        fail_msg("%d contacts towards %d, %d, %d, off by %g m", info.contacts, side[0], side[1], side[2], jitter);
    }
    FilVec3 pushed, torque;
    fil_world_contact_wrench(world, id, &pushed, &torque);
    *force = sqrt(pushed.x * pushed.x + pushed.y * pushed.y + pushed.z * pushed.z);
    fil_world_destroy(world);
}

static void a_ball_meets_a_box_once(void** state)
{
    static const double jitters[] = {0.0, 1e-17, 1e-15, 1e-12, 1e-9};
    Random random = {1};
    double first = 0.0;
    (void)state;
    for (int k = 0; k < 27 * 5 * 2 * 4; k++) {
        const int zone = k % 27, side[3] = {zone % 3 - 1, zone / 3 % 3 - 1, zone / 9 - 1};
        double force;
        if (zone == 13) {  // its middle
            continue;
        }
        meet_once(&random, k / 135 % 2 == 1, side, jitters[k / 27 % 5], &force);
        first = first > 0.0 ? first : force;
        if (!(fabs(force - first) < 1e-4 * first)) {
            fail_msg("%g N instead of %g towards %d, %d, %d", force, first, side[0], side[1], side[2]);
        }
    }
}

/* Cylinders that roll down a table and a hull that is one, by 2/3 g sin, and slowly off a table's edge. As prisms of 24 sides they had 0.6 to 1.8 of
 * that, and turned back at the edge. */
static void cylinders_roll_on_faces(void** state)
{
    static const double slopes[] = {0.01, 0.2}, radii[] = {0.01, 0.1}, steps[] = {1e-3, 5e-3};
    static const char* const tables[] = {"box: {size: [2, 0.5, 0.1]}",
                                         "hull: {points: [[-1, -0.3, -0.05], [1, -0.3, -0.05], [-1, 0.3, -0.05], [1, 0.3, -0.05], [-1, -0.2, 0.05], "
                                         "[1, -0.2, 0.05], [-1, 0.2, 0.05], [1, "
                                         "0.2, 0.05]]}"};
    (void)state;
    for (int k = 0; k < 16; k++) {
        const double slope = slopes[k % 2], radius = radii[k / 2 % 2], dt = steps[k / 4 % 2], angle = atan(slope);
        char text[2048];
        snprintf(text, sizeof text,
                 "parameters: {radius: %g, angle: %.12f}\n"
                 "world: {dt: %g, contact: ipc, gravity: [$(9.81 * sin(angle)), 0, $(-9.81 * cos(angle))]}\n"
                 "materials: {m: {density: 500, friction: 0.6}}\n"
                 "rigid_bodies:\n"
                 "  - {name: table, motion: static, material: m, position: [0, 0, -0.05], shapes: [{%s}]}\n"
                 "  - {name: roll, material: m, position: [-0.5, 0.003, $(radius + 9e-4)], rotation: [$(pi / 2), 0, 0],\n"
                 "     shapes: [{cylinder: {radius: $(radius), length: 0.08}}]}\n"
                 "probes: {v: {body_velocity: {body: roll, component: x}}, y: {body_position: {body: roll, component: y}}}\n",
                 radius, angle, dt, tables[k / 8]);
        FilWorld* world = load_text(text);
        (void)sample_run(world, (int)lround(0.1 / dt));
        const double before = probe_value(world, "v");
        (void)sample_run(world, (int)lround(0.4 / dt));
        const double gain = (probe_value(world, "v") - before) / (0.4 * 2.0 / 3.0 * 9.81 * sin(angle));
        if (!(fabs(gain - 1.0) < 1e-3) || !(fabs(probe_value(world, "y") - 0.003) < 1e-5)) {
            fail_msg("slope %g, %g m, %g s, %s: %g of what it should gain", slope, radius, dt, tables[k / 8], gain);
        }
        fil_world_destroy(world);
    }
}

static void a_slow_cylinder_leaves_a_table(void** state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "world: {dt: %g, contact: ipc}\n"
                 "materials: {m: {density: 500, friction: 0.5}}\n"
                 "rigid_bodies:\n"
                 "  - {name: table, motion: static, material: m, position: [-0.1, 0, -0.05], shapes: [{box: {size: [0.2, 0.2, 0.1]}}]}\n"
                 "  - {name: roll, material: m, position: [-0.03, 0.01, 0.0309], rotation: [$(pi / 2), 0, 0], velocity: [0.02, 0, 0],\n"
                 "     angular_velocity: [0, $(0.02 / 0.03), 0], shapes: [{cylinder: {radius: 0.03, length: 0.08}}]}\n"
                 "probes: {x: {body_position: {body: roll, component: x}}, vx: {body_velocity: {body: roll, component: x}},\n"
                 "  vz: {body_velocity: {body: roll, component: z}}}\n",
                 k == 0 ? 1e-3 : 4e-3);
        FilWorld* world = load_text(text);
        (void)sample_run(world, k == 0 ? 1200 : 300);
        assert_true(fabs(probe_value(world, "vx") - 0.02) < 2e-4 && fabs(probe_value(world, "x") + 0.006) < 1e-4);
        (void)sample_run(world, k == 0 ? 1500 : 375);
        assert_true(probe_value(world, "x") > 0.03 && probe_value(world, "vz") < -2.0);
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_balls_leave_a_table),
        cmocka_unit_test(a_ball_meets_a_box_once),
        cmocka_unit_test(cylinders_roll_on_faces),
        cmocka_unit_test(a_slow_cylinder_leaves_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
