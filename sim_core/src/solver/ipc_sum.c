/* What a pair of features is to its unknowns, and what pairs add to residuals and to the matrix.
 *
 * What several pairs add to the same place is added in their order, by one worker: to share that by places is slower than it is alone, where threads
 * take what they add to from each other's caches (Xeon, amd64: 59 instead of 40 us a batch). So sums have the same bits for any number of them. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "base/vector.h"
#include "solver/solver.h"

/* Blocks that all corners of a pair depend on together, at most. */
enum { PAIR_BLOCKS = 4 * FIL_JACOBIAN_BLOCKS };

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

void fil_ipc_add_gradients(const FilSolver* solver, int count, const int* pairs, const double* scale, double* residual)
{
    const FilIpcField* field = &solver->ipc;
    const double dt = field->dt;
    for (int k = 0; k < count; k++) {
        const double *push = field->pushes.at + 12 * (size_t)k, size = scale != NULL ? scale[3 * k] : 1.0;
        const int* nodes = field->pushed.at + 4 * (size_t)k;
        for (int i = 0; i < 4 && nodes[i] != FIL_IPC_NO_CORNER && size != 0.0; i++) {
            const int node = nodes[i];
            const double g[3] = {size * push[3 * i], size * push[3 * i + 1], size * push[3 * i + 2]};
            if (node >= 0) {
                fil_v3_axpy(residual + 4 * (ptrdiff_t)node, dt, g);
            } else {
                add_to_shape(solver, field->pairs[pairs[k]].point[i], g, residual);
            }
        }
    }
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

/* Adds that for all pairs of entries; h(i, j) is at h + stride * 3 i + 3 j of their corners. */
static void add_entries(FilBlockSum* sum, int list, const Entry* entries, int count, double scale, const double* h, int stride)
{
    static const double identity[12] = {[0] = 1.0, [5] = 1.0, [10] = 1.0};
    const int variables = sum->end.at[list] - (list > 0 ? sum->end.at[list - 1] : 0), *places = sum->place.at + sum->place_start.at[list];
    for (int e = 0; e < count; e++) {
        for (int f = 0; f < count; f++) {
            const double *a = entries[e].jacobian, *b = entries[f].jacobian;
            const double* m = h + stride * 3 * entries[e].corner + 3 * entries[f].corner;
            const int place = places[variables * entries[e].local + entries[f].local];
            if (place < 0) {
                continue;  // its transpose is there
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

static void add_pair_hessian(const FilSolver* solver, const FilIpcPair* pair, const double* hessian, const int* variable, int list, FilBlockSum* sum)
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
    add_entries(sum, list, entries, count, field->dt * field->dt, hessian, 3 * pair->corner_count);
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

/* Of the k-th active pair, until as many as a batch has come after it. */
static Found* found_of(const FilIpcField* field, int k)
{
    return (Found*)(void*)(field->work.at + (ptrdiff_t)FIL_IPC_WORK * (k % FIL_IPC_BATCH));
}

/* Active pairs go through in two halves of a batch: what those of one add is found, in parallel, beside the adding of the half before. */
enum { HALF = FIL_IPC_BATCH / 2 };

typedef struct Halves {
    FilSolver* solver;
    FilBlockSum* sum;
    int first_list; /* of all */
    int first;      /* pair of the half that is looked at */
    bool majorised;
} Halves;

static int end_of(const Halves* halves, int first)
{
    const int active = halves->solver->ipc.active_count;
    return first + HALF < active ? first + HALF : active;
}

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

static void find_hessians(const Halves* halves, int first, int end)
{
    const FilIpcField* field = &halves->solver->ipc;
    for (int k = first; k < end; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[k]];
        Found* found = found_of(field, k);
        const int size = 3 * pair->corner_count, list = halves->first_list + k;
        const bool positive = halves->majorised || (pair->times > 0.0 && !turns_slowly(pair));
        const double share = field->anticipates && pair->expected != pair->gap ? fil_ipc_model(pair).stiffness : 1.0;
        find_variables(halves->solver, pair, halves->sum, list, found->variable);
        if (find_square(halves->solver, pair, positive, share, found)) {
            find_blocks(halves->sum, list, found->variable, pair->corner_count, &found->square);
            continue;
        }
        double gradient[12];
        const double energy = fil_ipc_pair_energy(halves->solver, pair, gradient, found->derivatives, positive);
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

static void add_hessians(const Halves* halves, int first, int end)
{
    const FilIpcField* field = &halves->solver->ipc;
    const double scale = field->dt * field->dt;
    for (int k = first; k < end; k++) {
        const Found* found = found_of(field, k);
        for (int b = 0; found->kind == ADDS_SQUARE && b < found->square.count; b++) {
            add_square(&found->square, b, scale, halves->sum->values.at + FIL_BLOCK_SIZE * (ptrdiff_t)found->square.block[b]);
        }
        if (found->kind == ADDS_DERIVATIVES) {
            add_pair_hessian(halves->solver, &field->pairs[field->active.at[k]], found->derivatives, found->variable, halves->first_list + k,
                             halves->sum);
        }
    }
}

/* The first piece is the half before, which the caller takes; the others are parts of this one. */
static void add_and_find(void* context, int piece, int end, int worker)
{
    const Halves* halves = context;
    (void)end;
    (void)worker;
    if (piece > 0) {
        const int first = halves->first + FIL_IPC_GRAIN * (piece - 1), last = end_of(halves, halves->first);
        find_hessians(halves, first, first + FIL_IPC_GRAIN < last ? first + FIL_IPC_GRAIN : last);
    } else if (halves->first > 0) {
        add_hessians(halves, halves->first - HALF, halves->first);
    }
}

void fil_ipc_contacts_hessian(FilSolver* solver, bool majorised, FilBlockSum* sum, int first_list)
{
    const int active = solver->ipc.active_count;
    Halves halves = {.solver = solver, .sum = sum, .first_list = first_list, .majorised = majorised};
    for (; halves.first < active; halves.first += HALF) {
        const int pieces = (end_of(&halves, halves.first) - halves.first + FIL_IPC_GRAIN - 1) / FIL_IPC_GRAIN;
        fil_workers_run(solver->system->workers, 1 + pieces, 1, add_and_find, &halves);
    }
    if (active > 0) {
        add_hessians(&halves, halves.first - HALF, active);
    }
}
