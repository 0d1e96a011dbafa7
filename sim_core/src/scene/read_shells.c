/* shells: cloth and sheets, and the meshes they are made of. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "filum/mesh.h"
#include "filum/shell.h"
#include "scene/bubble.h"
#include "scene/document.h"
#include "scene/kinds.h"
#include "scene/shapes.h"
#include "scene/sheet.h"

static const char* const patterns[] = {[FIL_SHEET_STAGGERED] = "staggered", [FIL_SHEET_SQUARES] = "squares", NULL};

static const char* const flats[] = {"none", "x", "y", "z", NULL};

static const char* const bendings[] = {[FIL_BENDING_NORMALS] = "normals", [FIL_BENDING_HINGES] = "hinges", NULL};

static const char* const rests[] = {"initial", "flat", NULL};

static const FilKey sheet_keys[] = {
    FIL_KEY_VECTOR("corner", 3, 0, "m", "[0, 0, 0]", ""),
    FIL_KEY_VECTOR("along", 3, FIL_REQUIRED, "m", "", "one side"),
    FIL_KEY_VECTOR("across", 3, FIL_REQUIRED, "m", "", "the other"),
    FIL_KEY_WHOLE("columns", FIL_REQUIRED | FIL_POSITIVE, "", "edges along"),
    FIL_KEY_WHOLE("rows", FIL_REQUIRED | FIL_POSITIVE, "", "rows of triangles across"),
    FIL_KEY_WORD("pattern", patterns, "staggered", ""),
    FIL_KEY_END,
};

static const FilKey bubble_keys[] = {
    FIL_KEY_VECTOR("half", 3, FIL_REQUIRED, "m", "", "half axes of an ellipsoid"),
    FIL_KEY_WHOLE("divisions", FIL_REQUIRED | FIL_POSITIVE, "", "of an edge of the icosahedron it is made of"),
    FIL_KEY_WORD("flat", flats, "none", "the axis below whose 0 it has a flat back"),
    FIL_KEYS_PLACE,
    FIL_KEY_END,
};

static const FilKey file_keys[] = {
    FIL_KEY_TEXT("path", FIL_REQUIRED, "", "OBJ or STL, beside the scene"),
    FIL_KEY_NUMBER("scale", FIL_POSITIVE, "1", "1", ""),
    FIL_KEYS_PLACE,
    FIL_KEY_END,
};

static const FilKey shell_keys[] = {
    FIL_KEY_NAME("shell<i> if it is not given"),
    FIL_KEY_TEXT("material", FIL_REQUIRED, "", "young, poisson, density and surface"),
    FIL_KEY_NUMBER("thickness", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_MAPPING("sheet", sheet_keys, FIL_VARIANT, "a parallelogram"),
    FIL_KEY_MAPPING("bubble", bubble_keys, FIL_VARIANT, "an ellipsoid"),
    FIL_KEY_MAPPING("file", file_keys, FIL_VARIANT, "a mesh"),
    FIL_KEY_NUMBER("noise", FIL_NOT_NEGATIVE, "m", "0", "moves every coordinate at random by up to this"),
    FIL_KEY_WORD("bending", bendings, "normals", "energy of an inner edge, by its triangles' normals or by its angle"),
    FIL_KEY_WORD("rest", rests, "initial", "the shape without bending"),
    FIL_KEY_MAPPING("damping", fil_rayleigh_keys, 0, ""),
    FIL_KEY_VECTOR("velocity", 3, 0, "m/s", "[0, 0, 0]", "at the start"),
    FIL_KEYS_TOUCH,
    FIL_KEY_MAPPING("gas", fil_gas_keys, 0, "inside, if it is closed"),
    FIL_KEYS_LOOK,
    FIL_KEY_END,
};

/* Room for a mesh; false after a failure. */
static bool make_mesh(FilScene* scene, const FilYaml* at, int vertices, int triangles, double** x, int** t, FilShellDef* def)
{
    FilReader* reader = &scene->reader;
    fil_scene_count(scene, at, vertices, triangles);
    *x = fil_reader_alloc(reader, (size_t)vertices, 3 * sizeof(double));
    *t = fil_reader_alloc(reader, (size_t)triangles, 3 * sizeof(int));
    if (*x == NULL || *t == NULL) {
        return false;
    }
    def->vertices = *x;
    def->vertex_count = vertices;
    def->triangles = *t;
    def->triangle_count = triangles;
    return true;
}

