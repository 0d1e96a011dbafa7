/* The public face of rods: adding them to a world, reading and setting their state. */
#include <math.h>
#include <string.h>

#include "api/kinds.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "body/rod.h"
#include "contact/surface.h"
#include "world/world.h"

/* ---- adding ---- */

FilStatus fil_world_add_rod_network(FilWorld* world, const FilRodDef* defs, int count, const FilRodJunction* junctions, int junction_count,
                                    FilId* rods)
{
    if (defs == NULL || count < 1 || count > FIL_COUNT_MAX) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a rod network needs at least one rod");
    }
    if (junction_count < 0 || junction_count > FIL_COUNT_MAX || (junction_count > 0 && junctions == NULL)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the junctions of a rod network are missing");
    }
    // names first: nothing is made if one cannot be had
    char made[64];
    const char* name;
    for (int r = 0; r < count; r++) {
        FilStatus status = fil_world_name_object(world, defs[r].name, "rod", made, &name);
        if (status == FIL_OK) {
            FilError inner;
            status = fil_surface_check(&defs[r].collision.surface, &inner);
            status = status == FIL_OK ? FIL_OK : fil_world_fail(world, status, "rod '%s': %s", name, inner.text);
        }
        if (status == FIL_OK && (unsigned)defs[r].rest_shape > FIL_REST_INITIAL) {
            status = fil_world_fail(world, FIL_BAD_INPUT, "rod '%s': unknown rest shape %d", name, (int)defs[r].rest_shape);
        }
        for (int s = 0; s < r && status == FIL_OK; s++) {
            if (defs[r].name != NULL && defs[s].name != NULL && strcmp(defs[r].name, defs[s].name) == 0) {
                status = fil_world_fail(world, FIL_BAD_INPUT, "there is already a rod or rigid body named '%s'", defs[r].name);
            }
        }
        if (status != FIL_OK) {
            return status;
        }
    }
    FilRodBody* impl;
    FilStatus status = fil_rod_body_create(&world->arena, defs, count, junctions, junction_count, &impl, world->error);
    if (status != FIL_OK) {
        return status;
    }
    int* objects = fil_alloc((size_t)count, sizeof(int));
    if (objects == NULL) {
        fil_rod_ops.destroy(impl);
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    int body = -1;
    for (int r = 0; r < count && status == FIL_OK; r++) {
        status = fil_world_name_object(world, defs[r].name, "rod", made, &name);
        if (status == FIL_OK && body < 0) {
            const int unknowns = fil_rod_body_q_size(impl);
            status = fil_world_add_body(world, FIL_BODY_ROD, impl, unknowns, unknowns, fil_rod_body_h_size(impl), name, &body);
        }
        if (status == FIL_OK) {
            status = fil_world_add_object(world, name, FIL_BODY_ROD, body, r, &objects[r]);
        }
        if (status == FIL_OK && rods != NULL) {
            rods[r] = fil_make_id(world, FIL_ID_OBJECT, objects[r]);
        }
    }
    status = status == FIL_OK ? fil_world_add_colliders(world, body, objects, count) : status;
    fil_free(objects);
    return status;
}

FilStatus fil_world_add_rod(FilWorld* world, const FilRodDef* def, FilId* rod)
{
    return fil_world_add_rod_network(world, def, 1, NULL, 0, rod);
}

int fil_world_rod_count(const FilWorld* world)
{
    return fil_kind_count(world, FIL_BODY_ROD);
}

FilId fil_world_rod_at(const FilWorld* world, int index)
{
    return fil_kind_at(world, FIL_BODY_ROD, index);
}

FilId fil_world_find_rod(const FilWorld* world, const char* name)
{
    return fil_kind_find(world, FIL_BODY_ROD, name);
}

/* ---- reading ---- */

/* A rod and its part of the state arrays. */
typedef struct View {
    const char* name;
    FilRodBody* body;
    FilRod* rod;
    double *q, *v;
    FilRodHistory* h;
} View;

