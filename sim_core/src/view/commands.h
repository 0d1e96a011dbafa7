/* What pages ask for, in the order of asking: 64 bytes each, u32 what, u32 object, u32 part, u32 0, f64 numbers[6]. */
#ifndef FILUM_VIEW_COMMANDS_H
#define FILUM_VIEW_COMMANDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum FilViewAsk {
    FIL_VIEW_PLAY = 1,
    FIL_VIEW_PAUSE,
    FIL_VIEW_STEP,
    FIL_VIEW_RESET,
    FIL_VIEW_SPEED, /* numbers[0]: simulated seconds per second */
    FIL_VIEW_MODEL, /* part: of the contact models */
    FIL_VIEW_GRAB,  /* object, part; numbers: local point, strength */
    FIL_VIEW_MOVE,  /* numbers: target of the hand, m */
    FIL_VIEW_RELEASE,
    FIL_VIEW_SEEK,      /* numbers[0]: time of a film, s */
    FIL_VIEW_CONTROL,   /* object, part: of its controls; numbers[0]: the value */
    FIL_VIEW_PARAMETER, /* part: of the scene's parameters; numbers[0]: the value */
} FilViewAsk;

typedef struct FilViewCommand {
    uint32_t ask, object, part;
    double numbers[6];
} FilViewCommand;

/* Commands that wait: four seconds of a hand that moves at 60 Hz; then the oldest goes. */
enum { FIL_VIEW_QUEUE = 256 };

typedef struct FilViewQueue {
    pthread_mutex_t lock;
    pthread_cond_t news;
    FilViewCommand commands[FIL_VIEW_QUEUE];
    unsigned first, count;
    uint64_t dropped; /* the oldest, when there are too many */
} FilViewQueue;

void fil_view_queue_init(FilViewQueue* queue);
void fil_view_queue_destroy(FilViewQueue* queue);

/* As a server calls it: `context` is the queue. What is not finite or not known is dropped. */
void fil_view_queue_put(void* context, const unsigned char* bytes);
/* The oldest command; waits for one until `deadline` (s, of CLOCK_REALTIME; 0: not at all). False: there is none. */
bool fil_view_queue_take(FilViewQueue* queue, double deadline, FilViewCommand* command);

#endif
