/* Twist-free rods (P4 eq. 2): energy, gradient and Hessian of a crooked rod whose frames start anyhow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "body/rod_chain.h"
#include "random.h"

enum { MAX_COUNT = 12 };

static const double EA = 50.0, K = 2.0, REST = 0.9;

typedef struct Fixture {
    FilArena arena;
    FilRodChain chain;
    int nodes;
    double q[4 * MAX_COUNT];
    double hessian[16 * MAX_COUNT * MAX_COUNT];
} Fixture;

static void make(Fixture* f, Random* random, int nodes)
{
    FilRodHistory history[MAX_COUNT];
    FilRodLaw law[MAX_COUNT];
    double base[4 * MAX_COUNT] = {0.0}, none[4 * MAX_COUNT] = {0.0};
    *f = (Fixture){.nodes = nodes};
    for (int i = 0; i < nodes; i++) {
        for (int k = 0; k < 3; k++) {
            base[4 * i + k] = (k == 0 ? i : 0.0) + 0.3 * random_between(random, -1.0, 1.0);
            f->q[4 * i + k] = base[4 * i + k] + 0.2 * random_between(random, -1.0, 1.0);
        }
    }
    for (int i = 0; i < nodes; i++) {
        const int edge = i < nodes - 1 ? i : nodes - 2;
        const double wanted[3] = {random_between(random, -1.0, 1.0), random_between(random, -1.0, 1.0), 2.0};
        history[i] = (FilRodHistory){.cosine = 1.0, .rest_length = REST};
        fil_v3_sub(history[i].tangent, base + 4 * (edge + 1), base + 4 * edge);
        fil_v3_normalise(history[i].tangent);
        fil_v3_copy(history[i].director, wanted);  // twisted against its neighbours
        fil_v3_axpy(history[i].director, -fil_v3_dot(wanted, history[i].tangent), history[i].tangent);
        fil_v3_normalise(history[i].director);
        const bool hinge = i > 0 && i < nodes - 1;
        law[i] = (FilRodLaw){EA, hinge ? K : 0.0, hinge ? K : 0.0, 0.0};
    }
    assert_true(fil_rod_chain_init(&f->chain, &f->arena, nodes, false));
    f->chain.twist_free = true;
    fil_rod_chain_begin(&f->chain, base, history, law, 0.0, none);
}

/* EA / (2 l) (|e| - l)^2 + K / 2 |2 t x t' / (1 + t . t')|^2 */
static double plain_energy(const double* q, int nodes)
{
    double energy = 0.0, last[3] = {0.0};
    for (int i = 0; i + 1 < nodes; i++) {
        double t[3];
        fil_v3_sub(t, q + 4 * (i + 1), q + 4 * i);
        const double stretch = fil_v3_normalise(t) - REST, c = fil_v3_dot(last, t);
        energy += 0.5 * EA / REST * stretch * stretch + (i > 0 ? 0.5 * K * 4.0 * (1.0 - c) / (1.0 + c) : 0.0);
        fil_v3_copy(last, t);
    }
    return energy;
}

static void gradient_at(Fixture* f, const double* q, bool hessian, double* gradient)
{
    assert_true(fil_rod_chain_assemble(&f->chain, q, 0.0, hessian));
    memset(gradient, 0, sizeof(double) * 4 * (size_t)f->nodes);
    fil_rod_chain_add_gradient(&f->chain, gradient);
}

static void scatter(void* context, int row, int column, double value)
{
    Fixture* f = context;
    f->hessian[4 * f->nodes * row + column] += value;
    if (row != column) {
        f->hessian[4 * f->nodes * column + row] += value;
    }
}

