/* Shells: gradients and Hessians of edges and folds, and of a whole body in a step with holds and damping. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/vec3.h"
#include "body/shell.h"
#include "random.h"
#include "vertex_body.h"

/* fourth-order central differences with steps of 1e-3 of the size: truncation 1e-12, rounding 1e-13 of the value */
static const double STEP = 1e-3;
static const double NEAR = 1e-9;

static void fold_at(const double* x, const double** corners)
{
    for (int k = 0; k < 4; ++k) {
        corners[k] = x + 3 * k;
    }
}

static double fold_energy(const FilShellFold* fold, FilShellBending law, const double* x, double* gradient)
{
    const double* corners[4];
    fold_at(x, corners);
    return fil_shell_fold_gradient(fold, law, corners, gradient);
}

/* a fold of edges about 1 long, at any angle that is not near pi */
static void random_fold(Random* random, double* x)
{
    const double flat[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 0.9, 0.0, 0.5, -0.9, 0.0};
    const double angle = random_between(random, -2.5, 2.5);
    for (int k = 0; k < 12; ++k) {
        x[k] = flat[k] + random_between(random, -0.15, 0.15);
    }
    const double y = x[10];
    x[10] = cos(angle) * y;
    x[11] += sin(angle) * y;
}

static void test_fold_derivatives(void** state)
{
    (void)state;
    Random random = {11};
    for (int round = 0; round < 200; ++round) {
        const FilShellBending law = round % 2 == 0 ? FIL_BENDING_NORMALS : FIL_BENDING_HINGES;
        const double rest = random_between(&random, -0.8, 0.8);
        const FilShellFold fold = {{0, 1, 2, 3}, 1.7, rest, sin(0.5 * rest)};
        double x[12], gradient[12], hessian[144], side[12];
        const double* corners[4];
        random_fold(&random, x);
        fold_at(x, corners);
        fil_shell_fold_gradient(&fold, law, corners, gradient);
        fil_shell_fold_hessian(&fold, law, corners, 1.0, hessian);
        for (int k = 0; k < 12; ++k) {
            double slope = 0.0, row[12] = {0.0};
            static const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
            for (int s = 0; s < 4; ++s) {
                const double keep = x[k], step = STEP * (s < 2 ? s - 2 : s - 1);
                x[k] += step;
                slope += weights[s] * fold_energy(&fold, law, x, side) / STEP;
                for (int j = 0; j < 12; ++j) {
                    row[j] += weights[s] * side[j] / STEP;
                }
                x[k] = keep;
            }
            assert_true(fabs(slope - gradient[k]) < NEAR);
            for (int j = 0; j < 12; ++j) {
                assert_true(fabs(row[j] - hessian[12 * k + j]) < 10.0 * NEAR);  // triangles may be as flat as 0.6
                assert_true(fabs(hessian[12 * k + j] - hessian[12 * j + k]) < 1e-12);
            }
        }
    }
}

/* folds side by side are bent as each by itself, however many there are */
static void test_folds_together(void** state)
{
    (void)state;
    enum { COUNT = 11 };
    Random random = {14};
    for (int round = 0; round < 40; ++round) {
        const FilShellBending law = round % 4 < 3 ? FIL_BENDING_NORMALS : FIL_BENDING_HINGES;
        FilShellFold folds[COUNT];
        FilShellBend together[COUNT], single;
        double q[16 * COUNT];
        for (int f = 0; f < COUNT; ++f) {
            const double rest = random_between(&random, -0.8, 0.8);
            double x[12];
            folds[f] = (FilShellFold){{4 * f, 4 * f + 1, 4 * f + 2, 4 * f + 3}, random_between(&random, 0.5, 2.0), rest, sin(0.5 * rest)};
            random_fold(&random, x);
            for (int k = 0; k < 12; ++k) {
                q[16 * f + 4 * (k / 3) + k % 3] = x[k];
            }
        }
        const int count = 1 + round % COUNT;
        fil_shell_folds_bend(folds, count, law, q, together);
        for (int f = 0; f < count; ++f) {
            const double* const corners[4] = {q + 16 * f, q + 16 * f + 4, q + 16 * f + 8, q + 16 * f + 12};
            fil_shell_fold_bend(&folds[f], law, corners, &single);
            assert_true(fabs(together[f].energy - single.energy) < 1e-13);
            assert_true(fabs(together[f].slope - single.slope) < 1e-13);
            assert_true(fabs(together[f].curve - single.curve) < 1e-13);
            for (int k = 0; k < 12; ++k) {
                assert_true(fabs(together[f].gradient[k] - single.gradient[k]) < 1e-12);
            }
        }
    }
}

