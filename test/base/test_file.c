/* Files that may be read: plain ones, below given folders. Whatever else a path leads to is refused at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "link_swapper.h"
#include "text_file.h"

static char folder[64], inside[80], list[200];

static const char* at(const char* name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* folder/: secret, inside/; inside/: plain, pipe, away -> ../secret, nowhere -> ../new, home -> . */
static int set_up(void** state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/filum_files_XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    snprintf(inside, sizeof inside, "%s/inside", folder);
    snprintf(list, sizeof list, "/no/such/folder:%s", inside);
    write_text(at("secret"), "secret");
    return mkdir(inside, 0777) != 0 || (write_text(at("inside/plain"), "plain"), mkfifo(at("inside/pipe"), 0666)) != 0 ||
           symlink("../secret", at("inside/away")) != 0 || symlink("../new", at("inside/nowhere")) != 0 || symlink(".", at("inside/home")) != 0;
}

static int tear_down(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static bool opens(const char* path, const char* folders, FilError* error)
{
    FILE* file = fil_file_open(path, folders, error);
    const bool opened = file != NULL;
    assert_int_equal(fil_file_check(path, folders, NULL), opened);
    if (opened) {
        fclose(file);
    }
    return opened;
}

static void plain_files_only(void** state)
{
    (void)state;
    FilError error;
    assert_true(opens(at("secret"), NULL, &error));
    assert_true(opens(at("inside/away"), NULL, &error));
    assert_false(opens(at("inside/pipe"), NULL, &error));  // and does not wait for a writer
    assert_string_equal(error.text, "it is not a plain file");
    assert_false(opens(at("inside"), NULL, &error));
    assert_false(opens("/dev/zero", NULL, &error));
    assert_string_equal(error.text, "it is not a plain file");
    assert_false(opens(at("nothing"), NULL, &error));
    assert_string_equal(error.text, "No such file or directory");
}

static void only_below_folders(void** state)
{
    (void)state;
    FilError error, absent;
    assert_true(opens(at("inside/plain"), list, &error));
    assert_true(opens(at("inside/home/home/plain"), list, &error));
    assert_true(opens(at("../../etc/passwd"), "/", &error));
    static const char* const outside[] = {"secret", "inside/../secret", "inside/away", "inside/home/../../secret", "insidelong"};
    for (size_t k = 0; k < sizeof outside / sizeof *outside; k++) {
        assert_false(opens(at(outside[k]), list, &error));
        assert_string_equal(error.text, "it is not below a folder that may be used");
    }
    // whether it exists is not said
    assert_false(opens("/etc/passwd", list, &error));
    assert_false(opens("/etc/no_such_file", list, &absent));
    assert_string_equal(error.text, absent.text);
    assert_false(opens(at("inside/nothing"), list, &error));
    assert_string_equal(error.text, "No such file or directory");
    assert_false(opens(at("inside/plain"), "", &error));
}

static void relative_to_the_working_directory(void** state)
{
    (void)state;
    char before[512];
    FilError error;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(inside), 0);
    assert_true(opens("plain", ".", &error));
    assert_true(opens("./home/plain", ".", &error));
    assert_false(opens("../secret", ".", &error));
    assert_false(opens("away", ".", &error));
    assert_true(fil_file_may_make("bag", ".", &error));
    assert_false(fil_file_may_make("../bag", ".", &error));
    assert_int_equal(chdir(before), 0);
}

static void made_below_folders(void** state)
{
    (void)state;
    FilError error;
    assert_true(fil_file_may_make(at("inside/bag"), list, &error));
    assert_true(fil_file_may_make(at("inside/new/folder/bag.mcap"), list, &error));
    assert_true(fil_file_may_make("/anywhere/bag", "/", &error));
    assert_false(fil_file_may_make(at("bag"), list, &error));
    assert_false(fil_file_may_make(at("inside/../bag"), list, &error));
    assert_false(fil_file_may_make(at("inside/new/../../bag"), list, &error));
    assert_int_equal(symlink("..", at("inside/up")), 0);
    assert_false(fil_file_may_make(at("inside/up/bag"), list, &error));
    assert_string_equal(error.text, "it is not below a folder that may be used");
}

/* A folder, or a file, and a link that leads outside take each other's place while they are opened. */
static void open_while_swapped(const char* name, const char* swapped, const char* link)
{
    enum { NEEDED = 1000 };  // of both, so that each side of the race is met often
    LinkSwapper swapper;
    assert_true(link_swapper_start(&swapper, inside, swapped, link));
    long opened = 0, refused = 0;
    for (int k = 0; (opened < NEEDED || refused < NEEDED) && k < 1000000; k++) {
        FilError error;
        FILE* file = fil_file_open(at(name), list, &error);
        if (file != NULL) {
            char text[16] = "";
            assert_non_null(fgets(text, sizeof text, file));
            fclose(file);
            assert_string_equal(text, "plain");
            opened++;
        } else {
            assert_string_equal(error.text, "it is not below a folder that may be used");
            refused++;
        }
    }
    if (link_swapper_stop(&swapper)) {
        assert_true(opened >= NEEDED && refused >= NEEDED);
    }
}

static void links_change_on_the_way(void** state)
{
    (void)state;
    assert_int_equal(mkdir(at("inside/sub"), 0777), 0);
    assert_int_equal(mkdir(at("outside"), 0777), 0);
    write_text(at("inside/sub/text"), "plain");
    write_text(at("inside/file"), "plain");
    write_text(at("outside/text"), "secret");
    assert_int_equal(symlink("../outside", at("inside/other")), 0);
    assert_int_equal(symlink("../secret", at("inside/link")), 0);
    open_while_swapped("inside/sub/text", "sub", "other");
    open_while_swapped("inside/file", "file", "link");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_only),   cmocka_unit_test(only_below_folders),      cmocka_unit_test(relative_to_the_working_directory),
        cmocka_unit_test(made_below_folders), cmocka_unit_test(links_change_on_the_way),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
