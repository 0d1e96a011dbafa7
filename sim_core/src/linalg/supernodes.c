#include "linalg/supernodes.h"

#include <limits.h>
#include <string.h>

#include "linalg/amalgamation.h"
#include "linalg/strips.h"

/* A subtree that does at most this share of its part's work is not divided into tasks. In a cube most of the work is
 * above such subtrees, in the few largest fronts: threads will have to share those, by strips. */
enum { TASKS = 32 };

static int rounded_strips(int unknowns)
{
    return (unknowns + FIL_STRIP - 1) / FIL_STRIP;
}

static int bit_count(int bits)
{
    return (bits & 1) + (bits >> 1 & 1) + (bits >> 2 & 1) + (bits >> 3 & 1);
}

void fil_supernodes_free(FilSupernodes* s)
{
    FilInts* const buffers[] = {&s->task,  &s->variable, &s->pivot, &s->used,      &s->node_of,     &s->place,
                                &s->child, &s->row,      &s->work,  &s->row_place, &s->parent_place};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        fil_free(buffers[k]->at);
    }
    for (int m = 0; m < FIL_SUPERNODE_TERMS; m++) {
        fil_free(s->entry_start[m].at);
        fil_free(s->entries[m]);
    }
    fil_free(s->nodes);
    fil_free(s->flops_of.at);
    fil_elimination_free(&s->elimination);
    *s = (FilSupernodes){0};
}

/* ---- numbering: tasks one after the other, those of fixed columns first, children before parents ---- */

/* The tree of supernodes while they are called by their last columns in the order of elimination. */
typedef struct Forest {
    const FilElimination* e;
    int first_changing;
    int* top;      /* last column of each column's supernode */
    int* parent;   /* of a last column: that of its parent, or -1 */
    int* head;     /* first child ... */
    int* next;     /* ... and next sibling */
    int* group;    /* last column of the root of the subtree that is one task, or -1 above all of these */
    int* sequence; /* last columns, children before parents */
    double* work;  /* flops of the subtree within its part */
} Forest;

static bool same_part(const Forest* f, int a, int b)
{
    return (a < f->first_changing) == (b < f->first_changing);
}

/* Parents, children and work of all supernodes. */
static void build_forest(Forest* f, double* total)
{
    const FilElimination* e = f->e;
    total[0] = total[1] = 0.0;
    memset(f->head, -1, (size_t)e->columns * sizeof(int));
    memset(f->work, 0, (size_t)e->columns * sizeof(double));
    for (int j = 0; j < e->columns; j++) {
        const double width = e->width.at[j], below = e->height.at[j] + width;
        f->work[f->top[j]] += width * below * below;
    }
    for (int j = 0; j < e->columns; j++) {
        if (f->top[j] == j) {
            total[j >= f->first_changing] += f->work[j];
        }
    }
    for (int j = e->columns - 1; j >= 0; j--) {
        if (f->top[j] == j) {
            f->parent[j] = e->parent.at[j] >= 0 ? f->top[e->parent.at[j]] : -1;
            if (f->parent[j] >= 0) {
                f->next[j] = f->head[f->parent[j]];
                f->head[f->parent[j]] = j;
            }
        }
    }
    for (int j = 0; j < e->columns; j++) {
        if (f->top[j] == j && f->parent[j] >= 0 && same_part(f, j, f->parent[j])) {
            f->work[f->parent[j]] += f->work[j];
        }
    }
}

/* Cuts off the largest subtrees that do at most a share of their part's work. */
static void cut_tasks(Forest* f, const double* total)
{
    for (int j = f->e->columns - 1; j >= 0; j--) {
        if (f->top[j] != j) {
            continue;
        }
        const int parent = f->parent[j];
        const bool inner = parent >= 0 && same_part(f, j, parent);
        if (inner && f->group[parent] >= 0) {
            f->group[j] = f->group[parent];
        } else {
            f->group[j] = f->work[j] * TASKS <= total[j >= f->first_changing] ? j : -1;
        }
    }
}

/* Lists the supernodes, children before parents and subtrees in one piece. Returns how many there are. `stack` has a
 * place for each. */
static int list_nodes(Forest* f, int* stack)
{
    int count = 0;
    for (int root = 0; root < f->e->columns; root++) {
        if (f->top[root] != root || f->parent[root] >= 0) {
            continue;
        }
        int depth = 0;
        stack[depth++] = root;
        while (depth > 0) {
            const int j = stack[depth - 1], child = f->head[j];
            if (child >= 0) {
                f->head[j] = f->next[child];
                stack[depth++] = child;
            } else {
                f->sequence[count++] = j;
                depth--;
            }
        }
    }
    return count;
}

