/* Rigid bodies: how they move, and their shapes. */
#include <stdio.h>

#include "view/show.h"

static void print_shape(const FilShapeDef* shape)
{
    switch (shape->type) {
        case FIL_SHAPE_SPHERE:
            printf("sphere, radius %g m", shape->radius);
            break;
        case FIL_SHAPE_CAPSULE:
            printf("capsule, radius %g m, length %g m", shape->radius, shape->length);
            break;
        case FIL_SHAPE_CYLINDER:
            printf("cylinder, radius %g m, length %g m", shape->radius, shape->length);
            break;
        case FIL_SHAPE_BOX:
            printf("box, %g x %g x %g m", shape->size.x, shape->size.y, shape->size.z);
            break;
        case FIL_SHAPE_HALF_SPACE:
            printf("half-space");
            break;
        case FIL_SHAPE_HULL:
        case FIL_SHAPE_MESH:
            printf(shape->triangle_count > 0 ? "mesh of %d points" : "convex hull of %d points", shape->point_count);
            break;
        case FIL_SHAPE_REVOLUTION:
            printf("surface of revolution through %d radii, length %g m", shape->radius_count, shape->length);
            break;
    }
}

static void print(const FilWorld* world, FilId body)
{
    static const char* const motions[] = {[FIL_STATIC] = "static", [FIL_KINEMATIC] = "kinematic", [FIL_DYNAMIC] = "dynamic"};
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

/* What is seen, else what collides. */
static int shape_count(const FilWorld* world, FilId body)
{
    const int visuals = fil_world_visual_count(world, body);
    return visuals > 0 ? visuals : fil_rigid_shape_count(world, body);
}

static void shape(const FilWorld* world, FilId body, int index, FilShownShape* out)
{
    *out = (FilShownShape){.moves = fil_rigid_motion(world, body) != FIL_STATIC};
    if (fil_world_visual_count(world, body) > 0) {
        const FilVisual visual = fil_world_visual(world, body, index);
        out->def = visual.shape;
        out->colored = visual.colored;
        out->color = visual.color;
    } else {
        out->def = fil_rigid_shape(world, body, index);
    }
    fil_rigid_get_pose(world, body, &out->position, &out->orientation);
}

static bool grip(const FilWorld* world, FilId body, int index, FilShownGrip* out)
{
    (void)index;
    *out = (FilShownGrip){.object = body, .turns = true, .center = fil_rigid_mass_center(world, body)};
    return fil_rigid_motion(world, body) == FIL_DYNAMIC;
}

const FilShowKind fil_show_rigid = {
    .heading = "rigid",
    .count = fil_world_rigid_count,
    .at = fil_world_rigid_at,
    .name = fil_rigid_name,
    .print = print,
    .look = fil_world_look,
    .shape_count = shape_count,
    .shape = shape,
    .grip = grip,
};
