/* Owns `filum view BAG`: the recorded run is done again, bit by bit, on a thread of its own, and becomes a film; pages play it and
 * seek in it as far as it has come. */
#include "bag_view.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bag_messages.h"
#include "bag_replay.h"
#include "cli.h"
#include "view/frame.h"
#include "view/player.h"

enum { MAX_FILM = 1 << 30 };                   /* bytes */
static const double PICTURE_TIME = 1.0 / 60.0; /* s, simulated */

typedef struct BagView {
    FilReplay* replay;
    FilFilm* film;
    FilBagMessages* messages;
    FilViewFrame frame; /* of the thread */
    atomic_bool ends;
    pthread_t thread;
    FilStatus status; /* of the thread, once it has ended */
    FilError error;
    atomic_bool done;
} BagView;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool watch(void* context, const FilWorld* world)
{
    BagView* view = context;
    if (fil_film_take(view->film, world, &view->frame) != FIL_OK) {
        return false;
    }
    return !atomic_load(&view->ends);
}

static void* replay(void* context)
{
    BagView* view = context;
    view->status = fil_replay_run(view->replay, watch, view, &view->error);
    atomic_store(&view->done, true);
    return NULL;
}

static void report(const BagView* view)
{
    const FilReplayInfo* info = fil_replay_info(view->replay);
    if (view->status != FIL_OK) {
        printf("%s: %s\n", info->bag, view->error.text);
    } else if (info->stop[0] != '\0') {
        printf("%s: shown up to here: %s\n", info->bag, info->stop);
    } else {
        printf("%s: all of it, %.9g s, is shown as it was (%llu states compared)\n", info->bag, fil_film_end(view->film),
               (unsigned long long)info->compared);
    }
    fflush(stdout);
}

/* Viewers get the recorded messages; a bag that cannot be read on is reported once. */
static void send(FilBagMessages** messages, double time)
{
    FilError error = {""};
    if (*messages != NULL && fil_bag_messages_go(*messages, time, &error) != FIL_OK) {
        fil_cli_fail("view", 0, "for viewers by Foxglove's protocol: %s", error.text);
        *messages = NULL;
    }
}

static int play(BagView* view, const FilBagViewOptions* options)
{
    const FilSimulation* simulation = fil_replay_simulation(view->replay);
    FilPlayer player;
    size_t size;
    const FilViewDescription description = {
        .world = simulation->world, .scene = &simulation->scene, .speed = options->speed, .locked = options->read_only};
    const FilViewServerDef serve = {.address = options->address,
                                    .port = options->port,
                                    .foxglove = fil_bag_messages_foxglove(view->messages),
                                    .read_only = options->read_only,
                                    .origins = options->origins};
    FilBagMessages* messages = view->messages;
    char* text = fil_view_describe(&description, &size);
    FilStatus status = text != NULL ? fil_player_open(&player, view->film, &serve, text, size, &view->error) : FIL_OUT_OF_MEMORY;
    free(text);
    if (status != FIL_OK) {
        return fil_cli_fail("view", FIL_EXIT_USAGE, "%s", view->error.text[0] != '\0' ? view->error.text : "out of memory");
    }
    player.runs = !options->paused;
    player.speed = options->speed;
    printf("%s: http://%s:%d/ (Ctrl-C ends it)\n", fil_replay_info(view->replay)->bag, options->address, fil_view_server_port(player.server));
    fflush(stdout);
    const bool started = pthread_create(&view->thread, NULL, replay, view) == 0;
    bool reported = false;
    while (started && status == FIL_OK && !fil_stop_requested()) {
        status = fil_player_update(&player, now(), now() + PICTURE_TIME);
        send(&messages, player.time);
        if (!reported && atomic_load(&view->done)) {
            report(view);
            reported = true;
        }
    }
    atomic_store(&view->ends, true);
    if (started) {
        pthread_join(view->thread, NULL);
    }
    fil_player_close(&player);
    return started && status == FIL_OK ? FIL_EXIT_DONE : fil_cli_fail("view", FIL_EXIT_FAILED, "out of memory");
}

int fil_bag_view(const char* bag, const FilBagViewOptions* options)
{
    BagView view = {.status = FIL_OK};
    view.film = fil_film_create(PICTURE_TIME, MAX_FILM);
    int exit_code = FIL_EXIT_DONE;
    if (view.film == NULL || fil_replay_open(bag, &view.replay, &view.error) != FIL_OK ||
        fil_bag_messages_open(bag, &view.messages, &view.error) != FIL_OK) {
        exit_code = fil_cli_fail("view", FIL_EXIT_USAGE, "%s", view.film != NULL ? view.error.text : "out of memory");
    } else {
        fil_stop_on_signals();
        exit_code = play(&view, options);
    }
    fil_view_frame_free(&view.frame);
    fil_film_destroy(view.film);
    fil_bag_messages_close(view.messages);
    fil_replay_close(view.replay);
    return exit_code;
}

/* ---- for other commands ---- */

typedef struct Watching {
    FilBagWatch watch;
    void* context;
    const FilReplay* replay;
} Watching;

static bool pass_on(void* context, const FilWorld* world)
{
    const Watching* watching = context;
    return watching->watch(watching->context, world, &fil_replay_simulation(watching->replay)->scene);
}

bool fil_bag_watch(const char* bag, FilBagWatch watch_world, void* context, const char* command)
{
    FilError error = {""};
    FilReplay* replayed = NULL;
    if (fil_replay_open(bag, &replayed, &error) != FIL_OK) {
        fil_cli_fail(command, 0, "%s", error.text);
        return false;
    }
    Watching watching = {watch_world, context, replayed};
    if (fil_replay_run(replayed, pass_on, &watching, &error) != FIL_OK) {
        fil_cli_fail(command, 0, "%s: %s", bag, error.text);  // what came before can still be looked at
    } else if (fil_replay_info(replayed)->stop[0] != '\0') {
        fil_cli_fail(command, 0, "%s: shown up to here: %s", bag, fil_replay_info(replayed)->stop);
    }
    fil_replay_close(replayed);
    return true;
}
