/* ctest: wrap-malloc */
/* Separators separate, and elimination orders found with them take as few operations as those of others. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "heap_calls.h"
#include "linalg/elimination.h"
#include "linalg/nested_dissection.h"
#include "random.h"

typedef struct Mesh {
    FilBlockPattern pattern;
    int* start;
    int* row;
    int blocks;
} Mesh;

static Mesh mesh_make(int columns, int blocks)
{
    Mesh mesh = {.start = calloc((size_t)columns + 1, sizeof(int)), .row = malloc((size_t)blocks * sizeof(int))};
    assert_non_null(mesh.start);
    assert_non_null(mesh.row);
    mesh.pattern = (FilBlockPattern){.columns = columns, .start = mesh.start, .row = mesh.row};
    return mesh;
}

static void mesh_free(Mesh* mesh)
{
    free(mesh->start);
    free(mesh->row);
}

/* n^3 places, each with `per_place` variables; neighbours along the axes, or (tetrahedra) all that share one of six tetrahedra a
 * cell. */
static Mesh grid(int n, int per_place, bool tetrahedra)
{
    const int places = n * n * n;
    Mesh mesh = mesh_make(places * per_place, places * per_place * 15 * per_place);
    for (int v = 0; v < places * per_place; v++) {
        const int place = v / per_place, x[] = {place % n, place / n % n, place / n / n};
        mesh.start[v] = mesh.blocks;
        for (int code = 0; code < 27; code++) {
            const int d[] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
            const bool forwards = d[0] >= 0 && d[1] >= 0 && d[2] >= 0, backwards = d[0] <= 0 && d[1] <= 0 && d[2] <= 0;
            bool linked = tetrahedra ? forwards || backwards : abs(d[0]) + abs(d[1]) + abs(d[2]) <= 1;
            int other = 0;
            for (int k = 2; k >= 0; k--) {
                linked = linked && x[k] + d[k] >= 0 && x[k] + d[k] < n;
                other = n * other + x[k] + d[k];
            }
            for (int k = 0; linked && k < per_place; k++) {
                if (other * per_place + k >= v) {
                    mesh.row[mesh.blocks++] = other * per_place + k;
                }
            }
        }
    }
    mesh.start[places * per_place] = mesh.blocks;
    return mesh;
}

/* Any edge with the same probability; with 0 there is none. */
static Mesh scatter(Random* random, int n, double probability)
{
    Mesh mesh = mesh_make(n, n * (n + 1) / 2);
    for (int v = 0; v < n; v++) {
        mesh.start[v] = mesh.blocks;
        for (int u = v; u < n; u++) {
            if (u == v || random_between(random, 0.0, 1.0) < probability) {
                mesh.row[mesh.blocks++] = u;
            }
        }
    }
    mesh.start[n] = mesh.blocks;
    return mesh;
}

/* No neighbours stand on different sides, and neither side is too heavy. */
static void check_separator(const Mesh* mesh)
{
    const FilBlockPattern* const patterns[] = {&mesh->pattern};
    FilBlockGraph graph = {0};
    FilSeparator separator = {0};
    assert_true(fil_block_graph_build(&graph, patterns, 1));
    const int n = graph.columns;
    FilGraphLevel* level = &separator.levels[0];
    assert_true(fil_graph_level_reserve(level, (size_t)n, (size_t)graph.start.at[n]));
    memcpy(level->start, graph.start.at, ((size_t)n + 1) * sizeof(int));
    level->total = n;
    for (int k = 0; k < graph.start.at[n]; k++) {
        level->list[k] = graph.list.at[k];
        level->edge_weight[k] = 1;
    }
    for (int v = 0; v < n; v++) {
        level->weight[v] = 1;
    }
    assert_true(fil_separator_find(&separator));
    int weight[3] = {0};
    for (int v = 0; v < n; v++) {
        assert_in_range(level->side[v], 0, 2);
        weight[level->side[v]]++;
        for (int k = level->start[v]; k < level->start[v + 1]; k++) {
            assert_true(level->side[v] + level->side[level->list[k]] != 1);
        }
    }
    // no side has more than its share; 1: a graph of few vertices
    assert_true(weight[0] <= 0.6 * n + 1 && weight[1] <= 0.6 * n + 1);
    fil_separator_free(&separator);
    fil_block_graph_free(&graph);
}

static void test_separators_separate(void** state)
{
    (void)state;
    Random random = {20261115};
    for (int n = 1; n < 400; n += n < 10 ? 1 : 37) {
        for (int k = 0; k < 4; k++) {
            const double neighbours[] = {0.0, 1.0, 6.0, n};
            Mesh mesh = scatter(&random, n, neighbours[k] / n);
            check_separator(&mesh);
            mesh_free(&mesh);
        }
    }
    for (int n = 2; n < 12; n++) {
        Mesh mesh = grid(n, 1, n % 2 == 0);
        check_separator(&mesh);
        mesh_free(&mesh);
    }
}

