/* Isosurface stuffing. Points of a body-centred cubic lattice, corners and centres of cells of side h, are inside,
 * outside or on the surface. "Long" edges (h) join corners or centres that are neighbours, "short" ones (sqrt(3)/2 h) a
 * centre with the corners of its cell; a lattice tetrahedron has two long edges, opposite to each other, and four short
 * ones.
 *   1. Cut points: where the surface crosses edges with one end inside and one outside.
 *   2. Warping: a lattice point with a cut point nearer than ALPHA of the edge is moved onto the nearest such point,
 * and is on the surface from then on; the cut points of all its edges are dropped.
 *   3. Stencils: of every lattice tetrahedron with a point inside, what is inside, in one to three elements.
 * Quadrilateral faces of step 3 are halved by the same diagonal from both sides: with one long and one short edge cut,
 * the one that ends in the long edge's cut point; with two short ones, by the parity of the points' places.
 *
 * Places are counted in half sides: corners have three even coordinates, centres three odd ones. */
#include "geometry/tet_stuff.h"

#include <math.h>
#include <string.h>

#include "base/bracket.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

/* Shares of an edge within which a cut point draws a lattice point upon itself (Labelle, Shewchuk 2007, for the largest
 * smallest angle). */
static const double ALPHA_LONG = 0.24999, ALPHA_SHORT = 0.41189;

/* The first seven directions name an edge from its one end, the others the same edges from the other. */
enum { DIRECTIONS = 14, EDGES = 7, LONG_EDGES = 3 };
static const int directions[DIRECTIONS][3] = {{2, 0, 0},  {0, 2, 0},  {0, 0, 2},  {1, 1, 1},    {-1, 1, 1},  {1, -1, 1},  {-1, -1, 1},
                                              {-2, 0, 0}, {0, -2, 0}, {0, 0, -2}, {-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}};

typedef struct Lattice {
    const FilTetField* field;
    double origin[3], half; /* m; half a cell's side */
    int cells[3];
    int corners, points;
    signed char* sign;        /* per point: 1 inside, 0 on the surface, -1 outside */
    double* moved;            /* 3 per point: where it is */
    double* cut;              /* 7 per point: share of the edge before the cut point; negative where there is none */
    int *number, *cut_number; /* of the vertex made of a point or of a cut point, from 1; 0 before */
    FilTetBuilder builder;
} Lattice;

static void free_lattice(Lattice* l)
{
    fil_free(l->sign);
    fil_free(l->moved);
    fil_free(l->cut);
    fil_free(l->number);
    fil_free(l->cut_number);
    fil_tet_builder_free(&l->builder);
}

/* ---- the lattice ---- */

// the number of a point, -1 beyond the lattice
static int point_at(const Lattice* l, const int* at)
{
    const int odd = at[0] & 1;
    for (int k = 0; k < 3; k++) {
        if (at[k] < 0 || at[k] > 2 * l->cells[k]) {
            return -1;
        }
    }
    const int ny = l->cells[1] + 1 - odd, nz = l->cells[2] + 1 - odd;
    return odd * l->corners + (at[0] / 2 * ny + at[1] / 2) * nz + at[2] / 2;
}

static void place_of(const Lattice* l, int point, int* at)
{
    const int odd = point >= l->corners ? 1 : 0, n = point - odd * l->corners;
    const int ny = l->cells[1] + 1 - odd, nz = l->cells[2] + 1 - odd;
    at[0] = 2 * (n / (ny * nz)) + odd;
    at[1] = 2 * (n / nz % ny) + odd;
    at[2] = 2 * (n % nz) + odd;
}

// the point in a direction, -1 beyond the lattice
static int step_from(const Lattice* l, const int* at, int direction)
{
    const int to[3] = {at[0] + directions[direction][0], at[1] + directions[direction][1], at[2] + directions[direction][2]};
    return point_at(l, to);
}

