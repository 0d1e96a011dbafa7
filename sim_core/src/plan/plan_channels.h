/* What a plan commands: chambers of arms and joints of robots, by the names by which any world knows them. */
#ifndef FILUM_PLAN_PLAN_CHANNELS_H
#define FILUM_PLAN_PLAN_CHANNELS_H

#include "filum/plan.h"
#include "plan/plan_arm.h"

/* Names have 63 characters (scene/reader.c). */
enum { FIL_PLAN_NAME = 64 };

typedef struct FilPlanOutlet {
    char object[FIL_PLAN_NAME], joint[FIL_PLAN_NAME]; /* joint: empty of a chamber */
    int index;
    double area; /* m^2, of a chamber; 0 of a joint */
} FilPlanOutlet;

typedef struct FilPlanChannels {
    int count;
    FilPlanOutlet outlets[FIL_PLAN_COORDINATES];
} FilPlanChannels;

/* `joint` NULL: a chamber of this area. */
void fil_plan_channels_add(FilPlanChannels* channels, const char* object, const char* joint, int index, double area);

/* Commands of all channels: pressures of chambers, by their efforts; positions of joints by their own gains, with rates and the efforts on top. Fails
 * where the world does not hold the object. */
FilStatus fil_plan_channels_set(const FilPlanChannels* channels, FilWorld* world, const FilPlanCommand* commands);

#endif
