/* How steps vary with parameters of the scene (fil_gradient_parameter), against central differences of runs, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

enum { STEPS = 3, MAX_COUNT = 128 };

static void ok(const FilWorld* world, FilStatus status)
{
    if (status != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
}

typedef struct Parameter {
    const char *name, *key;
    double value;
    const char* text;
} Parameter;

#define FREE "world: {dt: 2e-3, gravity: [0, 0, $(g)], contact: {model: none}, newton: {tolerance: 1e-13}}\n"
#define ROPE                                                                                                                                       \
    "parameters: {young: 1e6, density: 1100, damping: 0.01, g: -9.81, length: 0.1}\n" FREE                                                         \
    "materials: {rubber: {young: $(young), poisson: 0.4, density: $(density)}}\nrods: [{name: a, material: rubber, section: {circle: {radius: "    \
    "0.005}}, "                                                                                                                                    \
    "angular_velocity: [3, 2, 5], spin: 40, damping: {stiffness: $(damping)}, shape: {polyline: {points: [[0, 0, 0], [$(length), 0, 0.02], [0.2, " \
    "0.03, "                                                                                                                                       \
    "0.03], [0.29, 0.08, 0.02]]}}}]\nattachments: [{name: hook, pin: {rod: a, node: 0}}]\n"
#define TRUNK                                                                                                                                       \
    "parameters: {stiffness: 265, mass: 0.5, area: 4e-4, g: -9.81}\n" FREE                                                                          \
    "arms: [{name: a, rotation: [1, 0.3, 0], sections: [{stiffness: $(stiffness), mass: $(mass), chamber_area: $(area), elongation: [0.01, -0.01, " \
    "0.02], "                                                                                                                                       \
    "rate: [0.1, 0.2, -0.1]}, {mass: $(mass)}]}]\ndrives: [{name: p, arm: a, chamber: 0, pressure: 3e4}]\n"
#define BOX                                                                                                                                     \
    "parameters: {mass: 2, g: -9.81}\n" FREE                                                                                                    \
    "rigid_bodies: [{name: a, mass: $(mass), velocity: [1, 2, 3], angular_velocity: [30, 20, 10], shapes: [{box: {size: [0.1, 0.2, 0.3]}}]}]\n" \
    "drives: [{name: f, body: a, force: [0.5, -1, 2]}, {name: t, body: a, torque: [1, 2, -1]}]\n"

#define TOUCH "world: {dt: 2e-3, contact: {model: sap, tolerance: 1e-12}, newton: {tolerance: 1e-13}}\n"
#define SLED                                                                                                                                      \
    "parameters: {mu: 0.5, mass: 2, k: 1e4}\n" TOUCH                                                                                              \
    "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}, {name: a, mass: $(mass), position: [0, 0, 0.096], velocity: [1, " \
    "0.3, "                                                                                                                                       \
    "-0.1], angular_velocity: [0.3, 0.2, 0.5], surface: {friction: $(mu), stiffness: $(k)}, shapes: [{sphere: {radius: 0.1}}]}]\n"
#define DRAGGED                                                                                                                                \
    "parameters: {young: 1e6, mu: 0.5, density: 1100}\n" TOUCH                                                                                 \
    "materials: {rubber: {young: $(young), poisson: 0.4, density: $(density)}}\n"                                                              \
    "rigid_bodies: [{name: ground, motion: static, position: [0, 0, -0.02], shapes: [{half_space: {}}]}]\nrods: [{name: a, material: rubber, " \
    "surface: "                                                                                                                                \
    "{friction: $(mu), stiffness: 2e3}, section: {circle: {radius: 0.006}}, velocity: [1.5, 0.7, -0.1], shape: {polyline: {points: [[0, 0, "   \
    "-0.0145], [0.1, 0, "                                                                                                                      \
    "-0.0142], "                                                                                                                               \
    "[0.2, 0.03, -0.0143], [0.29, 0.08, -0.0148]]}}}]\n"

#define LYING                                                                                                                                     \
    "parameters: {stiffness: 265, mu: 0.4, mass: 0.3}\n" TOUCH                                                                                    \
    "rigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}]\narms: [{name: a, position: [0, 0, 0.0435], rotation: [0, "       \
    "1.6, 0], surface: {friction: $(mu), stiffness: 1e4}, sections: [{length: 0.2, mass: $(mass), stiffness: $(stiffness), rate: [0.5, 0, -1]}, " \
    "{length: 0.15, mass: 0.2, elongation: [0.005, 0, 0], rate: [0.2, 0.1, -0.1]}]}]\n"

#define IPC "world: {dt: 2e-3, contact: {model: ipc}, ipc: {range: 2e-3, slip_speed: 1e-2, friction_iterations: 1}, newton: {tolerance: 1e-13}}\n"
#define DRAWN                                                                                                                                  \
    "parameters: {young: 1e6, mu: 0.5, density: 1100}\n" IPC                                                                                   \
    "materials: {rubber: {young: $(young), poisson: 0.4, density: $(density)}}\n"                                                              \
    "rigid_bodies: [{name: ground, motion: static, position: [0, 0, -0.02], shapes: [{half_space: {}}]}]\nrods: [{name: a, material: rubber, " \
    "surface: {friction: $(mu)}, section: {circle: {radius: 0.006}}, velocity: [1.5, 0.7, -0.1], shape: {polyline: {points: [[0, 0, "          \
    "-0.0132], [0.1, 0, -0.0134], [0.2, 0.03, -0.0133], [0.29, 0.08, -0.0131]]}}}]\n"
#define TOSSED                                                                                                                                    \
    "parameters: {mu: 0.5, mass: 2, k: 3e5}\nworld: {dt: 2e-3, contact: {model: ipc}, ipc: {range: 2e-3, slip_speed: 1e-2, stiffness: $(k), "     \
    "friction_iterations: 1}, newton: {tolerance: 1e-13}}\nrigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}, {name: a, " \
    "mass: $(mass), position: [0, 0, 0.1016], velocity: [1, 0.3, -0.1], angular_velocity: [0.3, 0.2, 0.5], surface: {friction: $(mu)}, shapes: "  \
    "[{sphere: {radius: 0.1}}]}]\n"

#define PULLED                                                                                                                            \
    "parameters: {young: 1e6, mu: 0.5, density: 1100, k: 3}\nworld: {dt: 1e-3, contact: {model: imc}, imc: {stiffness: $(k), rate: 0, "   \
    "dissipation: 0, reach: 0.4, static_speed: 1e-2, friction_iterations: 1}, newton: {tolerance: 1e-13}}\nmaterials: {rubber: {young: "  \
    "$(young), poisson: 0.4, density: $(density)}}\nrigid_bodies: [{name: ground, motion: static, position: [0, 0, -0.02], shapes: "      \
    "[{half_space: {}}]}]\nrods: [{name: a, material: rubber, surface: {friction: $(mu)}, section: {circle: {radius: 0.006}}, velocity: " \
    "[1.5, 0.7, -0.3], shape: {polyline: {points: [[0, 0, -0.0137], [0.1, 0, -0.0138], [0.2, 0.03, -0.0139], [0.29, 0.08, -0.0138]]}}}]\n"

#define BOUNCED                                                                                                                                   \
    "parameters: {mu: 0.5, mass: 2, k: 3e5}\nworld: {dt: 2e-3, contact: {model: ipc}, ipc: {range: 2e-3, slip_speed: 1e-2, stiffness: $(k)}, "    \
    "newton: {tolerance: 1e-13}}\nrigid_bodies: [{name: ground, motion: static, shapes: [{half_space: {}}]}, {name: a, mass: $(mass), position: " \
    "[0, 0, 0.1026], velocity: [1, 0.3, -0.4], angular_velocity: [0.3, 0.2, 0.5], surface: {friction: $(mu)}, shapes: [{sphere: {radius: 0.1}}]}]\n"

#define DEFAULTS                                                                                                                          \
    "parameters: {young: 1e6, mu: 0.5, density: 1100, k: 1}\nworld: {dt: 1e-3, contact: {model: imc}, imc: {dissipation: $(k), "          \
    "static_speed: 1e-2}, newton: {tolerance: 1e-13}}\nmaterials: {rubber: {young: "                                                      \
    "$(young), poisson: 0.4, density: $(density)}}\nrigid_bodies: [{name: ground, motion: static, position: [0, 0, -0.02], shapes: "      \
    "[{half_space: {}}]}]\nrods: [{name: a, material: rubber, surface: {friction: $(mu)}, section: {circle: {radius: 0.006}}, velocity: " \
    "[1.5, 0.7, -0.3], shape: {polyline: {points: [[0, 0, -0.0137], [0.1, 0, -0.0138], [0.2, 0.03, -0.0139], [0.29, 0.08, -0.0138]]}}}]\n"

static const Parameter parameters[] = {
    {"friction of a ball that bounces under ipc", "mu", 0.5, BOUNCED},
    {"its mass", "mass", 2, BOUNCED},
    {"stiffness of its barrier", "k", 3e5, BOUNCED},
    {"a rod's modulus under imc as it comes", "young", 1e6, DEFAULTS},
    {"its friction", "mu", 0.5, DEFAULTS},
    {"its density", "density", 1100, DEFAULTS},
    {"dissipation of contacts", "k", 1, DEFAULTS},
    {"a rod's modulus under imc", "young", 1e6, PULLED},
    {"its friction", "mu", 0.5, PULLED},
    {"its density", "density", 1100, PULLED},
    {"stiffness of contacts", "k", 3, PULLED},
    {"a rod's modulus under ipc", "young", 1e6, DRAWN},
    {"its friction", "mu", 0.5, DRAWN},
    {"its density", "density", 1100, DRAWN},
    {"friction of a ball under ipc", "mu", 0.5, TOSSED},
    {"its mass", "mass", 2, TOSSED},
    {"stiffness of the barrier", "k", 3e5, TOSSED},
    {"chambers' stiffness of an arm that lies", "stiffness", 265, LYING},
    {"its friction", "mu", 0.4, LYING},
    {"its mass", "mass", 0.3, LYING},
    {"friction of a ball", "mu", 0.5, SLED},
    {"the mass of what slides", "mass", 2, SLED},
    {"stiffness of its contact", "k", 1e4, SLED},
    {"a sliding rod's modulus", "young", 1e6, DRAGGED},
    {"its friction", "mu", 0.5, DRAGGED},
    {"its density", "density", 1100, DRAGGED},
    {"a rod's modulus", "young", 1e6, ROPE},
    {"its density", "density", 1100, ROPE},
    {"its damping", "damping", 0.01, ROPE},
    {"gravity", "g", -9.81, ROPE},
    {"chambers' stiffness", "stiffness", 265, TRUNK},
    {"an arm's mass", "mass", 0.5, TRUNK},
    {"chambers' area", "area", 4e-4, TRUNK},
    {"a body's mass", "mass", 2, BOX},
};

static FilWorld* load_with(const Parameter* p, double value)
{
    char number[40];
    snprintf(number, sizeof number, "%.17g", value);
    const FilSetting setting = {p->key, number};
    const FilSceneOptions options = {.settings = &setting, .setting_count = 1};
    FilWorld* world = NULL;
    FilError error = {""};
    if (fil_scene_load_text(FILUM_SOURCE_DIR "/config/scenes/test.yaml", p->text, strlen(p->text), &options, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

/* quotient += factor * velocities after STEPS steps with that value, of a world whose contacts are those that derivatives are of */
static void add_run(const Parameter* p, double value, double factor, double* quotient)
{
    FilWorld* world = load_with(p, value);
    FilGradient* gradient = NULL;
    int n = 0;
    ok(world, fil_gradient_create(world, &gradient));
    for (int s = 0; s < STEPS; s++) {
        ok(world, fil_world_step(world, NULL));
    }
    const double* v = fil_world_velocities(world, &n);
    for (int k = 0; k < n; k++) {
        quotient[k] += factor * v[k];
    }
    fil_gradient_destroy(gradient);
    fil_world_destroy(world);
}

