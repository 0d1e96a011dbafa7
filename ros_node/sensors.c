#include "sensors.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entities.h"
#include "geometry_msgs/msg/wrench_stamped.h"
#include "messages.h"
#include "motion.h"
#include "rclc/publisher.h"
#include "rmw/qos_profiles.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "scene/random.h"
#include "sensor_msgs/msg/imu.h"
#include "sensor_msgs/msg/point_cloud2.h"
#include "sensor_msgs/msg/point_field.h"
#include "topic.h"

enum { NAME_SIZE = 100 };

typedef struct FilSensor Sensor;

/* A kind of sensor; the parameter's word for it is the end of its topic too. */
typedef struct SensorKind {
    const char* word;
    const char* objects; /* that it can be on, for messages */
    double rate;         /* Hz of simulated time, if none is given */
    const char* type_name;
    const rosidl_message_type_support_t* (*type)(void);
    FilMessageType message;
    bool (*finds)(const FilWorld* world, const char* object); /* whether the world has what it is on */
    /* Looks at the world after each step; fills the message if it is due. False: there is nothing to be told. */
    bool (*measure)(FilSensors* sensors, Sensor* sensor, const FilWorld* world, bool due);
} SensorKind;

struct FilSensor {
    const SensorKind* kind;
    char object[NAME_SIZE];
    char frame[NAME_SIZE]; /* empty: the object's own */
    char name[2 * NAME_SIZE];
    FilOutputTopic topic;
    rcl_publisher_t publisher;
    void* message;
    FilSchedule schedule;
    bool found;       /* in the present world */
    uint64_t random;  /* state of the noise */
    FilVec3 velocity; /* m/s, world, at `time`: of an imu */
    double time;      /* s, of the step before; negative: none */
};

static double number(FilSensors* sensors, const char* parameter)
{
    return fil_parameters_find(sensors->parameters, parameter)->value.real;
}

/* Gaussian noise of this deviation on three numbers */
static geometry_msgs__msg__Vector3 with_noise(Sensor* sensor, FilVec3 v, double deviation)
{
    double out[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3 && deviation > 0.0; k++) {
        out[k] += deviation * fil_random_normal(&sensor->random);
    }
    return (geometry_msgs__msg__Vector3){out[0], out[1], out[2]};
}

/* `frame` NULL: the root frame */
static bool set_header(const FilSensors* sensors, std_msgs__msg__Header* header, const FilWorld* world, const char* frame)
{
    char name[FIL_PARAMETER_TEXT + NAME_SIZE] = FIL_ROOT_FRAME;
    if (frame != NULL) {
        snprintf(name, sizeof name, "%s%s", fil_parameters_find(sensors->parameters, "frame_prefix")->value.text, frame);
    }
    header->stamp = fil_stamp_of(world);
    return rosidl_runtime_c__String__assign(&header->frame_id, name);
}

/* ---- imu ---- */

/* pose and velocity of a link or rigid body; false: there is none of that name */
static bool see_body(const FilWorld* world, const char* name, FilEntityState* state)
{
    const FilId link = fil_world_find_link(world, name), body = fil_world_find_rigid(world, name);
    if (link.index != 0) {
        fil_link_pose(world, link, &state->position, &state->orientation);
        fil_link_velocity(world, link, &state->velocity, &state->angular_velocity);
    } else if (body.index != 0) {
        fil_rigid_get_pose(world, body, &state->position, &state->orientation);
        fil_rigid_get_velocity(world, body, &state->velocity, &state->angular_velocity);
    }
    return link.index != 0 || body.index != 0;
}

static bool finds_body(const FilWorld* world, const char* name)
{
    FilEntityState state;
    return see_body(world, name, &state);
}

FIL_MESSAGE_FUNCTIONS(sensor_msgs, Imu)

