/* libFuzzer harness of the scene reader: any bytes are refused with a message or become a world that can be destroyed.
 * The first byte, if it is odd, makes the rest before the first newline a setting (path=value). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/scene_build.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* Takes the first line as a setting; returns how many bytes it used. */
static size_t take_setting(const char* text, size_t size, char* path, size_t path_size, FilSetting* setting)
{
    const char* end = memchr(text, '\n', size);
    const size_t length = end != NULL ? (size_t)(end - text) : size;
    snprintf(path, path_size, "%.*s", (int)(length < path_size ? length : path_size - 1), text);
    char* equals = strchr(path, '=');
    if (equals != NULL) {
        *equals = '\0';
        setting->path = path;
        setting->value = equals + 1;
    }
    return end != NULL ? length + 1 : length;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // small worlds keep it quick; the folder of the name does not exist, so that includes find nothing
    FilSceneLimits limits = fil_scene_limits_default();
    limits.nodes = 200;
    char path[256] = "";
    FilSetting setting = {0};
    const char* text = (const char*)data;
    if (size > 0 && data[0] % 2 == 1) {
        const size_t used = 1 + take_setting(text + 1, size - 1, path, sizeof path, &setting);
        text += used;
        size -= used;
    }
    const FilSceneOptions options = {.settings = &setting, .setting_count = setting.path != NULL ? 1 : 0};
    const FilSource source = {.path = "no/such/folder/fuzz.yaml", .text = text, .size = size};
    FilWorld* world = NULL;
    FilSceneInfo info;
    FilError error;
    const FilStatus status = fil_scene_load_limited(&source, &limits, &options, &world, &info, &error);
    // a failure says why and leaves no world; success leaves one
    if ((status == FIL_OK) != (world != NULL) || (status != FIL_OK && error.text[0] == '\0')) {
        abort();
    }
    fil_world_destroy(world);
    return 0;
}
