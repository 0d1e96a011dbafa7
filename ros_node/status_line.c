#include "status_line.h"

#include <stdio.h>
#include <unistd.h>

#define REDRAW 0.2 /* s, on a terminal */
#define REPEAT 5.0 /* s, elsewhere */

FilStatusLine fil_status_line_start(bool shown)
{
    return (FilStatusLine){.shown = shown, .terminal = isatty(STDERR_FILENO) != 0};
}

void fil_status_line_update(FilStatusLine* line, const FilSimulation* simulation, const FilPublishers* publishers, double now)
{
    if (!line->shown || now < line->next || simulation->world == NULL) {
        return;
    }
    line->next = now + (line->terminal ? REDRAW : REPEAT);
    fprintf(stderr, "%s%s  time %.2f s  %.2f x real time  %d contacts  %zu subscriptions%s%s", line->terminal ? "\r\033[K" : "",
            simulation->scene.name, fil_world_time(simulation->world), simulation->paused ? 0.0 : simulation->real_time_rate,
            simulation->last_step.contacts, fil_publishers_listeners(publishers), simulation->paused ? "  paused" : "", line->terminal ? "" : "\n");
    fflush(stderr);
}

void fil_status_line_end(const FilStatusLine* line)
{
    if (line->shown && line->terminal) {
        fputc('\n', stderr);
    }
}
