/* rings: points and holes that slide on rods. */
#include "filum/ring.h"
#include "scene/kinds.h"

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
    static const char* const keys[] = {"rigid_body", "center", "axis", "radius", NULL};
    FilReader* reader = &scene->reader;
    double axis[3] = {0.0};
    if (!fil_check_keys(reader, hole, keys)) {
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

/* `point: {position, mass, ...}`, or `node: {...}` with a part of an object that can be a ring, or a hole. */
static void read_carrier(FilScene* scene, const FilYaml* node, const char* const* node_keys, FilRingDef* def)
{
    static const char* const words[] = {"point", "node", "hole", NULL};
    static const char* const point_keys[] = {"mass", "position", "velocity", "settled", NULL};
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_read_variant(reader, node, words, &body);
    if (word == 0 && fil_check_keys(reader, body, point_keys)) {
        fil_read_number(reader, body, "mass", FIL_REQUIRED | FIL_POSITIVE, &def->mass);
        fil_scene_read_vec3(reader, body, "position", &def->position);
        fil_scene_read_vec3(reader, body, "velocity", &def->velocity);
        fil_read_flag(reader, body, "settled", &def->settled);
    } else if (word == 1 && fil_check_keys(reader, body, node_keys)) {
        const FilSceneTarget target = fil_scene_read_target(scene, body, FIL_USE_RING, FIL_TARGET_ONE, NULL, "node");
        def->carrier = target.item != NULL ? target.item->id : (FilId){0};
        def->node = target.first;
    } else if (word == 2) {
        read_hole(scene, body, def);
    }
}

static void read_ring(FilScene* scene, const FilYaml* node, const char* const* node_keys, FilRingDef* def)
{
    static const char* const keys[] = {"name",   "rod",   "rods",      "point",    "node", "hole",
                                       "offset", "range", "stiffness", "friction", NULL};
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    read_track(scene, node, def);
    read_carrier(scene, node, node_keys, def);
    fil_read_number(reader, node, "offset", FIL_NOT_NEGATIVE, &def->offset);
    fil_read_number(reader, node, "range", FIL_POSITIVE, &def->range);
    fil_read_number(reader, node, "stiffness", FIL_POSITIVE, &def->stiffness);
    fil_read_number(reader, node, "friction", FIL_NOT_NEGATIVE, &def->friction);
}

/* Their rods must be in the world. */
static void add_rings(FilScene* scene, FilSceneList* list)
{
    const char* const* node_keys = fil_scene_target_keys(scene, FIL_USE_RING, FIL_TARGET_ONE, NULL, NULL);
    fil_scene_start_items(scene, list, 0);
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        FilSceneItem* item = list->items[k];
        FilRingDef def = fil_ring_def_default();
        def.name = item->name;
        read_ring(scene, item->at, node_keys, &def);
        if (scene->reader.status == FIL_OK) {
            fil_scene_take(scene, fil_world_add_ring(scene->world, &def, &item->id), item->at);
        }
    }
}

static const FilScenePart parts[] = {{.uses = FIL_USE_JOIN | FIL_USE_POINT}};

const FilSceneKind fil_scene_rings = {
    .section = "rings", .word = "ring", .title = "ring", .is_object = true, .add = add_rings, FIL_SCENE_PARTS(parts)};
