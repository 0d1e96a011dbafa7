/* The parameters of teleoperation. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "teleop.h"

#define DEFAULT_AXES "1 0 4 . . 3" /* of a pad with two sticks: the left one forward and aside, the right one up, and about z */

static bool set_name(char out[FIL_TELEOP_NAME], const FilWorld* world, const char* parameter, const char* name, char reason[FIL_REASON_TEXT])
{
    if (name[0] != '\0' && strcmp(name, "world") != 0 && world != NULL && fil_world_find_link(world, name).index == 0) {
        snprintf(reason, FIL_REASON_TEXT, "%s: there is no link '%.100s'", parameter, name);
        return false;
    }
    return snprintf(out, FIL_TELEOP_NAME, "%s", name) < FIL_TELEOP_NAME;
}

static bool set_link(FilTeleop* teleop, const FilWorld* world, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    const bool set = set_name(teleop->link, world, "teleop_link", value->text, reason);
    if (set) {
        teleop->moves = teleop->on_path = teleop->grips = false;
    }
    return set;
}

static bool set_frame(FilTeleop* teleop, const FilWorld* world, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    return set_name(teleop->frame, world, "teleop_frame", value->text, reason);
}

/* six words: the number of an axis, with a minus where it is turned round, or a point for none */
static bool set_axes(FilTeleop* teleop, const FilWorld* world, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)world;
    FilTeleopAxis axes[6];
    const char* rest = value->text[0] != '\0' ? value->text : DEFAULT_AXES;
    int count = 0;
    bool good = true;
    for (size_t length; good && (rest += strspn(rest, " "), length = strcspn(rest, " ")) > 0; rest += length) {
        const bool turned_round = rest[0] == '-', none = length == 1 && rest[0] == '.';
        const size_t digits = strspn(rest + turned_round, "0123456789");
        good = count < 6 && (none || (digits > 0 && digits <= 3 && digits + turned_round == length));
        if (good) {
            axes[count++] = (FilTeleopAxis){none ? -1 : atoi(rest + turned_round), turned_round ? -1.0 : 1.0};
        }
    }
    if (!good || count != 6) {
        snprintf(reason, FIL_REASON_TEXT,
                 "teleop_axes: '%.100s' is not six axes as in '%s': numbers, with a minus to turn one round, or a point for none", value->text,
                 DEFAULT_AXES);
        return false;
    }
    memcpy(teleop->axes, axes, sizeof axes);
    return true;
}

/* words "joint:position" */
static bool read_posture(FilTeleopPosture* posture, const char* parameter, const char* text, char reason[FIL_REASON_TEXT])
{
    FilTeleopPosture read = {0};
    for (size_t length; (text += strspn(text, " "), length = strcspn(text, " ")) > 0; text += length) {
        const char* colon = memchr(text, ':', length);
        char* last = NULL;
        const double position = colon != NULL ? strtod(colon + 1, &last) : NAN;
        if (colon == NULL || colon == text || colon - text >= FIL_TELEOP_NAME || last != text + length || !isfinite(position) ||
            read.count == FIL_TELEOP_JOINTS) {
            snprintf(reason, FIL_REASON_TEXT, "%s: '%.*s' is no joint with its position as in 'index_1:0.5', or there are more than %d", parameter,
                     (int)(length < 60 ? length : 60), text, FIL_TELEOP_JOINTS);
            return false;
        }
        snprintf(read.joints[read.count].name, FIL_TELEOP_NAME, "%.*s", (int)(colon - text), text);
        read.joints[read.count++].position = position;
    }
    *posture = read;
    return true;
}

static bool set_open(FilTeleop* teleop, const FilWorld* world, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)world;
    return read_posture(&teleop->open, "teleop_open", value->text, reason);
}

static bool set_closed(FilTeleop* teleop, const FilWorld* world, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)world;
    return read_posture(&teleop->closed, "teleop_closed", value->text, reason);
}

/* parameters that are numbers, whose ranges the node checks */
#define NUMBER(function, field, from)                                                                                            \
    static bool function(FilTeleop* teleop, const FilWorld* world, const FilParameterValue* value, char reason[FIL_REASON_TEXT]) \
    {                                                                                                                            \
        (void)world;                                                                                                             \
        (void)reason;                                                                                                            \
        teleop->field = from;                                                                                                    \
        return true;                                                                                                             \
    }
NUMBER(set_linear, linear, value->real)
NUMBER(set_angular, angular, value->real)
NUMBER(set_gain, gain, value->real)
NUMBER(set_damping, damping, value->real)
NUMBER(set_timeout, timeout, value->real)
NUMBER(set_grasp_time, grasp_time, value->real)
NUMBER(set_enable_button, enable_button, (int)value->integer)
NUMBER(set_close_button, close_button, (int)value->integer)
NUMBER(set_open_button, open_button, (int)value->integer)
#undef NUMBER

FilTeleopParameterSet fil_teleop_parameter(const char* name)
{
    static const struct {
        const char* name;
        FilTeleopParameterSet set;
    } table[] = {
        {"teleop_link", set_link},
        {"teleop_frame", set_frame},
        {"teleop_linear", set_linear},
        {"teleop_angular", set_angular},
        {"teleop_gain", set_gain},
        {"teleop_damping", set_damping},
        {"teleop_timeout", set_timeout},
        {"teleop_axes", set_axes},
        {"teleop_enable_button", set_enable_button},
        {"teleop_close_button", set_close_button},
        {"teleop_open_button", set_open_button},
        {"teleop_open", set_open},
        {"teleop_closed", set_closed},
        {"teleop_grasp_time", set_grasp_time},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].name, name) == 0) {
            return table[i].set;
        }
    }
    return NULL;
}
