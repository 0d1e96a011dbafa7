/* rings: points and holes that slide on rods. */
#include "filum/ring.h"
#include "scene/kinds.h"

static const FilKey hole_keys[] = {
    FIL_KEY_TEXT("rigid_body", FIL_REQUIRED, "", "that has the hole"),
    FIL_KEY_VECTOR("center", 3, 0, "m", "[0, 0, 0]", "in the body's frame"),
    FIL_KEY_VECTOR("axis", 3, FIL_REQUIRED, "", "", "in the body's frame"),
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_END,
};

static const FilKey point_keys[] = {
    FIL_KEY_NUMBER("mass", FIL_REQUIRED | FIL_POSITIVE, "kg", "", ""),
    FIL_KEY_VECTOR("position", 3, 0, "m", "[0, 0, 0]", ""),
    FIL_KEY_VECTOR("velocity", 3, 0, "m/s", "[0, 0, 0]", ""),
    FIL_KEY_FLAG("settled", "false", "begins where its weight and the barrier balance"),
    FIL_KEY_END,
};

/* `rod: name`, or `rods: [names]` one after the other. */
static void read_track(FilScene* scene, const FilYaml* node, FilRingDef* def)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, node, "rods", FIL_OPTIONAL);
    FilId* rods = fil_reader_alloc(reader, list != NULL ? (size_t)list->count : 1, sizeof *rods);
    if (rods == NULL) {
        return;
    }
    def->rods = rods;
    if (list == NULL) {
        const FilSceneItem* rod = fil_scene_read_item(scene, node, "rod", "rod", FIL_REQUIRED);
        if (rod != NULL) {
            rods[def->rod_count++] = rod->id;
        }
        return;
    }
    if (fil_yaml_find(node, "rod") != NULL) {
        fil_reader_fail(reader, list, "only one of 'rod' and 'rods' may be given");
        return;
    }
    if (!fil_check_list(reader, list, "names of rods")) {
        return;
    }
    for (FilYaml* name = list->first; name != NULL && reader->status == FIL_OK; name = name->next) {
        const FilSceneItem* rod = fil_scene_value_item(scene, name, "rod");
        if (rod != NULL) {
            rods[def->rod_count++] = rod->id;
        }
    }
}

/* `hole: {rigid_body: name, center, axis, radius}` in that body's frame. */
static void read_hole(FilScene* scene, const FilYaml* hole, FilRingDef* def)
{
    FilReader* reader = &scene->reader;
    double axis[3] = {0.0};
    if (!fil_check_keys(reader, hole, hole_keys)) {
        return;
    }
    const FilSceneItem* body = fil_scene_read_item(scene, hole, "rigid_body", "body", FIL_REQUIRED);
    if (body != NULL) {
        def->carrier = body->id;
    }
    fil_scene_read_vec3(reader, hole, "center", &def->hole);
    if (fil_read_vector(reader, hole, "axis", FIL_REQUIRED, 3, axis)) {
        def->hole_axis = (FilVec3){axis[0], axis[1], axis[2]};
    }
    fil_read_number(reader, hole, "radius", FIL_REQUIRED | FIL_POSITIVE, &def->hole_radius);
}

/* Rows of a ring; the parts that can be one follow from the kinds. */
static const FilKey* make_keys(FilScene* scene)
{
    const FilKey keys[] = {
        FIL_KEY_NAME("ring<i> if it is not given"),
        FIL_KEY_TEXT("rod", 0, "", "that it slides on, or else ..."),
        FIL_KEY_TEXTS("rods", NULL, 0, "", "... these, one after the other"),
        FIL_KEY_MAPPING("point", point_keys, FIL_VARIANT, "it is a point with a mass"),
        FIL_KEY_MAPPING("node", fil_scene_target_keys(scene, FIL_USE_RING, FIL_TARGET_ONE, NULL, NULL), FIL_VARIANT, "it is a part of an object"),
        FIL_KEY_MAPPING("hole", hole_keys, FIL_VARIANT, "it is a hole of a rigid body"),
        FIL_KEY_NUMBER("offset", FIL_NOT_NEGATIVE, "m", "0", "distance from the rod at which there is no force"),
        FIL_KEY_NUMBER("range", FIL_POSITIVE, "m", "", "of its barrier"),
        FIL_KEY_NUMBER("stiffness", FIL_POSITIVE, "N/m", "", "of its barrier"),
        FIL_KEY_NUMBER("friction", FIL_NOT_NEGATIVE, "1", "0", "Coulomb's coefficient"),
        FIL_KEYS_LOOK,
        FIL_KEY_END,
    };
    return fil_keys_copy(&scene->reader, keys);
}

/* `point: {position, mass, ...}`, or `node: {...}` with a part of an object that can be a ring, or a hole. */
static void read_carrier(FilScene* scene, const FilYaml* node, const FilKey* keys, FilRingDef* def)
{
    static const char* const words[] = {"point", "node", "hole", NULL};
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_read_variant(reader, node, words, &body);
    if (word == 0 && fil_check_keys(reader, body, point_keys)) {
        fil_read_number(reader, body, "mass", FIL_REQUIRED | FIL_POSITIVE, &def->mass);
        fil_scene_read_vec3(reader, body, "position", &def->position);
        fil_scene_read_vec3(reader, body, "velocity", &def->velocity);
        fil_read_flag(reader, body, "settled", &def->settled);
    } else if (word == 1 && fil_check_keys(reader, body, fil_find_key(keys, "node")->keys)) {
        const FilSceneTarget target = fil_scene_read_target(scene, body, FIL_USE_RING, FIL_TARGET_ONE, NULL, "node");
        def->carrier = target.item != NULL ? target.item->id : (FilId){0};
        def->node = target.first;
    } else if (word == 2) {
        read_hole(scene, body, def);
    }
}

static void read_ring(FilScene* scene, const FilYaml* node, const FilKey* keys, FilRingDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    read_track(scene, node, def);
    read_carrier(scene, node, keys, def);
    fil_read_number(reader, node, "offset", FIL_NOT_NEGATIVE, &def->offset);
    fil_read_number(reader, node, "range", FIL_POSITIVE, &def->range);
    fil_read_number(reader, node, "stiffness", FIL_POSITIVE, &def->stiffness);
    fil_read_number(reader, node, "friction", FIL_NOT_NEGATIVE, &def->friction);
}

/* Their rods must be in the world. */
static void add_rings(FilScene* scene, FilSceneList* list)
{
    const FilKey* keys = make_keys(scene);
    fil_scene_start_items(scene, list, 0);
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        FilSceneItem* item = list->items[k];
        FilRingDef def = fil_ring_def_default();
        def.name = item->name;
        read_ring(scene, item->at, keys, &def);
        if (scene->reader.status == FIL_OK) {
            fil_scene_take(scene, fil_world_add_ring(scene->world, &def, &item->id), item->at);
        }
    }
}

static const FilScenePart parts[] = {{.uses = FIL_USE_JOIN | FIL_USE_POINT}};

const FilSceneKind fil_scene_rings = {.section = "rings",
                                      .word = "ring",
                                      .title = "ring",
                                      .text = "points, holes and parts of objects that slide on rods",
                                      .is_object = true,
                                      .make_keys = make_keys,
                                      .add = add_rings,
                                      FIL_SCENE_PARTS(parts)};
