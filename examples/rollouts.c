/* Where a cable's tip swings to depends on how its hook is moved: a state is saved, and many motions are tried from it. */
#include <filum/filum.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLDS = 8, PERIODS = 20 };

static const char scene[] =
    "world: {dt: 0.002}\n"
    "materials: {rubber: {young: 1e7, poisson: 0.5, density: 1100}}\n"
    "rods:\n"
    "  - {name: cable, material: rubber, section: {circle: {radius: 0.002}},\n"
    "     shape: {straight: {from: [0, 0, 0], to: [0, 0, -0.5], nodes: 11}}}\n"
    "attachments: [{name: hook, pin: {rod: cable, node: 0}}]\n"
    "drives: [{name: move, attachment: hook, velocity: [0, 0, 0]}]\n"
    "probes: {tip: {position: {rod: cable, node: -1, component: x}}}\n";

/* All worlds begin in one state; each moves its hook at another speed, and holds it for the second half. */
static FilStatus try_motions(FilBatch* batch, const void* snapshot, double* outputs)
{
    static double commands[WORLDS][PERIODS][3];
    for (int k = 0; k < WORLDS; ++k) {
        for (int p = 0; p < PERIODS / 2; ++p) {
            commands[k][p][0] = 0.25 * k;
        }
    }
    FilRolloutDef def = fil_rollout_def_default();
    def.periods = PERIODS;
    def.steps = 10;
    def.commands = &commands[0][0][0];
    def.outputs = outputs;
    const FilStatus status = fil_batch_restore(batch, snapshot, 0, NULL);
    return status == FIL_OK ? fil_batch_rollout(batch, &def) : status;
}

int main(void)
{
    FilSceneBatchDef def = fil_scene_batch_def_default();
    def.count = WORLDS;
    def.path = "rollouts";
    def.text = scene;
    def.size = strlen(scene);
    FilBatch* batch = NULL;
    FilError error;
    if (fil_scene_load_batch(&def, &batch, NULL, &error) != FIL_OK) {
        return fprintf(stderr, "%s\n", error.text), 1;
    }
    FilInputDef input = fil_input_def_default();
    input.name = "move";
    FilWorld* first = fil_batch_world(batch, 0);
    const size_t size = fil_world_snapshot_size(first);
    void* snapshot = malloc(size);
    bool ok = snapshot && fil_batch_add_input(batch, &input) == FIL_OK;
    for (int i = 0; ok && i < 100; ++i) {
        ok = fil_world_step(first, NULL) == FIL_OK;
    }
    static double outputs[WORLDS][PERIODS + 1];
    if (ok) {
        fil_world_save(first, snapshot);
        ok = try_motions(batch, snapshot, &outputs[0][0]) == FIL_OK;
    }
    for (int k = 0; ok && k < WORLDS; ++k) {
        printf("hook moved at %.2f m/s: the tip is %.3f m ahead of it\n", 0.25 * k, outputs[k][PERIODS] - 0.2 * 0.25 * k);
    }
    if (!ok) {
        fprintf(stderr, "%s\n", fil_batch_error(batch));
    }
    free(snapshot);
    fil_batch_destroy(batch);
    return !ok;
}
