/* What bends slides over the seams of a level floor of boxes as over one box: blocks, sheets, ropes and strips. Steps and walls stop it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sample.h"
#include "scenes.h"

/* Each 0.1 or 0.2 m long about the origin, on z = 0. */
static const char* const sliders[] = {
    "solids: [{name: a, material: foam, damping: {stiffness: 0.003}, position: [0, 0, 0.025], velocity: [%g, %g, 0],"
    " brick: {size: [0.1, 0.1, 0.05], cells: [2, 2, 1]}}]\n",
    "shells: [{name: a, material: foam, thickness: 0.002, damping: {stiffness: 0.003}, velocity: [%g, %g, 0],"
    " sheet: {corner: [-0.05, -0.05, 0.001], along: [0.1, 0, 0], across: [0, 0.1, 0], columns: 3, rows: 3}}]\n",
    "rods: [{name: a, material: foam, damping: {stiffness: 0.003}, velocity: [%g, %g, 0], section: {rectangle: {width: 0.02, height: 0.004}},"
    " director: [0, 1, 0], shape: {straight: {from: [-0.1, 0, 0.002], to: [0.1, 0, 0.002], nodes: 11}}}]\n",
    "rods: [{name: a, material: foam, damping: {stiffness: 0.003}, velocity: [%g, %g, 0], section: {circle: {radius: 0.003}},"
    " shape: {straight: {from: [-0.1, 0, 0.003], to: [0.1, 0, 0.003], nodes: 11}}}]\n",
};
enum { BLOCK, SHEET, STRIP, ROPE, SLIDERS };

/* Tops at z = 0: boxes in a row along x; twelve by twelve, some of them each other's neighbours in one body. */
static const char* const floors[] = {
    "rigid_bodies: [{name: tile, repeat: 14, motion: static, material: floor, position: [$(-0.263 + 0.087 * index), 0, -0.05],"
    " shapes: [{box: {size: [0.087, 1, 0.1]}}]}]\n",
    "rigid_bodies: [{name: tile, repeat: 72, motion: static, material: floor,"
    " position: [$(-0.263 + 0.174 * floor(index / 12)), \"$(-0.263 + 0.087 * mod(index, 12))\", -0.05],"
    " shapes: [{box: {size: [0.087, 0.087, 0.1]}, position: [-0.0435, 0, 0]}, {box: {size: [0.087, 0.087, 0.1]}, position: [0.0435, 0, 0]}]}]\n",
};

static FilWorld* make(const char* model, double dt, double mu, const char* floor, const char* slider, double speed, double angle)
{
    char objects[1024], text[2048];
    snprintf(objects, sizeof objects, slider, speed * cos(angle), speed * sin(angle));
    snprintf(text, sizeof text,
             "world: {dt: %g, contact: {model: %s}}\n"
             "materials: {foam: {young: 1e6, poisson: 0.3, density: 1000, friction: %g}, floor: {density: 1000, friction: %g}}\n%s%s",
             dt, model, mu, mu, floor, objects);
    return load_text(text);
}

/* Of its start: what is left of the speed along its way, what there is across it, and how fast it is thrown up or falls. */
typedef struct Result {
    double left, across, thrown;
} Result;

static Result slide(const char* model, double dt, double mu, const char* floor, const char* slider, double speed, double angle)
{
    FilWorld* world = make(model, dt, mu, floor, slider, speed, angle);
    const FilVec3 start = fil_world_momentum(world);
    const double mass = hypot(start.x, start.y) / speed;
    Result result = {.thrown = 0.0};
    for (int k = 0; k < (int)lround(0.3 / speed / dt); k++) {
        sample_run(world, 1);
        result.thrown = fmax(result.thrown, fabs(fil_world_momentum(world).z) / mass);
    }
    const FilVec3 p = fil_world_momentum(world);
    result.left = (p.x * cos(angle) + p.y * sin(angle)) / mass / speed;
    result.across = (p.y * cos(angle) - p.x * sin(angle)) / mass / speed;
    fil_world_destroy(world);
    return result;
}

static const char* const models[] = {"sap", "sap_lagged", "lcp"};

