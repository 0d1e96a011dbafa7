/* Contacts of one step: what collision finds and every contact model reads. A contact is one point with a normal, a
 * signed distance, a material and one Jacobian, wherever it comes from (closest points, or a cell of a pressure patch).
 * Velocity-level models (SAP, LCP) take the relative velocity J v + bias; potential-level ones (IMC, IPC) take the
 * distance, whose gradient is the Jacobian's last row. */
#ifndef FILUM_CONTACT_CONTACT_SET_H
#define FILUM_CONTACT_CONTACT_SET_H

#include "filum/base.h"

#define FIL_CONTACT_SCENERY (-1) /* body index of a side that no body owns */

typedef struct FilContact {
    /* who: sides 0 and 1 */
    int body[2];      /* index in the world, or FIL_CONTACT_SCENERY */
    int collider[2];  /* index in the world: the rod or the shape */
    int part[2];      /* edge of a rod, shape or face of a body */
    int before;       /* of the node where a rod's edge begins, as an end of that and of the edge before: 1 + which that is; 0: of one edge */
    uint64_t feature; /* of this pair of features: stays the same from step to step */

    /* where, world frame */
    double point[3]; /* m, midway between the surfaces */
    double frame[9]; /* rows t1, t2, n; n points from side 0 to side 1 */
    double distance; /* m, along n, at the step's start; < 0 when penetrating */
    bool ended;      /* distance and point are those of the step's end: the model has looked again */

    /* what of */
    double mu;
    double stiffness;        /* N/m; INFINITY: rigid */
    double dissipation_time; /* s */
    double hunt_crossley;    /* s/m, lagged SAP */
    double area;             /* m^2, of a pressure patch; 0: a point */
    double size;             /* m, of the smaller part: half its least extent, a rod's radius; INFINITY: no part has any */
    bool redundant;          /* of a rod's edge: loads that alternate from edge to edge push no node, so rigid surfaces leave them open */
    double depth;            /* m: near-rigid contact is regularised for penetrations up to this, and harder beyond */

    /* relative velocity of side 1 against side 0 in the frame: J v + bias */
    int first_block, block_count; /* J, a range of the set's blocks */
    bool plain;                   /* of two round edges: the blocks are their ends, and J has not been filled in */
    double bias[3];               /* m/s, of what has no unknowns, such as scripted bodies */
    double normal_velocity;       /* m/s, at the step's start */

    /* what came of it: computed by the contact model */
    double impulse[3]; /* N s on side 1, in the frame */
} FilContact;

typedef struct FilContactSet {
    FilContact* contacts;
    int count, capacity;
    /* Jacobian blocks: three rows of four times one block variable (linalg/block_matrix.h) */
    int* variable;
    double* jacobian; /* 12 per block */
    int block_count, block_capacity;
} FilContactSet;

void fil_contact_set_free(FilContactSet* set);
void fil_contact_set_clear(FilContactSet* set); /* keeps the memory */

/* Appends a contact of zeros, whose Jacobian is empty until fil_contact_set_add_block(); it may move when the next
 * comes. NULL when out of memory. Allocates to grow. */
FilContact* fil_contact_set_new(FilContactSet* set);
/* Makes the set of so many contacts and blocks, with old ones kept and new ones to be written. False when out of memory. */
FIL_MUST_CHECK bool fil_contact_set_extend(FilContactSet* set, int count, int block_count);
/* Appends a copy of `contact` likewise. */
FIL_MUST_CHECK FilStatus fil_contact_set_add(FilContactSet* set, const FilContact* contact);

/* Appends a block to the Jacobian of the contact added last: 12 numbers by rows, on block variable `variable`. */
FIL_MUST_CHECK FilStatus fil_contact_set_add_block(FilContactSet* set, int variable, const double* jacobian);

/* Makes the contact added last a plain one on the block variables of its edges' four ends. */
FIL_MUST_CHECK FilStatus fil_contact_set_add_ends(FilContactSet* set, const int variable[4]);

/* Appends a block that belongs to no contact: rows of other constraints kept beside. */
FIL_MUST_CHECK FilStatus fil_contact_set_push_block(FilContactSet* set, int variable, const double* jacobian);

/* u = J v + bias in the contact's frame, v over the block variables. */
void fil_contact_velocity(const FilContactSet* set, const FilContact* contact, const double* v, double* u);

/* Force (N) and torque about `about` (N m), world frame, that the contact puts on `side` (0 or 1) over dt. */
void fil_contact_wrench(const FilContact* contact, int side, const double* about, double dt, double* force, double* torque);

#endif
