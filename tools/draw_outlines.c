#include "draw_outlines.h"

#include <math.h>

#include "base/vec3.h"
#include "geometry/pose.h"

static FilPose pose_of(FilVec3 position, FilQuat orientation)
{
    FilPose pose;
    fil_v3_set(pose.p, position.x, position.y, position.z);
    fil_m3_from_quat(pose.r, orientation);
    return pose;
}

/* The point of a shape farthest along a direction, both in its own frame. */
static void farthest(const FilShapeDef* shape, const double* d, double* out)
{
    const double across = hypot(d[0], d[1]), end = copysign(0.5 * shape->length, d[2]);
    double best = -INFINITY;
    fil_v3_set(out, 0.0, 0.0, 0.0);  // a half-space, which has no outline
    switch (shape->type) {
        case FIL_TYPE_SPHERE:
        case FIL_TYPE_CAPSULE:
            fil_v3_scale(out, shape->radius / fil_v3_norm(d), d);
            out[2] += shape->type == FIL_TYPE_CAPSULE ? end : 0.0;
            break;
        case FIL_TYPE_CYLINDER:
            fil_v3_set(out, across > 0.0 ? shape->radius * d[0] / across : 0.0,
                       across > 0.0 ? shape->radius * d[1] / across : 0.0, end);
            break;
        case FIL_TYPE_BOX:
            fil_v3_set(out, copysign(0.5 * shape->size.x, d[0]), copysign(0.5 * shape->size.y, d[1]),
                       copysign(0.5 * shape->size.z, d[2]));
            break;
        case FIL_TYPE_HULL:
        case FIL_TYPE_MESH:
            for (int i = 0; i < shape->point_count; ++i) {
                if (fil_v3_dot(shape->points + 3 * i, d) > best) {
                    best = fil_v3_dot(shape->points + 3 * i, d);
                    fil_v3_copy(out, shape->points + 3 * i);
                }
            }
            break;
        case FIL_TYPE_HALF_SPACE:
            break;
    }
}

typedef struct View {
    const double *right, *up, *toward;
} View;

static void outline(const View* view, const FilShapeDef* shape, const FilPose* pose, FilOutline* out)
{
    for (int k = 0; k < FIL_OUTLINE_CORNERS; ++k) {
        const double angle = 2.0 * FIL_PI * k / FIL_OUTLINE_CORNERS;
        double direction[3], local[3], point[3];
        fil_v3_scale(direction, cos(angle), view->right);
        fil_v3_axpy(direction, sin(angle), view->up);
        fil_m3_apply_transposed(local, pose->r, direction);
        farthest(shape, local, point);
        fil_m3_apply(local, pose->r, point);
        fil_v3_add(local, local, pose->p);
        out->corner[2 * k] = fil_v3_dot(view->right, local);
        out->corner[2 * k + 1] = fil_v3_dot(view->up, local);
    }
    out->depth = fil_v3_dot(view->toward, pose->p);
}

int fil_outline_count(const FilWorld* world)
{
    int count = 0;
    for (int b = 0; b < fil_world_rigid_count(world); ++b) {
        const FilId body = fil_world_rigid_at(world, b);
        for (int s = 0; s < fil_rigid_shape_count(world, body); ++s) {
            count += fil_rigid_shape(world, body, s).type != FIL_TYPE_HALF_SPACE;
        }
    }
    for (int a = 0; a < fil_world_arm_count(world); ++a) {
        count += fil_arm_disk_count(world, fil_world_arm_at(world, a));
    }
    for (int r = 0; r < fil_world_robot_count(world); ++r) {
        const FilId robot = fil_world_robot_at(world, r);
        for (int l = 0; l < fil_robot_link_count(world, robot); ++l) {
            count += fil_robot_shape_count(world, robot, l);
        }
    }
    for (int s = 0; s < fil_world_shell_count(world); ++s) {
        count += fil_shell_triangle_count(world, fil_world_shell_at(world, s));
    }
    return count;
}

/* A shape in the frame of its body. */
static FilOutline* outline_in(const View* view, const FilShapeDef* shape, const FilPose* frame, int owner, bool moves,
                              FilOutline* next)
{
    const FilPose own = pose_of(shape->position, shape->orientation);
    FilPose pose;
    fil_pose_compose(&pose, frame, &own);
    next->owner = owner;
    next->moves = moves;
    outline(view, shape, &pose, next);
    return next + 1;
}

