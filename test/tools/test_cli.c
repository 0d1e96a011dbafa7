/* The command line from outside: exit codes, messages, JSON keys, CSV rows, the same hash twice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench.h"
#include "cli.h"

static const char SCENE[] =
    "title: A short rod\n"
    "duration: 0.02\n"
    "output_period: 0.005\n"
    "world: {dt: 1e-3, gravity: [0, 0, -9.81]}\n"
    "materials:\n"
    "  rubber: {young: 1e7, poisson: 0.49, density: 1100}\n"
    "rods:\n"
    "  - name: rod\n"
    "    material: rubber\n"
    "    section: {circle: {radius: 2e-3}}\n"
    "    shape: {straight: {from: [0, 0, 0], to: [0.3, 0, 0], nodes: 11}}\n"
    "attachments:\n"
    "  - {name: wall, clamp: {rod: rod, node: 0}}\n"
    "probes:\n"
    "  tip: {position: {rod: rod, node: -1, component: z}}\n";

typedef struct Fixture {
    char folder[64];
    char output[32768]; /* of the last command, both streams */
} Fixture;

/* In a build with sanitizers the search for leaks takes seconds in each process: a few tests have it, most do not. */
static void search_for_leaks(bool wanted)
{
    assert_int_equal(setenv("ASAN_OPTIONS", wanted ? "detect_leaks=1" : "detect_leaks=0", 1), 0);
}

static int set_up(void** state)
{
    search_for_leaks(false);
    Fixture* fixture = calloc(1, sizeof *fixture);
    if (fixture == NULL) {
        return -1;
    }
    strcpy(fixture->folder, "/tmp/filum_cli_XXXXXX");
    if (mkdtemp(fixture->folder) == NULL || chdir(fixture->folder) != 0 || setenv("FILUM_SCENE_PATH", fixture->folder, 1) != 0) {
        return -1;
    }
    char path[128];
    snprintf(path, sizeof path, "%s/short_rod.yaml", fixture->folder);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        return -1;
    }
    fputs(SCENE, file);
    *state = fixture;
    return fclose(file);
}

static int tear_down(void** state)
{
    Fixture* fixture = *state;
    static const char* const files[] = {"short_rod.yaml", "deep.yaml", "rows.csv", "bench.csv"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", fixture->folder, files[i]);
        unlink(path);
    }
    const int failed = rmdir(fixture->folder);
    free(fixture);
    return failed;
}

/* Runs `filum ARGUMENTS`, keeps what it says and returns its exit code. */
static int filum(Fixture* fixture, const char* arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "exec 2>&1; %s %s", FILUM_CLI, arguments);
    FILE* pipe = popen(command, "r");
    assert_non_null(pipe);
    const size_t size = fread(fixture->output, 1, sizeof fixture->output - 1, pipe);
    fixture->output[size] = '\0';
    const int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void assert_says(const Fixture* fixture, const char* text)
{
    if (strstr(fixture->output, text) == NULL) {
        fail_msg("expected '%s' in:\n%s", text, fixture->output);
    }
}

static void test_bad_usage(void** state)
{
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"", "usage:"},
        {"rnu", "no command 'rnu'; did you mean 'run'?"},
        {"run", "filum run SCENE"},
        {"run a b", "too many arguments"},
        {"run short_rdo", "no scene 'short_rdo'; did you mean 'short_rod'?"},
        {"run ./missing.yaml", "missing.yaml"},
        {"run short_rod --jsn", "no option '--jsn'; did you mean '--json'?"},
        {"run short_rod --dt", "--dt needs S"},
        {"run short_rod --dt 0", "--dt: '0' is not a number above zero"},
        {"run short_rod --dt nan", "--dt: 'nan' is not a number above zero"},
        {"run short_rod --duration=1e999", "is not a number, zero or above"},
        {"run short_rod --duration 1x", "is not a number, zero or above"},
        {"run short_rod --seed -1", "--seed: '-1' is not a whole number"},
        {"run short_rod --set world.dt", "--set: 'world.dt' is not key.path=value"},
        {"run short_rod --set world.td=1", "world.td"},
        {"run short_rod --contact magic", "no contact model 'magic'"},
        {"run short_rod --bag out.mcap --bag-rate 0", "--bag-rate: '0' is not a number above zero"},
        {"run short_rod --json --csv -", "both want standard output"},
        {"run short_rod --quiet=yes", "--quiet takes no value"},
        {"run short_rod --csv /missing/rows.csv", "cannot write /missing/rows.csv"},
        {"info", "filum info SCENE"},
        {"info short_rdo short_rod", "no scene 'short_rdo'"},
        {"info short_rdo short_rod", "degrees of freedom"},  // the bad one hides no other
        {"info short_rod short_rod --svg both.svg", "--svg draws one scene, not 2"},
        {"validate no_such_check", "no check or group 'no_such_check'"},
        {"validate rod.torsion --jobs 0", "--jobs: '0' is not a whole number"},
        {"validate rod.torsion --report /missing/r.md", "cannot write /missing/r.md"},
        {"bench hangin_rod", "no bench row 'hangin_rod'; did you mean 'hanging_rod'?"},
        {"bench --repeat 0", "--repeat: '0' is not a whole number"},
    };
    Fixture* fixture = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(filum(fixture, cases[i].arguments), FIL_EXIT_USAGE);
        assert_says(fixture, cases[i].message);
    }
}

