/* solids: the shapes and files that they are made of. */
#include "scene/read_solid_meshes.h"

#include <math.h>

#include "scene/document.h"

static const char* const splits[] = {"five", "six", "symmetric", NULL};

#define RADIUS FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", "")
#define LENGTH FIL_KEY_NUMBER("length", FIL_REQUIRED | FIL_POSITIVE, "m", "", "along z")
#define SIZE FIL_KEY_VECTOR("size", 3, FIL_REQUIRED, "m", "", "full lengths")
#define HALF FIL_KEY_VECTOR("half", 3, FIL_REQUIRED, "m", "", "half axes")
#define TUBE FIL_KEY_NUMBER("tube", FIL_REQUIRED | FIL_POSITIVE, "m", "", "radius of the tube")
#define SPACING FIL_KEY_NUMBER("spacing", FIL_REQUIRED | FIL_POSITIVE, "m", "", "of the mesh")
#define CELLS FIL_KEY_VECTOR("cells", 3, FIL_REQUIRED, "", "", "whole numbers, along each axis")

/* Shapes within a blend ... */
static const FilKey part_keys[FIL_SOLID_SHAPE_COUNT][3] = {
    [FIL_SOLID_BALL] = {RADIUS, FIL_KEY_END},
    [FIL_SOLID_BOX] = {SIZE, FIL_KEY_END},
    [FIL_SOLID_CYLINDER] = {RADIUS, LENGTH, FIL_KEY_END},
    [FIL_SOLID_ELLIPSOID] = {HALF, FIL_KEY_END},
    [FIL_SOLID_TORUS] = {RADIUS, TUBE, FIL_KEY_END},
};

/* ... and alone. */
static const FilKey shape_keys[FIL_SOLID_SHAPE_COUNT][4] = {
    [FIL_SOLID_BALL] = {RADIUS, SPACING, FIL_KEY_END},
    [FIL_SOLID_BOX] = {SIZE, SPACING, FIL_KEY_END},
    [FIL_SOLID_CYLINDER] = {RADIUS, LENGTH, SPACING, FIL_KEY_END},
    [FIL_SOLID_ELLIPSOID] = {HALF, SPACING, FIL_KEY_END},
    [FIL_SOLID_TORUS] = {RADIUS, TUBE, SPACING, FIL_KEY_END},
};

#define SHAPES(keys_)                                                                                                                   \
    FIL_KEY_MAPPING("ball", (keys_)[FIL_SOLID_BALL], FIL_VARIANT, ""), FIL_KEY_MAPPING("box", (keys_)[FIL_SOLID_BOX], FIL_VARIANT, ""), \
        FIL_KEY_MAPPING("cylinder", (keys_)[FIL_SOLID_CYLINDER], FIL_VARIANT, ""),                                                      \
        FIL_KEY_MAPPING("ellipsoid", (keys_)[FIL_SOLID_ELLIPSOID], FIL_VARIANT, ""),                                                    \
        FIL_KEY_MAPPING("torus", (keys_)[FIL_SOLID_TORUS], FIL_VARIANT, "about z")

static const FilKey cut_keys[] = {
    FIL_KEY_VECTOR("normal", 3, 0, "", "", ""),
    FIL_KEY_NUMBER("offset", 0, "m", "0", "of the plane along its normal"),
    FIL_KEY_END,
};

static const FilKey item_keys[] = {SHAPES(part_keys), FIL_KEYS_PLACE, FIL_KEY_END};

static const FilKey blend_keys[] = {
    FIL_KEY_LIST("parts", item_keys, FIL_REQUIRED, "that grow together"),
    FIL_KEY_NUMBER("rounding", FIL_NOT_NEGATIVE, "m", "0", "where they meet"),
    SPACING,
    FIL_KEY_MAPPING("cut", cut_keys, 0, "a plane beyond which there is nothing"),
    FIL_KEY_END,
};

