/* The gap that Newton's model of a barrier is made about: where the pair comes to by itself, and the model is the barrier's own tangent there; and
 * the slip of what sticks, which has the force that it took. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "solver/ipc_field.h"

static const double RANGE = 1e-3, STIFFNESS = 50.0;

static FilIpcPair pair_at(double gap)
{
    return (FilIpcPair){.repulsion = {FIL_POINT_POINT, 0.0, RANGE, STIFFNESS, 0.0}, .corner_count = 2, .plane = -1, .gap = gap, .expected = gap};
}

static double force_at(double gap)
{
    return -fil_barrier(gap, RANGE, STIFFNESS).first;
}

/* g - gap - change - give (f(g) - f(gap)), which grows with g. */
static double excess_at(double g, double gap, double change, double give)
{
    return g - gap - change - give * (force_at(g) - force_at(gap));
}

/* Within the hundredth that it is looked for to: bounds on both sides, wherever it starts from, goes to, and however stiff that is. */
static void balances_its_force(void** state)
{
    (void)state;
    for (double gap = 0.01; gap < 1.0; gap += 0.07) {
        for (double change = -3.0; change < 3.1; change += 0.25) {
            for (double give = 1e-6; give < 1e3; give *= 10.0) {
                const FilIpcPair pair = pair_at(gap * RANGE);
                const double by = change * RANGE, g = fil_ipc_expected_gap(&pair, by, give);
                assert_true(g > 0.0 && g <= RANGE);
                assert_true(excess_at(0.97 * g, pair.gap, by, give) < 0.0);
                assert_true(g == RANGE || excess_at(fmin(1.03 * g, RANGE), pair.gap, by, give) > 0.0 || 1.03 * g > RANGE);
            }
        }
    }
}

static void is_the_gap_of_what_is_balanced(void** state)
{
    (void)state;
    for (double gap = 0.01; gap < 1.0; gap += 0.07) {
        const FilIpcPair pair = pair_at(gap * RANGE);
        assert_true(fil_ipc_expected_gap(&pair, 0.0, 1e-3) == pair.gap);
    }
}

/* A mass on a barrier that shall leave it: gaps that follow the expected ones are at the end at once, where Newton's method takes a dozen. */
static void leaves_at_once(void** state)
{
    (void)state;
    FilIpcPair pair = pair_at(0.1 * RANGE);
    const double give = 1e-3, rest = 0.98 * RANGE;  // it balances at 0.98 of the range
    int looks = 0;
    for (; looks < 3 && fabs(pair.gap - rest) > 1e-3 * RANGE; looks++) {
        // residual: what is missing to that balance, as a change of the gap without its force
        const double change = rest - pair.gap - give * (force_at(rest) - force_at(pair.gap));
        pair.gap = fil_ipc_expected_gap(&pair, change, give);
    }
    assert_true(looks < 3);
}

static void models_are_tangents(void** state)
{
    (void)state;
    for (double gap = 0.05; gap < 0.9; gap += 0.05) {
        FilIpcPair pair = pair_at(gap * RANGE);
        FilIpcModel model = fil_ipc_model(&pair);
        assert_true(fabs(model.force - 1.0) < 1e-15);
        assert_true(fabs(model.stiffness - 1.0) < 1e-15);
        pair.expected = (gap + 0.05) * RANGE;
        model = fil_ipc_model(&pair);
        // central differences of the force, 1e-6 of the range apart: good to 1e-8 here
        const double h = 1e-6 * RANGE, slope = (force_at(pair.expected + h) - force_at(pair.expected - h)) / (2.0 * h);
        const double own = (force_at(pair.gap + h) - force_at(pair.gap - h)) / (2.0 * h);
        assert_true(fabs(model.stiffness - slope / own) < 1e-6);
        assert_true(fabs(model.force - (force_at(pair.expected) + slope * (pair.gap - pair.expected)) / force_at(pair.gap)) < 1e-6);
        assert_true(model.force < 1.0);  // forces are convex
    }
}

/* ---- friction ---- */

