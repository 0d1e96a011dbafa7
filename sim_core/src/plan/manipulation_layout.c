#include "plan/manipulation.h"

FilManipulationLayout fil_manipulation_layout(const FilManipulation* m)
{
    const int n = m->tree.coordinates, k = m->touches, d = m->directions > 0 ? m->directions : 2;
    FilManipulationLayout o = {.q = 0, .v = n, .gap = 2 * n, .carried = 2 * n, .width = d};
    o.cone = o.gap + k;
    o.slip = o.cone + k;
    o.place = o.slip + k * d;
    o.rows = o.tau = o.place + 2 * k;
    o.f = o.tau + m->drives;
    o.b = o.f + k;
    o.g = o.b + k * d;
    o.variables = o.g + k;
    return o;
}
