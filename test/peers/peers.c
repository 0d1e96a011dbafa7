/* The same scenes here and in MuJoCo, in one run: a rope, a chain of rings, an arm, a pile of boxes. Prints the processor time of a step of both
 * and their ratio, the least of several rounds; not a test. What MuJoCo cannot have is said beside: its rope is a chain of rigid capsules,
 * its rings are rigid. Models are made from the worlds themselves, so that everything is where it is there. */
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/workers.h"
#include "filum/filum.h"

enum { ROUNDS = 3, ROLLOUTS = 64 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- models as text ---- */

/* MuJoCo takes memory for the square of `rows`, three for each contact. */
static void begin_model(FILE* out, const FilWorld* world, const char* solver, int rows)
{
    const FilVec3 g = fil_world_gravity(world);
    fprintf(out,
            "<mujoco><size njmax='%d' nconmax='%d'/><option timestep='%g' gravity='%g %g %g' cone='elliptic' solver='%s' jacobian='sparse'/>"
            "<worldbody>\n",
            rows, rows / 3, fil_world_dt(world), g.x, g.y, g.z, solver);
}

static void end_model(FILE* out)
{
    fprintf(out, "</worldbody></mujoco>\n");
}

/* Boxes of 0.1 m on a plane, where the world has them. */
static void write_pile(FILE* out, const FilWorld* world)
{
    begin_model(out, world, "CG", 45 * fil_world_rigid_count(world));
    fprintf(out, "<geom type='plane' size='0 0 1' friction='0.5'/>\n");
    for (int k = 0; k < fil_world_rigid_count(world); k++) {
        const FilId body = fil_world_rigid_at(world, k);
        if (fil_rigid_mass(world, body) > 0.0) {
            const FilVec3 p = fil_rigid_mass_center(world, body);
            fprintf(out, "<body pos='%.17g %.17g %.17g'><freejoint/><geom type='box' size='0.05 0.05 0.05' density='500' friction='0.5'/></body>\n",
                    p.x, p.y, p.z);
        }
    }
    end_model(out);
}

/* Each ring a rigid body of capsules between its nodes; the first is fixed. */
static void write_rings(FILE* out, const FilWorld* world)
{
    begin_model(out, world, "CG", 60 * fil_world_rod_count(world));
    for (int r = 0; r < fil_world_rod_count(world); r++) {
        const FilId ring = fil_world_rod_at(world, r);
        const int n = fil_rod_node_count(world, ring);
        double* x = calloc(3 * (size_t)n, sizeof *x);
        if (x == NULL) {
            exit(1);
        }
        fil_rod_get_positions(world, ring, x);
        fprintf(out, "<body>%s", r > 0 ? "<freejoint/>" : "");
        for (int i = 0; i < n; i++) {
            const double *a = x + 3 * i, *b = x + 3 * ((i + 1) % n);
            fprintf(out, "<geom type='capsule' size='%.17g' fromto='%.17g %.17g %.17g %.17g %.17g %.17g' density='500' friction='0.1'/>\n",
                    fil_rod_radius(world, ring, i), a[0], a[1], a[2], b[0], b[1], b[2]);
        }
        fprintf(out, "</body>\n");
        free(x);
    }
    end_model(out);
}

/* Capsules from node to node, by ball joints that resist bending by E I / l, critically damped, which explicit springs need
 * to be stable at this step; nothing touches. MuJoCo reads at most 100 elements inside each
 * other. */
static void write_rope(FILE* out, const FilWorld* world)
{
    const FilId rod = fil_world_rod_at(world, 0);
    const int n = fil_rod_node_count(world, rod);
    const double radius = fil_rod_radius(world, rod, 0), length = fil_rod_length(world, rod) / (n - 1);
    const double stiffness = 1e6 * 0.25 * 3.14159265358979 * radius * radius * radius * radius / length;
    begin_model(out, world, "Newton", 300);
    for (int i = 0; i + 1 < n; i++) {
        fprintf(out,
                "<body pos='%.17g 0 0'><joint type='ball' stiffness='%.17g' damping='1e-5'/><geom type='capsule' size='%.17g' fromto='0 0 0 %.17g "
                "0 0' density='1000' contype='0' conaffinity='0'/>\n",
                i == 0 ? 0.0 : length, stiffness, radius, length);
    }
    for (int i = 0; i + 1 < n; i++) {
        fprintf(out, "</body>");
    }
    end_model(out);
}

/* ---- runs ---- */

typedef struct Case {
    const char *name, *scene;
    FilSetting setting;
    int steps;
    void (*write)(FILE* out, const FilWorld* world); /* NULL: the URDF of the scene */
    const char* there;                               /* what is different there */
} Case;

static FilWorld* load_world(const Case* c, FilError* error)
{
    char path[4096];
    FilWorld* world = NULL;
    const FilSceneOptions options = {.settings = &c->setting, .setting_count = c->setting.path != NULL ? 1 : 0};
    const bool found =
        strchr(c->scene, '/') != NULL ? snprintf(path, sizeof path, "%s", c->scene) > 0 : fil_scene_find(c->scene, path, sizeof path, error);
    return found && fil_scene_load(path, &options, &world, NULL, error) == FIL_OK ? world : NULL;
}

static mjModel* load_model(const Case* c, const FilWorld* world)
{
    char path[] = "/tmp/filum_peers_XXXXXX", problem[500] = "";
    if (c->write == NULL) {
        mjModel* arm = mj_loadXML(FILUM_SOURCE_DIR "/config/robots/arm7.urdf", NULL, problem, sizeof problem);
        if (arm == NULL) {
            fprintf(stderr, "peers: %s: %s\n", c->name, problem);
        }
        return arm;
    }
    const int file = mkstemp(path);
    FILE* out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out == NULL) {
        return NULL;
    }
    c->write(out, world);
    fclose(out);
    mjModel* model = mj_loadXML(path, NULL, problem, sizeof problem);
    unlink(path);
    if (model == NULL) {
        fprintf(stderr, "peers: %s: %s\n", c->name, problem);
    }
    return model;
}

