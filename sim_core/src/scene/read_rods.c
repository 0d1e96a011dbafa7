/* rods: everything about a rod but its section and its curve. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "scene/kinds.h"

static const char* const rest_words[] = {[FIL_REST_STRAIGHT] = "straight", [FIL_REST_INITIAL] = "initial", NULL};

const FilKey fil_rayleigh_keys[] = {
    FIL_KEY_NUMBER("mass", FIL_NOT_NEGATIVE, "1/s", "0", "Rayleigh's alpha"),
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "s", "0", "Rayleigh's beta"),
    FIL_KEY_END,
};

static const FilKey range_keys[] = {
    FIL_KEY_WHOLE("first", FIL_REQUIRED, "", "edge, from 0, or from the end if negative"),
    FIL_KEY_WHOLE("count", FIL_POSITIVE, "1", "of edges"),
    FIL_KEY_TEXT("material", 0, "that of the rod", ""),
    FIL_KEYS_SECTION,
    FIL_KEY_END,
};

static const FilKey rod_keys[] = {
    FIL_KEY_NAME("rod<i> if it is not given"),
    FIL_KEY_TEXT("material", 0, "", "required unless the section is a `stiffness`"),
    FIL_KEY_MAPPING("section", fil_section_keys, FIL_REQUIRED, "of all edges"),
    FIL_KEY_LIST("sections", range_keys, 0, "other sections for ranges of edges; later ones win"),
    FIL_KEYS_CURVE,
    FIL_KEY_VECTOR("director", 3, 0, "", "any", "wanted direction of m1 on the first edge"),
    FIL_KEY_MANY("angles", FIL_IS_NUMBER | FIL_IS_VECTOR, 0, 0, "rad", "0", "of the frames, one for all or one per edge, instead of `twist`"),
    FIL_KEY_NUMBER(
        "twist", 0, "rad", "0",
        "angle by which the frame turns from the first edge to the last, evenly, and on over half an edge to a clamp; of a closed rod all around, "
        "and if that is not round a multiple of 2 pi"),
    FIL_KEY_WORD("rest", rest_words, "straight", "straight: no rest curvature and rest twist; initial: the initial shape is stress free"),
    FIL_KEY_VECTOR("velocity", 3, 0, "m/s", "[0, 0, 0]", "of all nodes"),
    FIL_KEY_VECTOR("angular_velocity", 3, 0, "rad/s", "[0, 0, 0]", "of the whole rod about the mean of its nodes"),
    FIL_KEY_NUMBER("spin", 0, "rad/s", "0", "of the edges about their tangent"),
    FIL_KEY_MANY("rest_curvature", FIL_IS_VECTOR | FIL_IS_ROWS, 2, 0, "rad/m", "from `rest`", "towards m1 and m2, for all or one pair per node"),
    FIL_KEY_MANY("rest_twist", FIL_IS_NUMBER | FIL_IS_VECTOR, 0, 0, "rad/m", "from `rest`", "for all or one per node"),
    FIL_KEY_NUMBER("rest_length_scale", FIL_POSITIVE, "1", "1", "rest length over initial length"),
    FIL_KEYS_LOSSES,
    FIL_KEYS_TOUCH,
    FIL_KEYS_LOOK,
    FIL_KEY_END,
};

/* Length of edge i as the scene draws it. */
static double edge_length(const FilRodDef* def, int edge)
{
    return fil_v3_distance(def->nodes + 3 * edge, def->nodes + 3 * ((edge + 1) % def->node_count));
}

/* One number for all, or a list with one per element; NULL if the key is not given. */
static double* read_numbers(FilReader* reader, const FilYaml* mapping, const char* key, int count)
{
    FilYaml* node = fil_read_node(reader, mapping, key, FIL_OPTIONAL);
    double* values = node != NULL ? fil_reader_alloc(reader, (size_t)count, sizeof *values) : NULL;
    if (values == NULL) {
        return NULL;
    }
    if (node->kind == FIL_YAML_LIST) {
        return fil_value_vector(reader, node, count, values) ? values : NULL;
    }
    double uniform = 0.0;
    if (!fil_value_number(reader, node, FIL_OPTIONAL, &uniform)) {
        return NULL;
    }
    for (int k = 0; k < count; k++) {
        values[k] = uniform;
    }
    return values;
}

