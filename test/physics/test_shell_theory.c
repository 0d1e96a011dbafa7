/* What continuum the energies of shells are: sheets that are strained or curved by hand, against plane stress and
 * plates (docs/shell.md derives the numbers). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "body/shell.h"
#include "near.h"

enum { MAX_COUNT = 40, VERTICES = (MAX_COUNT + 1) * (MAX_COUNT + 1), TRIANGLES = 2 * MAX_COUNT * MAX_COUNT };

static const double YOUNG = 3.0, POISSON = 0.3, THICKNESS = 0.7;

typedef struct Mesh {
    double x[3 * VERTICES];
    int t[3 * TRIANGLES], n, count;
} Mesh;

/* n x n cells of side 1/n: a rhombus of equilateral triangles, or a square whose diagonals alternate */
static void make_mesh(Mesh* mesh, int n, bool equilateral)
{
    mesh->n = n;
    mesh->count = 0;
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            fil_v3_set(mesh->x + 3 * ((n + 1) * j + i), (i + (equilateral ? 0.5 * j : 0.0)) / n, (equilateral ? sqrt(0.75) : 1.0) * j / n, 0.0);
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const int a = (n + 1) * j + i, b = a + 1, c = a + n + 1, d = c + 1;
            const bool rising = !equilateral && (i + j) % 2 == 0;
            const int corners[6] = {a, b, rising ? d : c, rising ? a : b, d, c};
            for (int k = 0; k < 6; ++k) {
                mesh->t[3 * mesh->count + k] = corners[k];
            }
            mesh->count += 2;
        }
    }
}

static FilShellBody* make_shell(const Mesh* mesh, FilShellBending bending)
{
    FilShellDef def = fil_shell_def_default();
    FilShellBody* body;
    FilError error;
    def.vertex_count = (mesh->n + 1) * (mesh->n + 1);
    def.vertices = mesh->x;
    def.triangle_count = mesh->count;
    def.triangles = mesh->t;
    def.thickness = THICKNESS;
    def.young = YOUNG;
    def.poisson = POISSON;
    def.density = 1.0;
    def.bending = bending;
    assert_int_equal(fil_shell_create(&def, &body, &error), FIL_OK);
    return body;
}

/* ---- stretching ---- */

/* energy per area of an even strain; an edge of the border belongs to the sheet by half */
static double strain_energy(const Mesh* mesh, double xx, double yy, double xy)
{
    FilShellBody* body = make_shell(mesh, FIL_BENDING_NORMALS);
    double sum = 0.0, area = sqrt(0.75);
    for (int e = 0; e < body->edge_count; ++e) {
        const int* v = body->edges[e].vertex;
        double ends[2][3] = {{0.0}}, gradient[3];
        int sides = 0;
        for (int k = 0; k < 2; ++k) {
            const double* x = mesh->x + 3 * v[k];
            fil_v3_set(ends[k], (1.0 + xx) * x[0] + xy * x[1], xy * x[0] + (1.0 + yy) * x[1], 0.0);
        }
        for (int f = 0; f < body->fold_count; ++f) {
            const int* w = body->folds[f].vertex;
            sides += (w[0] == v[0] && w[1] == v[1]) || (w[0] == v[1] && w[1] == v[0]) ? 1 : 0;
        }
        sum += (sides == 1 ? 1.0 : 0.5) * fil_shell_edge_gradient(&body->edges[e], ends[0], ends[1], gradient);
    }
    fil_shell_ops.destroy(body);
    return sum / area;
}

/* P4 eq. 4a on equilateral triangles is plane stress with Y, b and Poisson's ratio 1/3 */
static void test_stretching(void** state)
{
    (void)state;
    static Mesh mesh;
    const double nu = 1.0 / 3.0, stiff = YOUNG * THICKNESS / (1.0 - nu * nu), e = 1e-5;
    const double near_linear = 1e-4;  // strains of 1e-5 make cubic terms as small as that share
    make_mesh(&mesh, 8, true);
    assert_near_share(strain_energy(&mesh, e, 0.0, 0.0), 0.5 * stiff * e * e, near_linear);
    assert_near_share(strain_energy(&mesh, 0.0, e, 0.0), 0.5 * stiff * e * e, near_linear);
    assert_near_share(strain_energy(&mesh, e, e, 0.0), stiff * (1.0 + nu) * e * e, near_linear);
    assert_near_share(strain_energy(&mesh, 0.0, 0.0, e), 0.5 * stiff * 2.0 * (1.0 - nu) * e * e, near_linear);
    // pulled along x, free across: it narrows by a third and answers with Young's modulus
    const double pulled = strain_energy(&mesh, e, -nu * e, 0.0);
    assert_near_share(pulled, 0.5 * YOUNG * THICKNESS * e * e, near_linear);
    assert_true(strain_energy(&mesh, e, -0.3 * e, 0.0) > pulled && strain_energy(&mesh, e, -0.37 * e, 0.0) > pulled);
}

