/* Rigid bodies as the node shows them: the frame of their name, and their shapes. */
#include "kinds.h"

static bool is_static(const FilWorld* world, FilId body)
{
    return fil_rigid_motion(world, body) == FIL_STATIC;
}

static void get_state(const FilWorld* world, FilId body, FilEntityState* state)
{
    fil_rigid_get_pose(world, body, &state->position, &state->orientation);
    fil_rigid_get_velocity(world, body, &state->velocity, &state->angular_velocity);
}

static FilStatus set_state(FilWorld* world, FilId body, const FilEntityState* pose, const FilEntityState* twist)
{
    FilEntityState now;
    get_state(world, body, &now);
    pose = pose != NULL ? pose : &now;
    twist = twist != NULL ? twist : &now;
    return fil_rigid_set_state(world, body, pose->position, pose->orientation, twist->velocity, twist->angular_velocity);
}

static void add_frames(FilFrames* frames, const FilWorld* world, FilId body)
{
    FilFrame frame = {.name = fil_rigid_name(world, body), .fixed = is_static(world, body)};
    fil_rigid_get_pose(world, body, &frame.position, &frame.orientation);
    fil_frames_add(frames, &frame);
}

const FilNodeKind fil_rigid_kind = {
    .count = fil_world_rigid_count,
    .at = fil_world_rigid_at,
    .name = fil_rigid_name,
    .is_static = is_static,
    .get_state = get_state,
    .set_state = set_state,
    .frames = add_frames,
    .show = &fil_show_rigid,
};
