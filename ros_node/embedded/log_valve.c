#include "log_valve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dds/ddsrt/log.h"

/* Of what the layer below says. It bounds what peers that send garbage can write to a disk, to some kB a second, and a person reads no faster. */
enum { LINES_PER_SECOND = 10 };

struct FilLogValve {
    time_t second;
    int lines;         /* in this second */
    uint64_t left_out; /* lines, not reported yet */
};

/* Cyclone calls one at a time. */
static void write_line(void* context, const dds_log_data_t* data)
{
    FilLogValve* valve = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec != valve->second) {
        if (valve->left_out > 0) {
            fprintf(stderr, "dds: %" PRIu64 " lines left out\n", valve->left_out);
        }
        valve->second = now.tv_sec;
        valve->lines = 0;
        valve->left_out = 0;
    }
    if (valve->lines++ < LINES_PER_SECOND) {
        fwrite(data->message - data->hdrsize, 1, data->hdrsize + data->size, stderr);
        fputc('\n', stderr);
    } else {
        valve->left_out++;
    }
}

FilLogValve* fil_log_valve_open(void)
{
    FilLogValve* valve = calloc(1, sizeof *valve);
    if (valve != NULL) {
        dds_set_log_sink(write_line, valve);
    }
    return valve;
}

void fil_log_valve_close(FilLogValve* valve)
{
    if (valve != NULL) {
        dds_set_log_sink(NULL, NULL);
        free(valve);
    }
}