/* Numbers the supernodes of one part from `node` on: its subtrees, small ones several to a task, then what is above
 * them. */
static int number_part(FilSupernodes* s, const Forest* f, int count, int part, double total, int* number, int node)
{
    double work = 0.0;
    int group = -1;
    for (int above = 0; above < 2; above++) {
        bool begun = false;
        for (int k = 0; k < count; k++) {
            const int j = f->sequence[k];
            if ((j >= f->first_changing) != part || (f->group[j] < 0) != above) {
                continue;
            }
            // a task begins with a subtree, where those before it have enough to do
            if (!begun || (!above && f->group[j] != group && work * TASKS > total)) {
                s->task.at[s->task_count++] = node;
                work = 0.0;
                begun = true;
            }
            if (f->group[j] != group) {
                work += f->group[j] >= 0 ? f->work[f->group[j]] : 0.0;
                group = f->group[j];
            }
            number[j] = node++;
        }
    }
    return node;
}

/* Gives pivots to variables and makes the supernodes. */
static bool make_nodes(FilSupernodes* s, const Forest* f, const int* number, const unsigned char* used)
{
    const FilElimination* e = f->e;
    if (!fil_buffer_reserve(&s->nodes, &s->node_capacity, (size_t)s->count, sizeof(FilSupernode))) {
        return false;
    }
    FilSupernode* node = s->nodes;
    memset(node, 0, (size_t)s->count * sizeof *node);
    for (int j = 0; j < e->columns; j++) {
        node[number[f->top[j]]].end++;
    }
    for (int k = 0, end = 0; k < s->count; k++) {
        node[k].first = end;
        end += node[k].end;
        node[k].end = node[k].first;
    }
    for (int j = 0; j < e->columns; j++) {
        const int k = number[f->top[j]], p = node[k].end++, v = e->old_of_new.at[j];
        s->variable.at[p] = v;
        s->pivot.at[v] = p;
        // a bit for each of four rows
        s->used.at[p] = used != NULL ? used[v] & 15 : 15;
        s->node_of.at[p] = k;
        s->place.at[p] = node[k].pivots;
        node[k].pivots += e->width.at[j];
    }
    int rows = 0, children = 0;
    for (int j = 0; j < e->columns; j++) {
        if (f->top[j] == j) {
            FilSupernode* n = &node[number[j]];
            n->parent = f->parent[j] >= 0 ? number[f->parent[j]] : -1;
            n->updates = e->height.at[j];
            n->end_row = e->rows.at[j];
            n->strips = rounded_strips(n->pivots);
            n->update_strips = rounded_strips(n->updates);
        }
    }
    for (int k = 0; k < s->count; k++) {
        node[k].first_row = rows;
        rows += node[k].end_row;
        node[k].end_row = node[k].first_row;
        if (node[k].parent >= 0) {
            node[node[k].parent].end_child++;
        }
    }
    for (int k = 0; k < s->count; k++) {
        node[k].first_child = children;
        children += node[k].end_child;
        node[k].end_child = node[k].first_child;
    }
    for (int k = 0; k < s->count; k++) {
        if (node[k].parent >= 0) {
            s->child.at[node[node[k].parent].end_child++] = k;
        }
    }
    return fil_ints_reserve(&s->row, (size_t)rows) && fil_ints_reserve(&s->row_place, (size_t)rows) &&
           fil_ints_reserve(&s->parent_place, (size_t)rows);
}

/* ---- rows and places ---- */

/* Rows of all supernodes: pivot i is one of every supernode on the way up the tree from its earlier neighbours to its
 * own. */
static void find_rows(FilSupernodes* s, int* mark)
{
    FilSupernode* node = s->nodes;
    const FilBlockGraph* graph = &s->elimination.graph;
    memset(mark, -1, (size_t)s->count * sizeof *mark);
    for (int i = 0; i < s->columns; i++) {
        const int v = s->variable.at[i];
        for (int q = graph->start.at[v]; q < graph->start.at[v + 1]; q++) {
            const int j = s->pivot.at[graph->list.at[q]];
            for (int k = j < i ? s->node_of.at[j] : s->node_of.at[i]; k != s->node_of.at[i] && mark[k] != i; k = node[k].parent) {
                mark[k] = i;
                s->row.at[node[k].end_row++] = i;
            }
        }
    }
    for (int k = 0; k < s->count; k++) {
        for (int q = node[k].first_row, place = FIL_STRIP * node[k].strips; q < node[k].end_row; q++) {
            s->row_place.at[q] = place;
            place += bit_count(s->used.at[s->row.at[q]]);
        }
    }
}

