#include "geometry/field_mesh.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct Grid {
    int size[3]; /* points along each axis */
    double origin[3], step;
    double* depth; /* m, per point */
} Grid;

static int point_of(const Grid* grid, int x, int y, int z)
{
    return (x * grid->size[1] + y) * grid->size[2] + z;
}

static void place(const Grid* grid, int x, int y, int z, double* out)
{
    fil_v3_set(out, grid->origin[0] + grid->step * x, grid->origin[1] + grid->step * y, grid->origin[2] + grid->step * z);
}

// a grid around the box, with the layer outside it and one step to spare
static FilStatus lay(Grid* grid, const FilAabb* box, const FilFieldDef* def, FilError* error)
{
    double points = 1.0;
    grid->step = def->resolution;
    for (int k = 0; k < 3; k++) {
        const double around = def->margin + 0.5 * grid->step;
        const double cubes = ceil((box->hi[k] - box->lo[k] + 2.0 * around) / grid->step);
        points *= cubes + 1.0;
        // far beyond the bound on points, which refuses it below; an int in any case
        grid->size[k] = cubes < 1e6 ? (int)cubes + 1 : 1000000;
        grid->origin[k] = 0.5 * (box->lo[k] + box->hi[k] - cubes * grid->step);
    }
    if (!(points <= FIL_FIELD_MAX_GRID)) {
        return fil_error(error, FIL_BAD_INPUT, "a resolution of %g m needs %.3g grid points for this mesh, more than %d: make it coarser",
                         def->resolution, points, FIL_FIELD_MAX_GRID);
    }
    grid->depth = fil_alloc((size_t)points, sizeof(double));
    return grid->depth != NULL ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "no memory for %g grid points", points);
}

// depths of all points; returns the largest
static double measure(Grid* grid, const FilBoundary* boundary)
{
    double deepest = 0.0;
    for (int x = 0; x < grid->size[0]; x++) {
        for (int y = 0; y < grid->size[1]; y++) {
            for (int z = 0; z < grid->size[2]; z++) {
                double p[3], normal[3];
                place(grid, x, y, z, p);
                const double depth = -fil_boundary_distance(boundary, p, normal);
                grid->depth[point_of(grid, x, y, z)] = depth;
                deepest = fmax(deepest, depth);
            }
        }
    }
    return deepest;
}

// six tetrahedra around the diagonal of a cube: one for each order in which its axes are walked (Kuhn)
static FilStatus add_cube(FilField* field, const Grid* grid, int x, int y, int z)
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const double slope = field->modulus / field->depth;
    FilStatus status = FIL_OK;
    for (int t = 0; t < 6 && status == FIL_OK; t++) {
        int at[3] = {x, y, z};
        double corner[4][3], pressure[4], highest = -HUGE_VAL;
        for (int k = 0; k < 4; k++) {
            place(grid, at[0], at[1], at[2], corner[k]);
            const double depth = grid->depth[point_of(grid, at[0], at[1], at[2])];
            pressure[k] = slope * depth;
            highest = fmax(highest, depth);
            if (k < 3) {
                at[orders[t][k]]++;
            }
        }
        if (highest > -field->margin) {
            status = fil_field_add_cell(field, (const double* const[4]){corner[0], corner[1], corner[2], corner[3]}, pressure);
        }
    }
    return status;
}

FilStatus fil_field_of_boundary(const FilBoundary* boundary, const FilFieldDef* def, FilField* field, FilError* error)
{
    Grid grid = {0};
    *field = (FilField){0};
    if (boundary->count == 0) {
        return fil_error(error, FIL_BAD_INPUT, "a pressure field on a grid needs the triangles of a closed surface");
    }
    FilStatus status = fil_field_begin(def, 0.0, field, error);
    status = status == FIL_OK ? lay(&grid, &boundary->tree.nodes[0].box, def, error) : status;
    if (status == FIL_OK) {
        field->depth = measure(&grid, boundary);
        if (!(field->depth > 0.0)) {
            status = fil_error(error, FIL_BAD_INPUT, "no grid point lies inside the mesh at a resolution of %g m: make it finer", def->resolution);
        }
    }
    for (int x = 0; x + 1 < grid.size[0] && status == FIL_OK; x++) {
        for (int y = 0; y + 1 < grid.size[1] && status == FIL_OK; y++) {
            for (int z = 0; z + 1 < grid.size[2] && status == FIL_OK; z++) {
                status = add_cube(field, &grid, x, y, z);
            }
        }
    }
    status = status == FIL_OK ? fil_field_finish(field) : status;
    fil_free(grid.depth);
    if (status == FIL_OUT_OF_MEMORY) {
        status = fil_error(error, status, "no memory for the pressure field of a mesh");
    }
    if (status != FIL_OK) {
        fil_field_free(field);
    }
    return status;
}
