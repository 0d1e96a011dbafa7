/* The public face of soft arms. */
#include <math.h>
#include <stdio.h>

#include "api/give.h"
#include "api/kinds.h"
#include "base/vec3.h"
#include "body/soft_arm.h"
#include "contact/surface.h"
#include "world/world.h"

/* ---- adding ---- */

/* a name of 63 characters (scene/reader.c) and "_base" */
enum { JOINT_NAME = 80 };

static void name_joint(const char* arm, char name[JOINT_NAME])
{
    snprintf(name, JOINT_NAME, "%.63s_base", arm);
}

enum { PARTS_MAX = 1 << 16 }; /* of a section: chosen, so that those of 30 sections can be counted by an int many times over */

static FilStatus check_counts(FilWorld* world, const FilArmDef* def, const char* name)
{
    bool fits = def->mass_points <= PARTS_MAX;
    for (int k = 0; def->sections != NULL && def->section_count <= FIL_ARM_SECTIONS && k < def->section_count; k++) {
        fits = fits && def->sections[k].chambers <= PARTS_MAX && def->sections[k].disks <= PARTS_MAX;
    }
    return fits ? FIL_OK
                : fil_world_fail(world, FIL_BAD_INPUT, "arm '%s': a section has at most %d chambers, disks and mass points", name, PARTS_MAX);
}

/* Whether an arm can be mounted as it is asked for, before anything is made. */
static FilStatus check_mount(FilWorld* world, const FilArmDef* def, const char* name)
{
    char joint_name[JOINT_NAME];
    if (def->base.index == 0) {
        return FIL_OK;
    }
    if (fil_kind_index(world, FIL_BODY_RIGID, def->base) < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "arm '%s': its base must be a rigid body of this world", name);
    }
    name_joint(name, joint_name);
    return fil_world_find_joint(world, joint_name).index == 0
               ? FIL_OK
               : fil_world_fail(world, FIL_BAD_INPUT, "arm '%s': there is already a joint named '%s'", name, joint_name);
}

/* Holds a free base to its rigid body. */
static FilStatus mount(FilWorld* world, const FilArmDef* def, const char* name, FilId arm)
{
    char joint_name[JOINT_NAME];
    FilJointDef joint = fil_joint_def_default();
    name_joint(name, joint_name);
    joint.name = joint_name;
    joint.kind = FIL_JOINT_WELD;
    joint.a = def->base;
    joint.b = arm;
    joint.point = def->position;
    return fil_world_add_joint(world, &joint, NULL);
}

FilStatus fil_world_add_arm(FilWorld* world, const FilArmDef* given, FilId* id)
{
    if (given == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "an arm needs a definition");
    }
    FilArmDef copy = *given;
    const FilArmDef* def = &copy;
    const bool mounted = given->base.index != 0;
    copy.free_base = given->free_base || mounted;
    char made[64];
    const char* name;
    FilStatus status = fil_world_name_object(world, def->name, "arm", made, &name);
    status = status == FIL_OK ? check_counts(world, def, name) : status;
    status = status == FIL_OK ? check_mount(world, def, name) : status;
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
    status = fil_world_add_body(world, FIL_BODY_ARM, impl, unknowns, unknowns, FIL_ARM_HISTORY * impl->chamber_count, name, &body);
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
    fil_give_id(world, FIL_ID_OBJECT, object, id);
    return mounted ? mount(world, def, name, fil_make_id(world, FIL_ID_OBJECT, object)) : FIL_OK;
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
    const char* name;
    FilSoftArm* arm;
    double *q, *v, *h;
} View;

/* False, and a message, if the id is of no arm. */
static bool see(const FilWorld* world, FilId id, View* view)
{
    FilView object;
    if (!fil_kind_view(world, FIL_BODY_ARM, "arm", id, &object)) {
        return false;
    }
    *view = (View){object.name, object.impl, object.q, object.v, object.h};
    return true;
}

/* The same of one of its disks, sections or chambers. */
static bool see_disk(const FilWorld* world, FilId id, int disk, View* view)
{
    return see(world, id, view) && fil_world_has_part(world, "arm", view->name, "disk", disk, view->arm->disk_count);
}

static bool see_section(const FilWorld* world, FilId id, int section, View* view)
{
    return see(world, id, view) && fil_world_has_part(world, "arm", view->name, "section", section, view->arm->section_count);
}

static bool see_chamber(const FilWorld* world, FilId id, int chamber, View* view)
{
    return see(world, id, view) && fil_world_has_part(world, "arm", view->name, "chamber", chamber, view->arm->chamber_count);
}

const char* fil_arm_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_ARM, id);
}

int fil_arm_section_count(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? view.arm->section_count : 0;
}

bool fil_arm_base_moves(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) && view.arm->free_base;
}

int fil_arm_chamber_count(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? view.arm->chamber_count : 0;
}

int fil_arm_disk_count(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? view.arm->disk_count : 0;
}

