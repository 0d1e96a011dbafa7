/* Commands to soft arms: pressures of named chambers. */
#include <math.h>
#include <stdlib.h>

#include "command_kinds.h"
#include "conversion.h"

/* the chamber of a name "<arm>/chamber_<k>"; false if there is none */
static bool find_chamber(const FilWorld* world, const char* name, FilId* arm, int* chamber)
{
    for (int i = 0; i < fil_world_arm_count(world); i++) {
        *arm = fil_world_arm_at(world, i);
        for (*chamber = 0; *chamber < fil_arm_chamber_count(world, *arm); (*chamber)++) {
            char candidate[FIL_FRAME_NAME];
            fil_chamber_name(world, *arm, *chamber, candidate);
            if (strcmp(candidate, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

void fil_command_chambers(FilCommands* commands, const filum__msg__ChamberPressures* command)
{
    FilWorld* world = commands->simulation->world;
    if (command->chambers.size != command->pressures.size) {
        FIL_REFUSE(commands, "chamber_commands: %zu chambers, but %zu pressures", command->chambers.size,
                   command->pressures.size);
        return;
    }
    for (size_t i = 0; i < command->chambers.size; i++) {
        const char* name = command->chambers.data[i].data;
        const double pressure = command->pressures.data[i];
        FilId arm;
        int chamber;
        if (!find_chamber(world, name, &arm, &chamber)) {
            FIL_REFUSE(commands, "chamber_commands: there is no chamber '%s'", fil_shown(name).text);
        } else if (isnan(pressure)) {
            commands->accepted++;  // leaves the chamber as it is
        } else {
            fil_command_done(commands, "chamber_commands", fil_arm_set_pressure(world, arm, chamber, pressure));
        }
    }
}
