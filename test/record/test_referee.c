/* Independent readers as referees: writes bags of every codec, and what is in them as JSON, and lets
 * test/record/node/run (Node.js with @mcap/core) read and compare. Skipped where Node.js or its packages cannot be had.
 */
#include <math.h>

#include "record/node_referee.h"

enum { COUNT = 700 };

static const char STATES_DEFINITION[] =
    "std_msgs/Header header\nstring[] names\nfloat64[] positions\ngeometry_msgs/Vector3[2] ends\nbool closed\n"
    "================================================================================\n"
    "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
    "================================================================================\n"
    "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
    "================================================================================\n"
    "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n";

/* CDR: numbers stand at multiples of their size, counted from after the four bytes at the front. */
static void align(FilBytes* bytes, size_t size)
{
    while ((bytes->size - 4) % size != 0) {
        fil_bytes_u8(bytes, 0);
    }
}

static void put_double(FilBytes* bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    align(bytes, 8);
    fil_bytes_u64(bytes, bits);
}

static void put_string(FilBytes* bytes, const char* text)
{
    align(bytes, 4);
    fil_bytes_u32(bytes, (uint32_t)strlen(text) + 1);
    fil_bytes_put(bytes, text, strlen(text) + 1);
}

/* The number-th states, as CDR and as JSON. */
static void put_states(uint32_t number, FilBytes* bytes, FILE* json)
{
    fil_bytes_clear(bytes);
    fil_bytes_put(bytes, "\x00\x01\x00\x00", 4);
    fil_bytes_u32(bytes, number);
    fil_bytes_u32(bytes, 17);
    put_string(bytes, "world");
    align(bytes, 4);
    fil_bytes_u32(bytes, 2);
    put_string(bytes, "rod");
    put_string(bytes, "ring");
    align(bytes, 4);
    const uint32_t positions = number % 50;
    fil_bytes_u32(bytes, positions);
    fprintf(json, "{\"header\":{\"stamp\":{\"sec\":%u,\"nanosec\":17},\"frame_id\":\"world\"},", number);
    fprintf(json, "\"names\":[\"rod\",\"ring\"],\"positions\":[");
    for (uint32_t i = 0; i < positions; ++i) {
        const double value = sin(number + 0.1 * i);
        put_double(bytes, value);
        fprintf(json, "%s%.17g", i > 0 ? "," : "", value);
    }
    fprintf(json, "],\"ends\":[");
    for (int i = 0; i < 6; ++i) {
        put_double(bytes, number * 0.5 + i);
        fprintf(json, "%s\"%c\":%.17g%s", i % 3 == 0 ? (i > 0 ? ",{" : "{") : ",", "xyz"[i % 3], number * 0.5 + i, i % 3 == 2 ? "}" : "");
    }
    fil_bytes_u8(bytes, number % 2);
    fprintf(json, "],\"closed\":%s}", number % 2 != 0 ? "true" : "false");
}

/* A sample message as JSON: its text, or its two numbers. */
static void print_sample(const FilBagMessage* message, uint32_t number, FILE* json)
{
    if (message->channel == 3) {
        fprintf(json, "{\"sec\":%u,\"nanosec\":%u}", number, number * 7);
    } else {
        fprintf(json, "{\"data\":\"%s\"}", (const char*)message->data.data + 8);
    }
}

static void make_bag(const char* folder, FilCompression compression)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%d.mcap", folder, (int)compression);
    FilRecorderOptions options = fil_recorder_options_default();
    options.compression = compression;
    options.chunk_bytes = 30 << 10;
    FilRecorder* recorder = sample_start(path, &options);
    snprintf(path, sizeof path, "%s/%d.jsonl", folder, (int)compression);
    FILE* json = fopen(path, "w");
    assert_non_null(json);

    FilError error = {""};
    uint16_t states = 0;
    FilBagChannel channel = sample_channel(0);
    channel.topic = "/states";
    channel.type = "filum/msg/States";
    channel.schema = slice_of_text(STATES_DEFINITION);
    assert_int_equal(fil_recorder_add_channel(recorder, &channel, &states, &error), FIL_OK);
    const FilBagAttachment scene = {.name = "scene.yaml", .media_type = "application/yaml", .data = channel.schema};
    assert_int_equal(fil_recorder_attach(recorder, &scene, &error), FIL_OK);

    uint8_t buffer[SAMPLE_MAX_SIZE];
    FilBytes bytes = {0};
    for (uint32_t number = 0; number < COUNT; ++number) {
        FilBagMessage message = sample_message(number, buffer);
        const bool rich = number % 3 == 0;
        fprintf(json, "{\"topic\":\"%s\",\"sequence\":%u,\"log\":\"%llu\",\"publish\":\"%llu\",\"value\":",
                rich ? "/states" : sample_channel(message.channel - 1).topic, number, (unsigned long long)message.log_time,
                (unsigned long long)message.publish_time);
        if (rich) {
            put_states(number, &bytes, json);
            message.channel = states;
            message.data = (FilSlice){.data = bytes.data, .size = bytes.size};
        } else {
            print_sample(&message, number, json);
        }
        fprintf(json, "}\n");
        assert_int_equal(fil_recorder_write(recorder, &message, &error), FIL_OK);
    }
    fil_bytes_free(&bytes);
    assert_int_equal(fclose(json), 0);
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
}

static void test_referee(void** state)
{
    const char* folder = *state;
    for (FilCompression compression = FIL_COMPRESSION_NONE; compression <= FIL_COMPRESSION_ZSTD; ++compression) {
        make_bag(folder, compression);
    }
    let_node_judge(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_referee, sample_folder_make, sample_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
