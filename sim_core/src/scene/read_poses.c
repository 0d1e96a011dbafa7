/* Trajectories given by poses of a link: the way from pose to pose, followed by inverse kinematics when the scene is loaded.
 *
 * Between two poses the link's origin goes straight and its orientation turns about one axis, both by the same ramp. Joint
 * positions are found along the way at equal distances of time, each from the one before, and followed as a spline. */
#include <math.h>
#include <string.h>

#include "base/quat.h"
#include "filum/robot.h"
#include "scene/read_poses.h"

const FilKey fil_pose_keys[] = {
    FIL_KEY_NUMBER("time", FIL_NOT_NEGATIVE, "s", "", "when, or else ..."),
    FIL_KEY_NUMBER("after", FIL_POSITIVE, "s", "", "... how long after the one before"),
    FIL_KEY_VECTOR("position", 3, 0, "m", "as before", "of the link's frame, or else ..."),
    FIL_KEY_VECTOR("move", 3, 0, "m", "[0, 0, 0]", "... by how much it moves from the one before"),
    FIL_KEY_VECTOR("rotation", 3, 0, "rad", "as before", "rotation vector, or else ..."),
    FIL_KEY_VECTOR("orientation", 4, 0, "", "as before", "... unit quaternion [x, y, z, w], or else ..."),
    FIL_KEY_VECTOR("toward", 3, 0, "", "as before", "... direction of its z axis ..."),
    FIL_KEY_VECTOR("across", 3, 0, "", "as before", "... and, as far as that is orthogonal, of its x axis"),
    FIL_KEY_MANY("joints", FIL_IS_TREE, 0, 0, "rad or m", "as before", "{name: position} of joints beyond the link's own chain"),
    FIL_KEY_END,
};

/* A bound of ours: 100 s by milliseconds. */
enum { MAX_POINTS = 100000 };

/* A row of `poses`. */
typedef struct Pose {
    double time;
    FilVec3 position;
    FilQuat orientation;
    const double* positions; /* of all joints; those of the arm do not count */
    const FilYaml* at;
} Pose;

typedef struct Path {
    FilScene* scene;
    const FilSceneItem* robot;
    size_t prefix; /* characters in front of its names */
    int link, joint_count;
    double period; /* s */
    bool smooth;
    Pose* poses;
    int count;
    double* start; /* positions of all joints at the start: the posture to stay near */
} Path;

/* ---- reading ---- */

static void read_link(Path* path, const FilYaml* node)
{
    FilReader* reader = &path->scene->reader;
    const char* name = NULL;
    if (!fil_read_text(reader, node, "link", FIL_REQUIRED, &name)) {
        return;
    }
    const FilWorld* world = path->scene->world;
    const int count = fil_robot_link_count(world, path->robot->id);
    for (int l = 0; l < count && path->link < 0; l++) {
        const char* known = fil_robot_link_name(world, path->robot->id, l);
        if (strcmp(known, name) == 0 || strcmp(known + path->prefix, name) == 0) {
            path->link = l;
        }
    }
    if (path->link < 0) {
        FilGuess guess = fil_guess_start(name);
        for (int l = 0; l < count; l++) {
            fil_guess_try(&guess, fil_robot_link_name(world, path->robot->id, l) + path->prefix);
        }
        fil_reader_fail(reader, fil_yaml_find(node, "link"), "robot '%s' has no link '%s'%s", path->robot->name, name, fil_hint(&guess).text);
    }
}

/* `toward` is where the link's z axis points, `across` its x axis, as far as that is orthogonal; one alone leaves the other
 * as it was. */
