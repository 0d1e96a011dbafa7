#include "sensors.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rclc/publisher.h"
#include "rmw/qos_profiles.h"
#include "sensor.h"

static const FilSensorKind* const kinds[] = {&fil_imu_sensor,     &fil_wrench_sensor, &fil_points_sensor,
                                             &fil_tactile_sensor, &fil_range_sensor,  &fil_scan_sensor};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* "kind:object[:frame][@rate]" of `length` characters; false: it is none */
static bool read_word(const char* word, size_t length, FilSensor* sensor)
{
    char text[3 * FIL_SENSOR_NAME], rest[8] = "";
    if (length >= sizeof text) {
        return false;
    }
    memcpy(text, word, length);
    text[length] = '\0';
    char* rate = strrchr(text, '@');  // up to 1e4 Hz, as publish_rate
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
        sensor->kind = strcmp(kinds[k]->word, text) == 0 ? kinds[k] : sensor->kind;
    }
    char* frame = strchr(object, ':');
    if (frame != NULL) {
        *frame++ = '\0';
    }
    if (sensor->kind == NULL || object[0] == '\0' || strlen(object) >= FIL_SENSOR_NAME || (frame != NULL && strlen(frame) >= FIL_SENSOR_NAME)) {
        return false;
    }
    strcpy(sensor->object, object);
    strcpy(sensor->frame, frame != NULL ? frame : "");
    sensor->schedule.rate = rate != NULL ? sensor->schedule.rate : sensor->kind->rate;
    return true;
}

static bool make_sensor(FilSensors* sensors, const char* word, size_t length)
{
    FilSensor* sensor = &sensors->items[sensors->count++];
    if (!read_word(word, length, sensor)) {
        RCUTILS_LOG_ERROR_NAMED(
            sensors->logger,
            "sensors: '%.*s' is none of imu:BODY, wrench:JOINT[:FRAME], points:OBJECT, tactile:OBJECT[:FRAME], range:BODY, scan:BODY, with "
            "@RATE in Hz "
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
    // seeds one apart share no numbers, of a thousand sensors
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
        FilSensor* sensor = &sensors->items[i];
        fil_ros_ok(rcl_publisher_fini(&sensor->publisher, sensors->node), sensors->logger, sensor->name);
        if (sensor->kind != NULL) {
            fil_message_destroy(&sensor->kind->message, sensor->message);
        }
    }
    free(sensors->items);
    *sensors = (FilSensors){.count = 0};
}

/* what another world has not is reported once */
static void look_for_objects(FilSensors* sensors, const FilSimulation* simulation)
{
    sensors->load = simulation->load_count;
    for (int i = 0; i < sensors->count; i++) {
        FilSensor* sensor = &sensors->items[i];
        sensor->found = sensor->kind->finds(simulation->world, sensor->object);
        sensor->time = -1.0;
        if (!sensor->found) {
            RCUTILS_LOG_WARN_NAMED(sensors->logger, "sensors: '%s' is not %s of this scene: %s is silent", sensor->object, sensor->kind->objects,
                                   sensor->name);
        } else if (sensor->frame[0] != '\0' && !fil_sensor_finds_body(simulation->world, sensor->frame)) {
            RCUTILS_LOG_WARN_NAMED(sensors->logger, "sensors: there is no link or rigid body '%s': %s is published in the frame " FIL_ROOT_FRAME,
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
        FilSensor* sensor = &sensors->items[i];
        const bool due = sensor->found && fil_schedule_is_due(&sensor->schedule, time, dt, false);
        if (sensor->found && sensor->kind->measure(sensors, sensor, simulation->world, due)) {
            fil_ros_ok(rcl_publish(&sensor->publisher, sensor->message, NULL), sensors->logger, sensor->name);
            fil_tap_pass(sensors->tap, &sensor->topic, sensor->message);
        }
    }
}
