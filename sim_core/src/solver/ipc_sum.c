/* What a pair of features is to its unknowns, and what pairs add to residuals and to the matrix.
 *
 * What several pairs add to the same place is added in their order, whoever does it: threads go through all pairs, and each adds what belongs to
 * places of its own. So sums have the same bits for any number of them. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "base/vector.h"
#include "solver/solver.h"

/* Blocks that all corners of a pair depend on together, at most. */
enum { PAIR_BLOCKS = 4 * FIL_JACOBIAN_BLOCKS };

/* Places are shared by stripes: blocks that stand together, two kilobytes and more, go to the same part. Of more parts each would do little but look.
 */
enum { STRIPE = 16, PARTS = 4 };

/* Fewer pairs are left to one thread: they take five microseconds. */
enum { FEW = 64 };

/* In how many parts pairs are added: a power of two. */
static int parts_for(const FilSolver* solver, int pairs)
{
    const int threads = fil_workers_count(solver->system->workers);
    return threads < 2 || pairs < FEW ? 1 : threads < PARTS ? 2 : PARTS;
}

static bool in_part(int place, int part, int parts)
{
    return (place / STRIPE & (parts - 1)) == part;
}

/* ---- corners ---- */

int fil_ipc_node_block(const FilSolver* solver, int point)
{
    return solver->ipc.surface.node_block[point];
}

int fil_ipc_corner_blocks(const FilSolver* solver, int point, const double* x, const double* q, int* blocks, double* jacobian, double* bias)
{
    const FilIpcPoint* p = &solver->ipc.surface.points[point];
    const FilWorldCollider* c = &solver->collision->colliders[p->collider];
    const FilBody* body = &solver->system->bodies[c->body];
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    if (p->node >= 0) {
        memset(jacobian, 0, 12 * sizeof(double));
        jacobian[0] = jacobian[5] = jacobian[10] = 1.0;
        blocks[0] = fil_ipc_node_block(solver, point);
        return 1;
    }
    const int count = body->ops->point_jacobian(body->impl, c->index, 0, x, q + body->q, blocks, jacobian, bias);
    for (int k = 0; k < count; k++) {
        blocks[k] += body->v / 4;
    }
    return count;
}

static void gather(const FilIpcPair* pair, const double* x, double* corners)
{
    for (int i = 0; i < pair->corner_count; i++) {
        fil_v3_copy(corners + 3 * i, x + 3 * pair->point[i]);
    }
}

/* ---- one pair ---- */

double fil_ipc_pair_see(const FilSolver* solver, const FilIpcPair* pair, double* normal, double* weight)
{
    const FilIpcField* field = &solver->ipc;
    if (pair->plane >= 0) {
        double at[3], arm[3];
        fil_ipc_plane(solver, pair->plane, field->x.at, normal, at);
        fil_v3_sub(arm, field->points.at + 3 * pair->point[0], at);
        weight[0] = 1.0;
        return fil_v3_dot(arm, normal) - pair->repulsion.offset;
    }
    double corners[12];
    gather(pair, field->points.at, corners);
    const FilClosest closest = fil_feature_closest(pair->repulsion.pair, corners);
    fil_v3_copy(normal, closest.r);
    fil_v3_normalise(normal);
    memcpy(weight, closest.weight, sizeof closest.weight);
    return sqrt(2.0 * closest.half_square) - pair->repulsion.offset;
}

double fil_ipc_pair_energy(const FilSolver* solver, const FilIpcPair* pair, double* gradient, double* hessian, bool positive)
{
    if (pair->plane < 0) {
        double corners[12];
        gather(pair, solver->ipc.points.at, corners);
        return fil_repulsion_energy(&pair->repulsion, corners, gradient, hessian, positive);
    }
    double normal[3], weight[4];
    const double gap = fil_ipc_pair_see(solver, pair, normal, weight);
    const FilJet jet = fil_barrier(gap, pair->repulsion.range, pair->repulsion.stiffness);
    if (!isfinite(jet.value)) {
        return INFINITY;
    }
    fil_v3_scale(gradient, jet.first, normal);
    for (int k = 0; k < 9 && hessian != NULL; k++) {
        hessian[k] = jet.second * normal[k / 3] * normal[k % 3];
    }
    return jet.value;
}

