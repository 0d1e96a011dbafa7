/* Lists pairs that are near: which points, edges and triangles could come into each other's range in an iteration. */
#include <math.h>
#include <string.h>

#include "base/extrema.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "solver/solver.h"

/* How far from the way that pairs were listed for they still hold: of the range, and of a point's motion. */
static const double NEAR_RANGE = 0.1, NEAR_MOTION = 0.1;

/* How far from their boxes features still are those to look at for that: of the range. */
static const double NEAR_MARGIN = 0.5;

/* Share of the points that may have left those ways before all pairs are listed anew. */
static const double MANY = 0.2;

/* Of a barrier that a neighbour has taken over: little, but no hole in the wall if objects go otherwise than guessed. With 1e-3 they come
 * so near to it then that a net on a ball takes 28 % more iterations than without shares; with this, 1 %. */
static const double MIN_SHARE = 0.05;

static const FilWorldCollider* collider_of(const FilSolver* solver, int point)
{
    return &solver->collision->colliders[solver->ipc.surface.points[point].collider];
}

/* The barrier's stiffness: what turns the two masses round within a few steps. */
static double stiffness_of(const FilSolver* solver, double mass_a, double mass_b)
{
    const FilIpcSettings* settings = &solver->settings.model.ipc;
    const double dt = solver->settings.dt, lighter = fmin(mass_a, mass_b), heavier = fmax(mass_a, mass_b);
    const double mass = isfinite(heavier) ? sqrt(lighter * heavier) : lighter;
    return settings->stiffness > 0.0 ? settings->stiffness : solver->ipc.scale * (isfinite(mass) ? mass : 1.0) / (dt * dt);
}

static bool moves(const FilSolver* solver, const FilWorldCollider* c)
{
    return c->body >= 0 && solver->system->bodies[c->body].moves;
}

/* Whether some of the points are held and the others do not move: a barrier would push nothing, as hard as the gap and the step happen to be, unless
 * its stiffness is given. */
static bool are_held(const FilSolver* solver, const int* points, int count)
{
    bool any = false, stay = !(solver->settings.model.ipc.stiffness > 0.0);
    for (int k = 0; k < count && stay; k++) {
        const FilWorldCollider* c = collider_of(solver, points[k]);
        const int node = solver->ipc.surface.points[points[k]].node;
        const bool held = node >= 0 && moves(solver, c) && solver->system->bodies[c->body].ops->held(solver->system->bodies[c->body].impl, node);
        stay = held || !moves(solver, c);
        any |= held;
    }
    return any && stay;
}

static FilStatus append(FilSolver* solver, const FilIpcPair* pair)
{
    FilIpcField* field = &solver->ipc;
    if (field->pair_count >= solver->collision->max_contacts) {
        return FIL_BAD_INPUT;
    }
    if (field->max_pairs > 0 && field->pair_count >= field->max_pairs) {
        return FIL_NOT_CONVERGED;
    }
    FilStatus status = fil_solver_reserve((void**)&field->pairs, field->pair_count, &field->pair_capacity, sizeof *field->pairs);
    const size_t capacity = (size_t)field->pair_capacity;
    const bool room = status == FIL_OK && fil_doubles_reserve(&field->pushes, 12 * capacity) && fil_ints_reserve(&field->pushing, capacity) &&
                      fil_ints_reserve(&field->pushed, 4 * capacity);
    status = status == FIL_OK && !room ? FIL_OUT_OF_MEMORY : status;
    if (status == FIL_OK) {
        field->pairs[field->pair_count++] = *pair;
    }
    return status;
}

static double friction_of(const FilSolver* solver, const FilWorldCollider* a, const FilWorldCollider* b)
{
    return solver->collision->friction >= 0.0 ? solver->collision->friction : fil_collision_surface(solver->collision, a, b).friction;
}

/* Whether a pair that is `beyond` its range may come into it on the way to `listed_end`, or as far beside as `slack` allows. */
static bool comes_into_range(const FilIpcField* field, FilFeature kind, const int* points, int count, double beyond)
{
    return beyond < fil_ipc_approach(kind, points, count, field->points.at, field->listed_end.at, field->slack.at);
}

