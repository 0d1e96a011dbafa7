/* Owns how the commands of bags join the ROS graph. */
#include "bag_graph.h"

#include <string.h>

#include "cli.h"
#include "rcl/error_handling.h"

void fil_bag_tell_error(const char* command, const char* what)
{
    fil_cli_fail(command, 0, "%s: %s", what, rcl_get_error_string().str);
    rcl_reset_error();
}

bool fil_bag_join_graph(FilBagNode* node, const char* name, const char* command)
{
    node->allocator = rcl_get_default_allocator();
    if (rclc_support_init(&node->support, 0, NULL, &node->allocator) != RCL_RET_OK) {
        fil_bag_tell_error(command, "cannot join the ROS graph");
        return false;
    }
    rcl_node_options_t options = rcl_node_get_default_options();
    options.enable_rosout = false;
    node->node = rcl_get_zero_initialized_node();
    if (rclc_node_init_with_options(&node->node, name, "", &node->support, &options) != RCL_RET_OK) {
        fil_bag_tell_error(command, "cannot join the ROS graph");
        if (rclc_support_fini(&node->support) != RCL_RET_OK) {
            rcl_reset_error();
        }
        return false;
    }
    return true;
}

void fil_bag_leave_graph(FilBagNode* node)
{
    if (rcl_node_fini(&node->node) != RCL_RET_OK || rclc_support_fini(&node->support) != RCL_RET_OK) {
        rcl_reset_error();  // the process ends anyway
    }
}

bool fil_bag_wants(const char* topic, char** names, int count)
{
    for (int i = 0; i < count; ++i) {
        // a name without slash is of the root namespace
        if (strcmp(names[i], topic) == 0 || (names[i][0] != '/' && strcmp(names[i], topic + 1) == 0)) {
            return true;
        }
    }
    return count == 0;
}
