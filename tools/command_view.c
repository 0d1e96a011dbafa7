/* Owns `filum view`: steps a scene at the pace of the clock, shows it to pages and does what they ask. */
#include <math.h>
#include <time.h>

#include "bag_view.h"
#include "cli.h"
#include "command_table.h"
#include "view_messages.h"

typedef struct Options {
    const char *address, *origins;
    int port;
    double speed, duration;
    FilSceneChoice scene;
    bool paused, read_only;
} Options;

typedef struct View {
    FilSimulation simulation;
    FilViewSession* session;
    FilViewMessages* messages;
} View;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A step that fails is no failure of the command: pages are informed, and the simulation pauses. */
static FilStatus step(View* view)
{
    const FilStatus status = fil_view_session_pull(view->session);
    if (status == FIL_OK && fil_simulation_step(&view->simulation, now()) == FIL_OUT_OF_MEMORY) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_view_messages_send(view->messages);
    return status;
}

/* Steps that are due, for a frame's time at most. */
static FilStatus catch_up(View* view)
{
    const double end = now() + FIL_VIEW_FRAME_TIME;
    FilStatus status = FIL_OK;
    while (status == FIL_OK && now() < end && fil_simulation_wait(&view->simulation, now()) <= 0.0) {
        status = step(view);
    }
    return status;
}

/* ---- the command ---- */

static bool parse(int argc, char** argv, Options* options, const char** scene, int* exit_code)
{
    const FilOption table[] = {
        {"--port", FIL_OPTION_COUNT, &options->port, "N", "to listen on, instead of 8642"},
        {"--address", FIL_OPTION_TEXT, &options->address, "IP", "to listen on, instead of 127.0.0.1, which only this machine reaches"},
        {"--origins", FIL_OPTION_TEXT, &options->origins, "URLS", "of viewers that are pages of other sites and may come by Foxglove's protocol"},
        {"--read-only", FIL_OPTION_FLAG, &options->read_only, NULL, "pages can look, but neither steer nor pull"},
        {"--paused", FIL_OPTION_FLAG, &options->paused, NULL, "wait for a page to press play"},
        {"--speed", FIL_OPTION_POSITIVE, &options->speed, "X", "simulated seconds per second, instead of 1"},
        {"--duration", FIL_OPTION_POSITIVE, &options->duration, "S", "end after so many simulated seconds, instead of by Ctrl-C"},
        FIL_SCENE_CHOICE_ROWS(&options->scene),
    };
    const FilUsage usage = {
        .command = "view",
        .arguments = "SCENE|BAG",
        .about =
            "Runs a scene and shows it in a browser: look, pause, pull on things. A bag (a directory, .mcap) is done again as it\n"
            "was recorded, to be played and sought in.",
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
    const FilSceneOptions scene_options = fil_scene_choice_options(&options->scene);
    FilViewSessionDef def = {.simulation = &view->simulation,
                             .address = options->address,
                             .port = options->port,
                             .read_only = options->read_only,
                             .options = &scene_options,
                             .origins = options->origins};
    bool good = fil_simulation_load(&view->simulation, scene, &scene_options, &error) == FIL_OK;
    if (good) {
        view->messages = fil_view_messages_create(&view->simulation);
        def.foxglove = fil_view_messages_foxglove(view->messages);
        good = fil_view_session_open(&def, &view->session, &error) == FIL_OK;
        fil_view_messages_join(view->messages, view->session);
    }
    if (!good) {
        fil_cli_fail("view", 0, "%s", error.text);
        return false;
    }
    view->simulation.paused = options->paused;
    fil_simulation_set_pace(&view->simulation, options->speed);
    printf("%s: http://%s:%d/ (Ctrl-C ends it)\n", view->simulation.scene.name, options->address, fil_view_session_port(view->session));
    fflush(stdout);
    return true;
}

static FilStatus run(View* view, double duration)
{
    FilStatus status = FIL_OK;
    while (status == FIL_OK && !fil_stop_requested() && !(duration > 0.0 && fil_world_time(view->simulation.world) >= duration)) {
        status = catch_up(view);
        // what is left of the time to the next step is given away
        const double wait = fmin(fil_simulation_wait(&view->simulation, now()), FIL_VIEW_FRAME_TIME);
        double deadline = wait > 0.0 ? now() + wait : 0.0;
        FilViewCommand command;
        while (fil_view_session_take(view->session, deadline, &command)) {
            fil_view_session_obey(view->session, &command);
            deadline = 0.0;
        }
        fil_view_messages_serve(view->messages);
        status = status == FIL_OK ? fil_view_session_show(view->session, now()) : status;
    }
    return status;
}

int fil_command_view(int argc, char** argv)
{
    // 8642: not listed in /etc/services of Debian, and none of the ports that Foxglove (8765) and development servers (8000, 8080) use
    Options options = {.address = "127.0.0.1", .port = 8642, .speed = 1.0};
    const char* scene = NULL;
    int exit_code = FIL_EXIT_DONE;
    if (!parse(argc, argv, &options, &scene, &exit_code)) {
        fil_settings_free(&options.scene.settings);
        return exit_code;
    }
    if (fil_is_bag(scene)) {
        const FilBagViewOptions bag = {.address = options.address,
                                       .port = options.port,
                                       .speed = options.speed,
                                       .paused = options.paused,
                                       .read_only = options.read_only,
                                       .origins = options.origins};
        fil_settings_free(&options.scene.settings);
        return fil_bag_view(scene, &bag);
    }
    View view = {.session = NULL};
    fil_simulation_init(&view.simulation);
    fil_simulation_watch(&view.simulation, fil_stop_asked, NULL, 0.0);
    fil_stop_on_signals();
    exit_code = start(&view, &options, scene) ? FIL_EXIT_DONE : FIL_EXIT_USAGE;
    if (exit_code == FIL_EXIT_DONE && run(&view, options.duration) != FIL_OK) {
        exit_code = fil_cli_fail("view", FIL_EXIT_FAILED, "out of memory");
    }
    fil_view_session_close(view.session);
    fil_view_messages_destroy(view.messages);
    fil_simulation_fini(&view.simulation);
    fil_settings_free(&options.scene.settings);
    return exit_code;
}
