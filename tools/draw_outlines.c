#include "draw_outlines.h"

#include <math.h>

#include "base/vec3.h"
#include "geometry/pose.h"

/* The point of a shape farthest along a direction, both in its own frame. */
static void farthest(const FilShapeDef* shape, const double* d, double* out)
{
    const double across = hypot(d[0], d[1]), end = copysign(0.5 * shape->length, d[2]);
    double best = -INFINITY;
    fil_v3_set(out, 0.0, 0.0, 0.0);  // a half-space, which has no outline
    switch (shape->type) {
        case FIL_SHAPE_SPHERE:
        case FIL_SHAPE_CAPSULE:
            fil_v3_scale(out, shape->radius / fil_v3_norm(d), d);
            out[2] += shape->type == FIL_SHAPE_CAPSULE ? end : 0.0;
            break;
        case FIL_SHAPE_CYLINDER:
            fil_v3_set(out, across > 0.0 ? shape->radius * d[0] / across : 0.0, across > 0.0 ? shape->radius * d[1] / across : 0.0, end);
            break;
        case FIL_SHAPE_BOX:
            fil_v3_set(out, copysign(0.5 * shape->size.x, d[0]), copysign(0.5 * shape->size.y, d[1]), copysign(0.5 * shape->size.z, d[2]));
            break;
        case FIL_SHAPE_HULL:
        case FIL_SHAPE_MESH:
        case FIL_SHAPE_REVOLUTION:
            for (int i = 0; i < shape->point_count; ++i) {
                if (fil_v3_dot(shape->points + 3 * i, d) > best) {
                    best = fil_v3_dot(shape->points + 3 * i, d);
                    fil_v3_copy(out, shape->points + 3 * i);
                }
            }
            break;
        case FIL_SHAPE_HALF_SPACE:
            break;
    }
}

/* A point of the world on the page: right, up, toward. */
static void see(const FilView* view, const double* x, double* seen)
{
    fil_v3_set(seen, fil_v3_dot(view->right, x), fil_v3_dot(view->up, x), fil_v3_dot(view->toward, x));
}

/* The rim of a convex shape. */
static void outline_rim(const FilView* view, const FilShapeDef* shape, const FilPose* pose, FilOutline* out)
{
    for (int k = 0; k < FIL_OUTLINE_CORNERS; ++k) {
        const double angle = 2.0 * FIL_PI * k / FIL_OUTLINE_CORNERS;
        double direction[3], local[3], point[3], seen[3];
        fil_v3_scale(direction, cos(angle), view->right);
        fil_v3_axpy(direction, sin(angle), view->up);
        fil_m3_apply_transposed(local, pose->r, direction);
        farthest(shape, local, point);
        fil_m3_apply(local, pose->r, point);
        fil_v3_add(local, local, pose->p);
        see(view, local, seen);
        out->corner[2 * k] = seen[0];
        out->corner[2 * k + 1] = seen[1];
    }
    out->depth = fil_v3_dot(view->toward, pose->p);
}

/* A ball, or a tube along z. */
static void outline_round(const FilView* view, const FilShapeDef* shape, const FilPose* pose, FilOutline* out)
{
    const bool tube = shape->type == FIL_SHAPE_CAPSULE;
    outline_rim(view, shape, pose, out);
    out->form = tube ? FIL_OUTLINE_TUBE : FIL_OUTLINE_BALL;
    out->radius = shape->radius;
    for (int end = 0; end < 2; ++end) {
        const double local[3] = {0.0, 0.0, tube ? (end - 0.5) * shape->length : 0.0};
        double x[3], seen[3];
        fil_m3_apply(x, pose->r, local);
        fil_v3_add(x, x, pose->p);
        see(view, x, seen);
        out->ends[2 * end] = seen[0];
        out->ends[2 * end + 1] = seen[1];
    }
}

/* A flat polygon of points of the world, counter-clockwise seen from outside; the outline's other corners are its last one. */
static void outline_polygon(const FilView* view, const double (*corners)[3], int count, FilOutline* out)
{
    double seen[FIL_OUTLINE_CORNERS][3], u[3], v[3];
    out->depth = 0.0;
    for (int k = 0; k < count; ++k) {
        see(view, corners[k], seen[k]);
        out->depth += seen[k][2] / count;
    }
    for (int k = 0; k < FIL_OUTLINE_CORNERS; ++k) {
        const double* corner = seen[k < count ? k : count - 1];
        out->corner[2 * k] = corner[0];
        out->corner[2 * k + 1] = corner[1];
    }
    fil_v3_sub(u, seen[1], seen[0]);
    fil_v3_sub(v, seen[2], seen[0]);
    fil_v3_cross(out->normal, u, v);
    fil_v3_normalise(out->normal);
    out->hidden = out->normal[2] <= 0.0;
}

