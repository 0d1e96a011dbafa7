/* surface, collision, pairs: what things feel like when they touch, and which do. */
#include <string.h>

#include "scene/scene_build.h"

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

/* A group exists when something belongs to it. */
void fil_scene_read_groups(FilScene* scene)
{
    static const char* const sections[] = {"rods", "chains", "rigid_bodies", "arms", "robots", "nets", "shells", NULL};
    FilReader* reader = &scene->reader;
    const char* names[MOST_GROUPS] = {default_group};
    const FilYaml* ats[MOST_GROUPS] = {NULL};  // to blame for names given twice: there are none
    int count = 1;
    for (int s = 0; sections[s] != NULL; s++) {
        const FilYaml* list = fil_read_node(reader, scene->root, sections[s], FIL_OPTIONAL);
        for (const FilYaml* thing = list != NULL ? list->first : NULL; thing != NULL; thing = thing->next) {
            const FilYaml* collision = fil_yaml_find(thing, "collision");
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

/* ---- things ---- */

void fil_scene_read_collision(FilScene* scene, const FilYaml* thing, const FilSceneMaterial* material,
                              FilCollision* collision)
{
    static const char* const surface_keys[] = {"friction", "stiffness", "dissipation_time", "dissipation", NULL};
    static const char* const keys[] = {"enabled", "self", "groups", "with", NULL};
    FilReader* reader = &scene->reader;
    if (material != NULL) {
        collision->surface = material->surface;
    }
    const FilYaml* surface = fil_read_node(reader, thing, "surface", FIL_OPTIONAL);
    if (surface != NULL && fil_check_keys(reader, surface, surface_keys)) {
        fil_scene_read_surface_numbers(reader, surface, "stiffness", &collision->surface);
    }
    const FilYaml* node = fil_read_node(reader, thing, "collision", FIL_OPTIONAL);
    if (node != NULL && fil_check_keys(reader, node, keys)) {
        fil_read_flag(reader, node, "enabled", &collision->enabled);
        fil_read_flag(reader, node, "self", &collision->self);
        read_bits(scene, node, "groups", &collision->groups);
        read_bits(scene, node, "with", &collision->mask);
    }
}

/* ---- pairs ---- */

static const FilCollision* collision_of(const FilScene* scene, int thing)
{
    const int body = thing - scene->rod_count, arm = body - scene->body_count;
    return body < 0  ? &scene->rods[thing].def.collision
           : arm < 0 ? &scene->bodies[body].def.collision
                     : &scene->arms[arm].def.collision;
}

/* A thing, or a robot's link, by its name. */
static bool read_side(FilScene* scene, const FilYaml* node, const char* key, FilId* id, const FilSurface** surface)
{
    FilReader* reader = &scene->reader;
    const char* name = NULL;
    int index = 0;
    *id = fil_read_text(reader, node, key, FIL_REQUIRED, &name) ? fil_world_find_link(scene->world, name) : (FilId){0};
    for (int r = 0; r < scene->robot_count && id->index != 0; r++) {
        const FilId robot = scene->robots[r].id;
        for (int l = 0; l < fil_robot_link_count(scene->world, robot); l++) {
            if (fil_robot_link(scene->world, robot, l).index == id->index) {
                *surface = &scene->robots[r].def.collision.surface;
                return true;
            }
        }
    }
    if (!fil_read_reference(reader, node, key, FIL_REQUIRED, &scene->thing_names, "rod, rigid body or arm", &index)) {
        return false;
    }
    *id = fil_scene_object(scene, index);
    *surface = &collision_of(scene, index)->surface;
    return true;
}

void fil_scene_read_pairs(FilScene* scene)
{
    static const char* const keys[] = {"a", "b", "friction", "stiffness", "dissipation_time", "dissipation", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, scene->root, "pairs", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "pairs")) {
        return;
    }
    for (const FilYaml* node = list->first; node != NULL && fil_check_keys(reader, node, keys); node = node->next) {
        FilId a, b;
        const FilSurface *surface_a = NULL, *surface_b = NULL;
        if (!read_side(scene, node, "a", &a, &surface_a) || !read_side(scene, node, "b", &b, &surface_b)) {
            return;
        }
        // what is not given is what the two surfaces combine to
        FilSurface surface = fil_surface_combine(surface_a, surface_b);
        fil_scene_read_surface_numbers(reader, node, "stiffness", &surface);
        if (reader->status == FIL_OK) {
            const FilStatus status = fil_world_set_pair_surface(scene->world, a, b, &surface);
            fil_reader_take(reader, status, node, fil_world_error(scene->world));
        }
    }
}
