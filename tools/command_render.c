/* Owns `filum render`: a run, or a recording done again, as a picture, as pictures in a folder, or as a film. */
#include <stdlib.h>
#include <string.h>

#include "bag_view.h"
#include "base/error.h"
#include "camera_roll.h"
#include "cli.h"
#include "command_table.h"
#include "film_file.h"
#include "view/simulation.h"

enum { MAX_FILM = 1 << 30 }; /* bytes of frames */

typedef struct Options {
    FilSceneChoice scene;
    const char *out, *size, *view, *follow, *strip;
    double rate, duration, time, zoom;
    bool dark, forces, frames, strain, quiet;
} Options;

/* Pictures side by side: a bound of ours, narrower ones show nothing. */
enum { MAX_STRIP = 16 };

/* Pictures side by side. */
typedef struct Strip {
    int count; /* 0: none asked for */
    bool timed;
    double times[MAX_STRIP]; /* s, if they were given */
} Strip;

typedef struct Render {
    const Options* options;
    Strip strip;
    char look[512]; /* of the page */
    FilFilm* film;
    FilViewFrame frame;
    char* description;
    size_t description_size;
    FilProgress progress;
    FilError error;
} Render;

static bool parse(int argc, char** argv, Options* options, const char** scene, int* exit_code)
{
    const FilOption table[] = {
        {"--out", FIL_OPTION_TEXT, &options->out, "FILE", "picture .png, film .mp4, .webm or .gif (by ffmpeg), or a folder of pictures; needed"},
        {"--time", FIL_OPTION_DURATION, &options->time, "S", "of a single picture, instead of the end"},
        {"--strip", FIL_OPTION_TEXT, &options->strip, "N|S,S,...", "one picture of several side by side: N from start to end, or at these times"},
        {"--duration", FIL_OPTION_DURATION, &options->duration, "S", "simulated seconds, instead of the scene's"},
        {"--fps", FIL_OPTION_POSITIVE, &options->rate, "N", "pictures per simulated second, instead of 30"},
        {"--size", FIL_OPTION_TEXT, &options->size, "WxH", "in pixels, instead of 1280x720"},
        {"--view", FIL_OPTION_TEXT, &options->view, "SIDE", "front, side, top, or a direction x,y,z to look from"},
        {"--zoom", FIL_OPTION_POSITIVE, &options->zoom, "X", "how much nearer than to show everything"},
        {"--follow", FIL_OPTION_TEXT, &options->follow, "NAME", "the camera stays with an object"},
        {"--forces", FIL_OPTION_FLAG, &options->forces, NULL, "contact forces as arrows, pressure patches as discs"},
        {"--strain", FIL_OPTION_FLAG, &options->strain, NULL, "colours of cloth and solids tell strains"},
        {"--frames", FIL_OPTION_FLAG, &options->frames, NULL, "axes of bodies, links and rods"},
        {"--dark", FIL_OPTION_FLAG, &options->dark, NULL, "on a dark ground"},
        FIL_QUIET_ROW(&options->quiet),
        FIL_SCENE_CHOICE_ROWS(&options->scene),
    };
    const FilUsage usage = {
        .command = "render",
        .arguments = "SCENE|BAG",
        .about = "Draws a run as the page of `filum view` would, without a window (needs chromium; films need ffmpeg).",
        .min_arguments = 1,
        .max_arguments = 1,
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    int count = 0;
    const bool parsed = fil_options_parse(&usage, argc, argv, &count, exit_code);
    *scene = argv[1];
    return parsed;
}

/* A count, or times that increase. */
static bool read_strip(const char* text, Strip* strip)
{
    *strip = (Strip){0};
    for (const char* at = text; at != NULL; ++strip->count) {
        char* end = NULL;
        const double number = strip->count < MAX_STRIP ? strtod(at, &end) : -1.0;
        if (end == NULL || end == at || (*end != '\0' && *end != ',') || !(number >= 0.0) ||
            (strip->count > 0 && !(number > strip->times[strip->count - 1]))) {
            fil_cli_fail("render", 0, "--strip: '%s' is neither a number of pictures nor times that increase, such as 0,0.5,2; at most %d", text,
                         MAX_STRIP);
            return false;
        }
        strip->times[strip->count] = number;
        strip->timed = strip->timed || *end == ',';
        at = *end == ',' ? end + 1 : NULL;
    }
    if (strip->count == 1 && !strip->timed) {
        const double count = strip->times[0];
        strip->count = count >= 1.0 && count <= MAX_STRIP ? (int)count : 0;
        if (strip->count != count) {
            fil_cli_fail("render", 0, "--strip: %s is no number of pictures from 1 to %d", text, MAX_STRIP);
            return false;
        }
    }
    return true;
}

/* What goes into the page's address; false, with a message, if an option is not what it should be. */
static bool compose_look(const Options* options, int strip, char* look, size_t size)
{
    static const char* const sides[] = {"front", "side", "top"};
    double from[3];
    char end;
    bool known = options->view == NULL || sscanf(options->view, "%lf,%lf,%lf%c", &from[0], &from[1], &from[2], &end) == 3;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; ++i) {
        known = known || strcmp(options->view, sides[i]) == 0;
    }
    int width, height;
    if (!known) {
        fil_cli_fail("render", 0, "--view: '%s' is none of front, side, top, and no direction such as 1,-2,0.5", options->view);
        return false;
    }
    // px: smaller is no picture, larger takes 256 MB a picture of the browser
    if (sscanf(options->size, "%dx%d%c", &width, &height, &end) != 2 || width < 16 || height < 16 || width > 8192 || height > 8192) {
        fil_cli_fail("render", 0, "--size: '%s' is not like 1280x720", options->size);
        return false;
    }
    const int length = snprintf(look, size, "size=%dx%d&strip=%d&zoom=%.6g&view=%s%s%s%s%s%s%s", width & ~1, height & ~1, strip,
                                options->zoom,  // films want even sizes
                                options->view != NULL ? options->view : "front", options->dark ? "&dark" : "", options->forces ? "&forces" : "",
                                options->frames ? "&frames" : "", options->strain ? "&strain" : "", options->follow != NULL ? "&follow=" : "",
                                options->follow != NULL ? options->follow : "");
    if (length < 0 || (size_t)length >= size) {
        fil_cli_fail("render", 0, "--follow: the name is too long");
        return false;
    }
    return true;
}

