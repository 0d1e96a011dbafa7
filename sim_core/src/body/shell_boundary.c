/* What holds and loads a shell: pins and forces. */
#include <string.h>

#include "base/vec3.h"
#include "body/shell.h"

FilStatus fil_shell_attach(void* pointer, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error)
{
    (void)object, (void)h;
    FilShellBody* body = pointer;
    return fil_vertex_holds_attach(&body->holds, "shell", body->vertex_count, def, q, slot, error);
}

void fil_shell_set_target(void* pointer, int slot, const FilTarget* target)
{
    ((FilShellBody*)pointer)->holds.items[slot].target = *target;
}

void fil_shell_reaction(const void* pointer, int slot, double* force, double* torque)
{
    fil_vertex_holds_reaction(&((const FilShellBody*)pointer)->holds, slot, force, torque);
}

void fil_shell_clear_loads(void* pointer)
{
    FilShellBody* body = pointer;
    fil_chambers_clear(&body->chambers);
    memset(body->load, 0, sizeof(double) * 4 * (size_t)body->vertex_count);
}

void fil_shell_load(void* pointer, int object, FilDriveKind kind, int first, int count, const double* value, double* h)
{
    (void)object, (void)h;
    FilShellBody* body = pointer;
    if (kind == FIL_DRIVE_PRESSURE) {
        fil_chambers_load(&body->chambers, first, count, value[0]);
        return;
    }
    for (int k = first; k < first + count; k++) {
        fil_v3_axpy(body->load + 4 * k, 1.0, value);
    }
}

int fil_shell_load_range(const void* pointer, int object, FilDriveKind kind)
{
    (void)object;
    const FilShellBody* body = pointer;
    return kind == FIL_DRIVE_FORCE ? body->vertex_count : kind == FIL_DRIVE_PRESSURE ? body->chambers.count : 0;
}
