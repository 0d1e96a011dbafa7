/* A film: found by time, thinned out when it grows too large, never lost. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/film.h"

static void frames_are_found_by_time(void** state)
{
    (void)state;
    FilFilm* film = fil_film_create(0.1, 1 << 20);
    assert_non_null(film);
    assert_int_equal(fil_film_at(film, 1.0), -1);
    for (int i = 0; i < 50; ++i) {
        const double time = 0.04 * i;  // more often than it wants
        if (fil_film_wants(film, time)) {
            assert_int_equal(fil_film_add(film, time, &time, sizeof time), FIL_OK);
        }
    }
    assert_int_equal(fil_film_count(film), 20);  // one in each tenth of a second: 0, 0.12, 0.2, 0.32, 0.4, ... 1.92
    assert_int_equal(fil_film_at(film, -1.0), -1);
    assert_int_equal(fil_film_at(film, 0.0), 0);
    assert_int_equal(fil_film_at(film, 0.1999), 1);
    assert_int_equal(fil_film_at(film, 0.2), 2);
    assert_int_equal(fil_film_at(film, 99.0), 19);
    unsigned char* bytes = NULL;
    size_t capacity = 0;
    double time;
    assert_int_equal(fil_film_copy(film, 2, &bytes, &capacity), sizeof time);
    memcpy(&time, bytes, sizeof time);
    assert_true(fabs(time - 0.2) < 1e-12);
    assert_int_equal(fil_film_copy(film, 20, &bytes, &capacity), 0);
    assert_int_equal(fil_film_copy(film, -1, &bytes, &capacity), 0);
    assert_true(isnan(fil_film_time(film, 20)));
    fil_film_clear(film);
    assert_int_equal(fil_film_count(film), 0);
    free(bytes);
    fil_film_destroy(film);
}

static void long_films_get_coarser(void** state)
{
    (void)state;
    enum { LIMIT = 100000, SIZE = 1000 };
    static const unsigned char picture[SIZE];
    FilFilm* film = fil_film_create(1.0, LIMIT);
    for (int i = 0; i < 100000; ++i) {
        if (fil_film_wants(film, i)) {
            assert_int_equal(fil_film_add(film, i, picture, SIZE), FIL_OK);
        }
        assert_true(fil_film_count(film) <= LIMIT / SIZE);
    }
    // all of it is still there, at even distances
    const int count = fil_film_count(film);
    assert_true(count > LIMIT / SIZE / 2 - 1);
    assert_true(fil_film_time(film, 0) == 0.0);
    const double period = fil_film_time(film, 1);
    for (int i = 1; i < count; ++i) {
        assert_true(fil_film_time(film, i) == period * i);
    }
    assert_true(fil_film_end(film) > 100000 - 1 - period);
    fil_film_destroy(film);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_found_by_time),
        cmocka_unit_test(long_films_get_coarser),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
