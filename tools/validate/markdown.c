/* Owns the report of a run of checks as Markdown. */
#include "validate/markdown.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "bench.h"

FilStatus fil_markdown_open(FilMarkdownReport* report, const char* path, FilError* error)
{
    *report = (FilMarkdownReport){0};
    if ((size_t)snprintf(report->draft, sizeof report->draft, "%s.part", path) >= sizeof report->draft) {
        return fil_error(error, FIL_IO, "cannot write %.100s...: the path is too long", path);
    }
    snprintf(report->path, sizeof report->path, "%s", path);
    report->out = fopen(report->draft, "w");
    if (report->out == NULL) {
        return fil_error(error, FIL_IO, "cannot write %s: %s", path, strerror(errno));
    }
    return FIL_OK;
}

/* A cell's text: a bar would end the cell. */
static void write_text(FILE* out, const char* text)
{
    for (; *text != '\0'; ++text) {
        if (*text == '|') {
            fputc('\\', out);
        }
        fputc(*text == '\n' ? ' ' : *text, out);
    }
}

static void write_heading(FILE* out, const FilMarkdownRun* run)
{
    const FilMachine machine = fil_machine();
    int total = 0, finished = 0, passed = 0;
    double cpu = 0.0;
    for (int i = 0; i < run->count; ++i) {
        const FilCheckOutcome* outcome = &run->outcomes[i];
        total += run->picked[i];
        finished += outcome->finished;
        passed += outcome->finished && fil_check_passes(&outcome->check);
        cpu += outcome->cpu;
    }
    char date[64] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts);
    }
    fputs("# What `filum validate` measured\n\nWritten by the command below; edits are lost when it runs again.\n\n", out);
    fputs("| | |\n|---|---|\n| result | ", out);
    fprintf(out, "%s%d of %d checks pass", finished < total ? "**partial**: " : "", passed, total);
    if (finished > passed) {
        fprintf(out, ", **%d missed**", finished - passed);
    }
    if (finished < total) {
        fprintf(out, ", %d not run to their end", total - finished);
    }
    fprintf(out, " |\n| date | %s |\n| commit | `%s` |\n| machine | ", date, machine.commit);
    write_text(out, machine.cpu);
    fprintf(out, " (%s), %d cores |\n| compiler | ", machine.arch, machine.core_count);
    write_text(out, machine.compiler);
    fputs(" |\n| command | `", out);
    write_text(out, run->command);
    fprintf(out, "` |\n| time | %.0f s, CPU %.0f s |\n", run->wall, cpu);
}

static void write_checks(FILE* out, const FilMarkdownRun* run)
{
    fputs("\n## Checks\n\n| check | about | CPU s | ok |\n|---|---|---:|---|\n", out);
    for (int i = 0; i < run->count; ++i) {
        const FilCheckOutcome* outcome = &run->outcomes[i];
        if (!run->picked[i]) {
            continue;
        }
        fprintf(out, "| `%s.%s` | ", run->table[i].group, run->table[i].name);
        write_text(out, run->table[i].title);
        if (!outcome->finished) {
            fputs(" | | not run to its end |\n", out);
            continue;
        }
        fprintf(out, " | %.*f | %s", outcome->cpu < 10.0 ? 2 : 0, outcome->cpu, fil_check_passes(&outcome->check) ? "yes" : "**no**");
        if (outcome->check.failure[0] != '\0') {
            fputs(": ", out);
            write_text(out, outcome->check.failure);
        } else if (outcome->check.count == 0) {
            fputs(": it measured nothing", out);
        }
        fputs(" |\n", out);
    }
}

static void write_row(FILE* out, const FilCheckRow* row)
{
    write_text(out, row->what);
    fprintf(out, " | %.9g | ", row->measured);
    const char* ok = fil_check_row_passes(row) ? "yes" : "**no**";
    switch (row->relation) {
        case FIL_CHECK_NEAR:
            fprintf(out, "%.9g | %.3g %% | %s |\n", row->expected, 100.0 * row->tolerance, ok);
            break;
        case FIL_CHECK_BELOW:
            fprintf(out, "at most %.9g | | %s |\n", row->expected, ok);
            break;
        case FIL_CHECK_ABOVE:
            fprintf(out, "at least %.9g | | %s |\n", row->expected, ok);
            break;
        case FIL_CHECK_NOTED:
            fputs("| | noted |\n", out);
            break;
    }
}

static void write_figures(FILE* out, const FilMarkdownRun* run)
{
    fputs("\n## Figures\n\n| check | what | measured | expected | tolerance | ok |\n|---|---|---:|---|---|---|\n", out);
    for (int i = 0; i < run->count; ++i) {
        for (int k = 0; run->outcomes[i].finished && k < run->outcomes[i].check.count; ++k) {
            fprintf(out, "| `%s.%s` | ", run->table[i].group, run->table[i].name);
            write_row(out, &run->outcomes[i].check.rows[k]);
        }
    }
}

/* Texts as they are, each under its check's name. */
static void write_texts(FILE* out, const FilMarkdownRun* run)
{
    for (int i = 0; i < run->count; ++i) {
        if (run->outcomes[i].finished && run->outcomes[i].check.text != NULL) {
            fprintf(out, "\n## %s.%s\n\n```\n%s```\n", run->table[i].group, run->table[i].name, run->outcomes[i].check.text);
        }
    }
}

/* The draft anew; false if it could not be written. */
static bool write_draft(FILE* out, const FilMarkdownRun* run)
{
    rewind(out);
    write_heading(out, run);
    write_checks(out, run);
    write_texts(out, run);
    write_figures(out, run);
    // the draft before may have been longer: it said what had not run
    return fflush(out) == 0 && !ferror(out) && ftruncate(fileno(out), ftello(out)) == 0;
}

void fil_markdown_keep(FilMarkdownReport* report, const FilMarkdownRun* run)
{
    (void)write_draft(report->out, run);  // an error that stays is reported at the end
}

FilStatus fil_markdown_write(FilMarkdownReport* report, const FilMarkdownRun* run, FilError* error)
{
    const bool written = write_draft(report->out, run);
    if (fclose(report->out) != 0 || !written || rename(report->draft, report->path) != 0) {
        const FilStatus status = fil_error(error, FIL_IO, "cannot write %s: %s", report->path, strerror(errno));
        remove(report->draft);
        return status;
    }
    return FIL_OK;
}
