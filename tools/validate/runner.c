/* Owns how checks are run: here or in child processes, which send what they measured through a pipe. */
#include "validate/runner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/memory.h"
#include "bench.h"
#include "cli.h"

enum { POLL_MS = 100 }; /* as often as progress is drawn; also the longest that a stop waits */

/* What a child sends: this, then its rows and its text. Both ends are one program, so structs go as they are. */
typedef struct Message {
    double wall;      /* s */
    int count;        /* rows that follow */
    size_t text_size; /* bytes of text that follow them */
    char failure[sizeof((FilCheck*)0)->failure];
} Message;

typedef struct Child {
    pid_t pid;    /* 0: none */
    int in;       /* the pipe's end to read from */
    int index;    /* in the table */
    double start; /* s */
    char* bytes;  /* received so far */
    size_t size;
    bool broken; /* out of memory while receiving */
} Child;

typedef struct Runner {
    const FilCheckRunDef* def;
    FilCheckOutcome* outcomes;
    FilProgress progress;
    Child* children; /* def->jobs of them */
    struct pollfd* polls;
    int* order; /* in which checks begin */
    int total;  /* checks to run */
    int begun, finished;
    int next; /* index of the table from which on nothing is reported yet */
} Runner;

static double cpu_seconds(const struct rusage* usage)
{
    return (double)usage->ru_utime.tv_sec + 1e-6 * (double)usage->ru_utime.tv_usec + (double)usage->ru_stime.tv_sec +
           1e-6 * (double)usage->ru_stime.tv_usec;
}

static double cpu_time(int whose)
{
    struct rusage usage;
    return getrusage(whose, &usage) == 0 ? cpu_seconds(&usage) : 0.0;
}

static void run_check(const FilCheckRunDef* def, int index, FilCheckOutcome* outcome)
{
    if (def->folder != NULL) {
        snprintf(outcome->check.folder, sizeof outcome->check.folder, "%s", def->folder);
    }
    const double start = fil_bench_clock().wall, cpu = cpu_time(RUSAGE_SELF);
    def->table[index].run(&outcome->check);
    outcome->wall = fil_bench_clock().wall - start;
    outcome->cpu = cpu_time(RUSAGE_SELF) - cpu;
}

/* Reports what can be reported in the order of the table; at the end, all that has finished. */
static void report(Runner* runner, bool at_end)
{
    const FilCheckRunDef* def = runner->def;
    for (; runner->next < def->count; runner->next++) {
        const FilCheckOutcome* outcome = &runner->outcomes[runner->next];
        if (outcome->finished) {
            fil_progress_clear(&runner->progress);
            def->report(def->context, &def->table[runner->next], outcome);
        } else if (def->picked[runner->next] && !at_end) {
            return;
        }
    }
}

static void finish(Runner* runner, int index)
{
    runner->outcomes[index].finished = true;
    runner->finished++;
    report(runner, false);
    if (runner->def->finished != NULL) {
        runner->def->finished(runner->def->context);
    }
}

/* ---- the child ---- */

