/* Sensors on what a scene has: an imu that hangs and one that falls, the force of a weight, points of a cable, what lies on a table, distances to
 * what stands around; with noise, and at their rates. */
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
#include "sensor_msgs/msg/laser_scan.h"
#include "sensor_msgs/msg/point_cloud2.h"
#include "sensor_msgs/msg/point_field.h"
#include "sensor_msgs/msg/range.h"

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

/* a soft box of 2 kg lies with its face of 0.1 x 0.1 m on a table */
static const char patch_text[] =
    "world: {gravity: [0, 0, -9.81], dt: 0.002, contact: sap}\n"
    "rigid_bodies:\n"
    "  - {name: table, motion: static, surface: {friction: 0.5}, shapes: [{half_space: {}}]}\n"
    "  - {name: box, mass: 2, surface: {friction: 0.5, modulus: 1e6}, position: [0, 0, 0.05], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n";

/* one eye looks down at the ground from 1 m, one along x past its own body to a ball 2 m away, one past a ball that is 0.2 rad aside; a cable above
 */
static const char eyes_text[] =
    "world: {gravity: [0, 0, 0], dt: 0.002, contact: none}\n"
    "materials: {rubber: {young: 1e6, poisson: 0.5, density: 1000}}\n"
    "rigid_bodies:\n"
    "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n"
    "  - {name: down, motion: static, position: [0, 5, 1], rotation: [0, 1.5707963267948966, 0], shapes: [{sphere: {radius: 0.05}}]}\n"
    "  - {name: ahead, motion: static, position: [0, 0, 0.5], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n"
    "  - {name: ball, motion: static, position: [2, 0, 0.5], shapes: [{sphere: {radius: 0.2}}]}\n"
    "  - {name: aside, motion: static, position: [0, -5, 0.5], rotation: [0, 0, 0.2], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n"
    "  - {name: target, motion: static, position: [2, -5, 0.5], shapes: [{sphere: {radius: 0.2}}]}\n"
    "  - {name: near, motion: static, position: [0, 10, 0.5], shapes: [{sphere: {radius: 0.01}}]}\n"
    "  - {name: wall, motion: static, position: [0.06, 10, 0.5], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n"
    "rods:\n"
    "  - {name: cable, material: rubber, section: {circle: {radius: 0.005}}, shape: {straight: {from: [0, 20, 2], to: [0.3, 20, 2], nodes: 11}}}\n";

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
    assert_int_equal(process_stop(node), 0);
}

/* What a message of a sensor says of the number that is looked at. */
typedef double Reading(const void* message);

/* Takes `count` messages one after the other, which must be 1/rate s apart (the first comes after the first step), and leaves the last one; mean and
 * deviation of the reading about `expected`. */
static void follow(const rosidl_message_type_support_t* type, const char* topic, void* message, double rate, Reading* reading, double expected,
                   int count, double* mean, double* deviation)
{
    rcl_subscription_t subscription = rcl_get_zero_initialized_subscription();
    rmw_qos_profile_t qos = rmw_qos_profile_default;
    qos.depth = 1000;
    must(rclc_subscription_init(&subscription, &client.node, type, topic, &qos), topic);
    double sum = 0.0, squares = 0.0, last = 0.0;
    int taken = 0;
    for (const double limit = seconds_now() + PATIENCE; taken < count && seconds_now() < limit;) {
        if (rcl_take(&subscription, message, NULL, NULL) != RCL_RET_OK) {
            sleep_seconds(0.002);
            continue;
        }
        const std_msgs__msg__Header* header = message;  // all begin with one
        const double off = reading(message) - expected, time = (double)header->stamp.sec + 1e-9 * (double)header->stamp.nanosec;
        if (taken > 0 && last > 1.0 / rate && !(fabs(time - last - 1.0 / rate) < 1e-6)) {
            fail_msg("%s: %g s after %g s, at %g Hz", topic, time, last, rate);
        }
        last = time;
        sum += off;
        squares += off * off;
        taken++;
    }
    assert_int_equal(taken, count);
    *mean = sum / count;
    *deviation = sqrt(squares / count);
    must(rcl_subscription_fini(&subscription, &client.node), topic);
}

