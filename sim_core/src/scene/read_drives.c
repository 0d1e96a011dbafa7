/* drives: what moves and loads rods and rigid bodies. */
#include "scene/scene_build.h"

static const char* const drive_words[] = {
    [FIL_DRIVE_POSITION] = "position",
    [FIL_DRIVE_VELOCITY] = "velocity",
    [FIL_DRIVE_ROTATION] = "rotation",
    [FIL_DRIVE_ANGLE] = "angle",
    [FIL_DRIVE_FORCE] = "force",
    [FIL_DRIVE_TORQUE] = "torque",
    [FIL_DRIVE_AXIAL_TORQUE] = "axial_torque",
    [FIL_DRIVE_CURVATURE] = "curvature",
    [FIL_DRIVE_REST_TWIST] = "rest_twist",
    [FIL_DRIVE_PRESSURE] = "pressure",
    NULL,
};

static bool moves_attachment(FilDriveKind kind)
{
    return kind <= FIL_DRIVE_ANGLE;
}

static FilRodPart part_of(FilDriveKind kind)
{
    return kind == FIL_DRIVE_TORQUE || kind == FIL_DRIVE_AXIAL_TORQUE ? FIL_PART_EDGES : FIL_PART_NODES;
}

/* [[t, value...], ...] with increasing times. */
static void read_table(FilReader* reader, const FilYaml* table, int dimension, FilDriveDef* def)
{
    double* times = fil_reader_alloc(reader, (size_t)table->count, sizeof *times);
    double* values = fil_reader_alloc(reader, (size_t)table->count, (size_t)dimension * sizeof *values);
    int knot = 0;
    for (FilYaml* row = table->first; row != NULL && reader->status == FIL_OK; row = row->next) {
        double numbers[4] = {0.0};
        if (!fil_value_vector(reader, row, 1 + dimension, numbers)) {
            return;
        }
        if (knot > 0 && numbers[0] <= times[knot - 1]) {
            fil_reader_fail(reader, row, "times must increase: %g comes after %g", numbers[0], times[knot - 1]);
        }
        times[knot] = numbers[0];
        for (int k = 0; k < dimension; k++) {
            values[dimension * knot + k] = numbers[1 + k];
        }
        knot++;
    }
    def->knot_count = knot;
    def->times = times;
    def->values = values;
}

/* A number or vector that stays, or a table over time. */
static void read_script(FilReader* reader, FilYaml* script, int dimension, FilDriveDef* def)
{
    if (script->kind == FIL_YAML_LIST && script->first != NULL && script->first->kind == FIL_YAML_LIST) {
        read_table(reader, script, dimension, def);
        return;
    }
    double* values = fil_reader_alloc(reader, (size_t)dimension, sizeof *values);
    double* times = fil_reader_alloc(reader, 1, sizeof *times);
    if (reader->status != FIL_OK) {
        return;
    }
    if (dimension == 1 && script->kind == FIL_YAML_SCALAR) {
        fil_value_number(reader, script, FIL_OPTIONAL, values);
    } else {
        fil_value_vector(reader, script, dimension, values);
    }
    def->knot_count = 1;
    def->times = times;
    def->values = values;
}

/* Keys of the other kinds of target are known, but wrong here. */
static void refuse_keys(FilReader* reader, const FilYaml* node, const char* word, const char* wanted,
                        const char* const* wrong)
{
    for (int k = 0; wrong[k] != NULL; k++) {
        const FilYaml* found = fil_yaml_find(node, wrong[k]);
        if (found != NULL) {
            fil_reader_fail(reader, found, "'%s' acts on %s, not on '%s'", word, wanted, wrong[k]);
        }
    }
}

/* `body`: its attachment, if the drive is one that moves; else the load is on the body itself. */
static void read_body(FilScene* scene, const FilYaml* node, FilDriveDef* def)
{
    static const char* const not_body[] = {"attachment", "rod", "node", "nodes", "edge", "edges", "arm", NULL};
    FilReader* reader = &scene->reader;
    const char* word = drive_words[def->kind];
    refuse_keys(reader, node, word, "one thing", not_body);
    const FilSceneBody* body = fil_scene_read_body(scene, node, "body", FIL_REQUIRED);
    if (body == NULL) {
        return;
    }
    const bool moves =
        def->kind == FIL_DRIVE_POSITION || def->kind == FIL_DRIVE_VELOCITY || def->kind == FIL_DRIVE_ROTATION;
    const bool loads = def->kind == FIL_DRIVE_FORCE || def->kind == FIL_DRIVE_TORQUE;
    const FilMotion wanted = moves ? FIL_KINEMATIC : FIL_DYNAMIC;
    const FilYaml* at = fil_yaml_find(node, "body");
    if (!moves && !loads) {
        fil_reader_fail(reader, at, "'%s' acts on rods only", word);
    } else if (body->def.motion != wanted) {
        fil_reader_fail(reader, at, "'%s' acts on %s bodies, and '%s' is none", word, moves ? "kinematic" : "dynamic",
                        body->def.name);
    } else if (moves) {
        def->attachment = fil_world_find_attachment(scene->world, body->def.name);
    } else {
        def->object = body->id;
    }
}

