/* Owns the drawing of curves and outlines: an orthographic view, ghosts as faint lines, the last state as shaded tubes, faces of shapes
 * and triangles of shells that are painted from back to front; the ground and what is static come first. A tube is cut into short pieces
 * of three strokes each: a dark rim, the body, a gleam. */
#include "draw.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "draw_patches.h"
#include "draw_shapes.h"

/* Pictures of earlier times, and edges of a piece that is drawn as one: chosen by eye. */
enum { GHOSTS = 5, MAX_EDGES = 16 };

/* An object's part of the drawing's nodes and edges. */
typedef struct Curve {
    int owner; /* the object, counted through all: what colour it has */
    int node, node_count;
    int edge, edge_count;
    bool closed;
} Curve;

/* What is painted at once: some edges of a curve, about as long together as the tube is wide, or an outline. */
typedef struct Piece {
    int curve, edge, edge_count; /* edge: counted in the curve */
    int outline;                 /* -1: a part of a curve */
    double depth;                /* m towards the viewer */
} Piece;

struct FilDrawing {
    FilView view;
    int curve_count, node_count, edge_count;
    Curve* curves;
    double* radii;    /* per edge, m */
    Piece* pieces;    /* room for one per edge and outline */
    double* pictures; /* ghosts, then the last state: 3 per node each */
    int outline_count;
    FilOutline* outlines; /* outline_count per picture */
    double* rest;         /* m, three edges per outline at the start */
    FilColor* colors;     /* per object that is shown */
    int color_count;
    bool strains; /* are shown by colours */
    double times[GHOSTS + 1];
    int ghost_count;
};

/* This and all other sizes and shares of colours in pictures are chosen by eye. */
static const double PAGE_WIDTH = 1000.0, MARGIN = 48.0, FOOTER = 44.0; /* px */
static const double THINNEST = 3.0;                                    /* px, of a tube */

/* ---- making ---- */

static void set_view(FilDrawing* drawing, FilVec3 view)
{
    double* w = drawing->view.toward;
    fil_v3_set(w, view.x, view.y, view.z);
    if (fil_v3_normalise(w) == 0.0) {
        // chosen: from the front, a little from the right and above
        fil_v3_set(w, 0.30, -0.90, 0.32);
        fil_v3_normalise(w);
    }
    // z points up on the page, y does when looking along z
    const double z[3] = {0.0, 0.0, 1.0}, y[3] = {0.0, 1.0, 0.0};
    fil_v3_cross(drawing->view.right, fabs(w[2]) < 0.999 ? z : y, w);
    fil_v3_normalise(drawing->view.right);
    fil_v3_cross(drawing->view.up, w, drawing->view.right);
}

/* Counts outlines and curves, and what the curves consist of. */
static void count_parts(FilDrawing* drawing, const FilWorld* world)
{
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); ++i) {
            const FilId id = kind->at(world, i);
            drawing->color_count += 1;
            if (!fil_show_visible(kind, world, id)) {
                continue;
            }
            drawing->outline_count += fil_outline_object(&drawing->view, kind, world, id, NULL);
            if (kind->curve != NULL) {
                const FilCurve curve = kind->curve(world, id);
                drawing->curve_count += 1;
                drawing->node_count += curve.node_count;
                drawing->edge_count += curve.edge_count;
            }
        }
    }
}

/* Lays the curves one after the other. */
static void list_curves(FilDrawing* drawing, const FilWorld* world)
{
    int owner = 0, node = 0, edge = 0;
    Curve* next = drawing->curves;
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); ++i, ++owner) {
            const FilId id = kind->at(world, i);
            drawing->colors[owner] = fil_show_color(kind, world, id, owner);
            if (!fil_show_visible(kind, world, id) || kind->curve == NULL) {
                continue;
            }
            const FilCurve curve = kind->curve(world, id);
            *next++ = (Curve){
                .owner = owner, .node = node, .node_count = curve.node_count, .edge = edge, .edge_count = curve.edge_count, .closed = curve.closed};
            for (int e = 0; e < curve.edge_count; ++e) {
                drawing->radii[edge++] = kind->curve_radius(world, id, e);
            }
            node += curve.node_count;
        }
    }
}

