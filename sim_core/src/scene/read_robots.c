/* robots: from URDF, with settings of their joints; trajectories: what their joints follow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/quat.h"
#include "filum/robot.h"
#include "filum/urdf.h"
#include "scene/kinds.h"
#include "scene/read_poses.h"
#include "scene/urdf.h"

static const char* const mode_words[] = {"position", "velocity", "effort", NULL};

static const char* const interpolations[] = {[FIL_INTERPOLATE_LINEAR] = "linear", [FIL_INTERPOLATE_SPLINE] = "spline", NULL};

static const FilKey spring_keys[] = {
    FIL_KEY_NUMBER("stiffness", FIL_NOT_NEGATIVE, "N m/rad or N/m", "0", ""),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N m s/rad or N s/m", "0", ""),
    FIL_KEY_END,
};

static const FilKey setting_keys[] = {
    FIL_KEY_TEXT("joint", 0, "all joints", "as the URDF calls it"),
    FIL_KEY_NUMBER("position", 0, "rad or m", "0", "at the start"),
    FIL_KEY_NUMBER("velocity", 0, "rad/s or m/s", "0", "at the start"),
    FIL_KEY_MAPPING("gains", spring_keys, 0, "of its motor"),
    FIL_KEY_NUMBER("effort", FIL_NOT_NEGATIVE, "N m or N", "the URDF's", "at most"),
    FIL_KEY_NUMBER("damping", FIL_NOT_NEGATIVE, "N m s/rad or N s/m", "the URDF's", ""),
    FIL_KEY_NUMBER("friction", FIL_NOT_NEGATIVE, "N m or N", "the URDF's", "dry"),
    FIL_KEY_NUMBER("armature", FIL_NOT_NEGATIVE, "kg m^2 or kg", "0", "inertia of the motor"),
    FIL_KEY_MAPPING("limits", spring_keys, 0, "how they resist"),
    FIL_KEY_TEXTS("commands", mode_words, 0, "the URDF's", "what it takes"),
    FIL_KEY_END,
};

static const FilKey robot_keys[] = {
    FIL_KEY_NAME("robot<i> if it is not given"),
    FIL_KEY_TEXT("urdf", FIL_REQUIRED, "", "file, beside the scene"),
    FIL_KEY_TEXT("prefix", 0, "none", "in front of the names of links and joints"),
    FIL_KEYS_PLACE,
    FIL_KEY_FLAG("floating", "false", "the root is free"),
    FIL_KEY_TEXT("mount", 0, "none",
                 "link, with its prefix, of a robot before this one that its root is welded to; its pose is in that link's frame"),
    FIL_KEY_LIST("joints", setting_keys, 0, "settings of joints; later ones win"),
    FIL_KEY_TEXT("material", 0, "", "its surface"),
    FIL_KEYS_TOUCH,
    FIL_KEY_WHOLE("trajectory_points", FIL_NOT_NEGATIVE, "128", "room for trajectories that are sent"),
    FIL_KEYS_LOOK,
    FIL_KEY_END,
};

static const FilKey trajectory_keys[] = {
    FIL_KEY_TEXT("robot", FIL_REQUIRED, "", ""),
    FIL_KEY_TEXTS("joints", NULL, 0, "", "whose positions `points` are"),
    FIL_KEY_WORD("interpolation", interpolations, "spline", "of `points`"),
    FIL_KEY_NUMBER("start", 0, "s", "0", "when it begins"),
    FIL_KEY_ROWS("points", 0, 0, "s, rad or m", "[[t, position of each joint...], ...], or else ..."),
    FIL_KEY_ROWS("velocities", 0, 0, "rad/s or m/s", "[[of each joint...], ...] at the points, instead of those of a spline"),
    FIL_KEY_ROWS("efforts", 0, 0, "N m or N", "[[of each joint...], ...] at the points, added to what the motors do"),
    FIL_KEY_TEXT("link", 0, "", "... that `poses` are of"),
    FIL_KEY_NUMBER("period", FIL_POSITIVE, "s", "", "between joint positions found along the way"),
    FIL_KEY_WORD("ramp", fil_ramp_words, "smooth", "from pose to pose"),
    FIL_KEY_LIST("poses", fil_pose_keys, FIL_REPEATED, "one after the other"),
    FIL_KEY_END,
};

typedef struct SceneRobot {
    FilRobotDef def; /* without links and joints */
    const char* file;
    const FilRobotJointSetting* settings;
    int setting_count;
    FilYaml* mount; /* name of the link that its root is welded to; NULL: none */
    bool has_trajectory;
} SceneRobot;

