/* probes: named numbers to measure. A vector without a component gives one probe per component. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_build.h"

typedef enum Target {
    OF_NODE,
    OF_EDGE,
    OF_ROD,
    OF_ATTACHMENT,
    OF_DRIVE,
    OF_WORLD,
    OF_BODY,
    OF_THING,
    OF_JOINT,
    OF_DISK,
    OF_SECTION,
    OF_CHAMBER,
    OF_RING,
    OF_VERTEX,
    OF_LINK,
    OF_AXIS
} Target;

typedef struct ProbeKind {
    Target target;
    int dimension; /* 0: that of the drive */
} ProbeKind;

static const char* const probe_words[] = {
    [FIL_PROBE_POSITION] = "position",
    [FIL_PROBE_VELOCITY] = "velocity",
    [FIL_PROBE_ANGLE] = "angle",
    [FIL_PROBE_TENSION] = "tension",
    [FIL_PROBE_CURVATURE] = "curvature",
    [FIL_PROBE_TWIST] = "twist",
    [FIL_PROBE_LENGTH] = "length",
    [FIL_PROBE_END_DISTANCE] = "end_distance",
    [FIL_PROBE_FORCE] = "force",
    [FIL_PROBE_TORQUE] = "torque",
    [FIL_PROBE_DRIVE] = "drive",
    [FIL_PROBE_KINETIC_ENERGY] = "kinetic_energy",
    [FIL_PROBE_ELASTIC_ENERGY] = "elastic_energy",
    [FIL_PROBE_GRAVITY_ENERGY] = "gravity_energy",
    [FIL_PROBE_TOTAL_ENERGY] = "total_energy",
    [FIL_PROBE_MOMENTUM] = "momentum",
    [FIL_PROBE_ANGULAR_MOMENTUM] = "angular_momentum",
    [FIL_PROBE_BODY_POSITION] = "body_position",
    [FIL_PROBE_BODY_VELOCITY] = "body_velocity",
    [FIL_PROBE_BODY_SPIN] = "body_spin",
    [FIL_PROBE_CONTACT_FORCE] = "contact_force",
    [FIL_PROBE_CONTACTS] = "contacts",
    [FIL_PROBE_PENETRATION] = "penetration",
    [FIL_PROBE_CLEARANCE] = "clearance",
    [FIL_PROBE_JOINT_FORCE] = "joint_force",
    [FIL_PROBE_JOINT_TORQUE] = "joint_torque",
    [FIL_PROBE_DISK_POSITION] = "disk_position",
    [FIL_PROBE_DISK_VELOCITY] = "disk_velocity",
    [FIL_PROBE_BENDING] = "bending",
    [FIL_PROBE_SECTION_LENGTH] = "section_length",
    [FIL_PROBE_PRESSURE] = "pressure",
    [FIL_PROBE_RING_POSITION] = "ring_position",
    [FIL_PROBE_RING_VELOCITY] = "ring_velocity",
    [FIL_PROBE_RING_TRAVEL] = "ring_travel",
    [FIL_PROBE_RING_DISTANCE] = "ring_distance",
    [FIL_PROBE_RING_FORCE] = "ring_force",
    [FIL_PROBE_RINGS] = "rings",
    [FIL_PROBE_VERTEX_POSITION] = "vertex_position",
    [FIL_PROBE_LINK_POSITION] = "link_position",
    [FIL_PROBE_LINK_VELOCITY] = "link_velocity",
    [FIL_PROBE_AXIS_POSITION] = "axis_position",
    [FIL_PROBE_AXIS_VELOCITY] = "axis_velocity",
    [FIL_PROBE_AXIS_EFFORT] = "axis_effort",
    NULL,
};

