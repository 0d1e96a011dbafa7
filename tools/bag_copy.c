/* Owns `filum bag repair` and `filum bag add-definitions`: both copy a bag and leave the original alone. */
#include <inttypes.h>
#include <string.h>

#include "bag.h"
#include "record/copy.h"

/* Finds the source's file and names the copy. */
static bool settle(int count, char** argv, const char* ending, char* source, char* target, FilError* error)
{
    if (!fil_bag_find(argv[1], source, FIL_BAG_PATH, error)) {
        return false;
    }
    if (count > 1) {
        snprintf(target, FIL_BAG_PATH, "%s", argv[2]);
        return true;
    }
    return fil_bag_derive(argv[1], ending, true, target, FIL_BAG_PATH);
}

int fil_bag_repair(int argc, char** argv)
{
    const FilUsage usage = {
        .command = "bag repair",
        .arguments = "BAG [NEW]",
        .about =
            "Copies all whole chunks of a bag that was cut off (a killed process, a full disk) or damaged, and what "
            "can\n"
            "be had of the last one, into a bag with summary and metadata. NEW is BAG_repaired unless it is given;\n"
            "BAG is never changed.",
        .min_arguments = 1,
        .max_arguments = 2,
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    char source[FIL_BAG_PATH], target[FIL_BAG_PATH];
    FilError error = {""};
    FilCopyReport report;
    if (!settle(count, argv, "_repaired", source, target, &error)) {
        return fil_cli_fail("bag repair", FIL_EXIT_USAGE, "%s", error.text);
    }
    if (fil_bag_copy(source, target, NULL, NULL, &report, &error) != FIL_OK) {
        return fil_cli_fail("bag repair", FIL_EXIT_FAILED, "%s", error.text);
    }
    printf("%s: %" PRIu64 " messages", target, report.messages);
    if (report.partial_messages > 0) {
        printf(", %" PRIu64 " of them from a chunk that was cut off", report.partial_messages);
    }
    printf("\n");
    if (report.damaged_chunks > 0 || report.lost_extras > 0) {
        printf("left out: %" PRIu64 " damaged chunks, %" PRIu64 " damaged attachments or metadata\n", report.damaged_chunks, report.lost_extras);
    }
    if (report.stop.text[0] != '\0') {
        printf("nothing is read after %s\n", report.stop.text);
    } else if (!report.ended) {
        printf("the original has no end: it was cut off, or is still being written\n");
    }
    return FIL_EXIT_DONE;
}

/* ---- definitions ---- */

typedef struct Revision {
    FilDefinitionPlaces places;
    FilBytes text;
    int added, missing;
} Revision;

static void add_definition(void* context, FilBagChannel* channel)
{
    Revision* revision = context;
    FilError error = {""};
    if (channel->schema.size > 0) {
        return;
    }
    fil_bytes_clear(&revision->text);
    if (fil_definition_join(channel->type, fil_definition_find, &revision->places, &revision->text, &error) != FIL_OK) {
        revision->missing += 1;
        fil_cli_fail("bag add-definitions", 0, "%s: %s", channel->topic, error.text);
        return;
    }
    revision->added += 1;
    channel->schema_encoding = "ros2msg";
    channel->schema = (FilSlice){.data = revision->text.data, .size = revision->text.size};
}

int fil_bag_add_definitions(int argc, char** argv)
{
    Revision revision = {0};
    const FilOption options[] = {
        {"--path", FIL_OPTION_TEXT, &revision.places.path, "DIR[:DIR]...", "look here first for pkg/msg/Type.msg"},
    };
    const FilUsage usage = {
        .command = "bag add-definitions",
        .arguments = "BAG [NEW]",
        .about =
            "Copies a bag and gives the channels that lack a message definition one: from --path, from\n"
            "AMENT_PREFIX_PATH, or from those built in. NEW is BAG_defined unless it is given.",
        .min_arguments = 1,
        .max_arguments = 2,
        .options = options,
        .option_count = 1,
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    char source[FIL_BAG_PATH], target[FIL_BAG_PATH];
    FilError error = {""};
    FilCopyReport report;
    if (!settle(count, argv, "_defined", source, target, &error)) {
        return fil_cli_fail("bag add-definitions", FIL_EXIT_USAGE, "%s", error.text);
    }
    const FilStatus status = fil_bag_copy(source, target, add_definition, &revision, &report, &error);
    fil_bytes_free(&revision.text);
    if (status != FIL_OK) {
        return fil_cli_fail("bag add-definitions", FIL_EXIT_FAILED, "%s", error.text);
    }
    printf("%s: %" PRIu64 " messages, %d definitions added\n", target, report.messages, revision.added);
    return revision.missing == 0 ? FIL_EXIT_DONE : FIL_EXIT_FAILED;
}