static void test_help(void** state)
{
    static const char* const commands[] = {"--help", "--version", "run --help", "info --help", "validate --help", "bench --help", "run -h"};
    Fixture* fixture = *state;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        assert_int_equal(filum(fixture, commands[i]), FIL_EXIT_DONE);
        assert_says(fixture, "filum");
    }
    int count = 0;
    const FilBenchRow* rows = fil_bench_table(&count);
    assert_int_equal(filum(fixture, "bench --help"), FIL_EXIT_DONE);
    assert_says(fixture, rows[count - 1].title);  // none is cut off
    assert_int_equal(filum(fixture, "--version"), FIL_EXIT_DONE);
    assert_string_equal(fixture->output, "filum " FIL_VERSION "\n");
}

/* A command ends well, and its process has freed what it took. */
static void runs_without_leaks(Fixture* fixture, const char* arguments)
{
    search_for_leaks(true);
    assert_int_equal(filum(fixture, arguments), FIL_EXIT_DONE);
    search_for_leaks(false);
}

static void test_run_json(void** state)
{
    static const char* const parts[] = {
        "\"scene\": \"short_rod\"",
        "\"contact_model\": \"none\"",
        "\"dt\": 0.001",
        "\"sim_time\": 0.02",
        "\"wall_time\": ",
        "\"realtime_rate\": ",
        "\"steps\": 20",
        "\"newton_iterations\": ",
        "\"contacts_avg\": 0",
        "\"contacts_max\": 0",
        "\"energy\": {",
        "\"max_penetration\": 0",
        "\"kinetic\": ",
        "\"elastic\": ",
        "\"gravity\": ",
        "\"probes\": {",
        "\"tip\": -",
        "\"state_hash\": \"",
        "\"timings\": {",
        "\"collide\": ",
        "\"free_motion\": ",
        "\"contact\": ",
        "\"other\": ",
    };
    Fixture* fixture = *state;
    runs_without_leaks(fixture, "run short_rod --json");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        assert_says(fixture, parts[i]);
    }
    assert_int_equal(fixture->output[0], '{');
    assert_int_equal(filum(fixture, "run short_rod --json --dt 5e-4 --duration 0.01"), FIL_EXIT_DONE);
    assert_says(fixture, "\"steps\": 20");
    assert_says(fixture, "\"dt\": 0.0005");
}

/* Scenes by name with their titles: the first folder that has a name counts, and a word picks. */
static void test_list(void** state)
{
    Fixture* fixture = *state;
    assert_int_equal(filum(fixture, "list"), FIL_EXIT_DONE);
    assert_says(fixture, "short_rod");
    assert_says(fixture, "Cantilever under its own weight");
    assert_int_equal(filum(fixture, "list cantilever_s"), FIL_EXIT_DONE);
    assert_says(fixture, "cantilever_solid");
    assert_null(strstr(fixture->output, "short_rod"));
    assert_int_equal(filum(fixture, "list no_such_word"), FIL_EXIT_FAILED);
    assert_says(fixture, "no scene has no_such_word");
}

/* Nothing is simulated in no time, but what is there is shown. */
static void test_start_state(void** state)
{
    Fixture* fixture = *state;
    assert_int_equal(filum(fixture, "run short_rod --duration 0 --json --svg start.svg"), FIL_EXIT_DONE);
    assert_says(fixture, "\"steps\": 0");
    assert_int_equal(filum(fixture, "info short_rod --svg info.svg --view 0,-1,0"), FIL_EXIT_DONE);
    assert_int_equal(remove("start.svg"), 0);
    assert_int_equal(remove("info.svg"), 0);
    assert_int_equal(filum(fixture, "info short_rod --svg no/such/folder/info.svg"), FIL_EXIT_FAILED);
    assert_says(fixture, "cannot write");
}

