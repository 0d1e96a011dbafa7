/* A program to run by hand, on a quiet machine: how long a command takes from where it is published until it counts in the world, and
 * until the step that it counts in is done.
 *
 *     command_latency [lockstep] [SECONDS [RATE [PARAMETER:=VALUE]...]]
 *
 * The node runs as always, in real time with steps of 1 ms, in a thread of its own; the publisher is another member of the graph, so that
 * a command is encoded, sent over DDS, taken by the node's executor, checked and applied. Under lockstep the world waits for each command and the
 * controller for each state, which it answers RATE times a second: the round trip ends where the controller has the next state. Times are of the
 * steady clock. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <setjmp.h>

#include <cmocka.h>

#include "client.h"
#include "host.h"
#include "process.h"
#include "rclc/executor.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "sensor_msgs/msg/joint_state.h"

enum { MAX_COUNT = 1000000, MAX_PARAMETERS = 8 };

/* What the controller sends, and hears under lockstep. */
typedef struct Controller {
    Client client;
    rcl_publisher_t publisher;
    rcl_subscription_t subscription;
    rclc_executor_t executor;
    sensor_msgs__msg__JointState *command, *state;
    bool heard; /* a state since it was last set to false */
} Controller;

static double sent[MAX_COUNT], applied[MAX_COUNT], stepped[MAX_COUNT], answered[MAX_COUNT], begun[MAX_COUNT], ended[MAX_COUNT];
static int step_count;
static int last_applied = -1, last_stepped = -1;
static volatile sig_atomic_t stop;

/* Everything that the node takes or tells passes here, in its thread: a command bears its number as effort. */
static void hear(void* context, const FilOutputTopic* topic, const void* message)
{
    (void)context;
    if (strcmp(topic->name, "joint_commands") == 0) {
        const int number = (int)lround(1e6 * ((const sensor_msgs__msg__JointState*)message)->effort.data[0]);
        if (number >= 0 && number < MAX_COUNT) {
            applied[number] = fil_node_now();
            last_applied = number;
        }
    } else if (strcmp(topic->name, "step_info") == 0) {
        for (int k = last_stepped + 1; k <= last_applied; k++) {
            stepped[k] = fil_node_now();
        }
        last_stepped = last_applied;
        if (step_count < MAX_COUNT) {
            ended[step_count++] = fil_node_now();
            begun[step_count % MAX_COUNT] = ended[step_count - 1];
        }
    }
}

static void* run(void* context)
{
    fil_host_run(context);
    return NULL;
}