/* the published law is c |n_a - n_b|^2 for a flat rest shape */
static void test_fold_is_as_published(void** state)
{
    (void)state;
    Random random = {12};
    for (int round = 0; round < 50; ++round) {
        const double young = 3.0, thickness = 0.7, cubed = young * thickness * thickness * thickness;
        const FilShellFold fold = {{0, 1, 2, 3}, cubed / (6.0 * sqrt(3.0)), 0.0, 0.0};
        double x[12], gradient[12], e[3], f[3], normals[2][3], off[3];
        random_fold(&random, x);
        for (int side = 0; side < 2; ++side) {
            fil_v3_sub(e, x + 3, x);
            fil_v3_sub(f, x + 6 + 3 * side, x);
            fil_v3_cross(normals[side], side == 0 ? e : f, side == 0 ? f : e);
            fil_v3_normalise(normals[side]);
        }
        fil_v3_sub(off, normals[0], normals[1]);
        const double expected = cubed / (12.0 * sqrt(3.0)) * fil_v3_dot(off, off);
        assert_true(fabs(fold_energy(&fold, FIL_BENDING_NORMALS, x, gradient) - expected) < 1e-13);
    }
}

static void test_edge_derivatives(void** state)
{
    (void)state;
    Random random = {13};
    for (int round = 0; round < 100; ++round) {
        const FilShellEdge edge = {{0, 1}, 4.0, random_between(&random, 0.5, 1.5)};
        const double a[3] = {0.0};
        double b[3] = {random_between(&random, 0.3, 1.0), random_between(&random, -1.0, 1.0), random_between(&random, -1.0, 1.0)};
        double gradient[3], hessian[9], sides[2][3], energies[2];
        fil_shell_edge_gradient(&edge, a, b, gradient);
        fil_shell_edge_hessian(&edge, a, b, 1.0, hessian);
        for (int k = 0; k < 3; ++k) {
            const double keep = b[k];
            for (int s = 0; s < 2; ++s) {
                b[k] = keep + (s == 0 ? -1e-5 : 1e-5);
                energies[s] = fil_shell_edge_gradient(&edge, a, b, sides[s]);
            }
            b[k] = keep;
            // truncation (1e-5)^2 of third derivatives near 100, rounding 1e-16/1e-5
            assert_true(fabs((energies[1] - energies[0]) / 2e-5 - gradient[k]) < 1e-7);
            for (int j = 0; j < 3; ++j) {
                assert_true(fabs((sides[1][j] - sides[0][j]) / 2e-5 - hessian[3 * k + j]) < 1e-7);
            }
        }
    }
}

/* ---- a whole body ---- */

enum { SIDE = 4, VERTICES = SIDE * SIDE, UNKNOWNS = 4 * VERTICES };

/* a larger sheet */
enum { WIDE = 9, WIDE_VERTICES = WIDE * WIDE, WIDE_UNKNOWNS = 4 * WIDE_VERTICES };

static VertexBody vertex_body(FilShellBody* body)
{
    return (VertexBody){&fil_shell_ops, body, body->vertex_count, body->block_start, body->block_row, body->block_count};
}

static FilShellBody* sheet_of(int side, double thickness, FilShellBending bending)
{
    double vertices[3 * WIDE_VERTICES];
    int triangles[6 * (WIDE - 1) * (WIDE - 1)], count = 0;
    for (int i = 0; i < side * side; ++i) {
        fil_v3_set(vertices + 3 * i, 0.1 * (i % side), 0.1 * (i / side), 0.0);
    }
    for (int j = 0; j + 1 < side; ++j) {
        for (int i = 0; i + 1 < side; ++i) {
            const int a = side * j + i, b = a + 1, c = a + side, d = c + 1;
            const int corners[6] = {a, b, d, a, d, c};
            memcpy(triangles + 3 * count, corners, sizeof corners);
            count += 2;
        }
    }
    FilShellDef def = fil_shell_def_default();
    def.vertex_count = side * side;
    def.vertices = vertices;
    def.triangle_count = count;
    def.triangles = triangles;
    def.thickness = thickness;
    def.young = 1e4;
    def.poisson = 0.3;
    def.density = 300.0;
    def.bending = bending;
    def.damping_mass = 0.3;
    def.damping_stiffness = 0.01;
    FilShellBody* body;
    FilError error;
    assert_int_equal(fil_shell_create(&def, &body, &error), FIL_OK);
    return body;
}

static void check_body(FilShellBending bending, double theta)
{
    Random random = {14};
    double q[UNKNOWNS], v[UNKNOWNS], direction[UNKNOWNS];
    FilShellBody* body = sheet_of(SIDE, 0.02, bending);
    const VertexBody b = vertex_body(body);
    vertex_body_crumple(&b, &random, 0.02, q, v);
    vertex_body_check(&b, &random, theta, 10, q, v, direction);
    fil_shell_ops.destroy(body);
}

static void test_body_derivatives(void** state)
{
    (void)state;
    check_body(FIL_BENDING_NORMALS, 1.0);
    check_body(FIL_BENDING_NORMALS, 0.5);
    check_body(FIL_BENDING_HINGES, 1.0);
    check_body(FIL_BENDING_HINGES, 0.5);
}

