/* Solids: their mesh; each triangle of the surface is drawn. */
#include <stdio.h>

#include "view/show.h"

static void print(const FilWorld* world, FilId solid)
{
    const double degree = FIL_PI / 180.0;
    FilSolidQuality quality;
    printf("  %-16s %d vertices, %d elements, %s, %g kg\n", fil_solid_name(world, solid), fil_solid_vertex_count(world, solid),
           fil_solid_tet_count(world, solid), fil_solid_model_name(fil_solid_model(world, solid)), fil_solid_mass(world, solid));
    if (fil_solid_quality(world, solid, &quality) == FIL_OK) {
        printf("  %-16s angles of %.1f to %.1f degrees; worst element %d, radius ratio %.2f\n", "", quality.min_dihedral / degree,
               quality.max_dihedral / degree, quality.worst + 1, quality.min_radius_ratio);
    }
}

static bool control(const FilWorld* world, FilId solid, int chamber, FilShownControl* out)
{
    // of a tenth of a bar: what membranes and soft fingers bear
    static const double usual = 1e4;
    *out = fil_show_chamber(fil_solid_chamber_pressure(world, solid, chamber), usual);
    return true;
}

const FilShowKind fil_show_solid = {
    .heading = "solids",
    .count = fil_world_solid_count,
    .at = fil_world_solid_at,
    .name = fil_solid_name,
    .print = print,
    .look = fil_world_look,
    .control_count = fil_solid_chamber_count,
    .control = control,
    .set_control = fil_solid_set_pressure,
    .vertex_count = fil_solid_vertex_count,
    .triangle_count = fil_solid_triangle_count,
    .triangle = fil_solid_get_triangle,
    .vertex = fil_solid_get_position,
    .closed = true,
};
