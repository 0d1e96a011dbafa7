/* Ranks by MPI. Workers ask rank 0 by sending results, a first empty one included; rank 0 answers with items. Nobody waits inside MPI: a call
 * that waits for a lost rank would wait for ever. So everyone looks for messages and sleeps in between, ends are agreed on in two
 * rounds (stop and bye, then leave), and MPI_Finalize(), which waits for all, is left out where somebody is missing. */
#include "sweep/ranks.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/watch.h"

enum { TAG_RESULT = 1, TAG_BYE, TAG_ITEMS, TAG_PATIENCE, TAG_STOP, TAG_LEAVE };
enum { ITEMS_AT_ONCE = 64 }; /* chosen: a message of 512 bytes, which is sent without waiting for who takes it */

/* All in seconds. Chosen: messages take some 10 us; items that are handed out together take a tenth of what the table's rows wait for each
 * other; rank 0 does nothing but look for messages and write rows, so it answers within milliseconds unless it is lost. */
static const double NAP = 1e-4, TOGETHER = 0.02, LOOK = 0.1, GOODBYE = 3.0, SILENCE = 60.0, SIGN = 10.0, LATE = 1.0;

/* What rank 0 knows of another one. */
typedef struct Peer {
    uint64_t held;   /* items that it has not answered */
    bool asks;       /* is there and has nothing to do */
    bool gone;       /* has said goodbye */
    double answered; /* when it last got a word */
} Peer;

struct FilRanks {
    int own, count;
    const FilRanksJob* job;
    char* buffer; /* item, result */
    size_t message;

    /* rank 0 */
    pthread_mutex_t lock; /* over what follows: the own thread that works beside the one that listens */
    Peer* peers;
    bool* done;                     /* by item */
    double* issued;                 /* by item: when it was last handed out */
    uint64_t next, again, finished; /* first item never handed out; where to look for late ones; how many are done */
    uint64_t kept;                  /* of these by this job ... */
    double longest, sum;            /* ... and the s that they took: the longest, and of all */
    bool enough;
    int lost;

    /* others */
    double looked; /* when it last looked for a word of rank 0 while working */

    atomic_bool over; /* no more work is wanted */
    bool parted;      /* goodbye has been said, or there is nobody to say it to */
};

static void nap(void)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * NAP)};
    nanosleep(&time, NULL);
}

/* Launchers say how many they have started. */
static bool started_with_others(void)
{
    static const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char* size = getenv(names[k]);
        if (size != NULL && atoi(size) > 1) {
            return true;
        }
    }
    return false;
}

FilStatus fil_ranks_join(FilRanks** ranks, FilError* error)
{
    *ranks = NULL;
    if (!started_with_others()) {
        return FIL_OK;
    }
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS || level < MPI_THREAD_FUNNELED) {
        return fil_error(error, FIL_IO, "MPI cannot be used");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    FilRanks* made = fil_alloc(1, sizeof *made);
    if (made == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &made->own);
    MPI_Comm_size(MPI_COMM_WORLD, &made->count);
    pthread_mutex_init(&made->lock, NULL);
    made->peers = fil_alloc((size_t)made->count, sizeof *made->peers);
    if (made->peers == NULL) {
        fil_free(made);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    *ranks = made;
    return FIL_OK;
}

int fil_ranks_own(const FilRanks* ranks)
{
    return ranks != NULL ? ranks->own : 0;
}

int fil_ranks_count(const FilRanks* ranks)
{
    return ranks != NULL ? ranks->count : 1;
}

int fil_ranks_lost(const FilRanks* ranks)
{
    return ranks != NULL ? ranks->lost : 0;
}

/* ---- messages ---- */

static void say(int rank, int tag)
{
    MPI_Send(NULL, 0, MPI_BYTE, rank, tag, MPI_COMM_WORLD);
}

/* Takes a message that is there: false if there is none. */
static bool hear(void* buffer, size_t size, MPI_Status* status)
{
    int there = 0;
    return MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, status) == MPI_SUCCESS && there != 0 &&
           MPI_Recv(buffer, (int)size, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, status) == MPI_SUCCESS;
}

/* Sends without waiting for a rank that does not take it; false if it does not. */
static bool send_patiently(const void* bytes, size_t size, int rank, int tag)
{
    MPI_Request request;
    int sent = 0;
    const double start = fil_watch_now();
    if (MPI_Isend(bytes, (int)size, MPI_BYTE, rank, tag, MPI_COMM_WORLD, &request) != MPI_SUCCESS) {
        return false;
    }
    while (MPI_Test(&request, &sent, MPI_STATUS_IGNORE) == MPI_SUCCESS && !sent && fil_watch_now() < start + SILENCE) {
        nap();
    }
    return sent != 0;
}

/* ---- handing out (rank 0, locked) ---- */

