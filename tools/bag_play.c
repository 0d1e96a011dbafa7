/* Owns `filum bag play`: the messages of a bag on their topics again, in the rhythm of their log times. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bag.h"
#include "bag_graph.h"
#include "bench.h"
#include "qos_text.h"
#include "raw.h"
#include "rcl/error_handling.h"
#include "rclc/publisher.h"
#include "rmw/qos_profiles.h"
#include "rosgraph_msgs/msg/clock.h"

#define COMMAND "bag play"
#define CLOCK_PERIOD 0.01 /* s of wall time between two messages of /clock */
#define FLUSH_TIME 2.0    /* s that slow readers are given at the end */

typedef struct Player {
    const char* path;
    FilReader* reader;
    FilGraphMember graph;
    rcl_publisher_t clock;
    bool has_clock;
    FilRaw** raws; /* by the index of the channel; NULL: not played */
    size_t count;
    char** names; /* of the topics that are wanted */
    int name_count;
    double rate;
    double start_wall;  /* s, when `start_log` was, or would have been, played */
    uint64_t start_log; /* ns */
    double next_clock;  /* s of wall time */
    uint64_t messages, failed;
} Player;

/* ---- topics ---- */

/* What was offered, with a history that is not shorter than usual. */
static rmw_qos_profile_t offer(const FilBagChannel* channel)
{
    rmw_qos_profile_t qos = fil_qos_from_text(fil_bag_property(channel, FIL_BAG_QOS_KEY));
    qos.depth = qos.depth < rmw_qos_profile_default.depth ? rmw_qos_profile_default.depth : qos.depth;
    return qos;
}

static void open_topic(Player* player, size_t index)
{
    const FilBagChannel* channel = &fil_reader_channels(player->reader)->items[index].channel;
    if (!fil_bag_wants(channel->topic, player->names, player->name_count) || (player->has_clock && strcmp(channel->topic, "/clock") == 0)) {
        return;
    }
    const rmw_qos_profile_t qos = offer(channel);
    if (strcmp(channel->encoding, "cdr") != 0) {
        fil_cli_fail(COMMAND, 0, "%s: its messages are %s, not cdr; left out", channel->topic, channel->encoding);
    } else if (fil_raw_create(&player->graph.node, true, channel->topic, channel->type, &qos, &player->raws[index]) != RCL_RET_OK) {
        fil_bag_report_error(COMMAND, channel->topic);
    }
}

/* Writers for channels that have come up since; a bag without summary tells them on the way. */
static bool open_topics(Player* player)
{
    const size_t known = fil_reader_channels(player->reader)->count;
    if (known > player->count) {
        FilRaw** raws = realloc(player->raws, known * sizeof *raws);
        if (raws == NULL) {
            return false;
        }
        player->raws = raws;
        for (; player->count < known; ++player->count) {
            player->raws[player->count] = NULL;
            open_topic(player, player->count);
        }
    }
    return true;
}

/* ---- time ---- */

static void sleep_for(double seconds)
{
    const struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&pause, NULL);
}

static void report_time(Player* player, uint64_t time)
{
    const rosgraph_msgs__msg__Clock clock = {.clock = {.sec = (int32_t)(time / 1000000000), .nanosec = (uint32_t)(time % 1000000000)}};
    if (player->has_clock && rcl_publish(&player->clock, &clock, NULL) != RCL_RET_OK) {
        rcl_reset_error();
    }
}

/* Waits until a log time is due, telling the time meanwhile; false if somebody wants to stop. */
static bool wait_for(Player* player, uint64_t log_time)
{
    const double due = player->start_wall + 1e-9 * ((double)log_time - (double)player->start_log) / player->rate;
    for (double now = fil_bench_clock().wall; !fil_stop_requested(); now = fil_bench_clock().wall) {
        if (now >= player->next_clock) {
            const double played = fmax(0.0, fmin(now, due) - player->start_wall) * player->rate;
            report_time(player, player->start_log + (uint64_t)(1e9 * played));
            player->next_clock = now + CLOCK_PERIOD;
        }
        if (now >= due) {
            return true;
        }
        sleep_for(fmin(due - now, CLOCK_PERIOD));
    }
    return false;
}

/* ---- messages ---- */

/* One time through the bag; *more is false if somebody wants to stop. */
static FilStatus play_once(Player* player, bool* more, FilError* error)
{
    bool first = true;
    *more = true;
    for (bool found = true; *more;) {
        FilBagMessage message;
        const FilStatus status = fil_reader_next(player->reader, &message, &found, error);
        if (status != FIL_OK || !found) {
            return status;
        }
        if (!open_topics(player)) {
            return FIL_OUT_OF_MEMORY;
        }
        const FilBagChannels* channels = fil_reader_channels(player->reader);
        const FilRaw* raw = player->raws[fil_bag_channels_find(channels, message.channel) - channels->items];
        if (first) {
            player->start_wall = player->next_clock = fil_bench_clock().wall;
            player->start_log = message.log_time;
            first = false;
        }
        if (raw == NULL) {
            continue;
        }
        *more = wait_for(player, message.log_time);
        if (*more && fil_raw_send(raw, message.data.data, message.data.size) != RCL_RET_OK) {
            player->failed += 1;
            rcl_reset_error();
        }
        player->messages += *more ? 1 : 0;
    }
    return FIL_OK;
}

