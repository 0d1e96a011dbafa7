/* Sensors on what a scene has: an imu that hangs and one that falls, the force of a weight, points of a cable, with noise. */
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

#include "bag_folder.h"
#include "client.h"
#include "geometry_msgs/msg/wrench_stamped.h"
#include "process.h"
#include "sensor_msgs/msg/imu.h"
#include "sensor_msgs/msg/point_cloud2.h"
#include "sensor_msgs/msg/point_field.h"

#define TYPE(package, name) ROSIDL_GET_MSG_TYPE_SUPPORT(package, msg, name)

/* the weight is turned by 90 degrees about x: its y points up */
static const char scene_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002, contact: none}\n"
    "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}\n"
    "rigid_bodies:\n"
    "  - {name: weight, mass: 2, rotation: [1.5707963267948966, 0, 0], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n"
    "  - {name: stone, mass: 1, position: [3, 0, 0], angular_velocity: [0, 0, 4], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n"
    "joints:\n"
    "  - {name: hook, weld: {a: {body: weight}, point: [0, 0, 0]}}\n"
    "rods:\n"
    "  - {name: cable, material: rubber, section: {circle: {radius: 0.005}}, shape: {straight: {from: [0, 1, 0], to: [0.3, 1, 0], nodes: 11}}}\n";

/* a box of 2 kg, turned by 90 degrees about x, and a cable lie on a table */
static const char table_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002, contact: sap}\n"
    "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000, friction: 0.5}}\n"
    "rigid_bodies:\n"
    "  - {name: table, motion: static, material: rubber, shapes: [{half_space: {}}]}\n"
    "  - {name: box, mass: 2, material: rubber, position: [0, 0, 0.05], rotation: [1.5707963267948966, 0, 0], shapes: [{box: {size: [0.1, 0.1, "
    "0.1]}}]}\n"
    "rods:\n"
    "  - {name: cable, material: rubber, section: {circle: {radius: 0.005}},\n"
    "     shape: {straight: {from: [0, 1, 0.005], to: [0.3, 1, 0.005], nodes: 11}}}\n";

static BagFolder folder;
static Client client;

static pid_t start_with(const char* scene, const char* sensors, const char* noise)
{
    const char* const arguments[] = {"--ros-args", "-p", scene, "-p", sensors, noise != NULL ? "-p" : NULL, noise, NULL};
    return process_start(FILUM_NODE, arguments);
}

static pid_t start(const char* sensors, const char* noise)
{
    return start_with("scene:=scene.yaml", sensors, noise);
}

static int stop(pid_t pid)
{
    kill(pid, SIGINT);
    return process_wait(pid, EXIT_PATIENCE);
}

static bool is_late(const void* message, void* context)
{
    const std_msgs__msg__Header* header = message;  // all three begin with one
    (void)context;
    return header->stamp.sec > 0 || header->stamp.nanosec > 100000000;
}

static void what_hangs_and_what_falls_is_felt(void** state)
{
    (void)state;
    const pid_t node = start("sensors:=imu:weight@200 imu:stone wrench:hook:weight points:cable@50 imu:nobody", "publish_rate:=50.0");
    sensor_msgs__msg__Imu* imu = sensor_msgs__msg__Imu__create();
    assert_true(client_hear(&client, TYPE(sensor_msgs, Imu), "/weight/imu", &rmw_qos_profile_default, imu, is_late, NULL));
    assert_string_equal(imu->header.frame_id.data, "weight");
    assert_true(fabs(imu->linear_acceleration.y - 9.81) < 1e-6 && fabs(imu->linear_acceleration.x) < 1e-6 && fabs(imu->linear_acceleration.z) < 1e-6);
    assert_true(client_hear(&client, TYPE(sensor_msgs, Imu), "/stone/imu", &rmw_qos_profile_default, imu, is_late, NULL));
    assert_true(fabs(imu->linear_acceleration.z) < 1e-6 && fabs(imu->angular_velocity.z - 4.0) < 1e-6);
    sensor_msgs__msg__Imu__destroy(imu);
    // the world holds the weight: what the joint does to the world is its weight, downwards, which is against the body's y
    geometry_msgs__msg__WrenchStamped* wrench = geometry_msgs__msg__WrenchStamped__create();
    assert_true(client_hear(&client, TYPE(geometry_msgs, WrenchStamped), "/hook/wrench", &rmw_qos_profile_default, wrench, is_late, NULL));
    assert_string_equal(wrench->header.frame_id.data, "weight");
    // (a weld is as rigid as a step can resolve: it still settles, by 1e-5 N)
    assert_true(fabs(wrench->wrench.force.y + 2.0 * 9.81) < 1e-4 && fabs(wrench->wrench.force.x) < 1e-6 && fabs(wrench->wrench.force.z) < 1e-5);
    geometry_msgs__msg__WrenchStamped__destroy(wrench);
    sensor_msgs__msg__PointCloud2* cloud = sensor_msgs__msg__PointCloud2__create();
    assert_true(client_hear(&client, TYPE(sensor_msgs, PointCloud2), "/cable/points", &rmw_qos_profile_default, cloud, is_late, NULL));
    assert_int_equal(cloud->width, 11);
    assert_int_equal(cloud->data.size, 11 * cloud->point_step);
    for (size_t k = 0; k < 11; k++) {  // it falls: x and y stay
        float place[3];
        memcpy(place, cloud->data.data + k * cloud->point_step, sizeof place);
        assert_true(fabs(place[0] - 0.03 * (double)k) < 1e-6 && fabs(place[1] - 1.0) < 1e-6 && place[2] < -0.02);
    }
    sensor_msgs__msg__PointCloud2__destroy(cloud);
    assert_int_equal(stop(node), 0);
}

