/* Commands to what has chambers, soft arms, solids and shells with gas: pressures of named chambers, and trajectories of them. */
#include <math.h>
#include <stdlib.h>

#include "command_parts.h"
#include "filum/msg/chamber_pressures.h"
#include "trajectory_msgs/msg/joint_trajectory_point.h"
#include "trajectory_parts.h"

static void apply(FilCommands* commands, const void* message)
{
    const filum__msg__ChamberPressures* command = message;
    FilWorld* world = commands->simulation->world;
    if (!fil_command_matches(commands, "chamber_commands", command->chambers.size, "chambers", command->pressures.size, "pressures")) {
        return;
    }
    for (size_t i = 0; i < command->chambers.size; i++) {
        const char* name = command->chambers.data[i].data;
        const double pressure = command->pressures.data[i];
        FilChamber chamber;
        if (!fil_command_has(commands, "chamber_commands", "chamber", name, fil_chamber_find(world, name, &chamber))) {
            continue;
        }
        if (isnan(pressure)) {
            fil_command_keep(commands);
        } else {
            fil_chamber_tracks_drop(&commands->chamber_tracks, &chamber);
            fil_command_done(commands, "chamber_commands", fil_chamber_set(world, &chamber, pressure));
        }
    }
}

FIL_MESSAGE_FUNCTIONS(filum, ChamberPressures)

const FilCommandTopic fil_chamber_commands = {
    .topic = {"chamber_commands", 100, false, "filum/msg/ChamberPressures", type_of_ChamberPressures},
    .message = {sizeof(filum__msg__ChamberPressures), init_ChamberPressures, fini_ChamberPressures},
    .apply = apply,
};

/* ---- trajectories ---- */

typedef trajectory_msgs__msg__JointTrajectory Trajectory;

static const char trajectory_name[] = "chamber_trajectory";

/* the chambers that are named, each once; refuses the message if one is not there */
static bool find_chambers(FilCommands* commands, const Trajectory* message, FilChamber* chambers)
{
    for (size_t k = 0; k < message->joint_names.size; k++) {
        const char* name = message->joint_names.data[k].data;
        if (!fil_command_has(commands, trajectory_name, "chamber", name, fil_chamber_find(commands->simulation->world, name, &chambers[k]))) {
            return false;
        }
        for (size_t i = 0; i < k; i++) {
            if (fil_chamber_is(&chambers[i], &chambers[k])) {
                FIL_REFUSE(commands, "%s: chamber '%s' is named twice", trajectory_name, fil_shown(name).text);
                return false;
            }
        }
    }
    return true;
}

static void apply_trajectory(FilCommands* commands, const void* received)
{
    const Trajectory* message = received;
    const size_t count = message->joint_names.size, points = message->points.size;
    FilChamber* chambers = calloc(count + 1, sizeof *chambers);
    double* times = calloc(2 * points + 1, sizeof *times);
    double* pressures = times != NULL ? times + points : NULL;
    const double start = fil_trajectory_start(message, fil_world_time(commands->simulation->world));
    if (chambers == NULL || times == NULL || count == 0) {
        FIL_REFUSE(commands, "%s: %s", trajectory_name, count == 0 ? "no chambers are named" : "out of memory");
    } else if (find_chambers(commands, message, chambers) && fil_trajectory_check(commands, trajectory_name, message)) {
        for (size_t i = 0; i < points; i++) {
            times[i] = start + fil_trajectory_seconds(message->points.data[i].time_from_start);
        }
        for (size_t k = 0; k < count; k++) {
            for (size_t i = 0; i < points; i++) {
                pressures[i] = message->points.data[i].positions.data[k];
            }
            // one without points ends what its chambers follow
            const bool taken = fil_chamber_tracks_take(&commands->chamber_tracks, commands->simulation, &chambers[k], times, pressures, (int)points);
            if (taken) {
                commands->accepted++;
            } else {
                FIL_REFUSE(commands, "%s: out of memory", trajectory_name);
            }
        }
    }
    free(times);
    free(chambers);
}

FIL_MESSAGE_FUNCTIONS(trajectory_msgs, JointTrajectory)

const FilCommandTopic fil_chamber_trajectory_commands = {
    .topic = {trajectory_name, 100, false, "trajectory_msgs/msg/JointTrajectory", type_of_JointTrajectory},
    .message = {sizeof(Trajectory), init_JointTrajectory, fini_JointTrajectory},
    .apply = apply_trajectory,
};