static const ProbeKind probe_kinds[] = {
    [FIL_PROBE_POSITION] = {OF_NODE, 3},
    [FIL_PROBE_VELOCITY] = {OF_NODE, 3},
    [FIL_PROBE_ANGLE] = {OF_EDGE, 1},
    [FIL_PROBE_TENSION] = {OF_EDGE, 1},
    [FIL_PROBE_CURVATURE] = {OF_NODE, 2},
    [FIL_PROBE_TWIST] = {OF_NODE, 1},
    [FIL_PROBE_LENGTH] = {OF_ROD, 1},
    [FIL_PROBE_END_DISTANCE] = {OF_ROD, 1},
    [FIL_PROBE_FORCE] = {OF_ATTACHMENT, 3},
    [FIL_PROBE_TORQUE] = {OF_ATTACHMENT, 3},
    [FIL_PROBE_DRIVE] = {OF_DRIVE, 0},
    [FIL_PROBE_KINETIC_ENERGY] = {OF_WORLD, 1},
    [FIL_PROBE_ELASTIC_ENERGY] = {OF_WORLD, 1},
    [FIL_PROBE_GRAVITY_ENERGY] = {OF_WORLD, 1},
    [FIL_PROBE_TOTAL_ENERGY] = {OF_WORLD, 1},
    [FIL_PROBE_MOMENTUM] = {OF_WORLD, 3},
    [FIL_PROBE_ANGULAR_MOMENTUM] = {OF_WORLD, 3},
    [FIL_PROBE_BODY_POSITION] = {OF_BODY, 3},
    [FIL_PROBE_BODY_VELOCITY] = {OF_BODY, 3},
    [FIL_PROBE_BODY_SPIN] = {OF_BODY, 3},
    [FIL_PROBE_CONTACT_FORCE] = {OF_THING, 3},
    [FIL_PROBE_CONTACTS] = {OF_WORLD, 1},
    [FIL_PROBE_PENETRATION] = {OF_WORLD, 1},
    [FIL_PROBE_CLEARANCE] = {OF_WORLD, 1},
    [FIL_PROBE_JOINT_FORCE] = {OF_JOINT, 3},
    [FIL_PROBE_JOINT_TORQUE] = {OF_JOINT, 3},
    [FIL_PROBE_DISK_POSITION] = {OF_DISK, 3},
    [FIL_PROBE_DISK_VELOCITY] = {OF_DISK, 3},
    [FIL_PROBE_BENDING] = {OF_SECTION, 1},
    [FIL_PROBE_SECTION_LENGTH] = {OF_SECTION, 1},
    [FIL_PROBE_PRESSURE] = {OF_CHAMBER, 1},
    [FIL_PROBE_RING_POSITION] = {OF_RING, 3},
    [FIL_PROBE_RING_VELOCITY] = {OF_RING, 3},
    [FIL_PROBE_RING_TRAVEL] = {OF_RING, 1},
    [FIL_PROBE_RING_DISTANCE] = {OF_RING, 1},
    [FIL_PROBE_RING_FORCE] = {OF_RING, 1},
    [FIL_PROBE_RINGS] = {OF_WORLD, 1},
    [FIL_PROBE_VERTEX_POSITION] = {OF_VERTEX, 3},
    [FIL_PROBE_LINK_POSITION] = {OF_LINK, 3},
    [FIL_PROBE_LINK_VELOCITY] = {OF_LINK, 3},
    [FIL_PROBE_AXIS_POSITION] = {OF_AXIS, 1},
    [FIL_PROBE_AXIS_VELOCITY] = {OF_AXIS, 1},
    [FIL_PROBE_AXIS_EFFORT] = {OF_AXIS, 1},
};

static const char* const component_words[] = {"x", "y", "z", "norm", NULL};

static const char* const* keys_of(Target target)
{
    static const char* const node[] = {"rod", "node", "component", NULL};
    static const char* const edge[] = {"rod", "edge", NULL};
    static const char* const rod[] = {"rod", NULL};
    static const char* const attachment[] = {"attachment", "component", NULL};
    static const char* const drive[] = {"drive", "component", NULL};
    static const char* const world[] = {"component", NULL};
    static const char* const body[] = {"body", "component", NULL};
    static const char* const thing[] = {"rod", "body", "arm", "link", "component", NULL};
    static const char* const joint[] = {"joint", "component", NULL};
    static const char* const disk[] = {"arm", "disk", "component", NULL};
    static const char* const section[] = {"arm", "section", NULL};
    static const char* const chamber[] = {"arm", "chamber", NULL};
    static const char* const ring[] = {"ring", "component", NULL};
    static const char* const vertex[] = {"shell", "vertex", "component", NULL};
    static const char* const link[] = {"link", "component", NULL};
    static const char* const axis[] = {"robot", "joint", NULL};
    static const char* const* const keys[] = {
        [OF_NODE] = node,   [OF_EDGE] = edge,   [OF_ROD] = rod,         [OF_ATTACHMENT] = attachment,
        [OF_DRIVE] = drive, [OF_WORLD] = world, [OF_BODY] = body,       [OF_THING] = thing,
        [OF_JOINT] = joint, [OF_DISK] = disk,   [OF_SECTION] = section, [OF_CHAMBER] = chamber,
        [OF_RING] = ring,   [OF_VERTEX] = vertex, [OF_LINK] = link,       [OF_AXIS] = axis,
    };
    return keys[target];
}

