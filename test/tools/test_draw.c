/* Pictures of a run: what is in the file, and that it appears whole or not at all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "draw.h"
#include "lively.h"
#include "text_file.h"
#include "view/show.h"

typedef struct Fixture {
    char folder[64];
    char path[128];
    char* text; /* of the last file read */
} Fixture;

static int set_up(void** state)
{
    Fixture* fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL) {
        return -1;
    }
    strcpy(fixture->folder, "/tmp/filum_draw_XXXXXX");
    if (mkdtemp(fixture->folder) == NULL) {
        free(fixture);
        return -1;
    }
    snprintf(fixture->path, sizeof fixture->path, "%s/picture.svg", fixture->folder);
    *state = fixture;
    return 0;
}

static int tear_down(void** state)
{
    Fixture* fixture = *state;
    remove(fixture->path);
    const int done = rmdir(fixture->folder);
    free(fixture->text);
    free(fixture);
    return done;
}

static const char* read_file(Fixture* fixture)
{
    free(fixture->text);
    fixture->text = read_whole(fixture->path);
    return fixture->text;
}

/* runs a world for `steps` while it is watched, and draws it */
static FilStatus draw(FilWorld* world, int steps, FilVec3 view, const char* title, const char* path, FilError* error)
{
    FilDrawing* drawing = NULL;
    assert_int_equal(fil_drawing_create(world, view, &drawing), FIL_OK);
    fil_drawing_watch(drawing, world, 0.0);
    for (int i = 1; i <= steps; ++i) {
        lively_run(world, 1);
        fil_drawing_watch(drawing, world, (double)i / steps);
    }
    const FilStatus status = fil_drawing_write(drawing, world, title, path, error);
    fil_drawing_destroy(drawing);
    return status;
}

static void ghosts_and_one_opaque_picture(void** state)
{
    Fixture* fixture = *state;
    FilError error;
    FilWorld* world = lively_world(FIL_BACKWARD_EULER);
    assert_int_equal(draw(world, 20, (FilVec3){0}, "A <b> & c", fixture->path, &error), FIL_OK);
    const char* text = read_file(fixture);
    assert_int_equal(strncmp(text, "<svg ", 5), 0);
    assert_string_equal(text + strlen(text) - 7, "</svg>\n");
    assert_non_null(strstr(text, "A &lt;b> &amp; c"));
    /* five ghosts of the first 16 ms, and the last state */
    assert_int_equal(count_text(text, " opacity="), 5);
    assert_non_null(strstr(text, "t = 0, 0.004, 0.008, 0.012, 0.016, 0.02 s"));
    /* the closed rod's ghosts are closed */
    assert_int_equal(count_text(text, "z\"/>"), 5);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_int_equal(count_text(text, "<g"), count_text(text, "</g>"));
    fil_world_destroy(world);
}

/* a run of no steps has no past */
static void a_still_world_has_no_ghosts(void** state)
{
    Fixture* fixture = *state;
    FilError error;
    FilWorld* world = lively_world(FIL_MIDPOINT);
    assert_int_equal(draw(world, 0, (FilVec3){0}, "still", fixture->path, &error), FIL_OK);
    assert_int_equal(count_text(read_file(fixture), " opacity="), 0);
    fil_world_destroy(world);
}

