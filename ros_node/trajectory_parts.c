#include "trajectory_parts.h"

#include <math.h>

#include "trajectory_msgs/msg/joint_trajectory_point.h"

typedef trajectory_msgs__msg__JointTrajectory Trajectory;
typedef trajectory_msgs__msg__JointTrajectoryPoint Point;

double fil_trajectory_seconds(builtin_interfaces__msg__Duration duration)
{
    return duration.sec + 1e-9 * duration.nanosec;
}

double fil_trajectory_start(const Trajectory* message, double now)
{
    const builtin_interfaces__msg__Time stamp = message->header.stamp;
    return stamp.sec == 0 && stamp.nanosec == 0 ? now : stamp.sec + 1e-9 * stamp.nanosec;
}

/* whether a point has positions, and velocities, accelerations and efforts as the first one has; refuses it if not */
static bool check_sizes(FilCommands* commands, const char* topic, const Trajectory* message, size_t i)
{
    const size_t joints = message->joint_names.size;
    const Point *point = &message->points.data[i], *first = &message->points.data[0];
    const struct {
        const char* what;
        const rosidl_runtime_c__double__Sequence *own, *first;
        bool needed;
    } arrays[] = {{"positions", &point->positions, &first->positions, true},
                  {"velocities", &point->velocities, &first->velocities, first->accelerations.size > 0},
                  {"accelerations", &point->accelerations, &first->accelerations, false},
                  {"efforts", &point->effort, &first->effort, false}};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        const size_t size = arrays[k].own->size;
        if ((arrays[k].needed || size > 0 || arrays[k].first->size > 0) && size != joints) {
            FIL_REFUSE(commands, "%s: point %zu has %zu %s for %zu joints%s", topic, i, size, arrays[k].what, joints,
                       k == 1 && size == 0 && arrays[k].needed ? ", but accelerations" : "");
            return false;
        }
        if (!fil_command_is_finite(arrays[k].own)) {
            FIL_REFUSE(commands, "%s: point %zu is not finite", topic, i);
            return false;
        }
    }
    return true;
}

bool fil_trajectory_check(FilCommands* commands, const char* topic, const Trajectory* message)
{
    for (size_t i = 0; i < message->points.size; i++) {
        const double time = fil_trajectory_seconds(message->points.data[i].time_from_start);
        const double before = i > 0 ? fil_trajectory_seconds(message->points.data[i - 1].time_from_start) : -INFINITY;
        if (!check_sizes(commands, topic, message, i)) {
            return false;
        }
        if (time < 0.0) {
            FIL_REFUSE(commands, "%s: point %zu lies %g s before the start", topic, i, -time);
            return false;
        }
        if (!(time > before)) {
            FIL_REFUSE(commands, "%s: times must increase, but %g s of point %zu follows %g s", topic, time, i, before);
            return false;
        }
    }
    return true;
}
