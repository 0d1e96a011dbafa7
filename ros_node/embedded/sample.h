/* Samples on the wire as plain bytes: a Cyclone DDS type that carries any encoded message under any type name.
 *
 * Cyclone moves the bytes; what they mean is decided by whoever writes or reads them (cdr.h). One type and one code
 * path therefore serve all messages, services and the graph.
 */
#ifndef FILUM_EMBEDDED_SAMPLE_H
#define FILUM_EMBEDDED_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

struct ddsi_sertype;
struct ddsi_serdata;

/* A type of this DDS name, without key. NULL when out of memory. */
struct ddsi_sertype* fil_sample_type_create(const char* type_name);

/* A sample with room for `size` bytes, the encoding header included, to be filled through `bytes`. NULL when out of
 * memory or beyond what the protocol can carry. */
struct ddsi_serdata* fil_sample_create(const struct ddsi_sertype* type, size_t size, uint8_t** bytes);

/* The bytes of a sample, valid as long as it is held; up to three zero bytes may follow what was written. */
const uint8_t* fil_sample_bytes(const struct ddsi_serdata* sample, size_t* size);

#endif
