/* Runs checks: one after the other in this process, or several at a time in processes of their own. */
#ifndef FILUM_TOOLS_VALIDATE_RUNNER_H
#define FILUM_TOOLS_VALIDATE_RUNNER_H

#include "validate/report.h"

typedef struct FilCheckOutcome {
    FilCheck check;
    bool finished;    /* false: not picked, or stopped before its end */
    double wall, cpu; /* s; cpu: of all its threads */
} FilCheckOutcome;

typedef struct FilCheckRunDef {
    const FilCheckCase* table;
    const bool* picked; /* which of the table */
    int count;          /* of the table */
    int jobs;           /* processes at a time; 0: all in this one */
    const char* folder; /* where checks leave figures; NULL: nowhere */

    /* called once for every outcome, in the order of the table, as soon as it and those before it are there */
    void (*report)(void* context, const FilCheckCase* check, const FilCheckOutcome* outcome);

    /* called when a check has finished, whichever still run before it; may be NULL */
    void (*finished)(void* context);
    void* context; /* of both */
} FilCheckRunDef;

/* Fills outcomes[count], which must be zero; their checks belong to the caller. The slowest begin first where there are
 * several processes. A check whose process crashes has failed, and its failure says how. Ends early when a stop is
 * requested (fil_stop_on_signals): processes under way are ended, what has finished is reported. Progress goes to
 * stderr if that is a terminal. Returns how many have finished. */
int fil_checks_run(const FilCheckRunDef* def, FilCheckOutcome* outcomes);

#endif
