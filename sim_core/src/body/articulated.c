/* The table of a tree of links, and default definitions of its parts. */
#include "body/articulated.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/vec3.h"

FilLinkDef fil_link_def_default(void)
{
    return (FilLinkDef){.name = NULL};
}

FilRobotJointDef fil_robot_joint_def_default(void)
{
    return (FilRobotJointDef){.type = FIL_ROBOT_FIXED,
                              .orientation = {0.0, 0.0, 0.0, 1.0},
                              .axis = {1.0, 0.0, 0.0},
                              .lower = -INFINITY,
                              .upper = INFINITY,
                              .limit_stiffness = INFINITY,
                              .max_effort = INFINITY,
                              .max_velocity = INFINITY,
                              .mimic = -1,
                              .multiplier = 1.0,
                              .start_position = NAN};
}

FilRobotDef fil_robot_def_default(void)
{
    // trajectory_points: of a kB a joint in each copy of the state; the node hands longer ones over part by part
    FilRobotDef def = {.orientation = {0.0, 0.0, 0.0, 1.0}, .collision = fil_collision_default(), .trajectory_points = 128};
    def.collision.self = false;
    return def;
}

FilTrajectoryDef fil_trajectory_def_default(void)
{
    return (FilTrajectoryDef){.interpolation = FIL_INTERPOLATE_SPLINE};
}

/* ---- state and loads ---- */

static int dofs(const void* pointer)
{
    return ((const FilArticulated*)pointer)->dof_count;
}

static void init_state(const void* pointer, double* q, double* v, double* h)
{
    const FilArticulated* robot = pointer;
    memcpy(q, robot->start_q, sizeof(double) * (size_t)robot->q_count);
    memset(v, 0, sizeof(double) * (size_t)robot->v_count);
    memcpy(v, robot->start_v, sizeof(double) * (size_t)robot->dof_count);
    fil_articulated_init_commands(robot, h);
}

static FilStatus attach(void* pointer, int object, const FilAttachmentDef* def, const double* q, const double* h, int* slot, FilError* error)
{
    (void)pointer, (void)object, (void)def, (void)q, (void)h, (void)slot;
    return fil_error(error, FIL_BAD_INPUT, "a robot's link has no attachments; hold it by a joint");
}

static void clear_loads(void* pointer)
{
    FilArticulated* robot = pointer;
    if (robot->loaded) {
        memset(robot->wrench, 0, sizeof(double) * 6 * (size_t)robot->link_count);
        robot->loaded = false;
    }
}

static void load(void* pointer, int object, FilDriveKind kind, int first, int count, const double* value, double* h)
{
    (void)first, (void)count, (void)h;
    FilArticulated* robot = pointer;
    fil_v3_axpy(robot->wrench + 6 * object + (kind == FIL_DRIVE_FORCE ? 0 : 3), 1.0, value);
    robot->loaded = true;
}

static int load_range(const void* pointer, int object, FilDriveKind kind)
{
    const FilArticulated* robot = pointer;
    const bool takes = kind == FIL_DRIVE_FORCE || kind == FIL_DRIVE_TORQUE;
    return takes && robot->links[object].body >= 0 ? 1 : 0;
}

const FilBodyOps fil_articulated_ops = {
    .kind = "robot",
    .destroy = fil_articulated_destroy,
    .dofs = dofs,
    .init_state = init_state,
    .begin = fil_articulated_begin,
    .guess = fil_articulated_guess,
    .evaluate = fil_articulated_evaluate,
    .diagonal = fil_articulated_diagonal,
    .factor = fil_articulated_factor,
    .solve = fil_articulated_solve,
    .finish = fil_articulated_finish,
    .energy = fil_articulated_energy,
    .momentum = fil_articulated_momentum,
    .place_count = fil_articulated_place_count,
    .place_velocity = fil_articulated_place_velocity,
    .attach = attach,
    .clear_loads = clear_loads,
    .load = load,
    .load_range = load_range,
    .collider_count = fil_articulated_collider_count,
    .collider = fil_articulated_collider,
    .place = fil_articulated_placement,
    .part = fil_articulated_part,
    .joined = fil_articulated_joined,
    .frame = fil_articulated_frame,
    .side = fil_articulated_side,
    .carrier = fil_articulated_carrier_of,
    .point_jacobian = fil_articulated_point_jacobian,
    .turn_jacobian = fil_articulated_turn_jacobian,
    .tangent_pattern = fil_articulated_tangent_pattern,
    .tangent = fil_articulated_tangent,
    .given_history = true,
    .constraint_count = fil_articulated_constraint_count,
    .constraint = fil_articulated_constraint,
    .constrained = fil_articulated_constrained,
    .derivative = &fil_articulated_derivative_ops,
};
