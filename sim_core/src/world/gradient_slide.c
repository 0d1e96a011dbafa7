/* Friction in the derivative of a step under IPC: a contact whose impulse follows from slip and bound (world/gradient_side.h), where the step began
 * or, of what came into range since, where an earlier solution ended. The bound follows the gap at the start; of friction that was found again, the
 * gap where the solution before ended. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "linalg/buffer.h"
#include "world/gradient_ipc.h"

enum { MOTION = FIL_PART_MOTION };

static int split_of(const FilIpcPair* pair)
{
    return pair->plane >= 0 ? 0 : fil_feature_split(pair->repulsion.pair);
}

/* ---- friction ---- */

/* Corners of a side of a cord: none, an edge, which takes moments across itself, or a node, which takes none (solver/ipc_slide.c). */
typedef enum Cord { CORD_NONE, CORD_EDGE, CORD_NODE } Cord;

static Cord cord_of(const FilWorld* world, const FilIpcPair* pair, int side)
{
    const int split = split_of(pair), from = side == 0 ? 0 : split, to = side == 0 ? split : pair->corner_count;
    const FilCollider* c = from < to ? &fil_ipc_collider_of(world, pair->point[from])->collider : NULL;
    return c == NULL || c->kind != FIL_COLLIDER_ROW || c->twists ? CORD_NONE : to - from == 2 ? CORD_EDGE : CORD_NODE;
}

static bool is_movable(const FilWorld* world, const FilIpcPair* pair, int side)
{
    const FilIpcSurface* surface = &world->solver.ipc.surface;
    return side == 0 && pair->plane >= 0 ? world->collision.colliders[surface->planes[pair->plane]].collider.movable
                                         : fil_ipc_collider_of(world, pair->point[side == 0 ? 0 : split_of(pair)])->collider.movable;
}

/* The side whose node friction acts at, as it takes no moments that the other could not; -1: it acts at a surface, or midway in the gap. */
static int node_side(const FilWorld* world, const FilIpcPair* pair)
{
    const bool first = cord_of(world, pair, 0) == CORD_NODE && is_movable(world, pair, 1);
    return first ? 0 : cord_of(world, pair, 1) == CORD_NODE ? 1 : -1;
}

/* What corners of one side are together, as its closest point is free to move along them. */
static void touch_of(const FilWorld* world, const FilIpcPair* pair, const FilClosest* closest, int side, const double* x, const double* normal,
                     FilTouch* touch)
{
    const int split = split_of(pair), from = side == 0 ? 0 : split, to = side == 0 ? split : pair->corner_count;
    int free_count = 0;
    touch->rounding = world->solver.ipc.surface.points[pair->point[from]].radius;
    for (int k = 0; k < closest->free_count; k++) {
        double along[3] = {0.0};
        for (int i = from; i < to; i++) {
            fil_v3_axpy(along, closest->change[k][i], x + 3 * pair->point[i]);
        }
        if (fil_v3_normalise(along) > 0.0) {
            free_count++;
            fil_v3_copy(touch->axis, along);
        }
    }
    touch->feature = free_count == 0 ? FIL_TOUCH_POINT : free_count == 1 ? FIL_TOUCH_EDGE : FIL_TOUCH_FACE;
    if (free_count == 2) {
        fil_v3_scale(touch->axis, side == 0 ? 1.0 : -1.0, normal);
    }
}

static const char SIDE_BY_SIDE[] = "lie side by side, of which gradients are not known yet";