/* ---- robots ---- */

/* A list of what commands a joint takes. */
static void read_modes(FilReader* reader, const FilYaml* node, int* modes)
{
    static const int bits[] = {FIL_JOINT_POSITION, FIL_JOINT_VELOCITY, FIL_JOINT_EFFORT};
    const FilYaml* list = fil_read_node(reader, node, "commands", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "commands")) {
        return;
    }
    *modes = 0;
    for (FilYaml* word = list->first; word != NULL && reader->status == FIL_OK; word = word->next) {
        const char* text = NULL;
        int k = 0;
        if (fil_value_text(reader, word, &text)) {
            while (mode_words[k] != NULL && strcmp(mode_words[k], text) != 0) {
                k++;
            }
            if (mode_words[k] == NULL) {
                fil_reader_fail(reader, word, "a joint takes position, velocity or effort, not '%s'", text);
            } else {
                *modes |= bits[k];
            }
        }
    }
}

static void read_setting(FilReader* reader, const FilYaml* node, FilRobotJointSetting* setting)
{
    *setting = fil_robot_joint_setting_default();
    if (!fil_check_keys(reader, node, setting_keys)) {
        return;
    }
    fil_read_text(reader, node, "joint", FIL_OPTIONAL, &setting->joint);
    fil_read_number(reader, node, "position", FIL_OPTIONAL, &setting->start_position);
    fil_read_number(reader, node, "velocity", FIL_OPTIONAL, &setting->start_velocity);
    fil_read_number(reader, node, "effort", FIL_NOT_NEGATIVE, &setting->max_effort);
    fil_read_number(reader, node, "damping", FIL_NOT_NEGATIVE, &setting->damping);
    fil_read_number(reader, node, "friction", FIL_NOT_NEGATIVE, &setting->friction);
    fil_read_number(reader, node, "armature", FIL_NOT_NEGATIVE, &setting->armature);
    const FilYaml* gains = fil_read_node(reader, node, "gains", FIL_OPTIONAL);
    if (gains != NULL && fil_check_keys(reader, gains, spring_keys)) {
        setting->stiffness_gain = setting->damping_gain = 0.0;
        fil_read_number(reader, gains, "stiffness", FIL_NOT_NEGATIVE, &setting->stiffness_gain);
        fil_read_number(reader, gains, "damping", FIL_NOT_NEGATIVE, &setting->damping_gain);
    }
    const FilYaml* limits = fil_read_node(reader, node, "limits", FIL_OPTIONAL);
    if (limits != NULL && fil_check_keys(reader, limits, spring_keys)) {
        fil_read_number(reader, limits, "stiffness", FIL_POSITIVE, &setting->limit_stiffness);
        fil_read_number(reader, limits, "damping", FIL_NOT_NEGATIVE, &setting->limit_damping);
    }
    read_modes(reader, node, &setting->modes);
}

static void read_settings(FilReader* reader, const FilYaml* node, SceneRobot* robot)
{
    const FilYaml* list = fil_read_node(reader, node, "joints", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "settings of joints")) {
        return;
    }
    FilRobotJointSetting* settings = fil_reader_alloc(reader, (size_t)list->count, sizeof *settings);
    for (const FilYaml* item = list->first; item != NULL && reader->status == FIL_OK; item = item->next) {
        read_setting(reader, item, &settings[robot->setting_count++]);
    }
    robot->settings = settings;
}

