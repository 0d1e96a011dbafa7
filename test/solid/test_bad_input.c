/* Solids that cannot be: each is refused by a message that names what is wrong, and the world goes on without it. */
#include "blocks.h"

static double vertices[15] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0};

static void refuse(FilSolidDef def, const char* part)
{
    FilId id = {0};
    FilWorld* world = block_world(fil_world_def_default());
    def.name = "lump";
    assert_int_equal(fil_world_add_solid(world, &def, &id), FIL_BAD_INPUT);
    if (strstr(fil_world_error(world), part) == NULL || strstr(fil_world_error(world), "'lump'") == NULL) {
        fail_msg("'%s' is not in: %s", part, fil_world_error(world));
    }
    assert_int_equal(fil_world_solid_count(world), 0);
    block_step(world, NULL);
    fil_world_destroy(world);
}

static FilSolidDef two_elements(void)
{
    static const int tets[8] = {0, 1, 2, 3, 1, 2, 3, 4};
    FilSolidDef def = block_material(FIL_SOLID_COROTATED_LAGGED);
    def.vertex_count = 5;
    def.vertices = vertices;
    def.tet_count = 2;
    def.tets = tets;
    return def;
}

static void test_numbers(void** state)
{
    (void)state;
    FilSolidDef def = two_elements();
    def.density = 0.0;
    refuse(def, "density must be positive");
    def = two_elements();
    def.poisson = 0.5;
    refuse(def, "0.5");
    def = two_elements();
    def.young = -1.0;
    refuse(def, "-1");
    def = two_elements();
    def.radius = NAN;
    refuse(def, "radius");
    def = two_elements();
    def.model = FIL_SOLID_MODEL_COUNT;
    refuse(def, "model");
    def = two_elements();
    def.model = FIL_SOLID_MOONEY_RIVLIN;
    def.bulk = 0.0;
    refuse(def, "bulk");
    def = two_elements();
    def.tet_count = 0;
    refuse(def, "at least 4 vertices and 1 element");
}

static void test_meshes(void** state)
{
    (void)state;
    static const int inverted[8] = {0, 1, 2, 3, 1, 3, 2, 4}, missing[8] = {0, 1, 2, 3, 1, 2, 3, 7}, twice[8] = {0, 1, 2, 3, 1, 2, 2, 4};
    FilSolidDef def = two_elements();
    def.tets = inverted;
    refuse(def, "element 2 is inverted");
    def.tets = missing;
    refuse(def, "element 2 has the vertex 8");
    def.tets = twice;
    refuse(def, "twice");
    def = two_elements();
    double flat[15];
    memcpy(flat, vertices, sizeof flat);
    flat[12] = 0.25, flat[13] = 0.25, flat[14] = 0.5;
    def.vertices = flat;
    refuse(def, "element 2 is flat");
    memcpy(flat, vertices, sizeof flat);
    flat[14] = NAN;
    refuse(def, "not a place");
    def = two_elements();
    def.tet_count = 1;
    refuse(def, "vertex 5");
}

static void test_generators(void** state)
{
    (void)state;
    FilSolidMesh mesh;
    FilError error;
    const FilSolidPart ball = {.shape = FIL_SOLID_BALL, .size = {-1.0}}, none = {.shape = FIL_SOLID_SHAPE_COUNT};
    const FilSolidBlend negative = {.parts = &ball, .part_count = 1, .spacing = 0.1};
    const FilSolidBlend unknown = {.parts = &none, .part_count = 1, .spacing = 0.1}, unspaced = {.parts = &ball, .part_count = 1};
    assert_int_equal(fil_solid_mesh_blend(&negative, &mesh, &error), FIL_BAD_INPUT);
    assert_int_equal(fil_solid_mesh_blend(&unknown, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "part 1"));
    assert_int_equal(fil_solid_mesh_blend(&unspaced, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "positive spacing"));
    assert_int_equal(fil_solid_mesh_brick((double[3]){1.0, 1.0, 0.0}, (int[3]){1, 1, 1}, 0, &mesh, &error), FIL_BAD_INPUT);
    assert_int_equal(fil_solid_mesh_brick((double[3]){1.0, 1.0, 1.0}, (int[3]){1, 1, 1}, 3, &mesh, &error), FIL_BAD_INPUT);
    assert_int_not_equal(fil_solid_mesh_read("nowhere.vtk", 1.0, &mesh, &error), FIL_OK);
    assert_non_null(strstr(error.text, "nowhere.vtk"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_generators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
