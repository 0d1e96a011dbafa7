#include "scene/collada.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/urdf_xml.h"

enum {
    MAX_DEPTH = 64,           /* of nodes, instances of nodes included: these could form a circle */
    MAX_TRIANGLES = 10000000, /* instances multiply */
};

typedef struct Dae {
    FilUrdfReader reader;
    const xmlNode* root;
    FilMesh* mesh;
    int vertex_capacity, triangle_capacity;
} Dae;

/* Where the points of a geometry are put: x' = a x + b. */
typedef struct Affine {
    double a[9], b[3];
} Affine;

static const Affine identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0}};

/* outer (inner x) */
static Affine compose(const Affine* outer, const Affine* inner)
{
    Affine made;
    for (int r = 0; r < 3; r++) {
        made.b[r] = outer->b[r];
        for (int c = 0; c < 3; c++) {
            made.a[3 * r + c] = 0.0;
            for (int k = 0; k < 3; k++) {
                made.a[3 * r + c] += outer->a[3 * r + k] * inner->a[3 * k + c];
            }
            made.b[r] += outer->a[3 * r + c] * inner->b[c];
        }
    }
    return made;
}

/* ---- elements ---- */

/* All numbers of an element's text; NULL after a failure. */
static double* read_list(Dae* dae, const xmlNode* node, int* count)
{
    FilUrdfReader* reader = &dae->reader;
    xmlChar* text = reader->status == FIL_OK ? xmlNodeGetContent((xmlNode*)node) : NULL;
    double* values = NULL;
    *count = 0;
    if (text != NULL) {
        // numbers take two characters each at least, but for the last
        values = fil_xml_alloc(reader, strlen((const char*)text) / 2 + 1, sizeof *values);
        for (const char* at = (const char*)text; values != NULL && at[strspn(at, " \t\r\n")] != '\0';) {
            char* end;
            values[*count] = strtod(at, &end);
            if (end == at || !isfinite(values[*count])) {
                fil_xml_fail(reader, node, "holds something that is not a number");
                values = NULL;
            }
            ++*count;
            at = end;
        }
    }
    xmlFree(text);
    return values;
}