static void read_robot(FilScene* scene, FilSceneItem* item)
{
    FilReader* reader = &scene->reader;
    const FilYaml* node = item->at;
    SceneRobot* robot = item->def;
    FilRobotDef* def = &robot->def;
    *def = fil_robot_def_default();
    def->name = item->name;
    const char* file = NULL;
    if (!fil_check_keys(reader, node, robot_keys) || !fil_read_text(reader, node, "urdf", FIL_REQUIRED, &file)) {
        return;
    }
    robot->file = fil_scene_file(scene, fil_yaml_find(node, "urdf"), file);
    fil_read_text(reader, node, "prefix", FIL_OPTIONAL, &def->prefix);
    fil_scene_read_vec3(reader, node, "position", &def->position);
    fil_scene_read_orientation(reader, node, &def->orientation);
    fil_read_flag(reader, node, "floating", &def->floating);
    robot->mount = fil_read_node(reader, node, "mount", FIL_OPTIONAL);
    if (robot->mount != NULL && def->floating) {
        fil_reader_fail(reader, robot->mount, "a robot is mounted on a link or floats, not both");
    }
    fil_read_integer(reader, node, "trajectory_points", FIL_OPTIONAL, 0, 100000, &def->trajectory_points);
    fil_scene_read_collision(scene, node, fil_scene_read_material(scene, node, "material"), &def->collision);
    read_settings(reader, node, robot);
}

static void read_robots(FilScene* scene, FilSceneList* list)
{
    fil_scene_start_items(scene, list, sizeof(SceneRobot));
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        read_robot(scene, list->items[k]);
    }
}

/* Its links become objects that others refer to. */
static void list_links(FilScene* scene, const FilSceneItem* item)
{
    const SceneRobot* robot = item->def;
    for (int l = 0; l < fil_robot_link_count(scene->world, item->id); l++) {
        const char* name = fil_robot_link_name(scene->world, item->id, l);
        FilSceneItem* link = fil_scene_new_item(scene, fil_scene_list(scene, "link"), name, item->at, 0);
        if (link != NULL) {
            link->id = fil_robot_link(scene->world, item->id, l);
            link->surface = &robot->def.collision.surface;
        }
    }
}

/* The link that a robot is mounted on, of one that stands before it in the list; NULL after a failure. */
static const FilSceneItem* find_mount(FilScene* scene, const FilSceneItem* item, const SceneRobot* robot)
{
    const char* name = NULL;
    if (!fil_value_text(&scene->reader, robot->mount, &name)) {
        return NULL;
    }
    const FilSceneList* links = fil_scene_list(scene, "link");
    for (int k = 0; k < links->count; k++) {
        if (strcmp(links->items[k]->name, name) == 0) {
            return links->items[k];
        }
    }
    FilGuess guess = fil_guess_start(name);
    for (int k = 0; k < links->count; k++) {
        fil_guess_try(&guess, links->items[k]->name);
    }
    fil_reader_fail(&scene->reader, robot->mount, "no robot before '%s' has a link '%.40s'%s", item->name, name, fil_hint(&guess).text);
    return NULL;
}

/* A mounted robot's root is placed in the frame of the link, where that is at the start. */
static void place_on(const FilScene* scene, const FilSceneItem* link, FilRobotDef* def)
{
    FilVec3 at;
    FilQuat turn;
    double r[9], shift[3];
    const double local[3] = {def->position.x, def->position.y, def->position.z};
    fil_link_pose(scene->world, link->id, &at, &turn);
    fil_m3_from_quat(r, turn);
    fil_m3_apply(shift, r, local);
    def->position = (FilVec3){at.x + shift[0], at.y + shift[1], at.z + shift[2]};
    def->orientation = fil_quat_multiply(turn, def->orientation);
    def->floating = true;
}

/* Welds the root to the link; the joint is called <robot>_mount. */
static void weld_to(FilScene* scene, const FilSceneItem* item, const SceneRobot* robot, const FilSceneItem* link)
{
    const size_t size = strlen(item->name) + sizeof "_mount";
    char* name = fil_reader_alloc(&scene->reader, size, 1);
    FilSceneItem* joint = name != NULL ? fil_scene_new_item(scene, fil_scene_list(scene, "joint"), name, item->at, 0) : NULL;
    if (joint == NULL) {
        return;
    }
    snprintf(name, size, "%s_mount", item->name);
    FilJointDef def = fil_joint_def_default();
    def.name = name;
    def.kind = FIL_JOINT_WELD;
    def.a = fil_robot_link(scene->world, item->id, 0);
    def.b = link->id;
    def.point = robot->def.position;
    fil_scene_take(scene, fil_world_add_joint(scene->world, &def, &joint->id), robot->mount);
}

