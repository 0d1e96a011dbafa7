/* Rings: where they are on their rods; drawn as balls, for the world does not tell how wide a ring is. */
#include <math.h>
#include <stdio.h>

#include "show.h"

#define BALL 3.0 /* radius of the ball, by that of the thickest rod; chosen: stands out of the tube that it is on */

static void print(const FilWorld* world, FilId ring)
{
    if (fil_ring_threaded(world, ring)) {
        printf("  %-16s threaded, %.6g m along its rods\n", fil_ring_name(world, ring), fil_ring_travel(world, ring));
    } else {
        printf("  %-16s fallen off\n", fil_ring_name(world, ring));
    }
}

static int outline_count(const FilWorld* world, FilId ring)
{
    (void)world;
    (void)ring;
    return 1;
}

static void outline(const FilView* view, const FilWorld* world, FilId ring, FilOutline* outlines)
{
    FilShapeDef ball = fil_shape_def_default();
    ball.type = FIL_TYPE_SPHERE;
    ball.radius = 0.0;
    for (int r = 0; r < fil_world_rod_count(world); ++r) {
        ball.radius = fmax(ball.radius, BALL * fil_rod_radius(world, fil_world_rod_at(world, r), 0));
    }
    fil_outline_shape(view, &ball, fil_ring_position(world, ring), (FilQuat){0.0, 0.0, 0.0, 1.0}, true, outlines);
}

const FilShowKind fil_show_ring = {
    .heading = "rings",
    .count = fil_world_ring_count,
    .at = fil_world_ring_at,
    .print = print,
    .outline_count = outline_count,
    .outline = outline,
};
