/* Rings: where they are on their rods; drawn as balls, for the world does not tell how wide a ring is. */
#include <math.h>
#include <stdio.h>

#include "view/show.h"

#define BALL 3.0 /* radius of the ball, by that of the thickest rod; chosen: stands out of the tube that it is on */

static void print(const FilWorld* world, FilId ring)
{
    if (fil_ring_threaded(world, ring)) {
        printf("  %-16s threaded, %.6g m along its rods\n", fil_ring_name(world, ring), fil_ring_travel(world, ring));
    } else {
        printf("  %-16s fallen off\n", fil_ring_name(world, ring));
    }
}

static int shape_count(const FilWorld* world, FilId ring)
{
    (void)world;
    (void)ring;
    return 1;
}

static void shape(const FilWorld* world, FilId ring, int index, FilShownShape* out)
{
    (void)index;
    *out = (FilShownShape){.def = fil_shape_def_default(),
                           .position = fil_ring_position(world, ring),
                           .orientation = {0.0, 0.0, 0.0, 1.0},
                           .moves = true};
    out->def.type = FIL_TYPE_SPHERE;
    out->def.radius = 0.0;
    for (int r = 0; r < fil_world_rod_count(world); ++r) {
        out->def.radius = fmax(out->def.radius, BALL * fil_rod_radius(world, fil_world_rod_at(world, r), 0));
    }
}

static bool grip(const FilWorld* world, FilId ring, int index, FilShownGrip* out)
{
    (void)index;
    *out = (FilShownGrip){.object = ring, .center = fil_ring_position(world, ring)};
    return true;
}

const FilShowKind fil_show_ring = {
    .heading = "rings",
    .count = fil_world_ring_count,
    .at = fil_world_ring_at,
    .name = fil_ring_name,
    .print = print,
    .look = fil_world_look,
    .shape_count = shape_count,
    .shape = shape,
    .grip = grip,
};
