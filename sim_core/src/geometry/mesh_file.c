/* Readers of STL (ASCII and binary) and OBJ. Both gather vertices and triangles as the file has them; then equal
 * vertices are merged, and triangles that merging has flattened are dropped. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/vec3.h"
#include "geometry/mesh.h"

#define STL_HEADER 84   /* bytes: 80 of text, then the number of triangles */
#define STL_TRIANGLE 50 /* bytes: normal, three corners (12 floats), attribute */
#define MAX_VERTICES (3 * FIL_MESH_MAX_TRIANGLES)

typedef struct Reader {
    const char* name;
    const char *at, *end;
    long line;
    bool overlong; /* the last line did not fit its copy */
    double scale;
    double* vertices;
    int* triangles;
    int vertex_count, vertex_capacity;
    int triangle_count, triangle_capacity;
    FilError* error;
} Reader;

// ---- gathering ----

static FilStatus reader_fail(Reader* r, const char* what)
{
    return r->line > 0 ? fil_error(r->error, FIL_BAD_INPUT, "%s:%ld: %s", r->name, r->line, what)
                       : fil_error(r->error, FIL_BAD_INPUT, "%s: %s", r->name, what);
}

// room for one more vertex or triangle: three numbers of `size` bytes
static FilStatus make_room(Reader* r, void** block, int count, int max, int* capacity, size_t size, const char* what)
{
    if (count >= max) {
        return fil_error(r->error, FIL_BAD_INPUT, "%s: more than %d %s", r->name, max, what);
    }
    return fil_array_reserve(block, count, capacity, 3 * size) ? FIL_OK
                                                               : fil_error(r->error, FIL_OUT_OF_MEMORY, "%s: no memory for its %s", r->name, what);
}

static FilStatus add_vertex(Reader* r, const double* p)
{
    if (!fil_all_finite(p, 3)) {
        return reader_fail(r, "a vertex is not finite");
    }
    void* block = r->vertices;
    const FilStatus status = make_room(r, &block, r->vertex_count, MAX_VERTICES, &r->vertex_capacity, sizeof(double), "vertices");
    r->vertices = block;
    if (status != FIL_OK) {
        return status;
    }
    double* out = r->vertices + 3 * (size_t)r->vertex_count++;
    fil_v3_scale(out, r->scale, p);
    // adding zero makes -0 equal to 0, bit for bit
    fil_v3_set(out, out[0] + 0.0, out[1] + 0.0, out[2] + 0.0);
    return FIL_OK;
}

static FilStatus add_triangle(Reader* r, int a, int b, int c)
{
    void* block = r->triangles;
    const FilStatus status = make_room(r, &block, r->triangle_count, FIL_MESH_MAX_TRIANGLES, &r->triangle_capacity, sizeof(int), "triangles");
    r->triangles = block;
    if (status != FIL_OK) {
        return status;
    }
    int* out = r->triangles + 3 * (size_t)r->triangle_count++;
    out[0] = a;
    out[1] = b;
    out[2] = c;
    return FIL_OK;
}

// maps each vertex to the first one of equal coordinates, through a hash table with open addressing
static bool merge_vertices(Reader* r, int* target)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)r->vertex_count) {
        slots *= 2;
    }
    int* table = fil_alloc(slots, sizeof *table);  // 1-based, 0 is empty
    if (table == NULL) {
        return false;
    }
    for (int v = 0; v < r->vertex_count; v++) {
        const double* p = r->vertices + 3 * (size_t)v;
        size_t at = (size_t)fil_hash_bytes(FIL_HASH_SEED, p, 3 * sizeof *p) & (slots - 1);
        while (table[at] != 0 && memcmp(r->vertices + 3 * (size_t)(table[at] - 1), p, 3 * sizeof *p) != 0) {
            at = (at + 1) & (slots - 1);
        }
        if (table[at] == 0) {
            table[at] = v + 1;
        }
        target[v] = table[at] - 1;
    }
    fil_free(table);
    return true;
}

