/* Arms whose base moves: dynamics with the six unknowns of the base, momentum, and bases welded to rigid bodies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/quat.h"
#include "base/vec3.h"
#include "body/soft_arm.h"
#include "filum/filum.h"
#include "random.h"

enum { SECTIONS = 3, N = 4 * (SECTIONS + 2) };

static void sections_of(FilArmSection* sections, double damping)
{
    for (int k = 0; k < SECTIONS; k++) {
        sections[k] = fil_arm_section_default();
        sections[k].mass = 1.0 / (1.0 + k);
        sections[k].damping = damping;
    }
}

/* ---- the body kind alone ---- */

static FilSoftArm* make_arm(void)
{
    FilArmSection sections[SECTIONS];
    FilArmDef def = fil_arm_def_default();
    FilError error;
    FilSoftArm* arm;
    sections_of(sections, 0.0);
    def.sections = sections;
    def.section_count = SECTIONS;
    def.free_base = true;
    def.base_mass = 0.7;
    assert_int_equal(fil_soft_arm_create(&def, &arm, &error), FIL_OK);
    return arm;
}

static void random_state(Random* random, double* q, double* v)
{
    for (int k = 0; k < N; k++) {
        const bool idle = k % 4 == 3;
        q[k] = idle ? 0.0 : random_between(random, -0.03, 0.03);
        v[k] = idle ? 0.0 : random_between(random, -0.3, 0.3);
    }
    const double turn[3] = {random_between(random, -2.0, 2.0), random_between(random, -2.0, 2.0), random_between(random, -2.0, 2.0)};
    const FilQuat o = fil_quat_exponential(turn);
    q[16] = o.x, q[17] = o.y, q[18] = o.z, q[19] = o.w;
    for (int k = 0; k < 3; k++) {
        q[12 + k] = random_between(random, -1.0, 1.0);
        v[16 + k] = random_between(random, -3.0, 3.0);
    }
}

static double quadratic(const double* m, const double* a, const double* b)
{
    double sum = 0.0;
    for (int r = 0; r < N; r++) {
        for (int c = 0; c < N; c++) {
            sum += a[r] * m[r * N + c] * b[c];
        }
    }
    return sum;
}

/* Velocities of frames are the rates of their poses. */
static void jacobians_by_differences(void** state)
{
    (void)state;
    FilSoftArm* arm = make_arm();
    Random random = {3};
    for (int trial = 0; trial < 20; trial++) {
        double q[N], v[N], moved[N];
        random_state(&random, q, v);
        FilArmLink links[FIL_ARM_SECTIONS + 1];
        FilArmFrame frame;
        const FilArmPlace place = {trial % SECTIONS, 0.6};
        fil_soft_arm_links(arm, q, v, links);
        fil_soft_arm_frame(arm, links, q, v, place, &frame);
        double rate[3] = {0.0}, sum[3] = {0.0};
        const double weights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0}, h = 2e-3;
        for (int k = 1; k <= 4; k++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                FilPose pose;
                fil_soft_arm_move(arm, q, v, sign * k * h, moved);
                FilArmLink there[FIL_ARM_SECTIONS + 1];
                fil_soft_arm_links(arm, moved, NULL, there);
                fil_soft_arm_pose(arm, there, moved, place, &pose);
                fil_v3_axpy(rate, sign * weights[k - 1] / h, pose.p);
            }
        }
        for (int b = 0; b < frame.block_count; b++) {
            double part[3];
            fil_m3_apply(part, frame.move[frame.block[b]], v + 4 * frame.block[b]);
            fil_v3_add(sum, sum, part);
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(rate[k] - frame.velocity[k]) < 1e-8);
            assert_true(fabs(sum[k] - frame.velocity[k]) < 1e-13);
        }
    }
    fil_soft_arm_ops.destroy(arm);
}

static void mass_and_coriolis_terms(void** state)
{
    (void)state;
    FilSoftArm* arm = make_arm();
    Random random = {11};
    const double nothing[3] = {0.0};
    for (int trial = 0; trial < 20; trial++) {
        double q[N], v[N], w[N], idle[N], mass[N * N], c[N * N], rate[N * N] = {0.0}, force[N];
        random_state(&random, q, v);
        random_state(&random, idle, w);
        fil_soft_arm_mass(arm, q, mass);
        FilEnergy energy = {0};
        fil_soft_arm_energy(arm, q, v, nothing, &energy);
        assert_true(fabs(0.5 * quadratic(mass, v, v) - energy.kinetic) < 1e-12 * energy.kinetic);
        assert_true(quadratic(mass, w, w) > 0.0);
        // M' - 2 C is skew, M' by differences of eighth order along the motion
        const double weights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0}, h = 2e-3;
        for (int k = 1; k <= 4; k++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                double moved[N], there[N * N];
                fil_soft_arm_move(arm, q, v, sign * k * h, moved);
                fil_soft_arm_mass(arm, moved, there);
                for (int e = 0; e < N * N; e++) {
                    rate[e] += sign * weights[k - 1] / h * there[e];
                }
            }
        }
        fil_soft_arm_coriolis(arm, q, v, c);
        const double skew = quadratic(rate, w, w) - 2.0 * quadratic(c, w, w);
        assert_true(fabs(skew) < 1e-8 * (1.0 + fabs(quadratic(rate, w, w))));
        // the force is -C v
        fil_soft_arm_dynamics(arm, q, v, nothing, mass, force);
        for (int r = 0; r < N; r++) {
            double sum = force[r];
            for (int k = 0; k < N; k++) {
                sum += c[r * N + k] * v[k];
            }
            assert_true(fabs(sum) < 1e-12);
        }
    }
    fil_soft_arm_ops.destroy(arm);
}