/* The pair as its friction sees it where points and x are, in the state `at`. Returns NULL, or why that is not known. */
static const char* take_touching(const FilWorld* world, const FilState* at, const FilIpcPair* pair, FilTouching* t)
{
    const FilSolver* solver = &world->solver;
    const double* x = solver->ipc.points.at;
    const int split = split_of(pair);
    double weight[4];
    *t = (FilTouching){.beyond = 0.0};
    t->distance = fil_ipc_pair_see(solver, pair, t->normal, weight);
    if (pair->plane >= 0) {
        t->touch[0].feature = FIL_TOUCH_FACE;
        fil_v3_copy(t->touch[0].axis, t->normal);
        t->touch[1].rounding = solver->ipc.surface.points[pair->point[0]].radius;
        if (fil_ipc_goes_around(&solver->ipc.surface.points[pair->point[0]])) {
            fil_gradient_take_rim(world, pair->point[0], at->q, &t->touch[1]);
        }
    } else {
        double corners[12];
        for (int i = 0; i < pair->corner_count; i++) {
            fil_v3_copy(corners + 3 * i, x + 3 * pair->point[i]);
        }
        if (fil_gradient_on_moving_face(world, pair)) {
            return "touch, a cylinder and a face that moves, of which gradients are not known yet";
        }
        if (fil_repulsion_crossing(&pair->repulsion, corners) < 1.0) {
            return SIDE_BY_SIDE;
        }
        const FilClosest closest = fil_feature_closest(pair->repulsion.pair, corners);
        touch_of(world, pair, &closest, 0, x, t->normal, &t->touch[0]);
        touch_of(world, pair, &closest, 1, x, t->normal, &t->touch[1]);
        if (fil_ipc_goes_around(&solver->ipc.surface.points[pair->point[0]])) {
            fil_gradient_take_rim(world, pair->point[0], at->q, &t->touch[0]);
        }
    }
    for (int i = split; i < pair->corner_count; i++) {
        fil_v3_axpy(t->middle, fabs(weight[i]), x + 3 * pair->point[i]);
    }
    fil_v3_axpy(t->middle, -t->touch[1].rounding - 0.5 * t->distance, t->normal);
    // midway in the gap, or on the surface that moves (solver/ipc_slide.c)
    const bool first = is_movable(world, pair, 0), second = is_movable(world, pair, 1);
    t->beyond = first && second ? 0.0 : second ? 0.5 : -0.5;
    fil_v3_copy(t->point, t->middle);
    fil_v3_axpy(t->point, t->beyond * t->distance, t->normal);
    const int node = node_side(world, pair);
    if (node >= 0) {
        fil_v3_copy(t->point, x + 3 * pair->point[node == 0 ? 0 : split]);
    }
    return fil_touching_check(t);
}

/* Edges of cords do not turn about themselves. */
static void untwist(FilGradientSide* side)
{
    for (int k = 0; k < MOTION * side->size; k++) {
        side->twist[k] = k % 4 == 3 ? 0.0 : side->twist[k];  // sizes are multiples of four
    }
}

/* What edges of cords change of the slip; whether there are any. */
static bool take_lever(const FilWorld* world, const FilIpcPair* pair, const FilGradientMaker* maker, const FilTouching* touching,
                       FilGradientLever* lever)
{
    const bool node = node_side(world, pair) >= 0, both = is_movable(world, pair, 0) && is_movable(world, pair, 1);
    *lever = (FilGradientLever){.moves = both && !node};
    for (int s = 0; s < maker->count; s++) {
        const int which = maker->sides[s].which;
        if (cord_of(world, pair, which) == CORD_EDGE) {
            const double other = node ? touching->touch[1 - which].rounding : 0.0, by_gap = node ? 1.0 : both ? 0.5 : 0.0;
            fil_gradient_lever_take(lever, maker, touching, s, other, by_gap);
        }
    }
    return lever->count > 0;
}

/* The contact's point goes where the node goes that friction acts at. */
static void follow_node(FilGradientMaker* maker, int which)
{
    memset(maker->moves, 0, 3 * sizeof(double) * (size_t)maker->size);
    for (int s = 0; s < maker->count; s++) {
        const int at = maker->sides[s].at;
        for (int k = 0; k < 3 && maker->sides[s].which == which; k++) {
            maker->moves[k * maker->size + at + k] = 1.0;
        }
    }
}

