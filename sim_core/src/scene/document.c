#include "scene/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

/* A file that is being read, and the one that included it. */
typedef struct OpenFile {
    const char* path;
    bool known; /* device and inode are */
    dev_t device;
    ino_t inode;
    const struct OpenFile* from;
} OpenFile;

typedef struct Loader {
    const FilSceneLimits* limits;
    const char* folders; /* that files may be read from; NULL: any */
    FilPool* pool;
    FilError* error;
    int values, files; /* so far */
} Loader;

/* ---- files ---- */

/* Reads until the end, or until there is more than the limits allow; the parser then says so. */
static FilStatus read_stream(Loader* loader, FILE* stream, const char* path, char** text, size_t* size)
{
    const size_t piece = 1 << 14;  // most scenes are one: to clear megabytes took half of loading a small one
    size_t capacity = 0, line_start = 0;
    *text = NULL;
    *size = 0;
    while (*size <= loader->limits->file_bytes && *size - line_start <= loader->limits->line_bytes) {
        if (capacity - *size < piece) {
            if (!fil_grow((void**)text, *size, 2 * capacity + piece, 1)) {
                return fil_error(loader->error, FIL_OUT_OF_MEMORY, "%.300s: out of memory", path);
            }
            capacity = 2 * capacity + piece;
        }
        errno = 0;
        const size_t got = fread(*text + *size, 1, piece, stream);
        if (ferror(stream)) {
            return fil_error(loader->error, FIL_IO, "%.300s: cannot be read: %s", path, strerror(errno));
        }
        if (got == 0) {
            break;
        }
        for (size_t k = *size + got; k > *size; k--) {
            if ((*text)[k - 1] == '\n') {
                line_start = k;
                break;
            }
        }
        *size += got;
    }
    return FIL_OK;
}

/* A scene that its user pipes in, as in `filum run <(generate)`; not one that a peer names. */
static bool is_piped(const Loader* loader, const char* path)
{
    struct stat about;
    return loader->folders == NULL && stat(path, &about) == 0 && S_ISFIFO(about.st_mode);
}

static FilStatus parse_file(Loader* loader, const char* path, FilYaml** root)
{
    FilError reason;
    FILE* stream = is_piped(loader, path) ? fopen(path, "rb") : fil_file_open(path, loader->folders, &reason);
    if (stream == NULL) {
        return fil_error(loader->error, FIL_IO, "%.300s: cannot be opened: %s", path, reason.text);
    }
    char* text = NULL;
    size_t size = 0;
    FilStatus status = read_stream(loader, stream, path, &text, &size);
    fclose(stream);
    if (status == FIL_OK) {
        status = fil_yaml_parse(path, text, size, loader->limits, &loader->values, loader->pool, root, loader->error);
    }
    fil_free(text);
    return status;
}

char* fil_document_path(FilPool* pool, const char* from, const char* name)
{
    const char* slash = strrchr(from, '/');
    const size_t folder = *name == '/' || slash == NULL ? 0 : (size_t)(slash - from) + 1;
    const size_t length = strlen(name);
    char* path = fil_pool_alloc(pool, folder + length + 1, 1);
    if (path != NULL) {
        memcpy(path, from, folder);
        memcpy(path + folder, name, length);
    }
    return path;
}

/* ---- merging ---- */

static bool holds_mappings(const FilYaml* node)
{
    return node->kind == FIL_YAML_LIST && node->first != NULL && node->first->kind == FIL_YAML_MAPPING;
}

static void append_all(FilYaml* list, FilYaml* children)
{
    while (children != NULL) {
        FilYaml* next = children->next;
        fil_yaml_append(list, children);
        children = next;
    }
}

/* Puts what `under` has, and `over` lacks, into `over`. */
static void merge(FilYaml* over, FilYaml* under)
{
    FilYaml* next = NULL;
    for (FilYaml* child = under->first; child != NULL; child = next) {
        next = child->next;
        FilYaml* own = fil_yaml_find(over, child->key);
        if (own == NULL) {
            fil_yaml_append(over, child);
        } else if (own->kind == FIL_YAML_MAPPING && child->kind == FIL_YAML_MAPPING) {
            merge(own, child);
        } else if (holds_mappings(own) && holds_mappings(child)) {
            FilYaml* later = own->first;
            own->first = own->last = NULL;
            own->count = 0;
            append_all(own, child->first);
            append_all(own, later);
        }
    }
}

