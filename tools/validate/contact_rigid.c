/* Rigid bodies against each other: rest, sliding, falling, spinning. */
#include <math.h>
#include <stdio.h>

#include "validate/contact.h"
#include "validate/contact_sandbox.h"

static const double GRAVITY = 9.81;
static const double COIN_RADIUS = 0.04, COIN_THICKNESS = 0.006;
static const char* const MODELS[] = {"sap", "sap_lagged"};

static double norm(FilVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static FilVec3 minus(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* ---- incline: gravity is tilted, the ground stays level ---- */

static FilSandbox block_on_incline(FilCheck* check, const char* model, double angle, double friction, FilId* block)
{
    FilSandbox box = fil_sandbox_begin(check, model, 1e-3);
    fil_sandbox_set_friction(&box, friction);
    fil_sandbox_set_gravity(&box, GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle));
    fil_sandbox_add_ground(&box);
    *block = fil_sandbox_add_cube(&box, 0.1, (FilVec3){0.0, 0.0, 0.05});
    return box;
}

/* Creep is the distance moved in the second second. */
static void check_sticking(FilCheck* check, const char* model, double angle, double friction)
{
    char what[96];
    FilId block;
    FilSandbox box = block_on_incline(check, model, angle, friction, &block);
    fil_sandbox_run(&box, 1000);
    const FilVec3 before = fil_sandbox_position(&box, block);
    fil_sandbox_run(&box, 1000);
    const FilVec3 moved = minus(fil_sandbox_position(&box, block), before);
    if (!box.failed) {
        snprintf(what, sizeof what, "%s: creep (m/s), mu = %g", model, friction);
        fil_check_below(check, what, norm(moved), 1e-4);  // over 1 s
        fil_sandbox_check_solution(&box, model);
    }
    fil_sandbox_end(&box);
}

/* Acceleration between two times after the start has settled: g (sin - mu cos). */
static void check_sliding(FilCheck* check, const char* model, double angle, double friction)
{
    char what[96];
    FilId block;
    FilSandbox box = block_on_incline(check, model, angle, friction, &block);
    fil_sandbox_run(&box, 100);
    const double before = fil_sandbox_velocity(&box, block).x;
    fil_sandbox_run(&box, 500);
    const double measured = (fil_sandbox_velocity(&box, block).x - before) / 0.5;
    if (!box.failed) {
        snprintf(what, sizeof what, "%s: acceleration (m/s^2), mu = %g", model, friction);
        fil_check_near(check, what, measured, GRAVITY * (sin(angle) - friction * cos(angle)), 0.01);
        fil_sandbox_check_solution(&box, model);
    }
    fil_sandbox_end(&box);
}

void fil_check_incline(FilCheck* check)
{
    const double angle = atan(0.5);
    for (int m = 0; m < 2; m++) {
        check_sticking(check, MODELS[m], angle, 0.51);  // two per cent more than it takes
        check_sticking(check, MODELS[m], angle, 0.8);
        check_sliding(check, MODELS[m], angle, 0.4);
        check_sliding(check, MODELS[m], angle, 0.2);
        check_sliding(check, MODELS[m], angle, 0.0);
    }
}

/* ---- drop ---- */

static void check_drop(FilCheck* check, const char* model, const FilShapeDef* shape, double half, const char* name)
{
    const double height = 0.5;
    char what[96];
    FilSandbox box = fil_sandbox_begin(check, model, 1e-3);
    fil_sandbox_add_ground(&box);
    const FilId body = fil_sandbox_add_shape(&box, shape, FIL_DYNAMIC, (FilVec3){0.0, 0.0, half + height});
    // it falls for sqrt(2 h / g) = 0.32 s; the highest point after that is the rebound
    fil_sandbox_run(&box, 330);
    double highest = -INFINITY, lowest = INFINITY;
    for (int k = 0; k < 700 && !box.failed; k++) {
        fil_sandbox_step(&box);
        const double z = fil_sandbox_position(&box, body).z - half;
        highest = fmax(highest, z);
        lowest = fmin(lowest, z);
    }
    if (!box.failed) {
        snprintf(what, sizeof what, "%s, %s: rebound / height", model, name);
        fil_check_below(check, what, highest / height, 0.01);
        snprintf(what, sizeof what, "%s, %s: depth / height", model, name);
        fil_check_below(check, what, -lowest / height, 1e-3);  // near-rigid: deeper means it went through
        snprintf(what, sizeof what, "%s, %s: speed at rest (m/s)", model, name);
        fil_check_below(check, what, norm(fil_sandbox_velocity(&box, body)), 1e-4);
        fil_sandbox_check_solution(&box, model);
    }
    fil_sandbox_end(&box);
}

void fil_check_drop(FilCheck* check)
{
    FilShapeDef cube = fil_shape_def_default(), ball = fil_shape_def_default();
    cube.type = FIL_SHAPE_BOX;
    cube.size = (FilVec3){0.1, 0.1, 0.1};
    ball.type = FIL_SHAPE_SPHERE;
    ball.radius = 0.05;
    for (int m = 0; m < 2; m++) {
        check_drop(check, MODELS[m], &cube, 0.05, "cube");
        check_drop(check, MODELS[m], &ball, 0.05, "ball");
    }
}

/* ---- stack ---- */

void fil_check_stack(FilCheck* check)
{
    enum { BOXES = 10 };
    FilSandbox box = fil_sandbox_begin(check, "sap", 1e-3);
    FilId ids[BOXES];
    FilVec3 start[BOXES];
    const FilId ground = fil_sandbox_add_ground(&box);
    for (int k = 0; k < BOXES; k++) {
        ids[k] = fil_sandbox_add_cube(&box, 0.1, (FilVec3){0.0, 0.0, 0.05 + 0.1 * k});
    }
    fil_sandbox_run(&box, 500);  // settles into its compliance
    for (int k = 0; k < BOXES; k++) {
        start[k] = fil_sandbox_position(&box, ids[k]);
    }
    fil_sandbox_run(&box, 60000);
    double drift = 0.0;
    for (int k = 0; k < BOXES; k++) {
        drift = fmax(drift, norm(minus(fil_sandbox_position(&box, ids[k]), start[k])));
    }
    if (!box.failed) {
        fil_check_below(check, "largest drift of ten boxes in 60 s (m)", drift, 1e-4);
        FilVec3 force, torque;
        fil_world_contact_wrench(box.world, ground, &force, &torque);
        fil_check_near(check, "force on the ground (N)", force.z, -BOXES * GRAVITY, 1e-5);  // ten boxes of 1 kg
        fil_sandbox_check_solution(&box, "stack");
    }
    fil_sandbox_end(&box);
}

/* ---- coin ---- */

/* Energy above rest, with the height half a step back: so measured the integrator's own free flight keeps it to the
 * last digit, and only contacts change it. */
static double coin_energy(const FilSandbox* box, FilId coin, double dt)
{
    const double mass = box->failed ? 0.0 : fil_rigid_mass(box->world, coin);
    return fil_sandbox_energy(box) - mass * GRAVITY * (0.5 * COIN_THICKNESS + 0.5 * dt * fil_sandbox_velocity(box, coin).z);
}

/* What contacts may have given back in the last step: force times the depth that their springs push out, and times the
 * g dt^2/2 that gravity pulls before the impulse acts at the step's end. */
static double given_back(const FilSandbox* box, double dt)
{
    double energy = 0.0;
    for (int k = 0; !box->failed && k < fil_world_contact_count(box->world); k++) {
        const FilContactInfo c = fil_world_contact(box->world, k);
        const double force = c.force.x * c.normal.x + c.force.y * c.normal.y + c.force.z * c.normal.z;
        energy += fmax(force, 0.0) * (fmax(-c.distance, 0.0) + 0.5 * GRAVITY * dt * dt);
    }
    return energy;
}

/* A coin let go with its axis tilted from the vertical, spinning about the vertical: it wobbles down, or rolls.
 * Whatever its contacts do, they only take energy; a dissipative surface leaves next to nothing to their springs. */
static void check_coin(FilCheck* check, const char* model, double tilt, double spin)
{
    const double dt = 1e-3;
    const FilSurface surface = {.friction = 0.3, .dissipation_time = 0.1, .dissipation = 1000.0};
    FilSandbox box = fil_sandbox_begin(check, model, dt);
    fil_sandbox_set_friction(&box, surface.friction);
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_CYLINDER;
    shape.radius = COIN_RADIUS;
    shape.length = COIN_THICKNESS;
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = &shape;
    def.shape_count = 1;
    def.collision.surface = surface;
    def.orientation = (FilQuat){sin(0.5 * tilt), 0.0, 0.0, cos(0.5 * tilt)};
    def.position = (FilVec3){0.0, 0.0, COIN_RADIUS * sin(tilt) + 0.5 * COIN_THICKNESS * cos(tilt)};
    def.angular_velocity = (FilVec3){0.0, 0.0, spin};
    const FilId ground = fil_sandbox_add_ground(&box), coin = fil_sandbox_add_body(&box, &def);
    if (!box.failed) {
        fil_sandbox_expect(&box, fil_world_set_pair_surface(box.world, ground, coin, &surface), "setting the surface");
    }
    const double start = coin_energy(&box, coin, dt);
    double last = start, rise = 0.0, unexplained = 0.0;
    for (int k = 0; k < 3000 && !box.failed; k++) {
        fil_sandbox_step(&box);
        const double energy = coin_energy(&box, coin, dt);
        rise = fmax(rise, energy - last);
        unexplained = fmax(unexplained, energy - last - given_back(&box, dt));
        last = energy;
    }
    if (!box.failed) {
        char what[96];
        snprintf(what, sizeof what, "%s, tilt %g: largest rise of the energy in a step / start", model, tilt);
        fil_check_below(check, what, rise / start, 1e-4);
        snprintf(what, sizeof what, "%s, tilt %g: the same beyond what contacts store", model, tilt);
        fil_check_below(check, what, unexplained / start, 1e-9);
        snprintf(what, sizeof what, "%s, tilt %g: energy after 3 s / start", model, tilt);
        fil_check_below(check, what, last / start, 0.9);
        fil_sandbox_check_solution(&box, model);
    }
    fil_sandbox_end(&box);
}

void fil_check_coin(FilCheck* check)
{
    for (int m = 0; m < 2; m++) {
        check_coin(check, MODELS[m], 1.2, 40.0);
        check_coin(check, MODELS[m], 0.6, 10.0);
    }
}

/* ---- free flight ---- */

/* A box of three different sizes tumbling about its middle axis, the unstable one. */
void fil_check_free_spin(FilCheck* check)
{
    static const struct {
        FilIntegrator integrator;
        const char* name;
        double momentum; /* allowed drift: the rotation follows the spin at the step's end, or in its middle */
    } cases[] = {{FIL_BACKWARD_EULER, "backward Euler", 5e-3}, {FIL_MIDPOINT, "midpoint", 1e-5}};
    for (int c = 0; c < 2; c++) {
        FilWorldDef def = fil_world_def_default();
        def.contact_model = "none";
        def.dt = 1e-3;
        def.gravity = (FilVec3){0.0, 0.0, 0.0};
        def.integrator = cases[c].integrator;
        FilSandbox box = fil_sandbox_begin_with(check, &def);
        FilShapeDef shape = fil_shape_def_default();
        shape.type = FIL_SHAPE_BOX;
        shape.size = (FilVec3){0.3, 0.2, 0.1};
        FilRigidDef body = fil_rigid_def_default();
        body.shapes = &shape;
        body.shape_count = 1;
        body.velocity = (FilVec3){1.0, 0.5, -0.2};
        body.angular_velocity = (FilVec3){0.01, 5.0, 0.02};
        fil_sandbox_add_body(&box, &body);
        if (!box.failed) {
            const double energy = fil_sandbox_energy(&box);
            const FilVec3 p = fil_world_momentum(box.world), l = fil_world_angular_momentum(box.world);
            double drift[3] = {0.0, 0.0, 0.0};
            for (int k = 0; k < 10000 && !box.failed; k++) {
                fil_sandbox_step(&box);
                drift[0] = fmax(drift[0], fabs(fil_sandbox_energy(&box) / energy - 1.0));
                drift[1] = fmax(drift[1], norm(minus(fil_world_momentum(box.world), p)) / norm(p));
                drift[2] = fmax(drift[2], norm(minus(fil_world_angular_momentum(box.world), l)) / norm(l));
            }
            char what[96];
            snprintf(what, sizeof what, "%s: drift of the energy in 10 s", cases[c].name);
            fil_check_below(check, what, drift[0], 1e-10);  // the midpoint rule keeps it: rounding
            snprintf(what, sizeof what, "%s: drift of the momentum", cases[c].name);
            fil_check_below(check, what, drift[1], 1e-12);
            snprintf(what, sizeof what, "%s: drift of the angular momentum", cases[c].name);
            fil_check_below(check, what, drift[2], cases[c].momentum);
        }
        fil_sandbox_end(&box);
    }
}

/* ---- collision in free space ---- */

void fil_check_collision(FilCheck* check)
{
    for (int m = 0; m < 2; m++) {
        FilSandbox box = fil_sandbox_begin(check, MODELS[m], 1e-3);
        fil_sandbox_set_gravity(&box, 0.0, 0.0, 0.0);
        FilShapeDef shape = fil_shape_def_default();
        shape.type = FIL_SHAPE_BOX;
        shape.size = (FilVec3){0.2, 0.1, 0.1};
        FilRigidDef a = fil_rigid_def_default(), b = fil_rigid_def_default();
        a.shapes = b.shapes = &shape;
        a.shape_count = b.shape_count = 1;
        a.velocity = (FilVec3){2.0, 0.1, 0.0};
        a.angular_velocity = (FilVec3){0.5, 1.0, -2.0};
        b.position = (FilVec3){0.4, 0.07, 0.03};
        b.velocity = (FilVec3){-1.0, 0.0, 0.2};
        b.mass = 5.0;
        fil_sandbox_add_body(&box, &a);
        fil_sandbox_add_body(&box, &b);
        if (!box.failed) {
            const FilVec3 p = fil_world_momentum(box.world), l = fil_world_angular_momentum(box.world);
            const double energy = fil_sandbox_energy(&box);
            int touched = 0;
            for (int k = 0; k < 300 && !box.failed; k++) {
                fil_sandbox_step(&box);
                touched += box.last.contacts > 0;
            }
            const FilVec3 dp = minus(fil_world_momentum(box.world), p), dl = minus(fil_world_angular_momentum(box.world), l);
            char what[96];
            snprintf(what, sizeof what, "%s: steps with contact", MODELS[m]);
            fil_check_above(check, what, touched, 1.0);
            snprintf(what, sizeof what, "%s: change of the momentum", MODELS[m]);
            fil_check_below(check, what, norm(dp) / norm(p), 1e-6);
            snprintf(what, sizeof what, "%s: change of the angular momentum", MODELS[m]);
            fil_check_below(check, what, norm(dl) / norm(l), 1e-2);
            snprintf(what, sizeof what, "%s: energy left", MODELS[m]);
            fil_check_below(check, what, fil_sandbox_energy(&box) / energy, 0.9);
            fil_sandbox_check_solution(&box, MODELS[m]);
        }
        fil_sandbox_end(&box);
    }
}
