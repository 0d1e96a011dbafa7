#include "chamber_track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of an object; names of scenes have 63 characters. */
enum { NAME = 256 };

/* ---- chambers ---- */

/* kinds that have chambers */
struct FilChamberKind {
    FilId (*find)(const FilWorld* world, const char* name);
    int (*count)(const FilWorld* world, FilId of);
    FilStatus (*set)(FilWorld* world, FilId of, int chamber, double pressure);
};

static const struct FilChamberKind chamber_kinds[] = {
    {fil_world_find_arm, fil_arm_chamber_count, fil_arm_set_pressure},
    {fil_world_find_solid, fil_solid_chamber_count, fil_solid_set_pressure},
    {fil_world_find_shell, fil_shell_chamber_count, fil_shell_set_pressure},
};

bool fil_chamber_find(const FilWorld* world, const char* name, FilChamber* chamber)
{
    char object[NAME];
    char again[2 * NAME];
    const char* slash = strrchr(name, '/');
    if (slash == NULL || slash == name || slash - name >= NAME || strncmp(slash, "/chamber_", strlen("/chamber_")) != 0) {
        return false;
    }
    memcpy(object, name, (size_t)(slash - name));
    object[slash - name] = '\0';
    const long number = strtol(slash + strlen("/chamber_"), NULL, 10);
    // nothing but the name itself: no spaces, signs or leading zeros
    snprintf(again, sizeof again, "%s/chamber_%ld", object, number);
    for (size_t k = 0; k < sizeof chamber_kinds / sizeof *chamber_kinds && strcmp(again, name) == 0; k++) {
        const FilId of = chamber_kinds[k].find(world, object);
        if (of.index != 0 && number >= 0 && number < chamber_kinds[k].count(world, of)) {
            *chamber = (FilChamber){&chamber_kinds[k], of, (int)number};
            return true;
        }
    }
    return false;
}

bool fil_chamber_is(const FilChamber* a, const FilChamber* b)
{
    return a->of.index == b->of.index && a->of.generation == b->of.generation && a->index == b->index;
}

FilStatus fil_chamber_set(FilWorld* world, const FilChamber* chamber, double pressure)
{
    return chamber->kind->set(world, chamber->of, chamber->index, pressure);
}

/* ---- what they follow ---- */

static void remove_at(FilChamberTracks* tracks, int i)
{
    free(tracks->items[i].times);
    tracks->items[i] = tracks->items[--tracks->count];
}

void fil_chamber_tracks_fini(FilChamberTracks* tracks)
{
    while (tracks->count > 0) {
        remove_at(tracks, tracks->count - 1);
    }
    free(tracks->items);
    *tracks = (FilChamberTracks){0};
}

void fil_chamber_tracks_drop(FilChamberTracks* tracks, const FilChamber* chamber)
{
    for (int i = tracks->count; i-- > 0;) {
        if (fil_chamber_is(&tracks->items[i].chamber, chamber)) {
            remove_at(tracks, i);
        }
    }
}

/* of another world, or of a time that is still to come, nothing is followed */
static void forget_old(FilChamberTracks* tracks, const FilSimulation* simulation)
{
    const double time = fil_world_time(simulation->world);
    if (tracks->load != simulation->load_count || time < tracks->last_time) {
        fil_chamber_tracks_fini(tracks);
        tracks->load = simulation->load_count;
    }
    tracks->last_time = time;
}

bool fil_chamber_tracks_take(FilChamberTracks* tracks, const FilSimulation* simulation, const FilChamber* chamber, const double* times,
                             const double* pressures, int count)
{
    forget_old(tracks, simulation);
    fil_chamber_tracks_drop(tracks, chamber);
    if (count == 0) {
        return true;
    }
    FilChamberTrack* grown = realloc(tracks->items, (size_t)(tracks->count + 1) * sizeof *grown);
    double* numbers = malloc(2 * (size_t)count * sizeof *numbers);
    if (grown != NULL) {
        tracks->items = grown;
    }
    if (grown == NULL || numbers == NULL) {
        free(numbers);
        return false;
    }
    memcpy(numbers, times, (size_t)count * sizeof *numbers);
    memcpy(numbers + count, pressures, (size_t)count * sizeof *numbers);
    tracks->items[tracks->count++] = (FilChamberTrack){*chamber, count, numbers, numbers + count};
    return true;
}

static double pressure_at(const FilChamberTrack* track, double time)
{
    int k = 0;
    while (k + 1 < track->count && track->times[k + 1] <= time) {
        k++;
    }
    if (k + 1 == track->count) {
        return track->pressures[k];
    }
    const double share = (time - track->times[k]) / (track->times[k + 1] - track->times[k]);
    return track->pressures[k] + share * (track->pressures[k + 1] - track->pressures[k]);
}

bool fil_chamber_tracks_follow(FilChamberTracks* tracks, const FilSimulation* simulation)
{
    if (tracks->count == 0) {
        return true;
    }
    forget_old(tracks, simulation);
    const double end = tracks->last_time + fil_world_dt(simulation->world);
    bool good = true;
    for (int i = tracks->count; i-- > 0;) {
        const FilChamberTrack* track = &tracks->items[i];
        if (end < track->times[0]) {
            continue;
        }
        const bool set = fil_chamber_set(simulation->world, &track->chamber, pressure_at(track, end)) == FIL_OK;
        good = good && set;
        if (!set || end >= track->times[track->count - 1]) {
            remove_at(tracks, i);
        }
    }
    return good;
}