/* Whether a pair is farther apart than `min` on the way to `listed_end`, and as far beside as `slack` allows, along the line between its closest
 * points, which are at that `distance` now. All points go that way alike, by the same share of it, and along a line the nearest corners of two
 * features are nowhere nearer to each other in between than at one of its ends. */
static bool stays_beyond(const FilIpcField* field, FilFeature kind, const int* points, int count, const double* between, double distance, double min)
{
    const int split = fil_feature_split(kind);
    double front = -INFINITY, back = INFINITY, beside[2] = {0.0};
    for (int i = 0; i < count; i++) {
        const double place = fil_v3_dot(field->listed_end.at + 3 * points[i], between);
        front = i < split ? fil_max(front, place) : front;
        back = i < split ? back : fil_min(back, place);
        beside[i >= split] = fil_max(beside[i >= split], field->slack.at[points[i]]);
    }
    const double wanted = min + beside[0] + beside[1];
    return distance > wanted && back - front > wanted * fil_v3_norm(between);
}

/* Makes a pair; false if it does not come into range. */
static bool make_pair(const FilSolver* solver, FilFeature kind, const int* points, int count, double parallel, FilIpcPair* pair)
{
    const FilIpcField* field = &solver->ipc;
    const int other = points[fil_feature_split(kind)];
    const FilIpcPoint *a = &field->surface.points[points[0]], *b = &field->surface.points[other];
    const double range = solver->settings.model.ipc.range, offset = a->radius + b->radius;
    double between[3];
    const double gap = fil_ipc_nearest(kind, points, count, field->points.at, between) - offset;
    if (!comes_into_range(field, kind, points, count, gap - range) ||
        stays_beyond(field, kind, points, count, between, gap + offset, offset + range)) {
        return false;
    }
    *pair = (FilIpcPair){.repulsion = {kind, offset, range, stiffness_of(solver, a->mass, b->mass), parallel},
                         .times = 1.0,
                         .share = 1.0,
                         .corner_count = count,
                         .plane = -1,
                         .friction = friction_of(solver, collider_of(solver, points[0]), collider_of(solver, other)),
                         .gap = gap,
                         .expected = gap};
    memcpy(pair->point, points, sizeof(int) * (size_t)count);
    pair->share = fmax(fil_ipc_share(solver, &pair->repulsion, points, field->ahead.at), MIN_SHARE);
    pair->repulsion.stiffness *= are_held(solver, points, count) ? 0.0 : pair->share;
    return true;
}

/* Adds a pair if it comes into range. */
static FilStatus add_pair(FilSolver* solver, FilFeature kind, const int* points, int count, double parallel)
{
    FilIpcPair pair;
    return make_pair(solver, kind, points, count, parallel, &pair) ? append(solver, &pair) : FIL_OK;
}

/* Makes what has been chosen a pair, or the part of it that `which` says; false: it does not come into range. */
typedef bool Make(const FilSolver* solver, FilIndexPair chosen, int which, FilIpcPair* pair);

/* Pairs that have been chosen, in parallel: the batch from `first` on. */
typedef struct Making {
    const FilSolver* solver;
    const FilPairs* chosen;
    Make* make;
    int which;
    int first;
    int made[FIL_IPC_BATCH / FIL_IPC_GRAIN]; /* pairs of each chunk, which stand one after the other from its first place on */
} Making;

_Static_assert(sizeof(FilIpcPair) <= FIL_IPC_WORK * sizeof(double), "a pair has to fit in its share of the work");

static void make_some(void* context, int first, int end, int worker)
{
    Making* making = context;
    FilIpcPair* made = (FilIpcPair*)(void*)making->solver->ipc.work.at + first;
    int count = 0;
    (void)worker;
    for (int k = first; k < end; k++) {
        count += making->make(making->solver, making->chosen->items[making->first + k], making->which, &made[count]);
    }
    making->made[first / FIL_IPC_GRAIN] = count;
}

