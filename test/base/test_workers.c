/* Workers share a loop: every item once, in fixed chunks, whatever their number; helpers park and come back, and do what is beside a loop; few
 * threads will do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/workers.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { ITEMS = 5000 };

typedef struct Loop {
    int count, grain, workers;
    int visits[ITEMS];  /* of each item */
    double sums[ITEMS]; /* of each chunk */
    atomic_int strange; /* chunks that are none, workers that are none */
} Loop;

static void visit(void* context, int first, int end, int worker)
{
    Loop* loop = context;
    const int wanted = loop->count - first < loop->grain ? loop->count : first + loop->grain;
    if (first % loop->grain != 0 || end != wanted || worker < 0 || worker >= loop->workers) {
        atomic_fetch_add(&loop->strange, 1);
        return;
    }
    double sum = 0.0;
    for (int k = first; k < end; ++k) {
        loop->visits[k]++;
        sum += 1.0 / (1.0 + k);
    }
    loop->sums[first / loop->grain] = sum;
}

static double run(FilWorkers* workers, int count, int grain)
{
    Loop* loop = calloc(1, sizeof *loop);
    assert_non_null(loop);
    loop->count = count;
    loop->grain = grain;
    loop->workers = fil_workers_count(workers);
    fil_workers_run(workers, count, grain, visit, loop);
    assert_int_equal(atomic_load(&loop->strange), 0);
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
        assert_int_equal(loop->visits[k], 1);
        sum += loop->sums[k];
    }
    free(loop);
    return sum;
}

static void every_item_is_visited_once(void** state)
{
    (void)state;
    for (int threads = 2; threads <= 5; ++threads) {
        FilWorkers* workers = fil_workers_create(threads);
        assert_non_null(workers);
        assert_int_equal(fil_workers_count(workers), threads);
        static const int counts[] = {0, 1, 2, 7, 64, 1000, ITEMS}, grains[] = {1, 3, 64, ITEMS};
        for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
            for (size_t g = 0; g < sizeof grains / sizeof *grains; ++g) {
                const double alone = run(NULL, counts[c], grains[g]), together = run(workers, counts[c], grains[g]);
                assert_memory_equal(&alone, &together, sizeof alone);  // the same chunks: the same bits
            }
        }
        fil_workers_destroy(workers);
    }
}

