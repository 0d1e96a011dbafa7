/* Drives: scripts and commands that move attachments and load rods. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/script.h"
#include "base/vec3.h"
#include "world/sleep.h"
#include "world/world.h"

/* What each kind needs. */
static const struct {
    int dimension;
    bool on_attachment, on_joint, positive;
} kinds[] = {
    [FIL_DRIVE_POSITION] = {.dimension = 3, .on_attachment = true},
    [FIL_DRIVE_VELOCITY] = {.dimension = 3, .on_attachment = true},
    [FIL_DRIVE_ROTATION] = {.dimension = 3, .on_attachment = true},
    [FIL_DRIVE_ANGLE] = {.dimension = 1, .on_attachment = true},
    [FIL_DRIVE_FORCE] = {.dimension = 3},
    [FIL_DRIVE_TORQUE] = {.dimension = 3},
    [FIL_DRIVE_AXIAL_TORQUE] = {.dimension = 1},
    [FIL_DRIVE_CURVATURE] = {.dimension = 2},
    [FIL_DRIVE_REST_TWIST] = {.dimension = 1},
    [FIL_DRIVE_PRESSURE] = {.dimension = 1},
    [FIL_DRIVE_MOTOR] = {.dimension = 1, .on_joint = true},
    [FIL_DRIVE_REST_LENGTH] = {.dimension = 1, .positive = true},
};

int fil_drive_dimension(FilDriveKind kind)
{
    return (unsigned)kind < sizeof kinds / sizeof kinds[0] ? kinds[kind].dimension : 0;
}

FilDriveDef fil_drive_def_default(void)
{
    return (FilDriveDef){.kind = FIL_DRIVE_FORCE, .ramp = FIL_RAMP_LINEAR};
}

/* ---- making ---- */

static FilStatus check_def(FilWorld* world, const FilDriveDef* def, const char* name)
{
    const int dimension = fil_drive_dimension(def->kind);
    if (dimension == 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': unknown kind %d", name, (int)def->kind);
    }
    if ((unsigned)def->ramp > FIL_RAMP_SMOOTH) {
        return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': unknown ramp %d", name, (int)def->ramp);
    }
    if (def->knot_count < 0 || def->knot_count > FIL_COUNT_MAX || (def->knot_count > 0 && (def->times == NULL || def->values == NULL))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': times and values are missing", name);
    }
    for (int k = 0; k < def->knot_count; k++) {
        if (!isfinite(def->times[k]) || !fil_all_finite(def->values + dimension * k, dimension)) {
            return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': knot %d is not finite", name, k);
        }
        if (kinds[def->kind].positive && !(def->values[k] > 0.0)) {
            return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': values must be positive, not %g", name, def->values[k]);
        }
        if (k > 0 && !(def->times[k] > def->times[k - 1])) {
            return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': times must increase, but %g follows %g", name, def->times[k], def->times[k - 1]);
        }
    }
    const double span = def->knot_count > 0 ? def->times[def->knot_count - 1] - def->times[0] : 0.0;
    if (!isfinite(def->period) || def->period < 0.0 || (def->period > 0.0 && def->period < span)) {
        return fil_world_fail(world, FIL_BAD_INPUT,
                              "drive '%s': the period must not be shorter than the %g s between the first and the last row, not %g", name, span,
                              def->period);
    }
    return FIL_OK;
}

/* Finds what the drive acts on: an attachment, or a range of an object. */
static FilStatus find_target(FilWorld* world, const FilDriveDef* def, FilDrive* drive, const char* name)
{
    drive->attachment = drive->object = drive->joint = -1;
    if (kinds[def->kind].on_joint) {
        drive->joint = fil_id_index(world, FIL_ID_JOINT, def->joint);
        if (drive->joint < 0 || world->solver.joints.items[drive->joint].motor.mode == FIL_JOINT_PASSIVE) {
            return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': needs a joint of this world that has a motor", name);
        }
        return FIL_OK;
    }
    if (kinds[def->kind].on_attachment) {
        drive->attachment = fil_id_index(world, FIL_ID_ATTACHMENT, def->attachment);
        return drive->attachment >= 0 ? FIL_OK : fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': needs an attachment of this world", name);
    }
    drive->object = fil_id_index(world, FIL_ID_OBJECT, def->object);
    if (drive->object < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': needs a rod of this world", name);
    }
    const FilObject* object = &world->objects[drive->object];
    const FilBody* body = &world->system.bodies[object->body];
    const int size = body->ops->load_range(body->impl, object->local, def->kind);
    drive->first = def->first < 0 ? def->first + size : def->first;
    drive->count = def->count == 0 && drive->first >= 0 ? size - drive->first : def->count;
    if (drive->first < 0 || drive->first > size || drive->count < 1 || drive->count > size - drive->first) {
        return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': the range from %d, %d long, is not on '%s', which has %d", name, def->first,
                              def->count, object->name, size);
    }
    return FIL_OK;
}

