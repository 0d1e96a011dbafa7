/* Sensors on bodies and joints: inertial measurement units, forces and torques. */
#include "geometry_msgs/msg/wrench_stamped.h"
#include "motion.h"
#include "sensor.h"
#include "sensor_msgs/msg/imu.h"

/* ---- imu ---- */

FIL_MESSAGE_FUNCTIONS(sensor_msgs, Imu)

/* R' (dv/dt - g) and R' w: what a strapped-down sensor at the body's origin feels */
static bool measure_imu(FilSensors* sensors, FilSensor* sensor, const FilWorld* world, bool due)
{
    FilEntityState state;
    const double time = fil_world_time(world), before = sensor->time;
    if (!fil_sensor_see_body(world, sensor->object, &state)) {
        return false;
    }
    const FilVec3 last = sensor->velocity, change = fil_vector_difference(state.velocity, last), g = fil_world_gravity(world);
    sensor->velocity = state.velocity;
    sensor->time = time;
    if (!due || before < 0.0 || !(time > before)) {
        return false;
    }
    sensor_msgs__msg__Imu* imu = sensor->message;
    const FilQuat back = fil_quat_conjugate(state.orientation);
    const double gyro = fil_sensor_number(sensors, "imu_gyro_noise"), accelerometer = fil_sensor_number(sensors, "imu_acceleration_noise"),
                 dt = time - before;
    const FilVec3 felt = {change.x / dt - g.x, change.y / dt - g.y, change.z / dt - g.z};
    imu->orientation = (geometry_msgs__msg__Quaternion){state.orientation.x, state.orientation.y, state.orientation.z, state.orientation.w};
    imu->angular_velocity = fil_sensor_with_noise(sensor, fil_quat_rotate(back, state.angular_velocity), gyro);
    imu->linear_acceleration = fil_sensor_with_noise(sensor, fil_quat_rotate(back, felt), accelerometer);
    for (int k = 0; k < 9; k += 4) {
        imu->angular_velocity_covariance[k] = gyro * gyro;
        imu->linear_acceleration_covariance[k] = accelerometer * accelerometer;
    }
    return fil_sensor_set_header(sensors, &imu->header, world, sensor->object);
}

/* Rates, in Hz: each tenth step of a millisecond; what a sensor costs and sends is in proportion. @RATE gives another (docs/ros.md). */
const FilSensorKind fil_imu_sensor = {"imu",
                                      "a link or rigid body",
                                      100.0,
                                      "sensor_msgs/msg/Imu",
                                      type_of_Imu,
                                      {sizeof(sensor_msgs__msg__Imu), init_Imu, fini_Imu},
                                      fil_sensor_finds_body,
                                      measure_imu};

/* ---- wrench ---- */

static bool finds_joint(const FilWorld* world, const char* name)
{
    return fil_world_find_joint(world, name).index != 0;
}

FIL_MESSAGE_FUNCTIONS(geometry_msgs, WrenchStamped)

/* what the joint does to its second side, about the joint's point, in the axes of the frame */
static bool measure_wrench(FilSensors* sensors, FilSensor* sensor, const FilWorld* world, bool due)
{
    const FilId joint = fil_world_find_joint(world, sensor->object);
    if (!due || joint.index == 0) {
        return false;
    }
    FilEntityState state = {.orientation = {0.0, 0.0, 0.0, 1.0}};
    const bool framed = sensor->frame[0] != '\0' && fil_sensor_see_body(world, sensor->frame, &state);
    const FilQuat back = fil_quat_conjugate(state.orientation);
    geometry_msgs__msg__WrenchStamped* message = sensor->message;
    message->wrench.force =
        fil_sensor_with_noise(sensor, fil_quat_rotate(back, fil_joint_force(world, joint)), fil_sensor_number(sensors, "wrench_force_noise"));
    message->wrench.torque =
        fil_sensor_with_noise(sensor, fil_quat_rotate(back, fil_joint_torque(world, joint)), fil_sensor_number(sensors, "wrench_torque_noise"));
    return fil_sensor_set_header(sensors, &message->header, world, framed ? sensor->frame : NULL);
}

const FilSensorKind fil_wrench_sensor = {"wrench",
                                         "a joint or attachment of the scene",
                                         100.0,
                                         "geometry_msgs/msg/WrenchStamped",
                                         type_of_WrenchStamped,
                                         {sizeof(geometry_msgs__msg__WrenchStamped), init_WrenchStamped, fini_WrenchStamped},
                                         finds_joint,
                                         measure_wrench};
