/* robots: from URDF, with settings of their joints; trajectories: what their joints follow. */
#include <math.h>
#include <string.h>

#include "filum/urdf.h"
#include "scene/scene_build.h"

/* ---- robots ---- */

/* A list of what commands a joint takes. */
static void read_modes(FilReader* reader, const FilYaml* node, int* modes)
{
    static const char* const words[] = {"position", "velocity", "effort", NULL};
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
            while (words[k] != NULL && strcmp(words[k], text) != 0) {
                k++;
            }
            if (words[k] == NULL) {
                fil_reader_fail(reader, word, "a joint takes position, velocity or effort, not '%s'", text);
            } else {
                *modes |= bits[k];
            }
        }
    }
}

static void read_setting(FilReader* reader, const FilYaml* node, FilRobotJointSetting* setting)
{
    static const char* const keys[] = {"joint",    "position", "velocity", "gains",    "effort", "damping",
                                       "friction", "armature", "limits",   "commands", NULL};
    static const char* const spring_keys[] = {"stiffness", "damping", NULL};
    *setting = fil_robot_joint_setting_default();
    if (!fil_check_keys(reader, node, keys)) {
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

static void read_settings(FilReader* reader, const FilYaml* node, FilSceneRobot* robot)
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

static void read_robot(FilScene* scene, const FilYaml* node, FilSceneRobot* robot)
{
    static const char* const keys[] = {"name",     "urdf",   "prefix",   "position", "orientation", "rotation",
                                       "floating", "joints", "material", "surface",  "collision",   "trajectory_points",
                                       NULL};
    FilReader* reader = &scene->reader;
    FilRobotDef* def = &robot->def;
    robot->at = node;
    const char* file = NULL;
    if (!fil_check_keys(reader, node, keys) || !fil_read_text(reader, node, "urdf", FIL_REQUIRED, &file)) {
        return;
    }
    // a setting of the command line stands in no file: then it is the scene's folder
    const FilYaml* at = fil_yaml_find(node, "urdf");
    robot->file = fil_document_path(reader->pool, at->line > 0 ? at->file : scene->path, file);
    if (robot->file == NULL) {
        fil_reader_fail(reader, at, "out of memory");
    }
    fil_read_text(reader, node, "prefix", FIL_OPTIONAL, &def->prefix);
    fil_scene_read_vec3(reader, node, "position", &def->position);
    fil_scene_read_orientation(reader, node, &def->orientation);
    fil_read_flag(reader, node, "floating", &def->floating);
    fil_read_integer(reader, node, "trajectory_points", FIL_OPTIONAL, 0, 100000, &def->trajectory_points);
    fil_scene_read_collision(scene, node, fil_scene_read_material(scene, node, "material"), &def->collision);
    read_settings(reader, node, robot);
}

void fil_scene_read_robots(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = NULL;
    const char** names = NULL;
    if (!fil_scene_read_names(scene, "robots", "robot", &list, &names)) {
        return;
    }
    scene->robots = fil_reader_alloc(reader, (size_t)list->count, sizeof *scene->robots);
    const FilYaml** ats = fil_reader_alloc(reader, (size_t)list->count, sizeof *ats);
    for (const FilYaml* node = list->first; node != NULL && reader->status == FIL_OK; node = node->next) {
        FilSceneRobot* robot = &scene->robots[scene->robot_count];
        ats[scene->robot_count] = node;
        robot->def = fil_robot_def_default();
        robot->def.name = names[scene->robot_count++];
        read_robot(scene, node, robot);
    }
    fil_scene_index_names(scene, names, ats, scene->robot_count, &scene->robot_names);
}

void fil_scene_add_robots(FilScene* scene)
{
    FilReader* reader = &scene->reader;
    for (int k = 0; k < scene->robot_count && reader->status == FIL_OK; k++) {
        FilSceneRobot* robot = &scene->robots[k];
        const FilStatus status = fil_world_add_robot_urdf(scene->world, &robot->def, robot->file, NULL, 0,
                                                          robot->settings, robot->setting_count, &robot->id);
        fil_reader_take(reader, status, robot->at, fil_world_error(scene->world));
    }
}

/* ---- parts of robots by name ---- */

FilId fil_scene_read_link(FilScene* scene, const FilYaml* mapping, unsigned flags)
{
    FilReader* reader = &scene->reader;
    const char* name = NULL;
    if (!fil_read_text(reader, mapping, "link", flags, &name)) {
        return (FilId){0};
    }
    const FilId id = fil_world_find_link(scene->world, name);
    if (id.index == 0) {
        FilGuess guess = fil_guess_start(name);
        for (int r = 0; r < scene->robot_count; r++) {
            const FilId robot = scene->robots[r].id;
            for (int l = 0; l < fil_robot_link_count(scene->world, robot); l++) {
                fil_guess_try(&guess, fil_robot_link_name(scene->world, robot, l));
            }
        }
        fil_reader_fail(reader, fil_yaml_find(mapping, "link"), "there is no link '%s'%s%s%s", name,
                        guess.best != NULL ? "; did you mean '" : "", guess.best != NULL ? guess.best : "",
                        guess.best != NULL ? "'?" : "");
    }
    return id;
}

/* Index of a joint by its name, with or without the prefix. */
static bool find_joint(FilScene* scene, FilYaml* node, const FilSceneRobot* robot, int* joint)
{
    FilReader* reader = &scene->reader;
    const char* name = NULL;
    if (!fil_value_text(reader, node, &name)) {
        return false;
    }
    const size_t prefix = robot->def.prefix != NULL ? strlen(robot->def.prefix) : 0;
    FilGuess guess = fil_guess_start(name);
    for (int j = 0; j < fil_robot_joint_count(scene->world, robot->id); j++) {
        const char* known = fil_robot_joint_name(scene->world, robot->id, j);
        if (strcmp(known, name) == 0 || strcmp(known + prefix, name) == 0) {
            *joint = j;
            return true;
        }
        fil_guess_try(&guess, known + prefix);
    }
    fil_reader_fail(reader, node, "robot '%s' has no joint '%s' that turns or slides%s%s%s", robot->def.name, name,
                    guess.best != NULL ? "; did you mean '" : "", guess.best != NULL ? guess.best : "",
                    guess.best != NULL ? "'?" : "");
    return false;
}

static const FilSceneRobot* read_robot_name(FilScene* scene, const FilYaml* mapping)
{
    int index = 0;
    return fil_read_reference(&scene->reader, mapping, "robot", FIL_REQUIRED, &scene->robot_names, "robot", &index)
               ? &scene->robots[index]
               : NULL;
}

FilId fil_scene_read_robot_joint(FilScene* scene, const FilYaml* mapping, int* joint)
{
    const FilSceneRobot* robot = read_robot_name(scene, mapping);
    FilYaml* node = robot != NULL ? fil_read_node(&scene->reader, mapping, "joint", FIL_REQUIRED) : NULL;
    return node != NULL && find_joint(scene, node, robot, joint) ? robot->id : (FilId){0};
}

/* ---- trajectories ---- */

static void read_joint_list(FilScene* scene, const FilYaml* node, const FilSceneRobot* robot, FilTrajectoryDef* def)
{
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, node, "joints", FIL_REQUIRED);
    if (list == NULL || !fil_check_list(reader, list, "names of joints")) {
        return;
    }
    int* joints = fil_reader_alloc(reader, (size_t)list->count, sizeof *joints);
    for (FilYaml* name = list->first; name != NULL && reader->status == FIL_OK; name = name->next) {
        if (find_joint(scene, name, robot, &joints[def->joint_count])) {
            def->joint_count++;
        }
    }
    def->joints = joints;
}

/* [[t, position of each joint...], ...] */
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
}

