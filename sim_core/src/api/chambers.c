#include "api/chambers.h"

#include <math.h>

static bool has(const FilWorld* world, const FilChamberView* of, int chamber)
{
    return of->chambers != NULL && fil_world_has_part(world, of->kind, of->view.name, "chamber", chamber, of->chambers->count);
}

double fil_chamber_view_volume(const FilWorld* world, const FilChamberView* of, int chamber)
{
    return has(world, of, chamber) ? fil_chambers_volume(of->chambers, chamber, of->view.q) : NAN;
}

double fil_chamber_view_pressure(const FilWorld* world, const FilChamberView* of, int chamber)
{
    return has(world, of, chamber) ? fil_chambers_state(of->chambers, chamber, of->view.q, of->view.h).pressure : NAN;
}

FilStatus fil_chamber_view_command(FilWorld* world, const FilChamberView* of, int chamber, bool commanded, double pressure)
{
    if (!has(world, of, chamber)) {
        return FIL_BAD_INPUT;
    }
    if (!isfinite(pressure)) {
        return fil_world_fail(world, FIL_BAD_INPUT, "%s '%s', chamber %d: the pressure is not finite", of->kind, of->view.name, chamber);
    }
    double* own = of->view.h + FIL_CHAMBER_HISTORY * chamber;
    own[1] = commanded ? 1.0 : 0.0;
    own[2] = pressure;
    return FIL_OK;
}