static double* picture(const FilDrawing* drawing, int index)
{
    return drawing->pictures + 3 * (size_t)drawing->node_count * (size_t)index;
}

static FilOutline* outlines_of(const FilDrawing* drawing, int index)
{
    return drawing->outlines + (size_t)drawing->outline_count * (size_t)index;
}

/* Keeps the nodes as the view sees them: right, up, toward; and the outlines of shapes. */
static void take(FilDrawing* drawing, const FilWorld* world, int index)
{
    double* nodes = picture(drawing, index);
    FilOutline* next = outlines_of(drawing, index);
    const Curve* curve = drawing->curves;
    int owner = 0;
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); ++i, ++owner) {
            const FilId id = kind->at(world, i);
            if (!fil_show_visible(kind, world, id)) {
                continue;
            }
            if (kind->curve != NULL) {
                kind->curve_nodes(world, id, nodes + 3 * (curve++)->node);
            }
            const int count = fil_outline_object(&drawing->view, kind, world, id, next);
            for (const FilOutline* end = next + count; next < end; ++next) {
                next->owner = owner;
            }
        }
    }
    for (int i = 0; i < drawing->node_count; ++i) {
        double* x = nodes + 3 * i;
        fil_v3_set(x, fil_v3_dot(drawing->view.right, x), fil_v3_dot(drawing->view.up, x), fil_v3_dot(drawing->view.toward, x));
    }
    drawing->times[index] = fil_world_time(world);
}

void fil_drawing_destroy(FilDrawing* drawing)
{
    if (drawing != NULL) {
        fil_free(drawing->curves);
        fil_free(drawing->radii);
        fil_free(drawing->pieces);
        fil_free(drawing->pictures);
        fil_free(drawing->outlines);
        fil_free(drawing->rest);
        fil_free(drawing->colors);
        fil_free(drawing);
    }
}

