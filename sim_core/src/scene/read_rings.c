/* rings: points and holes that slide on rods. */
#include "filum/ring.h"
#include "scene/scene_build.h"

/* `rod: name`, or `rods: [names]` one after the other. */
static void read_track(FilScene* scene, const FilYaml* node, FilRingDef* def)
{
    FilReader* reader = &scene->reader;
    int index = 0;
    const FilYaml* list = fil_read_node(reader, node, "rods", FIL_OPTIONAL);
    FilId* rods = fil_reader_alloc(reader, list != NULL ? (size_t)list->count : 1, sizeof *rods);
    if (rods == NULL) {
        return;
    }
    def->rods = rods;
    if (list == NULL) {
        if (fil_read_reference(reader, node, "rod", FIL_REQUIRED, &scene->rod_names, "rod", &index)) {
            rods[def->rod_count++] = scene->rods[index].id;
        }
        return;
    }
    if (fil_yaml_find(node, "rod") != NULL) {
        fil_reader_fail(reader, list, "only one of 'rod' and 'rods' may be given");
        return;
    }
    if (!fil_check_list(reader, list, "names of rods")) {
        return;
    }
    for (FilYaml* name = list->first; name != NULL && reader->status == FIL_OK; name = name->next) {
        if (fil_value_reference(reader, name, &scene->rod_names, "rod", &index)) {
            rods[def->rod_count++] = scene->rods[index].id;
        }
    }
}

/* `hole: {rigid_body: name, center, axis, radius}` in that body's frame. */
static void read_hole(FilScene* scene, const FilYaml* hole, FilRingDef* def)
{
    static const char* const keys[] = {"rigid_body", "center", "axis", "radius", NULL};
    FilReader* reader = &scene->reader;
    int index = 0;
    double axis[3] = {0.0};
    if (!fil_check_keys(reader, hole, keys)) {
        return;
    }
    if (fil_read_reference(reader, hole, "rigid_body", FIL_REQUIRED, &scene->body_names, "rigid body", &index)) {
        def->carrier = scene->bodies[index].id;
    }
    fil_scene_read_vec3(reader, hole, "center", &def->hole);
    if (fil_read_vector(reader, hole, "axis", FIL_REQUIRED, 3, axis)) {
        def->hole_axis = (FilVec3){axis[0], axis[1], axis[2]};
    }
    fil_read_number(reader, hole, "radius", FIL_REQUIRED | FIL_POSITIVE, &def->hole_radius);
}

/* `point: {position, mass, ...}`, or `node: {shell: name, vertex: k}`, or `node: {rod: name, node: k}`, or a hole. */
static void read_carrier(FilScene* scene, const FilYaml* node, FilRingDef* def)
{
    static const char* const words[] = {"point", "node", "hole", NULL};
    static const char* const point_keys[] = {"mass", "position", "velocity", "settled", NULL};
    static const char* const node_keys[] = {"rod", "node", "shell", "vertex", NULL};
    static const char* const kinds[] = {"rod", "shell", NULL};
    FilReader* reader = &scene->reader;
    FilYaml *body = NULL, *given = NULL;
    const int word = fil_read_variant(reader, node, words, &body);
    int index = 0;
    if (word == 0 && fil_check_keys(reader, body, point_keys)) {
        fil_read_number(reader, body, "mass", FIL_REQUIRED | FIL_POSITIVE, &def->mass);
        fil_scene_read_vec3(reader, body, "position", &def->position);
        fil_scene_read_vec3(reader, body, "velocity", &def->velocity);
        fil_read_flag(reader, body, "settled", &def->settled);
    } else if (word == 1 && fil_check_keys(reader, body, node_keys)) {
        const bool on_shell = fil_read_variant(reader, body, kinds, &given) == 1;
        if (on_shell && fil_read_reference(reader, body, "shell", FIL_REQUIRED, &scene->shell_names, "shell", &index)) {
            def->carrier = scene->shells[index].id;
            fil_read_index(reader, body, "vertex", FIL_REQUIRED, scene->shells[index].def.vertex_count, &def->node);
        } else if (!on_shell &&
                   fil_read_reference(reader, body, "rod", FIL_REQUIRED, &scene->rod_names, "rod", &index)) {
            def->carrier = scene->rods[index].id;
            fil_read_index(reader, body, "node", FIL_REQUIRED, scene->rods[index].def.node_count, &def->node);
        }
    } else if (word == 2) {
        read_hole(scene, body, def);
    }
}

static void read_ring(FilScene* scene, const FilYaml* node, FilRingDef* def)
{
    static const char* const keys[] = {"name",   "rod",   "rods",      "point",    "node", "hole",
                                       "offset", "range", "stiffness", "friction", NULL};
    FilReader* reader = &scene->reader;
    if (!fil_check_keys(reader, node, keys)) {
        return;
    }
    read_track(scene, node, def);
    read_carrier(scene, node, def);
    fil_read_number(reader, node, "offset", FIL_NOT_NEGATIVE, &def->offset);
    fil_read_number(reader, node, "range", FIL_POSITIVE, &def->range);
    fil_read_number(reader, node, "stiffness", FIL_POSITIVE, &def->stiffness);
    fil_read_number(reader, node, "friction", FIL_NOT_NEGATIVE, &def->friction);
}

void fil_scene_read_rings(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = NULL;
    const char** names = NULL;
    if (!fil_scene_read_names(scene, "rings", "ring", &list, &names)) {
        return;
    }
    scene->rings = fil_reader_alloc(reader, (size_t)list->count, sizeof *scene->rings);
    const FilYaml** ats = fil_reader_alloc(reader, (size_t)list->count, sizeof *ats);
    int count = 0;
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        FilRingDef def = fil_ring_def_default();
        def.name = names[count];
        read_ring(scene, node, &def);
        if (reader->status == FIL_OK) {
            const FilStatus status = fil_world_add_ring(scene->world, &def, &scene->rings[count]);
            fil_reader_take(reader, status, node, fil_world_error(scene->world));
        }
        ats[count++] = node;
    }
    fil_scene_index_names(scene, names, ats, count, &scene->ring_names);
}