/* Where nothing rubs nothing is left at seams, whatever the step and the speed; they took a third of it and all. */
static void seams_take_no_speed(void** state)
{
    static const double steps[] = {1e-3, 4e-3}, speeds[] = {2.0, 0.5};
    (void)state;
    for (int m = 0; m < 3; m++) {
        for (int slider = 0; slider < SLIDERS; slider++) {
            for (int k = 0; k < 4; k++) {
                const Result r =
                    slide(models[m], steps[k / 2], 0.0, floors[k % 2], sliders[slider], speeds[(k + m + slider) % 2], k % 2 == 1 ? 0.4 : 0.0);
                assert_true(fabs(r.left - 1.0) < 1e-3 && fabs(r.across) < 1e-3 && r.thrown < 5e-3);
            }
        }
    }
}

/* Potentials act ahead of touch: ropes that hover over a floor meet no sides of it. */
static void hovering_ropes_meet_no_sides(void** state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const Result r = slide("imc", k / 2 == 0 ? 1e-3 : 4e-3, 0.0, floors[k % 2], sliders[ROPE], 2.0, k % 2 == 1 ? 0.4 : 0.0);
        assert_true(fabs(r.left - 1.0) < 1e-3 && fabs(r.across) < 1e-3 && r.thrown < 0.02);
    }
}

/* v = v0 - mu g t; sap itself lifts what slides, by dt mu v. */
static void friction_is_that_of_one_box(void** state)
{
    (void)state;
    const double speed = 2.0, mu = 0.2, left = 1.0 - mu * 9.81 * 0.3 / speed / speed;
    for (int m = 1; m < 3; m++) {
        for (int slider = 0; slider < SLIDERS; slider++) {
            const Result r = slide(models[m], 1e-3, mu, floors[0], sliders[slider], speed, 0.0);
            assert_true(fabs(r.left - left) < 1e-3);
        }
    }
}

/* How far its front comes in 0.3 s at 1 m/s, m, when 0.15 m from the origin a box rises above the others. */
static double stop(const char* model, int slider, double rise)
{
    char floor[512];
    snprintf(floor, sizeof floor,
             "rigid_bodies:\n"
             "  - {name: low, motion: static, material: floor, position: [-0.45, 0, -0.05], shapes: [{box: {size: [1.2, 1, 0.1]}}]}\n"
             "  - {name: high, motion: static, material: floor, position: [0.65, 0, %g], shapes: [{box: {size: [1, 1, 0.1]}}]}\n",
             rise - 0.05);
    FilWorld* world = make(model, 1e-3, 0.0, floor, sliders[slider], 1.0, 0.0);
    double front = -INFINITY;
    sample_run(world, 300);
    const int count = slider == BLOCK ? fil_solid_vertex_count(world, fil_world_find_solid(world, "a"))
                                      : (slider == SHEET ? fil_shell_vertex_count(world, fil_world_find_shell(world, "a")) : 11);
    double x[3 * 64];
    assert_true(count <= 64);
    if (slider == BLOCK) {
        fil_solid_get_positions(world, fil_world_find_solid(world, "a"), x);
    } else if (slider == SHEET) {
        fil_shell_get_positions(world, fil_world_find_shell(world, "a"), x);
    } else {
        fil_rod_get_positions(world, fil_world_find_rod(world, "a"), x);
    }
    for (int k = 0; k < count; k++) {
        front = fmax(front, x[3 * k]);
    }
    fil_world_destroy(world);
    return front;
}

/* Level is what contact does not resolve, a hundredth of what touches: some 0.1 mm of the block and the strip, 10 um of the sheet. What rises by a
 * quarter of the block's height, or over the sheet and the strip, is a wall; a rope rounds what is lower than its axis. */
static void steps_stop_what_comes(void** state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        assert_true(fabs(stop(models[m], BLOCK, 0.0) - 0.35) < 1e-3 && fabs(stop(models[m], ROPE, 0.0) - 0.4) < 1e-3);
        assert_true(stop(models[m], BLOCK, 2e-3) < 0.155 && stop(models[m], BLOCK, 0.0125) < 0.155 && stop(models[m], BLOCK, 0.08) < 0.155);
        assert_true(stop(models[m], SHEET, 2e-3) < 0.155 && stop(models[m], SHEET, 0.08) < 0.155);
        assert_true(stop(models[m], STRIP, 2e-3) < 0.155 && stop(models[m], STRIP, 0.08) < 0.155);
        assert_true(stop(models[m], ROPE, 0.02) < 0.155 && stop(models[m], ROPE, 0.08) < 0.155);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seams_take_no_speed),
        cmocka_unit_test(hovering_ropes_meet_no_sides),
        cmocka_unit_test(friction_is_that_of_one_box),
        cmocka_unit_test(steps_stop_what_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