FilStatus fil_drawing_create(const FilWorld* world, FilVec3 view, FilDrawing** out)
{
    *out = NULL;
    FilDrawing* drawing = fil_alloc(1, sizeof *drawing);
    if (drawing == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    set_view(drawing, view);
    count_parts(drawing, world);
    drawing->curves = fil_alloc((size_t)drawing->curve_count, sizeof *drawing->curves);
    drawing->radii = fil_alloc((size_t)drawing->edge_count, sizeof *drawing->radii);
    drawing->pieces = fil_alloc((size_t)(drawing->edge_count + drawing->outline_count), sizeof *drawing->pieces);
    drawing->outlines = fil_alloc((GHOSTS + 1) * (size_t)drawing->outline_count, sizeof *drawing->outlines);
    drawing->pictures = fil_alloc((GHOSTS + 1) * (size_t)drawing->node_count, 3 * sizeof *drawing->pictures);
    drawing->rest = fil_alloc((size_t)drawing->outline_count, 3 * sizeof *drawing->rest);
    drawing->colors = fil_alloc((size_t)drawing->color_count, sizeof *drawing->colors);
    if (drawing->curves == NULL || drawing->radii == NULL || drawing->pieces == NULL || drawing->pictures == NULL || drawing->outlines == NULL ||
        drawing->rest == NULL || drawing->colors == NULL) {
        fil_drawing_destroy(drawing);
        return FIL_OUT_OF_MEMORY;
    }
    list_curves(drawing, world);
    take(drawing, world, 0);
    for (int k = 0; k < drawing->outline_count; ++k) {
        fil_v3_copy(drawing->rest + 3 * k, drawing->outlines[k].edges);
    }
    *out = drawing;
    return FIL_OK;
}

void fil_drawing_show_strains(FilDrawing* drawing)
{
    drawing->strains = true;
}

/* How much the edges of triangles have changed since the start; returns the most. */
static double find_strains(const FilDrawing* drawing, FilOutline* outlines)
{
    double max = 0.0;
    for (int k = 0; k < drawing->outline_count && drawing->strains; ++k) {
        for (int e = 0; e < 3 && outlines[k].form == FIL_OUTLINE_SHEET; ++e) {
            outlines[k].strain = fmax(outlines[k].strain, fabs(outlines[k].edges[e] / drawing->rest[3 * k + e] - 1.0));
        }
        max = fmax(max, outlines[k].strain);
    }
    return max;
}

void fil_drawing_watch(FilDrawing* drawing, const FilWorld* world, double done)
{
    if (drawing->ghost_count < GHOSTS && done * GHOSTS >= drawing->ghost_count) {
        take(drawing, world, drawing->ghost_count++);
    }
}

/* ---- the page ---- */

static FilPage lay_out(const FilDrawing* drawing, int picture_count)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int p = 0; p < picture_count; ++p) {
        const double* nodes = picture(drawing, p);
        for (int k = 0; k < 3 * drawing->node_count; ++k) {
            low[k % 3] = fmin(low[k % 3], nodes[k]);
            high[k % 3] = fmax(high[k % 3], nodes[k]);
        }
        for (int k = 0; k < drawing->outline_count; ++k) {
            const FilOutline* o = &outlines_of(drawing, p)[k];
            for (int c = 0; c < 2 * FIL_OUTLINE_CORNERS; ++c) {
                low[c % 2] = fmin(low[c % 2], o->corner[c]);
                high[c % 2] = fmax(high[c % 2], o->corner[c]);
            }
            low[2] = fmin(low[2], o->depth);
            high[2] = fmax(high[2], o->depth);
        }
    }
    if (drawing->node_count == 0 && drawing->outline_count == 0) {
        fil_v3_set(low, -0.5, -0.25, 0.0);
        fil_v3_set(high, 0.5, 0.25, 0.0);
    }
    // neither a slit nor a tower: at least a quarter, at most 0.8 as high as wide
    const double inner = PAGE_WIDTH - 2.0 * MARGIN;
    const double wide = fmax(high[0] - low[0], (high[1] - low[1]) / 0.8), tall = fmax(high[1] - low[1], 0.25 * wide);
    FilPage page = {.scale = inner / wide, .near = high[2], .far = low[2], .width = PAGE_WIDTH};
    page.height = ceil(tall * page.scale + 2.0 * MARGIN + FOOTER);
    page.left = 0.5 * (low[0] + high[0]) - 0.5 * PAGE_WIDTH / page.scale;
    page.top = 0.5 * (low[1] + high[1]) + 0.5 * (page.height - FOOTER) / page.scale;
    return page;
}

static double tube_width(const FilPage* page, double radius)
{
    return fmax(2.0 * radius * page->scale, THINNEST);
}

static void write_text(FILE* out, const char* text)
{
    for (; *text != '\0'; ++text) {
        switch (*text) {
            case '<':
                fputs("&lt;", out);
                break;
            case '&':
                fputs("&amp;", out);
                break;
            default:
                fputc(*text, out);
        }
    }
}

/* Large objects that never move lie behind everything. */
static void write_background(FILE* out, const FilDrawing* drawing, const FilPage* page, int index)
{
    for (int k = 0; k < drawing->outline_count; ++k) {
        if (outlines_of(drawing, index)[k].behind) {
            fil_draw_outline(out, page, &outlines_of(drawing, index)[k]);
        }
    }
}

/* ---- ghosts ---- */

