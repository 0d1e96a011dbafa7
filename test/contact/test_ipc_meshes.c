/* Under `ipc` balls feel meshes that deform once at each place, wherever that lies in the mesh. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "scenes.h"
#include "solver/solver.h"

/* A block that is held below and a sheet that is held everywhere, of 0.16 m, with so many cells a side. */
static const char* const grounds[] = {
    "solids: [{name: ground, material: m, model: linear, brick: {size: [0.16, 0.16, 0.02], cells: [$(cells), $(cells), 1]}, position: [0, 0, "
    "-0.01],\n"
    "  damping: {stiffness: 2e-3}, pins: [{from: [-1, -1, -1], to: [1, 1, -0.0199]}]}]\n",
    "shells: [{name: ground, material: m, thickness: 0.002, sheet: {corner: [-0.08, -0.08, -0.001], along: [0.16, 0, 0], across: [0, 0.16, 0],\n"
    "  columns: $(cells), rows: $(cells)}}]\n"
    "attachments: [{name: hold, pin: {shell: ground, vertices: [0, $((cells + 1) * (cells + 1) - 1)]}}]\n"};

/* A ball of 20 mm that goes along x in a frame that is turned by `turn` about z, under a gravity with this part along x. */
static FilWorld* make_ball(const char* ground, int cells, double dt, double friction, double turn, double speed, double along)
{
    char text[4000];
    snprintf(text, sizeof text,
             "parameters: {cells: %d}\nworld: {dt: %g, contact: ipc, gravity: [%g, %g, -9.81]}\n"
             "materials: {m: {young: 1e9, poisson: 0.3, density: 1000, friction: %g}}\n%s"
             "rigid_bodies: [{name: ball, material: m, position: [%g, %g, 0.0206], velocity: [%g, %g, 0], shapes: [{sphere: {radius: 0.02}}]}]\n"
             "probes: {x: {body_velocity: {body: ball, component: x}}, y: {body_velocity: {body: ball, component: y}}}\n",
             cells, dt, along * cos(turn), along * sin(turn), friction, ground, 0.0037 - 0.02 * cos(turn), 0.0021 - 0.02 * sin(turn),
             speed * cos(turn), speed * sin(turn));
    return load_text(text);
}

static void run_for(FilWorld* world, double time, double dt)
{
    for (int step = 0; step < (int)lround(time / dt); step++) {
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
    }
}

/* Velocities along the way and aside. */
static void look(const FilWorld* world, double turn, double* along, double* aside)
{
    const double x = probe_value(world, "x"), y = probe_value(world, "y");
    *along = x * cos(turn) + y * sin(turn);
    *aside = y * cos(turn) - x * sin(turn);
}

/* Triangle by triangle it turned back, or was led aside by up to its speed. What a block gives way by differs
 * from place to place: some nanometres of 1 GPa, 0.1 % of 2 cm/s; of what is held nothing. */
static void a_ball_goes_straight_over_edges(void** state)
{
    (void)state;
    static const double turns[] = {0.0, 0.4, 0.25 * 3.14159265358979};
    for (int k = 0; k < 12; k++) {
        const double dt = k % 4 < 2 ? 1e-3 : 2e-3, turn = turns[k % 3], max = k % 2 == 0 ? 1e-3 : 1e-4;
        FilWorld* world = make_ball(grounds[k % 2], k < 6 ? 3 : 12, dt, 0.0, turn, 0.02, 0.0);
        double along, aside;
        run_for(world, 1.0, dt);
        look(world, turn, &along, &aside);
        if (!(fabs(along / 0.02 - 1.0) < max && fabs(aside / 0.02) < max)) {
            fail_msg("case %d: goes on with %g of its speed, aside with %g", k, along / 0.02, aside / 0.02);
        }
        fil_world_destroy(world);
    }
}

/* Rubbing at one place: it gains 5/7 of g sin, and a little more as it touches midway in the gap, up to half the range below itself; friction of
 * several triangles made that 0.95 to 1.03. */
static void a_ball_rolls(void** state)
{
    (void)state;
    const double pull = 0.5, dt = 1e-3, within = 0.02 * 0.02 / (0.0205 * 0.0205);
    for (int k = 0; k < 4; k++) {
        FilWorld* world = make_ball(grounds[k % 2], k < 2 ? 3 : 12, dt, 0.4, 0.4, 0.0, pull);
        double begin, end, aside;
        run_for(world, 0.1, dt);
        look(world, 0.4, &begin, &aside);
        run_for(world, 0.3, dt);
        look(world, 0.4, &end, &aside);
        const double share = (end - begin) / 0.3 / pull;
        if (!(share > 0.995 * 5.0 / 7.0 && share < 1.002 / (1.0 + 0.4 * within) && fabs(aside) < 0.005 * end)) {
            fail_msg("case %d: gains %g of what pulls it, %g aside of %g", k, share, aside, end);
        }
        fil_world_destroy(world);
    }
}

/* Triangles that wrap a ball bear each by itself: they bend as fast as it does, in squares and in equal triangles; what is flat or convex does not.
 */
static void what_wraps_a_ball_bends_as_it_does(void** state)
{
    (void)state;
    const double side = 0.01, high = sqrt(3.0) * side / 2.0;
    static const double a[3] = {0.0, 0.0, 0.0}, b[3] = {0.01, 0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        const double radius = k < 2 ? 0.1 : 1.0, height = k % 2 == 0 ? side : high, expected = k % 2 == 0 ? 1.0 : 2.0 / 3.0;
        const double rise = 0.5 * expected * height * height / radius;  // of both, from the middle's tangent plane
        const double c[3] = {0.5 * side, height, rise}, d[3] = {0.5 * side, -height, rise}, e[3] = {c[0], c[1], -rise}, f[3] = {d[0], d[1], -rise};
        const double p[3] = {0.5 * side, 0.0, radius}, below[3] = {p[0], p[1], -radius};
        assert_true(fabs(fil_ipc_bend(p, a, b, c, d) - expected) < 0.01);
        assert_true(fabs(fil_ipc_bend(below, a, b, e, f) - expected) < 0.01);
        assert_true(fil_ipc_bend(p, a, b, e, f) < -0.5 && fil_ipc_bend(below, a, b, c, d) < -0.5);
        const double flat[2][3] = {{0.5 * side, height, 0.0}, {0.5 * side, -height, 0.0}};
        assert_true(fil_ipc_bend(p, a, b, flat[0], flat[1]) == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_goes_straight_over_edges),
        cmocka_unit_test(a_ball_rolls),
        cmocka_unit_test(what_wraps_a_ball_bends_as_it_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
