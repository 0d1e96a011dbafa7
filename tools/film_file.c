#include "film_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

extern char** environ;

typedef enum Kind { PICTURE, FILM, FOLDER } Kind;

struct FilFilmFile {
    Kind kind;
    char path[4096], part[4104]; /* while it is written */
    int count;
    pid_t encoder;
    int pipe; /* to it; -1: none */
};

static Kind kind_of(const char* path)
{
    static const char* const films[] = {".mp4", ".webm", ".gif", ".mkv"};
    const char* end = strrchr(path, '.');
    for (size_t i = 0; end != NULL && i < sizeof films / sizeof films[0]; ++i) {
        if (strcmp(end, films[i]) == 0) {
            return FILM;
        }
    }
    return end != NULL && strcmp(end, ".png") == 0 ? PICTURE : FOLDER;
}

static FilStatus start_encoder(FilFilmFile* file, double rate, FilError* error)
{
    int ends[2];
    char frames[32];
    snprintf(frames, sizeof frames, "%.9g", rate);
    // gif has its own colours; the others' are those that every player knows
    const bool gif = strstr(file->path, ".gif") != NULL;
    const char* arguments[] = {"ffmpeg",   "-loglevel", "error", "-y", "-f", "image2pipe", "-framerate",
                               frames,     "-c:v",      "png",   "-i", "-",  "-pix_fmt",   gif ? "rgb8" : "yuv420p",
                               file->part, NULL};
    if (pipe(ends) != 0) {
        return fil_error(error, FIL_IO, "no pipe to ffmpeg: %s", strerror(errno));
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    const int failure = posix_spawnp(&file->encoder, "ffmpeg", &files, NULL, (char* const*)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[0]);
    if (failure != 0) {
        close(ends[1]);
        file->encoder = 0;
        return fil_error(error, FIL_IO, "films are made by ffmpeg, which cannot be started (%s): apt install ffmpeg, or give a folder for pictures",
                         strerror(failure));
    }
    signal(SIGPIPE, SIG_IGN);  // an encoder that ends early is noticed when it is written to
    file->pipe = ends[1];
    return FIL_OK;
}

FilStatus fil_film_file_open(const char* path, double rate, FilFilmFile** out, FilError* error)
{
    *out = NULL;
    FilFilmFile* file = calloc(1, sizeof *file);
    if (file == NULL || strlen(path) + 1 > sizeof file->path) {
        free(file);
        return fil_error(error, FIL_BAD_INPUT, "%s", file == NULL ? "out of memory" : "the name of the file is too long");
    }
    file->kind = kind_of(path);
    file->pipe = -1;
    snprintf(file->path, sizeof file->path, "%s", path);
    const char* slash = strrchr(file->path, '/');
    const int folder = slash != NULL ? (int)(slash - file->path) + 1 : 0;
    snprintf(file->part, sizeof file->part, "%.*s.part.%s", folder, file->path, file->path + folder);  // keeps its end, which ffmpeg goes by
    FilStatus status = FIL_OK;
    if (file->kind == FOLDER && mkdir(path, 0777) != 0 && errno != EEXIST) {
        status = fil_error(error, FIL_IO, "%s: %s", path, strerror(errno));
    } else if (file->kind == FILM) {
        status = start_encoder(file, rate, error);
    }
    if (status != FIL_OK) {
        free(file);
        return status;
    }
    *out = file;
    return FIL_OK;
}

bool fil_film_file_takes_one(const FilFilmFile* file)
{
    return file->kind == PICTURE;
}

int fil_film_file_count(const FilFilmFile* file)
{
    return file->count;
}

static FilStatus write_file(const char* path, const unsigned char* bytes, size_t size, FilError* error)
{
    FILE* out = fopen(path, "wb");
    const bool good = out != NULL && fwrite(bytes, 1, size, out) == size;
    const int reason = errno;
    if ((out != NULL && fclose(out) != 0) || !good) {
        return fil_error(error, FIL_IO, "%s: %s", path, strerror(reason));
    }
    return FIL_OK;
}

static FilStatus feed(const FilFilmFile* file, const unsigned char* bytes, size_t size, FilError* error)
{
    for (size_t done = 0; done < size;) {
        const ssize_t written = write(file->pipe, bytes + done, size - done);
        if (written < 0 && errno != EINTR) {
            return fil_error(error, FIL_IO, "ffmpeg takes no more: %s", strerror(errno));
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return FIL_OK;
}

FilStatus fil_film_file_add(FilFilmFile* file, const unsigned char* png, size_t size, FilError* error)
{
    char path[sizeof file->path + 16];
    FilStatus status = FIL_OK;
    switch (file->kind) {
        case PICTURE:
            status = write_file(file->part, png, size, error);
            break;
        case FILM:
            status = feed(file, png, size, error);
            break;
        case FOLDER:
            snprintf(path, sizeof path, "%s/%05d.png", file->path, file->count);
            status = write_file(path, png, size, error);
            break;
    }
    file->count += status == FIL_OK;
    return status;
}

FilStatus fil_film_file_close(FilFilmFile* file, bool keep, FilError* error)
{
    FilStatus status = FIL_OK;
    if (file == NULL) {
        return FIL_OK;
    }
    if (file->encoder > 0) {
        int end = 0;
        close(file->pipe);
        waitpid(file->encoder, &end, 0);
        if (keep && (!WIFEXITED(end) || WEXITSTATUS(end) != 0)) {
            status = fil_error(error, FIL_IO, "%s: ffmpeg has failed", file->path);
        }
    }
    if (file->kind != FOLDER && keep && status == FIL_OK && rename(file->part, file->path) != 0) {
        status = fil_error(error, FIL_IO, "%s: %s", file->path, strerror(errno));
    }
    if (file->kind != FOLDER && (!keep || status != FIL_OK)) {
        unlink(file->part);
    }
    free(file);
    return status;
}
