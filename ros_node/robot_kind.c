/* Robots as the node shows them: entities seen by their base, a frame per link as a child of its parent link, as tools
 * for robots expect, the shapes of links; joint_states. */
#include "kinds.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "sensor_msgs/msg/joint_state.h"

/* ---- entities and frames ---- */

static bool is_mounted(const FilWorld* world, FilId robot)
{
    return fil_robot_link_fixed(world, robot, 0);
}

static void get_state(const FilWorld* world, FilId robot, FilEntityState* state)
{
    fil_robot_link_pose(world, robot, 0, &state->position, &state->orientation);
    fil_robot_link_velocity(world, robot, 0, &state->velocity, &state->angular_velocity);
}

static void place_of(const FilWorld* world, FilId robot, int link, double place[3])
{
    FilVec3 position;
    FilQuat orientation;
    fil_robot_link_pose(world, robot, link, &position, &orientation);
    place[0] = position.x, place[1] = position.y, place[2] = position.z;
}

static FilStatus set_state(FilWorld* world, FilId robot, const FilEntityState* pose, const FilEntityState* twist)
{
    FilEntityState now;
    get_state(world, robot, &now);
    pose = pose != NULL ? pose : &now;
    twist = twist != NULL ? twist : &now;
    return fil_robot_set_base(world, robot, pose->position, pose->orientation, twist->velocity, twist->angular_velocity);
}

static void add_frames(FilFrames* frames, const FilWorld* world, FilId robot)
{
    for (int k = 0; k < fil_robot_link_count(world, robot); k++) {
        const int parent = fil_robot_link_parent(world, robot, k);
        FilFrame frame = {.name = fil_robot_link_name(world, robot, k), .fixed = fil_robot_link_fixed(world, robot, k)};
        fil_robot_link_pose(world, robot, k, &frame.position, &frame.orientation);
        if (parent >= 0) {
            // as seen from the parent: R_a' (x_b - x_a), q_a* q_b
            FilVec3 base;
            FilQuat turn;
            fil_robot_link_pose(world, robot, parent, &base, &turn);
            frame.parent = fil_robot_link_name(world, robot, parent);
            frame.position = fil_quat_rotate(fil_quat_conjugate(turn), fil_vector_difference(frame.position, base));
            frame.orientation = fil_quat_product(fil_quat_conjugate(turn), frame.orientation);
        }
        fil_frames_add(frames, &frame);
    }
}

/* ---- states: the joints of all robots in one message ---- */

FIL_MESSAGE_FUNCTIONS(sensor_msgs, JointState)

static bool size_states(void* message, const FilWorld* world, const FilId* robots, int count)
{
    sensor_msgs__msg__JointState* states = message;
    size_t joints = 0;
    for (int i = 0; i < count; i++) {
        joints += (size_t)fil_robot_joint_count(world, robots[i]);
    }
    bool done =
        rosidl_runtime_c__String__Sequence__init(&states->name, joints) && rosidl_runtime_c__double__Sequence__init(&states->position, joints) &&
        rosidl_runtime_c__double__Sequence__init(&states->velocity, joints) && rosidl_runtime_c__double__Sequence__init(&states->effort, joints);
    rosidl_runtime_c__String* next = states->name.data;
    for (int i = 0; done && i < count; i++) {
        for (int k = 0; done && k < fil_robot_joint_count(world, robots[i]); k++) {
            done = rosidl_runtime_c__String__assign(next++, fil_robot_joint_name(world, robots[i], k));
        }
    }
    return done;
}

static void fill_states(void* message, const FilWorld* world, const FilId* robots, int count, double* scratch)
{
    (void)scratch;
    sensor_msgs__msg__JointState* states = message;
    size_t next = 0;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < fil_robot_joint_count(world, robots[i]); k++) {
            const FilJointState state = fil_robot_joint_state(world, robots[i], k);
            states->position.data[next] = state.position;
            states->velocity.data[next] = state.velocity;
            states->effort.data[next++] = state.effort;
        }
    }
}

static const FilStateTopic joint_states = {
    .topic = {"joint_states", 10, false, "sensor_msgs/msg/JointState", type_of_JointState},
    .message = {sizeof(sensor_msgs__msg__JointState), init_JointState, fini_JointState},
    .entries = fil_robot_joint_count,
    .size = size_states,
    .fill = fill_states,
};

const FilNodeKind fil_robot_kind = {
    .count = fil_world_robot_count,
    .at = fil_world_robot_at,
    .name = fil_robot_name,
    .is_robot = true,
    .is_mounted = is_mounted,
    .get_state = get_state,
    .place_count = fil_robot_link_count,
    .place = place_of,
    .set_state = set_state,
    .frames = add_frames,
    .show = &fil_show_robot,
    .states = &joint_states,
};