/* ---- in a world ---- */

typedef struct Scene {
    FilWorld* world;
    FilId arm, body;
} Scene;

static void step(const Scene* scene, int count)
{
    for (int k = 0; k < count; k++) {
        assert_int_equal(fil_world_step(scene->world, NULL), FIL_OK);
    }
}

/* An arm that hangs from a body of this motion, or from nothing; `model` of contact. */
static Scene hang(FilMotion motion, bool mounted, bool free_base, const FilWorldDef* def, double damping)
{
    Scene scene = {0};
    FilError error;
    assert_int_equal(fil_world_create(def, &scene.world, &error), FIL_OK);
    FilRigidDef rigid = fil_rigid_def_default();
    FilShapeDef box = fil_shape_def_default();
    box.type = FIL_SHAPE_BOX;
    box.size = (FilVec3){0.2, 0.2, 0.05};
    rigid.name = "cart";
    rigid.motion = motion;
    rigid.shapes = &box;
    rigid.shape_count = 1;
    rigid.position = (FilVec3){0.0, 0.0, 0.03};
    rigid.collision.enabled = false;
    if (mounted) {
        assert_int_equal(fil_world_add_rigid(scene.world, &rigid, &scene.body), FIL_OK);
    }
    FilArmSection sections[SECTIONS];
    sections_of(sections, damping);
    FilArmDef arm = fil_arm_def_default();
    arm.name = "arm";
    arm.sections = sections;
    arm.section_count = SECTIONS;
    arm.orientation = (FilQuat){1.0, 0.0, 0.0, 0.0};
    arm.collision.enabled = false;
    arm.base = scene.body;
    arm.free_base = free_base;
    assert_int_equal(fil_world_add_arm(scene.world, &arm, &scene.arm), FIL_OK);
    return scene;
}

static FilVec3 tip(const Scene* scene)
{
    FilVec3 position;
    FilQuat orientation;
    fil_arm_tip_pose(scene->world, scene->arm, &position, &orientation);
    return position;
}

