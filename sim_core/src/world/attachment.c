/* Attachments: registering them with their body, and reading what they did. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "world/world.h"

FilAttachmentDef fil_attachment_def_default(void)
{
    return (FilAttachmentDef){.kind = FIL_ATTACH_PIN, .count = 1};
}

/* What every body can rely on: a kind that there is, and a range whose ends can be counted. */
static FilStatus check_def(FilWorld* world, const FilAttachmentDef* def, const char* shown)
{
    if ((unsigned)def->kind > FIL_ATTACH_HANDLE) {
        return fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s': unknown kind %d", shown, (int)def->kind);
    }
    if (def->first < -FIL_COUNT_MAX || def->first > FIL_COUNT_MAX || def->count < 0 || def->count > FIL_COUNT_MAX) {
        return fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s': there is no range from %d, %d long", shown, def->first, def->count);
    }
    return isnan(def->until) ? fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s': until is not a number", shown) : FIL_OK;
}

/* Which points it holds; the body has found them to be there. */
static void note_points(const FilWorld* world, const FilAttachmentDef* def, FilAttachment* attachment)
{
    const FilBody* body = &world->system.bodies[attachment->body];
    if (body->ops->point == NULL) {
        return;
    }
    const bool many = def->kind == FIL_ATTACH_PIN || def->kind == FIL_ATTACH_TWIST;
    const int local = world->objects[attachment->object].local, count = body->ops->point_count(body->impl, local);
    attachment->first = def->first < 0 ? def->first + count : def->first;
    attachment->count = many ? def->count : 1;
    fil_v3_copy(attachment->home, world->system.state.q + body->q + 4 * body->ops->point(body->impl, local, attachment->first));
}

FilStatus fil_world_add_attachment(FilWorld* world, const FilAttachmentDef* def, FilId* id)
{
    if (def == NULL) {
        return fil_world_fail(world, FIL_BAD_INPUT, "an attachment needs a definition");
    }
    const char* shown = def->name != NULL ? def->name : "?";
    const int index = fil_id_index(world, FIL_ID_OBJECT, def->object);
    if (index < 0) {
        return fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s': needs a rod of this world", shown);
    }
    FilStatus status = check_def(world, def, shown);
    status = status == FIL_OK ? fil_world_reserve(world, (void**)&world->attachments, world->attachment_count, &world->attachment_capacity,
                                                  sizeof *world->attachments)
                              : status;
    if (status != FIL_OK) {
        return status;
    }
    char* name = fil_world_new_name(world, def->name, "attachment", world->attachment_count + 1, fil_world_find_attachment);
    if (name == NULL) {
        return FIL_BAD_INPUT;
    }
    const FilObject* object = &world->objects[index];
    const FilBody* body = &world->system.bodies[object->body];
    FilError inner;
    int slot;
    if (def->axes > 7 || (def->axes != 0 && body->ops->mesh == NULL)) {
        fil_free(name);
        return fil_world_fail(world, FIL_BAD_INPUT, "attachment '%s' on '%s': only pins of shells and solids hold single components, x, y or z",
                              shown, object->name);
    }
    status = body->ops->attach(body->impl, object->local, def, world->system.state.q + body->q, world->system.state.h + body->h, &slot, &inner);
    if (status != FIL_OK) {
        status = fil_world_fail(world, status, "attachment '%s' on '%s': %s", name, object->name, inner.text);
    } else {
        status = fil_world_grow_controls(world, 1, 0);
    }
    if (status != FIL_OK) {
        fil_free(name);
        return status;
    }
    // active from the start, in every copy of the controls
    for (int s = 0; s < FIL_STATE_COUNT; s++) {
        fil_attachment_control(world, &world->system.states[s], world->attachment_count)[0] = 1.0;
    }
    FilAttachment* attachment = &world->attachments[world->attachment_count];
    *attachment = (FilAttachment){
        .name = name, .body = object->body, .slot = slot, .until = def->until > 0.0 ? def->until : INFINITY, .kind = def->kind, .object = index};
    note_points(world, def, attachment);
    fil_give_id(world, FIL_ID_ATTACHMENT, world->attachment_count++, id);
    fil_world_place_targets(world);
    return FIL_OK;
}

int fil_world_attachment_count(const FilWorld* world)
{
    return world->attachment_count;
}

FilId fil_world_attachment_at(const FilWorld* world, int index)
{
    return index >= 0 && index < world->attachment_count ? fil_make_id(world, FIL_ID_ATTACHMENT, index) : (FilId){0};
}

