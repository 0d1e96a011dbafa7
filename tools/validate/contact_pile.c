/* Piles of boxes stand still: the scene box_pile. */
#include <math.h>

#include "base/memory.h"
#include "validate/contact.h"

/* s, to come to rest in, and to stand still: what it creeps is what friction's regularisation lets it */
static const double SETTLE = 1.0, WATCH = 10.0;

static FilWorld* load_pile(FilCheck* check, const char* side)
{
    const FilSetting setting = {"side", side};
    const FilSceneOptions options = {.settings = &setting, .setting_count = 1};
    char path[1024];
    FilWorld* world = NULL;
    FilError error;
    if (!fil_scene_find("box_pile", path, sizeof path, &error) || fil_scene_load(path, &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
    }
    return world;
}

/* False, and said so, if a step fails. */
static bool run(FilCheck* check, FilWorld* world, double seconds)
{
    for (int k = 0; k < (int)round(seconds / fil_world_dt(world)); k++) {
        if (fil_world_step(world, NULL) != FIL_OK) {
            fil_check_fail(check, "%s", fil_world_error(world));
            return false;
        }
    }
    return true;
}

static void read_positions(const FilWorld* world, FilVec3* at)
{
    for (int k = 0; k < fil_world_rigid_count(world); k++) {
        FilQuat orientation;
        fil_rigid_get_pose(world, fil_world_rigid_at(world, k), &at[k], &orientation);
    }
}

static void check_pile(FilCheck* check, const char* side)
{
    FilWorld* world = load_pile(check, side);
    const int count = world != NULL ? fil_world_rigid_count(world) : 0;  // the ground is one of them
    FilVec3* start = fil_alloc((size_t)count + 1, sizeof *start);
    FilVec3* end = fil_alloc((size_t)count + 1, sizeof *end);
    if (world != NULL && start != NULL && end != NULL && run(check, world, SETTLE)) {
        read_positions(world, start);
        if (run(check, world, WATCH)) {
            read_positions(world, end);
            double drift = 0.0;
            for (int k = 0; k < count; k++) {
                drift = fmax(drift, hypot(hypot(end[k].x - start[k].x, end[k].y - start[k].y), end[k].z - start[k].z));
            }
            const double weight = 0.5 * 9.81 * (count - 1);  // boxes of 0.1 m and 500 kg/m^3
            fil_check_below(check, "largest drift of a box in 10 s (m)", drift, 1e-4);
            FilVec3 force, torque;
            fil_world_contact_wrench(world, fil_world_rigid_at(world, 0), &force, &torque);
            fil_check_near(check, "force on the ground (N)", force.z, -weight, 1e-5);
        }
    }
    fil_free(start);
    fil_free(end);
    fil_world_destroy(world);
}

void fil_check_pile(FilCheck* check)
{
    check_pile(check, "6");
}

void fil_check_pile_long(FilCheck* check)
{
    check_pile(check, "10");
}
