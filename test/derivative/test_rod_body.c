/* A whole rod body in a step: the residual is the gradient of the potential, and the tangent that is factored belongs
 * to the residual, with clamps, handles, drag, damping and shared nodes in it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/derivative.h"
#include "body/rod.h"
#include "random_rod.h"

enum { MAX_UNKNOWNS = 256 };

typedef struct Bench {
    FilArena arena;
    FilRodBody* body;
    int unknowns;
    double q[MAX_UNKNOWNS], v[MAX_UNKNOWNS];
    double* h;
} Bench;

static const FilSection flat = {.shape = FIL_SECTION_STIFFNESS,
                                .radius = 0.01,
                                .ea = 50.0,
                                .ei1 = 0.05,
                                .ei2 = 0.15,
                                .gj = 0.08,
                                .mass_per_length = 0.3,
                                .inertia_per_length = 1e-4};

/* a random bent, twisted rod that would rather be straight */
static FilRodDef random_def(Random* random, int node_count, bool closed, double* nodes, double* angles)
{
    ReferenceRod rod;
    double q[REFERENCE_MAX_DOFS];
    random_rod(random, node_count, closed, &rod, q);
    for (int i = 0; i < node_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            nodes[3 * i + k] = q[4 * i + k];
        }
        angles[i] = i < reference_edge_count(&rod) ? q[4 * i + 3] : 0.0;
    }
    FilRodDef def = fil_rod_def_default();
    def.name = "rod";
    def.node_count = node_count;
    def.closed = closed;
    def.nodes = nodes;
    def.angles = angles;
    def.section = flat;
    def.damping_mass = 0.3;
    def.damping_stiffness = 0.01;
    def.drag = 0.2;
    return def;
}

static void make_bench(Bench* bench, const FilRodDef* defs, int count, const FilRodJunction* junctions, int junction_count)
{
    memset(bench, 0, sizeof *bench);
    FilError error;
    assert_int_equal(fil_rod_body_create(&bench->arena, defs, count, junctions, junction_count, &bench->body, &error), FIL_OK);
    bench->unknowns = fil_rod_body_q_size(bench->body);
    assert_in_range(bench->unknowns, 1, MAX_UNKNOWNS);
    bench->h = calloc((size_t)fil_rod_body_h_size(bench->body), sizeof(double));
    assert_non_null(bench->h);
    fil_rod_ops.init_state(bench->body, bench->q, bench->v, bench->h);
}

static void hold(Bench* bench, int rod, FilAttachmentKind kind, int first)
{
    FilAttachmentDef def = fil_attachment_def_default();
    FilError error;
    int slot;
    def.kind = kind;
    def.first = first;
    def.count = 1;
    def.stiffness = 30.0;
    def.damping = 2.0;
    assert_int_equal(fil_rod_ops.attach(bench->body, rod, &def, bench->q, bench->h, &slot, &error), FIL_OK);
    /* the target has moved and turned, so that holds are under load */
    FilTarget target = {.active = true};
    for (int k = 0; k < 3; ++k) {
        target.displacement[0][k] = target.displacement[1][k] = kind == FIL_ATTACH_HANDLE ? 0.02 * (k + 1) : 0.0;
        target.rotation[0][k] = target.rotation[1][k] = kind == FIL_ATTACH_CLAMP ? 0.1 * (k - 1.5) : 0.0;
    }
    fil_rod_ops.set_target(bench->body, slot, &target);
}

static double evaluate(Bench* bench, const double* v, double* residual)
{
    double potential;
    assert_true(fil_rod_ops.evaluate(bench->body, v, 0.0, residual, &potential));
    return potential;
}

/* slope of the potential and change of the residual along a direction, by central differences. Steps of 1e-6 m in edges
 * of 0.1 m: truncation (1e-5)^2, rounding 1e-16/1e-5 */
static double differentiate(Bench* bench, const double* v, const double* direction, double dt, double* change)
{
    const double step = 1e-6 / dt;
    double moved[MAX_UNKNOWNS], sides[2][MAX_UNKNOWNS], potential[2];
    for (int s = 0; s < 2; ++s) {
        for (int k = 0; k < bench->unknowns; ++k) {
            moved[k] = v[k] + (s == 0 ? -step : step) * direction[k];
        }
        potential[s] = evaluate(bench, moved, sides[s]);
    }
    for (int k = 0; k < bench->unknowns; ++k) {
        change[k] = (sides[1][k] - sides[0][k]) / (2.0 * step);
    }
    return (potential[1] - potential[0]) / (2.0 * step);
}

