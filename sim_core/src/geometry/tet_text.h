/* Words of a mesh file in text, one after the other, with the line that they are on. */
#ifndef FILUM_GEOMETRY_TET_TEXT_H
#define FILUM_GEOMETRY_TET_TEXT_H

#include "geometry/tet_mesh.h"

enum { FIL_TET_WORD = 64 }; /* bytes of a word, with its end */

typedef struct FilTetText {
    const char* name;
    const char *at, *end;
    int line;      /* of the last word */
    int next_line; /* of `at` */
    double scale;  /* of coordinates */
    FilTetBuilder builder;
    FilError* error;
} FilTetText;

/* Begins; FIL_BAD_INPUT for an empty or huge file or a bad scale. */
FIL_MUST_CHECK FilStatus fil_tet_text_begin(FilTetText* text, const char* name, const void* bytes, size_t size, double scale, FilError* error);

/* The next word, cut off at its size; false at the end. */
bool fil_tet_text_word(FilTetText* text, char* word);

/* The rest of the present line, from `at` on, without its end; false at the end of the text. Longer ones are cut off.
 */
bool fil_tet_text_line(FilTetText* text, char* line, size_t size);

/* "name:line: what", FIL_BAD_INPUT */
FilStatus fil_tet_text_fail(const FilTetText* text, const char* what);

/* The next word as a number; `what` says what it is in a message. Whole numbers are within 0 and `max`. */
FIL_MUST_CHECK FilStatus fil_tet_text_whole(FilTetText* text, const char* what, long long max, long long* out);
FIL_MUST_CHECK FilStatus fil_tet_text_number(FilTetText* text, const char* what, double* out);

/* Three coordinates, scaled, appended as a vertex. */
FIL_MUST_CHECK FilStatus fil_tet_text_vertex(FilTetText* text);

/* Appends an element of the present line. */
FIL_MUST_CHECK FilStatus fil_tet_text_tet(FilTetText* text, const int* corners, int line);

/* Ends: the builder's mesh if `status` is FIL_OK. */
FIL_MUST_CHECK FilStatus fil_tet_text_end(FilTetText* text, FilStatus status, FilTetMesh* mesh);

#endif
