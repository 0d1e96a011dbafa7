/* Hinges, sliders and balls against theory: motion, limits, motors, friction, springs, reactions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"

static const double G = 9.81, PI = 3.14159265358979323846;
static const FilVec3 still = {0.0, 0.0, 0.0};
static const char* const velocity_level[] = {"none", "sap", "sap_lagged", "lcp"};
static const char* const every_model[] = {"none", "sap", "sap_lagged", "lcp", "imc", "ipc"};

#define EACH(models, k) for (size_t k = 0; k < sizeof(models) / sizeof *(models); k++)

/* Within a tolerance; says what was found. */
static void near(const char* what, double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance)) {
        fail_msg("%s: %.12g, expected %.12g, off by %.3g, tolerance %.3g", what, found, expected, found - expected, tolerance);
    }
}

/* A bar of length 0.5 m along x from the origin, section 2 cm square: 0.2 kg. */
static FilId add_bar(FilWorld* world, FilVec3 middle, FilQuat orientation)
{
    FilShapeDef shape = fil_shape_def_default();
    shape.type = FIL_SHAPE_BOX;
    shape.size = (FilVec3){0.5, 0.02, 0.02};
    FilRigidDef def = sample_rigid_def(&shape);
    def.position = middle;
    def.orientation = orientation;
    FilId id = {0, 0};
    assert_int_equal(fil_world_add_rigid(world, &def, &id), FIL_OK);
    return id;
}

static const double BAR_MASS = 0.2, BAR_HALF = 0.25;
static const double BAR_INERTIA = 0.2 * (0.25 + 4e-4) / 12.0;              /* about its middle, across */
static const double BAR_PIVOT = 0.2 * (0.25 + 4e-4) / 12.0 + 0.2 * 0.0625; /* about its end */

/* Turned about y: positive angles lower the far end. */
static FilQuat about_y(double angle)
{
    return (FilQuat){0.0, sin(0.5 * angle), 0.0, cos(0.5 * angle)};
}

static FilId tilted_bar(FilWorld* world, double angle)
{
    return add_bar(world, (FilVec3){BAR_HALF * cos(angle), 0.0, -BAR_HALF * sin(angle)}, about_y(angle));
}

static FilJointDef hinge_def(FilId a)
{
    FilJointDef def = fil_joint_def_default();
    def.kind = FIL_JOINT_HINGE;
    def.axis = (FilVec3){0.0, 2.0, 0.0};
    def.a = a;
    return def;
}

