/* What kinds of sensors are made of: a table's row each, and what they share. */
#ifndef FILUM_NODE_SENSOR_H
#define FILUM_NODE_SENSOR_H

#include "entities.h"
#include "geometry_msgs/msg/vector3.h"
#include "messages.h"
#include "sensors.h"
#include "topic.h"

/* Of an object or frame: those of scenes have 63 characters. */
enum { FIL_SENSOR_NAME = 100 };

typedef struct FilSensor FilSensor;

/* A kind of sensor; the parameter's word for it is the end of its topic too. */
typedef struct FilSensorKind {
    const char* word;
    const char* objects; /* that it can be on, for messages */
    double rate;         /* Hz of simulated time, if none is given */
    const char* type_name;
    const rosidl_message_type_support_t* (*type)(void);
    FilMessageType message;
    bool (*finds)(const FilWorld* world, const char* object); /* whether the world has what it is on */
    /* Looks at the world after each step; fills the message if it is due. False: there is nothing to be published. */
    bool (*measure)(FilSensors* sensors, FilSensor* sensor, const FilWorld* world, bool due);
} FilSensorKind;

struct FilSensor {
    const FilSensorKind* kind;
    char object[FIL_SENSOR_NAME];
    char frame[FIL_SENSOR_NAME]; /* empty: the object's own */
    char name[2 * FIL_SENSOR_NAME];
    FilOutputTopic topic;
    rcl_publisher_t publisher;
    void* message;
    FilSchedule schedule;
    bool found;       /* in the present world */
    uint64_t random;  /* state of the noise */
    FilVec3 velocity; /* m/s, world, at `time`: of an imu */
    double time;      /* s, of the step before; negative: none */
};

/* body_sensors.c, point_sensors.c, range_sensors.c */
extern const FilSensorKind fil_imu_sensor, fil_wrench_sensor, fil_points_sensor, fil_tactile_sensor, fil_range_sensor, fil_scan_sensor;

/* The value of a parameter that is a number. */
double fil_sensor_number(FilSensors* sensors, const char* parameter);
/* Gaussian noise of this deviation, 0: none; on one number, and on three. */
double fil_sensor_noise(FilSensor* sensor, double deviation);
geometry_msgs__msg__Vector3 fil_sensor_with_noise(FilSensor* sensor, FilVec3 v, double deviation);
/* Stamp and frame, which is the root frame if NULL. */
bool fil_sensor_set_header(const FilSensors* sensors, std_msgs__msg__Header* header, const FilWorld* world, const char* frame);
/* The link or rigid body of a name, {0} if there is none. */
FilId fil_sensor_find_body(const FilWorld* world, const char* name);
bool fil_sensor_finds_body(const FilWorld* world, const char* name);
/* Its pose and velocity; false: there is none. */
bool fil_sensor_see_body(const FilWorld* world, const char* name, FilEntityState* state);

#endif