static const xmlNode* find_id(const xmlNode* node, const char* id)
{
    for (const xmlNode* child = fil_xml_first(node); child != NULL; child = fil_xml_next(child)) {
        xmlChar* own = xmlGetNoNsProp((xmlNode*)child, BAD_CAST "id");
        const bool same = own != NULL && strcmp((const char*)own, id) == 0;
        xmlFree(own);
        const xmlNode* found = same ? child : find_id(child, id);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

/* What an attribute "#id" refers to; NULL after a failure. */
static const xmlNode* follow(Dae* dae, const xmlNode* node, const char* attribute)
{
    const char* url = fil_xml_text(&dae->reader, node, attribute, true);
    const xmlNode* found = url != NULL && url[0] == '#' ? find_id(dae->root, url + 1) : NULL;
    if (found == NULL && url != NULL) {
        fil_xml_fail(&dae->reader, node, "there is no '%.80s'", url);
    }
    return found;
}

/* The input of a meaning, such as POSITION; NULL: none. `stride`: how many indices a corner has. */
static const xmlNode* find_input(Dae* dae, const xmlNode* parent, const char* meaning, int* offset, int* stride)
{
    const xmlNode* found = NULL;
    *offset = *stride = 0;
    for (const xmlNode* node = fil_xml_first(parent); node != NULL; node = fil_xml_next(node)) {
        double at = 0.0;
        if (!fil_xml_is(node, "input")) {
            continue;
        }
        fil_xml_numbers(&dae->reader, node, "offset", false, 1, &at);
        const char* own = fil_xml_text(&dae->reader, node, "semantic", true);
        // COLLADA 1.4 has some twenty meanings of input, each at an offset of its own
        if (!(at >= 0.0 && at < 32.0)) {
            fil_xml_fail(&dae->reader, node, "its offset is out of range");
        } else if (own != NULL) {
            *stride = (int)at + 1 > *stride ? (int)at + 1 : *stride;
            if (strcmp(own, meaning) == 0) {
                found = node;
                *offset = (int)at;
            }
        }
    }
    return dae->reader.status == FIL_OK ? found : NULL;
}

/* ---- geometry ---- */

/* Points of the primitive's vertices, three numbers each; NULL after a failure. */
static double* read_points(Dae* dae, const xmlNode* input, int* count)
{
    FilUrdfReader* reader = &dae->reader;
    int offset, stride;
    const xmlNode* vertices = follow(dae, input, "source");
    const xmlNode* position = vertices != NULL ? find_input(dae, vertices, "POSITION", &offset, &stride) : NULL;
    const xmlNode* source = position != NULL ? follow(dae, position, "source") : NULL;
    const xmlNode* array = source != NULL ? fil_xml_child(reader, source, "float_array") : NULL;
    if (array == NULL) {
        fil_xml_fail(reader, input, "its vertices have no positions");
        return NULL;
    }
    double step = 3.0;
    const xmlNode* technique = fil_xml_child(reader, source, "technique_common");
    const xmlNode* accessor = technique != NULL ? fil_xml_child(reader, technique, "accessor") : NULL;
    if (accessor != NULL) {
        fil_xml_numbers(reader, accessor, "stride", false, 1, &step);
    }
    int numbers;
    double* points = read_list(dae, array, &numbers);
    // x, y, z; more are skipped. Beyond 64 it is no stride of points, and the product with their count must not overflow
    if (points == NULL || !(step >= 3.0 && step <= 64.0)) {
        fil_xml_fail(reader, array, "its points do not have three numbers");
        return NULL;
    }
    *count = numbers / (int)step;
    for (int k = 0; k < *count; k++) {
        memmove(points + 3 * k, points + (int)step * k, 3 * sizeof *points);
    }
    return points;
}

static bool make_room(Dae* dae, void** array, int count, int* capacity, size_t size)
{
    const bool made = fil_array_reserve(array, count, capacity, size);
    if (!made) {
        dae->reader.status = fil_error(dae->reader.error, FIL_OUT_OF_MEMORY, "%.200s: out of memory", dae->reader.path);
    }
    return made;
}

static bool add_triangle(Dae* dae, const xmlNode* at, int a, int b, int c)
{
    FilMesh* mesh = dae->mesh;
    if (mesh->triangle_count == MAX_TRIANGLES) {
        fil_xml_fail(&dae->reader, at, "the file has more than %d triangles", MAX_TRIANGLES);
        return false;
    }
    if (!make_room(dae, (void**)&mesh->triangles, mesh->triangle_count, &dae->triangle_capacity, 3 * sizeof(int))) {
        return false;
    }
    const int corner[3] = {a, b, c};
    memcpy(mesh->triangles + 3 * mesh->triangle_count++, corner, sizeof corner);
    return true;
}

/* A polygon as a fan; `index` has `stride` numbers for each corner. */
static bool add_polygon(Dae* dae, const xmlNode* at, const double* index, int corners, int stride, int points, int first)
{
    for (int k = 0; k < corners; k++) {
        const double i = index[k * stride];
        if (!(i >= 0.0 && i < points && i == floor(i))) {
            fil_xml_fail(&dae->reader, at, "it has no vertex %g", i);
            return false;
        }
    }
    bool good = true;
    for (int k = 2; k < corners && good; k++) {
        good = add_triangle(dae, at, first + (int)index[0], first + (int)index[(k - 1) * stride], first + (int)index[k * stride]);
    }
    return good;
}

/* <triangles>, <polylist> or <polygons>; their vertices follow `first`. */
static void read_faces(Dae* dae, const xmlNode* node, const xmlNode* counts, int offset, int stride, int points, int first)
{
    int count = 0, polygon = 0;
    const double* corners = counts != NULL ? read_list(dae, counts, &count) : NULL;
    for (const xmlNode* p = fil_xml_first(node); p != NULL && dae->reader.status == FIL_OK; p = fil_xml_next(p)) {
        int numbers, at = 0;
        const double* index = fil_xml_is(p, "p") ? read_list(dae, p, &numbers) : NULL;
        while (index != NULL && at < numbers) {
            const double wanted = fil_xml_is(node, "triangles") ? 3.0
                                  : corners == NULL             ? numbers / stride
                                  : polygon < count             ? corners[polygon++]
                                                                : -1.0;
            if (!(wanted >= 1.0 && wanted <= (numbers - at) / stride)) {
                fil_xml_fail(&dae->reader, p, "its polygons and its indices do not fit");
                return;
            }
            if (!add_polygon(dae, p, index + at + offset, (int)wanted, stride, points, first)) {
                return;
            }
            at += (int)wanted * stride;
        }
    }
}

static void read_primitive(Dae* dae, const xmlNode* node, const Affine* place)
{
    FilMesh* mesh = dae->mesh;
    int offset, stride, points = 0;
    const int first = mesh->vertex_count;
    const xmlNode* input = find_input(dae, node, "VERTEX", &offset, &stride);
    const double* x = input != NULL ? read_points(dae, input, &points) : NULL;
    if (x == NULL) {
        fil_xml_fail(&dae->reader, node, "it has no vertices");
        return;
    }
    for (int k = 0; k < points; k++) {
        if (!make_room(dae, (void**)&mesh->vertices, mesh->vertex_count, &dae->vertex_capacity, 3 * sizeof(double))) {
            return;
        }
        for (int r = 0; r < 3; r++) {
            const double* row = place->a + 3 * r;
            mesh->vertices[3 * mesh->vertex_count + r] = row[0] * x[3 * k] + row[1] * x[3 * k + 1] + row[2] * x[3 * k + 2] + place->b[r];
        }
        mesh->vertex_count++;
    }
    read_faces(dae, node, fil_xml_child(&dae->reader, node, "vcount"), offset, stride, points, first);
}

static void read_geometry(Dae* dae, const xmlNode* geometry, const Affine* place)
{
    const xmlNode* mesh = fil_xml_child(&dae->reader, geometry, "mesh");
    for (const xmlNode* node = mesh != NULL ? fil_xml_first(mesh) : NULL; node != NULL && dae->reader.status == FIL_OK; node = fil_xml_next(node)) {
        if (fil_xml_is(node, "triangles") || fil_xml_is(node, "polylist") || fil_xml_is(node, "polygons")) {
            read_primitive(dae, node, place);
        }
    }
}

/* ---- scenes ---- */

/* <matrix>, <translate>, <rotate> or <scale>; any other element is none. */
static bool read_transform(Dae* dae, const xmlNode* node, Affine* made)
{
    static const struct {
        const char* name;
        int count;
    } kinds[] = {{"matrix", 16}, {"translate", 3}, {"rotate", 4}, {"scale", 3}};
    int kind = 0, count;
    while (kind < 4 && !fil_xml_is(node, kinds[kind].name)) {
        kind++;
    }
    const double* n = kind < 4 ? read_list(dae, node, &count) : NULL;
    if (n == NULL || count != kinds[kind].count) {
        if (n != NULL) {
            fil_xml_fail(&dae->reader, node, "it needs %d numbers", kinds[kind].count);
        }
        return false;
    }
    *made = identity;
    const double length = kind == 2 ? sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) : 0.0;
    for (int r = 0; r < 3; r++) {
        if (kind == 0) {
            memcpy(made->a + 3 * r, n + 4 * r, 3 * sizeof *n);
            made->b[r] = n[4 * r + 3];
        } else if (kind == 1) {
            made->b[r] = n[r];
        } else if (kind == 3) {
            made->a[4 * r] = n[r];
        }
    }
    if (length > 0.0) {  // Rodrigues
        const double angle = n[3] * acos(-1.0) / 180.0, c = cos(angle), s = sin(angle), u[3] = {n[0] / length, n[1] / length, n[2] / length};
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < 3; k++) {
                made->a[3 * r + k] = (1.0 - c) * u[r] * u[k] + (r == k ? c : 0.0);
            }
            made->a[3 * r + (r + 1) % 3] -= s * u[(r + 2) % 3];
            made->a[3 * r + (r + 2) % 3] += s * u[(r + 1) % 3];
        }
    }
    return true;
}