/* False, and a message, if the id is of no rod. */
static bool see(const FilWorld* world, FilId id, View* view)
{
    FilView object;
    if (!fil_kind_view(world, FIL_BODY_ROD, "rod", id, &object)) {
        return false;
    }
    view->name = object.name;
    view->body = object.impl;
    view->rod = &view->body->rods[object.local];
    view->q = object.q + 4 * view->rod->first_node;
    view->v = object.v + 4 * view->rod->first_node;
    view->h = (FilRodHistory*)object.h + view->rod->first_node;
    return true;
}

const char* fil_rod_name(const FilWorld* world, FilId rod)
{
    return fil_kind_name(world, FIL_BODY_ROD, rod);
}

bool fil_rod_closed(const FilWorld* world, FilId rod)
{
    View view;
    return see(world, rod, &view) && view.rod->closed;
}

int fil_rod_node_count(const FilWorld* world, FilId rod)
{
    View view;
    return see(world, rod, &view) ? view.rod->node_count : 0;
}

int fil_rod_edge_count(const FilWorld* world, FilId rod)
{
    View view;
    return see(world, rod, &view) ? view.rod->edge_count : 0;
}

FilSection fil_rod_section(const FilWorld* world, FilId rod, int edge)
{
    View view;
    const bool known = see(world, rod, &view) && fil_world_has_part(world, "rod", view.name, "edge", edge, view.rod->edge_count);
    return known ? view.rod->sections[edge] : (FilSection){.radius = NAN};
}

double fil_rod_radius(const FilWorld* world, FilId rod, int edge)
{
    const FilSection s = fil_rod_section(world, rod, edge);
    return s.shape == FIL_SECTION_RECTANGLE ? 0.5 * hypot(s.width, s.height) : s.radius;
}

/* Three numbers of every four. */
static void copy_points(const double* from, int count, double* to)
{
    for (int i = 0; i < count; i++) {
        fil_v3_copy(to + 3 * i, from + 4 * i);
    }
}

void fil_rod_get_positions(const FilWorld* world, FilId rod, double* nodes)
{
    View view;
    if (see(world, rod, &view) && nodes != NULL) {
        copy_points(view.q, view.rod->node_count, nodes);
    }
}

void fil_rod_get_position(const FilWorld* world, FilId rod, int node, double* position)
{
    View view;
    if (position == NULL) {
        return;
    }
    const bool known = see(world, rod, &view) && fil_world_has_part(world, "rod", fil_rod_name(world, rod), "node", node, view.rod->node_count);
    static const double none[3] = {NAN, NAN, NAN};
    fil_v3_copy(position, known ? view.q + 4 * node : none);
}

void fil_rod_get_velocities(const FilWorld* world, FilId rod, double* nodes)
{
    View view;
    if (see(world, rod, &view) && nodes != NULL) {
        copy_points(view.v, view.rod->node_count, nodes);
    }
}

/* The fourth number of each. */
static void copy_angles(const double* from, int count, double* to)
{
    for (int i = 0; i < count; i++) {
        to[i] = from[4 * i + 3];
    }
}

void fil_rod_get_angles(const FilWorld* world, FilId rod, double* edges)
{
    View view;
    if (see(world, rod, &view) && edges != NULL) {
        copy_angles(view.q, view.rod->edge_count, edges);
    }
}

void fil_rod_get_spins(const FilWorld* world, FilId rod, double* edges)
{
    View view;
    if (see(world, rod, &view) && edges != NULL) {
        copy_angles(view.v, view.rod->edge_count, edges);
    }
}

void fil_rod_get_frames(const FilWorld* world, FilId rod, double* edges)
{
    View view;
    if (!see(world, rod, &view) || edges == NULL) {
        return;
    }
    for (int i = 0; i < view.rod->edge_count; i++) {
        Frame1 frame;
        fil_rod_edge_frame(view.rod, view.q, view.h, i, &frame);
        fil_v3_copy(edges + 9 * i, frame.m1);
        fil_v3_copy(edges + 9 * i + 3, frame.m2);
        fil_v3_copy(edges + 9 * i + 6, frame.t);
    }
}