/* R' (dv/dt - g) and R' w: what a strapped-down sensor at the body's origin feels */
static bool measure_imu(FilSensors* sensors, Sensor* sensor, const FilWorld* world, bool due)
{
    FilEntityState state;
    const double time = fil_world_time(world), before = sensor->time;
    if (!see_body(world, sensor->object, &state)) {
        return false;
    }
    const FilVec3 last = sensor->velocity, change = fil_vector_difference(state.velocity, last), g = fil_world_gravity(world);
    sensor->velocity = state.velocity;
    sensor->time = time;
    if (!due || before < 0.0 || !(time > before)) {
        return false;
    }
    sensor_msgs__msg__Imu* imu = sensor->message;
    const FilQuat back = fil_quat_conjugate(state.orientation);
    const double gyro = number(sensors, "imu_gyro_noise"), accelerometer = number(sensors, "imu_acceleration_noise"), dt = time - before;
    const FilVec3 felt = {change.x / dt - g.x, change.y / dt - g.y, change.z / dt - g.z};
    imu->orientation = (geometry_msgs__msg__Quaternion){state.orientation.x, state.orientation.y, state.orientation.z, state.orientation.w};
    imu->angular_velocity = with_noise(sensor, fil_quat_rotate(back, state.angular_velocity), gyro);
    imu->linear_acceleration = with_noise(sensor, fil_quat_rotate(back, felt), accelerometer);
    for (int k = 0; k < 9; k += 4) {
        imu->angular_velocity_covariance[k] = gyro * gyro;
        imu->linear_acceleration_covariance[k] = accelerometer * accelerometer;
    }
    return set_header(sensors, &imu->header, world, sensor->object);
}

/* ---- wrench ---- */

static bool finds_joint(const FilWorld* world, const char* name)
{
    return fil_world_find_joint(world, name).index != 0;
}

FIL_MESSAGE_FUNCTIONS(geometry_msgs, WrenchStamped)

/* what the joint does to its second side, about the joint's point, in the axes of the frame */
static bool measure_wrench(FilSensors* sensors, Sensor* sensor, const FilWorld* world, bool due)
{
    const FilId joint = fil_world_find_joint(world, sensor->object);
    if (!due || joint.index == 0) {
        return false;
    }
    FilEntityState state = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    const bool framed = sensor->frame[0] != '\0' && see_body(world, sensor->frame, &state);
    const FilQuat back = fil_quat_conjugate(state.orientation);
    geometry_msgs__msg__WrenchStamped* told = sensor->message;
    told->wrench.force = with_noise(sensor, fil_quat_rotate(back, fil_joint_force(world, joint)), number(sensors, "wrench_force_noise"));
    told->wrench.torque = with_noise(sensor, fil_quat_rotate(back, fil_joint_torque(world, joint)), number(sensors, "wrench_torque_noise"));
    return set_header(sensors, &told->header, world, framed ? sensor->frame : NULL);
}

/* ---- points ---- */

/* what points are of: how many, and where they are */
static const struct {
    FilId (*find)(const FilWorld* world, const char* name);
    int (*count)(const FilWorld* world, FilId object);
    void (*get)(const FilWorld* world, FilId object, double* points);
} clouds[] = {{fil_world_find_rod, fil_rod_node_count, fil_rod_get_positions},
              {fil_world_find_shell, fil_shell_vertex_count, fil_shell_get_positions},
              {fil_world_find_solid, fil_solid_vertex_count, fil_solid_get_positions}};

enum { CLOUD_KINDS = sizeof clouds / sizeof *clouds, MOST_FIELDS = 7 };

/* the row of the table that has an object of that name, or CLOUD_KINDS */
static int find_cloud(const FilWorld* world, const char* name, FilId* object)
{
    int k = 0;
    while (k < CLOUD_KINDS && (*object = clouds[k].find(world, name)).index == 0) {
        k++;
    }
    return k;
}

static bool finds_cloud(const FilWorld* world, const char* name)
{
    FilId object;
    return find_cloud(world, name, &object) < CLOUD_KINDS;
}

FIL_MESSAGE_FUNCTIONS(sensor_msgs, PointCloud2)