// merges equal vertices, drops unused ones and flattened triangles, and hands the arrays over
static FilStatus finish(Reader* r, FilMesh* mesh)
{
    if (r->triangle_count == 0) {
        r->line = 0;
        return reader_fail(r, "the file has no triangles");
    }
    int* target = fil_alloc((size_t)r->vertex_count, sizeof *target);
    int* number = fil_alloc((size_t)r->vertex_count, sizeof *number);  // 1-based, 0 is unused
    if (target == NULL || number == NULL || !merge_vertices(r, target)) {
        fil_free(target);
        fil_free(number);
        return fil_error(r->error, FIL_OUT_OF_MEMORY, "%s: no memory to merge its vertices", r->name);
    }
    int triangles = 0;
    for (int t = 0; t < r->triangle_count; t++) {
        int* in = r->triangles + 3 * (size_t)t;
        const int corner[3] = {target[in[0]], target[in[1]], target[in[2]]};
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) {
            continue;
        }
        memcpy(r->triangles + 3 * (size_t)triangles++, corner, sizeof corner);
        for (int k = 0; k < 3; k++) {
            number[corner[k]] = 1;
        }
    }
    int vertices = 0;
    for (int v = 0; v < r->vertex_count; v++) {
        if (number[v] != 0) {
            fil_v3_copy(r->vertices + 3 * (size_t)vertices, r->vertices + 3 * (size_t)v);
            number[v] = ++vertices;
        }
    }
    for (int k = 0; k < 3 * triangles; k++) {
        r->triangles[k] = number[r->triangles[k]] - 1;
    }
    fil_free(target);
    fil_free(number);
    if (triangles == 0) {
        r->line = 0;
        return reader_fail(r, "all triangles of the file are flat");
    }
    *mesh = (FilMesh){vertices, triangles, r->vertices, r->triangles};
    r->vertices = NULL;
    r->triangles = NULL;
    return FIL_OK;
}

static FilStatus conclude(Reader* r, FilStatus status, FilMesh* mesh)
{
    *mesh = (FilMesh){0};
    if (status == FIL_OK) {
        status = finish(r, mesh);
    }
    fil_free(r->vertices);
    fil_free(r->triangles);
    return status;
}

static FilStatus begin(Reader* r, const char* name, const void* bytes, size_t size, double scale, FilError* error)
{
    *r = (Reader){.name = name, .at = bytes, .end = (const char*)bytes + size, .scale = scale, .error = error};
    if (!isfinite(scale) || scale <= 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "%s: the scale %g is not a positive number", name, scale);
    }
    if (size == 0) {
        return reader_fail(r, "the file is empty");
    }
    if (size > FIL_MESH_MAX_BYTES) {
        return fil_error(error, FIL_BAD_INPUT, "%s: the file has %zu bytes, more than the %zu allowed", name, size, FIL_MESH_MAX_BYTES);
    }
    return FIL_OK;
}

// ---- words of text ----

// the next line as at most `max` words in a copy that is cut at spaces; -1 at the end of the text
static int next_line(Reader* r, char* copy, size_t copy_size, char** words, int max)
{
    if (r->at >= r->end) {
        return -1;
    }
    const char* newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char* stop = newline != NULL ? newline : r->end;
    size_t length = (size_t)(stop - r->at);
    r->overlong = length >= copy_size && *r->at != '#';
    length = length < copy_size ? length : copy_size - 1;
    memcpy(copy, r->at, length);
    copy[length] = '\0';
    r->at = newline != NULL ? newline + 1 : r->end;
    r->line++;
    int count = 0;
    for (char* c = copy; *c != '\0' && count < max;) {
        while (isspace((unsigned char)*c)) {
            *c++ = '\0';
        }
        if (*c == '\0') {
            break;
        }
        words[count++] = c;
        while (*c != '\0' && !isspace((unsigned char)*c)) {
            c++;
        }
        if (*c != '\0') {
            *c++ = '\0';
        }
    }
    return count;
}

static bool parse_point(char* const* words, double* p)
{
    for (int k = 0; k < 3; k++) {
        char* end;
        p[k] = strtod(words[k], &end);
        if (end == words[k] || *end != '\0') {
            return false;
        }
    }
    return true;
}