static FilOutline* see_robots(const FilWorld* world, const View* view, int owner, FilOutline* next)
{
    for (int r = 0; r < fil_world_robot_count(world); ++r) {
        const FilId robot = fil_world_robot_at(world, r);
        for (int l = 0; l < fil_robot_link_count(world, robot); ++l) {
            FilVec3 position;
            FilQuat orientation;
            fil_robot_link_pose(world, robot, l, &position, &orientation);
            const FilPose frame = pose_of(position, orientation);
            for (int s = 0; s < fil_robot_shape_count(world, robot, l); ++s) {
                const FilShapeDef shape = fil_robot_shape(world, robot, l, s);
                next = outline_in(view, &shape, &frame, owner + r, true, next);
            }
        }
    }
    return next;
}

/* A triangle as the view sees it; the outline's other corners are its last one. */
static void outline_triangle(const View* view, double corners[3][3], FilOutline* out)
{
    double seen[3][3], u[3], v[3];
    out->depth = 0.0;
    for (int k = 0; k < 3; ++k) {
        fil_v3_set(seen[k], fil_v3_dot(view->right, corners[k]), fil_v3_dot(view->up, corners[k]),
                   fil_v3_dot(view->toward, corners[k]));
        out->depth += seen[k][2] / 3.0;
    }
    for (int k = 0; k < FIL_OUTLINE_CORNERS; ++k) {
        const double* corner = seen[k < 2 ? k : 2];
        out->corner[2 * k] = corner[0];
        out->corner[2 * k + 1] = corner[1];
    }
    fil_v3_sub(u, seen[1], seen[0]);
    fil_v3_sub(v, seen[2], seen[0]);
    fil_v3_cross(out->normal, u, v);
    fil_v3_normalise(out->normal);
    fil_v3_scale(out->normal, out->normal[2] < 0.0 ? -1.0 : 1.0, out->normal);
}

static void see_shells(const FilWorld* world, const View* view, int owner, FilOutline* next)
{
    for (int s = 0; s < fil_world_shell_count(world); ++s) {
        const FilId shell = fil_world_shell_at(world, s);
        for (int t = 0; t < fil_shell_triangle_count(world, shell); ++t, ++next) {
            int vertices[3];
            double corners[3][3];
            fil_shell_get_triangle(world, shell, t, vertices);
            for (int k = 0; k < 3; ++k) {
                fil_shell_get_position(world, shell, vertices[k], corners[k]);
            }
            next->owner = owner + s;
            next->moves = next->sheet = true;
            outline_triangle(view, corners, next);
        }
    }
}

void fil_outlines_see(const FilWorld* world, const double* right, const double* up, const double* toward,
                      FilOutline* outlines)
{
    const View view = {right, up, toward};
    const int bodies = fil_world_rigid_count(world);
    FilOutline* next = outlines;
    FilVec3 position;
    FilQuat orientation;
    for (int b = 0; b < bodies; ++b) {
        const FilId body = fil_world_rigid_at(world, b);
        fil_rigid_get_pose(world, body, &position, &orientation);
        const FilPose frame = pose_of(position, orientation);
        for (int s = 0; s < fil_rigid_shape_count(world, body); ++s) {
            const FilShapeDef shape = fil_rigid_shape(world, body, s);
            if (shape.type != FIL_TYPE_HALF_SPACE) {
                next = outline_in(&view, &shape, &frame, b, fil_rigid_motion(world, body) != FIL_STATIC, next);
            }
        }
    }
    for (int a = 0; a < fil_world_arm_count(world); ++a) {
        const FilId arm = fil_world_arm_at(world, a);
        for (int d = 0; d < fil_arm_disk_count(world, arm); ++d) {
            FilShapeDef disk = fil_shape_def_default();
            disk.type = FIL_TYPE_CYLINDER;
            fil_arm_disk_size(world, arm, d, &disk.radius, &disk.length);
            fil_arm_disk_pose(world, arm, d, &position, &orientation);
            const FilPose pose = pose_of(position, orientation);
            next->owner = bodies + a;
            next->moves = true;
            outline(&view, &disk, &pose, next++);
        }
    }
    next = see_robots(world, &view, bodies + fil_world_arm_count(world), next);
    see_shells(world, &view, bodies + fil_world_arm_count(world) + fil_world_robot_count(world), next);
}
