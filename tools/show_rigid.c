/* Rigid bodies: how they move, and their shapes, which are drawn but for half-spaces. */
#include <stdio.h>

#include "show.h"

static void print_shape(const FilShapeDef* shape)
{
    switch (shape->type) {
        case FIL_TYPE_SPHERE:
            printf("sphere, radius %g m", shape->radius);
            break;
        case FIL_TYPE_CAPSULE:
            printf("capsule, radius %g m, length %g m", shape->radius, shape->length);
            break;
        case FIL_TYPE_CYLINDER:
            printf("cylinder, radius %g m, length %g m", shape->radius, shape->length);
            break;
        case FIL_TYPE_BOX:
            printf("box, %g x %g x %g m", shape->size.x, shape->size.y, shape->size.z);
            break;
        case FIL_TYPE_HALF_SPACE:
            printf("half-space");
            break;
        case FIL_TYPE_HULL:
        case FIL_TYPE_MESH:
            printf("convex hull of %d points", shape->point_count);
            break;
        case FIL_TYPE_REVOLUTION:
            printf("surface of revolution through %d radii, length %g m", shape->radius_count, shape->length);
            break;
    }
}

static void print(const FilWorld* world, FilId body)
{
    static const char* const motions[] = {
        [FIL_STATIC] = "static", [FIL_KINEMATIC] = "kinematic", [FIL_DYNAMIC] = "dynamic"};
    const FilMotion motion = fil_rigid_motion(world, body);
    printf("  %-16s %s", fil_rigid_name(world, body), motions[motion]);
    if (motion == FIL_DYNAMIC) {
        printf(", %.6g kg", fil_rigid_mass(world, body));
    }
    printf("\n");
    for (int i = 0; i < fil_rigid_shape_count(world, body); ++i) {
        const FilShapeDef shape = fil_rigid_shape(world, body, i);
        printf("  %-16s ", "");
        print_shape(&shape);
        printf("\n");
    }
}

static int outline_count(const FilWorld* world, FilId body)
{
    int count = 0;
    for (int s = 0; s < fil_rigid_shape_count(world, body); ++s) {
        count += fil_rigid_shape(world, body, s).type != FIL_TYPE_HALF_SPACE;
    }
    return count;
}

static void outline(const FilView* view, const FilWorld* world, FilId body, FilOutline* next)
{
    FilVec3 position;
    FilQuat orientation;
    fil_rigid_get_pose(world, body, &position, &orientation);
    for (int s = 0; s < fil_rigid_shape_count(world, body); ++s) {
        const FilShapeDef shape = fil_rigid_shape(world, body, s);
        if (shape.type != FIL_TYPE_HALF_SPACE) {
            fil_outline_shape(view, &shape, position, orientation, fil_rigid_motion(world, body) != FIL_STATIC, next++);
        }
    }
}

const FilShowKind fil_show_rigid = {
    .heading = "rigid",
    .count = fil_world_rigid_count,
    .at = fil_world_rigid_at,
    .print = print,
    .outline_count = outline_count,
    .outline = outline,
};
