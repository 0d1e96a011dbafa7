/* Gmsh's text format: sections $Name ... $EndName. Nodes have tags, any whole numbers, by which elements name them.
 *     2.2   $Nodes: count, then tag x y z.  $Elements: count, then tag type tags-count tags... nodes...
 *     4.1   $Nodes: blocks count min max, then per block: dim entity parametric n, n tags, n times x y z (u v w).
 *           $Elements: blocks count min max, then per block: dim entity type n, n times tag nodes... */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/tet_file.h"
#include "geometry/tet_text.h"

/* Element type 4 of Gmsh's MSH format: the tetrahedron of four nodes. */
enum { GMSH_TETRA = 4 };

/* Nodes of the linear elements, by type; 0 for those not known. */
static const int node_counts[20] = {0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13};
/* Types without a volume: lines, triangles, quadrilaterals and their quadratic kinds, points. */
static const bool flat_types[20] = {[1] = true, [2] = true, [3] = true, [8] = true, [9] = true, [10] = true, [15] = true, [16] = true};

typedef struct Tag {
    long long tag;
    int vertex, line;
} Tag;

typedef struct Gmsh {
    FilTetText text;
    Tag* tags; /* of vertices; sorted once all are there */
    int tag_count, tag_capacity;
    bool blocks; /* version 4.1 */
    bool has_nodes, has_elements;
} Gmsh;

static FilStatus add_tag(Gmsh* gmsh, long long tag)
{
    if (gmsh->tag_count == gmsh->tag_capacity) {
        void* block = gmsh->tags;
        const int wanted = gmsh->tag_capacity == 0 ? 1024 : 2 * gmsh->tag_capacity;
        const bool ok = fil_grow(&block, (size_t)gmsh->tag_count, (size_t)wanted, sizeof *gmsh->tags) != 0;
        gmsh->tags = block;
        if (!ok) {
            return fil_error(gmsh->text.error, FIL_OUT_OF_MEMORY, "%s:%d: no memory for its nodes", gmsh->text.name, gmsh->text.line);
        }
        gmsh->tag_capacity = wanted;
    }
    gmsh->tags[gmsh->tag_count] = (Tag){tag, gmsh->tag_count, gmsh->text.line};
    gmsh->tag_count++;
    return FIL_OK;
}

static int by_tag(const void* a, const void* b)
{
    const Tag *x = a, *y = b;
    if (x->tag != y->tag) {
        return x->tag < y->tag ? -1 : 1;
    }
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static FilStatus sort_tags(Gmsh* gmsh)
{
    if (gmsh->tag_count == 0) {
        return FIL_OK;
    }
    qsort(gmsh->tags, (size_t)gmsh->tag_count, sizeof *gmsh->tags, by_tag);
    for (int k = 1; k < gmsh->tag_count; k++) {
        if (gmsh->tags[k].tag == gmsh->tags[k - 1].tag) {
            return fil_error(gmsh->text.error, FIL_BAD_INPUT, "%s:%d: node %lld was there before", gmsh->text.name, gmsh->tags[k].line,
                             gmsh->tags[k].tag);
        }
    }
    return FIL_OK;
}

// -1 for a tag that no node has
static int find_vertex(const Gmsh* gmsh, long long tag)
{
    int low = 0, high = gmsh->tag_count;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (gmsh->tags[middle].tag < tag) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < gmsh->tag_count && gmsh->tags[low].tag == tag ? gmsh->tags[low].vertex : -1;
}

/* `count` whole numbers that do not matter */
static FilStatus skip_wholes(FilTetText* text, int count, const char* what)
{
    FilStatus status = FIL_OK;
    for (int k = 0; status == FIL_OK && k < count; k++) {
        long long value;
        status = fil_tet_text_whole(text, what, LLONG_MAX, &value);
    }
    return status;
}

/* entities may be negative */
static FilStatus skip_numbers(FilTetText* text, int count, const char* what)
{
    FilStatus status = FIL_OK;
    for (int k = 0; status == FIL_OK && k < count; k++) {
        double value;
        status = fil_tet_text_number(text, what, &value);
    }
    return status;
}

static FilStatus expect(FilTetText* text, const char* expected)
{
    char word[FIL_TET_WORD];
    if (!fil_tet_text_word(text, word) || strcmp(word, expected) != 0) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: expected \"%s\"", text->name, text->line, expected);
    }
    return FIL_OK;
}

