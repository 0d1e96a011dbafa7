/* Owns `filum bag`: the table of its subcommands. A build without the recorder's libraries only says so. */
#include "cli.h"
#include "command_table.h"

#ifdef FILUM_RECORD

#include "bag.h"

/* some need message types, some the ROS graph below rcl; a build without them says so */
#ifdef FILUM_MESSAGES
#define WITH_MESSAGES(run) run
#else
#define WITH_MESSAGES(run) say_no_messages
#endif
#ifdef FILUM_GRAPH
#define WITH_GRAPH(run) run
#elif defined FILUM_MESSAGES
#define WITH_GRAPH(run) say_no_graph
#else
#define WITH_GRAPH(run) say_no_messages
#endif

#ifndef FILUM_MESSAGES
static int say_no_messages(int argc, char** argv)
{
    (void)argc;
    return fil_cli_absent("bag", argv,
                          "%s: this build has no message types: configure with -DFILUM_ROS=embedded or in a ROS 2 "
                          "workspace",
                          argv[0]);
}
#elif !defined FILUM_GRAPH
static int say_no_graph(int argc, char** argv)
{
    (void)argc;
    return fil_cli_absent("bag", argv, "%s: this build leaves the graph to ROS 2: use ros2 bag %s, which reads and writes the same bags", argv[0],
                          argv[0]);
}
#endif

static const FilCommand subcommands[] = {
    {"info", "BAG", "what a bag contains: topics, types, counts, times", fil_bag_info},
    {"repair", "BAG [NEW]", "copy all that can be read of a bag that was cut off or damaged", fil_bag_repair},
    {"export", "BAG", "write the messages as CSV, one file per topic", fil_bag_export},
    {"add-definitions", "BAG [NEW]", "copy a bag, with the message definitions that it lacks", fil_bag_add_definitions},
    {"replay-check", "BAG", "do a recorded run again and compare its states", WITH_MESSAGES(fil_bag_replay_check)},
    {"bench", "[SCENE]", "how fast runs are recorded, and what it costs them", WITH_MESSAGES(fil_bag_bench)},
    {"record", "[TOPIC]...", "record topics of the ROS graph", WITH_GRAPH(fil_bag_record)},
    {"play", "BAG [TOPIC]...", "publish the messages of a bag, and /clock", WITH_GRAPH(fil_bag_play)},
};

int fil_command_bag(int argc, char** argv)
{
    return fil_cli_dispatch("bag", subcommands, sizeof subcommands / sizeof *subcommands,
                            "filum bag SUBCOMMAND --help lists the options of a subcommand.", argc, argv);
}

#else

int fil_command_bag(int argc, char** argv)
{
    (void)argc;
    return fil_cli_absent("bag", argv, "this build has no recorder: it was configured without zlib, lz4, zstd or sqlite3");
}

#endif
