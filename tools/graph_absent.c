/* The commands that look into a ROS 2 graph, in a build that has no member of the graph of its own. */
#include "cli.h"
#include "command_table.h"

static int say(const char* command)
{
    return fil_cli_fail(command, FIL_EXIT_USAGE, "this build does not have it: use `ros2 %s`, or configure with -DFILUM_ROS=embedded", command);
}

int fil_command_topic(int argc, char** argv)
{
    (void)argc;
    return say(argv[0]);
}

int fil_command_param(int argc, char** argv)
{
    (void)argc;
    return say(argv[0]);
}

int fil_command_service(int argc, char** argv)
{
    (void)argc;
    return say(argv[0]);
}
