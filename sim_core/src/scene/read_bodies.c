/* rigid_bodies: what they are made of and where they are. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/kinds.h"

static const char* const shape_words[] = {
    [FIL_SHAPE_SPHERE] = "sphere", [FIL_SHAPE_CAPSULE] = "capsule",       [FIL_SHAPE_CYLINDER] = "cylinder",
    [FIL_SHAPE_BOX] = "box",       [FIL_SHAPE_HALF_SPACE] = "half_space", [FIL_SHAPE_HULL] = "hull",
    [FIL_SHAPE_MESH] = "mesh",     [FIL_SHAPE_REVOLUTION] = "revolution", NULL,
};

static const char* const motion_words[] = {
    [FIL_STATIC] = "static",
    [FIL_KINEMATIC] = "kinematic",
    [FIL_DYNAMIC] = "dynamic",
    NULL,
};

static const FilKey sphere_keys[] = {FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""), FIL_KEY_END};

static const FilKey round_keys[] = {
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_NUMBER("length", FIL_REQUIRED | FIL_POSITIVE, "m", "", "along z; of a capsule between the centres of its caps"),
    FIL_KEY_END,
};

static const FilKey box_keys[] = {FIL_KEY_VECTOR("size", 3, FIL_REQUIRED, "m", "", "full lengths"), FIL_KEY_END};

static const FilKey nothing_keys[] = {FIL_KEY_END};

static const FilKey hull_keys[] = {FIL_KEY_ROWS("points", 3, FIL_REQUIRED, "m", "[[x, y, z], ...]"), FIL_KEY_END};

static const FilKey revolution_keys[] = {
    FIL_KEY_MANY("profile", FIL_IS_FUNCTION, 0, FIL_REQUIRED, "m", "", "the radius as an expression of z (m, from the middle): $(0.03 - 1.6 * z^2)"),
    FIL_KEY_NUMBER("length", FIL_REQUIRED | FIL_POSITIVE, "m", "", "along z"),
    FIL_KEY_WHOLE("samples", FIL_POSITIVE, "65", "of the profile"),
    FIL_KEY_END,
};

static const FilKey mesh_keys[] = {
    FIL_KEY_TEXT("file", FIL_REQUIRED, "", "STL or OBJ, a closed surface; its path is relative to the scene's"),
    FIL_KEY_NUMBER("scale", FIL_POSITIVE, "1", "1", ""),
    FIL_KEY_FLAG("convex", "false", "take its convex hull"),
    FIL_KEY_END,
};

static const FilKey shape_keys[] = {
    FIL_KEY_MAPPING("sphere", sphere_keys, FIL_VARIANT, ""),
    FIL_KEY_MAPPING("capsule", round_keys, FIL_VARIANT, ""),
    FIL_KEY_MAPPING("cylinder", round_keys, FIL_VARIANT, ""),
    FIL_KEY_MAPPING("box", box_keys, FIL_VARIANT, ""),
    FIL_KEY_MAPPING("half_space", nothing_keys, FIL_VARIANT, "everything below z = 0; not for dynamic bodies"),
    FIL_KEY_MAPPING("hull", hull_keys, FIL_VARIANT, "convex hull of points"),
    FIL_KEY_MAPPING("revolution", revolution_keys, FIL_VARIANT,
                    "surface of revolution about z: pressure patches of others touch the smooth surface, which may have grooves, "
                    "points of contact a convex hull of 64 facets; it has no modulus of its own"),
    FIL_KEY_MAPPING("mesh", mesh_keys, FIL_VARIANT, "from a file; `ipc` and `modulus` take convex ones only"),
    FIL_KEYS_PLACE,
    FIL_KEY_NUMBER("density", FIL_POSITIVE, "kg/m^3", "the body's", ""),
    FIL_KEY_END,
};

const FilKey fil_rigid_damping_keys[] = {
    FIL_KEY_NUMBER("linear", FIL_NOT_NEGATIVE, "1/s", "0", "of velocities"),
    FIL_KEY_NUMBER("angular", FIL_NOT_NEGATIVE, "1/s", "0", "of angular velocities"),
    FIL_KEY_END,
};

static const FilKey body_keys[] = {
    FIL_KEY_NAME("body<i> if it is not given; all objects share their names"),
    FIL_KEY_WORD("motion", motion_words, "dynamic", "free, moved by drives (kinematic), or at rest for ever (static)"),
    FIL_KEYS_PLACE,
    FIL_KEY_VECTOR("velocity", 3, 0, "m/s", "[0, 0, 0]", "of a dynamic body's centre of mass"),
    FIL_KEY_VECTOR("angular_velocity", 3, 0, "rad/s", "[0, 0, 0]", "in the world's frame"),
    FIL_KEY_TEXT("material", 0, "", "its density and surface"),
    FIL_KEY_NUMBER("density", FIL_POSITIVE, "kg/m^3", "that of the material, or 1000", ""),
    FIL_KEY_NUMBER("mass", FIL_POSITIVE, "kg", "from the densities", "scales the inertia too, unless that is given"),
    FIL_KEY_VECTOR("inertia", 6, 0, "kg m^2", "from the shapes", "[xx, yy, zz, xy, xz, yz] about the centre of mass; with `mass`"),
    FIL_KEY_VECTOR("center_of_mass", 3, 0, "m", "from the shapes", "with `inertia` only"),
    FIL_KEY_LIST("shapes", shape_keys, 0, "what it consists of"),
    FIL_KEY_MAPPING("damping", fil_rigid_damping_keys, 0, ""),
    FIL_KEYS_TOUCH,
    FIL_KEYS_LOOK,
    FIL_KEY_END,
};

/* Drives of dynamic and of kinematic bodies. */
enum {
    LOADS = FIL_USE_DRIVE(FIL_DRIVE_FORCE) | FIL_USE_DRIVE(FIL_DRIVE_TORQUE),
    MOVES = FIL_USE_DRIVE(FIL_DRIVE_POSITION) | FIL_USE_DRIVE(FIL_DRIVE_VELOCITY) | FIL_USE_DRIVE(FIL_DRIVE_ROTATION),
};

