#include "linalg/runs.h"

#include <string.h>

/* Neighbours of a variable that is one of a row: nodes of a rod couple with the next two. */
enum { REACH = 2 };

/* What is known of a variable: it is touched, it has neighbours beyond reach, it is coupled with the next, and with the second next, it divides a
 * run. */
enum { TOUCHED = 1, BRANCHED = 2, NEXT = 4, SECOND_NEXT = 8, DIVIDES = 16 };

void fil_runs_free(FilRuns* runs)
{
    fil_free(runs->kept.at);
    fil_free(runs->touched.at);
    fil_free(runs->flags.at);
    fil_free(runs->structure.at);
    fil_free(runs->buffer);
    *runs = (FilRuns){0};
}

static bool reserve(FilRuns* runs, size_t n)
{
    return fil_ints_reserve(&runs->kept, n + 1) && fil_ints_reserve(&runs->touched, n + 1) && fil_ints_reserve(&runs->flags, n + 1) &&
           fil_ints_reserve(&runs->structure, n + 1) && fil_buffer_reserve(&runs->buffer, &runs->capacity, n + 1, sizeof(FilRun));
}

static void find_structure(const FilBlockPattern* pattern, int* flags)
{
    for (int j = 0; j < pattern->columns; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = pattern->row[k], apart = i - j;
            const int branched = apart > REACH ? BRANCHED : 0;
            flags[i] |= branched;
            flags[j] |= branched | (apart == 1 ? NEXT : apart == 2 ? SECOND_NEXT : 0);
        }
    }
}

static void find_touched(const FilBlockPattern* pattern, int* flags)
{
    for (int j = 0; j < pattern->columns; j++) {
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            flags[pattern->row[k]] |= TOUCHED;
            flags[j] |= TOUCHED;
        }
    }
}

/* Numbers the variables that are kept, and finds where runs of others begin and end. Where a single kept one would be between two runs that are
 * coupled across it, the next is kept, too. */
static void find_ranges(FilRuns* runs, FilRun* run)
{
    const int *flags = runs->flags.at, n = runs->columns;
    int* kept = runs->kept.at;
    runs->run_count = runs->kept_count = runs->run_columns = 0;
    for (int v = 0; v < n; v++) {
        const bool across = v > 1 && kept[v - 2] < 0 && (flags[v - 2] & SECOND_NEXT) != 0;
        const bool beside_run = v > 0 && kept[v - 1] < 0;
        if ((flags[v] & (TOUCHED | BRANCHED | DIVIDES)) != 0 || (across && !beside_run)) {
            runs->touched.at[runs->kept_count] = flags[v] & TOUCHED;
            kept[v] = runs->kept_count++;
            continue;
        }
        kept[v] = -1;
        if (!(beside_run && (across || (flags[v - 1] & (NEXT | SECOND_NEXT)) != 0))) {
            run[runs->run_count++] = (FilRun){.first = v, .step = 1};
        }
        run[runs->run_count - 1].count++;
        runs->run_columns++;
    }
}

/* The number of a variable that is kept and beside a run, if they are coupled. */
static int beside(const FilRuns* runs, int variable, bool coupled)
{
    return coupled ? runs->kept.at[variable] : -1;
}

/* Finds who is beside a run, which goes from where nobody is to the other end. */
static void find_ends(const FilRuns* runs, FilRun* run)
{
    const int *flags = runs->flags.at, n = runs->columns, first = run->first, end = first + run->count;
    run->before[0] = beside(runs, first - 1, first > 0 && (flags[first - 1] & (NEXT | SECOND_NEXT)) != 0);
    run->before[1] = beside(runs, first - 2, first > 1 && (flags[first - 2] & SECOND_NEXT) != 0);
    run->after[0] = beside(runs, end, end < n && ((flags[end - 1] & NEXT) != 0 || (run->count > 1 && (flags[end - 2] & SECOND_NEXT) != 0)));
    run->after[1] = beside(runs, end + 1, end + 1 < n && (flags[end - 1] & SECOND_NEXT) != 0);
    if (run->after[0] < 0 && run->after[1] < 0) {
        *run = (FilRun){end - 1, -1, run->count, {-1, -1}, {run->before[0], run->before[1]}};
    }
}

static void find_runs(FilRuns* runs)
{
    FilRun* run = runs->buffer;
    find_ranges(runs, run);
    for (int r = 0; r < runs->run_count; r++) {
        find_ends(runs, &run[r]);
    }
    runs->run = run;
}

bool fil_runs_find(FilRuns* runs, const FilBlockPattern* const* patterns, int count, bool same)
{
    const size_t n = (size_t)patterns[0]->columns;
    if (!reserve(runs, n)) {
        return false;
    }
    runs->columns = patterns[0]->columns;
    if (!same) {
        memset(runs->structure.at, 0, n * sizeof(int));
        for (int m = 0; m + 1 < count; m++) {
            find_structure(patterns[m], runs->structure.at);
        }
    }
    memcpy(runs->flags.at, runs->structure.at, n * sizeof(int));
    find_touched(patterns[count - 1], runs->flags.at);
    find_runs(runs);
    return true;
}

void fil_runs_divide(FilRuns* runs, int r)
{
    const FilRun* run = &runs->run[r];
    const int middle = run->first + run->step * (run->count / 2);
    for (int k = 0; k < REACH; k++) {
        runs->flags.at[middle + run->step * k] |= DIVIDES;
    }
    find_runs(runs);
}
