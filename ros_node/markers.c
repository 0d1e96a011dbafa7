/* Markers for RViz and Foxglove: those of all objects and handles, as the page shows them, then contact forces as strokes and pressure
 * patches as discs. */
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "conversion.h"
#include "marker_parts.h"
#include "messages.h"
#include "std_msgs/msg/color_rgba.h"

#define LONGEST_FORCE 0.1 /* m, the length at which the largest contact force is drawn: seen beside objects of some dm, and not hiding them */

/* Of a smooth body, from disk to disk and around: the outline is off by 1 - cos(pi/12), 3.4 % of the radius, and a trunk of a dozen disks stays
 * below 60 kB a message; twice as many sides would be off by 0.9 % and send twice that. */
enum { SLEEVE_EDGES = 3, SLEEVE_SIDES = 12 };
enum { DISC_SIDES = 16 }; /* of a patch: off by 1.9 % of its radius */

/* ---- sizes ---- */

static int sleeve_rings(const FilShowKind* kind, const FilWorld* world, FilId id)
{
    return fil_show_sleeve_rings(kind, world, id, SLEEVE_EDGES);
}

/* Shapes that are seen one by one: those of a smooth body are not. */
static int count_shapes(const FilShowKind* kind, const FilWorld* world, FilId id)
{
    return kind->shape_count != NULL && sleeve_rings(kind, world, id) == 0 ? kind->shape_count(world, id) : 0;
}

/* An object's markers: a line, a sleeve or shapes, a surface, as far as its kind has them; none if it is hidden. */
static int count_object(const FilShowKind* kind, const FilWorld* world, FilId id)
{
    if (!fil_show_visible(kind, world, id)) {
        return 0;
    }
    return (kind->curve != NULL ? 1 : 0) + (sleeve_rings(kind, world, id) > 0 ? 1 : 0) + count_shapes(kind, world, id) +
           (kind->triangle_count != NULL ? 1 : 0);
}

static int count_markers(const FilWorld* world)
{
    int count = 0;
    for (int k = 0; k < FIL_SHOW_COUNT; k++) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); i++) {
            count += count_object(kind, world, kind->at(world, i));
        }
    }
    return count;
}

static std_msgs__msg__ColorRGBA message_color(FilColor c)
{
    return (std_msgs__msg__ColorRGBA){(float)c.r, (float)c.g, (float)c.b, (float)c.a};
}

static bool size_triangles(FilMarker* marker, const char* name, int number, FilColor color, int count)
{
    marker->scale = (geometry_msgs__msg__Vector3){1.0, 1.0, 1.0};  // corners are in metres
    marker->color = message_color(color);
    return fil_marker_size(marker, name, number, FIL_MARKER(TRIANGLE_LIST), 3 * count);
}

/* What never changes of an object's markers; false: out of memory. */
static bool size_object(FilMarker* next, const FilShowKind* kind, const FilWorld* world, FilId id, int number)
{
    const char* name = kind->name(world, id);
    const FilColor color = fil_show_color(kind, world, id, number);
    const int rings = sleeve_rings(kind, world, id);
    int count = 0;
    bool done = true;
    if (!fil_show_visible(kind, world, id)) {
        return true;
    }
    if (kind->curve != NULL) {
        const FilCurve curve = kind->curve(world, id);
        next[count].scale.x = 2.0 * kind->curve_radius(world, id, 0);
        next[count].color = message_color(color);
        done = fil_marker_size(&next[count], name, count, FIL_MARKER(LINE_STRIP), curve.node_count + curve.closed);
        count++;
    }
    if (done && rings > 0) {  // two triangles of each side, and fans over the ends
        done = size_triangles(&next[count], name, count, color, 2 * SLEEVE_SIDES * (rings - 1) + 2 * (SLEEVE_SIDES - 2));
        count++;
    }
    for (int s = 0; done && s < count_shapes(kind, world, id); s++, count++) {
        FilShownShape shape;
        kind->shape(world, id, s, &shape);
        next[count].color = message_color(fil_show_shape_color(kind, world, id, &shape, color));
        done = fil_marker_size_shape(&next[count], shape.part != NULL ? shape.part : name, count, &shape.def);
    }
    if (done && kind->triangle_count != NULL) {
        done = size_triangles(&next[count], name, count, color, kind->triangle_count(world, id));
    }
    return done;
}

