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
    FilWorld* world = NULL;
    if (!fil_scene_find(name, path, sizeof path, &error) || fil_scene_load(path, options, &world, NULL, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
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
