#include "geometry/facets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "geometry/closest.h"
#include "geometry/collide.h"

/* Sine by which a normal may tilt over the faces at an edge. A hundredth keeps edges of flat neighbours in contact while they
 * bend a little, and tilts no force to speak of. */
static const double MAX_TILT = 1e-2;

/* ---- topology ---- */

typedef struct HalfEdge {
    int lo, hi, side; /* side: 3 triangle + corner that it begins at */
} HalfEdge;

static int by_ends(const void* a, const void* b)
{
    const HalfEdge *x = a, *y = b;
    return fil_order_three(x->lo, y->lo, x->hi, y->hi, x->side, y->side);
}

void fil_facets_free(FilFacets* facets)
{
    fil_free(facets->x);
    fil_free(facets->edges);
    fil_free(facets->wings);
    fil_free(facets->sides);
    fil_free(facets->fans);
    fil_free(facets->fan_first);
    fil_free(facets->near);
    fil_free(facets->near_first);
    *facets = (FilFacets){0};
}

static void find_edges(FilFacets* facets, HalfEdge* halves)
{
    const int count = 3 * facets->triangle_count;
    for (int k = 0; k < count; k++) {
        const int a = facets->triangles[k], b = facets->triangles[k % 3 == 2 ? k - 2 : k + 1];
        halves[k] = (HalfEdge){a < b ? a : b, a < b ? b : a, k};
    }
    qsort(halves, (size_t)count, sizeof *halves, by_ends);
    for (int k = 0; k < count; k++) {
        const bool first = k == 0 || halves[k].lo != halves[k - 1].lo || halves[k].hi != halves[k - 1].hi;
        if (first) {
            const int edge = facets->edge_count++;
            facets->edges[2 * edge] = halves[k].lo;
            facets->edges[2 * edge + 1] = halves[k].hi;
            facets->wings[2 * edge] = halves[k].side / 3;
            facets->wings[2 * edge + 1] = -1;
        } else if (facets->wings[2 * facets->edge_count - 1] < 0) {
            facets->wings[2 * facets->edge_count - 1] = halves[k].side / 3;
        }
        facets->sides[halves[k].side] = facets->edge_count - 1;
    }
}

static void find_fans(FilFacets* facets)
{
    // counts, shifted by two, become starts, shifted by one, become ends: the starts of the next
    for (int k = 0; k < 3 * facets->triangle_count; k++) {
        facets->fan_first[facets->triangles[k] + 2]++;
    }
    for (int v = 0; v < facets->vertex_count; v++) {
        facets->fan_first[v + 2] += facets->fan_first[v + 1];
    }
    for (int k = 0; k < 3 * facets->triangle_count; k++) {
        facets->fans[facets->fan_first[facets->triangles[k] + 1]++] = k / 3;
    }
}

FilStatus fil_facets_init(FilFacets* facets, int vertex_count, const int* triangles, int triangle_count, bool closed, double radius)
{
    const size_t sides = 3 * (size_t)triangle_count;
    *facets = (FilFacets){.vertex_count = vertex_count,
                          .triangle_count = triangle_count,
                          .triangles = triangles,
                          .closed = closed,
                          .radius = radius,
                          .x = fil_alloc(3 * (size_t)vertex_count, sizeof(double)),
                          .edges = fil_alloc(2 * sides, sizeof(int)),
                          .wings = fil_alloc(2 * sides, sizeof(int)),
                          .sides = fil_alloc(sides, sizeof(int)),
                          .fans = fil_alloc(sides, sizeof(int)),
                          .fan_first = fil_alloc((size_t)vertex_count + 2, sizeof(int))};
    HalfEdge* halves = fil_alloc(sides, sizeof *halves);
    const bool ok = facets->x != NULL && facets->edges != NULL && facets->wings != NULL && facets->sides != NULL && facets->fans != NULL &&
                    facets->fan_first != NULL && halves != NULL;
    if (ok) {
        find_edges(facets, halves);
        find_fans(facets);
    } else {
        fil_facets_free(facets);
    }
    fil_free(halves);
    return ok ? FIL_OK : FIL_OUT_OF_MEMORY;
}

/* ---- geometry ---- */

double fil_facets_normal(const FilFacets* facets, int triangle, double* normal)
{
    double ab[3], ac[3];
    fil_v3_sub(ab, fil_facets_corner(facets, triangle, 1), fil_facets_corner(facets, triangle, 0));
    fil_v3_sub(ac, fil_facets_corner(facets, triangle, 2), fil_facets_corner(facets, triangle, 0));
    fil_v3_cross(normal, ab, ac);
    return fil_v3_normalise(normal);
}

double fil_facets_size(const FilFacets* facets, int triangle)
{
    double normal[3];
    return sqrt(fil_facets_normal(facets, triangle, normal));
}

