#include "view/page_path.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_page(const char* folder)
{
    char file[PATH_MAX];
    struct stat status;
    const int length = snprintf(file, sizeof file, "%s/index.html", folder);
    return length > 0 && (size_t)length < sizeof file && stat(file, &status) == 0 && S_ISREG(status.st_mode);
}

bool fil_page_path(char* path, size_t size, FilError* error)
{
    char program[PATH_MAX] = "";
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = '\0';
        *strrchr(program, '/') = '\0';
        const int written = snprintf(path, size, "%s/../share/filum/page", program);
        if (written > 0 && (size_t)written < size && has_page(path)) {
            return true;
        }
    }
    snprintf(path, size, "%s", FILUM_PAGE_DIR);
    if (!has_page(path)) {
        snprintf(error->text, sizeof error->text, "the page's files are neither beside the program nor in %.200s", FILUM_PAGE_DIR);
        return false;
    }
    return true;
}
