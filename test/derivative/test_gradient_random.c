/* Gradients of steps in contact, of worlds chosen at random: kinds of bodies under every contact model that has gradients. A run with a number does
 * so many worlds of each, with a second one it begins at that, and prints what came out.
 * ctest: heavy */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gradient_check.h"
#include "random_text.h"

enum { STEPS = 2 };

#define SAP "world: {dt: 2e-3, contact: {model: sap, tolerance: 1e-13}, newton: {tolerance: 1e-14}}\n"

/* ---- soft arms ---- */

static void add_arm(Text* t, const char* name, const char* place, int sections, bool implicit)
{
    add(t, "{name: %s, %s, rotational_energy: %s, scheme: %s, surface: {friction: %.3f, stiffness: %.0f}, sections: [", name, place,
        pick(t, 0.0, 1.0) < 0.5 ? "true" : "false", implicit ? "implicit" : "semi_implicit", pick(t, 0.1, 0.8), pow(10.0, pick(t, 3.5, 5.0)));
    for (int k = 0; k < sections; k++) {
        add(t, "%s{length: %.4f, mass: %.3f, disks: 2, disk_radius: %.4f", k > 0 ? ", " : "", pick(t, 0.12, 0.2), pick(t, 0.1, 0.4),
            pick(t, 0.03, 0.045));
        add_vector(t, "elongation", 0.0, 0.0, 0.0, 0.01);
        add_vector(t, "rate", 0.0, 0.0, 0.0, 0.1);
        add(t, "}");
    }
    add(t, "]}");
}

/* Lying on the ground, by its rims and its barrels. */
static void arm_on_the_ground(Text* t)
{
    char place[100];
    snprintf(place, sizeof place, "position: [0, 0, %.5f], rotation: [0, %.4f, 0]", pick(t, 0.04, 0.06), pick(t, 1.5, 1.7));
    add(t, SAP "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}]\narms: [");
    add_arm(t, "a", place, 1 + (int)pick(t, 0.0, 3.0), pick(t, 0.0, 1.0) < 0.4);
    add(t, "]\n");
}

static void arm_on_a_ball(Text* t)
{
    const bool still = pick(t, 0.0, 1.0) < 0.5;
    add(t, SAP "rigid_bodies: [{name: b%s, mass: %.3f, shapes: [{sphere: {radius: %.4f}}]", still ? ", motion: static" : "", pick(t, 0.2, 2.0),
        pick(t, 0.05, 0.09));
    add_vector(t, "position", 0.25, 0.0, -0.1, 0.02);
    if (!still) {
        add_vector(t, "velocity", 0.0, 0.0, 0.5, 0.3);
    }
    add(t, "}]\narms: [");
    add_arm(t, "a", "rotation: [0, 1.57, 0]", 2, pick(t, 0.0, 1.0) < 0.4);
    add(t, "]\n");
}

/* Two arms that squeeze a ball. */
static void arms_and_a_ball(Text* t)
{
    add(t, SAP "rigid_bodies: [{name: b, mass: %.3f, shapes: [{sphere: {radius: %.4f}}]", pick(t, 0.2, 2.0), pick(t, 0.055, 0.07));
    add_vector(t, "position", 0.0, 0.0, -0.2, 0.005);
    add_vector(t, "velocity", 0.0, 0.0, 0.0, 0.1);
    add(t, "}]\narms: [");
    add_arm(t, "a", "position: [-0.1, 0, 0], rotation: [3.14159, -0.05, 0]", 2, false);
    add(t, ", ");
    add_arm(t, "c", "position: [0.1, 0, 0], rotation: [3.14159, 0.05, 0]", 2, false);
    add(t, "]\n");
}

static void arms_that_cross(Text* t)
{
    add(t, SAP "arms: [");
    add_arm(t, "a", "rotation: [0, 1.57, 0]", 2, false);
    add(t, ", ");
    char place[100];
    snprintf(place, sizeof place, "position: [%.4f, %.4f, 0.08], rotation: [-1.57, %.4f, 0]", pick(t, 0.15, 0.25), pick(t, -0.2, -0.15),
             pick(t, -0.3, 0.3));
    add_arm(t, "c", place, 2, false);
    add(t, "]\n");
}

