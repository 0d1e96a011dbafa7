/* solids: soft bodies of tetrahedra, the shapes and files they are made of, and where they are held. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec3.h"
#include "filum/solid.h"
#include "scene/document.h"
#include "scene/kinds.h"

/* What an item of the kind is made of. */
typedef struct SceneSolid {
    FilSolidDef def; /* its arrays live in the pool */
    int pin_count;
    struct {
        double corners[2][3]; /* m: vertices inside are held ... */
        unsigned axes;        /* ... by these components */
    }* pins;
} SceneSolid;

/* ---- meshes ---- */

/* The sizes of one of the shapes that are stuffed. */
static void read_shape(FilReader* reader, const FilYaml* node, FilSolidPart* part)
{
    const FilSolidShape shape = part->shape;
    if (shape == FIL_SOLID_BOX || shape == FIL_SOLID_ELLIPSOID) {
        fil_read_vector(reader, node, shape == FIL_SOLID_BOX ? "size" : "half", FIL_REQUIRED, 3, part->size);
        for (int k = 0; k < 3 && shape == FIL_SOLID_BOX; k++) {
            part->size[k] *= 0.5;
        }
    } else {
        fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &part->size[0]);
    }
    if (shape == FIL_SOLID_CYLINDER && fil_read_number(reader, node, "length", FIL_REQUIRED | FIL_POSITIVE, &part->size[1])) {
        part->size[1] *= 0.5;
    }
    if (shape == FIL_SOLID_TORUS) {
        fil_read_number(reader, node, "tube", FIL_REQUIRED | FIL_POSITIVE, &part->size[1]);
    }
}

static const char* const part_words[] = {
    [FIL_SOLID_BALL] = "ball",   [FIL_SOLID_BOX] = "box", [FIL_SOLID_CYLINDER] = "cylinder", [FIL_SOLID_ELLIPSOID] = "ellipsoid",
    [FIL_SOLID_TORUS] = "torus", NULL};

/* Their keys within a blend. */
static const char* const part_keys[FIL_SOLID_SHAPE_COUNT][5] = {
    [FIL_SOLID_BALL] = {"radius", NULL},
    [FIL_SOLID_BOX] = {"size", NULL},
    [FIL_SOLID_CYLINDER] = {"radius", "length", NULL},
    [FIL_SOLID_ELLIPSOID] = {"half", NULL},
    [FIL_SOLID_TORUS] = {"radius", "tube", NULL},
};

/* A single one. */
static void read_part(FilScene* scene, const FilYaml* node, FilSolidShape shape, FilSolidMesh* mesh)
{
    static const char* const keys[FIL_SOLID_SHAPE_COUNT][5] = {
        [FIL_SOLID_BALL] = {"radius", "spacing", NULL},
        [FIL_SOLID_BOX] = {"size", "spacing", NULL},
        [FIL_SOLID_CYLINDER] = {"radius", "length", "spacing", NULL},
        [FIL_SOLID_ELLIPSOID] = {"half", "spacing", NULL},
        [FIL_SOLID_TORUS] = {"radius", "tube", "spacing", NULL},
    };
    FilReader* reader = &scene->reader;
    FilSolidPart part = {.shape = shape};
    FilError error = {{0}};
    double spacing = 0.0;
    if (!fil_check_keys(reader, node, keys[shape])) {
        return;
    }
    fil_read_number(reader, node, "spacing", FIL_REQUIRED | FIL_POSITIVE, &spacing);
    read_shape(reader, node, &part);
    if (reader->status == FIL_OK) {
        const FilSolidBlend blend = {.parts = &part, .part_count = 1, .spacing = spacing};
        fil_reader_take(reader, fil_solid_mesh_blend(&blend, mesh, &error), node, error.text);
    }
}

/* Several that grow together, {parts: [{ball: {radius}, position, rotation}, ...], rounding, spacing}, without what lies
 * beyond the plane `cut: {normal, offset}`. */
