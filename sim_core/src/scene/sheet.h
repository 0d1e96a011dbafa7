/* Generated sheets of triangles. */
#ifndef FILUM_SCENE_SHEET_H
#define FILUM_SCENE_SHEET_H

typedef enum FilSheetPattern {
    FIL_SHEET_STAGGERED, /* every other row is moved by half a column: equilateral if the sides are so chosen */
    FIL_SHEET_SQUARES,   /* squares cut in two, their diagonals alternating */
} FilSheetPattern;

typedef struct FilSheet {
    double corner[3], along[3], across[3]; /* m */
    int columns, rows;
    FilSheetPattern pattern;
} FilSheet;

/* Vertices stand row by row from the corner. Staggered: even rows have columns + 1, odd ones columns + 2 with half edges
 * at both ends. */
int fil_sheet_vertices(const FilSheet* sheet);
int fil_sheet_triangles(const FilSheet* sheet);

/* Fills 3 numbers per vertex and per triangle. */
void fil_sheet_build(const FilSheet* sheet, double* vertices, int* triangles);

#endif
