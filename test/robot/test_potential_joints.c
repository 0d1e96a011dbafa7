/* Joints, motors, limits and robots under contact models of potential level: derivatives of everything together, and
 * the same motion and forces as at velocity level. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "body/rod.h"
#include "sample.h"
#include "scenes.h"
#include "world/world.h"

#define ROBOTS FILUM_SOURCE_DIR "/config/robots/"

static const char* const potential_models[] = {"imc", "spt", "ipc"};
enum { MODELS = sizeof potential_models / sizeof potential_models[0] };

/* A chain of three links near the ground: the second joint presses on its limit, the third follows the first. */
static const char chain[] =
    "<robot name='chain'><link name='base'/>"
    "<link name='a'><inertial><origin xyz='0.1 0 0'/><mass value='0.5'/><inertia ixx='0.001' iyy='0.002' "
    "izz='0.002'/></inertial></link>"
    "<link name='b'><inertial><origin xyz='0.1 0 0'/><mass value='0.4'/><inertia ixx='0.001' iyy='0.002' "
    "izz='0.002'/></inertial></link>"
    "<link name='c'><inertial><origin xyz='0.1 0 0'/><mass value='0.3'/><inertia ixx='0.001' iyy='0.002' "
    "izz='0.002'/></inertial>"
    "<collision><origin xyz='0.2 0 0'/><geometry><sphere radius='0.02'/></geometry></collision></link>"
    "<joint name='one' type='revolute'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/>"
    "<limit lower='-2' upper='2' effort='20' velocity='5'/><dynamics damping='0.1' friction='0.3'/></joint>"
    "<joint name='two' type='revolute'><parent link='a'/><child link='b'/><origin xyz='0.2 0 0'/><axis xyz='0 1 0'/>"
    "<limit lower='-0.2' upper='0' effort='20' velocity='5'/></joint>"
    "<joint name='three' type='revolute'><parent link='b'/><child link='c'/><origin xyz='0.2 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='-2' upper='2' effort='20' velocity='5'/><mimic joint='one' multiplier='0.5'/></joint></robot>";

static FilWorld* precise_world(const char* model)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    def.contact_model = model;
    def.newton_tolerance = 1e-10;
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    FilSapSettings sap = fil_sap_settings_default();
    FilImcSettings imc = fil_imc_settings_default();
    sap.tolerance = 1e-10;
    imc.dissipation = 0.1;  // as smooth as differences need it
    assert_int_equal(fil_world_set_sap_settings(world, &sap), FIL_OK);
    assert_int_equal(fil_world_set_imc_settings(world, &imc), FIL_OK);
    return world;
}