/* Adds those of the pairs chosen that come into range, in their order. */
static FilStatus add_chosen(FilSolver* solver, const FilPairs* chosen, Make* make, int which)
{
    const FilIpcField* field = &solver->ipc;
    const FilIpcPair* made = (const FilIpcPair*)(const void*)field->work.at;
    Making making = {.solver = solver, .chosen = chosen, .make = make, .which = which};
    FilStatus status = FIL_OK;
    for (; making.first < chosen->count && status == FIL_OK; making.first += FIL_IPC_BATCH) {
        const int left = chosen->count - making.first, count = left < FIL_IPC_BATCH ? left : FIL_IPC_BATCH;
        fil_workers_run(solver->system->workers, count, FIL_IPC_GRAIN, make_some, &making);
        for (int first = 0; first < count; first += FIL_IPC_GRAIN) {
            for (int k = first; k < first + making.made[first / FIL_IPC_GRAIN] && status == FIL_OK; k++) {
                status = append(solver, &made[k]);
            }
        }
    }
    return status;
}

static bool make_edges(const FilSolver* solver, FilIndexPair chosen, int which, FilIpcPair* pair)
{
    (void)which;
    const FilIpcEdge *e = &solver->ipc.surface.edges[chosen.a], *f = &solver->ipc.surface.edges[chosen.b];
    const int points[4] = {e->point[0], e->point[1], f->point[0], f->point[1]};
    return fil_ipc_edge_meets(solver, e, f) && make_pair(solver, FIL_SEGMENT_SEGMENT, points, 4, fil_parallel_threshold(e->length, f->length), pair);
}

static bool make_triangle(const FilSolver* solver, FilIndexPair chosen, int which, FilIpcPair* pair)
{
    (void)which;
    const FilIpcTriangle* triangle = &solver->ipc.surface.triangles[chosen.b];
    const int p = chosen.a, *c = triangle->point, corners[4] = {p, c[0], c[1], c[2]};
    return fil_ipc_triangle_meets(solver, triangle, p) && make_pair(solver, FIL_POINT_TRIANGLE, corners, 4, 0.0, pair);
}

/* Of a point of a shape and a triangle that deforms: an inner edge of it, or an inner vertex (ipc_mesh.c), by the first triangle that has it. */
static bool make_inner(const FilSolver* solver, FilIndexPair chosen, int which, FilIpcPair* pair)
{
    const FilIpcSurface* s = &solver->ipc.surface;
    const FilIpcTriangle* triangle = &s->triangles[chosen.b];
    const int p = chosen.a, count = 1 + which / 3, *c = triangle->point, corners[3] = {p, c[which % 3], c[(which + 1) % 3]};
    const int* stale = solver->ipc.stale.at;
    // one of which no point is stale is in the list
    if (!fil_ipc_meets_mesh(s, p, c[0]) || (stale[p] | stale[corners[1]] | stale[corners[count]]) == 0 ||
        fil_ipc_inner_owner(s, corners + 1, count) != chosen.b || !fil_ipc_triangle_meets(solver, triangle, p) ||
        !make_pair(solver, count == 1 ? FIL_POINT_POINT : FIL_POINT_SEGMENT, corners, 1 + count, 0.0, pair)) {
        return false;
    }
    const double share = fil_ipc_inner_share(solver, p, corners + 1, count);
    pair->times = count == 1 ? share : -share;
    pair->repulsion.stiffness *= pair->times;
    return share > 0.0;
}

/* Lists pairs of edges and of points and triangles that are near. */
static FilStatus list_near(FilSolver* solver, const int* points, const int* edges, const int* triangles, bool all)
{
    FilIpcField* field = &solver->ipc;
    FilStatus status = fil_ipc_choose(field, points, edges, triangles, all, solver->settings.model.ipc.range, solver->system->workers);
    status = status == FIL_OK ? add_chosen(solver, &field->chosen[0], make_edges, 0) : status;
    status = status == FIL_OK ? add_chosen(solver, &field->chosen[1], make_triangle, 0) : status;
    for (int which = 0; which < 6 && field->surface.shapes_meet_meshes && status == FIL_OK; which++) {
        status = add_chosen(solver, &field->chosen[1], make_inner, which);
    }
    return status;
}

