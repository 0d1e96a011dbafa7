/* Worlds with one solid of random inner vertices, for tests. */
#ifndef TEST_SOLID_BLOCKS_H
#define TEST_SOLID_BLOCKS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "random.h"

/* all laws with the same Lame constants at rest: E = 1e4 Pa, nu = 0.3 */
static inline FilSolidDef block_material(FilSolidModel model)
{
    FilSolidDef def = fil_solid_def_default();
    const double young = 1e4, poisson = 0.3, mu = young / (2.0 * (1.0 + poisson));
    def.model = model;
    def.young = young;
    def.poisson = poisson;
    def.c1 = 0.3 * mu;
    def.c2 = 0.2 * mu;
    def.bulk = young / (3.0 * (1.0 - 2.0 * poisson));
    def.density = 1000.0;
    return def;
}

/* an irregular mesh of a box: inner vertices moved by a fifth of a cell */
static inline FilSolidMesh block_mesh(const double size[3], const int cells[3], uint64_t seed)
{
    FilSolidMesh mesh;
    FilError error;
    Random random = {seed};
    assert_int_equal(fil_solid_mesh_brick(size, cells, 1, &mesh, &error), FIL_OK);
    for (int i = 0; i < mesh.vertex_count && seed != 0; i++) {
        double* x = mesh.vertices + 3 * i;
        bool inner = true;
        for (int k = 0; k < 3; k++) {
            inner = inner && fabs(x[k]) < 0.5 * size[k] * (1.0 - 1e-9);
        }
        for (int k = 0; k < 3 && inner; k++) {
            x[k] += random_between(&random, -0.2, 0.2) * size[k] / cells[k];
        }
    }
    return mesh;
}

static inline FilWorld* block_world(FilWorldDef def)
{
    FilWorld* world;
    FilError error;
    def.newton_tolerance = 1e-12;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_OK);
    return world;
}

static inline FilId block_add(FilWorld* world, FilSolidDef def, const FilSolidMesh* mesh)
{
    FilId id;
    def.vertex_count = mesh->vertex_count;
    def.vertices = mesh->vertices;
    def.tet_count = mesh->tet_count;
    def.tets = mesh->tets;
    if (fil_world_add_solid(world, &def, &id) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
    return id;
}

static inline void block_pin(FilWorld* world, FilId solid, int vertex)
{
    FilId id;
    FilAttachmentDef pin = fil_attachment_def_default();
    pin.object = solid;
    pin.first = vertex;
    assert_int_equal(fil_world_add_attachment(world, &pin, &id), FIL_OK);
}

static inline void block_step(FilWorld* world, FilStepInfo* info)
{
    if (fil_world_step(world, info) != FIL_OK) {
        fail_msg("%s", fil_world_error(world));
    }
}

#endif
