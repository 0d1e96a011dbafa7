/* Rods in contact: their edges as colliders, and the tangent in blocks of four. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "body/rod.h"

/* ---- colliders ---- */

FilStatus fil_rod_build_collider(FilRod* rod, FilArena* arena, FilError* error)
{
    rod->radii = fil_arena_alloc(arena, (size_t)rod->edge_count, sizeof(double));
    rod->arc = fil_arena_alloc(arena, (size_t)rod->edge_count + 1, sizeof(double));
    if (rod->radii == NULL || rod->arc == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int i = 0; i < rod->edge_count; i++) {
        const FilSection* s = &rod->sections[i];
        const bool box = s->shape == FIL_SECTION_RECTANGLE;
        rod->boxes = rod->boxes || box;
        rod->radii[i] = box ? 0.5 * hypot(s->width, s->height) : s->radius;
        rod->arc[i + 1] = rod->arc[i] + rod->initial[i].rest_length;
    }
    return FIL_OK;
}

int fil_rod_collider_count(const void* pointer)
{
    return ((const FilRodBody*)pointer)->rod_count;
}

void fil_rod_collider(const void* pointer, int index, FilCollider* out)
{
    const FilRod* rod = &((const FilRodBody*)pointer)->rods[index];
    *out = (FilCollider){.kind = FIL_COLLIDER_ROW,
                         .object = index,
                         .movable = true,
                         .collision = rod->collision,
                         .node_count = rod->node_count,
                         .edge_count = rod->edge_count,
                         .closed = rod->closed,
                         .twists = !rod->twist_free,
                         .radii = rod->radii,
                         .arc = rod->arc,
                         .boxes = rod->boxes};
}

void fil_rod_place(const void* pointer, int index, const double* q, const double* v, FilPlacement* out)
{
    const FilRod* rod = &((const FilRodBody*)pointer)->rods[index];
    *out = (FilPlacement){.nodes = q + 4 * rod->first_node, .velocities = v + 4 * rod->first_node};
}

/* Columns m1, m2, t. */
static void pose_of(const Frame1* frame, FilPose* pose)
{
    for (int k = 0; k < 3; k++) {
        pose->r[3 * k] = frame->m1[k];
        pose->r[3 * k + 1] = frame->m2[k];
        pose->r[3 * k + 2] = frame->t[k];
    }
}

void fil_rod_frame(const void* pointer, int index, int part, const double* q, const double* h, FilPose* pose)
{
    const FilRod* rod = &((const FilRodBody*)pointer)->rods[index];
    const double* x = q + 4 * rod->first_node;
    Frame1 frame;
    fil_rod_edge_frame(rod, x, (const FilRodHistory*)h + rod->first_node, part / 2, &frame);
    pose_of(&frame, pose);
    fil_v3_copy(pose->p, x + 4 * ((part / 2 + part % 2) % rod->node_count));
}

void fil_rod_part(const void* pointer, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose)
{
    const FilRod* rod = &((const FilRodBody*)pointer)->rods[index];
    const double* x = q + 4 * rod->first_node;
    const double *a = x + 4 * part, *b = x + 4 * ((part + 1) % rod->node_count);
    const FilSection* section = &rod->sections[part];
    Frame1 frame;
    fil_rod_edge_frame(rod, x, (const FilRodHistory*)h + rod->first_node, part, &frame);
    *shape = section->shape == FIL_SECTION_RECTANGLE ? fil_shape_box(0.5 * section->width, 0.5 * section->height, 0.5 * frame.length)
                                                     : fil_shape_capsule(rod->radii[part], 0.5 * frame.length);
    pose_of(&frame, pose);
    for (int k = 0; k < 3; k++) {
        pose->p[k] = 0.5 * (a[k] + b[k]);
    }
}

bool fil_rod_joined(const void* pointer, int index_a, int part_a, int index_b, int part_b)
{
    const FilRodBody* body = pointer;
    const FilRod *a = &body->rods[index_a], *b = &body->rods[index_b];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            const int node_a = a->first_node + (part_a + i) % a->node_count, node_b = b->first_node + (part_b + j) % b->node_count;
            if (body->owner[node_a] == body->owner[node_b]) {
                return true;
            }
        }
    }
    return false;
}

/* ---- the tangent in blocks ---- */

typedef struct Entries {
    const FilRodBody* body;
    int first, count;
    int *rows, *columns; /* unknowns, row >= column, -1: none; NULL: only counted */
} Entries;