static const FilKey hollow_keys[] = {
    FIL_KEY_VECTOR("from", 3, FIL_REQUIRED, "", "", "first cell that is left out"),
    FIL_KEY_VECTOR("to", 3, FIL_REQUIRED, "", "", "first one that is not"),
    FIL_KEY_END,
};

static const FilKey brick_keys[] = {
    SIZE,
    CELLS,
    FIL_KEY_WORD("split", splits, "six", "tetrahedra of a cell"),
    FIL_KEY_LIST("hollows", hollow_keys, 0, "cells that are left out, from <= cell < to"),
    FIL_KEY_END,
};

static const FilKey voussoir_keys[] = {
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", "of the arch"),
    FIL_KEY_NUMBER("thickness", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_NUMBER("depth", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_NUMBER("from", FIL_REQUIRED, "rad", "", "angle at which the stone begins"),
    FIL_KEY_NUMBER("to", FIL_REQUIRED, "rad", "", "angle at which it ends"),
    CELLS,
    FIL_KEY_END,
};

static const FilKey belt_keys[] = {
    FIL_KEY_NUMBER("radius", FIL_REQUIRED | FIL_POSITIVE, "m", "", "of its middle around the wheels"),
    FIL_KEY_NUMBER("distance", FIL_REQUIRED | FIL_POSITIVE, "m", "", "between the wheels' axes, along x"),
    FIL_KEY_NUMBER("thickness", FIL_REQUIRED | FIL_POSITIVE, "m", "", ""),
    FIL_KEY_NUMBER("width", FIL_REQUIRED | FIL_POSITIVE, "m", "", "along y"),
    FIL_KEY_VECTOR("cells", 3, FIL_REQUIRED, "", "", "whole numbers, along the belt (even), through it and across it (even: symmetric)"),
    FIL_KEY_END,
};

static const FilKey disc_keys[] = {
    RADIUS, LENGTH, FIL_KEY_WHOLE("rings", FIL_REQUIRED | FIL_POSITIVE, "", ""), FIL_KEY_WHOLE("layers", FIL_POSITIVE, "1", "along z"), FIL_KEY_END,
};

static const FilKey file_keys[] = {
    FIL_KEY_TEXT("path", FIL_REQUIRED, "", ".vtk or .msh, beside the scene"),
    FIL_KEY_NUMBER("scale", FIL_POSITIVE, "1", "1", ""),
    FIL_KEY_END,
};

static const FilKey filled_keys[] = {
    FIL_KEY_TEXT("path", FIL_REQUIRED, "", ".stl or .obj, beside the scene; without holes"),
    FIL_KEY_NUMBER("scale", FIL_POSITIVE, "1", "1", ""),
    SPACING,
    FIL_KEY_END,
};

const FilKey fil_solid_mesh_keys[] = {
    SHAPES(shape_keys),
    FIL_KEY_MAPPING("brick", brick_keys, FIL_VARIANT, "a box of regular cells"),
    FIL_KEY_MAPPING("voussoir", voussoir_keys, FIL_VARIANT, "a stone of an arch"),
    FIL_KEY_MAPPING("belt", belt_keys, FIL_VARIANT, "a closed belt around two wheels"),
    FIL_KEY_MAPPING("blend", blend_keys, FIL_VARIANT, "the union of shapes, rounded where they meet"),
    FIL_KEY_MAPPING("disc", disc_keys, FIL_VARIANT, "a cylinder about z with exact ends"),
    FIL_KEY_MAPPING("file", file_keys, FIL_VARIANT, "a mesh of tetrahedra"),
    FIL_KEY_MAPPING("filled", filled_keys, FIL_VARIANT, "the inside of a closed surface"),
    FIL_KEY_END,
};

/* The sizes of one of the shapes that are stuffed. */
static void read_shape(FilReader* reader, const FilYaml* node, FilSolidPart* part)
{
    const FilSolidShape shape = part->shape;
    if (shape == FIL_SOLID_BOX || shape == FIL_SOLID_ELLIPSOID) {
        fil_read_vector(reader, node, shape == FIL_SOLID_BOX ? "size" : "half", FIL_REQUIRED, 3, part->size);
        for (int k = 0; k < 3 && shape == FIL_SOLID_BOX; k++) {
            part->size[k] *= 0.5;
        }
    } else {
        fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &part->size[0]);
    }
    if (shape == FIL_SOLID_CYLINDER && fil_read_number(reader, node, "length", FIL_REQUIRED | FIL_POSITIVE, &part->size[1])) {
        part->size[1] *= 0.5;
    }
    if (shape == FIL_SOLID_TORUS) {
        fil_read_number(reader, node, "tube", FIL_REQUIRED | FIL_POSITIVE, &part->size[1]);
    }
}

static const char* const part_words[] = {[FIL_SOLID_BALL] = "ball",           [FIL_SOLID_BOX] = "box",     [FIL_SOLID_CYLINDER] = "cylinder",
                                         [FIL_SOLID_ELLIPSOID] = "ellipsoid", [FIL_SOLID_TORUS] = "torus", NULL};

/* Their keys within a blend. */

/* A single one. */
static void read_part(FilScene* scene, const FilYaml* node, FilSolidShape shape, FilSolidMesh* mesh)
{
    FilReader* reader = &scene->reader;
    FilSolidPart part = {.shape = shape};
    FilError error = {{0}};
    double spacing = 0.0;
    if (!fil_check_keys(reader, node, shape_keys[shape])) {
        return;
    }
    fil_read_number(reader, node, "spacing", FIL_REQUIRED | FIL_POSITIVE, &spacing);
    read_shape(reader, node, &part);
    if (reader->status == FIL_OK) {
        const FilSolidBlend blend = {.parts = &part, .part_count = 1, .spacing = spacing};
        fil_reader_take(reader, fil_solid_mesh_blend(&blend, mesh, &error), node, error.text);
    }
}

/* Several that grow together, {parts: [{ball: {radius}, position, rotation}, ...], rounding, spacing}, without what lies
 * beyond the plane `cut: {normal, offset}`. */
static void read_blend(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    FilSolidBlend blend = {0};
    const FilYaml* list = fil_check_keys(reader, node, blend_keys) ? fil_read_node(reader, node, "parts", FIL_REQUIRED) : NULL;
    if (list == NULL || !fil_check_list(reader, list, "shapes")) {
        return;
    }
    fil_read_number(reader, node, "rounding", FIL_NOT_NEGATIVE, &blend.rounding);
    fil_read_number(reader, node, "spacing", FIL_REQUIRED | FIL_POSITIVE, &blend.spacing);
    const FilYaml* cut = fil_read_node(reader, node, "cut", FIL_OPTIONAL);
    if (cut != NULL && fil_check_keys(reader, cut, cut_keys)) {
        fil_scene_read_vec3(reader, cut, "normal", &blend.cut);
        fil_read_number(reader, cut, "offset", FIL_OPTIONAL, &blend.cut_offset);
    }
    FilSolidPart* parts = fil_reader_alloc(reader, (size_t)list->count, sizeof *parts);
    blend.parts = parts;
    for (const FilYaml* item = list->first; item != NULL && reader->status == FIL_OK && parts != NULL; item = item->next) {
        FilYaml* body = NULL;
        FilSolidPart* part = &parts[blend.part_count++];
        *part = (FilSolidPart){.orientation = {0.0, 0.0, 0.0, 1.0}};
        const int word = fil_check_keys(reader, item, item_keys) ? fil_read_variant(reader, item, part_words, &body) : -1;
        if (word >= 0 && fil_check_keys(reader, body, part_keys[word])) {
            part->shape = (FilSolidShape)word;
            read_shape(reader, body, part);
            fil_scene_read_vec3(reader, item, "position", &part->position);
            fil_scene_read_orientation(reader, item, &part->orientation);
        }
    }
    if (reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_blend(&blend, mesh, &error), node, error.text);
    }
}

