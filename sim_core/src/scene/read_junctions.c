/* junctions: nodes that rods share. Rods that hang together are added to the world as one body. */
#include <math.h>

#include "base/vec3.h"
#include "scene/kinds.h"

static const FilKey end_keys[] = {
    FIL_KEY_TEXT("rod", FIL_REQUIRED, "", ""),
    FIL_KEY_WHOLE("node", FIL_REQUIRED, "", "from 0, or from the end if negative"),
    FIL_KEY_END,
};

static const FilKey junction_keys[] = {
    FIL_KEY_MAPPING("a", end_keys, FIL_REQUIRED, "a node ..."),
    FIL_KEY_MAPPING("b", end_keys, FIL_REQUIRED, "... and another at the same place, which are one"),
    FIL_KEY_END,
};

/* Rods that share nodes, directly or through others, as chains through arrays. */
typedef struct Networks {
    int* parent;               /* per rod: union-find */
    int *first_rod, *next_rod; /* of the network whose root is the rod; -1 ends */
    int *first_junction, *next_junction;
    int* place; /* of a rod in its network */
    FilRodJunction* junctions;
    const FilYaml** ats; /* of the junctions */
    int junction_count;
} Networks;

static FilRodDef* def_of(const FilSceneList* rods, int k)
{
    return &((FilSceneRod*)rods->items[k]->def)->def;
}

static int find_root(int* parent, int rod)
{
    while (parent[rod] != rod) {
        parent[rod] = parent[parent[rod]];
        rod = parent[rod];
    }
    return rod;
}

/* The end of a junction: {rod, node}. */
static void read_end(FilScene* scene, const FilSceneList* rods, const FilYaml* junction, const char* key, int* rod, int* node)
{
    FilReader* reader = &scene->reader;
    const FilYaml* end = fil_read_node(reader, junction, key, FIL_REQUIRED);
    if (end != NULL && fil_check_keys(reader, end, end_keys) && fil_read_reference(reader, end, "rod", FIL_REQUIRED, &rods->names, "rod", rod)) {
        fil_read_index(reader, end, "node", FIL_REQUIRED, def_of(rods, *rod)->node_count, node);
    }
}

/* Largest coordinate of a rod, the scale of its rounding errors. */
static double size_of(const FilRodDef* def)
{
    double size = 0.0;
    for (int k = 0; k < 3 * def->node_count; k++) {
        size = fmax(size, fabs(def->nodes[k]));
    }
    return size;
}

static void read_junction(FilScene* scene, const FilSceneList* rods, const FilYaml* node, const double* sizes, FilRodJunction* junction)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, node, junction_keys)) {
        return;
    }
    read_end(scene, rods, node, "a", &junction->rod_a, &junction->node_a);
    read_end(scene, rods, node, "b", &junction->rod_b, &junction->node_b);
    if (reader->status != FIL_OK) {
        return;
    }
    const double distance =
        fil_v3_distance(def_of(rods, junction->rod_a)->nodes + 3 * junction->node_a, def_of(rods, junction->rod_b)->nodes + 3 * junction->node_b);
    // generators place the same point with rounding errors of 1e-16 of the coordinates, people write 9 digits
    if (distance > 1e-9 * fmax(sizes[junction->rod_a], sizes[junction->rod_b])) {
        fil_reader_fail(reader, node, "the two nodes are %g m apart; nodes that are joined must coincide", distance);
    }
}

/* The junction written last joins two networks. */
static void take_junction(Networks* networks, const FilYaml* at)
{
    const FilRodJunction* junction = &networks->junctions[networks->junction_count];
    networks->ats[networks->junction_count++] = at;
    const int a = find_root(networks->parent, junction->rod_a);
    const int b = find_root(networks->parent, junction->rod_b);
    // the earlier rod stays the root, so that bodies come in the order of their first rods
    networks->parent[a > b ? a : b] = a < b ? a : b;
}

static void read_junctions(FilScene* scene, const FilSceneList* rods, Networks* networks)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_yaml_find(scene->root, "junctions");
    if (list != NULL && !fil_check_list(reader, list, "junctions")) {
        return;
    }
    const size_t max = (list != NULL ? (size_t)list->count : 0) + (size_t)scene->net_junction_count;
    double* sizes = fil_reader_alloc(reader, (size_t)rods->count, sizeof *sizes);
    networks->junctions = fil_reader_alloc(reader, max, sizeof *networks->junctions);
    networks->ats = fil_reader_alloc(reader, max, sizeof *networks->ats);
    for (int k = 0; k < rods->count && reader->status == FIL_OK; k++) {
        sizes[k] = size_of(def_of(rods, k));
    }
    for (const FilYaml* node = list != NULL ? list->first : NULL; node != NULL && reader->status == FIL_OK; node = node->next) {
        read_junction(scene, rods, node, sizes, &networks->junctions[networks->junction_count]);
        take_junction(networks, node);
    }
    for (int k = 0; k < scene->net_junction_count && reader->status == FIL_OK; k++) {
        networks->junctions[networks->junction_count] = scene->net_junctions[k];
        take_junction(networks, rods->items[scene->net_junctions[k].rod_a]->at);
    }
}

