/* Owns the description that a page gets before its first frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "view/frame.h"
#include "view/show.h"

static void write_numbers(FilJson* json, const char* key, const double* numbers, int count)
{
    fil_json_open(json, key, '[');
    for (int i = 0; i < count; ++i) {
        fil_json_number(json, NULL, numbers[i]);
    }
    fil_json_close(json, ']');
}

static void write_corners(FilJson* json, const int* corners, int count)
{
    fil_json_open(json, "triangles", '[');
    for (int i = 0; i < count; ++i) {
        fil_json_integer(json, NULL, (uint64_t)corners[i]);
    }
    fil_json_close(json, ']');
}

static void write_curve(FilJson* json, const FilShowKind* kind, const FilWorld* world, FilId id)
{
    const FilCurve curve = kind->curve(world, id);
    fil_json_open(json, "curve", '{');
    fil_json_integer(json, "nodes", (uint64_t)curve.node_count);
    fil_json_integer(json, "edges", (uint64_t)curve.edge_count);
    fil_json_boolean(json, "closed", curve.closed);
    if (curve.width > 0.0) {
        write_numbers(json, "flat", (double[]){curve.width, curve.height}, 2);
    }
    fil_json_boolean(json, "plain", curve.plain);
    FilShownGrip grip;
    fil_json_boolean(json, "whole", kind->grip != NULL && kind->grip(world, id, 0, &grip) && !grip.turns);  // pulled by its middle
    fil_json_open(json, "radii", '[');
    for (int e = 0; e < curve.edge_count; ++e) {
        fil_json_number(json, NULL, kind->curve_radius(world, id, e));
    }
    fil_json_close(json, ']');
    fil_json_close(json, '}');
}

/* #rrggbb, and an opacity if it is not full. */
static void write_color(FilJson* json, FilColor color)
{
    char text[8];
    snprintf(text, sizeof text, "#%02x%02x%02x", (unsigned)lround(255.0 * color.r), (unsigned)lround(255.0 * color.g),
             (unsigned)lround(255.0 * color.b));
    fil_json_text(json, "color", text);
    if (color.a < 1.0) {
        fil_json_number(json, "opacity", color.a);
    }
}

static void write_shape(FilJson* json, const FilShownShape* shape, FilColor color)
{
    static const char* const types[] = {[FIL_SHAPE_SPHERE] = "sphere", [FIL_SHAPE_CAPSULE] = "capsule",       [FIL_SHAPE_CYLINDER] = "cylinder",
                                        [FIL_SHAPE_BOX] = "box",       [FIL_SHAPE_HALF_SPACE] = "half_space", [FIL_SHAPE_HULL] = "hull",
                                        [FIL_SHAPE_MESH] = "mesh",     [FIL_SHAPE_REVOLUTION] = "revolution"};
    const FilShapeDef* def = &shape->def;
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "type", types[def->type]);
    if (shape->part != NULL) {
        fil_json_text(json, "part", shape->part);
    }
    fil_json_boolean(json, "moves", shape->moves);
    write_color(json, color);
    fil_json_number(json, "radius", def->radius);
    fil_json_number(json, "length", def->length);
    write_numbers(json, "size", (double[]){def->size.x, def->size.y, def->size.z}, 3);
    write_numbers(json, "points", def->points, def->points != NULL ? 3 * def->point_count : 0);
    write_corners(json, def->triangles, def->triangles != NULL ? 3 * def->triangle_count : 0);
    write_numbers(json, "radii", def->radii, def->radii != NULL ? def->radius_count : 0);
    fil_json_close(json, '}');
}

static void write_shapes(FilJson* json, const FilShowKind* kind, const FilWorld* world, FilId id, FilColor color)
{
    fil_json_boolean(json, "sleeve", kind->sleeve);
    fil_json_open(json, "shapes", '[');
    for (int s = 0; s < kind->shape_count(world, id); ++s) {
        FilShownShape shape;
        kind->shape(world, id, s, &shape);
        write_shape(json, &shape, fil_show_shape_color(kind, world, id, &shape, color));
    }
    fil_json_close(json, ']');
}

/* ---- surfaces at rest ---- */

FilViewRest fil_view_rest_take(const FilWorld* world)
{
    FilViewRest rest = {0};
    for (int pass = 0; pass < 2 && fil_world_time(world) == 0.0; ++pass) {
        rest.count = 0;
        for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
            const FilShowKind* kind = fil_show_kind(k);
            for (int i = 0; kind->triangle_count != NULL && i < kind->count(world); ++i) {
                const FilId id = kind->at(world, i);
                for (int v = 0; v < kind->vertex_count(world, id); ++v, ++rest.count) {
                    if (rest.vertices != NULL) {
                        kind->vertex(world, id, v, rest.vertices + 3 * rest.count);
                    }
                }
            }
        }
        if (pass == 0 && (rest.vertices = malloc(3 * sizeof(double) * (rest.count + 1))) == NULL) {
            break;
        }
    }
    return rest;
}

void fil_view_rest_free(FilViewRest* rest)
{
    free(rest->vertices);
    *rest = (FilViewRest){0};
}

