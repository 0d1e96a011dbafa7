/* The table of body kinds: one row a kind, one file family behind each. */
#ifndef FILUM_BODY_KINDS_H
#define FILUM_BODY_KINDS_H

#include "body/body.h"

typedef enum FilBodyKind {
    FIL_BODY_ROD,
    FIL_BODY_RIGID,
    FIL_BODY_ARM,
    FIL_BODY_SHELL,
    FIL_BODY_RING,
    FIL_BODY_ROBOT,
    FIL_BODY_SOLID,
    FIL_BODY_KIND_COUNT,
} FilBodyKind;

extern const FilBodyOps* const fil_body_kinds[FIL_BODY_KIND_COUNT];

#endif
