#include "geometry/bvh_posed.h"

/* Nodes are numbered by ints, so that a tree has 31 levels at most: a walk over two of them leaves up to 62 pairs behind. */
enum { STACK = 1024 };

// the box around a moved box; `size` has the absolute values of the rotation
static FilAabb moved(const FilAabb* box, const FilPose* pose, const double* size)
{
    double centre[3], half[3], at[3];
    FilAabb out;
    for (int k = 0; k < 3; k++) {
        centre[k] = 0.5 * (box->lo[k] + box->hi[k]);
        half[k] = 0.5 * (box->hi[k] - box->lo[k]);
    }
    fil_pose_apply(at, pose, centre);
    for (int k = 0; k < 3; k++) {
        const double reach = fil_v3_dot(size + 3 * k, half);
        out.lo[k] = at[k] - reach;
        out.hi[k] = at[k] + reach;
    }
    return out;
}

FilAabb fil_aabb_moved(const FilAabb* box, const FilPose* pose)
{
    double size[9];
    for (int k = 0; k < 9; k++) {
        // rounding must not lose what touches
        size[k] = fabs(pose->r[k]) + 1e-12;
    }
    return moved(box, pose, size);
}

static FilStatus append_leaves(const FilBvh* a, int i, const FilBvh* b, int j, const FilPose* pose, const double* size, FilPairs* pairs)
{
    const FilStatus status = fil_pairs_reserve(pairs, FIL_BVH_LEAF * FIL_BVH_LEAF);
    if (status != FIL_OK) {
        return status;
    }
    for (int l = b->nodes[j].start; l < b->nodes[j].end; l++) {
        const FilAabb box = moved(&b->items[l], pose, size);
        for (int k = a->nodes[i].start; k < a->nodes[i].end; k++) {
            pairs->items[pairs->count] = (FilIndexPair){a->order[k], b->order[l]};
            pairs->count += fil_aabb_overlap(&a->items[k], &box);
        }
    }
    return FIL_OK;
}

FilStatus fil_bvh_posed_pairs(const FilBvh* a, const FilBvh* b, const FilPose* relative, FilPairs* pairs)
{
    FilIndexPair stack[STACK];
    double size[9];
    int top = 0;
    FilStatus status = FIL_OK;
    if (a->count == 0 || b->count == 0) {
        return FIL_OK;
    }
    for (int k = 0; k < 9; k++) {
        // rounding must not lose a pair that touches
        size[k] = fabs(relative->r[k]) + 1e-12;
    }
    stack[top++] = (FilIndexPair){0, 0};
    while (top > 0 && status == FIL_OK) {
        const int i = stack[top - 1].a, j = stack[top - 1].b;
        top--;
        const FilAabb box = moved(&b->nodes[j].box, relative, size);
        if (!fil_aabb_overlap(&a->nodes[i].box, &box)) {
            continue;
        }
        const bool leaf_a = a->nodes[i].leaf >= 0, leaf_b = b->nodes[j].leaf >= 0;
        if (leaf_a && leaf_b) {
            status = append_leaves(a, i, b, j, relative, size, pairs);
        } else if (leaf_b || (!leaf_a && fil_aabb_area(&a->nodes[i].box) >= fil_aabb_area(&b->nodes[j].box))) {
            stack[top++] = (FilIndexPair){2 * i + 2, j};
            stack[top++] = (FilIndexPair){2 * i + 1, j};
        } else {
            stack[top++] = (FilIndexPair){i, 2 * j + 2};
            stack[top++] = (FilIndexPair){i, 2 * j + 1};
        }
    }
    return status;
}

static bool crosses(const FilAabb* box, const double* normal, double offset, bool below)
{
    double centre = -offset, reach = 0.0;
    for (int k = 0; k < 3; k++) {
        centre += normal[k] * 0.5 * (box->lo[k] + box->hi[k]);
        reach += fabs(normal[k]) * 0.5 * (box->hi[k] - box->lo[k]);
    }
    return (below ? centre : fabs(centre)) <= reach * (1.0 + 1e-12);  // rounding must not lose what just reaches
}

FilStatus fil_bvh_plane_items(const FilBvh* a, const double* normal, double offset, bool below, FilPairs* pairs)
{
    int stack[STACK], top = 0;
    FilStatus status = FIL_OK;
    if (a->count > 0) {
        stack[top++] = 0;
    }
    while (top > 0 && status == FIL_OK) {
        const int node = stack[--top];
        if (!crosses(&a->nodes[node].box, normal, offset, below)) {
            continue;
        }
        if (a->nodes[node].leaf < 0) {
            stack[top++] = 2 * node + 2;
            stack[top++] = 2 * node + 1;
            continue;
        }
        status = fil_pairs_reserve(pairs, FIL_BVH_LEAF);
        for (int k = a->nodes[node].start; k < a->nodes[node].end && status == FIL_OK; k++) {
            pairs->items[pairs->count] = (FilIndexPair){a->order[k], 0};
            pairs->count += crosses(&a->items[k], normal, offset, below);
        }
    }
    return status;
}