/* [k1, k2] for all nodes, or a list of such pairs, one per node. */
static void read_rest_curvature(FilReader* reader, const FilYaml* mapping, FilRodDef* def)
{
    FilYaml* node = fil_read_node(reader, mapping, "rest_curvature", FIL_OPTIONAL);
    if (node == NULL || !fil_check_list(reader, node, "numbers [k1, k2]")) {
        return;
    }
    double* values = fil_reader_alloc(reader, (size_t)def->node_count, 2 * sizeof *values);
    if (values == NULL) {
        return;
    }
    def->rest_curvature = values;
    if (node->first == NULL || node->first->kind != FIL_YAML_LIST) {
        double uniform[2] = {0.0, 0.0};
        fil_value_vector(reader, node, 2, uniform);
        for (int k = 0; k < 2 * def->node_count; k++) {
            values[k] = uniform[k % 2];
        }
        return;
    }
    if (node->count != def->node_count) {
        fil_reader_fail(reader, node, "expected %d pairs, one per node, got %d", def->node_count, node->count);
        return;
    }
    int k = 0;
    for (FilYaml* pair = node->first; pair != NULL; pair = pair->next) {
        fil_value_vector(reader, pair, 2, values + 2 * k++);
    }
}

/* `sections`: ranges of edges with a section (and material) of their own, over the rod's. */
static void read_section_ranges(FilScene* scene, const FilYaml* rod, int edge_count, const FilSceneMaterial* material, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, rod, "sections", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "sections")) {
        return;
    }
    FilSection* sections = fil_reader_alloc(reader, (size_t)edge_count, sizeof *sections);
    for (int i = 0; i < edge_count && sections != NULL; i++) {
        sections[i] = def->section;
    }
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        if (!fil_check_keys(reader, node, range_keys)) {
            return;
        }
        const FilSceneMaterial* own = fil_scene_read_material(scene, node, "material");
        const FilSection section = fil_scene_read_section(scene, node, own != NULL ? own : material);
        int first = 0, count = 1;
        fil_read_index(reader, node, "first", FIL_REQUIRED, edge_count, &first);
        fil_read_integer(reader, node, "count", FIL_OPTIONAL, 1, edge_count - first, &count);
        for (int i = first; i < first + count && reader->status == FIL_OK; i++) {
            sections[i] = section;
        }
    }
    def->sections = sections;
}

/* Whether all segments bend alike in all directions, but for rounding. */
static bool is_isotropic(const FilRodDef* def, int edge_count)
{
    for (int i = 0; i < edge_count; i++) {
        FilStiffness stiffness = {0};
        if (fil_section_stiffness(def->sections != NULL ? &def->sections[i] : &def->section, &stiffness, NULL) != FIL_OK ||
            fabs(stiffness.ei1 - stiffness.ei2) > 1e-9 * stiffness.ei1) {
            return false;
        }
        if (def->sections == NULL) {
            return true;
        }
    }
    return true;
}

/* Angles that grow evenly to `twist` along the rod, or around it. */
static void twist_frames(FilReader* reader, double twist, int edge_count, FilRodDef* def)
{
    double* angles = fil_reader_alloc(reader, (size_t)edge_count, sizeof *angles);
    const int joints = def->closed ? edge_count : edge_count - 1;
    for (int i = 1; i < edge_count && angles != NULL; i++) {
        angles[i] = twist * i / joints;
    }
    def->angles = angles;
}

/* Cut, turned by `twist` and glued again: material frames do not fit at the cut, but a round section does not care. Its
 * stresses are those of a rest twist of -twist / length everywhere. */
static void twist_strains(FilReader* reader, double twist, int edge_count, FilRodDef* def)
{
    double* rest_twist = fil_reader_alloc(reader, (size_t)def->node_count, sizeof *rest_twist);
    if (rest_twist == NULL) {
        return;
    }
    double length = 0.0;
    for (int i = 0; i < edge_count; i++) {
        length += def->rest_lengths != NULL ? def->rest_lengths[i] : edge_length(def, i);
    }
    for (int i = 0; i < def->node_count; i++) {
        rest_twist[i] = (def->rest_twist != NULL ? def->rest_twist[i] : 0.0) - twist / length;
    }
    def->rest_twist = rest_twist;
}