bool fil_ipc_nearly_parallel(const FilSolver* solver, const FilIpcPair* pair)
{
    double corners[12];
    if (pair->plane >= 0 || pair->repulsion.pair != FIL_SEGMENT_SEGMENT) {
        return false;
    }
    gather(pair, solver->ipc.points.at, corners);
    return fil_repulsion_parallel(&pair->repulsion, corners);
}

/* ---- columns ---- */

/* How many blocks all corners of a pair depend on at most, counted once per corner. */
static size_t pair_blocks(const FilSolver* solver, const FilIpcPair* pair)
{
    size_t count = 0;
    for (int i = 0; i < pair->corner_count; i++) {
        const int point = pair->point[i];
        if (fil_ipc_node_block(solver, point) >= 0) {
            count++;
            continue;
        }
        const int own = solver->system->bodies[solver->collision->colliders[solver->ipc.surface.points[point].collider].body].v_count / 4;
        count += (size_t)(own < FIL_JACOBIAN_BLOCKS ? own : FIL_JACOBIAN_BLOCKS);
    }
    return count;
}

int fil_ipc_contacts_lists(const FilSolver* solver, size_t* variables)
{
    const FilIpcField* field = &solver->ipc;
    for (int k = 0; k < field->active_count; k++) {
        *variables += pair_blocks(solver, &field->pairs[field->active.at[k]]);
    }
    return field->active_count;
}

void fil_ipc_contacts_list(FilSolver* solver, int* list_end, int* variable, int* lists, int* variables)
{
    FilIpcField* field = &solver->ipc;
    const int* column = solver->contact.column_of;
    for (int k = 0; k < field->active_count; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[k]];
        const int first = *variables;
        for (int i = 0; i < pair->corner_count; i++) {
            const int node = fil_ipc_node_block(solver, pair->point[i]);
            if (node >= 0) {
                (void)fil_block_list_put(variable, first, variables, column[node]);
                continue;
            }
            int blocks[FIL_JACOBIAN_BLOCKS];
            double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
            const double* x = field->points.at + 3 * pair->point[i];
            const int count = fil_ipc_corner_blocks(solver, pair->point[i], x, field->x.at, blocks, jacobian, bias);
            for (int b = 0; b < count; b++) {
                (void)fil_block_list_put(variable, first, variables, column[blocks[b]]);
            }
        }
        list_end[(*lists)++] = *variables;
    }
}

/* ---- gradients ---- */

/* Adds a gradient over a corner that is no node to those of its unknowns. */
static void add_to_shape(const FilSolver* solver, int point, const double* g, double* residual)
{
    const FilIpcField* field = &solver->ipc;
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
    const int count = fil_ipc_corner_blocks(solver, point, field->points.at + 3 * point, field->x.at, blocks, jacobian, bias);
    for (int b = 0; b < count; b++) {
        const double* j = jacobian + 12 * b;
        for (int m = 0; m < 4; m++) {
            residual[4 * blocks[b] + m] += field->dt * (j[m] * g[0] + j[4 + m] * g[1] + j[8 + m] * g[2]);
        }
    }
}

/* Gradients of some pairs, in parts. */
typedef struct Adding {
    const FilSolver* solver;
    int count, parts;
    const int* pairs;
    const double* scale; /* every third number is one's; NULL: none */
    double* sum;
} Adding;