static double apart(FilVec3 a, FilVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void bend(const Scene* scene)
{
    double q[3 * SECTIONS], v[3 * SECTIONS] = {0.0};
    for (int k = 0; k < 3 * SECTIONS; k++) {
        q[k] = k % 3 == 0 ? 0.02 : -0.01;
    }
    assert_int_equal(fil_arm_set_state(scene->world, scene->arm, q, v), FIL_OK);
}

static void momentum_of_an_arm_in_flight(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    def.integrator = FIL_MIDPOINT;
    Scene scene = hang(FIL_DYNAMIC, false, true, &def, 3.0);
    bend(&scene);
    const double mass = 1.0 + 0.5 + 1.0 / 3.0 + 0.1;
    double worst = 0.0;
    for (int k = 1; k <= 500; k++) {
        step(&scene, 1);
        const FilVec3 p = fil_world_momentum(scene.world);
        worst = fmax(worst, fabs(p.z + mass * 9.81 * fil_world_time(scene.world)) + fabs(p.x) + fabs(p.y));
    }
    // falls with g while it writhes; the midpoint rule keeps momentum to second order, here 1 ms
    assert_true(worst < 1e-3 * mass * 9.81 * 0.5);
    fil_world_destroy(scene.world);
}

static void a_mount_that_stands_still(void** state)
{
    (void)state;
    const char* models[] = {"sap", "lcp"};
    for (int m = 0; m < 2; m++) {
        FilWorldDef def = fil_world_def_default();
        def.contact_model = models[m];
        Scene fixed = hang(FIL_STATIC, false, false, &def, 20.0), held = hang(FIL_STATIC, true, false, &def, 20.0);
        bend(&fixed), bend(&held);
        double worst = 0.0;
        for (int k = 0; k < 500; k++) {
            step(&fixed, 1), step(&held, 1);
            worst = fmax(worst, apart(tip(&fixed), tip(&held)));
        }
        // the weld gives way by 0.025 w F dt^2, about 1e-6 m and 1e-6 rad
        assert_true(worst < 1e-5);
        fil_world_destroy(fixed.world), fil_world_destroy(held.world);
    }
}

/* On a base that is accelerated evenly an arm hangs as in a field of inclined gravity. */
static void a_mount_that_is_accelerated(void** state)
{
    (void)state;
    const double a = 2.0;
    FilWorldDef def = fil_world_def_default();
    def.contact_model = "sap";
    Scene held = hang(FIL_KINEMATIC, true, false, &def, 125.0);
    FilDriveDef drive = fil_drive_def_default();
    const double times[] = {0.0, 20.0}, values[] = {0.0, 0.0, 0.0, 20.0 * a, 0.0, 0.0};
    FilId id;
    drive.kind = FIL_DRIVE_VELOCITY;
    drive.attachment = fil_world_find_attachment(held.world, "cart");
    drive.knot_count = 2;
    drive.times = times;
    drive.values = values;
    assert_int_equal(fil_world_add_drive(held.world, &drive, &id), FIL_OK);
    step(&held, 10000);
    def.gravity = (FilVec3){-a, 0.0, -9.81};
    Scene leaning = hang(FIL_STATIC, false, false, &def, 125.0);
    step(&leaning, 10000);
    FilVec3 base;
    FilQuat orientation;
    fil_arm_disk_pose(held.world, held.arm, 0, &base, &orientation);
    const FilVec3 moved = tip(&held), still = tip(&leaning);
    assert_true(fabs(still.x) > 0.02);  // it does lean
    assert_true(apart((FilVec3){moved.x - base.x, moved.y - base.y, moved.z - base.z}, still) < 1e-6);
    fil_world_destroy(held.world), fil_world_destroy(leaning.world);
}

/* An arm that bends pushes the cart that it is mounted on: together they stay where they are. */
static void a_mount_that_is_pushed(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    def.gravity = (FilVec3){0.0, 0.0, 0.0};
    def.contact_model = "lcp";
    Scene scene = hang(FIL_DYNAMIC, true, false, &def, 5.0);
    FilDriveDef drive = fil_drive_def_default();
    const double times[] = {0.0, 0.2}, values[] = {0.0, 2e4};
    FilId id;
    drive.kind = FIL_DRIVE_PRESSURE;
    drive.object = scene.arm;
    drive.first = 3;
    drive.count = 1;
    drive.knot_count = 2;
    drive.times = times;
    drive.values = values;
    assert_int_equal(fil_world_add_drive(scene.world, &drive, &id), FIL_OK);
    double fastest = 0.0, worst = 0.0;
    for (int k = 0; k < 400; k++) {
        step(&scene, 1);
        FilVec3 v, spin;
        fil_rigid_get_velocity(scene.world, scene.body, &v, &spin);
        const FilVec3 p = fil_world_momentum(scene.world);
        fastest = fmax(fastest, sqrt(v.x * v.x + v.y * v.y + v.z * v.z) * fil_rigid_mass(scene.world, scene.body));
        worst = fmax(worst, sqrt(p.x * p.x + p.y * p.y + p.z * p.z));
    }
    assert_true(fastest > 0.01);
    assert_true(worst < 0.01 * fastest);  // semi-implicit steps of 1 ms
    fil_world_destroy(scene.world);
}

static void bad_bases_are_refused(void** state)
{
    (void)state;
    FilWorldDef def = fil_world_def_default();
    Scene scene = hang(FIL_STATIC, true, false, &def, 1.0);
    FilArmSection section = fil_arm_section_default();
    FilArmDef arm = fil_arm_def_default();
    FilId id;
    arm.name = "second";
    arm.sections = &section;
    arm.section_count = 1;
    arm.base = scene.arm;  // no rigid body
    assert_int_equal(fil_world_add_arm(scene.world, &arm, &id), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(scene.world), "rigid body"));
    arm.base = (FilId){0};
    arm.free_base = true;
    arm.base_mass = 0.0;
    assert_int_equal(fil_world_add_arm(scene.world, &arm, &id), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(scene.world), "mass"));
    arm.base_mass = 0.1;
    arm.scheme = FIL_ARM_RK23;
    assert_int_equal(fil_world_add_arm(scene.world, &arm, &id), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(scene.world), "RK23"));
    fil_world_destroy(scene.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jacobians_by_differences),  cmocka_unit_test(mass_and_coriolis_terms),     cmocka_unit_test(momentum_of_an_arm_in_flight),
        cmocka_unit_test(a_mount_that_stands_still), cmocka_unit_test(a_mount_that_is_accelerated), cmocka_unit_test(a_mount_that_is_pushed),
        cmocka_unit_test(bad_bases_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
