/* Rings that slide on rods (P4 sec. 2.3), under the contact model "ipc".
 *
 * A ring is one point that the potential -K g^2 log(1 - g / range) keeps near the rod's centre line; g is its distance
 * from the line less `offset`, the play that a ring of that radius has. The point is a mass of its own, or a node of
 * another rod or a shell: then the ring adds no unknowns. Friction along the rod is Coulomb's with the normal force at
 * the step's start. A ring that passes a free end has fallen off for good; an end that is held stops it.
 *
 * Or a ring is the round hole of a rigid body: the same potential keeps the rod inside the hole, which can tilt, swing
 * and turn. `range` is then the width, inside the rim, in which it acts; friction acts at the rim, along it and along
 * the rod.
 */
#ifndef FILUM_RING_H
#define FILUM_RING_H

#include "filum/base.h"
#include "filum/contact.h"

FIL_API_BEGIN

/* Pointers are borrowed for the call only. */
typedef struct FilRingDef {
    const char* name;  /* unique among rods, rigid bodies and the like; NULL gets "ring<k>" */
    const FilId* rods; /* that it is threaded on, one after the other: the last node of each is the first of the next */
    int rod_count;
    double mass;        /* kg; of a ring that is a point of its own */
    FilVec3 position;   /* m, of such a ring; settled: moved to where the rod carries its weight */
    FilVec3 velocity;   /* m/s, of such a ring */
    bool settled;       /* such a ring: starts where the rod carries its weight */
    FilId carrier;      /* or: a rod or shell ... */
    int node;           /* ... and which of its nodes is the ring; or: a rigid body ... */
    FilVec3 hole;       /* m: ... and where the centre of its hole is, body frame, ... */
    FilVec3 hole_axis;  /* ... which way the rod passes it or the opposite way, of any length, ... */
    double hole_radius; /* m: ... and how wide it is */
    double offset;      /* m */
    double range;       /* m: the farthest that the point may be from the rod, beyond the offset */
    double stiffness;   /* N/m: K */
    double friction;    /* Coulomb coefficient */
} FilRingDef;

FilRingDef fil_ring_def_default(void);

/* Adds a ring. Allocates. Refused if its point starts out of range. */
FIL_MUST_CHECK FilStatus fil_world_add_ring(FilWorld* world, const FilRingDef* def, FilId* ring);

int fil_world_ring_count(const FilWorld* world);
FilId fil_world_ring_at(const FilWorld* world, int index);
FilId fil_world_find_ring(const FilWorld* world, const char* name); /* null id if there is none */
const char* fil_ring_name(const FilWorld* world, FilId ring);

double fil_ring_radius(const FilWorld* world, FilId ring); /* m: of its hole; without one, of the widest rod and the offset's play */

FilId fil_ring_body(const FilWorld* world, FilId ring); /* the rigid body whose hole it is; null id: it has none */

/* State. None of these allocates. */
FilVec3 fil_ring_position(const FilWorld* world, FilId ring); /* m, of its point or the centre of its hole */
FilVec3 fil_ring_velocity(const FilWorld* world, FilId ring); /* m/s */
FilVec3 fil_ring_axis(const FilWorld* world, FilId ring);     /* unit: of its hole; without one, of the rod where it is; z when it has fallen off */
bool fil_ring_threaded(const FilWorld* world, FilId ring);    /* false: it has fallen off */
double fil_ring_distance(const FilWorld* world, FilId ring);  /* m, from the rod's line; 0 when it has fallen off */
double fil_ring_travel(const FilWorld* world, FilId ring);    /* m, along the rods from their first node */
double fil_ring_force(const FilWorld* world, FilId ring);     /* N, normal, between ring and rod */
double fil_ring_energy_stored(const FilWorld* world, FilId ring); /* J, in its potential */

FIL_API_END

#endif
