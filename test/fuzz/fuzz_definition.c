/* libFuzzer harness of message definitions and of the decoder that follows them: text up to the first zero byte is a definition (of
 * pkg/msg/T, and of all that it needs), the rest a message. Anything is refused, or walked within its bytes. */
#include <stdlib.h>
#include <string.h>

#include "bag.h"
#include "record/definition.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void note(void* context, const char* path, const char* value)
{
    size_t* letters = context;
    *letters += strlen(path) + strlen(value);
}

static bool find(void* context, const char* type, FilBytes* text)
{
    const FilSlice* definition = context;
    (void)type;
    fil_bytes_put(text, definition->data, definition->size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const uint8_t* end = size > 0 ? memchr(data, 0, size) : NULL;
    FilSlice definition = {.data = data, .size = end != NULL ? (size_t)(end - data) : size};
    const FilSlice message = {.data = end != NULL ? end + 1 : data, .size = end != NULL ? size - definition.size - 1 : 0};
    const FilBagChannel channel = {.topic = "/t", .type = "pkg/msg/T", .encoding = "cdr", .schema_encoding = "ros2msg", .schema = definition};
    FilDecoder* decoder = NULL;
    FilError error = {""};
    const FilStatus status = fil_decoder_create(&channel, &decoder, &error);
    if ((status == FIL_OK) != (decoder != NULL) || (status == FIL_OK) != (error.text[0] == '\0')) {
        abort();
    }
    if (decoder != NULL) {
        size_t letters = 0;
        const FilStatus walked = fil_decoder_walk(decoder, message, note, &letters);
        if (walked != FIL_OK && walked != FIL_BAD_INPUT) {
            abort();
        }
    }
    fil_decoder_destroy(decoder);
    if (definition.size < 2000) {  // each type that is needed has the same text
        FilBytes text = {0};
        FilError reason = {""};
        (void)fil_definition_join("pkg/msg/T", find, &definition, &text, &reason);
        fil_bytes_free(&text);
    }
    return 0;
}
