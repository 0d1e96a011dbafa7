/* ctest: heavy */
/* An independent referee: the same random trees in MuJoCo (version 2.2 of Debian) and here give the same mass matrix,
 * bias and places, and trajectories that agree to the order of the integrators. Built only where MuJoCo is found. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "body/articulated.h"
#include "filum/filum.h"
#include "robot/random_tree.h"
#include "world/world.h"

enum { TREES = 20, UNKNOWNS = FIL_ROBOT_UNKNOWNS };

typedef struct Pair {
    Tree tree;
    mjModel* model;
    mjData* data;
    FilWorld* world;
    const FilBody* body;
    FilArticulated* robot;
    /* of each moving body: where MuJoCo keeps its coordinates and unknowns */
    int q_at[TREE_LINKS], v_at[TREE_LINKS];
} Pair;

static mjModel* load_model(const TreeText* text, const char* name)
{
    char folder[] = "/tmp/filum_tree_XXXXXX", path[64], problem[500] = "";
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->text, 1, text->size, file), text->size);
    fclose(file);
    mjModel* model = mj_loadXML(path, NULL, problem, sizeof problem);
    unlink(path);
    rmdir(folder);
    if (model == NULL) {
        fail_msg("MuJoCo: %s", problem);
    }
    return model;
}

static Pair make_pair(int number, FilIntegrator integrator, double dt)
{
    Random random = {1000u + (uint64_t)number};
    const bool turns = number % 3 == 2, floats = number % 4 == 1;
    Pair pair = {.tree = tree_random(&random, 3 + number * 27 / (TREES - 1), turns, floats)};
    static TreeText urdf, other;
    tree_write_urdf(&pair.tree, &urdf);
    tree_write_mjcf(&pair.tree, &other);
    pair.model = turns ? load_model(&other, "tree.xml") : load_model(&urdf, "tree.urdf");
    pair.data = mj_makeData(pair.model);
    FilWorldDef def = fil_world_def_default();
    FilRobotDef robot = fil_robot_def_default();
    FilId id;
    def.integrator = integrator;
    def.dt = dt;
    def.newton_tolerance = 1e-12;
    assert_int_equal(fil_world_create(&def, &pair.world, NULL), FIL_OK);
    if (fil_world_add_robot_urdf(pair.world, &robot, "tree.urdf", urdf.text, urdf.size, NULL, 0, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(pair.world));
    }
    pair.body = &pair.world->system.bodies[0];
    pair.robot = pair.body->impl;
    for (int l = 0; l < pair.robot->link_count; l++) {
        const FilTreeLink* link = &pair.robot->links[l];
        if (!link->fixed) {
            const int mj_body = mj_name2id(pair.model, mjOBJ_BODY, link->name);
            assert_true(mj_body > 0);
            const int joint = pair.model->body_jntadr[mj_body];
            pair.q_at[link->body] = pair.model->jnt_qposadr[joint];
            pair.v_at[link->body] = pair.model->jnt_dofadr[joint];
        }
    }
    assert_int_equal(pair.model->nv, pair.robot->dof_count);
    assert_int_equal(pair.model->nq, pair.robot->q_count);
    return pair;
}

static void free_pair(Pair* pair)
{
    fil_world_destroy(pair->world);
    mj_deleteData(pair->data);
    mj_deleteModel(pair->model);
}

/* Coordinates of one to the other: quaternions have their scalar last here and first there. */
static void give_state(const Pair* pair, const double* q, const double* v)
{
    for (int b = 0; b < pair->robot->body_count; b++) {
        const FilTreeBody* body = &pair->robot->bodies[b];
        const double* from = q + body->q;
        double* to = pair->data->qpos + pair->q_at[b];
        const int linear = body->dofs == 1 ? 1 : body->dofs - 3;
        memcpy(to, from, sizeof(double) * (size_t)linear);
        if (body->dofs > 1) {
            to[linear] = from[linear + 3];
            memcpy(to + linear + 1, from + linear, 3 * sizeof(double));
        }
        memcpy(pair->data->qvel + pair->v_at[b], v + body->v, sizeof(double) * (size_t)body->dofs);
    }
}

/* Unknown of MuJoCo that is unknown d here. */
static int unknown_of(const Pair* pair, int d)
{
    const int b = pair->robot->dof_body[d];
    return pair->v_at[b] + d - pair->robot->bodies[b].v;
}

static void random_state(const Pair* pair, Random* random, double speed)
{
    double *q = pair->world->system.state.q + pair->body->q, *v = pair->world->system.state.v + pair->body->v;
    double turn[UNKNOWNS];
    tree_numbers(random, 1.0, pair->robot->dof_count, turn);
    tree_numbers(random, speed, pair->robot->dof_count, v);
    fil_articulated_move(pair->robot, q, turn, 1.0, q);
    give_state(pair, q, v);
}

