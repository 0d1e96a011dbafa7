/* Rigid bodies and contact as others see them: a box at rest on the ground. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "client.h"
#include "filum/msg/contact_wrenches.h"
#include "process.h"
#include "tf2_msgs/msg/tf_message.h"
#include "visualization_msgs/msg/marker_array.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

/* the box weighs 500 kg/m^3 * (0.1 m)^3 * 9.81 m/s^2 */
#define WEIGHT 4.905

static const char scene_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002, contact: sap}\n"
    "materials: {wood: {density: 500, friction: 0.5, dissipation_time: 0.01}}\n"
    "rigid_bodies:\n"
    "  - {name: ground, motion: static, material: wood, shapes: [{half_space: {}}]}\n"
    "  - {name: box, material: wood, position: [0, 0, 0.05], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n";

/* 4/3 pi (0.05 m)^3 * 1000 kg/m^3 * 9.81 m/s^2 */
#define BALL_WEIGHT 5.1365

static const char patch_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002, contact: sap}\n"
    "materials: {soft: {density: 1000, friction: 0.5, dissipation_time: 0.05}}\n"
    "rigid_bodies:\n"
    "  - {name: ground, motion: static, material: soft, shapes: [{half_space: {}}]}\n"
    "  - {name: ball, material: soft, position: [0, 0, 0.048], surface: {modulus: 1e6}, shapes: [{sphere: {radius: 0.05}}]}\n";

static char patch_path[] = "/tmp/filum_scene_XXXXXX.yaml";
static char patch_argument[64];
static char scene_path[] = "/tmp/filum_scene_XXXXXX.yaml";
static char scene_argument[64];
static Client client;

static bool is_at_rest(const void* message, void* context)
{
    (void)context;
    return ((const filum__msg__ContactWrenches*)message)->header.stamp.sec >= 1;
}

