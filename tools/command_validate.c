/* Owns `filum validate`: picks checks from the table, runs them and prints what they measured. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "bench.h"
#include "cli.h"
#include "command_table.h"
#include "validate/markdown.h"
#include "validate/runner.h"

typedef struct Options {
    bool slow, list, json;
    const char *out, *report;
    int jobs; /* 0: in this process */
} Options;

/* What has been printed, and the report. */
typedef struct Output {
    FilJson json;
    bool as_json;
    int passed;
    FilMarkdownReport* report; /* NULL: none */
    FilMarkdownRun record;
    double start; /* s */
} Output;

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
           (strncmp(name, check->group, length) == 0 && name[length] == '.' && strcmp(name + length + 1, check->name) == 0);
}

/* A group of slow checks alone: its name can mean nothing else. */
static bool is_slow_group(const char* name, const FilCheckCase* table, int count)
{
    bool slow = false;
    for (int i = 0; i < count; ++i) {
        if (strcmp(name, table[i].group) == 0) {
            if (!table[i].slow) {
                return false;
            }
            slow = true;
        }
    }
    return slow;
}

/* Checks that are slow run when asked for by --long, by their own name or by that of a group of such. */
static bool picks(const char* name, const FilCheckCase* check, bool slow)
{
    return means(name, check) && (!check->slow || slow || strchr(name, '.') != NULL);
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
    static const char* const relations[] = {[FIL_CHECK_NEAR] = "expected", [FIL_CHECK_BELOW] = "at most", [FIL_CHECK_ABOVE] = "at least"};
    char tolerance[64] = "";
    if (row->relation == FIL_CHECK_NOTED) {
        printf("    note  %-*s  %14.9g\n", width, row->what, row->measured);
        return;
    }
    if (row->relation == FIL_CHECK_NEAR && row->expected != 0.0) {
        const double off = fabs(row->measured - row->expected) / fabs(row->expected);
        snprintf(tolerance, sizeof tolerance, "  +- %.3g %%, off by %.2g %%", 100.0 * row->tolerance, 100.0 * off);
    }
    printf("    %-4s  %-*s  %14.9g   %-8s %14.9g%s\n", fil_check_row_passes(row) ? "pass" : "MISS", width, row->what, row->measured,
           relations[row->relation], row->expected, tolerance);
}