/* The same with points of a shape's own frame. */
static void outline_face(const FilView* view, const FilPose* pose, const double (*corners)[3], int count, FilOutline* out)
{
    double placed[FIL_OUTLINE_CORNERS][3];
    for (int k = 0; k < count; ++k) {
        fil_m3_apply(placed[k], pose->r, corners[k]);
        fil_v3_add(placed[k], placed[k], pose->p);
    }
    out->form = FIL_OUTLINE_FACE;
    outline_polygon(view, (const double(*)[3])placed, count, out);
}

static void outline_box(const FilView* view, const FilShapeDef* shape, const FilPose* pose, FilOutline* out)
{
    const double half[3] = {0.5 * shape->size.x, 0.5 * shape->size.y, 0.5 * shape->size.z};
    for (int f = 0; f < 6; ++f) {
        const int axis = f / 2, a = (axis + 1) % 3, b = (axis + 2) % 3;
        const double side = f % 2 == 0 ? -1.0 : 1.0;
        double corners[4][3];
        for (int k = 0; k < 4; ++k) {
            corners[k][axis] = side * half[axis];
            corners[k][a] = side * (k == 0 || k == 3 ? -half[a] : half[a]);
            corners[k][b] = k < 2 ? -half[b] : half[b];
        }
        outline_face(view, pose, (const double(*)[3])corners, 4, &out[f]);
    }
}

enum { SIDES = FIL_SLEEVE_SIDES }; /* of a cylinder; chosen: its shading has no steps that one sees */

static void outline_cylinder(const FilView* view, const FilShapeDef* shape, const FilPose* pose, FilOutline* out)
{
    const double z = 0.5 * shape->length;
    double caps[2][SIDES][3];
    for (int k = 0; k < SIDES; ++k) {
        const double angle = 2.0 * FIL_PI * k / SIDES, x = shape->radius * cos(angle), y = shape->radius * sin(angle);
        fil_v3_set(caps[1][k], x, y, z);
        fil_v3_set(caps[0][k], x, -y, -z);  // the other way round, seen from its own side
    }
    for (int k = 0; k < SIDES; ++k) {
        const double* a = caps[1][k];
        const double* b = caps[1][(k + 1) % SIDES];
        const double corners[4][3] = {{a[0], a[1], -z}, {b[0], b[1], -z}, {b[0], b[1], z}, {a[0], a[1], z}};
        outline_face(view, pose, corners, 4, &out[k]);
    }
    outline_face(view, pose, (const double(*)[3])caps[0], SIDES, &out[SIDES]);
    outline_face(view, pose, (const double(*)[3])caps[1], SIDES, &out[SIDES + 1]);
}

static int count_outlines(const FilShapeDef* shape)
{
    return shape->type == FIL_SHAPE_HALF_SPACE ? 0
           : shape->type == FIL_SHAPE_BOX      ? 6
           : shape->type == FIL_SHAPE_CYLINDER ? SIDES + 2
           : shape->triangle_count > 0         ? shape->triangle_count
                                               : 1;
}

static void outline_shape(const FilView* view, const FilShownShape* shape, FilOutline* out)
{
    const FilPose pose = fil_shown_pose(shape);
    const FilShapeDef* def = &shape->def;
    for (int k = 0; k < count_outlines(def); ++k) {
        const bool round = def->type == FIL_SHAPE_SPHERE || def->type == FIL_SHAPE_CAPSULE || def->type == FIL_SHAPE_CYLINDER;
        out[k] = (FilOutline){.moves = shape->moves, .behind = !shape->moves && !round, .colored = shape->colored, .color = shape->color};
    }
    if (def->type == FIL_SHAPE_BOX) {
        outline_box(view, def, &pose, out);
    } else if (def->type == FIL_SHAPE_CYLINDER) {
        outline_cylinder(view, def, &pose, out);
    } else if (def->type == FIL_SHAPE_SPHERE || def->type == FIL_SHAPE_CAPSULE) {
        outline_round(view, def, &pose, out);
    } else if (def->triangle_count > 0) {
        for (int t = 0; t < def->triangle_count; ++t) {
            double corners[3][3];
            for (int k = 0; k < 3; ++k) {
                fil_v3_copy(corners[k], def->points + 3 * def->triangles[3 * t + k]);
            }
            outline_face(view, &pose, (const double(*)[3])corners, 3, &out[t]);
        }
    } else if (def->type != FIL_SHAPE_HALF_SPACE) {
        outline_rim(view, def, &pose, out);
    }
}

