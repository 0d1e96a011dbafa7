#include "scene/knot.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"

/* Shares of the rod's length, and distances in diameters. */
static const double SPAN = 0.3;               /* from end to end */
static const double CROSSING = 1.0 / 60.0;    /* one crossing of the braid ... */
static const double BRAID = 0.2;              /* ... as long as all of them stay below this ... */
static const double LONGEST_BRAID = 0.25;     /* ... or this where thick strands need it */
static const double STRAND_RADIUS = 0.6;      /* of the braid's two helices: a fifth more than touching */
static const double STEEPEST_CROSSING = 3.3;  /* length of a crossing at least: strands closest side by side */
static const double EDGES_PER_CROSSING = 4.0; /* fewer cut corners into the other strand */
static const double TIGHTEST_TURN = 20.0;     /* length of half the loop at least */

/* Strands are sums of chords, each short by 1/24 of the square of the angle that it turns by: 2.5e-5 with four edges to a
 * crossing, (pi/128)^2 / 24. */
enum { SAMPLES_PER_EDGE = 32 };

/* Sizes, m. */
typedef struct Layout {
    int crossings;
    double edge, strand_radius, braid, tail, half_turn;
} Layout;

/* The curve as closely spaced points. */
typedef struct Trace {
    double* points;
    int count;
    double spacing;
} Trace;

FilKnotDef fil_knot_def_default(void)
{
    // nodes as P2 cuts its rods (sec. 3.2); a cord of a metre and 3 mm
    return (FilKnotDef){.n = 1, .node_count = 301, .length = 1.0, .diameter = 3e-3};
}

static void add_point(Trace* trace, double x, double y, double z)
{
    fil_v3_set(trace->points + 3 * (size_t)trace->count++, x, y, z);
}

static int sample_count(const Trace* trace, double length)
{
    return (int)ceil(length / trace->spacing);
}

/* ---- pieces: each goes on from the last point, which the piece before has added ---- */

static void add_straight(Trace* trace, double dy)
{
    const double* from = trace->points + 3 * (size_t)(trace->count - 1);
    const double start[3] = {from[0], from[1], from[2]};
    const int count = sample_count(trace, fabs(dy));
    for (int k = 1; k <= count; k++) {
        add_point(trace, start[0], start[1] + dy * k / count, start[2]);
    }
}

/* Share of the turning done at share u of the braid: slope constant, eased in and out by half a cosine over a width w,
 * so that strands leave along the axis. */
static double turned(double u, double w)
{
    if (u > 0.5) {
        return 1.0 - turned(1.0 - u, w);
    }
    const double slope = 1.0 / (1.0 - w);
    return u < w ? 0.5 * slope * (u - w / FIL_PI * sin(FIL_PI * u / w)) : slope * (u - 0.5 * w);
}

static double strand_angle(const Layout* layout, double u)
{
    return FIL_PI * layout->crossings * turned(u, 1.0 / (1.0 + layout->crossings));
}

/* One strand of the braid, from z = side * radius to the other side. */
static void add_strand(Trace* trace, const Layout* layout, double side)
{
    const int count = sample_count(trace, layout->braid);
    for (int k = 1; k <= count; k++) {
        const double u = (double)k / count, angle = strand_angle(layout, u), radius = side * layout->strand_radius;
        add_point(trace, radius * sin(angle), layout->braid * (u - 0.5), radius * cos(angle));
    }
}

static double strand_length(const Layout* layout, double spacing)
{
    const int count = (int)ceil(layout->braid / spacing);
    double length = 0.0, last = 0.0;
    for (int k = 1; k <= count; k++) {
        const double angle = strand_angle(layout, (double)k / count);
        length += hypot(layout->braid / count, 2.0 * layout->strand_radius * sin(0.5 * (angle - last)));
        last = angle;
    }
    return length;
}

/* Half the loop, in the plane of y and z: the tangent's angle goes from `angle` to `angle` + pi with a curvature of
 * (pi/l)(1 - cos(2 pi s/l)), so it returns to the same y. */
static void add_half_turn(Trace* trace, const Layout* layout, double angle)
{
    const int count = sample_count(trace, layout->half_turn);
    const double step = layout->half_turn / count;
    for (int k = 0; k < count; k++) {
        const double u = (k + 0.5) / count;
        const double psi = angle + FIL_PI * u - 0.5 * sin(2.0 * FIL_PI * u);
        const double* from = trace->points + 3 * (size_t)(trace->count - 1);
        add_point(trace, from[0], from[1] + step * cos(psi), from[2] + step * sin(psi));
    }
}

/* ---- the whole ---- */

