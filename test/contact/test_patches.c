/* ctest: wrap-malloc */
/* Contact by pressure patches: closed forms of weight and torsion, flat faces that lie still, reports, and who refuses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "heap_steps.h"
#include "sample.h"

static const double PI = 3.14159265358979323846, GRAVITY = 9.81;
static const char* const models[] = {"sap", "sap_lagged", "lcp"};

/* A body of one shape with a compliant surface. */
typedef struct Soft {
    FilShapeDef shape;
    FilVec3 position, spin;
    double mass, modulus, resolution, friction, damping;
    bool whole;
} Soft;

static FilId add_soft(FilWorld* world, const Soft* soft)
{
    FilRigidDef def = fil_rigid_def_default();
    def.shapes = &soft->shape;
    def.shape_count = 1;
    def.position = soft->position;
    def.angular_velocity = soft->spin;
    def.motion = FIL_DYNAMIC;
    def.mass = soft->mass;
    def.collision.surface = (FilSurface){.friction = soft->friction,
                                         .modulus = soft->modulus,
                                         .resolution = soft->resolution,
                                         .dissipation_time = soft->damping,
                                         .dissipation = 1e3 * soft->damping,
                                         .whole = soft->whole};
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
    return id;
}

static Soft soft_ball(double radius, double modulus, double resolution)
{
    Soft soft = {.shape = fil_shape_def_default(), .mass = 1.0, .modulus = modulus, .resolution = resolution, .friction = 0.5};
    soft.shape.type = FIL_SHAPE_SPHERE;
    soft.shape.radius = radius;
    soft.position.z = radius;
    soft.damping = 0.05;
    return soft;
}

static Soft soft_box(double x, double y, double z, double height)
{
    Soft soft = {.shape = fil_shape_def_default(), .mass = 0.2, .modulus = 1e5, .resolution = 0.05, .friction = 0.5};
    soft.shape.type = FIL_SHAPE_BOX;
    soft.shape.size = (FilVec3){x, y, z};
    soft.position.z = height;
    return soft;
}

/* F = pi E x^2 (1 - 2 x/(3 R)) of a ball that lies x deep in a plane. */
static double ball_force(double modulus, double radius, double x)
{
    return PI * modulus * x * x * (1.0 - 2.0 * x / (3.0 * radius));
}

/* The depth at rest bears the weight. Error of the field's facets: O(resolution^2). */
static void a_ball_sinks_by_its_weight(void** state)
{
    (void)state;
    static const struct {
        double resolution, tolerance;
        bool whole;
    } cases[] = {{0.0, 0.05, false}, {4e-3, 0.01, false}, {4e-3, 0.01, true}};
    for (int m = 0; m < 3; m++) {
        for (int k = 0; k < (m == 2 ? 2 : 3); k++) {  // pivoting through hundreds of contacts would take long
            FilWorld* world = sample_world(models[m], 5e-3);
            sample_ground(world);
            Soft soft = soft_ball(0.05, 1e5, cases[k].resolution);
            soft.whole = cases[k].whole;
            soft.position.z -= 5e-3;
            const FilId ball = add_soft(world, &soft);
            const FilStepInfo info = sample_run(world, 200);
            const double force = ball_force(1e5, 0.05, 0.05 - sample_position(world, ball).z);
            print_message("%s %g %d: force %g of %g, %d contacts of %d, change %g\n", models[m], cases[k].resolution, k, force, GRAVITY,
                          info.contacts, info.patch_polygons, info.patch_change);
            assert_true(fabs(force / GRAVITY - 1.0) < cases[k].tolerance);
            assert_true(cases[k].whole ? info.contacts == info.patch_polygons : info.contacts <= 9);
            assert_true(info.patch_polygons > 9);
            fil_world_destroy(world);
        }
    }
}

/* A ball and a rigid box whose margin, 1e-4 m, is more than their sizes have them look around: seen ahead, whichever was added first. */
static void small_objects_are_seen_ahead(void** state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        FilWorld* world = sample_world("sap", 1e-3);
        Soft softs[2] = {soft_ball(1e-3, 1e5, 0.0), soft_box(1e-3, 1e-3, 1e-3, -5e-4)};
        softs[0].position.z += 8e-5;
        softs[0].mass = softs[1].mass = 1e-5;
        softs[1].modulus = 0.0;
        (void)add_soft(world, &softs[first]);
        (void)add_soft(world, &softs[1 - first]);
        assert_true(sample_run(world, 1).patch_polygons > 0);
        fil_world_destroy(world);
    }
}