/* names of numbers that a point has, as floats behind each other; NULL at the end */
static const char* const place_fields[] = {"x", "y", "z", NULL};
static const char* const tactile_fields[] = {"x", "y", "z", "fx", "fy", "fz", "pressure", NULL};

static bool size_cloud(sensor_msgs__msg__PointCloud2* cloud, size_t points, const char* const* names)
{
    size_t fields = 0;
    while (names[fields] != NULL) {
        fields++;
    }
    if (cloud->width == points && cloud->fields.size == fields) {
        return true;
    }
    const size_t step = fields * sizeof(float);
    sensor_msgs__msg__PointField__Sequence__fini(&cloud->fields);
    rosidl_runtime_c__uint8__Sequence__fini(&cloud->data);
    bool good =
        sensor_msgs__msg__PointField__Sequence__init(&cloud->fields, fields) && rosidl_runtime_c__uint8__Sequence__init(&cloud->data, points * step);
    for (uint32_t k = 0; k < fields && good; k++) {
        sensor_msgs__msg__PointField* field = &cloud->fields.data[k];
        good = rosidl_runtime_c__String__assign(&field->name, names[k]);
        field->offset = k * (uint32_t)sizeof(float);
        field->datatype = sensor_msgs__msg__PointField__FLOAT32;
        field->count = 1;
    }
    cloud->height = 1;
    cloud->width = (uint32_t)points;
    cloud->point_step = (uint32_t)step;
    cloud->row_step = (uint32_t)(points * step);
    cloud->is_dense = true;
    return good;
}

static void write_number(sensor_msgs__msg__PointCloud2* cloud, size_t index, double value)
{
    const float number = (float)value;
    memcpy(cloud->data.data + index * sizeof number, &number, sizeof number);
}

static bool measure_points(FilSensors* sensors, Sensor* sensor, const FilWorld* world, bool due)
{
    FilId object;
    const int kind = due ? find_cloud(world, sensor->object, &object) : CLOUD_KINDS;
    if (kind == CLOUD_KINDS) {
        return false;
    }
    sensor_msgs__msg__PointCloud2* cloud = sensor->message;
    const size_t count = (size_t)clouds[kind].count(world, object);
    double* points = malloc((3 * count + 1) * sizeof *points);
    const bool good = points != NULL && size_cloud(cloud, count, place_fields) && set_header(sensors, &cloud->header, world, NULL);
    const double noise = number(sensors, "points_noise");
    if (good) {
        clouds[kind].get(world, object, points);
    }
    for (size_t k = 0; k < 3 * count && good; k++) {
        write_number(cloud, k, points[k] + (noise > 0.0 ? noise * fil_random_normal(&sensor->random) : 0.0));
    }
    free(points);
    return good;
}

/* ---- tactile ---- */

static void place_disk(const FilWorld* world, FilId arm, int disk, FilVec3* place)
{
    fil_arm_disk_pose(world, arm, disk, place, NULL);
}

static void place_body(const FilWorld* world, FilId body, int shape, FilVec3* place)
{
    (void)shape;
    fil_rigid_get_pose(world, body, place, NULL);
}

static void place_link(const FilWorld* world, FilId link, int shape, FilVec3* place)
{
    (void)shape;
    fil_link_pose(world, link, place, NULL);
}

static int count_one(const FilWorld* world, FilId object)
{
    (void)world;
    (void)object;
    return 1;
}

/* objects with taxels: one for each part that contacts tell apart, or one for all; where they are (NULL: as a cloud's points) */
static const struct {
    FilId (*find)(const FilWorld* world, const char* name);
    int (*count)(const FilWorld* world, FilId object);
    void (*place)(const FilWorld* world, FilId object, int taxel, FilVec3* place);
} skins[] = {{fil_world_find_arm, fil_arm_disk_count, place_disk}, {fil_world_find_rigid, fil_rigid_shape_count, place_body},
             {fil_world_find_link, count_one, place_link},         {fil_world_find_shell, fil_shell_vertex_count, NULL},
             {fil_world_find_solid, fil_solid_vertex_count, NULL}, {fil_world_find_rod, fil_rod_edge_count, NULL}};

