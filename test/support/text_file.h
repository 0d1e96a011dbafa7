/* Small files of tests, written and read whole. Whatever fails, fails the test. */
#ifndef FILUM_TEST_TEXT_FILE_H
#define FILUM_TEST_TEXT_FILE_H

#include <stddef.h>

void write_text(const char* path, const char* text);
void read_text(const char* path, char* text, size_t size); /* as much as there is room for, ended by a zero */
char* read_whole(const char* path);                        /* the caller frees it */

int count_text(const char* text, const char* what); /* how often it is in there */

#endif
