/* drives: what moves and loads objects. */
#include <string.h>

#include "scene/kinds.h"

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
    [FIL_DRIVE_REST_LENGTH] = "rest_length",
    [FIL_DRIVE_MOTOR] = "motor",
    NULL,
};

const char* const fil_ramp_words[] = {[FIL_RAMP_LINEAR] = "linear", [FIL_RAMP_SMOOTH] = "smooth", NULL};

/* Unit and meaning of each. */
static const struct {
    const char *unit, *text;
} meanings[] = {
    [FIL_DRIVE_POSITION] = {"m", "displacement of the target of an attachment or kinematic body from where it was made"},
    [FIL_DRIVE_VELOCITY] = {"m/s", "velocity of the target of an attachment or kinematic body"},
    [FIL_DRIVE_ROTATION] = {"rad", "rotation vector of the target of an attachment or kinematic body"},
    [FIL_DRIVE_ANGLE] = {"rad", "change of the angles that a twist holds"},
    [FIL_DRIVE_FORCE] = {"N", "on each node or vertex, a dynamic body's centre of mass, a link's origin"},
    [FIL_DRIVE_TORQUE] = {"N m", "on each edge, body or link, in the world's frame"},
    [FIL_DRIVE_AXIAL_TORQUE] = {"N m", "on each edge, about its tangent"},
    [FIL_DRIVE_CURVATURE] = {"rad/m", "rest curvature towards m1 and m2"},
    [FIL_DRIVE_REST_TWIST] = {"rad/m", "rest twist"},
    [FIL_DRIVE_PRESSURE] = {"Pa", "over that outside; added to the pressure of `gas`"},
    [FIL_DRIVE_REST_LENGTH] = {"1", "rest length over that at the start, positive: a winch that reels in or pays out"},
    [FIL_DRIVE_MOTOR] = {"rad or m, per s, N m or N", "target of a joint's motor, by what that keeps"},
};

/* Rows of a drive: its script, a number or vector that stays or a table over time, and what some drive acts on. */
static const FilKey* make_keys(FilScene* scene)
{
    enum { KINDS = sizeof drive_words / sizeof *drive_words - 1 };
    static const FilKey own[] = {
        FIL_KEY_NAME("drive<i> if it is not given"),
        FIL_KEY_WORD("ramp", fil_ramp_words, "linear", "between rows; smooth: a cubic with no slope at the rows"),
        FIL_KEY_NUMBER("period", FIL_POSITIVE, "s", "none", "the table begins again after this"),
    };
    enum { OWN = sizeof own / sizeof *own };
    FilKey others[OWN + KINDS + 1] = {FIL_KEY_END};
    memcpy(others, own, sizeof own);
    int uses = 0;
    for (int k = 0; k < KINDS; k++) {
        const int dimension = fil_drive_dimension((FilDriveKind)k);
        const FilKey row = FIL_KEY_MANY(drive_words[k], FIL_IS_VECTOR | FIL_IS_ROWS | (dimension == 1 ? FIL_IS_NUMBER : 0), dimension, FIL_VARIANT,
                                        meanings[k].unit, "", meanings[k].text);
        others[OWN + k] = row;
        uses |= FIL_USE_DRIVE(k);
    }
    return fil_scene_target_keys(scene, uses, FIL_TARGET_RANGE, NULL, others);
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

static void read_target(FilScene* scene, const FilYaml* node, FilDriveDef* def)
{
    const char* word = drive_words[def->kind];
    const FilSceneTarget target = fil_scene_read_target(scene, node, FIL_USE_DRIVE(def->kind), FIL_TARGET_RANGE | FIL_TARGET_ALL, NULL, word);
    if (target.item == NULL) {
        return;
    }
    def->first = target.first;
    def->count = target.count;
    if (target.kind->take_drive != NULL) {
        target.kind->take_drive(scene, target.item, fil_yaml_find(node, target.kind->word), word, def);
    } else {
        def->object = target.item->id;
    }
}

static void read_drive(FilScene* scene, FilSceneItem* item, const FilKey* keys)
{
    FilReader* reader = &scene->reader;
    const FilYaml* node = item->at;
    FilYaml* script = NULL;
    const int kind = fil_check_keys(reader, node, keys) ? fil_read_variant(reader, node, drive_words, &script) : -1;
    if (kind < 0) {
        return;
    }
    FilDriveDef def = fil_drive_def_default();
    def.name = item->name;
    def.kind = (FilDriveKind)kind;
    read_target(scene, node, &def);
    int ramp = FIL_RAMP_LINEAR;
    fil_read_choice(reader, node, "ramp", fil_ramp_words, &ramp);
    def.ramp = (FilRamp)ramp;
    fil_read_number(reader, node, "period", FIL_POSITIVE, &def.period);
    if (reader->status == FIL_OK) {
        read_script(reader, script, fil_drive_dimension(def.kind), &def);
    }
    if (reader->status == FIL_OK) {
        fil_scene_take(scene, fil_world_add_drive(scene->world, &def, &item->id), node);
    }
}

static void add_drives(FilScene* scene, FilSceneList* list)
{
    const FilKey* keys = make_keys(scene);
    fil_scene_start_items(scene, list, 0);
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_drive(scene, list->items[k], keys);
    }
}

const FilSceneKind fil_scene_drives = {
    .section = "drives", .word = "drive", .title = "drive", .text = "what moves and loads objects", .make_keys = make_keys, .add = add_drives};
