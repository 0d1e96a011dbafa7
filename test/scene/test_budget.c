/* What a scene may ask for: nodes, elements, contacts and bytes. Checked before memory is taken, and refused with a message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "filum/filum.h"
#include "world/world.h"

static const char SHEET[] =
    "world: {gravity: [0, 0, -9.81]}\n"
    "materials: {silk: {young: 1e6, poisson: 0.3, density: 500}}\n"
    "shells:\n"
    "  - {name: sheet, material: silk, thickness: 1e-3, sheet: {corner: [0, 0, 0], along: [1, 0, 0], across: [0, 1, 0], columns: 10, rows: 10}}\n"
    "rods:\n"
    "  - {name: rod, material: silk, section: {circle: {radius: 1e-3}}, shape: {straight: {from: [0, 0, 1], to: [1, 0, 1], nodes: 9}}}\n";

/* two rods of 40 edges that lie on a plane */
static const char RODS[] =
    "world: {dt: 1e-3, contact: sap}\n"
    "materials: {rubber: {young: 1e7, poisson: 0.49, density: 1100, friction: 0.5}}\n"
    "rods:\n"
    "  - {name: a, material: rubber, section: {circle: {radius: 2e-3}}, shape: {straight: {from: [0, 0, 1.9e-3], to: [0.4, 0, 1.9e-3], nodes: 41}}}\n"
    "  - {name: b, material: rubber, section: {circle: {radius: 2e-3}}, shape: {straight: {from: [0, 1, 1.9e-3], to: [0.4, 1, 1.9e-3], nodes: 41}}}\n"
    "rigid_bodies:\n"
    "  - {name: floor, motion: static, material: rubber, shapes: [{half_space: {}}]}\n";

/* two rods that touch, side by side and nearly parallel, for models of rods among themselves */
static const char CROSSED[] =
    "world: {dt: 1e-3, contact: imc}\n"
    "materials: {rubber: {young: 1e7, poisson: 0.49, density: 1100, friction: 0.5}}\n"
    "rods:\n"
    "  - {name: a, material: rubber, section: {circle: {radius: 2e-3}}, shape: {straight: {from: [0, 0, 0], to: [0.4, 0, 0], nodes: 41}}}\n"
    "  - {name: b, material: rubber, section: {circle: {radius: 2e-3}}, shape: {straight: {from: [0, 0, 4.05e-3], to: [0.4, 1e-3, 4.05e-3], nodes: "
    "41}}}\n";

static FilStatus load(const char* text, FilSceneBudget budget, FilWorld** world, FilError* error)
{
    const FilSceneOptions options = {.budget = budget};
    return fil_scene_load_text("scene", text, strlen(text), &options, world, NULL, error);
}

static void refuses(const char* text, FilSceneBudget budget, FilStatus status, const char* words)
{
    FilWorld* world = NULL;
    FilError error = {""};
    assert_int_equal(load(text, budget, &world, &error), status);
    assert_null(world);
    if (strstr(error.text, words) == NULL) {
        fail_msg("'%s' lacks '%s'", error.text, words);
    }
}

static FilWorld* accepts(const char* text, FilSceneBudget budget)
{
    FilWorld* world = NULL;
    FilError error = {""};
    if (load(text, budget, &world, &error) != FIL_OK) {
        fail_msg("%s", error.text);
    }
    return world;
}

static void nodes_and_elements_are_counted(void** state)
{
    (void)state;
    FilWorld* world = accepts(SHEET, (FilSceneBudget){0});
    const FilId sheet = fil_world_find_shell(world, "sheet");
    const int nodes = fil_shell_vertex_count(world, sheet) + 9, triangles = fil_shell_triangle_count(world, sheet);
    fil_world_destroy(world);
    assert_true(triangles > 100);
    // as many as there are, and one less
    fil_world_destroy(accepts(SHEET, (FilSceneBudget){.nodes = nodes, .elements = triangles}));
    char words[64];
    snprintf(words, sizeof words, "more than %d nodes in one scene", nodes - 1);
    refuses(SHEET, (FilSceneBudget){.nodes = nodes - 1}, FIL_BAD_INPUT, words);
    snprintf(words, sizeof words, "more than %d elements in one scene", triangles - 1);
    refuses(SHEET, (FilSceneBudget){.elements = triangles - 1}, FIL_BAD_INPUT, words);
}

/* The step's contacts under a model, with and without a limit. */
static FilStatus step_of(const char* model, const char* text, int limit, int threads, int* contacts, uint64_t* hash)
{
    FilWorld* world = accepts(text, (FilSceneBudget){.contacts = limit});
    assert_int_equal(fil_world_set_contact_model(world, model), FIL_OK);
    assert_int_equal(fil_world_set_threads(world, threads), FIL_OK);
    FilStepInfo info;
    const uint64_t before = fil_world_hash(world);
    const FilStatus status = fil_world_step(world, &info);
    if (status != FIL_OK) {
        char words[64];
        snprintf(words, sizeof words, "more than %d contacts", limit);
        assert_non_null(strstr(fil_world_error(world), words));
        assert_true(fil_world_hash(world) == before);
    }
    *contacts = info.contacts;
    *hash = fil_world_hash(world);
    fil_world_destroy(world);
    return status;
}

