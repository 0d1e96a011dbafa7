/* The sign comes from the normal at the closest point: of the triangle's inside, else the sum of both triangles' at an
 * edge, else the sum of all at a vertex weighted by their angles there (Baerentzen, Aanaes 2005: right for every closed
 * mesh). Triangles stand in a bounding tree that is halved at the median of their middles along the longest side. */
#include "geometry/mesh_distance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/vec3.h"
#include "geometry/closest.h"

/* Triangles of a leaf: a box costs about what a triangle does, so that leaves of one would test twice as many boxes; halves of up to 2^31 triangles
 * are 31 levels deep, each of which leaves one node behind. */
enum { LEAF = 4, STACK = 64 };

/* Triangles [begin, end) of the tree's order; children follow: the first is the next node. */
typedef struct Node {
    FilAabb box;
    int begin, end;
    int second; /* child, or 0 for a leaf */
} Node;

typedef struct Triangle {
    double corner[3][3];
    double inside[3];    /* unit normal */
    double edge[3][3];   /* of the edges 01, 12, 20: sums of two unit normals */
    double vertex[3][3]; /* sums weighted by angles */
} Triangle;

struct FilMeshDistance {
    Triangle* triangles;
    Node* nodes;
    int count, node_count;
};

void fil_mesh_distance_destroy(FilMeshDistance* distance)
{
    if (distance != NULL) {
        fil_free(distance->triangles);
        fil_free(distance->nodes);
        fil_free(distance);
    }
}

/* ---- normals ---- */

typedef struct Side {
    int lo, hi, triangle, edge;
} Side;

static int by_ends(const void* a, const void* b)
{
    const Side *x = a, *y = b;
    return fil_order_three(x->lo, y->lo, x->hi, y->hi, x->triangle, y->triangle);
}

static double angle_at(const Triangle* t, int k)
{
    double a[3], b[3], n[3];
    fil_v3_sub(a, t->corner[(k + 1) % 3], t->corner[k]);
    fil_v3_sub(b, t->corner[(k + 2) % 3], t->corner[k]);
    fil_v3_cross(n, a, b);
    return atan2(fil_v3_norm(n), fil_v3_dot(a, b));
}

static void find_normals(const FilMesh* mesh, FilMeshDistance* d, Side* sides, double* at_vertices)
{
    for (int i = 0; i < d->count; i++) {
        Triangle* t = &d->triangles[i];
        const int* corner = mesh->triangles + 3 * (size_t)i;
        double ab[3], ac[3];
        for (int k = 0; k < 3; k++) {
            const int next = corner[(k + 1) % 3];
            fil_v3_copy(t->corner[k], mesh->vertices + 3 * (size_t)corner[k]);
            sides[3 * (size_t)i + (size_t)k] = corner[k] < next ? (Side){corner[k], next, i, k} : (Side){next, corner[k], i, k};
        }
        fil_v3_sub(ab, t->corner[1], t->corner[0]);
        fil_v3_sub(ac, t->corner[2], t->corner[0]);
        fil_v3_cross(t->inside, ab, ac);
        fil_v3_normalise(t->inside);
        for (int k = 0; k < 3; k++) {
            fil_v3_axpy(at_vertices + 3 * (size_t)corner[k], angle_at(t, k), t->inside);
        }
    }
    // a closed mesh has two triangles at each edge
    qsort(sides, 3 * (size_t)d->count, sizeof *sides, by_ends);
    for (int i = 0; i < 3 * d->count; i += 2) {
        Triangle *a = &d->triangles[sides[i].triangle], *b = &d->triangles[sides[i + 1].triangle];
        fil_v3_add(a->edge[sides[i].edge], a->inside, b->inside);
        fil_v3_copy(b->edge[sides[i + 1].edge], a->edge[sides[i].edge]);
    }
    for (int i = 0; i < d->count; i++) {
        for (int k = 0; k < 3; k++) {
            fil_v3_copy(d->triangles[i].vertex[k], at_vertices + 3 * (size_t)mesh->triangles[3 * (size_t)i + (size_t)k]);
        }
    }
}

/* ---- tree ---- */

typedef struct Middle {
    double at;
    int number;
} Middle;

static int by_middle(const void* a, const void* b)
{
    const Middle *x = a, *y = b;
    if (x->at != y->at) {
        return x->at < y->at ? -1 : 1;
    }
    return (x->number > y->number) - (x->number < y->number);
}

static FilAabb box_of(const Triangle* triangles, int begin, int end)
{
    FilAabb box = fil_aabb_empty();
    for (int i = begin; i < end; i++) {
        for (int k = 0; k < 3; k++) {
            fil_aabb_add_point(&box, triangles[i].corner[k]);
        }
    }
    return box;
}

// sorts the triangles of a node along an axis, `moved` and `order` being room for them
static void sort_triangles(Triangle* triangles, int begin, int end, int axis, Middle* order, Triangle* moved)
{
    for (int i = begin; i < end; i++) {
        const Triangle* t = &triangles[i];
        order[i - begin] = (Middle){t->corner[0][axis] + t->corner[1][axis] + t->corner[2][axis], i};
    }
    qsort(order, (size_t)(end - begin), sizeof *order, by_middle);
    for (int i = begin; i < end; i++) {
        moved[i - begin] = triangles[order[i - begin].number];
    }
    memcpy(triangles + begin, moved, (size_t)(end - begin) * sizeof *moved);
}