/* `arm`: a pressure in its chambers, a force or torque on its disks. */
static void read_arm(FilScene* scene, const FilYaml* node, FilDriveDef* def)
{
    static const char* const not_chambers[] = {"attachment", "rod",  "node",  "nodes", "edge",
                                               "edges",      "disk", "disks", NULL};
    static const char* const not_disks[] = {"attachment", "rod",     "node",     "nodes", "edge",
                                            "edges",      "chamber", "chambers", NULL};
    FilReader* reader = &scene->reader;
    const char* word = drive_words[def->kind];
    const bool blows = def->kind == FIL_DRIVE_PRESSURE;
    if (!blows && def->kind != FIL_DRIVE_FORCE && def->kind != FIL_DRIVE_TORQUE) {
        fil_reader_fail(reader, fil_yaml_find(node, "arm"), "'%s' does not act on arms", word);
        return;
    }
    refuse_keys(reader, node, word, blows ? "an arm's chambers" : "an arm's disks", blows ? not_chambers : not_disks);
    def->object = fil_scene_read_arm(scene, node, blows ? FIL_PART_CHAMBERS : FIL_PART_DISKS, FIL_OPTIONAL, &def->first,
                                  &def->count);
}

/* `link`: a force or torque on a robot's link. */
static void read_link(FilScene* scene, const FilYaml* node, FilDriveDef* def)
{
    static const char* const not_link[] = {"attachment", "rod", "node", "nodes", "edge", "edges", "body", NULL};
    FilReader* reader = &scene->reader;
    if (def->kind != FIL_DRIVE_FORCE && def->kind != FIL_DRIVE_TORQUE) {
        fil_reader_fail(reader, fil_yaml_find(node, "link"), "'%s' does not act on links", drive_words[def->kind]);
        return;
    }
    refuse_keys(reader, node, drive_words[def->kind], "one thing", not_link);
    def->object = fil_scene_read_link(scene, node, FIL_REQUIRED);
}

static void read_target(FilScene* scene, const FilYaml* node, FilDriveDef* def)
{
    static const char* const not_attachment[] = {"rod", "node", "nodes", "edge", "edges", NULL};
    static const char* const not_nodes[] = {"attachment", "edge", "edges", NULL};
    static const char* const not_edges[] = {"attachment", "node", "nodes", NULL};
    static const char* const of_arms[] = {"chamber", "chambers", "disk", "disks", NULL};
    FilReader* reader = &scene->reader;
    const char* word = drive_words[def->kind];
    if (fil_yaml_find(node, "arm") != NULL || def->kind == FIL_DRIVE_PRESSURE) {
        read_arm(scene, node, def);
        return;
    }
    refuse_keys(reader, node, word, "what is no arm", of_arms);
    if (fil_yaml_find(node, "link") != NULL) {
        read_link(scene, node, def);
        return;
    }
    if (fil_yaml_find(node, "body") != NULL) {
        read_body(scene, node, def);
        return;
    }
    if (moves_attachment(def->kind)) {
        refuse_keys(reader, node, word, "an attachment", not_attachment);
        int index = 0;
        if (fil_read_reference(reader, node, "attachment", FIL_REQUIRED, &scene->attachment_names, "attachment",
                               &index)) {
            def->attachment = scene->attachments[index];
        }
        return;
    }
    const FilRodPart part = part_of(def->kind);
    refuse_keys(reader, node, word, part == FIL_PART_NODES ? "nodes" : "edges",
                part == FIL_PART_NODES ? not_nodes : not_edges);
    const FilSceneRod* rod = fil_scene_read_target(scene, node, part, FIL_OPTIONAL, &def->first, &def->count);
    if (rod != NULL) {
        def->object = rod->id;
    }
}

static FilSceneDrive read_drive(FilScene* scene, const FilYaml* node, const char* name)
{
    static const char* const keys[] = {"name",         "attachment", "body",       "rod",      "node",
                                       "nodes",        "edge",       "edges",      "ramp",     "position",
                                       "velocity",     "rotation",   "angle",      "force",    "torque",
                                       "axial_torque", "curvature",  "rest_twist", "pressure", "arm",
                                       "chamber",      "chambers",   "disk",       "disks",    "link",     NULL};
    static const char* const ramps[] = {[FIL_RAMP_LINEAR] = "linear", [FIL_RAMP_SMOOTH] = "smooth", NULL};
    FilReader* reader = &scene->reader;
    FilSceneDrive drive = {0};
    FilYaml* script = NULL;
    const int kind = fil_check_keys(reader, node, keys) ? fil_read_variant(reader, node, drive_words, &script) : -1;
    if (kind < 0) {
        return drive;
    }
    FilDriveDef def = fil_drive_def_default();
    def.name = name;
    def.kind = drive.kind = (FilDriveKind)kind;
    read_target(scene, node, &def);
    int ramp = FIL_RAMP_LINEAR;
    fil_read_choice(reader, node, "ramp", ramps, &ramp);
    def.ramp = (FilRamp)ramp;
    if (reader->status == FIL_OK) {
        read_script(reader, script, fil_drive_dimension(def.kind), &def);
    }
    if (reader->status == FIL_OK) {
        const FilStatus status = fil_world_add_drive(scene->world, &def, &drive.id);
        if (status != FIL_OK) {
            fil_reader_take(reader, status, node, fil_world_error(scene->world));
        }
    }
    return drive;
}

void fil_scene_read_drives(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = NULL;
    const char** names = NULL;
    if (!fil_scene_read_names(scene, "drives", "drive", &list, &names)) {
        return;
    }
    scene->drives = fil_reader_alloc(reader, (size_t)list->count, sizeof *scene->drives);
    const FilYaml** ats = fil_reader_alloc(reader, (size_t)list->count, sizeof *ats);
    int count = 0;
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        scene->drives[count] = read_drive(scene, node, names[count]);
        ats[count++] = node;
    }
    fil_scene_index_names(scene, names, ats, count, &scene->drive_names);
}
