/* Shells: their mesh; each triangle is drawn. */
#include <stdio.h>

#include "show.h"

static void print(const FilWorld* world, FilId shell)
{
    printf("  %-16s %d vertices, %d triangles, thickness %g m\n", fil_shell_name(world, shell),
           fil_shell_vertex_count(world, shell), fil_shell_triangle_count(world, shell),
           fil_shell_thickness(world, shell));
}

static void outline(const FilView* view, const FilWorld* world, FilId shell, FilOutline* outlines)
{
    for (int t = 0; t < fil_shell_triangle_count(world, shell); ++t) {
        int vertices[3];
        double corners[3][3];
        fil_shell_get_triangle(world, shell, t, vertices);
        for (int k = 0; k < 3; ++k) {
            fil_shell_get_position(world, shell, vertices[k], corners[k]);
        }
        fil_outline_triangle(view, corners, &outlines[t]);
    }
}

const FilShowKind fil_show_shell = {
    .heading = "shells",
    .count = fil_world_shell_count,
    .at = fil_world_shell_at,
    .print = print,
    .outline_count = fil_shell_triangle_count,
    .outline = outline,
};
