#include "node_parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/roff.h"
#include "messages.h"
#include "node_recording.h"
#include "overrides.h"
#include "rcl_yaml_param_parser/parser.h"
#include "world_parameters.h"

static FilParameter* find(FilNode* node, const char* name)
{
    return fil_parameters_find(&node->parameters, name);
}

/* what a parameter does when it changes; false with a reason if it cannot */
typedef bool (*Effect)(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT]);

static bool set_real_time_factor(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)reason;
    fil_simulation_set_pace(&node->simulation, value->real);
    return true;
}

static bool set_publish_rate(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)reason;
    node->publishers.outputs.states.rate = value->real;
    return true;
}

static bool set_tf_rate(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)reason;
    node->publishers.outputs.transforms.rate = value->real;
    return true;
}

static bool set_clock_rate(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)reason;
    const bool own_clock = node->def.index == 0 || !node->def.one_clock;  // else it is the first one's
    node->publishers.outputs.clock.rate = own_clock ? value->real : 0.0;
    return true;
}

static bool set_node_frames(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)reason;
    node->publishers.outputs.frames.node_frames = value->boolean;
    return true;
}

static bool set_rods_forward(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)reason;
    node->publishers.outputs.frames.rods_forward = value->boolean;
    return true;
}

static bool set_frame_prefix(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    FilFrameOptions* frames = &node->publishers.outputs.frames;
    if (strlen(value->text) >= sizeof frames->prefix) {
        snprintf(reason, FIL_REASON_TEXT, "frame_prefix: at most %zu characters", sizeof frames->prefix - 1);
        return false;
    }
    memset(frames->prefix, 0, sizeof frames->prefix);
    memcpy(frames->prefix, value->text, strlen(value->text));
    return true;
}

static bool set_lockstep_timeout(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)reason;
    node->lockstep_timeout = value->real;
    return true;
}

static bool set_step_time_limit(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)reason;
    fil_simulation_watch(&node->simulation, node->simulation.stop, node->simulation.stop_context, value->real);
    return true;
}

/* one of `words`, or empty */
static bool check_word(const char* name, const char* text, const char* const* words, char reason[FIL_REASON_TEXT])
{
    for (int k = 0; words[k] != NULL; k++) {
        if (text[0] == '\0' || strcmp(text, words[k]) == 0) {
            return true;
        }
    }
    snprintf(reason, FIL_REASON_TEXT, "%s: '%.60s' is none of %s, %s%s%s", name, text, words[0], words[1], words[2] != NULL ? ", " : "",
             words[2] != NULL ? words[2] : "");
    return false;
}

static bool set_record_storage(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)node;
    return check_word("record_storage", value->text, (const char* const[]){"mcap", "sqlite3", NULL}, reason);
}

static bool set_record_compression(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    (void)node;
    return check_word("record_compression", value->text, (const char* const[]){"none", "lz4", "zstd", NULL}, reason);
}

static bool set_record(FilNode* node, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    FilError refusal;
    const bool peer = node->loaded;  // who starts the node may record anywhere
    if (peer && value->text[0] != '\0' && !fil_boundary_may_record(&node->boundary, value->text, &refusal)) {
        snprintf(reason, FIL_REASON_TEXT, "record: %.480s", refusal.text);
        return false;
    }
    return fil_node_record(node, value->text, peer ? node->boundary.record_folders : NULL, reason);
}

