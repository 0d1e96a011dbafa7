#include "linalg/ordering_runs.h"

#include <string.h>

/* Neighbours of a variable that is one of a row: nodes of a rod couple with the next two. */
enum { REACH = 2 };

/* Fewer such variables than this share of all are left to minimum degree, which takes them as it takes the others. */
static const double WORTH = 0.125;

/* Edges between the four variables at the ends of a run. */
enum { ENDS = 2 * REACH, PAIRS = ENDS * (ENDS - 1) / 2 };

/* What is known of a variable. */
enum { TOUCHED = 1, BRANCHED = 2, NEXT = 4, SECOND_NEXT = 8 };

/* Arrays in one buffer. */
typedef struct Work {
    int *flags, *kept; /* of each variable; number among those that are kept, or -1 */
    int *order, *group;
    int *first, *end, *step; /* of each run: from the next to eliminate to before `end` */
    int *start, *row;        /* what is left of all patterns */
    int *pair_start, *pair_row, *pair;
    int run_count, kept_count;
} Work;

static bool reserve(FilInts* buffer, const FilBlockPattern* const* patterns, int count, Work* work)
{
    const size_t n = (size_t)patterns[0]->columns;
    size_t blocks = 0;
    for (int m = 0; m < count; m++) {
        blocks += (size_t)patterns[m]->start[n];
    }
    // between two runs is a variable, or no edge
    const struct {
        int** array;
        size_t size;
    } parts[] = {{&work->flags, n},
                 {&work->kept, n},
                 {&work->order, n},
                 {&work->group, n},
                 {&work->first, n},
                 {&work->end, n},
                 {&work->step, n},
                 {&work->start, n + 1},
                 {&work->row, blocks},
                 {&work->pair_start, n + 2},
                 {&work->pair_row, PAIRS * n},
                 {&work->pair, 2 * PAIRS * n}};
    size_t total = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        total += parts[k].size;
    }
    if (!fil_ints_reserve(buffer, total)) {
        return false;
    }
    int* next = buffer->at;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k].array = next;
        next += parts[k].size;
    }
    return true;
}

/* Finds which variables the last pattern touches, which have neighbours beyond their reach, and which are neighbours in a row. Returns how many are
 * neither touched nor branched. */
static int find_flags(const FilBlockPattern* const* patterns, int count, int* flags)
{
    const int n = patterns[0]->columns;
    memset(flags, 0, (size_t)n * sizeof *flags);
    for (int m = 0; m < count; m++) {
        for (int j = 0; j < n; j++) {
            for (int k = patterns[m]->start[j]; k < patterns[m]->start[j + 1]; k++) {
                const int i = patterns[m]->row[k], low = i < j ? i : j, apart = i < j ? j - i : i - j;
                const int both = (m == count - 1 ? TOUCHED : 0) | (apart > REACH ? BRANCHED : 0);
                flags[i] |= both;
                flags[j] |= both;
                flags[low] |= apart == 1 ? NEXT : apart == 2 ? SECOND_NEXT : 0;
            }
        }
    }
    int rows = 0;
    for (int v = 0; v < n; v++) {
        rows += (flags[v] & (TOUCHED | BRANCHED)) == 0;
    }
    return rows;
}

/* Numbers the variables that are kept, and lists the runs of others. */
static void find_runs(int n, Work* work)
{
    const int* flags = work->flags;
    work->run_count = work->kept_count = 0;
    for (int v = 0; v < n; v++) {
        if ((flags[v] & (TOUCHED | BRANCHED)) != 0) {
            work->group[work->kept_count] = flags[v] & TOUCHED;
            work->kept[v] = work->kept_count++;
            continue;
        }
        work->kept[v] = -1;
        if (v == 0 || work->kept[v - 1] >= 0 || (flags[v - 1] & NEXT) == 0) {
            work->first[work->run_count++] = v;
        }
        work->end[work->run_count - 1] = v + 1;
    }
    if (work->kept_count == 1) {
        work->group[0] = 0;  // groups are numbered below the number of variables
    }
}

