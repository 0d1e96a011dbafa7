#include "api/vertices.h"

#include <math.h>

#include "base/vec3.h"

static void copy_out(const double* from, int count, double* to)
{
    for (int i = 0; to != NULL && i < count; i++) {
        fil_v3_copy(to + 3 * i, from + 4 * i);
    }
}

static void copy_in(const double* from, int count, double* to)
{
    for (int i = 0; from != NULL && i < count; i++) {
        fil_v3_copy(to + 4 * i, from + 3 * i);
    }
}

void fil_vertex_view_positions(const FilVertexView* of, double* out)
{
    copy_out(of->view.q, of->count, out);
}

void fil_vertex_view_velocities(const FilVertexView* of, double* out)
{
    copy_out(of->view.v, of->count, out);
}

void fil_vertex_view_position(const FilWorld* world, const FilVertexView* of, int vertex, double* out)
{
    if (out == NULL) {
        return;
    }
    static const double none[3] = {NAN, NAN, NAN};
    const bool known = of->count > 0 && fil_world_has_part(world, of->kind, of->view.name, "vertex", vertex, of->count);
    fil_v3_copy(out, known ? of->view.q + 4 * vertex : none);
}

FilStatus fil_vertex_view_set(FilWorld* world, const FilVertexView* of, const double* positions, const double* velocities)
{
    if (of->count == 0) {
        return FIL_BAD_INPUT;
    }
    if ((positions != NULL && !fil_all_finite(positions, 3 * of->count)) || (velocities != NULL && !fil_all_finite(velocities, 3 * of->count))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the given state of the %s is not finite", of->kind);
    }
    copy_in(positions, of->count, of->view.q);
    copy_in(velocities, of->count, of->view.v);
    return FIL_OK;
}