static void add_part(void* context, int first, int end, int worker)
{
    const Adding* a = context;
    const FilIpcField* field = &a->solver->ipc;
    const double dt = field->dt;
    (void)worker;
    (void)end;
    for (int k = 0; k < a->count; k++) {
        const double *push = field->pushes.at + 12 * (size_t)k, scale = a->scale != NULL ? a->scale[3 * k] : 1.0;
        const int* nodes = field->pushed.at + 4 * (size_t)k;
        for (int i = 0; i < 4 && nodes[i] != FIL_IPC_NO_CORNER && scale != 0.0; i++) {
            const int node = nodes[i];
            const double g[3] = {scale * push[3 * i], scale * push[3 * i + 1], scale * push[3 * i + 2]};
            if (node >= 0 && in_part(node, first, a->parts)) {
                fil_v3_axpy(a->sum + 4 * (ptrdiff_t)node, dt, g);
            } else if (node < 0 && first == 0) {  // shapes share no block with nodes
                add_to_shape(a->solver, field->pairs[a->pairs[k]].point[i], g, a->sum);
            }
        }
    }
}

void fil_ipc_add_gradients(const FilSolver* solver, int count, const int* pairs, const double* scale, double* residual)
{
    Adding adding = {solver, count, parts_for(solver, count), pairs, scale, residual};
    fil_workers_run(adding.parts > 1 ? solver->system->workers : NULL, adding.parts, 1, add_part, &adding);
}

/* ---- second derivatives ---- */

/* A block of variables that a corner depends on. */
typedef struct Entry {
    int corner, local;
    const double* jacobian; /* 3 x 4; NULL: the identity */
} Entry;

/* Adds scale J_row' H J_column to a block; h is 3 x 3 with `stride` columns. */
static void add_turned(double* block, const double* a, const double* b, double scale, const double* h, int stride)
{
    for (int c = 0; c < 4; c++) {
        double turned[3];
        for (int i = 0; i < 3; i++) {
            turned[i] = scale * (h[stride * i] * b[c] + h[stride * i + 1] * b[4 + c] + h[stride * i + 2] * b[8 + c]);
        }
        for (int r = 0; r < 4; r++) {
            block[4 * c + r] += a[r] * turned[0] + a[4 + r] * turned[1] + a[8 + r] * turned[2];
        }
    }
}

/* Which part of the blocks is added to, of how many. */
typedef struct Part {
    int part, parts;
} Part;

/* Adds that for all pairs of entries; h(i, j) is at h + stride * 3 i + 3 j of their corners. */
static void add_entries(FilBlockSum* sum, int list, Part part, const Entry* entries, int count, double scale, const double* h, int stride)
{
    static const double identity[12] = {[0] = 1.0, [5] = 1.0, [10] = 1.0};
    const int variables = sum->end.at[list] - (list > 0 ? sum->end.at[list - 1] : 0), *places = sum->place.at + sum->place_start.at[list];
    for (int e = 0; e < count; e++) {
        for (int f = 0; f < count; f++) {
            const double *a = entries[e].jacobian, *b = entries[f].jacobian;
            const double* m = h + stride * 3 * entries[e].corner + 3 * entries[f].corner;
            const int place = places[variables * entries[e].local + entries[f].local];
            if (place < 0 || !in_part(place, part.part, part.parts)) {
                continue;  // its transpose is there, or another part's
            }
            double* block = sum->values.at + FIL_BLOCK_SIZE * (size_t)place;
            if (a != NULL || b != NULL) {
                add_turned(block, a != NULL ? a : identity, b != NULL ? b : identity, scale, m, stride);
                continue;
            }
            for (int k = 0; k < 9; k++) {
                block[4 * (k % 3) + k / 3] += scale * m[stride * (k / 3) + k % 3];
            }
        }
    }
}

/* Whether the force of a pair turns slowly while its corners slide: on something large and round. What that takes from the
 * tangent is worth having, Newton is slow without; of thin objects it is so large that tangents become indefinite. */
static bool turns_slowly(const FilIpcPair* pair)
{
    // chosen: a net on a ball as large as itself took 30 to 40 Newton iterations a step without, six with it
    return pair->gap + pair->repulsion.offset > 10.0 * pair->repulsion.range;
}

