/* rigid_bodies: what they are made of and where they are. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec3.h"
#include "scene/scene_build.h"

static const char* const shape_words[] = {
    [FIL_TYPE_SPHERE] = "sphere",
    [FIL_TYPE_CAPSULE] = "capsule",
    [FIL_TYPE_CYLINDER] = "cylinder",
    [FIL_TYPE_BOX] = "box",
    [FIL_TYPE_HALF_SPACE] = "half_space",
    [FIL_TYPE_HULL] = "hull",
    [FIL_TYPE_MESH] = "mesh",
    NULL,
};

static const char* const motion_words[] = {
    [FIL_STATIC] = "static",
    [FIL_KINEMATIC] = "kinematic",
    [FIL_DYNAMIC] = "dynamic",
    NULL,
};

/* ---- places ---- */

bool fil_scene_read_vec3(FilReader* reader, const FilYaml* mapping, const char* key, FilVec3* vector)
{
    double v[3];
    const bool given = fil_read_vector(reader, mapping, key, FIL_OPTIONAL, 3, v);
    if (given) {
        *vector = (FilVec3){v[0], v[1], v[2]};
    }
    return given;
}

void fil_scene_read_orientation(FilReader* reader, const FilYaml* mapping, FilQuat* orientation)
{
    double q[4], w[3];
    const bool turned = fil_read_vector(reader, mapping, "rotation", FIL_OPTIONAL, 3, w);
    if (turned) {
        // (sin(a/2) w/a, cos(a/2)) with a = |w|
        const double angle = fil_v3_norm(w), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
        *orientation = (FilQuat){s * w[0], s * w[1], s * w[2], cos(0.5 * angle)};
    }
    if (!fil_read_vector(reader, mapping, "orientation", FIL_OPTIONAL, 4, q)) {
        return;
    }
    const FilYaml* at = fil_yaml_find(mapping, "orientation");
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (turned) {
        fil_reader_fail(reader, at, "only one of 'rotation' and 'orientation' may be given");
    } else if (!(fabs(size - 1.0) < 1e-3)) {  // people write three digits or more
        fil_reader_fail(reader, at, "a quaternion [x, y, z, w] must have length 1, got %g", size);
    } else {
        *orientation = (FilQuat){q[0] / size, q[1] / size, q[2] / size, q[3] / size};
    }
}

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
        // a setting of the command line stands in no file: then it is the scene's folder
        const FilYaml* at = fil_yaml_find(body, "file");
        def->file = fil_document_path(reader->pool, at->line > 0 ? at->file : scene->path, name);
        FILE* stream = def->file != NULL ? fopen(def->file, "rb") : NULL;
        if (stream == NULL) {
            fil_reader_fail(reader, at, "'%.200s' cannot be opened: %s", def->file != NULL ? def->file : name,
                            strerror(errno));
        } else {
            fclose(stream);
        }
    }
    fil_read_number(reader, body, "scale", FIL_POSITIVE, &def->scale);
}

static const char* const* keys_of(int word)
{
    static const char* const sphere[] = {"radius", NULL};
    static const char* const round[] = {"radius", "length", NULL};
    static const char* const box[] = {"size", NULL};
    static const char* const nothing[] = {NULL};
    static const char* const hull[] = {"points", NULL};
    static const char* const mesh[] = {"file", "scale", NULL};
    static const char* const* const keys[] = {
        [FIL_TYPE_SPHERE] = sphere,      [FIL_TYPE_CAPSULE] = round, [FIL_TYPE_CYLINDER] = round, [FIL_TYPE_BOX] = box,
        [FIL_TYPE_HALF_SPACE] = nothing, [FIL_TYPE_HULL] = hull,     [FIL_TYPE_MESH] = mesh,
    };
    return keys[word];
}

static void read_sizes(FilScene* scene, const FilYaml* body, FilShapeDef* def)
{
    FilReader* reader = &scene->reader;
    const unsigned needed = FIL_REQUIRED | FIL_POSITIVE;
    switch (def->type) {
        case FIL_TYPE_SPHERE:
            fil_read_number(reader, body, "radius", needed, &def->radius);
            break;
        case FIL_TYPE_CAPSULE:
        case FIL_TYPE_CYLINDER:
            fil_read_number(reader, body, "radius", needed, &def->radius);
            fil_read_number(reader, body, "length", needed, &def->length);
            break;
        case FIL_TYPE_BOX:
            if (fil_read_node(reader, body, "size", FIL_REQUIRED) != NULL &&
                fil_scene_read_vec3(reader, body, "size", &def->size) &&
                !(def->size.x > 0.0 && def->size.y > 0.0 && def->size.z > 0.0)) {
                fil_reader_fail(reader, fil_yaml_find(body, "size"), "a box needs three positive sizes");
            }
            break;
        case FIL_TYPE_HALF_SPACE:
            break;
        case FIL_TYPE_HULL:
            read_points(reader, body, def);
            break;
        case FIL_TYPE_MESH:
            read_file(scene, body, def);
            break;
    }
}

