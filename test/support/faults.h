/* Programs whose n-th call of a kind fails: memory, writes, syncs, renames, sockets. The kernel refuses system calls (seccomp's user
 * notification), so that those of libraries count too; allocations are those of Filum's own code, in a program that is linked
 * with heap_calls.c. */
#ifndef FILUM_TEST_FAULTS_H
#define FILUM_TEST_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum FaultKind { FAULT_HEAP, FAULT_WRITE, FAULT_SYNC, FAULT_RENAME, FAULT_SOCKET, FAULT_KINDS } FaultKind;

extern const char* const fault_names[FAULT_KINDS];

typedef struct Fault {
    FaultKind kind;
    long number;  /* from 1; 0: none fails, all are counted */
    bool lasting; /* all calls of the kind after it fail too */
} Fault;

typedef struct FaultRun {
    int exit_code; /* negative: the signal that ended it */
    bool hung;     /* and was killed */
    long calls;    /* of the kind, unless memory ran out */
} FaultRun;

/* Whether this machine lets a program's system calls be refused. */
bool faults_possible(void);

/* Runs a program in `folder`, with its standard output and errors in the files `output` and `errors` there. Writes to standard errors
 * never fail. */
FaultRun faults_run(char* const argv[], const char* folder, Fault fault, int seconds);

#endif
