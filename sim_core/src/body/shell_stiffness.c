/* The stiffness of a shell as a matrix of blocks.
 *
 * Each block is summed by itself, over the elements that it is about in their order: whoever does it, with the same bits, and each is written once.
 * Where a fold's angle has to be differentiated twice, which takes long, elements are gone through instead, part by part of the columns. */
#include <math.h>
#include <string.h>

#include "base/extrema.h"
#include "base/vec3.h"
#include "body/shell_blocks.h"

/* Bending over mass, in a step, below which the tangent of folds is simplified: what is left out is below a tenth of what inertia adds. 0.03 to 0.3
 * give the plates of `rings.plate`, which are stiffer, the same bits. */
static const double LIGHT = 0.1;

/* Added to the diagonal of a held vertex: it stays put to the last bit, and its row needs no special care: a force of
 * 1e10 N over it moves by 1e-20 m/s in a step of 1 s. */
static const double HOLD = 1e30;

typedef FilShellStiffening Stiffening;

/* ---- by elements ---- */

/* Adds scale times rows r and columns c of h (a matrix with `stride` columns) to a block. */
static void add_block(double* block, double scale, const double* h, int stride, int row, int column)
{
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            block[4 * c + r] += scale * h[stride * (row + r) + column + c];
        }
    }
}

/* Adds scale times a b' to a block. */
static inline void add_outer(double* restrict block, double scale, const double* restrict a, const double* restrict b)
{
    const FilDouble2 front = fil_double2_load(a), back = {a[2], 0.0};
    for (int c = 0; c < 3; c++) {
        const FilDouble2 along = fil_double2_all(scale * b[c]);
        double* to = block + 4 * c;
        fil_double2_store(to, fil_double2_add_product(fil_double2_load(to), along, front));
        fil_double2_store(to + 2, fil_double2_add_product(fil_double2_load(to + 2), along, back));
    }
}

/* Where mass outweighs bending, how angles curve over positions makes no difference: psi'' grad theta grad theta'. */
static void add_light_fold(const FilShellBody* body, int f, double curve, FilShellColumns columns, double* values)
{
    const int* v = body->folds[f].vertex;
    const double* g = body->bends[f].gradient;
    for (int k = 0; k < 4; k++) {
        if (fil_shell_has(columns, v[k])) {
            add_outer(fil_shell_diagonal_block(body, values, v[k]), curve, g + 3 * k, g + 3 * k);
        }
    }
    for (int k = 0; k < 6; k++) {
        const int i = fil_shell_fold_pairs[k][0], j = fil_shell_fold_pairs[k][1];
        // the block's row is the larger vertex
        const bool swap = v[i] < v[j];
        if (fil_shell_has(columns, v[swap ? i : j])) {
            add_outer(values + FIL_BLOCK_SIZE * body->fold_slots[6 * f + k], curve, g + 3 * (swap ? j : i), g + 3 * (swap ? i : j));
        }
    }
}

static void add_fold(const FilShellBody* body, int f, const double* const x[4], double kept, double scale, FilShellColumns columns, double* values)
{
    const int* v = body->folds[f].vertex;
    double h[144];
    fil_shell_fold_hessian(&body->folds[f], body->bending, x, kept, h);
    for (int k = 0; k < 4; k++) {
        if (fil_shell_has(columns, v[k])) {
            add_block(fil_shell_diagonal_block(body, values, v[k]), scale, h, 12, 3 * k, 3 * k);
        }
    }
    for (int k = 0; k < 6; k++) {
        const int i = fil_shell_fold_pairs[k][0], j = fil_shell_fold_pairs[k][1];
        const bool swap = v[i] < v[j];
        if (fil_shell_has(columns, v[swap ? i : j])) {
            add_block(values + FIL_BLOCK_SIZE * body->fold_slots[6 * f + k], scale, h, 12, 3 * (swap ? j : i), 3 * (swap ? i : j));
        }
    }
}

/* Adds the 3 x 3 matrix h, in columns of four, times a sign to a block. */
static inline void add_columns(double* restrict block, double sign, const double* restrict h)
{
    for (int k = 0; k < 12; k++) {
        block[k] += sign * h[k];
    }
}

static void add_edge(const FilShellBody* body, int e, const FilShellPull* pull, double kept, double scale, FilShellColumns columns, double* values)
{
    const FilShellEdge* edge = &body->edges[e];
    const int a = edge->vertex[0], b = edge->vertex[1];
    double h[12];
    fil_shell_edge_columns(edge, pull, kept, scale, h);
    if (fil_shell_has(columns, a)) {
        add_columns(fil_shell_diagonal_block(body, values, a), 1.0, h);
    }
    if (fil_shell_has(columns, b)) {
        add_columns(fil_shell_diagonal_block(body, values, b), 1.0, h);
    }
    if (fil_shell_has(columns, a < b ? a : b)) {
        add_columns(values + FIL_BLOCK_SIZE * body->edge_slots[e], -1.0, h);
    }
}

/* What a part's columns begin with. */
static void begin_part(const Stiffening* s, FilShellColumns columns)
{
    const size_t first = FIL_BLOCK_SIZE * (size_t)s->body->block_start[columns.first];
    const size_t end = FIL_BLOCK_SIZE * (size_t)s->body->block_start[columns.end];
    if (s->damping == NULL) {
        memset(s->values + first, 0, (end - first) * sizeof(double));
    }
    for (size_t k = first; k < end && s->damping != NULL; k++) {
        s->values[k] = s->damped * s->damping[k];
    }
}

