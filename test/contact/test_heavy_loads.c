/* Joints of light links that bear heavy loads: they hold what they bear, whatever the ratio of masses and the step, and yield by little. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sample.h"

static const double g = 9.81, length = 0.1, half = 0.025, load = 1.0;
static const double share = 5e-3; /* of the lever or rad, from which on joints are harder */
static const char* const models[] = {"none", "sap", "sap_lagged", "lcp", "imc", "ipc"};
static const FilJointKind kinds[] = {FIL_JOINT_PIN, FIL_JOINT_WELD, FIL_JOINT_HINGE, FIL_JOINT_SLIDER, FIL_JOINT_BALL};

typedef struct Hanging {
    FilWorld* world;
    FilId link, load, joint[2];
} Hanging;

static FilId add_box(FilWorld* world, FilVec3 size, double mass, FilVec3 place, double angle)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = size;
    FilRigidDef def = sample_rigid_def(&shape);
    def.mass = mass;
    def.position = place;
    def.orientation = (FilQuat){.w = cos(angle / 2.0), .y = -sin(angle / 2.0)};
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
    return id;
}

static FilId join(FilWorld* world, FilJointKind kind, FilId a, FilId b, FilVec3 point)
{
    FilJointDef def = fil_joint_def_default();
    def.kind = kind;
    def.a = a;
    def.b = b;
    def.point = point;
    def.axis = kind == FIL_JOINT_SLIDER ? (FilVec3){1.0, 0.0, 0.0} : (FilVec3){0.0, 1.0, 0.0};
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_joint(world, &def, &id), FIL_OK);
    return id;
}

/* A link from the world's origin, at `angle` from straight down, and a cube below it. */
static Hanging hang(const char* model, double dt, FilJointKind upper, FilJointKind lower, double link, double angle)
{
    const FilVec3 down = {sin(angle), 0.0, -cos(angle)};
    const double middle = 0.5 * length, end = length + half;
    Hanging out = {.world = sample_world(model, dt)};
    out.link = add_box(out.world, (FilVec3){0.01, 0.01, 0.09}, link, (FilVec3){middle * down.x, 0.0, middle * down.z}, angle);
    out.load = add_box(out.world, (FilVec3){2.0 * half, 2.0 * half, 2.0 * half}, load, (FilVec3){end * down.x, 0.0, end * down.z}, angle);
    out.joint[0] = join(out.world, upper, out.link, (FilId){0, 0}, (FilVec3){0.0, 0.0, 0.0});
    out.joint[1] = join(out.world, lower, out.load, out.link, (FilVec3){length * down.x, 0.0, length * down.z});
    return out;
}

/* How far the upper joint's points are apart under a force: by F dt^2 w/(4 pi^2), w the mean over x, y, z of 1/m + r^2/I, up to d = 5e-3 r, and by
 * (F - F_d) dt^2 w/(4 pi^2) 1e-4 beyond; four times that where rows have to be linear. */
static double bound_of(double mass, double force, double dt)
{
    const double r = 0.5 * length, inertia = mass * (0.09 * 0.09 + 0.01 * 0.01) / 12.0;
    const double soft = force * dt * dt * (1.0 / mass + 2.0 / 3.0 * r * r / inertia) / (4.0 * M_PI * M_PI);
    return fmin(soft, share * r + 4e-4 * soft);
}

static void joints_bear_weights(void** state)
{
    (void)state;
    const double ratios[] = {1.0, 100.0, 1e4}, steps[] = {5e-4, 5e-3, 8e-3};
    for (int k = 0; k < 270; k++) {
        const double link = load / ratios[k % 3], dt = steps[k / 3 % 3], weight = g * (load + link);
        const FilJointKind kind = kinds[k / 9 % 5];
        const Hanging it = hang(models[k / 45], dt, kind, kind, link, 0.0);
        sample_run(it.world, (int)(0.3 / dt));
        for (int step = 0; step < 5; step++) {
            sample_run(it.world, 1);
            // round-off of what is 1e4 times as stiff as the link is heavy, and what still swings of the first fall
            assert_true(fabs(fil_joint_force(it.world, it.joint[0]).z + weight) < 1e-3 * weight);
            assert_true(fabs(fil_joint_force(it.world, it.joint[1]).z + g * load) < 1e-3 * weight);
            const double apart = -0.5 * length - sample_position(it.world, it.link).z;
            assert_true(apart > 0.0 && apart < 1.02 * bound_of(link, weight, dt));
        }
        fil_world_destroy(it.world);
    }
}

