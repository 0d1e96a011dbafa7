/* Requests of clients that the server knows by half: they are served once the client can hear the response, once each, and nobody waits
 * for ever. The client is made of its two endpoints, one by one. */
/* ctest: embedded */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "node_impl.h"
#include "process.h"
#include "rclc/executor.h"
#include "rosidl_typesupport_introspection_c/identifier.h"
#include "rosidl_typesupport_introspection_c/service_introspection.h"
#include "std_srvs/srv/set_bool.h"

static Client member;
static rcl_service_t service;
static rclc_executor_t executor;
static std_srvs__srv__SetBool_Request* request;
static std_srvs__srv__SetBool_Response* response;
static int served;

static const rosidl_service_type_support_t* type(void)
{
    return ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool);
}

static const rosidl_typesupport_introspection_c__ServiceMembers* members(void)
{
    return get_service_typesupport_handle(type(), rosidl_typesupport_introspection_c__identifier)->data;
}

static void answer(const void* in, void* out, void* context)
{
    (void)context;
    served++;
    ((std_srvs__srv__SetBool_Response*)out)->success = ((const std_srvs__srv__SetBool_Request*)in)->data;
}

static int begin(void** state)
{
    (void)state;
    served = 0;
    client_join(&member, "server", 0, NULL);
    service = rcl_get_zero_initialized_service();
    executor = rclc_executor_get_zero_initialized_executor();
    request = std_srvs__srv__SetBool_Request__create();
    response = std_srvs__srv__SetBool_Response__create();
    must(rclc_service_init_default(&service, &member.node, type(), "/switch"), "service");
    must(rclc_executor_init(&executor, &member.support.context, 1, &member.allocator), "executor");
    must(rclc_executor_add_service_with_context(&executor, &service, request, response, answer, NULL), "add");
    return 0;
}

static int end(void** state)
{
    (void)state;
    must(rclc_executor_fini(&executor), "executor");
    must(rcl_service_fini(&service, &member.node), "service");
    std_srvs__srv__SetBool_Request__destroy(request);
    std_srvs__srv__SetBool_Response__destroy(response);
    client_leave(&member);
    return 0;
}

/* spins for so long, or until as many requests were served */
static void spin(double seconds, int enough)
{
    for (const double limit = seconds_now() + seconds; seconds_now() < limit && served < enough;) {
        const rcl_ret_t ret = rclc_executor_spin_some(&executor, 100000000);
        (void)ret;  // a response that cannot be sent is logged
    }
}

/* half of a client: what sends requests, or what hears responses */
static FilEndpoint half_of_client(bool is_writer, char number)
{
    char id[] = "clientid=1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.?;";
    *strchr(id, '?') = number;
    FilEndpoint endpoint = {0};
    must(fil_node_add_endpoint(&member.node, is_writer, is_writer ? "rq" : "rr", "/switch", is_writer ? "Request" : "Reply",
                               is_writer ? members()->request_members_ : members()->response_members_, &rmw_qos_profile_services_default, id,
                               &endpoint),
         "half of a client");
    return endpoint;
}

static void ask(const FilEndpoint* writer, uint64_t identity)
{
    const uint64_t header[2] = {identity, 1};
    const std_srvs__srv__SetBool_Request question = {.data = true};
    must(fil_endpoint_write(writer, members()->request_members_, &question, header, 2), "request");
}

/* whether the response to `identity` is there */
static bool hears(const FilEndpoint* reader, uint64_t identity)
{
    dds_sample_info_t info;
    bool heard = false;
    for (struct ddsi_serdata* sample; (sample = fil_endpoint_take(reader, &info)) != NULL; fil_sample_release(sample)) {
        uint64_t header[2];
        std_srvs__srv__SetBool_Response* out = std_srvs__srv__SetBool_Response__create();
        assert_true(fil_sample_read(sample, members()->response_members_, out, header, 2));
        heard |= header[0] == identity && out->success;
        std_srvs__srv__SetBool_Response__destroy(out);
    }
    return heard;
}

static void waits_until_the_client_can_hear(void** state)
{
    (void)state;
    FilEndpoint writer = half_of_client(true, '0');
    ask(&writer, 7);
    spin(0.3, 1);
    assert_int_equal(served, 0);
    FilEndpoint reader = half_of_client(false, '0');
    spin(PATIENCE, 1);
    assert_int_equal(served, 1);
    assert_true(hears(&reader, 7));
    spin(0.3, 2);
    assert_int_equal(served, 1);
    must(fil_node_remove_endpoint(&member.node, &reader), "reader");
    must(fil_node_remove_endpoint(&member.node, &writer), "writer");
}

static void does_not_wait_for_ever(void** state)
{
    (void)state;
    FilEndpoint deaf = half_of_client(true, '1'), writer = half_of_client(true, '2'), reader = half_of_client(false, '2');
    const double before = seconds_now();
    ask(&deaf, 8);
    ask(&writer, 9);
    spin(PATIENCE, 2);
    assert_int_equal(served, 2);
    assert_true(hears(&reader, 9));
    assert_true(seconds_now() - before > 1.0);
    must(fil_node_remove_endpoint(&member.node, &reader), "reader");
    must(fil_node_remove_endpoint(&member.node, &writer), "writer");
    must(fil_node_remove_endpoint(&member.node, &deaf), "writer");
}

static void ends_with_a_request_put_off(void** state)
{
    (void)state;
    FilEndpoint deaf = half_of_client(true, '3');
    ask(&deaf, 10);
    spin(0.1, 1);
    assert_int_equal(served, 0);
    must(fil_node_remove_endpoint(&member.node, &deaf), "writer");
    // of a client that has gone the request is served, and nobody waits
    const double before = seconds_now();
    spin(PATIENCE, 1);
    assert_int_equal(served, 1);
    assert_true(seconds_now() - before < 1.0);
    deaf = half_of_client(true, '4');
    ask(&deaf, 11);
    spin(0.1, 2);
    must(fil_node_remove_endpoint(&member.node, &deaf), "writer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waits_until_the_client_can_hear, begin, end),
        cmocka_unit_test_setup_teardown(does_not_wait_for_ever, begin, end),
        cmocka_unit_test_setup_teardown(ends_with_a_request_put_off, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