void fil_rod_get_curvatures(const FilWorld* world, FilId rod, double* nodes)
{
    View view;
    if (!see(world, rod, &view) || nodes == NULL) {
        return;
    }
    for (int i = 0; i < view.rod->node_count; i++) {
        fil_rod_node_curvature(view.rod, view.q, view.h, i, nodes + 2 * i);
    }
}

void fil_rod_get_twists(const FilWorld* world, FilId rod, double* nodes)
{
    View view;
    if (!see(world, rod, &view) || nodes == NULL) {
        return;
    }
    for (int i = 0; i < view.rod->node_count; i++) {
        nodes[i] = view.h[i].twist / view.rod->voronoi[i];
    }
}

void fil_rod_get_tensions(const FilWorld* world, FilId rod, double* edges)
{
    View view;
    if (!see(world, rod, &view) || edges == NULL) {
        return;
    }
    for (int i = 0; i < view.rod->edge_count; i++) {
        edges[i] = fil_rod_edge_tension(view.rod, view.q, view.h, i);
    }
}

double fil_rod_length(const FilWorld* world, FilId rod)
{
    View view;
    if (!see(world, rod, &view)) {
        return NAN;
    }
    double length = 0.0;
    for (int i = 0; i < view.rod->edge_count; i++) {
        length += fil_v3_distance(view.q + 4 * i, view.q + 4 * ((i + 1) % view.rod->node_count));
    }
    return length;
}

/* ---- setting ---- */

static FilStatus check_finite(FilWorld* world, const double* a, int count, const char* what)
{
    return a == NULL || fil_all_finite(a, count) ? FIL_OK : fil_world_fail(world, FIL_BAD_INPUT, "the given %s are not finite", what);
}

/* Frames cannot follow an edge that turns by 180 degrees, nor measure a hinge that does. */
static FilStatus check_turns(FilWorld* world, const View* view, const double* nodes)
{
    const int n = view->rod->node_count, edges = view->rod->edge_count;
    double last[3] = {0.0}, t[3];
    for (int i = 0; i < edges + (view->rod->closed ? 1 : 0); i++) {
        const int edge = i % n;
        fil_v3_sub(t, nodes + 3 * ((edge + 1) % n), nodes + 3 * edge);
        fil_v3_normalise(t);
        if (fil_v3_dot(t, view->h[edge].tangent) < -1.0 + 1e-6) {  // within 0.08 degrees of turning back, transport is not defined
            return fil_world_fail(world, FIL_BAD_INPUT, "edge %d would turn by 180 degrees: set it in two moves", edge);
        }
        if (fil_v3_dot(t, last) < -1.0 + 1e-6) {  // likewise
            return fil_world_fail(world, FIL_BAD_INPUT, "edges %d and %d would fold back on each other", (edge + n - 1) % n, edge);
        }
        fil_v3_copy(last, t);
    }
    return FIL_OK;
}

