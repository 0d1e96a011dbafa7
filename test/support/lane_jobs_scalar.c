/* The lane jobs with a second build of the kernels, without vectors and under names of its own. */
#define FIL_SCALAR_LANES

#define fil_fold_init scalar_fold_init
#define fil_fold_factor scalar_fold_factor
#define fil_fold_solve scalar_fold_solve
#define fil_rod_chain_init scalar_rod_chain_init
#define fil_rod_chain_begin scalar_rod_chain_begin
#define fil_rod_chain_begin_again scalar_rod_chain_begin_again
#define fil_rod_chain_assemble scalar_rod_chain_assemble
#define fil_rod_chain_add_gradient scalar_rod_chain_add_gradient
#define fil_rod_chain_diagonal scalar_rod_chain_diagonal
#define fil_rod_chain_frame scalar_rod_chain_frame
#define fil_rod_chain_add_edge_block scalar_rod_chain_add_edge_block
#define fil_rod_chain_transport scalar_rod_chain_transport
#define fil_rod_chain_factor scalar_rod_chain_factor
#define fil_rod_chain_solve scalar_rod_chain_solve
#define fil_rod_chain_visit scalar_rod_chain_visit
#define fil_rod_chain_scatter scalar_rod_chain_scatter
#define fil_rod_chain_put scalar_rod_chain_put
#define fil_rod_chain_assemble_untwisted scalar_rod_chain_assemble_untwisted
#define fil_rod_chain_fill scalar_rod_chain_fill
#define fil_rod_chain_transport_untwisted scalar_rod_chain_transport_untwisted
#define fil_rod_chain_add_diagonal scalar_rod_chain_add_diagonal
#define fil_rod_chain_visit_blocks scalar_rod_chain_visit_blocks
#define fil_rod_chain_scatter_blocks scalar_rod_chain_scatter_blocks
#define fil_rod_chain_expect scalar_rod_chain_expect
#define fil_rod_chain_load_positions scalar_rod_chain_load_positions
#define fil_rod_chain_load_start scalar_rod_chain_load_start
#define fil_rod_chain_find_frames scalar_rod_chain_find_frames
#define fil_rod_chain_have_frames scalar_rod_chain_have_frames
#define fil_rod_chain_middle_frames scalar_rod_chain_middle_frames
#define fil_rod_chain_find_edge scalar_rod_chain_find_edge
#define fil_rod_blend_law scalar_rod_blend_law

#include "lane_jobs.h"

#include "body/rod_chain.c"
#include "body/rod_chain_assemble.c"
#include "body/rod_chain_cord.c"
#include "body/rod_chain_frames.c"
#include "body/rod_chain_load.c"
#include "body/rod_chain_plain.c"
#include "linalg/fold.c"

_Static_assert(FIL_LANE_COUNT == 1, "this build must not use vectors");

#define FOLD_JOB scalar_fold_job
#define CHAIN_JOB scalar_chain_job
#include "lane_jobs.inc"
