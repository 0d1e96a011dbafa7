/* Shells that bend, against plate theory.
 *
 * A fold's angle on a surface of small curvature follows from its triangles, so the energy per area of a regular mesh
 * is that of a plate, W = 1/2 (Dx kxx^2 + Dy kyy^2 + 2 D12 kxx kyy + 4 Dk kxy^2); docs/shell.md derives the numbers. A
 * simply supported rectangle a x b under the load q then sinks in its middle by (Navier) w = sum over odd m, n of 16 q
 * sin(m pi/2) sin(n pi/2) / (pi^6 m n (Dx (m/a)^4 + 2 (D12 + 2 Dk) (m n/(a b))^2 + Dy (n/b)^4)). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "validate/rings.h"

static const double YOUNG = 1e9, POISSON = 0.3, THICKNESS = 0.02, DENSITY = 1000.0, GRAVITY = 1.0;

typedef struct Plate {
    const char *bending, *pattern;
    double d, h; /* Dx = Dy, D12 + 2 Dk */
} Plate;

static double sink_of(const Plate* plate, double a, double b)
{
    const double q = DENSITY * THICKNESS * GRAVITY;
    double sum = 0.0;
    for (int m = 1; m < 60; m += 2) {
        for (int n = 1; n < 60; n += 2) {
            const double sign = (m / 2 + n / 2) % 2 == 0 ? 1.0 : -1.0, x = m / a, y = n / b;
            sum += sign / (m * n * (plate->d * (x * x * x * x + y * y * y * y) + 2.0 * plate->h * x * x * y * y));
        }
    }
    return 16.0 * q * sum / pow(M_PI, 6.0);
}

/* A sheet that lies on its border; NULL after a failure. */
static FilWorld* lay(FilCheck* check, const Plate* plate, int columns, int rows, double b)
{
    char text[1024];
    FilWorld* world = NULL;
    FilError error;
    snprintf(text, sizeof text,
             "world: {gravity: [0, 0, %g], dt: 1}\n"
             "materials: {sheet: {young: %g, poisson: %g, density: %g}}\n"
             "shells:\n"
             "  - {name: plate, material: sheet, thickness: %g, bending: %s, "
             "sheet: {along: [1, 0, 0], across: [0, %.17g, 0], columns: %d, rows: %d, pattern: %s}}\n",
             -GRAVITY, YOUNG, POISSON, DENSITY, THICKNESS, plate->bending, b, columns, rows, plate->pattern);
    if (fil_scene_load_text("plate", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fil_check_fail(check, "%s", error.text);
        return NULL;
    }
    const FilId shell = fil_world_find_shell(world, "plate");
    for (int k = 0; k < fil_shell_vertex_count(world, shell); k++) {
        double x[3];
        FilId id;
        fil_shell_get_position(world, shell, k, x);
        if (fabs(x[0] - 0.5) > 0.5 - 1e-9 || fabs(x[1] - 0.5 * b) > 0.5 * b - 1e-9) {
            FilAttachmentDef pin = fil_attachment_def_default();
            pin.object = shell;
            pin.first = k;
            if (fil_world_add_attachment(world, &pin, &id) != FIL_OK) {
                fil_check_fail(check, "%s", fil_world_error(world));
            }
        }
    }
    return world;
}

/* How far the middle has sunk. Backward Euler with steps of seconds finds rest. */
static double measured_sink(FilCheck* check, const Plate* plate, int columns, int rows, double b)
{
    FilWorld* world = lay(check, plate, columns, rows, b);
    double deepest = 0.0;
    if (world != NULL && fil_check_run(check, world, 10.0)) {
        const FilId shell = fil_world_find_shell(world, "plate");
        for (int k = 0; k < fil_shell_vertex_count(world, shell); k++) {
            double x[3];
            fil_shell_get_position(world, shell, k, x);
            deepest = fmax(deepest, -x[2]);
        }
    }
    fil_world_destroy(world);
    return deepest;
}

void fil_check_plate(FilCheck* check)
{
    const double cube = YOUNG * THICKNESS * THICKNESS * THICKNESS, d = cube / (12.0 * (1.0 - POISSON * POISSON));
    const double k = cube / (6.0 * sqrt(3.0));
    const Plate plates[] = {
        {"normals", "staggered", cube / 12.0, cube / 12.0},
        {"hinges", "staggered", d, d},
        {"normals", "squares", 0.75 * k, 0.75 * k},
        {"hinges", "squares", 5.0 / 6.0 * d, 11.0 / 6.0 * d},
    };
    for (int p = 0; p < 4; p++) {
        double errors[2] = {0.0};
        char what[96];
        for (int fine = 0; fine < 2; fine++) {
            // equilateral triangles, or squares
            const bool staggered = plates[p].pattern[1] == 't';
            const int columns = fine == 0 ? 16 : 32, rows = staggered ? (int)lround(columns / sqrt(0.75)) : columns;
            const double b = staggered ? rows * sqrt(0.75) / columns : 1.0;
            const double expected = sink_of(&plates[p], 1.0, b), measured = measured_sink(check, &plates[p], columns, rows, b);
            errors[fine] = fabs(measured / expected - 1.0);
            if (fine == 1) {
                // half triangles at the border make an error of first order, 0.4 / columns
                snprintf(what, sizeof what, "sink of a plate, %s, %s, m", plates[p].bending, plates[p].pattern);
                fil_check_near(check, what, measured, expected, 0.02);
            }
        }
        snprintf(what, sizeof what, "its error falls by, from 16 to 32 columns");
        fil_check_above(check, what, errors[0] / errors[1], 1.8);
    }
}
