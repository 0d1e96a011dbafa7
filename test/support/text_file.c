#include "text_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static FILE* open_file(const char* path, const char* mode)
{
    FILE* file = fopen(path, mode);
    if (file == NULL) {
        fail_msg("cannot open %s", path);
    }
    return file;
}

void write_text(const char* path, const char* text)
{
    FILE* file = open_file(path, "wb");
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

void read_text(const char* path, char* text, size_t size)
{
    FILE* file = open_file(path, "rb");
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

char* read_whole(const char* path)
{
    FILE* file = open_file(path, "rb");
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char* text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

int count_text(const char* text, const char* what)
{
    int found = 0;
    for (const char* at = strstr(text, what); at != NULL; at = strstr(at + 1, what)) {
        ++found;
    }
    return found;
}
