#include "linalg/supernodal.h"

#include <math.h>
#include <string.h>

#include "linalg/supernodal_data.h"

/* Tiles of columns that are eliminated before the rest of the front hears of them: three strips of these stay in the
 * first cache (6 KB). 8 and 32 are within 5 %, 64 is slower on large fronts. */
enum { PANEL_TILES = 16 };

FilSupernodal* fil_supernodal_create(void)
{
    FilSupernodal* factor = fil_alloc(1, sizeof *factor);
    if (factor != NULL) {
        factor->kernels = fil_strip_kernels();
    }
    return factor;
}

void fil_supernodal_destroy(FilSupernodal* factor)
{
    if (factor != NULL) {
        fil_supernodes_free(&factor->symbolic);
        fil_free(factor->panel.at);
        fil_free(factor->kept.at);
        fil_free(factor->work.stack.at);
        fil_free(factor->work.place.at);
        fil_free(factor->work.pivots.at);
        fil_free(factor->work.updates.at);
        fil_free(factor->work.sums.at);
        fil_free(factor->x.at);
        fil_free(factor);
    }
}

FilStatus fil_supernodal_analyze(FilSupernodal* factor, const FilBlockPattern* a, const FilBlockPattern* c,
                                 const unsigned char* used)
{
    FilSupernodes* s = &factor->symbolic;
    const FilStatus status = fil_supernodes_analyze(s, a, c, used);
    if (status != FIL_OK) {
        return status;
    }
    const size_t pivots = (size_t)s->max_pivots, updates = (size_t)s->max_updates;
    FilSupernodalWork* work = &factor->work;
    const bool done = fil_doubles_reserve(&factor->panel, s->panel_size) &&
                      fil_doubles_reserve(&factor->kept, s->kept_size) &&
                      fil_doubles_reserve(&factor->x, FIL_BLOCK * (size_t)s->columns) &&
                      fil_doubles_reserve(&work->stack, s->stack_size) && fil_ints_reserve(&work->place, updates) &&
                      fil_doubles_reserve(&work->pivots, pivots) && fil_doubles_reserve(&work->updates, updates) &&
                      fil_doubles_reserve(&work->sums, FIL_STRIP * pivots);
    return done ? FIL_OK : FIL_OUT_OF_MEMORY;
}

FilStatus fil_supernodal_bind(FilSupernodal* factor, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits)
{
    return fil_supernodes_bind(&factor->symbolic, a, c, fits);
}

/* ---- assembly of a front ---- */

/* Adds the blocks of one term to the columns of a supernode. */
static void add_entries(const FilSupernodes* s, int term, const double* values, int k, double* panel, size_t stride)
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
                        block[row_step * r + column_step * c];
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
    double* panel;
    double* update;
    size_t stride;
    int pivots; /* rounded up: place of the first of the others */
} Front;

static inline double* panel_row(const Front* front, int place)
{
    return front->panel + (size_t)(place / FIL_STRIP) * front->stride + place % FIL_STRIP;
}

/* Row of the update; places before those of the update are in the panel only */
static inline double* update_row(const Front* front, int place)
{
    const int row = place - front->pivots;
    const size_t strip = (size_t)(row / FIL_STRIP);
    return front->update + 8 * strip * (strip + 1) + row % FIL_STRIP;
}

/* Adds columns begin to end of strip i of a child's update to one of its parent's two parts, whose rows begin at `row`.
 */
static inline void add_strip(const double* from, int begin, int end, double* const* row, const int* place, int origin)
{
    double *r0 = row[0], *r1 = row[1], *r2 = row[2], *r3 = row[3];
    for (int c = begin; c < end; c++) {
        const size_t column = FIL_STRIP * (size_t)(place[c] - origin);
        const double* value = from + FIL_STRIP * (size_t)c;
        r0[column] += value[0];
        r1[column] += value[1];
        r2[column] += value[2];
        r3[column] += value[3];
    }
}

/* Adds a child's update to its parent's front. */
static void add_update(const Front* front, const double* update, int updates, const int* place)
{
    // columns before `split` are unknowns of the parent itself
    int split = 0;
    while (split < updates && place[split] < front->pivots) {
        split++;
    }
    for (int i = 0; i < updates; i += FIL_STRIP) {
        const size_t strip = (size_t)(i / FIL_STRIP);
        const double* from = update + 8 * strip * (strip + 1);
        const int rows = updates - i < FIL_STRIP ? updates - i : FIL_STRIP;
        // whole tiles left of the diagonal
        int whole = 0;
        if (rows == FIL_STRIP) {
            whole = i;
            double* row[FIL_STRIP];
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
                const double value = from[FIL_STRIP * c + r];
                if (c < split) {
                    panel_row(front, place[i + r])[FIL_STRIP * place[c]] += value;
                } else {
                    update_row(front, place[i + r])[FIL_STRIP * (place[c] - front->pivots)] += value;
                }
            }
        }
    }
}

/* ---- elimination ---- */

