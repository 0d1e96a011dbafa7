/* Numbers as people write them. */
#ifndef FILUM_BASE_NUMBER_H
#define FILUM_BASE_NUMBER_H

enum { FIL_NUMBER_TEXT = 32 };

/* The fewest digits, 15 at least where it has them, that read back as the same number; returns `text`. */
const char* fil_number_text(double value, char text[FIL_NUMBER_TEXT]);

#endif