static void rod_on_an_arm(Text* t)
{
    add(t,
        SAP
        "materials: {rubber: {young: 1e6, poisson: 0.4, density: 1100}}\nrods: [{name: r, material: rubber, section: {circle: {radius: 0.006}}, "
        "shape: {straight: {from: [%.4f, -0.2, %.4f], to: [%.4f, 0.2, %.4f], nodes: 7}}",
        pick(t, 0.15, 0.3), pick(t, 0.055, 0.07), pick(t, 0.15, 0.3), pick(t, 0.055, 0.07));
    add_vector(t, "velocity", 0.0, 0.0, -0.5, 0.2);
    add(t, pick(t, 0.0, 1.0) < 0.4 ? ", twist_free: true}]\narms: [" : "}]\narms: [");
    add_arm(t, "a", "rotation: [0, 1.57, 0]", 2, pick(t, 0.0, 1.0) < 0.4);
    add(t, "]\n");
}

/* ---- potentials: scenes, each under every setting that it can be had under ---- */

#define GROUND "{name: ground, motion: static, shapes: [{half_space: {}}]}"
#define RUBBER "materials: {rubber: {young: 1e6, poisson: 0.4, density: 1100}}\n"

typedef enum Model { IPC, IPC_ROUNDS, RODS_SAP, IMC, IMC_ROUNDS, IMC_ADAPTS, IMC_DEFAULT } Model;

/* How far above what they touch things begin: within reach of a few steps. */
static double gap_of(Model model)
{
    return model == IPC || model == IPC_ROUNDS ? 1e-3 : 0.0;
}

static void add_model(Text* t, Model model)
{
    static const char* const tight = "newton: {tolerance: 1e-13}}\n";
    t->friction = pick(t, 0.0, 1.0) < (model == IPC_ROUNDS || model == IMC_ROUNDS ? 0.0 : 0.2) ? 0.0 : pick(t, 0.1, 0.8);
    if (model == IPC || model == IPC_ROUNDS) {
        add(t, "world: {dt: 2e-3, contact: {model: ipc}, ipc: {range: %.5f, slip_speed: %.2e%s}, %s", pick(t, 1e-3, 3e-3),
            pow(10.0, pick(t, -3.5, -1.5)), model == IPC ? ", friction_iterations: 1" : "", tight);
        return;
    }
    if (model == RODS_SAP) {
        add(t, SAP);
        return;
    }
    add(t, "world: {dt: 1e-3, contact: {model: imc}, imc: {");
    if (model == IMC || model == IMC_ROUNDS) {  // soft enough that rods of 20 to 40 g do not bounce off within a step or two
        add(t, "stiffness: %.3f, rate: 0, dissipation: 0, reach: %.2f, ", pick(t, 1.0, 5.0), pick(t, 0.3, 0.5));
    }
    if (model != IMC_DEFAULT) {
        add(t, "static_speed: %.2e, ", pow(10.0, pick(t, -3.5, -1.5)));
    }
    add(t, "%s}, %s", model == IMC || model == IMC_ADAPTS ? "friction_iterations: 1" : "", tight);
}

static void add_body(Text* t, const char* name, const char* shape, double x, double y, double z, double fall)
{
    add(t, "{name: %s, mass: %.3f, shapes: [{%s}], rotation: [%.4f, %.4f, %.4f]", name, pick(t, 0.2, 2.0), shape, pick(t, -0.5, 0.5),
        pick(t, -0.5, 0.5), pick(t, -3.0, 3.0));
    add_vector(t, "position", x, y, z, 0.01);
    add_vector(t, "velocity", 0.0, 0.0, -fall, 0.3);
    add_vector(t, "angular_velocity", 0.0, 0.0, 0.0, 3.0);
    add(t, "}");
}

