/* The commands that look into a ROS 2 graph, in a build that has no member of the graph of its own. */
#include "cli.h"
#include "command_table.h"

static int say(char** argv)
{
    return fil_cli_absent(argv[0], argv, "this build does not have it: use `ros2 %s`, or configure with -DFILUM_ROS=embedded", argv[0]);
}

int fil_command_topic(int argc, char** argv)
{
    (void)argc;
    return say(argv);
}

int fil_command_param(int argc, char** argv)
{
    (void)argc;
    return say(argv);
}

int fil_command_service(int argc, char** argv)
{
    (void)argc;
    return say(argv);
}
