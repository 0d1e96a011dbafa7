#include "geometry/tet_brick.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

/* Cells of a box and the numbers of their vertices. Corners come first, then centres of cells, then of faces across x,
 * y and z; the latter only in symmetric boxes. */
typedef struct Grid {
    int cells[3];
    FilTetSplit split;
    bool closed;                    /* the last cells along x meet the first; not in symmetric boxes */
    int corners, centres, faces[3]; /* how many */
} Grid;

static int corner_number(const Grid* g, int i, int j, int k)
{
    return ((g->closed ? i % g->cells[0] : i) * (g->cells[1] + 1) + j) * (g->cells[2] + 1) + k;
}

static int centre_number(const Grid* g, int i, int j, int k)
{
    return g->corners + (i * g->cells[1] + j) * g->cells[2] + k;
}

// the face of the cell i, j, k across `axis` on its low side
static int face_number(const Grid* g, int axis, int i, int j, int k)
{
    const int ny = g->cells[1] + (axis == 1 ? 1 : 0), nz = g->cells[2] + (axis == 2 ? 1 : 0);
    int number = g->corners + g->centres;
    for (int a = 0; a < axis; a++) {
        number += g->faces[a];
    }
    return number + (i * ny + j) * nz + k;
}

static FilStatus check_cells(const int* cells, FilTetSplit split, FilError* error)
{
    // a cell by corners alone in five or six; by its centre and those of its six faces in 24
    static const double elements[FIL_TET_SPLIT_COUNT] = {5.0, 6.0, 24.0};
    double count = 1.0;
    for (int k = 0; k < 3; k++) {
        if (cells[k] < 1) {
            return fil_error(error, FIL_BAD_INPUT, "a box of %d x %d x %d cells: there must be at least one each way", cells[0], cells[1], cells[2]);
        }
        count *= cells[k];
    }
    FIL_ASSERT(split >= 0 && split < FIL_TET_SPLIT_COUNT);
    // eight a cell: a bound, as cells share corners
    if (count * elements[split] > FIL_TET_MAX_TETS || 8.0 * count > FIL_TET_MAX_VERTICES) {
        return fil_error(error, FIL_BAD_INPUT, "a box of %d x %d x %d cells has too many elements", cells[0], cells[1], cells[2]);
    }
    return FIL_OK;
}

static Grid make_grid(const int* cells, FilTetSplit split, bool closed)
{
    Grid g = {.split = split, .closed = closed};
    memcpy(g.cells, cells, sizeof g.cells);
    g.corners = (cells[0] + (closed ? 0 : 1)) * (cells[1] + 1) * (cells[2] + 1);
    g.centres = split == FIL_TET_SPLIT_SYMMETRIC ? cells[0] * cells[1] * cells[2] : 0;
    for (int axis = 0; axis < 3 && g.centres > 0; axis++) {
        g.faces[axis] = g.centres / cells[axis] * (cells[axis] + 1);
    }
    return g;
}

/* A vertex at the cell coordinates (i, j, k)/2, mapped by its owner. */
typedef void (*Map)(const void* context, const double* unit, double* out);

static bool add_mapped(FilTetBuilder* b, const Grid* g, const int* twice, Map map, const void* context)
{
    double unit[3], p[3];
    for (int a = 0; a < 3; a++) {
        // symmetric about zero to the bit
        unit[a] = (double)(twice[a] - g->cells[a]) / (2.0 * g->cells[a]);
    }
    map(context, unit, p);
    return fil_tet_builder_add_vertex(b, p);
}

// all vertices with steps of whole cells, moved by half a cell along the axes of `half`
static bool add_lattice(FilTetBuilder* b, const Grid* g, const int* half, Map map, const void* context)
{
    bool ok = true;
    for (int i = half[0]; ok && i <= 2 * g->cells[0] - (g->closed ? 1 : 0); i += 2) {
        for (int j = half[1]; ok && j <= 2 * g->cells[1]; j += 2) {
            for (int k = half[2]; ok && k <= 2 * g->cells[2]; k += 2) {
                ok = add_mapped(b, g, (const int[3]){i, j, k}, map, context);
            }
        }
    }
    return ok;
}

static bool add_vertices(FilTetBuilder* b, const Grid* g, Map map, const void* context)
{
    static const int lattices[5][3] = {{0, 0, 0}, {1, 1, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}};
    bool ok = true;
    for (int l = 0; ok && l < (g->centres > 0 ? 5 : 1); l++) {
        ok = add_lattice(b, g, lattices[l], map, context);
    }
    return ok;
}

