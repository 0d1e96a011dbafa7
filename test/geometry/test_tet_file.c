/* VTK and Gmsh files of tetrahedra: what is read, and what each refusal says. */
#include "geometry/tet_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tet_checks.h"

#define VTK_HEAD "# vtk DataFile Version 3.0\ntwo elements\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define VTK_POINTS "POINTS 5 double\n0 0 0 1 0 0 0 1 0\n0 0 1\n1 1 1\n"
#define VTK_CELLS "CELLS 3 14\n4 0 1 2 3\n4 1 2 3 4\n3 0 1 2\nCELL_TYPES 3\n10\n10\n5\n"
#define MSH2_HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"all of it\"\n$EndPhysicalNames\n"
#define MSH2_NODES "$Nodes\n5\n1 0 0 0\n70 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
#define MSH2_ELEMENTS "$Elements\n3\n1 2 2 0 1 1 70 3\n2 4 2 0 1 1 70 3 4\n3 4 0 70 3 4 5\n$EndElements\n"
#define MSH4_HEAD "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 0 0\n$EndEntities\n"
#define MSH4_NODES "$Nodes\n2 5 1 9\n2 -1 1 1\n9\n1 1 1 0.5 0.5\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"
#define MSH4_ELEMENTS "$Elements\n2 3 1 3\n2 1 2 1\n1 1 2 3\n3 1 4 2\n2 1 2 3 4\n3 2 3 4 9\n$EndElements\n"

typedef FilStatus (*Read)(const char* name, const void* bytes, size_t size, double scale, FilTetMesh* mesh, FilError* error);

/* the unit corner and the element on its slanted face, scaled */
static void assert_two_elements(Read read, const char* text, double scale)
{
    FilTetMesh mesh;
    FilError error = {""};
    if (read("two", text, strlen(text), scale, &mesh, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.tet_count, 2);
    assert_near(check_tet_mesh(&mesh).volume, 0.5 * scale * scale * scale, 1e-15);
    fil_tet_mesh_free(&mesh);
}

static void both_forms_of_vtk(void** state)
{
    (void)state;
    assert_two_elements(fil_tet_read_vtk, VTK_HEAD VTK_POINTS VTK_CELLS, 1.0);
    assert_two_elements(fil_tet_read_vtk, VTK_HEAD VTK_POINTS VTK_CELLS "POINT_DATA 5\nSCALARS a double\n", 0.1);
    // types before cells, and carriage returns
    assert_two_elements(fil_tet_read_vtk,
                        "# vtk DataFile Version 2.0\r\n\r\nASCII\r\nDATASET UNSTRUCTURED_GRID\r\nCELL_TYPES 2\r\n10 10\r\n"
                        "CELLS 2 10\r\n4 0 1 2 3 4\r\n1 2 3 4\r\n" VTK_POINTS,
                        1.0);
    assert_two_elements(fil_tet_read_vtk,
                        VTK_HEAD VTK_POINTS
                        "METADATA\nINFORMATION 0\n\nCELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n"
                        "0 1 2 3\n1 2 3 4\nCELL_TYPES 2\n10\n10\n",
                        1.0);
}

static void both_versions_of_gmsh(void** state)
{
    (void)state;
    assert_two_elements(fil_tet_read_gmsh, MSH2_HEAD MSH2_NODES MSH2_ELEMENTS, 1.0);
    assert_two_elements(fil_tet_read_gmsh, MSH4_HEAD MSH4_NODES MSH4_ELEMENTS, 0.1);
}

static void assert_refused(Read read, const char* text, const char* what)
{
    FilTetMesh mesh;
    FilError error = {""};
    assert_int_equal(read("f", text, strlen(text), 1.0, &mesh, &error), FIL_BAD_INPUT);
    if (strstr(error.text, what) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, what);
    }
    assert_null(mesh.tets);
}

