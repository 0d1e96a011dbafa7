/* What holds and loads a solid: pins and forces. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "body/solid.h"

FilStatus fil_solid_attach(void* pointer, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot,
                           FilError* error)
{
    (void)object, (void)h;
    FilSolidBody* body = pointer;
    const int first = def->first < 0 ? def->first + body->mesh.vertex_count : def->first;
    if (def->kind != FIL_ATTACH_PIN) {
        return fil_error(error, FIL_BAD_INPUT, "a solid is held by pins only");
    }
    if (first < 0 || def->count < 1 || first + def->count > body->mesh.vertex_count) {
        return fil_error(error, FIL_BAD_INPUT, "vertices %d to %d are not on the solid, which has %d", def->first,
                         def->first + def->count - 1, body->mesh.vertex_count);
    }
    if (body->attachment_count == body->attachment_capacity) {
        const int capacity = 2 * body->attachment_capacity + 8;
        if (!fil_grow((void**)&body->attachments, (size_t)body->attachment_capacity, (size_t)capacity,
                      sizeof *body->attachments)) {
            return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
        }
        body->attachment_capacity = capacity;
    }
    FilSolidAttachment* a = &body->attachments[body->attachment_count];
    *a = (FilSolidAttachment){.first = first, .count = def->count};
    a->origin = fil_alloc(3 * (size_t)def->count, sizeof(double));
    if (a->origin == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0; k < def->count; k++) {
        fil_v3_copy(a->origin + 3 * k, q + 4 * (first + k));
    }
    *slot = body->attachment_count++;
    return FIL_OK;
}

void fil_solid_set_target(void* pointer, int slot, const FilTarget* target)
{
    ((FilSolidBody*)pointer)->attachments[slot].target = *target;
}

void fil_solid_reaction(const void* pointer, int slot, double* force, double* torque)
{
    const FilSolidAttachment* a = &((const FilSolidBody*)pointer)->attachments[slot];
    fil_v3_copy(force, a->force);
    fil_v3_copy(torque, a->torque);
}

void fil_solid_clear_loads(void* pointer)
{
    FilSolidBody* body = pointer;
    memset(body->load, 0, sizeof(double) * 4 * (size_t)body->mesh.vertex_count);
}

void fil_solid_load(void* pointer, int object, FilDriveKind kind, int first, int count, const double* value, double* h)
{
    (void)object, (void)kind, (void)h;
    FilSolidBody* body = pointer;
    for (int k = first; k < first + count; k++) {
        fil_v3_axpy(body->load + 4 * k, 1.0, value);
    }
}

int fil_solid_load_range(const void* pointer, int object, FilDriveKind kind)
{
    (void)object;
    return kind == FIL_DRIVE_FORCE ? ((const FilSolidBody*)pointer)->mesh.vertex_count : 0;
}

/* Marks held vertices and where they go: carried and turned about the first of the pin. */
void fil_solid_apply_holds(FilSolidBody* body)
{
    memset(body->held, 0, sizeof(bool) * (size_t)body->mesh.vertex_count);
    for (int s = 0; s < body->attachment_count; s++) {
        const FilSolidAttachment* a = &body->attachments[s];
        double rotation[9], arm[3], turned[3];
        fil_m3_from_rotation_vector(rotation, a->target.rotation[1]);
        for (int k = 0; k < a->count && a->target.active; k++) {
            double* place = body->held_q + 4 * (a->first + k);
            fil_v3_sub(arm, a->origin + 3 * k, a->origin);
            fil_m3_apply(turned, rotation, arm);
            fil_v3_add(place, a->origin, turned);
            fil_v3_axpy(place, 1.0, a->target.displacement[1]);
            body->held[a->first + k] = true;
        }
    }
}

void fil_solid_collect_reactions(FilSolidBody* body)
{
    for (int s = 0; s < body->attachment_count; s++) {
        FilSolidAttachment* a = &body->attachments[s];
        fil_v3_set(a->force, 0.0, 0.0, 0.0);
        fil_v3_set(a->torque, 0.0, 0.0, 0.0);
        for (int k = 0; k < a->count && a->target.active; k++) {
            const double* force = body->reaction + 4 * (a->first + k);
            double arm[3], moment[3];
            fil_v3_sub(arm, body->q_theta + 4 * (a->first + k), body->q_theta + 4 * a->first);
            fil_v3_cross(moment, arm, force);
            fil_v3_axpy(a->force, 1.0, force);
            fil_v3_axpy(a->torque, 1.0, moment);
        }
    }
}
