/* `filum bag play` and `filum bag record` across the graph: what is played is recorded, byte by byte, whatever its type
 * is, with reliability and durability as the publishers offer them. */
/* ctest: embedded */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bag_folder.h"
#include "client.h"
#include "process.h"
#include "scene.h"

static const TestScene* scene;
static BagFolder folder;

static pid_t start_recording(const char* bag, const char* topic)
{
    const char* const arguments[] = {"bag", "record", "--output", bag, "--quiet", topic, NULL};
    return process_start(FILUM_CLI, arguments);
}

static void end(pid_t process)
{
    kill(process, SIGINT);
    assert_int_equal(process_wait(process, EXIT_PATIENCE), 0);
}

/* a bag of a run of 0.2 s at full rate */
static void make_bag(const char* bag)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments, "run %s --duration 0.2 --quiet --bag %s --bag-rate 1000", scene->path, bag);
    assert_int_equal(bag_folder_run(&folder, arguments), 0);
}

/* all rows of a topic in both exports are the same but for the log time */
static void compare_rows(const char* a, const char* b, const char* topic)
{
    char command[512];
    snprintf(command, sizeof command, "bash -c \"diff <(cut -d, -f2- '%s/%s.csv') <(cut -d, -f2- '%s/%s.csv') >/dev/null\"", a, topic, b, topic);
    assert_int_equal(system(command), 0);
}

static void what_is_played_is_recorded(void** state)
{
    (void)state;
    static const char* const topics[] = {"rod_states", "tf", "probes", "step_info", "markers"};
    make_bag("run.mcap");
    make_bag("run.db3");
    assert_int_equal(bag_folder_run(&folder, "bag export run.mcap"), 0);
    for (int i = 0; i < 2; i++) {
        const pid_t recorder = start_recording(i == 0 ? "heard0" : "heard1.db3", NULL);
        // readers have a second to connect, the messages half a second to go by
        assert_int_equal(bag_folder_run(&folder, i == 0 ? "bag play run.mcap --delay 1 --rate 0.4" : "bag play run.db3 --delay 1 --rate 0.4"), 0);
        assert_non_null(strstr(folder.output, "506 messages"));
        end(recorder);
        const char* const names[2][3] = {{"bag info heard0", "bag export heard0", "heard0_csv"},
                                         {"bag info heard1.db3", "bag export heard1.db3", "heard1_csv"}};
        assert_int_equal(bag_folder_run(&folder, names[i][0]), 0);
        assert_int_equal(bag_folder_count(&folder, "/rod_states"), 101);
        assert_int_equal(bag_folder_count(&folder, "/step_info"), 101);
        // the player tells the time itself, and skips the recorded one
        const long clock = bag_folder_count(&folder, "/clock");
        assert_true(clock > 10 && clock != 101);
        assert_int_equal(bag_folder_run(&folder, names[i][1]), 0);
        for (size_t k = 0; k < sizeof topics / sizeof *topics; k++) {
            compare_rows("run_csv", names[i][2], topics[k]);
        }
    }
}

/* How many messages of a topic a bag has, once there are that many or patience is at its end. */
static long wait_for_messages(const char* bag, const char* topic, long wanted)
{
    char command[128];
    const double limit = seconds_now() + PATIENCE;
    long count = -1;
    snprintf(command, sizeof command, "bag info %s", bag);
    while (count < wanted && seconds_now() < limit) {
        sleep_seconds(0.2);
        count = access(bag, F_OK) == 0 && bag_folder_run(&folder, command) == 0 ? bag_folder_count(&folder, topic) : -1;
    }
    return count;
}

