/* The fronts of a supernodal factor, one by one: assembly, elimination; for solves see linalg/supernodal_front_solve.h. For numbers of any size:
 * whoever includes this has defined Number, its ZERO and ONE, Kernels and KERNELS, the strip kernels that go with it and where a factor has them.
 * Matrices and vectors that are given are double; what is stored of L and of updates, and the sums of a front, are Numbers. */
#ifndef FILUM_LINALG_SUPERNODAL_FRONTS_H
#define FILUM_LINALG_SUPERNODAL_FRONTS_H

#include <stdint.h>
#include <string.h>

#include "linalg/supernodal_data.h"

/* The update matrix of a supernode: the tiles of its lower triangle, strip after strip. */
static inline Number* update_of(const FilSupernodal* factor, const FilSupernodalWork* work, const FilSupernode* node)
{
    return (Number*)(void*)(node->kept ? factor->kept.at : work->stack.at) + node->update;
}

/* A diagonal tile becomes its inverse factor; false if it is not positive definite. */
static bool invert_factor(Number* tile)
{
    double block[FIL_TILE], w[FIL_TILE];
    for (int e = 0; e < FIL_TILE; e++) {
        block[e] = (double)tile[e];
    }
    if (!fil_block_inverse_factor(block, w)) {
        return false;
    }
    for (int e = 0; e < FIL_TILE; e++) {
        tile[e] = (Number)w[e];
    }
    return true;
}

/* Tiles of columns that are eliminated at a time. */
enum { PANEL_TILES = FIL_STRIP_DEPTH / FIL_STRIP };

/* ---- assembly of a front ---- */

/* Adds the blocks of one term to the columns of a supernode. */
static void add_entries(const FilSupernodes* s, int term, const double* values, int k, Number* panel, size_t stride)
{
    const FilSupernodeEntry* entry = (const FilSupernodeEntry*)s->entries[term] + s->entry_start[term].at[k];
    const FilSupernodeEntry* end = (const FilSupernodeEntry*)s->entries[term] + s->entry_start[term].at[k + 1];
    for (; entry < end; entry++) {
        const double* block = values + FIL_BLOCK_SIZE * (size_t)(entry->source >> 1);
        const int row_step = entry->source & 1 ? 4 : 1, column_step = 5 - row_step;
        int column = entry->column;
        for (int c = 0; c < FIL_BLOCK; c++) {
            if (!(entry->column_used >> c & 1)) {
                continue;
            }
            int row = entry->row;
            for (int r = 0; r < FIL_BLOCK; r++) {
                if (entry->row_used >> r & 1) {
                    panel[(size_t)(row / FIL_STRIP) * stride + (size_t)(FIL_STRIP * column + row % FIL_STRIP)] +=
                        (Number)block[row_step * r + column_step * c];
                    row++;
                }
            }
            column++;
        }
    }
}

/* Places of a supernode's update unknowns in its parent's front. */
static void list_places(const FilSupernodes* s, const FilSupernode* child, int* place)
{
    for (int q = child->first_row; q < child->end_row; q++) {
        int p = s->parent_place.at[q];
        for (int bits = s->used.at[s->row.at[q]]; bits != 0; bits &= bits - 1) {
            *place++ = p++;
        }
    }
}

/* The lower triangle of a front: columns of its own unknowns in its panel, the others in its update. */
typedef struct Front {
    Number* panel;
    Number* update;
    size_t stride;
    int pivots; /* rounded up: place of the first of the others */
} Front;

static inline Number* panel_row(const Front* front, int place)
{
    return front->panel + (size_t)(place / FIL_STRIP) * front->stride + place % FIL_STRIP;
}

/* Row of the update; places before those of the update are in the panel only */
static inline Number* update_row(const Front* front, int place)
{
    const int row = place - front->pivots;
    const size_t strip = (size_t)(row / FIL_STRIP);
    return front->update + 8 * strip * (strip + 1) + row % FIL_STRIP;
}

/* Rows that follow each other in the parent's front as they do in its child's. */
typedef Number TwoRows __attribute__((vector_size(2 * sizeof(Number))));
typedef Number FourRows __attribute__((vector_size(4 * sizeof(Number))));

static inline void add_two(Number* to, const Number* from)
{
    TwoRows sum, value;
    memcpy(&sum, to, sizeof sum);
    memcpy(&value, from, sizeof value);
    sum += value;
    memcpy(to, &sum, sizeof sum);
}

static inline void add_four(Number* to, const Number* from)
{
    FourRows sum, value;
    memcpy(&sum, to, sizeof sum);
    memcpy(&value, from, sizeof value);
    sum += value;
    memcpy(to, &sum, sizeof sum);
}

/* Adds columns begin to end of strip i of a child's update to one of its parent's two parts, whose rows begin at `row`: all four rows at once where
 * they are a strip there, too, or two and two, as those of rigid bodies are. */