static void trees_have_the_same_dynamics(void** state)
{
    (void)state;
    static double full[UNKNOWNS * UNKNOWNS];
    for (int number = 0; number < TREES; number++) {
        Pair pair = make_pair(number, FIL_BACKWARD_EULER, 1e-3);
        Random random = {77u + (uint64_t)number};
        random_state(&pair, &random, 2.0);
        mj_forward(pair.model, pair.data);
        mj_fullM(pair.model, full, pair.data->qM);
        const FilArticulated* robot = pair.robot;
        const double *q = pair.world->system.state.q, *v = pair.world->system.state.v, gravity[3] = {0.0, 0.0, -9.81};
        double bias[UNKNOWNS], largest = 0.0, force = 0.0;
        static double mass[UNKNOWNS * UNKNOWNS];
        fil_articulated_dynamics(robot, q, v, gravity, mass, bias);
        for (int d = 0; d < robot->dof_count; d++) {
            largest = fmax(largest, mass[robot->row[d] + robot->depth[d]]);
            force = fmax(force, fabs(bias[d]));
        }
        int entries = 0;
        for (int d = 0; d < robot->dof_count; d++) {
            const int row = unknown_of(&pair, d);
            for (int t = 0; t <= robot->depth[d]; t++) {
                const int column = unknown_of(&pair, robot->below[robot->row[d] + t]);
                const double expected = full[row * pair.model->nv + column];
                assert_true(fabs(mass[robot->row[d] + t] - expected) <= 1e-8 * largest);
                entries += expected != 0.0;
            }
            assert_true(fabs(bias[d] - pair.data->qfrc_bias[row]) <= 1e-8 * force);
        }
        assert_true(entries >= robot->dof_count);
        for (int l = 0; l < robot->link_count; l++) {
            const int body = mj_name2id(pair.model, mjOBJ_BODY, robot->links[l].name);
            FilPose pose;
            fil_articulated_link_pose(robot, q, l, &pose);
            assert_true(body >= 0);
            for (int k = 0; k < 12; k++) {
                const double expected = k < 9 ? pair.data->xmat[9 * body + k] : pair.data->xpos[3 * body + k - 9];
                assert_true(fabs((k < 9 ? pose.r[k] : pose.p[k - 9]) - expected) <= 1e-8);
            }
        }
        free_pair(&pair);
    }
}

static void damp(const Pair* pair)
{
    Random random = {5u};
    random_state(pair, &random, 0.2);
    for (int d = 0; d < pair->robot->dof_count; d++) {
        pair->robot->damping[d] = 0.5;
        pair->model->dof_damping[unknown_of(pair, d)] = 0.5;
    }
}

/* Where MuJoCo has the links after 1 s in mild damping, by its Runge-Kutta scheme; which is of fourth order only where
 * no joint turns in space, and so takes smaller steps there. */
static void follow_referee(int number, double places[][3])
{
    Pair pair = make_pair(number, FIL_MIDPOINT, 1e-3);
    damp(&pair);
    const bool turns = pair.model->nq > pair.model->nv;
    const int steps = turns ? 20000 : 2000;
    pair.model->opt.integrator = mjINT_RK4;
    pair.model->opt.timestep = 1.0 / steps;
    for (int k = 0; k < steps; k++) {
        mj_step(pair.model, pair.data);
    }
    mj_kinematics(pair.model, pair.data);
    for (int l = 0; l < pair.robot->link_count; l++) {
        fil_v3_copy(places[l], pair.data->xpos + 3 * mj_name2id(pair.model, mjOBJ_BODY, pair.robot->links[l].name));
    }
    free_pair(&pair);
}

/* How far any link is from there. */
static double miss(int number, FilIntegrator integrator, double dt, double places[][3])
{
    Pair pair = make_pair(number, integrator, dt);
    damp(&pair);
    const int steps = (int)lround(1.0 / dt);
    for (int k = 0; k < steps; k++) {
        if (fil_world_step(pair.world, NULL) != FIL_OK) {
            fail_msg("%s", fil_world_error(pair.world));
        }
    }
    double largest = 0.0;
    for (int l = 0; l < pair.robot->link_count; l++) {
        FilPose pose;
        fil_articulated_link_pose(pair.robot, pair.world->system.state.q, l, &pose);
        largest = fmax(largest, fil_v3_distance(pose.p, places[l]));
    }
    free_pair(&pair);
    return largest;
}

/* Halving the step divides the error by 4 and by 2; what is left of higher orders may change the order by a seventh. */
static void trajectories_agree_to_the_order(void** state)
{
    (void)state;
    for (int number = 0; number < TREES; number++) {
        double places[TREE_LINKS][3];
        follow_referee(number, places);
        const double coarse = miss(number, FIL_MIDPOINT, 2e-3, places), fine = miss(number, FIL_MIDPOINT, 1e-3, places);
        const double euler = miss(number, FIL_BACKWARD_EULER, 1e-3, places), half = miss(number, FIL_BACKWARD_EULER, 5e-4, places);
        print_message("tree %2d: midpoint off by %.1e m, order %.2f; Euler %.1e m, order %.2f\n", number, fine, log2(coarse / fine), half,
                      log2(euler / half));
        assert_true(fabs(log2(coarse / fine) - 2.0) < 0.15);
        assert_true(fabs(log2(euler / half) - 1.0) < 0.15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_have_the_same_dynamics),
        cmocka_unit_test(trajectories_agree_to_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
