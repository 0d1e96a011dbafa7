/* Frames and strains of a rod at a committed state, against a polygon whose edges turn by one angle. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "body/rod.h"

enum { NODES = 9 };

/* a few dozen roundings of numbers of order one */
static const double rounding = 1e-13;
static const double edge_length = 0.1, turn = 0.3;

typedef struct Arc {
    FilArena arena;
    FilRodBody* body;
    double q[4 * NODES], v[4 * NODES];
    FilRodHistory h[NODES];
} Arc;

/* An open polygon in the plane y = 0 whose edges are of one length and turn by `turn` from z towards x. */
static void make_arc(Arc* arc, FilRestShape rest)
{
    double nodes[3 * NODES] = {0.0};
    for (int i = 1; i < NODES; ++i) {
        const double angle = turn * (i - 1);
        nodes[3 * i] = nodes[3 * i - 3] + edge_length * sin(angle);
        nodes[3 * i + 2] = nodes[3 * i - 1] + edge_length * cos(angle);
    }
    FilRodDef def = fil_rod_def_default();
    def.node_count = NODES;
    def.nodes = nodes;
    def.rest_shape = rest;
    def.director = (FilVec3){1.0, 0.0, 0.0};
    def.section = (FilSection){.shape = FIL_SECTION_STIFFNESS,
                               .radius = 0.01,
                               .ea = 50.0,
                               .ei1 = 0.05,
                               .ei2 = 0.15,
                               .gj = 0.08,
                               .mass_per_length = 0.3,
                               .inertia_per_length = 1e-4};
    memset(arc, 0, sizeof *arc);
    FilError error;
    assert_int_equal(fil_rod_body_create(&arc->arena, &def, 1, NULL, 0, &arc->body, &error), FIL_OK);
    assert_int_equal(fil_rod_body_h_size(arc->body) * (int)sizeof(double), (int)sizeof arc->h);
    fil_rod_ops.init_state(arc->body, arc->q, arc->v, (double*)arc->h);
}

static void free_arc(Arc* arc)
{
    fil_rod_ops.destroy(arc->body);
    fil_arena_free(&arc->arena);
}

static void rest_strains_and_curvatures_are_inverse(void** state)
{
    (void)state;
    static const double curvature[][2] = {{0.0, 0.0}, {1e-9, 0.0}, {3.0, -4.0}, {-20.0, 10.0}};
    for (size_t c = 0; c < sizeof curvature / sizeof curvature[0]; ++c) {
        const double size = hypot(curvature[c][0], curvature[c][1]);
        double rest1, rest2, back[2];
        fil_rod_rest_from_curvature(edge_length, curvature[c], &rest1, &rest2);
        assert_true(fabs(hypot(rest1, rest2) - 2.0 * tan(0.5 * size * edge_length)) <= rounding * (1.0 + size));
        fil_rod_curvature_from_rest(edge_length, rest1, rest2, back);
        assert_true(fabs(back[0] - curvature[c][0]) <= rounding * (1.0 + size));
        assert_true(fabs(back[1] - curvature[c][1]) <= rounding * (1.0 + size));
    }
}

static void frames_lie_along_the_edges(void** state)
{
    (void)state;
    Arc arc;
    make_arc(&arc, FIL_REST_STRAIGHT);
    for (int i = 0; i < NODES - 1; ++i) {
        Frame1 frame;
        fil_rod_edge_frame(arc.body->rods, arc.q, arc.h, i, &frame);
        const double t[3] = {sin(turn * i), 0.0, cos(turn * i)}, m1[3] = {cos(turn * i), 0.0, -sin(turn * i)};
        assert_true(fil_v3_distance(frame.t, t) < rounding && fil_v3_distance(frame.m1, m1) < rounding);
        assert_true(fabs(frame.m2[1] - 1.0) < rounding);  // t x m1 = y
        assert_true(fabs(frame.length - edge_length) < rounding && fabs(frame.inverse * edge_length - 1.0) < rounding);
    }
    free_arc(&arc);
}

/* A hinge that turns by the angle a shows 2 tan(a / 2), and the curvature a per length; ends have none. */
static void hinges_show_the_turn(void** state)
{
    (void)state;
    Arc arc;
    make_arc(&arc, FIL_REST_STRAIGHT);
    for (int i = 0; i < NODES; ++i) {
        const bool inside = i > 0 && i < NODES - 1;
        double kappa1, kappa2, curvature[2];
        assert_int_equal(fil_rod_node_strains(arc.body->rods, arc.q, arc.h, i, &kappa1, &kappa2), inside);
        fil_rod_node_curvature(arc.body->rods, arc.q, arc.h, i, curvature);
        assert_true(fabs(kappa1 - (inside ? 2.0 * tan(0.5 * turn) : 0.0)) < rounding && fabs(kappa2) < rounding);
        assert_true(fabs(curvature[0] - (inside ? turn / edge_length : 0.0)) < 10.0 * rounding);
        assert_true(fabs(curvature[1]) < 10.0 * rounding);
    }
    free_arc(&arc);
}

static void tension_is_of_the_stretch(void** state)
{
    (void)state;
    Arc arc;
    make_arc(&arc, FIL_REST_STRAIGHT);
    for (int k = 0; k < 4 * NODES; ++k) {
        arc.q[k] *= 1.02;
    }
    for (int i = 0; i < NODES - 1; ++i) {
        assert_true(fabs(fil_rod_edge_tension(arc.body->rods, arc.q, arc.h, i) - 50.0 * 0.02) < 100.0 * rounding);
    }
    free_arc(&arc);
}

/* Half a hinge's length bends by half its angle: what a clamp holds follows the rest curvature. */
static void clamps_take_half(void** state)
{
    (void)state;
    Arc arc;
    make_arc(&arc, FIL_REST_INITIAL);
    FilAttachmentDef def = fil_attachment_def_default();
    int slot;
    def.kind = FIL_ATTACH_CLAMP;
    def.first = 3;
    assert_int_equal(fil_rod_ops.attach(arc.body, 0, &def, arc.q, (const double*)arc.h, &slot, NULL), FIL_OK);
    for (int which = 0; which < 2; ++which) {
        const FilClampSide* side = &arc.body->attachments[slot].side[which];
        const HingeLaw1 law = fil_rod_clamp_law(side, &arc.h[3]);
        assert_true(fabs(law.rest1 - 2.0 * tan(0.25 * turn)) < rounding && fabs(law.rest2) < rounding);
        // both sides see one section, halfway between the edges; turned by a right angle about y it looks along m1 at first
        const double angle = 2.5 * turn, right_angle[3] = {0.0, asin(1.0), 0.0};
        const double t[3] = {sin(angle), 0.0, cos(angle)}, along[3] = {cos(angle), 0.0, -sin(angle)};
        assert_true(fil_v3_distance(side->section.t, t) < rounding);
        const Frame1 turned = fil_rod_clamp_section(side, right_angle);
        assert_true(fil_v3_distance(turned.t, along) < rounding);
        assert_true(fil_v3_distance(turned.m2, side->section.m2) < rounding);
    }
    free_arc(&arc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_strains_and_curvatures_are_inverse),
        cmocka_unit_test(frames_lie_along_the_edges),
        cmocka_unit_test(hinges_show_the_turn),
        cmocka_unit_test(tension_is_of_the_stretch),
        cmocka_unit_test(clamps_take_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
