/* attachments: where rods are held. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene_build.h"

/* A key of the scene is one word more than there are kinds: a hold is a pin of two nodes and a twist of their edge. */
enum { HOLD = FIL_ATTACH_HANDLE + 1 };

static const char* const attachment_words[] = {
    [FIL_ATTACH_PIN] = "pin",
    [FIL_ATTACH_TWIST] = "twist",
    [FIL_ATTACH_CLAMP] = "clamp",
    [FIL_ATTACH_HANDLE] = "handle",
    [HOLD] = "hold",
    NULL,
};

/* [first, count], inside of `total` elements. */
static void read_range(FilReader* reader, FilYaml* node, int total, int* first, int* count)
{
    double range[2] = {0.0, 1.0};
    if (!fil_value_vector(reader, node, 2, range)) {
        return;
    }
    const double start = range[0] < 0.0 ? range[0] + total : range[0];
    const bool whole = floor(range[0]) == range[0] && floor(range[1]) == range[1];
    if (!whole || range[1] < 1.0 || start < 0.0 || start + range[1] > total) {
        fil_reader_fail(reader, node, "[first, count] = [%g, %g] is not inside of 0 to %d", range[0], range[1],
                        total - 1);
        return;
    }
    *first = (int)start;
    *count = (int)range[1];
}

void fil_scene_read_range(FilReader* reader, const FilYaml* mapping, const char* const words[2], int total,
                          unsigned flags, int* first, int* count)
{
    FilYaml* range = fil_read_node(reader, mapping, words[1], FIL_OPTIONAL);
    *first = 0;
    *count = total;
    if (range == NULL && fil_read_index(reader, mapping, words[0], flags, total, first)) {
        *count = 1;
    } else if (range != NULL && fil_yaml_find(mapping, words[0]) != NULL) {
        fil_reader_fail(reader, range, "only one of '%s' and '%s' may be given", words[0], range->key);
    } else if (range != NULL) {
        read_range(reader, range, total, first, count);
    }
}

const FilSceneRod* fil_scene_read_target(FilScene* scene, const FilYaml* mapping, FilRodPart part, unsigned flags,
                                         int* first, int* count)
{
    static const char* const nodes[2] = {"node", "nodes"};
    static const char* const edges[2] = {"edge", "edges"};
    FilReader* reader = &scene->reader;
    int index = 0;
    if (!fil_read_reference(reader, mapping, "rod", FIL_REQUIRED, &scene->rod_names, "rod", &index)) {
        return NULL;
    }
    const FilSceneRod* rod = &scene->rods[index];
    if (part == FIL_PART_NODES) {
        fil_scene_read_range(reader, mapping, nodes, rod->def.node_count, flags, first, count);
    } else {
        fil_scene_read_range(reader, mapping, edges, rod->edge_count, flags, first, count);
    }
    return reader->status == FIL_OK ? rod : NULL;
}

/* A rod with its nodes, or a shell with its vertices; a null id after a failure. */
static FilId read_held(FilScene* scene, const FilYaml* body, int word, FilAttachmentDef* def)
{
    static const char* const vertices[2] = {"vertex", "vertices"};
    FilReader* reader = &scene->reader;
    if (word == FIL_ATTACH_PIN && fil_yaml_find(body, "shell") != NULL) {
        int index = 0;
        if (!fil_read_reference(reader, body, "shell", FIL_REQUIRED, &scene->shell_names, "shell", &index)) {
            return (FilId){0};
        }
        const FilSceneShell* shell = &scene->shells[index];
        fil_scene_read_range(reader, body, vertices, shell->def.vertex_count, FIL_REQUIRED, &def->first, &def->count);
        return reader->status == FIL_OK ? shell->id : (FilId){0};
    }
    const FilRodPart part = word == FIL_ATTACH_TWIST || word == HOLD ? FIL_PART_EDGES : FIL_PART_NODES;
    const FilSceneRod* rod = fil_scene_read_target(scene, body, part, FIL_REQUIRED, &def->first, &def->count);
    if (rod != NULL && word == HOLD && def->first + 1 >= rod->def.node_count) {
        fil_reader_fail(reader, body, "the closing edge of a closed rod cannot be held: its nodes are not neighbours");
    }
    return rod != NULL ? rod->id : (FilId){0};
}

