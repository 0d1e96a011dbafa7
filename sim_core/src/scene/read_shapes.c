/* shape: of a rod, one of the generators or a list of points. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "scene/knot.h"
#include "scene/scene_build.h"
#include "scene/shapes.h"

#define NODES FIL_KEY_WHOLE("nodes", FIL_REQUIRED | FIL_POSITIVE, "", "so many")
#define CENTER FIL_KEY_VECTOR("center", 3, 0, "m", "[0, 0, 0]", "")
#define NORMAL FIL_KEY_VECTOR("normal", 3, 0, "", "[0, 0, 1]", "to its plane")
#define TOWARD(text_) FIL_KEY_VECTOR("toward", 3, 0, "", "any", text_)

static const FilKey straight_keys[] = {
    FIL_KEY_VECTOR("from", 3, FIL_REQUIRED, "m", "", "first node"),
    FIL_KEY_VECTOR("to", 3, FIL_REQUIRED, "m", "", "last node"),
    NODES,
    FIL_KEY_END,
};

static const FilKey arc_keys[] = {
    FIL_KEY_VECTOR("center", 3, FIL_REQUIRED, "m", "", ""),
    FIL_KEY_VECTOR("normal", 3, FIL_REQUIRED, "", "", "axis through the center"),
    FIL_KEY_VECTOR("start", 3, FIL_REQUIRED, "m", "", "first node, which is turned about the axis ..."),
    FIL_KEY_NUMBER("angle", FIL_REQUIRED, "rad", "", "... by 0 to this"),
    NODES,
    FIL_KEY_END,
};

static const FilKey helix_keys[] = {
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_NUMBER("pitch", FIL_REQUIRED, "m", "", "climb of a turn; negative: left-handed"),
    FIL_KEY_NUMBER("turns", FIL_REQUIRED | FIL_POSITIVE, "1", "", ""),
    NODES,
    FIL_KEY_VECTOR("axis", 3, 0, "", "[0, 0, 1]", ""),
    FIL_KEY_VECTOR("origin", 3, 0, "m", "[0, 0, 0]", "on the axis"),
    TOWARD("from the origin to the first node"),
    FIL_KEY_END,
};

static const FilKey ring_keys[] = {
    CENTER,      NORMAL, FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""), NODES, TOWARD("from the center to the first node"),
    FIL_KEY_END,
};

static const FilKey polyline_keys[] = {
    FIL_KEY_ROWS("points", 3, FIL_REQUIRED, "m", "[[x, y, z], ...]"),
    FIL_KEY_WHOLE("nodes", FIL_POSITIVE, "at the points", "at equal distances along the line"),
    FIL_KEY_END,
};

static const FilKey knot_keys[] = {
    FIL_KEY_WHOLE("n", FIL_POSITIVE, "1", "unknotting number: a braid of 2 n + 1 crossings"),
    NODES,
    FIL_KEY_NUMBER("length", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_NUMBER("diameter", FIL_REQUIRED | FIL_POSITIVE, "m", "", "of the rod"),
    CENTER,
    FIL_KEY_END,
};

static const FilKey wrap_keys[] = {
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", "of the middles of edges from the axis"),
    FIL_KEY_NUMBER("angle", FIL_REQUIRED | FIL_POSITIVE, "rad", "", "by which it turns in all"),
    FIL_KEY_WHOLE("segments", FIL_REQUIRED | FIL_POSITIVE, "", "corners"),
    FIL_KEY_VECTOR("tails", 2, FIL_REQUIRED, "m", "", "lengths of the straight ends, rounded to whole edges"),
    FIL_KEY_NUMBER("pitch", 0, "m", "0", "climb of a turn"),
    CENTER,
    FIL_KEY_VECTOR("axis", 3, 0, "", "[0, 0, 1]", ""),
    TOWARD("where it first touches"),
    FIL_KEY_END,
};

static const FilKey stadium_keys[] = {
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", "from the axes of the wheels"),
    FIL_KEY_NUMBER("distance", FIL_REQUIRED | FIL_POSITIVE, "m", "", "of the axes"),
    CENTER,
    NORMAL,
    TOWARD("from axis to axis"),
    NODES,
    FIL_KEY_END,
};

static const FilKey cycloid_keys[] = {
    FIL_KEY_VECTOR("origin", 3, 0, "m", "[0, 0, 0]", "first node"),
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", "of the rolling circle"),
    NODES,
    FIL_KEY_END,
};

static const FilKey catenary_keys[] = {
    FIL_KEY_VECTOR("lowest", 3, 0, "m", "[0, 0, 0]", "point"),
    FIL_KEY_NUMBER("span", FIL_REQUIRED | FIL_POSITIVE, "m", "", "between its ends"),
    FIL_KEY_NUMBER("length", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    NODES,
    FIL_KEY_END,
};

const FilKey fil_shape_keys[] = {
    FIL_KEY_MAPPING("straight", straight_keys, FIL_VARIANT, "equal edges"),
    FIL_KEY_MAPPING("arc", arc_keys, FIL_VARIANT, "part of a circle, right-handed about its axis"),
    FIL_KEY_MAPPING("helix", helix_keys, FIL_VARIANT, ""),
    FIL_KEY_MAPPING("ring", ring_keys, FIL_VARIANT, "a closed circle"),
    FIL_KEY_MAPPING("polyline", polyline_keys, FIL_VARIANT, ""),
    FIL_KEY_MAPPING("knot", knot_keys, FIL_VARIANT, "an open overhand knot: tails along y, a loop above a braid"),
    FIL_KEY_MAPPING("wrap", wrap_keys, FIL_VARIANT, "a rope around a post, with straight tails"),
    FIL_KEY_MAPPING("cycloid", cycloid_keys, FIL_VARIANT, "in the x-z plane"),
    FIL_KEY_MAPPING("catenary", catenary_keys, FIL_VARIANT, "in the x-z plane"),
    FIL_KEY_MAPPING("stadium", stadium_keys, FIL_VARIANT, "a closed belt around two wheels"),
    FIL_KEY_END,
};

/* Room for `count` nodes of this rod, unless the scene gets too large; NULL after a failure. */
static double* make_nodes(FilScene* scene, const FilYaml* at, int count, FilRodDef* def)
{
    fil_scene_count(scene, at, count, 0);
    double* nodes = fil_reader_alloc(&scene->reader, (size_t)count, 3 * sizeof(double));
    if (nodes != NULL) {
        def->nodes = nodes;
        def->node_count = count;
    }
    return nodes;
}