void fil_arm_get_state(const FilWorld* world, FilId id, double* elongations, double* rates)
{
    View view;
    if (!see(world, id, &view)) {
        return;
    }
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
    if (!see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    const int n = view.arm->section_count;
    if ((elongations != NULL && !fil_all_finite(elongations, 3 * n)) || (rates != NULL && !fil_all_finite(rates, 3 * n))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the given state of the arm is not finite");
    }
    for (int k = 0; k < n && elongations != NULL; k++) {
        double bending[2], length;
        fil_arc_shape(&view.arm->arcs[k], elongations + 3 * k, bending, &length);
        if (!(length > 0.0)) {
            return fil_world_fail(world, FIL_BAD_INPUT, "the given state leaves section %d a length of %g m", k, length);
        }
    }
    for (int k = 0; k < n; k++) {
        if (elongations != NULL) {
            fil_v3_copy(view.q + 4 * k, elongations + 3 * k);
        }
        if (rates != NULL) {
            fil_v3_copy(view.v + 4 * k, rates + 3 * k);
        }
    }
    return FIL_OK;
}

double fil_arm_chamber_length(const FilWorld* world, FilId id, int chamber)
{
    View view;
    if (!see_chamber(world, id, chamber, &view)) {
        return NAN;
    }
    const int section = view.arm->chamber_section[chamber];
    return view.arm->sections[section].length + fil_v3_dot(view.arm->chamber_map + 3 * chamber, view.q + 4 * section);
}

double fil_arm_pressure(const FilWorld* world, FilId id, int chamber)
{
    View view;
    return see_chamber(world, id, chamber, &view) ? view.h[chamber] : NAN;
}

/* a chamber's command in the history: commanded or not, and what is wanted */
static FilStatus command_chamber(FilWorld* world, FilId id, int chamber, double commanded, double wanted)
{
    View view;
    if (!see_chamber(world, id, chamber, &view)) {
        return FIL_BAD_INPUT;
    }
    const int count = view.arm->chamber_count;
    if (!isfinite(wanted)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "arm '%s', chamber %d: the pressure is not finite", view.name, chamber);
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
    View view;
    if (!see_section(world, id, section, &view)) {
        return (FilArmShape){NAN, NAN, NAN, NAN};
    }
    double bending[2], length;
    fil_arc_shape(&view.arm->arcs[section], view.q + 4 * section, bending, &length);
    const double angle = hypot(bending[0], bending[1]);
    return (FilArmShape){length, angle, angle / length, angle > 0.0 ? atan2(bending[1], bending[0]) : 0.0};
}

/* ---- poses ---- */

void fil_arm_pose(const FilWorld* world, FilId id, int section, double s, FilVec3* position, FilQuat* orientation)
{
    View view;
    if (!see_section(world, id, section, &view)) {
        fil_give_no_pose(position, orientation);
        return;
    }
    FilPose pose;
    fil_soft_arm_pose(view.arm, fil_soft_arm_see(view.arm, view.q), view.q, (FilArmPlace){section, s}, &pose);
    fil_give_vec3(position, pose.p);
    fil_give_quat(orientation, fil_quat_from_m3(pose.r));
}

void fil_arm_disk_pose(const FilWorld* world, FilId id, int disk, FilVec3* position, FilQuat* orientation)
{
    View view;
    if (!see_disk(world, id, disk, &view)) {
        fil_give_no_pose(position, orientation);
        return;
    }
    FilPose pose;
    fil_soft_arm_disk_frame(view.arm, disk, 0, view.q, view.h, &pose);
    fil_give_vec3(position, pose.p);
    fil_give_quat(orientation, fil_quat_from_m3(pose.r));
}

void fil_arm_tip_pose(const FilWorld* world, FilId id, FilVec3* position, FilQuat* orientation)
{
    fil_arm_disk_pose(world, id, fil_arm_disk_count(world, id) - 1, position, orientation);
}

void fil_arm_disk_velocity(const FilWorld* world, FilId id, int disk, FilVec3* velocity, FilVec3* angular)
{
    View view;
    if (!see_disk(world, id, disk, &view)) {
        fil_give_no_vectors(velocity, angular);
        return;
    }
    FilArmLink links[FIL_ARM_SECTIONS + 1];
    FilArmFrame frame;
    fil_soft_arm_links(view.arm, view.q, view.v, links);
    fil_soft_arm_frame(view.arm, links, view.q, view.v, view.arm->disks[disk].place, &frame);
    fil_give_vec3(velocity, frame.velocity);
    fil_give_vec3(angular, frame.spin);
}

void fil_arm_disk_size(const FilWorld* world, FilId id, int disk, double* radius, double* thickness)
{
    View view;
    const bool known = see_disk(world, id, disk, &view);
    if (radius != NULL) {
        *radius = known ? view.arm->disks[disk].radius : NAN;
    }
    if (thickness != NULL) {
        *thickness = known ? view.arm->disks[disk].thickness : NAN;
    }
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
    {"disk_position", &parts[0], 3, "m", measure_disk_position, NULL}, {"disk_velocity", &parts[0], 3, "m/s", measure_disk_velocity, NULL},
    {"bending", &parts[1], 1, "rad", measure_bending, NULL},           {"section_length", &parts[1], 1, "m", measure_length, NULL},
    {"pressure", &parts[2], 1, "Pa", measure_pressure, NULL},
};

const FilKindRow fil_arm_row = {"arm", "an arm", fil_arm_name, fil_world_find_arm, FIL_ROWS(parts), FIL_ROWS(quantities)};
