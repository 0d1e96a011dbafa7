/* A robot as the public functions see it. */
#ifndef FILUM_API_ROBOT_VIEW_H
#define FILUM_API_ROBOT_VIEW_H

#include "body/articulated.h"
#include "world/world.h"

/* A robot and its part of the state arrays. */
typedef struct FilRobotView {
    const FilRobot* robot;
    FilArticulated* impl;
    double *q, *v, *h;
} FilRobotView;

/* False, and a message, if the id is of no robot. */
bool fil_robot_see(const FilWorld* world, FilId id, FilRobotView* view);
/* The same of one of its links. */
bool fil_robot_see_link(const FilWorld* world, FilId id, int link, FilRobotView* view);

#endif
