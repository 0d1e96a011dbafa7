/* joints: what ties rods and rigid bodies to each other and to the world. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_build.h"

static const char* const joint_words[] = {
    [FIL_JOINT_PIN] = "pin",
    [FIL_JOINT_WELD] = "weld",
    [FIL_JOINT_BUSHING] = "bushing",
    "attach",  // a weld to a robot's link, in fewer words
    NULL,
};

static FilId add_joint(FilScene* scene, const FilYaml* at, const FilJointDef* def)
{
    FilId id = {0};
    if (scene->reader.status == FIL_OK) {
        const FilStatus status = fil_world_add_joint(scene->world, def, &id);
        fil_reader_take(&scene->reader, status, at, fil_world_error(scene->world));
    }
    return id;
}

/* Kinds of ends, by the key that names them. */
enum { END_ROD, END_BODY, END_ARM, END_RING, END_SHELL, END_LINK };

static const char* const end_kinds[] = {"rod", "body", "arm", "ring", "shell", "link", NULL};
static const char* const attached_kinds[] = {"rod", "body", "arm", "ring", "shell", NULL};

/* {ring} or {shell, vertex}. */
static FilId read_point(FilScene* scene, const FilYaml* end, bool is_ring, int* vertex)
{
    FilReader* reader = &scene->reader;
    int index = 0;
    if (is_ring) {
        return fil_read_reference(reader, end, "ring", FIL_REQUIRED, &scene->ring_names, "ring", &index)
                   ? scene->rings[index]
                   : (FilId){0};
    }
    if (!fil_read_reference(reader, end, "shell", FIL_REQUIRED, &scene->shell_names, "shell", &index)) {
        return (FilId){0};
    }
    fil_read_index(reader, end, "vertex", FIL_REQUIRED, scene->shells[index].def.vertex_count, vertex);
    return scene->shells[index].id;
}

/* A key that means nothing for this kind of end. */
static void refuse_key(FilReader* reader, const FilYaml* end, const char* key, const char* why)
{
    if (fil_yaml_find(end, key) != NULL) {
        fil_reader_fail(reader, fil_yaml_find(end, key), "%s", why);
    }
}

/* {rod, node}, {body}, {arm, disk}, {ring}, {shell, vertex} or {link}. */
static FilId read_end(FilScene* scene, const FilYaml* end, const char* const* kinds, int* node)
{
    FilReader* reader = &scene->reader;
    FilYaml* given = NULL;
    const int kind = fil_read_variant(reader, end, kinds, &given);
    if (kind < 0) {
        return (FilId){0};
    }
    int count = 0;
    if (kind != END_ARM) {
        refuse_key(reader, end, "disk", "only an arm has disks");
    }
    if (kind != END_SHELL) {
        refuse_key(reader, end, "vertex", "only a shell has vertices");
    }
    if (kind != END_ROD) {
        refuse_key(reader, end, "node", kind == END_BODY ? "a rigid body has no nodes" : "only a rod has nodes");
    }
    switch (kind) {
        case END_LINK:
            return fil_scene_read_link(scene, end, FIL_REQUIRED);
        case END_ARM:
            return fil_scene_read_arm(scene, end, FIL_PART_DISKS, FIL_REQUIRED, node, &count);
        case END_RING:
        case END_SHELL:
            return read_point(scene, end, kind == END_RING, node);
        case END_BODY: {
            const FilSceneBody* body = fil_scene_read_body(scene, end, "body", FIL_REQUIRED);
            return body != NULL ? body->id : (FilId){0};
        }
        default: {
            const FilSceneRod* rod = fil_scene_read_target(scene, end, FIL_PART_NODES, FIL_REQUIRED, node, &count);
            return rod != NULL ? rod->id : (FilId){0};
        }
    }
}

/* The end under a key. */
static FilId read_side(FilScene* scene, const FilYaml* joint, const char* key, unsigned flags, int* node)
{
    static const char* const keys[] = {"rod", "node", "body", "arm", "disk", "ring", "shell", "vertex", "link", NULL};
    const FilYaml* end = fil_read_node(&scene->reader, joint, key, flags);
    const bool sound = end != NULL && fil_check_keys(&scene->reader, end, keys);
    return sound ? read_end(scene, end, end_kinds, node) : (FilId){0};
}

/* attach: {rod, node, link}, {body, link}, {arm, disk, link}, {ring, link} or {shell, vertex, link}: a weld; of bodies
 * and arms at the link's origin. */
static FilId read_attach(FilScene* scene, const FilYaml* body, const char* name)
{
    static const char* const keys[] = {"rod",   "node",   "body", "arm",   "disk", "ring",
                                       "shell", "vertex", "link", "point", NULL};
    FilReader* reader = &scene->reader;
    FilJointDef def = fil_joint_def_default();
    def.name = name;
    def.kind = FIL_JOINT_WELD;
    if (!fil_check_keys(reader, body, keys)) {
        return (FilId){0};
    }
    def.a = read_end(scene, body, attached_kinds, &def.node_a);
    def.b = fil_scene_read_link(scene, body, FIL_REQUIRED);
    if (reader->status == FIL_OK && !fil_scene_read_vec3(reader, body, "point", &def.point)) {
        FilQuat orientation;
        fil_link_pose(scene->world, def.b, &def.point, &orientation);
    }
    return add_joint(scene, body, &def);
}

