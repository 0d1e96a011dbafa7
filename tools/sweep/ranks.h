/* The processes that share a sweep, as mpirun or srun has started them. Rank 0 hands out items of work and keeps results; all ranks
 * work, rank 0 by a thread of its own. What a rank holds for too long is handed out again, so that a lost rank's work gets done: items must
 * give the same result whoever does them. */
#ifndef FILUM_TOOLS_SWEEP_RANKS_H
#define FILUM_TOOLS_SWEEP_RANKS_H

#include "filum/base.h"

typedef struct FilRanks FilRanks;

typedef struct FilRanksJob {
    void* context;
    uint64_t count;   /* of items */
    const bool* done; /* rank 0: by item, those that need not be done; NULL: all need it */
    size_t size;      /* bytes of a result, the same on all ranks */
    /* Any rank, without a lock: false if it was ended by fil_ranks_over(). */
    bool (*work)(void* context, FilRanks* ranks, uint64_t item, void* result);
    /* Rank 0, one at a time, once for an item; s that the item took. False: it is enough. */
    bool (*keep)(void* context, uint64_t item, const void* result, double* seconds);
} FilRanksJob;

/* Joins the other ranks; NULL if there are none. Fails where a launcher has started several and MPI was not there to be built with. */
FIL_MUST_CHECK FilStatus fil_ranks_join(FilRanks** ranks, FilError* error);
int fil_ranks_own(const FilRanks* ranks);   /* 0 for NULL */
int fil_ranks_count(const FilRanks* ranks); /* 1 for NULL */

/* Shares the job; rank 0 returns when all is done, or enough, the others when rank 0 says so. */
FIL_MUST_CHECK FilStatus fil_ranks_share(FilRanks* ranks, const FilRanksJob* job, FilError* error);
/* Whether the work at hand is wanted no more; cheap to ask. */
bool fil_ranks_over(FilRanks* ranks);
int fil_ranks_lost(const FilRanks* ranks); /* rank 0, afterwards: ranks that were not heard of any more */

/* Leaves; rank 0 lets the others go, whether or not there was a job. NULL is fine. */
void fil_ranks_leave(FilRanks* ranks);

#endif
