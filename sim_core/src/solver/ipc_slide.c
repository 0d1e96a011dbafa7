/* Friction of pairs that touch at the step's start: where it acts, and how fast surfaces slip there.
 *
 * Both sides feel friction at one point, so that it changes neither momentum nor angular momentum: midway in the gap where both
 * move, on the moving surface where one does. The velocity there includes what turns with the surface: rigid bodies, edges of
 * rods with their twist, triangles of cloth. An edge that does not twist (of cloth, of a twist-free rod) takes moments across
 * itself but none about itself, a lone vertex takes none at all: what they cannot take the other side takes, by the arm from
 * there. Where neither takes all of them, cloth turns with the triangles around its edge or vertex. Two edges of cords share the moment of
 * friction so that each gets what is across it; what is about both, where they are parallel, neither can take. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "solver/solver.h"

/* Which moments a side takes. */
typedef enum Moments { MOMENTS_ALL, MOMENTS_ACROSS, MOMENTS_NONE } Moments;

typedef struct Side {
    const FilWorldCollider* collider;
    const FilBody* body;
    const int* point; /* its corners; NULL: a plane */
    const double* weight;
    int count;
    double sign;          /* of its velocity in the slip: that of the second feature against the first */
    double at[3], radius; /* the feature's closest point */
    double along[3];      /* MOMENTS_ACROSS: the edge, ... */
    double length;        /* m */
    bool node, mesh;      /* corners are nodes; of cloth, ... */
    bool fan;             /* ... which turns with the triangles around it */
    Moments moments;
} Side;

/* The Jacobian of one slide under way. */
typedef struct Rates {
    const FilSolver* solver;
    FilIpcSlide* slide;
    int *variable, *column;
    double* jacobian;
} Rates;

/* ---- sides ---- */

static Side side_of(const FilSolver* solver, const int* point, const double* weight, int count, double sign)
{
    const FilIpcField* field = &solver->ipc;
    const FilIpcPoint* first = &field->surface.points[point[0]];
    Side s = {.collider = &solver->collision->colliders[first->collider],
              .point = point,
              .weight = weight,
              .count = count,
              .sign = sign,
              .radius = first->radius,
              .node = first->node >= 0};
    s.body = &solver->system->bodies[s.collider->body];
    s.mesh = s.node && s.body->ops->mesh != NULL;
    for (int i = 0; i < count; i++) {
        fil_v3_axpy(s.at, fabs(weight[i]), field->points.at + 3 * point[i]);
    }
    const bool turns = !s.node || (s.mesh ? count == 3 : s.collider->collider.twists);
    s.moments = turns ? MOMENTS_ALL : count == 2 ? MOMENTS_ACROSS : MOMENTS_NONE;
    if (s.moments == MOMENTS_ACROSS) {
        fil_v3_sub(s.along, field->points.at + 3 * point[1], field->points.at + 3 * point[0]);
        s.length = fil_v3_normalise(s.along);
    }
    return s;
}

static Side plane_side(const FilSolver* solver, int plane)
{
    Side s = {.collider = &solver->collision->colliders[solver->ipc.surface.planes[plane]], .sign = -1.0};
    s.body = &solver->system->bodies[s.collider->body];
    return s;
}

/* The edge of a rod that two points are the ends of. */
static int edge_between(const FilIpcPoint* first, const FilIpcPoint* last)
{
    return first->part[0] == last->part[0] || first->part[0] == last->part[1] ? first->part[0] : first->part[1];
}

/* ---- Jacobians ---- */

/* Adds scale * jacobian (3 x 4) of a block of a body. */
static void add_block(Rates* rates, const Side* side, int block, double scale, const double* jacobian)
{
    FilIpcSlide* slide = rates->slide;
    const int variable = side->body->v / 4 + block, offset = rates->solver->contact.offset[side->collider->body];
    int at = 0;
    while (at < slide->count && rates->variable[at] != variable) {
        at++;
    }
    if (at == slide->count) {
        rates->variable[at] = variable;
        rates->column[at] = offset < 0 ? -1 : offset + block;
        memset(rates->jacobian + 12 * at, 0, 12 * sizeof(double));
        slide->count++;
    }
    for (int m = 0; m < 12; m++) {
        rates->jacobian[12 * at + m] += scale * jacobian[m];
    }
}

