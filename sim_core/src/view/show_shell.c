/* Shells: their mesh; each triangle is drawn. */
#include <stdio.h>

#include "view/show.h"

static void print(const FilWorld* world, FilId shell)
{
    printf("  %-16s %d vertices, %d triangles, thickness %g m\n", fil_shell_name(world, shell),
           fil_shell_vertex_count(world, shell), fil_shell_triangle_count(world, shell),
           fil_shell_thickness(world, shell));
}

const FilShowKind fil_show_shell = {
    .heading = "shells",
    .count = fil_world_shell_count,
    .at = fil_world_shell_at,
    .name = fil_shell_name,
    .print = print,
    .look = fil_world_look,
    .vertex_count = fil_shell_vertex_count,
    .triangle_count = fil_shell_triangle_count,
    .triangle = fil_shell_get_triangle,
    .vertex = fil_shell_get_position,
};