void fil_facets_weights(const FilFacets* facets, int triangle, const double* normal, double area2, const double* p, double w[3])
{
    for (int k = 0; k < 3; k++) {
        const double *a = fil_facets_corner(facets, triangle, (k + 1) % 3), *b = fil_facets_corner(facets, triangle, (k + 2) % 3);
        double ab[3], ap[3], across[3];
        fil_v3_sub(ab, b, a);
        fil_v3_sub(ap, p, a);
        fil_v3_cross(across, ab, ap);
        w[k] = fil_v3_dot(across, normal) / area2;
    }
}

int fil_facets_largest(const double w[3])
{
    const int k = w[1] > w[0] ? 1 : 0;
    return w[2] > w[k] ? 2 : k;
}

/* Whether weights are those of a point on the face, or of one on an edge that has the triangle as its first. */
static bool is_inside(const FilFacets* facets, int triangle, const double w[3])
{
    int zeros = 0, zero = 0;
    for (int k = 0; k < 3; k++) {
        if (w[k] < -FIL_FACETS_BORDER) {
            return false;
        }
        if (w[k] <= FIL_FACETS_BORDER) {
            zeros++;
            zero = k;
        }
    }
    const int edge = facets->sides[3 * triangle + (zero + 1) % 3];  // across from corner `zero`
    return zeros == 0 || (zeros == 1 && facets->wings[2 * edge] == triangle);
}

static FilStatus append(FilFacetContacts* out, const FilFacetContact* contact)
{
    if (!fil_array_reserve((void**)&out->items, out->count, &out->capacity, sizeof *out->items)) {
        return FIL_OUT_OF_MEMORY;
    }
    out->items[out->count++] = *contact;
    return FIL_OK;
}

/* ---- faces ---- */

/* A triangle as a shape meets it. */
typedef struct Face {
    int triangle;
    double area2, normal[3]; /* twice the area; counter-clockwise */
    double up[3];            /* towards the shape: the normal, or against it */
    double deepest;          /* m: heights below are those of something else */
} Face;

/* False: nothing can touch it. */
static bool take_face(const FilFacets* facets, int triangle, const FilFacetOther* other, Face* face)
{
    double centre[3], middle[3], to[3];
    *face = (Face){.triangle = triangle};
    face->area2 = fil_facets_normal(facets, triangle, face->normal);
    fil_shape_centre(&other->shape, centre);
    fil_pose_apply(middle, &other->pose, centre);
    fil_v3_sub(to, middle, fil_facets_corner(facets, triangle, 0));
    const bool below = !facets->closed && fil_v3_dot(face->normal, to) < 0.0;
    fil_v3_scale(face->up, below ? -1.0 : 1.0, face->normal);
    const double thick = facets->closed ? 0.0 : facets->radius + fil_shape_rounding(&other->shape);
    face->deepest = -fmax(FIL_FACETS_DEEPEST * sqrt(face->area2), thick);
    return face->area2 > 0.0 && fil_v3_dot(face->up, to) >= face->deepest;
}

static FilStatus meet_face(const FilFacets* facets, int triangle, const FilFacetOther* other, double margin, FilFacetContacts* out)
{
    const double rounding = fil_shape_rounding(&other->shape);
    Face face;
    if (!take_face(facets, triangle, other, &face)) {
        return FIL_OK;
    }
    const double down[3] = {-face.up[0], -face.up[1], -face.up[2]};
    FilFace corners;
    FilStatus status = FIL_OK;
    fil_shape_face(&other->shape, &other->pose, down, &corners);
    for (int i = 0; i < corners.count && status == FIL_OK; i++) {
        const double* p = corners.corner[i];
        double w[3], to[3], local[3];
        fil_v3_sub(to, p, fil_facets_corner(facets, triangle, 0));
        const double height = fil_v3_dot(face.up, to), distance = height - rounding - facets->radius;
        if (distance > margin || height < face.deepest) {
            continue;
        }
        fil_facets_weights(facets, triangle, face.normal, face.area2, p, w);
        fil_pose_apply_inverse(local, &other->pose, p);
        if (!is_inside(facets, triangle, w) || (other->open_end && local[2] > 0.0)) {
            continue;
        }
        FilFacetContact contact = {.triangle = triangle,
                                   .vertex = facets->triangles[3 * triangle + fil_facets_largest(w)],
                                   .point = {.distance = distance, .feature = (uint32_t)corners.id[i]},
                                   .height = height};
        fil_v3_copy(contact.point.normal, face.up);
        fil_v3_copy(contact.point.position, p);
        fil_v3_axpy(contact.point.position, -(rounding + 0.5 * distance), face.up);
        status = append(out, &contact);
    }
    return status;
}

/* ---- edges ---- */

bool fil_facets_is_outward(const FilFacets* facets, int edge, const double* normal)
{
    double outward[3] = {0.0};
    for (int s = 0; s < 2; s++) {
        const int triangle = facets->wings[2 * edge + s];
        if (triangle < 0) {
            continue;
        }
        // into the face, across the edge: normal x edge as the triangle runs along it
        double n[3], along[3], into[3];
        int k = 0;
        while (facets->sides[3 * triangle + k] != edge) {
            k++;
        }
        if (!(fil_facets_normal(facets, triangle, n) > 0.0)) {
            continue;
        }
        fil_v3_sub(along, fil_facets_corner(facets, triangle, (k + 1) % 3), fil_facets_corner(facets, triangle, k));
        fil_v3_cross(into, n, along);
        fil_v3_normalise(into);
        if (fil_v3_dot(into, normal) > MAX_TILT) {
            return false;
        }
        fil_v3_add(outward, outward, n);
    }
    return !facets->closed || fil_v3_dot(outward, normal) > 0.0;
}

