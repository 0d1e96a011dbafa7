/* What a call on a batch came to. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "batch/batch_data.h"

FilStatus fil_batch_fail(FilBatch* batch, FilStatus status, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(batch->error.text, sizeof batch->error.text, format, arguments);
    va_end(arguments);
    return status;
}

void fil_batch_note(FilBatch* batch, int index, FilStatus status)
{
    batch->statuses[index] = status;
    if (status != FIL_OK) {
        fil_error(&batch->errors[index], status, "%s", fil_world_error(batch->worlds[index]));
    }
}

FilStatus fil_batch_judge(FilBatch* batch)
{
    int failed = 0, first = -1;
    for (int k = batch->count - 1; k >= 0; k--) {
        if (batch->statuses[k] != FIL_OK) {
            first = k;
            failed++;
        }
    }
    if (first < 0) {
        return FIL_OK;
    }
    char others[48] = "";
    if (failed > 1) {
        snprintf(others, sizeof others, " (and %d more of %d)", failed - 1, batch->count);
    }
    return fil_batch_fail(batch, batch->statuses[first], "world %d%s: %.400s", first, others, batch->errors[first].text);
}

const char* fil_batch_error(const FilBatch* batch)
{
    return batch->error.text;
}
