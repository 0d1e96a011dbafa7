/* From triangles to edges, folds, masses and the block pattern of the tangent. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/vec3.h"
#include "body/shell.h"

/* A side of a triangle: its ends in rising order, which way the triangle runs along it, and the corner opposite. */
typedef struct Side {
    int low, high, triangle, opposite;
    bool rising;
} Side;

static int by_ends(const void* a, const void* b)
{
    const Side *x = a, *y = b;
    return fil_order_three(x->low, y->low, x->high, y->high, x->triangle, y->triangle);
}

static double area_of(const FilShellDef* def, int triangle)
{
    const int* t = def->triangles + 3 * triangle;
    double e[3], f[3], n[3];
    fil_v3_sub(e, def->vertices + 3 * t[1], def->vertices + 3 * t[0]);
    fil_v3_sub(f, def->vertices + 3 * t[2], def->vertices + 3 * t[0]);
    fil_v3_cross(n, e, f);
    return 0.5 * fil_v3_norm(n);
}

static FilStatus check_triangles(const FilShellDef* def, FilError* error)
{
    for (int t = 0; t < def->triangle_count; t++) {
        const int* v = def->triangles + 3 * t;
        for (int k = 0; k < 3; k++) {
            if (v[k] < 0 || v[k] >= def->vertex_count) {
                return fil_error(error, FIL_BAD_INPUT, "triangle %d names vertex %d, but there are %d", t, v[k], def->vertex_count);
            }
        }
        const double longest = fmax(fil_v3_distance(def->vertices + 3 * v[0], def->vertices + 3 * v[1]),
                                    fil_v3_distance(def->vertices + 3 * v[0], def->vertices + 3 * v[2]));
        if (!(area_of(def, t) > 1e-10 * longest * longest) || v[0] == v[1]) {  // flat: rounding of coordinates makes up 1e-16
            return fil_error(error, FIL_BAD_INPUT, "triangle %d (vertices %d, %d, %d) has no area", t, v[0], v[1], v[2]);
        }
    }
    return FIL_OK;
}

/* A third of each triangle's mass to each of its corners. */
static FilStatus lump_mass(FilShellBody* body, const FilShellDef* def, FilError* error)
{
    for (int t = 0; t < def->triangle_count; t++) {
        const double share = def->density * def->thickness * area_of(def, t) / 3.0;
        for (int k = 0; k < 3; k++) {
            body->mass[def->triangles[3 * t + k]] += share;
        }
    }
    for (int v = 0; v < def->vertex_count; v++) {
        if (!(body->mass[v] > 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "vertex %d belongs to no triangle", v);
        }
    }
    return FIL_OK;
}

static void list_sides(const FilShellDef* def, Side* sides)
{
    for (int t = 0; t < def->triangle_count; t++) {
        const int* v = def->triangles + 3 * t;
        for (int k = 0; k < 3; k++) {
            const int from = v[k], to = v[(k + 1) % 3];
            sides[3 * t + k] =
                (Side){.low = from < to ? from : to, .high = from < to ? to : from, .triangle = t, .opposite = v[(k + 2) % 3], .rising = from < to};
        }
    }
    qsort(sides, 3 * (size_t)def->triangle_count, sizeof *sides, by_ends);
}

/* Stiffness of a fold: P4 eq. 4b, or D |e|^2 / (A_a + A_b). */
static double fold_stiffness(const FilShellDef* def, const Side* first, const Side* second)
{
    const double cubed = def->young * def->thickness * def->thickness * def->thickness;
    if (def->bending == FIL_BENDING_NORMALS) {
        return cubed / (6.0 * sqrt(3.0));
    }
    const double length = fil_v3_distance(def->vertices + 3 * first->low, def->vertices + 3 * first->high);
    const double area = area_of(def, first->triangle) + area_of(def, second->triangle);
    return cubed / (12.0 * (1.0 - def->poisson * def->poisson)) * length * length / area;
}

static FilShellFold fold_of(const FilShellDef* def, const Side* first, const Side* second)
{
    // the first triangle runs from a to b
    const Side *along = first->rising ? first : second, *against = first->rising ? second : first;
    FilShellFold fold = {{first->low, first->high, along->opposite, against->opposite}, fold_stiffness(def, first, second), 0.0, 0.0};
    if (!def->rest_flat) {
        const double* const x[4] = {def->vertices + 3 * fold.vertex[0], def->vertices + 3 * fold.vertex[1], def->vertices + 3 * fold.vertex[2],
                                    def->vertices + 3 * fold.vertex[3]};
        fold.rest = fil_shell_fold_angle(x);
        fold.rest_sine = sin(0.5 * fold.rest);
    }
    return fold;
}