/* A point by itself, and edges that it may meet. */
typedef struct Lone {
    const FilSolver* solver;
    int point;
    const int *stale, *stale_edges;
} Lone;

/* Edges at a time: some five microseconds. */
enum { LONE_GRAIN = 1024 };

static void look_at_lone(void* context, int first, int end, int worker)
{
    const Lone* lone = context;
    const FilIpcField* field = &lone->solver->ipc;
    const FilAabb *boxes = field->boxes, own = boxes[lone->point];
    int* picked = field->picked.at + first / LONE_GRAIN * (1 + LONE_GRAIN);
    int count = 0;
    (void)worker;
    for (int e = first; e < end; e++) {
        const int* corner = field->surface.edges[e].point;
        const FilAabb box = fil_aabb_union(&boxes[corner[0]], &boxes[corner[1]]);
        picked[1 + count] = e;
        count += (lone->stale[lone->point] | lone->stale_edges[e]) & (int)fil_aabb_overlap(&own, &box);
    }
    picked[0] = count;
}

static bool make_lone(const FilSolver* solver, FilIndexPair chosen, int which, FilIpcPair* pair)
{
    (void)which;
    const FilIpcSurface* s = &solver->ipc.surface;
    const int *corner = s->edges[chosen.b].point, corners[3] = {chosen.a, corner[0], corner[1]};
    const bool of_sides = s->fan_first[corner[0]] < s->fan_first[corner[0] + 1];  // of triangles, which it meets
    return !of_sides && fil_ipc_may_meet(solver, chosen.a, corner[0]) && !fil_ipc_at_joint(solver, chosen.a, corner[0]) &&
           make_pair(solver, FIL_POINT_SEGMENT, corners, 3, 0.0, pair);
}

/* Nodes, of which there are many, are none. */
static bool is_lone(const FilIpcSurface* s, int p)
{
    return s->node_q[p] < 0 && s->points[p].lone;
}

/* A sphere against edges. */
static FilStatus list_edges(FilSolver* solver, Lone* lone)
{
    FilIpcField* field = &solver->ipc;
    FilPairs* chosen = &field->chosen[0];
    const int count = field->surface.edge_count;
    FilStatus status = FIL_OK;
    fil_workers_run(solver->system->workers, count, LONE_GRAIN, look_at_lone, lone);
    chosen->count = 0;
    for (int chunk = 0; chunk * LONE_GRAIN < count && status == FIL_OK; chunk++) {
        const int* picked = field->picked.at + (ptrdiff_t)chunk * (1 + LONE_GRAIN);
        status = fil_pairs_reserve(chosen, picked[0]);
        for (int k = 1; k <= picked[0] && status == FIL_OK; k++) {
            chosen->items[chosen->count++] = (FilIndexPair){lone->point, picked[k]};
        }
    }
    return status == FIL_OK ? add_chosen(solver, chosen, make_lone, 0) : status;
}

/* Spheres against edges and each other. */
static FilStatus list_lone(FilSolver* solver, const int* stale, const int* stale_edges)
{
    FilIpcField* field = &solver->ipc;
    const FilIpcSurface* s = &field->surface;
    const FilAabb* boxes = field->boxes;
    const size_t chunks = 1 + (size_t)s->edge_count / LONE_GRAIN;
    FilStatus status = fil_ints_reserve(&field->picked, chunks * (1 + LONE_GRAIN) + 1) ? FIL_OK : FIL_OUT_OF_MEMORY;
    for (int p = s->first_shape; p < s->point_count && status == FIL_OK; p++) {
        if (!is_lone(s, p)) {
            continue;
        }
        Lone lone = {solver, p, stale, stale_edges};
        status = list_edges(solver, &lone);
        for (int q = p + 1; q < s->point_count && status == FIL_OK; q++) {
            const int corners[2] = {p, q};
            if (is_lone(s, q) && (stale[p] | stale[q]) != 0 && fil_aabb_overlap(&boxes[p], &boxes[q]) && fil_ipc_may_meet(solver, p, q) &&
                !fil_ipc_at_joint(solver, p, q)) {
                status = add_pair(solver, FIL_POINT_POINT, corners, 2, 0.0);
            }
        }
    }
    return status;
}

