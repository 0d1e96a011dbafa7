#include "view/film.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct Picture {
    double time;
    unsigned char* bytes;
    size_t size;
} Picture;

struct FilFilm {
    size_t limit;
    pthread_mutex_t lock; /* of all below */
    double period;
    Picture* pictures;
    int count, capacity;
    size_t bytes;
};

FilFilm* fil_film_create(double period, size_t limit)
{
    FilFilm* film = calloc(1, sizeof *film);
    if (film != NULL) {
        film->period = period;
        film->limit = limit;
        pthread_mutex_init(&film->lock, NULL);
    }
    return film;
}

static void clear(FilFilm* film)
{
    for (int i = 0; i < film->count; ++i) {
        free(film->pictures[i].bytes);
    }
    film->count = 0;
    film->bytes = 0;
}

void fil_film_destroy(FilFilm* film)
{
    if (film != NULL) {
        clear(film);
        free(film->pictures);
        pthread_mutex_destroy(&film->lock);
        free(film);
    }
}

void fil_film_clear(FilFilm* film)
{
    pthread_mutex_lock(&film->lock);
    clear(film);
    pthread_mutex_unlock(&film->lock);
}

/* Lets every second picture go. */
static void thin_out(FilFilm* film)
{
    int kept = 0;
    for (int i = 0; i < film->count; ++i) {
        if (i % 2 == 0) {
            film->pictures[kept++] = film->pictures[i];
        } else {
            film->bytes -= film->pictures[i].size;
            free(film->pictures[i].bytes);
        }
    }
    film->count = kept;
    film->period *= 2.0;
}

/* Periods that have begun by a time, counted from the first picture. */
static double periods(const FilFilm* film, double time)
{
    // half a nanosecond: times are sums of steps
    return floor((time - film->pictures[0].time + 5e-10) / film->period);
}

/* One picture in each period, however steps fall: they do not drift. */
static bool is_due(const FilFilm* film, double time)
{
    return film->count == 0 || periods(film, time) > periods(film, film->pictures[film->count - 1].time);
}

bool fil_film_wants(FilFilm* film, double time)
{
    pthread_mutex_lock(&film->lock);
    const bool due = is_due(film, time);
    pthread_mutex_unlock(&film->lock);
    return due;
}

static FilStatus add(FilFilm* film, Picture picture)
{
    while (film->count > 1 && film->bytes + picture.size > film->limit) {
        thin_out(film);
    }
    if (film->count == film->capacity) {
        const int capacity = film->capacity > 0 ? 2 * film->capacity : 64;
        Picture* grown = realloc(film->pictures, (size_t)capacity * sizeof *grown);
        if (grown == NULL) {
            return FIL_OUT_OF_MEMORY;
        }
        film->pictures = grown;
        film->capacity = capacity;
    }
    film->pictures[film->count++] = picture;
    film->bytes += picture.size;
    return FIL_OK;
}

FilStatus fil_film_add(FilFilm* film, double time, const void* bytes, size_t size)
{
    Picture picture = {.time = time, .bytes = malloc(size), .size = size};
    if (picture.bytes == NULL) {
        return FIL_OUT_OF_MEMORY;
    }
    memcpy(picture.bytes, bytes, size);
    pthread_mutex_lock(&film->lock);
    const FilStatus status = add(film, picture);
    pthread_mutex_unlock(&film->lock);
    if (status != FIL_OK) {
        free(picture.bytes);
    }
    return status;
}

FilStatus fil_film_take(FilFilm* film, const FilWorld* world, FilViewFrame* frame)
{
    const double time = fil_world_time(world);
    if (time < fil_film_end(film)) {
        fil_film_clear(film);  // what came before the reset is another film
    }
    if (!fil_film_wants(film, time)) {
        return FIL_OK;
    }
    const FilViewState state = {.rate = 0.0};
    const FilStatus status = fil_view_frame_take(frame, world, &state);
    return status == FIL_OK ? fil_film_add(film, time, frame->bytes, frame->size) : status;
}

int fil_film_count(FilFilm* film)
{
    pthread_mutex_lock(&film->lock);
    const int count = film->count;
    pthread_mutex_unlock(&film->lock);
    return count;
}

double fil_film_end(FilFilm* film)
{
    pthread_mutex_lock(&film->lock);
    const double end = film->count > 0 ? film->pictures[film->count - 1].time : 0.0;
    pthread_mutex_unlock(&film->lock);
    return end;
}

double fil_film_time(FilFilm* film, int index)
{
    pthread_mutex_lock(&film->lock);
    const double time = index >= 0 && index < film->count ? film->pictures[index].time : NAN;
    pthread_mutex_unlock(&film->lock);
    return time;
}

int fil_film_at(FilFilm* film, double time)
{
    pthread_mutex_lock(&film->lock);
    int low = -1;
    for (int high = film->count - 1; low < high;) {
        const int middle = low + (high - low + 1) / 2;
        if (film->pictures[middle].time <= time + 5e-10) {  // times are known to nanoseconds
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    pthread_mutex_unlock(&film->lock);
    return low;
}

size_t fil_film_copy(FilFilm* film, int index, unsigned char** bytes, size_t* capacity)
{
    size_t size = 0;
    pthread_mutex_lock(&film->lock);
    if (index >= 0 && index < film->count) {
        const Picture* picture = &film->pictures[index];
        unsigned char* room = *capacity >= picture->size ? *bytes : realloc(*bytes, picture->size);
        if (room != NULL) {
            *bytes = room;
            *capacity = *capacity >= picture->size ? *capacity : picture->size;
            memcpy(room, picture->bytes, picture->size);
            size = picture->size;
        }
    }
    pthread_mutex_unlock(&film->lock);
    return size;
}