/* Leaves of a velocity what is along `line` (sign 1) or across it (-1); NULL: all. */
static void keep_part(double* jacobian, const double* line, double sign)
{
    for (int k = 0; k < 4 && line != NULL; k++) {
        const double slope = line[0] * jacobian[k] + line[1] * jacobian[4 + k] + line[2] * jacobian[8 + k];
        for (int r = 0; r < 3; r++) {
            jacobian[4 * r + k] = sign > 0.0 ? slope * line[r] : jacobian[4 * r + k] - slope * line[r];
        }
    }
}

/* Adds the velocity at `point` of a part of the side's body, that along `line` only (sign 1) or that across it (-1); NULL: all. */
static void add_part(Rates* rates, const Side* side, int part, double share, const double* point, const double* line, double sign)
{
    int blocks[FIL_JACOBIAN_BLOCKS];
    double jacobian[12 * FIL_JACOBIAN_BLOCKS], bias[3];
    const int count = side->body->ops->point_jacobian(side->body->impl, side->collider->index, part, point, rates->solver->ipc.x.at + side->body->q,
                                                      blocks, jacobian, bias);
    for (int b = 0; b < count; b++) {
        keep_part(jacobian + 12 * b, line, sign);
        add_block(rates, side, blocks[b], share * side->sign, jacobian + 12 * b);
    }
    if (line == NULL || sign > 0.0) {  // what is scripted has no unknowns, and takes all moments
        fil_v3_axpy(rates->slide->friction.bias, share * side->sign, bias);
    }
}

/* Adds w_i 1 - h grad(w_i) n' of a triangle's corners: the velocity at a point that the plane's normal n carries at height h; `line` and
 * `sign` as in add_part(). */
static void add_triangle(Rates* rates, const Side* side, const int* corner, double share, const double* point, const double* line, double sign)
{
    const FilIpcField* field = &rates->solver->ipc;
    const double* x[3];
    double e[3], f[3], n[3], arm[3], jacobian[12] = {0.0};
    for (int i = 0; i < 3; i++) {
        x[i] = field->points.at + 3 * corner[i];
    }
    fil_v3_sub(e, x[1], x[0]);
    fil_v3_sub(f, x[2], x[0]);
    fil_v3_cross(n, e, f);
    const double twice = fil_v3_normalise(n);
    fil_v3_sub(arm, point, x[0]);
    const double h = fil_v3_dot(arm, n);
    for (int i = 0; i < 3; i++) {
        // grad w_i = n x (side across from corner i) / (2 area)
        double across[3], slope[3], from[3];
        fil_v3_sub(across, x[(i + 2) % 3], x[(i + 1) % 3]);
        fil_v3_cross(slope, n, across);
        fil_v3_scale(slope, 1.0 / twice, slope);
        fil_v3_sub(from, point, x[(i + 1) % 3]);
        const double weight = fil_v3_dot(from, slope);  // zero on that side, 1 at the corner
        for (int k = 0; k < 9; k++) {
            jacobian[4 * (k / 3) + k % 3] = (k / 3 == k % 3 ? weight : 0.0) - h * slope[k / 3] * n[k % 3];
        }
        keep_part(jacobian, line, sign);
        add_block(rates, side, field->surface.points[corner[i]].node, share * side->sign, jacobian);
    }
}

/* The next triangle of cloth, from the one at *at of those around its first corner on, that has all corners of an edge or vertex;
 * NULL: there are no more. */
