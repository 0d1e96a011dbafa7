#include "linalg/block_runs.h"

#include "linalg/block_runs_data.h"

/* Fewer variables of runs than this share of all are left to the sparse factor. */
static const double WORTH = 0.125;

/* Variables of a run whose halves are worth two more that are kept. Chosen: columns of both halves side by side take half the time of 30, the factor
 * of what is kept some five columns more. */
enum { LONG = 32 };

/* Columns that are done at a time: some 10 us. */
enum { CHUNK = 96 };

void fil_block_runs_free(FilBlockRuns* runs)
{
    FilInts* const ints[] = {&runs->a_start, &runs->a_row, &runs->at,    &runs->start,    &runs->row,    &runs->source,
                             &runs->c_start, &runs->c_row, &runs->place, &runs->order,    &runs->first,  &runs->begin,
                             &runs->kept_at, &runs->pivot, &runs->chunk, &runs->variable, &runs->scratch};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    FilDoubles* const doubles[] = {&runs->values, &runs->factor, &runs->windows, &runs->sums};
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++) {
        fil_free(doubles[k]->at);
    }
    fil_runs_free(&runs->runs);
    *runs = (FilBlockRuns){0};
}

/* Those with somebody before them, and others. */
enum { KINDS = 2 };

/* ---- A ---- */

static bool is_same(const FilInts* ints, const int* others, int count)
{
    return count == 0 || memcmp(ints->at, others, (size_t)count * sizeof *others) == 0;
}

static bool is_same_a(const FilBlockRuns* runs, const FilBlockPattern* a)
{
    const int n = a->columns;
    return n == runs->runs.columns && n > 0 && is_same(&runs->a_start, a->start, n + 1) && is_same(&runs->a_row, a->row, a->start[n]);
}

/* Keeps A's pattern, and finds the blocks of each variable with itself and with the next two. */
static bool adopt_a(FilBlockRuns* runs, const FilBlockPattern* a)
{
    const size_t n = (size_t)a->columns, blocks = (size_t)a->start[n];
    runs->runs.columns = 0;  // until all is there
    if (!fil_ints_reserve(&runs->a_start, n + 1) || !fil_ints_reserve(&runs->a_row, blocks + 1) || !fil_ints_reserve(&runs->at, 3 * n + 1)) {
        return false;
    }
    memcpy(runs->a_start.at, a->start, (n + 1) * sizeof(int));
    memcpy(runs->a_row.at, a->row, blocks * sizeof(int));
    memset(runs->at.at, -1, 3 * n * sizeof(int));
    for (int j = 0; j < a->columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            if (a->row[k] - j <= 2) {
                runs->at.at[3 * j + a->row[k] - j] = k;
            }
        }
    }
    return true;
}

/* ---- what is kept ---- */

static bool reserve(FilBlockRuns* runs, const FilBlockPattern* a, const FilBlockPattern* c)
{
    const size_t n = (size_t)a->columns, kept = (size_t)runs->runs.kept_count, count = (size_t)runs->runs.run_count;
    const size_t blocks = (size_t)a->start[n] + FIL_RUN_PAIRS * count + 1;
    return fil_ints_reserve(&runs->start, kept + 2) && fil_ints_reserve(&runs->row, blocks) && fil_ints_reserve(&runs->source, blocks) &&
           fil_ints_reserve(&runs->c_start, n + 1) && fil_ints_reserve(&runs->c_row, (size_t)c->start[n] + 1) &&
           fil_ints_reserve(&runs->place, FIL_RUN_PAIRS * count + 1) && fil_ints_reserve(&runs->order, count + KINDS * FIL_RUN_MAX_LANES) &&
           fil_ints_reserve(&runs->first, count + 1) && fil_ints_reserve(&runs->begin, count + KINDS) &&
           fil_ints_reserve(&runs->chunk, count + KINDS + 1) && fil_ints_reserve(&runs->kept_at, kept + 1) &&
           fil_ints_reserve(&runs->variable, kept + 1) && fil_ints_reserve(&runs->pivot, n + 1) &&
           fil_ints_reserve(&runs->scratch, KINDS * (n + 2) + FIL_RUN_PAIRS * count);
}

static void keep_c(FilBlockRuns* runs, const FilBlockPattern* c)
{
    const int *kept = runs->runs.kept.at, n = c->columns;
    for (int v = 0; v < n; v++) {
        if (kept[v] >= 0) {
            runs->c_start.at[kept[v]] = c->start[v];
        }
    }
    runs->c_start.at[runs->runs.kept_count] = c->start[n];  // columns of runs are empty
    for (int k = 0; k < c->start[n]; k++) {
        runs->c_row.at[k] = kept[c->row[k]];
    }
    runs->c = (FilBlockPattern){runs->runs.kept_count, runs->c_start.at, runs->c_row.at};
}

