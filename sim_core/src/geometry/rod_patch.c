#include "geometry/rod_patch.h"

#include "base/bracket.h"

// least cells along what touches: six leave out 0.3 % of a round patch (a regular polygon of 12 sides under a
// paraboloid); patches of rectangles are straighter at their ends
enum { MIN_ALONG = 6, MIN_STRAIGHT = 4, MAX_CELLS = 32, SAMPLES = 9, CORNERS = 12 };

// an edge comes no nearer with its core than this part of its depth. Of this and the next two 0.02 to 0.1, 0.005 to 0.05 and 4 to 16 were tried: no
// bit of `patch.rod_on_plane` and `patch.capstan` differs
#define CORE 0.05

// rays that meet the surface flatter than this (sine) say nothing about it
#define GRAZING 0.02

// rays around circles go no farther: 85 degrees, short of the 90 where they no longer meet a plane
#define WIDEST 1.4835

// how far outside, in depths, rays are followed
#define FAR 8.0

// ---- the other side, in the edge's frame ----

typedef struct Meeting {
    const FilRodField* field;
    const FilRodEdge* edge;
    const FilRodOther* other;
    FilPose relative; /* of the other in the edge's frame */
    double margin;
    double min; /* Pa: pressures below are too far away */
    FilPatch* patch;
    int feature;
} Meeting;

static double distance_at(const Meeting* meeting, const double* x, double* out)
{
    double local[3], normal[3];
    fil_pose_apply_inverse(local, &meeting->relative, x);
    const double distance = fil_boundary_distance(meeting->other->boundary, local, normal);
    fil_m3_apply(out, meeting->relative.r, normal);
    return distance;
}

// a point of the section at s in [-1, 1] along the edge; mitred ends shear what is between them
static void place(const FilRodEdge* edge, double s, const double* section, double* out)
{
    const double low = edge->mitre[0][0] * section[0] + edge->mitre[0][1] * section[1];
    const double high = edge->mitre[1][0] * section[0] + edge->mitre[1][1] * section[1];
    fil_v3_set(out, section[0], section[1], s * edge->half_length + 0.5 * ((1.0 - s) * low + (1.0 + s) * high));
}

// how far a circle at s is from the other side: at its point that looks there from the axis, and at the one that looks
// there from that
static double circle_clearance(const Meeting* meeting, double s, double distance, const double* normal)
{
    double out[3], min = HUGE_VAL;
    fil_v3_copy(out, normal);
    for (int k = 0; k < 2; k++) {
        const double across = sqrt(out[0] * out[0] + out[1] * out[1]), radius = meeting->field->half[0];
        if (across < GRAZING) {
            return fmin(min, distance);
        }
        const double section[2] = {-radius * out[0] / across, -radius * out[1] / across};
        double x[3];
        place(meeting->edge, s, section, x);
        min = fmin(min, distance_at(meeting, x, out));
    }
    return min;
}

// how far the section at s is from the other side; a rectangle at least this far from a convex one: its axis' distance
// less its reach
static double clearance(const Meeting* meeting, double s)
{
    const double axis[2] = {0.0, 0.0};
    double x[3], out[3];
    place(meeting->edge, s, axis, x);
    const double distance = distance_at(meeting, x, out);
    return meeting->field->round ? circle_clearance(meeting, s, distance, out) : distance - fil_rod_field_reach(meeting->field, out, 0.0);
}

// ---- along the edge ----

// the end of a stretch: between `in`, where the clearance is below `level`, and `out`
static double find_end(const Meeting* meeting, double in, double at_in, double out, double at_out, double level)
{
    const double near = 1e-5 * fil_rod_field_depth(meeting->field);  // the end of a stretch bears nothing: its place is known well enough
    FilBracket ends = {in, out, at_in - level, at_out - level};
    for (int k = 0; k < 12 && ends.at_b > near && ends.at_b > ends.at_a; k++) {
        const double s = ends.a + (ends.b - ends.a) * ends.at_a / (ends.at_a - ends.at_b), at = clearance(meeting, s) - level;
        if (fabs(at) <= near) {
            return s;
        }
        fil_bracket_narrow(&ends, at < 0.0, s, at);
    }
    return ends.b;
}

