/* A simulation and the pages that look at it: shows frames at a page's rate, keeps the description up to date, and does what pages
 * ask. The node and `filum view` each have one; all calls come from the thread that steps, and none waits for a page. */
#ifndef FILUM_VIEW_SESSION_H
#define FILUM_VIEW_SESSION_H

#include "view/commands.h"
#include "view/hand.h"
#include "view/server.h"
#include "view/simulation.h"
#include "view/source.h"

typedef struct FilViewSession FilViewSession;

typedef struct FilViewSessionDef {
    FilSimulation* simulation;      /* outlives the session; may load other worlds */
    FilHand* hand;                  /* of somebody who pulls with it, for pages to see; NULL: the session's own */
    const char* address;            /* to listen on */
    int port;                       /* 0: any that is free */
    bool read_only;                 /* pages can look, but neither steer nor pull */
    const FilSceneOptions* options; /* as the scene was loaded, for pages that change its parameters or its text; NULL: they cannot */
    FilFoxglove* foxglove;          /* for viewers on the same port; NULL: none */
    const char* origins;            /* of other sites' pages that may come as viewers, separated by spaces */
} FilViewSessionDef;

FIL_MUST_CHECK FilStatus fil_view_session_open(const FilViewSessionDef* def, FilViewSession** session, FilError* error);
void fil_view_session_close(FilViewSession* session); /* NULL is fine */
int fil_view_session_port(const FilViewSession* session);
FilViewCounts fil_view_session_counts(FilViewSession* session);

/* To be called before each step: pulls by the session's hand, at the world's next step. */
FIL_MUST_CHECK FilStatus fil_view_session_pull(FilViewSession* session);

/* The oldest request of a page; waits for one until `deadline` (s, of CLOCK_REALTIME; 0: not at all). */
bool fil_view_session_take(FilViewSession* session, double deadline, FilViewCommand* command);
/* Does it. What cannot be done is reported to the pages. */
void fil_view_session_obey(FilViewSession* session, const FilViewCommand* command);
/* The scene's text and parameters; NULL: they cannot be changed. */
const FilSource* fil_view_session_source(const FilViewSession* session);
/* Makes the world anew with another value of a parameter, by its number in the source. On failure the old one stays. */
FIL_MUST_CHECK FilStatus fil_view_session_set_parameter(FilViewSession* session, int index, double value, FilError* error);
/* Words for the pages, until others come; empty: none. A failed step's are sent without being asked for. */
void fil_view_session_say(FilViewSession* session, const char* text);

/* Shows the world, and tells what has changed of its description. `now`: s, of any clock that only goes forward; frames come as
 * often as pages draw them, so this may be called after each step. */
FIL_MUST_CHECK FilStatus fil_view_session_show(FilViewSession* session, double now);

/* s between frames */
#define FIL_VIEW_FRAME_TIME (1.0 / 60.0)

#endif