static void free_drive(FilDrive* drive)
{
    fil_free(drive->name);
    fil_free(drive->times);
    fil_free(drive->values);
}

FilStatus fil_world_add_drive(FilWorld* world, const FilDriveDef* def, FilId* id)
{
    if (def == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a drive needs a definition");
    }
    FilDrive drive = {.kind = def->kind, .ramp = def->ramp, .period = def->period, .knot_count = def->knot_count};
    const char* shown = def->name != NULL ? def->name : "?";
    FilStatus status = check_def(world, def, shown);
    status = status == FIL_OK ? find_target(world, def, &drive, shown) : status;
    status = status == FIL_OK ? fil_world_reserve(world, (void**)&world->drives, world->drive_count, &world->drive_capacity, sizeof drive) : status;
    if (status != FIL_OK) {
        return status;
    }
    drive.name = fil_world_new_name(world, def->name, "drive", world->drive_count + 1, fil_world_find_drive);
    if (drive.name == NULL) {
        return FIL_BAD_INPUT;
    }
    const size_t dimension = (size_t)fil_drive_dimension(def->kind), knots = (size_t)def->knot_count;
    drive.times = fil_alloc(knots, sizeof(double));
    drive.values = fil_alloc(knots * dimension, sizeof(double));
    // last, because there is no way back from it
    status = drive.times != NULL && drive.values != NULL ? fil_world_grow_controls(world, 0, 1)
                                                         : fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    if (status != FIL_OK) {
        free_drive(&drive);
        return status;
    }
    if (knots > 0) {
        memcpy(drive.times, def->times, knots * sizeof(double));
        memcpy(drive.values, def->values, knots * dimension * sizeof(double));
    }
    world->drives[world->drive_count] = drive;
    fil_give_id(world, FIL_ID_DRIVE, world->drive_count++, id);
    return FIL_OK;
}

FilId fil_world_find_drive(const FilWorld* world, const char* name)
{
    for (int d = 0; d < world->drive_count && name != NULL; d++) {
        if (strcmp(world->drives[d].name, name) == 0) {
            return fil_make_id(world, FIL_ID_DRIVE, d);
        }
    }
    return (FilId){0};
}

/* ---- values ---- */

static void evaluate_script(const FilDrive* drive, double t, double* value)
{
    const int dimension = kinds[drive->kind].dimension, last = drive->knot_count - 1;
    if (last < 0) {
        memset(value, 0, sizeof(double) * (size_t)dimension);
        return;
    }
    if (drive->period > 0.0 && t > drive->times[0]) {
        t = drive->times[0] + fmod(t - drive->times[0], drive->period);
    }
    const int k = fil_script_knot(drive->times, drive->knot_count, t);
    const double* from = drive->values + dimension * k;
    if (k == last || t <= drive->times[k]) {
        memcpy(value, from, sizeof(double) * (size_t)dimension);
        return;
    }
    double s = (t - drive->times[k]) / (drive->times[k + 1] - drive->times[k]);
    if (drive->ramp == FIL_RAMP_SMOOTH) {
        s = s * s * (3.0 - 2.0 * s);
    }
    for (int j = 0; j < dimension; j++) {
        value[j] = from[j] + s * (from[dimension + j] - from[j]);
    }
}

void fil_drive_evaluate(const FilWorld* world, const FilState* state, int index, double t, double* value)
{
    const FilDrive* drive = &world->drives[index];
    const double* control = fil_drive_control(world, state, index);
    double script[3];
    evaluate_script(drive, t, script);
    memcpy(value, fil_script_or_command(control[0], script, control + 1), sizeof(double) * (size_t)kinds[drive->kind].dimension);
}

FilStatus fil_drive_set(FilWorld* world, FilId id, const double* value, int count)
{
    const int index = fil_id_find(world, FIL_ID_DRIVE, id);
    if (index < 0) {
        return FIL_BAD_INPUT;
    }
    const FilDrive* drive = &world->drives[index];
    if (count != kinds[drive->kind].dimension || value == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s' takes %d numbers, not %d", drive->name, kinds[drive->kind].dimension,
                              value != NULL ? count : 0);
    }
    if (!fil_all_finite(value, count)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': the value is not finite", drive->name);
    }
    if (kinds[drive->kind].positive && !(value[0] > 0.0)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "drive '%s': the value must be positive, not %g", drive->name, value[0]);
    }
    double* control = fil_drive_control(world, &world->system.state, index);
    control[0] = 1.0;
    memcpy(control + 1, value, sizeof(double) * (size_t)count);
    fil_sleep_wake_driven(world, index);
    return FIL_OK;
}

FilStatus fil_drive_release(FilWorld* world, FilId id)
{
    const int index = fil_id_find(world, FIL_ID_DRIVE, id);
    if (index < 0) {
        return FIL_BAD_INPUT;
    }
    memset(fil_drive_control(world, &world->system.state, index), 0, sizeof(double) * FIL_CONTROL_SIZE);
    fil_sleep_wake_driven(world, index);
    return FIL_OK;
}