// depth first: the nodes to come are on a stack with their parents, whose second child they are
static void build_tree(FilMeshDistance* d, Middle* order, Triangle* moved)
{
    struct {
        int begin, end, parent;
    } stack[STACK];
    int top = 0;
    stack[top].begin = 0;
    stack[top].end = d->count;
    stack[top++].parent = -1;
    while (top > 0) {
        const int begin = stack[--top].begin, end = stack[top].end, parent = stack[top].parent, at = d->node_count++;
        Node* node = &d->nodes[at];
        *node = (Node){box_of(d->triangles, begin, end), begin, end, 0};
        if (parent >= 0) {
            d->nodes[parent].second = at;
        }
        if (end - begin <= LEAF) {
            continue;
        }
        const double side[3] = {node->box.hi[0] - node->box.lo[0], node->box.hi[1] - node->box.lo[1], node->box.hi[2] - node->box.lo[2]};
        const int axis = side[0] >= side[1] && side[0] >= side[2] ? 0 : (side[1] >= side[2] ? 1 : 2);
        sort_triangles(d->triangles, begin, end, axis, order, moved);
        const int half = begin + (end - begin) / 2;
        stack[top].begin = half;
        stack[top].end = end;
        stack[top++].parent = at;
        stack[top].begin = begin;
        stack[top].end = half;
        stack[top++].parent = -1;
    }
}

FilStatus fil_mesh_distance_create(const FilMesh* mesh, const char* name, FilMeshDistance** out, FilError* error)
{
    *out = NULL;
    FilStatus status = fil_mesh_check_solid(mesh, name, error);
    if (status != FIL_OK) {
        return status;
    }
    const size_t count = (size_t)mesh->triangle_count;
    FilMeshDistance* d = fil_alloc(1, sizeof *d);
    Side* sides = fil_alloc(3 * count, sizeof *sides);
    double* at_vertices = fil_alloc(3 * (size_t)mesh->vertex_count, sizeof *at_vertices);
    Middle* order = fil_alloc(count, sizeof *order);
    Triangle* moved = fil_alloc(count, sizeof *moved);
    if (d != NULL) {
        d->count = mesh->triangle_count;
        d->triangles = fil_alloc(count, sizeof *d->triangles);
        d->nodes = fil_alloc(2 * count, sizeof *d->nodes);
    }
    if (d == NULL || d->triangles == NULL || d->nodes == NULL || sides == NULL || at_vertices == NULL || order == NULL || moved == NULL) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "%s: no memory for %d triangles", name, mesh->triangle_count);
        fil_mesh_distance_destroy(d);
    } else {
        find_normals(mesh, d, sides, at_vertices);
        build_tree(d, order, moved);
        *out = d;
    }
    fil_free(sides);
    fil_free(at_vertices);
    fil_free(order);
    fil_free(moved);
    return status;
}

FilAabb fil_mesh_distance_bounds(const FilMeshDistance* distance)
{
    return distance->nodes[0].box;
}

/* ---- queries ---- */

// the normal at the point of weights w: of the inside, an edge or a vertex
static const double* normal_at(const Triangle* t, const double* w)
{
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3, last = (k + 2) % 3;
        if (w[next] == 0.0 && w[last] == 0.0) {
            return t->vertex[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        if (w[(k + 2) % 3] == 0.0) {
            return t->edge[k];
        }
    }
    return t->inside;
}

double fil_mesh_distance(const FilMeshDistance* distance, const double* p)
{
    const FilMeshDistance* d = distance;
    int stack[STACK], top = 0, closest = 0;
    double best = HUGE_VAL, weights[3] = {1.0, 0.0, 0.0}, w[3];
    stack[top++] = 0;
    while (top > 0) {
        const int at = stack[--top];
        const Node* node = &d->nodes[at];
        if (fil_aabb_distance2(&node->box, p) >= best) {
            continue;
        }
        if (node->second == 0) {
            for (int i = node->begin; i < node->end; i++) {
                const Triangle* t = &d->triangles[i];
                const double d2 = fil_point_triangle(p, t->corner[0], t->corner[1], t->corner[2], w);
                if (d2 < best) {
                    best = d2;
                    closest = i;
                    fil_v3_copy(weights, w);
                }
            }
            continue;
        }
        // the nearer child is looked at first
        const int first = at + 1, second = node->second;
        const bool first_nearer = fil_aabb_distance2(&d->nodes[first].box, p) <= fil_aabb_distance2(&d->nodes[second].box, p);
        stack[top++] = first_nearer ? second : first;
        stack[top++] = first_nearer ? first : second;
    }
    const Triangle* t = &d->triangles[closest];
    double off[3];
    for (int k = 0; k < 3; k++) {
        off[k] = p[k] - (weights[0] * t->corner[0][k] + weights[1] * t->corner[1][k] + weights[2] * t->corner[2][k]);
    }
    return fil_v3_dot(off, normal_at(t, weights)) < 0.0 ? -sqrt(best) : sqrt(best);
}
