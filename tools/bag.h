/* The subcommands of `filum bag` and what they share. */
#ifndef FILUM_TOOLS_BAG_H
#define FILUM_TOOLS_BAG_H

#include "cli.h"
#include "definitions.h"
#include "record/reader.h"

/* PATH_MAX of Linux. */
enum { FIL_BAG_PATH = 4096 };

/* One subcommand each; argv[0] is its name. They return the exit code. */
int fil_bag_info(int argc, char** argv);
int fil_bag_repair(int argc, char** argv);
int fil_bag_export(int argc, char** argv);
int fil_bag_add_definitions(int argc, char** argv);
int fil_bag_replay_check(int argc, char** argv); /* in builds with messages */
int fil_bag_bench(int argc, char** argv);        /* likewise */
int fil_bag_record(int argc, char** argv);       /* in builds with the embedded layer, and the next */
int fil_bag_play(int argc, char** argv);

/* The file of a bag given as a file or as a directory. */
FIL_MUST_CHECK bool fil_bag_find(const char* bag, char* path, size_t size, FilError* error);

/* "bag" + ending, before the extension if there is one: run.mcap, and run.db3, become run_repaired.mcap. */
FIL_MUST_CHECK bool fil_bag_derive(const char* bag, const char* ending, bool keep_extension, char* path, size_t size);

/* Reads a bag without a summary to its end, after which all counts and what lies beside the messages are known; FIL_OK at once if it has one. */
FIL_MUST_CHECK FilStatus fil_bag_read_through(FilReader* reader, FilError* error);

/* ---- messages taken apart by their definition ---- */

typedef struct FilDecoder FilDecoder;

/* Called for each number or text of a message, as text; both are valid during the call. */
typedef void (*FilDecoderLeaf)(void* context, const char* path, const char* value);

/* From the joined definition text of a channel. */
FIL_MUST_CHECK FilStatus fil_decoder_create(const FilBagChannel* channel, FilDecoder** decoder, FilError* error);
void fil_decoder_destroy(FilDecoder* decoder); /* NULL is fine */

/* Walks a CDR message; FIL_BAD_INPUT if it is shorter than its definition or cannot be read. */
FIL_MUST_CHECK FilStatus fil_decoder_walk(const FilDecoder* decoder, FilSlice message, FilDecoderLeaf leaf, void* context);

#endif
