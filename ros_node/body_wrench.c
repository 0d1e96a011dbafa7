#include "body_wrench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"

/* A body as a load sees it. */
typedef struct Target {
    FilId object;
    int part;            /* of the object: a disk, a node */
    bool turns;          /* it takes torques */
    FilVec3 origin;      /* of its frame */
    FilQuat orientation; /* likewise */
    FilVec3 center;      /* where a load's force acts */
} Target;

/* "<object>/<part><number>"; -1: it is not of that form */
static int read_part(const char* name, const char* part, char object[FIL_WRENCH_NAME])
{
    const char* slash = strrchr(name, '/');
    if (slash == NULL || strncmp(slash + 1, part, strlen(part)) != 0 || slash - name >= FIL_WRENCH_NAME) {
        return -1;
    }
    const char* digits = slash + 1 + strlen(part);
    const size_t length = strspn(digits, "0123456789");
    memcpy(object, name, (size_t)(slash - name));
    object[slash - name] = '\0';
    return length > 0 && length < 9 && digits[length] == '\0' ? atoi(digits) : -1;
}

static bool see(const FilWorld* world, const char* name, Target* target)
{
    char object[FIL_WRENCH_NAME];
    const FilId body = fil_world_find_rigid(world, name), link = fil_world_find_link(world, name);
    *target = (Target){.turns = true, .orientation = {0.0, 0.0, 0.0, 1.0}};
    if (body.index != 0) {
        target->object = body;
        fil_rigid_get_pose(world, body, &target->origin, &target->orientation);
        target->center = fil_rigid_mass_center(world, body);
        return true;
    }
    if (link.index != 0) {
        target->object = link;
        fil_link_pose(world, link, &target->origin, &target->orientation);
        target->center = target->origin;
        return true;
    }
    int part = read_part(name, "disk_", object);
    target->object = part >= 0 ? fil_world_find_arm(world, object) : (FilId){0};
    if (target->object.index != 0 && part < fil_arm_disk_count(world, target->object)) {
        target->part = part;
        fil_arm_disk_pose(world, target->object, part, &target->origin, &target->orientation);
        target->center = target->origin;
        return true;
    }
    part = read_part(name, "node_", object);
    target->object = part >= 0 ? fil_world_find_rod(world, object) : (FilId){0};
    if (target->object.index != 0 && part < fil_rod_node_count(world, target->object)) {
        target->part = part;
        target->turns = false;
        return true;  // its force acts at the node, wherever that is
    }
    return false;
}

static FilStatus add_drive(FilWorld* world, const Target* target, FilDriveKind kind, int number, FilId* drive)
{
    char name[64];
    snprintf(name, sizeof name, "wrench_%d_%s", number, kind == FIL_DRIVE_FORCE ? "force" : "torque");
    FilDriveDef def = fil_drive_def_default();
    def.name = name;
    def.kind = kind;
    def.object = target->object;
    def.first = target->part;
    def.count = 1;
    return fil_world_add_drive(world, &def, drive);
}

/* of another world, or of a time that is still to come, nothing acts */
static void forget_old(FilBodyWrenches* wrenches, const FilSimulation* simulation)
{
    const double time = fil_world_time(simulation->world);
    if (wrenches->load != simulation->load_count) {
        wrenches->count = 0;
        wrenches->load = simulation->load_count;
    }
    for (int i = 0; i < wrenches->count && time < wrenches->last_time; i++) {
        wrenches->items[i].end = -INFINITY;
    }
    wrenches->last_time = time;
}

/* The place of a body, made when it is pushed for the first time; NULL with a message in the world. */
static FilBodyWrench* find_place(FilBodyWrenches* wrenches, FilWorld* world, const char* body, const Target* target)
{
    for (int i = 0; i < wrenches->count; i++) {
        if (strcmp(wrenches->items[i].body, body) == 0) {
            return &wrenches->items[i];
        }
    }
    FilBodyWrench* place = &wrenches->items[wrenches->count];
    FilStatus status = wrenches->count < FIL_MAX_WRENCHES
                           ? FIL_OK
                           : fil_world_set_error(world, FIL_BAD_INPUT, "64 bodies were pushed already; load the scene again");
    if (status == FIL_OK) {
        *place = (FilBodyWrench){.end = -INFINITY};
        status = add_drive(world, target, FIL_DRIVE_FORCE, wrenches->count, &place->drives[0]);
    }
    if (status == FIL_OK && target->turns) {
        status = add_drive(world, target, FIL_DRIVE_TORQUE, wrenches->count, &place->drives[1]);
    }
    wrenches->count += status == FIL_OK;
    return status == FIL_OK ? place : NULL;
}

FilStatus fil_body_wrenches_take(FilBodyWrenches* wrenches, FilSimulation* simulation, const FilBodyWrench* wrench, double duration)
{
    FilWorld* world = simulation->world;
    Target target;
    forget_old(wrenches, simulation);
    if (!see(world, wrench->body, &target)) {
        return fil_world_set_error(world, FIL_BAD_INPUT, "there is no such body");
    }
    const bool twists = wrench->torque.x != 0.0 || wrench->torque.y != 0.0 || wrench->torque.z != 0.0;
    if (twists && !target.turns) {
        return fil_world_set_error(world, FIL_BAD_INPUT, "a node takes no torque");
    }
    FilBodyWrench* place = find_place(wrenches, world, wrench->body, &target);
    if (place == NULL) {
        return FIL_BAD_INPUT;
    }
    const FilId drives[2] = {place->drives[0], place->drives[1]};
    *place = *wrench;
    place->drives[0] = drives[0];
    place->drives[1] = drives[1];
    place->end = duration < 0.0 ? INFINITY : fil_world_time(world) + duration;
    return FIL_OK;
}

static FilStatus act(FilWorld* world, const FilBodyWrench* wrench, bool acts)
{
    Target target;
    double force[3] = {0.0}, torque[3] = {0.0};
    if (acts && see(world, wrench->body, &target)) {
        const FilVec3 f = wrench->in_body ? fil_quat_rotate(target.orientation, wrench->force) : wrench->force;
        const FilVec3 at = fil_vector_sum(target.origin, fil_quat_rotate(target.orientation, wrench->point));
        const FilVec3 own = wrench->in_body ? fil_quat_rotate(target.orientation, wrench->torque) : wrench->torque;
        const FilVec3 t = fil_vector_sum(own, fil_vector_cross(fil_vector_difference(at, target.center), f));
        force[0] = f.x, force[1] = f.y, force[2] = f.z;
        torque[0] = t.x, torque[1] = t.y, torque[2] = t.z;
    }
    const FilStatus status = fil_drive_set(world, wrench->drives[0], force, 3);
    return status == FIL_OK && wrench->drives[1].index != 0 ? fil_drive_set(world, wrench->drives[1], torque, 3) : status;
}

FilStatus fil_body_wrenches_act(FilBodyWrenches* wrenches, FilSimulation* simulation)
{
    if (wrenches->count == 0) {
        return FIL_OK;
    }
    forget_old(wrenches, simulation);
    // steps fall on multiples of dt: the last one is that which begins closest to dt before the end
    const double middle = wrenches->last_time + 0.5 * fil_world_dt(simulation->world);
    FilStatus status = FIL_OK;
    for (int i = 0; i < wrenches->count; i++) {
        const FilStatus own = act(simulation->world, &wrenches->items[i], middle < wrenches->items[i].end);
        status = status == FIL_OK ? own : status;
    }
    return status;
}
