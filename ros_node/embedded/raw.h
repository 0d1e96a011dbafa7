/* Topics of any type as bytes, for tools that move messages which they do not understand. No DDS header is needed. */
#ifndef FILUM_EMBEDDED_RAW_H
#define FILUM_EMBEDDED_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rcl/node.h"

typedef struct FilRaw FilRaw;

/* A reader or writer of the node on a topic (its full name) of the type "package/msg/Name". Sets the error message. */
RCL_WARN_UNUSED rcl_ret_t fil_raw_create(const rcl_node_t* node, bool is_writer, const char* topic, const char* type, const rmw_qos_profile_t* qos,
                                         FilRaw** raw);
rcl_ret_t fil_raw_destroy(FilRaw* raw); /* NULL is fine */

/* How many endpoints are connected to this one. */
size_t fil_raw_matched(const FilRaw* raw);

/* ---- reading ---- */

typedef struct FilRawSample {
    const uint8_t* bytes; /* CDR with its header */
    size_t size;
    int64_t source_time; /* ns, by the writer's clock */
    void* held;
} FilRawSample;

/* The next sample, to be released; false when there is none. */
bool fil_raw_take(const FilRaw* raw, FilRawSample* sample);
void fil_raw_release(FilRawSample* sample);

/* Samples that came but never reached fil_raw_take(). */
uint64_t fil_raw_lost(const FilRaw* raw);

/* Something that wakes up when any of its readers has a sample. */
typedef struct FilRawWaiter FilRawWaiter;

RCL_WARN_UNUSED rcl_ret_t fil_raw_waiter_create(const rcl_node_t* node, FilRawWaiter** waiter);
RCL_WARN_UNUSED rcl_ret_t fil_raw_waiter_add(FilRawWaiter* waiter, const FilRaw* raw);
void fil_raw_waiter_wait(FilRawWaiter* waiter, double seconds);
void fil_raw_waiter_destroy(FilRawWaiter* waiter); /* before its readers; NULL is fine */

/* ---- writing ---- */

RCL_WARN_UNUSED rcl_ret_t fil_raw_send(const FilRaw* raw, const uint8_t* bytes, size_t size);

/* Waits until all reliable readers have everything; false if they have not in time. */
bool fil_raw_flush(const FilRaw* raw, double seconds);

#endif
