/* VTK's legacy format: four lines of head, then sections POINTS, CELLS and CELL_TYPES in any order. Cells come as one
 * list of counts and vertices (to 4.x), or, from 5.0, as OFFSETS and CONNECTIVITY. */
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tet_file.h"
#include "geometry/tet_text.h"

/* Cell type 10 of the VTK file format; files may hold triangles and edges beside tetrahedra, and cells have ten numbers at most (a quadratic
 * tetrahedron, which is refused). */
enum { VTK_TETRA = 10, MAX_CELLS = 4 * FIL_TET_MAX_TETS, MAX_NUMBERS = 10 * MAX_CELLS };

/* Cell types without a volume: vertices, lines, strips, triangles, polygons, quadrilaterals; quadratic ones. */
static bool has_volume(int type)
{
    return (type >= 10 && type <= 20) || type == 24 || type == 25 || type == 26 || type == 27 || type >= 29;
}

typedef struct Numbers {
    int *items, *lines; /* and where they stand */
    int count, capacity;
} Numbers;

/* The sections as read; cells are made of them at the end. */
typedef struct Vtk {
    FilTetText text;
    Numbers cells; /* old: counts and vertices. New: connectivity */
    Numbers offsets, types;
    long long cell_count;
    bool split; /* the new form */
    bool has_points, has_cells, has_types;
} Vtk;

static FilStatus add_number(Vtk* vtk, Numbers* list, int value)
{
    if (list->count == list->capacity) {
        const int wanted = list->capacity == 0 ? 1024 : 2 * list->capacity;
        void *items = list->items, *lines = list->lines;
        const bool ok = fil_grow(&items, (size_t)list->count, (size_t)wanted, sizeof(int)) != 0;
        list->items = items;
        const bool both = ok && fil_grow(&lines, (size_t)list->count, (size_t)wanted, sizeof(int)) != 0;
        list->lines = lines;
        if (!both) {
            return fil_error(vtk->text.error, FIL_OUT_OF_MEMORY, "%s:%d: no memory for its cells", vtk->text.name, vtk->text.line);
        }
        list->capacity = wanted;
    }
    list->lines[list->count] = vtk->text.line;
    list->items[list->count++] = value;
    return FIL_OK;
}

static FilStatus read_numbers(Vtk* vtk, Numbers* list, long long count, const char* what)
{
    FilStatus status = FIL_OK;
    for (long long k = 0; status == FIL_OK && k < count; k++) {
        long long value = 0;
        status = fil_tet_text_whole(&vtk->text, what, MAX_NUMBERS, &value);
        if (status == FIL_OK) {
            status = add_number(vtk, list, (int)value);
        }
    }
    return status;
}

static FilStatus read_head(FilTetText* text)
{
    char line[300];
    if (!fil_tet_text_line(text, line, sizeof line) || strncmp(line, "# vtk DataFile Version", 22) != 0) {
        return fil_tet_text_fail(text, "expected \"# vtk DataFile Version ...\": this is not a VTK legacy file");
    }
    const bool titled = fil_tet_text_line(text, line, sizeof line); /* any title */
    if (!titled || !fil_tet_text_line(text, line, sizeof line)) {
        return fil_tet_text_fail(text, "the file ends in its head");
    }
    if (strncasecmp(line, "BINARY", 6) == 0) {
        return fil_tet_text_fail(text, "binary files are not read: write it as ASCII");
    }
    if (strncasecmp(line, "ASCII", 5) != 0) {
        return fil_tet_text_fail(text, "expected \"ASCII\"");
    }
    char word[FIL_TET_WORD];
    if (!fil_tet_text_word(text, word) || strcasecmp(word, "DATASET") != 0 || !fil_tet_text_word(text, word) ||
        strcasecmp(word, "UNSTRUCTURED_GRID") != 0) {
        return fil_tet_text_fail(text, "expected \"DATASET UNSTRUCTURED_GRID\"");
    }
    return FIL_OK;
}

static FilStatus read_points(Vtk* vtk)
{
    long long count = 0;
    char word[FIL_TET_WORD];
    if (vtk->has_points) {
        return fil_tet_text_fail(&vtk->text, "there is a second POINTS");
    }
    vtk->has_points = true;
    FilStatus status = fil_tet_text_whole(&vtk->text, "the number of points", FIL_TET_MAX_VERTICES, &count);
    if (status == FIL_OK && !fil_tet_text_word(&vtk->text, word)) {
        status = fil_tet_text_fail(&vtk->text, "the file ends where the type of points should be");
    }
    for (long long k = 0; status == FIL_OK && k < count; k++) {
        status = fil_tet_text_vertex(&vtk->text);
    }
    return status;
}

// the word that comes next if it is `expected`; otherwise it is still to come; messages name its line
static bool accept(FilTetText* text, const char* expected)
{
    const char* at = text->at;
    const int next_line = text->next_line;
    char word[FIL_TET_WORD];
    if (fil_tet_text_word(text, word) && strcasecmp(word, expected) == 0) {
        return true;
    }
    text->at = at;
    text->next_line = next_line;
    return false;
}