static void note(void* context, int row, int column, double value)
{
    (void)value;
    Entries* e = context;
    if (e->rows != NULL) {
        const int r = row < 0 ? -1 : fil_rod_owner(e->body, e->first + row);
        const int c = row < 0 ? -1 : fil_rod_owner(e->body, e->first + column);
        e->rows[e->count] = r > c ? r : c;
        e->columns[e->count] = r > c ? c : r;
    }
    e->count++;
}

/* All entries of a rod. What couples held angles of a twist-free one to others is left out: it would fill nets up. */
static void note_rod(FilRod* rod, Entries* entries)
{
    entries->first = 4 * rod->first_node;
    if (rod->twist_free) {
        fil_rod_chain_visit_blocks(&rod->chain, note, entries);
    } else {
        fil_rod_chain_visit(&rod->chain, note, entries);
    }
}

static int by_block(const void* a, const void* b)
{
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* The block (column, row) in the sorted list: a few after the diagonal one, which is the first of its column. */
static int find_block(const FilRodBody* body, int column, int row)
{
    int k = body->block_own[column];
    while (body->block_rows[k] < row && k + 1 < body->block_count) {
        k++;
    }
    return k;
}

/* Fills the sorted list of distinct blocks, every diagonal one among them, and notes where those are. */
static bool list_blocks(FilRodBody* body, const Entries* entries)
{
    int total = 0;
    int* pairs = fil_alloc(2 * ((size_t)entries->count + (size_t)body->node_count), sizeof(int));
    body->block_own = fil_arena_alloc(body->arena, (size_t)body->node_count, sizeof *body->block_own);
    if (pairs == NULL || body->block_own == NULL) {
        fil_free(pairs);
        return false;
    }
    for (int k = 0; k < entries->count + body->node_count; k++) {
        const int diagonal = k - entries->count;
        if (diagonal >= 0 || entries->rows[k] >= 0) {
            pairs[2 * total] = diagonal >= 0 ? diagonal : entries->columns[k] / 4;
            pairs[2 * total + 1] = diagonal >= 0 ? diagonal : entries->rows[k] / 4;
            total++;
        }
    }
    qsort(pairs, (size_t)total, 2 * sizeof(int), by_block);
    for (int k = 0; k < total; k++) {
        if (k == 0 || by_block(pairs + 2 * k, pairs + 2 * k - 2) != 0) {
            const int column = pairs[2 * k], row = pairs[2 * k + 1];
            if (row == column) {
                body->block_own[column] = body->block_count;
            }
            body->block_columns[body->block_count] = column;
            body->block_rows[body->block_count++] = row;
        }
    }
    fil_free(pairs);
    return true;
}

/* Flags the block that two nodes share. */
static void set_weak(FilRodBody* body, int a, int b, bool weak)
{
    body->block_weak[find_block(body, a < b ? a : b, a < b ? b : a)] = weak;
}

/* Bending across a node that several cords share is weak; within a cord it costs no fill. */
static bool find_weak(FilRodBody* body)
{
    bool* shared = fil_alloc((size_t)body->node_count, sizeof *shared);
    body->block_weak = fil_arena_alloc(body->arena, (size_t)body->block_count, sizeof *body->block_weak);
    if (shared == NULL || body->block_weak == NULL) {
        fil_free(shared);
        return false;
    }
    for (int i = 0; i < body->node_count; i++) {
        shared[i] = shared[i] || body->owner[i] != i;
        shared[body->owner[i]] = shared[body->owner[i]] || body->owner[i] != i;
    }
    for (int pass = 0; pass < 2; pass++) {  // what an edge joins is not, whatever bends around it
        for (int r = 0; r < body->rod_count; r++) {
            const int* owner = body->owner + body->rods[r].first_node;
            for (int i = 0; i + 1 < body->rods[r].node_count; i++) {
                if (pass == 1) {
                    set_weak(body, owner[i], owner[i + 1], false);
                } else if (i > 0 && shared[owner[i]]) {
                    set_weak(body, owner[i - 1], owner[i + 1], true);
                }
            }
        }
    }
    fil_free(shared);
    return true;
}

/* Marks the first part that each block gets, if all come from cords. */
static bool mark_first(FilRodBody* body, int slots)
{
    bool* begun = fil_alloc((size_t)body->block_count, sizeof *begun);
    if (begun == NULL) {
        return false;
    }
    body->all_cords = true;
    for (int r = 0; r < body->rod_count; r++) {
        body->all_cords = body->all_cords && body->rods[r].twist_free;
    }
    for (int k = 0; k < slots && body->all_cords; k++) {
        int* slot = &body->block_slots[k];
        if (*slot >= 0 && !begun[*slot / 16]) {
            begun[*slot / 16] = true;
            *slot |= FIL_SLOT_FIRST;
        }
    }
    fil_free(begun);
    return true;
}

/* Rods that share a node add to its block one after the other, whoever does it: each comes a layer after the last of those. */
static bool find_layers(FilRodBody* body)
{
    const size_t rods = (size_t)body->rod_count;
    int *next = fil_alloc((size_t)body->node_count, sizeof *next), *layer = fil_alloc(rods, sizeof *layer);
    body->layer_start = fil_arena_alloc(body->arena, rods + 2, sizeof *body->layer_start);
    body->layer_rods = fil_arena_alloc(body->arena, rods, sizeof *body->layer_rods);
    const bool ok = next != NULL && layer != NULL && body->layer_start != NULL && body->layer_rods != NULL;
    body->layer_count = 0;
    for (int r = 0; r < body->rod_count && ok; r++) {
        const int* owner = body->owner + body->rods[r].first_node;
        layer[r] = 0;
        for (int i = 0; i < body->rods[r].node_count; i++) {
            layer[r] = next[owner[i]] > layer[r] ? next[owner[i]] : layer[r];
        }
        for (int i = 0; i < body->rods[r].node_count; i++) {
            next[owner[i]] = layer[r] + 1;
        }
        body->layer_start[layer[r] + 2]++;
        body->layer_count = layer[r] + 1 > body->layer_count ? layer[r] + 1 : body->layer_count;
    }
    for (int k = 1; k < body->layer_count && ok; k++) {
        body->layer_start[k + 1] += body->layer_start[k];
    }
    for (int r = 0; r < body->rod_count && ok; r++) {
        body->layer_rods[body->layer_start[layer[r] + 1]++] = r;
    }
    fil_free(next);
    fil_free(layer);
    return ok;
}

/* Whether each node of an open rod has the blocks of its own and of the next two with it, one after the other, and nobody else has. */
static bool is_in_a_row(const FilRodBody* body, const FilRod* rod)
{
    bool in_a_row = !rod->closed && !rod->twist_free && rod->node_count > 1;
    for (int k = 0; k < rod->node_count && in_a_row; k++) {
        const int i = rod->first_node + k, own = body->block_own[i], end = i + 1 < body->node_count ? body->block_own[i + 1] : body->block_count;
        const int count = k + 2 < rod->node_count ? 3 : rod->node_count - k;
        in_a_row = body->owner[i] == i && end - own == count;
        for (int b = 0; b < count && in_a_row; b++) {
            in_a_row = body->block_rows[own + b] == i + b;
        }
    }
    return in_a_row;
}

static void find_rows(FilRodBody* body)
{
    body->all_in_rows = true;
    for (int r = 0; r < body->rod_count; r++) {
        body->rods[r].in_a_row = is_in_a_row(body, &body->rods[r]);
        body->all_in_rows = body->all_in_rows && body->rods[r].in_a_row;
    }
}

static bool build_blocks(FilRodBody* body)
{
    Entries entries = {.body = body};
    for (int r = 0; r < body->rod_count; r++) {
        note_rod(&body->rods[r], &entries);
    }
    const size_t count = (size_t)entries.count, max = count + (size_t)body->node_count;
    entries.rows = fil_alloc(count, sizeof(int));
    entries.columns = fil_alloc(count, sizeof(int));
    body->block_slots = fil_arena_alloc(body->arena, count, sizeof(int));
    body->block_columns = fil_arena_alloc(body->arena, max, sizeof(int));
    body->block_rows = fil_arena_alloc(body->arena, max, sizeof(int));
    bool ok = entries.rows != NULL && entries.columns != NULL && body->block_slots != NULL && body->block_columns != NULL && body->block_rows != NULL;
    if (ok) {
        entries.count = 0;
        for (int r = 0; r < body->rod_count; r++) {
            body->rods[r].first_slot = entries.count;
            note_rod(&body->rods[r], &entries);
        }
        ok = list_blocks(body, &entries) && find_weak(body) && find_layers(body);
    }
    for (int k = 0; ok && k < entries.count; k++) {
        const int r = entries.rows[k], c = entries.columns[k];
        body->block_slots[k] = r < 0 ? -1 : 16 * find_block(body, c / 4, r / 4) + 4 * (c % 4) + r % 4;
    }
    ok = ok && mark_first(body, entries.count);
    if (ok) {
        find_rows(body);
    }
    fil_free(entries.rows);
    fil_free(entries.columns);
    return ok;
}

int fil_rod_tangent_pattern(void* pointer, int* columns, int* rows)
{
    FilRodBody* body = pointer;
    if (body->block_slots == NULL && !build_blocks(body)) {
        return -1;
    }
    if (columns != NULL && rows != NULL) {
        memcpy(columns, body->block_columns, sizeof(int) * (size_t)body->block_count);
        memcpy(rows, body->block_rows, sizeof(int) * (size_t)body->block_count);
    }
    return body->block_count;
}

void fil_rod_weak_blocks(const void* pointer, bool* weak)
{
    const FilRodBody* body = pointer;
    memcpy(weak, body->block_weak, sizeof(bool) * (size_t)body->block_count);
}

/* The upper triangle of a block by columns from the lower one. */
static inline void mirror(double* block)
{
    block[4] = block[1];
    block[8] = block[2];
    block[12] = block[3];
    block[9] = block[6];
    block[13] = block[7];
    block[14] = block[11];
}

/* Completes diagonal blocks of a rod's nodes, once rods have been added. Held angles have nothing but their own; idle unknowns
 * are their own equation. */
static void finish_diagonal(const FilRodBody* body, const FilRod* rod, bool implicit, double* values)
{
    const double angle = body->stiffness_scale * (1.0 + rod->chain.shift);
    for (int i = rod->first_node; i < rod->first_node + rod->node_count; i++) {
        double* block = values + 16 * body->block_own[i];
        const double* mass = body->mass + 4 * i;
        if (body->all_cords && implicit && body->owner[i] != i) {  // nothing has begun it
            memset(block, 0, 16 * sizeof *block);
        }
        if (!body->all_cords) {
            mirror(block);
        }
        block[15] = rod->twist_free && implicit ? angle * body->diagonal[4 * i + 3] : block[15];
        for (int j = 0; j < 4; j++) {
            if (!implicit || !(mass[j] > 0.0)) {
                block[5 * j] += mass[j] > 0.0 ? mass[j] : 1.0;
            }
        }
    }
}

typedef struct Tangents {
    FilRodBody* body;
    const int* rods; /* of a layer */
    bool implicit;
    double* values;
} Tangents;

static void scatter_some(void* context, int first, int end, int worker)
{
    const Tangents* tangents = context;
    const FilRodBody* body = tangents->body;
    (void)worker;
    for (int k = first; k < end; k++) {
        FilRod* rod = &body->rods[tangents->rods[k]];
        const int* slots = body->block_slots + rod->first_slot;
        if (rod->in_a_row) {
            fil_rod_chain_put(&rod->chain, slots, body->stiffness_scale, tangents->values, body->block_own[rod->first_node]);
            continue;
        }
        if (rod->chain.untwisted && rod->chain.shift > 0.0 && !rod->chain.expects) {
            fil_rod_chain_expect(&rod->chain, body->q0 + 4 * (size_t)rod->first_node);
        }
        (void)(rod->twist_free ? fil_rod_chain_scatter_blocks(&rod->chain, slots, body->stiffness_scale, tangents->values)
                               : fil_rod_chain_scatter(&rod->chain, slots, body->stiffness_scale, tangents->values));
    }
}

static void finish_some(void* context, int first, int end, int worker)
{
    const Tangents* tangents = context;
    (void)worker;
    for (int r = first; r < end; r++) {
        finish_diagonal(tangents->body, &tangents->body->rods[r], tangents->implicit, tangents->values);
    }
}

void fil_rod_tangent(void* pointer, double* values)
{
    FilRodBody* body = pointer;
    Tangents tangents = {.body = body, .implicit = body->setup.theta > 0.0, .values = values};
    if ((!body->all_cords && !body->all_in_rows) || !tangents.implicit) {
        memset(values, 0, sizeof(double) * 16 * (size_t)body->block_count);
    }
    for (int layer = 0; layer < body->layer_count && tangents.implicit; layer++) {
        const int* start = body->layer_start + layer;
        tangents.rods = body->layer_rods + start[0];
        fil_workers_run(body->workers, start[1] - start[0], FIL_ROD_GRAIN, scatter_some, &tangents);
    }
    fil_workers_run(body->workers, body->rod_count, FIL_ROD_GRAIN, finish_some, &tangents);
}