static double dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* How far the tangent in blocks times x is from `force`, against the largest force; where unknowns have a diagonal. */
static double block_mismatch(Bench* bench, const double* diagonal, const double* x, const double* force)
{
    double product[MAX_UNKNOWNS] = {0.0}, wrong = 0.0, largest = 0.0;
    const int count = fil_rod_ops.tangent_pattern(bench->body, NULL, NULL);
    assert_true(count > 0);
    int* columns = calloc(2 * (size_t)count, sizeof(int));
    double* values = malloc(16 * (size_t)count * sizeof(double));
    assert_true(columns != NULL && values != NULL);
    memset(values, 0x7f, 16 * (size_t)count * sizeof(double));  // nothing of it may stay
    (void)fil_rod_ops.tangent_pattern(bench->body, columns, columns + count);
    fil_rod_ops.tangent(bench->body, values);
    for (int b = 0; b < count; ++b) {
        const int c = 4 * columns[b], r = 4 * columns[count + b];
        for (int k = 0; k < 16; ++k) {
            product[r + k % 4] += values[16 * b + k] * x[c + k / 4];
            product[c + k / 4] += r != c ? values[16 * b + k] * x[r + k % 4] : 0.0;
        }
    }
    for (int k = 0; k < bench->unknowns; ++k) {
        wrong = fmax(wrong, diagonal[k] > 0.0 ? fabs(product[k] - force[k]) : 0.0);
        largest = fmax(largest, fabs(force[k]));
    }
    free(columns);
    free(values);
    return wrong / largest;
}

/* Differentiates at rest, where frames are those of the step's start: there the residual is the potential's gradient.
 * The residual's own derivative has a skew part besides, the holonomy of frames carried along two edges' motions times
 * the net torque on an edge, which vanishes in equilibrium and does no work; so tangents are compared by x' A x. */
static void check_derivatives(Bench* bench, Random* random, double theta)
{
    FilStepSetup setup = {.dt = 0.002, .theta = theta, .theta_vq = theta, .gravity = {0.5, -1.0, -9.81}};
    double v[MAX_UNKNOWNS], force[MAX_UNKNOWNS], x[MAX_UNKNOWNS], scale[MAX_UNKNOWNS];
    double diagonal[MAX_UNKNOWNS], residual[MAX_UNKNOWNS], change[MAX_UNKNOWNS] = {0.0};
    fil_rod_ops.begin(bench->body, &setup, bench->q, bench->v, bench->h);
    fil_rod_ops.guess(bench->body, change, v);
    evaluate(bench, v, residual);
    fil_rod_ops.diagonal(bench->body, v, diagonal, scale);
    for (int round = 0; round < 10; ++round) {
        /* x = A^-1 f for a random f: unknowns that are held or idle have no diagonal and do not move */
        for (int k = 0; k < bench->unknowns; ++k) {
            force[k] = diagonal[k] > 0.0 ? sqrt(diagonal[k]) * random_between(random, -1.0, 1.0) : 0.0;
            x[k] = force[k];
        }
        evaluate(bench, v, residual);
        assert_true(fil_rod_ops.factor(bench->body));
        fil_rod_ops.solve(bench->body, x);
        double size = 0.0;
        for (int k = 0; k < bench->unknowns; ++k) {
            size = fmax(size, fabs(x[k]));
        }
        for (int k = 0; k < bench->unknowns; ++k) {
            x[k] /= size;
            force[k] /= size;
        }
        evaluate(bench, v, residual);
        assert_true(block_mismatch(bench, diagonal, x, force) < 1e-9);  // rounding, times the condition of A
        double slope = differentiate(bench, v, x, setup.dt, change), expected = dot(residual, x, bench->unknowns);
        double work = dot(change, x, bench->unknowns), expected_work = dot(force, x, bench->unknowns);
        double at_stake = 0.0;
        for (int k = 0; k < bench->unknowns; ++k) {
            at_stake += fabs(residual[k] * x[k]);
        }
        if (!(fabs(slope - expected) < 1e-6 * at_stake) || !(fabs(work - expected_work) < 1e-6 * expected_work)) {
            print_error("slope %.12g for %.12g, x'Ax %.12g for %.12g\n", slope, expected, work, expected_work);
            fail();
        }
    }
}

static void free_bench(Bench* bench)
{
    fil_rod_ops.destroy(bench->body);
    fil_arena_free(&bench->arena);
    free(bench->h);
}

static void for_both_rules(Bench* bench, Random* random)
{
    check_derivatives(bench, random, 1.0);
    check_derivatives(bench, random, 0.5);
    free_bench(bench);
}

static void free_rods(void** state)
{
    (void)state;
    Random random = {21};
    double nodes[3 * 20], angles[20];
    for (int n = 2; n < 12; ++n) {
        FilRodDef def = random_def(&random, n, false, nodes, angles);
        Bench bench;
        make_bench(&bench, &def, 1, NULL, 0);
        for_both_rules(&bench, &random);
    }
}

