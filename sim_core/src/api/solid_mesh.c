/* Meshes of solids: the public face of tetrahedra in geometry. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "filum/solid.h"
#include "geometry/tet_brick.h"
#include "geometry/tet_file.h"
#include "geometry/tet_stuff.h"

void fil_solid_mesh_free(FilSolidMesh* mesh)
{
    fil_free(mesh->vertices);
    fil_free(mesh->tets);
    *mesh = (FilSolidMesh){0};
}

/* Vertices and elements change hands; neighbours and the surface are found again by whoever simulates them. */
static FilStatus hand_over(FilStatus status, FilTetMesh* from, FilSolidMesh* to)
{
    *to = (FilSolidMesh){0};
    if (status == FIL_OK) {
        *to = (FilSolidMesh){from->vertex_count, from->tet_count, from->vertices, from->tets};
        from->vertices = NULL;
        from->tets = NULL;
    }
    fil_tet_mesh_free(from);
    return status;
}

static FilImplicitPart part_of(const FilSolidPart* part)
{
    static const FilImplicitKind kinds[FIL_SOLID_SHAPE_COUNT] = {
        [FIL_SOLID_BALL] = FIL_IMPLICIT_BALL,           [FIL_SOLID_BOX] = FIL_IMPLICIT_BOX,     [FIL_SOLID_CYLINDER] = FIL_IMPLICIT_CYLINDER,
        [FIL_SOLID_ELLIPSOID] = FIL_IMPLICIT_ELLIPSOID, [FIL_SOLID_TORUS] = FIL_IMPLICIT_TORUS,
    };
    const FilQuat q = part->orientation;
    const bool none = q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && q.w == 0.0;
    FilImplicitPart out = {.kind = kinds[part->shape],
                           .pose.p = {part->position.x, part->position.y, part->position.z},
                           .size = {part->size[0], part->size[1], part->size[2]}};
    fil_m3_from_quat(out.pose.r, none ? (FilQuat){0.0, 0.0, 0.0, 1.0} : q);
    return out;
}

FilStatus fil_solid_mesh_blend(const FilSolidBlend* blend, FilSolidMesh* mesh, FilError* error)
{
    FilTetMesh made = {0};
    const FilSolidPart* parts = blend->parts;
    const int part_count = blend->part_count;
    const double spacing = blend->spacing;
    *mesh = (FilSolidMesh){0};
    if (part_count < 1 || !(spacing > 0.0) || !isfinite(spacing)) {
        return fil_error(error, FIL_BAD_INPUT, "a mesh needs at least one part and a positive spacing, not %d and %g", part_count, spacing);
    }
    FilImplicitPart* inner = fil_alloc((size_t)part_count, sizeof *inner);
    if (inner == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    FilStatus status = FIL_OK;
    for (int k = 0; k < part_count && status == FIL_OK; k++) {
        if ((int)parts[k].shape < 0 || parts[k].shape >= FIL_SOLID_SHAPE_COUNT) {
            status = fil_error(error, FIL_BAD_INPUT, "part %d has no such shape: %d", k + 1, (int)parts[k].shape);
        } else {
            inner[k] = part_of(&parts[k]);
        }
    }
    if (status == FIL_OK) {
        const FilImplicit implicit = {.parts = inner,
                                      .part_count = part_count,
                                      .blend = blend->rounding,
                                      .cut_normal = {blend->cut.x, blend->cut.y, blend->cut.z},
                                      .cut_offset = blend->cut_offset};
        status = fil_tet_stuff_implicit(&implicit, spacing, "mesh", &made, error);
    }
    fil_free(inner);
    return hand_over(status, &made, mesh);
}

FilStatus fil_solid_mesh_fill(const FilMesh* surface, double spacing, FilSolidMesh* mesh, FilError* error)
{
    FilTetMesh made = {0};
    FilMeshDistance* distance = NULL;
    *mesh = (FilSolidMesh){0};
    if (!(spacing > 0.0) || !isfinite(spacing)) {
        return fil_error(error, FIL_BAD_INPUT, "a mesh needs a positive spacing, not %g", spacing);
    }
    FilStatus status = fil_mesh_distance_create(surface, "surface", &distance, error);
    if (status == FIL_OK) {
        const FilImplicitPart part = {.kind = FIL_IMPLICIT_MESH, .pose = fil_pose_identity(), .mesh = distance};
        const FilImplicit implicit = {.parts = &part, .part_count = 1};
        status = fil_tet_stuff_implicit(&implicit, spacing, "surface", &made, error);
    }
    fil_mesh_distance_destroy(distance);
    return hand_over(status, &made, mesh);
}

FilStatus fil_solid_mesh_hollow_brick(const double size[3], const int cells[3], int split, const FilSolidHollow* hollows, int hollow_count,
                                      FilSolidMesh* mesh, FilError* error)
{
    FilTetMesh made = {0};
    *mesh = (FilSolidMesh){0};
    if (split < 0 || split >= FIL_TET_SPLIT_COUNT) {
        return fil_error(error, FIL_BAD_INPUT, "cells are split in one of %d ways, not %d", FIL_TET_SPLIT_COUNT, split);
    }
    FilTetHollow* inner = fil_alloc((size_t)(hollow_count > 0 ? hollow_count : 0), sizeof *inner);
    if (hollow_count > 0 && inner == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    for (int h = 0; h < hollow_count; h++) {
        for (int k = 0; k < 3; k++) {
            inner[h].from[k] = hollows[h].from[k];
            inner[h].to[k] = hollows[h].to[k];
        }
    }
    const FilStatus status = fil_tet_hollow_brick(size, cells, (FilTetSplit)split, inner, hollow_count, &made, error);
    fil_free(inner);
    return hand_over(status, &made, mesh);
}

FilStatus fil_solid_mesh_brick(const double size[3], const int cells[3], int split, FilSolidMesh* mesh, FilError* error)
{
    return fil_solid_mesh_hollow_brick(size, cells, split, NULL, 0, mesh, error);
}

FilStatus fil_solid_mesh_voussoir(double radius, double thickness, double depth, double from, double to, const int cells[3], FilSolidMesh* mesh,
                                  FilError* error)
{
    FilTetMesh made = {0};
    const FilTetVoussoir voussoir = {radius, thickness, depth, from, to, {cells[0], cells[1], cells[2]}, FIL_TET_SPLIT_SIX};
    return hand_over(fil_tet_voussoir(&voussoir, &made, error), &made, mesh);
}

FilStatus fil_solid_mesh_belt(double radius, double distance, double thickness, double width, const int cells[3], FilSolidMesh* mesh, FilError* error)
{
    FilTetMesh made = {0};
    const FilTetBelt belt = {radius, distance, thickness, width, {cells[0], cells[1], cells[2]}};
    return hand_over(fil_tet_belt(&belt, &made, error), &made, mesh);
}

FilStatus fil_solid_mesh_disc(double radius, double length, int rings, int layers, FilSolidMesh* mesh, FilError* error)
{
    FilTetMesh made = {0};
    return hand_over(fil_tet_disc(radius, length, rings, layers, &made, error), &made, mesh);
}

FilStatus fil_solid_mesh_read(const char* path, double scale, FilSolidMesh* mesh, FilError* error)
{
    return fil_solid_mesh_read_below(path, NULL, scale, mesh, error);
}

FilStatus fil_solid_mesh_read_below(const char* path, const char* folders, double scale, FilSolidMesh* mesh, FilError* error)
{
    FilTetMesh made = {0};
    return hand_over(fil_tet_read(path, folders, scale, &made, error), &made, mesh);
}