FilStatus fil_rod_set_state(FilWorld* world, FilId id, const double* nodes, const double* velocities, const double* angles, const double* spins)
{
    View view;
    if (!see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    const int n = view.rod->node_count, edges = view.rod->edge_count;
    FilStatus status = check_finite(world, nodes, 3 * n, "positions");
    status = status == FIL_OK ? check_finite(world, velocities, 3 * n, "velocities") : status;
    status = status == FIL_OK ? check_finite(world, angles, edges, "angles") : status;
    status = status == FIL_OK ? check_finite(world, spins, edges, "spins") : status;
    for (int i = 0; i < edges && nodes != NULL && status == FIL_OK; i++) {
        const double length = fil_v3_distance(nodes + 3 * i, nodes + 3 * ((i + 1) % n));
        if (!(length > 0.0 && isfinite(length))) {
            status = fil_world_fail(world, FIL_BAD_INPUT, "edge %d would have %s length", i, length > 0.0 ? "infinite" : "zero");
        }
    }
    status = status == FIL_OK && nodes != NULL ? check_turns(world, &view, nodes) : status;
    if (status != FIL_OK) {
        return status;
    }
    double* all_q = view.q - 4 * view.rod->first_node;
    double* all_v = view.v - 4 * view.rod->first_node;
    FilRodHistory* all_h = view.h - view.rod->first_node;
    view.body->begun = false;
    // frames start from where they are, those of rods that share nodes with this one too
    for (int r = 0; r < view.body->rod_count; r++) {
        FilRod* rod = &view.body->rods[r];
        const int first = rod->first_node;
        fil_rod_chain_begin(&rod->chain, all_q + 4 * first, all_h + first, rod->law, 0.0, view.body->mass + 4 * first);
    }
    for (int i = 0; i < n; i++) {
        if (nodes != NULL) {
            fil_v3_copy(all_q + 4 * view.body->owner[view.rod->first_node + i], nodes + 3 * i);
        }
        if (velocities != NULL) {
            fil_v3_copy(all_v + 4 * view.body->owner[view.rod->first_node + i], velocities + 3 * i);
        }
        if (angles != NULL && i < edges) {
            view.q[4 * i + 3] = angles[i];
        }
        if (spins != NULL && i < edges) {
            view.v[4 * i + 3] = spins[i];
        }
    }
    for (int i = 0; i < view.body->node_count; i++) {
        fil_v3_copy(all_q + 4 * i, all_q + 4 * view.body->owner[i]);
        fil_v3_copy(all_v + 4 * i, all_v + 4 * view.body->owner[i]);
    }
    for (int r = 0; r < view.body->rod_count; r++) {
        FilRod* rod = &view.body->rods[r];
        fil_rod_chain_transport(&rod->chain, all_q + 4 * rod->first_node, all_h + rod->first_node);
    }
    return FIL_OK;
}

static FilStatus check_range(FilWorld* world, int first, int count, int size, const double* values, int width)
{
    if (first < 0 || first > size || count < 0 || count > size - first) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the range from %d, %d long, is not on the rod, which has %d", first, count, size);
    }
    if (values == NULL && count > 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the values of the range are missing");
    }
    return check_finite(world, values, width * count, "values");
}