/* Reads the key `nodes`, at least `fewest`, and makes room for them. */
static double* read_node_count(FilScene* scene, const FilYaml* shape, int fewest, FilRodDef* def)
{
    int count = 0;
    fil_read_integer(&scene->reader, shape, "nodes", FIL_REQUIRED, fewest, scene->limits.nodes, &count);
    return make_nodes(scene, shape, count, def);
}

/* A direction that must not be zero. */
static void read_direction(FilReader* reader, const FilYaml* mapping, const char* key, unsigned flags, double* values)
{
    if (fil_read_vector(reader, mapping, key, flags, 3, values) && fil_v3_norm(values) == 0.0) {
        fil_reader_fail(reader, fil_yaml_find(mapping, key), "a direction must not be zero");
    }
}

static void read_straight(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, straight_keys)) {
        return;
    }
    double from[3] = {0}, to[3] = {0};
    fil_read_vector(reader, shape, "from", FIL_REQUIRED, 3, from);
    fil_read_vector(reader, shape, "to", FIL_REQUIRED, 3, to);
    if (reader->status == FIL_OK && fil_v3_distance(from, to) == 0.0) {
        fil_reader_fail(reader, fil_yaml_find(shape, "to"), "is the same point as 'from': the rod has no length");
    }
    double* nodes = read_node_count(scene, shape, 2, def);
    if (nodes != NULL) {
        fil_shape_straight(from, to, def->node_count, nodes);
    }
}