/* A cube that starts 30 mm deep in the ground is named on the way, but not in a quiet run; and refused where asked. */
static void test_run_deep(void** state)
{
    Fixture* fixture = *state;
    FILE* file = fopen("deep.yaml", "w");
    assert_non_null(file);
    fputs(
        "world: {dt: 0.001, contact: {model: sap, max_depth: 0}}\n"
        "duration: 0.01\n"
        "rigid_bodies:\n"
        "  - {name: ground, motion: static, shapes: [{half_space: {}}]}\n"
        "  - {name: cube, mass: 1, position: [0, 0, 0.02], shapes: [{box: {size: [0.1, 0.1, 0.1]}}]}\n",
        file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(filum(fixture, "run deep"), FIL_EXIT_DONE);
    assert_says(fixture, "bodies overlap by more than a tenth of their sizes (4 contacts, up to 0.03 m, deepest 'ground' and 'cube')");
    assert_says(fixture, "deeper than a tenth of a body in 10 steps");
    assert_int_equal(filum(fixture, "run deep --quiet --json"), FIL_EXIT_DONE);
    assert_null(strstr(fixture->output, "overlap"));
    assert_says(fixture, "\"deep_steps\": 10");
    assert_int_equal(filum(fixture, "run deep --set world.contact.max_depth=0.5"), FIL_EXIT_FAILED);
    assert_says(fixture, "'ground' and 'cube' overlap by 0.03 m, more than max_depth allows of their size, 0.05 m");
}

static void test_run_hash(void** state)
{
    Fixture* fixture = *state;
    char first[64], again[64];
    assert_int_equal(filum(fixture, "run short_rod --quiet --hash"), FIL_EXIT_DONE);
    assert_int_equal(strlen(fixture->output), 17);
    memcpy(first, fixture->output, 18);
    assert_int_equal(filum(fixture, "run ./short_rod.yaml --hash --quiet"), FIL_EXIT_DONE);
    memcpy(again, fixture->output, 18);
    assert_string_equal(first, again);
    // another scene is another state
    assert_int_equal(filum(fixture, "run short_rod --hash --quiet --set rods.rod.shape.straight.nodes=12"), FIL_EXIT_DONE);
    assert_string_not_equal(first, fixture->output);
    // what is written on the way does not touch the state
    assert_int_equal(filum(fixture, "run short_rod --hash --quiet --csv rows.csv"), FIL_EXIT_DONE);
    assert_string_equal(first, fixture->output);
}

static void test_run_csv(void** state)
{
    Fixture* fixture = *state;
    assert_int_equal(filum(fixture, "run short_rod --quiet --csv rows.csv"), FIL_EXIT_DONE);
    assert_string_equal(fixture->output, "");
    char path[128];
    snprintf(path, sizeof path, "%s/rows.csv", fixture->folder);
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    char line[128];
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "t,tip\n");
    // a row at the start and after each of four periods
    double last_tip = 1.0;
    for (int i = 0; i <= 4; ++i) {
        double t = 0.0, tip = 0.0;
        assert_int_equal(fscanf(file, "%lf,%lf\n", &t, &tip), 2);
        assert_true(fabs(t - 0.005 * i) < 1e-12);  // twenty additions round at 1e-17 each
        assert_true(tip < last_tip);               // it falls
        last_tip = tip;
    }
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    // the same rows on standard output
    assert_int_equal(filum(fixture, "run short_rod --quiet --csv - | wc -l"), FIL_EXIT_DONE);
    assert_int_equal(atoi(fixture->output), 6);
}

static void test_full_disk(void** state)
{
    Fixture* fixture = *state;
    assert_int_equal(filum(fixture, "run short_rod --csv /dev/full --quiet"), FIL_EXIT_FAILED);
    assert_says(fixture, "cannot write /dev/full");
    assert_int_equal(filum(fixture, "--version >/dev/full"), FIL_EXIT_FAILED);
}

/* Little address space: what fits runs and ends (a thread of OpenBLAS once kept it from ending), what does not says so.
 * Sanitizers reserve terabytes: not with them. */