/* the scale bar tells the truth: one metre of rod across the view is as long as ten times the bar of 0.1 m */
/* A ball with a modulus on the ground: its patch is an ellipse of the patch's area, seen from the side a line. */
static void patches_are_drawn(void** state)
{
    Fixture* fixture = *state;
    static const char scene[] =
        "world: {dt: 0.002, contact: sap}\n"
        "rigid_bodies:\n"
        "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n"
        "  - {name: ball, position: [0, 0, 0.048], surface: {modulus: 1e6}, shapes: [{sphere: {radius: 0.05}}]}\n";
    FilError error;
    FilWorld* world = NULL;
    assert_int_equal(fil_scene_load_text("ball.yaml", scene, strlen(scene), NULL, &world, NULL, &error), FIL_OK);
    assert_int_equal(draw(world, 1, (FilVec3){0.0, 0.0, 1.0}, "above", fixture->path, &error), FIL_OK);
    const char* text = read_file(fixture);
    assert_int_equal(count_text(text, "<ellipse"), fil_world_patch_count(world));
    assert_int_equal(fil_world_patch_count(world), 1);
    double narrow, wide;
    assert_int_equal(sscanf(strstr(text, "<ellipse"), "<ellipse rx=\"%lf\" ry=\"%lf\"", &narrow, &wide), 2);
    assert_true(fabs(narrow / wide - 1.0) < 1e-3);
    assert_int_equal(draw(world, 1, (FilVec3){0.0, -1.0, 0.0}, "beside", fixture->path, &error), FIL_OK);
    text = read_file(fixture);
    assert_int_equal(sscanf(strstr(text, "<ellipse"), "<ellipse rx=\"%lf\" ry=\"%lf\"", &narrow, &wide), 2);
    assert_true(narrow < 1.0 && wide > 10.0);
    fil_world_destroy(world);
}

static void the_scale_bar_is_to_scale(void** state)
{
    Fixture* fixture = *state;
    FilWorldDef def = fil_world_def_default();
    FilError error;
    FilWorld* world;
    FilId id;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    FilRodDef rod = fil_rod_def_default();
    rod.node_count = 2;
    rod.nodes = (double[]){0.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    rod.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 1e-2, .young = 1e6, .poisson = 0.3, .density = 1e3};
    assert_int_equal(fil_world_add_rod(world, &rod, &id), FIL_OK);
    assert_int_equal(draw(world, 0, (FilVec3){0.0, -1.0, 0.0}, "bar", fixture->path, &error), FIL_OK);
    const char* text = read_file(fixture);
    assert_non_null(strstr(text, ">0.1 m<"));
    double x0, y0, x1, y1, left, right;
    /* the first stroke is the tube's rim */
    assert_int_equal(sscanf(strstr(text, "d=\"M"), "d=\"M%lf %lf %lf %lf", &x0, &y0, &x1, &y1), 4);
    assert_int_equal(sscanf(strstr(text, "v-8v4H") - 30 + strcspn(strstr(text, "v-8v4H") - 30, "M"), "M%lf", &left), 1);
    assert_int_equal(sscanf(strstr(text, "v-8v4H"), "v-8v4H%lf", &right), 1);
    /* seen from -y, x runs to the right; coordinates have one digit after the point */
    assert_true(fabs((x1 - x0) - 10.0 * (right - left)) < 1.1);
    assert_true(x1 > x0);
    assert_true(fabs(y1 - y0) < 0.11);
    fil_world_destroy(world);
}

/* no rods, no numbers gone wrong */
static void an_empty_world_is_an_empty_page(void** state)
{
    Fixture* fixture = *state;
    FilWorldDef def = fil_world_def_default();
    FilError error;
    FilWorld* world;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    assert_int_equal(draw(world, 0, (FilVec3){0.0, 0.0, 1.0}, "empty", fixture->path, &error), FIL_OK);
    const char* text = read_file(fixture);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    fil_world_destroy(world);
}