/* `rod`, `body`, `arm` or `link`. */
static FilId read_thing(FilScene* scene, const FilYaml* body)
{
    static const char* const words[] = {"rod", "body", "arm", "link", NULL};
    FilYaml* given = NULL;
    int index = 0;
    const int word = fil_read_variant(&scene->reader, body, words, &given);
    if (word == 1) {
        const FilSceneBody* found = fil_scene_read_body(scene, body, "body", FIL_REQUIRED);
        return found != NULL ? found->id : (FilId){0};
    }
    if (word == 2) {
        const bool known =
            fil_read_reference(&scene->reader, body, "arm", FIL_REQUIRED, &scene->arm_names, "arm", &index);
        return known ? scene->arms[index].id : (FilId){0};
    }
    if (word == 3) {
        return fil_scene_read_link(scene, body, FIL_REQUIRED);
    }
    const bool is_rod = fil_read_reference(&scene->reader, body, "rod", FIL_OPTIONAL, &scene->rod_names, "rod", &index);
    return is_rod ? scene->rods[index].id : (FilId){0};
}

/* What the probe measures on; returns its dimension. */
static int read_target(FilScene* scene, const FilYaml* body, FilProbeDef* def)
{
    FilReader* reader = &scene->reader;
    const ProbeKind* kind = &probe_kinds[def->kind];
    int index = 0, count = 0;
    const FilSceneRod* rod = NULL;
    switch (kind->target) {
        case OF_NODE:
        case OF_EDGE:
            rod = fil_scene_read_target(scene, body, kind->target == OF_NODE ? FIL_PART_NODES : FIL_PART_EDGES,
                                        FIL_REQUIRED, &def->index, &count);
            break;
        case OF_ROD:
            rod = fil_scene_read_target(scene, body, FIL_PART_NODES, FIL_OPTIONAL, &def->index, &count);
            break;
        case OF_ATTACHMENT:
            if (fil_read_reference(reader, body, "attachment", FIL_REQUIRED, &scene->attachment_names, "attachment",
                                   &index)) {
                def->attachment = scene->attachments[index];
            }
            break;
        case OF_DRIVE:
            if (fil_read_reference(reader, body, "drive", FIL_REQUIRED, &scene->drive_names, "drive", &index)) {
                def->drive = scene->drives[index].id;
                return fil_drive_dimension(scene->drives[index].kind);
            }
            break;
        case OF_BODY: {
            const FilSceneBody* rigid = fil_scene_read_body(scene, body, "body", FIL_REQUIRED);
            def->rod = rigid != NULL ? rigid->id : def->rod;
            break;
        }
        case OF_THING:
            def->rod = read_thing(scene, body);
            break;
        case OF_JOINT:
            if (fil_read_reference(reader, body, "joint", FIL_REQUIRED, &scene->joint_names, "joint", &index)) {
                def->joint = scene->joints[index];
            }
            break;
        case OF_DISK:
            def->rod = fil_scene_read_arm(scene, body, FIL_PART_DISKS, FIL_REQUIRED, &def->index, &count);
            break;
        case OF_SECTION:
            def->rod = fil_scene_read_arm(scene, body, FIL_PART_SECTIONS, FIL_REQUIRED, &def->index, &count);
            break;
        case OF_CHAMBER:
            def->rod = fil_scene_read_arm(scene, body, FIL_PART_CHAMBERS, FIL_REQUIRED, &def->index, &count);
            break;
        case OF_RING:
            if (fil_read_reference(reader, body, "ring", FIL_REQUIRED, &scene->ring_names, "ring", &index)) {
                def->rod = scene->rings[index];
            }
            break;
        case OF_VERTEX:
            if (fil_read_reference(reader, body, "shell", FIL_REQUIRED, &scene->shell_names, "shell", &index)) {
                def->rod = scene->shells[index].id;
                fil_read_index(reader, body, "vertex", FIL_REQUIRED, scene->shells[index].def.vertex_count, &def->index);
            }
            break;
        case OF_LINK:
            def->rod = fil_scene_read_link(scene, body, FIL_REQUIRED);
            break;
        case OF_AXIS:
            def->rod = fil_scene_read_robot_joint(scene, body, &def->index);
            break;
        case OF_WORLD:
            break;
    }
    if (rod != NULL) {
        def->rod = rod->id;
    }
    return kind->dimension;
}

