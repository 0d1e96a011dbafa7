/* Pairs under IPC in gradients: gradient_ipc.c has barriers, gradient_slide.c friction. */
#ifndef FILUM_WORLD_GRADIENT_IPC_H
#define FILUM_WORLD_GRADIENT_IPC_H

#include "world/gradient.h"
#include "world/gradient_side.h"

static inline const FilWorldCollider* fil_ipc_collider_of(const FilWorld* world, int point)
{
    return &world->collision.colliders[world->solver.ipc.surface.points[point].collider];
}

/* A corner's velocity by its unknowns, how it moves with them, and its part if it is not a node. */
typedef struct FilGradientCorner {
    int size;
    double *jacobian, *move; /* 3 rows each */
    FilGradientMaker maker;
} FilGradientCorner;

FilStatus fil_gradient_refuse_pair(const FilGradient* gradient, const FilIpcPair* pair, const char* why);
/* Unknowns that a corner moves with, at most. */
int fil_gradient_corner_size(const FilWorld* world, int point);
/* Corner i of a pair where the state is `at` and points are; `work` has room for 10 rows of its unknowns. */
FIL_MUST_CHECK FilStatus fil_gradient_take_corner(FilGradient* gradient, const FilState* at, const FilIpcPair* pair, int i, double* work,
                                                  int* unknown, FilGradientCorner* corner);
/* Whether a pair is of a rim and a face that moves, and turns the rim's points with it. */
bool fil_gradient_on_moving_face(const FilWorld* world, const FilIpcPair* pair);

/* Where a rim's point is counted from goes around with the plane. */
void fil_gradient_take_rim(const FilWorld* world, int point, const double* q, FilTouch* touch);
/* Bodies that are no points begin a step at a state, or where they have just begun one. */
FIL_MUST_CHECK FilStatus fil_gradient_begin_bodies(FilGradient* gradient, const FilState* at, bool prepare);
/* How a pair's share is to be differentiated: where x has its points, at the start or (`guess`) where the step looked first. */
typedef struct FilGradientShare {
    const FilIpcPair* pair;
    const double* x;
    bool guess;
    const FilState* at; /* with `guess`: bodies that are no points have begun there, prepared, and do so again */
    double* work;       /* 7 rows of the unknowns of a corner */
} FilGradientShare;

/* Appends `scale` times how it follows its points. */
FIL_MUST_CHECK FilStatus fil_gradient_share_append(FilGradient* gradient, const FilGradientShare* share, double scale);
/* Whether edges share a pair: the least that they have is constant, too (solver/ipc_list.c). */
static inline bool fil_ipc_is_shared(const FilIpcPair* pair)
{
    return pair->share > 0.05 && pair->share < 1.0;
}

#endif