bool fil_size_markers(FilStateMessages* messages, const FilWorld* world)
{
    const int count = count_markers(world) + 2;
    if (!visualization_msgs__msg__Marker__Sequence__init(&messages->markers.markers, (size_t)count) ||
        !visualization_msgs__msg__Marker__Sequence__init(&messages->no_markers.markers, 1) ||
        !fil_marker_size(&messages->no_markers.markers.data[0], "", 0, FIL_MARKER(SPHERE), 0)) {
        return false;
    }
    messages->no_markers.markers.data[0].action = FIL_MARKER(DELETEALL);
    FilMarker* next = messages->markers.markers.data;
    bool done = true;
    int number = 0;  // of the object among all: what colour it has
    for (int k = 0; k < FIL_SHOW_COUNT; k++) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; done && i < kind->count(world); i++) {
            const FilId id = kind->at(world, i);
            done = size_object(next, kind, world, id, number++);
            next += count_object(kind, world, id);
        }
    }
    if (done) {
        // red, of forces and patches: no colour of the palette (view/show.c)
        next->color = (std_msgs__msg__ColorRGBA){1.0f, 0.1f, 0.1f, 1.0f};
        next->scale.x = FIL_MARKER_THIN;
    }
    return done && fil_marker_size(next, "contact forces", 0, FIL_MARKER(LINE_LIST), 0) &&
           size_triangles(next + 1, "contact patches", 0, (FilColor){1.0, 0.1, 0.1, 1.0}, 0);
}

/* ---- contents ---- */

/* A point of a message is three numbers. */
_Static_assert(sizeof(geometry_msgs__msg__Point) == 3 * sizeof(double), "points lie as rows of numbers do");

/* A sleeve on its way into a marker, ring by ring. */
typedef struct Sleeve {
    geometry_msgs__msg__Point* next;
    int last;                     /* ring */
    double ring[SLEEVE_SIDES][3]; /* the one before */
} Sleeve;

static void put_triangle(Sleeve* sleeve, const double* a, const double* b, const double* c)
{
    *sleeve->next++ = fil_marker_point(a);
    *sleeve->next++ = fil_marker_point(b);
    *sleeve->next++ = fil_marker_point(c);
}

static void fill_ring(void* context, int ring, const double (*corners)[3])
{
    Sleeve* sleeve = context;
    for (int k = 0; k < SLEEVE_SIDES && ring > 0; k++) {
        const int next = (k + 1) % SLEEVE_SIDES;
        put_triangle(sleeve, sleeve->ring[k], sleeve->ring[next], corners[next]);
        put_triangle(sleeve, sleeve->ring[k], corners[next], corners[k]);
    }
    for (int k = 2; k < SLEEVE_SIDES && (ring == 0 || ring == sleeve->last); k++) {
        put_triangle(sleeve, corners[0], corners[ring == 0 ? k : k - 1], corners[ring == 0 ? k - 1 : k]);
    }
    memcpy(sleeve->ring, corners, sizeof sleeve->ring);
}

static void fill_object(FilMarker* next, const FilShowKind* kind, const FilWorld* world, FilId id)
{
    const int rings = sleeve_rings(kind, world, id);
    if (kind->curve != NULL) {
        const FilCurve curve = kind->curve(world, id);
        kind->curve_nodes(world, id, &next->points.data->x);
        if (curve.closed) {
            next->points.data[curve.node_count] = next->points.data[0];
        }
        next++;
    }
    if (rings > 0) {
        Sleeve sleeve = {.next = next++->points.data, .last = rings - 1};
        fil_show_sleeve(kind, world, id, SLEEVE_EDGES, SLEEVE_SIDES, fill_ring, &sleeve);
    }
    for (int s = 0; s < count_shapes(kind, world, id); s++) {
        FilShownShape shape;
        kind->shape(world, id, s, &shape);
        next->action = shape.hidden ? FIL_MARKER(DELETE) : FIL_MARKER(ADD);
        fil_marker_fill_shape(next++, shape.position, shape.orientation, &shape.def);
    }
    for (int t = 0; kind->triangle_count != NULL && t < kind->triangle_count(world, id); t++) {
        int corners[3];
        kind->triangle(world, id, t, corners);
        for (int k = 0; k < 3; k++) {
            kind->vertex(world, id, corners[k], &next->points.data[3 * t + k].x);
        }
    }
}

/* Room for a changing number of points; false: out of memory. */
static bool resize_points(FilMarker* marker, size_t count)
{
    if (count > marker->points.capacity) {
        geometry_msgs__msg__Point__Sequence__fini(&marker->points);
        if (!geometry_msgs__msg__Point__Sequence__init(&marker->points, 2 * count)) {
            return false;
        }
    }
    marker->points.size = count;
    marker->action = count > 0 ? FIL_MARKER(ADD) : FIL_MARKER(DELETE);  // viewers complain of lines without points
    return true;
}