/* Corners of a cell are numbered 4 x + 2 y + z. */
static const int five[2][5][4] = {
    {{0, 4, 2, 1}, {6, 2, 4, 7}, {5, 4, 1, 7}, {3, 1, 2, 7}, {1, 2, 4, 7}},
    {{4, 0, 5, 6}, {2, 0, 6, 3}, {1, 0, 3, 5}, {7, 6, 5, 3}, {0, 3, 5, 6}},
};
static const int six[6][4] = {{0, 4, 6, 7}, {0, 6, 2, 7}, {0, 2, 3, 7}, {0, 3, 1, 7}, {0, 1, 5, 7}, {0, 5, 4, 7}};
/* corners of a cell's faces, in turn: across x (low, high), y, z */
static const int around[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};

// adds an element the right way round
static bool add_turned(FilTetBuilder* b, int p, int q, int r, int s)
{
    const double* x = b->vertices;
    const bool positive = fil_v3_determinant(x + 3 * (size_t)p, x + 3 * (size_t)q, x + 3 * (size_t)r, x + 3 * (size_t)s) > 0.0;
    return fil_tet_builder_add_tet(b, (const int[4]){p, q, positive ? r : s, positive ? s : r}, 0);
}

static bool add_cell(FilTetBuilder* b, const Grid* g, int i, int j, int k)
{
    int corner[8];
    bool ok = true;
    for (int c = 0; c < 8; c++) {
        corner[c] = corner_number(g, i + (c >> 2), j + (c >> 1 & 1), k + (c & 1));
    }
    if (g->split == FIL_TET_SPLIT_FIVE) {
        for (int t = 0; ok && t < 5; t++) {
            const int* tet = five[(i + j + k) % 2][t];
            ok = add_turned(b, corner[tet[0]], corner[tet[1]], corner[tet[2]], corner[tet[3]]);
        }
    } else if (g->split == FIL_TET_SPLIT_SIX) {
        for (int t = 0; ok && t < 6; t++) {
            ok = add_turned(b, corner[six[t][0]], corner[six[t][1]], corner[six[t][2]], corner[six[t][3]]);
        }
    } else {
        for (int t = 0; ok && t < 24; t++) {
            const int side = t / 4, axis = side / 2, high = side % 2, *ring = around[side];
            const int face = face_number(g, axis, i + (axis == 0 ? high : 0), j + (axis == 1 ? high : 0), k + (axis == 2 ? high : 0));
            ok = add_turned(b, centre_number(g, i, j, k), face, corner[ring[t % 4]], corner[ring[(t + 1) % 4]]);
        }
    }
    return ok;
}

/* Cells that are left out; zeroed there are none. */
typedef struct Hollows {
    const FilTetHollow* items;
    int count;
} Hollows;

