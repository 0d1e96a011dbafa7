#include "topic.h"

#include <stdlib.h>
#include <string.h>

void* fil_message_create(const FilMessageType* type)
{
    void* message = calloc(1, type->size);
    if (message != NULL && !type->init(message)) {
        free(message);
        return NULL;
    }
    return message;
}

void fil_message_destroy(const FilMessageType* type, void* message)
{
    if (message != NULL) {
        type->fini(message);
        free(message);
    }
}

void fil_message_renew(const FilMessageType* type, void* message)
{
    type->fini(message);
    memset(message, 0, type->size);
    type->init(message);
}
