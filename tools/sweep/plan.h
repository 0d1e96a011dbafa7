/* The plan of a sweep: which values of which keys each run has. A run's values follow from its number alone, so a sweep can be cut into
 * parts, and resumed, in any way. */
#ifndef FILUM_TOOLS_SWEEP_PLAN_H
#define FILUM_TOOLS_SWEEP_PLAN_H

#include "filum/scene.h"

/* Keys of a sweep: as many as Sobol's sequence has dimensions here; bytes of a key or value. */
enum { FIL_SWEEP_AXES = 16, FIL_SWEEP_TEXT = 128 };

typedef enum FilSweepForm {
    FIL_SWEEP_LINSPACE,   /* count values from a to b, evenly */
    FIL_SWEEP_LOGSPACE,   /* likewise in their logarithms */
    FIL_SWEEP_LIST,       /* the texts of a list */
    FIL_SWEEP_UNIFORM,    /* drawn between a and b */
    FIL_SWEEP_LOGUNIFORM, /* likewise in the logarithm */
    FIL_SWEEP_NORMAL,     /* with mean a and deviation b */
} FilSweepForm;

typedef struct FilSweepAxis {
    const char* path;
    FilSweepForm form;
    double a, b;
    uint64_t count;
    const char* list; /* LIST: values between commas */
} FilSweepAxis;

/* Runs are numbered from 0: the points of the grid, the last axis fastest; for each all samples; for each all seeds. */
typedef struct FilSweepPlan {
    FilSweepAxis over[FIL_SWEEP_AXES], random[FIL_SWEEP_AXES];
    int over_count, random_count;
    uint64_t points, samples, seeds;
    uint64_t seed; /* the first of the seeds, and what the draws begin with */
    bool seeded;   /* scenes get a seed; else they have their own */
    bool sobol;    /* draws fill the space evenly, by Sobol's sequence */
    uint64_t runs;
} FilSweepPlan;

/* `key=linspace(a,b,n)`, `key=logspace(a,b,n)` and `key=[x,y,...]`; `key=uniform(a,b)`, `loguniform(a,b)` and `normal(mean,deviation)`.
 * `plan` has samples, seeds, seed, seeded and sobol already. */
FIL_MUST_CHECK FilStatus fil_sweep_plan(FilSweepPlan* plan, const FilSetting* over, int over_count, const FilSetting* random, int random_count,
                                        FilError* error);

/* Value `axis` of a run, of all axes: the grid's first; as scenes write it. */
void fil_sweep_value(const FilSweepPlan* plan, uint64_t run, int axis, char text[FIL_SWEEP_TEXT]);
const char* fil_sweep_path(const FilSweepPlan* plan, int axis);
uint64_t fil_sweep_seed(const FilSweepPlan* plan, uint64_t run);

#endif
