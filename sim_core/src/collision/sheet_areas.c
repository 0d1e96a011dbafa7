/* Solids in contact by areas, with each other and with rigid shapes. Two solids: where a triangle of one faces a triangle of the other, the polygon
 * in which they overlap, seen along their common normal, is one contact at its centroid: gap phi there, stiffness A C with the area A and the
 * beddings of both in series, 1/C = 1/C_a + 1/C_b (Pa/m).
 *
 * A constant pressure p = -C phi gives forces p A at centroids, whose shares on the corners of both triangles are the integrals of
 * p times the corners' shape functions over the polygon, exactly, because those are linear. So uniform pressure between meshes that do not
 * match is transmitted as it is (the contact patch test), which contacts at vertices and crossings of edges cannot do: they know no areas.
 *
 * A rigid shape: C is the solid's bedding, the shape's pressure over depth (its field's, modulus over depth), or both in series. A triangle is cut
 * where phi is zero on its sides; each part is one contact at its centroid, with the shape's distance and normal there. Beside the edges of a punch
 * its flank is nearer than the face that presses: there the depth is that of the face which the triangle looks away from, found through the solid. */
#include <float.h>
#include <math.h>

#include "base/vec3.h"
#include "collision/collision.h"
#include "geometry/polygon.h"

/* Faces are opposite if their normals are less than 60 degrees from it. */
static const double OPPOSITE = -0.5;
/* Deeper than this share of a triangle's size, it has come in from elsewhere. */
static const double DEEPEST = 0.5;
/* The same of a solid with itself: the two sides of a wall face away from each other, its thickness apart. Thinner walls are taken for
 * contact. */
static const double OWN_DEEPEST = 0.1;
/* Polygons below this share of the smaller triangle bear nothing. */
static const double MIN_AREA = 1e-12;

typedef struct Face {
    const double* x[3];
    double normal[3], area2; /* unit; twice the area, m^2 */
} Face;

static Face face_of(const FilCollisionSheet* s, int t)
{
    Face face;
    double ab[3], ac[3];
    for (int k = 0; k < 3; k++) {
        face.x[k] = fil_facets_corner(&s->facets, t, k);
    }
    fil_v3_sub(ab, face.x[1], face.x[0]);
    fil_v3_sub(ac, face.x[2], face.x[0]);
    fil_v3_cross(face.normal, ab, ac);
    face.area2 = fil_v3_normalise(face.normal);
    return face;
}

/* Where the line through p along n meets the face's plane: its height above p. */
static double height_at(const Face* face, const double* p, const double* n)
{
    double to[3];
    fil_v3_sub(to, face->x[0], p);
    return fil_v3_dot(to, face->normal) / fil_v3_dot(n, face->normal);
}

/* The part of a's triangle, moved along n into the plane through the origin's, that lies over b's. False if there is none. */
static bool overlap(const Face* a, const Face* b, const double* n, FilPolygon* out)
{
    FilPolygon polygon = {.count = 3}, cut;
    for (int k = 0; k < 3; k++) {
        double to[3];
        fil_v3_sub(to, a->x[k], b->x[0]);
        fil_v3_copy(polygon.corner[k], a->x[k]);
        fil_v3_axpy(polygon.corner[k], -fil_v3_dot(to, n), n);
    }
    for (int k = 0; k < 3; k++) {  // inside of b's sides, whose normal is about -n
        const double *from = b->x[k], *to = b->x[(k + 1) % 3];
        double side[3], plane[4];
        fil_v3_sub(side, to, from);
        fil_v3_cross(plane, side, n);
        plane[3] = -fil_v3_dot(plane, from);
        fil_polygon_cut(&polygon, plane, &cut);
        polygon = cut;
        if (polygon.count < 3) {
            return false;
        }
    }
    *out = polygon;
    return true;
}

