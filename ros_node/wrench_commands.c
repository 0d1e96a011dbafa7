/* Commands to bodies: a force and a torque for a while. */
#include <math.h>
#include <stdio.h>

#include "command_parts.h"
#include "filum/msg/body_wrench.h"

static const char topic_name[] = "wrench_commands";

static void apply(FilCommands* commands, const void* message)
{
    const filum__msg__BodyWrench* command = message;
    const geometry_msgs__msg__Vector3 *f = &command->wrench.force, *t = &command->wrench.torque;
    const geometry_msgs__msg__Point* p = &command->point;
    FilBodyWrench wrench = {.force = {f->x, f->y, f->z}, .torque = {t->x, t->y, t->z}, .in_body = command->in_body, .point = {p->x, p->y, p->z}};
    // a sum is finite only if all are
    if (!isfinite(f->x + f->y + f->z + t->x + t->y + t->z + p->x + p->y + p->z) || isnan(command->duration)) {
        FIL_REFUSE(commands, "%s: '%s': wrench, point and duration must be finite", topic_name, fil_shown(command->body.data).text);
        return;
    }
    if (command->body.size >= sizeof wrench.body) {
        FIL_REFUSE(commands, "%s: the name of a body is too long", topic_name);
        return;
    }
    snprintf(wrench.body, sizeof wrench.body, "%s", command->body.data);
    fil_command_done(commands, topic_name, fil_body_wrenches_take(&commands->wrenches, commands->simulation, &wrench, command->duration));
}

FIL_MESSAGE_FUNCTIONS(filum, BodyWrench)

const FilCommandTopic fil_wrench_commands = {
    .topic = {topic_name, 100, false, "filum/msg/BodyWrench", type_of_BodyWrench},
    .message = {sizeof(filum__msg__BodyWrench), init_BodyWrench, fini_BodyWrench},
    .apply = apply,
};