static FilStatus read_format(Gmsh* gmsh)
{
    FilTetText* text = &gmsh->text;
    char version[FIL_TET_WORD], binary[FIL_TET_WORD], size[FIL_TET_WORD];
    FilStatus status = expect(text, "$MeshFormat");
    if (status != FIL_OK) {
        return status;
    }
    if (!fil_tet_text_word(text, version) || !fil_tet_text_word(text, binary) || !fil_tet_text_word(text, size)) {
        return fil_tet_text_fail(text, "the file ends in its head");
    }
    gmsh->blocks = strcmp(version, "4.1") == 0;
    if (!gmsh->blocks && strcmp(version, "2.2") != 0 && strcmp(version, "2") != 0) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: version %s is not read: save it as 4.1 or 2.2", text->name, text->line, version);
    }
    if (strcmp(binary, "0") != 0) {
        return fil_tet_text_fail(text, "binary files are not read: save it as text");
    }
    return expect(text, "$EndMeshFormat");
}

static FilStatus read_nodes_plain(Gmsh* gmsh)
{
    long long count = 0, tag = 0;
    FilStatus status = fil_tet_text_whole(&gmsh->text, "the number of nodes", FIL_TET_MAX_VERTICES, &count);
    for (long long k = 0; status == FIL_OK && k < count; k++) {
        status = fil_tet_text_whole(&gmsh->text, "the tag of a node", LLONG_MAX, &tag);
        if (status == FIL_OK) {
            status = add_tag(gmsh, tag);
        }
        if (status == FIL_OK) {
            status = fil_tet_text_vertex(&gmsh->text);
        }
    }
    return status;
}

// dim, entity, parametric, count; then tags, then places with as many parameters as the dimension
static FilStatus read_node_block(Gmsh* gmsh)
{
    FilTetText* text = &gmsh->text;
    long long dim = 0, parametric = 0, count = 0, tag = 0;
    FilStatus status = fil_tet_text_whole(text, "the dimension of a block", 3, &dim);
    if (status == FIL_OK) {
        status = skip_numbers(text, 1, "an entity");
    }
    if (status == FIL_OK) {
        status = fil_tet_text_whole(text, "whether a block is parametric", 1, &parametric);
    }
    if (status == FIL_OK) {
        status = fil_tet_text_whole(text, "the number of nodes of a block", FIL_TET_MAX_VERTICES, &count);
    }
    for (long long k = 0; status == FIL_OK && k < count; k++) {
        status = fil_tet_text_whole(text, "the tag of a node", LLONG_MAX, &tag);
        if (status == FIL_OK) {
            status = add_tag(gmsh, tag);
        }
    }
    for (long long k = 0; status == FIL_OK && k < count; k++) {
        status = fil_tet_text_vertex(text);
        if (status == FIL_OK && parametric == 1) {
            status = skip_numbers(text, (int)dim, "a parameter");
        }
    }
    return status;
}

static FilStatus read_nodes(Gmsh* gmsh)
{
    long long blocks = 0;
    FilStatus status;
    if (gmsh->has_nodes) {
        return fil_tet_text_fail(&gmsh->text, "there is a second $Nodes");
    }
    gmsh->has_nodes = true;
    if (!gmsh->blocks) {
        status = read_nodes_plain(gmsh);
    } else {
        status = fil_tet_text_whole(&gmsh->text, "the number of blocks", LLONG_MAX, &blocks);
        if (status == FIL_OK) {
            status = skip_wholes(&gmsh->text, 3, "a number of $Nodes");
        }
        for (long long k = 0; status == FIL_OK && k < blocks; k++) {
            status = read_node_block(gmsh);
        }
    }
    if (status == FIL_OK) {
        status = expect(&gmsh->text, "$EndNodes");
    }
    return status == FIL_OK ? sort_tags(gmsh) : status;
}

static FilStatus check_type(const Gmsh* gmsh, long long type)
{
    const FilTetText* text = &gmsh->text;
    // the tables end at type 19
    if (type >= 20 || node_counts[type] == 0 || (type != GMSH_TETRA && !flat_types[type])) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: an element of type %lld: only linear tetrahedra (type 4) are read", text->name,
                         text->line, type);
    }
    return FIL_OK;
}

// the nodes of an element; those of tetrahedra are kept
static FilStatus read_element(Gmsh* gmsh, long long type)
{
    FilTetText* text = &gmsh->text;
    const int line = text->line;
    int corners[4];
    if (type != GMSH_TETRA) {
        return skip_wholes(text, node_counts[type], "a node of an element");
    }
    for (int k = 0; k < 4; k++) {
        long long tag = 0;
        const FilStatus status = fil_tet_text_whole(text, "a node of an element", LLONG_MAX, &tag);
        if (status != FIL_OK) {
            return status;
        }
        corners[k] = find_vertex(gmsh, tag);
        if (corners[k] < 0) {
            return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: there is no node %lld", text->name, text->line, tag);
        }
    }
    return fil_tet_text_tet(text, corners, line);
}

