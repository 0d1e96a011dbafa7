/* A rigid body made from its definition: checked, with shapes, mass and initial state; and the pose of its frame. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/quat.h"
#include "body/rigid.h"

/* Mass, centre and inertia from the definition, or from the shapes and their densities. */
static FilStatus build_mass(const FilRigidDef* def, FilRigidBody* body, FilError* error)
{
    FilMassProperties sum = {0};
    for (int k = 0; k < body->shape_count; k++) {
        const double density = def->shapes[k].density > 0.0 ? def->shapes[k].density : def->density;
        const FilMassProperties own = fil_rigid_shape_mass(&body->shapes[k]);
        const FilMassProperties posed = fil_mass_posed(&own, &body->shapes[k].pose);
        fil_mass_add(&sum, density, &posed);
    }
    const double* i = def->inertia;
    const bool given = i[0] != 0.0 || i[1] != 0.0 || i[2] != 0.0;
    body->mass = def->mass > 0.0 ? def->mass : sum.volume;
    if (given) {
        const double full[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
        memcpy(body->inertia, full, sizeof full);
        fil_v3_set(body->center, def->center_of_mass.x, def->center_of_mass.y, def->center_of_mass.z);
    } else {
        const double scale = sum.volume > 0.0 ? body->mass / sum.volume : 0.0;
        for (int k = 0; k < 9; k++) {
            body->inertia[k] = scale * sum.inertia[k];
        }
        fil_v3_copy(body->center, sum.centre);
    }
    if (body->motion != FIL_DYNAMIC) {
        return FIL_OK;
    }
    if (!(isfinite(body->mass) && body->mass > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "a dynamic body needs a positive mass, got %g kg", body->mass);
    }
    // positive definite: all leading minors are
    const double* m = body->inertia;
    const double minor2 = m[0] * m[4] - m[1] * m[1];
    if (!(fil_all_finite(m, 9) && m[0] > 0.0 && minor2 > 0.0) || !fil_m3_invert(body->inverse_inertia, m) || !(body->inverse_inertia[8] > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "a dynamic body needs a positive definite inertia");
    }
    return FIL_OK;
}

void fil_rigid_destroy(void* pointer)
{
    FilRigidBody* body = pointer;
    if (body == NULL) {
        return;
    }
    for (int k = 0; body->shapes != NULL && k < body->shape_count; k++) {
        fil_rigid_shape_free(&body->shapes[k]);
    }
    fil_free(body->shapes);
    fil_free(body);
}

static FilStatus check_def(const FilRigidDef* def, FilError* error)
{
    const double numbers[] = {def->position.x, def->position.y,         def->position.z,         def->velocity.x,         def->velocity.y,
                              def->velocity.z, def->angular_velocity.x, def->angular_velocity.y, def->angular_velocity.z, def->density,
                              def->mass,       def->center_of_mass.x,   def->center_of_mass.y,   def->center_of_mass.z};
    if (!fil_all_finite(numbers, sizeof numbers / sizeof numbers[0])) {
        return fil_error(error, FIL_BAD_INPUT, "position, velocity, density and mass must be finite");
    }
    if (def->density < 0.0 || def->mass < 0.0 || !(def->damping_linear >= 0.0) || !(def->damping_angular >= 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "density, mass and damping must not be negative");
    }
    for (int k = 0; k < def->shape_count; k++) {
        if (def->shapes[k].type == FIL_SHAPE_HALF_SPACE && def->motion == FIL_DYNAMIC) {
            return fil_error(error, FIL_BAD_INPUT, "a half-space cannot be dynamic");
        }
    }
    return FIL_OK;
}

FilStatus fil_rigid_create(const FilRigidDef* def, FilRigidBody** out, FilError* error)
{
    *out = NULL;
    FilStatus status = check_def(def, error);
    if (status != FIL_OK) {
        return status;
    }
    FilRigidBody* body = fil_alloc(1, sizeof *body);
    if (body == NULL || (body->shapes = fil_alloc((size_t)def->shape_count, sizeof *body->shapes)) == NULL) {
        fil_free(body);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    body->motion = def->motion;
    body->collision = def->collision;
    body->damping_linear = def->damping_linear;
    body->damping_angular = def->damping_angular;
    for (int k = 0; k < def->shape_count && status == FIL_OK; k++) {
        body->shape_count = k + 1;
        status = fil_rigid_shape_make(&def->shapes[k], &body->shapes[k], error);
    }
    FilQuat orientation = def->orientation;
    if (status == FIL_OK && !fil_quat_normalise(&orientation)) {
        status = fil_error(error, FIL_BAD_INPUT, "the orientation is no rotation");
    }
    if (status == FIL_OK) {
        status = build_mass(def, body, error);
    }
    if (status != FIL_OK) {
        fil_rigid_destroy(body);
        return status;
    }
    for (int k = 0; k < body->shape_count; k++) {
        body->reach = fmax(body->reach, fil_rigid_shape_reach(&body->shapes[k], body->center));
    }
    const double position[3] = {def->position.x, def->position.y, def->position.z};
    const double spin[3] = {def->angular_velocity.x, def->angular_velocity.y, def->angular_velocity.z};
    double rotation[9];
    fil_rigid_from_pose(body, position, orientation, body->initial_q);
    fil_m3_from_quat(rotation, orientation);
    if (body->motion == FIL_DYNAMIC) {
        fil_v3_set(body->initial_v, def->velocity.x, def->velocity.y, def->velocity.z);
        fil_m3_apply_transposed(body->initial_v + 4, rotation, spin);
    }
    *out = body;
    return FIL_OK;
}

/* ---- poses ---- */

void fil_rigid_from_pose(const FilRigidBody* body, const double* position, FilQuat orientation, double* q)
{
    double rotation[9], offset[3];
    fil_m3_from_quat(rotation, orientation);
    fil_m3_apply(offset, rotation, body->center);
    fil_v3_add(q, position, offset);
    q[3] = 0.0;
    q[4] = orientation.x, q[5] = orientation.y, q[6] = orientation.z, q[7] = orientation.w;
}

void fil_rigid_pose(const FilRigidBody* body, const double* q, FilPose* pose)
{
    double offset[3];
    fil_m3_from_quat(pose->r, fil_rigid_orientation(q));
    fil_m3_apply(offset, pose->r, body->center);
    fil_v3_sub(pose->p, q, offset);
}
