/* Copies bags, never touching the source: to repair one that was cut off, or to change what is said of its channels. */
#ifndef FILUM_RECORD_COPY_H
#define FILUM_RECORD_COPY_H

#include "filum/record.h"

typedef struct FilCopyReport {
    uint64_t messages;
    uint64_t partial_messages; /* of them, out of a chunk that was cut off */
    uint64_t damaged_chunks;   /* that were left out */
    uint64_t lost_extras;      /* damaged attachments and metadata that were left out */
    bool ended;                /* the source had its end */
    FilError stop;             /* why the source could not be read on; "" if it could */
} FilCopyReport;

/* May change what a channel of the copy says. Texts must last until it returns to the copier. */
typedef void (*FilCopyRevise)(void* context, FilBagChannel* channel);

/* Makes a bag (a directory or a file, by its name) of all that can be read of the MCAP file `source`, with the
 * compression of the source. `revise` may be NULL. */
FIL_MUST_CHECK FilStatus fil_bag_copy(const char* source, const char* target, FilCopyRevise revise, void* context, FilCopyReport* report,
                                      FilError* error);

#endif