const char* fil_attachment_name(const FilWorld* world, FilId id)
{
    const int index = fil_id_index(world, FIL_ID_ATTACHMENT, id);
    return index >= 0 ? world->attachments[index].name : NULL;
}

static bool is_driven(const FilWorld* world, int attachment)
{
    for (int d = 0; d < world->drive_count; d++) {
        if (world->drives[d].attachment == attachment) {
            return true;
        }
    }
    return false;
}

FilAttachmentInfo fil_attachment_info(const FilWorld* world, FilId id)
{
    const int index = fil_id_find(world, FIL_ID_ATTACHMENT, id);
    if (index < 0) {
        return (FilAttachmentInfo){0};
    }
    const FilAttachment* attachment = &world->attachments[index];
    return (FilAttachmentInfo){.kind = attachment->kind,
                               .object = fil_make_id(world, FIL_ID_OBJECT, attachment->object),
                               .first = attachment->first,
                               .count = attachment->count,
                               .active = fil_attachment_control(world, &world->system.state, index)[0] != 0.0 && world->time < attachment->until,
                               .driven = is_driven(world, index)};
}

/* A spring's far end: where it was made, moved by its drives. */
static void handle_target(const FilWorld* world, int index, double* x)
{
    fil_v3_copy(x, world->attachments[index].home);
    fil_v3_axpy(x, 1.0, fil_attachment_control(world, &world->system.state, index) + 1);
    for (int d = 0; d < world->drive_count; d++) {
        double value[3];
        if (world->drives[d].attachment == index && world->drives[d].kind == FIL_DRIVE_POSITION) {
            fil_drive_evaluate(world, &world->system.state, d, world->time, value);
            fil_v3_axpy(x, 1.0, value);
        }
    }
}

FilVec3 fil_attachment_point(const FilWorld* world, FilId id, int index)
{
    double x[3] = {NAN, NAN, NAN};
    const int number = fil_id_find(world, FIL_ID_ATTACHMENT, id);
    const FilAttachment* attachment = number >= 0 ? &world->attachments[number] : NULL;
    if (attachment != NULL && fil_world_has_part(world, "attachment", attachment->name, "point", index, attachment->count)) {
        const FilBody* body = &world->system.bodies[attachment->body];
        const int local = world->objects[attachment->object].local, count = body->ops->point_count(body->impl, local);
        const int block = body->ops->point(body->impl, local, (attachment->first + index) % count);
        if (attachment->kind == FIL_ATTACH_HANDLE) {
            handle_target(world, number, x);
        } else {
            fil_v3_copy(x, world->system.state.q + body->q + 4 * block);
        }
    }
    return (FilVec3){x[0], x[1], x[2]};
}

FilId fil_world_find_attachment(const FilWorld* world, const char* name)
{
    for (int a = 0; a < world->attachment_count && name != NULL; a++) {
        if (strcmp(world->attachments[a].name, name) == 0) {
            return fil_make_id(world, FIL_ID_ATTACHMENT, a);
        }
    }
    return (FilId){0};
}

FilStatus fil_attachment_set_active(FilWorld* world, FilId id, bool active)
{
    const int index = fil_id_find(world, FIL_ID_ATTACHMENT, id);
    if (index < 0) {
        return FIL_BAD_INPUT;
    }
    fil_attachment_control(world, &world->system.state, index)[0] = active ? 1.0 : 0.0;
    return FIL_OK;
}

/* Not a number for what is no attachment. */
static void reaction(const FilWorld* world, FilId id, double* force, double* torque)
{
    const int index = fil_id_find(world, FIL_ID_ATTACHMENT, id);
    if (index < 0) {
        fil_v3_set(force, NAN, NAN, NAN);
        fil_v3_set(torque, NAN, NAN, NAN);
        return;
    }
    const FilAttachment* attachment = &world->attachments[index];
    const FilBody* body = &world->system.bodies[attachment->body];
    body->ops->reaction(body->impl, attachment->slot, force, torque);
}

FilVec3 fil_attachment_force(const FilWorld* world, FilId attachment)
{
    double force[3], torque[3];
    reaction(world, attachment, force, torque);
    return (FilVec3){force[0], force[1], force[2]};
}

FilVec3 fil_attachment_torque(const FilWorld* world, FilId attachment)
{
    double force[3], torque[3];
    reaction(world, attachment, force, torque);
    return (FilVec3){torque[0], torque[1], torque[2]};
}
