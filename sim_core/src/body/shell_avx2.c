/* Edges and folds four at once, columns of blocks in one register each, chosen at run time (base/vector.h). */
#include "body/shell_blocks.h"
#include "body/shell_lanes.h"

void fil_shell_edges_pull_avx2(const FilShellEdge* edges, int count, const double* q, FilShellPull* pulls)
{
    edges_pull(edges, count, q, pulls);
}

void fil_shell_folds_bend_avx2(const FilShellFold* folds, int count, const double* q, FilShellBend* bends)
{
    folds_bend(folds, count, q, bends);
}

void fil_shell_stiffen_columns_avx2(const FilShellStiffening* s, int first, int end)
{
    stiffen_some(s, first, end);
}