/* Which variables of its list a pair's corners are that are nodes; -1: others, or none. */
static void find_variables(const FilSolver* solver, const FilIpcPair* pair, const FilBlockSum* sum, int list, int* local)
{
    const int* column = solver->contact.column_of;
    for (int i = 0; i < pair->corner_count; i++) {
        const int node = solver->ipc.surface.node_block[pair->point[i]];
        local[i] = node >= 0 ? fil_block_sum_find(sum, list, column[node]) : -1;
    }
}

static void add_pair_hessian(const FilSolver* solver, const FilIpcPair* pair, const double* hessian, const int* variable, int list, Part part,
                             FilBlockSum* sum)
{
    const FilIpcField* field = &solver->ipc;
    Entry entries[PAIR_BLOCKS];
    double jacobian[4][12 * FIL_JACOBIAN_BLOCKS], bias[3];
    int count = 0;
    for (int i = 0; i < pair->corner_count; i++) {
        const int point = pair->point[i];
        if (variable[i] >= 0) {
            entries[count++] = (Entry){i, variable[i], NULL};
        }
        if (field->surface.node_block[point] >= 0) {
            continue;
        }
        int blocks[FIL_JACOBIAN_BLOCKS];
        const int own = fil_ipc_corner_blocks(solver, point, field->points.at + 3 * point, field->x.at, blocks, jacobian[i], bias);
        for (int b = 0; b < own; b++) {
            const int local = fil_block_sum_find(sum, list, solver->contact.column_of[blocks[b]]);
            if (local >= 0) {
                entries[count++] = (Entry){i, local, jacobian[i] + 12 * b};
            }
        }
    }
    add_entries(sum, list, part, entries, count, field->dt * field->dt, hessian, 3 * pair->corner_count);
}

/* What an active pair adds: nothing; a multiple of a square g g' to blocks of nodes; or second derivatives, to whatever its corners depend on. */
typedef enum Kind { ADDS_NOTHING, ADDS_SQUARE, ADDS_DERIVATIVES } Kind;

/* Blocks that four nodes have: a triangle of the matrix. */
enum { NODE_BLOCKS = 10 };

typedef struct Square {
    int block[NODE_BLOCKS], corner[NODE_BLOCKS][2]; /* of the row, of the column */
    int count;
    double along[12], g[12], share; /* along g g' times the share */
} Square;

typedef struct Found {
    Kind kind;
    int variable[4]; /* which its corners are */
    union {
        Square square;
        double derivatives[144];
    };
} Found;

_Static_assert(sizeof(Found) <= FIL_IPC_WORK * sizeof(double), "what a pair adds has to fit in its share of the work");

static Found* found_of(const FilIpcField* field, int k)
{
    return (Found*)(void*)(field->work.at + (ptrdiff_t)FIL_IPC_WORK * k);
}

/* A batch of active pairs, in parallel: each by itself, then what they add by parts. */
typedef struct Batch {
    FilSolver* solver;
    FilBlockSum* sum;
    int first, count;
    int first_list; /* of all */
    int parts;
    bool majorised;
} Batch;

/* Which blocks a pair of nodes adds to. */
static void find_blocks(const FilBlockSum* sum, int list, const int* variable, int corners, Square* square)
{
    const int variables = sum->end.at[list] - (list > 0 ? sum->end.at[list - 1] : 0), *places = sum->place.at + sum->place_start.at[list];
    square->count = 0;
    for (int e = 0; e < corners; e++) {
        for (int f = 0; f < corners; f++) {
            const int place = variable[e] >= 0 && variable[f] >= 0 ? places[variables * variable[e] + variable[f]] : -1;
            if (place >= 0) {  // or its transpose is there, or it is held
                square->block[square->count] = place;
                square->corner[square->count][0] = e;
                square->corner[square->count++][1] = f;
            }
        }
    }
}