/* Without a margin they would rock by dt^2 g = 1 mm. They begin where they bear their weight: E A/H = 7.5e4 N/m below, half of that
 * in between. */
static void flat_faces_lie_still(void** state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        FilWorld* world = sample_world(models[m], 1e-2);
        sample_ground(world);
        const double sunk = 2.0 * 0.2 * GRAVITY / 7.5e4, start[2] = {0.04 - sunk, 0.12 - 2.0 * sunk};
        const Soft low = soft_box(0.2, 0.15, 0.08, start[0]), high = soft_box(0.2, 0.15, 0.08, start[1]);
        const FilId boxes[2] = {add_soft(world, &low), add_soft(world, &high)};
        double rock = 0.0, creep = 0.0;
        for (int step = 0; step < 200; step++) {
            sample_run(world, 1);
            for (int k = 0; k < 2; k++) {
                FilVec3 p;
                FilQuat q;
                fil_rigid_get_pose(world, boxes[k], &p, &q);
                const double turn = 2.0 * sqrt(q.x * q.x + q.y * q.y + q.z * q.z), reach = 0.13;
                rock = fmax(rock, reach * turn);
                creep = fmax(creep, sample_distance(p, (FilVec3){0.0, 0.0, start[k]}));
            }
        }
        print_message("%s: rocks by %g m, moves by %g m\n", models[m], rock, creep);
        assert_true(rock < 1e-6 && creep < 1e-6);
        fil_world_destroy(world);
    }
}

/* Spinning on the spot: the torque is mu times the mean radius of the pressure. */
static double spin_down(const char* model, const Soft* soft, double inertia, double seconds)
{
    FilWorld* world = sample_world(model, 1e-3);
    sample_ground(world);
    const FilId body = add_soft(world, soft);
    FilVec3 v, before, after;
    sample_run(world, 20);
    fil_rigid_get_velocity(world, body, &v, &before);
    const int steps = (int)(seconds / 1e-3);
    sample_run(world, steps);
    fil_rigid_get_velocity(world, body, &v, &after);
    fil_world_destroy(world);
    assert_true(after.z > 0.0);
    return inertia * (before.z - after.z) / (1e-3 * steps);
}

static void spinning_bodies_slow_down(void** state)
{
    (void)state;
    // the same friction for both sides: 0.5
    Soft disk = {.shape = fil_shape_def_default(), .mass = 1.0, .modulus = 1e6, .friction = 0.5, .damping = 0.01};
    disk.shape.type = FIL_SHAPE_CYLINDER;
    disk.shape.radius = 0.05;
    disk.shape.length = 0.1;
    disk.resolution = 8e-3;
    disk.spin.z = 20.0;
    // depth at rest: m g = pi E R x
    disk.position.z = 0.05 - GRAVITY / (PI * 1e6 * 0.05);
    Soft ball = soft_ball(0.05, 1e5, 2.5e-3);
    ball.spin.z = 10.0;
    double x = 5e-3;
    for (int k = 0; k < 50; k++) {
        x *= sqrt(GRAVITY / ball_force(1e5, 0.05, x));
    }
    ball.position.z = 0.05 - x;
    // not "sap": its convex friction lifts what slides by mu v dt, as much as these lie deep
    for (int m = 1; m < 3; m++) {
        const double flat = spin_down(models[m], &disk, 0.5 * 0.05 * 0.05, 0.05) / (2.0 / 3.0 * 0.5 * GRAVITY * 0.05);
        const double round = spin_down(models[m], &ball, 0.4 * 0.05 * 0.05, 0.05) / (8.0 / 15.0 * 0.5 * GRAVITY * sqrt(2.0 * 0.05 * x - x * x));
        print_message("%s: disk %g, ball %g\n", models[m], flat, round);
        // the pyramid of "lcp" lies inside the cone: cos(pi/8) at least, for 8 directions
        const double min = m == 2 ? cos(PI / 8.0) : 1.0;
        assert_true(flat > 0.98 * min && flat < 1.02);
        assert_true(round > 0.98 * min && round < 1.02);
    }
    // a point does not hold at all
    ball.modulus = 0.0;
    ball.position.z = 0.05;
    assert_true(fabs(spin_down("sap_lagged", &ball, 0.4 * 0.05 * 0.05, 0.05)) < 1e-9);
}