/* Items for somebody who has none: new ones, as many as take little time together, or one that is late. */
static int choose(FilRanks* ranks, uint64_t* items)
{
    const uint64_t count = ranks->job->count, left = count - ranks->next;
    const double now = fil_watch_now(), mean = ranks->kept > 0 ? ranks->sum / (double)ranks->kept : TOGETHER;
    uint64_t max = left / (2 * (uint64_t)ranks->count);
    max = max < ITEMS_AT_ONCE ? max : ITEMS_AT_ONCE;
    max = mean * (double)max > TOGETHER ? (uint64_t)(TOGETHER / mean) : max;
    max = max > 0 ? max : 1;
    int chosen = 0;
    for (; ranks->next < count && (uint64_t)chosen < max; ranks->next++) {
        if (!ranks->done[ranks->next]) {
            ranks->issued[ranks->next] = now;
            items[chosen++] = ranks->next;
        }
    }
    for (uint64_t k = 0; k < count && chosen == 0 && ranks->next == count && ranks->finished < count; k++) {
        const uint64_t item = (ranks->again + k) % count;
        if (!ranks->done[item] && now > ranks->issued[item] + LATE + 3.0 * ranks->longest) {
            ranks->issued[item] = now;
            ranks->again = item + 1;
            items[chosen++] = item;
        }
    }
    return chosen;
}

static bool is_over(const FilRanks* ranks)
{
    return ranks->enough || ranks->finished == ranks->job->count;
}

/* A result, perhaps the second one of an item. */
static void accept(FilRanks* ranks, uint64_t item, const void* result)
{
    if (item < ranks->job->count && !ranks->done[item] && !ranks->enough) {
        double seconds = 0.0;
        ranks->done[item] = true;
        ranks->finished++;
        ranks->kept++;
        ranks->enough = !ranks->job->keep(ranks->job->context, item, result, &seconds);
        ranks->sum += seconds;
        ranks->longest = seconds > ranks->longest ? seconds : ranks->longest;
    }
    ranks->over = is_over(ranks);
}

/* Rank 0's own share of the work, in a thread that does not touch MPI. */
static void* work_beside(void* context)
{
    FilRanks* ranks = context;
    uint64_t items[ITEMS_AT_ONCE];
    char* result = fil_alloc(1, ranks->job->size);
    while (!ranks->over && result != NULL) {
        pthread_mutex_lock(&ranks->lock);
        const int count = choose(ranks, items);
        pthread_mutex_unlock(&ranks->lock);
        for (int k = 0; k < count && !ranks->over; k++) {
            if (ranks->job->work(ranks->job->context, ranks, items[k], result)) {
                pthread_mutex_lock(&ranks->lock);
                accept(ranks, items[k], result);
                pthread_mutex_unlock(&ranks->lock);
            }
        }
        if (count == 0) {
            nap();
        }
    }
    fil_free(result);
    return NULL;
}

/* ---- rank 0 ---- */

/* One message, if there is one. */
static bool listen(FilRanks* ranks)
{
    MPI_Status status;
    if (!hear(ranks->buffer, ranks->message, &status)) {
        return false;
    }
    Peer* peer = &ranks->peers[status.MPI_SOURCE];
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (status.MPI_TAG == TAG_BYE) {
        peer->gone = true;
        peer->asks = false;
    } else if (status.MPI_TAG == TAG_RESULT) {
        if ((size_t)bytes == ranks->message) {
            uint64_t item;
            memcpy(&item, ranks->buffer, sizeof item);
            peer->held -= peer->held > 0;
            accept(ranks, item, ranks->buffer + sizeof item);
        }
        peer->asks = peer->held == 0;
    }
    return true;
}

static bool hand_out(FilRanks* ranks)
{
    bool any = false;
    for (int r = 1; r < ranks->count; r++) {
        Peer* peer = &ranks->peers[r];
        uint64_t items[ITEMS_AT_ONCE];
        const int count = peer->asks && !is_over(ranks) ? choose(ranks, items) : 0;
        if (count > 0) {
            peer->held = (uint64_t)count;
            peer->asks = false;
            peer->answered = fil_watch_now();
            MPI_Send(items, count * (int)sizeof *items, MPI_BYTE, r, TAG_ITEMS, MPI_COMM_WORLD);
            any = true;
        } else if (peer->asks && fil_watch_now() > peer->answered + SIGN) {  // of life
            peer->answered = fil_watch_now();
            say(r, TAG_PATIENCE);
        }
    }
    return any;
}

/* Ends everyone's work; who does not answer is lost. */
static void part(FilRanks* ranks)
{
    const double start = fil_watch_now();
    ranks->parted = true;
    for (int r = 1; r < ranks->count; r++) {
        if (!ranks->peers[r].gone) {
            say(r, TAG_STOP);
        }
    }
    do {
        ranks->lost = 0;
        for (int r = 1; r < ranks->count; r++) {
            ranks->lost += !ranks->peers[r].gone;
        }
        if (!listen(ranks)) {
            nap();
        }
    } while (ranks->lost > 0 && fil_watch_now() < start + GOODBYE);
}

