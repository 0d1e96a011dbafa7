/* Owns how the commands of bags join the ROS graph. */
#include "bag_graph.h"

#include <string.h>

#include "cli.h"
#include "rcl/error_handling.h"

void fil_bag_report_error(const char* command, const char* what)
{
    fil_cli_fail(command, 0, "%s: %s", what, rcl_get_error_string().str);
    rcl_reset_error();
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
