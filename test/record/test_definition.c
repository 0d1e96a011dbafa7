/* Definitions: lines taken apart, texts joined with what they need, each failure by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bag.h"

static FilDefinitionLine take(const char* line, FilField* field)
{
    return fil_definition_line(&line, line + strlen(line), "here", field);
}

static void test_lines(void** state)
{
    (void)state;
    static const struct {
        const char* line;
        FilDefinitionLine kind;
        const char* type;
        bool primitive;
        FilFieldArray array;
        uint32_t count;
        const char* name;
    } cases[] = {
        {"float64 x", FIL_LINE_FIELD, "float64", true, FIL_FIELD_SINGLE, 0, "x"},
        {"  float64[]   x  # m\r", FIL_LINE_FIELD, "float64", true, FIL_FIELD_DYNAMIC, 0, "x"},
        {"uint8[24] gid", FIL_LINE_FIELD, "uint8", true, FIL_FIELD_FIXED, 24, "gid"},
        {"string<=9[<=3] few", FIL_LINE_FIELD, "string", true, FIL_FIELD_DYNAMIC, 0, "few"},
        {"int32 n 7", FIL_LINE_FIELD, "int32", true, FIL_FIELD_SINGLE, 0, "n"},
        {"Rod rod", FIL_LINE_FIELD, "here/Rod", false, FIL_FIELD_SINGLE, 0, "rod"},
        {"Header header", FIL_LINE_FIELD, "std_msgs/Header", false, FIL_FIELD_SINGLE, 0, "header"},
        {"geometry_msgs/Pose[2] ends", FIL_LINE_FIELD, "geometry_msgs/Pose", false, FIL_FIELD_FIXED, 2, "ends"},
        {"geometry_msgs/msg/Pose p", FIL_LINE_FIELD, "geometry_msgs/Pose", false, FIL_FIELD_SINGLE, 0, "p"},
        {"uint8 SPHERE=2", FIL_LINE_EMPTY, NULL, false, FIL_FIELD_SINGLE, 0, NULL},
        {"string NAME = \"x # y\"", FIL_LINE_EMPTY, NULL, false, FIL_FIELD_SINGLE, 0, NULL},
        {"# only words", FIL_LINE_EMPTY, NULL, false, FIL_FIELD_SINGLE, 0, NULL},
        {"", FIL_LINE_EMPTY, NULL, false, FIL_FIELD_SINGLE, 0, NULL},
        {"float64", FIL_LINE_BAD, NULL, false, FIL_FIELD_SINGLE, 0, NULL},
        {"float64[ x", FIL_LINE_BAD, NULL, false, FIL_FIELD_SINGLE, 0, NULL},
        {"float64[3 x", FIL_LINE_BAD, NULL, false, FIL_FIELD_SINGLE, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        FilField field;
        assert_int_equal(take(cases[i].line, &field), cases[i].kind);
        if (cases[i].kind == FIL_LINE_FIELD) {
            assert_string_equal(field.type, cases[i].type);
            assert_string_equal(field.name, cases[i].name);
            assert_int_equal(field.primitive, cases[i].primitive);
            assert_int_equal(field.array, cases[i].array);
            assert_int_equal(field.count, cases[i].count);
        }
    }
}

static bool lookup(void* context, const char* type, FilBytes* text)
{
    static const char* const known[][2] = {
        {"a/Top", "b/Middle[] parts\nLeaf leaf\nfloat64 x"},  // no newline at its end
        {"a/Leaf", "int32 n\n"},
        {"b/Middle", "a/Leaf leaf\nLoop loop\n"},
        {"b/Loop", "Loop[] again\n"},
        {"a/Lost", "c/Nowhere n\n"},
        {"a/Odd", "float64[3 x\n"},
    };
    (void)context;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        if (strcmp(type, known[i][0]) == 0) {
            fil_bytes_put(text, known[i][1], strlen(known[i][1]));
            return true;
        }
    }
    return false;
}

static void test_join(void** state)
{
    (void)state;
    FilBytes text = {0};
    FilError error = {""};
    assert_int_equal(fil_definition_join("a/msg/Top", lookup, NULL, &text, &error), FIL_OK);
    fil_bytes_u8(&text, '\0');
#define RULE "================================================================================\n"
    assert_string_equal((const char*)text.data, "b/Middle[] parts\nLeaf leaf\nfloat64 x\n" RULE "MSG: b/Middle\na/Leaf leaf\nLoop loop\n" RULE
                                                "MSG: a/Leaf\nint32 n\n" RULE "MSG: b/Loop\nLoop[] again\n");
    static const char* const wrong[][2] = {
        {"a/msg/Lost", "no definition of c/Nowhere is found (needed by a/Lost)"},
        {"a/msg/Odd", "the definition of a/Odd cannot be understood"},
        {"Top", "'Top' is not the name of a message type"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        fil_bytes_clear(&text);
        assert_int_equal(fil_definition_join(wrong[i][0], lookup, NULL, &text, &error), FIL_BAD_INPUT);
        assert_string_equal(error.text, wrong[i][1]);
    }
    fil_bytes_free(&text);
}

/* Every definition that is built in can be joined and decoded: none lacks a part. */
static void test_built_in(void** state)
{
    (void)state;
    static const char* const types[] = {"filum/msg/RodStates",        "filum/msg/ContactWrenches",        "filum/msg/StepInfo",
                                        "sensor_msgs/msg/JointState", "tf2_msgs/msg/TFMessage",           "visualization_msgs/msg/MarkerArray",
                                        "rosgraph_msgs/msg/Clock",    "rcl_interfaces/msg/ParameterEvent"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        FilDefinitionPlaces places = {0};
        FilBytes text = {0};
        FilError error = {""};
        if (fil_definition_join(types[i], fil_definition_find, &places, &text, &error) != FIL_OK) {
            fail_msg("%s", error.text);
        }
        const FilBagChannel channel = {
            .topic = "/t", .type = types[i], .encoding = "cdr", .schema_encoding = "ros2msg", .schema = {.data = text.data, .size = text.size}};
        FilDecoder* decoder = NULL;
        if (fil_decoder_create(&channel, &decoder, &error) != FIL_OK) {
            fail_msg("%s", error.text);
        }
        fil_decoder_destroy(decoder);
        fil_bytes_free(&text);
    }
}

