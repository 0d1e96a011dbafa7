/* Pressure patches against closed forms: forces, torsion, and flat faces that lie still. */
#include <math.h>
#include <stdio.h>

#include "validate/contact_sandbox.h"
#include "validate/patch.h"

static const double GRAVITY = 9.81, FRICTION = 0.5;
static const char* const models[] = {"sap", "sap_lagged", "lcp"};

/* A dynamic body of one compliant shape, 1 kg, on the ground. */
typedef struct Soft {
    FilShapeDef shape;
    double modulus, resolution; /* Pa, m */
    double height, spin;        /* m, rad/s */
    double inertia;             /* kg m^2 about every axis; 0: the shape's own */
    double mass;                /* kg */
    bool whole;
} Soft;

static FilId add_soft(FilSandbox* box, const Soft* soft)
{
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = &soft->shape;
    def.shape_count = 1;
    def.position.z = soft->height;
    def.angular_velocity.z = soft->spin;
    def.mass = soft->mass;
    for (int k = 0; k < 3; k++) {
        def.inertia[k] = soft->inertia;
    }
    def.collision.surface = (FilSurface){.friction = FRICTION, .modulus = soft->modulus, .resolution = soft->resolution, .whole = soft->whole};
    return fil_sandbox_add_body(box, &def);
}

static FilSandbox begin(FilCheck* check, const char* model, double dt)
{
    FilSandbox box = fil_sandbox_begin(check, model, dt);
    fil_sandbox_set_friction(&box, FRICTION);
    fil_sandbox_add_ground(&box);
    return box;
}

static Soft soft_ball(double resolution)
{
    Soft soft = {.shape = fil_shape_def_default(), .modulus = 1e5, .resolution = resolution, .mass = 1.0};
    soft.shape.type = FIL_SHAPE_SPHERE;
    soft.shape.radius = 0.05;
    return soft;
}

/* F = pi E x^2 (1 - 2 x/(3 R)) */
static double ball_force(double x)
{
    return M_PI * 1e5 * x * x * (1.0 - 2.0 * x / (3.0 * 0.05));
}

/* Depth at which a ball bears its weight. */
static double ball_depth(void)
{
    double x = 5e-3;
    for (int k = 0; k < 50; k++) {
        x *= sqrt(GRAVITY / ball_force(x));
    }
    return x;
}

/* ---- forces ---- */

/* The force that the closed form has at the depth where a ball of 1 kg comes to rest, over its weight. */
static double rest(FilCheck* check, const char* model, double resolution)
{
    FilSandbox box = begin(check, model, 5e-3);
    Soft ball = soft_ball(resolution);
    ball.height = 0.05 - ball_depth();
    const FilId id = add_soft(&box, &ball);
    double sum = 0.0;
    fil_sandbox_run(&box, 200);
    for (int k = 0; k < 100; k++) {  // what is left of its bouncing has a mean
        fil_sandbox_step(&box);
        sum += ball_force(0.05 - fil_sandbox_position(&box, id).z) / 100.0;
    }
    fil_sandbox_end(&box);
    return sum / GRAVITY;
}

void fil_check_patch_sphere(FilCheck* check)
{
    char what[96];
    for (int m = 0; m < 3; m++) {
        snprintf(what, sizeof what, "%s: force of a ball over pi E x^2 (1 - 2 x/(3 R))", models[m]);
        fil_check_near(check, what, rest(check, models[m], 4e-3), 1.0, 0.01);
    }
    const double coarse = fabs(rest(check, "sap_lagged", 8e-3) - 1.0), fine = fabs(rest(check, "sap_lagged", 4e-3) - 1.0);
    fil_check_note(check, "error with cells of 8 mm", coarse);
    fil_check_note(check, "error with cells of 4 mm", fine);
    fil_check_above(check, "order of convergence in the resolution", log2(coarse / fine), 1.5);
}

/* Per length E (a - h^2/r asinh(a/h)), h = r - x, a^2 = r^2 - h^2. */
void fil_check_patch_rod(FilCheck* check)
{
    enum { NODES = 6 };
    const double r = 2e-3, modulus = 1e3;
    for (int m = 0; m < 2; m++) {
        FilSandbox box = begin(check, models[m], 2e-3);
        double nodes[3 * NODES] = {0.0};
        for (int i = 0; i < NODES; i++) {
            nodes[3 * i] = 0.01 * i;
            nodes[3 * i + 2] = r - 1e-4;
        }
        FilRodDef def = fil_rod_def_default();
        def.node_count = NODES;
        def.nodes = nodes;
        def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = r, .young = 1e6, .poisson = 0.4, .density = 1000.0};
        def.damping_mass = 20.0;
        def.collision.surface.modulus = modulus;
        const FilId rod = fil_sandbox_add_rod(&box, &def);
        fil_sandbox_run(&box, 1500);
        if (!box.failed) {
            fil_rod_get_positions(box.world, rod, nodes);
            // the middle edge, away from the ends, where the rod bends
            const double x = r - 0.5 * (nodes[8] + nodes[11]), h = r - x, a = sqrt(r * r - h * h);
            char what[96];
            snprintf(what, sizeof what, "%s: force per length (N/m)", models[m]);
            fil_check_near(check, what, modulus * (a - h * h / r * asinh(a / h)), 1000.0 * M_PI * r * r * GRAVITY, 0.01);
        }
        fil_sandbox_end(&box);
    }
}

/* ---- torsion ---- */

