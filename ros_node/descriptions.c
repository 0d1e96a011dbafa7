#include "descriptions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "messages.h"
#include "rclc/publisher.h"
#include "rmw/qos_profiles.h"
#include "std_msgs/msg/string.h"

void fil_descriptions_init(FilDescriptions* descriptions, rcl_node_t* node)
{
    *descriptions = (FilDescriptions){.node = node};
}

static void clear(FilDescriptions* descriptions)
{
    for (int i = 0; i < descriptions->count; i++) {
        fil_ros_ok(rcl_publisher_fini(&descriptions->publishers[i], descriptions->node), rcl_node_get_logger_name(descriptions->node),
                   "robot_description");
    }
    free(descriptions->publishers);
    descriptions->publishers = NULL;
    descriptions->count = 0;
}

void fil_descriptions_fini(FilDescriptions* descriptions)
{
    if (descriptions->node != NULL) {
        clear(descriptions);
    }
}

static bool publish(FilDescriptions* descriptions, const char* name, const char* text)
{
    const char* logger = rcl_node_get_logger_name(descriptions->node);
    rcl_publisher_t* publisher = &descriptions->publishers[descriptions->count];
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 1;
    qos.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    *publisher = rcl_get_zero_initialized_publisher();
    if (!fil_ros_ok(rclc_publisher_init(publisher, descriptions->node, ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String), name, &qos), logger,
                    name)) {
        return false;
    }
    descriptions->count++;
    std_msgs__msg__String* message = std_msgs__msg__String__create();
    const bool done =
        message != NULL && rosidl_runtime_c__String__assign(&message->data, text) && fil_ros_ok(rcl_publish(publisher, message, NULL), logger, name);
    std_msgs__msg__String__destroy(message);
    return done;
}

void fil_descriptions_update(FilDescriptions* descriptions, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    if (descriptions->load == simulation->load_count) {
        return;
    }
    clear(descriptions);
    descriptions->load = simulation->load_count;
    const int robots = world != NULL ? fil_world_robot_count(world) : 0;
    descriptions->publishers = calloc((size_t)robots + 1, sizeof *descriptions->publishers);
    for (int i = 0; i < robots && descriptions->publishers != NULL; i++) {
        const FilId robot = fil_world_robot_at(world, i);
        const char* text = fil_robot_description(world, robot);
        char name[200] = "robot_description";
        if (robots > 1) {
            snprintf(name, sizeof name, "%.150s/robot_description", fil_robot_name(world, robot));
            for (char* c = name; *c != '\0'; c++) {  // what a topic's name cannot have
                *c = isalnum((unsigned char)*c) || *c == '/' ? *c : '_';
            }
        }
        if (text != NULL && !publish(descriptions, name, text)) {
            return;
        }
    }
}
