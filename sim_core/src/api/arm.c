/* The public face of soft arms. */
#include <math.h>
#include <stdio.h>

#include "api/kinds.h"
#include "base/error.h"
#include "base/vec3.h"
#include "body/soft_arm.h"
#include "contact/surface.h"
#include "world/world.h"

/* ---- adding ---- */

/* Holds a free base to its rigid body. */
static FilStatus mount(FilWorld* world, const FilArmDef* def, const char* name, FilId arm)
{
    char joint_name[80];
    FilJointDef joint = fil_joint_def_default();
    FilId id;
    snprintf(joint_name, sizeof joint_name, "%.63s_base", name);
    joint.name = joint_name;
    joint.kind = FIL_JOINT_WELD;
    joint.a = def->base;
    joint.b = arm;
    joint.point = def->position;
    return fil_world_add_joint(world, &joint, &id);
}

FilStatus fil_world_add_arm(FilWorld* world, const FilArmDef* given, FilId* id)
{
    FilArmDef copy = *given;
    const FilArmDef* def = &copy;
    const bool mounted = given->base.index != 0;
    copy.free_base = given->free_base || mounted;
    if (mounted && fil_kind_index(world, FIL_BODY_RIGID, given->base) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "arm '%s': its base must be a rigid body of this world",
                              given->name != NULL ? given->name : "?");
    }
    char made[64];
    const char* name;
    FilStatus status = fil_world_name_object(world, def->name, "arm", made, &name);
    if (status != FIL_OK) {
        return status;
    }
    FilError inner;
    FilSoftArm* impl = NULL;
    status = fil_surface_check(&def->collision.surface, &inner);
    if (status == FIL_OK) {
        status = fil_soft_arm_create(def, &impl, &inner);
    }
    if (status != FIL_OK) {
        return fil_world_fail(world, status, "arm '%s': %s", name, inner.text);
    }
    int body, object;
    const int unknowns = fil_soft_arm_unknowns(impl);
    status = fil_world_add_body(world, FIL_BODY_ARM, impl, unknowns, unknowns, FIL_ARM_HISTORY * impl->chamber_count,
                                name, &body);
    if (status == FIL_OK) {
        status = fil_world_add_object(world, name, FIL_BODY_ARM, body, 0, &object);
    }
    if (status == FIL_OK) {
        status = fil_world_add_colliders(world, body, &object, 1);
    }
    if (status != FIL_OK) {
        return status;
    }
    for (int k = 0; k < impl->section_count; k++) {
        const double radius = impl->sections[k].disk_radius;
        fil_collision_note_length(&world->collision, radius);
    }
    *id = fil_make_id(world, FIL_ID_OBJECT, object);
    return mounted ? mount(world, def, name, *id) : FIL_OK;
}

int fil_world_arm_count(const FilWorld* world)
{
    return fil_kind_count(world, FIL_BODY_ARM);
}

FilId fil_world_arm_at(const FilWorld* world, int index)
{
    return fil_kind_at(world, FIL_BODY_ARM, index);
}

FilId fil_world_find_arm(const FilWorld* world, const char* name)
{
    return fil_kind_find(world, FIL_BODY_ARM, name);
}

/* ---- state ---- */

/* An arm and its part of the state arrays. */
typedef struct View {
    FilSoftArm* arm;
    double *q, *v, *h;
} View;

static bool view_of(const FilWorld* world, FilId id, View* view)
{
    const FilBody* body = fil_kind_body(world, FIL_BODY_ARM, id);
    if (body == NULL) {
        return false;
    }
    *view = (View){body->impl, world->system.state.q + body->q, world->system.state.v + body->v, world->system.state.h + body->h};
    return true;
}

static View see(const FilWorld* world, FilId id)
{
    View view = {0};
    const bool known = view_of(world, id, &view);
    FIL_ASSERT(known && "an arm's id of this world");
    (void)known;
    return view;
}

