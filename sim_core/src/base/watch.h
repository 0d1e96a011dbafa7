/* Whether long work should end: somebody wants it to, or its time is over.
 *
 * Loops that may take long look at it once an iteration and fail as if they had not converged; whoever began the work then
 * sees from `ended` why. */
#ifndef FILUM_BASE_WATCH_H
#define FILUM_BASE_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

typedef struct FilWatch {
    bool (*stop)(void* context); /* NULL: nobody asks */
    void* context;
    double limit;              /* s; 0: none */
    double end;                /* s of the steady clock: when the time is over, if there is a limit */
    atomic_bool stopped, late; /* why it has ended; several threads may find out */
} FilWatch;

static inline double fil_watch_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void fil_watch_start(FilWatch* watch)
{
    watch->stopped = watch->late = false;
    watch->end = watch->limit > 0.0 ? fil_watch_now() + watch->limit : 0.0;
}

/* Stays true. NULL: no watch, never ended. */
static inline bool fil_watch_ended(FilWatch* watch)
{
    if (watch == NULL) {
        return false;
    }
    if (watch->stop != NULL && watch->stop(watch->context)) {
        watch->stopped = true;
    }
    if (watch->limit > 0.0 && fil_watch_now() > watch->end) {
        watch->late = true;
    }
    return watch->stopped || watch->late;
}

#endif
