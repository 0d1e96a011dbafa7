#include "show.h"

static const FilShowKind* const kinds[FIL_SHOW_COUNT] = {
#define ROW(kind) [FIL_SHOW_OF_##kind] = &fil_show_##kind,
    FIL_SHOW_KINDS(ROW)
#undef ROW
};

const FilShowKind* fil_show_kind(int index)
{
    return kinds[index];
}
