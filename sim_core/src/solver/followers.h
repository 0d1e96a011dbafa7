/* Followers: vertices that a weld of many holds to a moving body are no unknowns. With v_f = J v_b + b of a vertex f on body b, the
 * problem in the other unknowns has the tangent P' A P and the momenta P' (push + A d), where P puts J in the place of f and
 * d = J v_b* + b - v_f* is how far the free motions are apart. What the weld does to f is what its own momentum equation lacks. */
#ifndef FILUM_SOLVER_FOLLOWERS_H
#define FILUM_SOLVER_FOLLOWERS_H

#include "contact/sap.h"
#include "linalg/buffer.h"
#include "solver/contact_stage.h"

typedef struct FilFollower {
    int variable;       /* of the problem */
    int joint, point;   /* of the solver, of the solid's blocks */
    int first, count;   /* its parts: blocks that it moves with */
    bool auxiliary;     /* the last of them is itself: its fourth number stays an unknown */
    double bias[3];     /* m/s */
    double reaction[3]; /* N s, on it */
} FilFollower;

typedef struct FilFollowers {
    FilFollower* items;
    int count;
    bool* folded; /* per joint */
    size_t capacity, folded_capacity;
    FilInts part_variable;
    FilDoubles part_jacobian; /* 16 each: by rows */
    int part_count;
    FilInts of_variable; /* its follower, -1: none */

    /* the folded problem */
    int patterns;              /* which of the stage's this is of; 0: none */
    FilInts pattern_variables; /* of followers and parts when it was made */
    int pattern_variable_count;
    FilInts start, row, slots; /* slots: where blocks without followers went, -1 of others */
    FilDoubles values, v_free, push, v, momentum, apart;
    FilContactSet rows;
    FilSapConstraint* constraints;
    void* keys;
    size_t constraint_capacity, key_capacity;
} FilFollowers;

struct FilSolver;

void fil_followers_free(FilFollowers* followers);

/* Whether a joint's points follow in this stage; its rows are left out then. */
bool fil_followers_hold(const FilFollowers* followers, int joint);

/* Before constraints are added: who follows whom in a stage of dt. */
FIL_MUST_CHECK FilStatus fil_followers_choose(struct FilSolver* solver, double dt);

/* Before the free motion of a body: its followers go with whom they follow, as that moves at the step's start; loose, light ones would go
 * far, and the problem would be linearised there. False if it has none. */
bool fil_followers_lead(struct FilSolver* solver, int body);
/* After it: what the body's momentum equations lack there, as its push. False if v is out of reach. */
bool fil_followers_let_go(struct FilSolver* solver, int body);

/* Once all tangents and constraints are in place: the problem without followers. Nothing to do if there are none. */
FIL_MUST_CHECK FilStatus fil_followers_fold(struct FilSolver* solver, FilSapProblem* problem);

/* Velocities of all from those of the folded problem, and what welds did to followers, less the impulses that contacts gave them, which
 * stand in `impulses` on the stage's variables; these then have the welds' too. */
void fil_followers_unfold(struct FilSolver* solver);
void fil_followers_react(struct FilSolver* solver, double* impulses);

/* Adds to forces and torques of the joints. */
void fil_followers_collect(struct FilSolver* solver, double dt);

#endif
