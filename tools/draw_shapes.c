#include "draw_shapes.h"

#include "base/vec3.h"

static void write_polygon(FILE* out, const FilPage* page, const FilOutline* outline)
{
    fputs(" d=\"M", out);
    double last[2] = {INFINITY, INFINITY};
    for (int k = 0; k < FIL_OUTLINE_CORNERS; ++k) {
        const double x = fil_page_x(page, outline->corner + 2 * k), y = fil_page_y(page, outline->corner + 2 * k);
        if (fabs(x - last[0]) + fabs(y - last[1]) > 0.05) {  // corners may come many times
            fprintf(out, "%s%.1f %.1f", k > 0 ? " " : "", x, y);
            last[0] = x, last[1] = y;
        }
    }
    fputs("Z\"/>\n", out);
}

/* ---- colours ---- */

static FilColor own_color(const FilPage* page, const FilOutline* outline)
{
    return outline->colored ? outline->color : page->colors[outline->owner];
}

/* From blue over pale to red, in colours that were chosen by eye. */
static FilColor strain_color(double share)
{
    static const FilColor stops[] = {
        {0.13, 0.30, 0.66, 1.0}, {0.42, 0.68, 0.84, 1.0}, {0.96, 0.93, 0.80, 1.0}, {0.95, 0.60, 0.30, 1.0}, {0.74, 0.12, 0.15, 1.0}};
    const double at = 4.0 * fmin(fmax(share, 0.0), 1.0);
    const int low = at < 3.0 ? (int)at : 3;
    return fil_mix(stops[low], stops[low + 1], at - low);
}

/* What is far back pales, what never moves is pale; then by how it faces the light. This and the shares below are chosen by eye. */
static FilColor shade(const FilPage* page, const FilOutline* outline, double lit)
{
    // one sheet has one colour
    const double back = outline->form == FIL_OUTLINE_SHEET ? 0.0 : (page->near - outline->depth) / fmax(page->near - page->far, 1e-300);
    const FilColor base = fil_mix(own_color(page, outline), fil_paper, outline->moves ? 0.15 * back : outline->colored ? 0.2 : 0.62);
    return fil_mix(fil_mix(base, fil_ink, 0.55 * (1.0 - lit)), fil_white, 0.30 * lit * lit);
}

/* ---- shapes ---- */

static void write_circle(FILE* out, double x, double y, double radius, FilColor fill)
{
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\"", x, y, radius);
    fil_write_color(out, "fill", fill);
    fputs("/>\n", out);
}

/* Steps of colour that one does not see, for a radius in px: one in 3 px. */
static int step_count(double radius)
{
    return radius < 12.0 ? 4 : radius < 60.0 ? (int)(radius / 3.0) : 20;
}

/* Rings of light about the place that faces it: rim, body and gleam. */
static void write_ball(FILE* out, const FilPage* page, const FilOutline* outline)
{
    const double x = fil_page_x(page, outline->ends), y = fil_page_y(page, outline->ends), r = outline->radius * page->scale;
    const int rings = step_count(r);
    write_circle(out, x, y, r + 0.5, fil_mix(shade(page, outline, 0.1), fil_ink, 0.35));
    for (int k = 0; k < rings && r > 2.0; ++k) {
        const double u = (k + 0.3) / rings, shift = 0.5 * u * r;
        write_circle(out, x + shift * fil_light[0], y - shift * fil_light[1], r * (1.0 - 0.94 * u), shade(page, outline, 0.15 + 0.85 * u));
    }
}

static void write_line(FILE* out, const double* a, const double* b, double width, FilColor color)
{
    fputs("<path class=\"r\"", out);
    fil_write_color(out, "stroke", color);
    fprintf(out, " stroke-width=\"%.1f\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", width, a[0], a[1], b[0], b[1]);
}

