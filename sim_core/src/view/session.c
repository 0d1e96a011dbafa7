#include "view/session.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/frame.h"
#include "view/hand.h"
#include "view/show.h"

struct FilViewSession {
    FilSimulation* simulation;
    FilViewServer* server;
    FilViewQueue queue;
    FilViewFrame frame;
    FilHand own; /* without one of somebody else */
    FilHand* hand;
    FilViewRest rest; /* of the world that was loaded */
    FilSource source; /* without text: not to be changed */
    bool steers;      /* pages may */
    pthread_mutex_t lock;
    char* edited; /* under the lock: a scene's text that a page has sent; NULL: none */
    size_t edited_size;
    char said[512];     /* by fil_view_session_say() */
    char described[32]; /* the contact model in the description */
    char failure[512];  /* the failure in it */
    double speed;       /* the pace in it */
    bool stale;         /* the description is */
    uint64_t load;      /* the world that was described */
    double next;        /* s, when a frame is due */
};

/* ---- telling ---- */

static FilStatus describe(FilViewSession* session)
{
    FilSimulation* simulation = session->simulation;
    const char* message = simulation->failed ? simulation->failure : session->said;
    size_t size;
    const FilViewDescription description = {.world = simulation->world,
                                            .scene = &simulation->scene,
                                            .message = message,
                                            .source = &session->source,
                                            .steers = session->steers,
                                            .locked = !session->steers,
                                            .speed = simulation->real_time_factor,
                                            .rest = &session->rest};
    char* text = fil_view_describe(&description, &size);
    const FilStatus status = text != NULL ? fil_view_server_send(session->server, text, size) : FIL_OUT_OF_MEMORY;
    free(text);
    snprintf(session->described, sizeof session->described, "%s", fil_world_contact_model(simulation->world));
    snprintf(session->failure, sizeof session->failure, "%s", simulation->failure);
    session->speed = simulation->real_time_factor;
    session->stale = false;
    return status;
}

/* Another world has other objects: the hand lets go of those that are gone. */
static void notice_load(FilViewSession* session)
{
    if (session->load != session->simulation->load_count) {
        session->load = session->simulation->load_count;
        session->own = fil_hand_open();
        fil_view_rest_free(&session->rest);
        session->rest = fil_view_rest_take(session->simulation->world);
        session->stale = true;
    }
}

static FilStatus show_frame(FilViewSession* session)
{
    const FilSimulation* simulation = session->simulation;
    const double* p = session->hand->point;
    const double* f = session->hand->pull;
    const FilViewState state = {
        .runs = !simulation->paused,
        .failed = simulation->failed,
        .rate = simulation->real_time_rate,
        .hand = {p[0], p[1], p[2]},
        .pull = session->hand->held >= 0 ? (FilVec3){f[0], f[1], f[2]} : (FilVec3){0.0, 0.0, 0.0},
    };
    const FilStatus status = fil_view_frame_take(&session->frame, simulation->world, &state);
    return status == FIL_OK ? fil_view_server_show(session->server, session->frame.bytes, session->frame.size) : status;
}

void fil_view_session_say(FilViewSession* session, const char* text)
{
    session->stale = session->stale || strcmp(session->said, text) != 0;
    snprintf(session->said, sizeof session->said, "%s", text);
}

/* ---- obeying ---- */

FilStatus fil_view_session_pull(FilViewSession* session)
{
    notice_load(session);
    return fil_hand_pull(session->hand, session->simulation->world);
}

bool fil_view_session_take(FilViewSession* session, double deadline, FilViewCommand* command)
{
    return fil_view_queue_take(&session->queue, deadline, command);
}

static FilStatus set_model(FilWorld* world, int model)
{
    return fil_world_set_contact_model(world, model < fil_contact_model_count() ? fil_contact_model_name(model) : "");
}

static FilStatus set_control(FilWorld* world, int object, int part, double value)
{
    const FilShowKind* kind;
    FilId id;
    const bool settable = fil_show_at(world, object, &kind, &id) && kind->set_control != NULL;
    return settable ? kind->set_control(world, id, part, value) : FIL_OK;
}

static void report_change(FilViewSession* session, FilStatus status, const FilError* error)
{
    fil_view_session_say(session, status == FIL_OK ? "" : error->text);
    session->stale = true;
}

const FilSource* fil_view_session_source(const FilViewSession* session)
{
    return session->source.text != NULL ? &session->source : NULL;
}

FilStatus fil_view_session_set_parameter(FilViewSession* session, int index, double value, FilError* error)
{
    FilError own = {""};
    const FilStatus status = fil_source_change_parameter(&session->source, session->simulation, index, value, &own);
    report_change(session, status, &own);
    *error = own;
    return status;
}

/* from the server's thread */
static void keep_edited(void* context, const char* text, size_t size)
{
    FilViewSession* session = context;
    char* copy = malloc(size + 1);
    if (copy != NULL) {
        memcpy(copy, text, size + 1);
        pthread_mutex_lock(&session->lock);
        free(session->edited);
        session->edited = copy;
        session->edited_size = size;
        pthread_mutex_unlock(&session->lock);
    }
}

static void change_text(FilViewSession* session)
{
    pthread_mutex_lock(&session->lock);
    char* text = session->edited;
    const size_t size = session->edited_size;
    session->edited = NULL;
    pthread_mutex_unlock(&session->lock);
    if (text != NULL) {
        FilError error = {""};
        report_change(session, fil_source_change_text(&session->source, session->simulation, text, size, &error), &error);
        free(text);
    }
}

