/* The changing columns of the preconditioner's factor, by panels: columns that go on alike, row by row, so that what one panel takes from another is
 * read from front to back, and once. Most of a net's products are in some twenty panels of 4 to 60 columns. */
#include <limits.h>
#include <string.h>

#include "linalg/block_preconditioner_data.h"

/* ---- analysis ---- */

void fil_block_panels_free(FilBlockPanels* panels)
{
    FilInts* const ints[] = {&panels->first, &panels->at, &panels->of, &panels->parent, &panels->source_start, &panels->source, &panels->slot};
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        fil_free(ints[k]->at);
    }
    fil_free(panels->values.at);
    fil_free(panels->taken.at);
    fil_subtrees_free(&panels->trees);
    *panels = (FilBlockPanels){0};
}

/* Whether column j + 1 is as column j but for its first block. */
static bool are_alike(const FilBlockSymbolic* s, int j)
{
    const int* start = s->column_start.at + j;
    return j + 1 < s->columns && s->parent.at[j] == j + 1 && start[2] - start[1] == start[1] - start[0] - 1;
}

static inline FilPanel panel_of(const FilBlockPreconditioner* precond, int k, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const FilBlockPanels* panels = &precond->panels;
    const int first = panels->first.at[k], start = s->column_start.at[first];
    return (FilPanel){.first = first,
                      .columns = panels->first.at[k + 1] - first,
                      .rows = s->column_start.at[first + 1] - start,
                      .row = s->row.at + start,
                      .at = block_at(panels->values.at, panels->at.at[k], width)};
}

/* The panels that panel k takes products from, each with its first and last row that are columns of panel k; at the end of the list. `mark` of each
 * panel: the last one that took from it. */
static int list_sources(FilBlockPreconditioner* precond, int k, int end, int* mark)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    FilBlockPanels* panels = &precond->panels;
    int* source = panels->source.at;
    for (int j = panels->first.at[k]; j < panels->first.at[k + 1]; j++) {
        for (int q = s->row_start.at[j]; q < s->row_start.at[j + 1]; q++) {
            const int column = s->row_column.at[q], from = column >= s->first_changing ? panels->of.at[column - s->first_changing] : -1;
            if (from < 0 || from == k || panels->first.at[from] != column) {
                continue;  // rows of a panel are those of its first column
            }
            if (mark[from] != k) {
                mark[from] = k;
                memcpy(source + 3 * (ptrdiff_t)end, (const int[]){from, s->row_block.at[q] - s->column_start.at[column], 0}, 3 * sizeof(int));
                panels->slot.at[from] = end++;
            }
            source[3 * (ptrdiff_t)panels->slot.at[from] + 2] = s->row_block.at[q] - s->column_start.at[column] + 1;
        }
    }
    return end;
}

/* Products of a panel: with itself and with those that it takes from. */
static double work_of(const FilBlockPreconditioner* precond, int k)
{
    const FilBlockPanels* panels = &precond->panels;
    const FilPanel own = panel_of(precond, k, FIL_BLOCK);
    double work = 0.5 * own.columns * own.columns * own.rows;
    for (int q = panels->source_start.at[k]; q < panels->source_start.at[k + 1]; q++) {
        const int* source = panels->source.at + 3 * (ptrdiff_t)q;
        const FilPanel from = panel_of(precond, source[0], FIL_BLOCK);
        work += (double)from.columns * (from.rows - source[1]) * (source[2] - source[1]);
    }
    return work;
}