static void read_arc(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, arc_keys)) {
        return;
    }
    double center[3] = {0}, normal[3] = {0}, start[3] = {0}, angle = 0.0;
    fil_read_vector(reader, shape, "center", FIL_REQUIRED, 3, center);
    read_direction(reader, shape, "normal", FIL_REQUIRED, normal);
    fil_read_vector(reader, shape, "start", FIL_REQUIRED, 3, start);
    if (fil_read_number(reader, shape, "angle", FIL_REQUIRED, &angle) && angle == 0.0) {
        fil_reader_fail(reader, fil_yaml_find(shape, "angle"), "must not be zero: the rod has no length");
    }
    double arm[3], across[3];
    fil_v3_sub(arm, start, center);
    fil_v3_cross(across, arm, normal);
    // distance from the axis, against that from the centre
    if (reader->status == FIL_OK && fil_v3_norm(across) <= 1e-9 * fil_v3_norm(arm) * fil_v3_norm(normal)) {
        fil_reader_fail(reader, fil_yaml_find(shape, "start"), "is on the arc's axis: the arc has no radius");
    }
    double* nodes = read_node_count(scene, shape, 2, def);
    if (nodes != NULL) {
        fil_shape_arc(center, normal, start, angle, def->node_count, nodes);
    }
}

static void read_helix(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, helix_keys)) {
        return;
    }
    FilHelix helix = {.axis = {0.0, 0.0, 1.0}};
    fil_read_number(reader, shape, "radius", FIL_REQUIRED | FIL_POSITIVE, &helix.radius);
    fil_read_number(reader, shape, "pitch", FIL_REQUIRED, &helix.pitch);
    fil_read_number(reader, shape, "turns", FIL_REQUIRED | FIL_POSITIVE, &helix.turns);
    read_direction(reader, shape, "axis", FIL_OPTIONAL, helix.axis);
    fil_read_vector(reader, shape, "origin", FIL_OPTIONAL, 3, helix.origin);
    read_direction(reader, shape, "toward", FIL_OPTIONAL, helix.toward);
    double* nodes = read_node_count(scene, shape, 2, def);
    if (nodes != NULL) {
        fil_shape_helix(&helix, def->node_count, nodes);
    }
}

static void read_ring(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, ring_keys)) {
        return;
    }
    double center[3] = {0}, normal[3] = {0.0, 0.0, 1.0}, toward[3] = {0}, radius = 0.0;
    fil_read_vector(reader, shape, "center", FIL_OPTIONAL, 3, center);
    read_direction(reader, shape, "normal", FIL_OPTIONAL, normal);
    read_direction(reader, shape, "toward", FIL_OPTIONAL, toward);
    fil_read_number(reader, shape, "radius", FIL_REQUIRED | FIL_POSITIVE, &radius);
    double* nodes = read_node_count(scene, shape, 3, def);
    if (nodes != NULL) {
        fil_shape_ring(center, normal, toward, radius, def->node_count, nodes);
    }
    def->closed = true;
}

static void read_polyline(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, polyline_keys)) {
        return;
    }
    const FilYaml* list = fil_read_node(reader, shape, "points", FIL_REQUIRED);
    if (list == NULL || !fil_check_list(reader, list, "points [x, y, z]")) {
        return;
    }
    const int fewest = def->closed ? 3 : 2;
    if (list->count < fewest) {
        fil_reader_fail(reader, list, "expected at least %d points, got %d", fewest, list->count);
    }
    double* points = fil_reader_alloc(reader, (size_t)list->count, 3 * sizeof(double));
    int count = 0;
    for (FilYaml* point = list->first; point != NULL && reader->status == FIL_OK; point = point->next) {
        if (!fil_value_vector(reader, point, 3, points + 3 * count)) {
            return;
        }
        if (count > 0 && fil_v3_distance(points + 3 * count, points + 3 * (count - 1)) == 0.0) {
            fil_reader_fail(reader, point, "points %d and %d are equal: the edge has no length", count - 1, count);
        }
        count++;
    }
    if (reader->status == FIL_OK && def->closed && fil_v3_distance(points, points + 3 * (count - 1)) == 0.0) {
        fil_reader_fail(reader, list->last, "equals the first point: a closed rod returns to it by itself");
    }
    if (fil_yaml_find(shape, "nodes") == NULL) {
        double* nodes = make_nodes(scene, shape, count, def);
        if (nodes != NULL) {
            memcpy(nodes, points, (size_t)count * 3 * sizeof(double));
        }
        return;
    }
    double* nodes = read_node_count(scene, shape, fewest, def);
    if (nodes != NULL) {
        fil_shape_resample(points, count, def->closed, def->node_count, nodes);
    }
}

