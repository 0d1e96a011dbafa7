#include "geometry/field.h"

#include "base/error.h"
#include "base/memory.h"

void fil_field_free(FilField* field)
{
    fil_free(field->cells);
    fil_bvh_free(&field->tree);
    *field = (FilField){0};
}

FilStatus fil_field_begin(const FilFieldDef* def, double depth, FilField* field, FilError* error)
{
    *field = (FilField){.modulus = def->modulus, .depth = depth, .margin = def->margin};
    if (!(def->modulus > 0.0) || !isfinite(def->modulus)) {
        return fil_error(error, FIL_BAD_INPUT, "a pressure field needs a positive modulus, not %g Pa", def->modulus);
    }
    if (!(def->resolution > 0.0) || !isfinite(def->resolution)) {
        return fil_error(error, FIL_BAD_INPUT, "a pressure field needs a positive resolution, not %g m", def->resolution);
    }
    if (!(def->margin >= 0.0) || !isfinite(def->margin)) {
        return fil_error(error, FIL_BAD_INPUT, "a pressure field's margin must not be negative: %g m", def->margin);
    }
    return FIL_OK;
}

static FilStatus reserve(FilField* field)
{
    void* block = field->cells;
    const bool ok = fil_array_reserve_more(&block, field->count, 1, &field->capacity, sizeof *field->cells);
    field->cells = block;
    return ok ? FIL_OK : FIL_OUT_OF_MEMORY;
}

// a tetrahedron is flat when its volume is below this part of its longest edge, cubed: rounding makes up 1e-16
#define FLAT 1e-13

FilStatus fil_field_add_cell(FilField* field, const double* const corner[4], const double pressure[4])
{
    double edge[3][3], n[3], longest = 0.0;
    for (int i = 0; i < 3; i++) {
        fil_v3_sub(edge[i], corner[i + 1], corner[0]);
        longest = fmax(longest, fil_v3_norm(edge[i]));
    }
    fil_v3_cross(n, edge[0], edge[1]);
    const double volume6 = fil_v3_dot(n, edge[2]);
    if (!(fabs(volume6) > FLAT * longest * longest * longest)) {
        return FIL_OK;
    }
    const FilStatus status = reserve(field);
    if (status != FIL_OK) {
        return status;
    }
    FilFieldCell* cell = &field->cells[field->count++];
    *cell = (FilFieldCell){0};
    for (int i = 0; i < 4; i++) {
        fil_v3_copy(cell->corner + 3 * i, corner[i]);
    }
    // weights of corners 1 to 3 are dual to the edges: w_i = (e_j x e_k) . (x - x0) / (6 V); all four sum to 1
    cell->face[3] = 1.0;
    for (int i = 0; i < 3; i++) {
        double* face = cell->face + 4 * (i + 1);
        fil_v3_cross(face, edge[(i + 1) % 3], edge[(i + 2) % 3]);
        fil_v3_scale(face, 1.0 / volume6, face);
        face[3] = -fil_v3_dot(face, corner[0]);
        for (int k = 0; k < 4; k++) {
            cell->face[k] -= face[k];
        }
        fil_v3_axpy(cell->gradient, pressure[i + 1] - pressure[0], face);
    }
    cell->offset = pressure[0] - fil_v3_dot(cell->gradient, corner[0]);
    cell->steepness = fil_v3_norm(cell->gradient);
    return FIL_OK;
}

FilStatus fil_field_finish(FilField* field)
{
    FilAabb* boxes = fil_alloc((size_t)field->count, sizeof *boxes);
    if (boxes == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    for (int i = 0; i < field->count; i++) {
        boxes[i] = fil_aabb_empty();
        for (int k = 0; k < 4; k++) {
            fil_aabb_add_point(&boxes[i], field->cells[i].corner + 3 * k);
        }
    }
    const FilStatus status = fil_bvh_build(&field->tree, boxes, field->count);
    fil_free(boxes);
    return status;
}

// ---- between a skin and its feet ----

// the prism from a triangle, moved out by `layer` of the way, to the feet of its corners: three tetrahedra at most.
// Diagonals of its sides leave the corner of the lower number, so that neighbours agree about them
static FilStatus add_prism(FilField* field, const FilSkin* skin, const int* triangle, double layer)
{
    int order[3] = {triangle[0], triangle[1], triangle[2]};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2 - i; j++) {
            if (order[j] > order[j + 1]) {
                const int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
        }
    }
    double out[3][3];
    const double* in[3];
    for (int i = 0; i < 3; i++) {
        const double* x = skin->vertices + 3 * order[i];
        in[i] = skin->feet + 3 * order[i];
        for (int k = 0; k < 3; k++) {
            out[i][k] = x[k] + layer * (x[k] - in[i][k]);
        }
    }
    const double low = -field->modulus * layer, high = field->modulus;
    FilStatus status = fil_field_add_cell(field, (const double* const[4]){out[0], out[1], out[2], in[2]}, (const double[4]){low, low, low, high});
    if (status == FIL_OK) {
        status = fil_field_add_cell(field, (const double* const[4]){out[0], out[1], in[1], in[2]}, (const double[4]){low, low, high, high});
    }
    if (status == FIL_OK) {
        status = fil_field_add_cell(field, (const double* const[4]){out[0], in[0], in[1], in[2]}, (const double[4]){low, high, high, high});
    }
    return status;
}

FilStatus fil_field_create(const FilShape* shape, const FilFieldDef* def, FilField* field, FilError* error)
{
    FilSkin skin = {0};
    *field = (FilField){0};
    FilStatus status = fil_shape_check(shape, error);
    status = status == FIL_OK ? fil_field_begin(def, fil_skin_depth(shape), field, error) : status;
    status = status == FIL_OK ? fil_skin_create(shape, def->resolution, &skin, error) : status;
    const double layer = status == FIL_OK ? def->margin / field->depth : 0.0;
    for (int i = 0; i < skin.triangle_count && status == FIL_OK; i++) {
        status = add_prism(field, &skin, skin.triangles + 3 * i, layer);
    }
    status = status == FIL_OK ? fil_field_finish(field) : status;
    fil_skin_free(&skin);
    if (status == FIL_OUT_OF_MEMORY) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "no memory for the pressure field of a %s", fil_shape_kind_name(shape->kind));
    }
    if (status != FIL_OK) {
        fil_field_free(field);
    }
    return status;
}
