#define _GNU_SOURCE /* syscall */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "heap_calls.h"

const char* const fault_names[FAULT_KINDS] = {"heap", "write", "sync", "rename", "socket"};

enum { MAX_CALLS = 16, END = -1 };

/* the system calls of each kind; arm64 lacks the oldest ones */
static const struct {
    int calls[MAX_CALLS];
    int once, lasting; /* errors */
} kinds[FAULT_KINDS] = {
    [FAULT_HEAP] = {{END}, 0, 0},
    [FAULT_WRITE] = {{SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_ftruncate, SYS_fallocate, END}, EIO, ENOSPC},
    [FAULT_SYNC] = {{SYS_fsync, SYS_fdatasync, END}, EIO, EIO},
    [FAULT_RENAME] = {{
#ifdef SYS_rename
                          SYS_rename,
#endif
                          SYS_renameat, SYS_renameat2, END},
                      EIO,
                      EACCES},
    [FAULT_SOCKET] = {{SYS_socket, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_connect, SYS_setsockopt, SYS_sendto, SYS_sendmsg, SYS_recvfrom,
                       SYS_recvmsg, END},
                      ENOBUFS,
                      ENOBUFS},
};

typedef struct Child {
    char* const* argv;
    const char* folder;
    Fault fault;
    atomic_int listener; /* END until there is one; -2: there is none */
    atomic_int pid;
    atomic_bool over;
    int status;
} Child;

enum { NO_LISTENER = -2 };

/* The filter of the calling thread and its children; the descriptor on which their calls are announced, or -1. */
static int listen_to(FaultKind kind)
{
    struct sock_filter filter[MAX_CALLS + 6];
    unsigned short n = 0;
    int count = 0;
    while (kinds[kind].calls[count] != END) {
        count++;
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count; i++) {
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)kinds[kind].calls[i], (unsigned char)(count - i), 0);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    if (kind == FAULT_WRITE) {  // what is said of an error is to be read
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]));
        filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, STDERR_FILENO, 0, 1);
        filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {n, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return -1;
    }
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

static void become(const Child* child)
{
    char text[32];
    if (chdir(child->folder) != 0 || freopen("errors", "w", stderr) == NULL || freopen("output", "w", stdout) == NULL) {
        _exit(126);
    }
    if (child->fault.kind == FAULT_HEAP && child->fault.number > 0) {
        snprintf(text, sizeof text, "%ld", child->fault.number);
        setenv(child->fault.lasting ? HEAP_LEFT_VARIABLE : HEAP_ONCE_VARIABLE, text, 1);
    }
    execv(child->argv[0], child->argv);
    _exit(127);
}

/* A thread of its own has the filter, which the child inherits; the thread that decides has none. */
static void* start_child(void* context)
{
    Child* child = context;
    if (child->fault.kind != FAULT_HEAP) {
        const int listener = listen_to(child->fault.kind);
        child->listener = listener < 0 ? NO_LISTENER : listener;
    } else {
        child->listener = NO_LISTENER;
    }
    const pid_t pid = fork();
    if (pid == 0) {
        become(child);
    }
    child->pid = pid;
    while (waitpid(pid, &child->status, 0) < 0 && errno == EINTR) {
    }
    child->over = true;
    return NULL;
}

static void answer(int listener, Fault fault, long* calls)
{
    struct seccomp_notif call;
    struct seccomp_notif_resp reply;
    memset(&call, 0, sizeof call);
    memset(&reply, 0, sizeof reply);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) {
        return;  // the caller is gone
    }
    ++*calls;
    reply.id = call.id;
    if (fault.number > 0 && (*calls == fault.number || (fault.lasting && *calls > fault.number))) {
        reply.error = -(fault.lasting ? kinds[fault.kind].lasting : kinds[fault.kind].once);
    } else {
        reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    }
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

FaultRun faults_run(char* const argv[], const char* folder, Fault fault, int seconds)
{
    Child child = {.argv = argv, .folder = folder, .fault = fault, .listener = END};
    FaultRun run = {.exit_code = 126};
    pthread_t thread;
    fflush(NULL);
    if (pthread_create(&thread, NULL, start_child, &child) != 0) {
        return run;
    }
    const time_t deadline = time(NULL) + seconds;
    while (!child.over) {
        struct pollfd event = {.fd = child.listener, .events = POLLIN};
        if (poll(&event, 1, event.fd < 0 ? 1 : 10) > 0 && (event.revents & POLLIN) != 0) {
            answer(event.fd, fault, &run.calls);
        }
        if (!run.hung && child.pid > 0 && time(NULL) > deadline) {
            run.hung = true;
            kill(child.pid, SIGKILL);
        }
    }
    pthread_join(thread, NULL);
    if (child.listener >= 0) {
        close(child.listener);
    }
    run.exit_code = WIFEXITED(child.status) ? WEXITSTATUS(child.status) : -WTERMSIG(child.status);
    return run;
}

static void* try_filter(void* possible)
{
    const int listener = listen_to(FAULT_SYNC);
    *(bool*)possible = listener >= 0;
    if (listener >= 0) {
        close(listener);
    }
    return NULL;
}

bool faults_possible(void)
{
    bool possible = false;
    pthread_t thread;  // a filter stays for as long as its thread
    if (pthread_create(&thread, NULL, try_filter, &possible) == 0) {
        pthread_join(thread, NULL);
    }
    return possible;
}