void fil_scene_read_trajectories(FilScene* scene)
{
    static const char* const keys[] = {"robot", "joints", "interpolation", "start", "points", NULL};
    static const char* const words[] = {[FIL_INTERPOLATE_LINEAR] = "linear", [FIL_INTERPOLATE_SPLINE] = "spline", NULL};
    FilReader* reader = &scene->reader;
    const FilYaml* list = fil_read_node(reader, scene->root, "trajectories", FIL_OPTIONAL);
    if (list == NULL || !fil_check_list(reader, list, "trajectories")) {
        return;
    }
    bool* taken = fil_reader_alloc(reader, (size_t)scene->robot_count, sizeof *taken);
    for (const FilYaml* node = list->first; node != NULL && fil_check_keys(reader, node, keys); node = node->next) {
        FilTrajectoryDef def = fil_trajectory_def_default();
        const FilSceneRobot* robot = read_robot_name(scene, node);
        if (robot == NULL) {
            return;
        }
        if (taken[robot - scene->robots]) {
            fil_reader_fail(reader, node, "robot '%s' has a trajectory already", robot->def.name);
        }
        taken[robot - scene->robots] = true;
        int interpolation = (int)def.interpolation;
        fil_read_choice(reader, node, "interpolation", words, &interpolation);
        def.interpolation = (FilInterpolation)interpolation;
        fil_read_number(reader, node, "start", FIL_OPTIONAL, &def.start);
        read_joint_list(scene, node, robot, &def);
        read_points(reader, node, &def);
        if (reader->status == FIL_OK) {
            const FilStatus status = fil_robot_set_trajectory(scene->world, robot->id, &def);
            fil_reader_take(reader, status, node, fil_world_error(scene->world));
        }
    }
}
