#include "entities.h"

#include <string.h>

#include "kinds.h"

int fil_entity_count(const FilWorld* world)
{
    int count = 0;
    for (int k = 0; k < FIL_KIND_COUNT; k++) {
        count += fil_node_kind((FilKindId)k)->count(world);
    }
    return count;
}

static FilId id_of(const FilWorld* world, int entity, const FilNodeKind** kind)
{
    int k = 0;
    *kind = fil_node_kind((FilKindId)k);
    while (k < FIL_KIND_COUNT - 1 && entity >= (*kind)->count(world)) {
        entity -= (*kind)->count(world);
        *kind = fil_node_kind((FilKindId)++k);
    }
    return (*kind)->at(world, entity);
}

const char* fil_entity_name(const FilWorld* world, int entity)
{
    const FilNodeKind* kind;
    const FilId id = id_of(world, entity, &kind);
    return kind->name(world, id);
}

bool fil_entity_is_static(const FilWorld* world, int entity)
{
    const FilNodeKind* kind;
    const FilId id = id_of(world, entity, &kind);
    return kind->is_static != NULL && kind->is_static(world, id);
}

bool fil_entity_is_mounted(const FilWorld* world, int entity)
{
    const FilNodeKind* kind;
    const FilId id = id_of(world, entity, &kind);
    return kind->set_state == NULL || (kind->is_mounted != NULL && kind->is_mounted(world, id));
}

bool fil_entity_is_robot(const FilWorld* world, int entity)
{
    const FilNodeKind* kind;
    id_of(world, entity, &kind);
    return kind->is_robot;
}

int fil_entity_find(const FilWorld* world, const char* name)
{
    for (int i = 0; i < fil_entity_count(world); i++) {
        if (strcmp(fil_entity_name(world, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

void fil_entity_get_state(const FilWorld* world, int entity, FilEntityState* state)
{
    const FilNodeKind* kind;
    const FilId id = id_of(world, entity, &kind);
    *state = (FilEntityState){.orientation = {0.0, 0.0, 0.0, 1.0}};
    kind->get_state(world, id, state);
}

int fil_entity_place_count(const FilWorld* world, int entity)
{
    const FilNodeKind* kind;
    const FilId id = id_of(world, entity, &kind);
    return kind->place_count != NULL ? kind->place_count(world, id) : 1;
}

void fil_entity_place(const FilWorld* world, int entity, int index, double position[3])
{
    const FilNodeKind* kind;
    const FilId id = id_of(world, entity, &kind);
    if (kind->place != NULL) {
        kind->place(world, id, index, position);
        return;
    }
    FilEntityState state;
    fil_entity_get_state(world, entity, &state);
    position[0] = state.position.x, position[1] = state.position.y, position[2] = state.position.z;
}

const char* fil_entity_holder(const FilWorld* world, int entity)
{
    const FilNodeKind* kind;
    const FilId id = id_of(world, entity, &kind);
    for (int k = 0; k < fil_world_attachment_count(world); k++) {
        const FilId attachment = fil_world_attachment_at(world, k);
        const FilAttachmentInfo info = fil_attachment_info(world, attachment);
        if (info.active && info.kind != FIL_ATTACH_HANDLE && info.object.index == id.index && info.object.generation == id.generation) {
            return fil_attachment_name(world, attachment);
        }
    }
    return NULL;
}

FilStatus fil_entity_set_state(FilWorld* world, int entity, const FilEntityState* pose, const FilEntityState* twist)
{
    const FilNodeKind* kind;
    const FilId id = id_of(world, entity, &kind);
    return fil_entity_is_mounted(world, entity) ? FIL_BAD_INPUT : kind->set_state(world, id, pose, twist);
}
