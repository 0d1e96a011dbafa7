/* Reads arbitrary bytes as a URDF and takes a step with the robot: errors, never crashes, and a finite state. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "filum/filum.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const FilWorldDef world_def = fil_world_def_default();
    FilRobotDef def = fil_robot_def_default();
    FilWorld* world = NULL;
    FilId robot;
    // the first byte chooses how the robot is placed
    const uint8_t how = size > 0 ? data[0] : 0;
    def.prefix = (how & 1) != 0 ? "p_" : NULL;
    def.floating = (how & 2) != 0;
    def.trajectory_points = 4;
    if (size == 0 || fil_world_create(&world_def, &world, NULL) != FIL_OK) {
        return 0;
    }
    const FilStatus status = fil_world_add_robot_urdf(world, &def, "fuzz.urdf", (const char*)data + 1, size - 1, NULL, 0, &robot);
    if (status == FIL_OK) {
        for (int k = 0; k < 3; k++) {
            (void)!fil_world_step(world, NULL);  // may fail, but not without a word
        }
        for (int l = 0; l < fil_robot_link_count(world, robot); l++) {
            FilVec3 place;
            FilQuat orientation;
            fil_robot_link_pose(world, robot, l, &place, &orientation);
            if (isnan(place.x + place.y + place.z)) {
                abort();
            }
        }
    } else if (fil_world_error(world)[0] == '\0') {
        abort();
    }
    fil_world_destroy(world);
    return 0;
}