static bool read_three(FilReader* reader, const FilYaml* node, const char* key, int min, int* cells)
{
    double numbers[3] = {0.0};
    if (!fil_read_vector(reader, node, key, FIL_REQUIRED, 3, numbers)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        // as integers of other keys (reader.h)
        if (!(numbers[k] >= min && numbers[k] <= 10000.0) || numbers[k] != floor(numbers[k])) {
            fil_reader_fail(reader, fil_yaml_find(node, key), "expected three whole numbers from %d to 10000", min);
            return false;
        }
        cells[k] = (int)numbers[k];
    }
    return true;
}

static bool read_cells(FilReader* reader, const FilYaml* node, int* cells)
{
    return read_three(reader, node, "cells", 1, cells);
}

/* Cells that are left out, in the pool; returns their number. */
static int read_hollows(FilReader* reader, const FilYaml* node, FilSolidHollow** hollows)
{
    const FilYaml* list = fil_read_node(reader, node, "hollows", FIL_OPTIONAL);
    int count = 0;
    *hollows = NULL;
    if (list == NULL || !fil_check_list(reader, list, "blocks of cells {from, to}")) {
        return 0;
    }
    *hollows = fil_reader_alloc(reader, (size_t)list->count, sizeof **hollows);
    for (const FilYaml* block = list->first; block != NULL && reader->status == FIL_OK && *hollows != NULL; block = block->next) {
        FilSolidHollow* hollow = *hollows + count++;
        if (fil_check_keys(reader, block, hollow_keys) && read_three(reader, block, "from", 0, hollow->from)) {
            read_three(reader, block, "to", 1, hollow->to);
        }
    }
    return count;
}