/* How high a point is above a plane with this normal at `at`. */
static double height_above(const double* x, const double* normal, const double* at)
{
    double arm[3];
    fil_v3_sub(arm, x, at);
    return fil_v3_dot(arm, normal);
}

/* Points above planes, where those are and where they go, as far as points could fall. */
static FilStatus list_planes(FilSolver* solver, const double* x, double reach)
{
    FilIpcField* field = &solver->ipc;
    const FilIpcSurface* s = &field->surface;
    FilStatus status = FIL_OK;
    for (int k = 0; k < s->plane_count; k++) {
        const FilWorldCollider* c = &solver->collision->colliders[s->planes[k]];
        double normal[3], at[3], normal_end[3], at_end[3];
        fil_ipc_plane(solver, k, field->x.at, normal, at);
        fil_ipc_plane(solver, k, field->x_end.at, normal_end, at_end);
        for (int p = 0; p < s->point_count && status == FIL_OK; p++) {
            const FilWorldCollider* own = collider_of(solver, p);
            const double radius = s->points[p].radius, gap = height_above(x + 3 * p, normal, at) - radius;
            const double min = fmin(gap, height_above(x + 3 * p, normal_end, at_end) - radius);
            if (min <= reach && fil_ipc_plane_meets(solver, k, p)) {
                const double stiffness = are_held(solver, &p, 1) && !moves(solver, c) ? 0.0 : stiffness_of(solver, s->points[p].mass, INFINITY);
                const FilIpcPair pair = {.repulsion = {FIL_POINT_POINT, radius, solver->settings.model.ipc.range, stiffness, 0.0},
                                         .times = 1.0,
                                         .share = 1.0,
                                         .point = {p},
                                         .corner_count = 1,
                                         .plane = k,
                                         .friction = friction_of(solver, own, c),
                                         .gap = gap,
                                         .expected = gap};
                status = append(solver, &pair);
            }
        }
    }
    return status;
}

/* Mean motion of all points: nothing comes nearer to anything by it. */
static void mean_motion(const FilIpcField* field, const double* from, const double* to, double* mean)
{
    // four sums that do not wait for each other
    const int count = field->surface.point_count, whole = count - count % 4;
    double sum[12] = {0.0};
    for (int k = 0; k < 3 * whole; k += 12) {
        for (int m = 0; m < 12; m++) {
            sum[m] += to[k + m] - from[k + m];
        }
    }
    for (int k = 3 * whole; k < 3 * count; k++) {
        sum[k % 3] += to[k] - from[k];
    }
    for (int k = 0; k < 3; k++) {
        mean[k] = count > 0 ? ((sum[k] + sum[3 + k]) + (sum[6 + k] + sum[9 + k])) / count : 0.0;
    }
}

/* How far point p goes, less `mean`. */
static double motion_of(const double* from, const double* to, int p, const double* mean)
{
    double motion[3];
    fil_v3_sub(motion, to + 3 * p, from + 3 * p);
    fil_v3_sub(motion, motion, mean);
    return fil_v3_norm(motion);
}

static bool make_room(FilIpcField* field)
{
    const FilIpcSurface* s = &field->surface;
    const size_t points = (size_t)s->point_count, edges = (size_t)s->edge_count, triangles = (size_t)s->triangle_count;
    void *boxes = field->boxes, *swept_bounds = field->swept_bounds;
    const bool room = fil_buffer_reserve(&boxes, &field->box_capacity, points, sizeof(FilAabb)) &&
                      fil_buffer_reserve(&swept_bounds, &field->swept_bound_capacity, edges, sizeof(FilIpcSweptBound));
    field->boxes = boxes;
    field->swept_bounds = swept_bounds;
    return room && fil_doubles_reserve(&field->listed, 3 * points) && fil_doubles_reserve(&field->listed_end, 3 * points) &&
           fil_doubles_reserve(&field->slack, points) && fil_doubles_reserve(&field->work, FIL_IPC_BATCH * FIL_IPC_WORK) &&
           fil_ints_reserve(&field->stale, points + edges + triangles);
}

