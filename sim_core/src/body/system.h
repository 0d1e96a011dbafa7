/* The bodies of a world with their state: what collision and the solvers work on. It knows nothing of names, drives, joints or
 * contacts. */
#ifndef FILUM_BODY_SYSTEM_H
#define FILUM_BODY_SYSTEM_H

#include "base/workers.h"
#include "body/kinds.h"

/* How a body takes part in a stage. */
typedef enum FilRest {
    FIL_AWAKE,  /* it is stepped, or is scripted and moves */
    FIL_ASLEEP, /* it rests, and stays where it is */
    FIL_STILL,  /* it is scripted, and stays where it is */
    FIL_ABSENT, /* it is left out */
} FilRest;

typedef struct FilBody {
    const FilBodyOps* ops;
    void* impl;
    char* name;
    int q, q_count; /* its range of each state array */
    int v, v_count;
    int h, h_count;
    bool moves; /* has unknowns */
    FilRest rest;
    int quiet; /* where FIL_REST_SIZE numbers about its rest stand in the history (world/sleep.h); -1: it never sleeps */
} FilBody;

/* Positions, velocities, history, the last step's change of velocity by free motion (where Newton starts from), the force of
 * contacts and joints on every unknown over the last step (what velocity-level models linearise about; zero under others), and
 * the controls of attachments and drives, which belong to the world. */
typedef struct FilState {
    double *q, *v, *h, *change, *push, *controls;
} FilState;

/* Vectors over the unknowns of all bodies. */
typedef struct FilNewtonScratch {
    double *residual, *direction, *trial, *weight, *scale, *push, *solution;
} FilNewtonScratch;

typedef enum FilStateRole {
    FIL_STATE_NOW,
    FIL_STATE_NEXT,    /* being made by the current sub-step */
    FIL_STATE_INITIAL, /* what reset returns to */
    FIL_STATE_SAVED,   /* the step's start, once it is divided; until then only what a step writes in place */
    FIL_STATE_ORIGIN,  /* where a sub-step of two stages begins, during the second ... */
    FIL_STATE_MIDDLE,  /* ... and where its first stage ended; `change` leads there from the state in a stage's time */
    FIL_STATE_AHEAD,   /* where a stage would end with the velocities of its start, which are its `change` */
    FIL_STATE_COUNT,
} FilStateRole;

typedef struct FilSystem {
    FilWorkers* workers; /* who share the loops of a step; NULL: nobody. Borrowed */
    int body_count, body_capacity;
    int largest; /* body of those that share loops of their own; -1: none */
    FilBody* bodies;
    int q_count, v_count, h_count, control_count;
    int q_capacity, v_capacity, h_capacity, control_capacity, scratch_capacity;
    union {
        FilState states[FIL_STATE_COUNT];
        struct {
            FilState state, next, initial, saved, origin, middle, ahead;
        };
    };
    bool staged;          /* the current sub-step has two stages */
    bool halfway;         /* it is one of the midpoint rule: forces are those half-way */
    bool in_second;       /* stage of a sub-step: bodies are at `middle`, and the state is what their inertia goes on from */
    double extrapolation; /* in it: how many times the first stage's change of velocities, errors included, that is */
    FilNewtonScratch scratch;
} FilSystem;

/* Of a zeroed one: its arrays are there before its first body. */
FIL_MUST_CHECK FilStatus fil_system_begin(FilSystem* system);
void fil_system_free(FilSystem* system);

/* Takes over `impl` and a copy of `name`. Its initial state becomes the body's part of every state. On failure `impl` is destroyed. */
FIL_MUST_CHECK FilStatus fil_system_add_body(FilSystem* system, FilBodyKind kind, void* impl, int q_count, int v_count, int h_count, const char* name,
                                             int* index);
/* Room for more numbers of the history, zero at first, from *first on. */
FIL_MUST_CHECK FilStatus fil_system_add_memory(FilSystem* system, int count, int* first);
/* Room for `count` more controls, zero at first, in front of those from `at` on. */
FIL_MUST_CHECK FilStatus fil_system_add_controls(FilSystem* system, int at, int count);

/* Whether two bodies have operations for both at once (FilBodyPairOps), and go together in the step that they have begun. */
bool fil_bodies_go_together(const FilBody* a, const FilBody* b);
/* evaluate() of one body, or of two that go together. */
void fil_bodies_evaluate(const FilBody* const* bodies, int count, const double* const* v, const double* shift, double* const* residual,
                         double* potential, bool* in_reach);

/* Does work on all bodies, by index, in chunks that the workers share; a body that is most of the system by itself, whose own loops they share then.
 * Bodies must not touch each other's data in it. */
void fil_system_run(FilSystem* system, FilWork* work, void* context);
/* The same for what only copies a body's numbers, or little more: chunks are longer, and one thread does them where there are few. */
void fil_system_run_short(FilSystem* system, FilWork* work, void* context);
/* Scratch of a body that no other uses: solution and push stand at its unknowns, the others begin with its own. `used`: unknowns of another whose
 * scratch the same thread uses at the same time. */
FilNewtonScratch fil_system_scratch(const FilSystem* system, int body, int used);

/* Copies so many numbers, many by pieces that workers share; not from inside a loop of theirs. */
void fil_system_copy(const FilSystem* system, double* to, const double* from, int count);
void fil_system_copy_state(const FilSystem* system, const FilState* to, const FilState* from);
/* The same of one body, its targets apart. */
void fil_system_copy_body(const FilSystem* system, int body, const FilState* to, const FilState* from);
void fil_state_swap(FilState* a, FilState* b);
/* Whether positions, velocities and history are finite numbers. */
bool fil_system_is_finite(const FilSystem* system, const FilState* state);

/* The next state of all bodies, from the velocities in the scratch: each body's own, or what it was if it sleeps. False if a number is not finite. */
bool fil_system_finish(FilSystem* system);

/* Where bodies are when the current stage begins: positions, velocities, and the velocity of unknown k that leads there
 * from the state. */
static inline const double* fil_start_q(const FilSystem* system)
{
    return system->in_second ? system->middle.q : system->state.q;
}

static inline const double* fil_start_v(const FilSystem* system)
{
    return system->in_second ? system->middle.v : system->state.v;
}

static inline double fil_start_rate(const FilSystem* system, int k)
{
    return system->in_second ? system->middle.change[k] : 0.0;
}

#endif