/* Kept variables beside a run, those before it first; returns how many. */
static int find_ends(int n, const Work* work, int first, int end, int* ends, int* before)
{
    const int* flags = work->flags;
    int count = 0;
    if (first > 1 && work->kept[first - 2] >= 0 && (flags[first - 2] & SECOND_NEXT) != 0) {
        ends[count++] = work->kept[first - 2];
    }
    if (first > 0 && work->kept[first - 1] >= 0 && (flags[first - 1] & (NEXT | SECOND_NEXT)) != 0) {
        ends[count++] = work->kept[first - 1];
    }
    *before = count;
    if (end < n && work->kept[end] >= 0 && ((flags[end - 1] & NEXT) != 0 || (end > 1 && (flags[end - 2] & SECOND_NEXT) != 0))) {
        ends[count++] = work->kept[end];
    }
    if (end + 1 < n && work->kept[end + 1] >= 0 && (flags[end - 1] & SECOND_NEXT) != 0) {
        ends[count++] = work->kept[end + 1];
    }
    return count;
}

/* Runs go from where nothing is beside them to the other end, and leave their ends coupled with each other. */
static FilBlockPattern join_ends(int n, Work* work)
{
    int pairs = 0, *start = work->pair_start;
    memset(start, 0, ((size_t)work->kept_count + 2) * sizeof *start);
    for (int r = 0; r < work->run_count; r++) {
        int ends[ENDS], before;
        const int first = work->first[r], end = work->end[r], count = find_ends(n, work, first, end, ends, &before);
        work->step[r] = 1;
        if (count == before) {
            work->step[r] = -1;
            work->first[r] = end - 1;
            work->end[r] = first - 1;
        }
        for (int a = 0; a < count; a++) {
            for (int b = a + 1; b < count; b++, pairs++) {
                work->pair[2 * pairs] = ends[a];
                work->pair[2 * pairs + 1] = ends[b];
                start[ends[a] + 2]++;
            }
        }
    }
    for (int k = 0; k < work->kept_count; k++) {
        start[k + 2] += start[k + 1];
    }
    for (int k = 0; k < pairs; k++) {
        work->pair_row[start[work->pair[2 * k] + 1]++] = work->pair[2 * k + 1];
    }
    return (FilBlockPattern){work->kept_count, start, work->pair_row};
}

/* What all patterns say about variables that are kept. */
static FilBlockPattern keep_patterns(const FilBlockPattern* const* patterns, int count, Work* work)
{
    int end = 0;
    for (int j = 0; j < patterns[0]->columns; j++) {
        if (work->kept[j] < 0) {
            continue;
        }
        work->start[work->kept[j]] = end;
        for (int m = 0; m < count; m++) {
            for (int k = patterns[m]->start[j]; k < patterns[m]->start[j + 1]; k++) {
                const int i = work->kept[patterns[m]->row[k]];
                work->row[end] = i;
                end += i >= 0;
            }
        }
    }
    work->start[work->kept_count] = end;
    return (FilBlockPattern){work->kept_count, work->start, work->row};
}

/* Runs that take turns, so that a column does not wait for the one before it. All of them would share lines of the cache with each other, and with
 * other threads' runs (entangling_gripper gained 1.57 by two threads, not 1.6). */
enum { TOGETHER = 3 };

/* Lists the variables of all runs; returns their number. */
static int take_turns(Work* work)
{
    int count = 0;
    for (int batch = 0; batch < work->run_count; batch += TOGETHER) {
        const int end = batch + TOGETHER < work->run_count ? batch + TOGETHER : work->run_count;
        for (int before = -1; before != count;) {
            before = count;
            for (int r = batch; r < end; r++) {
                if (work->first[r] != work->end[r]) {
                    work->order[count++] = work->first[r];
                    work->first[r] += work->step[r];
                }
            }
        }
    }
    return count;
}

bool fil_ordering_by_runs(FilOrdering* ordering, const FilBlockPattern* const* patterns, int count)
{
    const int n = patterns[0]->columns;
    Work work;
    if (!reserve(&ordering->runs, patterns, count, &work)) {
        return false;
    }
    if (!(find_flags(patterns, count, work.flags) > WORTH * n)) {
        return fil_ordering_min_degree(ordering, patterns, count, false);
    }
    find_runs(n, &work);
    const FilBlockPattern joined = join_ends(n, &work), left = keep_patterns(patterns, count, &work);
    if (!fil_ordering_by_groups(ordering, (const FilBlockPattern*[]){&left, &joined}, 2, work.group)) {
        return false;
    }
    // variables of kept ones, in the runs' place
    int end = take_turns(&work), *variable = work.first;
    for (int v = 0; v < n; v++) {
        if (work.kept[v] >= 0) {
            variable[work.kept[v]] = v;
        }
    }
    for (int k = 0; k < work.kept_count; k++) {
        work.order[end++] = variable[ordering->old_of_new[k]];
    }
    return fil_ordering_put(ordering, n, work.order);
}
