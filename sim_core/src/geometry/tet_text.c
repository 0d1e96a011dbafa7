#include "geometry/tet_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "geometry/tet_file.h"

FilStatus fil_tet_text_begin(FilTetText* text, const char* name, const void* bytes, size_t size, double scale, FilError* error)
{
    *text = (FilTetText){.name = name, .at = bytes, .next_line = 1, .scale = scale, .error = error};
    text->end = text->at + size;
    if (!isfinite(scale) || scale <= 0.0) {
        return fil_error(error, FIL_BAD_INPUT, "%s: the scale %g is not a positive number", name, scale);
    }
    if (size == 0) {
        return fil_error(error, FIL_BAD_INPUT, "%s: the file is empty", name);
    }
    if (size > FIL_TET_MAX_BYTES) {
        return fil_error(error, FIL_BAD_INPUT, "%s: the file has %zu bytes, more than the %zu allowed", name, size, FIL_TET_MAX_BYTES);
    }
    return FIL_OK;
}

bool fil_tet_text_word(FilTetText* text, char* word)
{
    while (text->at < text->end && isspace((unsigned char)*text->at)) {
        text->next_line += *text->at == '\n' ? 1 : 0;
        text->at++;
    }
    text->line = text->next_line;
    size_t length = 0;
    while (text->at < text->end && !isspace((unsigned char)*text->at)) {
        if (length < FIL_TET_WORD - 1) {
            word[length++] = *text->at;
        }
        text->at++;
    }
    word[length] = '\0';
    return length > 0;
}

bool fil_tet_text_line(FilTetText* text, char* line, size_t size)
{
    if (text->at >= text->end) {
        return false;
    }
    size_t length = 0;
    text->line = text->next_line;
    while (text->at < text->end && *text->at != '\n') {
        if (length < size - 1 && *text->at != '\r') {
            line[length++] = *text->at;
        }
        text->at++;
    }
    if (text->at < text->end) {
        text->at++;
        text->next_line++;
    }
    line[length] = '\0';
    return true;
}

FilStatus fil_tet_text_fail(const FilTetText* text, const char* what)
{
    return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: %s", text->name, text->line, what);
}

FilStatus fil_tet_text_whole(FilTetText* text, const char* what, long long max, long long* out)
{
    char word[FIL_TET_WORD], *end;
    if (!fil_tet_text_word(text, word)) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: the file ends where %s should be", text->name, text->line, what);
    }
    errno = 0;
    const long long value = strtoll(word, &end, 10);
    if (errno != 0 || *end != '\0' || value < 0 || value > max) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: \"%s\" is not %s: a whole number from 0 to %lld", text->name, text->line, word, what,
                         max);
    }
    *out = value;
    return FIL_OK;
}

FilStatus fil_tet_text_number(FilTetText* text, const char* what, double* out)
{
    char word[FIL_TET_WORD], *end;
    if (!fil_tet_text_word(text, word)) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: the file ends where %s should be", text->name, text->line, what);
    }
    *out = strtod(word, &end);
    if (*end != '\0' || !isfinite(*out)) {
        return fil_error(text->error, FIL_BAD_INPUT, "%s:%d: \"%s\" is not %s: a finite number", text->name, text->line, word, what);
    }
    return FIL_OK;
}

FilStatus fil_tet_text_vertex(FilTetText* text)
{
    double p[3];
    for (int k = 0; k < 3; k++) {
        const FilStatus status = fil_tet_text_number(text, "a coordinate", &p[k]);
        if (status != FIL_OK) {
            return status;
        }
        p[k] *= text->scale;
    }
    return fil_tet_builder_add_vertex(&text->builder, p)
               ? FIL_OK
               : fil_error(text->error, FIL_OUT_OF_MEMORY, "%s:%d: no room for its vertices", text->name, text->line);
}

FilStatus fil_tet_text_tet(FilTetText* text, const int* corners, int line)
{
    return fil_tet_builder_add_tet(&text->builder, corners, line)
               ? FIL_OK
               : fil_error(text->error, FIL_OUT_OF_MEMORY, "%s:%d: no room for its elements", text->name, line);
}

FilStatus fil_tet_text_end(FilTetText* text, FilStatus status, FilTetMesh* mesh)
{
    *mesh = (FilTetMesh){0};
    if (status == FIL_OK) {
        status = fil_tet_builder_finish(&text->builder, text->name, mesh, text->error);
    }
    fil_tet_builder_free(&text->builder);
    return status;
}