/* Their noise has the deviation asked for, by five standard errors: of the mean, and of the deviation. */
static void expect_noise(const rosidl_message_type_support_t* type, const char* topic, void* message, double rate, Reading* reading, double expected,
                         double noise)
{
    enum { COUNT = 400 };
    double mean, deviation;
    follow(type, topic, message, rate, reading, expected, COUNT, &mean, &deviation);
    if (!(fabs(mean) < 5.0 * noise / sqrt(COUNT) && fabs(deviation - noise) < 5.0 * noise / sqrt(2.0 * COUNT))) {
        fail_msg("%s: mean %g, deviation %g instead of 0 and %g", topic, mean, deviation, noise);
    }
}

static double rate_of(const void* message)
{
    return ((const sensor_msgs__msg__Imu*)message)->angular_velocity.z;
}

static double acceleration_of(const void* message)
{
    return ((const sensor_msgs__msg__Imu*)message)->linear_acceleration.x;
}

static double force_of(const void* message)
{
    return ((const geometry_msgs__msg__WrenchStamped*)message)->wrench.force.x;
}

static double torque_of(const void* message)
{
    return ((const geometry_msgs__msg__WrenchStamped*)message)->wrench.torque.y;
}

/* number `field` of the last point */
static double last_point(const void* message, int field)
{
    const sensor_msgs__msg__PointCloud2* cloud = message;
    float value;
    memcpy(&value, cloud->data.data + cloud->data.size - cloud->point_step + (size_t)field * sizeof value, sizeof value);
    return (double)value;
}

static double y_of(const void* message)
{
    return last_point(message, 1);
}

static double touch_of(const void* message)
{
    return last_point(message, 3);
}

static double range_of(const void* message)
{
    return (double)((const sensor_msgs__msg__Range*)message)->range;
}

static double middle_of(const void* message)
{
    const sensor_msgs__msg__LaserScan* scan = message;
    return (double)scan->ranges.data[scan->ranges.size / 2];
}

static void noise_has_the_deviation_asked_for(void** state)
{
    (void)state;
    const char* const arguments[] = {"--ros-args",
                                     "-p",
                                     "scene:=scene.yaml",
                                     "-p",
                                     "sensors:=imu:stone@500 wrench:hook@500 points:cable@500 tactile:stone@500",
                                     "-p",
                                     "imu_gyro_noise:=0.1",
                                     "-p",
                                     "imu_acceleration_noise:=0.2",
                                     "-p",
                                     "wrench_force_noise:=0.3",
                                     "-p",
                                     "wrench_torque_noise:=0.4",
                                     "-p",
                                     "points_noise:=0.05",
                                     "-p",
                                     "tactile_noise:=0.6",
                                     NULL};
    const pid_t node = process_start(FILUM_NODE, arguments);
    sensor_msgs__msg__Imu* imu = sensor_msgs__msg__Imu__create();
    expect_noise(TYPE(sensor_msgs, Imu), "/stone/imu", imu, 500.0, rate_of, 4.0, 0.1);
    assert_true(fabs(imu->angular_velocity_covariance[0] - 0.01) < 1e-9 && fabs(imu->linear_acceleration_covariance[0] - 0.04) < 1e-9);
    expect_noise(TYPE(sensor_msgs, Imu), "/stone/imu", imu, 500.0, acceleration_of, 0.0, 0.2);
    sensor_msgs__msg__Imu__destroy(imu);
    geometry_msgs__msg__WrenchStamped* wrench = geometry_msgs__msg__WrenchStamped__create();
    expect_noise(TYPE(geometry_msgs, WrenchStamped), "/hook/wrench", wrench, 500.0, force_of, 0.0, 0.3);
    expect_noise(TYPE(geometry_msgs, WrenchStamped), "/hook/wrench", wrench, 500.0, torque_of, 0.0, 0.4);
    geometry_msgs__msg__WrenchStamped__destroy(wrench);
    sensor_msgs__msg__PointCloud2* cloud = sensor_msgs__msg__PointCloud2__create();
    expect_noise(TYPE(sensor_msgs, PointCloud2), "/cable/points", cloud, 500.0, y_of, 1.0, 0.05);
    expect_noise(TYPE(sensor_msgs, PointCloud2), "/stone/tactile", cloud, 500.0, touch_of, 0.0, 0.6);
    sensor_msgs__msg__PointCloud2__destroy(cloud);
    assert_int_equal(process_stop(node), 0);
}