/* The sides' motion: an edge of a rod, both edges of a node, or the shape. */
static FilStatus take_sides(FilGradient* gradient, const FilState* at, const FilIpcPair* pair, int side, double* work, FilGradientMaker* maker)
{
    FilWorld* world = gradient->world;
    const FilIpcSurface* surface = &world->solver.ipc.surface;
    const int split = split_of(pair), from = side == 0 ? 0 : split, to = side == 0 ? split : pair->corner_count;
    const double sign = side == 0 ? -1.0 : 1.0;
    if (side == 0 && pair->plane >= 0) {
        return fil_gradient_side_take(gradient, at, maker, surface->planes[pair->plane], 0, 0, sign, work);
    }
    const FilIpcPoint *first = &surface->points[pair->point[from]], *last = &surface->points[pair->point[to - 1]];
    if (first->node < 0) {
        return fil_gradient_side_take(gradient, at, maker, first->collider, 0, side, sign, work);
    }
    const Cord cord = cord_of(world, pair, side);
    FilStatus status = FIL_OK;
    if (to - from == 2) {
        const int edge = first->part[0] == last->part[0] || first->part[0] == last->part[1] ? first->part[0] : first->part[1];
        status = fil_gradient_side_take(gradient, at, maker, first->collider, edge, side, sign, work);
        if (status == FIL_OK && cord == CORD_EDGE) {
            untwist(&maker->sides[maker->count - 1]);
        }
        return status;
    }
    if (cord == CORD_NODE) {
        fil_gradient_side_take_node(gradient, maker, first->collider, first->node, side, sign, work);
        return FIL_OK;
    }
    for (int k = 0; k < 2 && status == FIL_OK; k++) {
        const int before = maker->size;
        status = fil_gradient_side_take(gradient, at, maker, first->collider, first->part[k], side, 0.5 * sign, work);
        work += MOTION * (size_t)(maker->size - before);
    }
    return status;
}

/* gamma = -most f(slip), and its derivatives. */
static void find_law(const FilIpcSlide* slide, double bound, double max_by_gap, const double* u, FilGradientLaw* law)
{
    const double speed = hypot(u[0], u[1]), max = slide->friction.max;
    const FilJet jet = fil_slip(speed, bound);
    const double across = speed > 0.0 ? jet.first / speed : jet.second;
    *law = (FilGradientLaw){.impulse = {-max * across * u[0], -max * across * u[1]},
                            .by_distance = {-max_by_gap * across * u[0], -max_by_gap * across * u[1]}};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            const double line = speed > 0.0 ? u[i] * u[j] / (speed * speed) : 0.0;
            law->hessian[3 * i + j] = max * (across * ((i == j ? 1.0 : 0.0) - line) + jet.second * line);
        }
    }
}

/* How friction's bound follows the gap at the start. */
static double find_bound(const FilWorld* world, const FilIpcSlide* slide, double gap)
{
    const FilIpcPair* pair = &slide->pair;
    const FilSolver* solver = &world->solver;
    const double share = pair->plane >= 0 ? 1.0 : fil_ipc_share(solver, &pair->repulsion, pair->point, solver->ipc.points.at);
    return -world->def.dt * pair->friction * share / pair->share * fil_barrier(gap, pair->repulsion.range, pair->repulsion.stiffness).second;
}

/* Appends how it follows what edges share there. */
static FilStatus take_start(FilGradient* gradient, const FilIpcSlide* slide, double* work, FilGradientLag* lag)
{
    const FilSolver* solver = &gradient->world->solver;
    const FilIpcPair* pair = &slide->pair;
    FilStatus status = FIL_OK;
    *lag = (FilGradientLag){.size = 0};
    for (int k = 0; k <= FIL_LAGS; k++) {
        lag->first[k] = gradient->lags.slope_count;
    }
    const double share = pair->plane >= 0 ? 1.0 : fil_ipc_share(solver, &pair->repulsion, pair->point, solver->ipc.points.at);
    if (share < 1.0) {
        const FilGradientShare own = {.pair = pair, .x = solver->ipc.points.at, .work = work};
        status = fil_gradient_share_append(gradient, &own, slide->friction.max / share);
    }
    lag->first[FIL_LAGS] = gradient->lags.slope_count;
    return status;
}

/* ---- the bound as the solution before has it ---- */