static void count_leaf(void* context, const char* path, const char* value)
{
    (void)path;
    (void)value;
    *(int*)context += 1;
}

/* A type that holds itself, a count that lies, a message that is too short: an end, not a crash. */
static void test_hostile_messages(void** state)
{
    (void)state;
    static const struct {
        const char* definition;
        const char* message;
        size_t size;
        bool good;
        int leaves;
    } cases[] = {
        {"T again\n", "\0\1\0\0", 4, false, 0},
        {"uint8[] many\n", "\0\1\0\0\xff\xff\xff\xff\1\2", 10, false, 2},
        {"uint8[4000000000] many\n", "\0\1\0\0\1", 5, false, 1},
        {"string text\n", "\0\1\0\0\xff\0\0\0abc", 11, false, 0},
        {"string text\n", "\0\1\0\0\4\0\0\0abc", 12, true, 1},
        {"uint16 n\nuint8 b\n", "\0\0\0\0\1\2\3", 7, true, 2},
        {"", "\0\1\0\0\0", 5, true, 0},
        {"uint8 n\n", "\0\1", 2, false, 0},
        {"uint8 n\n", "\7\7\0\0\1", 5, false, 0},
        {"wstring w\n", "\0\1\0\0\0\0\0\0", 8, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const FilBagChannel channel = {.topic = "/t",
                                       .type = "p/msg/T",
                                       .encoding = "cdr",
                                       .schema_encoding = "ros2msg",
                                       .schema = {.data = (const uint8_t*)cases[i].definition, .size = strlen(cases[i].definition)}};
        FilDecoder* decoder = NULL;
        FilError error = {""};
        int leaves = 0;
        assert_int_equal(fil_decoder_create(&channel, &decoder, &error), FIL_OK);
        const FilSlice message = {.data = (const uint8_t*)cases[i].message, .size = cases[i].size};
        assert_int_equal(fil_decoder_walk(decoder, message, count_leaf, &leaves) == FIL_OK, cases[i].good);
        assert_int_equal(leaves, cases[i].leaves);
        fil_decoder_destroy(decoder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_built_in),
        cmocka_unit_test(test_hostile_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