/* A rod's weight per length at the depth it lies in a plane:
 *     E (a - h^2/r asinh(a/h)),   h = r - x,   a^2 = r^2 - h^2. */
static void a_rod_sinks_by_its_weight(void** state)
{
    (void)state;
    enum { NODES = 6 };
    const double r = 2e-3, modulus = 1e3;
    for (int m = 0; m < 2; m++) {
        FilWorld* world = sample_world(models[m], 2e-3);
        sample_ground(world);
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
        def.collision.surface = (FilSurface){.friction = 0.5, .modulus = modulus, .dissipation_time = 0.02, .dissipation = 10.0};
        FilId rod;
        assert_int_equal(fil_world_add_rod(world, &def, &rod), FIL_OK);
        const FilStepInfo info = sample_run(world, 1500);
        const double h = sample_node(world, rod, NODES / 2).z, a = sqrt(r * r - h * h);
        const double force = modulus * (a - h * h / r * asinh(a / h)), weight = 1000.0 * PI * r * r * GRAVITY;
        print_message("%s: %g of %g N/m at %g, %d contacts of %d\n", models[m], force, weight, (r - h) / r, info.contacts, info.patch_polygons);
        assert_true(fabs(force / weight - 1.0) < 0.01);
        assert_true(info.contacts <= 9 * (NODES - 1) && info.patch_polygons > info.contacts);
        fil_world_destroy(world);
    }
}