static void read_blend(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    static const char* const keys[] = {"parts", "rounding", "spacing", "cut", NULL}, *const cut_keys[] = {"normal", "offset", NULL};
    static const char* const item_keys[] = {"ball", "box", "cylinder", "ellipsoid", "torus", "position", "rotation", "orientation", NULL};
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    FilSolidBlend blend = {0};
    const FilYaml* list = fil_check_keys(reader, node, keys) ? fil_read_node(reader, node, "parts", FIL_REQUIRED) : NULL;
    if (list == NULL || !fil_check_list(reader, list, "shapes")) {
        return;
    }
    fil_read_number(reader, node, "rounding", FIL_NOT_NEGATIVE, &blend.rounding);
    fil_read_number(reader, node, "spacing", FIL_REQUIRED | FIL_POSITIVE, &blend.spacing);
    const FilYaml* cut = fil_read_node(reader, node, "cut", FIL_OPTIONAL);
    if (cut != NULL && fil_check_keys(reader, cut, cut_keys)) {
        fil_scene_read_vec3(reader, cut, "normal", &blend.cut);
        fil_read_number(reader, cut, "offset", FIL_OPTIONAL, &blend.cut_offset);
    }
    FilSolidPart* parts = fil_reader_alloc(reader, (size_t)list->count, sizeof *parts);
    blend.parts = parts;
    for (const FilYaml* item = list->first; item != NULL && reader->status == FIL_OK && parts != NULL; item = item->next) {
        FilYaml* body = NULL;
        FilSolidPart* part = &parts[blend.part_count++];
        *part = (FilSolidPart){.orientation = {0.0, 0.0, 0.0, 1.0}};
        const int word = fil_check_keys(reader, item, item_keys) ? fil_read_variant(reader, item, part_words, &body) : -1;
        if (word >= 0 && fil_check_keys(reader, body, part_keys[word])) {
            part->shape = (FilSolidShape)word;
            read_shape(reader, body, part);
            fil_scene_read_vec3(reader, item, "position", &part->position);
            fil_scene_read_orientation(reader, item, &part->orientation);
        }
    }
    if (reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_blend(&blend, mesh, &error), node, error.text);
    }
}

static bool read_three(FilReader* reader, const FilYaml* node, const char* key, int least, int* cells)
{
    double numbers[3] = {0.0};
    if (!fil_read_vector(reader, node, key, FIL_REQUIRED, 3, numbers)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        if (!(numbers[k] >= least && numbers[k] <= 10000.0) || numbers[k] != floor(numbers[k])) {
            fil_reader_fail(reader, fil_yaml_find(node, key), "expected three whole numbers from %d to 10000", least);
            return false;
        }
        cells[k] = (int)numbers[k];
    }
    return true;
}

static bool read_cells(FilReader* reader, const FilYaml* node, int* cells)
{
    return read_three(reader, node, "cells", 1, cells);
}

/* Cells that are left out, in the pool; returns their number. */
static int read_hollows(FilReader* reader, const FilYaml* node, FilSolidHollow** hollows)
{
    static const char* const keys[] = {"from", "to", NULL};
    const FilYaml* list = fil_read_node(reader, node, "hollows", FIL_OPTIONAL);
    int count = 0;
    *hollows = NULL;
    if (list == NULL || !fil_check_list(reader, list, "blocks of cells {from, to}")) {
        return 0;
    }
    *hollows = fil_reader_alloc(reader, (size_t)list->count, sizeof **hollows);
    for (const FilYaml* block = list->first; block != NULL && reader->status == FIL_OK && *hollows != NULL; block = block->next) {
        FilSolidHollow* hollow = *hollows + count++;
        if (fil_check_keys(reader, block, keys) && read_three(reader, block, "from", 0, hollow->from)) {
            read_three(reader, block, "to", 1, hollow->to);
        }
    }
    return count;
}

static void read_brick(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    static const char* const keys[] = {"size", "cells", "split", "hollows", NULL};
    static const char* const splits[] = {"five", "six", "symmetric", NULL};
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    double size[3];
    int cells[3], split = 1;
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    fil_read_choice(reader, node, "split", splits, &split);
    FilSolidHollow* hollows;
    const int hollow_count = read_hollows(reader, node, &hollows);
    if (fil_read_vector(reader, node, "size", FIL_REQUIRED, 3, size) && read_cells(reader, node, cells) &&
        reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_hollow_brick(size, cells, split, hollows, hollow_count, mesh, &error), node, error.text);
    }
}

static void read_voussoir(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    static const char* const keys[] = {"radius", "thickness", "depth", "from", "to", "cells", NULL};
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    double radius = 0.0, thickness = 0.0, depth = 0.0, from = 0.0, to = 0.0;
    int cells[3];
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &radius);
    fil_read_number(reader, node, "thickness", FIL_REQUIRED | FIL_POSITIVE, &thickness);
    fil_read_number(reader, node, "depth", FIL_REQUIRED | FIL_POSITIVE, &depth);
    fil_read_number(reader, node, "from", FIL_REQUIRED, &from);
    fil_read_number(reader, node, "to", FIL_REQUIRED, &to);
    if (read_cells(reader, node, cells) && reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_voussoir(radius, thickness, depth, from, to, cells, mesh, &error), node,
                        error.text);
    }
}

