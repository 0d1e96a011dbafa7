#include "definitions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PATH_MAX of Linux. */
enum { PATH_SIZE = 4096 };

typedef struct BuiltIn {
    const char* type; /* "pkg/T" */
    const uint8_t* text;
    size_t size;
} BuiltIn;

static const BuiltIn built_in[] = {
#include "filum_definitions.inc"  // made by CMake of the .msg files
};

static bool append_file(const char* path, FilBytes* text)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    char piece[4096];
    for (size_t size = 0; (size = fread(piece, 1, sizeof piece, file)) > 0;) {
        fil_bytes_put(text, piece, size);
    }
    const bool good = !ferror(file);
    fclose(file);
    return good && !text->failed;
}

/* Looks in folders separated by colons, for `inside`pkg/msg/T.msg in each. */
static bool look_in_folders(const char* folders, const char* inside, const char* type, FilBytes* text)
{
    const char* slash = strchr(type, '/');
    while (folders != NULL && *folders != '\0') {
        const size_t length = strcspn(folders, ":");
        char path[PATH_SIZE];
        const int size = snprintf(path, sizeof path, "%.*s/%s%.*s/msg/%s.msg", (int)length, folders, inside, (int)(slash - type), type, slash + 1);
        if (length > 0 && size > 0 && (size_t)size < sizeof path && append_file(path, text)) {
            return true;
        }
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
    return false;
}

bool fil_definition_find(void* places, const char* type, FilBytes* text)
{
    const FilDefinitionPlaces* given = places;
    if (look_in_folders(given->path, "", type, text) || look_in_folders(given->path, "share/", type, text) ||
        look_in_folders(getenv("AMENT_PREFIX_PATH"), "share/", type, text)) {
        return true;
    }
    for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; ++i) {
        if (strcmp(built_in[i].type, type) == 0) {
            fil_bytes_put(text, built_in[i].text, built_in[i].size);
            return true;
        }
    }
    return false;
}