/* Points at a time: some five microseconds. */
enum { POINT_GRAIN = 256 };

/* Where points go, less `mean`. */
typedef struct Ways {
    FilIpcField* field;
    const double* to;
    double mean[3], range;
} Ways;

/* Boxes around the ways of points, and how far beside those that are stale may go. */
static void enclose_ways(void* context, int first, int end, int worker)
{
    const Ways* w = context;
    const FilIpcField* field = w->field;
    const double* x = field->points.at;
    (void)worker;
    for (int p = first; p < end; p++) {
        double to[3];
        fil_v3_sub(to, w->to + 3 * p, w->mean);
        if (field->stale.at[p] != 0) {
            field->slack.at[p] = NEAR_MOTION * motion_of(x, w->to, p, w->mean) + NEAR_RANGE * w->range;
        }
        field->boxes[p] = fil_aabb_of_segment(x + 3 * p, to, field->surface.points[p].radius + 0.5 * w->range + field->slack.at[p]);
    }
}

/* Lists pairs of points that are stale and of what they are corners of, on the way to `listed_end`. */
static FilStatus list_stale(FilSolver* solver, bool all)
{
    FilIpcField* field = &solver->ipc;
    const FilIpcSurface* s = &field->surface;
    const double *x = field->points.at, range = solver->settings.model.ipc.range;
    int *points = field->stale.at, *edges = points + s->point_count, *triangles = edges + s->edge_count;
    Ways ways = {.field = field, .to = field->listed_end.at, .range = range};
    mean_motion(field, x, ways.to, ways.mean);
    fil_workers_run(solver->system->workers, s->point_count, POINT_GRAIN, enclose_ways, &ways);
    if (all) {
        for (int k = s->point_count; k < s->point_count + s->edge_count + s->triangle_count; k++) {
            field->stale.at[k] = 1;
        }
    } else {
        fil_ipc_near_mark(s, points, solver->system->workers);
    }
    field->relisted = true;
    FilStatus status = FIL_OK;
    if (s->sides_meet) {
        status = fil_ipc_near_find(&field->near, s, x, field->boxes, NEAR_MARGIN * range, solver->system->workers);
        status = status == FIL_OK ? list_near(solver, points, edges, triangles, all) : status;
    }
    return status == FIL_OK ? list_lone(solver, points, edges) : status;
}

/* Points and where they go, all of which are listed anew; with `slack` of the first how far any of them falls. */
static void list_some(void* context, int first, int end, int worker)
{
    static const double nowhere[3] = {0.0, 0.0, 0.0};
    const Ways* w = context;
    const FilIpcField* field = w->field;
    const size_t at = 3 * (size_t)first, size = 3 * (size_t)(end - first) * sizeof(double);
    double fall = 0.0;
    (void)worker;
    memcpy(field->listed.at + at, field->points.at + at, size);
    memcpy(field->listed_end.at + at, w->to + at, size);
    for (int p = first; p < end; p++) {
        field->stale.at[p] = 1;
        // a fifth more than they move now, so that lists serve for the iterations to come: 1.05 to 1.5 take cloth and nets as long, to 4 %
        const double falls = 1.2 * motion_of(field->points.at, w->to, p, nowhere) + NEAR_RANGE * w->range;
        fall = falls > fall ? falls : fall;
    }
    field->slack.at[first] = fall;
}