FilStatus fil_rod_set_rest_curvature(FilWorld* world, FilId id, int first, int count, const double* curvature)
{
    View view;
    if (!see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    FilStatus status = check_range(world, first, count, view.rod->node_count, curvature, 2);
    if (status != FIL_OK) {
        return status;  // first + count may be no number
    }
    for (int i = first; i < first + count && status == FIL_OK; i++) {
        const double turn = hypot(curvature[2 * (i - first)], curvature[2 * (i - first) + 1]) * view.rod->voronoi[i];
        if (!(turn < FIL_PI)) {
            status =
                fil_world_fail(world, FIL_BAD_INPUT, "the rest curvature of node %d turns by %g rad, more than a hinge can: use more nodes", i, turn);
        }
    }
    for (int i = first; i < first + count && status == FIL_OK; i++) {
        fil_rod_rest_from_curvature(view.rod->voronoi[i], curvature + 2 * (i - first), &view.h[i].rest1, &view.h[i].rest2);
    }
    return status;
}

FilStatus fil_rod_set_rest_twist(FilWorld* world, FilId id, int first, int count, const double* twist)
{
    View view;
    if (!see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    const FilStatus status = check_range(world, first, count, view.rod->node_count, twist, 1);
    if (status != FIL_OK) {
        return status;  // first + count may be no number
    }
    for (int i = first; i < first + count; i++) {
        if (!(fabs(twist[i - first]) * view.rod->voronoi[i] < FIL_ROD_MAX_TWIST)) {
            return fil_world_fail(world, FIL_BAD_INPUT, "the rest twist of node %d, %g rad/m, turns it by more than %g rad", i, twist[i - first],
                                  FIL_ROD_MAX_TWIST);
        }
    }
    for (int i = first; i < first + count; i++) {
        view.h[i].rest_twist = twist[i - first] * view.rod->voronoi[i];
    }
    return status;
}

FilStatus fil_rod_set_rest_length(FilWorld* world, FilId id, int first, int count, const double* length)
{
    View view;
    if (!see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    FilStatus status = check_range(world, first, count, view.rod->edge_count, length, 1);
    if (status != FIL_OK) {
        return status;  // first + count may be no number
    }
    for (int i = 0; i < count && status == FIL_OK; i++) {
        if (!(length[i] > 0.0)) {
            status = fil_world_fail(world, FIL_BAD_INPUT, "a rest length must be positive, not %g", length[i]);
        }
    }
    for (int i = first; i < first + count && status == FIL_OK; i++) {
        view.h[i].rest_length = length[i - first];
    }
    return status;
}

/* ---- what can be measured ---- */

static void measure_position(const FilWorld* world, FilId rod, int node, double* out)
{
    View view;
    if (see(world, rod, &view)) {
        fil_v3_copy(out, view.q + 4 * node);
    }
}

static void measure_velocity(const FilWorld* world, FilId rod, int node, double* out)
{
    View view;
    if (see(world, rod, &view)) {
        fil_v3_copy(out, view.v + 4 * node);
    }
}

static void measure_angle(const FilWorld* world, FilId rod, int edge, double* out)
{
    View view;
    if (see(world, rod, &view)) {
        out[0] = view.q[4 * edge + 3];
    }
}

static void measure_tension(const FilWorld* world, FilId rod, int edge, double* out)
{
    View view;
    if (see(world, rod, &view)) {
        out[0] = fil_rod_edge_tension(view.rod, view.q, view.h, edge);
    }
}

/* Towards m1 and m2. */
static void measure_curvature(const FilWorld* world, FilId rod, int node, double* out)
{
    View view;
    if (see(world, rod, &view)) {
        fil_rod_node_curvature(view.rod, view.q, view.h, node, out);
    }
}

static void measure_twist(const FilWorld* world, FilId rod, int node, double* out)
{
    View view;
    if (see(world, rod, &view)) {
        out[0] = view.h[node].twist / view.rod->voronoi[node];
    }
}

/* Of the nodes, all alike. */
static void measure_mean_position(const FilWorld* world, FilId rod, int index, double* out)
{
    (void)index;
    View view;
    if (see(world, rod, &view)) {
        fil_v3_set(out, 0.0, 0.0, 0.0);
        for (int i = 0; i < view.rod->node_count; i++) {
            fil_v3_axpy(out, 1.0 / view.rod->node_count, view.q + 4 * i);
        }
    }
}

static void measure_length(const FilWorld* world, FilId rod, int index, double* out)
{
    (void)index;
    out[0] = fil_rod_length(world, rod);
}

static void measure_end_distance(const FilWorld* world, FilId rod, int index, double* out)
{
    (void)index;
    View view;
    if (see(world, rod, &view)) {
        const double *first = view.q, *last = view.q + 4 * (view.rod->node_count - 1);
        out[0] = hypot(hypot(last[0] - first[0], last[1] - first[1]), last[2] - first[2]);
    }
}

static const FilPart parts[] = {{"node", "nodes", fil_rod_node_count}, {"edge", "edges", fil_rod_edge_count}};

static const FilQuantity quantities[] = {
    {"position", &parts[0], 3, "m", measure_position, NULL},       {"velocity", &parts[0], 3, "m/s", measure_velocity, NULL},
    {"angle", &parts[1], 1, "rad", measure_angle, NULL},           {"tension", &parts[1], 1, "N", measure_tension, NULL},
    {"curvature", &parts[0], 2, "rad/m", measure_curvature, NULL}, {"twist", &parts[0], 1, "rad/m", measure_twist, NULL},
    {"mean_position", NULL, 3, "m", measure_mean_position, NULL},  {"length", NULL, 1, "m", measure_length, NULL},
    {"end_distance", NULL, 1, "m", measure_end_distance, NULL},
};

const FilKindRow fil_rod_row = {"rod", "a rod", fil_rod_name, fil_world_find_rod, FIL_ROWS(parts), FIL_ROWS(quantities)};
