/* The problem of all bodies that touch something or are joined: who takes part, where their unknowns stand in it, and the
 * constraints on them. Both families of models use it. */
#ifndef FILUM_SOLVER_CONTACT_STAGE_H
#define FILUM_SOLVER_CONTACT_STAGE_H

#include "contact/contact_set.h"
#include "contact/sap_constraint.h"
#include "linalg/buffer.h"

typedef struct FilContactStage {
    /* which bodies take part: where their variables and their blocks stand in the problem; -1: not */
    int *offset, *first_block;
    int* column_of;    /* of each block of the world's velocities: its column in the problem; -1: it takes no part */
    bool* takes_part;  /* as chosen in this stage */
    bool* pushed;      /* linearised about a motion under the last step's impulses */
    FilInts own_count; /* constraints on its own unknowns that each body has in force; ... */
    int own_total;     /* ... of all */
    int offset_capacity, first_block_capacity, column_of_capacity, takes_part_capacity, pushed_capacity;
    bool active; /* something touches or is joined in this step */
    bool pattern_ready;
    int patterns; /* how often the pattern has been built */
    int column_count, block_count;
    int *start, *row;
    bool* weak; /* blocks that preconditioners may leave out (FilBodyOps.weak_blocks) */
    double *values, *v_free, *v;
    double* push; /* impulse under which v_free moves: no part of the motion without contact */
    int column_capacity, block_capacity;

    FilSapConstraint* constraints; /* of contacts, of joints, of bodies on their own */
    double* impulses;
    int constraint_count, constraint_capacity, impulse_capacity;
    int first_own;      /* constraint of bodies on their own */
    FilContactSet rows; /* Jacobian blocks of contacts and joints, on the problem's variables; no contacts */
} FilContactStage;

struct FilSolver;

void fil_contact_stage_free(FilContactStage* stage);

/* Before free motion: decides from the contacts found and the joints which bodies take part, and makes room for them. */
FIL_MUST_CHECK FilStatus fil_contacts_prepare(struct FilSolver* solver);

/* After a body's motion about which the problem is linearised, while its tangent is at hand: takes it in, if the body takes part,
 * and what pushed it in that motion. */
void fil_contacts_take(struct FilSolver* solver, int body);

#endif
