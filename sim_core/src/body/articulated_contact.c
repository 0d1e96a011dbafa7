/* What a tree of links shows to collision and joints: the shapes of its links, and behind them the links themselves. */
#include <string.h>

#include "base/vec3.h"
#include "body/articulated.h"

/* Shapes come first, then links. */
int fil_articulated_collider_link(const FilArticulated* robot, int index)
{
    return index < robot->shape_count ? robot->shape_link[index] : index - robot->shape_count;
}

int fil_articulated_carrier(const FilArticulated* robot, int link)
{
    int first = 0;
    while (robot->links[first].body != robot->links[link].body) {
        first++;
    }
    return first;
}

int fil_articulated_collider_count(const void* pointer)
{
    return ((const FilArticulated*)pointer)->shape_count;
}

void fil_articulated_collider(const void* pointer, int index, FilCollider* out)
{
    const FilArticulated* robot = pointer;
    const int link = robot->shape_link[index];
    *out = (FilCollider){.kind = FIL_COLLIDER_SHAPE,
                         .object = link,
                         .part = index - robot->links[link].first_shape,
                         .carrier = fil_articulated_carrier(robot, link),
                         .movable = robot->links[link].body >= 0,
                         .collision = robot->collision,
                         .shape = robot->shapes[index].shape};
}

void fil_articulated_placement(const void* pointer, int index, const double* q, const double* v, FilPlacement* out)
{
    const FilArticulated* robot = pointer;
    const int link = robot->shape_link[index];
    FilPose pose;
    double velocity[3], angular[3];
    fil_articulated_link_pose(robot, q, link, &pose);
    fil_articulated_link_velocity(robot, q, v, link, pose.p, velocity, angular);
    const double spin = robot->links[link].reach * fil_v3_norm(angular);
    *out = (FilPlacement){.speed = fil_v3_norm(velocity) + spin, .has_velocity = true, .spin = spin};
    fil_v3_copy(out->velocity, velocity);
    fil_pose_compose(&out->pose, &pose, &robot->shapes[index].pose);
}

void fil_articulated_part(const void* pointer, int index, int part, const double* q, const double* h, FilShape* shape, FilPose* pose)
{
    const FilArticulated* robot = pointer;
    FilPose own;
    fil_articulated_frame(robot, index, part, q, h, &own);
    *shape = robot->shapes[index].shape;
    fil_pose_compose(pose, &own, &robot->shapes[index].pose);
}

void fil_articulated_frame(const void* pointer, int index, int part, const double* q, const double* h, FilPose* pose)
{
    (void)part, (void)h;
    const FilArticulated* robot = pointer;
    fil_articulated_link_pose(robot, q, fil_articulated_collider_link(robot, index), pose);
}

/* Parts of one body, or neighbours in the tree, which overlap at their joint. */
bool fil_articulated_joined(const void* pointer, int index_a, int part_a, int index_b, int part_b)
{
    (void)part_a, (void)part_b;
    const FilArticulated* robot = pointer;
    const int a = robot->links[fil_articulated_collider_link(robot, index_a)].body,
              b = robot->links[fil_articulated_collider_link(robot, index_b)].body;
    return !robot->collision.self || a == b || (a >= 0 && robot->bodies[a].parent == b) || (b >= 0 && robot->bodies[b].parent == a);
}

/* Columns of the unknowns that move a link; `point` NULL: of its angular velocity. */
static int columns_of(const FilArticulated* robot, int link, const double* point, const double* q, int* blocks, double* jacobian)
{
    const int body = robot->links[link].body;
    const int last = body >= 0 ? robot->bodies[body].v + robot->bodies[body].dofs - 1 : -1;
    int count = 0;
    fil_articulated_place(robot, q);
    for (int d = last; d >= 0; d = robot->dof_parent[d]) {
        if (count == 0 || blocks[count - 1] != d / 4) {  // from the link down the numbers only fall
            memset(jacobian + 12 * count, 0, 12 * sizeof(double));
            blocks[count++] = d / 4;
        }
        const double* motion = robot->motion + 6 * d;
        double *column = jacobian + 12 * (count - 1) + d % 4, own[3], arm[3];
        fil_v3_copy(own, motion);
        if (point != NULL) {
            fil_v3_sub(arm, point, robot->origin);
            fil_v3_cross(own, motion, arm);
            fil_v3_add(own, own, motion + 3);
        }
        column[0] = own[0];
        column[4] = own[1];
        column[8] = own[2];
    }
    return count;
}

int fil_articulated_point_jacobian(const void* pointer, int index, int part, const double* point, const double* q, int* blocks, double* jacobian,
                                   double* bias)
{
    (void)part;
    const FilArticulated* robot = pointer;
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    return columns_of(robot, fil_articulated_collider_link(robot, index), point, q, blocks, jacobian);
}

int fil_articulated_turn_jacobian(const void* pointer, int index, int part, const double* q, int* blocks, double* jacobian, double* bias)
{
    (void)part;
    const FilArticulated* robot = pointer;
    fil_v3_set(bias, 0.0, 0.0, 0.0);
    return columns_of(robot, fil_articulated_collider_link(robot, index), NULL, q, blocks, jacobian);
}

/* ---- links as places ---- */

int fil_articulated_place_count(const void* pointer)
{
    return ((const FilArticulated*)pointer)->link_count;
}

void fil_articulated_place_velocity(const void* pointer, int place, const double* q, const double* v, double* velocity)
{
    FilPose pose;
    double angular[3];
    fil_articulated_link_pose(pointer, q, place, &pose);
    fil_articulated_link_velocity(pointer, q, v, place, pose.p, velocity, angular);
}

/* Links stand behind the shapes. */
FilStatus fil_articulated_side(const void* pointer, int object, int node, const double* q, FilBodySide* side, FilError* error)
{
    (void)node, (void)q, (void)error;
    const FilArticulated* robot = pointer;
    side->index = object + robot->shape_count;
    side->carrier = fil_articulated_carrier(robot, object);
    return FIL_OK;
}

int fil_articulated_carrier_of(const void* pointer, int object)
{
    return fil_articulated_carrier(pointer, object);
}