/* ---- ranges ---- */

static pid_t start_eyes(const char* sensors, const char* parameter, const char* other)
{
    const char* const arguments[] = {"--ros-args", "-p", "scene:=eyes.yaml", "-p", sensors, "-p", parameter, "-p", other, NULL};
    return process_start(FILUM_NODE, arguments);
}

/* the next range of a sensor, which comes at this rate */
static double look(const char* topic, const char* frame, double rate)
{
    double mean, deviation;
    sensor_msgs__msg__Range* range = sensor_msgs__msg__Range__create();
    follow(TYPE(sensor_msgs, Range), topic, range, rate, range_of, 0.0, 3, &mean, &deviation);
    const double seen = (double)range->range;
    assert_string_equal(range->header.frame_id.data, frame);
    assert_true(fabs((double)range->min_range - 0.02) < 1e-7 && fabs((double)range->max_range - 5.0) < 1e-7);
    sensor_msgs__msg__Range__destroy(range);
    return seen;
}

/* Straight ahead a range is the distance to what is next; a cone sees what is beside its axis, too. Too far is infinite, too near minus infinite. */
static void ranges_are_distances(void** state)
{
    (void)state;
    static const char sensors[] = "sensors:=range:down range:ahead@50 range:aside@100 range:near range:cable";
    pid_t node = start_eyes(sensors, "range_max:=5.0", "range_field_of_view:=0.0");
    assert_true(fabs(look("/down/range", "down", 20.0) - 1.0) < 1e-6);
    assert_true(fabs(look("/ahead/range", "ahead", 50.0) - 1.8) < 1e-6);
    assert_true(isinf(look("/aside/range", "aside", 100.0)) && look("/aside/range", "aside", 100.0) > 0.0);
    assert_true(isinf(look("/near/range", "near", 20.0)) && look("/near/range", "near", 20.0) < 0.0);  // 0.01 m
    assert_int_equal(process_stop(node), 0);
    // the ball spans 0.1 rad about its middle, 0.2 rad aside: a cone of 0.15 rad to either side sees it, where it is 1.8 to 2 m away
    node = start_eyes(sensors, "range_max:=5.0", "range_field_of_view:=0.3");
    assert_true(fabs(look("/down/range", "down", 20.0) - 1.0) < 1e-6);
    const double beside = look("/aside/range", "aside", 100.0), c = 2.0 * cos(0.05), nearest = c - sqrt(c * c - 3.96);
    assert_true(beside >= nearest - 1e-6 && beside < nearest + 0.05);
    assert_int_equal(process_stop(node), 0);
}