/* adds the 3 x 3 rows and columns of a Hessian with `stride` columns to the block of two vertices, of which the larger is the row */
static void add_to_block(const FilShellBody* body, int u, int v, double scale, const double* h, int stride, double* values)
{
    const FilBlockPattern pattern = {body->vertex_count, body->block_start, body->block_row};
    double* block = values + FIL_BLOCK_SIZE * (ptrdiff_t)fil_block_find(&pattern, u, v);
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
            block[4 * c + r] += scale * h[u >= v ? stride * r + c : stride * c + r];
        }
    }
}

/* what the tangent of a step of 10 ms from rest is made of, element by element; how many folds are not light */
static int expected_tangent(const FilShellBody* body, const double* q, double* values)
{
    const double square = 1e-4;
    int heavy = 0;
    memset(values, 0, sizeof *values * FIL_BLOCK_SIZE * (size_t)body->block_count);
    for (int e = 0; e < body->edge_count; ++e) {
        const int* v = body->edges[e].vertex;
        double h[9];
        fil_shell_edge_hessian(&body->edges[e], q + 4 * v[0], q + 4 * v[1], 1.0, h);
        add_to_block(body, v[0], v[0], square, h, 3, values);
        add_to_block(body, v[1], v[1], square, h, 3, values);
        add_to_block(body, v[0], v[1], -square, h, 3, values);
    }
    for (int f = 0; f < body->fold_count; ++f) {
        const int* v = body->folds[f].vertex;
        const double* const x[4] = {q + 4 * v[0], q + 4 * v[1], q + 4 * v[2], q + 4 * v[3]};
        const double length = fil_v3_distance(x[0], x[1]);
        double h[144];
        FilShellBend bend;
        fil_shell_fold_bend(&body->folds[f], body->bending, x, &bend);
        fil_shell_fold_hessian(&body->folds[f], body->bending, x, 1.0, h);
        const bool light = body->folds[f].stiffness * square < 0.1 * body->mass[v[0]] * length * length;
        for (int k = 0; k < 144 && light; ++k) {
            h[k] = fmax(bend.curve, 0.0) * bend.gradient[k / 12] * bend.gradient[k % 12];
        }
        heavy += !light;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j <= i; ++j) {
                add_to_block(body, v[i], v[j], square, h + 36 * i + 3 * j, 12, values);
            }
        }
    }
    for (int i = 0; i < body->vertex_count; ++i) {
        double* block = values + FIL_BLOCK_SIZE * (ptrdiff_t)body->block_start[i];
        for (int j = 0; j < 3; ++j) {
            block[5 * j] += body->mass[i];
        }
        block[15] = 1.0;
    }
    return heavy;
}

/* block by block, with few folds that are not light, or element by element, with many: the same */
static void test_tangent_by_blocks(void** state)
{
    (void)state;
    static const double thickness[4] = {0.0005, 0.1, 0.14, 0.3};
    int none = 0, few = 0, many = 0;
    for (int round = 0; round < 8; ++round) {
        Random random = {20 + (unsigned)round};
        double q[WIDE_UNKNOWNS], v[WIDE_UNKNOWNS], residual[WIDE_UNKNOWNS], potential, difference = 0.0, size = 0.0;
        FilShellBody* body = sheet_of(round % 2 == 0 ? WIDE : SIDE, thickness[round / 2], FIL_BENDING_NORMALS);
        fil_shell_ops.init_state(body, q, v, NULL);
        for (int k = 0; k < 4 * body->vertex_count; ++k) {
            q[k] += k % 4 < 3 ? random_between(&random, -0.02, 0.02) : 0.0;
        }
        body->damping_mass = 0.0;
        fil_free(body->damping);
        body->damping = NULL;
        const FilStepSetup setup = {.dt = 0.01, .theta = 1.0, .theta_vq = 1.0, .frugal = true};
        fil_shell_ops.begin(body, &setup, q, v, NULL);
        assert_true(fil_shell_ops.evaluate(body, v, 0.0, residual, &potential));
        const size_t count = FIL_BLOCK_SIZE * (size_t)body->block_count;
        double *expected = test_calloc(count, sizeof(double)), *values = test_calloc(count, sizeof(double));
        const int heavy = expected_tangent(body, q, expected);
        fil_shell_ops.tangent(body, values);
        for (size_t k = 0; k < count; ++k) {
            difference = fmax(difference, fabs(values[k] - expected[k]));
            size = fmax(size, fabs(expected[k]));
        }
        assert_true(difference < 1e-14 * size);
        none += heavy == 0;
        few += heavy > 0 && heavy <= FIL_SHELL_HEAVY;
        many += heavy > FIL_SHELL_HEAVY;
        test_free(expected);
        test_free(values);
        fil_shell_ops.destroy(body);
    }
    assert_true(none > 0 && few > 0 && many > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold_derivatives), cmocka_unit_test(test_folds_together),   cmocka_unit_test(test_fold_is_as_published),
        cmocka_unit_test(test_edge_derivatives), cmocka_unit_test(test_body_derivatives), cmocka_unit_test(test_tangent_by_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