bool fil_block_panels_find(FilBlockPreconditioner* precond)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    FilBlockPanels* panels = &precond->panels;
    const size_t changing = (size_t)(s->columns - s->first_changing), blocks = (size_t)(s->factor_blocks - s->column_start.at[s->first_changing]);
    if (!fil_ints_reserve(&panels->first, changing + 1) || !fil_ints_reserve(&panels->at, changing + 1) ||
        !fil_ints_reserve(&panels->of, changing + 1) || !fil_ints_reserve(&panels->slot, changing + 1) ||
        !fil_ints_reserve(&panels->parent, changing + 1) || !fil_ints_reserve(&panels->source_start, changing + 1) ||
        !fil_ints_reserve(&panels->source, 3 * blocks + 1) || !fil_doubles_reserve(&panels->taken, changing + 1) ||
        !fil_subtrees_reserve(&panels->trees, (int)changing)) {
        return false;
    }
    panels->count = 0;
    size_t size = 0;
    for (int j = s->first_changing; j < s->columns; j++) {
        if (j == s->first_changing || !are_alike(s, j - 1)) {
            panels->first.at[panels->count++] = j;
        }
        panels->of.at[j - s->first_changing] = panels->count - 1;
    }
    panels->first.at[panels->count] = s->columns;
    for (int k = 0; k < panels->count; k++) {
        const int first = panels->first.at[k], last = panels->first.at[k + 1] - 1, parent = s->parent.at[last];
        panels->at.at[k] = (int)size;
        panels->parent.at[k] = parent >= 0 ? panels->of.at[parent - s->first_changing] : -1;
        size += (size_t)(last + 1 - first) * (size_t)(s->column_start.at[first + 1] - s->column_start.at[first]);
        if (size > INT_MAX) {
            return false;
        }
    }
    int end = 0, *mark = s->scratch.at;
    memset(mark, -1, sizeof(int) * changing);
    for (int k = 0; k < panels->count; k++) {
        panels->source_start.at[k] = end;
        end = list_sources(precond, k, end, mark);
    }
    panels->source_start.at[panels->count] = end;
    panels->work = 0.0;
    for (int k = 0; k < panels->count; k++) {
        panels->trees.work.at[k] = panels->taken.at[k] = work_of(precond, k);
        panels->work += panels->taken.at[k];
    }
    fil_subtrees_find(&panels->trees, panels->count, panels->parent.at);
    return fil_floats_reserve(&panels->values, FIL_BLOCK_SIZE * size + 1);
}

/* ---- what has changed ---- */

/* Whether F is another in column j than it was. */
static bool has_changed(const FilBlockPreconditioner* precond, int j, const double* f_values)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int* source = s->source[F].at;
    bool changed = false;
    for (int p = s->column_start.at[j]; p < s->column_start.at[j + 1] && !changed; p++) {
        const size_t block = FIL_BLOCK_SIZE * (size_t)(source[p] >> 1);
        changed = source[p] != FIL_BLOCK_NO_SOURCE && memcmp(f_values + block, precond->f_values.at + block, FIL_BLOCK_SIZE * sizeof *f_values) != 0;
    }
    return changed;
}

typedef struct Comparison {
    const FilBlockPreconditioner* precond;
    const double* f_values;
} Comparison;

/* Of some of the changing columns, counted from the first. */
static void compare_some(void* context, int first, int end, int worker)
{
    const Comparison* own = context;
    const int from = own->precond->symbolic.first_changing;
    (void)worker;
    for (int j = from + first; j < from + end; j++) {
        own->precond->stale.at[j] = has_changed(own->precond, j, own->f_values);
    }
}

/* Columns from which on workers share that, and so many at a time: some 5 us. */
enum { COMPARED = 256 };

/* Flags the changing columns in which F is another than it was, and what depends on them. */
static void find_stale(FilBlockPreconditioner* precond, FilWorkers* workers, const double* f_values)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int changing = s->columns - s->first_changing;
    const bool shares = workers != NULL && changing > COMPARED && precond->has_f;
    int* stale = precond->stale.at;
    Comparison own = {precond, f_values};
    for (int j = s->first_changing; j < s->columns && !shares; j++) {
        stale[j] = !precond->has_f;
    }
    if (shares) {
        fil_workers_run(workers, changing, COMPARED, compare_some, &own);
    }
    for (int j = s->first_changing; j < s->columns && precond->has_f; j++) {
        stale[j] = stale[j] || (!shares && has_changed(precond, j, f_values));  // one leaves out what is stale already
        if (stale[j] && s->parent.at[j] >= 0) {
            stale[s->parent.at[j]] = true;
        }
    }
}