static void write_capsule(FILE* out, const FilPage* page, const FilOutline* outline)
{
    const double width = 2.0 * outline->radius * page->scale;
    double a[2] = {fil_page_x(page, outline->ends), fil_page_y(page, outline->ends)};
    double b[2] = {fil_page_x(page, outline->ends + 2), fil_page_y(page, outline->ends + 2)};
    const double across[2] = {a[1] - b[1], b[0] - a[0]}, length = hypot(across[0], across[1]);
    const double sign = across[0] * fil_light[0] - across[1] * fil_light[1] > 0.0 ? 1.0 : -1.0;
    const int strokes = step_count(0.5 * width);
    write_line(out, a, b, width + 1.0, fil_mix(shade(page, outline, 0.1), fil_ink, 0.35));
    for (int k = 0; k < strokes && width > 3.0; ++k) {
        const double u = (k + 0.3) / strokes, shift = 0.26 * u * width;
        double p[2], q[2];
        for (int c = 0; c < 2; ++c) {
            const double d = length > 0.0 ? sign * across[c] / length : c == 0 ? fil_light[0] : -fil_light[1];
            p[c] = a[c] + shift * d;
            q[c] = b[c] + shift * d;
        }
        write_line(out, p, q, width * (1.0 - 0.9 * u), shade(page, outline, 0.2 + 0.8 * u));
    }
}

/* A flat face or a triangle, its rim in its own colour, so that surfaces have no seams. */
static void write_face(FILE* out, const FilPage* page, const FilOutline* outline)
{
    const double lit = 0.5 + 0.5 * fil_v3_dot(outline->normal, fil_light);  // folds that face away are seen, too
    FilColor color = shade(page, outline, lit);
    if (outline->form == FIL_OUTLINE_SHEET && page->max_strain > 0.0) {
        color = fil_mix(strain_color(outline->strain / page->max_strain), fil_ink, 0.35 * (1.0 - lit));
    }
    fputs("<path", out);
    fil_write_color(out, "fill", color);
    fil_write_color(out, "stroke", color);
    fputs(" stroke-width=\"0.9\"", out);
    write_polygon(out, page, outline);
}

static void write_silhouette(FILE* out, const FilPage* page, const FilOutline* outline)
{
    fputs("<path", out);
    fil_write_color(out, "fill", shade(page, outline, 0.7));
    fil_write_color(out, "stroke", fil_mix(shade(page, outline, 0.3), fil_ink, 0.4));
    fputs(" stroke-width=\"1\"", out);
    write_polygon(out, page, outline);
}

void fil_draw_outline(FILE* out, const FilPage* page, const FilOutline* outline)
{
    static void (*const write[])(FILE*, const FilPage*, const FilOutline*) = {
        [FIL_OUTLINE_SILHOUETTE] = write_silhouette, [FIL_OUTLINE_FACE] = write_face,  [FIL_OUTLINE_BALL] = write_ball,
        [FIL_OUTLINE_TUBE] = write_capsule,          [FIL_OUTLINE_SHEET] = write_face,
    };
    if (!outline->hidden) {
        write[outline->form](out, page, outline);
    }
}

void fil_draw_ghost(FILE* out, const FilPage* page, const FilOutline* outline)
{
    if (outline->moves && !outline->hidden && outline->form != FIL_OUTLINE_SHEET) {
        fputs("<path", out);
        fil_write_color(out, "stroke", fil_mix(own_color(page, outline), fil_paper, 0.25));
        write_polygon(out, page, outline);
    }
}

/* ---- the ground ---- */

static void write_point(FILE* out, const FilView* view, const FilPage* page, const FilPose* plane, double u, double v, const char* before)
{
    double x[3], seen[2];
    for (int c = 0; c < 3; ++c) {
        x[c] = plane->p[c] + u * plane->r[3 * c] + v * plane->r[3 * c + 1];
    }
    seen[0] = fil_v3_dot(view->right, x);
    seen[1] = fil_v3_dot(view->up, x);
    fprintf(out, "%s%.1f %.1f", before, fil_page_x(page, seen), fil_page_y(page, seen));
}

