#include "namesakes.h"

#include <string.h>

#include "messages.h"
#include "rcl/graph.h"

/* A node that has ended stays known for a while where it could not say goodbye. */
#define PERIOD 2.0 /* s */

static size_t count(const rcl_node_t* node)
{
    rcutils_string_array_t names = rcutils_get_zero_initialized_string_array();
    rcutils_string_array_t spaces = rcutils_get_zero_initialized_string_array();
    const char* logger = rcl_node_get_logger_name(node);
    size_t found = 0;
    if (fil_ros_ok(rcl_get_node_names(node, rcl_get_default_allocator(), &names, &spaces), logger, "names of nodes")) {
        for (size_t k = 0; k < names.size && k < spaces.size; k++) {
            found += strcmp(names.data[k], rcl_node_get_name(node)) == 0 && strcmp(spaces.data[k], rcl_node_get_namespace(node)) == 0;
        }
    }
    if (rcutils_string_array_fini(&names) != RCUTILS_RET_OK || rcutils_string_array_fini(&spaces) != RCUTILS_RET_OK) {
        rcutils_reset_error();
    }
    return found > 0 ? found - 1 : 0;  // this one is among them
}

void fil_namesakes_watch(FilNamesakes* namesakes, const rcl_node_t* node, double now)
{
    if (now < namesakes->next) {
        return;
    }
    const size_t before = namesakes->count;
    namesakes->next = now + PERIOD;
    namesakes->count = count(node);
    if (namesakes->count > before) {
        RCUTILS_LOG_WARN_NAMED(rcl_node_get_logger_name(node),
                               "there is another node called %s: both answer its services and publish on its topics; give one of them "
                               "another name or namespace (-r __node:=NAME, -r __ns:=/NAME)",
                               rcl_node_get_fully_qualified_name(node));
    }
}
