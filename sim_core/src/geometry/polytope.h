/* A convex polytope of triangles that grows by one point at a time; under convex hulls and penetration depths.
 *
 * The owner brings the memory and the points, and names a face that sees the new point. Faces know their neighbours,
 * so a growth costs as much as the faces it replaces. Slots of replaced faces are used again: a polytope of n points
 * never needs more than 2 n face slots. */
#ifndef FILUM_GEOMETRY_POLYTOPE_H
#define FILUM_GEOMETRY_POLYTOPE_H

#include "base/vec3.h"

typedef struct FilPolytopeFace {
    int vertex[3];    /* counter-clockwise seen from outside; vertex[0] < 0 marks a free slot */
    int neighbour[3]; /* face across the edge from vertex[k] to vertex[(k + 1) % 3] */
    int stamp;        /* of the last growth that saw it */
    double normal[3]; /* outward, unit */
    double offset;    /* normal . x = offset on the plane */
} FilPolytopeFace;

typedef struct FilPolytope {
    const double* points; /* 3 each, borrowed */
    double thickness;     /* m: a point this close to a face's plane does not see the face */
    FilPolytopeFace* faces;
    int face_capacity;
    int face_count; /* slots ever used */

    /* the last growth, valid until the next one; a slot may be in both lists */
    int *gone, *fresh;
    int gone_count, fresh_count;

    /* scratch */
    int *free_slots, *horizon, *edge_from;
    int free_count;
    int stamp;
} FilPolytope;

/* Number of ints of scratch for so many points and faces. */
#define FIL_POLYTOPE_SCRATCH(point_capacity, face_capacity) ((point_capacity) + 6 * (face_capacity))

static inline double fil_polytope_height(const FilPolytopeFace* face, const double* p)
{
    return fil_v3_dot(face->normal, p) - face->offset;
}

static inline bool fil_polytope_alive(const FilPolytopeFace* face)
{
    return face->vertex[0] >= 0;
}

/* Starts from the tetrahedron of four points, which must not be flat. The memory is borrowed. */
void fil_polytope_start(FilPolytope* polytope, const double* points, const int corner[4], double thickness, FilPolytopeFace* faces, int face_capacity,
                        int* scratch);

/* Replaces the faces that point `index` sees, `seen` among them, by faces to it. Returns the number of new faces, or 0
 * with the polytope unchanged when rounding has made the horizon ambiguous or the slots are used up. */
int fil_polytope_grow(FilPolytope* polytope, int index, int seen);

/* Four of the points that span a fat tetrahedron; false when they are all within `thickness` of a plane. */
bool fil_polytope_seed(const double* points, int count, double thickness, int corner[4]);

#endif