static void contact_carries_the_weight(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args", "-p", scene_argument, NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    filum__msg__ContactWrenches* wrenches = filum__msg__ContactWrenches__create();
    assert_true(client_hear(&client, TYPE(filum, ContactWrenches), "/contact_wrenches", &rmw_qos_profile_default, wrenches, is_at_rest, NULL));
    assert_string_equal(wrenches->header.frame_id.data, "world");
    assert_true(wrenches->contacts.size >= 3);  // a face stands on three points at least
    double carried = 0.0;
    for (size_t i = 0; i < wrenches->contacts.size; i++) {
        const filum__msg__ContactWrench* contact = &wrenches->contacts.data[i];
        const bool box_is_b = strcmp(contact->body_b.data, "box") == 0;
        assert_string_equal(box_is_b ? contact->body_a.data : contact->body_b.data, "ground");
        assert_string_equal(box_is_b ? contact->body_b.data : contact->body_a.data, "box");
        carried += (box_is_b ? 1.0 : -1.0) * contact->wrench.force.z;
        // the normal points from a to b
        assert_true((box_is_b ? 1.0 : -1.0) * contact->normal.z > 0.99);
    }
    // at rest after a second; dissipation within 10 ms leaves e^-100 of the first shock
    assert_true(fabs(carried - WEIGHT) < 1e-3 * WEIGHT);
    assert_int_equal(wrenches->bodies.size, 2);
    for (size_t i = 0; i < 2; i++) {
        const double sign = strcmp(wrenches->bodies.data[i].data, "box") == 0 ? 1.0 : -1.0;
        assert_true(fabs(sign * wrenches->totals.data[i].force.z - carried) < 1e-9);  // the sum of the same numbers
    }
    filum__msg__ContactWrenches__destroy(wrenches);

    // what moves is on /tf; what does not is on /tf_static, also for who comes late
    tf2_msgs__msg__TFMessage* tf = tf2_msgs__msg__TFMessage__create();
    assert_true(client_hear(&client, TYPE(tf2_msgs, TFMessage), "/tf", &rmw_qos_profile_default, tf, NULL, NULL));
    assert_int_equal(tf->transforms.size, 1);
    assert_string_equal(tf->transforms.data[0].child_frame_id.data, "box");
    assert_true(fabs(tf->transforms.data[0].transform.translation.z - 0.05) < 1e-3);  // it sinks in by microns
    rmw_qos_profile_t kept = rmw_qos_profile_default;
    kept.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
    assert_true(client_hear(&client, TYPE(tf2_msgs, TFMessage), "/tf_static", &kept, tf, NULL, NULL));
    assert_int_equal(tf->transforms.size, 1);
    assert_string_equal(tf->transforms.data[0].child_frame_id.data, "ground");
    assert_string_equal(tf->transforms.data[0].header.frame_id.data, "world");
    tf2_msgs__msg__TFMessage__destroy(tf);

    // a model that does not exist is refused, and the old one goes on; none stops the messages' contacts
    char reason[512];
    assert_false(client_set(&client, "/filum", "contact_model", fil_parameter_string("glue"), reason));
    assert_string_equal(client_get(&client, "/filum", "contact_model").text, "sap");
    assert_true(client_set(&client, "/filum", "contact_model", fil_parameter_string("none"), reason));
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

/* A ball with a modulus on the ground: one patch bears its weight, below its middle. */
static void patches_are_published(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args", "-p", patch_argument, NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    filum__msg__ContactWrenches* wrenches = filum__msg__ContactWrenches__create();
    assert_true(client_hear(&client, TYPE(filum, ContactWrenches), "/contact_wrenches", &rmw_qos_profile_default, wrenches, is_at_rest, NULL));
    assert_int_equal(wrenches->patches.size, 1);
    const filum__msg__PatchWrench* patch = &wrenches->patches.data[0];
    const double sign = strcmp(patch->body_b.data, "ball") == 0 ? 1.0 : -1.0;
    assert_string_equal(sign > 0.0 ? patch->body_a.data : patch->body_b.data, "ground");
    assert_true(fabs(sign * patch->wrench.force.z - BALL_WEIGHT) < 0.01 * BALL_WEIGHT);
    assert_true(hypot(patch->center.x, patch->center.y) < 1e-3);
    assert_int_equal(patch->first_contact, 0);
    assert_int_equal(patch->contact_count, wrenches->contacts.size);
    assert_true(patch->area > 0.0 && patch->max_pressure > patch->mean_pressure);
    // the mean is the normal force over the area
    assert_true(fabs(patch->mean_pressure * patch->area - BALL_WEIGHT) < 0.02 * BALL_WEIGHT);
    filum__msg__ContactWrenches__destroy(wrenches);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

static bool has_shapes(const void* message, void* context)
{
    (void)context;
    return ((const visualization_msgs__msg__MarkerArray*)message)->markers.size == 4;
}

static void shapes_are_drawn(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args", "-p", scene_argument, NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    visualization_msgs__msg__MarkerArray* markers = visualization_msgs__msg__MarkerArray__create();
    assert_true(client_hear(&client, TYPE(visualization_msgs, MarkerArray), "/markers", &rmw_qos_profile_default, markers, has_shapes, NULL));
    const visualization_msgs__msg__Marker* box = &markers->markers.data[1];
    assert_string_equal(box->ns.data, "box");
    assert_int_equal(box->type, visualization_msgs__msg__Marker__CUBE);
    assert_true(box->scale.x == 0.1);
    assert_true(fabs(box->pose.position.z - 0.05) < 1e-3);
    assert_true(box->pose.orientation.w > 0.999);
    // each contact is one stroke of two points
    assert_int_equal(markers->markers.data[2].type, visualization_msgs__msg__Marker__LINE_LIST);
    assert_int_equal(markers->markers.data[2].points.size % 2, 0);
    visualization_msgs__msg__MarkerArray__destroy(markers);
    kill(node, SIGINT);
    assert_int_equal(process_wait(node, EXIT_PATIENCE), 0);
}

static int set_up(void** state)
{
    (void)state;
    FILE* file = fdopen(mkstemps(scene_path, 5), "w");
    fputs(scene_text, file);
    fclose(file);
    snprintf(scene_argument, sizeof scene_argument, "scene:=%s", scene_path);
    file = fdopen(mkstemps(patch_path, 5), "w");
    fputs(patch_text, file);
    fclose(file);
    snprintf(patch_argument, sizeof patch_argument, "scene:=%s", patch_path);
    client_join(&client, "tester", 0, NULL);
    return 0;
}

static int tear_down(void** state)
{
    (void)state;
    client_leave(&client);
    return remove(scene_path) | remove(patch_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(contact_carries_the_weight, process_end_all),
        cmocka_unit_test_teardown(patches_are_published, process_end_all),
        cmocka_unit_test_teardown(shapes_are_drawn, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