static const int* next_triangle(const FilIpcSurface* surface, const int* point, int count, int* at)
{
    while (*at < surface->fan_first[point[0] + 1]) {
        const int* corner = surface->triangles[surface->fan[(*at)++]].point;
        if (count < 2 || corner[0] == point[1] || corner[1] == point[1] || corner[2] == point[1]) {
            return corner;
        }
    }
    return NULL;
}

static int count_triangles(const FilIpcSurface* surface, const int* point, int count)
{
    int at = surface->fan_first[point[0]], found = 0;
    while (next_triangle(surface, point, count, &at) != NULL) {
        found++;
    }
    return found;
}

/* Adds the mean of that over the triangles that meet at an edge or vertex. */
static void add_fan(Rates* rates, const Side* side, const double* point, const double* line, double sign)
{
    const FilIpcSurface* surface = &rates->solver->ipc.surface;
    const double share = 1.0 / count_triangles(surface, side->point, side->count);
    int at = surface->fan_first[side->point[0]];
    for (const int* corner; (corner = next_triangle(surface, side->point, side->count, &at)) != NULL;) {
        add_triangle(rates, side, corner, share, point, line, sign);
    }
}

/* Adds the velocity of the closest point of corners that are nodes, and how an edge turns: its end at `arm` from there goes
 * -(n . d/dt of the edge's direction) times `turned`, which is the edge's direction itself. */
static void add_nodes(Rates* rates, const Side* side, const double* arm, const double* turned)
{
    for (int i = 0; i < side->count; i++) {
        double jacobian[12] = {0.0};
        const double turn = turned == NULL ? 0.0 : (i == 0 ? 1.0 : -1.0) / side->length;
        for (int k = 0; k < 9; k++) {
            jacobian[4 * (k / 3) + k % 3] =
                (k / 3 == k % 3 ? fabs(side->weight[i]) : 0.0) + (turned != NULL ? turn * turned[k / 3] * arm[k % 3] : 0.0);
        }
        add_block(rates, side, rates->solver->ipc.surface.points[side->point[i]].node, side->sign, jacobian);
    }
}

/* Adds the velocity of a side at a point of its surface, as far as its moments go; `line` and `sign` as in add_part(). */
static void add_side(Rates* rates, const Side* side, const double* point, const double* line, double sign)
{
    const FilIpcPoint* points = rates->solver->ipc.surface.points;
    double arm[3];
    fil_v3_sub(arm, point, side->at);
    if (side->moments != MOMENTS_ALL) {
        add_nodes(rates, side, arm, side->moments == MOMENTS_ACROSS ? side->along : NULL);
    } else if (!side->node) {
        add_part(rates, side, 0, 1.0, point, line, sign);
    } else if (side->fan) {
        add_fan(rates, side, point, line, sign);
    } else if (side->mesh) {
        add_triangle(rates, side, side->point, 1.0, point, line, sign);
    } else if (side->count == 2) {
        add_part(rates, side, edge_between(&points[side->point[0]], &points[side->point[1]]), 1.0, point, line, sign);
    } else {  // a node turns as the edges that meet there do on average
        const int* part = points[side->point[0]].part;
        add_part(rates, side, part[0], 0.5, point, line, sign);
        add_part(rates, side, part[1], 0.5, point, line, sign);
    }
}

void fil_ipc_share_moment(const double* a, const double* b, double share[4])
{
    static const double PARALLEL = 5e-4;  // chosen: below a sine of 0.03 moments across both edges are given up
    const double c = fil_v3_dot(a, b);
    share[0] = 0.5 / fmax(1.0 + c, PARALLEL);
    share[1] = 0.5 / fmax(1.0 - c, PARALLEL);
    share[2] = 1.0 + c > PARALLEL ? -2.0 * share[0] * share[0] : 0.0;
    share[3] = 1.0 - c > PARALLEL ? 2.0 * share[1] * share[1] : 0.0;
}

/* Two edges that do not twist, `apart` from each other along the normal. The moment of friction f is apart x f; with
 * f = l_a t_a + l_b t_b the first takes that of l_a t_a and the second that of l_b t_b, both across themselves: l = (T' T)^-1 T' f, whose
 * eigenvectors are t_a + t_b and t_a - t_b, with 1 + c and 1 - c. Where edges are parallel one of these vanishes, and with it what
 * there is of f along it. */
