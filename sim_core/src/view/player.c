#include "view/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "view/frame.h"

static const double END_RHYTHM = 0.25; /* s between two words about how long the film has become */

FilStatus fil_player_open(FilPlayer* player, FilFilm* film, const FilViewServerDef* serve, const char* description, size_t size, FilError* error)
{
    *player = (FilPlayer){.film = film, .runs = true, .speed = 1.0, .shown = -1};
    fil_view_queue_init(&player->queue);
    FilViewServerDef def = *serve;
    def.command = serve->read_only ? NULL : fil_view_queue_put;
    def.context = &player->queue;
    FilStatus status = fil_view_server_start(&def, &player->server, error);
    if (status == FIL_OK) {
        status = fil_view_server_send(player->server, description, size);
        return status == FIL_OK ? FIL_OK : fil_error(error, status, "out of memory");
    }
    return status;
}

void fil_player_close(FilPlayer* player)
{
    fil_view_server_stop(player->server);
    fil_view_queue_destroy(&player->queue);
    free(player->bytes);
    *player = (FilPlayer){0};
}

static void obey(FilPlayer* player, const FilViewCommand* command)
{
    const double at = command->numbers[0];
    player->stale = true;
    switch ((FilViewAsk)command->ask) {
        case FIL_VIEW_PLAY:
            player->runs = true;
            player->time = player->time >= fil_film_end(player->film) ? 0.0 : player->time;  // from the start, after the end
            break;
        case FIL_VIEW_PAUSE:
            player->runs = false;
            break;
        case FIL_VIEW_STEP: {
            const int next = fil_film_at(player->film, player->time) + 1;
            player->runs = false;
            player->time = next < fil_film_count(player->film) ? fil_film_time(player->film, next) : player->time;
            break;
        }
        case FIL_VIEW_RESET:
            player->time = 0.0;
            break;
        case FIL_VIEW_SPEED:
            // as of simulations (session.c)
            player->speed = fmin(fmax(at, 1e-3), 1e3);
            break;
        case FIL_VIEW_SEEK:
            player->time = fmax(at, 0.0);
            break;
        default:  // what has happened cannot be pulled on
            break;
    }
}

FilStatus fil_player_update(FilPlayer* player, double now, double deadline)
{
    const double end = fil_film_end(player->film);
    player->time += player->runs && player->clock > 0.0 ? player->speed * (now - player->clock) : 0.0;
    player->clock = now;
    FilViewCommand command;
    for (double until = deadline; fil_view_queue_take(&player->queue, until, &command); until = 0.0) {
        obey(player, &command);
    }
    player->time = fmin(player->time, end);  // waits for more of it
    const int frame = fil_film_at(player->film, player->time);
    if (frame < 0 || (frame == player->shown && !player->stale && (end == player->shown_end || now < player->shown_clock + END_RHYTHM))) {
        return FIL_OK;
    }
    const size_t size = fil_film_copy(player->film, frame, &player->bytes, &player->capacity);
    if (size == 0) {
        return FIL_OUT_OF_MEMORY;
    }
    fil_view_frame_amend(player->bytes, player->runs, player->runs ? player->speed : 0.0, end);
    player->shown = frame;
    player->shown_end = end;
    player->shown_clock = now;
    player->stale = false;
    return fil_view_server_show(player->server, player->bytes, size);
}
