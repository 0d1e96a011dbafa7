/* What belongs to the state: commands, released attachments, moved targets and live rest shapes come back with a
 * snapshot and go with a reset; snapshots of other worlds are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "filum/filum.h"
#include "sample.h"

enum { NODES = 6 };

typedef struct Bench {
    FilWorld* world;
    FilId rod, pin, move, force;
} Bench;

static Bench make_bench(int nodes)
{
    Bench bench;
    FilWorldDef world = fil_world_def_default();
    bench.world = sample_world_of(&world);
    FilRodDef rod = fil_rod_def_default();
    rod.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 4e-3, .young = 1e7, .poisson = 0.4, .density = 1000.0};
    bench.rod = sample_straight_rod(bench.world, &rod, nodes, 0.1);
    FilAttachmentDef pin = fil_attachment_def_default();
    pin.object = bench.rod;
    bench.pin = sample_attach(bench.world, &pin);
    bench.move = sample_drive(bench.world, bench.pin, FIL_DRIVE_VELOCITY, 0, NULL, NULL);
    FilDriveDef force = fil_drive_def_default();
    force.object = bench.rod;
    force.first = -1;
    assert_int_equal(fil_world_add_drive(bench.world, &force, &bench.force), FIL_OK);
    return bench;
}

static void run(const Bench* bench, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_int_equal(fil_world_step(bench->world, NULL), FIL_OK);
    }
}

static double first_x(const Bench* bench)
{
    double nodes[3 * 2 * NODES];
    fil_rod_get_positions(bench->world, bench->rod, nodes);
    return nodes[0];
}

static void set(const Bench* bench, FilId drive, double x)
{
    assert_int_equal(fil_drive_set(bench->world, drive, (double[]){x, 0.0, 0.0}, 3), FIL_OK);
}

static void* save(const Bench* bench)
{
    void* snapshot = malloc(fil_world_snapshot_size(bench->world));
    assert_non_null(snapshot);
    fil_world_save(bench->world, snapshot);
    return snapshot;
}

static void restore(const Bench* bench, const void* snapshot)
{
    assert_int_equal(fil_world_restore(bench->world, snapshot, fil_world_snapshot_size(bench->world)), FIL_OK);
}

/* a target that a velocity drive has carried away stays there, comes back with the snapshot and goes on from it */
static void moved_targets_are_state(void** state)
{
    (void)state;
    Bench bench = make_bench(NODES);
    set(&bench, bench.move, 0.5);
    run(&bench, 20);
    /* sums of 20 equal steps */
    assert_true(fabs(first_x(&bench) - 0.01) < 1e-15);
    void* snapshot = save(&bench);
    set(&bench, bench.move, -2.0);
    run(&bench, 20);
    assert_true(fabs(first_x(&bench) + 0.03) < 1e-15);
    restore(&bench, snapshot);
    run(&bench, 20);
    assert_true(fabs(first_x(&bench) - 0.02) < 1e-15);
    free(snapshot);
    fil_world_destroy(bench.world);
}

static void released_attachments_are_state(void** state)
{
    (void)state;
    Bench bench = make_bench(NODES);
    run(&bench, 5);
    void* held = save(&bench);
    const uint64_t hash = fil_world_hash(bench.world);
    assert_int_equal(fil_attachment_set_active(bench.world, bench.pin, false), FIL_OK);
    assert_true(fil_world_hash(bench.world) != hash);
    double start[3 * 2 * NODES], nodes[3 * 2 * NODES];
    fil_rod_get_positions(bench.world, bench.rod, start);
    run(&bench, 50);
    fil_rod_get_positions(bench.world, bench.rod, nodes);
    assert_true(nodes[2] < start[2] - 1e-3); /* let go, it falls */
    assert_true(fil_attachment_force(bench.world, bench.pin).z == 0.0);
    /* held again from where its target is */
    assert_int_equal(fil_attachment_set_active(bench.world, bench.pin, true), FIL_OK);
    run(&bench, 1);
    fil_rod_get_positions(bench.world, bench.rod, nodes);
    assert_true(nodes[2] == start[2]);
    assert_true(fil_attachment_force(bench.world, bench.pin).z != 0.0);

    restore(&bench, held);
    assert_true(fil_world_hash(bench.world) == hash);
    run(&bench, 50);
    fil_rod_get_positions(bench.world, bench.rod, nodes);
    assert_true(nodes[2] == start[2]);
    free(held);
    fil_world_destroy(bench.world);
}

