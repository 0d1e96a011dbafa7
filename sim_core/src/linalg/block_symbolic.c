#include "linalg/block_symbolic.h"

#include <limits.h>
#include <string.h>

#include "linalg/ordering_runs.h"

void fil_block_symbolic_free(FilBlockSymbolic* s)
{
    FilInts* const buffers[] = {&s->parent,        &s->column_start, &s->row,       &s->row_start, &s->row_column, &s->row_block,
                                &s->product_start, &s->product,      &s->source[0], &s->source[1], &s->source[2],  &s->entry_start,
                                &s->entry_column,  &s->entry_source, &s->spare,     &s->scratch};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        fil_free(buffers[k]->at);
    }
    fil_ordering_free(&s->ordering);
    *s = (FilBlockSymbolic){0};
}

enum { LAST = FIL_BLOCK_TERMS - 1 };

/* Sorts the blocks of terms from `first` on by the later of their two pivots. A source is 8 k + 2 term + transposed. */
static bool sort_entries(FilBlockSymbolic* s, const FilBlockPattern* const* terms, int first)
{
    const int n = s->columns;
    size_t blocks = 0;
    for (int m = first; m <= LAST; m++) {
        blocks += terms[m] != NULL ? (size_t)terms[m]->start[n] : 0;
    }
    if (blocks > INT_MAX / 8 || !fil_ints_reserve(&s->entry_start, (size_t)n + 2) || !fil_ints_reserve(&s->entry_column, blocks) ||
        !fil_ints_reserve(&s->entry_source, blocks)) {
        return false;
    }
    int* start = s->entry_start.at;
    const int* pivot = s->ordering.new_of_old;
    memset(start, 0, ((size_t)n + 2) * sizeof *start);
    // start[i + 2] counts row i; after the sums start[i + 1] is where row i begins, and it ends where i + 1 begins
    for (int m = first; m <= LAST; m++) {
        for (int j = 0; terms[m] != NULL && j < n; j++) {
            for (int k = terms[m]->start[j]; k < terms[m]->start[j + 1]; k++) {
                const int i = pivot[terms[m]->row[k]];
                start[(i > pivot[j] ? i : pivot[j]) + 2]++;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        start[i + 2] += start[i + 1];
    }
    for (int m = first; m <= LAST; m++) {
        for (int j = 0; terms[m] != NULL && j < n; j++) {
            for (int k = terms[m]->start[j]; k < terms[m]->start[j + 1]; k++) {
                const int pi = pivot[terms[m]->row[k]], pj = pivot[j];
                const int place = start[(pi > pj ? pi : pj) + 1]++;
                s->entry_column.at[place] = pi > pj ? pj : pi;
                s->entry_source.at[place] = 8 * k + 2 * m + (pi < pj);
            }
        }
    }
    return true;
}

/* The elimination tree: the parent of j is the first row below the diagonal of column j of L. */
static void build_tree(FilBlockSymbolic* s, int* ancestor)
{
    int* parent = s->parent.at;
    for (int i = 0; i < s->columns; i++) {
        parent[i] = ancestor[i] = -1;
        for (int e = s->entry_start.at[i]; e < s->entry_start.at[i + 1]; e++) {
            for (int j = s->entry_column.at[e], next; j != -1 && j < i; j = next) {
                next = ancestor[j];
                ancestor[j] = i;
                if (next == -1) {
                    parent[j] = i;
                }
            }
        }
    }
}

/* Where columns go so that what the last term reaches, and what depends on it, comes behind all others: place[j] of column j, and the other way
 * round. Returns the first of these. */
static int place_reached_last(const FilBlockSymbolic* s, const FilBlockPattern* last, int* place, int* from)
{
    const int n = s->columns, *pivot = s->ordering.new_of_old, *parent = s->parent.at;
    int* reached = place;
    memset(reached, 0, (size_t)n * sizeof *reached);
    for (int j = 0; j < n; j++) {
        for (int k = last->start[j]; k < last->start[j + 1]; k++) {
            reached[pivot[j]] = reached[pivot[last->row[k]]] = 1;
        }
    }
    int first = n;
    for (int j = 0; j < n; j++) {
        if (reached[j]) {
            first--;
            if (parent[j] >= 0) {
                reached[parent[j]] = 1;  // later than j
            }
        }
    }
    for (int j = 0, before = 0, behind = first; j < n; j++) {
        place[j] = reached[j] ? behind++ : before++;
        from[place[j]] = j;
    }
    return first;
}

/* Moves the columns that the last term reaches, and what depends on them, behind all others: descendants still come before their ancestors, so tree
 * and rows of entries are as they were but for their places. False when out of memory. */
static bool put_reached_last(FilBlockSymbolic* s, const FilBlockPattern* last)
{
    const int n = s->columns;
    const size_t entries = (size_t)s->entry_start.at[n];
    if (!fil_ints_reserve(&s->spare, 2 * (size_t)n + 2 + 2 * entries)) {
        return false;
    }
    int *place = s->scratch.at, *from = place + n;
    s->first_changing = place_reached_last(s, last, place, from);
    int *parent = s->spare.at, *start = parent + n, *column = start + n + 2, *source = column + entries, end = 0;
    memcpy(parent, s->parent.at, (size_t)n * sizeof *parent);
    memcpy(start, s->entry_start.at, ((size_t)n + 1) * sizeof *start);
    memcpy(column, s->entry_column.at, entries * sizeof *column);
    memcpy(source, s->entry_source.at, entries * sizeof *source);
    for (int i = 0; i < n; i++) {
        const int old = from[i];
        s->parent.at[i] = parent[old] >= 0 ? place[parent[old]] : -1;
        s->entry_start.at[i] = end;
        for (int e = start[old]; e < start[old + 1]; e++, end++) {
            s->entry_column.at[end] = place[column[e]];
            s->entry_source.at[end] = source[e];
        }
    }
    for (int i = 0; i < n; i++) {
        from[i] = s->ordering.old_of_new[from[i]];
    }
    fil_ordering_set(&s->ordering, from);
    return true;
}

/* Rows of L left of the diagonal, as far as there is room, and how many blocks each column has: row i is what its entries reach on their way up the
 * tree to i. */
static void find_rows(FilBlockSymbolic* s, int* mark)
{
    int *count = s->column_start.at + 1, *column = s->row_column.at;
    const int *entry = s->entry_column.at, *parent = s->parent.at;
    const size_t room = s->row_column.capacity;
    size_t end = 0;
    s->column_start.at[0] = 0;
    for (int i = 0; i < s->columns; i++) {
        s->row_start.at[i] = end < INT_MAX ? (int)end : INT_MAX;
        mark[i] = i;
        count[i] = 1;
        for (int e = s->entry_start.at[i]; e < s->entry_start.at[i + 1]; e++) {
            for (int j = entry[e]; mark[j] != i; j = parent[j]) {
                mark[j] = i;
                count[j]++;
                if (end < room) {
                    column[end] = j;
                }
                end++;
            }
        }
    }
    s->row_start.at[s->columns] = end < INT_MAX ? (int)end : INT_MAX;
}

/* The columns of L from its rows. `next` is the first free place of each. */
static void fill_columns(FilBlockSymbolic* s, int* next)
{
    const int* column = s->row_column.at;
    int *row = s->row.at, *block = s->row_block.at;
    memcpy(next, s->column_start.at, (size_t)s->columns * sizeof *next);
    for (int i = 0; i < s->columns; i++) {
        row[next[i]++] = i;
        for (int q = s->row_start.at[i]; q < s->row_start.at[i + 1]; q++) {
            block[q] = next[column[q]]++;
            row[block[q]] = i;
        }
    }
}

bool fil_block_symbolic_list_products(FilBlockSymbolic* s)
{
    const int *start = s->column_start.at, *row = s->row.at;
    int* place = s->scratch.at;  // in L, of the blocks of one column
    // a column with so many blocks below its diagonal gives as many to all pairs of their rows
    const double total = s->predicted_products;
    if (total > INT_MAX / 2 || !fil_ints_reserve(&s->product_start, (size_t)s->factor_blocks + 2) ||
        !fil_ints_reserve(&s->product, 2 * (size_t)total)) {
        return false;
    }
    s->products = (int)total;
    int* product_start = s->product_start.at;
    memset(product_start, 0, ((size_t)s->factor_blocks + 2) * sizeof *product_start);
    // product_start[p + 2] counts block p; after the sums product_start[p + 1] is where it begins, and it ends where p + 1 begins
    for (int j = 0; j < s->columns; j++) {
        for (int p = start[j]; p < start[j + 1]; p++) {
            place[row[p]] = p;
        }
        for (int q = s->row_start.at[j]; q < s->row_start.at[j + 1]; q++) {
            for (int a = s->row_block.at[q], end = start[s->row_column.at[q] + 1]; a < end; a++) {
                product_start[place[row[a]] + 2]++;
            }
        }
        for (int p = start[j]; p < start[j + 1]; p++) {
            product_start[p + 2] += product_start[p + 1];
        }
        for (int q = s->row_start.at[j]; q < s->row_start.at[j + 1]; q++) {
            const int b = s->row_block.at[q];
            for (int a = b, end = start[s->row_column.at[q] + 1]; a < end; a++) {
                int* pair = s->product.at + 2 * (size_t)product_start[place[row[a]] + 1]++;
                pair[0] = a;
                pair[1] = b;
            }
        }
    }
    return true;
}

/* The first column that the last term reaches: what depends on that column comes after it. */
static int find_reached(const FilBlockSymbolic* s)
{
    int first = s->columns;
    for (int e = 0; e < s->entry_start.at[s->columns]; e++) {
        const int term = (s->entry_source.at[e] >> 1) & 3;
        first = term == LAST && s->entry_column.at[e] < first ? s->entry_column.at[e] : first;
    }
    return first;
}

/* Fills source[] of terms from `first` on from their sorted entries. False when an entry lies outside L. */
static bool find_sources(FilBlockSymbolic* s, int first)
{
    int* place = s->scratch.at;              // in L, of the blocks of one row
    int* mark = s->scratch.at + s->columns;  // row that a place belongs to
    for (int m = first; m <= LAST; m++) {
        memset(s->source[m].at, FIL_BLOCK_NO_SOURCE, (size_t)s->factor_blocks * sizeof(int));
    }
    memset(mark, -1, (size_t)s->columns * sizeof *mark);
    for (int i = 0; i < s->columns; i++) {
        if (s->entry_start.at[i] == s->entry_start.at[i + 1]) {
            continue;
        }
        place[i] = s->column_start.at[i];
        mark[i] = i;
        for (int q = s->row_start.at[i]; q < s->row_start.at[i + 1]; q++) {
            place[s->row_column.at[q]] = s->row_block.at[q];
            mark[s->row_column.at[q]] = i;
        }
        for (int e = s->entry_start.at[i]; e < s->entry_start.at[i + 1]; e++) {
            const int j = s->entry_column.at[e], code = s->entry_source.at[e], term = (code >> 1) & 3;
            if (mark[j] != i) {
                return false;
            }
            s->source[term].at[place[j]] = (code >> 3) * 2 + (code & 1);
        }
    }
    return true;
}

FilStatus fil_block_symbolic_bind(FilBlockSymbolic* s, const FilBlockPattern* const* terms, int first, bool* fits)
{
    *fits = terms[0]->columns == s->columns;
    if (!*fits) {
        return FIL_OK;
    }
    if (!sort_entries(s, terms, first)) {
        return FIL_OUT_OF_MEMORY;
    }
    *fits = find_sources(s, first) && find_reached(s) >= s->first_changing;
    return FIL_OK;
}

/* An order that makes little fill. */
static bool find_order(FilBlockSymbolic* s, const FilBlockPattern* const* terms, bool loose)
{
    const FilBlockPattern* present[FIL_BLOCK_TERMS];
    int count = 0;
    for (int m = 0; m <= LAST; m++) {
        if (terms[m] != NULL) {
            present[count++] = terms[m];
        }
    }
    return loose || terms[LAST] == NULL ? fil_ordering_min_degree(&s->ordering, present, count, true)
                                        : fil_ordering_by_runs(&s->ordering, present, count);
}

FilStatus fil_block_symbolic_find_pattern(FilBlockSymbolic* s, const FilBlockPattern* const* terms, bool loose, bool order, double max_products)
{
    const size_t n = (size_t)terms[0]->columns;
    s->columns = terms[0]->columns;
    s->factor_blocks = s->products = 0;
    if ((order && !find_order(s, terms, loose)) || !sort_entries(s, terms, 0) || !fil_ints_reserve(&s->parent, n) ||
        !fil_ints_reserve(&s->column_start, n + 1) || !fil_ints_reserve(&s->row_start, n + 1) || !fil_ints_reserve(&s->scratch, 2 * n)) {
        return FIL_OUT_OF_MEMORY;
    }
    int* mark = s->scratch.at;
    int* next = s->scratch.at + n;
    build_tree(s, mark);
    const bool behind = loose && terms[LAST] != NULL;
    if (behind && !put_reached_last(s, terms[LAST])) {
        return FIL_OUT_OF_MEMORY;
    }
    memset(mark, -1, n * sizeof *mark);
    const size_t room = s->row_column.capacity;
    find_rows(s, mark);

    size_t blocks = 0;
    s->predicted_products = 0.0;
    for (size_t j = 0; j < n; j++) {
        const double below = s->column_start.at[j + 1] - 1;
        s->predicted_products += below * (below + 1.0) / 2.0;
        blocks += (size_t)s->column_start.at[j + 1];
        if (blocks > INT_MAX / 2) {
            return FIL_OUT_OF_MEMORY;
        }
    }
    s->factor_blocks = (int)blocks;
    if (s->predicted_products > max_products) {
        return FIL_OK;
    }
    if (!fil_ints_reserve(&s->row, blocks) || !fil_ints_reserve(&s->row_column, blocks) || !fil_ints_reserve(&s->row_block, blocks) ||
        !fil_ints_reserve(&s->source[0], blocks) || !fil_ints_reserve(&s->source[1], blocks) || !fil_ints_reserve(&s->source[2], blocks)) {
        return FIL_OUT_OF_MEMORY;
    }
    if (blocks > room) {  // once again, with room for all
        memset(mark, -1, n * sizeof *mark);
        find_rows(s, mark);
    }
    for (size_t j = 0; j < n; j++) {
        s->column_start.at[j + 1] += s->column_start.at[j];
    }
    fill_columns(s, next);
    s->first_changing = behind ? s->first_changing : find_reached(s);
    return FIL_OK;
}

FilStatus fil_block_symbolic_find_sources(FilBlockSymbolic* s)
{
    return find_sources(s, 0) ? FIL_OK : FIL_BAD_INPUT;  // the pattern was built from these entries
}

FilStatus fil_block_symbolic_analyze(FilBlockSymbolic* s, const FilBlockPattern* const* terms, bool loose, bool order, double max_products)
{
    const FilStatus status = fil_block_symbolic_find_pattern(s, terms, loose, order, max_products);
    return status == FIL_OK && s->predicted_products <= max_products ? fil_block_symbolic_find_sources(s) : status;
}
