/* The volume that triangles (a, b, c) enclose, its gradient and Hessian:
 *     V = 1/6 sum x_a . (x_b x x_c),  dV/dx_a = 1/6 sum x_b x x_c,  d2V/dx_a dx_b = -1/6 sum [x_c]x               (1)
 * all independent of the origin where triangles close. With the gas's energy U(V) (gas.c) and g = dV/dx
 *     dE = -p g,  d2E = -p d2V + c g g',  c = d2U/dV2 >= 0                                                          (2)
 * g g' couples all vertices of a chamber with each other. To keep the tangent sparse it is written as springs in series, one a
 * vertex: along a tree over the surface's edges the fourth number u_i of a vertex, idle otherwise, carries the sum of r g_j . x_j
 * over what hangs on it,
 *     e_i = u_i - sum_children u_c - r g_i . x_i,   min over u of 1/2 sum e_i^2 + 1/2 u_root^2 = 1/2 r^2/(N + 1) (g . x)^2   (3)
 * because N + 1 springs of stiffness 1 in series are one of 1/(N + 1). r^2 = (N + 1) c makes (3) the last term of (2), exactly; it is
 * positive definite in u, and all its blocks but those of siblings are edges of the mesh. A depth-first walk to where fewest neighbours
 * are left makes long branches and few siblings. Residuals know nothing of u: it is an unknown of linear systems only. */
#include "body/chambers.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/script.h"
#include "base/vec3.h"

/* ---- surfaces ---- */

/* Neighbours along sides of triangles, and the walk over them. */
typedef struct Walk {
    int vertex_count, found, component_count;
    int *start, *links;    /* of each vertex */
    int *order, *parent;   /* places of vertices in the order of the walk; places of their parents, -1: none */
    int *component, *left; /* of each vertex: its surface, -1: none yet; neighbours that are not on the walk */
    int* stack;            /* places */
    double* volumes;       /* of each surface, m^3 */
} Walk;

static void free_walk(Walk* w)
{
    void* blocks[] = {w->start, w->links, w->order, w->parent, w->component, w->left, w->stack, w->volumes};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
        fil_free(blocks[k]);
    }
}

/* Each side of a closed surface runs both ways, so that the ends of those that leave a vertex are all its neighbours. */
static bool start_walk(Walk* w, int vertex_count, const int* triangles, int triangle_count)
{
    const size_t vertices = (size_t)vertex_count, sides = 3 * (size_t)triangle_count;
    int** numbers[] = {&w->order, &w->parent, &w->component, &w->left, &w->stack};
    bool ok = true;
    w->vertex_count = vertex_count;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        *numbers[k] = fil_alloc(vertices, sizeof(int));
        ok = ok && *numbers[k] != NULL;
    }
    w->start = fil_alloc(vertices + 1, sizeof(int));
    w->links = fil_alloc(sides, sizeof(int));
    w->volumes = fil_alloc(vertices, sizeof(double));
    if (!ok || w->start == NULL || w->links == NULL || w->volumes == NULL) {
        return false;
    }
    for (size_t k = 0; k < sides; k++) {
        w->start[triangles[k] + 1]++;
    }
    for (int v = 0; v < vertex_count; v++) {
        w->left[v] = w->start[v + 1];
        w->component[v] = -1;
        w->start[v + 1] += w->start[v];
    }
    for (size_t k = 0; k < sides; k++) {
        const int v = triangles[k];
        w->links[w->start[v] + --w->left[v]] = triangles[k % 3 == 2 ? k - 2 : k + 1];
    }
    for (int v = 0; v < vertex_count; v++) {
        w->left[v] = w->start[v + 1] - w->start[v];
    }
    return true;
}

static int step_onto(Walk* w, int vertex, int parent)
{
    w->component[vertex] = w->component_count;
    w->order[w->found] = vertex;
    w->parent[w->found] = parent;
    for (int k = w->start[vertex]; k < w->start[vertex + 1]; k++) {
        w->left[w->links[k]]--;
    }
    return w->found++;
}

/* The whole surface of a vertex, depth first. */
static void walk_surface(Walk* w, int vertex)
{
    int depth = 0;
    w->stack[depth++] = step_onto(w, vertex, -1);
    while (depth > 0) {
        const int place = w->stack[depth - 1], v = w->order[place];
        int next = -1;
        for (int k = w->start[v]; k < w->start[v + 1]; k++) {
            const int u = w->links[k];
            if (w->component[u] < 0 && (next < 0 || w->left[u] < w->left[next])) {
                next = u;
            }
        }
        if (next < 0) {
            depth--;
        } else {
            w->stack[depth++] = step_onto(w, next, place);
        }
    }
    w->component_count++;
}

/* ---- building ---- */

