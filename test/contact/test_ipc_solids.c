/* Barriers: things lie on a soft block of a fine mesh, whose linear systems are solved by conjugate gradients, and friction holds them. Steps
 * converge, and reactions are weights. */
/* ctest: heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "sample.h"
#include "scenes.h"

static const double GRAVITY = 9.81, PI = 3.14159265358979323846;

/* What lies on the block, half a millimetre above it. */
typedef struct Load {
    const char* text;
    double mass;       /* kg */
    double iterations; /* of Newton's method a step, at most */
} Load;

/* The block of 0.5 kg has 500 vertices. From 0.2 to 0.3 s the ground bears both weights: means of 25 steps, in which what still swings is some
 * 1e-5. Friction that was set aright vertex by vertex, whatever holds them, took 50 to 100 iterations a step, or ended the run at 0.06 s. */
static void bear(const Load* load)
{
    char text[1024];
    snprintf(text, sizeof text,
             "world: {dt: 0.004, contact: ipc}\n"
             "materials: {foam: {young: 3e5, poisson: 0.3, density: 1000, friction: 0.3}, wood: {density: 800, friction: 0.3}}\n"
             "solids: [{name: block, material: foam, damping: {stiffness: 0.01}, position: [0, 0, 0.0255],"
             " brick: {size: [0.1, 0.1, 0.05], cells: [9, 9, 4]}}]\n%s",
             load->text);
    FilWorld* world = load_text(text);
    const FilId ground = sample_ground(world);
    int iterations = 0;
    double borne = 0.0;
    for (int k = 0; k < 75; k++) {
        const FilStepInfo info = sample_run(world, 1);
        iterations += info.newton_iterations;
        borne -= k >= 50 ? sample_lift(world, ground) / 25.0 : 0.0;
    }
    fil_world_destroy(world);
    const double weight = (0.5 + load->mass) * GRAVITY;
    if (!(fabs(borne - weight) < 1e-3 * weight && iterations < 75.0 * load->iterations)) {
        fail_msg("%s: the ground bears %g of %g N; %g iterations a step", load->text, borne, weight, iterations / 75.0);
    }
}

static void loads_are_borne(void** state)
{
    const Load loads[] = {
        {"rigid_bodies: [{name: a, material: wood, position: [0.01, 0.005, 0.081], shapes: [{box: {size: [0.06, 0.06, 0.06]}}]}]\n",
         800.0 * 0.06 * 0.06 * 0.06, 10.0},
        {"rigid_bodies: [{name: a, material: wood, position: [0.003, 0.005, 0.081], shapes: [{sphere: {radius: 0.03}}]}]\n",
         800.0 * 4.0 / 3.0 * PI * 0.03 * 0.03 * 0.03, 20.0},
        {"rods: [{name: a, material: foam, section: {circle: {radius: 0.004}}, damping: {stiffness: 0.003, mass: 2},"
         " shape: {straight: {from: [-0.06, 0.003, 0.055], to: [0.06, 0.01, 0.055], nodes: 13}}}]\n",
         1000.0 * PI * 0.004 * 0.004 * hypot(0.12, 0.007), 35.0},
    };
    (void)state;
    for (int k = 0; k < 3; k++) {
        bear(&loads[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_are_borne)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