/* A parallelogram from `corner` with sides `along` and `across`: `columns` edges along, `rows` of triangles across. */
static void read_sheet(FilScene* scene, const FilYaml* node, FilShellDef* def)
{
    FilReader* reader = &scene->reader;
    FilSheet sheet = {0};
    int pattern = FIL_SHEET_STAGGERED;
    if (!fil_check_keys(reader, node, sheet_keys)) {
        return;
    }
    fil_read_vector(reader, node, "corner", FIL_OPTIONAL, 3, sheet.corner);
    fil_read_vector(reader, node, "along", FIL_REQUIRED, 3, sheet.along);
    fil_read_vector(reader, node, "across", FIL_REQUIRED, 3, sheet.across);
    fil_read_integer(reader, node, "columns", FIL_REQUIRED, 1, 10000, &sheet.columns);
    fil_read_integer(reader, node, "rows", FIL_REQUIRED, 1, 10000, &sheet.rows);
    fil_read_choice(reader, node, "pattern", patterns, &pattern);
    sheet.pattern = (FilSheetPattern)pattern;
    double normal[3], *x;
    int* t;
    fil_v3_cross(normal, sheet.along, sheet.across);
    if (reader->status == FIL_OK && !(fil_v3_norm(normal) > 0.0)) {
        fil_reader_fail(reader, fil_yaml_find(node, "across"), "is parallel to 'along': the sheet has no area");
    }
    if (make_mesh(scene, node, fil_sheet_vertices(&sheet), fil_sheet_triangles(&sheet), &x, &t, def)) {
        fil_sheet_build(&sheet, x, t);
    }
}

/* Places a mesh as `position` and `rotation` say. */
static void move_mesh(FilReader* reader, const FilYaml* node, int count, double* x)
{
    FilVec3 position = {0};
    FilQuat orientation = {0.0, 0.0, 0.0, 1.0};
    double rotation[9], turned[3];
    fil_scene_read_vec3(reader, node, "position", &position);
    fil_scene_read_orientation(reader, node, &orientation);
    fil_m3_from_quat(rotation, orientation);
    for (int i = 0; i < count; i++) {
        fil_m3_apply(turned, rotation, x + 3 * i);
        fil_v3_set(x + 3 * i, turned[0] + position.x, turned[1] + position.y, turned[2] + position.z);
    }
}

/* An ellipsoid, or half of one with a flat back. */
static void read_bubble(FilScene* scene, const FilYaml* node, FilShellDef* def)
{
    FilReader* reader = &scene->reader;
    FilBubble bubble = {.divisions = 1};
    double* x;
    int* t;
    if (!fil_check_keys(reader, node, bubble_keys)) {
        return;
    }
    fil_read_vector(reader, node, "half", FIL_REQUIRED, 3, bubble.half);
    fil_read_integer(reader, node, "divisions", FIL_REQUIRED, 1, 1000, &bubble.divisions);
    fil_read_choice(reader, node, "flat", flats, &bubble.flat);
    if (reader->status == FIL_OK && !(bubble.half[0] > 0.0 && bubble.half[1] > 0.0 && bubble.half[2] > 0.0)) {
        fil_reader_fail(reader, fil_yaml_find(node, "half"), "half axes must be positive");
    }
    if (make_mesh(scene, node, fil_bubble_vertices(&bubble), fil_bubble_triangles(&bubble), &x, &t, def)) {
        fil_bubble_build(&bubble, x, t);
        move_mesh(reader, node, def->vertex_count, x);
    }
}

