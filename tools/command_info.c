/* Owns `filum info`: what a scene contains, without simulating it. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "cli.h"
#include "command_table.h"
#include "draw.h"
#include "view/show.h"

static const char* integrator_name(FilIntegrator integrator)
{
    switch (integrator) {
        case FIL_BACKWARD_EULER:
            return "backward Euler";
        case FIL_MIDPOINT:
            return "midpoint";
        case FIL_SYMPLECTIC_EULER:
            return "symplectic Euler";
        case FIL_SDIRK2:
            return "SDIRK of order 2";
    }
    return "unknown";
}

static void print_info(const FilWorld* world, const FilSceneInfo* scene)
{
    const FilVec3 gravity = fil_world_gravity(world);
    const double dt = fil_world_dt(world);
    printf("%s%s%s\n", scene->name, scene->title[0] != '\0' ? ": " : "", scene->title);
    printf("time       %g s, %llu steps of %g s, %s, a row every %g s\n", scene->duration,
           (unsigned long long)fil_run_step_count(scene->duration, dt), dt, integrator_name(fil_world_integrator(world)), scene->output_period);
    printf("gravity    %g %g %g m/s2\n", gravity.x, gravity.y, gravity.z);
    printf("contact    %s\n", fil_world_contact_model(world));
    printf("seed       %llu\n", (unsigned long long)scene->seed);
    printf("bodies     %d with %d degrees of freedom\n", fil_world_body_count(world), fil_world_dofs(world));
    for (int i = 0; i < fil_world_body_count(world); ++i) {
        printf("  %-16s %s, %d degrees of freedom\n", fil_world_body_name(world, i), fil_world_body_kind(world, i), fil_world_body_dofs(world, i));
    }
    for (int k = 0; k < FIL_SHOW_COUNT; ++k) {
        const FilShowKind* kind = fil_show_kind(k);
        const int count = kind->count(world);
        if (count > 0) {
            printf("%-10s %d\n", kind->heading, count);
        }
        for (int i = 0; i < count; ++i) {
            kind->print(world, kind->at(world, i));
        }
    }
    printf("probes     %d\n", fil_world_probe_count(world));
    for (int i = 0; i < fil_world_probe_count(world); ++i) {
        printf("  %-16s %.9g\n", fil_world_probe_name(world, i), fil_world_probe_value(world, i));
    }
}

typedef struct Picture {
    const char* path; /* NULL: none */
    FilVec3 view;     /* zero: the usual one */
} Picture;

static int draw(const FilWorld* world, const FilSceneInfo* scene, const Picture* picture)
{
    FilDrawing* drawing = NULL;
    FilError error = {"out of memory"};
    if (picture->path == NULL) {
        return FIL_EXIT_DONE;
    }
    const bool drawn = fil_drawing_create(world, picture->view, &drawing) == FIL_OK &&
                       fil_drawing_write(drawing, world, scene->title[0] != '\0' ? scene->title : scene->name, picture->path, &error) == FIL_OK;
    fil_drawing_destroy(drawing);
    return drawn ? FIL_EXIT_DONE : fil_cli_fail("info", FIL_EXIT_FAILED, "%s", error.text);
}

static int report(const char* name, const FilSettings* settings, const Picture* picture)
{
    const FilSceneOptions options = {.settings = settings->items, .setting_count = settings->count};
    FilWorld* world = NULL;
    FilSceneInfo scene;
    FilError error = {""};
    char path[PATH_MAX];
    int exit_code = FIL_EXIT_DONE;
    if (fil_scene_find(name, path, sizeof path, &error) && fil_scene_load(path, &options, &world, &scene, &error) == FIL_OK) {
        print_info(world, &scene);
        exit_code = draw(world, &scene, picture);
    } else {
        exit_code = fil_cli_fail("info", FIL_EXIT_USAGE, "%s", error.text);
    }
    fil_world_destroy(world);
    return exit_code;
}

int fil_command_info(int argc, char** argv)
{
    FilSettings settings = {0};
    Picture picture = {0};
    const FilOption table[] = {
        {"--svg", FIL_OPTION_TEXT, &picture.path, "FILE", "draw the scene as it starts"},
        {"--view", FIL_OPTION_DIRECTION, &picture.view, "X,Y,Z", "where the picture is seen from"},
        FIL_SET_ROW(&settings),
    };
    const FilUsage usage = {
        .command = "info",
        .arguments = "SCENE...",
        .about = "Says what scenes contain: bodies, degrees of freedom, shapes, probes with their first values.",
        .min_arguments = 1,
        .max_arguments = INT_MAX,
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        const bool too_many = picture.path != NULL && count > 1;
        exit_code = too_many ? fil_cli_fail("info", FIL_EXIT_USAGE, "--svg draws one scene, not %d", count) : FIL_EXIT_DONE;
        for (int i = 1; i <= count && !too_many; ++i) {
            const int end = report(argv[i], &settings, &picture);
            exit_code = exit_code == FIL_EXIT_DONE ? end : exit_code; /* one that is bad hides no other */
        }
    }
    fil_settings_free(&settings);
    return exit_code;
}
