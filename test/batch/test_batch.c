/* Worlds of a batch have the bits of worlds that are run alone, for any number of threads; what is wrong is refused by name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/state.h"
#include "filum/filum.h"
#include "scenes.h"

enum { WORLDS = 11, PERIODS = 6, STEPS = 5, INPUTS = 5 };

/* A rope that is pulled over the ground, a soft arm and a pendulum. */
static const char scene[] =
    "parameters: {nodes: 12, friction: 0.3}\n"
    "world: {dt: 0.002, contact: sap}\n"
    "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000, friction: $(friction)}}\n"
    "rods:\n"
    "  - {name: rope, material: rubber, section: {circle: {radius: 0.01}},\n"
    "     shape: {straight: {from: [0, 0, 0.012], to: [0.5, 0, 0.012], nodes: $(nodes)}}}\n"
    "arms: [{name: trunk, position: [0, 2, 2], sections: [{}]}]\n"
    "robots: [{name: bar, urdf: ../robots/pendulum.urdf, position: [0, -3, 3]}]\n"
    "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}]\n"
    "attachments: [{name: end, pin: {rod: rope, node: -1}}]\n"
    "drives: [{name: pull, attachment: end, velocity: [0.1, 0, 0]}]\n"
    "probes: {tip: {position: {rod: rope, node: 0}}, swing: {axis_position: {robot: bar, joint: swing}},\n"
    "         disk: {disk_position: {arm: trunk, disk: -1}}, energy: total_energy}\n";
static const char path[] = FILUM_SOURCE_DIR "/config/scenes/batch.yaml";

static char frictions[WORLDS][16];

static FilSceneBatchDef definition(FilSetting* settings, int threads)
{
    FilSceneBatchDef def = fil_scene_batch_def_default();
    def.count = WORLDS;
    def.threads = threads;
    def.path = path;
    def.text = scene;
    def.size = sizeof scene - 1;
    def.settings = settings;
    def.setting_count = 1;
    for (int k = 0; k < WORLDS; k++) {
        snprintf(frictions[k], sizeof frictions[k], "%g", 0.1 + 0.05 * k);
        settings[k] = (FilSetting){"friction", frictions[k]};
    }
    return def;
}

static void check(FilStatus status, const FilBatch* batch)
{
    if (status != FIL_OK) {
        fail_msg("%s", fil_batch_error(batch));
    }
}

