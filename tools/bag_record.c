/* Owns `filum bag record`: topics of the ROS graph into a bag, as the bytes that come, whatever their types are. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bag.h"
#include "bag_graph.h"
#include "bench.h"
#include "filum/record.h"
#include "qos_text.h"
#include "raw.h"
#include "rcl/error_handling.h"
#include "rcl/graph.h"
#include "rmw/qos_profiles.h"

#define COMMAND "bag record"
#define LOOK_PERIOD 0.1 /* s between looks for new topics */
/* samples that may wait in a reader while others are written */
enum { DEPTH = 1000, MAX_PUBLISHERS = 64 };

typedef struct Subject {
    char* topic;
    FilRaw* raw; /* NULL: it cannot be recorded, which has been reported */
    uint16_t channel;
    uint32_t sequence;
} Subject;

typedef struct Recording {
    FilGraphMember graph;
    FilRecorder* recorder;
    FilRawWaiter* waiter;
    Subject* subjects;
    size_t count;
    char** names; /* of the topics that are wanted */
    int name_count;
    FilDefinitionPlaces places;
    bool quiet;
    uint64_t messages;
} Recording;

/* ---- a topic that was found ---- */

/* A reader that fits all offers, as rosbag2 chooses it: what all publishers offer is asked for. */
static rmw_qos_profile_t adapt(const rcl_topic_endpoint_info_array_t* offers)
{
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = DEPTH;
    qos.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    for (size_t i = 0; i < offers->size; ++i) {
        const rmw_qos_profile_t* offer = &offers->info_array[i].qos_profile;
        if (offer->reliability != RMW_QOS_POLICY_RELIABILITY_RELIABLE) {
            qos.reliability = RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
        }
        if (offer->durability != RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL) {
            qos.durability = RMW_QOS_POLICY_DURABILITY_VOLATILE;
        }
    }
    return qos;
}

/* All offers as the one text that a bag keeps. */
static void put_offers(const rcl_topic_endpoint_info_array_t* offers, FilBytes* text)
{
    for (size_t i = 0; i < offers->size && i < MAX_PUBLISHERS; ++i) {
        char profile[FIL_QOS_TEXT];
        fil_qos_to_text(&offers->info_array[i].qos_profile, profile);
        fil_bytes_put(text, i > 0 ? "\n" : "", i > 0 ? 1 : 0);
        fil_bytes_put(text, profile, strlen(profile));
    }
    fil_bytes_u8(text, '\0');
}

static bool add_channel(Recording* recording, Subject* subject, const char* type, const FilBytes* offers)
{
    FilBytes definition = {0};
    FilError error = {""};
    const bool defined = fil_definition_join(type, fil_definition_find, &recording->places, &definition, &error) == FIL_OK;
    if (!defined) {
        fil_cli_fail(COMMAND, 0, "%s: recorded without definition (%s); filum bag add-definitions adds it later", subject->topic, error.text);
    }
    const FilBagPair property = {FIL_BAG_QOS_KEY, (const char*)offers->data};
    const FilBagChannel channel = {
        .topic = subject->topic,
        .type = type,
        .encoding = "cdr",
        .schema_encoding = defined ? "ros2msg" : "",
        .schema = {.data = definition.data, .size = defined ? definition.size : 0},
        .properties = &property,
        .property_count = 1,
    };
    const bool added = fil_recorder_add_channel(recording->recorder, &channel, &subject->channel, &error) == FIL_OK;
    fil_bytes_free(&definition);
    if (!added) {
        fil_cli_fail(COMMAND, 0, "%s: %s", subject->topic, error.text);
    }
    return added;
}

/* Listens to a topic; what cannot be recorded is reported and left out. */
static void listen(Recording* recording, Subject* subject, const char* type, const rcl_topic_endpoint_info_array_t* offers)
{
    FilBytes text = {0};
    const rmw_qos_profile_t qos = adapt(offers);
    put_offers(offers, &text);
    if (!text.failed && add_channel(recording, subject, type, &text)) {
        if (fil_raw_create(&recording->graph.node, false, subject->topic, type, &qos, &subject->raw) != RCL_RET_OK ||
            fil_raw_waiter_add(recording->waiter, subject->raw) != RCL_RET_OK) {
            fil_bag_report_error(COMMAND, subject->topic);
        } else if (!recording->quiet) {
            fprintf(stderr, "recording %s of type %s\n", subject->topic, type);
        }
    }
    fil_bytes_free(&text);
}