static bool allocate(FilChamber* chamber)
{
    const size_t triangles = 3 * (size_t)chamber->triangle_count, vertices = (size_t)chamber->vertex_count;
    chamber->triangles = fil_alloc(triangles, sizeof(int));
    chamber->sides = fil_alloc(triangles, sizeof(int));
    chamber->own = fil_alloc(vertices, sizeof(int));
    chamber->vertices = fil_alloc(vertices, sizeof(int));
    chamber->parents = fil_alloc(vertices, sizeof(int));
    chamber->branches = fil_alloc(vertices, sizeof(int));
    chamber->gradient = fil_alloc(3 * vertices, sizeof(double));
    return chamber->triangles != NULL && chamber->sides != NULL && chamber->own != NULL && chamber->vertices != NULL && chamber->parents != NULL &&
           chamber->branches != NULL && chamber->gradient != NULL;
}

/* One surface of the walk as a chamber. */
static bool take_surface(FilChamber* chamber, const Walk* w, int component, const int* triangles, int triangle_count)
{
    const bool turned = w->volumes[component] < 0.0;
    int first = 0;
    *chamber = (FilChamber){.rest_volume = fabs(w->volumes[component])};
    for (int t = 0; t < triangle_count; t++) {
        chamber->triangle_count += w->component[triangles[3 * t]] == component;
    }
    while (w->component[w->order[first]] != component) {
        first++;  // a surface is one run of the walk
    }
    while (first + chamber->vertex_count < w->found && w->component[w->order[first + chamber->vertex_count]] == component) {
        chamber->vertex_count++;
    }
    if (!allocate(chamber)) {
        return false;
    }
    for (int k = 0; k < chamber->vertex_count; k++) {
        chamber->vertices[k] = w->order[first + k];
        chamber->parents[k] = w->parent[first + k] < 0 ? -1 : w->parent[first + k] - first;
        w->left[chamber->vertices[k]] = k;  // the walk is over: its place
    }
    for (int t = 0, at = 0; t < triangle_count; t++) {
        const int* from = triangles + 3 * t;
        if (w->component[from[0]] == component) {
            chamber->triangles[at++] = w->left[from[0]];
            chamber->triangles[at++] = w->left[from[turned ? 2 : 1]];
            chamber->triangles[at++] = w->left[from[turned ? 1 : 2]];
        }
    }
    return true;
}

/* All pairs of children of a vertex; returns their number. */
static int list_siblings(const FilChamber* chamber, int* pairs)
{
    int count = 0;
    for (int a = 1; a < chamber->vertex_count; a++) {
        for (int b = a + 1; b < chamber->vertex_count; b++) {
            if (chamber->parents[a] == chamber->parents[b]) {
                if (pairs != NULL) {
                    pairs[2 * count] = chamber->vertices[a];
                    pairs[2 * count + 1] = chamber->vertices[b];
                }
                count++;
            }
        }
    }
    return count;
}

static bool take_siblings(FilChambers* chambers)
{
    for (int c = 0; c < chambers->count; c++) {
        chambers->sibling_count += list_siblings(&chambers->items[c], NULL);
    }
    chambers->siblings = fil_alloc(2 * (size_t)chambers->sibling_count, sizeof(int));
    chambers->sibling_slots = fil_alloc((size_t)chambers->sibling_count, sizeof(int));
    int* pairs = chambers->siblings;
    if (pairs == NULL || chambers->sibling_slots == NULL) {
        return chambers->sibling_count == 0;
    }
    for (int c = 0; c < chambers->count; c++) {
        pairs += 2 * list_siblings(&chambers->items[c], pairs);
    }
    return true;
}

static FilStatus take_surfaces(FilChambers* chambers, const Walk* w, const int* triangles, int triangle_count, bool cavities, FilError* error)
{
    int kept = 0;
    for (int c = 0; c < w->component_count; c++) {
        kept += cavities ? w->volumes[c] < 0.0 : w->volumes[c] != 0.0;
    }
    if (kept == 0) {
        return fil_error(error, FIL_BAD_INPUT, cavities ? "it has no cavity for gas" : "it encloses no volume for gas");
    }
    chambers->items = fil_alloc((size_t)kept, sizeof *chambers->items);
    bool ok = chambers->items != NULL;
    for (int c = 0; c < w->component_count && ok; c++) {
        if (cavities ? w->volumes[c] < 0.0 : w->volumes[c] != 0.0) {
            ok = take_surface(&chambers->items[chambers->count++], w, c, triangles, triangle_count);
        }
    }
    ok = ok && take_siblings(chambers);
    return ok ? FIL_OK : fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
}