static void commands_are_state(void** state)
{
    (void)state;
    Bench bench = make_bench(NODES);
    double value[3];
    run(&bench, 1);
    void* before = save(&bench);
    set(&bench, bench.force, 0.25);
    fil_drive_value(bench.world, bench.force, value);
    assert_true(value[0] == 0.25);
    void* after = save(&bench);
    restore(&bench, before);
    fil_drive_value(bench.world, bench.force, value);
    assert_true(value[0] == 0.0);
    restore(&bench, after);
    fil_drive_value(bench.world, bench.force, value);
    assert_true(value[0] == 0.25);
    assert_int_equal(fil_drive_release(bench.world, bench.force), FIL_OK);
    fil_drive_value(bench.world, bench.force, value);
    assert_true(value[0] == 0.0);
    free(before);
    free(after);
    fil_world_destroy(bench.world);
}

/* reset goes back to before the first step, commands and live rest shapes of before it included */
static void reset_forgets_what_came_later(void** state)
{
    (void)state;
    Bench bench = make_bench(NODES);
    const double curved[2 * NODES] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
    set(&bench, bench.force, 0.1);
    const uint64_t start = fil_world_hash(bench.world);
    run(&bench, 10);
    set(&bench, bench.force, 0.2);
    set(&bench, bench.move, 1.0);
    assert_int_equal(fil_rod_set_rest_curvature(bench.world, bench.rod, 0, NODES, curved), FIL_OK);
    assert_int_equal(fil_attachment_set_active(bench.world, bench.pin, false), FIL_OK);
    run(&bench, 10);
    assert_int_equal(fil_world_reset(bench.world), FIL_OK);
    assert_true(fil_world_hash(bench.world) == start);
    double value[3];
    fil_drive_value(bench.world, bench.force, value);
    assert_true(value[0] == 0.1);
    /* twice is once */
    assert_int_equal(fil_world_reset(bench.world), FIL_OK);
    assert_true(fil_world_hash(bench.world) == start);
    fil_world_destroy(bench.world);
}

/* energies are those of the state, also of clamps that a drive had turned in the meantime */
static void energies_come_back(void** state)
{
    (void)state;
    Bench bench = make_bench(NODES);
    FilAttachmentDef clamp = fil_attachment_def_default();
    FilId held, turn;
    clamp.kind = FIL_ATTACH_CLAMP;
    clamp.object = bench.rod;
    clamp.first = -1;
    assert_int_equal(fil_world_add_attachment(bench.world, &clamp, &held), FIL_OK);
    FilDriveDef drive = fil_drive_def_default();
    drive.kind = FIL_DRIVE_ROTATION;
    drive.attachment = held;
    drive.knot_count = 2;
    drive.times = (double[]){0.0, 0.1};
    drive.values = (double[]){0.0, 0.0, 0.0, 0.0, 0.4, 0.0};
    assert_int_equal(fil_world_add_drive(bench.world, &drive, &turn), FIL_OK);
    const double start = fil_world_energy(bench.world).elastic;
    run(&bench, 30);
    const double middle = fil_world_energy(bench.world).elastic;
    void* snapshot = save(&bench);
    run(&bench, 60);
    assert_true(fil_world_energy(bench.world).elastic != middle);
    restore(&bench, snapshot);
    assert_true(fil_world_energy(bench.world).elastic == middle);
    assert_int_equal(fil_world_reset(bench.world), FIL_OK);
    assert_true(fil_world_energy(bench.world).elastic == start);
    free(snapshot);
    fil_world_destroy(bench.world);
}

static void refused(const Bench* bench, const void* snapshot, size_t size)
{
    const uint64_t hash = fil_world_hash(bench->world);
    assert_int_equal(fil_world_restore(bench->world, snapshot, size), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(bench->world), "snapshot"));
    assert_true(fil_world_hash(bench->world) == hash);
}

static void foreign_snapshots_are_refused(void** state)
{
    (void)state;
    Bench bench = make_bench(NODES), longer = make_bench(NODES + 1), richer = make_bench(NODES);
    FilAttachmentDef pin = fil_attachment_def_default();
    FilId id;
    pin.object = richer.rod;
    pin.first = 2;
    assert_int_equal(fil_world_add_attachment(richer.world, &pin, &id), FIL_OK);
    run(&bench, 3);
    void *own = save(&bench), *of_longer = save(&longer), *of_richer = save(&richer);
    const size_t size = fil_world_snapshot_size(bench.world);
    refused(&bench, of_longer, fil_world_snapshot_size(longer.world));
    refused(&bench, of_richer, fil_world_snapshot_size(richer.world));
    refused(&bench, of_longer, size); /* cut to measure: its header still tells */
    refused(&bench, of_richer, size);
    refused(&bench, own, size - 8);
    refused(&bench, own, 0);
    refused(&bench, NULL, size);
    restore(&bench, own);
    free(own);
    free(of_longer);
    free(of_richer);
    fil_world_destroy(bench.world);
    fil_world_destroy(longer.world);
    fil_world_destroy(richer.world);
}

