/* Soft arms: sections, chambers, base; their disks are drawn. */
#include <stdio.h>

#include "view/show.h"

static void print(const FilWorld* world, FilId arm)
{
    FilVec3 position;
    FilQuat orientation;
    double length = 0.0;
    for (int k = 0; k < fil_arm_section_count(world, arm); ++k) {
        length += fil_arm_shape(world, arm, k).length;
    }
    fil_arm_disk_pose(world, arm, 0, &position, &orientation);
    printf("  %-16s %d sections, %d chambers, %d disks, length %.6g m\n", fil_arm_name(world, arm), fil_arm_section_count(world, arm),
           fil_arm_chamber_count(world, arm), fil_arm_disk_count(world, arm), length);
    printf("  %-16s base %s at %g %g %g m\n", "", fil_arm_base_moves(world, arm) ? "moves, now" : "fixed", position.x, position.y, position.z);
}

static void shape(const FilWorld* world, FilId arm, int index, FilShownShape* out)
{
    *out = (FilShownShape){.def = fil_shape_def_default(), .moves = true};
    out->def.type = FIL_SHAPE_CYLINDER;
    fil_arm_disk_size(world, arm, index, &out->def.radius, &out->def.length);
    fil_arm_disk_pose(world, arm, index, &out->position, &out->orientation);
}

static bool grip(const FilWorld* world, FilId arm, int index, FilShownGrip* out)
{
    FilQuat orientation;
    *out = (FilShownGrip){.object = arm, .part = index, .turns = true};
    fil_arm_disk_pose(world, arm, index, &out->center, &orientation);
    return true;
}

static bool control(const FilWorld* world, FilId arm, int chamber, FilShownControl* out)
{
    // valves of such arms give a bar or so
    static const double usual = 1e5;
    *out = fil_show_chamber(fil_arm_pressure(world, arm, chamber), usual);
    return true;
}

const FilShowKind fil_show_arm = {
    .heading = "arms",
    .count = fil_world_arm_count,
    .at = fil_world_arm_at,
    .name = fil_arm_name,
    .print = print,
    .look = fil_world_look,
    .shape_count = fil_arm_disk_count,
    .shape = shape,
    .grip = grip,
    .sleeve = true,
    .control_count = fil_arm_chamber_count,
    .control = control,
    .set_control = fil_arm_set_pressure,
};
