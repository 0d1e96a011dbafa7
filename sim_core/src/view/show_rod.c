/* Rods: their sections and stiffness; drawn as tubes. */
#include <stdio.h>

#include "base/number.h"
#include "view/show.h"

static void print_section(const FilSection* section)
{
    switch (section->shape) {
        case FIL_SECTION_CIRCLE:
            printf("circle, radius %g m", section->radius);
            break;
        case FIL_SECTION_TUBE:
            printf("tube, radii %g and %g m", section->radius, section->inner_radius);
            break;
        case FIL_SECTION_RECTANGLE:
            printf("rectangle, %g x %g m", section->width, section->height);
            break;
        case FIL_SECTION_STIFFNESS:
            printf("stiffness given, contact radius %g m", section->radius);
            break;
    }
}

static void print(const FilWorld* world, FilId rod)
{
    const FilSection section = fil_rod_section(world, rod, 0);
    FilStiffness stiffness;
    printf("  %-16s %d nodes, %d edges, %s, length %.6g m\n", fil_rod_name(world, rod), fil_rod_node_count(world, rod),
           fil_rod_edge_count(world, rod), fil_rod_closed(world, rod) ? "closed" : "open", fil_rod_length(world, rod));
    printf("  %-16s ", "");
    print_section(&section);
    printf("\n");
    if (fil_section_stiffness(&section, &stiffness, NULL) == FIL_OK) {
        printf("  %-16s EA %s N, EI %s and %s N m2, GJ %s N m2, %s kg/m\n", "", FIL_SHORT(stiffness.ea, 4), FIL_SHORT(stiffness.ei1, 4),
               FIL_SHORT(stiffness.ei2, 4), FIL_SHORT(stiffness.gj, 4), FIL_SHORT(stiffness.mass_per_length, 4));
    }
}

static FilCurve curve(const FilWorld* world, FilId rod)
{
    const FilSection section = fil_rod_section(world, rod, 0);
    const bool flat = section.shape == FIL_SECTION_RECTANGLE;
    return (FilCurve){.node_count = fil_rod_node_count(world, rod),
                      .edge_count = fil_rod_edge_count(world, rod),
                      .closed = fil_rod_closed(world, rod),
                      .width = flat ? section.width : 0.0,
                      .height = flat ? section.height : 0.0};
}

const FilShowKind fil_show_rod = {
    .heading = "rods",
    .count = fil_world_rod_count,
    .at = fil_world_rod_at,
    .name = fil_rod_name,
    .print = print,
    .look = fil_world_look,
    .curve = curve,
    .curve_radius = fil_rod_radius,
    .curve_nodes = fil_rod_get_positions,
    .curve_node = fil_rod_get_position,
    .curve_length = fil_rod_length,
    .curve_frames = fil_rod_get_frames,
};