// where clearances of samples over [-1, 1] are below `level`; false if nowhere
static bool find_stretch(const Meeting* meeting, const double* at, const double* clear, int count, double level, double* lo, double* hi)
{
    int first = -1, last = -1;
    for (int k = 0; k < count; k++) {
        if (clear[k] < level) {
            first = first < 0 ? k : first;
            last = k;
        }
    }
    if (first < 0) {
        return false;
    }
    *lo = first > 0 ? find_end(meeting, at[first], clear[first], at[first - 1], clear[first - 1], level) : at[0];
    *hi = last < count - 1 ? find_end(meeting, at[last], clear[last], at[last + 1], clear[last + 1], level) : at[count - 1];
    return true;
}

// clearances at even places and at the least one between them (golden section)
static int sample_clearance(const Meeting* meeting, double* at, double* clear)
{
    int min = 0;
    for (int k = 0; k < SAMPLES; k++) {
        at[k] = 2.0 * k / (SAMPLES - 1) - 1.0;
        clear[k] = clearance(meeting, at[k]);
        min = clear[k] < clear[min] ? k : min;
    }
    const double slack = 2.0 * meeting->edge->half_length / (SAMPLES - 1);
    // distances change by at most the way gone: nothing in between can be nearer than this
    if (clear[min] - slack > meeting->margin) {
        return 0;
    }
    if (clear[min] < 0.0) {
        return SAMPLES;
    }
    double lo = at[min > 0 ? min - 1 : 0], hi = at[min < SAMPLES - 1 ? min + 1 : SAMPLES - 1];
    // 0.618^16: to 5e-4 of the stretch between samples; the clearance there is off by the square of that
    for (int k = 0; k < 16; k++) {
        // golden section
        const double a = hi - 0.6180339887498949 * (hi - lo), b = lo + 0.6180339887498949 * (hi - lo);
        if (clearance(meeting, a) < clearance(meeting, b)) {
            hi = b;
        } else {
            lo = a;
        }
    }
    const double s = 0.5 * (lo + hi);
    int k = SAMPLES;
    for (; k > 0 && at[k - 1] > s; k--) {
        at[k] = at[k - 1];
        clear[k] = clear[k - 1];
    }
    at[k] = s;
    clear[k] = clearance(meeting, s);
    return SAMPLES + 1;
}

// places from 0 to 1. Patches of round rods are round where they end: places denser there, as cosines, make chords of
// even angles
static double spread(double u, bool round_low, bool round_high, bool round)
{
    if (!round || (!round_low && !round_high)) {
        return u;
    }
    if (round_low && round_high) {
        return 0.5 * (1.0 - cos(FIL_PI * u));
    }
    return round_low ? 1.0 - cos(0.5 * FIL_PI * u) : sin(0.5 * FIL_PI * u);
}

// places along the edge: over what touches, and one more each side for what is about to. `first` takes 0 if there is
// one before, else 1, so that cells that touch keep their numbers
static int find_stations(const Meeting* meeting, double* station, int* first)
{
    double at[SAMPLES + 1], clear[SAMPLES + 1], lo, hi, near_lo, near_hi;
    const int samples = sample_clearance(meeting, at, clear);
    if (samples == 0 || !find_stretch(meeting, at, clear, samples, meeting->margin, &lo, &hi)) {
        return 0;
    }
    int count = 0;
    if (!find_stretch(meeting, at, clear, samples, 0.0, &near_lo, &near_hi)) {
        near_lo = lo;
        near_hi = hi;
    }
    near_lo = fmax(near_lo, lo);
    near_hi = fmin(near_hi, hi);
    const int min = meeting->field->round ? MIN_ALONG : MIN_STRAIGHT;
    const int cells = fil_rod_field_cells((near_hi - near_lo) * meeting->edge->half_length, meeting->field->resolution, min, MAX_CELLS);
    *first = lo < near_lo ? 0 : 1;
    if (lo < near_lo) {
        station[count++] = lo;
    }
    for (int k = 0; k <= cells; k++) {
        station[count++] = near_lo + (near_hi - near_lo) * spread((double)k / cells, near_lo > -1.0, near_hi < 1.0, meeting->field->round);
    }
    if (hi > near_hi) {
        station[count++] = hi;
    }
    return count;
}

// ---- rays ----

typedef struct Node {
    double x[3], p;
    bool valid;
} Node;

typedef struct Row {
    Node node[FIL_ROD_RAYS];
    double shift; /* m: how far the core was too deep */
} Row;

