/* The public face of rigid bodies. */
#include <math.h>

#include "api/give.h"
#include "api/kinds.h"
#include "base/vec3.h"
#include "body/rigid.h"
#include "contact/surface.h"
#include "world/sleep.h"
#include "world/world.h"

/* ---- adding ---- */

/* What drives of a kinematic body hold on to bears its name. */
static FilStatus check_def(FilWorld* world, const FilRigidDef* def, const char* name)
{
    if ((unsigned)def->motion > FIL_DYNAMIC) {
        return fil_world_fail(world, FIL_BAD_INPUT, "rigid body '%s': unknown motion %d", name, (int)def->motion);
    }
    if (def->shape_count < 0 || def->shape_count > FIL_COUNT_MAX || (def->shape_count > 0 && def->shapes == NULL)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "rigid body '%s': its shapes are missing", name);
    }
    if (def->motion == FIL_KINEMATIC && fil_world_find_attachment(world, name).index != 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "rigid body '%s': there is already an attachment of that name", name);
    }
    return FIL_OK;
}

FilStatus fil_world_add_rigid(FilWorld* world, const FilRigidDef* def, FilId* id)
{
    if (def == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a rigid body needs a definition");
    }
    char made[64];
    const char* name;
    FilStatus status = fil_world_name_object(world, def->name, "body", made, &name);
    status = status == FIL_OK ? check_def(world, def, name) : status;
    if (status != FIL_OK) {
        return status;
    }
    FilError inner;
    FilRigidBody* impl = NULL;
    status = fil_surface_check(&def->collision.surface, &inner);
    if (status == FIL_OK) {
        status = fil_rigid_create(def, &impl, &inner);
    }
    if (status != FIL_OK) {
        return fil_world_fail(world, status, "rigid body '%s': %s", name, inner.text);
    }
    int body, object;
    status = fil_world_add_body(world, FIL_BODY_RIGID, impl, FIL_RIGID_UNKNOWNS, FIL_RIGID_UNKNOWNS, 0, name, &body);
    if (status == FIL_OK) {
        status = fil_world_add_object(world, name, FIL_BODY_RIGID, body, 0, &object);
    }
    if (status == FIL_OK) {
        status = fil_world_add_colliders(world, body, &object, 1);
    }
    if (status != FIL_OK) {
        return status;
    }
    fil_give_id(world, FIL_ID_OBJECT, object, id);
    fil_collision_note_length(&world->collision, impl->reach);
    if (def->motion == FIL_KINEMATIC) {  // what drives hold on to
        FilAttachmentDef hold = fil_attachment_def_default();
        hold.name = name;
        hold.kind = FIL_ATTACH_CLAMP;
        hold.object = fil_make_id(world, FIL_ID_OBJECT, object);
        status = fil_world_add_attachment(world, &hold, NULL);
    }
    return status;
}

int fil_world_rigid_count(const FilWorld* world)
{
    return fil_kind_count(world, FIL_BODY_RIGID);
}

FilId fil_world_rigid_at(const FilWorld* world, int index)
{
    return fil_kind_at(world, FIL_BODY_RIGID, index);
}

FilId fil_world_find_rigid(const FilWorld* world, const char* name)
{
    return fil_kind_find(world, FIL_BODY_RIGID, name);
}

/* ---- state ---- */

static bool see(const FilWorld* world, FilId id, FilView* view)
{
    return fil_kind_view(world, FIL_BODY_RIGID, "rigid body", id, view);
}

/* The body's own data, NULL and a message if the id is of no rigid body. */
static const FilRigidBody* body_of(const FilWorld* world, FilId id)
{
    FilView view;
    return see(world, id, &view) ? view.impl : NULL;
}

const char* fil_rigid_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_RIGID, id);
}

FilMotion fil_rigid_motion(const FilWorld* world, FilId id)
{
    const FilRigidBody* body = body_of(world, id);
    return body != NULL ? body->motion : FIL_STATIC;
}

double fil_rigid_mass(const FilWorld* world, FilId id)
{
    const FilRigidBody* body = body_of(world, id);
    return body == NULL ? NAN : body->motion == FIL_DYNAMIC ? body->mass : 0.0;
}