FilStatus fil_ipc_list(FilSolver* solver)
{
    FilIpcField* field = &solver->ipc;
    const int count = field->surface.point_count;
    const double *x = field->points.at, range = solver->settings.model.ipc.range;
    if (!make_room(field)) {
        return FIL_OUT_OF_MEMORY;
    }
    Ways ways = {.field = field, .to = field->ends.at, .range = range};
    fil_workers_run(solver->system->workers, count, POINT_GRAIN, list_some, &ways);
    field->fall = 0.0;
    for (int p = 0; p < count; p += POINT_GRAIN) {
        field->fall = fmax(field->fall, field->slack.at[p]);
    }
    field->pair_count = 0;
    const FilStatus status = list_stale(solver, true);
    return status == FIL_OK ? list_planes(solver, x, range + 2.0 * field->fall) : status;
}

/* Which pairs have no corner that is stale and may still come into range; but for planes, which are listed for as far as anything may fall. */
static void keep_some(void* context, int first, int end, int worker)
{
    const FilIpcField* field = context;
    (void)worker;
    for (int k = first; k < end; k++) {
        const FilIpcPair* pair = &field->pairs[k];
        int stale = 0;
        for (int i = 0; i < pair->corner_count && pair->plane < 0; i++) {
            stale |= field->stale.at[pair->point[i]];
        }
        field->picked.at[k] = pair->plane >= 0 || (stale == 0 && comes_into_range(field, pair->repulsion.pair, pair->point, pair->corner_count,
                                                                                  pair->gap - pair->repulsion.range));
    }
}

/* Drops the others. */
static FilStatus drop_pairs(FilIpcField* field, FilWorkers* workers)
{
    if (!fil_ints_reserve(&field->picked, (size_t)field->pair_count)) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_workers_run(workers, field->pair_count, POINT_GRAIN, keep_some, field);
    int kept = 0;
    for (int k = 0; k < field->pair_count; k++) {
        if (field->picked.at[k] != 0) {
            if (kept != k) {
                field->pairs[kept] = field->pairs[k];
            }
            kept++;
        }
    }
    field->pair_count = kept;
    return FIL_OK;
}

/* Points that leave the ways that pairs are listed for: 1, and 2 more for those of planes. */
static void look_who_leaves(void* context, int first, int end, int worker)
{
    static const double nowhere[3] = {0.0, 0.0, 0.0};
    const Ways* w = context;
    const FilIpcField* field = w->field;
    (void)worker;
    for (int p = first; p < end; p++) {
        field->stale.at[p] = motion_of(field->listed_end.at, w->to, p, w->mean) > field->slack.at[p];
        if (field->surface.plane_count > 0 && motion_of(field->listed.at, w->to, p, nowhere) > field->fall) {
            field->stale.at[p] |= 2;
        }
    }
}

/* Leads the ways of points on as all go, and of those that leave theirs to where they do. */
static void lead_ways(void* context, int first, int end, int worker)
{
    const Ways* w = context;
    const FilIpcField* field = w->field;
    (void)worker;
    for (int p = first; p < end; p++) {
        double* way = field->listed_end.at + 3 * p;
        fil_v3_add(way, way, w->mean);
        if (field->stale.at[p] != 0) {
            fil_v3_copy(way, w->to + 3 * p);
        }
    }
}

FilStatus fil_ipc_relist(FilSolver* solver)
{
    FilIpcField* field = &solver->ipc;
    const int count = field->surface.point_count;
    const double* ends = field->ends.at;
    Ways ways = {.field = field, .to = ends};
    mean_motion(field, field->listed_end.at, ends, ways.mean);
    fil_workers_run(solver->system->workers, count, 2 * POINT_GRAIN, look_who_leaves, &ways);
    int stale_count = 0, fallen = 0;
    for (int p = 0; p < count; p++) {
        stale_count += field->stale.at[p] & 1;
        fallen |= field->stale.at[p] & 2;
    }
    if (fallen != 0 || stale_count > MANY * count) {
        return fil_ipc_list(solver);
    }
    if (stale_count == 0) {
        return FIL_OK;
    }
    fil_workers_run(solver->system->workers, count, 2 * POINT_GRAIN, lead_ways, &ways);
    const FilStatus status = drop_pairs(field, solver->system->workers);
    return status == FIL_OK ? list_stale(solver, false) : status;
}
