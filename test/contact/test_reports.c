/* Contact reports say the same under every model: parts of their objects, forces that account for the bodies' momentum, the
 * distance of the step's end. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"

static const char* const models[] = {"sap", "sap_lagged", "lcp", "imc", "spt", "ipc"};
enum { MODELS = sizeof models / sizeof *models };

static const double DT = 1e-3, G = 9.81, BALL = 5e-3, ROD = 3e-3;

typedef struct Scene {
    FilWorld* world;
    FilId ground, ball, rope, rod; /* the ball is of no world where the model lets rods touch only, nor the ground under spt */
    bool has_ball, has_ground;
    double mass; /* kg, of all that moves */
} Scene;

/* A ball that slides, a rope on the ground, and a rod that falls across the rope; solved as accurately as models can. */
static Scene begin(const char* model)
{
    FilWorldDef def = fil_world_def_default();
    Scene s = {.mass = 0.0};
    def.contact_model = model;
    def.dt = DT;
    def.newton_tolerance = strcmp(model, "spt") == 0 ? 1e-10 : 1e-13;  // spt has no tangent
    def.newton_max_iterations = 200;
    assert_int_equal(fil_world_create(&def, &s.world, NULL), FIL_OK);
    FilSapSettings sap = fil_sap_settings_default();
    sap.tolerance = 1e-13;
    sap.max_iterations = 1000;
    assert_int_equal(fil_world_set_sap_settings(s.world, &sap), FIL_OK);
    s.has_ground = strcmp(model, "spt") != 0;
    if (s.has_ground) {
        s.ground = sample_ground(s.world);
    }
    s.has_ball = strcmp(model, "imc") != 0 && strcmp(model, "spt") != 0;
    if (s.has_ball) {
        s.ball = sample_ball(s.world, BALL, 0.5, 0.0, 1.1 * BALL);
        assert_int_equal(fil_rigid_set_state(s.world, s.ball, (FilVec3){0.5, 0.0, 1.1 * BALL}, (FilQuat){0.0, 0.0, 0.0, 1.0},
                                             (FilVec3){0.1, 0.0, 0.0}, (FilVec3){0.0, 0.0, 0.0}),
                         FIL_OK);
    }
    s.rope = sample_rod(s.world, 13, ROD, (FilVec3){-0.06, 0.0, ROD + 5e-4}, (FilVec3){0.01, 0.0, 0.0}, (FilVec3){0.0, 0.0, 0.0});
    s.rod = sample_rod(s.world, 9, ROD, (FilVec3){0.003, -0.04, 3.0 * ROD + 1.2e-3}, (FilVec3){0.0, 0.01, 0.0}, (FilVec3){0.0, 0.0, -0.02});
    // weight from a step of free fall
    FilVec3 before = fil_world_momentum(s.world);
    assert_int_equal(fil_world_set_contact_model(s.world, "none"), FIL_OK);
    assert_int_equal(fil_world_step(s.world, NULL), FIL_OK);
    s.mass = (before.z - fil_world_momentum(s.world).z) / (G * DT);
    assert_int_equal(fil_world_reset(s.world), FIL_OK);
    assert_int_equal(fil_world_set_contact_model(s.world, model), FIL_OK);
    return s;
}

/* Parts exist on their objects, normals are unit vectors from a to b, and the distance is the one at the step's end. */
static void check_contact(const Scene* s, const FilContactInfo* c, const char* model)
{
    const FilId ids[2] = {c->a, c->b};
    const int parts[2] = {c->part_a, c->part_b};
    for (int side = 0; side < 2; side++) {
        const bool is_rod = sample_same(ids[side], s->rope) || sample_same(ids[side], s->rod);
        const int count = is_rod ? fil_rod_edge_count(s->world, ids[side]) : 1;
        if (parts[side] < 0 || parts[side] >= count) {
            fail_msg("%s: part %d of '%s', which has %d", model, parts[side], fil_object_name(s->world, ids[side]), count);
        }
    }
    const FilVec3 n = c->normal;
    assert_true(fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1.0) < 1e-12);
    assert_true(fabs(c->slip.x * n.x + c->slip.y * n.y + c->slip.z * n.z) < 1e-12);
    if (sample_same(c->a, s->ground) && sample_same(c->b, s->ball)) {
        const double gap = sample_position(s->world, s->ball).z - BALL;
        if (fabs(gap - c->distance) > 1e-12) {
            fail_msg("%s: the ball is %.9g m above the ground and the report says %.9g", model, gap, c->distance);
        }
        assert_true(n.z > 0.999999 && c->part_b == 0);
    }
}