static FilBatch* load(int threads)
{
    FilSetting settings[WORLDS];
    const FilSceneBatchDef def = definition(settings, threads);
    FilBatch* batch = NULL;
    FilSceneInfo info;
    FilError error;
    if (fil_scene_load_batch(&def, &batch, &info, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilInputDef inputs[] = {{.kind = FIL_INPUT_DRIVE, .name = "pull"},
                                  {.kind = FIL_INPUT_JOINT, .name = "bar", .joint = "swing", .mode = FIL_JOINT_EFFORT},
                                  {.kind = FIL_INPUT_CHAMBER, .name = "trunk", .chamber = 1}};
    for (int i = 0; i < 3; i++) {
        check(fil_batch_add_input(batch, &inputs[i]), batch);
    }
    assert_int_equal(fil_batch_input_size(batch), INPUTS);
    assert_int_equal(fil_batch_count(batch), WORLDS);
    return batch;
}

/* Commands of any world in any period. */
static void command_of(int index, int period, double* command)
{
    command[0] = 0.1 * sin(index + 0.5 * period);
    command[1] = 0.05 * cos(2.0 * index - period);
    command[2] = 0.0;
    command[3] = 0.3 * sin(period + 0.1 * index);
    command[4] = 1e4 * (1.0 + sin(0.7 * period + index));
}

/* The same, as a law that looks at the outputs. */
static FilStatus control(void* context, int index, int period, const double* output, double* command)
{
    const int* ends = context;
    command_of(index, period, command);
    command[0] -= 0.2 * output[0];  // tip's x
    return ends != NULL && index == ends[0] && period == ends[1] ? FIL_INTERRUPTED : FIL_OK;
}

/* World `index` alone, by plain calls; its hash, and its outputs after each period. */
static uint64_t run_alone(int index, bool by_law, double* outputs)
{
    FilSetting settings[WORLDS];
    const FilSceneBatchDef def = definition(settings, 1);
    const FilSceneOptions options = {.settings = &settings[index], .setting_count = 1};
    FilWorld* world = NULL;
    FilError error;
    if (fil_scene_load_text(path, scene, def.size, &options, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilId pull = fil_world_find_drive(world, "pull"), bar = fil_world_find_robot(world, "bar"), trunk = fil_world_find_arm(world, "trunk");
    const int count = fil_world_probe_count(world);
    for (int p = 0; p <= PERIODS; p++) {
        for (int o = 0; o < count; o++) {
            outputs[p * count + o] = fil_world_probe_value(world, o);
        }
        double command[INPUTS];
        command_of(index, p, command);
        if (by_law) {
            assert_int_equal(control(NULL, index, p, outputs + p * count, command), FIL_OK);
        }
        for (int s = 0; s < STEPS && p < PERIODS; s++) {  // a command that is given again changes nothing
            assert_int_equal(fil_drive_set(world, pull, command, 3), FIL_OK);
            assert_int_equal(fil_robot_set_joint_command(world, bar, 0, &(FilJointCommand){.mode = FIL_JOINT_EFFORT, .effort = command[3]}), FIL_OK);
            assert_int_equal(fil_arm_set_pressure(world, trunk, 1, command[4]), FIL_OK);
            assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        }
    }
    const uint64_t hash = fil_world_hash(world);
    fil_world_destroy(world);
    return hash;
}

static void batches_have_the_bits_of_single_worlds(void** state)
{
    (void)state;
    static const int threads[] = {1, 2, 4, 8};
    static double alone[WORLDS][(PERIODS + 1) * 16], outputs[WORLDS * (PERIODS + 1) * 16], commands[WORLDS][PERIODS][INPUTS];
    uint64_t hashes[WORLDS], expected[WORLDS], done[WORLDS];
    for (int law = 0; law < 2; law++) {
        for (int k = 0; k < WORLDS; k++) {
            expected[k] = run_alone(k, law, alone[k]);
            assert_true(k == 0 || expected[k] != expected[k - 1]);  // each has its own parameters
            for (int p = 0; p < PERIODS; p++) {
                command_of(k, p, commands[k][p]);
            }
        }
        for (int t = 0; t < 4; t++) {
            FilBatch* batch = load(threads[t]);
            const int size = fil_batch_output_size(batch);
            assert_true(size > 0 && size <= 16);
            FilRolloutDef def = fil_rollout_def_default();
            def.periods = PERIODS;
            def.steps = STEPS;
            def.outputs = outputs;
            def.steps_done = done;
            def.commands = law ? NULL : &commands[0][0][0];
            def.control = law ? control : NULL;
            check(fil_batch_rollout(batch, &def), batch);
            fil_batch_hashes(batch, hashes);
            for (int k = 0; k < WORLDS; k++) {
                assert_int_equal(done[k], PERIODS * STEPS);
                assert_true(hashes[k] == expected[k]);
                assert_memory_equal(outputs + (size_t)k * (PERIODS + 1) * (size_t)size, alone[k], sizeof(double) * (PERIODS + 1) * (size_t)size);
            }
            fil_batch_destroy(batch);
        }
    }
}

static void snapshots_bring_states_back(void** state)
{
    (void)state;
    FilBatch* batch = load(2);
    const size_t size = fil_batch_snapshot_size(batch);
    unsigned char* snapshots = malloc(size * WORLDS);
    uint64_t start[WORLDS], later[WORLDS], hashes[WORLDS];
    FilRolloutDef def = fil_rollout_def_default();
    def.steps = 10;
    assert_non_null(snapshots);
    check(fil_batch_rollout(batch, &def), batch);
    check(fil_batch_save(batch, snapshots), batch);
    fil_batch_hashes(batch, start);
    check(fil_batch_rollout(batch, &def), batch);
    fil_batch_hashes(batch, later);
    check(fil_batch_restore(batch, snapshots, size, NULL), batch);
    fil_batch_hashes(batch, hashes);
    assert_memory_equal(hashes, start, sizeof start);
    check(fil_batch_rollout(batch, &def), batch);
    fil_batch_hashes(batch, hashes);
    assert_memory_equal(hashes, later, sizeof later);

    // one state for all, but for those that are left out
    bool active[WORLDS];
    for (int k = 0; k < WORLDS; k++) {
        active[k] = k != 3;
    }
    check(fil_batch_restore(batch, snapshots, 0, active), batch);
    fil_batch_hashes(batch, hashes);
    for (int k = 0; k < WORLDS; k++) {
        assert_true(hashes[k] == (k == 3 ? later[3] : start[0]));
    }
    // those that are left out of a rollout stay
    def.active = active;
    check(fil_batch_rollout(batch, &def), batch);
    fil_batch_hashes(batch, hashes);
    assert_true(hashes[3] == later[3] && hashes[4] != start[0]);
    check(fil_batch_reset(batch, NULL), batch);
    for (int k = 0; k < WORLDS; k++) {
        assert_true(fil_world_time(fil_batch_world(batch, k)) == 0.0);
    }
    // a damaged one is refused by its world, with its number
    snapshots[2 * size + size - 20] ^= 1;
    assert_int_equal(fil_batch_restore(batch, snapshots, size, NULL), FIL_BAD_INPUT);
    assert_string_equal(fil_batch_error(batch), "world 2: this snapshot is damaged: its checksum does not fit");
    assert_true(fil_world_time(fil_batch_world(batch, 2)) == 0.0 && fil_world_time(fil_batch_world(batch, 3)) > 0.0);
    free(snapshots);
    fil_batch_destroy(batch);
}

static void a_failed_world_leaves_the_others_alone(void** state)
{
    (void)state;
    FilBatch* batch = load(4);
    const int size = fil_batch_output_size(batch);
    int positions, velocities, ends[] = {5, 2};
    (void)fil_world_positions(fil_batch_world(batch, 0), &positions);
    (void)fil_world_velocities(fil_batch_world(batch, 0), &velocities);
    const size_t rows = WORLDS * (PERIODS + 1);
    double* outputs = calloc(rows * (size_t)size, sizeof(double));
    double* states = calloc(rows * (size_t)positions, sizeof(double));
    double* rates = calloc(rows * (size_t)velocities, sizeof(double));
    FilStatus statuses[WORLDS];
    uint64_t done[WORLDS];
    const FilRolloutDef def = {.periods = PERIODS,
                               .steps = STEPS,
                               .control = control,
                               .context = ends,
                               .outputs = outputs,
                               .positions = states,
                               .velocities = rates,
                               .statuses = statuses,
                               .steps_done = done};
    assert_int_equal(fil_batch_rollout(batch, &def), FIL_INTERRUPTED);
    assert_string_equal(fil_batch_error(batch), "world 5: who commands it has ended its rollout");
    for (int k = 0; k < WORLDS; k++) {
        assert_int_equal(statuses[k], k == 5 ? FIL_INTERRUPTED : FIL_OK);
        assert_int_equal(done[k], k == 5 ? 2 * STEPS : PERIODS * STEPS);
        for (int p = 0; p <= PERIODS; p++) {
            const size_t row = (size_t)k * (PERIODS + 1) + (size_t)p;
            const bool missing = k == 5 && p > 2;
            assert_true((isnan(outputs[row * (size_t)size]) != 0) == missing);
            assert_true((isnan(states[row * (size_t)positions + 3]) != 0) == missing);
            assert_true((isnan(rates[row * (size_t)velocities + 3]) != 0) == missing);
        }
        const double* now = fil_world_positions(fil_batch_world(batch, k), NULL);
        const size_t last = ((size_t)k * (PERIODS + 1) + PERIODS) * (size_t)positions;
        assert_true(k == 5 || memcmp(states + last, now, sizeof(double) * (size_t)positions) == 0);
    }
    // numbers that are none end the rollout of their world before it steps
    double commands[WORLDS][INPUTS] = {{0.0}};
    commands[7][4] = NAN;
    const FilRolloutDef one = {.periods = 1, .steps = 1, .commands = &commands[0][0], .statuses = statuses};
    assert_int_equal(fil_batch_rollout(batch, &one), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_batch_error(batch), "world 7: "));
    assert_int_equal(statuses[6], FIL_OK);
    free(outputs);
    free(states);
    free(rates);
    fil_batch_destroy(batch);
}

static void refuse(FilBatch* batch, FilStatus status, const char* message)
{
    assert_int_equal(status, FIL_BAD_INPUT);
    assert_string_equal(fil_batch_error(batch), message);
}

static void what_is_wrong_is_refused(void** state)
{
    (void)state;
    FilBatch* batch = load(1);
    refuse(batch, fil_batch_add_input(batch, &(FilInputDef){.name = "push"}), "world 0 has no drive 'push'");
    refuse(batch, fil_batch_add_input(batch, &(FilInputDef){.kind = FIL_INPUT_JOINT, .name = "baz"}), "world 0 has no robot 'baz'");
    refuse(batch, fil_batch_add_input(batch, &(FilInputDef){.kind = FIL_INPUT_JOINT, .name = "bar", .joint = "elbow"}),
           "robot 'bar' of world 0 has no joint 'elbow'");
    refuse(batch, fil_batch_add_input(batch, &(FilInputDef){.kind = FIL_INPUT_JOINT, .name = "bar", .joint = "swing", .mode = 3}),
           "joint 'swing' of robot 'bar' does not take commands of mode 3");
    refuse(batch, fil_batch_add_input(batch, &(FilInputDef){.kind = FIL_INPUT_CHAMBER, .name = "trunk", .chamber = 3}),
           "arm 'trunk' of world 0 has no chamber 3, only 0 to 2");
    refuse(batch, fil_batch_add_input(batch, &(FilInputDef){.kind = FIL_INPUT_CHAMBER, .name = "rope"}), "world 0 has no arm 'rope'");
    refuse(batch, fil_batch_add_input(batch, &(FilInputDef){.kind = (FilInputKind)9, .name = "pull"}),
           "an input needs a kind, and the name of a drive, robot or arm");
    refuse(batch, fil_batch_rollout(batch, &(FilRolloutDef){.periods = 1}), "a rollout needs no fewer than 0 periods of 1 step, not 1 of 0");
    const double commands[WORLDS * INPUTS] = {0.0};
    refuse(batch, fil_batch_rollout(batch, &(FilRolloutDef){.periods = 1, .steps = 1, .commands = commands, .control = control}),
           "a rollout takes its commands from an array or from a function, not from both");
    char snapshot[8];
    refuse(batch, fil_batch_save(batch, NULL), "there is no room for snapshots");
    const FilStatus status = fil_batch_restore(batch, snapshot, 8, NULL);
    assert_int_equal(status, FIL_BAD_INPUT);
    assert_non_null(strstr(fil_batch_error(batch), "cannot stand 8 apart"));
    assert_null(fil_batch_world(batch, WORLDS));
    assert_null(fil_batch_world(batch, -1));
    fil_batch_destroy(batch);
    fil_batch_destroy(NULL);
}

static void refuse_definition(const FilSceneBatchDef* def, const char* message)
{
    FilBatch* batch = NULL;
    FilError error = {""};
    assert_int_equal(fil_scene_load_batch(def, &batch, NULL, &error), FIL_BAD_INPUT);
    assert_null(batch);
    if (strstr(error.text, message) == NULL) {
        fail_msg("'%s' does not say '%s'", error.text, message);
    }
}

static void definitions_are_checked(void** state)
{
    (void)state;
    FilSetting settings[WORLDS];
    FilSceneBatchDef def = definition(settings, 2);
    settings[4].value = "[1";
    settings[9].path = "frictoin";
    refuse_definition(&def, "world 4 (and 1 more of 11): ");
    settings[4].value = "0.2";
    refuse_definition(&def, "world 9: ");
    def.count = 0;
    refuse_definition(&def, "a batch has 1 to 1000000 worlds, not 0");
    def.count = 2;
    def.threads = 257;
    refuse_definition(&def, "a batch has 1 to 256 threads, or 0 for one per processor, not 257");
    FilError error;
    FilBatch* batch = NULL;
    const FilBatchDef none = fil_batch_def_default();
    assert_int_equal(fil_batch_create(&none, &batch, &error), FIL_BAD_INPUT);

    // worlds of other sizes can be run together, but their states are no array
    def = definition(settings, 2);
    settings[1] = (FilSetting){"nodes", "8"};
    if (fil_scene_load_batch(&def, &batch, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    const FilRolloutDef step = fil_rollout_def_default();
    check(fil_batch_rollout(batch, &step), batch);
    assert_int_equal(fil_batch_snapshot_size(batch), 0);
    char snapshot[8];
    refuse(batch, fil_batch_save(batch, snapshot), "these worlds differ in size, and so do their snapshots: save and restore them one by one");
    double numbers[8];
    refuse(batch, fil_batch_rollout(batch, &(FilRolloutDef){.periods = 1, .steps = 1, .positions = numbers}),
           "these worlds differ in size, and their states are no array");
    refuse(batch, fil_batch_rollout(batch, &(FilRolloutDef){.periods = 1, .steps = 1, .commands = numbers}),
           "this batch has no inputs that commands could move: add some");
    fil_batch_destroy(batch);
}

/* A state that is brought back to one place after each step changes nothing of the run, nor of what is measured. */
static void the_state_can_stay_in_its_place(void** state)
{
    (void)state;
    static const struct {
        const char *name, *model;
    } cases[] = {{"demo", "sap_lagged"}, {"ring_chain", "ipc"}, {"arm_box", "lcp"}, {"gripper_pinch", "sap"}, {"hanging_clothes", NULL}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const FilSceneOptions options = {.contact_model = cases[c].model};
        FilWorld *moved = load_scene(cases[c].name, &options), *plain = load_scene(cases[c].name, &options);
        int count;
        const double *home = fil_world_positions(moved, &count), *rates = fil_world_velocities(moved, NULL);
        for (int k = 0; k < 12; k++) {
            assert_int_equal(fil_world_step(moved, NULL), FIL_OK);
            assert_true(fil_world_move_state(moved, home));
            assert_int_equal(fil_world_step(plain, NULL), FIL_OK);
            assert_ptr_equal(fil_world_positions(moved, NULL), home);
            assert_ptr_equal(fil_world_velocities(moved, NULL), rates);
            assert_memory_equal(home, fil_world_positions(plain, NULL), sizeof(double) * (size_t)count);
            assert_true(fil_world_hash(moved) == fil_world_hash(plain));
            for (int p = 0; p < fil_world_probe_count(plain); p++) {
                const double values[] = {fil_world_probe_value(plain, p), fil_world_probe_value(moved, p)};
                assert_memory_equal(&values[0], &values[1], sizeof(double));
            }
            assert_int_equal(fil_world_contact_count(moved), fil_world_contact_count(plain));
            for (int i = 0; i < fil_world_contact_count(plain); i++) {
                const FilContactInfo a = fil_world_contact(plain, i), b = fil_world_contact(moved, i);
                assert_memory_equal(&a.point, &b.point, sizeof a.point);
                assert_memory_equal(&a.distance, &b.distance, sizeof a.distance);
                assert_memory_equal(&a.force, &b.force, sizeof a.force);
                assert_memory_equal(&a.slip, &b.slip, sizeof a.slip);
            }
        }
        assert_false(fil_world_move_state(moved, &home[1]));
        fil_world_destroy(moved);
        fil_world_destroy(plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_have_the_bits_of_single_worlds),
        cmocka_unit_test(snapshots_bring_states_back),
        cmocka_unit_test(a_failed_world_leaves_the_others_alone),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(definitions_are_checked),
        cmocka_unit_test(the_state_can_stay_in_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
