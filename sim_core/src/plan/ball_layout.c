#include <math.h>

#include "base/vec3.h"
#include "plan/ball_turn.h"

FilBallLayout fil_ball_layout(const FilBallTurn* turn)
{
    const int n = 3 * turn->arm.sections, d = turn->directions;
    FilBallLayout o = {.joints = n, .l = 0, .v = n, .q = 2 * n, .w = 2 * n + 4, .gap = 2 * n + 7};
    o.cone = o.gap + 1;
    o.slip = o.cone + 1;
    o.face = o.slip + d;
    o.rows = o.tau = o.face + 1;
    o.f = o.tau + n;
    o.b = o.f + 1;
    o.g = o.b + d;
    o.variables = o.g + 1;
    o.carried = o.gap + 1;  // all states, then f
    return o;
}

void fil_ball_directions(const FilBallTurn* turn, double (*out)[2])
{
    for (int i = 0; i < turn->directions; i++) {
        const double angle = 2.0 * FIL_PI * i / turn->directions;
        out[i][0] = cos(angle);
        out[i][1] = sin(angle);
    }
}