static void read_disc(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    static const char* const keys[] = {"radius", "length", "rings", "layers", NULL};
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    double radius = 0.0, length = 0.0;
    int rings = 0, layers = 1;
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &radius);
    fil_read_number(reader, node, "length", FIL_REQUIRED | FIL_POSITIVE, &length);
    fil_read_integer(reader, node, "rings", FIL_REQUIRED, 1, 1000, &rings);
    fil_read_integer(reader, node, "layers", FIL_OPTIONAL, 1, 1000, &layers);
    if (reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_disc(radius, length, rings, layers, mesh, &error), node, error.text);
    }
}

static void read_file(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    static const char* const keys[] = {"path", "scale", NULL};
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    const char* name = NULL;
    double scale = 1.0;
    if (!fil_check_keys(reader, node, keys) || !fil_read_text(reader, node, "path", FIL_REQUIRED, &name)) {
        return;
    }
    fil_read_number(reader, node, "scale", FIL_POSITIVE, &scale);
    const char* path = fil_document_path(reader->pool, node->file != NULL ? node->file : scene->path, name);
    if (reader->status == FIL_OK && path != NULL) {
        fil_reader_take(reader, fil_solid_mesh_read(path, scale, mesh, &error), fil_yaml_find(node, "path"), error.text);
    }
}

static void read_mesh(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    enum { BRICK = FIL_SOLID_SHAPE_COUNT, VOUSSOIR, BLEND, DISC, FILE_OF };
    static const char* const words[] = {
        [FIL_SOLID_BALL] = "ball",   [FIL_SOLID_BOX] = "box", [FIL_SOLID_CYLINDER] = "cylinder", [FIL_SOLID_ELLIPSOID] = "ellipsoid",
        [FIL_SOLID_TORUS] = "torus", [BRICK] = "brick",       [VOUSSOIR] = "voussoir",           [BLEND] = "blend",
        [DISC] = "disc",             [FILE_OF] = "file",      NULL};
    FilYaml* body = NULL;
    const int word = fil_read_variant(&scene->reader, node, words, &body);
    if (word >= 0 && word < FIL_SOLID_SHAPE_COUNT) {
        read_part(scene, body, (FilSolidShape)word, mesh);
    } else if (word == BRICK) {
        read_brick(scene, body, mesh);
    } else if (word == VOUSSOIR) {
        read_voussoir(scene, body, mesh);
    } else if (word == BLEND) {
        read_blend(scene, body, mesh);
    } else if (word == DISC) {
        read_disc(scene, body, mesh);
    } else if (word == FILE_OF) {
        read_file(scene, body, mesh);
    }
}

/* The mesh where the scene wants it, in the pool. */
static void place_mesh(FilScene* scene, const FilYaml* node, const FilSolidMesh* mesh, FilSolidDef* def)
{
    FilReader* reader = &scene->reader;
    FilVec3 position = {0};
    FilQuat orientation = {0.0, 0.0, 0.0, 1.0};
    double rotation[9];
    fil_scene_read_vec3(reader, node, "position", &position);
    fil_scene_read_orientation(reader, node, &orientation);
    if (reader->status == FIL_OK && mesh->vertex_count > scene->limits.nodes - scene->node_count) {
        fil_reader_fail(reader, node, "more than %d nodes in one scene", scene->limits.nodes);
    }
    double* x = fil_reader_alloc(reader, (size_t)mesh->vertex_count, 3 * sizeof *x);
    int* tets = fil_reader_alloc(reader, (size_t)mesh->tet_count, 4 * sizeof *tets);
    if (reader->status != FIL_OK || x == NULL || tets == NULL) {
        return;
    }
    scene->node_count += mesh->vertex_count;
    fil_m3_from_quat(rotation, orientation);
    for (int i = 0; i < mesh->vertex_count; i++) {
        fil_m3_apply(x + 3 * i, rotation, mesh->vertices + 3 * i);
        x[3 * i] += position.x, x[3 * i + 1] += position.y, x[3 * i + 2] += position.z;
    }
    memcpy(tets, mesh->tets, sizeof(int) * 4 * (size_t)mesh->tet_count);
    def->vertices = x;
    def->vertex_count = mesh->vertex_count;
    def->tets = tets;
    def->tet_count = mesh->tet_count;
}

/* ---- one solid ---- */

