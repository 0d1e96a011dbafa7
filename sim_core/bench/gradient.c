/* What a gradient costs beside its step, in steps of its world and in plain ones, before there was a gradient of it: what prepares the products and
 * one backward product together, of things in motion, and of such that have come to rest in contact, where steps are cheapest. By the thread's CPU
 * clock, the least of some rounds over the same steps: they do not all take the same work, whatever stands still. */
#include "gradient.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct Case {
    const char* name;
    int settle; /* steps before: until it is at rest, where it comes to that */
    const char* text;
} Case;

/* Steps of a round: a tenth of a second of what still creeps; and how many rounds for each repeat. */
enum { STEPS = 200, ROUNDS = 3 };

#define NONE "world: {dt: 2e-3, contact: {model: none}}\n"
#define SAP "world: {dt: 2e-3, contact: {model: sap}}\n"
#define IPC "world: {dt: 2e-3, contact: {model: ipc}, ipc: {friction_iterations: 1}}\n"
#define IMC "world: {dt: 1e-3, contact: {model: imc}}\n"
#define RUBBER "materials: {rubber: {young: 1e6, poisson: 0.4, density: 1100}}\n"
#define GROUND "{name: ground, motion: static, shapes: [{half_space: {}}]}"
#define BOX "rigid_bodies: [" GROUND ", {name: a, position: [0, 0, 0.1005], shapes: [{box: {size: [0.2, 0.3, 0.2]}}]}]\n"
#define ROD "name: r, material: rubber, section: {circle: {radius: 0.006}}"
#define LIES(more) \
    RUBBER "rigid_bodies: [" GROUND "]\nrods: [{" ROD more ", shape: {straight: {from: [0, 0, 0.0065], to: [1, 0, 0.0065], nodes: 100}}}]\n"
#define HANGS(more)            \
    RUBBER "rods: [{" ROD more \
           ", shape: {straight: {from: [0, 0, 0], to: [1, 0, 0], nodes: 100}}}]\nattachments: [{name: h, pin: {rod: r, node: 0}}]\n"
#define SECTION "{length: 0.2, mass: 0.3, disks: 4, disk_radius: 0.03}"
#define ARM(sections) "arms: [{name: a, position: [0, 0, 0.035], rotation: [0, 1.57, 0], sections: [" sections "]}]\n"
#define THREE SECTION ", " SECTION ", " SECTION
#define JOINT(name, place) "{joint: " name ", position: " place ", gains: {stiffness: 300, damping: 10}}"

/* Nine stacks of three balls each. */
#define STACK(x, y)                                                                             \
    "{position: [" x ", " y ", 0.1], shapes: [{sphere: {radius: 0.1}}]}, {position: [" x ", " y \
    ", 0.3], shapes: [{sphere: {radius: 0.1}}]}, "                                              \
    "{position: [" x ", " y ", 0.5], shapes: [{sphere: {radius: 0.1}}]}"
#define ROW(x) STACK(x, "0") ", " STACK(x, "0.3") ", " STACK(x, "0.6")

