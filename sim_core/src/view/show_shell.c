/* Shells: their mesh; each triangle is drawn. */
#include <stdio.h>

#include "view/show.h"

static void print(const FilWorld* world, FilId shell)
{
    printf("  %-16s %d vertices, %d triangles, thickness %g m\n", fil_shell_name(world, shell), fil_shell_vertex_count(world, shell),
           fil_shell_triangle_count(world, shell), fil_shell_thickness(world, shell));
}

static bool control(const FilWorld* world, FilId shell, int chamber, FilShownControl* out)
{
    // of a tenth of a bar: what membranes and soft fingers bear
    static const double usual = 1e4;
    *out = fil_show_chamber(fil_shell_chamber_pressure(world, shell, chamber), usual);
    return true;
}

const FilShowKind fil_show_shell = {
    .heading = "shells",
    .count = fil_world_shell_count,
    .at = fil_world_shell_at,
    .name = fil_shell_name,
    .print = print,
    .look = fil_world_look,
    .control_count = fil_shell_chamber_count,
    .control = control,
    .set_control = fil_shell_set_pressure,
    .vertex_count = fil_shell_vertex_count,
    .triangle_count = fil_shell_triangle_count,
    .triangle = fil_shell_get_triangle,
    .vertex = fil_shell_get_position,
};
