/* A batch's inside. */
#ifndef FILUM_BATCH_BATCH_DATA_H
#define FILUM_BATCH_BATCH_DATA_H

#include "base/workers.h"
#include "filum/batch.h"

/* Where an input's numbers go, in one world. */
typedef struct FilBatchOutlet {
    FilId id;
    int part; /* joint or chamber */
} FilBatchOutlet;

typedef struct FilBatchInput {
    FilInputKind kind;
    FilJointMode mode;
    int first, size;         /* its numbers of a command */
    FilBatchOutlet* outlets; /* one per world */
} FilBatchInput;

struct FilBatch {
    int count;
    FilWorld** worlds;
    FilWorkers* workers; /* NULL: the caller alone */
    int input_count, input_capacity, input_size, output_size;
    FilBatchInput* inputs;
    double* commands;     /* a row per world: for who commands */
    double* outputs;      /* likewise */
    FilStatus* statuses;  /* one per world, of the call at hand */
    FilError* errors;     /* likewise */
    size_t snapshot_size; /* 0: they differ */
    FilError error;
};

/* Writes the batch's message and returns `status`. */
FilStatus fil_batch_fail(FilBatch* batch, FilStatus status, const char* format, ...) FIL_PRINTF(3, 4);
/* What the worlds' statuses come to: that of the first that failed, with its number and message. */
FilStatus fil_batch_judge(FilBatch* batch);
/* Notes that a world failed, with its own message. */
void fil_batch_note(FilBatch* batch, int index, FilStatus status);

/* Gives a world its command. */
FilStatus fil_batch_command(FilBatch* batch, int index, const double* command);
void fil_batch_free_inputs(FilBatch* batch);

#endif