/* ---- a panel ---- */

/* Rows `begin` to `end` - 1 of a panel before others take from it: what it begins with, and F; false: F is not thin where that is asked for. */
static inline bool start_rows(const FilBlockPreconditioner* precond, const FilPanel* panel, const double* f_values, int begin, int end, int width)
{
    const FilBlockSymbolic* s = &precond->symbolic;
    const int *source = s->source[F].at, last = end < panel->columns ? end : panel->columns;
    double fourth = 0.0;
    for (int c = 0; c < panel->columns; c++) {
        const int j = panel->first + c, first = begin > c ? begin : c;
        const float* base = base_of(precond, j, width) + (ptrdiff_t)4 * width * (first - c);
        for (int r = first, p = s->column_start.at[j] + first - c; r < end; r++, p++, base += 4 * width) {
            float* to = block_at(panel->at, r * panel->columns + c, width);
            if (source[p] == FIL_BLOCK_NO_SOURCE) {
                memcpy(to, base, 4 * (size_t)width * sizeof *to);
                continue;
            }
            const double* block = f_values + FIL_BLOCK_SIZE * (size_t)(source[p] >> 1);
            for (int k = 0; k < width; k++) {
                fil_float4_store(to + 4 * k, fil_float4_load(base + 4 * k) + round_column(block, source[p], k));
            }
            fourth += width < FIL_BLOCK ? fourth_of(block, r == c) : 0.0;
        }
    }
    for (int r = begin; r < last; r++) {
        memset(block_at(panel->at, r * panel->columns + r + 1, width), 0, 4 * (size_t)width * (size_t)(panel->columns - r - 1) * sizeof(float));
    }
    return fourth == 0.0;
}

/* Numbers of L, and those that they are made of, are zero below the root of the smallest normal number: what they give with each other is normal, or
 * zero. A friction that few nodes feel fades out along a large panel, and amd64 is slow where products are subnormal: tether_net's panels of 48
 * columns and more took 1.7 to 2.9 times as long (Xeon, Emerald Rapids, those flushed by the processor). */
static const float SMALLEST = 0x1p-63F;

/* A block of L from the gathered one, which is lost. */
static inline void finish_large(FilFloat4* block, const FilFloat4* w, FilFloat4* l, int width)
{
    for (int k = 0; k < width; k++) {
        block[k] = fil_float4_flush(block[k], SMALLEST);
    }
    finish_block(block, w, l, width);
    for (int k = 0; k < width; k++) {
        l[k] = fil_float4_flush(l[k], SMALLEST);
    }
}

/* Blocks of columns c and, of two, c + 1 of the panel in rows `begin` to `end` - 1, below both, become those of L, which has them by columns, too. */
static inline __attribute__((always_inline)) void finish_rows(FilBlockPreconditioner* precond, const FilPanel* panel, int c, int columns, int begin,
                                                              int end, int width)
{
    const int *start = precond->symbolic.column_start.at + panel->first + c, block = 4 * width;
    const float *w = block_at(precond->inverse.at, panel->first + c, width), *both = block_at(panel->at, (c + 1) * panel->columns + c, width);
    float *line = block_at(panel->at, begin * panel->columns + c, width), *kept = block_at(precond->factor.at, start[0] + begin - c, width);
    float* next_kept = block_at(precond->factor.at, start[1] + begin - c - 1, width);
    FilFloat4 first[FIL_BLOCK], second[FIL_BLOCK], between[FIL_BLOCK], l[FIL_BLOCK], rest[FIL_BLOCK];
    for (int k = 0; k < width; k++) {
        first[k] = fil_float4_load(w + 4 * k);
        second[k] = columns == 2 ? fil_float4_load(w + block + 4 * k) : first[k];
        between[k] = columns == 2 ? fil_float4_load(both + 4 * k) : first[k];  // L of both columns
    }
    for (int r = begin; r < end; r++, line += (ptrdiff_t)block * panel->columns, kept += block, next_kept += block) {
        for (int k = 0; k < width; k++) {
            rest[k] = fil_float4_load(line + 4 * k);
        }
        finish_large(rest, first, l, width);
        for (int k = 0; k < width; k++) {
            fil_float4_store(line + 4 * k, l[k]);
            fil_float4_store(kept + 4 * k, l[k]);
        }
        if (columns == 1) {
            continue;
        }
        for (int m = 0; m < width; m++) {
            rest[m] = fil_float4_load(line + block + 4 * m);
            for (int k = 0; k < width; k++) {
                rest[m] = fil_float4_sub_lane(rest[m], l[k], between[k], m);
            }
        }
        finish_large(rest, second, l, width);
        for (int k = 0; k < width; k++) {
            fil_float4_store(line + block + 4 * k, l[k]);
            fil_float4_store(next_kept + 4 * k, l[k]);
        }
    }
}