const char* fil_arm_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_ARM, id);
}

int fil_arm_section_count(const FilWorld* world, FilId id)
{
    return see(world, id).arm->section_count;
}

bool fil_arm_base_moves(const FilWorld* world, FilId id)
{
    return see(world, id).arm->free_base;
}

int fil_arm_chamber_count(const FilWorld* world, FilId id)
{
    return see(world, id).arm->chamber_count;
}

int fil_arm_disk_count(const FilWorld* world, FilId id)
{
    return see(world, id).arm->disk_count;
}

void fil_arm_get_state(const FilWorld* world, FilId id, double* elongations, double* rates)
{
    const View view = see(world, id);
    for (int k = 0; k < view.arm->section_count; k++) {
        if (elongations != NULL) {
            fil_v3_copy(elongations + 3 * k, view.q + 4 * k);
        }
        if (rates != NULL) {
            fil_v3_copy(rates + 3 * k, view.v + 4 * k);
        }
    }
}

FilStatus fil_arm_set_state(FilWorld* world, FilId id, const double* elongations, const double* rates)
{
    View view;
    if (!view_of(world, id, &view)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "no such arm");
    }
    const int n = view.arm->section_count;
    if (!fil_all_finite(elongations, 3 * n) || !fil_all_finite(rates, 3 * n)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the given state of the arm is not finite");
    }
    for (int k = 0; k < n; k++) {
        double bending[2], length;
        fil_arc_shape(&view.arm->arcs[k], elongations + 3 * k, bending, &length);
        if (!(length > 0.0)) {
            return fil_world_fail(world, FIL_BAD_INPUT, "the given state leaves section %d a length of %g m", k,
                                  length);
        }
    }
    for (int k = 0; k < n; k++) {
        fil_v3_copy(view.q + 4 * k, elongations + 3 * k);
        fil_v3_copy(view.v + 4 * k, rates + 3 * k);
    }
    return FIL_OK;
}

double fil_arm_chamber_length(const FilWorld* world, FilId id, int chamber)
{
    const View view = see(world, id);
    const int section = view.arm->chamber_section[chamber];
    return view.arm->sections[section].length + fil_v3_dot(view.arm->chamber_map + 3 * chamber, view.q + 4 * section);
}

double fil_arm_pressure(const FilWorld* world, FilId id, int chamber)
{
    return see(world, id).h[chamber];
}

/* a chamber's command in the history: commanded or not, and what is wanted */
static FilStatus command_chamber(FilWorld* world, FilId id, int chamber, double commanded, double wanted)
{
    View view;
    if (!view_of(world, id, &view)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "no such arm");
    }
    const int count = view.arm->chamber_count;
    if (chamber < 0 || chamber >= count) {
        return fil_world_fail(world, FIL_BAD_INPUT, "arm '%s' has no chamber %d, only 0 to %d", fil_arm_name(world, id),
                              chamber, count - 1);
    }
    if (!isfinite(wanted)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "arm '%s', chamber %d: the pressure is not finite",
                              fil_arm_name(world, id), chamber);
    }
    view.h[count + chamber] = commanded;
    view.h[2 * count + chamber] = wanted;
    return FIL_OK;
}

FilStatus fil_arm_set_pressure(FilWorld* world, FilId id, int chamber, double pressure)
{
    return command_chamber(world, id, chamber, 1.0, pressure);
}

FilStatus fil_arm_release_pressure(FilWorld* world, FilId id, int chamber)
{
    return command_chamber(world, id, chamber, 0.0, 0.0);
}

FilArmShape fil_arm_shape(const FilWorld* world, FilId id, int section)
{
    const View view = see(world, id);
    double bending[2], length;
    fil_arc_shape(&view.arm->arcs[section], view.q + 4 * section, bending, &length);
    const double angle = hypot(bending[0], bending[1]);
    return (FilArmShape){length, angle, angle / length, angle > 0.0 ? atan2(bending[1], bending[0]) : 0.0};
}

