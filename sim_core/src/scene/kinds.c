#include "scene/kinds.h"

const FilSceneKind* const fil_scene_kinds[] = {
    &fil_scene_materials,    &fil_scene_rods,
    &fil_scene_nets,       // more rods
    &fil_scene_junctions,  // between rods
    &fil_scene_bodies,
    &fil_scene_chains,  // more bodies, and later their bushings
    &fil_scene_arms,         &fil_scene_shells, &fil_scene_solids, &fil_scene_robots,   &fil_scene_links,
    &fil_scene_trajectories,  // poses at the start place robots, before anything is joined to them
    &fil_scene_rings,        &fil_scene_pairs,  &fil_scene_joints, &fil_scene_bushings, &fil_scene_attachments,
    &fil_scene_drives,       &fil_scene_probes, &fil_scene_plan,   &fil_scene_task,
};

_Static_assert(sizeof fil_scene_kinds / sizeof *fil_scene_kinds < FIL_SCENE_MAX_KINDS, "room for a word of each kind");

const int fil_scene_kind_count = sizeof fil_scene_kinds / sizeof *fil_scene_kinds;
