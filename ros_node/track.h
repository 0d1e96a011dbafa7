/* What robots follow: trajectories of any length. A robot has room for so many points; a track hands them over part by part, before
 * the step that needs them, so that the robot moves as if it had them all. */
#ifndef FILUM_NODE_TRACK_H
#define FILUM_NODE_TRACK_H

#include "view/simulation.h"

/* The trajectory of one robot. Arrays are joint_count per point and belong to it. */
typedef struct FilTrack {
    FilId robot;
    uint64_t serial; /* counts the trajectories taken, of all robots */
    int joint_count, point_count;
    int* joints;
    double start;                                             /* s, world time that `times` count from */
    double* times;                                            /* s, increasing */
    double *positions, *velocities, *accelerations, *efforts; /* all but positions may be NULL */
    int begin, end;                                           /* the robot has what lies between these points */
} FilTrack;

/* The tracks of a world, one for each robot that follows one. Zero: none. */
typedef struct FilTracks {
    FilTrack* items;
    int count;
    uint64_t serial;
    uint64_t load;    /* the world that they are for */
    double last_time; /* s, of that world: it goes back when it is reset */
} FilTracks;

/* Room for points that the caller then fills, or false: out of memory. fil_track_fini() frees it. */
bool fil_track_init(FilTrack* track, int joints, int points, bool velocities, bool accelerations, bool efforts);
void fil_track_fini(FilTrack* track);

/* The robot follows the track from now on, instead of what it followed before. The tracks own it then, also if it is refused. Where
 * there are accelerations, the way between two points is a quintic, and the efforts M(q) a that they take are added; where there are
 * only velocities a cubic, else straight. */
FIL_MUST_CHECK FilStatus fil_tracks_take(FilTracks* tracks, const FilSimulation* simulation, FilTrack* track);

/* Before each step: hands over what it needs. A joint that was given a command in the meantime follows no longer. False: a robot does
 * not take it, fil_world_error() says why. */
FIL_MUST_CHECK bool fil_tracks_follow(FilTracks* tracks, const FilSimulation* simulation);

/* The trajectory that was taken last for a robot; 0: none since its world was loaded or reset. */
uint64_t fil_tracks_serial(const FilTracks* tracks, FilId robot);

void fil_tracks_fini(FilTracks* tracks);

#endif
