/* Running checks: order, processes that crash or report in vain, stopping, and the report as Markdown. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli.h"
#include "text_file.h"
#include "validate/markdown.h"

static void run_good(FilCheck* check)
{
    fil_check_near(check, "length | m", 1.001, 1.0, 0.01);
    fil_check_note(check, "seen", 7.0);
    fil_check_print(check, "signs %d", 1);
    fil_check_print(check, "+ -");
}

static void run_many(FilCheck* check)
{
    // more than a pipe holds at once
    for (int i = 0; i < 2000; ++i) {
        char what[32];
        snprintf(what, sizeof what, "row %d", i);
        fil_check_above(check, what, i, 0.0);
    }
}

static void run_bad(FilCheck* check)
{
    fil_check_below(check, "too large", 2.0, 1.0);
    fil_check_above(check, "not a number", NAN, 0.0);
}

static void run_failing(FilCheck* check)
{
    fil_check_fail(check, "step 3 failed");
}

static void run_crashing(FilCheck* check)
{
    fil_check_below(check, "lost", 0.0, 1.0);
    signal(SIGABRT, SIG_DFL);
    abort();
}

static void run_leaving(FilCheck* check)
{
    (void)check;
    _exit(3);
}

static void run_stopping(FilCheck* check)
{
    (void)check;
    kill(getppid(), SIGINT);
    for (;;) {
        pause();
    }
}

static const FilCheckCase TABLE[] = {
    {"a", "good", "fine", 0, run_good},       {"a", "crashing", "crashes", 0, run_crashing},
    {"b", "many", "2000 rows", 9, run_many},  {"b", "leaving", "ends in silence", 5, run_leaving},
    {"b", "bad", "misses", 0, run_bad},       {"c", "failing", "cannot measure", 7, run_failing},
    {"c", "good", "fine again", 0, run_good},
};
enum { COUNT = sizeof TABLE / sizeof TABLE[0] };

/* Names in the order in which they were reported. */
static void note(void* context, const FilCheckCase* check, const FilCheckOutcome* outcome)
{
    char* names = context;
    assert_true(outcome->finished);
    sprintf(names + strlen(names), "%s.%s ", check->group, check->name);
}

/* The same with a dot for each check that has finished. */
static void note_end(void* context)
{
    strcat(context, ". ");
}

static void drop_ends(char* names)
{
    for (char* end = strstr(names, ". "); end != NULL; end = strstr(names, ". ")) {
        memmove(end, end + 2, strlen(end + 2) + 1);
    }
}

static void release(FilCheckOutcome* outcomes, int count)
{
    for (int i = 0; i < count; ++i) {
        fil_check_free(&outcomes[i].check);
    }
}

static void test_processes(void** state)
{
    (void)state;
    for (int jobs = 1; jobs <= 10; jobs += 3) {
        const bool picked[COUNT] = {true, true, true, true, true, true, true};
        FilCheckOutcome outcomes[COUNT] = {0};
        char names[512] = "";
        const FilCheckRunDef def = {
            .table = TABLE, .picked = picked, .count = COUNT, .jobs = jobs, .report = note, .finished = note_end, .context = names};
        assert_int_equal(fil_checks_run(&def, outcomes), COUNT);
        if (jobs == 1) {
            // the slowest begin, but are reported in the order of the table
            assert_string_equal(names, ". . . a.good . a.crashing b.many b.leaving . b.bad c.failing . c.good . ");
        }
        drop_ends(names);
        assert_string_equal(names, "a.good a.crashing b.many b.leaving b.bad c.failing c.good ");
        assert_true(fil_check_passes(&outcomes[0].check));
        assert_int_equal(outcomes[0].check.count, 2);
        assert_string_equal(outcomes[0].check.rows[0].what, "length | m");
        assert_true(outcomes[0].check.rows[0].measured == 1.001);
        assert_string_equal(outcomes[0].check.text, "signs 1\n+ -\n");
        assert_null(outcomes[2].check.text);
        assert_int_equal(outcomes[1].check.count, 0);
        assert_non_null(strstr(outcomes[1].check.failure, "ended by signal 6"));
        assert_int_equal(outcomes[2].check.count, 2000);
        assert_string_equal(outcomes[2].check.rows[1999].what, "row 1999");
        assert_true(fil_check_passes(&outcomes[2].check));
        assert_string_equal(outcomes[3].check.failure, "its process ended with exit code 3 and sent no result");
        assert_false(fil_check_passes(&outcomes[4].check));
        assert_true(isnan(outcomes[4].check.rows[1].measured));
        assert_string_equal(outcomes[5].check.failure, "step 3 failed");
        assert_true(fil_check_passes(&outcomes[6].check));
        release(outcomes, COUNT);
    }
}