/* Sum of all contact forces that objects which move feel, and of what one object feels. */
static FilVec3 total_force(const Scene* s, const char* model, double* largest)
{
    FilVec3 sum = {0.0, 0.0, 0.0};
    *largest = 0.0;
    for (int k = 0; k < fil_world_contact_count(s->world); k++) {
        const FilContactInfo c = fil_world_contact(s->world, k);
        check_contact(s, &c, model);
        const double sign = sample_same(c.a, s->ground) ? 1.0 : sample_same(c.b, s->ground) ? -1.0 : 0.0;  // others cancel
        sum.x += sign * c.force.x;
        sum.y += sign * c.force.y;
        sum.z += sign * c.force.z;
        *largest = fmax(*largest, fabs(c.force.z));
    }
    return sum;
}

static void forces_account_for_momentum(void** state)
{
    (void)state;
    for (int m = 0; m < MODELS; m++) {
        Scene s = begin(models[m]);
        double worst = 0.0, impulses = 0.0;
        int touched = 0, rods = 0, divided = 0;
        for (int step = 0; step < 120; step++) {
            const FilVec3 before = fil_world_momentum(s.world);
            const FilVec3 ball = s.has_ball ? sample_velocity(s.world, s.ball) : before;
            FilStepInfo info;
            if (fil_world_step(s.world, &info) != FIL_OK) {
                fail_msg("%s: %s", models[m], fil_world_error(s.world));
            }
            if (info.halvings > 0) {  // then the forces are those of the last part of the step
                divided++;
                continue;
            }
            const FilVec3 after = fil_world_momentum(s.world);
            double largest;
            const FilVec3 force = total_force(&s, models[m], &largest);
            const double gain[3] = {after.x - before.x - DT * force.x, after.y - before.y - DT * force.y,
                                    after.z - before.z - DT * (force.z - s.mass * G)};
            for (int k = 0; k < 3; k++) {
                worst = fmax(worst, fabs(gain[k]));
            }
            // the ball alone
            if (s.has_ball) {
                FilVec3 felt, torque;
                fil_world_contact_wrench(s.world, s.ball, &felt, &torque);
                const double mass = fil_rigid_mass(s.world, s.ball);
                const FilVec3 now = sample_velocity(s.world, s.ball);
                worst = fmax(worst, fabs(mass * (now.x - ball.x) - DT * felt.x));
                worst = fmax(worst, fabs(mass * (now.z - ball.z) - DT * (felt.z - mass * G)));
            }
            touched += largest > 0.0 ? 1 : 0;
            impulses = fmax(impulses, DT * s.mass * G);
            for (int k = 0; k < fil_world_contact_count(s.world); k++) {
                const FilContactInfo c = fil_world_contact(s.world, k);
                const double size = fabs(c.force.x) + fabs(c.force.y) + fabs(c.force.z);
                rods += size > 0.0 && !sample_same(c.a, s.ground) && !sample_same(c.b, s.ground) ? 1 : 0;
            }
        }
        if (divided > 0) {
            fail_msg("%s: %d steps were divided", models[m], divided);
        }
        if (!(worst < 1e-9 * impulses)) {
            fail_msg("%s: momentum and reported forces differ by %.3g of %.3g N s", models[m], worst, impulses);
        }
        assert_true(s.has_ground ? touched > 60 && rods > 20 : rods > 0);  // without a ground they meet and part
        fil_world_destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forces_account_for_momentum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
