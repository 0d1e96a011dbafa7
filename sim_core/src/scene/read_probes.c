/* probes: named numbers to measure. A vector without a component gives one probe per component. */
#include <stdio.h>
#include <string.h>

#include "scene/scene_build.h"

static const char* const component_words[] = {"x", "y", "z", "norm", NULL};

/* ---- what is measured ---- */

static FilId look_up(FilScene* scene, const FilYaml* body, const char* word, const FilNames* names, const FilId* ids)
{
    int index = 0;
    return fil_read_reference(&scene->reader, body, word, FIL_REQUIRED, names, word, &index) ? ids[index] : (FilId){0};
}

static FilId read_rod(FilScene* scene, const FilYaml* body)
{
    int first, count;
    const FilSceneRod* rod = fil_scene_read_target(scene, body, FIL_PART_NODES, FIL_OPTIONAL, &first, &count);
    return rod != NULL ? rod->id : (FilId){0};
}

static FilId read_body(FilScene* scene, const FilYaml* body)
{
    const FilSceneBody* rigid = fil_scene_read_body(scene, body, "body", FIL_REQUIRED);
    return rigid != NULL ? rigid->id : (FilId){0};
}

static FilId read_arm(FilScene* scene, const FilYaml* body)
{
    int index = 0;
    return fil_read_reference(&scene->reader, body, "arm", FIL_REQUIRED, &scene->arm_names, "arm", &index)
               ? scene->arms[index].id
               : (FilId){0};
}

static FilId read_shell(FilScene* scene, const FilYaml* body)
{
    int index = 0;
    return fil_read_reference(&scene->reader, body, "shell", FIL_REQUIRED, &scene->shell_names, "shell", &index)
               ? scene->shells[index].id
               : (FilId){0};
}

static FilId read_ring(FilScene* scene, const FilYaml* body)
{
    return look_up(scene, body, "ring", &scene->ring_names, scene->rings);
}

static FilId read_link(FilScene* scene, const FilYaml* body)
{
    return fil_scene_read_link(scene, body, FIL_REQUIRED);
}

static FilId read_robot(FilScene* scene, const FilYaml* body)
{
    int joint = 0;
    return fil_scene_read_robot_joint(scene, body, &joint);
}

static FilId read_attachment(FilScene* scene, const FilYaml* body)
{
    return look_up(scene, body, "attachment", &scene->attachment_names, scene->attachments);
}

static FilId read_drive(FilScene* scene, const FilYaml* body)
{
    int index = 0;
    return fil_read_reference(&scene->reader, body, "drive", FIL_REQUIRED, &scene->drive_names, "drive", &index)
               ? scene->drives[index].id
               : (FilId){0};
}

static FilId read_joint(FilScene* scene, const FilYaml* body)
{
    return look_up(scene, body, "joint", &scene->joint_names, scene->joints);
}

/* Who reads the object of a quantity, by the word of its kind; those before "shell" are objects that touch. */
static const struct {
    const char* word;
    FilId (*read)(FilScene* scene, const FilYaml* body);
} subjects[] = {
    {"rod", read_rod},     {"body", read_body},   {"arm", read_arm},
    {"link", read_link},   {"shell", read_shell}, {"ring", read_ring},
    {"robot", read_robot}, {"joint", read_joint}, {"attachment", read_attachment},
    {"drive", read_drive},
};

enum { TOUCHING = 4, SUBJECTS = sizeof subjects / sizeof *subjects };

/* What the probe measures on. */
static void read_target(FilScene* scene, const FilYaml* body, const FilQuantityInfo* info, FilProbeDef* def)
{
    FilReader* reader = &scene->reader;
    const char* subject = info->subject;
    if (strcmp(subject, "object") == 0) {
        const char* words[TOUCHING + 1] = {NULL};
        for (int k = 0; k < TOUCHING; k++) {
            words[k] = subjects[k].word;
        }
        FilYaml* given = NULL;
        const int word = fil_read_variant(reader, body, words, &given);
        subject = word >= 0 ? words[word] : "";
    }
    for (int k = 0; k < SUBJECTS && reader->status == FIL_OK; k++) {
        if (strcmp(subjects[k].word, subject) == 0) {
            def->of = subjects[k].read(scene, body);
        }
    }
    if (info->part == NULL || reader->status != FIL_OK) {
        return;
    }
    if (strcmp(subject, "robot") == 0) {
        fil_scene_read_robot_joint(scene, body, &def->index);
    } else {
        fil_read_index(reader, body, info->part, FIL_REQUIRED, fil_part_count(scene->world, def->of, info->part),
                       &def->index);
    }
}

/* Keys that a quantity takes. */
static bool check_target_keys(FilReader* reader, const FilYaml* body, const FilQuantityInfo* info)
{
    const char* keys[TOUCHING + 3] = {NULL};
    int count = 0;
    if (strcmp(info->subject, "object") == 0) {
        for (int k = 0; k < TOUCHING; k++) {
            keys[count++] = subjects[k].word;
        }
    } else if (strcmp(info->subject, "world") != 0) {
        keys[count++] = info->subject;
    }
    if (info->part != NULL) {
        keys[count++] = info->part;
    }
    keys[count] = "component";
    return fil_check_keys(reader, body, keys);
}

/* ---- probes ---- */

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

/* Names of all quantities; NULL ends them. */
static const char* const* quantity_words(FilReader* reader)
{
    const int count = fil_quantity_count();
    const char** words = fil_reader_alloc(reader, (size_t)count + 1, sizeof *words);
    for (int k = 0; k < count && words != NULL; k++) {
        words[k] = fil_quantity_info(k).name;
    }
    return words;
}

/* name: {quantity: {...}}, or name: quantity where the world as a whole is measured. */
static void read_probe(FilScene* scene, const FilYaml* node, const char* const* words)
{
    FilReader* reader = &scene->reader;
    FilProbeDef def = fil_probe_def_default();
    FilYaml* body = NULL;
    int quantity = 0;
    if (node->kind == FIL_YAML_SCALAR) {
        if (!fil_read_choice(reader, node->parent, node->key, words, &quantity)) {
            return;
        }
        if (strcmp(fil_quantity_info(quantity).subject, "world") != 0) {
            fil_reader_fail(reader, node, "'%s' needs to know of what: {%s: {...}}", words[quantity], words[quantity]);
            return;
        }
    } else {
        quantity = fil_check_keys(reader, node, words) ? fil_read_variant(reader, node, words, &body) : -1;
    }
    if (quantity < 0) {
        return;
    }
    const FilQuantityInfo info = fil_quantity_info(quantity);
    def.name = node->key;
    def.quantity = info.name;
    if (body != NULL && check_target_keys(reader, body, &info)) {
        read_target(scene, body, &info, &def);
    }
    if (reader->status == FIL_OK) {
        add_components(scene, node, body, fil_quantity_components(scene->world, quantity, def.of), &def);
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
    const char* const* words = quantity_words(reader);
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        if (fil_check_name(reader, node, node->key)) {
            read_probe(scene, node, words);
        }
    }
}