static const struct {
    const char* name;
    FilParameterType type;
    double number; /* the default, also of a bool */
    double lowest, highest;
    bool read_only;
    Effect effect; /* beside that of fil_world_parameter() */
    const char* description;
} table[] = {
    /* Bounds only refuse what is no such number, or a slip of a key: far beyond what the scenes of config/scenes have, but where a comment says
     * more. */
    {"scene", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL, "scene to load: a path, or the name of one in config/scenes"},
    {"contact_model", FIL_PARAMETER_STRING, 0, 0, 0, false, NULL, "how contact is computed; the scene's own if not given"},
    {"time_step", FIL_PARAMETER_DOUBLE, 0, 1e-7, 1, false, NULL, "s; the scene's own if not given"},
    {"gravity", FIL_PARAMETER_DOUBLE, 0, 0, 1000, false, NULL, "m/s^2, in the scene's direction; the scene's own if not given"},
    {"friction", FIL_PARAMETER_DOUBLE, -1, -1, 100, false, NULL, "Coulomb coefficient of all contacts; negative: the surfaces' own"},
    {"threads", FIL_PARAMETER_INTEGER, 1, 0, 256, false, NULL, "that share a step; 0: one for each processor; the scene's own if not given"},
    {"real_time_factor", FIL_PARAMETER_DOUBLE, 1, 0, 1000, false, set_real_time_factor, "simulated seconds per second; 0: as fast as it can"},
    {"publish_rate", FIL_PARAMETER_DOUBLE, FIL_STATE_RATE, 0, 10000, false, set_publish_rate,
     "Hz in simulated time: rod_states, probes, step_info, markers; 0: never"},
    {"tf_rate", FIL_PARAMETER_DOUBLE, FIL_TF_RATE, 0, 10000, false, set_tf_rate, "Hz in simulated time: /tf; 0: never"},
    {"clock_rate", FIL_PARAMETER_DOUBLE, FIL_CLOCK_RATE, 0, 10000, false, set_clock_rate, "Hz in simulated time: /clock; 0: never"},
    {"rod_node_frames", FIL_PARAMETER_BOOL, 0, 0, 0, false, set_node_frames, "publish a frame for each node of a rod"},
    {"rod_frames_forward", FIL_PARAMETER_BOOL, 0, 0, 0, false, set_rods_forward, "x of a rod's frames points along it, as in REP-103, instead of z"},
    {"frame_prefix", FIL_PARAMETER_STRING, 0, 0, 0, true, set_frame_prefix, "in front of the names of all frames but world, such as lab/"},
    {"worlds", FIL_PARAMETER_INTEGER, 1, 1, 64, true, NULL, "in this process, each in a namespace of its own: /w0, /w1, ..."},
    {"one_clock", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL, "several worlds step together, and the first one tells the clock of all"},
    /* 99: the highest of SCHED_FIFO on Linux, sched(7) */
    {"realtime_priority", FIL_PARAMETER_INTEGER, 0, 0, 99, true, NULL, "of the process by SCHED_FIFO, where it is permitted; 0: as others"},
    {"lock_memory", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL, "keep all memory of the process resident, where it is permitted: no page faults"},
    {"processors", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL, "that the process runs on, as in 0,2-3; empty: any"},
    {"own_clock", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL,
     "publish the clock in the node's namespace, not /clock: for several simulations in one graph"},
    {"own_tf", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL, "publish transforms in the node's namespace, not on /tf and /tf_static"},
    {"managed", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL,
     "wait to be configured, activated, deactivated, cleaned up and shut down by the services of lifecycle_msgs"},
    {"start_paused", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL, "wait for ~/pause or ~/step before the first step"},
    {"lockstep", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL, "at each published state, wait for the command that bears its stamp"},
    {"lockstep_timeout", FIL_PARAMETER_DOUBLE, 5, 0.001, 3600, false, set_lockstep_timeout,
     "s that lockstep waits for a command before it pauses the simulation"},
    {"lockstep_topics", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL,
     "command topics that lockstep waits for, all of them, separated by spaces; empty: any one"},
    /* tolerance and stalling: defaults of ros2_controllers' gripper_action_controller */
    {"gripper_joints", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL, "joints that have an action <joint>/gripper_command, separated by spaces"},
    {"gripper_tolerance", FIL_PARAMETER_DOUBLE, 0.01, 0, 100, false, NULL, "m or rad from where it was sent: the gripper has reached it"},
    {"gripper_stall_velocity", FIL_PARAMETER_DOUBLE, 0.001, 0, 100, false, NULL, "m/s or rad/s: slower than that, a gripper does not move"},
    {"gripper_stall_timeout", FIL_PARAMETER_DOUBLE, 1, 0, 1000, false, NULL, "s of simulated time without moving: the gripper has stalled"},
    {"gripper_allow_stalling", FIL_PARAMETER_BOOL, 0, 0, 0, false, NULL, "whether a goal at which the gripper stalls has succeeded"},
    {"sensors", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL,
     "imu:BODY, wrench:JOINT[:FRAME], points:OBJECT, tactile:OBJECT[:FRAME], range:BODY and scan:BODY, each with @RATE in Hz if another is wanted, "
     "separated by spaces"},
    {"sensor_seed", FIL_PARAMETER_INTEGER, 1, 0, 1e9, true, NULL, "of the sensors' noise"},
    {"imu_gyro_noise", FIL_PARAMETER_DOUBLE, 0, 0, 1000, false, NULL, "rad/s, standard deviation of each rate of an imu"},
    {"imu_acceleration_noise", FIL_PARAMETER_DOUBLE, 0, 0, 1e6, false, NULL, "m/s^2, standard deviation of each acceleration of an imu"},
    {"wrench_force_noise", FIL_PARAMETER_DOUBLE, 0, 0, 1e6, false, NULL, "N, standard deviation of each force"},
    {"wrench_torque_noise", FIL_PARAMETER_DOUBLE, 0, 0, 1e6, false, NULL, "N m, standard deviation of each torque"},
    {"tactile_noise", FIL_PARAMETER_DOUBLE, 0, 0, 1e6, false, NULL, "N, standard deviation of each force on a taxel"},
    {"points_noise", FIL_PARAMETER_DOUBLE, 0, 0, 1000, false, NULL, "m, standard deviation of each coordinate of a point"},
    {"range_noise", FIL_PARAMETER_DOUBLE, 0, 0, 1000, false, NULL, "m, standard deviation of each distance of a range or scan"},
    /* as small range finders have: blind below some cm, deaf beyond some m */
    {"range_min", FIL_PARAMETER_DOUBLE, 0.02, 0, 1e6, false, NULL, "m: what is nearer is minus infinite"},
    {"range_max", FIL_PARAMETER_DOUBLE, 10, 0, 1e6, false, NULL, "m: what is farther is infinite"},
    {"range_field_of_view", FIL_PARAMETER_DOUBLE, 0, 0, 3, false, NULL, "rad, of the cone in which a range is the nearest; 0: a line"},
    /* 270 degrees, as usual laser scanners have, a ray each; a full turn at most */
    {"scan_angle", FIL_PARAMETER_DOUBLE, 4.71238898038469, 0.001, 6.283185307179586, false, NULL,
     "rad, between the first and the last ray of a scan"},
    {"scan_rays", FIL_PARAMETER_INTEGER, 271, 2, 100000, false, NULL, "of a scan"},
    {"record_storage", FIL_PARAMETER_STRING, 0, 0, 0, false, set_record_storage,
     "of the bags that are directories, from the next one on: mcap or sqlite3; empty: mcap"},
    {"record_compression", FIL_PARAMETER_STRING, 0, 0, 0, false, set_record_compression,
     "of bags of mcap, from the next one on: none, lz4 or zstd; empty: none"},
    {"record", FIL_PARAMETER_STRING, 0, 0, 0, false, set_record, "record a bag: a new directory, or a file .mcap or .db3; empty: no more"},
    {"step_time_limit", FIL_PARAMETER_DOUBLE, 0, 0, 86400, false, set_step_time_limit, "s of wall time that a step may take before it fails; 0: any"},
    {"read_folders", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL,
     "folders that worlds loaded by service, and what they name, are read from, separated by colons; empty: the working directory "
     "and where scenes are found by name; /: any"},
    {"record_folders", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL,
     "folders that recordings asked for while running are made in, separated by colons; empty: the working directory; /: any"},
    /* What one peer may take: nodes and elements a hundredth of what scenes of one's own may have, contacts as many (FilSceneBudget). */
    {"max_nodes", FIL_PARAMETER_INTEGER, 100000, 1, 10000000, true, NULL, "of rods, cloth and solids together, in worlds loaded by service"},
    {"max_elements", FIL_PARAMETER_INTEGER, 1000000, 1, 100000000, true, NULL,
     "triangles of cloth and tetrahedra of solids together, in worlds loaded by service"},
    {"max_contacts", FIL_PARAMETER_INTEGER, 100000, 1, 10000000, true, NULL, "in a step of worlds loaded by service: one with more fails"},
    {"max_bytes", FIL_PARAMETER_INTEGER, 4e9, 1000000, 1e12, true, NULL, "of memory that a world loaded by service takes, and its steps"},
    {"locked", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL, "others can neither load worlds, nor record, nor end the node"},
    /* 65535: the last port of TCP */
    {"view_port", FIL_PARAMETER_INTEGER, 0, 0, 65535, true, NULL, "serve pages on this port, to look at the simulation in a browser; 0: none"},
    {"view_address", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL,
     "address that pages are served on; empty: 127.0.0.1, which only this machine reaches"},
    {"view_read_only", FIL_PARAMETER_BOOL, 0, 0, 0, true, NULL, "pages can look, but neither steer nor pull"},
    {"view_origins", FIL_PARAMETER_STRING, 0, 0, 0, true, NULL,
     "sites whose pages may connect as Foxglove does, separated by spaces, as https://app.foxglove.dev; empty: none"},
    {"teleop_link", FIL_PARAMETER_STRING, 0, 0, 0, false, NULL,
     "link that twist_commands, stamped_twist_commands and joy move; empty: they are refused"},
    {"teleop_frame", FIL_PARAMETER_STRING, 0, 0, 0, false, NULL, "frame of twists that name none: a link, or world; empty: world"},
    /* a slow hand: across a table of a metre in five seconds, and less than a turn in six; joints' own limits still bound it. teleop_damping is as of
       fil_link_motion_def_default() */
    {"teleop_linear", FIL_PARAMETER_DOUBLE, 0.2, 0, 10, false, NULL, "m/s of a stick at its end"},
    {"teleop_angular", FIL_PARAMETER_DOUBLE, 1, 0, 100, false, NULL, "rad/s of a stick at its end"},
    {"teleop_gain", FIL_PARAMETER_DOUBLE, 10, 0, 1000, false, NULL, "1/s: how fast the link is brought back to the path that the twists describe"},
    {"teleop_damping", FIL_PARAMETER_DOUBLE, 0.01, 1e-6, 1, false, NULL,
     "m/rad, of differential inverse kinematics: joints that move the link by less are spared"},
    {"teleop_timeout", FIL_PARAMETER_DOUBLE, 0.5, 0, 3600, false, NULL,
     "s of simulated time after which the link holds when no message comes; 0: never"},
    {"teleop_axes", FIL_PARAMETER_STRING, 0, 0, 0, false, NULL,
     "six axes of joy for x, y, z and about x, y, z: a number, with a minus to turn it round, or a point; empty: 1 0 4 . . 3"},
    {"teleop_enable_button", FIL_PARAMETER_INTEGER, -1, -1, 1000, false, NULL, "button of joy that must be down for anything to move; -1: none"},
    {"teleop_close_button", FIL_PARAMETER_INTEGER, 0, -1, 1000, false, NULL, "button of joy that closes the hand; -1: none"},
    {"teleop_open_button", FIL_PARAMETER_INTEGER, 1, -1, 1000, false, NULL, "button of joy that opens it; -1: none"},
    {"teleop_open", FIL_PARAMETER_STRING, 0, 0, 0, false, NULL, "the open hand: joints and positions as in index_1:-0.35 thumb_1:-0.35"},
    {"teleop_closed", FIL_PARAMETER_STRING, 0, 0, 0, false, NULL, "the closed hand, likewise; empty: there is no hand"},
    {"teleop_grasp_time", FIL_PARAMETER_DOUBLE, 1, 0.001, 3600, false, NULL, "s of simulated time from open to closed"},
    {"use_sim_time", FIL_PARAMETER_BOOL, 0, 0, 0, false, NULL, "accepted without effect: this node is the clock"},
};