static FilId add_robot(FilWorld* world, const char* file, const char* text, FilVec3 position)
{
    FilRobotDef def = fil_robot_def_default();
    FilId id;
    def.position = position;
    def.collision.enabled = world->solver.model->misfit == NULL;  // imc and spt let rods touch, not links
    if (fil_world_add_robot_urdf(world, &def, file, text, text != NULL ? strlen(text) : 0, NULL, 0, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    return id;
}

static void send(FilWorld* world, FilId robot, int joint, FilJointMode mode, double position, double velocity, double effort)
{
    const FilJointCommand command = {mode, position, velocity, effort};
    assert_int_equal(fil_robot_set_joint_command(world, robot, joint, &command), FIL_OK);
}

/* The rod's first node, to the last link of the chain. */
static void weld_to_chain(FilWorld* world, FilId rod)
{
    FilJointDef weld = fil_joint_def_default();
    FilId id;
    weld.kind = FIL_JOINT_WELD;
    weld.a = rod;
    weld.b = fil_world_find_link(world, "c");
    assert_int_equal(fil_world_add_joint(world, &weld, &id), FIL_OK);
}

/* ---- derivatives ---- */

static double noise(uint64_t* seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / (double)(UINT64_C(1) << 52) - 1.0;
}

/* The potential of bodies, contacts and joints together at v, and its gradient. */
static double total(FilWorld* world, const double* v, double* gradient)
{
    double sum = 0.0, own;
    memset(gradient, 0, sizeof(double) * (size_t)world->system.v_count);
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        if (fil_potential_takes_part(&world->solver, b)) {
            assert_true(body->ops->evaluate(body->impl, v + body->v, 0.0, gradient + body->v, &own));
            sum += own;
        }
    }
    sum += world->solver.model->field->add(&world->solver, v, gradient);
    return sum + fil_potential_joints_add(&world->solver, v, gradient);
}

/* Back inside the step: the state that it began with. */
static void reopen_step(FilWorld* world)
{
    const FilState end = world->system.state;
    world->system.state = world->system.next;
    world->system.next = end;
}

/* A chain of links whose last one, where the model lets links touch, and the rod that it holds are within reach of the ground. */
static FilWorld* busy_world(const char* model)
{
    FilWorld* world = precise_world(model);
    FilIpcSettings ipc = fil_ipc_settings_default();
    ipc.slip_speed = 0.1;  // smooth over differences
    assert_int_equal(fil_world_set_ipc_settings(world, &ipc), FIL_OK);
    if (strcmp(model, "spt") != 0) {  // which knows no ground
        sample_ground(world);
    }
    const FilId robot = add_robot(world, NULL, chain, (FilVec3){0.0, 0.0, 0.0207});
    const FilId rod = sample_rod(world, 9, 5e-3, (FilVec3){0.65, 0.0, 0.0056}, (FilVec3){0.02, 0.0, 0.0}, (FilVec3){0.0, 0.0, 0.0});
    weld_to_chain(world, rod);
    send(world, robot, 0, FIL_JOINT_POSITION, 0.05, 0.0, 0.0);
    send(world, robot, 1, FIL_JOINT_EFFORT, 0.0, 0.0, 3.0);
    (void)sample_run(world, 2);
    reopen_step(world);
    assert_true(strcmp(model, "ipc") != 0 || world->solver.ipc.slides.count >= 8);  // the rod's points, and the last link's
    assert_true(world->solver.contact.constraint_count >= 8);                       // motor, limits, friction, mimic, four of the weld
    return world;
}

/* What two forces of rods do along d in the gradient evaluated last, though no potential has them:
 * - Node forces turn frames about the edge by nothing, the potential's frames by the angle that carrying them from the step's start t0
 *   straight to t + dt makes besides carrying them over t: the triangle's solid angle (t0 x t) . dt / (1 + t0 . t), against the edge's
 *   elastic torque. It is of the order of the turn in a step, and of the torque: friction that twists a rod shows it.
 * - The gyroscopic couple of an edge that spins, J gamma_dot (rate x e) / l^3 on its nodes, does no work along the motion itself only. */
static double rod_excess(const FilWorld* world, const double* d)
{
    double sum = 0.0;
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        if (body->ops != &fil_rod_ops) {
            continue;
        }
        const FilRodBody* rods = body->impl;
        assert_int_equal(rods->rod_count, 1);  // open ones suffice here
        for (int i = 0; i + 1 < rods->node_count; i++) {
            const double *x = rods->q_theta + 4 * i, *v = rods->v_theta + 4 * i, *way = d + body->v + 4 * i;
            const double *t0 = rods->h0[i].tangent, dt = rods->setup.dt;
            double t[3], turn[3], ahead[3], rate[3], couple[3];
            fil_v3_sub(t, x + 4, x);
            fil_v3_sub(rate, v + 4, v);
            fil_v3_sub(ahead, way + 4, way);
            const double length = fil_v3_normalise(t);
            fil_v3_cross(turn, t0, t);
            sum += dt * rods->gradient[4 * i + 3] * fil_v3_dot(turn, ahead) / (length * (1.0 + fil_v3_dot(t0, t)));
            fil_v3_cross(couple, rate, t);
            sum += dt * rods->mass[4 * i + 3] * v[3] * fil_v3_dot(couple, ahead) / (length * length);
        }
    }
    return sum;
}

