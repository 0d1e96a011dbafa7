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
    // eight, apart in hue and in lightness, and none so light that paper swallows it
    static const FilColor palette[] = {
        {0.16, 0.42, 0.72, 1.0}, {0.87, 0.42, 0.14, 1.0}, {0.15, 0.58, 0.43, 1.0}, {0.74, 0.20, 0.38, 1.0},
        {0.44, 0.32, 0.70, 1.0}, {0.78, 0.60, 0.10, 1.0}, {0.10, 0.56, 0.66, 1.0}, {0.52, 0.35, 0.24, 1.0},
    };
    const FilLook look = kind->look != NULL ? kind->look(world, id) : fil_look_default();
    return look.colored ? look.color : palette[number % (int)(sizeof palette / sizeof *palette)];
}

FilColor fil_show_shape_color(const FilShowKind* kind, const FilWorld* world, FilId id, const FilShownShape* shape, FilColor color)
{
    // a grey: what does not move stands back behind the palette
    static const FilColor still = {0.61, 0.62, 0.65, 1.0};
    const bool own = kind->look != NULL && kind->look(world, id).colored;
    return shape->colored ? shape->color : shape->moves || own ? color : still;
}

/* ---- what can be set ---- */

FilShownControl fil_show_chamber(double pressure, double usual)
{
    return (FilShownControl){
        .name = "chamber", .unit = "Pa", .lower = fmin(0.0, pressure), .upper = fmax(usual, pressure), .value = pressure, .pressure = true};
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

/* ---- smooth bodies ---- */

int fil_show_sleeve_rings(const FilShowKind* kind, const FilWorld* world, FilId id, int edges)
{
    const int disks = kind->sleeve ? kind->shape_count(world, id) : 0;
    return disks > 1 ? edges * (disks - 1) + 1 : 0;
}

/* A disk: where it is, and its radius. */
static double see_disk(const FilShowKind* kind, const FilWorld* world, FilId id, int disk, FilPose* pose)
{
    FilShownShape shape;
    kind->shape(world, id, disk, &shape);
    *pose = fil_shown_pose(&shape);
    return shape.def.radius;
}

/* A ring of corners about a point of the line, across it and not twisted against the ring before. */
static void ring_corners(const double* x, const double* along, double radius, double* across, int sides, double (*corners)[3])
{
    double t[3], beside[3];
    fil_v3_copy(t, along);
    fil_v3_normalise(t);
    fil_v3_axpy(across, -fil_v3_dot(across, t), t);
    if (fil_v3_normalise(across) == 0.0) {
        fil_v3_orthogonal(across, t);
    }
    fil_v3_cross(beside, t, across);
    for (int k = 0; k < sides; ++k) {
        const double angle = 2.0 * FIL_PI * k / sides;
        fil_v3_copy(corners[k], x);
        fil_v3_axpy(corners[k], radius * cos(angle), across);
        fil_v3_axpy(corners[k], radius * sin(angle), beside);
    }
}

/* Hermite's cubic from disk to disk, along their axes. */
void fil_show_sleeve(const FilShowKind* kind, const FilWorld* world, FilId id, int edges, int sides, FilSleeveRing see, void* context)
{
    double corners[FIL_SLEEVE_SIDES][3];
    FilPose a, b;
    double before = see_disk(kind, world, id, 0, &a), across[3] = {a.r[0], a.r[3], a.r[6]};
    ring_corners(a.p, (double[]){a.r[2], a.r[5], a.r[8]}, before, across, sides, corners);
    see(context, 0, (const double(*)[3])corners);
    for (int d = 1; d < kind->shape_count(world, id); ++d) {
        const double after = see_disk(kind, world, id, d, &b), gap = fil_v3_distance(a.p, b.p);
        for (int k = 1; k <= edges; ++k) {
            const double u = (double)k / edges, v = 1.0 - u;
            double x[3], along[3];
            for (int c = 0; c < 3; ++c) {
                const double ta = gap * a.r[3 * c + 2], tb = gap * b.r[3 * c + 2];
                x[c] = v * v * (1.0 + 2.0 * u) * a.p[c] + u * u * (1.0 + 2.0 * v) * b.p[c] + u * v * v * ta - u * u * v * tb;
                along[c] = 6.0 * u * v * (b.p[c] - a.p[c]) + v * (v - 2.0 * u) * ta + u * (u - 2.0 * v) * tb;
            }
            ring_corners(x, along, v * before + u * after, across, sides, corners);
            see(context, edges * (d - 1) + k, (const double(*)[3])corners);
        }
        a = b;
        before = after;
    }
}