static FilStatus lead(FilRanks* ranks, FilError* error)
{
    const size_t count = (size_t)ranks->job->count;
    ranks->done = fil_alloc(count, sizeof *ranks->done);
    ranks->issued = fil_alloc(count, sizeof *ranks->issued);
    pthread_t helper;
    if (ranks->done == NULL || ranks->issued == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory for %zu runs", count);
    }
    for (size_t k = 0; k < count && ranks->job->done != NULL; k++) {
        ranks->done[k] = ranks->job->done[k];
        ranks->finished += ranks->done[k];
    }
    ranks->over = is_over(ranks);
    if (pthread_create(&helper, NULL, work_beside, ranks) != 0) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "no thread to work beside the ranks");
    }
    while (!ranks->over) {
        pthread_mutex_lock(&ranks->lock);
        const bool heard = listen(ranks), gave = hand_out(ranks);
        pthread_mutex_unlock(&ranks->lock);
        if (!heard && !gave) {
            nap();
        }
    }
    pthread_join(helper, NULL);
    part(ranks);
    return FIL_OK;
}

/* ---- others ---- */

/* Looks for a word of rank 0: the tag, 0 if there is none. */
static int word(FilRanks* ranks, uint64_t* items, int* count)
{
    MPI_Status status;
    int bytes = 0;
    if (!hear(items, ITEMS_AT_ONCE * sizeof *items, &status)) {
        return 0;
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    *count = bytes / (int)sizeof *items;
    ranks->over = ranks->over || status.MPI_TAG == TAG_STOP;
    return status.MPI_TAG;
}

static FilStatus follow(FilRanks* ranks, FilError* error)
{
    uint64_t items[ITEMS_AT_ONCE];
    bool answered = send_patiently(NULL, 0, 0, TAG_RESULT);
    double heard = fil_watch_now();
    while (!ranks->over && answered) {
        int count = 0;
        const int tag = word(ranks, items, &count);
        heard = tag != 0 ? fil_watch_now() : heard;
        if (tag != TAG_ITEMS) {
            answered = fil_watch_now() < heard + SILENCE;
            nap();
            continue;
        }
        for (int k = 0; k < count && !ranks->over && answered; k++) {
            memcpy(ranks->buffer, &items[k], sizeof items[k]);
            if (ranks->job->work(ranks->job->context, ranks, items[k], ranks->buffer + sizeof items[k])) {
                answered = send_patiently(ranks->buffer, ranks->message, 0, TAG_RESULT);
            }
        }
        heard = fil_watch_now();
    }
    ranks->parted = !answered;
    return answered ? FIL_OK : fil_error(error, FIL_IO, "rank 0 has not been heard of for %g s", SILENCE);
}

bool fil_ranks_over(FilRanks* ranks)
{
    if (ranks == NULL) {
        return false;
    }
    const double now = ranks->own > 0 ? fil_watch_now() : 0.0;
    if (now > ranks->looked + LOOK) {
        MPI_Status status;
        int there = 0;
        ranks->looked = now;
        if (MPI_Iprobe(0, TAG_STOP, MPI_COMM_WORLD, &there, &status) == MPI_SUCCESS && there != 0) {
            MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            ranks->over = true;
        }
    }
    return ranks->over;
}

/* ---- together ---- */

FilStatus fil_ranks_share(FilRanks* ranks, const FilRanksJob* job, FilError* error)
{
    ranks->job = job;
    ranks->message = sizeof(uint64_t) + job->size;
    ranks->buffer = fil_alloc(1, ranks->message);
    if (ranks->buffer == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    return ranks->own == 0 ? lead(ranks, error) : follow(ranks, error);
}

/* Others: goodbye, and until rank 0 lets them go; whether everyone is there. */
static bool wait_to_leave(FilRanks* ranks)
{
    const double start = fil_watch_now();
    uint64_t word_of_leave[ITEMS_AT_ONCE];
    say(0, TAG_BYE);
    for (int bytes = 0; fil_watch_now() < start + SILENCE; nap()) {
        if (word(ranks, word_of_leave, &bytes) == TAG_LEAVE) {
            return word_of_leave[0] == 0;
        }
    }
    return false;
}

void fil_ranks_leave(FilRanks* ranks)
{
    if (ranks == NULL) {
        return;
    }
    if (ranks->own == 0 && !ranks->parted) {
        part(ranks);
    }
    const uint64_t lost = (uint64_t)ranks->lost;
    for (int r = 1; r < ranks->count && ranks->own == 0; r++) {
        if (ranks->peers[r].gone) {
            MPI_Send(&lost, sizeof lost, MPI_BYTE, r, TAG_LEAVE, MPI_COMM_WORLD);
        }
    }
    if (ranks->own == 0 ? lost == 0 : !ranks->parted && wait_to_leave(ranks)) {
        MPI_Finalize();
    }
    pthread_mutex_destroy(&ranks->lock);
    fil_free(ranks->peers);
    fil_free(ranks->done);
    fil_free(ranks->issued);
    fil_free(ranks->buffer);
    fil_free(ranks);
}
