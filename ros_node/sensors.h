/* Sensors that the parameter `sensors` puts on what a scene has: inertial measurement units on links and rigid bodies, force and torque
 * at joints and attachments of the scene, clouds of points of rods, cloth and solids; each with its rate, and with noise. */
#ifndef FILUM_NODE_SENSORS_H
#define FILUM_NODE_SENSORS_H

#include "parameters.h"
#include "rcl/rcl.h"
#include "tap.h"

struct FilSensor;

typedef struct FilSensors {
    const char* logger;
    rcl_node_t* node;
    FilParameters* parameters;
    const FilTap* tap;
    struct FilSensor* items;
    int count;
    uint64_t load; /* the world whose objects were looked for last */
} FilSensors;

/* Reads the parameter and makes a publisher for each sensor. Failures are logged. */
bool fil_sensors_init(FilSensors* sensors, rcl_node_t* node, FilParameters* parameters, const FilTap* tap);
void fil_sensors_fini(FilSensors* sensors);

/* After each step: publishes what is due. */
void fil_sensors_update(FilSensors* sensors, const FilSimulation* simulation);

#endif