/* Sheets are seen from both sides, skins from outside. */
static void outline_triangle(const FilView* view, const double (*corners)[3], bool skin, FilOutline* out)
{
    *out = (FilOutline){.form = FIL_OUTLINE_SHEET, .moves = true};
    outline_polygon(view, corners, 3, out);
    if (!skin) {
        fil_v3_scale(out->normal, out->normal[2] < 0.0 ? -1.0 : 1.0, out->normal);
        out->hidden = false;
    }
    for (int k = 0; k < 3; ++k) {
        out->edges[k] = fil_v3_distance(corners[k], corners[(k + 1) % 3]);
    }
}

/* A smooth body on its way to the page, ring by ring. */
typedef struct Sleeve {
    const FilView* view;
    FilOutline* next;
    int last;              /* ring */
    double ring[SIDES][3]; /* the one before */
} Sleeve;

/* Faces between two rings, and the two ends. */
static void outline_ring(void* context, int ring, const double (*corners)[3])
{
    Sleeve* sleeve = context;
    double end[SIDES][3];
    for (int k = 0; k < SIDES; ++k) {
        const int next = (k + 1) % SIDES;
        double face[4][3];
        fil_v3_copy(face[0], sleeve->ring[k]);
        fil_v3_copy(face[1], sleeve->ring[next]);
        fil_v3_copy(face[2], corners[next]);
        fil_v3_copy(face[3], corners[k]);
        if (ring > 0) {
            *sleeve->next = (FilOutline){.form = FIL_OUTLINE_FACE, .moves = true};
            outline_polygon(sleeve->view, (const double(*)[3])face, 4, sleeve->next++);
        }
        fil_v3_copy(end[ring == 0 ? SIDES - 1 - k : k], corners[k]);  // the first end is seen from below
    }
    if (ring == 0 || ring == sleeve->last) {
        *sleeve->next = (FilOutline){.form = FIL_OUTLINE_FACE, .moves = true};
        outline_polygon(sleeve->view, (const double(*)[3])end, SIDES, sleeve->next++);
    }
    for (int k = 0; k < SIDES; ++k) {
        fil_v3_copy(sleeve->ring[k], corners[k]);
    }
}

/* Returns how many; none if it is no smooth body. */
static int outline_smooth(const FilView* view, const FilShowKind* kind, const FilWorld* world, FilId id, FilOutline* out)
{
    enum { EDGES = 6 };  // between two disks; chosen: bends of a quarter turn look round
    const int rings = fil_show_sleeve_rings(kind, world, id, EDGES);
    if (rings > 0 && out != NULL) {
        Sleeve sleeve = {.view = view, .next = out, .last = rings - 1};
        fil_show_sleeve(kind, world, id, EDGES, SIDES, outline_ring, &sleeve);
    }
    return rings > 0 ? SIDES * (rings - 1) + 2 : 0;
}

int fil_outline_object(const FilView* view, const FilShowKind* kind, const FilWorld* world, FilId id, FilOutline* out)
{
    int count = outline_smooth(view, kind, world, id, out);
    const bool shaped = kind->shape_count != NULL && count == 0;
    for (int s = 0; shaped && s < kind->shape_count(world, id); ++s) {
        FilShownShape shape;
        kind->shape(world, id, s, &shape);
        if (out != NULL) {
            outline_shape(view, &shape, &out[count]);
        }
        for (int k = count_outlines(&shape.def); k > 0; --k, ++count) {
            if (out != NULL && shape.hidden) {
                out[count].hidden = true;
            }
        }
    }
    for (int t = 0; kind->triangle_count != NULL && t < kind->triangle_count(world, id); ++t, ++count) {
        if (out != NULL) {
            int vertices[3];
            double corners[3][3];
            kind->triangle(world, id, t, vertices);
            for (int k = 0; k < 3; ++k) {
                kind->vertex(world, id, vertices[k], corners[k]);
            }
            outline_triangle(view, (const double(*)[3])corners, kind->closed, &out[count]);
        }
    }
    return count;
}
