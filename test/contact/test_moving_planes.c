/* Half-spaces that turn and rise meet what is in their way in time: as a box does that moves the same way. A half-space has no fastest point; what
 * is far from its axis is met at omega r. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

enum { TEXT = 2000, STEPS = 12 };

typedef enum Object { BALL, BOX, ROD, CORD, CLOTH, SOLID, OBJECTS } Object;

/* At x, its lowest point at height z. */
static void add_object(char* text, Object object, double x, double z)
{
    static const char* const rod =
        "materials: {m: {young: 1e+6, poisson: 0.4, density: 1100}}\n"
        "rods: [{name: o, material: m, section: {circle: {radius: 0.01}}, %sshape: {straight: {from: [%.9g, -0.1, %.9g], "
        "to: [%.9g, 0.1, %.9g], nodes: 9}}}]\n";
    switch (object) {
        case BALL:
            snprintf(text, TEXT, "  - {name: o, mass: 0.5, shapes: [{sphere: {radius: 0.05}}], position: [%.9g, 0, %.9g]}\n", x, z + 0.05);
            break;
        case BOX:
            snprintf(text, TEXT, "  - {name: o, mass: 0.5, shapes: [{box: {size: [0.1, 0.1, 0.1]}}], position: [%.9g, 0, %.9g]}\n", x, z + 0.05);
            break;
        case ROD:
        case CORD:
            snprintf(text, TEXT, rod, object == CORD ? "twist_free: true, " : "", x, z + 0.01, x, z + 0.01);
            break;
        case CLOTH:
            snprintf(text, TEXT,
                     "materials: {m: {young: 1e+5, poisson: 0.3, density: 500}}\nshells: [{name: o, material: m, thickness: 0.001, sheet: {corner: "
                     "[%.9g, -0.05, %.9g], along: [0.1, 0, 0], across: [0, 0.1, 0], columns: 3, rows: 3}, collision: {self: false}}]\n",
                     x - 0.05, z + 5e-4);
            break;
        default:
            snprintf(
                text, TEXT,
                "materials: {m: {young: 1e+5, poisson: 0.3, density: 500}}\nsolids: [{name: o, material: m, brick: {size: [0.1, 0.1, 0.1], cells: "
                "[2, 2, 2]}, position: [%.9g, 0, %.9g]}]\n",
                x, z + 0.05);
            break;
    }
}

typedef struct Case {
    const char* model;
    Object object;
    double omega, distance; /* rad/s, and m from the axis; omega 0: it rises at `distance` m/s */
    double dt;
} Case;

/* A plane, or a box with its upper face there, that reaches the object in the middle of its fourth step. */
static FilWorld* make(const Case* c, bool box)
{
    char text[3 * TEXT], object[TEXT], drive[200];
    const double end = STEPS * c->dt, angle = 3.5 * c->dt * c->omega;
    // the corner of what is wide is met first
    const double half = c->object == BOX || c->object == SOLID || c->object == CLOTH ? 0.05 : 0.0;
    const double height = c->omega > 0.0 ? (c->distance + half) * tan(angle) : 3.5 * c->dt * c->distance;
    add_object(object, c->object, c->omega > 0.0 ? c->distance : 0.3, height);  // off the box's diagonals
    if (c->omega > 0.0) {
        snprintf(drive, sizeof drive, "rotation: [[0, 0, 0, 0], [%.9g, 0, %.9g, 0]]", end, -c->omega * end);
    } else {
        snprintf(drive, sizeof drive, "position: [[0, 0, 0, 0], [%.9g, 0, 0, %.9g]]", end, c->distance * end);
    }
    snprintf(text, sizeof text,
             "world: {gravity: [0, 0, 0], dt: %g, contact: {model: %s}}\n%srigid_bodies:\n  - {name: p, motion: kinematic, shapes: [{%s}]}\n%s"
             "drives: [{name: d, body: p, %s}]\n",
             c->dt, c->model, c->object == BALL || c->object == BOX ? "" : object,
             box ? "box: {size: [14, 4, 1]}, position: [0, 0, -0.5]" : "half_space: {}, position: [3, 0, 0]",
             c->object == BALL || c->object == BOX ? object : "", drive);
    FilWorld* world = NULL;
    FilError error = {""};
    if (fil_scene_load_text("plane", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s\n%s", error.text, text);
    }
    return world;
}

static double length_of(FilVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

/* The plane gives an object the momentum that the box gives it, step by step; where it is found too late, none in the fourth, half of it too little.
 */
static void check(const Case* c)
{
    FilWorld* const worlds[2] = {make(c, false), make(c, true)};
    double worst = 0.0, largest = 0.0;
    for (int s = 0; s < STEPS; s++) {
        for (int w = 0; w < 2; w++) {
            if (fil_world_step(worlds[w], NULL) != FIL_OK) {
                fail_msg("%s, object %d, %g rad/s, %g, dt %g, %s: %s", c->model, c->object, c->omega, c->distance, c->dt, w == 0 ? "plane" : "box",
                         fil_world_error(worlds[w]));
            }
        }
        const FilVec3 p = fil_world_momentum(worlds[0]), q = fil_world_momentum(worlds[1]);
        worst = fmax(worst, length_of((FilVec3){p.x - q.x, p.y - q.y, p.z - q.z}));
        largest = fmax(largest, length_of(q));
    }
    // solids touch a plane with their vertices, boxes with faces, too
    if (!(largest > 0.0) || !(worst <= (c->object == SOLID ? 0.02 : 0.002) * largest)) {
        fail_msg("%s, object %d, %g rad/s, %g, dt %g: %g off %g kg m/s", c->model, c->object, c->omega, c->distance, c->dt, worst, largest);
    }
    fil_world_destroy(worlds[0]);
    fil_world_destroy(worlds[1]);
}

/* Some objects under a model, each with two steps. */
static void check_all(const char* model, const Object* objects, int count, double omega, double distance, double dt, double longer)
{
    for (int k = 0; k < 2 * count; k++) {
        check(&(Case){model, objects[k / 2], omega, distance, k % 2 == 0 ? dt : longer});
    }
}

static const Object all[] = {BALL, BOX, ROD, CORD, CLOTH, SOLID};

static void planes_that_turn(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged", "lcp"};
    for (int m = 0; m < 3; m++) {
        check_all(models[m], all, OBJECTS, 1.0, 1.0, 1e-3, 2e-3);
        check_all(models[m], all, OBJECTS, 1.0, 5.0, 1e-3, 2e-3);
        check_all(models[m], all, OBJECTS, 5.0, 1.0, 5e-4, 1e-3);
    }
    check_all("ipc", all, ROD + 1, 1.0, 1.0, 1e-3, 2.5e-3);
    check_all("imc", &all[ROD], 1, 5.0, 5.0, 1e-3, 2e-3);
}

static void planes_that_rise(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged", "lcp"};
    for (int m = 0; m < 3; m++) {
        check_all(models[m], all, OBJECTS, 0.0, 5.0, 1e-3, 2e-3);
    }
    check_all("ipc", all, ROD + 1, 0.0, 1.0, 1e-3, 2.5e-3);
    check_all("imc", &all[ROD], 1, 0.0, 25.0, 1e-3, 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planes_that_turn), cmocka_unit_test(planes_that_rise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
