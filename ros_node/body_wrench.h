/* Forces and torques on bodies for a while, as loads of the world (drives named "wrench_<k>_..."). No ROS. */
#ifndef FILUM_NODE_BODY_WRENCH_H
#define FILUM_NODE_BODY_WRENCH_H

#include "view/simulation.h"

/* Bodies that may be pushed, at most: a bound of ours, beyond which a push is refused; names have 63 characters, and a link its robot's before it. */
enum { FIL_MAX_WRENCHES = 64, FIL_WRENCH_NAME = 128 };

typedef struct FilBodyWrench {
    char body[FIL_WRENCH_NAME]; /* a rigid body, a link, <arm>/disk_<i> or <rod>/node_<i> */
    FilVec3 force, torque;      /* N, N m */
    bool in_body;               /* along its own axes */
    FilVec3 point;              /* m, in its frame: where the force acts */
    double end;                 /* s of simulated time */
    FilId drives[2];            /* of force and torque; the latter null where it takes none */
} FilBodyWrench;

typedef struct FilBodyWrenches {
    FilBodyWrench items[FIL_MAX_WRENCHES]; /* bodies that were pushed once keep their places, and their drives at zero */
    int count;
    uint64_t load;    /* the world that they are of */
    double last_time; /* s, of that world: a reset ends them */
} FilBodyWrenches;

/* Acts from now on for `duration` s, in place of what acted on the body; negative: until another comes. FIL_BAD_INPUT, with a message in the
 * world, if there is no such body, it does not move freely, or there are too many. */
FIL_MUST_CHECK FilStatus fil_body_wrenches_take(FilBodyWrenches* wrenches, FilSimulation* simulation, const FilBodyWrench* wrench, double duration);

/* Before each step: sets what it shall feel. */
FIL_MUST_CHECK FilStatus fil_body_wrenches_act(FilBodyWrenches* wrenches, FilSimulation* simulation);

#endif