static void read_axes(FilReader* reader, const FilYaml* node, FilQuat* orientation)
{
    double old[9], y[3];
    fil_m3_from_quat(old, *orientation);
    double z[3] = {old[2], old[5], old[8]}, x[3] = {old[0], old[3], old[6]};
    const bool toward = fil_read_vector(reader, node, "toward", FIL_OPTIONAL, 3, z);
    const bool across = fil_read_vector(reader, node, "across", FIL_OPTIONAL, 3, x);
    if (!toward && !across) {
        return;
    }
    const FilYaml* at = fil_yaml_find(node, across ? "across" : "toward");
    if (fil_yaml_find(node, "rotation") != NULL || fil_yaml_find(node, "orientation") != NULL) {
        fil_reader_fail(reader, at, "does not go with 'rotation' or 'orientation'");
        return;
    }
    const double length = fil_v3_normalise(z), size = fil_v3_norm(x);
    fil_v3_axpy(x, -fil_v3_dot(x, z), z);
    if (!(length > 0.0) || !(fil_v3_normalise(x) > 1e-6 * size)) {  // parallel: no plane
        fil_reader_fail(reader, at, "'toward' and 'across' must be vectors that are not parallel");
        return;
    }
    fil_v3_cross(y, z, x);
    const double r[9] = {x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]};
    *orientation = fil_quat_from_m3(r);
}

/* {name: position, ...} of joints besides those that move the link. */
static void read_other_joints(Path* path, const FilYaml* node, double* positions)
{
    FilReader* reader = &path->scene->reader;
    const FilYaml* joints = fil_read_node(reader, node, "joints", FIL_OPTIONAL);
    if (joints == NULL) {
        return;
    }
    if (joints->kind != FIL_YAML_MAPPING) {
        fil_reader_fail(reader, joints, "must be a mapping of joints to positions");
        return;
    }
    const FilSceneKind* kind = fil_scene_list(path->scene, "robot")->kind;
    for (FilYaml* value = joints->first; value != NULL && reader->status == FIL_OK; value = value->next) {
        int joint = -1;
        FilYaml name = *value;
        name.kind = FIL_YAML_SCALAR;
        name.text = value->key;
        if (kind->find_part(path->scene, path->robot, &name, &joint)) {
            fil_value_number(reader, value, FIL_OPTIONAL, &positions[joint]);
        }
    }
}

/* A row starts as the one before was, or as the robot is. */
static void read_pose(Path* path, const FilYaml* node)
{
    FilReader* reader = &path->scene->reader;
    Pose* pose = &path->poses[path->count];
    double* positions = fil_reader_alloc(reader, (size_t)path->joint_count + 1, sizeof(double));
    if (positions == NULL || !fil_check_keys(reader, node, fil_pose_keys)) {
        return;
    }
    const Pose* last = path->count > 0 ? pose - 1 : NULL;
    if (last != NULL) {
        *pose = *last;
    } else {
        fil_robot_place_link(path->scene->world, path->robot->id, path->link, path->start, &pose->position, &pose->orientation);
        pose->positions = path->start;
    }
    memcpy(positions, pose->positions, sizeof(double) * (size_t)path->joint_count);
    pose->positions = positions;
    pose->at = node;
    double after = 0.0;
    FilVec3 move = {0.0, 0.0, 0.0};
    const bool timed = fil_read_number(reader, node, "time", FIL_NOT_NEGATIVE, &pose->time);
    if (fil_read_number(reader, node, "after", FIL_POSITIVE, &after) == timed && reader->status == FIL_OK) {
        fil_reader_fail(reader, node, "a pose needs one of 'time' and 'after'");
    }
    pose->time += after;
    const bool placed = fil_scene_read_vec3(reader, node, "position", &pose->position);
    if (fil_scene_read_vec3(reader, node, "move", &move) && placed) {
        fil_reader_fail(reader, node, "only one of 'position' and 'move' may be given");
    }
    pose->position = (FilVec3){pose->position.x + move.x, pose->position.y + move.y, pose->position.z + move.z};
    fil_scene_read_orientation(reader, node, &pose->orientation);
    read_axes(reader, node, &pose->orientation);
    read_other_joints(path, node, positions);
    if (last != NULL && !(pose->time > last->time)) {
        fil_reader_fail(reader, node, "times must increase, but %g follows %g", pose->time, last->time);
    }
    path->count++;
}

