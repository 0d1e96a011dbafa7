/* Orders of records, for qsort: by one number after the other. */
#ifndef FILUM_BASE_ORDER_H
#define FILUM_BASE_ORDER_H

/* -1, 0 or 1 as a is before, with or behind b. */
static inline int fil_order(int a, int b)
{
    return (a > b) - (a < b);
}

/* By the first numbers that differ. */
static inline int fil_order_three(int a, int b, int a2, int b2, int a3, int b3)
{
    return a != b ? fil_order(a, b) : a2 != b2 ? fil_order(a2, b2) : fil_order(a3, b3);
}

#endif