static double time_here(FilWorld* world, int steps)
{
    const double start = seconds();
    for (int k = 0; k < steps; k++) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fprintf(stderr, "peers: %s\n", fil_world_error(world));
            exit(1);
        }
    }
    return seconds() - start;
}

static double time_there(const mjModel* model, mjData* data, int steps)
{
    const double start = seconds();
    for (int k = 0; k < steps; k++) {
        mj_step(model, data);
    }
    return seconds() - start;
}

static int compare(const Case* c)
{
    FilError error = {""};
    FilWorld* world = load_world(c, &error);
    mjModel* model = world != NULL ? load_model(c, world) : NULL;
    mjData* data = model != NULL ? mj_makeData(model) : NULL;
    if (data == NULL) {
        fprintf(stderr, "peers: %s left out: %s\n", c->name, error.text);
        return 1;
    }
    double here = 1e300, there = 1e300;
    int resets = 0;                                 // MuJoCo begins anew where numbers are out of bounds
    for (int round = 0; round < ROUNDS; round++) {  // from the start each time
        mj_resetData(model, data);
        if (c->write == NULL) {
            model->opt.timestep = fil_world_dt(world);
            model->opt.disableflags |= mjDSBL_CONTACT;
        }
        if (round > 0 && fil_world_reset(world) != FIL_OK) {
            return 1;
        }
        const double own = time_here(world, c->steps), other = time_there(model, data, c->steps);
        here = own < here ? own : here;
        there = other < there ? other : there;
        resets += data->warning[mjWARN_BADQPOS].number + data->warning[mjWARN_BADQVEL].number + data->warning[mjWARN_BADQACC].number;
    }
    printf("| %s | %d | %.4g | %.4g | %.2g | %s%s |\n", c->name, c->steps, 1e3 * here / c->steps, 1e3 * there / c->steps, there / here, c->there,
           resets > 0 ? "; unstable" : "");
    fflush(stdout);
    mj_deleteData(data);
    mj_deleteModel(model);
    fil_world_destroy(world);
    return 0;
}

/* ---- rollouts: many worlds on threads ---- */

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct MujocoRollout {
    const mjModel* model;
    mjData** data;
    int steps;
} MujocoRollout;

/* Each world through all of its steps, as MuJoCo's own module `rollout` does. */
static void roll_there(void* context, int first, int end, int worker)
{
    const MujocoRollout* rollout = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        mj_resetData(rollout->model, rollout->data[k]);
        for (int s = 0; s < rollout->steps; s++) {
            mj_step(rollout->model, rollout->data[k]);
        }
    }
}

