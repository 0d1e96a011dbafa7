/* Other processes of a test: the same program started again in a role. */
#ifndef FILUM_TEST_PROCESS_H
#define FILUM_TEST_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* s, for a process to end: the leak check of a sanitised build takes its time */
#define EXIT_PATIENCE 60.0

/* Starts `program` with the NULL-terminated arguments (the program's name not included). Fails the test if it cannot.
 */
pid_t process_start(const char* program, const char* const* arguments);

/* Starts this program with `role` as its first argument and up to three more, which may be NULL. */
pid_t process_start_role(const char* role, const char* a, const char* b, const char* c);

/* Waits at most `seconds`, then kills. Returns the exit code, or -1 if it had to be killed or died of a signal. */
int process_wait(pid_t pid, double seconds);

/* Asks a process to end, as Ctrl-C does, and waits for it: its exit code. */
int process_stop(pid_t pid);

/* Ends a process without giving it a say, as a crash would. */
void process_kill(pid_t pid);

/* A test's teardown: ends what it has left running, so that the next one is alone. */
int process_end_all(void** state);

/* The second number of a file of /proc/PID; 0 if there is none. */
double process_number(pid_t process, const char* what);

/* Resident memory, MB; 0 if it is gone. */
double process_memory(pid_t process);
/* How many files it has open. */
int process_files(pid_t process);

double seconds_now(void);
/* Keeps a core busy for a while; 0. */
int process_burn(double seconds);
void sleep_seconds(double seconds);

#endif
