/* Commands of somebody who moves a link by hand: twists, and the sticks and buttons of a gamepad. */
#include <math.h>

#include "command_parts.h"
#include "geometry_msgs/msg/twist.h"
#include "geometry_msgs/msg/twist_stamped.h"
#include "sensor_msgs/msg/joy.h"

static FilVec3 vector_of(const geometry_msgs__msg__Vector3* v)
{
    return (FilVec3){v->x, v->y, v->z};
}

static void count(FilCommands* commands, const char* topic, bool taken, const char* reason)
{
    if (taken) {
        commands->accepted++;
    } else {
        FIL_REFUSE(commands, "%s: %s", topic, reason);
    }
}

static void move(FilCommands* commands, const char* topic, const geometry_msgs__msg__Twist* twist, const char* frame)
{
    char reason[FIL_REASON_TEXT];
    const bool taken = fil_teleop_move(&commands->teleop, commands->simulation, vector_of(&twist->linear), vector_of(&twist->angular), frame, reason);
    count(commands, topic, taken, reason);
}

static void apply_twist(FilCommands* commands, const void* message)
{
    move(commands, "twist_commands", message, "");
}

static void apply_stamped_twist(FilCommands* commands, const void* received)
{
    const geometry_msgs__msg__TwistStamped* message = received;
    move(commands, "stamped_twist_commands", &message->twist, message->header.frame_id.data);
}

/* ---- gamepads ---- */

/* whether a button is down; `good` becomes false where the pad does not have it */
static bool is_down(const sensor_msgs__msg__Joy* pad, int button, bool* good)
{
    *good = *good && (button < 0 || (size_t)button < pad->buttons.size);
    return *good && button >= 0 && pad->buttons.data[button] != 0;
}

/* six components of the twist, of full sticks; false where an axis is not there or no number */
static bool read_sticks(const FilTeleop* teleop, const sensor_msgs__msg__Joy* pad, double sticks[6])
{
    for (int i = 0; i < 6; i++) {
        const FilTeleopAxis axis = teleop->axes[i];
        if (axis.index >= 0 && ((size_t)axis.index >= pad->axes.size || !isfinite(pad->axes.data[axis.index]))) {
            return false;
        }
        sticks[i] = axis.index >= 0 ? axis.sign * fmin(fmax((double)pad->axes.data[axis.index], -1.0), 1.0) : 0.0;
    }
    return true;
}

static void apply_joy(FilCommands* commands, const void* received)
{
    const sensor_msgs__msg__Joy* pad = received;
    FilTeleop* teleop = &commands->teleop;
    char reason[FIL_REASON_TEXT] = "";
    double s[6];
    bool good = true;
    const bool enabled = is_down(pad, teleop->enable_button, &good) || teleop->enable_button < 0;
    const int grasp = is_down(pad, teleop->close_button, &good) - is_down(pad, teleop->open_button, &good);
    if (!good || !read_sticks(teleop, pad, s)) {
        FIL_REFUSE(commands, "joy: %zu axes and %zu buttons, but teleop_axes and buttons ask for others, or an axis is not finite", pad->axes.size,
                   pad->buttons.size);
        return;
    }
    const double linear = enabled ? teleop->linear : 0.0, angular = enabled ? teleop->angular : 0.0;
    const FilVec3 velocity = {linear * s[0], linear * s[1], linear * s[2]};
    const FilVec3 turning = {angular * s[3], angular * s[4], angular * s[5]};
    // the hand first: where it cannot be had the arm does not move either
    const bool taken = fil_teleop_grasp(teleop, commands->simulation, enabled ? grasp : 0, reason) &&
                       fil_teleop_move(teleop, commands->simulation, velocity, turning, "", reason);
    count(commands, "joy", taken, reason);
}

FIL_MESSAGE_FUNCTIONS(geometry_msgs, Twist)

const FilCommandTopic fil_twist_commands = {
    .topic = {"twist_commands", 100, false, "geometry_msgs/msg/Twist", type_of_Twist},
    .message = {sizeof(geometry_msgs__msg__Twist), init_Twist, fini_Twist},
    .unstamped = true,
    .apply = apply_twist,
};

FIL_MESSAGE_FUNCTIONS(geometry_msgs, TwistStamped)

const FilCommandTopic fil_stamped_twist_commands = {
    .topic = {"stamped_twist_commands", 100, false, "geometry_msgs/msg/TwistStamped", type_of_TwistStamped},
    .message = {sizeof(geometry_msgs__msg__TwistStamped), init_TwistStamped, fini_TwistStamped},
    .apply = apply_stamped_twist,
};

FIL_MESSAGE_FUNCTIONS(sensor_msgs, Joy)

const FilCommandTopic fil_joy_commands = {
    .topic = {"joy", 100, false, "sensor_msgs/msg/Joy", type_of_Joy},
    .message = {sizeof(sensor_msgs__msg__Joy), init_Joy, fini_Joy},
    .apply = apply_joy,
};