/* any one byte that is off is found, and nothing of the snapshot is taken over */
static void damaged_snapshots_are_refused(void** state)
{
    (void)state;
    Bench bench = make_bench(NODES);
    run(&bench, 3);
    unsigned char* own = save(&bench);
    const size_t size = fil_world_snapshot_size(bench.world);
    run(&bench, 2);
    const uint64_t hash = fil_world_hash(bench.world);
    for (size_t k = 0; k < size; k++) {
        own[k] ^= (unsigned char)(1u << k % 8);
        assert_int_equal(fil_world_restore(bench.world, own, size), FIL_BAD_INPUT);
        assert_true(fil_world_hash(bench.world) == hash);
        own[k] ^= (unsigned char)(1u << k % 8);
    }
    assert_non_null(strstr(fil_world_error(bench.world), "damaged"));
    restore(&bench, own);
    free(own);
    fil_world_destroy(bench.world);
}

/* as many numbers of the same kinds, but of other objects */
static void other_layouts_are_refused(void** state)
{
    (void)state;
    Bench bench = make_bench(NODES), other = make_bench(NODES);
    FilDriveDef push = fil_drive_def_default();
    push.object = bench.rod;
    push.name = "push";
    assert_int_equal(fil_world_add_drive(bench.world, &push, NULL), FIL_OK);
    push.object = other.rod;
    push.name = "pull";
    assert_int_equal(fil_world_add_drive(other.world, &push, NULL), FIL_OK);
    void* snapshot = save(&other);
    refused(&bench, snapshot, fil_world_snapshot_size(bench.world));
    free(snapshot);
    fil_world_destroy(bench.world);
    fil_world_destroy(other.world);
}

/* with a checksum that fits, as if someone had made it up */
static void numbers_that_are_not_finite_are_refused(void** state)
{
    (void)state;
    enum { CHECKSUM = 24, HEADER = 32, HEADER_SIZE = 48 };
    Bench bench = make_bench(NODES);
    unsigned char* own = save(&bench);
    const size_t size = fil_world_snapshot_size(bench.world);
    uint64_t checksum;
    memcpy(&checksum, own + CHECKSUM, sizeof checksum);
    assert_true(checksum == fil_world_hash(bench.world));  // of header and arrays, one after the other
    const double nan = NAN;
    memcpy(own + HEADER + HEADER_SIZE, &nan, sizeof nan);  // the first position
    const size_t counts[] = {4 * NODES, 4 * NODES, 0, 4 * NODES, 0};
    int32_t sizes[4];
    memcpy(sizes, own + HEADER + 32, sizeof sizes);
    uint64_t hash = fil_hash_bytes(FIL_HASH_SEED, own + HEADER, HEADER_SIZE);
    const unsigned char* at = own + HEADER + HEADER_SIZE;
    for (int p = 0; p < 5; p++) {
        const size_t count = p == 2 ? (size_t)sizes[2] : p == 4 ? (size_t)sizes[3] : counts[p];
        hash = fil_hash_bytes(hash, at, count * sizeof(double));
        at += count * sizeof(double);
    }
    at += 4 * NODES * sizeof(double);  // nothing has been pushed: no part of the hash
    assert_true(at == own + size);
    memcpy(own + CHECKSUM, &hash, sizeof hash);
    assert_int_equal(fil_world_restore(bench.world, own, size), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(bench.world), "not finite"));
    assert_true(fil_world_hash(bench.world) == checksum);
    free(own);
    fil_world_destroy(bench.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved_targets_are_state),
        cmocka_unit_test(released_attachments_are_state),
        cmocka_unit_test(commands_are_state),
        cmocka_unit_test(reset_forgets_what_came_later),
        cmocka_unit_test(energies_come_back),
        cmocka_unit_test(foreign_snapshots_are_refused),
        cmocka_unit_test(damaged_snapshots_are_refused),
        cmocka_unit_test(other_layouts_are_refused),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