static void add_two_edges(Rates* rates, const Side* a, const Side* b)
{
    double apart[3], back[3], dual_a[3], dual_b[3], share[4];
    fil_v3_sub(apart, b->at, a->at);
    fil_v3_scale(back, -1.0, apart);
    fil_ipc_share_moment(a->along, b->along, share);
    for (int k = 0; k < 3; k++) {
        const double alike = share[0] * (a->along[k] + b->along[k]), apart_by = share[1] * (a->along[k] - b->along[k]);
        dual_a[k] = alike + apart_by;
        dual_b[k] = alike - apart_by;
    }
    add_nodes(rates, a, apart, dual_a);
    add_nodes(rates, b, back, dual_b);
}

/* Lets cloth turn with its triangles; whether it can. */
static bool turn_fan(Side* side)
{
    side->fan = side->mesh;
    side->moments = side->fan ? MOMENTS_ALL : side->moments;
    return side->fan;
}

/* Where a pair touches: on the moving surface, or midway in the gap. */
static void touch_point(const Side* a, const Side* b, const double* normal, double gap, double* point)
{
    const bool first = a->collider->collider.movable, second = b->collider->collider.movable;
    if (first && (a->moments == MOMENTS_NONE || b->moments == MOMENTS_NONE) && second) {
        fil_v3_copy(point, a->moments == MOMENTS_NONE ? a->at : b->at);
    } else if (first) {
        fil_v3_copy(point, a->at);
        fil_v3_axpy(point, a->radius + (second ? 0.5 * gap : 0.0), normal);
    } else {
        fil_v3_copy(point, b->at);
        fil_v3_axpy(point, b->moments == MOMENTS_NONE ? 0.0 : -b->radius, normal);
    }
}

/* The velocity of side b against side a where they touch. */
static void add_sides(Rates* rates, Side* a, Side* b, const double* normal, double gap)
{
    const bool both = a->collider->collider.movable && b->collider->collider.movable;
    if (both && a->moments != MOMENTS_ALL && b->moments != MOMENTS_ALL) {
        (void)(turn_fan(b) || turn_fan(a));
    }
    const Side* edge = a->moments == MOMENTS_ACROSS ? a : b->moments == MOMENTS_ACROSS ? b : NULL;
    const Side* other = edge == a ? b : a;
    double point[3];
    touch_point(a, b, normal, gap, point);
    if (both && edge != NULL && other->moments == MOMENTS_ACROSS) {
        add_two_edges(rates, a, b);
    } else if (both && edge != NULL && other->moments == MOMENTS_ALL) {
        add_side(rates, edge, point, NULL, 1.0);
        add_side(rates, other, point, edge->along, 1.0);
        add_side(rates, other, edge->at, edge->along, -1.0);
    } else {
        add_side(rates, a, point, NULL, 1.0);
        add_side(rates, b, point, NULL, 1.0);
    }
}

/* ---- slides ---- */

/* Blocks that one side depends on at most: corners of cords are nodes; cloth may turn with its triangles; rods that twist have blocks of
 * copied nodes beside (name_blocks() of rods), and two edges at a node. */
static size_t side_blocks(const FilSolver* solver, const int* point, int count)
{
    const FilIpcPoint* first = &solver->ipc.surface.points[point[0]];
    const FilWorldCollider* c = &solver->collision->colliders[first->collider];
    const FilBody* body = &solver->system->bodies[c->body];
    const int own = body->v_count / 4;
    if (first->node < 0) {
        return (size_t)(own < FIL_JACOBIAN_BLOCKS ? own : FIL_JACOBIAN_BLOCKS);
    }
    if (body->ops->mesh != NULL && count < 3) {  // each triangle has 3 - count other corners
        return (size_t)(count + (3 - count) * count_triangles(&solver->ipc.surface, point, count));
    }
    return !c->collider.twists ? (size_t)count : count == 1 ? 6 : 3;
}