/* `angles` of each edge, or a total `twist`. */
static void read_twist(FilReader* reader, const FilYaml* rod, int edge_count, FilRodDef* def)
{
    def->rest_twist = read_numbers(reader, rod, "rest_twist", def->node_count);
    def->angles = read_numbers(reader, rod, "angles", edge_count);
    double twist = 0.0;
    if (!fil_read_number(reader, rod, "twist", FIL_OPTIONAL, &twist)) {
        return;
    }
    const FilYaml* at = fil_yaml_find(rod, "twist");
    if (def->angles != NULL) {
        fil_reader_fail(reader, at, "only one of 'angles' and 'twist' may be given");
    } else if (!def->closed || fabs(remainder(twist, 2.0 * FIL_PI)) <= 1e-9 * fabs(twist)) {  // whole turns, but for rounding
        twist_frames(reader, twist, edge_count, def);
    } else if (!is_isotropic(def, edge_count)) {
        fil_reader_fail(reader, at, "a closed rod that is not round fits together only after whole turns of 2 pi");
    } else if (def->rest_shape == FIL_REST_STRAIGHT || def->rest_twist != NULL) {
        twist_strains(reader, twist, edge_count, def);
    }
}

/* Rest shape, rest lengths, rest curvature. */
static void read_rest(FilReader* reader, const FilYaml* rod, int edge_count, FilRodDef* def)
{
    int rest = FIL_REST_STRAIGHT;
    fil_read_choice(reader, rod, "rest", rest_words, &rest);
    def->rest_shape = (FilRestShape)rest;
    double scale = 1.0;
    if (fil_read_number(reader, rod, "rest_length_scale", FIL_POSITIVE, &scale)) {
        double* lengths = fil_reader_alloc(reader, (size_t)edge_count, sizeof *lengths);
        for (int i = 0; i < edge_count && lengths != NULL; i++) {
            lengths[i] = scale * edge_length(def, i);
        }
        def->rest_lengths = lengths;
    }
    read_rest_curvature(reader, rod, def);
}

/* v_i = velocity + omega x (x_i - centre); an edge spins with omega . t and its own spin. */
static void read_motion(FilReader* reader, const FilYaml* rod, int edge_count, FilRodDef* def)
{
    double velocity[3] = {0}, omega[3] = {0}, spin = 0.0;
    const bool moves = fil_read_vector(reader, rod, "velocity", FIL_OPTIONAL, 3, velocity);
    const bool turns = fil_read_vector(reader, rod, "angular_velocity", FIL_OPTIONAL, 3, omega);
    const bool spins = fil_read_number(reader, rod, "spin", FIL_OPTIONAL, &spin);
    double* velocities = moves || turns ? fil_reader_alloc(reader, (size_t)def->node_count, 3 * sizeof(double)) : NULL;
    double* edge_spins = spins || turns ? fil_reader_alloc(reader, (size_t)edge_count, sizeof(double)) : NULL;
    if (reader->status != FIL_OK) {
        return;
    }
    double centre[3] = {0};
    for (int i = 0; i < def->node_count; i++) {
        fil_v3_axpy(centre, 1.0 / def->node_count, def->nodes + 3 * i);
    }
    for (int i = 0; i < def->node_count && velocities != NULL; i++) {
        double arm[3];
        fil_v3_sub(arm, def->nodes + 3 * i, centre);
        fil_v3_cross(velocities + 3 * i, omega, arm);
        fil_v3_axpy(velocities + 3 * i, 1.0, velocity);
    }
    for (int i = 0; i < edge_count && edge_spins != NULL; i++) {
        double tangent[3];
        fil_v3_sub(tangent, def->nodes + 3 * ((i + 1) % def->node_count), def->nodes + 3 * i);
        fil_v3_normalise(tangent);
        edge_spins[i] = spin + fil_v3_dot(omega, tangent);
    }
    def->velocities = velocities;
    def->spins = edge_spins;
}

