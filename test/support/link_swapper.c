#define _GNU_SOURCE /* renameat2 */
#include "link_swapper.h"

#include <fcntl.h>
#include <stdio.h>

static void* swap(void* argument)
{
    LinkSwapper* swapper = argument;
    while (!atomic_load(&swapper->enough) && !swapper->failed) {
        swapper->failed = renameat2(AT_FDCWD, swapper->names[0], AT_FDCWD, swapper->names[1], RENAME_EXCHANGE) != 0;
    }
    return NULL;
}

bool link_swapper_start(LinkSwapper* swapper, const char* folder, const char* a, const char* b)
{
    snprintf(swapper->names[0], sizeof swapper->names[0], "%s/%s", folder, a);
    snprintf(swapper->names[1], sizeof swapper->names[1], "%s/%s", folder, b);
    atomic_init(&swapper->enough, false);
    swapper->failed = false;
    return pthread_create(&swapper->thread, NULL, swap, swapper) == 0;
}

bool link_swapper_stop(LinkSwapper* swapper)
{
    atomic_store(&swapper->enough, true);
    return pthread_join(swapper->thread, NULL) == 0 && !swapper->failed;
}
