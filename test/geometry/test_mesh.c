/* STL and OBJ files: what is read, what is merged, and what each refusal says. */
#include "geometry/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "geometry/hull.h"
#include "random_shapes.h"

// a tetrahedron with corners at the origin and on the axes, facing outwards
static const double corner[4][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
static const int facet[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static size_t stl_text(char* out, int facets)
{
    char* at = out + sprintf(out, "solid tetra\n");
    for (int f = 0; f < facets; f++) {
        at += sprintf(at, "facet normal 0 0 0\n  outer loop\n");
        for (int k = 0; k < 3; k++) {
            const double* p = corner[facet[f][k]];
            at += sprintf(at, "    vertex %g %g %g\n", p[0], p[1], p[2]);
        }
        at += sprintf(at, "  endloop\nendfacet\n");
    }
    at += sprintf(at, "endsolid tetra\n");
    return (size_t)(at - out);
}

static void put_u32(unsigned char* at, uint32_t value)
{
    for (int k = 0; k < 4; k++) {
        at[k] = (unsigned char)(value >> 8 * k);
    }
}

static void put_float(unsigned char* at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(at, bits);
}

static size_t stl_binary(unsigned char* out, int facets, const char* header)
{
    memset(out, 0, 84 + 50 * (size_t)facets);
    memcpy(out, header, strlen(header));
    put_u32(out + 80, (uint32_t)facets);
    for (int f = 0; f < facets; f++) {
        for (int k = 0; k < 9; k++) {
            put_float(out + 84 + 50 * f + 12 + 4 * k, (float)corner[facet[f % 4][k / 3]][k % 3]);
        }
    }
    return 84 + 50 * (size_t)facets;
}

static void check_tetrahedron(FilMesh* mesh, double scale)
{
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 4);
    assert_int_equal(fil_mesh_check_solid(mesh, "tetra", NULL), FIL_OK);
    // single precision, if the file is binary, holds 0 and 1 exactly
    assert_near(fil_mass_of_mesh(mesh).volume, scale * scale * scale / 6.0, 1e-15 * scale);
    fil_mesh_free(mesh);
}

static void stl_text_is_read(void** state)
{
    (void)state;
    char text[4096];
    FilMesh mesh;
    const size_t size = stl_text(text, 4);
    assert_int_equal(fil_mesh_read_stl("t.stl", text, size, 1.0, &mesh, NULL), FIL_OK);
    check_tetrahedron(&mesh, 1.0);
    assert_int_equal(fil_mesh_read_stl("t.stl", text, size, 1e-3, &mesh, NULL), FIL_OK);
    check_tetrahedron(&mesh, 1e-3);
}

static void stl_binary_is_read(void** state)
{
    (void)state;
    unsigned char bytes[512];
    FilMesh mesh;
    size_t size = stl_binary(bytes, 4, "made by a program");
    assert_int_equal(fil_mesh_read_stl("t.stl", bytes, size, 1.0, &mesh, NULL), FIL_OK);
    check_tetrahedron(&mesh, 1.0);
    // some programs start a binary header with "solid"
    size = stl_binary(bytes, 4, "solid but binary");
    assert_int_equal(fil_mesh_read_stl("t.stl", bytes, size, 1.0, &mesh, NULL), FIL_OK);
    check_tetrahedron(&mesh, 1.0);
}

static void obj_is_read(void** state)
{
    (void)state;
    static const char text[] =
        "# a cube of quads, with texture and normal indices, relative indices, and a group\r\n"
        "mtllib none.mtl\n"
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
        "v 0 0 1 1.0\nv 1 0 1 0.5 0.5 0.5\nv 1 1 1\nv 0 1 1\n"
        "vt 0 0\nvn 0 0 1\n"
        "g cube\n"
        "f 4 3 2 1\n"
        "f 5/1 6/1 7/1 8/1\n"
        "f 1//1 2//1 6//1 5//1\n"
        "f 2/1/1 3/1/1 7/1/1 6/1/1\n"
        "f -6 -5 -1 -2\n"
        "f 4 1 5 8";  // no newline at the end
    FilMesh mesh;
    FilError error;
    assert_int_equal(fil_mesh_read_obj("cube.obj", text, sizeof text - 1, 2.0, &mesh, &error), FIL_OK);
    assert_int_equal(mesh.vertex_count, 8);
    assert_int_equal(mesh.triangle_count, 12);
    assert_int_equal(fil_mesh_check_solid(&mesh, "cube", &error), FIL_OK);
    assert_near(fil_mass_of_mesh(&mesh).volume, 8.0, 1e-14);
    FilHull* hull;
    assert_int_equal(fil_hull_create(mesh.vertices, mesh.vertex_count, &hull, &error), FIL_OK);
    assert_int_equal(hull->face_count, 6);
    fil_hull_destroy(hull);
    fil_mesh_free(&mesh);
}

// ---- refusals ----

typedef FilStatus (*ReadFn)(const char* name, const void* bytes, size_t size, double scale, FilMesh* mesh, FilError* error);

static void refuse(ReadFn read, const void* bytes, size_t size, const char* message)
{
    FilMesh mesh;
    FilError error = {""};
    // an exact copy on the heap, so that reading past its end is caught
    void* copy = test_malloc(size + 1);
    memcpy(copy, bytes, size);
    assert_int_equal(read("bad", copy, size, 1.0, &mesh, &error), FIL_BAD_INPUT);
    if (strstr(error.text, message) == NULL) {
        fail_msg("expected \"%s\" in \"%s\"", message, error.text);
    }
    assert_null(mesh.vertices);
    assert_null(mesh.triangles);
    test_free(copy);
}

static void refuse_text(ReadFn read, const char* text, const char* message)
{
    refuse(read, text, strlen(text), message);
}

static void broken_stl_is_refused(void** state)
{
    (void)state;
    unsigned char bytes[512];
    refuse_text(fil_mesh_read_stl, "", "bad: the file is empty");
    refuse_text(fil_mesh_read_stl, "solid nothing\nendsolid\n", "no triangles");
    refuse_text(fil_mesh_read_stl, "solid\nfacet\nouter loop\nvertex 0 0\n", "bad:4: expected \"vertex x y z\"");
    refuse_text(fil_mesh_read_stl, "solid\nvertex 0 0 x\n", "bad:2: expected");
    refuse_text(fil_mesh_read_stl, "solid\nvertex 0 0 nan\n", "bad:2: a vertex is not finite");
    refuse_text(fil_mesh_read_stl, "solid\nvertex 1e999 0 0\n", "bad:2: a vertex is not finite");
    refuse_text(fil_mesh_read_stl, "solid\nvertex 0 0 0\nvertex 1 0 0\nendloop\n", "bad:4: a facet does not have three vertices");
    refuse_text(fil_mesh_read_stl, "solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n", "the text ends before \"endsolid\"");
    refuse_text(fil_mesh_read_stl, "solid\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 1 0\nendloop\nendsolid\n", "all triangles of the file are flat");
    refuse_text(fil_mesh_read_stl, "short", "too short for an STL header");
    size_t size = stl_binary(bytes, 4, "binary");
    refuse(fil_mesh_read_stl, bytes, size - 1, "truncated: 4 triangles need 284 bytes, the file has 283");
    put_u32(bytes + 80, 0xffffffffu);
    refuse(fil_mesh_read_stl, bytes, size, "announces 4294967295 triangles");
    put_u32(bytes + 80, 0);
    refuse(fil_mesh_read_stl, bytes, size, "no triangles");
    size = stl_binary(bytes, 4, "binary");
    put_u32(bytes + 84 + 50 + 12, 0x7fc00000u);
    refuse(fil_mesh_read_stl, bytes, size, "a vertex of triangle 2 is not finite");
}

static void broken_obj_is_refused(void** state)
{
    (void)state;
    refuse_text(fil_mesh_read_obj, "", "the file is empty");
    refuse_text(fil_mesh_read_obj, "# nothing\n", "no triangles");
    refuse_text(fil_mesh_read_obj, "v 1 2\n", "bad:1: expected \"v x y z\"");
    refuse_text(fil_mesh_read_obj, "v 1 2 inf\n", "bad:1: a vertex is not finite");
    refuse_text(fil_mesh_read_obj, "v 0 0 0\nv 1 0 0\nf 1 2\n", "bad:3: a face needs 3 to 254 vertices");
    refuse_text(fil_mesh_read_obj, "v 0 0 0\nf 1 2 3\n", "bad:2: \"2\" is not one of the 1 vertices so far");
    refuse_text(fil_mesh_read_obj, "v 0 0 0\nf 1 1 -2\n", "\"-2\" is not one of the 1");
    refuse_text(fil_mesh_read_obj, "v 0 0 0\nf 0 1 1\n", "\"0\" is not one of");
    refuse_text(fil_mesh_read_obj, "v 0 0 0\nf 1x 1 1\n", "\"1x\" is not one of");
    refuse_text(fil_mesh_read_obj, "v 0 0 0\nf 99999999999999999999 1 1\n", "is not one of");
    refuse_text(fil_mesh_read_obj, "v 0 0 0\nf 1 1 1\n", "all triangles of the file are flat");
    // a line that no face could need
    char* line = test_malloc(20001);
    memset(line, '1', 20000);
    line[20000] = '\0';
    memcpy(line, "f ", 2);
    refuse_text(fil_mesh_read_obj, line, "bad:1: the line is too long");
    test_free(line);
}

static void a_bad_scale_is_refused(void** state)
{
    (void)state;
    FilMesh mesh;
    FilError error;
    char text[4096];
    const size_t size = stl_text(text, 4);
    assert_int_equal(fil_mesh_read_stl("t.stl", text, size, 0.0, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "the scale 0 is not a positive number"));
    assert_int_equal(fil_mesh_read_obj("t.obj", text, size, NAN, &mesh, &error), FIL_BAD_INPUT);
}

static void open_and_inverted_meshes_are_distinguished(void** state)
{
    (void)state;
    FilMesh mesh;
    FilError error;
    char text[4096];
    size_t size = stl_text(text, 3);
    assert_int_equal(fil_mesh_read_stl("open.stl", text, size, 1.0, &mesh, &error), FIL_OK);
    assert_int_equal(fil_mesh_check_solid(&mesh, "open.stl", &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "open.stl: a solid needs at least 4 triangles, not 3"));
    fil_mesh_free(&mesh);

    // a pyramid without its base
    static const char open[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\n"
        "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n";
    assert_int_equal(fil_mesh_read_obj("open.obj", open, sizeof open - 1, 1.0, &mesh, &error), FIL_OK);
    assert_int_equal(fil_mesh_check_solid(&mesh, "open.obj", &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "open.obj: the mesh is not closed: 1 triangle"));
    fil_mesh_free(&mesh);

    size = stl_text(text, 4);
    assert_int_equal(fil_mesh_read_stl("in.stl", text, size, 1.0, &mesh, &error), FIL_OK);
    int* t = mesh.triangles;
    const int kept = t[0];
    t[0] = t[1];
    t[1] = kept;
    assert_int_equal(fil_mesh_check_solid(&mesh, "in.stl", &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "face opposite ways"));
    for (int f = 1; f < 4; f++) {
        const int first = t[3 * f];
        t[3 * f] = t[3 * f + 1];
        t[3 * f + 1] = first;
    }
    assert_int_equal(fil_mesh_check_solid(&mesh, "in.stl", &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "in.stl: the mesh is inside out"));
    fil_mesh_free(&mesh);
}

static void files_are_known_by_their_ending(void** state)
{
    (void)state;
    FilMesh mesh;
    FilError error;
    char folder[] = "/tmp/filum_mesh_XXXXXX", path[64], text[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/part.STL", folder);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    const size_t size = stl_text(text, 4);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
    assert_int_equal(fil_mesh_read(path, 1.0, &mesh, &error), FIL_OK);
    check_tetrahedron(&mesh, 1.0);
    FilHull* hull;
    assert_int_equal(fil_hull_read(path, 1.0, &hull, &error), FIL_OK);
    assert_int_equal(hull->face_count, 4);
    fil_hull_destroy(hull);
    remove(path);
    assert_int_equal(fil_hull_read(path, 1.0, &hull, &error), FIL_IO);
    assert_null(hull);
    assert_int_equal(fil_mesh_read(path, 1.0, &mesh, &error), FIL_IO);
    assert_non_null(strstr(error.text, "cannot be opened"));
    assert_int_equal(fil_mesh_read("/tmp/part.step", 1.0, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "mesh files end in .stl or .obj"));
    // a folder that is called like a file
    snprintf(path, sizeof path, "%s/folder.obj", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_not_equal(fil_mesh_read(path, 1.0, &mesh, &error), FIL_OK);
    rmdir(path);
    rmdir(folder);
}

// random bytes and cuts of good files: any answer but a crash
static void noise_never_crashes(void** state)
{
    (void)state;
    Random random = {51};
    char text[4096];
    for (int n = 0; n < 2000; n++) {
        size_t size = n % 2 ? stl_text(text, 4) : stl_binary((unsigned char*)text, 6, "noise");
        for (int k = 0; k < 5; k++) {
            text[random_bits(&random) % size] = (char)random_bits(&random);
        }
        size = n % 3 ? size : random_bits(&random) % size;
        char* copy = test_malloc(size + 1);
        memcpy(copy, text, size);
        FilMesh mesh;
        const FilStatus status =
            n % 5 ? fil_mesh_read_stl("noise", copy, size, 1.0, &mesh, NULL) : fil_mesh_read_obj("noise", copy, size, 1.0, &mesh, NULL);
        if (status == FIL_OK) {
            for (int k = 0; k < 3 * mesh.triangle_count; k++) {
                assert_in_range(mesh.triangles[k], 0, mesh.vertex_count - 1);
            }
        }
        fil_mesh_free(&mesh);
        test_free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stl_text_is_read),
        cmocka_unit_test(stl_binary_is_read),
        cmocka_unit_test(obj_is_read),
        cmocka_unit_test(broken_stl_is_refused),
        cmocka_unit_test(broken_obj_is_refused),
        cmocka_unit_test(a_bad_scale_is_refused),
        cmocka_unit_test(open_and_inverted_meshes_are_distinguished),
        cmocka_unit_test(files_are_known_by_their_ending),
        cmocka_unit_test(noise_never_crashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
