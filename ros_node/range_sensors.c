/* Ranges along rays: one distance ahead within a cone, and fans of distances. Both look along x of their link or rigid body, from its origin, past
 * what it is fixed to. */
#include <math.h>
#include <stdlib.h>

#include "motion.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "sensor.h"
#include "sensor_msgs/msg/laser_scan.h"
#include "sensor_msgs/msg/range.h"

/* Rays in a cone that is wider than a line. They are an eighth of its width apart, so that what is wider than that is not missed; four times as many
 * would halve that, for four times the rays. */
enum { CONE_RAYS = 64 };

/* Distances along directions of the body's frame, with noise; as REP 117 has it, infinite beyond range_max and minus infinite below range_min. */
static bool measure_rays(FilSensors* sensors, FilSensor* sensor, const FilWorld* world, FilRay* rays, int count, float* ranges)
{
    FilEntityState state;
    const double noise = fil_sensor_number(sensors, "range_noise"), min = fil_sensor_number(sensors, "range_min"),
                 max = fil_sensor_number(sensors, "range_max");
    if (!fil_sensor_see_body(world, sensor->object, &state)) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        rays[k] = (FilRay){state.position, fil_quat_rotate(state.orientation, rays[k].direction), INFINITY};
    }
    FilRayHit* hits = calloc((size_t)count, sizeof *hits);
    const bool good = hits != NULL && fil_world_cast_rays(world, rays, count, fil_sensor_find_body(world, sensor->object), hits) == FIL_OK;
    for (int k = 0; k < count && good; k++) {
        const double range = hits[k].distance + fil_sensor_noise(sensor, noise);
        ranges[k] = (float)(range > max ? INFINITY : range < min ? -INFINITY : range);
    }
    free(hits);
    return good;
}

/* ---- range ---- */

FIL_MESSAGE_FUNCTIONS(sensor_msgs, Range)

/* The nearest of rays that fill the cone evenly (Vogel's spiral), the first along its axis. */
static bool measure_range(FilSensors* sensors, FilSensor* sensor, const FilWorld* world, bool due)
{
    const double width = fil_sensor_number(sensors, "range_field_of_view"), golden = 2.399963229728653; /* rad: (3 - sqrt 5) pi */
    const int count = width > 0.0 ? CONE_RAYS : 1;
    sensor_msgs__msg__Range* message = sensor->message;
    FilRay rays[CONE_RAYS];
    float ranges[CONE_RAYS];
    for (int k = 0; k < count; k++) {
        const double off = count > 1 ? 0.5 * width * sqrt((double)k / (count - 1)) : 0.0;
        rays[k].direction = (FilVec3){cos(off), sin(off) * cos(k * golden), sin(off) * sin(k * golden)};
    }
    if (!due || !measure_rays(sensors, sensor, world, rays, count, ranges)) {
        return false;
    }
    message->radiation_type = (uint8_t)(width > 0.0 ? sensor_msgs__msg__Range__ULTRASOUND : sensor_msgs__msg__Range__INFRARED);
    message->field_of_view = (float)width;
    message->min_range = (float)fil_sensor_number(sensors, "range_min");
    message->max_range = (float)fil_sensor_number(sensors, "range_max");
    message->range = ranges[0];
    for (int k = 1; k < count; k++) {
        message->range = ranges[k] < message->range ? ranges[k] : message->range;
    }
    return fil_sensor_set_header(sensors, &message->header, world, sensor->object);
}

/* Rates, in Hz: what turns a mirror or waits for an echo measures ten to some tens of times a second; rays cost in proportion. @RATE gives another
 * (docs/ros.md). */
const FilSensorKind fil_range_sensor = {"range",
                                        "a link or rigid body",
                                        20.0,
                                        "sensor_msgs/msg/Range",
                                        type_of_Range,
                                        {sizeof(sensor_msgs__msg__Range), init_Range, fini_Range},
                                        fil_sensor_finds_body,
                                        measure_range};

/* ---- scan ---- */

FIL_MESSAGE_FUNCTIONS(sensor_msgs, LaserScan)

static bool size_scan(sensor_msgs__msg__LaserScan* scan, size_t count)
{
    if (scan->ranges.size == count) {
        return true;
    }
    rosidl_runtime_c__float__Sequence__fini(&scan->ranges);
    return rosidl_runtime_c__float__Sequence__init(&scan->ranges, count);
}

/* Evenly about z, from -scan_angle/2 to scan_angle/2. */
static bool measure_scan(FilSensors* sensors, FilSensor* sensor, const FilWorld* world, bool due)
{
    const double angle = fil_sensor_number(sensors, "scan_angle");
    const int count = (int)fil_parameters_find(sensors->parameters, "scan_rays")->value.integer;
    sensor_msgs__msg__LaserScan* scan = sensor->message;
    FilRay* rays = due ? calloc((size_t)count, sizeof *rays) : NULL;
    if (rays == NULL || !size_scan(scan, (size_t)count)) {
        free(rays);
        return false;
    }
    scan->angle_min = (float)(-0.5 * angle);
    scan->angle_max = (float)(0.5 * angle);
    scan->angle_increment = (float)(angle / (count - 1));
    scan->scan_time = (float)(1.0 / sensor->schedule.rate);
    scan->range_min = (float)fil_sensor_number(sensors, "range_min");
    scan->range_max = (float)fil_sensor_number(sensors, "range_max");
    for (int k = 0; k < count; k++) {
        const double at = -0.5 * angle + k * angle / (count - 1);
        rays[k].direction = (FilVec3){cos(at), sin(at), 0.0};
    }
    const bool good =
        measure_rays(sensors, sensor, world, rays, count, scan->ranges.data) && fil_sensor_set_header(sensors, &scan->header, world, sensor->object);
    free(rays);
    return good;
}

const FilSensorKind fil_scan_sensor = {"scan",
                                       "a link or rigid body",
                                       10.0,
                                       "sensor_msgs/msg/LaserScan",
                                       type_of_LaserScan,
                                       {sizeof(sensor_msgs__msg__LaserScan), init_LaserScan, fini_LaserScan},
                                       fil_sensor_finds_body,
                                       measure_scan};
