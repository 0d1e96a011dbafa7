/* attachments: where objects are held. */
#include <stdio.h>
#include <string.h>

#include "scene/kinds.h"

/* A word of the scene and what it holds; a hold is a pin of two nodes and a twist of their edge. */
static const struct {
    FilAttachmentKind kind;
    int use;
    unsigned flags;
} forms[] = {
    {FIL_ATTACH_PIN, FIL_USE_ATTACH(FIL_ATTACH_PIN), FIL_TARGET_RANGE},
    {FIL_ATTACH_TWIST, FIL_USE_ATTACH(FIL_ATTACH_TWIST), FIL_TARGET_RANGE},
    {FIL_ATTACH_CLAMP, FIL_USE_ATTACH(FIL_ATTACH_CLAMP), FIL_TARGET_ONE},
    {FIL_ATTACH_HANDLE, FIL_USE_ATTACH(FIL_ATTACH_HANDLE), FIL_TARGET_ONE},
    {FIL_ATTACH_PIN, FIL_USE_HOLD, FIL_TARGET_ONE},
};

enum { FORMS = sizeof forms / sizeof *forms };

static const char* const words[FORMS + 1] = {"pin", "twist", "clamp", "handle", "hold", NULL};

static void add_attachment(FilScene* scene, FilSceneItem* item, const FilAttachmentDef* def)
{
    if (scene->reader.status == FIL_OK && item != NULL) {
        fil_scene_take(scene, fil_world_add_attachment(scene->world, def, &item->id), item->at);
    }
}

/* The pin of the edge's nodes, and a second attachment "<name>_twist". */
static void add_hold(FilScene* scene, FilSceneList* list, FilSceneItem* item, const FilYaml* body, FilAttachmentDef* def)
{
    FilReader* reader = &scene->reader;
    if (def->first + 1 >= fil_part_count(scene->world, def->object, "node")) {
        fil_reader_fail(reader, body, "the closing edge of a closed rod cannot be held: its nodes are not neighbours");
    }
    char* second = fil_reader_alloc(reader, strlen(item->name) + sizeof "_twist", 1);
    if (second == NULL) {
        return;
    }
    sprintf(second, "%s_twist", item->name);
    def->count = 2;
    add_attachment(scene, item, def);
    def->name = second;
    def->kind = FIL_ATTACH_TWIST;
    def->count = 1;
    add_attachment(scene, fil_scene_new_item(scene, list, second, item->at, 0), def);
}

static void read_attachment(FilScene* scene, FilSceneList* list, FilSceneItem* item, const char* const* const* form_keys)
{
    static const char* const keys[] = {"name", "pin", "twist", "clamp", "handle", "hold", "until", NULL};
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_check_keys(reader, item->at, keys) ? fil_read_variant(reader, item->at, words, &body) : -1;
    if (word < 0 || !fil_check_keys(reader, body, form_keys[word])) {
        return;
    }
    FilAttachmentDef def = fil_attachment_def_default();
    def.name = item->name;
    def.kind = forms[word].kind;
    const FilSceneTarget target = fil_scene_read_target(scene, body, forms[word].use, forms[word].flags, NULL, words[word]);
    fil_read_number(reader, item->at, "until", FIL_POSITIVE, &def.until);
    if (def.kind == FIL_ATTACH_HANDLE) {
        fil_read_number(reader, body, "stiffness", FIL_REQUIRED | FIL_POSITIVE, &def.stiffness);
        fil_read_number(reader, body, "damping", FIL_NOT_NEGATIVE, &def.damping);
        fil_read_number(reader, body, "max_force", FIL_NOT_NEGATIVE, &def.max_force);
    }
    if (reader->status != FIL_OK) {
        return;
    }
    def.object = target.item->id;
    def.first = target.first;
    def.count = target.count;
    if (forms[word].use == FIL_USE_HOLD) {
        add_hold(scene, list, item, body, &def);
    } else {
        add_attachment(scene, item, &def);
    }
}

static void add_attachments(FilScene* scene, FilSceneList* list)
{
    static const char* const spring_keys[] = {"stiffness", "damping", "max_force", NULL};
    const char* const* keys[FORMS];
    for (int k = 0; k < FORMS; k++) {
        keys[k] = fil_scene_target_keys(scene, forms[k].use, forms[k].flags, NULL,
                                        forms[k].kind == FIL_ATTACH_HANDLE ? spring_keys : NULL);
    }
    fil_scene_start_items(scene, list, 0);
    const int count = list->count;  // holds add more
    for (int k = 0; k < count && scene->reader.status == FIL_OK; k++) {
        read_attachment(scene, list, list->items[k], keys);
    }
}

static void take_drive(FilScene* scene, const FilSceneItem* item, const FilYaml* at, const char* word, FilDriveDef* def)
{
    (void)scene, (void)at, (void)word;
    def->attachment = item->id;
}

static const FilScenePart parts[] = {
    {.uses = FIL_USE_DRIVE(FIL_DRIVE_POSITION) | FIL_USE_DRIVE(FIL_DRIVE_VELOCITY) | FIL_USE_DRIVE(FIL_DRIVE_ROTATION) |
             FIL_USE_DRIVE(FIL_DRIVE_ANGLE)},
};

const FilSceneKind fil_scene_attachments = {
    .section = "attachments",
    .word = "attachment",
    .title = "attachment",
    .add = add_attachments,
    FIL_SCENE_PARTS(parts),
    .take_drive = take_drive,
};
