#include "contact/sap_iterative.h"

#include <math.h>
#include <string.h>

#include "linalg/pcg.h"

/* Operations of a factorisation in the time of one of a solve, which waits for memory: 6 for a pile of 1,000 boxes, 12 for one of 4,096. */
static const double SLOWER = 8.0;

/* Fewer iterations than this are not enough to gain anything (capsule_chain, 3: a tenth slower; a pile of 1,000 boxes, 4: a fifth faster), unless the
 * factor may be in single precision, which is what gains then (heaps of ropes and hulls, 1 to 3.7: 0.4 to 0.6 of the time). Smaller systems were not
 * looked at. */
enum { MIN_PATIENCE = 4, MIN_PATIENCE_SINGLE = 1, LARGE = 1000 };

void fil_sap_iterative_free(FilSapIterative* iterative)
{
    fil_free(iterative->vectors.at);
    fil_sap_bodies_free(&iterative->bodies);
}

/* Columns that are eliminated once a step stand for S, which has to be exact. */
static bool may_be_single(const FilSapSystem* system)
{
    return system->participants == system->columns;
}

static int patience_of(const FilSapSystem* system)
{
    if (!system->factor.supernodes) {
        return 0;
    }
    const FilSupernodalInfo info = fil_supernodal_info(system->factor.supernodal);
    // two operations for each number of L, forward and back; for each of a matrix's lower triangle, here and across
    const double blocks = system->a_start.at[system->columns] + system->c_start.at[system->columns];
    const double iteration = 4.0 * ((double)info.factor + FIL_BLOCK_SIZE * blocks);
    // 100: chosen; two to six are usual (docs/sap.md)
    const int patience = (int)fmin(info.flops / (SLOWER * iteration), 100.0);
    return patience >= (may_be_single(system) && system->columns >= LARGE ? MIN_PATIENCE_SINGLE : MIN_PATIENCE) ? patience : 0;
}

/* Operations of a factorisation in the time of one of an iteration with bodies: both in single precision (heaps of 120 to 300 ropes: 3.5 to 4). */
static const double SLOWER_BODIES = 4.0;

/* Fewer iterations than this are too few: an incomplete factor takes as long as some of them, and heaps of ropes need three to ten (50 to 60 ropes,
 * 15 to 30: half of the time). More than that are beyond single precision. */
enum { MIN_BODIES_PATIENCE = 10, MAX_BODIES_PATIENCE = 1000 };

static int bodies_patience_of(const FilSapSystem* system)
{
    // of the matrix and of the incomplete factor, which has as many blocks: each is read twice
    const double blocks = system->a_start.at[system->columns] + system->c_start.at[system->columns];
    const double iteration = 8.0 * FIL_BLOCK_SIZE * blocks;
    const double patience = fil_supernodal_info(system->factor.supernodal).flops / (SLOWER_BODIES * iteration);
    return patience >= MIN_BODIES_PATIENCE ? (int)fmin(patience, MAX_BODIES_PATIENCE) : 0;
}

FilStatus fil_sap_iterative_begin(FilSapIterative* iterative, FilSapSystem* system, const FilSapProblem* problem)
{
    iterative->patience = patience_of(system);
    iterative->single = iterative->patience > 0 && may_be_single(system);
    if (system->factor.supernodes) {
        fil_supernodal_set_single(system->factor.supernodal, iterative->single);
    }
    iterative->bodies_patience = iterative->single ? bodies_patience_of(system) : 0;
    bool worth = false;
    const FilStatus status = iterative->bodies_patience > 0 ? fil_sap_bodies_begin(&iterative->bodies, system, problem, &worth) : FIL_OK;
    iterative->bodies_patience = worth ? iterative->bodies_patience : 0;
    return status;
}

void fil_sap_iterative_sharpen(FilSapIterative* iterative, FilSapSystem* system)
{
    iterative->single = false;
    fil_supernodal_set_single(system->factor.supernodal, false);
}

/* What products and solves need. */
typedef struct Solve {
    FilSapSystem* system;
    const FilSapProblem* problem;
} Solve;

static void multiply(void* context, const double* x, double* y)
{
    const Solve* solve = context;
    fil_sap_system_apply(solve->system, solve->problem, true, x, y);
}

static void precondition(void* context, const double* r, double* z)
{
    const Solve* solve = context;
    memcpy(z, r, FIL_BLOCK * (size_t)solve->system->participants * sizeof *z);
    fil_sap_system_solve(solve->system, z);
}

FilStatus fil_sap_iterative_solve(FilSapIterative* iterative, FilSapSystem* system, const FilSapProblem* problem, const double* weight,
                                  double tolerance, double enough, int max, double* r, double* x, bool* done)
{
    const size_t n = FIL_BLOCK * (size_t)system->participants;
    if (!fil_doubles_reserve(&iterative->vectors, 3 * n)) {
        return FIL_OUT_OF_MEMORY;
    }
    Solve solve = {system, problem};
    const FilPcgSystem pcg = {&solve, (int)n, multiply, precondition, weight, iterative->vectors.at};
    memset(x, 0, n * sizeof *x);
    precondition(&solve, r, iterative->vectors.at);
    double left;
    const FilPcgResult result = fil_pcg_solve(&pcg, tolerance, max, r, x, &iterative->iterations, &left);
    iterative->cut = result == FIL_PCG_SLOW && left <= enough;
    *done = result == FIL_PCG_DONE || iterative->cut;
    return FIL_OK;
}