/* A fan of rays: of a ball, d cos a - sqrt(r^2 - d^2 sin^2 a). */
static void scans_are_fans_of_distances(void** state)
{
    (void)state;
    double mean, deviation;
    const pid_t node = start_eyes("sensors:=scan:ahead@25", "scan_angle:=0.4", "scan_rays:=41");
    sensor_msgs__msg__LaserScan* scan = sensor_msgs__msg__LaserScan__create();
    follow(TYPE(sensor_msgs, LaserScan), "/ahead/scan", scan, 25.0, middle_of, 1.8, 10, &mean, &deviation);
    assert_true(fabs(mean) < 1e-6 && deviation < 1e-6);
    assert_int_equal(scan->ranges.size, 41);
    assert_true(fabs((double)scan->angle_min + 0.2) < 1e-7 && fabs((double)scan->angle_max - 0.2) < 1e-7 &&
                fabs((double)scan->angle_increment - 0.01) < 1e-8 && fabs((double)scan->scan_time - 0.04) < 1e-8);
    for (int k = 0; k < 41; k++) {
        const double angle = -0.2 + 0.01 * k, rest = 0.04 - 4.0 * sin(angle) * sin(angle);
        const double range = (double)scan->ranges.data[k];
        assert_true(rest < 0.0 ? isinf(range) && range > 0.0 : fabs(range - (2.0 * cos(angle) - sqrt(rest))) < 1e-6);
    }
    sensor_msgs__msg__LaserScan__destroy(scan);
    assert_int_equal(process_stop(node), 0);
}

static void ranges_have_noise(void** state)
{
    (void)state;
    const pid_t node = start_eyes("sensors:=range:down@500 scan:ahead@500", "range_noise:=0.03", "scan_rays:=3");
    sensor_msgs__msg__Range* range = sensor_msgs__msg__Range__create();
    expect_noise(TYPE(sensor_msgs, Range), "/down/range", range, 500.0, range_of, 1.0, 0.03);
    sensor_msgs__msg__Range__destroy(range);
    sensor_msgs__msg__LaserScan* scan = sensor_msgs__msg__LaserScan__create();
    expect_noise(TYPE(sensor_msgs, LaserScan), "/ahead/scan", scan, 500.0, middle_of, 1.8, 0.03);
    sensor_msgs__msg__LaserScan__destroy(scan);
    assert_int_equal(process_stop(node), 0);
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
    assert_int_equal(process_stop(node), 0);
}

/* weight over area, in the patch of a soft box */
static void pressure_of_patches_is_felt(void** state)
{
    (void)state;
    double sums[TAXEL_NUMBERS];
    const pid_t node = start_with("scene:=patch.yaml", "sensors:=tactile:box tactile:table", "real_time_factor:=0.0");
    const double weight = 2.0 * 9.81, pressure = weight / (0.1 * 0.1);
    assert_int_equal(feel("/box/tactile", "world", sums), 1);
    assert_true(fabs(sums[5] - weight) < 0.01 * weight && fabs(sums[6] - pressure) < 0.01 * pressure);
    assert_int_equal(feel("/table/tactile", "world", sums), 1);
    assert_true(fabs(sums[5] + weight) < 0.01 * weight && fabs(sums[6] - pressure) < 0.01 * pressure);
    assert_int_equal(process_stop(node), 0);
}

static void what_is_no_sensor_is_refused(void** state)
{
    (void)state;
    static const char* const wrong[] = {"sensors:=imu",  "sensors:=sonar:weight", "sensors:=imu:weight@0", "sensors:=imu:weight@fast",
                                        "sensors:=imu:", "sensors:=range:@5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(process_wait(start(wrong[i], NULL), EXIT_PATIENCE), 1);
    }
}

static int write_scene(const char* name, const char* text)
{
    FILE* file = fopen(name, "w");
    return file == NULL || fputs(text, file) < 0 || fclose(file) != 0;
}

static int set_up(void** state)
{
    (void)state;
    client_join(&client, "watcher", 0, NULL);
    return bag_folder_make(&folder) != 0 || write_scene("scene.yaml", scene_text) || write_scene("table.yaml", table_text) ||
           write_scene("patch.yaml", patch_text) || write_scene("eyes.yaml", eyes_text);
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
        cmocka_unit_test_teardown(pressure_of_patches_is_felt, process_end_all),
        cmocka_unit_test_teardown(ranges_are_distances, process_end_all),
        cmocka_unit_test_teardown(scans_are_fans_of_distances, process_end_all),
        cmocka_unit_test_teardown(ranges_have_noise, process_end_all),
        cmocka_unit_test_teardown(what_is_no_sensor_is_refused, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
