/* attachments: where objects are held. */
#include <stdio.h>
#include <string.h>

#include "scene/kinds.h"

static const FilKey spring_keys[] = {
    FIL_KEY_NUMBER("stiffness", FIL_REQUIRED | FIL_POSITIVE, "N/m", "", "of the spring that draws the node to the target"),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N s/m", "0", ""),
    FIL_KEY_NUMBER("max_force", FIL_NOT_NEGATIVE, "N", "0", "0: no limit"),
    FIL_KEY_END,
};

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

/* Rows of an attachment: those of `words`, each a mapping with its target. */
static const FilKey* make_keys(FilScene* scene)
{
    static const char* const texts[FORMS] = {
        "positions follow the target rigidly",
        "angles of the edges follow the target",
        "position and orientation of the cross-section",
        "a spring and damper draw the node to the target",
        "both nodes and the angle of an edge: a pin of this name and a twist called <name>_twist",
    };
    static const FilKey name = FIL_KEY_NAME("attachment<i> if it is not given");
    static const FilKey until = FIL_KEY_NUMBER("until", FIL_POSITIVE, "s", "for ever", "when it lets go");
    FilKey* keys = fil_reader_alloc(&scene->reader, FORMS + 3, sizeof *keys);
    for (int k = 0; k < FORMS && keys != NULL; k++) {
        const FilKey* target =
            fil_scene_target_keys(scene, forms[k].use, forms[k].flags, NULL, forms[k].kind == FIL_ATTACH_HANDLE ? spring_keys : NULL);
        keys[1 + k] = (FilKey)FIL_KEY_MAPPING(words[k], target, FIL_VARIANT, texts[k]);
    }
    if (keys != NULL) {
        keys[0] = name;
        keys[1 + FORMS] = until;
    }
    return scene->reader.status == FIL_OK ? keys : NULL;
}

static void read_attachment(FilScene* scene, FilSceneList* list, FilSceneItem* item, const FilKey* keys)
{
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_check_keys(reader, item->at, keys) ? fil_read_variant(reader, item->at, words, &body) : -1;
    if (word < 0 || !fil_check_keys(reader, body, fil_find_key(keys, words[word])->keys)) {
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
    const FilKey* keys = make_keys(scene);
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
    {.uses =
         FIL_USE_DRIVE(FIL_DRIVE_POSITION) | FIL_USE_DRIVE(FIL_DRIVE_VELOCITY) | FIL_USE_DRIVE(FIL_DRIVE_ROTATION) | FIL_USE_DRIVE(FIL_DRIVE_ANGLE)},
};

const FilSceneKind fil_scene_attachments = {
    .section = "attachments",
    .word = "attachment",
    .title = "attachment",
    .text = "what holds objects",
    .make_keys = make_keys,
    .add = add_attachments,
    FIL_SCENE_PARTS(parts),
    .take_drive = take_drive,
};