FilStatus fil_shell_build_mesh(FilShellBody* body, const FilShellDef* def, FilError* error)
{
    FilStatus status = check_triangles(def, error);
    status = status == FIL_OK ? lump_mass(body, def, error) : status;
    if (status != FIL_OK) {
        return status;
    }
    const int side_count = 3 * def->triangle_count;
    Side* sides = fil_alloc((size_t)side_count, sizeof *sides);
    body->edges = fil_alloc((size_t)side_count, sizeof *body->edges);
    body->folds = fil_alloc((size_t)side_count, sizeof *body->folds);
    body->bends = fil_alloc((size_t)side_count, sizeof *body->bends);
    body->pulls = fil_alloc((size_t)side_count, sizeof *body->pulls);
    body->edge_ends = fil_alloc(2 * (size_t)side_count, sizeof(int));
    body->edge_lengths = fil_alloc((size_t)side_count, sizeof(double));
    if (sides == NULL || body->edges == NULL || body->folds == NULL || body->bends == NULL || body->pulls == NULL || body->edge_ends == NULL ||
        body->edge_lengths == NULL) {
        fil_free(sides);
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    list_sides(def, sides);
    for (int k = 0, next; k < side_count && status == FIL_OK; k = next) {
        for (next = k + 1; next < side_count && sides[next].low == sides[k].low && sides[next].high == sides[k].high;) {
            next++;
        }
        if (next - k > 2) {
            status = fil_error(error, FIL_BAD_INPUT, "%d triangles share the edge from vertex %d to %d; at most two can", next - k, sides[k].low,
                               sides[k].high);
        } else if (next - k == 2 && sides[k].rising == sides[k + 1].rising) {
            status = fil_error(error, FIL_BAD_INPUT, "triangles %d and %d turn in opposite ways", sides[k].triangle, sides[k + 1].triangle);
        } else {
            // P4 eq. 4a
            const double length = fil_v3_distance(def->vertices + 3 * sides[k].low, def->vertices + 3 * sides[k].high);
            body->edge_ends[2 * body->edge_count] = sides[k].low;
            body->edge_ends[2 * body->edge_count + 1] = sides[k].high;
            body->edge_lengths[body->edge_count] = length;
            body->edges[body->edge_count++] = (FilShellEdge){{sides[k].low, sides[k].high}, 0.5 * sqrt(3.0) * def->young * def->thickness, length};
            if (next - k == 2) {
                body->folds[body->fold_count++] = fold_of(def, &sides[k], &sides[k + 1]);
            }
        }
    }
    fil_free(sides);
    return status;
}

/* ---- the tangent's pattern ---- */

static int by_pair(const void* a, const void* b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static void put_pair(int* pairs, int* count, int u, int v)
{
    pairs[2 * *count] = u < v ? u : v;
    pairs[2 * *count + 1] = u < v ? v : u;
    ++*count;
}

/* Distinct blocks in order: edges, the other diagonals of folds, what chambers need besides, and the diagonal. */
static bool list_blocks(FilShellBody* body)
{
    const int max = body->vertex_count + body->edge_count + body->fold_count + body->chambers.sibling_count;
    int* pairs = fil_alloc(2 * (size_t)max, sizeof(int));
    body->block_start = fil_alloc((size_t)body->vertex_count + 1, sizeof(int));
    body->block_column = fil_alloc((size_t)max, sizeof(int));
    body->block_row = fil_alloc((size_t)max, sizeof(int));
    if (pairs == NULL || body->block_start == NULL || body->block_column == NULL || body->block_row == NULL) {
        fil_free(pairs);
        return false;
    }
    int count = 0;
    for (int v = 0; v < body->vertex_count; v++) {
        put_pair(pairs, &count, v, v);
    }
    for (int e = 0; e < body->edge_count; e++) {
        put_pair(pairs, &count, body->edges[e].vertex[0], body->edges[e].vertex[1]);
    }
    for (int f = 0; f < body->fold_count; f++) {
        put_pair(pairs, &count, body->folds[f].vertex[2], body->folds[f].vertex[3]);
    }
    for (int k = 0; k < body->chambers.sibling_count; k++) {
        put_pair(pairs, &count, body->chambers.siblings[2 * k], body->chambers.siblings[2 * k + 1]);
    }
    qsort(pairs, (size_t)count, 2 * sizeof(int), by_pair);
    for (int k = 0; k < count; k++) {
        if (k == 0 || by_pair(pairs + 2 * k, pairs + 2 * k - 2) != 0) {
            body->block_column[body->block_count] = pairs[2 * k];
            body->block_row[body->block_count++] = pairs[2 * k + 1];
            body->block_start[pairs[2 * k] + 1]++;
        }
    }
    for (int v = 0; v < body->vertex_count; v++) {
        body->block_start[v + 1] += body->block_start[v];
    }
    fil_free(pairs);
    return true;
}

/* Whether one of `count` vertices is in a part. */
static bool touches(const FilShellBody* body, const int* vertices, int count, int part)
{
    bool inside = false;
    for (int k = 0; k < count; k++) {
        inside = inside || (vertices[k] >= fil_shell_part(body, part) && vertices[k] < fil_shell_part(body, part + 1));
    }
    return inside;
}

/* Elements of each part. */
static bool list_parts(FilShellBody* body)
{
    for (int pass = 0; pass < 2; pass++) {  // the first one counts
        int count = 0;
        for (int p = 0; p < FIL_SHELL_PARTS; p++) {
            body->part_start[2 * p] = count;
            for (int e = 0; e < body->edge_count; e++) {
                if (touches(body, body->edges[e].vertex, 2, p)) {
                    if (pass == 1) {
                        body->part_elements[count] = e;
                    }
                    count++;
                }
            }
            body->part_start[2 * p + 1] = count;
            for (int f = 0; f < body->fold_count; f++) {
                if (touches(body, body->folds[f].vertex, 4, p)) {
                    if (pass == 1) {
                        body->part_elements[count] = f;
                    }
                    count++;
                }
            }
        }
        body->part_start[2 * FIL_SHELL_PARTS] = count;
        if (pass == 0 && (body->part_elements = fil_alloc((size_t)count, sizeof(int))) == NULL) {
            return false;
        }
    }
    return true;
}

const int fil_shell_fold_pairs[6][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}};

/* Puts an element where its list goes on, or counts it. */
static void put_term(int* next, int* terms, int list, int term)
{
    if (terms != NULL) {
        terms[next[list]] = term;
    }
    next[list]++;
}

/* Puts all elements into the lists of their blocks: of each the edges, then the folds. */
static void put_terms(const FilShellBody* body, int* next, int* terms)
{
    for (int e = 0; e < body->edge_count; e++) {
        const int* v = body->edges[e].vertex;
        put_term(next, terms, 2 * body->block_start[v[0]], e);
        put_term(next, terms, 2 * body->block_start[v[1]], e);
        put_term(next, terms, 2 * body->edge_slots[e], e);
    }
    for (int f = 0; f < body->fold_count; f++) {
        const int* v = body->folds[f].vertex;
        for (int k = 0; k < 4; k++) {
            put_term(next, terms, 2 * body->block_start[v[k]] + 1, 16 * f + 5 * k);
        }
        for (int k = 0; k < 6; k++) {
            const int i = fil_shell_fold_pairs[k][0], j = fil_shell_fold_pairs[k][1];
            // the block's row is the larger vertex
            put_term(next, terms, 2 * body->fold_slots[6 * f + k] + 1, 16 * f + (v[i] < v[j] ? 4 * j + i : 4 * i + j));
        }
    }
}

/* Elements of each block. */
static bool list_terms(FilShellBody* body)
{
    const int lists = 2 * body->block_count;
    int* start = body->block_terms_start = fil_alloc((size_t)lists + 2, sizeof(int));
    body->block_terms = fil_alloc(3 * (size_t)body->edge_count + 10 * (size_t)body->fold_count, sizeof(int));
    body->light = fil_alloc((size_t)body->fold_count + 1, sizeof(double));
    body->stretching = fil_alloc(2 * (size_t)body->edge_count, sizeof(double));
    body->heavy = fil_alloc(FIL_SHELL_HEAVY * 144, sizeof(double));
    if (start == NULL || body->block_terms == NULL || body->light == NULL || body->stretching == NULL || body->heavy == NULL) {
        return false;
    }
    put_terms(body, start + 2, NULL);
    for (int k = 2; k < lists + 2; k++) {
        start[k] += start[k - 1];
    }
    put_terms(body, start + 1, body->block_terms);
    return true;
}

FilStatus fil_shell_build_pattern(FilShellBody* body, FilError* error)
{
    body->edge_slots = fil_alloc((size_t)body->edge_count, sizeof(int));
    body->fold_slots = fil_alloc(6 * (size_t)body->fold_count, sizeof(int));
    if (body->edge_slots == NULL || body->fold_slots == NULL || !list_blocks(body) || !list_parts(body)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    const FilBlockPattern pattern = {body->vertex_count, body->block_start, body->block_row};
    for (int e = 0; e < body->edge_count; e++) {
        body->edge_slots[e] = fil_block_find(&pattern, body->edges[e].vertex[0], body->edges[e].vertex[1]);
    }
    for (int f = 0; f < body->fold_count; f++) {
        const int* v = body->folds[f].vertex;
        for (int k = 0; k < 6; k++) {
            body->fold_slots[6 * f + k] = fil_block_find(&pattern, v[fil_shell_fold_pairs[k][0]], v[fil_shell_fold_pairs[k][1]]);
        }
    }
    if (!list_terms(body)) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    fil_chambers_place(&body->chambers, &pattern);
    body->values = fil_alloc(FIL_BLOCK_SIZE * (size_t)body->block_count, sizeof(double));
    if (body->damping_stiffness > 0.0) {
        body->damping = fil_alloc(FIL_BLOCK_SIZE * (size_t)body->block_count, sizeof(double));
    }
    body->cholesky = fil_block_cholesky_create();
    return body->values != NULL && body->cholesky != NULL && (body->damping != NULL || !(body->damping_stiffness > 0.0))
               ? FIL_OK
               : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
}
