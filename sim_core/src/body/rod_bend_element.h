/* Elements of a rod's elastic energy whose Hessian K is differentiated: a hinge, and an edge's stretch. Numbers of an edge are its vector and its
 * angle, four; of a hinge eight. Angles turn frames on top of parallel transport. */
#ifndef FILUM_BODY_ROD_BEND_ELEMENT_H
#define FILUM_BODY_ROD_BEND_ELEMENT_H

#include <stdbool.h>

#include "body/rod_hinge.h"

/* Where its numbers are: its nodes' unknowns and its angle's (-1: none). first < 0: it is held, and does not move. */
typedef struct FilBendEdge {
    int first, next, angle;
} FilBendEdge;

/* A block of unknowns and how it moves a hinge's edges: number k of these by unknown k % 4 of it. */
typedef struct FilBendNode {
    int block;
    double moves[8];
} FilBendNode;

typedef struct FilBendHinge {
    FilBendEdge edge[2];
    FilBendNode nodes[6];
    int node_count; /* three, but where rods share nodes */
    bool in_line;   /* these are the first edge's own, which turns it, that between the edges, which turns the second, and the last */
    Frame1 frame[2];
    bool frameless; /* of a cord: bends alike in all directions, without twist */
    HingeLaw1 law;
    KnownTwist1 known;
    double z[8];        /* v - v^ */
    double damped;      /* share of the strains at the start in where they rest */
    double start[3][8]; /* gradients of the strains there, if that is not zero */
} FilBendHinge;

/* Energy k (l - natural)^2 / 2. */
typedef struct FilBendStretch {
    FilBendEdge edge;
    double t[3], inverse; /* direction and 1 / length */
    double stiffness, natural;
    double z[3];
    double damped, start[3]; /* share of the start's length in the natural one, and the start's direction */
} FilBendStretch;

/* change = D_y K, where strains rest at `rest` more. */
void fil_bend_vary(const FilBendHinge* hinge, const double* y, const double* rest, double change[8][8]);
/* The derivative of <weight, K> by y, of a hinge that is frameless; the weights are symmetric. */
void fil_bend_vary_back(const FilBendHinge* hinge, double weight[8][8], double* y);
/* Of others, one in each lane: and by where the strains rest. */
void fil_bend_vary_back_lanes(const FilBendHinge* const hinges[FIL_LANE_COUNT], FilLanes weight[8][8], FilLanes y[8], FilLanes rest[3]);
/* The same of an edge, of its vector only, with the natural length. */
void fil_bend_vary_stretch(const FilBendStretch* stretch, const double* y, double rest, double change[3][3]);
void fil_bend_vary_stretch_back(const FilBendStretch* stretch, double weight[3][3], double* y, double* rest);

#endif