static void bad_vtk_is_refused(void** state)
{
    (void)state;
    const Read read = fil_tet_read_vtk;
    assert_refused(read, "", "f: the file is empty");
    assert_refused(read, "solid x\n", "f:1: expected \"# vtk DataFile");
    assert_refused(read, "# vtk DataFile Version 3.0\nx\n", "f:2: the file ends in its head");
    assert_refused(read, "# vtk DataFile Version 3.0\nx\nBINARY\n", "f:3: binary files are not read");
    assert_refused(read, "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n", "f:4: expected \"DATASET UNSTRUCTURED_GRID\"");
    assert_refused(read, VTK_HEAD "POINTS -1 double\n", "f:5: \"-1\" is not the number of points");
    assert_refused(read, VTK_HEAD "POINTS 2 double\n0 0 0\n1 x 0\n", "f:7: \"x\" is not a coordinate");
    assert_refused(read, VTK_HEAD "POINTS 2 double\n0 0 0\n1 inf 0\n", "f:7: \"inf\" is not a coordinate: a finite");
    assert_refused(read, VTK_HEAD "POINTS 2 double\n0 0 0\n", "f:7: the file ends where a coordinate should be");
    assert_refused(read, VTK_HEAD VTK_POINTS, "f: the file has no CELLS");
    assert_refused(read, VTK_HEAD VTK_POINTS VTK_POINTS, "f:9: there is a second POINTS");
    assert_refused(read, VTK_HEAD VTK_POINTS "LINES 1 2\n", "f:9: \"LINES\" is not a section");
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10\n10\n", "f: there are 1 cells, but types of 2");
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 1 4\n4 0 1 2\nCELL_TYPES 1\n10\n", "f: cell 1 reaches beyond the list of cells");
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", "f:10: a tetrahedron has 3 vertices, not 4");
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 1 6\n5 0 1 2 3 4\nCELL_TYPES 1\n14\n", "f:10: a cell of type 14: only linear tetrahedra");
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 2 4\nOFFSETS x\n0 4\nPOINTS\n", "f:12: expected \"CONNECTIVITY\"");
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 2 4\nOFFSETS x\n0 9\nCONNECTIVITY x\n0 1 2 3\nCELL_TYPES 1\n10\n", "f: cell 1 reaches beyond");
    // faults of the mesh name the line of the element
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 2 10\n4 0 1 2 3\n4 1 3 2 4\nCELL_TYPES 2\n10\n10\n", "f:11: element 2 is inverted");
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 2 10\n4 0 1 2 3\n4 1 3 2 5\nCELL_TYPES 2\n10\n10\n",
                   "f:11: element 2 has the vertex 6, but there are only 5");
    assert_refused(read, VTK_HEAD VTK_POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n", "f: vertex 5 at (1, 1, 1) belongs");
}

static void bad_gmsh_is_refused(void** state)
{
    (void)state;
    const Read read = fil_tet_read_gmsh;
    assert_refused(read, "x", "f:1: expected \"$MeshFormat\"");
    assert_refused(read, "$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", "f:2: version 3.0 is not read: save it as 4.1 or 2.2");
    assert_refused(read, "$MeshFormat\n4.1 1 8\n", "f:2: binary files are not read");
    assert_refused(read, MSH2_HEAD, "f: the file has no $Nodes");
    assert_refused(read, MSH2_HEAD MSH2_NODES, "f: the file has no $Elements");
    assert_refused(read, MSH2_HEAD MSH2_ELEMENTS, "f:8: $Elements come before $Nodes");
    assert_refused(read, MSH2_HEAD MSH2_NODES MSH2_NODES, "f:16: there is a second $Nodes");
    assert_refused(read, MSH2_HEAD "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "f:11: node 1 was there before");
    assert_refused(read, MSH2_HEAD "$Nodes\n1\n1 0 0 0\n$EndElements\n", "f:11: expected \"$EndNodes\"");
    assert_refused(read, MSH2_HEAD "$Comment\nno end\n", "f:8: the section \"$Comment\" does not end");
    assert_refused(read, MSH2_HEAD "Nodes\n", "f:8: \"Nodes\" is not the beginning of a section");
    assert_refused(read, MSH2_HEAD MSH2_NODES "$Elements\n1\n1 11 0 1 2\n$EndElements\n", "f:18: an element of type 11: only linear tetrahedra");
    assert_refused(read, MSH2_HEAD MSH2_NODES "$Elements\n1\n1 4 0 1 70 3 6\n$EndElements\n", "f:18: there is no node 6");
    assert_refused(read, MSH2_HEAD MSH2_NODES "$Elements\n1\n1 4 0 1 70\n", "f:19: the file ends where a node of an");
    assert_refused(read, MSH4_HEAD MSH4_NODES "$Elements\n1 1 1 1\n3 1 5 1\n", "an element of type 5: only");
    assert_refused(read, MSH4_HEAD "$Nodes\n1 1 1 1\n4 1 0 1\n", "f:10: \"4\" is not the dimension of a block");
    assert_refused(read, MSH2_HEAD MSH2_NODES "$Elements\n2\n2 4 0 1 70 3 4\n3 4 0 70 4 3 5\n$EndElements\n", "f:19: element 2 is inverted");
}

static void files_by_their_ending(void** state)
{
    (void)state;
    char folder[] = "/tmp/filum_tet_XXXXXX", path[64];
    FilTetMesh mesh;
    FilError error;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/two.MSH", folder);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(MSH4_HEAD MSH4_NODES MSH4_ELEMENTS, file);
    fclose(file);
    assert_int_equal(fil_tet_read(path, NULL, 1.0, &mesh, &error), FIL_OK);
    assert_int_equal(mesh.tet_count, 2);
    fil_tet_mesh_free(&mesh);
    assert_int_equal(fil_tet_read(path, NULL, -1.0, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "the scale -1 is not"));
    remove(path);
    assert_int_equal(fil_tet_read(path, NULL, 1.0, &mesh, &error), FIL_IO);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(fil_tet_read("x.stl", NULL, 1.0, &mesh, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "end in .vtk or .msh"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_of_vtk),   cmocka_unit_test(both_versions_of_gmsh), cmocka_unit_test(bad_vtk_is_refused),
        cmocka_unit_test(bad_gmsh_is_refused), cmocka_unit_test(files_by_their_ending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