static int nearest_corner(const FilCollisionSheet* s, int t, const double* p)
{
    int best = 0;
    double min = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double d = fil_v3_distance(fil_facets_corner(&s->facets, t, k), p);
        best = d < min ? k : best;
        min = fmin(d, min);
    }
    return s->first + s->facets.triangles[3 * t + best];
}

/* One pair of triangles. */
static FilStatus meet_faces(FilCollisionStage* stage, const FilCollisionSheet* a, int s, const FilCollisionSheet* b, int t, double margin,
                            double deepest)
{
    const Face fa = face_of(a, s), fb = face_of(b, t);
    FilPolygon polygon;
    FilContactPoint point = {.feature = 0};
    double n[3], centroid[3];
    if (!(fa.area2 > 0.0 && fb.area2 > 0.0) || fil_v3_dot(fa.normal, fb.normal) > OPPOSITE) {
        return FIL_OK;
    }
    fil_v3_sub(n, fa.normal, fb.normal);
    fil_v3_normalise(n);
    if (!overlap(&fa, &fb, n, &polygon)) {
        return FIL_OK;
    }
    const double area = fabs(fil_polygon_area(&polygon, n, centroid));
    const double low = height_at(&fa, centroid, n), high = height_at(&fb, centroid, n), distance = high - low;
    const double size = fmin(fil_facets_size(&a->facets, s), fil_facets_size(&b->facets, t));
    if (!(area > 0.5 * MIN_AREA * fmin(fa.area2, fb.area2)) || distance > margin || distance < -deepest * size) {
        return FIL_OK;
    }
    fil_v3_copy(point.position, centroid);
    fil_v3_axpy(point.position, 0.5 * (low + high), n);
    fil_v3_copy(point.normal, n);
    point.distance = distance;
    const int first = nearest_corner(a, s, point.position), second = nearest_corner(b, t, point.position);
    const double stiffness = area * a->bedding * b->bedding / (a->bedding + b->bedding);
    const FilSurface surface = fil_collision_surface(stage, &stage->colliders[first], &stage->colliders[second]);
    const int part[2] = {fil_collision_sheet_part(a, s), fil_collision_sheet_part(b, t)};
    if (first < second) {
        return fil_collision_emit_patch(stage, first, part[0], second, part[1], &point, stiffness, area, &surface);
    }
    fil_v3_scale(point.normal, -1.0, point.normal);  // of a solid with itself
    return fil_collision_emit_patch(stage, second, part[1], first, part[0], &point, stiffness, area, &surface);
}

FilStatus fil_collision_meet_sheet_areas(FilCollisionStage* stage, const FilCollisionSheet* a, const FilCollisionSheet* b, double dt)
{
    FilStatus status = fil_pairs_sort(&stage->faces, a->facets.triangle_count, &stage->sorted);
    for (int k = 0; k < stage->faces.count && status == FIL_OK; k++) {
        const int s = stage->faces.items[k].a, t = stage->faces.items[k].b;
        if (stage->join_count > 0 && (fil_collision_sheet_joined(stage, a, s, b->body) || fil_collision_sheet_joined(stage, b, t, a->body))) {
            continue;
        }
        status = meet_faces(stage, a, s, b, t, fil_collision_sheet_margin(stage, a, s, b, t, dt), DEEPEST);
    }
    return status;
}

/* ---- rigid shapes ---- */

double fil_collision_bed(const FilCollisionStage* stage, const FilCollisionSheet* s, const FilWorldCollider* c)
{
    if (s->mesh != NULL || !s->facets.closed || c->collider.kind != FIL_COLLIDER_SHAPE || c->sheet >= 0) {
        return 0.0;
    }
    const double shape = c->side >= 0 ? stage->patches.sides[c->side].stiffness : 0.0;
    return s->bedding > 0.0 && shape > 0.0 ? s->bedding * shape / (s->bedding + shape) : fmax(s->bedding, shape);
}

