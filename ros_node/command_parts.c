#include "command_parts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

FilShown fil_shown(const char* name)
{
    FilShown shown = {{0}};
    const size_t max = sizeof shown.text - 4;
    for (size_t i = 0; i < max && name[i] != '\0'; i++) {
        shown.text[i] = isprint((unsigned char)name[i]) ? name[i] : '?';
        if (i + 1 == max && name[i + 1] != '\0') {
            memcpy(shown.text + max, "...", 4);
        }
    }
    return shown;
}

bool fil_command_is_finite(const rosidl_runtime_c__double__Sequence* numbers)
{
    for (size_t i = 0; i < numbers->size; i++) {
        if (!isfinite(numbers->data[i])) {
            return false;
        }
    }
    return true;
}

bool fil_command_has(FilCommands* commands, const char* topic, const char* what, const char* name, bool there)
{
    if (!there) {
        FIL_REFUSE(commands, "%s: there is no %s '%s'", topic, what, fil_shown(name).text);
    }
    return there;
}

bool fil_command_find_joint(FilCommands* commands, const char* topic, const char* name, FilCommandJoint* joint)
{
    const FilWorld* world = commands->simulation->world;
    int found = 0;
    for (int i = 0; i < fil_world_robot_count(world); i++) {
        const FilId robot = fil_world_robot_at(world, i);
        const int index = fil_robot_find_joint(world, robot, name);
        if (index >= 0) {
            *joint = (FilCommandJoint){robot, index};
            found++;
        }
    }
    if (fil_command_has(commands, topic, "joint", name, found > 0) && found > 1) {
        FIL_REFUSE(commands, "%s: %d robots have a joint '%s'; give them a prefix in the scene", topic, found, fil_shown(name).text);
    }
    return found == 1;
}

bool fil_command_matches(FilCommands* commands, const char* topic, size_t names, const char* names_word, size_t numbers, const char* numbers_word)
{
    if (names != numbers) {
        FIL_REFUSE(commands, "%s: %zu %s, but %zu %s", topic, names, names_word, numbers, numbers_word);
    }
    return names == numbers;
}

void fil_command_keep(FilCommands* commands)
{
    commands->accepted++;
}

void fil_command_done(FilCommands* commands, const char* topic, FilStatus status)
{
    if (status == FIL_OK) {
        commands->accepted++;
    } else {
        FIL_REFUSE(commands, "%s: %s", topic, fil_world_error(commands->simulation->world));
    }
}
