/* Two boxes overlap unless one of fifteen axes separates them: three face normals of each, nine cross products of
 * edges. Where they overlap, the axis of least overlap is the way out. Where they do not, GJK gives the distance. */
#include "geometry/boxes.h"

#include "geometry/closest.h"

// an edge axis must be better than a face axis by this part of the depth, and a face of b than one of a: faces give
// more contact points, and ties must not flicker
#define PREFERENCE 1e-4

typedef enum AxisKind { FACE_OF_A, FACE_OF_B, EDGES } AxisKind;

typedef struct Axes {
    const double *half_a, *half_b;
    FilPose b_in_a;
    double tiny; /* m: differences below this are rounding */

    /* the best axis so far */
    double gap; /* m, negative in overlap */
    AxisKind kind;
    double normal[3];   /* in the frame of a, from a to b */
    int edge_a, edge_b; /* of EDGES */
} Axes;

// tries a unit axis, given in the frame of a
static void try_axis(Axes* s, const double* axis, AxisKind kind, int edge_a, int edge_b)
{
    double local[3], reach = 0.0;
    fil_m3_apply_transposed(local, s->b_in_a.r, axis);
    for (int k = 0; k < 3; k++) {
        reach += fabs(axis[k]) * s->half_a[k] + fabs(local[k]) * s->half_b[k];
    }
    const double along = fil_v3_dot(axis, s->b_in_a.p), gap = fabs(along) - reach;
    if (gap > s->gap + (kind != s->kind ? PREFERENCE * fabs(s->gap) + s->tiny : 0.0)) {
        s->gap = gap;
        s->kind = kind;
        s->edge_a = edge_a;
        s->edge_b = edge_b;
        fil_v3_scale(s->normal, along < 0.0 ? -1.0 : 1.0, axis);
    }
}

static void try_all_axes(Axes* s)
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double axis_b[3][3];
    for (int k = 0; k < 3; k++) {
        try_axis(s, unit[k], FACE_OF_A, -1, -1);
    }
    for (int k = 0; k < 3; k++) {
        fil_pose_axis(axis_b[k], &s->b_in_a, k);
        try_axis(s, axis_b[k], FACE_OF_B, -1, -1);
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double across[3];
            fil_v3_cross(across, unit[i], axis_b[j]);
            // parallel edges (to 1e-6 rad, chosen) add nothing to the faces
            if (fil_v3_normalise(across) > 1e-6) {
                try_axis(s, across, EDGES, i, j);
            }
        }
    }
}

// the edge along axis k through a corner of a box
static void edge_through(const double* corner, const double* half, int k, double ends[2][3])
{
    for (int e = 0; e < 2; e++) {
        fil_v3_copy(ends[e], corner);
        ends[e][k] = e == 0 ? -half[k] : half[k];
    }
}

// the two points between which the overlap is measured, in the frame of a
static void find_witnesses(const Axes* s, double* x, double* y)
{
    // the corners that reach deepest into the other box
    double local[3], corner_b[3];
    fil_m3_apply_transposed(local, s->b_in_a.r, s->normal);
    for (int k = 0; k < 3; k++) {
        x[k] = copysign(s->half_a[k], s->normal[k]);
        corner_b[k] = -copysign(s->half_b[k], local[k]);
    }
    if (s->kind == FACE_OF_A) {
        fil_pose_apply(y, &s->b_in_a, corner_b);
        fil_v3_copy(x, y);
        fil_v3_axpy(x, -s->gap, s->normal);
    } else if (s->kind == FACE_OF_B) {
        fil_v3_copy(y, x);
        fil_v3_axpy(y, s->gap, s->normal);
    } else {
        // where the two edges pass each other
        double ends_a[2][3], ends_local[2][3], ends_b[2][3], u, v;
        edge_through(x, s->half_a, s->edge_a, ends_a);
        edge_through(corner_b, s->half_b, s->edge_b, ends_local);
        fil_pose_apply(ends_b[0], &s->b_in_a, ends_local[0]);
        fil_pose_apply(ends_b[1], &s->b_in_a, ends_local[1]);
        fil_segment_segment(ends_a[0], ends_a[1], ends_b[0], ends_b[1], &u, &v);
        for (int k = 0; k < 3; k++) {
            x[k] = ends_a[0][k] + u * (ends_a[1][k] - ends_a[0][k]);
            y[k] = ends_b[0][k] + v * (ends_b[1][k] - ends_b[0][k]);
        }
    }
}

bool fil_boxes_separation(const FilShape* a, const FilPose* pose_a, const FilShape* b, const FilPose* pose_b, double cutoff, FilSeparation* out)
{
    Axes s = {.half_a = a->half, .half_b = b->half, .gap = -HUGE_VAL, .kind = FACE_OF_A};
    fil_pose_relative(&s.b_in_a, pose_a, pose_b);
    // of the sizes: edges whose cross product is smaller are parallel but for rounding
    s.tiny = 1e-10 * (a->half[0] + a->half[1] + a->half[2] + b->half[0] + b->half[1] + b->half[2]);
    try_all_axes(&s);
    if (s.gap > cutoff) {
        return false;
    }
    if (s.gap > s.tiny) {
        return fil_convex_separation(a, pose_a, b, pose_b, cutoff, out);
    }
    double x[3], y[3];
    find_witnesses(&s, x, y);
    out->distance = s.gap;
    fil_m3_apply(out->normal, pose_a->r, s.normal);
    fil_pose_apply(out->a, pose_a, x);
    fil_pose_apply(out->b, pose_a, y);
    return true;
}
