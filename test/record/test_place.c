/* Bags that must lie below given folders: whatever links are there, and however they change meanwhile, nothing is made elsewhere. */
#include "record/sample_bag.h"

#include <dirent.h>
#include <sys/stat.h>

#include "link_swapper.h"

enum { COUNT = 40 };

static char folder[64], inside[80], outside[80];

static const char* at(const char* name)
{
    static char path[4][160];
    static int last;
    last = (last + 1) % 4;
    snprintf(path[last], sizeof path[last], "%s/%s", folder, name);
    return path[last];
}

/* folder/: inside/, outside/; inside/: sub/, other -> ../outside */
static int set_up(void** state)
{
    if (sample_folder_make(state) != 0) {
        return 1;
    }
    snprintf(folder, sizeof folder, "%s", (const char*)*state);
    snprintf(inside, sizeof inside, "%s/inside", folder);
    snprintf(outside, sizeof outside, "%s/outside", folder);
    return mkdir(inside, 0777) != 0 || mkdir(outside, 0777) != 0 || mkdir(at("inside/sub"), 0777) != 0 ||
           symlink("../outside", at("inside/other")) != 0;
}

static FilRecorderOptions bound(bool sqlite)
{
    FilRecorderOptions options = fil_recorder_options_default();
    options.sqlite = sqlite;
    options.folders = inside;
    return options;
}

static int count_files(const char* path)
{
    int count = -2;  // . and ..
    DIR* listing = opendir(path);
    assert_non_null(listing);
    while (readdir(listing) != NULL) {
        count++;
    }
    closedir(listing);
    return count;
}

static int count_messages(const char* path)
{
    FilReader* reader = sample_open(path, fil_reader_options_default());
    int count = 0;
    for (bool found = true; found; count += found) {
        FilBagMessage message;
        FilError error = {""};
        assert_int_equal(fil_reader_next(reader, &message, &found, &error), FIL_OK);
    }
    fil_reader_close(reader);
    return count;
}

static void bags_are_whole(void** state)
{
    (void)state;
    static const struct {
        const char *name, *file;
        bool sqlite;
    } cases[] = {{"inside/a", "inside/a/a_0.mcap", false},
                 {"inside/b", "inside/b/b_0.db3", true},
                 {"inside/c.mcap", "inside/c.mcap", false},
                 {"inside/sub/../d.db3", "inside/d.db3", true}};
    const int before = count_files("/proc/self/fd");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FilError error;
        const FilRecorderOptions options = bound(cases[i].sqlite);
        FilRecorder* recorder = sample_start(at(cases[i].name), &options);
        sample_write(recorder, 0, COUNT / 2);
        assert_int_equal(fil_recorder_flush(recorder, &error), FIL_OK);
        assert_int_equal(count_messages(at(cases[i].file)), COUNT / 2);  // while it is being written
        sample_write(recorder, COUNT / 2, COUNT / 2);
        assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
        assert_int_equal(count_messages(at(cases[i].file)), COUNT);
    }
    assert_int_equal(count_files(at("inside/a")), 2);
    assert_int_equal(count_files(at("inside/b")), 2);  // no journal is left behind
    assert_int_equal(count_files(inside), 6);
    assert_int_equal(count_files("/proc/self/fd"), before);  // nor a handle
}

static void refuse(const char* name, bool sqlite, FilStatus status, const char* words)
{
    FilRecorder* recorder = NULL;
    FilError error = {""};
    const FilRecorderOptions options = bound(sqlite);
    assert_int_equal(fil_recorder_create(at(name), &options, &recorder, &error), status);
    assert_null(recorder);
    if (strstr(error.text, words) == NULL) {
        fail_msg("%s: %s", name, error.text);
    }
}