/* Where a point of a sheet meets a shape, within `reach` (m). */
static bool meet_point(const FilCollisionSheet* s, const double* x, const FilWorldCollider* c, double reach, FilContactPoint* out)
{
    const FilShape ball = {.kind = FIL_PRIMITIVE_SPHERE, .radius = s->facets.radius};
    FilContactPoint points[FIL_MANIFOLD_POINTS];
    FilPose pose = fil_pose_identity();
    fil_v3_copy(pose.p, x);
    const int count = fil_collide(&ball, &pose, &c->collider.shape, &c->place.pose, reach, points);
    *out = points[0];
    for (int k = 1; k < count; k++) {
        *out = points[k].distance < out->distance ? points[k] : *out;
    }
    return count > 0;
}

/* Evaluations, at most, that look for phi = 0 on a side, and how near they come, in its length. */
enum { CUT_STEPS = 8 };
static const double CUT = 1e-4;

/* The share of the side from a to b at which phi, of opposite signs there, is zero: regula falsi, whose kept end is weighted less (Illinois). A
 * convex shape's phi is convex along a line: one zero. */
static double cut_side(const FilCollisionSheet* s, const double* a, double phi_a, const double* b, double phi_b, const FilWorldCollider* c)
{
    const double length = fil_v3_distance(a, b);
    double low = 0.0, high = 1.0, share = phi_a / (phi_a - phi_b);
    for (int k = 0, kept = 0; k < CUT_STEPS; k++) {
        double x[3];
        FilContactPoint point;
        fil_v3_copy(x, a);
        fil_v3_scale(x, 1.0 - share, x);
        fil_v3_axpy(x, share, b);
        if (!meet_point(s, x, c, length, &point) || fabs(point.distance) <= CUT * length) {
            break;
        }
        if ((point.distance < 0.0) == (phi_a < 0.0)) {
            phi_b *= kept > 0 ? 0.5 : 1.0;
            low = share, phi_a = point.distance, kept = 1;
        } else {
            phi_a *= kept < 0 ? 0.5 : 1.0;
            high = share, phi_b = point.distance, kept = -1;
        }
        share = low + (high - low) * phi_a / (phi_a - phi_b);
    }
    return share;
}

/* Where the sides of a triangle with these phi at its corners are cut; what is not cut has no meaning. */
static void cut_sides(const FilCollisionSheet* s, const Face* face, const double* phi, const FilWorldCollider* c, double* share)
{
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        share[k] = (phi[k] < 0.0) != (phi[next] < 0.0) ? cut_side(s, face->x[k], phi[k], face->x[next], phi[next], c) : 0.0;
    }
}

/* The part of a triangle that is inside the shape, or the rest. */
static void part_of(const Face* face, const double* phi, const double* share, bool inside, FilPolygon* out)
{
    out->count = 0;
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        if ((phi[k] < 0.0) == inside) {
            fil_v3_copy(out->corner[out->count++], face->x[k]);
        }
        if ((phi[k] < 0.0) != (phi[next] < 0.0)) {
            double* corner = out->corner[out->count++];
            fil_v3_copy(corner, face->x[k]);
            fil_v3_scale(corner, 1.0 - share[k], corner);
            fil_v3_axpy(corner, share[k], face->x[next]);
        }
    }
}

/* Halvings of the way on which the shape's face behind a triangle is looked for: to a thousandth of it. */
enum { HALVINGS = 10 };

/* Where a line from x, inside the shape, against the triangle's normal leaves it, through a face that the triangle looks away from: the distance to
 * the plane which touches the shape there. Just outside, that face is the nearest even where a flank is close. False where it is deeper than
 * `deepest`. */
