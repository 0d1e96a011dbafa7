#include "geometry/near_cells.h"

#include "base/memory.h"

/* Nodes are numbered by ints: 31 levels at most, each of which leaves one node behind. */
enum { STACK = 256 };

void fil_near_cells_free(FilNearCells* near)
{
    fil_free(near->cells);
    fil_free(near->index);
    fil_free(near->boxes);
    fil_bvh_free(&near->tree);
    *near = (FilNearCells){0};
}

static FilStatus reserve(FilNearCells* near, int more)
{
    if (near->count + more <= near->capacity) {
        return FIL_OK;
    }
    const size_t old = (size_t)near->count, capacity = 2 * old + (size_t)more + 64;
    void *cells = near->cells, *index = near->index, *boxes = near->boxes;
    bool grown = fil_grow(&cells, old, capacity, sizeof *near->cells);
    near->cells = cells;
    grown = grown && fil_grow(&index, old, capacity, sizeof *near->index);
    near->index = index;
    grown = grown && fil_grow(&boxes, old, capacity, sizeof *near->boxes);
    near->boxes = boxes;
    if (!grown) {
        return FIL_OUT_OF_MEMORY;
    }
    near->capacity = (int)capacity;
    return FIL_OK;
}

// middle and half the length of a box's shadow on the direction w
static void shadow(const FilAabb* box, const double* w, double* middle, double* half)
{
    *middle = *half = 0.0;
    for (int k = 0; k < 3; k++) {
        *middle += 0.5 * w[k] * (box->lo[k] + box->hi[k]);
        *half += 0.5 * fabs(w[k]) * (box->hi[k] - box->lo[k]);
    }
}

double fil_near_cells_reach(const FilField* field, const FilPose* pose, const double* u)
{
    const FilBvh* tree = &field->tree;
    double w[3], best = -HUGE_VAL;
    int stack[STACK], top = 0;
    fil_m3_apply_transposed(w, pose->r, u);
    if (field->count > 0) {
        stack[top++] = 0;
    }
    while (top > 0) {
        const int node = stack[--top];
        double middle, half;
        shadow(&tree->nodes[node].box, w, &middle, &half);
        if (middle + half <= best) {
            continue;
        }
        if (tree->nodes[node].leaf < 0) {
            stack[top++] = 2 * node + 2;
            stack[top++] = 2 * node + 1;
            continue;
        }
        for (int k = tree->nodes[node].start; k < tree->nodes[node].end; k++) {
            for (int i = 0; i < 4; i++) {
                best = fmax(best, fil_v3_dot(w, field->cells[tree->order[k]].corner + 3 * i));
            }
        }
    }
    return best + fil_v3_dot(u, pose->p);
}

// the box around what of a tetrahedron lies in a slab; empty if nothing does
static FilAabb box_in_slab(const double* corner, const double* u, double lo, double hi)
{
    double at[4];
    FilAabb box = fil_aabb_empty();
    for (int i = 0; i < 4; i++) {
        at[i] = fil_v3_dot(u, corner + 3 * i);
        if (at[i] >= lo && at[i] <= hi) {
            fil_aabb_add_point(&box, corner + 3 * i);
        }
    }
    const double bounds[2] = {lo, hi};
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            for (int b = 0; b < 2; b++) {
                if ((at[i] < bounds[b]) != (at[j] < bounds[b])) {
                    const double t = (bounds[b] - at[i]) / (at[j] - at[i]);
                    double x[3];
                    for (int k = 0; k < 3; k++) {
                        x[k] = corner[3 * i + k] + t * (corner[3 * j + k] - corner[3 * i + k]);
                    }
                    fil_aabb_add_point(&box, x);
                }
            }
        }
    }
    return box;
}

// a plane function, moved
static void move_plane(double* out, const FilPose* pose, const double* plane, double offset)
{
    fil_m3_apply(out, pose->r, plane);
    out[3] = offset - fil_v3_dot(out, pose->p);
}

static void move_cell(FilFieldCell* out, const FilPose* pose, const FilFieldCell* cell)
{
    double pressure[4];
    for (int i = 0; i < 4; i++) {
        fil_pose_apply(out->corner + 3 * i, pose, cell->corner + 3 * i);
        move_plane(out->face + 4 * i, pose, cell->face + 4 * i, cell->face[4 * i + 3]);
    }
    move_plane(pressure, pose, cell->gradient, cell->offset);
    fil_v3_copy(out->gradient, pressure);
    out->offset = pressure[3];
    out->steepness = cell->steepness;
}

FilStatus fil_near_cells_collect(FilNearCells* near, const FilField* field, const FilPose* pose, const FilAabb* within, const double* u, double lo,
                                 double hi)
{
    const FilBvh* tree = &field->tree;
    const double at = fil_v3_dot(u, pose->p);
    double w[3];
    int stack[STACK], top = 0;
    FilStatus status = FIL_OK;
    fil_m3_apply_transposed(w, pose->r, u);
    near->count = 0;
    if (field->count > 0) {
        stack[top++] = 0;
    }
    while (top > 0 && status == FIL_OK) {
        const int node = stack[--top];
        double middle, half;
        shadow(&tree->nodes[node].box, w, &middle, &half);
        if (middle + half + at < lo || middle - half + at > hi) {
            continue;
        }
        if (tree->nodes[node].leaf < 0) {
            stack[top++] = 2 * node + 2;
            stack[top++] = 2 * node + 1;
            continue;
        }
        status = reserve(near, FIL_BVH_LEAF);
        for (int k = tree->nodes[node].start; k < tree->nodes[node].end && status == FIL_OK; k++) {
            const FilFieldCell* cell = &field->cells[tree->order[k]];
            FilFieldCell* out = &near->cells[near->count];
            for (int i = 0; i < 4; i++) {
                fil_pose_apply(out->corner + 3 * i, pose, cell->corner + 3 * i);
            }
            const FilAabb box = box_in_slab(out->corner, u, lo, hi);
            if (fil_aabb_overlap(&box, within)) {
                move_cell(out, pose, cell);
                near->boxes[near->count] = box;
                near->index[near->count++] = tree->order[k];
            }
        }
    }
    return status == FIL_OK ? fil_bvh_build(&near->tree, near->boxes, near->count) : status;
}
