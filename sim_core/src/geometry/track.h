/* A smooth curve along a row of nodes, the point of it that is closest to another point, and where it crosses a plane.
 *
 * The curve is a quadratic B-spline: piece i runs from the middle of the edge before node i to the middle of the edge
 * after it, c(u) = (1-u)^2/2 x_{i-1} + (1/2 + u - u^2) x_i + u^2/2 x_{i+1}, so that a point sliding along it meets no
 * corners. It stays within an eighth of the second difference of the nodes. At an end the last half edge is straight;
 * beyond an open end it goes on straight, at a closed one the curve stops. Nothing here allocates. */
#ifndef FILUM_GEOMETRY_TRACK_H
#define FILUM_GEOMETRY_TRACK_H

#include <stdbool.h>

typedef struct FilTrack {
    int count;       /* nodes */
    bool loop;       /* the last node is followed by the first */
    bool open[2];    /* the curve goes on beyond its first, its last node */
    const int* node; /* which node of the array of positions each is */
} FilTrack;

/* Where on the track: piece and parameter. */
typedef struct FilTrackPlace {
    int piece;
    double u;
} FilTrackPlace;

/* A point p against the curve: r = p - c = sum w_i x_i over p and the piece's nodes. */
typedef struct FilTrackPoint {
    int node[4];                                     /* in the array of positions; those of weight 0 may repeat */
    double weight[5], change[5], curve[5], third[5]; /* of p and the nodes: w and its derivatives over u */
    double r[3];
    double slope[3], bend[3], jerk[3]; /* derivatives of r */
    double half_square;                /* |r|^2 / 2 */
    bool held;                         /* u stands at a closed end */
    bool past;                         /* beyond an open end */
    int beyond;                        /* crossings: the end that it is beyond: -1 the first, 1 the last, 0 none ... */
    double over;                       /* ... and by how much, in u */
} FilTrackPoint;

/* The place closest to p in the neighbourhood of `place`, which it overwrites; positions have 4 numbers a node. */
void fil_track_closest(const FilTrack* track, const double* positions, const double* p, FilTrackPlace* place, FilTrackPoint* out);

/* track_crossing.c: where a curve crosses the plane through p across `axis`, r . axis = 0, in the neighbourhood of
 * `place`, which it overwrites; dr/du . axis is positive there. That curve is a cubic B-spline of four nodes, and goes
 * on straight beyond every end. False: it crosses nowhere so. */
bool fil_track_crossing(const FilTrack* track, const double* positions, const double* p, const double* axis, FilTrackPlace* place,
                        FilTrackPoint* out);

/* The closest place of all: for beginnings. */
FilTrackPlace fil_track_search(const FilTrack* track, const double* positions, const double* p);

/* Gradient and Hessian of half the squared distance over (p, nodes), 12 and 12 x 12 numbers. `positive`: only the part
 * of the Hessian that is positive semi-definite, with the closest place moving along but the curve not bending. */
void fil_track_gradient(const FilTrackPoint* point, double* gradient);
void fil_track_hessian(const FilTrackPoint* point, bool positive, double* hessian);

/* Length along the nodes from the first one to a place, m. */
double fil_track_length(const FilTrack* track, const double* positions, FilTrackPlace place);

#endif
