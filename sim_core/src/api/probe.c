/* Probes: named numbers read off the current state. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "filum/arm.h"
#include "filum/ring.h"
#include "filum/robot.h"
#include "filum/shell.h"
#include "world/world.h"

/* What a kind of probe looks at, and how many components it has. */
typedef enum Subject { WORLD, ROD, NODE, EDGE, ATTACHMENT, DRIVE, BODY, THING, JOINT, DISK, SECTION, CHAMBER, RING, VERTEX, LINK, AXIS } Subject;

static const struct {
    Subject subject;
    int components;
} kinds[] = {
    [FIL_PROBE_POSITION] = {NODE, 3},        [FIL_PROBE_VELOCITY] = {NODE, 3},
    [FIL_PROBE_ANGLE] = {EDGE, 1},           [FIL_PROBE_TENSION] = {EDGE, 1},
    [FIL_PROBE_CURVATURE] = {NODE, 2},       [FIL_PROBE_TWIST] = {NODE, 1},
    [FIL_PROBE_LENGTH] = {ROD, 1},           [FIL_PROBE_END_DISTANCE] = {ROD, 1},
    [FIL_PROBE_FORCE] = {ATTACHMENT, 3},     [FIL_PROBE_TORQUE] = {ATTACHMENT, 3},
    [FIL_PROBE_DRIVE] = {DRIVE, 3},          [FIL_PROBE_KINETIC_ENERGY] = {WORLD, 1},
    [FIL_PROBE_ELASTIC_ENERGY] = {WORLD, 1}, [FIL_PROBE_GRAVITY_ENERGY] = {WORLD, 1},
    [FIL_PROBE_TOTAL_ENERGY] = {WORLD, 1},   [FIL_PROBE_MOMENTUM] = {WORLD, 3},
    [FIL_PROBE_ANGULAR_MOMENTUM] = {WORLD, 3}, [FIL_PROBE_BODY_POSITION] = {BODY, 3},
    [FIL_PROBE_BODY_VELOCITY] = {BODY, 3},   [FIL_PROBE_BODY_SPIN] = {BODY, 3},
    [FIL_PROBE_CONTACT_FORCE] = {THING, 3},  [FIL_PROBE_CONTACTS] = {WORLD, 1},
    [FIL_PROBE_PENETRATION] = {WORLD, 1},    [FIL_PROBE_CLEARANCE] = {WORLD, 1},
    [FIL_PROBE_JOINT_FORCE] = {JOINT, 3},
    [FIL_PROBE_JOINT_TORQUE] = {JOINT, 3},   [FIL_PROBE_DISK_POSITION] = {DISK, 3},
    [FIL_PROBE_DISK_VELOCITY] = {DISK, 3},   [FIL_PROBE_BENDING] = {SECTION, 1},
    [FIL_PROBE_SECTION_LENGTH] = {SECTION, 1}, [FIL_PROBE_PRESSURE] = {CHAMBER, 1},
    [FIL_PROBE_RING_POSITION] = {RING, 3},   [FIL_PROBE_RING_VELOCITY] = {RING, 3},
    [FIL_PROBE_RING_TRAVEL] = {RING, 1},     [FIL_PROBE_RING_DISTANCE] = {RING, 1},
    [FIL_PROBE_RING_FORCE] = {RING, 1},      [FIL_PROBE_RINGS] = {WORLD, 1},
    [FIL_PROBE_VERTEX_POSITION] = {VERTEX, 3},
    [FIL_PROBE_LINK_POSITION] = {LINK, 3},   [FIL_PROBE_LINK_VELOCITY] = {LINK, 3},
    [FIL_PROBE_AXIS_POSITION] = {AXIS, 1},   [FIL_PROBE_AXIS_VELOCITY] = {AXIS, 1},
    [FIL_PROBE_AXIS_EFFORT] = {AXIS, 1},
};

FilProbeDef fil_probe_def_default(void)
{
    return (FilProbeDef){.kind = FIL_PROBE_POSITION, .component = -1};
}

