/* The lane jobs with the library's own kernels. */
#include "lane_jobs.h"

#include "body/rod_chain.h"

#define FOLD_JOB vector_fold_job
#define CHAIN_JOB vector_chain_job
#include "lane_jobs.inc"