static void read_node(Dae* dae, const xmlNode* node, Affine place, int depth)
{
    if (depth > MAX_DEPTH) {
        fil_xml_fail(&dae->reader, node, "nodes are nested too deeply, or in a circle");
    }
    for (const xmlNode* child = fil_xml_first(node); child != NULL && dae->reader.status == FIL_OK; child = fil_xml_next(child)) {
        Affine own;
        if (read_transform(dae, child, &own)) {
            place = compose(&place, &own);
        }
    }
    for (const xmlNode* child = fil_xml_first(node); child != NULL && dae->reader.status == FIL_OK; child = fil_xml_next(child)) {
        const bool geometry = fil_xml_is(child, "instance_geometry"), instance = fil_xml_is(child, "instance_node");
        const xmlNode* other = geometry || instance ? follow(dae, child, "url") : fil_xml_is(child, "node") ? child : NULL;
        if (other != NULL && geometry) {
            read_geometry(dae, other, &place);
        } else if (other != NULL) {
            read_node(dae, other, place, depth + 1);
        }
    }
}

static void read_document(Dae* dae)
{
    FilUrdfReader* reader = &dae->reader;
    if (!fil_xml_is(dae->root, "COLLADA")) {
        fil_xml_fail(reader, dae->root, "is not a Collada file");
        return;
    }
    double metre = 1.0;
    const xmlNode *asset = fil_xml_child(reader, dae->root, "asset"), *unit = asset != NULL ? fil_xml_child(reader, asset, "unit") : NULL;
    if (unit != NULL) {
        fil_xml_numbers(reader, unit, "meter", false, 1, &metre);
    }
    const Affine scale = {{metre, 0, 0, 0, metre, 0, 0, 0, metre}, {0}};
    const xmlNode* scene = fil_xml_child(reader, dae->root, "scene");
    const xmlNode* instance = scene != NULL ? fil_xml_child(reader, scene, "instance_visual_scene") : NULL;
    const xmlNode* shown = instance != NULL ? follow(dae, instance, "url") : NULL;
    if (shown != NULL) {
        read_node(dae, shown, scale, 0);
    }
    if (reader->status == FIL_OK && dae->mesh->triangle_count == 0) {
        fil_xml_fail(reader, dae->root, "its scene has no triangles");
    }
}