static void write_ghost(FILE* out, const FilDrawing* drawing, const FilPage* page, int index, double opacity)
{
    const double* nodes = picture(drawing, index);
    fprintf(out, "<g fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" opacity=\"%.2f\">\n", opacity);
    for (int c = 0; c < drawing->curve_count; ++c) {
        const Curve* curve = &drawing->curves[c];
        fputs("<path", out);
        fil_write_color(out, "stroke", fil_mix(drawing->colors[curve->owner], fil_paper, 0.25));
        fprintf(out, " stroke-width=\"%.1f\" d=\"M", tube_width(page, drawing->radii[curve->edge]));
        for (int i = 0; i < curve->node_count; ++i) {
            const double* x = nodes + 3 * (curve->node + i);
            fprintf(out, "%s%.1f %.1f", i > 0 ? " " : "", fil_page_x(page, x), fil_page_y(page, x));
        }
        fputs(curve->closed ? "z\"/>\n" : "\"/>\n", out);
    }
    for (int k = 0; k < drawing->outline_count; ++k) {
        fil_draw_ghost(out, page, &outlines_of(drawing, index)[k]);
    }
    fputs("</g>\n", out);
}

/* ---- tubes ---- */

/* Node i of a curve; closed ones go round. */
static const double* node_at(const Curve* curve, const double* nodes, int i)
{
    return nodes + 3 * (curve->node + (i + curve->node_count) % curve->node_count);
}

static int by_depth(const void* a, const void* b)
{
    const Piece *x = a, *y = b;
    if (x->depth != y->depth) {
        return x->depth < y->depth ? -1 : 1;
    }
    return x->curve != y->curve ? (x->curve > y->curve) - (x->curve < y->curve) : (x->edge > y->edge) - (x->edge < y->edge);
}

/* Cuts the curves into pieces, takes in the outlines that move, furthest first; returns how many. */
static int cut(FilDrawing* drawing, const FilPage* page, const double* nodes, const FilOutline* outlines)
{
    int count = 0;
    for (int c = 0; c < drawing->curve_count; ++c) {
        const Curve* curve = &drawing->curves[c];
        for (int i = 0; i < curve->edge_count; ++count) {
            Piece* piece = &drawing->pieces[count];
            *piece = (Piece){.curve = c, .edge = i, .outline = -1};
            const double wanted = tube_width(page, drawing->radii[curve->edge + i]) / page->scale;
            for (double length = 0.0; i < curve->edge_count && length < wanted && piece->edge_count < MAX_EDGES; ++i) {
                const double *a = node_at(curve, nodes, i), *b = node_at(curve, nodes, i + 1);
                length += fil_v3_distance(a, b);
                piece->depth += 0.5 * (a[2] + b[2]);
                ++piece->edge_count;
            }
            piece->depth /= piece->edge_count;
        }
    }
    for (int k = 0; k < drawing->outline_count; ++k) {
        if (!outlines[k].behind && !outlines[k].hidden) {
            drawing->pieces[count++] = (Piece){.curve = drawing->curve_count, .edge = k, .outline = k, .depth = outlines[k].depth};
        }
    }
    qsort(drawing->pieces, (size_t)count, sizeof *drawing->pieces, by_depth);
    return count;
}

/* How bright the side of a tube is that faces the viewer: 0 to 1. */
static double brightness(const double* a, const double* b)
{
    double t[3], normal[3] = {0.0, 0.0, 1.0};
    fil_v3_sub(t, b, a);
    fil_v3_normalise(t);
    fil_v3_axpy(normal, -t[2], t);
    return fil_v3_normalise(normal) > 0.0 ? fmax(0.0, fil_v3_dot(normal, fil_light)) : 0.0;
}

/* A piece on the page, `reach` px longer at both ends as far as the curve goes on: x and y per point. */
typedef struct Trace {
    double at[2 * (MAX_EDGES + 3)];
    int count;
} Trace;