static FilStatus make_lattice(Lattice* l, double spacing, const char* name, FilError* error)
{
    const FilAabb* box = &l->field->bounds;
    double count = 1.0;
    for (int k = 0; k < 3; k++) {
        const double side = box->hi[k] - box->lo[k];
        if (!(isfinite(side) && side >= 0.0)) {
            return fil_error(error, FIL_BAD_INPUT, "%s: it has no bounds", name);
        }
        // symmetric about the middle, and two cells wider on each side: whatever is inside has all its neighbours
        const double cells = 2.0 * ceil(0.5 * side / spacing) + 4.0;
        count *= cells;
        if (!(count <= FIL_TET_STUFF_MAX_CELLS)) {
            return fil_error(error, FIL_BAD_INPUT, "%s: a spacing of %g m is too fine for %g x %g x %g m", name, spacing, box->hi[0] - box->lo[0],
                             box->hi[1] - box->lo[1], box->hi[2] - box->lo[2]);
        }
        l->cells[k] = (int)cells;
        l->origin[k] = 0.5 * (box->hi[k] + box->lo[k]) - 0.5 * spacing * cells;
    }
    l->half = 0.5 * spacing;
    l->corners = (l->cells[0] + 1) * (l->cells[1] + 1) * (l->cells[2] + 1);
    l->points = l->corners + l->cells[0] * l->cells[1] * l->cells[2];
    const size_t points = (size_t)l->points;
    l->sign = fil_alloc(points, sizeof *l->sign);
    l->moved = fil_alloc(3 * points, sizeof *l->moved);
    l->cut = fil_alloc(EDGES * points, sizeof *l->cut);
    l->number = fil_alloc(points, sizeof *l->number);
    l->cut_number = fil_alloc(EDGES * points, sizeof *l->cut_number);
    if (l->sign == NULL || l->moved == NULL || l->cut == NULL || l->number == NULL || l->cut_number == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory for a lattice of %d points", name, l->points);
    }
    return FIL_OK;
}

static double value_at(const Lattice* l, const double* p)
{
    return l->field->value(l->field->context, p);
}

static void find_signs(Lattice* l)
{
    for (int point = 0; point < l->points; point++) {
        int at[3];
        double* p = l->moved + 3 * (size_t)point;
        place_of(l, point, at);
        for (int k = 0; k < 3; k++) {
            p[k] = l->origin[k] + l->half * at[k];
        }
        const double value = value_at(l, p);
        l->sign[point] = (signed char)(value < 0.0 ? 1 : (value > 0.0 ? -1 : 0));
    }
}

/* ---- cut points and warping ---- */

// where the value changes its sign between a and b, as a share of the way
static double find_cut(const Lattice* l, const double* a, const double* b)
{
    FilBracket way = {0.0, 1.0, value_at(l, a), value_at(l, b)};
    for (int k = 0; k < 100 && way.b - way.a > 1e-14; k++) {  // of an edge of 1: rounding
        // halving every third time keeps bad cases from lasting
        double t = (way.a * way.at_b - way.b * way.at_a) / (way.at_b - way.at_a);
        t = k % 3 == 2 || !(t > way.a && t < way.b) ? 0.5 * (way.a + way.b) : t;
        const double p[3] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
        const double value = value_at(l, p);
        if (value == 0.0) {
            return t;
        }
        fil_bracket_narrow(&way, (value < 0.0) == (way.at_a < 0.0), t, value);
    }
    return 0.5 * (way.a + way.b);
}

static void find_cuts(Lattice* l)
{
    for (int point = 0; point < l->points; point++) {
        int at[3];
        place_of(l, point, at);
        for (int e = 0; e < EDGES; e++) {
            const int other = step_from(l, at, e);
            double* cut = &l->cut[EDGES * (size_t)point + (size_t)e];
            *cut = -1.0;
            if (other >= 0 && l->sign[point] * l->sign[other] < 0) {
                *cut = find_cut(l, l->moved + 3 * (size_t)point, l->moved + 3 * (size_t)other);
            }
        }
    }
}