/* Reads the URDF here if it must lie below given folders, so that nothing else is read than what was judged. */
static FilStatus add_robot(FilScene* scene, const SceneRobot* robot, FilSceneItem* item)
{
    const char* folders = scene->options->folders;
    char* text = NULL;
    size_t size = 0;
    FilError error = {""};
    if (folders != NULL) {
        const FilStatus status = fil_file_load(robot->file, folders, FIL_URDF_MAX_BYTES, &text, &size, &error);
        fil_reader_take(&scene->reader, status, item->at, error.text);
    }
    FilStatus status = scene->reader.status;
    if (status == FIL_OK) {
        status = fil_world_add_robot_urdf(scene->world, &robot->def, robot->file, text, size, robot->settings, robot->setting_count, &item->id);
        fil_scene_take(scene, status, item->at);
    }
    fil_free(text);
    return status;
}

static void add_robots(FilScene* scene, FilSceneList* list)
{
    for (int k = 0; k < list->count && scene->reader.status == FIL_OK; k++) {
        FilSceneItem* item = list->items[k];
        SceneRobot* robot = item->def;
        const FilSceneItem* link = robot->mount != NULL ? find_mount(scene, item, robot) : NULL;
        if (link != NULL) {
            place_on(scene, link, &robot->def);
        } else if (robot->mount != NULL) {
            return;
        }
        const FilStatus status = add_robot(scene, robot, item);
        if (status == FIL_OK) {
            list_links(scene, item);
        }
        if (status == FIL_OK && link != NULL) {
            weld_to(scene, item, robot, link);
        }
    }
}

/* Index of a joint by its name, with or without the prefix. */
static bool find_joint(FilScene* scene, const FilSceneItem* item, FilYaml* node, int* joint)
{
    FilReader* reader = &scene->reader;
    const SceneRobot* robot = item->def;
    const char* name = NULL;
    if (!fil_value_text(reader, node, &name)) {
        return false;
    }
    const size_t prefix = robot->def.prefix != NULL ? strlen(robot->def.prefix) : 0;
    const int count = fil_robot_joint_count(scene->world, item->id);
    for (int j = 0; j < count; j++) {
        const char* known = fil_robot_joint_name(scene->world, item->id, j);
        if (strcmp(known, name) == 0 || strcmp(known + prefix, name) == 0) {
            *joint = j;
            return true;
        }
    }
    FilGuess guess = fil_guess_start(name);
    for (int j = 0; j < count; j++) {
        fil_guess_try(&guess, fil_robot_joint_name(scene->world, item->id, j) + prefix);
    }
    fil_reader_fail(reader, node, "robot '%s' has no joint '%s' that turns or slides%s", item->name, name, fil_hint(&guess).text);
    return false;
}

const FilSceneKind fil_scene_robots = {
    .brings_objects = true,
    .section = "robots",
    .word = "robot",
    .title = "robot",
    .text = "robots from URDF",
    .keys = robot_keys,
    .is_object = false,  // its links are
    .read = read_robots,
    .add = add_robots,
    .find_part = find_joint,
};

static const FilScenePart link_parts[] = {
    {.uses = FIL_USE_JOIN | FIL_USE_DRIVE(FIL_DRIVE_FORCE) | FIL_USE_DRIVE(FIL_DRIVE_TORQUE)},
};

const FilSceneKind fil_scene_links = {.word = "link", .title = "link", .is_object = true, FIL_SCENE_PARTS(link_parts)};

/* ---- trajectories ---- */

static void read_joint_list(FilScene* scene, const FilYaml* node, const FilSceneItem* robot, FilTrajectoryDef* def)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, node, "joints", FIL_REQUIRED);
    if (list == NULL || !fil_check_list(reader, list, "names of joints")) {
        return;
    }
    int* joints = fil_reader_alloc(reader, (size_t)list->count, sizeof *joints);
    for (FilYaml* name = list->first; name != NULL && reader->status == FIL_OK; name = name->next) {
        if (find_joint(scene, robot, name, &joints[def->joint_count])) {
            def->joint_count++;
        }
    }
    def->joints = joints;
}

