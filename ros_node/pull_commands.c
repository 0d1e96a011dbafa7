/* Commands to the hand, which pulls on objects: from pages, and from whoever else sends them. */
#include <limits.h>
#include <math.h>

#include "command_parts.h"
#include "filum/msg/pull.h"
#include "view/show.h"

/* Of the default pull: only refuses slips of a key, as the stiffness itself is bounded by the step (view/hand.c). */
static const double MAX_STRENGTH = 1e6;

static bool is_finite(const geometry_msgs__msg__Point* point)
{
    return isfinite(point->x) && isfinite(point->y) && isfinite(point->z);
}

static void hold(FilCommands* commands, FilHand* hand, const filum__msg__Pull* pull)
{
    FilWorld* world = commands->simulation->world;
    const int object = fil_show_find(world, pull->object.data);
    if (!fil_command_has(commands, "pulls", "object", pull->object.data, object >= 0)) {
        return;
    }
    if (!is_finite(&pull->local) || !(pull->strength > 0.0) || pull->strength > MAX_STRENGTH || pull->part > INT_MAX) {
        FIL_REFUSE(commands, "pulls: '%s': local must be finite, and strength from 0 to %g", fil_shown(pull->object.data).text, MAX_STRENGTH);
        return;
    }
    const double local[3] = {pull->local.x, pull->local.y, pull->local.z};
    fil_command_done(commands, "pulls", fil_hand_grab(hand, world, object, (int)pull->part, local, pull->strength));
}

static void move(FilCommands* commands, FilHand* hand, const filum__msg__Pull* pull)
{
    if (hand->held < 0) {
        FIL_REFUSE(commands, "pulls: a target, but nothing is held");
    } else if (!is_finite(&pull->target)) {
        FIL_REFUSE(commands, "pulls: the target is not finite");
    } else {
        fil_hand_move(hand, (double[]){pull->target.x, pull->target.y, pull->target.z});
        fil_command_done(commands, "pulls", FIL_OK);
    }
}

static void apply(FilCommands* commands, const void* message)
{
    const filum__msg__Pull* pull = message;
    FilHand* hand = fil_commands_hand(commands);
    switch (pull->action) {
        case filum__msg__Pull__HOLD:
            hold(commands, hand, pull);
            break;
        case filum__msg__Pull__MOVE:
            move(commands, hand, pull);
            break;
        case filum__msg__Pull__RELEASE:
            fil_hand_release(hand, commands->simulation->world);
            fil_command_done(commands, "pulls", FIL_OK);
            break;
        default:
            FIL_REFUSE(commands, "pulls: there is no action %u", (unsigned)pull->action);
            break;
    }
}

FIL_MESSAGE_FUNCTIONS(filum, Pull)

const FilCommandTopic fil_pull_commands = {
    .topic = {"pulls", 100, false, "filum/msg/Pull", type_of_Pull},
    .message = {sizeof(filum__msg__Pull), init_Pull, fini_Pull},
    .apply = apply,
};