/* ---- the film ---- */

static bool watch(void* context, const FilWorld* world, const FilSceneInfo* scene)
{
    Render* render = context;
    if (render->description == NULL) {
        const FilViewDescription description = {.world = world, .scene = scene};
        render->description = fil_view_describe(&description, &render->description_size);
    }
    return !fil_stop_requested() && render->description != NULL && fil_film_take(render->film, world, &render->frame) == FIL_OK;
}

static bool run_scene(Render* render, const char* scene)
{
    const Options* options = render->options;
    const FilSceneOptions scene_options = fil_scene_choice_options(&options->scene);
    FilSimulation simulation;
    fil_simulation_init(&simulation);
    if (fil_simulation_load(&simulation, scene, &scene_options, &render->error) != FIL_OK) {
        fil_cli_fail("render", 0, "%s", render->error.text);
        return false;
    }
    FilWorld* world = simulation.world;
    const Strip* strip = &render->strip;
    const double duration = strip->timed               ? strip->times[strip->count - 1]
                            : options->time >= 0.0     ? options->time
                            : options->duration >= 0.0 ? options->duration
                                                       : simulation.scene.duration;
    bool good = watch(render, world, &simulation.scene);
    while (good && fil_world_time(world) < duration - 0.5 * fil_world_dt(world)) {
        fil_progress_update(&render->progress, fil_world_time(world) / duration, "running, t = %.2f s", fil_world_time(world));
        if (fil_world_step(world, NULL) != FIL_OK) {
            // what came before can still be looked at
            fil_cli_fail("render", 0, "at t = %.9g s: %s", fil_world_time(world), fil_world_error(world));
            break;
        }
        good = watch(render, world, &simulation.scene);
    }
    fil_progress_clear(&render->progress);
    fil_simulation_fini(&simulation);
    return good;
}

/* ---- pictures ---- */

