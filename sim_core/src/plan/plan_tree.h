/* Robots, soft arms and free rigid bodies as the planner sees them: one forest of frames, each moved against the one before it by a hinge, a
 * slide or a section of a soft arm.
 *
 * A free body is three slides and three hinges; its angles are counted from an orientation half-way of its task, so that turns of less than
 * 180 degrees stay away from where the angles are singular. */
#ifndef FILUM_PLAN_PLAN_TREE_H
#define FILUM_PLAN_PLAN_TREE_H

#include "plan/plan_arm.h"
#include "plan/stage_problem.h"

/* Joints and sections of all that is planned, at most: room in a struct; more are refused. */
enum { FIL_PLAN_BLOCKS = 20 };

typedef enum FilPlanBlockKind {
    FIL_BLOCK_HINGE,
    FIL_BLOCK_SLIDE,
    FIL_BLOCK_SECTION,
    FIL_BLOCK_PIECE /* a place within a section, which is its parent: without coordinates and inertia of its own */
} FilPlanBlockKind;

/* A frame, and the inertia that moves with it. */
typedef struct FilPlanBlock {
    FilPlanBlockKind kind;
    int parent;                        /* block, -1: the world */
    int first, count;                  /* its coordinates: one, three of a section, none of a piece */
    FilPose rest;                      /* of the joint's frame in the parent's */
    double axis[3];                    /* unit, joint frame */
    double mass, center[3], second[6]; /* block's frame: kg; m; kg m^2, second moments about the centre xx, yy, zz, xy, xz, yz */
    /* of a section: its mass lies in slices */
    double length, shape[9], slice_moment; /* m at rest; (b_x, b_y, e) = shape q, by rows; kg m^2 of all slices in each direction of their disks */
    int slices;
    double along; /* of a piece: fraction of its section */
    /* computed by fil_plan_tree_add */
    int depth, path[FIL_PLAN_SHAPES]; /* coordinates that its frame depends on, those of the world's side first */
} FilPlanBlock;

typedef struct FilPlanTree {
    int blocks, coordinates;
    double gravity[3];
    FilPlanBlock block[FIL_PLAN_BLOCKS];
    double stiffness[FIL_PLAN_COORDINATES], damping[FIL_PLAN_COORDINATES], armature[FIL_PLAN_COORDINATES];
} FilPlanTree;

/* Adds a block behind its parent; its number, or -1 if there is no room for it: too many blocks or coordinates, or too long a chain. */
int fil_plan_tree_add(FilPlanTree* tree, const FilPlanBlock* block);

/* Second moments of an inertia (about the same point, by rows): half its trace less itself. */
void fil_plan_second_moments(const double* inertia, double* second);

/* The block's pose at coordinates q; -1: the world's. */
void fil_plan_tree_pose(const FilPlanTree* tree, const double* q, int block, FilPose* pose);

/* Generalised force of the equations of motion: M dv/h + Coriolis + gravity, at q and v (inverse dynamics); springs, damping and armature
 * are not in it. */
void fil_plan_tree_inverse(const FilPlanTree* tree, const double* q, const double* v, const double* change, double h, double* force);

#endif
