/* A root between two places, by regula falsi with the Illinois rule: where one end stays twice, its value counts half, so that the next
 * guess falls on its side (Dowell and Jarratt 1971, BIT 11). */
#ifndef FILUM_BASE_BRACKET_H
#define FILUM_BASE_BRACKET_H

#include <stdbool.h>

/* Two places and the values there, of different signs. */
typedef struct FilBracket {
    double a, b;
    double at_a, at_b;
} FilBracket;

/* A place between takes the end whose sign its value has. */
static inline void fil_bracket_narrow(FilBracket* bracket, bool is_like_a, double place, double value)
{
    if (is_like_a) {
        bracket->a = place;
        bracket->at_a = value;
        bracket->at_b *= 0.5;
    } else {
        bracket->b = place;
        bracket->at_b = value;
        bracket->at_a *= 0.5;
    }
}

#endif
