/* The sections of a scene: one row each, in the order in which they are read and added. */
#ifndef FILUM_SCENE_KINDS_H
#define FILUM_SCENE_KINDS_H

#include "scene/scene_build.h"

extern const FilSceneKind* const fil_scene_kinds[];
extern const int fil_scene_kind_count;

extern const FilSceneKind fil_scene_materials, fil_scene_rods, fil_scene_nets, fil_scene_junctions, fil_scene_bodies, fil_scene_chains,
    fil_scene_arms, fil_scene_shells, fil_scene_solids, fil_scene_robots, fil_scene_links, fil_scene_rings, fil_scene_pairs, fil_scene_joints,
    fil_scene_bushings, fil_scene_attachments, fil_scene_drives, fil_scene_trajectories, fil_scene_probes, fil_scene_plan, fil_scene_task;

#endif
