/* Round rods on a half-space touch it with their nodes. The edges before and behind a node both do, at the same point, and what one of them bears
 * the other could: two contacts with half the stiffness each say no more than one on the mean of both motions,
 *     u = (u_0 + u_1)/2,   gamma on it is gamma/2 on either edge,
 * which is also what two would share at equal slip. */
#include <math.h>

#include "base/extrema.h"
#include "base/vec3.h"
#include "collision/collision.h"

bool fil_collision_meets_by_nodes(const FilCollisionStage* stage, const FilWorldCollider* row, const FilWorldCollider* plane)
{
    // couples that cords leave to the plane are of one edge (contacts.c)
    return stage->wants.nodes && !stage->by_edges && plane->unbounded && plane->collider.shape.kind == FIL_PRIMITIVE_HALF_SPACE &&
           row->collider.twists && (!row->collider.boxes || stage->wants.round) && stage->patches.compliant == 0 &&
           !fil_collision_surface(stage, row, plane).single_point;
}

/* A row above a plane. */
typedef struct Above {
    FilCollisionStage* stage;
    int row, plane;
    double up[3], dt;
    bool joined, still; /* the row has a joint with the plane; the plane does not move */
    FilContact like;    /* of nodes between edges of radius `radius` */
    double radius;      /* 0: none yet */
} Above;

/* Whether an edge, or none (-1), may touch. */
static bool takes_part(const Above* above, int edge)
{
    return edge >= 0 && !(above->joined && fil_collision_at_joint(above->stage, above->row, edge, above->plane, 0));
}

/* Whether a contact at a node x of an edge is near enough: no farther than its faster end and the plane there could move. */
static bool is_near(const Above* above, int edge, const double* x, double distance)
{
    const FilWorldCollider *r = &above->stage->colliders[above->row], *s = &above->stage->colliders[above->plane];
    const int next = edge + 1 == r->collider.node_count ? 0 : edge + 1;
    const double around = fmax(above->stage->wants.around, FIL_LOOK_AROUND) * r->collider.radii[edge], *v = r->place.velocities;
    if (distance <= around) {  // whatever it does
        return true;
    }
    const double fastest2 = fmax(fil_v3_dot(v + 4 * edge, v + 4 * edge), fil_v3_dot(v + 4 * next, v + 4 * next));
    const double plane = fil_placement_speed_near(&s->place, x, r->collider.radii[edge]);
    return distance <= FIL_LOOK_AHEAD * above->dt * (sqrt(fastest2) + plane) + around;
}

/* The contact of a node as an end of an edge. */
static FilContactPoint point_of(const Above* above, const double* x, double height, double radius)
{
    FilContactPoint point = {.distance = height - radius};
    fil_v3_copy(point.position, x);
    fil_v3_axpy(point.position, -0.5 * (height + radius), above->up);
    fil_v3_scale(point.normal, above->row < above->plane ? -1.0 : 1.0, above->up);
    return point;
}

static FilStatus add_merged(Above* above, const int edge[2], const FilEdgeAxis axis[2], const FilContactPoint* point)
{
    const double radius = above->stage->colliders[above->row].collider.radii[edge[0]];
    if (above->radius != radius) {
        above->radius = radius;
        fil_collision_describe_nodes(above->stage, above->row, edge[0], above->plane, point->normal, &above->like);
    }
    return fil_collision_emit_node(above->stage, &above->like, edge, axis, above->still, point);
}