static void read_law(FilScene* scene, const FilYaml* node, const FilSceneMaterial* material, FilSolidDef* def)
{
    static const char* const rubber_keys[] = {"c1", "c2", "bulk", NULL};
    static const char* const damping_keys[] = {"mass", "stiffness", NULL};
    FilReader* reader = &scene->reader;
    const char* models[FIL_SOLID_MODEL_COUNT + 1] = {NULL};
    for (int k = 0; k < FIL_SOLID_MODEL_COUNT; k++) {
        models[k] = fil_solid_model_name((FilSolidModel)k);
    }
    int model = (int)def->model;
    fil_read_choice(reader, node, "model", models, &model);
    def->model = (FilSolidModel)model;
    const FilYaml* rubber =
        fil_read_node(reader, node, "mooney_rivlin", def->model == FIL_SOLID_MOONEY_RIVLIN ? FIL_REQUIRED : FIL_OPTIONAL);
    if (rubber != NULL && fil_check_keys(reader, rubber, rubber_keys)) {
        fil_read_number(reader, rubber, "c1", FIL_REQUIRED, &def->c1);
        fil_read_number(reader, rubber, "c2", FIL_REQUIRED, &def->c2);
        fil_read_number(reader, rubber, "bulk", FIL_REQUIRED | FIL_POSITIVE, &def->bulk);
    }
    const FilYaml* damping = fil_read_node(reader, node, "damping", FIL_OPTIONAL);
    if (damping != NULL && fil_check_keys(reader, damping, damping_keys)) {
        fil_read_number(reader, damping, "mass", FIL_NOT_NEGATIVE, &def->damping_mass);
        fil_read_number(reader, damping, "stiffness", FIL_NOT_NEGATIVE, &def->damping_stiffness);
    }
    static const char* const planes[] = {"none", "x", "y", "z", NULL};
    static const char* const lockings[] = {"none", "nodal", NULL};
    int locking = def->nodal_pressure ? 1 : 0;
    fil_read_choice(reader, node, "plane_strain", planes, &def->plane_strain);
    fil_read_choice(reader, node, "locking", lockings, &locking);
    def->nodal_pressure = locking == 1;
    fil_read_flag(reader, node, "lumped", &def->lumped);
    fil_read_number(reader, node, "radius", FIL_NOT_NEGATIVE, &def->radius);
    fil_read_number(reader, node, "bedding", FIL_NOT_NEGATIVE, &def->bedding);
    if (material != NULL && reader->status == FIL_OK) {
        def->young = material->section.young;
        def->poisson = material->section.poisson;
        def->density = material->section.density;
    }
}

/* `axes`: letters of the components that are held; all without it. */
static unsigned read_axes(FilReader* reader, const FilYaml* box)
{
    const char* text = NULL;
    unsigned axes = 0;
    if (!fil_read_text(reader, box, "axes", FIL_OPTIONAL, &text) || text == NULL) {
        return 7;
    }
    for (const char* c = text; *c != '\0'; c++) {
        axes |= *c >= 'x' && *c <= 'z' ? 1u << (*c - 'x') : 8u;
    }
    if (axes == 0 || axes > 7) {
        fil_reader_fail(reader, fil_yaml_find(box, "axes"), "expected letters of axes, such as xz");
    }
    return axes;
}

static void read_pins(FilScene* scene, const FilYaml* node, SceneSolid* solid)
{
    static const char* const keys[] = {"from", "to", "axes", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, node, "pins", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "boxes {from, to}")) {
        return;
    }
    solid->pins = fil_reader_alloc(reader, (size_t)list->count, sizeof *solid->pins);
    for (const FilYaml* box = list->first; box != NULL && reader->status == FIL_OK && solid->pins != NULL; box = box->next) {
        double(*corners)[3] = solid->pins[solid->pin_count].corners;
        if (fil_check_keys(reader, box, keys)) {
            solid->pins[solid->pin_count++].axes = read_axes(reader, box);
            fil_read_vector(reader, box, "from", FIL_REQUIRED, 3, corners[0]);
            fil_read_vector(reader, box, "to", FIL_REQUIRED, 3, corners[1]);
        }
    }
}

