#include "view/show.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

static const FilShowKind* const kinds[FIL_SHOW_COUNT] = {
#define ROW(kind) [FIL_SHOW_OF_##kind] = &fil_show_##kind,
    FIL_SHOW_KINDS(ROW)
#undef ROW
};

static FilPose pose_of(FilVec3 position, FilQuat orientation)
{
    FilPose pose = {.p = {position.x, position.y, position.z}};
    fil_m3_from_quat(pose.r, orientation);
    return pose;
}

FilPose fil_shown_pose(const FilShownShape* shape)
{
    const FilPose frame = pose_of(shape->position, shape->orientation), own = pose_of(shape->def.position, shape->def.orientation);
    FilPose pose;
    fil_pose_compose(&pose, &frame, &own);
    return pose;
}

const FilShowKind* fil_show_kind(int index)
{
    return kinds[index];
}

bool fil_show_at(const FilWorld* world, int number, const FilShowKind** kind, FilId* id)
{
    for (int k = 0; k < FIL_SHOW_COUNT && number >= 0; ++k) {
        *kind = kinds[k];
        const int count = kinds[k]->count(world);
        if (number < count) {
            *id = kinds[k]->at(world, number);
            return true;
        }
        number -= count;
    }
    return false;
}

int fil_show_find(const FilWorld* world, const char* name)
{
    const FilShowKind* kind;
    FilId id;
    int number = 0;
    while (fil_show_at(world, number, &kind, &id)) {
        if (strcmp(kind->name(world, id), name) == 0) {
            return number;
        }
        ++number;
    }
    return -1;
}

/* ---- looks ---- */

bool fil_show_visible(const FilShowKind* kind, const FilWorld* world, FilId id)
{
    return kind->look == NULL || kind->look(world, id).visible;
}

FilColor fil_show_color(const FilShowKind* kind, const FilWorld* world, FilId id, int number)
{
    // chosen: apart in hue and in lightness, and none so light that paper swallows it
    static const FilColor palette[] = {
        {0.16, 0.42, 0.72, 1.0}, {0.87, 0.42, 0.14, 1.0}, {0.15, 0.58, 0.43, 1.0}, {0.74, 0.20, 0.38, 1.0},
        {0.44, 0.32, 0.70, 1.0}, {0.78, 0.60, 0.10, 1.0}, {0.10, 0.56, 0.66, 1.0}, {0.52, 0.35, 0.24, 1.0},
    };
    const FilLook look = kind->look != NULL ? kind->look(world, id) : fil_look_default();
    return look.colored ? look.color : palette[number % (int)(sizeof palette / sizeof *palette)];
}

FilColor fil_show_shape_color(const FilShowKind* kind, const FilWorld* world, FilId id, const FilShownShape* shape, FilColor color)
{
    static const FilColor still = {0.61, 0.62, 0.65, 1.0};
    const bool own = kind->look != NULL && kind->look(world, id).colored;
    return shape->colored ? shape->color : shape->moves || own ? color : still;
}

/* ---- what can be set ---- */

FilShownControl fil_show_chamber(double pressure, double usual)
{
    return (FilShownControl){.name = "chamber", .unit = "Pa", .lower = fmin(0.0, pressure), .upper = fmax(usual, pressure), .value = pressure};
}

void fil_show_controls(const FilWorld* world, void (*see)(void* context, FilControlPlace place, const FilShownControl* control), void* context)
{
    int object = 0;
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = kinds[k];
        for (int i = 0; i < kind->count(world); ++i, ++object) {
            const FilId id = kind->at(world, i);
            for (int c = 0; kind->control_count != NULL && c < kind->control_count(world, id); ++c) {
                FilShownControl control;
                if (kind->control(world, id, c, &control)) {
                    see(context, (FilControlPlace){object, c, kind->name(world, id)}, &control);
                }
            }
        }
    }
}

/* ---- lines ---- */

enum { SLEEVE_EDGES = 6 }; /* between two disks; chosen: bends of a quarter turn look round */

bool fil_show_line(const FilShowKind* kind, const FilWorld* world, FilId id, FilCurve* curve)
{
    if (kind->curve != NULL) {
        *curve = kind->curve(world, id);
        return true;
    }
    const int disks = kind->sleeve ? kind->shape_count(world, id) : 0;
    *curve = (FilCurve){.node_count = SLEEVE_EDGES * (disks - 1) + 1, .edge_count = SLEEVE_EDGES * (disks - 1)};
    return disks > 1;
}

static FilPose disk_pose(const FilShowKind* kind, const FilWorld* world, FilId id, int disk)
{
    FilShownShape shape;
    kind->shape(world, id, disk, &shape);
    return fil_shown_pose(&shape);
}

/* Hermite's cubic from disk to disk, along their axes. */
static void sleeve_nodes(const FilShowKind* kind, const FilWorld* world, FilId id, double* nodes)
{
    FilPose a = disk_pose(kind, world, id, 0);
    fil_v3_copy(nodes, a.p);
    for (int d = 1; d < kind->shape_count(world, id); ++d) {
        const FilPose b = disk_pose(kind, world, id, d);
        const double gap = fil_v3_distance(a.p, b.p);
        for (int k = 1; k <= SLEEVE_EDGES; ++k) {
            const double u = (double)k / SLEEVE_EDGES, v = 1.0 - u;
            double* x = nodes + 3 * (SLEEVE_EDGES * (d - 1) + k);
            for (int c = 0; c < 3; ++c) {
                x[c] = v * v * (1.0 + 2.0 * u) * a.p[c] + u * u * (1.0 + 2.0 * v) * b.p[c] +
                       gap * (u * v * v * a.r[3 * c + 2] - u * u * v * b.r[3 * c + 2]);
            }
        }
        a = b;
    }
}

void fil_show_line_nodes(const FilShowKind* kind, const FilWorld* world, FilId id, double* nodes)
{
    if (kind->curve != NULL) {
        kind->curve_nodes(world, id, nodes);
    } else {
        sleeve_nodes(kind, world, id, nodes);
    }
}

double fil_show_line_radius(const FilShowKind* kind, const FilWorld* world, FilId id, int edge)
{
    if (kind->curve != NULL) {
        return kind->curve_radius(world, id, edge);
    }
    FilShownShape before, after;
    const double u = (edge % SLEEVE_EDGES + 0.5) / SLEEVE_EDGES;
    kind->shape(world, id, edge / SLEEVE_EDGES, &before);
    kind->shape(world, id, edge / SLEEVE_EDGES + 1, &after);
    return (1.0 - u) * before.def.radius + u * after.def.radius;
}