/* `axis`: of the edges before and behind the node, where they are there. */
static FilStatus meet_node(Above* above, int node, const FilEdgeAxis axis[2])
{
    const FilWorldCollider *r = &above->stage->colliders[above->row], *s = &above->stage->colliders[above->plane];
    const FilCollider* c = &r->collider;
    const int before = node > 0 ? node - 1 : (c->closed ? c->edge_count - 1 : -1), behind = node < c->edge_count ? node : -1;
    const int edge[2] = {takes_part(above, before) ? before : -1, takes_part(above, behind) ? behind : -1};
    const double* x = r->place.nodes + 4 * node;
    double from[3];
    fil_v3_sub(from, x, s->place.pose.p);
    const double height = fil_v3_dot(from, above->up);
    if (edge[0] >= 0 && edge[1] >= 0 && c->radii[edge[0]] == c->radii[edge[1]]) {
        const FilContactPoint point = point_of(above, x, height, c->radii[edge[0]]);
        return is_near(above, edge[0], x, point.distance) || is_near(above, edge[1], x, point.distance) ? add_merged(above, edge, axis, &point)
                                                                                                        : FIL_OK;
    }
    FilStatus status = FIL_OK;
    for (int e = 0; e < 2 && status == FIL_OK; e++) {
        if (edge[e] < 0) {
            continue;
        }
        FilContactPoint point = point_of(above, x, height, c->radii[edge[e]]);
        point.feature = (uint32_t)(1 - e);
        if (is_near(above, edge[e], x, point.distance)) {
            status = above->row < above->plane ? fil_collision_emit(above->stage, above->row, edge[e], above->plane, 0, &point)
                                               : fil_collision_emit(above->stage, above->plane, 0, above->row, edge[e], &point);
        }
    }
    return status;
}

/* Nodes at a time: roots and quotients of their edges' lengths, one after the other, need not wait for what is made of them. */
enum { TOGETHER = 16 };

/* Axes of the edge before node `first` and of `count` more. */
static void find_axes(const FilWorldCollider* row, int first, int count, FilEdgeAxis* axes)
{
    const FilCollider* c = &row->collider;
    for (int k = 0; k <= count; k++) {
        const int before = first + k - 1, edge = before < 0               ? (c->closed ? c->edge_count - 1 : 0)
                                                 : before < c->edge_count ? before
                                                                          : c->edge_count - 1;
        const double *from = row->place.nodes + 4 * edge, *to = row->place.nodes + 4 * (edge + 1 == c->node_count ? 0 : edge + 1);
        double e[3];
        fil_v3_sub(e, to, from);
        axes[k].per_length = 1.0 / fil_v3_norm(e);
        fil_v3_scale(axes[k].t, axes[k].per_length, e);
    }
}

/* Of a row's fastest node. */
static double fastest_of(const FilWorldCollider* row)
{
    double square = 0.0;
    for (int k = 0; k < row->collider.node_count; k++) {
        const double* v = row->place.velocities + 4 * k;
        square = fil_max(square, fil_v3_dot(v, v));
    }
    return sqrt(square);
}

FilStatus fil_collision_meet_nodes(FilCollisionStage* stage, int row, int plane, double dt)
{
    const FilWorldCollider *r = &stage->colliders[row], *s = &stage->colliders[plane];
    Above above = {.stage = stage, .row = row, .plane = plane, .dt = dt, .joined = fil_collision_joined(stage, row, plane)};
    above.still = !s->collider.movable && !s->place.turns && s->place.speed == 0.0;
    fil_pose_axis(above.up, &s->place.pose, 2);
    // above the plane by more than all could move, whichever way: what slides hovers under SAP's convex friction, by dt mu times its speed
    double lowest = 0.0;
    for (int k = 0; k < 3; k++) {
        lowest += above.up[k] * ((above.up[k] > 0.0 ? r->bounds.lo[k] : r->bounds.hi[k]) - s->place.pose.p[k]);
    }
    double reach = FIL_LOOK_AHEAD * dt * fil_collision_speed_near(s, &r->bounds);
    reach += lowest > reach ? FIL_LOOK_AHEAD * dt * fastest_of(r) : 0.0;
    FilStatus status = FIL_OK;
    for (int first = 0; first < r->collider.node_count && lowest <= reach; first += TOGETHER) {
        const int left = r->collider.node_count - first, count = left < TOGETHER ? left : TOGETHER;
        FilEdgeAxis axes[TOGETHER + 1];
        find_axes(r, first, count, axes);
        for (int k = 0; k < count && status == FIL_OK; k++) {
            status = meet_node(&above, first + k, axes + k);
        }
    }
    return status;
}
