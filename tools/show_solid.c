/* Solids: their mesh; each triangle of the surface is drawn. */
#include <stdio.h>

#include "show.h"

static void print(const FilWorld* world, FilId solid)
{
    printf("  %-16s %d vertices, %d elements, %s, %g kg\n", fil_solid_name(world, solid),
           fil_solid_vertex_count(world, solid), fil_solid_tet_count(world, solid),
           fil_solid_model_name(fil_solid_model(world, solid)), fil_solid_mass(world, solid));
}

static void outline(const FilView* view, const FilWorld* world, FilId solid, FilOutline* outlines)
{
    for (int t = 0; t < fil_solid_triangle_count(world, solid); ++t) {
        int vertices[3];
        double corners[3][3];
        fil_solid_get_triangle(world, solid, t, vertices);
        for (int k = 0; k < 3; ++k) {
            fil_solid_get_position(world, solid, vertices[k], corners[k]);
        }
        fil_outline_triangle(view, corners, &outlines[t]);
    }
}

const FilShowKind fil_show_solid = {
    .heading = "solids",
    .count = fil_world_solid_count,
    .at = fil_world_solid_at,
    .print = print,
    .outline_count = fil_solid_triangle_count,
    .outline = outline,
};
