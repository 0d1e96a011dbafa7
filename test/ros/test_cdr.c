/* The encoding: bytes worked out by hand, round trips of every type, and input that lies. */
/* ctest: embedded */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cdr.h"
#include "random_message.h"
#include "rcl_interfaces/msg/integer_range.h"
#include "rcl_interfaces/msg/parameter_descriptor.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "sensor_msgs/msg/joint_state.h"
#include "std_srvs/srv/set_bool.h"
#include "std_srvs/srv/trigger.h"
#include "types.h"

/* encoded bytes of a message, header included */
static uint8_t* encode(const FilMessageMembers* type, const void* message, size_t* size)
{
    FilCdrWriter counter = {0};
    fil_cdr_write_message(&counter, type, message);
    *size = FIL_CDR_HEADER + counter.at;
    uint8_t* bytes = malloc(*size);
    assert_non_null(bytes);
    fil_cdr_write_header(bytes);
    FilCdrWriter writer = {.body = bytes + FIL_CDR_HEADER};
    fil_cdr_write_message(&writer, type, message);
    assert_int_equal(writer.at, counter.at);
    assert_false(writer.failed);
    return bytes;
}

static bool decode(const FilMessageMembers* type, const uint8_t* bytes, size_t size, void* message)
{
    FilCdrReader reader;
    return fil_cdr_reader_open(&reader, bytes, size) && fil_cdr_read_message(&reader, type, message);
}

static const FilMessageMembers* members(const rosidl_message_type_support_t* support)
{
    return support->data;
}

/* JointState with stamp 1.000000002, frame "ab", one name "j", two positions, nothing else */
static const uint8_t joint_state_bytes[] = {
    0, 1, 0, 0,                               /* little endian CDR */
    1, 0, 0, 0, 2,   0,   0,    0,            /* stamp */
    3, 0, 0, 0, 'a', 'b', 0,                  /* frame_id, with its NUL */
    0,                                        /* padding */
    1, 0, 0, 0, 2,   0,   0,    0,    'j', 0, /* name */
    0, 0,                                     /* padding */
    2, 0, 0, 0,                               /* positions; the next is at 32, aligned to 8 */
    0, 0, 0, 0, 0,   0,   0xf0, 0x3f,         /* 1.0 */
    0, 0, 0, 0, 0,   0,   0,    0xc0,         /* -2.0 */
    0, 0, 0, 0,                               /* no velocity */
    0, 0, 0, 0,                               /* no effort */
};

static void encodes_as_by_hand(void** state)
{
    (void)state;
    sensor_msgs__msg__JointState* message = sensor_msgs__msg__JointState__create();
    message->header.stamp.sec = 1;
    message->header.stamp.nanosec = 2;
    assert_true(rosidl_runtime_c__String__assign(&message->header.frame_id, "ab"));
    assert_true(rosidl_runtime_c__String__Sequence__init(&message->name, 1));
    assert_true(rosidl_runtime_c__String__assign(&message->name.data[0], "j"));
    assert_true(rosidl_runtime_c__double__Sequence__init(&message->position, 2));
    message->position.data[0] = 1.0;
    message->position.data[1] = -2.0;
    size_t size;
    uint8_t* bytes = encode(members(ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState)), message, &size);
    assert_int_equal(size, sizeof joint_state_bytes);
    assert_memory_equal(bytes, joint_state_bytes, size);
    free(bytes);
    sensor_msgs__msg__JointState__destroy(message);
}

static void reads_big_endian(void** state)
{
    (void)state;
    static const uint8_t bytes[] = {0, 0, 0,   0, 0, 0, 0, 1, 0, 0, 0,    2,    0, 0, 0, 3, 'a', 'b', 0, 0, 0, 0, 0, 1, 0, 0,
                                    0, 2, 'j', 0, 0, 0, 0, 0, 0, 1, 0x3f, 0xf0, 0, 0, 0, 0, 0,   0,   0, 0, 0, 0, 0, 0, 0, 0};
    sensor_msgs__msg__JointState* message = sensor_msgs__msg__JointState__create();
    assert_true(decode(members(ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState)), bytes, sizeof bytes, message));
    assert_int_equal(message->header.stamp.sec, 1);
    assert_int_equal(message->header.stamp.nanosec, 2);
    assert_string_equal(message->header.frame_id.data, "ab");
    assert_int_equal(message->name.size, 1);
    assert_int_equal(message->position.size, 1);
    assert_true(message->position.data[0] == 1.0);
    sensor_msgs__msg__JointState__destroy(message);
}

static void empty_message_is_one_byte(void** state)
{
    (void)state;
    std_srvs__srv__Trigger_Request request = {0};
    size_t size;
    uint8_t* bytes = encode(members(ROSIDL_GET_MSG_TYPE_SUPPORT(std_srvs, srv, Trigger_Request)), &request, &size);
    assert_int_equal(size, FIL_CDR_HEADER + 1);
    free(bytes);
}

static void every_type_makes_the_round_trip(void** state)
{
    (void)state;
    size_t count;
    const FilMessageType* types = fil_message_types(&count);
    assert_true(count > 80);
    uint64_t seed = 1;
    for (size_t i = 0; i < count; i++) {
        const FilMessageMembers* type = members(types[i].support());
        assert_true(fil_cdr_supports(type, NULL));
        void* message = message_new(type);
        void* copy = message_new(type);  // filled again and again, so that its memory is used again
        for (int k = 0; k < 40; k++) {
            message_randomise(type, message, (size_t)k % 4, &seed);
            size_t size;
            uint8_t* bytes = encode(type, message, &size);
            assert_true(decode(type, bytes, size, copy));
            assert_true(message_equal(type, message, copy));
            // what is cut off anywhere is refused: no field may be made up
            for (size_t cut = 0; cut < size; cut += 1 + size / 50) {
                assert_false(decode(type, bytes, cut, copy));
            }
            free(bytes);
        }
        message_free(type, message);
        message_free(type, copy);
    }
}

