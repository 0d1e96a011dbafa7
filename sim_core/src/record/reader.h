/* What of a reader only the inside asks for; the rest is public. */
#ifndef FILUM_RECORD_READER_H
#define FILUM_RECORD_READER_H

#include <stdio.h>

#include "record/bag.h"
#include "record/codec.h"

/* Takes over an open file that can be sought in; `name` is for messages. */
FIL_MUST_CHECK FilStatus fil_reader_open_file(FILE* file, const char* name, const FilReaderOptions* options, FilReader** reader, FilError* error);

/* The channels known so far, with the counts of the summary or of what was read. */
const FilBagChannels* fil_reader_channels(const FilReader* reader);

#endif