/* who comes late still gets what is transient local; loops go on until somebody stops them */
static void latecomers_get_what_lasts(void** state)
{
    (void)state;
    static const char text[] =
        "world: {dt: 0.01}\n"
        "materials: {m: {young: 1e6, poisson: 0.5, density: 1000}}\n"
        "rigid_bodies: [{name: ground, motion: static, material: m, shapes: [{half_space: {}}]}]\n";
    FILE* file = fopen("ground.yaml", "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    assert_int_equal(bag_folder_run(&folder, "run ground.yaml --duration 20 --quiet --bag ground.mcap"), 0);
    const char* const arguments[] = {"bag", "play", "ground.mcap", "--delay", "0.01", "--quiet", NULL};
    const pid_t player = process_start(FILUM_CLI, arguments);
    sleep_seconds(0.5);
    const pid_t recorder = start_recording("late.mcap", "/tf_static");
    const long count = wait_for_messages("late.mcap", "/tf_static", 1);
    end(recorder);
    end(player);
    assert_int_equal(count, 1);
    assert_int_equal(bag_folder_run(&folder, "bag info late.mcap"), 0);
    assert_int_equal(bag_folder_count(&folder, "/tf_static"), 1);
    assert_int_equal(bag_folder_count(&folder, "/clock"), -1);
}

static void loops_go_on(void** state)
{
    (void)state;
    make_bag("short.mcap");
    const pid_t recorder = start_recording("loops.mcap", "/step_info");
    const char* const arguments[] = {"bag", "play", "short.mcap", "--loop", "--rate", "20", "--quiet", NULL};
    const pid_t player = process_start(FILUM_CLI, arguments);
    const long count = wait_for_messages("loops.mcap", "/step_info", 300);
    end(player);
    kill(recorder, SIGINT);
    // at that rate a reader may lose some, which it then says
    assert_in_range(process_wait(recorder, EXIT_PATIENCE), 0, 1);
    assert_true(count >= 300);
}

/* a type that nobody here knows: the bytes go through, the definition is missing and can be added */
static void foreign_types_go_through(void** state)
{
    (void)state;
    if (system("command -v sqlite3 >/dev/null") != 0) {
        skip();  // the shell of SQLite makes the foreign bag
    }
    assert_int_equal(system("cp run.db3 foreign.db3 && sqlite3 foreign.db3 \"UPDATE topics SET name = '/own', type = "
                            "'mine/msg/Own' WHERE name = '/probes'\" 2>/dev/null"),
                     0);
    const pid_t recorder = start_recording("foreign.mcap", "/own");
    assert_int_equal(bag_folder_run(&folder, "bag play foreign.db3 /own --delay 1"), 0);
    end(recorder);
    assert_int_equal(bag_folder_run(&folder, "bag info foreign.mcap"), 0);
    assert_int_equal(bag_folder_count(&folder, "/own"), 101);
    assert_non_null(strstr(folder.output, "mine/msg/Own (no definition: filum bag add-definitions)"));
    assert_int_equal(system("mkdir -p defs/mine/msg && cp '" FILUM_SOURCE_DIR "/msg/Probes.msg' defs/mine/msg/Own.msg"), 0);
    assert_int_equal(bag_folder_run(&folder, "bag add-definitions foreign.mcap known.mcap --path defs"), 0);
    assert_int_equal(bag_folder_run(&folder, "bag export known.mcap"), 0);
    assert_int_equal(system("mv known_csv/own.csv known_csv/probes.csv"), 0);
    compare_rows("run_csv", "known_csv", "probes");
}

static void bad_usage_is_refused(void** state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"bag play", "something is missing"},
        {"bag play nothing.mcap", "there is no such bag"},
        {"bag play run.mcap --rate 0", "not a number above zero"},
        {"bag record --output run.mcap", "exists already"},
        {"bag record --storage tape", "no storage 'tape'"},
        {"bag record --compression gz", "no compression 'gz'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(bag_folder_run(&folder, cases[i].arguments), 2);
        assert_non_null(strstr(folder.output, cases[i].message));
    }
}

static int set_up(void** state)
{
    const int result = test_scene_write(state);
    scene = *state;
    return result != 0 || bag_folder_make(&folder) != 0;
}

static int tear_down(void** state)
{
    return bag_folder_remove(&folder) != 0 || test_scene_remove(state) != 0;
}

int main(void)
{
    // also of the processes started here: the search for leaks takes seconds in each
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    unsetenv("AMENT_PREFIX_PATH");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_is_played_is_recorded, process_end_all),
        cmocka_unit_test_teardown(latecomers_get_what_lasts, process_end_all),
        cmocka_unit_test_teardown(loops_go_on, process_end_all),
        cmocka_unit_test_teardown(foreign_types_go_through, process_end_all),
        cmocka_unit_test_teardown(bad_usage_is_refused, process_end_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
