/* Owns where scenes are looked for. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filum/scene.h"
#include "scene/names.h"

/* A scene that is looked for, where its path goes, and the nearest name seen on the way. */
typedef struct Search {
    const char* scene;
    char* path;
    size_t size;
    FilGuess guess;
    char nearest[NAME_MAX + 1]; /* what the guess points to */
} Search;

static void guess_from(Search* search, const char* file)
{
    char name[NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(".yaml")), file);
    fil_guess_try(&search->guess, name);
    if (search->guess.best == name) {
        memcpy(search->nearest, name, sizeof name);
        search->guess.best = search->nearest;
    }
}

static bool is_file(const char* path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool ends_with(const char* text, const char* ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static bool join(char* path, size_t size, const char* folder, const char* rest)
{
    const int length = snprintf(path, size, "%s/%s", folder, rest);
    return length > 0 && (size_t)length < size;
}

/* Is the scene in this folder? If not, the names that are there become suggestions. */
static bool look_in(void* context, const char* folder)
{
    Search* search = context;
    char file[PATH_MAX];
    const int length = snprintf(file, sizeof file, "%s.yaml", search->scene);
    if (length > 0 && (size_t)length < sizeof file && join(search->path, search->size, folder, file) && is_file(search->path)) {
        return true;
    }
    DIR* listing = opendir(folder);
    if (listing == NULL) {
        return false;
    }
    for (const struct dirent* entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (ends_with(entry->d_name, ".yaml")) {
            guess_from(search, entry->d_name);
        }
    }
    closedir(listing);
    return false;
}

/* Beside the installed program: PREFIX/bin/filum or PREFIX/lib/filum/filum, with PREFIX/share/filum/config/scenes. */
static bool find_beside_program(int way, char* folder, size_t size)
{
    static const char* const ways[] = {"../share/filum/config/scenes", "../../share/filum/config/scenes"};
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) {
        return false;
    }
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    return join(folder, size, program, ways[way]);
}

/* Calls `look` for each folder with scenes, in order, until it returns true: those of FILUM_SCENE_PATH (separated by colons), those
 * beside the installed program, that of the source tree. */
static bool visit_folders(bool (*look)(void* context, const char* folder), void* context)
{
    char folder[PATH_MAX];
    const char* folders = getenv("FILUM_SCENE_PATH");
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        if (length > 0 && length < sizeof folder) {
            memcpy(folder, folders, length);
            folder[length] = '\0';
            if (look(context, folder)) {
                return true;
            }
        }
        folders += length + (folders[length] == ':');
    }
    for (int way = 0; way < 2; ++way) {
        if (find_beside_program(way, folder, sizeof folder) && look(context, folder)) {
            return true;
        }
    }
    return look(context, FILUM_SCENE_DIR_SOURCE);
}

/* ---- where files may come from ---- */

typedef struct List {
    char* text;
    size_t size, length;
} List;

/* robots and meshes of scenes lie beside their folder, in config */
static bool list_folder(void* context, const char* folder)
{
    List* list = context;
    const int added = snprintf(list->text + list->length, list->size - list->length, "%s%s%s", list->length > 0 ? ":" : "", folder,
                               ends_with(folder, "/config/scenes") ? "/.." : "");
    if (added > 0 && (size_t)added < list->size - list->length) {
        list->length += (size_t)added;
    }
    list->text[list->length] = '\0';  // one that does not fit is left out
    return false;
}

void fil_scene_folders(char* folders, size_t size)
{
    List list = {.text = folders, .size = size};
    list_folder(&list, ".");
    visit_folders(list_folder, &list);
}

/* ---- one of them ---- */

bool fil_scene_find(const char* scene, char* path, size_t size, FilError* error)
{
    // what looks like a path, is one
    const bool is_path = strchr(scene, '/') != NULL || ends_with(scene, ".yaml") || ends_with(scene, ".yml");
    if (is_path || is_file(scene)) {
        const int length = snprintf(path, size, "%s", scene);
        if (length < 0 || (size_t)length >= size) {
            snprintf(error->text, sizeof error->text, "the path of the scene is too long");
            return false;
        }
        return true;
    }
    Search search = {.scene = scene, .path = path, .size = size, .guess = fil_guess_start(scene)};
    if (visit_folders(look_in, &search)) {
        return true;
    }
    snprintf(error->text, sizeof error->text, "no scene '%.100s'%s (give a name from config/scenes or a path)", scene, fil_hint(&search.guess).text);
    return false;
}

/* ---- all of them ---- */

typedef struct Visit {
    void (*visit)(void* context, const char* name, const char* path);
    void* context;
} Visit;

static bool visit_folder(void* context, const char* folder)
{
    const Visit* visit = context;
    DIR* listing = opendir(folder);
    if (listing == NULL) {
        return false;
    }
    for (const struct dirent* entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        char path[PATH_MAX], name[NAME_MAX + 1];
        if (ends_with(entry->d_name, ".yaml") && join(path, sizeof path, folder, entry->d_name) && is_file(path)) {
            snprintf(name, sizeof name, "%.*s", (int)(strlen(entry->d_name) - strlen(".yaml")), entry->d_name);
            visit->visit(visit->context, name, path);
        }
    }
    closedir(listing);
    return false;
}

void fil_scene_each(void (*visit)(void* context, const char* name, const char* path), void* context)
{
    visit_folders(visit_folder, &(Visit){visit, context});
}
