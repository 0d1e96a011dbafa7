#include "plan/plan_channels.h"

#include <stdio.h>

#include "base/error.h"
#include "filum/robot.h"
#include "world/world.h"

void fil_plan_channels_add(FilPlanChannels* channels, const char* object, const char* joint, int index, double area)
{
    FIL_ASSERT(channels->count < FIL_PLAN_COORDINATES);
    FilPlanOutlet* outlet = &channels->outlets[channels->count++];
    *outlet = (FilPlanOutlet){.index = index, .area = area};
    snprintf(outlet->object, sizeof outlet->object, "%s", object);
    snprintf(outlet->joint, sizeof outlet->joint, "%s", joint != NULL ? joint : "");
}

FilStatus fil_plan_channels_set(const FilPlanChannels* channels, FilWorld* world, const FilPlanCommand* commands)
{
    FilStatus status = FIL_OK;
    for (int c = 0; c < channels->count && status == FIL_OK; c++) {
        const FilPlanOutlet* outlet = &channels->outlets[c];
        if (outlet->area > 0.0) {
            status = fil_arm_set_pressure(world, fil_world_find_arm(world, outlet->object), outlet->index, commands[c].effort / outlet->area);
        } else {
            const FilJointCommand command = {FIL_JOINT_POSITION, commands[c].position, commands[c].velocity, commands[c].effort};
            status = fil_robot_set_joint_command(world, fil_world_find_robot(world, outlet->object), outlet->index, &command);
        }
    }
    return status;
}