int fil_rigid_shape_count(const FilWorld* world, FilId id)
{
    const FilRigidBody* body = body_of(world, id);
    return body != NULL ? body->shape_count : 0;
}

FilShapeDef fil_rigid_shape(const FilWorld* world, FilId id, int shape)
{
    const FilRigidBody* body = body_of(world, id);
    const bool known = body != NULL && fil_world_has_part(world, "rigid body", fil_rigid_name(world, id), "shape", shape, body->shape_count);
    return known ? body->shapes[shape].def : fil_refused_shape();
}

void fil_rigid_get_pose(const FilWorld* world, FilId id, FilVec3* position, FilQuat* orientation)
{
    FilView view;
    if (!see(world, id, &view)) {
        fil_give_no_pose(position, orientation);
        return;
    }
    FilPose pose;
    fil_rigid_pose(view.impl, view.q, &pose);
    fil_give_vec3(position, pose.p);
    fil_give_quat(orientation, (FilQuat){view.q[4], view.q[5], view.q[6], view.q[7]});
}

FilVec3 fil_rigid_mass_center(const FilWorld* world, FilId id)
{
    FilView view;
    return see(world, id, &view) ? (FilVec3){view.q[0], view.q[1], view.q[2]} : (FilVec3){NAN, NAN, NAN};
}

void fil_rigid_get_velocity(const FilWorld* world, FilId id, FilVec3* velocity, FilVec3* angular)
{
    FilView view;
    if (!see(world, id, &view)) {
        fil_give_no_vectors(velocity, angular);
        return;
    }
    FilPose pose;
    double spin[3];
    fil_rigid_pose(view.impl, view.q, &pose);
    fil_m3_apply(spin, pose.r, view.v + 4);
    fil_give_vec3(velocity, view.v);
    fil_give_vec3(angular, spin);
}

FilStatus fil_rigid_set_state(FilWorld* world, FilId id, FilVec3 position, FilQuat orientation, FilVec3 velocity, FilVec3 angular)
{
    FilView view;
    if (!see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    const FilRigidBody* body = view.impl;
    const double p[3] = {position.x, position.y, position.z}, w[3] = {angular.x, angular.y, angular.z};
    const double v[3] = {velocity.x, velocity.y, velocity.z};
    const double size =
        sqrt(orientation.x * orientation.x + orientation.y * orientation.y + orientation.z * orientation.z + orientation.w * orientation.w);
    // a quaternion this short has no direction
    if (!fil_all_finite(p, 3) || !fil_all_finite(v, 3) || !fil_all_finite(w, 3) || !(isfinite(size) && size > 1e-12)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the given state is not finite, or its orientation is no rotation");
    }
    const FilQuat unit = {orientation.x / size, orientation.y / size, orientation.z / size, orientation.w / size};
    double rotation[9];
    fil_rigid_from_pose(body, p, unit, view.q);
    fil_m3_from_quat(rotation, unit);
    if (body->motion == FIL_DYNAMIC) {
        fil_v3_copy(view.v, v);
        fil_m3_apply_transposed(view.v + 4, rotation, w);
    }
    fil_sleep_wake_moved(world, world->objects[fil_kind_index(world, FIL_BODY_RIGID, id)].body);
    return FIL_OK;
}

/* ---- what can be measured ---- */

static void measure_position(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    FilVec3 position;
    FilQuat orientation;
    fil_rigid_get_pose(world, id, &position, &orientation);
    fil_measure_vec3(out, position);
}

static void measure_velocity(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    FilVec3 velocity, spin;
    fil_rigid_get_velocity(world, id, &velocity, &spin);
    fil_measure_vec3(out, velocity);
}

static void measure_spin(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    FilVec3 velocity, spin;
    fil_rigid_get_velocity(world, id, &velocity, &spin);
    fil_measure_vec3(out, spin);
}

static const FilQuantity quantities[] = {
    {"body_position", NULL, 3, "m", measure_position, NULL},
    {"body_velocity", NULL, 3, "m/s", measure_velocity, NULL},
    {"body_spin", NULL, 3, "rad/s", measure_spin, NULL},
};

const FilKindRow fil_rigid_row = {"body", "a rigid body", fil_rigid_name, fil_world_find_rigid, NULL, 0, FIL_ROWS(quantities)};
