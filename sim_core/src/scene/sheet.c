#include "scene/sheet.h"

#include <stdbool.h>

#include "base/vec3.h"

static int row_size(const FilSheet* sheet, int row)
{
    return sheet->columns + 1 + (sheet->pattern == FIL_SHEET_STAGGERED ? row % 2 : 0);
}

int fil_sheet_vertices(const FilSheet* sheet)
{
    int count = 0;
    for (int r = 0; r <= sheet->rows; r++) {
        count += row_size(sheet, r);
    }
    return count;
}

int fil_sheet_triangles(const FilSheet* sheet)
{
    return sheet->rows * (2 * sheet->columns + (sheet->pattern == FIL_SHEET_STAGGERED ? 1 : 0));
}

/* Where column c of a row stands, in columns. */
static double column_place(const FilSheet* sheet, int row, int c)
{
    if (sheet->pattern == FIL_SHEET_SQUARES || row % 2 == 0) {
        return c;
    }
    return c == 0 ? 0.0 : c == sheet->columns + 1 ? sheet->columns : c - 0.5;
}

static int put(int* triangles, int count, int a, int b, int c)
{
    triangles[3 * count] = a;
    triangles[3 * count + 1] = b;
    triangles[3 * count + 2] = c;
    return count + 1;
}

/* Between rows that start at `low` and `high`: all turn as (along, across) does. */
static int fill_row(const FilSheet* sheet, int row, int low, int high, int* triangles, int count)
{
    const int n = sheet->columns;
    const bool staggered = sheet->pattern == FIL_SHEET_STAGGERED, wide_above = row % 2 == 0;
    for (int c = 0; c < n; c++) {
        if (staggered) {
            // the triangle on the narrow row's edge, and the one on the wide row's edge before it
            const int narrow = (wide_above ? low : high) + c, wide = (wide_above ? high : low) + c;
            count = wide_above ? put(triangles, count, narrow, narrow + 1, wide + 1) : put(triangles, count, narrow + 1, narrow, wide + 1);
            count = wide_above ? put(triangles, count, narrow, wide + 1, wide) : put(triangles, count, narrow, wide, wide + 1);
        } else {
            const int a = low + c, b = a + 1, d = high + c, e = d + 1;
            const bool rising = (row + c) % 2 == 0;
            count = rising ? put(triangles, count, a, b, e) : put(triangles, count, a, b, d);
            count = rising ? put(triangles, count, a, e, d) : put(triangles, count, b, e, d);
        }
    }
    if (staggered) {
        const int narrow = (wide_above ? low : high) + n, wide = (wide_above ? high : low) + n;
        count = wide_above ? put(triangles, count, narrow, wide + 1, wide) : put(triangles, count, narrow, wide, wide + 1);
    }
    return count;
}

void fil_sheet_build(const FilSheet* sheet, double* vertices, int* triangles)
{
    int low = 0, count = 0;
    for (int r = 0; r <= sheet->rows; r++) {
        for (int c = 0; c < row_size(sheet, r); c++) {
            double* x = vertices + 3 * (low + c);
            fil_v3_copy(x, sheet->corner);
            fil_v3_axpy(x, column_place(sheet, r, c) / sheet->columns, sheet->along);
            fil_v3_axpy(x, (double)r / sheet->rows, sheet->across);
        }
        const int high = low + row_size(sheet, r);
        if (r < sheet->rows) {
            count = fill_row(sheet, r, low, high, triangles, count);
        }
        low = high;
    }
}