/* Compares the gradient with differences of the potential along random directions. */
static void check_gradient(FilWorld* world, const char* what)
{
    const int n = world->system.v_count;
    double v[128], d[128], at[128], gradient[128], ignored[128];
    assert_true(n <= 128);
    uint64_t seed = 7;
    for (int trial = 0; trial < 20; trial++) {
        for (int k = 0; k < n; k++) {
            v[k] = world->system.scratch.solution[k] + 1e-3 * noise(&seed);
            d[k] = noise(&seed);
        }
        for (int b = 0; b < world->system.body_count; b++) {  // what stands still is no unknown
            const FilBody* body = &world->system.bodies[b];
            for (int k = body->v; k < body->v + body->v_count && !body->moves; k++) {
                v[k] = d[k] = 0.0;
            }
        }
        (void)total(world, v, gradient);
        double slope = -rod_excess(world, d), size = 0.0, found = 0.0;
        for (int k = 0; k < n; k++) {
            slope += gradient[k] * d[k];
            size += fabs(gradient[k] * d[k]);
        }
        // five points, fourth order
        static const double weight[] = {1.0 / 12.0, -2.0 / 3.0, 0.0, 2.0 / 3.0, -1.0 / 12.0};
        const double h = 1e-5;
        for (int s = -2; s <= 2; s++) {
            for (int k = 0; k < n; k++) {
                at[k] = v[k] + s * h * d[k];
            }
            found += weight[s + 2] * total(world, at, ignored) / h;
        }
        // what is left is the rounding of potentials: 1e-16 of some 1 J over h
        if (fabs(found - slope) > 1e-6 * size + 1e-9) {
            fail_msg("%s, trial %d: slope %.12g, differences give %.12g", what, trial, slope, found);
        }
    }
}

static void gradients_of_everything(void** state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        FilWorld* world = busy_world(potential_models[m]);
        check_gradient(world, potential_models[m]);
        fil_world_destroy(world);
    }
}

/* Barriers between objects that move: a soft arm above the ground and beside a link's box, that box and a rod. */
static void gradients_between_chains(void** state)
{
    (void)state;
    static const char text[] =
        "world: {dt: 1e-3, contact: ipc, ipc: {slip_speed: 0.1}}\n"  // smooth over differences
        "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000, friction: 0.5}}\n"
        "rigid_bodies: [{name: ground, motion: static, surface: {friction: 0.5}, position: [0, 0, -0.0007], shapes: "
        "[{half_space: {}}]}]\n"
        "arms:\n"
        "  - {name: arm, position: [0, 0, 0.3], rotation: [3.141592653589793, 0, 0], surface: {friction: 0.5},\n"
        "     sections: [{mass: 0.5, disks: 2, disk_radius: 0.02, disk_thickness: 0.01, length: 0.15},\n"
        "                {mass: 0.5, disks: 2, disk_radius: 0.02, disk_thickness: 0.01, length: 0.145}]}\n"
        "rods:\n"
        "  - {name: rod, material: rubber, section: {circle: {radius: 0.005}},\n"
        "     shape: {straight: {nodes: 7, from: [0, -0.0256, 0.05], to: [0, -0.0256, 0.2]}}}\n";
    static const char finger[] =
        "<robot name='finger'><link name='base'/><link name='tip'><inertial><mass value='0.2'/>"
        "<inertia ixx='0.001' iyy='0.001' izz='0.001'/></inertial>"
        "<collision><geometry><box size='0.05 0.02 0.1'/></geometry></collision></link>"
        "<joint name='bend' type='revolute'><parent link='base'/><child link='tip'/><origin xyz='0.01 -0.0412 0.1'/>"
        "<axis xyz='0.3 0.1 1'/><limit lower='-1' upper='1' effort='10' velocity='5'/></joint></robot>";
    FilWorld* world = load_text(text);
    (void)add_robot(world, NULL, finger, (FilVec3){0.0, 0.0, 0.0});
    (void)sample_run(world, 2);
    reopen_step(world);
    assert_true(world->solver.ipc.active_count > 0 && world->solver.ipc.slides.count > 0);
    check_gradient(world, "ipc");
    fil_world_destroy(world);
}