/* Factors the own columns of a front and subtracts what they take from the others. */
static bool eliminate(const FilStripKernels* kernels, const Front* front, const FilSupernode* node)
{
    const size_t stride = front->stride;
    const int all = node->strips + node->update_strips;
    for (int begin = 0; begin < node->strips; begin += PANEL_TILES) {
        const int end = begin + PANEL_TILES < node->strips ? begin + PANEL_TILES : node->strips;
        const int columns = (FIL_STRIP * end < node->pivots ? FIL_STRIP * end : node->pivots) - FIL_STRIP * begin;
        for (int j = begin; j < end; j++) {
            // T_ij = H_ij - sum_k L_ik L_jk'
            double* strip = front->panel + (size_t)j * stride;
            double* tile = strip + FIL_TILE * (size_t)j;
            if (j > begin) {
                kernels->subtract(tile, stride, strip + FIL_TILE * (size_t)begin, stride, all - j, 1,
                                  FIL_STRIP * (j - begin));
            }
            // L_ij = T_ij W_j' with W_j the inverse factor of T_jj
            double w[FIL_TILE];
            if (!fil_block_inverse_factor(tile, w)) {
                return false;
            }
            memcpy(tile, w, sizeof w);
            kernels->scale(tile + stride, stride, all - j - 1, w);
        }
        const double* rest = front->panel + (size_t)end * stride + FIL_TILE * (size_t)begin;
        if (end < node->strips) {
            kernels->subtract(front->panel + (size_t)end * stride + FIL_TILE * (size_t)end, stride, rest, stride,
                              all - end, node->strips - end, columns);
        }
        kernels->subtract(front->update, 0, rest + (size_t)(node->strips - end) * stride, stride, node->update_strips,
                          node->update_strips, columns);
    }
    return true;
}

static bool factor_node(FilSupernodal* factor, FilSupernodalWork* work, const double* a_values, const double* c_values,
                        int k)
{
    const FilSupernodes* s = &factor->symbolic;
    const FilSupernode* node = fil_supernodal_node(factor, k);
    const Front front = {.panel = factor->panel.at + node->panel,
                         .update = fil_supernodal_update(factor, work, node),
                         .stride = fil_supernodal_stride(node),
                         .pivots = FIL_STRIP * node->strips};
    const size_t strips = (size_t)node->update_strips;
    memset(front.panel, 0, ((size_t)node->strips + strips) * front.stride * sizeof(double));
    memset(front.update, 0, 8 * strips * (strips + 1) * sizeof(double));
    add_entries(s, 0, a_values, k, front.panel, front.stride);
    if (c_values != NULL) {
        add_entries(s, 1, c_values, k, front.panel, front.stride);
    }
    for (int c = node->first_child; c < node->end_child; c++) {
        const FilSupernode* child = fil_supernodal_node(factor, s->child.at[c]);
        list_places(s, child, work->place.at);
        add_update(&front, fil_supernodal_update(factor, work, child), child->updates, work->place.at);
    }
    // unknowns that only fill a strip up
    for (int p = node->pivots; p < front.pivots; p++) {
        panel_row(&front, p)[FIL_STRIP * p] = 1.0;
    }
    return eliminate(factor->kernels, &front, node);
}

/* Tasks of one part but its last do not depend on each other: here they come one after the other. */
static bool factor_tasks(FilSupernodal* factor, const double* a_values, const double* c_values, int begin, int end)
{
    const FilSupernodes* s = &factor->symbolic;
    for (int t = begin; t < end; t++) {
        for (int k = s->task.at[t]; k < s->task.at[t + 1]; k++) {
            if (!factor_node(factor, &factor->work, a_values, c_values, k)) {
                return false;
            }
        }
    }
    return true;
}

bool fil_supernodal_factor_fixed(FilSupernodal* factor, const double* a_values)
{
    return factor_tasks(factor, a_values, NULL, 0, factor->symbolic.first_changing_task);
}

bool fil_supernodal_factor_changing(FilSupernodal* factor, const double* a_values, const double* c_values)
{
    return factor_tasks(factor, a_values, c_values, factor->symbolic.first_changing_task, factor->symbolic.task_count);
}

bool fil_supernodal_factor(FilSupernodal* factor, const double* a_values, const double* c_values)
{
    return fil_supernodal_factor_fixed(factor, a_values) && fil_supernodal_factor_changing(factor, a_values, c_values);
}

/* ---- what it is about ---- */

void fil_supernodal_find_used(const FilBlockPattern* a, const double* a_values, unsigned char* used)
{
    memset(used, 0, (size_t)a->columns);
    for (int j = 0; j < a->columns; j++) {
        for (int k = a->start[j]; k < a->start[j + 1]; k++) {
            const double* block = a_values + FIL_BLOCK_SIZE * (size_t)k;
            const int i = a->row[k];
            for (int e = 0; e < FIL_BLOCK_SIZE; e++) {
                const int r = e % FIL_BLOCK, c = e / FIL_BLOCK;
                if (block[e] != (i == j && r == c ? 1.0 : 0.0)) {
                    used[i] = (unsigned char)(used[i] | 1 << r);
                    used[j] = (unsigned char)(used[j] | 1 << c);
                }
            }
        }
    }
}

const int* fil_supernodal_pivots(const FilSupernodal* factor)
{
    return factor->symbolic.pivot.at;
}

const int* fil_supernodal_variables(const FilSupernodal* factor)
{
    return factor->symbolic.variable.at;
}

int fil_supernodal_first_changing(const FilSupernodal* factor)
{
    return factor->symbolic.first_changing;
}

FilSupernodalInfo fil_supernodal_info(const FilSupernodal* factor)
{
    const FilSupernodes* s = &factor->symbolic;
    return (FilSupernodalInfo){
        .columns = s->columns,
        .supernodes = s->count,
        .changing = s->columns - s->first_changing,
        .tasks = s->task_count,
        .dissected = s->elimination.dissected,
        .flops = s->flops,
        .factor = s->panel_size,
        .updates = s->stack_size + s->kept_size,
    };
}
