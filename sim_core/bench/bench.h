/* The bench: a table of rows, each a scene or a function, measured as the best of several runs.
 *
 * Every row reports accuracy beside speed, wall time and the CPU time of its thread. Numbers that a row does not have
 * are NaN.
 */
#ifndef FILUM_BENCH_H
#define FILUM_BENCH_H

#include "filum/filum.h"

/* ---- clocks ---- */

typedef struct FilBenchClock {
    double wall; /* s, monotonic */
    double cpu;  /* s, of the calling thread */
} FilBenchClock;

FilBenchClock fil_bench_clock(void);
double fil_bench_cpu(void); /* s, of all threads of the process */
FilBenchClock fil_bench_since(FilBenchClock start);

/* ---- what a run adds up to ---- */

typedef struct FilRunTotals {
    uint64_t steps;
    uint64_t newton_iterations;
    uint64_t halved_steps;
    uint64_t regularised;
    uint64_t contact_solves, contact_iterations, contact_failures; /* of the contact model */
    double contacts;                                               /* summed over steps */
    int contacts_max;
    double max_penetration; /* m */
    uint64_t deep_steps;    /* with deep contacts */
    int crossings;          /* of rods and sheets that passed through each other */
    double worst_residual;  /* relative */
    FilTimings timings;     /* s, summed */
} FilRunTotals;

void fil_run_totals_add(FilRunTotals* totals, const FilStepInfo* info);

/* How many steps of dt fill `duration`: the last one may end a little after it. */
uint64_t fil_run_step_count(double duration, double dt);

/* ---- results ---- */

enum { FIL_BENCH_ACCURACY_MAX = 8 };

typedef struct FilBenchAccuracy {
    char what[48];
    double value;
} FilBenchAccuracy;

typedef struct FilBenchResult {
    char name[64];
    char contact_model[32];
    int nodes;   /* of the rods, or of the one that a function row measures */
    bool closed; /* a closed rod; false for scenes */
    double dt;   /* s */
    double steps;
    double wall_time;        /* s, of the best run (scene) or iteration (function) */
    double cpu_time;         /* s, the same by the thread's CPU clock */
    double realtime_rate;    /* simulated over wall time */
    double ms_per_step;      /* wall */
    double us_per_iteration; /* one Newton iteration: assembly, factorisation, solve */
    double iterations_per_step;
    double ns_per_node; /* of one iteration */
    double contacts_avg;
    FilTimings timings; /* s, of the whole best run */
    FilBenchAccuracy accuracy[FIL_BENCH_ACCURACY_MAX];
    int accuracy_count;
} FilBenchResult;

/* A result with a name, in which every number is "not measured". */
FilBenchResult fil_bench_result(const char* name);
void fil_bench_result_accuracy(FilBenchResult* result, const char* what, double value);

/* ---- rows ---- */

typedef struct FilBench FilBench; /* collects the results of one call */

FIL_MUST_CHECK FilStatus fil_bench_create(int repeats, FilBench** bench);
void fil_bench_destroy(FilBench* bench);
int fil_bench_repeats(const FilBench* bench); /* runs to take the best of */
int fil_bench_count(const FilBench* bench);
const FilBenchResult* fil_bench_at(const FilBench* bench, int index);
FIL_MUST_CHECK FilStatus fil_bench_report(FilBench* bench, const FilBenchResult* result);

typedef struct FilBenchRow {
    const char* name; /* of the scene, or of the function */
    const char* title;
    /* NULL: the scene `name` is run from start to end */
    FilStatus (*measure)(FilBench* bench, FilError* error);
    /* scene rows: the setting that doubles the edges, as in {"nodes", "201"}, to see what the mesh costs in accuracy;
     * a NULL path leaves that out */
    FilSetting refined;
    double duration; /* s, of scene rows; 0: the scene's own */
} FilBenchRow;

const FilBenchRow* fil_bench_table(int* count);

/* Runs a scene's whole duration `repeats` times (fewer if that takes long) and reports the fastest run. Its accuracy is
 * how far the rods end from where they end with a quarter of the time step, and with twice the edges, relative to their
 * length. */
FIL_MUST_CHECK FilStatus fil_bench_scene(FilBench* bench, const FilBenchRow* row, const char* path, FilError* error);

/* ---- where it was measured ---- */

typedef struct FilMachine {
    char cpu[96];       /* as in "Neoverse-V1" */
    char arch[32];      /* as in "aarch64" */
    int core_count;     /* that are online */
    char compiler[96];  /* as in "gcc 12.2.0" */
    const char* commit; /* of the sources, "-dirty" when they were edited */
} FilMachine;

FilMachine fil_machine(void);

#endif