/* Along a Newton direction H^-1 r the gradient changes by r. */
static void tangents_of_everything(void** state)
{
    (void)state;
    static const char* const models[] = {"imc", "ipc"};  // spt has no second derivatives
    for (int m = 0; m < 2; m++) {
        FilWorld* world = busy_world(models[m]);
        const FilPotentialAim aim = {.centred = true, .accuracy = 1e-8, .norm = 1.0};
        const int n = world->system.v_count;
        double v[128], wanted[128] = {0.0}, direction[128] = {0.0}, at[128], up[128], down[128];
        uint64_t seed = 11;
        for (int trial = 0; trial < 10; trial++) {
            FilStepInfo info = {0};
            double largest = 0.0, error[2] = {0.0}, size[2] = {0.0};  // of the robot, of the rod
            for (int k = 0; k < n; k++) {
                v[k] = world->system.scratch.solution[k] + 1e-4 * noise(&seed);
                wanted[k] = world->system.scratch.weight[k] > 0.0 ? noise(&seed) / sqrt(world->system.scratch.weight[k]) : 0.0;
            }
            (void)total(world, v, up);
            if (world->solver.model->field->center != NULL) {  // friction's model, about v
                world->solver.model->field->center(&world->solver, v);
            }
            assert_int_equal(fil_potential_solve_all(&world->solver, world->solver.model->field, &aim, v, wanted, direction, &info), FIL_OK);
            assert_int_equal(info.regularised, 0);
            for (int k = 0; k < n; k++) {
                largest = fmax(largest, fabs(direction[k]));
            }
            for (int side = -1; side <= 1; side += 2) {
                for (int k = 0; k < n; k++) {
                    at[k] = v[k] + side * 1e-5 / largest * direction[k];
                }
                (void)total(world, at, side > 0 ? up : down);
            }
            for (int k = 0; k < n; k++) {
                const double change = (up[k] - down[k]) / (2e-5 / largest), w = world->system.scratch.weight[k];
                const int of = k < world->system.bodies[2].v ? 0 : 1;
                error[of] += w * (change - wanted[k]) * (change - wanted[k]);
                size[of] += w * wanted[k] * wanted[k];
            }
            // differences leave 1e-7; the tangent leaves out how links turn their contacts' Jacobians under ipc, dt^2 F
            // L against their inertia, and of the rod how its frames turn
            if (!(sqrt(error[0]) < (m == 0 ? 1e-6 : 1e-4) * sqrt(size[0])) || !(sqrt(error[1]) < 1e-3 * sqrt(size[1]))) {
                fail_msg("%s, trial %d: off by %g and %g", models[m], trial, sqrt(error[0] / size[0]), sqrt(error[1] / size[1]));
            }
        }
        fil_world_destroy(world);
    }
}

/* ---- the same motion ---- */