static void stiffen_by_fold(const Stiffening* s, int f, FilShellColumns columns)
{
    const FilShellBody* body = s->body;
    const double light = body->light[f];
    if (light >= 0.0) {
        add_light_fold(body, f, light, columns, s->values);
    } else {
        const FilShellCorners corners = fil_shell_corners(&body->folds[f], s->q);
        add_fold(body, f, corners.x, s->kept, s->scale, columns, s->values);
    }
}

void fil_shell_add_inertia(const FilShellBody* body, double inertia, int i, double* values)
{
    double* block = fil_shell_diagonal_block(body, values, i);
    for (int j = 0; j < 3; j++) {
        block[5 * j] += body->mass[i] * inertia + (body->held[4 * i + j] ? HOLD : 0.0);
    }
    block[15] += block[15] == 0.0 ? 1.0 : 0.0;  // idle but in chambers
}

/* By whoever has written the blocks of some vertices. */
static void add_inertia(const Stiffening* s, int first, int end)
{
    for (int i = first; i < end && s->inertia > 0.0; i++) {
        fil_shell_add_inertia(s->body, s->inertia, i, s->values);
    }
}

/* Some parts of the columns: elements in their order, whoever does it. */
static void stiffen_parts(void* context, int first, int end, int worker)
{
    const Stiffening* s = context;
    const FilShellBody* body = s->body;
    (void)worker;
    for (int p = first; p < end; p++) {
        const FilShellColumns columns = {fil_shell_part(body, p), fil_shell_part(body, p + 1)};
        const int* start = body->part_start + 2 * p;
        begin_part(s, columns);
        for (int k = start[0]; k < start[1]; k++) {
            const int e = body->part_elements[k];
            add_edge(body, e, &body->pulls[e], s->kept, s->scale, columns, s->values);
        }
        for (int k = start[1]; k < start[2]; k++) {
            stiffen_by_fold(s, body->part_elements[k], columns);
        }
        add_inertia(s, columns.first, columns.end);
    }
}

/* ---- by blocks ---- */

static void stiffen_columns(void* context, int first, int end, int worker)
{
    const Stiffening* s = context;
    (void)worker;
#if defined(FIL_VECTOR_AVX2)
    if (fil_vector_level() >= FIL_VECTOR_256) {
        fil_shell_stiffen_columns_avx2(s, first, end);
        add_inertia(s, first, end);
        return;
    }
#endif
    stiffen_some(s, first, end);
    add_inertia(s, first, end);
}

/* ---- what both need ---- */

/* Edges and folds that a worker takes at once, and columns: some five to ten microseconds. */
enum { GRAIN = 1024, COLUMN_GRAIN = 64, HEAVY_GRAIN = 8 };

/* Folds whose angle is differentiated twice. */
typedef struct Heavy {
    const Stiffening* s;
    int fold[FIL_SHELL_HEAVY];
} Heavy;

static void bend_heavy(void* context, int first, int end, int worker)
{
    const Heavy* heavy = context;
    const FilShellBody* body = heavy->s->body;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilShellFold* fold = &body->folds[heavy->fold[k]];
        const FilShellCorners corners = fil_shell_corners(fold, heavy->s->q);
        fil_shell_fold_hessian(fold, body->bending, corners.x, heavy->s->kept, body->heavy + 144 * (ptrdiff_t)k);
    }
}

static void weigh_folds(void* context, int first, int end, int worker)
{
    const Stiffening* s = context;
    const FilShellBody* body = s->body;
    (void)worker;
    for (int f = first; f < end; f++) {
        const FilShellFold* fold = &body->folds[f];
        double edge[3];
        fil_v3_sub(edge, s->q + 4 * (ptrdiff_t)fold->vertex[1], s->q + 4 * (ptrdiff_t)fold->vertex[0]);
        const bool light = body->setup.frugal && fold->stiffness * s->scale < LIGHT * body->mass[fold->vertex[0]] * fil_v3_dot(edge, edge);
        body->light[f] = light ? s->scale * fil_max(body->bends[f].curve, 0.0) : -1.0;
    }
}

static void weigh_edges(void* context, int first, int end, int worker)
{
    const Stiffening* s = context;
    const FilShellBody* body = s->body;
    (void)worker;
    for (int e = first; e < end; e++) {
        fil_shell_edge_stiffness(&body->edges[e], &body->pulls[e], s->kept, s->scale, body->stretching + 2 * (ptrdiff_t)e);
    }
}

void fil_shell_stiffen(const FilShellStiffening* stiffening)
{
    FilShellStiffening s = *stiffening;
    const FilShellBody* body = s.body;
    fil_workers_run(body->workers, body->fold_count, GRAIN, weigh_folds, &s);
    int heavy = 0;
    for (int f = 0; f < body->fold_count; f++) {
        heavy += body->light[f] < 0.0;
    }
    if (heavy > FIL_SHELL_HEAVY) {
        fil_workers_run(body->workers, FIL_SHELL_PARTS, 1, stiffen_parts, &s);
        return;
    }
    Heavy bent = {.s = &s};
    for (int f = 0, next = 0; next < heavy; f++) {
        if (body->light[f] < 0.0) {
            body->light[f] = -1.0 - next;
            bent.fold[next++] = f;
        }
    }
    fil_workers_run(body->workers, heavy, HEAVY_GRAIN, bend_heavy, &bent);
    fil_workers_run(body->workers, body->edge_count, GRAIN, weigh_edges, &s);
    fil_workers_run(body->workers, body->vertex_count, COLUMN_GRAIN, stiffen_columns, &s);
}