static void read_brick(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    double size[3];
    int cells[3], split = 1;
    if (!fil_check_keys(reader, node, brick_keys)) {
        return;
    }
    fil_read_choice(reader, node, "split", splits, &split);
    FilSolidHollow* hollows;
    const int hollow_count = read_hollows(reader, node, &hollows);
    if (fil_read_vector(reader, node, "size", FIL_REQUIRED, 3, size) && read_cells(reader, node, cells) && reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_hollow_brick(size, cells, split, hollows, hollow_count, mesh, &error), node, error.text);
    }
}

static void read_voussoir(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    double radius = 0.0, thickness = 0.0, depth = 0.0, from = 0.0, to = 0.0;
    int cells[3];
    if (!fil_check_keys(reader, node, voussoir_keys)) {
        return;
    }
    fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &radius);
    fil_read_number(reader, node, "thickness", FIL_REQUIRED | FIL_POSITIVE, &thickness);
    fil_read_number(reader, node, "depth", FIL_REQUIRED | FIL_POSITIVE, &depth);
    fil_read_number(reader, node, "from", FIL_REQUIRED, &from);
    fil_read_number(reader, node, "to", FIL_REQUIRED, &to);
    if (read_cells(reader, node, cells) && reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_voussoir(radius, thickness, depth, from, to, cells, mesh, &error), node, error.text);
    }
}

static void read_belt(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    double radius = 0.0, distance = 0.0, thickness = 0.0, width = 0.0;
    int cells[3];
    if (!fil_check_keys(reader, node, belt_keys)) {
        return;
    }
    fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &radius);
    fil_read_number(reader, node, "distance", FIL_REQUIRED | FIL_POSITIVE, &distance);
    fil_read_number(reader, node, "thickness", FIL_REQUIRED | FIL_POSITIVE, &thickness);
    fil_read_number(reader, node, "width", FIL_REQUIRED | FIL_POSITIVE, &width);
    if (read_cells(reader, node, cells) && reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_belt(radius, distance, thickness, width, cells, mesh, &error), node, error.text);
    }
}

