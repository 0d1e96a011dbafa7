/* Objects that roll and slide, in closed form, that no model was made with: rods of three radii that roll down a slope, a ring of wire that
 * slides along an inclined bar, cloth that slides down a slope, balls that fall on a ring of wire, off its middle, and through it if they are
 * small enough, and a rope drawn round two posts one after the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validate/contact.h"

static const double G = 9.81;

static FilWorld* load(FilCheck* check, const char* text, const char* model, const FilSetting* settings, int count)
{
    const FilSceneOptions options = {.settings = settings, .setting_count = count, .contact_model = model};
    FilWorld* world = NULL;
    FilError error = {{0}};
    if (fil_scene_load_text("sliding", text, strlen(text), &options, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s: %s", model, error.text);
    }
    return world;
}

/* Slope of the momentum along x from one time to another, by least squares over looks every 10 ms, N; NaN after a failure. */
static double pull_of(FilCheck* check, FilWorld* world, double from, double to)
{
    const int looks = (int)lround((to - from) / 0.01);
    double sum = 0.0, weights = 0.0;
    for (int k = 0; k <= looks; k++) {
        if (!fil_check_run(check, world, from + 0.01 * k)) {
            return NAN;
        }
        const double t = 0.01 * (k - 0.5 * looks);
        sum += t * fil_world_momentum(world).x;
        weights += t * t;
    }
    return sum / weights;
}

/* What slides or rolls down: its force along x over what theory says. */
static void judge_slope(FilCheck* check, const char* what, const char* text, const char* model, const FilSetting* setting, double expected,
                        double within)
{
    char line[96];
    FilWorld* world = load(check, text, model, setting, setting != NULL ? 1 : 0);
    if (world == NULL) {
        return;
    }
    const double pull = pull_of(check, world, 0.15, 0.5);
    snprintf(line, sizeof line, "%s: %s%s%s", model, what, setting != NULL ? " " : "", setting != NULL ? setting->value : "");
    if (isfinite(pull)) {
        fil_check_near(check, line, pull / expected, 1.0, within);
    }
    fil_world_destroy(world);
}

/* 2/3 g sin: a rod rolls by its twist, whatever its radius. */
static const char rolling[] =
    "parameters: {r: 0.01}\n"
    "world: {gravity: [$(9.81 * sin(0.35)), 0, $(-9.81 * cos(0.35))], dt: 1e-3, contact: ipc}\n"
    "materials: {m: {young: 1e7, poisson: 0.3, density: 1000, friction: 0.6}}\n"
    "rigid_bodies: [{name: ground, motion: static, material: m, shapes: [{half_space: {}}]}]\n"
    "rods: [{name: rod, material: m, section: {circle: {radius: $(r)}}, shape: {straight: {from: [0, -0.1, $(r + 3e-4)], to: [0, 0.1, $(r + "
    "3e-4)], nodes: 11}}}]\n";

/* g (sin - mu cos): the ring tilts with the force on it, and its chords weigh less than a circle. */
static const char ring_on_bar[] =
    "parameters: {n: 24}\n"
    "world: {gravity: [$(9.81 * sin(0.6)), 0, $(-9.81 * cos(0.6))], dt: 1e-3, contact: ipc, ipc: {range: 2e-4}}\n"
    "materials: {m: {young: 1e9, poisson: 0.3, density: 2000, friction: 0.25}}\n"
    "rods:\n"
    "  - {name: bar, material: m, section: {circle: {radius: 0.004}}, shape: {straight: {from: [-0.1, 0, 0], to: [1, 0, 0], nodes: 41}}}\n"
    "  - {name: ring, material: m, section: {circle: {radius: 0.003}}, collision: {self: false}, damping: {stiffness: 1e-4},\n"
    "     shape: {ring: {center: [0, 0, -0.0228], normal: [1, 0, 0], radius: 0.03, nodes: $(n)}}}\n"
    "attachments: [{name: hold, pin: {rod: bar, nodes: [0, 41]}}]\n";

static const char sheet[] =
    "parameters: {n: 6}\n"
    "world: {gravity: [$(9.81 * sin(0.5)), 0, $(-9.81 * cos(0.5))], dt: 2e-3, contact: ipc}\n"
    "materials: {c: {young: 1e6, poisson: 0.3, density: 500, friction: 0.3}}\n"
    "rigid_bodies: [{name: ground, motion: static, material: c, shapes: [{half_space: {}}]}]\n"
    "shells: [{name: cloth, material: c, thickness: 0.004, sheet: {corner: [-0.1, -0.1, 0.0026], along: [0.2, 0, 0], across: [0, 0.2, 0], "
    "columns: $(n), rows: $(n)}}]\n";