/* ---- bending ---- */

/* energy per area of the surface z = (kxx x^2 + 2 kxy x y + kyy y^2) / 2 with small slopes; folds count for the area of
 * a third of their triangles */
static double bend_energy(FilShellBending bending, bool equilateral, int n, double kxx, double kyy, double kxy)
{
    static Mesh mesh;
    make_mesh(&mesh, n, equilateral);
    FilShellBody* body = make_shell(&mesh, bending);
    double sum = 0.0, gradient[12];
    for (int f = 0; f < body->fold_count; ++f) {
        double x[4][3];
        const double* corners[4];
        for (int k = 0; k < 4; ++k) {
            const double* flat = mesh.x + 3 * body->folds[f].vertex[k];
            const double z = 0.5 * (kxx * flat[0] * flat[0] + kyy * flat[1] * flat[1]) + kxy * flat[0] * flat[1];
            fil_v3_set(x[k], flat[0], flat[1], z);
            corners[k] = x[k];
        }
        sum += fil_shell_fold_gradient(&body->folds[f], bending, corners, gradient);
    }
    fil_shell_ops.destroy(body);
    return sum / (equilateral ? sqrt(0.75) : 1.0);
}

/* curvature 1 along a direction, 0 or `other` across: the border, where folds are missing, makes an error of first
 * order */
static void check_bend(FilShellBending bending, bool equilateral, double angle, double other, double expected)
{
    const double small = 1e-3, c = cos(angle), s = sin(angle);  // slopes of 1e-3 count by their squares
    const double kxx = small * (c * c + other * s * s), kyy = small * (s * s + other * c * c), kxy = small * (1.0 - other) * c * s;
    double errors[2], energy[2];
    for (int fine = 0; fine < 2; ++fine) {
        energy[fine] = bend_energy(bending, equilateral, fine == 0 ? MAX_COUNT / 2 : MAX_COUNT, kxx, kyy, kxy) / (small * small);
        errors[fine] = fabs(energy[fine] / expected - 1.0);
    }
    assert_true(errors[1] < 0.05);
    assert_true(errors[1] < 0.55 * errors[0] + 1e-5);
    assert_near_share(2.0 * energy[1] - energy[0], expected, 1e-3);  // without the border's part
}

static void test_bending(void** state)
{
    (void)state;
    const double cube = YOUNG * THICKNESS * THICKNESS * THICKNESS, d = cube / (12.0 * (1.0 - POISSON * POISSON));
    for (double angle = 0.0; angle < 1.6; angle += 0.26) {
        const double c2 = cos(2.0 * angle), s2 = sin(2.0 * angle);
        // equilateral: plates with Y b^3 / 12 or D, and Poisson's ratio -1/3: D (1 + nu) of a sphere, D (1 - nu) of a
        // saddle
        check_bend(FIL_BENDING_NORMALS, true, angle, 0.0, 0.5 * cube / 12.0);
        check_bend(FIL_BENDING_NORMALS, true, angle, 1.0, 2.0 / 3.0 * cube / 12.0);
        check_bend(FIL_BENDING_NORMALS, true, angle, -1.0, 4.0 / 3.0 * cube / 12.0);
        check_bend(FIL_BENDING_HINGES, true, angle, 0.0, 0.5 * d);
        check_bend(FIL_BENDING_HINGES, true, angle, 1.0, 2.0 / 3.0 * d);
        check_bend(FIL_BENDING_HINGES, true, angle, -1.0, 4.0 / 3.0 * d);
        // squares whose vertices are held on the surface: a plate with Y b^3 / (6 sqrt 3) and 0 ...
        check_bend(FIL_BENDING_NORMALS, false, angle, 0.0, 0.5 * cube / (6.0 * sqrt(3.0)));
        check_bend(FIL_BENDING_NORMALS, false, angle, -1.0, cube / (6.0 * sqrt(3.0)));
        // ... or D along the squares' sides and twice as stiff in twist: kxx^2 + kyy^2 + 4 kxy^2
        check_bend(FIL_BENDING_HINGES, false, angle, 0.0, 0.5 * d * (0.5 + 0.5 * c2 * c2 + s2 * s2));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretching),
        cmocka_unit_test(test_bending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