/* An arm, and which of its disks, sections or chambers. */
static FilStatus check_arm(FilWorld* world, FilProbeDef* def, Subject subject)
{
    if (fil_kind_index(world, FIL_BODY_ARM, def->rod) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs an arm of this world", def->name);
    }
    const int size = subject == DISK      ? fil_arm_disk_count(world, def->rod)
                     : subject == SECTION ? fil_arm_section_count(world, def->rod)
                                          : fil_arm_chamber_count(world, def->rod);
    def->index = def->index < 0 ? def->index + size : def->index;
    if (def->index < 0 || def->index >= size) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': arm '%s' has %d %s", def->name,
                              fil_arm_name(world, def->rod), size,
                              subject == DISK ? "disks" : (subject == SECTION ? "sections" : "chambers"));
    }
    return FIL_OK;
}

static FilStatus check_subject(FilWorld* world, FilProbeDef* def)
{
    const Subject subject = kinds[def->kind].subject;
    if (subject == DISK || subject == SECTION || subject == CHAMBER) {
        return check_arm(world, def, subject);
    }
    if (subject == ROD || subject == NODE || subject == EDGE) {
        if (fil_kind_index(world, FIL_BODY_ROD, def->rod) < 0) {
            return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a rod of this world", def->name);
        }
        const int size = subject == EDGE ? fil_rod_edge_count(world, def->rod) : fil_rod_node_count(world, def->rod);
        def->index = def->index < 0 ? def->index + size : def->index;
        if (subject != ROD && (def->index < 0 || def->index >= size)) {
            return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': rod '%s' has %d %s", def->name,
                                  fil_rod_name(world, def->rod), size, subject == EDGE ? "edges" : "nodes");
        }
    }
    if (subject == RING && fil_kind_index(world, FIL_BODY_RING, def->rod) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a ring of this world", def->name);
    }
    if (subject == VERTEX) {
        const int size = fil_kind_index(world, FIL_BODY_SHELL, def->rod) < 0 ? 0 : fil_shell_vertex_count(world, def->rod);
        def->index = def->index < 0 ? def->index + size : def->index;
        if (def->index < 0 || def->index >= size) {
            return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a vertex of a shell of this world", def->name);
        }
    }
    if (subject == LINK && fil_kind_index(world, FIL_BODY_ROBOT, def->rod) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a robot's link of this world", def->name);
    }
    if (subject == AXIS && (fil_id_index(world, FIL_ID_ROBOT, def->rod) < 0 || def->index < 0 ||
                            def->index >= fil_robot_joint_count(world, def->rod))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a joint of a robot of this world", def->name);
    }
    if (subject == BODY && fil_kind_index(world, FIL_BODY_RIGID, def->rod) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a rigid body of this world", def->name);
    }
    if (subject == THING && fil_id_index(world, FIL_ID_OBJECT, def->rod) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a rod or rigid body of this world", def->name);
    }
    if (subject == JOINT && fil_id_index(world, FIL_ID_JOINT, def->joint) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a joint of this world", def->name);
    }
    if (subject == ATTACHMENT && fil_id_index(world, FIL_ID_ATTACHMENT, def->attachment) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs an attachment of this world", def->name);
    }
    if (subject == DRIVE && fil_id_index(world, FIL_ID_DRIVE, def->drive) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': needs a drive of this world", def->name);
    }
    return FIL_OK;
}

static FilId find_probe(const FilWorld* world, const char* name)
{
    for (int p = 0; p < world->probe_count; p++) {
        if (strcmp(world->probes[p].name, name) == 0) {
            return fil_make_id(world, FIL_ID_PROBE, p);
        }
    }
    return (FilId){0};
}

FilStatus fil_world_add_probe(FilWorld* world, const FilProbeDef* given, FilId* id)
{
    FilProbeDef def = *given;
    if (def.name == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a probe needs a name");
    }
    if ((unsigned)def.kind >= sizeof kinds / sizeof kinds[0]) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': unknown kind %d", def.name, (int)def.kind);
    }
    if (def.component < -1 || def.component > 2 || (def.component >= 0 && def.component >= kinds[def.kind].components)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "probe '%s': there is no component %d", def.name, def.component);
    }
    FilStatus status = check_subject(world, &def);
    if (status == FIL_OK) {
        status = fil_world_reserve(world, (void**)&world->probes, world->probe_count, &world->probe_capacity,
                                   sizeof *world->probes);
    }
    if (status != FIL_OK) {
        return status;
    }
    char* name = fil_world_new_name(world, def.name, "probe", 0, find_probe);
    if (name == NULL) {
        return FIL_BAD_INPUT;
    }
    def.name = name;
    world->probes[world->probe_count] = (FilProbe){name, def};
    *id = fil_make_id(world, FIL_ID_PROBE, world->probe_count++);
    return FIL_OK;
}

