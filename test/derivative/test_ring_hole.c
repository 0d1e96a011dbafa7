/* A rod through the hole of a rigid body: derivatives of its potential, and what the gap means. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "contact/ring_hole.h"
#include "random.h"

enum { Z = FIL_HOLE_SIZE, NODES = 6 };

/* fourth-order central differences: truncation step^4, rounding 1e-16/step */
static const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
static const double offsets[4] = {-2.0, -1.0, 1.0, 2.0};
static const double STEP = 1e-4;

typedef struct Case {
    FilTrack track;
    FilTrackPlace place;
    FilHole hole;
    double x[3], rotation[9], nodes[4 * NODES];
    int moving[4]; /* nodes of the piece */
} Case;

static const int order[NODES] = {0, 1, 2, 3, 4, 5};

static void multiply(double* out, const double* a, const double* b)
{
    for (int k = 0; k < 9; ++k) {
        out[k] = a[3 * (k / 3)] * b[k % 3] + a[3 * (k / 3) + 1] * b[3 + k % 3] + a[3 * (k / 3) + 2] * b[6 + k % 3];
    }
}

/* the crossing after a small change z of (centre of mass, turn, nodes) */
static bool cross(const Case* c, const double* z, double* rotation, FilTrackPlace* place, FilTrackPoint* point)
{
    double nodes[4 * NODES], x[3], turn[9], center[3], axis[3];
    memcpy(nodes, c->nodes, sizeof nodes);
    fil_v3_add(x, c->x, z);
    fil_m3_from_rotation_vector(turn, z + 3);
    multiply(rotation, c->rotation, turn);
    for (int k = 0; k < 4; ++k) {
        fil_v3_axpy(nodes + 4 * c->moving[k], 1.0, z + 6 + 3 * k);
    }
    *place = c->place;
    fil_hole_place(&c->hole, x, rotation, center, axis);
    return fil_track_crossing(&c->track, nodes, center, axis, place, point);
}

static double energy_of(const Case* c, const double* z, double* gradient, double* hessian)
{
    double rotation[9];
    FilTrackPlace place;
    FilTrackPoint point;
    assert_true(cross(c, z, rotation, &place, &point));
    const FilHoleBarrier barrier = {&c->hole, 0.7, 3.0};
    return fil_hole_energy(&barrier, rotation, &point, gradient, hessian, false);
}

/* a wavy rod along x and a tilted hole around it; at = where along the rod */
static bool random_case(Random* random, double at, bool open, Case* c)
{
    const double zero[Z] = {0.0};
    double turn[3], rotation[9], center[3];
    *c = (Case){.track = {.count = NODES, .open = {open, open}, .node = order}};
    for (int i = 0; i < NODES; ++i) {
        fil_v3_set(c->nodes + 4 * i, i, random_between(random, -0.2, 0.2), random_between(random, -0.2, 0.2));
    }
    c->hole = (FilHole){.center = {random_between(random, -0.3, 0.3), random_between(random, -0.3, 0.3), 0.1},
                        .axis = {-1.0, 0.0, 0.0},
                        .radius = 1.0,
                        .rod_radius = 0.2};
    for (int k = 0; k < 3; ++k) {
        turn[k] = random_between(random, -0.5, 0.5);
        center[k] = random_between(random, -0.3, 0.3);
    }
    fil_m3_from_rotation_vector(c->rotation, turn);
    fil_m3_apply(turn, c->rotation, c->hole.center);
    center[0] += at;
    fil_v3_sub(c->x, center, turn);
    c->place = (FilTrackPlace){at < 0.0 ? 0 : at > NODES - 1 ? NODES - 1 : (int)at, 0.5};
    FilTrackPlace place;
    FilTrackPoint point;
    if (!cross(c, zero, rotation, &place, &point)) {
        return false;
    }
    memcpy(c->moving, point.node, sizeof c->moving);
    // an end's node stands twice, once with no weight: that one is another's place
    for (int k = 0; k < 4; ++k) {
        c->moving[k] = point.weight[1 + k] == 0.0 ? (c->moving[1] + 3) % NODES : c->moving[k];
    }
    double axis[3];
    fil_m3_apply(axis, c->rotation, c->hole.axis);
    const double gap = fil_hole_gap(&c->hole, axis, &point), edge = fmod(place.u + 9.51, 1.0);
    // not where a piece or an end begins: the third derivative jumps there
    return gap > 0.1 && gap < 0.65 && fil_v3_norm(point.r) > 0.1 && edge > 2e-2;
}

