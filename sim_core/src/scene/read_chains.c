/* chains: ropes of rigid capsules, one for each edge of a curve, with a bushing between each two neighbours. */
#include <math.h>

#include "base/vec3.h"
#include "scene/kinds.h"

static const FilKey bushing_keys[] = {
    FIL_KEY_NUMBER("stiffness", FIL_REQUIRED | FIL_POSITIVE, "N/m", "", ""),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N s/m", "0", ""),
    FIL_KEY_NUMBER("angular_stiffness", FIL_NOT_NEGATIVE, "N m/rad", "0", "against bending and twisting"),
    FIL_KEY_NUMBER("angular_damping", FIL_NOT_NEGATIVE, "N m s/rad", "0", ""),
    FIL_KEY_END,
};

static const FilKey chain_keys[] = {
    FIL_KEY_NAME("chain<i> if it is not given; its capsules are rigid bodies <name>0, <name>1, ..."),
    FIL_KEYS_CURVE,
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", "of the capsules"),
    FIL_KEY_TEXT("material", 0, "", "its density and surface"),
    FIL_KEY_NUMBER("density", FIL_POSITIVE, "kg/m^3", "that of the material, or 1000", "the mass is that of a rope without gaps"),
    FIL_KEY_MAPPING("bushing", bushing_keys, FIL_REQUIRED, "between each two neighbours"),
    FIL_KEYS_TOUCH,
    FIL_KEY_MAPPING("damping", fil_rigid_damping_keys, 0, ""),
    FIL_KEYS_LOOK,
    FIL_KEY_END,
};

/* A rope of rigid capsules. */
typedef struct SceneChain {
    FilRodDef curve; /* nodes and closedness only */
    int capsule_count;
    FilSceneItem** capsules;
    FilJointDef bushing;
} SceneChain;

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
    return (FilQuat){w * q.x + q.w * axis[0] + across[0], w * q.y + q.w * axis[1] + across[1], w * q.z + q.w * axis[2] + across[2],
                     w * q.w - fil_v3_dot(axis, v)};
}

/* ---- reading ---- */

static void read_bushing(FilReader* reader, const FilYaml* chain, FilJointDef* def)
{
    *def = fil_joint_def_default();
    def->kind = FIL_JOINT_BUSHING;
    def->aligned = true;
    const FilYaml* node = fil_read_node(reader, chain, "bushing", FIL_REQUIRED);
    if (node != NULL && fil_check_keys(reader, node, bushing_keys)) {
        fil_read_number(reader, node, "stiffness", FIL_REQUIRED | FIL_POSITIVE, &def->stiffness);
        fil_read_number(reader, node, "damping", FIL_NOT_NEGATIVE, &def->damping);
        fil_read_number(reader, node, "angular_stiffness", FIL_NOT_NEGATIVE, &def->angular_stiffness);
        fil_read_number(reader, node, "angular_damping", FIL_NOT_NEGATIVE, &def->angular_damping);
    }
}

/* ---- making ---- */

/* What all capsules of a chain have in common. */
static void read_capsule(FilScene* scene, const FilYaml* node, FilRigidDef* def, FilShapeDef* shape)
{
    FilReader* reader = &scene->reader;
    *def = fil_rigid_def_default();
    *shape = fil_shape_def_default();
    shape->type = FIL_SHAPE_CAPSULE;
    const FilSceneMaterial* material = fil_scene_read_material(scene, node, "material");
    if (material != NULL) {
        def->density = material->section.density;
    }
    fil_read_number(reader, node, "density", FIL_POSITIVE, &def->density);
    fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &shape->radius);
    fil_scene_read_collision(scene, node, material, &def->collision);
    const FilYaml* damping = fil_read_node(reader, node, "damping", FIL_OPTIONAL);
    if (damping != NULL && fil_check_keys(reader, damping, fil_rigid_damping_keys)) {
        fil_read_number(reader, damping, "linear", FIL_NOT_NEGATIVE, &def->damping_linear);
        fil_read_number(reader, damping, "angular", FIL_NOT_NEGATIVE, &def->damping_angular);
    }
}

