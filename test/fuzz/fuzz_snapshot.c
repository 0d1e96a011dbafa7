/* libFuzzer harness of restoring: damaged snapshots are refused and change nothing. The input is put over a true snapshot: the first
 * two bytes say where; what was there already is no damage, and the world steps on. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "filum/filum.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char scene[] =
    "world: {contact: sap, dt: 0.002, newton: {max_iterations: 10}, max_halvings: 1}\n"
    "materials: {m: {young: 1e6, poisson: 0.5, density: 1000, friction: 0.3}}\n"
    "rods:\n  - {name: r, material: m, section: {circle: {radius: 0.01}}, shape: {straight: {from: [0, 0, 0.011], to: [0.2, 0, 0.011], nodes: 5}}}\n"
    "rigid_bodies:\n  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n  - {name: ball, position: [0, 0, 0.2], shapes: [{sphere: "
    "{radius: 0.05}}]}\n";

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    FilWorld* world = NULL;
    if (size < 3) {
        return 0;
    }
    check(fil_scene_load_text("scene", scene, sizeof scene - 1, NULL, &world, NULL, NULL) == FIL_OK);
    check(fil_world_step(world, NULL) == FIL_OK);
    check(fil_world_set_time_limit(world, 5.0) == FIL_OK);
    const size_t length = fil_world_snapshot_size(world), at = ((size_t)data[0] | (size_t)data[1] << 8) % length;
    const size_t put = size - 2 < length - at ? size - 2 : length - at;
    char* snapshot = malloc(length);
    check(snapshot != NULL);
    fil_world_save(world, snapshot);
    const uint64_t before = fil_world_hash(world);
    memcpy(snapshot + at, data + 2, put);
    const FilStatus status = fil_world_restore(world, snapshot, length);
    if (status == FIL_OK) {
        const FilStatus stepped = fil_world_step(world, NULL);
        check(stepped == FIL_OK || fil_world_error(world)[0] != '\0');
    } else {
        check(fil_world_hash(world) == before && fil_world_error(world)[0] != '\0');
    }
    free(snapshot);
    fil_world_destroy(world);
    return 0;
}