static void what_lies_elsewhere_is_refused(void** state)
{
    (void)state;
    static const char* const names[] = {
        "bag", "outside/bag.mcap", "inside/../bag.db3", "inside/other/bag", "inside/other/bag.mcap", "inside/other/bag.db3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        refuse(names[i], false, FIL_IO, "not below a folder that may be used");
        refuse(names[i], true, FIL_IO, "not below a folder that may be used");
    }
    assert_int_equal(count_files(outside), 0);
    assert_int_equal(count_files(folder), 2);
    refuse("inside/none/bag", false, FIL_IO, "No such file or directory");
}

/* Links that lead nowhere yet: what opens them without a thought makes the file there. */
static void links_that_dangle_are_left_alone(void** state)
{
    (void)state;
    static const char* const names[] = {"inside/bag", "inside/bag.mcap", "inside/bag.db3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(symlink("../outside/new", at(names[i])), 0);
        refuse(names[i], false, FIL_BAD_INPUT, "exists already and is left alone");
        refuse(names[i], true, FIL_BAD_INPUT, "exists already and is left alone");
        assert_int_equal(count_files(outside), 0);
    }
    // the journals of SQLite
    static const char* const journals[] = {"inside/j.db3-wal", "inside/j.db3-shm", "inside/j.db3-journal"};
    for (size_t i = 0; i < sizeof journals / sizeof *journals; i++) {
        FilRecorder* recorder = NULL;
        FilError error = {""};
        const FilRecorderOptions options = bound(true);
        assert_int_equal(symlink("../outside/new", at(journals[i])), 0);
        if (fil_recorder_create(at("inside/j.db3"), &options, &recorder, &error) == FIL_OK) {
            assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
        }
        assert_int_equal(count_files(outside), 0);
        unlink(at(journals[i]));
        unlink(at("inside/j.db3"));
    }
    // and the draft of metadata.yaml, which is written last
    FilError error = {""};
    const FilRecorderOptions options = bound(false);
    FilRecorder* recorder = sample_start(at("inside/last"), &options);
    assert_int_equal(symlink("../../outside/new", at("inside/last/metadata.yaml.tmp")), 0);
    assert_int_equal(symlink("../../outside/new", at("inside/last/metadata.yaml")), 0);
    assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
    assert_int_equal(count_files(outside), 0);
    assert_int_equal(count_files(at("inside/last")), 2);
}

/* The folder of the bag and a link that leads elsewhere take each other's place while the bag is made, written and ended. */
static void folders_change_on_the_way(void** state)
{
    (void)state;
    static const char* const endings[] = {"", ".mcap", "", ".db3"};
    enum { NEEDED = 15 };  // of both, so that each side of the race is met
    for (int kind = 0; kind < 4; kind++) {
        LinkSwapper swapper;
        int made = 0, refused = 0;
        assert_true(link_swapper_start(&swapper, inside, "sub", "other"));
        for (int k = 0; (made < NEEDED || refused < NEEDED) && k < 20000; k++) {
            char name[64];
            FilRecorder* recorder = NULL;
            FilError error = {""};
            const FilRecorderOptions options = bound(kind >= 2);
            snprintf(name, sizeof name, "inside/sub/bag%d_%d%s", kind, k, endings[kind]);
            const FilStatus status = fil_recorder_create(at(name), &options, &recorder, &error);
            if (status == FIL_OK) {
                assert_int_equal(fil_recorder_close(recorder, NULL, &error), FIL_OK);
                made++;
            } else {
                assert_non_null(strstr(error.text, "not below a folder that may be used"));
                refused++;
            }
        }
        if (link_swapper_stop(&swapper)) {
            assert_true(made >= NEEDED && refused >= NEEDED);
        }
        assert_int_equal(count_files(outside), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bags_are_whole, set_up, sample_folder_remove),
        cmocka_unit_test_setup_teardown(what_lies_elsewhere_is_refused, set_up, sample_folder_remove),
        cmocka_unit_test_setup_teardown(links_that_dangle_are_left_alone, set_up, sample_folder_remove),
        cmocka_unit_test_setup_teardown(folders_change_on_the_way, set_up, sample_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