static FilId add(FilWorld* world, const FilJointDef* def)
{
    FilId id = {0, 0};
    if (fil_world_add_joint(world, def, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    return id;
}

/* ---- hinges ---- */

/* Small swings: period 2 pi sqrt(I/(m g d)), times 1 + a^2/16 of the amplitude a. */
static void a_pendulum_keeps_time(void** state)
{
    (void)state;
    const double amplitude = 0.05;
    EACH(every_model, m)
    {
        FilWorld* world = sample_world(every_model[m], 1e-3);
        FilJointDef def = hinge_def(tilted_bar(world, 0.5 * PI - amplitude));
        def.start = -amplitude;  // from straight down
        const FilId hinge = add(world, &def);
        double last = -amplitude, crossings[8];
        int count = 0;
        for (int k = 0; k < 8000 && count < 8; k++) {
            sample_run(world, 1);
            const double now = fil_joint_position(world, hinge);
            if ((now > 0.0) != (last > 0.0)) {
                crossings[count++] = fil_world_time(world) - 1e-3 * now / (now - last);
            }
            last = now;
        }
        assert_int_equal(count, 8);
        const double period = 2.0 * (crossings[7] - crossings[0]) / 7.0;
        const double theory = 2.0 * PI * sqrt(BAR_PIVOT / (BAR_MASS * G * BAR_HALF)) * (1.0 + amplitude * amplitude / 16.0);
        // the damping of the step, w dt per radian of phase, shortens swings by less than the amplitude's own correction
        near(every_model[m], period, theory, 2e-4 * theory);
        fil_world_destroy(world);
    }
}

/* At rest it bears the weight, with the moment that an overhanging bar has. */
static void reactions_are_weights(void** state)
{
    (void)state;
    EACH(velocity_level, m)
    {
        FilWorld* world = sample_world(velocity_level[m], 1e-3);
        FilJointDef def = hinge_def(tilted_bar(world, 0.0));
        def.axis = (FilVec3){1.0, 0.0, 0.0};  // along the bar: it cannot fall
        const FilId hinge = add(world, &def);
        sample_run(world, 200);
        const FilVec3 force = fil_joint_force(world, hinge), torque = fil_joint_torque(world, hinge);
        const double weight = BAR_MASS * G;
        near("force x", force.x, 0.0, 1e-6 * weight);
        near("force y", force.y, 0.0, 1e-6 * weight);
        near("force z", force.z, -weight, 1e-6 * weight);
        near("torque y", torque.y, weight * BAR_HALF, 1e-6 * weight * BAR_HALF);
        near("torque x", torque.x, 0.0, 1e-6 * weight * BAR_HALF);
        fil_world_destroy(world);
    }
}

static void motors_keep_a_velocity(void** state)
{
    (void)state;
    EACH(every_model, m)
    {
        FilWorld* world = sample_world(every_model[m], 1e-3);
        FilJointDef def = hinge_def(tilted_bar(world, 0.0));
        def.motor.mode = FIL_JOINT_VELOCITY;
        def.motor.target = 5.0;
        const FilId hinge = add(world, &def);
        for (int k = 0; k < 10; k++) {
            sample_run(world, 500);
            // it yields as a contact that sticks does: by sigma = 1e-3 of what the moment would give the bar alone in a step
            near(every_model[m], fil_joint_velocity(world, hinge), 5.0, 1e-3 * 1e-3 * G * BAR_HALF * BAR_MASS / BAR_INERTIA);
            // weight's moment at the angle of the step's start; I w'' = 0
            const double angle = fil_joint_position(world, hinge) - 5e-3;
            near("effort", fil_joint_effort(world, hinge), -BAR_MASS * G * BAR_HALF * cos(angle), 2e-3 * BAR_MASS * G * BAR_HALF);
        }
        // turns are counted: four turns by now
        near("turns", fil_joint_position(world, hinge), 25.0, 1e-3);
        fil_world_destroy(world);
    }
}

/* Positions that move: a spring sags under the weight by its moment over the stiffness, a rigid motor does not. */
static void motors_follow_positions(void** state)
{
    (void)state;
    const double times[] = {0.0, 1.0}, angles[] = {0.0, 0.8};
    for (int rigid = 0; rigid < 2; rigid++) {
        EACH(every_model, m)
        {
            FilWorld* world = sample_world(every_model[m], 1e-3);
            FilJointDef def = hinge_def(tilted_bar(world, 0.0));
            def.motor.mode = FIL_JOINT_POSITION;
            def.motor.stiffness = rigid ? 0.0 : 50.0;
            def.motor.damping = rigid ? 0.0 : 2.0;
            const FilId hinge = add(world, &def);
            FilDriveDef drive = fil_drive_def_default();
            drive.kind = FIL_DRIVE_MOTOR;
            drive.joint = hinge;
            drive.knot_count = 2;
            drive.times = times;
            drive.values = angles;
            FilId id;
            assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_OK);
            sample_run(world, 500);
            near("half way", fil_joint_velocity(world, hinge), 0.8, rigid ? 1e-3 : 0.02);
            sample_run(world, 1500);
            const double at = fil_joint_position(world, hinge);
            const double sag = rigid ? 0.0 : BAR_MASS * G * BAR_HALF * cos(at) / 50.0;
            // what is rigid yields by dt^2/(4 pi^2) of what the moment does to the bar alone
            near(every_model[m], at, 0.8 + sag, 1e-6 * BAR_MASS * G * BAR_HALF / BAR_INERTIA / (4.0 * PI * PI));
            near("effort", fil_joint_effort(world, hinge), -BAR_MASS * G * BAR_HALF * cos(at), 1e-5);
            fil_world_destroy(world);
        }
    }
}

/* A torque turns it faster and faster, a bounded motor no faster than its torque can. */
static void motors_push(void** state)
{
    (void)state;
    EACH(every_model, m)
    {
        for (int bounded = 0; bounded < 2; bounded++) {
            FilWorld* world = sample_world(every_model[m], 1e-3);
            FilJointDef def = hinge_def(tilted_bar(world, 0.0));
            def.axis = (FilVec3){0.0, 0.0, 1.0};  // gravity has no say
            def.motor.mode = bounded ? FIL_JOINT_VELOCITY : FIL_JOINT_EFFORT;
            def.motor.target = bounded ? 1e3 : 0.01;
            def.motor.max_effort = bounded ? 0.01 : 1.0;
            const FilId hinge = add(world, &def);
            sample_run(world, 500);
            near(every_model[m], fil_joint_velocity(world, hinge), 0.5 * 0.01 / BAR_PIVOT, 1e-5 * 0.5 * 0.01 / BAR_PIVOT);
            near("effort", fil_joint_effort(world, hinge), 0.01, 1e-9);
            fil_world_destroy(world);
        }
    }
}

static void limits_stop(void** state)
{
    (void)state;
    for (int soft = 0; soft < 2; soft++) {
        EACH(every_model, m)
        {
            FilWorld* world = sample_world(every_model[m], 1e-3);
            FilJointDef def = hinge_def(tilted_bar(world, 0.0));
            def.lower = -0.1;
            def.upper = 0.4;
            def.limit_stiffness = soft ? 200.0 : 0.0;
            def.limit_damping = soft ? 1.0 : 0.0;
            const FilId hinge = add(world, &def);
            double max = 0.0;
            for (int k = 0; k < 1500; k++) {
                sample_run(world, 1);
                max = fmax(max, fil_joint_position(world, hinge));
            }
            const double load = BAR_MASS * G * BAR_HALF * cos(0.4), depth = soft ? load / 200.0 : 0.0;
            near(every_model[m], fil_joint_position(world, hinge), 0.4 + depth,
                 soft ? 1e-5 : 1e-6 * BAR_MASS * G * BAR_HALF / BAR_INERTIA / (4.0 * PI * PI));
            near("rests", fil_joint_velocity(world, hinge), 0.0, 1e-6);
            // the torque on the world is the limit's reaction to the weight
            near("torque", fil_joint_torque(world, hinge).y, load, 1e-2 * load);
            if (!soft) {                        // a step ahead it sees the limit coming
                assert_true(max < 0.4 + 5e-4);  // 0.1 of 3.4 rad/s, for a step
            }
            fil_world_destroy(world);
        }
    }
}

/* Two free bodies, hinged and driven: nothing outside pushes, so momentum and angular momentum stay. */
static void nothing_is_pushed_by_itself(void** state)
{
    (void)state;
    EACH(velocity_level, m)
    {
        FilWorld* world = sample_world(velocity_level[m], 1e-3);
        assert_int_equal(fil_world_set_gravity(world, still), FIL_OK);
        FilJointDef def = hinge_def(tilted_bar(world, 0.0));
        def.b = add_bar(world, (FilVec3){-BAR_HALF, 0.0, 0.0}, about_y(0.0));
        def.axis = (FilVec3){0.1, 1.0, 0.3};
        def.motor.mode = FIL_JOINT_VELOCITY;
        def.motor.target = 3.0;
        def.motor.damping = 0.1;
        const FilId hinge = add(world, &def);
        for (int k = 0; k < 500; k++) {
            sample_run(world, 1);
        }
        near("velocity", fil_joint_velocity(world, hinge), 3.0, 0.3);  // bars that tumble change what it has to turn
        const FilVec3 p = fil_world_momentum(world), l = fil_world_angular_momentum(world);
        // the step turns frames before it pushes: spin and place are off by (w dt)^2/2 a step
        near(velocity_level[m], fabs(p.x) + fabs(p.y) + fabs(p.z), 0.0, 1e-12);
        near(velocity_level[m], fabs(l.x) + fabs(l.y) + fabs(l.z), 0.0, 1e-5);
        fil_world_destroy(world);
    }
}

/* Energy of a double pendulum, released level: what the step damps halves with the step. */
static void a_double_pendulum_keeps_its_energy(void** state)
{
    (void)state;
    double loss[3];
    for (int level = 0; level < 3; level++) {
        const double dt = 1e-3 / (1 << level);
        FilWorld* world = sample_world("sap", dt);
        FilJointDef def = hinge_def(tilted_bar(world, 0.0));
        add(world, &def);
        def.b = add_bar(world, (FilVec3){3.0 * BAR_HALF, 0.0, 0.0}, about_y(0.0));
        def.point = (FilVec3){2.0 * BAR_HALF, 0.0, 0.0};
        add(world, &def);
        const double before = sample_energy(world);
        sample_run(world, (int)lround(1.0 / dt));
        loss[level] = before - sample_energy(world);
        fil_world_destroy(world);
    }
    printf("loss %g %g %g J\n", loss[0], loss[1], loss[2]);
    // m g h of a fall through a metre is 4 J
    assert_true(fabs(loss[0]) < 0.02 * 4.0);
    near("halved", loss[0] / loss[1], 2.0, 0.3);
    near("quartered", loss[1] / loss[2], 2.0, 0.3);
}

/* ---- sliders ---- */

/* Down a slope: g sin(angle), less dry friction over the mass; below the friction it stays. */
static void a_slider_slides_down_a_slope(void** state)
{
    (void)state;
    const double slope = 0.5;
    const struct {
        double friction;
    } cases[] = {{0.0}, {0.5}, {1.5}};
    EACH(cases, c)
    {
        EACH(every_model, m)
        {
            FilWorld* world = sample_world(every_model[m], 1e-3);
            FilJointDef def = fil_joint_def_default();
            def.kind = FIL_JOINT_SLIDER;
            def.a = tilted_bar(world, slope);
            def.axis = (FilVec3){cos(slope), 0.0, -sin(slope)};
            def.friction = cases[c].friction;
            const FilId slider = add(world, &def);
            sample_run(world, 500);
            const double pull = G * sin(slope) - cases[c].friction / BAR_MASS;
            const double expected = pull > 0.0 ? 0.5 * pull : 0.0;
            // what holds yields as contacts do: sigma = 1e-3 of what the load gives in a step
            near(every_model[m], fil_joint_velocity(world, slider), expected, pull > 0.0 ? 1e-6 : 1e-3 * 1e-3 * G);
            // across the slope the joint bears the weight
            const FilVec3 force = fil_joint_force(world, slider);
            near("bears", force.x * sin(slope) + force.z * cos(slope), -BAR_MASS * G * cos(slope), 1e-6 * BAR_MASS * G);
            near("drags", force.x * cos(slope) - force.z * sin(slope), fmin(cases[c].friction, BAR_MASS * G * sin(slope)), 1e-5 * BAR_MASS * G);
            fil_world_destroy(world);
        }
    }
}

/* A weight on a spring: sag m g/k, period 2 pi sqrt(m/k). */
static void a_slider_swings_on_its_spring(void** state)
{
    (void)state;
    EACH(velocity_level, m)
    {
        FilWorld* world = sample_world(velocity_level[m], 2e-4);
        FilJointDef def = fil_joint_def_default();
        def.kind = FIL_JOINT_SLIDER;
        def.a = tilted_bar(world, 0.0);
        def.stiffness = 80.0;
        def.rest = 0.01;
        const FilId slider = add(world, &def);
        const double sag = BAR_MASS * G / 80.0, middle = 0.01 - sag;
        double last = 0.0, crossing[2];
        int count = 0;
        for (int k = 0; k < 10000 && count < 2; k++) {
            sample_run(world, 1);
            const double now = fil_joint_position(world, slider);
            if (now > middle && last <= middle) {
                crossing[count++] = fil_world_time(world) - 2e-4 * (now - middle) / (now - last);
            }
            last = now;
        }
        assert_int_equal(count, 2);
        near(velocity_level[m], crossing[1] - crossing[0], 2.0 * PI * sqrt(BAR_MASS / 80.0), 1e-3 * 2.0 * PI * sqrt(BAR_MASS / 80.0));
        fil_world_destroy(world);
    }
}

/* ---- balls ---- */

/* A ball on a thin arm that goes round: w^2 = m g d/((I - I3) cos(angle)), from the balance of moments about the pivot. */
static void a_conical_pendulum_goes_round(void** state)
{
    (void)state;
    const double angle = 0.6, dt = 5e-4;  // from straight down
    EACH(every_model, m)
    {
        FilWorld* world = sample_world(every_model[m], dt);
        const double tilt = 0.5 * PI - angle;
        const FilId bar = tilted_bar(world, tilt);
        FilJointDef def = fil_joint_def_default();
        def.kind = FIL_JOINT_BALL;
        def.a = bar;
        def.axis = (FilVec3){cos(tilt), 0.0, -sin(tilt)};
        add(world, &def);
        const double axial = BAR_MASS * 8e-4 / 12.0;
        const double rate = sqrt(BAR_MASS * G * BAR_HALF / ((BAR_PIVOT - axial) * cos(angle)));
        const FilVec3 at = {BAR_HALF * cos(tilt), 0.0, -BAR_HALF * sin(tilt)};
        assert_int_equal(fil_rigid_set_state(world, bar, at, about_y(tilt), (FilVec3){0.0, rate * at.x, 0.0}, (FilVec3){0.0, 0.0, rate}), FIL_OK);
        const int turn = (int)lround(2.0 * PI / rate / dt);
        double highest = -1.0, lowest = 1.0;
        for (int k = 0; k < turn; k++) {
            sample_run(world, 1);
            highest = fmax(highest, sample_position(world, bar).z);
            lowest = fmin(lowest, sample_position(world, bar).z);
        }
        const double phase = atan2(sample_position(world, bar).y, sample_position(world, bar).x);
        near(every_model[m], phase, 0.0, 0.02);
        near("keeps its height", highest - lowest, 0.0, 0.02 * BAR_HALF);
        fil_world_destroy(world);
    }
}

/* A bar on a ball falls until its cone stops it; a spring holds it where its moment is the weight's; friction holds it. */
static void balls_have_cones_springs_and_friction(void** state)
{
    (void)state;
    EACH(every_model, m)
    {
        FilWorld* world = sample_world(every_model[m], 1e-3);
        FilJointDef def = fil_joint_def_default();
        def.kind = FIL_JOINT_BALL;
        def.a = tilted_bar(world, 0.0);
        def.axis = (FilVec3){1.0, 0.0, 0.0};
        def.upper = 0.3;
        const FilId cone = add(world, &def);
        sample_run(world, 1000);
        near("cone", fil_joint_position(world, cone), 0.3, 1e-5);
        fil_world_destroy(world);

        world = sample_world(every_model[m], 1e-3);
        def.a = tilted_bar(world, 0.0);
        def.upper = INFINITY;
        def.angular_stiffness = 2.0;
        def.angular_damping = 0.2;
        const FilId spring = add(world, &def);
        sample_run(world, 4000);
        const double at = fil_joint_position(world, spring);
        near("spring", 2.0 * at, BAR_MASS * G * BAR_HALF * cos(at), 1e-4);
        fil_world_destroy(world);

        world = sample_world(every_model[m], 1e-3);
        def.a = tilted_bar(world, 0.0);
        def.angular_stiffness = def.angular_damping = 0.0;
        def.friction = 1.01 * BAR_MASS * G * BAR_HALF;
        const FilId held = add(world, &def);
        sample_run(world, 500);
        near(every_model[m], fil_joint_velocity(world, held), 0.0, 1.01e-3 * 1e-3 * G * BAR_HALF * BAR_MASS / BAR_INERTIA);
        fil_world_destroy(world);
    }
}

/* ---- state, links, refusals ---- */

static void turns_are_part_of_the_state(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    FilJointDef def = hinge_def(tilted_bar(world, 0.0));
    def.motor.mode = FIL_JOINT_VELOCITY;
    def.motor.target = 20.0;
    const FilId hinge = add(world, &def);
    static char snapshot[4096];
    const size_t size = fil_world_snapshot_size(world);
    assert_true(size <= sizeof snapshot);
    sample_run(world, 1000);
    fil_world_save(world, snapshot);
    sample_run(world, 500);
    const double position = fil_joint_position(world, hinge);
    const uint64_t hash = fil_world_hash(world);
    near("turns", position, 30.0, 0.1);
    assert_int_equal(fil_world_restore(world, snapshot, size), FIL_OK);
    near("turns", fil_joint_position(world, hinge), 20.0, 0.1);
    sample_run(world, 500);
    assert_true(fil_world_hash(world) == hash);
    assert_int_equal(fil_world_reset(world), FIL_OK);
    near("reset", fil_joint_position(world, hinge), 0.0, 1e-12);
    fil_world_destroy(world);
}

/* A bar hinged to a robot's link swings as one that is hinged to a body that is. */
static void links_are_joined_like_bodies(void** state)
{
    (void)state;
    double tips[2];
    for (int robot = 0; robot < 2; robot++) {
        FilWorld* world = sample_world("sap", 2e-4);
        FilJointDef def = hinge_def((FilId){0});
        if (robot) {
            const FilLinkDef links[] = {{.name = "base"},
                                        {.name = "arm",
                                         .mass = BAR_MASS,
                                         .center_of_mass = {BAR_HALF, 0.0, 0.0},
                                         .inertia = {BAR_MASS * 8e-4 / 12.0, BAR_INERTIA, BAR_INERTIA, 0.0, 0.0, 0.0}}};
            FilRobotJointDef joint = fil_robot_joint_def_default();
            joint.name = "shoulder";
            joint.type = FIL_ROBOT_CONTINUOUS;
            joint.parent = 0;
            joint.child = 1;
            joint.axis = (FilVec3){0.0, 1.0, 0.0};
            FilRobotDef arm = sample_robot_def(links, &joint);
            FilId id;
            if (fil_world_add_robot(world, &arm, &id) != FIL_OK) {
                fail_msg("%s", fil_world_error(world));
            }
            def.b = fil_world_find_link(world, "arm");
        } else {
            def.a = tilted_bar(world, 0.0);
            add(world, &def);
            def.b = def.a;
        }
        def.a = add_bar(world, (FilVec3){3.0 * BAR_HALF, 0.0, 0.0}, about_y(0.0));
        def.point = (FilVec3){2.0 * BAR_HALF, 0.0, 0.0};
        add(world, &def);
        sample_run(world, 2500);
        tips[robot] = sample_position(world, def.a).z;
        fil_world_destroy(world);
    }
    // both step to first order in other coordinates
    near("lower bar", tips[1], tips[0], 2e-3);
}

static void bad_joints_are_refused(void** state)
{
    (void)state;
    FilWorld* world = sample_world("sap", 1e-3);
    const FilId ball = sample_ball(world, 0.1, 0.0, 0.0, 0.0);
    const FilId rod = sample_rod(world, 11, 5e-3, (FilVec3){1.0, 0.0, 0.0}, (FilVec3){0.02, 0.0, 0.0}, still);
    const FilJointDef sound = hinge_def(ball);
    FilJointDef def[12];
    const char* says[] = {"axis",  "limits",  "not negative", "rigid bodies, links", "no motor", "unknown mode",
                          "gains", "damping", "finite",       "unknown kind",        "limits",   "not negative"};
    for (int k = 0; k < 12; k++) {
        def[k] = sound;
    }
    def[0].axis = still;
    def[1].lower = 0.1;
    def[2].friction = -1.0;
    def[3].a = rod;
    def[4].kind = FIL_JOINT_BALL, def[4].motor.mode = FIL_JOINT_VELOCITY;
    def[5].motor.mode = (FilJointMode)3;
    def[6].motor.mode = FIL_JOINT_POSITION, def[6].motor.stiffness = -1.0;
    def[7].motor.mode = FIL_JOINT_VELOCITY, def[7].motor.stiffness = 1.0;
    def[8].start = NAN;
    def[9].kind = (FilJointKind)77;
    def[10].upper = NAN;
    def[11].limit_stiffness = INFINITY;
    for (int k = 0; k < 12; k++) {
        FilId id;
        assert_int_equal(fil_world_add_joint(world, &def[k], &id), FIL_BAD_INPUT);
        if (strstr(fil_world_error(world), says[k]) == NULL) {
            fail_msg("'%s' does not say '%s'", fil_world_error(world), says[k]);
        }
    }
    // a joint without a motor takes no drive
    const FilId hinge = add(world, &sound);
    FilDriveDef drive = fil_drive_def_default();
    FilId id;
    drive.kind = FIL_DRIVE_MOTOR;
    drive.joint = hinge;
    assert_int_equal(fil_world_add_drive(world, &drive, &id), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "motor"));
    assert_true(isnan(fil_joint_position(world, rod)) && isnan(fil_joint_velocity(world, rod)) && isnan(fil_joint_effort(world, rod)));
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_keeps_time),
        cmocka_unit_test(reactions_are_weights),
        cmocka_unit_test(motors_keep_a_velocity),
        cmocka_unit_test(motors_follow_positions),
        cmocka_unit_test(motors_push),
        cmocka_unit_test(limits_stop),
        cmocka_unit_test(nothing_is_pushed_by_itself),
        cmocka_unit_test(a_double_pendulum_keeps_its_energy),
        cmocka_unit_test(a_slider_slides_down_a_slope),
        cmocka_unit_test(a_slider_swings_on_its_spring),
        cmocka_unit_test(a_conical_pendulum_goes_round),
        cmocka_unit_test(balls_have_cones_springs_and_friction),
        cmocka_unit_test(turns_are_part_of_the_state),
        cmocka_unit_test(links_are_joined_like_bodies),
        cmocka_unit_test(bad_joints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
