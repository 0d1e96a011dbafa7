/* Sweeps where MPI was not there to be built with. */
#include <stdlib.h>

#include "base/error.h"
#include "sweep/ranks.h"

FilStatus fil_ranks_join(FilRanks** ranks, FilError* error)
{
    *ranks = NULL;
    const char* size = getenv("OMPI_COMM_WORLD_SIZE");
    if (size != NULL && atoi(size) > 1) {
        return fil_error(error, FIL_BAD_INPUT, "%s ranks were started, but this program was built without MPI (apt install libopenmpi-dev)", size);
    }
    return FIL_OK;
}

int fil_ranks_own(const FilRanks* ranks)
{
    (void)ranks;
    return 0;
}

int fil_ranks_count(const FilRanks* ranks)
{
    (void)ranks;
    return 1;
}

FilStatus fil_ranks_share(FilRanks* ranks, const FilRanksJob* job, FilError* error)
{
    (void)ranks, (void)job;
    return fil_error(error, FIL_BAD_INPUT, "no MPI");
}

bool fil_ranks_over(FilRanks* ranks)
{
    (void)ranks;
    return false;
}

int fil_ranks_lost(const FilRanks* ranks)
{
    (void)ranks;
    return 0;
}

void fil_ranks_leave(FilRanks* ranks)
{
    (void)ranks;
}
