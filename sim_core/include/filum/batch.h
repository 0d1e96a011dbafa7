/* Batches: many worlds, stepped together by a pool of threads. docs/batches.md has examples.
 *
 * A batch owns its worlds. They share nothing, and each is stepped by one thread at a time, alone: the bits of world k are those that
 * the same calls on it give outside of a batch, for any number of threads. Arrays have a row per world, row after row. A batch is for
 * one thread at a time. What fails in one world is reported with its number; the others go on. */
#ifndef FILUM_BATCH_H
#define FILUM_BATCH_H

#include "filum/state.h"
#include "filum/world.h"

FIL_API_BEGIN

/* Many worlds and the threads that step them. */
typedef struct FilBatch FilBatch;

/* What a batch is made with. */
typedef struct FilBatchDef {
    int count;   /* of worlds, up to a million */
    int threads; /* that share the work, the caller's own included, up to 256; 0: one for each processor */
    /* Makes world `index`, which the batch takes over. Called by all threads of the pool, several at a time. */
    FilStatus (*make)(void* context, int index, FilWorld** world, FilError* error);
    void* context;
} FilBatchDef;

FilBatchDef fil_batch_def_default(void);

/* Worlds may differ in their parameters, but not in how many probes they have. Each gets one thread of its own, whatever its
 * definition says. On failure `error` names the first world that could not be made. */
FIL_MUST_CHECK FilStatus fil_batch_create(const FilBatchDef* def, FilBatch** batch, FilError* error);
void fil_batch_destroy(FilBatch* batch); /* with its worlds; NULL is fine */

/* The message of the last call on this batch that did not return FIL_OK. */
const char* fil_batch_error(const FilBatch* batch);
int fil_batch_count(const FilBatch* batch);
int fil_batch_threads(const FilBatch* batch); /* that share the work: fewer than asked for where the system gives no more */
/* World `index`, to be looked at, commanded and given parameters between calls on the batch; NULL beyond the last. Nothing may be
 * added to it. */
FilWorld* fil_batch_world(const FilBatch* batch, int index);

/* ---- inputs: what commands move ---- */

/* What an input of a batch sets. */
typedef enum FilInputKind {
    FIL_INPUT_DRIVE,   /* as many numbers as the drive's kind has: fil_drive_set() */
    FIL_INPUT_JOINT,   /* a joint of a robot: its position, velocity or effort, by the mode: fil_robot_set_joint_command() */
    FIL_INPUT_CHAMBER, /* Pa, of a chamber of an arm: fil_arm_set_pressure() */
} FilInputKind;

/* An input: a number for each world before each step. */
typedef struct FilInputDef {
    FilInputKind kind;
    const char* name;  /* of the drive, robot or arm */
    const char* joint; /* JOINT, with the robot's prefix */
    FilJointMode mode; /* JOINT */
    int chamber;       /* CHAMBER */
} FilInputDef;

FilInputDef fil_input_def_default(void);

/* Every world must have it. Its numbers follow those of the inputs before. Allocates. */
FIL_MUST_CHECK FilStatus fil_batch_add_input(FilBatch* batch, const FilInputDef* def);
int fil_batch_input_size(const FilBatch* batch);  /* numbers of a command: a row of all inputs */
int fil_batch_output_size(const FilBatch* batch); /* numbers of an output: all probes of a world, in their order */

/* ---- running ---- */

/* What commands a world in a period, from its outputs at the period's start. Called by the thread that steps the world: what it looks
 * at beside must bear that. `command` has the last period's numbers, zero at first. Anything but FIL_OK ends this world's rollout. */
typedef FilStatus FilBatchControl(void* context, int index, int period, const double* output, double* command);

/* Pointers are borrowed for the call only. */
typedef struct FilRolloutDef {
    int periods;              /* a command holds for a period ... */
    int steps;                /* ... of this many steps */
    const double* commands;   /* world by world: `periods` rows of inputs. NULL: inputs are left as they are */
    FilBatchControl* control; /* or who commands; NULL: nobody */
    void* context;
    const bool* active;   /* a flag per world: the others stay as they are. NULL: all */
    double* outputs;      /* world by world: `periods` + 1 rows, at the start and after each period; not-a-number after a failure. May be NULL */
    double* positions;    /* the same of fil_world_positions(), for worlds that have equally many; may be NULL */
    double* velocities;   /* likewise */
    FilStatus* statuses;  /* one per world; may be NULL */
    uint64_t* steps_done; /* one per world; may be NULL */
} FilRolloutDef;

FilRolloutDef fil_rollout_def_default(void); /* one step of all worlds */

/* Steps all worlds, each through all of its periods. FIL_OK if none failed; else the status of the first one that did, and a message that
 * begins with its number. Allocates nothing but what the worlds' steps do. */
FIL_MUST_CHECK FilStatus fil_batch_rollout(FilBatch* batch, const FilRolloutDef* def);

/* ---- states ---- */

/* Bytes of a snapshot; 0 if the worlds' differ: their parameters have made other worlds of them. */
size_t fil_batch_snapshot_size(const FilBatch* batch);
FIL_MUST_CHECK FilStatus fil_batch_save(FilBatch* batch, void* snapshots); /* one per world, in a row */
/* `stride`: bytes from a world's snapshot to the next one's; 0: one snapshot for all. `active` as in a rollout. A world that
 * refuses its snapshot stays as it was. */
FIL_MUST_CHECK FilStatus fil_batch_restore(FilBatch* batch, const void* snapshots, size_t stride, const bool* active);
FIL_MUST_CHECK FilStatus fil_batch_reset(FilBatch* batch, const bool* active); /* to the states before their first steps */
/* fil_world_hash() of each. */
void fil_batch_hashes(const FilBatch* batch, uint64_t* hashes);

FIL_API_END

#endif