/* Lists the pairs of ends of all runs by the columns of their blocks. */
static void list_pairs(const FilBlockRuns* runs, int* head, int* next)
{
    memset(head, -1, (size_t)runs->runs.kept_count * sizeof *head);
    for (int id = FIL_RUN_PAIRS * runs->runs.run_count - 1; id >= 0; id--) {
        const FilRun* run = &runs->runs.run[id / FIL_RUN_PAIRS];
        const int p = fil_run_end(run, fil_run_pairs[id % FIL_RUN_PAIRS][0]), q = fil_run_end(run, fil_run_pairs[id % FIL_RUN_PAIRS][1]);
        runs->place.at[id] = -1;
        if (p >= 0 && q >= 0) {
            next[id] = head[p < q ? p : q];
            head[p < q ? p : q] = id;
        }
    }
}

/* The pattern of the Schur complement: A's kept blocks, and those of ends of runs with each other. */
static bool keep_a(FilBlockRuns* runs, const FilBlockPattern* a)
{
    const int *kept = runs->runs.kept.at, count = runs->runs.kept_count;
    int *head = runs->scratch.at, *mark = head + count, *next = mark + count, end = 0;
    list_pairs(runs, head, next);
    memset(mark, -1, (size_t)count * sizeof *mark);
    for (int v = 0; v < a->columns; v++) {
        const int j = kept[v], begin = end;
        if (j < 0) {
            continue;
        }
        runs->start.at[j] = begin;
        runs->variable.at[j] = v;
        for (int k = a->start[v]; k < a->start[v + 1]; k++) {
            const int i = kept[a->row[k]];
            if (i >= 0) {
                mark[i] = end;
                runs->row.at[end] = i;
                runs->source.at[end++] = k;
            }
        }
        for (int id = head[j]; id >= 0; id = next[id]) {
            const FilRun* run = &runs->runs.run[id / FIL_RUN_PAIRS];
            const int p = fil_run_end(run, fil_run_pairs[id % FIL_RUN_PAIRS][0]), q = fil_run_end(run, fil_run_pairs[id % FIL_RUN_PAIRS][1]);
            const int i = p < q ? q : p;
            if (mark[i] < begin) {
                mark[i] = end;
                runs->row.at[end] = i;
                runs->source.at[end++] = -1;
            }
            runs->place.at[id] = mark[i];
        }
    }
    runs->start.at[count] = end;
    runs->a = (FilBlockPattern){count, runs->start.at, runs->row.at};
    return fil_doubles_reserve(&runs->values, FIL_BLOCK_SIZE * (size_t)end + 1);
}

/* ---- order ---- */

/* Sorts runs by whether somebody is before them and by length, so that those of a group are alike; -1 where the first group of a kind, of the
 * shortest, has fewer. */
static void sort_runs(FilBlockRuns* runs)
{
    const int count = runs->runs.run_count, lanes = runs->passes->lanes;
    int *start = runs->scratch.at, longest = 0;
    for (int r = 0; r < count; r++) {
        longest = runs->runs.run[r].count > longest ? runs->runs.run[r].count : longest;
    }
    const int lengths = longest + 1, end = KINDS * lengths;
    int of_kind[KINDS] = {0};
    memset(start, 0, ((size_t)end + 1) * sizeof *start);
    for (int r = 0; r < count; r++) {
        const FilRun* run = &runs->runs.run[r];
        const int kind = fil_run_is_between(run);
        start[lengths * kind + run->count + 1]++;
        of_kind[kind]++;
    }
    memset(runs->order.at, -1, ((size_t)count + KINDS * FIL_RUN_MAX_LANES) * sizeof(int));
    for (int k = 0; k < end; k++) {
        if (k % lengths == 0) {
            start[k] += (lanes - of_kind[k / lengths] % lanes) % lanes;
        }
        start[k + 1] += start[k];
    }
    runs->group_count = start[end] / lanes;
    for (int r = 0; r < count; r++) {
        const FilRun* run = &runs->runs.run[r];
        runs->order.at[start[lengths * fil_run_is_between(run) + run->count]++] = r;
    }
}

/* Where the columns of each group of runs stand, and chunks of groups that workers share; returns how many numbers columns have. */
static size_t lay_out(FilBlockRuns* runs)
{
    const int lanes = runs->passes->lanes;
    int pivot = 0, begin = 0, columns = CHUNK;
    runs->chunk_count = 0;
    for (int group = 0; group < runs->group_count; group++) {
        int longest = 0;
        bool between = false;
        if (columns >= CHUNK) {
            runs->chunk.at[runs->chunk_count++] = group;
            columns = 0;
        }
        runs->begin.at[group] = begin;
        for (int k = lanes * group; k < lanes * (group + 1); k++) {
            const int r = runs->order.at[k];
            if (r < 0) {
                continue;
            }
            const FilRun* run = &runs->runs.run[r];
            runs->first.at[r] = pivot;
            for (int i = 0; i < run->count; i++) {
                runs->pivot.at[run->first + run->step * i] = pivot + i;
            }
            pivot += run->count;
            longest = run->count > longest ? run->count : longest;
            between = fil_run_is_between(run);
        }
        begin += lanes * longest * (between ? FIL_RUN_LONG : FIL_RUN_SHORT);
        columns += lanes * longest;
    }
    runs->chunk.at[runs->chunk_count] = runs->group_count;
    return (size_t)begin;
}

