/* Pairs that are found to stay out of range four at once do so one by one, too, and most of those that do are found. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "base/vector.h"
#include "random.h"
#include "solver/ipc_apart.h"

#if defined(FIL_VECTOR_AVX2)

enum { POINTS = 4 * FIL_IPC_ABREAST, TRIALS = 20000 };

typedef struct Scene {
    double x[3 * POINTS], end[3 * POINTS], slack[POINTS];
    FilIpcAbreast pairs;
} Scene;

/* Features of a size of one, some parallel, some that touch, some without size, which move by as much as they are apart, each its own way or all one.
 */
static void make_scene(Random* random, int trial, Scene* s)
{
    const double apart = trial % 2 == 0 ? 0.1 : 2.0, moves = trial % 3 == 0 ? 0.0 : 0.5 * apart, all = random_between(random, -1.0, 1.0);
    for (int p = 0; p < POINTS; p++) {
        const int pair = p / 4, corner = p % 4;
        for (int k = 0; k < 3; k++) {
            s->x[3 * p + k] = random_between(random, -1.0, 1.0) * (k == 2 ? 0.1 : 1.0) + (k == 2 && corner > 1 ? apart : 0.0);
            if (trial % 7 == 0 && corner == 3) {
                s->x[3 * p + k] = s->x[3 * p + k - 3] + (s->x[3 * p + k - 6] - s->x[3 * p + k - 9]);
            } else if (trial % 11 == 0 && corner == 2) {
                s->x[3 * p + k] = s->x[3 * p + k - 6 + 3 * (pair % 2)];
            }
            s->end[3 * p + k] = s->x[3 * p + k] + moves * random_between(random, -1.0, 1.0) + all;
        }
        s->slack[p] = random_between(random, 0.0, 0.05);
        s->pairs.point[corner][pair] = p;
    }
    for (int k = 0; k < FIL_IPC_ABREAST; k++) {
        s->pairs.reach[k] = random_between(random, 0.0, 0.3);
    }
}

/* Whether pair k stays out of range, as ipc_list.c finds it. */
static bool stays_out(const Scene* s, FilFeature kind, int k)
{
    const int points[4] = {4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3}, split = fil_feature_split(kind);
    double between[3], beside[2] = {0.0}, front = -INFINITY, back = INFINITY;
    const double distance = fil_ipc_nearest(kind, points, 4, s->x, between), reach = s->pairs.reach[k];
    for (int i = 0; i < 4; i++) {
        const double place = fil_v3_dot(s->end + 3 * points[i], between);
        front = i < split ? fmax(front, place) : front;
        back = i < split ? back : fmin(back, place);
        beside[i >= split] = fmax(beside[i >= split], s->slack[points[i]]);
    }
    const double wanted = reach + beside[0] + beside[1];
    return distance - reach >= fil_ipc_approach(kind, points, 4, s->x, s->end, s->slack) ||
           (distance > wanted && back - front > wanted * fil_v3_norm(between));
}

static void check_pairs(FilFeature kind)
{
    Random random = {1};
    int found = 0, out = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        Scene s;
        make_scene(&random, trial, &s);
        const unsigned apart = fil_ipc_apart_avx2(kind, &s.pairs, s.x, s.end, s.slack);
        for (int k = 0; k < FIL_IPC_ABREAST; k++) {
            const bool stays = stays_out(&s, kind, k), is_found = (apart >> k & 1) != 0;
            assert_true(stays || !is_found);
            found += is_found;
            out += stays;
        }
    }
    // all but edges that are parallel or points
    assert_true(out > TRIALS && out < 3 * TRIALS && found > 0.8 * out);
}

static void edges(void** state)
{
    (void)state;
    check_pairs(FIL_SEGMENT_SEGMENT);
}

static void points_and_triangles(void** state)
{
    (void)state;
    check_pairs(FIL_POINT_TRIANGLE);
}

/* Edges that are dropped by their swept bounds are out of range wherever they are on their ways. */
static void bounds(void** state)
{
    Random random = {2};
    int dropped = 0;
    (void)state;
    for (int trial = 0; trial < TRIALS; trial++) {
        Scene s;
        FilIpcSweptBound swept[2];
        FilIndexPair picked[2];
        make_scene(&random, trial, &s);
        for (int e = 0; e < 2; e++) {
            const double *x = s.x + 6 * e, *end = s.end + 6 * e;
            double turned[3];
            for (int k = 0; k < 3; k++) {
                swept[e].middle[k] = 0.5 * (x[k] + x[3 + k]);
                swept[e].half[k] = 0.5 * (x[3 + k] - x[k]);
                swept[e].motion[k] = 0.5 * (end[k] + end[3 + k]) - swept[e].middle[k];
                turned[k] = 0.5 * (end[3 + k] - end[k]) - swept[e].half[k];
            }
            swept[e].reach = fil_v3_norm(turned);
        }
        const double range = s.pairs.reach[0];
        const FilIndexPair near[2] = {{0, 1}, {1, 0}};
        const int left = fil_ipc_pick_unbounded_avx2(swept, near, 2, range, picked);
        assert_true(left == 0 || left == 2);  // both ways alike
        dropped += left == 0;
        for (int t = 0; t <= 10 && left == 0; t++) {
            const int points[4] = {0, 1, 2, 3};
            double at[12];
            for (int k = 0; k < 12; k++) {
                at[k] = s.x[k] + 0.1 * t * (s.end[k] - s.x[k]);
            }
            assert_true(fil_ipc_distance(FIL_SEGMENT_SEGMENT, points, 4, at) > range);
        }
    }
    assert_in_range(dropped, TRIALS / 20, TRIALS - TRIALS / 20);
}

#endif

int main(void)
{
#if defined(FIL_VECTOR_AVX2)
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges), cmocka_unit_test(points_and_triangles), cmocka_unit_test(bounds)};
    if (fil_vector_level() >= FIL_VECTOR_256) {
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
#endif
    print_message("this processor tells of one pair at a time only: nothing to compare\n");
    return 0;
}
