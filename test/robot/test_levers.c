/* Robots that rest on what does not move: forces of contact against statics, where joints leave some of them open. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sample.h"
#include "scenes.h"

static const char* const models[] = {"sap", "sap_lagged", "lcp", "ipc"};

enum { MODELS = sizeof models / sizeof *models };

static FilWorld* make(const char* format, const char* model, double dt, double a, double b)
{
    char text[4000];
    assert_true((size_t)snprintf(text, sizeof text, format, model, dt, a, b) < sizeof text);
    return load_text(text);
}

/* A bar of 1 kg and 1 m, hinged at one end, that lies on a round post: m g / 2x, and nothing along it. Under lcp it was 0.976 of that, with mu N
 * along the bar: what moves one way only leaves open how its forces are split. */
static void a_bar_lies_on_a_post(void** state)
{
    static const char format[] =
        "world: {contact: %s, dt: %g}\n"
        "materials: {steel: {density: 500, friction: 0.5}}\n"
        "robots: [{name: r, urdf: " FILUM_SOURCE_DIR
        "/config/robots/pendulum.urdf, material: steel, joints: [{joint: swing, position: $(-pi / 2), damping: 0.5}]}]\n"
        "rigid_bodies: [{name: post, motion: static, material: steel, position: [%g, 0, $(-0.05 - %g)], rotation: [$(pi / 2), 0, 0],\n"
        "  shapes: [{cylinder: {radius: 0.03, length: 0.2}}]}]\n"
        "probes: {along: {contact_force: {body: post, component: x}}, up: {contact_force: {body: post, component: z}}}\n";
    (void)state;
    for (int k = 0; k < 4 * MODELS; k++) {
        const char* model = models[k / 4];
        const double dt = k % 2 == 0 ? 1e-3 : 5e-3, x = k % 4 < 2 ? 0.4 : 0.7, load = 9.81 * 0.5 / x;
        FilWorld* world = make(format, model, dt, x, k / 4 == 3 ? 3e-4 : 0.0);
        (void)sample_run(world, (int)lround(1.0 / dt));
        const double along = probe_value(world, "along"), up = probe_value(world, "up");
        // ipc lands from a gap, and what friction took then it keeps
        if (!(fabs(up + load) < 1e-3 * load) || !(fabs(along) < (k / 4 == 3 ? 0.02 : 1e-3) * load)) {
            fail_msg("%s, %g s, %g m: %.5f along, %.5f up instead of %.5f", model, dt, x, along, up, load);
        }
        fil_world_destroy(world);
    }
}

/* An arm whose joints all turn about y presses its tip on a table: nothing pushes across, and its motors' torques are those of the loads. */
static void an_arm_presses_on_a_table(void** state)
{
    static const char format[] =
        "world: {contact: %s, dt: %g}\n"
        "materials: {steel: {density: 500, friction: 0.5}}\n"
        "parameters: {a: 0.8, b: 1.8, c: 2.7}\n"
        "robots:\n"
        "  - name: r\n"
        "    urdf: " FILUM_SOURCE_DIR
        "/config/robots/planar3.urdf\n"
        "    material: steel\n"
        "    joints:\n"
        "      - {joint: shoulder, position: $(a), gains: {stiffness: 200, damping: 10}}\n"
        "      - {joint: elbow, position: $(b - a), gains: {stiffness: 200, damping: 10}}\n"
        "      - {joint: wrist, position: $(c - b), gains: {stiffness: 100, damping: 5}}\n"
        "trajectories: [{robot: r, joints: [shoulder, elbow, wrist], interpolation: linear, points: [[0, 0.8, 1, 0.9], [0.3, 0.95, 1.05, 0.9], "
        "[5, 0.95, 1.05, 0.9]]}]\n"
        "rigid_bodies: [{name: table, motion: static, material: steel,\n"
        "  position: [$(0.4 * sin(a) + 0.35 * sin(b) + 0.15 * sin(c)), 0, $(0.4 * cos(a) + 0.35 * cos(b) + 0.15 * cos(c) - %g - %g)],\n"
        "  shapes: [{box: {size: [0.5, 0.5, 0.1]}}]}]\n"
        "probes:\n"
        "  fx: {contact_force: {body: table, component: x}}\n"
        "  fy: {contact_force: {body: table, component: y}}\n"
        "  fz: {contact_force: {body: table, component: z}}\n"
        "  q0: {axis_position: {robot: r, joint: shoulder}}\n"
        "  q1: {axis_position: {robot: r, joint: elbow}}\n"
        "  q2: {axis_position: {robot: r, joint: wrist}}\n"
        "  e0: {axis_effort: {robot: r, joint: shoulder}}\n"
        "  e1: {axis_effort: {robot: r, joint: elbow}}\n"
        "  e2: {axis_effort: {robot: r, joint: wrist}}\n";
    static const char* const q_name[] = {"q0", "q1", "q2"};
    static const char* const e_name[] = {"e0", "e1", "e2"};
    static const double length[] = {0.4, 0.35, 0.15}, middle[] = {0.2, 0.175, 0.07}, mass[] = {1.0, 0.7, 0.2};
    (void)state;
    for (int k = 0; k < 2 * MODELS; k++) {
        const char* model = models[k / 2];
        const double dt = k % 2 == 0 ? 1e-3 : 5e-3;
        FilWorld* world = make(format, model, dt, 0.07, k / 2 == 3 ? 3e-4 : 0.0);
        (void)sample_run(world, (int)lround(1.0 / dt));
        const double fx = -probe_value(world, "fx"), fy = -probe_value(world, "fy"), fz = -probe_value(world, "fz");
        double joint[4][2] = {{0.0, 0.0}}, center[3][2], angle = 0.0;
        for (int j = 0; j < 3; j++) {
            angle += probe_value(world, q_name[j]);
            for (int m = 0; m < 2; m++) {
                const double way = m == 0 ? sin(angle) : cos(angle);
                center[j][m] = joint[j][m] + middle[j] * way;
                joint[j + 1][m] = joint[j][m] + length[j] * way;
            }
        }
        assert_true(fz > 40.0);
        if (!(fabs(fy) < 1e-3 * fz)) {
            fail_msg("%s, %g s: %g N across, of %g N", model, dt, fy, fz);
        }
        for (int j = 0; j < 3; j++) {
            // about y: (z F_x - x F_z); it touches a radius below the tip
            double left = probe_value(world, e_name[j]) + (joint[3][1] - 0.02 - joint[j][1]) * fx - (joint[3][0] - joint[j][0]) * fz +
                          (joint[3][0] - joint[j][0]) * 0.05 * 9.81;
            for (int link = j; link < 3; link++) {
                left += (center[link][0] - joint[j][0]) * mass[link] * 9.81;
            }
            // joints damp, too, while friction creeps
            if (!(fabs(left) < 2e-3)) {
                fail_msg("%s, %g s: joint %d lacks %g N m", model, dt, j, left);
            }
        }
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bar_lies_on_a_post),
        cmocka_unit_test(an_arm_presses_on_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