static void closed_rods(void** state)
{
    (void)state;
    Random random = {22};
    double nodes[3 * 20], angles[20];
    for (int n = 3; n < 13; ++n) {
        FilRodDef def = random_def(&random, n, true, nodes, angles);
        Bench bench;
        make_bench(&bench, &def, 1, NULL, 0);
        for_both_rules(&bench, &random);
    }
}

static void held_rods(void** state)
{
    (void)state;
    static const FilAttachmentKind kinds[4] = {FIL_ATTACH_CLAMP, FIL_ATTACH_HANDLE, FIL_ATTACH_PIN, FIL_ATTACH_TWIST};
    Random random = {23};
    double nodes[3 * 20], angles[20];
    for (int closed = 0; closed < 2; ++closed) {
        for (int k = 0; k < 4; ++k) {
            for (int n = 6; n < 10; ++n) {
                FilRodDef def = random_def(&random, n, closed != 0, nodes, angles);
                Bench bench;
                make_bench(&bench, &def, 1, NULL, 0);
                hold(&bench, 0, kinds[k], 0);
                hold(&bench, 0, kinds[k], 3);
                if (kinds[k] != FIL_ATTACH_TWIST) {
                    hold(&bench, 0, kinds[k], n - 1);
                }
                for_both_rules(&bench, &random);
            }
        }
    }
}

/* A rod that resists no twist. */
static void untwist(FilRodDef* def, bool damped)
{
    def->twist_free = true;
    def->section.ei2 = def->section.ei1;
    def->damping_stiffness = damped ? def->damping_stiffness : 0.0;
}

/* Of `cords` twist-free ones among three. */
static void check_network(Random* random, int cords, bool damped)
{
    double nodes[3][3 * 20], angles[3][20];
    FilRodDef defs[3];
    for (int r = 0; r < 3; ++r) {
        defs[r] = random_def(random, 7 + r, r == 2, nodes[r], angles[r]);
        if (r < cords) {
            untwist(&defs[r], damped);
        }
    }
    /* rods 1 and 2 are hung on rod 0's nodes 3 and 6 */
    const FilRodJunction junctions[2] = {{0, 3, 1, 0}, {0, 6, 2, 4}};
    for (int j = 0; j < 2; ++j) {
        double shift[3];
        for (int k = 0; k < 3; ++k) {
            shift[k] = nodes[0][3 * junctions[j].node_a + k] - nodes[junctions[j].rod_b][3 * junctions[j].node_b + k];
        }
        for (int i = 0; i < 3 * defs[junctions[j].rod_b].node_count; ++i) {
            nodes[junctions[j].rod_b][i] += shift[i % 3];
        }
        for (int k = 0; k < 3; ++k) {
            nodes[junctions[j].rod_b][3 * junctions[j].node_b + k] = nodes[0][3 * junctions[j].node_a + k];
        }
    }
    Bench bench;
    make_bench(&bench, defs, 3, junctions, 2);
    hold(&bench, 0, FIL_ATTACH_CLAMP, 0);
    hold(&bench, 1, FIL_ATTACH_HANDLE, 5);
    hold(&bench, 2, FIL_ATTACH_PIN, 1);
    for_both_rules(&bench, random);
}

static void networks(void** state)
{
    (void)state;
    Random random = {24};
    for (int cords = 0; cords <= 3; ++cords) {
        check_network(&random, cords, false);
        check_network(&random, cords, true);
    }
}

static void cords(void** state)
{
    (void)state;
    Random random = {25};
    double nodes[3 * 20], angles[20];
    for (int n = 2; n < 12; ++n) {
        for (int held = 0; held < (n > 5 ? 2 : 1); ++held) {
            FilRodDef def = random_def(&random, n, false, nodes, angles);
            Bench bench;
            untwist(&def, false);
            make_bench(&bench, &def, 1, NULL, 0);
            if (held == 1) {
                hold(&bench, 0, FIL_ATTACH_CLAMP, 0);
                hold(&bench, 0, FIL_ATTACH_HANDLE, 3);
            }
            for_both_rules(&bench, &random);
        }
    }
}

/* ---- variations of a step: dm, whatever Newton's method leaves ---- */

enum { PLACE, RATE, END_RATE, PARTS };

