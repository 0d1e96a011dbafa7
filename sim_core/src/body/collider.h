/* What a body shows to collision: rows of edges (rods) and single shapes. */
#ifndef FILUM_BODY_COLLIDER_H
#define FILUM_BODY_COLLIDER_H

#include "filum/contact.h"
#include "geometry/shape.h"

typedef enum FilColliderKind {
    FIL_COLLIDER_ROW,   /* edges in order along a polyline */
    FIL_COLLIDER_SHAPE, /* one convex shape */
} FilColliderKind;

/* Constant for the life of the body; pointers are the body's. */
typedef struct FilCollider {
    FilColliderKind kind;
    int object;   /* of the body */
    int part;     /* a shape: which part of its object it is: shape of a rigid body or link, disk of an arm, vertex of cloth */
    int carrier;  /* a shape: the object that its own is fixed to; joints keep objects off all that it carries */
    bool movable; /* has unknowns */
    FilCollision collision;
    /* a row */
    int node_count, edge_count;
    bool closed;
    bool twists;         /* its edges turn about themselves */
    const double* radii; /* per edge, m */
    const double* arc;   /* per node and one more, m: length along the row */
    bool boxes;          /* some edges are boxes, not capsules */
    /* a shape */
    FilShape shape;
} FilCollider;

/* Where it is. */
typedef struct FilPlacement {
    const double* nodes;      /* a row: 4 numbers a node, the first three are the position */
    const double* velocities; /* likewise */
    FilPose pose;             /* a shape */
    double speed;             /* m/s, of a shape's fastest point, at most */
    bool has_velocity;        /* a shape: the speed is at most |velocity| + spin */
    double velocity[3], spin; /* m/s */
    bool turns;               /* a half-space that has no fastest point: at x it moves at velocity + turning x (x - pose.p) */
    double turning[3];        /* rad/s */
} FilPlacement;

/* Direction of a row's edge, from its first node to its second, and 1/m, over its length. */
typedef struct FilEdgeAxis {
    double t[3], per_length;
} FilEdgeAxis;

/* m/s, of a shape's points within a distance `around` of x, at most. */
double fil_placement_speed_near(const FilPlacement* place, const double* x, double around);

/* m/s, at which two shapes come closer, at most: what moves along with something does not close in on it. */
double fil_placement_closing(const FilPlacement* a, const FilPlacement* b);

#endif
