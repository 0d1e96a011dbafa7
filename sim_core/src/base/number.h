/* Numbers as people write them. */
#ifndef FILUM_BASE_NUMBER_H
#define FILUM_BASE_NUMBER_H

/* The longest, -2.2250738585072014e-308, has 24 characters. */
enum { FIL_NUMBER_TEXT = 32 };

/* The fewest digits, 15 at least where it has them, that read back as the same number; returns `text`. */
const char* fil_number_text(double value, char text[FIL_NUMBER_TEXT]);

/* About so many digits: 5090, 0.0197, 1.11e-5, 7.85e6; no exponent from 0.0001 to a million. Returns `text`. */
const char* fil_number_short(double value, int digits, char text[FIL_NUMBER_TEXT]);

/* The same as an argument of printf. */
#define FIL_SHORT(value, digits) fil_number_short(value, digits, (char[FIL_NUMBER_TEXT]){0})

#endif
