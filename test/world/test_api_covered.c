/* No public function of a world is left out of world.api_misuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text_file.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Every function that these headers declare is called there. */
static void no_function_is_left_out(void** state)
{
    (void)state;
    static const char* const headers[] = {"world", "rod", "rigid", "arm", "ring", "robot", "shell", "gas", "contact", "ray", "urdf", "base"};
    static const char* const files[] = {"world/test_api_misuse.c", "world/misuse_add.inc", "world/misuse_parts.inc", "world/misuse_set.inc",
                                        "support/misuse.c"};
    char path[512], *texts[COUNT(files)];
    int functions = 0;
    for (int f = 0; f < COUNT(files); f++) {
        snprintf(path, sizeof path, "%s/test/%s", FILUM_SOURCE_DIR, files[f]);
        texts[f] = read_whole(path);
    }
    for (int h = 0; h < COUNT(headers); h++) {
        snprintf(path, sizeof path, "%s/sim_core/include/filum/%s.h", FILUM_SOURCE_DIR, headers[h]);
        char* header = read_whole(path);
        for (const char* at = header; (at = strstr(at, "fil_")) != NULL;) {
            char name[80] = "";
            const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789_");
            snprintf(name, sizeof name, "%.*s", (int)length, at);
            bool called = at[length] != '(' || strncmp(at + length, "()", 2) == 0;  // a name in a comment
            for (int f = 0; f < COUNT(files) && !called; f++) {
                called = strstr(texts[f], name) != NULL;
            }
            functions += at[length] == '(';
            if (!called) {
                fail_msg("%s of %s.h is not called", name, headers[h]);
            }
            at += length;
        }
        free(header);
    }
    for (int f = 0; f < COUNT(files); f++) {
        free(texts[f]);
    }
    assert_true(functions > 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_function_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
