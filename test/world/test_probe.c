/* Quantities: the rows of what can be measured, and what they say of objects. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"

enum { NODES = 5 };

static FilWorld* make_world(void)
{
    FilWorldDef def = fil_world_def_default();
    FilWorld* world;
    assert_int_equal(fil_world_create(&def, &world, NULL), FIL_OK);
    return world;
}

static FilId add_rod(FilWorld* world)
{
    static const double nodes[3 * NODES] = {0, 0, 0, 0.1, 0, 0, 0.2, 0, 0, 0.3, 0, 0, 0.4, 0, 0};
    FilRodDef def = fil_rod_def_default();
    FilId id;
    def.name = "rod";
    def.nodes = nodes;
    def.node_count = NODES;
    def.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 0.01, .young = 1e6, .poisson = 0.3, .density = 1e3};
    assert_int_equal(fil_world_add_rod(world, &def, &id), FIL_OK);
    return id;
}

/* every row is whole, and its name leads back to it */
static void rows_are_whole(void** state)
{
    (void)state;
    const int count = fil_quantity_count();
    assert_true(count > 40);
    for (int k = 0; k < count; k++) {
        const FilQuantityInfo info = fil_quantity_info(k);
        assert_non_null(info.name);
        assert_non_null(info.subject);
        assert_non_null(info.unit);
        assert_in_range(info.components, 1, 3);
        assert_int_equal(fil_find_quantity(info.name), k);
    }
    assert_null(fil_quantity_info(count).name);
    assert_null(fil_quantity_info(-1).name);
    assert_int_equal(fil_find_quantity("positon"), -1);
    const FilQuantityInfo curvature = fil_quantity_info(fil_find_quantity("curvature"));
    assert_string_equal(curvature.subject, "rod");
    assert_string_equal(curvature.part, "node");
    assert_int_equal(curvature.components, 2);
    const FilQuantityInfo pressure = fil_quantity_info(fil_find_quantity("pressure"));
    assert_string_equal(pressure.subject, "arm");
    assert_string_equal(pressure.part, "chamber");
    assert_string_equal(pressure.unit, "Pa");
    assert_string_equal(fil_quantity_info(fil_find_quantity("total_energy")).subject, "world");
}

static void parts_are_counted(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    const FilId rod = add_rod(world);
    FilArmDef def = fil_arm_def_default();
    FilArmSection sections[2] = {fil_arm_section_default(), fil_arm_section_default()};
    FilId arm;
    def.sections = sections;
    def.section_count = 2;
    assert_int_equal(fil_world_add_arm(world, &def, &arm), FIL_OK);
    assert_int_equal(fil_part_count(world, rod, "node"), NODES);
    assert_int_equal(fil_part_count(world, rod, "edge"), NODES - 1);
    assert_int_equal(fil_part_count(world, rod, "disk"), 0);
    assert_int_equal(fil_part_count(world, arm, "section"), 2);
    assert_int_equal(fil_part_count(world, arm, "chamber"), fil_arm_chamber_count(world, arm));
    assert_int_equal(fil_part_count(world, arm, "node"), 0);
    assert_int_equal(fil_part_count(world, (FilId){0}, "node"), 0);
    fil_world_destroy(world);
}

/* names lead to what is called so, of the kind that is asked for */
static void words_of_kinds_find_objects(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    const FilId rod = add_rod(world);
    FilAttachmentDef def = fil_attachment_def_default();
    FilId wall;
    def.name = "wall";
    def.object = rod;
    assert_int_equal(fil_world_add_attachment(world, &def, &wall), FIL_OK);
    assert_int_equal(fil_world_find(world, "rod", "rod").index, rod.index);
    assert_int_equal(fil_world_find(world, "object", "rod").index, rod.index);
    assert_int_equal(fil_world_find(world, "attachment", "wall").index, wall.index);
    static const char* const none[][2] = {{"body", "rod"},  {"rod", "wall"},   {"object", "wall"}, {"world", "rod"},
                                          {"shell", "rod"}, {"ring", "rod"},   {"arm", "rod"},     {"robot", "rod"},
                                          {"link", "rod"},  {"drive", "wall"}, {"joint", "wall"},  {"knot", "rod"}};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        assert_int_equal(fil_world_find(world, none[k][0], none[k][1]).index, 0);
    }
    fil_world_destroy(world);
}

/* a drive has as many components as its kind, and a probe asks for no more */
static void components_are_those_of_the_object(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    FilDriveDef def = fil_drive_def_default();
    FilId drive, id;
    def.name = "twist";
    def.kind = FIL_DRIVE_REST_TWIST;
    def.object = add_rod(world);
    assert_int_equal(fil_world_add_drive(world, &def, &drive), FIL_OK);
    const int quantity = fil_find_quantity("drive");
    assert_int_equal(fil_quantity_components(world, quantity, drive), 1);
    assert_int_equal(fil_quantity_components(world, quantity, def.object), 0);
    assert_int_equal(fil_quantity_components(world, -1, drive), 0);
    assert_int_equal(fil_quantity_components(world, fil_find_quantity("position"), def.object), 3);
    FilProbeDef probe = {.name = "p", .quantity = "drive", .of = drive, .component = 1};
    assert_int_equal(fil_world_add_probe(world, &probe, &id), FIL_BAD_INPUT);
    assert_non_null(strstr(fil_world_error(world), "'drive' has no component 1"));
    probe.component = 0;
    assert_int_equal(fil_world_add_probe(world, &probe, &id), FIL_OK);
    assert_true(isnan(fil_world_probe_value(world, 1)));
    assert_null(fil_world_probe_name(world, -1));
    fil_world_destroy(world);
}

/* objects of another kind and of no kind are refused by name of what is needed */
static void other_kinds_are_refused(void** state)
{
    (void)state;
    FilWorld* world = make_world();
    const FilId rod = add_rod(world);
    static const char* const cases[][2] = {
        {"body_position", "needs a rigid body of this world"},
        {"disk_position", "needs an arm of this world"},
        {"ring_travel", "needs a ring of this world"},
        {"vertex_position", "needs a shell of this world"},
        {"link_position", "needs a robot's link"},
        {"axis_effort", "needs a robot of this world"},
        {"joint_force", "needs a joint of this world"},
        {"torque", "needs an attachment of this world"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const FilProbeDef probe = {.name = "p", .quantity = cases[k][0], .of = rod};
        FilId id;
        assert_int_equal(fil_world_add_probe(world, &probe, &id), FIL_BAD_INPUT);
        assert_non_null(strstr(fil_world_error(world), cases[k][1]));
    }
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_whole),
        cmocka_unit_test(parts_are_counted),
        cmocka_unit_test(words_of_kinds_find_objects),
        cmocka_unit_test(components_are_those_of_the_object),
        cmocka_unit_test(other_kinds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
