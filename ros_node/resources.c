#include "resources.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "filum/scene.h"

void fil_resources_free(FilResourceList* list)
{
    free(list->items);
    *list = (FilResourceList){0};
}

static void add(FilResourceList* list, const char* name, const char* path)
{
    if (list->count == list->capacity) {
        const int capacity = 2 * list->capacity + 16;
        FilResource* grown = capacity <= 2 * FIL_MAX_RESOURCES + 16 ? realloc(list->items, (size_t)capacity * sizeof *grown) : NULL;
        if (grown == NULL) {
            return;
        }
        list->items = grown;
        list->capacity = capacity;
    }
    if (list->count < FIL_MAX_RESOURCES) {
        FilResource* item = &list->items[list->count++];
        snprintf(item->name, sizeof item->name, "%s", name);
        snprintf(item->path, sizeof item->path, "%s", path);
    }
}

static void add_scene(void* context, const char* name, const char* path)
{
    add(context, name, path);
}

void fil_resources_find_worlds(FilResourceList* list)
{
    fil_scene_each(add_scene, list);
}

static bool ends_with(const char* text, const char* ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static int by_path(const void* a, const void* b)
{
    return strcmp(((const FilResource*)a)->path, ((const FilResource*)b)->path);
}

/* files with one of two endings (the second may be NULL), in order of their names */
static bool add_files(FilResourceList* list, const char* folder, const char* first, const char* second)
{
    DIR* listing = opendir(folder);
    const int begin = list->count;
    if (listing == NULL) {
        return false;
    }
    for (const struct dirent* entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const bool fits = length > 0 && (size_t)length < sizeof path;
        if (fits && entry->d_name[0] != '.' && (ends_with(entry->d_name, first) || (second != NULL && ends_with(entry->d_name, second)))) {
            add(list, entry->d_name, path);
        }
    }
    closedir(listing);
    if (list->count > begin) {
        qsort(list->items + begin, (size_t)(list->count - begin), sizeof *list->items, by_path);
    }
    return true;
}

void fil_resources_find_spawnables(FilResourceList* list, const char* folders)
{
    while (*folders != '\0') {
        char folder[4000], below[4096];
        const size_t length = strcspn(folders, ":");
        if (length > 0 && length < sizeof folder) {
            snprintf(folder, sizeof folder, "%.*s", (int)length, folders);
            add_files(list, folder, ".urdf", NULL);
            snprintf(below, sizeof below, "%s/robots", folder);
            add_files(list, below, ".urdf", NULL);
            snprintf(below, sizeof below, "%s/objects", folder);
            add_files(list, below, ".yaml", NULL);
        }
        folders += length + (folders[length] == ':');
    }
}

bool fil_resources_add_folder(FilResourceList* list, const char* folder, const char* folders)
{
    FilError reason;
    char inside[4096];
    const int length = snprintf(inside, sizeof inside, "%s/file", folder);
    return (size_t)length < sizeof inside && fil_file_may_make(inside, folders, &reason) && add_files(list, folder, ".urdf", ".yaml");
}