static void read_solid(FilScene* scene, FilSceneItem* item)
{
    static const char* const keys[] = {"name",     "material",    "model",    "mooney_rivlin", "ball",    "box",      "cylinder",
                                       "ellipsoid", "torus",      "brick",    "voussoir",      "blend",   "disc", "file",    "position", "orientation",
                                       "rotation", "damping",     "lumped",   "radius",        "pins",    "velocity", "surface",
                                       "collision", "plane_strain", "locking", "gas", "bedding", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* node = item->at;
    SceneSolid* solid = item->def;
    FilSolidDef* def = &solid->def;
    FilSolidMesh mesh = {0};
    *def = fil_solid_def_default();
    def->name = item->name;
    item->surface = &def->collision.surface;
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    const FilSceneMaterial* material = fil_scene_read_material(scene, node, "material");
    if (material == NULL && reader->status == FIL_OK) {
        const FilYaml absent = fil_absent(node, "material");
        fil_reader_fail(reader, &absent, "missing");
        return;
    }
    read_law(scene, node, material, def);
    read_mesh(scene, node, &mesh);
    if (reader->status == FIL_OK) {
        place_mesh(scene, node, &mesh, def);
    }
    fil_solid_mesh_free(&mesh);
    read_pins(scene, node, solid);
    fil_scene_read_gas(reader, node, &def->gas);
    FilVec3 velocity;
    if (fil_scene_read_vec3(reader, node, "velocity", &velocity) && reader->status == FIL_OK) {
        double* v = fil_reader_alloc(reader, (size_t)def->vertex_count, 3 * sizeof *v);
        for (int i = 0; i < def->vertex_count && v != NULL; i++) {
            fil_v3_set(v + 3 * i, velocity.x, velocity.y, velocity.z);
        }
        def->velocities = v;
    }
    fil_scene_read_collision(scene, node, material, &def->collision);
}

static void read_solids(FilScene* scene, FilSceneList* list)
{
    fil_scene_start_items(scene, list, sizeof(SceneSolid));
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_solid(scene, list->items[k]);
    }
}

/* Components of a vertex that the boxes of `pins` hold. */
static unsigned pinned_axes(const SceneSolid* solid, const double* x)
{
    unsigned axes = 0;
    for (int p = 0; p < solid->pin_count; p++) {
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            inside = inside && x[k] >= solid->pins[p].corners[0][k] && x[k] <= solid->pins[p].corners[1][k];
        }
        axes |= inside ? solid->pins[p].axes : 0;
    }
    return axes;
}

/* Vertices inside the boxes of `pins`, one attachment for each run of them: <solid>_pin0, ... */
static void add_pins(FilScene* scene, const FilSceneItem* item)
{
    const SceneSolid* solid = item->def;
    const FilSolidDef* def = &solid->def;
    int count = 0;
    for (int i = 0; i < def->vertex_count && scene->reader.status == FIL_OK;) {
        FilAttachmentDef pin = fil_attachment_def_default();
        FilId id;
        pin.first = i;
        pin.axes = pinned_axes(solid, def->vertices + 3 * i);
        for (pin.count = 0; i < def->vertex_count && pinned_axes(solid, def->vertices + 3 * i) == pin.axes; i++) {
            pin.count++;
        }
        if (pin.axes != 0) {
            char prefix[200];
            snprintf(prefix, sizeof prefix, "%s_pin", item->name);
            pin.object = item->id;
            pin.name = fil_scene_number_name(&scene->reader, prefix, count++);
            fil_scene_take(scene, fil_world_add_attachment(scene->world, &pin, &id), item->at);
        }
    }
    if (count == 0 && solid->pin_count > 0 && scene->reader.status == FIL_OK) {
        fil_reader_fail(&scene->reader, fil_yaml_find(item->at, "pins"), "no vertex lies inside");
    }
}

static void add_solids(FilScene* scene, FilSceneList* list)
{
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        FilSceneItem* item = list->items[k];
        fil_scene_take(scene, fil_world_add_solid(scene->world, &((SceneSolid*)item->def)->def, &item->id), item->at);
        if (scene->reader.status == FIL_OK) {
            add_pins(scene, item);
        }
    }
}

static const FilScenePart parts[] = {
    {"vertex", "vertices", FIL_USE_ATTACH(FIL_ATTACH_PIN) | FIL_USE_JOIN | FIL_USE_POINT | FIL_USE_DRIVE(FIL_DRIVE_FORCE)},
    {"chamber", "chambers", FIL_USE_DRIVE(FIL_DRIVE_PRESSURE)},
};

const FilSceneKind fil_scene_solids = {
    .section = "solids",
    .word = "solid",
    .title = "solid",
    .is_object = true,
    .read = read_solids,
    .add = add_solids,
    .get_positions = fil_solid_get_positions,
    FIL_SCENE_PARTS(parts),
};
