/* CDR (XCDR version 1, the encoding of ROS 2 on DDS): messages described by rosidl introspection to bytes and back.
 *
 * Bytes begin with a header of four (00 01 00 00 little endian, 00 00 00 00 big endian); alignment counts from behind
 * it. A number is aligned to its size, a string is a 32-bit length that counts the closing NUL, a sequence is a 32-bit
 * count and its elements, an array its elements only. Written is the machine's byte order; read are both.
 */
#ifndef FILUM_EMBEDDED_CDR_H
#define FILUM_EMBEDDED_CDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rosidl_typesupport_introspection_c/message_introspection.h"

typedef rosidl_typesupport_introspection_c__MessageMembers FilMessageMembers;

/* Bytes: representation and options (DDS XTypes 7.4.3.4). */
enum { FIL_CDR_HEADER = 4 };

/* True if every field of the type, nested ones included, has an encoding here (wide characters and long double have
 * not); `field` receives the name of the first that has none and may be NULL. */
bool fil_cdr_supports(const FilMessageMembers* type, const char** field);

/* ---- writing ---- */

typedef struct FilCdrWriter {
    uint8_t* body; /* behind the header; NULL counts only */
    size_t at;     /* bytes written so far, from behind the header */
    bool failed;   /* a sequence or string exceeded its bound or 32 bits */
} FilCdrWriter;

void fil_cdr_write_header(uint8_t* bytes);
void fil_cdr_write_number(FilCdrWriter* writer, const void* number, size_t size);
void fil_cdr_write_bytes(FilCdrWriter* writer, const uint8_t* bytes, size_t count);
void fil_cdr_write_string(FilCdrWriter* writer, const char* text, size_t length);
void fil_cdr_write_message(FilCdrWriter* writer, const FilMessageMembers* type, const void* message);

/* ---- reading: trusts nothing ---- */

typedef struct FilCdrReader {
    const uint8_t* body;
    size_t size;
    size_t at;
    bool swap;
} FilCdrReader;

/* False if the header is missing or names another encoding. */
bool fil_cdr_reader_open(FilCdrReader* reader, const uint8_t* bytes, size_t size);

/* Each is false if the bytes end early or make no sense. */
bool fil_cdr_read_number(FilCdrReader* reader, void* number, size_t size);
bool fil_cdr_read_bytes(FilCdrReader* reader, size_t count, const uint8_t** bytes); /* borrowed */
bool fil_cdr_read_string(FilCdrReader* reader, const char** text, size_t* length);  /* borrowed, NUL-terminated */

/* Fills an initialised message; memory that it already has is used again. On failure the message is valid but holds
 * a mixture. Memory asked for is bounded by a constant multiple of the bytes that are there. */
bool fil_cdr_read_message(FilCdrReader* reader, const FilMessageMembers* type, void* message);

#endif
