/* The public face of rings: threading them on rods, and reading where they are. */
#include <math.h>
#include <string.h>

#include "api/kinds.h"
#include "base/vec3.h"
#include "body/rigid.h"
#include "body/ring.h"
#include "body/rod.h"
#include "body/shell.h"
#include "contact/ipc_barrier.h"
#include "contact/ring_hole.h"
#include "filum/ring.h"
#include "filum/shell.h"
#include "world/world.h"

FilRingDef fil_ring_def_default(void)
{
    // P4 table 1
    return (FilRingDef){.range = 0.01, .stiffness = 1.0};
}

/* ---- adding ---- */

static FilStatus check_numbers(FilWorld* world, const FilRingDef* def, const char* name)
{
    const FilCheckedNumber numbers[] = {{"range", def->range, true},
                                        {"stiffness", def->stiffness, true},
                                        {"offset", def->offset, false},
                                        {"friction", def->friction, false},
                                        {"mass", def->mass, false}};
    FilError inner;
    if (fil_check_numbers(numbers, sizeof numbers / sizeof numbers[0], &inner) != FIL_OK) {
        return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': %s", name, inner.text);
    }
    const double place[9] = {def->position.x, def->position.y, def->position.z, def->velocity.x, def->velocity.y,
                             def->velocity.z, def->hole.x,     def->hole.y,     def->hole.z};
    const bool carried = def->carrier.index != 0;
    if (!fil_all_finite(place, 9)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': position and velocity must be finite", name);
    }
    return carried == (def->mass == 0.0)
               ? FIL_OK
               : fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': needs either a mass, a node of a rod or shell, or a hole", name);
}

/* The rods of the track, as objects of the world; all of one body. */
static FilStatus count_nodes(FilWorld* world, const FilRingDef* def, const char* name, int* body, int* count)
{
    *body = -1;
    *count = 0;
    for (int r = 0; r < def->rod_count; r++) {
        const int index = fil_kind_index(world, FIL_BODY_ROD, def->rods[r]);
        if (index < 0) {
            return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': rides on rods only", name);
        }
        const FilObject* object = &world->objects[index];
        if (*body >= 0 && object->body != *body) {
            return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': rod '%s' shares no node with the rod before", name, object->name);
        }
        *body = object->body;
        *count += fil_rod_node_count(world, def->rods[r]);
        if (*count > FIL_COUNT_MAX) {
            return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': its rods have too many nodes", name);
        }
    }
    return *count > 0 ? FIL_OK : fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': needs a rod", name);
}

/* Nodes of all rods one after the other; where one ends and the next begins they must be the same. */
static FilStatus lay_track(FilWorld* world, const FilRingDef* def, const char* name, FilRingBody* ring)
{
    int count = 0;
    for (int r = 0; r < def->rod_count; r++) {
        const FilObject* object = &world->objects[fil_kind_index(world, FIL_BODY_ROD, def->rods[r])];
        const FilRodBody* body = world->system.bodies[object->body].impl;
        const FilRod* rod = &body->rods[object->local];
        if (rod->closed && def->rod_count > 1) {
            return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': the closed rod '%s' leads nowhere", name, object->name);
        }
        ring->track.loop = rod->closed;
        for (int i = 0; i < rod->node_count; i++) {
            const int node = body->owner[rod->first_node + i], angle = rod->twist_free ? -1 : rod->first_node + i;
            if (i == 0 && r > 0) {
                ring->angles[count - 1] = angle;
                if (ring->nodes[count - 1] != node) {
                    return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': rod '%s' does not begin where the rod before ends", name, object->name);
                }
                continue;
            }
            ring->angles[count] = angle;
            ring->nodes[count++] = node;
        }
    }
    ring->track.count = count;
    return FIL_OK;
}

/* The widest rod of the track. */
static double widest_of(const FilWorld* world, const FilRingDef* def)
{
    double widest = 0.0;
    for (int r = 0; r < def->rod_count; r++) {
        for (int e = 0; e < fil_rod_edge_count(world, def->rods[r]); e++) {
            widest = fmax(widest, fil_rod_radius(world, def->rods[r], e));
        }
    }
    return widest;
}

/* The hole of a rigid body, which the rod has to fit. */
static FilStatus find_hole(FilWorld* world, const FilRingDef* def, const char* name, const FilBody* body, FilRingBody* ring)
{
    FilHole* hole = &ring->hole;
    fil_v3_set(hole->axis, def->hole_axis.x, def->hole_axis.y, def->hole_axis.z);
    const double length = fil_v3_normalise(hole->axis);
    if (!(isfinite(length) && length > 0.0)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': the axis of its hole has no direction", name);
    }
    hole->radius = def->hole_radius;
    hole->rod_radius = widest_of(world, def);
    if (!(isfinite(hole->radius) && hole->radius > hole->rod_radius + def->range)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': a hole of radius %g m leaves no room for a rod of radius %g m and the range of %g m",
                              name, hole->radius, hole->rod_radius, def->range);
    }
    if (def->offset != 0.0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': an offset is for rings without a hole, whose radius says it", name);
    }
    body->ops->center(body->impl, ring->hole_origin);
    fil_v3_set(hole->center, def->hole.x, def->hole.y, def->hole.z);
    fil_v3_axpy(hole->center, -1.0, ring->hole_origin);
    ring->holed = true;
    return FIL_OK;
}

