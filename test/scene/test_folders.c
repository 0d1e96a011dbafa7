/* Scenes that may only be read from given folders: whatever file they name is judged where it is opened, so that a link that changes meanwhile
 * leads nowhere else. */
#include "scene_folder.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filum/filum.h"
#include "filum/urdf.h"
#include "link_swapper.h"

/* a tetrahedron with legs of this length along the axes, as STL, and as a mesh of one element */
static void write_tetrahedron(const char* name, double leg)
{
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    const double corners[4][3] = {{0, 0, 0}, {leg, 0, 0}, {0, leg, 0}, {0, 0, leg}};
    char text[2048];
    int size = snprintf(text, sizeof text, "solid t\n");
    for (int f = 0; f < 4; f++) {
        size += snprintf(text + size, sizeof text - (size_t)size, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            const double* x = corners[faces[f][k]];
            size += snprintf(text + size, sizeof text - (size_t)size, "vertex %g %g %g\n", x[0], x[1], x[2]);
        }
        size += snprintf(text + size, sizeof text - (size_t)size, "endloop\nendfacet\n");
    }
    snprintf(text + size, sizeof text - (size_t)size, "endsolid t\n");
    char path[64];
    snprintf(path, sizeof path, "%s.stl", name);
    write_file(path, text);
    snprintf(text, sizeof text,
             "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 %g 0 0 0 %g 0 0 0 %g\n"
             "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n",
             leg, leg, leg);
    snprintf(path, sizeof path, "%s.vtk", name);
    write_file(path, text);
    snprintf(text, sizeof text,
             "<robot name='r'><link name='base'><inertial><mass value='%g'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
             "</link></robot>",
             leg);
    snprintf(path, sizeof path, "%s.urdf", name);
    write_file(path, text);
}

/* inside/sub: legs of 1; outside: legs of 2; inside/other leads there. */
static int set_up(void** state)
{
    if (make_folder(state) != 0) {
        return 1;
    }
    char path[128], link[128];
    static const char* const folders[] = {"inside", "inside/sub", "outside"};
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[k]);
        if (mkdir(path, 0777) != 0) {
            return 1;
        }
    }
    snprintf(link, sizeof link, "%s/inside/other", folder);
    write_tetrahedron("inside/sub/t", 1.0);
    write_tetrahedron("outside/t", 2.0);
    return symlink("../outside", link);
}

#define HEAD "world: {gravity: [0, 0, -1]}\nmaterials: {stuff: {young: 1e6, poisson: 0.3, density: 1000}}\n"

static const struct {
    const char* text; /* with a place for the folder */
    double energy;    /* of what is inside, by its weight, J */
} cases[] = {
    {HEAD "rigid_bodies: [{name: it, motion: dynamic, material: stuff, shapes: [{mesh: {file: %s/t.stl}}]}]\n", 1000.0 / 24.0},
    {HEAD "shells: [{name: it, material: stuff, thickness: 1e-3, file: {path: %s/t.stl}}]\n", (1.0 + 0.8660254037844386) / 3.0},
    {HEAD "solids: [{name: it, material: stuff, file: {path: %s/t.vtk}}]\n", 1000.0 / 24.0},
    {HEAD "robots: [{name: it, urdf: %s/t.urdf, floating: true, position: [0, 0, 1]}]\n", 1.0},
};
enum { CASES = sizeof cases / sizeof *cases };

/* The energy of what the scene holds; 0: refused. */
static double load_from(int k, const char* where, FilError* error)
{
    char text[512], path[128], folders[128];
    snprintf(text, sizeof text, cases[k].text, where);
    snprintf(path, sizeof path, "%s/inside/scene.yaml", folder);
    snprintf(folders, sizeof folders, "%s/inside", folder);
    const FilSceneOptions options = {.folders = folders};
    FilWorld* world = NULL;
    if (fil_scene_load_text(path, text, strlen(text), &options, &world, NULL, error) != FIL_OK) {
        return 0.0;
    }
    const double energy = fil_world_energy(world).gravity;
    fil_world_destroy(world);
    return energy;
}

static void files_below_the_folders_are_read(void** state)
{
    (void)state;
    for (int k = 0; k < CASES; k++) {
        FilError error = {""};
        assert_true(fabs(load_from(k, "sub", &error) - cases[k].energy) < 1e-9);
        assert_string_equal(error.text, "");
        static const char* const outside[] = {"other", "../outside", "sub/../../outside"};
        for (int j = 0; j < 3; j++) {
            assert_true(load_from(k, outside[j], &error) == 0.0);
            assert_non_null(strstr(error.text, "it is not below a folder that may be used"));
        }
    }
}

static void meshes_below_folders(void** state)
{
    (void)state;
    char stl[128], vtk[128], inside[128];
    FilMesh mesh;
    FilSolidMesh solid;
    FilError error = {""};
    snprintf(stl, sizeof stl, "%s/outside/t.stl", folder);
    snprintf(vtk, sizeof vtk, "%s/outside/t.vtk", folder);
    snprintf(inside, sizeof inside, "%s/inside", folder);
    assert_int_equal(fil_mesh_read_below(stl, inside, 1.0, &mesh, &error), FIL_IO);
    assert_non_null(strstr(error.text, "it is not below a folder that may be used"));
    assert_int_equal(fil_solid_mesh_read_below(vtk, inside, 1.0, &solid, &error), FIL_IO);
    assert_non_null(strstr(error.text, "it is not below a folder that may be used"));
    assert_int_equal(fil_mesh_read_below(stl, folder, 1.0, &mesh, &error), FIL_OK);
    assert_int_equal(mesh.vertex_count, 4);
    fil_mesh_free(&mesh);
    assert_int_equal(fil_solid_mesh_read_below(vtk, NULL, 1.0, &solid, &error), FIL_OK);
    assert_int_equal(solid.tet_count, 1);
    fil_solid_mesh_free(&solid);
}

static void links_that_change_lead_nowhere_else(void** state)
{
    (void)state;
    char inside[128];
    snprintf(inside, sizeof inside, "%s/inside", folder);
    for (int k = 0; k < CASES; k++) {
        enum { NEEDED = 100 };
        LinkSwapper swapper;
        assert_true(link_swapper_start(&swapper, inside, "sub", "other"));
        int read = 0, refused = 0;
        for (int tries = 0; (read < NEEDED || refused < NEEDED) && tries < 20000; tries++) {
            FilError error = {""};
            const double energy = load_from(k, "sub", &error);
            if (energy != 0.0) {
                assert_true(fabs(energy - cases[k].energy) < 1e-9);
                read++;
            } else {
                assert_non_null(strstr(error.text, "it is not below a folder that may be used"));
                refused++;
            }
        }
        if (link_swapper_stop(&swapper)) {
            assert_true(read >= NEEDED && refused >= NEEDED);
        }
        // as it was, for the next
        char a[160], b[160];
        struct stat about;
        snprintf(a, sizeof a, "%s/sub", inside);
        snprintf(b, sizeof b, "%s/other", inside);
        assert_int_equal(lstat(a, &about), 0);
        if (S_ISLNK(about.st_mode)) {
            assert_int_equal(unlink(a), 0);
            assert_int_equal(rename(b, a), 0);
            assert_int_equal(symlink("../outside", b), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_below_the_folders_are_read),
        cmocka_unit_test(meshes_below_folders),
        cmocka_unit_test(links_that_change_lead_nowhere_else),
    };
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