static void noise_has_the_deviation_asked_for(void** state)
{
    (void)state;
    enum { COUNT = 400 };
    const pid_t node = start("sensors:=imu:stone@500", "imu_gyro_noise:=0.1");
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 1000;
    must(rclc_subscription_init(&subscription, &client.node, TYPE(sensor_msgs, Imu), "/stone/imu", &qos), "imu");
    sensor_msgs__msg__Imu* imu = sensor_msgs__msg__Imu__create();
    double sum = 0.0, squares = 0.0;
    int count = 0;
    for (const double limit = seconds_now() + PATIENCE; count < COUNT && seconds_now() < limit;) {
        if (rcl_take(&subscription, imu, NULL, NULL) == RCL_RET_OK) {
            const double off = imu->angular_velocity.z - 4.0;
            sum += off;
            squares += off * off;
            count++;
        } else {
            sleep_seconds(0.002);
        }
    }
    assert_int_equal(count, COUNT);
    assert_true(imu->angular_velocity_covariance[0] > 0.0099 && imu->angular_velocity_covariance[0] < 0.0101);
    // five standard errors: 0.1 / sqrt(400), and 0.1 / sqrt(800)
    assert_true(fabs(sum / COUNT) < 0.025 && fabs(sqrt(squares / COUNT) - 0.1) < 0.018);
    sensor_msgs__msg__Imu__destroy(imu);
    must(rcl_subscription_fini(&subscription, &client.node), "imu");
    assert_int_equal(stop(node), 0);
}

static bool has_settled(const void* message, void* context)
{
    const std_msgs__msg__Header* header = message;
    (void)context;
    return header->stamp.sec > 0 || header->stamp.nanosec > 500000000;
}

enum { TAXEL_NUMBERS = 7 };

/* sums of all numbers over the taxels of a sensor; returns how many these are */
static int feel(const char* topic, const char* frame, double sums[TAXEL_NUMBERS])
{
    sensor_msgs__msg__PointCloud2* cloud = sensor_msgs__msg__PointCloud2__create();
    assert_true(client_hear(&client, TYPE(sensor_msgs, PointCloud2), topic, &rmw_qos_profile_default, cloud, has_settled, NULL));
    assert_string_equal(cloud->header.frame_id.data, frame);
    assert_int_equal(cloud->point_step, TAXEL_NUMBERS * sizeof(float));
    assert_string_equal(cloud->fields.data[5].name.data, "fz");
    const int taxels = (int)cloud->width;
    memset(sums, 0, TAXEL_NUMBERS * sizeof *sums);
    for (int k = 0; k < TAXEL_NUMBERS * taxels; k++) {
        float value;
        memcpy(&value, cloud->data.data + (size_t)k * sizeof value, sizeof value);
        sums[k % TAXEL_NUMBERS] += value;
    }
    sensor_msgs__msg__PointCloud2__destroy(cloud);
    return taxels;
}

/* weights at rest, to 1 % of what still settles after half a second */
static void what_lies_is_felt(void** state)
{
    (void)state;
    double sums[TAXEL_NUMBERS];
    const pid_t node = start_with("scene:=table.yaml", "sensors:=tactile:box:box tactile:cable@50 tactile:table", "real_time_factor:=0.0");
    const double box = 2.0 * 9.81, cable = 1000.0 * 3.14159265 * 0.005 * 0.005 * 0.3 * 9.81;
    assert_int_equal(feel("/box/tactile", "box", sums), 1);
    assert_true(fabs(sums[4] - box) < 0.01 * box && fabs(sums[3]) < 0.01 * box && fabs(sums[5]) < 0.01 * box);  // its y points up
    assert_int_equal(feel("/cable/tactile", "world", sums), 10);
    assert_true(fabs(sums[5] - cable) < 0.01 * cable && fabs(sums[1] - 10.0) < 1e-3);
    assert_int_equal(feel("/table/tactile", "world", sums), 1);
    assert_true(fabs(sums[5] + box + cable) < 0.01 * box);
    assert_int_equal(stop(node), 0);
}

static void what_is_no_sensor_is_refused(void** state)
{
    (void)state;
    static const char* const wrong[] = {"sensors:=imu", "sensors:=sonar:weight", "sensors:=imu:weight@0", "sensors:=imu:weight@fast",
                                        "sensors:=imu:"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(process_wait(start(wrong[i], NULL), EXIT_PATIENCE), 1);
    }
}

static int set_up(void** state)
{
    (void)state;
    if (bag_folder_make(&folder) != 0) {
        return -1;
    }
    FILE* file = fopen("scene.yaml", "w");
    client_join(&client, "watcher", 0, NULL);
    if (file == NULL || fputs(scene_text, file) < 0 || fclose(file) != 0) {
        return -1;
    }
    file = fopen("table.yaml", "w");
    return file == NULL || fputs(table_text, file) < 0 || fclose(file) != 0;
}

static int tear_down(void** state)
{
    (void)state;
    client_leave(&client);
    return bag_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_hangs_and_what_falls_is_felt, process_end_all),
        cmocka_unit_test_teardown(noise_has_the_deviation_asked_for, process_end_all),
        cmocka_unit_test_teardown(what_lies_is_felt, process_end_all),
        cmocka_unit_test_teardown(what_is_no_sensor_is_refused, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