static bool meet_behind(const FilCollisionSheet* s, const Face* face, const double* x, const FilWorldCollider* c, double deepest,
                        FilContactPoint* out)
{
    double inside = 0.0, outside = deepest;
    for (int k = 0; k <= HALVINGS; k++) {
        const double at = k == 0 ? deepest : 0.5 * (inside + outside);
        double p[3];
        FilContactPoint point;
        fil_v3_copy(p, x);
        fil_v3_axpy(p, -at, face->normal);
        if (meet_point(s, p, c, deepest, &point) && point.distance > 0.0) {
            outside = at;
            *out = point;
        } else if (k == 0) {
            return false;
        } else {
            inside = at;
        }
    }
    const double facing = fil_v3_dot(face->normal, out->normal);
    out->distance -= outside * facing;
    fil_v3_copy(out->position, x);
    fil_v3_axpy(out->position, s->facets.radius + 0.5 * out->distance, out->normal);
    return facing >= -OPPOSITE && out->distance < 0.0;
}

static FilStatus press(FilCollisionStage* stage, const FilCollisionSheet* s, int t, int collider, double stiffness, double area,
                       FilContactPoint* point)
{
    const int vertex = nearest_corner(s, t, point->position), part = fil_collision_sheet_part(s, t);
    const FilSurface surface = fil_collision_surface(stage, &stage->colliders[vertex], &stage->colliders[collider]);
    if (vertex < collider) {
        return fil_collision_emit_patch(stage, vertex, part, collider, 0, point, stiffness, area, &surface);
    }
    fil_v3_scale(point->normal, -1.0, point->normal);
    return fil_collision_emit_patch(stage, collider, 0, vertex, part, point, stiffness, area, &surface);
}

/* What a shape does to a sheet's triangles. */
typedef struct Pressing {
    const FilCollisionSheet* sheet;
    int collider;
    double bed;     /* Pa/m */
    double deepest; /* m, of faces that look at what presses them */
    bool again;     /* for those that do not */
} Pressing;

/* One part of a triangle, seen along the contact's normal. Sets `aside` where its normal is not the shape's, within 60 degrees: for `again`, when it
 * is known how deep others are. What faces away and has nothing behind has come in from elsewhere. */
static FilStatus press_part(FilCollisionStage* stage, Pressing* pressing, const Face* face, int t, const FilPolygon* polygon, double margin,
                            bool inside, bool* aside)
{
    const FilCollisionSheet* s = pressing->sheet;
    const FilWorldCollider* c = &stage->colliders[pressing->collider];
    FilContactPoint point;
    double centroid[3];
    double area = polygon->count > 2 ? fil_polygon_area(polygon, face->normal, centroid) : 0.0;
    if (!(area > 0.5 * MIN_AREA * face->area2) || !meet_point(s, centroid, c, margin, &point)) {
        return FIL_OK;
    }
    double facing = fil_v3_dot(face->normal, point.normal);
    if (inside && facing < -OPPOSITE && !c->unbounded) {
        *aside = !pressing->again;
        if (*aside) {
            return FIL_OK;
        }
        // beside an edge it may be deeper than any face of the shape is, but not by much
        FilContactPoint behind;
        if (meet_behind(s, face, centroid, c, 2.0 * pressing->deepest, &behind)) {
            point = behind;
            facing = fil_v3_dot(face->normal, point.normal);
        }
    } else if (inside) {
        pressing->deepest = fmax(pressing->deepest, -point.distance);
    }
    area *= facing;
    return area > 0.5 * MIN_AREA * face->area2 ? press(stage, s, t, pressing->collider, area * pressing->bed, area, &point) : FIL_OK;
}