static const Case cases[] = {
    {"rod", 1000, NONE HANGS("")},
    {"damped rod", 1000, NONE HANGS(", damping: {stiffness: 0.01}")},
    {"cord", 1000, NONE HANGS(", twist_free: true, gyroscopic: false")},
    {"box", 10, NONE "rigid_bodies: [{name: a, angular_velocity: [3, 2, 5], shapes: [{box: {size: [0.2, 0.3, 0.2]}}]}]\n"},
    {"soft arm of 1", 1000, NONE ARM(SECTION)},
    {"soft arm of 3", 1000, NONE ARM(THREE)},
    {"soft arm of 6", 1000, NONE ARM(THREE ", " THREE)},
    {"box, sap", 500, SAP BOX},
    {"27 balls, sap", 500, SAP "rigid_bodies: [" GROUND ", " ROW("0") ", " ROW("0.3") ", " ROW("0.6") "]\n"},
    {"rod on a ball, sap", 2000,
     SAP RUBBER "rigid_bodies: [{name: b, motion: static, shapes: [{sphere: {radius: 0.1}}]}]\nrods: [{" ROD
                ", damping: {mass: 5}, shape: {straight: {from: [-0.5, 0, 0.106], to: [0.5, 0, 0.106], nodes: 100}}}]\n"},
    {"rod on the ground, sap", 500, SAP LIES("")},
    {"damped rod, sap", 500, SAP LIES(", damping: {stiffness: 0.01}")},
    {"cord, sap", 500, SAP LIES(", twist_free: true, gyroscopic: false")},
    {"soft arm of 1, sap", 2000, SAP "rigid_bodies: [" GROUND "]\n" ARM(SECTION)},
    {"soft arm of 3, sap", 2000, SAP "rigid_bodies: [" GROUND "]\n" ARM(THREE)},
    {"soft arm of 6, sap", 2000, SAP "rigid_bodies: [" GROUND "]\n" ARM(THREE ", " THREE)},
    {"robot on a box, sap", 2000,
     SAP "robots: [{name: r, urdf: ../robots/planar3.urdf, joints: [" JOINT("shoulder", "0.9") ", " JOINT("elbow", "0.9") ", " JOINT(
         "wrist", "0.7") "]}]\nrigid_bodies: [{name: ground, motion: static, position: [0, 0, -0.17], shapes: [{half_space: {}}]}, {name: a, mass: "
                         "2, position: "
                         "[0.744, 0, -0.07], shapes: [{box: {size: [0.3, 0.3, 0.2]}}]}]\n"},
    {"box, ipc", 500, IPC BOX},
    {"rod on the ground, ipc", 500, IPC LIES("")},
    {"rod on the ground, imc", 300, IMC LIES("")},
    {"rods that cross, imc", 300,
     IMC RUBBER "rigid_bodies: [" GROUND "]\nrods: [{" ROD
                ", shape: {straight: {from: [0, 0, 0.0065], to: [1, 0, 0.0065], nodes: 100}}}, {name: s, material: rubber, section: {circle: "
                "{radius: 0.006}}, shape: {straight: {from: [0.01, -0.03, 0.0188], to: [1.01, 0.03, 0.0188], nodes: 100}}}]\n"},
};

/* The state that rounds begin with. */
typedef struct Start {
    void* snapshot;
    size_t size;
} Start;

/* Least CPU time of a step in a round, s. */
typedef struct Times {
    double step, all, backward; /* a step; a step that prepares products, with one backward; that one alone, when there was one before */
} Times;

/* Motors hold robots where they begin. */
static FilStatus hold_robots(FilWorld* world)
{
    FilStatus status = FIL_OK;
    for (int r = 0; r < fil_world_robot_count(world); r++) {
        const FilId robot = fil_world_robot_at(world, r);
        for (int j = 0; j < fil_robot_joint_count(world, robot) && status == FIL_OK; j++) {
            const FilJointCommand command = {.mode = FIL_JOINT_POSITION, .position = fil_robot_joint_state(world, robot, j).position};
            status = fil_robot_set_joint_command(world, robot, j, &command);
        }
    }
    return status;
}

static FilStatus load(const Case* c, const char* beside, FilWorld** world, FilError* error)
{
    FilStatus status = fil_scene_load_text(beside, c->text, strlen(c->text), NULL, world, NULL, error);
    status = status == FIL_OK ? hold_robots(*world) : status;
    for (int k = 0; k < c->settle && status == FIL_OK; k++) {
        status = fil_world_step(*world, NULL);
        status = status == FIL_OK ? status : fil_error(error, status, "%s: %.400s", c->name, fil_world_error(*world));
    }
    return status;
}

static FilStatus time_steps(FilWorld* world, const Start* start, int rounds, double* min)
{
    FilStatus status = FIL_OK;
    *min = INFINITY;
    for (int k = 0; k < rounds && status == FIL_OK; k++) {
        status = fil_world_restore(world, start->snapshot, start->size);
        const FilBenchClock clock = fil_bench_clock();
        for (int s = 0; s < STEPS && status == FIL_OK; s++) {
            status = fil_world_step(world, NULL);
        }
        *min = fmin(*min, fil_bench_since(clock).cpu / STEPS);
    }
    return status;
}

static FilStatus time_gradients(FilWorld* world, FilGradient* gradient, const Start* start, int rounds, double* variation, Times* times)
{
    const int numbers = fil_gradient_variation_size(gradient);
    FilStatus status = FIL_OK;
    times->all = times->backward = INFINITY;
    for (int k = 0; k < rounds && status == FIL_OK; k++) {
        status = fil_world_restore(world, start->snapshot, start->size);
        FilBenchClock clock = fil_bench_clock();
        for (int s = 0; s < STEPS && status == FIL_OK; s++) {
            status = fil_gradient_step(gradient, NULL);
            status = status == FIL_OK ? fil_gradient_backward(gradient, variation, variation + numbers, NULL) : status;
        }
        times->all = fmin(times->all, fil_bench_since(clock).cpu / STEPS);
        clock = fil_bench_clock();
        for (int s = 0; s < STEPS && status == FIL_OK; s++) {
            status = fil_gradient_backward(gradient, variation, variation + numbers, NULL);
        }
        times->backward = fmin(times->backward, fil_bench_since(clock).cpu / STEPS);
    }
    return status;
}