static void read_path(Path* path, const FilYaml* node)
{
    FilReader* reader = &path->scene->reader;
    int ramp = path->smooth ? FIL_RAMP_SMOOTH : FIL_RAMP_LINEAR;
    read_link(path, node);
    fil_read_number(reader, node, "period", FIL_POSITIVE, &path->period);
    fil_read_choice(reader, node, "ramp", fil_ramp_words, &ramp);
    path->smooth = ramp == FIL_RAMP_SMOOTH;
    const FilYaml* given = fil_read_node(reader, node, "poses", FIL_REQUIRED);
    if (given == NULL || !fil_check_list(reader, given, "poses")) {
        return;
    }
    FilYaml* list = fil_yaml_find(node, "poses");
    fil_scene_expand_list(path->scene, list);
    path->joint_count = fil_robot_joint_count(path->scene->world, path->robot->id);
    path->start = fil_reader_alloc(reader, (size_t)path->joint_count + 1, sizeof(double));
    path->poses = fil_reader_alloc(reader, (size_t)list->count + 1, sizeof(Pose));
    for (int j = 0; j < path->joint_count && path->start != NULL; j++) {
        path->start[j] = fil_robot_joint_state(path->scene->world, path->robot->id, j).position;
    }
    for (const FilYaml* pose = list->first; pose != NULL && reader->status == FIL_OK; pose = pose->next) {
        read_pose(path, pose);
    }
    if (reader->status == FIL_OK && path->count == 0) {
        fil_reader_fail(reader, list, "needs a pose");
    }
}

/* ---- following ---- */

/* The pose between rows a and b at a time. */
static void blend(const Path* path, const Pose* a, const Pose* b, double time, FilReachDef* reach, double* positions)
{
    double u = (time - a->time) / (b->time - a->time);
    u = path->smooth ? u * u * (3.0 - 2.0 * u) : u;
    reach->position = (FilVec3){a->position.x + u * (b->position.x - a->position.x), a->position.y + u * (b->position.y - a->position.y),
                                a->position.z + u * (b->position.z - a->position.z)};
    // q = exp(u log(b a^-1)) a
    double w[3];
    const FilQuat back = {-a->orientation.x, -a->orientation.y, -a->orientation.z, a->orientation.w};
    fil_quat_logarithm(fil_quat_multiply(b->orientation, back), w);
    fil_v3_scale(w, u, w);
    reach->orientation = fil_quat_multiply(fil_quat_exponential(w), a->orientation);
    for (int j = 0; j < path->joint_count; j++) {
        positions[j] = (1.0 - u) * a->positions[j] + u * b->positions[j];
    }
}

/* Whether the joint is between root and link, where the poses move it. */
static bool moves_link(const Path* path, int joint)
{
    const FilWorld* world = path->scene->world;
    const int moved = fil_robot_joint_link(world, path->robot->id, joint);
    int link = path->link;
    while (link >= 0 && link != moved) {
        link = fil_robot_link_parent(world, path->robot->id, link);
    }
    return link >= 0;
}

/* Positions of all joints at a time of the stretch that ends in `pose`; `positions` are those of the point before. */
static bool follow(Path* path, int pose, double time, double* positions, double* next)
{
    FilScene* scene = path->scene;
    const Pose* b = &path->poses[pose];
    FilReachDef reach = fil_reach_def_default();
    reach.link = path->link;
    reach.posture = path->start;
    // towards the posture within about a second, so that what the poses leave free does not drift
    reach.posture_share = fmin(path->period, 1.0);
    blend(path, b - 1, b, time, &reach, next);
    for (int j = 0; j < path->joint_count; j++) {
        next[j] = moves_link(path, j) ? positions[j] : next[j];
    }
    if (fil_robot_reach(scene->world, path->robot->id, &reach, next) != FIL_OK) {
        fil_reader_fail(&scene->reader, b->at, "at %g s %s", time, fil_world_error(scene->world));
        return false;
    }
    return true;
}

/* No joint faster than it may be, once all poses are known to be within reach. */
static void check_speeds(Path* path, const double* times, const double* all, int count)
{
    const int n = path->joint_count;
    for (int k = 1, pose = 1; k < count && path->scene->reader.status == FIL_OK; k++) {
        while (pose < path->count - 1 && path->poses[pose].time < times[k]) {
            pose++;
        }
        for (int j = 0; j < n; j++) {
            const double max = fil_robot_joint_max_velocity(path->scene->world, path->robot->id, j);
            const double speed = fabs(all[n * k + j] - all[n * (k - 1) + j]) / (times[k] - times[k - 1]);
            if (speed > max) {
                fil_reader_fail(&path->scene->reader, path->poses[pose].at, "at %g s joint '%s' would move at %.3g per s, but may at %g", times[k],
                                fil_robot_joint_name(path->scene->world, path->robot->id, j), speed, max);
                return;
            }
        }
    }
}