void fil_drive_value(const FilWorld* world, FilId id, double* value)
{
    const int index = fil_id_find(world, FIL_ID_DRIVE, id);
    if (index >= 0 && value != NULL) {
        fil_drive_evaluate(world, &world->system.state, index, world->time, value);
    }
}

/* ---- at the start of a sub-step ---- */

/* Adds a drive to the target of its attachment; velocities move the attachment's offset. */
static void drive_target(const FilWorld* world, int index, double t, double dt, FilTarget* target, double* offset)
{
    const FilDrive* drive = &world->drives[index];
    double start[3], end[3];
    switch (drive->kind) {
        case FIL_DRIVE_VELOCITY:
            // the value half-way integrates straight pieces exactly
            fil_drive_evaluate(world, &world->system.state, index, t + 0.5 * dt, end);
            fil_v3_axpy(offset, dt, end);
            fil_v3_axpy(target->displacement[1], dt, end);
            return;
        case FIL_DRIVE_ANGLE:
            fil_drive_evaluate(world, &world->system.state, index, t, start);
            fil_drive_evaluate(world, &world->system.state, index, t + dt, end);
            target->angle[0] += start[0];
            target->angle[1] += end[0];
            return;
        default: {
            const bool turns = drive->kind == FIL_DRIVE_ROTATION;
            fil_drive_evaluate(world, &world->system.state, index, t, start);
            fil_drive_evaluate(world, &world->system.state, index, t + dt, end);
            fil_v3_axpy(turns ? target->rotation[0] : target->displacement[0], 1.0, start);
            fil_v3_axpy(turns ? target->rotation[1] : target->displacement[1], 1.0, end);
        }
    }
}

static void set_targets(FilWorld* world, double t, double dt)
{
    for (int a = 0; a < world->attachment_count; a++) {
        const FilAttachment* attachment = &world->attachments[a];
        const double* control = fil_attachment_control(world, &world->system.state, a);
        double* next = fil_attachment_control(world, &world->system.next, a);
        memcpy(next, control, sizeof(double) * FIL_CONTROL_SIZE);
        // half a nanosecond: times are sums of steps
        FilTarget target = {.active = control[0] != 0.0 && t < attachment->until - 5e-10};
        fil_v3_copy(target.displacement[0], control + 1);
        fil_v3_copy(target.displacement[1], control + 1);
        for (int d = 0; d < world->drive_count; d++) {
            if (world->drives[d].attachment == a) {
                drive_target(world, d, t, dt, &target, next + 1);
            }
        }
        const FilBody* body = &world->system.bodies[attachment->body];
        body->ops->set_target(body->impl, attachment->slot, &target);
    }
}

void fil_world_place_targets(FilWorld* world)
{
    set_targets(world, world->time, 0.0);
}

/* Targets of motors at the end of the sub-step, and the mean speed of those that are positions. */
static void set_motors(FilWorld* world, double t, double dt)
{
    for (int j = 0; j < world->solver.joints.count; j++) {
        FilJoint* joint = &world->solver.joints.items[j];
        joint->target = joint->motor.target;
        joint->rate = 0.0;
    }
    for (int d = 0; d < world->drive_count; d++) {
        const FilDrive* drive = &world->drives[d];
        if (drive->joint < 0 || (drive->knot_count == 0 && fil_drive_control(world, &world->system.state, d)[0] == 0.0)) {
            continue;
        }
        FilJoint* joint = &world->solver.joints.items[drive->joint];
        double before[3], after[3];
        fil_drive_evaluate(world, &world->system.state, d, t, before);
        fil_drive_evaluate(world, &world->system.state, d, t + dt, after);
        joint->target = after[0];
        joint->rate = dt > 0.0 ? (after[0] - before[0]) / dt : 0.0;
    }
}

void fil_world_apply_drives(FilWorld* world, double t, double dt, double theta)
{
    for (int b = 0; b < world->system.body_count; b++) {
        world->system.bodies[b].ops->clear_loads(world->system.bodies[b].impl);
    }
    set_targets(world, t, dt);
    set_motors(world, t, dt);
    for (int d = 0; d < world->drive_count; d++) {
        const FilDrive* drive = &world->drives[d];
        memcpy(fil_drive_control(world, &world->system.next, d), fil_drive_control(world, &world->system.state, d),
               sizeof(double) * FIL_CONTROL_SIZE);
        if (drive->object < 0 || (drive->knot_count == 0 && fil_drive_control(world, &world->system.state, d)[0] == 0.0)) {
            continue;
        }
        const FilObject* object = &world->objects[drive->object];
        const FilBody* body = &world->system.bodies[object->body];
        double value[3];
        fil_drive_evaluate(world, &world->system.state, d, t + theta * dt, value);
        body->ops->load(body->impl, object->local, drive->kind, drive->first, drive->count, value, world->system.state.h + body->h);
    }
}