/* A plate around what the page shows, with lines at round distances. */
static void write_plate(FILE* out, const FilView* view, const FilPage* page, FilPose plane)
{
    // the place of the plane at the page's middle: along the view from there
    const double middle[2] = {page->left + 0.5 * page->width / page->scale, page->top - 0.5 * page->height / page->scale};
    const double normal[3] = {plane.r[2], plane.r[5], plane.r[8]}, facing = fil_v3_dot(normal, view->toward);
    if (facing < 0.05) {  // seen from its edge, or from below
        return;
    }
    double start[3], away[3];
    for (int c = 0; c < 3; ++c) {
        start[c] = middle[0] * view->right[c] + middle[1] * view->up[c];
    }
    fil_v3_sub(away, plane.p, start);
    fil_v3_axpy(start, fil_v3_dot(away, normal) / facing, view->toward);
    const double step = fil_round_length(0.12 * page->width / page->scale), half = 0.75 * page->width / page->scale;
    double from[3];
    fil_v3_sub(from, start, plane.p);
    const double u0 = step * round((from[0] * plane.r[0] + from[1] * plane.r[3] + from[2] * plane.r[6]) / step);
    const double v0 = step * round((from[0] * plane.r[1] + from[1] * plane.r[4] + from[2] * plane.r[7]) / step);
    const int lines = (int)ceil(half / step);
    const double end = lines * step;
    fputs("<g class=\"ground\"><path", out);
    fil_write_color(out, "fill", fil_mix(fil_paper, fil_ink, 0.07));
    fputs(" d=\"", out);
    write_point(out, view, page, &plane, u0 - end, v0 - end, "M");
    write_point(out, view, page, &plane, u0 + end, v0 - end, "L");
    write_point(out, view, page, &plane, u0 + end, v0 + end, "L");
    write_point(out, view, page, &plane, u0 - end, v0 + end, "L");
    fputs("Z\"/><path fill=\"none\"", out);
    fil_write_color(out, "stroke", fil_mix(fil_paper, fil_ink, 0.16));
    fputs(" stroke-width=\"0.8\" d=\"", out);
    for (int k = -lines; k <= lines; ++k) {
        write_point(out, view, page, &plane, u0 + k * step, v0 - end, "M");
        write_point(out, view, page, &plane, u0 + k * step, v0 + end, "L");
        write_point(out, view, page, &plane, u0 - end, v0 + k * step, "M");
        write_point(out, view, page, &plane, u0 + end, v0 + k * step, "L");
    }
    fputs("\"/></g>\n", out);
}

void fil_draw_ground(FILE* out, const FilView* view, const FilPage* page, const FilWorld* world)
{
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; kind->shape_count != NULL && i < kind->count(world); ++i) {
            const FilId id = kind->at(world, i);
            for (int s = 0; fil_show_visible(kind, world, id) && s < kind->shape_count(world, id); ++s) {
                FilShownShape shape;
                kind->shape(world, id, s, &shape);
                if (shape.def.type == FIL_SHAPE_HALF_SPACE) {
                    write_plate(out, view, page, fil_shown_pose(&shape));
                }
            }
        }
    }
}

/* ---- strains ---- */

void fil_draw_strain_scale(FILE* out, const FilPage* page, double x, double y)
{
    // of a circle: within 1 % of its radius, 1 - cos(pi/24)
    enum { STEPS = 24 };
    if (!(page->max_strain > 0.0)) {
        return;
    }
    for (int k = 0; k < STEPS; ++k) {
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"5.5\" height=\"9\"", x + 5.0 * k, y);
        fil_write_color(out, "fill", strain_color((k + 0.5) / STEPS));
        fputs("/>\n", out);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" text-anchor=\"end\">strain 0</text>\n", x - 6.0, y + 9.0);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\">%.2g</text>\n", x + 5.0 * STEPS + 6.0, y + 9.0, page->max_strain);
}
