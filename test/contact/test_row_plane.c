/* Rods on a half-space: what the two edges at a node touch it with is one contact, which says what theirs did. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec3.h"
#include "body/rod.h"
#include "sample.h"
#include "scenes.h"
#include "world/world.h"

enum { NODES = 21 };

/* A rope above the ground that moves across itself at `speed`; its shape and other keys are given. */
static FilWorld* make_rope(const char* model, const char* keys, double speed, bool by_edges)
{
    char text[1024];
    snprintf(text, sizeof text,
             "world: {dt: 1e-3, contact: {model: %s, tolerance: 1e-9}, newton: {tolerance: 1e-9}}\n"
             "materials: {rubber: {young: 1e+6, poisson: 0.5, density: 1000, friction: 0.5, contact_stiffness: 1e+4, dissipation: 10}}\n"
             "rods: [{name: rope, material: rubber, section: {circle: {radius: 0.0025}}, velocity: [0, %g, 0], %s}]\n"
             "rigid_bodies: [{name: ground, motion: static, material: rubber, shapes: [{half_space: {}}]}]\n",
             model, speed, keys);
    FilWorld* world = load_text(text);
    world->collision.by_edges = by_edges;
    return world;
}

static const char STRAIGHT[] = "shape: {straight: {from: [0, 0, 0.0025], to: [0.2, 0, 0.0025], nodes: 21}}";

/* Contacts of one step on a rope that is bent and moves at random: the velocity at a node is the mean of those of its edges. */
static void a_node_moves_as_its_edges(void** state)
{
    (void)state;
    FilWorld* const worlds[2] = {make_rope("sap", STRAIGHT, 0.0, true), make_rope("sap", STRAIGHT, 0.0, false)};
    double v[4 * NODES];
    for (int w = 0; w < 2; w++) {
        FilSystem* system = &worlds[w]->system;
        for (int k = 0; k < 4 * NODES; k++) {
            system->state.q[k] += k % 4 == 3 ? 0.0 : 1e-3 * sin(1.7 * k + 0.3) - (k % 4 == 2 ? 1e-3 : 0.0);  // every edge has an axis of its own
            v[k] = sin(2.3 * k * k + 0.1);
        }
        memcpy(system->state.v, v, sizeof v);
        FilRodHistory* history = (FilRodHistory*)(system->state.h + system->bodies[0].h);
        for (int i = 0; i + 1 < NODES; i++) {
            fil_v3_sub(history[i].tangent, system->state.q + 4 * (i + 1), system->state.q + 4 * i);
            fil_v3_normalise(history[i].tangent);
        }
        worlds[w]->collision.wants = (FilCollisionWants){.nodes = true};
        assert_int_equal(fil_collide_all(&worlds[w]->collision, 1e-3), FIL_OK);
    }
    const FilContactSet *edges = &worlds[0]->collision.set, *nodes = &worlds[1]->collision.set;
    assert_int_equal(nodes->count, NODES);
    assert_int_equal(edges->count, 2 * (NODES - 1));
    for (int k = 0; k < NODES; k++) {
        const FilContact* node = &nodes->contacts[k];
        double u[3], mean[3] = {0.0}, stiffness = 0.0, normal = 0.0;
        int found = 0;
        fil_collision_velocity(&worlds[1]->collision, node, v, u);
        for (int e = 0; e < edges->count; e++) {
            const FilContact* edge = &edges->contacts[e];
            if (hypot(edge->point[0] - node->point[0], edge->point[1] - node->point[1]) < 1e-9) {
                double own[3];
                fil_collision_velocity(&worlds[0]->collision, edge, v, own);
                for (int j = 0; j < 3; j++) {
                    mean[j] += own[j];
                }
                normal += edge->normal_velocity;
                stiffness += edge->stiffness;
                assert_true(fabs(edge->distance - node->distance) < 1e-15);
                found++;
            }
        }
        assert_int_equal(found, k == 0 || k == NODES - 1 ? 1 : 2);
        assert_true(fabs(stiffness - node->stiffness) < 1e-6);
        assert_true(fabs(node->normal_velocity - normal / found) < 1e-12);
        for (int j = 0; j < 3; j++) {
            assert_true(fabs(u[j] - mean[j] / found) < 1e-12);
        }
    }
    fil_world_destroy(worlds[0]);
    fil_world_destroy(worlds[1]);
}