enum { TABLE_SIZE = sizeof table / sizeof *table };

static FilParameterValue default_value(int i)
{
    switch (table[i].type) {
        case FIL_PARAMETER_BOOL:
            return fil_parameter_bool(table[i].number != 0.0);
        case FIL_PARAMETER_INTEGER:
            return fil_parameter_integer((int64_t)table[i].number);
        case FIL_PARAMETER_DOUBLE:
            return fil_parameter_double(table[i].number);
        default:
            return fil_parameter_string("");
    }
}

void fil_node_describe_parameters(FILE* out)
{
    for (int i = 0; i < TABLE_SIZE; i++) {
        fil_roff_term(out, table[i].name, NULL, table[i].description);
    }
}

void fil_node_declare_parameters(FilNode* node)
{
    for (int i = 0; i < TABLE_SIZE; i++) {
        FilParameter* parameter = fil_parameters_declare(&node->parameters, table[i].name, default_value(i), table[i].description);
        parameter->lowest = table[i].lowest;
        parameter->highest = table[i].highest;
        parameter->read_only = table[i].read_only;
    }
}

bool fil_node_override_parameters(FilNode* node)
{
    rcl_params_t* overrides = NULL;
    if (!fil_ros_ok(rcl_arguments_get_param_overrides(&node->def.support->context.global_arguments, &overrides), node->logger, "parameters")) {
        return false;
    }
    char reason[FIL_REASON_TEXT];
    const char* name = rcl_node_get_fully_qualified_name(&node->node);
    const bool several = node->def.worlds > 1;
    find(node, "own_clock")->value = fil_parameter_bool(several && (node->def.index > 0 || !node->def.one_clock));
    find(node, "own_tf")->value = fil_parameter_bool(several);
    // topics have their final names, and so the parameters of their QoS, once it is known whether the clock is the node's own
    const bool done = fil_overrides_apply(overrides, name, &node->parameters, reason) && fil_publishers_declare(&node->parameters, &node->node) &&
                      fil_overrides_apply(overrides, name, &node->parameters, reason);
    // not refused: a file for several nodes may have what only others know
    const char* unknown;
    for (size_t k = 0; (unknown = fil_overrides_unknown(overrides, name, &node->parameters, k)) != NULL; k++) {
        RCUTILS_LOG_WARN_NAMED(node->logger, "this node has no parameter '%.100s': it is ignored", unknown);
    }
    if (overrides != NULL) {
        rcl_yaml_node_struct_fini(overrides);
    }
    if (!done) {
        RCUTILS_LOG_FATAL_NAMED(node->logger, "%s", reason);
    }
    return done;
}

