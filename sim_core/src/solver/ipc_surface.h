/* What bodies show to incremental potentials: points, edges, triangles and planes, with radii around them.
 *
 * Rods are edges with their radius, shells triangles with half their thickness; spheres are lone points, capsules lone
 * edges, boxes, hulls and cylinders (as prisms) triangles of radius zero. Against planes, and faces of boxes and small hulls, a cylinder has its true
 * rims: points around each, counted from where it is lowest, that move along it as it turns. The energy of a rim is then one of its height and
 * inclination alone, so that it rolls, and as the points stand evenly on both sides of the lowest, moving along does no work. Not so where a rim lies
 * flat and a face ends below it: the lowest point goes around there by a touch, and with it which points are beyond the edge. So a step that begins
 * with a rim flat on a face keeps its points where they are on the cylinder. */
#ifndef FILUM_SOLVER_IPC_SURFACE_H
#define FILUM_SOLVER_IPC_SURFACE_H

#include "geometry/bvh.h"
#include "linalg/buffer.h"

/* Sides of the prism that stands for a cylinder, and points of each of its rims. */
enum { FIL_IPC_PRISM = 24 };

typedef struct FilIpcPoint {
    int collider;    /* of the world */
    int node;        /* of a body made of points; -1: fixed to the collider's shape */
    int part[2];     /* of its collider, that meet here */
    int after;       /* of a sheet: which collider it is after that one, its first */
    double local[3]; /* in the shape's frame */
    double radius;   /* m */
    double mass;     /* kg, that a push on it moves; INFINITY: none */
    bool lone;       /* no edge ends here */
    bool prism;      /* of a prism: planes and faces meet its rims instead */
    int rim;         /* 1 + the plane that a rim's point is for, or the face, which are counted after planes; 0: it is none; `local` has cosine and
                      * sine from where it is lowest, ... */
    bool held;       /* ... or in this step from its x axis */
} FilIpcPoint;

typedef struct FilIpcEdge {
    int point[2];
    int collider;
    int part;              /* of its collider */
    bool self;             /* which meets itself, ... */
    uint32_t groups, mask; /* ... and others so (FilCollision) */
    double length;
} FilIpcEdge;

typedef struct FilIpcTriangle {
    int point[3];
    int part;
    int face; /* that it is a piece of; -1: none */
} FilIpcTriangle;

/* A face of a shape, which rims of cylinders meet. */
typedef struct FilIpcFace {
    int collider;
    double normal[3]; /* outward, in the shape's frame */
} FilIpcFace;

typedef struct FilIpcSurface {
    bool ready;
    int body_count; /* when it was made */
    int point_count, edge_count, triangle_count, plane_count, face_count;
    int point_capacity, edge_capacity, triangle_capacity, plane_capacity, face_capacity;
    FilIpcPoint* points;
    int* node_q;     /* of points that are nodes: where they stand in q, ... */
    int* node_block; /* ... and their block of the world's velocities; else -1 */
    int first_shape; /* points before that are nodes */
    FilIpcEdge* edges;
    FilIpcTriangle* triangles;
    int *fan_first, *fan; /* of each point: triangles that meet there, fan[fan_first[p]] to fan[fan_first[p + 1]] */
    int* planes;          /* colliders that are half-spaces */
    FilIpcFace* faces;
    bool turns;              /* some points are on shapes that move: not along lines */
    bool sides_meet;         /* some edges may meet edges, or points triangles: not only lone points and planes something */
    bool shapes_meet_meshes; /* there are points of shapes and triangles that deform */
    double* body_mass;
} FilIpcSurface;

struct FilSolver;

/* Whether a point moves along a rim as that turns. */
static inline bool fil_ipc_goes_around(const FilIpcPoint* point)
{
    return point->rim > 0 && !point->held;
}

void fil_ipc_surface_free(FilIpcSurface* surface);

/* Whether two edges may meet, as far as their groups tell. */
static inline bool fil_ipc_edges_meet(const FilIpcEdge* e, const FilIpcEdge* f)
{
    return e->collider == f->collider ? e->self : (e->groups & f->mask) != 0 && (f->groups & e->mask) != 0;
}

/* Takes in all colliders of the world, once. */
FilStatus fil_ipc_surface_build(struct FilSolver* solver);

/* Lets rims that lie flat on faces at q keep their points on the cylinder, until this is called again. */
void fil_ipc_surface_hold(struct FilSolver* solver, const double* q);

/* Where all points are: x takes 3 numbers each; q is like the world's. */
void fil_ipc_surface_place(const struct FilSolver* solver, const double* q, double* x);

/* Outward normal at q of the plane or face that a rim is for. */
void fil_ipc_rim_normal(const struct FilSolver* solver, int rim, const double* q, double* normal);

/* Outward normal and a point of a plane at q. */
void fil_ipc_plane(const struct FilSolver* solver, int plane, const double* q, double* normal, double* point);

#endif
