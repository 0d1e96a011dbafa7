#define _GNU_SOURCE /* sched_getaffinity */
#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#include "base/memory.h"

/* How often a helper looks for the next loop before it parks, a look taking 13 ns (Neoverse-V1): 50 us, shorter than what lies between steps of a
 * world that waits for a clock. While loops are held together it looks for half a millisecond, longer than most of what one thread does between two
 * loops of a step: being woken takes it 6 us, and whoever wakes it loses a third of that. */
enum { SPINS = 4000, SPINS_HELD = 40000 };

/* After so many looks the caller lets others run: there may be more threads than processors. Helpers do so when they would have parked. */
enum { PATIENCE = 200 };

/* Each thread has a share of the loop at hand, in one word: the loop's number, the end of the chunks that are left, the first of them. Its owner
 * takes the first, others, once their own shares are done, the last: while all are at work each has its word to itself, and it need not go from one
 * processor's cache to another's for each chunk (150 ns on a Xeon). Loops over the same things find them in the caches of the same threads. Whoever
 * takes a chunk by exchanging the word has taken it of the loop that it has read, and that loop stays until the chunk is done. */
enum { CHUNK_BITS = 21 };
static const uint64_t CHUNKS = (UINT64_C(1) << CHUNK_BITS) - 1;

/* What its owner reads of a loop, in one line of the cache. */
typedef struct Share {
    _Alignas(FIL_ALIGNMENT) _Atomic uint64_t left;
    // of the loop: constant while any share has chunks that are not done
    FilWork* work;
    void* context;
    int count, grain;
} Share;

/* Of what is done beside loops. */
typedef enum Aside { ASIDE_NONE, ASIDE_WAITS, ASIDE_BEGUN, ASIDE_REPORTED, ASIDE_DONE } Aside; /* in this order */

typedef struct Helper {
    struct FilWorkers* workers;
    pthread_t thread;
    int number;
    // the number of the last loop that it took part in, and its chunks of that, above and below CHUNK_BITS
    _Alignas(FIL_ALIGNMENT) _Atomic uint64_t done;
} Helper;

struct FilWorkers {
    _Alignas(FIL_ALIGNMENT) atomic_int parked;
    atomic_bool ending;
    atomic_bool held;                         /* more loops will come soon */
    _Alignas(FIL_ALIGNMENT) atomic_int aside; /* an Aside */
    FilWork* aside_work;
    void* aside_context;

    _Alignas(FIL_ALIGNMENT) pthread_mutex_t lock;
    pthread_cond_t wake;
    int helper_count;
    Share shares[FIL_WORKERS_MAX]; /* the caller's first */
    Helper helpers[FIL_WORKERS_MAX];
};

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");  // yield does nothing on most cores
#endif
}

static inline bool has_chunk(uint64_t left)
{
    return (left & CHUNKS) < (left >> CHUNK_BITS & CHUNKS);
}

static inline uint64_t number_of(uint64_t left)
{
    return left >> 2 * CHUNK_BITS;
}

/* Does chunks of a share, as long as there are any, by what is said of the loop in `own`; returns how many, and the loop's number where there were.
 */
static int take_chunks(Share* share, const Share* own, int worker, uint64_t* number)
{
    const bool takes_first = worker == 0;
    uint64_t left = atomic_load_explicit(&share->left, memory_order_relaxed);
    int done = 0;
    while (has_chunk(left)) {
        const uint64_t less = takes_first ? left + 1 : left - (UINT64_C(1) << CHUNK_BITS);
        if (!atomic_compare_exchange_weak_explicit(&share->left, &left, less, memory_order_acq_rel, memory_order_relaxed)) {
            continue;
        }
        const uint64_t chunk = takes_first ? left & CHUNKS : (left >> CHUNK_BITS & CHUNKS) - 1;
        const int first = (int)chunk * own->grain;
        const int end = own->count - first < own->grain ? own->count : first + own->grain;
        own->work(own->context, first, end, worker);
        *number = number_of(left);
        done++;
        left = atomic_load_explicit(&share->left, memory_order_relaxed);
    }
    return done;
}

/* The same of the loop at hand: of the thread's own share, then of others'. It stays the loop at hand until helpers have counted theirs as done: once
 * for all, since each time the count goes from one processor's cache to another's. */