/* ---- shapes ---- */

static void read_points(FilReader* reader, const FilYaml* body, FilShapeDef* def)
{
    const FilYaml* list = fil_read_node(reader, body, "points", FIL_REQUIRED);
    if (list == NULL || !fil_check_list(reader, list, "points [x, y, z]")) {
        return;
    }
    double* points = fil_reader_alloc(reader, (size_t)list->count, 3 * sizeof(double));
    for (FilYaml* point = list->first; point != NULL && points != NULL; point = point->next) {
        fil_value_vector(reader, point, 3, points + 3 * def->point_count++);
    }
    def->points = points;
}

static void read_file(FilScene* scene, const FilYaml* body, FilShapeDef* def)
{
    FilReader* reader = &scene->reader;
    const char* name = NULL;
    if (fil_read_text(reader, body, "file", FIL_REQUIRED, &name)) {
        def->file = fil_scene_file(scene, fil_yaml_find(body, "file"), name);
        def->folders = scene->options->folders;
    }
    fil_read_number(reader, body, "scale", FIL_POSITIVE, &def->scale);
    fil_read_flag(reader, body, "convex", &def->convex);
}

/* `profile`, a function of z, sampled evenly. */
static void read_profile(FilReader* reader, const FilYaml* body, FilShapeDef* def)
{
    // 64 pieces: half a wave of a sine is off by (pi/64)^2/8, 3e-4 of its height
    int samples = 65;
    fil_read_number(reader, body, "length", FIL_REQUIRED | FIL_POSITIVE, &def->length);
    fil_read_integer(reader, body, "samples", FIL_OPTIONAL, 2, 10000, &samples);
    FilYaml* profile = fil_read_node(reader, body, "profile", FIL_REQUIRED);
    double* radii = fil_reader_alloc(reader, (size_t)samples, sizeof(double));
    for (int k = 0; k < samples && profile != NULL && radii != NULL && reader->status == FIL_OK; k++) {
        const double z = def->length * ((double)k / (samples - 1) - 0.5);
        if (fil_value_function(reader, profile, "z", z, &radii[k]) && !(radii[k] > 0.0)) {
            fil_reader_fail(reader, profile, "the radius must be positive, but at z = %g m it is %g m", z, radii[k]);
        }
    }
    def->radii = radii;
    def->radius_count = samples;
}

