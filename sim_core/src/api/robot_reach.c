/* Kinematics and dynamics of robots for joint positions that they need not have. */
#include <math.h>
#include <string.h>

#include "api/give.h"
#include "api/robot_view.h"
#include "base/memory.h"
#include "base/quat.h"

/* The state's coordinates with these positions of the joints, and as much room again; NULL if there is no memory. */
static double* coordinates_of(const FilRobotView* view, const double* positions)
{
    const size_t count = (size_t)view->impl->q_count;
    double* q = fil_alloc(2 * count + 1, sizeof(double));
    if (q != NULL) {
        memcpy(q, view->q, count * sizeof(double));
        for (int j = 0; j < view->impl->joint_count; j++) {
            q[view->impl->bodies[view->impl->joints[j].body].q] = positions[j];
        }
    }
    return q;
}

static void give_positions(const FilRobotView* view, const double* q, double* positions)
{
    for (int j = 0; j < view->impl->joint_count; j++) {
        positions[j] = q[view->impl->bodies[view->impl->joints[j].body].q];
    }
}

void fil_robot_place_link(const FilWorld* world, FilId id, int link, const double* positions, FilVec3* position, FilQuat* orientation)
{
    FilRobotView view;
    double* q = NULL;
    if (fil_robot_see_link(world, id, link, &view) && positions != NULL) {
        q = coordinates_of(&view, positions);
    }
    if (q == NULL) {
        fil_give_no_pose(position, orientation);
        return;
    }
    FilPose pose;
    fil_articulated_link_pose(view.impl, q, link, &pose);
    fil_give_vec3(position, pose.p);
    fil_give_quat(orientation, fil_quat_from_m3(pose.r));
    fil_free(q);
}

FilReachDef fil_reach_def_default(void)
{
    // tolerance: a nm, far below what joints are known by and far above rounding of a metre. Iterations: a bound only,
    // beyond which a pose is out of reach
    return (FilReachDef){.orientation = {0.0, 0.0, 0.0, 1.0}, .tolerance = 1e-9, .max_iterations = 200};
}

static FilStatus check_joints(FilWorld* world, const FilRobotView* view, const int* joints, int count)
{
    for (int k = 0; k < count && joints != NULL; k++) {
        if (!fil_world_has_part(world, "robot", view->robot->name, "joint", joints[k], view->impl->joint_count)) {
            return FIL_BAD_INPUT;
        }
    }
    return FIL_OK;
}

static FilStatus check_reach(FilWorld* world, const FilRobotView* view, const FilReachDef* def, const double* positions)
{
    const char* name = view->robot->name;
    const double numbers[] = {def->position.x, def->position.y, def->position.z, def->tolerance, def->posture_share};
    if (!fil_all_finite(numbers, 5) || !fil_all_finite(positions, view->impl->joint_count) ||
        (def->posture != NULL && !fil_all_finite(def->posture, view->impl->joint_count))) {
        return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': a number of the pose to reach is not finite", name);
    }
    if (!(def->tolerance > 0.0) || def->max_iterations < 0 || def->joint_count < 0 || !(def->posture_share >= 0.0 && def->posture_share <= 1.0)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': a pose to reach needs a tolerance above 0, iterations and a share within 0 and 1",
                              name);
    }
    return check_joints(world, view, def->joints, def->joint_count);
}

FilStatus fil_robot_reach(FilWorld* world, FilId id, const FilReachDef* given, double* positions)
{
    FilRobotView view;
    if (given == NULL || positions == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "a pose to reach needs a definition and positions of joints");
    }
    if (!fil_robot_see_link(world, id, given->link, &view)) {
        return FIL_BAD_INPUT;
    }
    FilReachDef def = *given;
    FilStatus status = check_reach(world, &view, &def, positions);
    if (status == FIL_OK && !fil_quat_normalise(&def.orientation)) {
        status = fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': the orientation to reach is no rotation", view.robot->name);
    }
    double* q = status == FIL_OK ? coordinates_of(&view, positions) : NULL;
    if (q == NULL) {
        return status != FIL_OK ? status : fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    FilError inner;
    status = fil_articulated_reach(view.impl, &def, q, q + view.impl->q_count, &inner);
    if (status != FIL_OK) {
        status = fil_world_fail(world, status, "robot '%s': %s", view.robot->name, inner.text);
    }
    if (status == FIL_OK) {
        give_positions(&view, q, positions);
    }
    fil_free(q);
    return status;
}