static void read_knot(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, knot_keys)) {
        return;
    }
    FilKnotDef knot = fil_knot_def_default();
    double center[3] = {0};
    fil_read_integer(reader, shape, "n", FIL_OPTIONAL, 1, 1000, &knot.n);
    fil_read_number(reader, shape, "length", FIL_REQUIRED | FIL_POSITIVE, &knot.length);
    fil_read_number(reader, shape, "diameter", FIL_REQUIRED | FIL_POSITIVE, &knot.diameter);
    fil_read_vector(reader, shape, "center", FIL_OPTIONAL, 3, center);
    double* nodes = read_node_count(scene, shape, 2, def);
    if (nodes != NULL) {
        FilError error = {{0}};
        knot.node_count = def->node_count;
        fil_reader_take(reader, fil_knot_build(&knot, nodes, &error), shape, error.text);
        for (int i = 0; i < def->node_count; i++) {
            fil_v3_axpy(nodes + 3 * i, 1.0, center);
        }
    }
}

static void read_wrap(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, wrap_keys)) {
        return;
    }
    FilWrap wrap = {.axis = {0.0, 0.0, 1.0}};
    double tails[2] = {0};
    fil_read_number(reader, shape, "radius", FIL_REQUIRED | FIL_POSITIVE, &wrap.radius);
    fil_read_number(reader, shape, "angle", FIL_REQUIRED | FIL_POSITIVE, &wrap.angle);
    fil_read_integer(reader, shape, "segments", FIL_REQUIRED, 1, scene->limits.nodes, &wrap.segments);
    fil_read_number(reader, shape, "pitch", FIL_OPTIONAL, &wrap.pitch);
    fil_read_vector(reader, shape, "center", FIL_OPTIONAL, 3, wrap.center);
    read_direction(reader, shape, "axis", FIL_OPTIONAL, wrap.axis);
    read_direction(reader, shape, "toward", FIL_OPTIONAL, wrap.toward);
    if (reader->status == FIL_OK && wrap.angle >= FIL_PI * wrap.segments) {
        fil_reader_fail(reader, fil_yaml_find(shape, "segments"), "too few: each must span less than pi");
    }
    if (fil_read_vector(reader, shape, "tails", FIL_REQUIRED, 2, tails)) {
        for (int k = 0; k < 2; k++) {
            // a corner is half an edge away from where the line touches
            const double edges = round(tails[k] / fil_wrap_edge_length(&wrap) + 0.5);
            if (!(tails[k] >= 0.0) || edges > scene->limits.nodes) {
                fil_reader_fail(reader, fil_yaml_find(shape, "tails"), "expected lengths of tails, got %g", tails[k]);
            } else {
                wrap.tail_edges[k] = edges > 1.0 ? (int)edges : 1;
            }
        }
    }
    if (reader->status == FIL_OK) {
        double* nodes = make_nodes(scene, shape, fil_wrap_node_count(&wrap), def);
        if (nodes != NULL) {
            fil_shape_wrap(&wrap, nodes);
        }
    }
}

static void read_stadium(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, stadium_keys)) {
        return;
    }
    FilStadium stadium = {.normal = {0.0, 0.0, 1.0}};
    fil_read_number(reader, shape, "radius", FIL_REQUIRED | FIL_POSITIVE, &stadium.radius);
    fil_read_number(reader, shape, "distance", FIL_REQUIRED | FIL_POSITIVE, &stadium.distance);
    fil_read_vector(reader, shape, "center", FIL_OPTIONAL, 3, stadium.center);
    read_direction(reader, shape, "normal", FIL_OPTIONAL, stadium.normal);
    read_direction(reader, shape, "toward", FIL_OPTIONAL, stadium.toward);
    double* nodes = read_node_count(scene, shape, 4, def);
    if (nodes != NULL) {
        fil_shape_stadium(&stadium, def->node_count, nodes);
    }
    def->closed = true;
}

