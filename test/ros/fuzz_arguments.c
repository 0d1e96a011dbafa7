/* libFuzzer harness of what the embedded layer is started with: lines as arguments behind --ros-args, and the same bytes as a file of
 * parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rcl/rcl.h"
#include "rcl_yaml_param_parser/parser.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { MAX_WORDS = 24, MAX_TEXT = 4096 };

static char path[] = "/tmp/fuzz_arguments_XXXXXX";

static void parse_arguments(char* text)
{
    const char* words[MAX_WORDS + 2] = {"node", "--ros-args"};
    int count = 2;
    for (char *rest = text, *word; count < MAX_WORDS && (word = strtok_r(rest, "\n", &rest)) != NULL; count++) {
        // only files of our own
        const bool file = count > 2 && strcmp(words[count - 1], "--params-file") == 0;
        words[count] = file || strncmp(word, "__params:=", 10) == 0 ? path : word;
    }
    rcl_arguments_t arguments = rcl_get_zero_initialized_arguments();
    if (rcl_parse_arguments(count, words, rcl_get_default_allocator(), &arguments) == RCL_RET_OK) {
        if (rcl_arguments_fini(&arguments) != RCL_RET_OK) {
            abort();
        }
    }
    rcl_reset_error();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static int file = -1;
    static char text[MAX_TEXT];
    if (size >= MAX_TEXT) {
        return 0;
    }
    if (file < 0 && (file = mkstemp(path)) < 0) {
        abort();
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) {
        abort();
    }
    rcl_params_t* params = rcl_yaml_node_struct_init(rcl_get_default_allocator());
    (void)rcl_parse_yaml_file(path, params);
    rcl_yaml_node_struct_fini(params);
    rcl_reset_error();
    memcpy(text, data, size);
    text[size] = '\0';
    parse_arguments(text);
    return 0;
}
