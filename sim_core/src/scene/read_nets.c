/* nets: many rods at once, joined where they cross. */
#include <stdio.h>
#include <string.h>

#include "scene/net.h"
#include "scene/scene_build.h"

static const char* const net_keys[] = {"name",   "material",  "section", "hexagon", "damping", "drag",
                                       "twist_free", "gyroscopic", "surface", "collision", NULL};

/* The hexagon of a net, checked; false after a failure. */
static bool read_hexagon(FilScene* scene, const FilYaml* node, FilHexagonNet* net)
{
    static const char* const keys[] = {"center", "side", "cells", "segments", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* hexagon = fil_check_keys(reader, node, net_keys) ? fil_read_node(reader, node, "hexagon", FIL_REQUIRED) : NULL;
    *net = (FilHexagonNet){.cells = 1, .segments = 1};
    if (hexagon == NULL || !fil_check_keys(reader, hexagon, keys)) {
        return false;
    }
    fil_read_vector(reader, hexagon, "center", FIL_OPTIONAL, 3, net->center);
    fil_read_number(reader, hexagon, "side", FIL_REQUIRED | FIL_POSITIVE, &net->side);
    fil_read_integer(reader, hexagon, "cells", FIL_REQUIRED, 1, 500, &net->cells);
    fil_read_integer(reader, hexagon, "segments", FIL_OPTIONAL, 1, 1000, &net->segments);
    return reader->status == FIL_OK;
}

static const FilYaml* nets_of(FilScene* scene)
{
    const FilYaml* list = fil_read_node(&scene->reader, scene->root, "nets", FIL_OPTIONAL);
    return list != NULL && fil_check_list(&scene->reader, list, "nets") ? list : NULL;
}

int fil_scene_count_cords(FilScene* scene)
{
    const FilYaml* list = nets_of(scene);
    int count = 0;
    for (const FilYaml* node = list != NULL ? list->first : NULL; node != NULL; node = node->next) {
        FilHexagonNet net;
        if (!read_hexagon(scene, node, &net)) {
            return 0;
        }
        count += fil_net_cords(&net);
        scene->net_junction_count += fil_net_junctions(&net);
    }
    return count;
}

/* "<net>_side3" and "<net>_cord17". */
static const char* cord_name(FilReader* reader, const char* net, int cord)
{
    const size_t size = strlen(net) + 24;
    char* name = fil_reader_alloc(reader, size, 1);
    if (name != NULL) {
        snprintf(name, size, cord < 6 ? "%s_side%d" : "%s_cord%d", net, cord < 6 ? cord : cord - 6);
    }
    return name;
}

static void read_net(FilScene* scene, const FilYaml* node, int number, const char** names, const FilYaml** ats, int* rod_count,
                     int* junction_count)
{
    FilReader* reader = &scene->reader;
    FilHexagonNet net;
    char standard[32];
    snprintf(standard, sizeof standard, "net%d", number);
    const char* name = standard;
    FilRodDef cord = fil_rod_def_default();
    if (!read_hexagon(scene, node, &net)) {
        return;
    }
    fil_read_name(reader, node, "name", FIL_OPTIONAL, &name);
    fil_scene_read_cord(scene, node, &cord);
    const int first = *rod_count;
    for (int k = 0; k < fil_net_cords(&net) && reader->status == FIL_OK; k++) {
        FilSceneRod* rod = &scene->rods[*rod_count];
        rod->at = node;
        rod->def = cord;
        rod->def.name = names[*rod_count] = cord_name(reader, name, k);
        rod->def.node_count = fil_net_cord_nodes(&net, k);
        rod->edge_count = rod->def.node_count - 1;
        if (rod->def.node_count > scene->limits.nodes - scene->node_count) {
            fil_reader_fail(reader, node, "more than %d nodes in one scene", scene->limits.nodes);
        }
        double* nodes = fil_reader_alloc(reader, (size_t)rod->def.node_count, 3 * sizeof *nodes);
        if (nodes == NULL) {
            return;
        }
        fil_net_cord(&net, k, nodes);
        rod->def.nodes = nodes;
        scene->node_count += rod->def.node_count;
        ats[(*rod_count)++] = node;
    }
    int* scratch = fil_reader_alloc(reader, (size_t)fil_net_scratch(&net), sizeof *scratch);
    if (scratch == NULL) {
        return;
    }
    FilRodJunction* junctions = scene->net_junctions + *junction_count;
    fil_net_join(&net, scratch, junctions);
    for (int k = 0; k < fil_net_junctions(&net); k++) {
        junctions[k].rod_a += first;
        junctions[k].rod_b += first;
    }
    *junction_count += fil_net_junctions(&net);
}

void fil_scene_read_nets(FilScene* scene, const char** names, const FilYaml** ats, int* rod_count)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = nets_of(scene);
    scene->net_junctions = fil_reader_alloc(reader, (size_t)scene->net_junction_count, sizeof *scene->net_junctions);
    int number = 0, junctions = 0;
    for (const FilYaml* node = list != NULL ? list->first : NULL; node != NULL && reader->status == FIL_OK; node = node->next) {
        read_net(scene, node, number++, names, ats, rod_count, &junctions);
    }
}