/* m at the end w, from a start that is varied by a share of `parts`; the start moves as a body with that velocity does. */
static void residual_of_varied(Bench* bench, const FilStepSetup* setup, const double* w, double parts[PARTS][MAX_UNKNOWNS], double share,
                               double* residual)
{
    const FilStepSetup motion = {.dt = 1.0, .theta = 1.0, .theta_vq = 1.0};
    double q[MAX_UNKNOWNS], v[MAX_UNKNOWNS], end[MAX_UNKNOWNS], move[MAX_UNKNOWNS];
    double* h = calloc((size_t)fil_rod_body_h_size(bench->body), sizeof(double));
    assert_non_null(h);
    for (int k = 0; k < bench->unknowns; ++k) {
        move[k] = share * parts[PLACE][k];
        end[k] = w[k] + share * parts[END_RATE][k];
    }
    fil_rod_ops.begin(bench->body, &motion, bench->q, bench->v, bench->h);
    fil_rod_ops.finish(bench->body, move, q, v, h);
    for (int k = 0; k < bench->unknowns; ++k) {
        v[k] = bench->v[k] + share * parts[RATE][k];
    }
    fil_rod_ops.begin(bench->body, setup, q, v, h);
    evaluate(bench, end, residual);
    free(h);
}

/* How far dm is from central differences, extrapolated, by the largest of its kind: forces, or moments about edges. */
static double variation_mismatch(Bench* bench, const FilStepSetup* setup, const double* w, double parts[PARTS][MAX_UNKNOWNS])
{
    static const double sizes[2] = {1e-5, 2e-5};  // m, rad and those a second: truncation (2e-4)^4, rounding 1e-16/1e-5
    double exact[MAX_UNKNOWNS], quotient[MAX_UNKNOWNS] = {0.0}, sides[2][MAX_UNKNOWNS], wrong[2] = {0.0}, largest[2] = {0.0};
    fil_rod_ops.begin(bench->body, setup, bench->q, bench->v, bench->h);
    evaluate(bench, w, exact);
    assert_null(fil_rod_ops.derivative->prepare(bench->body, w));
    fil_rod_ops.derivative->vary(bench->body, parts[PLACE], parts[RATE], parts[END_RATE], exact, NULL);
    for (int s = 0; s < 2; ++s) {
        residual_of_varied(bench, setup, w, parts, sizes[s], sides[0]);
        residual_of_varied(bench, setup, w, parts, -sizes[s], sides[1]);
        for (int k = 0; k < bench->unknowns; ++k) {
            quotient[k] += (s == 0 ? 4.0 : -1.0) / 3.0 * (sides[0][k] - sides[1][k]) / (2.0 * sizes[s]);
        }
    }
    for (int k = 0; k < bench->unknowns; ++k) {
        const int kind = k % 4 == 3;
        wrong[kind] = fmax(wrong[kind], fabs(quotient[k] - exact[k]));
        largest[kind] = fmax(largest[kind], fabs(exact[k]));
    }
    return fmax(wrong[0] / largest[0], wrong[1] / largest[1]);
}

/* Edges that turn fast about themselves and across: by the start's place and rate and by the end's rate, one at a time and together. */
static void steps_of_spinning_rods(void** state)
{
    (void)state;
    const FilStepSetup setup = {.dt = 0.002, .theta = 1.0, .theta_vq = 1.0, .gravity = {0.5, -1.0, -9.81}};
    Random random = {26};
    double nodes[3 * 20], angles[20];
    for (int n = 3; n < 9; ++n) {
        for (int which = 0; which <= PARTS; ++which) {
            FilRodDef def = random_def(&random, n, n > 5, nodes, angles);
            double w[MAX_UNKNOWNS], parts[PARTS][MAX_UNKNOWNS] = {{0.0}};
            Bench bench;
            make_bench(&bench, &def, 1, NULL, 0);
            for (int k = 0; k < bench.unknowns; ++k) {
                const bool moves = k % 4 != 3 || k / 4 < n - (n <= 5);  // the last node of an open rod has no edge
                bench.v[k] = moves ? (k % 4 == 3 ? 200.0 : 3.0) * random_between(&random, -1.0, 1.0) : 0.0;
                w[k] = moves ? bench.v[k] + random_between(&random, -1.0, 1.0) : 0.0;
                for (int p = 0; p < PARTS; ++p) {
                    const double size = p == PLACE ? 1.0 : 1.0 / setup.dt;  // rates change forces as little as they move things in a step
                    parts[p][k] = moves && (which == p || which == PARTS) ? size * random_between(&random, -1.0, 1.0) : 0.0;
                }
            }
            const double off = variation_mismatch(&bench, &setup, w, parts);
            if (!(off < 1e-9)) {
                fail_msg("a rod of %d nodes: the variation of m by %d is off by %g", n, which, off);
            }
            free_bench(&bench);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_rods), cmocka_unit_test(closed_rods), cmocka_unit_test(held_rods),
        cmocka_unit_test(networks),  cmocka_unit_test(cords),       cmocka_unit_test(steps_of_spinning_rods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