/* A star, whose pairs soon find no partner, and a line. */
static void test_odd_graphs(void** state)
{
    (void)state;
    enum { N = 3000 };
    for (int kind = 0; kind < 2; kind++) {
        Mesh mesh = mesh_make(N, 3 * N);
        for (int v = 0; v < N; v++) {
            mesh.start[v] = mesh.blocks;
            mesh.row[mesh.blocks++] = v;
            if (kind == 0 && v == 0) {
                for (int u = 1; u < N; u++) {
                    mesh.row[mesh.blocks++] = u;
                }
            } else if (kind == 1 && v + 1 < N) {
                mesh.row[mesh.blocks++] = v + 1;
            }
        }
        mesh.start[N] = mesh.blocks;
        check_separator(&mesh);
        mesh_free(&mesh);
    }
}

/* Operations, against those with METIS 5.1.0's order of the same graphs (METIS_NodeND, default options), with three unknowns a
 * variable. */
static void test_operations(void** state)
{
    (void)state;
    const struct {
        int n, per_place;
        bool tetrahedra;
        double metis;
    } cases[] = {{11, 1, true, 2.235e8}, {16, 1, true, 2.402e9}, {10, 2, false, 3.558e8}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        Mesh mesh = grid(cases[k].n, cases[k].per_place, cases[k].tetrahedra);
        const int n = mesh.pattern.columns;
        unsigned char* used = malloc((size_t)n);
        assert_non_null(used);
        memset(used, 7, (size_t)n);
        FilElimination elimination = {0};
        assert_int_equal(fil_elimination_find(&elimination, &mesh.pattern, NULL, used), FIL_OK);
        assert_true(elimination.dissected);
        assert_true(elimination.flops < 1.05 * cases[k].metis);
        // the same again, without a call of the heap
        FilElimination first = elimination;
        int* order = malloc((size_t)n * sizeof *order);
        assert_non_null(order);
        memcpy(order, elimination.old_of_new.at, (size_t)n * sizeof *order);
        heap_calls = 0;
        assert_int_equal(fil_elimination_find(&elimination, &mesh.pattern, NULL, used), FIL_OK);
        assert_int_equal(heap_calls, 0);
        assert_true(first.flops == elimination.flops);
        assert_memory_equal(order, elimination.old_of_new.at, (size_t)n * sizeof *order);
        free(order);
        free(used);
        fil_elimination_free(&elimination);
        mesh_free(&mesh);
    }
}

/* With a second pattern, its variables come last, whatever separators say. */
static void test_touched_come_last(void** state)
{
    (void)state;
    enum { N = 16 * 16 * 16, FIRST = N - 16 };
    Mesh mesh = grid(16, 1, true), edge = mesh_make(N, N);
    for (int v = 0; v < N; v++) {
        edge.start[v] = edge.blocks;
        if (v >= FIRST && v + 1 < N) {
            edge.row[edge.blocks++] = v + 1;
        }
    }
    edge.start[N] = edge.blocks;
    FilElimination elimination = {0};
    assert_int_equal(fil_elimination_find(&elimination, &mesh.pattern, &edge.pattern, NULL), FIL_OK);
    assert_true(elimination.dissected);
    bool seen[N] = {false};
    for (int k = 0; k < N; k++) {
        const int v = elimination.old_of_new.at[k];
        assert_false(seen[v]);
        seen[v] = true;
        assert_int_equal(v >= FIRST, k >= FIRST);
    }
    fil_elimination_free(&elimination);
    mesh_free(&mesh);
    mesh_free(&edge);
}

static void* order_in_thread(void* mesh)
{
    FilElimination* elimination = calloc(1, sizeof *elimination);
    if (elimination != NULL && fil_elimination_find(elimination, &((Mesh*)mesh)->pattern, NULL, NULL) != FIL_OK) {
        fil_elimination_free(elimination);
    }
    return elimination;
}

/* Threads share nothing, and rand() is the program's own. */
static void test_threads_and_rand(void** state)
{
    (void)state;
    enum { THREADS = 3 };
    Mesh mesh = grid(11, 1, true);
    pthread_t threads[THREADS];
    FilElimination* found[THREADS] = {NULL};
    srand(7);
    const int before = rand();
    srand(7);
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_create(&threads[k], NULL, order_in_thread, &mesh), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        void* result = NULL;
        assert_int_equal(pthread_join(threads[k], &result), 0);
        found[k] = result;
        assert_non_null(found[k]);
        assert_int_equal(found[k]->columns, 1331);
        assert_memory_equal(found[k]->old_of_new.at, found[0]->old_of_new.at, 1331 * sizeof(int));
    }
    assert_int_equal(rand(), before);
    for (int k = 0; k < THREADS; k++) {
        fil_elimination_free(found[k]);
        free(found[k]);
    }
    mesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_separators_separate), cmocka_unit_test(test_odd_graphs),       cmocka_unit_test(test_operations),
        cmocka_unit_test(test_touched_come_last),   cmocka_unit_test(test_threads_and_rand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
