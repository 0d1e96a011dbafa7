#include "geometry/patch.h"

#include "base/error.h"
#include "base/memory.h"
#include "geometry/bvh_posed.h"
#include "geometry/polygon.h"

// polygons of less area than this part of the squared depth H^2 are dropped: 1e-14 m^2 at a depth of 0.1 m
#define SLIVER 1e-12

// two gradients this near to each other, relative to their sizes, agree everywhere or nowhere
#define EQUAL 1e-10

// areas fade from 90 degrees between normal and gradient to 5 pi/8: cosine of the latter
#define FADE 0.38268343236508977

// least part of a gradient that counts along the normal. A p does not depend on it, k of sides along the normal does: it bounds them by ten times
// those of faces that meet head on
#define MIN_PART 0.1

void fil_patch_free(FilPatch* patch)
{
    fil_free(patch->points);
    fil_pairs_free(&patch->pairs);
    fil_near_cells_free(&patch->near[0]);
    fil_near_cells_free(&patch->near[1]);
    *patch = (FilPatch){0};
}

FilStatus fil_patch_reserve(FilPatch* patch, int more)
{
    void* block = patch->points;
    const bool ok = fil_array_reserve_more(&block, patch->count, more, &patch->capacity, sizeof *patch->points);
    patch->points = block;
    return ok ? FIL_OK : FIL_OUT_OF_MEMORY;
}

uint32_t fil_patch_feature(int a, int b, int part)
{
    // splitmix64's last steps
    uint64_t z = ((uint64_t)(uint32_t)a << 33) ^ ((uint64_t)(uint32_t)b << 2) ^ (uint64_t)(uint32_t)part;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return (uint32_t)(z ^ (z >> 31));
}

double fil_patch_gradient(double along, double steepness, double* area)
{
    const double min = MIN_PART * steepness;
    if (along < 0.0) {
        *area *= fmax(0.0, 1.0 + along / (FADE * steepness));
    }
    return along > min ? along : min;
}

// ---- points ----

// what is the same for all polygons of a pair, in a's frame
typedef struct Meeting {
    const FilPose* pose;       /* of a */
    double min_area;           /* m^2 */
    double min;                /* Pa: pressures below are too far away */
    const FilBoundary* curved; /* a rigid surface to project on, or NULL */
    FilPose relative;          /* of b in a */
    FilPatch* patch;
} Meeting;

// one polygon on a plane with normal n (from a to b), with the field of cell a and, if compliant, gradient b
typedef struct Slice {
    const FilFieldCell* cell;
    const double* gradient_b; /* in a's frame; NULL: rigid */
    double normal[3];
    int feature_a, feature_b;
} Slice;

// moves a point from a triangle to the curved surface that it stands for. Its pressure stays: triangles lie inside as
// much as outside, so that the flat mean is nearer to the mean over the curved surface than the value at one point of
// it
static void project(const Meeting* meeting, FilPatchPoint* point)
{
    double local[3], out_local[3], out[3];
    fil_pose_apply_inverse(local, &meeting->relative, point->position);
    const double distance = fil_boundary_distance(meeting->curved, local, out_local);
    fil_m3_apply(out, meeting->relative.r, out_local);
    // if another face is nearer, around an edge and turned by more than 45 degrees, the point stays on its triangle
    if (fil_v3_dot(out, point->normal) < -0.7) {
        fil_v3_axpy(point->position, -distance, out);
        fil_v3_scale(point->normal, -1.0, out);
    }
}

static void add_point(const Meeting* meeting, const Slice* slice, const FilPolygon* polygon, int part)
{
    FilPatchPoint point = {.feature = fil_patch_feature(slice->feature_a, slice->feature_b, part)};
    if (polygon->count < 3) {
        return;
    }
    fil_v3_copy(point.normal, slice->normal);
    point.area = fil_polygon_area(polygon, slice->normal, point.position);
    if (!(point.area > meeting->min_area)) {
        return;
    }
    point.pressure = fil_field_pressure(slice->cell, point.position);
    if (meeting->curved != NULL) {
        project(meeting, &point);
    }
    point.gradient = fil_patch_gradient(-fil_v3_dot(slice->cell->gradient, point.normal), slice->cell->steepness, &point.area);
    if (slice->gradient_b != NULL) {
        const double g = fil_patch_gradient(fil_v3_dot(slice->gradient_b, point.normal), fil_v3_norm(slice->gradient_b), &point.area);
        point.gradient = 1.0 / (1.0 / point.gradient + 1.0 / g);
    }
    if (!(point.area > meeting->min_area) || !(point.gradient > 0.0)) {
        return;
    }
    FilPatchPoint* out = &meeting->patch->points[meeting->patch->count];
    *out = point;
    fil_pose_apply(out->position, meeting->pose, point.position);
    fil_m3_apply(out->normal, meeting->pose->r, point.normal);
    meeting->patch->count++;
}