static int* make_links(FilScene* scene, int count, int value)
{
    int* links = fil_reader_alloc(&scene->reader, (size_t)count, sizeof *links);
    for (int k = 0; k < count && links != NULL; k++) {
        links[k] = value;
    }
    return links;
}

static void init_networks(FilScene* scene, const FilSceneList* rods, Networks* networks)
{
    networks->parent = make_links(scene, rods->count, 0);
    networks->first_rod = make_links(scene, rods->count, -1);
    networks->next_rod = make_links(scene, rods->count, -1);
    networks->first_junction = make_links(scene, rods->count, -1);
    networks->place = make_links(scene, rods->count, 0);
    for (int k = 0; k < rods->count && networks->parent != NULL; k++) {
        networks->parent[k] = k;
    }
}

/* Chains up the rods and junctions of each network, in their order in the scene. */
static void chain_networks(FilScene* scene, const FilSceneList* rods, Networks* networks)
{
    networks->next_junction = make_links(scene, networks->junction_count, -1);
    if (scene->reader.status != FIL_OK) {
        return;
    }
    for (int k = rods->count - 1; k >= 0; k--) {
        const int root = find_root(networks->parent, k);
        networks->next_rod[k] = networks->first_rod[root];
        networks->first_rod[root] = k;
    }
    for (int k = networks->junction_count - 1; k >= 0; k--) {
        const int root = find_root(networks->parent, networks->junctions[k].rod_a);
        networks->next_junction[k] = networks->first_junction[root];
        networks->first_junction[root] = k;
    }
}

static void add_network(FilScene* scene, const FilSceneList* rods, Networks* networks, int root)
{
    int rod_count = 0, junction_count = 0;
    for (int k = networks->first_rod[root]; k >= 0; k = networks->next_rod[k]) {
        networks->place[k] = rod_count++;
    }
    for (int k = networks->first_junction[root]; k >= 0; k = networks->next_junction[k]) {
        junction_count++;
    }
    FilRodDef* defs = fil_reader_alloc(&scene->reader, (size_t)rod_count, sizeof *defs);
    FilId* ids = fil_reader_alloc(&scene->reader, (size_t)rod_count, sizeof *ids);
    FilRodJunction* junctions = fil_reader_alloc(&scene->reader, (size_t)junction_count, sizeof *junctions);
    if (scene->reader.status != FIL_OK) {
        return;
    }
    for (int k = networks->first_rod[root]; k >= 0; k = networks->next_rod[k]) {
        defs[networks->place[k]] = *def_of(rods, k);
    }
    int count = 0;
    for (int k = networks->first_junction[root]; k >= 0; k = networks->next_junction[k]) {
        junctions[count] = networks->junctions[k];
        junctions[count].rod_a = networks->place[junctions[count].rod_a];
        junctions[count].rod_b = networks->place[junctions[count].rod_b];
        count++;
    }
    const FilStatus status = fil_world_add_rod_network(scene->world, defs, rod_count, junctions, junction_count, ids);
    fil_scene_take(scene, status, networks->ats[networks->first_junction[root]]);
    for (int k = networks->first_rod[root]; k >= 0 && status == FIL_OK; k = networks->next_rod[k]) {
        rods->items[k]->id = ids[networks->place[k]];
    }
}

void fil_scene_add_rods(FilScene* scene, FilSceneList* rods)
{
    FilReader* reader = &scene->reader;
    Networks networks = {0};
    init_networks(scene, rods, &networks);
    if (reader->status == FIL_OK) {
        read_junctions(scene, rods, &networks);
    }
    if (reader->status == FIL_OK) {
        chain_networks(scene, rods, &networks);
    }
    for (int k = 0; k < rods->count && reader->status == FIL_OK; k++) {
        if (networks.parent[k] != k) {
            continue;
        }
        FilSceneItem* item = rods->items[k];
        if (networks.first_junction[k] < 0) {
            fil_scene_take(scene, fil_world_add_rod(scene->world, def_of(rods, k), &item->id), item->at);
        } else {
            add_network(scene, rods, &networks, k);
        }
    }
}

/* Read when rods are added. */
const FilSceneKind fil_scene_junctions = {.section = "junctions", .title = "junction", .text = "nodes of rods that are one", .keys = junction_keys};