/* ---- includes ---- */

static FilStatus load(Loader* loader, const FilSource* source, const OpenFile* from, FilYaml** root);

static void write_chain(const OpenFile* file, char* chain, size_t size)
{
    if (file->from != NULL) {
        write_chain(file->from, chain, size);
    }
    const size_t length = strlen(chain);
    snprintf(chain + length, size - length, "%s -> ", file->path);
}

static bool same_file(const OpenFile* a, const OpenFile* b)
{
    return a->known && b->known ? a->device == b->device && a->inode == b->inode : strcmp(a->path, b->path) == 0;
}

/* The file that an `include` names; relative to the folder of the file that it stands in. */
static FilStatus open_include(Loader* loader, const FilYaml* name, const OpenFile* from, OpenFile* file)
{
    if (name->kind != FIL_YAML_SCALAR || *name->text == '\0') {
        return fil_yaml_error(loader->error, name, "expected a file name");
    }
    char* path = fil_document_path(loader->pool, from->path, name->text);
    if (path == NULL) {
        return fil_error(loader->error, FIL_OUT_OF_MEMORY, "%.300s: out of memory", from->path);
    }
    FilError reason;
    if (!fil_file_check(path, loader->folders, &reason)) {
        return fil_yaml_error(loader->error, name, "cannot include '%.120s': %s", path, reason.text);
    }
    struct stat about;
    if (stat(path, &about) != 0) {
        return fil_yaml_error(loader->error, name, "cannot include '%.120s': %s", path, strerror(errno));
    }
    *file = (OpenFile){.path = path, .known = true, .device = about.st_dev, .inode = about.st_ino, .from = from};
    for (const OpenFile* open = from; open != NULL; open = open->from) {
        if (same_file(open, file)) {
            char chain[240] = "";
            write_chain(from, chain, sizeof chain);
            return fil_yaml_error(loader->error, name, "includes form a circle: %s%s", chain, path);
        }
    }
    return FIL_OK;
}

/* Merges the file that `name` stands for under `root`. */
static FilStatus include(Loader* loader, const FilYaml* name, const OpenFile* from, FilYaml* root)
{
    OpenFile file = {0};
    FilStatus status = open_include(loader, name, from, &file);
    if (status != FIL_OK) {
        return status;
    }
    if (++loader->files > loader->limits->files) {
        return fil_yaml_error(loader->error, name, "more than %d files in one scene", loader->limits->files);
    }
    FilYaml* included = NULL;
    const FilSource source = {.path = file.path};
    status = load(loader, &source, from, &included);
    if (status == FIL_OK) {
        merge(root, included);
    }
    return status;
}

/* Loads one file with everything that it includes. */
static FilStatus load(Loader* loader, const FilSource* source, const OpenFile* from, FilYaml** root)
{
    OpenFile file = {.path = source->path, .from = from};
    struct stat about;
    if (stat(source->path, &about) == 0) {
        file.known = true;
        file.device = about.st_dev;
        file.inode = about.st_ino;
    }
    FilStatus status = source->text == NULL ? parse_file(loader, source->path, root)
                                            : fil_yaml_parse(source->path, source->text, source->size, loader->limits, &loader->values, loader->pool,
                                                             root, loader->error);
    if (status != FIL_OK) {
        return status;
    }
    if ((*root)->kind != FIL_YAML_MAPPING) {
        return fil_yaml_error(loader->error, *root, "expected a mapping (key: value)");
    }
    FilYaml* names = fil_yaml_find(*root, "include");
    if (names == NULL) {
        return FIL_OK;
    }
    if (names->kind == FIL_YAML_LIST) {
        for (const FilYaml* name = names->first; name != NULL && status == FIL_OK; name = name->next) {
            status = include(loader, name, &file, *root);
        }
    } else {
        status = include(loader, names, &file, *root);
    }
    fil_yaml_remove(names);
    return status;
}

FilStatus fil_document_load(const FilSource* source, const FilSceneLimits* limits, FilPool* pool, FilYaml** root, FilError* error)
{
    Loader loader = {.limits = limits, .folders = source->folders, .pool = pool, .error = error, .files = 1};
    return load(&loader, source, NULL, root);
}