// ---- STL ----

static FilStatus read_stl_text(Reader* r)
{
    char copy[512];
    char* words[8];
    FilStatus status = FIL_OK;
    int corners = 0, count;
    bool ended = false;
    while (status == FIL_OK && (count = next_line(r, copy, sizeof copy, words, 8)) >= 0) {
        if (r->overlong) {
            return reader_fail(r, "the line is too long");
        }
        if (count == 0) {
            continue;
        }
        if (strcmp(words[0], "vertex") == 0) {
            double p[3];
            if (count != 4 || !parse_point(words + 1, p)) {
                return reader_fail(r, "expected \"vertex x y z\"");
            }
            corners++;
            status = add_vertex(r, p);
        } else if (strcmp(words[0], "endloop") == 0) {
            if (corners != 3) {
                return reader_fail(r, "a facet does not have three vertices");
            }
            corners = 0;
            status = add_triangle(r, r->vertex_count - 3, r->vertex_count - 2, r->vertex_count - 1);
        }
        ended = strcmp(words[0], "endsolid") == 0;
    }
    if (status == FIL_OK && (corners != 0 || !ended)) {
        status = reader_fail(r, "the text ends before \"endsolid\"");
    }
    return status;
}

static uint32_t little_endian(const unsigned char* b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_float(const unsigned char* b)
{
    const uint32_t bits = little_endian(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static FilStatus read_stl_binary(Reader* r)
{
    const size_t size = (size_t)(r->end - r->at);
    if (size < STL_HEADER) {
        return reader_fail(r, "the file is too short for an STL header of 84 bytes");
    }
    const unsigned char* bytes = (const unsigned char*)r->at;
    // a header of 80 bytes, then the number of triangles
    const uint32_t count = little_endian(bytes + 80);
    if (count > FIL_MESH_MAX_TRIANGLES) {
        return fil_error(r->error, FIL_BAD_INPUT, "%s: the header announces %u triangles, more than %d", r->name, count, FIL_MESH_MAX_TRIANGLES);
    }
    const size_t needed = STL_HEADER + (size_t)count * STL_TRIANGLE;
    if (size < needed) {
        return fil_error(r->error, FIL_BAD_INPUT, "%s: truncated: %u triangles need %zu bytes, the file has %zu", r->name, count, needed, size);
    }
    FilStatus status = FIL_OK;
    for (uint32_t t = 0; t < count && status == FIL_OK; t++) {
        const unsigned char* corner = bytes + STL_HEADER + (size_t)t * STL_TRIANGLE + 12;
        for (int k = 0; k < 3 && status == FIL_OK; k++, corner += 12) {
            const double p[3] = {read_float(corner), read_float(corner + 4), read_float(corner + 8)};
            if (!fil_all_finite(p, 3)) {
                return fil_error(r->error, FIL_BAD_INPUT, "%s: a vertex of triangle %u is not finite", r->name, t + 1);
            }
            status = add_vertex(r, p);
        }
        if (status == FIL_OK) {
            status = add_triangle(r, 3 * (int)t, 3 * (int)t + 1, 3 * (int)t + 2);
        }
    }
    return status;
}

// text starts with "solid" and has a "facet" soon after (within 1024 bytes: names of solids are shorter); binary headers may start with
// "solid" too, but are not ASCII's 9 to 126 throughout
static bool is_stl_text(const char* bytes, size_t size)
{
    const size_t head = size < 1024 ? size : 1024;
    while (size > 0 && isspace((unsigned char)*bytes)) {
        bytes++;
        size--;
    }
    if (size < 5 || memcmp(bytes, "solid", 5) != 0) {
        return false;
    }
    for (size_t k = 5; k < head && k < size; k++) {
        const unsigned char c = (unsigned char)bytes[k];
        if (c < 9 || c > 126) {
            return false;
        }
    }
    return true;
}

FilStatus fil_mesh_read_stl(const char* name, const void* bytes, size_t size, double scale, FilMesh* mesh, FilError* error)
{
    Reader r;
    FilStatus status = begin(&r, name, bytes, size, scale, error);
    if (status == FIL_OK) {
        status = is_stl_text(bytes, size) ? read_stl_text(&r) : read_stl_binary(&r);
    }
    return conclude(&r, status, mesh);
}

// ---- OBJ ----

// a bound of ours: OBJ has none; exporters write triangles, quadrilaterals and caps of cylinders
#define OBJ_FACE_CORNERS 255

// "7", "7/1", "7//3", "-1/2/3": the vertex part as a 0-based index
static bool parse_index(const char* word, int vertex_count, int* index)
{
    char* end;
    const long value = strtol(word, &end, 10);
    if (end == word || (*end != '\0' && *end != '/')) {
        return false;
    }
    const long at = value > 0 ? value - 1 : vertex_count + value;
    if (value == 0 || at < 0 || at >= vertex_count) {
        return false;
    }
    *index = (int)at;
    return true;
}

static FilStatus read_obj_face(Reader* r, char* const* words, int corners)
{
    int fan[3] = {0, 0, 0};
    FilStatus status = FIL_OK;
    if (corners < 3 || corners >= OBJ_FACE_CORNERS) {
        return reader_fail(r, "a face needs 3 to 254 vertices");
    }
    for (int k = 0; k < corners && status == FIL_OK; k++) {
        int index;
        if (!parse_index(words[k], r->vertex_count, &index)) {
            return fil_error(r->error, FIL_BAD_INPUT, "%s:%ld: \"%.40s\" is not one of the %d vertices so far", r->name, r->line, words[k],
                             r->vertex_count);
        }
        fan[k < 2 ? k : 2] = index;
        if (k >= 2) {
            status = add_triangle(r, fan[0], fan[1], fan[2]);
            fan[1] = index;
        }
    }
    return status;
}

FilStatus fil_mesh_read_obj(const char* name, const void* bytes, size_t size, double scale, FilMesh* mesh, FilError* error)
{
    Reader r;
    FilStatus status = begin(&r, name, bytes, size, scale, error);
    char copy[8192];
    char* words[OBJ_FACE_CORNERS + 1];
    int count;
    while (status == FIL_OK && (count = next_line(&r, copy, sizeof copy, words, OBJ_FACE_CORNERS + 1)) >= 0) {
        if (r.overlong) {
            status = reader_fail(&r, "the line is too long");
        } else if (count > 0 && strcmp(words[0], "v") == 0) {
            double p[3];
            // a fourth number is a weight, a fourth to sixth a colour: neither matters here
            status = count >= 4 && parse_point(words + 1, p) ? add_vertex(&r, p) : reader_fail(&r, "expected \"v x y z\"");
        } else if (count > 0 && strcmp(words[0], "f") == 0) {
            status = read_obj_face(&r, words + 1, count - 1);
        }
    }
    return conclude(&r, status, mesh);
}

// ---- files ----

static bool has_ending(const char* path, const char* ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    if (length < tail) {
        return false;
    }
    for (size_t k = 0; k < tail; k++) {
        if (tolower((unsigned char)path[length - tail + k]) != ending[k]) {
            return false;
        }
    }
    return true;
}

FilStatus fil_mesh_read(const char* path, double scale, FilMesh* mesh, FilError* error)
{
    return fil_mesh_read_below(path, NULL, scale, mesh, error);
}

FilStatus fil_mesh_read_below(const char* path, const char* folders, double scale, FilMesh* mesh, FilError* error)
{
    *mesh = (FilMesh){0};
    const bool stl = has_ending(path, ".stl");
    if (!stl && !has_ending(path, ".obj")) {
        return fil_error(error, FIL_BAD_INPUT, "%s: mesh files end in .stl or .obj", path);
    }
    char* bytes = NULL;
    size_t size = 0;
    FilStatus status = fil_file_load(path, folders, FIL_MESH_MAX_BYTES, &bytes, &size, error);
    if (status == FIL_OK) {
        status = stl ? fil_mesh_read_stl(path, bytes, size, scale, mesh, error) : fil_mesh_read_obj(path, bytes, size, scale, mesh, error);
    }
    fil_free(bytes);
    return status;
}