/* [[number of each joint...], ...], as many rows as there are points; NULL where the key is not given. */
static const double* read_rows(FilReader* reader, const FilYaml* node, const char* key, const FilTrajectoryDef* def)
{
    const FilYaml* list = fil_read_node(reader, node, key, FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "rows [number of each joint...]")) {
        return NULL;
    }
    if (list->count != def->point_count) {
        fil_reader_fail(reader, list, "%d rows, but the trajectory has %d points", list->count, def->point_count);
        return NULL;
    }
    const size_t n = (size_t)def->joint_count;
    double* rows = fil_reader_alloc(reader, (size_t)list->count * n, sizeof(double));
    double* row = rows;
    for (FilYaml* point = list->first; point != NULL && reader->status == FIL_OK; point = point->next, row += n) {
        fil_value_vector(reader, point, def->joint_count, row);
    }
    return rows;
}

/* points: [[t, position of each joint...], ...], and what goes with them */
static void read_points(FilReader* reader, const FilYaml* node, FilTrajectoryDef* def)
{
    const FilYaml* list = fil_read_node(reader, node, "points", FIL_REQUIRED);
    if (list == NULL || !fil_check_list(reader, list, "points [t, position...]")) {
        return;
    }
    const size_t n = (size_t)def->joint_count;
    double* times = fil_reader_alloc(reader, (size_t)list->count, sizeof(double));
    double* positions = fil_reader_alloc(reader, (size_t)list->count * n, sizeof(double));
    double* row = fil_reader_alloc(reader, n + 1, sizeof(double));
    for (FilYaml* point = list->first; point != NULL && reader->status == FIL_OK; point = point->next) {
        if (fil_value_vector(reader, point, 1 + def->joint_count, row)) {
            times[def->point_count] = row[0];
            memcpy(positions + n * (size_t)def->point_count++, row + 1, n * sizeof(double));
        }
    }
    def->times = times;
    def->positions = positions;
    def->velocities = read_rows(reader, node, "velocities", def);
    def->efforts = read_rows(reader, node, "efforts", def);
}

/* Positions of joints as they are given. */
static void read_joint_points(FilScene* scene, const FilYaml* node, const FilSceneItem* robot, FilTrajectoryDef* def)
{
    int interpolation = (int)def->interpolation;
    fil_read_choice(&scene->reader, node, "interpolation", interpolations, &interpolation);
    def->interpolation = (FilInterpolation)interpolation;
    read_joint_list(scene, node, robot, def);
    read_points(&scene->reader, node, def);
}

/* Keys of the other way to give a trajectory. */
static void check_absent(FilReader* reader, const FilYaml* node, const char* const* keys, const char* word)
{
    for (int k = 0; keys[k] != NULL; k++) {
        if (fil_yaml_find(node, keys[k]) != NULL) {
            fil_reader_fail(reader, fil_yaml_find(node, keys[k]), "does not go with '%s'", word);
        }
    }
}

static void add_trajectories(FilScene* scene, FilSceneList* list)
{
    static const char* const point_keys[] = {"joints", "interpolation", "points", "velocities", "efforts", NULL};
    static const char* const pose_keys[] = {"link", "period", "ramp", NULL};
    FilReader* reader = &scene->reader;
    if (list->node == NULL || !fil_check_list(reader, list->node, "trajectories")) {
        return;
    }
    for (const FilYaml* node = list->node->first; node != NULL && fil_check_keys(reader, node, trajectory_keys); node = node->next) {
        FilTrajectoryDef def = fil_trajectory_def_default();
        const FilSceneItem* item = fil_scene_read_item(scene, node, "robot", "robot", FIL_REQUIRED);
        if (item == NULL) {
            return;
        }
        SceneRobot* robot = item->def;
        if (robot->has_trajectory) {
            fil_reader_fail(reader, node, "robot '%s' has a trajectory already", item->name);
        }
        robot->has_trajectory = true;
        fil_read_number(reader, node, "start", FIL_OPTIONAL, &def.start);
        if (fil_yaml_find(node, "poses") != NULL) {
            check_absent(reader, node, point_keys, "poses");
            fil_scene_read_poses(scene, node, item, robot->def.prefix != NULL ? strlen(robot->def.prefix) : 0, &def);
        } else {
            check_absent(reader, node, pose_keys, "points");
            read_joint_points(scene, node, item, &def);
        }
        if (reader->status == FIL_OK) {
            fil_scene_take(scene, fil_robot_set_trajectory(scene->world, item->id, &def), node);
        }
    }
}

const FilSceneKind fil_scene_trajectories = {
    .section = "trajectories", .title = "trajectory", .text = "what joints of robots follow", .keys = trajectory_keys, .add = add_trajectories};
