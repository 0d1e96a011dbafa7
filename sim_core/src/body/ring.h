/* The body kind "ring": one point bound to a track of rods, or a hole of a rigid body that they pass. Its unknowns, if it has any, are (x, y, z,
 * idle); the binding itself is a potential of the contact model. History: whether it is threaded, where on the track, and whether it stuck there. */
#ifndef FILUM_BODY_RING_H
#define FILUM_BODY_RING_H

#include "body/body.h"
#include "geometry/hole.h"

/* History of a ring. */
enum { FIL_RING_THREADED, FIL_RING_PIECE, FIL_RING_U, FIL_RING_STUCK, FIL_RING_HISTORY };

typedef struct FilRingBody {
    double mass; /* kg; 0: its point is another body's */
    double initial_q[4], initial_v[4];
    FilTrackPlace initial_place;
    double offset, range, stiffness, friction;
    double radius; /* m, of what the rods pass */
    bool holed;    /* it is a hole of a rigid body */
    FilHole hole;
    double hole_origin[3]; /* m: the body's centre of mass in its own frame, from which the hole is measured */

    /* what it is threaded on, and whose point or hole it is: bodies of the world and nodes in them */
    int rod_body, carrier_body, carrier_node;
    int* nodes;  /* of the track */
    int* angles; /* of the edges that start there: the node that holds their angle; -1: they do not twist */
    FilTrack track;

    /* the step */
    FilStepSetup setup;
    const double *q0, *v0, *h0;
    double load[3];
    double place[FIL_RING_HISTORY]; /* at its end; set by the contact model */
} FilRingBody;

extern const FilBodyOps fil_ring_ops;

/* An empty ring with room for a track of `count` nodes; NULL when out of memory. */
FilRingBody* fil_ring_create(int count);

#endif