static Trace trace(const FilPage* page, const Curve* curve, const Piece* piece, const double* nodes, double reach)
{
    const int last = piece->edge + piece->edge_count;
    const int from = curve->closed || piece->edge > 0 ? piece->edge - 1 : 0;
    const int to = curve->closed || last < curve->edge_count ? last + 1 : last;
    Trace line = {.count = 0};
    for (int i = from; i <= to; ++i) {
        const double* x = node_at(curve, nodes, i);
        double* point = line.at + 2 * line.count++;
        point[0] = fil_page_x(page, x), point[1] = fil_page_y(page, x);
        if (i < piece->edge || i > last) {  // part of the neighbour only
            const double* near = node_at(curve, nodes, i < piece->edge ? piece->edge : last);
            const double dx = point[0] - fil_page_x(page, near), dy = point[1] - fil_page_y(page, near);
            const double share = fmin(1.0, reach / fmax(hypot(dx, dy), 1e-9));
            point[0] += (share - 1.0) * dx, point[1] += (share - 1.0) * dy;
        }
    }
    return line;
}

static void write_stroke(FILE* out, FilColor colour, double width, const char* cap, const Trace* line)
{
    fputs("<path", out);
    fil_write_color(out, "stroke", colour);
    fprintf(out, " stroke-width=\"%.1f\"%s d=\"M", width, cap);
    for (int i = 0; i < line->count; ++i) {
        fprintf(out, "%s%.1f %.1f", i > 0 ? " " : "", line->at[2 * i], line->at[2 * i + 1]);
    }
    fputs("\"/>\n", out);
}

/* Moves a line across itself by `distance` px, towards the light. */
static void shift_to_light(Trace* line, double distance)
{
    const int last = 2 * (line->count - 1);
    const double across[2] = {line->at[1] - line->at[last + 1], line->at[last] - line->at[0]};
    const double length = hypot(across[0], across[1]);
    const double sign = across[0] * fil_light[0] - across[1] * fil_light[1] > 0.0 ? 1.0 : -1.0;
    for (int k = 0; k < 2 * line->count && length > 0.0; ++k) {
        line->at[k] += distance * sign * across[k % 2] / length;
    }
}

static void write_tube(FILE* out, const FilDrawing* drawing, const FilPage* page, const Piece* piece, const double* nodes)
{
    const Curve* curve = &drawing->curves[piece->curve];
    const double width = tube_width(page, drawing->radii[curve->edge + piece->edge]);
    // what is far back pales
    const double back = (page->near - piece->depth) / fmax(page->near - page->far, 1e-300);
    const double shine = brightness(node_at(curve, nodes, piece->edge), node_at(curve, nodes, piece->edge + piece->edge_count));
    const FilColor base = fil_mix(drawing->colors[curve->owner], fil_paper, 0.22 * back);
    const FilColor body = fil_mix(fil_mix(fil_ink, base, 0.75), base, shine);
    // each stroke reaches further into the neighbours than the one below it, so that no joint shows
    const bool end = !curve->closed && (piece->edge == 0 || piece->edge + piece->edge_count == curve->edge_count);
    Trace line = trace(page, curve, piece, nodes, 0.2 * width);
    write_stroke(out, fil_mix(base, fil_ink, 0.62), width + fmin(2.0, 0.4 * width), end ? " class=\"r\"" : "", &line);
    line = trace(page, curve, piece, nodes, (end ? 0.8 : 0.3) * width);
    write_stroke(out, body, width, " class=\"r\"", &line);
    if (width > 1.2 * THINNEST) {
        line = trace(page, curve, piece, nodes, 1.2 * width);
        shift_to_light(&line, 0.2 * width);
        write_stroke(out, fil_mix(body, fil_white, 0.12 + 0.38 * shine), 0.25 * width, "", &line);
    }
}

static void write_tubes(FILE* out, FilDrawing* drawing, const FilPage* page, int index)
{
    const double* nodes = picture(drawing, index);
    const FilOutline* outlines = outlines_of(drawing, index);
    const int count = cut(drawing, page, nodes, outlines);
    fputs("<g fill=\"none\" stroke-linejoin=\"round\">\n", out);
    for (int p = 0; p < count; ++p) {
        const Piece* piece = &drawing->pieces[p];
        if (piece->outline < 0) {
            write_tube(out, drawing, page, piece, nodes);
        } else {
            fil_draw_outline(out, page, &outlines[piece->outline]);
        }
    }
    fputs("</g>\n", out);
}