static void print_check(const FilCheckCase* check, const FilCheck* result, double time)
{
    printf("%-4s  %s.%s  %s (%.2g s)\n", fil_check_passes(result) ? "pass" : "MISS", check->group, check->name, check->title, time);
    int width = 0;
    for (int i = 0; i < result->count; ++i) {
        const int length = (int)strlen(result->rows[i].what);
        width = length > width ? length : width;
    }
    for (int i = 0; i < result->count; ++i) {
        print_row(&result->rows[i], width);
    }
    if (result->text != NULL) {
        fputs(result->text, stdout);
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
    if (result->text != NULL) {
        fil_json_text(json, "text", result->text);
    }
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

static void print_outcome(void* context, const FilCheckCase* check, const FilCheckOutcome* outcome)
{
    Output* output = context;
    if (output->as_json) {
        write_check(&output->json, check, &outcome->check, outcome->wall);
    } else {
        print_check(check, &outcome->check, outcome->wall);
    }
    output->passed += fil_check_passes(&outcome->check);
}

/* What takes hours is not lost if the process is ended. */
static void keep_report(void* context)
{
    Output* output = context;
    if (output->report != NULL) {
        output->record.wall = fil_bench_clock().wall - output->start;
        fil_markdown_keep(output->report, &output->record);
    }
}

/* Runs what is picked and prints it; returns how many of `total` have finished. */
static int run_checks(FilCheckRunDef* run, FilCheckOutcome* outcomes, Output* output, int total)
{
    run->report = print_outcome;
    run->finished = keep_report;
    run->context = output;
    if (output->as_json) {
        fil_json_open(&output->json, NULL, '[');
    }
    const int finished = fil_checks_run(run, outcomes);
    if (output->as_json) {
        fil_json_close(&output->json, ']');
    } else {
        printf("%d of %d checks pass\n", output->passed, total);
    }
    return finished;
}

/* Runs, prints and reports. */
static int carry_out(FilCheckRunDef* run, FilCheckOutcome* outcomes, const Options* options, const char* command)
{
    FilMarkdownReport report;
    FilError error = {""};
    int total = 0, exit_code = FIL_EXIT_DONE;
    for (int i = 0; i < run->count; ++i) {
        total += run->picked[i];
    }
    if (total == 0) {
        return fil_cli_fail("validate", FIL_EXIT_USAGE, "nothing to run: the slow checks need --long");
    }
    if (options->report != NULL && fil_markdown_open(&report, options->report, &error) != FIL_OK) {
        return fil_cli_fail("validate", FIL_EXIT_USAGE, "%s", error.text);
    }
    fil_stop_on_signals();
    Output output = {.json = {.out = stdout},
                     .as_json = options->json,
                     .report = options->report != NULL ? &report : NULL,
                     .record = {.command = command, .table = run->table, .picked = run->picked, .outcomes = outcomes, .count = run->count},
                     .start = fil_bench_clock().wall};
    const int finished = run_checks(run, outcomes, &output, total);
    if (finished < total) {
        exit_code = fil_cli_fail("validate", FIL_EXIT_FAILED, "stopped after %d of %d checks", finished, total);
    } else if (output.passed < total) {
        exit_code = FIL_EXIT_FAILED;
    }
    // what has finished is worth a report even if not all has
    output.record.wall = fil_bench_clock().wall - output.start;
    if (options->report != NULL && fil_markdown_write(&report, &output.record, &error) != FIL_OK) {
        exit_code = fil_cli_fail("validate", FIL_EXIT_FAILED, "%s", error.text);
    }
    return exit_code;
}

/* The command as it was typed; what is too long ends in dots. */
static void join_command(int argc, char** argv, char* text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "filum validate");
    for (int i = 1; i < argc && used < size; ++i) {
        used += (size_t)snprintf(text + used, size - used, " %s", argv[i]);
    }
    if (used >= size) {
        snprintf(text + size - 4, 4, "...");
    }
}

/* Which checks the names mean; false after a message. No name means all. */
static bool pick_checks(const FilCheckCase* table, int count, char** names, int name_count, const Options* options, bool* picked)
{
    // a listing hides nothing
    const bool slow = options->slow || options->list;
    for (int i = 0; i < count; ++i) {
        picked[i] = name_count == 0 && picks("all", &table[i], slow);
    }
    for (int k = 0; k < name_count; ++k) {
        if (!know_name(names[k], table, count)) {
            return false;
        }
        for (int i = 0; i < count; ++i) {
            picked[i] = picked[i] || picks(names[k], &table[i], slow || is_slow_group(names[k], table, count));
        }
    }
    return true;
}

int fil_command_validate(int argc, char** argv)
{
    Options options = {0};
    const FilOption option_table[] = {
        {"--long", FIL_OPTION_FLAG, &options.slow, NULL, "run the slow checks too"},
        {"--list", FIL_OPTION_FLAG, &options.list, NULL, "only list the checks"},
        {"--json", FIL_OPTION_FLAG, &options.json, NULL, "print an array of JSON objects"},
        {"--jobs", FIL_OPTION_COUNT, &options.jobs, "N", "run N checks at a time, each in a process of its own"},
        {"--report", FIL_OPTION_TEXT, &options.report, "FILE", "write what was measured, when and where, as Markdown"},
        {"--out", FIL_OPTION_TEXT, &options.out, "DIR", "where checks leave figures (default: nowhere)"},
    };
    FilUsage usage = USAGE;
    usage.options = option_table;
    usage.option_count = sizeof option_table / sizeof option_table[0];
    int names = 0, exit_code = FIL_EXIT_DONE;
    char command[1024];
    join_command(argc, argv, command, sizeof command);
    if (!fil_options_parse(&usage, argc, argv, &names, &exit_code)) {
        return exit_code;
    }
    int count = 0;
    const FilCheckCase* table = fil_check_table(&count);
    bool* picked = fil_alloc((size_t)count, sizeof *picked);
    FilCheckOutcome* outcomes = fil_alloc((size_t)count, sizeof *outcomes);
    if (picked == NULL || outcomes == NULL) {
        exit_code = fil_cli_fail("validate", FIL_EXIT_FAILED, "out of memory");
    } else if (!pick_checks(table, count, argv + 1, names, &options, picked)) {
        exit_code = FIL_EXIT_USAGE;
    } else if (options.list) {
        list_checks(table, picked, count);
    } else {
        FilCheckRunDef run = {.table = table, .picked = picked, .count = count, .jobs = options.jobs, .folder = options.out};
        exit_code = carry_out(&run, outcomes, &options, command);
    }
    for (int i = 0; outcomes != NULL && i < count; ++i) {
        fil_check_free(&outcomes[i].check);
    }
    fil_free(outcomes);
    fil_free(picked);
    return exit_code;
}
