#include "scenes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

FilWorld* load_scene(const char* name, const FilSceneOptions* options)
{
    char path[4096];
    FilError error = {""};
    if (!fil_scene_find(name, path, sizeof path, &error)) {
        fail_msg("%s", error.text);
    }
    return load_file(path, options, NULL);
}

FilWorld* load_file(const char* path, const FilSceneOptions* options, FilSceneInfo* info)
{
    FilWorld* world = NULL;
    FilError error = {""};
    if (fil_scene_load(path, options, &world, info, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    assert_non_null(world);
    return world;
}

FilWorld* load_text(const char* text)
{
    return load_text_info(text, NULL);
}

FilWorld* load_text_info(const char* text, FilSceneInfo* info)
{
    FilWorld* world = NULL;
    FilError error = {""};
    if (fil_scene_load_text("scene.yaml", text, strlen(text), NULL, &world, info, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    assert_non_null(world);
    return world;
}

double probe_value(const FilWorld* world, const char* name)
{
    for (int k = 0; k < fil_world_probe_count(world); k++) {
        if (strcmp(fil_world_probe_name(world, k), name) == 0) {
            return fil_world_probe_value(world, k);
        }
    }
    fail_msg("no probe '%s'", name);
    return NAN;
}