/* Without contact all models solve the same equations: those of sap. */
static void robots_move_as_under_sap(void** state)
{
    (void)state;
    double position[MODELS + 1][9], effort[MODELS + 1][9];
    for (int m = 0; m <= MODELS; m++) {
        FilWorld* world = precise_world(m == 0 ? "sap" : potential_models[m - 1]);
        const FilId arm = add_robot(world, ROBOTS "arm6.urdf", NULL, (FilVec3){0.0, 0.0, 0.0});
        const FilId gripper = add_robot(world, ROBOTS "gripper.urdf", NULL, (FilVec3){3.0, 0.0, 1.0});
        send(world, arm, 0, FIL_JOINT_POSITION, 0.4, 0.0, 0.0);
        send(world, arm, 1, FIL_JOINT_VELOCITY, 0.0, 0.5, 0.0);
        send(world, arm, 2, FIL_JOINT_POSITION, 5.0, 0.0, 0.0);  // beyond its limit, with all its effort
        send(world, arm, 3, FIL_JOINT_EFFORT, 0.0, 0.0, 0.01);   // less than its friction
        send(world, gripper, 0, FIL_JOINT_POSITION, 0.1, 0.0, 0.0);
        send(world, gripper, 1, FIL_JOINT_EFFORT, 0.0, 0.0, 5.0);
        (void)sample_run(world, 400);
        for (int j = 0; j < 9; j++) {
            const FilJointState joint = fil_robot_joint_state(world, j < 6 ? arm : gripper, j < 6 ? j : j - 6);
            position[m][j] = joint.position;
            effort[m][j] = joint.effort;
        }
        fil_world_destroy(world);
    }
    for (int m = 1; m <= MODELS; m++) {
        for (int j = 0; j < 9; j++) {
            // both solve to 1e-10 a step
            if (fabs(position[m][j] - position[0][j]) > 1e-7 || fabs(effort[m][j] - effort[0][j]) > 1e-4 * (1.0 + fabs(effort[0][j]))) {
                fail_msg("%s: joint %d at %.12g with effort %.9g, under sap at %.12g with %.9g", potential_models[m - 1], j, position[m][j],
                         effort[m][j], position[0][j], effort[0][j]);
            }
        }
    }
    assert_true(position[0][2] > 2.69 && position[0][2] < 2.701);  // at its limit
}

/* A motor that is asked for more than it has gives what it has, exactly. */
static void efforts_are_capped(void** state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        FilWorld* world = precise_world(potential_models[m]);
        const FilId arm = add_robot(world, ROBOTS "arm6.urdf", NULL, (FilVec3){0.0, 0.0, 0.0});
        send(world, arm, 1, FIL_JOINT_POSITION, -1.9, 0.0, 0.0);
        (void)sample_run(world, 20);
        assert_true(fabs(fil_robot_joint_state(world, arm, 1).effort + 150.0) < 1e-9);
        fil_world_destroy(world);
    }
}

/* ---- grips ---- */

