/* Owns `filum bench`: runs rows of the bench table and prints them as a table, JSON or CSV. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "bench.h"
#include "cli.h"
#include "command_table.h"
#include "csv.h"

typedef struct Options {
    bool json;
    const char* csv;
    int repeats;
} Options;

static const FilBenchRow* find_row(const char* name)
{
    int count = 0;
    const FilBenchRow* table = fil_bench_table(&count);
    FilGuess guess = fil_guess_start(name);
    for (int i = 0; i < count; ++i) {
        if (strcmp(name, table[i].name) == 0) {
            return &table[i];
        }
        fil_guess_try(&guess, table[i].name);
    }
    fil_cli_fail("bench", 0, "no bench row '%s'%s (filum bench --help lists them)", name, fil_hint(&guess).text);
    return NULL;
}

static int measure(FilBench* bench, const FilBenchRow* row)
{
    FilError error = {""};
    FilStatus status = FIL_OK;
    char path[PATH_MAX];
    if (row->measure != NULL) {
        status = row->measure(bench, &error);
    } else if (!fil_scene_find(row->name, path, sizeof path, &error)) {
        status = FIL_BAD_INPUT;
    } else {
        status = fil_bench_scene(bench, row, path, &error);
    }
    if (status == FIL_OK) {
        return FIL_EXIT_DONE;
    }
    return fil_cli_fail("bench", status == FIL_BAD_INPUT ? FIL_EXIT_USAGE : FIL_EXIT_FAILED, "%s: %s", row->name,
                        error.text[0] != '\0' ? error.text : fil_status_name(status));
}

/* A number in a column of the table; what was not measured is a dash. */
static void print_cell(double value)
{
    if (isnan(value)) {
        printf(" %9s", "-");
    } else {
        printf(" %9.4g", value);
    }
}

static void print_heading(const FilMachine* machine)
{
    printf("%s (%s), %s, commit %s\n", machine->cpu, machine->arch, machine->compiler, machine->commit);
    printf("%-16s %8s %9s %9s %9s %9s %9s %9s %9s %9s\n", "name", "nodes", "dt s", "steps", "x real", "ms/step", "iter/step", "us/iter", "ns/node",
           "contacts");
}

static void print_result(const FilBenchResult* result)
{
    printf("%-16s %7d%s", result->name, result->nodes, result->closed ? "o" : " ");
    print_cell(result->dt);
    print_cell(result->steps);
    print_cell(result->realtime_rate);
    print_cell(result->ms_per_step);
    print_cell(result->iterations_per_step);
    print_cell(result->us_per_iteration);
    print_cell(result->ns_per_node);
    print_cell(result->contacts_avg);
    printf("\n");
    const FilTimings* timings = &result->timings;
    if (!isnan(timings->free_motion)) {
        printf("    wall %.3g s, CPU %.3g s: collide %.3g, free motion %.3g, contact %.3g, other %.3g\n", result->wall_time, result->cpu_time,
               timings->collide, timings->free_motion, timings->contact, timings->other);
    }
    for (int i = 0; i < result->accuracy_count; ++i) {
        printf("%s %s %.3g%s", i == 0 ? "    accuracy:" : ",", result->accuracy[i].what, result->accuracy[i].value,
               i + 1 == result->accuracy_count ? "\n" : "");
    }
    fflush(stdout);
}

static void write_result(FilJson* json, const FilBenchResult* result, const FilMachine* machine)
{
    fil_json_open(json, NULL, '{');
    fil_json_text(json, "name", result->name);
    fil_json_text(json, "contact_model", result->contact_model);
    fil_json_number(json, "dt", result->dt);
    fil_json_number(json, "steps", result->steps);
    fil_json_number(json, "realtime_rate", result->realtime_rate);
    fil_json_number(json, "ms_per_step", result->ms_per_step);
    fil_json_number(json, "us_per_iteration", result->us_per_iteration);
    fil_json_number(json, "iterations_per_step", result->iterations_per_step);
    fil_json_number(json, "contacts_avg", result->contacts_avg);
    fil_json_open(json, "accuracy", '{');
    for (int i = 0; i < result->accuracy_count; ++i) {
        fil_json_number(json, result->accuracy[i].what, result->accuracy[i].value);
    }
    fil_json_close(json, '}');
    fil_json_open(json, "timings", '{');
    fil_json_number(json, "collide", result->timings.collide);
    fil_json_number(json, "free_motion", result->timings.free_motion);
    fil_json_number(json, "contact", result->timings.contact);
    fil_json_number(json, "other", result->timings.other);
    fil_json_close(json, '}');
    fil_json_text(json, "commit", machine->commit);
    fil_json_text(json, "cpu", machine->cpu);
    fil_json_integer(json, "nodes", (uint64_t)result->nodes);
    fil_json_boolean(json, "closed", result->closed);
    fil_json_number(json, "ns_per_node", result->ns_per_node);
    fil_json_number(json, "wall_time", result->wall_time);
    fil_json_number(json, "cpu_time", result->cpu_time);
    fil_json_close(json, '}');
}

