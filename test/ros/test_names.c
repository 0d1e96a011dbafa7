/* Names: what is valid, what they expand to, and what the command line makes of them. */
/* ctest: embedded */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "names.h"
#include "rcl/error_handling.h"

static void reports_valid_names(void** state)
{
    (void)state;
    assert_true(fil_name_is_token("filum_2"));
    assert_false(fil_name_is_token(""));
    assert_false(fil_name_is_token("2filum"));
    assert_false(fil_name_is_token("a/b"));
    assert_false(fil_name_is_token("a b"));
    assert_true(fil_name_is_absolute("/a/b_1", false));
    assert_false(fil_name_is_absolute("a", false));
    assert_false(fil_name_is_absolute("/", false));
    assert_true(fil_name_is_absolute("/", true));
    assert_false(fil_name_is_absolute("/a/", false));
    assert_false(fil_name_is_absolute("//a", false));
    assert_false(fil_name_is_absolute("/a/1b", false));
    assert_false(fil_name_is_absolute("/a__b", false));
    assert_false(fil_name_is_absolute("/a-b", false));
}

static void expands(void** state)
{
    (void)state;
    static const struct {
        const char *name, *space, *full; /* node "n"; NULL: refused */
    } cases[] = {
        {"a", "/", "/a"},         {"a", "/s/t", "/s/t/a"},  {"/a", "/s", "/a"},      {"~/a", "/", "/n/a"},
        {"~/a", "/s", "/s/n/a"},  {"~", "/s", "/s/n"},      {"a/b", "/s", "/s/a/b"}, {"{node}/a", "/s", "/s/n/a"},
        {"{ns}/a", "/s", "/s/a"}, {"/x{ns}", "/s", "/x/s"}, {"", "/s", NULL},        {"~a", "/s", NULL},
        {"a//b", "/s", NULL},     {"{what}", "/s", NULL},   {"a b", "/", NULL},      {"/", "/", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char full[FIL_NAME_MAX];
        const bool good = fil_name_expand(cases[i].name, "n", cases[i].space, full);
        assert_int_equal(good, cases[i].full != NULL);
        if (good) {
            assert_string_equal(full, cases[i].full);
        }
    }
    char longest[2 * FIL_NAME_MAX];
    char full[FIL_NAME_MAX];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_false(fil_name_expand(longest, "n", "/", full));
}

static void remaps(void** state)
{
    (void)state;
    const char* argv[] = {"program", "--ros-args",
                          "-r",      "a:=b",
                          "-r",      "a:=c",
                          "-r",      "/s/d:=/e",
                          "-r",      "other:f:=g",
                          "-r",      "n:f:=h",
                          "-r",      "rostopic://k:=t",
                          "-r",      "rosservice://k:=u",
                          "-r",      "~/p:=q",
                          "-r",      "__ns:=/m",
                          "-r",      "other:__node:=x",
                          "-r",      "__node:=y"};
    rcl_arguments_t arguments = rcl_get_zero_initialized_arguments();
    assert_int_equal(rcl_parse_arguments(sizeof argv / sizeof *argv, argv, rcl_get_default_allocator(), &arguments), RCL_RET_OK);
    static const struct {
        const char *name, *full;
        FilRemapKind kind;
    } cases[] = {
        {"a", "/s/b", FIL_REMAP_TOPIC},   {"/s/a", "/s/b", FIL_REMAP_SERVICE}, {"/a", "/a", FIL_REMAP_TOPIC},
        {"d", "/e", FIL_REMAP_TOPIC},     {"f", "/s/h", FIL_REMAP_TOPIC},      {"k", "/s/t", FIL_REMAP_TOPIC},
        {"k", "/s/u", FIL_REMAP_SERVICE}, {"~/p", "/s/q", FIL_REMAP_TOPIC},    {"z", "/s/z", FIL_REMAP_TOPIC},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char full[FIL_NAME_MAX];
        assert_true(fil_name_expand(cases[i].name, "n", "/s", full));
        assert_true(fil_name_remap(NULL, &arguments, cases[i].kind, "n", "/s", full));
        assert_string_equal(full, cases[i].full);
    }
    assert_string_equal(fil_name_remap_node(NULL, &arguments, FIL_REMAP_NAMESPACE, "n"), "/m");
    assert_string_equal(fil_name_remap_node(NULL, &arguments, FIL_REMAP_NODE_NAME, "n"), "y");
    assert_string_equal(fil_name_remap_node(NULL, &arguments, FIL_REMAP_NODE_NAME, "other"), "x");
    assert_null(fil_name_remap_node(NULL, NULL, FIL_REMAP_NODE_NAME, "n"));
    assert_int_equal(rcl_arguments_fini(&arguments), RCL_RET_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_valid_names),
        cmocka_unit_test(expands),
        cmocka_unit_test(remaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
