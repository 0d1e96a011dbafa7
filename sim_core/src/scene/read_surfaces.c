/* surface, collision, pairs: what objects feel like when they touch, and which do. */
#include <string.h>

#include "scene/kinds.h"

#define NUMBERS(standard_)                                                                                                      \
    FIL_KEY_NUMBER("friction", FIL_NOT_NEGATIVE, "1", standard_, "Coulomb's coefficient"),                                      \
        FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N/m", standard_, "of one contact; 0: as rigid as the step can resolve"), \
        FIL_KEY_NUMBER("dissipation_time", FIL_NOT_NEGATIVE, "s", standard_, "models `sap`, `lcp`"),                            \
        FIL_KEY_NUMBER("dissipation", FIL_NOT_NEGATIVE, "s/m", standard_, "Hunt and Crossley's, model `sap_lagged`")

const FilKey fil_surface_keys[] = {
    NUMBERS("that of the material"),
    FIL_KEY_NUMBER("modulus", FIL_NOT_NEGATIVE, "Pa", "0", "pressure at the deepest points; 0: points of contact, unless the other side has one"),
    FIL_KEY_NUMBER("resolution", FIL_NOT_NEGATIVE, "m", "0", "length of the cells; 0: a fifth of the depth, of rods the whole"),
    FIL_KEY_NUMBER("margin", FIL_NOT_NEGATIVE, "m", "0",
                   "how far ahead patches are looked for at rest; 0: a hundredth of the depth, 1e-4 m at least, of rods as of points"),
    FIL_KEY_NUMBER("thickness", FIL_NOT_NEGATIVE, "m", "0", "depth at which a half-space reaches its modulus; it needs one then"),
    FIL_KEY_FLAG("reduction", "true", "merge the polygons of two parts into nine contacts at most, which keep force, centre of pressure and torsion"),
    FIL_KEY_FLAG("single_point", "false",
                 "by points: only the deepest where two parts meet, as in engines that have one point for each pair of shapes; else a flat face has "
                 "one at each corner"),
    FIL_KEY_END,
};

const FilKey fil_collision_keys[] = {
    FIL_KEY_FLAG("enabled", "true", "whether it collides at all"),
    FIL_KEY_FLAG("self", "true", "with itself; of solids and robots false if it is not given"),
    FIL_KEY_TEXTS("groups", NULL, 0, "[default]", "what it belongs to; up to 32 in a scene"),
    FIL_KEY_TEXTS("with", NULL, 0, "all", "groups that it collides with; two objects meet if each allows the other"),
    FIL_KEY_END,
};

static const FilKey pair_keys[] = {
    FIL_KEY_TEXT("a", FIL_REQUIRED, "", "an object ..."),
    FIL_KEY_TEXT("b", FIL_REQUIRED, "", "... and another"),
    NUMBERS("what the two surfaces combine to"),
    FIL_KEY_FLAG("patches", "true", "false: they touch by points"),
    FIL_KEY_END,
};

/* The group of what names none; it has bit 0. */
static const char default_group[] = "default";

/* Bits of the masks that say which groups meet. */
enum { MAX_GROUPS = 32 };

/* ---- surfaces ---- */

void fil_scene_read_surface_numbers(FilReader* reader, const FilYaml* mapping, const char* stiffness, FilSurface* surface)
{
    fil_read_number(reader, mapping, "friction", FIL_NOT_NEGATIVE, &surface->friction);
    fil_read_number(reader, mapping, stiffness, FIL_NOT_NEGATIVE, &surface->stiffness);
    fil_read_number(reader, mapping, "dissipation_time", FIL_NOT_NEGATIVE, &surface->dissipation_time);
    fil_read_number(reader, mapping, "dissipation", FIL_NOT_NEGATIVE, &surface->dissipation);
}

/* What pressure patches go by. */
static void read_patches(FilReader* reader, const FilYaml* mapping, FilSurface* surface)
{
    bool reduction = !surface->whole;
    fil_read_number(reader, mapping, "modulus", FIL_NOT_NEGATIVE, &surface->modulus);
    fil_read_number(reader, mapping, "resolution", FIL_NOT_NEGATIVE, &surface->resolution);
    fil_read_number(reader, mapping, "margin", FIL_NOT_NEGATIVE, &surface->margin);
    fil_read_number(reader, mapping, "thickness", FIL_NOT_NEGATIVE, &surface->thickness);
    fil_read_flag(reader, mapping, "reduction", &reduction);
    surface->whole = !reduction;
    fil_read_flag(reader, mapping, "single_point", &surface->single_point);
}

/* ---- groups ---- */