static int take_part(FilWorkers* workers, int worker, uint64_t* number)
{
    const int count = workers->helper_count + 1;
    int done = 0;
    for (int k = 0; k < count; k++) {
        done += take_chunks(&workers->shares[(worker + k) % count], &workers->shares[worker], worker, number);
    }
    return done;
}

/* Whether a helper has. Where its share is empty, those of others are soon. */
static bool has_work(FilWorkers* workers, int worker)
{
    return atomic_load_explicit(&workers->aside, memory_order_acquire) == ASIDE_WAITS ||
           has_chunk(atomic_load_explicit(&workers->shares[worker].left, memory_order_acquire));
}

/* Whoever comes first. */
static void take_aside(FilWorkers* workers, int worker)
{
    int waits = ASIDE_WAITS;
    if (atomic_compare_exchange_strong_explicit(&workers->aside, &waits, ASIDE_BEGUN, memory_order_acquire, memory_order_relaxed)) {
        workers->aside_work(workers->aside_context, 0, 1, worker);
        atomic_store_explicit(&workers->aside, ASIDE_DONE, memory_order_release);
    }
}

/* Until there is a loop or something beside it, or the end. */
static void park(FilWorkers* workers, int worker)
{
    pthread_mutex_lock(&workers->lock);
    atomic_fetch_add(&workers->parked, 1);  // before the look; a loop that is made meanwhile may miss both, and goes without this helper
    while (!has_work(workers, worker) && !atomic_load(&workers->ending)) {
        pthread_cond_wait(&workers->wake, &workers->lock);
    }
    atomic_fetch_sub(&workers->parked, 1);
    pthread_mutex_unlock(&workers->lock);
}

/* Counts chunks of a loop as done. */
static void report(Helper* helper, uint64_t number, int chunks)
{
    const uint64_t done = atomic_load_explicit(&helper->done, memory_order_relaxed);
    const uint64_t before = done >> CHUNK_BITS == number ? done & CHUNKS : 0;
    atomic_store_explicit(&helper->done, number << CHUNK_BITS | (before + (uint64_t)chunks), memory_order_release);
}

static void* help(void* argument)
{
    Helper* helper = argument;
    FilWorkers* workers = helper->workers;
    while (!atomic_load(&workers->ending)) {
        bool found = false;
        for (int k = 1; !found && (k <= SPINS || (k <= SPINS_HELD && atomic_load_explicit(&workers->held, memory_order_relaxed))); k++) {
            found = has_work(workers, helper->number);
            if (k % SPINS == 0) {
                sched_yield();
            } else if (!found) {
                relax();
            }
        }
        if (found) {
            uint64_t number = 0;
            take_aside(workers, helper->number);
            const int done = take_part(workers, helper->number, &number);
            if (done > 0) {
                report(helper, number, done);
            }
        } else {
            park(workers, helper->number);
        }
    }
    return NULL;
}

static void wake_all(FilWorkers* workers)
{
    pthread_mutex_lock(&workers->lock);
    pthread_cond_broadcast(&workers->wake);
    pthread_mutex_unlock(&workers->lock);
}

FilWorkers* fil_workers_create(int count)
{
    FilWorkers* workers = count > 1 ? fil_alloc(1, sizeof *workers) : NULL;
    if (workers == NULL) {
        return NULL;
    }
    count = count < FIL_WORKERS_MAX ? count : FIL_WORKERS_MAX;
    pthread_mutex_init(&workers->lock, NULL);  // neither can fail with default attributes
    pthread_cond_init(&workers->wake, NULL);
    sigset_t all, before;  // the program's signals are for its own threads
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int k = 1; k < count; k++) {
        Helper* helper = &workers->helpers[workers->helper_count];
        helper->workers = workers;
        helper->number = k;
        if (pthread_create(&helper->thread, NULL, help, helper) != 0) {
            break;
        }
        workers->helper_count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (workers->helper_count == 0) {
        fil_workers_destroy(workers);
        return NULL;
    }
    return workers;
}

void fil_workers_destroy(FilWorkers* workers)
{
    if (workers == NULL) {
        return;
    }
    atomic_store(&workers->ending, true);
    wake_all(workers);
    for (int k = 0; k < workers->helper_count; k++) {
        pthread_join(workers->helpers[k].thread, NULL);
    }
    pthread_cond_destroy(&workers->wake);
    pthread_mutex_destroy(&workers->lock);
    fil_free(workers);
}