static bool take_strip(Render* render, FilCameraRoll* roll, FilFilmFile* file)
{
    const Strip* strip = &render->strip;
    const double end = fil_film_end(render->film);
    const unsigned char* png = NULL;
    size_t size = 0;
    if (!fil_film_file_takes_one(file)) {
        fil_error(&render->error, FIL_BAD_INPUT, "--strip makes one picture: --out FILE.png");
        return false;
    }
    // twice: the page sees them all, and then knows where the camera has to be
    for (int k = 0; k < 2 * strip->count; ++k) {
        const int i = k % strip->count;
        const double time = strip->timed ? strip->times[i] : strip->count > 1 ? end * i / (strip->count - 1) : end;
        const double half = 0.5 / render->options->rate;  // the nearest
        if (fil_stop_requested() || fil_camera_roll_take(roll, fil_film_at(render->film, time + half), &png, &size, &render->error) != FIL_OK) {
            return false;
        }
        fil_progress_update(&render->progress, (k + 1.0) / (2 * strip->count), "picture %d of %d", i + 1, strip->count);
    }
    return fil_film_file_add(file, png, size, &render->error) == FIL_OK;
}

static bool take_pictures(Render* render, FilCameraRoll* roll, FilFilmFile* file)
{
    const double time = render->options->time;
    const int count = fil_film_count(render->film);
    const bool one = fil_film_file_takes_one(file);
    const int first = !one ? 0 : time >= 0.0 ? fil_film_at(render->film, time) : count - 1, end = one ? first + 1 : count;
    for (int i = first; i < end; ++i) {
        const unsigned char* png;
        size_t size;
        if (fil_stop_requested() || fil_camera_roll_take(roll, i, &png, &size, &render->error) != FIL_OK ||
            fil_film_file_add(file, png, size, &render->error) != FIL_OK) {
            return false;
        }
        fil_progress_update(&render->progress, (double)(i + 1 - first) / (end - first), "picture %d of %d", i + 1 - first, end - first);
    }
    return true;
}

static int draw(Render* render)
{
    const Options* options = render->options;
    FilCameraRoll* roll = NULL;
    FilFilmFile* file = NULL;
    const FilCameraRollDef def = {
        .film = render->film, .description = render->description, .description_size = render->description_size, .look = render->look};
    const bool good = fil_film_file_open(options->out, options->rate, &file, &render->error) == FIL_OK &&
                      fil_camera_roll_open(&def, &roll, &render->error) == FIL_OK &&
                      (render->strip.count > 0 ? take_strip : take_pictures)(render, roll, file);
    fil_progress_clear(&render->progress);
    fil_camera_roll_close(roll);
    const int count = file != NULL ? fil_film_file_count(file) : 0;
    const bool written = fil_film_file_close(file, good, &render->error) == FIL_OK;
    if (!good || !written) {
        return fil_cli_fail("render", FIL_EXIT_FAILED, "%s", render->error.text[0] != '\0' ? render->error.text : "stopped");
    }
    if (!options->quiet) {
        printf("%s: %d picture%s\n", options->out, count, count == 1 ? "" : "s");
    }
    return fil_cli_finish("render", FIL_EXIT_DONE);
}

int fil_command_render(int argc, char** argv)
{
    // as of videos: 30 pictures a second of 720 lines
    Options options = {.rate = 30.0, .size = "1280x720", .zoom = 1.0, .duration = -1.0, .time = -1.0};
    const char* scene = NULL;
    int exit_code = FIL_EXIT_DONE;
    if (!parse(argc, argv, &options, &scene, &exit_code)) {
        fil_settings_free(&options.scene.settings);
        return exit_code;
    }
    Render render = {.options = &options};
    if (options.out == NULL) {
        exit_code = fil_cli_fail("render", FIL_EXIT_USAGE, "--out FILE is needed: .png, .mp4, .webm, .gif or a folder");
    } else if (!read_strip(options.strip, &render.strip) || !compose_look(&options, render.strip.count, render.look, sizeof render.look)) {
        exit_code = FIL_EXIT_USAGE;
    } else if ((render.film = fil_film_create(1.0 / options.rate, MAX_FILM)) == NULL) {
        exit_code = fil_cli_fail("render", FIL_EXIT_FAILED, "out of memory");
    } else {
        fil_stop_on_signals();
        render.progress = fil_progress_start(options.quiet);
        const bool made = fil_is_bag(scene) ? fil_bag_watch(scene, watch, &render, "render") : run_scene(&render, scene);
        exit_code = made ? draw(&render) : fil_film_count(render.film) == 0 ? FIL_EXIT_USAGE : FIL_EXIT_FAILED;
    }
    free(render.description);
    fil_view_frame_free(&render.frame);
    fil_film_destroy(render.film);
    fil_settings_free(&options.scene.settings);
    return exit_code;
}