static void read_shape(FilScene* scene, const FilYaml* node, FilShapeDef* def)
{
    static const char* const keys[] = {"sphere", "capsule",  "cylinder",    "box",      "half_space", "hull",
                                       "mesh",   "position", "orientation", "rotation", "density",    NULL};
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_check_keys(reader, node, keys) ? fil_read_variant(reader, node, shape_words, &body) : -1;
    if (word < 0 || !fil_check_keys(reader, body, keys_of(word))) {
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
    if (fil_scene_read_vec3(reader, node, "center_of_mass", &def->center_of_mass) &&
        fil_yaml_find(node, "inertia") == NULL) {
        fil_reader_fail(reader, fil_yaml_find(node, "center_of_mass"), "needs 'inertia' as well");
    }
    if (reader->status == FIL_OK && def->motion == FIL_DYNAMIC && def->shape_count == 0 && def->inertia[0] == 0.0) {
        fil_reader_fail(reader, node, "a dynamic body needs shapes, or mass and inertia");
    }
}

static void read_body(FilScene* scene, const FilYaml* node, FilSceneBody* body)
{
    static const char* const keys[] = {
        "name",     "motion",    "position", "orientation", "rotation",       "velocity", "angular_velocity",
        "material", "density",   "mass",     "inertia",     "center_of_mass", "shapes",   "damping",
        "surface",  "collision", NULL};
    static const char* const damping_keys[] = {"linear", "angular", NULL};
    FilReader* reader = &scene->reader;
    FilRigidDef* def = &body->def;
    body->at = node;
    if (!fil_check_keys(reader, node, keys)) {
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
        fil_reader_fail(reader, fil_yaml_find(node, moves ? "velocity" : "angular_velocity"),
                        "a %s body is not thrown; drives move a kinematic one", motion_words[def->motion]);
    }
    read_shapes(scene, node, def);
    const FilSceneMaterial* material = fil_scene_read_material(scene, node, "material");
    read_mass(reader, node, material, def);
    fil_scene_read_collision(scene, node, material, &def->collision);
    const FilYaml* damping = fil_read_node(reader, node, "damping", FIL_OPTIONAL);
    if (damping != NULL && fil_check_keys(reader, damping, damping_keys)) {
        fil_read_number(reader, damping, "linear", FIL_NOT_NEGATIVE, &def->damping_linear);
        fil_read_number(reader, damping, "angular", FIL_NOT_NEGATIVE, &def->damping_angular);
    }
}

/* An index of all names, those of the chains' capsules too. */
static void index_bodies(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const char** names = fil_reader_alloc(reader, (size_t)scene->body_count, sizeof *names);
    const FilYaml** ats = fil_reader_alloc(reader, (size_t)scene->body_count, sizeof *ats);
    for (int k = 0; k < scene->body_count && reader->status == FIL_OK; k++) {
        names[k] = scene->bodies[k].def.name;
        ats[k] = scene->bodies[k].at;
    }
    fil_scene_index_names(scene, names, ats, scene->body_count, &scene->body_names);
}

void fil_scene_read_bodies(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = NULL;
    const char** names = NULL;
    const bool given = fil_scene_read_names(scene, "rigid_bodies", "body", &list, &names);
    int capsules = 0;
    for (int k = 0; k < scene->chain_count; k++) {
        capsules += scene->chains[k].capsule_count;
    }
    const size_t most = (size_t)(given ? list->count : 0) + (size_t)capsules;
    scene->bodies = fil_reader_alloc(reader, most, sizeof *scene->bodies);
    for (const FilYaml* node = given ? list->first : NULL; node != NULL && reader->status == FIL_OK;
         node = node->next) {
        FilSceneBody* body = &scene->bodies[scene->body_count];
        body->def = fil_rigid_def_default();
        body->def.name = names[scene->body_count++];
        read_body(scene, node, body);
    }
    for (int k = 0; k < scene->chain_count && reader->status == FIL_OK; k++) {
        fil_scene_make_capsules(scene, &scene->chains[k]);
    }
    index_bodies(scene);
}

void fil_scene_add_bodies(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    for (int k = 0; k < scene->body_count && reader->status == FIL_OK; k++) {
        FilSceneBody* body = &scene->bodies[k];
        const FilStatus status = fil_world_add_rigid_body(scene->world, &body->def, &body->id);
        fil_reader_take(reader, status, body->at, fil_world_error(scene->world));
    }
}

const FilSceneBody* fil_scene_read_body(FilScene* scene, const FilYaml* mapping, const char* key, unsigned flags)
{
    int index = 0;
    return fil_read_reference(&scene->reader, mapping, key, flags, &scene->body_names, "rigid body", &index)
               ? &scene->bodies[index]
               : NULL;
}