static FilStatus find_carrier(FilWorld* world, const FilRingDef* def, const char* name, FilRingBody* ring)
{
    ring->carrier_body = -1;
    if (def->carrier.index == 0) {
        return FIL_OK;
    }
    const int index = fil_id_index(world, FIL_ID_OBJECT, def->carrier);
    const FilObject* object = index >= 0 ? &world->objects[index] : NULL;
    const FilBody* body = object != NULL ? &world->system.bodies[object->body] : NULL;
    if (body == NULL || (body->ops->point == NULL && body->ops->center == NULL)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': only nodes of rods and shells and holes of rigid bodies can be rings", name);
    }
    ring->carrier_body = object->body;
    if (body->ops->point == NULL) {
        return find_hole(world, def, name, body, ring);
    }
    const int count = body->ops->point_count(body->impl, object->local), node = fil_counted(def->node, count);
    if (node < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': node %d is not on '%s', which has %d", name, def->node, object->name, count);
    }
    ring->carrier_node = body->ops->point(body->impl, object->local, node);
    return FIL_OK;
}

/* The gap at which the potential carries the part of the ring's weight across the rod; moves the ring there. */
static void settle(const FilWorld* world, FilRingBody* ring, const double* rods)
{
    FilTrackPlace place = fil_track_search(&ring->track, rods, ring->initial_q);
    FilTrackPoint point;
    fil_track_closest(&ring->track, rods, ring->initial_q, &place, &point);
    double across[3] = {world->def.gravity.x, world->def.gravity.y, world->def.gravity.z}, t[3];
    fil_v3_copy(t, point.slope);
    fil_v3_normalise(t);
    fil_v3_axpy(across, -fil_v3_dot(across, t), t);
    const double weight = ring->mass * fil_v3_normalise(across);
    double low = 0.0, high = ring->range;
    // 53 would do for a share of order 1; 200, so that one of 1e-40 is found to rounding too
    for (int k = 0; k < 200; k++) {
        const double middle = 0.5 * (low + high);
        if (fil_ring_barrier(middle, ring->range, ring->stiffness).first < weight) {
            low = middle;
        } else {
            high = middle;
        }
    }
    fil_v3_axpy(ring->initial_q, -1.0, point.r);
    fil_v3_axpy(ring->initial_q, ring->offset + low, across);
}

/* Where the rod passes the hole; its axis is turned so that it points against the rod. */
static FilStatus thread_hole(FilWorld* world, const char* name, FilRingBody* ring)
{
    const double *rods = world->system.state.q + world->system.bodies[ring->rod_body].q,
                 *q = world->system.state.q + world->system.bodies[ring->carrier_body].q;
    double rotation[9], center[3], axis[3];
    FilTrackPoint point;
    fil_m3_from_quat(rotation, (FilQuat){q[4], q[5], q[6], q[7]});
    fil_hole_place(&ring->hole, q, rotation, center, axis);
    ring->initial_place = fil_track_search(&ring->track, rods, center);
    FilTrackPlace place = ring->initial_place;
    fil_track_closest(&ring->track, rods, center, &place, &point);
    if (fil_v3_dot(point.slope, axis) < 0.0) {
        fil_v3_scale(ring->hole.axis, -1.0, ring->hole.axis);
        fil_v3_scale(axis, -1.0, axis);
    }
    if (!fil_track_crossing(&ring->track, rods, center, axis, &ring->initial_place, &point) || point.beyond != 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': its rod does not pass the hole", name);
    }
    const double gap = fil_hole_gap(&ring->hole, axis, &point);
    return gap > 0.0 ? FIL_OK
                     : fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': its rod passes %g m from the centre of the hole, %g m too far out", name,
                                      fil_v3_norm(point.r), -gap);
}