/* Appends how the bound of a slide follows the place where that ended: its gap's slopes, corner by corner. */
static FilStatus take_bound(FilGradient* gradient, const FilState* at, const FilIpcSlide* slide, double* work, FilGradientLag* lag)
{
    FilWorld* world = gradient->world;
    FilGradientLags* lags = &gradient->lags;
    const FilIpcPair* pair = &slide->pair;
    double normal[3], weight[4], corners[12];
    for (int i = 0; i < pair->corner_count; i++) {
        fil_v3_copy(corners + 3 * i, world->solver.ipc.points.at + 3 * pair->point[i]);
    }
    if (pair->plane < 0 && fil_repulsion_crossing(&pair->repulsion, corners) < 1.0) {
        return fil_gradient_refuse_pair(gradient, pair, SIDE_BY_SIDE);
    }
    const double gap = fil_ipc_pair_see(&world->solver, pair, normal, weight);
    const double slope = -world->def.dt * pair->friction * fil_barrier(gap, pair->repulsion.range, pair->repulsion.stiffness).second;
    FilStatus status = FIL_OK;
    *lag = (FilGradientLag){.size = 0};
    for (int k = 0; k <= FIL_LAGS; k++) {
        lag->first[k] = lags->slope_count;
    }
    for (int i = 0; i < pair->corner_count && status == FIL_OK; i++) {
        FilGradientCorner corner;
        int* unknown = gradient->contacts.unknowns;  // nothing stands there yet
        status = fil_gradient_take_corner(gradient, at, pair, i, work, unknown, &corner);
        for (int k = 0; k < corner.size && status == FIL_OK; k++) {
            const double moves = normal[0] * corner.move[k] + normal[1] * corner.move[corner.size + k] + normal[2] * corner.move[2 * corner.size + k];
            if (!fil_array_reserve((void**)&lags->slopes, lags->slope_count, &lags->slope_capacity, sizeof *lags->slopes)) {
                return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
            }
            lags->slopes[lags->slope_count++] = (FilGradientSlope){.unknown = unknown[k], .by_last_place = slope * weight[i] * moves};
        }
    }
    if (status == FIL_OK && pair->plane < 0 && fil_ipc_is_shared(pair)) {
        const FilGradientShare share = {pair, world->solver.ipc.ahead.at, true, at, work};
        status = fil_gradient_share_append(gradient, &share, slide->friction.max / pair->share);
    }
    lag->first[FIL_LAGS] = lags->slope_count;
    return status;
}

/* What the bound pushes, by a unit of it: the slide is taken. */
static void push_bound(const FilGradient* gradient, const FilGradientLaw* law, double max, int slide, double* push)
{
    const FilGradientContact* contact = &gradient->contacts.items[gradient->contacts.count];
    FilGradientLag* lag = &gradient->lags.items[slide];
    const int m = contact->size;
    lag->size = m;
    lag->unknown = contact->unknown;
    lag->push = push;
    memset(push, 0, FIL_LAGS * sizeof(double) * (size_t)m);
    for (int i = 0; i < m && max > 0.0; i++) {
        push[FIL_LAG_BOUND * m + i] = (contact->jacobian[i] * law->impulse[0] + contact->jacobian[m + i] * law->impulse[1]) / max;
    }
}

/* ---- one of them ---- */

/* J' gamma of what came into range since the start follows the place of an earlier solution instead. */
static void move_to_birth(FilGradient* gradient, int born, FilGradientRoom* room)
{
    const FilGradientContact* contact = &gradient->contacts.items[gradient->contacts.count];
    FilGradientBarrier* out = &gradient->births.items[gradient->births.count++];
    const size_t m = (size_t)contact->size;
    *out = (FilGradientBarrier){.size = contact->size, .round = born - 1, .unknown = room->born_unknown, .by_end = room->born};
    memcpy(out->unknown, contact->unknown, sizeof(int) * m);
    memcpy(out->by_end, contact->by_place, sizeof(double) * m * m);
    memset(contact->by_place, 0, sizeof(double) * m * m);
    room->born += m * m;
    room->born_unknown += m;
}