static void read_sizes(FilScene* scene, const FilYaml* body, FilShapeDef* def)
{
    FilReader* reader = &scene->reader;
    const unsigned needed = FIL_REQUIRED | FIL_POSITIVE;
    switch (def->type) {
        case FIL_SHAPE_SPHERE:
            fil_read_number(reader, body, "radius", needed, &def->radius);
            break;
        case FIL_SHAPE_CAPSULE:
        case FIL_SHAPE_CYLINDER:
            fil_read_number(reader, body, "radius", needed, &def->radius);
            fil_read_number(reader, body, "length", needed, &def->length);
            break;
        case FIL_SHAPE_BOX:
            if (fil_read_node(reader, body, "size", FIL_REQUIRED) != NULL && fil_scene_read_vec3(reader, body, "size", &def->size) &&
                !(def->size.x > 0.0 && def->size.y > 0.0 && def->size.z > 0.0)) {
                fil_reader_fail(reader, fil_yaml_find(body, "size"), "a box needs three positive sizes");
            }
            break;
        case FIL_SHAPE_HALF_SPACE:
            break;
        case FIL_SHAPE_HULL:
            read_points(reader, body, def);
            break;
        case FIL_SHAPE_MESH:
            read_file(scene, body, def);
            break;
        case FIL_SHAPE_REVOLUTION:
            read_profile(reader, body, def);
            break;
    }
}

static void read_shape(FilScene* scene, const FilYaml* node, FilShapeDef* def)
{
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_check_keys(reader, node, shape_keys) ? fil_read_variant(reader, node, shape_words, &body) : -1;
    if (word < 0 || !fil_check_keys(reader, body, fil_find_key(shape_keys, shape_words[word])->keys)) {
        return;
    }
    *def = fil_shape_def_default();
    def->type = (FilShapeType)word;
    read_sizes(scene, body, def);
    fil_scene_read_vec3(reader, node, "position", &def->position);
    fil_scene_read_orientation(reader, node, &def->orientation);
    fil_read_number(reader, node, "density", FIL_POSITIVE, &def->density);
}

static void read_shapes(FilScene* scene, const FilYaml* body, FilRigidDef* def)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, body, "shapes", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "shapes")) {
        return;
    }
    FilShapeDef* shapes = fil_reader_alloc(reader, (size_t)list->count, sizeof *shapes);
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        read_shape(scene, node, &shapes[def->shape_count++]);
    }
    def->shapes = shapes;
}

/* ---- bodies ---- */

/* `density` or that of the material, `mass`, `inertia`. */
static void read_mass(FilReader* reader, const FilYaml* node, const FilSceneMaterial* material, FilRigidDef* def)
{
    if (material != NULL) {
        def->density = material->section.density;
    }
    fil_read_number(reader, node, "density", FIL_POSITIVE, &def->density);
    const bool weighed = fil_read_number(reader, node, "mass", FIL_POSITIVE, &def->mass);
    if (fil_read_vector(reader, node, "inertia", FIL_OPTIONAL, 6, def->inertia) && !weighed) {
        fil_reader_fail(reader, fil_yaml_find(node, "inertia"), "needs 'mass' as well");
    }
    if (fil_scene_read_vec3(reader, node, "center_of_mass", &def->center_of_mass) && fil_yaml_find(node, "inertia") == NULL) {
        fil_reader_fail(reader, fil_yaml_find(node, "center_of_mass"), "needs 'inertia' as well");
    }
    if (reader->status == FIL_OK && def->motion == FIL_DYNAMIC && def->shape_count == 0 && def->inertia[0] == 0.0) {
        fil_reader_fail(reader, node, "a dynamic body needs shapes, or mass and inertia");
    }
}