enum { SKIN_KINDS = sizeof skins / sizeof *skins };

/* the row of the table that has an object of that name, or SKIN_KINDS */
static int find_skin(const FilWorld* world, const char* name, FilId* object)
{
    int k = 0;
    while (k < SKIN_KINDS && (*object = skins[k].find(world, name)).index == 0) {
        k++;
    }
    return k;
}

static bool finds_skin(const FilWorld* world, const char* name)
{
    FilId object;
    return find_skin(world, name, &object) < SKIN_KINDS;
}

/* What touches one taxel. */
typedef struct Taxel {
    FilVec3 place, force; /* m, N on the object */
    double normal, area;  /* N along the normals, m^2 */
} Taxel;

static void add_contacts(const FilWorld* world, FilId object, Taxel* taxels, int count)
{
    for (int i = 0; i < fil_world_contact_count(world); i++) {
        const FilContactInfo contact = fil_world_contact(world, i);
        const FilId sides[2] = {contact.a, contact.b};
        const int parts[2] = {contact.part_a, contact.part_b};
        for (int s = 0; s < 2; s++) {
            const int taxel = count == 1 ? 0 : parts[s];
            if (sides[s].index == object.index && sides[s].generation == object.generation && taxel >= 0 && taxel < count) {
                const double sign = s == 0 ? -1.0 : 1.0;  // the force is that on b
                taxels[taxel].force = fil_vector_sum(taxels[taxel].force, fil_vector_scaled(sign, contact.force));
                taxels[taxel].normal += fabs(fil_vector_dot(contact.force, contact.normal));
                taxels[taxel].area += contact.area;
            }
        }
    }
}

static bool place_taxels(const FilWorld* world, const Sensor* sensor, int kind, FilId object, Taxel* taxels, int count)
{
    FilId same;
    const int cloud = skins[kind].place == NULL ? find_cloud(world, sensor->object, &same) : CLOUD_KINDS;
    double* points = cloud < CLOUD_KINDS ? malloc((size_t)(3 * clouds[cloud].count(world, object)) * sizeof *points) : NULL;
    if (cloud < CLOUD_KINDS && points == NULL) {
        return false;
    }
    if (points != NULL) {
        clouds[cloud].get(world, object, points);
    }
    for (int k = 0; k < count; k++) {
        if (points != NULL) {
            taxels[k].place = fil_vector(points + 3 * k);
        } else {
            skins[kind].place(world, object, k, &taxels[k].place);
        }
    }
    free(points);
    return true;
}

/* forces of the last step on each part of the object, in the axes of the frame, and the pressure of what touches over an area */
static bool measure_tactile(FilSensors* sensors, Sensor* sensor, const FilWorld* world, bool due)
{
    FilId object;
    const int kind = due ? find_skin(world, sensor->object, &object) : SKIN_KINDS;
    if (kind == SKIN_KINDS) {
        return false;
    }
    sensor_msgs__msg__PointCloud2* cloud = sensor->message;
    FilEntityState state = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    const bool framed = sensor->frame[0] != '\0' && see_body(world, sensor->frame, &state);
    const FilQuat back = fil_quat_conjugate(state.orientation);
    const int count = skins[kind].count(world, object);
    const double noise = number(sensors, "tactile_noise");
    Taxel* taxels = calloc((size_t)count + 1, sizeof *taxels);
    const bool good = taxels != NULL && size_cloud(cloud, (size_t)count, tactile_fields) &&
                      set_header(sensors, &cloud->header, world, framed ? sensor->frame : NULL) &&
                      place_taxels(world, sensor, kind, object, taxels, count);
    if (good) {
        add_contacts(world, object, taxels, count);
    }
    for (int k = 0; k < count && good; k++) {
        const FilVec3 place = fil_quat_rotate(back, fil_vector_difference(taxels[k].place, state.position));
        const geometry_msgs__msg__Vector3 force = with_noise(sensor, fil_quat_rotate(back, taxels[k].force), noise);
        const double pressure = taxels[k].area > 0.0 ? taxels[k].normal / taxels[k].area : 0.0;
        const double numbers[MOST_FIELDS] = {place.x, place.y, place.z, force.x, force.y, force.z, pressure};
        for (size_t n = 0; n < MOST_FIELDS; n++) {
            write_number(cloud, (size_t)k * MOST_FIELDS + n, numbers[n]);
        }
    }
    free(taxels);
    return good;
}