static FilVec3 sum(FilVec3 a, FilVec3 b)
{
    return (FilVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* A tilted box drops on another, and a ball beside: what two feel is opposite, and patches sum up to it. */
static void forces_are_opposite(void** state)
{
    (void)state;
    for (int m = 0; m < 3; m++) {
        FilWorld* world = sample_world(models[m], 1e-3);
        sample_ground(world);
        Soft low = soft_box(0.2, 0.15, 0.08, 0.04), high = soft_ball(0.03, 1e5, 0.0);
        high.position = (FilVec3){0.02, 0.01, 0.1095};
        high.spin = (FilVec3){3.0, 5.0, 7.0};
        const FilId box = add_soft(world, &low), ball = add_soft(world, &high);
        int seen = 0;
        for (int step = 0; step < 50; step++) {
            sample_run(world, 1);
            FilVec3 force, torque, total = {0.0, 0.0, 0.0}, box_total = {0.0, 0.0, 0.0};
            FilVec3 on_box, box_torque, on_ground = {0.0, 0.0, 0.0};
            fil_world_contact_wrench(world, ball, &force, &torque);
            fil_world_contact_wrench(world, box, &on_box, &box_torque);
            for (int k = 0; k < fil_world_patch_count(world); k++) {
                const FilPatchInfo patch = fil_world_patch(world, k);
                const bool first = patch.a.index == ball.index, second = patch.b.index == ball.index;
                const FilVec3 f = first ? (FilVec3){-patch.force.x, -patch.force.y, -patch.force.z} : patch.force;
                assert_true(patch.polygons >= patch.contacts && patch.area >= 0.0 && patch.highest_pressure >= 0.0);
                if (first || second) {
                    total = sum(total, f);
                    seen += patch.area > 0.0 && patch.mean_pressure > 0.0 && patch.highest_pressure > 0.0;
                } else {
                    on_ground = sum(on_ground, patch.b.index == box.index ? patch.force : f);
                }
            }
            box_total = sum(on_box, total);  // what is left of the box's contacts is the ground's
            const double scale = 1e-12 * (1.0 + sample_distance(force, (FilVec3){0.0, 0.0, 0.0}));
            assert_true(sample_distance(total, force) <= scale);
            assert_true(sample_distance(box_total, on_ground) <= 1e-9);
        }
        assert_true(seen > 10);
        fil_world_destroy(world);
    }
}

/* A rod lies across two that are held. Each crossing bears half its weight, by pi E x^2/2 of equal fields at a right angle, or by
 * pi E x^2 if the ones below are rigid; not by points. */
static void rods_lie_on_rods(void** state)
{
    (void)state;
    static const char text[] =
        "world: {dt: 0.002, contact: %s}\n"
        "materials: {rubber: {young: 1e7, poisson: 0.4, density: 1000}}\n"
        "rods:\n"
        "  - {name: rail, repeat: 2, material: rubber, section: {circle: {radius: 0.002}},\n"
        "     shape: {straight: {from: [$(0.02 * index), -0.0213, 0.002], to: [$(0.02 * index), 0.02, 0.002], nodes: 5}},\n"
        "     surface: {friction: 0.5, modulus: %s}}\n"
        "  - {name: top, material: rubber, section: {circle: {radius: 0.002}}, damping: {mass: 20, stiffness: 0.001},\n"
        "     shape: {straight: {from: [-0.0097, 0, 0.006], to: [0.0297, 0, 0.006], nodes: 6}},\n"
        "     surface: {friction: 0.5, modulus: 1e5, dissipation_time: 0.02, dissipation: 10}}\n"
        "attachments:\n"
        "  - {name: nodes, repeat: 2, pin: {rod: rail$(index), nodes: [0, 5]}}\n"
        "  - {name: edges, repeat: 2, twist: {rod: rail$(index), edges: [0, 4]}}\n";
    for (int n = 0; n < 6; n++) {
        char scene[sizeof text + 32];
        FilWorld* world = NULL;
        FilError error;
        const bool rigid = n % 2 == 1;
        snprintf(scene, sizeof scene, text, models[n / 2], rigid ? "0" : "1e5");
        assert_int_equal(fil_scene_load_text("rods.yaml", scene, strlen(scene), NULL, &world, NULL, &error), FIL_OK);
        const FilId top = fil_world_find_rod(world, "top");
        const FilStepInfo info = sample_run(world, 1000);
        const double weight = 1000.0 * PI * 4e-6 * 0.0394 * GRAVITY;
        double force = 0.0, area = 0.0;
        // nodes of the rails are within the patches: one for each of their edges
        assert_int_equal(fil_world_patch_count(world), 4);
        for (int k = 0; k < 4; k++) {
            const FilPatchInfo patch = fil_world_patch(world, k);
            force += fabs(patch.force.z);
            area += patch.area;
            assert_true(patch.polygons >= patch.contacts);
        }
        assert_true(area > 0.0);
        // near the rails: the rod bends by 2 um between them
        const double depth = 0.5 * (0.006 - sample_node(world, top, 1).z + 0.006 - sample_node(world, top, 4).z);
        const double want = (rigid ? 1.0 : 0.5) * PI * 1e5 * depth * depth;
        print_message("%s, rails %s: %g N of %g N, %g N at %g mm\n", models[n / 2], rigid ? "rigid" : "soft", force, weight, 2.0 * want, 1e3 * depth);
        assert_true(fabs(force / weight - 1.0) < 1e-3);
        // small depths: x/r is 0.06, and the next term of the force about a third of that
        assert_true(fabs(2.0 * want / weight - 1.0) < 0.04);
        assert_true(info.crossings == 0);
        fil_world_destroy(world);
    }
}

static void settled_patches_do_not_allocate(void** state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        FilWorld* world = sample_world(models[m], 2e-3);
        sample_ground(world);
        Soft box = soft_box(0.2, 0.15, 0.08, 0.04), ball = soft_ball(0.03, 1e5, 0.0);
        ball.position = (FilVec3){0.0, 0.0, 0.109};
        add_soft(world, &box);
        add_soft(world, &ball);
        sample_run(world, 500);
        step_without_heap(world, 100);
        fil_world_destroy(world);
    }
}

/* A pair that is set to touch by points does, whatever the moduli; others of the same object keep their patches. */
static void a_pair_may_touch_by_points(void** state)
{
    (void)state;
    static const char text[] =
        "world: {dt: 0.002, contact: sap}\n"
        "rigid_bodies:\n"
        "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n"
        "  - {name: plate, motion: static, position: [0, 0, 0.147], shapes: [{box: {size: [0.2, 0.2, 0.1]}}]}\n"
        "  - {name: ball, position: [0, 0, 0.049], surface: {modulus: 1e5}, shapes: [{sphere: {radius: 0.05}}]}\n"
        "pairs: [{a: ground, b: ball, patches: %s}]\n";
    for (int patches = 0; patches < 2; patches++) {
        char scene[sizeof text + 8];
        FilWorld* world = NULL;
        FilError error;
        snprintf(scene, sizeof scene, text, patches == 1 ? "true" : "false");
        assert_int_equal(fil_scene_load_text("pair.yaml", scene, strlen(scene), NULL, &world, NULL, &error), FIL_OK);
        assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        assert_int_equal(fil_world_patch_count(world), 1 + patches);
        int points = 0;
        for (int k = 0; k < fil_world_contact_count(world); k++) {
            points += fil_world_contact(world, k).area == 0.0;
        }
        assert_int_equal(points, 1 - patches);
        fil_world_destroy(world);
    }
}

static void models_without_patches_refuse(void** state)
{
    (void)state;
    static const char* const refusing[] = {"imc", "spt", "ipc"};
    for (int m = 0; m < 3; m++) {
        FilWorld* world = sample_world(refusing[m], 1e-3);
        const Soft soft = soft_ball(0.05, 1e5, 0.0);
        add_soft(world, &soft);
        assert_int_equal(fil_world_step(world, NULL), FIL_BAD_INPUT);
        assert_non_null(strstr(fil_world_error(world), "modulus"));
        assert_non_null(strstr(fil_world_error(world), "use 'sap', 'sap_lagged' or 'lcp'"));
        assert_non_null(strstr(fil_world_error(world), refusing[m]));
        fil_world_destroy(world);
    }
}

static void bad_settings_are_refused(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilShapeDef shape = fil_shape_def_default();
    FilRigidDef def = fil_rigid_def_default();
    FilId id;
    def.shapes = &shape;
    def.shape_count = 1;
    shape.radius = 0.1;
    def.collision.surface.modulus = -1.0;
    assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "modulus"));
    shape.type = FIL_SHAPE_HALF_SPACE;
    def.motion = FIL_STATIC;
    def.collision.surface.modulus = 1e5;
    assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "thickness"));
    assert_true(isnan(fil_world_patch(world, 0).area));
    fil_world_destroy(world);
}