// where a ray from `from` (the outline) to `to` (the core) meets the other side, looking first at t
static Node shoot(const Meeting* meeting, const double* from, const double* to, double shift, double t)
{
    const double modulus = meeting->field->modulus, s = meeting->other->stiffness;
    double d[3], out[3];
    Node node = {.valid = false};
    fil_v3_sub(d, to, from);
    const double length = fil_v3_norm(d);
    // of Newton's method, which ends by the size of its step: three or four of a distance that is nearly linear
    for (int iteration = 0; iteration < 10; iteration++) {
        for (int k = 0; k < 3; k++) {
            node.x[k] = from[k] + t * d[k];
        }
        const double phi = distance_at(meeting, node.x, out) + shift, along = fil_v3_dot(out, d);
        if (!(along > GRAZING * length)) {
            return node;
        }
        const double step = s > 0.0 ? (modulus * t + s * phi) / (modulus + s * along) : phi / along;
        // outside the rod the field goes on, so that cells are cut where it is zero; far outside nothing counts
        t = fmin(1.0, fmax(-FAR, t - step));
        // what is left is of the size of the last step squared, over radii of curvature
        if (fabs(step) < 1e-7) {
            break;
        }
    }
    for (int k = 0; k < 3; k++) {
        node.x[k] = from[k] + t * d[k];
    }
    node.p = modulus * t;
    node.valid = true;
    return node;
}

// a circle's point at an angle from the way to the other side
static void circle_point(double radius, const double* towards, double angle, double* section)
{
    const double c = cos(angle), s = sin(angle);
    section[0] = radius * (c * towards[0] - s * towards[1]);
    section[1] = radius * (c * towards[1] + s * towards[0]);
}

// how far from the other side the circle at s is at an angle
static double outline_distance(const Meeting* meeting, double s, const double* towards, double angle, double shift)
{
    double section[2], x[3], out[3];
    circle_point(meeting->field->half[0], towards, angle, section);
    place(meeting->edge, s, section, x);
    return distance_at(meeting, x, out) + shift;
}

// the angle at which the circle leaves the other side, at most `limit` away (of either sign)
static double leaving_angle(const Meeting* meeting, double s, const double* towards, double limit, double shift, double deepest)
{
    FilBracket ends = {0.0, limit, deepest, outline_distance(meeting, s, towards, limit, shift)};
    const double near = 1e-9 * meeting->field->half[0];  // of the radius: no area to speak of
    for (int k = 0; k < 12 && ends.at_b > near; k++) {
        const double angle = ends.a + (ends.b - ends.a) * ends.at_a / (ends.at_a - ends.at_b);
        const double at = outline_distance(meeting, s, towards, angle, shift);
        if (fabs(at) <= near) {
            return angle;
        }
        fil_bracket_narrow(&ends, at < 0.0, angle, at);
    }
    return ends.b;
}

// angles of rays around a circle whose axis has the distance h from a tangent plane: even over what touches, and one
// more each side
static int fan(const Meeting* meeting, double s, const double* towards, double h, double shift, int cells, double* angle)
{
    const double radius = meeting->field->half[0];
    const double near = fmin(WIDEST, acos(fmin(1.0, h / (radius + meeting->margin)))), touch = fmin(WIDEST, acos(fmin(1.0, h / radius)));
    const double deepest = touch > 0.0 ? outline_distance(meeting, s, towards, 0.0, shift) : 0.0;
    // nothing touches: the fan is that of what is about to
    double lo = -near, hi = near;
    if (deepest < 0.0) {
        lo = leaving_angle(meeting, s, towards, -touch, shift, deepest);
        hi = leaving_angle(meeting, s, towards, touch, shift, deepest);
    }
    int count = 0;
    angle[count++] = -near;
    for (int k = 0; k <= cells; k++) {
        angle[count++] = lo + (hi - lo) * k / cells;
    }
    angle[count++] = near;
    return count;
}

