/* What must hold for every tetrahedral mesh. */
#ifndef TEST_TET_CHECKS_H
#define TEST_TET_CHECKS_H

#include "geometry/mass.h"
#include "geometry/mesh.h"
#include "geometry/tet_quality.h"
#include "random_shapes.h"

#define DEGREE (FIL_PI / 180.0)

/* Neighbours know each other, the surface is closed, faces outwards and holds the volume of the elements, links are
 * those of the elements; returns the quality. */
static inline FilTetQuality check_tet_mesh(const FilTetMesh* mesh)
{
    FilTetQuality quality;
    assert_int_equal(fil_tet_mesh_quality(mesh, &quality, NULL), FIL_OK);
    assert_true(quality.min_volume > 0.0);
    assert_near(quality.volume, fil_tet_mesh_volume(mesh), 1e-11 * quality.volume);  // sums of 1e5 terms
    int open = 0;
    for (int t = 0; t < mesh->tet_count; t++) {
        for (int k = 0; k < 4; k++) {
            const int other = mesh->neighbours[4 * t + k];
            int back = 0;
            for (int j = 0; other >= 0 && j < 4; j++) {
                back += mesh->neighbours[4 * other + j] == t ? 1 : 0;
            }
            assert_int_equal(back, other >= 0 ? 1 : 0);
            open += other < 0 ? 1 : 0;
            // every edge is a link, both ways
            for (int j = 0; j < 4; j++) {
                const int v = mesh->tets[4 * t + k], w = mesh->tets[4 * t + j];
                int found = 0;
                for (int i = mesh->link_start[v]; i < mesh->link_start[v + 1]; i++) {
                    found += mesh->links[i] == w ? 1 : 0;
                    assert_true(i == mesh->link_start[v] || mesh->links[i] > mesh->links[i - 1]);
                }
                assert_int_equal(found, j == k ? 0 : 1);
            }
        }
    }
    assert_int_equal(open, mesh->triangle_count);
    const FilMesh surface = {mesh->vertex_count, mesh->triangle_count, mesh->vertices, mesh->triangles};
    assert_near(fil_mass_of_mesh(&surface).volume, quality.volume, 1e-11 * quality.volume);
    if (quality.touching_edges == 0) {
        assert_int_equal(fil_mesh_check_solid(&surface, "surface", NULL), FIL_OK);
    }
    for (int k = 0; k < mesh->triangle_count; k++) {
        const int* tet = mesh->tets + 4 * mesh->triangle_tets[k];
        for (int c = 0; c < 3; c++) {
            const int v = mesh->triangles[3 * k + c];
            assert_true(v == tet[0] || v == tet[1] || v == tet[2] || v == tet[3]);
        }
    }
    return quality;
}

#endif