/* A light link and what is welded to it swing about a joint like one body: T = 2 pi sqrt(I/(m g l)) (1 + angle^2/16). */
static void heavy_pendulums_keep_time(void** state)
{
    (void)state;
    const double steps[] = {1e-3, 5e-3}, angle = 0.2, ratios[] = {100.0, 1e4};
    for (int k = 0; k < 24; k++) {
        const double dt = steps[k % 2], l = length + half, link = load / ratios[k / 2 % 2];
        Hanging it = hang(models[k / 4], dt, k % 2 == 0 ? FIL_JOINT_HINGE : FIL_JOINT_BALL, FIL_JOINT_WELD, link, angle);
        const double inertia = load * (l * l + 4.0 * half * half / 6.0) + link * length * length / 3.0, moment = load * l + 0.5 * link * length;
        const double period = 2.0 * M_PI * sqrt(inertia / (g * moment)) * (1.0 + angle * angle / 16.0);
        double last = 1.0, first = 0.0, end = 0.0;
        int crossings = 0;
        for (int step = 1; crossings < 3 && step * dt < 2.0; step++) {
            sample_run(it.world, 1);
            const double x = sample_position(it.world, it.load).x, at = dt * (step - x / (x - last));
            if (x * last < 0.0) {
                *(crossings++ == 0 ? &first : &end) = at;
            }
            last = x;
        }
        // joints yield by 5e-3 of 0.05 m and rad, amplitudes decay
        assert_true(fabs(end - first - period) < 0.005 * period);
        fil_world_destroy(it.world);
    }
}

/* A beam of a light link and a load at its end, welded to the world: welds turn by 5e-3 rad each at most before they are harder. */
static void welds_bear_levers(void** state)
{
    (void)state;
    const double steps[] = {1e-3, 5e-3};
    for (int k = 0; k < 12; k++) {
        const Hanging it = hang(models[k / 2], steps[k % 2], FIL_JOINT_WELD, FIL_JOINT_WELD, 1e-3, 0.5 * M_PI);
        for (int step = 0; step < (int)(0.5 / steps[k % 2]); step++) {
            sample_run(it.world, 1);
            assert_true(fabs(sample_position(it.world, it.load).z) < 4.0 * share * (length + half));
        }
        assert_true(fabs(fil_joint_force(it.world, it.joint[0]).z + g * (load + 1e-3)) < 0.05 * g);
        fil_world_destroy(it.world);
    }
}

/* The link ends at a limit that the load presses on. */
static void limits_bear_levers(void** state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        FilWorld* world = sample_world(models[k], 5e-3);
        const FilId link = add_box(world, (FilVec3){0.01, 0.01, 0.09}, 1e-3, (FilVec3){0.5 * length, 0.0, 0.0}, 0.5 * M_PI);
        const FilId cube = add_box(world, (FilVec3){2.0 * half, 2.0 * half, 2.0 * half}, load, (FilVec3){length + half, 0.0, 0.0}, 0.0);
        FilJointDef def = fil_joint_def_default();
        def.kind = FIL_JOINT_HINGE;
        def.a = link;
        def.axis = (FilVec3){0.0, 1.0, 0.0};
        def.lower = -1e-3;
        def.upper = 1e-3;
        FilId id = {0, 0};
        assert_int_equal(fil_world_add_joint(world, &def, &id), FIL_OK);
        join(world, FIL_JOINT_WELD, cube, link, (FilVec3){length, 0.0, 0.0});
        for (int step = 0; step < 100; step++) {
            sample_run(world, 1);
            assert_true(fabs(fil_joint_position(world, id)) < 1e-3 + 3.0 * share);
        }
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_bear_weights),
        cmocka_unit_test(heavy_pendulums_keep_time),
        cmocka_unit_test(welds_bear_levers),
        cmocka_unit_test(limits_bear_levers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