/* Two fingers carry a box by friction, and the contacts tell how much: its weight. */
static void fingers_hold_by_friction(void** state)
{
    (void)state;
    static const FilSetting settings[] = {{"gap", "1e-3"}, {"mu", "0.6"}};
    const FilSceneOptions options = {.contact_model = "ipc", .settings = settings, .setting_count = 2};
    FilWorld* world = NULL;
    FilError error;
    if (fil_scene_load(FILUM_SOURCE_DIR "/config/scenes/gripper_pinch.yaml", &options, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    (void)sample_run(world, 1000);  // on the way up, steadily
    const double lift = fil_robot_joint_state(world, fil_world_find_robot(world, "first"), 0).position;
    assert_true(lift > 0.15);
    assert_true(fabs(sample_position(world, fil_world_find_rigid(world, "box")).z - 0.025 - lift) < 3e-3);
    FilVec3 force, torque;
    fil_world_contact_wrench(world, fil_world_find_rigid(world, "box"), &force, &torque);
    assert_true(fabs(force.z - 0.3 * 9.81) < 1e-6 * 0.3 * 9.81);
    fil_world_destroy(world);
}

/* What is restored goes on with the same bits, in the middle of a grip. */
static void grips_are_state(void** state)
{
    (void)state;
    static const char* const models[] = {"ipc", "lcp"};
    static const FilSetting apart = {"gap", "1e-3"};
    for (int m = 0; m < 2; m++) {
        const FilSceneOptions options = {.contact_model = models[m], .settings = &apart, .setting_count = 1};
        FilWorld* world = NULL;
        FilError error;
        if (fil_scene_load(FILUM_SOURCE_DIR "/config/scenes/gripper_pinch.yaml", &options, &world, NULL, &error) != FIL_OK) {
            fail_msg("%s", error.text);
        }
        (void)sample_run(world, 430);
        void* snapshot = malloc(fil_world_snapshot_size(world));
        assert_non_null(snapshot);
        fil_world_save(world, snapshot);
        uint64_t hashes[2];
        for (int run = 0; run < 2; run++) {
            assert_int_equal(fil_world_restore(world, snapshot, fil_world_snapshot_size(world)), FIL_OK);
            (void)sample_run(world, 40);
            hashes[run] = fil_world_hash(world);
        }
        free(snapshot);
        assert_true(hashes[0] == hashes[1]);
        fil_world_destroy(world);
    }
}

/* ---- joints between bodies ---- */

/* A cube hangs from the world, a ball from the cube: the joints tell their weights, and do not give. */
static void joints_hold(void** state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        FilWorld* world = precise_world(potential_models[m]);
        const FilId cube = sample_cube(world, 0.1, 0.0, 0.0, 0.0), ball = sample_ball(world, 0.05, 0.3, 0.0, 0.0);
        FilJointDef def = fil_joint_def_default();
        FilId weld, pin;
        def.kind = FIL_JOINT_WELD;
        def.a = cube;
        assert_int_equal(fil_world_add_joint(world, &def, &weld), FIL_OK);
        def.kind = FIL_JOINT_PIN;
        def.b = ball;
        def.point = (FilVec3){0.3, 0.0, 0.2};
        assert_int_equal(fil_world_add_joint(world, &def, &pin), FIL_OK);
        (void)sample_run(world, 400);
        const double g = 9.81, ball_weight = g * fil_rigid_mass(world, ball), weight = g * fil_rigid_mass(world, cube);
        assert_true(fabs(fil_joint_force(world, pin).z - ball_weight) < 1e-6 * ball_weight);
        // on its second side, which is the world
        assert_true(fabs(fil_joint_force(world, weld).z + ball_weight + weight) < 1e-6 * weight);
        assert_true(fabs(fil_joint_torque(world, weld).y - 0.3 * ball_weight) < 1e-3 * ball_weight);
        // as rigid as a step can resolve: g dt^2 / (4 pi^2) and less
        assert_true(sample_distance(sample_position(world, cube), (FilVec3){0.0, 0.0, 0.0}) < 1e-5);
        assert_true(sample_distance(sample_position(world, ball), (FilVec3){0.3, 0.0, 0.0}) < 1e-4);
        fil_world_destroy(world);
    }
}

/* A rod welded to a link bends under its weight as it does under sap. */
static void links_hold_rods(void** state)
{
    (void)state;
    double tip[MODELS + 1] = {0.0};
    for (int m = 0; m <= MODELS; m++) {
        FilWorld* world = precise_world(m == 0 ? "sap" : potential_models[m - 1]);
        const FilId robot = add_robot(world, NULL, chain, (FilVec3){0.0, 0.0, 0.0});
        const FilId rod = sample_rod(world, 11, 5e-3, (FilVec3){0.65, 0.0, 0.0}, (FilVec3){0.03, 0.0, 0.0}, (FilVec3){0.0, 0.0, 0.0});
        weld_to_chain(world, rod);
        send(world, robot, 0, FIL_JOINT_POSITION, 0.0, 0.0, 0.0);
        send(world, robot, 1, FIL_JOINT_POSITION, -0.1, 0.0, 0.0);
        (void)sample_run(world, 200);
        tip[m] = sample_node(world, rod, 10).z;
        fil_world_destroy(world);
    }
    assert_true(fabs(tip[0]) > 1e-3);
    for (int m = 1; m <= MODELS; m++) {
        // sap solves about the free motion, the others in full: a difference of order dt
        if (fabs(tip[m] - tip[0]) > 0.01 * fabs(tip[0])) {
            fail_msg("%s: the rod's tip is at %g, under sap at %g", potential_models[m - 1], tip[m], tip[0]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_everything), cmocka_unit_test(gradients_between_chains),
        cmocka_unit_test(tangents_of_everything),  cmocka_unit_test(robots_move_as_under_sap),
        cmocka_unit_test(efforts_are_capped),      cmocka_unit_test(fingers_hold_by_friction),
        cmocka_unit_test(grips_are_state),         cmocka_unit_test(joints_hold),
        cmocka_unit_test(links_hold_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