/* outlines of rigid shapes and of an arm's disks: all once, those that move also as ghosts */
static void shapes_have_outlines(void** state)
{
    Fixture* fixture = *state;
    const FilWorldDef def = fil_world_def_default();
    FilError error;
    FilWorld* world;
    FilId id;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    FilShapeDef shapes[3] = {fil_shape_def_default(), fil_shape_def_default(), fil_shape_def_default()};
    shapes[0].type = FIL_SHAPE_SPHERE;
    shapes[0].radius = 0.5;
    shapes[1].type = FIL_SHAPE_BOX;
    shapes[1].size = (FilVec3){1.0, 1.0, 1.0};
    shapes[2].type = FIL_SHAPE_HALF_SPACE;
    const FilMotion motions[] = {FIL_STATIC, FIL_DYNAMIC, FIL_STATIC};
    for (int k = 0; k < 3; k++) {
        FilRigidDef rigid = fil_rigid_def_default();
        rigid.shapes = &shapes[k];
        rigid.shape_count = 1;
        rigid.motion = motions[k];
        rigid.position = (FilVec3){3.0 * k, 0.0, 0.0};
        assert_int_equal(fil_world_add_rigid(world, &rigid, &id), FIL_OK);
    }
    FilArmSection section = fil_arm_section_default();
    FilArmDef arm = fil_arm_def_default();
    section.disks = 1;
    arm.sections = &section;
    arm.section_count = 1;
    assert_int_equal(fil_world_add_arm(world, &arm, &id), FIL_OK);
    assert_int_equal(draw(world, 10, (FilVec3){0.0, -1.0, 0.0}, "shapes", fixture->path, &error), FIL_OK);
    const char* text = read_file(fixture);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    assert_int_equal(count_text(text, "class=\"ground\""), 0);  // seen from its edge
    // the sphere is as wide as the box, of which one face is seen
    double r = 0.0, x[4][2];
    assert_int_equal(sscanf(strstr(text, "<circle"), "<circle cx=\"%*f\" cy=\"%*f\" r=\"%lf", &r), 1);
    const char* at = strstr(text, "</g>\n<g fill=\"none\" stroke-linejoin=\"round\">");  // after the ghosts
    assert_non_null(at);
    bool found = false;
    for (at = strstr(at, "<path fill="); at != NULL && !found; at = strstr(at + 1, "<path fill=")) {
        const int numbers = sscanf(strstr(at, " d=\"M"), " d=\"M%lf %lf %lf %lf %lf %lf %lf %lf", &x[0][0], &x[0][1], &x[1][0], &x[1][1], &x[2][0],
                                   &x[2][1], &x[3][0], &x[3][1]);
        const double wide = fmax(fabs(x[0][0] - x[1][0]), fabs(x[1][0] - x[2][0]));
        found = numbers == 8 && fabs(2.0 * (r - 0.5) - wide) < 0.5;  // px; the rim is half a px wider
    }
    assert_true(r > 25.0 && found);
    // from above the ground is seen
    assert_int_equal(draw(world, 0, (FilVec3){0.2, -1.0, 0.5}, "shapes", fixture->path, &error), FIL_OK);
    text = read_file(fixture);
    assert_int_equal(count_text(text, "class=\"ground\""), 1);
    assert_true(count_text(text, "<circle") > 3);
    assert_null(strstr(text, "nan"));
    fil_world_destroy(world);
}

/* a square of two triangles, each drawn once and without ghosts; folded by 90 degrees, the two are lit differently */
static void shells_are_shaded_triangles(void** state)
{
    Fixture* fixture = *state;
    FilError error;
    FilWorld* world = NULL;
    const FilWorldDef def = fil_world_def_default();
    const double flat[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0};
    const double folded[] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.5, 0.7, 0.5};
    const int triangles[] = {0, 1, 2, 0, 2, 3};
    char first[2][64], second[2][64];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
        FilShellDef shell = fil_shell_def_default();
        shell.thickness = 1e-3;
        shell.young = 1e5;
        shell.density = 1000.0;
        shell.vertex_count = 4;
        shell.vertices = k == 0 ? flat : folded;
        shell.triangle_count = 2;
        shell.triangles = triangles;
        FilId id;
        assert_int_equal(fil_world_add_shell(world, &shell, &id), FIL_OK);
        assert_int_equal(draw(world, 0, (FilVec3){0.2, -1.0, 0.1}, "cloth", fixture->path, &error), FIL_OK);
        const char* text = read_file(fixture);
        assert_int_equal(count_text(text, "Z\"/>"), 2);
        const char* at = strstr(text, "<path fill=\"");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "<path fill=\"%60[^\"]", first[k]), 1);
        assert_int_equal(sscanf(strstr(at + 1, "<path fill=\""), "<path fill=\"%60[^\"]", second[k]), 1);
        fil_world_destroy(world);
    }
    assert_string_equal(first[0], second[0]);
    assert_string_not_equal(first[1], second[1]);
}