// the edge from a point in a direction; `forward`: shares are counted from the point
static size_t edge_from(const Lattice* l, int point, const int* at, int direction, bool* forward)
{
    *forward = direction < EDGES;
    return *forward ? EDGES * (size_t)point + (size_t)direction : EDGES * (size_t)step_from(l, at, direction) + (size_t)(direction - EDGES);
}

// moves one point onto the nearest cut point that is too near, if there is one
static void warp_point(Lattice* l, int point)
{
    int at[3], chosen = -1;
    double nearest = HUGE_VAL;
    bool forward;
    place_of(l, point, at);
    for (int d = 0; d < DIRECTIONS; d++) {
        if (step_from(l, at, d) < 0) {
            continue;
        }
        const double cut = l->cut[edge_from(l, point, at, d, &forward)];
        const bool is_long = d % EDGES < LONG_EDGES;
        const double share = forward ? cut : 1.0 - cut, length = is_long ? 2.0 : sqrt(3.0);
        if (cut >= 0.0 && share < (is_long ? ALPHA_LONG : ALPHA_SHORT) && share * length < nearest) {
            nearest = share * length;
            chosen = d;
        }
    }
    if (chosen < 0) {
        return;
    }
    double* p = l->moved + 3 * (size_t)point;
    for (int k = 0; k < 3; k++) {
        p[k] += nearest * l->half * directions[chosen][k] / (chosen % EDGES < LONG_EDGES ? 2.0 : sqrt(3.0));
    }
    l->sign[point] = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (step_from(l, at, d) >= 0) {
            l->cut[edge_from(l, point, at, d, &forward)] = -1.0;
        }
    }
}

/* ---- stencils ---- */

/* A lattice tetrahedron: 0 1 and 2 3 are its long edges. */
typedef struct Cell {
    int point[4], at[4][3];
    int sign[4];
} Cell;

// the vertex made of a point, from 0; -1 when out of memory
static int vertex_of_point(Lattice* l, const Cell* cell, int i)
{
    int* number = &l->number[cell->point[i]];
    if (*number == 0) {
        if (!fil_tet_builder_add_vertex(&l->builder, l->moved + 3 * (size_t)cell->point[i])) {
            return -1;
        }
        *number = l->builder.vertex_count;
    }
    return *number - 1;
}

static int direction_between(const Cell* cell, int i, int j)
{
    int d = 0;
    for (int k = 0; k < DIRECTIONS; k++) {
        d = cell->at[j][0] - cell->at[i][0] == directions[k][0] && cell->at[j][1] - cell->at[i][1] == directions[k][1] &&
                    cell->at[j][2] - cell->at[i][2] == directions[k][2]
                ? k
                : d;
    }
    return d;
}

// the vertex made of the cut point between i and j
static int vertex_of_cut(Lattice* l, const Cell* cell, int i, int j)
{
    bool forward;
    const size_t edge = edge_from(l, cell->point[i], cell->at[i], direction_between(cell, i, j), &forward);
    int* number = &l->cut_number[edge];
    if (*number == 0) {
        const double t = forward ? l->cut[edge] : 1.0 - l->cut[edge];
        const double *a = l->moved + 3 * (size_t)cell->point[i], *b = l->moved + 3 * (size_t)cell->point[j];
        const double p[3] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2])};
        if (!fil_tet_builder_add_vertex(&l->builder, p)) {
            return -1;
        }
        *number = l->builder.vertex_count;
    }
    return *number - 1;
}

static bool is_long(int i, int j)
{
    return i / 2 == j / 2;
}

// the face a b n, a and b inside, n outside: whether its diagonal runs from a to the cut point of b n
static bool diagonal_from_first(const Cell* cell, int a, int b, int n)
{
    if (is_long(a, n)) {
        return false;
    }
    if (is_long(b, n)) {
        return true;
    }
    // a and b are neighbours along an axis: the one whose place is even
    const int axis = cell->at[a][0] != cell->at[b][0] ? 0 : (cell->at[a][1] != cell->at[b][1] ? 1 : 2);
    return cell->at[a][axis] / 2 % 2 == 0;
}