/* ---- all of them ---- */

static const SensorKind kinds[] = {
    {"imu",
     "a link or rigid body",
     100.0,
     "sensor_msgs/msg/Imu",
     type_of_Imu,
     {sizeof(sensor_msgs__msg__Imu), init_Imu, fini_Imu},
     finds_body,
     measure_imu},
    {"wrench",
     "a joint or attachment of the scene",
     100.0,
     "geometry_msgs/msg/WrenchStamped",
     type_of_WrenchStamped,
     {sizeof(geometry_msgs__msg__WrenchStamped), init_WrenchStamped, fini_WrenchStamped},
     finds_joint,
     measure_wrench},
    {"points",
     "a rod, shell or solid",
     10.0,
     "sensor_msgs/msg/PointCloud2",
     type_of_PointCloud2,
     {sizeof(sensor_msgs__msg__PointCloud2), init_PointCloud2, fini_PointCloud2},
     finds_cloud,
     measure_points},
    {"tactile",
     "an arm, rigid body, link, shell, solid or rod",
     100.0,
     "sensor_msgs/msg/PointCloud2",
     type_of_PointCloud2,
     {sizeof(sensor_msgs__msg__PointCloud2), init_PointCloud2, fini_PointCloud2},
     finds_skin,
     measure_tactile},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* "kind:object[:frame][@rate]" of `length` characters; false: it is none */
static bool read_word(const char* word, size_t length, Sensor* sensor)
{
    char text[3 * NAME_SIZE], rest[8] = "";
    if (length >= sizeof text) {
        return false;
    }
    memcpy(text, word, length);
    text[length] = '\0';
    char* rate = strrchr(text, '@');
    if (rate != NULL &&
        (sscanf(rate, "@%lf%7s", &sensor->schedule.rate, rest) != 1 || !(sensor->schedule.rate > 0.0 && sensor->schedule.rate <= 1e4))) {
        return false;
    }
    if (rate != NULL) {
        *rate = '\0';
    }
    char* object = strchr(text, ':');
    if (object == NULL) {
        return false;
    }
    *object++ = '\0';
    for (int k = 0; k < KINDS; k++) {
        sensor->kind = strcmp(kinds[k].word, text) == 0 ? &kinds[k] : sensor->kind;
    }
    char* frame = strchr(object, ':');
    if (frame != NULL) {
        *frame++ = '\0';
    }
    if (sensor->kind == NULL || object[0] == '\0' || strlen(object) >= NAME_SIZE || (frame != NULL && strlen(frame) >= NAME_SIZE)) {
        return false;
    }
    strcpy(sensor->object, object);
    strcpy(sensor->frame, frame != NULL ? frame : "");
    sensor->schedule.rate = rate != NULL ? sensor->schedule.rate : sensor->kind->rate;
    return true;
}

static bool make_sensor(FilSensors* sensors, const char* word, size_t length)
{
    Sensor* sensor = &sensors->items[sensors->count++];
    if (!read_word(word, length, sensor)) {
        RCUTILS_LOG_ERROR_NAMED(sensors->logger,
                                "sensors: '%.*s' is none of imu:BODY, wrench:JOINT[:FRAME], points:OBJECT, tactile:OBJECT[:FRAME], with @RATE in Hz "
                                "where another is wanted",
                                (int)(length < 100 ? length : 100), word);
        return false;
    }
    // what a topic's name cannot have becomes an underscore
    snprintf(sensor->name, sizeof sensor->name, "%s/%s", sensor->object, sensor->kind->word);
    for (char* c = sensor->name; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) || *c == '/' ? *c : '_';
    }
    sensor->topic = (FilOutputTopic){sensor->name, 10, false, sensor->kind->type_name, sensor->kind->type};
    sensor->random = (uint64_t)fil_parameters_find(sensors->parameters, "sensor_seed")->value.integer * 1000u + (uint64_t)sensors->count;
    sensor->message = fil_message_create(&sensor->kind->message);
    if (sensor->message == NULL) {
        RCUTILS_LOG_ERROR_NAMED(sensors->logger, "out of memory");
        return false;
    }
    return fil_ros_ok(rclc_publisher_init(&sensor->publisher, sensors->node, sensor->kind->type(), sensor->name, &rmw_qos_profile_default),
                      sensors->logger, sensor->name);
}