/* How far a backward product is from a forward one, of their size: (J' a) . b - a . (J b). */
static FilStatus compare_products(FilGradient* gradient, const double* a, double* product, double* difference)
{
    const int numbers = fil_gradient_variation_size(gradient);
    double back = 0.0, forth = 0.0, size = 0.0;
    FilStatus status = fil_gradient_backward(gradient, a, product, NULL);
    for (int k = 0; k < numbers; k++) {
        back += product[k] * a[k];
    }
    status = status == FIL_OK ? fil_gradient_forward(gradient, a, NULL, product) : status;
    for (int k = 0; k < numbers; k++) {
        forth += product[k] * a[k];
        size += fabs(product[k] * a[k]);
    }
    *difference = fabs(back - forth) / size;
    return status;
}

static FilStatus measure(FilBench* bench, const Case* c, const char* beside, FilError* error)
{
    const int rounds = ROUNDS * fil_bench_repeats(bench);
    FilWorld* world = NULL;
    FilGradient* gradient = NULL;
    double *numbers = NULL, plain = NAN, difference = NAN;
    Times times = {NAN, NAN, NAN};
    FilBenchResult result = fil_bench_result(c->name);
    FilStatus status = load(c, beside, &world, error);
    Start start = {NULL, 0};
    if (status == FIL_OK) {
        start.size = fil_world_snapshot_size(world);
        start.snapshot = fil_alloc(start.size, 1);
        status = start.snapshot != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
    }
    if (status == FIL_OK) {
        fil_world_save(world, start.snapshot);
        status = time_steps(world, &start, rounds, &plain);
    }
    status = status == FIL_OK ? fil_gradient_create(world, &gradient) : status;
    if (status == FIL_OK) {
        const int size = fil_gradient_variation_size(gradient);
        numbers = fil_alloc(2 * (size_t)size + 1, sizeof *numbers);
        status = numbers != NULL ? FIL_OK : FIL_OUT_OF_MEMORY;
        for (int k = 0; k < size && status == FIL_OK; k++) {
            numbers[k] = sin(1.0 + k);
        }
        status = status == FIL_OK ? time_steps(world, &start, rounds, &times.step) : status;
        status = status == FIL_OK ? time_gradients(world, gradient, &start, rounds, numbers, &times) : status;
        status = status == FIL_OK ? compare_products(gradient, numbers, numbers + size, &difference) : status;
    }
    if (status == FIL_OK) {
        snprintf(result.contact_model, sizeof result.contact_model, "%s", fil_world_contact_model(world));
        result.nodes = fil_gradient_size(gradient) / 4;
        result.dt = fil_world_dt(world);
        result.cpu_time = times.all - times.step;
        result.ms_per_step = 1e3 * times.step;
        result.contacts_avg = fil_world_contact_count(world);
        fil_bench_result_accuracy(&result, "gradient_steps", (times.all - times.step) / times.step);
        fil_bench_result_accuracy(&result, "next_product", times.backward / times.step);
        fil_bench_result_accuracy(&result, "plain_steps", (times.all - times.step) / plain);
        fil_bench_result_accuracy(&result, "adjoint", difference);
        status = fil_bench_report(bench, &result);
    } else if (world != NULL && error->text[0] == '\0') {
        status = fil_error(error, status, "%s: %.400s", c->name, fil_world_error(world));
    }
    fil_gradient_destroy(gradient);
    fil_world_destroy(world);
    fil_free(numbers);
    fil_free(start.snapshot);
    return status;
}

FilStatus fil_bench_gradient(FilBench* bench, FilError* error)
{
    char path[1024];
    FilStatus status = fil_scene_find("box_pile", path, sizeof path, error) ? FIL_OK : FIL_BAD_INPUT;  // robots are in the folder beside
    for (size_t k = 0; k < sizeof cases / sizeof cases[0] && status == FIL_OK; k++) {
        status = measure(bench, &cases[k], path, error);
    }
    return status;
}