static bool add_element(Lattice* l, int a, int b, int c, int d)
{
    const double* x = l->builder.vertices;
    if (a < 0 || b < 0 || c < 0 || d < 0) {
        return false;
    }
    const bool positive = fil_v3_determinant(x + 3 * (size_t)a, x + 3 * (size_t)b, x + 3 * (size_t)c, x + 3 * (size_t)d) > 0.0;
    return fil_tet_builder_add_tet(&l->builder, (const int[4]){a, b, positive ? c : d, positive ? d : c}, 0);
}

/* The prism of triangles p and q; from[i][j]: the diagonal of the side i j runs from p[i] to q[j]. Sides that are free
 * have both directions set. Ordered so that all diagonals run from earlier to later corners, it falls into three. */
static bool add_prism(Lattice* l, const int* p, const int* q, const bool from[3][3])
{
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int o = 0; o < 6; o++) {
        const int i = orders[o][0], j = orders[o][1], k = orders[o][2];
        if (from[i][j] && from[i][k] && from[j][k]) {
            return add_element(l, p[i], p[j], p[k], q[k]) && add_element(l, p[i], p[j], q[j], q[k]) && add_element(l, p[i], q[i], q[j], q[k]);
        }
    }
    FIL_ASSERT(false);  // the rules above never turn in a circle
    return false;
}

// three inside: the prism between them and their cut points
static bool fill_three(Lattice* l, const Cell* cell, const int* in, int out)
{
    int p[3], q[3];
    bool from[3][3] = {{false}};
    for (int i = 0; i < 3; i++) {
        p[i] = vertex_of_point(l, cell, in[i]);
        q[i] = vertex_of_cut(l, cell, in[i], out);
        for (int j = 0; j < 3; j++) {
            from[i][j] = i != j && diagonal_from_first(cell, in[i], in[j], out);
        }
    }
    return add_prism(l, p, q, (const bool(*)[3])from);
}

// two inside, two outside: the prism from one inside point with its cut points to the other; the surface's side is free
static bool fill_two(Lattice* l, const Cell* cell, const int* in, const int* out)
{
    const int p[3] = {vertex_of_point(l, cell, in[0]), vertex_of_cut(l, cell, in[0], out[0]), vertex_of_cut(l, cell, in[0], out[1])};
    const int q[3] = {vertex_of_point(l, cell, in[1]), vertex_of_cut(l, cell, in[1], out[0]), vertex_of_cut(l, cell, in[1], out[1])};
    bool from[3][3] = {{false}};
    for (int i = 0; i < 2; i++) {
        from[0][i + 1] = diagonal_from_first(cell, in[0], in[1], out[i]);
        from[i + 1][0] = !from[0][i + 1];
    }
    from[1][2] = from[2][1] = true;
    return add_prism(l, p, q, (const bool(*)[3])from);
}

// two inside, one outside, one on the surface: a pyramid over the cut face
static bool fill_pyramid(Lattice* l, const Cell* cell, const int* in, int out, int on)
{
    const int a = vertex_of_point(l, cell, in[0]), b = vertex_of_point(l, cell, in[1]);
    const int z = vertex_of_point(l, cell, on);
    const int cut_a = vertex_of_cut(l, cell, in[0], out), cut_b = vertex_of_cut(l, cell, in[1], out);
    return diagonal_from_first(cell, in[0], in[1], out) ? add_element(l, a, b, cut_b, z) && add_element(l, a, cut_b, cut_a, z)
                                                        : add_element(l, a, b, cut_a, z) && add_element(l, b, cut_b, cut_a, z);
}

