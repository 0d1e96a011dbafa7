/* `filum` whose n-th allocation fails, as the environment says: linked with heap_calls.c, for test_faults.c. Where none
 * is to fail it writes how many there were into the file `heap`. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "command_table.h"
#include "heap_calls.h"

int main(int argc, char** argv)
{
    const char* left = getenv(HEAP_LEFT_VARIABLE);
    const char* once = getenv(HEAP_ONCE_VARIABLE);
    heap_once = once != NULL;
    heap_left = heap_once ? atoi(once) : left != NULL ? atoi(left) : INT_MAX;
    const int exit_code = fil_cli_main(argc, argv);
    const int count = INT_MAX - heap_left;
    heap_left = -1;
    FILE* file = left == NULL && once == NULL ? fopen("heap", "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%d\n", count);
        fclose(file);
    }
    return exit_code;
}