enum { BLOCKS = 3, SIZE = 4 * BLOCKS };

static const double BOUND = 1e-6;

/* The first of three masses sticks to the last: slips along x and y. Weights differ, and one velocity is held. */
typedef struct Stuck {
    FilFriction friction;
    FilSlipping slipping;
    int block[2];
    double jacobian[24], weight[SIZE], v[SIZE], direction[SIZE];
} Stuck;

static void make_stuck(Stuck* s, double expected_x, double expected_y)
{
    *s = (Stuck){.friction = {.tangent = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, .expected = {expected_x, expected_y}, .max = 2.0, .min = 1.0},
                 .block = {0, 2}};
    for (int k = 0; k < 3; k++) {
        s->jacobian[5 * k] = 1.0;
        s->jacobian[12 + 5 * k] = -1.0;
    }
    for (int k = 0; k < SIZE; k++) {
        s->weight[k] = k == 1 ? 0.0 : 1.0 + k;
        s->v[k] = 0.1 * k * BOUND;
        s->direction[k] = 0.07 * (k % 5) * BOUND;
    }
    s->slipping = (FilSlipping){2, s->block, s->block, s->jacobian};
}

static void slip_at_end(const Stuck* s, double slip[2])
{
    for (int k = 0; k < 2; k++) {
        slip[k] = s->v[k] - s->direction[k] - (s->v[8 + k] - s->direction[8 + k]);
    }
}

/* What sticks ends at the slip that is expected, to any accuracy, and what has no part in it stays where it is. */
static void sticks_with_its_force(void** state)
{
    (void)state;
    for (double negligible = 1e-2; negligible > 1e-9; negligible *= 0.1) {
        Stuck s, was;
        make_stuck(&s, 0.3 * BOUND, -0.5 * BOUND);
        was = s;
        int rounds = 0;
        fil_friction_look(&s.friction, &s.slipping, s.v);
        while (fil_friction_settle(&s.friction, &s.slipping, BOUND, s.weight, negligible, s.direction)) {
            assert_true(++rounds < 100);
        }
        assert_true(rounds > 0);
        double slip[2], gradient[3], wanted[3], v[SIZE];
        slip_at_end(&s, slip);
        for (int k = 0; k < SIZE; k++) {
            v[k] = s.v[k] - s.direction[k];
            assert_true(s.direction[k] == was.direction[k] || (k != 1 && k % 4 < 2 && k / 4 != 1));
        }
        (void)fil_friction_energy(&s.friction, &s.slipping, BOUND, v, gradient);
        const double expected[SIZE] = {0.3 * BOUND, -0.5 * BOUND};
        (void)fil_friction_energy(&s.friction, &s.slipping, BOUND, expected, wanted);
        assert_true(hypot(gradient[0] - wanted[0], gradient[1] - wanted[1]) <= negligible * (1.0 + 1e-9));
        assert_true(hypot(slip[0] - 0.3 * BOUND, slip[1] + 0.5 * BOUND) < negligible * BOUND);
    }
}

/* What slips, or is far from sticking, is left alone, as is what would only be torn by what is held. */
static void leaves_what_slips(void** state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        Stuck s, was;
        make_stuck(&s, k == 0 ? 1.5 * BOUND : 0.3 * BOUND, 0.0);
        s.v[0] += k == 1 ? 100.0 * BOUND : 0.0;
        for (int i = 0; i < SIZE && k == 2; i++) {
            s.weight[i] = 0.0;
        }
        was = s;
        fil_friction_look(&s.friction, &s.slipping, s.v);
        assert_false(fil_friction_settle(&s.friction, &s.slipping, BOUND, s.weight, 1e-6, s.direction));
        assert_memory_equal(s.direction, was.direction, sizeof s.direction);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balances_its_force),  cmocka_unit_test(is_the_gap_of_what_is_balanced), cmocka_unit_test(leaves_at_once),
        cmocka_unit_test(models_are_tangents), cmocka_unit_test(sticks_with_its_force),          cmocka_unit_test(leaves_what_slips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