/* Finds a pair's second derivatives as a square, if it has only nodes; false: they are not one. */
static bool find_square(const FilSolver* solver, const FilIpcPair* pair, bool positive, double share, Found* found)
{
    double corners[12], along;
    bool nodes = pair->plane < 0;
    for (int i = 0; i < pair->corner_count; i++) {
        nodes = nodes && solver->ipc.surface.node_block[pair->point[i]] >= 0;
    }
    if (!nodes) {
        return false;
    }
    gather(pair, solver->ipc.points.at, corners);
    if (!fil_repulsion_square(&pair->repulsion, corners, positive, &along, found->square.g)) {
        return false;
    }
    found->kind = along != 0.0 ? ADDS_SQUARE : ADDS_NOTHING;
    for (int k = 0; k < 3 * pair->corner_count; k++) {
        found->square.along[k] = along * found->square.g[k];
    }
    found->square.share = share;
    return true;
}

static void find_hessians(void* context, int first, int end, int worker)
{
    const Batch* batch = context;
    const FilIpcField* field = &batch->solver->ipc;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[batch->first + k]];
        Found* found = found_of(field, k);
        const int size = 3 * pair->corner_count, list = batch->first_list + batch->first + k;
        const bool positive = batch->majorised || !turns_slowly(pair);
        const double share = field->anticipates && pair->expected != pair->gap ? fil_ipc_model(pair).stiffness : 1.0;
        find_variables(batch->solver, pair, batch->sum, list, found->variable);
        if (find_square(batch->solver, pair, positive, share, found)) {
            find_blocks(batch->sum, list, found->variable, pair->corner_count, &found->square);
            continue;
        }
        double gradient[12];
        const double energy = fil_ipc_pair_energy(batch->solver, pair, gradient, found->derivatives, positive);
        found->kind = energy != 0.0 ? ADDS_DERIVATIVES : ADDS_NOTHING;
        for (int i = 0; i < size * size && share != 1.0; i++) {
            found->derivatives[i] *= share;
        }
    }
}

/* Adds scale times rows and columns of a square to a block. */
static inline void add_square(const Square* square, int b, double scale, double* block)
{
    const double *a = square->along + 3 * square->corner[b][0], *g = square->g + 3 * square->corner[b][1];
    const FilDouble2 front = fil_double2_load(a), back = {a[2], 0.0};
    for (int c = 0; c < 3; c++) {
        double* to = block + 4 * c;
        fil_double2_store(to, fil_double2_load(to) + scale * (front * g[c] * square->share));
        fil_double2_store(to + 2, fil_double2_load(to + 2) + scale * (back * g[c] * square->share));
    }
}

static void add_hessians(void* context, int first, int end, int worker)
{
    const Batch* batch = context;
    const FilIpcField* field = &batch->solver->ipc;
    const Part part = {first, batch->parts};
    const double scale = field->dt * field->dt;
    (void)worker;
    (void)end;
    for (int k = 0; k < batch->count; k++) {
        const Found* found = found_of(field, k);
        const int at = batch->first + k;
        for (int b = 0; found->kind == ADDS_SQUARE && b < found->square.count; b++) {
            const int place = found->square.block[b];
            if (in_part(place, part.part, part.parts)) {
                add_square(&found->square, b, scale, batch->sum->values.at + FIL_BLOCK_SIZE * (ptrdiff_t)place);
            }
        }
        if (found->kind == ADDS_DERIVATIVES) {
            add_pair_hessian(batch->solver, &field->pairs[field->active.at[at]], found->derivatives, found->variable, batch->first_list + at, part,
                             batch->sum);
        }
    }
}

void fil_ipc_contacts_hessian(FilSolver* solver, bool majorised, FilBlockSum* sum, int first_list)
{
    const int active = solver->ipc.active_count;
    Batch batch = {.solver = solver, .sum = sum, .first_list = first_list, .majorised = majorised};
    for (; batch.first < active; batch.first += FIL_IPC_BATCH) {
        batch.count = active - batch.first < FIL_IPC_BATCH ? active - batch.first : FIL_IPC_BATCH;
        batch.parts = parts_for(solver, batch.count);
        fil_workers_run(solver->system->workers, batch.count, FIL_IPC_GRAIN, find_hessians, &batch);
        fil_workers_run(batch.parts > 1 ? solver->system->workers : NULL, batch.parts, 1, add_hessians, &batch);
    }
}
