#include "teleop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "motion.h"

/* a path that the link cannot follow, at a limit of its joints, waits for it no further away than this: at teleop_gain, 10/s, and
 * teleop_linear and teleop_angular the lag of a link that does follow is as large, 0.02 m and 0.1 rad, so that it is not held back */
#define LEASH 0.02     /* m */
#define TURN_LEASH 0.1 /* rad */

/* the joints of the robot that has the link */
typedef struct Limb {
    FilId robot;
    int link;
} Limb;

static bool find_link(const FilWorld* world, const char* name, Limb* limb)
{
    for (int i = 0; i < fil_world_robot_count(world); i++) {
        limb->robot = fil_world_robot_at(world, i);
        for (limb->link = 0; limb->link < fil_robot_link_count(world, limb->robot); limb->link++) {
            if (strcmp(fil_robot_link_name(world, limb->robot, limb->link), name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool is_world(const char* frame)
{
    return frame[0] == '\0' || strcmp(frame, "world") == 0;
}

static void end(FilTeleop* teleop)
{
    teleop->moves = teleop->on_path = teleop->grips = false;
    teleop->grasp = 0;
}

/* what was commanded is over when another world is loaded, or time goes back */
static void watch_world(FilTeleop* teleop, const FilSimulation* simulation)
{
    const double time = fil_world_time(simulation->world);
    if (teleop->load_count != simulation->load_count || time < teleop->last_time) {
        end(teleop);
    }
    teleop->load_count = simulation->load_count;
    teleop->last_time = time;
}

static bool find_limb(const FilTeleop* teleop, const FilWorld* world, Limb* limb, char reason[FIL_REASON_TEXT])
{
    if (teleop->link[0] == '\0') {
        snprintf(reason, FIL_REASON_TEXT, "no link is teleoperated: set the parameter teleop_link");
        return false;
    }
    if (!find_link(world, teleop->link, limb)) {
        snprintf(reason, FIL_REASON_TEXT, "there is no link '%s', which teleop_link names", teleop->link);
        return false;
    }
    return true;
}

static void begin(FilTeleop* teleop, const FilWorld* world)
{
    teleop->until = teleop->timeout > 0.0 ? fil_world_time(world) + teleop->timeout : INFINITY;
}

bool fil_teleop_move(FilTeleop* teleop, const FilSimulation* simulation, FilVec3 velocity, FilVec3 angular, const char* frame,
                     char reason[FIL_REASON_TEXT])
{
    Limb limb, other;
    frame = frame[0] == '\0' ? teleop->frame : frame;
    watch_world(teleop, simulation);
    if (!find_limb(teleop, simulation->world, &limb, reason)) {
        return false;
    }
    if (strlen(frame) >= sizeof teleop->twist_frame || (!is_world(frame) && !find_link(simulation->world, frame, &other))) {
        snprintf(reason, FIL_REASON_TEXT, "the frame '%.100s' is neither 'world' nor a link", frame);
        return false;
    }
    if (!isfinite(fil_vector_length(velocity)) || !isfinite(fil_vector_length(angular))) {
        snprintf(reason, FIL_REASON_TEXT, "a number is not finite");
        return false;
    }
    begin(teleop, simulation->world);
    teleop->moves = true;
    teleop->velocity = velocity;
    teleop->angular_velocity = angular;
    memmove(teleop->twist_frame, frame, strlen(frame) + 1);
    return true;
}

/* ---- the link's way ---- */

/* where the joints are commanded to be; those that are not by position: where they are */
static void read_positions(const FilWorld* world, FilId robot, double* positions)
{
    for (int j = 0; j < fil_robot_joint_count(world, robot); j++) {
        const FilJointCommand command = fil_robot_joint_command(world, robot, j);
        positions[j] = command.mode == FIL_JOINT_POSITION ? command.position : fil_robot_joint_state(world, robot, j).position;
    }
}

static bool is_between(const FilWorld* world, const Limb* limb, int joint)
{
    int link = limb->link;
    while (link >= 0 && link != fil_robot_joint_link(world, limb->robot, joint)) {
        link = fil_robot_link_parent(world, limb->robot, link);
    }
    return link >= 0 && !fil_robot_joint_mimics(world, limb->robot, joint);
}

/* the rotation vector from one orientation to another, by its shorter way */
static FilVec3 turn_between(FilQuat from, FilQuat to)
{
    FilQuat turn = fil_quat_product(to, fil_quat_conjugate(from));
    const FilVec3 half = fil_vector_scaled(turn.w < 0.0 ? -1.0 : 1.0, (FilVec3){turn.x, turn.y, turn.z});
    const double sine = fil_vector_length(half);
    return fil_vector_scaled(sine > 0.0 ? 2.0 * atan2(sine, fabs(turn.w)) / sine : 2.0, half);
}

static FilQuat turned(FilQuat q, FilVec3 angle)
{
    const double size = fil_vector_length(angle);
    const FilVec3 axis = fil_vector_scaled(size > 0.0 ? sin(0.5 * size) / size : 0.5, angle);
    q = fil_quat_product((FilQuat){axis.x, axis.y, axis.z, cos(0.5 * size)}, q);
    const double scale = 1.0 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (FilQuat){scale * q.x, scale * q.y, scale * q.z, scale * q.w};
}

/* a vector of the twist's frame in the world, with these positions of the joints */
static FilVec3 in_world(const FilTeleop* teleop, const FilWorld* world, const Limb* limb, const double* positions, FilVec3 vector)
{
    Limb frame;
    FilVec3 position;
    FilQuat orientation;
    if (is_world(teleop->twist_frame) || !find_link(world, teleop->twist_frame, &frame)) {
        return vector;
    }
    if (frame.robot.index == limb->robot.index) {
        fil_robot_place_link(world, frame.robot, frame.link, positions, &position, &orientation);
    } else {
        fil_robot_link_pose(world, frame.robot, frame.link, &position, &orientation);
    }
    return fil_quat_rotate(orientation, vector);
}

/* The path is p' = v, R' = w x R; the link is moved along it and back to it, with v + gain (p_path - p). */
static FilStatus find_way(FilTeleop* teleop, FilWorld* world, const Limb* limb, double dt, double* positions)
{
    FilVec3 position;
    FilQuat orientation;
    fil_robot_place_link(world, limb->robot, limb->link, positions, &position, &orientation);
    if (!teleop->on_path) {
        teleop->position = position;
        teleop->orientation = orientation;
        teleop->on_path = true;
    }
    const FilVec3 velocity = in_world(teleop, world, limb, positions, teleop->velocity);
    const FilVec3 angular = in_world(teleop, world, limb, positions, teleop->angular_velocity);
    const double gain = fmin(teleop->gain, 1.0 / dt);
    FilLinkMotionDef def = fil_link_motion_def_default();
    def.link = limb->link;
    def.velocity = fil_vector_sum(velocity, fil_vector_scaled(gain, fil_vector_difference(teleop->position, position)));
    def.angular = fil_vector_sum(angular, fil_vector_scaled(gain, turn_between(orientation, teleop->orientation)));
    def.damping = teleop->damping;
    def.period = dt;
    const FilStatus status = fil_robot_move_link(world, limb->robot, &def, positions);
    teleop->position = fil_vector_sum(teleop->position, fil_vector_scaled(dt, velocity));
    teleop->orientation = turned(teleop->orientation, fil_vector_scaled(dt, angular));
    // the path does not run away from a link that cannot follow
    fil_robot_place_link(world, limb->robot, limb->link, positions, &position, &orientation);
    if (fil_vector_length(fil_vector_difference(teleop->position, position)) > LEASH) {
        teleop->position = position;
    }
    if (fil_vector_length(turn_between(orientation, teleop->orientation)) > TURN_LEASH) {
        teleop->orientation = orientation;
    }
    return status;
}

static FilStatus move(FilTeleop* teleop, FilWorld* world, const Limb* limb)
{
    const int count = fil_robot_joint_count(world, limb->robot);
    const double dt = fil_world_dt(world);
    double* before = calloc(2 * (size_t)count + 1, sizeof *before);
    if (before == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    double* after = before + count;
    const bool stands = fil_vector_length(teleop->velocity) == 0.0 && fil_vector_length(teleop->angular_velocity) == 0.0;
    const bool over = stands || fil_world_time(world) >= teleop->until;
    read_positions(world, limb->robot, before);
    memcpy(after, before, (size_t)count * sizeof *after);
    FilStatus status = over ? FIL_OK : find_way(teleop, world, limb, dt, after);
    for (int j = 0; j < count && status == FIL_OK; j++) {
        if (is_between(world, limb, j)) {
            const FilJointCommand command = {.mode = FIL_JOINT_POSITION, .position = after[j], .velocity = (after[j] - before[j]) / dt};
            status = fil_robot_set_joint_command(world, limb->robot, j, &command);
        }
    }
    // once it holds, joints are free to be commanded otherwise
    teleop->moves = teleop->moves && !over;
    teleop->on_path = teleop->on_path && !over;
    free(before);
    return status;
}

/* ---- the hand ---- */

static const double* find_position(const FilTeleopPosture* posture, const char* name)
{
    for (int i = 0; i < posture->count; i++) {
        if (strcmp(posture->joints[i].name, name) == 0) {
            return &posture->joints[i].position;
        }
    }
    return NULL;
}

static bool check_postures(const FilTeleop* teleop, const FilWorld* world, const Limb* limb, char reason[FIL_REASON_TEXT])
{
    for (int i = 0; i < teleop->closed.count; i++) {
        const char* name = teleop->closed.joints[i].name;
        if (fil_robot_find_joint(world, limb->robot, name) < 0) {
            snprintf(reason, FIL_REASON_TEXT, "teleop_closed: robot '%s' has no joint '%s'", fil_robot_name(world, limb->robot), name);
            return false;
        }
        if (find_position(&teleop->open, name) == NULL) {
            snprintf(reason, FIL_REASON_TEXT, "teleop_open has no joint '%s', but teleop_closed has", name);
            return false;
        }
    }
    return true;
}

bool fil_teleop_grasp(FilTeleop* teleop, const FilSimulation* simulation, int direction, char reason[FIL_REASON_TEXT])
{
    Limb limb;
    watch_world(teleop, simulation);
    if (!find_limb(teleop, simulation->world, &limb, reason) || !check_postures(teleop, simulation->world, &limb, reason)) {
        return false;
    }
    if (direction != 0 && teleop->closed.count == 0) {
        snprintf(reason, FIL_REASON_TEXT, "no hand is teleoperated: set the parameters teleop_open and teleop_closed");
        return false;
    }
    begin(teleop, simulation->world);
    teleop->grasp = direction;
    teleop->grips = teleop->closed.count > 0;
    return true;
}

/* each joint towards its posture, so fast that it goes from the one to the other in the grasp's time */
static FilStatus grip(FilTeleop* teleop, FilWorld* world, const Limb* limb)
{
    const double dt = fil_world_dt(world);
    const int direction = fil_world_time(world) < teleop->until ? teleop->grasp : 0;
    FilStatus status = FIL_OK;
    for (int i = 0; i < teleop->closed.count && status == FIL_OK; i++) {
        const double closed = teleop->closed.joints[i].position, *open = find_position(&teleop->open, teleop->closed.joints[i].name);
        const int joint = fil_robot_find_joint(world, limb->robot, teleop->closed.joints[i].name);
        if (open == NULL || joint < 0) {
            continue;  // the parameters have changed since the command
        }
        const FilJointCommand now = fil_robot_joint_command(world, limb->robot, joint);
        const double at = now.mode == FIL_JOINT_POSITION ? now.position : fil_robot_joint_state(world, limb->robot, joint).position;
        const double max = fabs(closed - *open) * dt / teleop->grasp_time;
        const double wanted = direction > 0 ? closed : direction < 0 ? *open : at;
        const double change = fmin(fmax(wanted - at, -max), max);
        const FilJointCommand command = {.mode = FIL_JOINT_POSITION, .position = at + change, .velocity = change / dt};
        status = fil_robot_set_joint_command(world, limb->robot, joint, &command);
    }
    // once it holds, joints are free to be commanded otherwise
    teleop->grasp = direction;
    teleop->grips = direction != 0;
    return status;
}

bool fil_teleop_follow(FilTeleop* teleop, FilSimulation* simulation, char reason[FIL_REASON_TEXT])
{
    FilWorld* world = simulation->world;
    Limb limb;
    if (world == NULL) {
        return true;
    }
    watch_world(teleop, simulation);
    const bool moves = teleop->moves, grips = teleop->grips;
    if (!moves && !grips) {
        return true;
    }
    if (!find_limb(teleop, world, &limb, reason)) {
        end(teleop);
        return false;
    }
    FilStatus status = moves ? move(teleop, world, &limb) : FIL_OK;
    status = status == FIL_OK && grips ? grip(teleop, world, &limb) : status;
    if (status != FIL_OK) {
        snprintf(reason, FIL_REASON_TEXT, "%.500s", status == FIL_OUT_OF_MEMORY ? "out of memory" : fil_world_error(world));
        end(teleop);
    }
    return status == FIL_OK;
}