static void contacts_are_counted(void** state)
{
    (void)state;
    static const struct {
        const char *model, *text;
    } cases[] = {{"sap", RODS}, {"sap_lagged", RODS}, {"lcp", RODS}, {"imc", CROSSED}, {"spt", CROSSED}, {"ipc", CROSSED}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int contacts, min = 1, max = 1000;
        uint64_t hash, limited;
        assert_int_equal(step_of(cases[k].model, cases[k].text, 0, 1, &contacts, &hash), FIL_OK);
        assert_in_range(contacts, 4, 200);
        // the least limit that lets it pass, by bisection
        while (max - min > 0) {
            const int limit = (min + max) / 2;
            int found;
            if (step_of(cases[k].model, cases[k].text, limit, 1, &found, &limited) == FIL_OK) {
                assert_true(limited == hash);
                max = limit;
            } else {
                min = limit + 1;
            }
        }
        // ipc's pairs may touch within the step, the others' contacts were found
        print_message("%s: %d contacts, limit %d\n", cases[k].model, contacts, min);
        assert_true(strcmp(cases[k].model, "ipc") == 0 ? min >= contacts && min <= 4 * contacts : min == contacts);
        // threads share the collision, and its limit
        int found;
        assert_int_equal(step_of(cases[k].model, cases[k].text, min, 3, &found, &limited), FIL_OK);
        assert_true(limited == hash);
        assert_int_equal(step_of(cases[k].model, cases[k].text, min - 1, 3, &found, &limited), FIL_BAD_INPUT);
    }
    FilWorldDef def = fil_world_def_default();
    FilWorld* world = NULL;
    FilError error = {""};
    def.max_contacts = 0;
    assert_int_equal(fil_world_create(&def, &world, &error), FIL_BAD_INPUT);
    assert_non_null(strstr(error.text, "max_contacts must lie between 1 and"));
}

static void bytes_are_counted(void** state)
{
    (void)state;
    // every bound that is too low is refused, in the loading or in the first step, and leaves nothing
    int loads = 0, steps = 0;
    size_t bytes = 100000;
    for (bool done = false; !done; bytes += bytes / 100) {
        FilWorld* world = NULL;
        FilError error = {""};
        const FilStatus status = load(RODS, (FilSceneBudget){.bytes = bytes}, &world, &error);
        if (status != FIL_OK) {
            assert_int_equal(status, FIL_OUT_OF_MEMORY);
            assert_non_null(strstr(error.text, "bytes that it may take"));
            assert_null(world);
            loads++;
            continue;
        }
        const uint64_t before = fil_world_hash(world);
        done = fil_world_step(world, NULL) == FIL_OK;
        if (!done) {
            assert_non_null(strstr(fil_world_error(world), "bytes that the world may take"));
            assert_true(fil_world_hash(world) == before);
            // with more of it the same world goes on
            fil_world_set_memory_limit(world, 0, 0);
            assert_int_equal(fil_world_step(world, NULL), FIL_OK);
            steps++;
        }
        fil_world_destroy(world);
    }
    print_message("%zu bytes suffice; refused %d times in loading, %d times in the first step\n", bytes, loads, steps);
    assert_true(loads > 0 && steps > 0 && bytes < 20000000);
}

/* A cloth that is large enough for conjugate gradients takes no less of its limit when there is someone to analyse its
 * pattern; each thread has some room of its own. */
static void bytes_are_counted_whoever_takes_them(void** state)
{
    (void)state;
    static const char CLOTH[] =
        "world: {gravity: [0, 0, -9.81], dt: 1e-3, contact: ipc}\n"
        "materials: {silk: {young: 1e6, poisson: 0.3, density: 500}}\n"
        "shells:\n"
        "  - {name: cloth, material: silk, thickness: 1e-3, sheet: {corner: [0, 0, 0], along: [1, 0, 0], across: [0, 1, 0], columns: 30, rows: "
        "30}}\n";
    size_t used[3];
    for (int threads = 1; threads <= 3; threads++) {
        FilWorld* world = accepts(CLOTH, (FilSceneBudget){.bytes = 1000000000});
        assert_int_equal(fil_world_set_threads(world, threads), FIL_OK);
        const size_t loaded = world->budget.used;
        for (int k = 0; k < 3; k++) {
            assert_int_equal(fil_world_step(world, NULL), FIL_OK);
        }
        used[threads - 1] = world->budget.used - loaded;
        fil_world_destroy(world);
    }
    print_message("%zu, %zu, %zu bytes in three steps\n", used[0], used[1], used[2]);
    assert_true(used[0] > 0 && used[1] >= used[0] && used[2] >= used[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_elements_are_counted),
        cmocka_unit_test(contacts_are_counted),
        cmocka_unit_test(bytes_are_counted),
        cmocka_unit_test(bytes_are_counted_whoever_takes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