static bool is_known(const Recording* recording, const char* topic)
{
    for (size_t i = 0; i < recording->count; ++i) {
        if (strcmp(recording->subjects[i].topic, topic) == 0) {
            return true;
        }
    }
    return false;
}

/* A topic that nobody publishes has nothing to adapt to, and a name with a token that begins with _ is hidden. */
static void meet_topic(Recording* recording, const char* topic, const rcutils_string_array_t* types)
{
    rcl_topic_endpoint_info_array_t offers = rcl_get_zero_initialized_topic_endpoint_info_array();
    const bool named = recording->name_count > 0;
    if (is_known(recording, topic) || !fil_bag_wants(topic, recording->names, recording->name_count) || (!named && strstr(topic, "/_") != NULL)) {
        return;
    }
    if (rcl_get_publishers_info_by_topic(&recording->graph.node, &recording->graph.allocator, topic, false, &offers) != RCL_RET_OK) {
        fil_bag_report_error(COMMAND, topic);
    }
    Subject* subjects = offers.size > 0 ? realloc(recording->subjects, (recording->count + 1) * sizeof *subjects) : NULL;
    if (subjects != NULL) {
        recording->subjects = subjects;
        Subject* subject = &subjects[recording->count];
        *subject = (Subject){.topic = strdup(topic)};
        recording->count += subject->topic != NULL ? 1 : 0;
        if (subject->topic != NULL && types->size > 1) {
            fil_cli_fail(COMMAND, 0, "%s: has several types, %s and %s among them; left out", topic, types->data[0], types->data[1]);
        } else if (subject->topic != NULL) {
            listen(recording, subject, offers.info_array[0].topic_type, &offers);
        }
    }
    if (rcl_topic_endpoint_info_array_fini(&offers, &recording->graph.allocator) != RCL_RET_OK) {
        rcl_reset_error();
    }
}

static void look_around(Recording* recording)
{
    rcl_names_and_types_t topics = rcl_get_zero_initialized_names_and_types();
    if (rcl_get_topic_names_and_types(&recording->graph.node, &recording->graph.allocator, false, &topics) != RCL_RET_OK) {
        fil_bag_report_error(COMMAND, "cannot list topics");
    }
    for (size_t i = 0; i < topics.names.size; ++i) {
        meet_topic(recording, topics.names.data[i], &topics.types[i]);
    }
    if (rcl_names_and_types_fini(&topics) != RCL_RET_OK) {
        rcl_reset_error();
    }
}

/* ---- messages ---- */

static uint64_t system_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Writes all that has come; false after a message if the bag cannot be written. */
static bool write_all(Recording* recording)
{
    for (size_t i = 0; i < recording->count; ++i) {
        Subject* subject = &recording->subjects[i];
        FilRawSample sample;
        while (subject->raw != NULL && fil_raw_take(subject->raw, &sample)) {
            const FilBagMessage message = {
                .channel = subject->channel,
                .sequence = subject->sequence++,
                .log_time = system_time(),
                .publish_time = (uint64_t)sample.source_time,
                .data = {.data = sample.bytes, .size = sample.size},
            };
            FilError error = {""};
            const FilStatus status = fil_recorder_write(recording->recorder, &message, &error);
            fil_raw_release(&sample);
            if (status != FIL_OK) {
                fil_cli_fail(COMMAND, 0, "%s", error.text);
                return false;
            }
            recording->messages += 1;
        }
    }
    return true;
}

/* Until somebody stops it, or the time is over. */
static bool record(Recording* recording, double duration)
{
    const double start = fil_bench_clock().wall;
    double look = start;
    bool good = true;
    while (good && !fil_stop_requested()) {
        const double now = fil_bench_clock().wall;
        if (duration > 0.0 && now - start > duration) {
            break;
        }
        if (now >= look) {
            look_around(recording);
            look = now + LOOK_PERIOD;
        }
        fil_raw_waiter_wait(recording->waiter, LOOK_PERIOD);
        good = write_all(recording);
    }
    return good;
}

