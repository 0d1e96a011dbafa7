/* Owns `filum bag replay-check`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bag.h"
#include "bag_replay.h"
#include "filum_commit.h"

static int report(const FilReplay* run, FilStatus status, const FilError* error)
{
    const FilReplayInfo* replay = fil_replay_info(run);
    if (status != FIL_OK) {
        return fil_cli_fail("bag replay-check", FIL_EXIT_FAILED, "%s: %s", replay->bag, error->text);
    }
    if (replay->compared == 0) {
        return fil_cli_fail("bag replay-check", FIL_EXIT_FAILED, "%s: there is no state to compare with%s%s", replay->bag,
                            replay->stop[0] != '\0' ? "; " : "", replay->stop);
    }
    if (replay->differs) {
        return fil_cli_fail("bag replay-check", FIL_EXIT_FAILED, "%s: %s; %" PRIu64 " states before it are the same", replay->bag, replay->stop,
                            replay->compared - 1);
    }
    printf("%s: %" PRIu64 " states are the same, up to step %" PRIu64 "; %" PRIu64 " commands, %" PRIu64 " parameters set\n", replay->bag,
           replay->compared, fil_world_step_count(fil_replay_simulation(run)->world), replay->applied, replay->changed);
    if (replay->stop[0] != '\0') {
        printf("%s\n", replay->stop);
    }
    return FIL_EXIT_DONE;
}

int fil_bag_replay_check(int argc, char** argv)
{
    const FilUsage usage = {
        .command = "bag replay-check",
        .arguments = "BAG",
        .about =
            "Does a recorded run again, with its scene, commands and parameters, and compares the state's hash\n"
            "wherever the bag tells one. Ends with 1 at the first that differs.",
        .min_arguments = 1,
        .max_arguments = 1,
    };
    int count = 0, exit_code = FIL_EXIT_DONE;
    if (!fil_options_parse(&usage, argc, argv, &count, &exit_code)) {
        return exit_code;
    }
    FilError error = {""};
    FilReplay* replay = NULL;
    if (fil_replay_open(argv[1], &replay, &error) != FIL_OK) {
        return fil_cli_fail("bag replay-check", FIL_EXIT_USAGE, "%s", error.text);
    }
    const char* commit = fil_replay_info(replay)->commit;
    if (commit[0] != '\0' && strcmp(commit, FILUM_COMMIT) != 0) {
        printf("recorded by commit %s, repeated by %s\n", commit, FILUM_COMMIT);
    }
    const FilStatus status = fil_replay_run(replay, NULL, NULL, &error);
    exit_code = report(replay, status, &error);
    fil_replay_close(replay);
    return exit_code;
}