static FilStatus obey(FilViewSession* session, const FilViewCommand* command)
{
    FilSimulation* simulation = session->simulation;
    const double* numbers = command->numbers;
    FilStatus status = FIL_OK;
    switch ((FilViewAsk)command->ask) {
        case FIL_VIEW_PLAY:
            fil_simulation_set_paused(simulation, false);
            break;
        case FIL_VIEW_PAUSE:
            fil_simulation_set_paused(simulation, true);
            break;
        case FIL_VIEW_STEP:
            fil_simulation_set_paused(simulation, true);
            simulation->steps_wanted += fil_simulation_step_refusal(simulation) == NULL && !simulation->failed;
            break;
        case FIL_VIEW_RESET:
            fil_hand_release(session->hand, simulation->world);
            return fil_simulation_reset(simulation);
        case FIL_VIEW_SPEED:
            // a thousand times slower (a step of a millisecond takes a second) and faster than any scene is; 0 would be as fast as
            // it can
            fil_simulation_set_pace(simulation, fmin(fmax(numbers[0], 1e-3), 1e3));
            break;
        case FIL_VIEW_MODEL:
            status = set_model(simulation->world, (int)command->part);
            if (status == FIL_OK) {
                fil_simulation_forgive(simulation);
            }
            break;
        case FIL_VIEW_GRAB:
            return fil_hand_grab(session->hand, simulation->world, (int)command->object, (int)command->part, numbers, numbers[3]);
        case FIL_VIEW_MOVE:
            fil_hand_move(session->hand, numbers);
            break;
        case FIL_VIEW_RELEASE:
            fil_hand_release(session->hand, simulation->world);
            break;
        case FIL_VIEW_CONTROL:
            return set_control(simulation->world, (int)command->object, (int)command->part, numbers[0]);
        case FIL_VIEW_PARAMETER: {
            FilError error;  // pages have it already
            const FilStatus changed = fil_view_session_set_parameter(session, (int)command->part, numbers[0], &error);
            (void)changed;
            break;
        }
        case FIL_VIEW_SEEK:  // there is no film
            break;
    }
    return status;
}

void fil_view_session_obey(FilViewSession* session, const FilViewCommand* command)
{
    if (session->simulation->world == NULL) {
        return;
    }
    notice_load(session);
    const FilStatus status = obey(session, command);
    if (status != FIL_OK) {
        fil_view_session_say(session, fil_world_error(session->simulation->world));
    } else if (command->ask == FIL_VIEW_RESET || command->ask == FIL_VIEW_MODEL) {
        fil_view_session_say(session, "");
    }
}

/* ---- showing ---- */

FilStatus fil_view_session_show(FilViewSession* session, double now)
{
    const FilSimulation* simulation = session->simulation;
    if (now < session->next || simulation->world == NULL) {
        return FIL_OK;
    }
    change_text(session);
    // frames keep their rhythm; after a pause a new one begins
    session->next = fmax(session->next + FIL_VIEW_FRAME_TIME, now);
    notice_load(session);
    if (fil_view_server_counts(session->server).pages == 0) {
        return FIL_OK;  // who joins is shown the next one
    }
    const bool changed = session->stale || session->speed != simulation->real_time_factor || strcmp(session->failure, simulation->failure) != 0 ||
                         strcmp(session->described, fil_world_contact_model(simulation->world)) != 0;
    const FilStatus status = changed ? describe(session) : FIL_OK;
    return status == FIL_OK ? show_frame(session) : status;
}

/* ---- life ---- */

static void keep_command(void* context, const unsigned char* bytes)
{
    FilViewSession* session = context;
    fil_view_queue_put(&session->queue, bytes);
}

FilStatus fil_view_session_open(const FilViewSessionDef* def, FilViewSession** out, FilError* error)
{
    *out = NULL;
    FilViewSession* session = calloc(1, sizeof *session);
    if (session == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    session->simulation = def->simulation;
    session->own = fil_hand_open();
    session->hand = def->hand != NULL ? def->hand : &session->own;
    session->stale = true;
    session->steers = !def->read_only;
    if (def->options != NULL && !def->read_only) {
        fil_source_read(&session->source, def->simulation, def->options);
    }
    pthread_mutex_init(&session->lock, NULL);
    fil_view_queue_init(&session->queue);
    const FilViewServerDef server = {.address = def->address,
                                     .port = def->port,
                                     .command = def->read_only ? NULL : keep_command,
                                     .text = session->source.text != NULL ? keep_edited : NULL,
                                     .context = session,
                                     .foxglove = def->foxglove,
                                     .read_only = def->read_only,
                                     .origins = def->origins};
    const FilStatus status = fil_view_server_start(&server, &session->server, error);
    if (status != FIL_OK) {
        fil_view_session_close(session);
        return status;
    }
    *out = session;
    return FIL_OK;
}

void fil_view_session_close(FilViewSession* session)
{
    if (session == NULL) {
        return;
    }
    fil_view_server_stop(session->server);
    fil_view_queue_destroy(&session->queue);
    pthread_mutex_destroy(&session->lock);
    fil_source_free(&session->source);
    fil_view_rest_free(&session->rest);
    free(session->edited);
    fil_view_frame_free(&session->frame);
    free(session);
}

int fil_view_session_port(const FilViewSession* session)
{
    return fil_view_server_port(session->server);
}

FilViewCounts fil_view_session_counts(FilViewSession* session)
{
    return fil_view_server_counts(session->server);
}
