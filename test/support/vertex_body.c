#include "vertex_body.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linalg/block_matrix.h"

enum { FIRST_HELD = 3, HELD = 2 };

static bool held_vertex(int vertex)
{
    return vertex >= FIRST_HELD && vertex < FIRST_HELD + HELD;
}

void vertex_body_crumple(const VertexBody* b, Random* random, double size, double* q, double* v)
{
    FilAttachmentDef pin = fil_attachment_def_default();
    FilError error;
    int slot;
    assert_true(4 * b->vertices <= VERTEX_BODY_UNKNOWNS);
    b->ops->init_state(b->body, q, v, NULL);
    for (int k = 0; k < 4 * b->vertices; ++k) {
        q[k] += k % 4 < 3 ? random_between(random, -size, size) : 0.0;
        v[k] = k % 4 < 3 ? random_between(random, -1.0, 1.0) : 0.0;
    }
    pin.first = FIRST_HELD;
    pin.count = HELD;
    assert_int_equal(b->ops->attach(b->body, 0, &pin, q, NULL, &slot, &error), FIL_OK);
    const FilTarget target = {.active = true, .displacement = {{0.0}, {0.001, 0.002, 0.003}}};
    b->ops->set_target(b->body, slot, &target);
}

static void check_direction(const VertexBody* b, const double* v, const double* direction, double step)
{
    const int unknowns = 4 * b->vertices;
    double sides[2][VERTEX_BODY_UNKNOWNS], potentials[2], potential, product[VERTEX_BODY_UNKNOWNS], residual[VERTEX_BODY_UNKNOWNS];
    double slope = 0.0, size = 0.0, largest = 0.0;
    for (int s = 0; s < 2; ++s) {
        double moved[VERTEX_BODY_UNKNOWNS];
        for (int k = 0; k < unknowns; ++k) {
            moved[k] = v[k] + (s == 0 ? -step : step) * direction[k];
        }
        assert_true(b->ops->evaluate(b->body, moved, 0.0, sides[s], &potentials[s]));
    }
    assert_true(b->ops->evaluate(b->body, v, 0.0, residual, &potential));
    for (int k = 0; k < unknowns; ++k) {
        slope += residual[k] * direction[k];
        size += fabs(residual[k] * direction[k]);
        assert_true(!held_vertex(k / 4) || residual[k] == 0.0);
    }
    assert_true(fabs((potentials[1] - potentials[0]) / (2.0 * step) - slope) < 1e-7 * size);
    const FilBlockPattern pattern = {b->vertices, b->block_start, b->block_row};
    static double values[FIL_BLOCK_SIZE * VERTEX_BODY_BLOCKS];
    assert_in_range(b->block_count, 1, VERTEX_BODY_BLOCKS);
    b->ops->tangent(b->body, values);
    fil_block_multiply(&pattern, values, direction, product);
    for (int k = 0; k < unknowns; ++k) {
        largest = !held_vertex(k / 4) && fabs(product[k]) > largest ? fabs(product[k]) : largest;
    }
    for (int k = 0; k < unknowns; ++k) {
        // 1e-6 m in edges of 0.1 m: truncation 1e-10 of the third derivative, rounding 1e-16/1e-5 of forces
        assert_true(held_vertex(k / 4) || fabs((sides[1][k] - sides[0][k]) / (2.0 * step) - product[k]) < 1e-6 * largest);
    }
}

void vertex_body_check(const VertexBody* b, Random* random, double theta, int rounds, const double* q, const double* v0, double* direction)
{
    double v[VERTEX_BODY_UNKNOWNS], zero[VERTEX_BODY_UNKNOWNS] = {0.0};
    const FilStepSetup setup = {.dt = 0.002, .theta = theta, .theta_vq = theta, .gravity = {0.5, -1.0, -9.81}};
    b->ops->begin(b->body, &setup, q, v0, NULL);
    b->ops->guess(b->body, zero, v);
    for (int round = 0; round < rounds; ++round) {
        for (int k = 0; k < 4 * b->vertices; ++k) {
            direction[k] = k % 4 < 3 && !held_vertex(k / 4) ? random_between(random, -1.0, 1.0) : 0.0;
        }
        check_direction(b, v, direction, 1e-6 / setup.dt);
    }
}