static inline void add_strip(const Number* from, int begin, int end, Number* const* row, const int* place, int origin)
{
    Number *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    const bool two = r1 == r0 + 1 && r3 == r2 + 1, four = two && r2 == r1 + 1;
    for (int c = begin; c < end && four; c++) {
        add_four(r0 + FIL_STRIP * (size_t)(place[c] - origin), from + FIL_STRIP * (size_t)c);
    }
    for (int c = begin; c < end && two && !four; c++) {
        const size_t column = FIL_STRIP * (size_t)(place[c] - origin);
        add_two(r0 + column, from + FIL_STRIP * (size_t)c);
        add_two(r2 + column, from + FIL_STRIP * (size_t)c + 2);
    }
    for (int c = begin; c < end && !two; c++) {
        const size_t column = FIL_STRIP * (size_t)(place[c] - origin);
        const Number* value = from + FIL_STRIP * (size_t)c;
        r0[column] += value[0];
        r1[column] += value[1];
        r2[column] += value[2];
        r3[column] += value[3];
    }
}

/* A child's update on its way to its parent's front. */
typedef struct Update {
    const Front* front;
    const Number* update;
    const int* place;
    int updates;
    int split; /* columns before this are unknowns of the parent itself */
} Update;

/* Adds some of its strips: each has rows of its own. */
static void add_strips(void* context, int first, int end, int worker)
{
    const Update* u = context;
    const Front* front = u->front;
    const Number* update = u->update;
    const int *place = u->place, updates = u->updates, split = u->split;
    (void)worker;
    for (int i = FIL_STRIP * first; i < FIL_STRIP * end && i < updates; i += FIL_STRIP) {
        const size_t strip = (size_t)(i / FIL_STRIP);
        const Number* from = update + 8 * strip * (strip + 1);
        const int rows = updates - i < FIL_STRIP ? updates - i : FIL_STRIP;
        // whole tiles left of the diagonal
        int whole = 0;
        if (rows == FIL_STRIP) {
            whole = i;
            Number* row[FIL_STRIP];
            for (int r = 0; r < FIL_STRIP; r++) {
                row[r] = panel_row(front, place[i + r]);
            }
            const int border = split < whole ? split : whole;
            add_strip(from, 0, border, row, place, 0);
            if (border < whole) {
                for (int r = 0; r < FIL_STRIP; r++) {
                    row[r] = update_row(front, place[i + r]);
                }
                add_strip(from, border, whole, row, place, front->pivots);
            }
        }
        // the diagonal tile, and a last strip that is not full
        for (int r = 0; r < rows; r++) {
            for (int c = whole; c <= i + r; c++) {
                const Number value = from[FIL_STRIP * c + r];
                if (c < split) {
                    panel_row(front, place[i + r])[FIL_STRIP * place[c]] += value;
                } else {
                    update_row(front, place[i + r])[FIL_STRIP * (place[c] - front->pivots)] += value;
                }
            }
        }
    }
}

/* Strips of an update at a time, and unknowns from which on others are worth waking. */
enum { UPDATE_GRAIN = 8, MIN_UPDATE = 200 };

/* Adds a child's update to its parent's front. */
static void add_update(FilWorkers* workers, const Front* front, const Number* update, int updates, const int* place)
{
    Update u = {front, update, place, updates, 0};
    while (u.split < updates && place[u.split] < front->pivots) {
        u.split++;
    }
    fil_workers_run(updates < MIN_UPDATE ? NULL : workers, (updates + FIL_STRIP - 1) / FIL_STRIP, UPDATE_GRAIN, add_strips, &u);
}

/* ---- elimination ---- */

/* One product of strips, as the kernels take it. */
typedef struct Product {
    const Kernels* kernels;
    Number* c;
    const Number* a;
    size_t c_stride, a_stride;
    int rows, columns, k;
} Product;

static void subtract_strips(void* context, int first, int end, int worker)
{
    const Product* p = context;
    (void)worker;
    p->kernels->subtract(p->c, p->c_stride, p->a, p->a_stride, first, end, p->columns, p->k);
}

/* Strips of rows at a time, as many as kernels pack, and tiles times columns from which on others are worth waking: 20 us of work. */
enum { PRODUCT_GRAIN = 32 };
static const double MIN_PRODUCT = 20e3;

/* By whoever may share it: every tile is one sum, whoever makes it. */
static void subtract_product(FilWorkers* workers, const Product* p)
{
    const bool alone = (double)p->rows * p->columns * p->k < MIN_PRODUCT;
    if (workers == NULL || alone) {
        p->kernels->subtract(p->c, p->c_stride, p->a, p->a_stride, 0, p->rows, p->columns, p->k);
    } else {
        fil_workers_run(workers, p->rows, PRODUCT_GRAIN, subtract_strips, (void*)(uintptr_t)p);
    }
}