static void bodies_on_the_ground(Text* t, Model model)
{
    static const char* const shapes[] = {"sphere: {radius: 0.1}", "box: {size: [0.2, 0.15, 0.1]}", "capsule: {radius: 0.05, length: 0.2}",
                                         "cylinder: {radius: 0.06, length: 0.1}"};
    add_model(t, model);
    add(t, "rigid_bodies: [" GROUND ", ");
    add_body(t, "a", shapes[(int)pick(t, 0.0, 4.0)], 0.0, 0.0, 0.16, 0.5);
    add(t, "]\n");
}

static void bodies_that_meet(Text* t, Model model)
{
    static const char* const shapes[] = {"sphere: {radius: 0.1}", "box: {size: [0.2, 0.15, 0.1]}", "capsule: {radius: 0.05, length: 0.2}"};
    add_model(t, model);
    add(t, "rigid_bodies: [");
    add_body(t, "a", shapes[(int)pick(t, 0.0, 3.0)], 0.0, 0.0, 0.0, 0.0);
    add(t, ", ");
    add_body(t, "b", shapes[(int)pick(t, 0.0, 3.0)], 0.03, 0.02, 0.32, 2.0);
    add(t, "]\n");
}

/* The nodes of a rod from y0 to y1, and its velocity. */
static void add_path(Text* t, double y0, double y1, double z)
{
    for (int k = 0; k < 6; k++) {
        add(t, "%s[%.4f, %.4f, %.4f]", k > 0 ? ", " : "", -0.2 + 0.08 * k + pick(t, -0.01, 0.01), y0 + (y1 - y0) * k / 5.0 + pick(t, -0.01, 0.01),
            z + pick(t, -0.003, 0.003));
    }
    add(t, "]}}");
    add_vector(t, "velocity", 0.0, 0.0, -0.3, 0.3);
    add(t, "}");
}

static void add_rod(Text* t, const char* name, double y0, double y1, double z)
{
    add(t,
        "{name: %s, material: rubber, section: {circle: {radius: 0.006}}, twist: %.3f, spin: %.2f, damping: {stiffness: %.4f}, shape: {polyline: "
        "{points: [",
        name, pick(t, -1.0, 1.0), pick(t, -20.0, 20.0), pick(t, 0.0, 1.0) < 0.5 ? 0.0 : pick(t, 0.0, 0.01));
    add_path(t, y0, y1, z);
}

/* A rod without twist. */
static void add_cord(Text* t, const char* name, double y0, double y1, double z)
{
    add(t, "{name: %s, material: rubber, section: {circle: {radius: 0.006}}, twist_free: true, damping: {mass: %.3f}, shape: {polyline: {points: [",
        name, pick(t, 0.0, 1.0));
    add_path(t, y0, y1, z);
}

/* Twisted, damped or not, free or clamped. */
static void rod_on_the_ground_sap(Text* t)
{
    const bool clamped = pick(t, 0.0, 1.0) < 0.3;
    add(t, SAP RUBBER "rigid_bodies: [{name: ground, motion: static, surface: {stiffness: %.0f}, shapes: [{half_space: {}}]}]\nrods: [",
        pow(10.0, pick(t, 3.5, 5.0)));
    add_rod(t, "a", 0.0, 0.05, 0.012);
    add(t, clamped ? "]\nattachments: [{name: wall, clamp: {rod: a, node: 0}}]\n" : "]\n");
}