/* Why a slide has no gradient, or NULL; with how its bound follows the gap. */
static const char* see_slide(const FilGradient* gradient, const FilState* at, const FilIpcSlide* slide, FilTouching* touching, double* slope)
{
    const FilWorld* world = gradient->world;
    const FilIpcPair* pair = &slide->pair;
    const char* why = take_touching(world, at, pair, touching);
    *slope = why == NULL && gradient->round == 0 ? find_bound(world, slide, touching->distance) : 0.0;
    return why;
}

static FilStatus take_slide(FilGradient* gradient, const FilState* at, int index, FilGradientRoom* room)
{
    FilWorld* world = gradient->world;
    const FilIpcSlide* slide = &world->solver.ipc.slides.at[index];
    FilGradientContact* out = &gradient->contacts.items[gradient->contacts.count];
    FilTouching touching;
    FilGradientMaker maker = {.node_side = -1, .node_at = -1};
    FilGradientLever lever;
    FilGradientLaw law;
    double frame[9], u[3], slope, *work = room->work;
    const char* why = see_slide(gradient, at, slide, &touching, &slope);
    if (why != NULL) {
        return fil_gradient_refuse_pair(gradient, &slide->pair, why);
    }
    fil_v3_copy(frame, slide->friction.tangent[0]);
    fil_v3_copy(frame + 3, slide->friction.tangent[1]);
    fil_v3_copy(frame + 6, touching.normal);
    maker.frame = frame;
    fil_v3_copy(maker.point, touching.point);
    FilStatus status = take_sides(gradient, at, &slide->pair, 0, work, &maker);
    status = status == FIL_OK ? take_sides(gradient, at, &slide->pair, 1, work + MOTION * (size_t)maker.size, &maker) : status;
    if (status != FIL_OK || maker.size == 0) {
        return status;
    }
    const size_t m = (size_t)maker.size;
    *out = (FilGradientContact){.constraint = -1, .body = {-1, -1}, .size = maker.size, .unknown = room->unknown, .jacobian = room->next};
    out->by_place = room->next + 3 * m;
    work += MOTION * m;
    maker.moves = work;
    work += FIL_CONTACT_MOTION * m;
    fil_gradient_maker_name(&maker, out->unknown);
    fil_gradient_maker_move(&maker, &touching);
    const int node = node_side(world, &slide->pair);
    if (node >= 0) {
        follow_node(&maker, node);
    }
    fil_gradient_maker_jacobian(&maker, gradient->v, out->unknown, out->jacobian, u);
    if (take_lever(world, &slide->pair, &maker, &touching, &lever)) {
        maker.lever = &lever;
        fil_gradient_lever_jacobian(&maker, gradient->v, out->unknown, work, out->jacobian, u);
    }
    find_law(slide, world->solver.settings.model.ipc.slip_speed, slope, u, &law);
    memcpy(out->hessian, law.hessian, sizeof law.hessian);
    fil_gradient_maker_law(gradient, &maker, &law, out->unknown, work + 3 * m, work);
    fil_gradient_maker_rows(&maker, law.impulse, work, work + 3 * m, out);
    push_bound(gradient, &law, slide->friction.max, index, room->push);
    room->push += FIL_LAGS * m;
    if (slide->born > 0) {
        move_to_birth(gradient, slide->born, room);
    }
    gradient->contacts.count++;
    room->next += m * (m + 3);
    room->unknown += m;
    return FIL_OK;
}

/* Unknowns of a slide at most: a node of a rod has two edges of three blocks. */
static size_t slide_size(const FilWorld* world, const FilIpcSlide* slide)
{
    size_t size = 0;
    for (int i = 0; i < slide->pair.corner_count; i++) {
        const FilBody* body = &world->system.bodies[fil_ipc_collider_of(world, slide->pair.point[i])->body];
        size += body->ops->points ? 24 : (size_t)body->v_count;
    }
    return size;
}

/* ---- all of them ---- */

