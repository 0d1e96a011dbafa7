/* Chambers of soft arms, solids and shells by their names, and pressures that they follow over simulated time. No ROS. */
#ifndef FILUM_NODE_CHAMBER_TRACK_H
#define FILUM_NODE_CHAMBER_TRACK_H

#include "view/simulation.h"

typedef struct FilChamber {
    const struct FilChamberKind* kind;
    FilId of;
    int index;
} FilChamber;

/* The chamber of a name "<object>/chamber_<k>"; false if there is none. */
bool fil_chamber_find(const FilWorld* world, const char* name, FilChamber* chamber);
bool fil_chamber_is(const FilChamber* a, const FilChamber* b);
FIL_MUST_CHECK FilStatus fil_chamber_set(FilWorld* world, const FilChamber* chamber, double pressure);

/* Straight between points; before the first the chamber stays as it is, after the last it keeps that. */
typedef struct FilChamberTrack {
    FilChamber chamber;
    int count;
    double *times, *pressures; /* s of simulated time, Pa gauge; one block of memory */
} FilChamberTrack;

typedef struct FilChamberTracks {
    FilChamberTrack* items;
    int count;
    uint64_t load;    /* the world that they are of */
    double last_time; /* s, of that world: a reset ends them */
} FilChamberTracks;

/* In place of what the chamber followed; without points it follows nothing. Copies; false: out of memory. */
bool fil_chamber_tracks_take(FilChamberTracks* tracks, const FilSimulation* simulation, const FilChamber* chamber, const double* times,
                             const double* pressures, int count);
void fil_chamber_tracks_drop(FilChamberTracks* tracks, const FilChamber* chamber);
void fil_chamber_tracks_fini(FilChamberTracks* tracks);

/* Before each step: sets what its end shall have. False: the world refuses one, which is dropped. */
bool fil_chamber_tracks_follow(FilChamberTracks* tracks, const FilSimulation* simulation);

#endif