/* It bears the weight, half as much at the ends, and a rope that is thrown comes to rest, rolling, where it did with two contacts. */
static void a_rope_lies_and_rolls(void** state)
{
    (void)state;
    static const char* const models[] = {"sap", "sap_lagged"};
    for (int m = 0; m < 2; m++) {
        double way[2], angle[2];
        for (int k = 0; k < 2; k++) {
            FilWorld* world = make_rope(models[m], STRAIGHT, 0.2, k == 0);
            sample_run(world, 400);
            const int count = fil_world_contact_count(world);
            const double weight = 1000.0 * FIL_PI * 0.0025 * 0.0025 * 0.2 * 9.81;
            double sum = 0.0, last = 0.0;
            for (int c = 0; c < count; c++) {
                last = fil_world_contact(world, c).force.z;
                sum += fabs(last);
            }
            assert_int_equal(count, k == 0 ? 2 * (NODES - 1) : NODES);
            assert_true(fabs(sum / weight - 1.0) < 1e-3);
            assert_true(k == 0 || fabs(fabs(last) / (weight / 40.0) - 1.0) < 0.01);
            way[k] = world->system.state.q[4 * (NODES / 2) + 1];
            angle[k] = world->system.state.q[4 * (NODES / 2) + 3];
            fil_world_destroy(world);
        }
        // friction stops the slip at 2/3 of the speed, and the rope rolls on: rotary inertia is half of m r^2
        const double slides = 0.2 / (3.0 * 0.5 * 9.81), rolled = 0.2 * slides - 0.25 * 9.81 * slides * slides + 0.4 / 3.0 * (0.4 - slides);
        assert_true(fabs(way[1] / rolled - 1.0) < 0.01);
        assert_true(fabs(way[1] / way[0] - 1.0) < 1e-3);
        assert_true(fabs(angle[1] / angle[0] - 1.0) < 1e-3);
    }
}

/* Where the radius changes, the edges at a node touch at points of their own. */
static void other_radii_stay_apart(void** state)
{
    (void)state;
    FilWorld* world = make_rope("sap_lagged",
                                "sections: [{first: 10, count: 10, circle: {radius: 0.0024}}], "
                                "shape: {straight: {from: [0, 0, 0.0025], to: [0.2, 0, 0.0023], nodes: 21}}",
                                0.0, false);
    sample_run(world, 1);
    assert_int_equal(fil_world_contact_count(world), NODES + 1);
    fil_world_destroy(world);
}

/* SAP's convex friction lifts what slides by dt mu times its speed: the ground bears a rope that slides down a slope in each step all the same. */
static void what_hovers_is_borne(void** state)
{
    (void)state;
    for (int by_edges = 0; by_edges < 2; by_edges++) {
        FilWorld* world = make_rope("sap", STRAIGHT, 0.0, by_edges == 1);
        const double weight = 1000.0 * 3.14159265358979323846 * 0.0025 * 0.0025 * 0.2 * 7.0;
        assert_int_equal(fil_world_set_gravity(world, (FilVec3){7.0, 0.0, -7.0}), FIL_OK);
        sample_run(world, 150);
        for (int step = 0; step < 50; step++) {
            double load = 0.0;
            sample_run(world, 1);
            for (int k = 0; k < fil_world_contact_count(world); k++) {
                load += fabs(fil_world_contact(world, k).force.z);
            }
            assert_true(fabs(load / weight - 1.0) < 0.01);
        }
        const FilContactInfo first = fil_world_contact(world, 0);
        assert_true(first.distance > 0.05 * 0.0025);  // 0.5 ms 0.7 m/s
        fil_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_node_moves_as_its_edges), cmocka_unit_test(a_rope_lies_and_rolls),
                                       cmocka_unit_test(other_radii_stay_apart), cmocka_unit_test(what_hovers_is_borne)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