/* Unknowns of the corners of all pairs in range. */
static size_t corner_sizes(const FilWorld* world)
{
    const FilIpcField* field = &world->solver.ipc;
    size_t sum = 0;
    for (int k = 0; k < field->active_count; k++) {
        const FilIpcPair* pair = &field->pairs[field->active.at[k]];
        for (int i = 0; i < pair->corner_count; i++) {
            sum += (size_t)fil_gradient_corner_size(world, pair->point[i]);
        }
    }
    return sum;
}

static FilStatus make_room(FilGradient* gradient, FilGradientRoom* room)
{
    const FilWorld* world = gradient->world;
    const FilIpcSlides* slides = &world->solver.ipc.slides;
    FilGradientContacts* contacts = &gradient->contacts;
    FilGradientLags* lags = &gradient->lags;
    FilGradientBarriers* births = &gradient->births;
    const size_t count = (size_t)slides->count;
    size_t numbers = 0, max = 0, all = 0, born = 0, born_all = 0, born_count = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t m = slide_size(world, &slides->at[k]);
        numbers += m * (m + 3);
        all += m;
        max = m > max ? m : max;
        born += slides->at[k].born > 0 ? m * m : 0;
        born_all += slides->at[k].born > 0 ? m : 0;
        born_count += slides->at[k].born > 0;
    }
    const size_t active = (size_t)world->solver.ipc.active_count, corners = corner_sizes(world);
    const size_t work = (MOTION + FIL_CONTACT_MOTION + 6) * max + 1, pushed = FIL_LAGS * (all + corners);
    if (!fil_buffer_reserve((void**)&contacts->items, &contacts->capacity, count + 1, sizeof *contacts->items) ||
        !fil_buffer_reserve((void**)&contacts->unknowns, &contacts->unknown_capacity, all + max + 1, sizeof(int)) ||
        !fil_buffer_reserve((void**)&contacts->numbers, &contacts->number_capacity, numbers + work, sizeof(double)) ||
        !fil_buffer_reserve((void**)&lags->items, &lags->capacity, count + active, sizeof *lags->items) ||
        !fil_buffer_reserve((void**)&lags->numbers, &lags->number_capacity, pushed + 1, sizeof(double)) ||
        !fil_buffer_reserve((void**)&lags->unknowns, &lags->unknown_capacity, corners + 1, sizeof(int)) ||
        !fil_buffer_reserve((void**)&births->items, &births->capacity, born_count, sizeof *births->items) ||
        !fil_buffer_reserve((void**)&births->numbers, &births->number_capacity, born + 1, sizeof(double)) ||
        !fil_buffer_reserve((void**)&births->unknowns, &births->unknown_capacity, born_all + 1, sizeof(int))) {
        return fil_world_fail(gradient->world, FIL_OUT_OF_MEMORY, "out of memory for a gradient");
    }
    *room = (FilGradientRoom){contacts->numbers + work, contacts->numbers, lags->numbers, births->numbers,
                              contacts->unknowns,       births->unknowns,  lags->unknowns};
    return FIL_OK;
}

/* Points where bodies are. */
static void place_points(FilWorld* world, const double* q)
{
    FilIpcField* field = &world->solver.ipc;
    memcpy(field->x.at, q, sizeof(double) * (size_t)world->system.q_count);
    fil_ipc_surface_place(&world->solver, field->x.at, field->points.at);
}

/* Bodies of points, too, begin anew. */
static FilStatus begin_all(FilGradient* gradient, const FilState* at, bool prepare)
{
    FilWorld* world = gradient->world;
    const FilStepSetup setup = fil_gradient_setup(gradient);
    for (int b = 0; b < world->system.body_count; b++) {
        const FilBody* body = &world->system.bodies[b];
        if (body->moves && body->ops->points) {
            body->ops->begin(body->impl, &setup, at->q + body->q, at->v + body->v, at->h + body->h);
        }
    }
    return fil_gradient_begin_bodies(gradient, at, prepare);
}