static void test_little_memory(void** state)
{
    Fixture* fixture = *state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    assert_int_equal(filum(fixture, "run short_rod --hash --quiet"), FIL_EXIT_DONE);
    char hash[64];
    snprintf(hash, sizeof hash, "%.40s", fixture->output);
    assert_int_equal(filum(fixture, "--version; ulimit -v 200000; timeout -k 1 60 " FILUM_CLI " run short_rod --hash --quiet"), FIL_EXIT_DONE);
    assert_says(fixture, hash);
    assert_int_equal(
        filum(fixture, "--version; ulimit -v 200000; timeout -k 1 60 " FILUM_CLI " info short_rod --set rods.rod.shape.straight.nodes=300000"),
        FIL_EXIT_USAGE);
    assert_says(fixture, "out of memory");
}

static void test_interrupt(void** state)
{
    Fixture* fixture = *state;
    // it would run for hours
    assert_int_equal(filum(fixture,
                           "run short_rod --duration 1e6 --csv rows.csv & pid=$!; sleep 0.5; "
                           "kill -TERM $pid; wait $pid"),
                     FIL_EXIT_FAILED);
    assert_says(fixture, "stopped at t = ");
    assert_says(fixture, "times real time");
}

static void test_info(void** state)
{
    Fixture* fixture = *state;
    runs_without_leaks(fixture, "info short_rod");
    assert_says(fixture, "short_rod: A short rod");
    assert_says(fixture, "20 steps of 0.001 s");
    assert_says(fixture, "11 nodes, 10 edges, open, length 0.3 m");
    assert_says(fixture, "circle, radius 0.002 m");
    assert_says(fixture, "tip");
    assert_int_equal(filum(fixture, "info short_rod --set rods.rod.shape.straight.nodes=12"), FIL_EXIT_DONE);
    assert_says(fixture, "12 nodes, 11 edges");
    assert_int_equal(filum(fixture, "info hanging_clothes --set columns=8 --set rows=4"), FIL_EXIT_DONE);
    assert_says(fixture, "rods       1");
    assert_says(fixture, "shells     1");
    assert_says(fixture, "triangles, thickness 0.001 m");
    assert_says(fixture, "rings      5");
    assert_says(fixture, "threaded, 0.");
}

/* Several processes print what one prints, times aside. */
static void test_validate_jobs(void** state)
{
    Fixture* fixture = *state;
    static const char* const forms[] = {"", "--json "};
    for (int k = 0; k < 2; ++k) {
        char command[256];
        char alone[sizeof fixture->output];
        const char* const strip = "sed 's/ ([^ ]* s)$//; /wall_time/d'";
        snprintf(command, sizeof command, "validate rod.torsion rod.circle rod.drag %s| %s", forms[k], strip);
        assert_int_equal(filum(fixture, command), FIL_EXIT_DONE);
        assert_says(fixture, "circle");
        strcpy(alone, fixture->output);
        snprintf(command, sizeof command, "validate rod.torsion rod.circle rod.drag --jobs 2 %s| %s", forms[k], strip);
        assert_int_equal(filum(fixture, command), FIL_EXIT_DONE);
        assert_string_equal(fixture->output, alone);
    }
}

static void test_validate_report(void** state)
{
    Fixture* fixture = *state;
    runs_without_leaks(fixture, "validate rod.torsion --report report.md && cat report.md");
    assert_says(fixture, "| command | `filum validate rod.torsion --report report.md` |");
    assert_says(fixture, "| result | 1 of 1 checks pass |");
    assert_says(fixture, "| `rod.torsion` | torque of a twisted rod | ");
    // and nothing else is left: the folder can be removed at the end
    assert_int_equal(filum(fixture, "--version; rm report.md"), FIL_EXIT_DONE);
}

/* Nobody asked for files: a run, a plan of what there is and checks that could draw figures write none. */
static void test_nothing_is_left(void** state)
{
    Fixture* fixture = *state;
    assert_int_equal(filum(fixture, "run short_rod --quiet && mkdir here && cd here && " FILUM_CLI
                                    " run cantilever --duration 0.01 --quiet && " FILUM_CLI " info cantilever && " FILUM_CLI " list && " FILUM_CLI
                                    " schema >/dev/null && " FILUM_CLI " validate knots.start rod.torsion rings.bar && ls -A && cd .. && rmdir here"),
                     FIL_EXIT_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_usage),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_run_json),
        cmocka_unit_test(test_run_hash),
        cmocka_unit_test(test_run_csv),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_run_deep),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_start_state),
        cmocka_unit_test(test_validate_jobs),
        cmocka_unit_test(test_validate_report),
        cmocka_unit_test(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