static bool resize_colors(FilMarker* marker, size_t count)
{
    if (count > marker->colors.capacity) {
        std_msgs__msg__ColorRGBA__Sequence__fini(&marker->colors);
        if (!std_msgs__msg__ColorRGBA__Sequence__init(&marker->colors, 2 * count)) {
            return false;
        }
    }
    marker->colors.size = count;
    return true;
}

/* A disc of a patch's area about its center, across its normal. */
static void fill_disc(geometry_msgs__msg__Point* next, const FilPatchInfo* patch)
{
    const bool touches = patch->area > 0.0;  // else it has no normal either
    const double n[3] = {touches ? patch->normal.x : 0.0, touches ? patch->normal.y : 0.0, touches ? patch->normal.z : 1.0};
    const double c[3] = {patch->center.x, patch->center.y, patch->center.z};
    const double radius = touches ? sqrt(patch->area / M_PI) : 0.0;
    double a[3], b[3], rim[2][3];
    fil_v3_orthogonal(a, n);
    fil_v3_cross(b, n, a);
    for (int k = 0; k <= DISC_SIDES; k++) {
        const double angle = 2.0 * M_PI * k / DISC_SIDES;
        for (int i = 0; i < 3; i++) {
            rim[1][i] = c[i] + radius * (cos(angle) * a[i] + sin(angle) * b[i]);
        }
        if (k > 0) {
            *next++ = fil_marker_point(c);
            *next++ = fil_marker_point(rim[0]);
            *next++ = fil_marker_point(rim[1]);
        }
        memcpy(rim[0], rim[1], sizeof rim[0]);
    }
}

/* Yellow to red by the highest pressure, as drawings and the page have it. */
static void fill_patches(FilMarker* marker, const FilWorld* world)
{
    // of as many triangles
    enum { CORNERS = 3 * DISC_SIDES };
    const size_t count = (size_t)fil_world_patch_count(world);
    double highest = 0.0;
    if (!resize_points(marker, CORNERS * count) || !resize_colors(marker, CORNERS * count)) {
        marker->points.size = marker->colors.size = 0;
        return;
    }
    for (size_t k = 0; k < count; k++) {
        highest = fmax(highest, fil_world_patch(world, (int)k).highest_pressure);
    }
    for (size_t k = 0; k < count; k++) {
        const FilPatchInfo patch = fil_world_patch(world, (int)k);
        const double share = highest > 0.0 ? patch.highest_pressure / highest : 0.0;
        fill_disc(marker->points.data + CORNERS * k, &patch);
        for (size_t i = 0; i < CORNERS; i++) {
            // from yellow to red by pressure, as pictures of `filum run` have it (#ffd220 to #ff0020)
            marker->colors.data[CORNERS * k + i] = (std_msgs__msg__ColorRGBA){1.0f, (float)(0.82 * (1.0 - share)), 0.13f, 0.5f};
        }
    }
}

static void fill_forces(FilMarker* marker, const FilWorld* world)
{
    const int count = fil_world_contact_count(world);
    if (!resize_points(marker, 2 * (size_t)count)) {
        return;
    }
    double largest = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fil_vector_length(fil_world_contact(world, i).force));
    }
    const double scale = largest > 0.0 ? LONGEST_FORCE / largest : 0.0;
    for (int i = 0; i < count; i++) {
        const FilContactInfo contact = fil_world_contact(world, i);
        const FilVec3 p = contact.point;
        const FilVec3 f = contact.force;
        marker->points.data[2 * i] = (geometry_msgs__msg__Point){p.x, p.y, p.z};
        marker->points.data[2 * i + 1] = (geometry_msgs__msg__Point){p.x + scale * f.x, p.y + scale * f.y, p.z + scale * f.z};
    }
}

void fil_fill_markers(FilStateMessages* messages, const FilSimulation* simulation)
{
    const FilWorld* world = simulation->world;
    FilMarker* next = messages->markers.markers.data;
    for (size_t i = 0; i < messages->markers.markers.size; i++) {
        next[i].header.stamp = fil_stamp_of(world);
    }
    for (int k = 0; k < FIL_SHOW_COUNT; k++) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); i++) {
            const FilId id = kind->at(world, i);
            if (fil_show_visible(kind, world, id)) {
                fill_object(next, kind, world, id);
            }
            next += count_object(kind, world, id);
        }
    }
    fill_forces(next, world);
    fill_patches(next + 1, world);
}
