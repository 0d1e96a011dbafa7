/* Handles: what holds nodes of rods, cloth and solids, and what drives move. A ball at each point that is held, or where a spring
 * draws it to; a collar where a rod's direction or angle is held too. Rigid bodies that scripts move need none: they are seen. */
#include <math.h>
#include <stdio.h>

#include "base/vec3.h"
#include "geometry/pose.h"
#include "view/show.h"

enum { MAX_POINTS = 24 }; /* of one handle that are drawn: a row of dots, not a wall, and what a hem of a thousand vertices sends stays small */

/* sizes, by a rod's radius, or by the side of a triangle: so that they are seen around what they hold, and small beside the whole */
static const double BALL = 1.8, COLLAR = 1.5, COLLAR_LENGTH = 4.0, DOT = 0.25;

static void print(const FilWorld* world, FilId handle)
{
    static const char* const words[] = {
        [FIL_ATTACH_PIN] = "holds", [FIL_ATTACH_TWIST] = "holds angles of", [FIL_ATTACH_CLAMP] = "clamps", [FIL_ATTACH_HANDLE] = "draws on"};
    const FilAttachmentInfo info = fil_attachment_info(world, handle);
    printf("  %-16s %s %s", fil_attachment_name(world, handle), words[info.kind], fil_object_name(world, info.object));
    if (info.count > 0) {
        printf(info.count == 1 ? ", %s %d" : ", %s %d and on, %d", info.kind == FIL_ATTACH_TWIST ? "edge" : "node", info.first, info.count);
    }
    printf("%s%s\n", info.driven ? ", driven" : "", info.active ? "" : ", has let go");
}

/* What an object is shown as; NULL: not at all. */
static const FilShowKind* kind_of(const FilWorld* world, FilId object)
{
    static const FilShowKind* const held[] = {&fil_show_rod, &fil_show_shell, &fil_show_solid};
    for (size_t k = 0; k < sizeof held / sizeof held[0]; ++k) {
        if (held[k]->name(world, object) != NULL) {
            return held[k];
        }
    }
    return NULL;
}

static int shape_count(const FilWorld* world, FilId handle)
{
    const int count = fil_attachment_info(world, handle).count;
    return count < MAX_POINTS ? count : MAX_POINTS;
}

/* The length of a side of a surface's first triangle: meshes are even. */
static double side_of(const FilShowKind* kind, const FilWorld* world, FilId object)
{
    int corners[3];
    double a[3], b[3];
    kind->triangle(world, object, 0, corners);
    kind->vertex(world, object, corners[0], a);
    kind->vertex(world, object, corners[1], b);
    return fil_v3_distance(a, b);
}

/* Along a rod at one of its nodes. */
static void direction_of(const FilShowKind* kind, const FilWorld* world, FilId rod, int node, double* along)
{
    const FilCurve curve = kind->curve(world, rod);
    const int from = node < curve.node_count - 1 ? node : node - 1;
    double start[3];
    kind->curve_node(world, rod, from, start);
    kind->curve_node(world, rod, from + 1, along);
    fil_v3_axpy(along, -1.0, start);
    fil_v3_normalise(along);
}

static FilQuat turn_to(const double* z)
{
    double x[3], y[3];
    fil_v3_orthogonal(x, z);
    fil_v3_cross(y, z, x);
    return fil_quat_from_m3((const double[]){x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]});
}

static void shape(const FilWorld* world, FilId handle, int index, FilShownShape* out)
{
    // amber for what moves, slate for what does not: a lightness apart, for those who see no hues
    static const FilColor driven = {0.93, 0.62, 0.10, 1.0}, fixed = {0.36, 0.38, 0.42, 1.0};
    const FilAttachmentInfo info = fil_attachment_info(world, handle);
    const FilShowKind* kind = kind_of(world, info.object);
    const int shown = shape_count(world, handle), point = shown > 1 ? (int)((long)index * (info.count - 1) / (shown - 1)) : 0;
    *out = (FilShownShape){.def = fil_shape_def_default(),
                           .position = fil_attachment_point(world, handle, point),
                           .orientation = {0.0, 0.0, 0.0, 1.0},
                           .moves = info.driven,
                           .hidden = !info.active,
                           .colored = true,
                           .color = info.driven ? driven : fixed};
    out->def.type = FIL_SHAPE_SPHERE;
    if (kind == NULL) {
        out->hidden = true;
    } else if (kind->curve == NULL) {
        out->def.radius = DOT * side_of(kind, world, info.object);
    } else {
        const FilCurve curve = kind->curve(world, info.object);
        const int node = (info.first + point) % curve.node_count;
        const double radius = kind->curve_radius(world, info.object, node < curve.edge_count ? node : curve.edge_count - 1);
        out->def.radius = BALL * radius;
        if (info.kind == FIL_ATTACH_CLAMP || info.kind == FIL_ATTACH_TWIST) {
            double along[3];
            direction_of(kind, world, info.object, node, along);
            out->orientation = turn_to(along);
            out->def.type = FIL_SHAPE_CYLINDER;
            out->def.radius = COLLAR * radius;
            out->def.length = COLLAR_LENGTH * radius;
        }
    }
}

static bool grip(const FilWorld* world, FilId handle, int index, FilShownGrip* out)
{
    (void)world;
    (void)handle;
    (void)index;
    (void)out;
    return false;
}

static FilLook look(const FilWorld* world, FilId handle)
{
    return fil_world_look(world, fil_attachment_info(world, handle).object);  // seen with what it holds
}

const FilShowKind fil_show_handle = {
    .heading = "handles",
    .count = fil_world_attachment_count,
    .at = fil_world_attachment_at,
    .name = fil_attachment_name,
    .print = print,
    .look = look,
    .shape_count = shape_count,
    .shape = shape,
    .grip = grip,
};
