#include "linalg/nested_dissection.h"

#include <metis.h>
#include <pthread.h>
#include <stdlib.h>

_Static_assert(sizeof(idx_t) == sizeof(int), "METIS must be built with 32-bit indices");

/* METIS keeps its random numbers and its handlers of signals in the process: the one thing here that worlds share. */
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

bool fil_nested_dissection(const FilBlockGraph* graph, int* weight, int* old_of_new, int* scratch)
{
    idx_t n = graph->columns, options[METIS_NOPTIONS];
    if (n == 0) {
        return true;
    }
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = 1;
    // its interface has no const, but METIS writes to the last two only
    pthread_mutex_lock(&metis_lock);
    const int status = METIS_NodeND(&n, graph->start.at, graph->list.at, weight, options, old_of_new, scratch);
    pthread_mutex_unlock(&metis_lock);
    return status == METIS_OK;
}
