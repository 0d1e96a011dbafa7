/* Generated closed sheets of triangles: ellipsoids, and bubbles with a flat back. */
#ifndef FILUM_SCENE_BUBBLE_H
#define FILUM_SCENE_BUBBLE_H

#include <stdbool.h>

typedef struct FilBubble {
    double half[3]; /* m: half axes */
    int divisions;  /* of a quarter of its circumference */
    int flat;       /* 1, 2, 3: what lies below 0 along x, y or z is a flat disk at 0; 0: the whole ellipsoid */
} FilBubble;

int fil_bubble_vertices(const FilBubble* bubble);
int fil_bubble_triangles(const FilBubble* bubble);

/* Fills 3 numbers per vertex and per triangle; triangles turn counter-clockwise seen from outside. */
void fil_bubble_build(const FilBubble* bubble, double* vertices, int* triangles);

#endif