static void add_probe(FilScene* scene, const FilYaml* at, const FilProbeDef* def)
{
    FilId id = {0};
    const FilStatus status = fil_world_add_probe(scene->world, def, &id);
    if (status != FIL_OK) {
        fil_reader_take(&scene->reader, status, at, fil_world_error(scene->world));
    }
}

/* One probe for the component asked for, or one for each. */
static void add_components(FilScene* scene, const FilYaml* node, const FilYaml* body, int dimension, FilProbeDef* def)
{
    FilReader* reader = &scene->reader;
    int component = 0;
    if (body != NULL && fil_read_choice(reader, body, "component", component_words, &component)) {
        const bool norm = component == 3;
        if (dimension == 1 || (!norm && component >= dimension)) {
            fil_reader_fail(reader, fil_yaml_find(body, "component"), "'%s' has %d component%s", node->key, dimension,
                            dimension == 1 ? " only" : "s");
            return;
        }
        def->component = norm ? -1 : component;
        add_probe(scene, node, def);
        return;
    }
    if (dimension == 1) {
        def->component = 0;
        add_probe(scene, node, def);
        return;
    }
    char* name = fil_reader_alloc(reader, strlen(node->key) + 3, 1);
    for (int k = 0; k < dimension && reader->status == FIL_OK; k++) {
        sprintf(name, "%s_%s", node->key, component_words[k]);
        def->name = name;
        def->component = k;
        add_probe(scene, node, def);
    }
}

/* name: {kind: {...}}, or name: kind where the world as a whole is measured. */
static void read_probe(FilScene* scene, const FilYaml* node)
{
    FilReader* reader = &scene->reader;
    FilProbeDef def = fil_probe_def_default();
    def.name = node->key;
    FilYaml* body = NULL;
    int kind = 0;
    if (node->kind == FIL_YAML_SCALAR) {
        if (!fil_read_choice(reader, node->parent, node->key, probe_words, &kind)) {
            return;
        }
        if (probe_kinds[kind].target != OF_WORLD) {
            fil_reader_fail(reader, node, "'%s' needs to know of what: {%s: {...}}", probe_words[kind],
                            probe_words[kind]);
            return;
        }
    } else {
        if (!fil_check_keys(reader, node, probe_words)) {
            return;
        }
        kind = fil_read_variant(reader, node, probe_words, &body);
        if (kind < 0 || !fil_check_keys(reader, body, keys_of(probe_kinds[kind].target))) {
            return;
        }
    }
    def.kind = (FilProbeKind)kind;
    const int dimension = body != NULL ? read_target(scene, body, &def) : probe_kinds[kind].dimension;
    if (reader->status == FIL_OK) {
        add_components(scene, node, body, dimension, &def);
    }
}

void fil_scene_read_probes(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, scene->root, "probes", FIL_OPTIONAL);
    if (list == NULL) {
        return;
    }
    if (list->kind != FIL_YAML_MAPPING) {
        fil_reader_fail(reader, list, "expected a mapping of names to probes");
    }
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        if (fil_check_name(reader, node, node->key)) {
            read_probe(scene, node);
        }
    }
}
