#include "sensor.h"

#include <stdio.h>

#include "motion.h"
#include "scene/random.h"

double fil_sensor_number(FilSensors* sensors, const char* parameter)
{
    return fil_parameters_find(sensors->parameters, parameter)->value.real;
}

double fil_sensor_noise(FilSensor* sensor, double deviation)
{
    return deviation > 0.0 ? deviation * fil_random_normal(&sensor->random) : 0.0;
}

geometry_msgs__msg__Vector3 fil_sensor_with_noise(FilSensor* sensor, FilVec3 v, double deviation)
{
    double out[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        out[k] += fil_sensor_noise(sensor, deviation);
    }
    return (geometry_msgs__msg__Vector3){out[0], out[1], out[2]};
}

bool fil_sensor_set_header(const FilSensors* sensors, std_msgs__msg__Header* header, const FilWorld* world, const char* frame)
{
    char name[FIL_PARAMETER_TEXT + FIL_SENSOR_NAME] = FIL_ROOT_FRAME;
    if (frame != NULL) {
        snprintf(name, sizeof name, "%s%s", fil_parameters_find(sensors->parameters, "frame_prefix")->value.text, frame);
    }
    header->stamp = fil_stamp_of(world);
    return rosidl_runtime_c__String__assign(&header->frame_id, name);
}

FilId fil_sensor_find_body(const FilWorld* world, const char* name)
{
    const FilId link = fil_world_find_link(world, name);
    return link.index != 0 ? link : fil_world_find_rigid(world, name);
}

bool fil_sensor_finds_body(const FilWorld* world, const char* name)
{
    return fil_sensor_find_body(world, name).index != 0;
}

bool fil_sensor_see_body(const FilWorld* world, const char* name, FilEntityState* state)
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
