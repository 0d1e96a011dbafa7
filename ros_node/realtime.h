/* How the process shares the machine with others: at a real-time priority, on some of the processors, its memory kept resident. */
#ifndef FILUM_NODE_REALTIME_H
#define FILUM_NODE_REALTIME_H

#include <stdbool.h>

#include "parameters.h"

typedef struct FilRealtime {
    int priority;           /* of SCHED_FIFO, 1 to 99; 0: as others */
    bool lock_memory;       /* no page faults after the start */
    const char* processors; /* as in 0,2-3; empty: any */
} FilRealtime;

/* For all threads of the process, and those that they will make. What the system does not permit is warned of, and goes
 * without. False with a reason if `processors` cannot be read or there are none of them. */
bool fil_realtime_apply(const FilRealtime* realtime, char reason[FIL_REASON_TEXT]);

#endif