// the part that touches, and the part that is about to
static FilStatus add_parts(const Meeting* meeting, const Slice* slice, const FilPolygon* polygon)
{
    const double* g = slice->cell->gradient;
    const double up[4] = {g[0], g[1], g[2], slice->cell->offset};
    const double down[4] = {-g[0], -g[1], -g[2], -slice->cell->offset};
    FilPolygon part, near;
    const FilStatus status = fil_patch_reserve(meeting->patch, 2);
    if (status != FIL_OK) {
        return status;
    }
    fil_polygon_cut(polygon, up, &part);
    add_point(meeting, slice, &part, 0);
    if (meeting->min < 0.0) {
        const double far[4] = {g[0], g[1], g[2], slice->cell->offset - meeting->min};
        fil_polygon_cut(polygon, down, &part);
        fil_polygon_cut(&part, far, &near);
        add_point(meeting, slice, &near, 1);
    }
    return FIL_OK;
}

static Meeting meet(const FilField* a, const FilPose* pose_a, const FilPose* pose_b, double stiffness, double margin, FilPatch* patch)
{
    Meeting meeting = {.pose = pose_a, .min_area = SLIVER * a->depth * a->depth, .patch = patch};
    meeting.min = -stiffness * fmax(0.0, fmin(margin, a->margin));
    fil_pose_relative(&meeting.relative, pose_a, pose_b);
    patch->pairs.count = 0;
    return meeting;
}

// ---- against rigid solids ----

static FilStatus add_plane(const FilField* a, const Meeting* meeting)
{
    double up[3];
    fil_pose_axis(up, &meeting->relative, 2);
    const double offset = fil_v3_dot(up, meeting->relative.p);
    FilPairs* pairs = &meeting->patch->pairs;
    FilStatus status = fil_bvh_plane_items(&a->tree, up, offset, false, pairs);
    for (int i = 0; i < pairs->count && status == FIL_OK; i++) {
        const FilFieldCell* cell = &a->cells[pairs->items[i].a];
        Slice slice = {.cell = cell, .feature_a = pairs->items[i].a};
        double height[4];
        FilPolygon polygon;
        for (int k = 0; k < 4; k++) {
            height[k] = fil_v3_dot(up, cell->corner + 3 * k) - offset;
        }
        fil_polygon_slice(cell->corner, height, &polygon);
        if (polygon.count > 0) {
            fil_v3_scale(slice.normal, -1.0, up);
            status = add_parts(meeting, &slice, &polygon);
        }
    }
    return status;
}

static FilStatus add_triangles(const FilField* a, const FilBoundary* b, const Meeting* meeting)
{
    FilPairs* pairs = &meeting->patch->pairs;
    FilStatus status = fil_bvh_posed_pairs(&a->tree, &b->tree, &meeting->relative, pairs);
    for (int i = 0; i < pairs->count && status == FIL_OK; i++) {
        const FilIndexPair pair = pairs->items[i];
        const FilBoundaryFace* face = &b->faces[pair.b];
        Slice slice = {.cell = &a->cells[pair.a], .feature_a = pair.a, .feature_b = pair.b + 1};
        FilPolygon polygon = {.count = 3};
        double out[3];
        for (int k = 0; k < 3; k++) {
            fil_pose_apply(polygon.corner[k], &meeting->relative, face->corner[k]);
        }
        fil_m3_apply(out, meeting->relative.r, face->normal);
        if (fil_polygon_cut_by_cell(&polygon, slice.cell->face, out)) {
            fil_v3_scale(slice.normal, -1.0, out);
            status = add_parts(meeting, &slice, &polygon);
        }
    }
    return status;
}

FilStatus fil_patch_boundary(const FilField* a, const FilPose* pose_a, const FilBoundary* b, const FilPose* pose_b, double margin, FilPatch* patch)
{
    Meeting meeting = meet(a, pose_a, pose_b, a->modulus / a->depth, margin, patch);
    meeting.curved = b->curved ? b : NULL;
    FIL_ASSERT(b->count > 0 || fil_boundary_is_plane(b)); /* made with a resolution */
    return fil_boundary_is_plane(b) ? add_plane(a, &meeting) : add_triangles(a, b, &meeting);
}

// ---- against compliant half-spaces ----