/* Many short loops in a row, and pauses in which helpers park: none is lost, none is done twice. */
static void helpers_come_back(void** state)
{
    (void)state;
    FilWorkers* workers = fil_workers_create(3);
    assert_non_null(workers);
    for (int k = 0; k < 3000; ++k) {
        run(workers, 1 + k % 40, 1);
        if (k % 500 == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
    }
    fil_workers_destroy(workers);
}

static void count_chunks(void* context, int first, int end, int worker)
{
    (void)end;
    (void)worker;
    ((unsigned char*)context)[first]++;
}

/* More loops than the word of a share has numbers for, with chunks of one item. */
static void numbers_of_loops_begin_again(void** state)
{
    (void)state;
    enum { LOOPS = 4500000, CHUNKS = 3 }; /* 2^22 is 4,194,304 */
    FilWorkers* workers = SANITIZED ? NULL : fil_workers_create(2);
    if (workers == NULL) {
        skip();
    }
    fil_workers_hold(workers, true);
    int wrong = 0;
    for (int k = 0; k < LOOPS; ++k) {
        unsigned char done[CHUNKS] = {0};
        fil_workers_run(workers, CHUNKS, 1, count_chunks, done);
        wrong += done[0] != 1 || done[1] != 1 || done[2] != 1;
    }
    assert_int_equal(wrong, 0);
    fil_workers_destroy(workers);
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec + 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void idle_helpers_cost_nothing(void** state)
{
    (void)state;
    FilWorkers* workers = fil_workers_create(4);
    assert_non_null(workers);
    run(workers, 100, 1);
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);  // parked by now
    const double before = cpu_seconds();
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    assert_true(cpu_seconds() - before < 0.02);  // spinning, three would have used some of 0.6 s
    fil_workers_destroy(workers);
}

typedef struct Aside {
    int rounds, times, worker;
    double sum;
} Aside;

static void add_up(void* context, int first, int end, int worker)
{
    Aside* aside = context;
    assert_true(first == 0 && end == 1);
    for (int k = 0; k < aside->rounds; ++k) {
        aside->sum += 1.0 / (1.0 + k);
    }
    aside->times++;
    aside->worker = worker;
}

/* Long and short ones, with loops beside them and without, parked helpers and such that look out; and nobody to help. */
static void something_is_done_beside_loops(void** state)
{
    (void)state;
    for (int count = 1; count <= 4; ++count) {
        FilWorkers* workers = fil_workers_create(count);
        for (int round = 0; round < 400; ++round) {
            Aside aside = {.rounds = round % 3 == 0 ? 20000 : 1, .worker = -1};
            double wanted = 0.0;
            for (int k = 0; k < aside.rounds; ++k) {
                wanted += 1.0 / (1.0 + k);
            }
            fil_workers_hold(workers, round % 2 == 0);
            fil_workers_begin_aside(workers, add_up, &aside);
            for (int loop = 0; loop < round % 4; ++loop) {
                (void)run(workers, 300, 7);
            }
            fil_workers_end_aside(workers);
            assert_int_equal(aside.times, 1);
            assert_true(aside.worker >= 0 && aside.worker < fil_workers_count(workers));
            assert_true(aside.sum == wanted);
            if (round % 50 == 0) {
                (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);  // they park
            }
        }
        fil_workers_destroy(workers);
    }
}

typedef struct Halves {
    FilWorkers* workers;
    int rounds;
    double first, rest; /* of both parts */
} Halves;

static void add_up_twice(void* context, int first, int end, int worker)
{
    Halves* halves = context;
    (void)first;
    (void)end;
    (void)worker;
    for (int k = 0; k < halves->rounds; ++k) {
        halves->first += 1.0;
    }
    fil_workers_report_aside(halves->workers);
    for (int k = 0; k < halves->rounds; ++k) {
        halves->rest += 2.0;
    }
}

/* The first part is there when it has been waited for, and the rest at the end. */
static void its_first_part_can_be_waited_for(void** state)
{
    (void)state;
    for (int count = 1; count <= 4; ++count) {
        FilWorkers* workers = fil_workers_create(count);
        for (int round = 0; round < 400; ++round) {
            Halves halves = {.workers = workers, .rounds = round % 3 == 0 ? 20000 : 1};
            fil_workers_begin_aside(workers, add_up_twice, &halves);
            for (int loop = 0; loop < round % 3; ++loop) {
                (void)run(workers, 300, 7);
            }
            if (round % 4 != 0) {  // nobody has to
                fil_workers_await_aside(workers);
                assert_true(halves.first == halves.rounds);
                (void)run(workers, 300, 7);
            }
            fil_workers_end_aside(workers);
            assert_true(halves.first == halves.rounds && halves.rest == 2.0 * halves.rounds);
        }
        fil_workers_destroy(workers);
    }
}

static void one_needs_no_helpers(void** state)
{
    (void)state;
    assert_null(fil_workers_create(1));
    assert_int_equal(fil_workers_count(NULL), 1);
    assert_true(fil_workers_processors() >= 1);
    fil_workers_destroy(NULL);
}

/* Address space for some stacks, but not for all: there are fewer workers, and they work. */
static void fewer_threads_will_do(void** state)
{
    (void)state;
    if (SANITIZED) {
        skip();  // their shadows need all the space there is
    }
    struct rlimit old, tight;
    char text[256] = "";
    FILE* file = fopen("/proc/self/statm", "r");
    if (file == NULL || fgets(text, sizeof text, file) == NULL) {
        skip();
    }
    fclose(file);
    const rlim_t used = (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    tight = old;
    tight.rlim_cur = used + (rlim_t)100 * 1024 * 1024;
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    FilWorkers* workers = fil_workers_create(FIL_WORKERS_MAX);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_true(fil_workers_count(workers) < FIL_WORKERS_MAX);
    run(workers, ITEMS, 10);
    fil_workers_destroy(workers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_visited_once),     cmocka_unit_test(helpers_come_back),
        cmocka_unit_test(numbers_of_loops_begin_again),   cmocka_unit_test(idle_helpers_cost_nothing),
        cmocka_unit_test(something_is_done_beside_loops), cmocka_unit_test(its_first_part_can_be_waited_for),
        cmocka_unit_test(one_needs_no_helpers),           cmocka_unit_test(fewer_threads_will_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
