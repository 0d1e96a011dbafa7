/* A film for pages: play, pause, one frame, back to the start, seek. The film may still be growing. */
#ifndef FILUM_VIEW_PLAYER_H
#define FILUM_VIEW_PLAYER_H

#include "view/commands.h"
#include "view/film.h"
#include "view/server.h"

typedef struct FilPlayer {
    FilViewServer* server;
    FilViewQueue queue;
    FilFilm* film; /* borrowed */
    bool runs;
    double speed;         /* s of the film per s */
    double time;          /* s, of the film */
    double clock;         /* s, of the clock: when `time` was right */
    int shown;            /* frame on the pages; -1: none */
    bool stale;           /* pages are to be sent it, though it is the same frame */
    double shown_end;     /* s, of the film as pages know it */
    double shown_clock;   /* s, of the clock: since when */
    unsigned char* bytes; /* of a frame */
    size_t capacity;
} FilPlayer;

/* Serves pages where and to whom `serve` says, but for its commands; `description` (fil_view_describe()) is what they get first. */
FIL_MUST_CHECK FilStatus fil_player_open(FilPlayer* player, FilFilm* film, const FilViewServerDef* serve, const char* description, size_t size,
                                         FilError* error);
void fil_player_close(FilPlayer* player);

/* Does what pages ask and shows the frame of `now` (s, CLOCK_REALTIME); waits until about `deadline` for something to do. */
FIL_MUST_CHECK FilStatus fil_player_update(FilPlayer* player, double now, double deadline);

#endif