// what is inside of one lattice tetrahedron
static bool fill_cell(Lattice* l, const Cell* cell)
{
    int in[4], on[4], out[4], ins = 0, ons = 0, outs = 0, v[4];
    for (int i = 0; i < 4; i++) {
        if (cell->sign[i] > 0) {
            in[ins++] = i;
        } else if (cell->sign[i] == 0) {
            on[ons++] = i;
        } else {
            out[outs++] = i;
        }
    }
    if (ins == 0) {
        return true;
    }
    if (outs == 0 || ins == 1) {
        // whole, or the corner at the one point inside
        for (int i = 0; i < 4; i++) {
            v[i] = cell->sign[i] < 0 ? vertex_of_cut(l, cell, in[0], i) : vertex_of_point(l, cell, i);
        }
        return add_element(l, v[0], v[1], v[2], v[3]);
    }
    if (ins == 3) {
        return fill_three(l, cell, in, out[0]);
    }
    return outs == 2 ? fill_two(l, cell, in, out) : fill_pyramid(l, cell, in, out[0], on[0]);
}

// the four tetrahedra around the long edge from a corner along an axis
static bool fill_around(Lattice* l, const int* corner, int axis)
{
    static const int ring[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (int r = 0; r < 4; r++) {
        Cell cell;
        bool exists = true;
        for (int i = 0; i < 4; i++) {
            memcpy(cell.at[i], corner, sizeof cell.at[i]);
            cell.at[i][axis] += i == 0 ? 0 : (i == 1 ? 2 : 1);
            if (i > 1) {
                cell.at[i][b] += ring[(r + i) % 4][0];
                cell.at[i][c] += ring[(r + i) % 4][1];
            }
            cell.point[i] = point_at(l, cell.at[i]);
            exists = exists && cell.point[i] >= 0;
        }
        for (int i = 0; exists && i < 4; i++) {
            cell.sign[i] = l->sign[cell.point[i]];
        }
        if (exists && !fill_cell(l, &cell)) {
            return false;
        }
    }
    return true;
}

static bool fill(Lattice* l)
{
    for (int point = 0; point < l->corners; point++) {
        int at[3];
        place_of(l, point, at);
        for (int axis = 0; axis < 3; axis++) {
            if (at[axis] < 2 * l->cells[axis] && !fill_around(l, at, axis)) {
                return false;
            }
        }
    }
    return true;
}

FilStatus fil_tet_stuff(const FilTetField* field, double spacing, const char* name, FilTetMesh* mesh, FilError* error)
{
    *mesh = (FilTetMesh){0};
    if (!(isfinite(spacing) && spacing > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "%s: the spacing %g m must be a positive number", name, spacing);
    }
    Lattice l = {.field = field};
    FilStatus status = make_lattice(&l, spacing, name, error);
    if (status == FIL_OK) {
        find_signs(&l);
        find_cuts(&l);
        for (int point = 0; point < l.points; point++) {
            if (l.sign[point] != 0) {
                warp_point(&l, point);
            }
        }
        if (!fill(&l)) {
            status = fil_error(error, FIL_OUT_OF_MEMORY, "%s: no room for its elements: take a coarser spacing", name);
        } else if (l.builder.tet_count == 0) {
            status = fil_error(error, FIL_BAD_INPUT, "%s: a spacing of %g m leaves nothing of it: take a finer one", name, spacing);
        } else {
            status = fil_tet_builder_finish(&l.builder, name, mesh, error);
        }
    }
    free_lattice(&l);
    return status;
}

static double implicit_value(const void* context, const double* p)
{
    return fil_implicit_value(context, p);
}

FilStatus fil_tet_stuff_implicit(const FilImplicit* implicit, double spacing, const char* name, FilTetMesh* mesh, FilError* error)
{
    *mesh = (FilTetMesh){0};
    const FilStatus status = fil_implicit_check(implicit, name, error);
    if (status != FIL_OK) {
        return status;
    }
    const FilTetField field = {implicit_value, implicit, fil_implicit_bounds(implicit)};
    return fil_tet_stuff(&field, spacing, name, mesh, error);
}