/* ---- poses ---- */

static void give(const FilPose* pose, FilVec3* position, FilQuat* orientation)
{
    *position = (FilVec3){pose->p[0], pose->p[1], pose->p[2]};
    *orientation = fil_quat_from_m3(pose->r);
}

void fil_arm_pose(const FilWorld* world, FilId id, int section, double s, FilVec3* position, FilQuat* orientation)
{
    const View view = see(world, id);
    FilPose pose;
    fil_soft_arm_pose(view.arm, fil_soft_arm_see(view.arm, view.q), view.q, (FilArmPlace){section, s}, &pose);
    give(&pose, position, orientation);
}

void fil_arm_disk_pose(const FilWorld* world, FilId id, int disk, FilVec3* position, FilQuat* orientation)
{
    const View view = see(world, id);
    FilPose pose;
    fil_soft_arm_disk_frame(view.arm, disk, 0, view.q, view.h, &pose);
    give(&pose, position, orientation);
}

void fil_arm_tip_pose(const FilWorld* world, FilId id, FilVec3* position, FilQuat* orientation)
{
    fil_arm_disk_pose(world, id, fil_arm_disk_count(world, id) - 1, position, orientation);
}

void fil_arm_disk_velocity(const FilWorld* world, FilId id, int disk, FilVec3* velocity, FilVec3* angular)
{
    const View view = see(world, id);
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    FilArmFrame frame;
    fil_soft_arm_links(view.arm, view.q, view.v, links);
    fil_soft_arm_frame(view.arm, links, view.q, view.v, view.arm->disks[disk].place, &frame);
    *velocity = (FilVec3){frame.velocity[0], frame.velocity[1], frame.velocity[2]};
    *angular = (FilVec3){frame.spin[0], frame.spin[1], frame.spin[2]};
}

void fil_arm_disk_size(const FilWorld* world, FilId id, int disk, double* radius, double* thickness)
{
    const FilArmDisk* d = &see(world, id).arm->disks[disk];
    *radius = d->radius;
    *thickness = d->thickness;
}

/* ---- what can be measured ---- */

static void measure_disk_position(const FilWorld* world, FilId id, int disk, double* out)
{
    FilVec3 position;
    FilQuat orientation;
    fil_arm_disk_pose(world, id, disk, &position, &orientation);
    fil_measure_vec3(out, position);
}

static void measure_disk_velocity(const FilWorld* world, FilId id, int disk, double* out)
{
    FilVec3 velocity, spin;
    fil_arm_disk_velocity(world, id, disk, &velocity, &spin);
    fil_measure_vec3(out, velocity);
}

static void measure_bending(const FilWorld* world, FilId id, int section, double* out)
{
    out[0] = fil_arm_shape(world, id, section).angle;
}

static void measure_length(const FilWorld* world, FilId id, int section, double* out)
{
    out[0] = fil_arm_shape(world, id, section).length;
}

static void measure_pressure(const FilWorld* world, FilId id, int chamber, double* out)
{
    out[0] = fil_arm_pressure(world, id, chamber);
}

static const FilPart parts[] = {
    {"disk", "disks", fil_arm_disk_count},
    {"section", "sections", fil_arm_section_count},
    {"chamber", "chambers", fil_arm_chamber_count},
};

static const FilQuantity quantities[] = {
    {"disk_position", &parts[0], 3, "m", measure_disk_position, NULL},
    {"disk_velocity", &parts[0], 3, "m/s", measure_disk_velocity, NULL},
    {"bending", &parts[1], 1, "rad", measure_bending, NULL},
    {"section_length", &parts[1], 1, "m", measure_length, NULL},
    {"pressure", &parts[2], 1, "Pa", measure_pressure, NULL},
};

const FilKindRow fil_arm_row = {"arm", "an arm", fil_arm_name, fil_world_find_arm, FIL_ROWS(parts), FIL_ROWS(quantities)};