/* Frees all; tells what is missing. */
static int finish(Recording* recording, bool good)
{
    uint64_t lost = 0;
    FilRecorderCounts counts = {0};
    FilError error = {""};
    fil_raw_waiter_destroy(recording->waiter);
    for (size_t i = 0; i < recording->count; ++i) {
        Subject* subject = &recording->subjects[i];
        lost += subject->raw != NULL ? fil_raw_lost(subject->raw) : 0;
        if (fil_raw_destroy(subject->raw) != RCL_RET_OK) {
            rcl_reset_error();
        }
        free(subject->topic);
    }
    free(recording->subjects);
    fil_graph_leave(&recording->graph);
    if (fil_recorder_close(recording->recorder, &counts, &error) != FIL_OK) {
        return fil_cli_fail(COMMAND, FIL_EXIT_FAILED, "%s", error.text);
    }
    if (!recording->quiet) {
        fprintf(stderr, "%" PRIu64 " messages of %zu topics\n", counts.written, recording->count);
    }
    if (counts.dropped > 0 || lost > 0) {
        return fil_cli_fail(COMMAND, FIL_EXIT_FAILED,
                            "%" PRIu64 " messages were dropped, as the disk is too slow, and %" PRIu64 " were lost before they came here",
                            counts.dropped, lost);
    }
    return good ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}

/* As rosbag2 names bags: rosbag2_2024_05_31-13_15_59. */
static void default_name(char* name, size_t size)
{
    const time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(name, size, "rosbag2_%Y_%m_%d-%H_%M_%S", &local);
}

int fil_bag_record(int argc, char** argv)
{
    const char *output = NULL, *storage = "mcap", *compression = "none";
    double duration = 0.0;
    Recording recording = {0};
    const FilOption options[] = {
        {"--output", FIL_OPTION_TEXT, &output, "BAG", "a new directory, or a file .mcap or .db3"},
        {"--duration", FIL_OPTION_POSITIVE, &duration, "S", "stop after so many seconds; else with Ctrl-C"},
        {"--storage", FIL_OPTION_TEXT, &storage, "KIND", "of a directory: mcap or sqlite3"},
        {"--compression", FIL_OPTION_TEXT, &compression, "CODEC", "none, lz4 or zstd; of .mcap"},
        {"--path", FIL_OPTION_TEXT, &recording.places.path, "DIR[:DIR]...", "look here first for pkg/msg/Type.msg"},
        {"--quiet", FIL_OPTION_FLAG, &recording.quiet, NULL, "say nothing of topics and counts"},
    };
    const FilUsage usage = {
        .command = COMMAND,
        .arguments = "[TOPIC]...",
        .about =
            "Records topics of the ROS graph, all but hidden ones if none is named, also those that appear later.\n"
            "Reliability and durability follow what the publishers offer.",
        .min_arguments = 0,
        .max_arguments = 1000,
        .options = options,
        .option_count = sizeof options / sizeof options[0],
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    char name[64];
    FilError error = {""};
    FilRecorderOptions writing = fil_recorder_options_default();
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    recording.names = argv + 1;
    recording.name_count = count;
    default_name(name, sizeof name);
    writing.drop_when_full = true;
    if (fil_recorder_options_choose(&writing, storage, compression, &error) != FIL_OK) {
        return fil_cli_fail(COMMAND, FIL_EXIT_USAGE, "%s", error.text);
    }
    if (!fil_graph_join(&recording.graph, "filum_bag_record", COMMAND)) {
        return FIL_EXIT_FAILED;
    }
    if (fil_recorder_create(output != NULL ? output : name, &writing, &recording.recorder, &error) != FIL_OK) {
        fil_graph_leave(&recording.graph);
        return fil_cli_fail(COMMAND, FIL_EXIT_USAGE, "%s", error.text);
    }
    fil_stop_on_signals();
    const bool waits = fil_raw_waiter_create(&recording.graph.node, &recording.waiter) == RCL_RET_OK;
    if (!waits) {
        fil_bag_report_error(COMMAND, "cannot wait for messages");
    }
    return finish(&recording, waits && record(&recording, duration));
}