FilLinkMotionDef fil_link_motion_def_default(void)
{
    // the node's teleop_damping, a cm per rad: joints that move the link by less are spared near singular postures, at the cost of a lag there; a
    // period of control at 100 Hz
    return (FilLinkMotionDef){.damping = 0.01, .period = 0.01};
}

static FilStatus check_motion(FilWorld* world, const FilRobotView* view, const FilLinkMotionDef* def, const double* positions)
{
    const char* name = view->robot->name;
    const double numbers[] = {def->velocity.x, def->velocity.y, def->velocity.z, def->angular.x, def->angular.y, def->angular.z};
    if (!fil_all_finite(numbers, 6) || !fil_all_finite(positions, view->impl->joint_count)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': a number of the motion of a link is not finite", name);
    }
    if (!(def->period > 0.0 && def->period < INFINITY) || !(def->damping > 0.0 && def->damping < INFINITY) || def->joint_count < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': the motion of a link needs a period and a damping above 0", name);
    }
    return check_joints(world, view, def->joints, def->joint_count);
}

FilStatus fil_robot_move_link(FilWorld* world, FilId id, const FilLinkMotionDef* def, double* positions)
{
    FilRobotView view;
    if (def == NULL || positions == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "the motion of a link needs a definition and positions of joints");
    }
    if (!fil_robot_see_link(world, id, def->link, &view)) {
        return FIL_BAD_INPUT;
    }
    FilStatus status = check_motion(world, &view, def, positions);
    double* q = status == FIL_OK ? coordinates_of(&view, positions) : NULL;
    if (q == NULL) {
        return status != FIL_OK ? status : fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if (fil_articulated_move_link(view.impl, def, q, q + view.impl->q_count)) {
        give_positions(&view, q, positions);
    } else {
        status = fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': no motion of joints moves link '%s' as wanted", view.robot->name,
                                view.impl->links[def->link].name);
    }
    fil_free(q);
    return status;
}

static bool is_finite_or_absent(const double* numbers, int count)
{
    return numbers == NULL || fil_all_finite(numbers, count);
}

FilStatus fil_robot_inverse_dynamics(FilWorld* world, FilId id, const double* positions, const double* velocities, const double* accelerations,
                                     bool gravity, double* efforts)
{
    FilRobotView view;
    if (!fil_robot_see(world, id, &view)) {
        return FIL_BAD_INPUT;
    }
    FilArticulated* robot = view.impl;
    const int joints = robot->joint_count;
    if (efforts == NULL || !is_finite_or_absent(positions, joints) || !is_finite_or_absent(velocities, joints) ||
        !is_finite_or_absent(accelerations, joints)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "robot '%s': inverse dynamics need finite numbers and room for efforts", view.robot->name);
    }
    const size_t count = (size_t)robot->q_count, unknowns = (size_t)robot->v_count;
    double* q = fil_alloc(count + 3 * unknowns + 1, sizeof(double));
    if (q == NULL) {
        return fil_world_fail(world, FIL_OUT_OF_MEMORY, "out of memory");
    }
    double *v = q + count, *a = v + unknowns, *force = a + unknowns;
    memset(v, 0, 3 * unknowns * sizeof(double));
    memcpy(q, view.q, count * sizeof(double));
    for (int j = 0; j < joints; j++) {
        const FilTreeBody* body = &robot->bodies[robot->joints[j].body];
        q[body->q] = positions != NULL ? positions[j] : q[body->q];
        v[body->v] = velocities != NULL ? velocities[j] : 0.0;
        a[body->v] = accelerations != NULL ? accelerations[j] : 0.0;
    }
    const double pull[3] = {gravity ? world->def.gravity.x : 0.0, gravity ? world->def.gravity.y : 0.0, gravity ? world->def.gravity.z : 0.0};
    const bool loaded = robot->loaded;
    robot->loaded = false;  // loads are those of the last step
    fil_articulated_inverse(robot, q, v, a, pull, force);
    robot->loaded = loaded;
    for (int j = 0; j < joints; j++) {
        efforts[j] = force[robot->bodies[robot->joints[j].body].v];
    }
    fil_free(q);
    return FIL_OK;
}