/* a ring on a rod: a ball three times as wide as the rod, and its ghosts */
static void rings_are_round(void** state)
{
    Fixture* fixture = *state;
    FilError error;
    FilWorld* world = NULL;
    FilWorldDef def = fil_world_def_default();
    FilId rod_id, ring_id;
    def.contact_model = "ipc";
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    FilRodDef rod = fil_rod_def_default();
    rod.node_count = 3;
    rod.nodes = (double[]){0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0};
    rod.section = (FilSection){.shape = FIL_SECTION_CIRCLE, .radius = 1e-2, .young = 1e6, .poisson = 0.3, .density = 1e3};
    assert_int_equal(fil_world_add_rod(world, &rod, &rod_id), FIL_OK);
    FilRingDef ring = fil_ring_def_default();
    ring.rods = &rod_id;
    ring.rod_count = 1;
    ring.mass = 1e-3;
    ring.position = (FilVec3){0.3, 0.0, -0.01};
    ring.range = 0.05;
    ring.stiffness = 100.0;
    assert_int_equal(fil_world_add_ring(world, &ring, &ring_id), FIL_OK);
    assert_int_equal(draw(world, 10, (FilVec3){0.0, -1.0, 0.0}, "ring", fixture->path, &error), FIL_OK);
    const char* text = read_file(fixture);
    // the page is 904 px wide inside, the rod 1 m long; seen from its edge the ring is as high as it is wide
    double low = INFINITY, high = -INFINITY, x, y;
    int length;
    for (const char* at = text; (at = strstr(at, "class=\"r\" d=\"M")) != NULL;) {
        for (at += strlen("class=\"r\" d=\"M"); sscanf(at, "%lf %lf%n", &x, &y, &length) == 2; at += length) {
            low = fmin(low, y);
            high = fmax(high, y);
        }
    }
    const double middle = fil_ring_radius(world, ring_id) + fil_show_ring.curve_radius(world, ring_id, 0);
    assert_true(middle > 1e-2);
    assert_true(fabs(high - low - 2.0 * middle * 904.0) < 1.0);
    fil_world_destroy(world);
}

/* what cannot be written leaves what was there, and nothing half-done beside it */
static void failure_keeps_the_old_file(void** state)
{
    Fixture* fixture = *state;
    FilError error;
    FilWorld* world = lively_world(FIL_MIDPOINT);
    char missing[160];
    snprintf(missing, sizeof missing, "%s/no/such/folder.svg", fixture->folder);
    assert_int_equal(draw(world, 0, (FilVec3){0}, "x", missing, &error), FIL_IO);
    assert_non_null(strstr(error.text, missing));

    /* a folder stands where the file should go: the move fails at the very end */
    assert_int_equal(mkdir(fixture->path, 0700), 0);
    assert_int_equal(draw(world, 0, (FilVec3){0}, "x", fixture->path, &error), FIL_IO);
    char part[160];
    snprintf(part, sizeof part, "%s.part", fixture->path);
    assert_int_equal(access(part, F_OK), -1);
    assert_int_equal(rmdir(fixture->path), 0);
    fil_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ghosts_and_one_opaque_picture, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_still_world_has_no_ghosts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(patches_are_drawn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_scale_bar_is_to_scale, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_world_is_an_empty_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shapes_have_outlines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(shells_are_shaded_triangles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rings_are_round, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failure_keeps_the_old_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