/* How many points the stretch that ends in a pose has. */
static int points_of(const Path* path, int pose)
{
    const double span = pose > 0 ? path->poses[pose].time - path->poses[pose - 1].time : 0.0;
    // 1e-9: a whole number but for rounding
    return pose == 0 ? 1 : (int)ceil(fmin(span / path->period - 1e-9, MAX_POINTS));
}

/* The robot starts in a first pose at time 0; else it comes from where it is. */
static void start_in_pose(Path* path, double* positions)
{
    FilScene* scene = path->scene;
    Pose* first = &path->poses[0];
    FilReachDef reach = fil_reach_def_default();
    reach.link = path->link;
    reach.position = first->position;
    reach.orientation = first->orientation;
    for (int j = 0; j < path->joint_count; j++) {
        positions[j] = moves_link(path, j) ? path->start[j] : first->positions[j];
    }
    if (fil_robot_reach(scene->world, path->robot->id, &reach, positions) != FIL_OK) {
        fil_reader_fail(&scene->reader, first->at, "%s", fil_world_error(scene->world));
        return;
    }
    for (int j = 0; j < path->joint_count && first->time == 0.0; j++) {
        fil_scene_take(scene, fil_robot_set_joint_state(scene->world, path->robot->id, j, positions[j], 0.0), first->at);
        path->start[j] = positions[j];
    }
}

static void follow_path(Path* path, FilTrajectoryDef* def)
{
    FilReader* reader = &path->scene->reader;
    const size_t n = (size_t)path->joint_count;
    double total = 0.0;
    for (int k = 0; k < path->count; k++) {
        total += points_of(path, k);
    }
    if (total > MAX_POINTS) {
        fil_reader_fail(reader, path->poses[path->count - 1].at, "more than %d points; a longer 'period' makes fewer", MAX_POINTS);
    }
    int* joints = fil_reader_alloc(reader, n + 1, sizeof *joints);
    double* times = fil_reader_alloc(reader, (size_t)total, sizeof(double));
    double* all = fil_reader_alloc(reader, (size_t)total * n + 1, sizeof(double));
    double* positions = fil_reader_alloc(reader, (size_t)total * n + 1, sizeof(double));
    if (reader->status != FIL_OK) {
        return;
    }
    start_in_pose(path, all);
    times[0] = path->poses[0].time;
    def->point_count = 1;
    for (int pose = 1; pose < path->count; pose++) {
        const int points = points_of(path, pose);
        const double from = path->poses[pose - 1].time, span = (path->poses[pose].time - from) / points;
        for (int k = 1; k <= points && reader->status == FIL_OK; k++) {
            double* next = all + n * (size_t)def->point_count;
            times[def->point_count] = k == points ? path->poses[pose].time : from + span * k;
            def->point_count += follow(path, pose, times[def->point_count], next - n, next) ? 1 : 0;
        }
    }
    check_speeds(path, times, all, def->point_count);
    for (int j = 0; j < path->joint_count; j++) {
        const unsigned modes = fil_robot_joint_modes(path->scene->world, path->robot->id, j);
        if (!fil_robot_joint_mimics(path->scene->world, path->robot->id, j) && (modes == 0 || (modes & FIL_JOINT_POSITION) != 0)) {
            joints[def->joint_count++] = j;
        }
    }
    for (int k = 0; k < def->point_count; k++) {
        for (int c = 0; c < def->joint_count; c++) {
            positions[def->joint_count * k + c] = all[n * (size_t)k + (size_t)joints[c]];
        }
    }
    def->joints = joints;
    def->times = times;
    def->positions = positions;
    def->interpolation = FIL_INTERPOLATE_SPLINE;
}

void fil_scene_read_poses(FilScene* scene, const FilYaml* node, const FilSceneItem* robot, size_t prefix, FilTrajectoryDef* def)
{
    // a period of 0.02 s: docs/arms.md
    Path path = {.scene = scene, .robot = robot, .prefix = prefix, .link = -1, .period = 0.02, .smooth = true};
    read_path(&path, node);
    if (scene->reader.status == FIL_OK) {
        follow_path(&path, def);
    }
}