static void derivatives_are_exact(void** state)
{
    (void)state;
    Random random = {77};
    const double step = 1e-3;  // fourth-order differences: about 1e-11 of truncation and of rounding
    for (int nodes = 3; nodes <= MAX_COUNT; nodes++) {
        Fixture f;
        double g[4 * MAX_COUNT], moved[4][4 * MAX_COUNT];
        make(&f, &random, nodes);
        gradient_at(&f, f.q, true, g);
        assert_true(f.chain.untwisted);
        assert_true(fabs(f.chain.energy - plain_energy(f.q, nodes)) < 1e-12 * f.chain.energy);
        fil_rod_chain_visit(&f.chain, scatter, &f);
        for (int j = 0; j < 4 * nodes; j++) {
            static const double shift[4] = {1.0, -1.0, 2.0, -2.0};
            double energy[4];
            if (j % 4 == 3) {
                continue;  // angles are held
            }
            for (int s = 0; s < 4; s++) {
                double q[4 * MAX_COUNT];
                memcpy(q, f.q, sizeof q);
                q[j] += step * shift[s];
                energy[s] = plain_energy(q, nodes);
                gradient_at(&f, q, false, moved[s]);
            }
            assert_true(fabs((8.0 * (energy[0] - energy[1]) - (energy[2] - energy[3])) / (12.0 * step) - g[j]) < 1e-7);
            for (int i = 0; i < 4 * nodes; i++) {
                const double slope = (8.0 * (moved[0][i] - moved[1][i]) - (moved[2][i] - moved[3][i])) / (12.0 * step);
                assert_true(i % 4 == 3 || fabs(slope - f.hessian[4 * nodes * i + j]) < 1e-6);
            }
        }
        fil_arena_free(&f.arena);
    }
}

/* Slots of blocks as a body keeps them, in a dense lower triangle of blocks. */
typedef struct Slots {
    int nodes, count;
    int at[8 * MAX_COUNT + 16];
} Slots;

static void note_slot(void* context, int row, int column, double value)
{
    (void)value;
    Slots* s = context;
    const int r = row > column ? row : column, c = row > column ? column : row;
    s->at[s->count++] = r < 0 ? -1 : 16 * (s->nodes * (r / 4) + c / 4) + 4 * (c % 4) + r % 4;
}

/* Blocks hold the same numbers as the matrix for positions, whether that has been filled in or not, and with something added. */
static void blocks_are_the_matrix(void** state)
{
    (void)state;
    Random random = {79};
    for (int nodes = 2; nodes <= MAX_COUNT; nodes++) {
        for (int added = 0; added < 2; added++) {
            Fixture f;
            double g[4 * MAX_COUNT], values[16 * MAX_COUNT * MAX_COUNT], block[49] = {0.0}, pull[7] = {0.0};
            bool begun[MAX_COUNT * MAX_COUNT] = {false};
            Slots slots = {.nodes = nodes};
            make(&f, &random, nodes);
            fil_rod_chain_visit_blocks(&f.chain, note_slot, &slots);
            for (int k = 0; k < slots.count; k++) {
                if (slots.at[k] >= 0 && !begun[slots.at[k] / 16]) {
                    begun[slots.at[k] / 16] = true;
                    slots.at[k] |= FIL_SLOT_FIRST;
                }
            }
            for (int k = 0; k < 16 * nodes * nodes; k++) {
                values[k] = begun[k / 16] ? NAN : 0.0;  // first parts take the place of what was there
            }
            gradient_at(&f, f.q, true, g);
            for (int k = 0; k < 3; k++) {
                block[8 * k] = pull[k] = 3.0;
            }
            if (added == 1) {
                fil_rod_chain_add_edge_block(&f.chain, nodes - 2, block, pull);
            }
            assert_int_equal(fil_rod_chain_scatter_blocks(&f.chain, slots.at, 0.5, values), slots.count);
            fil_rod_chain_visit(&f.chain, scatter, &f);
            for (int i = 0; i < 4 * nodes; i++) {
                for (int j = 0; j <= i; j++) {
                    const double* at = values + 16 * (nodes * (i / 4) + j / 4);
                    const bool angle = i % 4 == 3 || j % 4 == 3;  // not among them
                    const double found = at[4 * (j % 4) + i % 4], wanted = angle ? 0.0 : 0.5 * f.hessian[4 * nodes * i + j];
                    assert_true(i / 4 != j / 4 || found == at[4 * (i % 4) + j % 4]);
                    assert_true(fabs(found - wanted) <= 1e-13 * EA);  // rounding: terms add up in another order
                }
            }
            fil_arena_free(&f.arena);
        }
    }
}