static void read_disc(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    FilReader* reader = &scene->reader;
    FilError error = {{0}};
    double radius = 0.0, length = 0.0;
    int rings = 0, layers = 1;
    if (!fil_check_keys(reader, node, disc_keys)) {
        return;
    }
    fil_read_number(reader, node, "radius", FIL_REQUIRED | FIL_POSITIVE, &radius);
    fil_read_number(reader, node, "length", FIL_REQUIRED | FIL_POSITIVE, &length);
    fil_read_integer(reader, node, "rings", FIL_REQUIRED, 1, 1000, &rings);
    fil_read_integer(reader, node, "layers", FIL_OPTIONAL, 1, 1000, &layers);
    if (reader->status == FIL_OK) {
        fil_reader_take(reader, fil_solid_mesh_disc(radius, length, rings, layers, mesh, &error), node, error.text);
    }
}

/* The path that such a mapping gives, and its scale; NULL after a mistake. */
static const char* read_path(FilScene* scene, const FilYaml* node, const FilKey* keys, double* scale)
{
    FilReader* reader = &scene->reader;
    const char* name = NULL;
    *scale = 1.0;
    if (!fil_check_keys(reader, node, keys) || !fil_read_text(reader, node, "path", FIL_REQUIRED, &name)) {
        return NULL;
    }
    fil_read_number(reader, node, "scale", FIL_POSITIVE, scale);
    const char* path = fil_scene_file(scene, fil_yaml_find(node, "path"), name);
    return reader->status == FIL_OK ? path : NULL;
}

static void read_file(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    FilError error = {{0}};
    double scale;
    const char* path = read_path(scene, node, file_keys, &scale);
    if (path != NULL) {
        fil_reader_take(&scene->reader, fil_solid_mesh_read_below(path, scene->options->folders, scale, mesh, &error), fil_yaml_find(node, "path"),
                        error.text);
    }
}

static void read_filled(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    FilError error = {{0}};
    FilMesh surface = {0};
    double scale, spacing = 0.0;
    const char* path = read_path(scene, node, filled_keys, &scale);
    if (path == NULL || !fil_read_number(&scene->reader, node, "spacing", FIL_REQUIRED | FIL_POSITIVE, &spacing)) {
        return;
    }
    FilStatus status = fil_mesh_read_below(path, scene->options->folders, scale, &surface, &error);
    status = status == FIL_OK ? fil_solid_mesh_fill(&surface, spacing, mesh, &error) : status;
    fil_reader_take(&scene->reader, status, fil_yaml_find(node, "path"), error.text);
    fil_mesh_free(&surface);
}

void fil_scene_read_solid_mesh(FilScene* scene, const FilYaml* node, FilSolidMesh* mesh)
{
    enum { BRICK = FIL_SOLID_SHAPE_COUNT, VOUSSOIR, BELT, BLEND, DISC, FILE_OF, FILLED };
    static const char* const words[] = {[FIL_SOLID_BALL] = "ball",
                                        [FIL_SOLID_BOX] = "box",
                                        [FIL_SOLID_CYLINDER] = "cylinder",
                                        [FIL_SOLID_ELLIPSOID] = "ellipsoid",
                                        [FIL_SOLID_TORUS] = "torus",
                                        [BRICK] = "brick",
                                        [VOUSSOIR] = "voussoir",
                                        [BLEND] = "blend",
                                        [BELT] = "belt",
                                        [DISC] = "disc",
                                        [FILE_OF] = "file",
                                        [FILLED] = "filled",
                                        NULL};
    FilYaml* body = NULL;
    const int word = fil_read_variant(&scene->reader, node, words, &body);
    if (word >= 0 && word < FIL_SOLID_SHAPE_COUNT) {
        read_part(scene, body, (FilSolidShape)word, mesh);
    } else if (word == BRICK) {
        read_brick(scene, body, mesh);
    } else if (word == VOUSSOIR) {
        read_voussoir(scene, body, mesh);
    } else if (word == BELT) {
        read_belt(scene, body, mesh);
    } else if (word == BLEND) {
        read_blend(scene, body, mesh);
    } else if (word == DISC) {
        read_disc(scene, body, mesh);
    } else if (word == FILE_OF) {
        read_file(scene, body, mesh);
    } else if (word == FILLED) {
        read_filled(scene, body, mesh);
    }
}