FilStatus fil_chambers_build(FilChambers* chambers, const FilGas* gas, int vertex_count, const double* x, int stride, const int* triangles,
                             int triangle_count, bool cavities, FilError* error)
{
    *chambers = (FilChambers){.gas = *gas};
    FilStatus status = fil_gas_check(gas, error);
    if (status != FIL_OK || gas->law == FIL_GAS_NONE) {
        return status;
    }
    Walk w = {0};
    if (start_walk(&w, vertex_count, triangles, triangle_count)) {
        for (int v = 0; v < vertex_count; v++) {
            if (w.component[v] < 0 && w.start[v] < w.start[v + 1]) {
                walk_surface(&w, v);
            }
        }
        for (int t = 0; t < triangle_count; t++) {
            const int *at = triangles + 3 * t, component = w.component[at[0]];
            w.volumes[component] += fil_v3_determinant(x, x + stride * at[0], x + stride * at[1], x + stride * at[2]) / 6.0;
        }
        status = take_surfaces(chambers, &w, triangles, triangle_count, cavities, error);
    } else {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    free_walk(&w);
    fil_chambers_clear(chambers);
    return status;
}

void fil_chambers_free(FilChambers* chambers)
{
    for (int c = 0; c < chambers->count; c++) {
        FilChamber* item = &chambers->items[c];
        void* blocks[] = {item->triangles, item->sides, item->vertices, item->parents, item->own, item->branches, item->gradient};
        for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++) {
            fil_free(blocks[k]);
        }
    }
    fil_free(chambers->items);
    fil_free(chambers->siblings);
    fil_free(chambers->sibling_slots);
}

void fil_chambers_place(FilChambers* chambers, const FilBlockPattern* pattern)
{
    for (int c = 0; c < chambers->count; c++) {
        FilChamber* item = &chambers->items[c];
        for (int k = 0; k < 3 * item->triangle_count; k++) {
            const int next = k % 3 == 2 ? k - 2 : k + 1;
            item->sides[k] = fil_block_find(pattern, item->vertices[item->triangles[k]], item->vertices[item->triangles[next]]);
        }
        for (int i = 0; i < item->vertex_count; i++) {  // the first is its own
            const int parent = item->parents[i] < 0 ? i : item->parents[i];
            item->own[i] = fil_block_find(pattern, item->vertices[i], item->vertices[i]);
            item->branches[i] = fil_block_find(pattern, item->vertices[i], item->vertices[parent]);
        }
    }
    for (int k = 0; k < chambers->sibling_count; k++) {
        chambers->sibling_slots[k] = fil_block_find(pattern, chambers->siblings[2 * k], chambers->siblings[2 * k + 1]);
    }
}

/* Only sealed gas couples all its vertices. */
static bool couples(const FilChambers* chambers)
{
    return chambers->gas.law == FIL_GAS_SEALED;
}

void fil_chambers_mark(const FilChambers* chambers, unsigned char* used)
{
    for (int c = 0; c < chambers->count && couples(chambers); c++) {
        for (int i = 0; i < chambers->items[c].vertex_count; i++) {
            used[chambers->items[c].vertices[i]] |= 8;
        }
    }
}

bool fil_chambers_has(const FilChambers* chambers, int vertex)
{
    for (int c = 0; c < chambers->count && couples(chambers); c++) {
        for (int i = 0; i < chambers->items[c].vertex_count; i++) {
            if (chambers->items[c].vertices[i] == vertex) {
                return true;
            }
        }
    }
    return false;
}

/* ---- history and commands ---- */

void fil_chambers_init(const FilChambers* chambers, double* h)
{
    for (int c = 0; c < chambers->count; c++) {
        h[FIL_CHAMBER_HISTORY * c] = chambers->gas.pressure;
        h[FIL_CHAMBER_HISTORY * c + 1] = h[FIL_CHAMBER_HISTORY * c + 2] = 0.0;
    }
}

void fil_chambers_clear(FilChambers* chambers)
{
    for (int c = 0; c < chambers->count; c++) {
        chambers->items[c].script = chambers->gas.pressure;
    }
}

void fil_chambers_load(FilChambers* chambers, int first, int count, double pressure)
{
    for (int c = first; c < first + count; c++) {
        chambers->items[c].script += pressure;
    }
}

void fil_chambers_begin(FilChambers* chambers, const double* h)
{
    for (int c = 0; c < chambers->count; c++) {
        const double* own = h + FIL_CHAMBER_HISTORY * c;
        chambers->items[c].value = *fil_script_or_command(own[1], &chambers->items[c].script, &own[2]);
    }
}

void fil_chambers_finish(const FilChambers* chambers, const double* h0, double* h1)
{
    for (int c = 0; c < chambers->count; c++) {
        memcpy(h1 + FIL_CHAMBER_HISTORY * c, h0 + FIL_CHAMBER_HISTORY * c, sizeof(double) * FIL_CHAMBER_HISTORY);
        h1[FIL_CHAMBER_HISTORY * c] = chambers->items[c].value;
    }
}