static void read_file(FilScene* scene, const FilYaml* node, FilShellDef* def)
{
    FilReader* reader = &scene->reader;
    const char* name = NULL;
    double scale = 1.0, *x;
    int* t;
    FilMesh mesh = {0};
    FilError error = {{0}};
    if (!fil_check_keys(reader, node, file_keys) || !fil_read_text(reader, node, "path", FIL_REQUIRED, &name)) {
        return;
    }
    fil_read_number(reader, node, "scale", FIL_POSITIVE, &scale);
    const char* path = fil_scene_file(scene, fil_yaml_find(node, "path"), name);
    if (reader->status != FIL_OK || path == NULL) {
        return;
    }
    fil_reader_take(reader, fil_mesh_read_below(path, scene->options->folders, scale, &mesh, &error), fil_yaml_find(node, "path"), error.text);
    if (reader->status == FIL_OK && make_mesh(scene, node, mesh.vertex_count, mesh.triangle_count, &x, &t, def)) {
        memcpy(x, mesh.vertices, sizeof(double) * 3 * (size_t)mesh.vertex_count);
        move_mesh(reader, node, mesh.vertex_count, x);
        memcpy(t, mesh.triangles, sizeof(int) * 3 * (size_t)mesh.triangle_count);
    }
    fil_mesh_free(&mesh);
}

static void read_shell(FilScene* scene, FilSceneItem* item)
{
    static const char* const meshes[] = {"sheet", "file", "bubble", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* node = item->at;
    FilShellDef* def = item->def;
    *def = fil_shell_def_default();
    def->name = item->name;
    item->surface = &def->collision.surface;
    if (!fil_check_keys(reader, node, shell_keys)) {
        return;
    }
    const FilSceneMaterial* material = fil_scene_read_material(scene, node, "material");
    if (material == NULL && reader->status == FIL_OK) {
        const FilYaml absent = fil_absent(node, "material");
        fil_reader_fail(reader, &absent, "missing");
        return;
    }
    FilYaml* body = NULL;
    const int mesh = fil_read_variant(reader, node, meshes, &body);
    if (mesh == 0) {
        read_sheet(scene, body, def);
    } else if (mesh == 1) {
        read_file(scene, body, def);
    } else if (mesh == 2) {
        read_bubble(scene, body, def);
    }
    fil_scene_read_gas(reader, node, &def->gas);
    double noise = 0.0;
    if (fil_read_number(reader, node, "noise", FIL_NOT_NEGATIVE, &noise) && reader->status == FIL_OK) {
        fil_shape_disturb(noise, &scene->random, def->vertex_count, (double*)(uintptr_t)def->vertices);
    }
    fil_read_number(reader, node, "thickness", FIL_REQUIRED | FIL_POSITIVE, &def->thickness);
    int bending = (int)def->bending, rest = 0;
    fil_read_choice(reader, node, "bending", bendings, &bending);
    fil_read_choice(reader, node, "rest", rests, &rest);
    def->bending = (FilShellBending)bending;
    def->rest_flat = rest == 1;
    const FilYaml* damping = fil_read_node(reader, node, "damping", FIL_OPTIONAL);
    if (damping != NULL && fil_check_keys(reader, damping, fil_rayleigh_keys)) {
        fil_read_number(reader, damping, "mass", FIL_NOT_NEGATIVE, &def->damping_mass);
        fil_read_number(reader, damping, "stiffness", FIL_NOT_NEGATIVE, &def->damping_stiffness);
    }
    def->velocities = fil_scene_read_velocities(reader, node, def->vertex_count);
    fil_scene_read_collision(scene, node, material, &def->collision);
    if (reader->status == FIL_OK) {
        def->young = material->section.young;
        def->poisson = material->section.poisson;
        def->density = material->section.density;
    }
}

static void read_shells(FilScene* scene, FilSceneList* list)
{
    fil_scene_start_items(scene, list, sizeof(FilShellDef));
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_shell(scene, list->items[k]);
    }
}

static void add_shells(FilScene* scene, FilSceneList* list)
{
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        FilSceneItem* item = list->items[k];
        fil_scene_take(scene, fil_world_add_shell(scene->world, item->def, &item->id), item->at);
    }
}

static const FilScenePart parts[] = {
    {"vertex", "vertices", FIL_USE_ATTACH(FIL_ATTACH_PIN) | FIL_USE_JOIN | FIL_USE_POINT | FIL_USE_RING},
    {"chamber", "chambers", FIL_USE_DRIVE(FIL_DRIVE_PRESSURE)},
};

const FilSceneKind fil_scene_shells = {
    .section = "shells",
    .word = "shell",
    .title = "shell",
    .text = "cloth and sheets",
    .keys = shell_keys,
    .is_object = true,
    .read = read_shells,
    .add = add_shells,
    .get_positions = fil_shell_get_positions,
    FIL_SCENE_PARTS(parts),
};