/* Capsules along the edges, their z axes along them and their frames without twist from one to the next; they are rigid
 * bodies behind the others. */
static void make_capsules(FilScene* scene, const FilSceneItem* item)
{
    FilReader* reader = &scene->reader;
    SceneChain* chain = item->def;
    FilRigidDef common;
    FilShapeDef shape;
    read_capsule(scene, item->at, &common, &shape);
    FilShapeDef* shapes = fil_reader_alloc(reader, (size_t)chain->capsule_count, sizeof *shapes);
    chain->capsules = fil_reader_alloc(reader, (size_t)chain->capsule_count, sizeof(FilSceneItem*));
    double before[3] = {0.0, 0.0, 1.0};
    for (int k = 0; k < chain->capsule_count && reader->status == FIL_OK; k++) {
        const double* a = chain->curve.nodes + 3 * k;
        const double* b = chain->curve.nodes + 3 * ((k + 1) % chain->curve.node_count);
        double tangent[3];
        fil_v3_sub(tangent, b, a);
        shapes[k] = shape;
        shapes[k].length = fil_v3_normalise(tangent);
        common.orientation = turned(common.orientation, before, tangent);
        common.name = fil_scene_number_name(reader, item->name, k);
        common.position = (FilVec3){0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), 0.5 * (a[2] + b[2])};
        // the caps overlap: the mass is that of a rope
        common.mass = common.density * FIL_PI * shape.radius * shape.radius * shapes[k].length;
        common.shapes = &shapes[k];
        common.shape_count = 1;
        FilSceneItem* made = fil_scene_new_item(scene, fil_scene_list(scene, "body"), common.name, item->at, sizeof common);
        if (made != NULL) {
            FilRigidDef* def = made->def;
            *def = common;
            made->surface = &def->collision.surface;
            chain->capsules[k] = made;
        }
        fil_v3_copy(before, tangent);
    }
}

static void read_chains(FilScene* scene, FilSceneList* list)
{
    FilReader* reader = &scene->reader;
    fil_scene_start_items(scene, list, sizeof(SceneChain));
    for (int k = 0; k < list->count && fil_check_keys(reader, list->items[k]->at, chain_keys); k++) {
        FilSceneItem* item = list->items[k];
        SceneChain* chain = item->def;
        fil_scene_read_shape(scene, item->at, &chain->curve);
        read_bushing(reader, item->at, &chain->bushing);
        chain->capsule_count = chain->curve.closed ? chain->curve.node_count : chain->curve.node_count - 1;
        if (reader->status == FIL_OK) {
            make_capsules(scene, item);
        }
    }
}

const FilSceneKind fil_scene_chains = {
    .section = "chains", .word = "chain", .title = "chain", .text = "ropes of rigid capsules", .keys = chain_keys, .read = read_chains};

/* ---- bushings ---- */

/* A bushing at each node between two capsules bears the name of the capsule before it. */
static void add_bushings(FilScene* scene, FilSceneList* list)
{
    (void)list;
    const FilSceneList* chains = fil_scene_list(scene, "chain");
    for (int c = 0; c < chains->count; c++) {
        const SceneChain* chain = chains->items[c]->def;
        const FilYaml* at = chains->items[c]->at;
        const int joints = chain->curve.closed ? chain->capsule_count : chain->capsule_count - 1;
        for (int k = 0; k < joints && scene->reader.status == FIL_OK; k++) {
            const double* point = chain->curve.nodes + 3 * ((k + 1) % chain->curve.node_count);
            FilJointDef def = chain->bushing;
            def.name = chain->capsules[k]->name;
            def.a = chain->capsules[k]->id;
            def.b = chain->capsules[(k + 1) % chain->capsule_count]->id;
            def.point = (FilVec3){point[0], point[1], point[2]};
            FilSceneItem* item = fil_scene_new_item(scene, fil_scene_list(scene, "joint"), def.name, at, 0);
            if (item != NULL) {
                fil_scene_take(scene, fil_world_add_joint(scene->world, &def, &item->id), at);
            }
        }
    }
}

const FilSceneKind fil_scene_bushings = {.title = "bushing", .add = add_bushings};