static void refuses_counts_beyond_the_bytes(void** state)
{
    (void)state;
    const FilMessageMembers* type = members(ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState));
    const size_t counts[] = {12, 20, 32, 52, 56};  // where a count or length stands
    sensor_msgs__msg__JointState* message = sensor_msgs__msg__JointState__create();
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint8_t bytes[sizeof joint_state_bytes];
        memcpy(bytes, joint_state_bytes, sizeof bytes);
        assert_true(decode(type, bytes, sizeof bytes, message));
        memset(bytes + counts[i], 0xff, 4);
        assert_false(decode(type, bytes, sizeof bytes, message));
        memset(bytes + counts[i] + 2, 0, 2);
        assert_false(decode(type, bytes, sizeof bytes, message));
    }
    sensor_msgs__msg__JointState__destroy(message);
}

static void refuses_what_is_not_cdr(void** state)
{
    (void)state;
    const FilMessageMembers* type = members(ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState));
    sensor_msgs__msg__JointState* message = sensor_msgs__msg__JointState__create();
    uint8_t bytes[sizeof joint_state_bytes];
    memcpy(bytes, joint_state_bytes, sizeof bytes);
    bytes[1] = 3;  // a parameter list
    assert_false(decode(type, bytes, sizeof bytes, message));
    memcpy(bytes, joint_state_bytes, sizeof bytes);
    bytes[18] = 'c';  // a string without its NUL
    assert_false(decode(type, bytes, sizeof bytes, message));
    assert_false(decode(type, bytes, 3, message));
    assert_false(decode(type, bytes, 0, message));
    sensor_msgs__msg__JointState__destroy(message);
}

static void a_bool_is_zero_or_one(void** state)
{
    (void)state;
    const uint8_t bytes[] = {0, 1, 0, 0, 0x82};
    std_srvs__srv__SetBool_Request request = {0};
    assert_true(decode(members(ROSIDL_GET_MSG_TYPE_SUPPORT(std_srvs, srv, SetBool_Request)), bytes, sizeof bytes, &request));
    uint8_t byte;
    memcpy(&byte, &request.data, 1);
    assert_int_equal(byte, 1);
}

static void bounds_hold_in_both_directions(void** state)
{
    (void)state;
    const FilMessageMembers* type = members(ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, ParameterDescriptor));
    rcl_interfaces__msg__ParameterDescriptor* message = rcl_interfaces__msg__ParameterDescriptor__create();
    assert_true(rcl_interfaces__msg__IntegerRange__Sequence__init(&message->integer_range, 2));
    FilCdrWriter counter = {0};
    fil_cdr_write_message(&counter, type, message);
    assert_true(counter.failed);
    // what is encoded last of a descriptor without ranges is their count
    message->integer_range.size = 0;
    size_t size;
    uint8_t* bytes = encode(type, message, &size);
    const size_t count_at = size - sizeof(uint32_t);
    rcl_interfaces__msg__ParameterDescriptor* copy = rcl_interfaces__msg__ParameterDescriptor__create();
    uint8_t* longer = calloc(1, size + 100);
    memcpy(longer, bytes, size);
    longer[count_at] = 1;
    assert_true(decode(type, longer, size + 100, copy));
    longer[count_at] = 2;
    assert_false(decode(type, longer, size + 100, copy));
    free(longer);
    free(bytes);
    message->integer_range.size = 2;
    rcl_interfaces__msg__ParameterDescriptor__destroy(message);
    rcl_interfaces__msg__ParameterDescriptor__destroy(copy);
}

/* random damage: whatever comes out, it is a valid message that can be encoded again */
static void survives_random_damage(void** state)
{
    (void)state;
    size_t count;
    const FilMessageType* types = fil_message_types(&count);
    uint64_t seed = 2;
    for (size_t i = 0; i < count; i++) {
        const FilMessageMembers* type = members(types[i].support());
        void* message = message_new(type);
        message_randomise(type, message, 3, &seed);
        size_t size;
        uint8_t* bytes = encode(type, message, &size);
        for (int k = 0; k < 200; k++) {
            const size_t at = random_bits(&seed) % size;
            const uint8_t before = bytes[at];
            bytes[at] = (uint8_t)random_bits(&seed);
            if (decode(type, bytes, size, message)) {
                size_t again;
                free(encode(type, message, &again));
                assert_true(again <= size + 7);
            }
            bytes[at] = before;
        }
        free(bytes);
        message_free(type, message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_as_by_hand),
        cmocka_unit_test(reads_big_endian),
        cmocka_unit_test(empty_message_is_one_byte),
        cmocka_unit_test(every_type_makes_the_round_trip),
        cmocka_unit_test(refuses_counts_beyond_the_bytes),
        cmocka_unit_test(refuses_what_is_not_cdr),
        cmocka_unit_test(a_bool_is_zero_or_one),
        cmocka_unit_test(bounds_hold_in_both_directions),
        cmocka_unit_test(survives_random_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
