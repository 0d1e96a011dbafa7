/* libFuzzer harness of messages as YAML: the first byte picks a type, the rest is YAML of it. What is understood is printed, and what was
 * printed is understood as the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph_tools.h"
#include "types.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { MAX_TEXT = 1 << 16 };

/* The message as text; false: too long. */
static bool print(const FilMembers* type, const void* message, char* text)
{
    memset(text, 0, MAX_TEXT);
    FILE* file = fmemopen(text, MAX_TEXT, "w");
    if (file == NULL) {
        return false;
    }
    fil_message_print(type, message, 0, file);
    const bool whole = ftell(file) < MAX_TEXT - 1;
    return fclose(file) == 0 && whole;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static char yaml[4096], once[MAX_TEXT], twice[MAX_TEXT];
    size_t count;
    const FilMessageType* types = fil_message_types(&count);
    if (size < 1 || size >= sizeof yaml) {
        return 0;
    }
    memcpy(yaml, data + 1, size - 1);
    yaml[size - 1] = '\0';
    const FilMembers* type = fil_members_of(types[data[0] % count].support());
    void* message = fil_message_new(type);
    void* again = fil_message_new(type);
    FilError error = {""};
    const bool understood = message != NULL && again != NULL && fil_message_parse(type, yaml, message, &error);
    if (message != NULL && understood == (error.text[0] != '\0')) {
        abort();
    }
    if (understood && print(type, message, once)) {
        if (!fil_message_parse(type, once, again, &error) || !print(type, again, twice) || strcmp(once, twice) != 0) {
            fprintf(stderr, "%s\n--\n%s\n%s\n", once, twice, error.text);
            abort();
        }
    }
    fil_message_free(type, message);
    fil_message_free(type, again);
    return 0;
}