/* lets a value of the table's row count */
static bool take_effect(FilNode* node, int row, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    const FilWorldParameterSet set = fil_world_parameter(table[row].name);
    if (set != NULL && set(node->simulation.world, value) != FIL_OK) {
        snprintf(reason, FIL_REASON_TEXT, "%s", fil_world_error(node->simulation.world));
        return false;
    }
    if (set != NULL) {
        fil_simulation_forgive(&node->simulation);  // another time step or model may go where the last one did not
    }
    const FilTeleopParameterSet teleop = fil_teleop_parameter(table[row].name);
    if (teleop != NULL && !teleop(&node->commands.teleop, node->simulation.world, value, reason)) {
        return false;
    }
    return table[row].effect == NULL || table[row].effect(node, value, reason);
}

/* While there is no world everything waits for one: values are looked at when it is loaded. */
static bool apply_later(FilNode* node, const FilParameter* parameter, char reason[FIL_REASON_TEXT])
{
    FilError refusal;
    if (strcmp(parameter->name, "record") == 0) {
        snprintf(reason, FIL_REASON_TEXT, "record: there is no world");
        return false;
    }
    if (strcmp(parameter->name, "scene") == 0) {
        if (!fil_boundary_may_load(&node->boundary, &refusal)) {
            snprintf(reason, FIL_REASON_TEXT, "scene: %.480s", refusal.text);
            return false;
        }
        node->scene_by_peer = true;
    }
    return true;
}

