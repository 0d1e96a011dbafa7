/* Owns `filum validate`: picks checks from the table, runs them and prints what they measured. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "bench.h"
#include "cli.h"
#include "command_table.h"
#include "json.h"
#include "validate/report.h"

typedef struct Options {
    bool slow, list, json;
    const char* out;
} Options;

static const FilUsage USAGE = {
    .command = "validate",
    .arguments = "[NAME]...",
    .about =
        "Runs physics checks and prints what they measured beside what theory expects. A name is a group (rod), a\n"
        "check (rod.torsion) or all. The exit code is 1 if a check is missed.",
    .max_arguments = INT_MAX,
};

/* Does a name on the command line mean this check? */
static bool means(const char* name, const FilCheckCase* check)
{
    const size_t length = strlen(check->group);
    return strcmp(name, "all") == 0 || strcmp(name, check->group) == 0 ||
           (strncmp(name, check->group, length) == 0 && name[length] == '.' &&
            strcmp(name + length + 1, check->name) == 0);
}

/* Checks that are slow run when asked for by --long or by their own name. */
static bool picks(const char* name, const FilCheckCase* check, const Options* options)
{
    return means(name, check) && (!check->slow || options->slow || strchr(name, '.') != NULL);
}

static bool know_name(const char* name, const FilCheckCase* table, int count)
{
    FilGuess guess = fil_guess_start(name);
    fil_guess_try(&guess, "all");
    for (int i = 0; i < count; ++i) {
        if (means(name, &table[i])) {
            return true;
        }
        fil_guess_try(&guess, table[i].group);
    }
    // full names are built on the spot, so the hint is taken when a nearer one turns up
    FilHint hint = fil_hint(&guess);
    for (int i = 0; i < count; ++i) {
        const int nearest = guess.distance;
        char full[128];
        snprintf(full, sizeof full, "%s.%s", table[i].group, table[i].name);
        fil_guess_try(&guess, full);
        if (guess.distance < nearest) {
            hint = fil_hint(&guess);
        }
    }
    fil_cli_fail("validate", 0, "no check or group '%s'%s (filum validate --list shows them)", name, hint.text);
    return false;
}

static void print_row(const FilCheckRow* row, int width)
{
    static const char* const relations[] = {
        [FIL_CHECK_NEAR] = "expected", [FIL_CHECK_BELOW] = "at most", [FIL_CHECK_ABOVE] = "at least"};
    char tolerance[64] = "";
    if (row->relation == FIL_CHECK_NOTED) {
        printf("    note  %-*s  %14.9g\n", width, row->what, row->measured);
        return;
    }
    if (row->relation == FIL_CHECK_NEAR && row->expected != 0.0) {
        const double off = fabs(row->measured - row->expected) / fabs(row->expected);
        snprintf(tolerance, sizeof tolerance, "  +- %.3g %%, off by %.2g %%", 100.0 * row->tolerance, 100.0 * off);
    }
    printf("    %-4s  %-*s  %14.9g   %-8s %14.9g%s\n", fil_check_row_passes(row) ? "pass" : "MISS", width, row->what,
           row->measured, relations[row->relation], row->expected, tolerance);
}

static void print_check(const FilCheckCase* check, const FilCheck* result, double time)
{
    printf("%-4s  %s.%s  %s (%.2g s)\n", fil_check_passes(result) ? "pass" : "MISS", check->group, check->name,
           check->title, time);
    int width = 0;
    for (int i = 0; i < result->count; ++i) {
        const int length = (int)strlen(result->rows[i].what);
        width = length > width ? length : width;
    }
    for (int i = 0; i < result->count; ++i) {
        print_row(&result->rows[i], width);
    }
    if (result->failure[0] != '\0') {
        printf("    %s\n", result->failure);
    } else if (result->count == 0) {
        printf("    the check measured nothing\n");
    }
    fflush(stdout);
}

static void write_check(FilJson* json, const FilCheckCase* check, const FilCheck* result, double time)
{
    static const char* const relations[] = {
        [FIL_CHECK_NEAR] = "near",
        [FIL_CHECK_BELOW] = "below",
        [FIL_CHECK_ABOVE] = "above",
        [FIL_CHECK_NOTED] = "noted",
    };
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "group", check->group);
    fil_json_text(json, "name", check->name);
    fil_json_text(json, "title", check->title);
    fil_json_boolean(json, "passed", fil_check_passes(result));
    fil_json_number(json, "wall_time", time);
    fil_json_text(json, "failure", result->failure);
    fil_json_open(json, "rows", '[');
    for (int i = 0; i < result->count; ++i) {
        const FilCheckRow* row = &result->rows[i];
        fil_json_open(json, NULL, '{');
        fil_json_text(json, "what", row->what);
        fil_json_number(json, "measured", row->measured);
        fil_json_text(json, "relation", relations[row->relation]);
        fil_json_number(json, "expected", row->expected);
        fil_json_number(json, "tolerance", row->tolerance);
        fil_json_boolean(json, "passed", fil_check_row_passes(row));
        fil_json_close(json, '}');
    }
    fil_json_close(json, ']');
    fil_json_close(json, '}');
}