static void read_body(FilScene* scene, FilSceneItem* item)
{
    FilReader* reader = &scene->reader;
    const FilYaml* node = item->at;
    FilRigidDef* def = item->def;
    *def = fil_rigid_def_default();
    def->name = item->name;
    item->surface = &def->collision.surface;
    if (!fil_check_keys(reader, node, body_keys)) {
        return;
    }
    int motion = (int)def->motion;
    fil_read_choice(reader, node, "motion", motion_words, &motion);
    def->motion = (FilMotion)motion;
    fil_scene_read_vec3(reader, node, "position", &def->position);
    fil_scene_read_orientation(reader, node, &def->orientation);
    const bool moves = fil_scene_read_vec3(reader, node, "velocity", &def->velocity);
    const bool turns = fil_scene_read_vec3(reader, node, "angular_velocity", &def->angular_velocity);
    if ((moves || turns) && def->motion != FIL_DYNAMIC) {
        fil_reader_fail(reader, fil_yaml_find(node, moves ? "velocity" : "angular_velocity"), "a %s body is not thrown; drives move a kinematic one",
                        motion_words[def->motion]);
    }
    read_shapes(scene, node, def);
    const FilSceneMaterial* material = fil_scene_read_material(scene, node, "material");
    read_mass(reader, node, material, def);
    fil_scene_read_collision(scene, node, material, &def->collision);
    const FilYaml* damping = fil_read_node(reader, node, "damping", FIL_OPTIONAL);
    if (damping != NULL && fil_check_keys(reader, damping, fil_rigid_damping_keys)) {
        fil_read_number(reader, damping, "linear", FIL_NOT_NEGATIVE, &def->damping_linear);
        fil_read_number(reader, damping, "angular", FIL_NOT_NEGATIVE, &def->damping_angular);
    }
}

static void read_bodies(FilScene* scene, FilSceneList* list)
{
    fil_scene_start_items(scene, list, sizeof(FilRigidDef));
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_body(scene, list->items[k]);
    }
}

static void add_bodies(FilScene* scene, FilSceneList* list)
{
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        FilSceneItem* item = list->items[k];
        fil_scene_take(scene, fil_world_add_rigid(scene->world, item->def, &item->id), item->at);
    }
}

/* Kinematic bodies are moved by the attachment of their name, dynamic ones are loaded. */
static void take_drive(FilScene* scene, const FilSceneItem* item, const FilYaml* at, const char* word, FilDriveDef* def)
{
    const FilRigidDef* body = item->def;
    const bool loads = (FIL_USE_DRIVE(def->kind) & LOADS) != 0;
    if (body->motion != (loads ? FIL_DYNAMIC : FIL_KINEMATIC)) {
        fil_reader_fail(&scene->reader, at, "'%s' acts on %s bodies, and '%s' is none", word, loads ? "dynamic" : "kinematic", item->name);
    } else if (loads) {
        def->object = item->id;
    } else {
        def->attachment = fil_world_find_attachment(scene->world, item->name);
    }
}

static const FilScenePart parts[] = {{.uses = FIL_USE_JOIN | LOADS | MOVES}};

const FilSceneKind fil_scene_bodies = {
    .section = "rigid_bodies",
    .word = "body",
    .title = "rigid body",
    .text = "bodies that do not deform",
    .keys = body_keys,
    .is_object = true,
    .read = read_bodies,
    .add = add_bodies,
    FIL_SCENE_PARTS(parts),
    .take_drive = take_drive,
};
