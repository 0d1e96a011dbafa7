#include "view/show.h"

static const FilShowKind* const kinds[FIL_SHOW_COUNT] = {
#define ROW(kind) [FIL_SHOW_OF_##kind] = &fil_show_##kind,
    FIL_SHOW_KINDS(ROW)
#undef ROW
};

static FilPose pose_of(FilVec3 position, FilQuat orientation)
{
    FilPose pose = {.p = {position.x, position.y, position.z}};
    fil_m3_from_quat(pose.r, orientation);
    return pose;
}

FilPose fil_shown_pose(const FilShownShape* shape)
{
    const FilPose frame = pose_of(shape->position, shape->orientation), own = pose_of(shape->def.position, shape->def.orientation);
    FilPose pose;
    fil_pose_compose(&pose, &frame, &own);
    return pose;
}

const FilShowKind* fil_show_kind(int index)
{
    return kinds[index];
}
