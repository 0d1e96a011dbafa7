/* Threads that share a loop: the caller and helpers, which wait for the next one, spinning for a moment and then parked.
 *
 * A loop over `count` items is cut into chunks of `grain` items, whatever the number of threads, and each chunk is done by whoever
 * comes first. So results are the same bits for any number of threads where a chunk writes what no other reads or writes; sums
 * over all items are made of sums over chunks, in their order. The caller never waits for a helper that has not begun: on a busy
 * machine it does the work itself. */
#ifndef FILUM_BASE_WORKERS_H
#define FILUM_BASE_WORKERS_H

#include <stdbool.h>

/* A bound of ours: room for so many helpers. */
enum { FIL_WORKERS_MAX = 256 };

typedef struct FilWorkers FilWorkers;

/* Items `first` to `end` - 1 of the chunk first / grain, by worker 0 (the caller) to fil_workers_count() - 1. */
typedef void FilWork(void* context, int first, int end, int worker);

/* The caller and count - 1 helpers; fewer if the system gives no more threads: fil_workers_count() says how many there are. NULL when
 * out of memory, or if there is no helper to be had. Allocates, and is the only one to do so. */
FilWorkers* fil_workers_create(int count);
/* Ends the helpers. NULL is fine. */
void fil_workers_destroy(FilWorkers* workers);

int fil_workers_count(const FilWorkers* workers); /* 1 of NULL */
int fil_workers_processors(void);                 /* that this process may run on */

/* From now on loops follow each other closely: helpers look out for them longer before they park; or not any more. NULL is fine. */
void fil_workers_hold(FilWorkers* workers, bool held);

/* Does all chunks of a loop; NULL: one after the other. Not from inside a loop of the same workers. */
void fil_workers_run(FilWorkers* workers, int count, int grain, FilWork* work, void* context);

/* Something that no loop depends on, done beside the loops that follow by the first helper that has nothing else to do: one item, in which there are
 * no loops of the same workers. It is done after fil_workers_end_aside(), by the caller if no helper has begun it; NULL: at once. One at a time. */
void fil_workers_begin_aside(FilWorkers* workers, FilWork* work, void* context);
void fil_workers_end_aside(FilWorkers* workers);
/* In between, if its work says how far it is: that its first part is done, for others to go on with while it does the rest; and waits for that. NULL
 * is fine. */
void fil_workers_report_aside(FilWorkers* workers);
void fil_workers_await_aside(FilWorkers* workers);

#endif