void fil_check_slopes(FilCheck* check)
{
    static const char *const rods[] = {"ipc", "imc", "sap_lagged"}, *const sheets[] = {"ipc", "sap_lagged"};
    static const char *const radii[] = {"0.002", "0.01", "0.03"}, *const nodes[] = {"24", "48"}, *const cells[] = {"4", "8"};
    for (int m = 0; m < 3; m++) {
        for (int k = 0; k < 3; k++) {
            const double r = strtod(radii[k], NULL), mass = 1000.0 * M_PI * r * r * 0.2;
            judge_slope(check, "a rod rolls, radius", rolling, rods[m], &(FilSetting){"r", radii[k]}, mass * G * sin(0.35) / 1.5,
                        5e-3);  // the bound
        }
        for (int k = 0; k < 2; k++) {
            // a polygon that swings a little while it slides: 0.7 to 0.8 % at 24 nodes, half of it at 48, under all three alike
            const double n = strtod(nodes[k], NULL), mass = 2000.0 * M_PI * 9e-6 * 2.0 * n * 0.03 * sin(M_PI / n);
            judge_slope(check, "a ring slides along a bar, nodes", ring_on_bar, rods[m], &(FilSetting){"n", nodes[k]},
                        mass * G * (sin(0.6) - 0.25 * cos(0.6)), k == 0 ? 1e-2 : 5e-3);
        }
    }
    for (int m = 0; m < 2; m++) {
        for (int k = 0; k < 2; k++) {
            judge_slope(check, "cloth slides, cells", sheet, sheets[m], &(FilSetting){"n", cells[k]}, 0.08 * G * (sin(0.5) - 0.3 * cos(0.5)), 1e-3);
        }
    }
}

/* ---- a ball and a ring ---- */

static const char hoop[] =
    "parameters: {b: 0.018}\n"
    "world: {gravity: [0, 0, -9.81], dt: 1e-3, contact: ipc, ipc: {range: 2e-4}}\n"
    "materials: {m: {young: 1e8, poisson: 0.3, density: 1000, friction: 0.2}}\n"
    "rigid_bodies: [{name: ball, motion: dynamic, material: m, position: [0.0015, 0, 0.04], shapes: [{sphere: {radius: $(b)}}]}]\n"
    "rods: [{name: ring, material: m, section: {circle: {radius: 0.003}}, collision: {self: false}, shape: {ring: {center: [0, 0, 0], "
    "normal: [0, 0, 1], radius: 0.024, nodes: 36}}}]\n"
    "attachments: [{name: hold, pin: {rod: ring, nodes: [0, 36]}}]\n";

/* The hole is 21 mm wide: balls of 18 mm pass without touching, those of 20.5 mm by its side, those of 21.5 and 23 mm rest in its middle. */
void fil_check_ball_ring(FilCheck* check)
{
    static const char* const radii[] = {"0.018", "0.0205", "0.0215", "0.023"};
    for (int k = 0; k < 4; k++) {
        char line[96];
        FilWorld* world = load(check, hoop, "ipc", &(FilSetting){"b", radii[k]}, 1);
        const double r = strtod(radii[k], NULL), weight = 4000.0 / 3.0 * M_PI * r * r * r * G;
        if (world == NULL) {
            continue;
        }
        const FilId hold = fil_world_find_attachment(world, "hold");
        const bool started = fil_check_run(check, world, 1e-3);
        const double alone = fil_attachment_force(world, hold).z;  // of the ring's weight
        FilVec3 p;
        FilQuat turned;
        if (started && fil_check_run(check, world, 0.6)) {
            fil_rigid_get_pose(world, fil_world_find_rigid(world, "ball"), &p, &turned);
            snprintf(line, sizeof line, "ipc: a ball of %s m on a ring: %s", radii[k],
                     k < 2 ? "falls through, height (m)" : "what holds it / weight");
            if (k < 2) {  // 0.04 - g t^2 / 2 in steps of backward Euler, and what the ring's side takes
                fil_check_near(check, line, p.z, 0.04 - 0.5 * G * 0.6 * 0.601, k == 0 ? 1e-6 : 0.1);
            } else {
                fil_check_near(check, line, (fil_attachment_force(world, hold).z - alone) / weight, 1.0, 1e-4);
                snprintf(line, sizeof line, "ipc: a ball of %s m on a ring: off its middle (m)", radii[k]);
                fil_check_below(check, line, hypot(p.x, p.y), 1e-4);
            }
        }
        fil_world_destroy(world);
    }
}

/* ---- two posts ---- */

enum { ARC = 24, MAX_POINTS = 200 };

static const double POST = 0.03, ROPE = 0.001, TURN = 1.5; /* m; rad round each */

typedef struct Path {
    double x[MAX_POINTS], y[MAX_POINTS];
    int count;
} Path;