static void rod_on_the_ground(Text* t, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rigid_bodies: [" GROUND "]\nrods: [");
    add_rod(t, "a", 0.0, 0.05, 0.012 + gap_of(model));
    add(t, "]\n");
}

static void rods_that_cross(Text* t, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rods: [");
    add_rod(t, "a", -0.1, 0.1, 0.0);
    add(t, ", ");
    add_rod(t, "b", 0.1, -0.1, 0.02 + gap_of(model));
    add(t, "]\nattachments: [{name: l, pin: {rod: a, node: 0}}, {name: r, pin: {rod: a, node: -1}}]\n");
}

/* Within a tenth of a radius of nodes, where two edges share what touches them. */
static void add_straight(Text* t, bool cord, const char* name, double x, double y, double z)
{
    const double off[3] = {pick(t, -5e-4, 5e-4), pick(t, -5e-4, 5e-4), pick(t, -2e-4, 2e-4)}, turn[2] = {pick(t, -0.02, 0.02), pick(t, -0.02, 0.02)};
    const double twist = pick(t, -1.0, 1.0), spin = pick(t, -20.0, 20.0);
    add(t, "{name: %s, material: rubber, section: {circle: {radius: 0.006}}, ", name);
    if (cord) {
        add(t, "twist_free: true, shape: {polyline: {points: [");
    } else {
        add(t, "twist: %.3f, spin: %.2f, shape: {polyline: {points: [", twist, spin);
    }
    for (int k = -3; k <= 3; k++) {
        add(t, "%s[%.6f, %.6f, %.6f]", k > -3 ? ", " : "", k * (x + turn[0]) + off[0], k * (y + turn[1]) + off[1],
            z + off[2] + 5e-4 * k * k * pick(t, -1.0, 1.0));
    }
    add(t, "]}}");
    add_vector(t, "velocity", 0.0, 0.0, -0.3, 0.3);
    add(t, "}");
}

static void cross_at_nodes(Text* t, bool cords, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rods: [");
    add_straight(t, cords, "a", 0.06, 0.0, 0.0);
    add(t, ", ");
    add_straight(t, cords, "b", 0.0, 0.06, 0.0135 + gap_of(model));
    add(t, "]\nattachments: [{name: l, pin: {rod: a, node: 0}}, {name: r, pin: {rod: a, node: -1}}]\n");
}

static void rods_that_cross_at_nodes(Text* t, Model model)
{
    cross_at_nodes(t, false, model);
}

static void cords_that_cross_at_nodes(Text* t, Model model)
{
    cross_at_nodes(t, true, model);
}

/* Under imc balls are held, as it lets rods touch what nothing pushes, and so they are under sap. */
static void rod_on_a_ball(Text* t, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rigid_bodies: [");
    if (model >= RODS_SAP) {
        add(t, "{name: b, motion: static, shapes: [{sphere: {radius: 0.05}}]");
        add_vector(t, "position", 0.0, 0.0, -0.06, 0.01);
        add(t, "}");
    } else {
        add_body(t, "b", "sphere: {radius: 0.05}", 0.0, 0.0, -0.06, 0.0);
    }
    add(t, "]\nrods: [");
    add_rod(t, "a", -0.02, 0.02, model >= RODS_SAP ? 0.02 : 0.028);
    add(t, "]\n");
}

/* What moves, under a node. */
static void rod_and_a_body_at_a_node(Text* t, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rods: [");
    add_straight(t, pick(t, 0.0, 1.0) < 0.3, "a", 0.06, 0.0, 0.0135 + gap_of(model));
    add(t, "]\nrigid_bodies: [{name: b, mass: %.3f, shapes: [{%s}], rotation: [%.4f, 0, 0]", pick(t, 0.2, 2.0),
        pick(t, 0.0, 1.0) < 0.5 ? "sphere: {radius: 0.05}" : "capsule: {radius: 0.05, length: 0.2}", pick(t, 1.4, 1.7));
    add_vector(t, "position", 0.0, 0.0, -0.0435, 2e-4);
    add_vector(t, "velocity", 0.0, 0.0, 0.0, 0.3);
    add_vector(t, "angular_velocity", 0.0, 0.0, 0.0, 3.0);
    add(t, "}]\n");
}

static void cord_on_the_ground(Text* t, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rigid_bodies: [" GROUND "]\nrods: [");
    add_cord(t, "a", 0.0, 0.05, 0.012);
    add(t, "]\n");
}

/* Which a drive turns. */
static void cord_on_a_ball(Text* t, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rigid_bodies: [{name: b, motion: kinematic, shapes: [{sphere: {radius: 0.05}}]");
    add_vector(t, "position", 0.0, 0.0, -0.06, 0.01);
    add(t, "}]\nrods: [");
    add_cord(t, "a", -0.02, 0.02, 0.004);
    add(t, "]\ndrives: [{name: d, body: b, rotation: [[0, 0, 0, 0], [1, %.3f, %.3f, %.3f]]}]\n", pick(t, -3.0, 3.0), pick(t, -3.0, 3.0),
        pick(t, -3.0, 3.0));
}

/* A face that moves is met by nodes. */
static void cord_on_a_box(Text* t, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rigid_bodies: [{name: b, mass: %.3f, shapes: [{box: {size: [1, 0.6, 0.1]}}]", pick(t, 0.2, 2.0));
    add_vector(t, "position", 0.0, 0.0, -0.05, 0.0);
    add_vector(t, "angular_velocity", 0.0, 0.0, 0.0, 0.3);
    add_vector(t, "velocity", 0.0, 0.0, 0.0, 0.3);
    add(t, "}]\nrods: [");
    add_cord(t, "a", -0.02, 0.02, 0.013);
    add(t, "]\n");
}

static void cord_and_a_ball(Text* t, Model model)
{
    add_model(t, model);
    add(t, RUBBER "rigid_bodies: [");
    add_body(t, "b", "sphere: {radius: 0.05}", 0.0, 0.0, -0.06, 0.0);
    add(t, "]\nrods: [");
    add_cord(t, "a", -0.02, 0.02, 0.004);
    add(t, "]\n");
}

/* Over a rod, or over another cord. */
static void cords_that_cross(Text* t, Model model)
{
    const bool twists = pick(t, 0.0, 1.0) < 0.3;
    add_model(t, model);
    add(t, RUBBER "rods: [");
    (twists ? add_rod : add_cord)(t, "a", -0.1, 0.1, 0.0);
    add(t, ", ");
    add_cord(t, "b", 0.1, -0.1, 0.02);
    add(t, "]\nattachments: [{name: l, pin: {rod: a, node: 0}}, {name: r, pin: {rod: a, node: -1}}]\n");
}

static void arm_on_the_ground_potential(Text* t, Model model)
{
    char place[100];
    snprintf(place, sizeof place, "position: [0, 0, %.5f], rotation: [0, %.4f, 0]", pick(t, 0.065, 0.075), pick(t, 1.55, 1.65));
    add_model(t, model);
    add(t, "rigid_bodies: [" GROUND "]\narms: [");
    add_arm(t, "a", place, 1 + (int)pick(t, 0.0, 2.0), false);
    add(t, "]\n");
}

static void arm_on_a_ball_potential(Text* t, Model model)
{
    add_model(t, model);
    add(t, "rigid_bodies: [");
    add_body(t, "b", "sphere: {radius: 0.06}", 0.25, 0.0, 0.12, 1.0);
    add(t, "]\narms: [");
    add_arm(t, "a", "rotation: [0, 1.57, 0]", 2, false);
    add(t, "]\n");
}

static void cylinder_on_a_box(Text* t, Model model)
{
    add_model(t, model);
    add(t,
        "rigid_bodies: [{name: table, motion: static, position: [0, 0, -0.1], rotation: [0.05, -0.03, 0.2], shapes: [{box: {size: [1, 1, 0.2]}}]}, ");
    add_body(t, "a", "cylinder: {radius: 0.06, length: 0.1}", 0.0, 0.0, 0.14, 0.5);
    add(t, "]\n");
}

static void robot_and_ball(Text* t, Model model)
{
    add_model(t, model);
    add(t, "robots: [{name: r, urdf: ../robots/planar3.urdf, rotation: [0.3, 0.2, 0.1], joints: [");
    static const char* const joints[] = {"shoulder", "elbow", "wrist"};
    static const double at[] = {0.5, 0.7, 0.4};
    for (int k = 0; k < 3; k++) {
        add(t, "%s{joint: %s, position: %.3f, velocity: %.3f, gains: {stiffness: 50, damping: 2}}", k > 0 ? ", " : "", joints[k],
            at[k] + pick(t, -0.03, 0.03), pick(t, 0.0, 1.0));
    }
    add(t, "]}]\nrigid_bodies: [");
    add_body(t, "b", "sphere: {radius: 0.1}", 0.726, -0.064, 0.165, -1.0);
    add(t, "]\n");
}

/* A kind of world under sap, or a scene under a model. */
typedef struct Kind {
    const char* name;
    void (*make)(Text* text);
    void (*scene)(Text* text, Model model);
    Model model;
    int before; /* steps before those that are differentiated, at most */
} Kind;

static const Kind kinds[] = {
    {.name = "arms on the ground, sap", .make = arm_on_the_ground, .before = 30},
    {.name = "arms on a ball, sap", .make = arm_on_a_ball, .before = 40},
    {.name = "arms that hold a ball, sap", .make = arms_and_a_ball, .before = 60},
    {.name = "rods on arms, sap", .make = rod_on_an_arm, .before = 60},
    {.name = "rods on soft ground, sap", .make = rod_on_the_ground_sap, .before = 60},
    {.name = "arms that cross, sap", .make = arms_that_cross, .before = 60},
};

static const struct {
    const char* name;
    void (*scene)(Text* text, Model model);
    bool rods, sap; /* and what is held: all that imc lets touch; known under sap */
} scenes[] = {
    {"bodies on the ground", bodies_on_the_ground, false, false},
    {"bodies that meet", bodies_that_meet, false, false},
    {"rods on the ground", rod_on_the_ground, true, true},
    {"rods that cross", rods_that_cross, true, true},
    {"rods that cross at nodes", rods_that_cross_at_nodes, true, true},
    {"rods on a ball", rod_on_a_ball, true, true},
    {"rods and a body at a node", rod_and_a_body_at_a_node, false, true},
    {"cords on the ground", cord_on_the_ground, false, true},
    {"cords on a ball that turns", cord_on_a_ball, false, true},
    {"cords on a box", cord_on_a_box, false, false},
    {"cords and a ball", cord_and_a_ball, false, true},
    {"cords that cross", cords_that_cross, false, true},
    {"cords that cross at nodes", cords_that_cross_at_nodes, false, true},
    {"robots and a ball", robot_and_ball, false, false},
    {"arms on the ground", arm_on_the_ground_potential, false, false},
    {"arms on a ball", arm_on_a_ball_potential, false, false},
    {"cylinders on a box", cylinder_on_a_box, false, false},
};

/* As enum Model has them. */
static const char* const models[] = {
    "ipc", "ipc with friction found again", "sap", "imc", "imc with friction found again", "imc that adapts", "imc as it comes"};

static int worlds = 10, first = 1;
static bool prints;

/* Contacts that bear, begin to, or cease to in the steps that are differentiated. */
typedef enum Moment { BORNE, MADE, BROKEN, MOMENTS } Moment;

/* After how many steps that is so; -1: never. The world returns to where it was. */
static int choose_time(FilWorld* world, Moment moment, int before, Random* random)
{
    const size_t size = fil_world_snapshot_size(world);
    void* snapshot = malloc(size);
    const int max = 3 * before, min = moment == MADE ? 0 : (int)random_between(random, 0.0, before);
    int last = 0, chosen = -1;
    fil_world_save(world, snapshot);
    for (int s = 1; s <= max && chosen < 0; s++) {
        if (fil_world_step(world, NULL) != FIL_OK) {  // begins with things in each other
            break;
        }
        const int now = gradient_bearing(world);
        const bool fits = moment == BORNE ? now > 0 && last > 0 : moment == MADE ? now > last : now < last;
        chosen = fits && s > min ? s - 1 : -1;
        last = now;
    }
    gradient_ok(world, fil_world_restore(world, snapshot, size));
    free(snapshot);
    return chosen;
}

/* Whether something touched in the steps that were differentiated, with what came out. */
static bool check_world(const Kind* kind, int seed, GradientCheck* check, char* refusal, size_t room)
{
    Random random = {(uint64_t)seed * 1000003U};
    Text t = {.random = &random, .friction = -1.0};
    kind->make != NULL ? kind->make(&t) : kind->scene(&t, kind->model);
    FilWorld* world = gradient_load(t.text);
    if (t.friction >= 0.0) {
        gradient_ok(world, fil_world_set_friction(world, t.friction));
    }
    FilGradient* gradient = NULL;
    gradient_ok(world, fil_gradient_create(world, &gradient));
    const int steps = choose_time(world, (Moment)(seed % MOMENTS), kind->before, &random);
    const bool touches = steps >= 0;
    *refusal = '\0';
    for (int s = 0; s < steps; s++) {
        gradient_ok(world, fil_world_step(world, NULL));
    }
    if (touches) {
        const size_t size = fil_world_snapshot_size(world);
        void* snapshot = malloc(size);
        fil_world_save(world, snapshot);
        FilStatus status = FIL_OK;
        for (int s = 0; s < STEPS && status == FIL_OK; s++) {
            status = fil_gradient_step(gradient, NULL);
        }
        const uint64_t hash = fil_world_hash(world);
        snprintf(refusal, room, "%s", status == FIL_OK ? "" : fil_world_error(world));
        gradient_ok(world, fil_world_restore(world, snapshot, size));
        for (int s = 0; s < STEPS && status == FIL_OK; s++) {
            gradient_ok(world, fil_world_step(world, NULL));
        }
        assert_true(status != FIL_OK || fil_world_hash(world) == hash);  // gradients change no step
        gradient_ok(world, fil_world_restore(world, snapshot, size));
        free(snapshot);
        if (status == FIL_OK) {
            *check = gradient_check(gradient, world, &random, STEPS);
        }
    }
    fil_gradient_destroy(gradient);
    fil_world_destroy(world);
    return touches;
}

static void check_kind(const Kind* kind)
{
    int shown = 0, kinks = 0, doubtful = 0, refused = 0, tried = 0;
    double worst = 0.0, adjoint = 0.0;
    for (int seed = first; shown < worlds && tried < 6 * worlds; seed++, tried++) {
        GradientCheck check;
        char refusal[300];
        if (!check_world(kind, seed, &check, refusal, sizeof refusal)) {
            continue;
        }
        if (*refusal != '\0') {
            refused++;
            if (prints) {
                printf("  %s %d: %s\n", kind->name, seed, refusal);
            }
            continue;
        }
        if (prints) {
            printf("  %s %d: error %.1e, doubt %.1e, adjoint %.1e%s\n", kind->name, seed, check.error, check.doubt, check.adjoint,
                   check.kink ? ", kink" : "");
        }
        adjoint = fmax(adjoint, check.adjoint);
        const bool decided = check.doubt <= GRADIENT_DECIDES;
        kinks += !decided && check.kink;
        doubtful += !decided && !check.kink;
        shown += decided;
        worst = decided ? fmax(worst, check.error) : worst;
        if (!prints && decided && !(check.error <= 1e-6)) {
            fail_msg("%s, world %d: error %g of central differences, which agree to %g", kind->name, seed, check.error, check.doubt);
        }
    }
    if (prints) {
        printf("%s: %d worlds, error %.1e, adjoint %.1e; %d at a kink, %d in doubt, %d refused\n", kind->name, shown, worst, adjoint, kinks, doubtful,
               refused);
    } else {
        assert_true(adjoint <= 1e-10);
        assert_int_equal(shown, worlds);
    }
}

static void check_wanted(const Kind* kind)
{
    const char* only = getenv("GRADIENT_KIND");
    if (only == NULL || strstr(kind->name, only) != NULL) {
        check_kind(kind);
    }
}

static void random_worlds_vary_as_their_differences(void** state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        check_wanted(&kinds[k]);
    }
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        for (Model m = IPC; m <= IMC_DEFAULT; m++) {
            char name[100];
            snprintf(name, sizeof name, "%s, %s", scenes[k].name, models[m]);
            if (m < RODS_SAP || (m == RODS_SAP ? scenes[k].sap : scenes[k].rods)) {
                check_wanted(&(Kind){.name = name, .scene = scenes[k].scene, .model = m, .before = 60});
            }
        }
    }
}

int main(int argc, char** argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_worlds_vary_as_their_differences)};
    worlds = argc > 1 ? atoi(argv[1]) : worlds;
    first = argc > 2 ? atoi(argv[2]) : first;
    prints = argc > 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
