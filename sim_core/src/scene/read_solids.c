/* solids: soft bodies of tetrahedra, their material and where they are held. */
#include <stdio.h>
#include <string.h>

#include "base/vec3.h"
#include "filum/solid.h"
#include "scene/kinds.h"
#include "scene/read_solid_meshes.h"

static const char* const planes[] = {"none", "x", "y", "z", NULL};

static const char* const lockings[] = {"none", "nodal", NULL};

static const FilKey rubber_keys[] = {
    FIL_KEY_NUMBER("c1", FIL_REQUIRED, "Pa", "", ""),
    FIL_KEY_NUMBER("c2", FIL_REQUIRED, "Pa", "", ""),
    FIL_KEY_NUMBER("bulk", FIL_REQUIRED | FIL_POSITIVE, "Pa", "", "bulk modulus"),
    FIL_KEY_END,
};

static const FilKey pin_keys[] = {
    FIL_KEY_VECTOR("from", 3, FIL_REQUIRED, "m", "", "least coordinates of a box of the world"),
    FIL_KEY_VECTOR("to", 3, FIL_REQUIRED, "m", "", "its largest ones"),
    FIL_KEY_TEXT("axes", 0, "all", "letters of the components that are held, such as xz"),
    FIL_KEY_END,
};

static const FilKey solid_keys[] = {
    FIL_KEY_NAME("solid<i> if it is not given"),
    FIL_KEY_TEXT("material", FIL_REQUIRED, "", "young, poisson (below 0.5), density and surface"),
    FIL_KEY_TEXT("model", 0, "corotated_lagged", "law of its material"),
    FIL_KEY_MAPPING("mooney_rivlin", rubber_keys, 0, "numbers of that model"),
    FIL_KEYS_PLACE,
    FIL_KEY_MAPPING("damping", fil_rayleigh_keys, 0, ""),
    FIL_KEY_FLAG("lumped", "false", "masses at vertices"),
    FIL_KEY_NUMBER("radius", FIL_NOT_NEGATIVE, "m", "0", "around its surface, for contact"),
    FIL_KEY_LIST("pins", pin_keys, 0, "vertices inside these boxes are held: <name>_pin0, ..."),
    FIL_KEY_VECTOR("velocity", 3, 0, "m/s", "[0, 0, 0]", "at the start"),
    FIL_KEYS_TOUCH,
    FIL_KEY_WORD("plane_strain", planes, "none", "the axis along which nothing moves"),
    FIL_KEY_WORD("locking", lockings, "none", "nodal: volume counted per vertex, for nearly incompressible materials"),
    FIL_KEY_MAPPING("gas", fil_gas_keys, 0, "in its cavities"),
    FIL_KEY_NUMBER("bedding", FIL_NOT_NEGATIVE, "Pa/m", "0",
                   "pressure over depth of contact by areas, not at points: with rigid shapes, and with solids that have one too"),
    FIL_KEYS_LOOK,
    FIL_KEY_END,
};

static const char* model_word(int number)
{
    return fil_solid_model_name((FilSolidModel)number);
}

/* Its own rows with the words of material laws, and those of its meshes. */
static const FilKey* make_keys(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const char* const* models = fil_make_words(reader, FIL_SOLID_MODEL_COUNT, model_word);
    return fil_keys_join(reader, fil_keys_with_words(reader, solid_keys, "model", models), fil_solid_mesh_keys);
}

/* What an item of the kind is made of. */
typedef struct SceneSolid {
    FilSolidDef def; /* its arrays live in the pool */
    int pin_count;
    struct {
        double corners[2][3]; /* m: vertices inside are held ... */
        unsigned axes;        /* ... by these components */
    } * pins;
} SceneSolid;