/* The torque that slows a body which spins on the spot; its inertia is so large that it hardly slows down. */
static double torque(FilCheck* check, const char* model, Soft soft, double spin, double dt)
{
    soft.spin = spin;
    soft.inertia = 1.0;
    FilSandbox box = begin(check, model, dt);
    const FilId body = add_soft(&box, &soft);
    const int steps = (int)(0.05 / dt);
    fil_sandbox_run(&box, 4 * steps);
    const double before = fil_sandbox_spin(&box, body).z;
    fil_sandbox_run(&box, steps);
    const double after = fil_sandbox_spin(&box, body).z;
    fil_sandbox_end(&box);
    return soft.inertia * (before - after) / (dt * steps);
}

static Soft soft_disk(void)
{
    Soft disk = {.shape = fil_shape_def_default(), .modulus = 1e6, .resolution = 8e-3, .mass = 1.0};
    disk.shape.type = FIL_SHAPE_CYLINDER;
    disk.shape.radius = 0.05;
    disk.shape.length = 0.1;
    disk.height = 0.05 - GRAVITY / (M_PI * 1e6 * 0.05);  // m g = pi E R x
    return disk;
}

void fil_check_patch_torsion(FilCheck* check)
{
    Soft square = {.shape = fil_shape_def_default(), .modulus = 1e6, .resolution = 8e-3, .mass = 1.0};
    square.shape.type = FIL_SHAPE_BOX;
    square.shape.size = (FilVec3){0.1, 0.1, 0.1};
    square.height = 0.05 - GRAVITY / (1e6 * 0.01 / 0.05);  // m g = E a^2 x/H
    Soft ball = soft_ball(2.5e-3);
    const double x = ball_depth(), press = FRICTION * GRAVITY;
    ball.height = 0.05 - x;
    for (int m = 1; m < 3; m++) {
        // the pyramid of "lcp" lies inside the cone: between cos(pi/8) and 1 of it, for 8 directions
        const double mean = m == 2 ? 0.5 * (1.0 + cos(M_PI / 8.0)) : 1.0, tolerance = m == 2 ? 0.05 : 0.02;
        char what[96];
        snprintf(what, sizeof what, "%s: torsion of a disk over 2/3 mu N a", models[m]);
        fil_check_near(check, what, torque(check, models[m], soft_disk(), 20.0, 1e-3) / (2.0 / 3.0 * press * 0.05), mean, tolerance);
        snprintf(what, sizeof what, "%s: torsion of a square over 0.3826 mu N a", models[m]);
        fil_check_near(check, what, torque(check, models[m], square, 20.0, 1e-3) / (0.3826 * press * 0.1), mean, tolerance);
        snprintf(what, sizeof what, "%s: torsion of a ball over 8/15 mu N a", models[m]);
        fil_check_near(check, what, torque(check, models[m], ball, 10.0, 1e-3) / (8.0 / 15.0 * press * sqrt(2.0 * 0.05 * x - x * x)), mean,
                       tolerance);
    }
}

/* "sap" presses a contact that slides at v as if it lay dt mu v deeper (docs/sap.md). Of a disk that spins at w that is c w r with
 * c = mu dt: it rises by 2/3 c w a until the force is its weight again, the pressure x - 2/3 c w a + c w r moves outwards, and the
 * torque grows to 2/3 mu N a (1 + c w a/(12 x)), as long as c w a < 3/2 x. Beyond it stands on its rim alone. */
void fil_check_patch_convex_lift(FilCheck* check)
{
    const double dt = 1e-3, x = GRAVITY / (M_PI * 1e6 * 0.05);
    Soft disk = soft_disk();
    disk.whole = true;  // nine contacts would stand for another pressure than this
    for (int k = 0; k < 3; k++) {
        const double lift = 0.3 * (1 << k), spin = lift * x / (FRICTION * dt * 0.05);
        char what[96];
        snprintf(what, sizeof what, "sap: torsion over 2/3 mu N a, spinning at %.2f rad/s", spin);
        fil_check_near(check, what, torque(check, "sap", disk, spin, dt) / (2.0 / 3.0 * FRICTION * GRAVITY * 0.05), 1.0 + lift / 12.0, 0.01);
    }
}

/* ---- flat faces ---- */

/* Two boxes on each other at 10 ms. Without a margin they would rock by dt^2 g = 1 mm. */
void fil_check_patch_flat(FilCheck* check)
{
    for (int m = 0; m < 2; m++) {
        FilSandbox box = begin(check, models[m], 1e-2);
        Soft soft = {.shape = fil_shape_def_default(), .modulus = 1e5, .resolution = 0.05, .mass = 0.2};
        soft.shape.type = FIL_SHAPE_BOX;
        soft.shape.size = (FilVec3){0.2, 0.15, 0.08};
        // they begin where they bear their weight: E A/H = 7.5e4 N/m below, half of that in between
        const double sunk = 2.0 * 0.2 * GRAVITY / 7.5e4, start[2] = {0.04 - sunk, 0.12 - 2.0 * sunk};
        FilId boxes[2];
        for (int k = 0; k < 2; k++) {
            soft.height = start[k];
            boxes[k] = add_soft(&box, &soft);
        }
        double rock = 0.0, creep = 0.0;
        for (int step = 0; step < 500 && !box.failed; step++) {
            fil_sandbox_step(&box);
            for (int k = 0; k < 2; k++) {
                FilVec3 p;
                FilQuat q;
                fil_rigid_get_pose(box.world, boxes[k], &p, &q);
                rock = fmax(rock, 0.13 * 2.0 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z));
                creep = fmax(creep, hypot(hypot(p.x, p.y), p.z - start[k]));
            }
        }
        char what[96];
        snprintf(what, sizeof what, "%s: rocking at the corners (m)", models[m]);
        fil_check_below(check, what, rock, 1e-6);
        snprintf(what, sizeof what, "%s: way in 5 s (m)", models[m]);
        fil_check_below(check, what, creep, 1e-6);
        fil_sandbox_end(&box);
    }
}
