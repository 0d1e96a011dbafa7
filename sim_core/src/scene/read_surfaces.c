/* surface, collision, pairs: what objects feel like when they touch, and which do. */
#include <string.h>

#include "scene/kinds.h"

/* The group of what names none; it has bit 0. */
static const char default_group[] = "default";

enum { MOST_GROUPS = 32 };

/* ---- surfaces ---- */

void fil_scene_read_surface_numbers(FilReader* reader, const FilYaml* mapping, const char* stiffness,
                                    FilSurface* surface)
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
    if (*count == MOST_GROUPS) {
        fil_reader_fail(reader, node, "more than %d groups of collision", MOST_GROUPS);
        return;
    }
    names[(*count)++] = name;
}

/* A group exists when an element of some section belongs to it. */
void fil_scene_read_groups(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const char* names[MOST_GROUPS] = {default_group};
    const FilYaml* ats[MOST_GROUPS] = {NULL};  // to blame for names given twice: there are none
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

void fil_scene_read_collision(FilScene* scene, const FilYaml* object, const FilSceneMaterial* material,
                              FilCollision* collision)
{
    static const char* const surface_keys[] = {"friction", "stiffness",  "dissipation_time", "dissipation", "modulus",
                                               "resolution", "margin", "thickness", "reduction", NULL};
    static const char* const keys[] = {"enabled", "self", "groups", "with", NULL};
    FilReader* reader = &scene->reader;
    if (material != NULL) {
        collision->surface = material->surface;
    }
    const FilYaml* surface = fil_read_node(reader, object, "surface", FIL_OPTIONAL);
    if (surface != NULL && fil_check_keys(reader, surface, surface_keys)) {
        fil_scene_read_surface_numbers(reader, surface, "stiffness", &collision->surface);
        read_patches(reader, surface, &collision->surface);
    }
    const FilYaml* node = fil_read_node(reader, object, "collision", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, keys)) {
        fil_read_flag(reader, node, "enabled", &collision->enabled);
        fil_read_flag(reader, node, "self", &collision->self);
        read_bits(scene, node, "groups", &collision->groups);
        read_bits(scene, node, "with", &collision->mask);
    }
}

/* ---- pairs ---- */

static void add_pairs(FilScene* scene, FilSceneList* list)
{
    static const char* const keys[] = {"a", "b", "friction", "stiffness", "dissipation_time", "dissipation", "patches", NULL};
    FilReader* reader = &scene->reader;
    if (list->node == NULL || !fil_check_list(reader, list->node, "pairs")) {
        return;
    }
    for (const FilYaml* node = list->node->first; node != NULL && fil_check_keys(reader, node, keys); node = node->next) {
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

const FilSceneKind fil_scene_pairs = {.section = "pairs", .title = "pair", .add = add_pairs};
