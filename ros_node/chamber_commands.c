/* Commands to what has chambers, soft arms, solids and shells with gas: pressures of named chambers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command_parts.h"
#include "filum/msg/chamber_pressures.h"
#include "frames.h"

/* kinds that have chambers */
typedef struct ChamberKind {
    FilId (*find)(const FilWorld* world, const char* name);
    int (*count)(const FilWorld* world, FilId of);
    FilStatus (*set)(FilWorld* world, FilId of, int chamber, double pressure);
} ChamberKind;

static const ChamberKind chamber_kinds[] = {
    {fil_world_find_arm, fil_arm_chamber_count, fil_arm_set_pressure},
    {fil_world_find_solid, fil_solid_chamber_count, fil_solid_set_pressure},
    {fil_world_find_shell, fil_shell_chamber_count, fil_shell_set_pressure},
};

/* the chamber of a name "<object>/chamber_<k>"; NULL if there is none */
static const ChamberKind* find_chamber(const FilWorld* world, const char* name, FilId* of, int* chamber)
{
    char object[FIL_FRAME_NAME];
    char again[2 * FIL_FRAME_NAME];
    const char* slash = strrchr(name, '/');
    if (slash == NULL || slash == name || slash - name >= FIL_FRAME_NAME || strncmp(slash, "/chamber_", strlen("/chamber_")) != 0) {
        return NULL;
    }
    memcpy(object, name, (size_t)(slash - name));
    object[slash - name] = '\0';
    const long number = strtol(slash + strlen("/chamber_"), NULL, 10);
    // nothing but the name itself: no spaces, signs or leading zeros
    snprintf(again, sizeof again, "%s/chamber_%ld", object, number);
    for (size_t k = 0; k < sizeof chamber_kinds / sizeof *chamber_kinds && strcmp(again, name) == 0; k++) {
        *of = chamber_kinds[k].find(world, object);
        if (of->index != 0 && number >= 0 && number < chamber_kinds[k].count(world, *of)) {
            *chamber = (int)number;
            return &chamber_kinds[k];
        }
    }
    return NULL;
}

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
        FilId of;
        int chamber = 0;
        const ChamberKind* kind = find_chamber(world, name, &of, &chamber);
        if (!fil_command_has(commands, "chamber_commands", "chamber", name, kind != NULL)) {
            continue;
        }
        if (isnan(pressure)) {
            fil_command_keep(commands);
        } else {
            fil_command_done(commands, "chamber_commands", kind->set(world, of, chamber, pressure));
        }
    }
}

FIL_MESSAGE_FUNCTIONS(filum, ChamberPressures)

const FilCommandTopic fil_chamber_commands = {
    .topic = {"chamber_commands", 100, false, "filum/msg/ChamberPressures", type_of_ChamberPressures},
    .message = {sizeof(filum__msg__ChamberPressures), init_ChamberPressures, fini_ChamberPressures},
    .apply = apply,
};
