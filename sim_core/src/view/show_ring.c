/* Rings: where they are on their rods; drawn as rings of the width that the rods have to pass. */
#include <math.h>
#include <stdio.h>

#include "base/vec3.h"
#include "geometry/pose.h"
#include "view/show.h"

enum { NODES = 32 }; /* the outline is off by 1 - cos(pi/32), 0.5 % of the radius: below a pixel up to 200 px */

/* thickness, by the radius of what the rod passes: a hoop is a thin one, a ring about a rod stands out of it */
static const double THIN = 0.06, THICK = 0.8;

static void print(const FilWorld* world, FilId ring)
{
    if (fil_ring_threaded(world, ring)) {
        printf("  %-16s radius %.6g m, threaded, %.6g m along its rods\n", fil_ring_name(world, ring), fil_ring_radius(world, ring),
               fil_ring_travel(world, ring));
    } else {
        printf("  %-16s radius %.6g m, fallen off\n", fil_ring_name(world, ring), fil_ring_radius(world, ring));
    }
}

static FilCurve curve(const FilWorld* world, FilId ring)
{
    (void)world;
    (void)ring;
    return (FilCurve){.node_count = NODES, .edge_count = NODES, .closed = true, .plain = true};
}

static double curve_radius(const FilWorld* world, FilId ring, int edge)
{
    (void)edge;
    return (fil_ring_body(world, ring).index != 0 ? THIN : THICK) * fil_ring_radius(world, ring);
}

/* Centre, axis and a direction across it; the rim of a hole turns with its body. */
static void frame_of(const FilWorld* world, FilId ring, double* center, double* axis, double* across)
{
    const FilVec3 x = fil_ring_position(world, ring), a = fil_ring_axis(world, ring);
    const FilId body = fil_ring_body(world, ring);
    fil_v3_set(center, x.x, x.y, x.z);
    fil_v3_set(axis, a.x, a.y, a.z);
    if (body.index == 0) {
        fil_v3_orthogonal(across, axis);
        return;
    }
    FilVec3 place;
    FilQuat turn;
    double rotation[9], own[3], side[3];
    fil_rigid_get_pose(world, body, &place, &turn);
    fil_m3_from_quat(rotation, turn);
    fil_m3_apply_transposed(own, rotation, axis);
    // by a rule that rounding of `own` does not change where axes lie along the body's: what holds a node must find it there again
    const double z[3] = {0.0, 0.0, 1.0}, x_axis[3] = {1.0, 0.0, 0.0};
    // 0.9: not at an axis of the body, where holes have theirs, nor midway between two
    fil_v3_cross(side, own, fabs(own[2]) < 0.9 ? z : x_axis);
    fil_v3_normalise(side);
    fil_m3_apply(across, rotation, side);
}

static void rim(const double* center, const double* axis, const double* across, double radius, int node, double* out)
{
    const double angle = 2.0 * FIL_PI * node / NODES;
    double beside[3];
    fil_v3_cross(beside, axis, across);
    fil_v3_copy(out, center);
    fil_v3_axpy(out, radius * cos(angle), across);
    fil_v3_axpy(out, radius * sin(angle), beside);
}

static void curve_node(const FilWorld* world, FilId ring, int node, double* position)
{
    double center[3], axis[3], across[3];
    frame_of(world, ring, center, axis, across);
    rim(center, axis, across, fil_ring_radius(world, ring) + curve_radius(world, ring, 0), node, position);
}

static void curve_nodes(const FilWorld* world, FilId ring, double* nodes)
{
    double center[3], axis[3], across[3];
    const double radius = fil_ring_radius(world, ring) + curve_radius(world, ring, 0);
    frame_of(world, ring, center, axis, across);
    for (int i = 0; i < NODES; ++i) {
        rim(center, axis, across, radius, i, nodes + 3 * i);
    }
}

static double curve_length(const FilWorld* world, FilId ring)
{
    return 2.0 * FIL_PI * fil_ring_radius(world, ring);
}

/* m1 along the axis, m2 towards the middle */
static void curve_frames(const FilWorld* world, FilId ring, double* edges)
{
    double center[3], axis[3], across[3];
    frame_of(world, ring, center, axis, across);
    for (int i = 0; i < NODES; ++i) {
        double* frame = edges + 9 * i;
        const double origin[3] = {0.0, 0.0, 0.0};
        double out[3], next[3];
        rim(origin, axis, across, 1.0, i, out);
        rim(origin, axis, across, 1.0, i + 1, next);
        fil_v3_copy(frame, axis);
        fil_v3_sub(frame + 6, next, out);
        fil_v3_normalise(frame + 6);
        fil_v3_cross(frame + 3, frame + 6, frame);
    }
}

/* A ring of its own takes forces; a hole is pulled by its body. */
static bool grip(const FilWorld* world, FilId ring, int index, FilShownGrip* out)
{
    (void)index;
    const FilId body = fil_ring_body(world, ring);
    *out = (FilShownGrip){.object = ring, .center = fil_ring_position(world, ring)};
    if (body.index != 0) {
        *out = (FilShownGrip){.object = body, .turns = true, .center = fil_rigid_mass_center(world, body)};
    }
    return true;
}

const FilShowKind fil_show_ring = {
    .heading = "rings",
    .count = fil_world_ring_count,
    .at = fil_world_ring_at,
    .name = fil_ring_name,
    .print = print,
    .look = fil_world_look,
    .curve = curve,
    .curve_radius = curve_radius,
    .curve_nodes = curve_nodes,
    .curve_node = curve_node,
    .curve_length = curve_length,
    .curve_frames = curve_frames,
    .grip = grip,
};