/* Keys that each word may have. */
static const char* const* keys_of(int word)
{
    static const char* const pin[] = {"rod", "node", "nodes", "shell", "vertex", "vertices", NULL};
    static const char* const twist[] = {"rod", "edge", "edges", NULL};
    static const char* const clamp[] = {"rod", "node", NULL};
    static const char* const handle[] = {"rod", "node", "stiffness", "damping", "max_force", NULL};
    static const char* const hold[] = {"rod", "edge", NULL};
    static const char* const* const keys[] = {
        [FIL_ATTACH_PIN] = pin, [FIL_ATTACH_TWIST] = twist, [FIL_ATTACH_CLAMP] = clamp, [FIL_ATTACH_HANDLE] = handle,
        [HOLD] = hold,
    };
    return keys[word];
}

static FilId add_attachment(FilScene* scene, const FilYaml* at, const FilAttachmentDef* def)
{
    FilId id = {0};
    if (scene->reader.status == FIL_OK) {
        const FilStatus status = fil_world_add_attachment(scene->world, def, &id);
        if (status != FIL_OK) {
            fil_reader_take(&scene->reader, status, at, fil_world_error(scene->world));
        }
    }
    return id;
}

/* Adds the attachment; a hold adds a second, whose name goes to *extra and whose id to *extra_id. */
static FilId read_attachment(FilScene* scene, const FilYaml* node, const char* name, const char** extra,
                             FilId* extra_id)
{
    static const char* const keys[] = {"name", "pin", "twist", "clamp", "handle", "hold", "until", NULL};
    FilReader* reader = &scene->reader;
    FilYaml* body = NULL;
    const int word = fil_check_keys(reader, node, keys) ? fil_read_variant(reader, node, attachment_words, &body) : -1;
    if (word < 0 || !fil_check_keys(reader, body, keys_of(word))) {
        return (FilId){0};
    }
    FilAttachmentDef def = fil_attachment_def_default();
    def.name = name;
    def.kind = word == HOLD ? FIL_ATTACH_PIN : (FilAttachmentKind)word;
    def.object = read_held(scene, body, word, &def);
    fil_read_number(reader, node, "until", FIL_POSITIVE, &def.until);
    if (reader->status != FIL_OK) {
        return (FilId){0};
    }
    if (word == FIL_ATTACH_HANDLE) {
        fil_read_number(reader, body, "stiffness", FIL_REQUIRED | FIL_POSITIVE, &def.stiffness);
        fil_read_number(reader, body, "damping", FIL_NOT_NEGATIVE, &def.damping);
        fil_read_number(reader, body, "max_force", FIL_NOT_NEGATIVE, &def.max_force);
    }
    if (word != HOLD) {
        return add_attachment(scene, node, &def);
    }
    char* second = fil_reader_alloc(reader, strlen(name) + sizeof "_twist", 1);
    if (second == NULL) {
        return (FilId){0};
    }
    sprintf(second, "%s_twist", name);
    *extra = second;
    def.count = 2;
    const FilId id = add_attachment(scene, node, &def);
    def.name = second;
    def.kind = FIL_ATTACH_TWIST;
    def.count = 1;
    *extra_id = add_attachment(scene, node, &def);
    return id;
}

void fil_scene_read_attachments(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = NULL;
    const char** given = NULL;
    if (!fil_scene_read_names(scene, "attachments", "attachment", &list, &given)) {
        return;
    }
    const size_t most = 2 * (size_t)list->count;
    const char** names = fil_reader_alloc(reader, most, sizeof *names);
    const FilYaml** ats = fil_reader_alloc(reader, most, sizeof *ats);
    scene->attachments = fil_reader_alloc(reader, most, sizeof *scene->attachments);
    int count = 0;
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        const char* extra = NULL;
        FilId extra_id = {0};
        names[count] = *given++;
        ats[count] = node;
        scene->attachments[count] = read_attachment(scene, node, names[count], &extra, &extra_id);
        count++;
        if (extra != NULL) {
            names[count] = extra;
            ats[count] = node;
            scene->attachments[count++] = extra_id;
        }
    }
    fil_scene_index_names(scene, names, ats, count, &scene->attachment_names);
}
