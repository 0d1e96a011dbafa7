#include "camera_roll.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "view/server.h"

extern char** environ;

enum { PATIENCE = 60 }; /* s, for a picture: a browser's first start takes a while */

struct FilCameraRoll {
    FilFilm* film;
    FilViewServer* server;
    pid_t browser; /* 0: none */
    char profile[64];
    unsigned char *frame, *png;
    size_t frame_capacity;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t news;
    unsigned char* came; /* NULL: nothing yet */
    size_t came_size;
};

/* from the server's thread */
static void take_picture(void* context, const unsigned char* bytes, size_t size)
{
    FilCameraRoll* roll = context;
    pthread_mutex_lock(&roll->lock);
    free(roll->came);
    roll->came = malloc(size);
    roll->came_size = size;
    if (roll->came != NULL) {
        memcpy(roll->came, bytes, size);
    }
    pthread_cond_signal(&roll->news);
    pthread_mutex_unlock(&roll->lock);
}

/* ---- the browser ---- */

/* A group of its own, so that all of its processes end together; what it says is of no use. */
static int spawn(pid_t* pid, const char* program, char* const* arguments)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, &none);
    const int failure = posix_spawnp(pid, program, &files, &how, arguments, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

static FilStatus start_browser(FilCameraRoll* roll, const char* look, FilError* error)
{
    const char* const known[] = {getenv("FILUM_BROWSER"), "chromium", "chromium-browser", "google-chrome"};
    char page[512], profile[96];
    snprintf(roll->profile, sizeof roll->profile, "/tmp/filum_render_XXXXXX");
    if (mkdtemp(roll->profile) == NULL) {
        roll->profile[0] = '\0';
        return fil_error(error, FIL_IO, "no folder for the browser can be made in /tmp: %s", strerror(errno));
    }
    snprintf(profile, sizeof profile, "--user-data-dir=%s", roll->profile);
    snprintf(page, sizeof page, "http://127.0.0.1:%d/#render&%s", fil_view_server_port(roll->server), look);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        const char* arguments[] = {
            known[i], "--headless=new", "--no-sandbox", "--no-first-run", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", profile, page,
            NULL};
        if (known[i] != NULL && known[i][0] != '\0' && spawn(&roll->browser, known[i], (char* const*)(uintptr_t)arguments) == 0) {
            return FIL_OK;
        }
        roll->browser = 0;
    }
    return fil_error(error, FIL_IO, "no browser to draw with: apt install chromium, or set FILUM_BROWSER to one like it");
}

static int forget(const char* path, const struct stat* status, int kind, struct FTW* walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void end_browser(FilCameraRoll* roll)
{
    if (roll->browser > 0) {
        kill(-roll->browser, SIGKILL);
        waitpid(roll->browser, NULL, 0);
    }
    // its last processes may still write there: tried for a second in all, then the folder stays
    for (int attempt = 0; roll->profile[0] != '\0' && attempt < 20 && nftw(roll->profile, forget, 16, FTW_DEPTH | FTW_PHYS) != 0; ++attempt) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

/* ---- life ---- */

FilStatus fil_camera_roll_open(const FilCameraRollDef* def, FilCameraRoll** out, FilError* error)
{
    *out = NULL;
    FilCameraRoll* roll = calloc(1, sizeof *roll);
    if (roll == NULL) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    roll->film = def->film;
    pthread_mutex_init(&roll->lock, NULL);
    pthread_cond_init(&roll->news, NULL);
    const FilViewServerDef server = {.address = "127.0.0.1", .picture = take_picture, .context = roll};
    FilStatus status = fil_view_server_start(&server, &roll->server, error);
    if (status == FIL_OK && fil_view_server_send(roll->server, def->description, def->description_size) != FIL_OK) {
        status = fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    status = status == FIL_OK ? start_browser(roll, def->look, error) : status;
    if (status != FIL_OK) {
        fil_camera_roll_close(roll);
        return status;
    }
    *out = roll;
    return FIL_OK;
}

void fil_camera_roll_close(FilCameraRoll* roll)
{
    if (roll == NULL) {
        return;
    }
    end_browser(roll);
    fil_view_server_stop(roll->server);
    pthread_cond_destroy(&roll->news);
    pthread_mutex_destroy(&roll->lock);
    free(roll->frame);
    free(roll->came);
    free(roll->png);
    free(roll);
}

/* Waits for a picture; one that came is taken over. */
static bool await(FilCameraRoll* roll, size_t* size)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    pthread_mutex_lock(&roll->lock);
    for (int late = 0; roll->came == NULL && late == 0;) {
        late = pthread_cond_timedwait(&roll->news, &roll->lock, &until);
    }
    free(roll->png);
    roll->png = roll->came;
    *size = roll->came_size;
    roll->came = NULL;
    pthread_mutex_unlock(&roll->lock);
    return roll->png != NULL;
}

FilStatus fil_camera_roll_take(FilCameraRoll* roll, int frame, const unsigned char** png, size_t* size, FilError* error)
{
    // of PNG files (ISO/IEC 15948, 5.2)
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const size_t bytes = fil_film_copy(roll->film, frame, &roll->frame, &roll->frame_capacity);
    if (bytes == 0 || fil_view_server_show(roll->server, roll->frame, bytes) != FIL_OK) {
        return fil_error(error, FIL_OUT_OF_MEMORY, "out of memory");
    }
    if (!await(roll, size)) {
        return fil_error(error, FIL_IO, "the browser has sent no picture within %d s", PATIENCE);
    }
    if (*size < sizeof signature || memcmp(roll->png, signature, sizeof signature) != 0) {
        return fil_error(error, FIL_IO, "the browser has sent something else than a picture");
    }
    *png = roll->png;
    return FIL_OK;
}