/* `rest`: of this surface; NULL: not known */
static void write_surface(FilJson* json, const FilShowKind* kind, const FilWorld* world, FilId id, const double* rest)
{
    fil_json_open(json, "surface", '{');
    fil_json_integer(json, "vertices", (uint64_t)kind->vertex_count(world, id));
    if (rest != NULL) {
        write_numbers(json, "rest", rest, 3 * kind->vertex_count(world, id));
    }
    fil_json_open(json, "triangles", '[');
    for (int t = 0; t < kind->triangle_count(world, id); ++t) {
        int corners[3];
        kind->triangle(world, id, t, corners);
        for (int k = 0; k < 3; ++k) {
            fil_json_integer(json, NULL, (uint64_t)corners[k]);
        }
    }
    fil_json_close(json, ']');
    fil_json_close(json, '}');
}

static void write_objects(FilJson* json, const FilWorld* world, const double* rest)
{
    int number = 0;
    fil_json_open(json, "objects", '[');
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = fil_show_kind(k);
        for (int i = 0; i < kind->count(world); ++i) {
            const FilId id = kind->at(world, i);
            fil_json_open(json, NULL, '{');
            fil_json_text(json, "name", kind->name(world, id));
            fil_json_text(json, "kind", kind->heading);
            const FilColor color = fil_show_color(kind, world, id, number++);
            fil_json_boolean(json, "visible", fil_show_visible(kind, world, id));
            write_color(json, color);
            if (kind->curve != NULL) {
                write_curve(json, kind, world, id);
            }
            if (kind->shape_count != NULL) {
                write_shapes(json, kind, world, id, color);
            }
            if (kind->triangle_count != NULL) {
                write_surface(json, kind, world, id, rest);
                rest = rest != NULL ? rest + 3 * kind->vertex_count(world, id) : NULL;
            }
            fil_json_close(json, '}');
        }
    }
    fil_json_close(json, ']');
}

/* joints and chambers are plotted beside the probes */
static void write_plotted(void* context, FilControlPlace place, const FilShownControl* control)
{
    char name[256];
    snprintf(name, sizeof name, strcmp(control->name, "chamber") == 0 ? "%s %s %d" : "%s %s", place.of, control->name, place.part);
    fil_json_text(context, NULL, name);
}

static void write_names(FilJson* json, const FilWorld* world)
{
    fil_json_open(json, "contact_models", '[');
    for (int i = 0; i < fil_contact_model_count(); ++i) {
        fil_json_text(json, NULL, fil_contact_model_name(i));
    }
    fil_json_close(json, ']');
    fil_json_open(json, "probes", '[');
    for (int i = 0; i < fil_world_probe_count(world); ++i) {
        fil_json_text(json, NULL, fil_world_probe_name(world, i));
    }
    fil_show_controls(world, write_plotted, json);
    fil_json_close(json, ']');
}

static void write_source(FilJson* json, const FilSource* source)
{
    fil_json_text(json, "source", source->text);
    fil_json_open(json, "parameters", '[');
    for (int i = 0; i < source->parameter_count; ++i) {
        const FilSourceParameter* parameter = &source->parameters[i];
        fil_json_open(json, NULL, '{');
        fil_json_text(json, "name", parameter->path);
        fil_json_number(json, "value", parameter->value);
        fil_json_boolean(json, "whole", parameter->whole);
        fil_json_close(json, '}');
    }
    fil_json_close(json, ']');
}

static void write_control(void* context, FilControlPlace place, const FilShownControl* control)
{
    FilJson* json = context;
    fil_json_open(json, NULL, '{');
    fil_json_integer(json, "object", (uint64_t)place.object);  // as in the list of objects
    fil_json_integer(json, "part", (uint64_t)place.part);
    fil_json_text(json, "of", place.of);
    fil_json_text(json, "name", control->name);
    fil_json_text(json, "unit", control->unit);
    fil_json_number(json, "lower", control->lower);
    fil_json_number(json, "upper", control->upper);
    fil_json_number(json, "value", control->value);
    fil_json_close(json, '}');
}

static void write_controls(FilJson* json, const FilWorld* world)
{
    fil_json_open(json, "controls", '[');
    fil_show_controls(world, write_control, json);
    fil_json_close(json, ']');
}

char* fil_view_describe(const FilViewDescription* description, size_t* size)
{
    const FilWorld* world = description->world;
    char* text = NULL;
    FILE* out = open_memstream(&text, size);
    if (out == NULL) {
        return NULL;
    }
    FilJson json = {.out = out};
    fil_json_open(&json, NULL, '{');
    fil_json_text(&json, "scene", description->scene->name);
    fil_json_text(&json, "title", description->scene->title);
    fil_json_text(&json, "message", description->message != NULL ? description->message : "");
    fil_json_number(&json, "dt", fil_world_dt(world));
    fil_json_number(&json, "speed", description->speed);
    fil_json_boolean(&json, "steers", !description->locked);
    fil_json_text(&json, "contact_model", fil_world_contact_model(world));
    write_names(&json, world);
    FilViewRest now = description->rest == NULL ? fil_view_rest_take(world) : (FilViewRest){0};
    write_objects(&json, world, description->rest != NULL ? description->rest->vertices : now.vertices);
    fil_view_rest_free(&now);
    if (description->steers) {
        write_controls(&json, world);
    }
    if (description->source != NULL && description->source->text != NULL) {
        write_source(&json, description->source);
    }
    fil_json_close(&json, '}');
    const bool whole = !ferror(out);
    if (fclose(out) != 0 || !whole) {
        free(text);
        text = NULL;
    }
    return text;
}
