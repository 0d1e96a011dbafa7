/* What finds the velocities at the end of a stage: contact models, and what they share.
 *
 * A solver works on bodies with their state, on the contacts that collision found, on joints, and on settings. It knows
 * nothing of the world that these belong to: no names, drives or attachments. */
#ifndef FILUM_SOLVER_SOLVER_H
#define FILUM_SOLVER_SOLVER_H

#include "base/error.h"
#include "base/memory.h"
#include "collision/collision.h"
#include "solver/contact_stage.h"
#include "solver/followers.h"
#include "solver/free_motion.h"
#include "solver/ipc_field.h"
#include "solver/joint.h"
#include "solver/model.h"
#include "solver/potential_stage.h"
#include "solver/velocity.h"

typedef struct FilSolverSettings {
    double dt;         /* s, of a whole step */
    double gravity[3]; /* m/s^2 */
    double newton_tolerance;
    int newton_max_iterations;
    FilLinearisation linearisation;
    int relinearisations;
    double max_depth; /* share of sizes; 0: any */
    bool check_nonlinear;
    FilModelSettings model;
} FilSolverSettings;

/* What a body's free motion, or its last evaluation, came to. */
typedef struct FilBodyMotion {
    FilNewtonReport newton;
    double potential;
    bool done;
    bool at_start; /* no motion was found that contact could be linear about: it is about the velocity at the start */
} FilBodyMotion;

typedef struct FilSolver {
    FilSystem* system;
    FilCollisionStage* collision;
    const FilContactModel* model;
    FilSolverSettings settings;
    FilError* error;        /* where messages go */
    FilWatch* watch;        /* ends a solution early, as not converged; NULL: nobody does */
    bool refused;           /* the step failed with a message of its own: it cannot be done like this at any step size */
    bool exact_motion;      /* free motion is always solved for, whatever its guess: what guesses are compared with */
    bool first_step;        /* nothing has been stepped yet, nor looked at */
    int memory;             /* where models keep FIL_POTENTIAL_MEMORY numbers from step to step in the history */
    double last_dt;         /* s, of the last stage: what impulses are forces over */
    FilBodyMotion* motions; /* per body, of this stage */
    size_t motion_capacity;
    FilJoints joints;
    FilContactStage contact;
    FilFollowers followers;
    FilVelocityStage velocity;
    FilPotentialStage potential;
    FilIpcField ipc;
} FilSolver;

void fil_solver_free(FilSolver* solver);

/* At the beginning of a world's step, which may have many sub-steps and stages: their first analyses depend on nothing before
 * them, so that a restored world goes on with the same bits. */
void fil_solver_begin(FilSolver* solver);

/* The velocities at the end of a stage, in the system's scratch, and impulses of contacts and joints. Scripted bodies have begun
 * their step, contacts have been found. */
FIL_MUST_CHECK FilStatus fil_solver_solve(FilSolver* solver, const FilStepSetup* setup, FilStepInfo* info);

/* Refuses for good, with a message. */
FilStatus fil_solver_refuse(FilSolver* solver, const char* format, ...) FIL_PRINTF(2, 3);

static inline FilStatus fil_solver_reserve(void** array, int count, int* capacity, size_t size)
{
    return fil_array_reserve(array, count, capacity, size) ? FIL_OK : FIL_OUT_OF_MEMORY;
}

#endif