/* Own columns of a front that are eliminated at a time. */
typedef struct Panel {
    const Kernels* kernels;
    const Front* front;
    int begin, end; /* tiles of columns */
} Panel;

/* T_ij = H_ij - sum_k L_ik L_jk' for strips first to last - 1 of rows and the panel's column j, over its columns before that; where j is the first
 * row. */
static inline void subtract_column(const Panel* panel, int j, int first, int last)
{
    const size_t stride = panel->front->stride;
    Number* strip = panel->front->panel + (size_t)j * stride;
    if (j > panel->begin) {
        panel->kernels->subtract(strip + FIL_TILE * (size_t)j, stride, strip + FIL_TILE * (size_t)panel->begin, stride, first - j, last - j, 1,
                                 FIL_STRIP * (j - panel->begin));
    }
}

/* L_ij = T_ij W_j' with W_j the inverse factor of T_jj */
static inline void scale_column(const Panel* panel, int j, int first, int last)
{
    const size_t stride = panel->front->stride;
    Number* tile = panel->front->panel + (size_t)j * stride + FIL_TILE * (size_t)j;
    panel->kernels->scale(tile + (size_t)(first - j) * stride, stride, last - first, tile);
}

/* The panel's own rows. */
static bool factor_diagonal(const Panel* panel)
{
    for (int j = panel->begin; j < panel->end; j++) {
        subtract_column(panel, j, j, panel->end);
        if (!invert_factor(panel->front->panel + (size_t)j * panel->front->stride + FIL_TILE * (size_t)j)) {
            return false;
        }
        scale_column(panel, j, j + 1, panel->end);
    }
    return true;
}

/* Some of the rows below it, which do not depend on each other. */
static void factor_rows(void* context, int first, int end, int worker)
{
    const Panel* panel = context;
    (void)worker;
    for (int j = panel->begin; j < panel->end; j++) {
        subtract_column(panel, j, panel->end + first, panel->end + end);
        scale_column(panel, j, panel->end + first, panel->end + end);
    }
}

/* Strips of rows at a time, and those from which on others are worth calling: some 10 us. */
enum { ROWS_GRAIN = 8, PANEL_ROWS_MIN = 32 };

/* Factors the own columns of a front, each panel once it has heard of all before it, and subtracts what they take from the others in the end: so
 * each number waits for memory once. */
static bool eliminate(const Kernels* kernels, FilWorkers* workers, const Front* front, const FilSupernode* node)
{
    const size_t stride = front->stride;
    const int all = node->strips + node->update_strips;
    for (int begin = 0; begin < node->strips; begin += PANEL_TILES) {
        const int end = begin + PANEL_TILES < node->strips ? begin + PANEL_TILES : node->strips;
        Number* rows = front->panel + (size_t)begin * stride;
        Panel panel = {kernels, front, begin, end};
        subtract_product(workers,
                         &(Product){kernels, rows + FIL_TILE * (size_t)begin, rows, stride, stride, all - begin, end - begin, FIL_STRIP * begin});
        if (!factor_diagonal(&panel)) {
            return false;
        }
        fil_workers_run(all - end < PANEL_ROWS_MIN ? NULL : workers, all - end, ROWS_GRAIN, factor_rows, &panel);
    }
    const Number* others = front->panel + (size_t)node->strips * stride;
    subtract_product(workers, &(Product){kernels, front->update, others, 0, stride, node->update_strips, node->update_strips, node->pivots});
    return true;
}

static bool factor_node(FilSupernodal* factor, FilSupernodalWork* work, const double* a_values, const double* c_values, int k)
{
    const FilSupernodes* s = &factor->symbolic;
    const FilSupernode* node = fil_supernodal_node(factor, k);
    const Front front = {.panel = (Number*)(void*)factor->panel.at + node->panel,
                         .update = update_of(factor, work, node),
                         .stride = fil_supernodal_stride(node),
                         .pivots = FIL_STRIP * node->strips};
    const size_t strips = (size_t)node->update_strips;
    memset(front.panel, 0, ((size_t)node->strips + strips) * front.stride * sizeof(Number));
    memset(front.update, 0, 8 * strips * (strips + 1) * sizeof(Number));
    add_entries(s, 0, a_values, k, front.panel, front.stride);
    if (c_values != NULL) {
        add_entries(s, 1, c_values, k, front.panel, front.stride);
    }
    for (int c = node->first_child; c < node->end_child; c++) {
        const FilSupernode* child = fil_supernodal_node(factor, s->child.at[c]);
        list_places(s, child, work->place.at);
        add_update(work->workers, &front, update_of(factor, work, child), child->updates, work->place.at);
    }
    // unknowns that only fill a strip up
    for (int p = node->pivots; p < front.pivots; p++) {
        panel_row(&front, p)[FIL_STRIP * p] = ONE;
    }
    return eliminate(factor->KERNELS, work->workers, &front, node);
}

#endif
