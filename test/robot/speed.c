/* One evaluation of forward dynamics, here and by mj_forward of MuJoCo without contacts, in the same run: a 7-joint arm
 * and a tree of 30 links. Prints the best of several rounds of CPU time; not a test. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "body/articulated.h"
#include "filum/filum.h"
#include "robot/random_tree.h"
#include "world/world.h"

enum { ROUNDS = 20, CALLS = 5000 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static mjModel* load_model(const TreeText* text)
{
    char folder[] = "/tmp/filum_speed_XXXXXX", path[64], problem[500] = "";
    if (mkdtemp(folder) == NULL) {
        return NULL;
    }
    snprintf(path, sizeof path, "%s/tree.urdf", folder);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return NULL;
    }
    fwrite(text->text, 1, text->size, file);
    fclose(file);
    mjModel* model = mj_loadXML(path, NULL, problem, sizeof problem);
    unlink(path);
    rmdir(folder);
    return model;
}

/* Joints that all turn; a chain, or a bush of random branches. */
static Tree make_tree(int count, bool chain)
{
    Random random = {9};
    Tree tree = tree_random(&random, count, false, false);
    for (int k = 1; k <= count; k++) {
        tree.parts[k].type = FIL_ROBOT_REVOLUTE;
        tree.parts[k].parent = chain ? k - 1 : tree.parts[k].parent;
    }
    return tree;
}

static int compare(const char* name, int count, bool chain)
{
    static TreeText urdf;
    const Tree tree = make_tree(count, chain);
    tree_write_urdf(&tree, &urdf);
    mjModel* model = load_model(&urdf);
    FilWorldDef world_def = fil_world_def_default();
    FilRobotDef def = fil_robot_def_default();
    FilWorld* world = NULL;
    FilId id;
    if (model == NULL || fil_world_create(&world_def, &world, NULL) != FIL_OK ||
        fil_world_add_robot_urdf(world, &def, "tree.urdf", urdf.text, urdf.size, NULL, 0, &id) != FIL_OK) {
        fprintf(stderr, "%s: cannot be made\n", name);
        return 1;
    }
    mjData* data = mj_makeData(model);
    model->opt.disableflags |= mjDSBL_CONTACT;
    FilArticulated* robot = world->system.bodies[0].impl;
    double *q = world->system.state.q, *v = world->system.state.v, force[FIL_ROBOT_UNKNOWNS] = {0.0}, out[FIL_ROBOT_UNKNOWNS];
    const double gravity[3] = {0.0, 0.0, -9.81};
    double best[2] = {INFINITY, INFINITY}, sum = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds();
        for (int k = 0; k < CALLS; k++) {
            q[k % robot->q_count] = 0.3 + 1e-6 * k;  // another place each time
            v[k % robot->dof_count] = 0.1;
            fil_articulated_forward(robot, q, v, force, gravity, out);
            sum += out[0];
        }
        best[0] = fmin(best[0], (seconds() - start) / CALLS);
        start = seconds();
        for (int k = 0; k < CALLS; k++) {
            data->qpos[k % model->nq] = 0.3 + 1e-6 * k;
            data->qvel[k % model->nv] = 0.1;
            mj_forward(model, data);
            sum += data->qacc[0];
        }
        best[1] = fmin(best[1], (seconds() - start) / CALLS);
    }
    printf("%-14s %2d unknowns: %6.2f us here, %6.2f us in MuJoCo %d, %.2f of it (%g)\n", name, robot->dof_count, 1e6 * best[0], 1e6 * best[1],
           mj_version(), best[0] / best[1], sum);
    mj_deleteData(data);
    mj_deleteModel(model);
    fil_world_destroy(world);
    return 0;
}

int main(void)
{
    const int failed = compare("arm", 7, true) + compare("tree of 30", 30, false) + compare("chain of 30", 30, true);
    return failed > 0 ? 1 : 0;
}
