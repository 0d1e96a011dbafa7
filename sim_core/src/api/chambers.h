/* Chambers with gas, as shells and solids show them. */
#ifndef FILUM_API_CHAMBERS_H
#define FILUM_API_CHAMBERS_H

#include "body/chambers.h"
#include "world/world.h"

/* An object with chambers, as its kind sees it; `chambers` NULL: the id is none of its kind, and a message says so. */
typedef struct FilChamberView {
    const char* kind;
    FilView view;
    const FilChambers* chambers;
} FilChamberView;

double fil_chamber_view_volume(const FilWorld* world, const FilChamberView* of, int chamber);
double fil_chamber_view_pressure(const FilWorld* world, const FilChamberView* of, int chamber);
/* Commands the chamber, or takes the command back. */
FIL_MUST_CHECK FilStatus fil_chamber_view_command(FilWorld* world, const FilChamberView* of, int chamber, bool commanded, double pressure);

#endif