/* The pivots of columns c and, of two, c + 1, and the block between them. */
static inline bool finish_pivots(FilBlockPreconditioner* precond, const FilPanel* panel, int c, int columns, int width)
{
    FilFloat4 w[FIL_BLOCK];
    if (!keep_pivot(precond, block_at(panel->at, c * panel->columns + c, width), panel->first + c, w, width)) {
        return false;
    }
    if (columns == 1) {
        return true;
    }
    float* pivot = block_at(panel->at, (c + 1) * panel->columns + c + 1, width);
    const float* l = pivot - 4 * width;
    finish_rows(precond, panel, c, 1, c + 1, c + 2, width);
    for (int m = 0; m < width; m++) {
        FilFloat4 sum = fil_float4_load(pivot + 4 * m);
        for (int k = 0; k < width; k++) {
            sum = fil_float4_sub_lane(sum, fil_float4_load(l + 4 * k), fil_float4_load(l + 4 * k), m);
        }
        fil_float4_store(pivot + 4 * m, sum);
    }
    return keep_pivot(precond, pivot, panel->first + c + 1, w, width);
}

/* Columns of a panel that are finished together: 24 to 45 kB of all before them in these rows, which the cache nearest to the processor holds. */
enum { TOGETHER = 16 };

/* Columns `first` to `end` - 1 of a panel in rows `begin` to `last` - 1: what columns before them take; then, from the diagonal on or below it, what
 * is left. */
typedef struct Finish {
    FilBlockPreconditioner* precond;
    FilPanel panel;
    const int* place;
    int first, end;
} Finish;

static inline void take_own_rows(const Finish* finish, int begin, int last, int width)
{
    finish->precond->products->panel(&finish->panel, &finish->panel, 0, finish->first, finish->first, finish->end, begin, last, finish->place, width);
}

static inline void finish_below(const Finish* finish, int begin, int last, int width)
{
    for (int c = finish->first, columns; c < finish->end; c += columns) {
        columns = c + 1 < finish->end ? 2 : 1;
        if (c > finish->first) {
            finish->precond->products->panel(&finish->panel, &finish->panel, finish->first, c - finish->first, c, c + columns, begin, last,
                                             finish->place, width);
        }
        finish_rows(finish->precond, &finish->panel, c, columns, begin, last, width);
    }
}

static inline bool finish_diagonal(const Finish* finish, int width)
{
    for (int c = finish->first, columns; c < finish->end; c += columns) {
        columns = c + 1 < finish->end ? 2 : 1;
        if (c > finish->first) {
            finish->precond->products->panel(&finish->panel, &finish->panel, finish->first, c - finish->first, c, c + columns, c, finish->end,
                                             finish->place, width);
        }
        if (!finish_pivots(finish->precond, &finish->panel, c, columns, width)) {
            return false;
        }
        finish_rows(finish->precond, &finish->panel, c, columns, c + columns, finish->end, width);
    }
    return true;
}

