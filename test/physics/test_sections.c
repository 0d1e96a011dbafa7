/* Section constants against closed forms, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "near.h"

static FilStiffness stiffness_of(FilSection section)
{
    FilStiffness out;
    FilError error;
    assert_int_equal(fil_section_stiffness(&section, &out, &error), FIL_OK);
    return out;
}

/* closed forms are reached to rounding */
static const double rounding = 1e-14;

static void circle(void** state)
{
    (void)state;
    const double r = 0.01, e = 2e9, rho = 1100.0, area = M_PI * r * r, moment = area * r * r / 4.0;
    FilStiffness s = stiffness_of((FilSection){.shape = FIL_SECTION_CIRCLE, .radius = r, .young = e, .poisson = 0.25, .density = rho});
    assert_near_share(s.ea, e * area, rounding);
    assert_near_share(s.ei1, e * moment, rounding);
    assert_near_share(s.ei2, e * moment, rounding);
    assert_near_share(s.gj, e / 2.5 * 2.0 * moment, rounding);
    assert_near_share(s.mass_per_length, rho * area, rounding);
    assert_near_share(s.inertia_per_length, rho * 2.0 * moment, rounding);
}

/* Stretching and torsion that are not those of the shape leave the rest as it is. */
static void stretching_and_torsion_may_be_given(void** state)
{
    (void)state;
    FilSection section = {.shape = FIL_SECTION_RECTANGLE, .width = 0.02, .height = 0.002, .young = 1e6, .poisson = 0.5, .density = 1000.0};
    const FilStiffness own = stiffness_of(section);
    section.ea = 7.0;
    section.gj = 0.3;
    const FilStiffness given = stiffness_of(section);
    assert_true(given.ea == 7.0 && given.gj == 0.3 && given.ei1 == own.ei1 && given.ei2 == own.ei2);
    assert_true(given.mass_per_length == own.mass_per_length);
    FilStiffness out;
    FilError error;
    section.ea = -1.0;
    assert_int_equal(fil_section_stiffness(&section, &out, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "ea"));
}

static void tube(void** state)
{
    (void)state;
    const double r = 0.02, inner = 0.015, e = 1e8, g = 3e7, rho = 900.0;
    const double area = M_PI * (r * r - inner * inner), moment = M_PI / 4.0 * (pow(r, 4.0) - pow(inner, 4.0));
    FilStiffness s =
        stiffness_of((FilSection){.shape = FIL_SECTION_TUBE, .radius = r, .inner_radius = inner, .young = e, .shear = g, .density = rho});
    assert_near_share(s.ea, e * area, rounding);
    assert_near_share(s.ei1, e * moment, rounding);
    assert_near_share(s.ei2, e * moment, rounding);
    assert_near_share(s.gj, g * 2.0 * moment, rounding);
    assert_near_share(s.mass_per_length, rho * area, rounding);
    assert_near_share(s.inertia_per_length, rho * 2.0 * moment, rounding);
}

/* Saint-Venant: J = b t^3 (1/3 - 64/pi^5 t/b sum over odd n of tanh(n pi b/(2 t))/n^5), t the smaller side */
static double torsion_constant(double width, double height)
{
    double t = fmin(width, height), b = fmax(width, height), sum = 0.0;
    for (int n = 1; n < 40; n += 2) {
        sum += tanh(n * M_PI * b / (2.0 * t)) / pow(n, 5.0);
    }
    return b * t * t * t * (1.0 / 3.0 - 64.0 / pow(M_PI, 5.0) * t / b * sum);
}

static void rectangle(void** state)
{
    (void)state;
    static const double sides[4][2] = {{0.01, 0.01}, {0.03, 0.01}, {0.01, 0.02}, {0.1, 0.001}};
    for (int i = 0; i < 4; ++i) {
        const double w = sides[i][0], h = sides[i][1], e = 1e9, g = 4e8, rho = 1000.0;
        FilStiffness s = stiffness_of((FilSection){.shape = FIL_SECTION_RECTANGLE, .width = w, .height = h, .young = e, .shear = g, .density = rho});
        assert_near_share(s.ea, e * w * h, rounding);
        assert_near_share(s.ei1, e * h * w * w * w / 12.0, rounding);
        assert_near_share(s.ei2, e * w * h * h * h / 12.0, rounding);
        /* the library may cut the series elsewhere: terms beyond the 20th are below 1e-7 */
        assert_near_share(s.gj, g * torsion_constant(w, h), 1e-6);
        assert_near_share(s.mass_per_length, rho * w * h, rounding);
        assert_near_share(s.inertia_per_length, rho * w * h * (w * w + h * h) / 12.0, rounding);
    }
}

static void given_directly(void** state)
{
    (void)state;
    FilStiffness s = stiffness_of((FilSection){.shape = FIL_SECTION_STIFFNESS,
                                               .radius = 0.01,
                                               .ea = 1.0,
                                               .ei1 = 2.0,
                                               .ei2 = 3.0,
                                               .gj = 4.0,
                                               .mass_per_length = 5.0,
                                               .inertia_per_length = 6.0});
    assert_true(s.ea == 1.0 && s.ei1 == 2.0 && s.ei2 == 3.0 && s.gj == 4.0);
    assert_true(s.mass_per_length == 5.0 && s.inertia_per_length == 6.0);
}

static void bad_values_are_refused_by_name(void** state)
{
    (void)state;
    const FilSection good = {.shape = FIL_SECTION_CIRCLE, .radius = 0.01, .young = 1e9, .density = 1e3};
    FilSection bad[6] = {good, good, good, good, good, good};
    static const char* const names[6] = {"radius", "young", "density", "radius", "inner_radius", "height"};
    bad[0].radius = -0.01;
    bad[1].young = 0.0;
    bad[2].density = NAN;
    bad[3].radius = INFINITY;
    bad[4].shape = FIL_SECTION_TUBE;
    bad[4].inner_radius = 0.02;
    bad[5].shape = FIL_SECTION_RECTANGLE;
    bad[5].width = 0.01;
    for (int i = 0; i < 6; ++i) {
        FilStiffness out;
        FilError error = {{0}};
        assert_int_equal(fil_section_stiffness(&bad[i], &out, &error), FIL_BAD_INPUT);
        if (strstr(error.text, names[i]) == NULL) {
            print_error("the message \"%s\" does not name %s\n", error.text, names[i]);
            fail();
        }
        /* a caller may not want the message */
        assert_int_equal(fil_section_stiffness(&bad[i], &out, NULL), FIL_BAD_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circle),         cmocka_unit_test(stretching_and_torsion_may_be_given), cmocka_unit_test(tube), cmocka_unit_test(rectangle),
        cmocka_unit_test(given_directly), cmocka_unit_test(bad_values_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