/* Where a supernode's rows stand in its parent's front: both lists ascend. */
static void find_parent_places(FilSupernodes* s, const FilSupernode* node)
{
    if (node->parent < 0) {
        return;
    }
    const FilSupernode* parent = (const FilSupernode*)s->nodes + node->parent;
    for (int q = node->first_row, r = parent->first_row; q < node->end_row; q++) {
        const int i = s->row.at[q];
        if (i < parent->end) {
            s->parent_place.at[q] = s->place.at[i];
            continue;
        }
        while (s->row.at[r] < i) {
            r++;
        }
        s->parent_place.at[q] = s->row_place.at[r];
    }
}

/* Updates live on two stacks, those of even and of odd depth: a parent's is written while its children's are read, and
 * these lie on top of the other stack. `depth` and `task` have one place per supernode. */
static void place_updates(FilSupernodes* s, int* depth, int* task)
{
    FilSupernode* node = s->nodes;
    size_t peak[2] = {0, 0}, top[2] = {0, 0};
    for (int k = s->count - 1; k >= 0; k--) {
        depth[k] = node[k].parent >= 0 ? depth[node[k].parent] + 1 : 0;
    }
    for (int t = 0; t < s->task_count; t++) {
        for (int k = s->task.at[t]; k < s->task.at[t + 1]; k++) {
            task[k] = t;
        }
    }
    s->kept_size = 0;
    for (int k = 0; k < s->count; k++) {
        const size_t strips = (size_t)node[k].update_strips, size = 8 * strips * (strips + 1);
        const int side = depth[k] & 1;
        if (k == s->task.at[task[k]]) {
            top[0] = top[1] = 0;
        }
        for (int c = node[k].first_child; c < node[k].end_child; c++) {
            const FilSupernode* child = &node[s->child.at[c]];
            const size_t child_strips = (size_t)child->update_strips;
            top[!side] -= child->kept ? 0 : 8 * child_strips * (child_strips + 1);
        }
        node[k].kept = node[k].parent >= 0 && task[node[k].parent] != task[k];
        size_t* end = node[k].kept ? &s->kept_size : &top[side];
        node[k].update = *end;
        *end += size;
        peak[side] = top[side] > peak[side] ? top[side] : peak[side];
    }
    for (int k = 0; k < s->count; k++) {
        node[k].update += !node[k].kept && (depth[k] & 1) ? peak[0] : 0;
    }
    s->stack_size = peak[0] + peak[1];
}

static void place_panels(FilSupernodes* s)
{
    FilSupernode* node = s->nodes;
    s->panel_size = 0;
    s->max_updates = s->max_pivots = 0;
    s->flops = 0.0;
    for (int k = 0; k < s->count; k++) {
        node[k].panel = s->panel_size;
        s->panel_size += FIL_TILE * (size_t)node[k].strips * (size_t)(node[k].strips + node[k].update_strips);
        const int updates = FIL_STRIP * node[k].update_strips, pivots = FIL_STRIP * node[k].strips;
        s->max_updates = updates > s->max_updates ? updates : s->max_updates;
        s->max_pivots = pivots > s->max_pivots ? pivots : s->max_pivots;
        const double p = node[k].pivots, u = node[k].updates;
        s->flops += p * (u * (u + p) + p * p / 3.0);
    }
}

/* ---- where the terms' blocks go ---- */

static bool sort_entries(FilSupernodes* s, int term, const FilBlockPattern* pattern)
{
    const int n = s->columns, blocks = pattern != NULL ? pattern->start[n] : 0;
    if (blocks > INT_MAX / 2 || !fil_ints_reserve(&s->entry_start[term], (size_t)s->count + 2) ||
        !fil_buffer_reserve(&s->entries[term], &s->entry_capacity[term], (size_t)blocks, sizeof(FilSupernodeEntry))) {
        return false;
    }
    // start[k + 2] counts supernode k; after the sums start[k + 1] is where it begins, and it ends where k + 1 begins
    int* start = s->entry_start[term].at;
    FilSupernodeEntry* entry = s->entries[term];
    memset(start, 0, ((size_t)s->count + 2) * sizeof *start);
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; pattern != NULL && j < n; j++) {
            for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
                const int pi = s->pivot.at[pattern->row[k]], pj = s->pivot.at[j];
                const int low = pi < pj ? pi : pj, node = s->node_of.at[low];
                if (pass == 0) {
                    start[node + 2]++;
                } else {
                    entry[start[node + 1]++] = (FilSupernodeEntry){.source = 2 * k + (pi < pj), .row = pi < pj ? pj : pi, .column = low};
                }
            }
        }
        for (int k = 0; pass == 0 && k < s->count; k++) {
            start[k + 2] += start[k + 1];
        }
    }
    return true;
}

