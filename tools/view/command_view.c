/* Owns `filum view`: steps a scene at the pace of the clock, shows it to pages and does what they ask. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "command_table.h"
#include "view/commands.h"
#include "view/frame.h"
#include "view/hand.h"
#include "view/page_path.h"
#include "view/server.h"

static const double FRAME = 1.0 / 60.0; /* s between frames */
static const double RATE_SPAN = 0.5;    /* s over which the rate is measured */

typedef struct Options {
    const char* address;
    int port;
    double dt, speed, duration;
    const char* contact;
    FilSettings settings;
    FilSeed seed;
    bool paused, read_only;
} Options;

typedef struct View {
    FilWorld* world;
    FilSceneInfo scene;
    FilViewServer* server;
    FilViewQueue queue;
    FilViewFrame frame;
    FilHand hand;
    FilViewState state;
    char message[512];       /* why it failed, or what was refused; empty: nothing */
    double speed;            /* simulated seconds per second that are wanted */
    double due;              /* s, simulated, that should have been reached by now */
    double clock, shown;     /* s, of the clock: when `due` was last moved, and of the last frame */
    double rate_clock, rate_time; /* s: where the measured rate begins */
} View;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* ---- telling ---- */

static FilStatus tell(View* view)
{
    size_t size;
    char* text = fil_view_describe(view->world, &view->scene, view->message, &size);
    const FilStatus status = text != NULL ? fil_view_server_tell(view->server, text, size) : FIL_OUT_OF_MEMORY;
    free(text);
    return status;
}

static FilStatus show(View* view)
{
    const double* p = view->hand.point;
    const double* f = view->hand.pull;
    view->state.hand = (FilVec3){p[0], p[1], p[2]};
    view->state.pull = view->hand.held >= 0 ? (FilVec3){f[0], f[1], f[2]} : (FilVec3){0.0, 0.0, 0.0};
    const FilStatus status = fil_view_frame_take(&view->frame, view->world, &view->state);
    view->shown = now();
    return status == FIL_OK ? fil_view_server_show(view->server, view->frame.bytes, view->frame.size) : status;
}

static FilStatus say(View* view, const char* text)
{
    snprintf(view->message, sizeof view->message, "%s", text);
    return tell(view);
}

/* ---- stepping ---- */

static void set_pace(View* view)
{
    view->clock = view->rate_clock = now();
    view->due = view->rate_time = fil_world_time(view->world);
}

static FilStatus step(View* view)
{
    FilStatus status = fil_hand_pull(&view->hand, view->world);
    status = status == FIL_OK ? fil_world_step(view->world, NULL) : status;
    if (status != FIL_OK) {
        view->state.runs = false;
        view->state.failed = true;
        return say(view, fil_world_error(view->world));
    }
    return FIL_OK;
}

/* Steps until the clock is caught up with, for a frame's time at most: a world that is too slow falls behind. */
static FilStatus catch_up(View* view)
{
    const double start = now();
    view->due += view->speed * (start - view->clock);
    view->clock = start;
    FilStatus status = FIL_OK;
    double end = start;
    while (status == FIL_OK && view->state.runs && fil_world_time(view->world) < view->due && end - start < FRAME) {
        status = step(view);
        end = now();
    }
    view->due = fmin(view->due, fil_world_time(view->world) + view->speed * FRAME);
    if (end - view->rate_clock > RATE_SPAN) {
        view->state.rate = (fil_world_time(view->world) - view->rate_time) / (end - view->rate_clock);
        view->rate_clock = end;
        view->rate_time = fil_world_time(view->world);
    }
    return status;
}

/* ---- what pages ask for ---- */

static FilStatus reset(View* view)
{
    fil_hand_release(&view->hand, view->world);
    if (fil_world_reset(view->world) != FIL_OK) {
        return say(view, fil_world_error(view->world));
    }
    view->state.failed = false;
    set_pace(view);
    return view->message[0] != '\0' ? say(view, "") : FIL_OK;
}

static FilStatus set_model(View* view, int model)
{
    const char* name = model < fil_contact_model_count() ? fil_contact_model_name(model) : "";
    const FilStatus status = fil_world_set_contact_model(view->world, name);
    return say(view, status == FIL_OK ? "" : fil_world_error(view->world));
}

static FilStatus obey(View* view, const FilViewCommand* command)
{
    const double* numbers = command->numbers;
    switch ((FilViewAsk)command->ask) {
        case FIL_VIEW_PLAY:
            view->state.runs = !view->state.failed;
            set_pace(view);
            break;
        case FIL_VIEW_PAUSE:
            view->state.runs = false;
            break;
        case FIL_VIEW_STEP:
            view->state.runs = false;
            return view->state.failed ? FIL_OK : step(view);
        case FIL_VIEW_RESET:
            return reset(view);
        case FIL_VIEW_SPEED:
            view->speed = fmin(fmax(numbers[0], 1e-3), 1e3);
            set_pace(view);
            break;
        case FIL_VIEW_MODEL:
            return set_model(view, (int)command->part);
        case FIL_VIEW_GRAB:
            if (fil_hand_grab(&view->hand, view->world, (int)command->object, (int)command->part, numbers, numbers[3]) != FIL_OK) {
                return say(view, fil_world_error(view->world));
            }
            break;
        case FIL_VIEW_MOVE:
            fil_hand_move(&view->hand, numbers);
            break;
        case FIL_VIEW_RELEASE:
            fil_hand_release(&view->hand, view->world);
            break;
    }
    return FIL_OK;
}