/* ---- the footer ---- */

static void write_footer(FILE* out, const FilDrawing* drawing, const FilPage* page, int picture_count, const char* title)
{
    const double bar = fil_round_length(0.16 * page->width / page->scale), y = page->height - 0.6 * FOOTER;
    const double x1 = page->width - MARGIN, x0 = x1 - bar * page->scale;
    fputs("<g font-family=\"Helvetica, Arial, sans-serif\" font-size=\"15\"", out);
    fil_write_color(out, "fill", fil_ink);
    fputs(">\n", out);
    fprintf(out, "<text x=\"%.0f\" y=\"%.0f\"><tspan font-weight=\"bold\">", MARGIN, y + 5.0);
    write_text(out, title);
    fprintf(out, "</tspan><tspan dx=\"12\" fill-opacity=\"0.7\">t = ");
    for (int p = 0; p < picture_count; ++p) {
        fprintf(out, "%s%.3g", p > 0 ? ", " : "", drawing->times[p]);
    }
    fputs(" s</tspan></text>\n", out);
    fprintf(out, "<path d=\"M%.1f %.1fv-8v4H%.1fm0 -4v8\" fill=\"none\" stroke-width=\"1.5\"", x0, y + 4.0, x1);
    fil_write_color(out, "stroke", fil_ink);
    fprintf(out, "/>\n<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g m</text>\n", x0 - 10.0, y + 5.0, bar);
    fil_draw_strain_scale(out, page, page->width - MARGIN - 150.0, 22.0);
    fputs("</g>\n", out);
}

static void write_svg(FILE* out, FilDrawing* drawing, const FilWorld* world, int picture_count, const char* title)
{
    FilPage page = lay_out(drawing, picture_count);
    page.colors = drawing->colors;
    page.max_strain = find_strains(drawing, outlines_of(drawing, picture_count - 1));
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n", page.width, page.height,
            page.width, page.height);
    fputs("<style>.r{stroke-linecap:round}</style>\n<rect width=\"100%\" height=\"100%\" rx=\"12\"", out);
    fil_write_color(out, "fill", fil_paper);
    fputs("/>\n", out);
    fil_draw_ground(out, &drawing->view, &page, world);
    write_background(out, drawing, &page, picture_count - 1);
    for (int p = 0; p + 1 < picture_count; ++p) {
        write_ghost(out, drawing, &page, p, 0.12 + 0.26 * (p + 1) / (double)picture_count);
    }
    write_tubes(out, drawing, &page, picture_count - 1);
    fil_draw_patches(out, &drawing->view, page.scale, page.left, page.top, world);
    write_footer(out, drawing, &page, picture_count, title);
    fputs("</svg>\n", out);
}

FilStatus fil_drawing_write(FilDrawing* drawing, const FilWorld* world, const char* title, const char* path, FilError* error)
{
    char part[4096];
    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part) {
        return fil_error(error, FIL_IO, "cannot write %.100s...: the path is too long", path);
    }
    FILE* out = fopen(part, "w");
    if (out == NULL) {
        return fil_error(error, FIL_IO, "cannot write %s: %s", path, strerror(errno));
    }
    // a ghost of this very moment would lie under the opaque picture
    int ghosts = drawing->ghost_count;
    while (ghosts > 0 && drawing->times[ghosts - 1] >= fil_world_time(world)) {
        --ghosts;
    }
    take(drawing, world, ghosts);
    write_svg(out, drawing, world, ghosts + 1, title);
    const bool written = !ferror(out);
    if (fclose(out) != 0 || !written || rename(part, path) != 0) {
        const FilStatus status = fil_error(error, FIL_IO, "cannot write %s: %s", path, strerror(errno));
        remove(part);
        return status;
    }
    return FIL_OK;
}
