#include "view/commands.h"

#include <math.h>
#include <string.h>
#include <time.h>

void fil_view_queue_init(FilViewQueue* queue)
{
    memset(queue, 0, sizeof *queue);
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->news, NULL);
}

void fil_view_queue_destroy(FilViewQueue* queue)
{
    pthread_cond_destroy(&queue->news);
    pthread_mutex_destroy(&queue->lock);
}

static bool read_command(const unsigned char* bytes, FilViewCommand* command)
{
    uint32_t words[4];
    memcpy(words, bytes, sizeof words);
    memcpy(command->numbers, bytes + sizeof words, sizeof command->numbers);
    command->ask = words[0];
    command->object = words[1];
    command->part = words[2];
    bool good = command->ask >= FIL_VIEW_PLAY && command->ask <= FIL_VIEW_PARAMETER && command->object <= INT32_MAX && command->part <= INT32_MAX;
    for (int i = 0; i < 6; ++i) {
        good = good && isfinite(command->numbers[i]);
    }
    return good;
}

void fil_view_queue_put(void* context, const unsigned char* bytes)
{
    FilViewQueue* queue = context;
    FilViewCommand command;
    pthread_mutex_lock(&queue->lock);
    if (read_command(bytes, &command)) {
        if (queue->count == FIL_VIEW_QUEUE) {
            queue->first = (queue->first + 1) % FIL_VIEW_QUEUE;
            queue->count--;
            queue->dropped++;
        }
        queue->commands[(queue->first + queue->count++) % FIL_VIEW_QUEUE] = command;
        pthread_cond_signal(&queue->news);
    } else {
        queue->dropped++;
    }
    pthread_mutex_unlock(&queue->lock);
}

bool fil_view_queue_take(FilViewQueue* queue, double deadline, FilViewCommand* command)
{
    pthread_mutex_lock(&queue->lock);
    if (queue->count == 0 && deadline > 0.0) {
        const struct timespec until = {.tv_sec = (time_t)deadline, .tv_nsec = (long)(1e9 * (deadline - floor(deadline)))};
        pthread_cond_timedwait(&queue->news, &queue->lock, &until);
    }
    const bool taken = queue->count > 0;
    if (taken) {
        *command = queue->commands[queue->first];
        queue->first = (queue->first + 1) % FIL_VIEW_QUEUE;
        queue->count--;
    }
    pthread_mutex_unlock(&queue->lock);
    return taken;
}
