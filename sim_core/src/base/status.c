/* The one public function of this room, in a file of its own: each shared library chooses whether to export it. */
#include "filum/base.h"

const char* fil_status_name(FilStatus status)
{
    static const char* const names[] = {
        [FIL_OK] = "ok",
        [FIL_BAD_INPUT] = "bad input",
        [FIL_OUT_OF_MEMORY] = "out of memory",
        [FIL_NOT_CONVERGED] = "not converged",
        [FIL_IO] = "input/output error",
        [FIL_INTERRUPTED] = "interrupted",
    };
    return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "unknown status";
}
