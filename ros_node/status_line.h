/* One line about the running node for whoever watches its terminal. */
#ifndef FILUM_NODE_STATUS_LINE_H
#define FILUM_NODE_STATUS_LINE_H

#include "publishers.h"

typedef struct FilStatusLine {
    bool shown;
    bool terminal; /* redrawn in place several times a second; else a line now and then */
    double next;   /* wall time, s */
} FilStatusLine;

FilStatusLine fil_status_line_start(bool shown);
void fil_status_line_update(FilStatusLine* line, const FilSimulation* simulation, const FilPublishers* publishers, double now);
void fil_status_line_end(const FilStatusLine* line);

#endif
