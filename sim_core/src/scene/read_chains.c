/* chains: ropes of rigid capsules, one for each edge of a curve, with a bushing between each two neighbours. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec3.h"
#include "scene/scene_build.h"

/* The name of a chain with a number, as capsules and bushings have it. */
static const char* numbered(FilReader* reader, const char* name, int number)
{
    const size_t size = strlen(name) + 12;
    char* text = fil_reader_alloc(reader, size, 1);
    if (text != NULL) {
        snprintf(text, size, "%s%d", name, number);
    }
    return text;
}

/* The shortest rotation that takes unit a to unit b, after `q`. */
static FilQuat turned(FilQuat q, const double* a, const double* b)
{
    double axis[3], across[3];
    fil_v3_cross(axis, a, b);
    double w = 1.0 + fil_v3_dot(a, b);
    if (w < 1e-12) {  // half a turn, about anything across
        w = 0.0;
        fil_v3_orthogonal(axis, a);
    }
    const double size = sqrt(w * w + fil_v3_dot(axis, axis));
    const double v[3] = {q.x, q.y, q.z};
    fil_v3_scale(axis, 1.0 / size, axis);
    w /= size;
    fil_v3_cross(across, axis, v);
    return (FilQuat){w * q.x + q.w * axis[0] + across[0], w * q.y + q.w * axis[1] + across[1],
                     w * q.z + q.w * axis[2] + across[2], w * q.w - fil_v3_dot(axis, v)};
}

/* ---- reading ---- */

static void read_bushing(FilReader* reader, const FilYaml* chain, FilJointDef* def)
{
    static const char* const keys[] = {"stiffness", "damping", "angular_stiffness", "angular_damping", NULL};
    *def = fil_joint_def_default();
    def->kind = FIL_JOINT_BUSHING;
    def->aligned = true;
    const FilYaml* node = fil_read_node(reader, chain, "bushing", FIL_REQUIRED);
    if (node != NULL && fil_check_keys(reader, node, keys)) {
        fil_read_number(reader, node, "stiffness", FIL_REQUIRED | FIL_POSITIVE, &def->stiffness);
        fil_read_number(reader, node, "damping", FIL_NOT_NEGATIVE, &def->damping);
        fil_read_number(reader, node, "angular_stiffness", FIL_NOT_NEGATIVE, &def->angular_stiffness);
        fil_read_number(reader, node, "angular_damping", FIL_NOT_NEGATIVE, &def->angular_damping);
    }
}

void fil_scene_read_chains(FilScene* scene)
{
    static const char* const keys[] = {"name",    "shape",   "closed",  "noise",     "radius",  "material",
                                       "density", "bushing", "surface", "collision", "damping", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* list = NULL;
    const char** names = NULL;
    if (!fil_scene_read_names(scene, "chains", "chain", &list, &names)) {
        return;
    }
    scene->chains = fil_reader_alloc(reader, (size_t)list->count, sizeof *scene->chains);
    for (const FilYaml* node = list->first; node != NULL && fil_check_keys(reader, node, keys); node = node->next) {
        FilSceneChain* chain = &scene->chains[scene->chain_count];
        chain->at = node;
        chain->name = names[scene->chain_count++];
        fil_scene_read_shape(scene, node, &chain->curve);
        read_bushing(reader, node, &chain->bushing);
        chain->capsule_count = chain->curve.closed ? chain->curve.node_count : chain->curve.node_count - 1;
    }
}

/* ---- making ---- */

/* What all capsules of a chain have in common. */
static void read_capsule(FilScene* scene, const FilSceneChain* chain, FilRigidDef* def, FilShapeDef* shape)
{
    static const char* const damping_keys[] = {"linear", "angular", NULL};
    FilReader* reader = &scene->reader;
    *def = fil_rigid_def_default();
    *shape = fil_shape_def_default();
    shape->type = FIL_TYPE_CAPSULE;
    const FilSceneMaterial* material = fil_scene_read_material(scene, chain->at, "material");
    if (material != NULL) {
        def->density = material->section.density;
    }
    fil_read_number(reader, chain->at, "density", FIL_POSITIVE, &def->density);
    fil_read_number(reader, chain->at, "radius", FIL_REQUIRED | FIL_POSITIVE, &shape->radius);
    fil_scene_read_collision(scene, chain->at, material, &def->collision);
    const FilYaml* damping = fil_read_node(reader, chain->at, "damping", FIL_OPTIONAL);
    if (damping != NULL && fil_check_keys(reader, damping, damping_keys)) {
        fil_read_number(reader, damping, "linear", FIL_NOT_NEGATIVE, &def->damping_linear);
        fil_read_number(reader, damping, "angular", FIL_NOT_NEGATIVE, &def->damping_angular);
    }
}

/* Capsules along the edges, their z axes along them and their frames without twist from one to the next. */
void fil_scene_make_capsules(FilScene* scene, FilSceneChain* chain)
{
    FilReader* reader = &scene->reader;
    FilRigidDef common;
    FilShapeDef shape;
    read_capsule(scene, chain, &common, &shape);
    FilShapeDef* shapes = fil_reader_alloc(reader, (size_t)chain->capsule_count, sizeof *shapes);
    double before[3] = {0.0, 0.0, 1.0};
    chain->first_body = scene->body_count;
    for (int k = 0; k < chain->capsule_count && reader->status == FIL_OK; k++) {
        const double* a = chain->curve.nodes + 3 * k;
        const double* b = chain->curve.nodes + 3 * ((k + 1) % chain->curve.node_count);
        double tangent[3];
        fil_v3_sub(tangent, b, a);
        shapes[k] = shape;
        shapes[k].length = fil_v3_normalise(tangent);
        common.orientation = turned(common.orientation, before, tangent);
        common.name = numbered(reader, chain->name, k);
        common.position = (FilVec3){0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};
        // the caps overlap: the mass is that of a rope
        common.mass = common.density * FIL_PI * shape.radius * shape.radius * shapes[k].length;
        common.shapes = &shapes[k];
        common.shape_count = 1;
        scene->bodies[scene->body_count++] = (FilSceneBody){.at = chain->at, .def = common};
        fil_v3_copy(before, tangent);
    }
}