static int split_of(const FilIpcPair* pair)
{
    return pair->plane >= 0 ? 0 : fil_feature_split(pair->repulsion.pair);
}

size_t fil_ipc_slide_blocks(const FilSolver* solver, const FilIpcPair* pair)
{
    const int split = split_of(pair);
    const size_t first = split > 0 ? side_blocks(solver, pair->point, split) : 0;
    return first + side_blocks(solver, pair->point + split, pair->corner_count - split);
}

/* Room for one more, whose blocks begin where those of the last end. */
static FilStatus append(FilIpcSlides* slides, FilIpcSlide** slide)
{
    const FilStatus status = fil_solver_reserve((void**)&slides->at, slides->count, &slides->capacity, sizeof *slides->at);
    if (status == FIL_OK) {
        const FilIpcSlide* last = slides->count > 0 ? &slides->at[slides->count - 1] : NULL;
        *slide = &slides->at[slides->count++];
        **slide = (FilIpcSlide){.first = last != NULL ? last->first + last->count : 0};
    }
    return status;
}

FilStatus fil_ipc_slide_keep(FilSolver* solver, const FilIpcSlide* was, double force)
{
    FilIpcField* field = &solver->ipc;
    FilIpcSlides* slides = &field->slides;
    const FilSlipping from = fil_slide_slipping(&field->other_slides, was);
    FilIpcSlide* slide;
    const FilStatus status = append(slides, &slide);
    if (status != FIL_OK) {
        return status;
    }
    const int first = slide->first;
    *slide = *was;
    slide->first = first;
    slide->friction.max = field->dt * was->pair.friction * force;
    memcpy(slides->variable.at + first, from.block, sizeof(int) * (size_t)from.count);
    memcpy(slides->column.at + first, from.column, sizeof(int) * (size_t)from.count);
    memcpy(slides->jacobian.at + 12 * first, from.jacobian, 12 * sizeof(double) * (size_t)from.count);
    return FIL_OK;
}

FilStatus fil_ipc_slide_add(FilSolver* solver, const FilIpcPair* pair, const double* normal, const double* weight, double gap, double force)
{
    FilIpcField* field = &solver->ipc;
    FilIpcSlides* slides = &field->slides;
    FilIpcSlide* slide;
    const FilStatus status = append(slides, &slide);
    if (status != FIL_OK) {
        return status;
    }
    const size_t used = (size_t)slide->first;
    slide->pair = *pair;
    slide->friction.max = field->dt * pair->friction * force;
    fil_v3_orthogonal(slide->friction.tangent[0], normal);
    fil_v3_cross(slide->friction.tangent[1], normal, slide->friction.tangent[0]);
    Rates rates = {solver, slide, slides->variable.at + used, slides->column.at + used, slides->jacobian.at + 12 * used};
    const int split = split_of(pair);
    Side a = split > 0 ? side_of(solver, pair->point, weight, split, -1.0) : plane_side(solver, pair->plane);
    Side b = side_of(solver, pair->point + split, weight + split, pair->corner_count - split, 1.0);
    add_sides(&rates, &a, &b, normal, gap);
    return FIL_OK;
}

int fil_ipc_slide_find(const FilIpcSlides* slides, const FilIpcPair* pair, int from)
{
    for (int k = 0; k < slides->count; k++) {
        const int s = (from + k) % slides->count;
        const FilIpcPair* other = &slides->at[s].pair;
        if (other->plane == pair->plane && other->corner_count == pair->corner_count &&
            memcmp(other->point, pair->point, sizeof(int) * (size_t)pair->corner_count) == 0) {
            return s;
        }
    }
    return -1;
}

void fil_ipc_slides_free(FilIpcSlides* slides)
{
    fil_free(slides->at);
    fil_free(slides->variable.at);
    fil_free(slides->column.at);
    fil_free(slides->jacobian.at);
}
