/* The publishers of the node: what a simulation tells, under the QoS of the parameters, and diagnostics once a second
 * of wall time. */
#ifndef FILUM_NODE_PUBLISHERS_H
#define FILUM_NODE_PUBLISHERS_H

#include "boundary.h"
#include "commands.h"
#include "diagnostic_msgs/msg/diagnostic_array.h"
#include "outputs.h"
#include "parameters.h"
#include "rcl/rcl.h"
#include "rmw/qos_profiles.h"
#include "tap.h"

typedef struct FilPublishers {
    const char* logger;
    const char* node_name; /* full */
    rcl_publisher_t publishers[FIL_TOPIC_COUNT];
    rmw_qos_profile_t offered[FIL_TOPIC_COUNT];
    const FilTap* tap;
    FilOutputs outputs;
    diagnostic_msgs__msg__DiagnosticArray diagnostics;
    double next_diagnostics;           /* wall time, s */
    uint64_t reported_deadlines;       /* missed deadlines up to the last diagnostics */
    uint64_t failed;                   /* publications that failed */
    bool looked_at;                    /* somebody else than subscribers wants markers */
    bool repeating;                    /* what is published was published before: a recording does not want it */
    bool running;                      /* time does not stand: who has joined hears what is published next */
    size_t listeners[FIL_TOPIC_COUNT]; /* of each topic, when it was last published while time ran, or when last asked */
    double slowest;                    /* s, the longest publication since the last diagnostics */
} FilPublishers;

/* Declares qos_overrides.<topic>.publisher.{history,depth,reliability,durability} of all topics, by their names after remapping, as
 * rclcpp does. False: a name cannot be resolved, which is logged. */
bool fil_publishers_declare(FilParameters* parameters, const rcl_node_t* node);

/* Failures are logged. */
bool fil_publishers_init(FilPublishers* publishers, rcl_node_t* node, FilParameters* parameters, const FilTap* tap);
void fil_publishers_fini(FilPublishers* publishers, rcl_node_t* node);

/* Publishes what is due at the simulation's time; everything when `all` (after a load, a reset, a single step). */
void fil_publishers_update(FilPublishers* publishers, const FilSimulation* simulation, bool all);

/* Subscriptions of others to all topics together. */
size_t fil_publishers_listeners(const FilPublishers* publishers);

/* Whether any topic has more subscriptions than when this was asked last, or when it was last published while time ran. */
bool fil_publishers_joined(FilPublishers* publishers);

/* Once a second of wall time. */
void fil_publishers_diagnose(FilPublishers* publishers, const FilSimulation* simulation, const FilCommands* commands, const FilBoundary* boundary,
                             double now);

#endif
