/* Products that the preconditioner's factor takes: of the panels of its changing columns, and of fixed columns that go on alike. With registers of
 * 256 bits two rows of blocks lie side by side; each number is rounded as with 128, so that the bits agree. `width` is the number of columns of a
 * block: 3 where they are thin, or 4. */
#ifndef FILUM_LINALG_BLOCK_PRODUCTS_H
#define FILUM_LINALG_BLOCK_PRODUCTS_H

/* A panel and its rows: its own columns', then those below. */
typedef struct FilPanel {
    int first, columns, rows;
    const int* row;
    float* at; /* block (r, c) is the one number r columns + c */
} FilPanel;

/* What rows `begin` to `end` - 1 of `from` take, with its rows `first` to `last` - 1, from the panel `to`, whose rows have their `place`, by `count`
 * columns of `from` after the first `skipped`. Above the diagonal it may be anything. */
typedef void FilPanelProducts(const FilPanel* to, const FilPanel* from, int skipped, int count, int first, int last, int begin, int end,
                              const int* place, int width);

/* L_ik L_jk' is subtracted from column j in all `count` rows i >= j of `run` columns k, whose blocks from row j on begin at `from`. */
typedef void FilColumnProducts(float* column, const float* factor, const int* from, int run, const int* row, int count, const int* place, int width);

typedef struct FilBlockProducts {
    FilPanelProducts* panel;
    FilColumnProducts* column;
} FilBlockProducts;

/* The fastest that this machine runs. */
const FilBlockProducts* fil_block_products(void);

/* Wider than what every machine of its kind has. */
extern const FilBlockProducts fil_block_products_avx2;

#endif