static FilStatus read_elements_plain(Gmsh* gmsh)
{
    FilTetText* text = &gmsh->text;
    long long count = 0, tag = 0, type = 0, tags = 0;
    FilStatus status = fil_tet_text_whole(text, "the number of elements", LLONG_MAX, &count);
    for (long long k = 0; status == FIL_OK && k < count; k++) {
        status = fil_tet_text_whole(text, "the tag of an element", LLONG_MAX, &tag);
        if (status == FIL_OK) {
            status = fil_tet_text_whole(text, "the type of an element", INT_MAX, &type);
        }
        if (status == FIL_OK) {
            status = check_type(gmsh, type);
        }
        if (status == FIL_OK) {
            // Gmsh writes two, and a few more of meshes in parts, one for each part that shares the element; 1000 only refuses what is no count
            status = fil_tet_text_whole(text, "the number of tags of an element", 1000, &tags);
        }
        if (status == FIL_OK) {
            status = skip_numbers(text, (int)tags, "a tag of an element");
        }
        if (status == FIL_OK) {
            status = read_element(gmsh, type);
        }
    }
    return status;
}

static FilStatus read_element_block(Gmsh* gmsh)
{
    FilTetText* text = &gmsh->text;
    long long dim = 0, type = 0, count = 0, tag = 0;
    FilStatus status = fil_tet_text_whole(text, "the dimension of a block", 3, &dim);
    if (status == FIL_OK) {
        status = skip_numbers(text, 1, "an entity");
    }
    if (status == FIL_OK) {
        status = fil_tet_text_whole(text, "the type of elements", INT_MAX, &type);
    }
    if (status == FIL_OK) {
        status = check_type(gmsh, type);
    }
    if (status == FIL_OK) {
        status = fil_tet_text_whole(text, "the number of elements of a block", LLONG_MAX, &count);
    }
    for (long long k = 0; status == FIL_OK && k < count; k++) {
        status = fil_tet_text_whole(text, "the tag of an element", LLONG_MAX, &tag);
        if (status == FIL_OK) {
            status = read_element(gmsh, type);
        }
    }
    return status;
}

static FilStatus read_elements(Gmsh* gmsh)
{
    long long blocks = 0;
    FilStatus status;
    if (!gmsh->has_nodes) {
        return fil_tet_text_fail(&gmsh->text, "$Elements come before $Nodes");
    }
    if (gmsh->has_elements) {
        return fil_tet_text_fail(&gmsh->text, "there is a second $Elements");
    }
    gmsh->has_elements = true;
    if (!gmsh->blocks) {
        status = read_elements_plain(gmsh);
    } else {
        status = fil_tet_text_whole(&gmsh->text, "the number of blocks", LLONG_MAX, &blocks);
        if (status == FIL_OK) {
            status = skip_wholes(&gmsh->text, 3, "a number of $Elements");
        }
        for (long long k = 0; status == FIL_OK && k < blocks; k++) {
            status = read_element_block(gmsh);
        }
    }
    return status == FIL_OK ? expect(&gmsh->text, "$EndElements") : status;
}

// passes over a section that does not matter, from its name to its end
static FilStatus skip_section(FilTetText* text, const char* name)
{
    char word[FIL_TET_WORD], end[FIL_TET_WORD + 4] = "$End";
    const int line = text->line;
    if (name[0] != '$') {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: \"%s\" is not the beginning of a section", text->name, text->line, name);
    }
    strcat(end, name + 1);
    while (fil_tet_text_word(text, word)) {
        if (strcmp(word, end) == 0) {
            return FIL_OK;
        }
    }
    return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: the section \"%s\" does not end", text->name, line, name);
}

static FilStatus read_sections(Gmsh* gmsh)
{
    char word[FIL_TET_WORD];
    FilStatus status = read_format(gmsh);
    while (status == FIL_OK && fil_tet_text_word(&gmsh->text, word)) {
        if (strcmp(word, "$Nodes") == 0) {
            status = read_nodes(gmsh);
        } else if (strcmp(word, "$Elements") == 0) {
            status = read_elements(gmsh);
        } else {
            status = skip_section(&gmsh->text, word);
        }
    }
    if (status == FIL_OK && (!gmsh->has_nodes || !gmsh->has_elements)) {
        status = fil_error(gmsh->text.error, FIL_BAD_INPUT, "%s: the file has no %s", gmsh->text.name, !gmsh->has_nodes ? "$Nodes" : "$Elements");
    }
    return status;
}

FilStatus fil_tet_read_gmsh(const char* name, const void* bytes, size_t size, double scale, FilTetMesh* mesh, FilError* error)
{
    Gmsh gmsh = {0};
    FilStatus status = fil_tet_text_begin(&gmsh.text, name, bytes, size, scale, error);
    if (status == FIL_OK) {
        status = read_sections(&gmsh);
    }
    status = fil_tet_text_end(&gmsh.text, status, mesh);
    fil_free(gmsh.tags);
    return status;
}