static bool is_hollow(const Hollows* hollows, const int* cell)
{
    for (int h = 0; h < hollows->count; h++) {
        const FilTetHollow* hollow = &hollows->items[h];
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            inside = inside && cell[k] >= hollow->from[k] && cell[k] < hollow->to[k];
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

/* Vertices that no element is left of go. */
static bool drop_vertices(FilTetBuilder* b)
{
    int* number = fil_alloc((size_t)b->vertex_count, sizeof *number);
    int kept = 0;
    if (number == NULL) {
        return false;
    }
    for (int k = 0; k < 4 * b->tet_count; k++) {
        number[b->tets[k]] = 1;
    }
    for (int v = 0; v < b->vertex_count; v++) {
        if (number[v] != 0) {
            fil_v3_copy(b->vertices + 3 * (size_t)kept, b->vertices + 3 * (size_t)v);
            number[v] = kept++;
        }
    }
    for (int k = 0; k < 4 * b->tet_count; k++) {
        b->tets[k] = number[b->tets[k]];
    }
    b->vertex_count = kept;
    fil_free(number);
    return true;
}

static FilStatus build(const int* cells, FilTetSplit split, bool closed, Hollows hollows, Map map, const void* context, const char* name,
                       FilTetMesh* mesh, FilError* error)
{
    const Grid g = make_grid(cells, split, closed);
    FilTetBuilder b = {0};
    bool ok = add_vertices(&b, &g, map, context);
    for (int i = 0; i < cells[0]; i++) {
        for (int j = 0; j < cells[1]; j++) {
            for (int k = 0; ok && k < cells[2]; k++) {
                ok = is_hollow(&hollows, (const int[3]){i, j, k}) || add_cell(&b, &g, i, j, k);
            }
        }
    }
    ok = ok && (hollows.count == 0 || drop_vertices(&b));
    if (!ok) {
        fil_tet_builder_free(&b);
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory for %d x %d x %d cells", name, cells[0], cells[1], cells[2]);
    }
    return fil_tet_builder_finish(&b, name, mesh, error);
}

static void map_box(const void* context, const double* unit, double* out)
{
    const double* size = context;
    fil_v3_set(out, size[0] * unit[0], size[1] * unit[1], size[2] * unit[2]);
}

FilStatus fil_tet_hollow_brick(const double* size, const int* cells, FilTetSplit split, const FilTetHollow* hollows, int hollow_count,
                               FilTetMesh* mesh, FilError* error)
{
    *mesh = (FilTetMesh){0};
    if (!fil_all_finite(size, 3) || size[0] <= 0.0 || size[1] <= 0.0 || size[2] <= 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "a box of %g x %g x %g m: its sides must be positive numbers", size[0], size[1], size[2]);
    }
    const FilStatus status = check_cells(cells, split, error);
    for (int h = 0; h < hollow_count && status == FIL_OK; h++) {
        for (int k = 0; k < 3; k++) {
            const int from = hollows[h].from[k], to = hollows[h].to[k];
            if (from < 0 || to <= from || to > cells[k]) {
                return fil_error(error, FIL_BAD_INPUT, "hollow %d goes from cell %d to %d along %c, where there are cells 0 to %d", h + 1, from, to,
                                 'x' + k, cells[k]);
            }
        }
    }
    return status == FIL_OK ? build(cells, split, false, (Hollows){hollows, hollow_count}, map_box, size, "box", mesh, error) : status;
}

FilStatus fil_tet_brick(const double* size, const int* cells, FilTetSplit split, FilTetMesh* mesh, FilError* error)
{
    return fil_tet_hollow_brick(size, cells, split, NULL, 0, mesh, error);
}

/* unit: along the arch, across it, along y; the block's cells keep this order */
static void map_voussoir(const void* context, const double* unit, double* out)
{
    const FilTetVoussoir* v = context;
    const double angle = 0.5 * (v->from + v->to) + (v->to - v->from) * unit[0];
    const double radius = v->radius + v->thickness * unit[1];
    fil_v3_set(out, radius * cos(angle), v->depth * unit[2], radius * sin(angle));
}

FilStatus fil_tet_voussoir(const FilTetVoussoir* voussoir, FilTetMesh* mesh, FilError* error)
{
    const FilTetVoussoir* v = voussoir;
    *mesh = (FilTetMesh){0};
    if (!(v->thickness > 0.0 && v->depth > 0.0 && isfinite(v->depth) && v->radius > 0.5 * v->thickness && isfinite(v->radius))) {
        return fil_error(error, FIL_BAD_INPUT,
                         "a voussoir of radius %g m, thickness %g m and depth %g m: all must be positive, and the radius "
                         "more than half the thickness",
                         v->radius, v->thickness, v->depth);
    }
    if (!(isfinite(v->from) && v->to > v->from && v->to - v->from < FIL_PI)) {
        return fil_error(error, FIL_BAD_INPUT, "a voussoir from %g to %g rad: it must span more than 0 and less than pi", v->from, v->to);
    }
    const FilStatus status = check_cells(v->cells, v->split, error);
    return status == FIL_OK ? build(v->cells, v->split, false, (Hollows){0}, map_voussoir, v, "voussoir", mesh, error) : status;
}

/* unit: along the belt, through it, across it. Half a turn about the wheel at +x, back along the straight, and the same turned by pi. */
static void map_belt(const void* context, const double* unit, double* out)
{
    const FilTetBelt* b = context;
    const double bend = FIL_PI * b->radius, half = bend + b->distance, s = 2.0 * half * (unit[0] + 0.5);
    const double sign = s < half ? 1.0 : -1.0, t = s < half ? s : s - half;
    const double angle = t < bend ? t / b->radius - 0.5 * FIL_PI : 0.5 * FIL_PI, back = t < bend ? 0.0 : t - bend;
    const double radius = b->radius + b->thickness * unit[1];
    fil_v3_set(out, sign * (0.5 * b->distance + radius * cos(angle) - back), b->width * unit[2], sign * radius * sin(angle));
}

FilStatus fil_tet_belt(const FilTetBelt* belt, FilTetMesh* mesh, FilError* error)
{
    *mesh = (FilTetMesh){0};
    const double numbers[] = {belt->radius, belt->distance, belt->thickness, belt->width};
    if (!fil_all_finite(numbers, 4) ||
        !(belt->thickness > 0.0 && belt->width > 0.0 && belt->distance >= 0.0 && belt->radius > 0.5 * belt->thickness)) {
        return fil_error(
            error, FIL_BAD_INPUT,
            "a belt of radius %g m, distance %g m, thickness %g m and width %g m: all must be positive, and the radius more than half the thickness",
            belt->radius, belt->distance, belt->thickness, belt->width);
    }
    if (belt->cells[0] < 6 || belt->cells[0] % 2 != 0) {
        return fil_error(error, FIL_BAD_INPUT, "a belt of %d cells along: there must be at least 6, and an even number", belt->cells[0]);
    }
    // mirrored from cell to cell: cells that are all split alike make a belt that runs to one side
    const FilStatus status = check_cells(belt->cells, FIL_TET_SPLIT_FIVE, error);
    return status == FIL_OK ? build(belt->cells, FIL_TET_SPLIT_FIVE, true, (Hollows){0}, map_belt, belt, "belt", mesh, error) : status;
}

/* ---- discs ---- */

// vertices before ring r of a layer: 1 + 6 (1 + ... + (r - 1))
static int ring_start(int r)
{
    return r == 0 ? 0 : 1 + 3 * r * (r - 1);
}

static int ring_vertex(int r, int k)
{
    return r == 0 ? 0 : ring_start(r) + k % (6 * r);
}

// the prism over the triangle a b c, split by the order of numbers, so that neighbours agree about their diagonals
static bool add_prism(FilTetBuilder* b, int a, int c, int d, int low, int high)
{
    int v[3] = {a, c, d};
    (void)fil_tet_sort(v);
    return add_turned(b, low + v[0], low + v[1], low + v[2], high + v[2]) && add_turned(b, low + v[0], low + v[1], high + v[1], high + v[2]) &&
           add_turned(b, low + v[0], high + v[0], high + v[1], high + v[2]);
}

/* Its polygon has the circle's area, r^2 n sin(2 pi/n)/2 = pi radius^2: with vertices on the circle a disc of four rings would lack 1.1 % of
 * its volume, and a press that squeezes it to half its height 3 % of its force. */
static bool add_disc(FilTetBuilder* b, double radius, double length, int rings, int layers)
{
    const int per_layer = ring_start(rings + 1);
    const double corner = 2.0 * FIL_PI / (6.0 * rings), rim = radius * sqrt(corner / sin(corner));
    bool ok = true;
    for (int l = 0; l <= layers; l++) {
        for (int r = 0; r <= rings; r++) {
            for (int k = 0; ok && k < (r == 0 ? 1 : 6 * r); k++) {
                const double angle = r == 0 ? 0.0 : 2.0 * FIL_PI * k / (6.0 * r), at = rim * r / rings;
                const double p[3] = {at * cos(angle), at * sin(angle), length * (2 * l - layers) / (2.0 * layers)};
                ok = fil_tet_builder_add_vertex(b, p);
            }
        }
    }
    for (int l = 0; l < layers; l++) {
        const int low = l * per_layer, high = low + per_layer;
        for (int r = 1; r <= rings; r++) {
            for (int sector = 0; sector < 6; sector++) {
                for (int k = 0; ok && k < r; k++) {
                    // between the rings: a triangle that stands on the outer one, and one that hangs from the inner one
                    const int outer = sector * r + k, inner = sector * (r - 1) + k;
                    ok = add_prism(b, ring_vertex(r, outer), ring_vertex(r, outer + 1), ring_vertex(r - 1, inner), low, high);
                    if (ok && k < r - 1) {
                        ok = add_prism(b, ring_vertex(r, outer + 1), ring_vertex(r - 1, inner + 1), ring_vertex(r - 1, inner), low, high);
                    }
                }
            }
        }
    }
    return ok;
}

FilStatus fil_tet_disc(double radius, double length, int rings, int layers, FilTetMesh* mesh, FilError* error)
{
    *mesh = (FilTetMesh){0};
    if (!(isfinite(radius) && radius > 0.0 && isfinite(length) && length > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "a cylinder of radius %g m and length %g m: both must be positive numbers", radius, length);
    }
    // six sectors of rings^2 triangles, whose prisms are three tetrahedra each
    if (rings < 1 || layers < 1 || 18.0 * rings * rings * layers > FIL_TET_MAX_TETS) {
        return fil_error(error, FIL_BAD_INPUT, "a cylinder of %d rings and %d layers: at least one each, and not more than %d elements", rings,
                         layers, FIL_TET_MAX_TETS);
    }
    FilTetBuilder b = {0};
    if (!add_disc(&b, radius, length, rings, layers)) {
        fil_tet_builder_free(&b);
        return fil_error(error, FIL_OUT_OF_MEMORY, "no memory for a cylinder of %d rings and %d layers", rings, layers);
    }
    return fil_tet_builder_finish(&b, "cylinder", mesh, error);
}
