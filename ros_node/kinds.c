#include "kinds.h"

static const FilNodeKind* const kinds[FIL_KIND_COUNT] = {
#define ROW(kind, KIND, states) [FIL_KIND_##KIND] = &fil_##kind##_kind,
    FIL_NODE_KINDS(ROW)
#undef ROW
};

const FilNodeKind* fil_node_kind(FilKindId id)
{
    return kinds[id];
}