/* Adds a group that has not been met before. */
static void collect_group(FilReader* reader, FilYaml* node, const char** names, int* count)
{
    const char* name = NULL;
    if (!fil_value_text(reader, node, &name)) {
        return;
    }
    for (int k = 0; k < *count; k++) {
        if (strcmp(names[k], name) == 0) {
            return;
        }
    }
    if (*count == MAX_GROUPS) {
        fil_reader_fail(reader, node, "more than %d groups of collision", MAX_GROUPS);
        return;
    }
    names[(*count)++] = name;
}

/* A group exists when an element of some section belongs to it. */
void fil_scene_read_groups(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const char* names[MAX_GROUPS] = {default_group};
    const FilYaml* ats[MAX_GROUPS] = {NULL};  // to blame for names given twice: there are none
    int count = 1;
    for (int k = 0; k < scene->list_count; k++) {
        const FilYaml* section = scene->lists[k].node;
        const bool is_list = section != NULL && section->kind == FIL_YAML_LIST;
        for (const FilYaml* element = is_list ? section->first : NULL; element != NULL; element = element->next) {
            const FilYaml* collision = fil_yaml_find(element, "collision");
            const FilYaml* groups = collision != NULL ? fil_yaml_find(collision, "groups") : NULL;
            for (FilYaml* node = groups != NULL ? groups->first : NULL; node != NULL; node = node->next) {
                collect_group(reader, node, names, &count);
            }
        }
    }
    fil_scene_index_names(scene, names, ats, count, &scene->group_names);
}

/* The bits of a list of groups. */
static void read_bits(FilScene* scene, const FilYaml* mapping, const char* key, uint32_t* bits)
{
    FilReader* reader = &scene->reader;
    FilYaml* list = fil_read_node(reader, mapping, key, FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "groups")) {
        return;
    }
    *bits = 0;
    for (FilYaml* node = list->first; node != NULL; node = node->next) {
        int index = 0;
        if (fil_value_reference(reader, node, &scene->group_names, "group", &index)) {
            *bits |= UINT32_C(1) << index;
        }
    }
}

/* ---- objects ---- */

void fil_scene_read_collision(FilScene* scene, const FilYaml* object, const FilSceneMaterial* material, FilCollision* collision)
{
    FilReader* reader = &scene->reader;
    if (material != NULL) {
        collision->surface = material->surface;
    }
    const FilYaml* surface = fil_read_node(reader, object, "surface", FIL_OPTIONAL);
    if (surface != NULL && fil_check_keys(reader, surface, fil_surface_keys)) {
        fil_scene_read_surface_numbers(reader, surface, "stiffness", &collision->surface);
        read_patches(reader, surface, &collision->surface);
    }
    const FilYaml* node = fil_read_node(reader, object, "collision", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, fil_collision_keys)) {
        fil_read_flag(reader, node, "enabled", &collision->enabled);
        fil_read_flag(reader, node, "self", &collision->self);
        read_bits(scene, node, "groups", &collision->groups);
        read_bits(scene, node, "with", &collision->mask);
    }
}

/* ---- pairs ---- */

static void add_pairs(FilScene* scene, FilSceneList* list)
{
    FilReader* reader = &scene->reader;
    if (list->node == NULL || !fil_check_list(reader, list->node, "pairs")) {
        return;
    }
    for (const FilYaml* node = list->node->first; node != NULL && fil_check_keys(reader, node, pair_keys); node = node->next) {
        const FilSceneItem* a = fil_scene_read_object(scene, node, "a");
        const FilSceneItem* b = fil_scene_read_object(scene, node, "b");
        if (a == NULL || b == NULL) {
            return;
        }
        if (a->surface == NULL || b->surface == NULL) {
            fil_reader_fail(reader, fil_yaml_find(node, a->surface == NULL ? "a" : "b"), "'%s' has no surface",
                            a->surface == NULL ? a->name : b->name);
            return;
        }
        // what is not given is what the two surfaces combine to
        FilSurface surface = fil_surface_combine(a->surface, b->surface);
        fil_scene_read_surface_numbers(reader, node, "stiffness", &surface);
        bool patches = true;
        fil_read_flag(reader, node, "patches", &patches);
        surface.by_points = !patches;
        if (reader->status == FIL_OK) {
            fil_scene_take(scene, fil_world_set_pair_surface(scene->world, a->id, b->id, &surface), node);
        }
    }
}

const FilSceneKind fil_scene_pairs = {
    .section = "pairs", .title = "pair", .text = "surfaces of two objects where they meet", .keys = pair_keys, .add = add_pairs};