static void take_own_some(void* context, int first, int end, int worker)
{
    const Finish* finish = context;
    (void)worker;
    if (finish->precond->thin) {
        take_own_rows(finish, finish->first + first, finish->first + end, 3);
    } else {
        take_own_rows(finish, finish->first + first, finish->first + end, 4);
    }
}

static void finish_some(void* context, int first, int end, int worker)
{
    const Finish* finish = context;
    (void)worker;
    if (finish->precond->thin) {
        finish_below(finish, finish->end + first, finish->end + end, 3);
    } else {
        finish_below(finish, finish->end + first, finish->end + end, 4);
    }
}

/* Rows that workers finish at a time, where they share a panel: some microseconds. */
enum { ROWS_AT_ONCE = 12 };

static inline bool finish_panel(FilBlockPreconditioner* precond, FilWorkers* workers, const FilPanel* panel, const int* place, int width)
{
    Finish finish = {precond, *panel, place, 0, 0};
    const int grain = workers != NULL ? ROWS_AT_ONCE : panel->rows;
    for (int c = 0; c < panel->columns; c = finish.end) {
        finish.first = c;
        finish.end = c + TOGETHER < panel->columns ? c + TOGETHER : panel->columns;
        if (c > 0) {
            fil_workers_run(workers, panel->rows - c, grain, take_own_some, &finish);
        }
        if (!finish_diagonal(&finish, width)) {
            return false;
        }
        fil_workers_run(workers, panel->rows - finish.end, grain, finish_some, &finish);
    }
    return true;
}

/* What all others take from rows `first` to `end` - 1 of panel k. */
static inline void take_from_rows(const FilBlockPreconditioner* precond, int k, int first, int end, const int* place, int width)
{
    const FilBlockPanels* panels = &precond->panels;
    const FilPanel panel = panel_of(precond, k, width);
    for (int q = panels->source_start.at[k]; q < panels->source_start.at[k + 1]; q++) {
        const int* source = panels->source.at + 3 * (ptrdiff_t)q;
        const FilPanel from = panel_of(precond, source[0], width);
        // rows of both rise
        int begin = source[1], last = from.rows;
        while (begin < last && place[from.row[begin]] < first) {
            begin++;
        }
        while (begin < last && place[from.row[last - 1]] >= end) {
            last--;
        }
        precond->products->panel(&panel, &from, 0, from.columns, source[1], source[2], begin, last, place, width);
    }
}

/* Parts of a panel that workers take at a time: of more, fewer rows go four together. Products of one from which on they do: some 10 us of work. */
enum { PARTS = 4 };
static const double MIN_PANEL = 5e3;

/* A panel's rows up to where it is finished, part by part. */
typedef struct Rows {
    const FilBlockPreconditioner* precond;
    const double* f_values;
    const int* place;
    int panel;
    bool fits[PARTS]; /* F is thin, or need not be */
} Rows;

/* The first row of a part: all have as many blocks, of which there are none above the diagonal. */
static int row_of_part(const FilPanel* panel, int part)
{
    const double n = panel->columns, triangle = 0.5 * n * n, before = (n * panel->rows - triangle) * part / PARTS;
    return part < PARTS ? (int)(before < triangle ? sqrt(2.0 * before) : (before + triangle) / n) : panel->rows;
}

static void take_from_some(void* context, int first, int end, int worker)
{
    Rows* rows = context;
    const FilPanel panel = panel_of(rows->precond, rows->panel, rows->precond->thin ? 3 : 4);
    const int begin = row_of_part(&panel, first), last = row_of_part(&panel, end);
    (void)worker;
    if (rows->precond->thin) {
        rows->fits[first] = start_rows(rows->precond, &panel, rows->f_values, begin, last, 3);
        take_from_rows(rows->precond, rows->panel, begin, last, rows->place, 3);
    } else {
        rows->fits[first] = start_rows(rows->precond, &panel, rows->f_values, begin, last, 4);
        take_from_rows(rows->precond, rows->panel, begin, last, rows->place, 4);
    }
}

