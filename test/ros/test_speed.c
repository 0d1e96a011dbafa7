/* ctest: heavy */
/* ctest: embedded */
/* What the encoding of a large message costs, compared with copying its bytes. Times are the thread's own, the least of
 * many: what else the machine does changes them little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "cdr.h"
#include "filum/msg/rod_state.h"
#include "filum/msg/rod_states.h"
#include "rmw/rmw.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"

enum { NODES = 1000, REPEATS = 2000 };

static double thread_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static filum__msg__RodStates* make_states(void)
{
    filum__msg__RodStates* states = filum__msg__RodStates__create();
    assert_true(filum__msg__RodState__Sequence__init(&states->rods, 1));
    filum__msg__RodState* rod = &states->rods.data[0];
    rosidl_runtime_c__double__Sequence* const arrays[] = {&rod->positions, &rod->velocities, &rod->orientations,
                                                          &rod->tensions,  &rod->curvatures, &rod->twists};
    const size_t sizes[] = {3 * NODES, 3 * NODES, 4 * (NODES - 1), NODES - 1, 2 * NODES, NODES};
    for (size_t k = 0; k < 6; k++) {
        assert_true(rosidl_runtime_c__double__Sequence__init(arrays[k], sizes[k]));
        for (size_t i = 0; i < sizes[k]; i++) {
            arrays[k]->data[i] = (double)i;
        }
    }
    return states;
}

static void encoding_costs_little_more_than_copying(void** state)
{
    (void)state;
    const rosidl_message_type_support_t* type = ROSIDL_GET_MSG_TYPE_SUPPORT(filum, msg, RodStates);
    filum__msg__RodStates* states = make_states();
    rcutils_allocator_t allocator = rcutils_get_default_allocator();
    rmw_serialized_message_t bytes = rmw_get_zero_initialized_serialized_message();
    assert_int_equal(rmw_serialized_message_init(&bytes, 0, &allocator), RMW_RET_OK);
    assert_int_equal(rmw_serialize(states, type, &bytes), RMW_RET_OK);
    const size_t size = bytes.buffer_length;
    uint8_t* copy = malloc(size);
    double encoding = 1e9;
    double copying = 1e9;
    double decoding = 1e9;
    filum__msg__RodStates* back = filum__msg__RodStates__create();
    for (int i = 0; i < REPEATS; i++) {
        const double begin = thread_time();
        memcpy(copy, bytes.buffer, size);
        const double copied = thread_time();
        assert_int_equal(rmw_serialize(states, type, &bytes), RMW_RET_OK);
        const double encoded = thread_time();
        assert_int_equal(rmw_deserialize(&bytes, type, back), RMW_RET_OK);
        const double decoded = thread_time();
        copying = copied - begin < copying ? copied - begin : copying;
        encoding = encoded - copied < encoding ? encoded - copied : encoding;
        decoding = decoded - encoded < decoding ? decoded - encoded : decoding;
        assert_int_equal(copy[size - 1], bytes.buffer[size - 1]);
    }
    print_message("%zu bytes: copied in %.2f us, encoded in %.2f us (%.2f times), decoded in %.2f us\n", size, 1e6 * copying, 1e6 * encoding,
                  encoding / copying, 1e6 * decoding);
    assert_true(encoding < 3.0 * copying);
    assert_true(filum__msg__RodStates__are_equal(states, back));
    filum__msg__RodStates__destroy(back);
    filum__msg__RodStates__destroy(states);
    free(copy);
    assert_int_equal(rmw_serialized_message_fini(&bytes), RMW_RET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoding_costs_little_more_than_copying),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
