/* Generators: the nodes of simple curves. Pure geometry; every function fills 3 * count numbers, in metres. */
#ifndef FILUM_SCENE_SHAPES_H
#define FILUM_SCENE_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

/* Equal steps from one point to another. */
void fil_shape_straight(const double* from, const double* to, int count, double* nodes);

/* `start` turned about the axis (center, normal) by 0 to `angle`, right-handed. normal is not zero. */
void fil_shape_arc(const double* center, const double* normal, const double* start, double angle, int count, double* nodes);

/* A full circle about (center, normal): equal edges, the last node before the first. `toward` points from the centre
 * to the first node's side; zero picks one. The nodes are on the circle. */
void fil_shape_ring(const double* center, const double* normal, const double* toward, double radius, int count, double* nodes);

typedef struct FilHelix {
    double origin[3], axis[3]; /* axis is not zero */
    double toward[3];          /* from the axis to the first node's side; zero picks one */
    double radius, pitch;      /* m; a negative pitch gives a left-handed helix */
    double turns;
} FilHelix;

/* Equal edges from origin + radius * toward, climbing by pitch per turn along the axis. */
void fil_shape_helix(const FilHelix* helix, int count, double* nodes);

/* A line that comes in straight, turns about an axis and leaves straight: a rope around a post. Its edges touch the
 * circle of `radius` at their middles. */
typedef struct FilWrap {
    double center[3], axis[3]; /* axis is not zero */
    double toward[3];          /* from the axis to where the line first touches the circle; zero picks one */
    double radius, pitch;      /* m; pitch: what it climbs along the axis per turn */
    double angle;              /* rad, between the directions in which it comes and leaves, right-handed */
    int segments;              /* corners that share the angle; each turns by less than pi */
    int tail_edges[2];         /* beyond the first and the last corner, of the length of the others */
} FilWrap;

double fil_wrap_edge_length(const FilWrap* wrap);
int fil_wrap_node_count(const FilWrap* wrap);
void fil_shape_wrap(const FilWrap* wrap, double* nodes);

/* A closed belt around two wheels: half circles of `radius` about two centres that are `distance` apart along `toward`, and straights
 * between, `center` midway. Equal arc lengths, right-handed about the normal, beginning where the wheel that `toward` points to is
 * reached. Zero `toward` picks one. */
typedef struct FilStadium {
    double center[3], normal[3], toward[3];
    double radius, distance; /* m */
} FilStadium;

void fil_shape_stadium(const FilStadium* stadium, int count, double* nodes);

/* One arch of a cycloid that hangs from `origin` in the x-z plane, of a wheel of `radius`: the tautochrone. Equal arc
 * lengths. */
void fil_shape_cycloid(const double* origin, double radius, int count, double* nodes);

/* A chain of `length` hung over `span` along x, z up, its lowest point at `lowest`. Equal arc lengths; length > span. */
void fil_shape_catenary(const double* lowest, double span, double length, int count, double* nodes);

/* Length along a polyline, with the way back to its beginning if it is closed. */
double fil_shape_length(const double* points, int point_count, bool closed);

/* Nodes at equal distances along a polyline (corners in between are cut). A closed one is not repeated at its end. */
void fil_shape_resample(const double* points, int point_count, bool closed, int count, double* nodes);

/* Moves every coordinate by a random number, uniform in [-amplitude, amplitude]; `random` is the generator's state. */
void fil_shape_disturb(double amplitude, uint64_t* random, int count, double* nodes);

#endif
