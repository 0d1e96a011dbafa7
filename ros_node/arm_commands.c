/* Commands to soft arms: pressures of named chambers. */
#include <math.h>
#include <stdlib.h>

#include "arm_kind.h"
#include "command_parts.h"
#include "filum/msg/chamber_pressures.h"

/* the chamber of a name "<arm>/chamber_<k>"; false if there is none */
static bool find_chamber(const FilWorld* world, const char* name, FilId* arm, int* chamber)
{
    char arm_name[FIL_FRAME_NAME];
    char again[FIL_FRAME_NAME];
    const char* slash = strrchr(name, '/');
    if (slash == NULL || slash == name || slash - name >= FIL_FRAME_NAME ||
        strncmp(slash, "/chamber_", strlen("/chamber_")) != 0) {
        return false;
    }
    memcpy(arm_name, name, (size_t)(slash - name));
    arm_name[slash - name] = '\0';
    const long number = strtol(slash + strlen("/chamber_"), NULL, 10);
    *arm = fil_world_find_arm(world, arm_name);
    if (arm->index == 0 || number < 0 || number >= fil_arm_chamber_count(world, *arm)) {
        return false;
    }
    // nothing but the name itself: no spaces, signs or leading zeros
    *chamber = (int)number;
    fil_chamber_name(world, *arm, *chamber, again);
    return strcmp(again, name) == 0;
}

static void apply(FilCommands* commands, const void* message)
{
    const filum__msg__ChamberPressures* command = message;
    FilWorld* world = commands->simulation->world;
    if (!fil_command_matches(commands, "chamber_commands", command->chambers.size, "chambers", command->pressures.size,
                             "pressures")) {
        return;
    }
    for (size_t i = 0; i < command->chambers.size; i++) {
        const char* name = command->chambers.data[i].data;
        const double pressure = command->pressures.data[i];
        FilId arm;
        int chamber = 0;
        if (!fil_command_has(commands, "chamber_commands", "chamber", name,
                             find_chamber(world, name, &arm, &chamber))) {
            continue;
        }
        if (isnan(pressure)) {
            fil_command_keep(commands);
        } else {
            fil_command_done(commands, "chamber_commands", fil_arm_set_pressure(world, arm, chamber, pressure));
        }
    }
}

FIL_MESSAGE_FUNCTIONS(filum, ChamberPressures)

const FilCommandTopic fil_chamber_commands = {
    .topic = {"chamber_commands", 100, false, "filum/msg/ChamberPressures", type_of_ChamberPressures},
    .message = {sizeof(filum__msg__ChamberPressures), init_ChamberPressures, fini_ChamberPressures},
    .apply = apply,
};
