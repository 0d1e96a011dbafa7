/* The contact set keeps what it is given while it grows, and reads impulses as wrenches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "contact/contact_set.h"
#include "contact/sap_constraint.h"

static void contents(void** state)
{
    (void)state;
    FilContactSet set = {0};
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1000; i++) {
            const FilContact contact = {.body = {i, FIL_CONTACT_SCENERY}, .distance = 1e-3 * i, .feature = (uint64_t)i};
            assert_int_equal(fil_contact_set_add(&set, &contact), FIL_OK);
            for (int k = 0; k < i % 4; k++) {
                double jacobian[12];
                for (int e = 0; e < 12; e++) {
                    jacobian[e] = 100.0 * i + 12.0 * k + e;
                }
                assert_int_equal(fil_contact_set_add_block(&set, 7 * i + k, jacobian), FIL_OK);
            }
        }
        int blocks = 0;
        for (int i = 0; i < 1000; i++) {
            const FilContact* contact = &set.contacts[i];
            assert_int_equal(contact->body[0], i);
            assert_int_equal(contact->first_block, blocks);
            assert_int_equal(contact->block_count, i % 4);
            for (int k = 0; k < i % 4; k++, blocks++) {
                assert_int_equal(set.variable[blocks], 7 * i + k);
                assert_true(set.jacobian[12 * blocks + 5] == 100.0 * i + 12.0 * k + 5.0);
            }
        }
        assert_int_equal(set.block_count, blocks);
        fil_contact_set_clear(&set);
        assert_int_equal(set.count, 0);
    }
    fil_contact_set_free(&set);
}

static void plain_contacts_and_velocities(void** state)
{
    (void)state;
    FilContactSet set = {0};
    double v[16], jacobian[12] = {0.0}, u[3];
    for (int k = 0; k < 16; k++) {
        v[k] = k + 1.0;
    }
    jacobian[0] = 2.0;    // t1: twice the first number of the block
    jacobian[11] = -1.0;  // n: less the last
    for (int i = 0; i < 100; i++) {
        const int ends[4] = {i, i + 1, i + 7, i + 8};
        assert_non_null(fil_contact_set_new(&set));
        assert_int_equal(fil_contact_set_add_ends(&set, ends), FIL_OK);
        const FilContact contact = {.bias = {0.5, 0.25, 0.0}};
        assert_int_equal(fil_contact_set_add(&set, &contact), FIL_OK);
        assert_int_equal(fil_contact_set_add_block(&set, i % 4, jacobian), FIL_OK);
    }
    for (int i = 0; i < 100; i++) {
        const FilContact *plain = &set.contacts[2 * i], *other = plain + 1;
        assert_true(plain->plain && plain->block_count == 4 && !other->plain && other->block_count == 1);
        assert_int_equal(set.variable[plain->first_block + 2], i + 7);
        fil_contact_velocity(&set, other, v, u);
        assert_true(u[0] == 0.5 + 2.0 * v[4 * (i % 4)] && u[1] == 0.25 && u[2] == -v[4 * (i % 4) + 3]);
    }
    fil_contact_set_free(&set);
}

static void wrench(void** state)
{
    (void)state;
    // normal along x, tangents y and z
    const FilContact contact = {.point = {1.0, 2.0, 3.0}, .frame = {0, 1, 0, 0, 0, 1, 1, 0, 0}, .impulse = {0.1, 0.0, 0.4}};
    double force[3], torque[3];
    fil_contact_wrench(&contact, 1, (double[3]){1.0, 2.0, 2.0}, 0.1, force, torque);
    const double expected_force[3] = {4.0, 1.0, 0.0}, expected_torque[3] = {-1.0, 4.0, 0.0};
    for (int k = 0; k < 3; k++) {
        // one product each
        assert_true(fabs(force[k] - expected_force[k]) < 1e-15);
        assert_true(fabs(torque[k] - expected_torque[k]) < 1e-15);
    }
    fil_contact_wrench(&contact, 0, (double[3]){1.0, 2.0, 2.0}, 0.1, force, torque);
    assert_true(fabs(force[0] + 4.0) < 1e-15);
}

static void as_constraint(void** state)
{
    (void)state;
    const FilContact contact = {.distance = -1e-4,
                                .mu = 0.3,
                                .stiffness = 1e5,
                                .dissipation_time = 0.01,
                                .hunt_crossley = 2.0,
                                .normal_velocity = -0.1,
                                .first_block = 5,
                                .block_count = 3,
                                .bias = {1.0, 2.0, 3.0}};
    FilSapConstraint c;
    fil_sap_constraint_of_contact(&contact, FIL_SAP_LAGGED_CONTACT, &c);
    assert_int_equal(c.kind, FIL_SAP_LAGGED_CONTACT);
    assert_int_equal(c.first_block, 5);
    assert_int_equal(c.block_count, 3);
    assert_true(c.contact.distance == -1e-4 && c.contact.mu == 0.3 && c.contact.stiffness == 1e5);
    assert_true(c.contact.dissipation_time == 0.01 && c.contact.hunt_crossley == 2.0);
    assert_true(c.contact.normal_velocity == -0.1 && c.bias[2] == 3.0 && c.compliance == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents),
        cmocka_unit_test(plain_contacts_and_velocities),
        cmocka_unit_test(wrench),
        cmocka_unit_test(as_constraint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