static inline int make_panel(FilBlockPreconditioner* precond, FilWorkers* workers, int k, const double* f_values, int* place, int width)
{
    const FilPanel panel = panel_of(precond, k, width);
    for (int r = 0; r < panel.rows; r++) {
        place[panel.row[r]] = r;
    }
    FilWorkers* sharing = precond->panels.taken.at[k] > MIN_PANEL ? workers : NULL;
    bool fits = true;
    if (sharing != NULL) {
        Rows rows = {.precond = precond, .f_values = f_values, .place = place, .panel = k};
        fil_workers_run(sharing, PARTS, 1, take_from_some, &rows);
        for (int part = 0; part < PARTS; part++) {
            fits = fits && rows.fits[part];
        }
    } else {
        fits = start_rows(precond, &panel, f_values, 0, panel.rows, width);
        take_from_rows(precond, k, 0, panel.rows, place, width);
    }
    if (!fits) {
        return NOT_THIN;
    }
    return finish_panel(precond, sharing, &panel, place, width) ? DONE : INDEFINITE;
}

/* ---- shared by workers ---- */

typedef struct Changing {
    FilBlockPreconditioner* precond;
    const double* f_values;
    FilWorkers* within; /* who share the rows of panels */
} Changing;

/* Panels of some subtrees; the last one stands for what is above all. */
static void make_trees(void* context, int first, int end, int worker)
{
    const Changing* changing = context;
    FilBlockPreconditioner* precond = changing->precond;
    const FilBlockPanels* panels = &precond->panels;
    int* place = precond->place.at + (size_t)worker * (size_t)precond->symbolic.columns;
    for (int t = first; t < end; t++) {
        int* outcome = &precond->outcome.at[t];
        *outcome = DONE;
        for (int q = panels->trees.start.at[t]; q < panels->trees.start.at[t + 1] && *outcome == DONE; q++) {
            const int k = panels->trees.column.at[q];
            if (precond->stale.at[panels->first.at[k + 1] - 1]) {  // on which all others of it depend
                *outcome = precond->thin ? make_panel(precond, changing->within, k, changing->f_values, place, 3)
                                         : make_panel(precond, changing->within, k, changing->f_values, place, 4);
            }
        }
    }
}

/* Blocks of F that are kept at a time, to be compared with: some 3 us. */
enum { KEPT = 256 };

static void keep_some(void* context, int first, int end, int worker)
{
    const Comparison* own = context;
    const size_t at = FIL_BLOCK_SIZE * (size_t)first;
    (void)worker;
    memcpy(own->precond->f_values.at + at, own->f_values + at, FIL_BLOCK_SIZE * (size_t)(end - first) * sizeof *own->f_values);
}

/* Products from which on panels are shared: some 50 us of work. */
static const double MIN_WORK = 20e3;

bool fil_block_preconditioner_factor_changing(FilBlockPreconditioner* precond, FilWorkers* workers, const double* f_values)
{
    const FilBlockPanels* panels = &precond->panels;
    const int trees = panels->trees.count;
    Changing changing = {precond, f_values, NULL};
    if (!reserve_columns(precond, workers)) {
        end_reduction(precond);
        return false;
    }
    find_stale(precond, workers, f_values);
    fil_workers_run(panels->work < MIN_WORK ? NULL : workers, trees, 1 + trees / 100, make_trees, &changing);
    int worst = worst_outcome(precond, trees);
    if (worst == DONE) {
        changing.within = workers;
        make_trees(&changing, trees, trees + 1, 0);
        worst = precond->outcome.at[trees];
    }
    end_reduction(precond);
    precond->thin = precond->thin && worst != NOT_THIN;
    precond->has_f = worst == DONE;
    Comparison own = {precond, f_values};
    fil_workers_run(precond->f_blocks > KEPT ? workers : NULL, precond->f_blocks, KEPT, keep_some, &own);
    return precond->has_f;
}