static void test_here(void** state)
{
    (void)state;
    const bool picked[COUNT] = {true, false, true, false, true, true, false};
    FilCheckOutcome outcomes[COUNT] = {0};
    char names[512] = "";
    const FilCheckRunDef def = {.table = TABLE, .picked = picked, .count = COUNT, .report = note, .context = names};
    assert_int_equal(fil_checks_run(&def, outcomes), 4);
    assert_string_equal(names, "a.good b.many b.bad c.failing ");
    assert_false(outcomes[1].finished);
    assert_int_equal(outcomes[2].check.count, 2000);
    release(outcomes, COUNT);
}

static void test_report(void** state)
{
    (void)state;
    static const char* const parts[] = {
        "| result | **partial**: 1 of 4 checks pass, **2 missed**, 1 not run to their end |\n",
        "| command | `filum validate all` |\n",
        "| time | 12 s, CPU 5 s |\n",
        "| commit | `",
        " cores |\n",
        "| `a.good` | fine | 1.50 | yes |\n",
        "| `b.leaving` | ends in silence | | not run to its end |\n",
        "| `b.bad` | misses | 0.00 | **no** |\n",
        "| `c.failing` | cannot measure | 3.00 | **no**: step 3 failed |\n",
        "| `a.good` | length \\| m | 1.001 | 1 | 1 % | yes |\n",
        "| `a.good` | seen | 7 | | | noted |\n",
        "\n## a.good\n\n```\nsigns 1\n+ -\n```\n",
        "| `b.bad` | too large | 2 | at most 1 | | **no** |\n",
        "| `b.bad` | not a number | nan | at least 0 | | **no** |\n",
    };
    const bool picked[COUNT] = {true, false, false, true, true, true, false};
    FilCheckOutcome outcomes[COUNT] = {
        [0] = {.finished = true, .cpu = 1.5}, [3] = {.cpu = 0.5}, [4] = {.finished = true}, [5] = {.finished = true, .cpu = 3.0}};
    run_good(&outcomes[0].check);
    run_bad(&outcomes[4].check);
    run_failing(&outcomes[5].check);
    char folder[] = "/tmp/filum_report_XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/report.md", folder);
    FilMarkdownReport report;
    FilError error;
    assert_int_equal(fil_markdown_open(&report, path, &error), FIL_OK);
    assert_int_not_equal(access(path, F_OK), 0);  // not there until it is whole
    const FilMarkdownRun run = {
        .command = "filum validate all", .wall = 12.3, .table = TABLE, .picked = picked, .outcomes = outcomes, .count = COUNT};
    // what there is until then stands in the draft, whatever becomes of the process; the report is longer, or shorter
    for (int longer = 0; longer < 2; ++longer) {
        char draft[256];
        snprintf(draft, sizeof draft, "%s.part", path);
        outcomes[4].finished = longer == 0;
        fil_markdown_keep(&report, &run);
        char* kept = read_whole(draft);
        assert_non_null(strstr(kept, "| `a.good` | length \\| m | 1.001 | 1 | 1 % | yes |\n"));
        assert_int_equal(strstr(kept, "too large") != NULL, longer == 0);
        free(kept);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    outcomes[4].finished = true;
    assert_int_equal(fil_markdown_write(&report, &run, &error), FIL_OK);
    char* text = read_whole(path);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        if (strstr(text, parts[i]) == NULL) {
            fail_msg("expected '%s' in:\n%s", parts[i], text);
        }
    }
    assert_null(strstr(text, "crashes"));
    free(text);
    release(outcomes, COUNT);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);  // no draft is left
}

static void test_report_nowhere(void** state)
{
    (void)state;
    FilMarkdownReport report;
    FilError error;
    assert_int_equal(fil_markdown_open(&report, "/missing/report.md", &error), FIL_IO);
    assert_non_null(strstr(error.text, "cannot write /missing/report.md"));
}

/* Last: the process remembers that it was asked to stop. */
static void test_stop(void** state)
{
    (void)state;
    static const FilCheckCase table[] = {
        {"a", "good", "fine", 9, run_good}, {"a", "stopping", "asks to stop", 5, run_stopping}, {"a", "late", "never begins", 0, run_good}};
    const bool picked[3] = {true, true, true};
    FilCheckOutcome outcomes[3] = {0};
    char names[512] = "";
    const FilCheckRunDef def = {.table = table, .picked = picked, .count = 3, .jobs = 1, .report = note, .finished = note_end, .context = names};
    fil_stop_on_signals();
    assert_int_equal(fil_checks_run(&def, outcomes), 1);
    assert_string_equal(names, "a.good . ");
    assert_true(fil_check_passes(&outcomes[0].check));
    assert_false(outcomes[1].finished || outcomes[2].finished);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);  // no child is left
    release(outcomes, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processes),      cmocka_unit_test(test_here), cmocka_unit_test(test_report),
        cmocka_unit_test(test_report_nowhere), cmocka_unit_test(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