FilStatus fil_patch_half_space(const FilField* a, const FilPose* pose_a, const FilPose* pose_b, double stiffness, double margin, FilPatch* patch)
{
    const double slope = a->modulus / a->depth;
    const Meeting meeting = meet(a, pose_a, pose_b, 1.0 / (1.0 / slope + 1.0 / stiffness), margin, patch);
    double up[3], gradient[3];
    fil_pose_axis(up, &meeting.relative, 2);
    fil_v3_scale(gradient, -stiffness, up);
    const double offset = fil_v3_dot(up, meeting.relative.p);
    // what is about to touch lies within the margin above
    FilStatus status = fil_bvh_plane_items(&a->tree, up, offset + fmax(0.0, margin), true, &patch->pairs);
    for (int i = 0; i < patch->pairs.count && status == FIL_OK; i++) {
        const FilFieldCell* cell = &a->cells[patch->pairs.items[i].a];
        Slice slice = {.cell = cell, .gradient_b = gradient, .feature_a = patch->pairs.items[i].a};
        double height[4];
        FilPolygon polygon;
        for (int k = 0; k < 4; k++) {
            const double* x = cell->corner + 3 * k;
            height[k] = fil_field_pressure(cell, x) + stiffness * (fil_v3_dot(up, x) - offset);
        }
        fil_v3_sub(slice.normal, gradient, cell->gradient);
        fil_polygon_slice(cell->corner, height, &polygon);
        if (polygon.count > 0 && fil_v3_normalise(slice.normal) > EQUAL * (cell->steepness + stiffness)) {
            status = add_parts(&meeting, &slice, &polygon);
        }
    }
    return status;
}

// ---- between two fields ----

static FilStatus add_agreement(const FilFieldCell* a, const FilFieldCell* b, FilIndexPair pair, const Meeting* meeting)
{
    double height[4];
    Slice slice = {.cell = a, .gradient_b = b->gradient, .feature_a = pair.a, .feature_b = pair.b + 1};
    // the pressures agree on a plane; a's own grows and b's falls towards a
    fil_v3_sub(slice.normal, b->gradient, a->gradient);
    const double size = fil_v3_normalise(slice.normal);
    if (!(size > EQUAL * (a->steepness + b->steepness))) {
        return FIL_OK;
    }
    for (int k = 0; k < 4; k++) {
        const double* x = a->corner + 3 * k;
        height[k] = fil_field_pressure(a, x) - fil_field_pressure(b, x);
    }
    FilPolygon polygon;
    double towards[3];
    fil_polygon_slice(a->corner, height, &polygon);
    fil_v3_scale(towards, -1.0, slice.normal);
    return polygon.count > 0 && fil_polygon_cut_by_cell(&polygon, b->face, towards) ? add_parts(meeting, &slice, &polygon) : FIL_OK;
}

// cells of both sides that reach into the slab between a's end and b's, along the line of their middles
static FilStatus find_near(const FilField* a, const FilField* b, const Meeting* meeting, FilNearCells near[2])
{
    const FilPose still = fil_pose_identity();
    FilAabb box_b = fil_aabb_moved(&b->tree.nodes[0].box, &meeting->relative);
    double u[3], back[3];
    for (int k = 0; k < 3; k++) {
        u[k] = box_b.lo[k] + box_b.hi[k] - a->tree.nodes[0].box.lo[k] - a->tree.nodes[0].box.hi[k];
    }
    // any direction will do; this one makes the slab thin
    if (fil_v3_normalise(u) == 0.0) {
        u[0] = 1.0;
    }
    fil_v3_scale(back, -1.0, u);
    // what touches is in both; rounding must not lose it
    const double slack = 1e-9 * (a->depth + b->depth);
    const double hi = fil_near_cells_reach(a, &still, u) + slack, lo = -fil_near_cells_reach(b, &meeting->relative, back) - slack;
    near[0].count = near[1].count = 0;
    if (lo > hi || !fil_aabb_overlap(&a->tree.nodes[0].box, &box_b)) {
        return FIL_OK;
    }
    const FilStatus status = fil_near_cells_collect(&near[0], a, &still, &box_b, u, lo, hi);
    return status == FIL_OK ? fil_near_cells_collect(&near[1], b, &meeting->relative, &a->tree.nodes[0].box, u, lo, hi) : status;
}

FilStatus fil_patch_fields(const FilField* a, const FilPose* pose_a, const FilField* b, const FilPose* pose_b, double margin, FilPatch* patch)
{
    const double ka = a->modulus / a->depth, kb = b->modulus / b->depth;
    Meeting meeting = meet(a, pose_a, pose_b, 1.0 / (1.0 / ka + 1.0 / kb), fmin(margin, b->margin), patch);
    meeting.min_area = SLIVER * fmin(a->depth, b->depth) * fmin(a->depth, b->depth);
    FilPairs* pairs = &patch->pairs;
    FilNearCells* near = patch->near;
    FilStatus status = find_near(a, b, &meeting, near);
    if (status != FIL_OK || near[0].count == 0 || near[1].count == 0) {
        return status;
    }
    status = fil_bvh_pairs(&near[0].tree, &near[1].tree, pairs);
    for (int i = 0; i < pairs->count && status == FIL_OK; i++) {
        const FilIndexPair pair = pairs->items[i], cells = {near[0].index[pair.a], near[1].index[pair.b]};
        status = add_agreement(&near[0].cells[pair.a], &near[1].cells[pair.b], cells, &meeting);
    }
    return status;
}
