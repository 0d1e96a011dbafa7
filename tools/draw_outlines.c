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
        case FIL_TYPE_SPHERE:
        case FIL_TYPE_CAPSULE:
            fil_v3_scale(out, shape->radius / fil_v3_norm(d), d);
            out[2] += shape->type == FIL_TYPE_CAPSULE ? end : 0.0;
            break;
        case FIL_TYPE_CYLINDER:
            fil_v3_set(out, across > 0.0 ? shape->radius * d[0] / across : 0.0,
                       across > 0.0 ? shape->radius * d[1] / across : 0.0, end);
            break;
        case FIL_TYPE_BOX:
            fil_v3_set(out, copysign(0.5 * shape->size.x, d[0]), copysign(0.5 * shape->size.y, d[1]),
                       copysign(0.5 * shape->size.z, d[2]));
            break;
        case FIL_TYPE_HULL:
        case FIL_TYPE_MESH:
        case FIL_TYPE_REVOLUTION:
            for (int i = 0; i < shape->point_count; ++i) {
                if (fil_v3_dot(shape->points + 3 * i, d) > best) {
                    best = fil_v3_dot(shape->points + 3 * i, d);
                    fil_v3_copy(out, shape->points + 3 * i);
                }
            }
            break;
        case FIL_TYPE_HALF_SPACE:
            break;
    }
}

static void outline(const FilView* view, const FilShapeDef* shape, const FilPose* pose, FilOutline* out)
{
    for (int k = 0; k < FIL_OUTLINE_CORNERS; ++k) {
        const double angle = 2.0 * FIL_PI * k / FIL_OUTLINE_CORNERS;
        double direction[3], local[3], point[3];
        fil_v3_scale(direction, cos(angle), view->right);
        fil_v3_axpy(direction, sin(angle), view->up);
        fil_m3_apply_transposed(local, pose->r, direction);
        farthest(shape, local, point);
        fil_m3_apply(local, pose->r, point);
        fil_v3_add(local, local, pose->p);
        out->corner[2 * k] = fil_v3_dot(view->right, local);
        out->corner[2 * k + 1] = fil_v3_dot(view->up, local);
    }
    out->depth = fil_v3_dot(view->toward, pose->p);
}

static void outline_shape(const FilView* view, const FilShownShape* shape, FilOutline* out)
{
    const FilPose pose = fil_shown_pose(shape);
    *out = (FilOutline){.moves = shape->moves};
    outline(view, &shape->def, &pose, out);
}

/* The outline's other corners are the triangle's last one. */
static void outline_triangle(const FilView* view, double corners[3][3], FilOutline* out)
{
    *out = (FilOutline){.moves = true, .sheet = true};
    double seen[3][3], u[3], v[3];
    for (int k = 0; k < 3; ++k) {
        fil_v3_set(seen[k], fil_v3_dot(view->right, corners[k]), fil_v3_dot(view->up, corners[k]),
                   fil_v3_dot(view->toward, corners[k]));
        out->depth += seen[k][2] / 3.0;
    }
    for (int k = 0; k < FIL_OUTLINE_CORNERS; ++k) {
        const double* corner = seen[k < 2 ? k : 2];
        out->corner[2 * k] = corner[0];
        out->corner[2 * k + 1] = corner[1];
    }
    fil_v3_sub(u, seen[1], seen[0]);
    fil_v3_sub(v, seen[2], seen[0]);
    fil_v3_cross(out->normal, u, v);
    fil_v3_normalise(out->normal);
    fil_v3_scale(out->normal, out->normal[2] < 0.0 ? -1.0 : 1.0, out->normal);
}

int fil_outline_object(const FilView* view, const FilShowKind* kind, const FilWorld* world, FilId id, FilOutline* out)
{
    int count = 0;
    for (int s = 0; kind->shape_count != NULL && s < kind->shape_count(world, id); ++s) {
        FilShownShape shape;
        kind->shape(world, id, s, &shape);
        if (shape.def.type != FIL_TYPE_HALF_SPACE && out != NULL) {
            outline_shape(view, &shape, &out[count]);
        }
        count += shape.def.type != FIL_TYPE_HALF_SPACE;
    }
    for (int t = 0; kind->triangle_count != NULL && t < kind->triangle_count(world, id); ++t, ++count) {
        if (out != NULL) {
            int vertices[3];
            double corners[3][3];
            kind->triangle(world, id, t, vertices);
            for (int k = 0; k < 3; ++k) {
                kind->vertex(world, id, vertices[k], corners[k]);
            }
            outline_triangle(view, corners, &out[count]);
        }
    }
    return count;
}