static void steps_vary_with_parameters_as_their_differences(void** state)
{
    (void)state;
    for (size_t c = 0; c < sizeof parameters / sizeof *parameters; c++) {
        const Parameter* p = &parameters[c];
        // the law of friction bends and has kinks: closer there
        const double h = (strcmp(p->key, "mu") == 0 ? 1e-5 : 1e-4) * p->value, difference = 2.0 * h;
        FilWorld *world = load_with(p, p->value), *more = load_with(p, p->value + h), *less = load_with(p, p->value - h);
        FilGradient* gradient = NULL;
        ok(world, fil_gradient_create(world, &gradient));
        double varied[MAX_COUNT] = {0.0}, next[MAX_COUNT], own[MAX_COUNT], quotient[MAX_COUNT] = {0.0}, worst = 0.0, max = 0.0;
        const int n = fil_gradient_size(gradient);
        const int numbers = fil_gradient_variation_size(gradient);
        assert_true(numbers <= MAX_COUNT);
        for (int s = 0; s < STEPS; s++) {
            ok(world, fil_gradient_step(gradient, NULL));
            ok(world, fil_gradient_forward(gradient, varied, NULL, next));
            ok(world, fil_gradient_parameter(gradient, more, less, difference, own));
            for (int k = 0; k < numbers; k++) {
                varied[k] = next[k] + own[k];
            }
        }
        for (int k = 0; k < 4; k++) {
            static const double share[4] = {1.0, -1.0, 2.0, -2.0}, weight[4] = {8.0, -8.0, -1.0, 1.0};
            add_run(p, p->value + share[k] * h, weight[k] / (12.0 * h), quotient);
        }
        for (int k = 0; k < n; k++) {
            worst = fmax(worst, fabs(quotient[k] - varied[n + k]));
            max = fmax(max, fabs(quotient[k]));
        }
        if (!(worst <= 1e-6 * max) || !(max > 0.0)) {
            fail_msg("%s: off by %g of %g", p->name, worst, max);
        }
        assert_int_equal(fil_gradient_parameter(gradient, more, world, difference, own), FIL_BAD_INPUT);
        fil_gradient_destroy(gradient);
        fil_world_destroy(world), fil_world_destroy(more), fil_world_destroy(less);
    }
}

