/* What the files of the supernodal factor share. */
#ifndef FILUM_LINALG_SUPERNODAL_DATA_H
#define FILUM_LINALG_SUPERNODAL_DATA_H

#include "base/vector.h"
#include "base/workers.h"
#include "linalg/strips.h"
#include "linalg/supernodal.h"
#include "linalg/supernodes.h"

/* What one thread needs beside the factor. */
typedef struct FilSupernodalWork {
    FilWorkers* workers; /* who share the fronts of this one; NULL: nobody */
    double* above;       /* in a solve: what is subtracted from rows of pivots from `border` on goes there, first at `border` ... */
    int border;          /* ... or in the vector itself, if there is none */
    FilDoubles stack;    /* update matrices that do not outlive their task */
    FilInts place;       /* of the unknowns of a child's update in its parent's front */
    FilDoubles pivots;   /* own unknowns of a front ... */
    FilDoubles updates;  /* ... and the others, in a solve */
    FilDoubles sums;     /* four for each own unknown */
} FilSupernodalWork;

/* What is done with one front, number k, in double or in single precision. */
typedef struct FilFrontOps {
    bool (*factor)(FilSupernodal* factor, FilSupernodalWork* work, const double* a_values, const double* c_values, int k);
    void (*forward)(const FilSupernodal* factor, FilSupernodalWork* work, int k,
                    double* x); /* y_n <- L_nn^-1 y_n, then L_pn y_n is subtracted from the rows */
    void (*backward)(const FilSupernodal* factor, FilSupernodalWork* work, int k, double* x); /* x_n <- L_nn'^-1 (y_n - L_pn' x_p) */
} FilFrontOps;

extern const FilFrontOps fil_fronts_double, fil_fronts_single;
#if defined(FIL_VECTOR_LEVELS)
extern const FilFrontOps fil_fronts_double_256;
#endif
#if defined(FIL_VECTOR_AVX2)
extern const FilFrontOps fil_fronts_single_avx2;
#endif
bool fil_front_factor_single(FilSupernodal* factor, FilSupernodalWork* work, const double* a_values, const double* c_values, int k);
bool fil_front_factor_double(FilSupernodal* factor, FilSupernodalWork* work, const double* a_values, const double* c_values, int k);

/* What is above all tasks of a part: branches, groups of supernodes that do not depend on each other, then the stem, which depends on all. In a pile
 * or cube half of a solve is above its tasks, and all but a fifth of that in branches. */
enum { FIL_MAX_BRANCHES = 16 };
typedef struct FilSupernodalCrown {
    int branches;                    /* 0: all is stem */
    int first[FIL_MAX_BRANCHES + 2]; /* supernode of each branch; of the stem; the end */
} FilSupernodalCrown;

struct FilSupernodal {
    FilSupernodes symbolic;
    const FilStripKernels* kernels;
    const FilStripKernelsSingle* kernels_single;
    const FilFrontOps* fronts;
    /* of single precision: half of the room is used */
    FilDoubles panel;         /* L: strips of each supernode, own unknowns first; W, inverse factors, on the diagonal */
    FilDoubles kept;          /* update matrices that outlive their task */
    FilSupernodalWork* works; /* one for each worker, and one for what comes after the tasks */
    int work_count;
    FilWorkers* workers;         /* borrowed */
    FilSupernodalCrown crown[2]; /* of fixed and of changing columns */
    FilDoubles x;                /* a vector in pivot order */
    FilDoubles above;            /* of each task: what a solve subtracts from the pivots above all tasks of its part */
};

static inline const FilSupernode* fil_supernodal_node(const FilSupernodal* factor, int k)
{
    return (const FilSupernode*)factor->symbolic.nodes + k;
}

/* Tasks of a part beside its last, and the first pivot that is above them. */
static inline int fil_supernodal_border(const FilSupernodes* s, int last_task)
{
    return ((const FilSupernode*)s->nodes)[s->task.at[last_task]].first;
}

/* Numbers that the tasks of both parts need, one part at a time, to put aside what is subtracted from the pivots above them. */
static inline size_t fil_supernodal_above(const FilSupernodes* s)
{
    const int ends[2] = {s->first_changing_task, s->task_count};
    size_t max = 0;
    for (int part = 0, begin = 0; part < 2; begin = ends[part++]) {
        const int tasks = ends[part] - begin - 1;
        const size_t size = tasks > 0 ? (size_t)tasks * FIL_BLOCK * (size_t)(s->columns - fil_supernodal_border(s, ends[part] - 1)) : 0;
        max = size > max ? size : max;
    }
    return max;
}

/* Finds the crowns of both parts of an analysis. */
void fil_supernodal_find_crowns(FilSupernodal* factor);

/* Numbers from one strip of a supernode's panel to the next */
static inline size_t fil_supernodal_stride(const FilSupernode* node)
{
    return FIL_TILE * (size_t)node->strips;
}

/* The update matrix of a supernode: the tiles of its lower triangle, strip after strip. */
static inline double* fil_supernodal_update(const FilSupernodal* factor, const FilSupernodalWork* work, const FilSupernode* node)
{
    return (node->kept ? factor->kept.at : work->stack.at) + node->update;
}

#endif