static bool apply(void* context, const FilParameter* parameter, const FilParameterValue* value, char reason[FIL_REASON_TEXT])
{
    FilNode* node = context;
    if (node->simulation.world == NULL) {
        return apply_later(node, parameter, reason);
    }
    for (int i = 0; i < TABLE_SIZE; i++) {
        if (strcmp(table[i].name, parameter->name) == 0) {
            return take_effect(node, i, value, reason);
        }
    }
    return true;
}

static bool load_scene(FilNode* node)
{
    const FilParameter* dt = find(node, "time_step");
    const FilParameter* model = find(node, "contact_model");
    const FilSceneOptions options = {.dt = dt->given ? dt->value.real : 0.0,
                                     .contact_model = model->given && model->value.text[0] != '\0' ? model->value.text : NULL,
                                     .folders = node->scene_by_peer ? node->boundary.read_folders : NULL,
                                     .budget = node->scene_by_peer ? node->boundary.budget : (FilSceneBudget){0}};
    const char* scene = find(node, "scene")->value.text;
    FilError error = {{0}};
    if (scene[0] == '\0') {
        RCUTILS_LOG_FATAL_NAMED(node->logger, "no scene: set the parameter, as in --ros-args -p scene:=cantilever or -p scene:=FILE");
        return false;
    }
    if (fil_simulation_load(&node->simulation, scene, &options, &error) != FIL_OK) {
        RCUTILS_LOG_FATAL_NAMED(node->logger, "%s", error.text);
        return false;
    }
    return true;
}