/* Whether an end says where the joint is. */
static bool has_place(const FilYaml* end)
{
    return end != NULL && (fil_yaml_find(end, "rod") != NULL || fil_yaml_find(end, "ring") != NULL ||
                           fil_yaml_find(end, "shell") != NULL);
}

static FilId read_joint(FilScene* scene, const FilYaml* node, const char* name)
{
    static const char* const keys[] = {"name", "pin", "weld", "bushing", "attach", NULL};
    static const char* const rigid_keys[] = {"a", "b", "point", NULL};
    static const char* const bushing_keys[] = {
        "a", "b", "point", "aligned", "stiffness", "damping", "angular_stiffness", "angular_damping", NULL};
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_check_keys(reader, node, keys) ? fil_read_variant(reader, node, joint_words, &body) : -1;
    if (word > FIL_JOINT_BUSHING) {
        return read_attach(scene, body, name);
    }
    if (word < 0 || !fil_check_keys(reader, body, word == FIL_JOINT_BUSHING ? bushing_keys : rigid_keys)) {
        return (FilId){0};
    }
    FilJointDef def = fil_joint_def_default();
    def.name = name;
    def.kind = (FilJointKind)word;
    def.a = read_side(scene, body, "a", FIL_REQUIRED, &def.node_a);
    def.b = read_side(scene, body, "b", FIL_OPTIONAL, &def.node_b);
    const bool has_node =
        reader->status == FIL_OK && (has_place(fil_yaml_find(body, "a")) || has_place(fil_yaml_find(body, "b")));
    double point[3];
    if (fil_read_vector(reader, body, "point", has_node ? FIL_OPTIONAL : FIL_REQUIRED, 3, point)) {
        def.point = (FilVec3){point[0], point[1], point[2]};
        if (has_node) {
            fil_reader_fail(reader, fil_yaml_find(body, "point"),
                            "the point of this joint is the rod's node, the ring or the vertex");
        }
    }
    fil_read_flag(reader, body, "aligned", &def.aligned);
    fil_read_number(reader, body, "stiffness", FIL_NOT_NEGATIVE, &def.stiffness);
    fil_read_number(reader, body, "damping", FIL_NOT_NEGATIVE, &def.damping);
    fil_read_number(reader, body, "angular_stiffness", FIL_NOT_NEGATIVE, &def.angular_stiffness);
    fil_read_number(reader, body, "angular_damping", FIL_NOT_NEGATIVE, &def.angular_damping);
    return add_joint(scene, body, &def);
}

/* A bushing at each node between two capsules bears the name of the capsule before it. */
static int add_bushings(FilScene* scene, const FilSceneChain* chain, const char** names, const FilYaml** ats, int count)
{
    const int joints = chain->curve.closed ? chain->capsule_count : chain->capsule_count - 1;
    for (int k = 0; k < joints && scene->reader.status == FIL_OK; k++) {
        const FilSceneBody* bodies = scene->bodies + chain->first_body;
        const double* point = chain->curve.nodes + 3 * ((k + 1) % chain->curve.node_count);
        FilJointDef def = chain->bushing;
        def.name = bodies[k].def.name;
        def.a = bodies[k].id;
        def.b = bodies[(k + 1) % chain->capsule_count].id;
        def.point = (FilVec3){point[0], point[1], point[2]};
        names[count] = def.name;
        ats[count] = chain->at;
        scene->joints[count++] = add_joint(scene, chain->at, &def);
    }
    return count;
}

void fil_scene_read_joints(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = NULL;
    const char** given = NULL;
    const bool some = fil_scene_read_names(scene, "joints", "joint", &list, &given);
    size_t most = some ? (size_t)list->count : 0;
    for (int k = 0; k < scene->chain_count; k++) {
        most += (size_t)scene->chains[k].capsule_count;
    }
    const char** names = fil_reader_alloc(reader, most, sizeof *names);
    const FilYaml** ats = fil_reader_alloc(reader, most, sizeof *ats);
    scene->joints = fil_reader_alloc(reader, most, sizeof *scene->joints);
    int count = 0;
    for (const FilYaml* node = some ? list->first : NULL; node != NULL && reader->status == FIL_OK; node = node->next) {
        names[count] = given[count];
        ats[count] = node;
        scene->joints[count] = read_joint(scene, node, names[count]);
        count++;
    }
    for (int k = 0; k < scene->chain_count && reader->status == FIL_OK; k++) {
        count = add_bushings(scene, &scene->chains[k], names, ats, count);
    }
    fil_scene_index_names(scene, names, ats, count, &scene->joint_names);
}