/* A compliant floor of stiffness s = E/H under a ball of the same modulus: both give way, so it sinks deeper. */
static void a_soft_floor_gives_way(void** state)
{
    (void)state;
    double depth[2];
    for (int soft_floor = 0; soft_floor < 2; soft_floor++) {
        FilWorld* world = sample_world("sap", 5e-3);
        FilShapeDef shape = fil_shape_def_default();
        shape.type = FIL_SHAPE_HALF_SPACE;
        FilRigidDef def = sample_rigid_def(&shape);
        def.motion = FIL_STATIC;
        def.collision.surface.modulus = soft_floor ? 1e5 : 0.0;
        def.collision.surface.thickness = 0.05;
        FilId floor;
        assert_int_equal(fil_world_add_rigid(world, &def, &floor), FIL_OK);
        Soft soft = soft_ball(0.05, 1e5, 4e-3);
        soft.position.z -= 5e-3;
        const FilId ball = add_soft(world, &soft);
        sample_run(world, 600);
        depth[soft_floor] = 0.05 - sample_position(world, ball).z;
        fil_world_destroy(world);
    }
    // F = kappa pi R x^2 with half the stiffness: deeper by sqrt 2, less than that by terms of x/R = 0.11
    print_message("depths %g, %g\n", depth[0], depth[1]);
    assert_true(fabs(depth[1] / depth[0] / sqrt(2.0) - 1.0) < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_sinks_by_its_weight), cmocka_unit_test(small_objects_are_seen_ahead),
        cmocka_unit_test(flat_faces_lie_still),       cmocka_unit_test(spinning_bodies_slow_down),
        cmocka_unit_test(a_rod_sinks_by_its_weight),  cmocka_unit_test(forces_are_opposite),
        cmocka_unit_test(rods_lie_on_rods),           cmocka_unit_test(settled_patches_do_not_allocate),
        cmocka_unit_test(a_pair_may_touch_by_points), cmocka_unit_test(models_without_patches_refuse),
        cmocka_unit_test(bad_settings_are_refused),   cmocka_unit_test(a_soft_floor_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