bool fil_sensors_init(FilSensors* sensors, rcl_node_t* node, FilParameters* parameters, const FilTap* tap)
{
    const char* text = fil_parameters_find(parameters, "sensors")->value.text;
    *sensors = (FilSensors){.logger = rcl_node_get_logger_name(node), .node = node, .parameters = parameters, .tap = tap};
    sensors->items = calloc(strlen(text) / 2 + 1, sizeof *sensors->items);
    bool good = sensors->items != NULL;
    for (size_t length; good && (text += strspn(text, " ,"), length = strcspn(text, " ,")) > 0; text += length) {
        sensors->items[sensors->count].publisher = rcl_get_zero_initialized_publisher();
        good = make_sensor(sensors, text, length);
    }
    return good;
}

void fil_sensors_fini(FilSensors* sensors)
{
    for (int i = sensors->count; i-- > 0;) {
        Sensor* sensor = &sensors->items[i];
        fil_ros_ok(rcl_publisher_fini(&sensor->publisher, sensors->node), sensors->logger, sensor->name);
        if (sensor->kind != NULL) {
            fil_message_destroy(&sensor->kind->message, sensor->message);
        }
    }
    free(sensors->items);
    *sensors = (FilSensors){.count = 0};
}

/* what another world has not is told once */
static void look_for_objects(FilSensors* sensors, const FilSimulation* simulation)
{
    sensors->load = simulation->load_count;
    for (int i = 0; i < sensors->count; i++) {
        Sensor* sensor = &sensors->items[i];
        sensor->found = sensor->kind->finds(simulation->world, sensor->object);
        sensor->time = -1.0;
        if (!sensor->found) {
            RCUTILS_LOG_WARN_NAMED(sensors->logger, "sensors: '%s' is not %s of this scene: %s is silent", sensor->object, sensor->kind->objects,
                                   sensor->name);
        } else if (sensor->frame[0] != '\0' && !finds_body(simulation->world, sensor->frame)) {
            RCUTILS_LOG_WARN_NAMED(sensors->logger, "sensors: there is no link or rigid body '%s': %s is told in the frame " FIL_ROOT_FRAME,
                                   sensor->frame, sensor->name);
        }
    }
}

void fil_sensors_update(FilSensors* sensors, const FilSimulation* simulation)
{
    if (sensors->count == 0 || simulation->world == NULL) {
        return;
    }
    if (sensors->load != simulation->load_count) {
        look_for_objects(sensors, simulation);
    }
    const double time = fil_world_time(simulation->world), dt = fil_world_dt(simulation->world);
    for (int i = 0; i < sensors->count; i++) {
        Sensor* sensor = &sensors->items[i];
        const bool due = sensor->found && fil_schedule_is_due(&sensor->schedule, time, dt, false);
        if (sensor->found && sensor->kind->measure(sensors, sensor, simulation->world, due)) {
            fil_ros_ok(rcl_publish(&sensor->publisher, sensor->message, NULL), sensors->logger, sensor->name);
            fil_tap_pass(sensors->tap, &sensor->topic, sensor->message);
        }
    }
}
