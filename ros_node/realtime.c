#define _GNU_SOURCE /* sched_setaffinity */
#include "realtime.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "messages.h"

/* A number below CPU_SETSIZE at *text, which goes on behind it. */
static bool read_number(const char** text, int* number)
{
    if (!isdigit((unsigned char)**text)) {
        return false;
    }
    char* end;
    const long value = strtol(*text, &end, 10);
    *text = end;
    *number = (int)value;
    return value < CPU_SETSIZE;
}

static bool read_processors(const char* text, cpu_set_t* set)
{
    CPU_ZERO(set);
    for (;; text++) {
        int first, last;
        if (!read_number(&text, &first)) {
            return false;
        }
        last = first;
        if (*text == '-') {
            text++;
            if (!read_number(&text, &last)) {
                return false;
            }
        }
        for (int k = first; k <= last; k++) {
            CPU_SET((size_t)k, set);
        }
        if (*text != ',') {
            return *text == '\0' && last >= first;
        }
    }
}

/* What sched_setaffinity() and sched_setscheduler() do to one thread, to all that there are: DDS has begun before the parameters are known. 0, or
 * errno. */
static int for_threads(int (*change)(pid_t thread, const void* to), const void* to)
{
    DIR* folder = opendir("/proc/self/task");
    if (folder == NULL) {
        return errno;
    }
    int failed = 0;
    for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        // one that has ended meanwhile is none
        if (thread > 0 && change(thread, to) != 0 && errno != ESRCH) {
            failed = errno;
        }
    }
    closedir(folder);
    return failed;
}

static int set_processors(pid_t thread, const void* set)
{
    return sched_setaffinity(thread, sizeof(cpu_set_t), set);
}

static int set_priority(pid_t thread, const void* priority)
{
    return sched_setscheduler(thread, SCHED_FIFO, priority);
}

static bool use_processors(const char* text, char reason[FIL_REASON_TEXT])
{
    cpu_set_t set;
    if (!read_processors(text, &set)) {
        snprintf(reason, FIL_REASON_TEXT, "processors: '%.60s' is no list of numbers as in 0,2-3", text);
        return false;
    }
    const int failed = for_threads(set_processors, &set);
    if (failed != 0) {
        snprintf(reason, FIL_REASON_TEXT, "processors: '%.60s': %s", text, failed == EINVAL ? "none of them is there" : strerror(failed));
    }
    return failed == 0;
}

static void raise_priority(int priority)
{
    const struct sched_param wanted = {.sched_priority = priority};
    const int failed = for_threads(set_priority, &wanted);
    if (failed != 0) {
        RCUTILS_LOG_WARN_NAMED("filum", "realtime_priority: %s; it takes CAP_SYS_NICE or a limit of rtprio (/etc/security/limits.conf)",
                               strerror(errno));
    }
}

/* With a limit, memory that is asked for later would be refused, which is worse than a page fault. */
static bool may_lock(void)
{
    struct rlimit limit;
    return geteuid() == 0 || (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY);
}

static void lock_memory(void)
{
    if (!may_lock()) {
        errno = EPERM;
    } else if (mlockall(MCL_CURRENT | MCL_FUTURE) == 0) {
        // what is freed stays, so that nothing is mapped anew
        mallopt(M_TRIM_THRESHOLD, -1);
        mallopt(M_MMAP_MAX, 0);
        return;
    }
    RCUTILS_LOG_WARN_NAMED("filum", "lock_memory: %s; it takes an unlimited memlock (/etc/security/limits.conf)", strerror(errno));
}

bool fil_realtime_apply(const FilRealtime* realtime, char reason[FIL_REASON_TEXT])
{
    if (realtime->processors[0] != '\0' && !use_processors(realtime->processors, reason)) {
        return false;
    }
    if (realtime->priority > 0) {
        raise_priority(realtime->priority);
    }
    if (realtime->lock_memory) {
        lock_memory();
    }
    return true;
}