/* What an edge's block with the node before has to be, EA/l t t^T + T/|e| (1 - t t^T), by how much it is off at most. */
static double off_tension(const double* block, const double* q, double tension)
{
    double e[3], worst = 0.0;
    fil_v3_sub(e, q + 4, q);
    const double length = fil_v3_normalise(e);
    for (int k = 0; k < 9; k++) {
        const double both = e[k / 3] * e[k % 3], wanted = EA / REST * both + tension / length * ((k / 3 == k % 3 ? 1.0 : 0.0) - both);
        worst = fmax(worst, fabs(block[4 * (k / 3) + k % 3] + wanted));
    }
    return worst;
}

/* Blocks of a definite tangent have the tension that an edge is expected to have: first where that is said to be, then where the last tangent
 * leads to, without what turning makes of its length; and none where that would be pressure. */
static void blocks_have_the_tension_expected(void** state)
{
    (void)state;
    const double places[4][8] = {{[4] = 1.0}, {[4] = 1.1, [5] = 0.3}, {[4] = 0.9, [5] = 0.8, [6] = 0.2}, {[4] = -0.2, [5] = 0.9}};
    Random random = {80};
    Fixture f;
    Slots slots = {.nodes = 2};
    make(&f, &random, 2);
    fil_rod_chain_visit_blocks(&f.chain, note_slot, &slots);
    fil_rod_chain_expect(&f.chain, places[0]);
    double tension = EA / REST * (1.0 - REST), last[3] = {0.0};
    for (int k = 1; k < 4; k++) {
        double values[64] = {0.0}, e[3];
        fil_v3_sub(e, places[k] + 4, places[k]);
        tension = k == 1 ? tension : EA / REST * (fil_v3_dot(last, e) - REST);
        assert_true(k == 3 ? tension < 0.0 : tension > 0.0);
        assert_true(fabs(tension - EA / REST * (fil_v3_norm(e) - REST)) > 1.0);
        assert_true(fil_rod_chain_assemble(&f.chain, places[k], 1e-300, true));
        (void)fil_rod_chain_scatter_blocks(&f.chain, slots.at, 1.0, values);
        assert_true(off_tension(values + 32, places[k], fmax(tension, 0.0)) < 1e-12 * EA);
        fil_v3_copy(last, e);
        fil_v3_normalise(last);
    }
    fil_arena_free(&f.arena);
}

/* Steps leave no twist behind between the frames that the next one starts from. */
static void history_is_untwisted(void** state)
{
    (void)state;
    Random random = {78};
    for (int nodes = 4; nodes <= MAX_COUNT; nodes++) {
        Fixture f;
        FilRodHistory history[MAX_COUNT];
        memset(history, 0, sizeof history);
        make(&f, &random, nodes);
        fil_rod_chain_transport(&f.chain, f.q, history);
        for (int i = 1; i + 1 < nodes; i++) {
            double m[3];
            fil_v3_transport(m, history[i - 1].director, history[i - 1].tangent, history[i].tangent);
            assert_true(fil_v3_distance(m, history[i].director) < 1e-14);
            assert_true(fabs(fil_v3_dot(m, history[i].tangent)) < 1e-14);
        }
        fil_arena_free(&f.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(blocks_are_the_matrix),
        cmocka_unit_test(blocks_have_the_tension_expected),
        cmocka_unit_test(history_is_untwisted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
