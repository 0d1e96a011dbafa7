/* Forests made of worlds: their equations against the simulator's, plans of scenes, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/quat.h"
#include "base/vec3.h"
#include "body/articulated.h"
#include "filum/filum.h"
#include "plan/manipulation_parts.h"
#include "random.h"
#include "world/world.h"

static FilWorld* load(const char* name, FilSceneInfo* info)
{
    char path[4096];
    FilWorld* world = NULL;
    FilError error = {""};
    if (!fil_scene_find(name, path, sizeof path, &error) || fil_scene_load(path, NULL, &world, info, &error) != FIL_OK) {
        print_message("%s\n", error.text);
    }
    assert_non_null(world);
    return world;
}

static void robots_move_as_in_the_simulator(void** state)
{
    (void)state;
    static FilManipulationStart start;
    FilSceneInfo info;
    FilWorld* world = load("entangling_gripper", &info);  // seven joints
    const FilManipulationTask task = fil_manipulation_def_default().manipulation;
    const FilId link = fil_robot_link(world, fil_world_robot_at(world, 0), 1);
    FilView view;
    FilError error = {""};
    int part;
    assert_true(fil_kind_view(world, FIL_BODY_ROBOT, "link", link, &view));
    start = (FilManipulationStart){.goal_part = -1};
    start.m.tree.gravity[2] = -9.81, start.m.tree.gravity[0] = 1.0;
    FilArticulated* rough = view.impl;  // planning does not take dry friction, and inverse dynamics has none
    for (int j = 0; j < rough->joint_count; j++) {
        rough->joints[j].def.friction = 0.0;
    }
    const FilStatus status = fil_manipulation_add_part(world, &task, link, &start, &part, &error);
    print_message("%s", error.text);
    assert_int_equal(status, FIL_OK);
    const FilArticulated* robot = view.impl;
    const int n = start.m.tree.coordinates;
    assert_int_equal(n, robot->dof_count);
    Random random = {3};
    double worst = 0.0;
    for (int trial = 0; trial < 5; trial++) {
        double q[FIL_PLAN_COORDINATES], v[FIL_PLAN_COORDINATES], rate[FIL_PLAN_COORDINATES], change[FIL_PLAN_COORDINATES];
        double ours[FIL_PLAN_COORDINATES], theirs[FIL_PLAN_COORDINATES];
        for (int i = 0; i < n; i++) {
            q[i] = random_between(&random, -1.0, 1.0), v[i] = random_between(&random, -2.0, 2.0);
            rate[i] = random_between(&random, -5.0, 5.0), change[i] = 0.01 * rate[i];
        }
        fil_plan_tree_inverse(&start.m.tree, q, v, change, 0.01, ours);
        fil_articulated_inverse(robot, q, v, rate, start.m.tree.gravity, theirs);
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, fabs(ours[i] + robot->armature[i] * rate[i] - theirs[i]) / fmax(1.0, fabs(theirs[i])));
        }
    }
    print_message("robot of %d joints: worst difference of inverse dynamics %.1e\n", n, worst);
    assert_true(worst < 1e-12);  // rounding of some hundred products
    fil_world_destroy(world);
}

static void arms_move_as_in_the_simulator(void** state)
{
    (void)state;
    static FilManipulationStart start;
    FilSceneInfo info;
    FilWorld* world = load("ball_roll", &info);
    const FilManipulationTask task = fil_manipulation_def_default().manipulation;
    const FilId id = fil_world_find_arm(world, "arm");
    FilView view;
    FilError error = {""};
    int part;
    assert_true(fil_kind_view(world, FIL_BODY_ARM, "arm", id, &view));
    start = (FilManipulationStart){.goal_part = -1};
    assert_int_equal(fil_manipulation_add_part(world, &task, id, &start, &part, &error), FIL_OK);
    const FilSoftArm* arm = view.impl;
    const FilPlanTree* tree = &start.m.tree;
    const int n = 3 * arm->section_count, stride = fil_soft_arm_unknowns(arm);
    double* mass = calloc((size_t)(stride * stride), sizeof(double));
    double still[FIL_PLAN_COORDINATES] = {0.0}, worst = 0.0;
    fil_soft_arm_mass(arm, view.q, mass);
    for (int j = 0; j < n; j++) {
        double change[FIL_PLAN_COORDINATES] = {0.0}, force[FIL_PLAN_COORDINATES];
        change[j] = 1.0;
        fil_plan_tree_inverse(tree, start.state, still, change, 1.0, force);  // no gravity: a column of M
        for (int s = 0; s < arm->section_count; s++) {
            for (int i = 0; i < 3; i++) {
                worst = fmax(worst, fabs(force[3 * s + i] - mass[(4 * s + i) * stride + 4 * (j / 3) + j % 3]));
            }
        }
    }
    // a place half-way of the second section
    const FilPlanBlock piece = {.kind = FIL_BLOCK_PIECE, .parent = 1, .rest = fil_pose_identity(), .along = 0.5};
    const int block = fil_plan_tree_add(&start.m.tree, &piece);
    FilPose ours, theirs;
    fil_plan_tree_pose(tree, start.state, block, &ours);
    fil_soft_arm_pose(arm, fil_soft_arm_see(arm, view.q), view.q, (FilArmPlace){1, 0.5}, &theirs);
    for (int k = 0; k < 3; k++) {
        worst = fmax(worst, fabs(ours.p[k] - theirs.p[k]));
    }
    print_message("soft arm: worst difference of masses and places %.1e\n", worst);
    assert_true(worst < 1e-13);
    free(mass);
    fil_world_destroy(world);
}

static void make_start(const FilWorld* world, const FilManipulationTask* task, FilManipulationStart* start)
{
    FilError error = {""};
    const FilStatus status = fil_manipulation_start_from(world, task, 1.0, start, &error);
    print_message("%s", error.text);
    assert_int_equal(status, FIL_OK);
}

/* Coordinates of a body that flies and turns, put into its blocks, give its pose; their rates, by differences, its velocities. */
static void bodies_are_seen_where_they_are(void** state)
{
    (void)state;
    static FilManipulationStart start;
    FilSceneInfo info;
    FilWorld* world = load("box_push", &info);
    const FilId box = fil_world_find_rigid(world, "box");
    make_start(world, &info.plan.manipulation, &start);
    const FilManipulationPart* part = start.parts;
    while (strcmp(part->name, "box") != 0) {
        part++;
    }
    Random random = {4};
    for (int trial = 0; trial < 5; trial++) {
        double r[9], wanted[9], q[FIL_PLAN_COORDINATES], v[FIL_PLAN_COORDINATES], side[FIL_PLAN_COORDINATES];
        FilPose pose[3];
        for (int k = 0; k < 9; k++) {
            r[k] = random_between(&random, -1.0, 1.0);
        }
        const FilQuat turn = fil_quat_exponential((const double[3]){0.5 * r[6], 0.5 * r[7], 0.5 * r[8]});
        fil_m3_from_quat(wanted, turn);
        assert_int_equal(fil_rigid_set_state(world, box, (FilVec3){r[0], r[1], r[2]}, turn, (FilVec3){r[3], r[4], r[5]}, (FilVec3){r[6], r[7], r[8]}),
                         FIL_OK);
        assert_true(fil_manipulation_observe(&start, world, q, v));
        const double h = 1e-5;  // errors of h^2 and of rounding/h
        for (int k = 0; k < 3; k++) {
            FilPose block;
            for (int i = 0; i < start.m.tree.coordinates; i++) {
                side[i] = q[i] + (k - 1) * h * v[i];
            }
            fil_plan_tree_pose(&start.m.tree, side, part->first_block + 5, &block);
            fil_pose_compose(&pose[k], &block, &part->turned);
        }
        for (int k = 0; k < 3; k++) {
            double spun[3];  // the body's axis k moves by w x axis
            const double axis[3] = {wanted[k], wanted[3 + k], wanted[6 + k]};
            fil_v3_cross(spun, r + 6, axis);
            assert_true(fabs(pose[1].p[k] - r[k]) < 1e-12);
            assert_true(fabs((pose[2].p[k] - pose[0].p[k]) / (2.0 * h) - r[3 + k]) < 1e-8);
            for (int i = 0; i < 3; i++) {
                assert_true(fabs(pose[1].r[3 * i + k] - axis[i]) < 1e-12);
                assert_true(fabs((pose[2].r[3 * i + k] - pose[0].r[3 * i + k]) / (2.0 * h) - spun[i]) < 1e-8);
            }
        }
    }
    fil_world_destroy(world);
}