// all rays of the section at s; `cells` around a circle
static int shoot_row(const Meeting* meeting, double s, int cells, Row* row)
{
    const FilRodField* field = meeting->field;
    const double depth = fil_rod_field_depth(field), axis[2] = {0.0, 0.0};
    double x[3], out[3], angle[FIL_ROD_RAYS];
    place(meeting->edge, s, axis, x);
    const double distance = distance_at(meeting, x, out);
    const double give = meeting->other->stiffness > 0.0 ? (1.0 - CORE) * field->modulus / meeting->other->stiffness : 0.0;
    row->shift = fmax(0.0, CORE * depth - give - (distance - fil_rod_field_reach(field, out, depth)));
    int count = field->ray_count;
    double towards[2] = {0.0, 0.0}, across = 0.0;
    if (field->round) {
        // the way to the other side in the section plane
        across = sqrt(out[0] * out[0] + out[1] * out[1]);
        if (across < GRAZING) {
            return 0;
        }
        towards[0] = -out[0] / across;
        towards[1] = -out[1] / across;
        // not beyond the axis
        count = fan(meeting, s, towards, fmax((distance + row->shift) / across, -0.999 * depth), row->shift, cells, angle);
    }
    double guess = 0.0;
    for (int k = 0; k < count; k++) {
        double from[3], to[3], d[3], section[2];
        if (field->round) {
            circle_point(depth, towards, angle[k], section);
        }
        place(meeting->edge, s, field->round ? section : field->outline[k], from);
        place(meeting->edge, s, field->round ? axis : field->foot[k], to);
        fil_v3_sub(d, to, from);
        // sides that look away, by more than 6 degrees, need no search
        row->node[k].valid = false;
        if (fil_v3_dot(d, out) > -0.1 * fil_v3_norm(d)) {
            row->node[k] = shoot(meeting, from, to, row->shift, guess);
            guess = row->node[k].valid ? row->node[k].p / field->modulus : 0.0;
        }
    }
    return count;
}

// ---- cells ----

// corners with their pressures
typedef struct Cell {
    int count;
    double corner[CORNERS][4];
} Cell;

// keeps what has weight . (x, p) + offset >= 0
static Cell cut(const Cell* in, const double* weight, double offset)
{
    Cell out;
    double height[CORNERS];
    out.count = 0;
    for (int i = 0; i < in->count; i++) {
        height[i] = fil_v3_dot(weight, in->corner[i]) + weight[3] * in->corner[i][3] + offset;
    }
    for (int i = 0; i < in->count; i++) {
        const int j = i + 1 < in->count ? i + 1 : 0;
        if (height[i] >= 0.0 && out.count < CORNERS) {
            for (int k = 0; k < 4; k++) {
                out.corner[out.count][k] = in->corner[i][k];
            }
            out.count++;
        }
        if ((height[i] >= 0.0) != (height[j] >= 0.0) && out.count < CORNERS) {
            const double t = height[i] / (height[i] - height[j]);
            for (int k = 0; k < 4; k++) {
                out.corner[out.count][k] = in->corner[i][k] + t * (in->corner[j][k] - in->corner[i][k]);
            }
            out.count++;
        }
    }
    return out;
}

// area vector and centroid of a cell that is nearly flat
static double measure(const Cell* cell, double* area_vector, double* centroid)
{
    double sum = 0.0, moment[3] = {0.0, 0.0, 0.0};
    const double* a = cell->corner[0];
    fil_v3_set(area_vector, 0.0, 0.0, 0.0);
    for (int i = 2; i < cell->count; i++) {
        double u[3], v[3], n[3], middle[3];
        fil_v3_sub(u, cell->corner[i - 1], a);
        fil_v3_sub(v, cell->corner[i], a);
        fil_v3_cross(n, u, v);
        fil_v3_axpy(area_vector, 0.5, n);
        fil_v3_add(middle, u, v);
        const double area = 0.5 * fil_v3_norm(n);
        fil_v3_axpy(moment, area / 3.0, middle);
        sum += area;
    }
    fil_v3_copy(centroid, a);
    if (sum > 0.0) {
        fil_v3_axpy(centroid, 1.0 / sum, moment);
    }
    return sum;
}