static double gravity_of(const FilWorld* world)
{
    const FilVec3 gravity = fil_world_gravity(world);
    return sqrt(gravity.x * gravity.x + gravity.y * gravity.y + gravity.z * gravity.z);
}

void fil_node_show_world(FilNode* node)
{
    const FilWorld* world = node->simulation.world;
    const struct {
        const char* name;
        FilParameterValue value;
    } shown[] = {
        {"scene", fil_parameter_string(node->simulation.scene_path)},  {"contact_model", fil_parameter_string(fil_world_contact_model(world))},
        {"time_step", fil_parameter_double(fil_world_dt(world))},      {"gravity", fil_parameter_double(gravity_of(world))},
        {"friction", fil_parameter_double(fil_world_friction(world))}, {"threads", fil_parameter_integer(fil_world_threads_asked(world))},
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        find(node, shown[i].name)->value = shown[i].value;
        fil_parameter_server_changed(&node->parameter_server, find(node, shown[i].name));
    }
    node->scene_by_peer = true;
}

void fil_node_open_parameters(FilNode* node)
{
    node->parameters.apply = apply;
    node->parameters.context = node;
    node->parameters.running = true;
    find(node, "scene")->read_only = node->lifecycle.node == NULL;
}

bool fil_node_start_parameters(FilNode* node)
{
    if (!load_scene(node)) {
        return false;
    }
    // what was left to the scene now shows the scene's value
    const FilWorld* world = node->simulation.world;
    find(node, "contact_model")->value = fil_parameter_string(fil_world_contact_model(world));
    find(node, "time_step")->value = fil_parameter_double(fil_world_dt(world));
    if (!find(node, "gravity")->given) {
        find(node, "gravity")->value = fil_parameter_double(gravity_of(world));
    }
    if (!find(node, "friction")->given) {
        find(node, "friction")->value = fil_parameter_double(fil_world_friction(world));
    }
    if (!find(node, "threads")->given) {
        find(node, "threads")->value = fil_parameter_integer(fil_world_threads_asked(world));
    }
    node->simulation.paused = node->simulation.held || find(node, "start_paused")->value.boolean;
    for (int i = 0; i < TABLE_SIZE; i++) {
        const FilParameter* parameter = find(node, table[i].name);
        char reason[FIL_REASON_TEXT];
        if (!take_effect(node, i, &parameter->value, reason)) {
            RCUTILS_LOG_FATAL_NAMED(node->logger, "%s", reason);
            return false;
        }
    }
    node->loaded = true;
    return true;
}
