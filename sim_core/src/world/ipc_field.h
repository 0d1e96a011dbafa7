/* The contact model "ipc": rings on rods and barriers between surfaces, as one field of the potential stage (P4). */
#ifndef FILUM_WORLD_IPC_FIELD_H
#define FILUM_WORLD_IPC_FIELD_H

#include "contact/potential.h"
#include "geometry/track.h"
#include "linalg/block_sum.h"

/* A ring in a step. */
typedef struct FilRingTerm {
    int body;                  /* of the world */
    double normal_force;       /* N, at the step's start: what friction follows */
    double tangent[3];         /* of the rod there */
    double weight[4];          /* of ring and nodes in their relative velocity there */
    int lagged[4];             /* blocks of the world's velocities, for friction */
    int block[4];              /* for the potential, as of the last accepted v */
    FilTrackPlace place;       /* at the last accepted v */
    int first;                 /* where its variables begin in the lists */
    int local[8];              /* which variable of its list each of block and lagged is */
} FilRingTerm;

typedef struct FilIpcField {
    double dt;
    FilDoubles x; /* positions of a trial, as long as q: of bodies that are points */
    FilRingTerm* rings;
    int ring_count, ring_capacity;
} FilIpcField;

struct FilWorld;

extern const FilPotentialModel fil_ipc_model;

void fil_ipc_field_free(FilIpcField* field);

/* ring_field.c: the same for rings alone. */
FilStatus fil_rings_begin(struct FilWorld* world);
double fil_rings_add(struct FilWorld* world, const double* v, double* residual);
/* Appends the variables of each ring; *end and *variable count them. */
void fil_rings_list(struct FilWorld* world, int* list_end, int* variable, int* lists, int* variables);
void fil_rings_hessian(struct FilWorld* world, const double* v, bool positive, FilBlockSum* sum, int first_list);
void fil_rings_accept(struct FilWorld* world, bool* changed);
void fil_rings_finish(struct FilWorld* world);

#endif