static void read_losses(FilReader* reader, const FilYaml* rod, FilRodDef* def)
{
    const FilYaml* damping = fil_read_node(reader, rod, "damping", FIL_OPTIONAL);
    if (damping != NULL && fil_check_keys(reader, damping, fil_rayleigh_keys)) {
        fil_read_number(reader, damping, "mass", FIL_NOT_NEGATIVE, &def->damping_mass);
        fil_read_number(reader, damping, "stiffness", FIL_NOT_NEGATIVE, &def->damping_stiffness);
    }
    fil_read_number(reader, rod, "drag", FIL_NOT_NEGATIVE, &def->drag);
    fil_read_flag(reader, rod, "gyroscopic", &def->gyroscopic);
    fil_read_flag(reader, rod, "twist_free", &def->twist_free);
}

void fil_scene_read_cord(FilScene* scene, const FilYaml* node, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    const FilSceneMaterial* material = fil_scene_read_material(scene, node, "material");
    const FilYaml* section = fil_read_node(reader, node, "section", FIL_REQUIRED);
    if (section == NULL || !fil_check_keys(reader, section, fil_section_keys)) {
        return;
    }
    def->section = fil_scene_read_section(scene, section, material);
    read_losses(reader, node, def);
    fil_scene_read_collision(scene, node, material, &def->collision);
}

static void read_rod(FilScene* scene, FilSceneItem* item)
{
    FilReader* reader = &scene->reader;
    const FilYaml* node = item->at;
    FilSceneRod* rod = item->def;
    FilRodDef* def = &rod->def;
    *def = fil_rod_def_default();
    def->name = item->name;
    item->surface = &def->collision.surface;
    if (!fil_check_keys(reader, node, rod_keys)) {
        return;
    }
    const FilSceneMaterial* material = fil_scene_read_material(scene, node, "material");
    const FilYaml* section = fil_read_node(reader, node, "section", FIL_REQUIRED);
    if (section == NULL || !fil_check_keys(reader, section, fil_section_keys)) {
        return;
    }
    def->section = fil_scene_read_section(scene, section, material);
    fil_scene_read_shape(scene, node, def);
    if (reader->status != FIL_OK) {
        return;
    }
    rod->edge_count = def->closed ? def->node_count : def->node_count - 1;
    read_section_ranges(scene, node, rod->edge_count, material, def);
    double director[3] = {0};
    fil_read_vector(reader, node, "director", FIL_OPTIONAL, 3, director);
    def->director = (FilVec3){director[0], director[1], director[2]};
    read_rest(reader, node, rod->edge_count, def);
    read_twist(reader, node, rod->edge_count, def);
    read_motion(reader, node, rod->edge_count, def);
    read_losses(reader, node, def);
    fil_scene_read_collision(scene, node, material, &def->collision);
}

static void read_rods(FilScene* scene, FilSceneList* list)
{
    fil_scene_start_items(scene, list, sizeof(FilSceneRod));
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_rod(scene, list->items[k]);
    }
}

static const FilScenePart parts[] = {
    {"node", "nodes",
     FIL_USE_ATTACH(FIL_ATTACH_PIN) | FIL_USE_ATTACH(FIL_ATTACH_CLAMP) | FIL_USE_ATTACH(FIL_ATTACH_HANDLE) | FIL_USE_DRIVE(FIL_DRIVE_FORCE) |
         FIL_USE_DRIVE(FIL_DRIVE_CURVATURE) | FIL_USE_DRIVE(FIL_DRIVE_REST_TWIST) | FIL_USE_JOIN | FIL_USE_POINT | FIL_USE_RING},
    {"edge", "edges",
     FIL_USE_ATTACH(FIL_ATTACH_TWIST) | FIL_USE_HOLD | FIL_USE_DRIVE(FIL_DRIVE_TORQUE) | FIL_USE_DRIVE(FIL_DRIVE_AXIAL_TORQUE) |
         FIL_USE_DRIVE(FIL_DRIVE_REST_LENGTH)},
};

const FilSceneKind fil_scene_rods = {
    .section = "rods",
    .word = "rod",
    .title = "rod",
    .text = "elastic rods: chains of nodes joined by straight edges",
    .keys = rod_keys,
    .is_object = true,
    .read = read_rods,
    .add = fil_scene_add_rods,
    FIL_SCENE_PARTS(parts),
};
