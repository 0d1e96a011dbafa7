#include "body/vertex_holds.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

void fil_vertex_holds_free(FilVertexHolds* holds)
{
    for (int s = 0; s < holds->count; s++) {
        fil_free(holds->items[s].origin);
    }
    fil_free(holds->items);
    *holds = (FilVertexHolds){0};
}

FilStatus fil_vertex_holds_attach(FilVertexHolds* holds, const char* kind, int vertex_count, const FilAttachmentDef* def, const double* q, int* slot,
                                  FilError* error)
{
    const int first = def->first < 0 ? def->first + vertex_count : def->first;
    if (def->kind != FIL_ATTACH_PIN) {
        return fil_error(error, FIL_BAD_INPUT, "a %s is held by pins only", kind);
    }
    if (first < 0 || def->count < 1 || first + def->count > vertex_count) {
        return fil_error(error, FIL_BAD_INPUT, "vertices %d to %d are not on the %s, which has %d", def->first, def->first + def->count - 1, kind,
                         vertex_count);
    }
    if (!fil_array_reserve((void**)&holds->items, holds->count, &holds->capacity, sizeof *holds->items)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    FilVertexHold* hold = &holds->items[holds->count];
    *hold = (FilVertexHold){.first = first, .count = def->count, .axes = def->axes == 0 ? 7u : def->axes};
    hold->origin = fil_alloc(3 * (size_t)def->count, sizeof(double));
    if (hold->origin == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0; k < def->count; k++) {
        fil_v3_copy(hold->origin + 3 * k, q + 4 * (first + k));
    }
    *slot = holds->count++;
    return FIL_OK;
}

void fil_vertex_holds_reaction(const FilVertexHolds* holds, int slot, double* force, double* torque)
{
    fil_v3_copy(force, holds->items[slot].force);
    fil_v3_copy(torque, holds->items[slot].torque);
}

void fil_vertex_holds_apply(const FilVertexHolds* holds, int vertex_count, bool* held, double* held_q)
{
    memset(held, 0, sizeof(bool) * 4 * (size_t)vertex_count);
    for (int s = 0; s < holds->count; s++) {
        const FilVertexHold* hold = &holds->items[s];
        double rotation[9], arm[3], turned[3];
        fil_m3_from_rotation_vector(rotation, hold->target.rotation[1]);
        for (int k = 0; k < hold->count && hold->target.active; k++) {
            double place[3];
            fil_v3_sub(arm, hold->origin + 3 * k, hold->origin);
            fil_m3_apply(turned, rotation, arm);
            fil_v3_add(place, hold->origin, turned);
            fil_v3_axpy(place, 1.0, hold->target.displacement[1]);
            for (int c = 0; c < 3; c++) {
                if ((hold->axes >> c & 1u) != 0) {
                    held[4 * (hold->first + k) + c] = true;
                    held_q[4 * (hold->first + k) + c] = place[c];
                }
            }
        }
    }
}

void fil_vertex_holds_mark(const FilVertexHolds* holds, unsigned char* axes)
{
    for (int s = 0; s < holds->count; s++) {
        const FilVertexHold* hold = &holds->items[s];
        for (int k = 0; k < hold->count && hold->target.active; k++) {
            axes[hold->first + k] |= (unsigned char)hold->axes;
        }
    }
}

void fil_vertex_holds_collect(FilVertexHolds* holds, const double* q, const double* reaction)
{
    for (int s = 0; s < holds->count; s++) {
        FilVertexHold* hold = &holds->items[s];
        fil_v3_set(hold->force, 0.0, 0.0, 0.0);
        fil_v3_set(hold->torque, 0.0, 0.0, 0.0);
        for (int k = 0; k < hold->count && hold->target.active; k++) {
            double arm[3], moment[3], force[3];
            for (int c = 0; c < 3; c++) {
                force[c] = (hold->axes >> c & 1u) != 0 ? reaction[4 * (hold->first + k) + c] : 0.0;
            }
            fil_v3_sub(arm, q + 4 * (hold->first + k), q + 4 * hold->first);
            fil_v3_cross(moment, arm, force);
            fil_v3_axpy(hold->force, 1.0, force);
            fil_v3_axpy(hold->torque, 1.0, moment);
        }
    }
}
