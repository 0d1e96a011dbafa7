/* Writes pages for `man` from the texts that programs show as their help. */
#ifndef FILUM_BASE_ROFF_H
#define FILUM_BASE_ROFF_H

#include <stdio.h>

/* The head of a page of section 1: what it is of, and what that is in a line. */
void fil_roff_open(FILE* out, const char* program, const char* summary);

/* A heading of the page, or of a part of it. */
void fil_roff_heading(FILE* out, const char* text);
void fil_roff_part(FILE* out, const char* text);

/* Lines of text are filled; those that begin with a space stay as they are. An empty line begins a paragraph. */
void fil_roff_text(FILE* out, const char* text);

/* What is said about a term; `argument` follows it in italics, or is NULL. */
void fil_roff_term(FILE* out, const char* term, const char* argument, const char* text);

#endif