static void read_cycloid(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, cycloid_keys)) {
        return;
    }
    double origin[3] = {0}, radius = 0.0;
    fil_read_vector(reader, shape, "origin", FIL_OPTIONAL, 3, origin);
    fil_read_number(reader, shape, "radius", FIL_REQUIRED | FIL_POSITIVE, &radius);
    double* nodes = read_node_count(scene, shape, 2, def);
    if (nodes != NULL) {
        fil_shape_cycloid(origin, radius, def->node_count, nodes);
    }
}

static void read_catenary(FilScene* scene, const FilYaml* shape, FilRodDef* def)
{
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, shape, catenary_keys)) {
        return;
    }
    double lowest[3] = {0}, span = 0.0, length = 0.0;
    fil_read_vector(reader, shape, "lowest", FIL_OPTIONAL, 3, lowest);
    fil_read_number(reader, shape, "span", FIL_REQUIRED | FIL_POSITIVE, &span);
    fil_read_number(reader, shape, "length", FIL_REQUIRED | FIL_POSITIVE, &length);
    // beyond 1e3 its sides hang straight down, a thousandth of its length apart: a doubled rope, no catenary
    if (reader->status == FIL_OK && !(length > span && length < 1e3 * span)) {
        fil_reader_fail(reader, fil_yaml_find(shape, "length"), "must be longer than the span of %g m, and less than 1000 times", span);
    }
    double* nodes = read_node_count(scene, shape, 2, def);
    if (nodes != NULL) {
        fil_shape_catenary(lowest, span, length, def->node_count, nodes);
    }
}

/* Every edge needs a length, and every coordinate must be a number. */
static void check_nodes(FilReader* reader, const FilYaml* shape, const FilRodDef* def)
{
    const int edges = def->closed ? def->node_count : def->node_count - 1;
    for (int i = 0; i < edges; i++) {
        const int j = (i + 1) % def->node_count;
        const double length = fil_v3_distance(def->nodes + 3 * i, def->nodes + 3 * j);
        if (!(length > 0.0) || !isfinite(length)) {
            fil_reader_fail(reader, shape, "edge %d, from node %d to %d, has %s length", i, i, j, length == 0.0 ? "no" : "no finite");
            return;
        }
    }
}

void fil_scene_read_shape(FilScene* scene, const FilYaml* rod, FilRodDef* def)
{
    static const char* const words[] = {"straight", "arc", "helix", "ring", "polyline", "knot", "wrap", "cycloid", "catenary", "stadium", NULL};
    static void (*const read[])(FilScene*, const FilYaml*, FilRodDef*) = {
        read_straight, read_arc, read_helix, read_ring, read_polyline, read_knot, read_wrap, read_cycloid, read_catenary, read_stadium,
    };
    FilReader* reader = &scene->reader;
    const FilYaml* shape = fil_read_node(reader, rod, "shape", FIL_REQUIRED);
    const bool closed_given = fil_read_flag(reader, rod, "closed", &def->closed);
    if (reader->status != FIL_OK || !fil_check_keys(reader, shape, fil_shape_keys)) {
        return;
    }
    FilYaml* body = NULL;
    const int word = fil_read_variant(reader, shape, words, &body);
    if (word < 0) {
        return;
    }
    const bool wanted = def->closed;
    read[word](scene, body, def);
    if (reader->status == FIL_OK && closed_given && wanted != def->closed) {
        fil_reader_fail(reader, fil_yaml_find(rod, "closed"), "a ring is always closed");
    }
    if (reader->status == FIL_OK && def->closed && def->node_count < 3) {
        fil_reader_fail(reader, body, "a closed rod needs at least 3 nodes, got %d", def->node_count);
    }
    double noise = 0.0;
    if (fil_read_number(reader, rod, "noise", FIL_NOT_NEGATIVE, &noise) && noise > 0.0) {
        fil_shape_disturb(noise, &scene->random, def->node_count, (double*)def->nodes);
    }
    if (reader->status == FIL_OK) {
        check_nodes(reader, body, def);
    }
}