/* The mesh where the scene wants it, in the pool. */
static void place_mesh(FilScene* scene, const FilYaml* node, const FilSolidMesh* mesh, FilSolidDef* def)
{
    FilReader* reader = &scene->reader;
    FilVec3 position = {0};
    FilQuat orientation = {0.0, 0.0, 0.0, 1.0};
    double rotation[9];
    fil_scene_read_vec3(reader, node, "position", &position);
    fil_scene_read_orientation(reader, node, &orientation);
    fil_scene_count(scene, node, mesh->vertex_count, mesh->tet_count);
    double* x = fil_reader_alloc(reader, (size_t)mesh->vertex_count, 3 * sizeof *x);
    int* tets = fil_reader_alloc(reader, (size_t)mesh->tet_count, 4 * sizeof *tets);
    if (reader->status != FIL_OK || x == NULL || tets == NULL) {
        return;
    }
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

static void read_law(FilScene* scene, const FilYaml* node, const FilKey* keys, const FilSceneMaterial* material, FilSolidDef* def)
{
    FilReader* reader = &scene->reader;
    int model = (int)def->model;
    fil_read_choice(reader, node, "model", fil_find_key(keys, "model")->words, &model);
    def->model = (FilSolidModel)model;
    const FilYaml* rubber = fil_read_node(reader, node, "mooney_rivlin", def->model == FIL_SOLID_MOONEY_RIVLIN ? FIL_REQUIRED : FIL_OPTIONAL);
    if (rubber != NULL && fil_check_keys(reader, rubber, rubber_keys)) {
        fil_read_number(reader, rubber, "c1", FIL_REQUIRED, &def->c1);
        fil_read_number(reader, rubber, "c2", FIL_REQUIRED, &def->c2);
        fil_read_number(reader, rubber, "bulk", FIL_REQUIRED | FIL_POSITIVE, &def->bulk);
    }
    const FilYaml* damping = fil_read_node(reader, node, "damping", FIL_OPTIONAL);
    if (damping != NULL && fil_check_keys(reader, damping, fil_rayleigh_keys)) {
        fil_read_number(reader, damping, "mass", FIL_NOT_NEGATIVE, &def->damping_mass);
        fil_read_number(reader, damping, "stiffness", FIL_NOT_NEGATIVE, &def->damping_stiffness);
    }
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
        return 7;  // a bit for each of x, y, z
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
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, node, "pins", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "boxes {from, to}")) {
        return;
    }
    solid->pins = fil_reader_alloc(reader, (size_t)list->count, sizeof *solid->pins);
    for (const FilYaml* box = list->first; box != NULL && reader->status == FIL_OK && solid->pins != NULL; box = box->next) {
        double(*corners)[3] = solid->pins[solid->pin_count].corners;
        if (fil_check_keys(reader, box, pin_keys)) {
            solid->pins[solid->pin_count++].axes = read_axes(reader, box);
            fil_read_vector(reader, box, "from", FIL_REQUIRED, 3, corners[0]);
            fil_read_vector(reader, box, "to", FIL_REQUIRED, 3, corners[1]);
        }
    }
}

static void read_solid(FilScene* scene, FilSceneItem* item, const FilKey* keys)
{
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
    read_law(scene, node, keys, material, def);
    fil_scene_read_solid_mesh(scene, node, &mesh);
    if (reader->status == FIL_OK) {
        place_mesh(scene, node, &mesh, def);
    }
    fil_solid_mesh_free(&mesh);
    read_pins(scene, node, solid);
    fil_scene_read_gas(reader, node, &def->gas);
    def->velocities = fil_scene_read_velocities(reader, node, def->vertex_count);
    fil_scene_read_collision(scene, node, material, &def->collision);
}

static void read_solids(FilScene* scene, FilSceneList* list)
{
    const FilKey* keys = make_keys(scene);
    fil_scene_start_items(scene, list, sizeof(SceneSolid));
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_solid(scene, list->items[k], keys);
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
    .text = "soft bodies of tetrahedra",
    .make_keys = make_keys,
    .is_object = true,
    .read = read_solids,
    .add = add_solids,
    .get_positions = fil_solid_get_positions,
    FIL_SCENE_PARTS(parts),
};
