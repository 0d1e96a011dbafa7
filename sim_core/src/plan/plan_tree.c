#include "plan/plan_tree.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

#define REAL double
#define COSINE cos
#define SINE sin
#define NAME(x) tree_##x
#include "plan/tree_jet.inc"

int fil_plan_tree_add(FilPlanTree* tree, const FilPlanBlock* block)
{
    const FilPlanBlock* parent = block->parent >= 0 ? &tree->block[block->parent] : NULL;
    const int before = parent != NULL ? parent->depth : 0;
    if (tree->blocks == FIL_PLAN_BLOCKS || tree->coordinates + block->count > FIL_PLAN_COORDINATES || before + block->count > FIL_PLAN_SHAPES) {
        return -1;
    }
    FilPlanBlock* out = &tree->block[tree->blocks];
    *out = *block;
    out->first = tree->coordinates;
    out->depth = before + block->count;
    for (int i = 0; i < before; i++) {
        out->path[i] = parent->path[i];
    }
    for (int i = 0; i < block->count; i++) {
        out->path[before + i] = tree->coordinates++;
    }
    return tree->blocks++;
}

void fil_plan_second_moments(const double* inertia, double* second)
{
    const double half = 0.5 * (inertia[0] + inertia[4] + inertia[8]);
    for (int k = 0; k < 3; k++) {
        second[k] = half - inertia[4 * k];
    }
    second[3] = -inertia[1];
    second[4] = -inertia[2];
    second[5] = -inertia[5];
}

/* The pose of one block in its parent's frame; of a section at a fraction of it. */
static void step_pose(const FilPlanBlock* block, const double* q, double along, FilPose* pose)
{
    const double still[FIL_PLAN_COORDINATES] = {0.0};
    const tree_Ways s = {.q = q, .v = still, .h = 0.0};
    tree_Local rotation[3][3], position[3];
    if (block->kind == FIL_BLOCK_SECTION) {
        tree_piece_jets(block, &s, along, rotation, position);
    } else {
        tree_joint_jets(block, &s, rotation, position);
    }
    tree_place_locals(&block->rest, rotation, position);
    for (int k = 0; k < 3; k++) {
        pose->p[k] = position[k].value[tree_ONE];
        for (int c = 0; c < 3; c++) {
            pose->r[3 * k + c] = rotation[c][k].value[tree_ONE];
        }
    }
}

void fil_plan_tree_pose(const FilPlanTree* tree, const double* q, int block, FilPose* pose)
{
    *pose = fil_pose_identity();
    const bool piece = block >= 0 && tree->block[block].kind == FIL_BLOCK_PIECE;
    const double along = piece ? tree->block[block].along : 1.0;
    const int last = piece ? tree->block[block].parent : block;
    for (int b = last; b >= 0; b = tree->block[b].parent) {
        FilPose step, all;
        step_pose(&tree->block[b], q, b == last ? along : 1.0, &step);
        fil_pose_compose(&all, &step, pose);
        *pose = all;
    }
}

void fil_plan_tree_inverse(const FilPlanTree* tree, const double* q, const double* v, const double* change, double h, double* force)
{
    tree_Ways s = {.q = q, .v = v, .h = h};
    tree_Motion motion;
    tree_Frame frames[FIL_PLAN_BLOCKS + 1];
    memcpy(s.w, change, sizeof(double) * (size_t)tree->coordinates);
    tree_tree_motion(tree, &s, FIL_PLAN_VALUES, &motion, frames);
    for (int i = 0; i < tree->coordinates; i++) {
        force[i] = motion.force[i] / h;
    }
}