static double time_rollout_here(const Case* c, int threads)
{
    char path[4096];
    FilError error = {""};
    FilBatch* batch = NULL;
    FilSceneBatchDef def = fil_scene_batch_def_default();
    def.count = ROLLOUTS;
    def.threads = threads;
    def.path = strchr(c->scene, '/') != NULL ? c->scene : fil_scene_find(c->scene, path, sizeof path, &error) ? path : NULL;
    def.options.settings = &c->setting;
    def.options.setting_count = c->setting.path != NULL ? 1 : 0;
    if (def.path == NULL || fil_scene_load_batch(&def, &batch, NULL, &error) != FIL_OK) {
        fprintf(stderr, "peers: %s\n", error.text);
        exit(1);
    }
    FilRolloutDef rollout = fil_rollout_def_default();
    rollout.steps = c->steps;
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = wall_seconds();
        if (fil_batch_reset(batch, NULL) != FIL_OK || fil_batch_rollout(batch, &rollout) != FIL_OK) {
            fprintf(stderr, "peers: %s\n", fil_batch_error(batch));
            exit(1);
        }
        const double took = wall_seconds() - start;
        best = took < best ? took : best;
    }
    fil_batch_destroy(batch);
    return best;
}

static double time_rollout_there(const mjModel* model, mjData** data, int steps, int threads)
{
    FilWorkers* workers = fil_workers_create(threads);
    MujocoRollout rollout = {model, data, steps};
    double best = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = wall_seconds();
        fil_workers_run(workers, ROLLOUTS, 1, roll_there, &rollout);
        const double took = wall_seconds() - start;
        best = took < best ? took : best;
    }
    fil_workers_destroy(workers);
    return best;
}

static int compare_rollouts(const Case* c)
{
    FilError error = {""};
    FilWorld* world = load_world(c, &error);
    mjModel* model = world != NULL ? load_model(c, world) : NULL;
    mjData* data[ROLLOUTS] = {NULL};
    if (model == NULL) {
        fprintf(stderr, "peers: rollouts of %s left out: %s\n", c->name, error.text);
        return 1;
    }
    if (c->write == NULL) {
        model->opt.timestep = fil_world_dt(world);
        model->opt.disableflags |= mjDSBL_CONTACT;
    }
    for (int k = 0; k < ROLLOUTS; k++) {
        data[k] = mj_makeData(model);
    }
    const double all = (double)ROLLOUTS * c->steps, unit = 1e-6;
    double here[2], there[2];
    for (int t = 0; t < 2; t++) {
        here[t] = time_rollout_here(c, t + 1);
        there[t] = time_rollout_there(model, data, c->steps, t + 1);
    }
    printf("| %s | %.3g | %.3g | %.2f | %.3g | %.3g | %.2f |\n", c->name, here[0] / all / unit, here[1] / all / unit, here[0] / here[1],
           there[0] / all / unit, there[1] / all / unit, there[0] / there[1]);
    for (int k = 0; k < ROLLOUTS; k++) {
        mj_deleteData(data[k]);
    }
    mj_deleteModel(model);
    fil_world_destroy(world);
    return 0;
}

static int print_rollouts(void)
{
    const Case cases[] = {
        {"rope, 80 nodes", "hanging_rod", {"nodes", "80"}, 20, write_rope, ""},
        {"arm, 7 joints", FILUM_SOURCE_DIR "/test/peers/arm.yaml", {NULL, NULL}, 200, NULL, ""},
    };
    int failed = 0;
    printf(
        "\n| %d worlds, us of wall time a step of one | Filum, 1 thread | 2 threads | gain | MuJoCo, 1 thread | 2 threads | gain "
        "|\n|---|---|---|---|---|---|---|\n",
        (int)ROLLOUTS);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        failed += compare_rollouts(&cases[k]);
    }
    return failed;
}

int main(int count, char** arguments)
{
    const Case cases[] = {
        {"rope, 80 nodes", "hanging_rod", {"nodes", "80"}, 500, write_rope, "79 rigid capsules, ball joints"},
        {"arm, 7 joints", FILUM_SOURCE_DIR "/test/peers/arm.yaml", {NULL, NULL}, 2000, NULL, "the same URDF, without contact"},
        {"chain of 20 rings", "ring_chain", {"chain.rings", "20"}, 250, write_rings, "rigid rings, CG"},
        {"pile of 216 boxes", "box_pile", {"side", "6"}, 50, write_pile, "CG, elliptic cones"},
    };
    int failed = 0;
    printf("| scene | steps | Filum %s, ms a step | MuJoCo %s, ms a step | ratio | there |\n|---|---|---|---|---|---|\n", FILUM_VERSION_TEXT,
           mj_versionString());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (count < 2 || strstr(cases[k].name, arguments[1]) != NULL) {
            failed += compare(&cases[k]);
        }
    }
    if (count < 2 || strstr("rollouts", arguments[1]) != NULL) {
        failed += print_rollouts();
    }
    return failed > 0;
}