/* Those that came into range in a solution, where that was. */
static FilStatus take_born(FilGradient* gradient, int born, FilGradientRoom* room)
{
    FilWorld* world = gradient->world;
    const FilIpcSlides* slides = &world->solver.ipc.slides;
    bool any = false;
    for (int k = 0; k < slides->count; k++) {
        any |= slides->at[k].born == born;
    }
    if (!any) {
        return FIL_OK;
    }
    fil_gradient_state_at(gradient, born - 1, &world->system.middle);
    place_points(world, world->system.middle.q);
    FilStatus status = begin_all(gradient, &world->system.middle, true);
    for (int k = 0; k < slides->count && status == FIL_OK; k++) {
        status = slides->at[k].born == born ? take_slide(gradient, &world->system.middle, k, room) : FIL_OK;
    }
    return status == FIL_OK ? begin_all(gradient, &world->system.next, false) : status;
}

/* Bounds of all of them. */
static FilStatus take_bounds(FilGradient* gradient, FilGradientRoom* room)
{
    FilWorld* world = gradient->world;
    const FilIpcSlides* slides = &world->solver.ipc.slides;
    FilStatus status = FIL_OK;
    if (slides->count == 0) {
        return FIL_OK;
    }
    if (gradient->round == 0) {
        place_points(world, world->system.next.q);
        for (int k = 0; k < slides->count && status == FIL_OK; k++) {
            status = take_start(gradient, &slides->at[k], room->work, &gradient->lags.items[gradient->lags.count++]);
        }
        return status;
    }
    fil_gradient_state_at(gradient, gradient->round - 1, &world->system.middle);
    place_points(world, world->system.middle.q);
    status = fil_gradient_begin_bodies(gradient, &world->system.middle, true);
    for (int k = 0; k < slides->count && status == FIL_OK; k++) {
        status = take_bound(gradient, &world->system.middle, &slides->at[k], room->work, &gradient->lags.items[gradient->lags.count++]);
    }
    return status == FIL_OK ? fil_gradient_begin_bodies(gradient, &world->system.next, false) : status;
}

FilStatus fil_gradient_slides_begin(FilGradient* gradient)
{
    FilGradientLags* lags = &gradient->lags;
    gradient->contacts.count = gradient->births.count = lags->count = lags->slope_count = 0;
    FilStatus status = make_room(gradient, &gradient->room);
    status = status == FIL_OK ? take_bounds(gradient, &gradient->room) : status;
    for (int born = 1; born <= gradient->round && status == FIL_OK; born++) {
        status = take_born(gradient, born, &gradient->room);
    }
    place_points(gradient->world, gradient->finish->q);
    return status == FIL_OK ? fil_gradient_shares_take(gradient) : status;
}

FilStatus fil_gradient_slides_take(FilGradient* gradient)
{
    FilWorld* world = gradient->world;
    const FilIpcSlides* slides = &world->solver.ipc.slides;
    FilStatus status = FIL_OK;
    if (slides->count > 0) {
        place_points(world, world->system.next.q);
    }
    for (int k = 0; k < slides->count && status == FIL_OK; k++) {
        status = slides->at[k].born == 0 ? take_slide(gradient, &world->system.next, k, &gradient->room) : FIL_OK;
    }
    if (slides->count > 0) {
        place_points(world, gradient->finish->q);
    }
    return status;
}

/* ---- products ---- */

void fil_gradient_births_vary(const FilGradient* gradient, double* out)
{
    for (int k = 0; k < gradient->births.count; k++) {
        const FilGradientBarrier* birth = &gradient->births.items[k];
        const double* place = gradient->passed + 2 * (size_t)gradient->n * (size_t)birth->round;
        for (int i = 0; i < birth->size * birth->size; i++) {
            out[birth->unknown[i / birth->size]] += birth->by_end[i] * place[birth->unknown[i % birth->size]];
        }
    }
}

void fil_gradient_births_vary_back(const FilGradient* gradient, const double* weight)
{
    for (int k = 0; k < gradient->births.count; k++) {
        const FilGradientBarrier* birth = &gradient->births.items[k];
        double* place = gradient->passed + 2 * (size_t)gradient->n * (size_t)birth->round;
        for (int i = 0; i < birth->size * birth->size; i++) {
            place[birth->unknown[i % birth->size]] += birth->by_end[i] * weight[birth->unknown[i / birth->size]];
        }
    }
}