static FilStatus play(Player* player, bool loop, double delay, FilError* error)
{
    bool more = true;
    if (!open_topics(player)) {
        return FIL_OUT_OF_MEMORY;
    }
    // those who listen find the new publishers meanwhile
    for (double left = delay; left > 0.0 && !fil_stop_requested(); left -= CLOCK_PERIOD) {
        sleep_for(CLOCK_PERIOD);
    }
    FilStatus status = play_once(player, &more, error);
    while (status == FIL_OK && more && loop && player->messages > 0) {
        status = fil_reader_select(player->reader, 0, UINT64_MAX, error);
        if (status == FIL_OK) {
            status = play_once(player, &more, error);
        }
    }
    return status;
}

static bool start_clock(Player* player)
{
    player->clock = rcl_get_zero_initialized_publisher();
    player->has_clock = rclc_publisher_init_default(&player->clock, &player->graph.node, ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock),
                                                    "/clock") == RCL_RET_OK;
    if (!player->has_clock) {
        fil_bag_report_error(COMMAND, "/clock");
    }
    return player->has_clock;
}

static void end_topics(Player* player)
{
    const double limit = fil_bench_clock().wall + FLUSH_TIME;
    for (size_t i = 0; i < player->count; ++i) {
        const double left = limit - fil_bench_clock().wall;
        if (player->raws[i] != NULL && !fil_raw_flush(player->raws[i], fmax(left, 0.0))) {
            fil_cli_fail(COMMAND, 0, "%s: a reader did not take everything in time", fil_reader_channels(player->reader)->items[i].channel.topic);
        }
        if (fil_raw_destroy(player->raws[i]) != RCL_RET_OK) {
            rcl_reset_error();
        }
    }
    free(player->raws);
    if (player->has_clock && rcl_publisher_fini(&player->clock, &player->graph.node) != RCL_RET_OK) {
        rcl_reset_error();
    }
}

int fil_bag_play(int argc, char** argv)
{
    Player player = {.rate = 1.0};
    bool loop = false, recorded_clock = false, quiet = false;
    double delay = 0.5;
    const FilOption options[] = {
        {"--rate", FIL_OPTION_POSITIVE, &player.rate, "R", "times as fast as recorded"},
        {"--loop", FIL_OPTION_FLAG, &loop, NULL, "again and again, until Ctrl-C"},
        {"--delay", FIL_OPTION_POSITIVE, &delay, "S", "before the first message, for readers to connect; 0.5"},
        {"--recorded-clock", FIL_OPTION_FLAG, &recorded_clock, NULL, "play the bag's own /clock, make none"},
        {"--quiet", FIL_OPTION_FLAG, &quiet, NULL, "do not say how many messages there were"},
    };
    const FilUsage usage = {
        .command = COMMAND,
        .arguments = "BAG [TOPIC]...",
        .about =
            "Publishes the messages of a bag on their topics, all if none is named, with the QoS they had, and tells\n"
            "the bag's time on /clock; a recorded /clock is skipped.",
        .min_arguments = 1,
        .max_arguments = 1000,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    char path[FIL_BAG_PATH];
    FilError error = {""};
    const FilReaderOptions reading = fil_reader_options_default();
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    player.names = argv + 2;
    player.name_count = count - 1;
    if (!fil_bag_find(argv[1], path, sizeof path, &error) || fil_reader_open(path, &reading, &player.reader, &error) != FIL_OK) {
        return fil_cli_fail(COMMAND, FIL_EXIT_USAGE, "%s", error.text);
    }
    if (!fil_graph_join(&player.graph, "filum_bag_play", COMMAND)) {
        fil_reader_close(player.reader);
        return FIL_EXIT_FAILED;
    }
    fil_stop_on_signals();
    const bool ready = recorded_clock || start_clock(&player);
    const FilStatus status = ready ? play(&player, loop, delay, &error) : FIL_IO;
    end_topics(&player);
    fil_graph_leave(&player.graph);
    fil_reader_close(player.reader);
    if (ready && status != FIL_OK) {
        return fil_cli_fail(COMMAND, FIL_EXIT_FAILED, "%s", error.text);
    }
    if (!quiet) {
        fprintf(stderr, "%" PRIu64 " messages\n", player.messages);
    }
    if (player.failed > 0) {
        return fil_cli_fail(COMMAND, FIL_EXIT_FAILED, "%" PRIu64 " messages could not be sent", player.failed);
    }
    return ready ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}