// how much of what corners have beyond a linear function the mean over the cell has, if that is quadratic: half the
// trace of (second moments of the corners)^-1 (second moments of the cell), which is 1/3 for parallelograms and 1/4 for
// triangles
static double quadratic_weight(const Cell* cell, const double* centroid, const double* area_vector)
{
    double normal[3], axis[2][3], v[CORNERS][2], corner[3] = {0.0, 0.0, 0.0}, inside[3] = {0.0, 0.0, 0.0}, area = 0.0;
    fil_v3_copy(normal, area_vector);
    fil_v3_normalise(normal);
    fil_v3_orthogonal(axis[0], normal);
    fil_v3_cross(axis[1], normal, axis[0]);
    for (int i = 0; i < cell->count; i++) {
        double to[3];
        fil_v3_sub(to, cell->corner[i], centroid);
        v[i][0] = fil_v3_dot(to, axis[0]);
        v[i][1] = fil_v3_dot(to, axis[1]);
        corner[0] += v[i][0] * v[i][0] / cell->count;
        corner[1] += v[i][0] * v[i][1] / cell->count;
        corner[2] += v[i][1] * v[i][1] / cell->count;
    }
    // triangles between the centroid and the sides: A/12 (a a' + b b' + (a + b)(a + b)')
    for (int i = 0; i < cell->count; i++) {
        const double *a = v[i], *b = v[i + 1 < cell->count ? i + 1 : 0];
        const double part = 0.5 * (a[0] * b[1] - a[1] * b[0]), sum[2] = {a[0] + b[0], a[1] + b[1]};
        area += part;
        inside[0] += part / 12.0 * (a[0] * a[0] + b[0] * b[0] + sum[0] * sum[0]);
        inside[1] += part / 12.0 * (a[0] * a[1] + b[0] * b[1] + sum[0] * sum[1]);
        inside[2] += part / 12.0 * (a[1] * a[1] + b[1] * b[1] + sum[1] * sum[1]);
    }
    const double determinant = corner[0] * corner[2] - corner[1] * corner[1];
    const double size = corner[0] + corner[2];
    if (!(determinant > 1e-10 * size * size) || !(fabs(area) > 0.0)) {  // a sliver, of which rounding leaves nothing
        // midway between the bounds below
        return 0.25;
    }
    const double trace = corner[2] * inside[0] - 2.0 * corner[1] * inside[1] + corner[0] * inside[2];
    return fmax(0.0, fmin(0.5, 0.5 * trace / (determinant * area)));
}

// moves the middle of a cell to the patch; normal and gradient there. Returns the rod's pressure and its gradient in
// space
static double settle(const Meeting* meeting, double shift, double* x, FilPatchPoint* point, double* gradient)
{
    double out[3], fade = 1.0;
    const double phi = distance_at(meeting, x, out) + shift, s = meeting->other->stiffness;
    if (s == 0.0) {
        fil_v3_axpy(x, -phi, out);
    }
    const double p = fil_rod_field_pressure(meeting->field, x, gradient), steepness = fil_v3_norm(gradient);
    if (s == 0.0) {
        fil_v3_scale(point->normal, -1.0, out);
        point->gradient = fil_patch_gradient(-fil_v3_dot(gradient, point->normal), steepness, &point->area);
        return p;
    }
    // normal along the difference of the gradients; grad p_b = -s out
    for (int k = 0; k < 3; k++) {
        point->normal[k] = -s * out[k] - gradient[k];
    }
    fil_v3_normalise(point->normal);
    const double ga = fil_patch_gradient(-fil_v3_dot(gradient, point->normal), steepness, &point->area);
    const double gb = fil_patch_gradient(-s * fil_v3_dot(out, point->normal), s, &fade);
    point->gradient = 1.0 / (1.0 / ga + 1.0 / gb);
    // the pressures p and -s phi agree a little along the normal
    fil_v3_axpy(x, (p + s * phi) / (ga + gb), point->normal);
    return fil_rod_field_pressure(meeting->field, x, gradient);
}

static void add_point(const Meeting* meeting, const Cell* cell, double shift, int number, int part)
{
    FilPatchPoint point = {.feature = fil_patch_feature(meeting->feature, number, part)};
    double area_vector[3], x[3], gradient[3], bulge = 0.0;
    const double depth = fil_rod_field_depth(meeting->field);
    if (cell->count < 3) {
        return;
    }
    point.area = measure(cell, area_vector, x);
    // squared lengths of a millionth of the radius: rounding, or nearly
    if (!(point.area > 1e-12 * depth * depth)) {
        return;
    }
    const double flat = fil_v3_norm(area_vector) / point.area;
    const double weight = quadratic_weight(cell, x, area_vector);
    const double middle = settle(meeting, shift, x, &point, gradient);
    // what the corners have beyond a linear pressure along the patch
    fil_v3_axpy(gradient, -fil_v3_dot(gradient, point.normal), point.normal);
    for (int i = 0; i < cell->count; i++) {
        double to[3];
        fil_v3_sub(to, cell->corner[i], x);
        bulge += (cell->corner[i][3] - middle - fil_v3_dot(gradient, to)) / cell->count;
    }
    const double p = middle + weight * bulge;
    point.pressure = part == 0 ? fmax(p, 0.0) : fmin(p, 0.0);
    // what the core was too deep
    point.pressure += point.gradient * shift;
    point.area *= fmin(1.0, flat);
    if (!(point.area > 1e-12 * depth * depth) || !(point.gradient > 0.0)) {
        return;
    }
    FilPatchPoint* at = &meeting->patch->points[meeting->patch->count++];
    *at = point;
    fil_pose_apply(at->position, &meeting->edge->pose, x);
    fil_m3_apply(at->normal, meeting->edge->pose.r, point.normal);
}