/* Where it starts on the track, and whether that is near enough. */
static FilStatus place_ring(FilWorld* world, const FilRingDef* def, const char* name, FilRingBody* ring)
{
    if (ring->holed) {
        return thread_hole(world, name, ring);
    }
    const double* rods = world->system.state.q + world->system.bodies[ring->rod_body].q;
    fil_v3_set(ring->initial_q, def->position.x, def->position.y, def->position.z);
    fil_v3_set(ring->initial_v, def->velocity.x, def->velocity.y, def->velocity.z);
    if (ring->mass > 0.0 && def->settled) {
        settle(world, ring, rods);
    }
    const double* point =
        ring->mass > 0.0 ? ring->initial_q : world->system.state.q + world->system.bodies[ring->carrier_body].q + 4 * ring->carrier_node;
    ring->initial_place = fil_track_search(&ring->track, rods, point);
    FilTrackPoint closest;
    fil_track_closest(&ring->track, rods, point, &ring->initial_place, &closest);
    const double gap = sqrt(2.0 * closest.half_square) - ring->offset;
    return gap < ring->range ? FIL_OK
                             : fil_world_fail(world, FIL_BAD_INPUT, "ring '%s': starts %g m from its rod, out of its range of %g m", name,
                                              gap + ring->offset, ring->offset + ring->range);
}

FilStatus fil_world_add_ring(FilWorld* world, const FilRingDef* def, FilId* id)
{
    if (def == NULL || def->rod_count < 0 || (def->rod_count > 0 && def->rods == NULL)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a ring needs a definition, and the rods that it is on");
    }
    char made[64];
    const char* name;
    int rod_body, count, body, object;
    FilStatus status = fil_world_name_object(world, def->name, "ring", made, &name);
    status = status == FIL_OK ? check_numbers(world, def, name) : status;
    status = status == FIL_OK ? count_nodes(world, def, name, &rod_body, &count) : status;
    if (status != FIL_OK) {
        return status;
    }
    FilRingBody* ring = fil_ring_create(count);
    if (ring == NULL) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    ring->mass = def->mass;
    ring->offset = def->offset;
    ring->range = def->range;
    ring->stiffness = def->stiffness;
    ring->friction = def->friction;
    ring->rod_body = rod_body;
    ring->radius = def->offset + widest_of(world, def);
    status = lay_track(world, def, name, ring);
    status = status == FIL_OK ? find_carrier(world, def, name, ring) : status;
    ring->radius = ring->holed ? ring->hole.radius : ring->radius;
    status = status == FIL_OK ? place_ring(world, def, name, ring) : status;
    if (status != FIL_OK) {
        fil_ring_ops.destroy(ring);
        return status;
    }
    const int unknowns = ring->mass > 0.0 ? 4 : 0;
    status = fil_world_add_body(world, FIL_BODY_RING, ring, unknowns, unknowns, FIL_RING_HISTORY, name, &body);
    status = status == FIL_OK ? fil_world_add_object(world, name, FIL_BODY_RING, body, 0, &object) : status;
    if (status == FIL_OK) {
        if (ring->mass > 0.0) {
            ring->carrier_body = body;
        }
        fil_give_id(world, FIL_ID_OBJECT, object, id);
    }
    return status;
}

int fil_world_ring_count(const FilWorld* world)
{
    return fil_kind_count(world, FIL_BODY_RING);
}

FilId fil_world_ring_at(const FilWorld* world, int index)
{
    return fil_kind_at(world, FIL_BODY_RING, index);
}

FilId fil_world_find_ring(const FilWorld* world, const char* name)
{
    return fil_kind_find(world, FIL_BODY_RING, name);
}

const char* fil_ring_name(const FilWorld* world, FilId id)
{
    return fil_kind_name(world, FIL_BODY_RING, id);
}

/* ---- state ---- */

/* A ring, its point or centre, and where that is on the track. */
typedef struct View {
    const FilRingBody* ring;
    const double* h;
    double x[3], v[3], axis[3];
    FilTrackPlace place;
    double distance, energy, force;
} View;

/* The potential's energy and force at a point of the track. */
static void measure(View* view, const FilTrackPoint* point, const double* rotation)
{
    const FilRingBody* ring = view->ring;
    const FilHoleBarrier barrier = {&ring->hole, ring->range, ring->stiffness};
    double gradient[FIL_HOLE_SIZE] = {0.0};
    view->distance = fil_v3_norm(point->r);
    view->energy = ring->holed ? fil_hole_energy(&barrier, rotation, point, gradient, NULL, true)
                               : fil_ring_energy(ring->offset, ring->range, ring->stiffness, point, gradient, NULL, true);
    view->force = fil_v3_norm(gradient);
}

/* Centre of the hole, its velocity and its place. */
static void see_hole(const FilWorld* world, View* view)
{
    const FilBody* body = &world->system.bodies[view->ring->carrier_body];
    const double *q = world->system.state.q + body->q, *v = world->system.state.v + body->v;
    double rotation[9], spin[3], arm[3];
    FilTrackPoint point;
    fil_m3_from_quat(rotation, (FilQuat){q[4], q[5], q[6], q[7]});
    fil_hole_place(&view->ring->hole, q, rotation, view->x, view->axis);
    fil_m3_apply(spin, rotation, v + 4);
    fil_v3_sub(arm, view->x, q);
    fil_v3_cross(view->v, spin, arm);
    fil_v3_axpy(view->v, 1.0, v);
    const double* rods = world->system.state.q + world->system.bodies[view->ring->rod_body].q;
    if (view->h[FIL_RING_THREADED] != 0.0 && fil_track_crossing(&view->ring->track, rods, view->x, view->axis, &view->place, &point)) {
        measure(view, &point, rotation);
    }
}