static FilStatus lay_out(const FilKnotDef* def, Layout* layout, FilError* error)
{
    if (!(isfinite(def->length) && def->length > 0.0 && isfinite(def->diameter) && def->diameter > 0.0)) {
        return fil_error(error, FIL_BAD_INPUT, "a knot needs a positive length and diameter, got %g m and %g m", def->length, def->diameter);
    }
    // P2 has n up to 4; 1000 and ten nodes only refuse what cannot become a knot
    if (def->n < 1 || def->n > 1000 || def->node_count < 10) {
        return fil_error(error, FIL_BAD_INPUT, "a knot needs n from 1 to 1000 and 10 nodes or more, got n = %d and %d nodes", def->n,
                         def->node_count);
    }
    const int q = 2 * def->n + 1;
    const double length = def->length, thickness = STEEPEST_CROSSING * def->diameter;
    const double crossing = fmax(fmin(CROSSING, BRAID / q) * length, thickness);
    *layout = (Layout){.crossings = q, .edge = length / (def->node_count - 1), .braid = q * crossing};
    layout->strand_radius = STRAND_RADIUS * def->diameter;
    layout->tail = 0.5 * (SPAN * length - layout->braid);
    if (layout->braid > LONGEST_BRAID * length) {
        return fil_error(error, FIL_BAD_INPUT, "%d crossings of a rod of diameter %g m do not fit in %g m: at least %g m", q, def->diameter, length,
                         q * thickness / LONGEST_BRAID);
    }
    if (crossing < EDGES_PER_CROSSING * layout->edge) {
        return fil_error(error, FIL_BAD_INPUT, "%d crossings need more than %d nodes: at least %d", q, def->node_count,
                         1 + (int)ceil(EDGES_PER_CROSSING * length / crossing));
    }
    const double strands = 2.0 * strand_length(layout, layout->edge / SAMPLES_PER_EDGE);
    layout->half_turn = 0.5 * (length - 2.0 * layout->tail - strands - layout->braid);
    if (layout->half_turn < TIGHTEST_TURN * def->diameter) {
        return fil_error(error, FIL_BAD_INPUT, "a rod of diameter %g m is too thick for a loop in %g m", def->diameter, length);
    }
    return FIL_OK;
}

static void draw(const Layout* layout, Trace* trace)
{
    add_point(trace, 0.0, -0.5 * layout->braid - layout->tail, -layout->strand_radius);
    add_straight(trace, layout->tail);
    add_strand(trace, layout, -1.0);
    add_half_turn(trace, layout, 0.0);
    add_straight(trace, -layout->braid);
    add_half_turn(trace, layout, FIL_PI);
    add_strand(trace, layout, 1.0);
    add_straight(trace, 2.0 * layout->tail);  // longer than needed: the nodes end in it
}

/* The point at distance `reach` from `from` on the segment a-b, whose end lies at least so far. */
static void reach_on(const double* from, double reach, const double* a, const double* b, double* out)
{
    // |a + s e - from| = reach, the larger root
    double e[3], f[3];
    fil_v3_sub(e, b, a);
    fil_v3_sub(f, a, from);
    const double ee = fil_v3_dot(e, e), ef = fil_v3_dot(e, f), ff = fil_v3_dot(f, f);
    const double s = (sqrt(fmax(ef * ef - ee * (ff - reach * reach), 0.0)) - ef) / ee;
    fil_v3_copy(out, a);
    fil_v3_axpy(out, s, e);
}

/* Walks the curve in steps of equal length. */
static void place_nodes(const Trace* trace, const Layout* layout, int node_count, double* nodes)
{
    fil_v3_copy(nodes, trace->points);
    for (int i = 1, k = 1; i < node_count; i++) {
        const double* from = nodes + 3 * (i - 1);
        while (k < trace->count - 1 && fil_v3_distance(trace->points + 3 * (size_t)k, from) < layout->edge) {
            k++;
        }
        reach_on(from, layout->edge, trace->points + 3 * (size_t)(k - 1), trace->points + 3 * (size_t)k, nodes + 3 * i);
    }
}

FilStatus fil_knot_build(const FilKnotDef* def, double* nodes, FilError* error)
{
    Layout layout;
    const FilStatus status = lay_out(def, &layout, error);
    if (status != FIL_OK) {
        return status;
    }
    Trace trace = {.spacing = layout.edge / SAMPLES_PER_EDGE};
    const double drawn = def->length + layout.tail;
    trace.points = fil_alloc(3 * (size_t)(sample_count(&trace, drawn) + 10), sizeof(double));  // pieces round up
    if (trace.points == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    draw(&layout, &trace);
    place_nodes(&trace, &layout, def->node_count, nodes);
    fil_free(trace.points);
    return FIL_OK;
}