static FilStatus press_triangle(FilCollisionStage* stage, Pressing* pressing, int t, double margin, bool* aside)
{
    const FilCollisionSheet* s = pressing->sheet;
    const FilWorldCollider* c = &stage->colliders[pressing->collider];
    const Face face = face_of(s, t);
    double phi[3], share[3], longest = 0.0, nearest = DBL_MAX;
    for (int k = 0; k < 3; k++) {
        longest = fmax(longest, fil_v3_distance(face.x[k], face.x[(k + 1) % 3]));
    }
    for (int k = 0; k < 3; k++) {
        FilContactPoint corner;
        if (!meet_point(s, face.x[k], c, margin + longest, &corner)) {
            return FIL_OK;  // so far away that no point of the triangle is within the margin
        }
        phi[k] = corner.distance;
        nearest = fmin(nearest, phi[k]);
    }
    if (nearest > margin) {
        return FIL_OK;
    }
    cut_sides(s, &face, phi, c, share);
    FilStatus status = FIL_OK;
    for (int side = 0; side < (pressing->again ? 1 : 2) && status == FIL_OK; side++) {
        FilPolygon polygon;
        part_of(&face, phi, share, side == 0, &polygon);
        status = press_part(stage, pressing, &face, t, &polygon, margin, side == 0, aside);
    }
    return status;
}

FilStatus fil_collision_meet_shape_areas(FilCollisionStage* stage, FilCollisionSheet* s, int collider, double dt)
{
    const FilWorldCollider* c = &stage->colliders[collider];
    Pressing pressing = {.sheet = s, .collider = collider, .bed = fil_collision_bed(stage, s, c)};
    stage->faces.count = 0;
    FilStatus status = fil_collision_ready_sheet(stage, s, dt);
    if (status == FIL_OK && !c->unbounded) {
        status = fil_bvh_query(&s->tree, &stage->tree.tight[collider], 0, &stage->faces);
        // the tree's order depends on its past
        status = status == FIL_OK ? fil_pairs_sort(&stage->faces, s->facets.triangle_count, &stage->sorted) : status;
    }
    int count = c->unbounded ? s->facets.triangle_count : stage->faces.count;
    for (int pass = 0; pass < 2 && status == FIL_OK; pass++) {
        int kept = 0;
        for (int k = 0; k < count && status == FIL_OK; k++) {
            const int t = c->unbounded ? k : stage->faces.items[k].a;
            if (stage->join_count > 0 && fil_collision_sheet_joined(stage, s, t, c->body)) {
                continue;
            }
            const double margin =
                FIL_LOOK_AHEAD * dt * fil_collision_sheet_closing(stage, s, t, &c->place) + FIL_SHEETS_AT_REST * fil_facets_size(&s->facets, t);
            bool aside = false;
            status = press_triangle(stage, &pressing, t, margin, &aside);
            if (aside) {
                stage->faces.items[kept++] = stage->faces.items[k];
            }
        }
        count = kept;
        pressing.again = true;
    }
    return status;
}

/* ---- a solid with itself ---- */

/* Whether two triangles share a vertex, or a vertex of each an edge: those stay together by themselves. */
static bool neighbours(const FilFacets* facets, int s, int t)
{
    for (int k = 0; k < 9; k++) {
        const int u = facets->triangles[3 * s + k / 3], v = facets->triangles[3 * t + k % 3];
        if (u == v) {
            return true;
        }
        for (int f = facets->fan_first[u]; f < facets->fan_first[u + 1]; f++) {
            const int* corner = facets->triangles + 3 * facets->fans[f];
            if (corner[0] == v || corner[1] == v || corner[2] == v) {
                return true;
            }
        }
    }
    return false;
}

FilStatus fil_collision_meet_own_areas(FilCollisionStage* stage, FilCollisionSheet* s, double dt)
{
    stage->faces.count = 0;
    FilStatus status = fil_collision_ready_sheet(stage, s, dt);
    status = status == FIL_OK ? fil_bvh_self_pairs(&s->tree, &stage->faces) : status;
    status = status == FIL_OK ? fil_pairs_sort(&stage->faces, s->facets.triangle_count, &stage->sorted) : status;
    for (int k = 0; k < stage->faces.count && status == FIL_OK; k++) {
        const int a = stage->faces.items[k].a, b = stage->faces.items[k].b;
        if (!neighbours(&s->facets, a, b)) {
            status = meet_faces(stage, s, a, s, b, fil_collision_sheet_margin(stage, s, a, s, b, dt), OWN_DEEPEST);
        }
    }
    return status;
}