static void add_line(Path* path, double x0, double y0, double x1, double y1, int parts)
{
    for (int i = 0; i < parts; i++, path->count++) {
        path->x[path->count] = x0 + (x1 - x0) * i / parts;
        path->y[path->count] = y0 + (y1 - y0) * i / parts;
    }
}

/* Over the first post clockwise, 50 mm across, under the second the other way; `b` is where that stands. */
static Path lay(double radius, double* b)
{
    Path path = {.count = 0};
    const double s = sin(TURN), c = cos(TURN), across = 0.05, h = radius * TURN / ARC;
    add_line(&path, -0.06, radius, 0.0, radius, (int)lround(0.06 / h));
    for (int i = 0; i < ARC; i++, path.count++) {
        path.x[path.count] = radius * sin(TURN * i / ARC);
        path.y[path.count] = radius * cos(TURN * i / ARC);
    }
    const double from[2] = {radius * s, radius * c}, to[2] = {from[0] + across * c, from[1] - across * s};
    add_line(&path, from[0], from[1], to[0], to[1], (int)lround(across / h));
    b[0] = to[0] + radius * s;
    b[1] = to[1] + radius * c;
    for (int i = 0; i < ARC; i++, path.count++) {
        const double angle = TURN * (ARC - i) / ARC;
        path.x[path.count] = b[0] - radius * sin(angle);
        path.y[path.count] = b[1] - radius * cos(angle);
    }
    add_line(&path, b[0], b[1] - radius, b[0] + 0.03, b[1] - radius, (int)lround(0.03 / h));
    path.x[path.count] = b[0] + 0.03;
    path.y[path.count++] = b[1] - radius;
    return path;
}

/* One end is drawn away at constant speed, the other held back with 10 mN. */
static FilWorld* two_posts(FilCheck* check, const char* model)
{
    char text[16384];
    double b[2];
    const Path path = lay(POST + ROPE + (strcmp(model, "ipc") == 0 ? 1e-4 : 0.0), b);  // no barrier pushed in
    int at = snprintf(text, sizeof text,
                      "world: {gravity: [0, 0, 0], dt: 1e-3, contact: ipc, newton: {tolerance: 1e-6}, ipc: {range: 1e-4}}\n"
                      "rigid_bodies:\n"
                      "  - {name: a, motion: static, shapes: [{capsule: {radius: %g, length: 0.2}}], surface: {friction: 0.3}}\n"
                      "  - {name: b, motion: static, position: [%.12g, %.12g, 0], shapes: [{capsule: {radius: %g, length: 0.2}}], surface: "
                      "{friction: 0.3}}\n"
                      "attachments: [{name: end, handle: {rod: rope, node: -1, stiffness: 100, damping: 0.5}}]\n"
                      "drives:\n"
                      "  - {name: hold, rod: rope, node: 0, force: [[0, 0, 0, 0], [0.1, -0.01, 0, 0]]}\n"
                      "  - {name: draw, attachment: end, position: [[0.1, 0, 0, 0], [0.8, 0.02, 0, 0]]}\n"
                      "rods:\n"
                      "  - name: rope\n"
                      "    section: {stiffness: {ea: 31.4, ei1: 7.85e-9, gj: 4.7e-9, mass_per_length: 3.14e-3, radius: %g}}\n"
                      "    damping: {mass: 1}\n"
                      "    surface: {friction: 0.3, stiffness: 1e5}\n"
                      "    collision: {self: false}\n"
                      "    shape: {polyline: {nodes: %d, points: [",
                      POST, b[0], b[1], POST, ROPE, path.count);
    for (int i = 0; i < path.count; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.9g, %.9g, 0]", i > 0 ? ", " : "", path.x[i], path.y[i]);
    }
    (void)snprintf(text + at, sizeof text - (size_t)at, "]}}\n");
    return load(check, text, model, NULL, 0);
}

/* exp(mu phi R/(R + r)) of both turns together, whichever way each goes. */
void fil_check_two_posts(FilCheck* check)
{
    static const char* const models[] = {"ipc", "imc", "sap_lagged", "sap", "lcp"};
    for (int m = 0; m < 5; m++) {
        char line[96];
        FilWorld* world = two_posts(check, models[m]);
        double sum = 0.0;
        int count = 0;
        for (bool good = world != NULL; good && count < 200; count++) {  // while it slides, 0.6 to 0.8 s
            good = fil_check_run(check, world, 0.6 + 1e-3 * count);
            sum += good ? fil_attachment_force(world, fil_world_find_attachment(world, "end")).x : NAN;
        }
        snprintf(line, sizeof line, "%s: pull / hold round two posts", models[m]);
        if (world != NULL && isfinite(sum)) {
            fil_check_near(check, line, sum / count / 0.01, exp(0.3 * 2.0 * TURN * POST / (POST + ROPE)), 0.02);
        }
        fil_world_destroy(world);
    }
}