static FilStatus meet_edge(const FilFacets* facets, int triangle, int edge, const FilFacetOther* other, double margin, FilFacetContacts* out)
{
    const int* ends = facets->edges + 2 * edge;
    const double *a = facets->x + 3 * ends[0], *b = facets->x + 3 * ends[1];
    FilPose pose;
    const FilShape capsule = fil_shape_of_segment(a, b, facets->radius, &pose);
    FilContactPoint points[FIL_MANIFOLD_POINTS];
    const int count = fil_collide(&capsule, &pose, &other->shape, &other->pose, margin, points);
    double along[3];
    fil_v3_sub(along, b, a);
    const double square = fil_v3_dot(along, along);
    FilStatus status = FIL_OK;
    for (int i = 0; i < count && status == FIL_OK; i++) {
        double to[3];
        fil_v3_sub(to, points[i].position, a);
        const double s = fil_v3_dot(to, along) / square;
        if (s > FIL_FACETS_BORDER && s < 1.0 - FIL_FACETS_BORDER && fil_facets_is_outward(facets, edge, points[i].normal)) {
            FilFacetContact contact = {triangle, s < 0.5 ? ends[0] : ends[1], points[i], HUGE_VAL};
            // which side of the triangle, 1 to 3, or below which vertex, 5 to 7: in bits above the corners that manifolds of primitives number, so
            // that two contacts of a triangle are not taken for one
            contact.point.feature ^= (uint32_t)(edge - facets->sides[3 * triangle] + 1) << 20;
            status = append(out, &contact);
        }
    }
    return status;
}

FilStatus fil_facets_meet_shape(const FilFacets* facets, int triangle, const FilFacetOther* other, double margin, FilFacetContacts* out)
{
    FilStatus status = meet_face(facets, triangle, other, margin, out);
    for (int k = 0; k < 3 && status == FIL_OK; k++) {
        const int edge = facets->sides[3 * triangle + k];
        if (facets->wings[2 * edge] == triangle) {
            status = meet_edge(facets, triangle, edge, other, margin, out);
        }
    }
    return status;
}

bool fil_facets_is_extreme(const FilFacets* facets, int vertex, const double* up, double min)
{
    const double* p = facets->x + 3 * vertex;
    for (int k = facets->fan_first[vertex]; k < facets->fan_first[vertex + 1]; k++) {
        for (int j = 0; j < 3; j++) {
            double to[3];
            fil_v3_sub(to, fil_facets_corner(facets, facets->fans[k], j), p);
            if (fil_v3_dot(to, up) < min * fil_v3_norm(to)) {
                return false;
            }
        }
    }
    return true;
}

FilStatus fil_facets_meet_vertices_of(const FilFacets* facets, int triangle, const FilFacetOther* other, double margin, FilFacetContacts* out)
{
    const FilShape sphere = fil_shape_sphere(facets->radius);
    FilStatus status = FIL_OK;
    for (int k = 0; k < 3; k++) {
        const int vertex = facets->triangles[3 * triangle + k];
        if (facets->fans[facets->fan_first[vertex]] != triangle) {
            continue;
        }
        FilPose pose = fil_pose_identity();
        FilContactPoint points[FIL_MANIFOLD_POINTS];
        fil_v3_copy(pose.p, facets->x + 3 * vertex);
        const int count = fil_collide(&sphere, &pose, &other->shape, &other->pose, margin, points);
        for (int i = 0; i < count && status == FIL_OK; i++) {
            const double* n = points[i].normal;
            const double down[3] = {-n[0], -n[1], -n[2]};
            if (fil_facets_is_extreme(facets, vertex, down, -MAX_TILT)) {
                FilFacetContact contact = {triangle, vertex, points[i], HUGE_VAL};
                contact.point.feature ^= (uint32_t)(k + 5) << 20;
                status = append(out, &contact);
            }
        }
    }
    return status;
}

void fil_facets_settle(const FilFacets* facets, FilFacetContacts* contacts, int first)
{
    int kept = first;
    for (int i = first; i < contacts->count; i++) {
        const FilFacetContact* c = &contacts->items[i];
        bool nearest = true;
        for (int j = first; facets->closed && c->height < 0.0 && j < contacts->count && nearest; j++) {
            const FilFacetContact* d = &contacts->items[j];
            const double mine = -c->height, its = fabs(d->height);
            nearest = j == i || d->point.feature != c->point.feature || !(its < mine || (its == mine && j < i));
        }
        // those dropped stay behind for the others to compare with
        if (nearest) {
            const FilFacetContact keep = *c;
            contacts->items[i] = contacts->items[kept];
            contacts->items[kept++] = keep;
        }
    }
    contacts->count = kept;
}