static FilStatus read_cells(Vtk* vtk)
{
    FilTetText* text = &vtk->text;
    long long first = 0, second = 0;
    char word[FIL_TET_WORD];
    if (vtk->has_cells) {
        return fil_tet_text_fail(text, "there is a second CELLS");
    }
    vtk->has_cells = true;
    FilStatus status = fil_tet_text_whole(text, "the number of cells", MAX_CELLS, &first);
    if (status == FIL_OK) {
        status = fil_tet_text_whole(text, "the size of the cells", MAX_NUMBERS, &second);
    }
    if (status != FIL_OK) {
        return status;
    }
    vtk->split = accept(text, "OFFSETS");
    if (!vtk->split) {
        vtk->cell_count = first;
        return read_numbers(vtk, &vtk->cells, second, "a number of a cell");
    }
    vtk->cell_count = first > 0 ? first - 1 : 0;
    if (!fil_tet_text_word(text, word)) {
        return fil_tet_text_fail(text, "the file ends where the type of offsets should be");
    }
    status = read_numbers(vtk, &vtk->offsets, first, "an offset");
    if (status == FIL_OK && (!accept(text, "CONNECTIVITY") || !fil_tet_text_word(text, word))) {
        status = fil_tet_text_fail(text, "expected \"CONNECTIVITY\" and its type after the offsets");
    }
    return status == FIL_OK ? read_numbers(vtk, &vtk->cells, second, "a vertex") : status;
}

static FilStatus read_types(Vtk* vtk)
{
    long long count = 0;
    if (vtk->has_types) {
        return fil_tet_text_fail(&vtk->text, "there is a second CELL_TYPES");
    }
    vtk->has_types = true;
    const FilStatus status = fil_tet_text_whole(&vtk->text, "the number of cell types", MAX_CELLS, &count);
    return status == FIL_OK ? read_numbers(vtk, &vtk->types, count, "a cell type") : status;
}

// the vertices of cell c, which stand from `begin` on
static FilStatus make_cell(Vtk* vtk, int type, int begin, int count)
{
    FilTetText* text = &vtk->text;
    text->line = begin < vtk->cells.count ? vtk->cells.lines[begin] : text->line;
    if (!has_volume(type)) {
        return FIL_OK;
    }
    if (type != VTK_TETRA) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: a cell of type %d: only linear tetrahedra (type 10) are read", text->name, text->line,
                         type);
    }
    if (count != 4) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: a tetrahedron has %d vertices, not 4", text->name, text->line, count);
    }
    return fil_tet_text_tet(text, vtk->cells.items + begin, text->line);
}

static FilStatus make_cells(Vtk* vtk)
{
    FilTetText* text = &vtk->text;
    FilStatus status = FIL_OK;
    if (!vtk->has_points || !vtk->has_cells || !vtk->has_types) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s: the file has no %s", text->name,
                         !vtk->has_points ? "POINTS" : (!vtk->has_cells ? "CELLS" : "CELL_TYPES"));
    }
    if (vtk->types.count != vtk->cell_count) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s: there are %lld cells, but types of %d", text->name, vtk->cell_count, vtk->types.count);
    }
    int at = 0;
    for (int c = 0; status == FIL_OK && c < vtk->types.count; c++) {
        int begin, count;
        if (vtk->split) {
            begin = vtk->offsets.items[c];
            count = vtk->offsets.items[c + 1] - begin;
        } else {
            count = at < vtk->cells.count ? vtk->cells.items[at] : -1;
            begin = at + 1;
            at = begin + (count > 0 ? count : 0);
        }
        if (count < 0 || begin > vtk->cells.count || count > vtk->cells.count - begin) {
            return fil_error(text->error, FIL_BAD_INPUT, "%s: cell %d reaches beyond the list of cells", text->name, c + 1);
        }
        status = make_cell(vtk, vtk->types.items[c], begin, count);
    }
    return status;
}

// passes over words until one begins a section that matters
static void skip_to_section(FilTetText* text)
{
    char word[FIL_TET_WORD];
    bool found = false;
    while (!found && text->at < text->end) {
        const char* at = text->at;
        const int next_line = text->next_line;
        found = fil_tet_text_word(text, word) && (strcasecmp(word, "POINTS") == 0 || strcasecmp(word, "CELLS") == 0 ||
                                                  strcasecmp(word, "CELL_TYPES") == 0 || strcasecmp(word, "POINT_DATA") == 0);
        if (found) {
            text->at = at;
            text->next_line = next_line;
        }
    }
}

static FilStatus read_sections(Vtk* vtk)
{
    char word[FIL_TET_WORD];
    FilStatus status = FIL_OK;
    while (status == FIL_OK && fil_tet_text_word(&vtk->text, word)) {
        if (strcasecmp(word, "POINTS") == 0) {
            status = read_points(vtk);
        } else if (strcasecmp(word, "CELLS") == 0) {
            status = read_cells(vtk);
        } else if (strcasecmp(word, "CELL_TYPES") == 0) {
            status = read_types(vtk);
        } else if (strcasecmp(word, "POINT_DATA") == 0 || strcasecmp(word, "CELL_DATA") == 0) {
            break;  // what stands at points and cells comes last, and does not matter here
        } else if (strcasecmp(word, "METADATA") == 0 || strcasecmp(word, "FIELD") == 0) {
            skip_to_section(&vtk->text);
        } else {
            status = fil_error(vtk->text.error, FIL_BAD_INPUT, "%s:%d: \"%s\" is not a section of an unstructured grid", vtk->text.name,
                               vtk->text.line, word);
        }
    }
    return status;
}

FilStatus fil_tet_read_vtk(const char* name, const void* bytes, size_t size, double scale, FilTetMesh* mesh, FilError* error)
{
    Vtk vtk = {0};
    FilStatus status = fil_tet_text_begin(&vtk.text, name, bytes, size, scale, error);
    if (status == FIL_OK) {
        status = read_head(&vtk.text);
    }
    if (status == FIL_OK) {
        status = read_sections(&vtk);
    }
    if (status == FIL_OK) {
        status = make_cells(&vtk);
    }
    status = fil_tet_text_end(&vtk.text, status, mesh);
    Numbers* lists[3] = {&vtk.cells, &vtk.offsets, &vtk.types};
    for (int k = 0; k < 3; k++) {
        fil_free(lists[k]->items);
        fil_free(lists[k]->lines);
    }
    return status;
}