static int compare(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static void print(const char* what, const double* from, const double* until, int count)
{
    double* times = calloc((size_t)count + 1, sizeof *times);
    int known = 0;
    for (int k = 0; k < count && times != NULL; k++) {
        if (until[k] > 0.0) {
            times[known++] = 1e3 * (until[k] - from[k]);
        }
    }
    qsort(times, (size_t)known, sizeof *times, compare);
    printf("%-26s %6d of %d", what, known, count);
    static const double shares[] = {0.5, 0.9, 0.99, 0.999};
    for (int i = 0; i < 4 && known > 0; i++) {
        printf("  p%g %.3f", 100.0 * shares[i], times[(int)(shares[i] * (known - 1))]);
    }
    printf("  max %.3f ms\n", known > 0 ? times[known - 1] : NAN);
    free(times);
}

static void note_state(const void* message, void* context)
{
    (void)message;
    ((Controller*)context)->heard = true;
}

static void controller_join(Controller* controller)
{
    const rosidl_message_type_support_t* type = ROSIDL_GET_MSG_TYPE_SUPPORT(sensor_msgs, msg, JointState);
    controller->publisher = rcl_get_zero_initialized_publisher();
    controller->subscription = rcl_get_zero_initialized_subscription();
    controller->executor = rclc_executor_get_zero_initialized_executor();
    controller->heard = false;
    client_join(&controller->client, "controller", 0, NULL);
    must(rclc_publisher_init_default(&controller->publisher, &controller->client.node, type, "/joint_commands"), "publisher");
    must(rclc_subscription_init_default(&controller->subscription, &controller->client.node, type, "/joint_states"), "subscription");
    controller->state = sensor_msgs__msg__JointState__create();
    controller->command = sensor_msgs__msg__JointState__create();
    rosidl_runtime_c__String__Sequence__init(&controller->command->name, 1);
    rosidl_runtime_c__String__assign(&controller->command->name.data[0], "swing");
    rosidl_runtime_c__double__Sequence__init(&controller->command->effort, 1);
    must(rclc_executor_init(&controller->executor, &controller->client.support.context, 1, &controller->client.allocator), "executor");
    must(rclc_executor_add_subscription_with_context(&controller->executor, &controller->subscription, controller->state, note_state, controller,
                                                     ON_NEW_DATA),
         "executor");
}

static void controller_leave(Controller* controller)
{
    must(rclc_executor_fini(&controller->executor), "executor");
    sensor_msgs__msg__JointState__destroy(controller->command);
    sensor_msgs__msg__JointState__destroy(controller->state);
    must(rcl_subscription_fini(&controller->subscription, &controller->client.node), "subscription");
    must(rcl_publisher_fini(&controller->publisher, &controller->client.node), "publisher");
    client_leave(&controller->client);
}

static void publish(Controller* controller, int number)
{
    controller->command->effort.data[0] = 1e-6 * number;
    sent[number] = fil_node_now();
    must(rcl_publish(&controller->publisher, controller->command, NULL), "publish");
}

/* commands at a rate, whatever the world does */
static void command_in_real_time(Controller* controller, int count, double rate)
{
    double next = fil_node_now();
    for (int k = 0; k < count; k++, next += 1.0 / rate) {
        sleep_seconds(fmax(next - fil_node_now(), 0.0));
        publish(controller, k);
    }
}

/* waits for a state; false if none comes within a second */
static bool hear_state(Controller* controller)
{
    controller->heard = false;
    for (const double limit = fil_node_now() + 1.0; !controller->heard && fil_node_now() < limit;) {
        rclc_executor_spin_some(&controller->executor, 100000000);  // ns; it returns with the first message
    }
    return controller->heard;
}

/* each state is answered at its turn by the command that bears its stamp; one that is published again (a controller has just joined) by the same one
 */
static int command_in_lockstep(Controller* controller, int count, double rate)
{
    double next = fil_node_now();
    int number = 0;
    builtin_interfaces__msg__Time last = {-1, 0};
    while (number <= count && hear_state(controller)) {
        const builtin_interfaces__msg__Time stamp = controller->state->header.stamp;
        if (stamp.sec != last.sec || stamp.nanosec != last.nanosec) {
            if (number > 0) {
                answered[number - 1] = fil_node_now();
            }
            if (number == count) {
                break;
            }
            sleep_seconds(fmax(next - fil_node_now(), 0.0));
            next = fmax(next, fil_node_now() - 1.0) + 1.0 / rate;
            controller->command->header.stamp = last = stamp;
            publish(controller, number++);
        } else {
            must(rcl_publish(&controller->publisher, controller->command, NULL), "publish");
        }
    }
    return number;
}

int main(int argc, char** argv)
{
    const bool lockstep = argc > 1 && strcmp(argv[1], "lockstep") == 0;
    argc -= lockstep;
    argv += lockstep;
    const double seconds = argc > 1 ? atof(argv[1]) : 10.0, rate = argc > 2 ? atof(argv[2]) : 1000.0;
    int count = (int)fmin(seconds * rate, MAX_COUNT);
    char path[] = "/tmp/filum_latency_XXXXXX.yaml", argument[64];
    FILE* file = fdopen(mkstemps(path, 5), "w");
    fprintf(file, "world: {dt: 0.001}\nrobots: [{name: bar, urdf: " FILUM_SOURCE_DIR "/config/robots/pendulum.urdf}]\n");
    fclose(file);
    snprintf(argument, sizeof argument, "scene:=%s", path);
    setenv("ROS_LOCALHOST_ONLY", "1", 1);
    const char* arguments[12 + 2 * MAX_PARAMETERS] = {"filum_node", "--ros-args", "--log-level", "warn",
                                                      "-p",         argument,     "-p",          "publish_rate:=1000.0"};
    int arguments_count = 8;
    static const char* const in_step[] = {"-p", "lockstep:=true", "-p", "real_time_factor:=0.0"};
    for (int k = 0; k < 4 && lockstep; k++) {
        arguments[arguments_count++] = in_step[k];
    }
    for (int k = 3; k < argc && k < 3 + MAX_PARAMETERS; k++) {
        arguments[arguments_count++] = "-p";
        arguments[arguments_count++] = argv[k];
    }
    FilHost host;
    if (!fil_host_init(&host, arguments_count, arguments, &stop)) {
        return 1;
    }
    FilNode* node = host.nodes[0];
    node->tap.recorder = (FilTapListener){hear, NULL};
    pthread_t thread;
    pthread_create(&thread, NULL, run, &host);
    Controller controller;
    controller_join(&controller);
    sleep_seconds(1.0);
    struct rusage at_start, at_end;
    getrusage(RUSAGE_SELF, &at_start);
    if (lockstep) {
        count = command_in_lockstep(&controller, count, rate);
    } else {
        command_in_real_time(&controller, count, rate);
    }
    getrusage(RUSAGE_SELF, &at_end);
    sleep_seconds(0.2);
    stop = 1;
    pthread_join(thread, NULL);
    printf("%d commands at %g Hz, missed deadlines %llu, refused %llu\n", count, rate, (unsigned long long)node->simulation.missed_deadlines,
           (unsigned long long)node->commands.refused);
    printf("page faults %ld, of them %ld with a disk\n", at_end.ru_minflt - at_start.ru_minflt + at_end.ru_majflt - at_start.ru_majflt,
           at_end.ru_majflt - at_start.ru_majflt);
    print("published to applied", sent, applied, count);
    print("published to step done", sent, stepped, count);
    if (lockstep) {
        print("published to state heard", sent, answered, count);
    } else {
        print("from step to step", begun + 1, ended + 1, step_count - 1);
    }
    node->tap.recorder = (FilTapListener){NULL, NULL};
    controller_leave(&controller);
    fil_host_fini(&host);
    unlink(path);
    return 0;
}