int fil_workers_count(const FilWorkers* workers)
{
    return workers != NULL ? workers->helper_count + 1 : 1;
}

int fil_workers_processors(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return CPU_COUNT(&set);
    }
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 && online < FIL_WORKERS_MAX ? (int)online : 1;
}

void fil_workers_hold(FilWorkers* workers, bool held)
{
    if (workers != NULL) {
        atomic_store_explicit(&workers->held, held, memory_order_relaxed);
    }
}

/* The k-th look of a caller who waits. */
static void wait_a_little(int k)
{
    if (k < PATIENCE) {
        relax();
    } else {
        sched_yield();
    }
}

/* Chunks of a loop. */
static int done_by_helpers(FilWorkers* workers, uint64_t number)
{
    int chunks = 0;
    for (int k = 0; k < workers->helper_count; k++) {
        const uint64_t done = atomic_load_explicit(&workers->helpers[k].done, memory_order_acquire);
        chunks += done >> CHUNK_BITS == number ? (int)(done & CHUNKS) : 0;
    }
    return chunks;
}

/* Numbers of loops have 22 bits. When they begin again at 0, what helpers have done of loops of the same numbers is forgotten; all of it has been
 * counted. */
static uint64_t next_number(FilWorkers* workers)
{
    const uint64_t number = (number_of(atomic_load_explicit(&workers->shares[0].left, memory_order_relaxed)) + 1) & (UINT64_MAX >> 2 * CHUNK_BITS);
    for (int k = 0; k < workers->helper_count && number == 0; k++) {
        atomic_store_explicit(&workers->helpers[k].done, 0, memory_order_relaxed);
    }
    return number;
}

void fil_workers_run(FilWorkers* workers, int count, int grain, FilWork* work, void* context)
{
    const int chunks = (count + grain - 1) / grain;
    if (workers == NULL || chunks < 2 || (uint64_t)chunks > CHUNKS) {
        for (int first = 0; first < count; first += grain) {
            work(context, first, count - first < grain ? count : first + grain, 0);
        }
        return;
    }
    const uint64_t threads = (uint64_t)workers->helper_count + 1, number = next_number(workers);
    for (uint64_t k = 0; k < threads; k++) {
        Share* share = &workers->shares[k];
        share->work = work;
        share->context = context;
        share->count = count;
        share->grain = grain;
    }
    for (uint64_t k = 0; k < threads; k++) {
        const uint64_t first = (uint64_t)chunks * k / threads, end = (uint64_t)chunks * (k + 1) / threads;
        atomic_store_explicit(&workers->shares[k].left, number << 2 * CHUNK_BITS | end << CHUNK_BITS | first, memory_order_release);
    }
    if (atomic_load_explicit(&workers->parked, memory_order_relaxed) > 0) {
        wake_all(workers);
    }
    uint64_t same;
    const int rest = chunks - take_part(workers, 0, &same);
    // chunks that helpers have begun
    for (int k = 0; done_by_helpers(workers, number) < rest; k++) {
        wait_a_little(k);
    }
}

void fil_workers_begin_aside(FilWorkers* workers, FilWork* work, void* context)
{
    if (workers == NULL) {
        work(context, 0, 1, 0);
        return;
    }
    workers->aside_work = work;
    workers->aside_context = context;
    atomic_store_explicit(&workers->aside, ASIDE_WAITS, memory_order_release);
    if (atomic_load_explicit(&workers->parked, memory_order_relaxed) > 0) {
        wake_all(workers);
    }
}

void fil_workers_report_aside(FilWorkers* workers)
{
    if (workers != NULL) {
        atomic_store_explicit(&workers->aside, ASIDE_REPORTED, memory_order_release);
    }
}

/* Until what is beside loops has come so far; by the caller, if nobody has begun it. */
static void await(FilWorkers* workers, Aside wanted)
{
    take_aside(workers, 0);
    for (int k = 0; atomic_load_explicit(&workers->aside, memory_order_acquire) < (int)wanted; k++) {
        wait_a_little(k);
    }
}

void fil_workers_await_aside(FilWorkers* workers)
{
    if (workers != NULL) {
        await(workers, ASIDE_REPORTED);
    }
}

void fil_workers_end_aside(FilWorkers* workers)
{
    if (workers != NULL) {
        await(workers, ASIDE_DONE);
        atomic_store_explicit(&workers->aside, ASIDE_NONE, memory_order_relaxed);
    }
}
