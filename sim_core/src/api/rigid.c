/* The public face of rigid bodies and of contacts. */
#include <math.h>
#include <string.h>

#include "api/kinds.h"
#include "base/error.h"
#include "base/vec3.h"
#include "body/rigid.h"
#include "contact/surface.h"
#include "world/world.h"

/* ---- adding ---- */

FilStatus fil_world_add_rigid_body(FilWorld* world, const FilRigidDef* def, FilId* id)
{
    char made[64];
    const char* name;
    FilStatus status = fil_world_name_object(world, def->name, "body", made, &name);
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
    *id = fil_make_id(world, FIL_ID_OBJECT, object);
    fil_collision_note_length(&world->collision, impl->reach);
    if (def->motion == FIL_KINEMATIC) { // what drives hold on to
        FilAttachmentDef hold = fil_attachment_def_default();
        FilId attachment;
        hold.name = name;
        hold.kind = FIL_ATTACH_CLAMP;
        hold.object = *id;
        status = fil_world_add_attachment(world, &hold, &attachment);
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

/* A rigid body and its part of the state arrays. */
typedef struct View {
    FilRigidBody* body;
    double *q, *v;
} View;

static bool view_of(const FilWorld* world, FilId id, View* view)
{
    const FilBody* body = fil_kind_body(world, FIL_BODY_RIGID, id);
    if (body == NULL) {
        return false;
    }
    *view = (View){body->impl, world->system.state.q + body->q, world->system.state.v + body->v};
    return true;
}

static View see(const FilWorld* world, FilId id)
{
    View view = {0};
    const bool known = view_of(world, id, &view);
    FIL_ASSERT(known && "a rigid body's id of this world");
    (void)known;
    return view;
}

const char* fil_rigid_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_RIGID, id);
}

FilMotion fil_rigid_motion(const FilWorld* world, FilId id)
{
    return see(world, id).body->motion;
}

double fil_rigid_mass(const FilWorld* world, FilId id)
{
    const FilRigidBody* body = see(world, id).body;
    return body->motion == FIL_DYNAMIC ? body->mass : 0.0;
}

int fil_rigid_shape_count(const FilWorld* world, FilId id)
{
    return see(world, id).body->shape_count;
}

FilShapeDef fil_rigid_shape(const FilWorld* world, FilId id, int shape)
{
    return see(world, id).body->shapes[shape].def;
}

void fil_rigid_get_pose(const FilWorld* world, FilId id, FilVec3* position, FilQuat* orientation)
{
    const View view = see(world, id);
    FilPose pose;
    fil_rigid_pose(view.body, view.q, &pose);
    *position = (FilVec3){pose.p[0], pose.p[1], pose.p[2]};
    *orientation = (FilQuat){view.q[4], view.q[5], view.q[6], view.q[7]};
}

void fil_rigid_get_velocity(const FilWorld* world, FilId id, FilVec3* velocity, FilVec3* angular)
{
    const View view = see(world, id);
    FilPose pose;
    double spin[3];
    fil_rigid_pose(view.body, view.q, &pose);
    fil_m3_apply(spin, pose.r, view.v + 4);
    *velocity = (FilVec3){view.v[0], view.v[1], view.v[2]};
    *angular = (FilVec3){spin[0], spin[1], spin[2]};
}

FilStatus fil_rigid_set_state(FilWorld* world, FilId id, FilVec3 position, FilQuat orientation, FilVec3 velocity,
                              FilVec3 angular)
{
    View view;
    if (!view_of(world, id, &view)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "no such rigid body");
    }
    const double p[3] = {position.x, position.y, position.z}, w[3] = {angular.x, angular.y, angular.z};
    const double v[3] = {velocity.x, velocity.y, velocity.z};
    const double size = sqrt(orientation.x * orientation.x + orientation.y * orientation.y + orientation.z * orientation.z +
                             orientation.w * orientation.w);
    if (!fil_all_finite(p, 3) || !fil_all_finite(v, 3) || !fil_all_finite(w, 3) || !(isfinite(size) && size > 1e-12)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the given state is not finite, or its orientation is no rotation");
    }
    const FilQuat unit = {orientation.x / size, orientation.y / size, orientation.z / size, orientation.w / size};
    double rotation[9];
    fil_rigid_from_pose(view.body, p, unit, view.q);
    fil_m3_from_quat(rotation, unit);
    if (view.body->motion == FIL_DYNAMIC) {
        fil_v3_copy(view.v, v);
        fil_m3_apply_transposed(view.v + 4, rotation, w);
    }
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
