#include "process.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PROCESSES = 64 };

static pid_t running[MAX_PROCESSES]; /* 0: none */

/* replaces the first `from` in the list of what is running */
static void note(pid_t from, pid_t to)
{
    for (int i = 0; i < MAX_PROCESSES; i++) {
        if (running[i] == from) {
            running[i] = to;
            return;
        }
    }
}

int process_end_all(void** state)
{
    (void)state;
    for (int i = 0; i < MAX_PROCESSES; i++) {
        if (running[i] != 0) {
            process_kill(running[i]);
        }
    }
    return 0;
}

double process_number(pid_t process, const char* what)
{
    char path[64];
    unsigned long long first = 0;
    unsigned long long second = 0;
    snprintf(path, sizeof path, "/proc/%ld/%s", (long)process, what);
    FILE* file = fopen(path, "r");
    if (file != NULL) {
        if (fscanf(file, "%llu %llu", &first, &second) != 2) {
            second = 0;
        }
        fclose(file);
    }
    return (double)second;
}

double process_memory(pid_t process)
{
    return process_number(process, "statm") * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

int process_files(pid_t process)
{
    char path[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)process);
    DIR* folder = opendir(path);
    while (folder != NULL && readdir(folder) != NULL) {
        count++;
    }
    if (folder != NULL) {
        closedir(folder);
    }
    return count > 2 ? count - 2 : 0;  // without . and ..
}

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void sleep_seconds(double seconds)
{
    const struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&pause, NULL);
}

pid_t process_start(const char* program, const char* const* arguments)
{
    enum { MAX_ARGUMENTS = 64 };
    char* argv[MAX_ARGUMENTS + 2] = {(char*)(size_t)program};
    for (int i = 0; i < MAX_ARGUMENTS && arguments[i] != NULL; i++) {
        argv[i + 1] = (char*)(size_t)arguments[i];
    }
    const pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // no process outlives its test
        execv(program, argv);
        _exit(127);
    }
    if (pid < 0) {
        abort();
    }
    note(0, pid);
    return pid;
}

pid_t process_start_role(const char* role, const char* a, const char* b, const char* c)
{
    const char* const arguments[] = {role, a, b, c, NULL};
    return process_start("/proc/self/exe", arguments);
}

int process_wait(pid_t pid, double seconds)
{
    const double limit = seconds_now() + seconds;
    int status;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (seconds_now() > limit) {
            process_kill(pid);
            return -1;
        }
        sleep_seconds(0.01);
    }
    note(pid, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int process_stop(pid_t pid)
{
    kill(pid, SIGINT);
    return process_wait(pid, EXIT_PATIENCE);
}

void process_kill(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    note(pid, 0);
}

int process_burn(double seconds)
{
    for (const double limit = seconds_now() + seconds; seconds_now() < limit;) {
    }
    return 0;
}