static void add_cell(const Meeting* meeting, const Row* low, const Row* high, int ray, int number)
{
    const Node* node[4] = {&low->node[ray], &high->node[ray], &high->node[ray + 1], &low->node[ray + 1]};
    Cell cell = {.count = 4};
    double highest = -HUGE_VAL, lowest = HUGE_VAL;
    for (int k = 0; k < 4; k++) {
        if (!node[k]->valid) {
            return;
        }
        highest = fmax(highest, node[k]->p);
        lowest = fmin(lowest, node[k]->p);
        fil_v3_copy(cell.corner[k], node[k]->x);
        cell.corner[k][3] = node[k]->p;
    }
    if (highest < meeting->min) {
        return;
    }
    if (meeting->other->half_length > 0.0) {
        // only what lies beside the other rod's edge: z within +-half_length + mitre . (x, y) there
        for (int k = 0; k < 2; k++) {
            const double* mitre = meeting->other->mitre[k];
            const double sign = k == 0 ? 1.0 : -1.0, local[3] = {-sign * mitre[0], -sign * mitre[1], sign};
            double weight[4] = {0.0};
            fil_m3_apply(weight, meeting->relative.r, local);
            cell = cut(&cell, weight, meeting->other->half_length - fil_v3_dot(weight, meeting->relative.p));
        }
    }
    static const double up[4] = {0.0, 0.0, 0.0, 1.0}, down[4] = {0.0, 0.0, 0.0, -1.0};
    const double shift = 0.5 * (low->shift + high->shift);
    if (lowest >= 0.0) {
        add_point(meeting, &cell, shift, number, 0);
    } else if (highest > 0.0) {
        const Cell touching = cut(&cell, up, 0.0);
        add_point(meeting, &touching, shift, number, 0);
    }
    if (meeting->min < 0.0 && lowest < 0.0) {
        const Cell far = cut(&cell, down, 0.0), near = cut(&far, up, -meeting->min);
        add_point(meeting, &near, shift, number, 1);
    }
}

FilStatus fil_rod_patch(const FilRodField* field, const FilRodEdge* edge, const FilRodOther* other, double margin, int feature, FilPatch* patch)
{
    Meeting meeting = {.field = field, .edge = edge, .other = other, .margin = fmax(0.0, margin), .patch = patch, .feature = feature};
    const double slope = field->modulus / fil_rod_field_depth(field);
    meeting.min = -meeting.margin * (other->stiffness > 0.0 ? 1.0 / (1.0 / slope + 1.0 / other->stiffness) : slope);
    fil_pose_relative(&meeting.relative, &edge->pose, &other->pose);
    double station[FIL_ROD_STATIONS];
    int first = 0, before = 0;
    const int stations = find_stations(&meeting, station, &first);
    const int cells = fil_rod_field_cells(FIL_PI * field->half[0], field->resolution, FIL_ROD_MIN_AROUND, FIL_ROD_RAYS - 4);
    Row rows[2];
    for (int i = 0; i < stations; i++) {
        Row* row = &rows[i % 2];
        const int rays = shoot_row(&meeting, station[i], cells, row);
        const int both = i > 0 ? (rays < before ? rays : before) : 0;
        const FilStatus status = fil_patch_reserve(patch, 2 * FIL_ROD_RAYS);
        if (status != FIL_OK) {
            return status;
        }
        for (int k = 0; k + 1 < both; k++) {
            add_cell(&meeting, &rows[(i + 1) % 2], row, k, (first + i) * FIL_ROD_RAYS + k);
        }
        before = rays;
    }
    return FIL_OK;
}
