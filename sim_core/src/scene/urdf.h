/* URDF: a robot's description in XML, read into a definition. docs/arms.md tells what is read and what is not. */
#ifndef FILUM_SCENE_URDF_H
#define FILUM_SCENE_URDF_H

#include "filum/look.h"
#include "filum/robot.h"
#include "scene/document.h"

/* A larger description is a mistake. */
#define FIL_URDF_MAX_BYTES ((size_t)64 << 20)

/* What a URDF says. Everything lives in the pool. */
typedef struct FilUrdf {
    FilLinkDef* links;
    int link_count;
    FilRobotJointDef* joints;
    int joint_count;
    int *link_lines, *joint_lines;
    FilVisual* visuals; /* with the link that each is of */
    int *visual_links, visual_count;
    const char* description; /* the text with the prefix in front of the names of links and joints */
    const char* ignored;     /* elements without effect, each once */
} FilUrdf;

/* FIL_BAD_INPUT: `error` holds "file:line: element: what is wrong". Meshes are read. */
FIL_MUST_CHECK FilStatus fil_urdf_read(const FilSource* source, const char* prefix, FilPool* pool, FilUrdf* urdf, FilError* error);

/* Puts the line of the link or joint that a message about the robot names in front of it. */
void fil_urdf_locate(const FilUrdf* urdf, const FilSource* source, const char* message, FilError* error);

#endif
