/* A folder of one test program for the scenes and meshes that it writes; make_folder and remove_folder belong around the
 * program's tests. */
#ifndef FILUM_TEST_SCENE_FOLDER_H
#define FILUM_TEST_SCENE_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text_file.h"

static char folder[64];

static int make_folder(void** state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/filum_scenes_XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void write_file(const char* name, const char* text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_text(path, text);
}

#endif
