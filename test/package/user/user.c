/* Someone else's program: uses every library that it was built with, from C and from C++. */
#include <filum/filum.h>
#include <filum/record.h>
#include <stdio.h>
#include <string.h>

static int physics_and_scene(void)
{
    const char text[] =
        "world: {dt: 0.001}\n"
        "duration: 0.1\n"
        "materials: {steel: {density: 7800}}\n"
        "rigid_bodies:\n"
        "  - {name: ball, material: steel, shapes: [{sphere: {radius: 0.1}}]}\n";
    FilWorld* world = NULL;
    FilError error;
    if (fil_scene_load_text("user", text, strlen(text), NULL, &world, NULL, &error) != FIL_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int failed = 0;
    for (int i = 0; i < 100 && !failed; ++i) {
        failed = fil_world_step(world, NULL) != FIL_OK;
    }
    failed = failed || fil_world_step_count(world) != 100;
    fil_world_destroy(world);
    return failed;
}

static int record(void)
{
    FilReader* reader = NULL;
    FilError error;
    const FilReaderOptions options = fil_reader_options_default();
    /* there is no such bag, and the library says so */
    const FilStatus status = fil_reader_open("no/such/bag.mcap", &options, &reader, &error);
    printf("%s: %s\n", fil_status_name(status), error.text);
    return status != FIL_IO;
}

int main(void)
{
    return physics_and_scene() || record();
}