static void check_derivatives(Random* random, double from, double to, bool open)
{
    int checked = 0;
    for (int round = 0; checked < 100 && round < 20000; ++round) {
        Case c;
        double z[Z] = {0.0}, gradient[Z], hessian[Z * Z], side[Z], sizes[2] = {0.0}, errors[2] = {0.0};
        if (!random_case(random, random_between(random, from, to), open, &c)) {
            continue;
        }
        if (!(energy_of(&c, z, gradient, hessian) < 2.0)) {  // near the stop's wall differences say nothing
            continue;
        }
        for (int k = 0; k < Z; ++k) {
            double slope = 0.0, row[Z] = {0.0};
            for (int s = 0; s < 4; ++s) {
                z[k] = STEP * offsets[s];
                slope += weights[s] * energy_of(&c, z, side, NULL) / STEP;
                // the gradient over a turn from here, as one over a turn from the start: J' with J of the exponential
                // map, which along one axis differs from 1 by -[turn]/2 + [turn]^2/6
                if (k >= 3 && k < 6) {
                    const double* t = z + 3;
                    double one[3], two[3];
                    fil_v3_cross(one, t, side + 3);
                    fil_v3_cross(two, t, one);
                    fil_v3_axpy(side + 3, 0.5, one);
                    fil_v3_axpy(side + 3, 1.0 / 6.0, two);
                }
                for (int j = 0; j < Z; ++j) {
                    row[j] += weights[s] * side[j] / STEP;
                }
            }
            z[k] = 0.0;
            errors[0] = fmax(errors[0], fabs(slope - gradient[k]));
            sizes[0] = fmax(sizes[0], fabs(gradient[k]));
            for (int j = 0; j < Z; ++j) {
                errors[1] = fmax(errors[1], fabs(row[j] - hessian[Z * k + j]));
                sizes[1] = fmax(sizes[1], fabs(hessian[Z * k + j]));
                assert_true(fabs(hessian[Z * k + j] - hessian[Z * j + k]) < 1e-9 * (1.0 + fabs(hessian[Z * k + j])));
            }
        }
        assert_true(errors[0] < 1e-8 * sizes[0]);
        assert_true(errors[1] < 1e-6 * sizes[1]);  // fifth derivatives near the barrier's wall
        checked++;
    }
    assert_int_equal(checked, 100);
}

static void test_derivatives(void** state)
{
    (void)state;
    Random random = {31};
    check_derivatives(&random, 1.0, 4.0, true);
}

/* straight ends that hold, where a stop joins in */
static void test_stop_derivatives(void** state)
{
    (void)state;
    Random random = {32};
    check_derivatives(&random, -0.5, -0.05, false);
    check_derivatives(&random, 5.05, 5.5, false);
}

/* no jump of value, slope or curvature where the potential sets in, by the gap or at a stop: they go as the third,
 * second and first power of the way beyond, 1e-7 of the range */
static void test_thresholds(void** state)
{
    (void)state;
    const FilHole hole = {.axis = {-1.0, 0.0, 0.0}, .radius = 1.0, .rod_radius = 0.2};
    const double rotation[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, axis[3] = {-1.0, 0.0, 0.0};
    const FilTrack track = {.count = NODES, .node = order};
    double nodes[4 * NODES] = {0.0}, gradient[Z], hessian[Z * Z];
    for (int i = 0; i < NODES; ++i) {
        nodes[4 * i] = i;
    }
    // d is rounded off by a tenth of the range
    const double height = sqrt(pow(0.3 + 1e-7, 2.0) - 0.0025);
    const double centers[2][3] = {{2.3, 0.0, height}, {5.0 + 1e-7, 0.0, 0.0}};
    for (int k = 0; k < 2; ++k) {
        FilTrackPlace place = {3, 0.5};
        FilTrackPoint point;
        assert_true(fil_track_crossing(&track, nodes, centers[k], axis, &place, &point));
        const FilHoleBarrier barrier = {&hole, 0.5, 3.0};
        const double energy = fil_hole_energy(&barrier, rotation, &point, gradient, hessian, false);
        assert_true(energy > 0.0 && energy < 1e-19);
        for (int m = 0; m < Z; ++m) {
            assert_true(fabs(gradient[m]) < 1e-11);
        }
        for (int m = 0; m < Z * Z; ++m) {
            assert_true(fabs(hessian[m]) < 1e-4);
        }
    }
}

/* a round hole around a straight rod: the gap shrinks by the tilt as that of a tube through a ring does, and closes
 * before the rod lies in the hole's plane */
static void test_gap(void** state)
{
    (void)state;
    const FilHole hole = {.axis = {-1.0, 0.0, 0.0}, .radius = 1.0, .rod_radius = 0.2};
    const FilTrack track = {.count = NODES, .node = order};
    double nodes[4 * NODES] = {0.0};
    for (int i = 0; i < NODES; ++i) {
        nodes[4 * i] = i;
    }
    for (double tilt = 0.0; tilt < 1.5; tilt += 0.1) {
        const double turn[3] = {0.0, tilt, 0.0}, place_of[3] = {2.2, 0.0, -0.3};
        double rotation[9], center[3], axis[3];
        FilTrackPlace place = {0, 0.5};
        FilTrackPoint point;
        fil_m3_from_rotation_vector(rotation, turn);
        fil_hole_place(&hole, place_of, rotation, center, axis);
        assert_true(fil_track_crossing(&track, nodes, center, axis, &place, &point));
        // the centre is 0.3 below the rod, which crosses the tilted plane 0.3 / cos from it
        const double expected = 1.0 - (0.3 + 0.2) / cos(tilt);
        assert_true(fabs(fil_hole_gap(&hole, axis, &point) - expected) < 1e-12);
        const FilHoleBarrier barrier = {&hole, 0.1, 3.0};
        assert_true(isinf(fil_hole_energy(&barrier, rotation, &point, NULL, NULL, true)) == (expected <= 0.0));
    }
    // turned round: it crosses against the axis
    const double back[3] = {1.0, 0.0, 0.0}, center[3] = {2.2, 0.0, 0.0};
    FilTrackPlace place = {0, 0.5};
    FilTrackPoint point;
    assert_false(fil_track_crossing(&track, nodes, center, back, &place, &point));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_stop_derivatives),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