static bool send_bytes(int out, const void* bytes, size_t size)
{
    for (size_t sent = 0; sent < size;) {
        const ssize_t n = write(out, (const char*)bytes + sent, size - sent);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        sent += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static _Noreturn void serve(const FilCheckRunDef* def, int index, int out)
{
    // the parent decides what a stop means; a child just ends, and ends with its parent
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    FilCheckOutcome outcome = {0};
    run_check(def, index, &outcome);
    Message message = {.wall = outcome.wall, .count = outcome.check.count, .text_size = outcome.check.text_size};
    memcpy(message.failure, outcome.check.failure, sizeof message.failure);
    const bool sent = send_bytes(out, &message, sizeof message) &&
                      send_bytes(out, outcome.check.rows, (size_t)message.count * sizeof *outcome.check.rows) &&
                      send_bytes(out, outcome.check.text, message.text_size);
    // what the parent has buffered or registered to be done at exit is not the child's
    _exit(sent ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* ---- the parent ---- */

static void begin(Runner* runner, Child* child, int index)
{
    FilCheckOutcome* outcome = &runner->outcomes[index];
    int ends[2];
    if (pipe(ends) != 0) {
        fil_check_fail(&outcome->check, "cannot open a pipe: %s", strerror(errno));
        finish(runner, index);
        return;
    }
    fflush(stdout);
    fflush(stderr);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        serve(runner->def, index, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        fil_check_fail(&outcome->check, "cannot start a process: %s", strerror(errno));
        finish(runner, index);
        return;
    }
    *child = (Child){.pid = pid, .in = ends[0], .index = index, .start = fil_bench_clock().wall};
}

/* Whether all of what a child has to send is there; then it becomes the outcome. */
static bool take_result(const Child* child, FilCheckOutcome* outcome)
{
    Message message;
    if (child->broken || child->size < sizeof message) {
        return false;
    }
    memcpy(&message, child->bytes, sizeof message);
    const size_t rest = child->size - sizeof message;
    const size_t rows = message.count < 0 ? 0 : (size_t)message.count * sizeof(FilCheckRow);
    if (message.count < 0 || rest != rows + message.text_size) {
        return false;
    }
    if (message.count > 0) {
        outcome->check.rows = fil_alloc((size_t)message.count, sizeof(FilCheckRow));
        if (outcome->check.rows == NULL) {
            return false;
        }
        memcpy(outcome->check.rows, child->bytes + sizeof message, rows);
    }
    if (message.text_size > 0) {
        outcome->check.text = fil_alloc(message.text_size + 1, 1);
        if (outcome->check.text == NULL) {
            return false;
        }
        memcpy(outcome->check.text, child->bytes + sizeof message + rows, message.text_size);
    }
    outcome->check.text_size = message.text_size;
    outcome->check.count = message.count;
    outcome->wall = message.wall;
    memcpy(outcome->check.failure, message.failure, sizeof outcome->check.failure);
    return true;
}

/* A child has closed its pipe: it has ended, or is about to. */
static void end(Runner* runner, Child* child)
{
    FilCheckOutcome* outcome = &runner->outcomes[child->index];
    const int index = child->index;
    int status = 0;
    // children are waited for one at a time, so the difference is this one's
    const double before = cpu_time(RUSAGE_CHILDREN);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(child->in);
    outcome->wall = fil_bench_clock().wall - child->start;
    outcome->cpu = cpu_time(RUSAGE_CHILDREN) - before;
    const bool complete = take_result(child, outcome);
    if (!complete && WIFSIGNALED(status)) {
        fil_check_fail(&outcome->check, "its process was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    } else if (!complete) {
        fil_check_fail(&outcome->check, "its process ended with exit code %d and sent no result", WEXITSTATUS(status));
    }
    fil_free(child->bytes);
    *child = (Child){0};
    // Ctrl-C reaches children too: that is no failure of theirs
    if (complete || !fil_stop_requested()) {
        finish(runner, index);
    }
}

static void receive(Runner* runner, Child* child)
{
    char bytes[4096];
    const ssize_t n = read(child->in, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) {
        return;
    }
    if (n <= 0) {
        end(runner, child);
        return;
    }
    void* block = child->bytes;
    if (child->broken || !fil_grow(&block, child->size, child->size + (size_t)n, 1)) {
        child->broken = true;  // read on, so that the child can end
        return;
    }
    child->bytes = block;
    memcpy(child->bytes + child->size, bytes, (size_t)n);
    child->size += (size_t)n;
}

static void draw_progress(Runner* runner)
{
    enum { NAMED = 2 }; /* as many as a line of a terminal holds */
    const FilCheckRunDef* def = runner->def;
    const double now = fil_bench_clock().wall;
    char text[256] = "";
    size_t used = 0;
    int running = 0;
    for (int k = 0; k < def->jobs; k++) {
        const Child* child = &runner->children[k];
        if (child->pid != 0 && running++ < NAMED && used < sizeof text) {
            const FilCheckCase* check = &def->table[child->index];
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s.%s %.0f s", running > 1 ? ", " : "", check->group, check->name,
                                     now - child->start);
        }
    }
    if (running > NAMED && used < sizeof text) {
        snprintf(text + used, sizeof text - used, " and %d more", running - NAMED);
    }
    fil_progress_update(&runner->progress, (double)runner->finished / runner->total, "%d of %d, %s", runner->finished, runner->total, text);
}

/* Slow checks first, the slowest foremost: begun last, one of them would run on alone. */
static void sort(Runner* runner)
{
    const FilCheckRunDef* def = runner->def;
    int count = 0;
    for (int i = 0; i < def->count; i++) {
        if (def->picked[i]) {
            int k = count++;
            for (; k > 0 && def->table[runner->order[k - 1]].slow < def->table[i].slow; k--) {
                runner->order[k] = runner->order[k - 1];
            }
            runner->order[k] = i;
        }
    }
}

/* Waits for what children send; false if there are none. */
static bool look(Runner* runner)
{
    const int jobs = runner->def->jobs;
    int running = 0;
    for (int k = 0; k < jobs; k++) {
        const bool runs = runner->children[k].pid != 0;
        runner->polls[k] = (struct pollfd){.fd = runs ? runner->children[k].in : -1, .events = POLLIN};
        running += runs;
    }
    if (running == 0) {
        return false;
    }
    if (poll(runner->polls, (nfds_t)jobs, POLL_MS) > 0) {
        for (int k = 0; k < jobs; k++) {
            if (runner->polls[k].fd >= 0 && runner->polls[k].revents != 0) {
                receive(runner, &runner->children[k]);
            }
        }
    }
    return true;
}

static void run_in_children(Runner* runner)
{
    const int jobs = runner->def->jobs;
    sort(runner);
    for (bool running = true; (running || runner->begun < runner->total) && !fil_stop_requested();) {
        for (int k = 0; k < jobs; k++) {
            if (runner->children[k].pid == 0 && runner->begun < runner->total) {
                begin(runner, &runner->children[k], runner->order[runner->begun++]);
            }
        }
        draw_progress(runner);
        running = look(runner);
    }
    // stopped: nothing is left running
    for (int k = 0; k < jobs; k++) {
        if (runner->children[k].pid != 0) {
            kill(runner->children[k].pid, SIGKILL);
            end(runner, &runner->children[k]);
        }
    }
}

static void run_here(Runner* runner)
{
    const FilCheckRunDef* def = runner->def;
    for (int i = 0; i < def->count && !fil_stop_requested(); i++) {
        if (def->picked[i]) {
            fil_progress_update(&runner->progress, (double)runner->finished / runner->total, "%s.%s", def->table[i].group, def->table[i].name);
            run_check(def, i, &runner->outcomes[i]);
            finish(runner, i);
        }
    }
}

int fil_checks_run(const FilCheckRunDef* def, FilCheckOutcome* outcomes)
{
    Runner runner = {.def = def, .outcomes = outcomes, .progress = fil_progress_start(false)};
    for (int i = 0; i < def->count; i++) {
        runner.total += def->picked[i];
    }
    if (def->jobs == 0) {
        run_here(&runner);
        return runner.finished;
    }
    runner.children = fil_alloc((size_t)def->jobs, sizeof *runner.children);
    runner.polls = fil_alloc((size_t)def->jobs, sizeof *runner.polls);
    runner.order = fil_alloc((size_t)def->count, sizeof *runner.order);
    if (runner.children != NULL && runner.polls != NULL && runner.order != NULL) {
        run_in_children(&runner);
        fil_progress_clear(&runner.progress);
        report(&runner, true);
    } else {
        fil_cli_fail("validate", FIL_EXIT_FAILED, "out of memory");
    }
    fil_free(runner.children);
    fil_free(runner.polls);
    fil_free(runner.order);
    return runner.finished;
}
