/* nets: many rods at once, joined where they cross. */
#include <stdio.h>
#include <string.h>

#include "scene/kinds.h"
#include "scene/net.h"

static const FilKey hexagon_keys[] = {
    FIL_KEY_VECTOR("center", 3, 0, "m", "[0, 0, 0]", ""),
    FIL_KEY_NUMBER("side", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_WHOLE("cells", FIL_REQUIRED | FIL_POSITIVE, "", "along a side"),
    FIL_KEY_WHOLE("segments", FIL_POSITIVE, "1", "of a cord between crossings"),
    FIL_KEY_END,
};

static const FilKey net_keys[] = {
    FIL_KEY_NAME("net<i> if it is not given; its cords are rods <name>_side0 to <name>_side5, <name>_cord0, ..."),
    FIL_KEY_TEXT("material", 0, "", "of the cords"),
    FIL_KEY_MAPPING("section", fil_section_keys, FIL_REQUIRED, "of the cords"),
    FIL_KEY_MAPPING("hexagon", hexagon_keys, FIL_REQUIRED, "where the cords are at the start"),
    FIL_KEYS_LOSSES,
    FIL_KEYS_TOUCH,
    FIL_KEYS_LOOK,
    FIL_KEY_END,
};

/* The hexagon of a net, checked; false after a failure. */
static bool read_hexagon(FilScene* scene, const FilYaml* node, FilHexagonNet* net)
{
    FilReader* reader = &scene->reader;
    const FilYaml* hexagon = fil_check_keys(reader, node, net_keys) ? fil_read_node(reader, node, "hexagon", FIL_REQUIRED) : NULL;
    *net = (FilHexagonNet){.cells = 1, .segments = 1};
    if (hexagon == NULL || !fil_check_keys(reader, hexagon, hexagon_keys)) {
        return false;
    }
    fil_read_vector(reader, hexagon, "center", FIL_OPTIONAL, 3, net->center);
    fil_read_number(reader, hexagon, "side", FIL_REQUIRED | FIL_POSITIVE, &net->side);
    fil_read_integer(reader, hexagon, "cells", FIL_REQUIRED, 1, 500, &net->cells);
    fil_read_integer(reader, hexagon, "segments", FIL_OPTIONAL, 1, 1000, &net->segments);
    return reader->status == FIL_OK;
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

/* Cords k of a net become rods behind the others. */
static void make_cord(FilScene* scene, const FilSceneItem* item, const FilHexagonNet* net, const FilRodDef* cord, int k)
{
    FilReader* reader = &scene->reader;
    const char* name = cord_name(reader, item->name, k);
    FilSceneItem* made = fil_scene_new_item(scene, fil_scene_list(scene, "rod"), name, item->at, sizeof(FilSceneRod));
    const int count = fil_net_cord_nodes(net, k);
    fil_scene_count(scene, item->at, count, 0);
    double* nodes = fil_reader_alloc(reader, (size_t)count, 3 * sizeof *nodes);
    if (reader->status != FIL_OK) {
        return;
    }
    fil_net_cord(net, k, nodes);
    FilSceneRod* rod = made->def;
    *rod = (FilSceneRod){.def = *cord, .edge_count = count - 1};
    rod->def.name = name;
    rod->def.nodes = nodes;
    rod->def.node_count = count;
    made->surface = &rod->def.collision.surface;
}

/* Where cords cross; `first` is the rod that the net begins with. */
static void join_cords(FilScene* scene, const FilHexagonNet* net, int first)
{
    FilReader* reader = &scene->reader;
    const int before = scene->net_junction_count, count = fil_net_junctions(net);
    int* scratch = fil_reader_alloc(reader, (size_t)fil_net_scratch(net), sizeof *scratch);
    FilRodJunction* all = fil_reader_alloc(reader, (size_t)(before + count), sizeof *all);
    if (reader->status != FIL_OK) {
        return;
    }
    if (before > 0) {
        memcpy(all, scene->net_junctions, (size_t)before * sizeof *all);
    }
    fil_net_join(net, scratch, all + before);
    for (int k = before; k < before + count; k++) {
        all[k].rod_a += first;
        all[k].rod_b += first;
    }
    scene->net_junctions = all;
    scene->net_junction_count = before + count;
}

static void read_nets(FilScene* scene, FilSceneList* list)
{
    FilReader* reader = &scene->reader;
    fil_scene_start_items(scene, list, 0);
    for (int n = 0; n < list->count && reader->status == FIL_OK; n++) {
        const FilSceneItem* item = list->items[n];
        const int first = fil_scene_list(scene, "rod")->count;
        FilRodDef cord = fil_rod_def_default();
        FilHexagonNet net;
        if (!read_hexagon(scene, item->at, &net)) {
            return;
        }
        fil_scene_read_cord(scene, item->at, &cord);
        for (int k = 0; k < fil_net_cords(&net) && reader->status == FIL_OK; k++) {
            make_cord(scene, item, &net, &cord, k);
        }
        join_cords(scene, &net, first);
    }
}

const FilSceneKind fil_scene_nets = {
    .section = "nets", .word = "net", .title = "net", .text = "nets of rods, joined where they cross", .keys = net_keys, .read = read_nets};
