#include "linalg/ordering_runs.h"

#include <string.h>

#include "linalg/runs.h"

/* Fewer variables of runs than this share of all are left to minimum degree, which takes them as it takes the others. */
static const double WORTH = 0.125;

/* Edges between the four variables at the ends of a run. */
enum { ENDS = 4, PAIRS = ENDS * (ENDS - 1) / 2 };

/* Arrays in one buffer. */
typedef struct Work {
    int* order;       /* of all variables */
    int *start, *row; /* what is left of all patterns */
    int *pair_start, *pair_row, *pair;
} Work;

static bool reserve(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count, Work* work)
{
    const size_t n = (size_t)patterns[0]->columns, kept = (size_t)ordering->runs.kept_count, runs = (size_t)ordering->runs.run_count;
    size_t blocks = 0;
    for (int m = 0; m < count; m++) {
        blocks += (size_t)patterns[m]->start[n];
    }
    const struct {
        int** array;
        size_t size;
    } parts[] = {{&work->order, n},
                 {&work->start, n + 1},
                 {&work->row, blocks},
                 {&work->pair_start, kept + 2},
                 {&work->pair_row, PAIRS * runs},
                 {&work->pair, 2 * PAIRS * runs}};
    size_t total = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        total += parts[k].size;
    }
    if (!fil_ints_reserve(&ordering->left, total)) {
        return false;
    }
    int* next = ordering->left.at;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k].array = next;
        next += parts[k].size;
    }
    return true;
}

/* Kept variables beside a run; returns how many. */
static int list_ends(const FilRun* run, int* ends)
{
    const int all[ENDS] = {run->before[0], run->before[1], run->after[0], run->after[1]};
    int count = 0;
    for (int k = 0; k < ENDS; k++) {
        ends[count] = all[k];
        count += all[k] >= 0;
    }
    return count;
}

/* Runs leave their ends coupled with each other. */
static FilBlockPattern join_ends(const FilRuns* runs, Work* work)
{
    int pairs = 0, *start = work->pair_start;
    memset(start, 0, ((size_t)runs->kept_count + 2) * sizeof *start);
    for (int r = 0; r < runs->run_count; r++) {
        int ends[ENDS];
        const int count = list_ends(&runs->run[r], ends);
        for (int a = 0; a < count; a++) {
            for (int b = a + 1; b < count; b++, pairs++) {
                const bool rises = ends[a] < ends[b];
                work->pair[2 * pairs] = ends[rises ? a : b];
                work->pair[2 * pairs + 1] = ends[rises ? b : a];
                start[work->pair[2 * pairs] + 2]++;
            }
        }
    }
    for (int k = 0; k < runs->kept_count; k++) {
        start[k + 2] += start[k + 1];
    }
    for (int k = 0; k < pairs; k++) {
        work->pair_row[start[work->pair[2 * k] + 1]++] = work->pair[2 * k + 1];
    }
    return (FilBlockPattern){runs->kept_count, start, work->pair_row};
}

/* What all patterns say about variables that are kept. */
static FilBlockPattern keep_patterns(const FilBlockPattern* const* patterns, int count, const FilRuns* runs, Work* work)
{
    const int* kept = runs->kept.at;
    int end = 0;
    for (int j = 0; j < patterns[0]->columns; j++) {
        if (kept[j] < 0) {
            continue;
        }
        work->start[kept[j]] = end;
        for (int m = 0; m < count; m++) {
            for (int k = patterns[m]->start[j]; k < patterns[m]->start[j + 1]; k++) {
                const int i = kept[patterns[m]->row[k]];
                work->row[end] = i;
                end += i >= 0;
            }
        }
    }
    work->start[runs->kept_count] = end;
    return (FilBlockPattern){runs->kept_count, work->start, work->row};
}

/* Runs that take turns, so that a column does not wait for the one before it. All of them would share lines of the cache with each other, and with
 * other threads' runs (entangling_gripper gained 1.57 by two threads, not 1.6). */
enum { TOGETHER = 3 };

/* Lists the variables of all runs; returns their number. */
static int take_turns(const FilRuns* runs, int* order)
{
    int count = 0;
    for (int batch = 0; batch < runs->run_count; batch += TOGETHER) {
        const int end = batch + TOGETHER < runs->run_count ? batch + TOGETHER : runs->run_count;
        for (int before = -1, k = 0; before != count; k++) {
            before = count;
            for (int r = batch; r < end; r++) {
                const FilRun* run = &runs->run[r];
                if (k < run->count) {
                    order[count++] = run->first + run->step * k;
                }
            }
        }
    }
    return count;
}

bool fil_ordering_by_runs(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count)
{
    const int n = patterns[0]->columns;
    FilRuns* runs = &ordering->runs;
    Work work;
    if (!fil_runs_find(runs, patterns, count, false)) {
        return false;
    }
    if (!(runs->run_columns > WORTH * n)) {
        return fil_ordering_min_degree(ordering, patterns, count, false);
    }
    if (runs->kept_count == 1) {
        runs->touched.at[0] = 0;  // groups are numbered below the number of variables
    }
    if (!reserve(ordering, patterns, count, &work)) {
        return false;
    }
    const FilBlockPattern joined = join_ends(runs, &work), left = keep_patterns(patterns, count, runs, &work);
    if (!fil_ordering_by_groups(ordering, (const FilBlockPattern*[]){&left, &joined}, 2, runs->touched.at)) {
        return false;
    }
    // variables of kept ones, in their patterns' place
    int end = take_turns(runs, work.order), *variable = work.start;
    for (int v = 0; v < n; v++) {
        if (runs->kept.at[v] >= 0) {
            variable[runs->kept.at[v]] = v;
        }
    }
    for (int k = 0; k < runs->kept_count; k++) {
        work.order[end++] = variable[ordering->old_of_new[k]];
    }
    return fil_ordering_put(ordering, n, work.order);
}
