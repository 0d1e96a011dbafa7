/* What holds and loads a solid: pins and forces. */
#include <string.h>

#include "base/vec3.h"
#include "body/solid.h"

FilStatus fil_solid_attach(void* pointer, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error)
{
    (void)object, (void)h;
    FilSolidBody* body = pointer;
    return fil_vertex_holds_attach(&body->holds, "solid", body->mesh.vertex_count, def, q, slot, error);
}

void fil_solid_set_target(void* pointer, int slot, const FilTarget* target)
{
    ((FilSolidBody*)pointer)->holds.items[slot].target = *target;
}

void fil_solid_reaction(const void* pointer, int slot, double* force, double* torque)
{
    fil_vertex_holds_reaction(&((const FilSolidBody*)pointer)->holds, slot, force, torque);
}

void fil_solid_clear_loads(void* pointer)
{
    FilSolidBody* body = pointer;
    fil_chambers_clear(&body->chambers);
    memset(body->load, 0, sizeof(double) * 4 * (size_t)body->mesh.vertex_count);
}

void fil_solid_load(void* pointer, int object, FilDriveKind kind, int first, int count, const double* value, double* h)
{
    (void)object, (void)h;
    FilSolidBody* body = pointer;
    if (kind == FIL_DRIVE_PRESSURE) {
        fil_chambers_load(&body->chambers, first, count, value[0]);
        return;
    }
    for (int k = first; k < first + count; k++) {
        fil_v3_axpy(body->load + 4 * k, 1.0, value);
    }
}

int fil_solid_load_range(const void* pointer, int object, FilDriveKind kind)
{
    (void)object;
    const FilSolidBody* body = pointer;
    return kind == FIL_DRIVE_FORCE ? body->mesh.vertex_count : kind == FIL_DRIVE_PRESSURE ? body->chambers.count : 0;
}