/* Orders runs into groups, for the passes with most lanes that are not idle for the most part: of few runs, of unlike lengths or kinds, groups of
 * four have places that nobody takes, and a column of four takes 1.1 to 1.3 times as long as one of two (12 to 81 rods, Xeon). Returns how many
 * numbers columns have. */
static size_t arrange(FilBlockRuns* runs)
{
    size_t taken = 0;
    for (int r = 0; r < runs->runs.run_count; r++) {
        const FilRun* run = &runs->runs.run[r];
        taken += (size_t)run->count * (fil_run_is_between(run) ? FIL_RUN_LONG : FIL_RUN_SHORT);
    }
    runs->passes = fil_run_passes();
    sort_runs(runs);
    size_t places = lay_out(runs);
    if (places > 2 * taken) {
        runs->passes = &fil_run_passes_plain;
        sort_runs(runs);
        places = lay_out(runs);
    }
    return places;
}

/* The longest run with somebody before it is divided if their number is odd: of two runs side by side it would have nobody, and its halves have each
 * other. The same for any number of lanes, since who is kept decides on roundings. */
static void divide_lonely(FilBlockRuns* runs)
{
    int count = 0, longest = -1;
    for (int r = 0; r < runs->runs.run_count; r++) {
        const FilRun* run = &runs->runs.run[r];
        if (fil_run_is_between(run)) {
            longest = longest < 0 || run->count > runs->runs.run[longest].count ? r : longest;
            count++;
        }
    }
    if (count % 2 != 0 && runs->runs.run[longest].count >= LONG) {
        fil_runs_divide(&runs->runs, longest);
    }
}

bool fil_block_runs_find(FilBlockRuns* runs, const FilBlockPattern* a, const FilBlockPattern* c, bool* worth)
{
    const FilBlockPattern* const patterns[] = {a, c};
    const bool same = is_same_a(runs, a);
    *worth = false;
    if ((!same && !adopt_a(runs, a)) || !fil_runs_find(&runs->runs, patterns, 2, same)) {
        return false;
    }
    divide_lonely(runs);
    if (runs->runs.kept_count == 0 || !(runs->runs.run_columns > WORTH * a->columns)) {
        return true;
    }
    if (!reserve(runs, a, c) || !keep_a(runs, a)) {
        return false;
    }
    keep_c(runs, c);
    const size_t numbers = arrange(runs);
    *worth = true;
    const size_t count = (size_t)runs->runs.run_count;
    return fil_doubles_reserve(&runs->factor, numbers + 1) && fil_doubles_reserve(&runs->windows, FIL_RUN_PAIRS * FIL_BLOCK_SIZE * count) &&
           fil_doubles_reserve(&runs->sums, 2 * FIL_RUN_ENDS * FIL_BLOCK * count);
}

double fil_block_runs_products(const FilBlockRuns* runs)
{
    double products = 0.0;
    for (int r = 0; r < runs->runs.run_count; r++) {
        products += (fil_run_is_between(&runs->runs.run[r]) ? 10.0 : 3.0) * runs->runs.run[r].count;
    }
    return products;
}

void fil_block_runs_place(FilBlockRuns* runs, const int* kept_pivots)
{
    for (int v = 0; v < runs->runs.columns; v++) {
        const int j = runs->runs.kept.at[v];
        if (j >= 0) {
            runs->pivot.at[v] = runs->kept_at.at[j] = runs->runs.run_columns + kept_pivots[j];
        }
    }
}

bool fil_block_runs_are(const FilBlockRuns* runs, const FilBlockPattern* a, const FilBlockPattern* c)
{
    if (!is_same_a(runs, a) || c == NULL || c->columns != a->columns) {
        return false;
    }
    const int* kept = runs->runs.kept.at;
    for (int v = 0, blocks = 0; v < c->columns; v++) {
        const int count = c->start[v + 1] - c->start[v];
        if (kept[v] < 0 ? count > 0 : runs->c_start.at[kept[v] + 1] - runs->c_start.at[kept[v]] != count) {
            return false;
        }
        for (int k = 0; k < count; k++, blocks++) {
            if (runs->c_row.at[blocks] != kept[c->row[blocks]]) {
                return false;
            }
        }
    }
    return true;
}