static void append_result(FILE* out, const FilBenchResult* result, const FilMachine* machine)
{
    const FilTimings* timings = &result->timings;
    const double numbers[] = {
        result->nodes,
        result->closed,
        result->dt,
        result->steps,
        result->realtime_rate,
        result->ms_per_step,
        result->us_per_iteration,
        result->iterations_per_step,
        result->ns_per_node,
        result->contacts_avg,
        result->wall_time,
        result->cpu_time,
        timings->collide,
        timings->free_motion,
        timings->contact,
        timings->other,
    };
    const char* const texts[] = {machine->commit, machine->cpu, machine->arch, machine->compiler, result->name, result->contact_model};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        fil_csv_text(out, texts[i], i == 0);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        fil_csv_number(out, numbers[i], false);
    }
    // a row's own measures of accuracy share the last column: what=value what=value
    char accuracy[FIL_BENCH_ACCURACY_MAX * 80] = "";
    size_t used = 0;
    for (int i = 0; i < result->accuracy_count; ++i) {
        used += (size_t)snprintf(accuracy + used, sizeof accuracy - used, "%s%s=%.9g", i > 0 ? " " : "", result->accuracy[i].what,
                                 result->accuracy[i].value);
    }
    fil_csv_text(out, accuracy, false);
    fil_csv_end(out);
}

/* Opens the file for appending; a new one gets a line of column names. */
static FILE* open_csv(const char* path)
{
    FILE* out = fopen(path, "a");
    if (out != NULL && fseek(out, 0, SEEK_END) == 0 && ftell(out) == 0) {
        fputs(
            "commit,cpu,arch,compiler,name,contact_model,nodes,closed,dt,steps,realtime_rate,ms_per_step,"
            "us_per_iteration,iterations_per_step,ns_per_node,contacts_avg,wall_time,cpu_time,"
            "collide,free_motion,contact,other,accuracy\n",
            out);
    }
    return out;
}

/* Prints the results from index `first` on, in every form that was asked for. */
static void publish(const FilBench* bench, int first, const FilMachine* machine, FilJson* json, FILE* csv)
{
    for (int i = first; i < fil_bench_count(bench); ++i) {
        const FilBenchResult* result = fil_bench_at(bench, i);
        if (json != NULL) {
            write_result(json, result, machine);
        } else {
            print_result(result);
        }
        if (csv != NULL) {
            append_result(csv, result, machine);
        }
    }
}

static int run_rows(const FilBenchRow* const* rows, int count, const Options* options, FilBench* bench, FILE* csv)
{
    const FilMachine machine = fil_machine();
    FilJson json = {.out = stdout};
    int exit_code = FIL_EXIT_DONE;
    if (options->json) {
        fil_json_open(&json, NULL, '[');
    } else {
        print_heading(&machine);
    }
    FilProgress progress = fil_progress_start(options->json);
    for (int i = 0; i < count && exit_code == FIL_EXIT_DONE; ++i) {
        const int first = fil_bench_count(bench);
        fil_progress_update(&progress, (double)i / count, "%s", rows[i]->name);
        exit_code = measure(bench, rows[i]);
        fil_progress_clear(&progress);
        publish(bench, first, &machine, options->json ? &json : NULL, csv);
    }
    if (options->json) {
        fil_json_close(&json, ']');
    }
    return exit_code;
}

static bool parse(int argc, char** argv, Options* options, int* names, int* exit_code)
{
    const FilOption table[] = {
        {"--json", FIL_OPTION_FLAG, &options->json, NULL, "print an array of JSON objects"},
        {"--csv", FIL_OPTION_TEXT, &options->csv, "FILE", "append to a file, with commit and CPU"},
        {"--repeat", FIL_OPTION_COUNT, &options->repeats, "N", "take the best of N runs after a first one (5)"},
    };
    char about[8192] = "Measures speed and accuracy. Rows:";
    int count = 0;
    const FilBenchRow* rows = fil_bench_table(&count);
    size_t used = strlen(about);
    for (int i = 0; i < count && used < sizeof about; ++i) {
        used += (size_t)snprintf(about + used, sizeof about - used, "\n  %-24s %s", rows[i].name, rows[i].title);
    }
    const FilUsage usage = {
        .command = "bench",
        .arguments = "[NAME]...",
        .about = about,
        .max_arguments = INT_MAX,
        .options = table,
        .option_count = sizeof table / sizeof table[0],
    };
    return fil_options_parse(&usage, argc, argv, names, exit_code);
}

int fil_command_bench(int argc, char** argv)
{
    // rows of the table, of which there are 21
    enum { ROW_MAX = 64 };
    Options options = {.repeats = 5};
    int names = 0, exit_code = FIL_EXIT_DONE;
    if (!parse(argc, argv, &options, &names, &exit_code)) {
        return exit_code;
    }
    int count = 0;
    const FilBenchRow* table = fil_bench_table(&count);
    const FilBenchRow* rows[ROW_MAX];
    if (names > ROW_MAX || count > ROW_MAX) {
        return fil_cli_fail("bench", FIL_EXIT_USAGE, "at most %d rows at a time", ROW_MAX);
    }
    for (int i = 0; i < (names > 0 ? names : count); ++i) {
        rows[i] = names > 0 ? find_row(argv[i + 1]) : &table[i];
        if (rows[i] == NULL) {
            return FIL_EXIT_USAGE;
        }
    }
    FILE* csv = options.csv != NULL ? open_csv(options.csv) : NULL;
    if (options.csv != NULL && csv == NULL) {
        return fil_cli_fail("bench", FIL_EXIT_USAGE, "cannot write %s: %s", options.csv, strerror(errno));
    }
    FilBench* bench = NULL;
    if (fil_bench_create(options.repeats, &bench) != FIL_OK) {
        exit_code = fil_cli_fail("bench", FIL_EXIT_FAILED, "out of memory");
    } else {
        exit_code = run_rows(rows, names > 0 ? names : count, &options, bench, csv);
    }
    fil_bench_destroy(bench);
    if (csv != NULL && (ferror(csv) | fclose(csv)) != 0 && exit_code == FIL_EXIT_DONE) {
        exit_code = fil_cli_fail("bench", FIL_EXIT_FAILED, "cannot write %s: %s", options.csv, strerror(errno));
    }
    return exit_code;
}
