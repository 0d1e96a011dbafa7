/* Owns what ties the commands to their process: signals that ask to stop, and the progress bar. */
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#include "bench.h"
#include "cli.h"

// a signal handler can reach nothing but a static flag
static volatile sig_atomic_t stop_requested = 0;

static void request_stop(int signal_number)
{
    (void)signal_number;
    stop_requested = 1;
}

void fil_stop_on_signals(void)
{
    // a second signal ends the process at once
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool fil_stop_requested(void)
{
    return stop_requested != 0;
}

bool fil_stop_asked(void* context)
{
    (void)context;
    return fil_stop_requested();
}

FilProgress fil_progress_start(bool quiet)
{
    const double now = fil_bench_clock().wall;
    return (FilProgress){.shown = !quiet && isatty(STDERR_FILENO), .start = now, .last = now};
}

void fil_progress_update(FilProgress* progress, double fraction, const char* format, ...)
{
    // characters of the bar: with its numbers and texts it fits into 80
    enum { WIDTH = 30 };
    const double now = fil_bench_clock().wall;
    // ten times a second, and nothing in the first half second
    if (!progress->shown || now - progress->start < 0.5 || now - progress->last < 0.1) {
        return;
    }
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; ++i) {
        bar[i] = i < (int)(fraction * WIDTH) ? '#' : '.';
    }
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r\033[K[%s] %3.0f %%  ", bar, 100.0 * fraction);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    const double left = fraction > 0.0 ? (now - progress->start) * (1.0 - fraction) / fraction : 0.0;
    if (left >= 1.0) {
        // in minutes from one and a half on, which is where rounding to whole ones is off by a third at most
        fprintf(stderr, left < 90.0 ? ", %.0f s left" : ", %.0f min left", left < 90.0 ? left : left / 60.0);
    }
    fflush(stderr);
    progress->last = now;
    progress->drawn = true;
}

void fil_progress_clear(FilProgress* progress)
{
    if (progress->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        progress->drawn = false;
    }
}
