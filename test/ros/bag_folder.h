/* A folder for the bags of a test, and `filum` run in it. */
#ifndef FILUM_TEST_BAG_FOLDER_H
#define FILUM_TEST_BAG_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct BagFolder {
    char path[64];
    char output[16384]; /* of the last command, both streams */
} BagFolder;

static inline int bag_folder_make(BagFolder* folder)
{
    strcpy(folder->path, "/tmp/filum_bags_XXXXXX");
    return mkdtemp(folder->path) == NULL || chdir(folder->path) != 0;
}

static inline int bag_folder_remove(const BagFolder* folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder->path);
    return chdir("/tmp") != 0 || system(command) != 0;
}

/* Runs `filum ARGUMENTS`; returns the exit code. */
static inline int bag_folder_run(BagFolder* folder, const char* arguments)
{
    char command[1024];
    // the search for leaks takes seconds in each process of a build with sanitizers
    snprintf(command, sizeof command, "ASAN_OPTIONS=detect_leaks=0 '" FILUM_CLI "' %s 2>&1", arguments);
    FILE* pipe = popen(command, "r");
    if (pipe == NULL) {
        return -1;
    }
    folder->output[fread(folder->output, 1, sizeof folder->output - 1, pipe)] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

/* How many messages of a topic `filum bag info` has just printed; -1: the topic is not there. */
static inline long bag_folder_count(const BagFolder* folder, const char* topic)
{
    char wanted[256];
    snprintf(wanted, sizeof wanted, "\n  %s ", topic);
    const char* line = strstr(folder->output, wanted);
    return line != NULL ? strtol(line + strlen(wanted), NULL, 10) : -1;
}

#endif