/* False, and a message, if the id is of no ring. */
static bool see(const FilWorld* world, FilId id, View* out)
{
    FilView object;
    if (!fil_kind_view(world, FIL_BODY_RING, "ring", id, &object)) {
        return false;
    }
    View view = {.ring = object.impl, .h = object.h, .axis = {0.0, 0.0, 1.0}};
    const FilBody* carrier = &world->system.bodies[view.ring->carrier_body];
    view.place = (FilTrackPlace){(int)view.h[FIL_RING_PIECE], view.h[FIL_RING_U]};
    if (view.ring->holed) {
        see_hole(world, &view);
        *out = view;
        return true;
    }
    fil_v3_copy(view.x, world->system.state.q + carrier->q + 4 * view.ring->carrier_node);
    fil_v3_copy(view.v, world->system.state.v + carrier->v + 4 * view.ring->carrier_node);
    if (view.h[FIL_RING_THREADED] != 0.0) {
        const double* rods = world->system.state.q + world->system.bodies[view.ring->rod_body].q;
        FilTrackPoint point;
        fil_track_closest(&view.ring->track, rods, view.x, &view.place, &point);
        measure(&view, &point, NULL);
        fil_v3_copy(view.axis, point.slope);
        fil_v3_normalise(view.axis);
    }
    *out = view;
    return true;
}

FilVec3 fil_ring_position(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? (FilVec3){view.x[0], view.x[1], view.x[2]} : (FilVec3){NAN, NAN, NAN};
}

FilVec3 fil_ring_velocity(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? (FilVec3){view.v[0], view.v[1], view.v[2]} : (FilVec3){NAN, NAN, NAN};
}

FilVec3 fil_ring_axis(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? (FilVec3){view.axis[0], view.axis[1], view.axis[2]} : (FilVec3){NAN, NAN, NAN};
}

double fil_ring_radius(const FilWorld* world, FilId id)
{
    FilView object;
    return fil_kind_view(world, FIL_BODY_RING, "ring", id, &object) ? ((const FilRingBody*)object.impl)->radius : NAN;
}

FilId fil_ring_body(const FilWorld* world, FilId id)
{
    FilView view;
    const FilRingBody* ring = fil_kind_view(world, FIL_BODY_RING, "ring", id, &view) ? view.impl : NULL;
    for (int i = 0; ring != NULL && ring->holed && i < world->object_count; i++) {
        if (world->objects[i].body == ring->carrier_body) {
            return fil_make_id(world, FIL_ID_OBJECT, i);
        }
    }
    return (FilId){0};
}

bool fil_ring_threaded(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) && view.h[FIL_RING_THREADED] != 0.0;
}

double fil_ring_distance(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? view.distance : NAN;
}

double fil_ring_travel(const FilWorld* world, FilId id)
{
    View view;
    if (!see(world, id, &view)) {
        return NAN;
    }
    return fil_track_length(&view.ring->track, world->system.state.q + world->system.bodies[view.ring->rod_body].q, view.place);
}

double fil_ring_force(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? view.force : NAN;
}

double fil_ring_energy_stored(const FilWorld* world, FilId id)
{
    View view;
    return see(world, id, &view) ? view.energy : NAN;
}

/* ---- what can be measured ---- */

static void measure_position(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    fil_measure_vec3(out, fil_ring_position(world, id));
}

static void measure_velocity(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    fil_measure_vec3(out, fil_ring_velocity(world, id));
}

static void measure_travel(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    out[0] = fil_ring_travel(world, id);
}

static void measure_distance(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    out[0] = fil_ring_distance(world, id);
}

static void measure_force(const FilWorld* world, FilId id, int index, double* out)
{
    (void)index;
    out[0] = fil_ring_force(world, id);
}

static const FilQuantity quantities[] = {
    {"ring_position", NULL, 3, "m", measure_position, NULL}, {"ring_velocity", NULL, 3, "m/s", measure_velocity, NULL},
    {"ring_travel", NULL, 1, "m", measure_travel, NULL},     {"ring_distance", NULL, 1, "m", measure_distance, NULL},
    {"ring_force", NULL, 1, "N", measure_force, NULL},
};

const FilKindRow fil_ring_row = {"ring", "a ring", fil_ring_name, fil_world_find_ring, NULL, 0, FIL_ROWS(quantities)};
