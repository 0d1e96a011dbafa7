#include "base/bounded_start.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

void fil_bounded_start(char** argv)
{
    static const char name[] = "OPENBLAS_NUM_THREADS";
    struct rlimit limit;
    if (getenv(name) != NULL || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return;
    }
    // by its path, which gives the process its name; where that cannot be found the program goes on as it is
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0 && setenv(name, "1", 1) == 0) {
        path[length] = '\0';
        execv(path, argv);
    }
}