int fil_world_probe_count(const FilWorld* world)
{
    return world->probe_count;
}

const char* fil_world_probe_name(const FilWorld* world, int index)
{
    return world->probes[index].name;
}

static void copy3(double* out, FilVec3 a)
{
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

/* Least distance of surfaces in the contact set; INFINITY if it is empty. */
static double closest(const FilWorld* world)
{
    double distance = INFINITY;
    for (int k = 0; k < world->collision.set.count; k++) {
        distance = fmin(distance, world->collision.set.contacts[k].distance);
    }
    return distance;
}

static void measure_body(const FilWorld* world, const FilProbeDef* def, double* out)
{
    FilVec3 place, velocity, spin;
    FilQuat orientation;
    fil_rigid_get_pose(world, def->rod, &place, &orientation);
    fil_rigid_get_velocity(world, def->rod, &velocity, &spin);
    copy3(out, def->kind == FIL_PROBE_BODY_POSITION ? place : (def->kind == FIL_PROBE_BODY_VELOCITY ? velocity : spin));
}

static void measure_robot(const FilWorld* world, const FilProbeDef* def, double* out)
{
    if (kinds[def->kind].subject == LINK) {
        FilVec3 place, velocity, spin;
        FilQuat orientation;
        fil_link_pose(world, def->rod, &place, &orientation);
        fil_link_velocity(world, def->rod, &velocity, &spin);
        copy3(out, def->kind == FIL_PROBE_LINK_POSITION ? place : velocity);
        return;
    }
    const FilJointState state = fil_robot_joint_state(world, def->rod, def->index);
    out[0] = def->kind == FIL_PROBE_AXIS_POSITION   ? state.position
             : def->kind == FIL_PROBE_AXIS_VELOCITY ? state.velocity
                                                    : state.effort;
}

static void measure_arm(const FilWorld* world, const FilProbeDef* def, double* out)
{
    FilVec3 place, velocity, spin;
    FilQuat orientation;
    switch (kinds[def->kind].subject) {
    case DISK:
        fil_arm_disk_pose(world, def->rod, def->index, &place, &orientation);
        fil_arm_disk_velocity(world, def->rod, def->index, &velocity, &spin);
        copy3(out, def->kind == FIL_PROBE_DISK_POSITION ? place : velocity);
        return;
    case SECTION: {
        const FilArmShape shape = fil_arm_shape(world, def->rod, def->index);
        out[0] = def->kind == FIL_PROBE_BENDING ? shape.angle : shape.length;
        return;
    }
    default:
        out[0] = fil_arm_pressure(world, def->rod, def->index);
    }
}

static void measure_ring(const FilWorld* world, const FilProbeDef* def, double* out)
{
    switch (def->kind) {
    case FIL_PROBE_RING_POSITION:
        copy3(out, fil_ring_position(world, def->rod));
        return;
    case FIL_PROBE_RING_VELOCITY:
        copy3(out, fil_ring_velocity(world, def->rod));
        return;
    case FIL_PROBE_RING_TRAVEL:
        out[0] = fil_ring_travel(world, def->rod);
        return;
    case FIL_PROBE_RING_DISTANCE:
        out[0] = fil_ring_distance(world, def->rod);
        return;
    default:
        out[0] = fil_ring_force(world, def->rod);
    }
}

static double threaded_rings(const FilWorld* world)
{
    int count = 0;
    for (int k = 0; k < fil_world_ring_count(world); k++) {
        count += fil_ring_threaded(world, fil_world_ring_at(world, k)) ? 1 : 0;
    }
    return count;
}

static void measure_world(const FilWorld* world, FilProbeKind kind, double* out)
{
    if (kind == FIL_PROBE_RINGS) {
        out[0] = threaded_rings(world);
        return;
    }
    if (kind == FIL_PROBE_CONTACTS) {
        out[0] = (double)world->collision.set.count;
        return;
    }
    if (kind == FIL_PROBE_PENETRATION || kind == FIL_PROBE_CLEARANCE) {
        const double distance = closest(world);
        out[0] = kind == FIL_PROBE_PENETRATION ? fmax(-distance, 0.0) : isfinite(distance) ? distance : NAN;
        return;
    }
    if (kind == FIL_PROBE_MOMENTUM || kind == FIL_PROBE_ANGULAR_MOMENTUM) {
        copy3(out, kind == FIL_PROBE_MOMENTUM ? fil_world_momentum(world) : fil_world_angular_momentum(world));
        return;
    }
    const FilEnergy energy = fil_world_energy(world);
    out[0] = kind == FIL_PROBE_KINETIC_ENERGY   ? energy.kinetic
             : kind == FIL_PROBE_ELASTIC_ENERGY ? energy.elastic
             : kind == FIL_PROBE_GRAVITY_ENERGY ? energy.gravity
                                                : energy.kinetic + energy.elastic + energy.gravity;
}

/* The probe's components; those it does not have are zero. */
static void measure(const FilWorld* world, const FilProbeDef* def, double* out)
{
    switch (def->kind) {
    case FIL_PROBE_POSITION:
    case FIL_PROBE_VELOCITY:
    case FIL_PROBE_ANGLE:
    case FIL_PROBE_TENSION:
    case FIL_PROBE_CURVATURE:
    case FIL_PROBE_TWIST:
        fil_rod_probe(world, def->rod, def->kind, def->index, out);
        return;
    case FIL_PROBE_LENGTH:
        out[0] = fil_rod_length(world, def->rod);
        return;
    case FIL_PROBE_END_DISTANCE: {
        double first[3], last[3];
        fil_rod_probe(world, def->rod, FIL_PROBE_POSITION, 0, first);
        fil_rod_probe(world, def->rod, FIL_PROBE_POSITION, fil_rod_node_count(world, def->rod) - 1, last);
        out[0] = hypot(hypot(last[0] - first[0], last[1] - first[1]), last[2] - first[2]);
        return;
    }
    case FIL_PROBE_FORCE:
        copy3(out, fil_attachment_force(world, def->attachment));
        return;
    case FIL_PROBE_TORQUE:
        copy3(out, fil_attachment_torque(world, def->attachment));
        return;
    case FIL_PROBE_BODY_POSITION:
    case FIL_PROBE_BODY_VELOCITY:
    case FIL_PROBE_BODY_SPIN:
        measure_body(world, def, out);
        return;
    case FIL_PROBE_CONTACT_FORCE: {
        FilVec3 force, torque;
        fil_world_contact_wrench(world, def->rod, &force, &torque);
        copy3(out, force);
        return;
    }
    case FIL_PROBE_JOINT_FORCE:
        copy3(out, fil_joint_force(world, def->joint));
        return;
    case FIL_PROBE_JOINT_TORQUE:
        copy3(out, fil_joint_torque(world, def->joint));
        return;
    case FIL_PROBE_DISK_POSITION:
    case FIL_PROBE_DISK_VELOCITY:
    case FIL_PROBE_BENDING:
    case FIL_PROBE_SECTION_LENGTH:
    case FIL_PROBE_PRESSURE:
        measure_arm(world, def, out);
        return;
    case FIL_PROBE_RING_POSITION:
    case FIL_PROBE_RING_VELOCITY:
    case FIL_PROBE_RING_TRAVEL:
    case FIL_PROBE_RING_DISTANCE:
    case FIL_PROBE_RING_FORCE:
        measure_ring(world, def, out);
        return;
    case FIL_PROBE_VERTEX_POSITION:
        fil_shell_get_position(world, def->rod, def->index, out);
        return;
    case FIL_PROBE_LINK_POSITION:
    case FIL_PROBE_LINK_VELOCITY:
    case FIL_PROBE_AXIS_POSITION:
    case FIL_PROBE_AXIS_VELOCITY:
    case FIL_PROBE_AXIS_EFFORT:
        measure_robot(world, def, out);
        return;
    case FIL_PROBE_DRIVE:
        fil_drive_value(world, def->drive, out);
        return;
    default:
        measure_world(world, def->kind, out);
    }
}

double fil_world_probe_value(const FilWorld* world, int index)
{
    const FilProbeDef* def = &world->probes[index].def;
    double value[3] = {0.0, 0.0, 0.0};
    measure(world, def, value);
    if (def->component >= 0) {
        return value[def->component];
    }
    return kinds[def->kind].components == 1 ? value[0] : hypot(hypot(value[0], value[1]), value[2]);
}