static void refuses(const Parameter* p, double more_value, const char* message)
{
    FilWorld *world = load_with(p, p->value), *more = load_with(p, more_value), *less = load_with(p, p->value);
    FilGradient* gradient = NULL;
    double end[MAX_COUNT];
    ok(world, fil_gradient_create(world, &gradient));
    ok(world, fil_gradient_step(gradient, NULL));
    assert_int_equal(fil_gradient_parameter(gradient, more, less, 1.0, end), FIL_BAD_INPUT);
    if (strstr(fil_world_error(world), message) == NULL) {
        fail_msg("'%s' is not '%s'", fil_world_error(world), message);
    }
    assert_int_equal(fil_gradient_parameter(gradient, NULL, less, 1.0, end), FIL_BAD_INPUT);
    assert_int_equal(fil_gradient_parameter(gradient, less, less, 0.0, end), FIL_BAD_INPUT);
    fil_gradient_destroy(gradient);
    fil_world_destroy(world), fil_world_destroy(more), fil_world_destroy(less);
}

static void what_is_not_known_is_refused(void** state)
{
    (void)state;
    refuses(&(Parameter){"a place", "length", 0.1, ROPE}, 0.11, "changes the state or the rest shapes");
    refuses(&(Parameter){"a step's length", "world.dt", 2e-3, ROPE}, 3e-3, "must be made like the one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_vary_with_parameters_as_their_differences),
        cmocka_unit_test(what_is_not_known_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