/* The finger is at the box's -x side; as the box lies otherwise, another of its sides is the nearest. */
static void the_nearest_side_is_touched(void** state)
{
    (void)state;
    static FilManipulationStart chosen, named;
    static const double turns[6][3] = {{0.0}, {0.0, 0.0, 2.0}, {0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {0.0, -1.0, 0.0}};  // quarters
    for (int side = 0; side < 6; side++) {
        const double quarter = acos(0.0), turn[3] = {quarter * turns[side][0], quarter * turns[side][1], quarter * turns[side][2]};
        FilSceneInfo info;
        FilWorld* world = load("box_push", &info);
        const FilVec3 still = {0.0, 0.0, 0.0}, place = {0.0, 0.0, 0.1};
        const FilId box = fil_world_find_rigid(world, "box");
        assert_int_equal(fil_rigid_set_state(world, box, place, fil_quat_exponential(turn), still, still), FIL_OK);
        FilManipulationTask* task = &info.plan.manipulation;
        task->contacts[1].side = -1;
        make_start(world, task, &chosen);
        task->contacts[1].side = side;
        make_start(world, task, &named);
        assert_int_equal(chosen.m.touches, 5);
        assert_memory_equal(&chosen.m.touch[4].face, &named.m.touch[4].face, sizeof chosen.m.touch[4].face);
        fil_world_destroy(world);
    }
}

static void a_box_is_pushed_to_a_pose(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load("box_push", &info);
    FilPlan* plan = NULL;
    FilError error = {""};
    info.plan.nodes = 20;
    info.plan.meshes = 1;
    info.plan.manipulation.directions = 4;  // the fastest
    assert_int_equal(fil_plan_solve(world, &info.plan, &plan, &error), FIL_OK);
    const FilPlanInfo i = fil_plan_info(plan);
    print_message("box: %s, %d iterations, rows %.1e, pairs %.1e and %.1e, %.1e m and %.1e rad from the goal\n", fil_plan_verdict_name(i.verdict),
                  i.iterations, i.violation, i.gap_pair, i.slip_pair, i.miss, i.turn_miss);
    assert_int_equal(i.verdict, FIL_PLAN_GOOD);
    assert_int_equal(i.points, 5);
    assert_int_equal(i.coordinates, 9);
    fil_plan_destroy(plan);
    fil_world_destroy(world);
}

static void a_valve_is_turned_by_way_of_a_waypoint(void** state)
{
    // by half of the time most of the way is done
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load("valve_turn", &info);
    FilPlan* plan = NULL;
    FilError error = {""};
    FilPlanDef* def = &info.plan;
    double q[24];
    def->nodes = 20;
    def->meshes = 1;
    def->manipulation.goal.vias[0] = (FilManipulationVia){.time = 0.75, .angle = 0.6, .within = {0.01, 0.01}};
    def->manipulation.goal.via_count = 1;
    assert_int_equal(fil_plan_solve(world, def, &plan, &error), FIL_OK);
    const FilPlanInfo i = fil_plan_info(plan);
    assert_true(i.coordinates <= 24);
    fil_plan_coordinates(plan, 9, q);  // the near robot's three joints, then the bar
    print_message("valve: %s, %d iterations, at %.4f rad by half of the time, %.1e rad from its goal at the end\n", fil_plan_verdict_name(i.verdict),
                  i.iterations, q[3], i.miss);
    assert_int_equal(i.verdict, FIL_PLAN_GOOD);
    assert_true(fabs(q[3] - 0.6) <= 0.01 + 1e-6);
    fil_plan_destroy(plan);
    plan = NULL;
    def->manipulation.goal.vias[0].time = 2.0;
    assert_int_equal(fil_plan_solve(world, def, &plan, &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "plan: waypoint 0: times rise within the horizon, and `within` is above zero");
    fil_world_destroy(world);
}

static bool cancel(void* user, const FilPlanReport* report)
{
    (void)user;
    return report->iteration < 3;
}

static void what_cannot_be_planned_is_refused(void** state)
{
    (void)state;
    FilSceneInfo info;
    FilWorld* world = load("box_push", &info);
    FilPlan* plan = NULL;
    FilError error = {""};
    FilPlanDef def = info.plan;
    def.manipulation.directions = 5;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "plan: directions of contacts are 4, 6 or 8, or 0 for a cone, not 5");
    def = info.plan;
    def.manipulation.contact_count = 1;  // the box on the ground alone
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "plan: nothing that the contacts name is driven");
    def = info.plan;
    def.manipulation.contacts[0].ball = def.manipulation.contacts[0].face;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "plan: contact of 'ground' with 'ground': the first is a sphere, a box or a disk that moves"));
    def = info.plan;
    def.manipulation.goal.rotation.z = 4.0;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_BAD_INPUT);
    assert_string_equal(error.text, "plan: a body turns by less than half a turn");
    // cancelled: the best point is kept
    def = info.plan;
    def.report = cancel;
    assert_int_equal(fil_plan_solve(world, &def, &plan, &error), FIL_OK);
    assert_int_equal(fil_plan_info(plan).verdict, FIL_PLAN_STOPPED);
    assert_true(fil_plan_info(plan).reason[0] != '\0');
    fil_plan_destroy(plan);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robots_move_as_in_the_simulator),   cmocka_unit_test(arms_move_as_in_the_simulator),
        cmocka_unit_test(bodies_are_seen_where_they_are),    cmocka_unit_test(the_nearest_side_is_touched),
        cmocka_unit_test(a_box_is_pushed_to_a_pose),         cmocka_unit_test(a_valve_is_turned_by_way_of_a_waypoint),
        cmocka_unit_test(what_cannot_be_planned_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
