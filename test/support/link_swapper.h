/* Links that change while a path is followed: a thread that exchanges two names for as long as it runs. */
#ifndef FILUM_TEST_LINK_SWAPPER_H
#define FILUM_TEST_LINK_SWAPPER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct LinkSwapper {
    char names[2][128];
    atomic_bool enough;
    bool failed; /* the file system cannot exchange */
    pthread_t thread;
} LinkSwapper;

/* Exchanges folder/a and folder/b again and again; false: there is no thread. */
bool link_swapper_start(LinkSwapper* swapper, const char* folder, const char* a, const char* b);
/* Ends it; false: the file system cannot exchange names. */
bool link_swapper_stop(LinkSwapper* swapper);

#endif