static void list_checks(const FilCheckCase* table, const bool* picked, int count)
{
    for (int i = 0; i < count; ++i) {
        if (picked[i]) {
            char name[128];
            snprintf(name, sizeof name, "%s.%s", table[i].group, table[i].name);
            printf("%-32s %s%s\n", name, table[i].title, table[i].slow ? " (slow)" : "");
        }
    }
}

static int run_checks(const FilCheckCase* table, const bool* picked, int count, const Options* options)
{
    FilJson json = {.out = stdout};
    FilProgress progress = fil_progress_start(false);
    int total = 0, done = 0, missed = 0;
    for (int i = 0; i < count; ++i) {
        total += picked[i];
    }
    if (total == 0) {
        return fil_cli_fail("validate", FIL_EXIT_USAGE, "nothing to run: the slow checks need --long");
    }
    fil_stop_on_signals();
    if (options->json) {
        fil_json_open(&json, NULL, '[');
    }
    for (int i = 0; i < count && !fil_stop_requested(); ++i) {
        if (!picked[i]) {
            continue;
        }
        fil_progress_update(&progress, (double)done / total, "%s.%s", table[i].group, table[i].name);
        FilCheck result = {0};
        if (options->out != NULL) {
            snprintf(result.folder, sizeof result.folder, "%s", options->out);
        } else {
            snprintf(result.folder, sizeof result.folder, "filum_%s", table[i].group);
        }
        const FilBenchClock start = fil_bench_clock();
        table[i].run(&result);
        const double time = fil_bench_since(start).wall;
        fil_progress_clear(&progress);
        if (options->json) {
            write_check(&json, &table[i], &result, time);
        } else {
            print_check(&table[i], &result, time);
        }
        done += 1;
        missed += !fil_check_passes(&result);
        fil_check_free(&result);
    }
    if (options->json) {
        fil_json_close(&json, ']');
    } else {
        printf("%d of %d checks pass\n", done - missed, total);
    }
    if (done < total) {
        return fil_cli_fail("validate", FIL_EXIT_FAILED, "stopped after %d of %d checks", done, total);
    }
    return missed > 0 ? FIL_EXIT_FAILED : FIL_EXIT_DONE;
}

int fil_command_validate(int argc, char** argv)
{
    Options options = {0};
    const FilOption option_table[] = {
        {"--long", FIL_OPTION_FLAG, &options.slow, NULL, "run the slow checks too"},
        {"--list", FIL_OPTION_FLAG, &options.list, NULL, "only list the checks"},
        {"--json", FIL_OPTION_FLAG, &options.json, NULL, "print an array of JSON objects"},
        {"--out", FIL_OPTION_TEXT, &options.out, "DIR", "where checks leave figures (default: filum_<group>)"},
    };
    FilUsage usage = USAGE;
    usage.options = option_table;
    usage.option_count = sizeof option_table / sizeof option_table[0];
    int names = 0, exit_code = FIL_EXIT_DONE;
    if (!fil_options_parse(&usage, argc, argv, &names, &exit_code)) {
        return exit_code;
    }
    int count = 0;
    const FilCheckCase* table = fil_check_table(&count);
    bool* picked = fil_alloc((size_t)count, sizeof *picked);
    if (picked == NULL) {
        return fil_cli_fail("validate", FIL_EXIT_FAILED, "out of memory");
    }
    // no name means all; a listing hides nothing
    const Options pick_options = {.slow = options.slow || options.list};
    for (int i = 0; i < count; ++i) {
        picked[i] = names == 0 && picks("all", &table[i], &pick_options);
    }
    for (int k = 1; k <= names && exit_code == FIL_EXIT_DONE; ++k) {
        exit_code = know_name(argv[k], table, count) ? FIL_EXIT_DONE : FIL_EXIT_USAGE;
        for (int i = 0; i < count; ++i) {
            picked[i] = picked[i] || picks(argv[k], &table[i], &pick_options);
        }
    }
    if (exit_code == FIL_EXIT_DONE && options.list) {
        list_checks(table, picked, count);
    } else if (exit_code == FIL_EXIT_DONE) {
        exit_code = run_checks(table, picked, count, &options);
    }
    fil_free(picked);
    return exit_code;
}