/* Pivots to places in fronts. False when a block lies outside L. `where` and `mark` have one place per column. */
static bool place_entries(FilSupernodes* s, int term, int* where, int* mark)
{
    const FilSupernode* nodes = s->nodes;
    const int* start = s->entry_start[term].at;
    memset(mark, -1, (size_t)s->columns * sizeof *mark);
    for (int k = 0; k < s->count; k++) {
        if (start[k] == start[k + 1]) {
            continue;
        }
        for (int p = nodes[k].first; p < nodes[k].end; p++) {
            where[p] = s->place.at[p];
            mark[p] = k;
        }
        for (int q = nodes[k].first_row; q < nodes[k].end_row; q++) {
            where[s->row.at[q]] = s->row_place.at[q];
            mark[s->row.at[q]] = k;
        }
        for (int e = start[k]; e < start[k + 1]; e++) {
            FilSupernodeEntry* entry = (FilSupernodeEntry*)s->entries[term] + e;
            if (mark[entry->row] != k || (term > 0 && entry->column < s->first_changing)) {
                return false;
            }
            entry->row_used = (unsigned char)s->used.at[entry->row];
            entry->column_used = (unsigned char)s->used.at[entry->column];
            entry->row = where[entry->row];
            entry->column = where[entry->column];
        }
    }
    return true;
}

FilStatus fil_supernodes_bind(FilSupernodes* s, const FilBlockPattern* a, const FilBlockPattern* c, bool* fits)
{
    const FilBlockPattern* const terms[FIL_SUPERNODE_TERMS] = {a, c};
    *fits = a->columns == s->columns;
    for (int m = 0; m < FIL_SUPERNODE_TERMS && *fits; m++) {
        if (!sort_entries(s, m, terms[m])) {
            return FIL_OUT_OF_MEMORY;
        }
        *fits = place_entries(s, m, s->work.at, s->work.at + s->columns);
    }
    return FIL_OK;
}

/* ---- all of it ---- */

/* The first pivot that the last term reaches. */
static int first_reached(const FilElimination* e, const FilBlockPattern* c)
{
    int first = e->columns;
    for (int j = 0; c != NULL && j < e->columns; j++) {
        for (int k = c->start[j]; k < c->start[j + 1]; k++) {
            const int pi = e->new_of_old.at[c->row[k]], pj = e->new_of_old.at[j], low = pi < pj ? pi : pj;
            first = low < first ? low : first;
        }
    }
    return first;
}

static bool reserve(FilSupernodes* s, size_t n)
{
    FilInts* const buffers[] = {&s->variable, &s->pivot, &s->used, &s->node_of, &s->place, &s->child};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
        if (!fil_ints_reserve(buffers[k], n)) {
            return false;
        }
    }
    // work: nine lists of n, and five of fil_amalgamation_find()
    return fil_ints_reserve(&s->work, 14 * n) && fil_doubles_reserve(&s->flops_of, n) && fil_ints_reserve(&s->task, n + 3);
}

FilStatus fil_supernodes_analyze(FilSupernodes* s, const FilBlockPattern* a, const FilBlockPattern* c, const unsigned char* used)
{
    const size_t n = (size_t)a->columns;
    const FilStatus status = fil_elimination_find(&s->elimination, a, c, used);
    if (status != FIL_OK) {
        return status;
    }
    if (!reserve(s, n)) {
        return FIL_OUT_OF_MEMORY;
    }
    s->columns = a->columns;
    s->first_changing = first_reached(&s->elimination, c);
    int *at = s->work.at, *number = at + 7 * n, *stack = at + 8 * n;
    Forest forest = {&s->elimination, s->first_changing, at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, at + 5 * n, s->flops_of.at};
    fil_amalgamation_find(&s->elimination, s->first_changing, forest.top, at + 9 * n);
    double total[2];
    build_forest(&forest, total);
    cut_tasks(&forest, total);
    s->count = list_nodes(&forest, stack);
    s->task_count = 0;
    s->first_changing_node = number_part(s, &forest, s->count, 0, total[0], number, 0);
    s->first_changing_task = s->task_count;
    (void)number_part(s, &forest, s->count, 1, total[1], number, s->first_changing_node);
    s->task.at[s->task_count] = s->count;
    if (!make_nodes(s, &forest, number, used)) {
        return FIL_OUT_OF_MEMORY;
    }

    find_rows(s, s->work.at);
    for (int k = 0; k < s->count; k++) {
        find_parent_places(s, (const FilSupernode*)s->nodes + k);
    }
    place_panels(s);
    place_updates(s, s->work.at, s->work.at + n);
    bool fits;
    const FilStatus bound = fil_supernodes_bind(s, a, c, &fits);
    return bound == FIL_OK && !fits ? FIL_BAD_INPUT : bound;  // the rows were found from these blocks
}