FilStatus fil_collada_read_text(const char* name, const char* text, size_t size, FilMesh* mesh, FilError* error)
{
    *mesh = (FilMesh){0};
    FilPool pool = {0};
    Dae dae = {.reader = {.error = error, .pool = &pool, .path = name}, .mesh = mesh};
    const FilSource source = {.path = name, .text = text, .size = size};
    xmlDoc* document = fil_xml_parse(&dae.reader, &source);
    dae.root = document != NULL ? xmlDocGetRootElement(document) : NULL;
    if (dae.root != NULL && dae.reader.status == FIL_OK) {
        read_document(&dae);
    }
    xmlFreeDoc(document);
    fil_pool_free(&pool);
    if (dae.reader.status != FIL_OK) {
        fil_mesh_free(mesh);
    }
    return dae.reader.status;
}

FilStatus fil_collada_read(const char* path, FilMesh* mesh, FilError* error)
{
    FilPool pool = {0};
    FilUrdfReader reader = {.error = error, .pool = &pool, .path = path};
    size_t size = 0;
    *mesh = (FilMesh){0};
    const char* text = fil_xml_load(&reader, path, &size);
    const FilStatus status = text != NULL && reader.status == FIL_OK ? fil_collada_read_text(path, text, size, mesh, error) : reader.status;
    fil_pool_free(&pool);
    return status;
}