/* ---- the command ---- */

static bool parse(int argc, char** argv, Options* options, const char** scene, int* exit_code)
{
    const FilOption table[] = {
        {"--port", FIL_OPTION_COUNT, &options->port, "N", "to listen on, instead of 8642"},
        {"--address", FIL_OPTION_TEXT, &options->address, "IP", "to listen on, instead of 127.0.0.1, which only this machine reaches"},
        {"--read-only", FIL_OPTION_FLAG, &options->read_only, NULL, "pages can look, but neither steer nor pull"},
        {"--paused", FIL_OPTION_FLAG, &options->paused, NULL, "wait for a page to press play"},
        {"--speed", FIL_OPTION_POSITIVE, &options->speed, "X", "simulated seconds per second, instead of 1"},
        {"--duration", FIL_OPTION_POSITIVE, &options->duration, "S", "end after so many simulated seconds, instead of by Ctrl-C"},
        {"--dt", FIL_OPTION_POSITIVE, &options->dt, "S", "time step in seconds, instead of the scene's"},
        {"--contact", FIL_OPTION_TEXT, &options->contact, "MODEL", "contact model, instead of the scene's"},
        {"--set", FIL_OPTION_SETTING, &options->settings, "KEY.PATH=VALUE", "change the scene; may be repeated"},
        {"--seed", FIL_OPTION_SEED, &options->seed, "N", "of the scene's random numbers"},
    };
    const FilUsage usage = {
        .command = "view",
        .arguments = "SCENE",
        .about = "Runs a scene and shows it in a browser: look, pause, pull on things.",
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

static bool start(View* view, const Options* options, const char* scene)
{
    FilError error = {""};
    char path[PATH_MAX], folder[PATH_MAX];
    const FilSceneOptions scene_options = {
        .settings = options->settings.items,
        .setting_count = options->settings.count,
        .seed = options->seed.value,
        .seed_given = options->seed.given,
        .dt = options->dt,
        .contact_model = options->contact,
    };
    if (!fil_scene_find(scene, path, sizeof path, &error) ||
        fil_scene_load(path, &scene_options, &view->world, &view->scene, &error) != FIL_OK ||
        !fil_page_path(folder, sizeof folder, &error)) {
        fil_cli_fail("view", 0, "%s", error.text);
        return false;
    }
    const FilViewServerDef def = {.address = options->address,
                                  .port = options->port,
                                  .folder = folder,
                                  .command = options->read_only ? NULL : fil_view_queue_put,
                                  .context = &view->queue};
    if (fil_view_server_start(&def, &view->server, &error) != FIL_OK || tell(view) != FIL_OK || show(view) != FIL_OK) {
        fil_cli_fail("view", 0, "%s", error.text[0] != '\0' ? error.text : "out of memory");
        return false;
    }
    printf("%s: http://%s:%d/ (Ctrl-C ends it)\n", view->scene.name, options->address, fil_view_server_port(view->server));
    fflush(stdout);
    return true;
}

static FilStatus run(View* view, double duration)
{
    FilStatus status = FIL_OK;
    set_pace(view);
    while (status == FIL_OK && !fil_stop_requested() && !(duration > 0.0 && fil_world_time(view->world) >= duration)) {
        FilViewCommand command;
        double deadline = view->shown + FRAME;
        if (view->state.runs) {
            status = catch_up(view);
            // a clock that is caught up with gives the rest of a step away
            deadline = fil_world_time(view->world) < view->due ? 0.0 : fmin(deadline, now() + fil_world_dt(view->world) / view->speed);
        }
        while (status == FIL_OK && fil_view_queue_take(&view->queue, deadline, &command)) {
            status = obey(view, &command);
            deadline = 0.0;
        }
        if (status == FIL_OK && now() - view->shown >= FRAME) {
            status = show(view);
        }
    }
    return status;
}

int fil_command_view(int argc, char** argv)
{
    Options options = {.address = "127.0.0.1", .port = 8642, .speed = 1.0};
    const char* scene = NULL;
    int exit_code = FIL_EXIT_DONE;
    if (!parse(argc, argv, &options, &scene, &exit_code)) {
        fil_settings_free(&options.settings);
        return exit_code;
    }
    View* view = calloc(1, sizeof *view);
    if (view == NULL) {
        fil_settings_free(&options.settings);
        return fil_cli_fail("view", FIL_EXIT_FAILED, "out of memory");
    }
    view->hand = fil_hand_open();
    view->speed = options.speed;
    view->state.runs = !options.paused;
    fil_view_queue_init(&view->queue);
    fil_stop_on_signals();
    exit_code = start(view, &options, scene) ? FIL_EXIT_DONE : FIL_EXIT_USAGE;
    if (exit_code == FIL_EXIT_DONE && run(view, options.duration) != FIL_OK) {
        exit_code = fil_cli_fail("view", FIL_EXIT_FAILED, "out of memory");
    }
    fil_view_server_stop(view->server);
    fil_view_queue_destroy(&view->queue);
    fil_view_frame_free(&view->frame);
    fil_world_destroy(view->world);
    free(view);
    fil_settings_free(&options.settings);
    return exit_code;
}
