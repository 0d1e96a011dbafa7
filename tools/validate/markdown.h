/* The report of a run of checks as Markdown: where and when, every figure, the time of every check. */
#ifndef FILUM_TOOLS_VALIDATE_MARKDOWN_H
#define FILUM_TOOLS_VALIDATE_MARKDOWN_H

#include <stdio.h>

#include "validate/runner.h"

typedef struct FilMarkdownReport {
    FILE* out;
    char path[4096], draft[4096]; /* the draft becomes the report when it is whole */
} FilMarkdownReport;

typedef struct FilMarkdownRun {
    const char* command; /* as it was typed */
    double wall;         /* s */
    const FilCheckCase* table;
    const bool* picked;
    const FilCheckOutcome* outcomes;
    int count;
} FilMarkdownRun;

/* Opens a draft beside `path`, so that a path that cannot be written is known before the checks run. */
FIL_MUST_CHECK FilStatus fil_markdown_open(FilMarkdownReport* report, const char* path, FilError* error);

/* Writes what there is into the draft, where it stays if the process is ended before the report is whole. */
void fil_markdown_keep(FilMarkdownReport* report, const FilMarkdownRun* run);

/* Writes the report and puts it in place at once: readers find the old one or the new one, whole. */
FIL_MUST_CHECK FilStatus fil_markdown_write(FilMarkdownReport* report, const FilMarkdownRun* run, FilError* error);

#endif
